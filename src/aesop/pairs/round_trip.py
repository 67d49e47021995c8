"""Camera features through the camera codec and back: what a flow could at best be taught."""

from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np
import torch
from jaxtyping import Float, Float32, Int
from torch import Tensor

from aesop.features.camera_features import centre_from_features
from aesop.features.columns import restore_camera, standardise_camera, standardise_human
from aesop.models.codec import CameraCodec, HumanCodec
from aesop.models.weights import (
    WEIGHTS_FILE,
    PartName,
    flat_name,
    load_camera_codec,
    load_human_codec,
    part_file,
)
from aesop.pairs.pair_recipe import PairError
from aesop.pairs.shot_arrays import Stock


@dataclass(frozen=True, eq=False)
class CodecPair:
    """The two codecs of one training; `identity` names the camera's and with it the human's."""

    human: HumanCodec
    camera: CameraCodec
    identity: str


@dataclass(frozen=True, eq=False)
class RoundTrip:
    """What came back: physical features, and the mean square error of the standardised ones."""

    features: Float32[np.ndarray, "clips frames 14"]
    mse: Float[np.ndarray, " clips"]


@cache
def load_codecs(folder: Path) -> CodecPair:
    """Codecs of a training run, or of a folder of weights as shipped."""
    human = load_human_codec(_part_path(folder, "human-codec"))
    camera = load_camera_codec(_part_path(folder, "camera-codec"), human)
    return CodecPair(human.network, camera.network, camera.card.identity)


def _part_path(folder: Path, part: PartName) -> Path:
    path = part_file(folder, part)
    if path is None:
        raise PairError(
            f"{folder} has no {part}: neither {part}/{WEIGHTS_FILE} nor {flat_name(part)}.",
            "Name a folder of weights, or of a training run that has finished both codecs.",
        )
    return path


@torch.no_grad()
def human_latents(codecs: CodecPair, stock: Stock) -> Float[Tensor, "clips tokens width"]:
    """What the camera's decoder reads of the people."""
    standard = standardise_human(torch.from_numpy(stock.human), codecs.human.statistics)
    latents = codecs.human.encode(standard, _mask(stock.window_lengths, stock.human.shape[1]))
    return latents[torch.from_numpy(stock.window)]


@torch.no_grad()
def round_trip(
    codecs: CodecPair,
    people: Float[Tensor, "clips tokens width"],
    features: Float32[np.ndarray, "clips frames 14"],
    lengths: Int[np.ndarray, " clips"],
) -> RoundTrip:
    """Encode and decode camera features beside the people they film."""
    statistics, mask = codecs.camera.statistics, _mask(lengths, features.shape[1])
    standard = standardise_camera(torch.from_numpy(features), statistics)
    back = codecs.camera.decode(codecs.camera.encode(standard, mask), people, mask)
    physical = restore_camera(back, statistics).masked_fill(~mask[..., None], 0)
    # The first velocity is no measurement: neither side of the error has one.
    error = (standardise_camera(physical, statistics) - standard).double().square().mean(-1)
    mse = error.where(mask, 0.0).sum(1) / mask.sum(1)
    return RoundTrip(physical.numpy(), mse.numpy())


def ways_of(
    features: Float[np.ndarray, "clips frames 14"],
) -> Float[np.ndarray, "clips frames 3"]:
    """Camera ways from features, each counted from the person's first root."""
    values = torch.from_numpy(features).double()
    return centre_from_features(values, values.new_zeros(len(values), 3)).numpy()


def _mask(lengths: Int[np.ndarray, " clips"], frames: int) -> Tensor:
    return torch.arange(frames) < torch.from_numpy(lengths)[:, None]
