"""Fifty camera sentences as people might type them, written without the caption grammar.

None holds a phrase that Fables' grammar can say (a test looks), so a model trained on Fables has
met their words one by one at most. Each asks for one class of movement.
"""

from dataclasses import dataclass

import numpy as np

from aesop.data.fables.outline import Movement
from aesop.data.fables.words import camera_caption
from aesop.scene.movement import TAG_NAMES


@dataclass(frozen=True)
class Sentence:
    """What is said, and the class of movement that it asks for."""

    words: str
    tag: int

    @property
    def asked(self) -> str:
        return TAG_NAMES[self.tag]


_BY_TAG: dict[str, tuple[str, ...]] = {
    "push_in": (
        "creep up on her face",
        "shrink the distance between us and the dancer",
        "walk the lens up to him until his face fills the picture",
        "start wide and finish tight on her, no zoom, roll the dolly along its rails",
        "inch nearer and nearer",
        "we want to end up right beside her, so bring the camera to her",
    ),
    "pull_out": (
        "back off slowly",
        "widen the gap between lens and dancer",
        "leave him behind, smaller and smaller",
        "reverse the dolly until we see all of her",
        "ease off from his face to a full wide shot",
        "reveal the empty room around her by stepping the camera backwards",
    ),
    "trucking_left": (
        "shuffle left along the rail",
        "sidestep left while facing her",
        "roll the dolly on a track laid from right to left",
        "drift past him toward screen left",
        "leftbound lateral drift, square to the action",
        "carry the camera off toward the left edge of the set, side-on",
    ),
    "trucking_right": (
        "shuffle right along the rail",
        "sidestep right while facing her",
        "roll the dolly on a track laid from left to right",
        "drift past him toward screen right",
        "skate along to our right, side-on",
        "a rightbound sweep past her",
    ),
    "boom_top": (
        "float up high above his head",
        "raise the rig to the ceiling",
        "an elevator view, skyward",
        "grow taller, from waist height to way over her",
        "take off like a drone leaving the floor",
        "gain altitude while he carries on",
    ),
    "boom_bottom": (
        "drop the lens to knee height",
        "lose altitude while he carries on",
        "settle to floor level like an elevator",
        "from overhead to ankle height along a vertical pole",
        "let the jib arm fall until we are near her shoes",
        "duck under his waist line, keeping the lens level",
    ),
    "static": (
        "leave the camera on its tripod",
        "hands off the camera",
        "bolt it to the floor and let him play",
        "like a security camera on a wall",
        "watch her from a single unchanging viewpoint",
        "not one centimetre of camera motion",
    ),
    "trucking_left+push_in": ("drift left while creeping nearer",),
    "trucking_right+push_in": ("veer right while creeping nearer",),
    "trucking_left+pull_out": ("drift left while backing off",),
    "trucking_right+pull_out": ("veer right while the dolly reverses",),
    "boom_top+pull_out": ("soar up and off, like a departing helicopter",),
    "boom_bottom+push_in": ("swoop from overhead into her face",),
    "trucking_left+boom_top": ("float toward the upper left corner",),
    "trucking_right+boom_bottom": ("sag toward the bottom right corner",),
}

SENTENCES: tuple[Sentence, ...] = tuple(
    Sentence(words, TAG_NAMES.index(name)) for name, said in _BY_TAG.items() for words in said
)


def familiar_sentences(sentences: tuple[Sentence, ...] = SENTENCES) -> tuple[Sentence, ...]:
    """The same movements in the grammar's own words: what unseen words are held against."""
    return tuple(
        Sentence(
            camera_caption([Movement(it.tag, 0, 1)], np.random.default_rng((17, number))).caption,
            it.tag,
        )
        for number, it in enumerate(sentences)
    )
