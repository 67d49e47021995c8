"""All numbers together: the reference judged against itself, and what is refused."""

from dataclasses import replace

import numpy as np
import pytest
import torch

from aesop.metrics.embedding_metrics import fit_gaussian, frechet_distance
from aesop.metrics.judging import (
    compare,
    distribution_verdict,
    judge_cameras,
    judge_motions,
    judge_paths,
    judge_people,
    observe,
)
from aesop.metrics.metric_book import METRICS, MetricError, require_judgeable, require_paired
from aesop.scene.shot import Shot
from tests.metrics.makers import straight_shot
from tests.tolerances import EPS64, GEOMETRY32

GLIDES = [(0.4, 0, 0), (-0.3, 0, 0), (0, 0, 0.4), (0, -0.4, 0), (0.0, 0, 0)]


@pytest.fixture(scope="module")
def shots() -> list[Shot]:
    dice = np.random.default_rng(1)
    glides = [tuple(np.array(GLIDES[at % 5]) * dice.uniform(0.8, 1.2)) for at in range(37)]
    return [straight_shot(glide, frames=31 + at % 7) for at, glide in enumerate(glides)]


def moved(shots: list[Shot], forward_m: float) -> list[Shot]:
    """The same shots from farther away or nearer."""
    shift = torch.tensor([0.1, forward_m, 0.0])
    return [
        Shot(it.clip, replace(it.camera, centre=it.camera.centre + shift), it.provenance)
        for it in shots
    ]


@pytest.fixture(scope="module")
def embeddings() -> np.ndarray:
    return np.random.default_rng(2).normal(size=(37, 13))


def test_the_reference_against_itself_is_perfect(shots: list[Shot], embeddings: np.ndarray):
    seen = observe(shots, embeddings)
    verdict = judge_cameras(seen, seen, seen.tags, embeddings) + judge_paths(compare(shots, shots))
    wanted = {"fdc": 0, "clatr": 100, "f1": 1, "f1_macro": 1, "camera_recall": 1, "r_fpd": 0,
              "out": 0, "ade": 0, "rotation": 0, "jerk_error": 0}  # fmt: skip
    for name, value in wanted.items():
        assert verdict.value(name) == pytest.approx(value, abs=np.degrees(GEOMETRY32)), name
    assert {it.metric for it in verdict.measured} <= METRICS.keys()
    assert verdict.unmeasured == ()


def test_every_interval_holds_its_number(shots: list[Shot], embeddings: np.ndarray):
    seen = observe(shots, embeddings)
    other = observe(moved(shots, -1.0), embeddings[::-1] * 1.3 + 0.2)
    for it in judge_cameras(seen, other, seen.tags, embeddings).measured:
        if it.interval is not None:
            assert it.interval.low <= it.value <= it.interval.high, it


def test_a_camera_that_looks_away_is_out_and_far(shots: list[Shot], embeddings: np.ndarray):
    away = [
        Shot(it.clip, replace(it.camera, centre=it.camera.centre * torch.tensor([1.0, -1, 1])),
             it.provenance) for it in shots
    ]  # fmt: skip
    seen, lost = observe(shots, embeddings), observe(away, embeddings)
    verdict = judge_cameras(seen, lost, seen.tags, embeddings)
    assert verdict.value("out") == 100
    assert (verdict.value("r_fpd") or 0) > 10


def test_framing_distance_is_that_of_all_frames(shots: list[Shot], embeddings: np.ndarray):
    """Per-clip sums give the Gaussian of the frames themselves."""
    seen, farther = observe(shots, embeddings), observe(moved(shots, -1.0), embeddings)
    frames = [np.concatenate([it.places for it in them.framings]) for them in (seen, farther)]
    wanted = frechet_distance(*(fit_gaussian(rows) for rows in frames))
    found = judge_cameras(seen, farther, seen.tags, embeddings).value("r_fpd")
    assert found == pytest.approx(wanted, abs=64 * EPS64**0.5) and wanted > 0.01


def test_too_few_clips_are_told_not_guessed(shots: list[Shot]):
    rows = np.random.default_rng(3).normal(size=(37, 41))
    verdict = distribution_verdict("fdc", "camera", rows, rows)
    assert verdict.value("fdc") is None
    assert "need at least 42" in verdict.unmeasured[0].reason
    assert verdict.value("camera_recall") == 1
    for clips in (19, 23):  # 23 leave three for the last of five chunks
        few = distribution_verdict("fdc", "camera", rows[:clips], rows[:clips])
        assert "camera_recall" in [it.metric for it in few.unmeasured]
    few = distribution_verdict("fdc", "camera", rows[:19], rows[:19])
    assert few.value("camera_recall") is None and "need 20" in few.unmeasured[1].reason


def test_people_are_judged_on_the_windows_they_are_given(shots: list[Shot], embeddings: np.ndarray):
    verdict = judge_people(embeddings, embeddings, embeddings, np.zeros(37))
    assert verdict.value("tmr") == pytest.approx(100) and verdict.value("human_recall") == 1
    assert verdict.value("fd_tmr") == pytest.approx(0, abs=EPS64**0.5)
    motions = judge_motions(compare(shots, shots), np.arange(0, 37, 3))
    assert motions.value("global_mpjpe") == 0
    assert {it.count for it in motions.measured} == {13}


def test_bad_shots_are_refused(shots: list[Shot]):
    camera = shots[3].camera
    centre = camera.centre.clone()
    centre[5, 1] = torch.nan
    broken = [*shots[:3], Shot(shots[3].clip, replace(camera, centre=centre), shots[3].provenance)]
    with pytest.raises(MetricError, match=r"1 of 4 shots.*3 \(still\)"):
        require_judgeable(broken)
    with pytest.raises(MetricError, match="37 and 36"):
        require_paired(shots, shots[:-1])
    with pytest.raises(MetricError, match="its reference"):
        require_paired(shots[:1], shots[1:2])
    with pytest.raises(MetricError, match="no shots"):
        require_judgeable([])
    with pytest.raises(MetricError, match="one frame"):
        require_judgeable([straight_shot((0, 0, 0), frames=1)])
