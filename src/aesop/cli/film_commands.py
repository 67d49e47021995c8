"""`aesop film`, `aesop shoot`, `aesop act`, `aesop sweep`."""

import gc
import os
import sys
from dataclasses import replace
from importlib import import_module
from itertools import chain
from pathlib import Path
from typing import Annotated

from tyro.conf import OmitArgPrefixes, Positional, arg

from aesop.cli.film_options import (
    FILM_DEFAULTS,
    JOB_DEFAULTS,
    SHOOT_DEFAULTS,
    SWEEP_DEFAULTS,
    WEIGHT_DEFAULTS,
    AsJson,
    CameraOptions,
    FilmOptions,
    JobOptions,
    Motion,
    Outputs,
    Sentence,
    ShootOptions,
    WeightOptions,
    refuse_both,
    refuse_flag,
)
from aesop.cli.film_outputs import (
    DELIVERY_DEFAULTS,
    BatchPicture,
    DeliveryOptions,
    numbered,
    shot_targets,
    tell_shot,
    write_takes,
)
from aesop.cli.input_options import FILE_DEFAULTS, KEY_DEFAULTS, FileOptions, KeyOptions
from aesop.cli.person_options import ACT_DEFAULTS, ActOptions, PersonAsJson, write_clip_files
from aesop.cli.terminal import advise, missing, progress_bar, wrote
from aesop.models.phase_table import METHOD_NAMES

# What making people and cameras needs, torch before all.
FILMING = (
    "aesop.director.director",
    "aesop.director.protocols",
    "aesop.export.export_files",
    "aesop.files.motion_files",
)


def import_for_good(*modules: str) -> None:
    """Import modules that nobody will drop. Python's collector of cycles would go through their
    million objects now, while the command works, and once more when it ends: a fifth of the time of
    a cold film (benchmarks/cold_film.py). So it rests while they come, and leaves them alone
    afterwards; whatever is made later is collected as ever."""
    if all(name in sys.modules for name in modules):
        return
    was_collecting = gc.isenabled()
    gc.disable()
    try:
        for name in modules:
            import_module(name)
        gc.freeze()
    finally:
        if was_collecting:
            gc.enable()


# Before torch is loaded: threads that spin while they wait made a film on two busy cores take eight
# seconds instead of one; threads that sleep cost nothing that could be measured (docs/director.md).
os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")


def refuse_another(where: str, method: str, remedy: str) -> None:
    """Refuse a method that AESOP is compared with."""
    refuse_flag("--method", method in METHOD_NAMES and method, where, remedy)


def film(  # noqa: PLR0913 - flags, spelled out
    motion: Positional[Motion] = None,
    words: Positional[Sentence] = None,
    /,
    *,
    output: Outputs = (),
    camera: Annotated[FilmOptions, OmitArgPrefixes] = FILM_DEFAULTS,
    keys: Annotated[KeyOptions, OmitArgPrefixes] = KEY_DEFAULTS,
    file: Annotated[FileOptions, OmitArgPrefixes] = FILE_DEFAULTS,
    job: Annotated[JobOptions, OmitArgPrefixes] = JOB_DEFAULTS,
    delivery: Annotated[DeliveryOptions, OmitArgPrefixes] = DELIVERY_DEFAULTS,
    as_json: AsJson = False,
) -> None:
    """Film a motion: a camera that does what the words say. The motion stays as it is.

    Writes .shot .mp4 .png .glb .usda .bvh .json .csv, .py for Blender, .chan for Nuke and Maya;
    for video models .txt (RealEstate10K, CameraCtrl), .recammaster.json, .nerfstudio.json, and what
    the lens sees: .lens.mp4, .overlay.mp4 (with guides), .depth.mp4 .normal.mp4 .pose.mp4.

    Args:
        motion: A motion (.bvh, .amc, .fbx, .glb, .npz, .pt, .npy, .clip), or a .shot to film anew.
        words: What the camera does, such as "the camera pushes in".
    """
    import_for_good(*FILMING)
    from aesop.director.requests import FilmRequest

    camera.refuse_unused(job)
    takes, picture = camera.asked_takes, delivery.picture(camera.finish)
    target = delivery.target(camera.keys)
    if job.batch is not None:
        from aesop.cli.batch import film_batch

        refuse_both("film --batch", motion, words, *output)
        refuse_another("for a batch", camera.method, "Film one by one.")
        camera.refuse_goal()
        written = BatchPicture(picture, target, as_json, delivery.refuse_unused)
        director = job.director(camera.way.people)
        film_batch(job.batch, director, camera, file.reading(), job.manner, written, keys.texts)
        return
    if motion is None or words is None:
        raise missing("a motion and words", 'aesop film walk.bvh "the camera pushes in" -o a.shot')
    targets = shot_targets(output, len(takes), camera.keys, keys.files_beside(motion))
    job.check_single(targets)
    delivery.refuse_unused(output)
    clip = file.read(motion)
    wanted = keys.read(clip, motion)
    requests = [
        FilmRequest(
            clip,
            words,
            camera.intensity_for(words, clip.seconds),
            camera.seed,
            take,
            camera.camera_guidance,
            keys=wanted,
        )
        for take in takes
    ]
    with progress_bar("filming") as progress:
        shots = camera.film(job.director(camera.way.people), requests, progress, picture)
    write_takes(shots, targets, as_json, target)


def shoot(  # noqa: PLR0913 - flags, spelled out
    human: Annotated[Positional[Sentence], arg(metavar="PERSON_WORDS")] = None,
    camera: Annotated[Positional[Sentence], arg(metavar="CAMERA_WORDS")] = None,
    /,
    *,
    output: Outputs = (),
    options: Annotated[ShootOptions, OmitArgPrefixes, arg(name="shot")] = SHOOT_DEFAULTS,
    keys: Annotated[KeyOptions, OmitArgPrefixes] = KEY_DEFAULTS,
    job: Annotated[JobOptions, OmitArgPrefixes] = JOB_DEFAULTS,
    file: Annotated[FileOptions, OmitArgPrefixes] = FILE_DEFAULTS,
    delivery: Annotated[DeliveryOptions, OmitArgPrefixes] = DELIVERY_DEFAULTS,
    as_json: AsJson = False,
) -> None:
    """Make a person who does what the first words say, and a camera that does what the second say.

    Writes .shot .mp4 .png .glb .usda .bvh .json .csv, .py for Blender, .chan for Nuke and Maya;
    for video models .txt (RealEstate10K, CameraCtrl), .recammaster.json, .nerfstudio.json, and what
    the lens sees: .lens.mp4, .overlay.mp4 (with guides), .depth.mp4 .normal.mp4 .pose.mp4.

    Args:
        human: What the person does, such as "a person walks in a circle".
        camera: What the camera does, such as "the camera trucks left".
    """
    import_for_good(*FILMING)
    options.refuse_unused()
    if options.actor is None:
        file.refuse_given("without --actor")
        refuse_flag("--world", delivery.world, "without --actor", "Leave it away.")
    takes, picture = options.asked_takes, delivery.picture(options.finish)
    target = delivery.target(options.keys)
    if job.batch is not None:
        from aesop.cli.batch import shoot_batch

        refuse_both("shoot --batch", human, camera, *output)
        refuse_another("for a batch", options.method, "Shoot one by one.")
        refuse_flag("--actor", options.actor, "for a batch", "Film the motions with film --batch.")
        options.refuse_goal()
        keys.refuse_given("for a batch of people who are still to be made")
        written = BatchPicture(picture, target, as_json, delivery.refuse_unused)
        director = job.director(options.way.people)
        shoot_batch(job.batch, director, options, job.manner, written)
        return
    if human is None or camera is None:
        raise missing("two sentences", 'aesop shoot "a person walks" "the camera pans" -o a.shot')
    targets = shot_targets(output, len(takes), options.keys, keys.files_beside(options.actor))
    job.check_single(targets)
    delivery.refuse_unused(output)
    if options.actor is not None:
        keys.refuse_keep("with --actor")
        films = options.actor_requests(human, camera, file.reading())
        wanted = keys.read(films[0].clip, Path(options.actor))
        films = [replace(request, keys=wanted) for request in films]
        with progress_bar("filming") as progress:
            shots = options.film(job.director(options.way.people), films, progress, picture)
        write_takes([replace(shot, human_words=human) for shot in shots], targets, as_json, target)
        return
    wanted = keys.read_for_new(options.seconds)
    requests = [replace(request, keys=wanted) for request in options.requests(human, camera)]
    with progress_bar("shooting") as progress:
        shots = options.shoot(job.director(options.way.people), requests, progress, picture)
    write_takes(shots, targets, as_json, target)


def act(
    words: Positional[Sentence] = None,
    /,
    *,
    output: Outputs = (),
    options: Annotated[ActOptions, OmitArgPrefixes, arg(name="person")] = ACT_DEFAULTS,
    job: Annotated[JobOptions, OmitArgPrefixes] = JOB_DEFAULTS,
    as_json: PersonAsJson = False,
) -> None:
    """Make a person who does what the words say.

    Writes .clip .bvh .npz (AMASS) .npy (HumanML3D joints) .mp4 .png .glb .usda.

    Args:
        words: What the person does, such as "a person waves".
    """
    import_for_good(*FILMING)
    from aesop.director.requests import ActRequest
    from aesop.export.export_files import clip_writer_for

    if job.batch is not None:
        from aesop.cli.batch import act_batch

        refuse_both("act --batch", words, *output)
        act_batch(job.batch, job.director(options.people), options, job.manner, as_json)
        return
    if words is None:
        raise missing("words", 'aesop act "a person waves" -o wave.bvh')
    takes = options.asked_takes
    guidance = options.guidance
    requests = [ActRequest(words, options.seconds, options.seed, take, guidance) for take in takes]
    targets = numbered(output, len(takes))
    job.check_single(targets)
    for path in chain.from_iterable(targets):
        clip_writer_for(path)
    with progress_bar("acting") as progress:
        clips = job.director(options.people).act_many(requests, progress)
    for clip, paths in zip(clips, targets, strict=True):
        write_clip_files(clip, paths, as_json=as_json)


def sweep(  # noqa: PLR0913 - flags, spelled out
    motion: Annotated[Positional[Path], arg(metavar="MOTION")],
    words: Annotated[Positional[str], arg(metavar="WORDS")],
    /,
    *,
    output: Outputs,
    intensities: tuple[float, ...] = (0.5, 0.6, 0.7, 0.8, 0.9, 1.0, 1.1, 1.2, 1.3, 1.4, 1.5),
    camera: Annotated[CameraOptions, OmitArgPrefixes] = SWEEP_DEFAULTS,
    keys: Annotated[KeyOptions, OmitArgPrefixes] = KEY_DEFAULTS,
    file: Annotated[FileOptions, OmitArgPrefixes] = FILE_DEFAULTS,
    weights: Annotated[WeightOptions, OmitArgPrefixes] = WEIGHT_DEFAULTS,
    delivery: Annotated[DeliveryOptions, OmitArgPrefixes] = DELIVERY_DEFAULTS,
    as_json: AsJson = False,
) -> None:
    """Film a motion at several intensities with everything else alike.

    Writes .png (a figure) and .mp4 (all side by side); whatever else film writes becomes one file
    per intensity.

    Args:
        motion: A motion (.bvh, .amc, .fbx, .glb, .npz, .pt, .npy, .clip) or a .shot.
        words: What the camera does.
        intensities: How far the camera travels; 1 is usual.
    """
    import_for_good(*FILMING)
    from aesop.core.whole_files import refuse_replacing
    from aesop.director.requests import FilmRequest, check_sweep
    from aesop.export.sweeps import sweep_files, write_sweep

    camera.refuse_unused(weights)
    if not output:
        raise missing("a file to write", "-o sweep.png")
    if not intensities:
        raise missing("intensities", "--intensities 0.5 1 1.5")
    check_sweep(intensities)
    files = [sweep_files(path, intensities) for path in output]
    refuse_replacing(chain(*files), keys.files_beside(motion))
    delivery.refuse_unused(output)
    picture, target = delivery.picture(camera.finish), delivery.target(keys=False)
    clip = file.read(motion)
    wanted, guidance = keys.read(clip, motion), camera.camera_guidance
    requests = [
        FilmRequest(clip, words, intensity, camera.seed, camera.take, guidance, keys=wanted)
        for intensity in intensities
    ]
    with progress_bar("filming") as progress:
        shots = camera.film(weights.director(camera.way.people), requests, progress, picture)
    for path in output:
        with progress_bar(f"writing {path.name}") as progress:
            advice = write_sweep(shots, path, progress, target)
        if not as_json:
            advise(path, advice)
    if not as_json:
        for written in chain.from_iterable(files):
            wrote(written)
    for at, shot in enumerate(shots):
        shown_in = [some[at] if len(some) > 1 else some[0] for some in files]
        tell_shot(shot, shown_in, clip.name, as_json=as_json)
