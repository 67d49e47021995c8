"""Long films: what holds is heard in every window, what happens is heard once, in order."""

from collections import Counter
from dataclasses import replace
from itertools import pairwise

import pytest

from aesop.camera_words.attributes import CameraFacts, Step
from aesop.camera_words.term_lexicon import read_facts
from aesop.director import long_motion
from aesop.director.director import Director
from aesop.director.facts_filming import asked_in
from aesop.director.film_report import film_report
from aesop.director.long_motion import windows_of
from aesop.director.requests import FilmRequest
from aesop.director.sampling import CameraCondition
from aesop.director.scene_cameras import WINDOWS_HEAR
from aesop.director.window_facts import (
    STEP_OVERLAP_FRAMES,
    step_windows,
    window_facts,
    words_of_windows,
)
from aesop.models.codec import STRIDE
from tests.director.makers import walking
from tests.tolerances import FILMED32

LONG = (301, 431, 601, 1499)
SENTENCES = (
    "zoom in", "pan right, then zoom in", "push in, then pull out", "a dolly zoom",
    "truck left, then boom up, full shot", "the camera rolls", "fly past her", "a whip pan",
    "pan left, then truck right, then tilt up", "a wide shot, push in at the end",
)  # fmt: skip
STANDING = CameraFacts(
    size_start="medium", height="low", side="behind", lens="long-lens", dutch=True,
    grip="handheld", places=("left-third",),
)  # fmt: skip
ONCE = ("turn:", "lens:", "move:fly-past")


def facts_in(words: str) -> CameraFacts:
    asked = asked_in(words)
    assert asked is not None
    return asked.facts


@pytest.mark.parametrize("frames", (50, 300))
def test_one_window_hears_everything(frames: int):
    facts = facts_in("pan right, then zoom in")
    assert window_facts(facts, windows_of(frames)) == (facts,)


@pytest.mark.parametrize("frames", LONG)
@pytest.mark.parametrize("moves", ((), ("follow",), ("static",)))
def test_what_holds_throughout_is_heard_in_every_window(frames: int, moves: tuple[str, ...]):
    steps = (Step(moves=moves),) if moves else ()  # pyright: ignore[reportArgumentType]
    facts = replace(STANDING, steps=steps)
    for part in window_facts(facts, windows_of(frames)):
        assert part == facts


@pytest.mark.parametrize("frames", LONG)
@pytest.mark.parametrize("words", SENTENCES)
def test_what_ends_by_itself_is_heard_once_and_steps_keep_their_order(words: str, frames: int):
    facts = facts_in(words)
    parts = window_facts(facts, windows_of(frames), turning=None)
    asked = [name for step in facts.steps for name in step.names if not name.startswith("when:")]
    heard = [
        name
        for part in parts
        for step in part.steps
        for name in step.names
        if not name.startswith("when:") and name in asked
    ]
    counts = Counter(heard)
    assert set(counts) == set(asked), "everything is heard"
    assert all(counts[name] == 1 for name in asked if name.startswith(ONCE))
    first = {name: heard.index(name) for name in asked}
    last = {name: len(heard) - heard[::-1].index(name) for name in asked}
    for early, late in pairwise(facts.steps):
        before = [name for name in early.names if name in counts]
        after = [name for name in late.names if name in counts]
        assert max(first[name] for name in before) < min(first[name] for name in after)
        assert max(last[name] for name in before) <= min(last[name] for name in after)
    assert all(part.steps and part.steps[0].when is None for part in parts)


@pytest.mark.parametrize(("frames", "told"), [(431, "half"), (601, "quarter"), (1499, None)])
def test_a_circle_is_shared_and_goes_one_way(frames: int, told: str | None):
    for goes_left, side in ((True, "arc-left"), (False, "arc-right")):
        parts = window_facts(facts_in("orbit 360 degrees"), windows_of(frames), None, goes_left)
        assert {part.steps for part in parts} == {(Step(moves=(side,), extent=told),)}  # pyright: ignore[reportArgumentType]


def test_the_way_between_two_sizes_is_shared():
    facts = facts_in("pull out from a close-up to a wide shot")
    parts = window_facts(facts, windows_of(601))
    assert (parts[0].size_start, parts[-1].size_end) == ("close-up", "wide")
    for before, after in pairwise(parts):
        assert (before.size_end or before.size_start) == after.size_start


def test_a_start_that_a_step_changes_is_the_first_window_s():
    low = window_facts(facts_in("boom up from a low angle"), windows_of(601))
    assert [part.height for part in low] == ["low", None, None]
    close = window_facts(facts_in("a close-up, push in slowly"), windows_of(601))
    assert [part.size_start for part in close] == ["close-up", None, None]


def test_the_time_of_the_person_s_turn_is_the_step_s():
    facts = facts_in("push in as she turns")
    early, late = (
        [part.steps[-1].moves for part in window_facts(facts, windows_of(1499), turning=it)]
        for it in (40, 1200)
    )
    assert early[0] == ("push-in",) and late[0] == ("static",) and late[-1] == ("push-in",)


@pytest.mark.parametrize("words", ["The camera pushes in.", "follow her, handheld", "truck left"])
def test_one_thing_that_goes_on_is_heard_in_the_request_s_own_words(words: str):
    asked = asked_in(words)
    assert asked is not None
    assert words_of_windows(words, asked, walking(431), windows_of(431), goes_left=True) == ()


@pytest.mark.parametrize(
    ("words", "frames"),
    [("push in, then truck left", 211), ("pan left, then truck right, then tilt up", 263)],
)
def test_a_step_has_a_window_of_its_own(words: str, frames: int):
    asked = asked_in(words)
    assert asked is not None
    windows, steps = step_windows(asked, walking(frames)), asked.facts.steps
    assert windows[0].start == 0 and windows[-1].stop == frames and len(windows) == len(steps)
    for number, (before, after) in enumerate(pairwise(windows), start=1):
        assert before.stop - after.start == STEP_OVERLAP_FRAMES and after.start % STRIDE == 0
        # The step begins in the middle of the overlap, to a token.
        middle = after.start + STEP_OVERLAP_FRAMES / 2
        assert abs(middle - frames * number / len(steps)) <= STRIDE
    parts = window_facts(asked.facts, windows)
    assert [part.steps for part in parts] == [(replace(step, when=None),) for step in steps]


@pytest.mark.parametrize(("words", "frames"), [("push in", 211), ("push in, then truck left", 113)])
def test_one_step_or_too_little_time_has_no_windows_of_its_own(words: str, frames: int):
    asked = asked_in(words)
    assert asked is not None and step_windows(asked, walking(frames)) == ()


def test_steps_are_filmed_one_by_one_where_words_are_heard_plainly(director: Director):
    words, clip = "the camera trucks right, then pushes in", walking(131)
    shown = director.film(clip, words, seed=0, finish="best-take")
    assert "2 overlapping windows" in shown.provenance.notes
    (hears,) = [note for note in shown.provenance.notes if note.startswith(WINDOWS_HEAR)]
    assert hears.count(" | ") == 1
    for finish in ("as-sampled", "consistent"):
        alone = director.film(clip, words, seed=0, finish=finish)
        assert not any("windows" in note for note in alone.provenance.notes)


def test_a_film_in_steps_is_the_same_beside_other_films_of_the_same_motion(director: Director):
    """Its windows show other parts of the motion than those of a film in one step."""
    clip = walking(131)
    steps = FilmRequest(clip, "the camera trucks right, then pushes in", seed=0)
    others = [FilmRequest(clip, words, seed=0) for words in ("push in", "truck left")]
    (alone,) = director.film_many([steps])
    for together in ([*others, steps], [steps, *others]):
        shots = Director(director.parts, largest_batch=64).film_many(together)
        shown = shots[together.index(steps)]
        assert float((alone.camera.centre - shown.camera.centre).abs().max()) < FILMED32
        assert alone.provenance.notes == shown.provenance.notes


def test_windows_are_told_their_words_and_the_shot_says_so(
    director: Director, monkeypatch: pytest.MonkeyPatch
):
    heard: list[int] = []
    real = long_motion.film_people

    def watched(parts: object, people: object, conditions: list[CameraCondition], *more: object):
        heard.append(len(conditions[0].words.tokens))
        return real(parts, people, conditions, *more)  # pyright: ignore[reportArgumentType]

    monkeypatch.setattr(long_motion, "film_people", watched)
    words = "a low angle, pan right, then zoom in and then pull out"
    shot = director.film(walking(601), words, seed=3)
    (note,) = [it for it in shot.provenance.notes if it.startswith(WINDOWS_HEAR)]
    told = note.removeprefix(WINDOWS_HEAR).split(" | ")
    # The tests' encoder makes one token of every word.
    assert heard[:3] == [len(text.split()) for text in told]
    assert [set(read_facts(text).facts.names) >= {"height:low"} for text in told] == [True] * 3
    assert note in film_report(shot).settings
    heard.clear()
    director.film(walking(601), words, seed=3, finish="as-sampled")
    assert heard == [len(words.split())] * 3, "as sampled, every window hears all words"
