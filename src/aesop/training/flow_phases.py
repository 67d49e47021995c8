"""Stage 2: the human flow, the camera flow, and its two continuations with control pairs."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import torch
from jaxtyping import Bool, Float, Float32, Int64
from torch import Tensor, nn

from aesop.flow.path import on_path, shifted_time, target_velocity, uniform_time
from aesop.models.codec import STRIDE, CameraCodec, HumanCodec
from aesop.models.velocity import FlowContext, FlowTransformer, human_condition
from aesop.models.weights import Part, load_camera_flow, load_human_flow
from aesop.pairs.pair_files import PairSet
from aesop.scene.human import Clip
from aesop.scene.shot import Shot
from aesop.text.encoder import TextFeatures
from aesop.training.batch_order import (
    CAPTION,
    DROP,
    NOISE,
    TIME,
    PairOrder,
    bucket,
    dice_for,
    order_of,
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
from aesop.training.losses import FLOW_PARTS, Loss, clip_errors, flow_loss
from aesop.training.recipes import (
    FlowMatching,
    FlowRecipe,
    PairedFlowRecipe,
    SelfDistilledFlowRecipe,
    TrainingError,
)
from aesop.training.run_folder import (
    PhaseRun,
    learned,
    raw_human_latents,
    require_fitting_shape,
    started,
    weights_path,
    write_part,
)
from aesop.training.run_record import Measure
from aesop.training.samples import SHOWN, sample_clips, sample_shots, write_sheet
from aesop.training.step import World, autocast

Codecs = tuple[Part[HumanCodec], Part[CameraCodec]]
FlowRun = PhaseRun[FlowRecipe] | PhaseRun[PairedFlowRecipe] | PhaseRun[SelfDistilledFlowRecipe]

VALIDATION_SEED = 20_000_003  # no recipe's seed: validation always meets the same noise
VALIDATION_ROWS = 128  # whatever the recipe's batch, so that curves can be compared


@dataclass(frozen=True, eq=False)
class FlowBatch:
    """Clean latents and everything that is drawn for them."""

    latents: Float[Tensor, "batch tokens width"]
    noise: Float[Tensor, "batch tokens width"]
    flow_time: Float[Tensor, " batch"]
    context: FlowContext
    total: Float[Tensor, ""]  # clips or tokens, by which the loss is divided


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
    kinds: tuple[str, ...] = ()  # of every row, as the footage tells them

    @property
    def ordinary_rows(self) -> int:
        return len(self.latents) if self.ordinary is None else self.ordinary

    def context(
        self,
        rows: Int64[Tensor, " batch"],
        texts: Int64[Tensor, " batch"],
        mask: Bool[Tensor, "batch tokens"],
    ) -> FlowContext:
        """What a flow reads of some clips, each with one of its captions, at intensity one."""
        human = None
        if self.human_latents is not None and self.human_of_clip is not None:
            human = self.human_latents.padded(self.human_of_clip[rows], mask.shape[1]).values
        return read_of_clips(self.captions, texts, mask, human)


def read_of_clips(
    captions: EncodedCaptions,
    texts: Int64[Tensor, " batch"],
    mask: Bool[Tensor, "batch tokens"],
    human: Float[Tensor, "batch tokens human_width"] | None,
) -> FlowContext:
    """What a flow reads of some clips, each with one text, at intensity one."""
    words = captions.tokens.padded(texts, captions.longest)
    return FlowContext(
        mask=mask,
        text=TextFeatures(words.values, words.mask, captions.pooled[texts]),
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
    """Flow matching, of both flows and of the continuations with pairs."""

    part_names = FLOW_PARTS

    def __init__(
        self,
        recipe: FlowRecipe,
        train: FlowClips,
        validation: FlowClips,
        world: World,
        pairs: PairOrder | None = None,
        shown: Callable[[FlowTransformer], Sequence[Shot | Clip]] | None = None,
    ) -> None:
        self._recipe, self._objective = recipe, recipe.objective
        self._train, self._validation, self._world, self._pairs = train, validation, world, pairs
        self._shown = shown
        self._device = train.latents.values.device
        self._lengths = train.latents.lengths.cpu().numpy()  # tokens
        self._dice = torch.Generator(self._device)
        self._order = order_of(self._lengths[: train.ordinary_rows] * STRIDE, recipe)

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
        balance = self._objective.balance
        return flow_loss(velocity, target, batch.context.mask, batch.total, balance)

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
        errors: list[Tensor] = []
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
            errors.append(clip_errors(velocity, target, batch.context.mask))
        return _by_kind(torch.cat(errors), clips.kinds)

    def show(self, network: nn.Module, path: Path) -> None:
        """A page of samples, if whoever made the task gave a way to make them."""
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
        context = clips.context(rows, texts, latents.mask)
        dropped = context.drop_text | upload(drawn.dropped, device, torch.bool)
        intensity = None
        if clips.intensity is not None:
            intensity = upload(clips.intensity[drawn.rows], device, torch.float32)
        uniform = upload(drawn.uniform, device, torch.float32)
        return FlowBatch(
            latents=latents.values,
            noise=noise * latents.mask[..., None],
            flow_time=shifted_time(uniform, self._objective.time_shift),
            context=replace(context, drop_text=dropped, intensity=intensity),
            total=upload(drawn.total, device, torch.float32),
        )


def _by_kind(errors: Float[Tensor, " clips"], kinds: Sequence[str]) -> tuple[Measure, ...]:
    """The mean of all clips, then that of every kind where there are several."""
    every = errors.double().cpu().numpy()
    known = np.array(kinds)
    return (
        Measure("loss", float(every.mean())),
        *(
            Measure(f"loss_{kind}", float(every[known == kind].mean()))
            for kind in dict.fromkeys(kinds)
        ),
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


def train_human_flow(phase: PhaseRun[FlowRecipe]) -> bool:
    recipe, material = phase.recipe, phase.material
    human = phase.folder.human_codec()
    train, validation = (
        FlowClips(
            whitened(human.network, raw_human_latents(phase, human, it)),
            encode_captions(it.human_captions, material.encoder).to(phase.device),
            it.human_names,
        )
        for it in (material.train, material.validation)
    )
    flow, start = started(lambda: FlowTransformer(recipe.network), phase), material.start_of(recipe)
    before = None
    if start is not None:
        before = load_human_flow(start, human, material.encoder, phase.device)
        require_fitting_shape(recipe, before, start)
        flow.load_state_dict(before.network.state_dict())
    footage = material.validation
    captions = [(texts or ("",))[0] for texts in footage.human_captions[:SHOWN]]
    frames = footage.humans.lengths[:SHOWN].tolist()

    def shown(network: FlowTransformer) -> Sequence[Clip]:
        return sample_clips(human.network, network, material.encoder, captions, frames)

    task = FlowTask(recipe, train, validation, phase.world, shown=shown)
    outcome = learned(phase, task, flow, (human,) if before is None else (human, before))
    if outcome.finished:
        write_part(phase, outcome, flow, (human,))
    return outcome.finished


def train_camera_flow(phase: PhaseRun[FlowRecipe]) -> bool:
    recipe, material = phase.recipe, phase.material
    human = phase.folder.human_codec()
    codecs = human, phase.folder.camera_codec(human)
    pairs = order = None
    if isinstance(recipe, PairedFlowRecipe):
        pairs = material.pairs
        assert pairs is not None
        order = PairOrder(recipe.slots, pairs, recipe.schedule.steps, recipe.seed)
    train = camera_clips(phase, codecs, material.train, pairs)
    validation = camera_clips(phase, codecs, material.validation, None)
    flow, before = flow_to_train(phase, codecs)
    shown = shown_shots(phase, codecs)
    task = FlowTask(recipe, train, validation, phase.world, order, shown)
    outcome = learned(phase, task, flow, (*codecs, *before))
    if outcome.finished:
        if isinstance(recipe, PairedFlowRecipe) and recipe.straight is not None:
            assert flow.intensity is not None
            flow.intensity.straighten(recipe.straight.below, recipe.straight.above)
        write_part(phase, outcome, flow, codecs)
    return outcome.finished


def shown_shots(phase: FlowRun, codecs: Codecs) -> Callable[[FlowTransformer], Sequence[Shot]]:
    """What is drawn of a camera flow in training: the first validation shots, filmed by it."""
    networks = codecs[0].network, codecs[1].network
    footage, encoder = phase.material.validation, phase.material.encoder
    shots = min(SHOWN, len(footage.cameras))
    return lambda network: sample_shots(networks, network, encoder, footage, shots)


def flow_to_train(
    phase: FlowRun, codecs: Codecs
) -> tuple[FlowTransformer, tuple[Part[FlowTransformer], ...]]:
    """A new flow, or the averaged weights that were given or that the phase before left."""
    recipe, source = phase.recipe, phase.recipe.continues
    flow, path = started(lambda: FlowTransformer(recipe.network), phase), None
    if source is not None:
        path = weights_path(phase.folder.path, source)
    path = phase.material.start_of(recipe) or path
    if path is None:
        return flow, ()
    before = load_camera_flow(path, codecs, phase.material.encoder, phase.device)
    require_fitting_shape(recipe, before, path)
    flow.load_state_dict(before.network.state_dict())
    return flow, (before,)


def camera_clips(
    phase: FlowRun, codecs: Codecs, footage: Footage, pairs: PairSet | None
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
    people = whitened(human.network, raw_human_latents(phase, human, footage))
    stood = stands(footage.humans.to(phase.device)).values
    learns_intensity = phase.recipe.optimiser.intensity_learning_rate is not None
    return FlowClips(
        latents=whitened(camera.network, encode_all(camera.network, standard)),
        captions=encode_captions(captions, phase.material.encoder).to(phase.device),
        names=names,
        human_latents=Ragged(
            human_condition(phase.recipe.network, people.values, stood), people.starts
        ),
        human_of_clip=human_of_clip.to(phase.device),
        intensity=intensity if learns_intensity else None,
        ordinary=len(footage.cameras),
        kinds=footage.shot_kinds,
    )


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
