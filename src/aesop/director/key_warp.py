"""The last stretch to cameras that a path has to meet: a smooth warp that leaves the shot's way of
moving alone as far as it can.

Places are warped around the person (aside, nearer, higher), so that a shot that is begun elsewhere
is the same shot seen from elsewhere; the aim goes with the person; what is left between it and the
keys is a smooth turn, and so is the lens. The warped take is then sampled again from the same
noise, with tokens held around every key.
"""

from dataclasses import dataclass, replace

import numpy as np
import torch
from jaxtyping import Float
from torch import Tensor

from aesop.director.decoding import AIMED_AT, turned_to
from aesop.director.hand import Angles, angles_of, turns_of
from aesop.director.sampling import tokens_of
from aesop.models.codec import STRIDE
from aesop.scene.camera import CameraPath
from aesop.scene.camera_keys import Anchors, CameraKeys
from aesop.scene.curves import smoothed
from aesop.scene.human import Clip
from aesop.scene.rotation import axis_angle_from_matrix, matrix_from_axis_angle, wrap_angle
from aesop.scene.shot import ground

# Over how long a warp bends, in seconds of the path's own progress.
BEND_SECONDS = 1.0
FADE_SECONDS = 0.6  # of what is undone near a key only; two thirds are gone after twice that
# A path's progress is its way and its turns; standing still for a second counts as this much.
_TURN_M_PER_RAD = 2.0
_STANDING_MPS = 0.2
_PROGRESS_SIGMA = 6.0  # frames: jitter is no progress
# Nearer to the person's axis than this (ground), no direction is worth turning about.
_AXIS_M = 0.7
_WALKS_M = 0.5  # a person who strays less from one place goes nowhere

Rows = Float[Tensor, "keys columns"]
Curves = Float[Tensor, "frames columns"]


@dataclass(frozen=True, eq=False)
class SmoothOffsets:
    """Curves through given values at anchors: the straightest that bend no faster than in about a
    second and settle on a constant beyond the first and the last anchor.

    They minimise ∫ |d′|² + τ²·|d″|² over the path's progress, whose kernel is
    −|x| / 2 − τ / 2 · e^(−|x| / τ), with constants free.
    """

    kernel: Float[Tensor, "frames columns"]
    system: Float[Tensor, "columns columns"]

    @classmethod
    def along(
        cls, progress: Float[Tensor, " frames"], positions: Float[Tensor, " keys"]
    ) -> "SmoothOffsets":
        """For values at positions, which are counted in frames."""
        apart = (progress[:, None] - _between(progress[:, None], positions)[:, 0]).abs()
        kernel = -(apart + BEND_SECONDS * torch.exp(-apart / BEND_SECONDS)) / 2
        kernel = torch.cat([kernel, torch.ones_like(kernel[:, :1])], dim=1)
        # What is met is the path between its frames, so the kernel is interpolated as the path is.
        free = torch.ones(1, kernel.shape[1], dtype=torch.float64)
        free[0, -1] = 0
        return cls(kernel, torch.cat([_between(kernel, positions), free]))

    @classmethod
    def fading(cls, frames: int, positions: Float[Tensor, " keys"], fps: float) -> "SmoothOffsets":
        """The same for values that matter near the anchors only: they fade to nothing within a few
        seconds. Their kernel is (1 + |t| / τ) · e^(−|t| / τ)."""
        time = torch.arange(frames, dtype=torch.float64)[:, None]
        apart = (time - positions).abs() / (FADE_SECONDS * fps)
        kernel = (1 + apart) * torch.exp(-apart)
        return cls(kernel, _between(kernel, positions))

    def through(self, values: Rows) -> Curves:
        """The curves that have these values at the anchors."""
        more = values.new_zeros(len(self.system) - len(values), values.shape[1])
        return self.kernel @ torch.linalg.solve(self.system, torch.cat([values, more]))


def _between(curves: Curves, positions: Float[Tensor, " keys"]) -> Rows:
    """Curves at positions between frames, straight from one to the next."""
    before = positions.floor().long().clamp(0, max(len(curves) - 2, 0))
    after = (before + 1).clamp_max(len(curves) - 1)
    share = (positions - before)[:, None]
    return torch.lerp(curves[before], curves[after], share.to(curves))


def warped_to(
    camera: CameraPath, clip: Clip, keys: CameraKeys, *, fades: bool = False
) -> CameraPath:
    """The path, warped so that it meets the keys; kept parts are their own numbers. In the
    precision of the path. A warp that fades leaves place and aim alone away from keys, for a path
    that met them and was corrected since; a lens is one for all of a path where it can be."""
    anchors = keys.anchors(camera.frames, clip.fps)
    path, joints = camera.to(torch.float64), clip.motion.joints.double()
    progress = _progress(path, clip.fps)
    offsets = SmoothOffsets.along(progress, anchors.positions)
    if fades:
        offsets = SmoothOffsets.fading(path.frames, anchors.positions, clip.fps)
    centre = _placed(path.centre, joints[:, 0], anchors, offsets)
    seen = turned_to(path.world_from_camera, joints[:, AIMED_AT], path.centre, centre)
    turns = _turned(replace(path, world_from_camera=seen), anchors, offsets)
    warped = replace(path, centre=centre, world_from_camera=turns)
    lensed = replace(warped, fov_vertical=_lensed(path.fov_vertical, anchors, progress))
    return with_kept(lensed.to(camera.centre), keys)


def with_kept(camera: CameraPath, keys: CameraKeys) -> CameraPath:
    """The path with its kept parts exactly as they were."""
    if not keys.kept:
        return camera
    centre, turns, lens = (
        it.clone() for it in (camera.centre, camera.world_from_camera, camera.fov_vertical)
    )
    for part in keys.kept:
        span = slice(part.frames.start, part.frames.stop)
        centre[span] = part.camera.centre.to(centre)
        turns[span] = part.camera.world_from_camera.to(turns)
        lens[span] = part.camera.fov_vertical.to(lens)
    return replace(camera, centre=centre, world_from_camera=turns, fov_vertical=lens)


def _progress(path: CameraPath, fps: float) -> Float[Tensor, " frames"]:
    """How far the shot is at every frame, in seconds of its mean pace. A warp that follows it is
    done while the camera moves, and rests where the camera rests."""
    steps = torch.linalg.vector_norm(path.centre.diff(dim=0), dim=-1)
    turns = torch.linalg.vector_norm(
        axis_angle_from_matrix(path.world_from_camera[:-1].mT @ path.world_from_camera[1:]), dim=-1
    )
    pace = (steps + _TURN_M_PER_RAD * turns) * fps + _STANDING_MPS
    if len(pace) > 1:
        pace = torch.from_numpy(smoothed(pace.numpy()[:, None], _PROGRESS_SIGMA)[:, 0])
        pace = pace.clamp_min(_STANDING_MPS / 2)
    way = torch.cat([pace.new_zeros(1), pace.cumsum(0)])
    seconds = (path.frames - 1) / fps
    return way * (seconds / way[-1]) if path.frames > 1 else way


def _placed(
    centre: Float[Tensor, "frames 3"],
    root: Float[Tensor, "frames 3"],
    anchors: Anchors,
    offsets: SmoothOffsets,
) -> Float[Tensor, "frames 3"]:
    """Centres through the anchors: first around the person, then straight for what is left."""
    pivot = _pivot(centre, root, anchors.positions)
    placed = _around(centre, pivot, anchors, offsets)
    left = anchors.centre - _between(placed, anchors.positions)
    return placed + offsets.through(left)


def _pivot(
    centre: Float[Tensor, "frames 3"],
    root: Float[Tensor, "frames 3"],
    positions: Float[Tensor, " keys"],
) -> Float[Tensor, "frames 2"]:
    """What a path is warped around: the person, who takes the pivot along as far as they take the
    camera along. A tripod stays one."""
    person = ground(root)
    middle = _between(person, positions).mean(dim=0)
    strays, goes = person - person.mean(dim=0), ground(centre) - ground(centre).mean(dim=0)
    if bool(torch.linalg.vector_norm(strays, dim=-1).max() < _WALKS_M):
        return middle.expand_as(person)
    share = ((strays * goes).sum() / strays.square().sum()).clamp(0, 1)
    return middle + share * (person - middle)


def _around(
    centre: Float[Tensor, "frames 3"],
    pivot: Float[Tensor, "frames 2"],
    anchors: Anchors,
    offsets: SmoothOffsets,
) -> Float[Tensor, "frames 3"]:
    """Centres turned about the pivot, nearer to it or farther, higher or lower. As they are where
    a direction from the pivot means nothing."""
    there = _between(pivot, anchors.positions)
    seen = ground(centre) - pivot
    now = ground(_between(centre, anchors.positions)) - there
    wanted = ground(anchors.centre) - there
    near = min(float(torch.linalg.vector_norm(it, dim=-1).min()) for it in (seen, now, wanted))
    if near < _AXIS_M:
        return centre
    turn = _continued(wrap_angle(_azimuth(wanted) - _azimuth(now)))
    farther = torch.log(_length(wanted) / _length(now))
    height = anchors.centre[:, 2] - _between(centre, anchors.positions)[:, 2]
    curves = offsets.through(torch.stack([turn, farther, height], dim=-1))
    azimuth, radius = _azimuth(seen) + curves[:, 0], _length(seen) * curves[:, 1].exp()
    level = pivot + radius[:, None] * torch.stack([azimuth.cos(), azimuth.sin()], dim=-1)
    return torch.cat([level, (centre[:, 2] + curves[:, 2])[:, None]], dim=-1)


def _azimuth(line: Float[Tensor, "rows 2"]) -> Float[Tensor, " rows"]:
    return torch.atan2(line[:, 1], line[:, 0])


def _length(line: Float[Tensor, "rows 2"]) -> Float[Tensor, " rows"]:
    return torch.linalg.vector_norm(line, dim=-1)


def _continued(angles: Float[Tensor, " keys"]) -> Float[Tensor, " keys"]:
    """The same angles, each on the turn of the circle that is nearest to the one before."""
    return torch.from_numpy(np.unwrap(angles.numpy()))


def _turned(
    path: CameraPath, anchors: Anchors, offsets: SmoothOffsets
) -> Float[Tensor, "frames 3 3"]:
    """Turns through the anchors: by pan, tilt and roll, which keep the horizon, then about any axis
    for what is left."""
    angles = _angles(path.world_from_camera)
    there = path.at(anchors.positions).world_from_camera
    apart = wrap_angle(_angles(anchors.world_from_camera) - _angles(there))
    apart = torch.stack([_continued(column) for column in apart.T], dim=-1)
    curves = angles + offsets.through(apart)
    turns = torch.from_numpy(turns_of(Angles(*curves.numpy().T)))
    moved = replace(path, world_from_camera=turns)
    for _ in range(2):  # between frames turns do not add up
        there = moved.at(anchors.positions).world_from_camera
        left = axis_angle_from_matrix(anchors.world_from_camera @ there.mT)
        turns = matrix_from_axis_angle(offsets.through(left)) @ moved.world_from_camera
        moved = replace(moved, world_from_camera=turns)
    return moved.world_from_camera


def _angles(turns: Float[Tensor, "rows 3 3"]) -> Float[Tensor, "rows 3"]:
    angles = angles_of(turns.numpy())
    return torch.from_numpy(np.stack([angles.pan, angles.tilt, angles.roll], axis=-1))


def _lensed(
    fov: Float[Tensor, " frames"], anchors: Anchors, progress: Float[Tensor, " frames"]
) -> Float[Tensor, " frames"]:
    """The lens through those anchors that have one, by its focal length."""
    has = anchors.has_lens
    if not bool(has.any()):
        return fov
    offsets = SmoothOffsets.along(progress, anchors.positions[has])
    wanted = _log_tangent(anchors.fov_vertical[has])
    lens = _log_tangent(fov)
    for _ in range(2):  # it is the angle that goes straight between frames, not its tangent
        angle = 2 * torch.atan(lens.exp())
        there = _log_tangent(_between(angle[:, None], anchors.positions[has])[:, 0])
        lens = lens + offsets.through((wanted - there)[:, None])[:, 0]
    return 2 * torch.atan(lens.exp())


def _log_tangent(fov: Float[Tensor, " rows"]) -> Float[Tensor, " rows"]:
    return torch.log(torch.tan(fov / 2))


# Tokens on either side of a key that are held, less and less (docs/log.md has others' numbers).
HELD_TOKENS = 6


def hold_shares(keys: CameraKeys, frames: int, fps: float) -> Float[Tensor, "tokens 1"]:
    """How firmly every token is held: 1 at keys and inside of kept parts, falling to 0 around."""
    token = torch.arange(tokens_of(frames), dtype=torch.float64)
    share = torch.zeros_like(token)
    for position in keys.anchors(frames, fps).positions.tolist():
        away = (token - position // STRIDE).abs()
        share = torch.maximum(share, (1 - away / (HELD_TOKENS + 1)).clamp_min(0))
    for part in keys.kept:
        whole = (token * STRIDE >= part.frames.start) & ((token + 1) * STRIDE <= part.frames.stop)
        share[whole] = 1
    return share.float()[:, None]
