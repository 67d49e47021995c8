"""Probing people in several processes: nobody is lost, who is best is chosen, then judged."""

import json
from argparse import Namespace
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import acts_h200
from acts_h200 import Asked, Way
from aesop.fables.motion_sets import read_set_takes
from aesop.fables.people_windows import takes_of_split
from aesop.fables.synthetic import synthetic_motion
from aesop.files.shot_file import write_clip
from aesop.measuring.acts import probe_sentences
from people_footage import worded_takes
from people_parcel import write_takes

WAY = Way("somebody", Path("nowhere"), 4.0, Path("chooser"))


class HerePool:
    """Does in this process what others would."""

    def __init__(self, *_: object) -> None: ...

    def __enter__(self) -> "HerePool":
        return self

    def __exit__(self, *_: object) -> None: ...

    def map(self, work: Callable[[Any], Any], tasks: Sequence[Any], chunksize: int) -> list[Any]:
        assert chunksize == 1
        return [work(task) for task in tasks]


class HereContext:
    Pool = HerePool


@pytest.fixture
def here(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("multiprocessing.get_context", lambda _: HereContext)


@pytest.mark.usefixtures("here")
@pytest.mark.parametrize("processes", [1, 3, 11])
def test_answers_come_in_the_order_asked(processes: int, monkeypatch: pytest.MonkeyPatch):
    people = tuple((f"does {number}", 3.0, number) for number in range(7))
    monkeypatch.setattr(acts_h200, "acted", lambda task: [it[2] for it in task.people])
    tasks = [Asked(WAY, Path("e"), people[:count], ()) for count in (7, 5)]
    assert acts_h200.shared_out(tasks, processes) == [list(range(7)), list(range(5))]


@pytest.mark.usefixtures("here")
def test_who_acts_best_on_choosing_sentences_is_judged(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
):
    """Weights that get everything right with guidance 3 alone."""

    def acted(task: Asked) -> list[bool]:
        is_right = task.way.name == "good" and task.way.guidance == 3
        return [
            is_right or (task.way.chooser is not None and seed == 0) for *_, seed in task.people
        ]

    monkeypatch.setattr(acts_h200, "acted", acted)
    args = Namespace(
        parcel=tmp_path, out=tmp_path / "acts.json", weights=["bad=x", "good=y"],
        chooser=Path("chooser"), guidance=[4.0, 3.0], choosing_seeds=2, seeds=5, processes=3,
        judge=True,
    )  # fmt: skip
    acts_h200.probe(args)
    rows = json.loads(args.out.read_text(encoding="utf-8"))
    judged = [row for row in rows if row["set"] == "judging"]
    assert {(row["weights"], row["guidance"]) for row in judged} == {("good", 3.0)}
    assert [row["takes"] for row in judged] == ["first take", "best take"]
    first = {
        (row["weights"], row["guidance"], row["takes"]): row["right"]
        for row in rows
        if row["set"] == "choosing"
    }
    assert len(first) == 8 and first["good", 3.0, "first take"] == 1
    assert first["bad", 4.0, "first take"] == 0 and first["bad", 4.0, "best take"] == 0.5
    assert set(judged[0]["actions"]) == {it.action for it in probe_sentences()}


def test_real_people_are_the_segments_of_test_takes(tmp_path: Path):
    worded = worded_takes()
    names = sorted(takes_of_split(read_set_takes(), "test") & worded.keys())
    name = next(it for it in names if it.startswith("cmu") and len(worded[it]) > 2)
    last = worded[name][-1]
    # The take ends within its last segment, which is therefore left out.
    clip = synthetic_motion("walk", last.stop - 7, np.random.default_rng(1)).clip
    (tmp_path / name).parent.mkdir()
    write_clip(clip, tmp_path / f"{name}.clip")
    write_takes([name], tmp_path, tmp_path / "test.parcel")
    words, seconds, motions, takes = acts_h200.real_people(tmp_path / "test.parcel", None)
    assert words == [row.words.caption.sentences[0] for row in worded[name][:-1]]
    assert set(takes) == {name}
    for length, motion in zip(seconds, motions, strict=True):
        assert motion.frames == round(length * clip.fps)
    some = acts_h200.real_people(tmp_path / "test.parcel", 2)[0]
    assert some == [words[0], words[-1]]
