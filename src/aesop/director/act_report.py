"""What happened to a person that was made from words, told from the notes of its clip: which take
it is, and what was corrected."""

import json
import re
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

from aesop.director.acting import ACTED_SOURCE, HEARD, READ_AS, UNCHOSEN
from aesop.director.asked_actions import asked_actions
from aesop.scene.human import Clip

_SEED = re.compile(r"seed (\d+), take (\d+)")
_CHOICE = re.compile(r"best of (\d+) takes: ")
_RANKED = re.compile(r"take (\d+): ([^;]+)")
_FIT = re.compile(r"\(words (-?\d+\.\d+),")
# Where the best take fits its words less than this, the words meant little to the model: other
# languages, several people, animals, things that no training caption tells (docs/acts.md).
HARDLY_FITS = 0.45
# Actions that hardly come out however they are said (docs/acts.md), and how many segments of
# training show each.
SELDOM: dict[str, int] = {
    "jump several times": 11,
    "jumping jacks": 5,
    "touch the head": 37,
}
# One person is all that is ever made.
_SEVERAL = re.compile(
    r"^\W*(?:(?:the |my )?(?:two|three|four|five|several|many|some) (?:\w+ )?"
    r"(?:people|persons|men|women|kids|children|boys|girls|friends|dancers|players|fighters|boxers"
    r"|soldiers|lovers)|people|(?:an?|the) (?:\w+ )?couple(?! of)"
    r"|an? (?:group|crowd|team|pair) of)\b"
    r"|\beach other\b|\bone another\b|\bshak\w* hands\b|\btogether with (?:an?|the|his|her)\b"
)
_ANIMAL = re.compile(
    r"\s*(?:an?|the|my) (?:\w+ )?(?:dog|cat|horse|bird|bear|lion|tiger|wolf|fox|rabbit|monkey"
    r"|elephant|cow|pig|goat|sheep|frog|fish|snake|spider|dinosaur|dragon)\b"
)
_SETTINGS = (
    *("weights ", "steps ", "seed ", "preset ", "finish ", "best of "),
    *(UNCHOSEN, HEARD, READ_AS),
)


@dataclass(frozen=True)
class PersonRank:
    """One of the takes that were made to choose from; takes count from 0."""

    take: int
    mark: str


@dataclass(frozen=True)
class ActReport:
    """One person."""

    words: str
    seconds: float
    seed: int | None
    take: int | None  # counted from 0
    ranking: tuple[PersonRank, ...]  # the best first; empty where nothing was chosen
    settings: tuple[str, ...]
    corrections: tuple[str, ...]
    fit: float | None = None  # of person and words, by the evaluator that chooses; at most 1
    heard: str | None = None  # the plain words of this take, where it heard those
    read_as: str | None = None  # the plain words that some of the takes to choose from heard

    @property
    def doubt(self) -> str | None:
        """What is said of somebody who hardly does what the words say. Where they were read in
        plain words the chooser's cosine says too little (docs/acts.md)."""
        if self.fit is None or self.fit >= HARDLY_FITS or self.read_as is not None:
            return None
        return (
            f"hardly what the words say ({max(self.fit, 0):.2f} of 1): they are read in English, "
            "and of one person; say it plainly, or try another seed"
        )

    @property
    def limits(self) -> tuple[str, ...]:
        """What no take can be, whatever it does: told of the words alone."""
        said = self.words.lower()
        found = ["one person is made, not several"] if _SEVERAL.search(said) else []
        if animal := _ANIMAL.match(said):
            found.append(f"a person is made, not {animal[0].strip()}")
        names = (one.name for one in asked_actions(said) if one.name in SELDOM)
        told = [f"{name}: seldom right, {SELDOM[name]} examples were learnt" for name in names]
        return (*found, *told)

    @property
    def take_text(self) -> str:
        """ "take 2, the best of 3"; takes count from 0."""
        if self.ranking:
            return f"take {self.take}, the best of {len(self.ranking)}"
        why = f" ({UNCHOSEN})" if UNCHOSEN in self.settings else ""
        return f"take {self.take}{why}"

    @property
    def text(self) -> str:
        """One line for people."""
        doubt = () if self.doubt is None else (self.doubt,)
        heard = () if self.heard is None else (f'{HEARD}"{self.heard}"',)
        done = self.corrections or ("nothing corrected",)
        return "; ".join((self.take_text, *heard, *doubt, *self.limits, *done))

    def as_json(self, **more: Any) -> str:
        """One line for programs; `more` comes first."""
        told = {"doubt": self.doubt, "limits": self.limits}
        return json.dumps({**more, **asdict(self), **told}, allow_nan=False)


def _said(notes: Sequence[str], beginning: str) -> str | None:
    return next((it.removeprefix(beginning) for it in notes if it.startswith(beginning)), None)


def act_report(clip: Clip) -> ActReport | None:
    """What is known of somebody; None of a clip that AESOP did not make."""
    if clip.provenance.source != ACTED_SOURCE:
        return None
    notes = clip.provenance.notes
    noise = next((match for note in notes if (match := _SEED.fullmatch(note))), None)
    ranking = _ranking(notes)
    fit = _FIT.search(ranking[0].mark) if ranking else None
    return ActReport(
        words=clip.name,
        seconds=clip.seconds,
        seed=None if noise is None else int(noise[1]),
        take=None if noise is None else int(noise[2]),
        ranking=ranking,
        settings=tuple(note for note in notes if note.startswith(_SETTINGS)),
        corrections=tuple(note for note in notes if not note.startswith(_SETTINGS)),
        fit=None if fit is None else float(fit[1]),
        heard=_said(notes, HEARD),
        read_as=_said(notes, READ_AS),
    )


def _ranking(notes: tuple[str, ...]) -> tuple[PersonRank, ...]:
    for note in notes:
        if match := _CHOICE.match(note):
            marks = _RANKED.finditer(note, match.end())
            return tuple(PersonRank(int(mark[1]), mark[2]) for mark in marks)
    return ()
