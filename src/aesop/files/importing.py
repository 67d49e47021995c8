"""What every reader asks of a file before it opens it and of a motion before it believes it, and
how recordings become clips at our rate."""

import math
import os
from dataclasses import dataclass, replace
from pathlib import Path

import torch
from jaxtyping import Float
from torch import Tensor

from aesop.core.errors import FileError
from aesop.scene.curves import resample_points, resample_rotations, resampled_frames
from aesop.scene.human import (
    NATIVE_FPS,
    Clip,
    HumanMotion,
    Provenance,
    RotationSource,
    grounded,
    pose_motion,
)
from aesop.scene.skeleton import JOINT_NAMES
from aesop.scene.source import JointsApart, Source
from aesop.scene.source import UpAxis as UpAxis

MIN_FPS, MAX_FPS = 1.0, 1000.0
MAX_MINUTES = 60.0
# A person further than this from the origin is a mistake in units, and strains single precision.
MAX_REACH_M = 10_000.0
# Networks write matrices in single or half precision.
ROTATION_TOLERANCE = 5e-3


# What comes under the name of a motion and is another thing: beginnings in small letters, what
# they are, and what to do about it.
_WRAPPINGS = (
    (b"version https://git-lfs", "only a pointer of Git LFS", "Fetch the file with git lfs pull."),
    (b"<!doctype", "a web page", "Download the file itself, which pages often call raw."),
    (b"<html", "a web page", "Download the file itself, which pages often call raw."),
    (b"\x1f\x8b", "packed with gzip", "Unpack it first."),
    (b"7z\xbc\xaf", "packed with 7-Zip", "Unpack it first."),
    (b"rar!", "packed with RAR", "Unpack it first."),
    (b"pk\x03\x04", "a zip archive", "Unpack it first."),
)
_ZIPPED_BY_KIND = (".npz", ".pt")  # torch's and NumPy's archives are zip files


def input_file(path: Path) -> Path:
    """The path itself, if it is a file with something in it that we may read, as it was made."""
    try:
        size = path.stat().st_size
    except OSError as problem:
        reason = (problem.strerror or str(problem)).lower()
        raise FileError(
            f"{path} cannot be opened: {reason}.", "Check the name and the folder."
        ) from problem
    if not path.is_file():
        raise FileError(f"{path} is not a file.", "Give the name of one file.")
    if not os.access(path, os.R_OK):
        raise FileError(f"{path} cannot be opened: permission denied.", "Change its permissions.")
    if size == 0:
        raise FileError(f"{path} is empty (0 bytes).", "Export or download it again.")
    with path.open("rb") as stream:
        start = stream.read(64).lstrip().lower()
    for beginning, what, remedy in _WRAPPINGS:
        is_usual = beginning.startswith(b"pk") and path.suffix.lower() in _ZIPPED_BY_KIND
        if start.startswith(beginning) and not is_usual:
            raise FileError(f"{path} is {what}.", remedy)
    return path


def check_rate(fps: float, path: Path) -> None:
    """Refuse a frame rate that no recording has."""
    if not (math.isfinite(fps) and MIN_FPS <= fps <= MAX_FPS):
        raise FileError(
            f"{path} has a rate of {fps:g} frames per second; "
            f"AESOP reads {MIN_FPS:g} to {MAX_FPS:g}.",
            "Give the true rate with --file-fps, or export the motion again.",
        )


def check_length(frames: int, fps: float, path: Path) -> None:
    """Refuse what is too short to move or too long to be one motion."""
    if frames < 2:
        count = "no frames" if frames == 0 else "one frame"
        raise FileError(
            f"{path} has {count}; a motion needs at least two.", "Export more of the motion."
        )
    if frames > fps * 60 * MAX_MINUTES:
        raise FileError(
            f"{path} has {frames} frames at {fps:g} per second, over {MAX_MINUTES:g} minutes.",
            "Cut it into shorter files, or give the true rate with --file-fps.",
        )


def check_finite(values: Float[Tensor, " frames *rest"], what: str) -> None:
    """Refuse NaN and infinity, naming the first frame that has one."""
    frames, *rest = values.shape
    bad = ~torch.isfinite(values).reshape(frames, math.prod(rest)).all(-1)
    if bool(bad.any()):
        frame = int(bad.nonzero()[0])
        raise FileError(
            f"{what} has numbers that are not finite, first in frame {frame}.",
            "Repair or cut those frames, then try again.",
        )


def check_reach(points: Float[Tensor, "frames *rest 3"], what: str, path: Path) -> None:
    """Refuse places so far away that the numbers cannot be metres."""
    reach = float(points.abs().max())
    if reach > MAX_REACH_M:
        raise FileError(
            f"{path} puts {what} {reach:.3g} m from the origin.",
            "Give its unit with --units, or export it in metres, near the origin.",
        )


def check_same_length(path: Path, **arrays: Float[Tensor, "..."]) -> None:
    """Refuse arrays of one motion that differ in their number of frames."""
    frames = {name: values.shape[0] for name, values in arrays.items()}
    if len(set(frames.values())) > 1:
        counts = ", ".join(f"{name} has {count}" for name, count in frames.items())
        raise FileError(
            f"The arrays in {path} differ in their number of frames: {counts}.",
            "Export them together.",
        )


def check_rotations(matrices: Float[Tensor, "*batch 3 3"], what: str) -> None:
    """Refuse matrices that are no rotations. Rounding passes, mirrors and scales do not."""
    gram = matrices @ matrices.transpose(-1, -2)
    identity = torch.eye(3, dtype=matrices.dtype, device=matrices.device)
    off = torch.cat([(gram - identity).abs().flatten(), (torch.det(matrices) - 1).abs().flatten()])
    if off.numel() and not bool(off.max() <= ROTATION_TOLERANCE):
        raise FileError(
            f"{what} has matrices that are not rotations (off by {float(off.max()):.2g}).",
            "Export it again; rotations must be orthonormal and right-handed.",
        )


@dataclass(frozen=True, eq=False)
class Recording:
    """What a file says about a person, in our axes, at its own rate and wherever it stood.

    `source` says how it came from the file, before the person is set on the ground. `places` are
    the file's own joints, brought here as `source` says; NaN where it has none of ours.
    """

    rotations: Float[Tensor, "frames 22 3 3"]
    root: Float[Tensor, "frames 3"]
    fps: float
    kind: str
    rotation_source: RotationSource
    notes: tuple[str, ...] = ()
    source: Source | None = None
    places: Float[Tensor, "frames 22 3"] | None = None


def native_clip(recording: Recording, path: Path) -> Clip:
    """Our skeleton in the recorded poses, at 25 fps, its lowest joint on the ground."""
    check_rate(recording.fps, path)
    check_length(recording.rotations.shape[0], recording.fps, path)
    check_finite(recording.rotations, f"The rotations of {path}")
    check_finite(recording.root, f"The pelvis path of {path}")
    check_reach(recording.root, "the person", path)
    frames = resampled_frames(recording.root.shape[0], recording.fps, NATIVE_FPS)
    check_length(frames, NATIVE_FPS, path)
    rotations = resample_rotations(recording.rotations, recording.fps, NATIVE_FPS)
    root = resample_points(recording.root, recording.fps, NATIVE_FPS)
    posed = pose_motion(rotations, root)
    motion = grounded(posed)
    notes = recording.notes
    if recording.fps != NATIVE_FPS:
        notes += (f"resampled from {recording.fps:g} to {NATIVE_FPS:g} fps",)
    return Clip(
        motion.to(torch.float32),
        NATIVE_FPS,
        path.stem,
        Provenance(f"{recording.kind}: {path.name}", recording.rotation_source, notes),
        _source(recording, posed, motion),
    )


def _source(recording: Recording, posed: HumanMotion, motion: HumanMotion) -> Source | None:
    """Where the clip comes from, now that the person stands on the ground."""
    source, places = recording.source, recording.places
    if source is None:
        return None
    shift = (motion.joints[0, 0] - posed.joints[0, 0]).double()
    apart = None
    if places is not None:
        apart = joints_apart(resample_points(places, recording.fps, NATIVE_FPS), posed.joints)
    return replace(source, shift=source.shift + shift, apart=apart)


def joints_apart(
    places: Float[Tensor, "frames 22 3"], joints: Float[Tensor, "frames 22 3"]
) -> JointsApart:
    """How far places of the file, NaN where it has none, lie from our joints."""
    apart_m = torch.linalg.vector_norm(places - joints, dim=-1)
    known = apart_m.isfinite().all(0)
    means = apart_m.mean(0).where(known, apart_m.new_tensor(-1.0))
    farthest = int(means.argmax())
    return JointsApart(
        mean_m=float(apart_m[:, known].mean()),
        most_m=float(apart_m[:, known].max()),
        joint=JOINT_NAMES[farthest],
        joint_mean_m=float(means[farthest]),
    )
