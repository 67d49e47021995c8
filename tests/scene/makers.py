"""Motions and cameras for tests: random but plausible, every axis a different prime."""

from dataclasses import replace

import torch

from aesop.scene.camera import CameraPath, look_at
from aesop.scene.human import Clip, HumanMotion, Provenance, grounded, pose_motion, shifted, turned
from aesop.scene.rotation import about_z, matrix_from_axis_angle
from aesop.scene.shot import Placement
from aesop.scene.skeleton import JOINTS, world_from_rest
from aesop.scene.source import NumberedPath, Source, clip_positions, exported_frames


def smooth_noise(frames: int, width: int, dice: torch.Generator, scale: float) -> torch.Tensor:
    """A slowly varying random curve, float64."""
    steps = torch.randn(frames + 24, width, generator=dice).double()
    return torch.nn.functional.avg_pool1d(steps.T[None], 25, 1)[0].T * 5 * scale


def wandering_motion(frames: int, dice: torch.Generator) -> HumanMotion:
    """A person who walks and turns about, limbs swinging: upright, continuous, float64."""
    limbs = matrix_from_axis_angle(
        smooth_noise(frames, JOINTS * 3, dice, 0.3).reshape(frames, JOINTS, 3)
    )
    yaw = smooth_noise(frames, 1, dice, 1.0)[:, 0].cumsum(0) * 0.3
    rest = world_from_rest(limbs)
    rotations = torch.cat([(about_z(yaw) @ limbs[:, 0] @ rest)[:, None], limbs[:, 1:]], dim=1)
    root = smooth_noise(frames, 3, dice, 0.2).cumsum(0) * torch.tensor([0.2, 0.2, 0.01])
    return grounded(pose_motion(rotations, root))


def wandering_clip(frames: int, dice: torch.Generator, fps: float = 25.0) -> Clip:
    return Clip(wandering_motion(frames, dice), fps, "wandering", Provenance("made for a test"))


def place_clip(clip: Clip, placement: Placement) -> Clip:
    """Inverse of `canonical`."""
    return replace(clip, motion=shifted(turned(clip.motion, placement.yaw), placement.offset))


def wandering_camera(motion: HumanMotion, dice: torch.Generator) -> CameraPath:
    """A camera that floats around and looks roughly at the person."""
    frames = motion.frames
    centre = motion.root + torch.tensor([2.0, -3.0, 0.7]) + smooth_noise(frames, 3, dice, 0.4)
    target = motion.root + smooth_noise(frames, 3, dice, 0.2)
    fov = 0.8 + 0.1 * torch.tanh(smooth_noise(frames, 1, dice, 0.5)[:, 0])
    return CameraPath(look_at(centre, target), centre, fov, 1.85)


def to_source(
    camera: CameraPath, clip_fps: float, source: Source, fps: float | None = None
) -> NumberedPath:
    """The camera of a clip in its file's units and axes, at the file's frames (or at another rate).

    Where the file goes on for less than one frame of the clip after the clip's end, the camera
    goes on as it went.
    """
    rate = source.fps if fps is None else fps
    first, count = exported_frames(camera.frames, clip_fps, source, rate)
    positions = clip_positions(first, count, clip_fps, source, rate)
    path = camera.to(torch.float64).at(positions)
    turn = source.clip_from_file.double()
    placed = replace(
        path,
        world_from_camera=turn.T @ path.world_from_camera,
        centre=source.in_file(path.centre),
    )
    return NumberedPath(placed, rate, first)
