"""Several trainings on one GPU at the same time, in one process.

Steps of small networks leave most of the GPU idle. Every training has a thread and a CUDA stream of
its own. Threads take turns: whoever holds the baton gives one step to the GPU and passes it on, so
that Python and captures never meet, while steps of different streams overlap on the GPU.
"""

import contextlib
import threading
from collections.abc import Callable, Iterator, Sequence


class Baton:
    """Goes round among trainings; those that ended are passed over."""

    def __init__(self, runners: int) -> None:
        self._turn = threading.Condition()
        self._running = list(range(runners))
        self._holder = 0

    def wait(self, runner: int) -> None:
        with self._turn:
            self._turn.wait_for(lambda: self._holder == runner)

    def pass_on(self, runner: int, *, ends: bool = False) -> None:
        """To the next one; waits until it comes back unless this runner has come to its end."""
        with self._turn:
            place = self._running.index(runner)
            follower = self._running[(place + 1) % len(self._running)]
            if ends:
                self._running.remove(runner)
            self._holder = follower
            self._turn.notify_all()
        if not ends:
            self.wait(runner)


@contextlib.contextmanager
def _own_streams(device_type: str) -> Iterator[Callable[[], None]]:
    """A stream to work on. The function that is given takes the stream for captures as well, which
    torch shares: libraries keep one workspace a stream, and graphs that run side by side must not
    share one."""
    if device_type != "cuda":
        yield lambda: None
        return
    import torch

    working, capturing = torch.cuda.Stream(), torch.cuda.Stream()
    working.wait_stream(torch.cuda.default_stream())

    def take() -> None:
        torch.cuda.graph.default_capture_stream = capturing

    with torch.cuda.stream(working):
        take()
        yield take
        working.synchronize()


Training = Callable[[Callable[[], bool]], None]


def run_side_by_side(trainings: Sequence[Training], device_type: str) -> list[BaseException | None]:
    """Run all; each is given a function to call after every step, which never asks it to pause.
    What each of them ended with: nothing, or the error that stopped it."""
    baton = Baton(len(trainings))
    ends: list[BaseException | None] = [None] * len(trainings)

    def run(number: int) -> None:
        baton.wait(number)
        try:
            with _own_streams(device_type) as take:

                def after_step() -> bool:
                    baton.pass_on(number)
                    take()
                    return False

                trainings[number](after_step)
        except BaseException as error:  # noqa: BLE001 — told, and the others go on
            ends[number] = error
        finally:
            baton.pass_on(number, ends=True)

    threads = [threading.Thread(target=run, args=(number,)) for number in range(len(trainings))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return ends
