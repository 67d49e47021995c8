"""Workers: they end with whoever started them, however that ended, on every system."""

import os
import subprocess
import sys
import time
from pathlib import Path
from threading import Thread

import pytest
import torch

from aesop.core.pool import EngineError, Pool, can_fork, in_order, run_all

BEAT_SECONDS = 0.05


def keep_beating(folder: str) -> None:
    """Write a larger number again and again, for a minute: what is dead writes no more."""
    for beat in range(round(60 / BEAT_SECONDS)):
        Path(folder, str(os.getpid())).write_bytes(b"x" * beat)
        time.sleep(BEAT_SECONDS)


def beats(folder: Path) -> dict[str, int]:
    return {path.name: path.stat().st_size for path in folder.iterdir()}


@pytest.mark.parametrize("how", ["terminate", "kill"])
def test_workers_end_with_a_build_that_is_terminated(tmp_path: Path, how: str):
    code = (
        "from tests.core.test_pool import keep_beating\n"
        "from aesop.core.pool import run_all\n"
        f"if __name__ == '__main__': run_all(keep_beating, [{str(tmp_path)!r}] * 3, workers=2)\n"
    )
    script = tmp_path.parent / f"{how}.py"
    script.write_text(code, encoding="utf-8")
    root = Path(__file__).resolve().parents[2]
    paths = os.pathsep.join([str(root), os.environ.get("PYTHONPATH", "")])
    builder = subprocess.Popen(
        [sys.executable, str(script)], cwd=root, env=os.environ | {"PYTHONPATH": paths}
    )
    try:
        deadline = time.monotonic() + 120
        while len(beats(tmp_path)) < 2 and time.monotonic() < deadline:
            time.sleep(0.1)
        assert len(beats(tmp_path)) == 2
        getattr(builder, how)()
        builder.wait(30)
        deadline = time.monotonic() + 20
        before, after = {}, beats(tmp_path)
        while before != after and time.monotonic() < deadline:
            time.sleep(40 * BEAT_SECONDS)  # long enough for a beat of a process that has to wait
            before, after = after, beats(tmp_path)
        assert before == after
        assert all(size < 60 / BEAT_SECONDS - 1 for size in after.values())  # not merely done
    finally:
        builder.kill()
        builder.wait()


def square(number: int) -> tuple[int, int]:
    return number * number, os.getpid()


def test_answers_come_back_in_order_from_processes_that_were_spawned():
    told: list[tuple[int, int]] = []
    answers = run_all(square, range(7), workers=2, progress=lambda *step: told.append(step))
    assert [answer for answer, _ in answers] == [number * number for number in range(7)]
    assert os.getpid() not in {process for _, process in answers}
    assert told == [(number, 7) for number in range(1, 8)]


def test_no_tasks_need_no_workers():
    assert run_all(square, []) == []


def inverse(number: int) -> tuple[float, int]:
    return 1 / number, os.getpid()


@pytest.mark.parametrize("workers", [1, 2])
def test_a_task_that_fails_does_not_end_the_others(workers: int):
    with Pool(workers) as pool:
        ended = dict(pool.each(inverse, [2, 0, 5]))
        assert isinstance(ended[1].exception(), ZeroDivisionError)
        assert [ended[place].result()[0] for place in (0, 2)] == [0.5, 0.2]
    with pytest.raises(ZeroDivisionError):
        run_all(inverse, [2, 0], workers=workers)


def test_workers_stay_for_the_next_tasks_and_one_worker_is_this_process():
    with Pool(2) as pool:
        first, second = ({it.result()[1] for _, it in pool.each(square, range(5))} for _ in "12")
    assert len(first | second) <= 2 and os.getpid() not in first | second
    assert {at for _, at in run_all(square, range(3), workers=1)} == {os.getpid()}


def threads_here(_: int) -> int:
    return torch.get_num_threads()


def test_every_worker_has_one_thread():
    before = torch.get_num_threads()
    torch.set_num_threads(3)
    try:
        for workers in (1, 2):
            assert set(run_all(threads_here, range(2), workers=workers)) == {1}
        assert torch.get_num_threads() == 3
    finally:
        torch.set_num_threads(before)


def end_at_once(_: int) -> None:
    os._exit(7)


def test_a_worker_that_dies_is_told_with_a_remedy():
    with pytest.raises(EngineError, match="fewer workers"):
        run_all(end_at_once, [1, 2], workers=2)


def test_only_the_main_thread_is_copied_to_draw():
    """A copy made in another thread would find the locks of all the others shut."""
    there: list[int] = []
    thread = Thread(target=lambda: there.extend(in_order(lambda _: os.getpid(), 5, workers=2)))
    thread.start()
    thread.join()
    here = list(in_order(lambda _: os.getpid(), 5, workers=2))
    assert there == 5 * [os.getpid()]
    assert len(set(here)) == (2 if can_fork() else 1)
