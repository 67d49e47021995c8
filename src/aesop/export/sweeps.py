"""One request at several intensities: as a figure, as a video of all side by side, as shots."""

import math
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import torch

from aesop.core.errors import FileError, Progress
from aesop.core.pool import in_order
from aesop.core.whole_files import refuse_target
from aesop.files.shot_file import write_shot
from aesop.preview.canvas import Picture
from aesop.preview.drawing import FILM, build_side_by_side, page_picture
from aesop.preview.page import blank_page, place
from aesop.preview.sheets import write_grid_sheet
from aesop.preview.video import encode
from aesop.scene.shot import Shot

COLUMNS = 4
CELL_WIDTH_PX = 480


def sweep_files(path: Path, intensities: Sequence[float]) -> list[Path]:
    """What a sweep writes for a file name; raises before any work if it cannot be written."""
    match path.suffix.lower():
        case ".png" | ".mp4":
            files = [path]
        case ".shot":
            names = [f"{path.stem}_{intensity:.2f}.shot" for intensity in intensities]
            files = [path.with_name(name) for name in names]
            if len(set(files)) < len(files):
                raise FileError(
                    "Two intensities of the sweep would be written to one file.",
                    "Keep intensities 0.01 or more apart.",
                )
        case _:
            raise FileError(
                f"{path} has no suffix that a sweep can be written to.",
                "Choose .png (figure), .mp4 (video) or .shot (a file per intensity).",
            )
    for file in files:
        refuse_target(file)
    return files


def write_sweep(shots: Sequence[Shot], path: Path, progress: Progress | None = None) -> None:
    """Write the shots of a sweep as the suffix asks."""
    files = sweep_files(path, [shot.intensity for shot in shots])
    match path.suffix.lower():
        case ".png":
            write_grid_sheet([_labelled(shot) for shot in shots], path, COLUMNS)
        case ".mp4":
            write_grid_video([_labelled(shot) for shot in shots], path, progress)
        case _:
            for shot, file in zip(shots, files, strict=True):
                write_shot(shot, file)


def write_grid_video(shots: Sequence[Shot], path: Path, progress: Progress | None = None) -> None:
    """All shots at once, each from outside and through its lens. They have one length and rate."""
    pages = [build_side_by_side(shot, CELL_WIDTH_PX) for shot in shots]
    tall = max(page.paper.shape[0] for page in pages)
    columns = min(COLUMNS, len(pages))
    wide, high = columns * CELL_WIDTH_PX, math.ceil(len(pages) / columns) * tall

    def draw(frame: int) -> Picture:
        sheet = blank_page(wide, high + high % 2)
        for number, page in enumerate(pages):
            row, column = divmod(number, columns)
            place(sheet, page_picture(page, frame, FILM), column * CELL_WIDTH_PX, row * tall)
        return sheet

    frames = shots[0].frames
    encode(path, in_order(draw, frames), shots[0].fps, frames, progress)


def _labelled(shot: Shot) -> Shot:
    """The shot with its intensity and the distance between first and last camera as its words."""
    across = torch.linalg.vector_norm(shot.camera.centre[-1] - shot.camera.centre[0])
    travel = float(shot.camera.travel)
    label = f"a = {shot.intensity:g}: travel {travel:.2f} m, first to last {float(across):.2f} m"
    return replace(shot, camera_words=label)
