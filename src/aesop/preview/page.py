"""Pages: drawn panels and tidy words on white paper."""

import math
import re
import unicodedata
from bisect import bisect
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np
from jaxtyping import UInt8
from PIL import Image, ImageDraw, ImageFont

from aesop.preview import colours
from aesop.preview.canvas import Picture

DOTS = "…"


@dataclass(frozen=True)
class Box:
    """A rectangle on a page, in pixels."""

    left: int
    top: int
    width: int
    height: int

    @property
    def size(self) -> tuple[int, int]:
        return self.width, self.height


@dataclass(frozen=True)
class Words:
    """A line or two of text: where it begins (or ends, if `is_right`), how large, how loud; on a
    plate of paper where it lies over a picture."""

    text: str
    left: int
    top: int
    width: int
    size: int
    colour: str = colours.INK
    lines: int = 1
    is_right: bool = False
    has_plate: bool = False


@cache
def font(size: int) -> ImageFont.FreeTypeFont | ImageFont.ImageFont:
    """The one typeface, which comes with Pillow."""
    return ImageFont.load_default(size)


def blank_page(width: int, height: int) -> Picture:
    """White paper."""
    return np.full((height, width, 3), colours.screen(colours.PAPER), np.uint8)


def place(page: Picture, picture: UInt8[np.ndarray, "rows columns 3"], left: int, top: int) -> None:
    """Lay a picture on a page."""
    rows, columns = picture.shape[:2]
    page[top : top + rows, left : left + columns] = picture


def letterbox(
    picture: UInt8[np.ndarray, "rows columns 3"], size: tuple[int, int], bars: str = colours.INK
) -> Picture:
    """A picture in the middle of a panel of the given size, between bars."""
    width, height = size
    rows, columns = picture.shape[:2]
    panel = np.full((height, width, 3), colours.screen(bars), np.uint8)
    place(panel, picture, (width - columns) // 2, (height - rows) // 2)
    return panel


def write_words(page: Picture, words: Sequence[Words]) -> None:
    """Set text on a page, cut to its width."""
    image = Image.fromarray(page)
    pen = ImageDraw.Draw(image)
    for item in words:
        face = font(item.size)
        for number, line in enumerate(_broken(item.text, item.size, item.width, item.lines)):
            left = item.left - (pen.textlength(line, font=face) if item.is_right else 0)
            top = item.top + number * round(1.3 * item.size)
            if item.has_plate:
                _plate(pen, (float(left), float(top)), line, item.size)
            pen.text((left, top), line, font=face, fill=colours.screen(item.colour))
    page[:] = np.asarray(image)


def _plate(pen: ImageDraw.ImageDraw, corner: tuple[float, float], line: str, size: int) -> None:
    """Paper under a line of text, so that it is read over anything."""
    aside = round(0.35 * size)
    left, top, right, bottom = pen.textbbox(corner, line, font=font(size))
    box = (left - aside, top - aside, right + aside, bottom + aside)
    pen.rectangle(box, fill=colours.screen(colours.PAPER))


def badge(page: Picture, text: str, middle: tuple[float, float], size: int) -> None:
    """A small round mark with a number in it."""
    image = Image.fromarray(page)
    left, top = middle[0] - size, middle[1] - size
    # Drawn four times as large and shrunk: Pillow's circles have rough edges.
    large = Image.new("L", (8 * size, 8 * size), 0)
    ImageDraw.Draw(large).ellipse((4, 4, 8 * size - 5, 8 * size - 5), fill=255)
    disc = large.resize((2 * size, 2 * size), Image.Resampling.LANCZOS)
    image.paste(colours.screen(colours.CAMERA_BODY), (round(left), round(top)), disc)
    ImageDraw.Draw(image).text(
        middle,
        text,
        font=font(round(1.2 * size)),
        fill=colours.screen(colours.PAPER),
        anchor="mm",
    )
    page[:] = np.asarray(image)


# Signs the typeface lacks, and what stands in for them.
_STAND_INS = str.maketrans(
    {
        "—": "-", "–": "-", "−": "-", "‐": "-", "‑": "-", "×": "x", "’": "'", "‘": "'", "‚": ",",
        "„": "“", "⁄": "/", "→": "->", "←": "<-", "ß": "ss", "æ": "ae", "Æ": "AE", "œ": "oe",
        "Œ": "OE", "ø": "o", "Ø": "O", "ł": "l", "Ł": "L", "đ": "d", "Đ": "D", "ð": "d", "Ð": "D",
        "þ": "th", "Þ": "Th", "ı": "i",
    }
)  # fmt: skip
# What is written for words that the typeface has no letters for, and for other signs.
OTHER_SCRIPT, OTHER_SIGN = "[another script]", "?"
_UNREAD = "\0"  # stands for such a letter on the way
_UNREAD_WORDS = re.compile(rf"{_UNREAD}(?:[{_UNREAD} ]*{_UNREAD})?")
_NO_UNICODE_SIGN = "\uffff"  # every typeface draws what it draws for signs it lacks


def plain(text: str) -> str:
    """Text on one line in signs the typeface has: é becomes e, a dash a hyphen, and words of a
    script that it lacks are told as such."""
    letters = unicodedata.normalize("NFKD", " ".join(text.split()).translate(_STAND_INS))
    signs = "".join(map(_drawable, letters.translate(_STAND_INS)))
    return " ".join(_UNREAD_WORDS.sub(OTHER_SCRIPT, signs).split())


@cache
def _drawable(sign: str) -> str:
    """The sign itself if the typeface has it; nothing for accents and signs without a shape."""
    category = unicodedata.category(sign)
    if category in ("Mn", "Me", "Cc", "Cf", "Cs"):
        return ""
    if sign.isspace() or sign.isascii() or _shape(sign) != _shape(_NO_UNICODE_SIGN):
        return sign
    return _UNREAD if category[0] in "LMN" else OTHER_SIGN


def _shape(sign: str) -> bytes:
    image = Image.new("L", (61, 43))
    ImageDraw.Draw(image).text((11, 7), sign, 255, font(20))
    return image.tobytes()


def _broken(text: str, size: int, width: int, lines: int) -> list[str]:
    """Text in at most so many lines of at most this width; what does not fit ends in dots."""
    rest = plain(text)
    broken: list[str] = []
    while rest and len(broken) < lines - 1:
        fitting = rest[: _fitting(rest, size, width)]
        if len(fitting) < len(rest) and " " in fitting:
            fitting = fitting.rsplit(" ", 1)[0]
        if not fitting:
            break
        broken.append(fitting)
        rest = rest[len(fitting) :].lstrip()
    count = _fitting(rest, size, width)
    if count < len(rest):
        rest = rest[: _fitting(rest, size, width - math.ceil(font(size).getlength(DOTS)))]
        rest = rest.rstrip() + DOTS if rest else ""
    return [*broken, rest]


def _fitting(text: str, size: int, width: int) -> int:
    """How many signs from the start fit into a width."""
    return bisect(
        range(1, len(text) + 1), width, key=lambda count: font(size).getlength(text[:count])
    )
