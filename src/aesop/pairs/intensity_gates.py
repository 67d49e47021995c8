"""The gates of intensity pairs, and how far a way may be stretched or shrunk before its shot is
spoiled."""

from dataclasses import dataclass

import numpy as np
from jaxtyping import Bool, Float, Float32, Int

from aesop.pairs.events import distance
from aesop.pairs.gates import GateList, Verdicts
from aesop.pairs.pair_recipe import DynamicsLimits, IntensityGates
from aesop.pairs.scaling import scaled
from aesop.pairs.shot_arrays import (
    Cameras,
    Dynamics,
    Film,
    aimed,
    blind_frames,
    dynamics,
    features_of_way,
    path_lengths,
    quantile,
    real_steps,
    severe_frames,
    sight,
    smoothed,
    step_lengths,
)


@dataclass(frozen=True)
class ReachGates:
    """What a stretched or shrunk shot may come to. Whatever a shot is already, it may stay."""

    change: float = 0.5  # the change of intensity, up and down, that is tried …
    shares: tuple[float, ...] = (0.45, 0.6, 0.8, 1.0)  # … in these shares; the first always stands
    blind_rise: float = 0.05  # of frames without the person
    severe_rise: float = 0.10  # of frames with fewer than half of the joints
    nearest_m: float = 0.4
    farthest_m: float = 12.7716
    speed: float = 0.16  # 95th percentile, metres per frame
    lowest_m: float = 0.1
    smoothing_taps: int = 11


@dataclass(frozen=True, eq=False)
class _Facts:
    blind: Float[np.ndarray, " clips"]
    severe: Float[np.ndarray, " clips"]
    nearest_m: Float[np.ndarray, " clips"]
    farthest_m: Float[np.ndarray, " clips"]
    speed: Float[np.ndarray, " clips"]
    lowest_m: Float[np.ndarray, " clips"]


def _facts(
    film: Film, cameras: Cameras, turned: Float[np.ndarray, "clips frames 3 joints"]
) -> _Facts:
    visible = sight(film, cameras, turned).visible
    away = distance(film, cameras)
    steps = step_lengths(cameras.centre, film.lengths)
    return _Facts(
        blind=blind_frames(visible, film),
        severe=severe_frames(visible, film),
        nearest_m=np.where(film.mask, away, np.inf).min(1),
        farthest_m=np.where(film.mask, away, 0.0).max(1),
        speed=quantile(steps, film.lengths - 1, 0.95),
        lowest_m=np.where(film.mask, cameras.centre[..., 2], np.inf).min(1),
    )


def _is_fine(own: _Facts, other: _Facts, gates: ReachGates) -> Bool[np.ndarray, " clips"]:
    return (
        (other.blind <= own.blind + gates.blind_rise)
        & (other.severe <= own.severe + gates.severe_rise)
        & (other.nearest_m >= np.minimum(gates.nearest_m, own.nearest_m))
        & (other.farthest_m <= np.maximum(gates.farthest_m, own.farthest_m))
        & (other.speed <= np.maximum(gates.speed, own.speed))
        & (other.lowest_m >= np.minimum(gates.lowest_m, own.lowest_m))
    )


def reach(film: Film, gates: ReachGates) -> Float[np.ndarray, "sides clips"]:
    """The share of a change, down and up, that every shot bears: the largest of the gates' shares
    up to which all are fine."""
    turned = aimed(film, film.cameras)
    smooth = smoothed(film.cameras.centre, film.lengths, gates.smoothing_taps)
    own = _facts(film, film.cameras, turned)
    found = np.full((2, len(film.lengths)), gates.shares[0])
    for side, sign in enumerate((-1.0, 1.0)):
        fine = np.ones(len(film.lengths), np.bool_)
        for share in gates.shares[1:]:
            label = np.full(len(film.lengths), 1 + sign * share * gates.change)
            cameras = film.cameras.moved(scaled(film.cameras.centre, smooth, label))
            fine &= _is_fine(own, _facts(film, cameras, turned), gates)
            found[side] = np.where(fine, share, found[side])
    return found


def stretched(
    film: Film,
    features: Float32[np.ndarray, "clips frames 14"],
    intensities: Float[np.ndarray, "labels clips"],
    gates: ReachGates,
) -> Float32[np.ndarray, "labels clips frames 14"]:
    """Features of every shot at some intensities, each as far as it reaches: with room on both
    sides its travel is the intensity times its own, otherwise it changes more slowly."""
    down, up = reach(film, gates)
    smooth = smoothed(film.cameras.centre, film.lengths, gates.smoothing_taps)
    beyond = intensities - 1
    borne = 1 + np.where(beyond < 0, down, up) * beyond
    return np.stack(
        [
            features_of_way(features, film.root, scaled(film.cameras.centre, smooth, label))
            for label in borne
        ]
    )


DECODED_PATH = "decoded path ratio"
# For weaker targets the transform is a plain scaling: these gates hold whatever the source.
NEVER_FAIL_WEAKER = ("path ratio", "path ratio against speed ratio", "direction")


@dataclass(frozen=True, eq=False)
class SourceFacts:
    """What decides whether a shot can be a source, and what its targets are compared with."""

    path_m: Float[np.ndarray, " clips"]
    span_m: Float[np.ndarray, " clips"]
    largest_step: Float[np.ndarray, " clips"]  # of the path
    start_m: Float[np.ndarray, " clips"]  # from the person, in the first frame
    nearest_m: Float[np.ndarray, " clips"]
    seen: Float[np.ndarray, " clips"]  # share of frames with any joint in view
    severe: Float[np.ndarray, " clips"]  # share of frames with fewer than half
    dynamics: Dynamics

    def take(self, clips: Int[np.ndarray, " chosen"]) -> "SourceFacts":
        return SourceFacts(
            self.path_m[clips],
            self.span_m[clips],
            self.largest_step[clips],
            self.start_m[clips],
            self.nearest_m[clips],
            self.seen[clips],
            self.severe[clips],
            Dynamics(
                self.dynamics.speed[clips],
                self.dynamics.acceleration[clips],
                self.dynamics.jerk[clips],
            ),
        )


def source_facts(film: Film, visible: Bool[np.ndarray, "clips frames joints"]) -> SourceFacts:
    """Measure sources through their own lenses."""
    centre, lengths = film.cameras.centre, film.lengths
    steps = step_lengths(centre, lengths)
    path = steps.sum(-1)
    away = np.linalg.norm(centre - centre[:, :1], axis=-1)
    near = distance(film, film.cameras)
    return SourceFacts(
        path_m=path,
        span_m=np.where(film.mask, away, 0.0).max(1),
        largest_step=np.divide(
            steps.max(1, initial=0.0), path, out=np.zeros_like(path), where=path > 0
        ),
        start_m=near[:, 0],
        nearest_m=np.where(film.mask, near, np.inf).min(1),
        seen=1.0 - blind_frames(visible, film),
        severe=severe_frames(visible, film),
        dynamics=dynamics(centre, lengths),
    )


def active_verdicts(
    film: Film,
    facts: SourceFacts,
    has_caption: Bool[np.ndarray, " clips"],
    is_direction: Bool[np.ndarray, " clips"],
    gates: IntensityGates,
) -> Verdicts:
    """Shots that travel enough to be made weaker and stronger."""
    screen = _screen_of_told(film, has_caption, gates)
    screen.at_least("path", facts.path_m, gates.active_path_m)
    screen.at_least("span", facts.span_m, gates.active_span_m)
    screen.at_most("largest step", facts.largest_step, gates.largest_step)
    _common(screen, facts, is_direction, gates)
    return screen.verdicts


def null_verdicts(
    film: Film,
    facts: SourceFacts,
    has_caption: Bool[np.ndarray, " clips"],
    is_direction: Bool[np.ndarray, " clips"],
    gates: IntensityGates,
) -> Verdicts:
    """Shots that hardly travel, whatever intensity is asked for."""
    screen = _screen_of_told(film, has_caption, gates)
    screen.at_most("path", facts.path_m, gates.null_path_m)
    _common(screen, facts, is_direction, gates)
    return screen.verdicts


def _screen_of_told(
    film: Film, has_caption: Bool[np.ndarray, " clips"], gates: IntensityGates
) -> GateList:
    """What every source is asked first: long enough, and told in words."""
    screen = GateList(len(has_caption))
    screen.at_least("length", film.lengths.astype(np.float64), float(gates.shortest_frames))
    screen.holds("caption", has_caption, has_caption.astype(np.float64))
    return screen


def _common(
    screen: GateList,
    facts: SourceFacts,
    is_direction: Bool[np.ndarray, " clips"],
    gates: IntensityGates,
) -> None:
    screen.at_least("visible", facts.seen, gates.source_visible)
    screen.at_least("distance to the person", facts.nearest_m, gates.nearest_m)
    if gates.apart_from_direction:
        screen.holds("not a direction source", ~is_direction, is_direction.astype(np.float64))


@dataclass(frozen=True)
class TargetRule:
    """The gates on targets, the dynamics limits in force, and the taps of the filter."""

    gates: IntensityGates
    limits: DynamicsLimits
    taps: int


def target_verdicts(
    film: Film,
    facts: SourceFacts,
    smooth: Float[np.ndarray, "clips frames 3"],
    target: Cameras,
    intensity: Float[np.ndarray, " clips"],
    visible: Bool[np.ndarray, "clips frames joints"],
    rule: TargetRule,
) -> Verdicts:
    """Physical gates on targets; `smooth` are the smoothed ways of the sources."""
    gates, limits = rule.gates, rule.limits
    path = path_lengths(target.centre, film.lengths)
    ratio = _ratio(path, facts.path_m)
    speeds = _ratio(_rms_speed(target, film), _rms_speed(film.cameras, film))
    found = dynamics(target.centre, film.lengths)
    far = distance(film, target)
    nearest = np.where(film.mask, far, np.inf).min(1)
    farthest = np.where(film.mask, far, 0.0).max(1)
    asks_direction = intensity >= gates.cosine_from
    screen = GateList(len(path))
    screen.at_most("path ratio", np.abs(ratio - intensity), gates.path_error)
    screen.at_most("path ratio against speed ratio", np.abs(ratio - speeds), gates.speed_error)
    other = smoothed(target.centre, film.lengths, rule.taps)
    cosine = direction_cosine(film, smooth, other)
    screen.at_least("direction", cosine, gates.cosine, asks_direction)
    change = np.abs(intensity - 1) * facts.path_m
    screen.at_least("change of path", change, gates.least_change_m)
    screen.at_most("speed", found.speed, limits.speed)
    screen.at_most("acceleration", found.acceleration, limits.acceleration)
    screen.at_most("jerk", found.jerk, limits.jerk)
    screen.at_least("nearest to the person", nearest, gates.nearest_m)
    screen.at_most("farthest from the person", farthest, gates.farthest_m)
    drop = facts.seen - (1.0 - blind_frames(visible, film))
    screen.at_most("drop of visibility", drop, gates.visible_drop)
    rise = severe_frames(visible, film) - facts.severe
    screen.at_most("rise of frames badly in view", rise, gates.severe_rise)
    return screen.verdicts


def direction_cosine(
    film: Film,
    smooth: Float[np.ndarray, "clips frames 3"],
    other: Float[np.ndarray, "clips frames 3"],
) -> Float[np.ndarray, " clips"]:
    """Mean cosine between the steps of two smoothed ways, weighted by those of the first."""
    steps, others = np.diff(smooth, axis=1), np.diff(other, axis=1)
    real = real_steps(film.lengths, film.frames)
    lengths = np.where(real, np.sqrt(np.einsum("cfi,cfi->cf", steps, steps)), 0.0)
    other_lengths = np.sqrt(np.einsum("cfi,cfi->cf", others, others))
    dot = np.where(real, np.einsum("cfi,cfi->cf", steps, others), 0.0)
    # The weight is the first way's step, so one length cancels; who rests has no direction.
    aligned = np.divide(dot, other_lengths, out=np.zeros_like(dot), where=other_lengths > 0)
    return _ratio(aligned.sum(-1), lengths.sum(-1))


def decoded_path_verdicts(
    path_m: Float[np.ndarray, " clips"],
    source_path_m: Float[np.ndarray, " clips"],
    intensity: Float[np.ndarray, " clips"],
    gates: IntensityGates,
) -> Verdicts:
    """Whether the codec keeps the ratio of travel that the label promises."""
    screen = GateList(len(path_m))
    error = np.abs(_ratio(path_m, source_path_m) - intensity)
    screen.at_most(DECODED_PATH, error, gates.decoded_path_error)
    return screen.verdicts


def _rms_speed(cameras: Cameras, film: Film) -> Float[np.ndarray, " clips"]:
    squares = step_lengths(cameras.centre, film.lengths) ** 2
    return np.sqrt(squares.sum(-1) / np.maximum(film.lengths - 1, 1))


def _ratio(
    value: Float[np.ndarray, " clips"], of: Float[np.ndarray, " clips"]
) -> Float[np.ndarray, " clips"]:
    return np.divide(value, of, out=np.zeros_like(value), where=of > 0)
