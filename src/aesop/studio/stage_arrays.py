"""What the page's stage is made of, as one body of bytes: a line of JSON and arrays behind it."""

import json
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import torch
from jaxtyping import Float
from torch import Tensor

from aesop.export.figure import in_world
from aesop.export.file_world import armature_between
from aesop.export.mannequin_mesh import (
    body_mesh,
    rest_places,
    steady_quaternions_wxyz,
    world_from_gl_camera,
)
from aesop.files.gltf_skin import CharacterMesh
from aesop.scene.camera import CameraPath
from aesop.scene.human import Clip
from aesop.scene.skeleton import JOINT_NAMES, PARENTS, world_rotations
from aesop.scene.source import Source

MEDIA = "application/octet-stream"
_KINDS = {"float32": np.float32, "uint32": np.uint32, "uint16": np.uint16, "uint8": np.uint8}
_ALIGNED = 4  # bytes: where the page may lay a Float32Array over what came
# Places and turns of a file's bones that are sent at most; of longer motions every other frame, or
# every third, which the page interpolates.
MOST_BONE_FRAMES = 2_000_000
_STILL = 1e-5  # a bone that moves or turns less than this (metres, numbers of a turn) is furniture


def packed(facts: Mapping[str, Any], arrays: Mapping[str, np.ndarray]) -> bytes:
    """The length of the JSON (4 bytes, little-endian), the JSON, the arrays in its order; all of it
    in pieces of four bytes."""
    pieces: list[bytes] = []
    listed: list[dict[str, Any]] = []
    for name, array in arrays.items():
        assert array.dtype.name in _KINDS, f"the page knows no {array.dtype}"
        listed.append({"name": name, "shape": list(array.shape), "type": array.dtype.name})
        pieces.append(_filled(array.astype(array.dtype.newbyteorder("<"), order="C").tobytes()))
    head = json.dumps({**facts, "arrays": listed}, allow_nan=False).encode()
    head += b" " * (-len(head) % _ALIGNED)
    return b"".join([len(head).to_bytes(4, "little"), head, *pieces])


def unpacked(data: bytes) -> tuple[dict[str, Any], dict[str, np.ndarray]]:
    """Inverse of `packed`, as the page has it too."""
    at = 4 + int.from_bytes(data[:4], "little")
    facts = json.loads(data[4:at])
    arrays: dict[str, np.ndarray] = {}
    for one in facts.pop("arrays"):
        kind = np.dtype(_KINDS[one["type"]]).newbyteorder("<")
        count = int(np.prod(one["shape"], dtype=np.int64))
        arrays[one["name"]] = np.frombuffer(data, kind, count, at).reshape(one["shape"])
        at += count * kind.itemsize
        at += -at % _ALIGNED
    return facts, arrays


def _filled(data: bytes) -> bytes:
    return data + b"\0" * (-len(data) % _ALIGNED)


def camera_rows(camera: CameraPath) -> Float[np.ndarray, "frames 8"]:
    """Place, turn (x, y, z, w of a camera that looks along its −z) and vertical field of view."""
    turns = steady_quaternions_wxyz(world_from_gl_camera(camera)).roll(-1, dims=-1)
    lens = camera.fov_vertical[:, None]
    parts = [one.double().cpu().numpy() for one in (camera.centre, turns, lens)]
    return np.concatenate(parts, axis=1).astype(np.float32)


def cameras_packed(
    facts: Mapping[str, Any],
    intensities: Sequence[float],
    cameras: Sequence[CameraPath],
    over_time: CameraPath | None = None,
) -> bytes:
    """One shot at several intensities: the page turns the camera between them; and at the one over
    time that it is turned to, where that is filmed."""
    arrays = {"cameras": np.stack([camera_rows(camera) for camera in cameras])}
    if over_time is not None:
        arrays["over_time"] = camera_rows(over_time)
    return packed({**facts, "intensities": list(intensities)}, arrays)


def _xyzw(rotations: Float[Tensor, "frames joints 3 3"]) -> Float[np.ndarray, "frames joints 4"]:
    return steady_quaternions_wxyz(rotations).roll(-1, dims=-1).numpy().astype(np.float32)


def clip_packed(clip: Clip, facts: Mapping[str, Any]) -> bytes:
    """Joints of a motion: places and world turns, frame by frame."""
    arrays = {
        "joints": clip.motion.joints.double().cpu().numpy().astype(np.float32),
        "turns": _xyzw(world_rotations(clip.motion.rotations.double().cpu())),
    }
    return packed({**facts, "fps": clip.fps, "frames": clip.frames}, arrays)


def mannequin_packed() -> bytes:
    """The body that previews and exports draw, each vertex bound to one joint."""
    mesh = body_mesh()
    arrays = {
        "points": (mesh.points - rest_places()[mesh.joint]).astype(np.float32),
        "normals": mesh.normals.astype(np.float32),
        "colours": mesh.colours.astype(np.float32),
        "joint": mesh.joint.astype(np.uint16),
        "triangles": mesh.triangles.astype(np.uint16),
    }
    return packed({"joints": list(JOINT_NAMES), "parents": list(PARENTS)}, arrays)


def figure_packed(clip: Clip, mesh: CharacterMesh | None, facts: Mapping[str, Any]) -> bytes:
    """The skeleton of the file that a motion came from, where it is in the clip, and the mesh that
    it carries."""
    source = clip.source
    assert source is not None and source.armature is not None, "the file had no skeleton"
    step = 1 + clip.frames * len(source.armature.names) // MOST_BONE_FRAMES
    turns, places = _bones_in_clip(source, clip.frames, clip.fps, step)
    moves = _moves(turns, places)
    parents = source.armature.parents
    sticks = [bone for bone, parent in enumerate(parents) if parent >= 0 and moves[parent]]
    arrays = {
        "places": places.numpy().astype(np.float32),
        "turns": _xyzw(turns),
        "sticks": np.array([[parents[bone], bone] for bone in sticks], np.uint16).reshape(-1, 2),
    }
    if mesh is not None:
        inside = mesh.bone_from_mesh.astype(np.float64)
        inside[:, :3] *= source.scale  # bones are in metres of the clip
        arrays |= {
            "points": mesh.points,
            "normals": mesh.normals,
            "colours": mesh.colours,
            "slots": mesh.slots,
            "weights": mesh.weights,
            "triangles": mesh.triangles,
            "slot_bone": mesh.slot_bone,
            "bone_from_mesh": inside.transpose(0, 2, 1).astype(np.float32),  # by columns
        }
    told = {"fps": clip.fps / step, "frames": len(places), "names": list(source.armature.names)}
    return packed({**facts, **told}, arrays)


def _bones_in_clip(
    source: Source, frames: int, fps: float, step: int
) -> tuple[Float[Tensor, "frames bones 3 3"], Float[Tensor, "frames bones 3"]]:
    """World turns and places of the file's bones at every so many frames of the clip."""
    assert source.armature is not None
    begin = source.first_frame - source.start_frame
    instants = torch.arange(0, frames, step, dtype=torch.float64)
    armature = armature_between(source.armature, begin + instants * source.fps / fps)
    turns, places = in_world(
        armature.rotations.double(), armature.offsets.double(), armature.parents
    )
    return source.clip_from_file.double() @ turns, source.in_clip(places)


def _moves(
    turns: Float[Tensor, "frames bones 3 3"], places: Float[Tensor, "frames bones 3"]
) -> list[bool]:
    """Which bones move at all: the nodes that a program hangs a character below do not."""
    turned = (turns - turns[:1]).abs().amax(dim=(0, 2, 3))
    moved = (places - places[:1]).abs().amax(dim=(0, 2))
    return ((turned > _STILL) | (moved > _STILL)).tolist()
