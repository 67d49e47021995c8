"""The step: AdamW, clipping, running average, separate rates, and stopping before a bad update."""

from dataclasses import replace

import pytest
import torch
from torch import Tensor

from aesop.training.recipes import Recipe
from aesop.training.step import ALONE, Learner, batch_tensors, clone_batch
from tests.tolerances import rounded32
from tests.training.toys import Line, LineTask, Points, line_recipe


def learner_of(recipe: Recipe, *broken: int) -> Learner[Points]:
    return Learner(Line(), LineTask(*broken), recipe, ALONE)


# Seven steps of about forty operations each, on weights of about one.
ROUNDING = rounded32(7 * 40)


def run(learner: Learner[Points], steps: int) -> None:
    task = learner.objective
    assert isinstance(task, LineTask)
    step_once = learner.step
    for step in range(steps):
        learner.prepare(step)
        step_once(task.batch(step))


def by_hand(recipe: Recipe, steps: int) -> tuple[dict[str, Tensor], dict[str, Tensor]]:
    """The same training written out: clip, AdamW with decoupled decay, running average."""
    settings, rate = recipe.optimiser, recipe.schedule.learning_rate
    network, task = Line().double(), LineTask()
    names = [name for name, _ in network.named_parameters() if not name.startswith("intensity")]
    parameters = dict(network.named_parameters())
    first = {name: torch.zeros_like(parameters[name]) for name in names}
    second = {name: torch.zeros_like(parameters[name]) for name in names}
    average = {name: parameters[name].detach().clone() for name in names}
    beta1, beta2 = settings.betas
    assert settings.clip_norm is not None and settings.ema_decay is not None
    for step in range(steps):
        batch = task.batch(step)
        loss = task.loss(network, Points(batch.x.double(), batch.y.double())).total
        gradients = torch.autograd.grad(loss, [parameters[name] for name in names])
        norm = torch.sqrt(sum((it.square().sum() for it in gradients), torch.zeros(()).double()))
        factor = min(1.0, settings.clip_norm / (float(norm) + 1e-6))
        for name, gradient in zip(names, gradients, strict=True):
            value = parameters[name].data
            first[name] = beta1 * first[name] + (1 - beta1) * factor * gradient
            second[name] = beta2 * second[name] + (1 - beta2) * (factor * gradient) ** 2
            value.mul_(1 - rate * settings.weight_decay)
            mean = first[name] / (1 - beta1 ** (step + 1))
            spread = (second[name] / (1 - beta2 ** (step + 1))).sqrt()
            value.sub_(rate * mean / (spread + settings.epsilon))
            average[name] = settings.ema_decay * average[name] + (1 - settings.ema_decay) * value
    return {name: parameters[name].detach() for name in names}, average


@pytest.mark.parametrize("clip_norm", [1.0, 7.0, 1e3], ids=["always", "sometimes", "never"])
def test_the_step_is_adamw_with_clipping_and_a_running_average(clip_norm: float):
    recipe = line_recipe(7)
    recipe = replace(recipe, optimiser=replace(recipe.optimiser, clip_norm=clip_norm))
    learner = learner_of(recipe)
    run(learner, 7)
    weights, average = by_hand(recipe, 7)
    for name, value in weights.items():
        torch.testing.assert_close(
            learner.trained[name].double(), value, rtol=ROUNDING, atol=ROUNDING
        )
    assert learner.average is not None
    for name, value in average.items():
        found = dict(learner.average.named_parameters())[name]
        torch.testing.assert_close(found.double(), value, rtol=ROUNDING, atol=ROUNDING)


def test_without_average_the_network_itself_is_judged():
    recipe = line_recipe(3)
    plain = replace(recipe, optimiser=replace(recipe.optimiser, ema_decay=None))
    learner = learner_of(plain)
    assert learner.judged is learner.network


def test_intensity_learns_only_where_it_has_a_rate():
    recipe = line_recipe(3)
    learner = learner_of(recipe)
    run(learner, 3)
    network = learner.network
    assert isinstance(network, Line)
    assert torch.equal(network.intensity.weight, Line().intensity.weight)
    own = replace(recipe, optimiser=replace(recipe.optimiser, intensity_learning_rate=0.2))
    learner = learner_of(own)
    run(learner, 1)
    moved = learner.network
    assert isinstance(moved, Line)
    # Adam's first step has the length of its rate, up to weight decay.
    moved = moved.requires_grad_(False)
    # Up to weight decay, as said above.
    assert float((moved.intensity.weight - 0.01).abs().max()) == pytest.approx(0.2, rel=1e-3)
    assert float((moved.slope.bias - 0.1).abs()) == pytest.approx(0.05, rel=1e-2)


def test_a_loss_that_is_no_number_changes_nothing_and_names_its_step():
    learner = learner_of(line_recipe(9), 3, 5)
    run(learner, 3)
    before = {name: value.clone() for name, value in learner.state().items()}
    assert learner.halted_step() is None
    step_once = learner.step
    task = learner.objective
    assert isinstance(task, LineTask)
    for step in (3, 4, 5):  # as on a GPU, where the host looks only now and then
        learner.prepare(step)
        step_once(task.batch(step))
    assert learner.halted_step() == 3
    for name, value in learner.state().items():
        if not name.startswith("average/"):
            assert torch.equal(value, before[name]), name


def test_snapshots_undo_steps_bit_for_bit():
    learner = learner_of(line_recipe(9))
    run(learner, 2)
    before = {name: value.clone() for name, value in learner.state().items()}
    kept = learner.snapshot()
    run(learner, 3)
    assert any(not torch.equal(it, before[name]) for name, it in learner.state().items())
    learner.put_back(kept)
    assert all(torch.equal(it, before[name]) for name, it in learner.state().items())


def test_sums_are_means_times_steps_and_are_taken_once():
    learner = learner_of(line_recipe(4))
    run(learner, 2)
    square, loss, norm = learner.take_sums()
    assert square == pytest.approx(loss, rel=ROUNDING) and norm > 0
    assert learner.take_sums() == (0.0, 0.0, 0.0)


def test_batches_are_cloned_field_by_field():
    batch = LineTask().batch(0)
    copy = clone_batch(batch)
    copy.x.zero_()
    assert batch.x.abs().sum() > 0
    assert [tuple(it.shape) for it in batch_tensors(batch)] == [(6, 3), (6, 1)]
