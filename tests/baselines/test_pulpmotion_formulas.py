"""PulpMotion's published formulas, by hand: posterior, guidance, projection, masking schedule."""

import math

import pytest
import torch

from aesop.baselines.latent_diffusion import (
    CLEAN_LIMIT,
    SCHEDULES,
    Betas,
    denoised,
    guidance_tuple,
    guided_noise,
)
from aesop.baselines.pulpmotion_autoencoder import framing_projection, framing_targets
from aesop.baselines.pulpmotion_dit import DIT_GUIDANCE
from aesop.baselines.pulpmotion_mar import (
    ITERATIONS,
    MAR_GUIDANCE,
    hidden_in_training,
    tokens_left,
)
from aesop.core.errors import AesopError
from aesop.features.camera_features import camera_to_features
from aesop.features.human_features import human_to_features
from aesop.metrics.framing_metrics import framing_of
from tests.baselines.pulpmotion_makers import mask_of
from tests.metrics.makers import straight_shot
from tests.tolerances import SOLVED64, rounded32

PLAIN, WITH_CONTEXT = guidance_tuple(DIT_GUIDANCE), guidance_tuple(MAR_GUIDANCE)


@pytest.mark.parametrize("betas", ["linear", "cosine"])
def test_a_perfect_predictor_is_sampled_to_the_clean_latents(betas: Betas, dice: torch.Generator):
    """Whatever noise is added on the way: the noise of a known answer leads to that answer, and
    fifty levels are asked for, evenly from the last to the first (999/49 = 20.39 apart)."""
    kept, asked = SCHEDULES[betas]().alpha_bars, list[int]()
    clean = torch.randn(3, 5, 7, generator=dice)
    noise = torch.randn(50, 3, 5, 7, generator=dice)

    def predicted(latents: torch.Tensor, level: int) -> torch.Tensor:
        asked.append(level)
        return (latents - kept[level].sqrt() * clean).float() / (1 - kept[level]).sqrt().float()

    made = denoised(predicted, betas, noise)
    # The last step divides by the little noise that is left: a hundredth (linear) or less.
    torch.testing.assert_close(made, clean, atol=rounded32(400, 4.0), rtol=0)
    assert asked[:2] == [999, 979] and asked[-3:] == [41, 20, 0] and len(set(asked)) == 50


def test_one_step_of_sampling_is_the_posterior_by_bayes():
    """Two visited levels, 999 and 0: combine the prior around the implied clean latents at level 0
    with the chance that it became what is seen; then the last step gives what the noise implies."""
    kept = SCHEDULES["linear"]().alpha_bars
    high, low = float(kept[999]), float(kept[0])
    alpha = high / low
    start, fresh, answers = 0.7, -0.4, {999: 0.69, 0: 0.2}
    clean = (start - math.sqrt(1 - high) * 0.69) / math.sqrt(high)
    prior, likelihood = 1 / (1 - low), alpha / (1 - alpha)
    variance = 1 / (prior + likelihood)
    mean = variance * (prior * math.sqrt(low) * clean + likelihood * start / math.sqrt(alpha))
    middle = mean + math.sqrt(variance) * fresh
    wanted = (middle - math.sqrt(1 - low) * 0.2) / math.sqrt(low)

    def predicted(latents: torch.Tensor, level: int) -> torch.Tensor:
        return torch.full_like(latents, answers[level])

    made = denoised(predicted, "linear", torch.tensor([start, fresh]).view(2, 1, 1, 1))
    # Next to nothing of the clean latents is left at level 999: they are divided by 0.0064.
    assert float(made) == pytest.approx(wanted, abs=rounded32(40, 1 / 0.0064))
    answers[999] = 0.9  # would mean that they are −31
    assert float(denoised(predicted, "linear", torch.zeros(2, 1, 1, 1))) == -CLEAN_LIMIT


def test_published_tuples():
    assert DIT_GUIDANCE == (11, -1, 0) and not PLAIN.has_context
    assert MAR_GUIDANCE == (3.5, 2, 0) and WITH_CONTEXT.has_context
    with pytest.raises(AesopError, match="three factors"):
        guidance_tuple((3.0,))


def test_guidance_weighs_each_answer_as_published():
    """Weights of the answers by unit vectors, least knowledge first: plain 1 − 11 and 11, with
    context 1 − 2, 2 − 3.5 and 3.5."""
    plain = guided_noise(tuple(torch.eye(2)[:, None, None]), PLAIN)
    assert plain.flatten().tolist() == [-10, 11]
    with_context = guided_noise(tuple(torch.eye(3)[:, None, None]), WITH_CONTEXT)
    assert with_context.flatten().tolist() == [-1, -1.5, 3.5]


def test_projection_is_idempotent_symmetric_and_keeps_what_frames(dice: torch.Generator):
    """P = W(WᵀW)⁻¹Wᵀ, of W's own columns the identity, of what W cannot see nothing."""
    framing_map = torch.randn(192, 64, generator=dice, dtype=torch.float64)
    projection = framing_projection(framing_map)
    published = framing_map @ torch.linalg.inv(framing_map.T @ framing_map) @ framing_map.T
    torch.testing.assert_close(projection, published, atol=SOLVED64, rtol=0)
    torch.testing.assert_close(projection @ projection, projection, atol=SOLVED64, rtol=0)
    torch.testing.assert_close(projection, projection.T, atol=SOLVED64, rtol=0)
    torch.testing.assert_close(projection @ framing_map, framing_map, atol=SOLVED64, rtol=0)
    assert float(projection.trace()) == pytest.approx(64)


def test_auxiliary_sampling_moves_only_what_the_framing_is_read_from(dice: torch.Generator):
    """With g_z the noise changes by g_z·P·ε_∅: the framing latent of the noise grows by g_z of the
    silent answer's, and nothing outside P changes."""
    framing_map = torch.randn(7, 3, generator=dice, dtype=torch.float64)
    projection = framing_projection(framing_map)
    answers = tuple(torch.randn(2, 3, 5, 7, generator=dice, dtype=torch.float64))
    pushed = guided_noise(answers, guidance_tuple((11.0, -1.0, 0.25)), projection)
    change, silent = pushed - guided_noise(answers, PLAIN), answers[0]
    torch.testing.assert_close(change @ framing_map, 0.25 * silent @ framing_map)
    outside = torch.eye(7, dtype=torch.float64) - projection
    assert float((change @ outside).abs().max()) < SOLVED64
    assert float(change.abs().max()) > 0.01  # it does move


def test_missing_tokens_follow_the_cosine():
    """Of 37 tokens, by hand: cos(π/2 · i/17) · 37, rounded; one is left for the last iteration."""
    tokens = torch.tensor([37, 1, 5])
    left = torch.stack([tokens_left(iteration, tokens) for iteration in range(ITERATIONS + 1)])
    assert left[:, 0].tolist() == [
        37, 37, 36, 36, 35, 33, 31, 30, 27, 25, 22, 19, 16, 13, 10, 7, 3, 1, 0,
    ]  # fmt: skip
    assert left[0].tolist() == [37, 1, 5] and left[-2].tolist() == [1, 1, 1]
    assert bool((left.diff(dim=0) <= 0).all())


def test_training_hides_a_cosine_share_of_every_clip(dice: torch.Generator):
    mask = mask_of([73, 11, 2])
    scores = torch.rand(mask.shape, generator=dice)
    hidden = hidden_in_training(torch.tensor([0.5, 0.0, 1.0]), scores, mask)
    # cos(π/4)·73 = 51.6; all; and never none.
    assert hidden.sum(1).tolist() == [52, 11, 1]
    assert not bool((hidden & ~mask).any())
    shown_scores, hidden_scores = scores[0][~hidden[0]], scores[0][hidden[0]]
    assert float(hidden_scores.max()) < float(shown_scores.min())


def test_framing_targets_are_what_the_metric_measures():
    """Of features of a shot, the nine joints where r-FPD sees them in the shot itself."""
    shot = straight_shot((0.3, -0.1, 0.2), frames=61)
    motion = shot.clip.motion
    camera = camera_to_features(shot.camera, motion.root)
    targets = framing_targets(camera[None], human_to_features(motion)[None])[0]
    seen = torch.from_numpy(framing_of(shot).places).float()
    # Rounded to single precision on the way; and steps are summed, as the metric does not.
    torch.testing.assert_close(targets, seen, atol=rounded32(1000, 2.0), rtol=0)
