"""What real people score as if they were generated: the scale of the human metrics on a store.

    python benchmarks/real_people.py --data STORE        # results/benchmarks/real_people.json

People of the training split, whom no test performer is among, are the best that a generator without
knowledge of the test performers can be; halves of the test split show what nearness is worth.

Windows of one take overlap, so the nearest neighbours of a test window are its own take and the
balls that precision asks about are tiny. The last rows therefore keep one window of every take: the
mean over many such draws, for training people and for the model's.
"""

import argparse
from dataclasses import asdict, replace
from pathlib import Path

import numpy as np
from record import write_result

from aesop.data.store import Store, open_store
from aesop.director.director import load_director
from aesop.director.requests import ActRequest
from aesop.evaluators.evaluator_weights import evaluators_folder, load_evaluators
from aesop.metrics.embedding_metrics import Prdc, fit_gaussian, frechet_distance, prdc
from aesop.scene.shot import Shot
from aesop.text.encoders import default_cache_folder, text_encoder

DRAWS = 20


def windows_of(store: Store, split: str) -> tuple[np.ndarray, list[str], list[str]]:
    """One shot of every human window, with its take and performer."""
    rows = store.split(split)
    first = np.sort(np.unique(store.human_rows[rows], return_index=True)[1])
    chosen = rows[first]
    names = [store.humans.text("id", int(store.human_rows[row])) for row in chosen]
    takes = ["_".join(name.split("_")[:2]) for name in names]
    return chosen, takes, [name.split("_")[0] for name in names]


def halves(groups: list[str], dice: np.random.Generator) -> np.ndarray:
    """True for the windows of about half of the groups."""
    names = sorted(set(groups))
    chosen = set(dice.permutation(names)[: len(names) // 2].tolist())
    return np.array([group in chosen for group in groups])


def one_of_each(groups: list[str], dice: np.random.Generator) -> np.ndarray:
    """The place of one member of every group."""
    order = dice.permutation(len(groups))
    named = np.array(groups)[order]
    return order[np.unique(named, return_index=True)[1]]


def mean_of(scores: list[Prdc]) -> dict[str, float]:
    rows = [asdict(score) for score in scores]
    return {key: float(np.mean([row[key] for row in rows])) for key in rows[0]}


def acted(model: Path | None, store: Store, rows: np.ndarray) -> list[Shot]:
    """The model's people for the words of these shots, in place of those who were there."""
    shots = [store.as_shot(int(row)) for row in rows]
    requests = [
        ActRequest(shot.human_words, shot.clip.seconds, seed=number)
        for number, shot in enumerate(shots)
    ]
    people = load_director(model).act_many(requests)
    return [
        replace(shot, clip=replace(shot.clip, motion=made.motion))
        for shot, made in zip(shots, people, strict=True)
    ]


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--evaluators", type=Path)
    parser.add_argument(
        "--model", type=Path, help="weights; those that came with AESOP if not given"
    )
    args = parser.parse_args()
    store = open_store(args.data)
    encoder = text_encoder("minilm", default_cache_folder())
    people = load_evaluators(evaluators_folder(args.evaluators), encoder).people
    dice = np.random.default_rng(0)

    def embedded(rows: np.ndarray) -> np.ndarray:
        return people.embed_shots([store.as_shot(int(row)) for row in rows])

    test_rows, takes, performers = windows_of(store, "test")
    train_rows, train_takes, _ = windows_of(store, "train")
    test = embedded(test_rows)
    train = embedded(dice.choice(train_rows, len(test), replace=False))
    even = dice.permutation(len(test)) % 2 == 0
    figures: dict[str, object] = {
        "test_windows": len(test),
        "test_takes": len(set(takes)),
        "test_performers": len(set(performers)),
        "evaluator": people.identity,
        "training people against test people": {
            **asdict(prdc(test, train)),
            "fd_tmr": frechet_distance(fit_gaussian(test), fit_gaussian(train)),
        },
    }
    for name, half in (
        ("windows", even),
        ("takes", halves(takes, dice)),
        ("performers", halves(performers, dice)),
    ):
        figures[f"test people, halves by {name}"] = asdict(prdc(test[half], test[~half]))
    made = people.embed_shots(acted(args.model, store, test_rows))
    figures["the model's people against test people"] = {
        **asdict(prdc(test, made)),
        "fd_tmr": frechet_distance(fit_gaussian(test), fit_gaussian(made)),
    }
    every_train = embedded(train_rows)
    real_scores, made_scores = [], []
    for _ in range(DRAWS):
        chosen = one_of_each(takes, dice)
        others = dice.choice(one_of_each(train_takes, dice), len(chosen), replace=False)
        real_scores.append(prdc(test[chosen], every_train[others]))
        made_scores.append(prdc(test[chosen], made[chosen]))
    figures["one window of every take, training people"] = mean_of(real_scores)
    figures["one window of every take, the model's people"] = mean_of(made_scores)
    command = "python benchmarks/real_people.py --data STORE"
    print(write_result("real_people", command, figures))


if __name__ == "__main__":
    main()
