"""Tests of actions on motions that do them, on their mirror images, and backward in time."""

from functools import cache

import pytest
import torch

from aesop.metrics.action_curves import reversals
from aesop.metrics.action_tests import ACTION_TESTS, does
from aesop.metrics.metric_book import MetricError
from aesop.scene.human import HumanMotion, mirrored, shifted, turned
from tests.metrics.acting import ACTING, reversed_in_time, waves_both

# What somebody who does the first cannot be doing.
CONTRARY = {
    "walk forward": ("walk backward", "sidestep left", "run", "stand still", "sit down", "jump up"),
    "walk backward": ("walk forward", "sidestep right", "turn around", "run"),
    "sidestep left": ("walk forward", "walk backward", "turn left"),
    "run": ("walk backward", "stand still", "sneak", "crouch"),
    "walk in a circle": ("walk backward", "sit", "turn around"),
    "turn left": ("walk forward", "sidestep left", "turn around", "spin", "stand up"),
    "turn around": ("walk forward", "spin", "sit down"),
    "sit down": ("lie down", "crouch", "kneel", "stand still", "get up", "walk forward"),
    "lie down": ("sit down", "stand up", "crouch", "jump up"),
    "crouch": ("sit down", "lie down", "jump up", "kneel", "stand still"),
    "jump up": ("jump forward", "jump several times", "walk forward", "stand still", "crouch"),
    "hop on the left leg": ("walk forward", "kick with the right leg", "stand still"),
    "raise both arms": ("raise the left arm", "raise the right arm", "sit down", "jump up"),
    "wave with the left hand": ("raise both arms", "clap", "stand still"),
    "clap": ("raise both arms", "punch with the left hand", "wave with the right hand"),
    "punch with the left hand": ("raise the left arm", "clap", "stand still"),
    "kick with the left leg": ("jump up", "walk forward", "hop on the right leg"),
    "bow": ("sit down", "crouch", "pick up", "jump up"),
    "pick up": ("sit down", "lie down", "walk forward", "raise both arms"),
    "look around": ("turn left", "turn right", "raise the left arm"),
    "walk, then sit down": ("stand up, then walk", "stand up", "stand still"),
    "stand up, then walk": ("walk, then sit down", "sit down"),
}
# Each is the other backward in time.
BACKWARD = (
    ("walk forward", "walk backward"),
    ("sidestep left", "sidestep right"),
    ("turn left", "turn right"),
    ("sit down", "stand up"),
    ("lie down", "get up"),
    ("step up", "step down"),
)
QUIET = {"stand still"}  # all that somebody who stands is doing


@cache
def acted(action: str) -> HumanMotion:
    return ACTING[action]()


def verdicts(motion: HumanMotion) -> dict[str, bool]:
    return {action: does(action, motion) for action in ACTION_TESTS}


def other_side(action: str) -> str:
    words = {"left": "right", "right": "left"}
    return " ".join(words.get(word, word) for word in action.split(" "))


@pytest.mark.parametrize("action", ACTING)
def test_who_does_an_action_passes_its_test(action: str):
    assert does(action, acted(action))


@pytest.mark.parametrize("action", [it for it in ACTING if other_side(it) != it])
def test_the_other_side_does_not(action: str):
    assert not does(other_side(action), acted(action))


@pytest.mark.parametrize(("action", "contrary"), CONTRARY.items())
def test_nor_does_who_does_something_else(action: str, contrary: tuple[str, ...]):
    assert [it for it in contrary if does(it, acted(action))] == []


def test_who_waves_with_both_hands_waves_with_neither_alone():
    both = waves_both()
    assert not does("wave with the left hand", both) and not does("wave with the right hand", both)


def test_who_stands_still_does_nothing_else():
    assert {action for action, passes in verdicts(acted("stand still")).items() if passes} == QUIET


@pytest.mark.parametrize("action", ACTING)
def test_it_does_not_matter_where_somebody_stands_and_which_way_they_face(action: str):
    motion = acted(action)
    away = turned(motion, torch.tensor(2.1, dtype=motion.joints.dtype))
    away = shifted(away, torch.tensor([3.7, -5.3, 0.41], dtype=motion.joints.dtype))
    assert verdicts(away) == verdicts(motion)


@pytest.mark.parametrize("action", ACTING)
def test_a_mirror_exchanges_left_and_right_and_nothing_else(action: str):
    seen = verdicts(mirrored(acted(action)))
    assert {other_side(name): passes for name, passes in seen.items()} == verdicts(acted(action))


@pytest.mark.parametrize(("first", "second"), BACKWARD)
def test_backward_in_time_an_action_becomes_its_contrary(first: str, second: str):
    for one, other in ((first, second), (second, first)):
        backward = reversed_in_time(acted(one))
        assert does(other, backward) and not does(one, backward)


def test_an_action_without_a_test_is_refused():
    with pytest.raises(MetricError, match="juggle"):
        does("juggle", acted("bow"))


def test_a_sine_turns_back_twice_a_period():
    periods = 7
    curve = torch.sin(torch.linspace(0, 2 * torch.pi * periods, 997)).double().numpy()
    assert reversals(curve, 0.5) == 2 * periods
    assert reversals(curve, 2.1) == 0  # no stroke is longer than 2
