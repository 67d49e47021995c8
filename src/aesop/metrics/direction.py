"""Does the camera go the way the words say? Sign accuracy on original and reversed words."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from jaxtyping import Float64, Integer

from aesop.metrics.refusal import MetricError, require_same_count
from aesop.scene.movement import signs_from_tag


def clip_direction_accuracy(
    reference: Integer[np.ndarray, " transitions"],
    generated: Integer[np.ndarray, " generated"],
    *,
    is_reversed: bool,
) -> float:
    """Share of the reference's moving axes and transitions on which the generated path moves the
    same way (the other way, for reversed words). Standing still there is wrong. NaN if the
    reference never moves."""
    if len(reference) != len(generated):
        raise MetricError(
            f"Two paths of {len(reference)} and {len(generated)} transitions are compared.",
            "Generate as many frames as the reference has.",
        )
    wanted = signs_from_tag(reference.astype(np.int64)) * (-1 if is_reversed else 1)
    shown = signs_from_tag(generated.astype(np.int64))
    active = wanted != 0
    return float((shown == wanted)[active].mean()) if active.any() else float("nan")


def is_active(tags: Integer[np.ndarray, " transitions"]) -> bool:
    """Whether a path moves along any axis at any time."""
    return bool(np.any(tags))


@dataclass(frozen=True, eq=False)
class DirectionAccuracy:
    """Shares of 1 per clip, over the clips with movement and a reversed caption."""

    original: Float64[np.ndarray, " clips"]
    reversed: Float64[np.ndarray, " clips"]

    @property
    def combined(self) -> Float64[np.ndarray, " clips"]:
        return (self.original + self.reversed) / 2


def direction_accuracy(
    references: Sequence[Integer[np.ndarray, " _"]],
    original: Sequence[Integer[np.ndarray, " _"]],
    reverse: Sequence[Integer[np.ndarray, " _"]],
) -> DirectionAccuracy:
    """Both arms on the same clips, every one of them with movement in its reference."""
    for paths in (original, reverse):
        require_same_count("reference and generated paths", len(references), len(paths))
    if not references or not all(map(is_active, references)):
        raise MetricError(
            "Direction is judged on clips whose reference moves.", "Leave out the static ones."
        )

    def arm(paths: Sequence[np.ndarray], is_reversed: bool) -> Float64[np.ndarray, " clips"]:
        pairs = zip(references, paths, strict=True)
        return np.array([clip_direction_accuracy(*it, is_reversed=is_reversed) for it in pairs])

    return DirectionAccuracy(arm(original, False), arm(reverse, True))


def has_reverse(captions: Sequence[str], reversed_captions: Sequence[str]) -> bool:
    """Whether a clip's reversed words say anything else than its own."""
    return bool(captions and reversed_captions) and captions[0] != reversed_captions[0]
