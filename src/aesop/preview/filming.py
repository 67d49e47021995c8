"""The filming camera as plain arrays: what the lens sees, and the frusta drawn from outside."""

from dataclasses import dataclass

import numpy as np
from jaxtyping import Float

from aesop.preview.view import View
from aesop.scene.camera import CameraPath

FRUSTUM_SHARE = 0.22  # length of a drawn frustum, in distances from camera to person
FRUSTUM_RANGE_M = (0.3, 1.6)
WIDE_HALF = 0.7  # wider images (half diagonal per depth) get shorter frusta, or they would swell


@dataclass(frozen=True, eq=False)
class Filming:
    """A camera path for drawing. `corners` are the image's corners where the drawn frusta end,
    clockwise from top left."""

    world_from_camera: Float[np.ndarray, "frames 3 3"]
    centre: Float[np.ndarray, "frames 3"]
    tan_half: Float[np.ndarray, "frames 2"]
    aspect: float
    frustum_m: float
    corners: Float[np.ndarray, "frames 4 3"]


def filming_of(camera: CameraPath, person: Float[np.ndarray, "frames 3"]) -> Filming:
    """Arrays of a camera path that films a person at these places; frusta are to scale."""
    world = camera.world_from_camera.double().numpy()
    centre = camera.centre.double().numpy()
    tan_half = camera.tan_half_fov.double().numpy()
    away = np.median(np.linalg.norm(centre - person, axis=-1))
    frustum_m = float(np.clip(FRUSTUM_SHARE * away, *FRUSTUM_RANGE_M))
    length = frustum_m / np.maximum(1, np.linalg.norm(tan_half, axis=-1) / WIDE_HALF)
    signs = np.array([(-1, -1), (1, -1), (1, 1), (-1, 1)])
    rays = np.concatenate([signs * tan_half[:, None], np.ones((len(centre), 4, 1))], axis=-1)
    corners = centre[:, None] + length[:, None, None] * rays @ world.swapaxes(-1, -2)
    return Filming(world, centre, tan_half, camera.aspect, frustum_m, corners)


def lens_view(filming: Filming, frame: int, width: int, height: int) -> View:
    """Exactly what the camera films at this frame."""
    tan_half_width, tan_half_height = filming.tan_half[frame].tolist()
    return View(
        filming.world_from_camera[frame],
        filming.centre[frame],
        tan_half_width,
        tan_half_height,
        width,
        height,
    )
