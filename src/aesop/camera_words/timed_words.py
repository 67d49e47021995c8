"""Times in a request ("hold for two seconds, then push in", "0-3s: wide static"): taken out of its
words, and given to the step that they belong to. A text without times stays as it was typed."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import pairwise

from aesop.camera_words.attributes import VocabularyError
from aesop.camera_words.bare_directions import with_same_verb
from aesop.camera_words.request_reader import EMPTY_WORDS, words_of
from aesop.camera_words.step_times import END, OPEN, Instant, SpokenTime
from aesop.camera_words.term_lexicon import read_facts

_SPOKEN: dict[str, float] = {
    "half a": 0.5, "half": 0.5, "a": 1, "an": 1, "one and a half": 1.5, "one": 1,
    "two and a half": 2.5, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7,
    "eight": 8, "nine": 9, "ten": 10, "eleven": 11, "twelve": 12, "fifteen": 15, "twenty": 20,
    "thirty": 30, "a couple of": 2, "couple of": 2, "a couple": 2,
}  # fmt: skip
_DIGITS = r"(?<![\w.,:])\d{1,3}(?:[.,]\d+)?"
_WORD = rf"\b(?:{'|'.join(sorted(_SPOKEN, key=len, reverse=True))})"
_UNIT = r"(?:secs?|seconds?|s)\b"
# "A second push in" is another one: a second is a time where nothing that can be a noun follows.
_NO_NOUN = (
    r"(?![\w-]|\s+(?!(?:then|and|before|after|or|while|later|the camera)\b|hold|wait|static|stay"
    r"|still|\w+ (?:in|out|left|right|up|down|back)\b)[a-z])"
)
_LASTS = rf"(?:{_DIGITS}[ -]?{_UNIT}|{_WORD}[ -](?:secs?\b|seconds\b|second{_NO_NOUN}))"
_CLOCK = r"(?<![\d.:])(?!9:16\b)0?\d:[0-5]\d(?:\.\d+)?(?![\d:])"  # 9:16 is a picture
_POINT = rf"(?:the )?(?:{_LASTS}|{_CLOCK}|{_WORD}[ -]second(?= mark))(?: mark)?"
_NUMBER = rf"(?:{_DIGITS}|{_WORD}\b)"
_ABOUT = r"(?:(?:about|around|roughly|exactly|a full|a good|another|the next|the) )?"
_FOR = r"(?:for|during|over|in|on|within|throughout) "
_TO = r" ?(?:-|\u2013|\u2014|to|until|till) ?"
_SHOT = r" (?:the|this) (?:shot|film|clip|take|scene|motion|video|action)"
_HALFWAY = r"(?:half-?\s?way|mid-?way)"
_HOLDS = r"(?:hold|wait|pause|rest|freeze)s?"
_ACTS_NEXT = (
    r"(?=[ -](?:hold|static|still|wait|pause|rest|push|pull|pan|tilt|arc|orbit|zoom|truck|boom"
    r"|dolly|crane|track)\w*)"
)

_EDGES = {"first": 0, "opening": 0, "initial": 0, "last": 1, "final": 1, "closing": 1}
_PARTS: dict[str, tuple[float, float]] = {
    "first half": (0.0, 1 / 2), "second half": (1 / 2, 1.0), "last half": (1 / 2, 1.0),
    "latter half": (1 / 2, 1.0), "final half": (1 / 2, 1.0), "first third": (0.0, 1 / 3),
    "second third": (1 / 3, 2 / 3), "last third": (2 / 3, 1.0), "final third": (2 / 3, 1.0),
    "first quarter": (0.0, 1 / 4), "last quarter": (3 / 4, 1.0), "final quarter": (3 / 4, 1.0),
}  # fmt: skip
_EDGE, _PART = rf"(?P<edge>{'|'.join(_EDGES)})", rf"(?P<part>{'|'.join(_PARTS)})"

# In this order: a time that holds another comes first.
_TIMES: tuple[tuple[str, str], ...] = (
    # "for two to three seconds" is a length, "from 2 to 5 s" and "0-3s:" are not.
    ("vague", rf"\b(?:for|over|in|lasting|{_HOLDS}) {_ABOUT}(?P<a>{_NUMBER}){_TO}(?P<b>{_LASTS})"),
    ("range", rf"\b(?:from|between) (?P<a>{_POINT}|{_NUMBER})(?:{_TO}| and )(?P<b>{_POINT})"),
    ("range", rf"(?P<a>{_LASTS}|{_CLOCK}|{_NUMBER}){_TO}(?P<b>{_LASTS}|{_CLOCK})"),
    (
        "edge",
        rf"\b(?:{_FOR})?(?:the |its )?{_EDGE} (?P<d>{_NUMBER}[ -]?{_UNIT})(?: of{_SHOT})?",
    ),
    # "In the last second we see her smile" tells on what a shot ends; "for the last second" when.
    ("edge", rf"\b(?:for|during|over|throughout) (?:the )?{_EDGE} (?P<d>second{_NO_NOUN})"),
    (
        "part",
        rf"\b(?:{_FOR})?(?:the )?{_PART}\b(?! (?:circle|turn|orbit))(?: of{_SHOT}|(?! of\b))",
    ),
    (
        "middle",
        rf"\b(?:at |from )?(?:the )?{_HALFWAY} (?:point|mark|through|in)\b(?:{_SHOT})?"
        r"(?! (?:the|a|an|her|his|their|on|him)\b)",
    ),
    ("middle", rf"(?:^|(?<=[;.] )|(?<=then )){_HALFWAY}(?=,)"),
    (
        "until",
        r"\b(?:until|till?|up until|up to|by|(?:end|stop|finish)(?:s|ing|ping|es)? (?:at|by)) "
        rf"{_ABOUT}(?P<d>{_POINT})(?: in\b)?",
    ),
    (
        "start",
        r"(?:\b(?:(?:start|begin)(?:s|ning|ing)? )?(?:at|from)|@|\bt ?[=+]) ?"
        rf"{_ABOUT}(?P<d>{_POINT})(?: on(?:wards?)?\b)?",
    ),
    ("start", rf"\bafter the first (?P<d>(?:{_NUMBER}[ -]?)?{_UNIT})"),
    (
        "after",
        rf"\bafter {_ABOUT}(?:an? )?(?P<d>{_POINT})(?:[ -](?:delay|pause|wait|hold|beat|rest)\b)?",
    ),
    ("after", rf"(?P<d>{_LASTS}) later\b"),
    ("start", rf"(?P<d>{_LASTS}) in(?:(?=\s*[,.;:]|\s*$)|to (?:it\b|{_SHOT.strip()}))"),
    ("start", rf"(?:^|(?<=, )|(?<=then ))in (?P<d>{_LASTS})(?=,)"),
    (
        "lasting",
        rf"\b(?:for|over|within|during|across|lasting|lasts) {_ABOUT}(?P<d>{_LASTS})"
        r"(?: (?:long|straight)\b)?",
    ),
    ("within", rf"\bin {_ABOUT}(?P<d>{_DIGITS}[ -]?{_UNIT})"),
    ("holding", rf"(?P<verb>\b(?:{_HOLDS}|still|static) ){_ABOUT}(?P<d>{_LASTS})"),
    (
        "lasting",
        rf"(?:\ban? )?(?P<d>(?:{_DIGITS}|(?!(?:an?|one) ){_WORD})[ -](?:sec|second)){_ACTS_NEXT}",
    ),
    ("lasting", rf"(?P<d>(?!\d0s)\b{_DIGITS} ?{_UNIT})(?! (?:per|apart|each)\b)"),
)
_PATTERNS = tuple((kind, re.compile(pattern + r"\s*:?")) for kind, pattern in _TIMES)
# "Every two seconds", "less than 2 s" are no times of ours.
_NO_TIME = re.compile(r"\b(?:every|each|per|than|under|only) $")
# "Push in 3s": there "in" is the way, not the time.
_WAY_IN = re.compile(
    r"\b(?:push|zoom|doll|mov|track|truck|go|com|eas|creep|walk|clos|glid|slid|fly|flies|punch|rush)"
    r"(?:\w*) $"
)
_NEXT = re.compile(
    r"\s*(?:[;|\n]+|[.!?]+(?=\s|$)|[-=]?>|\u2192|\u21d2"
    r"|[,.]?\s*\b(?:(?:and |but )?then|after (?:that|which|this)|(?:and )?afterwards?|(?:and )?next"
    r"|followed by|(?:and )?finally|(?:and )?lastly|before (?=\w+ing\b)|subsequently)\b,?)\s*"
)
_JOINTS = re.compile(r"\s*(?:,|:|\s[-\u2013\u2014]+(?=\s)|\band\b|\bwhile\b)\s*")
_NUMBERED = re.compile(r"(?:^|(?<=, ))\(?\d[.):]\s+")
_REST = re.compile(
    r"(?:(?:please|the|camera|shot|frame|just|we|it|first|starts?|begins?|ends?|finish(?:es)?"
    r"|starting|beginning|ending|by|with|on|and|a|so|do|let) )*"
    r"(?:holds?|holding|waits?|waiting|paus(?:e|es|ing)|rests?|resting|stays?|staying|remains?"
    r"|stop(?:s|ping)?|halts?|beat|freezes?|settles?|nothing|still(?:ness)?|linger(?:s|ing)?"
    r"|hang(?:s|ing)?|steady|sits?|no movement)"
    r"(?: (?:still|there|it|position|steady|that|again|put|happens|here|for|on|the|shot|frame"
    r"|camera|at|first))*"
)


@dataclass(frozen=True)
class TimedClause:
    """The words of one step, without times, and when it is to happen."""

    words: str
    time: SpokenTime = OPEN

    @property
    def is_rest(self) -> bool:
        """ "Wait", "hold": the camera does nothing."""
        return _REST.fullmatch(" ".join(self.words.lower().split())) is not None


@dataclass(frozen=True)
class _Time:
    """A time in a text."""

    first: int
    stop: int
    time: SpokenTime


@dataclass
class _ClauseDraft:
    """A clause that is being put together."""

    words: list[str]
    time: SpokenTime = OPEN

    @property
    def text(self) -> str:
        return ", ".join(self.words)

    @property
    def says_something(self) -> bool:
        return _says(self.text)


@cache
def timed_clauses(words: str) -> tuple[TimedClause, ...]:
    """The steps of a request in which somebody named times; none where nobody did."""
    text = with_same_verb(" ".join(words.split(" ")).replace("’", "'"))
    times = _times_in(text.lower())
    if not times:
        return ()
    drafts: list[_ClauseDraft] = []
    for segment in _segments(text, times):
        drafts += _drafts_of(segment)
    if not any(draft.says_something for draft in drafts):
        return ()
    drafts = _with_words(drafts)
    return tuple(TimedClause(_NUMBERED.sub("", draft.text), draft.time) for draft in drafts)


def without_times(words: str) -> str:
    """The request without its times; as it was typed where it has none."""
    clauses = timed_clauses(words)
    return ", then ".join(clause.words for clause in clauses) if clauses else words


def seconds_in(text: str) -> float:
    """ "Two seconds", "0:04", "3.5s"."""
    plain = text.lower().strip().removeprefix("the ").strip()
    if clock := re.match(r"(\d+):(\d\d(?:\.\d+)?)", plain):
        return 60 * int(clock[1]) + float(clock[2])
    if number := re.match(r"\d+(?:[.,]\d+)?", plain):
        return float(number[0].replace(",", "."))
    spoken = re.sub(r"[ -]*(?:secs?|seconds?|s)?(?: mark)?$", "", plain)
    return float(_SPOKEN[spoken]) if spoken else 1.0


def _times_in(text: str) -> list[_Time]:
    found: list[_Time] = []
    for kind, pattern in _PATTERNS:
        for match in pattern.finditer(text):
            first = match.end("verb") if kind == "holding" else match.start()
            is_way = kind == "within" and _WAY_IN.search(text[:first])
            is_taken = any(first < it.stop and it.first < match.end() for it in found)
            if not (is_way or is_taken or _NO_TIME.search(text[:first])):
                found.append(_Time(first, match.end(), _meant(kind, match)))
    return sorted(found, key=lambda it: it.first)


def _meant(kind: str, match: re.Match[str]) -> SpokenTime:
    if kind == "part":
        first, last = _PARTS[match["part"]]
        return SpokenTime(Instant(share=first), Instant(share=last))
    if kind == "middle":
        return SpokenTime(start=Instant(share=0.5))
    if kind in ("range", "vague"):
        first, last = seconds_in(match["a"]), seconds_in(match["b"])
        if kind == "vague":
            return SpokenTime(lasting_s=(first + last) / 2)
        return SpokenTime(Instant(first), Instant(last))
    seconds = seconds_in(match["d"])
    match kind:
        case "edge" if _EDGES[match["edge"]]:
            return SpokenTime(Instant(-seconds, 1.0), END)
        case "edge":
            return SpokenTime(Instant(), Instant(seconds))
        case "until":
            return SpokenTime(stop=Instant(seconds))
        case "start":
            return SpokenTime(start=Instant(seconds))
        case "after":
            return SpokenTime(after_s=seconds)
        case _:
            return SpokenTime(lasting_s=seconds)


@dataclass(frozen=True)
class _TimedPiece:
    """Words between commas, or a time between words."""

    words: str = ""
    time: SpokenTime | None = None
    is_new: bool = True  # a comma, an "and" stands before it


def _segments(text: str, times: Sequence[_Time]) -> Iterator[list[_TimedPiece]]:
    """The text cut at words that say "then", as pieces; times are never cut."""
    masked = text.lower()
    for it in times:
        masked = masked[: it.first] + "\0" * (it.stop - it.first) + masked[it.stop :]
    cuts = [(0, 0), *(match.span() for match in _NEXT.finditer(masked)), (len(text), len(text))]
    for (_, first), (stop, _) in pairwise(cuts):
        pieces = list(_pieces(text, masked, first, stop, times))
        if pieces:
            yield pieces


def _pieces(
    text: str, masked: str, first: int, stop: int, times: Sequence[_Time]
) -> Iterator[_TimedPiece]:
    here = [it for it in times if first <= it.first < stop]
    marks = [(match.start() + first, match.end() + first, None)
             for match in _JOINTS.finditer(masked[first:stop])]  # fmt: skip
    marks += [(it.first, it.stop, it.time) for it in here]
    since, is_new = first, True
    for start, end, time in sorted(marks, key=lambda mark: mark[:2]):
        words = text[since:start].strip(" ,:.-–—()[]")
        if words:
            yield _TimedPiece(words, None, is_new)
            is_new = False
        if time is not None:
            yield _TimedPiece("", time, is_new)
        is_new = time is None
        since = end
    words = text[since:stop].strip(" ,:.-–—()[]")
    if words:
        yield _TimedPiece(words, None, is_new)


def _drafts_of(pieces: Sequence[_TimedPiece]) -> list[_ClauseDraft]:
    """Clauses of a segment. A time belongs to the words that it touches: to those before it where
    it stands behind them, else to those after it."""
    drafts = [_ClauseDraft([])]
    for at, piece in enumerate(pieces):
        now, after = drafts[-1], pieces[at + 1] if at + 1 < len(pieces) else None
        if piece.time is None:
            is_done = now.says_something and not now.time.is_open
            if is_done and _acts(piece.words):
                drafts.append(_ClauseDraft([piece.words]))
            else:
                now.words.append(piece.words)
            continue
        leads, fits = _leads(piece, after, now), _fits(now, piece.time)
        # "Push in after two seconds slowly": what comes behind a time is no step of its own.
        goes_on = fits and not (leads and now.says_something and after and _acts(after.words))
        if not goes_on:
            drafts.append(_ClauseDraft([]))
        _split_standing(drafts, leads=leads)
        drafts[-1].time = drafts[-1].time.joined(piece.time)
    return drafts


def _split_standing(drafts: list[_ClauseDraft], *, leads: bool) -> None:
    """ "Static, push in for the last 3 seconds": a time behind several steps is the last one's."""
    now = drafts[-1]
    if leads or not now.time.is_open or len(now.words) < 2:
        return
    acting = [at for at, words in enumerate(now.words) if _acts(words)]
    if len(acting) > 1:
        cut = acting[-1]
        drafts[-1] = _ClauseDraft(now.words[:cut])
        drafts.append(_ClauseDraft(now.words[cut:]))


def _leads(piece: _TimedPiece, after: _TimedPiece | None, now: _ClauseDraft) -> bool:
    """Whether a time stands before its words."""
    if after is None or after.time is not None or not _says(after.words):
        return False
    if not now.says_something:
        return True
    assert piece.time is not None
    # "Push in, after two seconds pan": what says when something begins stands before it.
    if piece.time.begins:
        return piece.is_new or not after.is_new
    return piece.is_new and not after.is_new


def _fits(now: _ClauseDraft, time: SpokenTime) -> bool:
    return now.time.is_open or now.time.joins(time)


def _says(words: str) -> bool:
    return not EMPTY_WORDS.issuperset(words_of(words))


def _acts(words: str) -> bool:
    """Whether words are a step: not only where the camera stands or how it is held."""
    if not _says(words):
        return False
    if TimedClause(words).is_rest:
        return True
    try:
        facts = read_facts(words).facts
    except VocabularyError:
        return True
    return bool(facts.steps) or facts.is_empty


def _with_words(drafts: Sequence[_ClauseDraft]) -> list[_ClauseDraft]:
    """Times that stand alone go to the words after or before them: "after two seconds, then push
    in". A length that stands alone is a rest."""
    kept: list[_ClauseDraft] = []
    for draft in drafts:
        before = kept[-1] if kept else None
        if before is not None and not before.says_something and before.time.is_only_start:
            if draft.time.is_open or before.time.joins(draft.time):
                draft.time = before.time.joined(draft.time)
                kept.pop()
        elif not draft.says_something and before is not None and _fits(before, draft.time):
            before.time = before.time.joined(draft.time)
            before.words += draft.words
            continue
        if draft.says_something or not draft.time.is_open:
            kept.append(draft)
    for draft in kept:
        if not draft.says_something:
            draft.words = ["hold still"]
    return kept
