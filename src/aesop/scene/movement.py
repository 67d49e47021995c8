"""The 27 camera-movement classes of E.T. and the tagger that assigns them.

A class says for each camera axis whether the centre moves along it, and which way. All constants
are those of E.T. and DIRECTOR: parity with them is what makes the caption F1 comparable.
"""

from itertools import pairwise

import numpy as np
from jaxtyping import Bool, Float, Int, Integer

from aesop.scene.camera import CameraPath

CLASSES = 27
STATIC_MPS = 0.02  # slower than this along an axis is no movement
DOMINANCE = 0.4  # relative difference above which the faster axis alone is named
MODE_WINDOW = 56  # transitions
SHORTEST_RUN = 25  # transitions

# Names of motion along +axis and −axis, in the order in which a compound tag is spoken.
_AXIS_WORDS = (
    ("trucking_right", "trucking_left"),
    ("boom_bottom", "boom_top"),
    ("push_in", "pull_out"),
)


def tag_from_signs(signs: Int[np.ndarray, "*batch 3"]) -> Int[np.ndarray, "*batch"]:
    """Class number from movement signs along camera x, y, z: 9·m(x) + 3·m(y) + m(z)."""
    digits = np.where(signs < 0, 2, signs)
    return np.asarray(digits[..., 0] * 9 + digits[..., 1] * 3 + digits[..., 2])


def signs_from_tag(tags: Int[np.ndarray, "*batch"]) -> Int[np.ndarray, "*batch 3"]:
    """Inverse of `tag_from_signs`."""
    digits = np.stack([tags // 9, tags // 3 % 3, tags % 3], axis=-1)
    return np.where(digits == 2, -1, digits)


def _name(tag: int) -> str:
    signs = signs_from_tag(np.asarray(tag))
    words = [
        pair[0] if sign > 0 else pair[1]
        for pair, sign in zip(_AXIS_WORDS, signs, strict=True)
        if sign
    ]
    return "+".join(words) or "static"


TAG_NAMES = tuple(_name(tag) for tag in range(CLASSES))


def camera_velocity(
    world_from_camera: Float[np.ndarray, "*batch frames 3 3"],
    centre: Float[np.ndarray, "*batch frames 3"],
    fps: float,
) -> Float[np.ndarray, "*batch transitions 3"]:
    """Velocity in m/s in the axes of the earlier frame's camera; unchanged by turning the world."""
    steps = np.diff(centre, axis=-2)
    return np.einsum("...ij,...i->...j", world_from_camera[..., :-1, :, :], steps) * fps


def _dominates(
    first: Float[np.ndarray, "*batch"], second: Float[np.ndarray, "*batch"]
) -> Bool[np.ndarray, "*batch"]:
    # (|a|−|b|)/max > 0.4 without dividing by a possible zero.
    return first - second > DOMINANCE * np.maximum(first, second)


def tag_velocity(velocity: Float[np.ndarray, "*batch 3"]) -> Int[np.ndarray, "*batch"]:
    """Unsmoothed class of each velocity."""
    speed = np.abs(velocity)
    moving = speed > STATIC_MPS
    kept = moving.copy()
    for a, b in ((0, 1), (0, 2), (1, 2)):
        # An axis silences another only if both move; comparing raw speeds, an axis already
        # silenced still silences slower ones, as in the reference.
        both = moving[..., a] & moving[..., b]
        kept[..., b] &= ~(both & _dominates(speed[..., a], speed[..., b]))
        kept[..., a] &= ~(both & _dominates(speed[..., b], speed[..., a]))
    signs = np.where(kept, np.sign(velocity), 0).astype(np.int64)
    return tag_from_signs(signs)


def _mode_filter(tags: Int[np.ndarray, " transitions"]) -> Int[np.ndarray, " transitions"]:
    """Most frequent class in a centred window, clipped at the ends; ties: the smallest class."""
    count = len(tags)
    if count < MODE_WINDOW:
        return tags
    half = MODE_WINDOW // 2
    present = np.unique(tags)
    counts = np.zeros((count + 1, len(present)), dtype=np.int64)
    np.cumsum(tags[:, None] == present, axis=0, out=counts[1:])
    index = np.arange(count)
    stop = np.minimum(index + half + 1, count)
    start = np.maximum(index - half, 0)
    return present[np.argmax(counts[stop] - counts[start], axis=1)]


def _drop_short_runs(tags: Int[np.ndarray, " transitions"]) -> Int[np.ndarray, " transitions"]:
    """Give the frames of runs shorter than `SHORTEST_RUN` to their neighbours, shortest run first.

    Neighbours that come to share a class stay separate until the end, as in the reference.
    """
    if len(tags) == 0:
        return tags
    edges = np.flatnonzero(np.diff(tags)) + 1
    starts = [0, *edges.tolist()]
    lengths = np.diff([*starts, len(tags)]).tolist()
    labels = tags[starts].tolist()
    while len(lengths) > 1:
        at = lengths.index(min(lengths))
        if lengths[at] >= SHORTEST_RUN:
            break
        freed = lengths.pop(at)
        labels.pop(at)
        if at == 0:
            lengths[0] += freed
        elif at == len(lengths):
            lengths[-1] += freed
        else:
            lengths[at - 1] += freed - freed // 2
            lengths[at] += freed // 2
    return np.repeat(np.asarray(labels, dtype=tags.dtype), lengths)


def smooth_tags(tags: Int[np.ndarray, " transitions"]) -> Int[np.ndarray, " transitions"]:
    """Mode filter, then removal of short runs."""
    return _drop_short_runs(_mode_filter(tags))


def tag_path(camera: CameraPath, fps: float) -> Int[np.ndarray, " transitions"]:
    """Smoothed class of every frame transition: one fewer than frames."""
    velocity = camera_velocity(
        camera.world_from_camera.double().cpu().numpy(), camera.centre.double().cpu().numpy(), fps
    )
    return smooth_tags(tag_velocity(velocity))


def runs(tags: Integer[np.ndarray, " transitions"]) -> list[tuple[int, int, int]]:
    """Maximal stretches of one class as (class, first, past-the-last transition)."""
    if len(tags) == 0:
        return []
    edges = [0, *(np.flatnonzero(np.diff(tags)) + 1).tolist(), len(tags)]
    return [(int(tags[a]), a, b) for a, b in pairwise(edges)]
