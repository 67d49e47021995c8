"""Many independent pieces of work: in this process, on all cores, or on a Ray cluster.

What a worker needs beside its task (an opened store, loaded weights) it makes when it first needs
it and keeps: a cached function of the task's own fields does, on every engine alike.
"""

import os
import sys
from collections.abc import Callable, Generator, Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from importlib import import_module
from multiprocessing import get_all_start_methods, get_context, parent_process
from multiprocessing.connection import Connection
from threading import Thread, current_thread, main_thread
from typing import Any, Literal, TypeVar

from aesop.core.errors import AesopError, Progress

Engine = Literal["processes", "ray"]

Task = TypeVar("Task")
Answer = TypeVar("Answer")


class EngineError(AesopError):
    """An engine that is not there or that broke down."""


class Pool:
    """Workers that stay while several lists of tasks are done. Used as a context."""

    def __init__(self, workers: int | None = None, engine: Engine = "processes") -> None:
        self._workers, self._engine = workers, engine
        self._processes: ProcessPoolExecutor | None = None

    def __enter__(self) -> "Pool":
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        if self._processes is not None:
            # After a mistake nobody waits for the rest.
            self._processes.shutdown(wait=kind is None, cancel_futures=True)

    def each(
        self, work: Callable[[Task], Answer], tasks: Sequence[Task]
    ) -> Iterator[tuple[int, Future[Answer]]]:
        """Tasks as they end, by their place. A single worker is this process: it computes alike,
        and nothing is started."""
        if self._engine == "ray":
            yield from _on_ray(work, tasks, self._workers)
        elif self._workers == 1:
            yield from ((place, _attempt(_alone, work, task)) for place, task in enumerate(tasks))
        elif tasks:
            yield from self._on_cores(work, tasks)

    def _on_cores(
        self, work: Callable[[Task], Answer], tasks: Sequence[Task]
    ) -> Iterator[tuple[int, Future[Answer]]]:
        if self._processes is None:
            # Spawned, not forked: torch's thread pools do not survive a fork.
            spawn = get_context("spawn")
            self._processes = ProcessPoolExecutor(self._workers, spawn, start_worker)
        places = {self._processes.submit(work, task): at for at, task in enumerate(tasks)}
        for future in as_completed(places):
            if isinstance(future.exception(), BrokenProcessPool):
                raise EngineError(
                    "A worker process ended unexpectedly, perhaps for lack of memory.",
                    "Run the same command again with fewer workers to resume it.",
                )
            yield places[future], future


def run_all(
    work: Callable[[Task], Answer],
    tasks: Sequence[Task],
    *,
    workers: int | None = None,
    engine: Engine = "processes",
    progress: Progress | None = None,
) -> list[Answer]:
    """The answers to all tasks, in the order of the tasks, by workers that then end."""
    answers: dict[int, Answer] = {}
    with Pool(workers, engine) as pool:
        for place, future in pool.each(work, tasks):
            answers[place] = future.result()
            if progress is not None:
                progress(len(answers), len(tasks))
    return [answers[place] for place in range(len(tasks))]


def start_worker() -> None:
    """A worker ends with whoever started it: a terminated build would leave it waiting forever."""
    Thread(target=_end_with_parent, daemon=True).start()
    import torch

    torch.set_num_threads(1)  # workers share the cores: a second thread in each would only fight


def _end_with_parent() -> None:
    """Only Linux signals such a death to a child, so every system waits for it the same way."""
    parent = parent_process()
    assert parent is not None
    parent.join()
    os._exit(1)  # an exception in a thread would not end the process


def _alone(work: Callable[[Any], Any], task: Any) -> Any:
    """One task here, or on a machine of a cluster, where workers find this function by its name:
    with the one thread that a process among many has."""
    import torch

    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        return work(task)
    finally:
        torch.set_num_threads(threads)


def _attempt(work: Callable[..., Answer], *words: object) -> Future[Answer]:
    future: Future[Answer] = Future()
    try:
        future.set_result(work(*words))
    except Exception as problem:  # noqa: BLE001 - raised again where the answer is asked for
        future.set_exception(problem)
    return future


def _on_ray(
    work: Callable[[Task], Answer], tasks: Sequence[Task], workers: int | None
) -> Iterator[tuple[int, Future[Answer]]]:
    try:
        ray = import_module("ray")
    except ModuleNotFoundError as missing:
        raise EngineError(
            "Ray is not installed.", 'Install it with: pip install "aesop-motion[cluster]"'
        ) from missing
    if not ray.is_initialized():
        ray.init(num_cpus=workers, include_dashboard=False, log_to_driver=False)
    remote = ray.remote(_alone)
    places = {remote.remote(work, task): at for at, task in enumerate(tasks)}
    waiting = list(places)
    while waiting:
        ready, waiting = ray.wait(waiting, num_returns=1)
        yield from ((places[it], _attempt(ray.get, it)) for it in ready)


def in_order(
    work: Callable[[int], Answer], count: int, workers: int | None = None
) -> Generator[Answer, None, None]:
    """Results of work(0), work(1), … in order, worked out on several cores a little ahead.

    For drawing, whose scene is in memory and which is many small array operations: threads wait for
    each other's interpreter lock (two were slower than one), and a spawned process would import
    everything anew, wait for a copy of the scene, and run the caller's own script a second time. So
    processes are forked; where there is no fork (Windows), where system libraries do not survive
    it (macOS), or in a thread beside others, whose locks a copy would find shut, one core does all.
    """
    workers = min(workers or os.cpu_count() or 1, max(count, 1))
    if workers == 1 or not can_fork() or current_thread() is not main_thread():
        yield from map(work, range(count))
        return
    fork = get_context("fork")
    pipes = [fork.Pipe(duplex=False) for _ in range(workers)]
    ends = [source for source, _ in pipes]
    crew = [
        fork.Process(
            target=_do_some, args=(work, range(at, count, workers), sink, ends), daemon=True
        )
        for at, (_, sink) in enumerate(pipes)
    ]
    for worker in crew:
        worker.start()
    try:
        for number in range(count):
            answer = pipes[number % workers][0].recv()
            if isinstance(answer, BaseException):
                raise answer
            yield answer
    finally:
        for worker in crew:
            worker.terminate()
            worker.join()


def can_fork() -> bool:
    """Whether a copy of this process can be made."""
    return sys.platform == "linux" and "fork" in get_all_start_methods()


def _do_some(
    work: Callable[[int], Answer], numbers: range, sink: Connection, ends: list[Connection]
) -> None:
    """One process's share. A full pipe holds it back, so it is never more than a frame ahead."""
    for end in ends:  # else the pipes, and with them this process, would outlive a killed parent
        end.close()
    try:
        for number in numbers:
            sink.send(work(number))
    except BrokenPipeError:
        return  # nobody waits for the rest
    except Exception as problem:  # noqa: BLE001 - raised again by the process that waits for it
        sink.send(problem)
