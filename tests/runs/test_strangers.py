"""Requests of strangers: how they are written down, and how what is read in them is counted."""

import re
from pathlib import Path
from typing import Any

import pytest

from aesop.camera_words.phrase_bank import check_fact, natural_requests, phrase_bank
from tests.runs.scripts import script

HEADER = "part\tvalues\twords"


@pytest.fixture(scope="module")
def strangers() -> Any:
    return script("strangers")


def test_all_that_is_asked_for_can_be_asked_for(strangers: Any):
    requests = strangers.stranger_requests()
    names = {name for it in requests for one in (*it.asked, it.allowed) for name in one}
    for name in names:
        check_fact(name)
    assert {it.part for it in requests} == set(strangers.PARTS)
    assert len({it.words.lower() for it in requests}) == len(requests)


def test_readers_are_taught_none_of_them(strangers: Any):
    taught = {plain(it.text) for it in (*natural_requests(), *phrase_bank())}
    asked = [it.words for it in strangers.stranger_requests() if it.part != "open" and it.asked]
    # What everybody says ("a dutch angle") may stand in both.
    assert not [words for words in asked if len(words.split()) > 4 and plain(words) in taught]


def plain(text: str) -> tuple[str, ...]:
    return tuple(re.findall(r"[a-z0-9']+", text.lower()))


def test_either_reading_is_right_and_what_is_in_brackets_is_nobodys_fault(
    strangers: Any, tmp_path: Path
):
    rows = [
        "open\tsize:wide move:static/grip:locked-off\tone",
        "open\tsize:wide (pace:slowly)\ttwo",
        "open\tmove:push-in\tthree",
        "open\t\tfour",
        "open\t\tfive",
    ]
    path = tmp_path / "requests.tsv"
    path.write_text("\n".join([HEADER, *rows]) + "\n", encoding="utf-8")
    read = {
        "one": {"size:wide", "grip:locked-off"},
        "two": {"size:wide", "pace:slowly", "when:then", "height:low"},
        "three": set[str](),
        "four": {"size:full"},
        "five": set[str](),
    }
    found = strangers.measured(
        strangers.stranger_requests(path), lambda words: frozenset(read[words]), shows=False
    )
    assert found == strangers.RequestsRead(
        requests=3, values=4, right=3 / 4, unasked=1, exactly=1 / 3, nothing=1,
        other_topics=2, other_topics_read=1,
    )  # fmt: skip
