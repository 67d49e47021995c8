"""Who stands in an exported scene: the file's own skeleton, or our mannequin where the motion came
without a body. y up, metres."""

from dataclasses import dataclass

import numpy as np
import torch
from jaxtyping import Float
from torch import Tensor

from aesop.export.file_world import person_size
from aesop.export.mannequin_mesh import (
    SURFACES,
    BodyMesh,
    body_mesh,
    capsule,
    joined,
    rest_places,
    y_up_from_world,
)
from aesop.scene.human import Clip
from aesop.scene.skeleton import JOINT_NAMES, PARENTS, rest_offsets, world_rotations
from aesop.scene.source import Armature, Source

# Joints whose places differ less than this from what turns say are not moved by themselves.
SAME_PLACE_M = 1e-5
# A stick is this thick beside its bone, and no thicker than an arm.
STICK_SHARE, THICKEST_STICK_M = 0.09, 0.035


@dataclass(frozen=True, eq=False)
class Figure:
    """A skeleton with the mesh it carries, at rest and at every frame.

    Rotations are parent_from_bone, a root's world_from_bone. Bones whose offset stays at its rest
    are not in `moves`.
    """

    name: str
    bones: tuple[str, ...]
    parents: tuple[int, ...]
    rest_rotations: Float[Tensor, "bones 3 3"]
    rest_offsets: Float[Tensor, "bones 3"]
    rotations: Float[Tensor, "frames bones 3 3"]
    offsets: Float[Tensor, "frames bones 3"]
    moves: tuple[bool, ...]
    mesh: BodyMesh

    @property
    def roots(self) -> list[int]:
        return [bone for bone, parent in enumerate(self.parents) if parent < 0]

    def children(self, bone: int) -> list[int]:
        return [child for child, parent in enumerate(self.parents) if parent == bone]

    @property
    def rest_world(self) -> tuple[Float[Tensor, "bones 3 3"], Float[Tensor, "bones 3"]]:
        """World_from_bone and place of every bone at rest."""
        return in_world(self.rest_rotations, self.rest_offsets, self.parents)


def figure_of(clip: Clip) -> Figure:
    """The figure of a clip that stands in its file's world, or of one that has no file."""
    if clip.source is not None and clip.source.armature is not None:
        return armature_figure(clip.source.armature, clip.source, clip.frames)
    return mannequin_figure(clip)


def mannequin_figure(clip: Clip) -> Figure:
    """Our mannequin, as large as the person of the clip is."""
    size = round(person_size(clip), 6) if clip.source is not None else 1.0
    motion = clip.motion.to(torch.float64)
    turn, rest = y_up_from_world(motion.joints), size * rest_offsets(motion.joints)
    world, parents = world_rotations(motion.rotations), list(PARENTS[1:])
    apart = (motion.joints[:, 1:] - motion.joints[:, parents])[..., None, :] @ world[:, parents]
    offsets = torch.cat([(motion.root @ turn.T)[:, None], apart.squeeze(-2)], dim=1)
    rest[0] = size * rest.new_tensor(rest_places()[0])
    # Places are data of their own: where they differ from what turns say, bones are moved.
    stray = (offsets - rest).abs().amax(dim=(0, 2)) > SAME_PLACE_M
    stray[0] = True
    rotations = torch.cat([(turn @ motion.rotations[:, :1]), motion.rotations[:, 1:]], dim=1)
    mesh = body_mesh()
    return Figure(
        "mannequin",
        JOINT_NAMES,
        PARENTS,
        torch.eye(3, dtype=torch.float64).expand(len(PARENTS), 3, 3),
        rest,
        rotations,
        offsets,
        tuple(stray.tolist()),
        mesh if size == 1 else _sized(mesh, size),
    )


def _sized(mesh: BodyMesh, size: float) -> BodyMesh:
    return BodyMesh(size * mesh.points, mesh.normals, mesh.colours, mesh.joint, mesh.triangles)


def armature_figure(armature: Armature, source: Source, frames: int) -> Figure:
    """The file's skeleton at the frames of a clip that stands in its world, a stick for a bone."""
    first = round(source.first_frame) - source.start_frame
    some = slice(first, first + frames)
    like = torch.zeros(1, dtype=torch.float64)
    turn = y_up_from_world(like) if source.up == "z" else torch.eye(3).to(like)
    is_root = [parent < 0 for parent in armature.parents]
    rotations, offsets = armature.rotations[some].double(), armature.offsets[some].double()
    rest, places = armature.rest_rotations.double(), armature.rest_offsets.double()
    rotations, offsets = _stood(turn, rotations, offsets, is_root)
    rest, places = _stood(turn, rest[None], places[None], is_root)
    unit = source.metres_per_unit
    offsets, places = unit * offsets, unit * places[0]
    stray = (offsets - places).abs().amax(dim=(0, 2)) > SAME_PLACE_M
    return Figure(
        "skeleton",
        _unique(armature.names),
        armature.parents,
        rest[0],
        places,
        rotations,
        offsets,
        tuple((stray | torch.tensor(is_root)).tolist()),
        _sticks(rest[0], places, armature.parents),
    )


def _stood(
    turn: Float[Tensor, "3 3"],
    rotations: Float[Tensor, "frames bones 3 3"],
    offsets: Float[Tensor, "frames bones 3"],
    is_root: list[bool],
) -> tuple[Float[Tensor, "frames bones 3 3"], Float[Tensor, "frames bones 3"]]:
    """Roots turned with the world; whatever hangs below them goes along."""
    rotations, offsets = rotations.clone(), offsets.clone()
    rotations[:, is_root] = turn @ rotations[:, is_root]
    offsets[:, is_root] = offsets[:, is_root] @ turn.T
    return rotations, offsets


def _sticks(
    rotations: Float[Tensor, "bones 3 3"],
    offsets: Float[Tensor, "bones 3"],
    parents: tuple[int, ...],
) -> BodyMesh:
    """A thin capsule from every parent to its child, at rest."""
    places = in_world(rotations, offsets, parents)[1].numpy()
    colour = next(iter(SURFACES.values()))
    parts: list[BodyMesh] = []
    for bone, parent in enumerate(parents):
        length = float(np.linalg.norm(places[bone] - places[parent]))
        if parent < 0 or length < SAME_PLACE_M:
            continue
        radius = min(STICK_SHARE * length, THICKEST_STICK_M)
        axis = (places[bone] - places[parent]) / length
        ends = places[parent], places[bone]
        parts.append(capsule(ends, (radius, radius), (parent, parent), axis, np.ones(3), colour))
    return joined(parts)


def in_world(
    rotations: Float[Tensor, "*frames bones 3 3"],
    offsets: Float[Tensor, "*frames bones 3"],
    parents: tuple[int, ...],
) -> tuple[Float[Tensor, "*frames bones 3 3"], Float[Tensor, "*frames bones 3"]]:
    """World_from_bone and place of every bone from what each has beside its parent."""
    world: list[Tensor] = []
    places: list[Tensor] = []
    for bone, parent in enumerate(parents):
        turn, offset = rotations[..., bone, :, :], offsets[..., bone, :]
        if parent < 0:
            world.append(turn)
            places.append(offset)
        else:
            world.append(world[parent] @ turn)
            places.append(places[parent] + (world[parent] @ offset[..., None]).squeeze(-1))
    return torch.stack(world, dim=-3), torch.stack(places, dim=-2)


def _unique(names: tuple[str, ...]) -> tuple[str, ...]:
    """Names as they are, numbered where one comes again."""
    seen: dict[str, int] = {}
    unique: list[str] = []
    for name in names:
        seen[name] = seen.get(name, 0) + 1
        unique.append(name if seen[name] == 1 else f"{name}.{seen[name]}")
    return tuple(unique)
