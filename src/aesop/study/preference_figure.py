"""The all-criteria figure: a point and an interval for every method, a row for every criterion."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from PIL import Image, ImageDraw

from aesop.core.whole_files import atomic_path
from aesop.preview import colours
from aesop.preview.page import font, plain
from aesop.study.preferences import CHANCE, Preference

_LARGER = 3  # drawn large and shrunk: Pillow's circles have rough edges
_WIDTH, _LEFT, _RIGHT = 760, 210, 30
_LANE, _PAD, _HEAD, _FOOT = 15, 8, 40, 34  # of a method, around a row, over a task, below it
_SHADE = "#f1eee8"
# Blue first, because the first method is the study's subject.
METHOD_COLOURS = (
    colours.ACCENT, colours.GOLD, "#4b8f6a", "#b5524a", "#7a5fa8", colours.VISOR, "#6f7d8c",
)  # fmt: skip


Px = int | float  # of the small page


@dataclass(frozen=True)
class FigureRow:
    """One criterion of one task: every method's title and preference against all others."""

    task: str
    criterion: str
    is_overall: bool
    found: tuple[tuple[str, Preference], ...]

    @property
    def height(self) -> int:
        return _LANE * len(self.found) + 2 * _PAD


def draw_preferences(rows: Sequence[FigureRow], title: str, is_simulated: bool, path: Path) -> None:
    """All rows on one page, grouped by task; overall rows are shaded, one half is dashed."""
    tasks = list(dict.fromkeys(row.task for row in rows))
    names = dict.fromkeys(name for row in rows for name, _ in row.found)
    inks = {name: METHOD_COLOURS[at % len(METHOD_COLOURS)] for at, name in enumerate(names)}
    top = 52 if is_simulated else 32
    height = top + sum(row.height for row in rows) + len(tasks) * (_HEAD + _FOOT)
    size = (_WIDTH * _LARGER, height * _LARGER)
    page = Image.new("RGB", size, colours.screen(colours.PAPER))
    pen = _Pen(ImageDraw.Draw(page))
    pen.text((14, 10), title, 15, colours.INK)
    if is_simulated:
        pen.text((14, 32), "SIMULATED VOTES: nobody was asked", 12, "#b5524a")
    y = top
    for task in tasks:
        own = [row for row in rows if row.task == task]
        pen.text((14, y + 22), task, 14, colours.INK, "lm")
        _legend(pen, [name for name, _ in own[0].found], inks, y + 22)
        y += _HEAD
        y = _task_rows(pen, own, inks, y) + _FOOT
    small = page.resize((_WIDTH * 2, height * 2), Image.Resampling.LANCZOS)
    with atomic_path(path) as temporary:
        small.save(temporary, "PNG")


class _Pen:
    """Draws in the small page's pixels."""

    def __init__(self, draw: ImageDraw.ImageDraw) -> None:
        self._draw = draw

    def text(self, spot: tuple[Px, Px], text: str, size: int, ink: str, anchor: str = "la") -> None:
        place = (spot[0] * _LARGER, spot[1] * _LARGER)
        colour = colours.screen(ink)
        self._draw.text(place, plain(text), colour, font(size * _LARGER), anchor=anchor)

    def line(self, ends: tuple[Px, Px, Px, Px], ink: str, width: Px = 1) -> None:
        scaled = [end * _LARGER for end in ends]
        self._draw.line(scaled, colours.screen(ink), round(width * _LARGER))

    def box(self, corners: tuple[Px, Px, Px, Px], ink: str) -> None:
        self._draw.rectangle([it * _LARGER for it in corners], colours.screen(ink))

    def dot(self, x: Px, y: Px, radius: Px, ink: str) -> None:
        corners = [it * _LARGER for it in (x - radius, y - radius, x + radius, y + radius)]
        self._draw.ellipse(corners, colours.screen(ink))


def _across(share: float) -> float:
    return _LEFT + share * (_WIDTH - _LEFT - _RIGHT)


def _legend(pen: _Pen, names: Sequence[str], inks: dict[str, str], y: Px) -> None:
    x = float(_LEFT)
    for name in names:
        pen.dot(x + 4, y, 4, inks[name])
        pen.text((x + 13, y), name, 11, colours.INK, "lm")
        x += 13 + font(11).getlength(plain(name)) + 20


def _task_rows(pen: _Pen, rows: Sequence[FigureRow], inks: dict[str, str], top: Px) -> Px:
    bottom = top + sum(row.height for row in rows)
    y = top
    for row in rows:
        if row.is_overall:
            pen.box((8, y, _WIDTH - 8, y + row.height), _SHADE)
        y += row.height
    for tenth in range(0, 11, 2):
        x = _across(tenth / 10)
        pen.line((x, top, x, bottom), colours.FLOOR)
        pen.text((x, bottom + 5), f"{10 * tenth} %", 11, colours.FAINT_INK, "ma")
    for dash in range(int(bottom - top) // 6 + 1):
        x, start = _across(CHANCE), top + 6 * dash
        pen.line((x, start, x, min(start + 3, bottom)), colours.INK, 1.3)
    y = top
    for row in rows:
        pen.text((_LEFT - 14, y + row.height / 2), row.criterion, 12, colours.INK, "rm")
        for lane, (name, found) in enumerate(row.found):
            _point(pen, found, y + _PAD + _LANE * (lane + 0.5), inks[name])
        y += row.height
    return bottom


def _point(pen: _Pen, found: Preference, y: Px, ink: str) -> None:
    if found.value is None:
        return
    if found.interval is not None:
        low, high = _across(found.interval.low), _across(found.interval.high)
        pen.line((low, y, high, y), ink, 1.6)
        for end in (low, high):
            pen.line((end, y - 3, end, y + 3), ink, 1.6)
    pen.dot(_across(found.value), y, 4, ink)
