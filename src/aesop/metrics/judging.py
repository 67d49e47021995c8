"""All numbers of one method on one split, from one look at every shot."""

from collections.abc import Sequence
from dataclasses import asdict, astuple, dataclass

import numpy as np
from jaxtyping import Float64, Int64, Integer

from aesop.core.errors import Progress
from aesop.metrics.bootstrap import (
    FRECHET_RESAMPLES,
    MEAN_RESAMPLES,
    Clusters,
    Interval,
    bootstrap,
    each_apart,
    mean_interval,
    one_by_one,
    ratio_interval,
)
from aesop.metrics.embedding_metrics import (
    CHUNKS,
    NEIGHBOURS,
    Gaussian,
    Prdc,
    alignment_score,
    chunked_prdc,
    cosines,
    fit_gaussian,
    frechet_distance,
    prdc,
)
from aesop.metrics.framing_metrics import Framing, Moments, framing_of, moments_of
from aesop.metrics.metric_book import (
    METRICS,
    Measured,
    require_judgeable,
    require_paired,
    require_same_count,
)
from aesop.metrics.motion_metrics import (
    Travel,
    foot_slide_m_s,
    motion_errors,
    path_errors,
    travel_of,
)
from aesop.metrics.movement_metrics import (
    DirectionAccuracy,
    clip_tables,
    movement_f1,
    weighted_f1,
)
from aesop.scene.movement import CLASSES, tag_path
from aesop.scene.shot import Shot

_MOTION_ERRORS = ("global_mpjpe", "aligned_mpjpe", "root_ade", "root_fde")


@dataclass(frozen=True, eq=False)
class Observed:
    """A list of shots, each looked at once. Embeddings are an evaluator's, one row a shot."""

    tags: tuple[Integer[np.ndarray, " _"], ...]
    framings: tuple[Framing, ...]
    travels: tuple[Travel, ...]
    embeddings: Float64[np.ndarray, "shots width"]


def observe(
    shots: Sequence[Shot],
    embeddings: Float64[np.ndarray, "shots width"],
    progress: Progress | None = None,
) -> Observed:
    """Tags, framing and travel of every shot."""
    require_judgeable(shots)
    tags, framings, travels = [], [], []
    for done, shot in enumerate(shots, start=1):
        tags.append(tag_path(shot.camera, shot.fps))
        framings.append(framing_of(shot))
        travels.append(travel_of(shot.camera, shot.fps))
        if progress is not None:
            progress(done, len(shots))
    return Observed(tuple(tags), tuple(framings), tuple(travels), embeddings)


def joined(parts: Sequence[Observed]) -> Observed:
    """What was observed in parts as if it had been observed at once."""
    return Observed(
        tuple(tag for part in parts for tag in part.tags),
        tuple(framing for part in parts for framing in part.framings),
        tuple(travel for part in parts for travel in part.travels),
        np.zeros((sum(len(part.tags) for part in parts), 0)),
    )


@dataclass(frozen=True, eq=False)
class Compared:
    """Generated shots against their references: a number for every shot, by metric; NaN where a
    shot has none."""

    paths: dict[str, Float64[np.ndarray, " shots"]]
    people: dict[str, Float64[np.ndarray, " shots"]]


def compare(reference: Sequence[Shot], generated: Sequence[Shot]) -> Compared:
    """Errors of every pair."""
    require_paired(reference, generated)
    pairs = list(zip(reference, generated, strict=True))
    people = [
        {
            **motion_errors(wanted.clip.motion, made.clip.motion),
            "foot_slide": foot_slide_m_s(made.clip.motion, made.fps),
        }
        for wanted, made in pairs
    ]
    return Compared(_columns([path_errors(*pair) for pair in pairs]), _columns(people))


def _columns(rows: Sequence[dict[str, float]]) -> dict[str, Float64[np.ndarray, " shots"]]:
    return {name: np.array([row[name] for row in rows]) for name in rows[0]}


@dataclass(frozen=True)
class Unmeasured:
    """A metric that these shots do not support, and why."""

    metric: str
    reason: str


@dataclass(frozen=True)
class Verdict:
    """The numbers of one method and one seed; `impossible` answers have another camera standing in
    for theirs, and count as that."""

    measured: tuple[Measured, ...]
    unmeasured: tuple[Unmeasured, ...] = ()
    impossible: int = 0

    def of(self, metric: str) -> Measured | None:
        """A metric, if it was measured."""
        return next((number for number in self.measured if number.metric == metric), None)

    def value(self, metric: str) -> float | None:
        """Its number, if it was measured."""
        number = self.of(metric)
        return None if number is None else number.value

    def __add__(self, other: "Verdict") -> "Verdict":
        return Verdict(
            self.measured + other.measured,
            self.unmeasured + other.unmeasured,
            self.impossible + other.impossible,
        )


def judge_cameras(
    reference: Observed,
    generated: Observed,
    targets: Sequence[Integer[np.ndarray, " _"]],
    words: Float64[np.ndarray, "shots width"],
    clusters: Clusters | None = None,
) -> Verdict:
    """Camera distribution, alignment and framing. `targets` are the movement classes that were
    asked for, `words` the captions in the evaluator's space. Intervals draw clusters (every shot is
    one if none are given)."""
    clusters = clusters or each_apart(len(targets))
    require_same_count("reference and generated shots", len(reference.tags), len(generated.tags))
    tables = clip_tables(targets, generated.tags).reshape(len(targets), -1).astype(np.float64)
    f1 = movement_f1(tables.sum(0).reshape(CLASSES, CLASSES))
    return (
        distribution_verdict("fdc", "camera", reference.embeddings, generated.embeddings, clusters)
        + Verdict(
            (
                _alignment("clatr", generated.embeddings, words, clusters),
                Measured("f1", f1.weighted, len(tables), _f1_interval(tables, clusters)),
                Measured("f1_macro", f1.macro, len(tables)),
            )
        )
        + _framing(reference, generated, clusters)
        + _travel(generated, clusters)
    )


def judge_paths(compared: Compared, clusters: Clusters | None = None) -> Verdict:
    """Camera errors against the reference, clip-balanced."""
    return _means(compared.paths, clusters)


def judge_motions(
    compared: Compared,
    windows: Int64[np.ndarray, " windows"],
    clusters: Clusters | None = None,
) -> Verdict:
    """Human errors against the reference. `windows` picks one shot of every human window, whose
    clusters are given."""
    return _means({name: compared.people[name][windows] for name in _MOTION_ERRORS}, clusters)


def judge_people(
    reference: Float64[np.ndarray, "windows width"],
    generated: Float64[np.ndarray, "windows width"],
    words: Float64[np.ndarray, "windows width"],
    foot_slides_m_s: Float64[np.ndarray, " windows"],
    clusters: Clusters | None = None,
) -> Verdict:
    """Human distribution and alignment: every human window once, or repeated people would shrink
    the neighbourhoods of PRDC to nothing."""
    clusters = clusters or each_apart(len(reference))
    return (
        distribution_verdict("fd_tmr", "human", reference, generated, clusters)
        + Verdict((_alignment("tmr", generated, words, clusters),))
        + _means({"foot_slide": foot_slides_m_s}, clusters)
    )


def judge_direction(accuracy: DirectionAccuracy, clusters: Clusters | None = None) -> Verdict:
    """Percent, over the clips of both arms."""
    return _means(
        {
            "direction_original": 100 * accuracy.original,
            "direction_reversed": 100 * accuracy.reversed,
            "direction_combined": 100 * accuracy.combined,
        },
        clusters,
    )


def distribution_verdict(
    distance: str,
    prefix: str,
    reference: Float64[np.ndarray, "clips width"],
    generated: Float64[np.ndarray, "clips width"],
    clusters: Clusters | None = None,
) -> Verdict:
    """Fréchet distance and PRDC of two sets of embeddings, clip by clip in the same order. PRDC has
    no interval: neighbours do not survive drawing twice."""
    require_same_count("reference and generated embeddings", len(reference), len(generated))
    clips = len(reference)
    least = CHUNKS * (NEIGHBOURS + 1)
    apart = _frechet(distance, reference, generated, clusters or each_apart(clips))
    smallest = clips - (CHUNKS - 1) * -(-clips // CHUNKS)  # the last chunk is what is left
    if smallest <= NEIGHBOURS:
        reason = (
            f"{clips} clips; {CHUNKS} chunks with {NEIGHBOURS} neighbours need {least}, and the "
            f"last chunk {NEIGHBOURS + 1}"
        )
        return apart + Verdict((), (Unmeasured(f"{prefix}_recall", reason),))
    return apart + Verdict(
        (
            *_prdc_measures(prefix, chunked_prdc(reference, generated), clips),
            *_prdc_measures(prefix, prdc(reference, generated), clips, "_block"),
        )
    )


def _frechet(
    name: str,
    reference: Float64[np.ndarray, "clips width"],
    generated: Float64[np.ndarray, "clips width"],
    clusters: Clusters,
) -> Verdict:
    clips, width = reference.shape
    if clips <= width:
        reason = f"{clips} clips; embeddings of {width} numbers need at least {width + 1}"
        return Verdict((), (Unmeasured(name, reason),))
    value = frechet_distance(fit_gaussian(reference), fit_gaussian(generated))

    def again(counts: Float64[np.ndarray, " clips"]) -> float:
        return frechet_distance(
            weighted_gaussian(reference, counts), weighted_gaussian(generated, counts)
        )

    interval = bootstrap(one_by_one(again), clusters, FRECHET_RESAMPLES, around=value)
    return Verdict((Measured(name, value, clips, interval),))


def _prdc_measures(prefix: str, shares: Prdc, clips: int, ending: str = "") -> list[Measured]:
    return [
        Measured(f"{prefix}_{name}{ending}", value, clips) for name, value in asdict(shares).items()
    ]


def weighted_gaussian(
    rows: Float64[np.ndarray, "clips width"], counts: Float64[np.ndarray, " clips"]
) -> Gaussian:
    """The Gaussian of rows that count so often."""
    total = counts.sum()
    mean = counts @ rows / total
    apart = rows - mean
    return Gaussian(mean, (apart * counts[:, None]).T @ apart / (total - 1), int(total))


def _framing(reference: Observed, generated: Observed, clusters: Clusters) -> Verdict:
    wanted, made = (moments_of(shots.framings) for shots in (reference, generated))
    clips = len(made.count)

    def distance(counts: Float64[np.ndarray, " clips"]) -> float:
        return frechet_distance(pooled_gaussian(wanted, counts), pooled_gaussian(made, counts))

    value = distance(np.ones(clips))
    framings = generated.framings
    outs = np.array([framing.is_out.sum() for framing in framings], np.float64)
    out_interval = ratio_interval(100 * outs, made.count.astype(np.float64), clusters)
    interval = bootstrap(one_by_one(distance), clusters, FRECHET_RESAMPLES, around=value)
    out = 100 * float(outs.sum() / made.count.sum())
    return Verdict(
        (
            Measured("r_fpd", value, clips, interval),
            Measured("out", out, clips, out_interval),
        )
    ) + _means(
        {
            name: np.array([getattr(framing, name) for framing in framings])
            for name in ("centre_offset", "box_height", "headroom")
        },
        clusters,
    )


def pooled_gaussian(moments: Moments, counts: Float64[np.ndarray, " clips"]) -> Gaussian:
    """The Gaussian of all frames of clips that count so often."""
    frames = float(counts @ moments.count)
    mean = counts @ moments.total / frames
    products = np.tensordot(counts, moments.products, 1)
    return Gaussian(mean, (products - frames * np.outer(mean, mean)) / (frames - 1), int(frames))


def _travel(generated: Observed, clusters: Clusters) -> Verdict:
    path, net, jerk, turn = np.array([astuple(travel) for travel in generated.travels]).T
    values = {"path": path, "net": net, "jerk": jerk, "turn_acceleration": turn}
    return _means(values, clusters)


def _means(values: dict[str, Float64[np.ndarray, " clips"]], clusters: Clusters | None) -> Verdict:
    """Clip-balanced means; clips without a value (too short, nobody in view) are left out."""
    measured: list[Measured] = []
    missing: list[Unmeasured] = []
    for name, numbers in values.items():
        assert name in METRICS, name
        kept = numbers[np.isfinite(numbers)]
        if len(kept):
            interval = mean_interval(numbers, clusters)
            measured.append(Measured(name, float(kept.mean()), len(kept), interval))
        else:
            missing.append(Unmeasured(name, "no clip has a value"))
    return Verdict(tuple(measured), tuple(missing))


def _f1_interval(tables: Float64[np.ndarray, "clips cells"], clusters: Clusters) -> Interval | None:
    def again(counts: Float64[np.ndarray, "times clips"]) -> Float64[np.ndarray, " times"]:
        return weighted_f1((counts @ tables).reshape(-1, CLASSES, CLASSES))

    return bootstrap(again, clusters, MEAN_RESAMPLES)


def _alignment(
    name: str,
    generated: Float64[np.ndarray, "clips width"],
    words: Float64[np.ndarray, "clips width"],
    clusters: Clusters,
) -> Measured:
    own = cosines(generated, words)
    return Measured(name, alignment_score(own), len(own), mean_interval(100 * own, clusters))
