"""AESOP's own files: `.shot` (a motion and the camera that films it) and `.clip` (a motion alone).

What is written comes back bit for bit.
"""

from dataclasses import asdict
from pathlib import Path
from typing import get_args

import torch

from aesop.errors import FileError
from aesop.files.container import REMEDY, Contents, read_contents, write_contents
from aesop.files.inputs import check_length, check_rate, check_reach, check_rotations
from aesop.scene.camera import CameraPath
from aesop.scene.human import Clip, HumanMotion, Provenance, RotationSource
from aesop.scene.shot import Shot
from aesop.scene.skeleton import JOINTS

SHOT_FORMAT, CLIP_FORMAT = "aesop.shot", "aesop.clip"
_MOTION_SHAPES = {"rotations": (JOINTS, 3, 3), "joints": (JOINTS, 3)}
_CAMERA_SHAPES = {"world_from_camera": (3, 3), "centre": (3,), "fov_vertical": ()}
_SHAPES = {CLIP_FORMAT: _MOTION_SHAPES, SHOT_FORMAT: _MOTION_SHAPES | _CAMERA_SHAPES}


def write_shot(shot: Shot, path: Path) -> None:
    """The shot, exactly; `path` appears complete or not at all."""
    clip, camera = shot.clip, shot.camera
    tensors = {
        "rotations": clip.motion.rotations,
        "joints": clip.motion.joints,
        "world_from_camera": camera.world_from_camera,
        "centre": camera.centre,
        "fov_vertical": camera.fov_vertical,
    }
    values = _clip_values(clip) | {
        "aspect": float(camera.aspect),
        "camera_words": shot.camera_words,
        "human_words": shot.human_words,
        "intensity": float(shot.intensity),
        "shot_provenance": asdict(shot.provenance),
    }
    write_contents(path, SHOT_FORMAT, tensors, values)


def write_clip(clip: Clip, path: Path) -> None:
    """The clip, exactly."""
    tensors = {"rotations": clip.motion.rotations, "joints": clip.motion.joints}
    write_contents(path, CLIP_FORMAT, tensors, _clip_values(clip))


def read_shot(path: Path) -> Shot:
    """Inverse of `write_shot`."""
    contents = read_contents(path, _SHAPES)
    if contents.format != SHOT_FORMAT:
        raise FileError(
            f"{path} holds a motion without a camera.", "Film it first, or open it as a motion."
        )
    return Shot(
        clip=_clip(contents),
        camera=_camera(contents),
        provenance=_provenance(contents, "shot_provenance"),
        camera_words=contents.text("camera_words"),
        human_words=contents.text("human_words"),
        intensity=contents.number("intensity"),
    )


def read_clip(path: Path) -> Clip:
    """The motion of a `.clip` or a `.shot` file."""
    return _clip(read_contents(path, _SHAPES))


def _clip_values(clip: Clip) -> dict[str, object]:
    return {
        "fps": float(clip.fps),
        "name": clip.name,
        "clip_provenance": asdict(clip.provenance),
    }


def _clip(contents: Contents) -> Clip:
    fps, path = contents.number("fps"), contents.path
    motion = HumanMotion(contents.tensors["rotations"], contents.tensors["joints"])
    check_rate(fps, path)
    check_length(motion.frames, fps, path)
    check_rotations(motion.rotations, f"The tensor 'rotations' in {path}")
    check_reach(motion.joints, "the person", path)
    return Clip(motion, fps, contents.text("name"), _provenance(contents, "clip_provenance"))


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
