"""Which intensity few steps of a camera flow have to be told so that the camera goes as far as was
asked for: 0.5 half the way of the usual shot, 1.5 one and a half times."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import torch
from jaxtyping import Float, Float64
from torch import Tensor

from aesop.features.columns import CAMERA
from aesop.flow.guided_sampling import sample_latents
from aesop.models.codec import STRIDE, CameraCodec, HumanCodec
from aesop.models.fitted_steps import FittedSteps, StepsShape
from aesop.models.velocity import FlowTransformer
from aesop.training.step_fitting import AskedBatch

# Rows of the table.
ASKED = tuple(round(0.1 * tenths, 1) for tenths in range(21))
# Measured: what flows are taught, by one straight line below 1 and one above it.
LEVELS = (0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0, 1.1, 1.2, 1.3, 1.4, 1.5, 1.6, 1.65)
# Told as asked: where nothing was measured, the table goes on straight to these.
_NOTHING, _TWICE = 0.0, 2.0


@dataclass(frozen=True)
class IntensityResponse:
    """How far cameras go when a flow is told some intensities, as a share of the usual way. The
    shots share their noise."""

    levels: tuple[float, ...]  # ascending, 1 among them
    shares: tuple[float, ...]

    @property
    def text(self) -> str:
        """ "0.5: 0.403, 1: 1.000"."""
        pairs = zip(self.levels, self.shares, strict=True)
        return ", ".join(f"{level:g}: {share:.3f}" for level, share in pairs)


def told_for(
    response: IntensityResponse, asked: Sequence[float] = ASKED
) -> Float64[np.ndarray, " asked"]:
    """What has to be told for intensities so that cameras go as far, wherever the measured ways
    reach. Who is asked for more is told more."""
    levels, shares = np.array(response.levels), np.array(response.shares)
    usual = int(np.flatnonzero(levels == 1)[0])
    # What lies on the wrong side of a neighbour nearer to one is noise: it is passed over.
    less = np.minimum.accumulate(shares[usual::-1])[::-1]
    more = np.maximum.accumulate(shares[usual:])
    kept = np.concatenate([np.diff(less) > 0, [True], np.diff(more) > 0])
    levels, shares = levels[kept], np.concatenate([less, more[1:]])[kept]
    first = [_NOTHING] if shares[0] > _NOTHING else []
    last = [_TWICE] if shares[-1] < _TWICE else []
    levels, shares = (np.concatenate([first, it, last]) for it in (levels, shares))
    return np.interp(asked, shares, levels)


def with_told_intensities(steps: FittedSteps, response: IntensityResponse) -> FittedSteps:
    """The same steps, and the table."""
    shape = StepsShape(steps.shape.calls, steps.shape.guided_calls, len(ASKED))
    known = FittedSteps(shape)
    known.load_state_dict(steps.state_dict(), strict=False)
    told = torch.tensor(told_for(response), dtype=torch.float64)
    known.asked_intensities.copy_(torch.tensor(ASKED, dtype=torch.float64))
    known.told_intensities.copy_(told)
    return known


@torch.no_grad()
def measured_response(
    flow: FlowTransformer,
    steps: FittedSteps,
    twins: Sequence[AskedBatch],
    codecs: tuple[HumanCodec, CameraCodec],
    levels: Sequence[float] = LEVELS,
) -> IntensityResponse:
    """The ways of all shots together at every level, over their ways at one. Of an even number of
    levels two are filmed at a time."""
    ways = dict.fromkeys(levels, 0.0)
    for batch in twins:
        one = torch.ones_like(batch.guidance.chunk(2)[0])
        for pair in zip(levels[::2], levels[1::2], strict=True):
            told = torch.cat([one * level for level in pair])
            at_levels = replace(batch, context=replace(batch.context, intensity=told))
            halves = ways_m(flow, steps, at_levels, codecs).chunk(2)
            for level, metres in zip(pair, halves, strict=True):
                ways[level] += float(metres.sum())
    return IntensityResponse(tuple(levels), tuple(ways[level] / ways[1.0] for level in levels))


def ways_m(
    flow: FlowTransformer,
    steps: FittedSteps,
    batch: AskedBatch,
    codecs: tuple[HumanCodec, CameraCodec],
) -> Float[Tensor, " batch"]:
    """How far the cameras of one batch go, but for their last tokens, some frames of which may be
    padding."""
    (human_codec, camera_codec), context = codecs, batch.context
    assert context.human is not None
    ends = sample_latents(flow, context, batch.noise, steps, batch.guidance)
    raw = human_codec.whitening.inverse(context.human[..., : flow.shape.human], context.mask)
    frames = context.mask.repeat_interleave(STRIDE, dim=1)
    features = camera_codec.from_latents(ends, raw, frames)
    metres = torch.linalg.vector_norm(CAMERA.take(features, "velocity"), dim=-1)
    whole = torch.cat([context.mask[:, 1:], torch.zeros_like(context.mask[:, :1])], dim=1)
    counted = whole.repeat_interleave(STRIDE, dim=1)
    counted[:, 0] = False  # the first frame's increment never counts
    return (metres * counted).sum(1)
