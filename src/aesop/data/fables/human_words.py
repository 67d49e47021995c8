"""Short captions of what geometry makes certain."""

import numpy as np
from jaxtyping import Float

from aesop.data.fables.human_facts import Fact, facts_of
from aesop.data.fables.phrases import Form, inflected, pick

_PEOPLE = ("a person", "a person", "someone", "the figure", "a human")

_SAYINGS: dict[Fact, tuple[str, ...]] = {
    "walks forward": ("walk forward", "walk straight ahead", "step forward at a walk"),
    "walks backward": ("walk backward", "walk backwards", "step back without turning round"),
    "walks": ("walk", "walk along a curve", "walk around"),
    "runs": ("run", "run forward", "run along"),
    "sidesteps left": ("step sideways to the left", "move sideways to the left"),
    "sidesteps right": ("step sideways to the right", "move sideways to the right"),
    "stands still": ("stand still", "stand without moving", "stay standing in one place"),
    "stands": ("stand in place", "stand on the spot", "stay on both feet in one spot"),
    "turns left": ("turn left", "turn to the left"),
    "turns right": ("turn right", "turn to the right"),
    "turns around": ("turn around", "turn to face the other way", "make a half turn"),
    "jumps": ("jump", "jump up", "leap off the ground"),
    "jumps repeatedly": ("jump several times", "jump again and again"),
    "sits down": ("sit down", "take a seat"),
    "stands up": ("stand up", "rise from a seat", "get up"),
    "sits": ("sit", "stay seated"),
    "crouches": ("crouch", "crouch down", "squat down"),
    "bends over": ("bend over", "bend forward at the waist"),
    "lies": ("lie on the ground", "lie down low"),
    "raises left arm": ("raise the left arm", "lift the left hand above the head"),
    "raises right arm": ("raise the right arm", "lift the right hand above the head"),
    "raises both arms": ("raise both arms", "lift both hands above the head"),
}


def factual_captions(
    joints: Float[np.ndarray, "frames 22 3"],
    yaw: Float[np.ndarray, " frames"],
    dice: np.random.Generator,
) -> list[str]:
    """One caption for every certain fact of a window at our rate, and one that joins the first two.

    Empty where nothing is certain.
    """
    facts = facts_of(joints, yaw)
    captions = [_tell([pick(_SAYINGS[fact], dice)], dice) for fact in facts]
    if len(facts) > 1:
        captions.append(_tell([pick(_SAYINGS[fact], dice) for fact in facts[:2]], dice))
    return captions


def _tell(actions: list[str], dice: np.random.Generator) -> str:
    person = pick((*_PEOPLE, ""), dice)
    form: Form = "third" if person else "gerund"
    done = " and ".join(inflected((action, action), form).words for action in actions)
    return f"{person} {done}".strip()
