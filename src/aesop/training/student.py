"""The last phase: a student that films in few calls what its teacher, the camera flow, films in
many. Guidance is an input of it, so that a call is one evaluation instead of two."""

import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import assert_never

import numpy as np
import torch
from jaxtyping import Float, Int64
from torch import Tensor, nn

from aesop.flow.guided_sampling import sample_latents, sample_states
from aesop.flow.solvers import PRESETS, Preset
from aesop.models.codec import STRIDE
from aesop.models.velocity import FlowContext, FlowTransformer, human_condition
from aesop.models.weights import Part, load_camera_flow, run_file
from aesop.scene.shot import Shot
from aesop.training.batch_order import (
    CAPTION,
    LABEL,
    NOISE,
    TIME,
    Shuffled,
    dice_for,
    order_of,
    seed_for,
)
from aesop.training.flow_phases import VALIDATION_ROWS, Codecs, read_of_clips
from aesop.training.footage import (
    EncodedCaptions,
    Footage,
    Ragged,
    encode_captions,
    padded_places,
    stands,
    upload,
    whitened,
)
from aesop.training.losses import Loss, clip_errors
from aesop.training.recipes import Precision, Student, StudentRecipe
from aesop.training.run_folder import (
    PhaseRun,
    learned,
    raw_human_latents,
    started,
    weights_path,
    write_part,
)
from aesop.training.run_record import Measure
from aesop.training.samples import SHOWN, sample_shots, write_sheet
from aesop.training.step import World, autocast

log = logging.getLogger(__name__)

# The teacher's sampler: every step of a student goes from one of its times to another.
_PRESET = PRESETS["fast"]
_SHOTS_AT_ONCE = 512
# Steps that only `shortcut` learns, on the way from the teacher's to the student's, and their share
# of the rows.
_SHORTER_CALLS, _SHORTER_SHARES = (_PRESET.steps, _PRESET.steps // 2), (0.25, 0.15)


def student_preset(calls: int) -> Preset:
    """How a student is asked in so many calls: at every so manieth of the teacher's times."""
    assert _PRESET.steps % calls == 0
    return replace(PRESETS["instant"], steps=calls)


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


def scenes_of(phase: PhaseRun[StudentRecipe], codecs: Codecs, footage: Footage) -> Scenes:
    """People and words of some footage."""
    people = whitened(codecs[0].network, raw_human_latents(phase, codecs[0], footage))
    stood = stands(footage.humans.to(phase.device)).values
    shape = phase.recipe.network
    return Scenes(
        people=Ragged(human_condition(shape, people.values, stood), people.starts),
        human_of_scene=footage.human_of_shot.to(phase.device),
        captions=encode_captions(footage.camera_captions, phase.material.encoder).to(phase.device),
        names=footage.shot_names,
    )


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
class Teacher:
    """A flow and the scenes that it films."""

    flow: FlowTransformer
    scenes: Scenes
    settings: Student
    precision: Precision
    seed: int


@dataclass(frozen=True, eq=False)
class _DrawnShots:
    """What chance decides of the shots to film, shortest first."""

    scenes: Int64[np.ndarray, " shots"]
    captions: Int64[np.ndarray, " shots"]
    intensity: Float[np.ndarray, " shots"]
    guidance: Float[np.ndarray, " shots"]


@torch.no_grad()
def teacher_ways(teacher: Teacher, told: Callable[[int, int], None] | None = None) -> TeacherWays:
    """Film as many shots as the recipe says, each twice with the same noise."""
    drawn, scenes = _drawn_shots(teacher), teacher.scenes
    lengths, device = scenes.tokens[drawn.scenes], scenes.device
    log.info("filming %d shots for the student", len(lengths))
    starts = np.concatenate([np.zeros(1, np.int64), np.cumsum(lengths)])
    shape = (_PRESET.steps + 1, 2, int(starts[-1]), teacher.flow.shape.latent)
    states = torch.empty(shape, device=device)
    for first in range(0, len(lengths), _SHOTS_AT_ONCE):
        some = slice(first, min(first + _SHOTS_AT_ONCE, len(lengths)))
        context = _at_two_intensities(scenes, drawn, some)
        dice = torch.Generator(device).manual_seed(seed_for(teacher.seed, NOISE, first))
        one = (len(context.mask) // 2, context.mask.shape[1], shape[-1])
        noise = torch.randn(one, generator=dice, device=device).repeat(2, 1, 1)
        noise = noise * context.mask[..., None]
        guidance = context.guidance
        assert guidance is not None
        with autocast(device, teacher.precision):
            way = sample_states(teacher.flow, context, noise, _PRESET, guidance)
        real = context.mask[: one[0]]
        for time, state in enumerate(way):
            kept = state.unflatten(0, (2, -1))[:, real]
            states[time, :, int(starts[some.start]) : int(starts[some.stop])] = kept
        if told is not None:
            told(some.stop, len(lengths))
    return TeacherWays(
        states=states,
        flow_times=_PRESET.times.to(device, torch.float32),
        intensity=upload(drawn.intensity, device, torch.float32),
        guidance=upload(drawn.guidance, device, torch.float32),
        starts=torch.from_numpy(starts).to(device),
        scenes=drawn.scenes,
        captions=drawn.captions,
    )


def _drawn_shots(teacher: Teacher) -> _DrawnShots:
    settings, scenes, seed = teacher.settings, teacher.scenes, teacher.seed
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


@dataclass(frozen=True, eq=False)
class Lesson:
    """Everything a student is taught with: people and words, the teacher's ways of filming them,
    and where its 50 Euler steps end on people of validation. All schemes learn from the same."""

    codecs: Codecs
    teacher: Part[FlowTransformer]
    train: tuple[Scenes, TeacherWays]
    validation: tuple[Scenes, TeacherWays]
    reference: Float[Tensor, "2 all_tokens width"]


@dataclass(frozen=True, eq=False)
class StudentBatch:
    """Steps of the teacher's ways: first of all shots at intensity one, then of the same shots at
    their own. `before` is where the student's step before this one began (or this one itself)."""

    states: Float[Tensor, "batch tokens width"]
    ends: Float[Tensor, "batch tokens width"]
    before: Float[Tensor, "batch tokens width"]
    flow_time: Float[Tensor, " batch"]
    until: Float[Tensor, " batch"]
    middle: Float[Tensor, " batch"]  # half of the teacher's steps lie before it
    before_time: Float[Tensor, " batch"]
    is_shortest: Float[Tensor, " batch"]  # one of the teacher's own steps
    context: FlowContext
    total: Float[Tensor, ""]  # shots, by which the loss is divided


@dataclass(frozen=True, eq=False)
class _DrawnSteps:
    """Which step of which shot: from one of the teacher's times to another, by their numbers."""

    shots: Int64[np.ndarray, " batch"]
    begin: Int64[np.ndarray, " batch"]
    length: Int64[np.ndarray, " batch"]


class StudentTask:
    """Steps of the teacher's ways, learnt by one of three schemes."""

    part_names = ("shots", "change")

    def __init__(
        self,
        recipe: StudentRecipe,
        lesson: Lesson,
        world: World,
        shown: Callable[[FlowTransformer], Sequence[Shot]] | None = None,
    ) -> None:
        self._recipe, self._settings, self._world = recipe, recipe.student, world
        self._train, self._validation, self._shown = lesson.train, lesson.validation, shown
        self._reference = lesson.reference
        self._device = lesson.reference.device
        self._order = order_of(lesson.train[1].tokens * STRIDE, recipe)

    def batch(self, step: int) -> StudentBatch:
        ordered = self._order.rows(step)
        drawn = self._drawn(ordered.rows, step)
        every = drawn.shots, drawn.begin, drawn.length
        mine = _DrawnSteps(*(self._world.share(it) for it in every))
        return self._gathered(mine, -(-ordered.frames // STRIDE), len(ordered.rows))

    def names(self, step: int) -> list[str]:
        scenes, ways = self._train
        return [scenes.names[row] for row in ways.scenes[self._order.rows(step).rows]]

    def loss(self, network: nn.Module, batch: StudentBatch) -> Loss:
        """Squared error of the mean velocity of every step, and of what the intensity changes in
        it. Steps weigh as much as they are long: an error of velocity is one of place by then."""
        assert isinstance(network, FlowTransformer)
        states, ends = self._from_and_to(network, batch)
        length = batch.flow_time - batch.until
        wanted = (states - ends) / length[:, None, None]
        found = network(states, batch.flow_time, batch.context, batch.until).float()
        error, mask = found - wanted, batch.context.mask
        usual, asked = error.chunk(2)
        shots = (length * clip_errors(found, wanted, mask)).sum() / 2
        one, nothing = length.chunk(2)[0], torch.zeros_like(usual)
        change = (one * clip_errors(asked - usual, nothing, mask.chunk(2)[0])).sum()
        parts = torch.stack([shots, self._settings.change * change])
        return Loss(parts.sum() / batch.total, parts.detach() / batch.total)

    def validate(self, network: nn.Module) -> tuple[Measure, ...]:
        """How far the student ends from the teacher's 50 Euler steps, on people of validation."""
        assert isinstance(network, FlowTransformer)
        scenes, ways = self._validation
        found: list[Measure] = []
        for calls in self._settings.calls:
            ends = sampled_ends(network, scenes, ways, student_preset(calls))
            apart, change, growth = compared(ends, self._reference)
            found += [
                Measure(f"apart_{calls}", apart),
                Measure(f"change_{calls}", change),
                Measure(f"growth_{calls}", growth),
            ]
        teacher = compared(ways.states[-1], self._reference)
        mean = sum(it.value for it in found if it.name.startswith("apart"))
        return (
            Measure("loss", mean / len(self._settings.calls)),
            *found,
            Measure("apart_fast", teacher[0]),
            Measure("change_fast", teacher[1]),
        )

    def show(self, network: nn.Module, path: Path) -> None:
        """A page of shots in as many calls as come first in the recipe."""
        assert isinstance(network, FlowTransformer)
        if self._shown is not None:
            write_sheet(self._shown(network), path)

    def _from_and_to(
        self, network: FlowTransformer, batch: StudentBatch
    ) -> tuple[Float[Tensor, "batch tokens width"], Float[Tensor, "batch tokens width"]]:
        """Where the steps of a batch begin and where they are to end, as the scheme says."""
        match self._settings.scheme:
            case "regression":
                return batch.states, batch.ends
            case "own-states":
                with torch.no_grad():
                    times = batch.before_time, batch.flow_time
                    return stepped(network, batch.before, times, batch.context), batch.ends
            case "shortcut":
                with torch.no_grad():
                    half = (batch.flow_time, batch.middle), (batch.middle, batch.until)
                    middle = stepped(network, batch.states, half[0], batch.context)
                    ends = stepped(network, middle, half[1], batch.context)
                is_shortest = batch.is_shortest[:, None, None] > 0
                return batch.states, torch.where(is_shortest, batch.ends, ends)
            case _:
                assert_never(self._settings.scheme)

    def _drawn(self, shots: Int64[np.ndarray, " batch"], step: int) -> _DrawnSteps:
        dice, count = dice_for(self._recipe.seed, TIME, step), len(shots)
        calls, shares = np.array(self._settings.calls), np.array(self._settings.shares)
        if self._settings.scheme == "shortcut":
            calls = np.concatenate([_SHORTER_CALLS, calls])
            shares = np.concatenate([_SHORTER_SHARES, shares / shares.sum() * 0.6])
        chosen = dice.choice(calls, size=count, p=shares / shares.sum())
        length = _PRESET.steps // chosen
        return _DrawnSteps(shots, length * (dice.random(count) * chosen).astype(np.int64), length)

    def _gathered(self, drawn: _DrawnSteps, tokens: int, total: int) -> StudentBatch:
        (scenes, ways), device = self._train, self._device
        shots = upload(drawn.shots, device, torch.int64)
        places, mask = padded_places(ways.starts, shots, tokens)
        real = mask.repeat(2, 1)[..., None]
        marks = {
            "flow_time": drawn.begin,
            "until": drawn.begin + drawn.length,
            "middle": drawn.begin + drawn.length // 2,
            "before_time": np.maximum(drawn.begin - drawn.length, 0),
        }
        at = {name: upload(it, device, torch.int64) for name, it in marks.items()}

        def states_at(time: Int64[Tensor, " batch"]) -> Float[Tensor, "twice tokens width"]:
            both = [ways.states[time[:, None], one, places] for one in (0, 1)]
            return torch.cat(both) * real

        chosen = np.tile(drawn.shots, 2)
        context = scenes.context(ways.scenes[chosen], ways.captions[chosen], tokens)
        own = ways.intensity[shots]
        return StudentBatch(
            states=states_at(at["flow_time"]),
            ends=states_at(at["until"]),
            before=states_at(at["before_time"]),
            **{name: ways.flow_times[it].repeat(2) for name, it in at.items()},
            is_shortest=upload(np.tile(drawn.length == 1, 2), device, torch.float32),
            context=replace(
                context,
                intensity=torch.cat([torch.ones_like(own), own]),
                guidance=ways.guidance[shots].repeat(2),
            ),
            total=upload(float(total), device, torch.float32),
        )


def stepped(
    network: FlowTransformer,
    states: Float[Tensor, "batch tokens width"],
    times: tuple[Float[Tensor, " batch"], Float[Tensor, " batch"]],
    context: FlowContext,
) -> Float[Tensor, "batch tokens width"]:
    """Where the student arrives in one call from one time to another."""
    begin, until = times
    velocity = network(states, begin, context, until).float()
    return states + (until - begin)[:, None, None] * velocity


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


def teacher_of(phase: PhaseRun[StudentRecipe], codecs: Codecs) -> Part[FlowTransformer]:
    """The last camera flow of the run."""
    run = phase.folder.path
    path = run_file(run, "camera-flow") or weights_path(run, "camera-flow")
    part = load_camera_flow(path, codecs, phase.material.encoder, phase.device)
    part.network.eval().requires_grad_(False)
    return part


def student_of(phase: PhaseRun[StudentRecipe], teacher: Part[FlowTransformer]) -> FlowTransformer:
    """A student that starts as its teacher, whatever the teacher's size."""
    shape = replace(teacher.network.shape, leaps=True, dropout=phase.recipe.network.dropout)
    student = started(lambda: FlowTransformer(shape), phase)
    missing = student.load_state_dict(teacher.network.state_dict(), strict=False)
    assert not missing.unexpected_keys
    assert {name.split(".")[0] for name in missing.missing_keys} == {"leap"}
    return student


def shown_by_student(
    phase: PhaseRun[StudentRecipe], codecs: Codecs
) -> Callable[[FlowTransformer], Sequence[Shot]]:
    """What is drawn of a student in training: the first validation shots, filmed by it."""
    networks = codecs[0].network, codecs[1].network
    footage, encoder = phase.material.validation, phase.material.encoder
    preset, shots = student_preset(phase.recipe.student.calls[0]), min(SHOWN, len(footage.cameras))
    return lambda network: sample_shots(networks, network, encoder, footage, shots, preset)


def prepared_lesson(
    phase: PhaseRun[StudentRecipe], told: Callable[[int, int], None] | None = None
) -> Lesson:
    """Let the teacher film."""
    recipe, material = phase.recipe, phase.material
    human = phase.folder.human_codec()
    codecs = human, phase.folder.camera_codec(human)
    teacher = teacher_of(phase, codecs)
    few = replace(recipe.student, shots=recipe.watch.validation_clips)
    both: list[tuple[Scenes, TeacherWays]] = []
    for footage, settings in ((material.train, recipe.student), (material.validation, few)):
        scenes = scenes_of(phase, codecs, footage)
        asked = Teacher(teacher.network, scenes, settings, recipe.precision, recipe.seed)
        both.append((scenes, teacher_ways(asked, told)))
    reference = sampled_ends(teacher.network, *both[1], PRESETS["reference"])
    return Lesson(codecs, teacher, both[0], both[1], reference)


def learn_lesson(phase: PhaseRun[StudentRecipe], lesson: Lesson) -> bool:
    """Teach a student; whether it came to its end."""
    student = student_of(phase, lesson.teacher)
    task = StudentTask(phase.recipe, lesson, phase.world, shown_by_student(phase, lesson.codecs))
    parts = (*lesson.codecs, lesson.teacher)
    outcome = learned(phase, task, student, parts)
    if outcome.finished:
        write_part(phase, outcome, student, parts)
    return outcome.finished


def train_student(phase: PhaseRun[StudentRecipe]) -> bool:
    return learn_lesson(phase, prepared_lesson(phase))
