"""Which joint of a foreign skeleton is which of ours, by name.

A naming is chosen as a whole, because single words mislead: `LeftShoulder` is the collar bone in
one naming and the upper arm in another, `LeftFoot` the ankle or the toes.
"""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from aesop.scene.skeleton import JOINT, JOINT_NAMES


@dataclass(frozen=True)
class Naming:
    """Spellings of our joints in one family of files: lower case, without side and separators."""

    name: str
    pelvis: tuple[str, ...]
    hip: tuple[str, ...]
    knee: tuple[str, ...]
    ankle: tuple[str, ...]
    foot: tuple[str, ...]
    collar: tuple[str, ...]
    shoulder: tuple[str, ...]
    elbow: tuple[str, ...]
    wrist: tuple[str, ...]
    # Present in every file of the family and in no other; empty where nothing tells it apart.
    hallmarks: tuple[str, ...] = ()


_TOES = ("toebase", "toe", "toes", "toe0", "ball", "toe1", "toe01")
_ARM_CHAIN = dict(
    pelvis=("hips", "hip", "pelvis"), hip=("upleg",), knee=("leg", "lowleg"), ankle=("foot",),
    foot=_TOES, collar=("shoulder",), shoulder=("arm",), elbow=("forearm",), wrist=("hand",),
)  # fmt: skip

NAMINGS = (
    Naming("CMU", **_ARM_CHAIN, hallmarks=("l.hipjoint", "lowerback", "l.fingerbase")),
    # Mixamo, MotionBuilder, LAFAN1, Rokoko, Perception Neuron.
    Naming("Mixamo", **_ARM_CHAIN),
    # Bandai-Namco, Unity's humanoid, VRM, Xsens.
    Naming(
        "standard", pelvis=("hips", "pelvis"), hip=("upperleg", "thigh"), knee=("lowerleg", "calf"),
        ankle=("foot",), foot=_TOES, collar=("shoulder", "clavicle", "collar"),
        shoulder=("upperarm",), elbow=("lowerarm", "forearm"), wrist=("hand",),
    ),
    # Our own files, SMPL, and exporters that name the anatomical joint.
    Naming(
        "SMPL", pelvis=("pelvis", "hips", "hip"), hip=("hip",), knee=("knee",), ankle=("ankle",),
        foot=("foot", *_TOES), collar=("collar", "clavicle"), shoulder=("shoulder",),
        elbow=("elbow",), wrist=("wrist",),
    ),
    # Poser and Daz: CMU's other public conversion among them.
    Naming(
        "Poser", pelvis=("hip", "hips", "pelvis"), hip=("thigh",), knee=("shin",), ankle=("foot",),
        foot=_TOES, collar=("collar",), shoulder=("shldr",), elbow=("forearm",), wrist=("hand",),
    ),
)  # fmt: skip

_NECKS = ("neck", "neck1", "neck01", "lowerneck", "neck0")
_HEADS = ("head",)
_SIDES = {"l": "l", "left": "l", "r": "r", "right": "r"}
_PREFIX = re.compile(r"^(mixamorig|bip|character|biped)\d*[ _.:-]*", re.IGNORECASE)
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
        found = self.joints[JOINT[name]]
        assert found is not None, name
        return found


@dataclass(frozen=True)
class Mismatch:
    """The naming that came closest, and which of our joints it could not find."""

    naming: str
    unmatched: tuple[str, ...]


def match_names(names: Sequence[str], parents: Sequence[int]) -> BodyMap | Mismatch:
    """Find our body in a tree of named joints; End Sites must carry an empty name."""
    spelled = _spelled(names)
    best = Mismatch("", JOINT_NAMES)
    for naming in NAMINGS:
        joints = _matched(naming, spelled)
        missing = tuple(
            JOINT_NAMES[joint]
            for joint, found in enumerate(joints)
            if found is None and joint not in OPTIONAL
        )
        has_hallmarks = all(mark in spelled for mark in naming.hallmarks)
        if not missing and has_hallmarks:
            return _with_chains(naming.name, joints, parents)
        if len(missing) < len(best.unmatched):
            best = Mismatch(naming.name, missing)
    return best


def _spelled(names: Sequence[str]) -> dict[str, int]:
    """Plain spelling → joint: "mixamorig:LeftUpLeg" and "UpLeg_L" both become "l.upleg"."""
    bare = [name.rsplit(":", 1)[-1].rsplit("|", 1)[-1].strip() for name in names]
    shared = _shared_prefix(bare)
    spelled: dict[str, int] = {}
    for joint, name in enumerate(bare):
        if name:
            # The first joint of a spelling wins: a tree names the limb before its parts.
            spelled.setdefault(_plain(name.removeprefix(shared)), joint)
    return spelled


def _shared_prefix(names: Sequence[str]) -> str:
    """A word such as "Model_" that nearly every joint of the file begins with."""
    present = [name for name in names if name]
    heads = Counter(match[0] for name in present if (match := re.match(r"[^ _.]+[ _.]", name)))
    prefix, count = heads.most_common(1)[0] if heads else ("", 0)
    return prefix if count > 0.75 * len(present) else ""


def _plain(name: str) -> str:
    name = _PREFIX.sub("", name) or name
    words = [word.lower() for word in _WORDS.findall(name)]
    side = next((_SIDES[word] for word in words if word in _SIDES), "")
    rest = "".join(word for word in words if word not in _SIDES)
    if not side:
        for word, letter in (("left", "l"), ("right", "r")):
            if rest.startswith(word) and rest != word:  # "LEFTARM", "leftarm"
                side, rest = letter, rest.removeprefix(word)
    return f"{side}.{rest}" if side else rest


def _matched(naming: Naming, spelled: dict[str, int]) -> list[int | None]:
    def find(words: tuple[str, ...], side: str = "") -> int | None:
        marks = (f"{side}.{word}" if side else word for word in words)
        return next((spelled[mark] for mark in marks if mark in spelled), None)

    joints: list[int | None] = [None] * len(JOINT_NAMES)
    joints[JOINT["pelvis"]] = find(naming.pelvis)
    joints[JOINT["neck"]] = find(_NECKS)
    joints[JOINT["head"]] = find(_HEADS)
    parts = {
        "hip": naming.hip, "knee": naming.knee, "ankle": naming.ankle, "foot": naming.foot,
        "collar": naming.collar, "shoulder": naming.shoulder, "elbow": naming.elbow,
        "wrist": naming.wrist,
    }  # fmt: skip
    for part, words in parts.items():
        for side in ("left", "right"):
            joints[JOINT[f"{side}_{part}"]] = find(words, side[0])
    return joints


def _with_chains(
    naming: str, joints: list[int | None], parents: Sequence[int]
) -> BodyMap | Mismatch:
    def line(name: str) -> list[int]:
        """The joint and its ancestors, root first."""
        joint = joints[JOINT[name]]
        assert joint is not None
        chain = [joint]
        while parents[chain[-1]] >= 0:
            chain.append(parents[chain[-1]])
        return chain[::-1]

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
