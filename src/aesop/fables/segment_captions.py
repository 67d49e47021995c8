"""Captions of segments: the table that ships, its form for writers, and what a caption may say.

Checks are of two kinds. Errors are certain: a missing sentence, a side that geometry excludes.
Warnings ask the writer to look again.
"""

import csv
import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

from aesop.fables.segment_facts import SegmentFacts
from aesop.fables.segment_table import Segment

FORM_COLUMNS = (
    "id", "verb", "side", "direction", "count", "manner", "sentence1", "sentence2", "sentence3",
)  # fmt: skip
SIDES = frozenset({"", "left", "right", "both"})
DIRECTIONS = frozenset(
    {"", "forward", "backward", "left", "right", "up", "down", "around", "in place"}
)
# Net turns and ways that no caption may contradict.
SURE_TURN_DEG, SURE_WAY_M = 40.0, 0.6
LONGEST_WORDS = 30
# Speeds of two hands so different that only one of them acts.
STILL_HAND_MPS, BUSY_HAND_MPS = 0.15, 0.6
# How alike two wordings may be: share of words in common.
ALIKE = 0.8


@dataclass(frozen=True)
class SegmentCaption:
    """What a segment shows: a short label and three sentences of different wording."""

    id: str
    verb: str
    side: str
    direction: str
    count: str
    manner: str
    sentences: tuple[str, str, str]


@dataclass(frozen=True)
class CaptionFault:
    """What is wrong with a caption, or should be looked at again."""

    id: str
    text: str
    is_error: bool = True

    def __str__(self) -> str:
        return f"{'ERROR' if self.is_error else 'look'}\t{self.id}\t{self.text}"


@cache
def read_segment_captions() -> tuple[SegmentCaption, ...]:
    """All captions that ship."""
    table = files("aesop.fables").joinpath("segment_captions.tsv").read_text(encoding="utf-8")
    faults: list[CaptionFault] = []
    captions = parse_captions(table, "segment_captions.tsv", faults)
    assert not faults
    return tuple(captions)


def segment_caption_table(captions: Iterable[SegmentCaption]) -> str:
    """The table as text; `parse_captions` gives the same captions back."""
    lines = ["\t".join(FORM_COLUMNS)]
    for row in captions:
        cells = (row.id, row.verb, row.side, row.direction, row.count, row.manner, *row.sentences)
        lines.append("\t".join(cells))
    return "\n".join(lines) + "\n"


def parse_captions(table: str, name: str, faults: list[CaptionFault]) -> list[SegmentCaption]:
    """Rows of a written table; those of another form are told in `faults` and left out."""
    rows = list(csv.reader(table.splitlines(), delimiter="\t", quoting=csv.QUOTE_NONE))
    if not rows or tuple(rows[0]) != FORM_COLUMNS:
        faults.append(CaptionFault(name, f"the first line must be: {' '.join(FORM_COLUMNS)}"))
        return []
    captions: list[SegmentCaption] = []
    for line, row in enumerate(rows[1:], start=2):
        if len(row) != len(FORM_COLUMNS):
            text = f"line {line} has {len(row)} cells, not {len(FORM_COLUMNS)}"
            faults.append(CaptionFault(name, text))
            continue
        id_, verb, side, direction, count, manner, *sentences = (cell.strip() for cell in row)
        first, second, third = sentences
        captions.append(
            SegmentCaption(id_, verb, side, direction, count, manner, (first, second, third))
        )
    return captions


def caption_faults(
    captions: Sequence[SegmentCaption], segments: Mapping[str, Segment]
) -> list[CaptionFault]:
    """Everything that is wrong with some captions, in their order."""
    faults: list[CaptionFault] = []
    seen: set[str] = set()
    for row in captions:
        if row.id not in segments:
            faults.append(CaptionFault(row.id, "there is no such segment"))
            continue
        if row.id in seen:
            faults.append(CaptionFault(row.id, "is written twice"))
        seen.add(row.id)
        faults += _label_faults(row)
        faults += _sentence_faults(row)
        faults += _fact_faults(row, segments[row.id].facts)
    return faults + _shared_sentences([row for row in captions if row.id in segments], segments)


def _label_faults(row: SegmentCaption) -> list[CaptionFault]:
    texts: list[str] = []
    if not re.fullmatch(r"[a-z]+( [a-z]+){0,2}", row.verb):
        texts.append(f"verb {row.verb!r} must be one to three lower-case words")
    if row.side not in SIDES:
        texts.append(f"side {row.side!r} must be left, right, both or empty")
    if row.direction not in DIRECTIONS:
        known = ", ".join(sorted(direction for direction in DIRECTIONS if direction))
        texts.append(f"direction {row.direction!r} must be empty or one of {known}")
    if not re.fullmatch(r"\d{0,2}|several", row.count):
        texts.append(f"count {row.count!r} must be a number, several, or empty")
    return [CaptionFault(row.id, text) for text in texts]


def _sentence_faults(row: SegmentCaption) -> list[CaptionFault]:
    faults: list[CaptionFault] = []
    for number, sentence in enumerate(row.sentences, start=1):
        text = _form_fault(sentence)
        if text:
            faults.append(CaptionFault(row.id, f"sentence {number} {text}"))
    first, second, third = (_words(sentence) for sentence in row.sentences)
    for one, other in ((first, second), (first, third), (second, third)):
        if one and one == other:
            faults.append(CaptionFault(row.id, "two sentences are the same"))
        elif one and other and _likeness(one, other) > ALIKE:
            faults.append(CaptionFault(row.id, "two sentences are nearly the same", False))
    return faults


def _form_fault(sentence: str) -> str:
    """What is wrong with the form of one sentence; empty if nothing."""
    words = _words(sentence)
    rules = (
        (not sentence, "is missing"),
        (len(words) < 2, "has fewer than two words"),
        (len(words) > LONGEST_WORDS, f"has more than {LONGEST_WORDS} words"),
        (sentence[:1] != sentence[:1].lower(), "must begin in lower case"),
        (sentence.endswith((".", "!", "?")), "must end without a full stop"),
        (bool(re.search(r"\d", sentence)), "has digits: write numbers as words"),
        (bool(re.search(r"[^ -~]", sentence)), "has characters other than plain ASCII"),
        (bool(re.search(r"\b(frames?|segments?|clips?|takes? \d|seconds?)\b", sentence)),
         "speaks of frames, segments, clips or seconds, not of the person"),
        ("  " in sentence, "has two spaces in a row"),
    )  # fmt: skip
    return next((text for broken, text in rules if broken), "")


def _words(sentence: str) -> list[str]:
    return re.findall(r"[a-z']+", sentence.lower())


def _likeness(one: list[str], other: list[str]) -> float:
    return len(set(one) & set(other)) / len(set(one) | set(other))


_TURN = re.compile(
    r"\b(?:turn|turns|turning|spin|spins|spinning|pivot|pivots|pivoting|rotate|rotates|rotating)\b"
    r"(?: \w+){0,3}? (left|right)\b(?! (?:arm|hand|leg|foot|knee|shoulder|side of))"
)
_BACKWARD = re.compile(
    r"\b(?:walk|step|run|jog|move|go|back)\w*(?: \w+){0,2}? (?:back|backward|backwards)\b"
)
_FORWARD = re.compile(
    r"\b(?:walk|step|run|jog|move|go)\w*(?: \w+){0,2}? (?:forward|forwards|ahead)\b"
)
_SIDEWAYS = re.compile(
    r"\b(?:sidestep|step|walk|move|shuffle|shift)\w*(?: \w+){0,3}? to (?:the|his|her|its|their) "
    r"(left|right)\b(?! (?:arm|hand|leg|foot|knee|shoulder))"
)
_HAND = re.compile(r"\b(left|right) (?:hand|arm|fist|elbow)\b")
_FOOT_LIFT = re.compile(r"\bkick\w*(?: \w+){0,3}? (left|right) (?:foot|leg)\b")
_JUMP = re.compile(r"\b(?:jump|leap)(?:s|ing|ed)?\b(?! (?:rope|jack))")
_SITS = re.compile(r"\b(?:sit|sits|sitting|seated)\b")
_LIES = re.compile(r"\b(?:lie|lies|lying)\b")
_STILL = re.compile(r"\bstand(?:s|ing)? (?:still|motionless|without moving)\b")


def _fact_faults(row: SegmentCaption, facts: SegmentFacts) -> list[CaptionFault]:
    faults: list[CaptionFault] = []
    for number, sentence in enumerate(row.sentences, start=1):
        text = sentence.lower()
        for is_error, fault in (
            *_turn_faults(text, facts), *_way_faults(text, facts), *_limb_faults(text, facts),
            *_posture_faults(text, facts),
        ):  # fmt: skip
            faults.append(CaptionFault(row.id, f"sentence {number} {fault}", is_error))
    mentions = " ".join(row.sentences).lower()
    if row.side in ("left", "right"):
        other = "right" if row.side == "left" else "left"
        if f"{other} " in f"{mentions} " and f"{row.side} " not in f"{mentions} ":
            faults.append(CaptionFault(row.id, f"side is {row.side}, the sentences say {other}"))
    return faults


def _turn_faults(text: str, facts: SegmentFacts) -> list[tuple[bool, str]]:
    faults: list[tuple[bool, str]] = []
    for match in _TURN.finditer(text):
        side = match[1]
        this, that = facts.most_left_deg, facts.most_right_deg
        if side == "right":
            this, that = that, this
        if this < 15 and that > SURE_TURN_DEG:
            faults.append((True, f"turns {side}; the body turns {that:.0f}° the other way"))
        elif this < 15:
            faults.append((False, f"turns {side}; the hips turn {this:.0f}° that way"))
    return faults


def _way_faults(text: str, facts: SegmentFacts) -> list[tuple[bool, str]]:
    faults: list[tuple[bool, str]] = []
    mixed = facts.path_m > 2 * max(abs(facts.forward_m), abs(facts.left_m)) + 0.5
    sure = not mixed
    if _BACKWARD.search(text) and facts.forward_m > SURE_WAY_M and not _FORWARD.search(text):
        faults.append((sure, f"goes backward; the hips go {facts.forward_m:.1f} m forward"))
    if _FORWARD.search(text) and facts.forward_m < -SURE_WAY_M and not _BACKWARD.search(text):
        faults.append((sure, f"goes forward; the hips go {-facts.forward_m:.1f} m backward"))
    sides = {match[1] for match in _SIDEWAYS.finditer(text)}
    if len(sides) == 1 and abs(facts.left_m) > SURE_WAY_M:
        (side,) = sides
        if (side == "left") != (facts.left_m > 0):
            way = "left" if facts.left_m > 0 else "right"
            distance = abs(facts.left_m)
            faults.append((sure, f"goes {side}; the hips go {distance:.1f} m to the {way}"))
    return faults


def _limb_faults(text: str, facts: SegmentFacts) -> list[tuple[bool, str]]:
    faults: list[tuple[bool, str]] = []
    speed = {"left": facts.left_hand_mps, "right": facts.right_hand_mps}
    hands = {match[1] for match in _HAND.finditer(text)}
    if len(hands) == 1:
        (side,) = hands
        other = "right" if side == "left" else "left"
        if speed[side] < STILL_HAND_MPS and speed[other] > BUSY_HAND_MPS:
            faults.append((True, f"names the {side} hand; only the {other} hand moves"))
        elif speed[other] > 2.0 * speed[side] + 0.15:
            faults.append((False, f"names the {side} hand; the {other} hand moves more"))
    lift = {"left": facts.left_foot_m, "right": facts.right_foot_m}
    feet = {match[1] for match in _FOOT_LIFT.finditer(text)}
    if len(feet) == 1:
        (side,) = feet
        other = "right" if side == "left" else "left"
        if lift[side] < 0.15 and lift[other] > 0.3:
            faults.append((True, f"kicks with the {side} foot; only the {other} foot lifts"))
    if _JUMP.search(text) and not facts.jumps:
        both = min(facts.left_foot_m, facts.right_foot_m)
        sure = both < 0.08
        faults.append((sure, f"jumps; no flight is found (lower lift {both:.2f} m)"))
    return faults


def _posture_faults(text: str, facts: SegmentFacts) -> list[tuple[bool, str]]:
    faults: list[tuple[bool, str]] = []
    order = facts.postures.replace(">", ", ")
    if _SITS.search(text) and facts.pelvis_m > 0.8:
        faults.append((True, f"sits; the hips stay above {facts.pelvis_m:.2f} m"))
    if _LIES.search(text) and "lying" not in facts.postures:
        faults.append((facts.pelvis_m > 0.6, f"lies; the postures are {order}"))
    upright = {"standing", "bent over"} & set(facts.postures.split(">"))
    if re.search(r"\bstands? up\b", text) and not upright:
        faults.append((False, f"stands up; the postures are {order}"))
    if _STILL.search(text) and facts.path_m > 1.0:
        faults.append((True, f"stands still; the hips go {facts.path_m:.1f} m"))
    return faults


def _shared_sentences(
    captions: Sequence[SegmentCaption], segments: Mapping[str, Segment]
) -> list[CaptionFault]:
    """One sentence for segments that differ in what geometry knows says too little or too much."""
    users: dict[str, list[str]] = defaultdict(list)
    for row in captions:
        for sentence in row.sentences:
            if sentence and row.id not in users[sentence]:
                users[sentence].append(row.id)
    faults: list[CaptionFault] = []
    for sentence, ids in users.items():
        kinds = {_kind(segments[id_].facts) for id_ in ids}
        if len(kinds) > 1:
            others = ", ".join(ids[1:4])
            text = f"shares {sentence!r} with {others}, whose facts differ"
            faults.append(CaptionFault(ids[0], text, False))
    return faults


def _kind(facts: SegmentFacts) -> tuple[str, str, str, bool]:
    """What a sentence should not blur: posture, way, turn, flight."""
    turn = "" if abs(facts.turn_deg) < SURE_TURN_DEG else "left" if facts.turn_deg > 0 else "right"
    if max(abs(facts.forward_m), abs(facts.left_m)) < SURE_WAY_M:
        way = ""
    elif abs(facts.forward_m) >= abs(facts.left_m):
        way = "forward" if facts.forward_m > 0 else "backward"
    else:
        way = "left" if facts.left_m > 0 else "right"
    return facts.postures, way, turn, facts.jumps > 0
