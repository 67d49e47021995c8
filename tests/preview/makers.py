"""A person who walks and a camera that films them, small enough to draw often."""

import math

import numpy as np
import torch
from jaxtyping import Float

from aesop.preview.canvas import View, looking
from aesop.scene.camera import CameraPath, camera_looking_at
from aesop.scene.human import Clip, Provenance, grounded, pose_motion
from aesop.scene.rotation import matrix_from_axis_angle
from aesop.scene.shot import Shot
from aesop.scene.skeleton import JOINT, world_from_rest

FRAMES = 13
ORIGIN = Provenance("made for a test")


def walking_clip(frames: int = FRAMES, metres: float = 2.3, fps: float = 25.0) -> Clip:
    """Straight ahead (−Y) with swinging legs and hanging arms; every sole meets the floor once."""
    phase = torch.linspace(0, 2 * math.pi, frames, dtype=torch.float64)
    turns = torch.zeros(frames, 22, 3, dtype=torch.float64)
    for name, side in (("left", 1.0), ("right", -1.0)):
        turns[:, JOINT[f"{name}_hip"], 0] = -0.4 * side * torch.sin(phase)
        turns[:, JOINT[f"{name}_knee"], 0] = 0.5 * (1 + side * torch.cos(phase)) / 2
        turns[:, JOINT[f"{name}_shoulder"], 2] = -1.2 * side
    rotations = matrix_from_axis_angle(turns)
    rotations[:, 0] = world_from_rest(rotations)
    root = torch.zeros(frames, 3, dtype=torch.float64)
    root[:, 1] = -torch.linspace(0, metres, frames, dtype=torch.float64)
    return Clip(grounded(pose_motion(rotations, root)), fps, "walking", ORIGIN)


def steady_camera(
    clip: Clip, centre: tuple[float, float, float], fov: float = 0.7, aspect: float = 1.6
) -> CameraPath:
    """Stays in one place and looks at the pelvis."""
    places = torch.tensor([centre], dtype=torch.float64).expand(clip.frames, 3)
    return camera_looking_at(places, clip.motion.root, fov, aspect)


def pushing_shot(frames: int = FRAMES, fps: float = 25.0, aspect: float = 1.6) -> Shot:
    clip = walking_clip(frames, fps=fps)
    share = torch.linspace(0, 1, frames, dtype=torch.float64)
    offset = torch.stack([2.0 - share, -3.0 - 0 * share, 0.5 + 0.3 * share], dim=-1)
    camera = camera_looking_at(clip.motion.root + offset, clip.motion.root, 0.7, aspect)
    return Shot(clip, camera, ORIGIN, "The camera pushes in.", "A person walks.")


def random_view(dice: np.random.Generator, size: tuple[int, int] = (61, 53)) -> View:
    """From 3 to 5 m away, above the floor, towards somewhere near (0, 0, 1)."""
    away = dice.normal(size=3) * (1.0, 1.0, 0.2)
    away *= dice.uniform(3, 5) / np.linalg.norm(away)
    target = np.array([0.0, 0.0, 1.0]) + dice.normal(size=3) * 0.1
    return looking(target + away, target, (0.31, 0.29), size)


def rays_of(view: View) -> Float[np.ndarray, "height width 3"]:
    """World directions of all pixel middles, with depth one."""
    x, y = np.meshgrid(view.columns, view.rows)
    return np.stack([x, y, np.ones_like(x)], axis=-1) @ view.world_from_camera.T
