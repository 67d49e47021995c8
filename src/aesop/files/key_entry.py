"""What a camera path had to meet, as a `.shot` keeps it: one JSON entry. Kept parts are frames of
the shot's own camera, so only their numbers stand there."""

import math
from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

import torch

from aesop.scene.camera import CameraPath
from aesop.scene.camera_keys import CameraKeys, KeptPart, KeyedCamera, KeyMiss, MetKeys


def keys_entry(met: MetKeys) -> dict[str, object]:
    """What JSON can say of keys and of the way to them."""
    return {
        "keys": [
            {
                "seconds": float(key.seconds),
                "centre_m": key.centre.double().tolist(),
                "world_from_camera": key.world_from_camera.double().tolist(),
                "fov_vertical_rad": key.fov_vertical,
            }
            for key in met.keys.keys
        ],
        "kept": [[part.frames.start, part.frames.stop] for part in met.keys.kept],
        "sampled": asdict(met.sampled),
        "warp": asdict(met.warp),
        "shown": asdict(met.shown),
    }


def keys_from_entry(entry: Any, camera: CameraPath, fps: float) -> MetKeys:
    """Inverse of `keys_entry`; raises `ValueError`, `TypeError`, `KeyError` or `AesopError` for
    whatever cannot be one."""
    keys = CameraKeys(
        tuple(_key(one) for one in entry["keys"]),
        tuple(_part(camera, *span) for span in entry["kept"]),
    )
    keys.check(camera.frames, fps)
    return MetKeys(keys, *(_miss(entry[name]) for name in ("sampled", "warp", "shown")))


def _key(one: Mapping[str, Any]) -> KeyedCamera:
    turn = torch.tensor(one["world_from_camera"], dtype=torch.float64)
    centre = torch.tensor(one["centre_m"], dtype=torch.float64)
    if turn.shape != (3, 3) or centre.shape != (3,):
        raise ValueError("wrong shapes")
    lens = one["fov_vertical_rad"]
    return KeyedCamera(float(one["seconds"]), turn, centre, None if lens is None else float(lens))


def _part(camera: CameraPath, start: int, stop: int) -> KeptPart:
    if type(start) is not int or type(stop) is not int or not 0 <= start < stop <= camera.frames:
        raise ValueError("frames that the shot does not have")
    return KeptPart(start, camera.part(slice(start, stop)))


def _miss(one: Mapping[str, Any]) -> KeyMiss:
    numbers = [float(one[name]) for name in ("place_m", "turn_degrees", "lens_degrees")]
    if not all(math.isfinite(number) for number in numbers):
        raise ValueError("a distance that is not finite")
    return KeyMiss(*numbers)
