"""Turns on the spot: what words ask for, which way the flow is told, and how far people turn."""

import math
from collections.abc import Sequence
from pathlib import Path

import pytest
import torch

from aesop.director.asked_actions import asked_actions
from aesop.director.asked_turn import AskedTurn, asked_turn, told_turn, with_turn
from aesop.director.director import load_director
from aesop.scene.human import HumanMotion, pose_motion
from aesop.scene.rotation import about_z
from aesop.text.encoder import EncodedText
from tests.director.makers import WALK, HashEncoder, save_cast, walking

FRAMES = 71
TURN = "a clerk turns around"


def turning(degrees: float, frames: int = FRAMES) -> HumanMotion:
    """Somebody who stands and turns evenly, to the left where degrees are positive."""
    standing = walking(frames).motion.part(slice(0, 1))
    yaw = torch.deg2rad(torch.linspace(0, degrees, frames))
    turns = standing.rotations.expand(frames, -1, -1, -1).clone()
    turns[:, 0] = about_z(yaw).to(turns) @ turns[:, 0]
    return pose_motion(turns, standing.root.expand(frames, -1).clone())


def turned_degrees(motion: HumanMotion) -> float:
    steps = motion.yaw.double().diff()
    steps = torch.atan2(steps.sin(), steps.cos())
    return math.degrees(float(steps.sum()))


@pytest.mark.parametrize(
    ("words", "degrees", "side"),
    [
        ("a man turns left", 90, "left"),
        ("she turns to her right.", 90, "right"),
        ("A clerk turns around", 180, None),
        ("the dancer turns round to the left and stops", 180, "left"),
        ("someone turns 45 degrees to the right", 45, "right"),
        ("a boy rotates a quarter clockwise", 90, "right"),
        ("she turns slightly to the left", 45, "left"),
        ("a boy pivots counter-clockwise", 90, "left"),
        ("a knight makes an about-face", 180, None),
        ("a girl makes a full turn to the left on the spot", 360, "left"),
        ("the runner turns the other way", 180, None),
    ],
)
def test_turns_are_read(words: str, degrees: float, side: str | None):
    asked = asked_turn(words)
    assert asked is not None
    assert (asked.degrees, asked.side) == (degrees, side)


@pytest.mark.parametrize(
    "words",
    [
        WALK,
        "a man turns by 00 degrees",
        "a man turns",  # neither a way nor an amount
        "she turns her head to the left",
        "a reader turns the page",
        "a guest turns on the light",
        "a man walks and turns left",
        "a man turns around, then walks away",
        "a man turns around and waves",
        "a girl turns around three times",
        "a man turns left and right",
        "somebody spins around",
    ],
)
def test_what_is_more_or_less_than_one_turn_is_left_alone(words: str):
    assert asked_turn(words) is None


def test_who_somebody_is_is_no_action():
    assert [it.name for it in asked_actions("a dancer and a runner wave")] == ["wave"]
    assert [it.name for it in asked_actions("a dancer dances")] == ["dance"]


def test_a_way_is_told_where_none_is_named():
    open_turn = AskedTurn(180.0, None, is_loose=False)
    told = [told_turn("He turns about.", open_turn, seed) for seed in range(4)]
    assert told[0] == told[2] != told[1] == told[3]
    assert all(it.startswith("He turns about, ") for it in told)
    left = AskedTurn(180.0, "left", is_loose=False)
    assert told_turn("He turns about.", left, 1) == "He turns about."
    assert told_turn("a boy pivots Anti-clockwise", left, 1) == "a boy pivots to the left"


@pytest.mark.parametrize("made", [211.0, 317.0, 701.0])
@pytest.mark.parametrize("sign", [1, -1])
def test_who_turns_too_far_turns_as_far_as_was_asked(made: float, sign: int):
    side = "left" if sign > 0 else "right"
    for degrees in (10.0, 90.0, 180.0):
        turn = with_turn(turning(sign * made), AskedTurn(degrees, side, is_loose=False))
        assert turn.note is not None
        assert turn.motion.frames == FRAMES
        # A turn stops within 15 degrees of what was asked for, where feet are lowest.
        assert sign * turned_degrees(turn.motion) == pytest.approx(degrees, abs=16)


def test_the_end_is_at_rest_and_the_beginning_is_kept():
    motion = turning(353.0)
    turn = with_turn(motion, AskedTurn(180.0, "left", is_loose=False)).motion
    yaw = torch.atan2(turn.yaw.sin(), turn.yaw.cos())
    steps = yaw.diff().abs()
    steps = torch.minimum(steps, 2 * math.pi - steps)
    assert float(steps[-1]) < 0.05 * float(steps[:30].mean())
    torch.testing.assert_close(turn.joints[0], motion.joints[0])
    assert with_turn(motion, AskedTurn(180.0, None, is_loose=False)).note is not None


def test_who_turns_the_other_way_or_too_little_is_shown_as_sampled():
    for made in (-353.0, 101.0, 190.0):
        motion = turning(made)
        turn = with_turn(motion, AskedTurn(180.0, "left", is_loose=False))
        assert turn.motion is motion and turn.note is None


def test_steps_keep_their_length():
    """Somebody who goes while turning goes as far with every step, in a wider bow."""
    walk = walking(97).motion
    turn = about_z(torch.deg2rad(torch.linspace(0, 331.0, 97)).to(walk.root))
    turns = walk.rotations.clone()
    turns[:, 0] = turn @ turns[:, 0]
    steps = (turn[:-1] @ walk.root.diff(dim=0)[..., None])[..., 0]
    root = torch.cat([walk.root[:1], walk.root[:1] + steps.cumsum(0)])
    asked = AskedTurn(180.0, "left", is_loose=False)
    made = with_turn(pose_motion(turns, root), asked).motion
    # Half of the frames' steps are left, at about half the pace: as long a way as until the stop.
    way, whole = (it[:, :2].diff(dim=0).norm(dim=-1).sum() for it in (made.root, root))
    stop_share = 180.0 / (331.0 * (180.0 / 331.0) ** 0.5)
    # Those 15 degrees are 0.08 of a turn of 180, and steps differ a little in length.
    assert float(way / whole) == pytest.approx(stop_share, abs=0.1)


class ListeningEncoder(HashEncoder):
    """Remembers what it was asked to read."""

    def __init__(self) -> None:
        super().__init__()
        self.read: list[str] = []

    def encode_each(self, texts: Sequence[str]) -> list[EncodedText]:
        self.read += texts
        return super().encode_each(texts)


def test_the_flow_hears_a_way_unless_people_are_as_sampled(tmp_path: Path):
    encoder = ListeningEncoder()
    save_cast(tmp_path, encoder)
    director = load_director(tmp_path, encoder=encoder)
    for finish in ("as-decoded", "as-sampled"):
        director.with_people(finish).act(TURN, 1.48, seed=3)
    assert set(encoder.read) == {TURN}
    clip = director.with_people("standing").act(TURN, 1.48, seed=3)
    assert encoder.read[-1] == f"{TURN}, turning around to the right"
    assert clip.name == TURN
