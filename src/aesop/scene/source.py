"""How a file became a clip, and the way back: a camera path in the units, axes, rate and frame
numbers of the file that the motion came from."""

import math
from dataclasses import dataclass, field, replace
from typing import Literal

import torch
from jaxtyping import Float
from torch import Tensor

from aesop.core.errors import CameraError
from aesop.scene.camera import CameraPath
from aesop.scene.skeleton import world_from_rest

UpAxis = Literal["y", "z"]

# A frame this near to the end of a path (in frames) lies on it: rates are rounded in headers.
_SAME_INSTANT = 1e-3


@dataclass(frozen=True, eq=False)
class Armature:
    """The file's own skeleton and all its frames, in the file's units and axes.

    Parents stand before children; `rotations` are parent_from_joint. Ends have no animation of
    their own. `channels` are BVH's, joint by joint; empty where the file was no BVH.
    """

    names: tuple[str, ...]
    parents: tuple[int, ...]
    is_end: tuple[bool, ...]
    rest_rotations: Float[Tensor, "bones 3 3"]
    rest_offsets: Float[Tensor, "bones 3"]
    rotations: Float[Tensor, "file_frames bones 3 3"]
    offsets: Float[Tensor, "file_frames bones 3"]
    channels: tuple[tuple[str, ...], ...] = ()

    @property
    def frames(self) -> int:
        return self.offsets.shape[0]


@dataclass(frozen=True)
class JointsApart:
    """How far the file's joints, brought into the clip, lie from ours that stand for them."""

    mean_m: float
    most_m: float
    joint: str  # the one that is farthest off on average
    joint_mean_m: float


@dataclass(frozen=True, eq=False)
class Source:
    """The file behind a clip. A point p of the file is scale · clip_from_file · p + shift in the
    clip, and frame k of the clip shows what the file has at frame first_frame + k · fps / 25.

    Frames are numbered as programs that import the file number them, from `start_frame` on.
    """

    kind: str
    file: str
    skeleton: str
    fps: float
    frames: int
    start_frame: int
    first_frame: float  # of the clip; may lie between two frames where a clip was cut
    up: UpAxis
    metres_per_unit: float  # what the file says or shows; `scale` where it does neither
    scale: float  # metres of the clip per unit of the file: a person may have been resized
    clip_from_file: Float[Tensor, "3 3"]
    shift: Float[Tensor, "3"]
    apart: JointsApart | None = None
    armature: Armature | None = field(default=None, repr=False)

    @property
    def resized(self) -> float:
        """How many times larger the person is in the clip than in the file."""
        return self.scale / self.metres_per_unit

    def later(self, clip_frames: int, clip_fps: float) -> "Source":
        """The source of the clip without its first frames."""
        begin = self.first_frame + clip_frames * self.fps / clip_fps
        return replace(self, first_frame=begin)

    def in_file(self, points: Float[Tensor, "*batch 3"]) -> Float[Tensor, "*batch 3"]:
        """Points of the clip where they are in the file, in its units."""
        turn, shift = self.clip_from_file.to(points), self.shift.to(points)
        return (points - shift) @ turn / self.scale

    def in_clip(self, points: Float[Tensor, "*batch 3"]) -> Float[Tensor, "*batch 3"]:
        """Inverse of `in_file`."""
        turn, shift = self.clip_from_file.to(points), self.shift.to(points)
        return self.scale * points @ turn.T + shift


def metres_from_file(up: UpAxis) -> Float[Tensor, "3 3"]:
    """Stands a y-up file up; files with z up stay as they are."""
    like = torch.zeros(1, dtype=torch.float64)
    return world_from_rest(like) if up == "y" else torch.eye(3, dtype=torch.float64)


def scene_from_clip(camera: CameraPath, source: Source) -> CameraPath:
    """A camera of the clip where it stands in the scene of the clip's file, told in metres with z
    up: what every program that has the file open agrees on."""
    camera, stands = camera.to(torch.float64), metres_from_file(source.up)
    turn = stands @ source.clip_from_file.double().T
    return replace(
        camera,
        world_from_camera=turn @ camera.world_from_camera,
        centre=source.metres_per_unit * source.in_file(camera.centre) @ stands.T,
    )


def clip_from_scene(camera: CameraPath, source: Source) -> CameraPath:
    """Inverse of `scene_from_clip`."""
    camera, stands = camera.to(torch.float64), metres_from_file(source.up)
    turn = source.clip_from_file.double() @ stands.T
    return replace(
        camera,
        world_from_camera=turn @ camera.world_from_camera,
        centre=source.in_clip(camera.centre @ stands / source.metres_per_unit),
    )


@dataclass(frozen=True, eq=False)
class NumberedPath:
    """A camera path whose first frame has a number, in whatever units and axes."""

    camera: CameraPath
    fps: float
    first_frame: int


def from_source(path: NumberedPath, source: Source, frames: int, clip_fps: float) -> CameraPath:
    """The camera of a file at the frames of a clip. Between frames of the file it is interpolated;
    before its first and after its last it goes on as it went."""
    seconds = (source.first_frame - source.start_frame) / source.fps
    instants = seconds + torch.arange(frames, dtype=torch.float64) / clip_fps
    positions = instants * path.fps + source.start_frame - path.first_frame
    camera = path.camera.to(torch.float64).at(positions)
    turn = source.clip_from_file.double()
    return replace(
        camera,
        world_from_camera=turn @ camera.world_from_camera,
        centre=source.in_clip(camera.centre),
    )


def exported_frames(
    clip_frames: int, clip_fps: float, source: Source, fps: float
) -> tuple[int, int]:
    """Number of the first frame that the clip covers at a rate, and how many there are."""
    begin = (source.first_frame - source.start_frame) / source.fps
    end = begin + (clip_frames - 1) / clip_fps
    file_end = (source.frames - 1) / source.fps
    if file_end < end + 1 / clip_fps:
        end = max(end, file_end)
    first = math.ceil(begin * fps - _SAME_INSTANT)
    last = math.floor(end * fps + _SAME_INSTANT)
    if last < first:
        raise CameraError(
            f"No frame of {source.file} at {fps:g} per second lies inside the clip.",
            "Film more of it, or ask for a higher rate.",
        )
    return source.start_frame + first, last - first + 1


def file_span(clip_frames: int, clip_fps: float, source: Source) -> tuple[float, float]:
    """Where the first and the last exported frame of a file lie, in seconds of the clip. The last
    may be less than a frame after the clip's."""
    first, count = exported_frames(clip_frames, clip_fps, source, source.fps)
    begin, end = first - source.first_frame, first + count - 1 - source.first_frame
    return max(begin, 0.0) / source.fps, end / source.fps


def clip_positions(
    first: int, count: int, clip_fps: float, source: Source, fps: float
) -> Float[Tensor, " frames"]:
    """Where numbered frames lie in the clip, in its frames."""
    numbers = first - source.start_frame + torch.arange(count, dtype=torch.float64)
    begin = (source.first_frame - source.start_frame) / source.fps
    return (numbers / fps - begin) * clip_fps
