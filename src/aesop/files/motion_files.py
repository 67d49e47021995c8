"""Which files AESOP reads and writes, and the way to each."""

import os
from collections.abc import Callable
from dataclasses import dataclass, fields
from pathlib import Path
from typing import TYPE_CHECKING

from aesop.core.errors import FileError
from aesop.core.whole_files import refuse_target
from aesop.files.bvh_clip import read_bvh_clip, write_bvh
from aesop.files.foreign_clip import Units
from aesop.files.shot_file import read_clip, write_clip
from aesop.scene.human import Clip
from aesop.scene.source import UpAxis

if TYPE_CHECKING:
    from aesop.files.arrays import Archive


@dataclass(frozen=True)
class ReadOptions:
    """What a user knows about a file that the file does not say, or says wrongly."""

    fps: float | None = None
    units: Units | None = None
    up: UpAxis | None = None
    loop: int | None = None  # how often a cycle is played

    @property
    def given(self) -> tuple[str, ...]:
        """Names of the options that were set."""
        return tuple(field.name for field in fields(self) if getattr(self, field.name) is not None)


FLAGS = {"fps": "file-fps"}  # where a command calls an option otherwise


# Files that people who have motions have as well: what they are, and the way from them to a file
# that is read.
_NEIGHBOURS = (
    ((".pkl", ".pickle", ".joblib"), "a pickle, which can run any program when it is opened",
     "Save its arrays with numpy.savez (poses, trans, fps) or torch.save, and give that."),
    ((".c3d", ".trc", ".mvnx", ".tak", ".htr"), "a recording of markers or sensors, not a skeleton",
     "Solve the skeleton in the program that recorded it, and export BVH or FBX."),
    ((".asf",), "a skeleton without a motion", "Give the .amc file that lies beside it."),
    ((".vmd", ".anim", ".bip"), "a motion without the body that it is for",
     "Load it on its character and export BVH, FBX or glTF."),
    ((".usd", ".usda", ".usdc", ".usdz", ".dae", ".abc", ".blend", ".ma", ".mb", ".max", ".c4d",
      ".uasset"), "a scene of another program", "Open it there (Blender opens most) and export "
     "BVH, FBX or glTF."),
    ((".csv", ".tsv", ".json", ".txt", ".xlsx", ".mat"), "a table, which does not say what its "
     "numbers are", "Save SMPL's joints as .npy (frames, 22, 3) or its poses as .npz, or export "
     "BVH."),
    ((".mp4", ".mov", ".avi", ".mkv", ".webm"), "a video",
     "Track the person first (GVHMR, WHAM, TRAM and others), and give the poses they save."),
    ((".zip", ".gz", ".xz", ".bz2", ".7z", ".rar", ".tar", ".tgz"), "packed", "Unpack it first."),
)  # fmt: skip


@dataclass(frozen=True)
class Reader:
    """One way in: what a file holds, how it is told apart, and which options make sense for it."""

    suffix: str
    holds: str
    options: tuple[str, ...]
    read: Callable[[Path, ReadOptions], Clip]


@dataclass(frozen=True)
class Writer:
    """One way out."""

    suffix: str
    holds: str
    write: Callable[[Clip, Path], None]


# What a format needs beyond BVH and our own is imported when a file of it is met.
def _read_amass(path: Path, options: ReadOptions) -> Clip:
    from aesop.files.smpl_archives import read_amass

    return read_amass(path, fps=options.fps, up=options.up, units=options.units)


def _read_hymotion(path: Path, options: ReadOptions) -> Clip:
    from aesop.files.smpl_archives import read_hymotion

    return read_hymotion(path, fps=options.fps, units=options.units)


def _read_kimodo(path: Path, options: ReadOptions) -> Clip:
    from aesop.files.smpl_archives import read_kimodo

    return read_kimodo(path, fps=options.fps)


def _read_tracked(path: Path, options: ReadOptions) -> Clip:
    from aesop.files.tracked_poses import read_tracked

    return read_tracked(path, fps=options.fps, up=options.up, units=options.units)


def _read_fbx(path: Path, options: ReadOptions) -> Clip:
    from aesop.files.fbx import read_fbx

    return read_fbx(path, fps=options.fps, units=options.units, up=options.up, loop=options.loop)


def _read_gltf(path: Path, options: ReadOptions) -> Clip:
    from aesop.files.gltf_motion import read_gltf

    return read_gltf(path, fps=options.fps, units=options.units, loop=options.loop)


def _read_acclaim(path: Path, options: ReadOptions) -> Clip:
    from aesop.files.acclaim import read_acclaim

    return read_acclaim(
        path, fps=options.fps, units=options.units, up=options.up, loop=options.loop
    )


def _read_humanml(path: Path, options: ReadOptions) -> Clip:
    from aesop.files.humanml import read_humanml

    return read_humanml(path, fps=options.fps, up=options.up, units=options.units)


def _write_humanml(clip: Clip, path: Path) -> None:
    from aesop.files.humanml import write_humanml

    write_humanml(clip, path)


def _write_amass(clip: Clip, path: Path) -> None:
    from aesop.files.smpl_archives import write_amass

    write_amass(clip, path)


_BVH = Reader(
    ".bvh",
    "BVH of any known skeleton",
    ("fps", "units", "up", "loop"),
    lambda path, options: read_bvh_clip(
        path, fps=options.fps, units=options.units, up=options.up, loop=options.loop
    ),
)
_FBX = Reader(".fbx", "FBX of any known skeleton", ("fps", "units", "up", "loop"), _read_fbx)
_GLB = Reader(".glb", "glTF of any known skeleton, one file", ("fps", "units", "loop"), _read_gltf)
_GLTF = Reader(".gltf", "glTF of any known skeleton", ("fps", "units", "loop"), _read_gltf)
_ACCLAIM = Reader(
    ".amc", "Acclaim's AMC, with its .asf", ("fps", "units", "up", "loop"), _read_acclaim
)
_AMASS = Reader(".npz", "AMASS (SMPL-H, SMPL-X)", ("fps", "units", "up"), _read_amass)
_HYMOTION = Reader(".npz", "HY-Motion", ("fps", "units"), _read_hymotion)
_KIMODO = Reader(".npz", "Kimodo (SMPL-X skeleton)", ("fps",), _read_kimodo)
_TRACKED = Reader(".npz", "SMPL poses of a tracker", ("fps", "units", "up"), _read_tracked)
_TENSORS = Reader(
    ".pt", "SMPL poses of a tracker, as tensors", ("fps", "units", "up"), _read_tracked
)
_HUMANML = Reader(
    ".npy",
    "HumanML3D joints (frames, 22 or more, 3) or features (frames, 263)",
    ("fps", "units", "up"),
    _read_humanml,
)
_CLIP = Reader(".clip", "a motion saved by AESOP", (), lambda path, _: read_clip(path))
_SHOT = Reader(".shot", "the motion of a shot saved by AESOP", (), lambda path, _: read_clip(path))

READERS = (
    _BVH,
    _FBX,
    _GLB,
    _GLTF,
    _ACCLAIM,
    _AMASS,
    _HYMOTION,
    _KIMODO,
    _TRACKED,
    _TENSORS,
    _HUMANML,
    _CLIP,
    _SHOT,
)

WRITERS = (
    Writer(".bvh", "BVH of our skeleton", write_bvh),
    Writer(".clip", "AESOP's own format, exact", write_clip),
    Writer(".npy", "HumanML3D joints, y up, 20 fps", _write_humanml),
    Writer(".npz", "AMASS layout (SMPL-H), z up", _write_amass),
)


def read_motion(path: str | os.PathLike[str], options: ReadOptions | None = None) -> Clip:
    """The human motion in any file that AESOP reads: our skeleton, our rate, on the ground.

    AESOP's own files give what was saved, whatever its rate.
    """
    path, options = Path(path), options or ReadOptions()
    return usable_reader(path, options).read(path, options)


def usable_reader(path: Path, options: ReadOptions) -> Reader:
    """The reader of a file; raises if it has no use for an option."""
    reader = reader_for(path)
    for name in options.given:
        if name not in reader.options:
            usable = ", ".join(reader.options) or "none"
            raise FileError(
                f"{path}: the option {name} does not apply to {reader.holds} (options: {usable}).",
                f"Leave --{FLAGS.get(name, name)} away.",
            )
    return reader


def reader_for(path: Path) -> Reader:
    """The reader of a file, by its suffix and, where suffixes are shared, by its contents."""
    suffix = path.suffix.lower()
    matching = [reader for reader in READERS if reader.suffix == suffix]
    match matching:
        case []:
            known = sorted({reader.suffix for reader in READERS})
            raise _unknown_suffix(path, "read", known)
        case [only]:
            return only
        case _:
            return _archive_reader(path)


def _archive_reader(path: Path) -> Reader:
    from aesop.files.arrays import listing, open_archive
    from aesop.files.tracked_poses import pose_keys

    archive = open_archive(path)
    names = archive.names
    if "local_rot_mats" in names or "posed_joints" in names:
        return _KIMODO
    if {"Rh", "poses", "trans"} <= set(names):
        return _HYMOTION
    if _is_amass(archive):
        return _AMASS
    if pose_keys(names) is not None:
        return _TRACKED
    raise FileError(
        f"{path} holds the arrays {listing(names)}; none of the known layouts has them.",
        "AESOP reads AMASS (poses, trans), HY-Motion (poses, trans, Rh), Kimodo (local_rot_mats, "
        "posed_joints) and trackers (global_orient, body_pose, transl); joints alone as .npy.",
    )


def _is_amass(archive: "Archive") -> bool:
    """Flat axis-angles of one person, with the path beside them or missing."""
    if {"root_orient", "pose_body"} <= set(archive.names):
        return len(archive.shape("root_orient")) == 2
    if "poses" not in archive.names or len(archive.shape("poses")) != 2:
        return False
    if "trans" in archive.names:
        return len(archive.shape("trans")) == 2
    return "transl" not in archive.names


def writer_for(path: Path) -> Writer:
    """The writer for a file name; raises before any work if it cannot be written."""
    for writer in WRITERS:
        if writer.suffix == path.suffix.lower():
            refuse_target(path)
            return writer
    raise _unknown_suffix(path, "written", [writer.suffix for writer in WRITERS])


def write_motion(clip: Clip, path: str | os.PathLike[str]) -> None:
    """Write a clip in the format that the file name asks for."""
    path = Path(path)
    writer_for(path).write(clip, path)


def _unknown_suffix(path: Path, verb: str, known: list[str]) -> FileError:
    ending = f"the suffix {path.suffix!r}" if path.suffix else "no suffix"
    for suffixes, what, remedy in _NEIGHBOURS:
        if verb == "read" and path.suffix.lower() in suffixes:
            return FileError(f"{path} is {what}.", remedy)
    return FileError(
        f"{path} has {ending}, so it cannot be {verb} as a motion.",
        f"Known suffixes: {', '.join(known)}.",
    )
