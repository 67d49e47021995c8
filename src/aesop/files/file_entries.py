"""What AESOP's own files keep beside motion and camera: the file behind a clip (facts as one JSON
entry, the frames of its skeleton as two tensors), and cameras that a path had to meet (one JSON
entry; kept parts are frames of the shot's own camera, so only their numbers stand there)."""

import math
from collections.abc import Mapping
from dataclasses import asdict
from typing import Any, get_args

import torch
from jaxtyping import Float
from torch import Tensor

from aesop.scene.camera import CameraPath
from aesop.scene.camera_keys import CameraKeys, KeptPart, KeyedCamera, KeyMiss, MetKeys
from aesop.scene.source import Armature, JointsApart, Source, UpAxis

TURNS, PLACES = "armature_rotations", "armature_offsets"
MAX_BONES = 1000
_FACTS: dict[str, type] = {
    "kind": str, "file": str, "skeleton": str, "fps": float, "frames": int, "start_frame": int,
    "first_frame": float, "metres_per_unit": float, "scale": float,
}  # fmt: skip


def source_entry(source: Source) -> dict[str, object]:
    """What JSON can say of a source."""
    armature = source.armature
    return {
        **{name: getattr(source, name) for name in _FACTS},
        "up": source.up,
        "clip_from_file": source.clip_from_file.double().tolist(),
        "shift": source.shift.double().tolist(),
        "apart": None if source.apart is None else vars(source.apart),
        "armature": None if armature is None else _hierarchy(armature),
    }


def _hierarchy(armature: Armature) -> dict[str, object]:
    return {
        "names": armature.names,
        "parents": armature.parents,
        "is_end": armature.is_end,
        "channels": armature.channels,
        "rest_rotations": armature.rest_rotations.double().tolist(),
        "rest_offsets": armature.rest_offsets.double().tolist(),
    }


def armature_tensors(source: Source | None) -> dict[str, Tensor]:
    """The frames of a skeleton, where the file has one."""
    if source is None or source.armature is None:
        return {}
    return {TURNS: source.armature.rotations, PLACES: source.armature.offsets}


def source_from_entry(entry: object, tensors: Mapping[str, Tensor]) -> Source:
    """Inverse of `source_entry`; a `ValueError` for what no AESOP has written."""
    facts = _mapping(entry)
    plain: dict[str, Any] = {name: _typed(facts.get(name), kind) for name, kind in _FACTS.items()}
    up = {axis: axis for axis in get_args(UpAxis)}[facts["up"]]
    turn = _array(facts["clip_from_file"], (3, 3))
    gram = turn @ turn.T
    positive = plain["fps"] > 0 and plain["scale"] > 0 and plain["metres_per_unit"] > 0
    close = torch.allclose(gram, torch.eye(3, dtype=torch.float64), atol=1e-6)
    _require(positive and close and plain["frames"] > 0 and float(torch.det(turn)) > 0)
    apart, hierarchy = facts["apart"], facts["armature"]
    return Source(
        **plain,
        up=up,
        clip_from_file=turn,
        shift=_array(facts["shift"], (3,)),
        apart=None if apart is None else _apart(_mapping(apart)),
        armature=None if hierarchy is None else _armature(_mapping(hierarchy), tensors),
    )


def _apart(facts: Mapping[str, Any]) -> JointsApart:
    numbers = {name: _typed(facts[name], float) for name in ("mean_m", "most_m", "joint_mean_m")}
    return JointsApart(joint=_typed(facts["joint"], str), **numbers)


def _armature(facts: Mapping[str, Any], tensors: Mapping[str, Tensor]) -> Armature:
    names = tuple(_typed(name, str) for name in facts["names"])
    parents = tuple(_typed(parent, int) for parent in facts["parents"])
    is_end = tuple(_typed(end, bool) for end in facts["is_end"])
    channels = tuple(tuple(_typed(c, str) for c in some) for some in facts["channels"])
    bones = len(names)
    _require(0 < bones <= MAX_BONES and len(parents) == len(is_end) == bones)
    _require(len(channels) in (0, bones))
    _require(all(-1 <= parent < bone for bone, parent in enumerate(parents)))
    rotations, offsets = tensors[TURNS], tensors[PLACES]
    _require(rotations.shape[1:] == (bones, 3, 3) and offsets.shape[1:] == (bones, 3))
    _require(rotations.shape[0] == offsets.shape[0] > 0)
    return Armature(
        names,
        parents,
        is_end,
        _array(facts["rest_rotations"], (bones, 3, 3)).to(rotations),
        _array(facts["rest_offsets"], (bones, 3)).to(offsets),
        rotations,
        offsets,
        channels,
    )


def _mapping(value: object) -> Mapping[str, Any]:
    _require(isinstance(value, dict))
    return value  # pyright: ignore[reportReturnType] - just required


def _typed(value: Any, kind: type) -> Any:
    _require(type(value) is kind and (kind is not float or math.isfinite(value)))
    return value


def _array(values: Any, shape: tuple[int, ...]) -> Float[Tensor, "..."]:
    array = torch.tensor(values, dtype=torch.float64)
    _require(tuple(array.shape) == shape and bool(array.isfinite().all()))
    return array


def _require(is_so: bool) -> None:
    if not is_so:
        raise ValueError


def keys_entry(met: MetKeys) -> dict[str, object]:
    """What JSON can say of keys and of the way to them."""
    return {
        "keys": [
            {
                "seconds": float(key.seconds),
                "centre_m": key.centre.double().tolist(),
                "world_from_camera": key.world_from_camera.double().tolist(),
                "fov_vertical_rad": key.fov_vertical,
                **({"goes_on": True} if key.goes_on else {}),
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
    lens = None if lens is None else float(lens)
    return KeyedCamera(float(one["seconds"]), turn, centre, lens, one.get("goes_on") is True)


def _part(camera: CameraPath, start: int, stop: int) -> KeptPart:
    if type(start) is not int or type(stop) is not int or not 0 <= start < stop <= camera.frames:
        raise ValueError("frames that the shot does not have")
    return KeptPart(start, camera.part(slice(start, stop)))


def _miss(one: Mapping[str, Any]) -> KeyMiss:
    numbers = [float(one[name]) for name in ("place_m", "turn_degrees", "lens_degrees")]
    if not all(math.isfinite(number) for number in numbers):
        raise ValueError("a distance that is not finite")
    return KeyMiss(*numbers)
