"""From words and noise to people and cameras, for a batch of requests at once."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import torch
from jaxtyping import Bool, Float
from torch import Tensor

from aesop.director.decoding import Decoding, decode_camera
from aesop.director.trained_parts import Parts
from aesop.features.camera_features import camera_to_features
from aesop.features.human_features import (
    human_from_features,
    human_to_features,
    stand_from_features,
)
from aesop.flow.guidance import Restraint, guided, guided_with_restraint
from aesop.flow.solvers import Preset, Velocity
from aesop.models.codec import STRIDE, token_mask
from aesop.models.stepping import Stepper
from aesop.models.velocity import (
    FlowContext,
    FlowTransformer,
    seen_human,
    with_and_without_text,
    with_text,
)
from aesop.scene.camera import CameraPath
from aesop.scene.human import HumanMotion, grounded, pose_motion
from aesop.text.encoder import EncodedText, pad_texts


@dataclass(frozen=True, eq=False)
class HeldTokens:
    """Tokens that are known already, and how firmly sampling keeps to them: 1 is exactly."""

    latents: Float[Tensor, "batch tokens width"]
    share: Float[Tensor, "batch tokens 1"]


@torch.no_grad()
def sample_latents(
    flow: FlowTransformer,
    context: FlowContext,
    noise: Float[Tensor, "batch tokens width"],
    preset: Preset,
    guidance: Float[Tensor, " batch"] | None = None,
    held: HeldTokens | None = None,
    restraint: Restraint | None = None,
) -> Float[Tensor, "batch tokens width"]:
    """Follow the flow from noise to data. Without guidance the words are followed as learned."""
    if guidance is None or bool((guidance == 1).all()):
        velocity: Velocity = Stepper(flow, context, preset.times)
    else:
        both = Stepper(flow, with_and_without_text(context), preset.times)
        scale = guidance[:, None, None]
        velocity = (
            guided(both, scale)
            if restraint is None
            else guided_with_restraint(both, scale, context.mask, restraint)
        )
    if held is not None:
        velocity = keeping(velocity, held)
    return preset.solver(velocity, noise, preset.times)


def keeping(velocity: Velocity, held: HeldTokens) -> Velocity:
    """Draw held tokens straight from where they are to what they are known to become."""

    def blended(
        latents: Float[Tensor, "batch tokens width"], flow_time: Float[Tensor, ""]
    ) -> Float[Tensor, "batch tokens width"]:
        straight = (latents - held.latents) / flow_time
        return torch.lerp(velocity(latents, flow_time), straight, held.share)

    return blended


def tokens_of(frames: int) -> int:
    """Latent tokens of so many frames."""
    return -(-frames // STRIDE)


def frame_mask(frames: Sequence[int], device: torch.device) -> Bool[Tensor, "batch frames"]:
    """True at the frames that each clip has."""
    lengths = torch.tensor(frames, device=device)
    return torch.arange(max(frames), device=device) < lengths[:, None]


def stacked(
    rows: Sequence[Float[Tensor, "_ width"]], device: torch.device
) -> Float[Tensor, "batch longest width"]:
    """Rows of different lengths as one batch, zeros behind the shorter ones."""
    return torch.nn.utils.rnn.pad_sequence(list(rows), batch_first=True).to(device)


def in_batches(sizes: Sequence[int], largest: int) -> list[list[int]]:
    """Places grouped by similar size, at most so many together: padding is work for nothing."""
    order = sorted(range(len(sizes)), key=lambda place: sizes[place])
    return [order[start : start + largest] for start in range(0, len(order), largest)]


@dataclass(frozen=True, eq=False)
class Person:
    """One pass of the networks: whitened latents of a motion that starts canonical."""

    latents: Float[Tensor, "tokens human_width"]
    stands: Float[Tensor, "tokens 5"]  # at the first frame of every token
    frames: int
    first_root: Float[Tensor, "3"]
    joints: Float[Tensor, "frames 22 3"]


@dataclass(frozen=True, eq=False)
class PersonCondition:
    """What one person is to do: words, length, the noise that makes it one of many ways, and how
    hard the words are followed."""

    words: EncodedText
    frames: int
    noise: Float[Tensor, "tokens human_width"]
    guidance: float


@dataclass(frozen=True, eq=False)
class ActedPerson:
    """A new motion and the latents it was decoded from, which the camera reads directly."""

    motion: HumanMotion
    person: Person


@torch.no_grad()
def encode_people(parts: Parts, motions: Sequence[HumanMotion]) -> list[Person]:
    """Motions that start canonical, each at most one pass long."""
    codec, device = parts.human_codec.network, parts.device
    frames = [motion.frames for motion in motions]
    features = stacked([human_to_features(motion).float() for motion in motions], device)
    mask = frame_mask(frames, device)
    latents, tokens = codec.to_latents(features, mask), token_mask(mask).sum(1).tolist()
    stands = stand_from_features(features)[:, ::STRIDE]
    return [
        Person(
            latents[row, :count],
            stands[row, :count],
            motion.frames,
            motion.root[0],
            motion.joints,
        )
        for row, (count, motion) in enumerate(zip(tokens, motions, strict=True))
    ]


@torch.no_grad()
def act_out(
    parts: Parts, roles: Sequence[PersonCondition], preset: Preset, restraint: Restraint
) -> list[ActedPerson]:
    """New people. No camera is known here, so none can matter.

    Joints are placed by forward kinematics from the decoded turns, so that bones keep their length;
    decoded places lie about a centimetre from there. The camera reads the sampled latents.
    """
    flow, codec, device = parts.human_flow.network, parts.human_codec.network, parts.device
    mask = frame_mask([role.frames for role in roles], device)
    tokens = token_mask(mask)
    words = pad_texts([role.words for role in roles], parts.encoder.width).to(device)
    noise = stacked([role.noise for role in roles], device)
    guidance = torch.tensor([role.guidance for role in roles], device=device)
    context = with_text(tokens, words)
    latents = sample_latents(flow, context, noise, preset, guidance, restraint=restraint)
    features = codec.from_latents(latents, mask).double().cpu()
    acted: list[ActedPerson] = []
    for row, role in enumerate(roles):
        decoded = human_from_features(features[row, : role.frames])
        posed = pose_motion(decoded.rotations, decoded.root)
        motion = grounded(HumanMotion(posed.rotations.float(), posed.joints.float()))
        own = latents[row, : len(role.noise)]
        stands = stand_from_features(features[row, : role.frames])[::STRIDE].float()
        person = Person(own, stands, role.frames, motion.root[0].double(), motion.joints)
        acted.append(ActedPerson(motion, person))
    return acted


@dataclass(frozen=True, eq=False)
class KnownBeginning:
    """The beginning of a path that was filmed before, and how firmly to keep to it."""

    latents: Float[Tensor, "tokens camera_width"]
    share: Float[Tensor, " tokens"]


@dataclass(frozen=True, eq=False)
class CameraCondition:
    """What one camera is to do, and the noise that makes it one of many ways."""

    words: EncodedText
    intensity: float
    guidance: float
    noise: Float[Tensor, "tokens camera_width"]
    known: KnownBeginning | None = None


@torch.no_grad()
def film_people(
    parts: Parts,
    people: Sequence[Person],
    wishes: Sequence[CameraCondition],
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


def _held(
    wishes: Sequence[CameraCondition], noise: Float[Tensor, "batch tokens width"]
) -> HeldTokens | None:
    if all(wish.known is None for wish in wishes):
        return None
    latents, share = torch.zeros_like(noise), torch.zeros_like(noise[..., :1])
    for row, wish in enumerate(wishes):
        if wish.known is not None:
            count = len(wish.known.share)
            latents[row, :count] = wish.known.latents
            share[row, :count, 0] = wish.known.share.to(share)
    return HeldTokens(latents, share)


def can_exist(camera: CameraPath) -> bool:
    """Whether a path is made of numbers, and its lens has an angle and an image a shape."""
    fov = camera.fov_vertical
    places = camera.centre.isfinite().all() and camera.world_from_camera.isfinite().all()
    lens = fov.isfinite().all() and (fov > 0).all() and (fov < torch.pi).all()
    return bool(places and lens) and math.isfinite(camera.aspect) and camera.aspect > 0
