"""Controls that show the scale of a table: right cameras for the wrong people, a camera that only
looks, and the ceiling of filming again."""

import logging
import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import cast

import numpy as np
import torch
from jaxtyping import Float, Int64
from torch import Tensor

from aesop.camera_words.outline import Kind, Movement, outline_of
from aesop.core.errors import ClipError, StoreError
from aesop.core.hashing import dice_for
from aesop.data.manifest import StoredShot
from aesop.data.store import Store, decode
from aesop.fables.cinematographer.filming import film_outline
from aesop.fables.cinematographer.lens import Style
from aesop.features.human_features import human_from_features
from aesop.measuring.cases import Case, Cases, Task
from aesop.measuring.methods import CONTROL, Ask
from aesop.measuring.runs import restored
from aesop.metrics.metric_book import MetricError
from aesop.scene.camera import CameraPath, look_at
from aesop.scene.human import HumanMotion
from aesop.scene.rotation import about_z, slerp
from aesop.scene.shot import Shot, canonical_camera, ground, heading, place_camera, placement_of

log = logging.getLogger(__name__)

TRIES = 3  # sets of dice for filming again
# Paths are exchanged among so many clips of nearly one length.
ALIKE = 96
# A tripod this near to somebody's way would be run into.
CLEAR_M = 0.5


class ShuffledCameras:
    """Every camera of the split once, each for another window than it was made for: the set of
    cameras is right, the pairing wrong. Partners have nearly the same length; what is left of the
    difference is stretched. A path keeps its place relative to where the person starts."""

    def __init__(self, cases: Cases) -> None:
        self._cases = cases
        self._places = {case.row: place for place, case in enumerate(cases.cases)}

    def identity(self, task: Task) -> str:
        return f"{CONTROL}shuffled {self._cases.sha256}"

    def answer(self, cases: Sequence[Case], ask: Ask) -> list[Shot]:
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
    names, inverse, counts = np.unique(groups, return_inverse=True, return_counts=True)
    largest = int(counts.max())
    if 2 * largest > len(groups):
        raise MetricError(
            f"{largest} of {len(groups)} shots of similar length film one window.",
            "Exchange the cameras of a larger split.",
        )
    rank = dice.permutation(len(names))[inverse]
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


class MeanCameraLooking:
    """One mean camera for everyone: it stands where the references stand on average, seen from the
    middle of the person's way, never moves, and turns so that the root stays in the middle."""

    def __init__(self, cases: Cases) -> None:
        self._cases = cases
        self._stand = mean_stand(cases.references)

    def identity(self, task: Task) -> str:
        return f"{CONTROL}look-at {self._cases.sha256}"

    def answer(self, cases: Sequence[Case], ask: Ask) -> list[Shot]:
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
            [float(mean) for mean in (distance.mean(), away[:, 2].mean(), cosine, sine,
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
    clear = [place for place in stands if _nearest_m(root, place) >= CLEAR_M]
    centre = clear[0] if clear else max(stands, key=lambda place: _nearest_m(root, place))
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


class CinematographerAgain:
    """Fables' own operator. Where no other way is found, the reference is shown, with a warning:
    such shots make the ceiling look a little higher than it is."""

    def __init__(self, store: Store) -> None:
        if not store.manifest.dataset.startswith("fables"):  # or a small one like it
            raise StoreError(
                f"{store.path} holds {store.manifest.dataset}, filmed by others.",
                "Only Fables can be filmed again.",
            )
        self._store = store

    def identity(self, task: Task) -> str:
        return f"{CONTROL}redraw {self._store.manifest.content_sha256}"

    def answer(self, cases: Sequence[Case], ask: Ask) -> list[Shot]:
        _only_film(ask)
        return [self._again(case, ask.seed) for case in cases]

    @cached_property
    def _style(self) -> Style:
        return restored(Style, self._store.manifest.recipe["style"])

    def _again(self, case: Case, seed: int) -> Shot:
        stored = self._store.shot(case.row)
        motion = human_from_features(stored.human_features.double())
        outline = outline_of_stored(stored)
        side = _side_rad(stored, outline)
        for attempt in range(TRIES):
            dice = dice_for(seed, "redraw", stored.id, str(attempt))
            try:
                filmed = film_outline(
                    outline,
                    motion.joints.numpy(),
                    motion.yaw.numpy(),
                    dice,
                    style=self._style,
                    clean=bool(stored.attributes["clean"]),
                    side_rad=side,
                )
            except ClipError:
                continue
            return replace(case.reference, camera=filmed.camera)
        log.warning("no other way was found for %s; its own is shown", stored.id)
        return case.reference


def outline_of_stored(stored: StoredShot) -> tuple[Movement, ...]:
    """The outline that a stored shot's captions were told from."""
    kinds = cast("list[Kind]", stored.attributes["kinds"])
    outline = outline_of(stored.tags.astype(np.int64))
    assert len(kinds) == len(outline), "a kind for every run of the stored classes"
    return tuple(replace(it, kind=kind) for it, kind in zip(outline, kinds, strict=True))


def _side_rad(stored: StoredShot, outline: Sequence[Movement]) -> float | None:
    """Where the camera stood, seen from the person, in the middle of going along with them."""
    along = [it for it in outline if it.kind in ("follow", "lead")]
    if not along:
        return None
    motion, camera = decode(stored)
    frame = (along[0].first + along[-1].stop) // 2
    x, y, _ = (camera.centre[frame] - motion.root[frame]).tolist()
    return math.atan2(y, x) - float(motion.yaw[0])
