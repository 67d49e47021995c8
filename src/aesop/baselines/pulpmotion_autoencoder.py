"""PulpMotion's symmetric autoencoder: one encoder reads camera and human side by side, its latent
is split in two, and a third decoder reads the framing from a linear map of both. All is trained
together, by plain squared errors.

The network is MARDM's residual convolution autoencoder, which PulpMotion's classes are named after.
Framing latents are z_F = Wᵀz. What a latent says about framing lies in the columns of W; P, the
projection onto them, is what auxiliary sampling pushes along.
"""

from collections.abc import Iterable
from dataclasses import dataclass

import torch
from jaxtyping import Bool, Float
from torch import Tensor, nn
from torch.nn.functional import interpolate, pad, relu

from aesop.baselines.request_noise import RequestNoise
from aesop.baselines.scene_batch import (
    Baseline,
    CameraTracks,
    Dice,
    Guidance,
    MethodLoss,
    MethodProtocol,
    RunningMoments,
    SampledScenes,
    SceneBatch,
    masked_mean,
)
from aesop.features.camera_features import centre_from_features
from aesop.features.columns import (
    CAMERA,
    HUMAN,
    CameraFeatures,
    ColumnLayout,
    HumanFeatures,
    Statistics,
    restore_camera,
    restore_human,
    standardise_camera,
    standardise_human,
)
from aesop.features.human_features import joints_from_features, root_from_features
from aesop.models.codec import STRIDE
from aesop.models.method_network import MethodNetwork, MethodShape, MethodSize
from aesop.scene.camera import project
from aesop.scene.rotation import matrix_from_columns6
from aesop.scene.skeleton import KEY_JOINTS

# What the encoder reads: the camera first, as in PulpMotion's latents.
BOTH = ColumnLayout((("camera", CAMERA.width), ("human", HUMAN.width)))
FRAMING_WIDTH = 2 * len(KEY_JOINTS)
FRAMING_LIMIT = 2.0  # joints farther out of the picture count as this far, as in r-FPD
HALVINGS = 2  # of the frame rate: four frames to a token
DILATIONS = (9, 3, 1)  # of the residual blocks after every halving

assert 2**HALVINGS == STRIDE


@dataclass(frozen=True)
class SymmetricSizes:
    """Widths in the autoencoder. `framing` is N_z, that of the framing latent."""

    camera: int = 64
    human: int = 128
    framing: int = 64
    width: int = 512
    dropout: float = 0.2

    def __post_init__(self) -> None:
        assert 0 < self.framing < self.latent

    @property
    def latent(self) -> int:
        return self.camera + self.human

    @property
    def layout(self) -> ColumnLayout:
        """The two halves of a latent."""
        return ColumnLayout((("camera", self.camera), ("human", self.human)))


# MARDM's widths are the published ones: PulpMotion's own are not told. `base` has as many weights
# as our two codecs together.
SIZES: dict[MethodSize, SymmetricSizes] = {
    "published": SymmetricSizes(),
    "base": SymmetricSizes(width=184),
    "tiny": SymmetricSizes(camera=12, human=24, framing=10, width=48, dropout=0.0),
}


@dataclass(frozen=True, eq=False)
class Rebuilt:
    """What the three decoders say: standardised camera and human, joints in the image."""

    camera: Float[Tensor, "batch frames 14"]
    human: Float[Tensor, "batch frames 199"]
    framing: Float[Tensor, "batch frames 18"]


class _DilatedResidual(nn.Module):
    """ReLU, a dilated convolution, ReLU, a pointwise one, dropout; and what came in."""

    def __init__(self, width: int, dilation: int, rate: float) -> None:
        super().__init__()
        self.wide = nn.Conv1d(width, width, 3, padding=dilation, dilation=dilation)
        self.mix = nn.Conv1d(width, width, 1)
        self.drop = nn.Dropout(rate)

    def forward(
        self, states: Float[Tensor, "batch width items"], keep: Float[Tensor, "batch 1 items"]
    ) -> Float[Tensor, "batch width items"]:
        return states + self.drop(self.mix(relu(self.wide(relu(states))))) * keep


def _residuals(width: int, rate: float) -> nn.ModuleList:
    return nn.ModuleList(_DilatedResidual(width, dilation, rate) for dilation in DILATIONS)


def _masks(mask: Bool[Tensor, "batch frames"]) -> list[Bool[Tensor, "batch 1 _"]]:
    """Which items are real before and after every halving; frames are filled up to whole tokens."""
    every = [pad(mask, (0, -mask.shape[1] % STRIDE))[:, None]]
    for _ in range(HALVINGS):
        every.append(every[-1][..., ::2])
    return every


class SymmetricEncoder(nn.Module):
    """Standardised camera and human features to latents."""

    def __init__(self, sizes: SymmetricSizes) -> None:
        super().__init__()
        width, rate = sizes.width, sizes.dropout
        self.first = nn.Conv1d(BOTH.width, width, 3, padding=1)
        self.downsample = nn.ModuleList(
            nn.Conv1d(width, width, 4, stride=2, padding=1) for _ in range(HALVINGS)
        )
        self.blocks = nn.ModuleList(_residuals(width, rate) for _ in range(HALVINGS))
        self.last = nn.Conv1d(width, sizes.latent, 3, padding=1)

    def forward(
        self, features: Float[Tensor, "batch frames 213"], mask: Bool[Tensor, "batch frames"]
    ) -> Float[Tensor, "batch tokens latent"]:
        masks = _masks(mask)
        states = pad(features, (0, 0, 0, -mask.shape[1] % STRIDE)).transpose(1, 2)
        # Filled, not multiplied: not even a NaN in the padding may pass.
        states = states.masked_fill(~masks[0], 0)
        states = relu(self.first(states)) * masks[0]
        for downsample, blocks, valid in zip(self.downsample, self.blocks, masks[1:], strict=True):
            keep = valid.to(states.dtype)
            states = downsample(states) * keep
            assert isinstance(blocks, nn.ModuleList)
            for block in blocks:
                states = block(states, keep)
        return (self.last(states) * masks[-1]).transpose(1, 2)


class SymmetricDecoder(nn.Module):
    """Latents of one kind to features of one kind, cropped to the length of the mask."""

    def __init__(self, latent: int, features: int, width: int, rate: float) -> None:
        super().__init__()
        self.first = nn.Conv1d(latent, width, 3, padding=1)
        self.blocks = nn.ModuleList(_residuals(width, rate) for _ in range(HALVINGS))
        self.upsample = nn.ModuleList(
            nn.Conv1d(width, width, 3, padding=1) for _ in range(HALVINGS)
        )
        self.middle = nn.Conv1d(width, width, 3, padding=1)
        self.last = nn.Conv1d(width, features, 3, padding=1)

    def forward(
        self, latents: Float[Tensor, "batch tokens latent"], mask: Bool[Tensor, "batch frames"]
    ) -> Float[Tensor, "batch frames features"]:
        *finer, coarse = _masks(mask)
        states = latents.transpose(1, 2).masked_fill(~coarse, 0)
        states = relu(self.first(states)) * coarse
        keep = coarse.to(states.dtype)
        for blocks, upsample, valid in zip(
            self.blocks, self.upsample, reversed(finer), strict=True
        ):
            assert isinstance(blocks, nn.ModuleList)
            for block in blocks:
                states = block(states, keep)
            keep = valid.to(states.dtype)
            # An odd number of items leaves one too many, which the finer mask covers.
            states = upsample(interpolate(states, scale_factor=2.0) * keep) * keep
        states = relu(self.middle(states)) * keep
        features = self.last(states) * keep
        return features[..., : mask.shape[1]].transpose(1, 2)


class SymmetricAutoencoder(MethodNetwork):
    """The encoder, W, and three decoders, with the statistics of their features."""

    reads_words = False
    camera_mean: Tensor
    camera_spread: Tensor
    human_mean: Tensor
    human_spread: Tensor

    def __init__(self, shape: MethodShape, sizes: SymmetricSizes | None = None) -> None:
        super().__init__(shape)
        self.sizes = sizes = SIZES[shape.size] if sizes is None else sizes
        width, rate = sizes.width, sizes.dropout
        self.encoder = SymmetricEncoder(sizes)
        self.camera_decoder = SymmetricDecoder(sizes.camera, CAMERA.width, width, rate)
        self.human_decoder = SymmetricDecoder(sizes.human, HUMAN.width, width, rate)
        self.framing_decoder = SymmetricDecoder(sizes.framing, FRAMING_WIDTH, width, rate)
        self.to_framing = nn.Linear(sizes.latent, sizes.framing, bias=False)  # its weight is Wᵀ
        for name, count in (("camera", CAMERA.width), ("human", HUMAN.width)):
            zeros = torch.zeros(count, dtype=torch.float64)
            self.register_buffer(f"{name}_mean", zeros)
            self.register_buffer(f"{name}_spread", torch.ones_like(zeros))

    @property
    def camera_statistics(self) -> Statistics:
        return Statistics(self.camera_mean, self.camera_spread)

    @property
    def human_statistics(self) -> Statistics:
        return Statistics(self.human_mean, self.human_spread)

    def standardised(
        self, camera: CameraFeatures, human: HumanFeatures
    ) -> Float[Tensor, "batch frames 213"]:
        """What the encoder reads, of physical features."""
        return BOTH.join(
            camera=standardise_camera(camera, self.camera_statistics),
            human=standardise_human(human, self.human_statistics),
        )

    def encode(
        self, standard: Float[Tensor, "batch frames 213"], mask: Bool[Tensor, "batch frames"]
    ) -> Float[Tensor, "batch tokens latent"]:
        """Latents as the decoders read them."""
        return self.encoder(standard, mask)

    def decode(
        self, latents: Float[Tensor, "batch tokens latent"], mask: Bool[Tensor, "batch frames"]
    ) -> Rebuilt:
        """All three, from one latent; camera and human each from its own part of it only."""
        layout = self.sizes.layout
        return Rebuilt(
            camera=self.camera_decoder(layout.take(latents, "camera"), mask),
            human=self.human_decoder(layout.take(latents, "human"), mask),
            framing=self.framing_decoder(self.to_framing(latents), mask),
        )

    def to_latents(
        self, camera: CameraFeatures, human: HumanFeatures, mask: Bool[Tensor, "batch frames"]
    ) -> Float[Tensor, "batch tokens latent"]:
        """Latents of physical features."""
        return self.encode(self.standardised(camera, human), mask)

    def from_latents(
        self, latents: Float[Tensor, "batch tokens latent"], mask: Bool[Tensor, "batch frames"]
    ) -> tuple[CameraFeatures, HumanFeatures]:
        """Physical camera and human of latents; zero beyond the mask."""
        rebuilt, beyond = self.decode(latents, mask), ~mask[..., None]
        camera = restore_camera(rebuilt.camera.float(), self.camera_statistics)
        human = restore_human(rebuilt.human.float(), self.human_statistics)
        return camera.masked_fill(beyond, 0), human.masked_fill(beyond, 0)

    def framing_map(self) -> Float[Tensor, "latent framing"]:
        """W, in double precision."""
        return self.to_framing.weight.detach().double().T


def framing_projection(
    framing_map: Float[Tensor, "latent framing"],
) -> Float[Tensor, "latent latent"]:
    """P = W(WᵀW)⁻¹Wᵀ: what of a latent decides the framing. By an orthonormal basis of W's columns,
    which is the same without squaring the condition number."""
    basis, _ = torch.linalg.qr(framing_map.double())
    return basis @ basis.T


@torch.no_grad()
def framing_targets(
    camera: CameraFeatures, human: HumanFeatures
) -> Float[Tensor, "*batch frames 18"]:
    """Nine joints in the image, as the physical features of camera and person tell it. Sums of
    steps are taken in float64; padded frames may hold anything."""
    with torch.autocast(camera.device.type, enabled=False):
        camera, human = camera.double(), human.double()
        first_root = root_from_features(human)[..., 0, :]
        angles = [CAMERA.take(camera, name) for name in ("fov_horizontal", "fov_vertical")]
        joints = joints_from_features(human).unbind(-2)
        projection = project(
            # One by one: a list of numbers would be sent to the device, which no capture allows.
            torch.stack([joints[key] for key in KEY_JOINTS], dim=-2),
            matrix_from_columns6(CAMERA.take(camera, "rotation")),
            centre_from_features(camera, first_root),
            torch.tan(torch.cat(angles, -1) / 2),
        )
    return projection.ndc.clamp(-FRAMING_LIMIT, FRAMING_LIMIT).flatten(-2).float()


def scene_tracks(camera: CameraFeatures, human: HumanFeatures) -> CameraTracks:
    """Cameras of decoded features: the first centre stands beside the root, increments follow."""
    camera, first_root = camera.double(), root_from_features(human.double())[..., 0, :]
    return CameraTracks(
        world_from_camera=matrix_from_columns6(CAMERA.take(camera, "rotation")).float(),
        centre=centre_from_features(camera, first_root).float(),
        lens=torch.cat(
            [CAMERA.take(camera, "fov_vertical"), CAMERA.take(camera, "fov_horizontal")], -1
        ).float(),
    )


def whole(scenes: SceneBatch) -> tuple[CameraFeatures, HumanFeatures]:
    """Camera and human of scenes that have both."""
    assert scenes.camera is not None and scenes.human is not None, "scenes to learn from are whole"
    return scenes.camera, scenes.human


def fit_statistics(network: SymmetricAutoencoder, scenes: Iterable[SceneBatch]) -> None:
    """As our codecs have it: all human columns, of the camera the two blocks of metres; increments
    of first frames never count."""
    people, places, steps = RunningMoments(), RunningMoments(), RunningMoments()
    for batch in scenes:
        camera, human = whole(batch)
        people.add(human[batch.mask])
        places.add(CAMERA.take(camera, "from_root")[batch.mask])
        steps.add(CAMERA.take(camera, "velocity")[:, 1:][batch.mask[:, 1:]])
    network.human_mean.copy_(people.mean)
    network.human_spread.copy_(people.spread)
    for name, known in (("from_root", places), ("velocity", steps)):
        network.camera_mean[CAMERA.span(name)] = known.mean.to(network.camera_mean)
        network.camera_spread[CAMERA.span(name)] = known.spread.to(network.camera_spread)


SYMMETRIC_PARTS = ("camera", "human", "framing")


def reconstruction_loss(
    network: SymmetricAutoencoder, scenes: SceneBatch, dice: Dice = None
) -> MethodLoss:
    """The sum of three plain squared errors, each per number; dropout alone draws from chance."""
    camera, human = whole(scenes)
    standard, beyond = network.standardised(camera, human), ~scenes.mask[..., None]
    standard = standard.masked_fill(beyond, 0)
    rebuilt = network.decode(network.encode(standard, scenes.mask), scenes.mask)
    framing = framing_targets(camera, human).masked_fill(beyond, 0)
    pairs = (
        (rebuilt.camera, BOTH.take(standard, "camera")),
        (rebuilt.human, BOTH.take(standard, "human")),
        (rebuilt.framing, framing),
    )
    errors = [masked_mean((made.float() - wanted).square(), scenes.mask) for made, wanted in pairs]
    parts = torch.stack(errors)
    return MethodLoss(parts.sum(), parts.detach())


@torch.no_grad()
def rebuilt_scenes(
    network: SymmetricAutoencoder,
    scenes: SceneBatch,
    noise: RequestNoise | None = None,
    guidance: Guidance = (),
) -> SampledScenes:
    """Whole scenes, encoded and decoded. Nothing is drawn and nothing guided."""
    camera, human = network.from_latents(
        network.to_latents(*whole(scenes), scenes.mask), scenes.mask
    )
    return SampledScenes(scene_tracks(camera, human), human)


PULPMOTION_AE: Baseline[SymmetricAutoencoder] = Baseline(
    name="pulpmotion-ae",
    paper_name="PulpMotion AE (sym.)",
    task="codec",
    reads="camera and human features together",
    makes_lens=True,
    protocol=MethodProtocol(
        sampler="encoded and decoded", guidance=(), guidance_names=(), network_calls=1
    ),
    loss_parts=SYMMETRIC_PARTS,
    build=SymmetricAutoencoder,
    fit=fit_statistics,
    loss=reconstruction_loss,
    sample=rebuilt_scenes,
)
