"""The last camera phase: the flow is taught intensity by its own shots."""

import logging
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import torch
from jaxtyping import Bool, Float, Float16, Float32, Int64
from torch import Tensor, nn

from aesop.core.linear_products import torch_alone
from aesop.flow.guided_sampling import sample_states
from aesop.flow.solvers import PRESETS
from aesop.models.codec import STRIDE, CameraCodec, HumanCodec, token_mask
from aesop.models.velocity import FlowContext, FlowTransformer, with_and_without_text
from aesop.pairs.intensity_gates import ReachGates, stretched
from aesop.pairs.shot_arrays import Stock, film_of
from aesop.scene.shot import Shot
from aesop.training.batch_order import CAPTION, LABEL, NOISE, TIME, dice_for, order_of, seed_for
from aesop.training.flow_phases import (
    VALIDATION_ROWS,
    VALIDATION_SEED,
    FlowClips,
    FlowTask,
    camera_clips,
    flow_to_train,
    shown_shots,
)
from aesop.training.footage import Footage, padded_places, upload
from aesop.training.losses import Loss, clip_errors
from aesop.training.recipes import SelfDistillation, SelfDistilledFlowRecipe
from aesop.training.run_folder import PhaseRun, learned, write_part
from aesop.training.run_record import Measure
from aesop.training.step import World, autocast

log = logging.getLogger(__name__)

_SHOTS_AT_ONCE = 256
_PRESET = PRESETS["fast"]  # at whose times the states are kept


@dataclass(frozen=True, eq=False)
class OwnShots:
    """Shot e has the tokens starts[e] … starts[e + 1] − 1. `states` are those of the guided flow at
    intensity one, from noise to latents; `shifts` say what each of its labels adds at the end."""

    states: Float16[Tensor, "times all_tokens width"]
    flow_times: Float[Tensor, " times"]
    shifts: Float16[Tensor, "labels all_tokens width"]
    labels: Float[Tensor, "labels shots"]
    starts: Int64[Tensor, " shots_and_one"]
    clips: Int64[np.ndarray, " shots"]  # rows of the footage
    captions: Int64[np.ndarray, " shots"]

    def __len__(self) -> int:
        return len(self.clips)

    @property
    def tokens(self) -> Int64[np.ndarray, " shots"]:
        return self.starts.diff().cpu().numpy()


@dataclass(frozen=True, eq=False)
class Teacher:
    """A flow with everything it needs to film the footage."""

    flow: FlowTransformer
    human: HumanCodec
    camera: CameraCodec
    clips: FlowClips
    footage: Footage
    settings: SelfDistillation
    seed: int

    @property
    def device(self) -> torch.device:
        return self.clips.latents.values.device


@dataclass(frozen=True, eq=False)
class _Filmed:
    """Shots of one batch, as the flow makes them."""

    states: Float16[Tensor, "times batch tokens width"]
    stock: Stock
    mask: Bool[Tensor, "batch frames"]
    labels: Float32[np.ndarray, "labels batch"]


@torch.no_grad()
def film_own_shots(teacher: Teacher) -> OwnShots:
    """Film some of the footage and scale what was filmed. The geometry is done by threads while the
    flow goes on."""
    clips, captions = _chosen(teacher)
    log.info("filming %d shots to learn intensity from", len(clips))
    filmed: list[_Filmed] = []
    with ThreadPoolExecutor() as pool:
        waiting = []
        for first in range(0, len(clips), _SHOTS_AT_ONCE):
            batch = slice(first, first + _SHOTS_AT_ONCE)
            one = _film(teacher, clips[batch], captions[batch], first)
            filmed.append(one)
            waiting.append(pool.submit(_scaled, one, teacher.settings.gates))
        shifts = [
            _shifts(teacher, one, done.result()) for one, done in zip(filmed, waiting, strict=True)
        ]
    real = [token_mask(one.mask) for one in filmed]
    counts = torch.cat([mask.sum(1) for mask in real])
    return OwnShots(
        states=torch.cat([one.states[:, keep] for one, keep in zip(filmed, real, strict=True)], 1),
        flow_times=_PRESET.times.to(teacher.device, torch.float32),
        shifts=torch.cat([it[:, keep] for it, keep in zip(shifts, real, strict=True)], 1),
        labels=torch.from_numpy(np.concatenate([it.labels for it in filmed], 1)).to(teacher.device),
        starts=torch.cat([counts.new_zeros(1), counts.cumsum(0)]),
        clips=clips,
        captions=captions,
    )


def _chosen(teacher: Teacher) -> tuple[Int64[np.ndarray, " shots"], Int64[np.ndarray, " shots"]]:
    """Shots of the footage whose words are filmed anew, shortest first, and one of their captions.
    Fewer shots than asked for are taken as they are."""
    every, dice = teacher.clips.ordinary_rows, dice_for(teacher.seed, CAPTION)
    clips = dice.permutation(every)[: teacher.settings.shots]
    lengths = teacher.footage.cameras.lengths.cpu().numpy()
    clips = clips[np.argsort(lengths[clips], kind="stable")]
    return clips, teacher.clips.captions.pick(clips, dice.random(len(clips)))


def _film(
    teacher: Teacher,
    rows: Int64[np.ndarray, " batch"],
    captions: Int64[np.ndarray, " batch"],
    number: int,
) -> _Filmed:
    device, footage = teacher.device, teacher.footage
    windows = footage.human_of_shot[torch.from_numpy(rows)].to(footage.humans.starts.device)
    frames = int(footage.humans.lengths[windows].max())
    people = footage.humans.padded(windows, -(-frames // STRIDE) * STRIDE)
    mask = people.mask.to(device)
    tokens = token_mask(mask)
    shown, texts = (upload(it, device, torch.int64) for it in (rows, captions))
    context = teacher.clips.context(shown, texts, tokens)
    dice = torch.Generator(device).manual_seed(seed_for(teacher.seed, NOISE, number))
    shape = (*tokens.shape, teacher.flow.shape.latent)
    noise = torch.randn(shape, generator=dice, device=device) * tokens[..., None]
    guidance = torch.full((len(rows),), teacher.settings.guidance, device=device)
    states = sample_states(teacher.flow, context, noise, _PRESET, guidance)
    assert context.human is not None
    people_latents = context.human[..., : teacher.flow.shape.human]
    raw = teacher.human.whitening.inverse(people_latents, tokens)
    camera = teacher.camera.from_latents(states[-1], raw, mask)
    stock = Stock(
        lengths=mask.sum(1).cpu().numpy(),
        window=np.arange(len(rows)),
        human=people.values.cpu().numpy(),
        camera=camera.cpu().numpy(),
    )
    labels = _labels(teacher.settings, dice_for(teacher.seed, LABEL, number), len(rows))
    return _Filmed(torch.stack(states).half(), stock, mask, labels)


def _labels(
    settings: SelfDistillation, dice: np.random.Generator, shots: int
) -> Float32[np.ndarray, "labels shots"]:
    """Evenly below and above one, each in a stretch of its own."""
    count, below, above = settings.labels, settings.weakest - 1, settings.strongest - 1
    share = (np.arange(count)[:, None] + dice.random((2, count, shots))) / count
    return (1 + np.concatenate([below * share[0], above * share[1]])).astype(np.float32)


def _scaled(
    filmed: _Filmed, gates: ReachGates
) -> Float32[np.ndarray, "labels_and_one clips frames 14"]:
    """The shots at intensity one, and at their labels."""
    labels, stock = filmed.labels, filmed.stock
    every = np.concatenate([np.ones_like(labels[:1]), labels]).astype(np.float64)
    return stretched(film_of(stock), stock.camera, every, gates)


def _shifts(
    teacher: Teacher,
    filmed: _Filmed,
    features: Float32[np.ndarray, "labels_and_one clips frames 14"],
) -> Float16[Tensor, "labels clips tokens width"]:
    """What the labels add to the shots' latents. Sampled latents are not quite what the codec makes
    of the shot they stand for, so both ends are taken from the codec."""
    own, *others = (
        teacher.camera.to_latents(torch.from_numpy(feature).to(teacher.device), filmed.mask)
        for feature in features
    )
    return torch.stack([(other - own).half() for other in others])


@dataclass(frozen=True, eq=False)
class SelfDistillationBatch:
    """States of the teacher's way, and what the asked intensities add to where it ends."""

    states: Float[Tensor, "batch tokens width"]
    shifts: Float[Tensor, "batch tokens width"]
    flow_time: Float[Tensor, " batch"]
    intensity: Float[Tensor, " batch"]
    context: FlowContext  # with the teacher's intensity, one
    total: Float[Tensor, ""]  # clips, by which the loss is divided


@dataclass(frozen=True, eq=False)
class _DrawnLabels:
    """What chance decides for some shots: `place` counts the teacher's steps, from noise."""

    shots: Int64[np.ndarray, " batch"]
    place: Float[np.ndarray, " batch"]
    label: Int64[np.ndarray, " batch"]
    is_plain: Bool[np.ndarray, " batch"]


def shift_share(
    flow_time: Float[Tensor, " batch"], settings: SelfDistillation
) -> tuple[Float[Tensor, " batch"], Float[Tensor, " batch"]]:
    """How much of the change is there at a flow time, and its derivative by it."""
    width = settings.begins - settings.ends
    done = ((settings.begins - flow_time) / width).clamp(0, 1)
    return done.square() * (3 - 2 * done), -6 * done * (1 - done) / width


class SelfDistillationTask:
    """The flow's own shots with more and less travel, asked for by their intensities."""

    part_names = ("guided", "apart")

    def __init__(
        self,
        recipe: SelfDistilledFlowRecipe,
        teacher: FlowTransformer,
        train: tuple[FlowClips, OwnShots],
        validation: tuple[FlowClips, OwnShots],
        world: World,
        shown: Callable[[FlowTransformer], Sequence[Shot]] | None = None,
    ) -> None:
        self._recipe, self._settings, self._teacher = recipe, recipe.self_distillation, teacher
        self._train, self._validation, self._world = train, validation, world
        self._device = train[1].states.device
        clips = validation[0]
        self._plain = FlowTask(recipe, clips, clips, world, shown=shown)
        self._order = order_of(train[1].tokens * STRIDE, recipe)
        times = train[1].flow_times.cpu().numpy()
        self._steps = len(times) - 1
        self._late_from = float((times > self._settings.begins).sum() - 1)

    def batch(self, step: int) -> SelfDistillationBatch:
        ordered = self._order.rows(step)
        drawn = self._drawn(ordered.rows, self._recipe.seed, step)
        every = drawn.shots, drawn.place, drawn.label, drawn.is_plain
        mine = _DrawnLabels(*(self._world.share(it) for it in every))
        tokens = -(-ordered.frames // STRIDE)
        return self._gathered(self._train, mine, tokens, len(ordered.rows))

    def names(self, step: int) -> list[str]:
        clips, own = self._train
        return [clips.names[row] for row in own.clips[self._order.rows(step).rows]]

    # Teacher and pupil by one library: where both know the same they agree to the last bit.
    @torch_alone()
    def loss(self, network: nn.Module, batch: SelfDistillationBatch) -> Loss:
        """Squared error of the guided velocity, which is what sampling follows, and of its two
        parts, so that other guidances go on to work."""
        assert isinstance(network, FlowTransformer)
        share, change = (it[:, None, None] for it in shift_share(batch.flow_time, self._settings))
        times = batch.flow_time.repeat(2)
        with torch.no_grad():
            both = with_and_without_text(batch.context)
            taught = self._teacher(batch.states.repeat(2, 1, 1), times, both).float()
            wanted = taught + (change * batch.shifts).repeat(2, 1, 1)
        asked = replace(both, intensity=batch.intensity.repeat(2))
        there = (batch.states + share * batch.shifts).repeat(2, 1, 1)
        error = network(there, times, asked).float() - wanted
        with_words, without = error.chunk(2)
        guided = without + self._settings.guidance * (with_words - without)
        nothing = torch.zeros_like(guided)
        apart = (
            clip_errors(error, torch.zeros_like(error), batch.context.mask.repeat(2, 1)).sum() / 2
        )
        parts = torch.stack(
            [clip_errors(guided, nothing, batch.context.mask).sum(), self._settings.apart * apart]
        )
        return Loss(parts.sum() / batch.total, parts.detach() / batch.total)

    def validate(self, network: nn.Module) -> tuple[Measure, ...]:
        """The flow's own loss at intensity one; then this task's on shots of other people, at
        their labels and at one, where the pupil should not have changed."""
        return (
            *self._plain.validate(network),
            Measure("self_distillation", self._validated(network, is_plain=False)),
            Measure("at_one", self._validated(network, is_plain=True)),
        )

    def _validated(self, network: nn.Module, *, is_plain: bool) -> float:
        own = self._validation[1]
        drawn = self._drawn(np.arange(len(own)), VALIDATION_SEED, 0)
        total = torch.zeros((), device=self._device)
        for first in range(0, len(own), VALIDATION_ROWS):
            rows = slice(first, first + VALIDATION_ROWS)
            shots = drawn.shots[rows]
            same = np.full(len(shots), is_plain)
            some = _DrawnLabels(shots, drawn.place[rows], drawn.label[rows], same)
            longest = int(own.tokens[shots].max())
            batch = self._gathered(self._validation, some, longest, len(own))
            with autocast(self._device, self._recipe.precision):
                total += self.loss(network, batch).total
        return float(total)

    def show(self, network: nn.Module, path: Path) -> None:
        """A page of samples at intensity one."""
        self._plain.show(network, path)

    def _drawn(self, shots: Int64[np.ndarray, " batch"], seed: int, step: int) -> _DrawnLabels:
        times, labels, count = dice_for(seed, TIME, step), dice_for(seed, LABEL, step), len(shots)
        first = np.where(times.random(count) < self._settings.late, self._late_from, 0.0)
        return _DrawnLabels(
            shots=shots,
            place=first + times.random(count) * (self._steps - first),
            label=labels.integers(2 * self._settings.labels, size=count),
            is_plain=labels.random(count) < self._settings.plain,
        )

    def _gathered(
        self, source: tuple[FlowClips, OwnShots], drawn: _DrawnLabels, tokens: int, total: int
    ) -> SelfDistillationBatch:
        clips, own = source
        device, whole = self._device, np.floor(drawn.place).astype(np.int64)
        shots, step, label = (
            upload(it, device, torch.int64) for it in (drawn.shots, whole, drawn.label)
        )
        within = upload(drawn.place - whole, device, torch.float32)
        moved = ~upload(drawn.is_plain, device, torch.bool)
        places, mask = padded_places(own.starts, shots, tokens)
        real = mask[..., None]
        before, after = (own.states[at[:, None], places].float() for at in (step, step + 1))
        rows, texts = (
            upload(it[drawn.shots], device, torch.int64) for it in (own.clips, own.captions)
        )
        return SelfDistillationBatch(
            states=torch.lerp(before, after, within[:, None, None]) * real,
            shifts=own.shifts[label[:, None], places].float() * (real & moved[:, None, None]),
            flow_time=torch.lerp(own.flow_times[step], own.flow_times[step + 1], within),
            intensity=torch.where(moved, own.labels[label, shots], 1.0),
            context=clips.context(rows, texts, mask),
            total=upload(float(total), device, torch.float32),
        )


def train_self_distillation(phase: PhaseRun[SelfDistilledFlowRecipe]) -> bool:
    recipe, material = phase.recipe, phase.material
    human = phase.folder.human_codec()
    codecs = human, phase.folder.camera_codec(human)
    flow, (before,) = flow_to_train(phase, codecs)
    assert flow.intensity is not None
    flow.intensity.forget()
    network = before.network.eval().requires_grad_(False)
    few = replace(recipe.self_distillation, shots=recipe.watch.validation_clips)
    train, validation = (
        Teacher(
            network,
            human.network,
            codecs[1].network,
            camera_clips(phase, codecs, footage, None),
            footage,
            settings,
            recipe.seed,
        )
        for footage, settings in (
            (material.train, recipe.self_distillation),
            (material.validation, few),
        )
    )
    task = SelfDistillationTask(
        recipe,
        network,
        (train.clips, film_own_shots(train)),
        (validation.clips, film_own_shots(validation)),
        phase.world,
        shown_shots(phase, codecs),
    )
    outcome = learned(phase, task, flow, (*codecs, before))
    if outcome.finished:
        flow.intensity.shorten(recipe.self_distillation.above)
        write_part(phase, outcome, flow, codecs)
    return outcome.finished
