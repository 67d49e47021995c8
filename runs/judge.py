"""How well the two judges of cameras tell words that are true of a shot from words that are not.

    python runs/judge.py STORE        # results/runs/judge.json; STORE is of the second edition

Every shot of test/plain and test/idiom is set beside its own first caption and beside all captions
that it denies, by attribute: words that call it another size, another side, another move.
"""

import argparse
import json
import sys
from collections import defaultdict
from pathlib import Path

import numpy as np
import torch
from jaxtyping import Bool, Float

from aesop.data.store import Store, open_store
from aesop.evaluators.caption_claims import CLAIMED, Claims, ShotClaims, claims_of
from aesop.evaluators.evaluator import (
    FRAMED,
    Evaluator,
    embed_batch,
    framed_from_features,
    nine_from_features,
)
from aesop.evaluators.evaluator_training import framed_clips
from aesop.evaluators.evaluator_weights import evaluators_folder, load_judge
from aesop.scene.movement import runs
from aesop.text.encoders import default_cache_folder, text_encoder
from aesop.training.footage import Ragged, footage_of_rows

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "benchmarks"))
import record

ROOT = Path(__file__).resolve().parents[1]
KINDS = ("plain", "idiom")
JUDGES = ("clatr", "clatr2")


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("store", type=Path)
    parser.add_argument("--split", default="test", help="validation to choose by, test to tell")
    parser.add_argument("--at-most", type=int, default=3000, help="shots of a kind, evenly chosen")
    args = parser.parse_args()
    torch.set_num_threads(1)
    store, encoder = open_store(args.store), text_encoder("minilm", default_cache_folder())
    folder = evaluators_folder()
    judges = {it: load_judge(folder / f"{it}.safetensors", encoder, "clatr") for it in JUDGES}
    figures: dict[str, object] = {"content_sha256": store.manifest.content_sha256}
    for kind in KINDS if args.split == "test" else ("vocabulary",):
        rows = store.split(args.split, kind)
        rows = rows[np.linspace(0, len(rows) - 1, min(args.at_most, len(rows))).astype(int)]
        claims = [shot_claims(store, int(row)) for row in rows]
        clips = framed_clips(footage_of_rows(store, rows), claims, encoder)
        captions = [store.shots.strings("captions", int(row))[0] for row in rows]
        told = claims_of(claims, [store.shots.strings("captions", int(row)) for row in rows])
        texts = clips.captions.pick(np.arange(len(rows)), np.zeros(len(rows)))
        for name, judge in judges.items():
            cosines = shown(judge, clips.clips, captions)
            figures[f"{kind}, {name}"] = marks(cosines, told, torch.from_numpy(texts))
    record.RESULTS = ROOT / "results" / "runs"
    command = f"python runs/judge.py FABLES2 --split {args.split} --at-most {args.at_most}"
    sys.stderr.write(f"{record.write_result('judge', command, figures)}\n")


def shot_claims(store: Store, row: int) -> ShotClaims:
    """What the store says of a shot."""
    attributes = json.loads(store.shots.text("attributes", row))
    movements = tuple(int(tag) for tag, _, _ in runs(store.shots.items("tags", row)))
    told = tuple(map(tuple, attributes["told"]))
    return ShotClaims(movements, tuple(attributes["facts"]), told)


def shown(judge: Evaluator, clips: Ragged, captions: list[str]) -> Float[np.ndarray, "shots shots"]:
    """Cosines of all shots (rows) and first captions (columns)."""
    paths = [_inputs(judge, clips.clip(row)) for row in range(len(clips))]
    made = np.zeros((len(paths), judge.width))
    order = np.argsort([len(path) for path in paths], kind="stable")
    for first in range(0, len(order), 64):
        some = order[first : first + 64]
        made[some] = embed_batch(judge.pair.moves, [paths[row] for row in some.tolist()])
    words = judge.embed_words(captions)
    made, words = (it / np.linalg.norm(it, axis=-1, keepdims=True) for it in (made, words))
    return made @ words.T


def _inputs(
    judge: Evaluator, headed: Float[torch.Tensor, "frames 15"]
) -> Float[torch.Tensor, "frames features"]:
    framed = judge.pair.moves.shape.features == FRAMED
    return judge.pair.standard(
        framed_from_features(headed) if framed else nine_from_features(headed[:, :-1])
    )


def marks(
    cosines: Float[np.ndarray, "shots shots"], claims: Claims, texts: torch.Tensor
) -> dict[str, object]:
    """Own words above denied ones, for all denied words and by the attribute that is denied."""
    rows = torch.arange(len(texts))
    wrong = claims.strangers(rows, texts).numpy()
    own = np.diagonal(cosines)[:, None]
    above = own > cosines
    nearest = cosines.argmax(1)
    by_attribute: dict[str, Bool[np.ndarray, "shots shots"]] = {}
    others = np.zeros_like(wrong)
    groups: dict[str, list[int]] = defaultdict(list)
    for column, name in enumerate(CLAIMED):
        groups[name.partition(":")[0]].append(column)
    denied, claimed = claims.denied[rows].float(), claims.claimed[texts].float()
    counts = {name: (denied[:, at] @ claimed[:, at].T > 0).numpy() for name, at in groups.items()}
    for name in counts:
        others = np.any([it for other, it in counts.items() if other != name], axis=0)
        by_attribute[name] = counts[name] & ~others
    return {
        "shots": len(texts),
        "nearest words are true of the shot": round(1 - float(wrong[rows, nearest].mean()), 4),
        "any words are true of a shot": round(1 - float(wrong.mean()), 4),
        "own words above denied ones": round(float(above[wrong].mean()), 4),
        "own above denied, by what is denied": {
            name: round(float(above[pairs].mean()), 4)
            for name, pairs in sorted(by_attribute.items())
            if pairs.any()
        },
        "cosine of own, of denied": [
            round(float(own.mean()), 4),
            round(float(cosines[wrong].mean()), 4),
        ],
    }


if __name__ == "__main__":
    main()
