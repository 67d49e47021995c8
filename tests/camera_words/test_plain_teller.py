"""Plain words for facts are read back as the same facts."""

import numpy as np
import pytest

from aesop.camera_words.attributes import VOCABULARY, CameraFacts, Step, Turn, reversed_facts
from aesop.camera_words.plain_teller import PLAIN_TERMS, plain_caption
from aesop.camera_words.term_lexicon import read_facts
from aesop.fables.cinematographer.facts_draw import FactStyle, draw_facts
from aesop.fables.cinematographer.lens import watch
from aesop.fables.synthetic import Leg, wander


def test_every_value_but_pace_has_plain_words():
    names = {value.name for value in VOCABULARY if value.attribute != "pace"}
    assert set(PLAIN_TERMS) == names


@pytest.mark.parametrize("speed_mps", [0.0, 1.1])
def test_drawn_facts_and_their_reversals_are_read_back(speed_mps: float):
    motion = wander([Leg(7.0, speed_mps)])
    subject = watch(motion.joints.numpy(), motion.yaw.numpy())
    dice = np.random.default_rng(19)
    for _ in range(97):
        facts = draw_facts(subject, FactStyle(), dice)
        for one in (facts, reversed_facts(facts)):
            read = read_facts(plain_caption(one))
            assert read.facts == one and read.unread == (), plain_caption(one)


def test_an_end_is_told_after_its_start():
    facts = CameraFacts(size_start="wide", size_end="close-up", steps=(Step(moves=("push-in",)),))
    assert plain_caption(facts) == "A wide shot, push in, to a close-up."
    assert read_facts(plain_caption(facts)).facts == facts


@pytest.mark.parametrize("pan", ["pan-left", "pan-right"])
def test_a_whip_to_a_side_is_told_as_one(pan: Turn):
    facts = CameraFacts(steps=(Step(turns=("whip-pan", pan)),))
    assert plain_caption(facts) == f"Whip pan to the {pan.removeprefix('pan-')}."
    assert read_facts(plain_caption(facts)).facts == facts
