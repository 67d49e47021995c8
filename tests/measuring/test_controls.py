"""Controls, the redrawn ceiling, and what stands in for cameras that cannot exist."""

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch

from aesop.core.errors import StoreError
from aesop.data.store import Store, open_store
from aesop.director import scene_cameras
from aesop.director.decoding import Decoding
from aesop.director.director import Director
from aesop.director.requests import RequestError
from aesop.director.sampling import CameraCondition, can_exist
from aesop.director.trained_parts import Parts
from aesop.flow.solvers import Preset
from aesop.measuring.cases import Bench, build_bench, impossible_answers, looking_away, read_cases
from aesop.measuring.controls import (
    CLEAR_M,
    CinematographerAgain,
    MeanCameraLooking,
    ShuffledCameras,
    Stand,
    mean_stand,
    outline_of_stored,
    partners,
    stretched,
    watching,
)
from aesop.measuring.methods import CONTROL, Ask, DirectorMethod, Method, film_request, generate
from aesop.measuring.runs import MethodEntry, measure_task
from aesop.metrics.framing_metrics import framing_of
from aesop.metrics.metric_book import MetricError
from aesop.pages.result_pages import page_text
from aesop.pages.tables import is_outside
from aesop.scene.camera import CameraPath, project_joints
from aesop.scene.human import Clip, shifted, turned
from aesop.scene.movement import runs, tag_path
from aesop.scene.shot import Shot
from tests.measuring.makers import FAST, quiet
from tests.tolerances import GEOMETRY32


def same_path(first: Shot, second: Shot) -> bool:
    if first.frames != second.frames:
        return False
    return torch.allclose(first.camera.centre, second.camera.centre, atol=2 * GEOMETRY32)


def test_shuffling_uses_every_camera_once_and_never_for_its_own_window(bench: Bench):
    cases = bench.cases
    for seed in (0, 5):
        donors = partners(cases, seed)
        assert sorted(donors.tolist()) == list(range(len(cases.cases)))
        for case, donor in zip(cases.cases, donors.tolist(), strict=True):
            assert cases.cases[donor].human_row != case.human_row
    assert (partners(cases, 0) != partners(cases, 5)).any()
    assert (partners(cases, 0) == partners(cases, 0)).all()


def test_shuffled_cameras_keep_their_way_and_their_place_before_the_person(bench: Bench):
    cases, donors = bench.cases, partners(bench.cases, 3)
    shots = ShuffledCameras(cases).answer(cases.cases[4:9], Ask("film", 3))
    for place, shot in enumerate(shots, start=4):
        own, other = cases.cases[place].reference, cases.cases[int(donors[place])].reference
        assert shot.clip is own.clip and shot.camera_words == own.camera_words
        assert shot.camera.aspect == other.camera.aspect
        # Both references start canonical, so that ends are where they were.
        for end in (0, -1):
            apart = shot.camera.centre[end] - other.camera.centre[end]
            assert apart.norm() < 2 * GEOMETRY32
        # Resampled along straight lines from frame to frame.
        assert float(shot.camera.travel) == pytest.approx(
            float(other.camera.travel), rel=0.02, abs=2e-3
        )


def test_windows_that_fill_a_split_cannot_be_exchanged(bench: Bench):
    rows = [it.human_row for it in bench.cases.cases]
    one = [place for place, row in enumerate(rows) if row == rows[0]]
    with pytest.raises(MetricError, match="larger split"):
        partners(bench.cases.only(one), 0)


def test_stretching_there_and_back_is_nothing(bench: Bench):
    camera = bench.cases.references[2].camera
    there = stretched(camera, 2 * camera.frames - 1)
    torch.testing.assert_close(there.centre[::2], camera.centre)
    torch.testing.assert_close(
        there.world_from_camera[::2], camera.world_from_camera, rtol=0, atol=GEOMETRY32
    )
    assert stretched(camera, camera.frames) is camera


def test_the_looking_camera_stands_still_and_keeps_the_root_in_one_place(bench: Bench):
    shots = MeanCameraLooking(bench.cases).answer(bench.cases.cases[:7], Ask("film"))
    for shot in shots:
        seen = project_joints(shot.camera, shot.clip.motion.joints)
        torch.testing.assert_close(
            seen.ndc[:, 0], torch.zeros_like(seen.ndc[:, 0]), rtol=0, atol=GEOMETRY32
        )
        assert float(shot.camera.travel) == 0 and not tag_path(shot.camera, shot.fps).any()
    stand = mean_stand(bench.cases.references)
    assert 0.8 < stand.distance_m < 8 and 0.1 < stand.fov_vertical < 1.5


def test_the_mean_of_one_still_camera_is_that_camera(bench: Bench):
    clip = bench.cases.references[0].clip
    stand = Stand(2.7, 0.3, 1.1, 0.6, 1.5)
    still = replace(clip.motion, joints=clip.motion.joints[:1].expand_as(clip.motion.joints))
    still = replace(still, rotations=still.rotations[:1].expand_as(still.rotations))
    shot = replace(
        bench.cases.references[0], clip=replace(clip, motion=still), camera=watching(still, stand)
    )
    found = mean_stand([shot])
    for name in ("distance_m", "rise_m", "azimuth_rad", "fov_vertical", "aspect"):
        assert getattr(found, name) == pytest.approx(getattr(stand, name), abs=GEOMETRY32), name
    # Wherever the person stands and faces, the camera stands the same to them.
    moved = turned(shifted(still, torch.tensor([3.0, -1.0, 0.0])), torch.tensor(0.9))
    again = mean_stand([replace(shot, clip=replace(clip, motion=moved),
                                camera=watching(moved, stand))])  # fmt: skip
    assert again.azimuth_rad == pytest.approx(stand.azimuth_rad, abs=1e-5)
    assert again.distance_m == pytest.approx(stand.distance_m, abs=GEOMETRY32)


def test_nobody_runs_into_the_tripod(bench: Bench):
    motion = bench.cases.references[0].clip.motion
    way = torch.linspace(-3, 3, motion.frames)[:, None] * torch.tensor([0.0, -1.0, 0.0])
    walked = replace(motion, joints=motion.joints[:1] + way[:, None])
    camera = watching(walked, Stand(1.0, 0.0, 0.0, 0.6, 1.5))
    nearest = (walked.root - camera.centre)[:, :2].norm(dim=-1).min()
    assert nearest >= CLEAR_M and can_exist(camera)


def test_controls_answer_films_only(bench: Bench, store: Store):
    methods: list[Method] = [
        ShuffledCameras(bench.cases), MeanCameraLooking(bench.cases), CinematographerAgain(store),
    ]  # fmt: skip
    for method in methods:
        for ask in (Ask("shoot"), Ask("film", intensity=0.5), Ask("film", is_reversed=True)):
            with pytest.raises(MetricError, match="task film"):
                method.answer(bench.cases.cases[:1], ask)


def test_a_redraw_has_the_same_outline_and_another_way(store: Store):
    cases = read_cases(store, "test").cases
    method = CinematographerAgain(store)
    first, again = (method.answer(cases, Ask("film", 1)) for _ in range(2))
    other = method.answer(cases, Ask("film", 2))
    assert all(map(same_path, first, again))
    assert not any(map(same_path, first, other))
    hits = 0
    for case, shot in zip(cases, first, strict=True):
        wanted = [movement.tag for movement in outline_of_stored(store.shot(case.row))]
        assert wanted == [tag for tag, _, _ in runs(case.target_tags)]
        assert not same_path(shot, case.reference)
        # Shake may blur a class; what was meant has the outline by construction.
        hits += [tag for tag, _, _ in runs(tag_path(shot.camera, shot.fps))] == wanted
    assert hits >= 0.9 * len(cases)


def test_only_fables_is_filmed_again(store: Store, monkeypatch: pytest.MonkeyPatch):
    other = open_store(store.path)
    monkeypatch.setattr(other, "manifest", replace(other.manifest, dataset="elsewhere"))
    with pytest.raises(StoreError, match="elsewhere"):
        CinematographerAgain(other)


def test_controls_stand_in_tables_and_never_win(bench: Bench, cache: Path):
    results = []
    for method in (MeanCameraLooking(bench.cases), ShuffledCameras(bench.cases)):
        assert method.identity("film").startswith(CONTROL)
        results.append(measure_task(bench, MethodEntry("C", (method,), (0,)), "film", cache, quiet))
    assert all(map(is_outside, results))
    assert "**0" not in page_text(results)
    looks, shuffled = results
    for name, low, high in (("out", 0, 5), ("path", -1e-6, 1e-6)):
        found = looks.of(name)
        assert found is not None and low <= found.mean <= high, name
    wanted, found = np.mean([it.path_m for it in bench.reference.travels]), shuffled.of("path")
    # Resampled along straight lines from frame to frame.
    assert found is not None and found.mean == pytest.approx(wanted, rel=0.02)


def _spoil(director: Director, monkeypatch: pytest.MonkeyPatch, words: str) -> None:
    """Whoever is told these words gets a camera without a lens."""
    (text,) = director.parts.encoder.encode_each([words])
    real = scene_cameras.film_clips

    def spoilt(
        parts: Parts,
        clips: Sequence[Clip],
        wishes: Sequence[CameraCondition],
        preset: Preset,
        decoding: Decoding,
    ) -> list[CameraPath]:
        cameras = real(parts, clips, wishes, preset, decoding)
        return [
            replace(camera, fov_vertical=-camera.fov_vertical)
            if torch.equal(wish.words.tokens, text.tokens)
            else camera
            for camera, wish in zip(cameras, wishes, strict=True)
        ]

    monkeypatch.setattr(scene_cameras, "film_clips", spoilt)


def test_impossible_cameras_are_named_or_counted(
    bench: Bench, director: Director, cache: Path, monkeypatch: pytest.MonkeyPatch
):
    few = bench.cases.only(range(9))
    words = few.cases[4].camera_words
    expected = Counter(it.camera_words for it in few.cases)[words]
    _spoil(director, monkeypatch, words)
    case = few.cases[4]
    with pytest.raises(RequestError, match=case.reference.clip.name):
        director.film_many([film_request(case, Ask("film"))])
    method = DirectorMethod(director, FAST)
    for _ in range(2):  # made, then read back
        shots = generate(method, few, Ask("film"), cache)
        assert impossible_answers(shots) == expected
        assert can_exist(shots[4].camera) and framing_of(shots[4]).is_out.all()
        assert float(shots[4].camera.travel) == 0
    who = MethodEntry("Hopeless", (method,), (0, 1))
    result = measure_task(build_bench(few, bench.evaluators), who, "film", cache, quiet)
    assert result.impossible == (expected, expected)
    assert f"filming the sky: {expected}, {expected}" in page_text([result])


def test_whoever_looks_away_sees_nobody_wherever_they_go(bench: Bench):
    for shot in bench.cases.references[::5]:
        away = replace(shot, camera=looking_away(shot.clip))
        assert framing_of(away).is_out.all() and can_exist(away.camera)


@pytest.mark.parametrize("spoil", [float("nan"), float("inf"), 0.0, -0.1, math.pi])
def test_lenses_that_cannot_exist(bench: Bench, spoil: float):
    camera = bench.cases.references[0].camera
    assert can_exist(camera)
    fov = camera.fov_vertical.clone()
    fov[3] = spoil
    assert not can_exist(replace(camera, fov_vertical=fov))
    assert not can_exist(replace(camera, aspect=-1.0))
    assert not can_exist(replace(camera, aspect=float("nan")))
    assert not can_exist(replace(camera, centre=camera.centre / 0))
