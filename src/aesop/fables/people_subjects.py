"""Who does it, and where: words of sentences that tell nothing of the motion."""

import numpy as np

SUBJECTS = (
    "a person", "someone", "a man", "a woman", "the person", "somebody", "he", "she",
    "the man", "the woman", "a figure", "the figure", "a performer", "an actor", "a human", "",
)  # fmt: skip
# Who else may do it: a network that met persons and men alone acts worse for a florist.
_ROLES = (
    "teenager girl boy child kid lady gentleman student teacher nurse doctor waiter guest "
    "waitress visitor neighbour worker farmer gardener soldier officer guard pilot singer "
    "clown athlete traveller tourist shopper passenger driver clerk manager engineer "
    "scientist artist baker cook chef musician magician hero thief king queen prince "
    "princess knight monk grandmother grandfather mother father brother sister bride "
    "toddler stranger friend customer speaker presenter reporter coach referee carpenter "
    "florist mechanic plumber sailor fisherman"
)
ROLES = tuple(sorted(_ROLES.split()))
ROLE_SHARE = 0.3
AGES = ("old", "young", "tall", "little", "elderly", "small", "big", "slim")
AGE_SHARE = 0.25  # of roles
# Where it is done: said of any act, so that it tells nothing of the motion.
PLACES = (
    "in the room", "in a hall", "in the kitchen", "at home", "outside", "in the street",
    "in the garden", "on a stage", "in an office", "in the gym", "in the park", "at the station",
    "near the window", "by the door", "in the yard", "in front of a crowd", "at the party",
    "in the corridor", "on the beach", "at school", "in the studio", "all alone",
)  # fmt: skip
PLACE_SHARE = 0.12


def somebody(dice: np.random.Generator) -> str:
    """One of the roles, some of them of an age or size: "an old sailor", "the nurse"."""
    role = ROLES[int(dice.integers(len(ROLES)))]
    if dice.random() < AGE_SHARE:
        role = f"{AGES[int(dice.integers(len(AGES)))]} {role}"
    if dice.random() < 0.3:
        return f"the {role}"
    return f"an {role}" if role[0] in "aeiou" else f"a {role}"
