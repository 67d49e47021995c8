"""Shots for the operator's tests: synthetic people filmed once, read by many laws."""

from dataclasses import dataclass
from functools import cache

import numpy as np
from jaxtyping import Float

from aesop.fables.cinematographer.filming import FilmedShot, Runs, film
from aesop.fables.cinematographer.lens import Style
from aesop.fables.synthetic import ACTIONS, synthetic_motion


@dataclass(frozen=True, eq=False)
class Person:
    """What `film` takes."""

    joints: Float[np.ndarray, "frames 22 3"]
    yaw: Float[np.ndarray, " frames"]


@dataclass(frozen=True, eq=False)
class Filmed:
    """A person and a shot of them."""

    action: str
    person: Person
    shot: FilmedShot


@cache
def person(action: str, frames: int, seed: int = 3) -> Person:
    motion = synthetic_motion(action, frames, np.random.default_rng(seed)).clip.motion
    return Person(motion.joints.double().numpy(), motion.yaw.double().numpy())


def crew(
    runs: Runs, count: int, frames: tuple[int, ...], style: Style | None = None
) -> list[Filmed]:
    """Every action in turn, lengths in turn, one shot each."""
    actions = list(ACTIONS)
    filmed: list[Filmed] = []
    for at in range(count):
        action = actions[at % len(actions)]
        who = person(action, frames[at % len(frames)])
        shot = film(who.joints, who.yaw, np.random.default_rng([17, at]), style=style, runs=runs)
        filmed.append(Filmed(action, who, shot))
    return filmed
