"""Intensity from the flow's own shots.

Whoever asks for more travel wants the same shot with more travel. Pairs cannot teach that: they say
what shots of an intensity look like, not which of them a noise becomes, and the flow decides where
a shot begins before it knows how it moves. Here the flow as it was is the teacher. Its way from a
noise to a shot x is kept; at intensity a the pupil goes the same way at first, and then to the shot
whose travel is scaled:

    y(σ) = x(σ) + c(σ)·Δ(a),    dy/dσ = v(x(σ)) + c'(σ)·Δ(a)

with c rising from 0 at σ = `begins` to 1 at `ends`.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import torch
from jaxtyping import Bool, Float, Int64
from torch import Tensor, nn

from aesop.models.codec import STRIDE
from aesop.models.context import FlowContext, with_and_without_text
from aesop.models.velocity import FlowTransformer
from aesop.scene.shot import Shot
from aesop.text.encoder import TextFeatures
from aesop.training.echoes import Echoes
from aesop.training.flow_lessons import VALIDATION_ROWS, VALIDATION_SEED, FlowClips, FlowLesson
from aesop.training.journal import Measure
from aesop.training.learner import autocast
from aesop.training.losses import Loss, clip_errors
from aesop.training.order import LABEL, TIME, Order, dice_for
from aesop.training.parallel import World
from aesop.training.recipes import Echo, Recipe
from aesop.training.upload import upload


@dataclass(frozen=True, eq=False)
class EchoBatch:
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
class _Drawn:
    """What chance decides for some shots: `place` counts the teacher's steps, from noise."""

    shots: Int64[np.ndarray, " batch"]
    place: Float[np.ndarray, " batch"]
    label: Int64[np.ndarray, " batch"]
    is_plain: Bool[np.ndarray, " batch"]


def shift_share(
    flow_time: Float[Tensor, " batch"], echo: Echo
) -> tuple[Float[Tensor, " batch"], Float[Tensor, " batch"]]:
    """How much of the change is there at a flow time, and its derivative by it."""
    width = echo.begins - echo.ends
    done = ((echo.begins - flow_time) / width).clamp(0, 1)
    return done.square() * (3 - 2 * done), -6 * done * (1 - done) / width


class EchoLesson:
    """The lesson of the last camera phase."""

    part_names = ("guided", "apart")

    def __init__(
        self,
        recipe: Recipe,
        teacher: FlowTransformer,
        train: tuple[FlowClips, Echoes],
        validation: tuple[FlowClips, Echoes],
        world: World,
        shown: Callable[[FlowTransformer], Sequence[Shot]] | None = None,
    ) -> None:
        assert recipe.echo is not None
        self._recipe, self._echo, self._teacher = recipe, recipe.echo, teacher
        self._train, self._validation, self._world = train, validation, world
        self._device = train[1].states.device
        clips = validation[0]
        self._plain = FlowLesson(replace(recipe, echo=None), clips, clips, world, shown=shown)
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

    def batch(self, step: int) -> EchoBatch:
        ordered = self._order.rows(step)
        drawn = self._drawn(ordered.rows, self._recipe.seed, step)
        mine = _Drawn(
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

    def loss(self, network: nn.Module, batch: EchoBatch) -> Loss:
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
            some = _Drawn(shots, drawn.place[rows], drawn.label[rows], same)
            longest = int(echoes.tokens[shots].max())
            batch = self._gathered(self._validation, some, longest, len(echoes))
            with autocast(self._device, self._recipe.precision):
                total += self.loss(network, batch).total
        return float(total)

    def show(self, network: nn.Module, path: Path) -> None:
        """A page of samples at intensity one."""
        self._plain.show(network, path)

    def _drawn(self, shots: Int64[np.ndarray, " batch"], seed: int, step: int) -> _Drawn:
        times, labels, count = dice_for(seed, TIME, step), dice_for(seed, LABEL, step), len(shots)
        first = np.where(times.random(count) < self._echo.late, self._late_from, 0.0)
        return _Drawn(
            shots=shots,
            place=first + times.random(count) * (self._steps - first),
            label=labels.integers(2 * self._echo.labels, size=count),
            is_plain=labels.random(count) < self._echo.plain,
        )

    def _gathered(
        self, source: tuple[FlowClips, Echoes], drawn: _Drawn, tokens: int, total: int
    ) -> EchoBatch:
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
        return EchoBatch(
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
