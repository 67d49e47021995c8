"""Students: told where a step ends and how hard to follow the words; at first their teachers."""

from dataclasses import replace

import pytest
import torch

from aesop.flow.guided_sampling import sample_latents
from aesop.flow.solvers import PRESETS
from aesop.models.stepping import Stepper
from aesop.models.velocity import FlowContext, FlowTransformer, of_rows
from tests.models.makers import CAMERA_FLOW, flow
from tests.models.test_stepping import TOKENS, camera_context
from tests.tolerances import network32

STUDENT = replace(CAMERA_FLOW, leaps=True)
TIMES = PRESETS["instant"].times
GUIDANCE = torch.tensor([1.5, 1.0, 2.7])


def asked(dice: torch.Generator, intensity: list[float]) -> FlowContext:
    context = camera_context(dice, TOKENS, [5, 2, 4], intensity)
    return replace(context, guidance=GUIDANCE)


def noise_of(context: FlowContext, dice: torch.Generator) -> torch.Tensor:
    noise = torch.randn(*context.mask.shape, STUDENT.latent, generator=dice)
    return noise * context.mask[..., None]


def test_a_student_begins_as_its_teacher(dice: torch.Generator):
    """Whatever step and guidance it is told: words are then followed as learned."""
    teacher, student = flow(dice, CAMERA_FLOW), FlowTransformer(STUDENT).eval()
    student.load_state_dict(teacher.state_dict(), strict=False)
    context = asked(dice, [1.0, 0.6, 1.3])
    latents, when = noise_of(context, dice), torch.tensor([1.0, 0.4, 0.9])
    for until in (torch.zeros(3), 0.3 * when):
        found = student(latents, when, context, until)
        assert torch.equal(found, teacher(latents, when, context))


def test_a_student_hears_how_far_it_steps_and_how_hard_to_follow(dice: torch.Generator):
    student, context = flow(dice, STUDENT), asked(dice, [1.0, 1.0, 1.0])
    latents, when, until = noise_of(context, dice), torch.ones(3), torch.full((3,), 0.4)
    first = student(latents, when, context, until)
    farther = student(latents, when, context, until - 0.3)
    harder = student(latents, when, replace(context, guidance=GUIDANCE + 0.7), until)
    for other in (farther, harder):
        assert bool(((first - other).abs().amax((1, 2)) > 0.01).all())


@pytest.mark.parametrize("intensity", [[1.0, 0.6, 1.3], [1.3, 1.3, 1.3]])
def test_the_stepper_is_the_student(intensity: list[float], dice: torch.Generator):
    student, context = flow(dice, STUDENT), asked(dice, intensity)
    latents, stepper = noise_of(context, dice), Stepper(student, context, TIMES)
    for when, until in zip(TIMES[:-1].float(), TIMES[1:].float(), strict=True):
        plain = student(latents, when.expand(3), context, until.expand(3))
        apart = (stepper(latents, when) - plain).abs().max()
        assert float(apart.detach()) < network32(3, 68)


def test_clips_of_a_batch_are_those_alone(dice: torch.Generator):
    student, context = flow(dice, STUDENT), asked(dice, [1.0, 0.6, 1.3])
    noise, preset = noise_of(context, dice), PRESETS["instant"]
    together = sample_latents(student, context, noise, preset, GUIDANCE)
    for row, tokens in enumerate(TOKENS):
        alone = of_rows(context, [row])
        found = sample_latents(student, alone, noise[[row]], preset, GUIDANCE[[row]])
        difference = (found - together[[row]])[:, :tokens].abs().max()
        # Four calls, and latents of up to ten.
        assert float(difference) < 4 * network32(3, 68, 10)


def test_some_rows_of_a_context_are_those_rows(dice: torch.Generator):
    context = asked(dice, [1.0, 0.6, 1.3])
    some = of_rows(context, [2, 0])
    assert context.intensity is not None and some.intensity is not None
    assert context.human is not None and some.human is not None and some.guidance is not None
    assert torch.equal(some.mask, context.mask[[2, 0]])
    assert torch.equal(some.text.tokens, context.text.tokens[[2, 0]])
    assert torch.equal(some.human, context.human[[2, 0]])
    assert torch.equal(some.intensity, context.intensity[[2, 0]])
    assert torch.equal(some.guidance, GUIDANCE[[2, 0]])


def test_a_student_is_not_sampled_like_a_flow_nor_a_flow_like_a_student(dice: torch.Generator):
    context = asked(dice, [1.0, 1.0, 1.0])
    noise = noise_of(context, dice)
    with pytest.raises(AssertionError, match="presets of its own"):
        sample_latents(flow(dice, STUDENT), context, noise, PRESETS["fast"], GUIDANCE)
    with pytest.raises(AssertionError, match="presets of its own"):
        sample_latents(flow(dice, CAMERA_FLOW), context, noise, PRESETS["instant"], GUIDANCE)
