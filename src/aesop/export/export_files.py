"""What shots and clips can be written as, by the suffix of the file."""

import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from aesop.core.atomic import refuse_target
from aesop.core.errors import FileError
from aesop.core.progress import Progress
from aesop.files.motion_files import WRITERS as MOTION_WRITERS
from aesop.files.motion_files import Writer
from aesop.files.shot_file import write_shot
from aesop.scene.human import Clip
from aesop.scene.shot import Shot


@dataclass(frozen=True)
class ShotWriter:
    """One way out for a shot."""

    suffix: str
    holds: str
    write: Callable[[Shot, Path, Progress | None], None]


@dataclass(frozen=True)
class ClipWriter:
    """One way out for a motion without a camera."""

    suffix: str
    holds: str
    write: Callable[[Clip, Path, Progress | None], None]


def _video(subject: Shot | Clip, path: Path, progress: Progress | None) -> None:
    from aesop.preview.video import write_video

    write_video(subject, path, progress=progress)


def _picture(subject: Shot | Clip, path: Path, _: Progress | None) -> None:
    from aesop.preview.sheets import write_contact_sheet, write_still

    if isinstance(subject, Shot):
        write_contact_sheet(subject, path)
    else:
        write_still(subject, path)


def _gltf(subject: Shot | Clip, path: Path, _: Progress | None) -> None:
    from aesop.export.gltf import write_glb

    write_glb(subject, path)


def _usd(subject: Shot | Clip, path: Path, _: Progress | None) -> None:
    from aesop.export.usd import write_usda

    write_usda(subject, path)


def _motion(shot: Shot, path: Path, _: Progress | None) -> None:
    from aesop.files.bvh_clip import write_bvh

    write_bvh(shot.clip, path)


def _json(shot: Shot, path: Path, _: Progress | None) -> None:
    from aesop.export.camera_tables import write_camera_json

    write_camera_json(shot, path)


def _csv(shot: Shot, path: Path, _: Progress | None) -> None:
    from aesop.export.camera_tables import write_camera_csv

    write_camera_csv(shot, path)


def _blender(shot: Shot, path: Path, _: Progress | None) -> None:
    from aesop.export.blender import write_blender_script

    write_blender_script(shot, path)


SHOT_WRITERS = (
    ShotWriter(".shot", "AESOP's own format, exact", lambda shot, path, _: write_shot(shot, path)),
    ShotWriter(".mp4", "video, from outside and through the lens", _video),
    ShotWriter(".png", "contact sheet", _picture),
    ShotWriter(".glb", "glTF: animated mannequin and camera", _gltf),
    ShotWriter(".usda", "USD: skeleton, mannequin and camera", _usd),
    ShotWriter(".bvh", "the motion alone", _motion),
    ShotWriter(".json", "the camera, frame by frame", _json),
    ShotWriter(".csv", "the camera, one row a frame", _csv),
    ShotWriter(".py", "script that builds motion and camera inside Blender", _blender),
)

CLIP_WRITERS = (
    ClipWriter(".mp4", "video from outside", _video),
    ClipWriter(".png", "poses on one page", _picture),
    ClipWriter(".glb", "glTF: animated mannequin", _gltf),
    ClipWriter(".usda", "USD: skeleton and mannequin", _usd),
)


def shot_writer_for(path: Path) -> ShotWriter:
    """The writer for a file name; raises before any work if it cannot be written."""
    for writer in SHOT_WRITERS:
        if writer.suffix == path.suffix.lower():
            refuse_target(path)
            return writer
    raise _unknown(path, [writer.suffix for writer in SHOT_WRITERS])


def clip_writer_for(path: Path) -> ClipWriter:
    """The writer of a motion for a file name; raises before any work if there is none."""
    suffix = path.suffix.lower()
    for writer in CLIP_WRITERS:
        if writer.suffix == suffix:
            refuse_target(path)
            return writer
    for motion in MOTION_WRITERS:
        if motion.suffix == suffix:
            refuse_target(path)
            return ClipWriter(suffix, motion.holds, _without_progress(motion))
    known = [it.suffix for it in (*MOTION_WRITERS, *CLIP_WRITERS)]
    raise _unknown(path, known)


def _without_progress(writer: Writer) -> Callable[[Clip, Path, Progress | None], None]:
    return lambda clip, path, _: writer.write(clip, path)


def write_export(
    shot: Shot, path: str | os.PathLike[str], progress: Progress | None = None
) -> None:
    """Write a shot in the format that the file name asks for."""
    path = Path(path)
    shot_writer_for(path).write(shot, path, progress)


def _unknown(path: Path, known: list[str]) -> FileError:
    told = f"the suffix {path.suffix!r}" if path.suffix else "no suffix"
    return FileError(f"{path} has {told}, so nothing can be written to it.",
                     f"Known suffixes: {', '.join(known)}.")  # fmt: skip
