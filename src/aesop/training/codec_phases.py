"""Stage 1: the human codec, then with it frozen the camera codec."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import torch
from jaxtyping import Bool, Float
from torch import Tensor, nn

from aesop.core.hashing import fingerprint
from aesop.features.camera_features import centre_from_features
from aesop.features.columns import (
    CAMERA,
    Statistics,
    camera_statistics,
    human_statistics,
    restore_camera,
    restore_human,
)
from aesop.features.human_features import joints_from_features
from aesop.models.codec import STRIDE, CameraCodec, CodecShape, HumanCodec, token_mask
from aesop.models.weights import Part, load_camera_codec, load_human_codec, new_part
from aesop.scene.rotation import geodesic_distance, matrix_from_columns6
from aesop.training.batch_order import Order, Rows
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
from aesop.training.recipes import Recipe, ReconstructionWeights
from aesop.training.run_folder import (
    FrozenParts,
    PhaseRun,
    learned,
    notes_of,
    raw_human_latents,
    require_fitting_codec,
    started,
    weights_path,
    write_part,
)
from aesop.training.run_record import Measure
from aesop.training.step import World


@dataclass(frozen=True, eq=False)
class HumanErrors:
    """Per clip: mean joint distance, in the world and with the root laid on the root."""

    global_mpjpe_m: Float[Tensor, " batch"]
    aligned_mpjpe_m: Float[Tensor, " batch"]


@dataclass(frozen=True, eq=False)
class CameraErrors:
    """Per clip: mean distance of the centres and mean angle between the rotations."""

    centre_ade_m: Float[Tensor, " batch"]
    rotation_degrees: Float[Tensor, " batch"]


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
    return CameraErrors(_mean(apart, mask), _mean(torch.rad2deg(geodesic_distance(*turns)), mask))


def _mean(
    values: Float[Tensor, "batch frames"], mask: Bool[Tensor, "batch frames"]
) -> Float[Tensor, " batch"]:
    # Chosen, not multiplied: padding decodes to degenerate rotations, whose angle may be NaN.
    return values.where(mask, 0.0).sum(1) / mask.sum(1)


# Tokens that noise is mixed from: many more than channels.
_STIRRED_BY = 1024


@dataclass(frozen=True, eq=False)
class CodecBatch:
    """Standardised features, for the camera with the human's latents before whitening."""

    features: Float[Tensor, "batch frames width"]
    mask: Bool[Tensor, "batch frames"]
    human_latents: Float[Tensor, "batch tokens human_width"] | None
    frames_total: Float[Tensor, ""]
    transitions_total: Float[Tensor, ""]

    @property
    def totals(self) -> FrameTotals:
        return FrameTotals(self.frames_total, self.transitions_total)


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
    return CodecBatch(padded.values, padded.mask, latents, totals.frames, totals.transitions)


class _CodecLesson:
    """Batches and their order, the same for both codecs."""

    def __init__(
        self,
        recipe: Recipe,
        statistics: Statistics,
        train: CodecClips,
        validation: CodecClips,
        world: World,
    ) -> None:
        assert isinstance(recipe.objective, ReconstructionWeights)
        self.weights = recipe.objective
        self._train, self._validation, self._world = train, validation, world
        values = train.standard.values
        self._device = values.device
        self._statistics = Statistics(statistics.mean.to(values), statistics.spread.to(values))
        self._order = Order(
            train.standard.lengths.cpu().numpy(),
            recipe.schedule.batch_rows,
            recipe.seed,
            recipe.batching.pool_batches,
            recipe.batching.bucket_frames,
        )

    def batch(self, step: int) -> CodecBatch:
        drawn = self._order.rows(step)
        rows = upload(self._world.share(drawn.rows), self._device, torch.int64)
        return _gathered(self._train, rows, drawn.frames, _totals(drawn, self._device))

    def names(self, step: int) -> list[str]:
        return [self._train.names[row] for row in self._order.rows(step).rows]

    def show(self, network: nn.Module, path: Path) -> None:
        """Codecs invent nothing: their errors in metres and degrees tell all."""

    def validation_batches(self) -> Iterator[CodecBatch]:
        for rows, frames in batches_of_like_length(self._validation.standard):
            padded = self._validation.standard.padded(rows, frames)
            yield _gathered(self._validation, rows, frames, frame_totals(padded.mask))


def _totals(drawn: Rows, device: torch.device) -> FrameTotals:
    return FrameTotals(
        upload(drawn.mean_frames, device, torch.float32),
        upload(drawn.mean_transitions, device, torch.float32),
    )


@dataclass(eq=False)
class _Means:
    """Means over batches of different weight, added up on the device."""

    sums: dict[str, Tensor]
    weights: dict[str, float]

    def add(self, name: str, mean: Tensor, weight: float) -> None:
        self.sums[name] = self.sums.get(name, torch.zeros_like(mean)) + mean * weight
        self.weights[name] = self.weights.get(name, 0.0) + weight

    def measures(self) -> tuple[Measure, ...]:
        return tuple(
            Measure(name, float(total) / self.weights[name]) for name, total in self.sums.items()
        )


class HumanCodecTask(_CodecLesson):
    """The human codec's lesson."""

    part_names = HUMAN_PARTS

    def loss(self, network: nn.Module, batch: CodecBatch) -> Loss:
        return self._judged(_human_output(network, batch, self.weights.latent_noise), batch)

    def _judged(self, predicted: Float[Tensor, "batch frames 199"], batch: CodecBatch) -> Loss:
        return human_reconstruction_loss(
            predicted, batch.features, batch.mask, self._statistics, self.weights, batch.totals
        )

    def validate(self, network: nn.Module) -> tuple[Measure, ...]:
        means = _Means({}, {})
        for batch in self.validation_batches():
            predicted = _human_output(network, batch)
            clips, frames = float(len(batch.mask)), float(batch.frames_total)
            means.add("loss", self._judged(predicted, batch).total, frames)
            errors = human_errors(
                restore_human(predicted, self._statistics),
                restore_human(batch.features, self._statistics),
                batch.mask,
            )
            means.add("global_mpjpe_m", errors.global_mpjpe_m.mean(), clips)
            means.add("aligned_mpjpe_m", errors.aligned_mpjpe_m.mean(), clips)
        return means.measures()


class CameraCodecTask(_CodecLesson):
    """The camera codec's lesson."""

    part_names = CAMERA_PARTS

    def loss(self, network: nn.Module, batch: CodecBatch) -> Loss:
        return self._judged(_camera_output(network, batch, self.weights.latent_noise), batch)

    def _judged(self, predicted: Float[Tensor, "batch frames 14"], batch: CodecBatch) -> Loss:
        return camera_reconstruction_loss(
            predicted, batch.features, batch.mask, self._statistics, self.weights, batch.totals
        )

    def validate(self, network: nn.Module) -> tuple[Measure, ...]:
        means = _Means({}, {})
        for batch in self.validation_batches():
            predicted = _camera_output(network, batch)
            clips, frames = float(len(batch.mask)), float(batch.frames_total)
            means.add("loss", self._judged(predicted, batch).total, frames)
            errors = camera_errors(
                restore_camera(predicted, self._statistics),
                restore_camera(batch.features, self._statistics),
                batch.mask,
            )
            means.add("centre_ade_m", errors.centre_ade_m.mean(), clips)
            means.add("rotation_degrees", errors.rotation_degrees.mean(), clips)
        return means.measures()


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


def _human_output(
    network: nn.Module, batch: CodecBatch, noise: float = 0.0
) -> Float[Tensor, "batch frames 199"]:
    assert isinstance(network, HumanCodec)
    latents = stirred(network.encode(batch.features, batch.mask), token_mask(batch.mask), noise)
    return network.decode(latents, batch.mask).float()


def _camera_output(
    network: nn.Module, batch: CodecBatch, noise: float = 0.0
) -> Float[Tensor, "batch frames 14"]:
    assert isinstance(network, CameraCodec) and batch.human_latents is not None
    latents = stirred(network.encode(batch.features, batch.mask), token_mask(batch.mask), noise)
    return network.decode(latents, batch.human_latents, batch.mask).float()


_STATISTICS_FRAMES = 1 << 16
_DECODER = "decoder."


def train_human_codec(phase: PhaseRun) -> bool:
    recipe, material = phase.recipe, phase.material
    statistics = human_statistics(material.train.humans.values.split(_STATISTICS_FRAMES))
    assert isinstance(recipe.network, CodecShape)
    shape = recipe.network
    codec = started(lambda: HumanCodec(shape, statistics), phase)
    train, validation = _people(phase, statistics)
    lesson = HumanCodecTask(recipe, statistics, train, validation, phase.world)
    outcome = learned(phase, lesson, codec, parts=())
    if outcome.finished:
        fit_whitening(codec, settle_scale(codec, encode_all(codec, train.standard)))
        write_part(phase, new_part("human-codec", codec, notes=notes_of(phase, outcome)))
    return outcome.finished


def train_human_decoder(phase: PhaseRun) -> bool:
    path = weights_path(phase.folder.path, "human-codec")
    before = load_human_codec(path, phase.device)
    require_fitting_codec(phase.recipe, before, path)
    codec, kept = before.network, _all_but_decoder(before.network)
    train, validation = _people(phase, codec.statistics)
    lesson = HumanCodecTask(phase.recipe, codec.statistics, train, validation, phase.world)
    outcome = learned(phase, lesson, codec, parts=(before,))
    assert _all_but_decoder(codec) == kept, "training changed more than the decoder"
    if outcome.finished:
        write_part(phase, new_part("human-codec", codec, notes=notes_of(phase, outcome)))
    return outcome.finished


def train_camera_codec(phase: PhaseRun) -> bool:
    recipe, material = phase.recipe, phase.material
    human = phase.folder.human_codec()
    frozen = FrozenParts(human)
    cameras = material.train.cameras
    statistics = camera_statistics(cameras.clip(row) for row in range(len(cameras)))
    assert isinstance(recipe.network, CodecShape)
    shape = recipe.network
    codec = started(lambda: CameraCodec(shape, statistics), phase)
    train, validation = _shots(phase, human, statistics)
    lesson = CameraCodecTask(recipe, statistics, train, validation, phase.world)
    outcome = learned(phase, lesson, codec, parts=(human,))
    frozen.require_unchanged()
    if outcome.finished:
        fit_whitening(codec, settle_scale(codec, encode_all(codec, train.standard)))
        write_part(phase, new_part("camera-codec", codec, (human,), notes=notes_of(phase, outcome)))
    return outcome.finished


def train_camera_decoder(phase: PhaseRun) -> bool:
    human = phase.folder.human_codec()
    path = weights_path(phase.folder.path, "camera-codec")
    before = load_camera_codec(path, human, phase.device)
    require_fitting_codec(phase.recipe, before, path)
    frozen, codec = FrozenParts(human), before.network
    kept = _all_but_decoder(codec)
    train, validation = _shots(phase, human, codec.statistics)
    lesson = CameraCodecTask(phase.recipe, codec.statistics, train, validation, phase.world)
    outcome = learned(phase, lesson, codec, parts=(human, before))
    frozen.require_unchanged()
    assert _all_but_decoder(codec) == kept, "training changed more than the decoder"
    if outcome.finished:
        write_part(phase, new_part("camera-codec", codec, (human,), notes=notes_of(phase, outcome)))
    return outcome.finished


def _people(phase: PhaseRun, statistics: Statistics) -> tuple[CodecClips, CodecClips]:
    """What a human codec learns from, and is validated on."""
    train, validation = (
        CodecClips(standard_humans(it.humans.to(phase.device), statistics), it.human_names)
        for it in (phase.material.train, phase.material.validation)
    )
    return train, validation


def _shots(
    phase: PhaseRun, human: Part[HumanCodec], statistics: Statistics
) -> tuple[CodecClips, CodecClips]:
    """The same for a camera codec, beside the human's latents."""
    train, validation = (
        CodecClips(
            standard_cameras(it.cameras.to(phase.device), statistics),
            it.shot_names,
            raw_human_latents(phase, human, it),
            it.human_of_shot.to(phase.device),
        )
        for it in (phase.material.train, phase.material.validation)
    )
    return train, validation


def _all_but_decoder(codec: HumanCodec | CameraCodec) -> str:
    state = codec.state_dict()
    return fingerprint({it: state[it] for it in state if not it.startswith(_DECODER)})
