"""A whole split through a frozen codec, once: flows then train on cached latents."""

from collections.abc import Iterator

import numpy as np
import torch
from jaxtyping import Int64
from torch import Tensor

from aesop.features.columns import CAMERA
from aesop.features.human import STAND_WIDTH, stand_from_features
from aesop.features.statistics import Statistics, standardise_human
from aesop.models.codec import STRIDE, CameraCodec, HumanCodec, token_mask
from aesop.models.whitening import SMALLEST_SPREAD, LatentMoments
from aesop.training.ragged import Ragged

_FRAMES_AT_ONCE = 1 << 16
_TOKENS_AT_ONCE = 1 << 18


def standard_humans(humans: Ragged, statistics: Statistics) -> Ragged:
    """Standardised features of all windows."""
    return Ragged(standardise_human(humans.values, statistics), humans.starts)


def standard_cameras(cameras: Ragged, statistics: Statistics) -> Ragged:
    """Standardised features of all shots: `standardise_camera`, clip by clip, in one go."""
    mean, spread = statistics.mean.to(cameras.values), statistics.spread.to(cameras.values)
    values = (cameras.values - mean) / spread
    values[cameras.starts[:-1], CAMERA.span("velocity")] = 0.0
    return Ragged(values, cameras.starts)


@torch.no_grad()
def encode_all(codec: HumanCodec | CameraCodec, standard: Ragged) -> Ragged:
    """Latents before whitening of every clip."""
    starts = _token_starts(standard)
    width = codec.shape.latent
    values = standard.values.new_empty(int(starts[-1]), width)
    for rows, items in batches_of_like_length(standard):
        padded = standard.padded(rows, items)
        latents = codec.encode(padded.values, padded.mask)
        keep = token_mask(padded.mask)
        place = starts[rows][:, None] + torch.arange(keep.shape[1], device=starts.device)
        values[place[keep]] = latents[keep]
    return Ragged(values, starts)


def _token_starts(clips: Ragged) -> Int64[Tensor, " clips_and_one"]:
    tokens = -(-clips.lengths // STRIDE)
    return torch.cat([tokens.new_zeros(1), tokens.cumsum(0)])


def batches_of_like_length(clips: Ragged) -> Iterator[tuple[Int64[Tensor, " batch"], int]]:
    """Rows in groups of a bounded number of frames, shortest clips first, with their padding."""
    lengths = clips.lengths.cpu().numpy()
    order = np.argsort(lengths, kind="stable")
    first = 0
    while first < len(order):
        stop = first + 1
        while stop < len(order) and (stop + 1 - first) * lengths[order[stop]] <= _FRAMES_AT_ONCE:
            stop += 1
        rows = torch.from_numpy(order[first:stop]).to(clips.starts.device)
        yield rows, int(-(-lengths[order[stop - 1]] // STRIDE) * STRIDE)
        first = stop


@torch.no_grad()
def stands(humans: Ragged) -> Ragged:
    """Where everyone stands and faces at the first frame of every token."""
    starts = _token_starts(humans)
    values = humans.values.new_empty(int(starts[-1]), STAND_WIDTH)
    for rows, items in batches_of_like_length(humans):
        padded = humans.padded(rows, items)
        found = stand_from_features(padded.values.double())[:, ::STRIDE].to(values.dtype)
        keep = token_mask(padded.mask)
        place = starts[rows][:, None] + torch.arange(keep.shape[1], device=starts.device)
        values[place[keep]] = found[keep]
    return Ragged(values, starts)


def settle_scale(codec: HumanCodec | CameraCodec, raw: Ragged) -> Ragged:
    """Bring every channel of the latents to a spread near one, exactly: nothing in a codec's loss
    holds the scale of its latents, and the next networks read them as they are."""
    spread = raw.values.double().std(0).clamp_min(SMALLEST_SPREAD)
    factors = torch.exp2(-spread.log2().round()).to(raw.values.dtype)
    codec.scale_latents(factors)
    return Ragged(raw.values * factors, raw.starts)


def fit_whitening(codec: HumanCodec | CameraCodec, raw: Ragged) -> None:
    """Give a codec the statistics of its own training latents."""
    moments = LatentMoments(raw.width)
    for block in raw.values.split(_TOKENS_AT_ONCE):
        every = torch.ones(1, len(block), dtype=torch.bool, device=block.device)
        moments.add(block[None], every)
    codec.whitening.fit(moments)


def whitened(codec: HumanCodec | CameraCodec, raw: Ragged) -> Ragged:
    """What flows move."""
    blocks = [
        codec.whitening(
            block[None], torch.ones(1, len(block), dtype=torch.bool, device=block.device)
        )[0]
        for block in raw.values.split(_TOKENS_AT_ONCE)
    ]
    return Ragged(torch.cat(blocks), raw.starts)
