"""Workers: they end with whoever started them, however that ended."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from aesop.data.engine import run_all


def wait_long(folder: str) -> None:
    Path(folder, str(os.getpid())).touch()
    time.sleep(60)


def is_alive(pid: int) -> bool:
    try:
        return "Z" not in Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0]
    except FileNotFoundError:
        return False


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells a process of such a death")
@pytest.mark.parametrize("how", [signal.SIGTERM, signal.SIGKILL])
def test_workers_end_with_a_build_that_is_terminated(tmp_path: Path, how: signal.Signals):
    code = (
        "from tests.data.test_engine import wait_long\n"
        "from aesop.data.engine import run_all\n"
        f"if __name__ == '__main__': run_all(wait_long, [{str(tmp_path)!r}] * 3, workers=2)\n"
    )
    script = tmp_path.parent / f"{how.name}.py"
    script.write_text(code)
    root = Path(__file__).resolve().parents[2]
    place = os.environ | {"PYTHONPATH": str(root)}
    builder = subprocess.Popen([sys.executable, str(script)], cwd=root, env=place)
    try:
        deadline = time.monotonic() + 60
        while len(list(tmp_path.iterdir())) < 2 and time.monotonic() < deadline:
            time.sleep(0.1)
        workers = [int(path.name) for path in tmp_path.iterdir()]
        assert len(workers) == 2 and all(map(is_alive, workers))
        builder.send_signal(how)
        builder.wait(30)
        deadline = time.monotonic() + 10
        while any(map(is_alive, workers)) and time.monotonic() < deadline:
            time.sleep(0.1)
        assert not any(map(is_alive, workers))
    finally:
        builder.kill()
        builder.wait()


def test_no_tasks_need_no_workers():
    assert run_all(wait_long, []) == []
