"""What PulpMotion's two generators share: latents of the symmetric autoencoder brought to one
scale, both captions as one vector, noise levels, guidance by a tuple, and sampling from noise."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Literal

import torch
from jaxtyping import Bool, Float, Int64
from torch import Tensor, nn
from torch.nn.functional import layer_norm

from aesop.baselines.baseline_sampling import guided
from aesop.baselines.diffusion import (
    STEPS,
    NoiseSchedule,
    ancestral_mean,
    at,
    clean_from_noise,
    cosine_schedule,
    linear_schedule,
    respaced,
    step_factors,
)
from aesop.baselines.pulpmotion_autoencoder import (
    SymmetricAutoencoder,
    framing_projection,
    scene_tracks,
    whole,
)
from aesop.baselines.request_noise import RequestNoise
from aesop.baselines.scene_batch import Guidance, RunningMoments, SampledScenes, SceneBatch
from aesop.core.errors import AesopError
from aesop.models.blocks import start_evenly
from aesop.models.codec import token_mask
from aesop.models.method_network import MethodNetwork, MethodShape

Betas = Literal["linear", "cosine"]
SCHEDULES: dict[Betas, Callable[[], NoiseSchedule]] = {
    "linear": linear_schedule,
    "cosine": cosine_schedule,
}
CAPTIONS = 2  # the camera's and the human's, in this order
SAMPLING_STEPS = 50
WORD_DROPOUT = 0.1
# Clean latents are believed up to so many spreads. Where next to nothing of them is left in the
# noise, a small error of the predicted noise implies a huge one of them.
CLEAN_LIMIT = 6.0
GUIDANCE_NAMES = ("words", "context", "framing")


@dataclass(frozen=True)
class GuidanceTuple:
    """(g_c, g_m, g_z): how hard words are followed, how hard tokens that are there already are, and
    how far the framing is pushed. A negative g_m is plain guidance by words; g_z = 0 leaves
    auxiliary sampling out."""

    words: float
    context: float
    framing: float

    @property
    def has_context(self) -> bool:
        return self.context >= 0


def guidance_tuple(factors: Guidance) -> GuidanceTuple:
    """The factors by name; another number of them is refused."""
    if len(factors) != len(GUIDANCE_NAMES):
        raise AesopError(
            f"PulpMotion is guided by three factors, not {len(factors)}.",
            f"Give {', '.join(GUIDANCE_NAMES)}.",
        )
    return GuidanceTuple(*factors)


def guided_noise(
    answers: tuple[Float[Tensor, "batch tokens latent"], ...],
    guidance: GuidanceTuple,
    projection: Float[Tensor, "latent latent"] | None = None,
) -> Float[Tensor, "batch tokens latent"]:
    """One noise of what the network says the less and the more it knows.

    Plain: ε_∅ + g_c·(ε_c − ε_∅), of (ε_∅, ε_c). With context: ε_∅ + g_m·(ε_m − ε_∅) +
    g_c·(ε_{c,m} − ε_m), of (ε_∅, ε_m, ε_{c,m}), where ε_∅ knows neither words nor tokens.
    Auxiliary sampling adds g_z·P·ε_∅, which only moves what the framing is read from.
    """
    context = (guidance.context,) if guidance.has_context else ()
    noise = guided(answers, (*context, guidance.words))
    if guidance.framing == 0:
        return noise
    assert projection is not None, "auxiliary sampling needs the autoencoder's projection"
    # P is symmetric: a row times P.
    return noise + guidance.framing * (answers[0] @ projection.to(answers[0]))


@dataclass(frozen=True, eq=False)
class BothCaptions:
    """Both captions of every clip, one vector each; where `dropped` is true they are not read."""

    vectors: Float[Tensor, "batch 2 text"]
    dropped: Bool[Tensor, " batch"]

    def without(self) -> "BothCaptions":
        """The same clips with no words read."""
        return BothCaptions(self.vectors, torch.ones_like(self.dropped))

    def followed_by(self, other: "BothCaptions") -> "BothCaptions":
        """Two batches as one."""
        return BothCaptions(
            torch.cat([self.vectors, other.vectors]), torch.cat([self.dropped, other.dropped])
        )


def captions_of(scenes: SceneBatch, dropped: Bool[Tensor, " batch"] | None = None) -> BothCaptions:
    """The captions of scenes; all are read unless some are dropped."""
    vectors = torch.stack([scenes.camera_words.pooled, scenes.human_words.pooled], dim=1)
    none = torch.zeros_like(scenes.mask[:, 0])
    return BothCaptions(vectors, none if dropped is None else dropped)


class CaptionCondition(nn.Module):
    """Both captions side by side to one vector; zeros where they are dropped. Vectors are brought
    to spread one first: encoders differ in scale."""

    def __init__(self, text: int, width: int) -> None:
        super().__init__()
        self.join = nn.Linear(CAPTIONS * text, width)
        start_evenly(self.join)

    def forward(self, captions: BothCaptions) -> Float[Tensor, "batch width"]:
        vectors = captions.vectors.float()
        even = layer_norm(vectors, vectors.shape[-1:])
        even = even.masked_fill(captions.dropped[:, None, None], 0).flatten(1)
        return self.join(even.to(self.join.weight.dtype))


class LatentGenerator(MethodNetwork):
    """A network that makes latents of the symmetric autoencoder, its partner. It knows their mean
    and spread, channel by channel: diffusion wants them near one."""

    sampling_steps = SAMPLING_STEPS
    latent_mean: Tensor
    latent_spread: Tensor
    signal: Tensor
    noise: Tensor

    def __init__(self, shape: MethodShape, latent: int, betas: Betas) -> None:
        super().__init__(shape)
        self.latent = latent
        self.betas: Betas = betas
        self.register_buffer("latent_mean", torch.zeros(latent, dtype=torch.float64))
        self.register_buffer("latent_spread", torch.ones(latent, dtype=torch.float64))
        kept = SCHEDULES[betas]().alpha_bars
        # On the device, where a captured step reads them; a function of the schedule's name.
        self.register_buffer("signal", kept.sqrt().float(), persistent=False)
        self.register_buffer("noise", (1 - kept).sqrt().float(), persistent=False)

    @property
    def autoencoder(self) -> SymmetricAutoencoder:
        assert isinstance(self.partner, SymmetricAutoencoder)
        return self.partner

    @torch.no_grad()
    def scaled_latents(self, scenes: SceneBatch) -> Float[Tensor, "batch tokens latent"]:
        """What the generator learns to make, of whole scenes; zero at padded tokens. In single
        precision whatever a step computes in: they are targets."""
        with torch.autocast(scenes.mask.device.type, enabled=False):
            latents = self.autoencoder.to_latents(*whole(scenes), scenes.mask)
        mean, spread = self.latent_mean.to(latents), self.latent_spread.to(latents)
        beyond = ~token_mask(scenes.mask)[..., None]
        return ((latents - mean) / spread).masked_fill(beyond, 0)

    def scenes_of(
        self, latents: Float[Tensor, "batch tokens latent"], mask: Bool[Tensor, "batch frames"]
    ) -> SampledScenes:
        """Made latents as cameras and people."""
        mean, spread = self.latent_mean.to(latents), self.latent_spread.to(latents)
        camera, human = self.autoencoder.from_latents(latents * spread + mean, mask)
        return SampledScenes(scene_tracks(camera, human), human)

    def projection(self, guidance: GuidanceTuple) -> Float[Tensor, "latent latent"] | None:
        """P as it acts on scaled latents, where it is asked for: z_F = Wᵀ(μ + s·z) moves with
        diag(s)·W."""
        if guidance.framing == 0:
            return None
        framing_map = self.autoencoder.framing_map()
        return framing_projection(self.latent_spread[:, None] * framing_map)

    def noised(
        self,
        clean: Float[Tensor, "batch tokens latent"],
        noise: Float[Tensor, "batch tokens latent"],
        level: Int64[Tensor, " *levels"],
    ) -> Float[Tensor, "batch tokens latent"]:
        """√ᾱ·z + √(1 − ᾱ)·ε, at one level for every clip or for every token."""
        share = level if level.ndim == clean.ndim - 1 else level[:, None]
        return self.signal[share][..., None] * clean + self.noise[share][..., None] * noise


@torch.no_grad()
def fit_latents(network: LatentGenerator, scenes: Iterable[SceneBatch]) -> None:
    """Mean and spread of the training latents, over real tokens."""
    known = RunningMoments()
    for batch in scenes:
        latents = network.autoencoder.to_latents(*whole(batch), batch.mask)
        known.add(latents[token_mask(batch.mask)])
    network.latent_mean.copy_(known.mean)
    network.latent_spread.copy_(known.spread)


def draws_of(
    network: LatentGenerator, noise: RequestNoise, tokens: int
) -> Float[Tensor, "steps batch tokens latent"]:
    """Noise to start from and for every later step, each clip's and each token's its own."""
    every = range(network.sampling_steps)
    return torch.stack([noise.normal(number, tokens, network.latent) for number in every])


def denoised(
    predicted: Callable[[Tensor, int], Tensor],
    betas: Betas,
    noise: Float[Tensor, "steps batch tokens latent"],
) -> Float[Tensor, "batch tokens latent"]:
    """From noise to clean latents, by DDPM's posterior on as many evenly spaced levels as there are
    draws. `predicted` gives the noise in latents at a trained level."""
    schedule, visited = respaced(SCHEDULES[betas](), len(noise))
    factors, latents = step_factors(schedule, noise.device), noise[0]
    levels = visited.tolist()
    for number, place in enumerate(reversed(range(len(noise))), start=1):
        step = torch.full((len(latents),), place, device=noise.device)
        answer = predicted(latents, levels[place])
        clean = clean_from_noise(latents, answer, step, factors).clamp(-CLEAN_LIMIT, CLEAN_LIMIT)
        latents = ancestral_mean(latents, clean, step, factors)
        if place > 0:
            latents = latents + at(factors.posterior_spread, step) * noise[number]
    return latents


def random_levels(
    shape: tuple[int, ...], dice: torch.Generator | None, device: torch.device
) -> Int64[Tensor, "..."]:
    """Trained levels, each as likely as any other."""
    return torch.randint(STEPS, shape, generator=dice, device=device)
