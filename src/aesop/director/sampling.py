"""From words and noise to people and cameras, for a batch of requests at once."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import torch
from jaxtyping import Bool, Float
from torch import Tensor

from aesop.director.body_finish import BODY_FINISHINGS, BodyFinishing, PersonFinish
from aesop.director.decoding import Decoding, decode_camera
from aesop.director.trained_parts import Parts
from aesop.features.camera_features import camera_to_features
from aesop.features.columns import with_known_turns
from aesop.features.human_features import (
    human_from_features,
    human_to_features,
    stand_from_features,
)
from aesop.flow.guided_sampling import HeldTokens, Restraint, sample_latents
from aesop.flow.solvers import Preset, PresetName
from aesop.models.codec import STRIDE, token_mask
from aesop.models.fitted_steps import FittedSteps
from aesop.models.velocity import human_condition, with_text
from aesop.scene.camera import CameraPath
from aesop.scene.human import MAX_FRAMES, HumanMotion, grounded, pose_motion
from aesop.text.encoder import EncodedText, pad_texts

# Bodies pay for guidance; this is what holds it back (docs/director.md says how it was chosen).
HUMAN_RESTRAINT = Restraint(rescale=0.7)
# A window's last token also tells how many of its frames are padding. Flows never learn how many
# that is, and guess: the last seven frames or so of a new person are no motion. These are cut off.
SPARE_TOKENS = 2


@dataclass(frozen=True)
class PeopleSampling:
    """How people are made, alike for all: no person may depend on how the camera is sampled."""

    preset: PresetName = "fast"
    restraint: Restraint = HUMAN_RESTRAINT
    finish: PersonFinish = "best-take"

    @property
    def finishing(self) -> BodyFinishing:
        """What the finish consists of."""
        return BODY_FINISHINGS[self.finish]


USUAL_PEOPLE = PeopleSampling()


@dataclass(frozen=True, eq=False)
class Person:
    """One pass of the networks: whitened latents of a motion that starts canonical. A new motion
    comes with the latents that it was decoded from."""

    latents: Float[Tensor, "tokens human_width"]
    stands: Float[Tensor, "tokens 5"]  # at the first frame of every token
    motion: HumanMotion


@dataclass(frozen=True, eq=False)
class PersonCondition:
    """What one person is to do, how hard the words are followed, and the noise that makes it one of
    many ways, for as many tokens as are sampled."""

    words: EncodedText
    frames: int  # that are shown
    noise: Float[Tensor, "tokens human_width"]
    guidance: float


@dataclass(frozen=True, eq=False)
class NearPath:
    """A path that meets what a camera has to meet, where the motion stands, and how firmly sampling
    keeps to it at every token: firmly at what is to be met, not at all far from it."""

    camera: CameraPath
    share: Float[Tensor, "tokens 1"]


@dataclass(frozen=True, eq=False)
class CameraCondition:
    """What one camera is to do, the noise that makes it one of many ways, and what is known of its
    path: the beginning, where that was filmed before, and what comes near to given cameras. A film
    of several windows may have words of its own for each; without windows its length decides."""

    words: EncodedText
    intensity: float
    guidance: float
    noise: Float[Tensor, "tokens camera_width"]
    known: HeldTokens | None = None
    window_words: tuple[EncodedText, ...] = ()
    near: NearPath | None = None
    windows: tuple[range, ...] = ()


def tokens_of(frames: int) -> int:
    """Latent tokens of so many frames."""
    return -(-frames // STRIDE)


def sampled_frames(frames: int, how: PeopleSampling) -> int:
    """How many frames are sampled where so many are shown: some more, as far as one pass goes."""
    if not how.finishing.is_cut:
        return frames
    return max(frames, min((tokens_of(frames) + SPARE_TOKENS) * STRIDE, MAX_FRAMES))


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


@torch.no_grad()
def encode_people(parts: Parts, motions: Sequence[HumanMotion]) -> list[Person]:
    """Motions that start canonical, each at most one pass long."""
    codec, device = parts.human_codec.network, parts.device
    frames = [motion.frames for motion in motions]
    features = stacked([human_to_features(motion).float() for motion in motions], device)
    features = with_known_turns(features, codec.statistics)
    mask = frame_mask(frames, device)
    latents, tokens = codec.to_latents(features, mask), token_mask(mask).sum(1).tolist()
    stands = stand_from_features(features)[:, ::STRIDE]
    return [
        Person(latents[row, :count], stands[row, :count], motion)
        for row, (count, motion) in enumerate(zip(tokens, motions, strict=True))
    ]


@torch.no_grad()
def act_out(
    parts: Parts, conditions: Sequence[PersonCondition], how: PeopleSampling
) -> list[Person]:
    """New people. No camera is known here, so none can matter.

    Posed people have their joints placed by forward kinematics from the decoded turns, so that
    bones keep their length; decoded places lie about a centimetre from there.
    """
    cast, device = parts.cast(how.finish), parts.device
    flow, codec = cast.flow.network, cast.codec.network
    mask = frame_mask([sampled_frames(person.frames, how) for person in conditions], device)
    words = pad_texts([person.words for person in conditions], parts.encoder.width).to(device)
    noise = stacked([person.noise for person in conditions], device)
    guidance = torch.tensor([person.guidance for person in conditions], device=device)
    context = with_text(token_mask(mask), words)
    way = cast.sampling(how.preset)
    latents = sample_latents(flow, context, noise, way, guidance, restraint=how.restraint)
    features = codec.from_latents(latents, mask).double().cpu()
    people: list[Person] = []
    for row, count in enumerate(person.frames for person in conditions):
        motion = human_from_features(features[row, :count])
        if how.finishing.is_posed:
            motion = grounded(pose_motion(motion.rotations, motion.root).to(torch.float32))
        stands = stand_from_features(features[row, :count])[::STRIDE].float()
        people.append(Person(latents[row, : tokens_of(count)], stands, motion.to(torch.float32)))
    return people


@torch.no_grad()
def film_people(
    parts: Parts,
    people: Sequence[Person],
    conditions: Sequence[CameraCondition],
    way: Preset | FittedSteps,
    decoding: Decoding = "consistent",
) -> list[CameraPath]:
    """A path for every person, in the frame in which that person starts canonical, float64. A poor
    model may answer with cameras that cannot exist: whoever asked looks (`can_exist`)."""
    device, flow = parts.device, parts.camera_flow.network
    mask = frame_mask([person.motion.frames for person in people], device)
    tokens = token_mask(mask)
    human = stacked([person.latents for person in people], device)
    stands = stacked([person.stands for person in people], device)
    intensity = torch.tensor([camera.intensity for camera in conditions], device=device)
    if isinstance(way, FittedSteps):
        intensity = way.told(intensity)
    guidance = torch.tensor([camera.guidance for camera in conditions], device=device)
    words = pad_texts([camera.words for camera in conditions], parts.encoder.width).to(device)
    read = human_condition(flow.shape, human, stands)
    context = with_text(tokens, words, read, intensity)
    noise = stacked([camera.noise for camera in conditions], device)
    latents = sample_latents(flow, context, noise, way, guidance, _held(conditions, noise))
    raw = parts.human_codec.network.whitening.inverse(human, tokens)
    features = parts.camera_codec.network.from_latents(latents, raw, mask).double().cpu()
    cameras: list[CameraPath] = []
    for row, person in enumerate(people):
        joints, root = person.motion.joints.double().cpu(), person.motion.root[0].double()
        cameras.append(decode_camera(features[row, : len(joints)], joints, root, decoding))
    return cameras


@torch.no_grad()
def known_latents(
    parts: Parts, camera: CameraPath, root: Float[Tensor, "frames 3"]
) -> Float[Tensor, "tokens camera_width"]:
    """Latents of a path that exists, in the frame of the person at `root`."""
    features = camera_to_features(camera, root).float()[None].to(parts.device)
    mask = torch.ones_like(features[..., 0], dtype=torch.bool)
    return parts.camera_codec.network.to_latents(features, mask)[0]


def with_near(
    parts: Parts, asked: CameraCondition, near: NearPath, root: Float[Tensor, "frames 3"]
) -> CameraCondition:
    """The condition of one pass with its known tokens: of what was filmed before and of the near
    path, which is given in the frame of the person at `root`, whichever is held more firmly."""
    held = HeldTokens(known_latents(parts, near.camera, root), near.share)
    if asked.known is None:
        return replace(asked, known=held)
    count = len(asked.known.share)
    latents, share = held.latents.clone(), held.share.clone()
    is_firmer = asked.known.share.to(share) >= share[:count]
    latents[:count] = torch.where(is_firmer, asked.known.latents, latents[:count])
    share[:count] = torch.maximum(share[:count], asked.known.share.to(share))
    return replace(asked, known=HeldTokens(latents, share))


def _held(
    conditions: Sequence[CameraCondition], noise: Float[Tensor, "batch tokens width"]
) -> HeldTokens | None:
    """What is known of all cameras in one batch."""
    if all(camera.known is None for camera in conditions):
        return None
    latents, share = torch.zeros_like(noise), torch.zeros_like(noise[..., :1])
    for row, camera in enumerate(conditions):
        if camera.known is not None:
            count = len(camera.known.share)
            latents[row, :count] = camera.known.latents
            share[row, :count] = camera.known.share.to(share)
    return HeldTokens(latents, share)


def can_exist(camera: CameraPath) -> bool:
    """Whether a path is made of numbers, and its lens has an angle and an image a shape."""
    fov = camera.fov_vertical
    places = camera.centre.isfinite().all() and camera.world_from_camera.isfinite().all()
    lens = fov.isfinite().all() and (fov > 0).all() and (fov < torch.pi).all()
    return bool(places and lens) and math.isfinite(camera.aspect) and camera.aspect > 0
