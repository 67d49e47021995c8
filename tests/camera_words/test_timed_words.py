"""Times are found in words and taken out of them; what is no time stays where it is."""

from pathlib import Path

import pytest

from aesop.camera_words.phrase_bank import phrase_bank
from aesop.camera_words.step_times import Instant, SpokenTime
from aesop.camera_words.timed_words import seconds_in, timed_clauses, without_times

SET_SENTENCES = Path(__file__).with_name("set_sentences.tsv")
REQUESTS = SET_SENTENCES.parents[2] / "src/aesop/camera_words/natural_requests.tsv"
# Every phrase and request that was written without times in mind, and names one all the same.
TIMED = {
    "can we hit the 0.5 button midway through the clip?", "EWS > MS zoom in, 10 sec, slow",
}  # fmt: skip
SENTENCES: list[tuple[str, list[tuple[str, str]]]] = [
    ("hold still for two seconds, then push in", [("hold still", "for 2 s"), ("push in", "")]),
    (
        "push in for the first 3 seconds then arc left",
        [("push in", "from 0 s to 3 s"), ("arc left", "")],
    ),
    ("after 2s pan right", [("pan right", "after 2 s")]),
    ("static until 4 s, then pull out", [("static", "until 4 s"), ("pull out", "")]),
    ("wait a second, then truck left", [("wait", "for 1 s"), ("truck left", "")]),
    (
        "0-3s: wide static, 3s-6s: push in",
        [("wide static", "from 0 s to 3 s"), ("push in", "from 3 s to 6 s")],
    ),
    (
        "0:00\u20130:03 static\n0:03-0:06 push in",
        [("static", "from 0 s to 3 s"), ("push in", "from 3 s to 6 s")],
    ),
    ("at 0:04 pull out", [("pull out", "from 4 s")]),
    ("for the last two seconds hold", [("hold", "for the last 2 s")]),
    ("halfway through, push in", [("push in", "from 50% of the shot")]),
    (
        "first half static, second half arc right",
        [("static", "from 0 s to 50% of the shot"), ("arc right", "from 50% of the shot")],
    ),
    ("push in over 4 seconds", [("push in", "for 4 s")]),
    ("push in 3s, arc left 3s", [("push in", "for 3 s"), ("arc left", "for 3 s")]),
    ("after two seconds push in for 3 seconds", [("push in", "after 2 s for 3 s")]),
    ("push in for 3 s starting at 2 s", [("push in", "from 2 s for 3 s")]),
    ("push in after two seconds slowly", [("push in, slowly", "after 2 s")]),
    ("stay put for 3 seconds before pulling back", [("stay put", "for 3 s"), ("pulling back", "")]),
    ("push in, two seconds later pan right", [("push in", ""), ("pan right", "after 2 s")]),
    ("after two seconds, then push in", [("push in", "after 2 s")]),
    ("two-second hold -> push in", [("hold", "for 2 s"), ("push in", "")]),
    ("1) hold 2s 2) push in", [("hold", "for 2 s"), ("push in", "")]),
    ("Push in (2s), arc left [3s]", [("Push in", "for 2 s"), ("arc left", "for 3 s")]),
    ("push in for 2 to 3 seconds, then hold", [("push in", "for 2.5 s"), ("hold", "")]),
    ("static, push in for the last 3 seconds", [("static", ""), ("push in", "for the last 3 s")]),
    (
        "wide shot, push in for 3 seconds, handheld, then arc left",
        [("wide shot, push in, handheld", "for 3 s"), ("arc left", "")],
    ),
    (
        "Start wide and hold. At 3 seconds push in.",
        [("Start wide, hold", ""), ("push in", "from 3 s")],
    ),
]
NO_TIMES = (
    "35mm, 180 degrees around her", "push in at 50 %", "one shot, 2.39:1, at 24 fps",
    "9:16 push in",
    "a second push in", "pan right at 30 degrees per second", "crash zoom, 70s kung fu style",
    "go halfway around her", "a quarter circle, then push in", "the left third, head room",
    "push in every two seconds", "like the first half of a mugshot", "zoom from 24 mm to 70 mm",
    "hold for a few seconds, then push in", "in the last second we get the smile",
    "from the second floor", "push in, then pan left", "it takes less than 2 seconds",
)  # fmt: skip


@pytest.mark.parametrize(("words", "steps"), SENTENCES)
def test_times_go_to_the_step_that_they_are_said_of(words: str, steps: list[tuple[str, str]]):
    assert [(clause.words, clause.time.text) for clause in timed_clauses(words)] == steps


@pytest.mark.parametrize(
    "time",
    [
        SpokenTime(lasting_s=2.5),
        SpokenTime(start=Instant(3.0)),
        SpokenTime(start=Instant(2.0), stop=Instant(5.5)),
        SpokenTime(stop=Instant(4.0)),
        SpokenTime(after_s=2.0),
        SpokenTime(start=Instant(1.0), lasting_s=3.0),
        SpokenTime(start=Instant(-3.0, 1.0), stop=Instant(0.0, 1.0)),
    ],
)
def test_a_time_that_is_told_is_read_back(time: SpokenTime):
    for words in (f"push in {time.text}", f"{time.text} push in", f"{time.text}, push in"):
        (clause,) = timed_clauses(words)
        assert clause.time == time and clause.words == "push in"


@pytest.mark.parametrize("words", NO_TIMES)
def test_what_is_no_time_stays_as_it_was_typed(words: str):
    assert timed_clauses(words) == () and without_times(words) is words


def test_phrases_and_requests_of_people_name_no_times():
    rows = [line.split("\t")[0] for line in SET_SENTENCES.read_text("utf-8").splitlines()]
    rows += [line.split("\t")[-1] for line in REQUESTS.read_text("utf-8").splitlines()]
    rows += [phrase.text for phrase in phrase_bank()]
    assert len(rows) > 15_000
    assert {row for row in rows if timed_clauses(row)} == TIMED


@pytest.mark.parametrize(("words", "steps"), SENTENCES)
def test_words_without_their_times_have_none(words: str, steps: list[tuple[str, str]]):
    left = without_times(words)
    assert timed_clauses(left) == () and left == ", then ".join(text for text, _ in steps)


@pytest.mark.parametrize(
    ("text", "seconds"),
    [("2s", 2), ("3.5 sec", 3.5), ("0:04", 4), ("1:02", 62), ("two seconds", 2),
     ("half a second", 0.5), ("a couple of seconds", 2), ("one and a half seconds", 1.5),
     ("second", 1)],
)  # fmt: skip
def test_seconds_in_all_ways_of_writing_them(text: str, seconds: float):
    assert seconds_in(text) == seconds


@pytest.mark.parametrize("words", ["wait", "hold", "the camera holds still", "start by waiting"])
def test_waiting_is_a_rest(words: str):
    assert timed_clauses(f"{words} for 2 seconds, then push in")[0].is_rest
    assert not timed_clauses("push in for 2 seconds")[0].is_rest
