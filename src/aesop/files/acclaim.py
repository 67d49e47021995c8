"""Acclaim's pairs of files, in which CMU and HDM05 publish their takes: a skeleton (.asf) and its
motion (.amc), which lie beside each other."""

import math
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
from jaxtyping import Float
from torch import Tensor

from aesop.core.errors import FileError
from aesop.files.foreign_clip import ForeignTake, Units, foreign_clip
from aesop.files.foreign_skeleton import SourceMotion, posed_tree
from aesop.files.importing import check_length, check_rate, input_file
from aesop.scene.human import Clip
from aesop.scene.rotation import about_axis
from aesop.scene.source import Armature, UpAxis

MAX_BYTES = 512 * 2**20
MAX_BONES = 1000
ROOT = "root"
START_FRAME = 1  # as the files count
_TURNS = ("rx", "ry", "rz")
_MOVES = ("tx", "ty", "tz")


class _AcclaimFlawError(Exception):
    """What is wrong with a text; `_flaws_of` adds the file."""


@contextmanager
def _flaws_of(path: Path, kind: str) -> Iterator[None]:
    try:
        yield
    except _AcclaimFlawError as flaw:
        raise FileError(
            f"{path} is not a readable {kind} file: {flaw}.", "Export or download it again."
        ) from flaw


@dataclass(frozen=True, eq=False)
class Bone:
    """A bone from its joint to its end, at rest, in the axes of the world."""

    name: str
    parent: int  # −1 for the root, whose bone has no length
    end: tuple[float, float, float]  # from its joint
    world_from_bone: Float[Tensor, "3 3"]  # its own axes, about which it turns
    order: str  # "xyz": about x first, all about axes that stay
    channels: tuple[str, ...]  # as the motion lists them


def read_acclaim(
    path: Path,
    *,
    fps: float | None = None,
    units: Units | None = None,
    up: UpAxis | None = None,
    loop: int | None = None,
) -> Clip:
    """The motion of an .amc file on our skeleton. Its .asf file is looked for beside it, and its
    rate has to be given: no file says it."""
    if input_file(path).stat().st_size > MAX_BYTES:
        raise FileError(
            f"{path} is larger than {MAX_BYTES >> 20} MiB.", "Cut it into shorter files."
        )
    skeleton = skeleton_of(path)
    with _flaws_of(skeleton, "ASF"):
        bones, is_degrees = parse_skeleton(_text(skeleton))
    if fps is None:
        raise FileError(
            f"{path} does not say its frame rate: no AMC file does.",
            "Give it with --file-fps (most of CMU's takes and all of HDM05's have 120).",
        )
    check_rate(fps, path)
    with _flaws_of(path, "AMC"):
        values = parse_motion(_text(path), bones, is_degrees)
    check_length(len(values), fps, path)
    take = acclaim_take(bones, values, fps)
    notes = (f"the skeleton is that of {skeleton.name}", *_order_notes(bones[0]))
    return foreign_clip(take, path, units=units, up=up, notes=notes, loop=loop)


def _order_notes(root: Bone) -> tuple[str, ...]:
    """Where the root's axis and the order of its channels name turns in different orders: programs
    take the one or the other."""
    listed = "".join(channel[1] for channel in root.channels if channel in _TURNS)
    if listed == root.order:
        return ()
    return (f"the root's numbers are listed {listed}; turned about {root.order}, as its axis says",)


def _text(path: Path) -> str:
    return path.read_text(encoding="utf-8-sig", errors="replace")


def skeleton_of(path: Path) -> Path:
    """The .asf file beside a motion: the one with whose name the motion's begins, or the only
    one."""
    beside = sorted(one for one in path.parent.iterdir() if one.suffix.lower() == ".asf")
    named = [one for one in beside if path.stem.lower().startswith(one.stem.lower())]
    if named:
        return input_file(max(named, key=lambda one: len(one.stem)))
    if len(beside) == 1:
        return input_file(beside[0])
    count = f"{len(beside)} of others" if beside else "none"
    raise FileError(
        f"{path} needs the .asf file of its skeleton beside it; there is {count}.",
        f"Put it into the same folder as {path.stem}.asf.",
    )


def parse_skeleton(text: str) -> tuple[list[Bone], bool]:
    """Bones, parents first, and whether angles are degrees."""
    parts = _sections(text)
    units = dict(line.split(None, 1) for line in parts.get("units", []) if " " in line)
    angle = units.get("angle", "deg").strip().lower()
    if angle not in ("deg", "rad"):
        raise _AcclaimFlawError(f"its angles are in {angle[:20]!r}")
    turn = math.pi / 180 if angle == "deg" else 1.0
    root = _properties(parts.get("root", []))
    if any(_numbers(root.get("orientation", ["0", "0", "0"]), 3, "orientation of the root")):
        raise _AcclaimFlawError("its root stands turned, which programs read in different ways")
    order = [word.lower() for word in root.get("order", [])]
    if sorted(order) != sorted((*_MOVES, *_TURNS)):
        raise _AcclaimFlawError("the order of its root does not name three places and three turns")
    axis = _order("".join(root.get("axis", ["XYZ"])))
    unit = torch.eye(3, dtype=torch.float64)
    bones = {ROOT: Bone(ROOT, -1, (0.0, 0.0, 0.0), unit, axis, tuple(order))}
    told = _bones(parts.get("bonedata", []), turn)
    for above, below in _hierarchy(parts.get("hierarchy", [])):
        if above not in bones or below not in told or below in bones:
            raise _AcclaimFlawError(f"its hierarchy does not fit its bones at {below[:30]!r}")
        parent = list(bones).index(above)
        bones[below] = told[below](parent)
    if len(bones) > MAX_BONES:
        raise _AcclaimFlawError(f"it has more than {MAX_BONES} bones")
    return list(bones.values()), angle == "deg"


def _sections(text: str) -> dict[str, list[str]]:
    """Lines below each keyword that begins with a colon."""
    sections: dict[str, list[str]] = {}
    current: list[str] = []
    for line in (raw.strip() for raw in text.splitlines()):
        if line.startswith(":"):
            word = line[1:].split(None, 1)[0].lower() if line[1:].strip() else ""
            current = sections.setdefault(word, [])
        elif line and not line.startswith("#"):
            current.append(line)
    if not {"root", "bonedata", "hierarchy"} <= set(sections):
        raise _AcclaimFlawError("it has no :root, :bonedata and :hierarchy")
    return sections


def _properties(lines: Sequence[str]) -> dict[str, list[str]]:
    words = [line.split() for line in lines]
    return {first.lower(): rest for first, *rest in words}


def _bones(lines: Sequence[str], turn: float) -> dict[str, Callable[[int], Bone]]:
    """Bones by name, waiting for their parent."""
    made: dict[str, Callable[[int], Bone]] = {}
    inside: list[str] | None = None
    for line in lines:
        word = line.lower()
        if word == "begin":
            inside = []
        elif word == "end" and inside is not None:
            name, bone = _bone(_properties(inside), turn)
            made[name] = bone
            inside = None
        elif inside is not None:
            inside.append(line)
    if inside is not None:
        raise _AcclaimFlawError("its last bone does not end")
    return made


def _bone(said: dict[str, list[str]], turn: float) -> tuple[str, Callable[[int], Bone]]:
    name = " ".join(said.get("name", []))
    if not name or not {"direction", "length", "axis"} <= set(said):
        raise _AcclaimFlawError(f"the bone {name[:30]!r} has no name, direction, length or axis")
    x, y, z = _numbers(said["direction"], 3, f"direction of {name!r}")
    (length,) = _numbers(said["length"], 1, f"length of {name!r}")
    *angles, letters = said["axis"]
    order = _order(letters)
    turns = [turn * angle for angle in _numbers(angles, 3, f"axis of {name!r}")]
    channels = tuple(word.lower() for word in said.get("dof", []))
    if not set(channels) <= set(_TURNS) or len(set(channels)) != len(channels):
        raise _AcclaimFlawError(
            f"the bone {name[:30]!r} moves or stretches ({' '.join(channels)[:40]})"
        )
    about = dict(zip(order, turns, strict=True))
    axes = turned(torch.tensor([about[a] for a in "xyz"], dtype=torch.float64), order)
    end = (x * length, y * length, z * length)
    return name, lambda parent: Bone(name, parent, end, axes, order, channels)


def _order(letters: str) -> str:
    order = letters.lower()
    if sorted(order) != ["x", "y", "z"]:
        raise _AcclaimFlawError(f"the axes {letters[:20]!r} are not x, y and z in some order")
    return order


def _hierarchy(lines: Sequence[str]) -> Iterator[tuple[str, str]]:
    for line in lines:
        above, *below = line.split()
        if above.lower() not in ("begin", "end"):
            yield from ((above, name) for name in below)


def _numbers(words: Sequence[str], count: int, what: str) -> list[float]:
    try:
        numbers = [float(word) for word in words]
    except ValueError:
        raise _AcclaimFlawError(f"the {what} is not made of numbers") from None
    if len(numbers) != count or not all(map(math.isfinite, numbers)):
        raise _AcclaimFlawError(f"the {what} is not {count} finite numbers")
    return numbers


def turned(angles: Float[Tensor, "*frames 3"], order: str) -> Float[Tensor, "*frames 3 3"]:
    """The turn by angles about x, y and z, in that order about axes that stay."""
    matrix = torch.eye(3).to(angles)
    for axis in order:
        matrix = about_axis(angles[..., "xyz".index(axis)], axis) @ matrix
    return matrix


def parse_motion(
    text: str, bones: Sequence[Bone], is_degrees: bool
) -> Float[Tensor, "frames bones 6"]:
    """Places and angles (radians) of every bone along and about x, y and z; zero where it has no
    such channel."""
    rows = {bone.name: row for row, bone in enumerate(bones)}
    columns = [[(*_MOVES, *_TURNS).index(channel) for channel in bone.channels] for bone in bones]
    driven = {bone.name for bone in bones if bone.channels}
    frames: list[np.ndarray] = []
    missing: set[str] = set()
    for line in text.splitlines():
        words = line.split()
        if not words or words[0].startswith("#"):
            continue
        if words[0].startswith(":"):
            said = words[0][1:].lower()
            is_degrees = said == "degrees" if said in ("degrees", "radians") else is_degrees
        elif len(words) == 1 and words[0].isdigit():
            _refuse_missing(missing, len(frames))
            frames.append(np.zeros((len(bones), 6)))
            missing = set(driven)
        else:
            name = words[0]
            if not frames or name not in missing:
                raise _AcclaimFlawError(
                    f"{name[:30]!r} of frame {len(frames)} is no bone of its skeleton"
                )
            row, what = rows[name], f"motion of {name!r} in frame {len(frames)}"
            frames[-1][row, columns[row]] = _numbers(words[1:], len(columns[row]), what)
            missing.remove(name)
    _refuse_missing(missing, len(frames))
    values = torch.from_numpy(np.stack(frames) if frames else np.zeros((0, len(bones), 6)))
    if is_degrees:
        values[..., 3:] = torch.deg2rad(values[..., 3:])
    return values


def _refuse_missing(missing: set[str], frame: int) -> None:
    if missing:
        raise _AcclaimFlawError(f"frame {frame} lacks {', '.join(sorted(missing)[:5])}")


def acclaim_take(
    bones: Sequence[Bone], values: Float[Tensor, "frames bones 6"], fps: float
) -> ForeignTake:
    """Joints at the beginnings of bones, and the ends of those that carry no other."""
    carrying = {bone.parent for bone in bones}
    tips = [row for row in range(1, len(bones)) if row not in carrying]
    parents = [bone.parent for bone in bones] + tips
    ends = values.new_tensor([bone.end for bone in bones])
    rest = torch.stack([ends[p] if p >= 0 else ends[0] for p in parents])
    turns = torch.eye(3).to(values).expand(len(values), len(parents), 3, 3).clone()
    for row, bone in enumerate(bones):
        inside = turned(values[:, row, 3:], bone.order)
        turns[:, row] = bone.world_from_bone @ inside @ bone.world_from_bone.T
    offsets = rest.expand(len(values), -1, -1).clone()
    offsets[:, 0] = values[:, 0, :3]

    def above(chosen: Sequence[int]) -> list[int]:
        return [chosen.index(parents[row]) if parents[row] >= 0 else -1 for row in chosen]

    def motion(chosen: Sequence[int]) -> SourceMotion:
        rows = list(chosen)
        return posed_tree(turns[:, rows], offsets[:, rows], above(chosen))

    def resting(chosen: Sequence[int]) -> SourceMotion:
        unturned = torch.eye(3).to(rest).expand(1, len(chosen), 3, 3)
        return posed_tree(unturned, rest[None, list(chosen)], above(chosen))

    names = [bone.name for bone in bones]
    return ForeignTake(
        names=(*names, *("" for _ in tips)),
        parents=tuple(parents),
        has_length=tuple(bool(offset.any()) for offset in rest),
        fps=fps,
        kind="AMC",
        motion=motion,
        rests=(resting,),
        start_frame=START_FRAME,
        armature=lambda: Armature(
            names=(*names, *(f"{names[row]} end" for row in tips)),
            parents=tuple(parents),
            is_end=(False,) * len(bones) + (True,) * len(tips),
            rest_rotations=torch.eye(3).expand(len(parents), 3, 3).contiguous(),
            rest_offsets=rest.float(),
            rotations=turns.float(),
            offsets=offsets.float(),
        ),
    )
