"""The last camera phase: the flow is taught intensity by its own shots."""

import logging
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import torch
from jaxtyping import Bool, Float, Float16, Float32, Int64
from torch import Tensor, nn

from aesop.flow.guidance import guided
from aesop.flow.solvers import PRESETS
from aesop.models.codec import STRIDE, CameraCodec, HumanCodec, token_mask
from aesop.models.stepping import Stepper
from aesop.models.velocity import FlowContext, FlowTransformer, with_and_without_text
from aesop.models.weights import new_part
from aesop.pairs.intensity_gates import ReachGates, stretched
from aesop.pairs.shot_arrays import Stock, film_of
from aesop.scene.shot import Shot
from aesop.text.encoder import TextFeatures
from aesop.training.batch_order import CAPTION, LABEL, NOISE, TIME, Order, dice_for, seed_for
from aesop.training.flow_phases import (
    VALIDATION_ROWS,
    VALIDATION_SEED,
    FlowClips,
    FlowTask,
    camera_clips,
    flow_to_train,
    shown_shots,
)
from aesop.training.footage import Footage, upload
from aesop.training.losses import Loss, clip_errors
from aesop.training.recipes import Recipe, SelfDistillation
from aesop.training.run_folder import FrozenParts, PhaseRun, learned, notes_of, write_part
from aesop.training.run_record import Measure
from aesop.training.step import World, autocast

log = logging.getLogger(__name__)

_SHOTS_AT_ONCE = 256
_PRESET = PRESETS["fast"]  # by which the states on the way are told


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

    def places(
        self, shots: Int64[Tensor, " batch"], tokens: int
    ) -> tuple[Int64[Tensor, "batch tokens"], Bool[Tensor, "batch tokens"]]:
        """Where the tokens of some shots lie, padded, and which are real."""
        first, place = self.starts[shots][:, None], torch.arange(tokens, device=shots.device)
        real = place < self.starts[shots + 1][:, None] - first
        return torch.where(real, first + place, 0), real


@dataclass(frozen=True, eq=False)
class Maker:
    """A flow with everything it needs to film the footage."""

    flow: FlowTransformer
    human: HumanCodec
    camera: CameraCodec
    clips: FlowClips
    footage: Footage
    echo: SelfDistillation
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
def make_echoes(maker: Maker) -> OwnShots:
    """Film some of the footage and scale what was filmed. The geometry is done by threads while the
    flow goes on."""
    clips, captions = _chosen(maker)
    log.info("filming %d shots to learn intensity from", len(clips))
    filmed: list[_Filmed] = []
    with ThreadPoolExecutor() as pool:
        waiting = []
        for batch in _batches(len(clips)):
            one = _film(maker, clips[batch], captions[batch], batch.start)
            filmed.append(one)
            waiting.append(pool.submit(_scaled, one.stock, one.labels, maker.echo.gates))
        shifts = [
            _shifts(maker, one, done.result()) for one, done in zip(filmed, waiting, strict=True)
        ]
    real = [token_mask(one.mask) for one in filmed]
    counts = torch.cat([mask.sum(1) for mask in real])
    return OwnShots(
        states=torch.cat([one.states[:, keep] for one, keep in zip(filmed, real, strict=True)], 1),
        flow_times=_PRESET.times.to(maker.device, torch.float32),
        shifts=torch.cat([it[:, keep] for it, keep in zip(shifts, real, strict=True)], 1),
        labels=torch.from_numpy(np.concatenate([it.labels for it in filmed], 1)).to(maker.device),
        starts=torch.cat([counts.new_zeros(1), counts.cumsum(0)]),
        clips=clips,
        captions=captions,
    )


def _chosen(maker: Maker) -> tuple[Int64[np.ndarray, " shots"], Int64[np.ndarray, " shots"]]:
    """Shots of the footage whose words are filmed anew, shortest first, and one of their captions.
    Fewer shots than asked for are taken as they are."""
    every, dice = maker.clips.ordinary_rows, dice_for(maker.seed, CAPTION)
    clips = dice.permutation(every)[: maker.echo.shots]
    lengths = maker.footage.cameras.lengths.cpu().numpy()
    clips = clips[np.argsort(lengths[clips], kind="stable")]
    return clips, maker.clips.captions.pick(clips, dice.random(len(clips)))


def _batches(shots: int) -> Iterator[slice]:
    for first in range(0, shots, _SHOTS_AT_ONCE):
        yield slice(first, min(first + _SHOTS_AT_ONCE, shots))


def _film(
    maker: Maker,
    rows: Int64[np.ndarray, " batch"],
    captions: Int64[np.ndarray, " batch"],
    number: int,
) -> _Filmed:
    device, footage = maker.device, maker.footage
    windows = footage.human_of_shot[torch.from_numpy(rows)].to(footage.humans.starts.device)
    frames = int(footage.humans.lengths[windows].max())
    people = footage.humans.padded(windows, -(-frames // STRIDE) * STRIDE)
    mask = people.mask.to(device)
    tokens = token_mask(mask)
    shown, texts = (upload(it, device, torch.int64) for it in (rows, captions))
    context = maker.clips.context(shown, texts, tokens)
    dice = torch.Generator(device).manual_seed(seed_for(maker.seed, NOISE, number))
    shape = (*tokens.shape, maker.flow.shape.latent)
    noise = torch.randn(shape, generator=dice, device=device) * tokens[..., None]
    states = _on_the_way(maker, context, noise)
    assert context.human is not None
    people_latents = context.human[..., : maker.flow.shape.human]
    raw = maker.human.whitening.inverse(people_latents, tokens)
    camera = maker.camera.from_latents(states[-1], raw, mask)
    stock = Stock(
        lengths=mask.sum(1).cpu().numpy(),
        window=np.arange(len(rows)),
        human=people.values.cpu().numpy(),
        camera=camera.cpu().numpy(),
    )
    labels = _labels(maker.echo, dice_for(maker.seed, LABEL, number), len(rows))
    return _Filmed(torch.stack(states).half(), stock, mask, labels)


def _on_the_way(
    maker: Maker, context: FlowContext, noise: Float[Tensor, "batch tokens width"]
) -> list[Float[Tensor, "batch tokens width"]]:
    """Latents at every time of the preset."""
    states = list[Tensor]()
    both = Stepper(maker.flow, with_and_without_text(context), _PRESET.times)
    velocity = guided(both, maker.echo.guidance)

    def watched(
        latents: Float[Tensor, "batch tokens width"], flow_time: Float[Tensor, ""]
    ) -> Float[Tensor, "batch tokens width"]:
        states.append(latents)
        return velocity(latents, flow_time)

    states.append(_PRESET.solver(watched, noise, _PRESET.times))
    return states


def _labels(
    echo: SelfDistillation, dice: np.random.Generator, shots: int
) -> Float32[np.ndarray, "labels shots"]:
    """Evenly below and above one, each in a stretch of its own."""
    share = (np.arange(echo.labels)[:, None] + dice.random((2, echo.labels, shots))) / echo.labels
    below, above = echo.weakest - 1, echo.strongest - 1
    return (1 + np.concatenate([below * share[0], above * share[1]])).astype(np.float32)


def _scaled(
    stock: Stock, labels: Float32[np.ndarray, "labels clips"], gates: ReachGates
) -> Float32[np.ndarray, "labels_and_one clips frames 14"]:
    """The shots at intensity one, and at their labels."""
    every = np.concatenate([np.ones_like(labels[:1]), labels]).astype(np.float64)
    return stretched(film_of(stock), stock.camera, every, gates)


def _shifts(
    maker: Maker, filmed: _Filmed, features: Float32[np.ndarray, "labels_and_one clips frames 14"]
) -> Float16[Tensor, "labels clips tokens width"]:
    """What the labels add to the shots' latents. Sampled latents are not quite what the codec makes
    of the shot they stand for, so both ends are taken from the codec."""
    own, *others = (
        maker.camera.to_latents(torch.from_numpy(it).to(maker.device), filmed.mask)
        for it in features
    )
    return torch.stack([(other - own).half() for other in others])


@dataclass(frozen=True, eq=False)
class SelfDistillationBatch:
    """States of the teacher's way, and what the asked intensities add to where it ends."""

    states: Float[Tensor, "batch tokens width"]
    shifts: Float[Tensor, "batch tokens width"]
    mask: Bool[Tensor, "batch tokens"]
    flow_time: Float[Tensor, " batch"]
    intensity: Float[Tensor, " batch"]
    words: Float[Tensor, "batch words text_width"]
    words_mask: Bool[Tensor, "batch words"]
    pooled: Float[Tensor, "batch text_width"]
    drop_text: Bool[Tensor, " batch"]
    human: Float[Tensor, "batch tokens human_width"]
    total: Float[Tensor, ""]  # clips, by which the loss is divided

    @property
    def context(self) -> FlowContext:
        """With the teacher's intensity, one."""
        text = TextFeatures(self.words, self.words_mask, self.pooled)
        return FlowContext(self.mask, text, self.drop_text, self.human)


@dataclass(frozen=True, eq=False)
class _DrawnLabels:
    """What chance decides for some shots: `place` counts the teacher's steps, from noise."""

    shots: Int64[np.ndarray, " batch"]
    place: Float[np.ndarray, " batch"]
    label: Int64[np.ndarray, " batch"]
    is_plain: Bool[np.ndarray, " batch"]


def shift_share(
    flow_time: Float[Tensor, " batch"], echo: SelfDistillation
) -> tuple[Float[Tensor, " batch"], Float[Tensor, " batch"]]:
    """How much of the change is there at a flow time, and its derivative by it."""
    width = echo.begins - echo.ends
    done = ((echo.begins - flow_time) / width).clamp(0, 1)
    return done.square() * (3 - 2 * done), -6 * done * (1 - done) / width


class SelfDistillationTask:
    """The lesson of the last camera phase."""

    part_names = ("guided", "apart")

    def __init__(
        self,
        recipe: Recipe,
        teacher: FlowTransformer,
        train: tuple[FlowClips, OwnShots],
        validation: tuple[FlowClips, OwnShots],
        world: World,
        shown: Callable[[FlowTransformer], Sequence[Shot]] | None = None,
    ) -> None:
        assert recipe.echo is not None
        self._recipe, self._echo, self._teacher = recipe, recipe.echo, teacher
        self._train, self._validation, self._world = train, validation, world
        self._device = train[1].states.device
        clips = validation[0]
        self._plain = FlowTask(replace(recipe, echo=None), clips, clips, world, shown=shown)
        self._order = Order(
            train[1].tokens * STRIDE,
            recipe.schedule.batch_rows,
            recipe.seed,
            recipe.batching.pool_batches,
            recipe.batching.bucket_frames,
        )
        times = train[1].flow_times.cpu().numpy()
        self._steps = len(times) - 1
        self._late_from = float((times > recipe.echo.begins).sum() - 1)

    def batch(self, step: int) -> SelfDistillationBatch:
        ordered = self._order.rows(step)
        drawn = self._drawn(ordered.rows, self._recipe.seed, step)
        mine = _DrawnLabels(
            *(
                self._world.share(it)
                for it in (drawn.shots, drawn.place, drawn.label, drawn.is_plain)
            )
        )
        tokens = -(-ordered.frames // STRIDE)
        return self._gathered(self._train, mine, tokens, len(ordered.rows))

    def names(self, step: int) -> list[str]:
        clips, echoes = self._train
        return [clips.names[row] for row in echoes.clips[self._order.rows(step).rows]]

    def loss(self, network: nn.Module, batch: SelfDistillationBatch) -> Loss:
        """Squared error of the guided velocity, which is what sampling follows, and of its two
        parts, so that other guidances go on to work."""
        assert isinstance(network, FlowTransformer)
        share, change = (it[:, None, None] for it in shift_share(batch.flow_time, self._echo))
        times = batch.flow_time.repeat(2)
        with torch.no_grad():
            both = with_and_without_text(batch.context)
            taught = self._teacher(batch.states.repeat(2, 1, 1), times, both).float()
            wanted = taught + (change * batch.shifts).repeat(2, 1, 1)
        asked = replace(both, intensity=batch.intensity.repeat(2))
        there = (batch.states + share * batch.shifts).repeat(2, 1, 1)
        error = network(there, times, asked).float() - wanted
        with_words, without = error.chunk(2)
        guided = without + self._echo.guidance * (with_words - without)
        nothing = torch.zeros_like(guided)
        apart = clip_errors(error, torch.zeros_like(error), batch.mask.repeat(2, 1)).sum() / 2
        parts = torch.stack(
            [clip_errors(guided, nothing, batch.mask).sum(), self._echo.apart * apart]
        )
        return Loss(parts.sum() / batch.total, parts.detach() / batch.total)

    def validate(self, network: nn.Module) -> tuple[Measure, ...]:
        """The flow's own loss at intensity one; then this lesson's on shots of other people, at
        their labels and at one, where the pupil should not have changed."""
        return (
            *self._plain.validate(network),
            Measure("echo", self._validated(network, is_plain=False)),
            Measure("at_one", self._validated(network, is_plain=True)),
        )

    def _validated(self, network: nn.Module, *, is_plain: bool) -> float:
        echoes = self._validation[1]
        drawn = self._drawn(np.arange(len(echoes)), VALIDATION_SEED, 0)
        total = torch.zeros((), device=self._device)
        for first in range(0, len(echoes), VALIDATION_ROWS):
            rows = slice(first, first + VALIDATION_ROWS)
            shots = drawn.shots[rows]
            same = np.full(len(shots), is_plain)
            some = _DrawnLabels(shots, drawn.place[rows], drawn.label[rows], same)
            longest = int(echoes.tokens[shots].max())
            batch = self._gathered(self._validation, some, longest, len(echoes))
            with autocast(self._device, self._recipe.precision):
                total += self.loss(network, batch).total
        return float(total)

    def show(self, network: nn.Module, path: Path) -> None:
        """A page of samples at intensity one."""
        self._plain.show(network, path)

    def _drawn(self, shots: Int64[np.ndarray, " batch"], seed: int, step: int) -> _DrawnLabels:
        times, labels, count = dice_for(seed, TIME, step), dice_for(seed, LABEL, step), len(shots)
        first = np.where(times.random(count) < self._echo.late, self._late_from, 0.0)
        return _DrawnLabels(
            shots=shots,
            place=first + times.random(count) * (self._steps - first),
            label=labels.integers(2 * self._echo.labels, size=count),
            is_plain=labels.random(count) < self._echo.plain,
        )

    def _gathered(
        self, source: tuple[FlowClips, OwnShots], drawn: _DrawnLabels, tokens: int, total: int
    ) -> SelfDistillationBatch:
        clips, echoes = source
        device, whole = self._device, np.floor(drawn.place).astype(np.int64)
        shots, step, label = (
            upload(it, device, torch.int64) for it in (drawn.shots, whole, drawn.label)
        )
        within = upload(drawn.place - whole, device, torch.float32)
        moved = ~upload(drawn.is_plain, device, torch.bool)
        places, mask = echoes.places(shots, tokens)
        real = mask[..., None]
        before, after = (echoes.states[at[:, None], places].float() for at in (step, step + 1))
        rows, texts = (
            upload(it[drawn.shots], device, torch.int64) for it in (echoes.clips, echoes.captions)
        )
        context = clips.context(rows, texts, mask)
        assert context.human is not None
        return SelfDistillationBatch(
            states=torch.lerp(before, after, within[:, None, None]) * real,
            shifts=echoes.shifts[label[:, None], places].float() * (real & moved[:, None, None]),
            mask=mask,
            flow_time=torch.lerp(echoes.flow_times[step], echoes.flow_times[step + 1], within),
            intensity=torch.where(moved, echoes.labels[label, shots], 1.0),
            words=context.text.tokens,
            words_mask=context.text.mask,
            pooled=context.text.pooled,
            drop_text=context.drop_text,
            human=context.human,
            total=upload(float(total), device, torch.float32),
        )


def train_self_distillation(phase: PhaseRun) -> bool:
    recipe, material = phase.recipe, phase.material
    assert recipe.echo is not None
    human = phase.folder.human_codec()
    codecs = human, phase.folder.camera_codec(human)
    flow, (before,) = flow_to_train(phase, codecs)
    assert flow.intensity is not None
    flow.intensity.forget()
    teacher = before.network.eval().requires_grad_(False)
    frozen = FrozenParts(*codecs, before)
    networks = codecs[0].network, codecs[1].network
    limit = recipe.watch.validation_clips
    train, validation = (
        Maker(teacher, *networks, camera_clips(phase, codecs, it, None), it, echo, recipe.seed)
        for it, echo in (
            (material.train, recipe.echo),
            (material.validation, replace(recipe.echo, shots=limit)),
        )
    )
    lesson = SelfDistillationTask(
        recipe,
        teacher,
        (train.clips, make_echoes(train)),
        (validation.clips, make_echoes(validation)),
        phase.world,
        shown_shots(phase, codecs),
    )
    outcome = learned(phase, lesson, flow, parts=(*codecs, before))
    frozen.require_unchanged()
    if outcome.finished:
        flow.intensity.shorten(recipe.echo.above)
        notes = notes_of(phase, outcome)
        write_part(phase, new_part("camera-flow", flow, codecs, material.encoder, notes))
    return outcome.finished
