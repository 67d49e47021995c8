"""`aesop film`, `aesop shoot`, `aesop act`, `aesop sweep`."""

import os
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

from tyro.conf import OmitArgPrefixes, Positional, UseAppendAction, arg

from aesop.cli.motion import Fps, UnitsOption, UpOption
from aesop.cli.outputs import (
    lifted,
    missing,
    numbered,
    refuse_both,
    shot_targets,
    write_clip_files,
    write_shot_files,
)
from aesop.cli.terminal import progress_bar, remark, wrote

if TYPE_CHECKING:
    from aesop.director.journey import Director
    from aesop.files.registry import ReadOptions

# Before torch is loaded: threads that spin while they wait made a film on two busy cores take eight
# seconds instead of one; threads that sleep cost nothing that could be measured (docs/director.md).
os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")

Outputs = Annotated[
    tuple[Path, ...],
    UseAppendAction,
    arg(
        aliases=["-o"],
        metavar="FILE",
        help="What to write, by its suffix; may be given several times.",
    ),
]
Motion = Annotated[Path | None, arg(metavar="MOTION")]
Sentence = Annotated[str | None, arg(metavar="WORDS")]


@dataclass(frozen=True)
class WeightOptions:
    """Where weights come from."""

    weights: Annotated[
        Path | None, arg(help="Folder of trained parts; those that came with AESOP if not given.")
    ] = None

    encoder: Annotated[
        str, arg(help="What the weights read words with: minilm, clip or clip:FOLDER.")
    ] = "minilm"

    def director(self) -> "Director":
        from aesop.director.journey import load_director
        from aesop.text.choice import text_encoder

        return load_director(self.weights, encoder=text_encoder(self.encoder))


@dataclass(frozen=True)
class JobOptions(WeightOptions):
    """Where requests and weights come from."""

    batch: Annotated[
        Path | None,
        arg(
            help="Requests from a CSV file (docs/director.md); other flags are for rows that do "
            "not say. Started again, it goes on."
        ),
    ] = None


@dataclass(frozen=True)
class CameraOptions:
    """How every camera is made."""

    seed: Annotated[int, arg(help="Another seed makes another answer.")] = 0
    guidance: Annotated[float, arg(help="How hard the camera follows the words.")] = 1.5
    preset: Annotated[
        Literal["fast", "reference"], arg(help="`reference` is the paper's sampler.")
    ] = "fast"


@dataclass(frozen=True)
class FilmOptions(CameraOptions):
    """How one request is met."""

    intensity: Annotated[float, arg(help="How far the camera travels; 1 is usual.")] = 1.0
    takes: Annotated[int, arg(help="Several cameras, numbered in the file names.")] = 1


@dataclass(frozen=True)
class ShootOptions(FilmOptions):
    """How person and camera are made."""

    seconds: Annotated[float, arg(help="Length, 1 to 12.")] = 6.0
    camera_seed: Annotated[int | None, arg(help="Another camera for the same person.")] = None


@dataclass(frozen=True)
class ActOptions:
    """How a person is made."""

    seconds: Annotated[float, arg(help="Length, 1 to 12.")] = 6.0
    seed: Annotated[int, arg(help="Another seed makes another person.")] = 0
    takes: Annotated[int, arg(help="Several people, numbered in the file names.")] = 1


@dataclass(frozen=True)
class FileOptions:
    """What the motion file does not say."""

    fps: Fps = None
    units: UnitsOption = None
    up: UpOption = None

    def reading(self) -> "ReadOptions":
        from aesop.files.registry import ReadOptions

        return ReadOptions(fps=self.fps, units=self.units, up=self.up)


SWEEP_DEFAULTS, FILM_DEFAULTS = CameraOptions(), FilmOptions()
SHOOT_DEFAULTS, ACT_DEFAULTS = ShootOptions(), ActOptions()
FILE_DEFAULTS, JOB_DEFAULTS, WEIGHT_DEFAULTS = FileOptions(), JobOptions(), WeightOptions()


def film(
    motion: Positional[Motion] = None,
    words: Positional[Sentence] = None,
    /,
    *,
    output: Outputs = (),
    camera: Annotated[FilmOptions, OmitArgPrefixes] = FILM_DEFAULTS,
    file: Annotated[FileOptions, OmitArgPrefixes] = FILE_DEFAULTS,
    job: Annotated[JobOptions, OmitArgPrefixes] = JOB_DEFAULTS,
) -> None:
    """Film a motion: a camera that does what the words say. The motion stays as it is.

    Writes .shot .mp4 .png .glb .usda .bvh .json .csv .py (for Blender).

    Args:
        motion: A motion (.bvh, .npz, .npy, .clip) or a .shot, whose motion is filmed anew.
        words: What the camera does, such as "the camera pushes in".
    """
    from aesop.cli.batch import film_batch
    from aesop.director.requests import FilmRequest, take_numbers
    from aesop.files.registry import read_motion

    if job.batch is not None:
        refuse_both("film --batch", motion, words, *output)
        film_batch(job.batch, job.director(), camera, file.reading())
        return
    if motion is None or words is None:
        raise missing("a motion and words", 'aesop film walk.bvh "the camera pushes in" -o a.shot')
    takes = take_numbers(camera.takes)
    targets = shot_targets(output, len(takes))
    clip = read_motion(motion, file.reading())
    for note in clip.provenance.notes:
        remark(note)
    request = FilmRequest(clip, words, camera.intensity, camera.seed, guidance=camera.guidance)
    requests = [replace(request, take=take) for take in takes]
    with progress_bar("filming") as progress:
        shots = job.director().film_many(requests, camera.preset, progress)
    for shot, paths in zip(shots, targets, strict=True):
        write_shot_files(shot, paths)


def shoot(
    human: Positional[Sentence] = None,
    camera: Positional[Sentence] = None,
    /,
    *,
    output: Outputs = (),
    options: Annotated[ShootOptions, OmitArgPrefixes] = SHOOT_DEFAULTS,
    job: Annotated[JobOptions, OmitArgPrefixes] = JOB_DEFAULTS,
) -> None:
    """Make a person who does what the first words say, and a camera that does what the second say.

    Writes .shot .mp4 .png .glb .usda .bvh .json .csv .py (for Blender).

    Args:
        human: What the person does, such as "a person walks in a circle".
        camera: What the camera does, such as "the camera trucks left".
    """
    from aesop.cli.batch import shoot_batch
    from aesop.director.requests import ShootRequest, take_numbers

    if job.batch is not None:
        refuse_both("shoot --batch", human, camera, *output)
        shoot_batch(job.batch, job.director(), options)
        return
    if human is None or camera is None:
        raise missing("two sentences", 'aesop shoot "a person walks" "the camera pans" -o a.shot')
    takes = take_numbers(options.takes)
    targets = shot_targets(output, len(takes))
    request = ShootRequest(
        human,
        camera,
        options.seconds,
        options.intensity,
        options.seed,
        options.camera_seed,
        guidance=options.guidance,
    )
    requests = [replace(request, take=take) for take in takes]
    with progress_bar("shooting") as progress:
        shots = job.director().shoot_many(requests, options.preset, progress)
    for shot, paths in zip(shots, targets, strict=True):
        write_shot_files(shot, paths)


def act(
    words: Positional[Sentence] = None,
    /,
    *,
    output: Outputs = (),
    options: Annotated[ActOptions, OmitArgPrefixes] = ACT_DEFAULTS,
    job: Annotated[JobOptions, OmitArgPrefixes] = JOB_DEFAULTS,
) -> None:
    """Make a person who does what the words say.

    Writes .clip .bvh .npz (AMASS) .npy (HumanML3D joints) .mp4 .png .glb .usda.

    Args:
        words: What the person does, such as "a person waves".
    """
    from aesop.cli.batch import act_batch
    from aesop.director.requests import ActRequest, take_numbers
    from aesop.export.registry import clip_writer_for

    if job.batch is not None:
        refuse_both("act --batch", words, *output)
        act_batch(job.batch, job.director(), options)
        return
    if words is None:
        raise missing("words", 'aesop act "a person waves" -o wave.bvh')
    takes = take_numbers(options.takes)
    requests = [ActRequest(words, options.seconds, options.seed, take) for take in takes]
    targets = numbered(output, len(takes))
    for path in (path for paths in targets for path in paths):
        clip_writer_for(path)
    with progress_bar("acting") as progress:
        clips = job.director().act_many(requests, progress)
    for clip, paths in zip(clips, targets, strict=True):
        write_clip_files(clip, paths)


def sweep(
    motion: Positional[Path],
    words: Positional[str],
    /,
    *,
    output: Outputs,
    intensities: tuple[float, ...] = (0.5, 0.6, 0.7, 0.8, 0.9, 1.0, 1.1, 1.2, 1.3, 1.4, 1.5),
    camera: Annotated[CameraOptions, OmitArgPrefixes] = SWEEP_DEFAULTS,
    file: Annotated[FileOptions, OmitArgPrefixes] = FILE_DEFAULTS,
    weights: Annotated[WeightOptions, OmitArgPrefixes] = WEIGHT_DEFAULTS,
) -> None:
    """Film a motion at several intensities with everything else alike.

    Writes .png (a figure), .mp4 (all side by side) and .shot (one file per intensity).

    Args:
        motion: A motion (.bvh, .npz, .npy, .clip) or a .shot.
        words: What the camera does.
        intensities: How far the camera travels; 1 is usual.
    """
    from aesop.export.sweeps import sweep_files, write_sweep
    from aesop.files.registry import read_motion

    if not output:
        raise missing("a file to write", "-o sweep.png")
    for path in output:
        sweep_files(path, intensities)
    clip = read_motion(motion, file.reading())
    for note in clip.provenance.notes:
        remark(note)
    shots = weights.director().sweep(
        clip, words, intensities, camera.seed, camera.guidance, camera.preset
    )
    for shot in shots:
        travel = float(shot.camera.travel)
        told = [f"intensity {shot.intensity:g}: the camera travels {travel:.2f} m", *lifted(shot)]
        remark(", ".join(told))
    for path in output:
        with progress_bar(f"writing {path.name}") as progress:
            write_sweep(shots, path, progress)
        for written in sweep_files(path, intensities):
            wrote(written)
