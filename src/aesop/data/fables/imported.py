"""A take on our skeleton, screened; kept on disk so that an interrupted build need not import it
again."""

from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from aesop.data.fables.archive import HEADER_FPS, TakeFile
from aesop.data.fables.screening import glitches, has_wrong_rate
from aesop.data.fables.takes import Take
from aesop.data.fables.windows import spans
from aesop.errors import AesopError
from aesop.files.bvh import frame_rate
from aesop.files.bvh_clip import read_bvh_clip
from aesop.files.shot_file import read_clip, write_clip
from aesop.scene.human import Clip


@dataclass(frozen=True)
class ImportedTake:
    """What the first round found: where the clip lies, how many good frames, or why none."""

    take: Take
    path: Path
    frames: int
    fault: str | None

    def clip(self) -> Clip:
        return read_clip(self.path)


def import_take(take: Take, file: TakeFile, cache: Path) -> ImportedTake:
    """Import one take; a take that cannot be used says why."""
    path = cache / f"{take.name}.clip"
    try:
        if not path.exists():
            write_clip(replace(_read(take, file), name=take.name), path)
        clip = read_clip(path)
    except AesopError as refused:
        return ImportedTake(take, path, 0, f"not readable ({type(refused).__name__})")
    joints = clip.motion.joints.double().numpy()
    if has_wrong_rate(joints, take.description):
        return ImportedTake(take, path, 0, "cadence of a wrong frame rate")
    good = sum(stop - first for first, stop in spans(~glitches(joints)))
    return ImportedTake(take, path, good, None if good else "no stretch of good frames")


def _read(take: Take, file: TakeFile) -> Clip:
    """The public release says 120 fps everywhere; the table knows the rate of the capture."""
    says = frame_rate(file.path)
    public = bool(np.isclose(says, HEADER_FPS, rtol=0.01))
    return read_bvh_clip(file.path, fps=take.captured_fps if public else None)
