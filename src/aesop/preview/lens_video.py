"""What the lens sees as a video: the picture alone, or with what a camera operator has over it."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
from jaxtyping import Float32
from PIL import Image, ImageDraw

from aesop.core.errors import Progress
from aesop.core.pool import in_order
from aesop.preview.canvas import Picture
from aesop.preview.control_passes import pass_size, refuse_odd
from aesop.preview.drawing import FILM, lens_picture
from aesop.preview.page import font, plain
from aesop.preview.stage import stage_of
from aesop.preview.video import encode
from aesop.scene.shot import Shot

# Shares of width and height inside which action and titles are safe on any screen (SMPTE ST 2046).
SAFE_SHARES = (0.93, 0.90)
# White, and black beside it: our floor and sky are bright, and a body may be dark.
_LINE, _LINE_SHADE = (255, 255, 255, 110), (0, 0, 0, 70)
_TEXT, _TEXT_SHADE = (255, 255, 255, 245), (0, 0, 0, 150)
_TEXT_SHARE = 1 / 34  # of the shorter side

Draw = Callable[[int], Picture]


def write_lens_video(
    shot: Shot, path: Path, progress: Progress | None = None, *, overlay: bool = False
) -> None:
    """Write all frames through the lens as MP4; with `overlay` thirds, safe areas, words, lens,
    intensity and time lie over them."""
    size = shot.resolution_px or pass_size(shot.camera.aspect)
    refuse_odd(size)
    stage = stage_of(shot)

    def bare(frame: int) -> Picture:
        return lens_picture(stage, frame, size, FILM)

    draw = with_overlay(shot, size, bare) if overlay else bare
    encode(path, in_order(draw, shot.frames), shot.fps, shot.frames, progress)


def with_overlay(shot: Shot, size: tuple[int, int], bare: Draw) -> Draw:
    """Pictures with guides over them; lines and words that stay are drawn once."""
    still = _guides(size)
    _write(still, plain(shot.camera_words), (0, 1))
    _write(still, f"intensity {shot.intensity:.2f}", (1, 0))
    layer = np.asarray(still)

    def draw(frame: int) -> Picture:
        moving = Image.new("RGBA", size)
        _write(moving, f"{_lens_mm(shot, frame):.0f} mm", (0, 0))
        time = f"{frame / shot.fps:.2f} s  {frame + 1}/{shot.frames}"
        _write(moving, time, (1, 1))
        return _laid(_laid(bare(frame), layer), np.asarray(moving))

    return draw


def _lens_mm(shot: Shot, frame: int) -> float:
    return shot.sensor_width_mm / 2 / float(shot.camera.tan_half_fov[frame, 0])


def _guides(size: tuple[int, int]) -> Image.Image:
    """Thirds, and the two safe areas as thin frames."""
    width, height = size
    image = Image.new("RGBA", size)
    pen = ImageDraw.Draw(image)
    thick = max(1, min(size) // 500)
    for colour, aside in ((_LINE_SHADE, thick), (_LINE, 0)):
        for share in (1 / 3, 2 / 3):
            x, y = round(width * share) + aside, round(height * share) + aside
            pen.line((x, 0, x, height), colour, thick)
            pen.line((0, y, width, y), colour, thick)
        for share in SAFE_SHARES:
            x, y = width * (1 - share) / 2, height * (1 - share) / 2
            corners = (x + aside, y + aside, width - x + aside, height - y + aside)
            pen.rectangle(corners, None, colour, thick)
    return image


def _write(image: Image.Image, text: str, corner: tuple[int, int]) -> None:
    """Text in a corner (0 left or top, 1 right or bottom) inside both safe areas, with an edge that
    keeps it readable on anything."""
    width, height = image.size
    size = max(9, round(min(image.size) * _TEXT_SHARE))
    face = font(size)
    inset = 1 - SAFE_SHARES[-1]
    x = width * (1 - inset / 2) - size / 2 if corner[0] else width * inset / 2 + size / 2
    y = height * (1 - inset / 2) - size / 2 if corner[1] else height * inset / 2 + size / 2
    anchor = ("r" if corner[0] else "l") + ("d" if corner[1] else "a")
    # Two corners share the width.
    most = width * (1 - inset) / 2 if corner != (0, 1) else width * (1 - inset) * 0.62
    while len(text) > 1 and face.getlength(text) > most:
        text = text[:-2].rstrip() + "…"
    pen = ImageDraw.Draw(image)
    edge = max(1, size // 10)
    pen.text((x, y), text, _TEXT, face, anchor, stroke_width=edge, stroke_fill=_TEXT_SHADE)


def _laid(picture: Picture, layer: np.ndarray) -> Picture:
    """A picture under a layer of colours and opacities."""
    rows, columns = np.nonzero(layer[..., 3])
    opacity: Float32[np.ndarray, "dots 1"]
    opacity = layer[rows, columns, 3:].astype(np.float32) / 255
    over = layer[rows, columns, :3].astype(np.float32)
    under = picture[rows, columns].astype(np.float32)
    laid = picture.copy()
    laid[rows, columns] = np.rint(under + opacity * (over - under)).astype(np.uint8)
    return laid
