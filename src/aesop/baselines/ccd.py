"""CCD (Jiang et al. 2024) and the paper's CCD-H: DDPM over five numbers a frame that place the
camera beside the head (`look_at_frame`). CCD reads words only, in a prefix token; CCD-H reads the
person's joints as well, and words by cross-attention. The lens is not generated."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cache, partial
from typing import Literal

import torch
from jaxtyping import Bool, Float, Int64
from torch import Tensor, nn

from aesop.baselines.baseline_sampling import (
    count_down,
    dropped,
    entry,
    guided,
    repeated,
    sampling_precision,
)
from aesop.baselines.diffusion import (
    STEPS,
    StepFactors,
    add_noise,
    linear_schedule,
    respaced,
    step_factors,
)
from aesop.baselines.look_at_frame import LOOK_AT, from_look_at, moving_average, to_look_at
from aesop.baselines.request_noise import RequestNoise
from aesop.baselines.scene_batch import (
    Baseline,
    Dice,
    Guidance,
    MethodLoss,
    MethodProtocol,
    PersonPlaces,
    RunningMoments,
    SampledScenes,
    SceneBatch,
    masked_mean,
    places_of,
    tracks_of,
)
from aesop.baselines.transformer_parts import Attention, FeedForward, positions
from aesop.models.blocks import waves
from aesop.models.method_network import MethodNetwork, MethodShape, MethodSize
from aesop.scene.skeleton import JOINTS
from aesop.text.encoder import TextFeatures

TEXT_DROP = 0.1
SCHEDULE = linear_schedule()


@dataclass(frozen=True)
class CcdSize:
    """Published: 256 wide, four post-norm layers of four heads."""

    width: int = 256
    depth: int = 4
    heads: int = 4
    hidden: int = 1024
    dropout: float = 0.1


_TINY = CcdSize(width=48, depth=2, heads=4, hidden=96)
SIZES: dict[Literal["ccd", "ccd-h"], dict[MethodSize, CcdSize]] = {
    "ccd": {
        "published": CcdSize(),
        "base": CcdSize(width=448, depth=7, heads=7, hidden=1792),
        "tiny": _TINY,
    },
    "ccd-h": {
        "published": CcdSize(),
        "base": CcdSize(width=384, depth=8, heads=6, hidden=1280),
        "tiny": _TINY,
    },
}


class _CcdLayer(nn.Module):
    """Post-norm, as in MDM: every sum is normalised. Words are read between the tokens' own
    attention and the feed-forward part where a layer reads them."""

    def __init__(self, size: CcdSize, *, reads_words: bool) -> None:
        super().__init__()
        self.itself = Attention(size.width, size.heads, size.dropout)
        self.words = Attention(size.width, size.heads, size.dropout) if reads_words else None
        self.feed = FeedForward(size.width, size.hidden, size.dropout)
        self.norms = nn.ModuleList(nn.LayerNorm(size.width) for _ in range(2 + reads_words))
        self.drop = nn.Dropout(size.dropout)

    def forward(
        self,
        states: Float[Tensor, "batch tokens width"],
        readable: Bool[Tensor, "batch tokens"],
        words: Float[Tensor, "batch words width"],
        words_readable: Bool[Tensor, "batch words"],
    ) -> Float[Tensor, "batch tokens width"]:
        first, *middle, last = self.norms
        states = first(states + self.drop(self.itself(states, states, readable)))
        if self.words is not None:
            read = self.words(states, words, words_readable)
            states = middle[0](states + self.drop(read))
        return last(states + self.drop(self.feed(states)))


class CcdNetwork(MethodNetwork):
    """Predicts the noise. One token in front holds the time and, in CCD, the words."""

    mean: Tensor
    spread: Tensor
    joint_spread: Tensor

    def __init__(self, shape: MethodShape) -> None:
        super().__init__(shape)
        assert shape.method in ("ccd", "ccd-h")
        size = self.size = SIZES[shape.method][shape.size]
        self.reads_joints = shape.method == "ccd-h"
        width = size.width
        self.values_in = nn.Linear(LOOK_AT.width, width)
        self.time = nn.Sequential(nn.Linear(width, width), nn.SiLU(), nn.Linear(width, width))
        self.text_in = nn.Linear(shape.text, width)
        self.joints_in = nn.Linear(3 * JOINTS, width) if self.reads_joints else None
        self.layers = nn.ModuleList(
            _CcdLayer(size, reads_words=self.reads_joints) for _ in range(size.depth)
        )
        self.values_out = nn.Linear(width, LOOK_AT.width)
        self.register_buffer("mean", torch.zeros(LOOK_AT.width))
        self.register_buffer("spread", torch.ones(LOOK_AT.width))
        self.register_buffer("joint_spread", torch.ones(1))

    def forward(
        self,
        values: Float[Tensor, "batch frames 5"],
        step: Int64[Tensor, " batch"],
        mask: Bool[Tensor, "batch frames"],
        text: TextFeatures,
        joints: Float[Tensor, "batch frames 66"] | None = None,
    ) -> Float[Tensor, "batch frames 5"]:
        """The noise in standardised values; words are zeros where they are dropped."""
        width = self.size.width
        states = self.values_in(values)
        if self.joints_in is not None:
            assert joints is not None
            states = states + self.joints_in(joints)
        prefix = self.time(waves(step.float(), width))
        words, words_readable = text.tokens, text.mask
        if not self.reads_joints:  # one token of words, in the prefix
            words, words_readable = text.pooled[:, None], text.mask[:, :1]
        words = self.text_in(words.to(values.dtype))
        prefix = prefix if self.reads_joints else prefix + words[:, 0]
        states = torch.cat([prefix[:, None], states], dim=1)
        states = states + positions(states.shape[1], width, states)
        readable = torch.cat([torch.ones_like(mask[:, :1]), mask], dim=1)
        for layer in self.layers:
            states = layer(states, readable, words, words_readable)
        return self.values_out(states[:, 1:]).float() * mask[..., None]

    def standardised(
        self, physical: Float[Tensor, "batch frames 5"], mask: Bool[Tensor, "batch frames"]
    ) -> Float[Tensor, "batch frames 5"]:
        return (physical - self.mean) / self.spread * mask[..., None]

    def physical(self, values: Float[Tensor, "batch frames 5"]) -> Float[Tensor, "batch frames 5"]:
        return values * self.spread + self.mean

    def joints(self, places: PersonPlaces) -> Float[Tensor, "batch frames 66"] | None:
        """Joints beside the head in axes of the heading, where the network reads them."""
        if not self.reads_joints:
            return None
        with torch.autocast(places.joints.device.type, enabled=False):
            beside = (places.joints - places.head[..., None, :]) @ places.world_from_heading
            return beside.flatten(-2) / self.joint_spread


def build(shape: MethodShape) -> CcdNetwork:
    return CcdNetwork(shape)


def _look_at(scene: SceneBatch, places: PersonPlaces) -> Float[Tensor, "batch frames 5"]:
    assert scene.camera is not None
    with torch.autocast(scene.camera.device.type, enabled=False):
        tracks = tracks_of(scene.camera, places.root)
        return to_look_at(tracks, places, scene.tan_half_lens)


@torch.no_grad()
def fit(network: CcdNetwork, scenes: Iterable[SceneBatch]) -> None:
    """Mean and spread of the five numbers over all real frames, and one size of all joints."""
    cameras, joints = RunningMoments(), RunningMoments()
    for scene in scenes:
        assert scene.human is not None
        places = places_of(scene.human)
        cameras.add(_look_at(scene, places)[scene.mask])
        read = network.joints(places)
        if read is not None:
            joints.add(read[scene.mask].reshape(-1, 1))
    network.mean.copy_(cameras.mean)
    network.spread.copy_(cameras.spread)
    if network.reads_joints:
        network.joint_spread.copy_(joints.spread)


def without_words(text: TextFeatures, is_dropped: Bool[Tensor, " batch"]) -> TextFeatures:
    """Zeros in place of the words of some rows; the places of their tokens stay."""
    gone = is_dropped[:, None]
    return TextFeatures(
        text.tokens.masked_fill(gone[..., None], 0), text.mask, text.pooled.masked_fill(gone, 0)
    )


def loss(network: CcdNetwork, scene: SceneBatch, dice: Dice) -> MethodLoss:
    """Squared error of the predicted noise, over real frames."""
    assert scene.human is not None
    places, mask = places_of(scene.human), scene.mask
    clean = network.standardised(_look_at(scene, places), mask)
    batch, device = len(clean), clean.device
    uniform = torch.rand(batch, generator=dice, device=device)
    step = (uniform * STEPS).long().clamp_max(STEPS - 1)
    noise = torch.randn(clean.shape, generator=dice, device=device) * mask[..., None]
    (is_dropped,) = dropped(batch, (TEXT_DROP,), dice, device)
    noisy = add_noise(clean, noise, step, _factors(device))
    text = without_words(scene.camera_words, is_dropped)
    made = network(noisy, step, mask, text, network.joints(places))
    total = masked_mean((made - noise).square(), mask)
    return MethodLoss(total, total.detach()[None])


@cache
def _factors(device: torch.device) -> StepFactors:
    """The schedule on a device; made once, since a captured step may copy nothing to it."""
    return step_factors(SCHEDULE, device)


def _levels(device: torch.device, fewer: int | None) -> tuple[StepFactors, Int64[Tensor, " steps"]]:
    """Factors of all steps, or of fewer, and the trained level of each."""
    if fewer is None:
        return _factors(device), torch.arange(STEPS, device=device)
    shorter, visited = respaced(SCHEDULE, fewer)
    return step_factors(shorter, device), visited.to(device)


@torch.no_grad()
def sample(
    network: CcdNetwork,
    scene: SceneBatch,
    noise: RequestNoise,
    guidance: Guidance,
    fewer_steps: int | None = None,
) -> SampledScenes:
    """A thousand ancestral steps with the variance β, then smoothing, then the decode. Fewer steps
    visit evenly spaced levels, each with the β between it and the next."""
    assert scene.human is not None
    places, mask = places_of(scene.human), scene.mask
    batch, frames = mask.shape
    words = scene.camera_words
    twice = TextFeatures(*(repeated(it, 2) for it in (words.tokens, words.mask, words.pooled)))
    text = without_words(twice, torch.arange(2 * batch, device=mask.device) < batch)
    joints = network.joints(places)
    joints = None if joints is None else repeated(joints, 2)
    mask_twice, valid = repeated(mask, 2), mask[..., None]
    factors, levels = _levels(mask.device, fewer_steps)

    def step(
        values: Float[Tensor, "batch frames 5"], number: Int64[Tensor, ""]
    ) -> Float[Tensor, "batch frames 5"]:
        steps = entry(levels, number).expand(2 * batch)
        with sampling_precision(mask.device):
            both = network(repeated(values, 2), steps, mask_twice, text, joints)
        found = guided(both.chunk(2), guidance)
        fresh = noise.normal(number, frames, LOOK_AT.width) * valid
        spread = entry(factors.beta_spread, number) * (number > 0)
        return _ancestral(values, found, number, factors) + spread * fresh

    start = noise.normal(STEPS, frames, LOOK_AT.width) * valid
    values = count_down(step, start, len(levels))
    smooth = moving_average(network.physical(values), mask.to(values))
    tracks = from_look_at(smooth, places, scene.lens, scene.tan_half_lens)
    return SampledScenes(tracks)


def _ancestral(
    values: Float[Tensor, "batch frames 5"],
    noise: Float[Tensor, "batch frames 5"],
    number: Int64[Tensor, ""],
    factors: StepFactors,
) -> Float[Tensor, "batch frames 5"]:
    """DDPM's mean from ε: (x − β/√(1 − ᾱ)·ε)/√(1 − β)."""
    beta = entry(factors.beta_spread, number).square()
    return (values - beta / entry(factors.noise, number) * noise) / (1 - beta).sqrt()


def _in_fewer_steps(method: Baseline[CcdNetwork], steps: int) -> Baseline[CcdNetwork]:
    """The method where a thousand steps are too dear. Its sampler says so wherever it is named."""
    shorter = replace(
        method.protocol, sampler=f"DDPM, {steps} of {STEPS} steps", network_calls=2 * steps
    )
    return replace(method, protocol=shorter, sample=partial(sample, fewer_steps=steps))


_CCD = Baseline(
    name="ccd",
    paper_name="CCD",
    task="film",
    reads="camera words",
    makes_lens=False,
    protocol=MethodProtocol(
        sampler="DDPM, 1000 steps", guidance=(2.0,), guidance_names=("words",), network_calls=2000
    ),
    loss_parts=("noise",),
    build=build,
    fit=fit,
    loss=loss,
    sample=sample,
)
_CCD_H = replace(
    _CCD, name="ccd-h", paper_name="CCD-H", reads="camera words, joints around the head"
)
CCD, CCD_H = (
    replace(method, in_fewer_steps=partial(_in_fewer_steps, method)) for method in (_CCD, _CCD_H)
)
