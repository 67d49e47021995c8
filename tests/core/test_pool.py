"""Workers: they end with whoever started them, however that ended, on every system."""

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from aesop.core.pool import run_all

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
        "from tests.data.test_engine import keep_beating\n"
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
