"""A camera that somebody has in a file, where it stands in the world of a clip: AESOP's camera
tables (.json), channel files (.chan) and shots (.shot)."""

import json
import math
import os
import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import torch

from aesop.core.errors import FileError
from aesop.files.importing import input_file
from aesop.files.shot_file import read_shot
from aesop.scene.camera import CameraPath
from aesop.scene.camera_keys import CameraKeys, KeptPart, KeyedCamera
from aesop.scene.human import NATIVE_FPS, Clip
from aesop.scene.rotation import about_axis
from aesop.scene.source import (
    NumberedPath,
    Source,
    UpAxis,
    clip_from_scene,
    file_span,
    metres_from_file,
    scene_from_clip,
)

FORMAT, VERSION = "aesop.camera", 1
_ROTATION_TOLERANCE = 1e-3  # files of other programs may have six digits


@dataclass(frozen=True, eq=False)
class CameraFile:
    """A camera path with rate and frame numbers, and the words that asked for it. It stands in the
    world of the motion's file, with its unit and axes, or in the world of the clip in metres."""

    path: NumberedPath
    is_in_file_world: bool
    camera_words: str
    human_words: str
    up: UpAxis | None = None  # of the file's world, where the table says it
    metres_per_unit: float | None = None


def read_camera_json(path: Path) -> CameraFile:
    """The camera as it stands in the file; float64."""
    input_file(path)
    try:
        document = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise FileError(f"{path} is no JSON text ({error}).", "Export the camera again.") from error
    head = (document.get("format"), document.get("version")) if isinstance(document, dict) else ()
    if head != (FORMAT, VERSION):
        raise FileError(
            f"{path} is no camera of AESOP.",
            f'Write "format": "{FORMAT}" and "version": {VERSION} as docs/exports.md says.',
        )
    try:
        return _read(document)
    except (KeyError, TypeError, ValueError, RuntimeError) as error:
        raise FileError(
            f"{path} does not hold a whole camera ({error}).",
            "Every frame needs centre_m (or centre), world_from_camera and fov_vertical_deg.",
        ) from error


def _read(document: dict[str, Any]) -> CameraFile:
    frames, is_in_file_world = document["frames"], "source_file" in document
    centre = "centre" if is_in_file_world else "centre_m"
    turns, centres, angles = (
        torch.tensor([frame[name] for frame in frames], dtype=torch.float64)
        for name in ("world_from_camera", centre, "fov_vertical_deg")
    )
    if turns.shape[1:] != (3, 3) or centres.shape[1:] != (3,) or angles.ndim != 1:
        raise ValueError("wrong shapes")
    finite = all(bool(it.isfinite().all()) for it in (turns, centres, angles))
    if not finite or not bool(((angles > 0) & (angles < 180)).all()):
        raise ValueError("numbers that no camera can have")
    off = (turns.mT @ turns - torch.eye(3, dtype=torch.float64)).abs().max()
    if float(off) > _ROTATION_TOLERANCE or bool((torch.linalg.det(turns) < 0).any()):
        raise ValueError("world_from_camera is no rotation")
    camera = CameraPath(turns, centres, torch.deg2rad(angles), float(document["aspect"]))
    first = int(frames[0].get("frame", 0))
    return CameraFile(
        NumberedPath(camera, float(document["fps"]), first),
        is_in_file_world,
        str(document.get("camera_words", "")),
        str(document.get("human_words", "")),
        *_world(document),
    )


def _world(document: dict[str, Any]) -> tuple[UpAxis | None, float | None]:
    """Axis and unit of the file's world, as far as they are told."""
    up, unit = document.get("up_axis"), document.get("metres_per_unit")
    metres = None if unit is None else float(unit)
    if up not in (None, "y", "z") or (metres is not None and not 0 < metres < float("inf")):
        raise ValueError("up_axis or metres_per_unit")
    return up, metres


SUFFIXES = (".json", ".chan", ".shot")
_MOMENT = re.compile(r"(?P<file>.+)@(?P<seconds>[0-9]+(?:\.[0-9]*)?|\.[0-9]+)s?")
_KEPT = re.compile(r"\s*(?P<start>[0-9]*\.?[0-9]+|[0-9]+\.)?\s*-\s*(?P<stop>[0-9]*\.?[0-9]+)?\s*")
_SEVERAL = ";"  # between keys in one cell of a table
_CHAN_COLUMNS = (7, 8)  # the eighth is the field of view


@dataclass(frozen=True, eq=False)
class KeyTarget:
    """What keys are for: the length and rate of a motion, and the file that it came from."""

    name: str
    frames: int
    fps: float
    source: Source | None = None

    @classmethod
    def of(cls, clip: Clip) -> "KeyTarget":
        return cls(clip.name, clip.frames, clip.fps, clip.source)

    @property
    def last_s(self) -> float:
        """The clip's last frame."""
        return (self.frames - 1) / self.fps

    def ends_s(self, *, is_of_file: bool) -> tuple[float, float]:
        """The first and the last frame, as the clip has them or as its file has them."""
        if self.source is None or not is_of_file:
            return 0.0, self.last_s
        return file_span(self.frames, self.fps, self.source)


@dataclass(frozen=True, eq=False)
class StoredCamera:
    """A path in the world of a clip; its lens is NaN where the file has none. Its first frame is
    the clip's, or so many seconds later where frames are numbered as the clip's file has them."""

    path: CameraPath
    fps: float
    later_s: float = 0.0
    is_of_file: bool = False  # its frames are those of the clip's file

    @property
    def seconds(self) -> float:
        """From the first frame to the last."""
        return (self.path.frames - 1) / self.fps

    def at(self, seconds: float) -> CameraPath:
        """One camera of the path."""
        return self.path.at(torch.tensor([seconds * self.fps], dtype=torch.float64))


def read_camera(path: str | os.PathLike[str], target: KeyTarget) -> StoredCamera:
    """The camera of a file, in the world of a clip. What a file says in the units and axes of a
    scene is brought to the clip by the file that the clip came from."""
    path = Path(path)
    match path.suffix.lower():
        case ".json":
            return _from_json(path, target)
        case ".chan":
            return _from_chan(path, target.source)
        case ".shot":
            return _from_shot(path, target.source)
        case _:
            raise FileError(
                f"{path} is no camera that AESOP reads.", f"Known suffixes: {', '.join(SUFFIXES)}."
            )


def read_key(text: str, target: KeyTarget, seconds: float) -> KeyedCamera:
    """A key at an instant of the clip, from `FILE` or `FILE@SECONDS`, which picks a moment of a
    path, counted from its first frame. Without one it is the instant itself; a file of one camera
    has one moment only."""
    return _NamedCamera.read(text, target).key(target, seconds)


def read_first_key(text: str, target: KeyTarget) -> KeyedCamera:
    """The key of the first frame, by default the first camera of a path."""
    named = _NamedCamera.read(text, target)
    first, _ = target.ends_s(is_of_file=named.stored.is_of_file)
    return named.key(target, first, usual=0.0)


def read_last_key(text: str, target: KeyTarget) -> KeyedCamera:
    """The key of the last frame, by default the last camera of a path. A camera of a file's scene
    stands at the file's last frame, one of a shot at the clip's: they are not the same where the
    file has another rate. What is exported after the clip's last frame depends on two frames of
    the new path, so no camera set at the clip's last frame would bring it to where it should end;
    the key is met there itself."""
    named = _NamedCamera.read(text, target)
    _, last = target.ends_s(is_of_file=named.stored.is_of_file)
    return named.key(target, last, usual=math.inf)


@dataclass(frozen=True, eq=False)
class _NamedCamera:
    """What `FILE` or `FILE@SECONDS` names."""

    path: Path
    stored: StoredCamera
    moment: float | None

    @classmethod
    def read(cls, text: str, target: KeyTarget) -> "_NamedCamera":
        path, moment = _file_and_moment(text)
        return cls(path, read_camera(path, target), moment)

    def key(self, target: KeyTarget, seconds: float, usual: float | None = None) -> KeyedCamera:
        """At an instant of the clip. Where no moment is named it is `usual`, or the instant."""
        path, stored, moment = self.path, self.stored, self.moment
        if moment is None:
            moment = _usual_moment(stored, target, seconds, usual)
        if not -1 <= moment * stored.fps <= stored.path.frames:
            raise FileError(
                f"{path} has no camera at {moment:g} s: its path ends at {stored.seconds:g} s.",
                f"Pick a moment of it, such as {path.name}@0.",
            )
        there = stored.at(moment)  # less than a frame beyond an end it goes on as it went
        lens = float(there.fov_vertical[0])
        return KeyedCamera(
            seconds,
            there.world_from_camera[0],
            there.centre[0],
            None if math.isnan(lens) else lens,
            stored.is_of_file and target.last_s < seconds <= target.ends_s(is_of_file=True)[1],
        )


def _usual_moment(
    stored: StoredCamera, target: KeyTarget, seconds: float, usual: float | None
) -> float:
    """The same instant of the path as of the clip; where another moment is usual, as for a path
    that is shorter, only if the path goes about as far."""
    if stored.path.frames == 1:
        return 0.0
    instant = seconds - stored.later_s
    if usual is None:
        return instant
    wanted = min(usual, stored.seconds)
    return instant if abs(instant - wanted) <= 1 / target.fps else wanted


def _file_and_moment(text: str) -> tuple[Path, float | None]:
    match = _MOMENT.fullmatch(text)
    if match is None or Path(text).exists():
        return Path(text), None
    return Path(match["file"]), float(match["seconds"])


@dataclass(frozen=True)
class KeyTexts:
    """Keys as people write them: files of cameras, and parts of a shot's own path to keep."""

    start: str | None = None
    end: str | None = None
    at: tuple[str, ...] = ()
    keep: tuple[str, ...] = ()

    @property
    def is_given(self) -> bool:
        return bool(self.start or self.end or self.at or self.keep)

    @classmethod
    def from_cells(cls, cells: Mapping[str, str]) -> "KeyTexts":
        """From columns of a table; several keys or parts stand in one cell."""
        at, keep = (
            tuple(text.strip() for text in cells.get(name, "").split(_SEVERAL) if text.strip())
            for name in ("at", "keep")
        )
        return cls(cells.get("start") or None, cells.get("end") or None, at, keep)

    @property
    def cells(self) -> dict[str, str]:
        """Inverse of `from_cells`."""
        at, keep = (_SEVERAL.join(texts) for texts in (self.at, self.keep))
        return {"start": self.start or "", "end": self.end or "", "at": at, "keep": keep}

    @property
    def files(self) -> tuple[Path, ...]:
        """What is read."""
        named = [text for text in (self.start, self.end) if text]
        named += [file for _, file in map(_instant, self.at)]
        return tuple(_file_and_moment(text)[0] for text in named)

    def for_clip(self, clip: Clip, file: str | os.PathLike[str]) -> CameraKeys | None:
        """The keys for the motion of a file."""
        return self.read(KeyTarget.of(clip), Path(file))

    def read(self, target: KeyTarget, shot: Path | None = None) -> CameraKeys | None:
        """The keys; parts are kept of the path in the file `shot`."""
        if not self.is_given:
            return None
        keys = [read_first_key(self.start, target)] if self.start else []
        keys += [read_key(file, target, seconds) for seconds, file in map(_instant, self.at)]
        keys += [read_last_key(self.end, target)] if self.end else []
        wanted = CameraKeys(tuple(keys), self._kept(target, shot) if self.keep else ())
        wanted.check(target.frames, target.fps)
        return wanted

    def _kept(self, target: KeyTarget, shot: Path | None) -> tuple[KeptPart, ...]:
        if shot is None or shot.suffix.lower() != ".shot":
            raise FileError(
                "There is no path to keep a part of: the motion is no .shot.",
                "Give the .shot whose camera is to be kept as the motion.",
            )
        return kept_parts(read_shot(shot).camera, target.fps, self.keep)


def kept_parts(camera: CameraPath, fps: float, spans: tuple[str, ...]) -> tuple[KeptPart, ...]:
    """Parts of a path by their seconds: "0-2.5", "-2.5", "4-"."""
    parts, seconds = list[KeptPart](), camera.frames / fps
    for text in spans:
        match = _KEPT.fullmatch(text)
        if match is None or (match["start"] is None and match["stop"] is None):
            raise FileError(f"{text!r} is no part of a path.", "Write seconds, such as 0-2.5.")
        start, stop = float(match["start"] or 0), float(match["stop"] or seconds)
        if not 0 <= start < stop <= seconds:
            raise FileError(
                f"{text!r} is no part of a path of {seconds:g} s.",
                "Give its beginning and its end in seconds, such as 0-2.5.",
            )
        first = math.ceil(start * fps - 1e-6)
        last = min(math.floor(stop * fps + 1e-6), camera.frames - 1)
        parts.append(KeptPart(first, camera.part(slice(first, last + 1))))
    return tuple(parts)


def _instant(text: str) -> tuple[float, str]:
    """ "3.2:camera.json"."""
    seconds, colon, file = text.partition(":")
    try:
        instant = float(seconds)
    except ValueError:
        instant = math.nan
    if not colon or not file or not math.isfinite(instant):
        raise FileError(
            f"{text!r} is no key.", "Write seconds and a file, such as 3.2:camera.json."
        )
    return instant, file


def _from_shot(path: Path, ours: Source | None) -> StoredCamera:
    shot = read_shot(path)
    theirs, camera = shot.clip.source, shot.camera.to(torch.float64)
    if ours is None or theirs is None or _alike(ours, theirs):
        return StoredCamera(camera, shot.fps)
    return StoredCamera(clip_from_scene(scene_from_clip(camera, theirs), ours), shot.fps)


def _alike(first: Source, second: Source) -> bool:
    """Whether two clips stand in their files' scene in the same way."""
    facts = (first.up, first.scale, first.metres_per_unit)
    return facts == (second.up, second.scale, second.metres_per_unit) and all(
        bool(torch.equal(a.double(), b.double()))
        for a, b in (
            (first.clip_from_file, second.clip_from_file),
            (first.shift, second.shift),
        )
    )


def _from_json(path: Path, target: KeyTarget) -> StoredCamera:
    file = read_camera_json(path)
    if not file.is_in_file_world:
        return StoredCamera(file.path.camera, file.path.fps)
    source = target.source
    if source is None:
        raise FileError(
            f"{path} stands in the world of a motion file, and {target.name} came from none.",
            "Export it with --world aesop, or film the motion's file.",
        )
    begins = (file.path.first_frame - source.start_frame) / file.path.fps
    later = begins - (source.first_frame - source.start_frame) / source.fps
    camera = clip_from_scene(_in_metres(file, source), source)
    return StoredCamera(camera, file.path.fps, later, is_of_file=True)


def _in_metres(file: CameraFile, source: Source) -> CameraPath:
    """In metres with z up; what the file does not say of its world is as the clip's file has it."""
    camera = file.path.camera
    stands = metres_from_file(file.up or source.up)
    metres = file.metres_per_unit or source.metres_per_unit
    return replace(
        camera,
        world_from_camera=stands @ camera.world_from_camera,
        centre=metres * camera.centre @ stands.T,
    )


def _from_chan(path: Path, source: Source | None) -> StoredCamera:
    """Nuke's axes: y up, a camera that looks along −z, turned about z first and y last; in the unit
    of the clip's file, else metres. A channel file does not say its rate: it is the motion's."""
    rows = _chan_table(path)
    turns = torch.deg2rad(torch.from_numpy(rows[:, 3:6]))
    x, y, z = (about_axis(turns[:, at], axis) for at, axis in enumerate("xyz"))
    stands = metres_from_file("y")
    flip = torch.tensor([1.0, -1.0, -1.0], dtype=torch.float64)
    lens = torch.deg2rad(torch.from_numpy(rows[:, 6]))
    camera = CameraPath(
        stands @ (y @ x @ z) * flip, torch.from_numpy(rows[:, :3]) @ stands.T, lens, 16 / 9
    )
    if source is None:
        return StoredCamera(camera, NATIVE_FPS)
    placed = replace(camera, centre=source.metres_per_unit * camera.centre)
    return StoredCamera(clip_from_scene(placed, source), source.fps, is_of_file=True)


def _chan_table(path: Path) -> np.ndarray:
    """Place, turns and field of view (NaN where there is none), a row a frame."""
    input_file(path)
    rows: list[list[float]] = []
    try:
        for line in path.read_text(encoding="utf-8").splitlines():
            numbers = [float(word) for word in line.split()]
            if not numbers:
                continue
            if len(numbers) not in _CHAN_COLUMNS or not all(map(math.isfinite, numbers)):
                raise ValueError(f"{len(numbers)} numbers in a line")
            rows.append([*numbers[1:], math.nan][:7])
    except (OSError, ValueError) as problem:
        raise FileError(
            f"{path} is no channel file of a camera ({problem}).",
            "A line has frame, place, turns about x, y, z in degrees, and field of view.",
        ) from problem
    if not rows:
        raise FileError(f"{path} has no frames.", "Export the camera again.")
    return np.array(rows, dtype=np.float64)
