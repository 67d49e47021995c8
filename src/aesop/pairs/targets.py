"""From a source and its shot to the two members that training reads."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import torch
from jaxtyping import Float, Float32, Int

from aesop.data.fables.words import MINIMAL_CAPTIONS
from aesop.features.camera import centre_from_features
from aesop.pairs.events import OPPOSITE, Events, find_axis, reflected
from aesop.pairs.film import Film, cameras_of, features_of_way
from aesop.pairs.plan import ActiveSource, DirectionSource, NullSource, PairPlan
from aesop.pairs.recipe import EventRule
from aesop.pairs.records import Member, PairSet, TrainingPair
from aesop.pairs.scaling import scaled_ways


@dataclass(frozen=True, eq=False)
class SourceShot:
    """What targets are made of: a shot's features, the person's path, the shot's words."""

    camera: Float32[np.ndarray, "frames 14"]
    root: Float[np.ndarray, "frames 3"]
    captions: tuple[str, ...]

    @property
    def centre(self) -> Float[np.ndarray, "frames 3"]:
        """The camera's way."""
        camera, first_root = torch.from_numpy(self.camera), torch.from_numpy(self.root[0])
        return centre_from_features(camera.double(), first_root).numpy()

    @property
    def film(self) -> Film:
        """The shot as a batch of one, with a person who is nothing but a root."""
        lengths = np.array([len(self.root)])
        cameras = cameras_of(self.camera[None], self.root[None, 0], lengths)
        return Film(lengths, self.root[None], np.zeros((1, len(self.root), 3, 0)), cameras)


def opposite_features(
    shot: SourceShot, source: DirectionSource, rule: EventRule
) -> Float32[np.ndarray, "frames 14"]:
    """Camera features of the opposite direction."""
    film = shot.film
    axis, level = find_axis(film, rule)
    events = Events(_one(source.tag), axis, level, _one(source.first), _one(source.last))
    centre = reflected(film, film.cameras, events)[0]
    return features_of_way(shot.camera, shot.root, centre)


def scaled_features(
    shot: SourceShot, intensities: Sequence[float], taps: int
) -> list[Float32[np.ndarray, "frames 14"]]:
    """Camera features with more or less travel; at one, the shot's own."""
    ways = scaled_ways(shot.centre, intensities, taps)
    return [
        shot.camera.copy() if label == 1.0 else features_of_way(shot.camera, shot.root, way)
        for label, way in zip(intensities, ways, strict=True)
    ]


def direction_pair(shot: SourceShot, source: DirectionSource, rule: EventRule) -> TrainingPair:
    """(original, opposite), each with the shortest words for its direction."""
    words = MINIMAL_CAPTIONS[source.tag], MINIMAL_CAPTIONS[OPPOSITE[source.tag]]
    cameras = shot.camera, opposite_features(shot, source, rule)
    first, second = (
        Member(torch.from_numpy(camera), (caption,), 1.0)
        for camera, caption in zip(cameras, words, strict=True)
    )
    return TrainingPair("direction", f"direction {source.shot}", source.human, first, second)


def active_pair(shot: SourceShot, source: ActiveSource, taps: int) -> TrainingPair:
    """(weaker, stronger) with the shot's own words."""
    labels = source.weaker, source.stronger
    first, second = (
        Member(torch.from_numpy(camera), shot.captions, label)
        for camera, label in zip(scaled_features(shot, labels, taps), labels, strict=True)
    )
    name = f"active {source.shot}"
    return TrainingPair("active", name, source.human, first, second, source.weight)


def null_pair(shot: SourceShot, source: NullSource) -> TrainingPair:
    """The same target with intensity one and with another."""
    first, second = (
        Member(torch.from_numpy(shot.camera), shot.captions, label)
        for label in (1.0, source.intensity)
    )
    return TrainingPair("null", f"null {source.shot}", source.human, first, second)


def training_pairs(plan: PairPlan, shot_of: Callable[[str], SourceShot]) -> PairSet:
    """All pairs of a plan; `shot_of` looks up a shot by its id."""
    rule = plan.direction.origin.recipe.event
    pairs = [
        direction_pair(shot_of(source.shot), source, rule) for source in plan.direction.sources
    ]
    if plan.intensity is not None:
        taps = plan.intensity.origin.recipe.smoothing_taps
        pairs += [active_pair(shot_of(it.shot), it, taps) for it in plan.intensity.active]
        pairs += [null_pair(shot_of(it.shot), it) for it in plan.intensity.null]
    return PairSet(tuple(pairs), plan.sha256)


def _one(value: int) -> Int[np.ndarray, " 1"]:
    return np.array([value])
