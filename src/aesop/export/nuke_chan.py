"""The camera as a channel file (.chan), which Nuke and scripts for Maya, Houdini and Blender read.

One line a frame: number, place, turns about x, y and z in degrees, vertical field of view in
degrees. The file cannot say its axes or order of turns. These are Nuke's own: y up, a camera that
looks along −z, and order ZXY (about z first, y last), which Maya calls zxy.
"""

from pathlib import Path

import numpy as np
import torch
from jaxtyping import Float

from aesop.core.whole_files import atomic_path
from aesop.export.mannequin_mesh import world_from_gl_camera, y_up_from_world
from aesop.scene.camera import CameraPath
from aesop.scene.rotation import euler_from_matrix
from aesop.scene.shot import Shot

FIRST_FRAME = 1  # what Nuke calls the first frame of a new script, where no file numbers frames
_ORDER_AS_PRODUCT = "yxz"  # Ry·Rx·Rz turns about z first


def write_chan(shot: Shot, path: Path) -> None:
    """Write the camera, y up, in the units and frame numbers of the motion's file, else metres."""
    source = shot.clip.source
    rows = chan_rows(shot.camera)
    if source is not None:
        rows[:, :3] /= source.metres_per_unit
    first = FIRST_FRAME if source is None else round(source.first_frame)
    numbers = range(first, first + len(rows))
    lines = [
        "\t".join([str(number), *(f"{value:.9g}" for value in row)])
        for number, row in zip(numbers, rows.tolist(), strict=True)
    ]
    with atomic_path(path) as temporary:
        temporary.write_text("\n".join([*lines, ""]), encoding="ascii", newline="\n")


def chan_rows(camera: CameraPath) -> Float[np.ndarray, "frames 7"]:
    """Place, turns about x, y, z without jumps of a whole turn, and field of view."""
    world = world_from_gl_camera(camera)
    turn = y_up_from_world(world)
    turns = euler_from_matrix(turn @ world, _ORDER_AS_PRODUCT)[:, [1, 0, 2]]
    degrees = np.rad2deg(np.unwrap(turns.numpy(), axis=0))
    place = camera.centre.double() @ turn.T
    lens = torch.rad2deg(camera.fov_vertical.double())
    return np.concatenate([place.numpy(), degrees, lens.numpy()[:, None]], axis=1)
