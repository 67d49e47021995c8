"""Whether cameras obey words that no caption of the training set has: fifty sentences as people
might type them."""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from aesop.camera_words.grammar import camera_caption
from aesop.camera_words.outline import SIGNS, Movement
from aesop.core.errors import Progress
from aesop.core.machine import Code, Machine
from aesop.director.director import Director
from aesop.director.protocols import Choices, SamplingProtocol
from aesop.director.requests import FilmRequest, RequestError
from aesop.fables.synthetic import ACTIONS, synthetic_motion
from aesop.measuring.cases import SHORTEST_MEASURED_SECONDS
from aesop.measuring.runs import ProgressBar, origin_of_result
from aesop.metrics.bootstrap import Interval, each_apart, mean_interval
from aesop.metrics.metric_book import MetricError
from aesop.metrics.motion_metrics import dominant_movement, plain_name
from aesop.scene.human import NATIVE_FPS, Clip
from aesop.scene.movement import TAG_NAMES
from aesop.scene.shot import Shot

Films = Callable[[Sequence[FilmRequest]], list[Shot]]
MADE_SECONDS = 5
SOME = 20  # requests between two reports of progress
REFUSED = "refused"


@dataclass(frozen=True)
class Sentence:
    """What is said, and the class of movement that it asks for."""

    words: str
    tag: int

    @property
    def asked(self) -> str:
        return TAG_NAMES[self.tag]


_BY_TAG: dict[str, tuple[str, ...]] = {
    "push_in": (
        "creep up on her face",
        "shrink the distance between us and the dancer",
        "walk the lens up to him until his face fills the picture",
        "start wide and finish tight on her, no zoom, roll the dolly along its rails",
        "inch nearer and nearer",
        "we want to end up right beside her, so bring the camera to her",
    ),
    "pull_out": (
        "back off slowly",
        "widen the gap between lens and dancer",
        "leave him behind, smaller and smaller",
        "reverse the dolly until we see all of her",
        "ease off from his face to a full wide shot",
        "reveal the empty room around her by stepping the camera backwards",
    ),
    "trucking_left": (
        "shuffle left along the rail",
        "sidestep left while facing her",
        "roll the dolly on a track laid from right to left",
        "drift past him toward screen left",
        "leftbound lateral drift, square to the action",
        "carry the camera off toward the left edge of the set, side-on",
    ),
    "trucking_right": (
        "shuffle right along the rail",
        "sidestep right while facing her",
        "roll the dolly on a track laid from left to right",
        "drift past him toward screen right",
        "skate along to our right, side-on",
        "a rightbound sweep past her",
    ),
    "boom_top": (
        "float up high above his head",
        "raise the rig to the ceiling",
        "an elevator view, skyward",
        "grow taller, from waist height to way over her",
        "take off like a drone leaving the floor",
        "gain altitude while he carries on",
    ),
    "boom_bottom": (
        "drop the lens to knee height",
        "lose altitude while he carries on",
        "settle to floor level like an elevator",
        "from overhead to ankle height along a vertical pole",
        "let the jib arm fall until we are near her shoes",
        "duck under his waist line, keeping the lens level",
    ),
    "static": (
        "leave the camera on its tripod",
        "hands off the camera",
        "bolt it to the floor and let him play",
        "like a security camera on a wall",
        "watch her from a single unchanging viewpoint",
        "not one centimetre of camera motion",
    ),
    "trucking_left+push_in": ("drift left while creeping nearer",),
    "trucking_right+push_in": ("veer right while creeping nearer",),
    "trucking_left+pull_out": ("drift left while backing off",),
    "trucking_right+pull_out": ("veer right while the dolly reverses",),
    "boom_top+pull_out": ("soar up and off, like a departing helicopter",),
    "boom_bottom+push_in": ("swoop from overhead into her face",),
    "trucking_left+boom_top": ("float toward the upper left corner",),
    "trucking_right+boom_bottom": ("sag toward the bottom right corner",),
}

SENTENCES: tuple[Sentence, ...] = tuple(
    Sentence(words, TAG_NAMES.index(name)) for name, some in _BY_TAG.items() for words in some
)


def familiar_sentences(sentences: tuple[Sentence, ...] = SENTENCES) -> tuple[Sentence, ...]:
    """The same movements in the grammar's own words: what unseen words are held against."""
    return tuple(
        Sentence(
            camera_caption([Movement(it.tag, 0, 1)], np.random.default_rng((17, number))).caption,
            it.tag,
        )
        for number, it in enumerate(sentences)
    )


@dataclass(frozen=True)
class SentenceFacts:
    """One sentence over all its films. It is obeyed if more than half of them are right."""

    words: str
    asked: str
    films: int
    right: int  # the dominant movement is the class that was asked for
    includes: int  # it has every asked direction, perhaps with another beside it
    shown: tuple[tuple[str, int], ...]  # dominant movements, the most frequent first

    @property
    def is_obeyed(self) -> bool:
        return 2 * self.right > self.films


@dataclass(frozen=True)
class Obedience:
    """All sentences of one kind. The interval is over sentences."""

    films: int
    obeyed: int  # sentences
    refused: int  # films that could not exist; they count as wrong
    right_share: float
    right_interval: Interval | None
    includes_share: float
    sentences: tuple[SentenceFacts, ...]

    def of(self, asked: str) -> tuple[SentenceFacts, ...]:
        """The sentences that ask for one movement."""
        return tuple(sentence for sentence in self.sentences if sentence.asked == asked)


@dataclass(frozen=True)
class WordingSetting:
    """Who filmed what. `weights` names the camera flow and all it was trained with."""

    weights: str
    preset: str
    motions: str
    clips: tuple[str, ...]
    seeds: tuple[int, ...]
    choices: Choices = ()


@dataclass(frozen=True)
class WordingResult:
    """Unseen words, and beside them the grammar's own for the same movements, motions and noise."""

    setting: WordingSetting
    unseen: Obedience
    familiar: Obedience
    code: Code
    machine: Machine
    repeat: str


def made_clips(count: int) -> list[Clip]:
    """Motions of our own making, one of every kind in turn."""
    kinds = tuple(ACTIONS)
    frames = round(MADE_SECONDS * NATIVE_FPS)
    return [
        synthetic_motion(
            kinds[number % len(kinds)], frames, np.random.default_rng((31, number))
        ).clip
        for number in range(count)
    ]


def measure_obedience(
    film: Films,
    clips: Sequence[Clip],
    seeds: Sequence[int],
    sentences: Sequence[Sentence],
    progress: Progress | None = None,
) -> Obedience:
    """Film every motion with every sentence. Noise differs between all films of a seed."""
    if not clips or not seeds:
        raise MetricError("There is nothing to film.", "Ask for one clip and one seed at least.")
    requests = [
        FilmRequest(clip, sentence.words, seed=seed, take=place * len(clips) + number)
        for place, sentence in enumerate(sentences)
        for number, clip in enumerate(clips)
        for seed in seeds
    ]
    shown: list[int | None] = []
    for start in range(0, len(requests), SOME):
        shown += _shown(film, requests[start : start + SOME])
        if progress is not None:
            progress(len(shown), len(requests))
    each = len(clips) * len(seeds)
    facts = tuple(
        _sentence_facts(sentence, shown[place * each : (place + 1) * each])
        for place, sentence in enumerate(sentences)
    )
    shares = np.array([fact.right / fact.films for fact in facts])
    return Obedience(
        films=len(requests),
        obeyed=sum(fact.is_obeyed for fact in facts),
        refused=sum(tag is None for tag in shown),
        right_share=sum(fact.right for fact in facts) / len(requests),
        right_interval=mean_interval(shares, each_apart(len(facts), "sentence")),
        includes_share=sum(fact.includes for fact in facts) / len(requests),
        sentences=facts,
    )


def films_by(director: Director, way: SamplingProtocol) -> Films:
    """The Director, asked as a protocol asks; of a store's motions short ones are filmed too."""
    director = Director(director.parts, shortest_seconds=SHORTEST_MEASURED_SECONDS)

    def film(requests: Sequence[FilmRequest]) -> list[Shot]:
        guided = [replace(request, guidance=way.camera_guidance) for request in requests]
        return director.film_many(guided, way.camera_preset, finish=way.finish)

    return film


def _shown(film: Films, requests: Sequence[FilmRequest]) -> list[int | None]:
    """Dominant movements, None where no camera came. One refusal must not cost its neighbours."""
    try:
        return [dominant_movement(shot) for shot in film(requests)]
    except RequestError:
        if len(requests) == 1:
            return [None]
    return [tag for request in requests for tag in _shown(film, [request])]


def _sentence_facts(sentence: Sentence, shown: Sequence[int | None]) -> SentenceFacts:
    return SentenceFacts(
        words=sentence.words,
        asked=sentence.asked,
        films=len(shown),
        right=sum(tag == sentence.tag for tag in shown),
        includes=sum(_includes(tag, sentence.tag) for tag in shown),
        shown=tuple(
            (REFUSED if tag is None else TAG_NAMES[tag], count)
            for tag, count in Counter(shown).most_common()
        ),
    )


def _includes(shown: int | None, asked: int) -> bool:
    """Every asked direction is there; a camera at rest includes nothing but itself."""
    if shown is None or asked == 0:
        return shown == asked
    return all(want in (0, have) for have, want in zip(SIGNS[shown], SIGNS[asked], strict=True))


def measure_wording(
    film: Films, motions: Sequence[Clip], setting: WordingSetting, bar: ProgressBar
) -> WordingResult:
    """Every motion with unseen words and with the grammar's own, once per seed of the setting."""
    obedience: list[Obedience] = []
    for label, sentences in (("unseen", SENTENCES), ("familiar", familiar_sentences())):
        with bar(f"{label} words") as progress:
            obedience.append(measure_obedience(film, motions, setting.seeds, sentences, progress))
    return wording_result(setting, obedience[0], obedience[1])


def wording_result(
    setting: WordingSetting, unseen: Obedience, familiar: Obedience
) -> WordingResult:
    """With everything needed to repeat it."""
    return WordingResult(setting, unseen, familiar, *origin_of_result())


def wording_page(result: WordingResult) -> str:
    """The numbers, by movement and by sentence."""
    setting, unseen, familiar = result.setting, result.unseen, result.familiar
    near = unseen.right_interval
    over = "" if near is None else f" ({near.low:.1%} to {near.high:.1%} over sentences)"
    way = "; ".join(f"{name}: {choice}" for name, choice in setting.choices)
    lines = [
        "# Unseen wording",
        "",
        f"{len(unseen.sentences)} sentences that share no phrase with the grammar of the training "
        f"captions, each over {unseen.sentences[0].films} films ({len(setting.clips)} motions from "
        f"{setting.motions}, seeds {', '.join(map(str, setting.seeds))}, preset "
        f"{setting.preset}, weights {setting.weights[:12]}). A film is right if the movement "
        "that holds most of its time is exactly the one asked for; a sentence is obeyed if more "
        "than half of its films are right.",
        "",
        f"**{unseen.obeyed} of {len(unseen.sentences)} sentences are obeyed; "
        f"{unseen.right_share:.1%} of the films are right**{over}; "
        f"{unseen.includes_share:.1%} have the asked direction, some with another beside it. The "
        "same movements in the grammar's words: "
        f"{familiar.obeyed} of {len(familiar.sentences)} and {familiar.right_share:.1%}. Films "
        f"refused, because the camera could not exist: {unseen.refused} and {familiar.refused}.",
        "",
        "| asked | sentences | obeyed | films right | right in the grammar's words |",
        "|---|---|---|---|---|",
    ]
    for asked in dict.fromkeys(sentence.asked for sentence in unseen.sentences):
        some, same = unseen.of(asked), familiar.of(asked)
        obeyed = sum(it.is_obeyed for it in some)
        lines.append(
            f"| {plain_name(asked)} | {len(some)} | {obeyed} | {_share(some)} | {_share(same)} |"
        )
    lines += ["", "| words | asked | right | shown |", "|---|---|---|---|"]
    for it in unseen.sentences:
        shown = ", ".join(f"{plain_name(name)} {count}" for name, count in it.shown[:3])
        lines.append(f"| {it.words} | {plain_name(it.asked)} | {it.right}/{it.films} | {shown} |")
    lines += ["", f"Sampled: {way}."] if way else []
    return "\n".join([*lines, "", f"Repeat: `{result.repeat}`", ""])


def _share(facts: Sequence[SentenceFacts]) -> str:
    return f"{sum(fact.right for fact in facts) / sum(fact.films for fact in facts):.0%}"
