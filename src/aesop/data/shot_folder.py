"""A folder of one's own shots as a store: `.shot` files, or motions with cameras as JSON beside
them, and captions in a table."""

import csv
import hashlib
import logging
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from itertools import pairwise
from pathlib import Path

import numpy as np
import torch

from aesop.core.errors import AesopError, Progress, StoreError
from aesop.core.pool import Pool
from aesop.data.builder import ShardWriter, StoreBuilder
from aesop.data.manifest import Count, HumanRow, ShotRow, Split, StorePlan, split_from_text
from aesop.features.camera_features import camera_to_features
from aesop.features.human_features import human_from_features, human_to_features
from aesop.files.camera_files import CameraFile, read_camera_json
from aesop.files.motion_files import READERS, read_motion
from aesop.files.shot_file import read_shot
from aesop.scene.camera import CameraPath
from aesop.scene.human import MAX_FRAMES, NATIVE_FPS, Clip, cut, shifted
from aesop.scene.movement import tag_path
from aesop.scene.shot import FASTEST_ROOT_MPS, Shot, canonical, canonical_camera, survey
from aesop.scene.source import exported_frames, from_source

log = logging.getLogger(__name__)

CAPTIONS_FILE = "captions.csv"
COLUMNS = ("id", "camera", "human", "split")
KIND = "own"
SHARD_FILES = 64
FEWEST_FRAMES = 9  # what the shortest published clip has
VALIDATION_SHARE = 20  # one shot in so many where no split is named

UNREADABLE = "cannot be read"
OTHER_RATE = f"not at {NATIVE_FPS:g} frames per second"
TOO_FAST = f"hips faster than {FASTEST_ROOT_MPS:g} m/s"
TOO_SHORT = f"fewer than {FEWEST_FRAMES} frames"
CUT = f"longer than {MAX_FRAMES} frames: cut into windows"
NO_CAMERA_CAPTION = "no camera caption"
NO_HUMAN_CAPTION = "no human caption"


@dataclass(frozen=True)
class Captions:
    """What the table says of one shot."""

    camera: tuple[str, ...] = ()
    human: tuple[str, ...] = ()
    split: str = ""


@dataclass(frozen=True)
class ShotFile:
    """One shot of the folder: a `.shot` file, or a motion and its camera."""

    name: str
    motion: Path
    camera: Path | None = None


@dataclass(frozen=True)
class ShotImport:
    """What became of every file that was found."""

    found: int
    kept: int  # windows: a long shot gives several
    dropped: tuple[Count, ...]
    noted: tuple[Count, ...]


@dataclass(frozen=True)
class _ShotShard:
    """One shard of the import."""

    name: str
    builder: StoreBuilder
    files: tuple[ShotFile, ...]
    captions: Mapping[str, Captions] = field(default_factory=dict)
    held_out: frozenset[str] = frozenset()


def import_shots(
    folder: Path,
    store_path: Path,
    *,
    workers: int | None = None,
    progress: Progress | None = None,
) -> ShotImport:
    """Convert a folder. A file that cannot be used is dropped and counted; the others go on."""
    files, captions = find_shots(folder), read_captions(folder)
    unknown = sorted(set(captions) - {file.name for file in files})
    if unknown:
        raise StoreError(
            f"{folder / CAPTIONS_FILE} names {unknown[0]!r}, which {folder} does not hold"
            + (f", and {len(unknown) - 1} more." if len(unknown) > 1 else "."),
            "Name files without their ending.",
        )
    builder = StoreBuilder(store_path, _plan(files, captions))
    builder.start()
    held_out = _held_out(files, captions)
    jobs = [
        _ShotShard(f"{first // SHARD_FILES:06d}", builder, tuple(some), captions, held_out)
        for first in range(0, len(files), SHARD_FILES)
        if (some := files[first : first + SHARD_FILES])
    ]
    done = 0
    with Pool(workers) as pool:
        for place, future in pool.each(_write_shard, jobs):
            future.result()
            done += len(jobs[place].files)
            if progress is not None:
                progress(done, len(files))
    manifest = builder.finalise([job.name for job in jobs])
    return ShotImport(len(files), manifest.shots.rows, manifest.dropped, manifest.noted)


def find_shots(folder: Path) -> list[ShotFile]:
    """Every `.shot` file, and every motion with a `.json` of the same name beside it."""
    if not folder.is_dir():
        raise StoreError(f"There is no folder {folder}.", "Name a folder of shots.")
    found = {path.stem: ShotFile(path.stem, path) for path in sorted(folder.glob("*.shot"))}
    endings = {reader.suffix for reader in READERS} - {".shot"}
    for camera in sorted(folder.glob("*.json")):
        motions = [camera.with_suffix(ending) for ending in sorted(endings)]
        motions = [path for path in motions if path.is_file()]
        if len(motions) != 1:
            what = "no motion" if not motions else "several motions"
            raise StoreError(f"{camera} has {what} of its name beside it.", "Leave exactly one.")
        if camera.stem in found:
            raise StoreError(
                f"{folder} holds {camera.stem} twice, as .shot and as .json.", "Leave one of them."
            )
        found[camera.stem] = ShotFile(camera.stem, motions[0], camera)
    if not found:
        raise StoreError(
            f"{folder} holds no .shot file, and no motion with a camera as .json beside it.",
            "Write shots with `aesop film … -o NAME.shot`, or see docs/own_data.md.",
        )
    return sorted(found.values(), key=lambda file: file.name)


def read_captions(folder: Path) -> dict[str, Captions]:
    """The table beside the shots, if there is one. A shot may have several rows."""
    path = folder / CAPTIONS_FILE
    if not path.is_file():
        return {}
    captions: dict[str, Captions] = {}
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            rows = csv.DictReader(file)
            columns = tuple(rows.fieldnames or ())
            if "id" not in columns or not set(columns) <= set(COLUMNS):
                raise StoreError(
                    f"{path} has the columns {', '.join(columns) or 'none'}.",
                    f"Write id, and any of {', '.join(COLUMNS[1:])}.",
                )
            for row in rows:
                name = (row["id"] or "").strip()
                captions[name] = _with_row(captions.get(name, Captions()), row, path)
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise StoreError(f"{path} cannot be read ({error}).", "Write it as UTF-8 CSV.") from error
    return captions


def _with_row(known: Captions, row: Mapping[str, str | None], path: Path) -> Captions:
    texts = {name: (row.get(name) or "").strip() for name in COLUMNS[1:]}
    split = texts["split"] or known.split
    if known.split and split != known.split:
        raise StoreError(f"{path} puts {row['id']} into two splits.", "Name one split.")
    camera, human = (
        (*of, texts[name]) if texts[name] and texts[name] not in of else of
        for name, of in (("camera", known.camera), ("human", known.human))
    )
    return Captions(camera, human, split)


def _plan(files: list[ShotFile], captions: Mapping[str, Captions]) -> StorePlan:
    digest = hashlib.sha256()
    for file in files:
        for path in (file.motion, file.camera):
            if path is not None:
                digest.update(f"{path.name} {path.stat().st_size}\n".encode())
        digest.update(f"{captions.get(file.name)}\n".encode())
    recipe = {"canonicalise": True, "files": len(files), "files_sha256": digest.hexdigest()}
    return StorePlan(dataset="shots", recipe=recipe)


def _held_out(files: list[ShotFile], captions: Mapping[str, Captions]) -> frozenset[str]:
    """Shots for validation where no split is named: one in twenty and at least one, by hash."""
    if any(known.split for known in captions.values()):
        return frozenset()
    ranked = sorted(files, key=lambda file: hashlib.sha256(file.name.encode()).digest())
    count = max(1, len(files) // VALIDATION_SHARE) if len(files) > 1 else 0
    return frozenset(file.name for file in ranked[:count])


def _write_shard(job: _ShotShard) -> None:
    if job.builder.has_shard(job.name):
        return
    with job.builder.shard(job.name) as shard:
        for file in job.files:
            known = job.captions.get(file.name, Captions())
            name = known.split or ("validation" if file.name in job.held_out else "train")
            split = split_from_text(name) if "/" in name else Split(name, KIND)
            _write_file(shard, file, known, split)


def _write_file(shard: ShardWriter, file: ShotFile, known: Captions, split: Split) -> None:
    try:
        shot = _read(file)
    except AesopError as error:
        log.warning("%s: %s", file.name, error)
        shard.drop(UNREADABLE, file.name)
        return
    reason = _reason_against(shot)
    if reason is not None:
        shard.drop(reason, file.name)
        return
    camera_captions = known.camera or tuple(filter(None, [shot.camera_words]))
    human_captions = known.human or tuple(filter(None, [shot.human_words]))
    for note, captions in (
        (NO_CAMERA_CAPTION, camera_captions),
        (NO_HUMAN_CAPTION, human_captions),
    ):
        if not captions:
            shard.note(note, file.name)
    if shot.frames > MAX_FRAMES:
        shard.note(CUT, file.name)
    for name, window in _windows(file.name, shot):
        human = human_to_features(window.clip.motion.to(torch.float64)).float()
        root = human_from_features(human.double()).root
        shard.add_human(HumanRow(name, human, human_captions))
        shard.add_shot(
            ShotRow(
                id=name,
                human_id=name,
                features=camera_to_features(window.camera.to(torch.float64), root).float(),
                tags=tag_path(window.camera, NATIVE_FPS),
                captions=camera_captions,
                splits=(split,),
                attributes={"video": file.name},  # windows of one shot are held out together
            )
        )


def _read(file: ShotFile) -> Shot:
    if file.camera is None:
        return read_shot(file.motion)
    clip, camera = read_motion(file.motion), read_camera_json(file.camera)
    origin = replace(clip.provenance, source=str(file.camera))
    path = _in_clip(clip, camera, file.camera.name)
    return Shot(clip, path, origin, camera.camera_words, camera.human_words)


def _in_clip(clip: Clip, camera: CameraFile, name: str) -> CameraPath:
    """The camera at every frame of the clip, in its world."""
    path, source = camera.path, clip.source
    if not camera.is_in_file_world:
        if path.fps != clip.fps:
            raise StoreError(
                f"{name} has {path.fps:g} frames per second, its motion {clip.fps:g}.",
                f"Export the camera at {clip.fps:g}.",
            )
        return path.camera
    if source is None:
        raise StoreError(
            f"{name} stands in the world of a file, which the motion beside it is not.",
            "Put the motion file beside it that the camera was made for.",
        )
    first, count = exported_frames(clip.frames, clip.fps, source, path.fps)
    if path.first_frame > first or path.first_frame + path.camera.frames < first + count:
        raise StoreError(
            f"{name} has {path.camera.frames} frames from {path.first_frame} on; the motion has "
            f"{count} from {first} on.",
            "Export the camera of the whole motion.",
        )
    return from_source(path, source, clip.frames, clip.fps)


def _reason_against(shot: Shot) -> str | None:
    if shot.fps != NATIVE_FPS:
        return OTHER_RATE
    if shot.frames < FEWEST_FRAMES:
        return TOO_SHORT
    if survey(shot.clip).fastest_mps > FASTEST_ROOT_MPS:
        return TOO_FAST
    return None


def _windows(name: str, shot: Shot) -> Iterator[tuple[str, Shot]]:
    """As few equal windows as fit into the networks, each on the ground, from the canonical
    start."""
    count = -(-shot.frames // MAX_FRAMES)
    edges = np.linspace(0, shot.frames, count + 1).round().astype(int).tolist()
    for number, (first, stop) in enumerate(pairwise(edges)):
        clip = cut(shot.clip, first, stop)
        motion = clip.motion.to(torch.float64)
        lowest = motion.joints[..., 2].min() * motion.joints.new_tensor([0.0, 0.0, 1.0])
        start, placement = canonical(replace(clip, motion=shifted(motion, -lowest)))
        camera = shot.camera.part(slice(first, stop)).to(torch.float64)
        placement = replace(placement, offset=placement.offset + lowest)
        own = name if count == 1 else f"{name}_{number}"
        yield own, replace(shot, clip=start, camera=canonical_camera(camera, placement))
