"""How far and how fast in words: "slowly" is an intensity, unless one is given in numbers."""

import logging

from aesop.camera_words.attributes import CameraFacts, VocabularyError
from aesop.camera_words.term_lexicon import PaceWord, pace_in, read_facts
from aesop.scene.intensity_curve import Intensity

log = logging.getLogger(__name__)

USUAL_INTENSITY = 1.0


def pace_of(words: str) -> PaceWord | None:
    """The word of a request that means an intensity. Where the words say how far the camera goes,
    or whom it goes with, no word of pace can change that."""
    facts = _facts(words)
    if facts.has_extent or any(step.goes_with_person for step in facts.steps):
        return None
    return pace_in(words)


def intensity_of(words: str, explicit: float | None) -> float:
    """The number where one is given; else what the words mean; else the usual one."""
    if explicit is not None:
        return explicit
    pace = pace_of(words)
    if pace is None:
        return USUAL_INTENSITY
    log.info("%s", pace.text)
    return pace.intensity


def intensity_over(words: str, explicit: Intensity | None, seconds: float) -> Intensity:
    """The number or curve where one is given; else what the words mean for a shot of this length;
    else the usual one."""
    return intensity_of(words, None) if explicit is None else explicit


def extent_in(words: str) -> bool:
    """Whether the words say how far: "a full circle", "from wide to close-up"."""
    return _facts(words).has_extent


def _facts(words: str) -> CameraFacts:
    try:
        return read_facts(words).facts
    except VocabularyError:  # words that contradict themselves tell nothing here
        return CameraFacts()
