"""Which CMU performers belong to which split: fixed by hand, so that ids never move.

Performers who act together (18 and 19, 20 and 21, 22 and 23, 60 and 61) and those recorded under
two numbers (111 and 113, 77 and 139, 93 and 103) stay on the same side. The test performers cover
walks, runs, jumps, sports, fights, everyday acts, mimicry and standing about.
"""

from typing import Literal

SplitName = Literal["train", "validation", "test"]

TEST_SUBJECTS = frozenset({"14", "16", "29", "49", "77", "82", "120", "127", "135", "139", "143"})
VALIDATION_SUBJECTS = frozenset({"02", "05", "28", "93", "103", "118", "124", "133"})


def subject_of(take: str) -> str:
    """The performer's number, which is the first part of a take's name."""
    return take.split("_", 1)[0]


def split_of(take: str) -> SplitName:
    """The split of a take, by its performer."""
    subject = subject_of(take)
    if subject in TEST_SUBJECTS:
        return "test"
    return "validation" if subject in VALIDATION_SUBJECTS else "train"
