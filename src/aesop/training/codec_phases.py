"""Stage 1: the human codec, then with it frozen the camera codec; later their decoders alone."""

from collections.abc import Callable
from dataclasses import dataclass, fields
from pathlib import Path
from typing import TypeVar

import torch
from jaxtyping import Bool, Float
from torch import Tensor, nn

from aesop.core.hashing import fingerprint
from aesop.features.camera_features import centre_from_features
from aesop.features.columns import (
    CAMERA,
    Statistics,
    human_statistics,
    joined_camera_statistics,
    restore_camera,
    restore_human,
)
from aesop.features.human_features import joints_from_features
from aesop.models.codec import STRIDE, CameraCodec, HumanCodec, token_mask
from aesop.models.phase_table import PHASES
from aesop.models.weights import Part, load_camera_codec, load_human_codec
from aesop.scene.rotation import geodesic_distance, matrix_from_columns6
from aesop.training.batch_order import order_of
from aesop.training.footage import (
    Ragged,
    batches_of_like_length,
    encode_all,
    fit_whitening,
    settle_scale,
    standard_cameras,
    standard_humans,
    upload,
)
from aesop.training.losses import (
    CAMERA_PARTS,
    HUMAN_PARTS,
    FrameTotals,
    Loss,
    camera_reconstruction_loss,
    frame_totals,
    human_reconstruction_loss,
)
from aesop.training.recipes import CodecRecipe
from aesop.training.run_folder import (
    AnyPart,
    PhaseRun,
    learned,
    raw_human_latents,
    require_fitting_shape,
    started,
    weights_path,
    write_part,
)
from aesop.training.run_record import Measure
from aesop.training.step import World

Codec = TypeVar("Codec", HumanCodec, CameraCodec)

_STATISTICS_FRAMES = 1 << 16
_STIRRED_BY = 1024  # tokens that noise is mixed from: many more than channels


@dataclass(frozen=True, eq=False)
class HumanErrors:
    """Per clip: mean joint distance, in the world and with the root laid on the root."""

    global_mpjpe_m: Float[Tensor, " batch"]
    aligned_mpjpe_m: Float[Tensor, " batch"]


@dataclass(frozen=True, eq=False)
class CameraErrors:
    """Per clip: mean distance of the centres, mean angle between the rotations, and how far summed
    steps lead on average from the place beside the person that the same features name."""

    centre_ade_m: Float[Tensor, " batch"]
    rotation_degrees: Float[Tensor, " batch"]
    drift_m: Float[Tensor, " batch"]


def human_errors(
    predicted: Float[Tensor, "batch frames 199"],
    target: Float[Tensor, "batch frames 199"],
    mask: Bool[Tensor, "batch frames"],
) -> HumanErrors:
    """Physical features in; sums of increments are taken in float64."""
    joints = joints_from_features(predicted.double())
    wanted = joints_from_features(target.double())
    apart = torch.linalg.vector_norm(joints - wanted, dim=-1).mean(-1)
    aligned = (joints - joints[..., :1, :]) - (wanted - wanted[..., :1, :])
    around = torch.linalg.vector_norm(aligned, dim=-1).mean(-1)
    return HumanErrors(_mean(apart, mask), _mean(around, mask))


def camera_errors(
    predicted: Float[Tensor, "batch frames 14"],
    target: Float[Tensor, "batch frames 14"],
    mask: Bool[Tensor, "batch frames"],
) -> CameraErrors:
    """Physical features in. Both films start from the same human root, which drops out."""
    root = torch.zeros(len(mask), 3, dtype=torch.float64, device=mask.device)
    centres = [centre_from_features(it.double(), root) for it in (predicted, target)]
    turns = [
        matrix_from_columns6(CAMERA.take(it.double(), "rotation")) for it in (predicted, target)
    ]
    apart = torch.linalg.vector_norm(centres[0] - centres[1], dim=-1)
    beside = [CAMERA.take(it.double(), "from_root") for it in (predicted, target)]
    drift = torch.linalg.vector_norm(centres[0] - beside[0] - (centres[1] - beside[1]), dim=-1)
    degrees = torch.rad2deg(geodesic_distance(*turns))
    return CameraErrors(_mean(apart, mask), _mean(degrees, mask), _mean(drift, mask))


def _mean(
    values: Float[Tensor, "batch frames"], mask: Bool[Tensor, "batch frames"]
) -> Float[Tensor, " batch"]:
    # Chosen, not multiplied: padding decodes to degenerate rotations, whose angle may be NaN.
    return values.where(mask, 0.0).sum(1) / mask.sum(1)


@dataclass(frozen=True, eq=False)
class CodecBatch:
    """Standardised features, for the camera with the human's latents before whitening."""

    features: Float[Tensor, "batch frames width"]
    mask: Bool[Tensor, "batch frames"]
    human_latents: Float[Tensor, "batch tokens human_width"] | None
    totals: FrameTotals


@dataclass(frozen=True, eq=False)
class CodecClips:
    """Clips of one split. `human_latents` and the human of every clip only for the camera codec."""

    standard: Ragged
    names: tuple[str, ...]
    human_latents: Ragged | None = None
    human_of_clip: Tensor | None = None


def _gathered(clips: CodecClips, rows: Tensor, frames: int, totals: FrameTotals) -> CodecBatch:
    padded = clips.standard.padded(rows, frames)
    latents = None
    if clips.human_latents is not None and clips.human_of_clip is not None:
        humans = clips.human_of_clip[rows]
        latents = clips.human_latents.padded(humans, -(-frames // STRIDE)).values
    return CodecBatch(padded.values, padded.mask, latents, totals)


@dataclass(frozen=True)
class CodecKind:
    """How one of the two codecs is judged: on standardised features, and on physical ones."""

    part_names: tuple[str, ...]
    loss: Callable[..., Loss]
    restore: Callable[[Tensor, Statistics], Tensor]
    errors: Callable[[Tensor, Tensor, Tensor], HumanErrors | CameraErrors]


HUMAN_CODEC = CodecKind(HUMAN_PARTS, human_reconstruction_loss, restore_human, human_errors)
CAMERA_CODEC = CodecKind(CAMERA_PARTS, camera_reconstruction_loss, restore_camera, camera_errors)


class CodecTask:
    """Clips to be rebuilt."""

    def __init__(
        self,
        kind: CodecKind,
        recipe: CodecRecipe,
        statistics: Statistics,
        train: CodecClips,
        validation: CodecClips,
        world: World,
    ) -> None:
        self._kind, self._weights, self.part_names = kind, recipe.objective, kind.part_names
        self.train, self._validation, self._world = train, validation, world
        values = train.standard.values
        self._device = values.device
        self._statistics = Statistics(statistics.mean.to(values), statistics.spread.to(values))
        self._order = order_of(train.standard.lengths.cpu().numpy(), recipe)

    def batch(self, step: int) -> CodecBatch:
        drawn = self._order.rows(step)
        rows = upload(self._world.share(drawn.rows), self._device, torch.int64)
        totals = FrameTotals(
            upload(drawn.mean_frames, self._device, torch.float32),
            upload(drawn.mean_transitions, self._device, torch.float32),
        )
        return _gathered(self.train, rows, drawn.frames, totals)

    def names(self, step: int) -> list[str]:
        return [self.train.names[row] for row in self._order.rows(step).rows]

    def loss(self, network: nn.Module, batch: CodecBatch) -> Loss:
        return self._judged(_rebuilt(network, batch, self._weights.latent_noise), batch)

    def validate(self, network: nn.Module) -> tuple[Measure, ...]:
        """The loss by frames, errors in metres and degrees by clips."""
        sums: dict[str, Tensor] = {}
        all_frames = all_clips = 0.0
        for rows, length in batches_of_like_length(self._validation.standard):
            mask = self._validation.standard.padded(rows, length).mask
            batch = _gathered(self._validation, rows, length, frame_totals(mask))
            predicted = _rebuilt(network, batch, 0.0)
            clips, frames = float(len(mask)), float(batch.totals.frames)
            physical = self._kind.restore(predicted, self._statistics)
            wanted = self._kind.restore(batch.features, self._statistics)
            errors = self._kind.errors(physical, wanted, mask)
            weighted = {"loss": self._judged(predicted, batch).total * frames}
            for field in fields(errors):
                weighted[field.name] = getattr(errors, field.name).mean() * clips
            sums = {name: value + sums.get(name, 0.0) for name, value in weighted.items()}
            all_frames, all_clips = all_frames + frames, all_clips + clips
        return tuple(
            Measure(name, float(total) / (all_frames if name == "loss" else all_clips))
            for name, total in sums.items()
        )

    def show(self, network: nn.Module, path: Path) -> None:
        """Codecs invent nothing: their errors tell all."""

    def _judged(self, predicted: Float[Tensor, "batch frames width"], batch: CodecBatch) -> Loss:
        return self._kind.loss(
            predicted, batch.features, batch.mask, self._statistics, self._weights, batch.totals
        )


def _rebuilt(
    network: nn.Module, batch: CodecBatch, noise: float
) -> Float[Tensor, "batch frames width"]:
    """What the codec makes of the features, its latents moved by some noise on the way."""
    assert isinstance(network, HumanCodec | CameraCodec)
    latents = stirred(network.encode(batch.features, batch.mask), token_mask(batch.mask), noise)
    if isinstance(network, HumanCodec):
        return network.decode(latents, batch.mask).float()
    assert batch.human_latents is not None
    return network.decode(latents, batch.human_latents, batch.mask).float()


def stirred(
    latents: Float[Tensor, "batch tokens latent"], mask: Bool[Tensor, "batch tokens"], most: float
) -> Float[Tensor, "batch tokens latent"]:
    """Latents with noise that has their own covariance, times a share of at most `most` that every
    clip draws for itself.

    Whitening makes all directions equally wide, and so is a flow's error in all of them. Noise of
    equal size per channel would only teach to write the same number into many channels, which
    whitening undoes. Sums of other tokens with random signs and sizes have the right covariance
    and need no factorisation. Gradients pass through them: latents that grow do not escape.
    """
    if most == 0:
        return latents
    valid = mask[..., None].to(latents.dtype)
    known = latents.masked_fill(~mask[..., None], 0)
    mean = known.sum((0, 1)) / valid.sum()
    around = ((known - mean) * valid).flatten(0, 1)
    step = -(-len(around) // _STIRRED_BY)
    others, count = around[::step], valid.flatten()[::step].sum().clamp_min(1)
    draws = torch.randn(len(around), len(others), dtype=latents.dtype, device=latents.device)
    noise = (draws @ others / count.sqrt()).view_as(latents)
    share = most * torch.rand(len(latents), 1, 1, dtype=latents.dtype, device=latents.device)
    return latents + share * noise * valid


def train_codec(phase: PhaseRun[CodecRecipe]) -> bool:
    """A codec from the start, or the decoder of the codec that the phase continues."""
    if PHASES[phase.recipe.phase].trains == "human-codec":
        return _train_human_codec(phase)
    return _train_camera_codec(phase)


def _goes_on_from(phase: PhaseRun[CodecRecipe]) -> Path | None:
    """The codec that a phase starts from: one that was given, or the one it continues. It keeps its
    statistics, in which its features are written."""
    continues = PHASES[phase.recipe.phase].continues
    given = phase.material.start_of(phase.recipe)
    if given is not None or continues is None:
        return given
    return weights_path(phase.folder.path, continues)


def _train_human_codec(phase: PhaseRun[CodecRecipe]) -> bool:
    recipe, material, path = phase.recipe, phase.material, _goes_on_from(phase)
    if path is None:
        statistics = human_statistics(material.train.humans.values.split(_STATISTICS_FRAMES))
        part, codec = None, started(lambda: HumanCodec(recipe.network, statistics), phase)
    else:
        part = load_human_codec(path, phase.device)
        require_fitting_shape(recipe, part, path)
        codec, statistics = part.network, part.network.statistics
    train, validation = (
        CodecClips(standard_humans(it.humans.to(phase.device), statistics), it.human_names)
        for it in (material.train, material.validation)
    )
    task = CodecTask(HUMAN_CODEC, recipe, statistics, train, validation, phase.world)
    return _finished(phase, task, codec, part, ())


def _train_camera_codec(phase: PhaseRun[CodecRecipe]) -> bool:
    recipe, material, path = phase.recipe, phase.material, _goes_on_from(phase)
    human = phase.folder.human_codec()
    if path is None:
        cameras = material.train.cameras
        statistics = joined_camera_statistics(cameras.values, cameras.starts)
        part, codec = None, started(lambda: CameraCodec(recipe.network, statistics), phase)
    else:
        part = load_camera_codec(path, human, phase.device)
        require_fitting_shape(recipe, part, path)
        codec, statistics = part.network, part.network.statistics
    train, validation = (
        CodecClips(
            standard_cameras(it.cameras.to(phase.device), statistics),
            it.shot_names,
            raw_human_latents(phase, human, it),
            it.human_of_shot.to(phase.device),
        )
        for it in (material.train, material.validation)
    )
    task = CodecTask(CAMERA_CODEC, recipe, statistics, train, validation, phase.world)
    return _finished(phase, task, codec, part, (human,))


def _finished(
    phase: PhaseRun[CodecRecipe],
    task: CodecTask,
    codec: Codec,
    before: AnyPart | None,
    partners: tuple[Part[HumanCodec], ...],
) -> bool:
    """Train, and leave the part. Its whitening is fitted once, before flows learn from it."""
    trains_all = PHASES[phase.recipe.phase].continues is None
    kept = None if trains_all else _all_but_decoder(codec)
    parts = partners if before is None else (*partners, before)
    outcome = learned(phase, task, codec, parts)
    assert kept in (None, _all_but_decoder(codec)), "training changed more than the decoder"
    if outcome.finished:
        if trains_all:
            fit_whitening(codec, settle_scale(codec, encode_all(codec, task.train.standard)))
        write_part(phase, outcome, codec, partners)
    return outcome.finished


def _all_but_decoder(codec: HumanCodec | CameraCodec) -> str:
    state = codec.state_dict()
    return fingerprint({it: state[it] for it in state if not it.startswith("decoder.")})
