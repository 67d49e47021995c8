"""Best take: several takes of one request are marked, and the best is kept.

A take is chosen once, at intensity 1, and used at every intensity, so that another intensity stays
the same shot. A long motion is filmed whole by every take: the choice is per film, not per window.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from aesop.data.fables.wishes import CameraWish, WishMade, made_as_asked
from aesop.director.requests import FilmRequest, ShootRequest
from aesop.metrics.holding import Holding, holding_of
from aesop.scene.camera import CameraPath
from aesop.scene.human import Clip

# Takes that are filmed to choose from: the most that keep a cold `aesop film` of eight seconds
# within 1.5 times the time of its first take alone (docs/director.md).
TAKES = 3
# Marks this near to the best are equal, and the lowest take number wins.
NEARLY = 0.02
# What a fault weighs beside a movement that is wholly missed, which weighs 1.
_WRONG = 0.5  # the movement that holds most of the time is another
_EMPTY = 2.0  # of a film that never shows anybody
_HEADLESS = 0.5  # of a film that never shows the head
_LOST = 0.5  # nobody for a tenth of the time or more
_NEAR = 0.5  # inside the body
_NEAREST_M = 0.4
_FAST, _FASTEST_TURN_DPS = 0.5, 90.0  # twice that speed or more weighs in full

CameraRequest = FilmRequest | ShootRequest


@dataclass(frozen=True)
class TakeMark:
    """What one take does with its words and its person; without `made`, words were not checked."""

    take: int
    made: WishMade | None
    holding: Holding | None  # None: a camera that cannot exist

    @property
    def fault(self) -> float:
        """Nothing is wrong at 0; infinite for a camera that cannot exist."""
        if self.holding is None:
            return float("inf")
        it = self.holding
        words = 0.0
        if self.made is not None:
            words = 1 - self.made.share + (0 if self.made.right else _WRONG)
        fast = min(1.0, max(0.0, it.fastest_turn_dps / _FASTEST_TURN_DPS - 1))
        near = min(1.0, max(0.0, 1 - it.nearest_m / _NEAREST_M))
        held = _EMPTY * it.empty_share + _HEADLESS * (1 - it.head_share) + _LOST * it.loses_person
        return words + held + _NEAR * near + _FAST * fast

    @property
    def holds_person(self) -> bool:
        """Whether somebody is in the picture for more than nine tenths of the time."""
        return self.holding is not None and not self.holding.loses_person

    @property
    def text(self) -> str:
        """ "take 2: fault 0.12 (movement 91 %, nobody 0 %, head 97 %)"."""
        if self.holding is None:
            return f"take {self.take}: cannot exist"
        words = "words not checked" if self.made is None else f"movement {self.made.share:.0%}"
        held = f"nobody {self.holding.empty_share:.0%}, head {self.holding.head_share:.0%}"
        return f"take {self.take}: fault {self.fault:.2f} ({words}, {held})"


@dataclass(frozen=True)
class Choice:
    """The take that was kept, and all marks, the best first."""

    take: int
    ranking: tuple[TakeMark, ...]

    @property
    def mark(self) -> TakeMark:
        return next(mark for mark in self.ranking if mark.take == self.take)

    @property
    def note(self) -> str:
        ranked = "; ".join(mark.text for mark in self.ranking)
        return f"best of {len(self.ranking)} takes: {ranked}"


def marked(take: int, camera: CameraPath, clip: Clip, wish: CameraWish | None) -> TakeMark:
    """Look at one take of a wish (None: the words could not be read)."""
    made = None if wish is None else made_as_asked(wish, camera, clip.motion, clip.fps)
    return TakeMark(take, made, holding_of(camera, clip.motion, clip.fps))


def chosen(marks: Sequence[TakeMark]) -> Choice:
    """The take with the least fault; of nearly equal ones that with the lowest number."""
    least = min(mark.fault for mark in marks)
    take = min(mark.take for mark in marks if mark.fault <= least + NEARLY)
    kept = [mark for mark in marks if mark.take == take]
    rest = sorted((mark for mark in marks if mark.take != take), key=lambda it: (it.fault, it.take))
    return Choice(take, (*kept, *rest))


def candidates(request: CameraRequest, takes: int = TAKES) -> list[CameraRequest]:
    """What is filmed to choose a take for a request that names none."""
    return [replace(request, intensity=1.0, take=take) for take in range(takes)]


def choice_key(request: CameraRequest) -> tuple[object, ...]:
    """Requests with the same key get the same take: all but intensity is alike."""
    who = request.acted if isinstance(request, ShootRequest) else id(request.clip)
    return who, request.camera_words, request.noise_seed, request.guidance
