"""Stage 1: the human codec, then with it frozen the camera codec.

Each has a second phase, ours, in which its decoder alone goes on learning: latents, and whatever
was or will be trained on them, stay as they are.
"""

from aesop.features.statistics import Statistics, camera_statistics, human_statistics
from aesop.models.codec import CameraCodec, CodecShape, HumanCodec
from aesop.models.weights import Part, load_camera_codec, load_human_codec, new_part
from aesop.text.fingerprint import fingerprint
from aesop.training.codec_lessons import CameraCodecLesson, CodecClips, HumanCodecLesson
from aesop.training.latents import (
    encode_all,
    fit_whitening,
    settle_scale,
    standard_cameras,
    standard_humans,
)
from aesop.training.parts import Frozen, require_fitting_codec, weights_path
from aesop.training.phase_run import (
    PhaseRun,
    learned,
    notes_of,
    raw_human_latents,
    started,
    write_part,
)

_STATISTICS_FRAMES = 1 << 16
_DECODER = "decoder."


def train_human_codec(phase: PhaseRun) -> bool:
    recipe, material = phase.recipe, phase.material
    statistics = human_statistics(material.train.humans.values.split(_STATISTICS_FRAMES))
    assert isinstance(recipe.network, CodecShape)
    shape = recipe.network
    codec = started(lambda: HumanCodec(shape, statistics), phase)
    train, validation = _people(phase, statistics)
    lesson = HumanCodecLesson(recipe, statistics, train, validation, phase.world)
    outcome = learned(phase, lesson, codec, parts=())
    if outcome.finished:
        fit_whitening(codec, settle_scale(codec, encode_all(codec, train.standard)))
        write_part(phase, new_part("human-codec", codec, notes=notes_of(phase, outcome)))
    return outcome.finished


def train_human_decoder(phase: PhaseRun) -> bool:
    path = weights_path(phase.folder.path, "human-codec")
    before = load_human_codec(path, phase.device)
    require_fitting_codec(phase.recipe, before, path)
    codec, kept = before.network, _all_but_decoder(before.network)
    train, validation = _people(phase, codec.statistics)
    lesson = HumanCodecLesson(phase.recipe, codec.statistics, train, validation, phase.world)
    outcome = learned(phase, lesson, codec, parts=(before,))
    assert _all_but_decoder(codec) == kept, "training changed more than the decoder"
    if outcome.finished:
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
    train, validation = _shots(phase, human, statistics)
    lesson = CameraCodecLesson(recipe, statistics, train, validation, phase.world)
    outcome = learned(phase, lesson, codec, parts=(human,))
    frozen.require_unchanged()
    if outcome.finished:
        fit_whitening(codec, settle_scale(codec, encode_all(codec, train.standard)))
        write_part(phase, new_part("camera-codec", codec, (human,), notes=notes_of(phase, outcome)))
    return outcome.finished


def train_camera_decoder(phase: PhaseRun) -> bool:
    human = phase.folder.human_codec()
    path = weights_path(phase.folder.path, "camera-codec")
    before = load_camera_codec(path, human, phase.device)
    require_fitting_codec(phase.recipe, before, path)
    frozen, codec = Frozen(human), before.network
    kept = _all_but_decoder(codec)
    train, validation = _shots(phase, human, codec.statistics)
    lesson = CameraCodecLesson(phase.recipe, codec.statistics, train, validation, phase.world)
    outcome = learned(phase, lesson, codec, parts=(human, before))
    frozen.require_unchanged()
    assert _all_but_decoder(codec) == kept, "training changed more than the decoder"
    if outcome.finished:
        write_part(phase, new_part("camera-codec", codec, (human,), notes=notes_of(phase, outcome)))
    return outcome.finished


def _people(phase: PhaseRun, statistics: Statistics) -> tuple[CodecClips, CodecClips]:
    """What a human codec learns from, and is validated on."""
    train, validation = (
        CodecClips(standard_humans(it.humans.to(phase.device), statistics), it.human_names)
        for it in (phase.material.train, phase.material.validation)
    )
    return train, validation


def _shots(
    phase: PhaseRun, human: Part[HumanCodec], statistics: Statistics
) -> tuple[CodecClips, CodecClips]:
    """The same for a camera codec, beside the human's latents."""
    train, validation = (
        CodecClips(
            standard_cameras(it.cameras.to(phase.device), statistics),
            it.shot_names,
            raw_human_latents(phase, human, it),
            it.human_of_shot.to(phase.device),
        )
        for it in (phase.material.train, phase.material.validation)
    )
    return train, validation


def _all_but_decoder(codec: HumanCodec | CameraCodec) -> str:
    state = codec.state_dict()
    return fingerprint({it: state[it] for it in state if not it.startswith(_DECODER)})
