"""Our own motions written as characters of other programs: ASCII FBX and glTF, with and without a
skin, under an armature that is scaled and turned."""

import json
import math
import struct
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import torch
from jaxtyping import Float
from torch import Tensor

from aesop.scene.human import Clip
from aesop.scene.rotation import about_axis, euler_from_matrix, quaternion_wxyz_from_matrix
from aesop.scene.skeleton import JOINTS, PARENTS
from tests.files.foreign import Foreign

TICKS_PER_SECOND = 46186158000  # FBX's unit of time


@dataclass(frozen=True)
class Character:
    """How the tree above the hips and the skin look. Nothing of it may move the person."""

    foreign: Foreign = field(default_factory=Foreign)
    armature_scale: float = 1.0
    armature_turn_degrees: float = 0.0  # about x; the nodes below are turned back
    has_skin: bool = False
    prop: str = ""  # another tree beside the person's
    prop_seconds: float = 0.0  # how long it moves, in glTF
    empty_take: str = ""

    def local(
        self, clip: Clip
    ) -> tuple[Float[Tensor, "frames 22 3 3"], Float[Tensor, "frames 22 3"]]:
        """Turns and places below the armature node."""
        turns, places = self.foreign.posed(clip)
        angle = torch.tensor(math.radians(self.armature_turn_degrees), dtype=torch.float64)
        back = about_axis(angle, "x").T
        turns, places = turns.clone(), places / self.armature_scale
        turns[:, 0] = back @ turns[:, 0]
        places[:, 0] = places[:, 0] @ back.T
        return turns, places

    def bound(self) -> Float[Tensor, "22 4 4"]:
        """World matrices of the pose in which the skin was bound: arms out, at its own scale."""
        world: list[Tensor] = []
        offsets = self.foreign.offsets() / self.armature_scale
        for joint, parent in enumerate(PARENTS):
            matrix = torch.eye(4, dtype=torch.float64)
            matrix[:3, :3] = self.foreign.axes[joint]
            if joint:
                above = world[parent]
                matrix[:3, 3] = above[:3, 3] + above[:3, :3] @ offsets[joint]
            world.append(matrix)
        return torch.stack(world)


def write_glb(path: Path, clip: Clip, character: Character) -> Path:
    """The character as a .glb, or as .gltf with its numbers inside it."""
    document, data = _gltf(clip, character)
    if path.suffix == ".gltf":
        import base64

        uri = "data:application/octet-stream;base64," + base64.b64encode(data).decode()
        document["buffers"][0]["uri"] = uri
        path.write_text(json.dumps(document), encoding="utf-8")
        return path
    text = json.dumps(document).encode()
    text += b" " * (-len(text) % 4)
    chunks = struct.pack("<II", len(text), 0x4E4F534A) + text
    chunks += struct.pack("<II", len(data), 0x004E4942) + data
    path.write_bytes(struct.pack("<4sII", b"glTF", 2, 12 + len(chunks)) + chunks)
    return path


def _gltf(clip: Clip, character: Character) -> tuple[dict[str, Any], bytes]:
    turns, places = character.local(clip)
    seconds = torch.arange(len(turns), dtype=torch.float64) / clip.fps
    data = bytearray()
    views: list[dict[str, int]] = []
    accessors: list[dict[str, Any]] = []

    def stored(numbers: Tensor, kind: str) -> int:
        raw = numbers.numpy().astype("<f4").tobytes()
        views.append({"buffer": 0, "byteOffset": len(data), "byteLength": len(raw)})
        data.extend(raw)
        accessors.append(
            {"bufferView": len(views) - 1, "componentType": 5126, "count": len(numbers),
             "type": kind}
        )  # fmt: skip
        return len(accessors) - 1

    nodes: list[dict[str, Any]] = []
    samplers: list[dict[str, Any]] = []
    channels: list[dict[str, Any]] = []
    time = stored(seconds, "SCALAR")
    for joint in range(JOINTS):
        children = [child for child in range(JOINTS) if PARENTS[child] == joint]
        node: dict[str, Any] = {
            "name": character.foreign.names[joint],
            "translation": places[0, joint].tolist(),
        }
        nodes.append(node | ({"children": children} if children else {}))
        quaternions = quaternion_wxyz_from_matrix(turns[:, joint])[:, [1, 2, 3, 0]]
        tracks = [("rotation", quaternions, "VEC4")]
        tracks += [("translation", places[:, 0], "VEC3")] if joint == 0 else []
        for way, values, kind in tracks:
            channels.append({"sampler": len(samplers), "target": {"node": joint, "path": way}})
            samplers.append({"input": time, "output": stored(values, kind)})
    half = math.radians(character.armature_turn_degrees) / 2
    nodes.append(
        {"name": "Armature", "children": [0], "scale": [character.armature_scale] * 3,
         "rotation": [math.sin(half), 0.0, 0.0, math.cos(half)]}
    )  # fmt: skip
    roots = [JOINTS]
    if character.prop_seconds:
        moves = torch.tensor([[0.0], [character.prop_seconds]]), torch.zeros(2, 3)
        channels.append(
            {"sampler": len(samplers), "target": {"node": len(nodes), "path": "translation"}}
        )
        samplers.append({"input": stored(moves[0], "SCALAR"), "output": stored(moves[1], "VEC3")})
    if character.prop:
        roots.append(len(nodes))
        nodes.append({"name": character.prop})
    document: dict[str, Any] = {
        "asset": {"version": "2.0"}, "scenes": [{"nodes": roots}], "nodes": nodes,
        "animations": [{"name": "walk", "samplers": samplers, "channels": channels}],
    }  # fmt: skip
    if character.has_skin:
        inverse = torch.linalg.inv(character.bound()).transpose(-1, -2).reshape(JOINTS, 16)
        document["skins"] = [
            {"joints": list(range(JOINTS)), "inverseBindMatrices": stored(inverse, "MAT4")}
        ]
    document |= {
        "accessors": accessors, "bufferViews": views, "buffers": [{"byteLength": len(data)}],
    }  # fmt: skip
    return document, bytes(data)


def write_fbx(path: Path, clip: Clip, character: Character) -> Path:
    """The character as ASCII FBX 7.4."""
    turns, places = character.local(clip)
    angles = torch.rad2deg(euler_from_matrix(turns, "zyx")).flip(-1)  # FBX turns about x first
    angles = torch.from_numpy(np.rad2deg(np.unwrap(np.deg2rad(angles.numpy()), axis=0)))
    ticks = [round(k / clip.fps * TICKS_PER_SECOND) for k in range(len(turns))]
    objects, links = [_armature(character)], ['C: "OO",50,0']
    for joint in range(JOINTS):
        model = 100 + joint
        name = character.foreign.names[joint]
        objects.append(_model(model, name, "LimbNode", places[0, joint].tolist(), (0.0, 0.0, 0.0)))
        links.append(f'C: "OO",{model},{100 + PARENTS[joint] if joint else 50}')
        curves = [("R", "Lcl Rotation", angles[:, joint])]
        curves += [("T", "Lcl Translation", places[:, 0])] if joint == 0 else []
        for letter, prop, values in curves:
            node = 1000 + 10 * joint + (5 if letter == "T" else 0)
            objects.append(f'AnimationCurveNode: {node}, "AnimCurveNode::{letter}", "" {{\n}}')
            links += [f'C: "OO",{node},20', f'C: "OP",{node},{model}, "{prop}"']
            for axis in range(3):
                objects.append(_curve(node + axis + 10_000, ticks, values[:, axis]))
                links.append(f'C: "OP",{node + axis + 10_000},{node}, "d|{"XYZ"[axis]}"')
    stop = f'P: "LocalStop", "KTime", "Time", "",{ticks[-1]}'
    objects += [_stack(10, "walk", stop), 'AnimationLayer: 20, "AnimLayer::Base", "" {\n}']
    links.append('C: "OO",20,10')
    if character.empty_take:
        objects.append(_stack(11, character.empty_take, stop))
    if character.prop:
        objects.append(_model(90, character.prop, "Null", [0.0, 0.0, 0.0], (0.0, 0.0, 0.0)))
        links.append('C: "OO",90,0')
    path.write_text(
        "\n".join(
            ["; FBX 7.4.0 project file", _header(character, clip.fps), "Objects:  {", *objects, "}",
             "Connections:  {", *links, "}", ""]
        ),
        encoding="utf-8",
    )  # fmt: skip
    return path


def _header(character: Character, fps: float) -> str:
    up, front, sign = (1, 2, 1) if character.foreign.up == "y" else (2, 1, -1)
    settings = {
        "UpAxis": up, "UpAxisSign": 1, "FrontAxis": front, "FrontAxisSign": sign, "CoordAxis": 0,
        "CoordAxisSign": 1,
    }  # fmt: skip
    lines = [f'P: "{name}", "int", "Integer", "",{value}' for name, value in settings.items()]
    lines += [
        f'P: "UnitScaleFactor", "double", "Number", "",{100 * character.foreign.metres}',
        'P: "TimeMode", "enum", "", "",14',
        f'P: "CustomFrameRate", "double", "Number", "",{fps}',
    ]
    return "\n".join(
        ["FBXHeaderExtension:  {", "FBXHeaderVersion: 1003", "FBXVersion: 7400", "}",
         "GlobalSettings:  {", "Version: 1000", "Properties70:  {", *lines, "}", "}"]
    )  # fmt: skip


def _armature(character: Character) -> str:
    turn = (character.armature_turn_degrees, 0.0, 0.0)
    scale = character.armature_scale
    return _model(50, "Armature", "Null", [0.0, 0.0, 0.0], turn, scale)


def _model(
    number: int,
    name: str,
    kind: str,
    place: list[float],
    turn: tuple[float, float, float],
    scale: float = 1.0,
) -> str:
    def numbers(values: list[float] | tuple[float, ...]) -> str:
        return ",".join(f"{value:.12g}" for value in values)

    return "\n".join(
        [f'Model: {number}, "Model::{name}", "{kind}" {{', "Version: 232", "Properties70:  {",
         f'P: "Lcl Translation", "Lcl Translation", "", "A",{numbers(place)}',
         f'P: "Lcl Rotation", "Lcl Rotation", "", "A",{numbers(turn)}',
         f'P: "Lcl Scaling", "Lcl Scaling", "", "A",{numbers([scale] * 3)}', "}", "}"]
    )  # fmt: skip


def _stack(number: int, name: str, stop: str) -> str:
    return (
        f'AnimationStack: {number}, "AnimStack::{name}", "" {{\nProperties70:  {{\n{stop}\n}}\n}}'
    )


def _curve(number: int, ticks: list[int], values: Float[Tensor, " frames"]) -> str:
    def array(name: str, numbers: list[str]) -> str:
        return f"{name}: *{len(numbers)} {{\na: {','.join(numbers)}\n}}"

    return "\n".join(
        [f'AnimationCurve: {number}, "AnimCurve::", "" {{', "Default: 0", "KeyVer: 4008",
         array("KeyTime", [str(tick) for tick in ticks]),
         array("KeyValueFloat", [f"{value:.9g}" for value in values.tolist()]),
         array("KeyAttrFlags", ["4"]), array("KeyAttrDataFloat", ["0"] * 4),
         array("KeyAttrRefCount", [str(len(ticks))]), "}"]
    )  # fmt: skip
