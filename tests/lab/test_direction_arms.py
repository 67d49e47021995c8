"""The script of the three arms, run here at its smallest: what it trains, that it goes on, and what
it joins."""

import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
import torch
from safetensors.torch import load_file

import direction_arms_h200 as arms
from aesop.core.machine import Code, this_machine
from aesop.data.store import open_store
from aesop.fables.build import FablesRecipe, Share, build_mini
from aesop.fables.thin import ThinRecipe, build_thin
from aesop.measuring.runs import MetricResult, Result, Setting, joined_trainings, read_result
from aesop.metrics.metric_book import MetricError, mean_and_sd
from aesop.pairs.direction_pairs import BuildRequest, build_direction
from aesop.pairs.pair_recipe import recipe_for_dataset
from aesop.text.minilm import MiniLM
from aesop.training.batch_order import PairOrder
from aesop.training.footage import read_footage
from aesop.training.loop import Conduct
from aesop.training.phases import train
from aesop.training.recipe_book import recipe_for
from aesop.training.recipes import PairedFlowRecipe, with_steps
from aesop.training.run_folder import Material, weights_path
from tests.measuring.makers import made_evaluators
from tests.training.makers import HashEncoder, make_footage, make_pairs

SCRIPT = Path(__file__).resolve().parents[2] / "lab" / "direction_arms_h200.py"
SEEDS = ("--seeds", "0", "1")
CPU = torch.device("cpu")


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """From a mini set to what came back, every step as the script's head says."""
    home = tmp_path_factory.mktemp("arms")
    train_share = Share(windows=17, one_run=3, several=0, any_run=0)
    few = Share(windows=3, one_run=2, several=0, any_run=0)
    build_mini(home / "mini", FablesRecipe(3, train=train_share, validation=few, test=few))
    build_thin(open_store(home / "mini"), home / "thin", ThinRecipe(rare_one_in=2))
    recipe = recipe_for_dataset("fables-thin")
    build_direction(BuildRequest(home / "thin", None, home / "pairs", recipe, workers=1))
    footage = read_footage(open_store(home / "thin"), 3)
    codecs = [with_steps(recipe_for(it, "tiny"), 1) for it in ("human-codec", "camera-codec")]
    train(codecs, Material(*footage, HashEncoder()), home / "codecs", Conduct(), CPU)
    made_evaluators(home / "judges", MiniLM())
    run(home, "pack", home / "thin", home / "parcel", "--pairs", home / "pairs")
    return home


def run(home: Path, *words: object) -> int:
    done = subprocess.run(
        [sys.executable, str(SCRIPT), *map(str, words)],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "TMPDIR": str(home), "OMP_NUM_THREADS": "1", "AESOP_CACHE": str(home)},
    )
    assert "Traceback" not in done.stderr, done.stderr
    return done.returncode


def test_arms_are_trained_from_one_start_paused_resumed_measured_and_joined(home: Path):
    small = ("--weights", home / "codecs", "--size", "tiny", "--start-steps", "3", "--steps", "4")
    words = ("train", "--parcel", home / "parcel", *small, *SEEDS)
    assert run(home, *words, "--minutes", "0") == 3  # out of time before the first step
    assert run(home, *words) == 0
    made = {name: weights_path(home / "aesop-base" / "arms" / name, "camera-flow-dpa")
            for name, _, _ in arms.runs_of([0, 1])}  # fmt: skip
    flows = [load_file(path) for path in made.values()]
    name = next(it for it, values in flows[0].items() if values.numel() > 100 and "blocks" in it)
    assert len({tuple(flow[name].flatten().tolist()) for flow in flows}) == len(flows)
    few = ("--split", "test", "--at-most", "5", "--workers", "1", *SEEDS)
    measured = ("measure", "--out", home / "out", "--evaluators", home / "judges", *few)
    assert run(home, *measured) == 0
    assert run(home, "collect", home / "out" / "results.zip", "--results", home / "results") == 0
    results = [read_result(path) for path in sorted((home / "results" / "direction").iterdir())]
    joined = [it for it in results if it.setting.seed_kind == "training"]
    assert len(results) == 4 and len(joined) == 3
    for result in joined:
        metric = result.of("direction_combined")
        assert metric is not None and len(metric.values) == 2
        assert (metric.mean, metric.sd) == mean_and_sd(metric.values)
    with pytest.raises(MetricError, match="two or more"):
        joined_trainings(joined[:1], "one")
    other = replace(joined[1], setting=replace(joined[1].setting, clips=1))
    with pytest.raises(MetricError, match="alike"):
        joined_trainings([joined[0], other], "two")


def test_the_arms_differ_in_what_fills_the_slots_and_in_nothing_else():
    whole = recipe_for("camera-flow-dpa", "base")
    assert isinstance(whole, PairedFlowRecipe)
    recipes = {arm: arms.of_arm(whole, arm) for arm in arms.ARMS}
    for recipe in recipes.values():
        assert replace(recipe, slots=whole.slots, watch=whole.watch) == whole
    footage = make_footage(5, 2, seed=1, frames=(17, 43))
    pairs = make_pairs(footage, 3, 0, 0)
    rows = {
        arm: PairOrder(recipe.slots, pairs, 7_000, seed=3).at(3_000)
        for arm, recipe in recipes.items()
    }
    assert len(rows["none"]) == 0 and len(rows["factual"]) == len(rows["direction"]) == 10
    assert (rows["factual"][0::2] == rows["direction"][0::2]).all()  # the same originals
    assert (rows["factual"][1::2] == rows["factual"][0::2]).all()
    assert (rows["direction"][1::2] == rows["direction"][0::2] + 1).all()


def test_trainings_count_once_each_whatever_their_noises():
    """Means of means: a training measured with three noises weighs as much as one with one."""
    results = [made_result((90.0, 92.0, 94.0)), made_result((96.0,)), made_result((95.0,))]
    joined = joined_trainings(results, "AESOP").of("direction_combined")
    assert joined is not None and joined.values == (92.0, 96.0, 95.0)
    # Sample deviation by hand: mean 94 1/3, squares 5.44, 2.78, 0.44, over two.
    assert joined.sd == pytest.approx(2.0817, abs=1e-4)  # four digits are written down


def made_result(values: tuple[float, ...]) -> Result:
    mean, sd = mean_and_sd(values)
    metric = MetricResult("direction_combined", "%", "higher", mean, sd, values, None, 5)
    setting = Setting("x", "film", "fables", "0", "test", 5, 5, 0, (0,), "sampling", ())
    return Result(setting, (metric,), (), Code("0", None), this_machine(CPU), "", (0,))
