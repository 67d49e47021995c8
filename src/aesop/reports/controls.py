"""Two controls that show the scale of a table: right cameras for the wrong people, and a camera
that only looks.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import torch
from jaxtyping import Float, Int64
from torch import Tensor

from aesop.metrics.refusal import MetricError
from aesop.reports.cases import Case, Cases, Task
from aesop.reports.filmers import CONTROL, Ask, Progress
from aesop.scene.camera import CameraPath, look_at
from aesop.scene.human import HumanMotion
from aesop.scene.placement import canonical_camera, ground, heading, place_camera, placement_of
from aesop.scene.rotation import about_z, slerp
from aesop.scene.shot import Shot

# Paths are exchanged among so many clips of nearly one length.
ALIKE = 96
# A tripod this near to somebody's way would be run into.
CLEAR_M = 0.5


class ShuffledFilmer:
    """Every camera of the split once, each for another window than it was made for: the set of
    cameras is right, the pairing wrong. Partners have nearly the same length; what is left of the
    difference is stretched. A path keeps its place relative to where the person starts."""

    def __init__(self, cases: Cases) -> None:
        self._cases = cases
        self._places = {case.row: place for place, case in enumerate(cases.cases)}

    def identity(self, task: Task) -> str:
        return f"{CONTROL}shuffled {self._cases.sha256}"

    def answer(
        self, cases: Sequence[Case], ask: Ask, progress: Progress | None = None
    ) -> list[Shot]:
        _only_film(ask)
        donors = partners(self._cases, ask.seed)
        return [self._exchanged(case, int(donors[self._places[case.row]])) for case in cases]

    def _exchanged(self, case: Case, donor: int) -> Shot:
        own, other = case.reference, self._cases.cases[donor].reference
        away = canonical_camera(other.camera, placement_of(other.clip.motion))
        path = stretched(away, own.frames)
        return replace(own, camera=place_camera(path, placement_of(own.clip.motion)))


def partners(cases: Cases, seed: int) -> Int64[np.ndarray, " cases"]:
    """Whose camera each case gets: a rearrangement in which no window keeps one of its own."""
    dice = np.random.default_rng((seed, len(cases.cases)))
    lengths = np.array([case.reference.frames for case in cases.cases])
    order = np.lexsort((dice.random(len(lengths)), lengths))
    blocks = max(1, len(order) // ALIKE)
    donors = np.empty(len(order), np.int64)
    for block in np.array_split(order, blocks):
        windows = [cases.cases[place].human_row for place in block.tolist()]
        donors[block] = block[_apart(windows, dice)]
    return donors


def _apart(groups: Sequence[int], dice: np.random.Generator) -> Int64[np.ndarray, " items"]:
    """A rearrangement that sends nobody into their own group: groups stand together in a random
    order, and everyone goes as far on as the largest group is long."""
    found, inverse, counts = np.unique(groups, return_inverse=True, return_counts=True)
    largest = int(counts.max())
    if 2 * largest > len(groups):
        raise MetricError(
            f"{largest} of {len(groups)} shots of similar length film one window.",
            "Exchange the cameras of a larger split.",
        )
    rank = dice.permutation(len(found))[inverse]
    order = np.lexsort((dice.random(len(groups)), rank))
    result = np.empty(len(groups), np.int64)
    result[order] = np.roll(order, largest)
    return result


def stretched(camera: CameraPath, frames: int) -> CameraPath:
    """The same way in another time: first and last frame are kept."""
    if camera.frames == frames:
        return camera
    place = torch.linspace(0, camera.frames - 1, frames, dtype=torch.float64)
    low = place.floor().long().clamp(max=camera.frames - 2)
    share = (place - low).to(camera.centre)
    return replace(
        camera,
        world_from_camera=slerp(
            camera.world_from_camera[low], camera.world_from_camera[low + 1], share
        ),
        centre=torch.lerp(camera.centre[low], camera.centre[low + 1], share[:, None]),
        fov_vertical=torch.lerp(camera.fov_vertical[low], camera.fov_vertical[low + 1], share),
    )


@dataclass(frozen=True)
class Stand:
    """The mean camera: metres along the ground and above the root, radians."""

    distance_m: float
    rise_m: float
    azimuth_rad: float  # from where the person faces at first
    fov_vertical: float
    aspect: float


class LookAtFilmer:
    """One mean camera for everyone: it stands where the references stand on average, seen from the
    middle of the person's way, never moves, and turns so that the root stays in the middle."""

    def __init__(self, cases: Cases) -> None:
        self._cases = cases
        self._stand = mean_stand(cases.references)

    def identity(self, task: Task) -> str:
        return f"{CONTROL}look-at {self._cases.sha256}"

    def answer(
        self, cases: Sequence[Case], ask: Ask, progress: Progress | None = None
    ) -> list[Shot]:
        _only_film(ask)
        return [
            replace(case.reference, camera=watching(case.reference.clip.motion, self._stand))
            for case in cases
        ]


def mean_stand(shots: Sequence[Shot]) -> Stand:
    """Means over clips of means over frames; the azimuth is the mean direction."""
    rows: list[list[float]] = []
    for shot in shots:
        motion, camera = shot.clip.motion, shot.camera
        away = (camera.centre - motion.root).double() @ about_z(motion.yaw[0].double())
        distance = ground(away).norm(dim=-1)
        facing = ground(heading(torch.zeros(())).double())
        cosine = (ground(away) @ facing / distance).mean()
        sine = ((facing[0] * away[:, 1] - facing[1] * away[:, 0]) / distance).mean()
        rows.append(
            [float(it) for it in (distance.mean(), away[:, 2].mean(), cosine, sine,
             camera.fov_vertical.double().mean(), camera.aspect)]
        )  # fmt: skip
    distance_m, rise_m, cosine, sine, fov, aspect = np.array(rows).mean(0).tolist()
    return Stand(distance_m, rise_m, math.atan2(sine, cosine), fov, aspect)


def watching(motion: HumanMotion, stand: Stand) -> CameraPath:
    """The mean camera for one person. Where it would stand in the person's way, it stands a quarter
    turn (or two, or three) farther round."""
    root = motion.root.double()
    middle = root.mean(0)
    facing, first_yaw = heading(torch.zeros(())).double(), motion.yaw[0].double()
    stands: list[Tensor] = []
    for quarter in range(4):
        turn = about_z(first_yaw + stand.azimuth_rad + quarter * math.pi / 2)
        place = middle + turn @ facing * stand.distance_m
        place[2] = middle[2] + stand.rise_m
        stands.append(place)
    clear = [it for it in stands if _nearest_m(root, it) >= CLEAR_M]
    centre = clear[0] if clear else max(stands, key=lambda it: _nearest_m(root, it))
    still = centre.expand(len(root), 3)
    kind = motion.joints
    return CameraPath(
        look_at(still, root).to(kind),
        still.to(kind),
        kind.new_full((len(root),), stand.fov_vertical),
        stand.aspect,
    )


def _nearest_m(root: Float[Tensor, "frames 3"], centre: Float[Tensor, "3"]) -> float:
    return float(ground(root - centre).norm(dim=-1).min())


def _only_film(ask: Ask) -> None:
    if ask.task != "film" or ask.is_reversed or ask.intensity != 1:
        raise MetricError(
            "A control answers neither words nor intensities, and makes nobody.",
            "Measure the task film with it.",
        )
