"""What a camera made of the movements that were asked of it, and how much of its time it does them.
A judge of films, whoever filmed; words are read elsewhere."""

from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import torch
from jaxtyping import Bool, Float, Int

from aesop.camera_words.ground_ways import TurnedBack, turned_back
from aesop.camera_words.outline import (
    PLAIN_BEND_RAD,
    PLAIN_SWEEP_RAD,
    SIGNS,
    AskedCamera,
    AskedMove,
    Place,
    dominant_tag,
    outline_of,
    spoken_tag,
)
from aesop.scene.camera import CameraPath
from aesop.scene.curves import smoothed
from aesop.scene.human import HumanMotion
from aesop.scene.movement import SHORTEST_RUN, signs_from_tag, tag_path

# A camera follows or leads if it goes at least half of the person's way with them.
WITH_PERSON_SHARE = 0.5
# Somebody whose whole way is shorter goes nowhere: a camera that follows them stands too.
GOES_M = 0.5
_WALKS_MPS = 0.2
_PATH_SIGMA = 9.0  # frames: steps and swaying vanish
_UNDONE = 0.05  # of the distance: a push-in that ends so much farther away brought nobody nearer
# Seen along the person's way: within 75° of straight behind or ahead, within 60° of square beside.
_AHEAD_COSINE, _BESIDE_COSINE = float(np.cos(np.radians(75))), float(np.cos(np.radians(30)))
_CHORDS = 8  # of an arc, whose directions show how much it bends

Steps = Float[np.ndarray, "transitions 2"]  # along the ground, metres
Mask = Bool[np.ndarray, " transitions"]


@dataclass(frozen=True)
class MoveMade:
    """One movement that was asked for, and what the camera did in transitions first … stop−1."""

    asked: AskedMove
    first: int
    stop: int
    tag: int  # the class that holds most of that time
    share: float  # how much of what was asked for was made, in [0, 1]
    right: bool
    way_share: float | None = None  # follow and lead: the camera's way with the person / theirs
    turned_rad: float | None = None  # arc: the camera's own way around the person, + to its right
    back: TurnedBack | None = None  # arc: where it plainly goes the other way for a while
    farther: float | None = None  # push in, pull out: how much farther away it ends, as a share

    @property
    def against(self) -> float:
        """By what share of the distance somebody's own way undoes a push-in or a pull-out."""
        undone = (self.farther or 0.0) * (SIGNS[self.tag][2] if self.right else 0)
        return undone if undone >= _UNDONE else 0.0

    @property
    def text(self) -> str:
        """ "push in", "follow 84 % of the way", "arc right by 63°, 30° the other way first"."""
        if self.way_share is not None:
            return f"{self.asked.kind} {self.way_share:.0%} of the way"
        if self.turned_rad is not None:
            side = "right" if self.turned_rad > 0 else "left"
            back = "" if self.back is None else f", {self.back.text}"
            return f"arc {side} by {abs(np.degrees(self.turned_rad)):.0f}°{back}"
        way = "farther away" if self.against == self.farther else "nearer"
        undone = f", yet the person ends {self.against:.0%} {way}" if self.against else ""
        return f"{spoken_tag(self.tag)}{undone}"


@dataclass(frozen=True)
class AskedAndMade:
    """All that was asked beside the camera that answered it. Right means that every movement is."""

    moves: tuple[MoveMade, ...]

    @property
    def share(self) -> float:
        """Of the time."""
        lasting = [move.stop - move.first for move in self.moves]
        shares = [move.share for move in self.moves]
        return float(np.dot(lasting, shares) / sum(lasting))

    @property
    def right(self) -> bool:
        return all(move.right for move in self.moves)

    @property
    def has_nobody(self) -> bool:
        """Whether the camera was to go with somebody who goes nowhere."""
        return all(it.asked.goes_with_person and it.way_share is None for it in self.moves)

    @property
    def text(self) -> str:
        return ", then ".join(move.text for move in self.moves)


@dataclass(frozen=True, eq=False)
class _Ways:
    """The camera's way and the person's, along the ground, a step for every transition."""

    tags: Int[np.ndarray, " transitions"]
    camera: Steps  # metres
    person: Steps  # metres, smoothed
    spoke: Steps  # from the person to the camera
    fps: float

    def part(self, first: int, stop: int) -> "_Ways":
        at = slice(first, stop)
        return _Ways(self.tags[at], self.camera[at], self.person[at], self.spoke[at], self.fps)

    @property
    def person_m(self) -> Float[np.ndarray, " transitions"]:
        return np.linalg.norm(self.person, axis=-1)


def made_as_asked(
    asked: AskedCamera, camera: CameraPath, motion: HumanMotion, fps: float
) -> AskedAndMade:
    """What the camera made of what was asked; camera and motion stand in the same world."""
    ways = _ways(camera, motion, fps)
    bounds = _cut(np.stack([_agrees(move, ways) for move in asked.moves]))
    spans = zip(asked.moves, pairwise(bounds), strict=True)
    return AskedAndMade(tuple(_judged(move, ways.part(*span), span) for move, span in spans))


def _ways(camera: CameraPath, motion: HumanMotion, fps: float) -> _Ways:
    centre, root = (
        points[:, :2].to(torch.float64).cpu().numpy() for points in (camera.centre, motion.root)
    )
    root = smoothed(root, _PATH_SIGMA)
    return _Ways(
        tags=tag_path(camera, fps),
        camera=np.diff(centre, axis=0),
        person=np.diff(root, axis=0),
        spoke=(centre - root)[:-1],
        fps=fps,
    )


def _agrees(move: AskedMove, ways: _Ways) -> Mask:
    """Where the camera might be doing this, so that the time can be cut."""
    if move.goes_with_person:
        camera = smoothed(ways.camera, _PATH_SIGMA)
        slow_m = _WALKS_MPS / ways.fps
        along = (camera * ways.person).sum(-1) >= WITH_PERSON_SHARE * ways.person_m**2
        still = np.linalg.norm(camera, axis=-1) < slow_m
        return np.where(ways.person_m > slow_m, along, still)
    if move.kind == "arc":
        return _includes(move, ways)
    return ways.tags == move.tag


def _includes(move: AskedMove, ways: _Ways) -> Mask:
    """Where the class shows every direction that was asked for, perhaps with another beside it; an
    arc whose side is open goes to either."""
    shown = signs_from_tag(ways.tags)
    wanted = np.array(SIGNS[move.tag or 0])
    included = ((shown == wanted) | (wanted == 0)).all(axis=-1)
    return included & (shown[:, 0] != 0) if move.kind == "arc" else included


def _cut(agrees: Bool[np.ndarray, "moves transitions"]) -> list[int]:
    """Bounds of the moves in time, so that most transitions agree; the earliest of equal ones."""
    count, transitions = agrees.shape
    shortest = min(SHORTEST_RUN, transitions // count)
    total = np.concatenate([np.zeros((count, 1)), np.cumsum(agrees, axis=1)], axis=1)
    # best[t]: the most that agrees before t; came[t]: where the last move then began.
    best = np.where(np.arange(transitions + 1) == 0, 0.0, -np.inf)
    came: list[Int[np.ndarray, " instants"]] = []
    for gathered in total:
        gain, since = best - gathered, np.zeros(transitions + 1, dtype=np.int64)
        later = np.full(transitions + 1, -np.inf)
        start = 0
        for stop in range(shortest, transitions + 1):
            if gain[stop - shortest] > gain[start]:
                start = stop - shortest
            later[stop], since[stop] = gain[start] + gathered[stop], start
        best = later
        came.append(since)
    bounds = [transitions]
    for since in reversed(came):
        bounds.insert(0, int(since[bounds[0]]))
    return bounds


def _judged(move: AskedMove, ways: _Ways, span: tuple[int, int]) -> MoveMade:
    tag = dominant_tag(outline_of(ways.tags))
    if move.goes_with_person:
        return _with_person(move, ways, tag, span)
    if move.kind == "arc":
        return _around_person(move, ways, tag, span)
    share = float((ways.tags == move.tag).mean())
    return MoveMade(move, *span, tag, share, tag == move.tag, farther=_farther(move, ways))


def _farther(move: AskedMove, ways: _Ways) -> float | None:
    """Classes know the camera alone: whoever walks away faster leaves a push-in behind."""
    if move.tag is None or SIGNS[move.tag][2] == 0:
        return None
    first, last = (float(np.linalg.norm(ways.spoke[at])) for at in (0, -1))
    return last / max(first, 0.1) - 1


def _with_person(move: AskedMove, ways: _Ways, tag: int, span: tuple[int, int]) -> MoveMade:
    """By the part of the person's way that the camera goes along with them, and where it is."""
    apart = ways.camera - ways.person
    if float(ways.person_m.sum()) < GOES_M:
        share = max(0.0, 1.0 - min(_strays_m(ways.camera), _strays_m(apart)) / GOES_M)
        return MoveMade(move, *span, tag, share, share >= WITH_PERSON_SHARE)
    way_share = float((ways.camera * ways.person).sum() / (ways.person**2).sum())
    shares = [max(0.0, 1.0 - abs(1.0 - way_share))]
    if move.place is not None:
        shares.append(_in_place(move.place, ways))
    if move.tag is not None:
        shares.append(float(_includes(move, ways).mean()))
    share = min(shares)
    return MoveMade(move, *span, tag, share, share >= WITH_PERSON_SHARE, way_share=way_share)


def _strays_m(steps: Steps) -> float:
    """How far a way gets from where it starts."""
    return float(np.linalg.norm(np.cumsum(steps, axis=0), axis=-1).max())


def _in_place(place: Place, ways: _Ways) -> float:
    """Share of the person's way on which the camera is where it was asked to be."""
    apart = np.linalg.norm(ways.spoke, axis=-1) * ways.person_m
    cosine = (ways.spoke * ways.person).sum(-1) / np.maximum(apart, 1e-9)
    match place:
        case "behind":
            there = cosine < -_AHEAD_COSINE
        case "front":
            there = cosine > _AHEAD_COSINE
        case "beside":
            there = np.abs(cosine) < _BESIDE_COSINE
    return float((there * ways.person_m).sum() / ways.person_m.sum())


def _around_person(move: AskedMove, ways: _Ways, tag: int, span: tuple[int, int]) -> MoveMade:
    """By the angle that the camera itself goes around the person, whose own way does not count, and
    by how much its way bends: a straight truck past somebody is no arc."""
    squared = np.maximum((ways.spoke**2).sum(-1), 1e-6)
    (x, y), (step_x, step_y) = ways.spoke.T, ways.camera.T
    angles = (x * step_y - y * step_x) / squared
    turned = float(angles.sum())
    asked = {"right": 1.0, "left": -1.0, None: float(np.sign(turned))}[move.side]
    swept = asked * turned / PLAIN_SWEEP_RAD
    # A hand's shake hides some of the bend of a short or slow arc; half of it tells it from a line.
    bends = asked * _bend(ways.camera) / (PLAIN_BEND_RAD / 2)
    included = float(_includes(move, ways).mean())
    share = min(1.0, max(0.0, float(min(swept, bends))), included)
    right = bool(swept >= 1 and bends >= 1 and included >= 0.5)
    back = turned_back(asked * angles, ways.fps)
    if back is not None:
        gone = max(0.0, asked * turned)
        share, right = min(share, gone / (gone + 2 * back.angle_rad)), False
    return MoveMade(move, *span, tag, share, right, turned_rad=turned, back=back)


def _bend(steps: Steps) -> float:
    """How much a way turns, + to its left, in radians; from the directions of its chords."""
    chords = np.stack([part.sum(axis=0) for part in np.array_split(steps, _CHORDS)])
    chords = chords[np.linalg.norm(chords, axis=-1) > 1e-3]
    if len(chords) < 2:
        return 0.0
    angle = np.unwrap(np.arctan2(chords[:, 1], chords[:, 0]))
    # The chords' directions are those of their middles, one chord short of the whole way.
    return float(angle[-1] - angle[0]) * len(chords) / (len(chords) - 1)
