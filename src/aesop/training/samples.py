"""A few clips and shots from flows in training, for the eye: what a loss cannot tell."""

from collections.abc import Sequence
from pathlib import Path

import torch
from jaxtyping import Float
from torch import Tensor

from aesop.features.camera_features import camera_from_features
from aesop.features.human_features import human_from_features, stand_from_features
from aesop.flow.guided_sampling import sample_latents
from aesop.flow.path import noise_for_batch
from aesop.flow.solvers import Preset
from aesop.models.codec import STRIDE, CameraCodec, HumanCodec, token_mask
from aesop.models.velocity import FlowTransformer, human_condition, with_text
from aesop.scene.human import NATIVE_FPS, Clip, Provenance
from aesop.scene.shot import Shot
from aesop.text.encoder import TextEncoder
from aesop.training.footage import Footage

SHOWN = 8
SEED = 11
CAMERA_GUIDANCE = 1.5
_PRESET = Preset("adams_bashforth2", steps=20)
_ORIGIN = Provenance("sampled while training")


@torch.no_grad()
def sample_clips(
    codec: HumanCodec,
    flow: FlowTransformer,
    encoder: TextEncoder,
    words: Sequence[str],
    frames: Sequence[int],
) -> list[Clip]:
    """People who do what the words say, each for so many frames."""
    device = flow.positions.device
    mask = torch.arange(max(frames), device=device) < torch.tensor(frames, device=device)[:, None]
    tokens = token_mask(mask)
    context = with_text(tokens, encoder.encode(words).to(device))
    noise = noise_for_batch(SEED, range(len(mask)), tokens, flow.shape.latent, stream="human")
    latents = sample_latents(flow, context, noise, _PRESET)
    features = codec.from_latents(latents, mask).double().cpu()
    return [
        Clip(human_from_features(features[row, :count]), NATIVE_FPS, text, _ORIGIN)
        for row, (text, count) in enumerate(zip(words, frames, strict=True))
    ]


@torch.no_grad()
def sample_shots(
    codecs: tuple[HumanCodec, CameraCodec],
    flow: FlowTransformer,
    encoder: TextEncoder,
    footage: Footage,
    shots: int,
    preset: Preset = _PRESET,
) -> list[Shot]:
    """The first shots of some footage, filmed again by the flow."""
    (human_codec, camera_codec), device = codecs, flow.positions.device
    rows = footage.human_of_shot[:shots]
    frames = footage.humans.lengths[rows].tolist()
    words = [(captions or ("",))[0] for captions in footage.camera_captions[:shots]]
    people = footage.humans.padded(rows, max(frames))
    features, mask = people.values.to(device), people.mask.to(device)
    tokens, human = token_mask(mask), human_codec.to_latents(features, mask)
    condition = human_condition(flow.shape, human, stand_from_features(features)[:, ::STRIDE])
    context = with_text(tokens, encoder.encode(words).to(device), condition)
    noise = noise_for_batch(SEED, range(len(mask)), tokens, flow.shape.latent, stream="camera")
    guidance = torch.full((len(mask),), CAMERA_GUIDANCE, device=device)
    latents = sample_latents(flow, context, noise, preset, guidance)
    raw = human_codec.whitening.inverse(human, tokens)
    filmed = camera_codec.from_latents(latents, raw, mask).double().cpu()
    return [
        _shot(footage, int(rows[row]), filmed[row, :count], words[row])
        for row, count in enumerate(frames)
    ]


def write_sheet(subjects: Sequence[Shot | Clip], path: Path) -> None:
    """One page with all of them."""
    # Drawing needs libraries that a bare training machine may lack; only sheets need drawing.
    from aesop.preview.sheets import write_grid_sheet

    path.parent.mkdir(parents=True, exist_ok=True)
    write_grid_sheet(subjects, path)


def _shot(footage: Footage, human: int, camera: Float[Tensor, "frames 14"], words: str) -> Shot:
    motion = human_from_features(footage.humans.clip(human).double())
    clip = Clip(motion, NATIVE_FPS, footage.human_names[human], _ORIGIN)
    human_words = (footage.human_captions[human] or ("",))[0]
    path = camera_from_features(camera, motion.root[0])
    return Shot(clip, path, _ORIGIN, camera_words=words, human_words=human_words)
