"""Losses that a GPU captures once and replays ask nothing of the host while they run."""

from typing import Any

import pytest
import torch
from torch.utils._python_dispatch import TorchDispatchMode

from aesop.baselines.pulpmotion_autoencoder import reconstruction_loss
from aesop.baselines.pulpmotion_dit import dit_loss
from aesop.baselines.pulpmotion_mar import mar_loss
from tests.baselines.pulpmotion_makers import (
    eight_scenes,
    tiny_autoencoder,
    tiny_dit,
    tiny_mar,
)

# Numbers sent from the host, numbers fetched from the device, sizes that depend on values.
WAITING = ("lift_fresh", "_local_scalar_dense", "nonzero", "masked_select", "unique")


class HostWatch(TorchDispatchMode):
    """Notes every operation that would end a capture."""

    def __init__(self) -> None:
        super().__init__()
        self.waited: list[str] = []

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        name = func.overloadpacket.__name__
        # A single number travels with the kernel that reads it.
        if name in WAITING and not (name == "lift_fresh" and args[0].ndim == 0):
            self.waited.append(name)
        return func(*args, **(kwargs or {}))


def test_the_watch_sees_what_it_is_for():
    with HostWatch() as watch:
        number = torch.tensor([1.0, 2.0])
        assert float(number.sum()) == 3
    assert {"lift_fresh", "_local_scalar_dense"} <= set(watch.waited)


@pytest.mark.parametrize(
    ("make", "loss"),
    [
        (tiny_autoencoder, reconstruction_loss),
        (tiny_dit, dit_loss),
        (tiny_mar, mar_loss),
    ],
)
def test_losses_wait_for_nothing(make: Any, loss: Any, dice: torch.Generator):
    scenes = eight_scenes()
    network = make(scenes, dice).train().requires_grad_(True)
    with HostWatch() as watch:
        loss(network, scenes, None).total.backward()
    assert watch.waited == []
