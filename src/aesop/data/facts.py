"""What a store holds, in numbers: lengths, lenses, places, speeds, movements, framing, words."""

import re
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from jaxtyping import Float, Int

from aesop.core.errors import Progress
from aesop.data.store import Store, decode
from aesop.features.columns import CAMERA
from aesop.scene.camera import out_of_frame, project_joints
from aesop.scene.human import NATIVE_FPS
from aesop.scene.movement import CLASSES, signs_from_tag, tag_path

QUANTILES = tuple(round(0.05 * place, 2) for place in range(1, 20))
TABLE_QUANTILES = (0.1, 0.25, 0.5, 0.75, 0.9)  # in tables; charts show all


@dataclass(frozen=True)
class WordFacts:
    """What captions are made of."""

    captions: int
    distinct: int
    vocabulary: int
    mean_words: float


@dataclass(frozen=True)
class StoreFacts:
    """Facts about some shots of a store; spreads are over all their frames."""

    shots: int
    windows: int
    hours: float
    length_quantiles: tuple[float, ...]
    length_mean: float
    increment_std_m: tuple[float, float, float]  # per world axis, metres per frame
    start_distance_m: tuple[float, ...]  # quantiles
    start_height_m: tuple[float, ...]
    fov_vertical_deg: tuple[float, ...]
    travel_m: tuple[float, ...]
    static_share: float  # of transitions, by the stored tags
    single_share: float
    compound_share: float
    out_percent: float
    tag_f1: float  # recomputed tags against the stored ones, weighted by support
    camera_words: WordFacts
    human_words: WordFacts


def weighted_f1(target: Int[np.ndarray, " n"], claim: Int[np.ndarray, " n"]) -> float:
    """F1 over the movement classes, weighted by how often each occurs in the target."""
    table = np.bincount(target * CLASSES + claim, minlength=CLASSES * CLASSES)
    table = table.reshape(CLASSES, CLASSES)
    right = np.diag(table).astype(float)
    support, claimed = table.sum(1), table.sum(0)
    # 2·hits / (support + claims) is F1; a class that neither occurs nor is claimed has weight 0.
    f1 = 2 * right / np.maximum(support + claimed, 1)
    return float((f1 * support).sum() / max(1, support.sum()))


def store_facts(
    store: Store, rows: Int[np.ndarray, " rows"], progress: Progress | None = None
) -> StoreFacts:
    """Measure some shots of a store."""
    lengths = store.shot_lengths(rows)
    steps: list[np.ndarray] = []
    starts, fovs, travels, outs = [], [], [], []
    stored_tags, computed_tags = [], []
    camera_captions: list[str] = []
    for done, row in enumerate(rows.tolist(), start=1):
        stored = store.shot(row)
        motion, camera = decode(stored)
        features = stored.camera_features
        velocity = CAMERA.take(features, "velocity")[1:].numpy()
        steps.append(velocity)
        travels.append(float(np.linalg.norm(velocity, axis=-1).sum()))
        starts.append(CAMERA.take(features, "from_root")[0].numpy())
        fovs.append(np.degrees(camera.fov_vertical.numpy()))
        outs.append(out_of_frame(project_joints(camera, motion.joints)).numpy())
        stored_tags.append(stored.tags)
        computed_tags.append(tag_path(camera, NATIVE_FPS))
        camera_captions.extend(stored.camera_captions)
        if progress is not None:
            progress(done, len(rows))
    tags = np.concatenate(stored_tags).astype(np.int64)
    moving = np.abs(signs_from_tag(tags)).sum(-1)
    start = np.stack(starts)
    deviation = np.concatenate(steps).astype(np.float64).std(0)
    human_rows = np.unique(store.human_rows[rows])
    human_captions = [
        caption for row in human_rows.tolist() for caption in store.humans.strings("captions", row)
    ]
    return StoreFacts(
        shots=len(rows),
        windows=len(human_rows),
        hours=float(lengths.sum() / NATIVE_FPS / 3600),
        length_quantiles=_quantiles(lengths),
        length_mean=float(lengths.mean()),
        increment_std_m=(float(deviation[0]), float(deviation[1]), float(deviation[2])),
        start_distance_m=_quantiles(np.linalg.norm(start[:, :2], axis=-1)),
        start_height_m=_quantiles(start[:, 2]),
        fov_vertical_deg=_quantiles(np.concatenate(fovs)),
        travel_m=_quantiles(np.array(travels)),
        static_share=float((moving == 0).mean()),
        single_share=float((moving == 1).mean()),
        compound_share=float((moving > 1).mean()),
        out_percent=float(np.concatenate(outs).mean() * 100),
        tag_f1=weighted_f1(tags, np.concatenate(computed_tags)),
        camera_words=word_facts(camera_captions),
        human_words=word_facts(human_captions),
    )


def _quantiles(values: Float[np.ndarray, " n"] | Int[np.ndarray, " n"]) -> tuple[float, ...]:
    return tuple(float(value) for value in np.quantile(values, QUANTILES))


def word_facts(captions: list[str]) -> WordFacts:
    """Counts over captions."""
    words = [re.findall(r"[a-z']+", caption.lower()) for caption in captions]
    vocabulary = Counter(word for caption in words for word in caption)
    return WordFacts(
        captions=len(captions),
        distinct=len(set(captions)),
        vocabulary=len(vocabulary),
        mean_words=float(np.mean([len(caption) for caption in words])) if words else 0.0,
    )


def facts_table(named: dict[str, StoreFacts]) -> str:
    """A Markdown table, one column per part of the store."""

    def several(values: tuple[float, ...], digits: int) -> str:
        return " / ".join(f"{value:.{digits}f}" for value in values)

    def spread(values: tuple[float, ...], digits: int) -> str:
        return several(tuple(values[QUANTILES.index(q)] for q in TABLE_QUANTILES), digits)

    rows: list[tuple[str, Callable[[StoreFacts], str]]] = [
        ("shots", lambda f: f"{f.shots:,}"),
        ("distinct windows", lambda f: f"{f.windows:,}"),
        ("hours", lambda f: f"{f.hours:.1f}"),
        ("length, frames, p10/25/50/75/90", lambda f: spread(f.length_quantiles, 0)),
        ("length, mean", lambda f: f"{f.length_mean:.0f}"),
        ("camera step, m/frame, std of x/y/z", lambda f: several(f.increment_std_m, 4)),
        ("travel, m, p10/25/50/75/90", lambda f: spread(f.travel_m, 2)),
        ("start distance on the ground, m", lambda f: spread(f.start_distance_m, 2)),
        ("start height over the hips, m", lambda f: spread(f.start_height_m, 2)),
        ("vertical field of view, °", lambda f: spread(f.fov_vertical_deg, 0)),
        ("static transitions", lambda f: f"{f.static_share:.1%}"),
        ("along one axis", lambda f: f"{f.single_share:.1%}"),
        ("along two or three", lambda f: f"{f.compound_share:.1%}"),
        ("Out of the reference camera", lambda f: f"{f.out_percent:.2f} %"),
        ("F1 of recomputed tags", lambda f: f"{f.tag_f1:.3f}"),
        ("camera captions, distinct", lambda f: _words(f.camera_words)),
        ("human captions, distinct", lambda f: _words(f.human_words)),
    ]
    lines = [f"| | {' | '.join(named)} |", "|---" * (len(named) + 1) + "|"]
    lines += [
        f"| {name} | {' | '.join(text(facts) for facts in named.values())} |" for name, text in rows
    ]
    return "\n".join(lines)


def _words(facts: WordFacts) -> str:
    share = facts.distinct / max(1, facts.captions)
    return (
        f"{facts.captions:,}, {share:.0%}; {facts.vocabulary:,} words, "
        f"{facts.mean_words:.1f} a caption"
    )
