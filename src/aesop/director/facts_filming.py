"""What camera words ask for, as facts: read for the rule-based operator, which answers with a
camera that obeys, and said in plain terms to the model where its captions do not speak so."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache

import numpy as np

from aesop.camera_words.attributes import (
    MOST_STEPS,
    CameraFacts,
    Step,
    TooManyStepsError,
    VocabularyError,
    joined_facts,
    kept_facts,
)
from aesop.camera_words.bare_directions import with_same_verb
from aesop.camera_words.beyond_terms import beyond_in
from aesop.camera_words.denials import REST
from aesop.camera_words.face_words import with_face
from aesop.camera_words.fact_check import FactCheck
from aesop.camera_words.outline import AskedCamera
from aesop.camera_words.pace_words import has_pace, pace_in
from aesop.camera_words.plain_teller import plain_caption
from aesop.camera_words.request_reader import read_asked
from aesop.camera_words.spelling import spelled
from aesop.camera_words.standing_tagger import person_curves
from aesop.camera_words.step_tagger import turning_frame
from aesop.camera_words.term_lexicon import (
    ReadFacts,
    moves_of,
    needs_vocabulary,
    read_facts,
    with_place_behind,
)
from aesop.camera_words.timed_words import TimedClause, timed_clauses
from aesop.camera_words.understanding import ABOUT_CAMERA, Understanding, load_reader
from aesop.camera_words.wanted_words import Wanted, wanted_in
from aesop.director.requests import FilmRequest, RequestError, ShootRequest
from aesop.director.take_marks import TakeMark, checks_of, excused
from aesop.director.timed_steps import (
    RESTS,
    TIMES_NOTE,
    StepSpan,
    TimedStep,
    kept_steps,
    spans_of_kept,
    step_spans,
    tiled,
    timed_steps,
    times_note,
)
from aesop.fables.cinematographer.facts_path import facts_path, shortest_frames_of
from aesop.metrics.framing_metrics import holding_of
from aesop.scene.camera import CameraPath
from aesop.scene.human import NATIVE_FPS, Clip

_NEGATION = re.compile(r"n['’]t\b|\b(?:not|no|never|without|avoid|instead|nothing|neither)\b")
_TRACE = 0.02  # of a value, in the reader's eyes
_LIKELY_ABOUT = 0.5  # that words speak of a camera, in the reader's eyes
_UNMET = 0.5  # what a value that was asked for and not made weighs, as a wrong movement does
# What a head that leaves the picture adds to an operator's draw: as much as sends it to the next.
_HEAD_LEAVES = 0.05


@dataclass(frozen=True)
class AskedFacts:
    """What words ask for. `movement` is set where the grammar of movements says all of it; where
    words give times, `timeline` has every step with its own."""

    facts: CameraFacts
    movement: AskedCamera | None
    confidence: float = 1.0  # of the least sure value; 1 where plain terms were read
    timeline: tuple[TimedStep, ...] = ()
    left_out: int = 0  # steps after the last that a shot can have

    def spans(self, clip: Clip) -> tuple[StepSpan, ...]:
        """The steps of a film whose words give times, and the rests between them: all of its
        frames. None where they give no times."""
        if not self.timeline:
            return ()
        turning = turning_frame(person_curves(clip.motion), clip.fps)
        return tiled(step_spans(self.timeline, clip.frames, turning), clip.frames)

    @property
    def text(self) -> str:
        if self.movement is not None:
            return self.movement.text
        sure = "" if self.confidence == 1 else f" (so understood, {self.confidence:.0%} sure)"
        return self.facts.text + sure


def read_request(words: str) -> AskedFacts:
    """Facts from words, for the operator; it films nothing that it has not understood. Where words
    give times, each step is read by itself. What is mistyped is read as what it nearly is."""
    words = spelled(words)
    clauses = timed_clauses(words)
    asked = _read_timed(words, clauses) if clauses else _read_untimed(words)
    if asked.left_out:
        problem = TooManyStepsError(MOST_STEPS + asked.left_out, asked.facts)
        raise RequestError(f"{words!r}: {problem.fact}", problem.remedy)
    return asked


def _read_timed(words: str, clauses: Sequence[TimedClause]) -> AskedFacts:
    rest = AskedFacts(CameraFacts(steps=(RESTS,)), None)
    readings = [rest if clause.is_rest else _read_untimed(clause.words) for clause in clauses]
    facts = [reading.facts for reading in readings]
    timeline = timed_steps([(it, one.time) for it, one in zip(facts, clauses, strict=True)])
    try:
        whole = replace(_standing_of(facts), steps=kept_steps(timeline))
    except VocabularyError as error:
        raise RequestError(f"{words!r}: {error.fact}", error.remedy) from error
    sure, left_out = min(it.confidence for it in readings), sum(it.left_out for it in readings)
    return AskedFacts(whole, None, sure, timeline, left_out)


def _standing_of(parts: Sequence[CameraFacts]) -> CameraFacts:
    """What holds throughout, as the first part says it that does. A size that is named after a
    movement is the one a shot ends on."""
    whole = CameraFacts()
    moved = False
    for part in parts:
        whole = joined_facts(whole, replace(part, steps=(), size_start=None, size_end=None))
        sizes = [size for size in (part.size_start, part.size_end) if size is not None]
        if sizes and not moved and whole.size_start is None and part.size_start is not None:
            whole = replace(whole, size_start=sizes[0])
        if sizes and sizes[-1] != whole.size_start:
            whole = replace(whole, size_end=sizes[-1])
        moved |= any(not step.is_static for step in part.steps)
    return whole


def unheard_times(words: str) -> str | None:
    """Why times in words mean nothing to whoever films in any case; None where they do, or where
    there are none."""
    try:
        read_request(words)
    except RequestError as error:
        return error.fact if timed_clauses(spelled(words)) else None
    return None


def times_notes(words: str, asked: AskedFacts | None, clip: Clip) -> list[str]:
    """The times that words give as they are kept in a film, or why they are not."""
    if asked is not None and asked.timeline:
        return [times_note(asked.spans(clip))]
    problem = unheard_times(words)
    return [] if problem is None else [f"{TIMES_NOTE}not kept. {problem}"]


def _read_untimed(words: str) -> AskedFacts:
    beyond = beyond_in(words)
    if beyond:
        raise RequestError(*_not_read(words, (), beyond))
    request = wanted_in(words)
    if request.asks_for_nothing:
        raise RequestError(
            f"{words!r} only says what is not to happen.",
            'Say what the camera does instead ("push in", "orbit around her").',
        )
    asked = _read_wanted(words, request)
    facts = kept_facts(asked.facts, lambda name: name not in request.denied)
    if asked.movement is None and facts.is_empty:
        raise RequestError(*_not_read(words, (), ()))
    if asked.movement is None:
        facts = with_place_behind(facts, request.words)
    facts = with_face(facts, request.words)
    # No movement says what is to be seen; more movements than facts can have say enough.
    movement = None if facts.face is not None and facts.steps else asked.movement
    return replace(asked, facts=facts, movement=movement)


def _movement_in(words: str, request: Wanted) -> AskedCamera | None:
    """The movement of the grammar, which knows no denied rest: without it, what is left says all.
    Denied movements are rest there, and stay."""
    return read_asked(request.words if request.denied >= REST else with_same_verb(words))


def _read_wanted(words: str, request: Wanted) -> AskedFacts:
    """Facts from what a request asks for; `words` are all of it."""
    wanted, movement = request.words, _movement_in(words, request)
    try:
        read = read_facts(wanted)
    except VocabularyError as error:
        if movement is not None:
            return AskedFacts(CameraFacts(), movement)
        understanding = load_reader().understand(wanted)
        if understanding.is_understood:  # terms that contradict each other may mean something else
            return _understood(understanding, understanding.facts)
        raise RequestError(f"{words!r}: {error.fact}", error.remedy) from error
    movement = _of_all_steps(movement, read.facts)
    if movement is not None and read.left_out:  # the grammar knows no most
        return AskedFacts(CameraFacts(), movement)
    if movement is not None and not needs_vocabulary(read.facts):
        return AskedFacts(read.facts, movement)
    if movement is not None and _says_no_more(read, movement):
        return AskedFacts(_facts_of(movement, read.facts), movement)
    if not read.unread and not replace(read.facts, pace=None).is_empty:
        return _with_cameras_pace(AskedFacts(read.facts, None, left_out=read.left_out), wanted)
    understanding = load_reader().understand(wanted)
    read = _confirmed(read, wanted)
    # What plain terms say is sure: a reading that lost some of it is filled up.
    if understanding.is_understood:
        asked = _understood(understanding, joined_facts(read.facts, understanding.facts))
        most = max(read.left_out, understanding.left_out)
        return _with_cameras_pace(replace(asked, left_out=most), wanted)
    together = _with_terms(wanted, read)
    if together is not None:
        return together
    left = kept_facts(read.facts, lambda name: name not in request.denied)
    raise RequestError(*_not_read(words, read.unread, (), in_part=not left.is_empty))


def _of_all_steps(movement: AskedCamera | None, facts: CameraFacts) -> AskedCamera | None:
    """The movement of the grammar, unless it passed over a step that terms know."""
    missed = movement is not None and len(facts.steps) > len(movement.moves)
    return None if missed else movement


def _knows_place(movement: AskedCamera | None, facts: CameraFacts) -> bool:
    """Whether the grammar says all that terms know, and the place of who goes with somebody."""
    if movement is None or not movement.goes_with_person:
        return False
    says_place = any(move.place is not None for move in movement.moves)
    all_steps = _of_all_steps(movement, facts) is not None
    return says_place and all_steps and not needs_vocabulary(replace(facts, side=None))


def _understood(understanding: Understanding, facts: CameraFacts) -> AskedFacts:
    sure = min(value.confidence for value in understanding.values)
    return AskedFacts(facts, None, sure, left_out=understanding.left_out)


def _confirmed(read: ReadFacts, words: str) -> ReadFacts:
    """Terms among words that nobody knows are not always terms ("a used tripod costs forty euros"):
    none is where the reader sees no camera, and of everyday words only those are of which it sees a
    trace. Pace has no meaning beside them."""
    if not read.unread:
        return read
    chances = load_reader().chances(words)
    if chances[ABOUT_CAMERA] < _LIKELY_ABOUT:
        return replace(read, facts=CameraFacts(pace=read.facts.pace))

    def is_kept(name: str) -> bool:
        return name in read.trade or name.startswith("pace:") or chances[name] >= _TRACE

    return replace(read, facts=kept_facts(read.facts, is_kept))


def _with_cameras_pace(asked: AskedFacts, words: str) -> AskedFacts:
    """ "She walks slowly; the camera does not move": where nothing moves, or somebody else is slow,
    no word of pace is the camera's."""
    facts = asked.facts
    if has_pace(words) and pace_in(words) is None:
        return replace(asked, facts=replace(facts, pace=None))
    pace_alone = facts == CameraFacts(pace=facts.pace)
    moves = any(not step.is_static for step in facts.steps)
    return asked if moves or pace_alone else replace(asked, facts=replace(facts, pace=None))


def _says_no_more(read: ReadFacts, movement: AskedCamera) -> bool:
    """Whether terms only found words of the grammar of movements, which has read them all: among
    several movements one that is locked off rests, and an orbit to a side is an arc."""
    facts = read.facts
    orbits = any("orbit" in step.moves for step in facts.steps)
    is_locked = facts.grip == "locked-off"
    if orbits and not any(move.side for move in movement.moves):
        return False
    if is_locked and len(movement.moves) == 1 and not read.unread:
        return False
    steps = tuple(
        replace(step, moves=tuple(move for move in step.moves if move != "orbit"))
        for step in facts.steps
    )
    plain = replace(facts, grip=None if is_locked else facts.grip, steps=steps)
    return (orbits or is_locked) and not needs_vocabulary(plain)


def _facts_of(movement: AskedCamera, read: CameraFacts) -> CameraFacts:
    """A movement of the grammar as steps; none where it has more than facts can have."""
    if len(movement.moves) > MOST_STEPS:
        return CameraFacts(pace=read.pace)
    steps = tuple(
        Step(moves=moves_of(move), when="then" if at else None)
        for at, move in enumerate(movement.moves)
    )
    return CameraFacts(steps=steps, pace=read.pace)


def _with_terms(words: str, read: ReadFacts) -> AskedFacts | None:
    """Plain terms beside a reading of what they left over, where nothing is negated: a "not" may
    belong to a term."""
    if read.facts.is_empty or not read.left or _NEGATION.search(words.lower()):
        return None
    understanding = load_reader().understand(read.left)
    if not understanding.is_understood:
        return None
    return _understood(understanding, joined_facts(read.facts, understanding.facts))


def asked_in(words: str) -> AskedFacts | None:
    """What is known of what words ask for, for whoever films in any case: where not all of them
    were read, what plain terms in them say; None where nothing is known."""
    words = spelled(words)
    if timed_clauses(words) and unheard_times(words) is None:
        return read_request(words)
    request = wanted_in(words)
    movement = None if request.asks_for_nothing else _movement_in(words, request)
    try:
        asked = _read_untimed(words)
    except RequestError:
        asked = None
    if asked is not None:
        # "Leads her from the front": the grammar of movements knows that place too.
        plain = _knows_place(movement, asked.facts)
        return AskedFacts(asked.facts, movement) if plain else asked
    if movement is not None:
        return AskedFacts(_facts_of(movement, CameraFacts()), movement)
    try:
        facts = _confirmed(read_facts(request.words), request.words).facts
    except VocabularyError:
        return None
    facts = kept_facts(facts, lambda name: name not in request.denied)
    facts = with_face(with_place_behind(facts, request.words), request.words)
    asked = _with_cameras_pace(AskedFacts(facts, None), request.words)
    return None if replace(asked.facts, pace=None).is_empty else asked


def unread_in(words: str) -> str | None:
    """What is to be told of words that could not be read, or only in part; a pace alone says
    nothing of what a camera does."""
    try:
        asked = read_request(words)
    except RequestError as error:
        return error.fact
    nothing = asked.movement is None and replace(asked.facts, pace=None).is_empty
    return _not_read(words, (), ())[0] if nothing else None


def _not_read(
    words: str, unread: Sequence[str], beyond: Sequence[str], *, in_part: bool = False
) -> tuple[str, str]:
    """The fact and the remedy for words that nobody could read, or only a part of them."""
    if beyond:
        return (
            f"{words!r} asks for {' and '.join(beyond)}, which no camera path can give.",
            "Leave that out: a shot is one camera and one person.",
        )
    missed = ", ".join(repr(word) for word in unread)
    if in_part and unread:
        fact = f"Not all of {words!r} was understood: {missed} means nothing here."
    else:
        fact = f"No camera term was understood in {words!r}; words are read in English."
    return (
        fact,
        'Say a movement or a picture plainly ("push in", "truck left, then stop", "a low-angle '
        'close-up", "circle her to the right"), or let the model film it.',
    )


def check_time_for(facts: CameraFacts, clip: Clip) -> None:
    """Refuse more steps than the motion has time for."""
    shortest = shortest_frames_of(facts)
    if clip.frames < shortest:
        raise RequestError(
            f"{len(facts.steps)} movements do not fit into {clip.seconds:.1f} s.",
            f"Film {shortest / NATIVE_FPS:.1f} s or more, or ask for fewer.",
        )


def check_times(request: FilmRequest | ShootRequest) -> None:
    """Refuse times in words that the motion does not have."""
    has_times = bool(timed_clauses(spelled(request.camera_words)))
    if has_times and (asked := asked_in(request.camera_words)) is not None:
        step_spans(asked.timeline, request.frames)


def facts_camera(
    clip: Clip, asked: AskedFacts, intensity: float, dice: np.random.Generator
) -> CameraPath:
    """A camera for a clip on the ground that starts at the origin with yaw 0."""
    facts = asked.facts
    spans = None
    if asked.timeline:
        turning = turning_frame(person_curves(clip.motion), clip.fps)
        kept = spans_of_kept(asked.timeline, clip.frames, turning)
        spans = [(span.first, min(span.stop, clip.frames - 1)) for span in kept]
    return facts_path(
        clip.motion, facts, intensity, lambda camera: facts_fault(facts, camera, clip), dice, spans
    )


def facts_fault(facts: CameraFacts, camera: CameraPath, clip: Clip) -> float:
    """Values that are missing, and what is wrong with how the person is held, in the weights that
    choose takes."""
    held = excused(holding_of(camera, clip.motion, clip.fps), facts)
    missing = sum(not check.right for check in checks_of(facts, camera, clip))
    return draw_fault(TakeMark(0, None, held)) + _UNMET * missing


def draw_fault(mark: TakeMark) -> float:
    """What is wrong with one draw of the operator's, who looks on where a head leaves the picture:
    for a tenth of the time that is a small fault in a network's take, and no answer of somebody who
    may stand where they like."""
    return mark.fault + (0.0 if mark.keeps_head else _HEAD_LEAVES)


def got_text(checks: tuple[FactCheck, ...]) -> str:
    """ "medium, low, push-in"; a side, height or size that became another is told in any case."""
    return ", ".join(_got_text(check) for check in checks if check.asked != "when:then")


def _got_text(check: FactCheck) -> str:
    if not check.right:
        return f"{check.got} for {check.asked}"
    changes = check.asked.startswith(("side:", "height:", "size:"))
    return check.got if changes else check.asked.partition(":")[2]


# How the grammar of movements tells: "the camera trucks left". Orders ("lower the camera") are read
# by it too, but captions of the bank have taught the model that they may mean a low camera.
_TELLS = re.compile(r"\bcamera \w+s\b", re.IGNORECASE)


@cache
def model_words(words: str) -> str:
    """ "Let her fill the frame" is heard as "A close-up.", "lower the camera" as "Boom down.".
    Sentences of the grammar of movements are what the model learned, and what nobody can read is
    left to the model: both stay. Where some of it is plain, that is what takes are chosen by, and
    what is heard."""
    words = spelled(words)
    try:
        asked = read_request(words)
    except RequestError:
        asked = asked_in(words)
        if asked is None or asked.movement is not None:
            return words
    if asked.movement is not None and _TELLS.search(words):
        return words
    return plain_caption(asked.facts) or words
