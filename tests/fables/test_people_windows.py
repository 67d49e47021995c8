"""Windows drawn from segments: what they may show, who is in them, and that dice decide alone."""

import re
from collections import Counter
from dataclasses import replace

import numpy as np
import pytest

from aesop.camera_words.vocabulary import mirror_caption
from aesop.fables.motion_sets import read_set_takes
from aesop.fables.people_windows import (
    LEAST_SHOWN,
    LONGEST_FRAMES,
    SHORTEST_END_FRAMES,
    SHORTEST_FRAMES,
    PeopleRecipe,
    PeopleWindow,
    TakeGround,
    Worded,
    allot,
    draw_people,
    draw_take,
    shown_share,
    takes_of_split,
    worded_segments,
)
from aesop.fables.segment_captions import read_segment_captions
from aesop.fables.segment_table import read_segments
from aesop.fables.takes import SPLITS
from aesop.scene.human import NATIVE_FPS

RECIPE = PeopleRecipe(windows=1_201)


@pytest.fixture(scope="module")
def worded() -> dict[str, list[Worded]]:
    """Every seventeenth take that ships with words."""
    every = worded_segments(read_segments(), read_segment_captions())
    return {name: every[name] for name in sorted(every)[::17]}


def grounds(worded: dict[str, list[Worded]]) -> dict[str, TakeGround]:
    """Takes without glitches on level ground."""
    frames = {name: max(row.stop for row in rows) + 11 for name, rows in worded.items()}
    return {name: TakeGround(np.zeros(it, bool), np.zeros(it)) for name, it in frames.items()}


@pytest.fixture(scope="module")
def windows(worded: dict[str, list[Worded]]) -> list[PeopleWindow]:
    return draw_people(worded, grounds(worded), RECIPE)


def test_a_window_shows_its_segments_and_hardly_anything_else(
    windows: list[PeopleWindow], worded: dict[str, list[Worded]]
):
    row_of = {row.segment.id: row for rows in worded.values() for row in rows}
    jitter = RECIPE.jitter_s * NATIVE_FPS + 1
    for window in windows:
        assert SHORTEST_FRAMES <= window.frames <= LONGEST_FRAMES
        shown = [row_of[id_] for id_ in window.segments]
        assert all(row.segment.take_id == window.take_id for row in shown)
        numbers = [row.number for row in shown]
        assert numbers == list(range(numbers[0], numbers[0] + len(numbers)))
        # A window of the shortest length may need frames beside a segment of one second.
        room = max(jitter, SHORTEST_FRAMES / 2)
        assert window.first >= shown[0].first - room and window.stop <= shown[-1].stop + room
        for row in shown:
            inside = min(window.stop, row.stop) - max(window.first, row.first)
            much = shown_share(row, window.first, window.stop) > 1 - 2 * jitter / (
                row.stop - row.first
            )
            assert much or (row.is_even and inside >= SHORTEST_END_FRAMES - 2 * jitter)


def test_what_is_shown_in_part_is_not_counted(
    windows: list[PeopleWindow], worded: dict[str, list[Worded]]
):
    row_of = {row.segment.id: row for rows in worded.values() for row in rows}
    parts = [
        window
        for window in windows
        if len(window.segments) == 1
        and shown_share(row_of[window.segments[0]], window.first, window.stop) < LEAST_SHOWN
    ]
    assert len(parts) > 50
    counted = re.compile(r"\b(two|three|four|five|six|seven|eight|times|twice|once|then)\b")
    said = [text for window in parts for text in window.captions if counted.search(text)]
    assert not said


def test_written_words_are_those_of_the_segments_inside(
    windows: list[PeopleWindow], worded: dict[str, list[Worded]]
):
    owner: dict[str, set[str]] = {}
    for rows in worded.values():
        for row in rows:
            for sentence in row.words.caption.sentences:
                owner.setdefault(sentence, set()).add(row.segment.id)
    checked = 0
    for window in windows:
        for text in window.captions:
            plain = mirror_caption(text) if window.mirrored else text
            if plain in owner and len(plain.split()) > 6:  # short ones are said plainly too
                assert owner[plain] & set(window.segments)
                checked += 1
    assert checked > 300


def test_mirrored_windows_carry_mirrored_words(worded: dict[str, list[Worded]]):
    """Somebody who turns left in the facts turns left in the words, and right in the mirror."""
    told = Counter[str]()
    side = re.compile(r"\bturn(?:s|ing)? (?:around )?(?:to the )?(left|right)\b")
    for name, rows in worded.items():
        turns = [row for row in rows if row.words.caption.verb in ("turn", "turn around")]
        counts = {row.segment.id: 7 for row in turns if abs(row.segment.facts.turn_deg) > 60}
        alone = replace(RECIPE, run_share=0.0)
        for window in draw_take(rows, grounds(worded)[name], counts, alone):
            (row,) = (it for it in rows if it.segment.id == window.segments[0])
            goes_left = (row.segment.facts.turn_deg > 0) != window.mirrored
            for text in window.captions[3:]:  # plain ones
                for match in side.finditer(text):
                    told[match[1]] += 1
                    assert match[1] == ("left" if goes_left else "right"), (window, text)
    assert min(told["left"], told["right"]) > 20


def test_performers_never_cross_splits():
    takes = read_set_takes()
    ids = {split: takes_of_split(takes, split) for split in SPLITS}
    who = {
        split: {
            # CMU's performers have the same numbers in both of its sets.
            (take.set_name.replace("cmu_more", "cmu"), take.performer)
            for take in takes
            if take.id in ids[split]
        }
        for split in SPLITS
    }
    assert all(who.values())
    assert not who["train"] & who["validation"] and not who["train"] & who["test"]
    assert not who["validation"] & who["test"]
    assert {name for name, _ in who["validation"] | who["test"]} == {"cmu"}


def test_dice_alone_decide(worded: dict[str, list[Worded]], windows: list[PeopleWindow]):
    """Neither the order of the takes nor the number of processes; another seed draws others."""
    backwards = dict(reversed(worded.items()))
    again = draw_people(backwards, grounds(worded), RECIPE, workers=2)
    assert again == windows
    other = draw_people(worded, grounds(worded), replace(RECIPE, seed=5))
    assert len({w.name for w in other} & {w.name for w in windows}) < len(windows) / 5


def test_nobody_is_shown_in_frames_with_a_glitch(worded: dict[str, list[Worded]]):
    clean = grounds(worded)
    torn = {}
    for name, ground in clean.items():
        is_bad = ground.is_bad.copy()
        is_bad[ground.frames // 3] = True
        step = np.zeros(ground.frames)
        step[ground.frames * 2 // 3 :] = 0.5  # somebody stands on something
        torn[name] = TakeGround(is_bad, step)
    drawn = draw_people(worded, torn, RECIPE)
    assert 0 < len(drawn) < RECIPE.windows
    for window in drawn:
        frames = torn[window.take_id].frames
        assert not window.first <= frames // 3 < window.stop
        assert not window.first < frames * 2 // 3 < window.stop


def test_rare_and_everyday_actions_are_seen_more_often(worded: dict[str, list[Worded]]):
    even = replace(RECIPE, windows=20_011, rarity=0.0, everyday=1.0, common=5)
    known = Counter(row.verb for rows in worded.values() for row in rows)

    def share(recipe: PeopleRecipe, verbs: set[str]) -> float:
        counts = allot(worded, recipe)
        assert sum(counts.values()) == recipe.windows
        rows = [row for rows in worded.values() for row in rows if row.verb in verbs]
        return sum(counts[row.segment.id] for row in rows) / recipe.windows

    rare = {verb for verb, count in known.items() if count <= 3}
    by_number = sum(known[verb] for verb in rare) / sum(known.values())
    assert share(even, rare) == pytest.approx(by_number, rel=0.02)  # counts are rounded
    some, more = (share(replace(even, rarity=it), rare) for it in (0.3, 0.7))
    assert by_number * 1.1 < some < more
    sits = share(replace(even, everyday=3.0), {"sit"})
    assert sits > 1.3 * share(even, {"sit"})  # half of all are everyday actions
