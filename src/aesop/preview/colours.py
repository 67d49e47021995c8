"""The palette, and how colours go from screen values to linear light and back.

The screen's curve is taken as a square: near enough to sRGB for drawing, and its inverse is one
fast root per pixel.
"""

import numpy as np
from jaxtyping import Float


def linear(hex_colour: str) -> Float[np.ndarray, "3"]:
    """Linear light of a screen colour such as "#c8a078"."""
    return (np.array(screen(hex_colour)) / 255) ** 2


def screen(hex_colour: str) -> tuple[int, int, int]:
    """Screen values of a colour, for text and flat areas."""
    digits = hex_colour.removeprefix("#")
    return int(digits[0:2], 16), int(digits[2:4], 16), int(digits[4:6], 16)


PAPER = "#ffffff"
INK = "#2b2d33"
FAINT_INK = "#7b7f88"

HORIZON = "#eceae6"
ZENITH = "#c3ccd8"
FLOOR = "#dcd8d1"
FLOOR_LINE = "#a9a59d"

SKIN = "#dcc1a3"
JOINT_BALL = "#ab8664"
WAIST = "#bd9a78"
TORSO = "#d8ba99"
VISOR = "#39424e"

THREAD = "#8a8f99"
CAMERA_BODY = "#1d4f91"
ACCENT = "#1668c7"
PATH_EARLY = "#8ec3f2"
PATH_LATE = "#123f8c"
GOLD = "#f2b01e"
