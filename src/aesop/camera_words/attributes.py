"""A cinematographer's vocabulary: the closed list of what can be asked of a camera, attribute by
attribute, and the record of facts that a reader fills, an operator obeys and a tagger measures."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, fields, replace
from typing import Literal, get_args

from aesop.core.errors import AesopError

Size = Literal["extreme-wide", "wide", "full", "medium", "close-up", "extreme-close-up"]
Height = Literal["ground", "low", "eye", "high", "overhead"]
# Named by where the camera stands: at "profile-left" it sees the person's left side.
PersonSide = Literal[
    "front", "three-quarter-front", "profile-left", "profile-right", "three-quarter-back", "behind"
]
Turn = Literal[
    "pan-left", "pan-right", "tilt-up", "tilt-down", "whip-pan", "pan-follow", "roll", "dutch"
]
LensWord = Literal["zoom-in", "zoom-out", "dolly-zoom", "wide-angle", "long-lens"]
MoveName = Literal[
    "static", "push-in", "pull-out", "truck-left", "truck-right", "boom-up", "boom-down",
    "arc-left", "arc-right", "orbit", "follow", "follow-beside", "lead", "fly-past",
]  # fmt: skip
Extent = Literal["quarter", "half", "full"]
GripName = Literal["locked-off", "dolly", "steadicam", "handheld"]
Composition = Literal["centre", "left-third", "right-third", "head-room", "lead-room"]
Pace = Literal["slightly", "slowly", "quickly", "dramatically", "all-the-way"]
When = Literal["then", "as-she-turns", "at-the-end"]
FaceTime = Literal["start", "end", "throughout"]
Attribute = Literal[
    "size", "height", "side", "turn", "lens", "move", "extent", "grip", "place", "pace", "when"
]

ATTRIBUTES: tuple[Attribute, ...] = get_args(Attribute)
ZOOMS: tuple[LensWord, ...] = ("zoom-in", "zoom-out", "dolly-zoom")
LENS_CLASSES: tuple[LensWord, ...] = ("wide-angle", "long-lens")
WITH_PERSON: tuple[MoveName, ...] = ("follow", "follow-beside", "lead")
AROUND: tuple[MoveName, ...] = ("arc-left", "arc-right", "orbit")
# What makes the person larger or smaller in the picture, so that a shot ends on another size.
SIZE_CHANGES: frozenset[str] = frozenset({"push-in", "pull-out", "zoom-in", "zoom-out"})
MOST_STEPS = 3

# How far "slightly" goes and how fast "quickly" is: the intensity that a pace word stands for.
INTENSITY_OF: dict[Pace, float] = {
    "slightly": 0.5, "slowly": 0.7, "quickly": 1.3, "dramatically": 1.4, "all-the-way": 1.5,
}  # fmt: skip


class VocabularyError(AesopError):
    """A name that is not in the vocabulary, or values that no one shot can have."""


@dataclass(frozen=True, order=True)
class AttributeValue:
    """One thing that can be asked for, with its meaning in one line.

    `reversed_value` is what the caption of the reversed twin says (in for out, up for down, left
    for right); `mirrored_value` what is true in a mirror (left for right alone).
    """

    attribute: Attribute
    value: str
    definition: str
    reversed_value: str
    mirrored_value: str

    @property
    def name(self) -> str:
        """ "size:close-up", as phrase banks and columns write it."""
        return f"{self.attribute}:{self.value}"


_DEFINITIONS: dict[Attribute, dict[str, str]] = {
    "size": {
        "extreme-wide": "the picture is over 5.5 m high where the person is: they are small in it",
        "wide": "2.9 to 5.5 m: the whole person, and much around them",
        "full": "1.75 to 2.9 m: the person from head to toe fills the height",
        "medium": "0.7 to 1.75 m: from the knees or the waist up",
        "close-up": "0.36 to 0.7 m: head and shoulders",
        "extreme-close-up": "under 0.36 m: the face or a part of it",
    },
    "height": {
        "ground": "the lens is less than 0.35 m above the ground",
        "low": "the lens is below six tenths of the height of the neck",
        "eye": "about as high as the person's head and chest, looking down less than 15 degrees",
        "high": "looks down on the person's neck by 15 to 50 degrees",
        "overhead": "looks down by more than 50 degrees",
    },
    "side": {
        "front": "the camera stands within 25 degrees of where the person faces",
        "three-quarter-front": "25 to 65 degrees from where the person faces",
        "profile-left": "65 to 115 degrees, on the person's left",
        "profile-right": "65 to 115 degrees, on the person's right",
        "three-quarter-back": "115 to 155 degrees from where the person faces",
        "behind": "within 25 degrees of straight behind the person",
    },
    "turn": {
        "pan-left": "turns to its left by 10 degrees or more while it stays where it is",
        "pan-right": "turns to its right by 10 degrees or more while it stays where it is",
        "tilt-up": "turns upwards by 8 degrees or more while it stays where it is",
        "tilt-down": "turns downwards by 8 degrees or more while it stays where it is",
        "whip-pan": "a sideways turn of 35 degrees or more, faster than 100 degrees a second",
        "pan-follow": "stays where it is and turns with a person who passes",
        "roll": "turns about its own axis by 15 degrees or more",
        "dutch": "the horizon is tilted by 7 degrees or more throughout",
    },
    "lens": {
        "zoom-in": "the focal length grows by a quarter or more",
        "zoom-out": "the focal length shrinks by a fifth or more",
        "dolly-zoom": "the lens zooms against the movement: the person keeps their size",
        "wide-angle": "sees more than 69 degrees along the longer edge (26 mm or less)",
        "long-lens": "sees less than 33 degrees along the longer edge (61 mm or more)",
    },
    "move": {
        "static": "stays where it is",
        "push-in": "goes forward, towards what it films",
        "pull-out": "goes backward, away from what it films",
        "truck-left": "goes to its left",
        "truck-right": "goes to its right",
        "boom-up": "rises",
        "boom-down": "sinks",
        "arc-left": "goes around the person to its left",
        "arc-right": "goes around the person to its right",
        "orbit": "goes around the person by 150 degrees or more, to either side",
        "follow": "goes where the person goes, behind them or wherever it stands",
        "follow-beside": "goes where the person goes, beside them",
        "lead": "goes where the person goes, ahead of them and facing them",
        "fly-past": "goes straight past the person, whom it sees ahead first and behind it last",
    },
    "extent": {
        "quarter": "a quarter of a circle around the person: 60 to 135 degrees",
        "half": "half a circle: 135 to 270 degrees",
        "full": "a full circle: 270 degrees or more",
    },
    "grip": {
        "locked-off": "neither moves nor turns nor shakes",
        "dolly": "moves or turns without shaking, as on wheels or on a head",
        "steadicam": "floats: shakes a little, as somebody who carries it well",
        "handheld": "shakes as a camera does that is held in the hands",
    },
    "place": {
        "centre": "the person is in the middle of the picture",
        "left-third": "the person is about a third of the width from the left edge",
        "right-third": "the person is about a third of the width from the right edge",
        "head-room": "there is much room above the head: a quarter of the picture or more",
        "lead-room": "there is more room on the side to which the person looks or goes",
    },
    "pace": {
        "slightly": "intensity 0.5",
        "slowly": "intensity 0.7",
        "quickly": "intensity 1.3",
        "dramatically": "intensity 1.4",
        "all-the-way": "intensity 1.5",
    },
    "when": {
        "then": "after what was said before",
        "as-she-turns": "begins when the person turns most",
        "at-the-end": "happens in the last part of the shot",
    },
}

_MIRRORED = {
    "profile-left": "profile-right", "pan-left": "pan-right", "truck-left": "truck-right",
    "arc-left": "arc-right", "left-third": "right-third",
}  # fmt: skip
_MIRRORED |= {right: left for left, right in _MIRRORED.items()}
# A reversed twin negates movement: where the camera stands and how it frames is not movement.
_REVERSED = {
    "pan-left": "pan-right", "truck-left": "truck-right", "arc-left": "arc-right",
    "push-in": "pull-out", "boom-up": "boom-down", "tilt-up": "tilt-down", "zoom-in": "zoom-out",
    "follow": "lead",
}  # fmt: skip
_REVERSED |= {minus: plus for plus, minus in _REVERSED.items()}

VOCABULARY: tuple[AttributeValue, ...] = tuple(
    AttributeValue(
        attribute, value, definition, _REVERSED.get(value, value), _MIRRORED.get(value, value)
    )
    for attribute, values in _DEFINITIONS.items()
    for value, definition in values.items()
)
_BY_NAME = {value.name: value for value in VOCABULARY}


def attribute_value(name: str) -> AttributeValue:
    """The value that "size:close-up" names."""
    if name not in _BY_NAME:
        raise VocabularyError(
            f"There is no camera attribute {name!r}.",
            f"Write attribute:value with one of {', '.join(ATTRIBUTES)}.",
        )
    return _BY_NAME[name]


def values_of(attribute: Attribute) -> tuple[str, ...]:
    """All values of an attribute, in their order."""
    return tuple(_DEFINITIONS[attribute])


@dataclass(frozen=True)
class Step:
    """What happens at one time: moves, turns and a zoom together. `extent` is of an arc or orbit;
    `when` is None for what starts the shot."""

    moves: tuple[MoveName, ...] = ()
    turns: tuple[Turn, ...] = ()
    zoom: LensWord | None = None
    extent: Extent | None = None
    when: When | None = None

    @property
    def is_static(self) -> bool:
        """Whether the step says that nothing moves, turns or zooms."""
        return self.moves == ("static",) and not self.turns and self.zoom is None

    @property
    def goes_with_person(self) -> bool:
        return bool(set(self.moves) & set(WITH_PERSON))

    @property
    def actions(self) -> frozenset[str]:
        """What it does, whenever."""
        return frozenset(replace(self, when=None).names)

    @property
    def names(self) -> tuple[str, ...]:
        """Values as phrase banks write them."""
        names = [f"when:{self.when}"] if self.when else []
        names += [f"move:{move}" for move in self.moves]
        names += [f"turn:{turn}" for turn in self.turns]
        names += [f"lens:{self.zoom}"] if self.zoom else []
        return (*names, *([f"extent:{self.extent}"] if self.extent else []))


@dataclass(frozen=True)
class CameraFacts:
    """Everything that can be asked of a camera, or measured of one; None and () leave it open.

    Height, side and lens are those at the start of the shot. A lens is a class here; zooms are
    steps. `dutch` means a tilted horizon throughout. `face` is when the face is to be seen: no
    value of the vocabulary, but what somebody wants who names it.
    """

    size_start: Size | None = None
    size_end: Size | None = None
    height: Height | None = None
    side: PersonSide | None = None
    lens: LensWord | None = None
    dutch: bool = False
    steps: tuple[Step, ...] = ()
    grip: GripName | None = None
    places: tuple[Composition, ...] = ()
    pace: Pace | None = None
    face: FaceTime | None = None

    def __post_init__(self) -> None:
        assert len(self.steps) <= MOST_STEPS, "a shot has at most three steps"
        assert self.lens is None or self.lens in LENS_CLASSES, "a zoom is a step"

    @property
    def is_empty(self) -> bool:
        return self == CameraFacts()

    @property
    def has_extent(self) -> bool:
        """Whether the facts tell how far the camera goes, so that intensity has no say in it."""
        told = self.size_start is not None and self.size_end not in (None, self.size_start)
        return told or any(step.extent is not None for step in self.steps)

    @property
    def names(self) -> tuple[str, ...]:
        """Values as phrase banks write them, in the order of the shot; sizes say start and end."""
        names = [f"size:{self.size_start}"] if self.size_start else []
        names += [f"height:{self.height}"] if self.height else []
        names += [f"side:{self.side}"] if self.side else []
        names += [f"lens:{self.lens}"] if self.lens else []
        names += ["turn:dutch"] if self.dutch else []
        for step in self.steps:
            names += step.names
        names += [f"size:{self.size_end}"] if self.size_end else []
        names += [f"grip:{self.grip}"] if self.grip else []
        names += [f"place:{place}" for place in self.places]
        return (*names, *([f"pace:{self.pace}"] if self.pace else []))

    @property
    def text(self) -> str:
        """ "close-up, low, push-in then pan-left"."""
        steps = [" + ".join(_spoken(step)) for step in self.steps]
        standing = [*_spoken_sizes(self), self.height, self.side, self.lens]
        standing += ["dutch" if self.dutch else None, " then ".join(steps)]
        words = [*standing, _FACE_TEXT.get(self.face), self.grip, *self.places, self.pace]
        return ", ".join(word for word in words if word) or "nothing"


_FACE_TEXT: dict[FaceTime | None, str] = {
    "start": "the face at the start", "end": "the face at the end", "throughout": "the face",
}  # fmt: skip


def _spoken(step: Step) -> Iterator[str]:
    yield from (name.partition(":")[2] for name in step.names if not name.startswith("when:then"))


def _spoken_sizes(facts: CameraFacts) -> Iterator[str]:
    if facts.size_start and facts.size_end and facts.size_start != facts.size_end:
        yield f"{facts.size_start} to {facts.size_end}"
    elif facts.size_start or facts.size_end:
        yield facts.size_start or f"to {facts.size_end}"


def joined_facts(sure: CameraFacts, likely: CameraFacts) -> CameraFacts:
    """What is sure, and what is likely where that says nothing. Of steps that both know, the sure
    ones lose nothing: likely actions join them where they fit."""
    changes = {
        it.name: getattr(sure, it.name) or getattr(likely, it.name) for it in fields(CameraFacts)
    }
    changes["steps"] = _joined_steps(sure.steps, likely.steps)
    if sure.size_end is None and sure.size_start in (None, likely.size_end):
        changes |= {"size_start": likely.size_start, "size_end": likely.size_end}
    return CameraFacts(**changes)


def _joined_steps(sure: tuple[Step, ...], likely: tuple[Step, ...]) -> tuple[Step, ...]:
    known = {name for step in sure for name in step.actions}
    told = {name for step in likely for name in step.actions}
    if known <= told:
        return likely
    if told <= known or len(sure) != len(likely):
        return sure
    return tuple(_joined_step(one, other) for one, other in zip(sure, likely, strict=True))


def _joined_step(sure: Step, likely: Step) -> Step:
    """Both together, without likely moves and turns of a kind that is known."""
    if sure.is_static:
        return replace(sure, turns=likely.turns, zoom=likely.zoom)
    return Step(
        moves=sure.moves or (() if likely.is_static else likely.moves),
        turns=sure.turns or likely.turns,
        zoom=sure.zoom or likely.zoom,
        extent=sure.extent or likely.extent,
        when=sure.when or likely.when,
    )


def kept_facts(facts: CameraFacts, is_kept: Callable[[str], bool]) -> CameraFacts:
    """The facts without some of their values; steps that are left with nothing go with them."""

    def kept(attribute: str, value: str | None) -> str | None:
        return value if value is not None and is_kept(f"{attribute}:{value}") else None

    steps = [
        replace(
            step,
            moves=tuple(move for move in step.moves if is_kept(f"move:{move}")),
            turns=tuple(turn for turn in step.turns if is_kept(f"turn:{turn}")),
            zoom=kept("lens", step.zoom),  # pyright: ignore[reportArgumentType]
            extent=kept("extent", step.extent),  # pyright: ignore[reportArgumentType]
        )
        for step in facts.steps
    ]
    changes: dict[str, object] = {
        name: kept(name, getattr(facts, name))
        for name in ("height", "side", "lens", "grip", "pace")
    }
    changes["size_start"] = kept("size", facts.size_start)
    changes["size_end"] = kept("size", facts.size_end)
    changes["dutch"] = facts.dutch and is_kept("turn:dutch")
    changes["places"] = tuple(place for place in facts.places if is_kept(f"place:{place}"))
    changes["steps"] = tuple(step for step in steps if step.actions)
    return replace(facts, **changes)  # pyright: ignore[reportArgumentType]


class TooManyStepsError(VocabularyError):
    """More steps than a shot has, and the facts with the first of them."""

    def __init__(self, steps: int, first: CameraFacts) -> None:
        super().__init__(
            f"{steps} steps are too many for one shot; the first {MOST_STEPS} can be filmed.",
            f"Ask for {MOST_STEPS} or fewer.",
        )
        self.left_out, self.first = steps - MOST_STEPS, first


def facts_of(values: Iterable[AttributeValue]) -> CameraFacts:
    """Facts from values in the order in which a sentence says them.

    A "when" opens the next step; a first size is the start's and a second the end's. Whoever says
    two values of one attribute that no shot can have at once is told so.
    """
    facts, step = CameraFacts(), Step()
    steps: list[Step] = []
    for value in values:
        match value.attribute:
            case "when":
                steps += [step] if _acts(step) else []
                opens = value.value == "then" and not steps
                step = Step(when=None if opens else value.value)  # pyright: ignore[reportArgumentType]
            case "move" | "turn" | "extent" | "lens" if value.value not in (
                "dutch", *LENS_CLASSES,
            ):  # fmt: skip
                step = _with_action(step, value)
            case _:
                facts = _with_standing(facts, value)
    steps += [step] if _acts(step) else []
    if len(steps) > MOST_STEPS:
        raise TooManyStepsError(len(steps), replace(facts, steps=tuple(steps[:MOST_STEPS])))
    return replace(facts, steps=tuple(steps))


def _acts(step: Step) -> bool:
    return replace(step, when=None) != Step()


def _with_action(step: Step, value: AttributeValue) -> Step:
    changes: dict[str, object] = {
        "move": {"moves": _added(step.moves, value.value)},
        "turn": {"turns": _added(step.turns, value.value)},
        "lens": {"zoom": value.value},
        "extent": {"extent": value.value},
    }[value.attribute]  # pyright: ignore[reportAssignmentType]
    opposite = _REVERSED.get(value.value)
    if opposite is not None and opposite in (*step.moves, *step.turns, step.zoom):
        raise VocabularyError(
            f"{opposite} and {value.value} cannot happen at once.",
            'Say one of them, or put "then" between them.',
        )
    return replace(step, **changes)  # pyright: ignore[reportArgumentType]


def _added(values: Sequence[str], value: str) -> tuple[str, ...]:
    return tuple(values) if value in values else (*values, value)


def _with_standing(facts: CameraFacts, value: AttributeValue) -> CameraFacts:
    """The facts with a value that holds for the whole shot, or for one end of it."""
    if value.name == "turn:dutch":
        return replace(facts, dutch=True)
    if value.attribute == "place":
        return replace(facts, places=_added(facts.places, value.value))
    field = value.attribute
    if value.attribute == "size":
        field = "size_start" if facts.size_start in (None, value.value) else "size_end"
    before = getattr(facts, field)
    if before not in (None, value.value):
        raise VocabularyError(
            f"A shot cannot be both {before} and {value.value}.", "Say one of them."
        )
    return replace(facts, **{field: value.value})


def reversed_facts(facts: CameraFacts) -> CameraFacts:
    """The facts of the reversed twin: every movement negated, sizes from end to start."""
    start, end = facts.size_start, facts.size_end
    if end is not None:
        start, end = end, start
    return replace(
        facts,
        size_start=start,
        size_end=end,
        steps=tuple(_exchanged(step, _REVERSED) for step in facts.steps),
    )


def mirrored_facts(facts: CameraFacts) -> CameraFacts:
    """The facts of the same shot in a mirror: left and right exchanged."""
    exchanged = {
        field.name: _MIRRORED.get(value, value)
        for field in fields(facts)
        if isinstance(value := getattr(facts, field.name), str)
    }
    return replace(
        facts,
        **exchanged,  # pyright: ignore[reportArgumentType]
        places=tuple(_MIRRORED.get(place, place) for place in facts.places),  # pyright: ignore[reportArgumentType]
        steps=tuple(_exchanged(step, _MIRRORED) for step in facts.steps),
    )


def _exchanged(step: Step, other: dict[str, str]) -> Step:
    return replace(
        step,
        moves=tuple(other.get(move, move) for move in step.moves),  # pyright: ignore[reportArgumentType]
        turns=tuple(other.get(turn, turn) for turn in step.turns),  # pyright: ignore[reportArgumentType]
        zoom=other.get(step.zoom, step.zoom) if step.zoom else None,  # pyright: ignore[reportArgumentType]
    )
