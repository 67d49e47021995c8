"""The gates of intensity pairs: active and null sources, then targets, then reconstruction."""

from dataclasses import dataclass

import numpy as np
from jaxtyping import Bool, Float, Int

from aesop.pairs.events import distance
from aesop.pairs.film import Cameras, Film
from aesop.pairs.gates import Screen, Verdicts
from aesop.pairs.recipe import DynamicsLimits, IntensityGates
from aesop.pairs.sight import blind_frames, severe_frames
from aesop.pairs.ways import Dynamics, dynamics, path_lengths, real_steps, smoothed, step_lengths

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
) -> Screen:
    """What every source is asked first: long enough, and told in words."""
    screen = Screen(len(has_caption))
    screen.at_least("length", film.lengths.astype(np.float64), float(gates.shortest_frames))
    screen.holds("caption", has_caption, has_caption.astype(np.float64))
    return screen


def _common(
    screen: Screen,
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
    screen = Screen(len(path))
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
    screen = Screen(len(path_m))
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
