"""Characters as trees of nodes with matrices, as FBX and glTF have them: scales above the hips,
skins bound in another pose, and the take that a tree makes."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import torch
from jaxtyping import Float
from torch import Tensor

from aesop.core.errors import FileError
from aesop.files.foreign_clip import ForeignTake
from aesop.files.foreign_skeleton import SourceMotion
from aesop.files.importing import check_finite
from aesop.scene.rotation import matrix_from_quaternion_wxyz
from aesop.scene.source import Armature, UpAxis

# Lengths below this share of the longest are joints on top of each other.
_NO_LENGTH = 1e-6
# Numbers of turns that differ by less, a twentieth of a degree, are one pose, rounded twice.
SAME_POSE = 1e-3


@dataclass(frozen=True, eq=False)
class NodeTree:
    """Named nodes, parents before children, with what moves them and the poses they rest in."""

    path: Path
    names: tuple[str, ...]
    parents: tuple[int, ...]
    parent_from_node: Float[Tensor, "frames nodes 4 4"]
    world_from_resting: Float[Tensor, "nodes 4 4"]
    world_from_bound: Float[Tensor, "nodes 4 4"]  # NaN where no skin says it
    fps: float
    start_frame: int  # number of the first frame in programs that import the file
    up: UpAxis | None
    metres_per_unit: float

    def motion(self, chosen: Sequence[int]) -> SourceMotion:
        """Turns and places of some nodes; the ancestors of each are among them, before it."""
        world: dict[int, Tensor] = {}
        for node in chosen:
            local = self.parent_from_node[:, node]
            above = world.get(self.parents[node])
            world[node] = local if above is None else above @ local
        return _rigid(torch.stack([world[node] for node in chosen], dim=1), self.path)


def transform_matrices(
    translation: Float[Tensor, "*batch 3"],
    quaternion_xyzw: Float[Tensor, "*batch 4"],
    scale: Float[Tensor, "*batch 3"],
) -> Float[Tensor, "*batch 4 4"]:
    """Scale, then turn, then move, as one matrix."""
    x, y, z, w = torch.nn.functional.normalize(quaternion_xyzw, dim=-1).unbind(-1)
    turn = matrix_from_quaternion_wxyz(torch.stack([w, x, y, z], dim=-1))
    upper = torch.cat([turn * scale[..., None, :], translation[..., None]], dim=-1)
    lower = upper.new_tensor([0.0, 0.0, 0.0, 1.0]).expand(*upper.shape[:-2], 1, 4)
    return torch.cat([upper, lower], dim=-2)


def node_take(tree: NodeTree, kind: str) -> ForeignTake:
    """The take of a tree. Its rest pose is the one that its skin was bound in, or else the one that
    its nodes were saved in."""
    check_finite(tree.parent_from_node, f"The animation of {tree.path}")
    lengths = torch.linalg.vector_norm(tree.parent_from_node[0, :, :3, 3], dim=-1)
    has_length = lengths > _NO_LENGTH * lengths.max()

    def resting(chosen: Sequence[int]) -> SourceMotion:
        return _rest(tree, tree.world_from_resting, tree.motion(chosen), chosen)

    def bound(chosen: Sequence[int]) -> SourceMotion:
        return _rest(tree, _completed_bind(tree), tree.motion(chosen), chosen)

    rests = (bound,) if bool(torch.isfinite(tree.world_from_bound).any()) else ()
    if not _holds_a_frame(tree):
        rests += (resting,)
    return ForeignTake(
        names=tree.names,
        parents=tree.parents,
        has_length=tuple(has_length.tolist()),
        fps=tree.fps,
        kind=kind,
        motion=tree.motion,
        rests=rests,
        up=tree.up,
        metres_per_unit=tree.metres_per_unit,
        start_frame=tree.start_frame,
        armature=lambda: node_armature(tree),
    )


def node_armature(tree: NodeTree) -> Armature:
    """All nodes that are not mirrored, as a skeleton without scales: lengths carry them."""
    kept = upright_nodes(tree)
    parents = [kept.index(p) if (p := tree.parents[node]) >= 0 else -1 for node in kept]
    moving = _local(tree.motion(kept), parents)
    rest = _local(_rest(tree, tree.world_from_resting, tree.motion(kept), kept), parents)
    return Armature(
        names=tuple(tree.names[node] or f"node {node}" for node in kept),
        parents=tuple(parents),
        is_end=(False,) * len(kept),
        rest_rotations=rest.world_from_joint[0].float(),
        rest_offsets=rest.places[0].float(),
        rotations=moving.world_from_joint.float(),
        offsets=moving.places.float(),
    )


def upright_nodes(tree: NodeTree) -> list[int]:
    """Nodes that neither they nor anything above them mirrors."""
    local, resting = tree.parent_from_node[..., :3, :3], tree.world_from_resting[:, :3, :3]
    upright = (torch.det(local) > 0).all(0) & (torch.det(resting) > 0)
    kept: list[int] = []
    for node, parent in enumerate(tree.parents):
        if bool(upright[node]) and (parent < 0 or parent in kept):
            kept.append(node)
    return kept


def _local(motion: SourceMotion, parents: list[int]) -> SourceMotion:
    """Turns and places in the parents' axes."""
    turns, places = motion.world_from_joint.clone(), motion.places.clone()
    below = [joint for joint, parent in enumerate(parents) if parent >= 0]
    above = [parents[joint] for joint in below]
    back = motion.world_from_joint[:, above].transpose(-1, -2)
    turns[:, below] = back @ motion.world_from_joint[:, below]
    bones = motion.places[:, below] - motion.places[:, above]
    places[:, below] = (back @ bones[..., None]).squeeze(-1)
    return SourceMotion(turns, places)


def _holds_a_frame(tree: NodeTree) -> bool:
    """Whether the nodes were saved in a frame of the animation, which is no pose to calibrate on:
    Blender writes the frame that the timeline stands at."""
    local = tree.world_from_resting.clone()
    for node, parent in enumerate(tree.parents):
        if parent >= 0:
            above = tree.world_from_resting[parent]
            local[node] = torch.linalg.solve(above, tree.world_from_resting[node])
    turned = (tree.parent_from_node - local)[..., :3, :3].abs().amax((1, 2, 3))
    return bool((turned < SAME_POSE).any())


def _rigid(world: Float[Tensor, "frames nodes 4 4"], path: Path) -> SourceMotion:
    """Turns and places of nodes that may also be scaled."""
    turns, places = world[..., :3, :3], world[..., :3, 3]
    if bool((torch.det(turns) <= 0).any()):
        raise FileError(
            f"{path} has a skeleton that is mirrored or squashed flat by its scales.",
            "Apply the scale of the armature, then export again.",
        )
    # The nearest rotation: unequal scales under turned parents shear.
    left, _, right = torch.linalg.svd(turns)
    return SourceMotion(left @ right, places)


def _completed_bind(tree: NodeTree) -> Float[Tensor, "nodes 4 4"]:
    """The bind pose of every node. A skin knows only the bones that pull at it; the others stand to
    them as in the resting pose."""
    bound, resting = tree.world_from_bound.clone(), tree.world_from_resting
    known = torch.isfinite(bound).flatten(1).all(-1)
    first = int(known.nonzero()[0])
    for node, parent in enumerate(tree.parents):
        if not known[node]:
            relative = parent if parent >= 0 and _has_known_above(tree, known, node) else first
            bound[node] = bound[relative] @ torch.linalg.inv(resting[relative]) @ resting[node]
    return bound


def _has_known_above(tree: NodeTree, known: Tensor, node: int) -> bool:
    while node >= 0 and not known[node]:
        node = tree.parents[node]
    return node >= 0


def _rest(
    tree: NodeTree,
    world: Float[Tensor, "nodes 4 4"],
    motion: SourceMotion,
    chosen: Sequence[int],
) -> SourceMotion:
    """A pose in the units of the motion: skins are often bound before the figure is scaled."""
    pose = _rigid(world[list(chosen)][None], tree.path)
    rows = {node: row for row, node in enumerate(chosen)}
    bones = [(rows[tree.parents[n]], rows[n]) for n in chosen if tree.parents[n] in rows]
    uppers, lowers = [list(ends) for ends in zip(*bones, strict=True)]
    now = torch.linalg.vector_norm((motion.places[:, lowers] - motion.places[:, uppers])[0], dim=-1)
    then = torch.linalg.vector_norm((pose.places[:, lowers] - pose.places[:, uppers])[0], dim=-1)
    solid = (now > _NO_LENGTH * now.max()) & (then > _NO_LENGTH * then.max())
    ratio = (now[solid] / then[solid]).median()
    return SourceMotion(pose.world_from_joint, pose.places * ratio)
