"""Weights in training and the one step that changes them, as it is written or captured as a CUDA
graph, by one or several processes."""

import math
import os
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from copy import deepcopy
from dataclasses import dataclass, fields, is_dataclass, replace
from typing import Any, Generic, Protocol, TypeVar, assert_never, runtime_checkable

import numpy as np
import torch
import torch.distributed as dist
from jaxtyping import Shaped
from torch import Tensor, nn
from torch.optim import AdamW
from torch.optim.swa_utils import get_ema_multi_avg_fn

from aesop.models.blocks import Block
from aesop.models.velocity import FlowTransformer
from aesop.training.losses import Loss
from aesop.training.recipes import Constant, Cosine, Precision, Recipe, Schedule, StepDown


@dataclass(frozen=True)
class World:
    """This process among all processes of the run."""

    rank: int = 0
    size: int = 1
    local_rank: int = 0

    @property
    def leads(self) -> bool:
        """Whether this process writes files and talks to people."""
        return self.rank == 0

    def share(self, rows: Shaped[np.ndarray, " batch"]) -> Shaped[np.ndarray, " _"]:
        """This process's rows of the whole batch; taken in turns, so that lengths are balanced."""
        return rows[self.rank :: self.size]

    def add_up(self, tensors: Sequence[Tensor]) -> None:
        """Replace tensors by their sums over all processes, in one message."""
        if self.size == 1:
            return
        flat = torch.cat([tensor.flatten() for tensor in tensors])
        dist.all_reduce(flat)
        pieces = flat.split([tensor.numel() for tensor in tensors])
        for tensor, piece in zip(tensors, pieces, strict=True):
            tensor.copy_(piece.view_as(tensor))

    def wait(self) -> None:
        """Let every process arrive here."""
        if self.size > 1:
            dist.barrier()


ALONE = World()


@contextmanager
def joined_world(device: torch.device) -> Iterator[World]:
    """Join the processes that torchrun started, for as long as the block lasts."""
    size = int(os.environ.get("WORLD_SIZE", "1"))
    if size == 1:
        yield ALONE
        return
    world = World(int(os.environ["RANK"]), size, int(os.environ.get("LOCAL_RANK", "0")))
    dist.init_process_group("nccl" if device.type == "cuda" else "gloo")
    try:
        yield world
    finally:
        dist.destroy_process_group()


def learning_rate(schedule: Schedule, step: int) -> float:
    """Rate of update `step` (the first is 0): linear warm-up, then the schedule's decay."""
    rate = schedule.learning_rate
    if step < schedule.warm_up_steps:
        return rate * (step + 1) / schedule.warm_up_steps
    match schedule.decay:
        case Constant():
            return rate
        case Cosine(floor):
            after = step - schedule.warm_up_steps
            share = after / max(schedule.steps - 1 - schedule.warm_up_steps, 1)
            return floor + (rate - floor) * 0.5 * (1 + math.cos(math.pi * min(share, 1.0)))
        case StepDown(at_step, factor):
            return rate * factor if step >= at_step else rate
        case _:
            assert_never(schedule.decay)


BatchT_contra = TypeVar("BatchT_contra", contravariant=True)
BatchT = TypeVar("BatchT")

# Parameters under this name learn only where the recipe gives them a rate of their own.
INTENSITY = "intensity"
NEVER = -1  # no step has gone wrong


@runtime_checkable
class Objective(Protocol[BatchT_contra]):
    """What a network is taught."""

    @property
    def part_names(self) -> tuple[str, ...]: ...

    def loss(self, network: nn.Module, batch: BatchT_contra) -> Loss: ...


class Learner(Generic[BatchT]):
    """A network with its running average and optimiser state, all at fixed addresses so that the
    step can be captured once and replayed."""

    def __init__(
        self,
        network: nn.Module,
        objective: Objective[BatchT],
        recipe: Recipe,
        world: World,
        *,
        compiled: bool = False,
    ) -> None:
        self.network, self.objective, self.recipe, self.world = network, objective, recipe, world
        self.trained = _trained_parameters(network, recipe)
        parameters = list(self.trained.values())
        self.device = parameters[0].device
        network.train()
        decay = recipe.optimiser.ema_decay
        self.average = None if decay is None else deepcopy(network).eval().requires_grad_(False)
        averages = {} if self.average is None else dict(self.average.named_parameters())
        self._averages: list[Tensor] = [averages[name] for name in self.trained if averages]
        self._move_average = None if decay is None else get_ema_multi_avg_fn(decay)
        self._optimiser = _optimiser(self.trained, recipe, self.device)
        if compiled:
            _fuse_blocks(network)
        self._step = torch.zeros((), dtype=torch.int64, device=self.device)
        self._halted = torch.full((), NEVER, dtype=torch.int64, device=self.device)
        self._loss = torch.zeros(len(objective.part_names) + 1, device=self.device)
        self._sums = torch.zeros(len(objective.part_names) + 2, device=self.device)
        self._found_inf = torch.zeros((), device=self.device)
        # Read by the fused kernel: where it is one, the update of all weights is left out.
        self._optimiser.found_inf = self._found_inf  # pyright: ignore[reportAttributeAccessIssue]
        # Read by it as well: gradients are divided by this on their way, which clips them without
        # a pass of its own.
        self._too_long = torch.ones((), device=self.device)
        self._optimiser.grad_scale = self._too_long  # pyright: ignore[reportAttributeAccessIssue]

    @property
    def judged(self) -> nn.Module:
        """The weights that count: the running average, or the network itself without one."""
        return self.network if self.average is None else self.average

    def prepare(self, step: int) -> None:
        """Tell the device which step comes next and how fast to learn in it."""
        self._step.fill_(step)
        rate = learning_rate(self.recipe.schedule, step)
        for group in self._optimiser.param_groups:
            value = rate * group["rate_factor"]
            if isinstance(group["lr"], Tensor):
                group["lr"].fill_(value)
            else:
                group["lr"] = value

    def teach(self, batch: BatchT) -> None:
        """Forward and backward."""
        self._optimiser.zero_grad(set_to_none=True)
        with autocast(self.device, self.recipe.precision):
            loss = self.objective.loss(self.network, batch)
        loss.total.backward()
        self._loss.copy_(torch.cat([loss.parts, loss.total.detach()[None]]))

    def share(self, gradients: list[Tensor]) -> None:
        """Add up gradients and losses over all processes."""
        self.world.add_up([*gradients, self._loss])

    @torch.no_grad()
    def update(self) -> None:
        """Clip, move the weights, move their average; nothing moves once a step went wrong."""
        settings = self.recipe.optimiser
        gradients = self.gradients()
        norm = torch.nn.utils.get_total_norm(gradients, foreach=True)
        fine = torch.isfinite(norm) & torch.isfinite(self._loss).all()
        self._halted.copy_(torch.where(fine | (self._halted != NEVER), self._halted, self._step))
        self._found_inf.copy_(self._halted != NEVER)
        if settings.clip_norm is not None:
            self._too_long.copy_((norm / settings.clip_norm).clamp_min(1))
        self._optimiser.step()
        if self._move_average is not None:
            self._move_average(self._averages, list(self.trained.values()), 0)
        self._sums.add_(torch.cat([self._loss, norm[None]]))

    def step(self, batch: BatchT) -> None:
        """The whole step, operation by operation."""
        self.teach(batch)
        self.share(self.gradients())
        self.update()

    def halted_step(self) -> int | None:
        """The first step whose loss or gradient was not finite. Waits for the device."""
        step = int(self._halted)
        return None if step == NEVER else step

    def take_sums(self) -> tuple[float, ...]:
        """Sums since the last call: the parts of the loss, the loss, the gradient norm."""
        values = tuple(self._sums.tolist())
        self._sums.zero_()
        return values

    def state(self) -> dict[str, Shaped[Tensor, "..."]]:
        """Every tensor the next step depends on, by name; not copies."""
        state: dict[str, Tensor] = {}
        for name, tensor in self.network.state_dict().items():
            state[f"network/{name}"] = tensor
        for name, average in zip(self.trained, self._averages, strict=False):
            state[f"average/{name}"] = average.data
        for name, parameter in self.trained.items():
            for key, tensor in self._optimiser.state[parameter].items():
                state[f"{key}/{name}"] = tensor
        return state

    @torch.no_grad()
    def restore(self, state: dict[str, Shaped[Tensor, "..."]]) -> None:
        """Put back what `state` gave, in place."""
        own = self.state()
        assert own.keys() == state.keys(), sorted(own.keys() ^ state.keys())[:4]
        for name, tensor in own.items():
            tensor.copy_(state[name])

    def gradients(self) -> list[Tensor]:
        """What the last backward pass left, in the order of `trained`."""
        gradients: list[Tensor] = []
        for name, parameter in self.trained.items():
            assert parameter.grad is not None, f"the loss does not depend on {name}"
            gradients.append(parameter.grad)
        return gradients

    def forget_gradients(self) -> None:
        """Let the next backward pass make its gradients anew, in memory of its own."""
        self._optimiser.zero_grad(set_to_none=True)

    def snapshot(self) -> list[Shaped[Tensor, "..."]]:
        """Copies of everything a step changes."""
        return [tensor.clone() for tensor in self._changed()]

    @torch.no_grad()
    def put_back(self, kept: list[Shaped[Tensor, "..."]]) -> None:
        """Undo all steps since the snapshot."""
        for tensor, value in zip(self._changed(), kept, strict=True):
            tensor.copy_(value)

    def _changed(self) -> list[Tensor]:
        return [*self.state().values(), self._halted, self._found_inf, self._sums]


def autocast(device: torch.device, precision: Precision) -> torch.autocast:
    """The arithmetic of a recipe. Weights are cast anew in every pass: a captured step has no
    cache to rely on."""
    return torch.autocast(
        device.type, torch.bfloat16, enabled=precision == "bfloat16", cache_enabled=False
    )


def _fuse_blocks(network: nn.Module) -> None:
    """Compile one Transformer block for all, which starts in a quarter of the time that compiling
    the whole loss takes. On a GPU its dropout and attention are our own.

    Variants of a block are counted per process, and beyond eight none is compiled any more. Two
    flows of five padded lengths each have ten, so every network forgets those before it.
    """
    torch.compiler.reset()
    if isinstance(network, FlowTransformer):
        # Compiled for a CPU, products of int32 that overflow are not defined.
        network.hashes_dropout = next(network.parameters()).is_cuda
    for module in network.modules():
        if isinstance(module, Block):
            module.compile(dynamic=False)


def _is_intensity(name: str) -> bool:
    return name.split(".")[0] == INTENSITY


def _trained_parameters(network: nn.Module, recipe: Recipe) -> dict[str, nn.Parameter]:
    with_intensity = recipe.optimiser.intensity_learning_rate is not None
    trained: dict[str, nn.Parameter] = {}
    for name, parameter in network.named_parameters():
        wanted = with_intensity or not _is_intensity(name)
        wanted &= recipe.optimiser.only in (None, name.split(".")[0])
        parameter.requires_grad_(wanted)
        if wanted:
            trained[name] = parameter
    return trained


def _optimiser(trained: dict[str, nn.Parameter], recipe: Recipe, device: torch.device) -> AdamW:
    settings, rate = recipe.optimiser, recipe.schedule.learning_rate
    own_rate = settings.intensity_learning_rate
    cuda = device.type == "cuda"
    groups: list[dict[str, Any]] = []
    for factor, wanted in ((1.0, False), ((own_rate or 0.0) / rate, True)):
        members = [it for name, it in trained.items() if _is_intensity(name) == wanted]
        # A captured step reads its rate from the device.
        first_rate = torch.tensor(rate, device=device) if cuda else rate
        if members:
            groups.append({"params": members, "rate_factor": factor, "lr": first_rate})
    optimiser = AdamW(
        groups,
        betas=settings.betas,
        eps=settings.epsilon,
        weight_decay=settings.weight_decay,
        fused=True,
        capturable=cuda,
    )
    for parameter in trained.values():
        # Made at once instead of in the first step, so that every state can be kept and restored.
        optimiser.state[parameter] = {
            "step": torch.zeros((), device=device),
            "exp_avg": torch.zeros_like(parameter),
            "exp_avg_sq": torch.zeros_like(parameter),
        }
    return optimiser


Shapes = tuple[tuple[int, ...], ...]

WARM_UPS = 3  # as PyTorch advises before a capture: libraries choose and load their kernels


@dataclass(frozen=True, eq=False)
class _Captured(Generic[BatchT]):
    """The batch whose memory the graphs read, and the graphs: one for the whole step, or two with
    the exchange between processes left outside, which needs the first graph's own gradients."""

    batch: BatchT
    graphs: tuple[torch.cuda.CUDAGraph, ...]
    gradients: list[Tensor]


class GraphedStep(Generic[BatchT]):
    """One set of graphs per batch shape, all in one memory pool. They never run at the same time,
    and what must survive a replay (weights, averages, sums, flags) lives outside the pool."""

    def __init__(self, learner: Learner[BatchT]) -> None:
        self._learner = learner
        self._captured: dict[Shapes, _Captured[BatchT]] = {}
        self._pool = torch.cuda.graph_pool_handle()

    def __call__(self, batch: BatchT) -> None:
        key = tuple(tuple(tensor.shape) for tensor in batch_tensors(batch))
        if key not in self._captured:
            self._captured[key] = self._capture(batch)
        captured = self._captured[key]
        for place, fresh in zip(batch_tensors(captured.batch), batch_tensors(batch), strict=True):
            place.copy_(fresh)
        for number, graph in enumerate(captured.graphs):
            if number:
                self._learner.share(captured.gradients)
            graph.replay()

    def _capture(self, batch: BatchT) -> _Captured[BatchT]:
        learner = self._learner
        static = clone_batch(batch)
        kept = learner.snapshot()
        side = torch.cuda.Stream()
        side.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(side), warnings.catch_warnings():
            # The optimiser warns that it is meant for captured steps: this is how they start.
            warnings.simplefilter("ignore", UserWarning)
            for _ in range(WARM_UPS):
                learner.step(static)
        torch.cuda.current_stream().wait_stream(side)
        captured = self._record(static)
        learner.put_back(kept)
        return captured

    def _record(self, static: BatchT) -> _Captured[BatchT]:
        learner = self._learner
        first = torch.cuda.CUDAGraph()
        learner.forget_gradients()
        if learner.world.size == 1:
            with torch.cuda.graph(first, pool=self._pool):
                learner.teach(static)
                learner.update()
            return _Captured(static, (first,), [])
        second = torch.cuda.CUDAGraph()
        with torch.cuda.graph(first, pool=self._pool):
            learner.teach(static)
        gradients = learner.gradients()
        with torch.cuda.graph(second, pool=self._pool):
            learner.update()
        return _Captured(static, (first, second), gradients)


def batch_tensors(batch: Any) -> list[Tensor]:
    """The tensors of a batch record, and of records in it, in the order of their fields."""
    tensors: list[Tensor] = []
    for value in (getattr(batch, field.name) for field in fields(batch)):
        if isinstance(value, Tensor):
            tensors.append(value)
        elif is_dataclass(value):
            tensors += batch_tensors(value)
    return tensors


def clone_batch(batch: BatchT) -> BatchT:
    """The same record with memory of its own."""

    def cloned(value: Any) -> Any:
        return clone_batch(value) if is_dataclass(value) else value.clone()

    record: Any = batch
    values = {field.name: getattr(record, field.name) for field in fields(record)}
    return replace(record, **{name: cloned(it) for name, it in values.items() if it is not None})
