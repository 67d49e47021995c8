"""What happened in a film, told from the shot alone: the movement made beside the one asked for,
who is in the picture, which take it is, and what was corrected.

Everything is measured on the camera as it is shown, except what only its notes can tell: takes and
corrections. Metres are those of the motion's file, in which exports are written; notes are made
where nobody knows of a file, and are told in its size here.
"""

import json
import re
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

from aesop.camera_words.attributes import CameraFacts
from aesop.camera_words.made_as_asked import made_as_asked
from aesop.camera_words.outline import STATIC, dominant_tag, outline_of, spoken_tag
from aesop.camera_words.spelling import spelling_of
from aesop.camera_words.unheard_words import NO_SETTINGS, Settings, unheard_in
from aesop.director.act_report import ActReport, act_report
from aesop.director.facts_filming import asked_in, got_text, read_request, unread_in
from aesop.director.intensity_words import meant_intensity, pace_text, unheard_pace, unheard_paces
from aesop.director.requests import RequestError
from aesop.director.take_marks import checks_of, chosen, marked, marked_by_facts
from aesop.director.timed_steps import TIMES_NOTE
from aesop.director.travel import TRAVEL_NOTE
from aesop.metrics.framing_metrics import hidden_share, holding_of
from aesop.scene.camera import CameraPath
from aesop.scene.camera_keys import KeyMiss
from aesop.scene.intensity_curve import IntensityCurve
from aesop.scene.movement import tag_path
from aesop.scene.shot import Shot

OPERATOR_SOURCE = "filmed by AESOP's rule-based operator"
BY_RULES = "not all of it was made: --method operator films by rules, --method auto where it must"
TOLD_HIDDEN = 0.05  # of the frames: an arm that passes before a face is no news
_SEED = re.compile(r"seed (\d+), take (\d+)")
_CHOICE = re.compile(r"best of (\d+) takes: ")
_RANKED = re.compile(r"take (\d+): ([^;]+)")
# Notes that say how a shot was asked for, not what was done to it.
_SETTINGS = (
    "weights ", "steps ", "seed ", "guidance ", "finish ", "asked: ", "best of ", "picture ",
    "heard as ", "windows hear: ", TIMES_NOTE,
)  # fmt: skip
_METRES = re.compile(r"(?P<whole>\d+)(?P<part>\.\d+)?(?= m\b(?!/))")
_LENS = re.compile(r"\d mm before ")
_WINDOWS = re.compile(r"\d+ overlapping windows")


@dataclass(frozen=True)
class TakeRank:
    """One of the takes that were filmed to choose from; takes count from 0."""

    take: int
    mark: str

    @property
    def text(self) -> str:
        return f"take {self.take}, {self.mark}"


@dataclass(frozen=True)
class KeysReport:
    """Cameras that a path had to meet."""

    keys: str  # "keys at 0, 3.2 s"
    sampled_off: KeyMiss  # before the warp
    warped_by: KeyMiss  # the most that any frame was moved
    off: KeyMiss  # now


@dataclass(frozen=True)
class _Judgement:
    asked: str | None
    made: str
    share: float | None
    is_right: bool | None
    advice: str | None = None


@dataclass(frozen=True)
class FilmReport:
    """One shot. Shares are of its frames; metres have the size of the motion's file; what the words
    could not tell is None."""

    source: str  # who made the camera
    words: str
    intensity: float  # the mean, where it changes over time
    intensity_curve: tuple[tuple[float, float], ...] | None  # seconds and values, where it does
    pace: str | None  # the words that the intensity comes from, as "slowly → 0.7"
    seconds: float
    asked: str | None  # the movement that the words ask for, or None: words not checked
    made: str
    share: float | None  # how much of what was asked for was made
    is_right: bool | None
    advice: str | None  # what to do where the words were not met or not understood
    empty_share: float  # nobody is in the picture
    headless_share: float  # the head is not in the picture
    nearest_m: float  # camera centre to the nearest bone
    fastest_turn_dps: float
    travel_m: float
    person_way_m: float
    seed: int | None
    take: int | None  # counted from 0
    ranking: tuple[TakeRank, ...]  # the best first; empty where nothing was chosen
    settings: tuple[str, ...]
    corrections: tuple[str, ...]
    person: ActReport | None  # of a person that was made from words
    keys: KeysReport | None = None
    hidden_share: float = 0.0  # the person's own body stands between the camera and the head
    times: str | None = None  # of the steps whose words give times: "push-in from 2.0 to 6.0 s"

    @property
    def movement_text(self) -> str:
        """ "asked push in, made truck left (31 % as asked)"."""
        if self.asked is None or self.share is None:
            return f"made {self.made} (words not checked)"
        return f"asked {self.asked}, made {self.made} ({self.share:.0%} as asked)"

    @property
    def framing_text(self) -> str:
        hidden = ""
        if self.hidden_share >= TOLD_HIDDEN:
            hidden = f", the head hidden by the body in {self.hidden_share:.0%}"
        return (
            f"nobody in {self.empty_share:.0%} of the frames, no head in {self.headless_share:.0%}"
            f"{hidden}"
        )

    @property
    def take_text(self) -> str:
        """ "take 2, the best of 3"; takes count from 0."""
        if self.take is None:
            return "take unknown"
        places = [rank.take for rank in self.ranking]
        if self.take not in places:
            return f"take {self.take}"
        place = places.index(self.take) + 1
        rank = "the best" if place == 1 else f"place {place}"
        return f"take {self.take}, {rank} of {len(places)}"

    @property
    def corrections_text(self) -> str:
        return "; ".join(self.corrections) or "nothing corrected"

    @property
    def intensity_text(self) -> str:
        """ "1.3", or "0:0.6 2.5:1.5" where it changes over time."""
        curve = self.intensity_curve
        return f"{self.intensity:g}" if curve is None else IntensityCurve.from_points(curve).text

    @property
    def text(self) -> str:
        """One line for people."""
        pace = f" ({self.pace})" if self.pace else ""
        travel = f"intensity {self.intensity_text}{pace}: the camera travels {self.travel_m:.2f} m"
        times = (f"{TIMES_NOTE}{self.times}",) if self.times else ()
        parts = (self.movement_text, *times, self.framing_text, travel, self.take_text)
        advice = (self.advice,) if self.advice else ()
        person = (f"the person: {self.person.text}",) if self.person else ()
        return "; ".join((*parts, self.corrections_text, *advice, *person))

    def as_json(self, **more: Any) -> str:
        """One line for programs; `more` comes first."""
        return json.dumps({**more, **asdict(self)}, allow_nan=False)


def film_report(shot: Shot) -> FilmReport:
    """Look at a finished shot."""
    camera, motion, metres = shot.camera, shot.clip.motion, shot.clip.file_metres
    judged = _judged(shot)
    holding = holding_of(camera, motion, shot.fps)
    notes = tuple(_told(note, metres) for note in shot.provenance.notes)
    seed, take = _noise(notes)
    return FilmReport(
        source=shot.provenance.source,
        words=shot.camera_words,
        intensity=shot.intensity,
        intensity_curve=None if shot.intensity_curve is None else shot.intensity_curve.points,
        pace=_pace(shot),
        seconds=shot.clip.seconds,
        asked=judged.asked,
        made=judged.made,
        share=judged.share,
        is_right=judged.is_right,
        advice=judged.advice,
        empty_share=holding.empty_share,
        headless_share=1 - holding.head_share,
        nearest_m=metres * holding.nearest_m,
        fastest_turn_dps=holding.fastest_turn_dps,
        travel_m=metres * holding.travel_m,
        person_way_m=metres * holding.person_way_m,
        seed=seed,
        take=take,
        ranking=_ranking(notes),
        settings=tuple(note for note in notes if _is_setting(note)),
        corrections=tuple(note for note in notes if not _is_setting(note)),
        person=act_report(shot.clip),
        keys=_keys_report(shot),
        hidden_share=hidden_share(camera, motion),
        times=_times(notes),
    )


def _keys_report(shot: Shot) -> KeysReport | None:
    met, metres = shot.keys, shot.clip.file_metres
    if met is None:
        return None
    sampled, warp, shown = (
        replace(miss, place_m=metres * miss.place_m) for miss in (met.sampled, met.warp, met.shown)
    )
    return KeysReport(met.keys.text, sampled, warp, shown)


def _told(note: str, metres: float) -> str:
    """A note with its metres in the size of the file, in as many digits as it has. A way that was
    asked for is told in that size already."""
    if metres == 1 or note.startswith(TRAVEL_NOTE):
        return note

    def told(match: re.Match[str]) -> str:
        digits = len(match["part"] or ".") - 1
        return f"{metres * float(match[0]):.{digits}f}"

    return _METRES.sub(told, note)


def _times(notes: tuple[str, ...]) -> str | None:
    told = [note.removeprefix(TIMES_NOTE) for note in notes if note.startswith(TIMES_NOTE)]
    return told[0] if told else None


def _pace(shot: Shot) -> str | None:
    """What the words say of pace, where the shot was filmed by them."""
    meant = meant_intensity(shot.camera_words, shot.clip.seconds)
    asked = shot.intensity if shot.intensity_curve is None else shot.intensity_curve
    if meant != asked:
        return None
    return pace_text(shot.camera_words) or unheard_pace(shot.camera_words)


def _judged(shot: Shot) -> _Judgement:
    """By what words ask for, with what of them is not obeyed."""
    judged = _judged_by_words(shot)
    if shot.frames < 2:
        return judged
    parts = [judged.advice, *_unheard(shot)]
    return replace(judged, advice="; ".join(part for part in parts if part) or None)


def _unheard(shot: Shot) -> tuple[str, ...]:
    """What stands in the words and nobody obeys, but for what was set beside them."""
    notes = shot.provenance.notes
    lens = any(note.startswith("picture ") and _LENS.search(note) for note in notes)
    travel = any(note.startswith("travel ") for note in notes)
    return unheard_words(shot.camera_words, Settings(lens, travel))


def unheard_words(words: str, settings: Settings = NO_SETTINGS) -> tuple[str, ...]:
    """What stands in words and no film obeys, and what was read as another word."""
    spelling = spelling_of(words)
    paces = unheard_paces(spelling.words)
    return (*spelling.notes, *_unheard_in(spelling.words, settings), *paces)


def _unheard_in(words: str, settings: Settings) -> tuple[str, ...]:
    if not unheard_in(words, CameraFacts(), settings):  # whatever is understood in them
        return ()
    asked = asked_in(words)
    return unheard_in(words, CameraFacts() if asked is None else asked.facts, settings)


def notes_on(words: str) -> tuple[str, ...]:
    """All that would be said of words after a film, whoever films: what was not understood in them,
    and what is understood and not obeyed."""
    unread = unread_in(words)
    return (*([] if unread is None else [unread]), *unheard_words(words))


def _judged_by_words(shot: Shot) -> _Judgement:
    """By the grammar of movements where it says all of the words, by the vocabulary where plain
    terms do, also where only a part of the words was read, and not at all where neither can."""
    if shot.frames < 2:  # one frame moves nowhere
        return _Judgement(None, movement_made(shot.camera, shot.fps), None, None)
    problem: str | None = None
    try:
        asked = read_request(shot.camera_words)
    except RequestError as error:
        problem, asked = error.fact, asked_in(shot.camera_words)
        if asked is None:
            return _Judgement(None, movement_made(shot.camera, shot.fps), None, None, problem)
    if asked.movement is not None:
        made = made_as_asked(asked.movement, shot.camera, shot.clip.motion, shot.fps)
        return _Judgement(asked.text, made.text, made.share, made.right, problem)
    checks = checks_of(asked.facts, shot.camera, shot.clip, asked.spans(shot.clip))
    if not checks:
        problem = problem or unread_in(shot.camera_words)
        return _Judgement(None, movement_made(shot.camera, shot.fps), None, None, problem)
    right = [check.right for check in checks]
    by_model = shot.provenance.source != OPERATOR_SOURCE
    advice = problem or (None if all(right) or not by_model else BY_RULES)
    return _Judgement(asked.text, got_text(checks), sum(right) / len(right), all(right), advice)


def ranked_together(shots: Sequence[Shot]) -> tuple[TakeRank, ...]:
    """Takes of one request by the marks that choose the best take, the best first."""
    asked = asked_in(shots[0].camera_words)
    marks = [
        marked(take, shot.camera, shot.clip, None if asked is None else asked.movement)
        if asked is None or asked.movement is not None
        else marked_by_facts(
            take, shot.camera, shot.clip, asked.facts, spans=asked.spans(shot.clip)
        )
        for shot in shots
        if (take := _noise(shot.provenance.notes)[1]) is not None
    ]
    if len(marks) < 2:
        return ()
    return _ranking((_told(chosen(marks).note, shots[0].clip.file_metres),))


def movement_made(camera: CameraPath, fps: float) -> str:
    """The movement that holds most of the time, as one would say it."""
    if camera.frames < 2:
        return spoken_tag(STATIC)
    return spoken_tag(dominant_tag(outline_of(tag_path(camera, fps))))


def _noise(notes: tuple[str, ...]) -> tuple[int | None, int | None]:
    for note in notes:
        if match := _SEED.fullmatch(note):
            return int(match[1]), int(match[2])
    return None, None


def _ranking(notes: tuple[str, ...]) -> tuple[TakeRank, ...]:
    for note in notes:
        if match := _CHOICE.match(note):
            marks = _RANKED.finditer(note, match.end())
            return tuple(TakeRank(int(mark[1]), mark[2]) for mark in marks)
    return ()


def _is_setting(note: str) -> bool:
    return note.startswith(_SETTINGS) or _WINDOWS.fullmatch(note) is not None
