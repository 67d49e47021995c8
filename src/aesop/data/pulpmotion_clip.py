"""One clip of PulpMotion as its files give it: checked, cut to a common length, and explained."""

import tokenize
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
from jaxtyping import Float32, Float64, Int
from torch import Tensor

from aesop.features.camera_features import camera_to_features
from aesop.features.columns import HUMAN
from aesop.features.human_features import root_from_features
from aesop.scene.camera import CameraPath
from aesop.scene.human import MAX_FRAMES, NATIVE_FPS
from aesop.scene.movement import CLASSES, tag_path
from aesop.scene.shot import FASTEST_ROOT_MPS, Placement, canonical_camera

HUMAN_FOLDER = "smpl_rifke"
PATH_FOLDER = "traj"
LENS_FOLDER = "intrinsics"
TAG_FOLDER = "cam_segments"
CAMERA_CAPTION_FOLDER = "caption_cam"
HUMAN_CAPTION_FOLDER = "caption_char"

CLIP_WIDTH = 512
# Column names of the CLIP features that a copy of the dataset may carry, and where they lie.
CAMERA_CLIP = {"clip_token": "caption_cam_clip/token", "clip_states": "caption_cam_clip/seq"}
HUMAN_CLIP = {"clip_token": "caption_char_clip/token", "clip_states": "caption_char_clip/seq"}

_FEWEST_FRAMES = 2  # a camera needs one transition to have a movement
# Text with six digits and float32 estimators stay far below this; a scaled or skewed matrix, and a
# world_from_camera read in another order, far above.
ROTATION_TOLERANCE = 1e-3
ASPECT_TOLERANCE = 0.01

TOO_SHORT = f"fewer than {_FEWEST_FRAMES} frames"
BAD_HUMAN = "human features are not finite"
BAD_LENS = "field of view is NaN, or a focal length is not positive"
BAD_PATH = "camera path is not finite"
NOT_ROTATION = "camera matrices are not rotations"

LENGTHS_DIFFER = "files differ in length: cut to the shortest"
TOO_LONG = f"longer than {MAX_FRAMES} frames: cut"
TAGS_MISSING = "no usable movement tags: recomputed"
ASPECT_VARIES = f"aspect ratio varies by more than {ASPECT_TOLERANCE:.0%}: median taken"
NO_CAMERA_CAPTION = "no camera caption"
NO_HUMAN_CAPTION = "no human caption"
TOO_FAST = f"hips faster than {FASTEST_ROOT_MPS:g} m/s: kept"
CLIP_UNUSABLE = "CLIP features unusable: left out"


# What NumPy raises on files that are no arrays, pickled arrays, or arrays cut short.
_DAMAGE = (
    OSError, ValueError, EOFError, TypeError, OverflowError, MemoryError, SyntaxError,
    tokenize.TokenError,
)  # fmt: skip


class UnusableClipError(Exception):
    """The clip cannot enter a store; the message is the reason under which it is counted."""


@dataclass(frozen=True, eq=False)
class PulpClip:
    """What one id of the dataset holds, ready for a store."""

    human_features: Float32[Tensor, "frames 199"]
    camera_features: Float32[Tensor, "frames 14"]
    tags: Int[np.ndarray, " transitions"]
    human_captions: tuple[str, ...]
    camera_captions: tuple[str, ...]
    human_clip: Mapping[str, np.ndarray]
    camera_clip: Mapping[str, np.ndarray]
    notes: tuple[str, ...]


def read_clip(
    folder: Path,
    clip_id: str,
    *,
    canonicalise: bool,
    human_clip: tuple[str, ...] = (),
    camera_clip: tuple[str, ...] = (),
) -> PulpClip:
    """Read one clip, or raise UnusableClipError with the reason.

    With `canonicalise` the world is turned so that the person starts at yaw 0.
    """
    notes: list[str] = []
    human, matrices, lens = _common_frames(
        _read_human(folder, clip_id),
        _read_path(folder / PATH_FOLDER / f"{clip_id}.txt"),
        _read_lens(folder, clip_id),
        notes,
    )
    camera = _camera_path(matrices, lens, notes)
    if canonicalise:
        human, camera = _turned_to_start(human, camera)
    root = root_from_features(human.double())
    if bool((root.diff(dim=0).norm(dim=-1) * NATIVE_FPS > FASTEST_ROOT_MPS).any()):
        notes.append(TOO_FAST)
    features = camera_to_features(camera, root).float()
    if not bool(torch.isfinite(features).all()):  # numbers that only float64 can hold
        raise UnusableClipError(BAD_PATH)
    return PulpClip(
        human_features=human,
        camera_features=features,
        tags=_tags(folder / TAG_FOLDER / f"{clip_id}.npy", camera, notes),
        human_captions=_captions(folder / HUMAN_CAPTION_FOLDER, clip_id, NO_HUMAN_CAPTION, notes),
        camera_captions=_captions(
            folder / CAMERA_CAPTION_FOLDER, clip_id, NO_CAMERA_CAPTION, notes
        ),
        human_clip={
            name: _clip_features(folder / HUMAN_CLIP[name], clip_id, notes) for name in human_clip
        },
        camera_clip={
            name: _clip_features(folder / CAMERA_CLIP[name], clip_id, notes) for name in camera_clip
        },
        notes=tuple(dict.fromkeys(notes)),
    )


def _read_array(path: Path) -> np.ndarray:
    """Numbers from an `.npy` file; mapped first, so that a lying header cannot ask for memory."""
    if not path.is_file():
        raise UnusableClipError(f"{path.parent.name} file is missing")
    try:
        array = np.array(np.load(path, mmap_mode="r", allow_pickle=False))
    except _DAMAGE as error:
        raise UnusableClipError(f"{path.parent.name} file cannot be read") from error
    if array.dtype.kind not in "fiu":
        raise UnusableClipError(f"{path.parent.name} file cannot be read")
    return array


def _read_human(folder: Path, clip_id: str) -> Float32[np.ndarray, "_ 199"]:
    array = _read_array(folder / HUMAN_FOLDER / f"{clip_id}.npy")
    if array.ndim != 2 or array.shape[1] != HUMAN.width:
        raise UnusableClipError(f"{HUMAN_FOLDER} array is not frames × {HUMAN.width}")
    with np.errstate(over="ignore"):  # too large for float32 becomes infinite, and is dropped
        return array.astype(np.float32)


def _read_path(path: Path) -> Float64[np.ndarray, "_ 3 4"]:
    """World_from_camera per frame, from rows of twelve numbers (KITTI)."""
    text = _read_text(path)
    rows = [line.split() for line in text.splitlines() if line.strip()]
    if any(len(row) != 12 for row in rows):
        raise UnusableClipError(f"{PATH_FOLDER} rows do not have twelve numbers")
    try:
        # Python's own parser is several times faster here than NumPy's.
        values = [float(word) for row in rows for word in row]
    except ValueError as error:
        raise UnusableClipError(f"{PATH_FOLDER} file cannot be read") from error
    return np.array(values, np.float64).reshape(-1, 3, 4)


def _read_text(path: Path) -> str:
    if not path.is_file():
        raise UnusableClipError(f"{path.parent.name} file is missing")
    try:
        return path.read_text(encoding="utf-8")
    except (OSError, ValueError) as error:
        raise UnusableClipError(f"{path.parent.name} file cannot be read") from error


def _read_lens(folder: Path, clip_id: str) -> Float64[np.ndarray, "_ 4"]:
    """Columns fx, fy, cx, cy; one row if the lens is the same in all frames."""
    array = _read_array(folder / LENS_FOLDER / f"{clip_id}.npy")
    if array.shape[-1:] != (4,) or array.ndim > 2:
        raise UnusableClipError(f"{LENS_FOLDER} array is not frames × 4")
    return array.astype(np.float64).reshape(-1, 4)


def _common_frames(
    human: Float32[np.ndarray, "_ 199"],
    matrices: Float64[np.ndarray, "_ 3 4"],
    lens: Float64[np.ndarray, "_ 4"],
    notes: list[str],
) -> tuple[
    Float32[Tensor, "frames 199"],
    Float64[np.ndarray, "frames 3 4"],
    Float64[np.ndarray, "frames 4"],
]:
    if len(lens) == 1:
        lens = np.repeat(lens, len(matrices), axis=0)
    lengths = {len(human), len(matrices), len(lens)}
    frames = min(lengths)
    if frames < _FEWEST_FRAMES:
        raise UnusableClipError(TOO_SHORT)
    if len(lengths) > 1:
        notes.append(LENGTHS_DIFFER)
    if frames > MAX_FRAMES:
        notes.append(TOO_LONG)
        frames = MAX_FRAMES
    if not np.isfinite(human[:frames]).all():
        raise UnusableClipError(BAD_HUMAN)
    return torch.from_numpy(human[:frames]), matrices[:frames], lens[:frames]


def _camera_path(
    matrices: Float64[np.ndarray, "frames 3 4"],
    lens: Float64[np.ndarray, "frames 4"],
    notes: list[str],
) -> CameraPath:
    if not (np.isfinite(lens).all() and (lens > 0).all()):
        raise UnusableClipError(BAD_LENS)
    if not np.isfinite(matrices).all():
        raise UnusableClipError(BAD_PATH)
    turns = matrices[:, :, :3]
    gram = turns.transpose(0, 2, 1) @ turns
    if np.abs(gram - np.eye(3)).max() > ROTATION_TOLERANCE or (np.linalg.det(turns) < 0).any():
        raise UnusableClipError(NOT_ROTATION)
    with np.errstate(over="ignore", under="ignore", divide="ignore", invalid="ignore"):
        across, up = (lens[:, 2:] / lens[:, :2]).T
        aspects = across / up
    if not (np.isfinite(aspects).all() and (aspects > 0).all()):
        raise UnusableClipError(BAD_LENS)
    aspect = float(np.median(aspects))
    if np.abs(aspects / aspect - 1).max() > ASPECT_TOLERANCE:
        notes.append(ASPECT_VARIES)
    return CameraPath(
        world_from_camera=torch.from_numpy(turns.copy()),
        centre=torch.from_numpy(matrices[:, :, 3].copy()),
        fov_vertical=torch.from_numpy(2 * np.arctan(up)),
        aspect=aspect,
    )


def _turned_to_start(
    human: Float32[Tensor, "frames 199"], camera: CameraPath
) -> tuple[Float32[Tensor, "frames 199"], CameraPath]:
    """Clip and camera with yaw 0 in frame 0. Everything else in the human feature is relative."""
    human = human.clone()
    first_yaw = HUMAN.take(human, "yaw_step")[0]
    placement = Placement(first_yaw[0].double(), torch.zeros(3, dtype=torch.float64))
    first_yaw.zero_()
    return human, canonical_camera(camera, placement)


def _tags(path: Path, camera: CameraPath, notes: list[str]) -> Int[np.ndarray, " transitions"]:
    transitions = camera.frames - 1
    try:
        tags = _read_array(path)
    except UnusableClipError:
        tags = np.empty(0)
    # Stored tags come from the dataset's own pipeline: kept wherever they can be.
    usable = tags.ndim == 1 and len(tags) >= transitions
    tags = tags[:transitions]
    if usable and ((tags >= 0) & (tags < CLASSES) & (tags == np.floor(tags))).all():
        return tags.astype(np.int64)
    notes.append(TAGS_MISSING)
    return tag_path(camera, NATIVE_FPS)


def _captions(folder: Path, clip_id: str, missing: str, notes: list[str]) -> tuple[str, ...]:
    path = folder / f"{clip_id}.txt"
    caption = _read_text(path).strip() if path.is_file() else ""
    if not caption:
        notes.append(missing)
        return ()
    return (caption,)


def _clip_features(folder: Path, clip_id: str, notes: list[str]) -> Float32[np.ndarray, "_ 512"]:
    path = folder / f"{clip_id}.npy"
    nothing = np.empty((0, CLIP_WIDTH), np.float32)
    if not path.is_file():
        return nothing
    try:
        array = _read_array(path)
    except UnusableClipError:
        array = np.empty(0)
    if array.shape[-1:] != (CLIP_WIDTH,) or array.ndim > 2 or not np.isfinite(array).all():
        notes.append(CLIP_UNUSABLE)
        return nothing
    return array.astype(np.float32).reshape(-1, CLIP_WIDTH)
