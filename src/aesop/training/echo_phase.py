"""The last camera phase: the flow is taught intensity by its own shots."""

from dataclasses import replace

from aesop.models.weights import new_part
from aesop.training.echo_lessons import EchoLesson
from aesop.training.echoes import Maker, make_echoes
from aesop.training.flow_phases import camera_clips, flow_to_train, shown_shots
from aesop.training.parts import Frozen
from aesop.training.phase_run import PhaseRun, learned, notes_of, write_part


def train_camera_echo(phase: PhaseRun) -> bool:
    recipe, material = phase.recipe, phase.material
    assert recipe.echo is not None
    human = phase.folder.human_codec()
    codecs = human, phase.folder.camera_codec(human)
    flow, (before,) = flow_to_train(phase, codecs)
    assert flow.intensity is not None
    flow.intensity.forget()
    teacher = before.network.eval().requires_grad_(False)
    frozen = Frozen(*codecs, before)
    networks = codecs[0].network, codecs[1].network
    limit = recipe.watch.validation_clips
    train, validation = (
        Maker(teacher, *networks, camera_clips(phase, codecs, it, None), it, echo, recipe.seed)
        for it, echo in (
            (material.train, recipe.echo),
            (material.validation, replace(recipe.echo, shots=limit)),
        )
    )
    lesson = EchoLesson(
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
