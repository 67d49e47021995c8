"""The picture that is delivered: aspect ratio, pixels, and lens and sensor in millimetres."""

import math
import re
from dataclasses import dataclass, replace

import torch

from aesop.core.errors import CameraError
from aesop.scene.camera import CameraPath

SIXTEEN_NINE = 16 / 9
SENSOR_WIDTH_MM = 36.0  # a full-frame still
ASPECT_RANGE = (0.2, 5.0)
LENS_RANGE_MM, SENSOR_RANGE_MM = (4.0, 1000.0), (2.0, 150.0)
LARGEST_SIDE_PX = 16384
LONG_SIDE_PX = 1920
# Pixels are whole: 1998 × 1080 is 1.85.
SAME_ASPECT = 0.01
_RATIO = re.compile(r"(\d+(?:\.\d+)?)(?:[:/](\d+(?:\.\d+)?))?")
_PIXELS = re.compile(r"(\d{1,6})[x×](\d{1,6})", re.IGNORECASE)


def _within(what: str, value: float | None, bounds: tuple[float, float], unit: str) -> None:
    low, high = bounds
    if value is not None and not (math.isfinite(value) and low <= value <= high):
        raise CameraError(
            f"{what} {value:g}{unit} is not one of a camera.",
            f"Choose {low:g} to {high:g}{unit}.",
        )


@dataclass(frozen=True)
class PictureFormat:
    """What a user asks of the picture. Without an aspect it stays as the network has it; without a
    lens the vertical field of view stays."""

    aspect: float | None = SIXTEEN_NINE
    resolution_px: tuple[int, int] | None = None
    sensor_width_mm: float = SENSOR_WIDTH_MM
    lens_mm: float | None = None

    def __post_init__(self) -> None:
        _within("The aspect ratio", self.aspect, ASPECT_RANGE, "")
        _within("The sensor's width", self.sensor_width_mm, SENSOR_RANGE_MM, " mm")
        _within("The lens", self.lens_mm, LENS_RANGE_MM, " mm")
        if self.resolution_px is not None:
            width, height = self.resolution_px
            if not (0 < width <= LARGEST_SIDE_PX and 0 < height <= LARGEST_SIDE_PX):
                raise CameraError(
                    f"A picture of {width} × {height} pixels cannot be made.",
                    f"Ask for 1 to {LARGEST_SIDE_PX} pixels a side.",
                )
            if self.aspect is None or abs(width / height / self.aspect - 1) > SAME_ASPECT:
                raise CameraError(
                    f"{width} × {height} pixels have the aspect {width / height:.3g}, not "
                    f"{'the decoded one' if self.aspect is None else f'{self.aspect:.3g}'}.",
                    "Leave one of the two away.",
                )

    @property
    def note(self) -> str:
        """What was asked for, in a few words."""
        parts = ["as decoded" if self.aspect is None else f"{self.aspect:.4g}:1"]
        if self.resolution_px is not None:
            parts.append("{} x {} pixels".format(*self.resolution_px))
        if self.lens_mm is not None:
            parts.append(f"{self.lens_mm:g} mm before {self.sensor_width_mm:g} mm")
        return "picture " + ", ".join(parts)

    def asked(
        self,
        aspect: float | None = None,
        resolution_px: tuple[int, int] | None = None,
        sensor_width_mm: float | None = None,
        lens_mm: float | None = None,
    ) -> "PictureFormat":
        """This one with what was asked for in it. Pixels say the aspect where nothing else does."""
        if aspect is None and resolution_px is not None:
            aspect = resolution_px[0] / max(resolution_px[1], 1)
        return PictureFormat(
            self.aspect if aspect is None else aspect,
            resolution_px,
            self.sensor_width_mm if sensor_width_mm is None else sensor_width_mm,
            lens_mm,
        )

    def framed(self, camera: CameraPath) -> CameraPath:
        """The same path through this picture. The same object where nothing changes."""
        aspect = camera.aspect if self.aspect is None else self.aspect
        if self.lens_mm is None:
            return camera if aspect == camera.aspect else replace(camera, aspect=aspect)
        tangent = self.sensor_width_mm / 2 / self.lens_mm / aspect
        fov = torch.full_like(camera.fov_vertical, 2 * math.atan(tangent))
        return replace(camera, fov_vertical=fov, aspect=aspect)


# As the paper does: the median of the decoded tangents.
AS_DECODED = PictureFormat(aspect=None)


def pixels_of(aspect: float) -> tuple[int, int]:
    """A picture whose longer side has 1920 pixels."""
    if aspect >= 1:
        return LONG_SIDE_PX, max(round(LONG_SIDE_PX / aspect), 1)
    return max(round(LONG_SIDE_PX * aspect), 1), LONG_SIDE_PX


def aspect_from_text(text: str) -> float:
    """ "16:9", "2.39", "9:16" or any W:H as a number."""
    match = _RATIO.fullmatch(text.strip())
    if match is None or float(match[2] or 1) == 0:
        raise CameraError(
            f"The aspect ratio {text!r} cannot be read.", "Give it as 16:9, 2.39, 9:16 or W:H."
        )
    return float(match[1]) / float(match[2] or 1)


def resolution_from_text(text: str) -> tuple[int, int]:
    """ "1920x1080" as width and height."""
    match = _PIXELS.fullmatch(text.strip())
    if match is None:
        raise CameraError(
            f"The resolution {text!r} cannot be read.", "Give it as WIDTHxHEIGHT: 1920x1080."
        )
    return int(match[1]), int(match[2])
