"""People for requests: several takes are sampled and marked, the best is kept, all is told. No
camera is known here, so none can matter."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from aesop.core.errors import Progress, WeightsError
from aesop.director.asked_turn import AskedTurn, MadeTurn, asked_turn, told_turn, with_turn
from aesop.director.body_finish import UNCHANGED, BodyChange, corrected, pose_change_m
from aesop.director.plain_acts import plain_words
from aesop.director.requests import ActRequest, check_fitted_guidance
from aesop.director.sampling import (
    HUMAN_RESTRAINT,
    PeopleSampling,
    Person,
    PersonCondition,
    act_out,
    in_batches,
    sampled_frames,
    tokens_of,
)
from aesop.director.trained_parts import Parts
from aesop.evaluators.evaluator import Evaluator
from aesop.flow.few_steps import FITTED_HUMAN_GUIDANCES
from aesop.flow.path import noise_for
from aesop.metrics.motion_metrics import body_facts
from aesop.scene.human import NATIVE_FPS, Clip, HumanMotion, Provenance
from aesop.text.encoder import EncodedText

ACTED_SOURCE = "acted by AESOP"
# Takes that are made to choose from: a cold `aesop act` of six seconds stays well within 1.5 times
# the time of its first take alone, also with somewhat larger networks (docs/director.md).
PERSON_TAKES = 4
# The first take is what the flow says. Another is kept where it is better by this much: on the
# sentences that choose, whoever is less sure gains nothing that chance does not (docs/acts.md).
# Plain words are the chooser's own: by those it need not be sure.
SURELY = 0.1
# What a body weighs beside words that are wholly missed, which weigh 1.
_BENT, _MOST_BENT_M = 0.1, 0.04  # poses that had to be changed, this far or more
_SLIDING = 0.1  # of a person whose low feet always slide
UNCHOSEN = "first take: no evaluator that chooses is there"
HEARD = "heard as "  # how a note begins that tells the plain words of a take
READ_AS = "in plain words: "  # and one that tells what some of the takes heard


def hears_plain(take: int) -> bool:
    """Whether a take hears plain words, where there are any: two of four do (docs/acts.md)."""
    return take % PERSON_TAKES >= PERSON_TAKES // 2


@dataclass(frozen=True)
class PersonMark:
    """How one take fits its words, and how much was wrong with the body."""

    take: int
    fit: float  # cosine of motion and words (plain ones, where there are), by the chooser
    pose_change_m: float
    sliding_share: float  # of the low feet of the person shown

    @property
    def fault(self) -> float:
        """Nothing is wrong at 0."""
        bent = min(1.0, self.pose_change_m / _MOST_BENT_M)
        return 1 - self.fit + _BENT * bent + _SLIDING * self.sliding_share

    @property
    def text(self) -> str:
        """ "take 2: fault 0.42 (words 0.61, poses changed by 0.8 cm, sliding 3 %)"."""
        return (
            f"take {self.take}: fault {self.fault:.2f} (words {self.fit:.2f}, poses changed by "
            f"{100 * self.pose_change_m:.1f} cm, sliding {self.sliding_share:.0%})"
        )


def best_first(marks: Sequence[PersonMark], surely: float = SURELY) -> list[PersonMark]:
    """By their faults, but the first take before all that are not surely better."""
    first = min(marks, key=lambda mark: mark.take)
    least = min(mark.fault for mark in marks)
    is_kept = first.fault <= least + surely
    return sorted(marks, key=lambda mark: (not (is_kept and mark is first), mark.fault, mark.take))


@dataclass(frozen=True, eq=False)
class Acted:
    """A person on the way to a clip: one take as shown, and as it was sampled."""

    take: int
    plain: str | None  # what it heard instead of the words as typed
    motion: HumanMotion
    change: BodyChange
    person: Person
    turn: MadeTurn  # as sampled, or as far as was asked for


@dataclass(frozen=True, eq=False)
class ActedClip:
    """A finished person, with the latents that were sampled where the camera is to read those."""

    clip: Clip
    sampled: Person | None


@dataclass(frozen=True, eq=False)
class Acting:
    """Requests on their way to people, with everything that they share."""

    parts: Parts
    how: PeopleSampling
    largest_batch: int

    def prepare(self, guidances: Iterable[float]) -> None:
        """Load all that is needed: what is missing or damaged, or guidance that few steps were not
        fitted to, is told before any work."""
        cast, _ = self.parts.cast(self.how.finish), self._chooser
        if self.how.preset != "instant":
            return
        if cast.steps is None:
            raise WeightsError(
                f"{self.parts.folder} has no few steps for its human flow, which people need under "
                "the preset instant.",
                "Use the preset fast, or train human-steps.",
            )
        assert self.how.restraint == HUMAN_RESTRAINT, "few steps were fitted to that"
        for guidance in guidances:
            check_fitted_guidance(guidance, FITTED_HUMAN_GUIDANCES)

    @property
    def _chooser(self) -> Evaluator | None:
        return self.parts.chooser if self.how.finishing.chooses_take else None

    def people(
        self, requests: Sequence[ActRequest], progress: Progress | None = None
    ) -> dict[ActRequest, ActedClip]:
        """Everybody who is asked for, made once however many cameras film them."""
        unique = list(dict.fromkeys(requests))
        takes = {request: self._takes(request) for request in unique}
        told = {(it, take): self._told(it, take) for it, some in takes.items() for take in some}
        texts = self._texts(told.values())
        made: dict[ActRequest, list[Acted]] = {request: [] for request in unique}
        count, wanted = 0, sum(len(some) for some in takes.values())
        for batch in self._batches(takes):
            conditions = [
                self._condition(request, take, texts[told[request, take]])
                for request, take in batch
            ]
            people = act_out(self.parts, conditions, self.how)
            for (request, take), person in zip(batch, people, strict=True):
                made[request].append(self._shown(request, take, person))
            count += len(batch)
            if progress is not None:
                progress(count, wanted)
        return {request: self._kept(request, some) for request, some in made.items()}

    def _takes(self, request: ActRequest) -> range:
        """Takes to make for a request: its own, or several to choose from."""
        if request.take is not None:
            return range(request.take, request.take + 1)
        return range(1 if self._chooser is None else PERSON_TAKES)

    def _batches(self, takes: Mapping[ActRequest, range]) -> list[list[tuple[ActRequest, int]]]:
        """What is sampled together. On a CPU that is what one request asks for: in a larger batch,
        the last bits of a person would depend on who else is in it."""
        by_request = [[(request, take) for take in some] for request, some in takes.items()]
        if self.parts.device.type == "cpu":
            return by_request
        every = [one for some in by_request for one in some]
        grouped = in_batches([request.frames for request, _ in every], self.largest_batch)
        return [[every[at] for at in batch] for batch in grouped]

    def _turn(self, request: ActRequest) -> AskedTurn | None:
        """The turn that a person is held to."""
        return asked_turn(request.human_words) if self.how.finishing.is_corrected else None

    def _plain(self, request: ActRequest) -> str | None:
        """The words as plain as training says them, where takes of this finish hear those."""
        if not self.how.finishing.hears_plain:
            return None
        return plain_words(request.human_words, self.parts.read_act(request.human_words))

    def _told(self, request: ActRequest, take: int) -> str:
        """What the flow hears."""
        turn = self._turn(request)
        words = request.human_words
        if turn is not None:
            return told_turn(words, turn, request.noise_seed)
        return (self._plain(request) if hears_plain(take) else None) or words

    def _texts(self, told: Iterable[str]) -> Mapping[str, EncodedText]:
        """Texts that share a batch share its rounding. Words for people are therefore read by
        themselves, one text at a time: no camera's words can reach them."""
        return {text: self.parts.encoder.encode_each([text])[0] for text in dict.fromkeys(told)}

    def _condition(self, request: ActRequest, take: int, words: EncodedText) -> PersonCondition:
        width = self.parts.cast(self.how.finish).flow.network.shape.latent
        shape = (tokens_of(sampled_frames(request.frames, self.how)), width)
        noise = noise_for(request.noise_seed, take, shape, stream="human")
        return PersonCondition(words, request.frames, noise, request.human_guidance)

    def _shown(self, request: ActRequest, take: int, person: Person) -> Acted:
        """A take as it would be shown."""
        asked = self._turn(request)
        plain = self._plain(request) if hears_plain(take) else None
        turn = MadeTurn(person.motion) if asked is None else with_turn(person.motion, asked)
        motion, change = turn.motion, UNCHANGED
        if self.how.finishing.is_corrected:
            motion, change = corrected(motion)
        return Acted(take, plain, motion, change, person, turn)

    def _kept(self, request: ActRequest, takes: Sequence[Acted]) -> ActedClip:
        """The take that is kept, and what is told of it."""
        kept, choice = takes[0], list[str]()
        if request.take is None and self.how.finishing.chooses_take:
            choice = [UNCHOSEN]
            if self._chooser is not None:
                marks = self._marks(self._chooser, request, takes)
                ranking = best_first(marks, SURELY if self._plain(request) is None else 0.0)
                kept = next(one for one in takes if one.take == ranking[0].take)
                ranked = "; ".join(mark.text for mark in ranking)
                choice = [f"best of {len(ranking)} takes: {ranked}"]
        cast = self.parts.cast(self.how.finish)
        notes = (
            f"weights {cast.flow.card.identity[:12]}",
            f"seed {request.noise_seed}, take {kept.take}",
            f"preset {self.how.preset}, human guidance {request.human_guidance:g}",
            *cast.sampling_notes(self.how.preset),
            f"finish {self.how.finish}",
            *([f"{READ_AS}{plain}"] if (plain := self._plain(request)) else []),
            *([f"{HEARD}{kept.plain}"] if kept.plain else []),
            *([kept.turn.note] if kept.turn.note else []),
            *kept.change.notes,
            *choice,
        )
        origin = Provenance(ACTED_SOURCE, notes=notes)
        clip = Clip(kept.motion, NATIVE_FPS, request.human_words, origin)
        return ActedClip(clip, None if self.how.finishing.is_posed else kept.person)

    def _marks(
        self, chooser: Evaluator, request: ActRequest, takes: Sequence[Acted]
    ) -> list[PersonMark]:
        """All takes of one request, looked at together. The chooser learnt the same captions as the
        flow: where there are plain words, everybody is held against those."""
        people = chooser.embed_people([one.motion for one in takes])
        words = chooser.embed_words([self._plain(request) or request.human_words])[0]
        fits = people @ words / np.linalg.norm(people, axis=-1) / np.linalg.norm(words)
        return [
            PersonMark(
                take=one.take,
                fit=float(fit),
                pose_change_m=pose_change_m(one.turn.motion, one.motion),
                sliding_share=_sliding_share(one.motion),
            )
            for one, fit in zip(takes, fits.tolist(), strict=True)
        ]


def _sliding_share(motion: HumanMotion) -> float:
    """Of the low feet; none where no foot is ever low."""
    share = body_facts(motion, NATIVE_FPS).sliding_share
    return 0.0 if np.isnan(share) else share
