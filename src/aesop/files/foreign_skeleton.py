"""A foreign body in motion, in its own axes and units, and which of its joints is which of ours."""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import torch
from jaxtyping import Bool, Float
from torch import Tensor
from torch.nn.functional import normalize

from aesop.scene.skeleton import JOINT, JOINT_NAMES

Spellings = Mapping[str, tuple[str, ...]]  # part of the body → its names, likeliest first


@dataclass(frozen=True)
class Naming:
    """Spellings of our joints in one family of files: lower case, without side and separators."""

    name: str
    parts: Spellings
    # Present in every file of the family and in no other; empty where nothing tells it apart.
    hallmarks: tuple[str, ...] = ()


_TOES = (
    "toebase", "toe", "toes", "toe0", "ball", "toe1", "toe01", "toes01", "toe11", "football",
)  # fmt: skip
_ARM_CHAIN: Spellings = dict(
    pelvis=("hips", "hip", "pelvis"), hip=("upleg",), knee=("leg", "lowleg"), ankle=("foot",),
    foot=_TOES, collar=("shoulder",), shoulder=("arm",), elbow=("forearm",), wrist=("hand",),
)  # fmt: skip

NAMINGS = (
    Naming("CMU", _ARM_CHAIN, hallmarks=("l.hip", "lowerback", "l.fingerbase")),
    # Mixamo, MotionBuilder, LAFAN1, Rokoko, Perception Neuron.
    Naming("Mixamo", _ARM_CHAIN),
    # Bandai-Namco, Unity's humanoid, VRM, Xsens.
    Naming("standard", dict(
        pelvis=("hips", "pelvis"), hip=("upperleg", "thigh"), knee=("lowerleg", "calf"),
        ankle=("foot",), foot=_TOES, collar=("shoulder", "clavicle", "collar"),
        shoulder=("upperarm",), elbow=("lowerarm", "forearm"), wrist=("hand",),
    )),
    # Our own files, SMPL, and exporters that name the anatomical joint.
    Naming("SMPL", dict(
        pelvis=("pelvis", "hips", "hip"), hip=("hip",), knee=("knee",), ankle=("ankle",),
        foot=("foot", *_TOES), collar=("collar", "clavicle"), shoulder=("shoulder",),
        elbow=("elbow",), wrist=("wrist",),
    )),
    # Poser and Daz: CMU's other public conversion among them.
    Naming("Poser", dict(
        pelvis=("hip", "hips", "pelvis"), hip=("thigh",), knee=("shin",), ankle=("foot",),
        foot=_TOES, collar=("collar",), shoulder=("shldr",), elbow=("forearm",), wrist=("hand",),
    )),
)  # fmt: skip
_EVERYWHERE: Spellings = dict(
    neck=("neck", "neck1", "neck01", "lowerneck", "neck0"), head=("head",)
)
# All words for a part, whoever uses them: for files that mix families, as Rokoko, mocopi,
# OptiTrack, Rigify and Cascadeur do. What one family calls a leg is another's shin; `_mixed`
# tells by what else is there.
_UPPER_LEG = ("upleg", "upperleg", "thigh", "thighbend", "femur", "uppleg", "upperleg01")
_LOWER_LEG = (
    "lowleg", "lowerleg", "shin", "calf", "shank", "tibia", "knee", "loleg", "lowerleg01",
)  # fmt: skip
_UPPER_ARM = (
    "arm", "upperarm", "uparm", "uarm", "shldr", "shldrbend", "humerus", "armupper", "upperarm01",
)  # fmt: skip
_LOWER_ARM = (
    "forearm", "lowerarm", "lowarm", "elbow", "farm", "larm", "forearmbend", "radius", "loarm",
    "armlower", "lowerarm01",
)  # fmt: skip
_WRIST = ("wrist", "hand", "handwrist")
_ANKLE = ("foot", "footankle")
_COLLAR = ("clavicle", "collar", "collarbone", "scapula", "clav")
_HEAD = ("head", "head1", "skull", "spine006")  # the last is Rigify's
_PELVIS = ("hips", "pelvis", "hip")
_SIDED = frozenset(
    {"foot", "ankle", "hand", "wrist", "hip", "leg", "shoulder", *_UPPER_LEG, *_LOWER_LEG,
     *_UPPER_ARM, *_LOWER_ARM, *_COLLAR, *_TOES}
)  # fmt: skip
# Words that say what a joint is to a program, or that it lies in the middle.
_NO_PARTS = frozenset(
    {"jnt", "joint", "bone", "bnd", "bind", "def", "stretch", "skel", "c", "m", "x", "center"}
)
_SIDES = {"l": "l", "left": "l", "r": "r", "right": "r"}
_PREFIX = re.compile(r"^(mixamorig|bip|character|biped)\d*[ _.:-]*", re.IGNORECASE)
_SIDE_LETTER = re.compile(r"^([LR])(?=[A-Z]{2}[a-z])(?!EFT|IGHT)")  # "LUArm"
_HEAD_WORD = re.compile(r"[^ _.-]+[ _.-]")
_WORDS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")
OPTIONAL = frozenset(
    JOINT[name]
    for name in (
        "spine1", "spine2", "spine3", "neck", "left_collar", "right_collar", "left_foot",
        "right_foot",
    )
)  # fmt: skip


@dataclass(frozen=True)
class BodyMap:
    """Where our joints are found in a foreign skeleton.

    `joints` follows our order; None where the file has no such joint. Spine and neck are kept as
    chains, because skeletons differ most in how many joints they give a back.
    """

    naming: str
    joints: tuple[int | None, ...]
    trunk: tuple[int, ...]  # from the pelvis to the joint that carries arms and head, both included
    nape: tuple[int, ...]  # what lies between that joint and the head

    def index(self, name: str) -> int:
        """Index of a joint that every matched skeleton has."""
        joint = self.joints[JOINT[name]]
        assert joint is not None, name
        return joint


@dataclass(frozen=True)
class Mismatch:
    """The naming that came closest, and which of our joints it could not find."""

    naming: str
    unmatched: tuple[str, ...]


def match_names(names: Sequence[str], parents: Sequence[int]) -> BodyMap | Mismatch:
    """Find our body in a tree of named joints; End Sites must carry an empty name."""
    spelled, hips = _spelled(names), pelvis_candidates(names)
    best = Mismatch("", JOINT_NAMES)
    for naming in NAMINGS:
        joints = _on_lowest_hips(_matched(naming, spelled), hips, parents)
        missing = tuple(
            JOINT_NAMES[joint]
            for joint, match in enumerate(joints)
            if match is None and joint not in OPTIONAL
        )
        has_hallmarks = all(mark in spelled for mark in naming.hallmarks)
        if not missing and has_hallmarks:
            return _with_chains(naming.name, joints, parents)
        if len(missing) < len(best.unmatched):
            best = Mismatch(naming.name, missing)
    joints = _on_lowest_hips(_mixed(spelled, parents), hips, parents)
    missing = tuple(
        JOINT_NAMES[joint]
        for joint, match in enumerate(joints)
        if match is None and joint not in OPTIONAL
    )
    if not missing:
        return _with_chains("mixed", joints, parents)
    return Mismatch("mixed", missing) if len(missing) < len(best.unmatched) else best


def _mixed(spelled: dict[str, int], parents: Sequence[int]) -> list[int | None]:
    """The counterpart of each of our joints by words of all families. Hips that are called after
    something else are the joint where both legs and the head meet."""
    joints: list[int | None] = [None] * len(JOINT_NAMES)

    def first(words: Sequence[str], side: str = "") -> int | None:
        marks = (f"{side[0]}.{word}" if side else word for word in words)
        return next((spelled[mark] for mark in marks if mark in spelled), None)

    for side in ("left", "right"):
        thigh, shin = first(_UPPER_LEG, side), first(_LOWER_LEG, side)
        leg, ankle = first(("leg",), side), first(("ankle",), side)
        shin = shin if shin is not None else leg
        thigh = thigh if thigh is not None else first(("hip",), side)
        thigh = thigh if thigh is not None or leg == shin else leg
        arm = first(_UPPER_ARM, side)
        shoulder = first(("shoulder",), side)
        found = {
            "hip": thigh,
            "knee": shin,
            "ankle": ankle if ankle is not None else first(_ANKLE, side),
            "foot": first(_TOES if ankle is None else (*_TOES, "foot"), side),
            "collar": first(_COLLAR, side) if arm is None else first((*_COLLAR, "shoulder"), side),
            "shoulder": arm if arm is not None else shoulder,
            "elbow": first(_LOWER_ARM, side),
            "wrist": first(_WRIST, side),
        }
        for part, joint in found.items():
            joints[JOINT[f"{side}_{part}"]] = joint
    joints[JOINT["neck"]], joints[JOINT["head"]] = first(_EVERYWHERE["neck"]), first(_HEAD)
    pelvis = first(_PELVIS)
    corners = [joints[JOINT[name]] for name in ("left_hip", "right_hip", "head")]
    if pelvis is None and None not in corners:
        pelvis = _meeting([corner for corner in corners if corner is not None], parents)
    joints[JOINT["pelvis"]] = pelvis
    return joints


def _on_lowest_hips(
    joints: list[int | None], hips: Sequence[int], parents: Sequence[int]
) -> list[int | None]:
    """The joints with the lowest of several hips that carry both legs and the head: what stands
    above the person is often called after the person's hips."""
    corners = [joints[JOINT[name]] for name in ("left_hip", "right_hip", "head")]
    found = [corner for corner in corners if corner is not None]
    meeting = _meeting(found, parents) if len(found) == len(corners) else None
    line = [] if meeting is None else _line(meeting, parents)
    lowest = [joint for joint in line if joint in hips]
    if not lowest or joints[JOINT["pelvis"]] not in line:
        return joints
    return [lowest[-1], *joints[1:]]


def _meeting(joints: Sequence[int], parents: Sequence[int]) -> int | None:
    """The lowest joint above all of these."""
    lines = [_line(joint, parents) for joint in joints]
    shared = [joint for joint in lines[0] if all(joint in line for line in lines)]
    return shared[-1] if shared else None


def _line(joint: int, parents: Sequence[int]) -> list[int]:
    """The joint and its ancestors, root first."""
    chain = [joint]
    while parents[chain[-1]] >= 0:
        chain.append(parents[chain[-1]])
    return chain[::-1]


def pelvis_candidates(names: Sequence[str]) -> list[int]:
    """Joints that are called as the hips of some family are."""
    hips = {spelling for naming in NAMINGS for spelling in naming.parts["pelvis"]}
    spelled = [_plain(name) if name else "" for name in _without_prefixes(names)]
    return [joint for joint, spelling in enumerate(spelled) if spelling in hips]


def _bare(name: str) -> str:
    """The name without namespaces."""
    return name.rsplit(":", 1)[-1].rsplit("|", 1)[-1].strip()


def _spelled(names: Sequence[str]) -> dict[str, int]:
    """Plain spelling → joint: "mixamorig:LeftUpLeg" and "UpLeg_L" both become "l.upleg"."""
    spelled: dict[str, int] = {}
    for joint, name in enumerate(_without_prefixes(names)):
        if name:
            # The first joint of a spelling wins: a tree names the limb before its parts.
            spelled.setdefault(_plain(name), joint)
    return spelled


def _without_prefixes(names: Sequence[str]) -> list[str]:
    """Names without what nearly all of them begin with: "CC_Base_Head" is a head."""
    bare = [_bare(name) for name in names]
    while shared := _shared_prefix(bare):
        bare = [name.removeprefix(shared) for name in bare]
    return bare


def with_fewer_prefixes(names: Sequence[str]) -> Iterator[list[str]]:
    """The names, with one word after the other taken off that as many begin with as a body has
    joints: where hair, clothes and faces outnumber the body, its prefix is not nearly shared."""
    names, needed = list(names), len(JOINT_NAMES) - len(OPTIONAL)
    while True:
        heads = Counter(match[0] for name in names if (match := _HEAD_WORD.match(name)))
        words = [head for head, _ in heads.most_common() if heads[head] >= needed]
        words = [head for head in words if head[:-1].lower() not in _SIDES]
        if not words:
            return
        names = [name.removeprefix(words[0]) for name in names]
        yield names


def _shared_prefix(names: Sequence[str]) -> str:
    """A word such as "Model_" that nearly every joint of the file begins with."""
    present = [name for name in names if name]
    heads = Counter(match[0] for name in present if (match := _HEAD_WORD.match(name)))
    prefix, count = heads.most_common(1)[0] if heads else ("", 0)
    return prefix if count > 0.75 * len(present) else ""


def _plain(name: str) -> str:
    name = _PREFIX.sub("", name) or name
    name = _SIDE_LETTER.sub(r"\1_", name)
    words = [word.lower() for word in _WORDS.findall(name)]
    words = [word for word in words if word not in _NO_PARTS] or words
    side = next((_SIDES[word] for word in words if word in _SIDES), "")
    rest = "".join(word for word in words if word not in _SIDES)
    if not side:
        for word, letter in (("left", "l"), ("right", "r")):
            if rest.startswith(word) and rest != word:  # "LEFTARM", "leftarm"
                side, rest = letter, rest.removeprefix(word)
    if not side and rest[:1] in ("l", "r") and rest[1:] in _SIDED:  # "lfemur", "rhand"
        side, rest = rest[0], rest[1:]
    return f"{side}.{rest}" if side else rest


def _matched(naming: Naming, spelled: dict[str, int]) -> list[int | None]:
    """The counterpart of each of our joints; spine joints are found as chains."""
    spellings = {**naming.parts, **_EVERYWHERE}
    joints: list[int | None] = []
    for name in JOINT_NAMES:
        side, _, part = name.rpartition("_")  # "left_hip" or "head"
        marks = (f"{side[0]}.{word}" if side else word for word in spellings.get(part, ()))
        joints.append(next((spelled[mark] for mark in marks if mark in spelled), None))
    return joints


def _with_chains(
    naming: str, joints: list[int | None], parents: Sequence[int]
) -> BodyMap | Mismatch:
    def line(name: str) -> list[int]:
        joint = joints[JOINT[name]]
        assert joint is not None
        return _line(joint, parents)

    pelvis, head = line("pelvis"), line("head")
    arms = [line("left_shoulder"), line("right_shoulder")]
    shared = [joint for joint in head if all(joint in arm for arm in arms)]
    limbs = ("hip", "knee", "ankle"), ("shoulder", "elbow", "wrist")
    for side in ("left", "right"):
        for upper, middle, lower in limbs:
            chain = line(f"{side}_{lower}")
            in_line = [joints[JOINT[f"{side}_{part}"]] in chain for part in (upper, middle)]
            if not all(in_line):
                return Mismatch(naming, (f"{side}_{upper} above {side}_{lower}",))
    if not shared:
        return Mismatch(naming, ("a joint that carries both arms and the head",))
    chest = shared[-1]
    back = [joint for joint in shared if joint not in pelvis]
    trunk = (pelvis[-1], *back) if chest != pelvis[-1] else (chest,)
    nape = tuple(head[head.index(chest) + 1 : -1])
    return BodyMap(naming, tuple(joints), trunk, nape)


# The bones whose directions we keep, as (upper joint, lower joint), upper limbs first.
LIMBS = tuple(
    (JOINT[f"{side}_{upper}"], JOINT[f"{side}_{lower}"])
    for upper, lower in (
        ("hip", "knee"),
        ("knee", "ankle"),
        ("ankle", "foot"),
        ("shoulder", "elbow"),
        ("elbow", "wrist"),
    )
    for side in ("left", "right")
)

# Least cosines by which a pose counts as standing: legs along the body, arms stretched and not
# through it, hips and shoulders level and facing the same way.
STRAIGHT_LEG, STRAIGHT_ARM, OUTWARD_ARM, LEVEL = 0.7, 0.3, -0.3, 0.5
# Least cosine by which an arm counts as stretched out sideways.
T_POSE_ARM = 0.9


@dataclass(frozen=True, eq=False)
class SourceMotion:
    """World turns and places of the joints that a `BodyMap` points into."""

    world_from_joint: Float[Tensor, "frames source_joints 3 3"]
    places: Float[Tensor, "frames source_joints 3"]

    @property
    def frames(self) -> int:
        return self.places.shape[0]

    def part(self, frames: slice) -> "SourceMotion":
        """Some frames of the motion."""
        return SourceMotion(self.world_from_joint[frames], self.places[frames])

    def bone(self, body: BodyMap, upper: str, lower: str) -> Float[Tensor, "frames 3"]:
        """Vector between the counterparts of two of our joints."""
        return self.places[:, body.index(lower)] - self.places[:, body.index(upper)]

    def since(self, pose: "SourceMotion", joint: int) -> Float[Tensor, "frames 3 3"]:
        """How a joint has turned in the world since a pose of one frame."""
        return self.world_from_joint[:, joint] @ pose.world_from_joint[0, joint].T


def limb_directions(
    motion: SourceMotion, body: BodyMap
) -> dict[tuple[int, int], Float[Tensor, "frames 3"]]:
    """Unit directions of the limbs. A foot without toes has none and is left out."""
    directions: dict[tuple[int, int], Tensor] = {}
    for upper, lower in LIMBS:
        above, below = body.joints[upper], body.joints[lower]
        if above is not None and below is not None:
            bone = motion.places[:, below] - motion.places[:, above]
            directions[upper, lower] = normalize(bone, dim=-1)
    return directions


def trunk_direction(motion: SourceMotion, body: BodyMap) -> Float[Tensor, "frames 3"]:
    """From the pelvis to the root of the neck, or to the head where they are one joint."""
    pelvis, neck = body.index("pelvis"), body.joints[JOINT["neck"]]
    top = body.trunk[-1] if neck is None else neck
    top = body.index("head") if top == pelvis else top
    return normalize(motion.places[:, top] - motion.places[:, pelvis], dim=-1)


def stands(motion: SourceMotion, body: BodyMap) -> Bool[Tensor, " frames"]:
    """Frames in which a body stands as people are put into rest poses: legs down, arms anywhere
    from hanging to level. The rest poses of many files are such that no body could take them."""
    up = trunk_direction(motion, body)
    left, shoulders = _across(motion, body, "hip"), _across(motion, body, "shoulder")
    good = (_dot(left, up).abs() < LEVEL) & (_dot(left, shoulders) > LEVEL)
    for side, outward in (("left", left), ("right", -left)):
        thigh, shin, arm, forearm = _limbs(motion, body, side)
        good &= (_dot(thigh, up) < -STRAIGHT_LEG) & (_dot(shin, up) < -STRAIGHT_LEG)
        good &= (_dot(arm, outward) > OUTWARD_ARM) & (_dot(arm, forearm) > STRAIGHT_ARM)
    return good


def uprightness(motion: SourceMotion, body: BodyMap) -> Float[Tensor, "3"]:
    """How much a body stands along each axis, on average: 1 if trunk, thighs and shins all do.

    Trunk and shins alone would not tell a walk from a crawl.
    """
    limbs = [_limbs(motion, body, side)[:2] for side in ("left", "right")]
    legs = torch.stack([bone for side in limbs for bone in side]).mean(0)
    return ((trunk_direction(motion, body) - 2 * legs) / 3).mean(0)


def is_t_pose(motion: SourceMotion, body: BodyMap) -> Bool[Tensor, " frames"]:
    """Frames in which a body stands with both arms stretched out sideways."""
    level = stands(motion, body)
    left = _across(motion, body, "hip")
    for side, outward in (("left", left), ("right", -left)):
        _, _, arm, forearm = _limbs(motion, body, side)
        level &= (_dot(arm, outward) > T_POSE_ARM) & (_dot(forearm, outward) > T_POSE_ARM)
    return level


def nearest_to_t_pose(motion: SourceMotion, body: BodyMap) -> int:
    """The frame with the straightest legs, the most level arms and the least twisted body."""
    up, left = trunk_direction(motion, body), _across(motion, body, "hip")
    score = _dot(left, _across(motion, body, "shoulder"))
    for side, outward in (("left", left), ("right", -left)):
        thigh, shin, arm, forearm = _limbs(motion, body, side)
        score = score - _dot(thigh + shin, up) + _dot(arm + forearm, outward)
    return int(score.argmax())


def _across(motion: SourceMotion, body: BodyMap, line: str) -> Float[Tensor, "frames 3"]:
    """Unit vector from right to left through hips or shoulders."""
    return normalize(motion.bone(body, f"right_{line}", f"left_{line}"), dim=-1)


def _limbs(motion: SourceMotion, body: BodyMap, side: str) -> list[Float[Tensor, "frames 3"]]:
    """Unit directions of thigh, shin, upper arm and forearm."""
    bones = (("hip", "knee"), ("knee", "ankle"), ("shoulder", "elbow"), ("elbow", "wrist"))
    return [
        normalize(motion.bone(body, f"{side}_{upper}", f"{side}_{lower}"), dim=-1)
        for upper, lower in bones
    ]


def _dot(
    first: Float[Tensor, "frames 3"], second: Float[Tensor, "frames 3"]
) -> Float[Tensor, " frames"]:
    return (first * second).sum(-1)
