"""Bringing a sampled path near to cameras that it has to meet: the free take is warped onto them,
and the shot is sampled again from the same noise with tokens held around every key."""

import torch
from jaxtyping import Float
from torch import Tensor

from aesop.director.sampling import tokens_of
from aesop.models.codec import STRIDE
from aesop.scene.camera_keys import CameraKeys

# Tokens on either side of a key that are held, less and less (docs/log.md has others' numbers).
HELD_TOKENS = 6


def hold_shares(keys: CameraKeys, frames: int, fps: float) -> Float[Tensor, "tokens 1"]:
    """How firmly every token is held: 1 at keys and inside of kept parts, falling to 0 around."""
    token = torch.arange(tokens_of(frames), dtype=torch.float64)
    share = torch.zeros_like(token)
    for position in keys.anchors(frames, fps).positions.tolist():
        away = (token - position // STRIDE).abs()
        share = torch.maximum(share, (1 - away / (HELD_TOKENS + 1)).clamp_min(0))
    for part in keys.kept:
        whole = (token * STRIDE >= part.frames.start) & ((token + 1) * STRIDE <= part.frames.stop)
        share[whole] = 1
    return share.float()[:, None]
