"""Plain words for people: what training says for what a stranger asks, and what may not be lost."""

import re

import pytest

from aesop.director.asked_actions import asked_actions
from aesop.director.asked_turn import asked_turn
from aesop.director.plain_acts import PLAIN_CLAUSES, plain_words
from aesop.measuring.acts import probe_sentences
from aesop.metrics.action_tests import ACTION_TESTS

SIDES = re.compile(r"\b(?:left|right)\b")


@pytest.mark.parametrize(
    ("words", "action"),
    [
        ("the waiter hurls a plate", "throw"),
        ("jump!", "jump"),
        ("our nurse crouches behind the sofa", "crouch"),
        ("A cook kicks the door with her left foot.", "kick with the left leg"),
        ("he shuffles sideways to the right", "sidestep right"),
        ("grandma gets up from the ground", "get up"),
        ("stand up from the floor", "get up"),
        ("a clerk rises from her chair", "stand up"),
        ("a boy greets us, right hand raised", "raise the right arm"),
        ("a burglar tiptoes along", "sneak"),
        ("she climbs up the stairs", "step up"),
    ],
)
def test_strangers_words_become_those_of_training(words: str, action: str):
    plain = plain_words(words)
    assert plain == f"a person {PLAIN_CLAUSES[action]}"


def test_what_follows_each_other_does_so_in_plain_words():
    plain = plain_words("the postman stands up from his chair, then throws a parcel")
    first, second = PLAIN_CLAUSES["stand up"], PLAIN_CLAUSES["throw"]
    assert plain == f"a person {first}, then {second}"


def test_a_manner_that_training_knows_is_kept():
    plain = plain_words("a dentist kneels slowly by the chair")
    assert plain == f"a person {PLAIN_CLAUSES['kneel']} slowly"


@pytest.mark.parametrize(
    "words",
    [
        "a boy jumps three times",  # numbers
        "a boy jumps 3 times",
        "a boy jumps backward",  # ways that no clause says
        "she waves with the left hand and kicks with the right foot and spins",
        "he doesn't sit down",  # denials
        "she never kneels",
        "a nurse nearly stumbles",
        "a woman sits down after standing up",  # an order that words turn round
        "a man crawls like a lizard",  # how it is done
        "a girl runs as if on ice",
        "he runs in place",
        "a girl runs in a circle",
        "she waves while walking",
        "an old man walks home",
        "somebody dances at a ball",
        "he crouches, then yodels",  # a part that is not read
        "she sits down, plays the piano, stands up",
        "kneel and tie a shoelace",
        "pick up a box and put it on a shelf",
        "a guard turns left",  # turns have words of their own
        "somebody swims the front crawl",
        "a gorilla recites a poem",
        "ein Mann springt",
        "",
    ],
)
def test_words_that_plain_ones_would_lose_stay_as_typed(words: str):
    assert plain_words(words) is None


@pytest.mark.parametrize("words", [it.words for it in probe_sentences("choosing")])
def test_sides_survive_and_nothing_is_told_but_what_is_asked(words: str):
    plain = plain_words(words)
    if plain is None:
        return
    assert set(SIDES.findall(words)) <= set(SIDES.findall(plain))
    assert asked_turn(words) is None


def test_every_clause_belongs_to_an_action_that_is_read_from_it():
    """Plain words are read as what they stand for: who hears them is asked for the same."""
    for action, clause in PLAIN_CLAUSES.items():
        found = asked_actions(f"a person {clause}")
        tests = {test for one in found for test in one.tests}
        assert tests <= set(ACTION_TESTS)
        assert action in {one.name for one in found} or not found


@pytest.mark.parametrize(
    ("words", "asked"),
    [
        ("sit ups", []),
        ("she skips down the road", ["skip"]),
        ("skipping rope", ["jump several times"]),
        ("a box of chocolates", []),
        ("he rises to his feet", ["get up"]),
        ("both hands up!", ["raise both arms"]),
        ("left arm raised", ["raise the left arm"]),
        ("an uppercut with the left fist", ["punch with the left hand"]),
        ("she goes down the stairs", ["step down"]),
        ("an arm stretched out", []),
        ("an archer draws a bow", []),
        ("she gets punched in the face", []),
        ("a boxer dodges punches", []),
        ("he throws up", []),
        ("she runs a hand through her hair", []),
        ("a duck waddles", []),
        ("he bows and then throws a ball", ["bow", "throw"]),
        ("hopping on her right leg", ["hop on the right leg"]),
    ],
)
def test_more_words_ask_for_actions(words: str, asked: list[str]):
    found = asked_actions(words)
    assert [one.name for one in found] == asked
