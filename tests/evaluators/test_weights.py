"""Evaluators on disk: half precision, named by their hash, refused where they do not belong."""

from pathlib import Path

import numpy as np
import pytest
import torch

from aesop.core.errors import WeightsError
from aesop.evaluators.evaluator import ContrastivePair, EncoderShape
from aesop.evaluators.evaluator_recipes import evaluator_recipe
from aesop.evaluators.evaluator_weights import (
    evaluators_folder,
    load_evaluator,
    load_evaluators,
    save_evaluator,
)
from tests.metrics.makers import straight_shot
from tests.tolerances import network32
from tests.training.makers import TEXT_WIDTH, HashEncoder


def made_pair(seed: int = 1, features: int = 9) -> ContrastivePair:
    torch.manual_seed(seed)
    moves = EncoderShape(features, 22, 1, 2, 31, patch=4)
    return ContrastivePair(moves, EncoderShape(TEXT_WIDTH, 22, 1, 2, 31)).eval()


# One layer of 31; what it says is not normed.
ROUNDING = network32(1, 31, 2.0)


class OtherEncoder(HashEncoder):
    fingerprint = "hash-2"


def test_what_is_loaded_answers_as_what_was_saved(tmp_path: Path):
    pair = made_pair()
    card = save_evaluator(pair, "clatr", HashEncoder(), tmp_path / "clatr", {"data": "x"})
    loaded = load_evaluator(tmp_path / "clatr", HashEncoder())
    assert loaded.identity == card.identity
    assert loaded.kind == "clatr" and loaded.width == 22
    shots = [straight_shot((0.3, 0, 0), frames) for frames in (29, 41, 31)]
    before = loaded.embed_shots(shots)
    load = made_pair()
    for name, tensor in load.state_dict().items():
        torch.testing.assert_close(
            loaded.pair.state_dict()[name], tensor.half().float(), rtol=0, atol=0
        )
    assert before.shape == (3, 22) and np.isfinite(before).all()
    np.testing.assert_allclose(before[1], loaded.embed_shots(shots[1:2])[0], atol=ROUNDING)


def test_equal_texts_get_equal_vectors_in_their_places(tmp_path: Path):
    save_evaluator(made_pair(), "clatr", HashEncoder(), tmp_path / "clatr", {})
    loaded = load_evaluator(tmp_path / "clatr", HashEncoder())
    words = ["push in", "truck left now", "push in"]
    rows = loaded.embed_words(words)
    assert (rows[0] == rows[2]).all() and (rows[0] != rows[1]).any()
    np.testing.assert_allclose(rows[1], loaded.embed_words(words[1:2])[0], atol=ROUNDING)


def test_the_identity_covers_weights_kind_and_encoder(tmp_path: Path):
    first = save_evaluator(made_pair(1), "clatr", HashEncoder(), tmp_path / "a", {})
    again = save_evaluator(made_pair(1), "clatr", HashEncoder(), tmp_path / "b", {})
    other = save_evaluator(made_pair(2), "clatr", HashEncoder(), tmp_path / "c", {})
    foreign = save_evaluator(made_pair(1), "clatr", OtherEncoder(), tmp_path / "d", {})
    assert first.identity == again.identity
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()
    assert len({first.identity, other.identity, foreign.identity}) == 3


def test_what_does_not_belong_is_refused(tmp_path: Path):
    path = tmp_path / "clatr.safetensors"
    with pytest.raises(WeightsError, match="no evaluator at"):
        load_evaluator(path, HashEncoder())
    save_evaluator(made_pair(), "clatr", HashEncoder(), path, {})
    with pytest.raises(WeightsError, match="text encoder hash"):
        load_evaluator(path, OtherEncoder())
    content = bytearray(path.read_bytes())
    content[-7] ^= 1
    path.write_bytes(content)
    with pytest.raises(WeightsError, match="not as it was written"):
        load_evaluator(path, HashEncoder())
    path.write_bytes(content[:100])
    with pytest.raises(WeightsError, match="damaged"):
        load_evaluator(path, HashEncoder())


def test_both_are_loaded_by_name_and_not_exchanged(tmp_path: Path):
    save_evaluator(made_pair(), "clatr", HashEncoder(), tmp_path / "tmr.safetensors", {})
    save_evaluator(
        made_pair(features=199), "tmr", HashEncoder(), tmp_path / "clatr.safetensors", {}
    )
    with pytest.raises(WeightsError, match="each other's names"):
        load_evaluators(tmp_path, HashEncoder())
    assert evaluators_folder(tmp_path) == tmp_path


def test_both_together_are_small_enough_to_ship(tmp_path: Path):
    size = 0
    for kind in ("clatr", "tmr"):
        recipe = evaluator_recipe(kind, "base", 384)
        pair = ContrastivePair(recipe.moves, recipe.words)
        save_evaluator(pair, kind, HashEncoder(), tmp_path / kind, {})
        size += (tmp_path / kind).stat().st_size
    assert size < 12e6
