"""The table of methods: wherever AESOP is a name, these are names too."""

from pathlib import Path
from typing import Any

import torch

from aesop.baselines.ccd import CCD, CCD_H
from aesop.baselines.dance_camera import DANCE_CAMERA
from aesop.baselines.director_c import DIRECTOR_C
from aesop.baselines.pulpmotion_autoencoder import PULPMOTION_AE
from aesop.baselines.pulpmotion_dit import PULPMOTION_DIT
from aesop.baselines.pulpmotion_mar import PULPMOTION_MAR
from aesop.baselines.scene_batch import Baseline
from aesop.core.errors import AesopError, WeightsError
from aesop.models.method_network import MethodNetwork, MethodShape
from aesop.models.phase_table import METHOD_NEEDS, MethodName
from aesop.models.weights import WEIGHTS_FILE, Part, load_method, phase_folder, read_card
from aesop.text.encoder import TextEncoder

AnyMethod = Baseline[Any]

FEWEST_STEPS = 10  # fewer make no camera
_GIVEN_HUMAN: tuple[AnyMethod, ...] = (DIRECTOR_C, DANCE_CAMERA, CCD, CCD_H)
_JOINT: tuple[AnyMethod, ...] = (PULPMOTION_AE, PULPMOTION_DIT, PULPMOTION_MAR)
METHODS: dict[MethodName, AnyMethod] = {method.name: method for method in (*_GIVEN_HUMAN, *_JOINT)}


def method_named(name: MethodName) -> AnyMethod:
    """A method that is built."""
    if name not in METHODS:
        raise AesopError(
            f"{name} is not built yet.", f"Choose one of: {', '.join(sorted(METHODS))}."
        )
    return METHODS[name]


def in_steps(method: AnyMethod, steps: int) -> AnyMethod:
    """A method sampled in fewer steps than the paper's; refused where it cannot be."""
    shorter = method.in_fewer_steps
    if shorter is None:
        able = ", ".join(it.name for it in METHODS.values() if it.in_fewer_steps is not None)
        raise AesopError(
            f"The steps of {method.paper_name} cannot be changed.", f"Those of {able} can."
        )
    most = method.protocol.network_calls // 2
    if not FEWEST_STEPS <= steps < most:
        raise AesopError(
            f"{method.paper_name} cannot be sampled in {steps} steps.",
            f"Give {FEWEST_STEPS} to {most - 1}, or none for its own {most}.",
        )
    return shorter(steps)


def build_network(shape: MethodShape) -> MethodNetwork:
    """A new network of any method."""
    return method_named(shape.method).build(shape)


def method_file(folder: Path, name: MethodName) -> Path:
    """The weights of a method in a folder of runs. None ship: a script makes them."""
    path = phase_folder(folder, name) / WEIGHTS_FILE
    if not path.is_file():
        called = method_named(name).paper_name
        raise WeightsError(
            f"There are no weights of {called} at {path}; none come with AESOP.",
            f"Make them with `aesop train {name} --data STORE --out {folder}` or, on a lent GPU, "
            "lab/baselines_h200.py.",
        )
    card = read_card(path)
    if card.part != name:
        raise WeightsError(f"{path} holds the part {card.part}, not {name}.", "Check the folder.")
    return path


def load_trained(
    folder: Path, name: MethodName, encoder: TextEncoder, device: torch.device | str = "cpu"
) -> Part[MethodNetwork]:
    """A trained method, ready to sample, with the network that it builds on from the same
    folder."""
    path = method_file(folder, name)
    partners = tuple(load_trained(folder, it, encoder, device) for it in METHOD_NEEDS[name])
    part = load_method(path, build_network, encoder, partners, device)
    for partner in partners:
        part.network.build_on(partner.network)
    return part
