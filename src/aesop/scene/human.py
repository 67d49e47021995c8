"""Human motion and clips: what a person does, frame by frame, in a z-up world in metres."""

from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
import torch
from jaxtyping import Float, Int
from numpy.typing import ArrayLike
from torch import Tensor

from aesop.core.errors import ClipError
from aesop.scene.curves import resample_points, resample_rotations
from aesop.scene.joint_fit import (
    BODY_COMES_FIRST,
    check_bones,
    fit_rotations,
    leg_ratio,
    standing_axis,
    z_up,
)
from aesop.scene.rotation import about_z, yaw_of
from aesop.scene.skeleton import JOINT, MIRROR, PARENTS, forward_kinematics
from aesop.scene.source import Source

NATIVE_FPS = 25.0
MAX_FRAMES = 300  # one pass of the networks: 12 s, 75 latent tokens

RotationSource = Literal["recorded", "retargeted", "fitted"]


@dataclass(frozen=True, eq=False)
class HumanMotion:
    """Joint turns and joint places per frame.

    `rotations[:, 0]` is world_from_pelvis, the others are parent_from_joint. Places are kept beside
    turns because datasets carry both, and nothing downstream should need a body model.
    """

    rotations: Float[Tensor, "frames 22 3 3"]
    joints: Float[Tensor, "frames 22 3"]

    def __repr__(self) -> str:  # not every number of every frame
        return f"<HumanMotion: {self.frames} frames of {self.joints.shape[-2]} joints>"

    @property
    def frames(self) -> int:
        return self.joints.shape[0]

    @property
    def root(self) -> Float[Tensor, "frames 3"]:
        """Path of the pelvis."""
        return self.joints[:, 0]

    @property
    def yaw(self) -> Float[Tensor, " frames"]:
        """Heading angle ψ; the person faces (sin ψ, −cos ψ, 0)."""
        return yaw_of(self.rotations[:, 0])

    def to(self, like: torch.dtype | torch.device | Tensor) -> "HumanMotion":
        """The same motion in another precision or on another device."""
        return HumanMotion(self.rotations.to(like), self.joints.to(like))

    def part(self, frames: slice | Int[Tensor, " frames"]) -> "HumanMotion":
        """Some frames of the motion."""
        return HumanMotion(self.rotations[frames], self.joints[frames])


def pose_motion(
    rotations: Float[Tensor, "frames 22 3 3"], root: Float[Tensor, "frames 3"]
) -> HumanMotion:
    """Our skeleton in the given pose: places by forward kinematics."""
    return HumanMotion(rotations, forward_kinematics(rotations, root))


@dataclass(frozen=True)
class Provenance:
    """Where something came from and what was done to it on the way, in words a person can read."""

    source: str
    rotations: RotationSource = "recorded"
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, eq=False)
class Clip:
    """A human motion with its rate, name and origin; no camera. Without a `source` it was made by
    AESOP, or moved from where its file has it."""

    motion: HumanMotion
    fps: float
    name: str
    provenance: Provenance
    source: Source | None = None

    def __repr__(self) -> str:
        length = f"{self.frames} frames at {self.fps:g} fps"
        return f"<Clip {self.name!r}: {length}, {self.provenance.source}>"

    @classmethod
    def from_joints(
        cls,
        joints: ArrayLike | Tensor,
        fps: float | int,
        *,
        up: Literal["y", "z"] | None = None,
        name: str = "joints",
    ) -> "Clip":
        """A clip from places of joints in metres: (frames, 22, 3) in SMPL's order, or more joints
        of that family, whose first 22 are the body.

        The axis that points up is found out if it is not given. Joint turns are fitted, the path is
        scaled to our skeleton's legs, and the lowest joint is set on the ground, at 25 fps.
        """
        places = _checked_joints(torch.as_tensor(np.asarray(joints), dtype=torch.float64), fps)
        axis = up or standing_axis(places)
        if axis is None:
            raise ClipError(
                "The joints do not show which axis points up.", 'Say it: up="y" or up="z".'
            )
        places = z_up(places) if axis == "y" else places
        check_bones(places, "the array")
        scale = leg_ratio(places, "The array")
        turns = resample_rotations(fit_rotations(places), float(fps), NATIVE_FPS)
        root = resample_points(scale * places[:, 0], float(fps), NATIVE_FPS)
        motion = grounded(pose_motion(turns, root)).to(torch.float32)
        notes = (f"up axis: {axis}", f"path scaled by {scale:.3f}, the ratio of leg lengths")
        return cls(motion, NATIVE_FPS, name, Provenance("an array of joints", "fitted", notes))

    @property
    def frames(self) -> int:
        return self.motion.frames

    @property
    def file_metres(self) -> float:
        """Metres of the clip's file in a metre of the clip, 1 without a file. The person may have
        been resized; what people ask for and are told in metres has the size of their scene."""
        return 1.0 if self.source is None else 1 / self.source.resized

    @property
    def seconds(self) -> float:
        return self.frames / self.fps


def _checked_joints(joints: Float[Tensor, "..."], fps: float | int) -> Float[Tensor, "frames 22 3"]:
    """The body's joints, if the array holds any."""
    shape = tuple(joints.shape)
    if len(shape) != 3 or shape[1] not in BODY_COMES_FIRST or shape[2] != 3 or shape[0] < 2:
        raise ClipError(
            f"The array has the shape {shape}; (frames, 22, 3) is needed, two frames or more.",
            "Give joints in SMPL's order; 24, 52 or 55 joints do as well.",
        )
    if not bool(torch.isfinite(joints).all()):
        raise ClipError("The array has numbers that are not finite.", "Repair or cut those frames.")
    if not 1 <= fps <= 1000:
        raise ClipError(f"{fps:g} is no frame rate.", "Give frames per second, such as fps=30.")
    return joints[:, : len(PARENTS)]


def cut(clip: Clip, start: int, stop: int) -> Clip:
    """Frames start … stop−1 of a clip."""
    if not 0 <= start < stop <= clip.frames:
        raise ClipError(
            f"{clip.name} has {clip.frames} frames; {start} to {stop} cannot be cut from it.",
            "Choose a start and an end inside the clip.",
        )
    source = clip.source and clip.source.later(start, clip.fps)
    return replace(clip, motion=clip.motion.part(slice(start, stop)), source=source)


def grounded(motion: HumanMotion) -> HumanMotion:
    """The same motion with the lowest joint of all frames at z = 0."""
    lowest = motion.joints[..., 2].min()
    return shifted(motion, -lowest * motion.joints.new_tensor([0.0, 0.0, 1.0]))


def shifted(motion: HumanMotion, offset: Float[Tensor, "3"]) -> HumanMotion:
    """The same motion moved as a whole."""
    return replace(motion, joints=motion.joints + offset)


def turned(motion: HumanMotion, yaw: Float[Tensor, ""]) -> HumanMotion:
    """The same motion turned about the world's vertical axis."""
    turn = about_z(yaw)
    rotations = motion.rotations.clone()
    rotations[:, 0] = turn @ motion.rotations[:, 0]
    return HumanMotion(rotations, motion.joints @ turn.T)


def mirrored(motion: HumanMotion) -> HumanMotion:
    """Left and right exchanged: the motion seen in a mirror across the world's x = 0 plane."""
    flip = motion.joints.new_tensor([-1.0, 1.0, 1.0])
    order = list(MIRROR)
    # The left-right axis is x in the world and in the rest body: one flip serves both.
    return HumanMotion(
        motion.rotations[:, order] * flip[:, None] * flip, motion.joints[:, order] * flip
    )


def yaw_from_joints(joints: Float[Tensor, "*batch 22 3"]) -> Float[Tensor, "*batch"]:
    """Heading from hips and shoulders, where no rotation is known."""
    across = (
        joints[..., JOINT["right_hip"], :]
        - joints[..., JOINT["left_hip"], :]
        + joints[..., JOINT["right_shoulder"], :]
        - joints[..., JOINT["left_shoulder"], :]
    )
    forward_x, forward_y = -across[..., 1], across[..., 0]
    return torch.atan2(forward_x, -forward_y)
