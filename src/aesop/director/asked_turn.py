"""A person who is asked to turn on the spot and do nothing else: which way and how far is read from
the words, told to the flow where the words leave it open, and made so.

Headings are sums of steps: what guidance adds to every step makes a turn two and three times as far
as was asked for. Who has turned too far turns less with every step, and is then played slower, up
to the instant at which the turn is done.
"""

import re
from dataclasses import dataclass
from typing import Literal

import numpy as np
import torch
from jaxtyping import Float

from aesop.director.asked_actions import asked_actions
from aesop.scene.curves import points_at, rotations_at
from aesop.scene.human import HumanMotion, pose_motion
from aesop.scene.rotation import about_z
from aesop.scene.skeleton import JOINT

TurnSide = Literal["left", "right"]

_EIGHTH, _QUARTER, _HALF, _FULL = 45.0, 90.0, 180.0, 360.0
_LEAST_DEGREES = 10.0  # less is no turn of a body
_TURNS = ("turn", "turn left", "turn right", "turn around")
# "Twice", "from side to side": more than one turn.
_MANY = re.compile(
    r"\b(?:twice|thrice|times|again|repeatedly|circles|spins?|back and forth|side to side"
    r"|left and right|right and left|keeps?|continu\w*)\b"
)
# Somebody who does something else besides. Looking and standing is what one does after a turn.
_BESIDES = re.compile(
    r"\b(?:then|while|before|after|until)\b"
    r"|\band (?!(?:stops?|stands?|faces?|looks?|waits?|stays?|halts?|is|back)\b)"
)
_DEGREES = re.compile(r"\b(\d{2,3}) ?(?:degrees?|deg\b|\u00b0)")
_AMOUNTS = (
    (re.compile(r"\b(?:full|complete|whole|entire) (?:turn|circle|rotation)|all the way a?round"
                r"|once a?round"), _FULL),
    (re.compile(r"\b(?:half|about|a?round|back|behind|u-turn|other (?:way|direction|side|end)"
                r"|opposite|reverse)\b"), _HALF),
    (re.compile(r"\bquarter\b"), _QUARTER),
)  # fmt: skip
_LITTLE = re.compile(r"\b(?:slightly|a (?:little|bit))\b")
_LEFT = re.compile(r"\b(?:left|counter-?clockwise|anti-?clockwise)\b")
_RIGHT = re.compile(r"\b(?:right|(?<!counter-)(?<!anti-)clockwise)\b")
_CLOCK = re.compile(r"\b(?:(?:counter|anti)-?)?clockwise\b", re.IGNORECASE)
# A turn this near to what was said is right; "turns left" leaves more open than "a quarter turn".
_NEAR_DEGREES, _LOOSE_DEGREES = 25.0, 45.0
# A turn may end so far from what was asked for where feet stand better there.
_STOP_DEGREES = 15.0
# Feet pivot where a body turns less than its steps were made for; still less looks like skating.
_LEAST_SHARE = 0.6
# The share of a turn that has been slowed down in which it comes to rest.
_ENDING = 0.3
_TOES = [JOINT["left_foot"], JOINT["right_foot"]]


@dataclass(frozen=True)
class AskedTurn:
    """A turn on the spot, as words ask for it."""

    degrees: float
    side: TurnSide | None  # None where words leave it open
    is_loose: bool  # whether words name a side but no amount

    @property
    def near_degrees(self) -> float:
        """How far a turn may be from it."""
        return _LOOSE_DEGREES if self.is_loose else _NEAR_DEGREES


def asked_turn(words: str) -> AskedTurn | None:
    """The turn that words ask for if they ask for nothing else; None where they do not say how
    far or which way."""
    said = words.lower()
    asked = asked_actions(said)
    if (
        len(asked) != 1
        or asked[0].name not in _TURNS
        or _MANY.search(said)
        or _BESIDES.search(said)
    ):
        return None
    sides: list[TurnSide] = []
    if _LEFT.search(said):
        sides.append("left")
    if _RIGHT.search(said):
        sides.append("right")
    if len(sides) > 1:
        return None
    side = sides[0] if sides else None
    if match := _DEGREES.search(said):
        degrees = float(match[1])
        return AskedTurn(degrees, side, is_loose=False) if degrees >= _LEAST_DEGREES else None
    for pattern, degrees in _AMOUNTS:
        if pattern.search(said):
            return AskedTurn(degrees, side, is_loose=False)
    if side is None:
        return None
    return AskedTurn(_EIGHTH if _LITTLE.search(said) else _QUARTER, side, is_loose=True)


def told_turn(words: str, asked: AskedTurn, seed: int) -> str:
    """The words with a way to turn, drawn by the seed where they name none: flows that may turn
    either way often do not turn at all. Flows know left and right better than clocks."""
    if asked.side is not None:
        return _CLOCK.sub(f"to the {asked.side}", words)
    side = ("left", "right")[seed % 2]
    return f"{words.rstrip(' .!')}, turning around to the {side}"


@dataclass(frozen=True, eq=False)
class MadeTurn:
    """Somebody whose turn is as asked, and what was done for it; nothing where `note` is None."""

    motion: HumanMotion
    note: str | None = None


def with_turn(motion: HumanMotion, asked: AskedTurn) -> MadeTurn:
    """The motion, slowed down if it turns further than asked. Who turns the other way or not far
    enough is left alone: nothing is there to be shown."""
    turned = np.rad2deg(np.unwrap(motion.yaw.numpy().astype(np.float64)))
    turned = (turned - turned[0]) * _sign(asked, turned)
    most = asked.degrees + asked.near_degrees
    if turned.max() <= most:
        return MadeTurn(motion)
    share = max(_LEAST_SHARE, float(np.sqrt(asked.degrees / turned.max())))
    less = _turning_less(motion, share)
    stop = _stop(share * turned, asked.degrees, less)
    instants = torch.from_numpy(_slowed(len(turned), stop))
    slower = pose_motion(rotations_at(less.rotations, instants), points_at(less.root, instants))
    note = (
        f"turned by {turned[-1]:.0f} degrees, asked for {asked.degrees:.0f}: "
        f"every step turns by {share:.2f} of it, {len(turned) / stop:.1f} times slower"
    )
    return MadeTurn(slower, note)


def _turning_less(motion: HumanMotion, share: float) -> HumanMotion:
    """The same steps by a body that turns by a share of its turn."""
    yaw = torch.from_numpy(np.unwrap(motion.yaw.numpy().astype(np.float64)))
    back = about_z((share - 1) * (yaw - yaw[0])).to(motion.root)
    steps = (back[:-1] @ motion.root.diff(dim=0)[..., None])[..., 0]
    root = torch.cat([motion.root[:1], motion.root[:1] + steps.cumsum(0)])
    turns = torch.cat([(back @ motion.rotations[:, 0])[:, None], motion.rotations[:, 1:]], dim=1)
    return pose_motion(turns, root)


def _sign(asked: AskedTurn, turned: Float[np.ndarray, " frames"]) -> float:
    """1 where turning to the left counts."""
    if asked.side is not None:
        return 1.0 if asked.side == "left" else -1.0
    return 1.0 if turned[-1] >= turned[0] else -1.0


def _stop(turned: Float[np.ndarray, " frames"], degrees: float, motion: HumanMotion) -> float:
    """The frame at which to stop: near the turn that was asked for, both feet as low as can be."""
    is_beyond = turned > degrees + _STOP_DEGREES
    beyond = int(np.argmax(is_beyond)) if is_beyond.any() else len(turned)
    near = np.flatnonzero(turned[:beyond] >= max(degrees - _STOP_DEGREES, degrees / 2))
    if len(near) == 0:  # so fast that no frame is near
        return float(beyond)
    heights = motion.joints[:, _TOES, 2].amax(1).numpy()
    return float(near[np.argmin(heights[near])])


def _slowed(frames: int, stop: float) -> Float[np.ndarray, " frames"]:
    """Instants from the first frame to `stop`: even, then coming to rest."""
    share = np.linspace(0.0, 1.0, frames)
    left = np.clip((share - (1 - _ENDING)) / _ENDING, 0.0, 1.0)
    # The integral of a speed that falls along half a cosine wave.
    way = np.minimum(share, 1 - _ENDING) + _ENDING * (left / 2 + np.sin(np.pi * left) / (2 * np.pi))
    return np.minimum(way / way[-1], 1.0) * stop
