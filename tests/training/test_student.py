"""The student: taught by its teacher's ways, each shot with the same noise at two intensities."""

from dataclasses import replace
from pathlib import Path

import pytest
import torch
from torch import Tensor, nn

from aesop.core.errors import WeightsError
from aesop.flow.guided_sampling import guided
from aesop.flow.solvers import PRESETS, STUDENT_GUIDANCES
from aesop.models.phase_table import PAPER_PHASES
from aesop.models.velocity import FlowContext, FlowTransformer, of_rows, with_and_without_text
from aesop.models.weights import (
    Part,
    load_camera_student,
    new_part,
    run_file,
    save_part,
)
from aesop.training.footage import padded_places
from aesop.training.loop import Conduct
from aesop.training.phases import train
from aesop.training.recipes import SCHEMES, Scheme, Student, StudentRecipe
from aesop.training.run_folder import Material, PhaseRun, RunFolder, weights_path
from aesop.training.step import ALONE, World
from aesop.training.student import (
    StudentBatch,
    StudentMaterial,
    StudentTask,
    carried_over,
    stepped,
    student_material,
    student_of,
    student_preset,
    train_student_on,
    two_steps,
)
from aesop.training.teacher_ways import compared, sampled_ends
from tests.tolerances import network32, rounded32, summed32
from tests.training.makers import HashEncoder, make_footage, make_pairs, small_recipe

CPU = torch.device("cpu")
SHOTS, ROWS = 13, 6


def recipe(scheme: Scheme = "regression", steps: int = 5) -> StudentRecipe:
    small = small_recipe("camera-flow-student", steps, rows=ROWS, dropout=0.0)
    assert isinstance(small, StudentRecipe)
    watch = replace(small.watch, validation_clips=7, validate_every=10**6)
    own = Student(scheme=scheme, shots=SHOTS)
    if scheme != "fresh":
        own = replace(own, calls=(4, 2, 1), shares=(0.5, 0.3, 0.2))
    return replace(small, student=own, watch=watch)


@pytest.fixture(scope="module")
def material() -> Material:
    footage = make_footage(7, 2, seed=1, frames=(29, 48))
    pairs = make_pairs(footage, 3, 4, 2)
    return Material(footage, make_footage(3, 1, seed=2, frames=(29, 48)), HashEncoder(), pairs)


@pytest.fixture(scope="module")
def run(material: Material, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The paper's phases, and a teacher that reads words, people and intensity."""
    path = tmp_path_factory.mktemp("run")
    train([small_recipe(it, 2, rows=17) for it in PAPER_PHASES], material, path, Conduct(), CPU)
    folder = RunFolder(path, CPU)
    human = folder.human_codec()
    codecs = human, folder.camera_codec(human)
    flow = folder.camera_flow("camera-flow-ipa", codecs, material.encoder).network
    dice = torch.Generator().manual_seed(5)
    for parameter in flow.parameters():
        parameter += 0.2 * torch.randn(parameter.shape, generator=dice)
    taught = new_part("camera-flow", flow, codecs, material.encoder)
    save_part(taught, weights_path(path, "camera-flow-ipa"))
    return path


def phase_of(run: Path, material: Material, own: StudentRecipe) -> PhaseRun[StudentRecipe]:
    return PhaseRun(own, material, RunFolder(run, CPU), Conduct(), ALONE)


@pytest.fixture(scope="module")
def taught(run: Path, material: Material) -> StudentMaterial:
    return student_material(phase_of(run, material, recipe()))


def task_of(
    taught: StudentMaterial, scheme: Scheme = "regression", world: World = ALONE
) -> StudentTask:
    return StudentTask(recipe(scheme), taught, world)


def test_ways_are_those_of_guided_sampling(taught: StudentMaterial):
    """Each shot alone, sampled at its own intensity and guidance, ends where its way does."""
    (scenes, ways), flow, preset = taught.train, taught.teacher.network, PRESETS["fast"]
    low, high = STUDENT_GUIDANCES
    assert ways.states.shape[:2] == (preset.steps + 1, 2) and len(ways) == SHOTS
    assert bool(((ways.guidance >= low) & (ways.guidance <= high)).all())
    assert torch.equal(ways.states[0, 0], ways.states[0, 1])  # the same noise
    for shot in range(SHOTS):
        count = int(ways.tokens[shot])
        places, mask = padded_places(ways.starts, torch.tensor([shot]), count)
        one = scenes.context(ways.scenes[[shot]], ways.captions[[shot]], count)
        assert torch.equal(one.mask, mask)
        for at, intensity in enumerate((torch.ones(1), ways.intensity[[shot]])):
            context = with_and_without_text(replace(one, intensity=intensity))
            velocity = guided(flow.field(flow.prepare(context)), float(ways.guidance[shot]))
            noise, wanted = (ways.states[time, at][places] for time in (0, -1))
            found = preset.solver(velocity, noise, preset.times)
            largest = float(found.abs().max())
            # Sixteen calls of two evaluations by a network of two layers.
            torch.testing.assert_close(found, wanted, rtol=0, atol=32 * network32(2, 64, largest))


class Oracle(FlowTransformer):
    """Answers with the teacher's own mean velocity of the steps of one batch."""

    def __init__(self, like: FlowTransformer, batch: StudentBatch) -> None:
        super().__init__(like.shape)
        self._batch = batch

    def forward(
        self, latents: Tensor, flow_time: Tensor, context: FlowContext, until: Tensor | None = None
    ) -> Tensor:
        assert until is not None
        batch = self._batch
        states = {"before_time": batch.before, "flow_time": batch.states, "until": batch.ends}
        ends = torch.zeros_like(latents)
        for name, state in states.items():
            there = (getattr(batch, name) == until)[:, None, None]
            ends = torch.where(there, state, ends)
        length = (flow_time - until).clamp_min(torch.finfo(torch.float32).tiny)
        return (latents - ends) / length[:, None, None]


@pytest.mark.parametrize("scheme", ["regression", "own-states"])
def test_who_steps_as_the_teacher_has_nothing_to_learn(
    taught: StudentMaterial, run: Path, material: Material, scheme: Scheme
):
    student = student_of(phase_of(run, material, recipe()), taught)
    task = task_of(taught, scheme)
    for step in range(4):
        batch = task.batch(step)
        assert float(task.loss(Oracle(student, batch), batch).total) < rounded32(40) ** 2
        assert float(task.loss(student, batch).total.detach()) > 1e-3


def test_a_shortcut_is_two_steps_of_half_its_length(
    taught: StudentMaterial, run: Path, material: Material
):
    """Where the student's two half steps end is what it is asked for; the teacher's shortest steps
    are the teacher's."""
    student = student_of(phase_of(run, material, recipe()), taught)
    _wake(student)
    task = task_of(taught, "shortcut")
    batches = [task.batch(step) for step in range(6)]
    shortest = torch.cat([batch.is_shortest for batch in batches])
    assert 0 < float(shortest.mean()) < 1
    for batch in batches:
        states, ends = task._from_and_to(student, batch)  # pyright: ignore[reportPrivateUsage]
        middle = stepped(student, states, (batch.flow_time, batch.middle), batch.context)
        wanted = stepped(student, middle, (batch.middle, batch.until), batch.context)
        own = batch.is_shortest > 0
        assert torch.equal(ends[own], batch.ends[own])
        assert torch.equal(ends[~own], wanted[~own].detach())


def _wake(student: nn.Module) -> None:
    dice = torch.Generator().manual_seed(8)
    with torch.no_grad():
        for parameter in student.parameters():
            parameter += 0.1 * torch.randn(parameter.shape, generator=dice)


def test_a_fresh_step_is_two_of_the_teachers(taught: StudentMaterial):
    """From new noise at the end of a way, row for row, by the teacher's own solver."""
    task, flow, times = task_of(taught, "fresh"), taught.teacher.network, PRESETS["fast"].times
    batch = task.batch(5)
    found = two_steps(flow, batch)
    intensity, guidance = batch.context.intensity, batch.context.guidance
    assert intensity is not None and guidance is not None
    for row in range(2 * ROWS):
        begin = int((times.float() - batch.flow_time[row]).abs().argmin())
        one = of_rows(batch.context, [row])
        both = with_and_without_text(replace(one, guidance=None))
        velocity = guided(flow.field(flow.prepare(both)), float(guidance[row]))
        grid = times[begin : begin + 3]
        wanted = PRESETS["fast"].solver(velocity, batch.states[[row]], grid)
        largest = float(wanted.abs().max())
        # Two calls of two evaluations by a network of two layers.
        assert float((found[[row]] - wanted).abs().max()) < 8 * network32(2, 64, largest)
        assert abs(float(batch.until[row]) - float(grid[-1])) < rounded32(4)


def test_fresh_states_are_the_ways_ends_with_noise_that_never_comes_again(taught: StudentMaterial):
    task = task_of(taught, "fresh")
    first, again, other = task.batch(0), task.batch(0), task.batch(1)
    assert torch.equal(first.states, again.states)
    noises: list[Tensor] = []
    for batch in (first, other):
        sigma, mask = batch.flow_time[:, None, None], batch.context.mask[..., None]
        noise = (batch.states - (1 - sigma) * batch.clean) / sigma
        apart = (noise[:ROWS] - noise[ROWS:]).abs().max()
        # Divided by flow times down to a twentieth.
        assert float(apart) < rounded32(200, float(noise.abs().max()))
        noises.append(noise[mask.expand_as(noise)][:99])
    assert not torch.allclose(noises[0], noises[1])


def test_batches_hold_steps_of_the_ways_of_both_intensities(taught: StudentMaterial):
    task, ways = task_of(taught), taught.train[1]
    lengths: set[float] = set()
    for step in range(8):
        batch = task.batch(step)
        assert len(batch.states) == 2 * ROWS
        intensity, guidance = batch.context.intensity, batch.context.guidance
        assert intensity is not None and guidance is not None
        assert bool((intensity[:ROWS] == 1).all()) and bool((intensity[ROWS:] != 1).all())
        assert torch.equal(guidance[:ROWS], guidance[ROWS:])
        assert bool((batch.before_time >= batch.flow_time).all())
        assert bool((batch.flow_time > batch.until).all())
        at_noise = batch.flow_time[:ROWS] == 1
        assert torch.equal(batch.states[:ROWS][at_noise], batch.states[ROWS:][at_noise])
        lengths |= {round(it, 5) for it in (batch.flow_time - batch.until).tolist()}
    every = [student_preset(calls).times.diff().neg().tolist() for calls in (4, 2, 1)]
    assert lengths <= {round(it, 5) for some in every for it in some}
    assert set(ways.flow_times.tolist()) >= {it for it in student_preset(4).times.float().tolist()}


@pytest.mark.parametrize("scheme", SCHEMES)
def test_losses_of_two_processes_add_up_to_that_of_one(
    taught: StudentMaterial, run: Path, material: Material, scheme: Scheme
):
    student = student_of(phase_of(run, material, recipe()), taught)
    whole = task_of(taught, scheme)
    alone = float(whole.loss(student, whole.batch(3)).total.detach())
    shares = [task_of(taught, scheme, World(rank, 2)) for rank in (0, 1)]
    both = sum(float(it.loss(student, it.batch(3)).total.detach()) for it in shares)
    # Sums over rows, tokens and channels, after a network of two layers.
    assert abs(alone - both) < summed32(10_000, alone)


def test_comparing_knows_distance_and_change():
    dice = torch.Generator().manual_seed(3)
    reference = torch.randn(2, 997, 5, generator=dice)
    assert compared(reference, reference) == (0.0, 0.0, pytest.approx(1.0, abs=summed32(4985)))
    shifted = reference + 0.3 * reference[0].std()
    apart, missed, growth = compared(shifted, reference)
    assert apart == pytest.approx(0.3, abs=rounded32(40))
    assert missed < rounded32(40) and growth == pytest.approx(1.0, abs=rounded32(40))
    half = torch.stack([reference[0], (reference[0] + reference[1]) / 2])
    assert compared(half, reference) == (
        0.0,
        pytest.approx(0.5, abs=rounded32(40)),
        pytest.approx(0.5, abs=rounded32(40)),
    )


def test_a_lesson_brings_the_student_to_its_teacher(
    taught: StudentMaterial, run: Path, material: Material, tmp_path: Path
):
    """A student comes nearer to where the teacher's 50 steps end on what it was taught, in every
    number of calls, and what an intensity changes goes the teacher's way."""
    own = recipe("own-states", steps=120)
    own = replace(own, schedule=replace(own.schedule, learning_rate=6e-3))
    reference = sampled_ends(taught.teacher.network, *taught.train, PRESETS["reference"])
    taught = replace(taught, validation=taught.train, reference=reference)
    phase = phase_of(tmp_path, material, own)
    phase.out.mkdir(parents=True)
    task, new = StudentTask(own, taught, ALONE), student_of(phase, taught).eval()
    before = {it.name: it.value for it in task.validate(new)}
    assert train_student_on(phase, taught)
    path = weights_path(tmp_path, "camera-flow-student")
    part = load_camera_student(path, taught.codecs, taught.teacher.card, material.encoder)
    after = {it.name: it.value for it in task.validate(part.network)}
    for calls in (4, 2, 1):
        assert after[f"apart_{calls}"] < 0.75 * before[f"apart_{calls}"]
        assert after[f"growth_{calls}"] > 0.25
    _refuses_another_teacher(path, taught, material)


def _refuses_another_teacher(path: Path, taught: StudentMaterial, material: Material) -> None:
    other = new_part("camera-flow", _moved(taught.teacher), taught.codecs, material.encoder)
    with pytest.raises(WeightsError, match="trained with another camera-flow"):
        load_camera_student(path, taught.codecs, other.card, material.encoder)


def _moved(teacher: Part[FlowTransformer]) -> FlowTransformer:
    network = FlowTransformer(teacher.network.shape)
    network.load_state_dict(teacher.network.state_dict())
    with torch.no_grad():
        network.head.weight += 0.1
    return network.eval()


def test_a_student_is_carried_over_to_a_later_teacher(
    run: Path, material: Material, taught: StudentMaterial
):
    """Beside its own teacher it stays itself, and one who has learnt nothing becomes the later
    teacher; else what changed in the teacher is all that changes."""
    student = student_of(phase_of(run, material, recipe()), taught)
    teacher, later = taught.teacher.network, _moved(taught.teacher)
    before, after = teacher.state_dict(), later.state_dict()
    naive = carried_over(student, teacher, later).state_dict()
    for name, values in after.items():
        assert float((naive[name] - values).abs().max()) <= rounded32(2, float(values.abs().max()))
    _wake(student)
    same = carried_over(student, teacher, teacher).state_dict()
    moved = carried_over(student, teacher, later).state_dict()
    for name, values in student.state_dict().items():
        assert torch.equal(same[name], values)
        change = after[name] - before[name] if name in after else torch.zeros_like(values)
        assert torch.equal(moved[name], values + change)
        assert name == "head.weight" or torch.equal(moved[name], values)


def test_teaching_begins_with_who_was_carried_over(
    run: Path, material: Material, taught: StudentMaterial
):
    phase = phase_of(run, material, recipe())
    earlier = student_of(phase, taught)
    _wake(earlier)
    begun = student_of(phase, replace(taught, begins=earlier)).state_dict()
    for name, values in earlier.state_dict().items():
        assert torch.equal(begun[name], values)


def test_the_phase_is_one_like_any_other(run: Path, material: Material):
    """Taught by the last camera flow that the run holds; its card knows teacher and codecs."""
    results = train([recipe("regression", steps=2)], material, run, Conduct(), CPU)
    assert results[0].finished
    folder = RunFolder(run, CPU)
    human = folder.human_codec()
    codecs = human, folder.camera_codec(human)
    teacher = folder.camera_flow("camera-flow-ipa", codecs, material.encoder)
    path = run_file(run, "camera-flow-student")
    assert path is not None
    part = load_camera_student(path, codecs, teacher.card, material.encoder)
    assert part.network.shape.leaps and part.card.notes["phase"] == "camera-flow-student"
