"""What stands in a request and no film obeys: numbers of metres, degrees and millimetres, and parts
of the body other than the face. Whoever films says so afterwards."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from aesop.camera_words.attributes import CameraFacts
from aesop.camera_words.spoken_numbers import plain_text
from aesop.camera_words.term_matches import heights_reached
from aesop.camera_words.timed_words import without_times

_TENS = "twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety"
_SPOKEN = (
    r"(?:half an?|an? (?:hundred|couple of|few)|one hundred(?: and)? (?:eighty|twenty)|one eighty"
    rf"|(?:{_TENS})[ -]?(?:one|two|three|four|five|six|seven|eight|nine)?|one and a half|one|two"
    r"|three|four|five|six|seven|eight|nine|ten|eleven|twelve|fifteen)"
)
_NUMBER = rf"(?:(?<![\w.,])\d{{1,4}}(?:[.,]\d+)?|\b{_SPOKEN})"
_PLAIN_NUMBER = r"(?<![\w.,])\d{1,4}(?:[.,]\d+)?"


def _unit(units: str, number: str = _NUMBER) -> re.Pattern[str]:
    return re.compile(rf"(?P<number>{number})[ -]?(?:{units})(?![\w/])", re.IGNORECASE)


_MILLIMETRES = _unit(r"mm|mil|milli(?:meter|metre)s?")
_METRES = _unit(r"met(?:er|re)s?|centi(?:meter|metre)s?|foot|feet|yards?|inch(?:es)?")
_SHORT_METRES = _unit(r"m|cm|km|ft|yds?", _PLAIN_NUMBER)
_DEGREES = re.compile(
    rf"(?P<number>{_NUMBER})(?:[ -]?(?:degrees?|degs?\b|°))(?P<rate> (?:per|a) second\b)?",
    re.IGNORECASE,
)
_FACTORS = re.compile(
    r"(?<![\w.,])(?:\d+(?:\.\d+)? ?x(?![\w]| ?\d)|x ?\d+(?:\.\d+)?(?![\w:]))"
    r"|\bby a factor of (?:\d+(?:\.\d+)?|\w+)",
    re.IGNORECASE,
)
_SPEEDS = re.compile(
    r"(?<![\w.,])\d+(?:[.,]\d+)? ?(?:km/h|kmh|kph|mph|m/s|mps|miles per hour|met(?:er|re)s? (?:per"
    r"|a) second)\b",
    re.IGNORECASE,
)
_SHARES = re.compile(r"(?<![\w.,])\d+(?:[.,]\d+)? ?(?:%|per ?cent\b)(?! of the (?:shot|film|time))")
_STEPS = _unit(r"(?:big |small |little )?(?:steps|paces)(?! later| behind)")
_ROUNDS = re.compile(
    rf"\b(?:twice|thrice|(?:{_NUMBER})[ -]?(?:times|laps|rounds|(?:full |complete |whole )?"
    r"(?:circles|orbits|turns|revolutions|rotations)))(?!\w)",
    re.IGNORECASE,
)
_FILM_STOCK = re.compile(r" ?(?:film|stock|print|celluloid)\b", re.IGNORECASE)
_ZOOM = re.compile(r"\bzoom", re.IGNORECASE)
# What the number of degrees is said of: a way around somebody, a turn on the spot, or where the
# camera stands.
_AROUND = re.compile(
    r"\b(?:a?round|about|circl\w*|orbit\w*|arc\w*|laps?|revol\w*|semi|360|180|90)\b", re.IGNORECASE
)
_TURNS = re.compile(
    r"\b(?:pans?|panning|tilts?|tilting|whips?|swivel\w*|rolls?|rolling|dutch\w*|yaws?|turns?)\b",
    re.IGNORECASE,
)
_STANDS = re.compile(
    r"\b(?:down|above|below|off|front|behind|side|view|angle|fov|field of view|profile|pitch\w*"
    r"|low|high|overhead|perspective|shot|looking)\b",
    re.IGNORECASE,
)
_GOES = re.compile(
    r"\b(?:push|pull|truck|track|doll|boom|crane|jib|ped|mov|go|slid|rise|climb|drop|lower|back"
    r"|forward|arc|fly|flies|glid|creep|travel|walk|advance|retreat)\w*\b",
    re.IGNORECASE,
)
_NOT_FAR = re.compile(
    r"\b(?:away|high|height|distance|tall|above|off|from|over|below|behind|ahead|up high)\b",
    re.IGNORECASE,
)
_PIECES = re.compile(r"[,;!?]|\.(?=\s|$)|[-=]?>|→|\bthen\b|\bwhile\b", re.IGNORECASE)
_PART = (
    r"(?P<{0}>hands?|fingers?|fists?|palms?|wrists?|arms?|elbows?|feet|foot|toes?|shoes?|boots?"
    r"|sneakers?|legs?|knees?|ankles?|hips?|belly|stomach|chest|neck|hair|ears?)\b"
)
_WHOSE = r"(?:the|her|his|their) (?:(?:left|right|two|own|bare) )?"
# Who wants to be close to a part of somebody; a tilt to their feet, and a picture from the knees
# up, are understood.
_CLOSE = re.compile(
    r"\b(?:close|closer|(?:close )?ups?|closeups?|[emx]?cu|tight(?:er)?|insert|detail|macro|zoom\w*"
    r"|focus\w*|push\w*)\b"
)
_OF_A_PART = re.compile(
    rf"(?<!hand )(?<!hands )\b(?:on|onto|of|to|at|into|towards?|only|just) {_WHOSE}"
    rf"{_PART.format('one')}|\b{_WHOSE}{_PART.format('first')} ?,? ?(?:in )?(?:an? )?(?:\w+ )?"
    r"(?:close ?up|e?cu\b)"
)
_TILTS = re.compile(r"\b(?:tilts?|tilting|pans?|panning|booms?|cranes?)\b[^,;.]*")
_FEET = {"feet": 0.3048, "foot": 0.3048, "ft": 0.3048, "cm": 0.01, "centi": 0.01,
         "yard": 0.9144, "yd": 0.9144, "inch": 0.0254, "km": 1000.0}  # fmt: skip
_EXTENTS = (90.0, 180.0, 360.0)


@dataclass(frozen=True)
class Settings:
    """What was set beside the words, so that nobody needs to be told how."""

    lens: bool = False
    travel: bool = False


NO_SETTINGS = Settings()


def unheard_in(words: str, facts: CameraFacts, settings: Settings = NO_SETTINGS) -> tuple[str, ...]:
    """What to say of words that are not obeyed, each with what to do where something can be done.
    Times are, and so are numbers that stand for terms."""
    notes: list[str] = []
    unmeasured: list[str] = []
    for piece in filter(str.strip, _PIECES.split(without_times(words))):
        notes += _of_lenses(piece, facts, settings)
        notes += _of_rounds(piece)
        for text, metres in _lengths(piece):
            if settings.travel:
                continue
            if metres is not None and _is_way(piece, facts):
                notes.append(f"{text!r} is not measured: use --travel {metres:g}")
            else:
                unmeasured.append(text)
        unmeasured += _degrees(piece, facts)
        for pattern in (_FACTORS, _SPEEDS, _SHARES, _STEPS):
            unmeasured += [match[0].strip() for match in pattern.finditer(piece)]
    some = " and ".join(repr(text) for text in dict.fromkeys(unmeasured))
    notes += [f"{some} {'is' if len(set(unmeasured)) == 1 else 'are'} not measured"] if some else []
    heights = (
        f"{text!r}: how high a movement ends cannot be asked" for text in heights_reached(words)
    )
    return (*dict.fromkeys(notes), *_of_parts(words), *heights)


def _of_lenses(piece: str, facts: CameraFacts, settings: Settings) -> Iterator[str]:
    """A focal length is heard as a wide or a long lens at most, two of them as a zoom."""
    if settings.lens or (_zooms(facts) and len(_MILLIMETRES.findall(piece)) > 1):
        return
    for match in _MILLIMETRES.finditer(piece):
        if _FILM_STOCK.match(piece, match.end()) or not match["number"][0].isdigit():
            continue
        number = float(match["number"].replace(",", "."))
        is_wide, is_long = number < 27, number > 60
        heard = (facts.lens == "wide-angle" and is_wide) or (facts.lens == "long-lens" and is_long)
        said = f"is only heard as {facts.lens}" if heard else "is not set by words"
        yield f"'{number:g} mm' {said}: use --lens {number:g}"


def _is_way(piece: str, facts: CameraFacts) -> bool:
    """Whether a length is the whole way of a camera that goes by itself."""
    alone = len(facts.steps) == 1 and not facts.steps[0].goes_with_person
    return alone and bool(_GOES.search(piece)) and not _NOT_FAR.search(piece)


def _zooms(facts: CameraFacts) -> bool:
    return any(step.zoom is not None for step in facts.steps)


def _lengths(piece: str) -> Iterator[tuple[str, float | None]]:
    """Lengths as they were said, and in metres where their number is one of digits."""
    for pattern in (_METRES, _SHORT_METRES):
        for match in pattern.finditer(piece):
            unit = match[0][len(match["number"]) :].strip(" -").lower()
            factor = next((it for name, it in _FEET.items() if unit.startswith(name)), 1.0)
            digits = match["number"].replace(",", ".")
            is_number = re.fullmatch(r"\d+(?:\.\d+)?", digits) is not None
            metres = float(f"{float(digits) * factor:.2g}") if is_number else _spoken(digits)
            yield match[0].strip(), metres if is_number or metres is None else metres * factor


def _spoken(number: str) -> float | None:
    words = ("one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
    return float(words.index(number.lower()) + 1) if number.lower() in words else None


def _degrees(piece: str, facts: CameraFacts) -> Iterator[str]:
    """Angles that stand for no part of a circle and for no place of the camera."""
    turns, around = _TURNS.search(piece), _AROUND.search(piece)
    stands = facts.side or facts.height or facts.lens
    for match in _DEGREES.finditer(piece):
        is_part = any(step.extent for step in facts.steps) and (around or not turns)
        is_part = is_part and not match["rate"] and _is_extent(match["number"])
        is_place = stands and not turns and not is_part and _STANDS.search(piece)
        if not (is_part or is_place):
            yield match[0].strip()


def _is_extent(number: str) -> bool:
    """Whether an angle is that of a quarter, a half or a full circle."""
    return not number[0].isdigit() or float(number.replace(",", ".")) in _EXTENTS


def _of_rounds(piece: str) -> Iterator[str]:
    if _AROUND.search(piece):
        for match in _ROUNDS.finditer(piece):
            yield f"{match[0].strip()!r} is not counted: a camera goes around once at most"


def _of_parts(words: str) -> Iterator[str]:
    """The camera looks at a person, and knows no part of them but the face."""
    text = _TILTS.sub(" ", plain_text(words))
    if not _CLOSE.search(text):
        return
    parts = [match["one"] or match["first"] for match in _OF_A_PART.finditer(text)]
    for part in dict.fromkeys(parts):
        yield f"{part!r}: only the face can be asked for"
