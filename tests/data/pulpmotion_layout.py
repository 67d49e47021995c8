"""Writes shots in exactly the layout of PulpMotion, which cannot be shipped with the tests."""

from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
import torch

from aesop.features.human_features import human_to_features
from aesop.scene.human import Clip, Provenance
from aesop.scene.movement import tag_path
from aesop.scene.shot import Shot
from tests.scene.makers import wandering_camera, wandering_motion

IMAGE_WIDTH = 1280.0


def wandering_shot(frames: int, seed: int) -> Shot:
    """A shot whose person starts at x = y = 0, as the layout assumes, at any yaw; float64."""
    dice = torch.Generator().manual_seed(seed)
    motion = wandering_motion(frames, dice)
    offset = motion.root[0] * torch.tensor([1.0, 1.0, 0.0])
    motion = type(motion)(motion.rotations, motion.joints - offset)
    origin = Provenance("made for a test")
    return Shot(
        clip=Clip(motion, 25.0, f"walk {seed}", origin),
        camera=wandering_camera(motion, dice),
        provenance=origin,
        camera_words=f"The camera floats, n° {seed}.",
        human_words=f"A person wanders, n° {seed}.",
    )


def lens_rows(shot: Shot) -> np.ndarray:
    """Rows fx, fy, cx, cy; the image is twice as large as its centre."""
    half_width, half_height = IMAGE_WIDTH / 2, IMAGE_WIDTH / 2 / shot.camera.aspect
    tangents = shot.camera.tan_half_fov.numpy()
    middle = np.tile([half_width, half_height], (shot.frames, 1))
    return np.hstack([middle / tangents, middle])


def write_pulpmotion(
    folder: Path, shots: Mapping[str, Shot], splits: Mapping[str, Sequence[str]]
) -> None:
    """Files of the given shots by id, and one list of ids per split file name."""
    for part in ("smpl_rifke", "traj", "intrinsics", "cam_segments", "caption_cam", "caption_char"):
        (folder / part).mkdir(parents=True)
    for clip_id, shot in shots.items():
        camera = shot.camera
        rows = torch.cat([camera.world_from_camera, camera.centre[..., None]], dim=-1)
        features = human_to_features(shot.clip.motion).numpy().astype(np.float32)
        np.save(folder / "smpl_rifke" / f"{clip_id}.npy", features)
        np.savetxt(folder / "traj" / f"{clip_id}.txt", rows.reshape(-1, 12).numpy(), fmt="%.6e")
        np.save(folder / "intrinsics" / f"{clip_id}.npy", lens_rows(shot))
        np.save(folder / "cam_segments" / f"{clip_id}.npy", tag_path(camera, 25.0))
        (folder / "caption_cam" / f"{clip_id}.txt").write_text(shot.camera_words + "\n")
        (folder / "caption_char" / f"{clip_id}.txt").write_text(shot.human_words + "\n")
    for name, ids in splits.items():
        (folder / f"{name}_split.txt").write_text("\n".join(ids) + "\n")
