"""docs/words.md tells the truth: all values, a picture each, and wordings that are read so."""

import re
from pathlib import Path

import pytest

from aesop.camera_words.attributes import ATTRIBUTES, VOCABULARY
from aesop.camera_words.timed_words import timed_clauses
from aesop.camera_words.understanding import WordReader, load_reader

PAGE = Path(__file__).resolve().parents[2] / "docs" / "words.md"
TEXT = PAGE.read_text(encoding="utf-8")
ROWS = re.findall(r"^\| \*\*([\w-]+)\*\* \| (.+?) \| (.+) \|$", TEXT, re.MULTILINE)
MOST_BYTES = 1_500_000


@pytest.fixture(scope="module")
def reader() -> WordReader:
    return load_reader()


def test_every_value_is_told_and_shown() -> None:
    told = [(value, definition) for value, definition, _ in ROWS]
    assert told == [(value.value, value.definition) for value in VOCABULARY]
    pictures = [PAGE.parent / path for path in re.findall(r"!\[\w+\]\(([^)]+)\)", TEXT)]
    assert [path.stem for path in pictures] == [f"words_{attribute}" for attribute in ATTRIBUTES]
    assert sum(path.stat().st_size for path in pictures) <= MOST_BYTES


def test_examples_of_times_have_times() -> None:
    rows = TEXT.partition("## When, in seconds")[2].partition("Steps without")[0]
    examples = re.findall("“(.+?)”", rows)
    assert len(examples) >= 10
    assert [text for text in examples if not timed_clauses(text)] == []


def test_examples_are_read_as_the_page_says(reader: WordReader) -> None:
    wrong: list[str] = []
    for value, (_, _, examples) in zip(VOCABULARY, ROWS, strict=True):
        said = re.findall("“(.+?)”", examples)
        assert len(said) >= 2, value.name
        for text in said if value.attribute != "when" else ():
            names = {it.name for it in reader.understand(text).values}
            wrong += [] if value.name in names else [f"{value.name}: {text}"]
    assert wrong == []
