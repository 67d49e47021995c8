"""Named columns of features (no integer slices anywhere else), their means and spreads, and
standardising."""

from collections.abc import Iterable
from dataclasses import dataclass

import torch
from jaxtyping import Float, Int64
from torch import Tensor


@dataclass(frozen=True)
class ColumnLayout:
    """An ordered list of named blocks of columns."""

    blocks: tuple[tuple[str, int], ...]

    @property
    def width(self) -> int:
        return sum(width for _, width in self.blocks)

    def span(self, name: str) -> slice:
        """Columns of one block."""
        start = 0
        for block, width in self.blocks:
            if block == name:
                return slice(start, start + width)
            start += width
        raise KeyError(name)

    def take(self, features: Float[Tensor, "*batch width"], name: str) -> Float[Tensor, "*batch _"]:
        """One block of a feature matrix (a view)."""
        return features[..., self.span(name)]

    def join(self, **values: Float[Tensor, "*batch _"]) -> Float[Tensor, "*batch width"]:
        """Put blocks side by side in the order of the layout."""
        if set(values) != {name for name, _ in self.blocks}:
            raise KeyError(f"blocks {sorted(values)} do not match the layout")
        for name, width in self.blocks:
            if values[name].shape[-1] != width:
                raise ValueError(f"block {name} has width {values[name].shape[-1]}, not {width}")
        return torch.cat([values[name] for name, _ in self.blocks], dim=-1)


HUMAN = ColumnLayout(
    (
        ("root_height", 1),
        ("planar_velocity", 2),  # metres per frame, in the yaw frame of the same frame
        ("yaw_step", 1),  # frame 0 holds the absolute yaw, later frames the change
        ("rotations", 132),  # 22 × first two rows; the root's yaw removed
        ("places", 63),  # joints 1 … 21 relative to the pelvis, yaw removed
    )
)

CAMERA = ColumnLayout(
    (
        ("fov_vertical", 1),  # radians
        ("fov_horizontal", 1),
        ("from_root", 3),  # camera centre minus pelvis, world axes, metres
        ("rotation", 6),  # first two columns of world_from_camera
        ("velocity", 3),  # change of the centre since the frame before, metres; frame 0 is zero
    )
)


HumanFeatures = Float[Tensor, "*batch frames 199"]
CameraFeatures = Float[Tensor, "*batch frames 14"]

# A channel that never varies is left at its scale instead of being blown up.
SMALLEST_SPREAD = 1e-6
_AT_ONCE = 1 << 20  # frames


@dataclass(frozen=True, eq=False)
class Statistics:
    """Mean and spread (population standard deviation) per column."""

    mean: Float[Tensor, " width"]
    spread: Float[Tensor, " width"]


# Foreign rigs twist forearms, shins and feet about axes that no training person uses: hundreds of
# spreads from the mean, which a codec reads as poses that nobody takes. Within this many spreads
# strangers' motions come through it within centimetres (docs/log.md).
KNOWN_TURN_SPREADS = 5.0


def with_known_turns(
    features: Float[Tensor, "*batch 199"], statistics: "Statistics"
) -> Float[Tensor, "*batch 199"]:
    """Human features whose joint turns lie where training people's do; places stay as they are."""
    turns = HUMAN.span("rotations")
    mean, spread = (it[turns].to(features) for it in (statistics.mean, statistics.spread))
    room = KNOWN_TURN_SPREADS * spread
    known = features.clone()
    known[..., turns] = features[..., turns].clamp(mean - room, mean + room)
    return known


class RunningStatistics:
    """Merges the moments of many clips without keeping them (Chan's pairwise update)."""

    def __init__(self, width: int, device: torch.device | None = None) -> None:
        self.count = 0
        self.mean = torch.zeros(width, dtype=torch.float64, device=device)
        self.squares = torch.zeros(width, dtype=torch.float64, device=device)

    def add(self, rows: Float[Tensor, "frames width"]) -> None:
        if len(rows) == 0:
            return
        rows = rows.double()
        mean = rows.mean(0)
        total = self.count + len(rows)
        offset = mean - self.mean
        self.squares += (rows - mean).square().sum(0)
        self.squares += offset.square() * (self.count * len(rows) / total)
        self.mean += offset * (len(rows) / total)
        self.count = total

    def result(self) -> Statistics:
        spread = (self.squares / max(self.count, 1)).sqrt()
        return Statistics(self.mean, spread.where(spread >= SMALLEST_SPREAD, 1.0))


def human_statistics(clips: Iterable[Float[Tensor, "_ 199"]]) -> Statistics:
    """Statistics of all 199 columns over all frames of all clips."""
    running = RunningStatistics(HUMAN.width)
    for features in clips:
        running.add(features)
    return running.result()


def camera_statistics(clips: Iterable[Float[Tensor, "_ 14"]]) -> Statistics:
    """Statistics of the two standardised blocks; mean 0 and spread 1 elsewhere."""
    from_root, velocity = RunningStatistics(3), RunningStatistics(3)
    for features in clips:
        from_root.add(CAMERA.take(features, "from_root"))
        velocity.add(CAMERA.take(features, "velocity")[1:])
    return _camera_statistics(from_root, velocity)


def _camera_statistics(from_root: RunningStatistics, velocity: RunningStatistics) -> Statistics:
    mean = torch.zeros(CAMERA.width, dtype=torch.float64)
    spread = torch.ones(CAMERA.width, dtype=torch.float64)
    for name, running in (("from_root", from_root), ("velocity", velocity)):
        mean[CAMERA.span(name)] = running.result().mean
        spread[CAMERA.span(name)] = running.result().spread
    return Statistics(mean, spread)


def joined_camera_statistics(
    values: Float[Tensor, "all_frames 14"], starts: Int64[Tensor, " clips_and_one"]
) -> Statistics:
    """`camera_statistics` of clips that stand one after the other, without looking at each."""
    inner = torch.ones(len(values), dtype=torch.bool)
    inner[starts[:-1]] = False
    from_root, velocity = RunningStatistics(3), RunningStatistics(3)
    for block, is_inner in zip(values.split(_AT_ONCE), inner.split(_AT_ONCE), strict=True):
        from_root.add(CAMERA.take(block, "from_root"))
        velocity.add(CAMERA.take(block[is_inner], "velocity"))
    return _camera_statistics(from_root, velocity)


def standardise_human(features: HumanFeatures, statistics: Statistics) -> HumanFeatures:
    mean, spread = statistics.mean.to(features), statistics.spread.to(features)
    return (features - mean) / spread


def restore_human(features: HumanFeatures, statistics: Statistics) -> HumanFeatures:
    """Inverse of `standardise_human`."""
    mean, spread = statistics.mean.to(features), statistics.spread.to(features)
    return features * spread + mean


def standardise_camera(features: CameraFeatures, statistics: Statistics) -> CameraFeatures:
    mean, spread = statistics.mean.to(features), statistics.spread.to(features)
    return _without_first_velocity((features - mean) / spread)


def restore_camera(features: CameraFeatures, statistics: Statistics) -> CameraFeatures:
    """Inverse of `standardise_camera`."""
    mean, spread = statistics.mean.to(features), statistics.spread.to(features)
    return _without_first_velocity(features * spread + mean)


def _without_first_velocity(
    features: CameraFeatures,
) -> CameraFeatures:
    features = features.clone()
    CAMERA.take(features, "velocity")[..., 0, :] = 0.0
    return features
