"""How a foreign back bends ours: skeletons differ most in the number and length of their vertebrae.

A back is seen as segments one above the other, each held by one joint. Our vertebrae take the turn
that the source has at the same height; then all of it is tipped to lean as the source does.
"""

import torch
from jaxtyping import Float
from torch import Tensor
from torch.nn.functional import normalize

from aesop.files.anchor import Anchor
from aesop.files.skeleton_names import BodyMap
from aesop.files.source_motion import SourceMotion
from aesop.scene.rotation import slerp, swing
from aesop.scene.skeleton import JOINT, bone_length, rest_offsets

PELVIS, CHEST = JOINT["pelvis"], JOINT["spine3"]
VERTEBRAE = (JOINT["spine1"], JOINT["spine2"])
# What the tipping carries along: everything above the pelvis up to the arms.
TIPPED = (*VERTEBRAE, CHEST, JOINT["left_collar"], JOINT["right_collar"])
# Our segments from the pelvis up, by the joint at their upper end.
_OUR_SEGMENTS = tuple(JOINT[name] for name in ("spine1", "spine2", "spine3", "neck"))
# A source whose back bends in the very place of the pelvis (CMU) leaves our lowest vertebra, 11 cm
# higher, a sharp kink; people share such a bend between pelvis and back, and so do we.
PELVIS_BEND = 0.4
# A segment shorter than this share of the back carries nothing.
_NOTHING = 1e-3


def bent_pelvis(
    motion: SourceMotion, anchor: Anchor, body: BodyMap, start: Float[Tensor, "22 3 3"]
) -> Float[Tensor, "frames 3 3"]:
    """World_from_joint of our pelvis."""
    turns = [motion.since(anchor.pose, joint) @ start[PELVIS] for joint in body.trunk[:2]]
    lengths = _source_segments(anchor.pose, body)
    if len(turns) == 1 or not _is_nothing(lengths[0], lengths):
        return turns[0]
    return slerp(turns[0], turns[1], torch.tensor(PELVIS_BEND).to(start))


def bent_vertebrae(
    motion: SourceMotion, anchor: Anchor, body: BodyMap, start: Float[Tensor, "22 3 3"]
) -> Float[Tensor, "frames 2 3 3"]:
    """World_from_joint of spine1 and spine2; `start` is our body in the anchor's pose."""
    heights = _middles(_source_segments(anchor.pose, body))
    ours = _middles([bone_length(joint) for joint in _OUR_SEGMENTS])
    bent: list[Tensor] = []
    for joint, height in zip(VERTEBRAE, ours[1:3], strict=True):
        above = next((k for k, other in enumerate(heights) if other > height), len(heights) - 1)
        below = max(above - 1, 0)
        gap = heights[above] - heights[below]
        share = (height - heights[below]) / gap if gap > 0 else 0.0
        turns = [
            motion.since(anchor.pose, body.trunk[knot]) @ start[joint] for knot in (below, above)
        ]
        bent.append(slerp(turns[0], turns[1], torch.tensor(min(share, 1.0)).to(start)))
    return torch.stack(bent, dim=1)


def tipped(
    ours: Float[Tensor, "frames 22 3 3"],
    motion: SourceMotion,
    anchor: Anchor,
    body: BodyMap,
    start: Float[Tensor, "22 3 3"],
) -> Float[Tensor, "frames 22 3 3"]:
    """The same body with its back leaning, from pelvis to neck, as much as the source's since the
    anchor. Directions are compared from the anchor on, so that a body standing straight there
    stands straight here however the source's hips are placed."""
    pelvis = body.index("pelvis")
    lean = normalize(_neck_root(motion, anchor, body) - motion.places[:, pelvis], dim=-1)
    first = normalize(
        _neck_root(anchor.pose, anchor, body)[0] - anchor.pose.places[0, pelvis], dim=-1
    )
    rigid, free = _our_back(start)
    turn = motion.world_from_joint[:, pelvis]
    turn_then = anchor.pose.world_from_joint[0, pelvis]
    # The anchor's difference, kept fixed to the pelvis as it turns.
    difference = turn_then.T @ swing(first, rigid + free) @ turn_then
    wanted = (turn @ difference @ turn.transpose(-1, -2) @ lean[..., None]).squeeze(-1)
    rigid, free = _our_back(ours)
    # The lowest segment turns with the pelvis: tip the rest about its end until the neck lies on
    # the wanted line, at the nearer of the two places where it can. A back folded flat onto itself
    # may not reach that line; then it comes as near as it can.
    along = (wanted * rigid).sum(-1, keepdim=True)
    reach = along**2 - (rigid**2).sum(-1, keepdim=True) + (free**2).sum(-1, keepdim=True)
    now = torch.linalg.vector_norm(rigid + free, dim=-1, keepdim=True)
    far = along + torch.sign(now - along) * reach.clamp_min(0).sqrt()
    tip = swing(free, far * wanted - rigid)
    ours = ours.clone()
    ours[:, TIPPED] = tip[:, None] @ ours[:, TIPPED]
    return ours


def _our_back(
    world: Float[Tensor, "*frames 22 3 3"],
) -> tuple[Float[Tensor, "*frames 3"], Float[Tensor, "*frames 3"]]:
    """From the pelvis to spine1, and from there to the neck."""
    offsets = rest_offsets(world)
    holders = (PELVIS, *VERTEBRAE, CHEST)
    bones = [
        world[..., holder, :, :] @ offsets[end]
        for holder, end in zip(holders, _OUR_SEGMENTS, strict=True)
    ]
    return bones[0], bones[1] + bones[2] + bones[3]


def _source_segments(pose: SourceMotion, body: BodyMap) -> list[float]:
    """Lengths held by the joints of the trunk; the last is the thorax, from the chest to the neck.

    Where the neck sits on the chest joint (CMU's conversion lost that bone) the thorax is taken to
    be as long as the other segments are on average.
    """
    ends = (*body.trunk[1:], _neck(body))
    lengths = [
        float(torch.linalg.vector_norm(pose.places[0, upper] - pose.places[0, lower]))
        for lower, upper in zip(body.trunk, ends, strict=True)
    ]
    if _is_nothing(lengths[-1], lengths):
        solid = [length for length in lengths if not _is_nothing(length, lengths)]
        lengths[-1] = sum(solid) / len(solid) if solid else 1.0
    return lengths


def _neck_root(motion: SourceMotion, anchor: Anchor, body: BodyMap) -> Float[Tensor, "frames 3"]:
    pose, chest, neck = anchor.pose, body.trunk[-1], _neck(body)
    thorax = _source_segments(pose, body)[-1]
    gap = float(torch.linalg.vector_norm(pose.places[0, neck] - pose.places[0, chest]))
    if not _is_nothing(gap, [thorax]) or len(body.trunk) == 1:
        return motion.places[:, neck]
    up = normalize(pose.places[0, chest] - pose.places[0, body.trunk[0]], dim=-1)
    return motion.places[:, chest] + thorax * (motion.since(pose, chest) @ up)


def _neck(body: BodyMap) -> int:
    return body.nape[0] if body.nape else body.index("head")


def _is_nothing(length: float, lengths: list[float]) -> bool:
    return length <= _NOTHING * sum(lengths)


def _middles(lengths: list[float]) -> list[float]:
    """Heights of the middles of stacked segments, the whole stack being 1."""
    total = sum(lengths)
    return [(sum(lengths[:k]) + lengths[k] / 2) / total for k in range(len(lengths))]
