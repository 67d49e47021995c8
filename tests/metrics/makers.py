"""Small shots with known numbers."""

import numpy as np
import torch

from aesop.fables.synthetic import synthetic_motion
from aesop.scene.camera import CameraPath, look_at
from aesop.scene.human import Clip, HumanMotion, Provenance
from aesop.scene.shot import Shot

FPS = 25.0


def standing_clip(frames: int) -> Clip:
    """A person who does not move at all."""
    motion = synthetic_motion("stand", 53, np.random.default_rng(3)).clip.motion
    still = HumanMotion(
        motion.rotations[:1].expand(frames, -1, -1, -1), motion.joints[:1].expand(frames, -1, -1)
    )
    return Clip(still, FPS, "still", Provenance("a test"))


def straight_shot(
    velocity_m_s: tuple[float, float, float], frames: int = 83, start_y: float = -4.0
) -> Shot:
    """A camera that looks along +Y at a standing person and glides at a constant velocity, given
    in camera axes (right, down, forward)."""
    clip = standing_clip(frames)
    start = torch.tensor([0.0, start_y, 1.0])
    turn = look_at(start, torch.tensor([0.0, 0.0, 1.0]))
    seconds = torch.arange(frames)[:, None] / FPS
    centre = start + seconds * (turn @ torch.tensor(velocity_m_s, dtype=torch.float32))
    camera = CameraPath(turn.expand(frames, 3, 3), centre, torch.full((frames,), 0.9), 16 / 9)
    return Shot(clip, camera, Provenance("a test"))
