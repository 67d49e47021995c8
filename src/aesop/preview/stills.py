"""Stills and sheets as picture files."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
from jaxtyping import UInt8
from PIL import Image

from aesop.errors import FileError
from aesop.files.atomic import atomic_path, refuse_target
from aesop.preview.draw import draw_poses, draw_side_by_side
from aesop.preview.sheets import contact_sheet, grid_sheet
from aesop.scene.human import Clip
from aesop.scene.shot import Shot

FORMATS = {".png": "PNG", ".jpg": "JPEG", ".jpeg": "JPEG", ".webp": "WEBP"}


def write_still(subject: Shot | Clip, path: Path, frame: int | None = None) -> None:
    """One frame side by side; without a frame, the middle of a shot or all poses of a clip."""
    check_picture_target(path)
    if frame is None and isinstance(subject, Clip):
        write_picture(draw_poses(subject), path)
    else:
        chosen = (subject.frames - 1) // 2 if frame is None else frame
        write_picture(draw_side_by_side(subject, chosen), path)


def write_contact_sheet(shot: Shot, path: Path) -> None:
    """The whole shot on one page."""
    check_picture_target(path)
    write_picture(contact_sheet(shot), path)


def write_grid_sheet(subjects: Sequence[Shot | Clip], path: Path, columns: int = 4) -> None:
    """Several shots or clips on one page."""
    check_picture_target(path)
    write_picture(grid_sheet(subjects, columns), path)


def check_picture_target(path: Path) -> None:
    """Raise at once if no picture can be written there."""
    if path.suffix.lower() not in FORMATS:
        raise FileError(
            f"{path.name} does not end like a picture.", f"End it in {', '.join(FORMATS)}."
        )
    refuse_target(path)


def write_picture(picture: UInt8[np.ndarray, "height width 3"], path: Path) -> None:
    """Write a drawn picture in the format that its name ends in, completely or not at all."""
    check_picture_target(path)
    with atomic_path(path) as temporary:
        Image.fromarray(picture).save(temporary, format=FORMATS[path.suffix.lower()], quality=92)
