"""Clips from BVH files of any known skeleton, and BVH files from clips."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

import torch
from jaxtyping import Float
from torch import Tensor

from aesop.errors import FileError
from aesop.files.anchor import (
    Anchor,
    SourceMotion,
    has_level_arms,
    limb_directions,
    nearest_to_rest,
    stands,
    trunk_direction,
)
from aesop.files.bvh import BvhJoint, BvhMotion, joint_offsets, joint_turns, read_bvh
from aesop.files.native import Recording, native_clip
from aesop.files.retarget import retarget, source_leg_length
from aesop.files.skeleton_names import BodyMap, Mismatch, match_names
from aesop.scene.human import Clip
from aesop.scene.skeleton import JOINT, JOINTS, world_from_rest

Units = Literal["m", "cm", "mm", "inch", "cmu"]
UpAxis = Literal["y", "z"]
Calibration = Literal["rest", "first_frame"]

# CMU's conversion measures in 1/0.45 inch.
METRES: dict[Units, float] = {
    "m": 1.0, "cm": 0.01, "mm": 0.001, "inch": 0.0254, "cmu": 0.0254 / 0.45,
}  # fmt: skip
# Thigh and shin of a small child and of a giant. Wider, and centimetres would pass for inches.
SHORTEST_LEG_M, LONGEST_LEG_M = 0.48, 1.2
# Mean height of the direction up the body above which that axis is up.
CLEARLY_UP = 0.5
TINY = 1e-6


@dataclass(frozen=True, eq=False)
class _Calibrated:
    """A motion ready to retarget, and what was decided on the way."""

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
    made for that, which is then dropped.
    """
    bvh = read_bvh(path, fps=fps)
    bvh, body = _needed(bvh, _matched(bvh, path))
    motion, rest = _posed(bvh), _rest(bvh)
    _check_bones(motion, bvh, body, path)
    axis, axis_note = (up, "given") if up else _up_axis(motion, rest, body, path)
    ready = _calibrated(motion, rest, body, calibration)
    leg = source_leg_length(ready.anchor.pose, body)
    unit_note = _unit_note(leg, units, path)
    turn = world_from_rest(motion.places)
    world_from_source = turn if axis == "y" else torch.eye(3).to(turn)
    moved = retarget(ready.motion, ready.anchor, body, world_from_source, bvh.fps)
    notes = (
        f"joint names: {body.naming}",
        unit_note,
        f"{axis} axis up ({axis_note})",
        ready.note,
        f"path scaled by {moved.scale:.6g} (leg lengths)",
    )
    recording = Recording(moved.rotations, moved.root, bvh.fps, "BVH", "retargeted", notes)
    return native_clip(recording, path)


def _matched(bvh: BvhMotion, path: Path) -> BodyMap:
    names = ["" if joint.is_end else joint.name for joint in bvh.joints]
    found = match_names(names, [joint.parent for joint in bvh.joints])
    if isinstance(found, Mismatch):
        raise FileError(
            f"{path} has no joint that AESOP recognises as {', '.join(found.unmatched)} "
            f"(closest naming: {found.naming or 'none'}); its joints are {', '.join(bvh.names)}.",
            "Rename the joints to Mixamo's, Bandai-Namco's or SMPL's names.",
        )
    return found


def _needed(bvh: BvhMotion, body: BodyMap) -> tuple[BvhMotion, BodyMap]:
    raise NotImplementedError
