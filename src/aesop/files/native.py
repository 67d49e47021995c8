"""The last steps of every importer of rotations: our rate, our skeleton, our ground."""

from dataclasses import dataclass
from pathlib import Path

import torch
from jaxtyping import Float
from torch import Tensor

from aesop.files.inputs import check_finite, check_length, check_rate, check_reach
from aesop.files.resample import resample_points, resample_rotations, resampled_frames
from aesop.scene.human import (
    NATIVE_FPS,
    Clip,
    HumanMotion,
    Provenance,
    RotationSource,
    grounded,
    pose_motion,
)
from aesop.scene.skeleton import world_from_rest


@dataclass(frozen=True, eq=False)
class Recording:
    """What a file says about a person, in our axes, at its own rate and wherever it stood."""

    rotations: Float[Tensor, "frames 22 3 3"]
    root: Float[Tensor, "frames 3"]
    fps: float
    kind: str
    rotation_source: RotationSource
    notes: tuple[str, ...] = ()


def native_clip(recording: Recording, path: Path) -> Clip:
    """Our skeleton in the recorded poses, at 25 fps, its lowest joint on the ground."""
    check_rate(recording.fps, path)
    check_length(recording.rotations.shape[0], recording.fps, path)
    check_finite(recording.rotations, f"The rotations of {path}")
    check_finite(recording.root, f"The pelvis path of {path}")
    check_reach(recording.root, "the person", path)
    frames = resampled_frames(recording.root.shape[0], recording.fps, NATIVE_FPS)
    check_length(frames, NATIVE_FPS, path)
    rotations = resample_rotations(recording.rotations, recording.fps, NATIVE_FPS)
    root = resample_points(recording.root, recording.fps, NATIVE_FPS)
    motion = grounded(pose_motion(rotations, root))
    notes = recording.notes
    if recording.fps != NATIVE_FPS:
        notes += (f"resampled from {recording.fps:g} to {NATIVE_FPS:g} fps",)
    return Clip(
        HumanMotion(motion.rotations.float(), motion.joints.float()),
        NATIVE_FPS,
        path.stem,
        Provenance(f"{recording.kind}: {path.name}", recording.rotation_source, notes),
    )


def stood_up(
    rotations: Float[Tensor, "frames 22 3 3"], root: Float[Tensor, "frames 3"]
) -> tuple[Float[Tensor, "frames 22 3 3"], Float[Tensor, "frames 3"]]:
    """Turns and pelvis path of a y-up world in ours: who faced +Z now faces −Y, yaw 0."""
    # A y-up world has the axes of the rest body, so the same turn stands it up.
    turn = world_from_rest(root)
    return torch.cat([turn @ rotations[:, :1], rotations[:, 1:]], dim=1), root @ turn.T
