"""A shot in which everything moves: person, camera, aim and lens."""

from dataclasses import replace

import numpy as np
import torch

from aesop.fables.synthetic import synthetic_motion
from aesop.scene.camera import CameraPath, camera_looking_at
from aesop.scene.human import HumanMotion, Provenance
from aesop.scene.rotation import about_axis
from aesop.scene.shot import Shot

FRAMES = 37


def moving_shot(zooms: bool = True, moved_joint: bool = False) -> Shot:
    """Single precision, as shots are read from files."""
    clip = synthetic_motion("walk", FRAMES, np.random.default_rng(5)).clip
    joints = clip.motion.joints.float()
    if moved_joint:  # places that do not follow from turns, as a network may say
        joints = joints.clone()
        joints[:, 20] += torch.linspace(0, 0.07, FRAMES)[:, None]
    motion = HumanMotion(clip.motion.rotations.float(), joints)
    time = torch.linspace(0, 1, FRAMES, dtype=torch.float64)
    centre = torch.stack([2 + time, -3 + 2 * time.square(), 1.4 + 0.5 * (5 * time).sin()], dim=-1)
    camera = camera_looking_at(centre, motion.root.double(), 0.6, aspect=1.85)
    roll = about_axis(0.3 * time, "z")
    camera = CameraPath(
        (camera.world_from_camera @ roll).float(),
        centre.float(),
        (0.6 + (0.3 * time if zooms else 0 * time)).float(),
        1.85,
    )
    words = 'the camera "pushes in",\npast the person – slowly'
    return Shot(replace(clip, motion=motion), camera, Provenance("a test"), words, "a walk", 1.25)
