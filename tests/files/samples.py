"""One small valid file of every kind that AESOP reads."""

from pathlib import Path

import numpy as np
import torch

from aesop.files.bvh_clip import write_bvh
from aesop.files.shot_file import write_clip, write_shot
from tests.files.acclaim import write_acclaim
from tests.files.characters import Character, write_fbx, write_glb
from tests.files.foreign import own_axes
from tests.files.makers import (
    amass_arrays,
    gait_clip,
    gait_shot,
    humanml_feature_array,
    humanml_joint_array,
    hymotion_arrays,
    kimodo_arrays,
    save_arrays,
    smplx_arrays,
)


def write_samples(folder: Path, frames: int = 13) -> dict[str, Path]:
    """Write them all; the answer goes by a name of the kind."""
    paths = {
        "amass": save_arrays(folder / "amass.npz", amass_arrays(frames)),
        "smplx": save_arrays(folder / "smplx.npz", smplx_arrays(frames)),
        "hymotion": save_arrays(folder / "hymotion.npz", hymotion_arrays(frames)),
        "kimodo": save_arrays(folder / "kimodo.npz", kimodo_arrays(frames)),
        "tracked": save_arrays(
            folder / "tracked.npz",
            {
                "smpl_poses": amass_arrays(frames)["poses"],
                "smpl_trans": amass_arrays(frames)["trans"],
                "fps": np.array(60.0),
            },
        ),
        "tensors": folder / "tracked.pt",
        "joints": folder / "joints.npy",
        "features": folder / "features.npy",
        "clip": folder / "motion.clip",
        "shot": folder / "take.shot",
        "bvh": folder / "motion.bvh",
        "fbx": write_fbx(folder / "motion.fbx", gait_clip(frames), Character()),
        "glb": write_glb(folder / "motion.glb", gait_clip(frames), Character()),
        "amc": write_acclaim(folder / "motion.amc", gait_clip(frames), own_axes()),
        "gltf": write_glb(folder / "motion.gltf", gait_clip(frames), Character()),
    }
    poses = {name: torch.from_numpy(amass_arrays(frames)[name]) for name in ("poses", "trans")}
    torch.save(poses | {"fps": 60.0}, paths["tensors"])
    np.save(paths["joints"], humanml_joint_array(frames))
    np.save(paths["features"], humanml_feature_array(frames))
    write_clip(gait_clip(frames), paths["clip"])
    write_shot(gait_shot(frames), paths["shot"])
    write_bvh(gait_clip(frames), paths["bvh"])
    return paths
