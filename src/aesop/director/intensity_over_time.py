"""One camera from the cameras of a shot at several intensities: at every moment it goes on as the
one does whose intensity is asked for then.

The cameras share noise, take and first centre, so they are one shot with more and less travel.
Their steps are taken from the two whose intensities lie around the one of the moment, weighed and
added up: while the curve stays at one value, the way has the shape that it has at that value,
elsewhere in the room. The camera is turned so that the person stays where those two have them in
the picture.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import pairwise

import torch
from jaxtyping import Float
from torch import Tensor

from aesop.director.decoding import AIMED_AT, turned_to
from aesop.scene.camera import CameraPath
from aesop.scene.intensity_curve import IntensityCurve
from aesop.scene.rotation import slerp

# Shots at intensities further apart than this differ too much to be weighed against each other.
LARGEST_GAP = 0.3
_MOVED_M = 0.01  # a smaller move is not worth a note


def begun_where(usual: CameraPath, camera: CameraPath) -> tuple[CameraPath, list[str]]:
    """A camera at another intensity, moved as a whole to where it begins at intensity one: more
    or less travel is about the first centre, as in the pairs that teach it."""
    shift = usual.centre[0] - camera.centre[0]
    metres = float(torch.linalg.vector_norm(shift))
    if metres == 0:
        return camera, []
    notes = [f"begun where it begins at intensity 1: moved by {metres:.2g} m"]
    return replace(camera, centre=camera.centre + shift), notes if metres > _MOVED_M else []


def levels_of(curve: IntensityCurve, frames: int, fps: float) -> tuple[float, ...]:
    """The intensities that a shot is filmed at, ascending: those at the points of its curve that it
    meets, the usual one if it lies between them, and others where two would lie far apart."""
    met = curve.at_frames(frames, fps)
    low, high = float(met.min()), float(met.max())
    values = sorted(set(curve.values))
    # The last value is not reached where the shot ends on the way to it.
    lowest = max(value for value in values if value <= low)
    highest = min(value for value in values if value >= high)
    fixed = {value for value in (*values, 1.0) if lowest <= value <= highest}
    levels = sorted(fixed)
    for below, above in pairwise(sorted(fixed)):
        parts = max(1, -int((below - above) // LARGEST_GAP))
        levels += [below + (above - below) * part / parts for part in range(1, parts)]
    return tuple(sorted(levels))


def camera_over_time(
    cameras: Mapping[float, CameraPath],
    curve: IntensityCurve,
    joints: Float[Tensor, "frames 22 3"],
    fps: float,
) -> CameraPath:
    """The camera of a curve from those at its levels (`levels_of`), which begin at one place; of a
    person with these joints, in the same world."""
    levels = sorted(cameras)
    paths = [cameras[level] for level in levels]
    if len(paths) == 1:
        return paths[0]
    first = cameras.get(1.0, paths[0])
    instants = torch.arange(first.frames, dtype=torch.float64) / fps
    wanted = curve.at(instants).to(first.centre)
    between = curve.at((instants[1:] + instants[:-1]) / 2).to(first.centre)
    steps = _weighed([path.centre.diff(dim=0) for path in paths], levels, between[:, None])
    centre = torch.cat([first.centre[:1], first.centre[:1] + steps.cumsum(0)])
    point = joints[:, AIMED_AT].to(centre)
    turns = [turned_to(path.world_from_camera, point, path.centre, centre) for path in paths]
    return replace(
        first,
        world_from_camera=_turned(turns, levels, wanted),
        centre=centre,
        fov_vertical=_weighed([path.fov_vertical for path in paths], levels, wanted),
    )


def _shares(
    levels: Sequence[float], wanted: Float[Tensor, "*shape"]
) -> list[Float[Tensor, "*shape"]]:
    """How far each moment is from every level to the next: 0 below, 1 above."""
    return [((wanted - below) / (above - below)).clamp(0, 1) for below, above in pairwise(levels)]


def _weighed(
    values: Sequence[Float[Tensor, "*shape"]],
    levels: Sequence[float],
    wanted: Float[Tensor, "*lead"],
) -> Float[Tensor, "*shape"]:
    """Straight between the two levels around each moment; on a level its own value exactly."""
    mixed = values[0]
    for after, share in zip(values[1:], _shares(levels, wanted), strict=True):
        mixed = torch.lerp(mixed, after, share.expand_as(mixed))
    return mixed


def _turned(
    turns: Sequence[Float[Tensor, "frames 3 3"]],
    levels: Sequence[float],
    wanted: Float[Tensor, " frames"],
) -> Float[Tensor, "frames 3 3"]:
    mixed = turns[0]
    for after, share in zip(turns[1:], _shares(levels, wanted), strict=True):
        share = share[:, None, None]
        between = slerp(mixed, after, share[:, 0, 0])
        mixed = torch.where(share <= 0, mixed, torch.where(share >= 1, after, between))
    return mixed
