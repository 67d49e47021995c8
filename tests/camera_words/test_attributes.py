"""The closed vocabulary: reversals and mirrors undo themselves, and facts survive being written."""

from itertools import combinations

import pytest

from aesop.camera_words.attributes import (
    ATTRIBUTES,
    INTENSITY_OF,
    VOCABULARY,
    CameraFacts,
    Step,
    VocabularyError,
    attribute_value,
    facts_of,
    joined_facts,
    kept_facts,
    mirrored_facts,
    reversed_facts,
    values_of,
)

SHOTS = (
    CameraFacts(),
    CameraFacts(size_start="wide", size_end="close-up", steps=(Step(moves=("push-in",)),)),
    CameraFacts(
        size_start="medium",
        height="low",
        side="profile-left",
        lens="wide-angle",
        dutch=True,
        steps=(
            Step(moves=("arc-left", "boom-up"), extent="half"),
            Step(turns=("pan-left", "tilt-down"), zoom="zoom-in", when="as-she-turns"),
            Step(moves=("follow",), when="at-the-end"),
        ),
        grip="handheld",
        places=("left-third", "head-room"),
        pace="slowly",
    ),
    CameraFacts(steps=(Step(moves=("lead",), zoom="dolly-zoom"), Step(("static",), when="then"))),
)


@pytest.mark.parametrize("facts", SHOTS)
def test_reversals_and_mirrors_undo_themselves(facts: CameraFacts):
    assert reversed_facts(reversed_facts(facts)) == facts
    assert mirrored_facts(mirrored_facts(facts)) == facts
    assert mirrored_facts(reversed_facts(facts)) == reversed_facts(mirrored_facts(facts))


def test_every_value_returns_after_two_reversals_and_two_mirrors():
    for value in VOCABULARY:
        there = attribute_value(f"{value.attribute}:{value.reversed_value}")
        assert there.reversed_value == value.value
        there = attribute_value(f"{value.attribute}:{value.mirrored_value}")
        assert there.mirrored_value == value.value


def test_a_mirror_exchanges_left_and_right_and_nothing_else():
    for value in VOCABULARY:
        exchanged = value.value.replace("left", "#").replace("right", "left").replace("#", "right")
        assert value.mirrored_value == exchanged


def test_a_reversed_twin_goes_the_other_way_and_stands_in_the_same_place():
    twin = reversed_facts(SHOTS[2])
    assert twin.steps[0].moves == ("arc-right", "boom-down")
    assert twin.steps[1].turns == ("pan-right", "tilt-up")
    assert twin.steps[1].zoom == "zoom-out"
    assert (twin.side, twin.height, twin.places) == ("profile-left", "low", SHOTS[2].places)
    assert reversed_facts(SHOTS[1]).size_start == "close-up"


@pytest.mark.parametrize("facts", SHOTS)
def test_facts_survive_being_written_as_values(facts: CameraFacts):
    assert facts_of(attribute_value(name) for name in facts.names) == facts


def test_names_are_unique_and_every_attribute_has_values():
    names = [value.name for value in VOCABULARY]
    assert len(set(names)) == len(names)
    assert {value.attribute for value in VOCABULARY} == set(ATTRIBUTES)
    assert all(value.definition for value in VOCABULARY)
    assert set(INTENSITY_OF) == set(values_of("pace"))


def test_values_that_exclude_each_other_are_refused():
    with pytest.raises(VocabularyError, match="cannot happen at once"):
        facts_of(map(attribute_value, ("move:push-in", "move:pull-out")))
    for one, other in combinations(values_of("height"), 2):
        with pytest.raises(VocabularyError, match="cannot be both"):
            facts_of(map(attribute_value, (f"height:{one}", f"height:{other}")))
    with pytest.raises(VocabularyError, match="no camera attribute"):
        attribute_value("size:huge")
    many = ("move:push-in", *("when:then", "turn:pan-left") * 3)
    with pytest.raises(VocabularyError, match="too many"):
        facts_of(map(attribute_value, many))


def test_facts_with_an_extent_leave_nothing_to_intensity():
    assert SHOTS[1].has_extent
    assert SHOTS[2].has_extent
    assert not SHOTS[3].has_extent
    assert not CameraFacts(size_start="medium", size_end="medium").has_extent


def test_what_is_sure_wins_and_nothing_is_lost() -> None:
    push, rise = Step(moves=("push-in",)), Step(moves=("boom-up",))
    sure = CameraFacts(size_start="wide", grip="handheld", steps=(push,))
    likely = CameraFacts(size_start="close-up", height="low", dutch=True)
    assert joined_facts(sure, CameraFacts()) == joined_facts(CameraFacts(), sure) == sure
    both = joined_facts(sure, likely)
    assert both == CameraFacts(
        size_start="wide", height="low", dutch=True, grip="handheld", steps=(push,)
    )
    assert joined_facts(sure, CameraFacts(steps=(rise,))).steps == (push,)
    pan, zoom = Step(turns=("pan-left",)), Step(zoom="zoom-out", when="then")
    (together,) = joined_facts(sure, CameraFacts(steps=(pan,))).steps
    assert together == Step(moves=("push-in",), turns=("pan-left",))
    assert joined_facts(sure, CameraFacts(steps=(push, zoom))).steps == (push, zoom)
    assert joined_facts(sure, CameraFacts(steps=(rise, zoom))).steps == (push,)


def test_values_that_are_not_kept_go_alone() -> None:
    facts = CameraFacts(
        size_start="wide", size_end="medium", height="low", dutch=True, places=("centre",),
        grip="dolly", pace="slowly",
        steps=(Step(moves=("push-in",), turns=("pan-left",)), Step(zoom="zoom-in", when="then")),
    )  # fmt: skip
    assert kept_facts(facts, lambda _: True) == facts
    assert kept_facts(facts, lambda _: False) == CameraFacts()
    for name in facts.names:
        left = kept_facts(facts, lambda one, gone=name: one != gone)
        gone = [it for it in facts.names if it not in left.names and it != "when:then"]
        assert gone == ([] if name == "when:then" else [name])


def test_a_size_that_is_said_to_be_the_last_is_the_last() -> None:
    only, ends = CameraFacts(size_start="wide"), CameraFacts(size_end="wide")
    spans = CameraFacts(size_start="close-up", size_end="wide")
    assert joined_facts(only, ends) == ends and joined_facts(only, spans) == spans
    assert joined_facts(spans, only) == spans
    assert (
        joined_facts(only, CameraFacts(size_start="full", size_end="medium")).size_start == "wide"
    )
