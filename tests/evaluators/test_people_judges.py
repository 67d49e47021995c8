"""Judges of people: called by name, and kept in bytes."""

import json
from pathlib import Path

import numpy as np
import pytest
import torch

from aesop.cli.measure_options import MatchOptions
from aesop.core.errors import WeightsError
from aesop.evaluators import evaluator_weights
from aesop.evaluators.evaluator import ContrastivePair
from aesop.evaluators.evaluator_recipes import evaluator_recipe
from aesop.evaluators.evaluator_weights import (
    evaluators_folder,
    load_evaluator,
    own_judge,
    save_evaluator,
    save_in_bytes,
)
from aesop.evaluators.published import EvaluatorChoice
from aesop.text.minilm import MiniLM

MATCHED = Path(__file__).parents[2] / "results" / "acts"


@pytest.fixture
def shipped(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A package that came with three judges of people and one of cameras."""
    folder = tmp_path / "evaluators"
    for seed, name in enumerate(("tmr", "tmr_acts", "chooser", "clatr")):
        kind = "clatr" if name == "clatr" else "tmr"
        recipe = evaluator_recipe(kind, "tiny", MiniLM.width)
        with torch.random.fork_rng():
            torch.manual_seed(seed)
            pair = ContrastivePair(recipe.moves, recipe.words)
        save_evaluator(pair, kind, MiniLM(), folder / f"{name}.safetensors", {"steps": "0"})
    monkeypatch.setattr(evaluator_weights, "shipped_folder", tmp_path.joinpath)
    return folder


def test_a_judge_of_people_is_called_by_name_or_by_file(shipped: Path):
    named = own_judge(Path("tmr_acts"), "tmr")
    assert named is not None and named == shipped / "tmr_acts.safetensors"
    assert own_judge(named, "tmr") == named
    judge = EvaluatorChoice(tmr=Path("tmr_acts")).load().people
    assert judge.identity == load_evaluator(named, MiniLM()).identity
    assert judge.identity != EvaluatorChoice().load().people.identity
    with pytest.raises(WeightsError, match="neither DistilBERT nor statistics"):
        EvaluatorChoice(tmr=Path("tmr_acts"), distilbert=shipped).load()
    with pytest.raises(WeightsError, match="judges cameras, not people"):
        EvaluatorChoice(tmr=shipped / "clatr.safetensors").load()


def test_people_are_compared_by_whom_the_flag_names(shipped: Path):
    def identity(tmr: Path | None) -> str:
        judge = MatchOptions(clips=Path(), tmr=tmr).load(None)
        assert judge is not None
        return judge.identity

    by_file = identity(shipped / "tmr_acts.safetensors")
    assert by_file == load_evaluator(shipped / "tmr_acts.safetensors", MiniLM()).identity
    assert identity(None) == identity(Path("tmr_acts")) == by_file != identity(Path("tmr"))


def test_who_chooses_takes_is_no_judge_by_name(shipped: Path):
    assert (shipped / "chooser.safetensors").is_file()
    with pytest.raises(WeightsError, match=r"no judge of people called chooser.*tmr, tmr_acts"):
        own_judge(Path("chooser"), "tmr")


def test_the_judge_that_came_along_measured_people_and_chooses_nobody():
    judge = MatchOptions(clips=Path()).load(None)
    assert judge is not None
    rows = [json.loads(path.read_text(encoding="utf-8")) for path in MATCHED.glob("matched_*.json")]
    assert rows and {row["people"]["evaluator"] for row in rows} == {judge.identity}
    chooser = load_evaluator(evaluators_folder() / "chooser.safetensors", MiniLM())
    assert judge.identity != chooser.identity


def test_in_bytes_a_judge_is_half_as_large_and_judges_alike(tmp_path: Path):
    source = own_judge(Path("tmr"), "tmr")
    assert source is not None
    small = tmp_path / "small.safetensors"
    card = save_in_bytes(source, small)
    assert small.stat().st_size < 0.53 * source.stat().st_size
    encoder = MiniLM()
    whole, stored = (load_evaluator(it, encoder) for it in (source, small))
    assert stored.identity == card.identity != whole.identity
    words = ["a person walks forward", "someone sits down", "kicks with the left foot"]
    one, other = (judge.embed_words(words) for judge in (whole, stored))
    alike = (one * other).sum(1) / np.linalg.norm(one, axis=1) / np.linalg.norm(other, axis=1)
    # Each number is kept to a 254th of the largest of its row.
    assert alike.min() > 0.998
    content = bytearray(small.read_bytes())
    content[-7] ^= 1
    small.write_bytes(content)
    with pytest.raises(WeightsError, match="not as it was written"):
        load_evaluator(small, encoder)
