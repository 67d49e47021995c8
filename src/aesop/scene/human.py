"""Human motion and clips: what a person does, frame by frame, in a z-up world in metres."""

from dataclasses import dataclass, replace
from typing import Literal

import torch
from jaxtyping import Float, Int
from torch import Tensor

from aesop.core.errors import ClipError
from aesop.scene.rotation import about_z, yaw_of
from aesop.scene.skeleton import JOINT, MIRROR, forward_kinematics
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

    @property
    def frames(self) -> int:
        return self.motion.frames

    @property
    def seconds(self) -> float:
        return self.frames / self.fps


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
