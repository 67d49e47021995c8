"""The character's own mesh in a glTF file, bound to the bones that its motion was read with."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from jaxtyping import Float, Float32, UInt16, UInt32
from torch import Tensor

from aesop.core.errors import FileError
from aesop.files.gltf_motion import GltfDocument, GltfFlawError, gltf_flaws_told
from aesop.files.importing import input_file
from aesop.files.node_tree import NodeTree, upright_nodes
from aesop.scene.source import Armature

SUFFIXES = (".glb", ".gltf")
MOST_VERTICES = 400_000
_TRIANGLES = 4
_INFLUENCES = 4  # per vertex; the standard allows more, programs write four
_PACKED = "KHR_draco_mesh_compression"
_CLAY = (0.75, 0.75, 0.75)  # of what has no colour of its own; textures are not read


@dataclass(frozen=True, eq=False)
class CharacterMesh:
    """A mesh that bones carry. At any frame a vertex v lies at the sum over its slots of
    weight · world_from_bone(bone of the slot) · bone_from_mesh(slot) · v, in the file's units;
    `world_from_bone` is a bone of the file's `Armature`, which turns and moves and has no scale."""

    points: Float32[np.ndarray, "vertices 3"]
    normals: Float32[np.ndarray, "vertices 3"]
    colours: Float32[np.ndarray, "vertices 3"]  # linear
    slots: UInt16[np.ndarray, "vertices 4"]
    weights: Float32[np.ndarray, "vertices 4"]
    triangles: UInt32[np.ndarray, "triangles 3"]
    slot_bone: UInt16[np.ndarray, " slots"]
    bone_from_mesh: Float32[np.ndarray, "slots 4 4"]


@dataclass(frozen=True, eq=False)
class _Primitive:
    """A run of triangles with one material."""

    points: Float32[np.ndarray, "vertices 3"]
    normals: Float32[np.ndarray, "vertices 3"]
    colours: Float32[np.ndarray, "vertices 3"]
    slots: UInt16[np.ndarray, "vertices 4"]
    weights: Float32[np.ndarray, "vertices 4"]
    triangles: UInt32[np.ndarray, "triangles 3"]


def read_character_mesh(path: Path, armature: Armature) -> CharacterMesh:
    """Everything that the animation of a file moves and that is made of triangles."""
    with gltf_flaws_told(input_file(path), "Its skeleton is shown without a mesh."):
        document = GltfDocument(path)
        tracks, _ = document.tracks()
        begin = np.array([min(track.seconds[0] for track in tracks)])
        reader = _SkinReader(document, document.tree(tracks, begin, 1.0), armature)
        pieces = list(reader.pieces({track.node for track in tracks}))
        if not pieces:
            raise FileError(f"{path.name} has no mesh.", "Its skeleton is shown.")
        return _joined(pieces, reader)


class _SkinReader:
    """Collects the slots: a bone, and where the mesh lies in it."""

    def __init__(self, document: GltfDocument, tree: NodeTree, armature: Armature) -> None:
        self._document = document
        order, self._parents = document.ordered()
        self._order, self._row = order, {node: row for row, node in enumerate(order)}
        bones = upright_nodes(tree)
        if len(bones) != len(armature.names):
            raise GltfFlawError("its mesh and its motion have different bones")
        self._bone = {row: bone for bone, row in enumerate(bones)}
        world: list[Tensor] = []
        for row, parent in enumerate(self._parents):
            local = tree.parent_from_node[0, row]
            world.append(local if parent < 0 else world[parent] @ local)
        self._world = world
        self.slot_bone: list[int] = []
        self.bone_from_mesh: list[Tensor] = []

    def pieces(self, moved: set[int]) -> Iterator[_Primitive]:
        nodes, vertices = self._document.json["nodes"], 0
        for row, number in enumerate(self._order):
            node = nodes[number]
            is_skinned = "skin" in node
            if "mesh" not in node or not (is_skinned or self._is_moved(row, moved)):
                continue
            slots = self._skin_slots(node["skin"]) if is_skinned else [self._slot(row, None)]
            for primitive in self._document.json["meshes"][node["mesh"]]["primitives"]:
                if primitive.get("mode", _TRIANGLES) != _TRIANGLES:
                    continue
                piece = self._piece(primitive, np.array(slots), is_skinned)
                vertices += len(piece.points)
                if vertices > MOST_VERTICES:
                    raise GltfFlawError(f"its mesh has more than {MOST_VERTICES} vertices")
                yield piece

    def _is_moved(self, row: int, moved: set[int]) -> bool:
        """Whether a track moves the node or one above it: a prop, not the scenery."""
        while row >= 0:
            if self._order[row] in moved:
                return True
            row = self._parents[row]
        return False

    def _skin_slots(self, index: int) -> list[int]:
        skin = self._document.json["skins"][index]
        joints = skin["joints"]
        inverse = np.tile(np.eye(4), (len(joints), 1, 1))
        if "inverseBindMatrices" in skin:
            columns = self._document.numbers(skin["inverseBindMatrices"])
            inverse = columns.reshape(-1, 4, 4).transpose(0, 2, 1)
        return [
            self._slot(self._row[joint], torch.from_numpy(matrix.copy()))
            for joint, matrix in zip(joints, inverse, strict=True)
        ]

    def _slot(self, row: int, joint_from_mesh: Float[Tensor, "4 4"] | None) -> int:
        """The slot of a node. A mirrored node hangs, stiffly, at the next bone above it."""
        at = row
        while at not in self._bone:
            at = self._parents[at]
            if at < 0:
                raise GltfFlawError("its mesh hangs at no bone")
        left, _, right = torch.linalg.svd(self._world[at][:3, :3])
        rigid = self._world[at].clone()
        rigid[:3, :3] = left @ right
        inside = torch.linalg.solve(rigid, self._world[row])
        if joint_from_mesh is not None:
            inside = inside @ joint_from_mesh
        self.slot_bone.append(self._bone[at])
        self.bone_from_mesh.append(inside)
        return len(self.slot_bone) - 1

    def _piece(self, primitive: dict[str, Any], slots: np.ndarray, is_skinned: bool) -> _Primitive:
        if _PACKED in primitive.get("extensions", {}):
            raise GltfFlawError(f"its mesh is packed with {_PACKED}")
        attributes = primitive["attributes"]
        points = self._document.numbers(attributes["POSITION"]).astype(np.float32)
        count = len(points)
        triangles = np.arange(count)
        if "indices" in primitive:
            triangles = self._document.numbers(primitive["indices"])[:, 0].astype(np.int64)
        triangles = triangles[: len(triangles) - len(triangles) % 3].reshape(-1, 3)
        if triangles.size and (triangles.min() < 0 or triangles.max() >= count):
            raise GltfFlawError("its mesh names a vertex that it does not have")
        if "NORMAL" in attributes:
            normals = self._document.numbers(attributes["NORMAL"]).astype(np.float32)
        else:
            normals = _smooth_normals(points, triangles)
        weights = np.tile(np.array([1, 0, 0, 0], np.float32), (count, 1))
        chosen = np.full((count, _INFLUENCES), slots[0])
        if is_skinned:
            chosen = slots[self._document.numbers(attributes["JOINTS_0"]).astype(np.int64)]
            weights = self._document.numbers(attributes["WEIGHTS_0"]).astype(np.float32)
            sums = weights.sum(1, keepdims=True)
            weights = np.where(sums > 0, weights / np.where(sums > 0, sums, 1), weights)
        if not (points.shape == normals.shape == (count, 3)) or weights.shape != chosen.shape:
            raise GltfFlawError("its mesh has arrays of different lengths")
        if not all(np.isfinite(one).all() for one in (points, normals, weights)):
            raise GltfFlawError("its mesh has numbers that are not finite")
        return _Primitive(
            points, normals, self._colours(primitive, count), chosen.astype(np.uint16),
            weights.astype(np.float32), triangles.astype(np.uint32),
        )  # fmt: skip

    def _colours(self, primitive: dict[str, Any], count: int) -> Float32[np.ndarray, "vertices 3"]:
        """Of the material and of the vertices. White under a texture says nothing of a colour."""
        materials, surface = self._document.json.get("materials", []), {}
        if "material" in primitive:
            surface = materials[primitive["material"]].get("pbrMetallicRoughness", {})
        is_clay = not surface or "baseColorTexture" in surface
        factor = _CLAY if is_clay else surface.get("baseColorFactor", (1.0, 1.0, 1.0))[:3]
        colours = np.tile(np.array(factor, np.float32), (count, 1))
        if "COLOR_0" in primitive["attributes"]:
            own = self._document.numbers(primitive["attributes"]["COLOR_0"])[:, :3]
            colours = own.astype(np.float32) * (1 if is_clay else colours)
        if colours.shape != (count, 3) or not np.isfinite(colours).all():
            raise GltfFlawError("its mesh has other colours than vertices")
        return colours.clip(0, 1)


def _smooth_normals(
    points: Float32[np.ndarray, "vertices 3"], triangles: np.ndarray
) -> Float32[np.ndarray, "vertices 3"]:
    """Where a file has none: the mean of the faces at a vertex, by their area."""
    corners = points[triangles]
    faces = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    normals = np.zeros_like(points)
    for corner in range(3):
        np.add.at(normals, triangles[:, corner], faces)
    lengths = np.linalg.norm(normals, axis=1, keepdims=True)
    return (normals / np.where(lengths > 0, lengths, 1)).astype(np.float32)


def _joined(pieces: list[_Primitive], reader: _SkinReader) -> CharacterMesh:
    starts = np.cumsum([0] + [len(piece.points) for piece in pieces[:-1]])
    return CharacterMesh(
        points=np.concatenate([piece.points for piece in pieces]),
        normals=np.concatenate([piece.normals for piece in pieces]),
        colours=np.concatenate([piece.colours for piece in pieces]),
        slots=np.concatenate([piece.slots for piece in pieces]),
        weights=np.concatenate([piece.weights for piece in pieces]),
        triangles=np.concatenate(
            [
                (piece.triangles + start).astype(np.uint32)
                for piece, start in zip(pieces, starts, strict=True)
            ]
        ),
        slot_bone=np.array(reader.slot_bone, np.uint16),
        bone_from_mesh=torch.stack(reader.bone_from_mesh).numpy().astype(np.float32),
    )
