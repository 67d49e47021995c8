"""What captions claim and what paths deny: the judge of the second edition must not be taught that
"a close-up" is wrong about another close-up.

Captions of the phrase bank tell some of a shot's facts. Their words are wrong about every path that
shows another value where they name one; where a path shows no value of that group nothing is known,
and nothing is wrong. Captions of the grammar tell the whole order of movement classes.

`contraries` of a caption say the contrary in one point. A sentence encoder finds "turns left" and
"turns right" nearly the same, and so does an evaluator that never meets both beside one motion.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cache

import numpy as np
import torch
from jaxtyping import Bool, Int64
from torch import Tensor

from aesop.camera_words.attributes import LENS_CLASSES, VOCABULARY
from aesop.camera_words.vocabulary import mirror_caption

# Said of every shot without being measured, or true of most: no claim.
_UNCLAIMED = ("pace", "when")
_STEPS = "steps"


def _group_of(name: str) -> str:
    """Values of one group are known together: a path with steps has those and no others."""
    attribute, _, value = name.partition(":")
    if name == "turn:dutch":
        return name
    if attribute in ("move", "turn", "extent"):
        return _STEPS
    return _STEPS if attribute == "lens" and value not in LENS_CLASSES else attribute


CLAIMED = tuple(it.name for it in VOCABULARY if it.attribute not in _UNCLAIMED)
_COLUMN = {name: column for column, name in enumerate(CLAIMED)}
_ALWAYS_KNOWN = frozenset({"turn:dutch"})  # a level horizon is drawn as one


@dataclass(frozen=True)
class ShotClaims:
    """A shot's movement classes in order, its facts, and those that each caption tells; neither
    where the captions are of the grammar."""

    movements: tuple[int, ...]
    facts: tuple[str, ...] | None = None
    claimed_facts: tuple[tuple[str, ...], ...] = ()


@dataclass(frozen=True, eq=False)
class Claims:
    """Rows of `claimed` are texts as encoded captions number them, those of the others clips."""

    claimed: Bool[Tensor, "texts values"]
    denied: Bool[Tensor, "clips values"]
    sequence: Int64[Tensor, " clips"]
    is_told_by_sequence: Bool[Tensor, " clips"]

    def to(self, device: torch.device) -> "Claims":
        """The same on another device."""
        changed = {name: getattr(self, name).to(device) for name in self.__dataclass_fields__}
        return replace(self, **changed)

    def strangers(
        self, clips: Int64[Tensor, " batch"], texts: Int64[Tensor, " batch"]
    ) -> Bool[Tensor, "batch batch"]:
        """Where a column's words are wrong about a row's path; text j is one of clip j's."""
        wrong = self.denied[clips].half() @ self.claimed[texts].half().T > 0.5
        sequence = self.sequence[clips]
        other = sequence[:, None] != sequence
        return wrong | (other & self.is_told_by_sequence[clips])


def claims_of(shots: Sequence[ShotClaims], captions: Sequence[tuple[str, ...]]) -> Claims:
    """Claims of shots and of their captions, which are numbered from one in the order in which they
    first occur."""
    number: dict[str, int] = {}
    claimed_by_text: list[frozenset[str]] = [frozenset()]
    for shot, texts in zip(shots, captions, strict=True):
        claimed_facts = shot.claimed_facts or ((),) * len(texts)
        for text, names in zip(texts, claimed_facts, strict=True):
            if text not in number:
                number[text] = len(number) + 1
                claimed_by_text.append(frozenset(names))
            # One sentence may stand for two facts ("a profile"): it then claims neither.
            claimed_by_text[number[text]] &= frozenset(names)
    sequences = {it: at for at, it in enumerate(dict.fromkeys(shot.movements for shot in shots))}
    return Claims(
        claimed=_marked(claimed_by_text),
        denied=_marked([_denied(shot.facts) for shot in shots]),
        sequence=torch.tensor([sequences[shot.movements] for shot in shots]),
        is_told_by_sequence=torch.tensor([shot.facts is None for shot in shots]),
    )


def _marked(rows: Sequence[Iterable[str]]) -> Bool[Tensor, "rows values"]:
    places = [
        (row, _COLUMN[name]) for row, names in enumerate(rows) for name in names if name in _COLUMN
    ]
    marked = np.zeros((len(rows), len(CLAIMED)), bool)
    marked[tuple(np.array(places, np.int64).reshape(-1, 2).T)] = True
    return torch.from_numpy(marked)


@cache
def _denied(facts: tuple[str, ...] | None) -> tuple[str, ...]:
    """What words may not say of a shot with these facts; nothing if they are unknown."""
    if facts is None:
        return ()
    known = {_group_of(name) for name in facts} | _ALWAYS_KNOWN
    return tuple(it for it in CLAIMED if it not in facts and _group_of(it) in known)


# Words and their contraries; phrases first, so that "sits down" becomes "stands up".
_PAIRS: tuple[tuple[tuple[str, str], ...], ...] = (
    (
        ("sit down", "stand up"), ("sits down", "stands up"), ("sitting down", "standing up"),
        ("sit", "stand"), ("sits", "stands"), ("sitting", "standing"), ("seated", "upright"),
        ("rises", "sits down"), ("rise", "sit down"), ("lies", "stands"), ("lying", "standing"),
    ),
    (
        ("forward", "backward"), ("forwards", "backwards"), ("ahead", "backward"),
        ("in reverse", "forward"),
    ),
    (
        ("raise", "lower"), ("raises", "lowers"), ("raising", "lowering"), ("raised", "lowered"),
        ("lift", "lower"), ("lifts", "lowers"), ("lifting", "lowering"),
    ),
    (
        ("bend", "straighten"), ("bends", "straightens"), ("bending", "straightening"),
        ("crouch", "jump"), ("crouches", "jumps"), ("crouching", "jumping"),
    ),
    (
        ("walk", "run"), ("walks", "runs"), ("walking", "running"),
        ("slowly", "quickly"), ("kick", "punch"), ("kicks", "punches"), ("kicking", "punching"),
    ),
    (
        ("hand", "foot"), ("hands", "feet"), ("arm", "leg"), ("arms", "legs"),
    ),
    (("upward", "downward"), ("up", "down")),
)  # fmt: skip


def _both_ways(pairs: tuple[tuple[str, str], ...]) -> tuple[re.Pattern[str], dict[str, str]]:
    other: dict[str, str] = {}
    for one, two in pairs:
        other.setdefault(one, two)
        other.setdefault(two, one)
    longest_first = sorted(other, key=len, reverse=True)
    return re.compile(rf"\b(?:{'|'.join(longest_first)})\b"), other


_SWAPS = tuple(_both_ways(pairs) for pairs in _PAIRS)


def contraries(text: str) -> tuple[str, ...]:
    """The text with its sides exchanged, and with one other point exchanged; each only where the
    text has such a point."""
    mirror = mirror_caption(text)
    swapped = (
        pattern.sub(lambda match, other=other: other[match[0]], text) for pattern, other in _SWAPS
    )
    other_point = next((made for made in swapped if made != text), text)
    return tuple(made for made in (mirror, other_point) if made != text)
