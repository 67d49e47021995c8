"""One picture's pinhole: where it stands, where it looks, how many pixels it has."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from jaxtyping import Float

from aesop.errors import AesopError

SMALLEST_SIDE_PX = 2
SMALLEST_PAGE_PX = 64  # narrower pages have no room for their panels
LARGEST_SIDE_PX = 8192
EYE_LEVEL_M = 1e-3  # a camera this close to the floor's plane is taken to lie just above it


@dataclass(frozen=True, eq=False)
class View:
    """A camera with square-cornered pixels; axes as everywhere: x right, y down, z forward.

    The ray of the point (column, row), measured in pixels from the top left corner of the picture,
    is `world_from_camera @ (x, y, 1)` with x, y linear in column, row. Depth is measured along z.
    """

    world_from_camera: Float[np.ndarray, "3 3"]
    centre: Float[np.ndarray, "3"]
    tan_half_width: float
    tan_half_height: float
    width: int
    height: int

    @property
    def ray_step(self) -> tuple[float, float]:
        """How far x and y go from one pixel to the next."""
        return 2 * self.tan_half_width / self.width, 2 * self.tan_half_height / self.height

    @property
    def is_above_floor(self) -> bool:
        """Whether the floor is seen from its upper side."""
        return bool(self.centre[2] > -EYE_LEVEL_M)

    @property
    def height_m(self) -> float:
        """Distance from the floor, never zero."""
        return max(abs(float(self.centre[2])), EYE_LEVEL_M)

    @cached_property
    def columns(self) -> Float[np.ndarray, " width"]:
        """x of the middle of every pixel column."""
        return (np.arange(self.width) + 0.5) * self.ray_step[0] - self.tan_half_width

    @cached_property
    def rows(self) -> Float[np.ndarray, " height"]:
        """y of the middle of every pixel row."""
        return (np.arange(self.height) + 0.5) * self.ray_step[1] - self.tan_half_height


def fit_aspect(aspect: float, size: tuple[int, int]) -> tuple[int, int]:
    """Width and height of the largest picture of this aspect ratio that fits into a panel.

    A panel that is off by less than a pixel is filled: a hairline would look like a mistake.
    """
    width, height = size
    if width >= aspect * height:
        fitted = max(SMALLEST_SIDE_PX, min(width, round(aspect * height))), height
    else:
        fitted = width, max(SMALLEST_SIDE_PX, min(height, round(width / aspect)))
    is_close = max(width - fitted[0], height - fitted[1]) <= 1
    return size if is_close else fitted


def check_size(size: tuple[int, int], smallest: int = SMALLEST_SIDE_PX) -> None:
    """Refuse sizes that no picture can have."""
    if not all(smallest <= side <= LARGEST_SIDE_PX for side in size):
        raise AesopError(
            f"A picture of {size[0]} × {size[1]} pixels cannot be drawn.",
            f"Ask for {smallest} to {LARGEST_SIDE_PX} pixels a side.",
        )


def looking(
    centre: Float[np.ndarray, "3"],
    target: Float[np.ndarray, "3"],
    tan_half: tuple[float, float],
    size: tuple[int, int],
) -> View:
    """A view from one point to another with the horizon level; never straight up or down."""
    forward = (target - centre) / np.linalg.norm(target - centre)
    right = np.cross(forward, (0.0, 0.0, 1.0))
    right /= np.linalg.norm(right)
    turn = np.stack([right, np.cross(forward, right), forward], axis=-1)
    return View(turn, centre, *tan_half, *size)
