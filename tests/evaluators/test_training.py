"""Training at a size that a CPU does in seconds."""

import itertools
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
import torch

from aesop.evaluators import evaluator_training
from aesop.evaluators.evaluator_recipes import EvaluatorRecipe, LossWeights, evaluator_recipe
from aesop.evaluators.evaluator_training import (
    CaptionedClips,
    _parts,  # pyright: ignore[reportPrivateUsage]
    _stand,  # pyright: ignore[reportPrivateUsage]
    captioned_clips,
    learn_pair,
    movement_sequence,
    train_evaluator,
)
from aesop.evaluators.evaluator_weights import load_evaluator
from aesop.scene.movement import TAG_NAMES
from aesop.training.footage import Footage
from aesop.training.recipes import TrainingError
from tests.tolerances import network32
from tests.training.makers import TEXT_WIDTH, HashEncoder, make_footage


@pytest.fixture(scope="module")
def footage() -> tuple[Footage, Footage]:
    return tuple(make_footage(12, 3, seed=seed, frames=(43, 61)) for seed in (1, 2))  # pyright: ignore[reportReturnType]


@pytest.fixture(scope="module")
def captioned(footage: tuple[Footage, Footage]) -> tuple[CaptionedClips, CaptionedClips]:
    first, second = (captioned_clips(it, "clatr", HashEncoder()) for it in footage)
    return first, second


def small(steps: int) -> EvaluatorRecipe:
    recipe = evaluator_recipe("clatr", "tiny", TEXT_WIDTH)
    return replace(
        recipe, steps=steps, batch_rows=24, losses=replace(LossWeights(), reconstruction=0.1)
    )


def test_paths_are_labelled_by_their_movement(footage: tuple[Footage, Footage]):
    names = {
        words[0]: {
            tuple(TAG_NAMES[tag] for tag in movement_sequence(footage[0].cameras.clip(row)))
            for row, said in enumerate(footage[0].camera_captions)
            if said == words
        }
        for words in set(footage[0].camera_captions)
    }
    assert names["the camera pushes in"] == {("push_in",)}
    assert names["the camera pulls out"] == {("pull_out",)}


def test_an_evaluator_learns_to_tell_movements_apart(
    captioned: tuple[CaptionedClips, CaptionedClips],
):
    found = learn_pair(small(140), *captioned)
    last = found.best
    assert found.steps == 140 and last.top1_right > 0.9
    assert last.shuffled_cosine < 0.5 * last.true_cosine


def test_the_weights_that_stood_best_are_kept(captioned: tuple[CaptionedClips, CaptionedClips]):
    """With a rate that ruins it at the end, an earlier standing wins."""
    wild = replace(small(40), learning_rate=0.3, warm_up_steps=400, validate_every=5)
    found = learn_pair(wild, *captioned)
    assert found.best == min(found.standings, key=lambda it: it.contrast)
    assert found.best.step < 40 and len(found.standings) == 9
    again = _stand(found.pair, captioned[1], 0, wild.losses.temperature)
    assert again.contrast == pytest.approx(found.best.contrast, rel=network32(1, 31))


def test_random_parts_lie_inside_their_clips(captioned: tuple[CaptionedClips, CaptionedClips]):
    clips, dice = captioned[0].clips, np.random.default_rng(3)
    rows = torch.tensor([4, 0, 7])
    for _ in range(20):
        parts = _parts(clips, rows, dice, 0.6)
        for row, values, mask in zip(rows.tolist(), parts.values, parts.mask, strict=True):
            count, whole = int(mask.sum()), clips.clip(row)
            assert 0.6 * len(whole) <= count <= len(whole)
            windows = whole.unfold(0, count, 1).transpose(1, 2)
            assert bool((windows == values[:count]).all(-1).all(-1).any())
    everything = _parts(clips, rows, dice, 1.0)
    assert everything.mask.sum(1).tolist() == clips.lengths[rows].tolist()


def test_the_same_seed_learns_the_same(captioned: tuple[CaptionedClips, CaptionedClips]):
    first, again = (learn_pair(small(3), *captioned).pair.state_dict() for _ in range(2))
    assert all(torch.equal(first[name], again[name]) for name in first)
    other = learn_pair(replace(small(3), seed=1), *captioned).pair.state_dict()
    assert not torch.equal(first["moves.tokens"], other["moves.tokens"])


def test_the_callers_dice_are_left_alone(captioned: tuple[CaptionedClips, CaptionedClips]):
    before = torch.get_rng_state()
    learn_pair(small(1), *captioned)
    assert torch.equal(before, torch.get_rng_state())


def test_a_deadline_ends_the_training(
    captioned: tuple[CaptionedClips, CaptionedClips], monkeypatch: pytest.MonkeyPatch
):
    """By a clock that goes on a second with every look at it: no machine is too slow."""
    clock = SimpleNamespace(monotonic=itertools.count(1.0).__next__)
    monkeypatch.setattr(evaluator_training, "time", clock)
    assert learn_pair(small(100_000), *captioned, deadline=6.0).steps == 4


def test_people_are_standardised_and_the_result_can_be_loaded(
    footage: tuple[Footage, Footage], tmp_path: Path
):
    recipe = replace(evaluator_recipe("tmr", "tiny", TEXT_WIDTH), steps=2, batch_rows=7)
    path = tmp_path / "tmr.safetensors"
    card = train_evaluator(recipe, *footage, HashEncoder(), path, torch.device("cpu"))
    loaded = load_evaluator(path, HashEncoder())
    assert loaded.identity == card.identity and card.notes["steps"] == "2"
    values = footage[0].humans.values
    standard = loaded.pair.standard(values)
    # Channels that hardly vary are left at their scale.
    varied = values.std(0) > 1e-4
    # Clips of many lengths: frames weigh by their clips in one mean and not in the other.
    torch.testing.assert_close(standard.mean(0), torch.zeros(199), rtol=0, atol=2e-2)
    torch.testing.assert_close(
        standard.std(0)[varied], torch.ones(int(varied.sum())), rtol=0, atol=2e-2
    )


def test_clips_without_words_are_refused(footage: tuple[Footage, Footage]):
    silent = replace(footage[0], camera_captions=((), *footage[0].camera_captions[1:]))
    with pytest.raises(TrainingError, match="caption"):
        captioned_clips(silent, "clatr", HashEncoder())


def test_training_needs_only_what_the_bare_machine_has():
    """No command line, video, picture or schema library is imported on the way to a step."""
    code = (
        "import sys\n"
        "import aesop.evaluators.evaluator_training\n"
        "extra = {'tyro', 'av', 'pydantic', 'PIL', 'scipy', 'transformers', 'sklearn', 'prdc'}\n"
        "found = extra & set(sys.modules)\n"
        "sys.exit(f'imported {found}' if found else 0)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
