"""What shots and clips can be written as, by the suffix of the file."""

import os
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Generic, TypeVar, assert_never

from aesop.core.errors import FileError, Progress
from aesop.core.whole_files import refuse_target
from aesop.export.file_world import World, at_rate, in_file_world, person_size
from aesop.files.bvh_clip import write_armature, write_bvh
from aesop.files.motion_files import WRITERS as MOTION_WRITERS
from aesop.files.shot_file import write_shot
from aesop.scene.human import Clip
from aesop.scene.shot import Shot

Subject = TypeVar("Subject", Shot, Clip)


@dataclass(frozen=True)
class ExportWriter(Generic[Subject]):
    """One way out for a shot, or for a motion without a camera.

    `advice` is for whoever opens the file: what its format cannot tell the program that reads it.
    """

    suffix: str
    holds: str
    write: Callable[[Subject, Path, Progress | None], None]
    advice: str = ""
    is_placed: bool = True  # written in the world of the motion's file; what we draw is not

    def advice_on(self, subject: Subject) -> str:
        """The advice, with the subject's rate."""
        return self.advice.format(fps=f"{subject.fps:g}")


def placed(shot: Shot, writer: ExportWriter[Shot], world: World, fps: float | None = None) -> Shot:
    """The shot as a writer wants it: in its file's world, or in ours without a file. Raises before
    anything is written if no frame of the file lies inside the shot."""
    if not writer.is_placed:
        return shot
    match world:
        case "source":
            return in_file_world(shot, fps)
        case "aesop":
            ours = replace(shot, clip=replace(shot.clip, source=None))
            return ours if fps is None else at_rate(ours, fps)
        case _:
            assert_never(world)


# Blender 4.5 and 5.0 read a USD file's time codes as frame numbers and leave the scene's rate
# alone; their glTF importer turns seconds into frames by the rate that the scene has by then.
_USD_ADVICE = "Blender ignores a USD file's rate: set the scene's frame rate to {fps}."
_GLTF_ADVICE = "In Blender, set the scene's frame rate to {fps} before importing."


# Drawing and exporting load much that filming to a .shot file does not need.
def _video(subject: Shot | Clip, path: Path, progress: Progress | None) -> None:
    from aesop.preview.video import write_video

    write_video(subject, path, progress=progress)


def _picture(subject: Shot | Clip, path: Path, _: Progress | None) -> None:
    from aesop.preview.sheets import write_contact_sheet

    write_contact_sheet(subject, path)


def _bvh(shot: Shot, path: Path, _: Progress | None) -> None:
    source = shot.clip.source
    if source is None:
        write_bvh(shot.clip, path)
    elif source.armature is None:
        write_bvh(shot.clip, path, person_size(shot.clip))
    else:
        write_armature(source.armature, shot.fps, path)


def _model(subject: Shot | Clip, path: Path, _: Progress | None) -> None:
    from aesop.export.gltf import write_glb
    from aesop.export.usd import write_usda

    (write_glb if path.suffix.lower() == ".glb" else write_usda)(subject, path)


def _camera(shot: Shot, path: Path, _: Progress | None) -> None:
    from aesop.export.camera_tables import write_camera_csv, write_camera_json

    (write_camera_json if path.suffix.lower() == ".json" else write_camera_csv)(shot, path)


def _blender(shot: Shot, path: Path, _: Progress | None) -> None:
    from aesop.export.blender_script import write_blender_script

    write_blender_script(shot, path)


SHOT_WRITERS: tuple[ExportWriter[Shot], ...] = (
    ExportWriter(
        ".shot",
        "AESOP's own format, exact",
        lambda shot, path, _: write_shot(shot, path),
        is_placed=False,
    ),
    ExportWriter(".mp4", "video, from outside and through the lens", _video, is_placed=False),
    ExportWriter(".png", "contact sheet", _picture, is_placed=False),
    ExportWriter(".glb", "glTF: animated skeleton and camera", _model, _GLTF_ADVICE),
    ExportWriter(".usda", "USD: animated skeleton and camera", _model, _USD_ADVICE),
    ExportWriter(".bvh", "the motion alone", _bvh),
    ExportWriter(".json", "the camera, frame by frame", _camera),
    ExportWriter(".csv", "the camera, one row a frame", _camera),
    ExportWriter(".py", "script that builds person and camera inside Blender", _blender),
)


def _without_progress(
    write: Callable[[Clip, Path], None],
) -> Callable[[Clip, Path, Progress | None], None]:
    return lambda clip, path, _: write(clip, path)


CLIP_WRITERS: tuple[ExportWriter[Clip], ...] = (
    *(ExportWriter(w.suffix, w.holds, _without_progress(w.write)) for w in MOTION_WRITERS),
    ExportWriter(".mp4", "video from outside", _video),
    ExportWriter(".png", "poses on one page", _picture),
    ExportWriter(".glb", "glTF: animated mannequin", _model, _GLTF_ADVICE),
    ExportWriter(".usda", "USD: skeleton and mannequin", _model, _USD_ADVICE),
)


def shot_writer_for(path: Path) -> ExportWriter[Shot]:
    """The writer of a shot for a file name; raises before any work if it cannot be written."""
    return _writer_for(path, SHOT_WRITERS)


def clip_writer_for(path: Path) -> ExportWriter[Clip]:
    """The writer of a motion for a file name; raises before any work if there is none."""
    return _writer_for(path, CLIP_WRITERS)


def write_export(
    shot: Shot,
    path: str | os.PathLike[str],
    progress: Progress | None = None,
    world: World = "source",
    fps: float | None = None,
) -> None:
    """Write a shot in the format that the file name asks for: where the file of its motion has it,
    at that file's rate, or in AESOP's own world."""
    path = Path(path)
    writer = shot_writer_for(path)
    writer.write(placed(shot, writer, world, fps), path, progress)


def _writer_for(path: Path, writers: tuple[ExportWriter[Subject], ...]) -> ExportWriter[Subject]:
    for writer in writers:
        if writer.suffix == path.suffix.lower():
            refuse_target(path)
            return writer
    ending = f"the suffix {path.suffix!r}" if path.suffix else "no suffix"
    known = ", ".join(writer.suffix for writer in writers)
    raise FileError(
        f"{path} has {ending}, so nothing can be written to it.", f"Known suffixes: {known}."
    )
