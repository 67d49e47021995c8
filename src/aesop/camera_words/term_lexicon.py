"""Plain camera terms into facts, without any training: textbook words, each with one meaning. What
neither they nor the grammar of movements can read is named, never replaced."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from aesop.camera_words.attributes import (
    AROUND,
    WITH_PERSON,
    AttributeValue,
    CameraFacts,
    MoveName,
    TooManyStepsError,
    attribute_value,
    facts_of,
)
from aesop.camera_words.bare_directions import with_same_verb
from aesop.camera_words.beyond_terms import without_beyond
from aesop.camera_words.outline import SIGNS, STATIC, AskedCamera, AskedMove
from aesop.camera_words.pace_words import pace_in, without_paces
from aesop.camera_words.request_reader import EMPTY_WORDS, read_asked, words_of
from aesop.camera_words.spoken_numbers import numbers_as_terms, plain_text
from aesop.camera_words.standing_terms import WHO
from aesop.camera_words.term_matches import MOVES, TERMS, matches, terms_in

# What the person does meanwhile, and what a move lets us see, ask for nothing more.
_HARMLESS = re.compile(
    rf"\b(?:(?:as|while|when) {WHO} (?:runs?|walks?|goes|go|pass(?:es)?|moves?|danc(?:es?|ing)"
    r"|cross(?:es)?|jogs?|jumps?|performs?|speaks?|talks?)(?: (?:by|past|away|off|along))?"
    r"|(?:to )?reveal(?:s|ing)? (?:the|her|his|their)(?: whole| entire)? (?:room|scene|set|place"
    r"|surroundings|location|landscape|world|space)|rule of thirds|drone(?: shot)?)\b"
)
# Words that make the size after them the one a shot ends on.
_ENDS_ON = re.compile(
    r"\b(?:to|into|until|(?:end|ends|ending|finish|finishes|finishing|land|lands|landing|settle"
    r"|settles|settling|stop|stops|stopping)(?: up)?(?: on| in| with| at)?|till|becomes?)"
    r"(?: it is| it s| we have| we are| we re| (?:s?he|they) (?:is|are|s|re|becomes?|fills?)"
    r"| (?:we |you )?(?:show|see|reveal|include)s?)?(?: an?| the)? *$"
    r"|\b(?:pull|zoom|track|doll)\w* (?:out|back) *$"
)
# The same where nothing moves that is named: "finish on a wide", "a close-up by the end".
_IS_LAST = re.compile(
    r"\b(?:end|finish|land|settle|conclude|wind|come)(?:s|es|ing)?(?: up| to rest)?"
    r" (?:on|in|with|at)(?: an?| the)? *$"
)
_COMES_LAST = re.compile(r" *,? *(?:right |only )?(?:at|by|in|towards) the (?:very )?end\b")
_ONE_SIDE = re.compile(
    r"(?<!her )(?<!his )(?<!their )\b(?:(?:going|mov\w*) )?(?:to (?:the |camera |its )?)?"
    r"(?P<side>left|right)(?:wards?)?\b"
)
_GOES_SIDEWAYS = re.compile(r"\b(?:truck|track|slid|crab|straf|pan|tilt|profile|arc|circl)")
_ABOUT_SOMEBODY = re.compile(rf"\b(?:a?round|about) {WHO}\b")
_THEIR_LEFT = re.compile(r"\b(?:her|his|their) left\b")
_THEIR_RIGHT = re.compile(r"\b(?:her|his|their) right\b|\bright profile|\bprofile right")
_AROUND = re.compile(r"\b(?:a?round|about|circl|orbit|arc|lap\b|revol|360|180|bullet|half|semi)")
_ON_A_PART = re.compile(r"(?:on|to|towards?) ")  # "in on her face" is where a move goes
_LOCKED = "grip:locked-off"
_BEHIND = re.compile(
    rf"\b(?:from|close|right|along|gliding|stay\w*|sit|start\w*) behind\b|\bbehind {WHO}\b"
    r"|, behind(?= *,| *$)|\bat (?:her|his|their) (?:back|heels)\b|\bon (?:her|his|their) heels\b"
)
_STAYS_BEHIND = re.compile(r"\bstay(?:s|ing)? (?:right |close |just |directly )*behind\b")
_AHEAD = re.compile(
    rf"(?:be |are |is |right )*(?:in front|ahead)(?: of {WHO})?(?: walking backwards?)?"
)
_AT_ONCE = re.compile(
    r"\b(?:while|at the same time|simultaneously|as (?:it|we|you|the (?:camera|lens))|same size"
    r"|and)\b"
)
# Words that nobody uses who does not speak of a camera or a picture.
_TRADE = re.compile(
    r"\d ?mm\b|\b(?:shots?|angles?|lens|frame|framing|view|zoom\w*|pans?|panning|tilt\w*|dolly"
    r"|trucks?|tracking|orbit\w*|dutch\w*|zolly|profile|close ?ups?|cam(?:era)?|hand ?hel?d"
    r"|handeld|steadi\w*"
    r"|gimbal|level|thirds?|hand side|(?:head|lead|nose) ?room|(?:waist|knees?|chest) up"
    r"|head to (?:toe|foot|feet)|full (?:body|figure|length)|three quarters?|3 4|fov|focal"
    r"|plong[ée]e|gro(?:ß|ss)aufnahme|(?:halb)?totale|halbnah|perspective|m[cl]?s|m?cu|[ebx]cu"
    r"|[vexm]?[lw]s|els|fs|ots|over (?:the|her|his|their) (?:left |right )?shoulder|shak\w+"
    r"|wobbl\w+|jitter\w*|(?:start|open|begin)s? behind)\b"
)
_CAMERA = re.compile(r"\bcam(?:era)?\b")
# "In profile" is either side, whoever is seen from three quarters may face us, and to look
# straight down is to look down.
_SURER = (
    ("height:overhead", "height:high"),
    ("height:ground", "height:low"),
    ("side:profile-left", "side:profile-right"),
    ("side:three-quarter-front", "side:front"),
    ("side:three-quarter-back", "side:behind"),
)
_OPPOSITES = (
    ("move:push-in", "move:pull-out"), ("move:truck-left", "move:truck-right"),
    ("move:boom-up", "move:boom-down"), ("move:arc-left", "move:arc-right"),
    ("turn:pan-left", "turn:pan-right"), ("turn:tilt-up", "turn:tilt-down"),
    ("lens:zoom-in", "lens:zoom-out"),
)  # fmt: skip
_UNDONE_BY = {one: other for pair in _OPPOSITES for one, other in (pair, pair[::-1])}
# Words that only join what was understood.
_JOINING = EMPTY_WORDS | {
    "while", "until", "till", "seen", "filmed", "keeping", "keep", "stays", "stay", "staying",
    "remain", "remains", "remaining", "could", "would", "like", "put", "set", "place", "pls", "sir",
    "just", "only", "us", "re", "m", "ok", "okay", "so", "now", "lets", "show", "try", "thanks",
    "sh", "sc", "cam",
}  # fmt: skip


@dataclass(frozen=True)
class ReadFacts:
    """What a sentence asks for, and the words in it that nobody could read."""

    facts: CameraFacts
    unread: tuple[str, ...]
    left: str = ""  # the parts of the text that hold those words
    trade: frozenset[str] = frozenset()  # names of values that were said in words of the trade
    left_out: int = 0  # steps after the last that a shot can have


def read_facts(words: str) -> ReadFacts:
    """Terms first; the grammar of movements reads what they leave over, step by step."""
    values: list[AttributeValue] = []
    unread: list[str] = []
    left_over: list[str] = []
    pace = pace_in(words)
    text, beyond = without_beyond(numbers_as_terms(plain_text(with_same_verb(words))))
    unread += beyond
    for sentence in re.split(r"[.;!?]+(?:\s|$)", text):
        opening: str | None = None
        steps = _cut_at_times(sentence)
        for step in _without_undoing(steps):
            named, left = _to_one_side(*terms_in(step.text))
            if any(value.value in WITH_PERSON for value in values) and _AHEAD.fullmatch(step.text):
                named, left = [attribute_value("move:lead")], ""  # "follow her, end up ahead"
            moves, missed = _moves_in(_HARMLESS.sub(" ", left))
            if len(steps) > 1 and not moves and [value.name for value in named] == [_LOCKED]:
                named, moves = [], [attribute_value("move:static")]  # "locked off, then push in"
            if step.when and (named or moves):
                values.append(attribute_value(step.when))
            elif opening is None and values and (moves or any(map(_is_action, named))):
                if _goes_on([*named, *moves], values):  # "bullet time! spin around him"
                    named, moves = [it for it in named if not _is_action(it)], []
                else:
                    values.append(attribute_value("when:then"))
            opening = step.text
            done = _against_its_way([*named, *moves], step.text)
            values += [*done, *_implied(done, step.text)]
            unread += missed
            left_over += [left] if missed else []
    values += [attribute_value(f"pace:{pace.pace}")] if pace is not None else []
    if _has_name(values, "turn:roll") and not _AROUND.search(text):  # "roll a full turn"
        values = [value for value in values if value.attribute != "extent"]
        values = [value for value in values if value.name != "move:orbit"]
    first, left_out = _first_facts(_first_and_last_size(_first_sides(values, text)))
    facts = _on_a_head(first, text)
    if facts.size_end is None and _has_end_size(text, facts):
        facts = replace(facts, size_start=None, size_end=facts.size_start)
    trade = _in_words_of_the_trade(text)
    return ReadFacts(facts, tuple(unread), ", ".join(left_over), trade, left_out)


def _first_facts(values: Sequence[AttributeValue]) -> tuple[CameraFacts, int]:
    """Facts with as many steps as a shot can have, and how many more there are."""
    try:
        return facts_of(values), 0
    except TooManyStepsError as error:
        return error.first, error.left_out


def _in_words_of_the_trade(text: str) -> frozenset[str]:
    """Names of values that no everyday words said: "a medium" may be a gas, "medium shot" not."""
    has_camera = _CAMERA.search(text) is not None
    return frozenset(
        name
        for match in matches(text, TERMS)
        for name in match.names
        if _TRADE.search(text[match.first : match.stop])
        or (has_camera and name.startswith("move:"))
    )


def _first_and_last_size(values: Sequence[AttributeValue]) -> list[AttributeValue]:
    """ "WS, MS, CU": a shot has two sizes, those between lie on its way."""
    sizes = [value for value in values if value.attribute == "size"]
    kept = (sizes[0], sizes[-1]) if sizes else ()
    between = [value for value in sizes if value not in kept]
    return [value for value in values if value not in between]


def _first_sides(values: Sequence[AttributeValue], text: str) -> list[AttributeValue]:
    """Without sides and heights of later steps: the camera comes there by what it does. Of two ways
    to say one side or height the surer counts."""
    names = {value.name for value in values}
    is_left = _THEIR_LEFT.search(text) and not _THEIR_RIGHT.search(text)
    if "side:profile-right" in names and is_left:
        values, names = (
            [*values, attribute_value("side:profile-left")],
            {*names, "side:profile-left"},
        )
    vaguer = {name for sure, name in _SURER if sure in names}
    values = [value for value in values if value.name not in vaguer]
    kept: list[AttributeValue] = []
    for value in values:
        later = any(it.attribute == "when" for it in kept)
        again = value.attribute in ("side", "height") and _has(kept, value.attribute)
        if not (later and again):
            kept.append(value)
    return kept


def _has(values: Sequence[AttributeValue], attribute: str) -> bool:
    return any(value.attribute == attribute for value in values)


def _has_name(values: Sequence[AttributeValue], name: str) -> bool:
    return any(value.name == name for value in values)


def _has_end_size(text: str, facts: CameraFacts) -> bool:
    """Whether the one size of a text is what the shot ends on: "push in to a close-up", "end on a
    wide"."""
    for pattern, name in TERMS:
        for match in pattern.finditer(text) if name == f"size:{facts.size_start}" else ():
            before, after = text[: match.start()], text[match.end() :]
            if _IS_LAST.search(before) or _COMES_LAST.match(after):
                return True
            goes_there = _ON_A_PART.match(match[0]) is not None or _ENDS_ON.search(before)
            if facts.steps and goes_there:
                return True
    return False


def _on_a_head(facts: CameraFacts, text: str) -> CameraFacts:
    """A tripod is locked off unless the camera is asked to turn or move on it."""
    acts = any(not step.is_static for step in facts.steps)
    if facts.grip == "locked-off" and acts and "lock" not in text:
        return replace(facts, grip="dolly")
    return facts


@dataclass(frozen=True)
class _TimedText:
    when: str | None
    text: str


def _cut_at_times(sentence: str) -> list[_TimedText]:
    """Parts of a sentence, each with the word for its time. "At the end" may come last."""
    matches = sorted(
        (
            (match.start(), match.end(), name)
            for pattern, name in TERMS
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


def _without_undoing(steps: Sequence[_TimedText]) -> list[_TimedText]:
    """Steps of a list one by one where something in it undoes what came before: "zoom in, orbit,
    zoom out"."""
    cut: list[_TimedText] = []
    for step in steps:
        pieces, done = [""], set[str]()
        for piece in step.text.split(","):
            names = {value.name for value in terms_in(piece)[0]}
            if any(_UNDONE_BY.get(name) in done for name in names):
                pieces, done = [*pieces, piece], names
            else:
                pieces[-1] += ("," if pieces[-1] else "") + piece
                done |= names
        cut += [
            _TimedText("when:then" if at else step.when, piece.strip(" ,"))
            for at, piece in enumerate(pieces)
        ]
    return cut


def says_nothing(text: str) -> bool:
    """Whether a plain text has only words that join what is understood."""
    return _JOINING.issuperset(words_of(text))


def _goes_around(values: list[AttributeValue]) -> bool:
    return any(value.attribute == "extent" or value.name == "move:orbit" for value in values)


def _to_one_side(named: list[AttributeValue], left: str) -> tuple[list[AttributeValue], str]:
    """Of "a full circle around him to the left" the side is that of the circle: no truck is asked
    for. Terms, and what they leave over."""
    sides = list(_ONE_SIDE.finditer(left)) if _goes_around(named) else []
    if len(sides) != 1 or _GOES_SIDEWAYS.search(left):
        return named, left
    arc = attribute_value(f"move:arc-{sides[0]['side']}")
    rest = _ABOUT_SOMEBODY.sub(" ", left[: sides[0].start()] + " " + left[sides[0].end() :])
    return [*(value for value in named if value.name != "move:orbit"), arc], rest


def _implied(values: list[AttributeValue], text: str) -> list[AttributeValue]:
    """ "A full circle" alone is an orbit, and whoever stays behind somebody goes along."""
    names = {value.name for value in values}
    told = any(value.attribute == "extent" for value in values)
    around = any(value.attribute == "move" and value.value in AROUND for value in values)
    implied = ["move:orbit"] if told and not around else []
    moves = any(value.attribute == "move" for value in values)
    if not moves and _STAYS_BEHIND.search(text) and _LOCKED not in names:
        implied.append("move:follow")
    return [attribute_value(name) for name in implied]


def with_place_behind(facts: CameraFacts, words: str) -> CameraFacts:
    """Whoever tracks behind somebody is behind them, whatever else was read."""
    follows = any("follow" in step.moves for step in facts.steps)
    if facts.side is not None or not follows or not _BEHIND.search(plain_text(words)):
        return facts
    return replace(facts, side="behind")


def _against_its_way(values: list[AttributeValue], text: str) -> list[AttributeValue]:
    """A camera that goes back while the lens zooms in, so that somebody keeps their size: what is
    asked of the lens is a dolly zoom."""
    names = {value.name for value in values}
    against = {"move:push-in", "lens:zoom-out"} <= names or {
        "move:pull-out",
        "lens:zoom-in",
    } <= names
    if not against or not _AT_ONCE.search(text):
        return values
    zooms = ("lens:zoom-in", "lens:zoom-out")
    return [*(it for it in values if it.name not in zooms), attribute_value("lens:dolly-zoom")]


def _goes_on(now: Sequence[AttributeValue], before: Sequence[AttributeValue]) -> bool:
    """Whether a sentence says again what the step before it does."""
    return {value.name for value in now if _is_action(value)} <= _last_step(before)


def _is_action(value: AttributeValue) -> bool:
    return value.attribute in ("move", "turn", "extent") and value.value != "dutch"


def _moves_in(text: str) -> tuple[list[AttributeValue], list[str]]:
    """Movements that the grammar reads in what terms left over, or the words it cannot read."""
    text = re.sub(r"[\s,]*,[\s,]*", ", ", re.sub(r"\s+", " ", without_paces(text))).strip(" ,")
    if _JOINING.issuperset(words_of(text)) and not re.search(r"\d", text):
        return [], []
    asked = read_asked(text)
    if asked is None or re.search(r"\d", text):
        return _moves_among(text)
    return _values_of(asked), []


def _moves_among(text: str) -> tuple[list[AttributeValue], list[str]]:
    """Movements in a text that the grammar cannot read as a whole, piece by piece, and its other
    words."""
    values: list[AttributeValue] = []
    unread: list[str] = []
    for piece in text.split(", "):
        moves, left = terms_in(piece, MOVES)
        values += _in_turn(values, moves)
        unread += [word for word in re.findall(r"[^\W_]+", left) if word not in _JOINING]
    return values, unread


def _in_turn(
    before: Sequence[AttributeValue], now: Sequence[AttributeValue]
) -> list[AttributeValue]:
    """What comes in a list after something that it undoes comes after it in time."""
    undoes = any(_UNDONE_BY.get(value.name) in _last_step(before) for value in now)
    return [*([attribute_value("when:then")] if undoes else []), *now]


def _last_step(values: Sequence[AttributeValue]) -> set[str]:
    opened = [at for at, value in enumerate(values) if value.attribute == "when"]
    return {value.name for value in values[opened[-1] + 1 if opened else 0 :]}


def _values_of(asked: AskedCamera) -> list[AttributeValue]:
    values: list[AttributeValue] = []
    for at, move in enumerate(asked.moves):
        values += [attribute_value("when:then")] if at else []
        values += [attribute_value(f"move:{name}") for name in moves_of(move)]
    return values


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
