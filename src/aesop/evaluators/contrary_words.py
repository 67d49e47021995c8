"""Captions that say the contrary in one point: what an evaluator must not take for the truth.

A sentence encoder finds "turns left" and "turns right" nearly the same, and so does an evaluator
that never meets both beside one motion.
"""

import re

from aesop.camera_words.vocabulary import mirror_caption

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
