"""Trainings of people on a lent machine: what travels with them, and what they are asked for."""

import argparse
import re
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch

import people_footage
import people_h200
import people_judges
from aesop.evaluators.evaluator import ContrastivePair
from aesop.evaluators.evaluator_recipes import evaluator_recipe
from aesop.evaluators.evaluator_training import CaptionedClips, captioned_clips, with_denials
from aesop.fables.people_windows import PeopleRecipe, TakeGround, Worded, draw_people
from aesop.training.recipes import TrainingError
from tests.training.makers import TEXT_WIDTH, HashEncoder, make_footage


def arguments(monkeypatch: pytest.MonkeyPatch, *words: str) -> argparse.Namespace:
    monkeypatch.setattr(sys, "argv", ["people_h200.py", *words])
    return people_h200.read_arguments()


@pytest.fixture(scope="module")
def worded() -> dict[str, list[Worded]]:
    every = people_footage.worded_takes()
    return {name: every[name] for name in sorted(every)[::41]}


def test_every_word_of_every_window_travels(worded: dict[str, list[Worded]]):
    """An encoder that left a word out ends a training that has been paid for."""
    travels = people_footage.vocabulary([row for rows in worded.values() for row in rows])
    frames = {name: max(row.stop for row in rows) + 11 for name, rows in worded.items()}
    ground = {name: TakeGround(np.zeros(it, bool), np.zeros(it)) for name, it in frames.items()}
    windows = draw_people(worded, ground, PeopleRecipe(windows=1_013))
    said = {word for it in windows for text in it.captions for word in re.findall(r"\w+", text)}
    assert len(windows) > 900 and said <= travels


def test_validation_is_drawn_without_favour_and_training_by_its_seed(
    monkeypatch: pytest.MonkeyPatch,
):
    args = arguments(monkeypatch, "flow", "--out", "x", "--seed", "3", "--windows", "7000")
    train, validation = (people_footage.drawing_of(args, it) for it in ("train", "validation"))
    assert train.recipe == PeopleRecipe(seed=PeopleRecipe().seed + 3, windows=7000)
    assert (train.copies, train.copied_windows) == (3, 30_000)
    # Whatever is trained, validation looks at the same windows, at their own pace.
    assert validation.recipe.seed == PeopleRecipe().seed and validation.recipe.everyday == 1
    assert validation.copies == validation.copied_windows == 0
    assert validation.recipe.windows == people_footage.VALIDATION_WINDOWS


def test_a_flow_that_goes_on_has_a_rate_of_its_own(monkeypatch: pytest.MonkeyPatch):
    new = people_h200.flow_recipe(arguments(monkeypatch, "flow", "--out", "x"))
    more = people_h200.flow_recipe(
        arguments(monkeypatch, "flow", "--out", "x", "--start", "w", "--rate", "1e-4")
    )
    assert more.schedule.learning_rate == 1e-4 < new.schedule.learning_rate
    assert more.network == new.network and more.objective == new.objective


def test_who_chooses_is_not_who_measures(monkeypatch: pytest.MonkeyPatch):
    args = arguments(monkeypatch, "evaluators", "--out", "x")
    measuring, choosing = (
        people_judges.judge_recipe(replace_seed(args, seed), 384, name)
        for seed, name in enumerate(("tmr_acts", "chooser"))
    )
    assert measuring.seed != choosing.seed and measuring.moves != choosing.moves
    assert measuring.words != choosing.words


def replace_seed(args: argparse.Namespace, seed: int) -> argparse.Namespace:
    return argparse.Namespace(**{**vars(args), "seed": seed})


def test_minutes_that_are_over_train_nothing(monkeypatch: pytest.MonkeyPatch, tmp_path: Path):
    """Preparing counts: who comes too late writes no evaluator of nought steps."""

    monkeypatch.setattr(people_judges, "Arrived", lambda *_: None)
    monkeypatch.setattr(people_judges, "lesson", lambda *_: None)
    args = arguments(monkeypatch, "evaluators", "--out", str(tmp_path), "--minutes", "0.1")
    with pytest.raises(TrainingError, match="before anything"):
        people_judges.train_evaluators(args)
    assert not list(tmp_path.iterdir())


@pytest.fixture(scope="module")
def lesson() -> CaptionedClips:
    """Five windows that say different things, each of which can be denied."""
    footage = make_footage(5, 1, seed=3, frames=(43, 61))
    ways = ("walks left", "runs left", "sits down left", "kicks left", "bends right")
    footage = replace(footage, human_captions=tuple((f"someone {way}",) for way in ways))
    clips = captioned_clips(footage, "tmr", HashEncoder())
    return with_denials(clips, footage.human_captions, HashEncoder())


def test_who_finds_all_words_is_said_to(lesson: CaptionedClips, monkeypatch: pytest.MonkeyPatch):
    """A judge that puts windows on their words and denials elsewhere, and one that does not."""
    recipe = evaluator_recipe("tmr", "tiny", TEXT_WIDTH)
    pair = ContrastivePair(recipe.moves, recipe.words).eval()
    own = torch.eye(5, 11)

    def right(*_: object) -> tuple[torch.Tensor, ...]:
        return own, own, own.roll(5, 1)

    def wrong(*_: object) -> tuple[torch.Tensor, ...]:
        return own, own.roll(1, 0), own

    monkeypatch.setattr("aesop.evaluators.evaluator_training.embedded", right)
    found = people_judges.found_words(pair, lesson)
    assert found["windows"] == 5 and found["over_denial"] == 1
    assert found["r1_of_32"] == found["r3_of_160"] == 1
    monkeypatch.setattr("aesop.evaluators.evaluator_training.embedded", wrong)
    found = people_judges.found_words(pair, lesson)
    assert found["over_denial"] == 0 and found["r1_of_32"] == 0
