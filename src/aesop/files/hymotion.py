"""HY-Motion archives: SMPL-H poses in a y-up world at 30 fps, marked by the key `Rh`."""

from pathlib import Path

from aesop.files.amass import body_angles, smpl_recording
from aesop.files.arrays import open_archive
from aesop.files.native import native_clip
from aesop.scene.human import Clip

HYMOTION_FPS = 30.0  # the archive does not say; the model makes no other


def read_hymotion(path: Path, *, fps: float | None = None) -> Clip:
    """A motion saved by HY-Motion 1.0."""
    archive = open_archive(path)
    archive.require("poses", "trans")
    rate = fps if fps is not None else HYMOTION_FPS
    recording = smpl_recording(archive, body_angles(archive), rate, "HY-Motion", up="y")
    return native_clip(recording, path)
