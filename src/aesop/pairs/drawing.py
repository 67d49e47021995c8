"""Pairs as papers print them: every member from outside, and its last frame through the lens."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from jaxtyping import UInt8

from aesop.pairs.inspection import Portrait
from aesop.preview import colours
from aesop.preview.page import Words, blank_page, place, write_words
from aesop.preview.panels import global_panel
from aesop.preview.scenery import STILL
from aesop.preview.side_by_side import lens_panel
from aesop.preview.stage import Stage, stage_of
from aesop.scene.shot import Shot

PANEL_WIDTH_PX = 420
_OUTSIDE_SHARE, _LENS_SHARE = 0.72, 0.5625  # heights of the panels, in widths


def pair_page(
    portraits: Sequence[tuple[str, Portrait]], panel_width: int = PANEL_WIDTH_PX
) -> UInt8[np.ndarray, "height width 3"]:
    """One row of panels a portrait, under its title."""
    rows = [_row(title, it, panel_width) for title, it in portraits]
    width = max(row.shape[1] for row in rows)
    page = blank_page(width, sum(len(row) for row in rows))
    top = 0
    for row in rows:
        place(page, row, 0, top)
        top += len(row)
    return page


def _row(title: str, portrait: Portrait, panel_width: int) -> UInt8[np.ndarray, "height width 3"]:
    unit = max(panel_width // 40, 2)
    text = max(round(1.3 * unit), 8)
    outside = panel_width, round(_OUTSIDE_SHARE * panel_width)
    lens = panel_width, round(_LENS_SHARE * panel_width)
    top = unit + 3 * text
    below = top + outside[1] + unit + lens[1] + unit // 2
    count = len(portrait.members)
    page = blank_page(count * (panel_width + unit) + unit, below + 4 * text)
    room = page.shape[1] - 2 * unit
    words = [Words(f"{title}: {portrait.verdict}", unit, unit // 2, room, text, lines=2)]
    first = stage_of(portrait.members[0][1])
    for number, (name, shot) in enumerate(portrait.members):
        left = unit + number * (panel_width + unit)
        above, through = _panels(shot, first, outside, lens)
        place(page, above, left, top)
        place(page, through, left, top + outside[1] + unit)
        words.append(Words(name, left, below, panel_width, text))
        under = below + round(1.4 * text)
        said = shot.camera_words
        words.append(Words(said, left, under, panel_width, text, colours.FAINT_INK))
    write_words(page, words)
    return page


def _panels(
    shot: Shot, first: Stage, outside: tuple[int, int], lens: tuple[int, int]
) -> tuple[UInt8[np.ndarray, "h1 w1 3"], UInt8[np.ndarray, "h2 w2 3"]]:
    # Seen from where the first member is seen from: only the camera differs between them.
    stage = replace(stage_of(shot), outside_from=first.outside_from, to_light=first.to_light)
    last = stage.frames - 1
    return global_panel(stage, outside, [0, last]), lens_panel(stage, last, lens, STILL)
