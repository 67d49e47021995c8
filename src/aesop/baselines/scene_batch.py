"""What baselines are given and what they give back: a batch of scenes as plain features, and the
three things that every method has."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Generic, Literal, TypeVar

import torch
from jaxtyping import Bool, Float, Float64
from torch import Tensor

from aesop.baselines.request_noise import RequestNoise
from aesop.features.columns import CAMERA, SMALLEST_SPREAD
from aesop.features.human_features import (
    joints_from_features,
    root_from_features,
    yaw_from_features,
)
from aesop.models.method_network import MethodNetwork, MethodShape
from aesop.models.phase_table import MethodName
from aesop.scene.rotation import about_z, matrix_from_columns6
from aesop.scene.skeleton import JOINT
from aesop.text.encoder import TextFeatures


@dataclass(frozen=True, eq=False)
class SceneBatch:
    """Scenes side by side, zeros after their ends. Features are physical (`features.columns`); the
    person starts canonical, at x = y = 0.

    A loss gets everything. A sampler gets no camera; where a person is to be made it gets none
    either. `lens` holds both angles of view in radians: of the reference where methods are
    measured, of everyday use otherwise. A method that makes its own lens reads only the ratio.
    """

    mask: Bool[Tensor, "batch frames"]
    camera_words: TextFeatures
    human_words: TextFeatures
    lens: Float[Tensor, "batch frames 2"]  # vertical, horizontal
    human: Float[Tensor, "batch frames 199"] | None = None
    camera: Float[Tensor, "batch frames 14"] | None = None

    @property
    def tan_half_lens(self) -> Float[Tensor, "batch frames 2"]:
        """Half width and half height of the image at depth one, as `scene.camera` has it."""
        return torch.tan(self.lens.flip(-1) / 2)


@dataclass(frozen=True, eq=False)
class PersonPlaces:
    """Where a person is, frame by frame, in the world of the scene. Everything is finite after a
    clip's end too: padding reads as a person who stays."""

    root: Float[Tensor, "batch frames 3"]
    yaw: Float[Tensor, "batch frames"]
    joints: Float[Tensor, "batch frames 22 3"]

    @property
    def head(self) -> Float[Tensor, "batch frames 3"]:
        return self.joints[..., JOINT["head"], :]

    @property
    def world_from_heading(self) -> Float[Tensor, "batch frames 3 3"]:
        """Turns from axes that follow the person's heading to the world's."""
        return about_z(self.yaw)


@dataclass(frozen=True, eq=False)
class CameraTracks:
    """Cameras of a batch, frame by frame, in the world of the scene."""

    world_from_camera: Float[Tensor, "batch frames 3 3"]
    centre: Float[Tensor, "batch frames 3"]
    lens: Float[Tensor, "batch frames 2"]  # vertical, horizontal, radians


@dataclass(frozen=True, eq=False)
class SampledScenes:
    """What a sampler answers; people only where the method makes them."""

    cameras: CameraTracks
    human: Float[Tensor, "batch frames 199"] | None = None


def places_of(human: Float[Tensor, "batch frames 199"]) -> PersonPlaces:
    """Integrated in single precision whatever a step computes in: sums of hundreds of steps lose
    centimetres in half."""
    with torch.autocast(human.device.type, enabled=False):
        human = human.float()
        return PersonPlaces(
            root_from_features(human), yaw_from_features(human), joints_from_features(human)
        )


def tracks_of(
    camera: Float[Tensor, "batch frames 14"], root: Float[Tensor, "batch frames 3"]
) -> CameraTracks:
    """Camera features as tracks: every frame names its place beside the person."""
    with torch.autocast(camera.device.type, enabled=False):
        camera = camera.float()
        return CameraTracks(
            world_from_camera=matrix_from_columns6(CAMERA.take(camera, "rotation")),
            centre=root + CAMERA.take(camera, "from_root"),
            lens=torch.cat(
                [CAMERA.take(camera, "fov_vertical"), CAMERA.take(camera, "fov_horizontal")], -1
            ),
        )


@dataclass(frozen=True, eq=False)
class MethodLoss:
    """What is minimised, and its named parts (already weighted)."""

    total: Float[Tensor, ""]
    parts: Float[Tensor, " parts"]


# Factors of guidance in the order in which a method's sampler names them.
Guidance = tuple[float, ...]
# Chance in a loss: None draws from torch's own generator, which a training step seeds.
Dice = torch.Generator | None
NetworkT = TypeVar("NetworkT", bound=MethodNetwork)


@dataclass(frozen=True)
class MethodProtocol:
    """How the paper samples a method."""

    sampler: str  # in words, for tables
    guidance: Guidance
    guidance_names: tuple[str, ...]
    network_calls: int  # of one batch, guidance counted


@dataclass(frozen=True)
class Baseline(Generic[NetworkT]):
    """A baseline: a network, a loss, a sampler, and what tables say of it.

    `fit` gives a new network what it must know of the training data, from statistics over all of
    it. `loss` reads whole scenes; `sample` reads no camera but its lens. Answers to a scene depend
    on the scene, its noise and the guidance alone, never on its neighbours in the batch.
    """

    name: MethodName
    paper_name: str
    task: Literal["film", "shoot", "codec"]
    reads: str  # in words, for tables
    makes_lens: bool
    protocol: MethodProtocol
    loss_parts: tuple[str, ...]
    build: Callable[[MethodShape], NetworkT]
    fit: Callable[[NetworkT, Iterable[SceneBatch]], None]
    loss: Callable[[NetworkT, SceneBatch, Dice], MethodLoss]
    sample: Callable[[NetworkT, SceneBatch, RequestNoise, Guidance], SampledScenes]
    # The same method in fewer sampling steps than the paper's, where it can take them.
    in_fewer_steps: "Callable[[int], Baseline[NetworkT]] | None" = None


def masked_mean(
    values: Float[Tensor, "batch frames width"], mask: Bool[Tensor, "batch frames"]
) -> Float[Tensor, ""]:
    """Mean over real frames and all columns, every clip alike: the paper's balance."""
    per_clip = (values * mask[..., None]).sum((1, 2)) / (mask.sum(1) * values.shape[-1]).clamp_min(
        1
    )
    return per_clip.mean()


class RunningMoments:
    """Mean, spread and range of the columns of rows that come in pieces, on any device."""

    def __init__(self) -> None:
        self._count = 0
        self._sum = self._squares = torch.zeros(())
        self._low, self._high = torch.tensor(torch.inf), torch.tensor(-torch.inf)

    def add(self, rows: Float[Tensor, "rows width"]) -> None:
        if len(rows) == 0:
            return
        exact = rows.double()
        self._count += len(rows)
        self._sum = self._sum.to(exact) + exact.sum(0)
        self._squares = self._squares.to(exact) + exact.square().sum(0)
        self._low = torch.minimum(self._low.to(exact), exact.amin(0))
        self._high = torch.maximum(self._high.to(exact), exact.amax(0))

    @property
    def mean(self) -> Float64[Tensor, " width"]:
        return self._sum / self._count

    @property
    def spread(self) -> Float64[Tensor, " width"]:
        """A column that never varies has spread one."""
        variance = (self._squares / self._count - self.mean.square()).clamp_min(0)
        return variance.sqrt().where(variance > SMALLEST_SPREAD**2, 1.0)

    @property
    def low(self) -> Float64[Tensor, " width"]:
        return self._low

    @property
    def high(self) -> Float64[Tensor, " width"]:
        """Above `low` in every column."""
        return torch.where(self._high > self._low, self._high, self._low + 1)
