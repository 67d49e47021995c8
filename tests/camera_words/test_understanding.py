"""The reader of anybody's camera words."""

import pytest
import torch

from aesop.camera_words.attributes import CameraFacts, Step
from aesop.camera_words.reader_network import ReaderCard
from aesop.camera_words.understanding import (
    ABOUT_CAMERA,
    WordReader,
    clauses_of,
    likely_values,
    load_reader,
    read_clauses,
    read_values,
    reader_values,
    rival_groups,
)
from tests.tolerances import rounded32


@pytest.fixture(scope="module")
def reader() -> WordReader:
    return load_reader()


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
        ("a close-up", CameraFacts(size_start="close-up")),
        ("from a low angle", CameraFacts(height="low")),
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


def test_every_value_has_its_group_of_rivals() -> None:
    grouped = [name for group in rival_groups() for name in group]
    assert len(grouped) == len(set(grouped))
    assert {*grouped, ABOUT_CAMERA} == set(reader_values())


def test_of_rivals_the_likeliest_is_read_and_stricter_cards_read_less() -> None:
    values = reader_values()
    chances = torch.rand(len(values), generator=torch.Generator().manual_seed(11)).tolist()
    likely = likely_values(chances, values)
    chance_of = dict(zip(values, chances, strict=True))
    for group, best in zip(rival_groups(), likely, strict=True):
        assert best.name in group
        assert best.chance == max(chance_of[name] for name in group) <= best.asked + 1e-9  # one ulp
    read = [
        {it.name for it in read_values(likely, ReaderCard(values, 1.0, least, least, 0.5))}
        for least in (0.2, 0.5, 0.8, 1.01)
    ]
    assert len(read[1]) > len(read[2]) > len(read[3]) == 0
    standing = [{name for name in some if name.startswith(("size:", "side:"))} for some in read]
    assert standing[0] >= standing[1] >= standing[2]


def test_rest_gives_way_to_a_surer_movement_and_an_extent_needs_a_way_around() -> None:
    values = reader_values()
    card = ReaderCard(values, 1.0, 0.5, 0.5, 0.5)

    def said(**chances: float) -> set[str]:
        named = {name.replace("_", ":", 1).replace("_", "-"): it for name, it in chances.items()}
        row = [named.get(name, 0.0) for name in values]
        return {value.name for value in read_values(likely_values(row, values), card)}

    assert said(move_static=0.6, move_push_in=0.9) == {"move:push-in"}
    assert said(move_static=0.9, move_push_in=0.6) == {"move:static"}
    assert said(move_static=0.9, turn_pan_left=0.6) == {"move:static", "turn:pan-left"}
    assert said(extent_half=0.9) == set()
    assert said(extent_half=0.9, move_orbit=0.7) == {"extent:half", "move:orbit"}


def test_confidence_is_a_probability_over_the_threshold(reader: WordReader) -> None:
    assert reader.card.values == reader_values()
    for value in reader.understand("orbit her slowly, handheld, from behind").values:
        assert reader.card.least_value <= value.confidence <= 1


def test_where_nothing_is_sure_the_likeliest_value_is_read_if_it_may_come_first() -> None:
    values = reader_values()

    def said(least_first: float, **chances: float) -> list[set[str]]:
        card = ReaderCard(values, 1.0, 0.8, 0.3, 0.5, least_first=least_first)
        named = {name.replace("_", ":", 1).replace("_", "-"): it for name, it in chances.items()}
        clauses = [likely_values([named.get(name, 0.0) for name in values], values)]
        clauses.append(likely_values([0.0] * len(values), values))
        return [{value.name for value in some} for some in read_clauses(clauses, card)]

    assert said(0.5, size_full=0.6, height_low=0.55) == [{"size:full"}, set()]
    assert said(0.7, size_full=0.6, height_low=0.55) == [set(), set()]
    assert said(0.5, size_full=0.9, height_low=0.55) == [{"size:full"}, set()]
    assert said(0.5, extent_half=0.9) == [set(), set()]
    assert said(1.0, size_full=0.79) == [set(), set()]


def test_a_value_is_as_likely_as_where_it_is_said_most_plainly(reader: WordReader) -> None:
    """A list may drown what a piece of it says; a size counts wherever it stands."""
    together = reader.chances("something of everything, a close-up, from behind")
    for words, name in (("a close-up", "size:close-up"), ("from behind", "side:behind")):
        alone = reader.probabilities([words])[0, reader.card.values.index(name)]
        assert together[name] >= float(alone) - rounded32(1, 1.0)
    ending = reader.chances("and it ends on a close-up")
    assert ending["size:close-up"] >= ending["size:close-up@end"] > 0.5
