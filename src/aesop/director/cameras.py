"""Cameras for people: one pass of the camera flow, decoded to physical paths."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import torch
from jaxtyping import Float
from torch import Tensor

from aesop.director.parts import Parts
from aesop.director.people import Person
from aesop.director.sampling import Held, frame_mask, sample_latents, stacked
from aesop.features.camera import camera_from_features, camera_to_features
from aesop.flow.presets import Preset
from aesop.models.codec import token_mask
from aesop.models.context import with_text
from aesop.models.velocity import seen_human
from aesop.scene.camera import CameraPath
from aesop.scene.human import HumanMotion
from aesop.scene.movement import STATIC_MPS
from aesop.scene.rotation import about_axis, wrap_angle
from aesop.text.encoder import EncodedText, pad_texts

# A camera that stays this near to one place, slower than what a tagger calls movement, rests.
REST_RADIUS_M = 0.05
# No camera's centre comes nearer to the floor: that much has room below the lens.
CLEARANCE_M = 0.1
# What lies within this share of the picture's height is well inside.
FRAMED_SHARE = 0.8


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
    parts: Parts, people: Sequence[Person], wishes: Sequence[Wish], preset: Preset
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
        camera_from_features(features[row, : person.frames], person.first_root.double())
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


def held_at_rest(camera: CameraPath, fps: float) -> CameraPath:
    """A camera that rests is held where it is on average: what is left of its way is not movement
    but the flow's and the codec's last error, and no tripod breathes. It still turns and zooms."""
    seconds = max(camera.frames - 1, 1) / fps
    middle = camera.centre.mean(dim=0)
    strays = torch.linalg.vector_norm(camera.centre - middle, dim=-1).max()
    if bool(camera.travel / seconds >= STATIC_MPS) or bool(strays >= REST_RADIUS_M):
        return camera
    return replace(camera, centre=middle.expand_as(camera.centre).contiguous())


def above_floor(camera: CameraPath, motion: HumanMotion) -> CameraPath:
    """A camera that would go below the floor, on which the person's lowest joint stands, higher by
    so much all the way: lifting its lowest frames alone would bend the way. It tilts down by what
    keeps the person's root at its height in the picture, or by less where the root was above the
    picture. Travel, speed and lens stay as they are."""
    joints = motion.joints.to(camera.centre)
    lift = joints[..., 2].min() + CLEARANCE_M - camera.centre[:, 2].min()
    if bool(lift <= 0):
        return camera
    centre = camera.centre + lift * camera.centre.new_tensor([0.0, 0.0, 1.0])
    turns = camera.world_from_camera
    before, after = (_below_axis(turns, joints[:, 0] - it) for it in (camera.centre, centre))
    keeping = wrap_angle(before - after)
    edge = FRAMED_SHARE * camera.fov_vertical / 2
    wanted = (after + keeping).clamp(-edge, edge) - after
    none = torch.zeros_like(keeping)
    tilt = wanted.clamp(torch.minimum(keeping, none), torch.maximum(keeping, none))
    return replace(camera, centre=centre, world_from_camera=turns @ about_axis(tilt, "x"))


def _below_axis(
    world_from_camera: Float[Tensor, "frames 3 3"], towards: Float[Tensor, "frames 3"]
) -> Float[Tensor, " frames"]:
    """How far below the optical axis a direction lies, in radians."""
    _, down, ahead = (world_from_camera.mT @ towards[..., None])[..., 0].unbind(-1)
    return torch.atan2(down, ahead)
