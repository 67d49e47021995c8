"""AESOP's own files: `.shot` (a motion and the camera that films it) and `.clip` (a motion), each
one safetensors file."""

import json
import math
import os
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import get_args

import safetensors
import torch
from safetensors.torch import save as serialised
from torch import Tensor

from aesop.core.errors import AesopError, CameraError, FileError
from aesop.core.whole_files import atomic_path
from aesop.files.file_entries import (
    PLACES,
    TURNS,
    armature_tensors,
    keys_entry,
    keys_from_entry,
    source_entry,
    source_from_entry,
)
from aesop.files.importing import (
    check_finite,
    check_length,
    check_rate,
    check_reach,
    check_rotations,
    input_file,
)
from aesop.scene.camera import CameraPath
from aesop.scene.camera_keys import MetKeys
from aesop.scene.human import Clip, HumanMotion, Provenance, RotationSource
from aesop.scene.intensity_curve import IntensityCurve
from aesop.scene.picture_format import AS_DECODED, SENSOR_WIDTH_MM, PictureFormat
from aesop.scene.shot import Shot
from aesop.scene.skeleton import JOINTS
from aesop.scene.source import Source

# Version 2 added the file that a motion came from, and sensor and pixels of the picture. What has
# neither is written as version 1, so that an older AESOP reads it.
VERSION, VERSION_WITHOUT_SOURCE = 2, 1
Entries = dict[str, str]
# From version n to n + 1. What reads the contents sees the newest layout only.
MIGRATIONS: dict[int, Callable[[Entries], Entries]] = {1: lambda entries: entries}

REMEDY = "Write it again with AESOP."
_FLOATS = ("F32", "F64")
_MAX_VERSION_DIGITS = 6


@dataclass(frozen=True, eq=False)
class Contents:
    """What a file of ours holds, its entries still in JSON."""

    path: Path
    format: str
    entries: Entries
    tensors: dict[str, Tensor]

    def value(self, name: str) -> object:
        """One entry, decoded."""
        try:
            return json.loads(self.entries[name])
        except (KeyError, ValueError, RecursionError) as problem:
            raise self.invalid(name) from problem

    def text(self, name: str) -> str:
        value = self.value(name)
        if not isinstance(value, str):
            raise self.invalid(name)
        return value

    def number(self, name: str) -> float:
        value = self.value(name)
        if not isinstance(value, float) or not math.isfinite(value):
            raise self.invalid(name)
        return value

    def invalid(self, name: str) -> FileError:
        """The error for an entry that is missing or makes no sense."""
        return FileError(f"{self.path} has no valid entry {name!r}.", REMEDY)


def write_contents(
    path: Path, file_format: str, tensors: Mapping[str, Tensor], values: Mapping[str, object]
) -> None:
    """Write tensors and JSON-able values; `path` appears complete or not at all."""
    entries = {name: json.dumps(value) for name, value in values.items()}
    is_new = "source" in values or "picture" in values
    version = VERSION if is_new else VERSION_WITHOUT_SOURCE
    entries |= {"format": file_format, "version": str(version)}
    # Copies: safetensors refuses views that share memory.
    whole = {name: values.detach().cpu().contiguous().clone() for name, values in tensors.items()}
    data = _in_order(serialised(whole, entries))
    with atomic_path(path) as temporary:
        temporary.write_bytes(data)


def _in_order(data: bytes) -> bytes:
    """The same file with its header sorted: the library's order changes from call to call."""
    end = 8 + int.from_bytes(data[:8], "little")
    header = json.dumps(json.loads(data[8:end]), sort_keys=True, separators=(",", ":")).encode()
    header += b" " * (-len(header) % 8)
    return len(header).to_bytes(8, "little") + header + data[end:]


def read_contents(path: Path, shapes: Mapping[str, Mapping[str, tuple[int, ...]]]) -> Contents:
    """Read a file of one of our formats; `shapes` tells each format's tensors per frame."""
    input_file(path)
    try:
        with safetensors.safe_open(path, framework="pt") as file:
            entries = file.metadata() or {}
            names = list(file.keys())
            views = {name: file.get_slice(name) for name in names}
            described = {n: (v.get_dtype(), tuple(v.get_shape())) for n, v in views.items()}
            version = _checked_version(path, entries, tuple(shapes))
            _check_tensors(path, described, shapes[entries["format"]])
            tensors = {name: file.get_tensor(name) for name in names}
    except (safetensors.SafetensorError, OSError, UnicodeDecodeError) as problem:
        raise FileError(
            f"{path} is damaged or not an AESOP file ({str(problem)[:120]}).",
            "Copy it again from where it was made.",
        ) from problem
    for name, values in tensors.items():
        check_finite(values, f"The tensor {name!r} in {path}")
    return Contents(path, entries["format"], _migrated(entries, version), tensors)


def _migrated(entries: Entries, version: int) -> Entries:
    for older in range(version, VERSION):
        entries = MIGRATIONS[older](entries)
    return entries


def _checked_version(path: Path, entries: Entries, formats: tuple[str, ...]) -> int:
    if entries.get("format") not in formats:
        raise FileError(
            f"{path} is a safetensors file but not a shot or clip of AESOP.",
            "Give a file that AESOP wrote.",
        )
    text = entries.get("version", "")
    if not (text.isascii() and text.isdigit() and 0 < len(text) <= _MAX_VERSION_DIGITS):
        raise FileError(f"{path} has no valid version ({text[:20]!r}).", REMEDY)
    version = int(text)
    if version > VERSION:
        raise FileError(
            f"{path} has version {version} of its format; this AESOP reads up to {VERSION}.",
            "Update AESOP.",
        )
    if version < min(MIGRATIONS, default=VERSION):
        raise FileError(f"{path} has version {version}, which is no longer read.", REMEDY)
    return version


def _check_tensors(
    path: Path,
    described: Mapping[str, tuple[str, tuple[int, ...]]],
    wanted: Mapping[str, tuple[int, ...]],
) -> None:
    """The tensors of a format; those of a file's own skeleton may stand beside them."""
    described = {name: seen for name, seen in described.items() if name not in (TURNS, PLACES)}
    if set(described) != set(wanted):
        raise FileError(
            f"{path} holds the tensors {sorted(described)}, not {sorted(wanted)}.", REMEDY
        )
    for name, (dtype, shape) in described.items():
        if dtype not in _FLOATS or not shape or shape[1:] != wanted[name]:
            raise FileError(
                f"The tensor {name!r} in {path} is {dtype} of shape {shape}; floats of shape "
                f"{('frames', *wanted[name])} are needed.",
                REMEDY,
            )
    if len({shape[0] for _, shape in described.values()}) > 1:
        raise FileError(f"The tensors in {path} differ in their number of frames.", REMEDY)


SHOT_FORMAT, CLIP_FORMAT = "aesop.shot", "aesop.clip"
_MOTION_SHAPES = {"rotations": (JOINTS, 3, 3), "joints": (JOINTS, 3)}
_CAMERA_SHAPES = {"world_from_camera": (3, 3), "centre": (3,), "fov_vertical": ()}
_SHAPES = {CLIP_FORMAT: _MOTION_SHAPES, SHOT_FORMAT: _MOTION_SHAPES | _CAMERA_SHAPES}


def write_shot(shot: Shot, path: str | os.PathLike[str]) -> None:
    """The shot, exactly; `path` appears complete or not at all."""
    clip, camera = shot.clip, shot.camera
    tensors = {
        "rotations": clip.motion.rotations,
        "joints": clip.motion.joints,
        "world_from_camera": camera.world_from_camera,
        "centre": camera.centre,
        "fov_vertical": camera.fov_vertical,
        **armature_tensors(clip.source),
    }
    values = _clip_values(clip) | {
        "aspect": float(camera.aspect),
        "camera_words": shot.camera_words,
        "human_words": shot.human_words,
        "intensity": float(shot.intensity),
        "shot_provenance": asdict(shot.provenance),
    }
    if shot.intensity_curve is not None:
        values["intensity_curve"] = shot.intensity_curve.points
    if (shot.sensor_width_mm, shot.resolution_px) != (SENSOR_WIDTH_MM, None):
        values["picture"] = {"sensor_width_mm": shot.sensor_width_mm, "pixels": shot.resolution_px}
    if shot.keys is not None:
        values["keys"] = keys_entry(shot.keys)
    write_contents(Path(path), SHOT_FORMAT, tensors, values)


def write_clip(clip: Clip, path: str | os.PathLike[str]) -> None:
    """The clip, exactly."""
    tensors = {"rotations": clip.motion.rotations, "joints": clip.motion.joints}
    tensors |= armature_tensors(clip.source)
    write_contents(Path(path), CLIP_FORMAT, tensors, _clip_values(clip))


def read_shot(path: str | os.PathLike[str]) -> Shot:
    """Inverse of `write_shot`."""
    path = Path(path)
    contents = read_contents(path, _SHAPES)
    if contents.format != SHOT_FORMAT:
        raise FileError(
            f"{path} holds a motion without a camera.", "Film it first, or open it as a motion."
        )
    camera = _camera(contents)
    picture = _picture(contents, camera)
    return Shot(
        clip=_clip(contents),
        camera=camera,
        provenance=_provenance(contents, "shot_provenance"),
        camera_words=contents.text("camera_words"),
        human_words=contents.text("human_words"),
        intensity=contents.number("intensity"),
        sensor_width_mm=picture.sensor_width_mm,
        resolution_px=picture.resolution_px,
        intensity_curve=_intensity_curve(contents),
        keys=_met_keys(contents, camera),
    )


def _intensity_curve(contents: Contents) -> IntensityCurve | None:
    if "intensity_curve" not in contents.entries:
        return None
    try:
        match contents.value("intensity_curve"):
            case [*points]:
                return IntensityCurve.from_points(points)
            case _:
                raise contents.invalid("intensity_curve")
    except (CameraError, TypeError, ValueError, OverflowError) as problem:
        raise contents.invalid("intensity_curve") from problem


def _met_keys(contents: Contents, camera: CameraPath) -> MetKeys | None:
    """What the camera had to meet, where there was anything."""
    if "keys" not in contents.entries:
        return None
    try:
        return keys_from_entry(contents.value("keys"), camera, contents.number("fps"))
    except (ValueError, TypeError, KeyError, AesopError) as problem:
        raise contents.invalid("keys") from problem


def _picture(contents: Contents, camera: CameraPath) -> PictureFormat:
    """Sensor and pixels, where something else than usual was asked for."""
    if "picture" not in contents.entries:
        return AS_DECODED
    match contents.value("picture"):
        case {"sensor_width_mm": float(sensor), "pixels": None}:
            pixels = None
        case {"sensor_width_mm": float(sensor), "pixels": [int(width), int(height)]}:
            pixels = (width, height)
        case _:
            raise contents.invalid("picture")
    try:
        return PictureFormat(camera.aspect, pixels, sensor)
    except CameraError as problem:
        raise contents.invalid("picture") from problem


def read_clip(path: str | os.PathLike[str]) -> Clip:
    """The motion of a `.clip` or a `.shot` file."""
    return _clip(read_contents(Path(path), _SHAPES))


def _clip_values(clip: Clip) -> dict[str, object]:
    values: dict[str, object] = {
        "fps": float(clip.fps),
        "name": clip.name,
        "clip_provenance": asdict(clip.provenance),
    }
    return values if clip.source is None else values | {"source": source_entry(clip.source)}


def _clip(contents: Contents) -> Clip:
    fps, path = contents.number("fps"), contents.path
    motion = HumanMotion(contents.tensors["rotations"], contents.tensors["joints"])
    check_rate(fps, path)
    check_length(motion.frames, fps, path)
    check_rotations(motion.rotations, f"The tensor 'rotations' in {path}")
    check_reach(motion.joints, "the person", path)
    provenance, source = _provenance(contents, "clip_provenance"), _source(contents)
    return Clip(motion, fps, contents.text("name"), provenance, source)


def _source(contents: Contents) -> Source | None:
    """The file that the motion came from, where it is known."""
    if "source" not in contents.entries:
        return None
    try:
        source = source_from_entry(contents.value("source"), contents.tensors)
    except (ValueError, TypeError, KeyError, OverflowError) as problem:
        raise contents.invalid("source") from problem
    if source.armature is not None:
        check_rotations(source.armature.rotations, f"The tensor {TURNS!r} in {contents.path}")
    return source


def _camera(contents: Contents) -> CameraPath:
    tensors, path = contents.tensors, contents.path
    check_rotations(tensors["world_from_camera"], f"The tensor 'world_from_camera' in {path}")
    fov, aspect = tensors["fov_vertical"], contents.number("aspect")
    if aspect <= 0 or not bool(((fov > 0) & (fov < torch.pi)).all()):
        raise FileError(f"{path} has a field of view or an aspect that no lens has.", REMEDY)
    return CameraPath(tensors["world_from_camera"], tensors["centre"], fov, aspect)


def _provenance(contents: Contents, name: str) -> Provenance:
    match contents.value(name):
        case {"source": str(source), "rotations": str(rotations), "notes": [*notes]}:
            pass
        case _:
            raise contents.invalid(name)
    known = {kind: kind for kind in get_args(RotationSource)}
    if rotations not in known or not all(isinstance(note, str) for note in notes):
        raise contents.invalid(name)
    return Provenance(source, known[rotations], tuple(notes))
