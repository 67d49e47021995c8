"""Ways along the ground: where a camera goes with a person, and where it goes around them."""

from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from jaxtyping import Bool, Float, Int

from aesop.camera_words.attributes import MoveName
from aesop.camera_words.outline import PLAIN_SWEEP_RAD
from aesop.camera_words.standing_tagger import CameraCurves, Curve, PersonCurves
from aesop.scene.curves import smoothed, unwrapped

ARC_RAD = np.radians(20)
SHORTEST = 12  # transitions of a step of its own
SIGMA = 5.0  # frames
_GOES_MPS, _GOES_M = 0.25, 0.7
_CIRCLES_RAD_S, _RESTS_MPS = np.radians(3.0), 0.1
_OWN_SHARE = 0.4  # of its way as the person sees it: what a camera must go itself
_STAYS_M = 0.5  # from the middle of their way
BACK_SHARE = 0.15  # of an arc's angle: less of it the other way is a wobble
_AHEAD_RAD, _BEHIND_RAD = np.radians(65), np.radians(115)

Way = Float[np.ndarray, "transitions 2"]
Labels = Int[np.ndarray, " transitions"]
Mask = Bool[np.ndarray, " transitions"]


@dataclass(frozen=True, eq=False)
class GroundWays:
    """Ways along the ground, one step a transition, in metres."""

    camera: Float[np.ndarray, "transitions 2"]
    person: Float[np.ndarray, "transitions 2"]
    hub: Float[np.ndarray, "transitions 2"]  # of what one would go around: their neck
    spoke: Float[np.ndarray, "transitions 2"]  # from there to the camera
    with_person: Mask  # where the camera goes with somebody who goes
    circles: Labels  # which way it goes around the person: -1 left, 1 right, 0 neither

    def part(self, first: int, stop: int) -> "GroundWays":
        return GroundWays(
            self.camera[first:stop], self.person[first:stop], self.hub[first:stop],
            self.spoke[first:stop], self.with_person[first:stop], self.circles[first:stop],
        )  # fmt: skip

    @property
    def own(self) -> Float[np.ndarray, "transitions 2"]:
        """The camera's way as the person sees it."""
        return self.camera - self.hub


def ground_ways(camera: CameraCurves, person: PersonCurves) -> GroundWays:
    centre = smoothed(camera.centre[:, :2], SIGMA)
    way, root = np.diff(centre, axis=0), person.root[:, :2]
    with_person = _with_person(way, np.diff(root, axis=0), camera.fps)
    middle = person.neck[:, :2]
    if _strays_m(root) < _STAYS_M:  # who bends or reaches goes nowhere: one turns around a place
        middle = np.repeat(middle.mean(axis=0, keepdims=True), len(middle), axis=0)
    hub, spoke = np.diff(middle, axis=0), (centre - middle)[:-1]
    circles = _circles(way, hub, spoke, camera.fps)
    return GroundWays(way, np.diff(root, axis=0), hub, spoke, with_person, circles)


def _strays_m(ground: Float[np.ndarray, "frames 2"]) -> float:
    return float(np.linalg.norm(ground - ground.mean(axis=0), axis=-1).max())


def _circles(camera: Way, hub: Way, spoke: Way, fps: float) -> Labels:
    """Where the camera goes around the person, who may go somewhere meanwhile: it moves, and its
    way as they see it bends around them."""
    own = camera - hub
    squared = np.maximum((spoke**2).sum(-1), 1e-6)
    around = smoothed((_cross(spoke, own) / squared)[:, None], SIGMA)[:, 0]
    outward = smoothed(((spoke * own).sum(-1) / squared)[:, None], SIGMA)[:, 0]
    turns = (np.abs(around) * fps > _CIRCLES_RAD_S) & (np.abs(around) > 1.5 * np.abs(outward))
    turns &= np.linalg.norm(camera, axis=-1) * fps > _RESTS_MPS
    sign = without_short(np.where(turns, np.sign(around), 0).astype(np.int64))
    edges = [0, *(np.flatnonzero(np.diff(sign)) + 1).tolist(), len(sign)]
    for first, stop in pairwise(edges):
        part = slice(first, stop)
        if sign[first] and not _goes_around(camera[part], hub[part], spoke[part], fps):
            sign[part] = 0
    return sign


def _goes_around(camera: Way, hub: Way, spoke: Way, fps: float) -> bool:
    """Whether a stretch leads around the person: far enough and along a bow, with a way of the
    camera's own (who stands sees others pass), and not only as far as one turns who keeps behind
    somebody whose way turns."""
    own = camera - hub
    swept = swept_around(spoke, own)
    side = float(np.sign(swept))
    if abs(swept) < ARC_RAD or _bend(own) * side < 0.55 * abs(swept):
        return False
    camera_m, own_m, hub_m = (float(np.linalg.norm(it, axis=-1).sum()) for it in (camera, own, hub))
    if camera_m < _OWN_SHARE * own_m:
        return False
    return hub_m < _GOES_M or bool((swept - _way_turn(hub, fps)) * side >= 2 * ARC_RAD)


def _way_turn(person: Way, fps: float) -> float:
    """How much the way of somebody who goes turns, + to its left."""
    walks = np.linalg.norm(person, axis=-1) * fps > _GOES_MPS
    if walks.sum() < 2:
        return 0.0
    angle = np.unwrap(np.arctan2(person[walks, 1], person[walks, 0]))
    return float(angle[-1] - angle[0])


def _with_person(camera_way: Way, person_way: Way, fps: float) -> Mask:
    """Where the camera goes with a person who goes somewhere."""
    speed = np.linalg.norm(person_way, axis=-1) * fps
    if float(np.linalg.norm(person_way, axis=-1).sum()) < _GOES_M:
        return np.zeros(len(speed), dtype=bool)
    camera = smoothed(camera_way, SIGMA)
    person = smoothed(person_way, SIGMA)
    squared = np.maximum((person**2).sum(-1), 1e-12)
    gain = (camera * person).sum(-1) / squared
    apart = np.linalg.norm(camera - person, axis=-1) / np.sqrt(squared)
    goes = speed > _GOES_MPS
    along = goes & (gain > 0.5) & (gain < 1.9) & (apart < 0.95)
    # Where the person pauses nothing can be told: it is as it was before.
    label = np.where(goes, along.astype(np.int64), -1)
    known = np.flatnonzero(label >= 0)
    if len(known) == 0:
        return np.zeros(len(speed), dtype=bool)
    slow_camera = np.linalg.norm(camera, axis=-1) * fps < 0.35
    nearest = known[np.clip(np.searchsorted(known, np.arange(len(label))), 0, len(known) - 1)]
    filled = np.where((label < 0) & slow_camera, label[nearest], np.maximum(label, 0))
    steady = smoothed(filled.astype(np.float64)[:, None], 9.0)[:, 0] > 0.5
    return without_short(steady.astype(np.int64)).astype(bool)


def without_short(labels: Labels) -> Labels:
    """Stretches too short to be a step of their own take the label of what is before them."""
    out = labels.copy()
    edges = [0, *(np.flatnonzero(np.diff(out)) + 1).tolist(), len(out)]
    for first, stop in pairwise(edges):
        if stop - first < SHORTEST and len(edges) > 2:
            out[first:stop] = out[first - 1] if first else out[min(stop, len(out) - 1)]
    return out


def company_of(part: GroundWays) -> MoveName:
    """Behind, beside or before a person."""
    lengths = np.linalg.norm(part.person, axis=-1)
    apart = np.maximum(np.linalg.norm(part.spoke, axis=-1) * lengths, 1e-9)
    cosine = (part.spoke * part.person).sum(-1) / apart
    along = float(np.average(cosine, weights=lengths + 1e-9))
    beside = float(np.average(np.abs(cosine) < np.cos(np.radians(45)), weights=lengths + 1e-9))
    return "lead" if along > 0.5 else "follow-beside" if beside > 0.5 else "follow"


def flies_past(part: GroundWays) -> bool:
    """Ahead of the camera's way first, behind it last, along a line; of somebody who goes the
    middle of their way counts, or a camera that they pass would pass them."""
    way = part.camera.sum(axis=0)
    length = float(np.linalg.norm(part.camera, axis=-1).sum())
    if np.linalg.norm(way) < 0.985 * length or length < 0.5:
        return False
    person = np.cumsum(part.person, axis=0)
    middle = person.mean(axis=0)
    spokes = (part.spoke[0] - middle, part.spoke[-1] + person[-1] - middle)
    cosines = [-spoke @ way / np.linalg.norm(spoke) / np.linalg.norm(way) for spoke in spokes]
    return bool(cosines[0] > np.cos(_AHEAD_RAD) and cosines[1] < np.cos(_BEHIND_RAD))


@dataclass(frozen=True)
class TurnedBack:
    """The longest stretch on which an arc goes against the side that was asked for."""

    angle_rad: float
    seconds: float  # from the start of the movement

    @property
    def text(self) -> str:
        when = f"after {self.seconds:.1f} s" if self.seconds >= 0.5 else "first"
        return f"{np.degrees(self.angle_rad):.0f}° the other way {when}"


def turned_back(angles: Float[np.ndarray, " transitions"], fps: float) -> TurnedBack | None:
    """Where an arc goes the other way, if that is plain to see beside how far it goes in all."""
    gone = np.concatenate([[0.0], np.cumsum(angles)])
    behind = np.maximum.accumulate(gone) - gone
    stop = int(behind.argmax())
    angle = float(behind[stop])
    if angle < max(PLAIN_SWEEP_RAD, BACK_SHARE * float(gone[-1])):
        return None
    return TurnedBack(angle, int(gone[: stop + 1].argmax()) / fps)


def bearing_of(ground: GroundWays) -> Curve:
    """World azimuth from the camera to the person, unwrapped."""
    return unwrapped(np.arctan2(-ground.spoke[:, 1], -ground.spoke[:, 0]))


def swept_around(
    spoke: Float[np.ndarray, "transitions 2"], steps: Float[np.ndarray, "transitions 2"]
) -> float:
    """How far steps lead around the person, + to the right of a camera that looks at them."""
    squared = np.maximum((spoke**2).sum(-1), 1e-6)
    return float((_cross(spoke, steps) / squared).sum())


def _cross(spoke: Way, steps: Way) -> Float[np.ndarray, " transitions"]:
    return spoke[:, 0] * steps[:, 1] - spoke[:, 1] * steps[:, 0]


def _bend(steps: Float[np.ndarray, "transitions 2"]) -> float:
    """How much a way turns, + to its left: the slope of the directions of ten chords, long ones
    weighing most, so that what is left of the step before does not count."""
    chords = np.stack([part.sum(axis=0) for part in np.array_split(steps, min(10, len(steps)))])
    length = np.linalg.norm(chords, axis=-1)
    kept = length > 2e-3
    if kept.sum() < 3:
        return 0.0
    angle = np.unwrap(np.arctan2(chords[kept, 1], chords[kept, 0]))
    slope = np.polyfit(np.flatnonzero(kept), angle, 1, w=length[kept])[0]
    return float(slope) * len(chords)
