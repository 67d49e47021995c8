"""Feet that stand in the source stand on our skeleton too.

With exact limb directions and other proportions a standing foot drifts by the difference, a few
centimetres as hips turn and knees bend. Each leg is turned about its hip, by a degree or two, just
enough to take that drift away; knees keep their bend and feet their direction.
"""

import numpy as np
import torch
from jaxtyping import Bool, Float
from torch import Tensor

from aesop.scene.placement import ground
from aesop.scene.rotation import swing
from aesop.scene.skeleton import JOINT, JOINT_NAMES, forward_kinematics, local_rotations

# A standing foot moves with the noise of capture or slips a little; a swinging one does 1 to 4 m/s.
STANDING_MPS = 0.4


def standing(path: Float[Tensor, "frames 3"], fps: float) -> Bool[Tensor, " frames"]:
    """Frames in which a point is at rest: slower than `STANDING_MPS` on both sides."""
    slow = torch.linalg.vector_norm(path.diff(dim=0), dim=-1) * fps < STANDING_MPS
    true = torch.ones(1, dtype=torch.bool, device=path.device)
    return torch.cat([true, slow]) & torch.cat([slow, true])


def keep_footing(
    world: Float[Tensor, "frames 22 3 3"],
    root: Float[Tensor, "frames 3"],
    soles: dict[int, Float[Tensor, "frames 3"]],
    fps: float,
) -> Float[Tensor, "frames 22 3 3"]:
    """World_from_joint with legs turned so that our feet rest while the source's rest.

    `soles` gives, for a foot or ankle of ours, the path of its counterpart in our world, scaled to
    our size.
    """
    joints = forward_kinematics(local_rotations(world), root)
    world = world.clone()
    for sole, path in soles.items():
        rests = standing(path, fps)
        if not bool(rests.any()):
            continue
        side = JOINT_NAMES[sole].split("_")[0]
        hip, knee, ankle = (JOINT[f"{side}_{part}"] for part in ("hip", "knee", "ankle"))
        correction = torch.zeros_like(path)
        correction[:, :2] = _correction(ground(joints[:, sole] - path), rests)
        leg = joints[:, ankle] - joints[:, hip]
        turn = swing(leg, leg + correction)
        world[:, hip] = turn @ world[:, hip]
        world[:, knee] = turn @ world[:, knee]
    return world


def _correction(
    drift: Float[Tensor, "frames 2"], rests: Bool[Tensor, " frames"]
) -> Float[Tensor, "frames 2"]:
    """What takes the drift away within each rest, blended linearly from one rest to the next."""
    values, standing_frames = drift.numpy(), rests.numpy().nonzero()[0]
    starts = np.flatnonzero(np.diff(standing_frames, prepend=-2) > 1)
    counts = np.diff(starts, append=len(standing_frames))
    means = np.add.reduceat(values[standing_frames], starts) / counts[:, None]
    wanted = np.repeat(means, counts, axis=0) - values[standing_frames]
    frames = np.arange(len(values))
    blended = [np.interp(frames, standing_frames, wanted[:, axis]) for axis in range(2)]
    return torch.from_numpy(np.stack(blended, axis=-1)).to(drift)
