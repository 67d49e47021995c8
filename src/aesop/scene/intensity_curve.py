"""Intensity over time: values at instants of a shot, eased between them, and how they are written.

Beyond its ends a curve keeps its first and its last value. Between two points it rises and falls
without a corner, so that the camera's speed has none either.
"""

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import torch
from jaxtyping import Float
from torch import Tensor

from aesop.core.errors import CameraError

# Nearer points would make a jerk of a change (docs/intensity.md says how it was measured).
LEAST_APART_SECONDS = 0.4
MOST_POINTS = 100
EXAMPLE = '"0:0.6 2.5:1.5 4:1"'
_REMEDY = f"Write seconds:value, the earliest first, such as {EXAMPLE}; or one number."
_DIGITS = 9  # what texts keep of a number


@dataclass(frozen=True)
class IntensityCurve:
    """Seconds from the start of a shot, and the intensity at each of them."""

    seconds: tuple[float, ...]
    values: tuple[float, ...]

    def __post_init__(self) -> None:
        if not self.seconds or len(self.seconds) != len(self.values):
            raise CameraError(
                f"A curve of {len(self.seconds)} times and {len(self.values)} intensities says "
                "nothing.",
                "Give one intensity for every time.",
            )
        if len(self.seconds) > MOST_POINTS:
            raise CameraError(
                f"A curve of {len(self.seconds)} points is too fine.",
                f"Give {MOST_POINTS} or fewer.",
            )
        if not all(math.isfinite(number) for number in (*self.seconds, *self.values)):
            raise CameraError("A curve holds numbers that are not finite.", _REMEDY)
        if self.seconds[0] < 0:
            raise CameraError(
                f"A curve begins at {self.seconds[0]:g} s.", "Count seconds from the shot's start."
            )
        for at, (before, after) in enumerate(pairwise(self.seconds)):
            if after <= before:
                raise CameraError(f"In a curve {after:g} s follows {before:g} s.", _REMEDY)
            is_join = self.values[at] != self.values[at + 1]
            if is_join and round(after - before, 6) < LEAST_APART_SECONDS:
                raise CameraError(
                    f"In a curve the intensity changes within {after - before:.2g} s, which would "
                    "be a jerk.",
                    f"Leave {LEAST_APART_SECONDS:g} s or more between two values.",
                )

    @classmethod
    def from_points(cls, points: Sequence[Sequence[float]]) -> "IntensityCurve":
        """From pairs of second and value."""
        if any(len(point) != 2 for point in points):
            raise CameraError("A point of a curve is not a second and a value.", _REMEDY)
        return cls(
            tuple(float(second) for second, _ in points), tuple(float(value) for _, value in points)
        )

    @classmethod
    def from_text(cls, text: str) -> "IntensityCurve":
        """Inverse of `text`; commas may stand between points."""
        pairs = [part.split(":") for part in re.split(r"[\s,;]+", text) if part]
        if not pairs or any(len(pair) != 2 for pair in pairs):
            raise CameraError(f"{text[:60]!r} is no curve.", _REMEDY)
        try:
            return cls.from_points([[float(number) for number in pair] for pair in pairs])
        except ValueError:
            raise CameraError(f"{text[:60]!r} is no curve.", _REMEDY) from None

    @property
    def is_constant(self) -> bool:
        return len(set(self.values)) == 1

    @property
    def points(self) -> tuple[tuple[float, float], ...]:
        """Pairs of second and value."""
        return tuple(zip(self.seconds, self.values, strict=True))

    @property
    def text(self) -> str:
        """ "0:0.6 2.5:1.5 4:1", as a command reads it."""
        return " ".join(f"{_written(at)}:{_written(value)}" for at, value in self.points)

    def at(self, seconds: Float[Tensor, " instants"]) -> Float[Tensor, " instants"]:
        """The intensity at instants, float64. Where two neighbouring points are alike it is theirs
        exactly."""
        instants = seconds.double()
        value = torch.full_like(instants, self.values[0])
        for (start, before), (stop, after) in pairwise(self.points):
            share = ((instants - start) / (stop - start)).clamp(0, 1)
            eased = share * share * (3 - 2 * share)
            low, high = min(before, after), max(before, after)
            here = (before + eased * (after - before)).clamp(low, high)
            value = torch.where(share >= 1, after, torch.where(share > 0, here, value))
        return value

    def at_frames(self, frames: int, fps: float) -> Float[Tensor, " frames"]:
        """The intensity in every frame of a shot."""
        return self.at(torch.arange(frames, dtype=torch.float64) / fps)

    def mean(self, frames: int, fps: float) -> float:
        """The mean over a shot."""
        return float(self.at_frames(frames, fps).mean())


Intensity = float | IntensityCurve


def _written(number: float) -> str:
    return f"{number:.{_DIGITS}g}"


def curve_of(intensity: Intensity) -> IntensityCurve | None:
    """The curve, where the intensity changes over time."""
    return intensity if isinstance(intensity, IntensityCurve) else None


def plain_intensity(intensity: Intensity | str) -> Intensity:
    """A curve that stays at one value is that value; a text is what a command reads in it."""
    if isinstance(intensity, str):
        return intensity_from_text(intensity)
    if isinstance(intensity, IntensityCurve) and intensity.is_constant:
        return intensity.values[0]
    return intensity


def mean_intensity(intensity: Intensity, frames: int, fps: float) -> float:
    """The number that stands for an intensity where only one can be told."""
    return intensity.mean(frames, fps) if isinstance(intensity, IntensityCurve) else intensity


def intensity_text(intensity: Intensity) -> str:
    """As a command reads it."""
    return intensity.text if isinstance(intensity, IntensityCurve) else f"{intensity:g}"


def intensity_from_text(text: str) -> Intensity:
    """ "1.3", or a curve."""
    if ":" in text:
        return plain_intensity(IntensityCurve.from_text(text))
    try:
        return float(text)
    except ValueError:
        raise CameraError(f"{text[:60]!r} is no number for intensity.", _REMEDY) from None
