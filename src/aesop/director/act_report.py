"""What happened to a person that was made from words, told from the notes of its clip: which take
it is, and what was corrected."""

import json
import re
from dataclasses import asdict, dataclass
from typing import Any

from aesop.director.acting import ACTED_SOURCE, UNCHOSEN
from aesop.scene.human import Clip

_SEED = re.compile(r"seed (\d+), take (\d+)")
_CHOICE = re.compile(r"best of (\d+) takes: ")
_RANKED = re.compile(r"take (\d+): ([^;]+)")
_SETTINGS = ("weights ", "steps ", "seed ", "preset ", "finish ", "best of ", UNCHOSEN)


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
        return "; ".join((self.take_text, *(self.corrections or ("nothing corrected",))))

    def as_json(self, **more: Any) -> str:
        """One line for programs; `more` comes first."""
        return json.dumps({**more, **asdict(self)}, allow_nan=False)


def act_report(clip: Clip) -> ActReport | None:
    """What is known of somebody; None of a clip that AESOP did not make."""
    if clip.provenance.source != ACTED_SOURCE:
        return None
    notes = clip.provenance.notes
    noise = next((match for note in notes if (match := _SEED.fullmatch(note))), None)
    return ActReport(
        words=clip.name,
        seconds=clip.seconds,
        seed=None if noise is None else int(noise[1]),
        take=None if noise is None else int(noise[2]),
        ranking=_ranking(notes),
        settings=tuple(note for note in notes if note.startswith(_SETTINGS)),
        corrections=tuple(note for note in notes if not note.startswith(_SETTINGS)),
    )


def _ranking(notes: tuple[str, ...]) -> tuple[PersonRank, ...]:
    for note in notes:
        if match := _CHOICE.match(note):
            marks = _RANKED.finditer(note, match.end())
            return tuple(PersonRank(int(mark[1]), mark[2]) for mark in marks)
    return ()
