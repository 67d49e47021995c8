"""The script for a lent GPU, as far as a CPU can tell: pieces, and a bare interpreter."""

import importlib.util
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest
import torch

from aesop.core.errors import WeightsError
from aesop.models.codec import CodecShape, HumanCodec
from aesop.models.weights import load_human_codec, new_part, save_part

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def script() -> ModuleType:
    spec = importlib.util.spec_from_file_location("base_h200", ROOT / "runs" / "base_h200.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_weights_survive_being_cut_into_pieces(
    script: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(script, "PIECE_BYTES", 5_000)
    part = new_part("human-codec", HumanCodec(CodecShape(199, 7, width=5)))
    save_part(part, tmp_path / "whole")
    out = tmp_path / "out"
    out.mkdir()
    script.write_pieces(tmp_path / "whole", out, "human-codec")
    pieces = sorted(out.iterdir())
    assert len(pieces) > 2 and all(path.stat().st_size <= 5_000 for path in pieces)
    script.join_pieces(pieces, tmp_path / "run")
    back = load_human_codec(tmp_path / "run" / "human-codec" / "weights.safetensors")
    assert back.card.identity == part.card.identity
    assert torch.equal(back.network.encoder.first.weight, part.network.encoder.first.weight)
    with pytest.raises(WeightsError):
        script.join_pieces(pieces[:-1], tmp_path / "short")


def test_training_needs_only_what_the_bare_machine_has():
    """No command line, video, picture or schema library is imported on the way to a step."""
    code = (
        "import sys\n"
        "import aesop.training.phases, aesop.training.parcel, aesop.training.travelling_text\n"
        "import aesop.training.recipe_book\n"
        "extra = {'tyro', 'av', 'pydantic', 'PIL', 'scipy', 'transformers', 'tokenizers'}\n"
        "found = extra & set(sys.modules)\n"
        "sys.exit(f'imported {found}' if found else 0)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
