"""Stage 1: the human codec, then with it frozen the camera codec."""

from aesop.features.statistics import camera_statistics, human_statistics
from aesop.models.codec import CameraCodec, CodecShape, HumanCodec
from aesop.models.weights import new_part
from aesop.training.codec_lessons import CameraCodecLesson, CodecClips, HumanCodecLesson
from aesop.training.latents import (
    encode_all,
    fit_whitening,
    settle_scale,
    standard_cameras,
    standard_humans,
)
from aesop.training.parts import Frozen
from aesop.training.phase_run import (
    PhaseRun,
    learned,
    notes_of,
    raw_human_latents,
    started,
    write_part,
)

_STATISTICS_FRAMES = 1 << 16


def train_human_codec(phase: PhaseRun) -> bool:
    recipe, material = phase.recipe, phase.material
    statistics = human_statistics(material.train.humans.values.split(_STATISTICS_FRAMES))
    assert isinstance(recipe.network, CodecShape)
    shape = recipe.network
    codec = started(lambda: HumanCodec(shape, statistics), phase)
    train, validation = (
        CodecClips(standard_humans(it.humans.to(phase.device), statistics), it.human_names)
        for it in (material.train, material.validation)
    )
    lesson = HumanCodecLesson(recipe, statistics, train, validation, phase.world)
    outcome = learned(phase, lesson, codec, parts=())
    if outcome.finished:
        fit_whitening(codec, settle_scale(codec, encode_all(codec, train.standard)))
        write_part(phase, new_part("human-codec", codec, notes=notes_of(phase, outcome)))
    return outcome.finished


def train_camera_codec(phase: PhaseRun) -> bool:
    recipe, material = phase.recipe, phase.material
    human = phase.folder.human_codec()
    frozen = Frozen(human)
    cameras = material.train.cameras
    statistics = camera_statistics(cameras.clip(row) for row in range(len(cameras)))
    assert isinstance(recipe.network, CodecShape)
    shape = recipe.network
    codec = started(lambda: CameraCodec(shape, statistics), phase)
    train, validation = (
        CodecClips(
            standard_cameras(it.cameras.to(phase.device), statistics),
            it.shot_names,
            raw_human_latents(phase, human, it),
            it.human_of_shot.to(phase.device),
        )
        for it in (material.train, material.validation)
    )
    lesson = CameraCodecLesson(recipe, statistics, train, validation, phase.world)
    outcome = learned(phase, lesson, codec, parts=(human,))
    frozen.require_unchanged()
    if outcome.finished:
        fit_whitening(codec, settle_scale(codec, encode_all(codec, train.standard)))
        write_part(phase, new_part("camera-codec", codec, (human,), notes=notes_of(phase, outcome)))
    return outcome.finished
