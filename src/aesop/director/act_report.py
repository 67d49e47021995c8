"""What happened to a person that was made from words, told from the notes of its clip: which take
it is, and what was corrected."""

import json
import re
from dataclasses import asdict, dataclass
from typing import Any

from aesop.director.acting import ACTED_SOURCE, HEARD, UNCHOSEN
from aesop.scene.human import Clip

_SEED = re.compile(r"seed (\d+), take (\d+)")
_CHOICE = re.compile(r"best of (\d+) takes: ")
_RANKED = re.compile(r"take (\d+): ([^;]+)")
_FIT = re.compile(r"\(words (-?\d+\.\d+),")
# Where the best take fits its words less than this, the words meant little to the model: other
# languages, several people, animals, things that no training caption tells (docs/acts.md).
HARDLY_FITS = 0.45
_SETTINGS = ("weights ", "steps ", "seed ", "preset ", "finish ", "best of ", UNCHOSEN, HEARD)


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

    @property
    def doubt(self) -> str | None:
        """What is said of somebody who hardly does what the words say."""
        if self.fit is None or self.fit >= HARDLY_FITS:
            return None
        return (
            f"hardly what the words say ({max(self.fit, 0):.2f} of 1): they are read in English, "
            "and of one person; say it plainly, or try another seed"
        )

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
        return "; ".join(
            (self.take_text, *heard, *doubt, *(self.corrections or ("nothing corrected",)))
        )

    def as_json(self, **more: Any) -> str:
        """One line for programs; `more` comes first."""
        return json.dumps({**more, **asdict(self)}, allow_nan=False)


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
        heard=next((it.removeprefix(HEARD) for it in notes if it.startswith(HEARD)), None),
    )


def _ranking(notes: tuple[str, ...]) -> tuple[PersonRank, ...]:
    for note in notes:
        if match := _CHOICE.match(note):
            marks = _RANKED.finditer(note, match.end())
            return tuple(PersonRank(int(mark[1]), mark[2]) for mark in marks)
    return ()
