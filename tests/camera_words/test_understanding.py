"""The reader of anybody's camera words."""

import pytest
import torch

from aesop.camera_words.attributes import CameraFacts, Step
from aesop.camera_words.understanding import (
    ValueReader,
    WordReader,
    clauses_of,
    load_reader,
    reader_values,
)
from tests.tolerances import network32


@pytest.fixture(scope="module")
def reader() -> WordReader:
    return load_reader()


def test_padding_cannot_reach_the_scores() -> None:
    torch.manual_seed(5)
    network = ValueReader(width=7, values=11, hidden=13).eval()
    tokens = torch.randn(3, 5, 7)
    mask = torch.arange(5) < torch.tensor([5, 3, 2])[:, None]
    scores = network(tokens, mask)
    tokens[1, 3:], tokens[2, 2:] = 17.0, -19.0
    assert torch.equal(network(tokens, mask), scores)
    alone = network(tokens[2:, :2], mask[2:, :2])
    torch.testing.assert_close(alone[0], scores[2], rtol=0, atol=network32(1, 13, 4.0))


@pytest.mark.parametrize(
    ("text", "clauses"),
    [
        ("push in", [(None, "push in")]),
        ("Push in, then pan left.", [(None, "push in"), ("then", "pan left")]),
        ("truck right before pulling out", [(None, "truck right"), ("then", "pulling out")]),
        ("hold still and push in at the end", [(None, "hold still and push in")]),
        ("hold still; at the end push in", [(None, "hold still"), ("at-the-end", "push in")]),
        ("as she turns, arc left", [("as-she-turns", "arc left")]),
        (
            "first rise, after that orbit, finally zoom in",
            [(None, "rise"), ("then", "orbit"), ("at-the-end", "zoom in")],
        ),
    ],
)
def test_words_of_time_cut_a_sentence(text: str, clauses: list[tuple[str | None, str]]) -> None:
    if text.endswith("at the end"):
        assert clauses_of(text) == [("at-the-end", clauses[0][1])]
    else:
        assert clauses_of(text) == clauses


@pytest.mark.parametrize(
    ("text", "facts"),
    [
        ("a close-up from a low angle", CameraFacts(size_start="close-up", height="low")),
        ("push in", CameraFacts(steps=(Step(moves=("push-in",)),))),
        ("pan left", CameraFacts(steps=(Step(turns=("pan-left",)),))),
        ("zoom in", CameraFacts(steps=(Step(zoom="zoom-in"),))),
        ("handheld", CameraFacts(grip="handheld")),
        ("a bird's eye view", CameraFacts(height="overhead")),
        (
            "truck left, then pull out",
            CameraFacts(
                steps=(Step(moves=("truck-left",)), Step(moves=("pull-out",), when="then"))
            ),
        ),
        ("from a wide shot to a close-up", CameraFacts(size_start="wide", size_end="close-up")),
        ("a dutch angle", CameraFacts(dutch=True)),
    ],
)
def test_terms_of_the_trade_are_read(reader: WordReader, text: str, facts: CameraFacts) -> None:
    assert reader.understand(text).facts == facts


@pytest.mark.parametrize("text", ["asdf qwer zxcv", "two eggs and a pinch of salt", "lorem ipsum"])
def test_what_is_about_something_else_is_not_understood(reader: WordReader, text: str) -> None:
    assert not reader.understand(text).is_understood


def test_what_no_camera_path_can_do_is_named(reader: WordReader) -> None:
    understanding = reader.understand("push in, then cut to a close-up and rack focus")
    assert understanding.beyond == ("cuts", "focus")
    assert "move:push-in" in understanding.facts.names


def test_confidence_is_a_probability_over_every_threshold(reader: WordReader) -> None:
    assert reader.card.values == reader_values()
    for value in reader.understand("orbit her slowly, handheld, from behind").values:
        least = reader.card.thresholds[reader.card.values.index(value.name)]
        assert least <= value.confidence <= 1
