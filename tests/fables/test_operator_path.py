"""The operator's door: the least fault is kept, and intensity scales the travel alone."""

import numpy as np
import pytest
import torch

from aesop.camera_words.outline import AskedCamera
from aesop.camera_words.request_reader import read_asked
from aesop.fables.cinematographer.moves import SHORTEST_MOVE
from aesop.fables.cinematographer.operator_path import operator_path, shortest_frames
from aesop.fables.synthetic import synthetic_motion
from aesop.scene.camera import CameraPath
from tests.tolerances import SOLVED64

MOTION = synthetic_motion("wave", 97, np.random.default_rng(3)).clip.motion


def asked_for(words: str) -> AskedCamera:
    asked = read_asked(words)
    assert asked is not None
    return asked


def height_m(camera: CameraPath) -> float:
    return float(camera.centre[0, 2])


def test_the_draw_with_the_least_fault_is_kept():
    faults: list[float] = []

    def fault(camera: CameraPath) -> float:
        faults.append(height_m(camera))
        return faults[-1]

    camera = operator_path(MOTION, asked_for("static camera"), 1.0, fault, np.random.default_rng(5))
    assert len(set(faults)) > 30 and height_m(camera) == min(faults)


def test_a_draw_without_fault_ends_the_search():
    faults = iter((0.9, 0.3, 0.01))
    operator_path(
        MOTION, asked_for("push in"), 1.0, lambda _: next(faults), np.random.default_rng(5)
    )
    assert list(faults) == []


@pytest.mark.parametrize("words", ["truck left", "push in", "circle her to the right"])
@pytest.mark.parametrize("intensity", [0.5, 1.7])
def test_intensity_scales_the_travel_from_the_same_start(words: str, intensity: float):
    plain, scaled = (
        operator_path(MOTION, asked_for(words), a, lambda _: 0.0, np.random.default_rng(7))
        for a in (1.0, intensity)
    )
    assert torch.allclose(plain.centre[0], scaled.centre[0], atol=SOLVED64)
    # A way that bends with the aim is a little longer or shorter than its moves.
    assert float(scaled.travel / plain.travel) == pytest.approx(intensity, rel=0.02)


def test_several_movements_need_their_time_and_one_needs_none():
    assert shortest_frames(asked_for("push in")) == 0
    assert shortest_frames(asked_for("push in, then truck left")) == 2 * SHORTEST_MOVE + 1
