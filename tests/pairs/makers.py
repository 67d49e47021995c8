"""Films made by hand: people who are a few joints around a root, cameras on simple ways."""

import numpy as np
import torch

from aesop.pairs.shot_arrays import Cameras, Film
from aesop.pairs.transforms import Events
from aesop.scene.camera import look_at
from aesop.scene.movement import tag_from_signs

JOINTS = 5
PUSH_IN, PULL_OUT = (int(tag_from_signs(np.array([0, 0, sign]))) for sign in (1, -1))
TRUCK_RIGHT, TRUCK_LEFT = (int(tag_from_signs(np.array([sign, 0, 0]))) for sign in (1, -1))


def smooth_noise(dice: np.random.Generator, frames: int, scale: float) -> np.ndarray:
    """A slowly varying curve in space."""
    steps = dice.standard_normal((frames + 12, 3))
    return np.stack([np.convolve(steps[:, i], np.ones(13) / 13, "valid") for i in range(3)], 1) * (
        3 * scale
    )


def person(root: np.ndarray) -> np.ndarray:
    """Joints around a root: a cross of one metre, as (frames, 3, joints)."""
    around = np.array(
        [[0.0, 0.0, 0.0], [0.0, 0.0, 0.6], [0.0, 0.0, -0.9], [0.3, 0.0, 0.3], [-0.3, 0.0, 0.3]]
    )
    return np.broadcast_to(around.T, (len(root), 3, JOINTS)).copy()


def film_of_way(
    centre: np.ndarray,
    root: np.ndarray,
    *,
    aim: np.ndarray | None = None,
    tan: tuple[float, float] = (0.6, 0.4),
    padding: int = 0,
) -> Film:
    """One shot as a batch of one; `padding` frames after its end hold rubbish."""
    frames = len(centre)
    target = root if aim is None else aim
    turns = look_at(torch.from_numpy(centre), torch.from_numpy(target)).numpy()

    def padded(values: np.ndarray) -> np.ndarray:
        rubbish = np.full((padding, *values.shape[1:]), 7.7)
        return np.concatenate([values, rubbish])[None]

    lens = np.broadcast_to(np.array(tan), (frames, 2))
    return Film(
        np.array([frames]),
        padded(root),
        padded(person(root)),
        Cameras(padded(centre), padded(turns), padded(lens)),
    )


def straight(frames: int, start: tuple[float, ...], change: tuple[float, ...]) -> np.ndarray:
    """A way at constant speed."""
    share = np.linspace(0, 1, frames)[:, None]
    return np.array(start) + share * np.array(change)


def still_root(frames: int) -> np.ndarray:
    return np.broadcast_to(np.array([0.0, 0.0, 0.95]), (frames, 3)).copy()


def whole_event(film: Film, tag: int, axis: tuple[float, float, float] = (1.0, 0.0, 0.0)) -> Events:
    """An event over all frames."""
    clips = len(film.lengths)
    return Events(
        np.full(clips, tag),
        np.broadcast_to(np.array(axis), (clips, 3)).copy(),
        np.ones(clips),
        np.zeros(clips, np.int64),
        film.lengths - 1,
    )
