"""The ways of a teacher: shots that a camera flow films for its student, kept from noise to latents
at two intensities; and how far another sampling of the same noise ends from it."""

import logging
from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
import torch
from jaxtyping import Float, Int64
from torch import Tensor

from aesop.flow.guided_sampling import sample_latents, sample_states
from aesop.flow.solvers import PRESETS, Preset
from aesop.models.velocity import FlowContext, FlowTransformer
from aesop.training.batch_order import CAPTION, LABEL, NOISE, Shuffled, dice_for, seed_for
from aesop.training.flow_phases import VALIDATION_ROWS, read_of_clips
from aesop.training.footage import EncodedCaptions, Ragged, upload
from aesop.training.recipes import StudentRecipe
from aesop.training.step import autocast

log = logging.getLogger(__name__)

# The teacher's sampler: every step of a student goes from one of its times to another.
TEACHERS = PRESETS["fast"]
_SHOTS_AT_ONCE = 512


@dataclass(frozen=True, eq=False)
class Scenes:
    """Whom to film and what may be asked for: what a student learns from beside its teacher. No
    camera is among it."""

    people: Ragged  # as the flow reads them
    human_of_scene: Int64[Tensor, " scenes"]
    captions: EncodedCaptions
    names: tuple[str, ...]

    def __len__(self) -> int:
        return len(self.names)

    @property
    def device(self) -> torch.device:
        return self.people.values.device

    @property
    def tokens(self) -> Int64[np.ndarray, " scenes"]:
        return self.people.lengths[self.human_of_scene].cpu().numpy()

    def context(
        self, scenes: Int64[np.ndarray, " batch"], texts: Int64[np.ndarray, " batch"], tokens: int
    ) -> FlowContext:
        """What a flow reads of some scenes, each with one of its captions, at intensity one."""
        rows, chosen = (upload(it, self.device, torch.int64) for it in (scenes, texts))
        human = self.people.padded(self.human_of_scene[rows], tokens)
        return read_of_clips(self.captions, chosen, human.mask, human.values)


@dataclass(frozen=True, eq=False)
class TeacherWays:
    """Shot e has the tokens starts[e] … starts[e + 1] − 1. `states` are those of the guided teacher
    from noise to latents, at intensity one and at the shot's own; the noise is the same."""

    states: Float[Tensor, "times 2 all_tokens width"]
    flow_times: Float[Tensor, " times"]
    intensity: Float[Tensor, " shots"]
    guidance: Float[Tensor, " shots"]
    starts: Int64[Tensor, " shots_and_one"]
    scenes: Int64[np.ndarray, " shots"]
    captions: Int64[np.ndarray, " shots"]

    def __len__(self) -> int:
        return len(self.scenes)

    @property
    def tokens(self) -> Int64[np.ndarray, " shots"]:
        return self.starts.diff().cpu().numpy()


@dataclass(frozen=True, eq=False)
class _DrawnShots:
    """What chance decides of the shots to film, shortest first."""

    scenes: Int64[np.ndarray, " shots"]
    captions: Int64[np.ndarray, " shots"]
    intensity: Float[np.ndarray, " shots"]
    guidance: Float[np.ndarray, " shots"]


@torch.no_grad()
def teacher_ways(
    teacher: FlowTransformer,
    scenes: Scenes,
    recipe: StudentRecipe,
    progress: Callable[[int, int], None] | None = None,
) -> TeacherWays:
    """Film as many shots as the recipe says, each twice with the same noise."""
    drawn = _drawn_shots(scenes, recipe)
    lengths, device = scenes.tokens[drawn.scenes], scenes.device
    log.info("filming %d shots for the student", len(lengths))
    starts = np.concatenate([np.zeros(1, np.int64), np.cumsum(lengths)])
    shape = (TEACHERS.steps + 1, 2, int(starts[-1]), teacher.shape.latent)
    states = torch.empty(shape, device=device)
    for first in range(0, len(lengths), _SHOTS_AT_ONCE):
        some = slice(first, min(first + _SHOTS_AT_ONCE, len(lengths)))
        context = _at_two_intensities(scenes, drawn, some)
        dice = torch.Generator(device).manual_seed(seed_for(recipe.seed, NOISE, first))
        one = (len(context.mask) // 2, context.mask.shape[1], shape[-1])
        noise = torch.randn(one, generator=dice, device=device).repeat(2, 1, 1)
        noise = noise * context.mask[..., None]
        guidance = context.guidance
        assert guidance is not None
        with autocast(device, recipe.precision):
            way = sample_states(teacher, context, noise, TEACHERS, guidance)
        real = context.mask[: one[0]]
        for time, state in enumerate(way):
            kept = state.unflatten(0, (2, -1))[:, real]
            states[time, :, int(starts[some.start]) : int(starts[some.stop])] = kept
        if progress is not None:
            progress(some.stop, len(lengths))
    return TeacherWays(
        states=states,
        flow_times=TEACHERS.times.to(device, torch.float32),
        intensity=upload(drawn.intensity, device, torch.float32),
        guidance=upload(drawn.guidance, device, torch.float32),
        starts=torch.from_numpy(starts).to(device),
        scenes=drawn.scenes,
        captions=drawn.captions,
    )


def _drawn_shots(scenes: Scenes, recipe: StudentRecipe) -> _DrawnShots:
    settings, seed = recipe.student, recipe.seed
    dice, count = dice_for(seed, LABEL), settings.shots
    rows = Shuffled(len(scenes), seed, stream=LABEL).take(0, count)
    rows = rows[np.argsort(scenes.tokens[rows], kind="stable")]
    low, high = settings.guidances
    guidance = np.where(
        dice.random(count) < 0.5, settings.usual_guidance, low + (high - low) * dice.random(count)
    )
    # As often weaker as stronger, so that neither side is learnt at the other's cost.
    share, is_weaker = dice.random(count), dice.random(count) < 0.5
    ends = np.where(is_weaker, settings.weakest, settings.strongest)
    return _DrawnShots(
        scenes=rows,
        captions=scenes.captions.pick(rows, dice_for(seed, CAPTION).random(count)),
        intensity=1 + (ends - 1) * share,
        guidance=guidance,
    )


def _at_two_intensities(scenes: Scenes, drawn: _DrawnShots, some: slice) -> FlowContext:
    """The context of some shots at intensity one, then of the same at their own."""
    rows = drawn.scenes[some]
    longest = int(scenes.tokens[rows].max())
    context = scenes.context(np.tile(rows, 2), np.tile(drawn.captions[some], 2), longest)
    asked = drawn.intensity[some]
    both = np.concatenate([np.ones_like(asked), asked])
    return replace(
        context,
        intensity=upload(both, scenes.device, torch.float32),
        guidance=upload(np.tile(drawn.guidance[some], 2), scenes.device, torch.float32),
    )


@torch.no_grad()
def sampled_ends(
    flow: FlowTransformer, scenes: Scenes, ways: TeacherWays, preset: Preset
) -> Float[Tensor, "2 all_tokens width"]:
    """Where a flow ends from the noise of some ways, by another preset."""
    ends = torch.empty_like(ways.states[0])
    starts = ways.starts.cpu().numpy()
    for first in range(0, len(ways), VALIDATION_ROWS):
        some = slice(first, min(first + VALIDATION_ROWS, len(ways)))
        drawn = _DrawnShots(
            ways.scenes,
            ways.captions,
            ways.intensity.cpu().numpy(),
            ways.guidance.cpu().numpy(),
        )
        context = _at_two_intensities(scenes, drawn, some)
        span = slice(int(starts[some.start]), int(starts[some.stop]))
        mask = context.mask.unflatten(0, (2, -1))
        noise = torch.zeros(*context.mask.shape, ends.shape[-1], device=ends.device)
        noise[context.mask] = ways.states[0, :, span].flatten(0, 1)
        sampled = sample_latents(flow, context, noise, preset, context.guidance)
        ends[:, span] = sampled.unflatten(0, (2, -1))[:, mask[0]]
    return ends


def compared(
    ends: Float[Tensor, "2 all_tokens width"], reference: Float[Tensor, "2 all_tokens width"]
) -> tuple[float, float, float]:
    """Of ends at intensity one and at another, beside a reference's with the same noise: how far
    apart they are at intensity one, in spreads of the latents; how far apart what the intensity
    changes is, as a share of it; and how much of that change is made."""
    apart = (ends[0] - reference[0]).square().mean().sqrt() / reference[0].std()
    change, wanted = ends[1] - ends[0], reference[1] - reference[0]
    size = wanted.square().sum().clamp_min(torch.finfo(wanted.dtype).tiny)
    missed = ((change - wanted).square().sum() / size).sqrt()
    return float(apart), float(missed), float((change * wanted).sum() / size)
