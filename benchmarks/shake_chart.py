"""Draws spectra and turn speeds of two collections of cameras beside each other, with PIL only."""

from dataclasses import dataclass

import numpy as np
from jaxtyping import Float, UInt8
from PIL import Image, ImageDraw, ImageFont

_WIDTH, _HEIGHT, _MARGIN = 560, 460, 64
_SCALE = 2  # drawn larger, then shrunk: smooth lines
_INK, _MUTED, _PALE = (30, 34, 40), (110, 118, 128), (150, 160, 172)
_GRID = (228, 231, 235)
_REAL, _OURS = (196, 78, 42), (38, 96, 164)
_HZ, _POWER = (0.15, 12.5), (1e-7, 1e1)
_SPEED = (0.02, 100.0)


@dataclass(frozen=True, eq=False)
class Panel:
    """One collection: a spectrum per path (square degrees per Hz), and all turn speeds."""

    title: str
    hz: Float[np.ndarray, " frequencies"]
    power: Float[np.ndarray, "paths frequencies"]
    speed_deg_s: Float[np.ndarray, " transitions"]


class _Axes:
    """A box with logarithmic x and linear or logarithmic y."""

    def __init__(
        self,
        draw: ImageDraw.ImageDraw,
        left: int,
        x_span: tuple[float, float],
        y_span: tuple[float, float],
        log_y: bool = True,
    ) -> None:
        self.draw, self.log_y = draw, log_y
        self.x_span, self.y_span = x_span, y_span
        self.box = (left + _MARGIN, 56, left + _WIDTH - 16, _HEIGHT - 52)
        self.font = ImageFont.load_default(13 * _SCALE)

    def at(self, x: float, y: float) -> tuple[float, float]:
        x_share = np.log(x / self.x_span[0]) / np.log(self.x_span[1] / self.x_span[0])
        low, high = self.y_span
        y_share = np.log(y / low) / np.log(high / low) if self.log_y else (y - low) / (high - low)
        left, top, right, bottom = self.box
        return (
            float(left + x_share * (right - left)) * _SCALE,
            float(bottom - y_share * (bottom - top)) * _SCALE,
        )

    def frame(
        self, title: str, x_ticks: list[float], y_ticks: list[float], labels: tuple[str, str]
    ) -> None:
        left, top, right, bottom = (edge * _SCALE for edge in self.box)
        for tick in x_ticks:
            x, _ = self.at(tick, self.y_span[0])
            self.draw.line([(x, top), (x, bottom)], fill=_GRID, width=_SCALE)
            self.draw.text((x, bottom + 6 * _SCALE), f"{tick:g}", _INK, self.font, anchor="mt")
        for tick in y_ticks:
            _, y = self.at(self.x_span[0], tick)
            self.draw.line([(left, y), (right, y)], fill=_GRID, width=_SCALE)
            name = f"1e{round(np.log10(tick))}" if self.log_y else f"{tick:g}"
            self.draw.text((left - 6 * _SCALE, y), name, _INK, self.font, anchor="rm")
        self.draw.rectangle([left, top, right, bottom], outline=_PALE, width=_SCALE)
        self.draw.text((left, top - 26 * _SCALE), title, _INK, self.font, anchor="ls")
        self.draw.text(
            ((left + right) / 2, bottom + 26 * _SCALE), labels[0], _INK, self.font, anchor="mt"
        )
        self.draw.text((left, top - 8 * _SCALE), labels[1], _MUTED, self.font, anchor="ls")

    def curve(
        self,
        x: Float[np.ndarray, " points"],
        y: Float[np.ndarray, " points"],
        colour: tuple[int, int, int],
        width: int = 1,
    ) -> None:
        low, high = self.y_span
        places = [self.at(a, min(max(b, low), high)) for a, b in zip(x, y, strict=True)]
        self.draw.line(places, fill=colour, width=width * _SCALE, joint="curve")


def _pale(colour: tuple[int, int, int]) -> tuple[int, int, int]:
    red, green, blue = (round(0.25 * part + 0.75 * 255) for part in colour)
    return red, green, blue


def _spectra(
    axes: _Axes, shown: Panel, other: Panel, colours: tuple[tuple[int, int, int], ...]
) -> None:
    axes.frame(
        shown.title,
        [0.2, 0.5, 1, 2, 5, 10],
        [10.0**power for power in range(-7, 2, 2)],
        ("Hz", "power of the turn angle, square degrees per Hz; bold: medians"),
    )
    inside = (shown.hz >= _HZ[0]) & (shown.hz <= _HZ[1])
    for path in shown.power[:: max(1, len(shown.power) // 70)]:
        axes.curve(shown.hz[inside], path[inside], _pale(colours[0]))
    for panel, colour in ((other, colours[1]), (shown, colours[0])):
        axes.curve(panel.hz[inside], np.median(panel.power, axis=0)[inside], colour, width=3)


def draw_panels(real: Panel, ours: Panel) -> UInt8[np.ndarray, "height width 3"]:
    """Real spectra, our spectra, and how fast both turn."""
    image = Image.new("RGB", (3 * _WIDTH * _SCALE, _HEIGHT * _SCALE), "white")
    draw = ImageDraw.Draw(image)
    _spectra(_Axes(draw, 0, _HZ, _POWER), real, ours, (_REAL, _OURS))
    _spectra(_Axes(draw, _WIDTH, _HZ, _POWER), ours, real, (_OURS, _REAL))
    axes = _Axes(draw, 2 * _WIDTH, _SPEED, (0.0, 1.0), log_y=False)
    axes.frame(
        "turn speed: orange real, blue Fables",
        [0.1, 1, 10, 100],
        [0, 0.25, 0.5, 0.75, 1],
        ("degrees per second", "share of frames below"),
    )
    share = np.linspace(0.0, 1.0, 201)
    for panel, colour in ((real, _REAL), (ours, _OURS)):
        speed = np.quantile(panel.speed_deg_s, share)
        axes.curve(np.clip(speed, *_SPEED), share, colour, width=3)
    return np.asarray(image.resize((3 * _WIDTH, _HEIGHT), Image.Resampling.LANCZOS))
