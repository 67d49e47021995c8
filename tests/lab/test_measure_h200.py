"""The script for a lent GPU, run here on a mini set: the same cases, the same numbers."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from zipfile import ZipFile

import pytest
import torch

from aesop.core.errors import Progress, StoreError
from aesop.data.store import Store
from aesop.director.director import load_director
from aesop.measuring.cases import Bench, Task, build_bench, read_cases
from aesop.measuring.jobs import read_jobs
from aesop.measuring.methods import DirectorMethod, OperatorMethod
from aesop.measuring.runs import (
    MethodEntry,
    measure_direction,
    measure_sweep,
    measure_task,
    read_result,
    with_direction,
)
from aesop.models.weights import read_card
from aesop.text.minilm import MiniLM
from tests.director.makers import save_cast
from tests.measuring.makers import FAST, made_evaluators
from tests.tolerances import GEOMETRY32
from travelling import CASES_FILE, TravelledCases, write_travelling_cases

ROOT = Path(__file__).resolve().parents[2]
SCRIPT = ROOT / "lab" / "measure_h200.py"
FEW = 7
SCANNED = (0.5, 1.0)
# Half a tenth of a millimetre at either end of a way, and what a network makes of it.
ROUNDED = {"path": 2e-3, "net": 1e-3, "ade": 2e-3, "rotation": 0.05, "out": 0.5, "clatr": 0.05}


@contextmanager
def quiet(label: str) -> Iterator[Progress]:
    yield lambda done, total: None


@dataclass(frozen=True)
class Lent:
    """What went out and what came back."""

    out: Path
    log: str
    weights: Path
    bench: Bench


@pytest.fixture(scope="module")
def lent(store: Store, tmp_path_factory: pytest.TempPathFactory) -> Lent:
    home = tmp_path_factory.mktemp("lent")
    parcel, out, weights, judges = (home / it for it in ("parcel", "out", "tiny", "judges"))
    weights.mkdir()
    save_cast(weights, MiniLM())
    evaluators = made_evaluators(judges, MiniLM())
    shared = {"weights": "tiny", "preset": "fast", "at_most": FEW, "split": "test"}
    jobs = [
        {"kind": "task", "task": "film", "seeds": [3, 1], **shared},
        {"kind": "task", "task": "shoot", "seeds": [1], **shared},
        {"kind": "sweep", "seeds": [1], "intensities": SCANNED, **shared},
        {"kind": "direction", "seeds": [1], **shared},
        {"kind": "presets", "seeds": [1], **shared},
        {"kind": "codec", "seeds": [1], "method": "AE", **shared},
        {"kind": "reference", "method": "GT", **shared},
        {"kind": "task", "method": "hand", "finish": "hand", "seeds": [1], **shared},
        {"kind": "task", "task": "shoot", "method": "unguided", "human_guidance": 1.0,
         "seeds": [1], **shared},
        {"kind": "task", "method": "operator", "by": "operator", "seeds": [1], **shared},
        {"kind": "task", "method": "nobody", **shared, "weights": "elsewhere"},
        {"kind": "task", "method": "DPA", "seeds": [1], **shared, "weights": "run:camera-flow-dpa"},
    ]  # fmt: skip
    (home / "jobs.json").write_text(json.dumps(jobs))
    # The same parts as a training run leaves them, with two phases of the camera.
    parts = {"human-codec": "human_codec", "camera-codec": "camera_codec",
             "human-flow": "human_flow", "camera-flow-dpa": "camera_flow"}  # fmt: skip
    for phase, part in parts.items():
        target = home / "aesop-base" / "run" / phase / "weights.safetensors"
        target.parent.mkdir(parents=True)
        target.write_bytes((weights / f"{part}.safetensors").read_bytes())
    (home / "aesop-base" / "run" / "camera-flow-ipa").mkdir()
    _run(home, "pack", str(store.path), str(parcel))
    log = _run(
        home, "measure", str(home / "jobs.json"), "--parcel", str(parcel), "--weights",
        str(weights), "--evaluators", str(judges), "--out", str(out), "--workers", "1", "--shots",
    )  # fmt: skip
    with ZipFile(out / "results.zip") as file:
        file.extractall(out)
    return Lent(out, log, weights, build_bench(read_cases(store, "test", FEW), evaluators))


def _run(home: Path, *words: str) -> str:
    done = subprocess.run(
        [sys.executable, str(SCRIPT), *words],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "TMPDIR": str(home), "OMP_NUM_THREADS": "1", "AESOP_CACHE": str(home)},
    )
    assert done.returncode in (0, 2), done.stderr
    return done.stderr


def _entry(lent: Lent, *seeds: int) -> MethodEntry:
    director = load_director(lent.weights, encoder=MiniLM())
    return MethodEntry("AESOP", (DirectorMethod(director, FAST),), seeds)


def test_a_run_ships_in_half_the_size_under_the_same_names(lent: Lent, tmp_path: Path):
    home, shipped = lent.weights.parent, tmp_path / "base"
    script = SCRIPT.with_name("base_h200.py")
    words = [str(script), "ship", str(home / "aesop-base" / "run"), str(shipped)]
    environment = {**os.environ, "TMPDIR": str(home)}
    subprocess.run([sys.executable, *words], check=True, capture_output=True, env=environment)
    for name in ("human_codec", "camera_codec", "human_flow", "camera_flow"):
        made, own = (it / f"{name}.safetensors" for it in (shipped, lent.weights))
        assert read_card(made).identity == read_card(own).identity
        assert made.stat().st_size < 0.7 * own.stat().st_size  # the header stays as it is
    assert load_director(shipped, encoder=MiniLM()).parts.camera_flow.network is not None


def test_cases_that_travelled_are_the_cases_of_the_store(store: Store, tmp_path: Path):
    write_travelling_cases(store, "test", tmp_path)
    travelled = TravelledCases(tmp_path)
    for split, at_most in (("test", None), ("test/pure", 5), ("test/mixed", None)):
        wanted, found = read_cases(store, split, at_most), travelled.cases(split, at_most)
        assert (found.sha256, found.left_out) == (wanted.sha256, wanted.left_out)
        assert found.data_sha256 == store.manifest.content_sha256
        assert "rounded" in found.note and not wanted.note
        assert found.windows.tolist() == wanted.windows.tolist()
        for a, b in zip(wanted.cases, found.cases, strict=True):
            assert (a.row, a.human_row, a.reversed_words) == (b.row, b.human_row, b.reversed_words)
            assert (a.camera_words, a.human_words) == (b.camera_words, b.human_words)
            assert (a.target_tags == b.target_tags).all()
            assert a.reference.provenance == b.reference.provenance
            assert a.reference.clip.name == b.reference.clip.name
            close = {"rtol": 0, "atol": 1e-4}
            torch.testing.assert_close(
                a.reference.camera.centre, b.reference.camera.centre, **close
            )
            joints = (it.reference.clip.motion.joints for it in (a, b))
            # Turns travel in steps of a thousandth of a radian: millimetres at the hands.
            torch.testing.assert_close(*joints, rtol=0, atol=3e-3)
    with pytest.raises(StoreError, match="train"):
        travelled.cases("train")
    (tmp_path / CASES_FILE).write_bytes(b"nothing")
    with pytest.raises(StoreError, match="Pack"):
        TravelledCases(tmp_path)


def test_the_script_measures_what_the_store_would_give(lent: Lent, tmp_path: Path):
    cache = tmp_path / "cache"
    asked: dict[Task, tuple[int, ...]] = {"film": (3, 1), "shoot": (1,)}
    for task, seeds in asked.items():
        wanted = measure_task(lent.bench, _entry(lent, *seeds), task, cache, quiet)
        found = read_result(lent.out / task / "aesop_test.json")
        assert found.setting.seeds == seeds and found.setting.clips == FEW
        assert found.setting.identities == wanted.setting.identities
        assert found.setting.data_sha256 == wanted.setting.data_sha256
        assert "rounded" in found.setting.note
        assert found.impossible == wanted.impossible == (0,) * len(seeds)
        assert [it.metric for it in found.metrics] == [it.metric for it in wanted.metrics]
        for name, tolerance in ROUNDED.items():
            a, b = wanted.of(name), found.of(name)
            if a is not None and b is not None:
                assert b.values == pytest.approx(a.values, abs=tolerance), name


def test_the_script_scans_and_turns_round(lent: Lent, tmp_path: Path):
    cache, who = tmp_path / "cache", _entry(lent, 1)
    scan = measure_sweep(lent.bench, who, "film", cache, quiet, SCANNED)
    told = json.loads((lent.out / "sweep" / "film_aesop_test.json").read_text())
    # As rounded as ROUNDED says.
    assert told["facts"]["path_m"] == pytest.approx(scan.facts.path_m, abs=2e-3)
    direction = measure_direction(with_direction(lent.bench.cases), who, "film", cache, quiet)
    found = read_result(lent.out / "direction" / "film_aesop_test.json").of("direction_combined")
    wanted = direction.of("direction_combined")
    assert found is not None and wanted is not None and found.count == wanted.count
    # One frame in fifty may get another class.
    assert found.mean == pytest.approx(wanted.mean, abs=2)


def test_the_other_kinds_are_written_and_failures_are_told(lent: Lent):
    gt = read_result(lent.out / "reference" / "gt_test.json").of("ade")
    coded = read_result(lent.out / "codec" / "ae_test.json").of("global_mpjpe")
    assert gt is not None and gt.mean == pytest.approx(0, abs=GEOMETRY32) and coded is not None
    presets = json.loads((lent.out / "presets" / "film_aesop_test.json").read_text())
    assert presets["presets"] == ["fast", "reference"] and presets["found"]["apart_m"] > 0
    assert "No weights 'elsewhere'" in (lent.out / "film_nobody_test.error.txt").read_text()
    assert "11 of 12 jobs done" in lent.log
    same = [read_result(lent.out / "film" / f"{it}_test.json").of("ade") for it in ("aesop", "dpa")]
    assert same[0] is not None and same[1] is not None and same[0].values[1] == same[1].values[0]
    assert len(list((lent.out / "shots").glob("film_aesop_test_*.shot"))) >= 4


def test_finishes_and_the_operator_have_rows_of_their_own(lent: Lent, tmp_path: Path):
    director = load_director(lent.weights, encoder=MiniLM())
    methods = {
        "hand": DirectorMethod(director, replace(FAST, finish="hand")),
        "operator": OperatorMethod(),
    }
    for name, method in methods.items():
        found = read_result(lent.out / "film" / f"{name}_test.json")
        wanted = measure_task(
            lent.bench, MethodEntry(name, (method,), (1,)), "film", tmp_path, quiet
        )
        assert found.setting.identities == wanted.setting.identities
        a, b = wanted.of("path"), found.of("path")
        assert a is not None and b is not None
        assert b.values == pytest.approx(a.values, abs=ROUNDED["path"])
    unguided = read_result(lent.out / "shoot" / "unguided_test.json").setting.identities[0]
    one = DirectorMethod(director, replace(FAST, human_guidance=1.0))
    assert unguided == ("weights 0", one.identity("shoot"))
    plain = read_result(lent.out / "film" / "aesop_test.json").setting.identities[0]
    assert plain != read_result(lent.out / "film" / "hand_test.json").setting.identities[0]


def test_results_come_home(lent: Lent, store: Store, tmp_path: Path):
    home, bundle = tmp_path / "results", lent.out / "results.zip"
    _run(tmp_path, "collect", str(bundle), "--store", str(store.path), "--results", str(home))
    assert read_result(home / "film" / "aesop_test.json").code.commit != "unknown"
    assert (home / "sheets" / "film_aesop_test.png").stat().st_size > 5000


def test_the_published_rows_of_what_ships_have_three_seeds_and_names_of_their_own():
    jobs = read_jobs(ROOT / "lab" / "base_jobs.json")
    assert len({job.name for job in jobs}) == len(jobs)
    shipped = [job for job in jobs if job.weights == "base"]
    assert {(job.kind, job.task) for job in shipped} >= {
        (kind, task) for kind in ("task", "sweep", "direction") for task in ("film", "shoot")
    }
    assert all(len(job.seeds) == 3 for job in shipped if job.kind == "task")


@pytest.mark.parametrize("path", sorted((ROOT / "lab").glob("*_jobs.json")), ids=lambda it: it.name)
def test_rows_that_wait_for_a_machine_can_be_read_and_have_names_of_their_own(path: Path):
    jobs = read_jobs(path)
    assert len({(job.kind, job.name) for job in jobs}) == len(jobs) > 0
