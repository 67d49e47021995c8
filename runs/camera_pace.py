"""How cameras move, in numbers that know no scale: shake, speed of turning, and how long a movement
takes to begin and to end. Real paths and drawn ones can be set beside each other by them."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch
from jaxtyping import Float

from aesop.camera_words.fact_check import measure_facts
from aesop.scene.camera import CameraPath
from aesop.scene.curves import smoothed
from aesop.scene.human import NATIVE_FPS

_QUANTILES = (0.1, 0.25, 0.5, 0.75, 0.9)
_SIGMA = 3.0  # frames: a hand's tremble vanishes, an ease stays
_SLOW, _FAST = 0.15, 0.85  # shares of full speed between which a movement begins or ends
_FULL = 0.9  # quantile of a path's speeds that counts as its full speed
_LEAST_FULL_MPS = 0.05  # a camera that is slower than this stays

Curve = Float[np.ndarray, " frames"]


@dataclass(frozen=True)
class CameraPace:
    """Quantiles (p10, 25, 50, 75, 90) over paths; times in seconds, turns in degrees a second. A
    beginning is measured where a path starts at rest, an end where it comes to rest."""

    paths: int
    shake_deg: list[float]
    median_turn_dps: list[float]
    fastest_turn_dps: list[float]
    full_by_mean_speed: list[float]
    beginnings: int
    beginning_s: list[float]
    ends: int
    end_s: list[float]


def pace_of(paths: Sequence[CameraPath], fps: float = NATIVE_FPS) -> CameraPace:
    """All numbers of some paths."""
    shakes, turns, fastest, peaks, begins, ends = ([] for _ in range(6))
    for camera in paths:
        shakes.append(measure_facts(camera, None, fps).standing.shake_deg)
        turn = _turn_dps(camera, fps)
        turns.append(float(np.median(turn)))
        fastest.append(float(np.quantile(turn, 0.98)))
        speed = _speed_mps(camera, fps)
        full = float(np.quantile(speed, _FULL))
        if full < _LEAST_FULL_MPS:
            continue
        peaks.append(full / float(speed.mean()))
        begins += _rise_s(speed / full, fps)
        ends += _rise_s(speed[::-1] / full, fps)
    return CameraPace(
        len(paths), _spread(shakes), _spread(turns), _spread(fastest), _spread(peaks),
        len(begins), _spread(begins), len(ends), _spread(ends),
    )  # fmt: skip


def _rise_s(speed: Curve, fps: float) -> list[float]:
    """How long it takes from rest to full speed, if the path starts at rest and gets there."""
    fast = np.flatnonzero(speed >= _FAST)
    if speed[0] > _SLOW or not len(fast):
        return []
    before = np.flatnonzero(speed[: fast[0]] <= _SLOW)
    return [float(fast[0] - before[-1]) / fps]


def _speed_mps(camera: CameraPath, fps: float) -> Curve:
    centre = smoothed(camera.centre.double().numpy(), _SIGMA)
    return np.linalg.norm(np.diff(centre, axis=0), axis=-1) * fps


def _turn_dps(camera: CameraPath, fps: float) -> Curve:
    """Speed of turning, of the view and not of its tremble."""
    rotation = camera.world_from_camera.double()
    step = rotation[:-1].transpose(-1, -2) @ rotation[1:]
    vector = torch.stack(
        [
            step[:, 2, 1] - step[:, 1, 2],
            step[:, 0, 2] - step[:, 2, 0],
            step[:, 1, 0] - step[:, 0, 1],
        ],
        dim=-1,
    )  # twice the sine of the angle, along its axis; small from frame to frame
    even = smoothed(np.degrees(vector.numpy() / 2), _SIGMA)
    return np.linalg.norm(even, axis=-1) * fps


def _spread(values: Sequence[float]) -> list[float]:
    return np.round(np.quantile(values, _QUANTILES), 4).tolist() if values else []
