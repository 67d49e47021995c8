"""Marks of takes: what a take does with its words and its person, and which one is kept."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from aesop.camera_words.attributes import WITH_PERSON, CameraFacts
from aesop.camera_words.fact_check import (
    FactCheck,
    MeasuredFacts,
    check_facts,
    measure_facts,
)
from aesop.camera_words.made_as_asked import AskedAndMade, made_as_asked
from aesop.camera_words.outline import AskedCamera
from aesop.camera_words.standing_tagger import SKIN_M, StandingFacts
from aesop.director.timed_steps import StepSpan, time_checks
from aesop.metrics.framing_metrics import Holding, hidden_share, holding_of
from aesop.scene.camera import CameraPath
from aesop.scene.camera_keys import KeyMiss
from aesop.scene.human import Clip

# Marks this near to the best are equal, and the lowest take number wins.
NEARLY = 0.02
_POOR = 0.3  # a take with a larger fault is not taken while there may be better ones
# What a fault weighs beside a movement that is wholly missed, which weighs 1.
_WRONG = 0.5  # the movement that holds most of the time is another
_EMPTY = 2.0  # of a film that never shows anybody
_HEADLESS = 0.5  # of a film that never shows the head
_HIDDEN = 0.3  # of a film in which the person's own body hides the head all the time
_LOST = 0.5  # nobody for a tenth of the time or more
_NEAR = 0.5  # inside the body
_NEAREST_M = 0.4
_FAST, _FASTEST_TURN_DPS = 0.5, 90.0  # twice that speed or more weighs in full
_CORRECTED = 0.2  # of a take all of whose asked values are owed to corrections
# Who says nothing of height, size and horizon means what is usual. All of it together is less than
# a movement that is another.
_FROM_ABOVE, _FROM_THE_GROUND, _EXTREME_SIZE, _DUTCH = 0.15, 0.1, 0.1, 0.1
# Who asks for a push-in wants to come nearer: for ending a quarter farther away, or more.
_AGAINST, _MOST_AGAINST = 0.2, 0.25
# Who asks for a picture and no movement means one that rests, or nearly so: for going this far.
_UNASKED_WAY, _UNASKED_M = 0.15, 5.0
_FACELESS = 0.1  # of a close-up from behind: who comes near wants to see the face
_NOTHING_BUT_SKIN = 0.3  # of a picture too close to show what it is of
_OFF_KEYS, _OFF_M, _OFF_DEGREES = 0.5, 1.0, 30.0  # as far as this from its keys, or farther
_ON_THE_WAY = ("dolly", "steadicam")
_CLOSE, _BACKS = ("close-up", "extreme-close-up"), ("behind", "three-quarter-back")
_KEPT_HEAD = 0.99  # of the frames
NOT_OFF = KeyMiss(0.0, 0.0, 0.0)  # of a take that meets its keys by itself


@dataclass(frozen=True)
class TakeMark:
    """What one take does with its words and its person; without `made` and `checks`, words were not
    checked. `checks` are of a request that asks for more than movement."""

    take: int
    made: AskedAndMade | None
    holding: Holding | None  # None: a camera that cannot exist
    checks: tuple[FactCheck, ...] | None = None
    corrected_share: float = 0.0  # of the asked values: right only after correction
    unusual: float = 0.0  # how much it looks as nobody asked for, as a fault
    hidden_share: float = 0.0  # of the frames, in which the person's own body hides the head
    keys_off: KeyMiss | None = None  # from cameras that it has to meet, before it is warped

    @property
    def keeps_head(self) -> bool:
        """Whether the head is in the picture but for a frame or two."""
        return self.holding is not None and self.holding.head_share >= _KEPT_HEAD

    @property
    def right_share(self) -> float:
        """Of the values beyond movement that were asked for."""
        checks = self.checks or ()
        return sum(check.right for check in checks) / len(checks) if checks else 1.0

    @property
    def falls_short(self) -> bool:
        """Whether something that was asked for, and that a camera can do here, is not there, or
        much else is wrong: other takes may be better."""
        if self.made is not None and self.made.has_nobody:
            return False
        is_wrong = self.right_share < 1 or (self.made is not None and not self.made.right)
        return is_wrong or self.fault > _POOR

    @property
    def fault(self) -> float:
        """Nothing is wrong at 0; infinite for a camera that cannot exist."""
        held = self.holding
        if held is None:
            return float("inf")
        words = 0.0
        if self.made is not None:
            # Of somebody who goes nowhere no take makes what was asked for: none is a wrong one.
            is_wrong = not (self.made.right or self.made.has_nobody)
            words = 1 - self.made.share + (_WRONG if is_wrong else 0)
        elif self.checks is not None:
            missed = 1 - self.right_share
            words = missed + (_WRONG if missed else 0) + _CORRECTED * self.corrected_share
        fast = min(1.0, max(0.0, held.fastest_turn_dps / _FASTEST_TURN_DPS - 1))
        near = min(1.0, max(0.0, 1 - held.nearest_m / _NEAREST_M))
        lost = _EMPTY * held.empty_share + _HEADLESS * (1 - held.head_share)
        lost += _LOST * held.loses_person + _HIDDEN * self.hidden_share
        return words + lost + _NEAR * near + _FAST * fast + self._off_keys + self.unusual

    @property
    def _off_keys(self) -> float:
        off = self.keys_off
        if off is None:
            return 0.0
        return _OFF_KEYS * min(1.0, max(off.place_m / _OFF_M, off.turn_degrees / _OFF_DEGREES))

    @property
    def text(self) -> str:
        """ "take 2: fault 0.12 (movement 91 %, nobody 0 %, head 97 %)"."""
        if self.holding is None:
            return f"take {self.take}: cannot exist"
        words = "words not checked"
        if self.made is not None:
            words = f"movement {self.made.share:.0%}"
        elif self.checks is not None:
            words = f"asked values {self.right_share:.0%}"
        held = f"nobody {self.holding.empty_share:.0%}, head {self.holding.head_share:.0%}"
        if (off := self.keys_off) is not None:
            held += f", keys {off.place_m:.2f} m and {off.turn_degrees:.0f}° off"
        return f"take {self.take}: fault {self.fault:.2f} ({words}, {held})"


@dataclass(frozen=True)
class Choice:
    """The take that was kept, and all marks, the best first."""

    take: int
    ranking: tuple[TakeMark, ...]

    @property
    def note(self) -> str:
        ranked = "; ".join(mark.text for mark in self.ranking)
        return f"best of {len(self.ranking)} takes: {ranked}"


def marked(take: int, camera: CameraPath, clip: Clip, asked: AskedCamera | None) -> TakeMark:
    """Look at one take of what was asked for (None: the words could not be read)."""
    made = None if asked is None else made_as_asked(asked, camera, clip.motion, clip.fps)
    against = 0.0 if made is None else max(move.against for move in made.moves)
    standing = measure_facts(camera, clip.motion, clip.fps).standing
    return TakeMark(
        take,
        made,
        holding_of(camera, clip.motion, clip.fps),
        unusual=unusual_of(None, standing) + _AGAINST * min(1.0, against / _MOST_AGAINST),
        hidden_share=hidden_share(camera, clip.motion),
    )


def marked_by_facts(
    take: int,
    camera: CameraPath,
    clip: Clip,
    facts: CameraFacts,
    sampled: CameraPath | None = None,
    spans: Sequence[StepSpan] = (),
) -> TakeMark:
    """Look at one take of a request that asks for more than movement. `sampled` is the same take
    before it was corrected, `spans` are steps whose times were named."""
    measured = measure_facts(camera, clip.motion, clip.fps)
    checks = (*check_facts(facts, measured), *time_checks(spans, measured))
    corrected = 0.0
    if sampled is not None and checks:
        before = checks_of(facts, sampled, clip, spans)
        gained = sum(now.right and not was.right for was, now in zip(before, checks, strict=False))
        corrected = gained / len(checks)
    holding = excused(holding_of(camera, clip.motion, clip.fps), facts)
    unusual = unusual_of(facts, measured.standing)
    if _moves_unasked(facts, measured):
        unusual += _UNASKED_WAY * min(1.0, float(camera.travel) / _UNASKED_M)
    hidden = 0.0 if _leaves_head(facts) else hidden_share(camera, clip.motion)
    return TakeMark(take, None, holding, checks, corrected, unusual, hidden)


def _moves_unasked(asked: CameraFacts, made: MeasuredFacts) -> bool:
    """Whether a camera goes somewhere that was asked for a picture alone. Going with the person is
    one way to hold it; another size at the end, a pace and wheels ask for some way."""
    asks_for_a_way = asked.steps or asked.size_end or asked.pace or asked.grip in _ON_THE_WAY
    own = (set(one.step.moves) - {"static", *WITH_PERSON} for one in made.steps)
    return not asks_for_a_way and any(own)


def unusual_of(asked: CameraFacts | None, made: StandingFacts) -> float:
    """What is wrong with a camera that stands as nobody asked for: a shot from overhead or from
    steeply below, at its start or for a part of its time, somebody tiny or filling the picture, a
    tilted horizon, the back of a head close by. A movement alone (None) asks for none of them."""
    asked = CameraFacts() if asked is None else asked
    above = below = 0.0
    if asked.height is None:
        rises = any({"boom-up", "boom-down"} & set(step.moves) for step in asked.steps)
        # From high above neither a face nor a side is what somebody means who names it.
        is_named = asked.face is not None or asked.side is not None
        higher = made.above_share if is_named else made.overhead_share
        above = 1.0 if made.height == "overhead" else 0.0 if rises else higher
        below = 1.0 if made.height == "ground" else 0.0 if rises else made.below_share
    is_extreme = made.size_start in ("extreme-wide", "extreme-close-up")
    extreme = _EXTREME_SIZE if asked.size_start is None and is_extreme else 0.0
    is_dutch = made.dutch and not (asked.dutch or _rolls(asked))
    faceless = _FACELESS * _shows_back_close_by(asked, made)
    unusual = _FROM_ABOVE * above + _FROM_THE_GROUND * below + extreme + faceless
    if made.smallest_picture_m is not None and made.smallest_picture_m < SKIN_M:
        unusual += _NOTHING_BUT_SKIN
    return unusual + (_DUTCH if is_dutch else 0.0)


def _shows_back_close_by(asked: CameraFacts, made: StandingFacts) -> float:
    """At how many of the ends, as a share, at which a close-up is asked for and no side is named;
    one that is asked for without another end lasts."""
    ends = ((asked.size_start, made.side), (asked.size_end or asked.size_start, made.side_end))
    close = [side in _BACKS for size, side in ends if size in _CLOSE]
    return sum(close) / len(close) if close and asked.side is None else 0.0


def _rolls(asked: CameraFacts) -> bool:
    return any("roll" in step.turns for step in asked.steps)


def checks_of(
    facts: CameraFacts, camera: CameraPath, clip: Clip, spans: Sequence[StepSpan] = ()
) -> tuple[FactCheck, ...]:
    """Every value that was asked for beside the one that was made, and every time that was named
    beside the one that was kept."""
    measured = measure_facts(camera, clip.motion, clip.fps)
    return (*check_facts(facts, measured), *time_checks(spans, measured))


def excused(holding: Holding, facts: CameraFacts) -> Holding:
    """What was asked for is no fault: a whip is fast, a tilt leaves the head."""
    if any("whip-pan" in step.turns for step in facts.steps):
        holding = replace(holding, fastest_turn_dps=0.0)
    if _leaves_head(facts):
        holding = replace(holding, head_share=1.0)
    return holding


def _leaves_head(facts: CameraFacts) -> bool:
    return any({"tilt-up", "tilt-down"} & set(step.turns) for step in facts.steps)


def chosen(marks: Sequence[TakeMark]) -> Choice:
    """The take with the least fault; of nearly equal ones that with the lowest number. Where takes
    meet their keys by themselves, it is one of those."""
    free = [mark for mark in marks if mark.keys_off == NOT_OFF] or marks
    least = min(mark.fault for mark in free)
    take = min(mark.take for mark in free if mark.fault <= least + NEARLY)
    ranking = sorted(marks, key=lambda mark: (mark.take != take, mark.fault, mark.take))
    return Choice(take, tuple(ranking))
