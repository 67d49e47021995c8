"""Sample motions and sample files, made by formula, for the tests of this room."""

import math
from pathlib import Path

import numpy as np
import torch
from jaxtyping import Float
from torch import Tensor

from aesop.files.humanml import features_263_from_joints, humanml_joints
from aesop.scene.camera import camera_looking_at
from aesop.scene.human import Clip, Provenance, grounded, pose_motion
from aesop.scene.rotation import about_z, axis_angle_from_matrix, matrix_from_axis_angle
from aesop.scene.shot import Shot
from aesop.scene.skeleton import (
    JOINT,
    JOINTS,
    REST_OFFSETS,
    forward_kinematics,
    world_from_rest,
    world_rotations,
)

# Joint → (axis, middle angle, swing, phase) of a person who walks and swings bent arms.
GAIT = {
    "left_hip": ((1.0, 0.1, 0.0), -0.2, 0.4, 0.0),
    "right_hip": ((1.0, -0.1, 0.0), -0.2, 0.4, math.pi),
    "left_knee": ((1.0, 0.0, 0.0), 0.7, 0.35, 0.9),
    "right_knee": ((1.0, 0.0, 0.0), 0.7, 0.35, 0.9 + math.pi),
    "left_ankle": ((1.0, 0.0, 0.0), 0.1, 0.15, 0.4),
    "right_ankle": ((1.0, 0.0, 0.0), 0.1, 0.15, 0.4 + math.pi),
    "spine1": ((0.2, 1.0, 0.1), 0.05, 0.1, 0.3),
    "spine3": ((0.1, 1.0, 0.0), 0.0, 0.12, math.pi),
    "neck": ((1.0, 0.3, 0.0), 0.1, 0.1, 0.7),
    "left_shoulder": ((0.2, 0.3, -1.0), 0.9, 0.3, 0.1),
    "right_shoulder": ((0.2, -0.3, 1.0), 0.9, 0.3, 0.1 + math.pi),
    "left_elbow": ((0.0, -1.0, 0.0), 0.9, 0.25, 0.5),
    "right_elbow": ((0.0, 1.0, 0.0), 0.9, 0.25, 0.5 + math.pi),
}


def gait_rotations(frames: int, fps: float) -> Float[Tensor, "frames 22 3 3"]:
    """Turns of a walk of 0.9 strides a second that bears to the left, in double precision."""
    seconds = torch.arange(frames, dtype=torch.float64) / fps
    angles = torch.zeros(frames, JOINTS, 3, dtype=torch.float64)
    for name, (axis, middle, amplitude, phase) in GAIT.items():
        turn = middle + amplitude * torch.sin(2 * math.pi * 0.9 * seconds + phase)
        unit = torch.nn.functional.normalize(angles.new_tensor(axis), dim=0)
        angles[:, JOINT[name]] = turn[:, None] * unit
    rotations = matrix_from_axis_angle(angles)
    rotations[:, 0] = about_z(0.3 + 0.2 * seconds) @ world_from_rest(angles) @ rotations[:, 0]
    return rotations


def gait_path(frames: int, fps: float) -> Float[Tensor, "frames 3"]:
    """Where the pelvis of that walk goes."""
    seconds = torch.arange(frames, dtype=torch.float64) / fps
    height = 0.88 + 0.02 * torch.cos(4 * math.pi * 0.9 * seconds)
    return torch.stack([1.5 + 0.4 * seconds, -1.1 * seconds, height], dim=-1)


def gait_clip(frames: int = 31, fps: float = 25.0) -> Clip:
    """The walk as a clip on the ground, in single precision like everything imported."""
    motion = grounded(pose_motion(gait_rotations(frames, fps), gait_path(frames, fps)))
    motion = motion.to(torch.float32)
    return Clip(motion, fps, "gait", Provenance("made by formula"))


def gait_shot(frames: int = 31) -> Shot:
    """The walk, filmed by a camera that drifts and zooms."""
    clip = gait_clip(frames)
    drift = torch.linspace(0, 1, frames)
    centre = torch.stack([3 + drift, drift - 4, 1.5 + 0.1 * drift], dim=-1)
    camera = camera_looking_at(centre, clip.motion.root, 0.6 + 0.1 * drift, aspect=1.85)
    provenance = Provenance("the tests", "fitted", ("first note", "second, with ψ and \U0001f3a5"))
    return Shot(clip, camera, provenance, 'pushes in, "slowly"\n', "a person walks", 1.3)


def save_arrays(path: Path, arrays: dict[str, np.ndarray]) -> Path:
    """An .npz file."""
    np.savez(path, **arrays)  # pyright: ignore[reportArgumentType]
    return path


def amass_arrays(frames: int = 31, fps: float = 60.0) -> dict[str, np.ndarray]:
    """The walk in the layout of AMASS's SMPL-H release."""
    angles = axis_angle_from_matrix(gait_rotations(frames, fps)).flatten(1)
    hands = torch.zeros(frames, 90, dtype=torch.float64)
    translation = gait_path(frames, fps) - torch.tensor(REST_OFFSETS[0], dtype=torch.float64)
    return {
        "poses": torch.cat([angles, hands], dim=1).numpy(),
        "trans": translation.numpy(),
        "betas": np.linspace(-1, 1, 16),
        "gender": np.array("female"),
        "mocap_framerate": np.array(fps),
    }


def smplx_arrays(frames: int = 31, fps: float = 60.0) -> dict[str, np.ndarray]:
    """The walk in the layout of AMASS's SMPL-X release."""
    arrays = amass_arrays(frames, fps)
    poses = arrays["poses"]
    return {
        "root_orient": poses[:, :3],
        "pose_body": poses[:, 3:66],
        "trans": arrays["trans"],
        "mocap_frame_rate": np.array([fps]),
    }


def hymotion_arrays(frames: int = 31) -> dict[str, np.ndarray]:
    """The walk as HY-Motion saves it: y up, 30 fps unsaid."""
    arrays = amass_arrays(frames, 30.0)
    turn = world_from_rest(torch.zeros(1, dtype=torch.float64))
    rotations = gait_rotations(frames, 30.0)
    root_turn = axis_angle_from_matrix(turn.T @ rotations[:, 0]).numpy()
    pelvis = (gait_path(frames, 30.0) @ turn).numpy()
    return {
        "poses": np.concatenate([root_turn, arrays["poses"][:, 3:]], axis=1),
        "trans": pelvis - np.array(REST_OFFSETS[0]),
        "betas": np.zeros((1, 16)),
        "Rh": root_turn,
        "gender": np.array("neutral"),
    }


def kimodo_arrays(frames: int = 31, scale: float = 1.0) -> dict[str, np.ndarray]:
    """The walk as Kimodo saves it: y up, 30 fps unsaid, a body `scale` times as large as ours."""
    turn = world_from_rest(torch.zeros(1, dtype=torch.float64))
    local = gait_rotations(frames, 30.0)
    local[:, 0] = turn.T @ local[:, 0]
    joints = scale * forward_kinematics(local, gait_path(frames, 30.0) @ turn)
    return {
        "posed_joints": joints.float().numpy(),
        "local_rot_mats": local.float().numpy(),
        "global_rot_mats": world_rotations(local).float().numpy(),
        "root_positions": joints[:, 0].float().numpy(),
        "foot_contacts": np.ones((frames, 4), dtype=bool),
    }


def humanml_joint_array(frames: int = 31) -> np.ndarray:
    """The walk as HumanML3D joints, single precision."""
    return humanml_joints(gait_clip(frames, fps=20.0)).numpy()


def humanml_feature_array(frames: int = 31) -> np.ndarray:
    """The walk as HumanML3D features; `frames` rows."""
    joints = humanml_joints(gait_clip(frames + 1, fps=20.0))
    return features_263_from_joints(joints.double()).float().numpy()
