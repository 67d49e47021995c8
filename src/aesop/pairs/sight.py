"""What the lenses see: visibility of joints and the box around the person, for many shots."""

from dataclasses import dataclass

import numpy as np
from jaxtyping import Bool, Float

from aesop.pairs.film import Cameras, Film
from aesop.scene.framing import MIN_DEPTH_M


@dataclass(frozen=True, eq=False)
class Sight:
    """Joints in camera axes, not yet divided by their depth."""

    across: Float[np.ndarray, "clips frames joints"]
    down: Float[np.ndarray, "clips frames joints"]
    depth: Float[np.ndarray, "clips frames joints"]
    tan_half_fov: Float[np.ndarray, "clips frames 2"]

    @property
    def visible(self) -> Bool[np.ndarray, "clips frames joints"]:
        """Inside the image and in front, without a division: |x| ≤ tan·z is |x|/z/tan ≤ 1."""
        wide, high = (self.tan_half_fov[..., i, None] * self.depth for i in (0, 1))
        seen = (np.abs(self.across) <= wide) & (np.abs(self.down) <= high)
        # The bound above is infinite too where a depth is.
        return seen & (self.depth > MIN_DEPTH_M) & (self.depth < np.inf)

    @property
    def in_front(self) -> Bool[np.ndarray, "clips frames joints"]:
        return self.depth > MIN_DEPTH_M


def aimed(film: Film, cameras: Cameras) -> Float[np.ndarray, "clips frames 3 joints"]:
    """Joints around the root in camera axes: the same for every way with these aims."""
    return np.matmul(np.swapaxes(cameras.world_from_camera, -1, -2), film.around)


def sight(
    film: Film, cameras: Cameras, turned: Float[np.ndarray, "clips frames 3 joints"]
) -> Sight:
    """The people as these cameras see them; `turned` is `aimed` of the same aims."""
    to_root = np.einsum("cfij,cfi->cfj", cameras.world_from_camera, film.root - cameras.centre)
    across, down, depth = (turned[:, :, i] + to_root[..., i, None] for i in range(3))
    return Sight(across, down, depth, cameras.tan_half_fov)


@dataclass(frozen=True, eq=False)
class Outlines:
    """Box around the joints in front of the lens; NaN where there are none."""

    middle: Float[np.ndarray, "clips frames"]  # of the box, across, in widths of the image
    height: Float[np.ndarray, "clips frames"]  # of the box, in heights of the image


def outlines(seen: Sight) -> Outlines:
    """Boxes of every frame, visible or not."""
    front = seen.in_front
    depth = np.where(front, seen.depth, np.nan)
    with np.errstate(invalid="ignore"):
        across = seen.across / depth / seen.tan_half_fov[..., 0, None]
        down = seen.down / depth / seen.tan_half_fov[..., 1, None]
    left, right = _ends(across, front)
    top, bottom = _ends(down, front)
    # The image runs from −1 to 1: half of a length there is a share of the image.
    return Outlines(middle=(left + right) / 4, height=(bottom - top) / 2)


def _ends(
    values: Float[np.ndarray, "clips frames joints"],
    front: Bool[np.ndarray, "clips frames joints"],
) -> tuple[Float[np.ndarray, "clips frames"], Float[np.ndarray, "clips frames"]]:
    found = front.any(-1)
    low = np.where(front, values, np.inf).min(-1)
    high = np.where(front, values, -np.inf).max(-1)
    return np.where(found, low, np.nan), np.where(found, high, np.nan)


def seen_share(
    visible: Bool[np.ndarray, "clips frames joints"], film: Film
) -> Float[np.ndarray, " clips"]:
    """Share of joints and frames that are visible."""
    joints = np.where(film.mask, visible.sum(-1), 0).sum(-1)
    return joints / (film.lengths * visible.shape[-1])


def blind_frames(
    visible: Bool[np.ndarray, "clips frames joints"], film: Film
) -> Float[np.ndarray, " clips"]:
    """Share of frames without a visible joint."""
    return (film.mask & ~visible.any(-1)).sum(-1) / film.lengths


def severe_frames(
    visible: Bool[np.ndarray, "clips frames joints"], film: Film
) -> Float[np.ndarray, " clips"]:
    """Share of frames with fewer than half of the joints visible."""
    few = 2 * visible.sum(-1) < visible.shape[-1]
    return (film.mask & few).sum(-1) / film.lengths
