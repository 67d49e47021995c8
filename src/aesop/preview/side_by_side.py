"""The view from outside beside the view through the lens, with the words and the clock."""

from dataclasses import dataclass

import numpy as np
from jaxtyping import UInt8

from aesop.preview import colours
from aesop.preview.page import Box, Words, blank_page, letterbox, place, rule_thirds, write_words
from aesop.preview.scenery import Finish, OutsideSet, build_outside, lens_picture, outside_picture
from aesop.preview.stage import Stage, stage_of
from aesop.preview.view import SMALLEST_PAGE_PX, check_size, fit_aspect
from aesop.scene.human import Clip
from aesop.scene.shot import Shot

PAGE_WIDTH_PX = 1280
OUTSIDE_ASPECT = 1.25
TALLEST_SHARE = 0.46  # of the page's width, so that upright pictures stay on a screen


@dataclass(frozen=True, eq=False)
class SideBySide:
    """A page ready to take its panels frame by frame; a clip without camera has no lens panel."""

    stage: Stage
    outside: OutsideSet
    outside_box: Box
    lens_box: Box | None
    clock: Words
    paper: UInt8[np.ndarray, "height width 3"]


def build_side_by_side(subject: Shot | Clip, width: int = PAGE_WIDTH_PX) -> SideBySide:
    """Lay out the page for a shot or a clip and draw everything that does not move."""
    check_size((width, width), SMALLEST_PAGE_PX)
    stage = stage_of(subject)
    unit = max(width // 80, 2)
    outside_box, lens_box = _panels(stage, width, unit)
    text_size = max(round(1.1 * unit), 6)
    below = outside_box.top + outside_box.height + unit // 2
    height = below + 4 * text_size + unit
    paper = blank_page(width, height + height % 2)
    half = (width - 3 * unit) // 2
    clock = Words("", width - unit, below, half, text_size, colours.FAINT_INK, is_right=True)
    write_words(paper, _captions(subject, unit, below, text_size, width - 2 * unit - half // 2))
    outside = build_outside(stage, outside_box.size)
    return SideBySide(stage, outside, outside_box, lens_box, clock, paper)


def page_picture(
    page: SideBySide, frame: int, finish: Finish
) -> UInt8[np.ndarray, "height width 3"]:
    """The whole page at one frame."""
    picture = page.paper.copy()
    panel = outside_picture(page.stage, page.outside, frame, finish)
    place(picture, panel, page.outside_box.left, page.outside_box.top)
    if page.lens_box is not None:
        panel = lens_panel(page.stage, frame, page.lens_box.size, finish)
        place(picture, panel, page.lens_box.left, page.lens_box.top)
    clock = page.clock
    text = f"{frame / page.stage.fps:.2f} s, frame {frame + 1} of {page.stage.frames}"
    strip = picture[clock.top : clock.top + 2 * clock.size, clock.left - clock.width : clock.left]
    words = Words(text, clock.width, 0, clock.width, clock.size, clock.colour, is_right=True)
    write_words(strip, [words])
    return picture


def lens_panel(
    stage: Stage, frame: int, size: tuple[int, int], finish: Finish, thirds: bool = False
) -> UInt8[np.ndarray, "height width 3"]:
    """The lens view in its own aspect ratio, in the middle of a panel."""
    assert stage.camera is not None
    fitted = fit_aspect(stage.camera.aspect, size)
    picture = lens_picture(stage, frame, fitted, finish)
    if thirds:
        rule_thirds(picture)
    return picture if fitted == size else letterbox(picture, size)


def _panels(stage: Stage, width: int, unit: int) -> tuple[Box, Box | None]:
    """Two panels of one height; the lens panel has the lens's aspect ratio."""
    inner = width - 2 * unit
    if stage.camera is None:
        return Box(unit, unit, inner, max(round(inner / 1.6), 2)), None
    aspect = min(max(stage.camera.aspect, 0.2), 5.0)
    height = min((inner - unit) / (OUTSIDE_ASPECT + aspect), TALLEST_SHARE * width)
    lens_width = max(round(height * aspect), 2)
    outside_width = max(inner - unit - lens_width, 2)
    tall = max(round(height), 2)
    return (
        Box(unit, unit, outside_width, tall),
        Box(unit + outside_width + unit, unit, lens_width, tall),
    )


def _captions(subject: Shot | Clip, left: int, top: int, size: int, width: int) -> list[Words]:
    if isinstance(subject, Clip):
        return [Words(subject.name, left, top, width, size)]
    first = subject.camera_words or subject.clip.name
    lines = [Words(first, left, top, width, size)]
    if subject.human_words:
        below = top + round(1.5 * size)
        lines.append(Words(subject.human_words, left, below, width, size, colours.FAINT_INK))
    return lines
