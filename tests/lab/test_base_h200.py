"""The script for a lent GPU, as far as a CPU can tell: pieces, and a bare interpreter."""

import argparse
import os
import subprocess
import sys
from pathlib import Path

import pytest
import torch

import base_h200
import baselines_h200
import pieces
from aesop.core.errors import WeightsError
from aesop.models.codec import CodecShape, HumanCodec
from aesop.models.weights import load_human_codec, new_part, save_part
from aesop.text.minilm import WIDTH
from aesop.training.recipes import FlowRecipe, MethodRecipe

ROOT = Path(__file__).resolve().parents[2]


def test_weights_survive_being_cut_into_pieces(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(pieces, "PIECE_BYTES", 5_000)
    part = new_part("human-codec", HumanCodec(CodecShape(199, 7, width=5)))
    save_part(part, tmp_path / "whole")
    out = tmp_path / "out"
    out.mkdir()
    pieces.write_pieces(tmp_path / "whole", out, "human-codec")
    cut = sorted(out.iterdir())
    assert len(cut) > 2 and all(path.stat().st_size <= 5_000 for path in cut)
    pieces.join_pieces(cut, tmp_path / "run")
    back = load_human_codec(tmp_path / "run" / "human-codec" / "weights.safetensors")
    assert back.card.identity == part.card.identity
    assert torch.equal(back.network.encoder.first.weight, part.network.encoder.first.weight)
    with pytest.raises(WeightsError):
        pieces.join_pieces(cut[:-1], tmp_path / "short")


def test_pieces_may_be_named_by_their_folder_and_nothing_is_not_taken_for_something(tmp_path: Path):
    part = new_part("human-codec", HumanCodec(CodecShape(199, 7, width=5)))
    save_part(part, tmp_path / "whole")
    out = tmp_path / "out"
    out.mkdir()
    pieces.write_pieces(tmp_path / "whole", out, "human-codec")
    (out / "human-codec.json").write_text("{}", encoding="utf-8")
    assert pieces.join_pieces([out], tmp_path / "run") == ["human-codec"]
    back = load_human_codec(tmp_path / "run" / "human-codec" / "weights.safetensors")
    assert back.card.identity == part.card.identity
    assert (tmp_path / "run" / "human-codec" / pieces.REPORT_FILE).is_file()
    with pytest.raises(WeightsError, match="no weights"):
        pieces.join_pieces([tmp_path / "whole"], tmp_path / "none")


@pytest.mark.parametrize("size", ["paper", "base", "tiny"])
def test_every_size_reads_words_as_the_encoder_that_travels_writes_them(size: str):
    """The paper's own is CLIP's; a flow that wants it would be refused after all was read."""
    asked = argparse.Namespace(
        size=size, validate_every=None, factual=False, agreement=None, rate=None, teacher=None,
        steps=None, rows=None, seed=0,
    )  # fmt: skip
    recipes = [base_h200.asked_recipe(it, None, asked) for it in ("human-flow", "camera-flow")]
    recipes += [baselines_h200.recipe_of(it, asked, 7, 1e-4) for it in ("ccd", "aesop")]
    for recipe in recipes:
        assert isinstance(recipe, FlowRecipe | MethodRecipe) and recipe.network.text == WIDTH


def test_training_and_measuring_need_only_what_the_bare_machine_has():
    """No command line, video or schema library is imported on the way to a step or a number;
    pictures (pillow is there) only where pages are written."""
    lab = {**os.environ, "PYTHONPATH": os.pathsep.join([str(ROOT / "src"), str(ROOT / "lab")])}
    training = "parcel, aesop.training.phases, aesop.training.recipe_book, aesop.text.encoder"
    measuring = "parcel, travelling, aesop.measuring.jobs, aesop.pages.result_pages"
    for modules, pictures in ((training, "'PIL', 'scipy', "), (measuring, "")):
        code = (
            f"import sys, {modules}\n"
            f"extra = {{{pictures}'tyro', 'av', 'pydantic', 'transformers', 'tokenizers'}}\n"
            "imported = extra & set(sys.modules)\n"
            "sys.exit(f'imported {imported}' if imported else 0)\n"
        )
        done = subprocess.run(
            [sys.executable, "-c", code], capture_output=True, text=True, check=False, env=lab
        )
        assert done.returncode == 0, done.stderr
