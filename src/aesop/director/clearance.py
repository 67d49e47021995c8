"""No camera goes below the floor or comes nearer to the body than an arm's reach.

A way through the floor is lifted. One through the body is stopped short of it or started outside
it, or it is moved aside: for the moment of passing or, if the camera stands on a tripod, as a
whole. Of what clears the body and keeps the movement's class, the change that moves the camera
least on average is taken.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np
import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor

from aesop.director.decoding import rests
from aesop.metrics.framing_metrics import crown_of
from aesop.scene.camera import CameraPath
from aesop.scene.human import Clip, HumanMotion
from aesop.scene.movement import tag_path
from aesop.scene.rotation import about_axis, wrap_angle
from aesop.scene.skeleton import JOINT, PARENTS

# No camera's centre comes nearer to the floor: that much has room below the lens.
CLEARANCE_M = 0.1
# What lies within this share of the picture's height is well inside.
FRAMED_SHARE = 0.8
NEAREST_M = 0.4  # to the body
# What is moved goes a little farther than it must: the law then holds in single precision too.
AIMED_M = 0.42
_SHIFTS_M = tuple(0.04 * 1.3**power for power in range(26))  # up to 28 m: above everybody
_ASIDE_RAD = (0.0, 0.5, -0.5, 1.0, -1.0, 1.57, -1.57, 2.36, -2.36, 3.14)
_EASE_SECONDS = 1.2  # of a way aside, and of the way back
_SOFT_STOP_M = 0.3  # before and behind the place at which a way is cut
_CUTS = 24  # places along a way at which it may be cut
_LEAST_TRAVEL = 0.5  # of its way is left to a camera that is stopped short

Places = Float[np.ndarray, "frames 3"]


def above_floor(camera: CameraPath, motion: HumanMotion) -> CameraPath:
    """A camera that would go below the floor, on which the person's lowest joint stands, higher by
    so much all the way: lifting its lowest frames alone would bend the way. It tilts down by what
    keeps the person's root at its height in the picture, or by less where the root was above the
    picture. Travel, speed and lens stay as they are."""
    joints = motion.joints.to(camera.centre)
    lift = joints[..., 2].min() + CLEARANCE_M - camera.centre[:, 2].min()
    if bool(lift <= 0):
        return camera
    centre = camera.centre + lift * camera.centre.new_tensor([0.0, 0.0, 1.0])
    turns = camera.world_from_camera
    before = _below_axis(turns, joints[:, 0] - camera.centre)
    after = _below_axis(turns, joints[:, 0] - centre)
    keeping = wrap_angle(before - after)
    edge = FRAMED_SHARE * camera.fov_vertical / 2
    wanted = (after + keeping).clamp(-edge, edge) - after
    none = torch.zeros_like(keeping)
    tilt = wanted.clamp(torch.minimum(keeping, none), torch.maximum(keeping, none))
    return replace(camera, centre=centre, world_from_camera=turns @ about_axis(tilt, "x"))


def _below_axis(
    world_from_camera: Float[Tensor, "frames 3 3"], towards: Float[Tensor, "frames 3"]
) -> Float[Tensor, " frames"]:
    """How far below the optical axis a direction lies, in radians."""
    _, down, ahead = (world_from_camera.mT @ towards[..., None])[..., 0].unbind(-1)
    return torch.atan2(down, ahead)


@dataclass(frozen=True, eq=False)
class Body:
    """Bones of a person, the skull up to its crown among them, in every frame."""

    start: Float[np.ndarray, "frames bones 3"]
    end: Float[np.ndarray, "frames bones 3"]

    def part(self, frames: Int[np.ndarray, " some"]) -> "Body":
        return Body(self.start[frames], self.end[frames])

    @property
    def crown(self) -> Places:
        return self.end[:, -1]

    def nearest(self, centre: Float[np.ndarray, "*ways frames 3"]) -> np.ndarray:
        """The point of the body that is nearest to each centre."""
        along = self.end - self.start
        reach = centre[..., None, :] - self.start
        squares = np.maximum((along * along).sum(-1), np.finfo(np.float64).tiny)
        share = np.clip((reach * along).sum(-1) / squares, 0, 1)
        points = self.start + share[..., None] * along
        apart = ((centre[..., None, :] - points) ** 2).sum(-1)
        return np.take_along_axis(points, apart.argmin(-1)[..., None, None], -2)[..., 0, :]

    def distance(self, centre: Float[np.ndarray, "*ways frames 3"]) -> np.ndarray:
        """Metres from each centre to the body."""
        return np.linalg.norm(centre - self.nearest(centre), axis=-1)


def body_of(motion: HumanMotion) -> Body:
    """The bones of a motion in float64."""
    joints, head = motion.joints.double(), JOINT["head"]
    ends = torch.cat([joints[:, 1:], crown_of(motion)[:, None]], dim=1)
    return Body(joints[:, [*PARENTS[1:], head]].cpu().numpy(), ends.cpu().numpy())


def clear_of_body(camera: CameraPath, clip: Clip, body: Body) -> CameraPath:
    """The camera itself where it keeps its distance; otherwise on a way that does."""
    centre = camera.centre.double().cpu().numpy()
    if body.distance(centre).min() >= NEAREST_M:
        return camera
    tags = tag_path(camera, clip.fps)
    best: tuple[bool, float, CameraPath] | None = None
    for way in _clear_ways(camera, body, clip.fps):
        moved = replace(camera, centre=torch.from_numpy(way).to(camera.centre))
        is_changed = not np.array_equal(tags, tag_path(moved, clip.fps))
        cost = float(np.linalg.norm(way - centre, axis=-1).mean())
        if best is None or (is_changed, cost) < best[:2]:
            best = is_changed, cost, moved
    assert best is not None, "above everybody there is always room"
    return best[2]


def _clear_ways(camera: CameraPath, body: Body, fps: float) -> Iterator[Places]:
    """Ways that keep their distance. A tripod only stands elsewhere."""
    centre = camera.centre.double().cpu().numpy()
    turns = camera.world_from_camera.double().cpu().numpy()
    if not rests(camera, fps):
        yield from _cut_ways(centre, body)
        if (aside := _passing(centre, turns, body, fps)) is not None:
            yield aside
    if (whole := _moved_aside(centre, turns, body, np.ones(len(centre)))) is not None:
        yield whole


def _cut_ways(centre: Places, body: Body) -> Iterator[Places]:
    """The longest way that stops short of the body, and the longest that starts outside it."""
    steps = np.linalg.norm(np.diff(centre, axis=0), axis=-1)
    along = np.concatenate([[0.0], np.cumsum(steps)])
    length = along[-1]
    soft = min(_SOFT_STOP_M, length / 4)
    for is_end in (True, False):
        for share in np.linspace(1, _LEAST_TRAVEL, _CUTS):
            gone = along if is_end else length - along
            kept = _capped(gone, share * length, soft)
            kept = kept if is_end else length - kept
            way = np.stack([np.interp(kept, along, axis) for axis in centre.T], axis=-1)
            if body.distance(way).min() >= AIMED_M:
                yield way
                break


def _capped(along: Float[np.ndarray, " frames"], stop: float, soft: float) -> np.ndarray:
    """The smaller of a length and `stop`, with a parabola instead of the corner."""
    into = np.clip(along - (stop - soft), 0, 2 * soft)
    return np.minimum(along, stop + soft) - into**2 / (4 * soft)


def _passing(
    centre: Places, turns: Float[np.ndarray, "frames 3 3"], body: Body, fps: float
) -> Places | None:
    """The way, led aside wherever it passes too near."""
    way = centre
    for _ in range(8):
        near = body.distance(way) < NEAREST_M
        if not near.any():
            return way
        moved = _moved_aside(way, turns, body, _eased_around(near, fps))
        if moved is None:
            return None
        way = moved
    return None


def _eased_around(near: Bool[np.ndarray, " frames"], fps: float) -> Float[np.ndarray, " frames"]:
    """1 from the first near frame to the last of one passage, and smooth ways from and to 0."""
    ease = round(_EASE_SECONDS * fps)
    frames = np.flatnonzero(near)
    gaps = np.flatnonzero(np.diff(frames) > 2 * ease)
    first, last = frames[0], frames[gaps[0]] if len(gaps) else frames[-1]
    at = np.arange(len(near))
    outside = np.maximum(np.maximum(first - at, at - last), 0)
    x = 1 - np.clip(outside / ease, 0, 1)
    return x**3 * (10 - 15 * x + 6 * x**2)


def _moved_aside(
    centre: Places,
    turns: Float[np.ndarray, "frames 3 3"],
    body: Body,
    share: Float[np.ndarray, " frames"],
) -> Places | None:
    """The way moved by the smallest offset, of which each frame has its share, that clears the
    body."""
    touched = np.flatnonzero(share > 0)
    way, part, share = centre[touched], body.part(touched), share[touched]
    apart = part.distance(way)
    # A frame that is only just far enough may stay so: its share can be too small for more.
    kept = np.clip(apart - 1e-7, NEAREST_M, AIMED_M)
    needed = np.where(apart < NEAREST_M, AIMED_M, kept)
    worst = int(np.where(share > 0.999, apart, np.inf).argmin())
    best: tuple[float, Places] | None = None
    directions = _directions(way[worst] - part.nearest(way)[worst], turns[touched[worst]])
    for number, direction in enumerate(directions):
        dearer = 1 + 0.1 * number  # outward is the natural way
        limit = np.inf if best is None else best[0] / dearer
        offset = share[:, None] * direction
        if (metres := _smallest_shift(way, offset, part, needed, limit)) is not None:
            best = metres * dearer, way + metres * offset
    if best is None:
        return None
    whole = centre.copy()
    whole[touched] = best[1]
    return whole


def _directions(
    outward: Float[np.ndarray, "3"], turn: Float[np.ndarray, "3 3"]
) -> Float[np.ndarray, "directions 3"]:
    """Level ones, from outward to inward, and upward."""
    if np.hypot(outward[0], outward[1]) < 0.05:
        outward = -turn[:, 2]  # inside the body, or right above it: backwards
    aside = np.arctan2(outward[1], outward[0]) + np.array(_ASIDE_RAD)
    level = np.stack([np.cos(aside), np.sin(aside), 0 * aside], axis=-1)
    return np.concatenate([level, [[0.0, 0.0, 1.0]]])


def _smallest_shift(
    way: Places, offset: Places, body: Body, needed: Float[np.ndarray, " frames"], limit: float
) -> float | None:
    """By how many times an offset a way must move to be clear, to about a centimetre."""

    def is_clear(metres: float) -> bool:
        return bool((body.distance(way + metres * offset) >= needed).all())

    below = 0.0
    for metres in _SHIFTS_M:
        if metres >= limit:
            return None
        if is_clear(metres):
            for _ in range(3):
                middle = (below + metres) / 2
                below, metres = (below, middle) if is_clear(middle) else (middle, metres)
            return metres
        below = metres
    return None
