"""Trainings of people on a lent machine: what travels with them, and what they are asked for."""

import argparse
import json
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
from aesop.models.codec import CodecShape, HumanCodec
from aesop.models.velocity import FlowTransformer, VelocityShape
from aesop.models.weights import flat_name, new_part, read_card, save_part
from aesop.text.minilm import MiniLM
from aesop.training.recipes import TrainingError
from aesop.training.run_folder import Material, weights_path
from pieces import REPORT_FILE, human_flow_keeper, join_pieces
from tests.training.makers import TEXT_WIDTH, HashEncoder, make_footage, small_flow_recipe


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


def test_flows_go_home_as_the_last_ones_and_once_as_the_early_one():
    names = people_h200.sent_names(1000)
    sent = {done: names(done) for done in (300, 500, 700, 900, 1000)}
    assert sent[700] == ("last-human-flow", "early-human-flow")
    assert all(sent[done] == ("last-human-flow",) for done in sent if done != 700)


def shipping(trained: Path, folder: Path) -> argparse.Namespace:
    return argparse.Namespace(trained=trained, folder=folder, report=None, storage="float16")


def test_whatever_is_shipped_says_by_which_recipe_it_was_trained(tmp_path: Path):
    footage = make_footage(5, 1, seed=3, frames=(43, 61))
    material = Material(footage, footage, MiniLM())
    codec = new_part("human-codec", HumanCodec(CodecShape(199, 7, width=5)))
    shape = VelocityShape(7, 384, width=34, depth=1, heads=2, ffn=2)
    recipe = replace(small_flow_recipe("human-flow", 7), network=shape)
    run, home, shipped = (tmp_path / name for name in ("run", "home", "shipped"))
    for path in (weights_path(run, "human-codec"), shipped / flat_name("human-codec")):
        path.parent.mkdir(parents=True)
        save_part(codec, path)
    home.mkdir()
    sent = people_h200.sent_names(7)
    human_flow_keeper(run, home, recipe, material, sent)(FlowTransformer(shape), 5)
    record = {
        "recipe_sha256": recipe.sha256,
        "data_sha256": material.sha256_for(recipe),
        "recipe": recipe.settings,
        "code": {"commit": "c0ffee"},
    }
    report = home / "human-flow.json"
    report.write_text(json.dumps({"run": record}, default=str), encoding="utf-8")
    names = ["early-human-flow", "last-human-flow"]
    assert join_pieces(sorted(home.iterdir()), tmp_path) == names
    for name in names:
        people_h200.ship(shipping(tmp_path / name, shipped))
        notes = read_card(shipped / flat_name("human-flow")).notes
        assert notes["recipe"] == recipe.sha256 and notes["steps"] == "5"
    # One that was sent home by an older version says it by its report, or is not shipped.
    old = new_part("human-flow", FlowTransformer(shape), (codec,), MiniLM(), {"steps": "3"})
    save_part(old, tmp_path / "last-human-flow" / "weights.safetensors")
    asked = shipping(tmp_path / "last-human-flow", shipped)
    people_h200.ship(asked)
    notes = read_card(shipped / flat_name("human-flow")).notes
    assert notes["recipe"] == recipe.sha256 and notes["steps"] == "3" and notes["seed"] == "0"
    (tmp_path / "last-human-flow" / REPORT_FILE).unlink()
    with pytest.raises(SystemExit, match="by which recipe"):
        people_h200.ship(asked)


def test_a_report_says_what_weights_went_on_from(tmp_path: Path):
    run = {
        "recipe_sha256": "r",
        "data_sha256": "d",
        "code": {"commit": "c"},
        "parts": [["human-codec", "h"]],
    }
    (tmp_path / "new.json").write_text(json.dumps({"run": run}), encoding="utf-8")
    first = people_h200.notes_of(tmp_path / "new.json")
    assert first == {"recipe": "r", "data": "d", "phase": "human-flow", "commit": "c"}
    run["parts"] = [["human-codec", "h"], ["human-flow", "f"]]
    (tmp_path / "more.json").write_text(json.dumps({"run": run}), encoding="utf-8")
    assert people_h200.notes_of(tmp_path / "more.json") == {**first, "continued": "f"}


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
    monkeypatch.setattr(people_judges, "captioned_split", lambda *_: None)
    args = arguments(monkeypatch, "evaluators", "--out", str(tmp_path), "--minutes", "0.1")
    with pytest.raises(TrainingError, match="before anything"):
        people_judges.train_evaluators(args)
    assert not list(tmp_path.iterdir())


def test_statistics_of_a_codec_may_travel_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(people_footage, "KEPT", tmp_path)
    network = HumanCodec(CodecShape(199, 7, width=5))
    network.mean.copy_(torch.arange(199))
    network.spread.copy_(torch.arange(199) + 11)
    save_part(new_part("human-codec", network), tmp_path / people_footage.CODEC_FILE)
    of_codec = people_footage.arrived_statistics()
    alone = tmp_path / people_footage.STATISTICS_FILE
    people_footage.write_statistics(tmp_path / people_footage.CODEC_FILE, alone)
    (tmp_path / people_footage.CODEC_FILE).unlink()
    arrived = people_footage.arrived_statistics()
    assert torch.equal(arrived.mean, of_codec.mean) and torch.equal(arrived.mean, network.mean)
    assert torch.equal(arrived.spread, of_codec.spread)


@pytest.fixture(scope="module")
def captioned() -> CaptionedClips:
    """Five windows that say different things, each of which can be denied."""
    footage = make_footage(5, 1, seed=3, frames=(43, 61))
    ways = ("walks left", "runs left", "sits down left", "kicks left", "bends right")
    footage = replace(footage, human_captions=tuple((f"someone {way}",) for way in ways))
    clips = captioned_clips(footage, "tmr", HashEncoder())
    return with_denials(clips, footage.human_captions, HashEncoder())


def test_who_finds_all_words_is_said_to(captioned: CaptionedClips, monkeypatch: pytest.MonkeyPatch):
    """A judge that puts windows on their words and denials elsewhere, and one that does not."""
    recipe = evaluator_recipe("tmr", "tiny", TEXT_WIDTH)
    pair = ContrastivePair(recipe.moves, recipe.words).eval()
    own = torch.eye(5, 11)

    def right(*_: object) -> tuple[torch.Tensor, ...]:
        return own, own, own.roll(5, 1)

    def wrong(*_: object) -> tuple[torch.Tensor, ...]:
        return own, own.roll(1, 0), own

    monkeypatch.setattr("aesop.evaluators.evaluator_training.embedded", right)
    found = people_judges.found_words(pair, captioned)
    assert found["windows"] == 5 and found["over_denial"] == 1
    assert found["r1_of_32"] == found["r3_of_160"] == 1
    monkeypatch.setattr("aesop.evaluators.evaluator_training.embedded", wrong)
    found = people_judges.found_words(pair, captioned)
    assert found["over_denial"] == 0 and found["r1_of_32"] == 0
