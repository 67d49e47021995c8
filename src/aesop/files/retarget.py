"""Put a foreign body's motion on our one skeleton: the directions of its limbs, not its lengths.

Each of our joints turns as its counterpart has turned since the anchor; then every limb is swung,
without twist, onto the direction of its counterpart, so that no difference in rest poses and no
extra joint can bend an arm or a leg.
"""

from dataclasses import dataclass

import torch
from jaxtyping import Float
from torch import Tensor

from aesop.files.anchor import Anchor, anchor_pose
from aesop.files.footing import keep_footing
from aesop.files.skeleton_names import BodyMap
from aesop.files.source_motion import SourceMotion, limb_directions
from aesop.files.spine import VERTEBRAE, bent_pelvis, bent_vertebrae, tipped
from aesop.scene.rotation import slerp, swing
from aesop.scene.skeleton import JOINT, JOINT_NAMES, bone_length, local_rotations, rest_offsets


@dataclass(frozen=True, eq=False)
class Retargeted:
    """Turns and pelvis path of our skeleton, and the metres that one unit of the source became."""

    rotations: Float[Tensor, "frames 22 3 3"]
    root: Float[Tensor, "frames 3"]
    scale: float


def retarget(
    motion: SourceMotion,
    anchor: Anchor,
    body: BodyMap,
    world_from_source: Float[Tensor, "3 3"],
    fps: float,
) -> Retargeted:
    """Our skeleton doing what the source does; the path is scaled by the ratio of leg lengths."""
    start = anchor_pose(anchor, body)
    ours = _followed(motion, anchor, body, start)
    ours = tipped(ours, motion, anchor, body, start)
    ours = _aimed(ours, motion, body)
    scale = our_leg_length() / source_leg_length(anchor.pose, body)
    paths = scale * motion.places @ world_from_source.T
    root = paths[:, body.index("pelvis")]
    soles = {sole: paths[:, body.index(JOINT_NAMES[sole])] for sole in _soles(body)}
    ours = keep_footing(world_from_source @ ours, root, soles, fps)
    return Retargeted(local_rotations(ours), root, scale)


def our_leg_length() -> float:
    """Thigh and shin of our skeleton in metres, mean of both sides."""
    bones = (f"{side}_{end}" for side in ("left", "right") for end in ("knee", "ankle"))
    return sum(bone_length(JOINT[bone]) for bone in bones) / 2


def source_leg_length(pose: SourceMotion, body: BodyMap) -> float:
    """Thigh and shin of the source in its own units, mean of both sides."""
    bones = [
        pose.bone(body, f"{side}_{upper}", f"{side}_{lower}")
        for side in ("left", "right")
        for upper, lower in (("hip", "knee"), ("knee", "ankle"))
    ]
    return float(torch.linalg.vector_norm(torch.cat(bones), dim=-1).sum()) / 2


def _followed(
    motion: SourceMotion, anchor: Anchor, body: BodyMap, start: Float[Tensor, "22 3 3"]
) -> Float[Tensor, "frames 22 3 3"]:
    """World_from_joint of our body, each joint turned as its counterpart since the anchor."""
    frames = motion.places.shape[0]
    ours = start.expand(frames, *start.shape).clone()
    for joint in range(len(JOINT_NAMES)):
        if joint not in (JOINT["pelvis"], *VERTEBRAE, JOINT["neck"]):
            ours[:, joint] = motion.since(anchor.pose, _counterpart(joint, body)) @ start[joint]
    ours[:, JOINT["pelvis"]] = bent_pelvis(motion, anchor, body, start)
    ours[:, VERTEBRAE] = bent_vertebrae(motion, anchor, body, start)
    # Half way up the nape, however many joints it has.
    nape = body.nape or (body.trunk[-1], body.index("head"))
    lower, upper = nape[(len(nape) - 1) // 2], nape[len(nape) // 2]
    neck = [motion.since(anchor.pose, source) @ start[JOINT["neck"]] for source in (lower, upper)]
    ours[:, JOINT["neck"]] = slerp(neck[0], neck[1], torch.tensor(0.5).to(start))
    return ours


def _soles(body: BodyMap) -> list[int]:
    """What stays on the ground longest, as our joints: toes if the source has them, else ankles."""
    feet = [(JOINT[f"{side}_foot"], JOINT[f"{side}_ankle"]) for side in ("left", "right")]
    return [foot if body.joints[foot] is not None else ankle for foot, ankle in feet]


def _counterpart(joint: int, body: BodyMap) -> int:
    """The source joint whose turns ours takes; what a skeleton lacks moves with what carries it."""
    name, found = JOINT_NAMES[joint], body.joints[joint]
    if name == "spine3" or found is None:
        carrier = name.replace("foot", "ankle")
        return body.index(carrier) if carrier != name else body.trunk[-1]
    return found


def _aimed(
    ours: Float[Tensor, "frames 22 3 3"], motion: SourceMotion, body: BodyMap
) -> Float[Tensor, "frames 22 3 3"]:
    """The same body with every limb swung onto the direction of its counterpart."""
    directions = limb_directions(motion, body)
    uppers, lowers = [list(ends) for ends in zip(*directions, strict=True)]
    wanted = torch.stack(list(directions.values()), dim=1)
    pointing = (ours[:, uppers] @ rest_offsets(ours)[lowers, :, None]).squeeze(-1)
    ours = ours.clone()
    ours[:, uppers] = swing(pointing, wanted) @ ours[:, uppers]
    return ours
