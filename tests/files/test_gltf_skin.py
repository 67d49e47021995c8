"""The mesh of a character is carried by its bones as the file says, whatever scales lie above."""

import json
import struct
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from aesop.core.errors import FileError
from aesop.export.figure import figure_of, in_world
from aesop.export.gltf import write_glb
from aesop.files.gltf_motion import read_gltf
from aesop.files.gltf_skin import CharacterMesh, read_character_mesh
from aesop.scene.human import Clip
from aesop.scene.source import Armature
from tests.preview.makers import walking_clip

Change = Callable[[dict[str, Any]], object]
FRAMES = (0, 11, 30)
NEAR_M = 2e-4  # single precision in the file, and one round of quaternions


def carried(mesh: CharacterMesh, armature: Armature, frame: int) -> np.ndarray:
    """All vertices at a frame, as `CharacterMesh` says, in the file's units."""
    turns, places = in_world(armature.rotations, armature.offsets, armature.parents)
    world = torch.eye(4).repeat(len(armature.names), 1, 1)
    world[:, :3, :3], world[:, :3, 3] = turns[frame], places[frame]
    slots = world.numpy()[mesh.slot_bone] @ mesh.bone_from_mesh
    points = np.concatenate([mesh.points, np.ones((len(mesh.points), 1))], axis=1)
    each = np.einsum("vkab,vb->vka", slots[mesh.slots], points)[..., :3]
    return (mesh.weights[..., None] * each).sum(1)


def mannequin_at(clip: Clip, frame: int) -> np.ndarray:
    """The vertices that the export was made of: each goes with its joint. y up."""
    figure = figure_of(clip)
    turns, places = in_world(figure.rotations, figure.offsets, figure.parents)
    rest, rest_places = (part.numpy() for part in figure.rest_world)
    joint = figure.mesh.joint
    inside = np.einsum("vba,vb->va", rest[joint], figure.mesh.points - rest_places[joint])
    turned = np.einsum("vab,vb->va", turns[frame].numpy()[joint], inside)
    return turned + places[frame].numpy()[joint]


def changed(path: Path, change: Change) -> Path:
    """A GLB file with other JSON."""
    data = path.read_bytes()
    size = struct.unpack_from("<I", data, 12)[0]
    document, rest = json.loads(data[20 : 20 + size]), data[20 + size :]
    change(document)
    text = json.dumps(document).encode()
    text += b" " * (-len(text) % 4)
    head = struct.pack("<IIIII", 0x46546C67, 2, 20 + len(text) + len(rest), len(text), 0x4E4F534A)
    path.write_bytes(head + text + rest)
    return path


@pytest.fixture
def exported(tmp_path: Path) -> tuple[Clip, Path]:
    clip, path = walking_clip(frames=31), tmp_path / "walk.glb"
    write_glb(clip, path)
    return clip, path


def armature_of(path: Path) -> Armature:
    source = read_gltf(path).source
    assert source is not None and source.armature is not None
    return source.armature


def test_vertices_lie_where_the_file_was_made_with_them(exported: tuple[Clip, Path]):
    clip, path = exported
    armature = armature_of(path)
    mesh = read_character_mesh(path, armature)
    for frame in FRAMES:
        there = carried(mesh, armature, frame)
        assert np.abs(there - mannequin_at(clip, frame)).max() < NEAR_M


def test_scales_and_turns_above_the_bones_go_along(exported: tuple[Clip, Path]):
    """Characters in centimetres hang below a node that shrinks them, often turned."""
    clip, path = exported
    half, turn = 0.5, np.array([[1, 0, 0], [0, 0, 1], [0, -1, 0]])

    def hang(document: dict[str, Any]) -> None:
        nodes = document["nodes"]
        roots = [n for n in document["scenes"][0]["nodes"] if "mesh" not in nodes[n]]
        sine = np.sqrt(0.5)
        above = {"scale": [half] * 3, "rotation": [-sine, 0, 0, sine], "children": roots}
        nodes.append({**above, "name": "Armature", "translation": [3.0, 5.0, 7.0]})

    changed(path, hang)
    armature = armature_of(path)
    mesh = read_character_mesh(path, armature)
    for frame in FRAMES:
        wanted = half * mannequin_at(clip, frame) @ turn.T + np.array([3.0, 5.0, 7.0])
        assert np.abs(carried(mesh, armature, frame) - wanted).max() < NEAR_M


@pytest.mark.parametrize(
    ("name", "change"),
    [
        ("no mesh", lambda d: [node.pop("mesh", None) for node in d["nodes"]]),
        ("packed", lambda d: d["meshes"][0]["primitives"][0].update(
            extensions={"KHR_draco_mesh_compression": {}})),
        ("vertex", lambda d: d["accessors"][d["meshes"][0]["primitives"][0]["indices"]].update(
            componentType=5123, type="SCALAR", bufferView=0, count=99)),
        ("glTF", lambda d: d["meshes"][0]["primitives"][0]["attributes"].update(POSITION=999)),
        ("glTF", lambda d: d["skins"][0].update(joints=[0, 1])),
    ],
)  # fmt: skip
def test_meshes_that_cannot_be_shown_are_refused_with_a_sentence(
    exported: tuple[Clip, Path], name: str, change: Change
):
    _, path = exported
    armature = armature_of(path)
    with pytest.raises(FileError) as refusal:
        read_character_mesh(changed(path, change), armature)
    assert name in str(refusal.value) and refusal.value.remedy
