"""Small line charts on one page, drawn large and shrunk to be smooth; distributions of a store;
storyboards, a row per shot."""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

import numpy as np
from jaxtyping import UInt8
from PIL import Image, ImageDraw

from aesop.core.whole_files import atomic_path
from aesop.data.facts import QUANTILES, StoreFacts
from aesop.metrics.motion_metrics import made_line
from aesop.preview import colours
from aesop.preview.canvas import SMALLEST_PAGE_PX, check_size, fit_aspect
from aesop.preview.drawing import STILL, global_panel, key_frames, lens_picture
from aesop.preview.page import Words, blank_page, font, letterbox, place, plain, write_words
from aesop.preview.stage import Stage, stage_of
from aesop.scene.shot import Shot

_LARGER = 3
PANEL_PX = (300, 210)
_MARGINS_PX = (46, 30, 12, 34)  # left, top, right, bottom
SERIES_COLOURS = (colours.ACCENT, colours.GOLD, colours.VISOR)
LINES = len(SERIES_COLOURS)


@dataclass(frozen=True)
class Series:
    """One line: a name for the legend (or none) and a value at every x; NaN leaves a gap."""

    name: str
    values: tuple[float, ...]


@dataclass(frozen=True)
class Panel:
    """One chart. `at` marks an x with a fine vertical line; names stand where lines do not."""

    title: str
    x: tuple[float, ...]
    series: tuple[Series, ...]
    at: float | None = None
    names: Literal["left", "right"] = "right"


@dataclass(frozen=True)
class _Axis:
    low: float
    high: float
    ticks: tuple[float, ...]

    def share(self, value: float) -> float:
        return (value - self.low) / (self.high - self.low)


def axis_for(values: Sequence[float], ticks: int = 4) -> _Axis:
    """Round limits around the values, and round numbers between them."""
    low, high = min(values), max(values)
    if high - low < 1e-9 * max(1.0, abs(high)):
        low, high = low - 0.5 * (abs(low) or 1.0), high + 0.5 * (abs(high) or 1.0)
    raw = (high - low) / ticks
    unit = 10.0 ** math.floor(math.log10(raw))
    step = next(unit * factor for factor in (1, 2, 2.5, 5, 10) if unit * factor >= raw * 0.999)
    first, last = math.floor(low / step + 1e-9), math.ceil(high / step - 1e-9)
    marks = tuple(place * step for place in range(first, last + 1))
    return _Axis(marks[0], marks[-1], marks)


def write_charts(panels: Sequence[Panel], path: Path, columns: int = 4, x_title: str = "") -> None:
    """All panels on one page."""
    rows = math.ceil(len(panels) / columns)
    width, height = (side * _LARGER for side in PANEL_PX)
    size = (min(columns, len(panels)) * width, rows * height)
    page = Image.new("RGB", size, colours.screen(colours.PAPER))
    pen = ImageDraw.Draw(page)
    for number, panel in enumerate(panels):
        row, column = divmod(number, columns)
        _draw(pen, panel, (column * width, row * height), x_title)
    small = page.resize((size[0] // _LARGER * 2, size[1] // _LARGER * 2), Image.Resampling.LANCZOS)
    path.parent.mkdir(parents=True, exist_ok=True)
    with atomic_path(path) as temporary:
        small.save(temporary, "PNG")


def _draw(pen: ImageDraw.ImageDraw, panel: Panel, corner: tuple[int, int], x_title: str) -> None:
    left, top, right, bottom = (side * _LARGER for side in _MARGINS_PX)
    x0, y0 = corner[0] + left, corner[1] + top
    x1 = corner[0] + PANEL_PX[0] * _LARGER - right
    y1 = corner[1] + PANEL_PX[1] * _LARGER - bottom
    shown = [value for series in panel.series for value in series.values if math.isfinite(value)]
    across, up = axis_for(panel.x), axis_for(shown or [0.0])

    def place(x: float, y: float) -> tuple[float, float]:
        return x0 + across.share(x) * (x1 - x0), y1 - up.share(y) * (y1 - y0)

    text = font(11 * _LARGER)
    ink, faint = colours.screen(colours.INK), colours.screen(colours.FLOOR)
    for mark in up.ticks:
        y = place(panel.x[0], mark)[1]
        pen.line([(x0, y), (x1, y)], faint, _LARGER)
        pen.text((x0 - 4 * _LARGER, y), _number(mark, up), ink, text, anchor="rm")
    for mark in across.ticks:
        x = place(mark, up.low)[0]
        pen.text((x, y1 + 4 * _LARGER), _number(mark, across), ink, text, anchor="ma")
    if panel.at is not None:
        x = place(panel.at, up.low)[0]
        pen.line([(x, y0), (x, y1)], colours.screen(colours.FLOOR_LINE), _LARGER)
    for number, series in enumerate(panel.series):
        colour = colours.screen(SERIES_COLOURS[number % len(SERIES_COLOURS)])
        _line(pen, [place(*it) for it in _finite(panel.x, series.values)], colour)
        if series.name:
            side = x1 - 2 * _LARGER if panel.names == "right" else x0 + 2 * _LARGER
            spot = (side, y0 + (4 + 14 * number) * _LARGER)
            pen.text(spot, plain(series.name), colour, text, anchor=f"{panel.names[0]}a")
    middle = (x0 + x1) / 2
    pen.text((middle, corner[1] + 8 * _LARGER), plain(panel.title), ink, font(13 * _LARGER), "ma")
    pen.text((middle, y1 + 19 * _LARGER), plain(x_title), ink, text, anchor="ma")


def _finite(x: Sequence[float], y: Sequence[float]) -> list[tuple[float, float]]:
    return [pair for pair in zip(x, y, strict=True) if math.isfinite(pair[1])]


def _line(
    pen: ImageDraw.ImageDraw, points: list[tuple[float, float]], colour: tuple[int, int, int]
) -> None:
    if len(points) > 1:
        pen.line(points, colour, 2 * _LARGER, joint="curve")
    radius = 2.6 * _LARGER
    for x, y in points:
        pen.ellipse((x - radius, y - radius, x + radius, y + radius), fill=colour)


def _number(value: float, axis: _Axis) -> str:
    step = axis.ticks[1] - axis.ticks[0]
    digits = max(0, -math.floor(math.log10(step) + 1e-9))
    if round(step * 10**digits, 6) % 1:
        digits += 1
    return f"{value:.{digits}f}"


_FACTS: tuple[tuple[str, Callable[[StoreFacts], tuple[float, ...]]], ...] = (
    ("length, frames", lambda facts: facts.length_quantiles),
    ("travel, m", lambda facts: facts.travel_m),
    ("start distance, m", lambda facts: facts.start_distance_m),
    ("start height over the hips, m", lambda facts: facts.start_height_m),
    ("vertical field of view, degrees", lambda facts: facts.fov_vertical_deg),
)


def store_panels(named: Mapping[str, StoreFacts]) -> list[Panel]:
    """Quantiles of every fact: the value (up) below which a share of the split (across) lies. Of
    many splits, those with the most footage: more lines than colours could not be told apart."""
    largest = sorted(named.items(), key=lambda it: -it[1].hours)[:LINES]
    return [
        Panel(
            title,
            QUANTILES,
            tuple(Series(name, of(facts)) for name, facts in largest),
            names="left",
        )
        for title, of in _FACTS
    ]


def write_store_charts(named: Mapping[str, StoreFacts], path: Path) -> None:
    """All facts on one page."""
    write_charts(store_panels(named), path, columns=3, x_title="share of the split")


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
    facts = made_line(strip.shot)
    taken = min(math.ceil(font(size).getlength(plain(facts))), width // 2)
    return [
        Words(strip.title, gap, top, width - taken - 4 * gap, size),
        Words(facts, width - gap, top, taken + 1, size, colours.FAINT_INK, is_right=True),
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
