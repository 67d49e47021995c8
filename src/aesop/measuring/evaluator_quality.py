"""How good the judges are: a metric from a weak evaluator is worthless."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TypeVar

import numpy as np
import torch
from jaxtyping import Float64

from aesop.core.machine import Code, Machine, code_state, this_command, this_machine
from aesop.evaluators.evaluator import Evaluator
from aesop.evaluators.evaluator_weights import Evaluators
from aesop.measuring.cases import Cases
from aesop.metrics.embedding_metrics import Retrieval, cosines, retrieval, same_labels
from aesop.scene.movement import runs

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
    told = [shot.human_words for shot in windows]
    return EvaluatorQuality(
        dataset=cases.dataset,
        data_sha256=cases.data_sha256,
        split=cases.split,
        cameras=_judged(evaluators.cameras, evaluators.cameras.embed_shots(shots), words, classes),
        people=_judged(evaluators.people, evaluators.people.embed_shots(windows), told, told),
        code=code_state(Path(__file__).parent),
        machine=this_machine(torch.device("cpu")),
        repeat=" ".join(this_command()),
    )


def _judged(
    evaluator: Evaluator,
    shots: Float64[np.ndarray, "items width"],
    words: Sequence[str],
    labels: Sequence[_Label],
) -> EvaluatorFacts:
    said = evaluator.embed_words(words)
    # Each text once: a wrong caption that many clips share takes one place in a ranking, not many.
    # A text that stands for two labels is there with either.
    place = {
        pair: number for number, pair in reversed(list(enumerate(zip(words, labels, strict=True))))
    }
    firsts = sorted(place.values())
    texts, meanings = [words[it] for it in firsts], [labels[it] for it in firsts]
    away = np.random.default_rng(0).permutation(len(words))
    return EvaluatorFacts(
        kind=evaluator.kind,
        identity=evaluator.identity,
        items=len(words),
        texts=len(texts),
        shots_to_words=retrieval(shots, said[firsts], same_labels(words, texts)),
        words_to_shots=retrieval(said[firsts], shots, same_labels(texts, words)),
        shots_to_labels=retrieval(shots, said[firsts], same_labels(labels, meanings)),
        true_cosine=float(cosines(shots, said).mean()),
        shuffled_cosine=float(cosines(shots, said[away]).mean()),
    )


def quality_text(proof: EvaluatorQuality) -> str:
    """A Markdown table."""
    heads = ("R@1", "R@5", "R@10")
    lines = [
        f"# Evaluators on {proof.dataset}, {proof.split}",
        "",
        f"| evaluator | items | texts | what | {' | '.join(heads)} | true | shuffled | share |",
        "|---|---:|---:|---" + "|---:" * 6 + "|",
    ]
    for it in (proof.cameras, proof.people):
        found = {
            "nearest caption says the same": it.shots_to_labels,
            "shot to its own words": it.shots_to_words,
            "words to their own shot": it.words_to_shots,
        }
        for what, ranks in found.items():
            cells = [f"{value:.3f}" for value in asdict(ranks).values()]
            cells += [f"{100 * it.true_cosine:.1f}", f"{100 * it.shuffled_cosine:.1f}",
                      f"{it.shuffled_share:.2f}"]  # fmt: skip
            lines.append(f"| {it.kind} | {it.items} | {it.texts} | {what} | {' | '.join(cells)} |")
    lines += ["", f"Evaluators `{proof.cameras.identity[:12]}`, `{proof.people.identity[:12]}`; "
              f"data `{proof.data_sha256[:12]}`; `{proof.repeat}`", ""]  # fmt: skip
    return "\n".join(lines)
