"""Feet that stand in the source stand on our skeleton too.

With exact limb directions and other proportions a standing foot drifts by the difference, a few
centimetres as hips turn and knees bend. Each leg is turned about its hip, by a degree or two, just
enough to take that drift away; knees keep their bend and feet their direction.
"""

import numpy as np
import torch
from jaxtyping import Float, Int
from torch import Tensor

from aesop.scene.placement import ground
from aesop.scene.rotation import swing
from aesop.scene.skeleton import JOINT, JOINT_NAMES, forward_kinematics, local_rotations

# A standing foot moves with the noise of capture or slips a little; a swinging one does 1 to 4 m/s.
STANDING_MPS = 0.4


def rests(path: Float[Tensor, "frames 3"], fps: float) -> Int[np.ndarray, " frames"]:
    """Number of the rest that each frame belongs to, −1 where the point is on its way.

    A rest is a run of steps slower than `STANDING_MPS`, with the frames at both of its ends.
    """
    steps = torch.linalg.vector_norm(path.diff(dim=0), dim=-1)
    slow = np.concatenate([[False], (steps * fps < STANDING_MPS).numpy(), [False]])
    run = np.cumsum(slow[1:] & ~slow[:-1]) - 1
    # `slow[k]` is the step into frame k, `slow[k + 1]` the step out of it.
    return np.where(slow[1:], run, np.where(slow[:-1], run, -1))


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
        resting = rests(path, fps)
        if not (resting >= 0).any():
            continue
        side = JOINT_NAMES[sole].split("_")[0]
        hip, knee, ankle = (JOINT[f"{side}_{part}"] for part in ("hip", "knee", "ankle"))
        correction = torch.zeros_like(path)
        correction[:, :2] = _correction(ground(joints[:, sole] - path), resting)
        leg = joints[:, ankle] - joints[:, hip]
        turn = swing(leg, leg + correction)
        world[:, hip] = turn @ world[:, hip]
        world[:, knee] = turn @ world[:, knee]
    return world


def _correction(
    drift: Float[Tensor, "frames 2"], resting: Int[np.ndarray, " frames"]
) -> Float[Tensor, "frames 2"]:
    """What takes the drift away within each rest, blended linearly from one rest to the next."""
    frames = np.flatnonzero(resting >= 0)
    values = drift.numpy()[frames]
    starts = np.flatnonzero(np.diff(resting[frames], prepend=-1))
    counts = np.diff(starts, append=len(frames))
    means = np.add.reduceat(values, starts) / counts[:, None]
    wanted = np.repeat(means, counts, axis=0) - values
    every = np.arange(len(resting))
    blended = [np.interp(every, frames, wanted[:, axis]) for axis in range(2)]
    return torch.from_numpy(np.stack(blended, axis=-1)).to(drift)
