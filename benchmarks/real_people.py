"""What real people score as if they were generated: the scale of the human metrics on a store.

    python benchmarks/real_people.py --data STORE        # results/real_people.json

People of the training split, whom no test performer is among, are the best that a generator without
knowledge of the test performers can be; halves of the test split show what nearness is worth.
"""

import argparse
from dataclasses import asdict
from pathlib import Path

import numpy as np
from record import write_result

from aesop.data.store import Store, open_store
from aesop.evaluators.shipped import evaluators_folder, load_evaluators
from aesop.metrics.frechet import fit_gaussian, frechet_distance
from aesop.metrics.prdc import prdc
from aesop.text.cache import default_cache_folder
from aesop.text.choice import text_encoder


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


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--evaluators", type=Path)
    args = parser.parse_args()
    store = open_store(args.data)
    encoder = text_encoder("minilm", default_cache_folder())
    people = load_evaluators(evaluators_folder(args.evaluators), encoder).people
    dice = np.random.default_rng(0)

    def embedded(rows: np.ndarray) -> np.ndarray:
        return people.embed_shots([store.as_shot(int(row)) for row in rows])

    test_rows, takes, performers = windows_of(store, "test")
    train_rows = windows_of(store, "train")[0]
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
    command = "python benchmarks/real_people.py --data STORE"
    print(write_result("real_people", command, figures))


if __name__ == "__main__":
    main()
