"""Cameras for people: one pass of the camera flow, decoded to physical paths."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import torch
from jaxtyping import Float
from torch import Tensor

from aesop.director.decoding import Decoding, decode_camera
from aesop.director.parts import Parts
from aesop.director.people import Person
from aesop.director.sampling import Held, frame_mask, sample_latents, stacked
from aesop.features.camera import camera_to_features
from aesop.flow.presets import Preset
from aesop.models.codec import token_mask
from aesop.models.context import with_text
from aesop.models.velocity import seen_human
from aesop.scene.camera import CameraPath
from aesop.text.encoder import EncodedText, pad_texts


@dataclass(frozen=True, eq=False)
class Known:
    """The beginning of a path that was filmed before, and how firmly to keep to it."""

    latents: Float[Tensor, "tokens camera_width"]
    share: Float[Tensor, " tokens"]


@dataclass(frozen=True, eq=False)
class Wish:
    """What one camera is to do, and the noise that makes it one of many ways."""

    words: EncodedText
    intensity: float
    guidance: float
    noise: Float[Tensor, "tokens camera_width"]
    known: Known | None = None


@torch.no_grad()
def film_people(
    parts: Parts,
    people: Sequence[Person],
    wishes: Sequence[Wish],
    preset: Preset,
    decoding: Decoding = "consistent",
) -> list[CameraPath]:
    """A path for every person, in the frame in which that person starts canonical, float64. A poor
    model may answer with cameras that cannot exist: whoever asked looks (`can_exist`)."""
    device, flow = parts.device, parts.camera_flow.network
    frames = [person.frames for person in people]
    mask = frame_mask(frames, device)
    tokens = token_mask(mask)
    human = stacked([person.latents for person in people], device)
    intensity = torch.tensor([wish.intensity for wish in wishes], device=device)
    guidance = torch.tensor([wish.guidance for wish in wishes], device=device)
    words = pad_texts([wish.words for wish in wishes], parts.encoder.width).to(device)
    stands = stacked([person.stands for person in people], device)
    context = with_text(tokens, words, seen_human(flow.shape, human, stands), intensity)
    noise = stacked([wish.noise for wish in wishes], device)
    latents = sample_latents(flow, context, noise, preset, guidance, _held(wishes, noise))
    raw = parts.human_codec.network.whitening.inverse(human, tokens)
    features = parts.camera_codec.network.from_latents(latents, raw, mask).double().cpu()
    return [
        decode_camera(
            features[row, : person.frames],
            person.joints.double().cpu(),
            person.first_root.double(),
            decoding,
        )
        for row, person in enumerate(people)
    ]


@torch.no_grad()
def known_latents(
    parts: Parts, camera: CameraPath, root: Float[Tensor, "frames 3"]
) -> Float[Tensor, "tokens camera_width"]:
    """Latents of a path that exists, in the frame of the person at `root`."""
    features = camera_to_features(camera, root).float()[None].to(parts.device)
    mask = torch.ones_like(features[..., 0], dtype=torch.bool)
    return parts.camera_codec.network.to_latents(features, mask)[0]


def _held(wishes: Sequence[Wish], noise: Float[Tensor, "batch tokens width"]) -> Held | None:
    if all(wish.known is None for wish in wishes):
        return None
    latents, share = torch.zeros_like(noise), torch.zeros_like(noise[..., :1])
    for row, wish in enumerate(wishes):
        if wish.known is not None:
            count = len(wish.known.share)
            latents[row, :count] = wish.known.latents
            share[row, :count, 0] = wish.known.share.to(share)
    return Held(latents, share)


def can_exist(camera: CameraPath) -> bool:
    """Whether a path is made of numbers, and its lens has an angle and an image a shape."""
    fov = camera.fov_vertical
    places = camera.centre.isfinite().all() and camera.world_from_camera.isfinite().all()
    lens = fov.isfinite().all() and (fov > 0).all() and (fov < torch.pi).all()
    return bool(places and lens) and math.isfinite(camera.aspect) and camera.aspect > 0
