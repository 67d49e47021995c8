"""Plain camera terms into facts, without any training: textbook words, each with one meaning. What
neither they nor the grammar of movements can read is named, never replaced."""

import re
from dataclasses import dataclass

from aesop.camera_words.attributes import (
    AROUND,
    INTENSITY_OF,
    AttributeValue,
    CameraFacts,
    MoveName,
    Pace,
    attribute_value,
    facts_of,
)
from aesop.camera_words.outline import SIGNS, STATIC, AskedMove
from aesop.camera_words.request_reader import EMPTY_WORDS, read_asked, words_of

_SHOT = r"(?: (?:shot|view|frame|framing|angle|position))?"
_WHO = r"(?:her|him|them|she|he|they|the (?:person|character|subject|actor|dancer|man|woman))"

# Terms by what they name, in any order: at one place the longest match wins. `@shot` may be a word
# for a picture, `@who` is the person.
_TERMS: dict[str, tuple[str, ...]] = {
    "size:extreme-wide": (
        r"(?:an? )?(?:extreme|very|ultra) (?:wide|long)@shot",
        r"establishing shot",
    ),
    "size:wide": (
        r"(?:a )?(?:wide|long) (?:shot|view|frame|framing)",
        r"(?<=from )(?:a )?wide",
        r"(?<=to )(?:a )?wide",
        r"wide(?= to )",
    ),
    "size:full": (
        r"(?:a )?full (?:body |figure |length )?(?:shot|view|frame|framing)",
        r"head to toe",
        r"full (?:body|figure|length)",
    ),
    "size:medium": (
        r"(?:a )?(?:medium|mid|waist|cowboy|american) (?:shot|view|frame|framing)",
        r"(?<=from )(?:a )?medium",
        r"(?<=to )(?:a )?medium",
        r"medium(?= to )",
        r"from the waist up",
        r"waist up",
        r"knees up",
    ),
    "size:close-up": (
        r"(?:a )?(?:close ?ups?|head and shoulders|tight (?:shot|frame|framing))(?:"
        r" (?:shot|view))?(?: (?:of|on) (?:the|her|his|their) (?:face|head))?",
    ),
    "size:extreme-close-up": (
        r"(?:an? )?(?:extreme|big|very) close ?ups?(?: shot)?(?: (?:of|on)"
        r" (?:the|her|his|their) (?:face|eyes|head))?",
        r"(?:ecu|xcu)",
    ),
    "height:ground": (
        r"(?:from |at )?(?:the )?ground level@shot",
        r"(?:from |on |at )the (?:ground|floor)",
        r"worm s eye@shot",
    ),
    "height:low": (
        r"(?:from |at )?(?:a )?low angle@shot",
        r"from (?:below|a low (?:height|position))",
        r"knee level",
    ),
    "height:eye": (r"(?:from |at )?(?:an? )?(?:eye|chest|shoulder) (?:level|height)@shot",),
    "height:high": (
        r"(?:from |at )?(?:a )?high angle@shot",
        r"from above",
        r"looking down(?: (?:at|on) @who)?",
    ),
    "height:overhead": (
        r"(?:from )?(?:a )?bird s eye@shot",
        r"(?:from )?overhead@shot",
        r"top ?down@shot",
        r"from the top",
        r"god s eye(?: view)?",
        r"straight down",
    ),
    "side:front": (
        r"from (?:the|in) front(?: of @who)?",
        r"frontal(?: shot| view)?",
        r"facing @who",
    ),
    "side:three-quarter-front": (
        r"(?:in |from )?(?:a )?(?:three quarters?|3 4)(?: front)?(?: profile)?@shot",
    ),
    "side:profile-left": (
        r"(?:in |from )?(?:a )?left profile@shot",
        r"(?:in )?profile from (?:the|her|his|their) left(?: side)?",
        r"from (?:her|his|their) left(?: side)?",
    ),
    "side:profile-right": (
        r"(?:in |from )?(?:a )?right profile@shot",
        r"(?:in )?profile from (?:the|her|his|their) right(?: side)?",
        r"from (?:her|his|their) right(?: side)?",
        r"(?:in )?profile(?: shot| view)?",
    ),
    "side:three-quarter-back": (
        r"(?:in |from )?(?:a )?(?:three quarters?|3 4) (?:back|rear|from behind)@shot",
    ),
    "side:behind": (
        r"from (?:directly |straight )?behind(?: @who)?",
        r"from the (?:back|rear)",
    ),
    "turn:pan-left": (
        r"(?:pans?|panning)(?: shot)?(?: (?:to|towards?))?(?: the)? left(?:wards?)?",
    ),
    "turn:pan-right": (
        r"(?:pans?|panning)(?: shot)?(?: (?:to|towards?))?(?: the)? right(?:wards?)?",
    ),
    "turn:tilt-up": (r"(?:tilts?|tilting)(?: shot)? up(?:wards?)?",),
    "turn:tilt-down": (r"(?:tilts?|tilting)(?: shot)? down(?:wards?)?",),
    "turn:whip-pan": (r"(?:whip|swish|flash) ?pans?(?:ning)?(?: shot)?",),
    "turn:pan-follow": (
        r"(?:pans?|panning|turns?) (?:to follow|with|after|along with)(?: @who)?",
        r"follow pan",
        r"following pan",
        r"follows? @who with a pan",
        r"pans? and follows?(?: @who)?",
    ),
    "turn:roll": (
        r"(?:rolls?|rolling)(?: (?:sideways|over|around its axis))?",
        r"barrel roll",
        r"camera roll",
    ),
    "turn:dutch": (
        r"(?:a )?(?:dutch|canted|tilted|oblique)(?: (?:angle|tilt|shot|horizon|frame))+",
        r"tilted horizon",
    ),
    "lens:zoom-in": (r"(?:zooms?|zooming)(?: shot)? in(?: (?:on|to|towards?) @who)?",),
    "lens:zoom-out": (r"(?:zooms?|zooming)(?: shot)? (?:out|back)(?: (?:from|of) @who)?",),
    "lens:dolly-zoom": (
        r"(?:a )?(?:dolly zoom|vertigo effect|vertigo shot|zolly|trombone shot|contra zoom)",
    ),
    "lens:wide-angle": (
        r"(?:with |on |through )?(?:an? )?wide angle(?: lens| shot)?",
        r"(?:with |on )?(?:a )?(?:wide|short) lens",
        r"fisheye(?: lens)?",
    ),
    "lens:long-lens": (
        r"(?:with |on |through )?(?:a )?(?:long|tele|telephoto)(?: photo)? lens",
        r"telephoto(?: shot)?",
    ),
    "move:orbit": (
        r"(?:an? )?orbits?(?:ing)?(?: shot)?(?: (?:around )?@who)?(?! to the|left|right)",
        r"circl(?:e|es|ing)(?: all the way)? around @who(?! to the)",
    ),
    "move:fly-past": (
        r"(?:fl(?:y|ies|ying)|rush(?:es|ing)?|sweep(?:s|ing)?) (?:past|by)(?: @who)?",
        r"fly ?by(?: shot)?",
    ),
    "extent:quarter": (
        r"(?:a |for a |by a )?quarter (?:of a )?(?:circle|turn|orbit|way(?: around)?)",
        r"(?:by )?90(?: degrees?)?",
        r"ninety degrees?",
    ),
    "extent:half": (
        r"(?:a |for a |in a )?(?:half(?: of)?(?: a)?|semi) ?(?:circle|turn|orbit|way(?:"
        r" around)?)",
        r"(?:by )?180(?: degrees?)?",
    ),
    "extent:full": (
        r"(?:in )?(?:a )?(?:full|complete|whole|entire)"
        r" (?:circle|turn|orbit|revolution|rotation)",
        r"all the way a?round(?: @who)?",
        r"(?:by )?360(?: degrees?)?",
    ),
    "grip:locked-off": (
        r"(?:with |on )?(?:a )?(?:locked(?: off)? (?:camera|shot|tripod)|locked off|lock"
        r" off)(?: (?:camera|shot|tripod))?",
    ),
    "grip:dolly": (r"on (?:a )?(?:dolly|rails|tracks?|slider)(?: tracks?)?",),
    "grip:steadicam": (
        r"(?:with |on |from )?(?:a )?(?:steadicam|steady ?cam|gimbal|floating camera)(?: shot)?",
    ),
    "grip:handheld": (
        r"(?:with |from )?(?:a )?(?:hand ?held|shaky(?: cam)?|shoulder mounted)(?:"
        r" camera| shot)?",
    ),
    "place:centre": (
        r"(?:keep(?:s|ing)? )?(?:@who )?(?:cent(?:ere|re)d|in the"
        r" (?:cent(?:er|re)|middle)(?: of the (?:frame|picture|shot|image))?|dead cent(?:er|re))",
    ),
    "place:left-third": (
        r"(?:@who )?(?:on|in|to) the left third(?: of the (?:frame|picture|image))?",
        r"frame left",
        r"left of (?:the )?frame",
    ),
    "place:right-third": (
        r"(?:@who )?(?:on|in|to) the right third(?: of the (?:frame|picture|image))?",
        r"frame right",
        r"right of (?:the )?frame",
    ),
    "place:head-room": (
        r"(?:with |leaving |leave )?(?:lots of |plenty of |much |some )?head ?room(?:"
        r" above @who)?",
    ),
    "place:lead-room": (
        r"(?:with |leaving |leave )?(?:some |plenty of )?(?:lead|look|looking|nose)"
        r" ?room(?: (?:in front of|ahead of|for) @who)?",
    ),
    "when:as-she-turns": (
        r"(?:as|when) (?:she|he|they|the person|the character) turns?(?: (?:around|back|away))?",
    ),
    "when:at-the-end": (
        r"at the (?:very )?end",
        r"towards the end",
        r"in the end",
    ),
    "when:then": (
        r"and then",
        r"then",
        r"after (?:that|which)",
        r"afterwards",
        r"next",
        r"followed by",
        r"(?:and )?finally",
    ),
}

_PACES: tuple[tuple[str, Pace], ...] = (
    (r"slightly|a (?:little|bit)|(?:very )?subtly|subtle|barely|just a touch", "slightly"),
    (r"slow(?:ly)?|gently|gentle|gradual(?:ly)?|unhurried(?:ly)?", "slowly"),
    (r"quick(?:ly)?|fast|rapid(?:ly)?|swift(?:ly)?|briskly", "quickly"),
    (r"dramatic(?:ally)?|boldly|sweepingly", "dramatically"),
    (r"all the way(?! a?round)|as far as (?:possible|it can)", "all-the-way"),
)
_COMPILED = tuple(
    (re.compile(rf"\b(?:{term.replace('@shot', _SHOT).replace('@who', _WHO)})\b"), name)
    for name, terms in _TERMS.items()
    for term in terms
)
# What people also say of shots, and no camera path can do: it is named, and not taken for words
# that ask for nothing.
_CANNOT = re.compile(
    r"\b(?:over the shoulder|(?:rack|pull|deep|soft|shallow) focus|focus pull|depth of field|bokeh"
    r"|(?:jump|match|smash|cross) ?cuts?|cuts? to|split screen|slow motion|time ?lapse|montage"
    r"|fades? (?:in|out|to)|black and white|point of view|pov)\b"
)
_PACE_TERMS: tuple[tuple[re.Pattern[str], Pace], ...] = tuple(
    (re.compile(rf"\b(?:{pattern})\b"), pace) for pattern, pace in _PACES
)
# Words that only join what was understood.
_JOINING = EMPTY_WORDS | {"while", "until", "seen", "filmed", "keeping", "keep", "stays", "stay"}


@dataclass(frozen=True)
class ReadFacts:
    """What a sentence asks for, and the words in it that nobody could read."""

    facts: CameraFacts
    unread: tuple[str, ...]


@dataclass(frozen=True)
class PaceWord:
    """A word for how far or how fast, and the intensity that it stands for."""

    word: str
    pace: Pace

    @property
    def intensity(self) -> float:
        return INTENSITY_OF[self.pace]

    @property
    def text(self) -> str:
        """ "slowly → 0.7"."""
        return f"{self.word} → {self.intensity:g}"


def pace_in(words: str) -> PaceWord | None:
    """The first word of a sentence that says how far or how fast the camera goes, if it has one
    that is no part of a term ("a whip pan" is no pace)."""
    text = _plain(words)
    found = [
        (match.start(), PaceWord(match[0], pace))
        for pattern, pace in _PACE_TERMS
        for match in pattern.finditer(text)
    ]
    return None if not found else min(found, key=lambda one: one[0])[1]


def read_facts(words: str) -> ReadFacts:
    """Terms first; the grammar of movements reads what they leave over, step by step."""
    values: list[AttributeValue] = []
    unread: list[str] = []
    pace = pace_in(words)
    text = _plain(words)
    unread += [match[0] for match in _CANNOT.finditer(text)]
    for sentence in re.split(r"[.;!?]+(?:\s|$)", _CANNOT.sub(" ", text)):
        opening: str | None = None
        for step in _cut_at_times(sentence):
            named, left = _terms_in(step.text)
            moves, missed = _moves_in(left)
            if step.when and (named or moves):
                values.append(attribute_value(step.when))
            elif opening is None and values and (moves or any(map(_is_action, named))):
                values.append(attribute_value("when:then"))
            opening = step.text
            values += [*named, *moves, *_implied([*named, *moves])]
            unread += missed
    facts = facts_of(values)
    if pace is not None:
        facts = facts_of([*values, attribute_value(f"pace:{pace.pace}")])
    return ReadFacts(facts, tuple(unread))


def _plain(words: str) -> str:
    text = words.lower().replace("°", " degrees").replace("/", " ")
    text = re.sub(r"n['’]t\b", " not", text)
    return re.sub(r"\s+", " ", re.sub(r"['’:()\"\-]", " ", text)).strip()


@dataclass(frozen=True)
class _TimedText:
    when: str | None
    text: str


def _cut_at_times(sentence: str) -> list[_TimedText]:
    """Parts of a sentence, each with the word for its time. "At the end" may come last."""
    matches = sorted(
        (
            (match.start(), match.end(), name)
            for pattern, name in _COMPILED
            if name.startswith("when:")
            for match in pattern.finditer(sentence)
        ),
    )
    parts, since, when = list[_TimedText](), 0, None
    for first, stop, name in matches:
        if first < since:
            continue
        before = sentence[since:first].strip(" ,")
        trailing = sentence[stop:].strip(" ,") == "" and name != "when:then"
        if trailing:
            return [*parts, _TimedText(name, before)]
        if before and not _JOINING.issuperset(words_of(before)):
            parts.append(_TimedText(when, before))
            when = name
        elif name != "when:then" or when is None:
            when = name
        since = stop
    return [*parts, _TimedText(when, sentence[since:].strip(" ,"))]


def _terms_in(text: str) -> tuple[list[AttributeValue], str]:
    """Terms in the order of the text, and the text without them."""
    matches = sorted(
        (
            (match.start(), -match.end(), name)
            for pattern, name in _COMPILED
            if not name.startswith("when:")
            for match in pattern.finditer(text)
        ),
    )
    named: list[AttributeValue] = []
    left, since = "", 0
    for first, negative_stop, name in matches:
        if first < since:
            continue
        named.append(attribute_value(name))
        left += text[since:first] + " , "
        since = -negative_stop
    return named, re.sub(r"[\s,]+$", "", left + text[since:]).strip()


def _implied(values: list[AttributeValue]) -> list[AttributeValue]:
    """ "A full circle" alone is an orbit."""
    told = any(value.attribute == "extent" for value in values)
    around = any(value.attribute == "move" and value.value in AROUND for value in values)
    return [attribute_value("move:orbit")] if told and not around else []


def _is_action(value: AttributeValue) -> bool:
    return value.attribute in ("move", "turn", "extent") and value.value != "dutch"


def _moves_in(text: str) -> tuple[list[AttributeValue], list[str]]:
    """Movements that the grammar reads in what terms left over, or the words it cannot read."""
    for pattern, _ in _PACE_TERMS:
        text = pattern.sub(" ", text)
    text = re.sub(r"[\s,]*,[\s,]*", ", ", re.sub(r"\s+", " ", text)).strip(" ,")
    if _JOINING.issuperset(words_of(text)) and not re.search(r"\d", text):
        return [], []
    asked = read_asked(text)
    if asked is None or re.search(r"\d", text):
        return [], [word for word in re.findall(r"[a-z0-9]+", text) if word not in _JOINING]
    values: list[AttributeValue] = []
    for at, move in enumerate(asked.moves):
        values += [attribute_value("when:then")] if at else []
        values += [attribute_value(f"move:{name}") for name in moves_of(move)]
    return values, []


def moves_of(asked: AskedMove) -> tuple[MoveName, ...]:
    """A movement of the grammar in the words of the vocabulary."""
    x, y, z = SIGNS[asked.tag or STATIC]
    vertical: tuple[MoveName, ...] = () if y == 0 else ("boom-down",) if y > 0 else ("boom-up",)
    depth: tuple[MoveName, ...] = () if z == 0 else ("push-in",) if z > 0 else ("pull-out",)
    match asked.kind:
        case "arc":
            around: MoveName = "arc-right" if asked.side == "right" else "arc-left"
            return ("orbit" if asked.side is None else around, *vertical, *depth)
        case "follow":
            return ("follow-beside" if asked.place == "beside" else "follow", *vertical)
        case "lead":
            return ("lead", *vertical)
        case "plain":
            sideways: tuple[MoveName, ...] = ()
            if x:
                sideways = ("truck-right",) if x > 0 else ("truck-left",)
            return (*sideways, *vertical, *depth) or ("static",)


def needs_vocabulary(facts: CameraFacts) -> bool:
    """Whether facts say more than the grammar of movements can: all but plain steps."""
    plain = CameraFacts(steps=facts.steps, pace=facts.pace)
    beyond = {"orbit", "fly-past"}
    return facts != plain or any(
        step.turns or step.zoom or step.extent or step.when not in (None, "then")
        or beyond & set(step.moves)
        for step in facts.steps
    )  # fmt: skip
