"""What the person does when: known motions, and what cannot change it."""

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
import torch

from aesop.fables.synthetic import synthetic_motion
from aesop.scene.human import HumanMotion, mirrored
from aesop.studio.person_events import person_events

FRAMES = 131


def motion_of(name: str, seed: int = 1) -> HumanMotion:
    return synthetic_motion(name, FRAMES, np.random.default_rng(seed)).clip.motion


@pytest.mark.parametrize(
    ("name", "does"),
    [
        ("walk", ["walks"]),
        ("walk_back", ["walks backward"]),
        ("stand", ["stands"]),
        ("jump", ["stands", "jumps", "stands"]),
    ],
)
def test_known_motions_are_named(name: str, does: list[str]):
    assert [event.name for event in person_events(motion_of(name))] == does


@pytest.mark.parametrize("name", ["wave", "turn"])
def test_a_mirror_swaps_left_and_right(name: str):
    motion = motion_of(name)
    events = person_events(motion)
    sides = [event for event in events if "left" in event.name or "right" in event.name]
    assert sides, "nothing to swap"
    swap = {"left": "right", "right": "left"}
    swapped = [
        replace(one, name=" ".join(swap.get(word, word) for word in one.name.split()))
        for one in events
    ]
    assert person_events(mirrored(motion)) == swapped


def test_who_sits_down_stands_first():
    names = [event.name for event in person_events(motion_of("sit"))]
    assert names[0] == "stands" and names[-1] == "sits"


@pytest.mark.parametrize("name", ["walk_curve", "turn", "sit", "jump", "wave"])
def test_every_frame_belongs_to_one_event_wherever_the_person_is(name: str):
    motion = motion_of(name, seed=2)
    events = person_events(motion)
    assert events[0].start == 0 and events[-1].stop == FRAMES
    assert all(one.stop == after.start for one, after in pairwise(events))
    assert all(one.name != after.name for one, after in pairwise(events))
    aside = motion.joints.new_tensor([3.0, -7.0, 0.0])
    assert person_events(HumanMotion(motion.rotations, motion.joints + aside)) == events
    angle = motion.joints.new_tensor(0.7)
    sine, cosine = angle.sin(), angle.cos()
    turn = torch.eye(3).to(angle)
    turn[:2, :2] = torch.stack([torch.stack([cosine, -sine]), torch.stack([sine, cosine])])
    rotations = motion.rotations.clone()
    rotations[:, 0] = turn @ rotations[:, 0]
    assert person_events(HumanMotion(rotations, motion.joints @ turn.T)) == events
