"""How far and how fast in words: "slowly" is an intensity, "slowly, then quickly" a curve, unless
one is given in numbers."""

import logging
import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

from aesop.camera_words.attributes import CameraFacts, Pace, VocabularyError
from aesop.camera_words.denials import without_their_doing
from aesop.camera_words.pace_words import PaceWord, pace_in, paces_in
from aesop.camera_words.spelling import spelled
from aesop.camera_words.spoken_numbers import plain_text
from aesop.camera_words.step_times import TimesError, spans_of
from aesop.camera_words.term_lexicon import read_facts
from aesop.camera_words.timed_words import timed_clauses, without_times
from aesop.scene.human import NATIVE_FPS
from aesop.scene.intensity_curve import (
    LEAST_APART_SECONDS,
    Intensity,
    IntensityCurve,
    plain_intensity,
)

log = logging.getLogger(__name__)

USUAL_INTENSITY = 1.0
# Verbs of pace. Those that tell a change begin a part of their own: "starts slowly and speeds up".
_CHANGES: tuple[tuple[str, Pace], ...] = (
    (r"(?:speed|speeds|speeding) up|accelerat(?:e|es|ing)|(?:gets? |getting )?faster", "quickly"),
    (r"(?:slow|slows|slowing) down|decelerat(?:e|es|ing)|(?:gets? |getting )?slower", "slowly"),
)
_VERBS: tuple[tuple[str, Pace], ...] = (
    *_CHANGES,
    (r"rush(?:es|ing)?", "quickly"),
    (r"creep(?:s|ing)?|inch(?:es|ing)", "slowly"),
)
_PATTERNS: tuple[tuple[re.Pattern[str], Pace], ...] = tuple(
    (re.compile(rf"\b(?:{pattern})\b"), pace) for pattern, pace in _VERBS
)
_AT_THE_END = r"(?:at|towards) the (?:very )?end|in the end|finally"
_NEW_PART = re.compile(
    rf"\b(?:(?:and )?then|after (?:that|which)|afterwards|next|followed by|before|{_AT_THE_END}"
    rf"|(?P<change>{'|'.join(pattern for pattern, _ in _CHANGES)}))\b"
)
_JOINTS = re.compile(r"\s*(?:,(?: and\b)?|\band\b)\s*")
_END_FROM = 2 / 3  # of the shot: where "at the end" begins, as windows of long films have it
_JOIN_SECONDS = 0.8


@dataclass(frozen=True)
class PacedPart:
    """A part of a request in time: the share of the shot at which it begins, and its pace. A pace
    holds until another is named."""

    start_share: float
    pace: PaceWord | None

    @property
    def intensity(self) -> float:
        return USUAL_INTENSITY if self.pace is None else self.pace.intensity

    @property
    def text(self) -> str:
        """ "slowly → 0.7"."""
        return f"usual → {USUAL_INTENSITY:g}" if self.pace is None else self.pace.text


def pace_of(words: str) -> PaceWord | None:
    """The first word of a request that means an intensity. Where the words say how far the camera
    goes, or whom it goes with, no word of pace can change that."""
    words = spelled(words)
    facts = _facts(words)
    if facts.has_extent or any(step.goes_with_person for step in facts.steps):
        return None
    return _pace_in(words)


def unheard_pace(words: str) -> str | None:
    """Why a word of pace means no intensity; None where there is none, or where it means one."""
    words = spelled(words)
    pace, facts = _pace_in(words), _facts(words)
    if pace is None:
        return None
    if facts.has_extent:
        return f"{pace.word}: not heard, since the words say how far the camera goes"
    if any(step.goes_with_person for step in facts.steps):
        return f"{pace.word}: not heard, since the camera goes as fast as the person"
    return None


def paced_parts(words: str, seconds: float | None = None) -> tuple[PacedPart, ...]:
    """The parts of a request whose paces differ, each with its time: parts share the shot evenly,
    but for one at the end, and for those to which words give times in a shot of so many seconds.
    One part where the pace is the same throughout."""
    words = spelled(words)
    if pace_of(words) is None:
        return (PacedPart(0.0, None),)
    parts: list[PacedPart] = []
    pace: PaceWord | None = None
    for text, start in _timed_texts(words, seconds) or _texts_and_starts(words):
        pace = _pace_in(text) or pace
        if not parts or parts[-1].intensity != PacedPart(start, pace).intensity:
            parts.append(PacedPart(start, pace))
    return tuple(parts)


def _texts_and_starts(words: str) -> list[tuple[str, float]]:
    texts = _texts_in_time(words)
    shares = [number / len(texts) for number in range(len(texts))]
    return [
        (text, max(share, _END_FROM) if is_end and share else share)
        for (text, is_end), share in zip(texts, shares, strict=True)
    ]


def _timed_texts(words: str, seconds: float | None) -> list[tuple[str, float]]:
    """The steps of a request that gives times, and at which share of the shot each begins; none
    where it gives no times, or none that the shot has. Rests have no pace."""
    clauses = timed_clauses(words)
    shares = [number / len(clauses) for number in range(len(clauses))]
    if seconds is not None:
        try:
            spans = spans_of([clause.time for clause in clauses], seconds)
        except TimesError:  # whoever films refuses them
            return []
        shares = [span.first_s / seconds for span in spans]
    moving = [
        (one.words, share)
        for one, share in zip(clauses, shares, strict=True)
        if not one.is_rest or _pace_in(one.words)
    ]
    return [(text, share if at else 0.0) for at, (text, share) in enumerate(moving)]


def pace_text(words: str) -> str | None:
    """ "slowly → 0.7, then quickly → 1.3"; None where the words say nothing of pace."""
    parts = paced_parts(words)
    if all(part.pace is None for part in parts):
        return None
    return ", then ".join(part.text for part in parts)


def intensity_of(words: str, explicit: float | None) -> float:
    """The number where one is given; else what the words mean at first; else the usual one."""
    if explicit is not None:
        return explicit
    pace = pace_of(words)
    if pace is None:
        return USUAL_INTENSITY
    log.info("%s", pace.text)
    return pace.intensity


def intensity_over(words: str, explicit: Intensity | str | None, seconds: float) -> Intensity:
    """The number or curve where one is given, also as a command reads it; else what the words mean
    for a shot of this length; else the usual one."""
    if isinstance(explicit, str):
        return plain_intensity(explicit)
    if explicit is not None:
        return explicit
    meant = meant_intensity(words, seconds)
    if (text := pace_text(words)) is not None:
        log.info("%s", text)
    return meant


def meant_intensity(words: str, seconds: float) -> Intensity:
    """What words say of pace in a shot of this length. Where it is too short for a change, they
    mean what they say first."""
    seconds = round(seconds * NATIVE_FPS) / NATIVE_FPS
    parts = paced_parts(words, seconds)
    starts = [part.start_share * seconds for part in parts] + [seconds]
    join = min(_JOIN_SECONDS, *(stop - start for start, stop in pairwise(starts)))
    if len(parts) == 1 or join < LEAST_APART_SECONDS:
        return parts[0].intensity
    points = [(0.0, parts[0].intensity)]
    for before, after, at in zip(parts, parts[1:], starts[1:], strict=False):
        points += [(at - join / 2, before.intensity), (at + join / 2, after.intensity)]
    # Joins that meet share a point.
    return IntensityCurve.from_points(list(dict.fromkeys((round(at, 3), it) for at, it in points)))


def extent_in(words: str) -> bool:
    """Whether the words say how far: "a full circle", "from wide to close-up"."""
    return _facts(spelled(words)).has_extent


def _pace_in(words: str) -> PaceWord | None:
    """An adverb of pace, or else a verb."""
    text = without_their_doing(plain_text(words))
    found = [
        (match.start(), PaceWord(match[0], pace))
        for pattern, pace in _PATTERNS
        for match in pattern.finditer(text)
    ]
    verb = min(found, key=lambda one: one[0])[1] if found else None
    return pace_in(words) or verb


def _texts_in_time(words: str) -> list[tuple[str, bool]]:
    """The request cut at its words of time; whether each part is "at the end"."""
    text, since, is_end = words.lower(), 0, False
    parts: list[tuple[str, bool]] = []
    for match in _NEW_PART.finditer(text):
        before = text[since : match.start()]
        if re.search(r"\w", before):
            parts.append((before, is_end))
            is_end = False
        is_end = is_end or re.fullmatch(_AT_THE_END, match[0]) is not None
        since = match.start() if match["change"] else match.end()
    last = text[since:]
    if re.search(r"\w", last):
        return [piece for part in [*parts, (last, is_end)] for piece in _cut_at_paces(*part)]
    # "… pushes in quickly at the end": the time of what stands before it.
    return [*parts[:-1], (parts[-1][0], is_end or parts[-1][1])] if parts else [(text, False)]


def _cut_at_paces(text: str, is_end: bool) -> Iterator[tuple[str, bool]]:
    """ "Push in slowly and pull out quickly": two movements one after the other, each with its own
    pace."""
    for joint in _JOINTS.finditer(text):
        before, after = text[: joint.start()], text[joint.end() :]
        paces = {pace.pace for pace in (_pace_in(before), _pace_in(after)) if pace is not None}
        steps = [_facts(some).steps for some in (before, after)]
        if len(paces) == 2 and all(steps) and len(_facts(text).steps) > max(map(len, steps)):
            yield before, is_end
            yield from _cut_at_paces(after, is_end)
            return
    yield text, is_end


def unheard_paces(words: str) -> tuple[str, ...]:
    """What is to be told of words of pace that come after another one, and are not obeyed."""
    words = spelled(words)
    if pace_of(words) is None:
        return ()
    heard = {part.pace.pace for part in paced_parts(words) if part.pace is not None}
    others = [pace for pace in paces_in(words) if pace.pace not in heard]
    return tuple(f"{pace.word!r} is not heard: a movement has one pace" for pace in others)


def _facts(words: str) -> CameraFacts:
    try:
        return read_facts(without_times(words)).facts
    except VocabularyError:  # words that contradict themselves tell nothing here
        return CameraFacts()
