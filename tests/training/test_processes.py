"""Trainings in processes of their own: killed at the worst moments, and shared between two."""

import json
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import Tensor

from aesop.training.loop import CHECKPOINT_FILE, Conduct, read_checkpoint
from aesop.training.phases import train
from aesop.training.run_folder import weights_path
from aesop.training.run_record import JOURNAL_FILE
from tests.tolerances import network32
from tests.training.scripts import CODEC_STEPS, KILLED, STEPS, codec_recipe, flow_recipe, material

ROOT = Path(__file__).resolve().parents[2]
CPU = torch.device("cpu")
# A network of two layers and the mean of its errors, carried on through so many steps.
ROUNDING = (CODEC_STEPS + STEPS) * network32(2, 64)


@pytest.fixture(autouse=True, scope="module")
def one_thread() -> Iterator[None]:
    """As in the other processes: sums in another order would end in other bits."""
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(threads)


@pytest.fixture(scope="module")
def run_with_codec(tmp_path_factory: pytest.TempPathFactory) -> Path:
    run = tmp_path_factory.mktemp("codec")
    train([codec_recipe()], material(), run, Conduct(), CPU)
    return run


def start(what: str, run: Path, processes: int = 1) -> "subprocess.CompletedProcess[str]":
    words = [sys.executable, "-m"]
    if processes > 1:
        words += ["torch.distributed.run", "--standalone", f"--nproc-per-node={processes}", "-m"]
    words += ["tests.training.scripts", what, str(run)]
    return subprocess.run(words, cwd=ROOT, capture_output=True, text=True, check=False, timeout=300)


def state(run: Path) -> dict[str, Tensor]:
    return read_checkpoint(run / "human-flow" / CHECKPOINT_FILE, CPU).tensors


@pytest.mark.parametrize(("what", "last"), [("killed", 4), ("killed-while-writing", 4)])
def test_a_killed_run_resumes_to_the_same_bits(
    what: str, last: int, run_with_codec: Path, tmp_path: Path
):
    killed, whole = tmp_path / "killed", tmp_path / "whole"
    shutil.copytree(run_with_codec, killed)
    shutil.copytree(run_with_codec, whole)
    done = start(what, killed)
    assert done.returncode == KILLED, done.stderr
    assert not weights_path(killed, "human-flow").exists()
    reached = read_checkpoint(killed / "human-flow" / CHECKPOINT_FILE, CPU)
    assert reached.progress.step == last
    train([flow_recipe(0.1)], material(), killed, Conduct(resume=True), CPU)
    train([flow_recipe(0.1)], material(), whole, Conduct(), CPU)
    # Steps after the last checkpoint were told twice; the journal keeps one telling.
    assert losses(killed, "human-flow") == losses(whole, "human-flow")
    found, wanted = state(killed), state(whole)
    assert found.keys() == wanted.keys()
    assert all(torch.equal(found[name], wanted[name]) for name in wanted)
    assert weights_path(killed, "human-flow").read_bytes() == (
        weights_path(whole, "human-flow").read_bytes()
    )


def losses(run: Path, phase: str) -> list[tuple[Any, Any, float]]:
    lines = (run / phase / JOURNAL_FILE).read_text().splitlines()
    return [(it["kind"], it["step"], it["loss"]) for it in map(json.loads, lines)]


def test_two_processes_learn_what_one_learns_and_one_goes_on(tmp_path: Path):
    both, alone = tmp_path / "both", tmp_path / "alone"
    recipes = [codec_recipe(), flow_recipe(0.0)]
    done = start("shared", both, processes=2)
    assert done.returncode == 0, done.stderr
    reached = read_checkpoint(both / "human-flow" / CHECKPOINT_FILE, CPU)
    assert reached.progress.step == 5
    shared = losses(both, "human-codec") + losses(both, "human-flow")
    train(recipes, material(), both, Conduct(resume=True), CPU)
    train(recipes, material(), alone, Conduct(), CPU)
    single = losses(alone, "human-codec") + losses(alone, "human-flow")
    assert [it[:2] for it in shared] == [it[:2] for it in single[: len(shared)]]
    # Sums of two halves round differently from one sum, and nothing else differs.
    assert [it[2] for it in shared] == pytest.approx(
        [it[2] for it in single[: len(shared)]], rel=ROUNDING
    )
    after = losses(both, "human-flow")
    assert [it[2] for it in after] == pytest.approx(
        [it[2] for it in losses(alone, "human-flow")], rel=ROUNDING
    )
    found, wanted = state(both), state(alone)
    assert found.keys() == wanted.keys()
