"""Stage 2: the human flow, the camera flow, and its two continuations with control pairs."""

from collections.abc import Callable, Sequence

import numpy as np
import torch
from jaxtyping import Int64
from torch import Tensor

from aesop.models.codec import CameraCodec, HumanCodec
from aesop.models.velocity import FlowTransformer, VelocityShape, seen_human
from aesop.models.weights import Part, new_part
from aesop.pairs.records import PairSet
from aesop.scene.human import Clip
from aesop.scene.shot import Shot
from aesop.training.captions import encode_captions
from aesop.training.flow_lessons import FlowClips, FlowLesson
from aesop.training.footage import Footage
from aesop.training.halting import TrainingError
from aesop.training.latents import encode_all, standard_cameras, stands, whitened
from aesop.training.parts import Frozen, require_fitting_shape, weights_path
from aesop.training.phase_run import (
    PhaseRun,
    learned,
    notes_of,
    raw_human_latents,
    started,
    write_part,
)
from aesop.training.ragged import Ragged, ragged_from_clips
from aesop.training.recipes import Phase, Recipe
from aesop.training.samples import SHOWN, Codecs, sample_clips, sample_shots
from aesop.training.slots import PairOrder


def train_human_flow(phase: PhaseRun) -> bool:
    recipe, material = phase.recipe, phase.material
    human = phase.folder.human_codec()
    frozen = Frozen(human)
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
        return sample_clips(Codecs(human.network), network, material.encoder, captions, frames)

    lesson = FlowLesson(recipe, train, validation, phase.world, shown=shown)
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
    frozen = Frozen(*codecs)
    pairs = material.pairs if recipe.slots is not None else None
    train = camera_clips(phase, codecs, material.train, pairs)
    validation = camera_clips(phase, codecs, material.validation, None)
    order = None
    if recipe.slots is not None:
        assert pairs is not None
        order = PairOrder(recipe.slots, pairs, recipe.schedule.steps, recipe.seed)
    flow, before = flow_to_train(phase, codecs)
    shown = shown_shots(phase, codecs)
    lesson = FlowLesson(recipe, train, validation, phase.world, order, shown)
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
    both = Codecs(codecs[0].network, codecs[1].network)
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
