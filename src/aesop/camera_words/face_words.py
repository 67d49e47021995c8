"""Whether words ask to see the person's face, and when: "push in to a close-up of her face" wants
it at the end, "start on his face" at the start, "keep her face in the middle" all the time."""

import re
from dataclasses import replace

from aesop.camera_words.attributes import AROUND, CameraFacts, FaceTime
from aesop.camera_words.standing_terms import PEOPLE

_WHOSE = rf"(?:her|his|their|the (?:\w+ )?{PEOPLE}s|the {PEOPLE} s)"
_PART = r"(?:eyes|smile|expressions?|mouth|lips)"
_FACE = (
    rf"(?:{_WHOSE} (?:\w+ )?(?:face|{_PART})\b|the face\b(?! of)|\b(?:on|of) face\b"
    rf"|\b(?:on|of|into) the (?:{_PART}|eye)\b|\b(?:only|just) (?:the )?{_PART}\b|\b{_PART} only\b"
    r"|\bface close ?up|\bface to face\b)"
)
_FACES = re.compile(_FACE)
# Who denies a face, hides it, or looks as it does does not want to see it.
_DENIED = re.compile(
    rf"\b(?:no|not|nor|never|t|without|hid\w*|avoid\w*|conceal\w*|cover\w*|secret|instead of|except"
    rf"|but|through|from behind|past|away from)\b[^.;!?,]{{0,24}}?{_FACE}"
    rf"|{_FACE} (?:\w+ ){{0,3}}(?:hidden|secret|away|unseen|covered|off|out of|left out|in shadow)"
)
_CLOSE = r"(?: (?:right|close|tight|up|on|with|at|in|from|a|an|the|extreme|very|shot|closeup|of))*"
_STARTS_ON = re.compile(
    rf"\b(?:start|open|begin)\w*{_CLOSE} {_FACE}"
    rf"|\b(?:back|out|off|away|up|down)(?: \w+)? from{_CLOSE} {_FACE}|^from{_CLOSE} {_FACE}"
)
_GOES_TO = re.compile(
    rf"\b(?:to|onto|into|on|towards?|until|till|reveal\w*|find\w*|see)\b[^.;!?,]{{0,36}}?{_FACE}"
)
_NO_FRONT = ("profile-left", "profile-right", "three-quarter-back", "behind")


def asked_face(words: str, facts: CameraFacts) -> FaceTime | None:
    """When a face is asked for. A side that is named says more, and whoever circles somebody sees
    the face for a part of the way, unless words tell where that ends."""
    text = re.sub(r"\s+", " ", re.sub(r"[-'’\"()]", " ", words.lower()))
    text = _DENIED.sub(" ", text)
    if not _FACES.search(text):
        return None
    moves = {move for step in facts.steps for move in step.moves}
    changes = any(not step.is_static and not step.goes_with_person for step in facts.steps)
    if changes and _STARTS_ON.search(text):
        return None if facts.side in _NO_FRONT else "start"
    if changes and (facts.size_end is not None or _GOES_TO.search(text)):
        return "end"
    if facts.side in _NO_FRONT or moves & set(AROUND):
        return None
    return "throughout"


def with_face(facts: CameraFacts, words: str) -> CameraFacts:
    """The facts, and the face if it is asked for."""
    face = asked_face(words, facts)
    return facts if face is None else replace(facts, face=face)
