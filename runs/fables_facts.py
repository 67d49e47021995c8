"""What Fables holds and whether it can teach: writes results/benchmarks/fables.json.

    python runs/fables_facts.py STORE [--shots 6000]

Beside the facts of `aesop data stats`: tags recomputed per grip, camera steps in the axes of the
first camera beside E.T.'s, what a plain classifier reads from the words, and how far cameras go
with the person.
"""

import argparse
import sys
from dataclasses import asdict
from pathlib import Path

import numpy as np
import torch
from jaxtyping import Float, Int

from aesop.data.facts import QUANTILES, store_facts, weighted_f1, word_facts
from aesop.data.manifest import StoredShot
from aesop.data.store import Store, decode, open_store
from aesop.scene.human import NATIVE_FPS
from aesop.scene.movement import CLASSES, TAG_NAMES, signs_from_tag, tag_path
from aesop.text.encoder import TextEncoder
from aesop.text.encoders import text_encoder

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "benchmarks"))
from record import write_result

# Published for E.T.: spread of centre increments, metres a frame, right, down, forward.
ET_STEP_STD_M = (0.027841, 0.01819818, 0.03138536)
# Published for PulpMotion's pure split, frames at p10, 25, 50, 75, 90.
PULPMOTION_LENGTHS = (37, 46, 70, 116, 184)
PROBE_CAPTIONS = 24_000
RIDGE = 1e-2


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("store", type=Path)
    parser.add_argument("--shots", type=int, default=6000)
    args = parser.parse_args()
    torch.set_num_threads(1)
    store = open_store(args.store)
    figures: dict[str, object] = {
        "content_sha256": store.manifest.content_sha256,
        "counts": {str(it.split): it.rows for it in store.manifest.splits},
        "windows": store.manifest.humans.rows,
        "quantiles": QUANTILES,
        "published": {
            "et_step_std_m": ET_STEP_STD_M,
            "pulpmotion_pure_lengths_p10_25_50_75_90": PULPMOTION_LENGTHS,
            "paper_gt_out_percent": 0.71,
            "paper_gt_f1": 0.945,
        },
    }
    parts = [("train", None), ("train", "pure"), ("train", "mixed"), ("test", None)]
    for name, kind in parts:
        rows = some(store.split(name, kind), args.shots)
        figures[f"{name}/{kind or 'all'}"] = asdict(store_facts(store, rows))
        say(f"{name} {kind or 'all'}: measured")
    shots = [store.shot(row) for row in some(store.split("train"), args.shots).tolist()]
    figures["grips"] = grips(shots)
    figures["steps"] = steps(shots)
    figures["clean_share"] = float(np.mean([bool(it.attributes["clean"]) for it in shots]))
    figures["travel"] = travel(shots)
    say("camera paths: measured")
    figures["person"] = person(shots)
    say("person: measured")
    figures["arcs"] = arcs(shots)
    figures["words"] = words(store)
    write_result("fables", "python runs/fables_facts.py STORE", figures)


def say(text: str) -> None:
    sys.stderr.write(text + "\n")


def some(rows: Int[np.ndarray, " rows"], count: int) -> Int[np.ndarray, " some"]:
    return rows[np.linspace(0, len(rows) - 1, min(count, len(rows))).astype(int)]


def grips(shots: list[StoredShot]) -> dict[str, object]:
    """F1 of recomputed tags for every grip, and how often it is used."""
    told: dict[str, object] = {}
    for grip in sorted({str(it.attributes["grip"]) for it in shots}):
        own = [it for it in shots if it.attributes["grip"] == grip]
        stored = np.concatenate([it.tags for it in own]).astype(np.int64)
        found = np.concatenate([tag_path(decode(it)[1], NATIVE_FPS) for it in own])
        told[grip] = {
            "share": len(own) / len(shots),
            "f1": weighted_f1(stored, found.astype(np.int64)),
        }
    return told


def steps(shots: list[StoredShot]) -> dict[str, object]:
    """Spread of increments along the first camera's right, down and forward axes."""
    moves: list[np.ndarray] = []
    for shot in shots:
        camera = decode(shot)[1]
        centre = camera.centre.double().numpy()
        moves.append(np.diff(centre, axis=0) @ camera.world_from_camera[0].double().numpy())
    spread = np.concatenate(moves).std(axis=0)
    return {
        "std_m_right_down_forward": spread.tolist(),
        "over_et": (spread / np.array(ET_STEP_STD_M)).tolist(),
    }


def travel(shots: list[StoredShot]) -> dict[str, object]:
    """Ways of shots with one movement, by tag."""
    by_tag: dict[int, list[float]] = {}
    for shot in shots:
        if len(set(shot.tags.tolist())) == 1 and shot.tags[0] != 0:
            by_tag.setdefault(int(shot.tags[0]), []).append(float(decode(shot)[1].travel))
    return {
        TAG_NAMES[tag]: {
            "shots": len(ways),
            "p10_m": float(np.quantile(ways, 0.1)),
            "p90_m": float(np.quantile(ways, 0.9)),
            "p90_over_p10": float(np.quantile(ways, 0.9) / np.quantile(ways, 0.1)),
        }
        for tag, ways in sorted(by_tag.items())
        if len(ways) >= 20
    }


def person(shots: list[StoredShot]) -> dict[str, object]:
    """How cameras go with the person, beside the same cameras about another person's way.

    `aim`: mean angle between optical axis and the line to the neck. `walk`: correlation of camera
    steps with the person's, along the person's way. `distance`: spread of the distance, relative.
    """
    own = {"follows": [], "arcs": [], "others": []}
    other = {"follows": [], "arcs": [], "others": []}
    for number, shot in enumerate(shots):
        kinds = str(shot.attributes["kinds"])
        follows = "follow" in kinds or "lead" in kinds
        kind = "follows" if follows else "arcs" if "arc" in kinds else "others"
        motion, camera = decode(shot)
        centre = camera.centre.double().numpy()
        forward = camera.world_from_camera[:, :, 2].double().numpy()
        stranger = decode(shots[(number + len(shots) // 2) % len(shots)])[0]
        for who, into in ((motion, own), (stranger, other)):
            joints = who.joints.double().numpy()
            frames = min(len(centre), len(joints))
            into[kind].append(_together(centre[:frames], forward[:frames], joints[:frames]))
    names = ("aim_degrees", "walk_correlation", "distance_spread")
    return {
        kind: {
            whose: dict(zip(names, np.nanmean(np.array(rows[kind]), axis=0).tolist(), strict=True))
            for whose, rows in (("own person", own), ("another person", other))
        }
        | {"shots": len(own[kind])}
        for kind in own
    }


def arcs(shots: list[StoredShot]) -> dict[str, object]:
    """Spread of the distance to the person, relative, of shots that are one arc, beside a straight
    way between the same ends."""
    own: list[float] = []
    straight: list[float] = []
    turned: list[float] = []
    for shot in shots:
        if shot.attributes["kinds"] != ["arc"]:
            continue
        motion, camera = decode(shot)
        centre, root = camera.centre.double().numpy(), motion.root.double().numpy()
        share = np.linspace(0, 1, len(centre))[:, None]
        chord = centre[0] + share * (centre[-1] - centre[0])
        for way, into in ((centre, own), (chord, straight)):
            apart = np.linalg.norm((way - root)[:, :2], axis=-1)
            into.append(float(apart.std() / apart.mean()))
        line = (centre - root)[:, :2]
        turn = np.unwrap(np.arctan2(line[:, 1], line[:, 0]))
        turned.append(float(np.degrees(abs(turn[-1] - turn[0]))))
    return {
        "shots": len(own),
        "distance_spread": float(np.mean(own)),
        "distance_spread_of_chord": float(np.mean(straight)),
        "turned_degrees_median": float(np.median(turned)),
    }


def _together(
    centre: Float[np.ndarray, "frames 3"],
    forward: Float[np.ndarray, "frames 3"],
    joints: Float[np.ndarray, "frames 22 3"],
) -> tuple[float, float, float]:
    line = joints[:, 12] - centre
    apart = np.linalg.norm(line, axis=-1)
    aim = np.degrees(np.arccos(np.clip((line * forward).sum(-1) / apart, -1, 1)).mean())
    step, way = np.diff(centre[:, :2], axis=0), np.diff(joints[:, 0, :2], axis=0)
    sizes = np.linalg.norm(step) * np.linalg.norm(way)
    goes = np.linalg.norm(way.sum(0)) > 0.8 and np.linalg.norm(step.sum(0)) > 0.2
    walk = float((step * way).sum() / sizes) if goes else float("nan")
    return float(aim), walk, float(apart.std() / apart.mean())


def words(store: Store) -> dict[str, object]:
    """What a linear classifier reads from the text encoder's pooled features."""
    told: dict[str, object] = {}
    encoder = text_encoder("minilm")
    texts: dict[str, list[str]] = {}
    tags: dict[str, np.ndarray] = {}
    ways: dict[str, np.ndarray] = {}
    for name, count in (("train", PROBE_CAPTIONS), ("test", 4000)):
        rows = some(store.split(name, "pure"), count)
        shots = [store.shot(row) for row in rows.tolist()]
        texts[name] = [shot.camera_captions[row % 2] for row, shot in enumerate(shots)]
        tags[name] = np.array([np.bincount(shot.tags).argmax() for shot in shots])
        ways[name] = np.array([float(decode(shot)[1].travel) for shot in shots])
        told[f"{name}_captions"] = asdict(word_facts([*texts[name]]))
    pooled = {name: _pooled(encoder, captions) for name, captions in texts.items()}
    guess = _classified(pooled["train"], torch.from_numpy(tags["train"]), pooled["test"])
    told["dominant_tag_accuracy"] = float((guess.numpy() == tags["test"]).mean())
    told["majority_share"] = float(np.bincount(tags["test"]).max() / len(tags["test"]))
    told["log_travel_r2_within_tag"] = _travel_r2(pooled, tags, ways)
    return told


def _pooled(encoder: TextEncoder, captions: list[str]) -> torch.Tensor:
    parts = [encoder.encode(captions[at : at + 256]).pooled for at in range(0, len(captions), 256)]
    return torch.cat(parts).double()


def _classified(
    train: torch.Tensor, tags: torch.Tensor, test: torch.Tensor, rounds: int = 60
) -> torch.Tensor:
    """Logistic regression by L-BFGS."""
    mean, spread = train.mean(0), train.std(0) + 1e-9
    x, y = (train - mean) / spread, (test - mean) / spread
    weight = torch.zeros(train.shape[1], CLASSES, dtype=torch.float64, requires_grad=True)
    bias = torch.zeros(CLASSES, dtype=torch.float64, requires_grad=True)
    optimiser = torch.optim.LBFGS([weight, bias], max_iter=rounds, line_search_fn="strong_wolfe")

    def loss() -> torch.Tensor:
        optimiser.zero_grad()
        value = torch.nn.functional.cross_entropy(x @ weight + bias, tags)
        value = value + RIDGE * weight.square().sum() / len(train)
        value.backward()
        return value

    optimiser.step(loss)
    return (y @ weight + bias).argmax(-1).detach()


def _travel_r2(
    pooled: dict[str, torch.Tensor], tags: dict[str, np.ndarray], ways: dict[str, np.ndarray]
) -> dict[str, float]:
    """Ridge regression of log travel on the caption, fitted and judged within a tag."""
    told: dict[str, float] = {}
    for tag in np.flatnonzero(np.abs(signs_from_tag(np.arange(CLASSES))).sum(-1) > 0):
        here = {name: tags[name] == tag for name in pooled}
        if here["train"].sum() < 400 or here["test"].sum() < 60:
            continue
        x, z = (pooled[name][torch.from_numpy(here[name])] for name in ("train", "test"))
        y, w = (
            torch.from_numpy(np.log(np.maximum(ways[name][here[name]], 1e-3)))
            for name in ("train", "test")
        )
        mean, middle = x.mean(0), y.mean()
        x, z = x - mean, z - mean
        scale = x.square().sum(0).mean() * torch.eye(x.shape[1], dtype=torch.float64)
        weight = torch.linalg.solve(x.T @ x + scale, x.T @ (y - middle))
        left = (w - middle - z @ weight).square().sum() / (w - w.mean()).square().sum()
        told[TAG_NAMES[tag]] = float(1 - left)
    return told


if __name__ == "__main__":
    main()
