"""The loop: what is kept, what is resumed, what is refused, what is written."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import Tensor

from aesop.core.errors import WeightsError
from aesop.training.loop import (
    CHECKPOINT_FILE,
    Checkpoint,
    Conduct,
    Outcome,
    TrainingState,
    learn,
    read_checkpoint,
    write_checkpoint,
)
from aesop.training.recipes import Recipe, TrainingError, TrainingHalted
from aesop.training.run_record import JOURNAL_FILE
from aesop.training.step import ALONE
from tests.tolerances import summed32
from tests.training.toys import Line, LineTask, line_recipe


def run(
    out: Path, recipe: Recipe, conduct: Conduct | None = None, broken: tuple[int, ...] = ()
) -> Outcome:
    out.mkdir(exist_ok=True)
    task, network = LineTask(*broken), Line(dropout=0.3)
    return learn(task, network, recipe, "data", out, conduct or Conduct(), ALONE)


def lines(out: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (out / JOURNAL_FILE).read_text().splitlines()]


def same(first: dict[str, Tensor], second: dict[str, Tensor]) -> bool:
    assert first.keys() == second.keys()
    return all(torch.equal(first[name], second[name]) for name in first)


def pause_after(steps: int) -> Conduct:
    count = iter(range(1, 1_000))
    return Conduct(pause=lambda: next(count) == steps)


@pytest.mark.parametrize("pause", [1, 4, 5])
def test_a_paused_and_resumed_run_equals_one_that_never_stopped(tmp_path: Path, pause: int):
    recipe = line_recipe(7)
    whole = run(tmp_path / "whole", recipe)
    paused = run(tmp_path / "paused", recipe, pause_after(pause))
    assert not paused.finished and paused.steps == pause
    resumed = run(tmp_path / "paused", recipe, Conduct(resume=True))
    assert resumed.finished and same(whole.weights, resumed.weights)
    ends = [
        read_checkpoint(tmp_path / name / CHECKPOINT_FILE, torch.device("cpu"))
        for name in ("whole", "paused")
    ]
    assert same(ends[0].tensors, ends[1].tensors) and ends[0].progress == ends[1].progress
    losses = [
        [(line["kind"], line["step"], line["loss"]) for line in lines(tmp_path / name)]
        for name in ("whole", "paused")
    ]
    assert losses[0] == losses[1]


def test_training_leaves_no_trace_in_the_callers_dice(tmp_path: Path):
    network = Line(dropout=0.3)
    before = torch.get_rng_state()
    learn(LineTask(), network, line_recipe(3), "data", tmp_path, Conduct(), ALONE)
    assert torch.equal(torch.get_rng_state(), before)


def test_best_weights_are_kept_and_survive_a_pause(tmp_path: Path):
    recipe = line_recipe(12, rate=2.0)  # so fast that it overshoots: the last is not the best
    recipe = replace(
        recipe,
        watch=replace(recipe.watch, keep="best", validate_every=1),
        optimiser=replace(recipe.optimiser, ema_decay=None),
    )
    whole = run(tmp_path / "whole", recipe)
    losses = {it["step"]: it["loss"] for it in lines(tmp_path / "whole") if it["kind"] != "train"}
    assert whole.best is not None
    assert whole.best.loss == min(losses.values()) and losses[whole.best.step] == whole.best.loss
    assert whole.best.step < 12
    run(tmp_path / "paused", recipe, pause_after(whole.best.step + 1))
    resumed = run(tmp_path / "paused", recipe, Conduct(resume=True))
    assert resumed.best == whole.best and same(whole.weights, resumed.weights)


def test_a_broken_step_halts_with_the_clips_and_keeps_the_last_checkpoint(tmp_path: Path):
    with pytest.raises(TrainingHalted, match=r"step 5.*point5\.0.*point5\.5") as caught:
        run(tmp_path / "run", line_recipe(9), broken=(5, 6))
    assert caught.value.step == 5 and len(caught.value.names) == 6
    kept = read_checkpoint(tmp_path / "run" / CHECKPOINT_FILE, torch.device("cpu"))
    assert kept.progress.step == 4
    assert all(bool(torch.isfinite(it).all()) for it in kept.tensors.values())


def test_the_journal_tells_losses_and_validations(tmp_path: Path):
    run(tmp_path / "run", line_recipe(4))
    told = lines(tmp_path / "run")
    assert [(it["kind"], it["step"]) for it in told] == [
        ("train", 1), ("train", 2), ("train", 3), ("validation", 3), ("train", 4),
        ("validation", 4),
    ]  # fmt: skip
    assert {"loss", "square", "gradient_norm", "steps_per_second"} <= told[0].keys()
    assert told[0]["loss"] == pytest.approx(told[0]["square"], rel=summed32(64))


def test_half_a_line_at_the_end_of_the_journal_is_dropped(tmp_path: Path):
    run(tmp_path / "run", line_recipe(6), pause_after(4))
    with (tmp_path / "run" / JOURNAL_FILE).open("a") as file:
        file.write('{"kind": "train", "st')
    run(tmp_path / "run", line_recipe(6), Conduct(resume=True))
    assert [it["step"] for it in lines(tmp_path / "run") if it["kind"] == "train"] == [
        1, 2, 3, 4, 5, 6,
    ]  # fmt: skip


def test_resuming_something_else_is_refused(tmp_path: Path):
    with pytest.raises(TrainingError, match="nothing to resume"):
        run(tmp_path / "run", line_recipe(4), Conduct(resume=True))
    run(tmp_path / "run", line_recipe(4), pause_after(2))
    with pytest.raises(TrainingError, match="another recipe"):
        run(tmp_path / "run", line_recipe(5), Conduct(resume=True))


def test_a_damaged_checkpoint_is_refused(tmp_path: Path):
    run(tmp_path / "run", line_recipe(4), pause_after(2))
    path = tmp_path / "run" / CHECKPOINT_FILE
    path.write_bytes(path.read_bytes()[:-7])
    with pytest.raises(WeightsError, match=r"checkpoint\.safetensors"):
        run(tmp_path / "run", line_recipe(4), Conduct(resume=True))


def test_checkpoints_round_trip(tmp_path: Path, dice: torch.Generator):
    tensors = {"network/a": torch.randn(3, 5, generator=dice), "step/a": torch.tensor(7.0)}
    progress = TrainingState(7, "recipe", "data", None)
    write_checkpoint(tmp_path / "it.safetensors", Checkpoint(progress, tensors))
    back = read_checkpoint(tmp_path / "it.safetensors", torch.device("cpu"))
    assert back.progress == progress and same(back.tensors, tensors)
    assert [path.name for path in tmp_path.iterdir()] == ["it.safetensors"]
