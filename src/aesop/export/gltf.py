"""glTF 2.0 (.glb): a skinned, animated mannequin and an animated camera. y up, metres, seconds."""

import json
import struct
from pathlib import Path
from typing import Any

import numpy as np
import torch
from jaxtyping import Float, Shaped
from torch import Tensor

from aesop.core.whole_files import atomic_path
from aesop.export.mannequin_mesh import (
    body_mesh,
    rest_places,
    steady_quaternions_wxyz,
    world_from_gl_camera,
    y_up_from_world,
)
from aesop.scene.camera import CameraPath
from aesop.scene.human import Clip, HumanMotion
from aesop.scene.shot import Shot
from aesop.scene.skeleton import JOINT_NAMES, JOINTS, PARENTS, rest_offsets, world_rotations

FLOAT, UNSIGNED_INT, UNSIGNED_BYTE = 5126, 5125, 5121
VERTICES, INDICES = 34962, 34963
MESH_NODE, CAMERA_NODE = JOINTS, JOINTS + 1
NEAR_M, FAR_M = 0.05, 1000.0
# Joints whose places differ less than this from what turns say are not moved by themselves.
SAME_PLACE_M = 1e-5
SAME_LENS = 1e-6
POINTER = "KHR_animation_pointer"


class _Binary:
    """The binary chunk and the tables that describe it."""

    def __init__(self) -> None:
        self.data = bytearray()
        self.views: list[dict[str, Any]] = []
        self.accessors: list[dict[str, Any]] = []

    def add(self, values: Shaped[np.ndarray, "..."], kind: str, target: int | None = None) -> int:
        """Store an array; its number as accessor."""
        values = np.ascontiguousarray(values)
        component = {"f": FLOAT, "u": UNSIGNED_INT if values.itemsize == 4 else UNSIGNED_BYTE}
        view: dict[str, Any] = {"buffer": 0, "byteOffset": len(self.data)}
        view |= {"byteLength": values.nbytes} | ({"target": target} if target else {})
        flat = values.reshape(len(values), -1)
        self.views.append(view)
        self.accessors.append(
            {
                "bufferView": len(self.views) - 1,
                "componentType": component[values.dtype.kind],
                "count": len(values),
                "type": kind,
                "min": flat.min(0).tolist(),
                "max": flat.max(0).tolist(),
            }
        )
        self.data += values.tobytes()
        self.data += b"\0" * (-len(self.data) % 4)
        return len(self.accessors) - 1


def write_glb(subject: Shot | Clip, path: Path) -> None:
    """Write a shot, or a clip without a camera."""
    clip = subject.clip if isinstance(subject, Shot) else subject
    binary = _Binary()
    frames = np.arange(clip.frames, dtype=np.float64) / clip.fps
    times = binary.add(frames.astype(np.float32), "SCALAR")
    tracks = _Tracks(binary, times)
    document: dict[str, Any] = {
        "asset": {"version": "2.0", "generator": "AESOP", "extras": {"fps": clip.fps}},
        "scene": 0,
        "scenes": [{"name": clip.name, "nodes": [0, MESH_NODE]}],
        "nodes": [*_joint_nodes(), {"name": "mannequin", "mesh": 0, "skin": 0}],
        **_mannequin(binary),
    }
    _animate_person(tracks, clip.motion)
    if isinstance(subject, Shot):
        _add_camera(document, tracks, subject)
    document["animations"] = [
        {"name": clip.name, "channels": tracks.channels, "samplers": tracks.samplers}
    ]
    document |= {"accessors": binary.accessors, "bufferViews": binary.views}
    document["buffers"] = [{"byteLength": len(binary.data)}]
    with atomic_path(path) as temporary:
        temporary.write_bytes(_container(document, bytes(binary.data)))


class _Tracks:
    """Channels of the one animation, all at the same times."""

    def __init__(self, binary: _Binary, times: int) -> None:
        self._binary, self._times = binary, times
        self.channels: list[dict[str, Any]] = []
        self.samplers: list[dict[str, Any]] = []

    def add(self, target: dict[str, Any], values: Float[Tensor, "frames _"]) -> None:
        kind = {1: "SCALAR", 3: "VEC3", 4: "VEC4"}[values.shape[1]]
        output = self._binary.add(values.numpy().astype(np.float32), kind)
        self.channels.append({"sampler": len(self.samplers), "target": target})
        sampler = {"input": self._times, "output": output, "interpolation": "LINEAR"}
        self.samplers.append(sampler)

    def move(self, node: int, places: Float[Tensor, "frames 3"]) -> None:
        self.add({"node": node, "path": "translation"}, places)

    def turn(self, node: int, rotations: Float[Tensor, "frames 3 3"]) -> None:
        xyzw = steady_quaternions_wxyz(rotations).roll(-1, dims=-1)
        self.add({"node": node, "path": "rotation"}, xyzw)


def _joint_nodes() -> list[dict[str, Any]]:
    nodes: list[dict[str, Any]] = []
    offsets = rest_offsets(torch.zeros(1, dtype=torch.float64)).tolist()
    for joint, name in enumerate(JOINT_NAMES):
        offset = offsets[joint] if joint else rest_places()[0].tolist()
        children = [child for child, parent in enumerate(PARENTS) if parent == joint]
        nodes.append({"name": name, "translation": offset})
        nodes[-1] |= {"children": children} if children else {}
    return nodes


def _mannequin(binary: _Binary) -> dict[str, Any]:
    """Mesh, material and skin."""
    mesh = body_mesh()
    joints = np.zeros((len(mesh.joint), 4), np.uint8)
    joints[:, 0] = mesh.joint
    weights = np.zeros((len(mesh.joint), 4), np.float32)
    weights[:, 0] = 1.0
    # Column-major, as the standard has it: the offset is the last row of what is written.
    inverse_bind = np.tile(np.eye(4, dtype=np.float32), (JOINTS, 1, 1))
    inverse_bind[:, 3, :3] = -rest_places()
    attributes = {
        "POSITION": binary.add(mesh.points.astype(np.float32), "VEC3", VERTICES),
        "NORMAL": binary.add(mesh.normals.astype(np.float32), "VEC3", VERTICES),
        "COLOR_0": binary.add(mesh.colours.astype(np.float32), "VEC3", VERTICES),
        "JOINTS_0": binary.add(joints, "VEC4", VERTICES),
        "WEIGHTS_0": binary.add(weights, "VEC4", VERTICES),
    }
    faces = binary.add(mesh.triangles.astype(np.uint32).reshape(-1), "SCALAR", INDICES)
    surface = {"metallicFactor": 0.0, "roughnessFactor": 0.7}
    bind = binary.add(inverse_bind, "MAT4")
    return {
        "materials": [{"name": "mannequin", "pbrMetallicRoughness": surface}],
        "meshes": [
            {
                "name": "mannequin",
                "primitives": [{"attributes": attributes, "indices": faces, "material": 0}],
            }
        ],
        "skins": [{"joints": list(range(JOINTS)), "skeleton": 0, "inverseBindMatrices": bind}],
    }


def _animate_person(tracks: _Tracks, motion: HumanMotion) -> None:
    rotations, joints = motion.rotations.double(), motion.joints.double()
    turn = y_up_from_world(joints)
    tracks.move(0, motion.root.double() @ turn.T)
    tracks.turn(0, turn @ rotations[:, 0])
    world, rest = world_rotations(rotations), rest_offsets(joints)
    for joint in range(1, JOINTS):
        tracks.turn(joint, rotations[:, joint])
        parent = PARENTS[joint]
        # Places are data of their own: where they differ from what turns say, bones are moved.
        apart = (joints[:, joint] - joints[:, parent])[:, None] @ world[:, parent]
        if (apart[:, 0] - rest[joint]).abs().max() > SAME_PLACE_M:
            tracks.move(joint, apart[:, 0])


def _add_camera(document: dict[str, Any], tracks: _Tracks, shot: Shot) -> None:
    camera: CameraPath = shot.camera
    fov = camera.fov_vertical.double()
    lens = {"yfov": float(fov[0]), "aspectRatio": camera.aspect, "znear": NEAR_M, "zfar": FAR_M}
    extras = {
        "camera_words": shot.camera_words,
        "human_words": shot.human_words,
        "intensity": shot.intensity,
        "fps": shot.fps,
        "fov_vertical_rad": fov.tolist(),
    }
    document["cameras"] = [{"name": "camera", "type": "perspective", "perspective": lens}]
    document["nodes"].append({"name": "camera", "camera": 0, "extras": extras})
    document["scenes"][0]["nodes"].append(CAMERA_NODE)
    turn = y_up_from_world(fov)
    tracks.move(CAMERA_NODE, camera.centre.double() @ turn.T)
    tracks.turn(CAMERA_NODE, turn @ world_from_gl_camera(camera))
    if (fov - fov[0]).abs().max() > SAME_LENS:
        document["extensionsUsed"] = [POINTER]
        pointer = {POINTER: {"pointer": "/cameras/0/perspective/yfov"}}
        tracks.add({"path": "pointer", "extensions": pointer}, fov[:, None])


def _container(document: dict[str, Any], data: bytes) -> bytes:
    """Header, JSON chunk, binary chunk."""
    text = json.dumps(document, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 4)
    chunks = struct.pack("<II", len(text), 0x4E4F534A) + text
    chunks += struct.pack("<II", len(data), 0x004E4942) + data
    return struct.pack("<III", 0x46546C67, 2, 12 + len(chunks)) + chunks
