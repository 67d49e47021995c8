"""Cameras that a path has to meet: single ones at instants of a clip, and parts of a path that are
kept as they are."""

import math
from dataclasses import dataclass, replace
from itertools import pairwise

import torch
from jaxtyping import Bool, Float
from torch import Tensor

from aesop.core.errors import CameraError
from aesop.scene.camera import CameraPath
from aesop.scene.rotation import geodesic_distance

# Two keys nearer to each other than this share of a frame are one instant.
_SAME_FRAME = 0.5
_ROTATION_TOLERANCE = 1e-3
_ENDS = 2  # frames of a kept part next to what is free: they tell the speed at the join


@dataclass(frozen=True, eq=False)
class KeyedCamera:
    """A camera at an instant of the clip, in the clip's world. Without a lens, any lens will do."""

    seconds: float
    world_from_camera: Float[Tensor, "3 3"]
    centre: Float[Tensor, "3"]
    fov_vertical: float | None = None
    # A file's last frame may lie after the clip's: exports go on there as the camera went, and that
    # is what has to meet the key. Otherwise an instant after the last frame is the last frame.
    goes_on: bool = False


@dataclass(frozen=True, eq=False)
class KeptPart:
    """Frames of a path that stay as they are, from a frame of the clip on, in the clip's world."""

    first_frame: int
    camera: CameraPath

    @property
    def frames(self) -> range:
        return range(self.first_frame, self.first_frame + self.camera.frames)


@dataclass(frozen=True, eq=False)
class Anchors:
    """All that a path has to meet, in the order of time; positions are counted in frames."""

    positions: Float[Tensor, " keys"]
    world_from_camera: Float[Tensor, "keys 3 3"]
    centre: Float[Tensor, "keys 3"]
    fov_vertical: Float[Tensor, " keys"]  # NaN where any lens will do

    @property
    def has_lens(self) -> Bool[Tensor, " keys"]:
        return self.fov_vertical.isfinite()


@dataclass(frozen=True, eq=False)
class CameraKeys:
    """Single cameras and kept parts; at least one of them."""

    keys: tuple[KeyedCamera, ...] = ()
    kept: tuple[KeptPart, ...] = ()

    def check(self, frames: int, fps: float) -> None:
        """Refuse what no path of so many frames can meet."""
        if not self.keys and not self.kept:
            raise CameraError("No camera is given to be met.", "Give a key, or a part to keep.")
        for key in self.keys:
            _check_key(key, frames, fps)
        for part in self.kept:
            _check_part(part, frames, fps)
        places = sorted(self._position(key, frames, fps) for key in self.keys)
        for first, second in pairwise(places):
            if second - first < _SAME_FRAME:
                raise CameraError(
                    f"Two keys stand at {first / fps:.2f} s.", "Leave one of them away."
                )
        parts = sorted((part.frames for part in self.kept), key=lambda kept: kept.start)
        if any(second.start < first.stop for first, second in pairwise(parts)):
            raise CameraError("Two kept parts overlap.", "Give them as one.")
        for place in places:
            if any(kept.start - 1 < place < kept.stop for kept in parts):
                raise CameraError(
                    f"The key at {place / fps:.2f} s stands inside a part that is kept.",
                    "Keep less, or leave the key away.",
                )

    def anchors(self, frames: int, fps: float) -> Anchors:
        """Keys, and the frames of kept parts that lie next to free ones."""
        rows = [
            (self._position(key, frames, fps), key.world_from_camera, key.centre,
             math.nan if key.fov_vertical is None else key.fov_vertical)
            for key in self.keys
        ]  # fmt: skip
        for part in self.kept:
            camera, inside = part.camera, range(part.camera.frames)
            for at in sorted({*inside[:_ENDS], *inside[-_ENDS:]}):
                rows.append(
                    (float(part.first_frame + at), camera.world_from_camera[at],
                     camera.centre[at], float(camera.fov_vertical[at]))
                )  # fmt: skip
        rows.sort(key=lambda row: row[0])
        kind = torch.float64
        return Anchors(
            torch.tensor([row[0] for row in rows], dtype=kind),
            torch.stack([row[1].to(kind) for row in rows]),
            torch.stack([row[2].to(kind) for row in rows]),
            torch.tensor([row[3] for row in rows], dtype=kind),
        )

    @staticmethod
    def _position(key: KeyedCamera, frames: int, fps: float) -> float:
        """In frames. A clip of n frames shows its last one until n / fps."""
        return min(key.seconds * fps, float(frames if key.goes_on else frames - 1))

    @property
    def without_lenses(self) -> "CameraKeys":
        """For a picture whose lens somebody chose."""
        return replace(self, keys=tuple(replace(key, fov_vertical=None) for key in self.keys))

    @property
    def text(self) -> str:
        """ "keys at 0, 3.2 s, frames 0 to 62 kept"."""
        seconds = ", ".join(f"{key.seconds:.4g}" for key in sorted(self.keys, key=_seconds))
        parts = [f"keys at {seconds} s"] if self.keys else []
        parts += [
            f"frames {part.frames.start} to {part.frames.stop - 1} kept" for part in self.kept
        ]
        return ", ".join(parts)


def _seconds(key: KeyedCamera) -> float:
    return key.seconds


def _check_key(key: KeyedCamera, frames: int, fps: float) -> None:
    if not math.isfinite(key.seconds) or not 0 <= key.seconds <= frames / fps:
        raise CameraError(
            f"A key stands at {key.seconds:g} s; the motion goes from 0 to {frames / fps:g} s.",
            "Choose an instant inside it.",
        )
    numbers = key.centre.isfinite().all() and key.world_from_camera.isfinite().all()
    lens = key.fov_vertical
    if not bool(numbers) or (lens is not None and not 0 < lens < math.pi):
        raise CameraError(
            f"The key at {key.seconds:g} s has numbers that no camera has.", "Mend it."
        )
    turn = key.world_from_camera.double()
    off = (turn.T @ turn - torch.eye(3, dtype=torch.float64)).abs().max()
    if float(off) > _ROTATION_TOLERANCE or float(torch.linalg.det(turn)) < 0:
        raise CameraError(
            f"The turn of the key at {key.seconds:g} s is no rotation.",
            "Its columns are the camera's right, down and forward: unit vectors, square.",
        )


def _check_part(part: KeptPart, frames: int, fps: float) -> None:
    span = part.frames
    if len(span) == 0 or span.start < 0 or span.stop > frames:
        raise CameraError(
            f"Frames {span.start} to {span.stop - 1} are to be kept; the motion has "
            f"{frames} frames ({frames / fps:g} s).",
            "Keep a part that lies inside it.",
        )
    if len(span) == frames:
        raise CameraError("All of the path is kept.", "Leave a part of it free.")


@dataclass(frozen=True)
class KeyMiss:
    """How far a path is from what it has to meet, at worst."""

    place_m: float
    turn_degrees: float
    lens_degrees: float

    @property
    def text(self) -> str:
        lens = f", {self.lens_degrees:.1f}° of lens" if self.lens_degrees >= 0.05 else ""
        return f"{self.place_m:.2f} m, {self.turn_degrees:.1f}°{lens}"


# Two cameras this near are the same to whoever set a key.
MET = KeyMiss(place_m=0.01, turn_degrees=0.3, lens_degrees=0.3)


@dataclass(frozen=True, eq=False)
class MetKeys:
    """What a shot had to meet, how far it was from it as sampled, how far it was moved, and how
    far it is from it now."""

    keys: CameraKeys
    sampled: KeyMiss
    warp: KeyMiss
    shown: KeyMiss


def key_miss(camera: CameraPath, anchors: Anchors) -> KeyMiss:
    """At the instants of the keys; between frames the path goes as `CameraPath.at` says."""
    there = camera.to(torch.float64).at(anchors.positions)
    lens = (there.fov_vertical - anchors.fov_vertical).abs()[anchors.has_lens]
    return KeyMiss(
        float(torch.linalg.vector_norm(there.centre - anchors.centre, dim=-1).max()),
        _largest_degrees(there.world_from_camera, anchors.world_from_camera),
        float(torch.rad2deg(lens).max()) if len(lens) else 0.0,
    )


def path_change(before: CameraPath, after: CameraPath) -> KeyMiss:
    """How far two paths lie apart, at worst."""
    before, after = before.to(torch.float64), after.to(torch.float64)
    return KeyMiss(
        float(torch.linalg.vector_norm(after.centre - before.centre, dim=-1).max()),
        _largest_degrees(before.world_from_camera, after.world_from_camera),
        float(torch.rad2deg((after.fov_vertical - before.fov_vertical).abs()).max()),
    )


def _largest_degrees(
    first: Float[Tensor, "frames 3 3"], second: Float[Tensor, "frames 3 3"]
) -> float:
    return float(torch.rad2deg(geodesic_distance(first, second)).max())
