"""Clips from BVH files of any known skeleton, and BVH files from clips."""

import math
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import torch
from jaxtyping import Float
from torch import Tensor

from aesop.errors import FileError
from aesop.files.anchor import Anchor
from aesop.files.bvh import read_bvh
from aesop.files.bvh_body import BvhBody, bvh_body, check_bones
from aesop.files.bvh_write import is_our_own, write_bvh
from aesop.files.inputs import UpAxis
from aesop.files.native import Recording, native_clip
from aesop.files.retarget import retarget, source_leg_length
from aesop.files.skeleton_names import BodyMap
from aesop.files.source_motion import (
    SourceMotion,
    is_t_pose,
    nearest_to_t_pose,
    stands,
    uprightness,
)
from aesop.scene.human import Clip
from aesop.scene.skeleton import world_from_rest

__all__ = ["Calibration", "Units", "read_bvh_clip", "write_bvh"]

Units = Literal["m", "cm", "mm", "inch", "cmu"]
Calibration = Literal["rest", "first_frame"]

METRES: dict[Units, float] = {
    "m": 1.0,
    "cm": 0.01,
    "mm": 0.001,
    "inch": 0.0254,
    "cmu": 0.0254 / 0.45,  # CMU's conversion measures in 1/0.45 inch
}
USUAL_LEG_M = 0.8  # thigh and shin of an adult
# A leg may be longer or shorter than the usual one by this factor. Its square stays below 2.54, so
# that centimetres and inches cannot be mistaken for each other.
LEG_RANGE = 1.55
# Uprightness of a body along an axis. Walking gives 0.9, sitting 0.65, crawling 0.6 forwards.
SURELY_UP, PROBABLY_UP = 0.8, 0.5


@dataclass(frozen=True, eq=False)
class _Calibrated:
    motion: SourceMotion
    anchor: Anchor
    note: str


def read_bvh_clip(
    path: Path,
    *,
    fps: float | None = None,
    units: Units | None = None,
    up: UpAxis | None = None,
    calibration: Calibration | None = None,
) -> Clip:
    """The motion of a BVH file on our skeleton at our rate, its lowest joint on the ground.

    What is not given is found out: the rate from the header, units and up axis from the skeleton.
    `calibration` names the pose to be taken as standing straight: the rest pose, or a first frame
    made for that purpose, which is then dropped (CMU's takes have one).
    """
    bvh = read_bvh(path, fps=fps)
    found = bvh_body(bvh, path)
    is_y_up = found.body.naming == "CMU" or is_our_own(bvh)
    axis = up or ("y" if is_y_up else _up_axis(found, path))
    ready = _calibrated(found, calibration, path)
    leg = source_leg_length(ready.anchor.pose, found.body)
    notes = (
        f"joint names: {found.body.naming}",
        _units_note(leg, units, path),
        f"up axis: {axis} ({'given' if up else 'known' if is_y_up else 'detected'})",
        f"calibrated on {ready.note}",
    )
    upright = _world_from_source(axis, ready.motion.places)
    moved = retarget(ready.motion, ready.anchor, found.body, upright, bvh.fps)
    notes += (f"path scaled by {moved.scale:.6g}, our leg length over the file's",)
    return native_clip(
        Recording(moved.rotations, moved.root, bvh.fps, "BVH", "retargeted", notes), path
    )


def _world_from_source(axis: UpAxis, like: Tensor) -> Float[Tensor, "3 3"]:
    # A y-up world has the axes of our rest body, so the same turn stands it up.
    return world_from_rest(like) if axis == "y" else torch.eye(3).to(like)


def _up_axis(found: BvhBody, path: Path) -> UpAxis:
    """The axis along which the rest pose stands, or else the person most of the time.

    Where the two disagree nothing in the file can decide: a swimmer and a walker exported with
    another axis up look the same.
    """
    rest = _axis(found.rest, found.body, PROBABLY_UP) if stands(found.rest, found.body) else None
    moving = _axis(found.motion, found.body, PROBABLY_UP if rest is None else SURELY_UP)
    if rest is None and moving is None:
        raise FileError(
            f"{path} does not show which axis points up: the body stands along neither +y nor +z.",
            "Give the axis with --up y or --up z.",
        )
    if rest and moving and rest != moving:
        raise FileError(
            f"{path} has a rest pose that stands along {rest} and a motion along {moving}.",
            f"Give the axis that points up: --up {moving}, or --up {rest} if the person lies down.",
        )
    return rest or moving or "y"


def _axis(motion: SourceMotion, body: BodyMap, least: float) -> UpAxis | None:
    _, y, z = uprightness(motion, body).tolist()
    if max(y, z) < least:
        return None
    return "y" if y > z else "z"


def _calibrated(found: BvhBody, calibration: Calibration | None, path: Path) -> _Calibrated:
    motion, body = found.motion, found.body
    first = motion.cut(0, 1)
    if calibration is None and body.naming == "CMU" and bool(is_t_pose(first, body)):
        calibration = "first_frame"
    if calibration == "first_frame":
        if motion.frames < 3:
            raise FileError(
                f"{path} has {motion.frames - 1} frame of motion after its calibration pose.",
                "Export more of the motion.",
            )
        note = "the first frame, which is dropped"
        return _Calibrated(motion.cut(1, motion.frames), Anchor(first, True), note)
    if calibration == "rest" or bool(stands(found.rest, body)):
        check_bones(found.rest, body, path)
        return _Calibrated(motion, Anchor(found.rest, True), "the rest pose")
    frame = nearest_to_t_pose(motion, body)
    note = f"frame {frame}, since the rest pose does not stand"
    return _Calibrated(motion, Anchor(motion.cut(frame, frame + 1), False), note)


def _units_note(leg: float, units: Units | None, path: Path) -> str:
    """Units only need to be known, not applied: the path is scaled by leg lengths."""
    if units is not None:
        if not _is_leg(leg * METRES[units], slack=2.0):
            raise FileError(
                f"{path} has legs of {leg * METRES[units]:.3g} m if its unit is {units}.",
                "Give the true unit, or none to have it detected.",
            )
        return f"units: {units} (given)"
    likely = min(METRES, key=lambda unit: abs(math.log(leg * METRES[unit] / USUAL_LEG_M)))
    if _is_leg(leg * METRES[likely]):
        return f"units: {likely} (detected)"
    return f"units: unknown, legs of {leg:.4g}"


def _is_leg(metres: float, slack: float = 1.0) -> bool:
    return abs(math.log(metres / USUAL_LEG_M)) < math.log(LEG_RANGE * slack)
