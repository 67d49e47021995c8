"""What somebody on a set types, and what it must be read as."""

from pathlib import Path

import pytest

from aesop.camera_words.attributes import CameraFacts
from aesop.director.facts_filming import read_request
from aesop.director.requests import RequestError

FILE = Path(__file__).with_name("set_sentences.tsv")
ROWS = [line.split("\t") for line in FILE.read_text(encoding="utf-8").splitlines()[1:]]


def reading(facts: CameraFacts) -> set[str]:
    """Names of all values; a size at the end is marked."""
    names = {name for name in facts.names if not name.startswith("size:")}
    names |= {f"size:{facts.size_start}"} if facts.size_start else set()
    return names | ({f"size:{facts.size_end}@end"} if facts.size_end else set())


def test_there_are_enough_of_them() -> None:
    assert len(ROWS) >= 150
    assert len({text for text, _ in ROWS}) == len(ROWS)


@pytest.mark.parametrize(("text", "asked"), ROWS)
def test_what_is_said_on_a_set_is_read(text: str, asked: str) -> None:
    assert reading(read_request(text).facts) == set(asked.split())


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("over his shoulder of her", "second person"),
        ("rack focus to the door", "focus"),
        ("cut to a close-up", "cuts"),
        ("push in in slow motion", "time"),
        ("fade to black", "transitions"),
        ("her point of view", "somebody's eyes"),
    ],
)
def test_what_no_camera_path_can_do_is_named_in_the_refusal(text: str, named: str) -> None:
    with pytest.raises(RequestError, match=named):
        read_request(text)


@pytest.mark.parametrize(
    "text", ["asdf qwer zxcv", "la caméra avance vers elle", "die Kamera fährt heran", "zwei Eier"]
)
def test_gibberish_and_other_languages_are_refused(text: str) -> None:
    with pytest.raises(RequestError, match="understood"):
        read_request(text)


def test_plain_terms_stand_beside_what_only_the_reader_knows() -> None:
    asked = read_request("a close-up, as if from a security camera")
    assert reading(asked.facts) == {"size:close-up", "height:high"}
    assert 0 < asked.confidence <= 1
    with pytest.raises(RequestError):
        read_request("not a close-up, as asdf qwer")
