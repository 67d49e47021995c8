"""Acts at other paces: they last longer or shorter, and stay the same acts."""

from dataclasses import replace

import numpy as np
import pytest
from jaxtyping import Float

from aesop.fables.people_windows import (
    PeopleRecipe,
    TakeGround,
    Worded,
    draw_people,
    worded_segments,
)
from aesop.fables.segment_captions import read_segment_captions
from aesop.fables.segment_table import read_segments
from aesop.scene.human import NATIVE_FPS
from paces import (
    LONGEST_REST_S,
    REST_PACE,
    at_times,
    calm,
    copied,
    copied_times,
    joined,
    paced_copies,
    recipe_of_copies,
)
from parcel import starts_of
from people_parcel import TravelledTakes
from tests.tolerances import rounded64

CHANNELS = 70  # 22 turns, heading, place
HEADING = -4


@pytest.fixture(scope="module")
def worded() -> dict[str, list[Worded]]:
    """Every thirteenth take with words that has an act to copy."""
    every = worded_segments(read_segments(), read_segment_captions())
    acting = [name for name in sorted(every) if any(map(copied, every[name]))]
    return {name: every[name] for name in acting[::13]}


def standing_track(frames: int) -> Float[np.ndarray, "frames channels"]:
    return np.zeros((frames, CHANNELS))


@pytest.fixture(scope="module")
def takes(worded: dict[str, list[Worded]]) -> TravelledTakes:
    """Who stands between their segments and turns by one radian during each."""
    tracks: dict[str, np.ndarray] = {}
    for name, rows in worded.items():
        frames = max(row.stop for row in rows) + 23
        heading = np.zeros(frames)
        for row in rows:
            inner = np.arange(row.first + 5, row.stop - 5)
            steps = np.zeros(frames)
            steps[inner] = 1.0 / max(len(inner), 1)
            heading += np.cumsum(steps)
        tracks[name] = standing_track(frames)
        tracks[name][:, HEADING] = heading
    lengths = np.array([len(it) for it in tracks.values()])
    return TravelledTakes(
        names=tuple(tracks),
        starts=starts_of(lengths),
        tracks=np.concatenate(list(tracks.values())),
        grounds={
            it: TakeGround(np.zeros(len(t), bool), np.zeros(len(t))) for it, t in tracks.items()
        },
        sha256="takes",
    )


def heading_of(copies: TravelledTakes, place: int) -> Float[np.ndarray, " frames"]:
    return copies.tracks[copies.starts[place] : copies.starts[place + 1], HEADING]


def test_a_copy_turns_as_far_as_its_act(takes: TravelledTakes, worded: dict[str, list[Worded]]):
    made = paced_copies(takes, worded, seed=3, copies=2)
    assert len(made.takes.names) > 30
    seconds = set[float]()
    for place, name in enumerate(made.takes.names):
        (row,) = made.worded[name]
        assert row.segment.take_id == name
        heading = heading_of(made.takes, place)
        # Margins of five frames may show a little of the neighbours; the act's own calm edges
        # are five frames each, of which a slow copy's smoothing takes three.
        assert heading[row.stop - 1] - heading[row.first] == pytest.approx(1.0, abs=0.25)
        seconds.add(round(row.segment.seconds, 2))
    assert len(seconds) > len(made.takes.names) / 3


def test_time_never_runs_back_and_shows_the_whole_act(worded: dict[str, list[Worded]]):
    dice = np.random.default_rng(5)
    for rows in worded.values():
        for row in rows:
            between = copied(row)
            if between is None:
                continue
            track = standing_track(row.stop + 29)
            times, before, after = copied_times(track, row, between, dice)
            assert (np.diff(times) >= 0).all()
            shown = times[before : len(times) - after]
            # Time changes its pace over seven frames: up to four of them are lost at an edge.
            assert shown[0] <= row.first + 4 and shown[-1] >= row.stop - 5
            most = between[1] * (row.stop - row.first) + 2 * LONGEST_REST_S * NATIVE_FPS
            assert len(shown) <= most + 2


def test_only_who_is_calm_may_rest(worded: dict[str, list[Worded]]):
    row = next(it for rows in worded.values() for it in rows if copied(it))
    walking = standing_track(row.stop + 29)
    walking[:, -2] = np.arange(len(walking)) * 1.1 / NATIVE_FPS
    assert not calm(walking, 7, 11) and calm(standing_track(31), 7, 11)
    for seed in range(17):
        times = [
            copied_times(track, row, (1.0, 1.0), np.random.default_rng(seed))[0]
            for track in (walking, standing_track(len(walking)))
        ]
        # At the pace of the take every step of time is one frame.
        inside = times[0][(times[0] > 0) & (times[0] < len(walking) - 1)]
        assert np.allclose(np.diff(inside), 1.0, atol=rounded64(len(times[0]), len(walking)))
        assert len(times[1]) >= len(times[0])
        if len(times[1]) > len(times[0]):
            assert np.diff(times[1]).min() <= REST_PACE * (1 + rounded64(400, len(walking)))


def test_states_and_unknown_acts_are_not_copied(worded: dict[str, list[Worded]]):
    row = next(it for rows in worded.values() for it in rows)
    for verb, between in (
        ("sit", None), ("sit down", (0.8, 1.35)), ("stand", None), ("stand up", (0.8, 1.35)),
        ("walk", None), ("turn around", (0.8, 1.9)), ("jump", (1.0, 1.0)),
    ):  # fmt: skip
        words = replace(row.words, caption=replace(row.words.caption, verb=verb))
        assert copied(replace(row, words=words)) == between


def test_curves_between_frames_pass_through_them_and_follow_parabolas():
    place = np.arange(13.0)
    track = np.stack([place**2 / 7, 3 - place], axis=1)
    assert np.array_equal(at_times(track, place), track)
    between = np.linspace(1, 11, 31)
    expected = np.stack([between**2 / 7, 3 - between], axis=1)
    assert np.allclose(at_times(track, between), expected, atol=rounded64(30, 60), rtol=0)


def test_joining_keeps_both(takes: TravelledTakes, worded: dict[str, list[Worded]]):
    made = paced_copies(takes, worded, seed=3, copies=1).takes
    both = joined(takes, made)
    assert both.names == (*takes.names, *made.names) and both.starts[-1] == len(both.tracks)
    last = len(both.names) - 1
    assert np.array_equal(both.tracks[both.starts[last] :], made.tracks[made.starts[-2] :])
    assert np.array_equal(both.tracks[: takes.starts[-1]], takes.tracks)


def test_every_copy_has_dice_of_its_own(takes: TravelledTakes, worded: dict[str, list[Worded]]):
    many, one = (paced_copies(takes, worded, seed=3, copies=it).takes for it in (3, 1))
    place = many.names.index(one.names[-1])
    assert np.array_equal(
        many.tracks[many.starts[place] : many.starts[place + 1]], one.tracks[one.starts[-2] :]
    )
    other = paced_copies(takes, worded, seed=4, copies=1).takes
    assert len(other.tracks) != len(one.tracks)


def test_windows_of_copies_show_one_act_each(
    takes: TravelledTakes, worded: dict[str, list[Worded]]
):
    made = paced_copies(takes, worded, seed=3, copies=1)
    recipe = recipe_of_copies(PeopleRecipe(), 211)
    windows = draw_people(made.worded, made.takes.grounds, recipe)
    assert len(windows) > 150
    for window in windows:
        assert len(window.segments) == 1 and "~" in window.take_id
        (row,) = made.worded[window.take_id]
        edge = round(recipe.jitter_s * NATIVE_FPS) + 1
        assert abs(window.first - row.first) <= edge and abs(window.stop - row.stop) <= edge
