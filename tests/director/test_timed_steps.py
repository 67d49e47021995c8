"""Words that name times: steps tile the film, the model films each in a window of its own, the
operator moves when it is told to, and what a motion has no time for is refused."""

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
import torch
from jaxtyping import Float

from aesop.camera_words.fact_check import measure_facts
from aesop.camera_words.term_lexicon import read_facts
from aesop.core.errors import AesopError
from aesop.director import director as director_file
from aesop.director.director import Director
from aesop.director.facts_filming import AskedFacts, asked_in, read_request
from aesop.director.film_report import film_report
from aesop.director.intensity_words import meant_intensity, pace_text
from aesop.director.requests import FilmRequest, ShootRequest
from aesop.director.rule_based import Operator, shoot_by
from aesop.director.scene_cameras import WINDOWS_HEAR
from aesop.director.timed_steps import (
    RESTS,
    TIME_SLACK_S,
    TIMES_NOTE,
    TimedStep,
    held_in_rests,
    step_spans,
    tiled,
    time_checks,
)
from aesop.director.window_facts import (
    LATE_FRAMES,
    STEP_OVERLAP_FRAMES,
    film_windows,
    step_windows,
    words_of_windows,
)
from aesop.fables.synthetic import synthetic_motion
from aesop.models.codec import STRIDE
from aesop.scene.camera import CameraPath
from aesop.scene.human import MAX_FRAMES, Clip
from aesop.scene.intensity_curve import IntensityCurve
from aesop.scene.movement import camera_velocity
from aesop.server.job_requests import FilmJob, checked_job
from tests.director.makers import WALK, walking
from tests.director.test_laws import same_camera
from tests.tolerances import GEOMETRY32

TIMED = (
    "hold still for two seconds, then push in", "push in for the first 3 seconds then arc left",
    "wait a second, then truck left", "at 0:04 pull out", "for the last two seconds hold",
    "first half static, second half arc right", "push in over 4 seconds",
    "boom up for 1.5 s, hold for 1.5 s, pull out for 2 s", "from 2 to 5 seconds truck right",
    "hold 1s, push in 2s, hold 1s, pan left 1s",
)  # fmt: skip
LENGTHS = (151, 211, 421, 809)


def asked_of(words: str) -> AskedFacts:
    asked = asked_in(words)
    assert asked is not None
    return asked


def standing(frames: int) -> Clip:
    clip = synthetic_motion("stand", frames, np.random.default_rng(3)).clip
    return replace(clip, motion=clip.motion.to(torch.float32))


@pytest.mark.parametrize("frames", LENGTHS)
@pytest.mark.parametrize("words", TIMED)
def test_steps_and_rests_tile_the_film_in_order(words: str, frames: int):
    asked, clip = asked_of(words), walking(frames)
    spans = asked.spans(clip)
    assert spans[0].first == 0 and spans[-1].stop == frames
    assert all(before.stop == after.first for before, after in pairwise(spans))
    moving = [span.step.actions for span in spans if not span.step.is_static]
    assert moving == [step.actions for step in asked.facts.steps if not step.is_static]


@pytest.mark.parametrize("frames", LENGTHS)
@pytest.mark.parametrize("words", TIMED)
def test_windows_tile_the_film_and_each_hears_its_own_step(words: str, frames: int):
    asked, clip = asked_of(words), walking(frames)
    windows, spans = film_windows(asked, clip), asked.spans(clip)
    assert windows[0].start == 0 and windows[-1].stop == frames
    assert all(len(window) <= MAX_FRAMES and window.start % STRIDE == 0 for window in windows)
    for before, after in pairwise(windows):
        assert before.start <= after.start and before.stop < after.stop
        assert before.stop - after.start >= STEP_OVERLAP_FRAMES
    told = words_of_windows(words, asked, clip, windows, goes_left=True)
    if len(windows) == 1:
        return
    heard = [read_facts(text).facts.steps for text in told]
    assert all(len(steps) == 1 for steps in heard)
    order = [steps[0].actions for steps in heard]
    kept = [one for at, one in enumerate(order) if at == 0 or order[at - 1] != one]
    assert kept == [span.step.actions for span in spans]


def test_a_window_may_move_a_little_before_its_step_and_never_before_the_step_before_it():
    asked, clip = asked_of("hold for 4 seconds, then push in for 1 second, then hold"), walking(211)
    first, second, third = film_windows(asked, clip)
    half = STEP_OVERLAP_FRAMES // 2
    assert abs(second.start + half - (100 - LATE_FRAMES)) < STRIDE
    assert abs(third.start - 100) < STRIDE and first.stop == second.start + 2 * half


@pytest.mark.parametrize("frames", (131, 257))
@pytest.mark.parametrize("words", ["push in, then truck left", "pan left, then push in"])
def test_words_without_times_have_the_windows_that_they_had(words: str, frames: int):
    asked, clip = asked_of(words), walking(frames)
    assert asked.timeline == () and asked.spans(clip) == ()
    assert film_windows(asked, clip) == (step_windows(asked, clip) or (range(frames),))
    # Steps whose times are open share a film as those do that have none.
    open_steps = [TimedStep(step) for step in asked.facts.steps]
    starts = [span.first for span in step_spans(open_steps, frames)]
    assert starts == [round(frames * at / len(open_steps)) for at in range(len(open_steps))]


def test_what_holds_is_kept_and_sizes_change_where_something_changes_them():
    words = "a low-angle wide shot, hold for 2 seconds, then push in to a close-up, handheld"
    asked, clip = asked_of(words), walking(151)
    facts = asked.facts
    assert (facts.size_start, facts.size_end) == ("wide", "close-up")
    assert (facts.height, facts.grip) == ("low", "handheld")
    windows = film_windows(asked, clip)
    hears = [read_facts(text).facts for text in words_of_windows(words, asked, clip, windows, True)]
    assert [(it.size_start, it.size_end) for it in hears] == [
        ("wide", None), ("wide", "close-up"),
    ]  # fmt: skip
    assert {it.height for it in hears} == {"low"} and {it.grip for it in hears} == {"handheld"}


def test_too_many_steps_leave_rests_out_and_more_movements_are_refused():
    asked = read_request("hold 1s, push in 1s, hold 1s, pan left 1s")
    assert [step.is_static for step in asked.facts.steps] == [False, False]
    spans = asked.spans(walking(101))
    assert [span.step == RESTS for span in spans] == [True, False, True, False]
    with pytest.raises(AesopError, match="4 movements are too many"):
        read_request("boom up 1s, push in 1s, truck left 1s, pan left 1s")


def speed_of(camera: CameraPath, fps: float) -> Float[np.ndarray, " transitions"]:
    velocity = camera_velocity(
        camera.world_from_camera.double().numpy(),
        camera.centre.double().numpy(),
        fps,
    )
    return np.linalg.norm(velocity, axis=-1)


@pytest.mark.parametrize("words", [it for it in TIMED if "pan" not in it])
@pytest.mark.parametrize("action", ["stand", "turn"])
def test_the_operator_moves_in_the_time_of_a_step_and_rests_in_the_others(words: str, action: str):
    clip = synthetic_motion(action, 181, np.random.default_rng(3)).clip
    clip = replace(clip, motion=clip.motion.to(torch.float32))
    shot = Operator().film(clip, words, seed=3)
    spans = read_request(words).spans(clip)
    speed = speed_of(shot.camera, clip.fps)
    for span in spans:
        # Within a frame of its bounds: a step eases from and to rest.
        here = speed[span.first + 2 : min(span.stop, 180) - 2]
        if span.step.is_static:
            assert here.max() < 0.01  # m/s: place and aim are found in a few rounds
        else:
            assert np.median(here) > 0.1
    assert all(check.right for check in time_checks(spans, measure_facts(
        shot.camera, clip.motion, clip.fps)))  # fmt: skip


def test_a_movement_at_another_time_is_told():
    clip = standing(181)
    shot = Operator().film(clip, "static for 4 seconds, then push in", seed=3)
    measured = measure_facts(shot.camera, clip.motion, clip.fps)
    for words, right in (
        ("static for 4 seconds, then push in", True),
        (f"static for {4 - 0.8 * TIME_SLACK_S} seconds, then push in", True),
        ("static for 2.5 seconds, then push in", False),
        ("push in from 4 s to 5 s", False),
        ("static for 4 seconds, then boom up", False),
    ):
        (check,) = time_checks(read_request(words).spans(clip), measured)
        assert check.right == right, words


def test_the_report_tells_the_times_that_were_understood():
    shot = Operator().film(standing(151), "hold for two seconds, then push in", seed=3)
    report = film_report(shot)
    assert report.times == "static from 0.0 to 2.0 s, push-in from 2.0 to 6.0 s"
    assert (
        f"; {TIMES_NOTE}{report.times}; " in report.text and '"times": "static' in report.as_json()
    )
    assert report.is_right and not any(TIMES_NOTE in it for it in report.corrections)
    assert film_report(Operator().film(standing(151), "push in", seed=3)).times is None


def test_the_model_films_every_step_in_its_own_window(director: Director):
    clip = walking(151)
    shot = director.film(clip, "hold for two seconds, then push in", seed=3)
    assert f"{WINDOWS_HEAR}Stay static. | Push in." in shot.provenance.notes
    assert "2 overlapping windows" in shot.provenance.notes
    assert film_report(shot).times == "static from 0.0 to 2.0 s, push-in from 2.0 to 6.0 s"
    raw = director.film(clip, "hold for two seconds, then push in", seed=3, finish="as-sampled")
    assert not any(note.startswith((TIMES_NOTE, WINDOWS_HEAR)) for note in raw.provenance.notes)


def test_times_of_steps_that_nobody_understands_are_told_to_be_lost(director: Director):
    for words in ("frobnicate for two seconds, then push in", "frobnicate for two seconds"):
        with pytest.raises(AesopError, match="frobnicate"):
            Operator().film(walking(151), words)
        times = film_report(director.film(walking(151), words, seed=3)).times
        assert times is not None and times.startswith("not kept. ") and "frobnicate" in times


@pytest.mark.parametrize("words", ["push in over 9 seconds", "wait 5.5 s, then pan left"])
def test_times_that_a_motion_does_not_have_are_refused_before_anything_is_filmed(
    director: Director, monkeypatch: pytest.MonkeyPatch, words: str
):
    clip = walking(151)
    nothing = pytest.fail
    monkeypatch.setattr(director_file, "Filming", nothing)
    monkeypatch.setattr(director, "act_many", nothing)
    shoot = ShootRequest(WALK, words, 6.04)
    for film in (
        lambda: director.film(clip, words),
        lambda: director.shoot_many([shoot]),
        lambda: director.sweep(clip, words, (0.5, 1.5)),
        lambda: Operator().film(clip, words),
        lambda: shoot_by("operator", director, [shoot]),
        lambda: checked_job(FilmJob(motion="id", words=words), lambda _: clip),
        lambda: checked_job(FilmJob(motion="id", words=words, method="operator"), lambda _: clip),
    ):
        with pytest.raises(AesopError, match=r"[Ss]tep"):
            film()
    # Whoever hears the words as they were typed hears no times.
    job = FilmJob(motion="id", words=words, as_sampled=True)
    assert checked_job(job, lambda _: clip) is job


def test_equal_times_said_otherwise_are_one_film():
    clip = standing(151)
    one, *others = (
        Operator().film_many([FilmRequest(clip, words, seed=3)])[0]
        for words in ("hold for two seconds, then push in", "wait 2s, push in", "after 2 s push in")
    )
    assert same_camera(one.camera, others[0].camera)
    # A rest that is only implied draws no dice.
    assert read_request("after 2 s push in").spans(clip) == read_request("wait 2s, push in").spans(
        clip
    )


def test_between_its_steps_a_camera_is_held_and_its_steps_stay():
    clip, words = standing(151), "push in for 2 seconds, then hold for 2 seconds, then pull out"
    spans = read_request(words).spans(clip)
    camera = Operator().film(clip, words, seed=3).camera
    drift = 0.1 * torch.linspace(0, 1, 151)[:, None] * torch.tensor([[0.0, 1.0, 0.0]])
    held, strayed = held_in_rests(replace(camera, centre=camera.centre + drift), spans)
    steps, before = (it.centre.diff(dim=0) for it in (held, camera))
    rest, ways = slice(50 + 5, 100 - 5), (slice(0, 50 - 5), slice(100 + 5, 150))
    assert float(steps[rest].abs().max()) == 0
    for way in ways:  # what drifts within a step stays
        assert torch.allclose(steps[way], (before + drift.diff(dim=0))[way], atol=GEOMETRY32)
    assert held.centre[0].equal(camera.centre[0]) and 0.02 < strayed < 0.04
    assert held.world_from_camera is camera.world_from_camera


def test_a_turn_of_the_person_is_a_time_too():
    words = "push in as she turns, then hold for two seconds"
    timeline = read_request(words).timeline
    starts = [step_spans(timeline, 251, turning)[0].first for turning in (None, 50, 100)]
    assert starts == [0, 50, 100]
    assert step_spans(timeline, 251, 245)[0].first == 0  # no time is left for it then
    assert tiled(step_spans(timeline, 251, 50), 251)[0].step == RESTS


def test_a_pace_changes_when_its_step_begins():
    words = "pushes in slowly for 2 seconds, then rushes"
    for seconds in (6.0, 9.0):
        curve = meant_intensity(words, seconds)
        assert isinstance(curve, IntensityCurve)
        assert curve.points == ((0.0, 0.7), (1.6, 0.7), (2.4, 1.3))
    assert pace_text(words) == "slowly → 0.7, then rushes → 1.3"
    (step,) = read_request(words).facts.steps
    (span,) = read_request(words).spans(standing(151))
    assert span.step == step  # one movement that goes on
    assert meant_intensity("hold for 2 seconds, then slowly push in", 6.0) == 0.7
