"""A puppet on strings: our skeleton posed from a pelvis path, ankle places and limb directions.

Made-up motion needs no capture archive, so a bare clone can still run every stage. Legs are solved
analytically (two bones, knee forward), so planted feet stay planted.
"""

from dataclasses import dataclass

import torch
from jaxtyping import Float
from torch import Tensor
from torch.nn.functional import normalize

from aesop.scene.human import HumanMotion, grounded, pose_motion
from aesop.scene.rotation import about_axis, about_z, swing
from aesop.scene.skeleton import (
    JOINT,
    JOINTS,
    bone_length,
    local_rotations,
    rest_offsets,
    world_from_rest,
)

# A leg that reaches further than this share of its length would lock and pop at the knee.
FULL_REACH = 0.995


@dataclass(frozen=True, eq=False)
class Strings:
    """What moves the puppet, per frame. Directions and leans are in the body's own axes: x to its
    left, y to its back (a person at yaw 0 faces −Y), z up; places are in the world."""

    pelvis: Float[Tensor, "frames 3"]
    yaw: Float[Tensor, " frames"]
    ankles: Float[Tensor, "frames 2 3"]  # left, right
    foot_yaw: Float[Tensor, "frames 2"]
    foot_pitch: Float[Tensor, "frames 2"]  # toes down is positive
    upper_arms: Float[Tensor, "frames 2 3"]  # directions, left, right
    forearms: Float[Tensor, "frames 2 3"]
    lean: Float[Tensor, " frames"]  # forward bend of the trunk
    nod: Float[Tensor, " frames"]  # forward bend of the head against the trunk


def pull(strings: Strings) -> HumanMotion:
    """The puppet's motion, standing on the ground."""
    frames = strings.yaw.shape[0]
    upright = about_z(strings.yaw) @ world_from_rest(strings.yaw)
    world = upright[:, None].expand(frames, JOINTS, 3, 3).clone()
    bend = about_axis(strings.lean, "x")
    body_from_trunk = world_from_rest(strings.yaw).T @ bend @ world_from_rest(strings.yaw)
    trunk = upright @ body_from_trunk
    for name in ("spine1", "spine2", "spine3", "neck", "left_collar", "right_collar"):
        world[:, JOINT[name]] = trunk
    # A bend spread over the lower back looks like a back, not like a hinge.
    world[:, JOINT["spine1"]] = upright @ _half(strings.lean)
    world[:, JOINT["head"]] = trunk @ about_axis(strings.nod, "x")
    for side, name in enumerate(("left", "right")):
        _place_arm(world, strings, side, name, trunk)
        _place_leg(world, strings, side, name, upright)
    return grounded(pose_motion(local_rotations(world), strings.pelvis))


def _half(lean: Float[Tensor, " frames"]) -> Float[Tensor, "frames 3 3"]:
    up = world_from_rest(lean)
    return up.T @ about_axis(lean / 2, "x") @ up


def _aim(
    base: Float[Tensor, "frames 3 3"], joint_after: str, direction: Float[Tensor, "frames 3"]
) -> Float[Tensor, "frames 3 3"]:
    """Swing `base` as little as it takes to point the bone to `joint_after` along direction."""
    bone = (base @ rest_offsets(base)[JOINT[joint_after], :, None]).squeeze(-1)
    return swing(bone, direction) @ base


def _place_arm(
    world: Float[Tensor, "frames 22 3 3"],
    strings: Strings,
    side: int,
    name: str,
    trunk: Float[Tensor, "frames 3 3"],
) -> None:
    to_world = about_z(strings.yaw)
    for joint, after, body_direction in (
        ("shoulder", "elbow", strings.upper_arms[:, side]),
        ("elbow", "wrist", strings.forearms[:, side]),
    ):
        direction = (to_world @ body_direction[..., None]).squeeze(-1)
        world[:, JOINT[f"{name}_{joint}"]] = _aim(trunk, f"{name}_{after}", direction)
    world[:, JOINT[f"{name}_wrist"]] = world[:, JOINT[f"{name}_elbow"]]


def _place_leg(
    world: Float[Tensor, "frames 22 3 3"],
    strings: Strings,
    side: int,
    name: str,
    upright: Float[Tensor, "frames 3 3"],
) -> None:
    thigh, shin = bone_length(JOINT[f"{name}_knee"]), bone_length(JOINT[f"{name}_ankle"])
    hip_offset = rest_offsets(upright)[JOINT[f"{name}_hip"], :, None]
    hip = strings.pelvis + (upright @ hip_offset).squeeze(-1)
    reach = strings.ankles[:, side] - hip
    distance = torch.linalg.vector_norm(reach, dim=-1, keepdim=True)
    span = distance.clamp(max=FULL_REACH * (thigh + shin))
    along = reach / distance
    forward = -about_z(strings.foot_yaw[:, side])[..., 1]  # where the toes point
    knee_side = normalize(forward - (forward * along).sum(-1, keepdim=True) * along, dim=-1)
    ahead = (thigh**2 - shin**2 + span**2) / (2 * span)  # law of cosines
    aside = (thigh**2 - ahead**2).clamp_min(0).sqrt()
    knee = ahead * along + aside * knee_side
    world[:, JOINT[f"{name}_hip"]] = _aim(upright, f"{name}_knee", knee)
    world[:, JOINT[f"{name}_knee"]] = _aim(upright, f"{name}_ankle", span * along - knee)
    flat = about_z(strings.foot_yaw[:, side]) @ world_from_rest(upright)
    foot = flat @ about_axis(strings.foot_pitch[:, side], "x")
    world[:, JOINT[f"{name}_ankle"]] = foot
    world[:, JOINT[f"{name}_foot"]] = foot
