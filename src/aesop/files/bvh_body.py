"""The human body in a BVH tree: which joints matter, and where they are in every frame."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import torch
from jaxtyping import Float
from torch import Tensor

from aesop.errors import FileError
from aesop.files.bvh import BvhMotion, joint_offsets, joint_turns
from aesop.files.skeleton_names import BodyMap, Mismatch, match_names
from aesop.files.source_motion import LIMBS, SourceMotion
from aesop.scene.skeleton import JOINT, JOINT_NAMES

# A bone shorter than this share of the longest has no direction worth following.
SHORTEST_BONE = 1e-4
# Beyond these lengths, whatever the unit, numbers are not lengths of a person.
TINIEST_BODY = 1e-6


@dataclass(frozen=True, eq=False)
class BvhBody:
    """A body found in a tree: its motion and its rest pose, without fingers and other extras."""

    body: BodyMap
    motion: SourceMotion
    rest: SourceMotion


def bvh_body(bvh: BvhMotion, path: Path) -> BvhBody:
    """Find and pose our joints' counterparts; refuse a file that lacks some of them."""
    body = _with_toes(_matched(bvh, path), bvh)
    chosen = _ancestry(bvh, [*body.trunk, *body.nape, *(j for j in body.joints if j is not None)])
    body = _renumbered(body, chosen)
    parents = [
        chosen.index(parent) if (parent := bvh.joints[j].parent) >= 0 else -1 for j in chosen
    ]
    motion = _posed(joint_turns(bvh, chosen), joint_offsets(bvh, chosen), parents)
    offsets = motion.places.new_tensor([bvh.joints[joint].offset for joint in chosen])
    unturned = torch.eye(3).to(offsets).expand(1, len(chosen), 3, 3)
    found = BvhBody(body, motion, _posed(unturned, offsets[None], parents))
    check_bones(found.motion, body, path)
    return found


def check_bones(motion: SourceMotion, body: BodyMap, path: Path) -> None:
    """Refuse a body in which two ends of a bone coincide: it points nowhere."""
    lines = [("left_hip", "right_hip"), ("left_shoulder", "right_shoulder"), ("pelvis", "head")]
    lines += [
        (JOINT_NAMES[upper], JOINT_NAMES[lower])
        for upper, lower in LIMBS
        if body.joints[lower] is not None
    ]
    lengths = torch.stack(
        [torch.linalg.vector_norm(motion.bone(body, *line), dim=-1) for line in lines]
    )
    longest = float(lengths.max())
    if not TINIEST_BODY < longest < 1 / TINIEST_BODY:
        raise FileError(
            f"{path} has a body whose longest bone measures {longest:.3g}.",
            "Export it in metres, centimetres, millimetres or inches.",
        )
    collapsed = lengths <= SHORTEST_BONE * longest
    if bool(collapsed.any()):
        line, frame = (int(index) for index in collapsed.nonzero()[0])
        raise FileError(
            f"In frame {frame} of {path} the joints for {lines[line][0]} and {lines[line][1]} "
            "are in one place.",
            "Export the skeleton with its offsets, every frame filled.",
        )


def _matched(bvh: BvhMotion, path: Path) -> BodyMap:
    names = ["" if joint.is_end else joint.name for joint in bvh.joints]
    found = match_names(names, [joint.parent for joint in bvh.joints])
    if isinstance(found, Mismatch):
        raise FileError(
            f"{path} has no joint that AESOP recognises as {', '.join(found.unmatched)} "
            f"(closest naming: {found.naming}); its joints are {', '.join(bvh.names)}.",
            "Rename the joints as Mixamo, Bandai-Namco or SMPL do.",
        )
    return found


def _with_toes(body: BodyMap, bvh: BvhMotion) -> BodyMap:
    """End Sites of the feet stand in for toes that have no joint or sit on the ankle."""
    joints = list(body.joints)
    for side in ("left", "right"):
        ankle, toes = body.index(f"{side}_ankle"), joints[JOINT[f"{side}_foot"]]
        ends = [k for k, joint in enumerate(bvh.joints) if joint.parent == ankle and joint.is_end]
        candidates = [toes, *ends] if toes is not None else ends
        far = [k for k in candidates if bvh.joints[k].channels or any(bvh.joints[k].offset)]
        joints[JOINT[f"{side}_foot"]] = far[0] if far else None
    return replace(body, joints=tuple(joints))


def _ancestry(bvh: BvhMotion, joints: Sequence[int]) -> list[int]:
    """These joints and all above them, parents first."""
    kept: set[int] = set()
    for joint in joints:
        while joint >= 0 and joint not in kept:
            kept.add(joint)
            joint = bvh.joints[joint].parent
    return sorted(kept)


def _renumbered(body: BodyMap, chosen: list[int]) -> BodyMap:
    place = {joint: index for index, joint in enumerate(chosen)}
    return BodyMap(
        body.naming,
        tuple(None if joint is None else place[joint] for joint in body.joints),
        tuple(place[joint] for joint in body.trunk),
        tuple(place[joint] for joint in body.nape),
    )


def _posed(
    turns: Float[Tensor, "frames chosen 3 3"],
    offsets: Float[Tensor, "frames chosen 3"],
    parents: list[int],
) -> SourceMotion:
    """Forward kinematics along any tree, in the file's axes and units."""
    world: list[Tensor] = []
    places: list[Tensor] = []
    for joint, parent in enumerate(parents):
        if parent < 0:
            world.append(turns[:, joint])
            places.append(offsets[:, joint])
        else:
            world.append(world[parent] @ turns[:, joint])
            bone = (world[parent] @ offsets[:, joint, :, None]).squeeze(-1)
            places.append(places[parent] + bone)
    return SourceMotion(torch.stack(world, dim=1), torch.stack(places, dim=1))
