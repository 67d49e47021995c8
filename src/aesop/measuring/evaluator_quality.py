"""How good the judges are: a metric from a weak evaluator is worthless."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import TypeVar

import numpy as np

from aesop.core.machine import Code, Machine
from aesop.evaluators.evaluator import Evaluator
from aesop.evaluators.evaluator_weights import Evaluators
from aesop.measuring.cases import Cases
from aesop.measuring.runs import origin_of_result
from aesop.metrics.embedding_metrics import Retrieval, cosines, retrieval, same_labels
from aesop.scene.movement import runs
from aesop.scene.shot import Shot

_Label = TypeVar("_Label")


@dataclass(frozen=True)
class EvaluatorFacts:
    """One evaluator on one split. A caption is right if it is the very text, or (by label) if it
    says the same."""

    kind: str
    identity: str
    items: int
    texts: int  # different ones among their captions
    shots_to_words: Retrieval
    words_to_shots: Retrieval
    shots_to_labels: Retrieval  # a caption with the same movement classes, or of the same motion
    true_cosine: float
    shuffled_cosine: float

    @property
    def shuffled_share(self) -> float:
        """How much of the score of true captions shuffled ones get."""
        return max(self.shuffled_cosine, 0.0) / self.true_cosine


@dataclass(frozen=True)
class EvaluatorQuality:
    """What the evaluators can tell apart, on clips that they were not trained on."""

    dataset: str
    data_sha256: str
    split: str
    cameras: EvaluatorFacts
    people: EvaluatorFacts
    code: Code
    machine: Machine
    repeat: str


def measure_evaluators(cases: Cases, evaluators: Evaluators) -> EvaluatorQuality:
    """Cameras on all cases, people on every window once."""
    shots = cases.references
    windows = [shots[place] for place in cases.windows.tolist()]
    classes = [tuple(tag for tag, _, _ in runs(case.target_tags)) for case in cases.cases]
    words = [shot.camera_words for shot in shots]
    human_words = [shot.human_words for shot in windows]
    return EvaluatorQuality(
        cases.dataset,
        cases.data_sha256,
        cases.split,
        _judged(evaluators.cameras, shots, words, classes),
        _judged(evaluators.people, windows, human_words, human_words),
        *origin_of_result(),
    )


def _judged(
    evaluator: Evaluator, shots: Sequence[Shot], words: Sequence[str], labels: Sequence[_Label]
) -> EvaluatorFacts:
    moves, texts_of_shots = evaluator.embed_shots(shots), evaluator.embed_words(words)
    # Each text once: a wrong caption that many clips share takes one place in a ranking, not many.
    # A text that stands for two labels is there with either.
    place = {
        pair: number for number, pair in reversed(list(enumerate(zip(words, labels, strict=True))))
    }
    firsts = sorted(place.values())
    texts, meanings = [words[first] for first in firsts], [labels[first] for first in firsts]
    away = np.random.default_rng(0).permutation(len(words))
    return EvaluatorFacts(
        kind=evaluator.kind,
        identity=evaluator.identity,
        items=len(words),
        texts=len(texts),
        shots_to_words=retrieval(moves, texts_of_shots[firsts], same_labels(words, texts)),
        words_to_shots=retrieval(texts_of_shots[firsts], moves, same_labels(texts, words)),
        shots_to_labels=retrieval(moves, texts_of_shots[firsts], same_labels(labels, meanings)),
        true_cosine=float(cosines(moves, texts_of_shots).mean()),
        shuffled_cosine=float(cosines(moves, texts_of_shots[away]).mean()),
    )


def quality_text(quality: EvaluatorQuality) -> str:
    """A Markdown table."""
    heads = ("R@1", "R@5", "R@10")
    lines = [
        f"# Evaluators on {quality.dataset}, {quality.split}",
        "",
        f"| evaluator | items | texts | what | {' | '.join(heads)} | true | shuffled | share |",
        "|---|---:|---:|---" + "|---:" * 6 + "|",
    ]
    for it in (quality.cameras, quality.people):
        ranked = {
            "nearest caption says the same": it.shots_to_labels,
            "shot to its own words": it.shots_to_words,
            "words to their own shot": it.words_to_shots,
        }
        for what, ranks in ranked.items():
            cells = [f"{value:.3f}" for value in asdict(ranks).values()]
            cells += [f"{100 * it.true_cosine:.1f}", f"{100 * it.shuffled_cosine:.1f}",
                      f"{it.shuffled_share:.2f}"]  # fmt: skip
            lines.append(f"| {it.kind} | {it.items} | {it.texts} | {what} | {' | '.join(cells)} |")
    judges = f"`{quality.cameras.identity[:12]}`, `{quality.people.identity[:12]}`"
    lines += ["", f"Evaluators {judges}; data `{quality.data_sha256[:12]}`; `{quality.repeat}`", ""]
    return "\n".join(lines)
