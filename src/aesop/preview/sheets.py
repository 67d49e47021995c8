"""Contact sheets: a shot on one page as papers print it, many shots or clips on one page; stills
as picture files."""

import io
import math
from collections.abc import Sequence
from pathlib import Path

from PIL import Image

from aesop.core.errors import ClipError, FileError
from aesop.core.whole_files import atomic_path, refuse_target
from aesop.preview import colours
from aesop.preview.canvas import SMALLEST_PAGE_PX, Picture, check_size, fit_aspect
from aesop.preview.drawing import (
    STILL,
    global_panel,
    key_frames,
    lens_panel,
    lens_picture,
    poses_panel,
)
from aesop.preview.page import Words, badge, blank_page, letterbox, place, write_words
from aesop.preview.stage import Stage, stage_of
from aesop.scene.human import Clip
from aesop.scene.shot import Shot

SHEET_WIDTH_PX = 1600
LENS_SHARE = 0.335  # of the sheet's width
TALLEST_SHARE = 0.62
POSES_PX = (960, 640)


def contact_sheet(shot: Shot, width: int = SHEET_WIDTH_PX) -> Picture:
    """One view of the whole shot from outside, beside three lens views at successive times."""
    check_size((width, width), SMALLEST_PAGE_PX)
    stage = stage_of(shot)
    unit = max(width // 100, 2)
    inner = width - 2 * unit
    aspect = shot.camera.aspect
    tall = min(3 * LENS_SHARE * inner / aspect, TALLEST_SHARE * inner)
    lens_size = (max(round(tall / 3 * aspect), 2), max(round(tall / 3), 2))
    global_size = (inner - unit - lens_size[0], 3 * lens_size[1] + 2 * unit)
    text_size = max(round(1.35 * unit), 6)
    top = unit + (round(3.2 * text_size) if shot.camera_words or shot.human_words else 0)
    page = blank_page(width, top + global_size[1] + unit)
    _title(page, shot, unit, text_size)
    times = key_frames(stage.frames)
    panel = global_panel(stage, global_size, times)
    place(page, panel, unit, top)
    for number, frame in enumerate(times):
        picture = lens_panel(stage, frame, lens_size, STILL)
        left = 2 * unit + global_size[0]
        row = top + number * (lens_size[1] + unit)
        place(page, picture, left, row)
        _lens_label(page, stage, number, frame, (left, row, unit))
    return page


def _title(page: Picture, shot: Shot, unit: int, text_size: int) -> None:
    width = page.shape[1] - 2 * unit
    lines = [(shot.camera_words, colours.INK), (shot.human_words, colours.FAINT_INK)]
    words = [
        Words(text, unit, unit + round(1.45 * number * text_size), width, text_size, colour)
        for number, (text, colour) in enumerate(lines)
        if text
    ]
    write_words(page, words)


def _lens_label(
    page: Picture,
    stage: Stage,
    number: int,
    frame: int,
    corner: tuple[int, int, int],
) -> None:
    left, top, unit = corner
    size = max(round(0.85 * unit), 6)
    badge(page, str(number + 1), (left + 1.3 * size, top + 1.3 * size), size)
    clock = Words(f"{frame / stage.fps:.2f} s", left + round(2.8 * size), top + round(0.7 * size),
                  12 * size, size, has_plate=True)  # fmt: skip
    write_words(page, [clock])


def grid_sheet(subjects: Sequence[Shot | Clip], columns: int = 4, cell_width: int = 400) -> Picture:
    """Several shots or clips in one picture: poses from outside, the lens view of shots inset."""
    if not subjects or columns < 1:
        raise ClipError("There is nothing to put on the sheet.", "Give at least one shot or clip.")
    columns = min(columns, len(subjects))
    unit = max(cell_width // 40, 2)
    has_lens = any(isinstance(subject, Shot) for subject in subjects)
    cell_height = round((0.95 if has_lens else 0.75) * cell_width)
    text_size = max(round(1.35 * unit), 6)
    pitch = cell_height + 3 * text_size + unit
    rows = math.ceil(len(subjects) / columns)
    size = (columns * (cell_width + unit) + unit, rows * pitch + unit)
    check_size(size, SMALLEST_PAGE_PX)
    page = blank_page(*size)
    words: list[Words] = []
    for number, subject in enumerate(subjects):
        row, column = divmod(number, columns)
        left, top = unit + column * (cell_width + unit), unit + row * pitch
        place(page, _cell(subject, (cell_width, cell_height)), left, top)
        words += _cell_words(subject, left, top + cell_height + unit // 2, cell_width, text_size)
    write_words(page, words)
    return page


def _cell(subject: Shot | Clip, size: tuple[int, int]) -> Picture:
    """Poses from outside, and below them three lens views if there is a lens."""
    width, height = size
    stage = stage_of(subject)
    times = key_frames(stage.frames)
    if stage.camera is None:
        return poses_panel(stage, size)
    gap = max(width // 100, 1)
    lens_size = ((width - 2 * gap) // 3, max(height // 5, 2))
    cell = blank_page(width, height)
    place(cell, global_panel(stage, (width, height - lens_size[1] - gap), times), 0, 0)
    for number, frame in enumerate(times):
        picture = lens_picture(stage, frame, fit_aspect(stage.camera.aspect, lens_size), STILL)
        panel = letterbox(picture, lens_size, bars=colours.PAPER)
        place(cell, panel, number * (lens_size[0] + gap), height - lens_size[1])
    return cell


def _cell_words(subject: Shot | Clip, left: int, top: int, width: int, size: int) -> list[Words]:
    if isinstance(subject, Clip):
        facts = f"{subject.seconds:.1f} s"
        return [
            Words(subject.name, left, top, width, size),
            Words(facts, left, top + round(1.3 * size), width, size, colours.FAINT_INK),
        ]
    return [Words(subject.camera_words or subject.clip.name, left, top, width, size, lines=2)]


FORMATS = {".png": "PNG", ".jpg": "JPEG", ".jpeg": "JPEG", ".webp": "WEBP"}


def write_contact_sheet(subject: Shot | Clip, path: Path) -> None:
    """The whole shot, or all poses of a clip, on one page."""
    check_picture_target(path)
    write_picture(_sheet(subject), path)


def notebook_png(subject: Shot | Clip) -> bytes:
    """What a notebook shows of it: the same page, as the bytes of a PNG file."""
    stream = io.BytesIO()
    Image.fromarray(_sheet(subject)).save(stream, "PNG")
    return stream.getvalue()


def _sheet(subject: Shot | Clip) -> Picture:
    if isinstance(subject, Shot):
        return contact_sheet(subject)
    return poses_panel(stage_of(subject), POSES_PX)


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


def write_picture(picture: Picture, path: Path) -> None:
    """Write a drawn picture in the format that its name ends in, completely or not at all."""
    check_picture_target(path)
    with atomic_path(path) as temporary:
        Image.fromarray(picture).save(temporary, format=FORMATS[path.suffix.lower()], quality=92)
