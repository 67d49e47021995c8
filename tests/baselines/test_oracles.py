"""A sampler whose network always knows the truth ends at the truth: networks that answer from the
reference, in place of learnt ones."""

from dataclasses import replace
from typing import Any

import pytest
import torch
from torch import Tensor

from aesop.baselines import ccd
from aesop.baselines.baseline_sampling import repeated
from aesop.baselines.baseline_table import METHODS
from aesop.baselines.ccd import CcdNetwork
from aesop.baselines.dance_camera import DanceCameraNetwork
from aesop.baselines.director_c import DirectorCNetwork
from aesop.baselines.edm import preconditioning
from aesop.baselines.look_at_frame import to_look_at
from aesop.baselines.polar_frame import to_polar, to_unit
from aesop.baselines.request_noise import request_noise
from aesop.baselines.scene_batch import CameraTracks, SceneBatch, places_of, tracks_of
from aesop.models.method_network import MethodNetwork, MethodShape
from aesop.models.phase_table import MethodName
from tests.baselines.makers import TEXT_WIDTH, made_clips, made_footage, made_scenes


@pytest.fixture(scope="module")
def scene() -> SceneBatch:
    return made_scenes(made_clips(made_footage(3)))


def fitted(name: MethodName) -> MethodNetwork:
    network = METHODS[name].build(MethodShape(name, "tiny", TEXT_WIDTH))
    METHODS[name].fit(network, made_clips(made_footage(3)).every_scene())
    return network.eval()


def truth(scene: SceneBatch) -> CameraTracks:
    assert scene.human is not None and scene.camera is not None
    return tracks_of(scene.camera, places_of(scene.human).root)


def apart(name: MethodName, network: MethodNetwork, scene: SceneBatch) -> tuple[float, float]:
    """How far sampled cameras end from the references: metres, and entries of turns."""
    noise = request_noise([(4, row) for row in range(len(scene.mask))])
    method = METHODS[name]
    made = method.sample(network, replace(scene, camera=None), noise, method.protocol.guidance)
    wanted = truth(scene)
    centre = (made.cameras.centre - wanted.centre)[scene.mask].abs().max()
    turns = (made.cameras.world_from_camera - wanted.world_from_camera)[scene.mask].abs().max()
    return float(centre), float(turns)


def test_director_ends_at_the_truth(scene: SceneBatch, monkeypatch: pytest.MonkeyPatch):
    network = fitted("director-c")
    assert isinstance(network, DirectorCNetwork)
    clean = repeated(network.trajectory(truth(scene), scene.mask), 2)

    def oracle(values: Tensor, noise_label: Tensor, *_: Any) -> Tensor:
        known = preconditioning(torch.exp(4 * noise_label))
        into, skip, out = (it[:, None, None] for it in (known.into, known.skip, known.out))
        return (clean - skip * (values / into)) / out

    monkeypatch.setattr(network, "forward", oracle)
    centre, turns = apart("director-c", network, scene)
    # Noise of 80 spreads is taken away in single precision; steps of the path add up their share.
    assert centre < 0.01 and turns < 0.001


def test_dance_camera_ends_at_the_truth(scene: SceneBatch, monkeypatch: pytest.MonkeyPatch):
    network = fitted("dancecamera3d")
    assert isinstance(network, DanceCameraNetwork) and scene.human is not None
    polar = to_polar(truth(scene), places_of(scene.human).root)
    clean = repeated(to_unit(polar, network.low, network.high), 3)
    monkeypatch.setattr(network, "forward", lambda *_: clean)
    centre, turns = apart("dancecamera3d", network, scene)
    assert centre < 1e-4 and turns < 1e-4  # of ranges of some ten metres, in single precision


@pytest.mark.parametrize("name", ["ccd", "ccd-h"])
def test_ccd_ends_at_the_truth(
    name: MethodName, scene: SceneBatch, monkeypatch: pytest.MonkeyPatch
):
    network = fitted(name)
    assert isinstance(network, CcdNetwork) and scene.human is not None
    physical = to_look_at(truth(scene), places_of(scene.human), scene.tan_half_lens)
    clean = repeated(network.standardised(physical, scene.mask), 2)
    bars = ccd.SCHEDULE.alpha_bars

    def oracle(values: Tensor, step: Tensor, *_: Any) -> Tensor:
        bar = bars[step][:, None, None].float()
        return (values - bar.sqrt() * clean) / (1 - bar).sqrt()

    monkeypatch.setattr(network, "forward", oracle)
    monkeypatch.setattr(ccd, "moving_average", lambda values, _: values)
    centre, turns = apart(name, network, scene)
    # The last step leaves no noise but the roundings of a thousand.
    assert centre < 1e-3 and turns < 1e-3
