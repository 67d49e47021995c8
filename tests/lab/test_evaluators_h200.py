"""The script for a lent GPU, run here at tiny size from a parcel."""

import os
import subprocess
import sys
from pathlib import Path

from aesop.evaluators.evaluator_weights import load_evaluator
from aesop.text.minilm import MiniLM
from parcel import write_parcel
from tests.training.makers import make_footage
from travelling import write_travelling_encoder

SCRIPT = Path(__file__).resolve().parents[2] / "lab" / "evaluators_h200.py"


def test_the_script_trains_both_from_a_parcel(tmp_path: Path):
    parcel, out = tmp_path / "parcel", tmp_path / "out"
    texts: dict[str, None] = {}
    for name, seed in (("train", 1), ("validation", 2)):
        footage = make_footage(5, 2, seed=seed, frames=(29, 37))
        write_parcel(footage, parcel / name)
        for captions in (*footage.human_captions, *footage.camera_captions):
            texts.update(dict.fromkeys(captions))
    write_travelling_encoder(texts, parcel / "encoder.safetensors")
    command = [sys.executable, str(SCRIPT), "clatr", "tmr", "--parcel", str(parcel)]
    command += ["--out", str(out), "--size", "tiny", "--steps", "2"]
    done = subprocess.run(
        command,
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "TMPDIR": str(tmp_path), "OMP_NUM_THREADS": "1"},
    )
    assert done.returncode == 0, done.stderr
    assert (out / "tmr.json").exists()
    loaded = load_evaluator(out / "clatr.safetensors", MiniLM())
    assert loaded.embed_words(["the camera pushes in"]).shape == (1, 32)
