"""What programs call the joints of a body: families of names, and words that families share."""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from aesop.scene.skeleton import JOINT, JOINT_NAMES

OPTIONAL = frozenset(
    JOINT[name]
    for name in (
        "spine1", "spine2", "spine3", "neck", "left_collar", "right_collar", "left_foot",
        "right_foot",
    )
)  # fmt: skip

Spellings = Mapping[str, tuple[str, ...]]  # part of the body → its names, likeliest first


@dataclass(frozen=True)
class Naming:
    """Spellings of our joints in one family of files: lower case, without side and separators."""

    name: str
    parts: Spellings
    # Present in every file of the family and in no other; empty where nothing tells it apart.
    hallmarks: tuple[str, ...] = ()


TOES = (
    "toebase", "toe", "toes", "toe0", "ball", "toe1", "toe01", "toes01", "toe11", "football",
)  # fmt: skip
_ARM_CHAIN: Spellings = dict(
    pelvis=("hips", "hip", "pelvis"), hip=("upleg",), knee=("leg", "lowleg"), ankle=("foot",),
    foot=TOES, collar=("shoulder",), shoulder=("arm",), elbow=("forearm",), wrist=("hand",),
)  # fmt: skip

NAMINGS = (
    Naming("CMU", _ARM_CHAIN, hallmarks=("l.hip", "lowerback", "l.fingerbase")),
    # Mixamo, MotionBuilder, LAFAN1, Rokoko, Perception Neuron.
    Naming("Mixamo", _ARM_CHAIN),
    # Bandai-Namco, Unity's humanoid, VRM, Xsens.
    Naming("standard", dict(
        pelvis=("hips", "pelvis"), hip=("upperleg", "thigh"), knee=("lowerleg", "calf"),
        ankle=("foot",), foot=TOES, collar=("shoulder", "clavicle", "collar"),
        shoulder=("upperarm",), elbow=("lowerarm", "forearm"), wrist=("hand",),
    )),
    # Our own files, SMPL, and exporters that name the anatomical joint.
    Naming("SMPL", dict(
        pelvis=("pelvis", "hips", "hip"), hip=("hip",), knee=("knee",), ankle=("ankle",),
        foot=("foot", *TOES), collar=("collar", "clavicle"), shoulder=("shoulder",),
        elbow=("elbow",), wrist=("wrist",),
    )),
    # Poser and Daz: CMU's other public conversion among them.
    Naming("Poser", dict(
        pelvis=("hip", "hips", "pelvis"), hip=("thigh",), knee=("shin",), ankle=("foot",),
        foot=TOES, collar=("collar",), shoulder=("shldr",), elbow=("forearm",), wrist=("hand",),
    )),
)  # fmt: skip
EVERYWHERE: Spellings = dict(neck=("neck", "neck1", "neck01", "lowerneck", "neck0"), head=("head",))
# All words for a part, whoever uses them: for files that mix families, as Rokoko, mocopi,
# OptiTrack, Rigify and Cascadeur do. What one family calls a leg is another's shin; `_mixed`
# tells by what else is there.
UPPER_LEG = ("upleg", "upperleg", "thigh", "thighbend", "femur", "uppleg", "upperleg01",
    "legupper",
)  # fmt: skip
LOWER_LEG = (
    "lowleg", "lowerleg", "shin", "calf", "shank", "tibia", "knee", "loleg", "lowerleg01",
    "leglower",
)  # fmt: skip
UPPER_ARM = (
    "arm", "upperarm", "uparm", "uarm", "shldr", "shldrbend", "humerus", "armupper", "upperarm01",
    "bicep", "biceps",
)  # fmt: skip
LOWER_ARM = (
    "forearm", "lowerarm", "lowarm", "elbow", "farm", "larm", "forearmbend", "radius", "loarm",
    "armlower", "lowerarm01",
)  # fmt: skip
WRIST = ("wrist", "hand", "handwrist")
ANKLE = ("foot", "footankle", "talus")
COLLAR = ("clavicle", "collar", "collarbone", "scapula", "clav")
HEAD = ("head", "head1", "skull", "spine006", "face")  # the last two are Rigify's and FreeMoCap's
PELVIS = ("hips", "pelvis", "hip")
_SIDED = frozenset(
    {"foot", "ankle", "hand", "wrist", "hip", "leg", "shoulder", *UPPER_LEG, *LOWER_LEG,
     *UPPER_ARM, *LOWER_ARM, *COLLAR, *TOES}
)  # fmt: skip
# Words that say what a joint is to a program, or that it lies in the middle.
_NO_PARTS = frozenset(
    {"jnt", "joint", "bone", "bnd", "bind", "def", "stretch", "skel", "c", "m", "x", "center"}
)
_SIDES = {
    **dict.fromkeys(("l", "left", "lf", "lft", "lt"), "l"),
    **dict.fromkeys(("r", "right", "rt", "rgt", "rght"), "r"),
}
# Standard bones of MikuMikuDance, whole names without their side: what is only part of another
# name, as of a twist bone, is not meant.
_JAPANESE = {
    "首": "neck", "頭": "head", "肩": "shoulder", "腕": "arm", "ひじ": "elbow", "手首": "wrist",
    "足": "thigh", "ひざ": "knee", "足首": "ankle", "つま先": "toe",
    "左": "left", "右": "right",
}  # fmt: skip
_JAPANESE_NAME = re.compile(r"([左右]?)(\D+?)([._ ][LR])?")
_REMARK = re.compile(r"\s*\[[^\]]*\]")  # "NPC L Thigh [LThg]"
_PREFIX = re.compile(r"^(mixamorig|bip|character|biped)\d*[ _.:-]*", re.IGNORECASE)
_SIDE_LETTER = re.compile(r"^([LR])(?=[A-Z]{2}[a-z])(?!EFT|IGHT)")  # "LUArm"
_HEAD_WORD = re.compile(r"[^ _.-]+[ _.-]")
_WORDS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")


def pelvis_candidates(names: Sequence[str]) -> list[int]:
    """Joints that are called as the hips of some family are."""
    hips = {spelling for naming in NAMINGS for spelling in naming.parts["pelvis"]}
    spelled = [_plain(name) if name else "" for name in _without_prefixes(names)]
    return [joint for joint, spelling in enumerate(spelled) if spelling in hips]


def _bare(name: str) -> str:
    """The name without namespaces and remarks, in letters of ours."""
    name = name.rsplit(":", 1)[-1].rsplit("|", 1)[-1]
    name = (_REMARK.sub("", name) or name).strip()
    japanese = _JAPANESE_NAME.fullmatch(name)
    if japanese is None or japanese[2] not in _JAPANESE:
        return name
    side = _JAPANESE.get(japanese[1], "")
    return f"{side} {_JAPANESE[japanese[2]]}{japanese[3] or ''}".strip()


def spelled_joints(names: Sequence[str]) -> dict[str, int]:
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
