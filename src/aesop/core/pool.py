"""Many independent pieces of work: in this process, on all cores, or on a Ray cluster."""

import os
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from importlib import import_module
from multiprocessing import get_context, parent_process
from threading import Thread
from typing import Any, Literal, TypeVar, assert_never

from aesop.core.errors import AesopError
from aesop.core.progress import Progress

Engine = Literal["processes", "ray"]

Task = TypeVar("Task")
Answer = TypeVar("Answer")


class EngineError(AesopError):
    """An engine that is not there or that broke down."""


def one_thread() -> None:
    """Workers share the cores among themselves: a second thread in each would only fight."""
    import torch

    torch.set_num_threads(1)


def start_worker() -> None:
    """A worker ends with whoever started it: a terminated build would leave it waiting forever."""
    Thread(target=_end_with_parent, daemon=True).start()
    one_thread()


def _end_with_parent() -> None:
    """Only Linux signals such a death to a child, so every system waits for it the same way."""
    parent = parent_process()
    assert parent is not None
    parent.join()
    os._exit(1)  # an exception in a thread would not end the process


def run_all(
    work: Callable[[Task], Answer],
    tasks: Sequence[Task],
    *,
    workers: int | None = None,
    engine: Engine = "processes",
    progress: Progress | None = None,
) -> list[Answer]:
    """The answers to all tasks, in the order of the tasks."""
    if not tasks:
        return []
    match engine:
        case "processes":
            return _on_cores(work, tasks, workers or os.cpu_count() or 1, progress)
        case "ray":
            return _on_ray(work, tasks, workers, progress)
        case _:
            assert_never(engine)


def _on_cores(
    work: Callable[[Task], Answer], tasks: Sequence[Task], workers: int, progress: Progress | None
) -> list[Answer]:
    answers: dict[int, Answer] = {}
    # Spawned, not forked: torch's thread pools do not survive a fork.
    with ProcessPoolExecutor(
        min(workers, len(tasks)), mp_context=get_context("spawn"), initializer=start_worker
    ) as pool:
        places = {pool.submit(work, task): at for at, task in enumerate(tasks)}
        try:
            for done, future in enumerate(as_completed(places), start=1):
                answers[places[future]] = future.result()
                if progress is not None:
                    progress(done, len(tasks))
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            raise
    return [answers[at] for at in range(len(tasks))]


def _alone(work: Callable[[Any], Any], task: Any) -> Any:
    """One task on a machine of a cluster. Not a closure: workers find it by its name."""
    one_thread()
    return work(task)


def _on_ray(
    work: Callable[[Task], Answer],
    tasks: Sequence[Task],
    workers: int | None,
    progress: Progress | None,
) -> list[Answer]:
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
    answers: dict[int, Answer] = {}
    waiting = list(places)
    while waiting:
        ready, waiting = ray.wait(waiting, num_returns=1)
        for reference in ready:
            answers[places[reference]] = ray.get(reference)
        if progress is not None:
            progress(len(answers), len(tasks))
    return [answers[at] for at in range(len(tasks))]
