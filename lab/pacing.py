"""Training against the clock of a lent machine: how many steps fit, and when to pause."""

import json
import shutil
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import torch

    from aesop.training.loop import Conduct
    from aesop.training.recipes import Recipe
    from aesop.training.run_folder import Material

PROBE_STEPS = 300
# What the clock must leave for reading, validating, whitening and writing, in seconds.
SPARE_SECONDS = 20.0
STARTED = time.monotonic()


def say(text: str) -> None:
    sys.stderr.write(text + "\n")
    sys.stderr.flush()


@contextmanager
def timed(what: str) -> Iterator[None]:
    start = time.monotonic()
    yield
    say(f"{what}: {time.monotonic() - start:.1f} s")


def paced(conduct: "Conduct", deadline: float) -> "Conduct":
    """Pauses when the clock says so."""
    return replace(conduct, pause=lambda: time.monotonic() > deadline)


def fitting_steps(
    recipe: "Recipe",
    material: "Material",
    run: Path,
    conduct: "Conduct",
    device: "torch.device",
    seconds: float,
) -> int:
    """How many steps end in time; a phase that an earlier call began keeps its number."""
    note = run / f"{recipe.phase}.steps"
    if note.exists():
        return int(note.read_text(encoding="utf-8"))
    began = time.monotonic()
    rate = steps_per_second(recipe, material, run, conduct, device)
    probed = time.monotonic() - began
    # Half of the probe's time comes again: encoding texts is remembered, encoding clips is not.
    left = seconds - 1.5 * probed - SPARE_SECONDS
    steps = max(1, min(recipe.schedule.steps, int(left * rate)))
    say(
        f"{recipe.phase}: {rate:.1f} steps a second (probe {probed:.1f} s), so {steps} of "
        f"{recipe.schedule.steps} steps"
    )
    note.write_text(str(steps), encoding="utf-8")
    return steps


def steps_per_second(
    recipe: "Recipe", material: "Material", run: Path, conduct: "Conduct", device: "torch.device"
) -> float:
    """Train a few steps and throw them away."""
    from aesop.training.phases import train as train_phases
    from aesop.training.recipes import with_steps

    short = with_steps(recipe, PROBE_STEPS)
    quiet = replace(short.watch, log_every=50, validate_every=10**9, checkpoint_every=10**9)
    with tempfile.TemporaryDirectory() as folder:
        scratch = Path(folder)
        for part in run.glob("*/weights.safetensors"):
            (scratch / part.parent.name).mkdir()
            shutil.copyfile(part, scratch / part.parent.name / part.name)
        train_phases([replace(short, watch=quiet)], material, scratch, conduct, device)
        lines = (scratch / recipe.phase / "log.jsonl").read_text(encoding="utf-8").splitlines()
    rates = [json.loads(line).get("steps_per_second") for line in lines]
    return sorted(rate for rate in rates if rate)[len(rates) // 2]  # captures slow the first ones


def progress_now_and_then() -> Callable[[int, int], None]:
    """Says how many shards are done, ten times in all."""
    began = time.monotonic()

    def progress(done: int, total: int) -> None:
        if done % max(1, total // 10) == 0 or done == total:
            say(f"{done} of {total} shards, {time.monotonic() - began:.0f} s")

    return progress
