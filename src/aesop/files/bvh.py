"""BVH as it stands in the file: a tree of joints with channels, a row of numbers per frame."""

import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import torch
from jaxtyping import Float
from torch import Tensor

from aesop.core.errors import FileError
from aesop.files.importing import check_length, check_rate, input_file
from aesop.scene.rotation import about_axis

MAX_BYTES = 512 * 2**20
MAX_JOINTS = 1000
# Headers round the frame time (0.033333 s, 0.00833 s); NTSC rates are twice as far from a whole
# number as this, so they keep their fraction.
WHOLE_RATE_TOLERANCE = 5e-4
# Rates whose frame times go on for ever; some headers round them to two or three digits (0.017 s,
# 0.0333 s). From one digit, which is off by more than this, nothing is concluded.
ENDLESS_RATES = (24, 30, 48, 60, 72, 90, 120, 144, 180, 240, 300, 360)
ROUNDED_RATE_TOLERANCE = 0.025

_CHANNEL = re.compile(r"([xyz])(position|rotation)")
_MOTION = re.compile(rb"(?:^|[\r\n])[ \t]*MOTION[ \t]*(?=[\r\n]|$)", re.IGNORECASE)
_FRAMES = re.compile(rb"\s*Frames\s*:\s*(\S+)", re.IGNORECASE)
_FRAME_TIME = re.compile(rb"\s*Frame\s*Time\s*:\s*(\S+)", re.IGNORECASE)

# Beginnings of texts with two bytes a letter, with and without a mark of their order.
_WIDE = {b"\xff\xfe": "utf-16", b"\xfe\xff": "utf-16", b"H\0": "utf-16-le", b"\0H": "utf-16-be"}
_FILLING = b" \t\r\n\0\x1a"  # what may stand after the last number: old ends of files among it


class _FlawError(Exception):
    """What is wrong with the text, and the remedy; `_naming` adds the file."""

    def __init__(self, flaw: str, remedy: str = "Export or download it again.") -> None:
        super().__init__(flaw)
        self.remedy = remedy


# Some programs write numbers as the system's language does.
_NO_COMMAS = "Write decimal points, and spaces between numbers."
_MEND_FRAME = "Repair or cut those frames, then try again."


@dataclass(frozen=True)
class BvhJoint:
    """One node of the tree. End Sites are joints without channels."""

    name: str
    parent: int
    offset: tuple[float, float, float]
    channels: tuple[str, ...]  # "xposition" … "zrotation", in the order of the numbers
    is_end: bool


@dataclass(frozen=True, eq=False)
class BvhMotion:
    """Joints with parents before children, and the numbers of every frame (degrees and lengths)."""

    joints: tuple[BvhJoint, ...]
    values: Float[Tensor, "frames channels"]
    fps: float
    announced: int | None = None  # how many frames the header says, where it says another number

    @property
    def notes(self) -> tuple[str, ...]:
        """What a reader should know of the file."""
        if self.announced is None:
            return ()
        return (f"the header says {self.announced} frames; all {self.frames} that follow are read",)

    @property
    def frames(self) -> int:
        return self.values.shape[0]

    @property
    def names(self) -> tuple[str, ...]:
        """Names as the file spells them, End Sites left out."""
        return tuple(joint.name for joint in self.joints if not joint.is_end)

    def columns(self, joint: int, kind: str) -> dict[str, int]:
        """Where the "position" or "rotation" of a joint along or about each axis stands, in the
        order of the channels."""
        first = sum(len(before.channels) for before in self.joints[:joint])
        channels = enumerate(self.joints[joint].channels, start=first)
        return {channel[0]: column for column, channel in channels if channel.endswith(kind)}


def read_bvh(path: Path, *, fps: float | None = None) -> BvhMotion:
    """Read any BVH file, whatever its skeleton, units and axes. `fps` overrules its frame time."""
    if input_file(path).stat().st_size > MAX_BYTES:
        raise FileError(
            f"{path} is larger than {MAX_BYTES >> 20} MiB.", "Cut it into shorter files."
        )
    with _naming(path):
        header, block, frames, rate = _split(path.read_bytes())
        joints = _Tree().parse(header.decode("utf-8", errors="replace"))
        values = _numbers(block, frames, sum(len(joint.channels) for joint in joints))
    rate = rate if fps is None else fps
    check_rate(rate, path)
    check_length(len(values), rate, path)
    return BvhMotion(joints, values, rate, None if len(values) == frames else frames)


def frame_rate(path: Path) -> float:
    """The rate that a file's header gives, without reading its motion."""
    with _naming(path):
        return _split(input_file(path).read_bytes())[3]


def repeated_cycle(motion: BvhMotion, cycles: int) -> BvhMotion:
    """A motion whose last frame repeats its first pose, played several times on end.

    Every round starts where the one before has brought the root.
    """
    assert cycles >= 1
    places = list(motion.columns(0, "position").values())
    travel = torch.zeros_like(motion.values[0])
    travel[places] = (motion.values[-1] - motion.values[0])[places]
    rounds = [motion.values[1:] + count * travel for count in range(1, cycles)]
    return replace(motion, values=torch.cat([motion.values, *rounds]))


@contextmanager
def _naming(path: Path) -> Iterator[None]:
    """Flaws of the text as errors of the file."""
    try:
        yield
    except _FlawError as flaw:
        raise FileError(f"{path} is not a readable BVH file: {flaw}.", flaw.remedy) from flaw


def joint_turns(motion: BvhMotion, chosen: Sequence[int]) -> Float[Tensor, "frames chosen 3 3"]:
    """Parent_from_joint rotations: the product of a joint's turns in the order of its channels."""
    columns = [motion.columns(joint, "rotation") for joint in chosen]
    by_order: dict[str, list[int]] = {}
    for place, axes in enumerate(columns):
        by_order.setdefault("".join(axes), []).append(place)
    unit = torch.eye(3, dtype=motion.values.dtype)
    turns = unit.expand(motion.frames, len(chosen), 3, 3).clone()
    for order, places in by_order.items():
        read = torch.tensor([list(columns[place].values()) for place in places], dtype=torch.long)
        angles = torch.deg2rad(motion.values[:, read])
        for index, axis in enumerate(order):
            step = about_axis(angles[..., index], axis)
            turns[:, places] = step if index == 0 else turns[:, places] @ step
    return turns


def joint_offsets(motion: BvhMotion, chosen: Sequence[int]) -> Float[Tensor, "frames chosen 3"]:
    """Places in the parent's axes: OFFSET, unless the file moves the joint.

    Position channels replace OFFSET, as in the common importers. A joint other than the root whose
    position channels are zero throughout is not moved at all: some exporters fill them so.
    """
    rest = motion.values.new_tensor([motion.joints[joint].offset for joint in chosen])
    offsets = rest.expand(motion.frames, len(chosen), 3).clone()
    for place, joint in enumerate(chosen):
        columns = motion.columns(joint, "position")
        moved = motion.values[:, list(columns.values())]
        if columns and (motion.joints[joint].parent < 0 or bool(moved.any())):
            offsets[:, place, ["xyz".index(axis) for axis in columns]] = moved
    return offsets


def _split(data: bytes) -> tuple[bytes, bytes, int, float]:
    """Hierarchy text, number text, count of frames and frames per second."""
    wide = next((code for start, code in _WIDE.items() if data.startswith(start)), None)
    if wide is not None:
        data = data.decode(wide, errors="replace").encode()
    data = data.removeprefix(b"\xef\xbb\xbf")
    if not data[:4096].lstrip().upper().startswith(b"HIERARCHY"):
        raise _FlawError("it does not begin with HIERARCHY")
    motion = _MOTION.search(data)
    if motion is None:
        raise _FlawError("it has no line MOTION, so it may be cut off")
    count = _FRAMES.match(data, motion.end())
    time = _FRAME_TIME.match(data, count.end()) if count else None
    if count is None or time is None:
        raise _FlawError("MOTION is not followed by 'Frames:' and 'Frame Time:'")
    frames = _whole(count[1].decode("ascii", errors="replace"), "the number of frames")
    rate = _rate(time[1].decode("ascii", errors="replace"))
    return data[: motion.start()], data[time.end() :], frames, rate


def _numbers(block: bytes, announced: int, channels: int) -> Float[Tensor, "frames channels"]:
    """All rows. Some exporters write a frame more than they announce, as other programs accept; a
    file with fewer was cut off."""
    text = block.strip(_FILLING)
    try:
        # An empty text would read as one number, −1.
        values = np.fromstring(text, sep=" ") if text else np.empty(0)
    except ValueError:
        if b"," in text:
            raise _FlawError("its motion has commas among the numbers", _NO_COMMAS) from None
        raise _not_a_number(text.split(), channels) from None
    if channels == 0:
        raise _FlawError("no joint has a channel")
    if len(values) < announced * channels or len(values) % channels:
        flaw = (
            f"{announced} frames of {channels} channels need {announced * channels} numbers, "
            f"but {len(values)} are there"
        )
        whole, over = divmod(len(values), channels)
        if over:
            raise _FlawError(flaw)
        raise _FlawError(
            flaw, f"Export or download it again; if {whole} frames are all, correct its header."
        )
    table = values.reshape(-1, channels)
    broken = ~np.isfinite(table).all(axis=1)
    if broken.any():
        frame = int(broken.argmax())
        raise _FlawError(f"frame {frame} holds a number that is not finite", _MEND_FRAME)
    return torch.from_numpy(table)


def _not_a_number(words: list[bytes], channels: int) -> _FlawError:
    """The first word of a motion that is no number, and its frame."""
    for at, word in enumerate(words):
        try:
            float(word)
        except ValueError:
            told = word[:30].decode("utf-8", errors="replace")
            frame = at // max(channels, 1)
            return _FlawError(f"frame {frame} holds {told!r}, not a number", _MEND_FRAME)
    return _FlawError("its motion holds something that is not a number")


def _rate(word: str) -> float:
    """Frames per second of a frame time, as precisely as it is written."""
    frame_time = _number(word, "the frame time")
    if frame_time <= 0:
        return 0.0
    fps = 1 / frame_time
    whole = round(fps)
    if abs(fps - whole) < WHOLE_RATE_TOLERANCE * fps:
        return float(whole)
    decimals = len(word.partition(".")[2])
    for rate in ENDLESS_RATES:
        is_near = abs(fps - rate) < ROUNDED_RATE_TOLERANCE * fps
        if is_near and round(1 / rate, decimals) == frame_time:
            return float(rate)
    return fps


class _Tree:
    """Reads the hierarchy line by line; one method per keyword."""

    def __init__(self) -> None:
        self.joints: list[BvhJoint] = []
        self.open: list[int] = []  # joints whose brace is open
        self.named = False  # a joint has been named and its brace not yet opened
        self.has_offset: set[int] = set()

    def parse(self, text: str) -> tuple[BvhJoint, ...]:
        """The joints of a whole HIERARCHY section."""
        lines = re.sub(r"([{}])", r"\n\1\n", text).splitlines()
        keywords = {
            "root": self.root, "joint": self.joint, "end": self.end, "endsite": self.end,
            "{": self.enter,
            "}": self.leave, "offset": self.offset, "channels": self.channels,
        }  # fmt: skip
        stripped = [line.strip() for line in lines]
        for line in [line for line in stripped if line][1:]:
            word, _, rest = line.replace("\t", " ").partition(" ")
            if word.lower() not in keywords:
                raise _FlawError(f"the line {line[:60]!r} is not part of a hierarchy")
            keywords[word.lower()](rest.strip())
        if self.open or self.named or not self.joints:
            raise _FlawError("its hierarchy is not complete")
        for index, joint in enumerate(self.joints):
            if index not in self.has_offset:
                raise _FlawError(f"the joint {joint.name!r} has no OFFSET")
        return tuple(self.joints)

    def root(self, name: str) -> None:
        """The first joint of a tree; a prop may have a tree of its own."""
        self._add(name or f"joint {len(self.joints)}", is_end=False)

    def joint(self, name: str) -> None:
        if self.joints and not self.open:
            raise _FlawError(f"the joint {name!r} hangs on nothing")
        self._add(name or f"joint {len(self.joints)}", is_end=False)

    def end(self, _: str) -> None:
        if not self.open:
            raise _FlawError("an End Site stands outside any joint")
        self._add(f"{self.joints[self.open[-1]].name} end", is_end=True)

    def _add(self, name: str, is_end: bool) -> None:
        if self.named:
            raise _FlawError(f"the joint {self.joints[-1].name!r} is not followed by a brace")
        if len(self.joints) == MAX_JOINTS:
            raise _FlawError(f"it has more than {MAX_JOINTS} joints")
        parent = self.open[-1] if self.open else -1
        self.joints.append(BvhJoint(name, parent, (0.0, 0.0, 0.0), (), is_end))
        self.named = True

    def enter(self, _: str) -> None:
        if not self.named:
            raise _FlawError("a brace opens without a joint")
        self.open.append(len(self.joints) - 1)
        self.named = False

    def leave(self, _: str) -> None:
        if not self.open or self.named:
            raise _FlawError("a brace closes that was never opened")
        self.open.pop()

    def offset(self, rest: str) -> None:
        words = rest.split()
        joint = self._current("OFFSET")
        if len(words) != 3:
            raise _FlawError(f"OFFSET of {joint.name!r} has {len(words)} numbers, not 3")
        x, y, z = (_number(word, f"OFFSET of {joint.name!r}") for word in words)
        self.has_offset.add(self.open[-1])
        self.joints[self.open[-1]] = replace(joint, offset=(x, y, z))

    def channels(self, rest: str) -> None:
        count, *names = rest.lower().split() or ["nothing"]
        joint = self._current("CHANNELS")
        if joint.is_end and count == "0":  # some exporters say so of every End Site
            return
        if _whole(count, f"CHANNELS of {joint.name!r}") != len(names):
            raise _FlawError(f"CHANNELS of {joint.name!r} says {count} but names {len(names)}")
        for name in names:
            if not _CHANNEL.fullmatch(name):
                raise _FlawError(f"the channel {name[:30]!r} of {joint.name!r} is unknown")
        late = self.open[-1] != len(self.joints) - 1  # after a child: the columns would be mixed up
        if joint.is_end or joint.channels or late or len(set(names)) != len(names):
            raise _FlawError(f"CHANNELS of {joint.name!r} are given twice or do not belong there")
        self.joints[self.open[-1]] = replace(joint, channels=tuple(names))

    def _current(self, keyword: str) -> BvhJoint:
        if not self.open or self.named:
            raise _FlawError(f"{keyword} stands outside any joint")
        return self.joints[self.open[-1]]


def _number(word: str, what: str) -> float:
    try:
        value = float(word)
    except ValueError:
        flaw = f"{what} is {word[:30]!r}, not a number"
        raise (_FlawError(flaw, _NO_COMMAS) if "," in word else _FlawError(flaw)) from None
    if not np.isfinite(value):
        raise _FlawError(f"{what} is {word[:30]!r}, not a finite number")
    return value


def _whole(word: str, what: str) -> int:
    if not (word.isascii() and word.isdigit() and len(word) < 10):
        raise _FlawError(f"{what} is {word[:30]!r}, not a whole number")
    return int(word)
