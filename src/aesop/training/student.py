"""The last phase: a student that films in few calls what its teacher, the camera flow, films in
many. Guidance is an input of it, so that a call is one evaluation instead of two."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import assert_never

import numpy as np
import torch
from jaxtyping import Float, Int64
from torch import Tensor, nn

from aesop.flow.path import on_path
from aesop.flow.solvers import PRESETS, Preset, euler_shares
from aesop.models.codec import STRIDE
from aesop.models.velocity import (
    FlowContext,
    FlowTransformer,
    human_condition,
    with_and_without_text,
)
from aesop.models.weights import Part, load_camera_flow, run_file
from aesop.scene.shot import Shot
from aesop.training.batch_order import NOISE, TIME, dice_for, order_of, seed_for
from aesop.training.flow_phases import Codecs
from aesop.training.footage import (
    Footage,
    Ragged,
    encode_captions,
    padded_places,
    stands,
    upload,
    whitened,
)
from aesop.training.losses import Loss, clip_errors
from aesop.training.recipes import StudentRecipe
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
from aesop.training.step import World
from aesop.training.teacher_ways import (
    TEACHERS,
    Scenes,
    TeacherWays,
    compared,
    sampled_ends,
    teacher_ways,
)

# Steps that only `shortcut` learns, on the way from the teacher's to the student's, and their share
# of the rows.
_SHORTER_CALLS, _SHORTER_SHARES = (TEACHERS.steps, TEACHERS.steps // 2), (0.25, 0.15)


def student_preset(calls: int) -> Preset:
    """How a student is asked in so many calls: at every so manieth of the teacher's times."""
    assert TEACHERS.steps % calls == 0
    return replace(PRESETS["instant"], steps=calls)


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
class StudentMaterial:
    """Everything a student is taught with: people and words, the teacher's ways of filming them,
    and where its 50 Euler steps end on people of validation. All schemes learn from the same."""

    codecs: Codecs
    teacher: Part[FlowTransformer]
    train: tuple[Scenes, TeacherWays]
    validation: tuple[Scenes, TeacherWays]
    reference: Float[Tensor, "2 all_tokens width"]
    begins: FlowTransformer | None = None  # a student that was carried over; else the teacher


@dataclass(frozen=True, eq=False)
class StudentBatch:
    """Steps of the teacher's ways: first of all shots at intensity one, then of the same shots at
    their own. `before` is where the student's step before this one began (or this one itself)."""

    states: Float[Tensor, "batch tokens width"]
    ends: Float[Tensor, "batch tokens width"]
    clean: Float[Tensor, "batch tokens width"]  # where the ways end
    before: Float[Tensor, "batch tokens width"]
    flow_time: Float[Tensor, " batch"]
    until: Float[Tensor, " batch"]
    middle: Float[Tensor, " batch"]  # half of the teacher's steps lie before it
    before_time: Float[Tensor, " batch"]
    is_shortest: Float[Tensor, " batch"]  # one of the teacher's own steps
    euler_share: Float[Tensor, "batch 2"]  # of both halves (`flow.solvers.shadowing`)
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
        taught: StudentMaterial,
        world: World,
        shown: Callable[[FlowTransformer], Sequence[Shot]] | None = None,
    ) -> None:
        self._recipe, self._settings, self._world = recipe, recipe.student, world
        self._train, self._validation, self._shown = taught.train, taught.validation, shown
        self._reference, self._teacher = taught.reference, taught.teacher.network
        assert recipe.student.scheme != "fresh" or recipe.student.calls == (TEACHERS.steps // 2,)
        self._device = taught.reference.device
        self._order = order_of(taught.train[1].tokens * STRIDE, recipe)
        self._dice = torch.Generator(self._device)
        shares = torch.tensor(euler_shares(TEACHERS.times), device=self._device)
        self._euler_shares = torch.cat([shares, shares[-1:]])  # the last begins no second half

    def batch(self, step: int) -> StudentBatch:
        ordered = self._order.rows(step)
        drawn = self._drawn(ordered.rows, step)
        every = drawn.shots, drawn.begin, drawn.length
        mine = _DrawnSteps(*(self._world.share(it) for it in every))
        batch = self._gathered(mine, -(-ordered.frames // STRIDE), len(ordered.rows))
        return self._renoised(batch, step) if self._settings.scheme == "fresh" else batch

    def _renoised(self, batch: StudentBatch, step: int) -> StudentBatch:
        """The same ends on their way from new noise, equal at both intensities; every process draws
        the noise of the whole batch and keeps its share of it."""
        whole = (self._recipe.schedule.batch_rows, *batch.ends.shape[1:])
        self._dice.manual_seed(seed_for(self._recipe.seed, NOISE, step))
        noise = torch.randn(whole, generator=self._dice, device=self._device)
        own = upload(self._world.share(np.arange(whole[0])), self._device, torch.int64)
        noise = noise[own].repeat(2, 1, 1) * batch.context.mask[..., None]
        return replace(batch, states=on_path(batch.clean, noise, batch.flow_time))

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
            case "fresh":
                with torch.no_grad():
                    return batch.states, two_steps(self._teacher, batch)
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
        length = TEACHERS.steps // chosen
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
            clean=states_at(torch.full_like(at["until"], TEACHERS.steps)),
            before=states_at(at["before_time"]),
            **{name: ways.flow_times[it].repeat(2) for name, it in at.items()},
            euler_share=torch.stack(
                [self._euler_shares[at[name]].repeat(2) for name in ("flow_time", "middle")], dim=-1
            ),
            is_shortest=upload(np.tile(drawn.length == 1, 2), device, torch.float32),
            context=replace(
                context,
                intensity=torch.cat([torch.ones_like(own), own]),
                guidance=ways.guidance[shots].repeat(2),
            ),
            total=upload(float(total), device, torch.float32),
        )


def two_steps(teacher: FlowTransformer, batch: StudentBatch) -> Float[Tensor, "batch tokens width"]:
    """Where the guided teacher goes from the states of a batch in two steps, as `shadowing` takes
    them: after where the paper's short Euler steps would end."""
    context = batch.context
    guidance = context.guidance
    assert guidance is not None
    both = with_and_without_text(replace(context, guidance=None))

    def velocity(
        states: Float[Tensor, "batch tokens width"], time: Float[Tensor, " batch"]
    ) -> Float[Tensor, "batch tokens width"]:
        with_words, without = teacher(states.repeat(2, 1, 1), time.repeat(2), both).float().chunk(2)
        return without + guidance[:, None, None] * (with_words - without)

    first, second = (
        (batch.middle - batch.flow_time)[:, None, None],
        (batch.until - batch.middle)[:, None, None],
    )
    lean, rest = (it[:, None, None] for it in batch.euler_share.unbind(-1))
    now = velocity(batch.states, batch.flow_time)
    arriving = velocity(batch.states + first * now, batch.middle)
    middle = batch.states + first * ((1 + lean) / 2 * now + (1 - lean) / 2 * arriving)
    slope = arriving + (1 - rest) * second / (2 * first) * (arriving - now)
    return middle + second * slope


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


def teacher_of(phase: PhaseRun[StudentRecipe], codecs: Codecs) -> Part[FlowTransformer]:
    """The last camera flow of the run."""
    run = phase.folder.path
    path = run_file(run, "camera-flow") or weights_path(run, "camera-flow")
    part = load_camera_flow(path, codecs, phase.material.encoder, phase.device)
    part.network.eval().requires_grad_(False)
    return part


def student_of(phase: PhaseRun[StudentRecipe], taught: StudentMaterial) -> FlowTransformer:
    """A student that starts as its teacher, whatever the teacher's size, or as one that was carried
    over from an earlier teacher."""
    teacher = taught.teacher
    shape = replace(teacher.network.shape, leaps=True, dropout=phase.recipe.network.dropout)
    student = started(lambda: FlowTransformer(shape), phase)
    if taught.begins is not None:
        student.load_state_dict(taught.begins.state_dict())
        return student
    missing = student.load_state_dict(teacher.network.state_dict(), strict=False)
    assert not missing.unexpected_keys
    assert {name.split(".")[0] for name in missing.missing_keys} == {"leap"}
    return student


def carried_over(
    student: FlowTransformer, teacher: FlowTransformer, later: FlowTransformer
) -> FlowTransformer:
    """A student of a `later` teacher that was never taught: what an earlier student differs in from
    its own teacher, added to the later one. Good where the later teacher was trained on from the
    earlier; a student that goes on learning from there begins near."""
    made = FlowTransformer(replace(later.shape, leaps=True, dropout=student.shape.dropout))
    own, old, new = (network.state_dict() for network in (student, teacher, later))
    assert set(own) > set(old) == set(new)
    moved = {
        name: values + (new[name] - old[name]) if name in old else values
        for name, values in own.items()
    }
    made.load_state_dict(moved)
    return made.eval()


def shown_by_student(
    phase: PhaseRun[StudentRecipe], codecs: Codecs
) -> Callable[[FlowTransformer], Sequence[Shot]]:
    """What is drawn of a student in training: the first validation shots, filmed by it."""
    networks = codecs[0].network, codecs[1].network
    footage, encoder = phase.material.validation, phase.material.encoder
    preset, shots = student_preset(phase.recipe.student.calls[0]), min(SHOWN, len(footage.cameras))
    return lambda network: sample_shots(networks, network, encoder, footage, shots, preset)


def student_material(
    phase: PhaseRun[StudentRecipe], progress: Callable[[int, int], None] | None = None
) -> StudentMaterial:
    """Let the teacher film."""
    recipe, material = phase.recipe, phase.material
    human = phase.folder.human_codec()
    codecs = human, phase.folder.camera_codec(human)
    teacher = teacher_of(phase, codecs)
    few = replace(recipe, student=replace(recipe.student, shots=recipe.watch.validation_clips))
    both: list[tuple[Scenes, TeacherWays]] = []
    for footage, asked in ((material.train, recipe), (material.validation, few)):
        scenes = scenes_of(phase, codecs, footage)
        both.append((scenes, teacher_ways(teacher.network, scenes, asked, progress)))
    reference = sampled_ends(teacher.network, *both[1], PRESETS["reference"])
    return StudentMaterial(codecs, teacher, both[0], both[1], reference)


def train_student_on(phase: PhaseRun[StudentRecipe], taught: StudentMaterial) -> bool:
    """Teach a student; whether it came to its end."""
    student = student_of(phase, taught)
    task = StudentTask(phase.recipe, taught, phase.world, shown_by_student(phase, taught.codecs))
    parts = (*taught.codecs, taught.teacher)
    outcome = learned(phase, task, student, parts)
    if outcome.finished:
        write_part(phase, outcome, student, parts)
    return outcome.finished


def train_student(phase: PhaseRun[StudentRecipe]) -> bool:
    return train_student_on(phase, student_material(phase))
