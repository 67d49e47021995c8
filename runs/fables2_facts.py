"""What the second edition of Fables holds: writes results/runs/fables2.json, and the table of
docs/fables.md to the screen.

    python runs/fables2_facts.py STORE [--shots 3000]
"""

import argparse
import json
import sys
from collections import Counter, defaultdict
from dataclasses import asdict
from pathlib import Path

import numpy as np
import torch

from aesop.camera_words.attributes import ATTRIBUTES, VOCABULARY
from aesop.data.facts import store_facts
from aesop.data.store import Store, open_store

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "benchmarks"))
import record

ROOT = Path(__file__).resolve().parents[1]
PARTS = (("train", "vocabulary"), ("validation", "vocabulary"), ("test", "plain"),
         ("test", "idiom"))  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("store", type=Path)
    parser.add_argument("--shots", type=int, default=3000, help="of a part, evenly chosen, whose "
                        "paths are looked at; captions and facts of all are counted")  # fmt: skip
    args = parser.parse_args()
    torch.set_num_threads(1)
    store = open_store(args.store)
    figures: dict[str, object] = {
        "content_sha256": store.manifest.content_sha256,
        "recipe": store.manifest.recipe,
        "counts": {str(it.split): it.rows for it in store.manifest.splits},
        "windows": store.manifest.humans.rows,
    }
    shares: dict[str, dict[str, float]] = {}
    for name, kind in PARTS:
        rows = store.split(name, kind)
        told = told_facts(store, rows)
        shares[f"{name}/{kind}"] = told["shares"]  # pyright: ignore[reportArgumentType]
        some = rows[np.linspace(0, len(rows) - 1, min(args.shots, len(rows))).astype(int)]
        figures[f"{name}/{kind}"] = {**told, "paths": asdict(store_facts(store, some))}
    record.RESULTS = ROOT / "results" / "runs"
    path = record.write_result(
        "fables2", f"python runs/fables2_facts.py FABLES2 --shots {args.shots}", figures
    )
    sys.stderr.write(f"{path}\n")
    sys.stdout.write("\n".join(table(shares)) + "\n")


def told_facts(store: Store, rows: np.ndarray) -> dict[str, object]:
    """Shares of shots that have a value, and what their captions are like."""
    values, steps, said = Counter[str](), Counter[int](), Counter[int]()
    grips, redraws, extents, words = Counter[str](), list[int](), 0, list[int]()
    vocabulary: set[str] = set()
    for row in rows.tolist():
        facts = json.loads(store.shots.text("attributes", row))
        values.update(set(facts["facts"]))
        acts = [name for name in facts["facts"] if name.startswith(("move:", "turn:", "lens:z"))]
        later = sum(name.startswith("when:") for name in facts["facts"])
        steps[later + bool(acts)] += 1
        said.update(len(names) for names in facts["told"])
        grips[facts["grip"]] += 1
        redraws.append(facts["redraws"])
        extents += bool(facts["has_extent"])
        for caption in store.shots.strings("captions", row):
            words.append(len(caption.split()))
            vocabulary.update(caption.lower().split())
    count = len(rows)
    return {
        "shots": count,
        "windows": len(np.unique(store.human_rows[rows])),
        "shares": {it.name: round(values[it.name] / count, 4) for it in VOCABULARY},
        "steps_of_a_shot": {str(key): round(it / count, 4) for key, it in sorted(steps.items())},
        "facts_told_by_a_caption": {
            str(key): round(it / sum(said.values()), 4) for key, it in sorted(said.items())
        },
        "has_extent": round(extents / count, 4),
        "redraws_mean": round(float(np.mean(redraws)), 2),
        "caption_words_p10_50_90": np.quantile(words, (0.1, 0.5, 0.9)).tolist(),
        "different_words": len(vocabulary),
    }


def table(shares: dict[str, dict[str, float]]) -> list[str]:
    """Markdown: one line an attribute, shares in percent of train, test."""
    by_attribute: dict[str, list[str]] = defaultdict(list)
    for value in VOCABULARY:
        of = [shares[part].get(value.name, 0.0) for part in ("train/vocabulary", "test/plain")]
        by_attribute[value.attribute].append(f"{value.value} {100 * of[0]:.1f} / {100 * of[1]:.1f}")
    lines = ["| attribute | % of shots, train / test |", "|---|---|"]
    return lines + [f"| {it} | {', '.join(by_attribute[it])} |" for it in ATTRIBUTES]


if __name__ == "__main__":
    main()
