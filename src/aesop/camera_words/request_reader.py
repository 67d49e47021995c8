"""What words ask of a camera, and how much of its time a camera does that. A sentence is read only
if every word of it is understood."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby, pairwise

import numpy as np
import torch
from jaxtyping import Bool, Float, Int

from aesop.camera_words import vocabulary
from aesop.camera_words.caption_reader import PERSON, steps_in, tags_in, without_person
from aesop.camera_words.ground_ways import TurnedBack, turned_back
from aesop.camera_words.outline import (
    PLAIN_BEND_RAD,
    PLAIN_SWEEP_RAD,
    SIGNS,
    STATIC,
    TAG_OF,
    AskedCamera,
    AskedMove,
    Kind,
    Place,
    Side,
    dominant_tag,
    outline_of,
    spoken_tag,
)
from aesop.scene.camera import CameraPath
from aesop.scene.curves import smoothed
from aesop.scene.human import HumanMotion
from aesop.scene.movement import SHORTEST_RUN, signs_from_tag, tag_path

# A camera follows or leads if it goes at least half of the person's way with them.
WITH_PERSON_SHARE = 0.5
# Somebody whose whole way is shorter goes nowhere: a camera that follows them stands too.
GOES_M = 0.5
_WALKS_MPS = 0.2
_PATH_SIGMA = 9.0  # frames: steps and swaying vanish
_UNDONE = 0.05  # of the distance: a push-in that ends so much farther away brought nobody nearer
# Seen along the person's way: within 75° of straight behind or ahead, within 60° of square beside.
_AHEAD_COSINE, _BESIDE_COSINE = float(np.cos(np.radians(75))), float(np.cos(np.radians(30)))
_CHORDS = 8  # of an arc, whose directions show how much it bends
_TRACKING_SHOT = re.compile(r"\btracking (?:shot|move)\b")

Steps = Float[np.ndarray, "transitions 2"]  # along the ground, metres
Mask = Bool[np.ndarray, " transitions"]

_GOING = (
    "stay|keep|remain|go(?:es)?|mov(?:e|es)|travel|walk|run|runn|glid(?:e|es)?|doll(?:y|ies)|truck"
    "|track|com(?:e|es)?|slid(?:e|es)?|rid(?:e|es)?|float|fl(?:y|ies)|head|back|retreat|pull|push"
    "|mov"
)
_GOES = rf"(?:{_GOING})(?:s|l?ing)?"
_WHO = rf"(?:{PERSON}|(?:him|her|them|someone|somebody)\b)"

# Marks for phrases that go with, before or around somebody, whose own words would be read as
# directions. They are no English, so that nobody types them.
FOLLOW, LEAD, ARC = "zzfollow", "zzlead", "zzarc"
BEHIND, BESIDE, FRONT = "zzbehind", "zzbeside", "zzfront"
CLOCKWISE, COUNTER_CLOCKWISE = "zzclockwise", "zzcounterclockwise"
MARKS = frozenset({FOLLOW, LEAD, ARC, BEHIND, BESIDE, FRONT, CLOCKWISE, COUNTER_CLOCKWISE})

_WITH_AND_BESIDE = r"along ?side(?: of)?|side by side(?: with)?"
_BESIDE = rf"{_WITH_AND_BESIDE}|beside|next to"


def _mark(pattern: str, meant: str) -> tuple[re.Pattern[str], str]:
    return re.compile(rf"\b(?:{pattern})(?!\w)"), f" {meant} "


# In this order: a phrase that holds another comes first.
PHRASES: tuple[tuple[re.Pattern[str], str], ...] = (
    _mark(r"follow\w* up (?:with|by)", "then"),
    _mark(r"not move at all", "not move"),
    _mark(r"(?:from )?(?:the )?left to (?:the )?right", "right"),
    _mark(r"(?:from )?(?:the )?right to (?:the )?left", "left"),
    _mark(r"from (?:the )?top to (?:the )?bottom", "down"),
    _mark(r"from (?:the )?bottom to (?:the )?top", "up"),
    _mark(r"(?:on|from) (?:a|the|its) tripod", "static"),
    _mark(r"(?:counter|anti) ?clockwise", COUNTER_CLOCKWISE),
    _mark(r"clockwise", CLOCKWISE),
    _mark(rf"follow(?:s|ing)? {_WHO} a?round", FOLLOW),
    # In front of somebody, going where they go.
    _mark(r"lead(?:s|ing)?|led|preced(?:e|es|ing)", LEAD),
    _mark(rf"{_GOES}(?: \w+){{0,2}}? (?:in front|ahead) of(?= {_WHO})", LEAD),
    # With somebody: behind them, beside them, or wherever.
    _mark(rf"(?:{_GOES}|following) (?:{_BESIDE})|{_WITH_AND_BESIDE}", f"{FOLLOW} {BESIDE}"),
    _mark(rf"(?:{_GOES}|following) (?:close )?behind(?= {_WHO})", f"{FOLLOW} {BEHIND}"),
    _mark(rf"{_GOES} after(?= {_WHO})", f"{FOLLOW} {BEHIND}"),
    _mark(r"trail(?:s|ing)?(?: behind)?|chas(?:e|es|ing)|pursu(?:e|es|ing)", f"{FOLLOW} {BEHIND}"),
    _mark(r"keep(?:s|ing)? (?:up|pace|step) with|in step with", FOLLOW),
    _mark(rf"{_GOES} (?:along |together |right )?with(?= {_WHO})", FOLLOW),
    _mark(rf"track(?:s|ing)?(?= {_WHO})", FOLLOW),
    _mark(r"(?<!the )follow(?:s|ing)?(?! by)(?: along(?: with)?)?", FOLLOW),
    _mark(r"accompan(?:y|ies|ying)|shadow(?:s|ing)?|tag(?:s|ging)? along(?: with)?", FOLLOW),
    _mark(r"from (?:the|in) front(?: of)?|in front of", FRONT),
    _mark(r"from behind|from (?:the|their|his|her) (?:back|rear)|behind", BEHIND),
    _mark(r"beside|next to|from (?:the|their|his|her|one) side|in profile", BESIDE),
    # Around somebody.
    _mark(rf"(?:rotat|turn|spin|swing|wrap)\w* a?round(?= {_WHO})", ARC),
    _mark(r"in (?:an? )?(?:arc|circle|orbit|half circle|semi ?circle)", ARC),
    _mark(r"arc(?:s|ing|ed)?|orbit(?:s|ing|al)?|(?:en)?circl(?:e|es|ing)|curv(?:e|es|ing)", ARC),
    _mark(r"revolv(?:e|es|ing)|half circle|semi ?circle", ARC),
    _mark(rf"(?:{_GOES} )?a?round(?= (?:to|the|{_WHO})|$| *[,.])", ARC),
)  # fmt: skip
# "the person walking to the left": a participle right after somebody is theirs.
THEIR_DOING = re.compile(rf"({_WHO})\s+(?:who|that|\w+ing)\b.*?(?=,|;|\.|$|\b(?:while|then|and)\b)")
# "to her left" is the person's side, and nothing here knows which way that is for the camera.
THEIR_SIDE = re.compile(r"\b(?:s|his|her|their) (?:own )?(?:left|right)\b")
# Whole phrases with words that ask for more when they stand elsewhere ("all the way around").
HARMLESS = re.compile(
    r"\ball (?:in one move|together)\b|\bin unison\b|\bgoes about the action\b"
    r"|\b(?:keeping|holding) [\w ]+? in (?:frame|view|shot|the (?:frame|picture|shot))\b"
)

_FUNCTION = """
a an the and then while as also with by of to from at on in into off onto for it its is are be being
this that there here our we us i me you they them he she him her his their one s toward towards
first firstly second next finally lastly last after afterwards before subsequently eventually later
later followed having once which simultaneously together plus combined both
camera shot view frame take scene picture footage film filming
start starts starting begin begins beginning open opens opening end ends ending finish finishes
finishing close closes closing conclude concludes continue continues out
have has let make makes making want wants should will must get ask can need needs please give use
do does perform performs see watch watching framing
"""
_MANNER = """
slow slowly gentle gently gradual gradually smooth smoothly steady steadily quick quickly fast rapid
rapidly soft softly slight slightly subtle subtly sudden suddenly careful carefully calm calmly
straight directly diagonal diagonally vertical vertically horizontal horizontally lateral laterally
sideways constantly continuously very simple single long short little bit distance across over
"""
_PEOPLE = """
person people character subject performer actor actress figure man woman dancer human boy girl
player runner walker face head body chest waist shoulder shoulders eyes someone somebody main
"""
_MOVING = """
moving movement motion move moves step steps stepping walk walks walking raise raises raising drops
pushing pulls pulling back backs backing near close ahead during action unfolds plays performance
level rail rails track tracks tracking crane jib dolly gimbal steadicam screen
"""
_DIRECTIONS = """
in out up down left right top bottom higher lower rise lift climb ascend descend sink approach
advance retreat withdraw recede held kept stop stops stopping halt halts standstill
"""


def words_of(text: str) -> list[str]:
    """Words in lower case, without signs."""
    return re.findall(r"[a-z]+", text.lower())


def _caption_words() -> set[str]:
    """Every word of the captions' verbs and nouns, in the forms that sentences use."""
    pairs = (
        *vocabulary.CORE, *vocabulary.VERBS, *vocabulary.NOUNS, *vocabulary.SHARED_DIRECTIONS,
        vocabulary.ARC_VERBS, vocabulary.ARC_NOUNS, vocabulary.FOLLOW_NOUNS,
    )  # fmt: skip
    plain = (
        vocabulary.ALONGSIDE_NOUNS, vocabulary.SHARED_VERBS, vocabulary.KEEPINGS,
        vocabulary.SCENES, vocabulary.PEOPLE, vocabulary.STATIC_VERBS, vocabulary.STOP_VERBS,
        vocabulary.STATIC_NOUNS,
    )  # fmt: skip
    phrases = [pair for group in pairs for pair in group]
    phrases += [(phrase, phrase) for group in plain for phrase in group]
    words: set[str] = set()
    for pair in phrases:
        for form in ("base", "third", "gerund"):
            both = vocabulary.inflected(pair, form)
            words.update(words_of(f"{both.words} {both.turned}"))
    return words - {"who"}


# Words that ask for nothing by themselves.
EMPTY_WORDS = frozenset(words_of(" ".join((_FUNCTION, _MANNER, _PEOPLE))))
# A sentence with any other word is not read: it may ask for something that nothing here checks.
KNOWN_WORDS = EMPTY_WORDS.union(words_of(_MOVING), words_of(_DIRECTIONS), _caption_words(), MARKS)
STATIC_PHRASES = re.compile(
    r"\b(?:static|still|motionless|stationary|unmoving|immobile|(?:is |are )?(?:at|to) rest"
    r"|(?:is |are |stays? |remains? |held |kept )?(?:fixed|locked)(?: off| in place)?"
    r"|(?:stays?|remains?|holds?|rests?|keeps?|staying|remaining|holding|resting|keeping)"
    r"(?: (?:its|a|the))? (?:place|position|put|in place|in one spot|where it is)"
    r"|does not (?:move|travel)|doesn t move|never moves|makes no movement|no (?:camera )?movement"
    r"|without moving|not moving|in place|in one spot|where it is)\b"
)


def read_asked(words: str) -> AskedCamera | None:
    """What a sentence asks of the camera; None where it holds anything that is not understood, for
    then a camera cannot be judged by it."""
    marked = _marked(words)
    if marked is None:
        return None
    moves: list[AskedMove] = []
    for step in steps_in(marked):
        asked = _asked_in(step)
        if asked is None:
            return None
        moves += asked
    merged = tuple(move for move, _ in groupby(moves))
    return AskedCamera(merged) if merged else None


def _marked(words: str) -> str | None:
    """The sentences without what the person does, and with marks for going with, before and around
    them. None if a word is unknown, or a direction is the person's own."""
    plain = re.sub(r"n['’]t\b", " not", words.lower().replace("-", " "))
    plain = re.sub(r"\s+", " ", re.sub(r"['’:()\"]", " ", plain)).strip()
    sentences: list[str] = []
    for sentence in re.split(r"[.;!?]+(?:\s|$)", plain):
        text = THEIR_DOING.sub(r"\1", without_person(sentence))
        if THEIR_SIDE.search(text):
            return None
        for phrase, meant in PHRASES:
            text = phrase.sub(meant, text)
        text = re.sub(r"\s+", " ", HARMLESS.sub(" ", text)).strip()
        if not KNOWN_WORDS.issuperset(words_of(STATIC_PHRASES.sub(" ", text))):
            return None
        sentences.append(text)
    return ". ".join(sentences)


def _asked_in(step: str) -> list[AskedMove] | None:
    """The movements of one step in order; none where it says nothing, None if it is not clear."""
    marks = MARKS.intersection(words_of(step))
    tags = tags_in(step)
    kind = _kind_of(step, marks, tags)
    if kind is None:
        return None
    if kind == "plain":
        if not tags and not EMPTY_WORDS.issuperset(words_of(step)):
            return None
        return [AskedMove("plain", tag) for tag in tags]
    moving = [tag for tag in tags if tag != STATIC]
    if (tags and tags[0] == STATIC) or len(moving) > 1:
        return None
    tag = moving[0] if moving else None
    behind: Place | None = "behind" if BEHIND in marks else "beside" if BESIDE in marks else None
    place = "front" if kind == "lead" else behind
    head = _arc(tag, marks) if kind == "arc" else AskedMove(kind, tag, place=place)
    return [head, AskedMove("plain", STATIC)] if STATIC in tags else [head]


def _kind_of(step: str, marks: frozenset[str], tags: Sequence[int]) -> Kind | None:
    arc = bool(marks & {ARC, CLOCKWISE, COUNTER_CLOCKWISE})
    follow, lead = FOLLOW in marks, LEAD in marks
    if arc:
        return None if follow or lead or marks & {BEHIND, BESIDE, FRONT} else "arc"
    if lead or (follow and FRONT in marks):
        return None if marks & {BEHIND, BESIDE} else "lead"
    if follow or (_TRACKING_SHOT.search(step) and not tags):
        return None if {BEHIND, BESIDE} <= marks else "follow"
    return None if marks else "plain"


def _arc(tag: int | None, marks: frozenset[str]) -> AskedMove:
    """Seen from above, a camera that goes to its left goes clockwise around what it looks at."""
    x, y, z = SIGNS[tag or STATIC]
    x = -1 if CLOCKWISE in marks else 1 if COUNTER_CLOCKWISE in marks else x
    side: Side | None = "right" if x > 0 else "left" if x < 0 else None
    return AskedMove("arc", TAG_OF[x, y, z] or None, side)


@dataclass(frozen=True)
class MoveMade:
    """One movement that was asked for, and what the camera did in transitions first … stop−1."""

    asked: AskedMove
    first: int
    stop: int
    tag: int  # the class that holds most of that time
    share: float  # how much of what was asked for was made, in [0, 1]
    right: bool
    way_share: float | None = None  # follow and lead: the camera's way with the person / theirs
    turned_rad: float | None = None  # arc: the camera's own way around the person, + to its right
    back: TurnedBack | None = None  # arc: where it plainly goes the other way for a while
    farther: float | None = None  # push in, pull out: how much farther away it ends, as a share

    @property
    def against(self) -> float:
        """By what share of the distance somebody's own way undoes a push-in or a pull-out."""
        undone = (self.farther or 0.0) * (SIGNS[self.tag][2] if self.right else 0)
        return undone if undone >= _UNDONE else 0.0

    @property
    def text(self) -> str:
        """ "push in", "follow 84 % of the way", "arc right by 63°, 30° the other way first"."""
        if self.way_share is not None:
            return f"{self.asked.kind} {self.way_share:.0%} of the way"
        if self.turned_rad is not None:
            side = "right" if self.turned_rad > 0 else "left"
            back = "" if self.back is None else f", {self.back.text}"
            return f"arc {side} by {abs(np.degrees(self.turned_rad)):.0f}°{back}"
        way = "farther away" if self.against == self.farther else "nearer"
        undone = f", yet the person ends {self.against:.0%} {way}" if self.against else ""
        return f"{spoken_tag(self.tag)}{undone}"


@dataclass(frozen=True)
class AskedAndMade:
    """All that was asked beside the camera that answered it. Right means that every movement is."""

    moves: tuple[MoveMade, ...]

    @property
    def share(self) -> float:
        """Of the time."""
        lasting = [move.stop - move.first for move in self.moves]
        shares = [move.share for move in self.moves]
        return float(np.dot(lasting, shares) / sum(lasting))

    @property
    def right(self) -> bool:
        return all(move.right for move in self.moves)

    @property
    def has_nobody(self) -> bool:
        """Whether the camera was to go with somebody who goes nowhere."""
        return all(it.asked.goes_with_person and it.way_share is None for it in self.moves)

    @property
    def text(self) -> str:
        return ", then ".join(move.text for move in self.moves)


@dataclass(frozen=True, eq=False)
class _Ways:
    """The camera's way and the person's, along the ground, a step for every transition."""

    tags: Int[np.ndarray, " transitions"]
    camera: Steps  # metres
    person: Steps  # metres, smoothed
    spoke: Steps  # from the person to the camera
    fps: float

    def part(self, first: int, stop: int) -> "_Ways":
        at = slice(first, stop)
        return _Ways(self.tags[at], self.camera[at], self.person[at], self.spoke[at], self.fps)

    @property
    def person_m(self) -> Float[np.ndarray, " transitions"]:
        return np.linalg.norm(self.person, axis=-1)


def made_as_asked(
    asked: AskedCamera, camera: CameraPath, motion: HumanMotion, fps: float
) -> AskedAndMade:
    """What the camera made of what was asked; camera and motion stand in the same world."""
    ways = _ways(camera, motion, fps)
    bounds = _cut(np.stack([_agrees(move, ways) for move in asked.moves]))
    spans = zip(asked.moves, pairwise(bounds), strict=True)
    return AskedAndMade(tuple(_judged(move, ways.part(*span), span) for move, span in spans))


def _ways(camera: CameraPath, motion: HumanMotion, fps: float) -> _Ways:
    centre, root = (
        points[:, :2].to(torch.float64).cpu().numpy() for points in (camera.centre, motion.root)
    )
    root = smoothed(root, _PATH_SIGMA)
    return _Ways(
        tags=tag_path(camera, fps),
        camera=np.diff(centre, axis=0),
        person=np.diff(root, axis=0),
        spoke=(centre - root)[:-1],
        fps=fps,
    )


def _agrees(move: AskedMove, ways: _Ways) -> Mask:
    """Where the camera might be doing this, so that the time can be cut."""
    if move.goes_with_person:
        camera = smoothed(ways.camera, _PATH_SIGMA)
        slow_m = _WALKS_MPS / ways.fps
        along = (camera * ways.person).sum(-1) >= WITH_PERSON_SHARE * ways.person_m**2
        still = np.linalg.norm(camera, axis=-1) < slow_m
        return np.where(ways.person_m > slow_m, along, still)
    if move.kind == "arc":
        return _includes(move, ways)
    return ways.tags == move.tag


def _includes(move: AskedMove, ways: _Ways) -> Mask:
    """Where the class shows every direction that was asked for, perhaps with another beside it; an
    arc whose side is open goes to either."""
    shown = signs_from_tag(ways.tags)
    wanted = np.array(SIGNS[move.tag or 0])
    included = ((shown == wanted) | (wanted == 0)).all(axis=-1)
    return included & (shown[:, 0] != 0) if move.kind == "arc" else included


def _cut(agrees: Bool[np.ndarray, "moves transitions"]) -> list[int]:
    """Bounds of the moves in time, so that most transitions agree; the earliest of equal ones."""
    count, transitions = agrees.shape
    shortest = min(SHORTEST_RUN, transitions // count)
    total = np.concatenate([np.zeros((count, 1)), np.cumsum(agrees, axis=1)], axis=1)
    # best[t]: the most that agrees before t; came[t]: where the last move then began.
    best = np.where(np.arange(transitions + 1) == 0, 0.0, -np.inf)
    came: list[Int[np.ndarray, " instants"]] = []
    for gathered in total:
        gain, since = best - gathered, np.zeros(transitions + 1, dtype=np.int64)
        later = np.full(transitions + 1, -np.inf)
        start = 0
        for stop in range(shortest, transitions + 1):
            if gain[stop - shortest] > gain[start]:
                start = stop - shortest
            later[stop], since[stop] = gain[start] + gathered[stop], start
        best = later
        came.append(since)
    bounds = [transitions]
    for since in reversed(came):
        bounds.insert(0, int(since[bounds[0]]))
    return bounds


def _judged(move: AskedMove, ways: _Ways, span: tuple[int, int]) -> MoveMade:
    tag = dominant_tag(outline_of(ways.tags))
    if move.goes_with_person:
        return _with_person(move, ways, tag, span)
    if move.kind == "arc":
        return _around_person(move, ways, tag, span)
    share = float((ways.tags == move.tag).mean())
    return MoveMade(move, *span, tag, share, tag == move.tag, farther=_farther(move, ways))


def _farther(move: AskedMove, ways: _Ways) -> float | None:
    """Classes know the camera alone: whoever walks away faster leaves a push-in behind."""
    if move.tag is None or SIGNS[move.tag][2] == 0:
        return None
    first, last = (float(np.linalg.norm(ways.spoke[at])) for at in (0, -1))
    return last / max(first, 0.1) - 1


def _with_person(move: AskedMove, ways: _Ways, tag: int, span: tuple[int, int]) -> MoveMade:
    """By the part of the person's way that the camera goes along with them, and where it is."""
    apart = ways.camera - ways.person
    if float(ways.person_m.sum()) < GOES_M:
        share = max(0.0, 1.0 - min(_strays_m(ways.camera), _strays_m(apart)) / GOES_M)
        return MoveMade(move, *span, tag, share, share >= WITH_PERSON_SHARE)
    way_share = float((ways.camera * ways.person).sum() / (ways.person**2).sum())
    shares = [max(0.0, 1.0 - abs(1.0 - way_share))]
    if move.place is not None:
        shares.append(_in_place(move.place, ways))
    if move.tag is not None:
        shares.append(float(_includes(move, ways).mean()))
    share = min(shares)
    return MoveMade(move, *span, tag, share, share >= WITH_PERSON_SHARE, way_share=way_share)


def _strays_m(steps: Steps) -> float:
    """How far a way gets from where it starts."""
    return float(np.linalg.norm(np.cumsum(steps, axis=0), axis=-1).max())


def _in_place(place: Place, ways: _Ways) -> float:
    """Share of the person's way on which the camera is where it was asked to be."""
    apart = np.linalg.norm(ways.spoke, axis=-1) * ways.person_m
    cosine = (ways.spoke * ways.person).sum(-1) / np.maximum(apart, 1e-9)
    match place:
        case "behind":
            there = cosine < -_AHEAD_COSINE
        case "front":
            there = cosine > _AHEAD_COSINE
        case "beside":
            there = np.abs(cosine) < _BESIDE_COSINE
    return float((there * ways.person_m).sum() / ways.person_m.sum())


def _around_person(move: AskedMove, ways: _Ways, tag: int, span: tuple[int, int]) -> MoveMade:
    """By the angle that the camera itself goes around the person, whose own way does not count, and
    by how much its way bends: a straight truck past somebody is no arc."""
    squared = np.maximum((ways.spoke**2).sum(-1), 1e-6)
    (x, y), (step_x, step_y) = ways.spoke.T, ways.camera.T
    angles = (x * step_y - y * step_x) / squared
    turned = float(angles.sum())
    asked = {"right": 1.0, "left": -1.0, None: float(np.sign(turned))}[move.side]
    swept = asked * turned / PLAIN_SWEEP_RAD
    # A hand's shake hides some of the bend of a short or slow arc; half of it tells it from a line.
    bends = asked * _bend(ways.camera) / (PLAIN_BEND_RAD / 2)
    included = float(_includes(move, ways).mean())
    share = min(1.0, max(0.0, float(min(swept, bends))), included)
    right = bool(swept >= 1 and bends >= 1 and included >= 0.5)
    back = turned_back(asked * angles, ways.fps)
    if back is not None:
        gone = max(0.0, asked * turned)
        share, right = min(share, gone / (gone + 2 * back.angle_rad)), False
    return MoveMade(move, *span, tag, share, right, turned_rad=turned, back=back)


def _bend(steps: Steps) -> float:
    """How much a way turns, + to its left, in radians; from the directions of its chords."""
    chords = np.stack([part.sum(axis=0) for part in np.array_split(steps, _CHORDS)])
    chords = chords[np.linalg.norm(chords, axis=-1) > 1e-3]
    if len(chords) < 2:
        return 0.0
    angle = np.unwrap(np.arctan2(chords[:, 1], chords[:, 0]))
    # The chords' directions are those of their middles, one chord short of the whole way.
    return float(angle[-1] - angle[0]) * len(chords) / (len(chords) - 1)
