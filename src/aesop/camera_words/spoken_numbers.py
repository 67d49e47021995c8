"""A request in plain words: marks, numbers and abbreviations (arrows, millimetres, degrees of a
circle, "R to L", the label of a shot list) as the terms that they stand for."""

import re

_SHORT = (
    (r"\blvl\b", "level"),
    (r"\bcw\b", "clockwise"),
    (r"\bccw\b", "counterclockwise"),
    (r" ?\bdegs?\b", " degrees"),
    (r"\br to l\b", "right to left"),
    (r"\bl to r\b", "left to right"),
    (r"\b(?:pls|plz|thx)\b", " "),
)
_LABEL = re.compile(r"^\W*(?:(?:sc(?:ene)?|sh(?:ot)?|sq|setup)\.? ?\d+\w?[\W_]*)+")
# From one focal length to another is a zoom by a lens that begins at the first.
_TWO_LENSES = re.compile(
    r"(?:\bzoom(?:s|ing)? )?(?:\b(?:from|on|(?:start|begin)(?:s|ning|ing)?(?: at| on| with)?)"
    r" )?(?:an? )?\b(?P<first>\d{1,3}) ?(?:mm)?[ ,]*(?:and )?"
    r"(?:then|(?:up |down )?to|until|(?:then )?(?:end|finish)(?:s|ing)?(?: up)?(?: at| on| with)?)"
    r" (?:an? )?(?P<last>\d{1,3}) ?mm\b"
)
# How long and how high in numbers: nothing that the vocabulary knows.
_MEASURES = re.compile(
    r"\b(?:(?:over|in|for|within|during) )?\d+(?:\.\d+)? ?(?:s|secs?|seconds?)\b"
    r"|\bfrom \d+(?:\.\d+)? ?m to \d+(?:\.\d+)? ?m\b"
)
# Neither wide nor long: said to be usual, and no term.
_USUAL_LENS = re.compile(r"(?:\b(?:on|with) )?(?:\ban? )?\b(?:2[7-9]|[345]\d|60) ?mm(?: lens)?\b")
_AROUND = re.compile(r"\b(?:a?round|about|circl\w*|orbit\w*|arc\w*|lap|revol\w*|semi)\b")
_OTHER_ANGLE = re.compile(r"\b(?:roll|tilt|pan|dutch|down|up|off|from (?:the )?front)")
_ANGLE = re.compile(r"\b(?:by )?(?:an? )?(?P<angle>\d{2,3}) degrees?\b")
# Of a camera that turns on the spot an angle says how far, which the vocabulary does not know.
_TURNS = re.compile(r"\b(?:pans?|panning|tilts?|tilting|whips?|swivel\w*|yaws?|rolls?|turns?)\b")
_TENS = r"(?:twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety)(?: five)?"
_TURN_ANGLE = re.compile(
    r"\b(?:by |for |about )*(?:an? (?=\d))?"
    rf"(?:(?:\d{{1,3}}|{_TENS}|ten|fifteen|one eighty|three sixty) degrees?"
    r"|(?:45|90|180|270|360))\b"
)
_PIECES = re.compile(r"(\s*(?:[,;.!?]|\b(?:and |but )?then\b|\band\b|\bwhile\b)\s*)")
# How much nearer a lens comes: "zoom 2x", "a 2x zoom", "zoom in by a factor of two".
_TIMES = r"(?P<{0}>\d+(?:\.\d+)?) ?(?:x|times)"
_FACTOR = re.compile(
    rf"\bzoom(?:s|ing)?(?P<way> in| out)?(?: by| to)?(?: (?:{_TIMES.format('after')}\b"
    rf"|x ?(?P<sign>\d+(?:\.\d+)?)\b|a factor of (?P<factor>\d+(?:\.\d+)?)\b))"
    rf"|\b{_TIMES.format('before')}(?P<how>(?: \w+)?) zoom(?:s|ing)?(?P<late> in| out)?\b"
)
# Degrees from which a way around somebody is a quarter, a half and a full circle
# (camera_words/attributes.py).
_QUARTER, _HALF, _FULL = 60, 135, 270


def _numbered_as_steps(words: str) -> str:
    """ "1) wide 2) push in" as "wide, then push in"."""
    first = re.compile(r"^\s*\(?1[.):]\s+")
    if not first.search(words):
        return words
    return re.sub(r"[\s,;.]*\(?\b[2-9][.):]\s+", ", then ", first.sub("", words))


def plain_text(words: str) -> str:
    """In lower case and without marks; arrows and numbered lists become steps in time."""
    text = re.sub(r"\s*(?:[-=]?>|→|⇒)\s*", " then ", _numbered_as_steps(words).lower())
    text = re.sub(r"\s[/|]\s", " , ", text.replace("°", " degrees"))
    text = text.replace("/", " ").replace("+", " , ")
    text = re.sub(r"n['’]t\b|(?<=\bdo)nt\b|(?<=\bdoes)nt\b|(?<=\bis)nt\b", " not", text)
    return re.sub(r"\s+", " ", re.sub(r"['’:()\"\-–]", " ", text)).strip()


def numbers_as_terms(text: str) -> str:
    """A plain text in lower case: "zoom from 24 mm to 70 mm" is "24mm, zoom in", "arc 75 degrees"
    is "arc 90 degrees"."""
    text = _LABEL.sub("", text)
    for pattern, meant in _SHORT:
        text = re.sub(pattern, meant, text)
    text = _USUAL_LENS.sub(" ", _TWO_LENSES.sub(_zoom, _MEASURES.sub(" ", text)))
    if _AROUND.search(text) and not _OTHER_ANGLE.search(text):
        text = _ANGLE.sub(_part_of_circle, text)
    text = "".join(map(_without_turn_angle, _PIECES.split(_FACTOR.sub(_zoom_by, text))))
    return re.sub(r"\s+", " ", text).strip()


def _zoom(match: re.Match[str]) -> str:
    first, last = int(match["first"]), int(match["last"])
    return f" {first}mm, zoom {'in' if last > first else 'out'}"


def _zoom_by(match: re.Match[str]) -> str:
    """A zoom by a factor goes in if it is above one, unless words say where it goes."""
    said = match["after"] or match["sign"] or match["factor"] or match["before"]
    way = match["way"] or match["late"] or (" in" if float(said) >= 1 else " out")
    return f"{match['how'] or ''} zoom{way}"


def _without_turn_angle(piece: str) -> str:
    """ "Pan left 90 degrees" is a pan, and no quarter of a circle."""
    if not _TURNS.search(piece) or _AROUND.search(piece):
        return piece
    return _TURN_ANGLE.sub(" ", piece)


def _part_of_circle(match: re.Match[str]) -> str:
    angle = int(match["angle"])
    if angle < _QUARTER:
        return " "
    return f"{90 if angle < _HALF else 180 if angle < _FULL else 360} degrees"
