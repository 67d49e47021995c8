"""One request at several intensities: as a figure, as a video of all side by side, as shots."""

import math
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import torch

from aesop.core.errors import FileError, Progress
from aesop.core.pool import in_order
from aesop.core.whole_files import refuse_target
from aesop.export.delivery import USUAL_DELIVERY, Delivery
from aesop.export.export_files import shot_writer_for, suffix_of
from aesop.export.file_world import at_rate
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
    match suffix_of(path).lower():
        case ".png" | ".mp4":
            files = [path]
        case _:
            shot_writer_for(path)
            ending = suffix_of(path)
            stem = path.name.removesuffix(ending)
            files = [path.with_name(f"{stem}_{it:.2f}{ending}") for it in intensities]
            if len(set(files)) < len(files):
                raise FileError(
                    "Two intensities of the sweep would be written to one file.",
                    "Keep intensities 0.01 or more apart.",
                )
    for file in files:
        refuse_target(file)
    return files


def write_sweep(
    shots: Sequence[Shot],
    path: Path,
    progress: Progress | None = None,
    delivery: Delivery = USUAL_DELIVERY,
) -> str:
    """Write the shots of a sweep as the suffix asks; what whoever opens the files should know."""
    files = sweep_files(path, [shot.intensity for shot in shots])
    match suffix_of(path).lower():
        case ".png":
            write_grid_sheet(_pictured(shots, delivery), path, COLUMNS)
            return ""
        case ".mp4":
            write_grid_video(_pictured(shots, delivery), path, progress)
            return ""
        case _:
            writer = shot_writer_for(path)
            written = [
                writer.write(shot, file, progress, delivery)
                for shot, file in zip(shots, files, strict=True)
            ]
            return writer.advice_on(written[0], keys=delivery.keys)


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


def _pictured(shots: Sequence[Shot], delivery: Delivery) -> list[Shot]:
    """Shots as they are drawn: at the rate that is asked for, with a label each."""
    fps = delivery.fps
    return [_labelled(shot if fps is None else at_rate(shot, fps)) for shot in shots]


def _labelled(shot: Shot) -> Shot:
    """The shot with its intensity and the distance between first and last camera as its words."""
    across = torch.linalg.vector_norm(shot.camera.centre[-1] - shot.camera.centre[0])
    travel = float(shot.camera.travel)
    label = f"a = {shot.intensity:g}: travel {travel:.2f} m, first to last {float(across):.2f} m"
    return replace(shot, camera_words=label)
