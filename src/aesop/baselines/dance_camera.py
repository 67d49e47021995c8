"""DanceCamera3D (Wang et al. 2024) with camera words in place of music: diffusion over polar
cameras (`polar_frame`), which the full motion of the person and the words condition apart, so that
each has a guidance of its own. It makes its own lens."""

from collections.abc import Iterable
from dataclasses import dataclass

import torch
from jaxtyping import Bool, Float, Int64
from torch import Tensor, nn
from torch.nn.functional import mish

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
    cosine_schedule,
    ddim_step,
    ddim_times,
    step_factors,
)
from aesop.baselines.polar_frame import (
    POLAR,
    body_attention,
    from_polar,
    from_unit,
    to_polar,
    to_unit,
)
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
from aesop.baselines.transformer_parts import Attention, FeedForward, rotary
from aesop.features.columns import HUMAN
from aesop.features.human_features import STAND_WIDTH, stand_from_features
from aesop.models.blocks import waves
from aesop.models.method_network import MethodNetwork, MethodShape, MethodSize
from aesop.scene.camera import project
from aesop.scene.human import MAX_FRAMES

SCHEDULE = cosine_schedule()
CONDITION_DROP = 0.25  # of person and words, each by itself
SAMPLING_STEPS = 50
ETA = 1.0
POSE_WIDTH = HUMAN.width + STAND_WIDTH
LOSS_PARTS = ("reconstruction", "velocity", "acceleration", "inside_body", "outside_body")
LOSS_WEIGHTS = (2.0, 5.0, 5.0, 0.0015, 0.0)


@dataclass(frozen=True)
class DanceSize:
    """Published: 512 wide, eight layers, feed-forward parts twice as wide."""

    width: int = 512
    depth: int = 8
    heads: int = 8
    hidden: int = 1024
    condition_depth: int = 2
    dropout: float = 0.1


SIZES: dict[MethodSize, DanceSize] = {
    "published": DanceSize(),
    "base": DanceSize(width=320, depth=6, heads=8, hidden=640),
    "tiny": DanceSize(width=48, depth=2, heads=4, hidden=96, condition_depth=1),
}


class _ConditionLayer(nn.Module):
    """A pre-norm encoder layer with rotary positions."""

    def __init__(self, size: DanceSize) -> None:
        super().__init__()
        self.norms = nn.ModuleList(nn.LayerNorm(size.width) for _ in range(2))
        self.itself = Attention(size.width, size.heads, size.dropout)
        self.feed = FeedForward(size.width, size.hidden, size.dropout)
        self.drop = nn.Dropout(size.dropout)

    def forward(
        self,
        states: Float[Tensor, "batch frames width"],
        readable: Bool[Tensor, "batch frames"],
    ) -> Float[Tensor, "batch frames width"]:
        normal = self.norms[0](states)
        turned = rotary(normal)
        states = states + self.drop(self.itself(normal, normal, readable, (turned, turned)))
        return states + self.drop(self.feed(self.norms[1](states)))


class _Condition(nn.Module):
    """One modality: its tokens, one vector of them, and what stands for both where it is left
    out."""

    def __init__(self, features: int, size: DanceSize) -> None:
        super().__init__()
        width = size.width
        self.into = nn.Linear(features, width)
        self.layers = nn.ModuleList(_ConditionLayer(size) for _ in range(size.condition_depth))
        self.vector = nn.Sequential(
            nn.LayerNorm(width), nn.Linear(width, width), nn.SiLU(), nn.Linear(width, width)
        )
        self.null_tokens = nn.Parameter(torch.randn(MAX_FRAMES, width))
        self.null_vector = nn.Parameter(torch.randn(width))

    def forward(
        self,
        features: Float[Tensor, "batch frames features"],
        mask: Bool[Tensor, "batch frames"],
        is_dropped: Bool[Tensor, " batch"],
    ) -> tuple[Float[Tensor, "batch frames width"], Float[Tensor, "batch width"]]:
        tokens = self.into(features)
        for layer in self.layers:
            tokens = layer(tokens, mask)
        gone = is_dropped[:, None]
        tokens = torch.where(gone[..., None], self.null_tokens[: mask.shape[1]], tokens)
        valid = mask[..., None].to(tokens)
        vector = self.vector((tokens * valid).sum(1) / valid.sum(1).clamp_min(1))
        return tokens, torch.where(gone, self.null_vector, vector)


class _Film(nn.Module):
    """(1 + scale)·x + shift, both from one vector of every clip."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.both = nn.Linear(width, 2 * width)

    def forward(
        self, states: Float[Tensor, "batch frames width"], vector: Float[Tensor, "batch width"]
    ) -> Float[Tensor, "batch frames width"]:
        scale, shift = self.both(mish(vector))[:, None].chunk(2, dim=-1)
        return (1 + scale) * states + shift


class _DanceLayer(nn.Module):
    """Self-attention, reading of the conditions, feed-forward: pre-norm, each modulated before it
    is added."""

    def __init__(self, size: DanceSize) -> None:
        super().__init__()
        self.norms = nn.ModuleList(nn.LayerNorm(size.width) for _ in range(3))
        self.films = nn.ModuleList(_Film(size.width) for _ in range(3))
        self.itself = Attention(size.width, size.heads, size.dropout)
        self.reading = Attention(size.width, size.heads, size.dropout)
        self.feed = FeedForward(size.width, size.hidden, size.dropout)
        self.drop = nn.Dropout(size.dropout)

    def forward(
        self,
        states: Float[Tensor, "batch frames width"],
        mask: Bool[Tensor, "batch frames"],
        memory: Float[Tensor, "batch keys width"],
        readable: Bool[Tensor, "batch keys"],
        vector: Float[Tensor, "batch width"],
    ) -> Float[Tensor, "batch frames width"]:
        own, reading, feeding = self.films
        normal = self.norms[0](states)
        turned = rotary(normal)
        inner = self.drop(self.itself(normal, normal, mask, (turned, turned)))
        states = states + own(inner, vector)
        normal = self.norms[1](states)
        inner = self.drop(self.reading(normal, memory, readable, (rotary(normal), rotary(memory))))
        states = states + reading(inner, vector)
        inner = self.drop(self.feed(self.norms[2](states)))
        return states + feeding(inner, vector)


@dataclass(frozen=True, eq=False)
class ReadConditions:
    """Person and words, as the layers read them: a token for every frame, one vector for all."""

    mask: Bool[Tensor, "batch frames"]
    tokens: Float[Tensor, "batch frames width"]
    vector: Float[Tensor, "batch width"]


class DanceCameraNetwork(MethodNetwork):
    """Predicts clean cameras. What is left out is said row by row."""

    low: Tensor
    high: Tensor
    pose_mean: Tensor
    pose_spread: Tensor

    def __init__(self, shape: MethodShape) -> None:
        super().__init__(shape)
        size = self.size = SIZES[shape.size]
        width = size.width
        self.values_in = nn.Linear(POLAR.width, width)
        self.person = _Condition(POSE_WIDTH, size)
        self.words = _Condition(shape.text, size)
        self.fused_tokens = nn.Linear(2 * width, width)
        self.fused_vector = nn.Linear(2 * width, width)
        self.time = nn.Linear(width, 4 * width)
        self.time_vector = nn.Linear(4 * width, width)
        self.time_tokens = nn.Linear(4 * width, 2 * width)
        self.memory_norm = nn.LayerNorm(width)
        self.layers = nn.ModuleList(_DanceLayer(size) for _ in range(size.depth))
        self.values_out = nn.Linear(width, POLAR.width)
        self.register_buffer("low", -torch.ones(POLAR.width))
        self.register_buffer("high", torch.ones(POLAR.width))
        self.register_buffer("pose_mean", torch.zeros(POSE_WIDTH))
        self.register_buffer("pose_spread", torch.ones(POSE_WIDTH))

    def read(
        self,
        mask: Bool[Tensor, "batch frames"],
        pose: Float[Tensor, "batch frames pose"],
        words: Float[Tensor, "batch text"],
        no_person: Bool[Tensor, " batch"],
        no_words: Bool[Tensor, " batch"],
    ) -> ReadConditions:
        """The conditions, which are the same at every step."""
        tiled = words[:, None].expand(-1, mask.shape[1], -1).to(pose.dtype)
        person, person_vector = self.person(pose, mask, no_person)
        text, text_vector = self.words(tiled, mask, no_words)
        return ReadConditions(
            mask,
            self.fused_tokens(torch.cat([person, text], dim=-1)),
            self.fused_vector(torch.cat([person_vector, text_vector], dim=-1)),
        )

    def forward(
        self,
        values: Float[Tensor, "batch frames 8"],
        step: Int64[Tensor, " batch"],
        conditions: ReadConditions,
    ) -> Float[Tensor, "batch frames 8"]:
        mask = conditions.mask
        time = mish(self.time(waves(step.float(), self.size.width)))
        vector = conditions.vector + self.time_vector(time)
        time_tokens = self.time_tokens(time).unflatten(-1, (2, -1))
        memory = self.memory_norm(torch.cat([time_tokens, conditions.tokens], dim=1))
        readable = torch.cat([torch.ones_like(mask[:, :1]).expand(-1, 2), mask], dim=1)
        states = self.values_in(values).float()  # sums stay in single precision
        for layer in self.layers:
            states = layer(states, mask, memory, readable, vector)
        return self.values_out(states).float() * mask[..., None]

    def pose(self, human: Float[Tensor, "batch frames 199"]) -> Float[Tensor, "batch frames pose"]:
        """All of the motion, and where its steps have led: place and heading."""
        with torch.autocast(human.device.type, enabled=False):
            human = human.float()
            every = torch.cat([human, stand_from_features(human)], dim=-1)
            return (every - self.pose_mean) / self.pose_spread


def build(shape: MethodShape) -> DanceCameraNetwork:
    return DanceCameraNetwork(shape)


def _polar(scene: SceneBatch, places: PersonPlaces) -> Float[Tensor, "batch frames 8"]:
    assert scene.camera is not None
    return to_polar(tracks_of(scene.camera, places.root), places.root)


@torch.no_grad()
def fit(network: DanceCameraNetwork, scenes: Iterable[SceneBatch]) -> None:
    """Ranges of cameras, mean and spread of poses, over all real frames."""
    cameras, poses = RunningMoments(), RunningMoments()
    for scene in scenes:
        assert scene.human is not None
        cameras.add(_polar(scene, places_of(scene.human))[scene.mask])
        poses.add(network.pose(scene.human)[scene.mask])
    network.low.copy_(cameras.low)
    network.high.copy_(cameras.high)
    network.pose_mean.copy_(poses.mean)
    network.pose_spread.copy_(poses.spread)


def loss(network: DanceCameraNetwork, scene: SceneBatch, dice: Dice) -> MethodLoss:
    """Five terms: cameras, their first and second differences, bodies that should be in view, and
    bodies that should not (whose published weight is zero)."""
    assert scene.human is not None
    places, mask = places_of(scene.human), scene.mask
    physical = _polar(scene, places)
    clean = to_unit(physical, network.low, network.high) * mask[..., None]
    batch, device = len(clean), clean.device
    step = (torch.rand(batch, generator=dice, device=device) * STEPS).long().clamp_max(STEPS - 1)
    noise = torch.randn(clean.shape, generator=dice, device=device) * mask[..., None]
    no_person, no_words = dropped(batch, (CONDITION_DROP,) * 2, dice, device)
    noisy = add_noise(clean, noise, step, _factors(device))
    pose, words = network.pose(scene.human) * mask[..., None], scene.camera_words.pooled
    made = network(noisy, step, network.read(mask, pose, words, no_person, no_words))
    errors = made - clean
    both = mask[:, 1:] & mask[:, :-1]
    three = both[:, 1:] & both[:, :-1]
    terms = (
        masked_mean(errors.square(), mask),
        masked_mean(errors.diff(dim=1).square(), both),
        masked_mean(errors.diff(dim=1).diff(dim=1).square(), three),
        *_attention_terms(network, made, physical, scene, places),
    )
    parts = torch.stack([weight * it for weight, it in zip(LOSS_WEIGHTS, terms, strict=True)])
    return MethodLoss(parts.sum(), parts.detach())


def _attention_terms(
    network: DanceCameraNetwork,
    made: Float[Tensor, "batch frames 8"],
    wanted: Float[Tensor, "batch frames 8"],
    scene: SceneBatch,
    places: PersonPlaces,
) -> tuple[Float[Tensor, ""], Float[Tensor, ""]]:
    """Joints that the reference sees should be in view, joints that it does not see should not."""
    with torch.autocast(made.device.type, enabled=False):
        aspect = _aspect(scene)
        reference = from_polar(wanted, aspect)
        seen = project(
            places.joints,
            reference.world_from_camera,
            reference.centre,
            torch.tan(reference.lens.flip(-1) / 2),
        ).visible
        cameras = from_polar(from_unit(made.clamp(-1, 1), network.low, network.high), aspect)
        valid = scene.mask[..., None]
        return (
            body_attention(places.joints, cameras, seen & valid, inside=True),
            body_attention(places.joints, cameras, ~seen & valid, inside=False),
        )


def _aspect(scene: SceneBatch) -> Float[Tensor, "batch frames 1"]:
    """Width over height of the picture; square after a clip's end, where there is none."""
    across, up = scene.tan_half_lens.unbind(-1)
    return torch.where(up > 0, across / up.clamp_min(1e-6), 1.0)[..., None]


_KNOWN_FACTORS: dict[torch.device, StepFactors] = {}


def _factors(device: torch.device) -> StepFactors:
    """The schedule on a device; made once, since a captured step may copy nothing to it."""
    if device not in _KNOWN_FACTORS:
        _KNOWN_FACTORS[device] = step_factors(SCHEDULE, device)
    return _KNOWN_FACTORS[device]


@torch.no_grad()
def sample(
    network: DanceCameraNetwork, scene: SceneBatch, noise: RequestNoise, guidance: Guidance
) -> SampledScenes:
    """Fifty DDIM steps with fresh noise. Three answers each: with nothing, with the person, with
    person and words; clean cameras are cut to their range."""
    assert scene.human is not None
    mask, device = scene.mask, scene.mask.device
    batch, frames = mask.shape
    valid = mask[..., None]
    pose = repeated(network.pose(scene.human) * valid, 3)
    words, mask_thrice = repeated(scene.camera_words.pooled, 3), repeated(mask, 3)
    row = torch.arange(3 * batch, device=device)
    with sampling_precision(device):
        conditions = network.read(mask_thrice, pose, words, row < batch, row < 2 * batch)
    times = ddim_times(SAMPLING_STEPS)[::-1]  # counted down: the last step is number 0
    steps = [ddim_step(SCHEDULE, now, following, ETA) for now, following in times]
    now = torch.tensor([it for it, _ in times], device=device)
    table = torch.tensor([(it.signal, it.direction, it.spread) for it in steps], device=device)
    factors = _factors(device)

    def step(
        values: Float[Tensor, "batch frames 8"], number: Int64[Tensor, ""]
    ) -> Float[Tensor, "batch frames 8"]:
        at = entry(now, number)
        with sampling_precision(device):
            every = network(repeated(values, 3), at.expand(3 * batch), conditions)
        clean = guided(every.chunk(3), guidance).clamp(-1, 1) * valid
        found = (values - entry(factors.signal, at) * clean) / entry(factors.noise, at)
        signal, direction, spread = entry(table, number).unbind(-1)
        fresh = noise.normal(number, frames, POLAR.width) * valid
        return signal * clean + direction * found + spread * fresh

    start = noise.normal(SAMPLING_STEPS, frames, POLAR.width) * valid
    values = count_down(step, start, SAMPLING_STEPS)
    physical = from_unit(values.clamp(-1, 1), network.low, network.high)
    return SampledScenes(from_polar(physical, _aspect(scene)))


DANCE_CAMERA = Baseline(
    name="dancecamera3d",
    paper_name="DanceCamera3D",
    task="film",
    reads="camera words, full human motion",
    makes_lens=True,
    protocol=MethodProtocol(
        sampler="DDIM, 50 steps, η = 1",
        guidance=(1.75, 1.0),
        guidance_names=("human", "words"),
        network_calls=150,
    ),
    loss_parts=LOSS_PARTS,
    build=build,
    fit=fit,
    loss=loss,
    sample=sample,
)
