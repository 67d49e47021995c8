"""A shot or clip made ready to be drawn: plain arrays, floor, lamp, the view from outside."""

import math
from dataclasses import dataclass

import numpy as np
from jaxtyping import Float

from aesop.preview.filming import Filming, filming_of
from aesop.preview.floor import Floor
from aesop.preview.view import View
from aesop.scene.human import Clip
from aesop.scene.shot import Shot
from aesop.scene.skeleton import JOINT, world_rotations

HEAD_TOP_M = 0.22  # above the head joint
BODY_ROUND_M = 0.12  # flesh around the joints
ELEVATION = math.radians(21)  # of the view from outside
TAN_HALF_HEIGHT = math.tan(math.radians(15))  # a longish lens: little distortion
FILLED = 0.90  # share of the picture that the action may fill
AZIMUTHS = 24  # directions tried
LAMP_ELEVATION = math.radians(54)
LAMP_TURN = (math.radians(42), math.radians(72))  # how far the lamp stands beside the viewer
BODY_SHARE = 0.36  # length of the filming camera's body, in frusta
FITTED_FRAMES = 64  # more do not change the fit


@dataclass(frozen=True, eq=False)
class Stage:
    """What all pictures of one shot or clip share."""

    joints: Float[np.ndarray, "frames 22 3"]
    turns: Float[np.ndarray, "frames 22 3 3"]
    camera: Filming | None
    fps: float
    outside_from: Float[np.ndarray, "3"]  # unit vector from the action to the outside viewer
    to_light: Float[np.ndarray, "3"]
    floor: Floor

    @property
    def frames(self) -> int:
        return len(self.joints)


def stage_of(subject: Shot | Clip) -> Stage:
    """Prepare a shot, or a clip without a camera."""
    clip = subject.clip if isinstance(subject, Shot) else subject
    joints = clip.motion.joints.double().numpy()
    camera = filming_of(subject.camera, joints[:, 0]) if isinstance(subject, Shot) else None
    turns = world_rotations(clip.motion.rotations.double()).numpy()
    bare = Stage(
        joints,
        turns,
        camera,
        clip.fps,
        np.array([0.0, -1.0, 0.0]),
        np.array([0.0, 0.0, 1.0]),
        Floor(np.zeros(2), 1.0, 1.0),
    )
    azimuth = _best_azimuth(bare)
    points = _bounds(bare).centre
    low, high = points.min(axis=0), points.max(axis=0)
    size = float(np.linalg.norm((high - low)[:2]))
    return Stage(
        joints,
        turns,
        camera,
        clip.fps,
        _direction(azimuth, ELEVATION),
        _direction(_lamp_azimuth(bare, azimuth), LAMP_ELEVATION),
        Floor((low + high)[:2] / 2, max(8.0, 1.6 * size), 1.0 if size < 40 else 10.0),
    )


def _direction(azimuth: float, elevation: float) -> Float[np.ndarray, "3"]:
    level = math.cos(elevation)
    return np.array([level * math.cos(azimuth), level * math.sin(azimuth), math.sin(elevation)])


def _lamp_azimuth(stage: Stage, outside: float) -> float:
    """Beside the outside viewer, on the side of the filming camera: both see lit faces."""
    if stage.camera is None:
        return outside - LAMP_TURN[0]
    frames = _some_frames(stage)
    away = (stage.camera.centre[frames] - stage.joints[frames, 0]).sum(axis=0)
    apart = math.remainder(math.atan2(away[1], away[0]) - outside, 2 * math.pi)
    turn = min(max(abs(apart) * 0.6, LAMP_TURN[0]), LAMP_TURN[1])
    return outside + math.copysign(turn, apart)


def _some_frames(stage: Stage) -> list[int]:
    count = min(stage.frames, FITTED_FRAMES)
    return np.unique(np.linspace(0, stage.frames - 1, count).round().astype(int)).tolist()


@dataclass(frozen=True, eq=False)
class _Bounds:
    """Balls that must be in the view from outside."""

    centre: Float[np.ndarray, "balls 3"]
    radius: Float[np.ndarray, " balls"]


def _bounds(stage: Stage) -> _Bounds:
    frames = _some_frames(stage)
    body = stage.joints[frames].reshape(-1, 3)
    crown = stage.joints[frames, JOINT["head"]] + (0.0, 0.0, HEAD_TOP_M - BODY_ROUND_M)
    centres = [np.concatenate([body, crown])]
    radii = [np.full(len(centres[0]), BODY_ROUND_M)]
    if stage.camera is not None:
        centre = stage.camera.centre[frames]
        forward = stage.camera.world_from_camera[frames, :, 2]
        size = BODY_SHARE * stage.camera.frustum_m
        corners = stage.camera.corners[frames].reshape(-1, 3)
        feet = centre * (1.0, 1.0, 0.0)  # where the plumb line ends
        centres += [centre - size * forward, feet, corners]
        radii += [np.full(len(centre), 0.3 * size), np.zeros(len(feet) + len(corners))]
    together = np.concatenate(centres)
    together[:, 2] = np.maximum(together[:, 2], 0)  # the floor hides what lies below it
    return _Bounds(together, np.concatenate(radii))


def outside_view(stage: Stage, size: tuple[int, int]) -> View:
    """The view from outside that holds the whole action in a picture of this size."""
    return _fitted(stage.outside_from, _bounds(stage), size)


def _fitted(outside_from: Float[np.ndarray, "3"], bounds: _Bounds, size: tuple[int, int]) -> View:
    forward = -outside_from
    right = np.cross(forward, (0.0, 0.0, 1.0))
    right /= np.linalg.norm(right)
    turn = np.stack([right, np.cross(forward, right), forward], axis=-1)
    aspect = size[0] / size[1]
    tan_half = np.array([TAN_HALF_HEIGHT * aspect, TAN_HALF_HEIGHT]) / max(1.0, aspect) ** 0.5
    in_turn = bounds.centre @ turn
    # Each side of the picture is a plane that every ball must stay behind:
    # x − k·z + radius·√(1 + k²) ≤ cx − k·cz.
    slope = FILLED * tan_half
    swell = bounds.radius[:, None] * np.sqrt(1 + slope**2)
    plus = (in_turn[:, :2] - slope * in_turn[:, 2:] + swell).max(axis=0)
    minus = (-in_turn[:, :2] - slope * in_turn[:, 2:] + swell).max(axis=0)
    depth = (-(plus + minus) / (2 * slope)).min()
    middle = (plus - minus) / 2
    centre = turn @ np.array([*middle, depth])
    return View(turn, centre, float(tan_half[0]), float(tan_half[1]), *size)


def _best_azimuth(stage: Stage) -> float:
    """The direction that shows the action large, from its front, and its paths from the side.

    Directions are counted from where the person faces, so turning the world turns the view.
    """
    frames = _some_frames(stage)
    heading = stage.turns[frames, 0][:, :2, 2].sum(axis=0)  # the rest body's z is its front
    facing = math.atan2(heading[1], heading[0])
    bounds = _bounds(stage)
    best, best_score = facing, -math.inf
    for number in range(AZIMUTHS):
        azimuth = facing + math.radians(35) + 2 * math.pi * number / AZIMUTHS
        outside_from = _direction(azimuth, ELEVATION)
        view = _fitted(outside_from, bounds, (4, 3))
        depth = float(((stage.joints[frames, 0] - view.centre) @ -outside_from).mean())
        score = 3.0 / depth**0.5 * (1 + 0.30 * math.cos(azimuth - facing))
        score *= 1 + 0.8 * _sideways(stage, frames, outside_from)
        score *= 1 - 0.5 * _hidden_share(stage, frames, view)
        if score > best_score:
            best, best_score = azimuth, score
    return best


def _hidden_share(stage: Stage, frames: list[int], view: View) -> float:
    """Share of frames in which the filming camera stands before the person."""
    if stage.camera is None:
        return 0.0
    x, y, depth = ((stage.joints[frames, 0] - view.centre) @ view.world_from_camera).T
    centre = stage.camera.centre[frames]
    camera_x, camera_y, camera_depth = ((centre - view.centre) @ view.world_from_camera).T
    apart = np.hypot(x / depth - camera_x / camera_depth, y / depth - camera_y / camera_depth)
    return float(((apart < 1.0 / depth) & (camera_depth < depth)).mean())


def _sideways(stage: Stage, frames: list[int], outside_from: Float[np.ndarray, "3"]) -> float:
    """How much of the distances worth seeing lies across the view rather than along it.

    Distances well under a metre hardly count: they can be seen from anywhere.
    """
    person = stage.joints[frames, 0]
    spans = [person[-1:] - person[:1]]
    if stage.camera is not None:
        centre = stage.camera.centre[frames]
        spans += [(centre - person)[:: max(1, len(frames) // 3)], centre[-1:] - centre[:1]]
    span = np.concatenate(spans)
    length = np.linalg.norm(span, axis=-1)
    along = np.abs(span @ outside_from)
    return float(1 - along.sum() / (length.sum() + 1.0))
