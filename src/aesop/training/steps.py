"""Two ways to run a step: as it is written, or captured once as a CUDA graph and replayed."""

import warnings
from collections.abc import Callable
from dataclasses import dataclass, fields, replace
from typing import Any, Generic, TypeVar

import torch
from torch import Tensor

from aesop.training.learner import Learner

BatchT = TypeVar("BatchT")
StepRunner = Callable[[BatchT], None]
Shapes = tuple[tuple[int, ...], ...]

WARM_UPS = 3  # as PyTorch advises before a capture: libraries choose and load their kernels


def eager_step(learner: Learner[BatchT]) -> StepRunner[BatchT]:
    """The step, operation by operation."""

    def run(batch: BatchT) -> None:
        learner.teach(batch)
        learner.share(learner.gradients())
        learner.update()

    return run


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
                learner.teach(static)
                learner.share(learner.gradients())
                learner.update()
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
    """The tensors of a batch record in the order of its fields; fields without one are left out."""
    values = [getattr(batch, it.name) for it in fields(batch)]
    return [value for value in values if isinstance(value, Tensor)]


def clone_batch(batch: BatchT) -> BatchT:
    """The same record with memory of its own."""
    named: Any = batch
    values = {it.name: getattr(named, it.name) for it in fields(named)}
    tensors = {name: it.clone() for name, it in values.items() if isinstance(it, Tensor)}
    return replace(named, **tensors)
