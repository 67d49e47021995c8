"""Shots of a store, several at once as padded arrays: their features, the camera codec's copy of
them, and in float64 the ways of the cameras and what the lenses see.

What a lens sees is what `scene.camera.project` says. Most targets are asked one question only:
which joints are visible. `sight` answers it without a division, from joints that are turned into
camera axes once for all targets of a shot (`python benchmarks/pairs.py sight` compares the two).
"""

from collections.abc import Iterator
from dataclasses import dataclass, fields, is_dataclass, replace
from functools import cache, cached_property
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
import torch
from jaxtyping import Bool, Float, Float32, Int, Int64
from torch import Tensor

from aesop.data.batches import padded_features
from aesop.data.store import Store, open_store
from aesop.features.camera_features import centre_from_features
from aesop.features.columns import CAMERA, restore_camera, standardise_camera, standardise_human
from aesop.features.human_features import joints_from_features
from aesop.models.codec import CameraCodec, HumanCodec
from aesop.models.phase_table import PartName
from aesop.models.weights import (
    WEIGHTS_FILE,
    flat_name,
    load_camera_codec,
    load_human_codec,
    part_file,
)
from aesop.pairs.pair_recipe import PairError
from aesop.scene.camera import MIN_DEPTH_M, Boxes, Projection, boxes
from aesop.scene.rotation import matrix_from_columns6

# Frames that are computed on together: their arrays stay in the processor's cache.
BATCH_FRAMES = 1 << 13
# Frames of one task, which is also what an interruption costs at most per worker.
TASK_FRAMES = 1 << 17

# Shapes that occur everywhere here: clips are padded to the longest of their batch.
ClipFloat = Float[np.ndarray, " clips"]
ClipInt = Int[np.ndarray, " clips"]
ClipBool = Bool[np.ndarray, " clips"]
StepBool = Bool[np.ndarray, "clips transitions"]
FrameFloat = Float[np.ndarray, "clips frames"]
FrameBool = Bool[np.ndarray, "clips frames"]
FramePoints = Float[np.ndarray, "clips frames 3"]
JointPoints = Float[np.ndarray, "clips frames 3 joints"]
JointBool = Bool[np.ndarray, "clips frames joints"]
CameraFeatures = Float32[np.ndarray, "clips frames 14"]

Record = TypeVar("Record")


def taken(record: Record, clips: Int[np.ndarray, " chosen"]) -> Record:
    """Some clips, in the order given, of a record whose fields all run over clips first."""
    whole: Any = record
    parts = {field.name: getattr(whole, field.name) for field in fields(whole)}
    return replace(
        whole,
        **{
            name: taken(part, clips) if is_dataclass(part) else part[clips]
            for name, part in parts.items()
            if part is not None
        },
    )


@cache
def opened(path: Path) -> Store:
    """One store per process, whatever number of tasks it works on."""
    return open_store(path)


def in_batches(lengths: ClipInt, frames: int = BATCH_FRAMES) -> list[Int64[np.ndarray, " batch"]]:
    """Clips in groups of like length whose padded size stays below a number of frames."""
    order = np.argsort(lengths, kind="stable")
    groups: list[np.ndarray] = []
    first = 0
    while first < len(order):
        stop = first + 1
        while stop < len(order) and (stop + 1 - first) * lengths[order[stop]] <= frames:
            stop += 1
        groups.append(order[first:stop])
        first = stop
    return groups


def cut_into_tasks(
    rows: ClipInt, lengths: ClipInt
) -> Iterator[tuple[str, Int64[np.ndarray, " part"]]]:
    """Names and rows of pieces of work; clips of like length come together."""
    for number, part in enumerate(in_batches(lengths, TASK_FRAMES)):
        yield f"{number:05d}", np.sort(rows[part]).astype(np.int64)


@dataclass(frozen=True, eq=False)
class Stock:
    """The stored features behind a film, padded with zeros. A window that several shots film is
    held once: shot c shows the person of window `window[c]`."""

    lengths: ClipInt
    window: ClipInt
    human: Float32[np.ndarray, "windows frames 199"]
    camera: CameraFeatures

    @property
    def window_lengths(self) -> Int[np.ndarray, " windows"]:
        """Frames of every window: as many as any shot of it has."""
        lengths = np.ones(len(self.human), np.int64)
        lengths[self.window] = self.lengths
        return lengths

    def take(self, clips: Int[np.ndarray, " chosen"]) -> "Stock":
        """Some of the shots; the windows stay together."""
        return Stock(self.lengths[clips], self.window[clips], self.human, self.camera[clips])


def read_stock(store: Store, rows: ClipInt) -> Stock:
    """Features of some shots and of the windows they film."""
    lengths = store.shot_lengths(rows)
    longest = int(lengths.max())
    windows, window = np.unique(store.human_rows[rows], return_inverse=True)
    human = padded_features(store.humans, windows, longest)
    camera = padded_features(store.shots, rows, longest)
    return Stock(lengths, window, human, camera)


@dataclass(frozen=True, eq=False)
class Cameras:
    """Camera paths of several shots."""

    centre: FramePoints
    world_from_camera: Float[np.ndarray, "clips frames 3 3"]
    tan_half_fov: Float[np.ndarray, "clips frames 2"]

    def moved(self, centre: FramePoints) -> "Cameras":
        """The same aims and lenses along other ways."""
        return replace(self, centre=centre)


@dataclass(frozen=True, eq=False)
class Film:
    """Shots of one batch: people, cameras, and which frames are real."""

    lengths: ClipInt
    root: FramePoints
    around: JointPoints  # joints minus root, world axes
    cameras: Cameras

    @property
    def frames(self) -> int:
        return self.root.shape[1]

    @property
    def mask(self) -> FrameBool:
        """True on real frames."""
        return np.arange(self.frames) < self.lengths[:, None]


def film_of(stock: Stock) -> Film:
    """Motion and cameras in metres and radians."""
    joints = joints_from_features(torch.from_numpy(stock.human).double()).numpy()
    around = np.swapaxes(joints - joints[:, :, :1], -1, -2)
    root = joints[stock.window, :, 0]
    cameras = cameras_of(stock.camera, root[:, 0], stock.lengths)
    return Film(stock.lengths, root, np.ascontiguousarray(around)[stock.window], cameras)


def cameras_of(
    features: Float[np.ndarray, "clips frames 14"],
    first_root: Float[np.ndarray, "clips 3"],
    lengths: ClipInt,
) -> Cameras:
    """Camera paths from physical features."""
    values = torch.from_numpy(features).double()
    vertical = np.tan(CAMERA.take(values, "fov_vertical")[..., 0].numpy() / 2)
    horizontal = np.tan(CAMERA.take(values, "fov_horizontal")[..., 0].numpy() / 2)
    aspect = _aspects(horizontal, vertical, lengths)
    return Cameras(
        centre=centre_from_features(values, torch.from_numpy(first_root)).numpy(),
        world_from_camera=matrix_from_columns6(CAMERA.take(values, "rotation")).numpy(),
        tan_half_fov=np.stack([aspect[:, None] * vertical, vertical], axis=-1),
    )


def _aspects(horizontal: FrameFloat, vertical: FrameFloat, lengths: ClipInt) -> ClipFloat:
    """One aspect ratio per shot: the lower median over frames, as `aspect_from_features`."""
    real = np.arange(horizontal.shape[1]) < lengths[:, None]
    ratio = np.divide(horizontal, vertical, out=np.full_like(horizontal, np.inf), where=real)
    middle = np.sort(ratio, axis=1)
    return np.take_along_axis(middle, (lengths[:, None] - 1) // 2, axis=1)[:, 0]


def features_of_way(
    camera: Float32[np.ndarray, "*clips frames 14"],
    root: Float[np.ndarray, "*clips frames 3"],
    centre: Float[np.ndarray, "*clips frames 3"],
) -> Float32[np.ndarray, "*clips frames 14"]:
    """A shot's features with another way of the camera: relative centre and velocity are computed
    anew, aim and lens stay as they are, bit for bit."""
    features = camera.copy()
    features[..., CAMERA.span("from_root")] = centre - root
    steps = np.diff(centre, axis=-2, prepend=centre[..., :1, :])
    features[..., CAMERA.span("velocity")] = steps
    return features


def features_of_ways(camera: CameraFeatures, film: Film, centre: FramePoints) -> CameraFeatures:
    """`features_of_way` of padded shots: what lies beyond their ends stays as it is."""
    features = features_of_way(camera, film.root, centre)
    return np.where(film.mask[..., None], features, camera)


def smoothed(
    values: Float[np.ndarray, "clips frames width"], lengths: ClipInt, taps: int
) -> Float[np.ndarray, "clips frames width"]:
    """Triangular filter; beyond its ends a shot is mirrored without repeating the end frame."""
    half, frames = taps // 2, values.shape[1]
    weights = half + 1.0 - np.abs(np.arange(-half, half + 1))
    weights /= weights.sum()
    last = np.maximum(lengths[:, None] - 1, 1)
    # Folded as often as needed: a shot may be shorter than the filter.
    folded = np.abs((np.arange(-half, frames + half) + last) % (2 * last) - last)
    folded = np.minimum(folded, np.maximum(lengths[:, None] - 1, 0))
    longer = np.take_along_axis(values, folded[..., None], axis=1)
    total = np.zeros_like(values)
    for offset, weight in enumerate(weights.tolist()):
        total += weight * longer[:, offset : offset + frames]
    return total


def ratio(value: ClipFloat, of: ClipFloat) -> ClipFloat:
    """Zero where there is nothing to compare with."""
    return np.divide(value, of, out=np.zeros_like(value), where=of > 0)


def real_steps(lengths: ClipInt, frames: int) -> StepBool:
    """True on transitions between real frames."""
    return np.arange(frames - 1) < lengths[:, None] - 1


def step_lengths(centre: FramePoints, lengths: ClipInt) -> Float[np.ndarray, "clips transitions"]:
    """Metres per frame; zero beyond a shot's end."""
    differences = np.diff(centre, axis=1)
    # Several times as fast as np.linalg.norm on rows of three.
    steps = np.sqrt(np.einsum("cfi,cfi->cf", differences, differences))
    return np.where(real_steps(lengths, centre.shape[1]), steps, 0.0)


def path_lengths(centre: FramePoints, lengths: ClipInt) -> ClipFloat:
    """Metres from first to last frame along the way."""
    return step_lengths(centre, lengths).sum(-1)


@dataclass(frozen=True, eq=False)
class Dynamics:
    """95th percentiles over frames of the first three differences of a way."""

    speed: ClipFloat
    acceleration: ClipFloat
    jerk: ClipFloat


def dynamics(centre: FramePoints, lengths: ClipInt) -> Dynamics:
    """Metres per frame, frame² and frame³."""
    percentiles: list[np.ndarray] = []
    differences = centre
    for order in (1, 2, 3):
        differences = np.diff(differences, axis=1)
        sizes = np.sqrt(np.einsum("cfi,cfi->cf", differences, differences))
        percentiles.append(quantile(sizes, lengths - order, 0.95))
    return Dynamics(*percentiles)


def quantile(values: Float[np.ndarray, "clips items"], counts: ClipInt, share: float) -> ClipFloat:
    """Quantile of the first `counts` items of every row, linear between order statistics; zero
    where there are none."""
    if values.shape[1] == 0:
        return np.zeros(len(values))
    # Rows without items keep theirs: sorting infinities only would make NaN of their difference.
    real = (np.arange(values.shape[1]) < counts[:, None]) | (counts[:, None] <= 0)
    ordered = np.sort(np.where(real, values, np.inf), axis=1)
    place = share * np.maximum(counts - 1, 0)
    below = np.floor(place).astype(np.int64)
    above = np.minimum(below + 1, np.maximum(counts - 1, 0))
    low = np.take_along_axis(ordered, below[:, None], axis=1)[:, 0]
    high = np.take_along_axis(ordered, above[:, None], axis=1)[:, 0]
    return np.where(counts > 0, low + (place - below) * (high - low), 0.0)


@dataclass(frozen=True, eq=False)
class JointViews:
    """Joints in camera axes, not yet divided by their depth."""

    across: Float[np.ndarray, "clips frames joints"]
    down: Float[np.ndarray, "clips frames joints"]
    depth: Float[np.ndarray, "clips frames joints"]
    tan_half_fov: Float[np.ndarray, "clips frames 2"]

    @cached_property
    def visible(self) -> JointBool:
        """Inside the image and in front, without a division: |x| ≤ tan·z is |x|/z/tan ≤ 1."""
        wide, high = (self.tan_half_fov[..., i, None] * self.depth for i in (0, 1))
        inside = (np.abs(self.across) <= wide) & (np.abs(self.down) <= high)
        # The bound above is infinite too where a depth is.
        return inside & (self.depth > MIN_DEPTH_M) & (self.depth < np.inf)

    @property
    def boxes(self) -> Boxes:
        """Boxes around the joints in front of the lens, visible or not."""
        across, down, depth = map(torch.from_numpy, (self.across, self.down, self.depth))
        wide, high = torch.from_numpy(self.tan_half_fov)[..., None].unbind(-2)
        # The last step of `project`. Joints lie innermost, where finding the ends is quickest.
        safe = depth.clamp_min(MIN_DEPTH_M)
        ndc = torch.stack([across / safe / wide, -down / safe / high], dim=-2)
        return boxes(Projection(ndc.transpose(-1, -2), depth))


def aimed(film: Film, cameras: Cameras) -> JointPoints:
    """Joints around the root in camera axes: the same for every way with these aims."""
    return np.matmul(np.swapaxes(cameras.world_from_camera, -1, -2), film.around)


def sight(film: Film, cameras: Cameras, turned: JointPoints) -> JointViews:
    """The people as these cameras see them; `turned` is `aimed` of the same aims."""
    to_root = np.einsum("cfij,cfi->cfj", cameras.world_from_camera, film.root - cameras.centre)
    across, down, depth = (turned[:, :, i] + to_root[..., i, None] for i in range(3))
    return JointViews(across, down, depth, cameras.tan_half_fov)


def visible_share(visible: JointBool, film: Film) -> ClipFloat:
    """Share of joints and frames that are visible."""
    joints = np.where(film.mask, visible.sum(-1), 0).sum(-1)
    return joints / (film.lengths * visible.shape[-1])


def blind_frames(visible: JointBool, film: Film) -> ClipFloat:
    """Share of frames without a visible joint."""
    return (film.mask & ~visible.any(-1)).sum(-1) / film.lengths


def severe_frames(visible: JointBool, film: Film) -> ClipFloat:
    """Share of frames with fewer than half of the joints visible."""
    few = 2 * visible.sum(-1) < visible.shape[-1]
    return (film.mask & few).sum(-1) / film.lengths


@dataclass(frozen=True, eq=False)
class CodecPair:
    """The two codecs of one training; `identity` names the camera's and with it the human's."""

    human: HumanCodec
    camera: CameraCodec
    identity: str


@dataclass(frozen=True, eq=False)
class RoundTrip:
    """What came back: physical features, and the mean square error of the standardised ones."""

    features: CameraFeatures
    mse: ClipFloat


@cache
def load_codecs(folder: Path) -> CodecPair:
    """Codecs of a training run, or of a folder of weights as shipped."""
    human = load_human_codec(_part_path(folder, "human-codec"))
    camera = load_camera_codec(_part_path(folder, "camera-codec"), human)
    return CodecPair(human.network, camera.network, camera.card.identity)


def _part_path(folder: Path, part: PartName) -> Path:
    path = part_file(folder, part)
    if path is None:
        raise PairError(
            f"{folder} has no {part}: neither {part}/{WEIGHTS_FILE} nor {flat_name(part)}.",
            "Name a folder of weights, or of a training run that has finished both codecs.",
        )
    return path


@torch.no_grad()
def human_latents(codecs: CodecPair, stock: Stock) -> Float[Tensor, "clips tokens width"]:
    """What the camera's decoder reads of the people."""
    standard = standardise_human(torch.from_numpy(stock.human), codecs.human.statistics)
    latents = codecs.human.encode(standard, _mask(stock.window_lengths, stock.human.shape[1]))
    return latents[torch.from_numpy(stock.window)]


@torch.no_grad()
def round_trip(
    codecs: CodecPair,
    people: Float[Tensor, "clips tokens width"],
    features: CameraFeatures,
    lengths: ClipInt,
) -> RoundTrip:
    """Encode and decode camera features beside the people they film."""
    statistics, mask = codecs.camera.statistics, _mask(lengths, features.shape[1])
    standard = standardise_camera(torch.from_numpy(features), statistics)
    back = codecs.camera.decode(codecs.camera.encode(standard, mask), people, mask)
    physical = restore_camera(back, statistics).masked_fill(~mask[..., None], 0)
    # The first velocity is no measurement: neither side of the error has one.
    error = (standardise_camera(physical, statistics) - standard).double().square().mean(-1)
    mse = error.where(mask, 0.0).sum(1) / mask.sum(1)
    return RoundTrip(physical.numpy(), mse.numpy())


def ways_of(features: Float[np.ndarray, "clips frames 14"]) -> FramePoints:
    """Camera ways from features, each counted from the person's first root."""
    values = torch.from_numpy(features).double()
    return centre_from_features(values, values.new_zeros(len(values), 3)).numpy()


def _mask(lengths: ClipInt, frames: int) -> Tensor:
    return torch.arange(frames) < torch.from_numpy(lengths)[:, None]
