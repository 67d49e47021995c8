"""One bad clip never ends a run: it is left out and named, and short ones are measured."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from aesop.core.errors import StoreError
from aesop.data.store import Store
from aesop.data.table import Table
from aesop.director.director import Director
from aesop.director.requests import RequestError
from aesop.evaluators.evaluator_weights import Evaluators
from aesop.measuring import cases as cases_module
from aesop.measuring.cases import (
    FEWEST_FRAMES,
    Case,
    build_bench,
    chosen_places,
    fit_cases,
    read_cases,
)
from aesop.measuring.methods import DirectorMethod
from aesop.measuring.runs import MethodEntry, measure_task, read_result
from aesop.pages.result_pages import page_text, write_result
from aesop.scene.human import HumanMotion, cut
from tests.measuring.makers import FAST, quiet


def cut_case(case: Case, frames: int) -> Case:
    """The first frames of a case."""
    shot = case.reference
    short = replace(shot, clip=cut(shot.clip, 0, frames), camera=shot.camera.part(slice(0, frames)))
    return replace(case, reference=short, target_tags=case.target_tags[: frames - 1])


def jumping(case: Case) -> Case:
    """Somebody who is suddenly two metres away: 50 m/s."""
    motion = case.reference.clip.motion
    joints = motion.joints.clone()
    joints[joints.shape[0] // 2 :, :, 0] += 2.0
    clip = replace(case.reference.clip, motion=HumanMotion(motion.rotations, joints))
    return replace(case, reference=replace(case.reference, clip=clip))


def without_a_lens(case: Case) -> Case:
    camera = case.reference.camera
    fov = camera.fov_vertical.clone()
    fov[1] = float("nan")
    spoilt = replace(camera, fov_vertical=fov)
    return replace(case, reference=replace(case.reference, camera=spoilt))


def without_human_words(case: Case) -> Case:
    return replace(case, reference=replace(case.reference, human_words=""))


BAD: dict[str, Callable[[Case], Case]] = {
    "m/s": jumping,
    "cannot exist": without_a_lens,
    "no human caption": without_human_words,
    "0.32 s": lambda case: cut_case(case, FEWEST_FRAMES - 1),
}


@pytest.mark.parametrize("reason", BAD)
def test_a_bad_clip_is_left_out_and_named(store: Store, reason: str):
    cases = list(read_cases(store, "test").cases[:5])
    cases[3] = BAD[reason](cases[3])
    kept, left_out = fit_cases(cases, needs_human_words=True)
    assert [case.row for case in kept] == [cases[at].row for at in (0, 1, 2, 4)]
    (named,) = left_out
    assert named.name == store.shots.text("id", cases[3].row) and reason in named.reason
    if reason == "no human caption":  # who films given people needs no words for them
        assert fit_cases(cases)[1] == []


def test_lengths_and_captions_choose_places_with_reasons():
    lengths = np.array([8, 9, 24, 25, 300, 301, 100])
    kept, reasons = chosen_places(lengths, [True] * 6 + [False], None)
    assert kept == [1, 2, 3, 4]
    assert list(reasons) == [0, 5, 6]
    assert "fewer than 9" in reasons[0] and "more than 300" in reasons[5]
    assert chosen_places(lengths, [True] * 7, 2)[0] == [1, 6]


def test_a_run_goes_on_and_its_result_names_who_is_missing(
    store: Store,
    evaluators: Evaluators,
    director: Director,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
):
    """Read as a run reads them: one clip is spoilt, two are as short as PulpMotion's shortest."""
    rows = store.split("test").tolist()[:7]
    changed = {
        rows[1]: jumping,
        rows[2]: lambda case: cut_case(case, 9),
        rows[5]: lambda case: cut_case(case, 24),
    }
    real = cases_module.read_case

    def spoilt(store: Store, row: int) -> Case:
        case = real(store, row)
        return changed[row](case) if row in changed else case

    monkeypatch.setattr(cases_module, "read_case", spoilt)
    monkeypatch.setattr(Store, "split", lambda self, name, kind=None: np.array(rows))
    cases = read_cases(store, "test", None, True)
    assert len(cases.cases) == 6 and {case.reference.frames for case in cases.cases} >= {9, 24}
    bench = build_bench(cases, evaluators)
    entry = MethodEntry("AESOP", (DirectorMethod(director, FAST),), (0,))
    for task in ("film", "shoot"):
        result = measure_task(bench, entry, task, tmp_path / "cache", quiet)
        assert result.setting.clips == 6 and result.setting.left_out == 1
        (path,) = write_result(tmp_path, f"{task}_aesop_test", result)
        again = read_result(path)
        assert again.setting.left_out_clips[0].name == store.shots.text("id", rows[1])
        assert dict(again.setting.choices)["protocol"] == "measured"
        page = page_text([again])
        assert store.shots.text("id", rows[1]) in page and "m/s" in page
    with pytest.raises(RequestError, match=r"0\.36 s"):
        director.shoot("A person walks.", "The camera pushes in.", 0.36)
    monkeypatch.setattr(cases_module, "read_case", lambda store, row: jumping(real(store, row)))
    with pytest.raises(StoreError, match="m/s"):
        read_cases(store, "test")


def test_films_or_performers_are_what_is_drawn_again(store: Store, monkeypatch: pytest.MonkeyPatch):
    """As PulpMotion and Fables say them; the mini set says neither, and its windows are drawn."""
    plain = read_cases(store, "test", 13)
    assert plain.cluster == "window" and plain.clusters.count == len(plain.windows)

    def told(by: str, table: str) -> list[int]:
        def attributes(found: Table, row: int) -> dict[str, str]:
            return {by: f"{row % 3}"} if found is getattr(store, table) else {}

        monkeypatch.setattr(cases_module, "attributes_of", attributes)
        return read_cases(store, "test", 13).clusters.group.tolist()

    assert told("video", "shots") == [case.row % 3 for case in plain.cases]
    assert read_cases(store, "test", 13).cluster == "film"
    assert told("subject", "humans") == [case.human_row % 3 for case in plain.cases]
    assert read_cases(store, "test", 13).cluster == "performer"
