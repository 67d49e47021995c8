"""Stage 2: the human flow, the camera flow, and its two continuations with control pairs."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
from jaxtyping import Bool, Float, Float32, Int64
from torch import Tensor, nn

from aesop.flow.path import on_path, shifted_time, target_velocity, uniform_time
from aesop.models.codec import STRIDE, CameraCodec, HumanCodec
from aesop.models.velocity import FlowContext, FlowTransformer, VelocityShape, seen_human
from aesop.models.weights import Part, new_part
from aesop.pairs.pair_files import PairSet
from aesop.scene.human import Clip
from aesop.scene.shot import Shot
from aesop.text.encoder import TextFeatures
from aesop.training.batch_order import (
    CAPTION,
    DROP,
    NOISE,
    TIME,
    Order,
    PairOrder,
    bucket,
    dice_for,
    seed_for,
)
from aesop.training.footage import (
    NO_CAPTION,
    EncodedCaptions,
    Footage,
    Ragged,
    encode_all,
    encode_captions,
    ragged_from_clips,
    standard_cameras,
    stands,
    upload,
    whitened,
)
from aesop.training.losses import (
    FLOW_PARTS,
    Loss,
    clip_balanced_loss,
    clip_errors,
    length_weighted_loss,
)
from aesop.training.recipes import FlowMatching, Phase, Recipe, TrainingError
from aesop.training.run_folder import (
    FrozenParts,
    PhaseRun,
    learned,
    notes_of,
    raw_human_latents,
    require_fitting_shape,
    started,
    weights_path,
    write_part,
)
from aesop.training.run_record import Measure
from aesop.training.samples import SHOWN, SampleDecoders, sample_clips, sample_shots, write_sheet
from aesop.training.step import World, autocast

VALIDATION_SEED = 20_000_003  # no recipe's seed: validation always meets the same noise
VALIDATION_ROWS = 128  # whatever the recipe's batch, so that curves can be compared


@dataclass(frozen=True, eq=False)
class FlowBatch:
    """Clean latents and everything that is drawn for them."""

    latents: Float[Tensor, "batch tokens width"]
    mask: Bool[Tensor, "batch tokens"]
    noise: Float[Tensor, "batch tokens width"]
    flow_time: Float[Tensor, " batch"]
    words: Float[Tensor, "batch words text_width"]
    words_mask: Bool[Tensor, "batch words"]
    pooled: Float[Tensor, "batch text_width"]
    drop_text: Bool[Tensor, " batch"]
    human: Float[Tensor, "batch tokens human_width"] | None
    intensity: Float[Tensor, " batch"] | None
    total: Float[Tensor, ""]  # clips or tokens, by which the loss is divided

    @property
    def context(self) -> FlowContext:
        text = TextFeatures(self.words, self.words_mask, self.pooled)
        return FlowContext(self.mask, text, self.drop_text, self.human, self.intensity)


@dataclass(frozen=True, eq=False)
class FlowClips:
    """Clips of one split, whitened. Pair members, if any, are the last rows."""

    latents: Ragged
    captions: EncodedCaptions
    names: tuple[str, ...]
    human_latents: Ragged | None = None
    human_of_clip: Int64[Tensor, " clips"] | None = None
    intensity: Float32[np.ndarray, " clips"] | None = None
    ordinary: int | None = None  # how many rows are no pair members; None: all

    @property
    def ordinary_rows(self) -> int:
        return len(self.latents) if self.ordinary is None else self.ordinary

    def context(
        self,
        rows: Int64[Tensor, " batch"],
        texts: Int64[Tensor, " batch"],
        mask: Bool[Tensor, "batch tokens"],
    ) -> FlowContext:
        """What a flow is told of some clips, each with one of its captions, at intensity one."""
        words = self.captions.tokens.padded(texts, self.captions.longest)
        human = None
        if self.human_latents is not None and self.human_of_clip is not None:
            human = self.human_latents.padded(self.human_of_clip[rows], mask.shape[1]).values
        return FlowContext(
            mask=mask,
            text=TextFeatures(words.values, words.mask, self.captions.pooled[texts]),
            drop_text=texts == NO_CAPTION,
            human=human,
        )


@dataclass(frozen=True, eq=False)
class _DrawnStep:
    """Everything that chance decides in one step but the noise, for the whole batch. Row i takes
    its noise from row `noise_row[i]`."""

    rows: Int64[np.ndarray, " batch"]
    captions: Int64[np.ndarray, " batch"]
    uniform: Float[np.ndarray, " batch"]
    dropped: Bool[np.ndarray, " batch"]
    noise_row: Int64[np.ndarray, " batch"]
    tokens: int
    total: float


class FlowTask:
    """The lesson of both flows and of the continuations."""

    part_names = FLOW_PARTS

    def __init__(
        self,
        recipe: Recipe,
        train: FlowClips,
        validation: FlowClips,
        world: World,
        pairs: PairOrder | None = None,
        shown: Callable[[FlowTransformer], Sequence[Shot | Clip]] | None = None,
    ) -> None:
        assert isinstance(recipe.objective, FlowMatching)
        assert (pairs is None) == (recipe.slots is None)
        self._recipe, self._objective = recipe, recipe.objective
        self._train, self._validation, self._world, self._pairs = train, validation, world, pairs
        self._shown = shown
        self._device = train.latents.values.device
        self._lengths = train.latents.lengths.cpu().numpy()  # tokens
        self._dice = torch.Generator(self._device)
        self._order = Order(
            self._lengths[: train.ordinary_rows] * STRIDE,
            recipe.schedule.batch_rows,
            recipe.seed,
            recipe.batching.pool_batches,
            recipe.batching.bucket_frames,
        )

    def batch(self, step: int) -> FlowBatch:
        drawn = self._drawn(step)
        whole = (len(drawn.rows), drawn.tokens, self._train.latents.width)
        self._dice.manual_seed(seed_for(self._recipe.seed, NOISE, step))
        # Every process draws the noise of the whole batch and keeps its share of it.
        noise = torch.randn(whole, generator=self._dice, device=self._device)
        rows, captions, uniform, dropped, noise_row = (
            self._world.share(it)
            for it in (drawn.rows, drawn.captions, drawn.uniform, drawn.dropped, drawn.noise_row)
        )
        mine = _DrawnStep(rows, captions, uniform, dropped, noise_row, drawn.tokens, drawn.total)
        own = upload(noise_row, self._device, torch.int64)
        return self._gathered(self._train, mine, noise[own])

    def names(self, step: int) -> list[str]:
        return [self._train.names[row] for row in self._drawn(step).rows]

    def loss(self, network: nn.Module, batch: FlowBatch) -> Loss:
        velocity, target = _velocities(network, batch)
        if self._objective.balance == "clip":
            return clip_balanced_loss(velocity, target, batch.mask, batch.total)
        return length_weighted_loss(velocity, target, batch.mask, batch.total)

    def validate(self, network: nn.Module) -> tuple[Measure, ...]:
        """Clip-balanced loss with words; every clip has one fixed noise and flow time."""
        clips = self._validation
        count = len(clips.latents)
        lengths = clips.latents.lengths.cpu().numpy()
        # Flow times spread evenly over the clips, in an order of their own.
        uniform = (dice_for(VALIDATION_SEED, TIME).permutation(count) + 0.5) / count
        pick = clips.captions.pick(
            np.arange(count), dice_for(VALIDATION_SEED, CAPTION).random(count)
        )
        total = torch.zeros((), device=self._device)
        for first in range(0, count, VALIDATION_ROWS):
            rows = np.arange(first, min(first + VALIDATION_ROWS, count))
            drawn = _DrawnStep(
                rows=rows,
                captions=pick[rows],
                uniform=uniform[rows],
                dropped=np.zeros(len(rows), np.bool_),
                noise_row=rows,
                tokens=int(lengths[rows].max()),
                total=float(len(rows)),
            )
            self._dice.manual_seed(seed_for(VALIDATION_SEED, NOISE, first))
            shape = (len(rows), drawn.tokens, clips.latents.width)
            noise = torch.randn(shape, generator=self._dice, device=self._device)
            batch = self._gathered(clips, drawn, noise)
            with autocast(self._device, self._recipe.precision):
                velocity, target = _velocities(network, batch)
            total += clip_errors(velocity, target, batch.mask).sum()
        return (Measure("loss", float(total) / count),)

    def show(self, network: nn.Module, path: Path) -> None:
        """A page of samples, if whoever made the lesson said how."""
        assert isinstance(network, FlowTransformer)
        if self._shown is not None:
            write_sheet(self._shown(network), path)

    def _drawn(self, step: int) -> _DrawnStep:
        ordinary = self._order.rows(step)
        seed, batch = self._recipe.seed, len(ordinary.rows)
        rows, shared = ordinary.rows.copy(), np.arange(batch)
        tokens, token_total = ordinary.frames // STRIDE, ordinary.mean_tokens
        if self._pairs is not None:
            chosen = self._pairs.at(step)
            rows[: len(chosen)] = self._train.ordinary_rows + chosen
            # The second row of a pair borrows whatever is drawn for the first.
            shared[: len(chosen)] -= np.arange(len(chosen)) % 2
            longest = int(self._lengths[rows].max()) * STRIDE
            tokens = bucket(longest, self._recipe.batching.bucket_frames, STRIDE) // STRIDE
            token_total = float(self._lengths[rows].sum())
        caption_dice = dice_for(seed, CAPTION, step).random(batch)[shared]
        captions = self._train.captions.pick(rows, caption_dice)
        dropped = dice_for(seed, DROP, step).random(batch) < self._objective.text_dropout
        uniform = dice_for(seed, TIME, step).random(batch)
        return _DrawnStep(
            rows=rows,
            captions=captions,
            uniform=with_late_share(uniform, self._objective)[shared],
            dropped=dropped[shared],
            noise_row=shared,
            tokens=tokens,
            total=float(batch) if self._objective.balance == "clip" else token_total,
        )

    def _gathered(
        self, clips: FlowClips, drawn: _DrawnStep, noise: Float[Tensor, "batch tokens width"]
    ) -> FlowBatch:
        device = self._device
        rows = upload(drawn.rows, device, torch.int64)
        latents = clips.latents.padded(rows, drawn.tokens)
        texts = upload(drawn.captions, device, torch.int64)
        told = clips.context(rows, texts, latents.mask)
        intensity = None
        if clips.intensity is not None:
            intensity = upload(clips.intensity[drawn.rows], device, torch.float32)
        uniform = upload(drawn.uniform, device, torch.float32)
        return FlowBatch(
            latents=latents.values,
            mask=latents.mask,
            noise=noise * latents.mask[..., None],
            flow_time=shifted_time(uniform, self._objective.time_shift),
            words=told.text.tokens,
            words_mask=told.text.mask,
            pooled=told.text.pooled,
            drop_text=told.drop_text | upload(drawn.dropped, device, torch.bool),
            human=told.human,
            intensity=intensity,
            total=upload(drawn.total, device, torch.float32),
        )


def with_late_share(
    uniform: Float[np.ndarray, " batch"], objective: FlowMatching
) -> Float[np.ndarray, " batch"]:
    """Uniform numbers before the shift, some of them moved to where σ is small."""
    share = objective.late_share
    if share == 0:
        return uniform
    late = uniform_time(
        torch.from_numpy(uniform / share * objective.late_sigma), objective.time_shift
    )
    return np.where(uniform < share, late.numpy(), (uniform - share) / (1 - share))


def _velocities(
    network: nn.Module, batch: FlowBatch
) -> tuple[Float[Tensor, "batch tokens width"], Float[Tensor, "batch tokens width"]]:
    """What the network says and what it should say."""
    assert isinstance(network, FlowTransformer)
    noisy = on_path(batch.latents, batch.noise, batch.flow_time)
    velocity = network(noisy, batch.flow_time, batch.context)
    return velocity.float(), target_velocity(batch.latents, batch.noise)


def train_human_flow(phase: PhaseRun) -> bool:
    recipe, material = phase.recipe, phase.material
    human = phase.folder.human_codec()
    frozen = FrozenParts(human)
    train, validation = (
        FlowClips(
            whitened(human.network, raw_human_latents(phase, human, it)),
            encode_captions(it.human_captions, material.encoder).to(phase.device),
            it.human_names,
        )
        for it in (material.train, material.validation)
    )
    flow, before = started(lambda: _flow(recipe), phase), material.human_flow
    if before is not None:
        require_fitting_shape(recipe, before, phase.out)
        flow.load_state_dict(before.network.state_dict())
    seen = material.validation
    captions = [(texts or ("",))[0] for texts in seen.human_captions[:SHOWN]]
    frames = seen.humans.lengths[:SHOWN].tolist()

    def shown(network: FlowTransformer) -> Sequence[Clip]:
        return sample_clips(
            SampleDecoders(human.network), network, material.encoder, captions, frames
        )

    lesson = FlowTask(recipe, train, validation, phase.world, shown=shown)
    parts = (human,) if before is None else (human, before)
    outcome = learned(phase, lesson, flow, parts)
    frozen.require_unchanged()
    if outcome.finished:
        notes = notes_of(phase, outcome)
        if before is not None:
            notes["continued"] = before.card.identity
        write_part(phase, new_part("human-flow", flow, (human,), material.encoder, notes))
    return outcome.finished


def train_camera_flow(phase: PhaseRun) -> bool:
    recipe, material = phase.recipe, phase.material
    human = phase.folder.human_codec()
    codecs = human, phase.folder.camera_codec(human)
    frozen = FrozenParts(*codecs)
    pairs = material.pairs if recipe.slots is not None else None
    train = camera_clips(phase, codecs, material.train, pairs)
    validation = camera_clips(phase, codecs, material.validation, None)
    order = None
    if recipe.slots is not None:
        assert pairs is not None
        order = PairOrder(recipe.slots, pairs, recipe.schedule.steps, recipe.seed)
    flow, before = flow_to_train(phase, codecs)
    shown = shown_shots(phase, codecs)
    lesson = FlowTask(recipe, train, validation, phase.world, order, shown)
    outcome = learned(phase, lesson, flow, parts=(*codecs, *before))
    frozen.require_unchanged()
    if outcome.finished:
        if recipe.straight is not None:
            assert flow.intensity is not None
            flow.intensity.straighten(recipe.straight.below, recipe.straight.above)
        notes = notes_of(phase, outcome)
        write_part(phase, new_part("camera-flow", flow, codecs, material.encoder, notes))
    return outcome.finished


def shown_shots(
    phase: PhaseRun, codecs: tuple[Part[HumanCodec], Part[CameraCodec]]
) -> Callable[[FlowTransformer], Sequence[Shot]]:
    """What is drawn of a camera flow in training: the first validation shots, filmed by it."""
    both = SampleDecoders(codecs[0].network, codecs[1].network)
    footage, encoder = phase.material.validation, phase.material.encoder
    shots = min(SHOWN, len(footage.cameras))
    return lambda network: sample_shots(both, network, encoder, footage, shots)


def flow_to_train(
    phase: PhaseRun, codecs: tuple[Part[HumanCodec], Part[CameraCodec]]
) -> tuple[FlowTransformer, tuple[Part[FlowTransformer], ...]]:
    """A new flow, or for continuations the averaged weights of the phase before."""
    recipe = phase.recipe
    match recipe.phase:
        case "camera-flow-dpa":
            source: Phase = "camera-flow"
        case "camera-flow-ipa":
            source = "camera-flow-dpa"
        case "camera-flow-echo":
            source = "camera-flow-ipa"
        case _:
            return started(lambda: _flow(recipe), phase), ()
    before = phase.folder.camera_flow(source, codecs, phase.material.encoder)
    require_fitting_shape(recipe, before, weights_path(phase.folder.path, source))
    flow = started(lambda: _flow(recipe), phase)
    flow.load_state_dict(before.network.state_dict())
    return flow, (before,)


def camera_clips(
    phase: PhaseRun,
    codecs: tuple[Part[HumanCodec], Part[CameraCodec]],
    footage: Footage,
    pairs: PairSet | None,
) -> FlowClips:
    """Shots as whitened latents; pair members follow as rows of their own."""
    human, camera = codecs
    cameras, captions = footage.cameras, footage.camera_captions
    names, human_of_clip = footage.shot_names, footage.human_of_shot
    intensity = np.ones(len(cameras), np.float32)
    if pairs is not None:
        both = [member for pair in pairs.pairs for member in (pair.first, pair.second)]
        cameras = _joined(cameras, ragged_from_clips([member.camera for member in both]))
        captions = (*captions, *(member.captions for member in both))
        names = (*names, *(pair.name for pair in pairs.pairs for _ in range(2)))
        human_of_clip = torch.cat([human_of_clip, _humans_of_pairs(footage, pairs)])
        asked = np.array([member.intensity for member in both], np.float32)
        intensity = np.concatenate([intensity, asked])
    standard = standard_cameras(cameras.to(phase.device), camera.network.statistics)
    learns_intensity = phase.recipe.optimiser.intensity_learning_rate is not None
    return FlowClips(
        latents=whitened(camera.network, encode_all(camera.network, standard)),
        captions=encode_captions(captions, phase.material.encoder).to(phase.device),
        names=names,
        human_latents=_seen_humans(phase, human, footage),
        human_of_clip=human_of_clip.to(phase.device),
        intensity=intensity if learns_intensity else None,
        ordinary=len(footage.cameras),
    )


def _seen_humans(phase: PhaseRun, human: Part[HumanCodec], footage: Footage) -> Ragged:
    """Everything that the camera flow reads of every window."""
    shape = phase.recipe.network
    assert isinstance(shape, VelocityShape)
    latents = whitened(human.network, raw_human_latents(phase, human, footage))
    places = stands(footage.humans.to(phase.device))
    return Ragged(seen_human(shape, latents.values, places.values), latents.starts)


def _humans_of_pairs(footage: Footage, pairs: PairSet) -> Int64[Tensor, " members"]:
    row_of = {name: row for row, name in enumerate(footage.human_names)}
    rows: list[int] = []
    for pair in pairs.pairs:
        row = row_of.get(pair.human_name)
        if row is None or int(footage.humans.lengths[row]) != len(pair.first.camera):
            raise TrainingError(
                f"The pair {pair.name} films {pair.human_name}, which the training split does not "
                "hold with that length.",
                "Build the pairs from the same store.",
            )
        rows += [row, row]
    return torch.tensor(rows, dtype=torch.int64)


def _joined(first: Ragged, second: Ragged) -> Ragged:
    starts = torch.cat([first.starts, second.starts[1:] + first.starts[-1]])
    return Ragged(torch.cat([first.values, second.values.to(first.values)]), starts)


def _flow(recipe: Recipe) -> FlowTransformer:
    assert isinstance(recipe.network, VelocityShape)
    return FlowTransformer(recipe.network)
