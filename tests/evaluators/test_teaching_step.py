"""One update of an evaluator."""

from dataclasses import replace

import numpy as np
import pytest
import torch

from aesop.evaluators.evaluator import ContrastivePair, SequenceDecoder
from aesop.evaluators.evaluator_recipes import (
    EvaluatorRecipe,
    TeachingBatch,
    evaluator_recipe,
    teaching_loss,
)
from aesop.evaluators.evaluator_training import captioned_clips, teaching_batch
from aesop.evaluators.teaching_step import TeachingStep
from tests.training.makers import TEXT_WIDTH, HashEncoder, make_footage


@pytest.fixture(scope="module")
def recipe() -> EvaluatorRecipe:
    return replace(evaluator_recipe("tmr", "tiny", TEXT_WIDTH), batch_rows=5, jitter=0.0)


def fresh(recipe: EvaluatorRecipe) -> tuple[ContrastivePair, SequenceDecoder]:
    torch.manual_seed(3)
    pair = ContrastivePair(recipe.moves, recipe.words)
    decoder = SequenceDecoder(recipe.moves, recipe.decoder_layers)
    return pair.eval(), decoder.eval()  # without dropout


def batch_of(recipe: EvaluatorRecipe, pair: ContrastivePair) -> TeachingBatch:
    clips = captioned_clips(make_footage(7, 1, seed=2, frames=(43, 61)), "tmr", HashEncoder())
    noise = torch.Generator().manual_seed(1)
    return teaching_batch(clips, np.arange(5), np.random.default_rng(4), pair, recipe, noise)


def test_a_step_lowers_the_loss_and_a_rate_of_zero_changes_nothing(recipe: EvaluatorRecipe):
    pair, decoder = fresh(recipe)
    batch = batch_of(recipe, pair)
    step = TeachingStep(pair, decoder, recipe, captured=True)  # on a CPU nothing is captured
    before = {name: it.clone() for name, it in pair.state_dict().items()}
    step(batch, 0.0)
    assert all(torch.equal(before[name], it) for name, it in pair.state_dict().items())
    losses = [teaching_loss(pair, decoder, batch, recipe.losses).item()]
    for _ in range(11):
        step(batch, 1e-3)
        losses.append(teaching_loss(pair, decoder, batch, recipe.losses).item())
    assert losses[-1] < 0.9 * losses[0] and float(step.norm) > 0


def test_the_noise_of_latents_is_the_batchs_own(recipe: EvaluatorRecipe):
    """The same batch has the same loss, whatever dice fell in between."""
    pair, decoder = fresh(recipe)
    batch = batch_of(recipe, pair)
    first = teaching_loss(pair, decoder, batch, recipe.losses)
    torch.rand(17)
    assert torch.equal(first, teaching_loss(pair, decoder, batch, recipe.losses))
    other = replace(batch, draws=batch.draws.roll(1, 1))
    assert not torch.equal(first, teaching_loss(pair, decoder, other, recipe.losses))


def test_padding_changes_nothing(recipe: EvaluatorRecipe):
    """On a GPU all batches are as wide as the longest clip and text: what is padded is not read."""
    pair, decoder = fresh(recipe)
    batch = batch_of(recipe, pair)
    patch = recipe.moves.patch

    def wider(values: torch.Tensor, by: int) -> torch.Tensor:
        return torch.nn.functional.pad(values, (0, 0, 0, by) if values.ndim == 3 else (0, by))

    frames = -batch.moves.shape[1] % patch + 3 * patch
    padded = replace(
        batch,
        moves=wider(batch.moves, frames),
        moves_mask=wider(batch.moves_mask, frames),
        words=wider(batch.words, 5),
        words_mask=wider(batch.words_mask, 5),
    )
    both = [teaching_loss(pair, decoder, it, recipe.losses).item() for it in (batch, padded)]
    # The same sums over more zeros, in single precision.
    assert both[0] == pytest.approx(both[1], rel=1e-4)
