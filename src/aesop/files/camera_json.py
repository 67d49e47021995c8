"""Reading back the camera that an export wrote as JSON (`aesop film … -o NAME.json`)."""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch

from aesop.core.errors import FileError
from aesop.scene.camera import CameraPath
from aesop.scene.source import NumberedPath, UpAxis

FORMAT, VERSION = "aesop.camera", 1
_ROTATION_TOLERANCE = 1e-3  # files of other programs may have six digits


@dataclass(frozen=True, eq=False)
class CameraFile:
    """A camera path with rate and frame numbers, and the words that asked for it. It stands in the
    world of the motion's file, with its unit and axes, or in the world of the clip in metres."""

    path: NumberedPath
    is_in_file_world: bool
    camera_words: str
    human_words: str
    up: UpAxis | None = None  # of the file's world, where the table says it
    metres_per_unit: float | None = None


def read_camera_json(path: Path) -> CameraFile:
    """The camera as it stands in the file; float64."""
    try:
        document = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise FileError(f"{path} is no JSON text ({error}).", "Export the camera again.") from error
    head = (document.get("format"), document.get("version")) if isinstance(document, dict) else ()
    if head != (FORMAT, VERSION):
        raise FileError(
            f"{path} is no camera of AESOP.",
            f'Write "format": "{FORMAT}" and "version": {VERSION} as docs/exports.md says.',
        )
    try:
        return _read(document)
    except (KeyError, TypeError, ValueError, RuntimeError) as error:
        raise FileError(
            f"{path} does not hold a whole camera ({error}).",
            "Every frame needs centre_m (or centre), world_from_camera and fov_vertical_deg.",
        ) from error


def _read(document: dict[str, Any]) -> CameraFile:
    frames, is_in_file_world = document["frames"], "source_file" in document
    centre = "centre" if is_in_file_world else "centre_m"
    turns, centres, angles = (
        torch.tensor([frame[name] for frame in frames], dtype=torch.float64)
        for name in ("world_from_camera", centre, "fov_vertical_deg")
    )
    if turns.shape[1:] != (3, 3) or centres.shape[1:] != (3,) or angles.ndim != 1:
        raise ValueError("wrong shapes")
    finite = all(bool(it.isfinite().all()) for it in (turns, centres, angles))
    if not finite or not bool(((angles > 0) & (angles < 180)).all()):
        raise ValueError("numbers that no camera can have")
    off = (turns.mT @ turns - torch.eye(3, dtype=torch.float64)).abs().max()
    if float(off) > _ROTATION_TOLERANCE or bool((torch.linalg.det(turns) < 0).any()):
        raise ValueError("world_from_camera is no rotation")
    camera = CameraPath(turns, centres, torch.deg2rad(angles), float(document["aspect"]))
    first = int(frames[0].get("frame", 0))
    return CameraFile(
        NumberedPath(camera, float(document["fps"]), first),
        is_in_file_world,
        str(document.get("camera_words", "")),
        str(document.get("human_words", "")),
        *_world(document),
    )


def _world(document: dict[str, Any]) -> tuple[UpAxis | None, float | None]:
    """Axis and unit of the file's world, as far as they are told."""
    up, unit = document.get("up_axis"), document.get("metres_per_unit")
    metres = None if unit is None else float(unit)
    if up not in (None, "y", "z") or (metres is not None and not 0 < metres < float("inf")):
        raise ValueError("up_axis or metres_per_unit")
    return up, metres
