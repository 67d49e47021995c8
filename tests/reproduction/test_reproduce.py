"""The paper's protocol from raw files to tables, uninterrupted and killed three times."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from aesop.measuring.runs import SweepResult, joined_trainings, read_record, read_result
from tests.reproduction.raw_files import SHORT_FRAMES, RawFiles, write_raw_files

pytest.importorskip("transformers")

# Phases of 15 updates, rows of two dozen shots (PRDC has five chunks): every stage is there, and
# nothing is learnt.
SHOTS = 24
SIZE = ("--shorten", "16", "--at-most", str(SHOTS), "--workers", "2")
PATIENCE_S = 900.0
# What is there when the next kill comes: half-trained codecs, one kind of pairs, some rows.
KILLED_AFTER = (
    "training-0/camera-codec/checkpoint.safetensors",
    "pairs/direction.json",
    "results/film/aesop-dpa_test_pure.json",
)


def started(raw: RawFiles, folder: Path) -> "subprocess.Popen[bytes]":
    """The command, in a folder of its own; results name the command, so it is the same one."""
    words = ("reproduce", "--recipe", "tiny", *raw.flags, "--out", "run", *SIZE)
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / "said.txt").open("ab") as said:
        return subprocess.Popen(
            [sys.executable, "-m", "aesop", *words],
            cwd=folder,
            stdout=said,
            stderr=said,
            # Networks this small gain nothing from threads, which wait for each other by spinning.
            env={**os.environ, "AESOP_CACHE": str(folder / "cache"), "OMP_NUM_THREADS": "1"},
        )


def said_in(folder: Path) -> str:
    return (folder / "said.txt").read_text(encoding="utf-8", errors="replace")


def finished(raw: RawFiles, folder: Path) -> Path:
    process = started(raw, folder)
    assert process.wait(PATIENCE_S) == 0, said_in(folder)[-4000:]
    return folder / "run"


def pages_of(run: Path) -> dict[str, bytes]:
    """Tables and figures."""
    paths = [*(run / "tables").rglob("*"), *(run / "figures").rglob("*")]
    return {str(it.relative_to(run)): it.read_bytes() for it in paths if it.is_file()}


def check_pages(run: Path) -> None:
    pages = pages_of(run)
    names = ("comparison_film", "comparison_shoot", "construction", "intensity_film",
             "intensity_shoot", "outside", "population")  # fmt: skip
    assert {name for name in pages if name.startswith("figures")} == {
        f"figures/{name}.png" for name in names
    }
    page = pages["tables/pulpmotion_test_pure_paper.md"].decode()
    # Every row that is not a baseline of others has numbers, and no other reason stands there.
    assert page.count("Empty, because") == page.count("this baseline was not trained")
    assert "no result of this name" not in page
    for row in ("AESOP (no aug.)", "AESOP (+ DPA)", "AESOP", "AESOP AE (asym.)", "Joint",
                "Factual-pair control", "GT reference"):  # fmt: skip
        (first, *_) = [line for line in page.splitlines() if line.startswith(f"| {row} |")]
        assert any(sign.isdigit() for sign in first.removeprefix(f"| {row} |")), first


def check_rows(run: Path) -> None:
    film = read_result(run / "results" / "film" / "aesop_test_pure.json")
    assert dict(film.setting.choices)["protocol"] == "paper"
    assert film.setting.clips == SHOTS and film.setting.seed_kind == "sampling"
    assert {it.reason for it in film.setting.left_out_clips} == {"no camera caption"}
    scan = read_record(run / "results" / "sweep" / "shoot_aesop_test_pure.json", SweepResult)
    assert len(scan.facts.intensities) == 11
    factual, dpa = (
        read_result(run / "results" / "direction" / f"film_aesop-{name}_test_pure.json")
        for name in ("factual-pairs", "dpa")
    )
    assert factual.setting.identities != dpa.setting.identities
    joined = joined_trainings([film] * 2, "AESOP")
    assert joined.setting.seed_kind == "training"


def check_what_is_told(run: Path) -> None:
    said = said_in(run.parent)
    for words in ("206 of 208 clips kept", "field of view is NaN", "no camera caption",
                  "no human caption", "listed for both training and test"):  # fmt: skip
        assert words in said, words
    # Told before anything is done, with how long it takes.
    assert said.index("44 stages, 0 done; about") < said.index("[1/44] import PulpMotion")
    assert SHORT_FRAMES == 9  # the shortest that is measured; it is the first of the list
    assert "fewer than 9 frames" not in said


def killed_three_times(raw: RawFiles, folder: Path) -> Path:
    """The run of a command that was killed three times, and started a fourth time."""
    for place in KILLED_AFTER:
        process = started(raw, folder)
        until = time.monotonic() + PATIENCE_S
        while not (folder / "run" / place).exists():
            assert process.poll() is None and time.monotonic() < until, said_in(folder)[-4000:]
            time.sleep(0.02)
        process.send_signal(signal.SIGKILL)
        assert process.wait(60) != 0
    assert not (folder / "run" / "tables").exists()
    return finished(raw, folder)


def check_laid_out_again(raw: RawFiles, run: Path) -> None:
    """A finished folder is not worked on again."""
    before = pages_of(run)
    weights = run / "training-0" / "camera-flow-ipa" / "weights.safetensors"
    made = weights.stat().st_mtime_ns
    finished(raw, run.parent)
    assert pages_of(run) == before and weights.stat().st_mtime_ns == made
    assert "44 stages, 43 done" in said_in(run.parent)


def test_raw_files_become_the_same_tables_however_often_it_is_killed(tmp_path: Path):
    """One test, so that a second worker does not do all of it again; both runs go side by side."""
    raw = write_raw_files(tmp_path / "raw")
    assert len(list((raw.pulpmotion / "traj").iterdir())) >= 200
    plain = started(raw, tmp_path / "plain")
    try:
        again = killed_three_times(raw, tmp_path / "killed")
        assert plain.wait(PATIENCE_S) == 0, said_in(tmp_path / "plain")[-4000:]
    finally:
        plain.kill()
    run = tmp_path / "plain" / "run"
    check_pages(run)
    check_rows(run)
    check_what_is_told(run)
    ours, theirs = pages_of(again), pages_of(run)
    assert sorted(ours) == sorted(theirs)
    for name, content in theirs.items():
        assert ours[name] == content, name
    check_laid_out_again(raw, run)
