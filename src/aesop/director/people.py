"""People as the camera generator sees them: encoded from a motion, or acted out from words."""

from collections.abc import Sequence
from dataclasses import dataclass

import torch
from jaxtyping import Float
from torch import Tensor

from aesop.director.parts import Parts
from aesop.director.sampling import frame_mask, sample_latents, stacked
from aesop.features.human import human_from_features, human_to_features, stand_from_features
from aesop.flow.guidance import Restraint
from aesop.flow.presets import Preset
from aesop.models.codec import STRIDE, token_mask
from aesop.models.context import with_text
from aesop.scene.human import HumanMotion, grounded, pose_motion
from aesop.text.encoder import EncodedText, pad_texts


@dataclass(frozen=True, eq=False)
class Person:
    """One pass of the networks: whitened latents of a motion that starts canonical."""

    latents: Float[Tensor, "tokens human_width"]
    stands: Float[Tensor, "tokens 5"]  # at the first frame of every token
    frames: int
    first_root: Float[Tensor, "3"]
    joints: Float[Tensor, "frames 22 3"]


@dataclass(frozen=True, eq=False)
class Role:
    """What one person is to do: words, length, the noise that makes it one of many ways, and how
    hard the words are followed."""

    words: EncodedText
    frames: int
    noise: Float[Tensor, "tokens human_width"]
    guidance: float


@dataclass(frozen=True, eq=False)
class Acted:
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
    parts: Parts, roles: Sequence[Role], preset: Preset, restraint: Restraint
) -> list[Acted]:
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
    acted: list[Acted] = []
    for row, role in enumerate(roles):
        decoded = human_from_features(features[row, : role.frames])
        posed = pose_motion(decoded.rotations, decoded.root)
        motion = grounded(HumanMotion(posed.rotations.float(), posed.joints.float()))
        own = latents[row, : len(role.noise)]
        stands = stand_from_features(features[row, : role.frames])[::STRIDE].float()
        person = Person(own, stands, role.frames, motion.root[0].double(), motion.joints)
        acted.append(Acted(motion, person))
    return acted
