"""Batches that several processes work on, that keep going, and that replace nothing."""

import json
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from aesop.cli import batch
from aesop.core import claims
from aesop.core.errors import AesopError
from aesop.director.rule_based import Operator
from aesop.files.motion_files import write_motion
from aesop.files.shot_file import read_shot
from tests.cli.test_commands import run
from tests.cli.test_film import write_csv
from tests.director.makers import PUSH_IN, walking

ROWS = 11
# A process of a crew: two rows at a time, so that there is something to share.
CREW = """
import sys
import aesop.cli.batch as batch
from aesop.cli import main
batch.CHUNK = 2
main(["film", "--batch", "all.csv", "--method", "operator"])
"""


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    write_motion(walking(53), Path("walk.bvh"))
    rows = [
        {"motion": "walk.bvh", "words": PUSH_IN, "seed": seed, "output": f"{seed}.shot"}
        for seed in range(ROWS)
    ]
    write_csv(Path("all.csv"), rows)
    return tmp_path


def start_crew(count: int) -> list[subprocess.Popen[str]]:
    return [
        subprocess.Popen(
            [sys.executable, "-c", CREW],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            encoding="utf-8",
        )
        for _ in range(count)
    ]


def film_all(*flags: str) -> int:
    return run("film", "--batch", "all.csv", "--method", "operator", *flags)


def ledger() -> list[str]:
    return [json.loads(line) for line in Path("all.csv.done").read_text("utf-8").splitlines()]


def test_one_is_killed_and_two_others_share_the_rest(here: Path):
    (first,) = start_crew(1)
    until = time.monotonic() + 120
    while not list(here.glob("*.shot")) and time.monotonic() < until:
        time.sleep(0.01)
    first.kill()
    first.communicate()
    assert 1 <= len(list(here.glob("*.shot"))) < ROWS, "it was to be killed in the middle"
    crew = start_crew(2)
    written = [worker.communicate(timeout=240) for worker in crew]
    assert [worker.returncode for worker in crew] == [0, 0], written
    names = [name for out, _ in written for name in out.split()]
    assert len(names) == len(set(names)) and {f"{row}.shot" for row in range(ROWS)} >= set(names)
    assert {path.name for path in here.glob("*.shot")} == {f"{row}.shot" for row in range(ROWS)}
    assert len(ledger()) == len(set(ledger())) == ROWS
    assert not (here / "all.csv.claims").exists()
    together = {path.name: path.read_bytes() for path in here.glob("*.shot")}
    for path in (*here.glob("*.shot"), here / "all.csv.done"):
        path.unlink()
    assert film_all() == 0
    assert {path.name: path.read_bytes() for path in here.glob("*.shot")} == together


def test_a_folder_that_takes_no_claims_is_a_fact_and_a_remedy(
    here: Path, capsys: pytest.CaptureFixture[str]
):
    """The file may lie in somebody else's folder. (An administrator may write there: a file stands
    in the way.)"""
    (here / "all.csv.claims").touch()
    assert film_all() == 1
    told = capsys.readouterr().err
    assert "aesop film: all.csv.claims could not be written: file exists." in told
    assert not list(here.glob("*.shot"))


def test_rows_of_a_silent_machine_are_waited_for_and_then_taken(
    here: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    """The other machine's claims grow stale while we wait: here, at the second look."""
    monkeypatch.setattr(claims, "_is_alive", lambda _: True)
    looks: list[int] = []

    def wait(turn: int) -> None:
        looks.append(turn)
        for path in (here / "all.csv.claims").glob("*.claim"):
            long_ago = path.stat().st_mtime - claims.STALE_SECONDS - 20
            os.utime(path, (long_ago, long_ago))

    monkeypatch.setattr(batch, "wait_a_little", wait)
    assert film_all() == 0
    (here / "3.shot").unlink()
    key = ledger()[3]
    (here / "all.csv.claims").mkdir()
    owner = json.dumps({"host": "elsewhere", "pid": 1, "token": "a"})
    (here / "all.csv.claims" / f"{key[:32]}.0.claim").write_text(owner, encoding="utf-8")
    capsys.readouterr()
    assert film_all() == 0
    said = capsys.readouterr()
    assert looks == [0] and "waiting for 1 answers that others make" in said.err
    assert said.out.split() == ["3.shot"]


def test_keeping_going_makes_the_others_and_tells_of_the_bad(
    here: Path, capsys: pytest.CaptureFixture[str]
):
    rows = [
        {"motion": "walk.bvh", "words": PUSH_IN, "intensity": 1, "output": f"{row}.shot"}
        for row in range(5)
    ]
    rows[1]["intensity"], rows[3]["motion"] = 7, "gone.bvh"
    write_csv(Path("all.csv"), rows)
    assert film_all() == 1 and not list(here.glob("*.shot"))
    assert film_all("--keep-going") == 1
    told = capsys.readouterr().err
    assert "line 3: The intensity 7" in told and "line 5: There is no motion gone.bvh" in told
    assert "all others were made" in told
    assert sorted(path.name for path in here.glob("*.shot")) == ["0.shot", "2.shot", "4.shot"]
    rows[1]["intensity"], rows[3]["motion"] = 0.7, "walk.bvh"
    write_csv(Path("all.csv"), rows)
    capsys.readouterr()
    assert film_all("--keep-going") == 0
    assert capsys.readouterr().out.split() == ["1.shot", "3.shot"]


def test_a_row_that_fails_while_it_is_made_takes_no_other_with_it(
    here: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    film_many = Operator.film_many

    def failing(self: Operator, requests: Any, *rest: Any) -> Any:
        if any(request.seed == 4 for request in requests):
            raise AesopError("The lens fell off.", "Find it.")
        return film_many(self, requests, *rest)

    monkeypatch.setattr(Operator, "film_many", failing)
    assert film_all("--keep-going") == 1
    assert "1 row that cannot be met:\n  line 6: The lens fell off." in capsys.readouterr().err
    assert len(list(here.glob("*.shot"))) == ROWS - 1 and not (here / "4.shot").exists()
    assert not (here / "all.csv.claims").exists()


def test_files_that_are_there_stay(here: Path, capsys: pytest.CaptureFixture[str]):
    Path("3.shot").write_bytes(b"mine")
    assert film_all("--no-clobber") == 0
    assert Path("3.shot").read_bytes() == b"mine"
    assert "3.shot" not in capsys.readouterr().out.split()
    assert len(list(here.glob("*.shot"))) == ROWS
    assert film_all() == 0
    assert read_shot(Path("3.shot")).camera_words == PUSH_IN


def test_of_several_outputs_only_the_missing_are_written(here: Path):
    row: dict[str, object] = {"motion": "walk.bvh", "words": PUSH_IN, "output": "a.json;a.csv"}
    write_csv(Path("all.csv"), [row])
    Path("a.json").write_text("mine", encoding="utf-8")
    assert film_all("--no-clobber") == 0
    assert Path("a.json").read_text(encoding="utf-8") == "mine" and Path("a.csv").exists()


def test_a_single_film_replaces_nothing_either(here: Path, capsys: pytest.CaptureFixture[str]):
    asked = ("film", "walk.bvh", PUSH_IN, "--method", "operator", "-o", "a.shot", "--no-clobber")
    assert run(*asked) == 0
    first = Path("a.shot").read_bytes()
    assert run(*asked, "--seed", "5") == 1
    assert "a.shot is there already" in capsys.readouterr().err
    assert Path("a.shot").read_bytes() == first
