"""A few clips and shots from flows in training, for the eye: what a loss cannot tell."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import torch
from jaxtyping import Bool, Float
from torch import Tensor

from aesop.features.camera_features import camera_from_features
from aesop.features.human_features import human_from_features, stand_from_features
from aesop.flow.guidance import guided
from aesop.flow.path import Stream, noise_for_batch, sampling_times
from aesop.flow.solvers import SOLVERS
from aesop.models.codec import STRIDE, CameraCodec, HumanCodec, token_mask
from aesop.models.velocity import (
    FlowContext,
    FlowTransformer,
    seen_human,
    with_and_without_text,
    with_text,
)
from aesop.scene.human import NATIVE_FPS, Clip, Provenance
from aesop.scene.shot import Shot
from aesop.text.encoder import TextEncoder
from aesop.training.footage import Footage

SHOWN = 8
STEPS = 20
SEED = 11
CAMERA_GUIDANCE = 1.5


@dataclass(frozen=True, eq=False)
class SampleDecoders:
    """What latents are decoded with; without a camera codec, only people."""

    human: HumanCodec
    camera: CameraCodec | None = None


@torch.no_grad()
def sample_latents(
    flow: FlowTransformer, context: FlowContext, *, stream: Stream, guidance: float = 1.0
) -> Float[Tensor, "batch tokens width"]:
    """From noise to latents in a few steps of second order."""
    noise = noise_for_batch(
        SEED, range(len(context.mask)), context.mask, flow.shape.latent, stream=stream
    )
    solve, times = SOLVERS["adams_bashforth2"], sampling_times(STEPS)
    if guidance == 1.0:
        return solve(flow.field(flow.prepare(context)), noise, times)
    both = flow.field(flow.prepare(with_and_without_text(context)))
    return solve(guided(both, guidance), noise, times)


def sample_clips(
    codecs: SampleDecoders,
    flow: FlowTransformer,
    encoder: TextEncoder,
    words: Sequence[str],
    frames: Sequence[int],
) -> list[Clip]:
    """People who do what the words say, each for so many frames."""
    mask = _mask(frames, _device_of(flow))
    context = with_text(token_mask(mask), encoder.encode(words).to(mask.device))
    latents = sample_latents(flow, context, stream="human")
    features = codecs.human.from_latents(latents, mask).double().cpu()
    return [
        Clip(
            human_from_features(features[row, :count]),
            NATIVE_FPS,
            text,
            Provenance("sampled while training"),
        )
        for row, (text, count) in enumerate(zip(words, frames, strict=True))
    ]


def sample_shots(
    codecs: SampleDecoders,
    flow: FlowTransformer,
    encoder: TextEncoder,
    footage: Footage,
    shots: int,
) -> list[Shot]:
    """The first shots of some footage, filmed again by the flow."""
    assert codecs.camera is not None
    device = _device_of(flow)
    rows = footage.human_of_shot[:shots]
    frames = footage.humans.lengths[rows].tolist()
    words = [(captions or ("",))[0] for captions in footage.camera_captions[:shots]]
    seen = footage.humans.padded(rows, max(frames))
    features, mask = seen.values.to(device), seen.mask.to(device)
    human = codecs.human.to_latents(features, mask)
    tokens = token_mask(mask)
    places = stand_from_features(features)[:, ::STRIDE]
    seen_by_camera = seen_human(flow.shape, human, places)
    context = with_text(tokens, encoder.encode(words).to(device), seen_by_camera)
    latents = sample_latents(flow, context, stream="camera", guidance=CAMERA_GUIDANCE)
    raw = codecs.human.whitening.inverse(human, tokens)
    filmed = codecs.camera.from_latents(latents, raw, mask).double().cpu()
    return [
        _shot(footage, row, int(rows[row]), filmed[row, :count], words[row])
        for row, count in enumerate(frames)
    ]


def write_sheet(subjects: Sequence[Shot | Clip], path: Path) -> None:
    """One page with all of them."""
    # Drawing needs libraries that a bare training machine may lack; only sheets need drawing.
    from aesop.preview.sheets import write_grid_sheet

    path.parent.mkdir(parents=True, exist_ok=True)
    write_grid_sheet(subjects, path)


def _shot(
    footage: Footage, row: int, human: int, camera: Float[Tensor, "frames 14"], words: str
) -> Shot:
    motion = human_from_features(footage.humans.clip(human).double())
    origin = Provenance("sampled while training")
    clip = Clip(motion, NATIVE_FPS, footage.human_names[human], origin)
    told = (footage.human_captions[human] or ("",))[0]
    path = camera_from_features(camera, motion.root[0])
    return Shot(clip, path, origin, camera_words=words, human_words=told)


def _mask(frames: Sequence[int], device: torch.device) -> Bool[Tensor, "batch frames"]:
    lengths = torch.tensor(frames, device=device)
    return torch.arange(max(frames), device=device) < lengths[:, None]


def _device_of(flow: FlowTransformer) -> torch.device:
    return next(flow.parameters()).device
