"""What shots and clips can be written as, by the suffix of the file."""

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Generic, Literal, TypeVar, assert_never

from aesop.core.errors import FileError, Progress
from aesop.core.whole_files import refuse_target
from aesop.export.delivery import USUAL_DELIVERY, Delivery, World
from aesop.export.file_world import at_rate, in_file_world, person_size
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
    put: Callable[[Subject, Path, Progress | None], None]  # what is placed already
    advice: str = ""
    # Written in the world of the motion's file. What we draw is not, nor are trajectories for video
    # models: those go with the pictures.
    is_placed: bool = True
    # The same with few Bézier keys for the camera, where the format can hold tangents.
    put_keys: Callable[[Subject, Path], None] | None = None
    keys_advice: str = ""

    def write(
        self,
        subject: Subject,
        path: Path,
        progress: Progress | None = None,
        delivery: Delivery = USUAL_DELIVERY,
    ) -> Subject:
        """Write it, with few keys where that is asked for and can be; what was written, at its
        rate. Raises before anything is written if no frame of the motion's file lies inside."""
        placed = subject
        if isinstance(subject, Shot):
            placed = self._placed(subject, delivery.world, delivery.fps)
        if delivery.keys and self.put_keys is not None:
            self.put_keys(placed, path)
        else:
            self.put(placed, path, progress)
        return placed

    def _placed(self, shot: Shot, world: World, fps: float | None) -> Shot:
        """The shot in its file's world, or in ours without a file, as the writer wants it."""
        if self.suffix == ".shot":
            return shot
        if not self.is_placed:
            return shot if fps is None else at_rate(shot, fps)
        match world:
            case "source":
                return in_file_world(shot, fps)
            case "aesop":
                ours = replace(shot, clip=replace(shot.clip, source=None))
                return ours if fps is None else at_rate(ours, fps)
            case _:
                assert_never(world)

    def advice_on(self, subject: Subject, *, keys: bool = False) -> str:
        """The advice, with the subject's rate and length, and what becomes of its keys."""
        advice = f"{self.advice} {self.keys_advice}" if keys else self.advice
        return advice.format(fps=f"{subject.fps:g}", frames=subject.frames).strip()


# Blender 4.5 and 5.0 read a USD file's time codes as frame numbers and leave the scene's rate
# alone; their glTF importer turns seconds into frames by the rate that the scene has by then.
_USD_ADVICE = "Blender ignores a USD file's rate: set the scene's frame rate to {fps}."
_GLTF_ADVICE = "In Blender, set the scene's frame rate to {fps} before importing."
_SPLINE_ADVICE = "Blender drops the tangents of glTF's splines: for keys, use a .py there."
_CHAN_ADVICE = "Import it with rotation order ZXY, at {fps} frames a second; y is up."
_RECAMMASTER_ADVICE = "ReCamMaster reads 81 frames; this file has {frames}."


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


def _chan(shot: Shot, path: Path, _: Progress | None) -> None:
    from aesop.export.camera_tables import write_chan

    write_chan(shot, path)


def _trajectory(
    name: Literal["realestate10k", "recammaster", "nerfstudio"],
) -> Callable[[Shot, Path, Progress | None], None]:
    def write(shot: Shot, path: Path, _: Progress | None) -> None:
        from aesop.export import video_trajectories as files

        writers = {
            "realestate10k": files.write_realestate10k,
            "recammaster": files.write_recammaster,
            "nerfstudio": files.write_nerfstudio,
        }
        writers[name](shot, path)

    return write


def _pass(
    name: Literal["depth", "normal", "pose"],
) -> Callable[[Shot, Path, Progress | None], None]:
    def write(shot: Shot, path: Path, progress: Progress | None) -> None:
        from aesop.preview.control_passes import write_pass

        write_pass(shot, path, name, progress)

    return write


def _blender(shot: Shot, path: Path, _: Progress | None) -> None:
    from aesop.export.blender_script import write_blender_script

    write_blender_script(shot, path)


def _model_keys(shot: Shot, path: Path) -> None:
    from aesop.export.gltf import write_glb

    write_glb(shot, path, as_keys=True)


def _camera_keys(shot: Shot, path: Path) -> None:
    from aesop.export.camera_tables import write_camera_json

    write_camera_json(shot, path, as_keys=True)


def _blender_keys(shot: Shot, path: Path) -> None:
    from aesop.export.blender_script import write_blender_script

    write_blender_script(shot, path, as_keys=True)


def _lens(*, overlay: bool) -> Callable[[Shot, Path, Progress | None], None]:
    def write(shot: Shot, path: Path, progress: Progress | None) -> None:
        from aesop.preview.lens_video import write_lens_video

        write_lens_video(shot, path, progress, overlay=overlay)

    return write


# Videos through the lens: they have the pixels that a shot asks for.
LENS_SUFFIXES = (".lens.mp4", ".overlay.mp4", ".depth.mp4", ".normal.mp4", ".pose.mp4")
SHOT_WRITERS: tuple[ExportWriter[Shot], ...] = (
    ExportWriter(
        ".shot",
        "AESOP's own format, exact",
        lambda shot, path, _: write_shot(shot, path),
        is_placed=False,
    ),
    ExportWriter(".mp4", "video, from outside and through the lens", _video, is_placed=False),
    ExportWriter(
        ".lens.mp4",
        "video of what the lens sees, nothing over it",
        _lens(overlay=False),
        is_placed=False,
    ),
    ExportWriter(
        ".overlay.mp4",
        "the same with thirds, safe areas, words, lens and time over it",
        _lens(overlay=True),
        is_placed=False,
    ),
    ExportWriter(".png", "contact sheet", _picture, is_placed=False),
    ExportWriter(
        ".glb",
        "glTF: animated skeleton and camera",
        _model,
        _GLTF_ADVICE,
        put_keys=_model_keys,
        keys_advice=_SPLINE_ADVICE,
    ),
    ExportWriter(".usda", "USD: animated skeleton and camera", _model, _USD_ADVICE),
    ExportWriter(".bvh", "the motion alone", _bvh),
    ExportWriter(".json", "the camera, frame by frame", _camera, put_keys=_camera_keys),
    ExportWriter(".csv", "the camera, one row a frame", _camera),
    ExportWriter(".chan", "the camera for Nuke and Maya", _chan, _CHAN_ADVICE),
    ExportWriter(
        ".txt",
        "the camera as RealEstate10K text, for CameraCtrl and other video models",
        _trajectory("realestate10k"),
        is_placed=False,
    ),
    ExportWriter(
        ".recammaster.json",
        "the camera for ReCamMaster",
        _trajectory("recammaster"),
        _RECAMMASTER_ADVICE,
        is_placed=False,
    ),
    ExportWriter(
        ".nerfstudio.json",
        "the camera as a nerfstudio camera path",
        _trajectory("nerfstudio"),
        is_placed=False,
    ),
    ExportWriter(
        ".depth.mp4",
        "what the lens sees as inverse depth, near is white",
        _pass("depth"),
        is_placed=False,
    ),
    ExportWriter(
        ".normal.mp4", "what the lens sees as surface normals", _pass("normal"), is_placed=False
    ),
    ExportWriter(
        ".pose.mp4",
        "the person through the lens as OpenPose draws it",
        _pass("pose"),
        is_placed=False,
    ),
    ExportWriter(
        ".py",
        "script that builds person and camera inside Blender",
        _blender,
        put_keys=_blender_keys,
    ),
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
    *,
    keys: bool = False,
) -> None:
    """Write a shot in the format that the file name asks for: where the file of its motion has it,
    at that file's rate, or in AESOP's own world. With `keys` the camera has few Bézier keys within
    1 cm and 0.1°, which only some formats can hold."""
    path = Path(path)
    refuse_keys([path], keys)
    shot_writer_for(path).write(shot, path, progress, Delivery(world, fps, keys))


def refuse_keys(paths: Sequence[Path], keys: bool) -> None:
    """Few keys were asked for, and none of the files can hold them."""
    if keys and all(shot_writer_for(path).put_keys is None for path in paths):
        able = ", ".join(writer.suffix for writer in SHOT_WRITERS if writer.put_keys)
        without = ", ".join(keyless(paths))
        names = paths[0].name if len(paths) == 1 else f"none of the files ({without})"
        can = "cannot" if len(paths) == 1 else "can"
        raise FileError(
            f"Few keys (--keys) were asked for, but {names} {can} hold them.",
            f"Write one of {able} too, or leave the keys away.",
        )


def keyless(paths: Sequence[Path]) -> list[str]:
    """Suffixes among these files that hold a value a frame and no keys."""
    return sorted({suffix_of(path) for path in paths if shot_writer_for(path).put_keys is None})


def _writer_for(path: Path, writers: tuple[ExportWriter[Subject], ...]) -> ExportWriter[Subject]:
    ending = suffix_of(path)
    for writer in writers:
        if writer.suffix == ending.lower():
            refuse_target(path)
            return writer
    found = f"the suffix {ending!r}" if ending else "no suffix"
    known = ", ".join(writer.suffix for writer in writers)
    raise FileError(
        f"{path} has {found}, so nothing can be written to it.", f"Known suffixes: {known}."
    )


def suffix_of(path: Path) -> str:
    """What a file name ends in: two suffixes (`.depth.mp4`) where they name a format together."""
    double = "".join(path.suffixes[-2:])
    is_known = any(writer.suffix == double.lower() for writer in SHOT_WRITERS)
    return double if is_known else path.suffix
