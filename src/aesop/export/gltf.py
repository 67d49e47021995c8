"""glTF 2.0 (.glb): a skinned, animated figure and an animated camera. y up, metres, seconds."""

import json
import struct
from pathlib import Path
from typing import Any

import numpy as np
import torch
from jaxtyping import Float, Shaped
from torch import Tensor

from aesop.core.whole_files import atomic_path
from aesop.export.bezier_keys import (
    BezierKeys,
    lens_keys,
    place_keys,
    quaternion_xyzw_keys,
)
from aesop.export.figure import Figure, figure_of
from aesop.export.mannequin_mesh import (
    steady_quaternions_wxyz,
    world_from_gl_camera,
    y_up_from_world,
)
from aesop.scene.camera import CameraPath
from aesop.scene.human import Clip
from aesop.scene.rotation import quaternion_wxyz_from_matrix
from aesop.scene.shot import Shot

FLOAT, UNSIGNED_INT, UNSIGNED_SHORT, UNSIGNED_BYTE = 5126, 5125, 5123, 5121
UNSIGNED = {4: UNSIGNED_INT, 2: UNSIGNED_SHORT, 1: UNSIGNED_BYTE}
VERTICES, INDICES = 34962, 34963
MOST_JOINTS_IN_A_BYTE = 256
NEAR_M, FAR_M = 0.05, 1000.0
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
        component = {"f": FLOAT, "u": UNSIGNED[values.itemsize]}
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


def write_glb(subject: Shot | Clip, path: Path, as_keys: bool = False) -> None:
    """Write a shot, or a clip without a camera. The camera has a value a frame, or few keys of
    cubic splines."""
    clip = subject.clip if isinstance(subject, Shot) else subject
    figure, binary = figure_of(clip), _Binary()
    tracks = _Tracks(binary, _seconds(clip))
    document: dict[str, Any] = {
        "asset": {"version": "2.0", "generator": "AESOP", "extras": {"fps": clip.fps}},
        "scene": 0,
        "scenes": [{"name": clip.name, "nodes": [*figure.roots, len(figure.bones)]}],
        "nodes": [*_bone_nodes(figure), {"name": figure.name, "mesh": 0, "skin": 0}],
        **_skinned(figure, binary),
    }
    _animate(tracks, figure)
    if isinstance(subject, Shot):
        _add_camera(document, tracks, subject, as_keys)
    document["animations"] = [
        {"name": clip.name, "channels": tracks.channels, "samplers": tracks.samplers}
    ]
    document |= {"accessors": binary.accessors, "bufferViews": binary.views}
    document["buffers"] = [{"byteLength": len(binary.data)}]
    with atomic_path(path) as temporary:
        temporary.write_bytes(_container(document, bytes(binary.data)))


class _Tracks:
    """Channels of the one animation, one value a frame or keys with tangents."""

    def __init__(self, binary: _Binary, seconds: Float[np.ndarray, " frames"]) -> None:
        self._binary, self._seconds = binary, seconds
        self._times = binary.add(seconds.astype(np.float32), "SCALAR")
        self.channels: list[dict[str, Any]] = []
        self.samplers: list[dict[str, Any]] = []

    def add(self, target: dict[str, Any], values: Float[Tensor, "frames _"]) -> None:
        kind = {1: "SCALAR", 3: "VEC3", 4: "VEC4"}[values.shape[1]]
        output = self._binary.add(values.numpy().astype(np.float32), kind)
        self.channels.append({"sampler": len(self.samplers), "target": target})
        sampler = {"input": self._times, "output": output, "interpolation": "LINEAR"}
        self.samplers.append(sampler)

    def spline(self, target: dict[str, Any], keys: BezierKeys) -> None:
        """A cubic spline: tangent before, value, tangent after at every key, per second."""
        seconds = self._seconds[keys.frames]
        rate = (len(self._seconds) - 1) / max(self._seconds[-1] - self._seconds[0], 1e-9)
        tangent = keys.slopes * rate
        values = np.stack([tangent, keys.values, tangent], axis=1).astype(np.float32)
        kind = {1: "SCALAR", 3: "VEC3", 4: "VEC4"}[values.shape[2]]
        output = self._binary.add(values.reshape(-1, values.shape[2]), kind)
        times = self._binary.add(seconds.astype(np.float32), "SCALAR")
        self.channels.append({"sampler": len(self.samplers), "target": target})
        sampler = {"input": times, "output": output, "interpolation": "CUBICSPLINE"}
        self.samplers.append(sampler)

    def move(self, node: int, places: Float[Tensor, "frames 3"]) -> None:
        self.add({"node": node, "path": "translation"}, places)

    def turn(self, node: int, rotations: Float[Tensor, "frames 3 3"]) -> None:
        xyzw = steady_quaternions_wxyz(rotations).roll(-1, dims=-1)
        self.add({"node": node, "path": "rotation"}, xyzw)


def _seconds(clip: Clip) -> Float[np.ndarray, " frames"]:
    """Times of the frames: programs that count frames find them at the numbers of the file."""
    first = 0.0 if clip.source is None else clip.source.first_frame
    return (first + np.arange(clip.frames, dtype=np.float64)) / clip.fps


def _bone_nodes(figure: Figure) -> list[dict[str, Any]]:
    nodes: list[dict[str, Any]] = []
    turns = quaternion_wxyz_from_matrix(figure.rest_rotations).roll(-1, dims=-1)
    is_turned = (figure.rest_rotations - torch.eye(3).to(turns)).abs().amax((1, 2)) > 0
    for bone, name in enumerate(figure.bones):
        children = figure.children(bone)
        nodes.append({"name": name, "translation": figure.rest_offsets[bone].tolist()})
        nodes[-1] |= {"rotation": turns[bone].tolist()} if is_turned[bone] else {}
        nodes[-1] |= {"children": children} if children else {}
    return nodes


def _skinned(figure: Figure, binary: _Binary) -> dict[str, Any]:
    """Mesh, material and skin."""
    mesh, bones = figure.mesh, len(figure.bones)
    joints = np.zeros(
        (len(mesh.joint), 4), np.uint8 if bones <= MOST_JOINTS_IN_A_BYTE else np.uint16
    )
    joints[:, 0] = mesh.joint
    weights = np.zeros((len(mesh.joint), 4), np.float32)
    weights[:, 0] = 1.0
    # Column-major, as the standard has it: the offset is the last row of what is written.
    turns, places = (part.numpy() for part in figure.rest_world)
    inverse_bind = np.tile(np.eye(4, dtype=np.float32), (bones, 1, 1))
    inverse_bind[:, :3, :3] = turns
    inverse_bind[:, 3, :3] = -(places[:, None] @ turns)[:, 0]
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
    skin: dict[str, Any] = {"joints": list(range(bones))}
    if len(figure.roots) == 1:  # otherwise no bone carries all others
        skin["skeleton"] = figure.roots[0]
    return {
        "materials": [{"name": figure.name, "pbrMetallicRoughness": surface}],
        "meshes": [
            {
                "name": figure.name,
                "primitives": [{"attributes": attributes, "indices": faces, "material": 0}],
            }
        ],
        "skins": [skin | {"inverseBindMatrices": bind}],
    }


def _animate(tracks: _Tracks, figure: Figure) -> None:
    for bone, parent in enumerate(figure.parents):
        if parent < 0:
            tracks.move(bone, figure.offsets[:, bone])
        tracks.turn(bone, figure.rotations[:, bone])
        if parent >= 0 and figure.moves[bone]:
            tracks.move(bone, figure.offsets[:, bone])


def _add_camera(document: dict[str, Any], tracks: _Tracks, shot: Shot, as_keys: bool) -> None:
    camera: CameraPath = shot.camera
    fov = camera.fov_vertical.double()
    lens = {"yfov": float(fov[0]), "aspectRatio": camera.aspect, "znear": NEAR_M, "zfar": FAR_M}
    extras = {
        "camera_words": shot.camera_words,
        "human_words": shot.human_words,
        "intensity": shot.intensity,
        **({} if (curve := shot.intensity_curve) is None else {"intensity_curve": curve.points}),
        "fps": shot.fps,
        "fov_vertical_rad": fov.tolist(),
    }
    document["cameras"] = [{"name": "camera", "type": "perspective", "perspective": lens}]
    node = len(document["nodes"])
    document["nodes"].append({"name": "camera", "camera": 0, "extras": extras})
    document["scenes"][0]["nodes"].append(node)
    turn = y_up_from_world(fov)
    places, turns = camera.centre.double() @ turn.T, turn @ world_from_gl_camera(camera)
    pointer = {POINTER: {"pointer": "/cameras/0/perspective/yfov"}}
    zoom = {"path": "pointer", "extensions": pointer}
    zooms = bool((fov - fov[0]).abs().max() > SAME_LENS)
    document |= {"extensionsUsed": [POINTER]} if zooms else {}
    if not as_keys:
        tracks.move(node, places)
        tracks.turn(node, turns)
        if zooms:
            tracks.add(zoom, fov[:, None])
        return
    tracks.spline({"node": node, "path": "translation"}, place_keys(places.numpy()))
    tracks.spline({"node": node, "path": "rotation"}, quaternion_xyzw_keys(turns))
    if zooms:
        tracks.spline(zoom, lens_keys(fov[:, None].numpy(), lambda radians: radians[:, 0]))


def _container(document: dict[str, Any], data: bytes) -> bytes:
    """Header, JSON chunk, binary chunk."""
    text = json.dumps(document, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 4)
    chunks = struct.pack("<II", len(text), 0x4E4F534A) + text
    chunks += struct.pack("<II", len(data), 0x004E4942) + data
    return struct.pack("<III", 0x46546C67, 2, 12 + len(chunks)) + chunks
