"""Cameras that a path has to meet, as programs send them: in metres in the world of the motion,
with the axes of our camera tables (x right, y down, z forward)."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import radians
from typing import Annotated

import torch

from aesop.core.errors import CameraError
from aesop.scene.camera import CameraPath
from aesop.scene.camera_keys import CameraKeys, KeptPart, KeyedCamera

Numbers = tuple[float, ...]


@dataclass(frozen=True, kw_only=True)
class KeyJob:
    """A camera at an instant."""

    seconds: Annotated[float, "When, from the motion's first frame on."]
    centre_m: Annotated[Numbers, "Its place: x, y, z."]
    world_from_camera: Annotated[
        tuple[Numbers, ...], "Three rows; columns are its axes: right, down, forward."
    ]
    fov_vertical_deg: Annotated[float | None, "Its lens; any if not given."] = None


@dataclass(frozen=True, kw_only=True)
class KeptPartJob:
    """Neighbouring frames of a path at 25 frames a second."""

    first_frame: Annotated[int, "Number of the first, counted from 0."]
    centre_m: Annotated[tuple[Numbers, ...], "Places, one a frame."]
    world_from_camera: Annotated[tuple[tuple[Numbers, ...], ...], "Turns, one a frame."]
    fov_vertical_deg: Annotated[Numbers, "Lenses, one a frame."]


def camera_keys(keys: Sequence[KeyJob], kept: Sequence[KeptPartJob]) -> CameraKeys | None:
    """What the Director is asked to meet; None where that is nothing."""
    if not keys and not kept:
        return None
    return CameraKeys(tuple(map(_key, keys)), tuple(map(_part, kept)))


def _key(key: KeyJob) -> KeyedCamera:
    lens = None if key.fov_vertical_deg is None else radians(key.fov_vertical_deg)
    turn = _tensor(key.world_from_camera, (3, 3), "world_from_camera")
    return KeyedCamera(key.seconds, turn, _tensor(key.centre_m, (3,), "centre_m"), lens)


def _part(part: KeptPartJob) -> KeptPart:
    frames = len(part.centre_m)
    camera = CameraPath(
        _tensor(part.world_from_camera, (frames, 3, 3), "world_from_camera"),
        _tensor(part.centre_m, (frames, 3), "centre_m"),
        torch.deg2rad(_tensor(part.fov_vertical_deg, (frames,), "fov_vertical_deg")),
        16 / 9,  # a kept part has the picture of the shot that it is kept in
    )
    return KeptPart(part.first_frame, camera)


def _tensor(values: object, shape: tuple[int, ...], name: str) -> torch.Tensor:
    try:
        tensor = torch.tensor(values, dtype=torch.float64)
    except ValueError:  # rows of different lengths
        tensor = torch.zeros(0)
    if tensor.shape != shape:
        wanted = " by ".join(str(size) for size in shape)
        raise CameraError(f"{name} of a key has the wrong shape.", f"Give {wanted} numbers.")
    return tensor


def kept_job(camera: CameraPath, frames: range) -> KeptPartJob:
    """Frames of a path that are to stay."""
    part = camera.part(slice(frames.start, frames.stop))
    return KeptPartJob(
        first_frame=frames.start,
        centre_m=tuple(map(tuple, part.centre.double().tolist())),
        world_from_camera=tuple(
            tuple(map(tuple, turn)) for turn in part.world_from_camera.double().tolist()
        ),
        fov_vertical_deg=tuple(torch.rad2deg(part.fov_vertical.double()).tolist()),
    )
