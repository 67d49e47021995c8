"""Every gate of intensity pairs: one clip just inside, one just outside."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from aesop.pairs.gates import Verdicts
from aesop.pairs.intensity_gates import (
    NEVER_FAIL_WEAKER,
    SourceFacts,
    TargetRule,
    active_verdicts,
    decoded_path_verdicts,
    null_verdicts,
    source_facts,
    target_verdicts,
)
from aesop.pairs.pair_recipe import DynamicsLimits, fables, pulpmotion
from aesop.pairs.shot_arrays import Cameras, Film, aimed, sight, smoothed
from aesop.pairs.transforms import scaled_ways
from tests.pairs.makers import JOINTS, film_of_way, smooth_noise, still_root, straight

GATES = pulpmotion().intensity
LIMITS = DynamicsLimits(speed=0.1416, acceleration=0.03499, jerk=0.01315)
FRAMES, TAPS = 61, 11
YES, NO = np.array([True]), np.array([False])


def passes(verdicts: Verdicts, gate: str) -> bool:
    return bool(verdicts.passed[0, verdicts.gates.index(gate)])


def walking_film(travel: float = 1.3, frames: int = FRAMES) -> Film:
    return film_of_way(straight(frames, (0, -4.0, 1.5), (travel, 0, 0)), still_root(frames))


def facts_of(film: Film) -> SourceFacts:
    return source_facts(film, sight(film, film.cameras, aimed(film, film.cameras)).visible)


def test_facts_in_closed_form():
    film = walking_film(1.3)
    found = facts_of(film)
    assert found.path_m[0] == pytest.approx(1.3) and found.span_m[0] == pytest.approx(1.3)
    assert found.largest_step[0] == pytest.approx(1 / (FRAMES - 1))
    assert found.nearest_m[0] == pytest.approx(np.hypot(4.0, 0.55))
    assert found.in_view[0] == 1.0 and found.severe[0] == 0.0
    assert found.dynamics.speed[0] == pytest.approx(1.3 / (FRAMES - 1))


ACTIVE_CASES = [
    ("path", "path_m", 0.4119, 0.4117),
    ("span", "span_m", 0.1501, 0.1499),
    ("largest step", "largest_step", 0.1999, 0.2001),
    ("visible", "in_view", 0.8001, 0.7999),
    ("distance to the person", "nearest_m", 0.2501, 0.2499),
]


@pytest.mark.parametrize(("gate", "fact", "inside", "outside"), ACTIVE_CASES)
def test_active_source_gates(gate: str, fact: str, inside: float, outside: float):
    film = walking_film()
    for value, wanted in ((inside, True), (outside, False)):
        facts = replace(facts_of(film), **{fact: np.array([value])})
        found = active_verdicts(film, facts, YES, NO, GATES)
        assert passes(found, gate) == wanted
        assert bool(found.accepted[0]) == wanted


def test_active_sources_last_a_second_have_words_and_are_no_direction_sources():
    for frames, wanted in ((25, True), (24, False)):
        film = walking_film(frames=frames)
        assert passes(active_verdicts(film, facts_of(film), YES, NO, GATES), "length") == wanted
        assert passes(null_verdicts(film, facts_of(film), YES, NO, GATES), "length") == wanted
    film = walking_film()
    for judge in (active_verdicts, null_verdicts):
        assert not passes(judge(film, facts_of(film), NO, NO, GATES), "caption")
        assert not passes(judge(film, facts_of(film), YES, YES, GATES), "not a direction source")
        together = replace(GATES, apart_from_direction=False)
        found = judge(film, facts_of(film), YES, YES, together)
        alike = judge(film, facts_of(film), YES, NO, together)
        assert np.array_equal(found.passed, alike.passed)


def test_null_sources_hardly_travel():
    for travel, wanted in ((0.0999, True), (0.1001, False)):
        film = walking_film(travel)
        found = null_verdicts(film, facts_of(film), YES, NO, GATES)
        assert passes(found, "path") == wanted and bool(found.accepted[0]) == wanted
    film = walking_film(0.05)
    for fact, gate, value in (
        ("in_view", "visible", 0.79),
        ("nearest_m", "distance to the person", 0.24),
    ):
        facts = replace(facts_of(film), **{fact: np.array([value])})
        assert not passes(null_verdicts(film, facts, YES, NO, GATES), gate)


def target(
    film: Film,
    centre: np.ndarray,
    label: float,
    *,
    visible: np.ndarray | None = None,
    limits: DynamicsLimits = LIMITS,
) -> Verdicts:
    cameras = Cameras(centre[None], film.cameras.world_from_camera, film.cameras.tan_half_fov)
    seen = sight(film, cameras, aimed(film, cameras)).visible if visible is None else visible[None]
    smooth = smoothed(film.cameras.centre, film.lengths, TAPS)
    rule = TargetRule(GATES, limits, TAPS)
    return target_verdicts(film, facts_of(film), smooth, cameras, np.array([label]), seen, rule)


def test_the_path_ratio_is_what_the_label_asks():
    film = walking_film()
    for factor, wanted in ((1.4799, True), (1.4801, False), (1.3201, True), (1.3199, False)):
        way = straight(FRAMES, (0, -4.0, 1.5), (1.3 * factor, 0, 0))
        assert passes(target(film, way, 1.4), "path ratio") == wanted


def test_path_and_root_mean_square_speed_grow_alike():
    """Uneven speed: the first half at 1 + e, the second at 1 − e has the same path; its root mean
    square speed is √(1 + e²) as large."""
    film = walking_film()
    half = (FRAMES - 1) // 2
    for excess, wanted in ((0.0299, True), (0.0301, False)):
        e = np.sqrt((1 + excess) ** 2 - 1)
        steps = np.concatenate([np.full(half, 1 + e), np.full(half, 1 - e)]) * 1.3 / (FRAMES - 1)
        way = film.cameras.centre[0].copy()
        way[1:, 0] = np.cumsum(steps)
        found = target(film, way, 1.0)
        assert passes(found, "path ratio against speed ratio") == wanted
        assert passes(found, "path ratio")


def test_the_direction_is_kept():
    film = walking_film()
    for cosine, wanted in ((0.901, True), (0.899, False)):
        turned = straight(FRAMES, (0, -4.0, 1.5), (1.3 * cosine, 1.3 * np.sqrt(1 - cosine**2), 0))
        assert passes(target(film, turned, 1.0), "direction") == wanted
        # Very weak labels are not asked for it.
        assert passes(target(film, turned, 0.2499), "direction")


def test_the_change_is_large_enough_to_matter():
    film = walking_film(1.0)
    for label, wanted in ((0.849, True), (0.851, False), (1.151, True), (1.149, False)):
        way = scaled_ways(film.cameras.centre[0], [label], TAPS)[0]
        assert passes(target(film, way, label), "change of path") == wanted


@pytest.mark.parametrize("gate", ["speed", "acceleration", "jerk"])
def test_dynamics_stay_below_their_limits(gate: str):
    dice = np.random.default_rng(1)
    way = straight(FRAMES, (0, -4.0, 1.5), (1.3, 0, 0)) + smooth_noise(dice, FRAMES, 0.05)
    film = film_of_way(way, still_root(FRAMES))
    value = float(getattr(facts_of(film).dynamics, gate)[0])
    for limit, wanted in ((value * 1.001, True), (value * 0.999, False)):
        found = target(film, way, 1.0, limits=replace(LIMITS, **{gate: limit}))
        assert passes(found, gate) == wanted


def test_the_target_stays_within_reach_of_the_person():
    film = walking_film()
    for gate, far, wanted in (
        ("nearest to the person", 0.2501, True),
        ("nearest to the person", 0.2499, False),
        ("farthest from the person", 12.7715, True),
        ("farthest from the person", 12.7717, False),
    ):
        way = film.cameras.centre[0].copy()
        way[37] = film.root[0, 37] + np.array([0.0, -far, 0.0])
        assert passes(target(film, way, 1.0), gate) == wanted


def test_framing_does_not_get_worse():
    film = walking_film()
    way, full = film.cameras.centre[0], np.ones((FRAMES, JOINTS), np.bool_)
    for lost, wanted in ((3, True), (4, False)):  # of 61 frames: 0.0492 and 0.0656
        seen = full.copy()
        seen[:lost] = False
        assert passes(target(film, way, 1.0, visible=seen), "drop of visibility") == wanted
    gate = "rise of frames badly in view"
    for lost, wanted in ((1, True), (2, False)):  # 0.0164 and 0.0328
        seen = full.copy()
        seen[:lost, 2:] = False  # two of five joints: fewer than half
        assert passes(target(film, way, 1.0, visible=seen), gate) == wanted
        seen[:lost, 2] = True  # three of five are not
        assert passes(target(film, way, 1.0, visible=seen), gate)


def test_reconstructions_keep_the_ratio_of_travel():
    for path, wanted in ((1.549, True), (1.551, False), (1.251, True), (1.249, False)):
        found = decoded_path_verdicts(np.array([path]), np.ones(1), np.array([1.4]), GATES)
        assert passes(found, "decoded path ratio") == wanted
    nothing = decoded_path_verdicts(np.ones(1), np.zeros(1), np.array([1.4]), GATES)
    assert not nothing.accepted[0]


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 10**6), st.floats(0.01, 0.99))
def test_some_gates_cannot_fail_for_weaker_targets(seed: int, label: float):
    dice = np.random.default_rng(seed)
    jitter = dice.standard_normal((FRAMES, 3)) * 0.05
    way = straight(FRAMES, (0, -4.0, 1.5), (0.6, 0, 0)) + smooth_noise(dice, FRAMES, 0.3) + jitter
    film = film_of_way(way, still_root(FRAMES))
    found = target(film, scaled_ways(way, [label], TAPS)[0], label)
    assert all(passes(found, gate) for gate in NEVER_FAIL_WEAKER)


def test_stronger_targets_of_a_shaky_camera_fall_short():
    dice = np.random.default_rng(0)
    jitter = dice.standard_normal((FRAMES, 3)) * 0.05
    way = straight(FRAMES, (0, -4.0, 1.5), (0.6, 0, 0)) + jitter
    film = film_of_way(way, still_root(FRAMES))
    assert not passes(target(film, scaled_ways(way, [1.9], TAPS)[0], 1.9), "path ratio")


def test_recipes_hold_the_papers_numbers():
    gates, labels, amounts = GATES, pulpmotion().labels, pulpmotion().amounts
    assert (gates.shortest_frames, gates.active_path_m, gates.active_span_m) == (25, 0.4118, 0.15)
    assert (gates.largest_step, gates.null_path_m, gates.source_visible) == (0.20, 0.10, 0.80)
    assert (gates.nearest_m, gates.farthest_m) == (0.25, 12.7716)
    assert (gates.path_error, gates.speed_error) == (0.08, 0.03)
    assert (gates.cosine, gates.cosine_from, gates.least_change_m) == (0.90, 0.25, 0.15)
    assert gates.dynamics == DynamicsLimits(0.1416, 0.03499, 0.01315)
    assert (gates.visible_drop, gates.severe_rise, gates.decoded_path_error) == (0.05, 0.03, 0.15)
    assert (labels.below, labels.above) == ((0.1, 0.2, 0.3, 0.4), (0.4, 0.3, 0.2, 0.1))
    assert labels.tries == 8 and pulpmotion().smoothing_taps == 11
    assert (amounts.constructed, amounts.active, amounts.null) == (36_000, 8_000, 2_000)
    ours = fables()
    assert gates.apart_from_direction
    assert ours.intensity == replace(gates, dynamics=None, apart_from_direction=False)
    assert (ours.pilot.clips, ours.pilot.quantile) == (1_000, 0.995)
    assert ours.amounts == replace(amounts, active=20_000, null=8_000)
    assert ours.event == pulpmotion().event
    assert pulpmotion().balance is None
    assert (labels.kept, labels.nearest, labels.strongest) == (1, 0.0, 2.0)
    even = (0.25, 0.25, 0.25, 0.25)
    assert ours.balance is not None
    assert ours.labels == replace(
        labels, below=even, above=even, kept=4, nearest=0.35, strongest=2.75
    )
