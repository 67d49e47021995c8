"""What a GPU records once and replays, of the four given-human methods, asks nothing of the host:
neither a loss nor a step of a sampler."""

from dataclasses import replace
from typing import Any

import pytest
import torch
from torch import Tensor
from torch.utils._python_dispatch import TorchDispatchMode

from aesop.baselines import ccd, dance_camera
from aesop.baselines.baseline_sampling import SamplingStep
from aesop.baselines.baseline_table import METHODS
from aesop.baselines.request_noise import request_noise
from aesop.baselines.scene_batch import SceneBatch
from aesop.models.method_network import MethodNetwork, MethodShape
from aesop.models.phase_table import MethodName
from tests.baselines.makers import TEXT_WIDTH, made_clips, made_footage, made_scenes

GIVEN: tuple[MethodName, ...] = ("director-c", "dancecamera3d", "ccd", "ccd-h")
# Numbers sent from the host, numbers fetched from the device, sizes that depend on values.
WAITING = ("lift_fresh", "_local_scalar_dense", "nonzero", "masked_select", "unique")


class Waits(TorchDispatchMode):
    """Notes every operation that would end a capture."""

    def __init__(self) -> None:
        super().__init__()
        self.noted: list[str] = []

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        name = func.overloadpacket.__name__
        # A single number travels with the kernel that reads it.
        if name in WAITING and not (name == "lift_fresh" and args[0].ndim == 0):
            self.noted.append(name)
        return func(*args, **(kwargs or {}))


@pytest.fixture(scope="module")
def scene() -> SceneBatch:
    return made_scenes(made_clips(made_footage(2)))


def network_of(name: MethodName) -> MethodNetwork:
    return METHODS[name].build(MethodShape(name, "tiny", TEXT_WIDTH))


def test_waiting_is_noticed():
    with Waits() as waits:
        assert int(torch.arange(5)[torch.tensor(3)]) == 3
    assert "_local_scalar_dense" in waits.noted


@pytest.mark.parametrize("name", GIVEN)
def test_a_loss_waits_for_nothing(name: MethodName, scene: SceneBatch):
    network = network_of(name)
    METHODS[name].loss(network, scene, None)  # constants are made in the steps before a capture
    with Waits() as waits:
        METHODS[name].loss(network, scene, None).total.backward()
    assert waits.noted == []


@pytest.mark.parametrize("name", ["dancecamera3d", "ccd", "ccd-h"])
def test_a_sampling_step_waits_for_nothing(
    name: MethodName, scene: SceneBatch, monkeypatch: pytest.MonkeyPatch
):
    waits = Waits()
    taken: list[int] = []

    def watched(step: SamplingStep, values: Tensor, steps: int) -> Tensor:
        number = torch.tensor(steps - 1)
        with waits:
            values = step(values, number)
        taken.append(steps)
        return values

    for module in (ccd, dance_camera):
        monkeypatch.setattr(module, "count_down", watched)
    method, noise = METHODS[name], request_noise([(0, row) for row in range(len(scene.mask))])
    method.sample(
        network_of(name).eval(), replace(scene, camera=None), noise, method.protocol.guidance
    )
    assert waits.noted == [] and taken == [1000 if name != "dancecamera3d" else 50]
