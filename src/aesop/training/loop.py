"""The loop around the step: seeds, validation, journal, checkpoints, resuming and halting."""

import json
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Generic, Protocol, TypeVar, runtime_checkable

import torch
from jaxtyping import Shaped
from safetensors import SafetensorError, safe_open
from safetensors.torch import save
from torch import Tensor, nn

from aesop.core.errors import WeightsError
from aesop.core.whole_files import atomic_path
from aesop.training.batch_order import DROPOUT, seed_for
from aesop.training.recipes import Recipe, TrainingError, TrainingHalted
from aesop.training.run_record import Journal, Measure
from aesop.training.step import GraphedStep, Learner, Objective, World

FORMAT = "aesop-checkpoint"
VERSION = 1
CHECKPOINT_FILE = "checkpoint.safetensors"
SHEETS_FOLDER = "sheets"
_BEST = "best/"  # before the names of the best weights in a checkpoint

BatchT = TypeVar("BatchT")


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
    with _opened(path, device) as (progress, file):
        tensors = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118
        return Checkpoint(progress, tensors)


def read_progress(path: Path) -> TrainingState:
    """Where a run stood when it wrote a checkpoint."""
    with _opened(path, torch.device("cpu")) as (progress, _):
        return progress


@contextmanager
def _opened(path: Path, device: torch.device) -> Iterator[tuple[TrainingState, Any]]:
    try:
        with safe_open(path, "pt", str(device)) as file:
            metadata = file.metadata() or {}
            if metadata.get("format") != FORMAT or metadata.get("version") != str(VERSION):
                raise WeightsError(
                    f"{path} is not a checkpoint of this version of AESOP.",
                    "Start the run again without --resume.",
                )
            progress = json.loads(metadata["progress"])
            best = None if progress["best"] is None else Milestone(**progress["best"])
            yield TrainingState(**{**progress, "best": best}), file
    except (OSError, SafetensorError, KeyError, ValueError, TypeError) as error:
        raise WeightsError(
            f"{path} cannot be read as a checkpoint: {error}.",
            "Start the run again without --resume.",
        ) from error


def refuse_other(what: str, path: Path, then: str, now: str, more: str = "") -> None:
    """A checkpoint goes on with what it was made with."""
    if then != now:
        raise TrainingError(
            f"{path} was made with another {what} ({then[:12]}, now {now[:12]}){more}.",
            f"Resume with the same {what}, or start again without --resume.",
        )


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


def learn(
    task: TrainingTask[BatchT],
    network: nn.Module,
    recipe: Recipe,
    data_sha256: str,
    out: Path,
    conduct: Conduct,
    world: World,
) -> Outcome:
    """Run a recipe to its end, or to a pause. The network's weights change in place."""
    learner = Learner(network, task, recipe, world, compiled=conduct.compiled)
    training = _Training(learner, task, data_sha256, out, conduct)
    if conduct.resume:
        training.resume()
    with training.journal(), _own_dropout(learner.device) as dropout:
        training.run(dropout)
    return training.outcome()


class _Training(Generic[BatchT]):
    """A learner on its way: how many steps are done, and the best weights so far."""

    def __init__(
        self,
        learner: Learner[BatchT],
        task: TrainingTask[BatchT],
        data_sha256: str,
        out: Path,
        conduct: Conduct,
    ) -> None:
        self._learner, self._task, self._recipe = learner, task, learner.recipe
        self._data_sha256, self._out, self._conduct = data_sha256, out, conduct
        self._done, self._logged = 0, 0  # steps
        self._last_time = time.perf_counter()
        self._best: Milestone | None = None
        self._best_weights: dict[str, Tensor] = {}
        self._journal: Journal | None = None  # only of the leading process

    def resume(self) -> None:
        """Go on from the last checkpoint."""
        path = self._out / CHECKPOINT_FILE
        if not path.exists():
            raise TrainingError(
                f"{path} does not exist: there is nothing to resume.", "Start without --resume."
            )
        checkpoint = read_checkpoint(path, self._learner.device)
        progress = checkpoint.progress
        refuse_other("recipe", path, progress.recipe_sha256, self._recipe.sha256)
        refuse_other("data", path, progress.data_sha256, self._data_sha256)
        state: dict[str, Tensor] = {}
        for name, tensor in checkpoint.tensors.items():
            place = self._best_weights if name.startswith(_BEST) else state
            place[name.removeprefix(_BEST)] = tensor
        self._learner.restore(state)
        self._done = self._logged = progress.step
        self._best = progress.best

    @contextmanager
    def journal(self) -> Iterator[None]:
        """Keep the journal open, if this process leads."""
        if not self._learner.world.leads:
            yield
            return
        recipe, conduct = self._recipe, self._conduct
        shown = {"bar": conduct.bar, "tensorboard": conduct.tensorboard}
        journal = Journal(self._out, recipe.phase, self._done, recipe.schedule.steps, **shown)
        with closing(journal) as self._journal:
            yield

    def run(self, dropout: torch.Generator) -> None:
        """All steps that are left, or as many as there are before a pause."""
        learner, recipe, world = self._learner, self._recipe, self._learner.world
        # A GPU has its step captured, and would have to be waited for to know that all went well.
        run_step = GraphedStep(learner) if learner.device.type == "cuda" else learner.step
        halt_every = 1 if learner.device.type == "cpu" else recipe.watch.log_every
        paused = False
        while self._done < recipe.schedule.steps and not paused:
            dropout.manual_seed(seed_for(recipe.seed, DROPOUT, self._done, world.rank))
            learner.prepare(self._done)
            run_step(self._task.batch(self._done))
            self._done += 1
            paused = self._conduct.pause is not None and self._conduct.pause()
            last = paused or self._done == recipe.schedule.steps
            if last or self._done % halt_every == 0:
                broken = learner.halted_step()
                if broken is not None:
                    raise TrainingHalted(broken, self._task.names(broken))
            if self._journal is not None:
                self._report(self._journal, last)
            if world.leads and (last or self._done % recipe.watch.checkpoint_every == 0):
                self._save()

    def outcome(self) -> Outcome:
        best = self._recipe.watch.keep == "best" and self._best_weights
        weights = self._best_weights if best else self._learner.judged.state_dict()
        return Outcome(
            weights={name: tensor.detach().clone() for name, tensor in weights.items()},
            steps=self._done,
            best=self._best,
            finished=self._done == self._recipe.schedule.steps,
        )

    def _report(self, journal: Journal, last: bool) -> None:
        watch, done = self._recipe.watch, self._done
        journal.stepped(done)
        if last or done % watch.log_every == 0:
            journal.write("train", done, self._training_measures())
        if done == self._recipe.schedule.steps or done % watch.validate_every == 0:
            journal.write("validation", done, self._validated())

    def _training_measures(self) -> tuple[Measure, ...]:
        count = self._done - self._logged
        *parts, loss, norm = (total / count for total in self._learner.take_sums())
        now = time.perf_counter()
        seconds, self._last_time, self._logged = now - self._last_time, now, self._done
        named = zip(self._task.part_names, parts, strict=True)
        return (
            Measure("loss", loss),
            *(Measure(name, value) for name, value in named),
            Measure("gradient_norm", norm),
            Measure("steps_per_second", count / seconds),
        )

    def _validated(self) -> tuple[Measure, ...]:
        judged = self._learner.judged
        judged.eval()
        with torch.inference_mode():
            measures = self._task.validate(judged)
            if self._conduct.sheets:
                self._task.show(judged, self._out / SHEETS_FOLDER / f"{self._done:06d}.png")
        if self._conduct.keep is not None:
            self._conduct.keep(judged, self._done)
        self._learner.network.train()
        loss = measures[0].value
        if self._recipe.watch.keep == "best" and (self._best is None or loss < self._best.loss):
            self._best = Milestone(self._done, loss)
            self._best_weights = {name: it.clone() for name, it in judged.state_dict().items()}
        return measures

    def _save(self) -> None:
        best = {f"{_BEST}{name}": tensor for name, tensor in self._best_weights.items()}
        progress = TrainingState(self._done, self._recipe.sha256, self._data_sha256, self._best)
        checkpoint = Checkpoint(progress, self._learner.state() | best)
        write_checkpoint(self._out / CHECKPOINT_FILE, checkpoint)


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
