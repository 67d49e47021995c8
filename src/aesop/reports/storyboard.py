"""A storyboard: one row per shot, from outside, from above, and frame after frame by the lens."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from jaxtyping import UInt8

from aesop.preview import colours
from aesop.preview.page import Words, blank_page, font, letterbox, place, plain, write_words
from aesop.preview.panels import global_panel, key_frames
from aesop.preview.scenery import STILL, lens_picture
from aesop.preview.stage import Stage, stage_of
from aesop.preview.view import SMALLEST_PAGE_PX, check_size, fit_aspect
from aesop.reports.film_facts import facts_line, film_facts
from aesop.scene.shot import Shot

WIDTH_PX = 1280
LENS_VIEWS = 4
OUTSIDE_ASPECT, ABOVE_ASPECT, LENS_ASPECT = 1.5, 1.1, 16 / 9
ABOVE_ELEVATION = math.radians(84)  # straight down there would be no telling which way is up


@dataclass(frozen=True, eq=False)
class Strip:
    """One row: what is written over it, and the shot."""

    title: str
    shot: Shot


def storyboard(
    strips: Sequence[Strip], heading: str = "", width: int = WIDTH_PX, lens_views: int = LENS_VIEWS
) -> UInt8[np.ndarray, "height width 3"]:
    """All strips on one page, each with what its camera did."""
    assert strips and lens_views > 0
    check_size((width, width), SMALLEST_PAGE_PX)
    gap = max(width // 160, 2)
    text = max(width // 85, 6)
    gaps = (lens_views + 3) * gap
    tall = int((width - gaps) / (OUTSIDE_ASPECT + ABOVE_ASPECT + lens_views * LENS_ASPECT))
    beside = int(OUTSIDE_ASPECT * tall) + int(ABOVE_ASPECT * tall)
    lens_px = [(width - gaps - beside + view) // lens_views for view in range(lens_views)]
    top = gap + (2 * text if heading else 0)
    pitch = tall + 2 * text + gap
    page = blank_page(width, top + len(strips) * pitch)
    words = [Words(heading, gap, gap, width - 2 * gap, text)] if heading else []
    for number, strip in enumerate(strips):
        row = top + number * pitch
        words += _title(strip, row, width, gap, text)
        left = gap
        for panel in _panels(strip.shot, tall, lens_px):
            place(page, panel, left, row + round(1.7 * text))
            left += panel.shape[1] + gap
    write_words(page, words)
    return page


def _title(strip: Strip, top: int, width: int, gap: int, size: int) -> list[Words]:
    """The words on the left, and what came of them on the right."""
    told = facts_line(film_facts(strip.shot))
    taken = min(math.ceil(font(size).getlength(plain(told))), width // 2)
    return [
        Words(strip.title, gap, top, width - taken - 4 * gap, size),
        Words(told, width - gap, top, taken + 1, size, colours.FAINT_INK, is_right=True),
    ]


def _panels(
    shot: Shot, tall: int, lens_px: Sequence[int]
) -> list[UInt8[np.ndarray, "rows columns 3"]]:
    """From outside, from above, and evenly spaced frames by the lens, as wide as given."""
    stage = stage_of(shot)
    assert stage.camera is not None
    times = key_frames(stage.frames)
    panels = [
        global_panel(stage, (int(OUTSIDE_ASPECT * tall), tall), times),
        global_panel(_from_above(stage), (int(ABOVE_ASPECT * tall), tall), times),
    ]
    frames = np.linspace(0, stage.frames - 1, len(lens_px)).round().astype(int).tolist()
    for frame, wide in zip(frames, lens_px, strict=True):
        picture = lens_picture(stage, frame, fit_aspect(stage.camera.aspect, (wide, tall)), STILL)
        panels.append(letterbox(picture, (wide, tall), bars=colours.PAPER))
    return panels


def _from_above(stage: Stage) -> Stage:
    """The same stage seen from nearly straight above, from the same side."""
    side = stage.outside_from[:2] / np.linalg.norm(stage.outside_from[:2])
    level = math.cos(ABOVE_ELEVATION)
    above = np.array([level * side[0], level * side[1], math.sin(ABOVE_ELEVATION)])
    return replace(stage, outside_from=above)
