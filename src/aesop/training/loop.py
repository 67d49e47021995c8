"""The loop around the step: seeds, validation, journal, checkpoints, resuming and halting."""

import json
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Protocol, TypeVar, runtime_checkable

import torch
from jaxtyping import Shaped
from safetensors import SafetensorError, safe_open
from safetensors.torch import save
from torch import Tensor, nn

from aesop.core.atomic import atomic_path
from aesop.core.errors import WeightsError
from aesop.training.batch_order import DROPOUT, seed_for
from aesop.training.recipes import Recipe, TrainingError, TrainingHalted
from aesop.training.run_record import JournalEntry, Listener, Measure, opened_journal
from aesop.training.step import GraphedStep, Learner, Objective, World, eager_step

FORMAT = "aesop-checkpoint"
VERSION = 1


@dataclass(frozen=True)
class Milestone:
    """The best validation so far."""

    step: int
    loss: float


@dataclass(frozen=True)
class TrainingState:
    """Where a run stands: `step` updates are done."""

    step: int
    recipe_sha256: str
    data_sha256: str
    best: Milestone | None


@dataclass(frozen=True, eq=False)
class Checkpoint:
    """Everything that the next update depends on; all else is a function of recipe and step."""

    progress: TrainingState
    tensors: dict[str, Shaped[Tensor, "..."]]


def write_checkpoint(path: Path, checkpoint: Checkpoint) -> None:
    """Replace the file at `path`; a kill at any moment leaves the old or the new one."""
    metadata = {
        "format": FORMAT,
        "version": str(VERSION),
        "progress": json.dumps(asdict(checkpoint.progress), sort_keys=True),
    }
    tensors = {
        name: tensor.detach().cpu().contiguous() for name, tensor in checkpoint.tensors.items()
    }
    with atomic_path(path) as temporary:
        temporary.write_bytes(save(tensors, metadata))


def read_checkpoint(path: Path, device: torch.device) -> Checkpoint:
    """Read what `write_checkpoint` wrote."""
    try:
        with safe_open(path, "pt", str(device)) as file:
            metadata = file.metadata() or {}
            if metadata.get("format") != FORMAT or metadata.get("version") != str(VERSION):
                raise WeightsError(
                    f"{path} is not a checkpoint of this version of AESOP.",
                    "Start the run again without --resume.",
                )
            progress = _progress(metadata["progress"])
            tensors = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118
    except (OSError, SafetensorError, KeyError, ValueError, TypeError) as error:
        raise WeightsError(
            f"{path} cannot be read as a checkpoint: {error}.",
            "Start the run again without --resume.",
        ) from error
    return Checkpoint(progress, tensors)


def _progress(text: str) -> TrainingState:
    value = json.loads(text)
    best = value["best"]
    return TrainingState(
        step=int(value["step"]),
        recipe_sha256=str(value["recipe_sha256"]),
        data_sha256=str(value["data_sha256"]),
        best=None if best is None else Milestone(int(best["step"]), float(best["loss"])),
    )


SHEETS_FOLDER = "sheets"
CHECKPOINT_FILE = "checkpoint.safetensors"
_BEST = "best/"

BatchT = TypeVar("BatchT")


@runtime_checkable
class TrainingTask(Objective[BatchT], Protocol[BatchT]):
    """What one phase learns from: its batches by step, its loss, its validation."""

    def batch(self, step: int) -> BatchT: ...

    def names(self, step: int) -> list[str]:
        """Clips of the whole batch of a step."""
        ...

    def validate(self, network: nn.Module) -> tuple[Measure, ...]:
        """Measures on clips that are not trained on; the first is the loss."""
        ...

    def show(self, network: nn.Module, path: Path) -> None:
        """Draw a page of what the network makes, if there is anything to see."""
        ...


@dataclass(frozen=True)
class Conduct:
    """How a run is carried out, as opposed to what it learns."""

    resume: bool = False
    graphs: bool = True  # capture the step where there is a GPU
    compiled: bool = False  # let torch.compile fuse Transformer blocks; a minute to start
    bar: bool = False
    tensorboard: bool = False
    sheets: bool = False  # draw a page of samples of a flow at every validation
    # Asked after every step; true ends the run early with a checkpoint to resume from.
    pause: Callable[[], bool] | None = None
    # Given the weights that count after every validation, with the steps done: where a machine may
    # go away at any moment, the last ones are already safe.
    keep: Callable[[nn.Module, int], None] | None = None


@dataclass(frozen=True, eq=False)
class Outcome:
    """What a run has come to. The weights are the ones to keep, by name."""

    weights: dict[str, Tensor]
    steps: int
    best: Milestone | None
    finished: bool


@dataclass(eq=False)
class _Standing:
    """The moving part of a run beside the learner."""

    done: int
    best: Milestone | None
    best_weights: dict[str, Tensor]


def learn(
    lesson: TrainingTask[BatchT],
    network: nn.Module,
    recipe: Recipe,
    data_sha256: str,
    out: Path,
    conduct: Conduct,
    world: World,
) -> Outcome:
    """Run a recipe to its end, or to a pause. The network's weights change in place."""
    learner = Learner(network, lesson, recipe, world, compiled=conduct.compiled)
    standing = _start(learner, recipe, data_sha256, out, conduct)
    run_step = (
        GraphedStep(learner)
        if conduct.graphs and learner.device.type == "cuda"
        else eager_step(learner)
    )
    steps, watch = recipe.schedule.steps, recipe.watch
    halt_every = 1 if learner.device.type == "cpu" else watch.log_every
    paused = False
    with (
        _journal(out, recipe, standing.done, conduct, world) as listeners,
        _own_dropout(learner.device) as dropout,
    ):
        pages = out / SHEETS_FOLDER if conduct.sheets else None
        report = _Reporter(learner, lesson, listeners, standing.done, pages, conduct.keep)
        while standing.done < steps and not paused:
            step = standing.done
            dropout.manual_seed(seed_for(recipe.seed, DROPOUT, step, world.rank))
            learner.prepare(step)
            run_step(lesson.batch(step))
            standing.done = step + 1
            paused = conduct.pause is not None and conduct.pause()
            last = paused or standing.done == steps
            if last or standing.done % halt_every == 0:
                _halt_if_broken(learner, lesson)
            report.after(standing, last)
            if (last or standing.done % watch.checkpoint_every == 0) and world.leads:
                _save(learner, recipe, data_sha256, out, standing)
    return _outcome(learner, recipe, standing)


class _Reporter:
    """Tells the listeners how the training goes and remembers the best weights."""

    def __init__(
        self,
        learner: Learner[BatchT],
        lesson: TrainingTask[BatchT],
        listeners: tuple[Listener, ...],
        done: int,
        pages: Path | None,
        keep: Callable[[nn.Module, int], None] | None,
    ) -> None:
        self._learner, self._lesson, self._recipe = learner, lesson, learner.recipe
        self._pages, self._keep = pages, keep
        self._listeners, self._last_done, self._last_time = listeners, done, time.perf_counter()

    def after(self, standing: _Standing, last: bool) -> None:
        watch, done = self._recipe.watch, standing.done
        for listener in self._listeners:
            listener.stepped(done)
        if last or done % watch.log_every == 0:
            self._tell(JournalEntry("train", done, self._training_measures(done)))
        finished = done == self._recipe.schedule.steps
        if self._learner.world.leads and (finished or done % watch.validate_every == 0):
            self._tell(JournalEntry("validation", done, self._validated(standing)))

    def _training_measures(self, done: int) -> tuple[Measure, ...]:
        count = done - self._last_done
        *parts, loss, norm = (total / count for total in self._learner.take_sums())
        now = time.perf_counter()
        seconds, self._last_time, self._last_done = now - self._last_time, now, done
        named = zip(self._learner.objective.part_names, parts, strict=True)
        return (
            Measure("loss", loss),
            *(Measure(name, value) for name, value in named),
            Measure("gradient_norm", norm),
            Measure("steps_per_second", count / seconds),
        )

    def _validated(self, standing: _Standing) -> tuple[Measure, ...]:
        judged = self._learner.judged
        judged.eval()
        with torch.inference_mode():
            measures = self._lesson.validate(judged)
            if self._pages is not None:
                self._lesson.show(judged, self._pages / f"{standing.done:06d}.png")
        if self._keep is not None:
            self._keep(judged, standing.done)
        self._learner.network.train()
        loss = measures[0].value
        if self._recipe.watch.keep == "best" and (
            standing.best is None or loss < standing.best.loss
        ):
            standing.best = Milestone(standing.done, loss)
            standing.best_weights = {
                name: tensor.clone() for name, tensor in judged.state_dict().items()
            }
        return measures

    def _tell(self, entry: JournalEntry) -> None:
        for listener in self._listeners:
            listener.heard(entry)


def _start(
    learner: Learner[BatchT], recipe: Recipe, data_sha256: str, out: Path, conduct: Conduct
) -> _Standing:
    path = out / CHECKPOINT_FILE
    if not conduct.resume:
        return _Standing(0, None, {})
    if not path.exists():
        raise TrainingError(
            f"{path} does not exist: there is nothing to resume.", "Start without --resume."
        )
    checkpoint = read_checkpoint(path, learner.device)
    _refuse_other_run(path, checkpoint.progress, recipe, data_sha256)
    best = {
        name.removeprefix(_BEST): tensor
        for name, tensor in checkpoint.tensors.items()
        if name.startswith(_BEST)
    }
    learner.restore(
        {name: it for name, it in checkpoint.tensors.items() if not name.startswith(_BEST)}
    )
    return _Standing(checkpoint.progress.step, checkpoint.progress.best, best)


def _refuse_other_run(
    path: Path, progress: TrainingState, recipe: Recipe, data_sha256: str
) -> None:
    for what, then, now in (
        ("recipe", progress.recipe_sha256, recipe.sha256),
        ("data", progress.data_sha256, data_sha256),
    ):
        if then != now:
            raise TrainingError(
                f"{path} was made with another {what} ({then[:12]}, now {now[:12]}).",
                f"Resume with the same {what}, or start again without --resume.",
            )


def _save(
    learner: Learner[BatchT], recipe: Recipe, data_sha256: str, out: Path, standing: _Standing
) -> None:
    tensors = learner.state() | {
        f"{_BEST}{name}": tensor for name, tensor in standing.best_weights.items()
    }
    progress = TrainingState(standing.done, recipe.sha256, data_sha256, standing.best)
    write_checkpoint(out / CHECKPOINT_FILE, Checkpoint(progress, tensors))


def _halt_if_broken(learner: Learner[BatchT], lesson: TrainingTask[BatchT]) -> None:
    broken = learner.halted_step()
    if broken is not None:
        raise TrainingHalted(broken, lesson.names(broken))


def _outcome(learner: Learner[BatchT], recipe: Recipe, standing: _Standing) -> Outcome:
    best = recipe.watch.keep == "best" and standing.best_weights
    weights = standing.best_weights if best else learner.judged.state_dict()
    return Outcome(
        weights={name: tensor.detach().clone() for name, tensor in weights.items()},
        steps=standing.done,
        best=standing.best,
        finished=standing.done == recipe.schedule.steps,
    )


@contextmanager
def _journal(
    out: Path, recipe: Recipe, done: int, conduct: Conduct, world: World
) -> Iterator[tuple[Listener, ...]]:
    if not world.leads:
        yield ()
        return
    with opened_journal(
        out,
        recipe.phase,
        done,
        recipe.schedule.steps,
        bar=conduct.bar,
        tensorboard=conduct.tensorboard,
    ) as listeners:
        yield listeners


@contextmanager
def _own_dropout(device: torch.device) -> Iterator[torch.Generator]:
    """The generator from which dropout draws, lent: torch offers no way to hand dropout another.
    Its state is put back at the end, so that a training leaves no trace in the caller's dice."""
    generator = (
        torch.cuda.default_generators[device.index or 0]
        if device.type == "cuda"
        else torch.default_generator
    )
    kept = generator.get_state()
    try:
        yield generator
    finally:
        generator.set_state(kept)
