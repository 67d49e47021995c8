"""DIRECTOR-C (Courant et al. 2024): camera words and the path of the person's root, by
cross-attention; EDM diffusion over nine numbers a frame.

A frame is six numbers of the camera's turn and three of its place: where it is in the first frame,
how far it goes in every later one. The lens is not generated.
"""

from collections.abc import Iterable
from dataclasses import dataclass

import torch
from jaxtyping import Bool, Float
from torch import Tensor, nn
from torch.nn.functional import layer_norm

from aesop.baselines.baseline_sampling import dropped, guided, repeated, sampling_precision
from aesop.baselines.edm import (
    DIRECTOR_EDM,
    heun,
    loss_weight,
    preconditioning,
    training_levels,
)
from aesop.baselines.request_noise import RequestNoise
from aesop.baselines.scene_batch import (
    Baseline,
    CameraTracks,
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
from aesop.baselines.transformer_parts import Attention, FeedForward, drop_branch, positions
from aesop.features.columns import ColumnLayout
from aesop.models.blocks import waves
from aesop.models.method_network import MethodNetwork, MethodShape, MethodSize
from aesop.scene.human import MAX_FRAMES
from aesop.scene.rotation import columns6_from_matrix, matrix_from_columns6
from aesop.text.encoder import TextFeatures

TRAJECTORY = ColumnLayout((("rotation", 6), ("place", 3)))
NORM_EPSILON = 1e-6
LEVEL_WAVES = 128
LEVEL_SCALE = 1000.0
CONDITION_DROP = 0.1  # both conditions together, and each by itself


@dataclass(frozen=True)
class DirectorSize:
    """Widths and depths. Published: 512 wide, eight blocks, two over the conditions."""

    width: int = 512
    depth: int = 8
    heads: int = 16
    hidden: int = 2048
    condition_depth: int = 2
    registers: int = 16
    dropout: float = 0.1
    branch_drop: float = 0.1


SIZES: dict[MethodSize, DirectorSize] = {
    "published": DirectorSize(),
    "base": DirectorSize(width=320, depth=9, heads=10, hidden=1280),
    "tiny": DirectorSize(width=48, depth=2, heads=4, hidden=96, condition_depth=1, registers=4),
}


class _DirectorLayer(nn.Module):
    """Pre-norm residual branches: another sequence is read where there is one, then the tokens read
    each other, then a feed-forward part. Every branch may be left out (stochastic depth)."""

    def __init__(self, size: DirectorSize, *, reads_other: bool) -> None:
        super().__init__()
        self.drop = size.branch_drop
        self.norms = nn.ModuleList(
            nn.LayerNorm(size.width, eps=NORM_EPSILON) for _ in range(2 + reads_other)
        )
        self.other = Attention(size.width, size.heads) if reads_other else None
        self.itself = Attention(size.width, size.heads)
        self.feed = FeedForward(size.width, size.hidden, size.dropout)

    def forward(
        self,
        states: Float[Tensor, "batch tokens width"],
        readable: Bool[Tensor, "batch tokens"],
        other: Float[Tensor, "batch keys width"] | None = None,
        other_readable: Bool[Tensor, "batch keys"] | None = None,
    ) -> Float[Tensor, "batch tokens width"]:
        *first, second, last = self.norms
        if self.other is not None:
            assert other is not None and other_readable is not None
            states = states + self._kept(self.other(first[0](states), other, other_readable))
        normal = second(states)
        states = states + self._kept(self.itself(normal, normal, readable))
        return states + self._kept(self.feed(last(states)))

    def _kept(self, branch: Float[Tensor, "batch tokens width"]) -> Tensor:
        return drop_branch(branch, self.drop, training=self.training)


class DirectorCNetwork(MethodNetwork):
    """F of EDM's preconditioning, with the statistics of trajectories and roots."""

    first_mean: Tensor
    first_spread: Tensor
    step_mean: Tensor
    step_spread: Tensor
    root_mean: Tensor
    root_spread: Tensor
    root_first_mean: Tensor
    root_first_spread: Tensor

    def __init__(self, shape: MethodShape) -> None:
        super().__init__(shape)
        size = self.size = SIZES[shape.size]
        width = size.width
        self.values_in = nn.Linear(TRAJECTORY.width, width)
        self.level = nn.Sequential(
            nn.Linear(LEVEL_WAVES, width), nn.SiLU(), nn.Linear(width, width)
        )
        self.registers = nn.Parameter(torch.empty(size.registers, width))
        nn.init.trunc_normal_(self.registers, std=0.02)
        self.root_in = nn.Linear(3, width)
        self.text_in = nn.Linear(shape.text, width)
        self.condition_layers = nn.ModuleList(
            _DirectorLayer(size, reads_other=False) for _ in range(size.condition_depth)
        )
        self.layers = nn.ModuleList(
            _DirectorLayer(size, reads_other=True) for _ in range(size.depth)
        )
        self.last_norm = nn.LayerNorm(width, eps=NORM_EPSILON)
        self.values_out = nn.Linear(width, TRAJECTORY.width)
        for name in ("first", "step", "root", "root_first"):
            self.register_buffer(f"{name}_mean", torch.zeros(3))
            self.register_buffer(f"{name}_spread", torch.ones(3))

    def forward(
        self,
        values: Float[Tensor, "batch frames 9"],
        noise_label: Float[Tensor, " batch"],
        mask: Bool[Tensor, "batch frames"],
        root: Float[Tensor, "batch frames 3"],
        text: TextFeatures,
    ) -> Float[Tensor, "batch frames 9"]:
        """`root` and the tokens of `text` are zero where they are dropped."""
        condition, readable = self._condition(noise_label, mask, root, text)
        states = self.values_in(values)
        states = states + positions(states.shape[1], states.shape[2], states)
        for layer in self.layers:
            states = layer(states, mask, condition, readable)
        return self.values_out(self.last_norm(states)).float() * mask[..., None]

    def _condition(
        self,
        noise_label: Float[Tensor, " batch"],
        mask: Bool[Tensor, "batch frames"],
        root: Float[Tensor, "batch frames 3"],
        text: TextFeatures,
    ) -> tuple[Float[Tensor, "batch keys width"], Bool[Tensor, "batch keys"]]:
        """Registers, level, root, words; places are counted as if every clip were as long as the
        longest, so that words stand at the same place whatever the batch is padded to."""
        batch, width, registers = len(mask), self.size.width, self.size.registers
        angles = waves(LEVEL_SCALE * noise_label, LEVEL_WAVES)
        level = self.level(layer_norm(angles, angles.shape[-1:]))[:, None]
        roots, words = self.root_in(root), self.text_in(text.tokens.to(root.dtype))
        front = torch.cat([self.registers.expand(batch, -1, -1).to(level), level], dim=1)
        front = front + positions(registers + 1, width, front)
        roots = roots + positions(roots.shape[1], width, roots, registers + 1)
        words = words + positions(words.shape[1], width, words, registers + 1 + MAX_FRAMES)
        states = torch.cat([front, roots, words], dim=1)
        always = torch.ones_like(mask[:, :1]).expand(-1, registers + 1)
        readable = torch.cat([always, mask, text.mask], dim=1)
        for layer in self.condition_layers:
            states = layer(states, readable)
        return states, readable

    def trajectory(
        self, tracks: CameraTracks, mask: Bool[Tensor, "batch frames"]
    ) -> Float[Tensor, "batch frames 9"]:
        """Cameras as the network knows them: places standardised, all of it times σ_data."""
        places = self._steps(tracks.centre, "first", "step")
        joined = TRAJECTORY.join(
            rotation=columns6_from_matrix(tracks.world_from_camera), place=places
        )
        return DIRECTOR_EDM.data_spread * joined * mask[..., None]

    def tracks(
        self, values: Float[Tensor, "batch frames 9"], lens: Float[Tensor, "batch frames 2"]
    ) -> CameraTracks:
        """Inverse of `trajectory`, with a lens that is given."""
        values = values / DIRECTOR_EDM.data_spread
        place = TRAJECTORY.take(values, "place")
        first = place[:, :1] * self.first_spread + self.first_mean
        later = place[:, 1:] * self.step_spread + self.step_mean
        return CameraTracks(
            world_from_camera=matrix_from_columns6(TRAJECTORY.take(values, "rotation")),
            centre=torch.cat([first, later], dim=1).cumsum(1),
            lens=lens,
        )

    def root_steps(
        self, places: PersonPlaces, mask: Bool[Tensor, "batch frames"]
    ) -> Float[Tensor, "batch frames 3"]:
        return self._steps(places.root, "root_first", "root") * mask[..., None]

    def _steps(
        self, path: Float[Tensor, "batch frames 3"], first: str, later: str
    ) -> Float[Tensor, "batch frames 3"]:
        """The first place, then steps, each standardised by its own mean and spread."""
        known = {name: getattr(self, name) for name, _ in self.named_buffers()}
        beginning = (path[:, :1] - known[f"{first}_mean"]) / known[f"{first}_spread"]
        steps = (path.diff(dim=1) - known[f"{later}_mean"]) / known[f"{later}_spread"]
        return torch.cat([beginning, steps], dim=1)


def build(shape: MethodShape) -> DirectorCNetwork:
    return DirectorCNetwork(shape)


@torch.no_grad()
def fit(network: DirectorCNetwork, scenes: Iterable[SceneBatch]) -> None:
    """Means and spreads of first places and of steps, over all training clips."""
    known = {name: RunningMoments() for name in ("first", "step", "root", "root_first")}
    for scene in scenes:
        assert scene.human is not None and scene.camera is not None
        root = places_of(scene.human).root
        centre = tracks_of(scene.camera, root).centre
        both = scene.mask[:, 1:] & scene.mask[:, :-1]
        known["first"].add(centre[:, 0])
        known["root_first"].add(root[:, 0])
        known["step"].add(centre.diff(dim=1)[both])
        known["root"].add(root.diff(dim=1)[both])
    for name, found in known.items():
        getattr(network, f"{name}_mean").copy_(found.mean)
        getattr(network, f"{name}_spread").copy_(found.spread)


def loss(network: DirectorCNetwork, scene: SceneBatch, dice: Dice) -> MethodLoss:
    """EDM's: squared error of the denoised trajectory, weighted so that every level counts alike.
    Only real frames count; in the published code padded ones are regressed too."""
    assert scene.human is not None and scene.camera is not None
    places = places_of(scene.human)
    clean = network.trajectory(tracks_of(scene.camera, places.root), scene.mask)
    device, batch = clean.device, len(clean)
    normal = torch.randn(batch, generator=dice, device=device)
    sigma = training_levels(normal)
    noise = torch.randn(clean.shape, generator=dice, device=device)
    both, root_alone, words_alone = dropped(batch, (CONDITION_DROP,) * 3, dice, device)
    root = _without(network.root_steps(places, scene.mask), both | root_alone)
    text = without_words(scene.camera_words, both | words_alone)
    noisy = (clean + sigma[:, None, None] * noise) * scene.mask[..., None]
    made = denoised(network, noisy, sigma, scene.mask, root, text)
    errors = loss_weight(sigma)[:, None, None] * (made - clean).square()
    total = masked_mean(errors, scene.mask)
    return MethodLoss(total, total.detach()[None])


def denoised(
    network: DirectorCNetwork,
    noisy: Float[Tensor, "batch frames 9"],
    sigma: Float[Tensor, " batch"],
    mask: Bool[Tensor, "batch frames"],
    root: Float[Tensor, "batch frames 3"],
    text: TextFeatures,
) -> Float[Tensor, "batch frames 9"]:
    """D(x; σ)."""
    known = preconditioning(sigma)
    into, skip, out = (it[:, None, None] for it in (known.into, known.skip, known.out))
    return skip * noisy + out * network(into * noisy, known.noise_label, mask, root, text)


def without_words(text: TextFeatures, is_dropped: Bool[Tensor, " batch"]) -> TextFeatures:
    """Zeros in place of the words of some rows; the places of their tokens stay."""
    return TextFeatures(
        _without(text.tokens, is_dropped), text.mask, _without(text.pooled, is_dropped)
    )


def _without(values: Tensor, is_dropped: Bool[Tensor, " batch"]) -> Tensor:
    return values.masked_fill(is_dropped.view(-1, *[1] * (values.ndim - 1)), 0)


@torch.no_grad()
def sample(
    network: DirectorCNetwork, scene: SceneBatch, noise: RequestNoise, guidance: Guidance
) -> SampledScenes:
    """Ten levels by Heun's method; words and root are left out together."""
    assert scene.human is not None
    places, mask = places_of(scene.human), scene.mask
    batch = len(mask)
    root = repeated(network.root_steps(places, mask), 2)
    everything_gone = torch.arange(2 * batch, device=mask.device) < batch
    words = scene.camera_words
    twice = TextFeatures(*(repeated(it, 2) for it in (words.tokens, words.mask, words.pooled)))
    root, twice = _without(root, everything_gone), without_words(twice, everything_gone)
    mask_twice = repeated(mask, 2)

    def denoise(
        values: Float[Tensor, "batch frames 9"], sigma: Float[Tensor, ""]
    ) -> Float[Tensor, "batch frames 9"]:
        with sampling_precision(values.device):
            both = denoised(
                network, repeated(values, 2), sigma.expand(2 * batch), mask_twice, root, twice
            )
        return guided(both.chunk(2), guidance)

    start = noise.normal(0, mask.shape[1], TRAJECTORY.width) * mask[..., None]
    values = heun(denoise, start)
    return SampledScenes(network.tracks(values, scene.lens))


DIRECTOR_C = Baseline(
    name="director-c",
    paper_name="DIRECTOR-C",
    task="film",
    reads="camera words, root trajectory",
    makes_lens=False,
    protocol=MethodProtocol(
        sampler="EDM, 10 levels by Heun's method, ρ = 40",
        guidance=(1.4,),
        guidance_names=("both",),
        network_calls=38,
    ),
    loss_parts=("denoising",),
    build=build,
    fit=fit,
    loss=loss,
    sample=sample,
)
