"""The one sampler: its states begin with the noise and end with its latents, however guided."""

import torch
from torch import Tensor

from aesop.flow.guided_sampling import HeldTokens, Restraint, sample_latents, sample_states
from aesop.flow.solvers import PRESETS, Preset
from aesop.models.velocity import FlowContext, FlowTransformer, with_text
from tests.models.makers import CAMERA_FLOW, flow, mask_of, texts
from tests.tolerances import network32

TOKENS = [11, 7, 3]
PRESET = Preset("adams_bashforth2", 5)


def case(dice: torch.Generator) -> tuple[FlowTransformer, FlowContext, Tensor]:
    """A camera flow, three clips of different lengths with words and people, and their noise."""
    mask = mask_of(TOKENS)
    human = torch.randn(*mask.shape, CAMERA_FLOW.human_read, generator=dice)
    noise = torch.randn(*mask.shape, CAMERA_FLOW.latent, generator=dice) * mask[..., None]
    return flow(dice, CAMERA_FLOW), with_text(mask, texts(dice, [5, 2, 4]), human), noise


def test_states_lead_from_the_noise_to_the_latents(dice: torch.Generator):
    network, context, noise = case(dice)
    guidance = torch.tensor([1.5, 2.0, 1.0])
    for preset in (PRESET, PRESETS["fast"]):
        states = sample_states(network, context, noise, preset, guidance)
        assert len(states) == preset.calls + 1 and torch.equal(states[0], noise)
        assert torch.equal(states[-1], sample_latents(network, context, noise, preset, guidance))


def test_a_guidance_of_one_is_none(dice: torch.Generator):
    network, context, noise = case(dice)
    plain = sample_latents(network, context, noise, PRESET)
    assert torch.equal(sample_latents(network, context, noise, PRESET, torch.ones(3)), plain)
    # Beside a stronger one it is computed from both halves, and rounded.
    mixed = sample_latents(network, context, noise, PRESET, torch.tensor([1.0, 3.0, 1.0]))
    torch.testing.assert_close(mixed[0], plain[0], rtol=0, atol=5 * network32(3, 68))
    assert (mixed[1] - plain[1]).abs().max() > 0.01


def test_held_tokens_end_where_they_are_known_to_end(dice: torch.Generator):
    network, context, noise = case(dice)
    known, share = torch.randn(noise.shape, generator=dice), torch.zeros_like(noise[..., :1])
    share[:, :2] = 1.0
    held = HeldTokens(known, share)
    latents = sample_latents(network, context, noise, Preset("euler", 7), held=held)
    # Straight lines are what Euler follows exactly, up to the rounding of seven steps.
    torch.testing.assert_close(latents[:, :2], known[:, :2], rtol=0, atol=7 * 8 * 2**-23)


def test_restraint_holds_strong_guidance_back(dice: torch.Generator):
    network, context, noise = case(dice)
    strong = torch.full((3,), 6.0)
    spreads = [
        float(
            sample_latents(network, context, noise, PRESET, strong, restraint=Restraint(rescale))[
                context.mask
            ].std()
        )
        for rescale in (0.0, 0.5, 1.0)
    ]
    assert spreads == sorted(spreads, reverse=True) and spreads[0] > 1.1 * spreads[2]
