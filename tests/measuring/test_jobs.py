"""Lists of measurements: read, cut into pieces, done by several processes."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pytest

from aesop.cli import main
from aesop.core.errors import FileError, Progress
from aesop.data.store import Store
from aesop.director.director import load_director
from aesop.measuring.cases import Bench, build_bench, read_cases
from aesop.measuring.jobs import Job, read_jobs
from aesop.measuring.methods import DirectorMethod
from aesop.measuring.runs import MethodEntry, measure_task, read_result
from aesop.metrics.judging import joined, observe
from aesop.text.minilm import MiniLM
from tests.director.makers import save_cast
from tests.measuring.makers import FAST, made_evaluators
from tests.tolerances import FILMED32, network32


def test_looking_in_parts_is_looking_at_once(bench: Bench):
    shots = bench.cases.references[:7]
    parts = [observe(some, np.zeros((len(some), 0))) for some in (shots[:3], shots[3:])]
    together = joined(parts)
    for number, travel in enumerate(together.travels):
        assert travel == bench.reference.travels[number]
        assert (together.tags[number] == bench.reference.tags[number]).all()
    again = build_bench(bench.cases.only(range(7)), bench.evaluators, looked_at=together)
    np.testing.assert_allclose(
        again.reference.embeddings, bench.reference.embeddings[:7], atol=network32(1, 23)
    )


def test_jobs_that_make_no_sense_are_refused(tmp_path: Path):
    path = tmp_path / "jobs.json"
    for said in (
        [{"kind": "dance"}],
        [{"kind": "task", "finish": "varnish"}],
        [{"kind": "task", "by": "nobody"}],
        [{"kind": "task"}, {"kind": "task"}],
        [{"kind": "sweep", "intensities": [0.5]}],
        [{"kind": "task", "colour": "red"}],
        "task",
    ):
        path.write_text(json.dumps(said))
        with pytest.raises(FileError, match=r"jobs\.json"):
            read_jobs(path)
    path.write_text(json.dumps([{"kind": "task", "seeds": [0, 5]}]))
    (job,) = read_jobs(path)
    assert job == Job("task", seeds=(0, 5)) and [it.seed for it in job.pieces] == [0, 5]


@contextmanager
def quiet(label: str) -> Iterator[Progress]:
    yield lambda done, total: None


def test_a_list_gives_the_numbers_of_single_measurements_and_failures_end_nothing(
    store: Store, tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    weights, judges, out = (tmp_path / it for it in ("tiny", "judges", "out"))
    weights.mkdir()
    save_cast(weights, MiniLM())
    evaluators = made_evaluators(judges, MiniLM())
    shared = {"preset": "fast", "at_most": 5, "split": "test", "weights": "tiny"}
    jobs = [
        {"kind": "task", "method": "nobody", "seeds": [2], **shared, "split": "elsewhere"},
        {"kind": "task", "seeds": [3, 1], **shared},
    ]
    (tmp_path / "jobs.json").write_text(json.dumps(jobs))
    words = ["--jobs", tmp_path / "jobs.json", "--data", store.path, "--model", weights]
    words += ["--evaluators", judges, "--cache", tmp_path / "cache", "--workers", 1, "-o", out]
    with pytest.raises(SystemExit) as end:
        main(["measure", *map(str, words)])
    assert end.value.code == 1
    said = capsys.readouterr()
    assert "1 of 2 jobs failed: film_nobody_elsewhere" in said.err
    assert "elsewhere" in (out / "film_nobody_elsewhere.error.txt").read_text()
    assert str(out / "film" / "aesop_test.json") in said.out.splitlines()
    method = DirectorMethod(load_director(weights, encoder=MiniLM()), FAST)
    bench = build_bench(read_cases(store, "test", 5), evaluators)
    entry = MethodEntry("AESOP", (method,), (3, 1))
    wanted = measure_task(bench, entry, "film", tmp_path / "other", quiet)
    result = read_result(out / "film" / "aesop_test.json")
    assert result.setting == wanted.setting
    # A job may batch its cases otherwise than a single measurement does; films then differ by what
    # networks round, and so do metrics, all of which are of the order of a film or larger.
    for metric, same in zip(result.metrics, wanted.metrics, strict=True):
        assert metric.metric == same.metric
        assert metric.values == pytest.approx(same.values, rel=FILMED32, abs=FILMED32, nan_ok=True)
