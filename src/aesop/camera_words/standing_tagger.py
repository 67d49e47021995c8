"""What holds for a whole shot, measured back from the finished path: size, height, side, lens,
horizon, grip and place in the picture. Thresholds are those that the vocabulary's definitions say.
"""

import math
from dataclasses import dataclass

import numpy as np
import torch
from jaxtyping import Bool, Float

from aesop.camera_words.attributes import (
    Composition,
    GripName,
    Height,
    LensWord,
    PersonSide,
    Size,
)
from aesop.scene.camera import CameraPath
from aesop.scene.curves import smoothed, unwrapped
from aesop.scene.human import HumanMotion
from aesop.scene.skeleton import JOINT, world_rotations

Curve = Float[np.ndarray, " frames"]
Points = Float[np.ndarray, "frames 3"]

# Picture height where the person is, metres; a shot is the first size whose upper edge it is under.
SIZE_EDGES_M: dict[Size, float] = {
    "extreme-close-up": 0.36, "close-up": 0.7, "medium": 1.75, "full": 2.9, "wide": 5.5,
    "extreme-wide": float("inf"),
}  # fmt: skip
SKIN_M = 0.1  # a picture that is no higher shows nothing of a face but skin
GROUND_M = 0.35
LOW_SHARE = 0.6  # of the height of the neck
HIGH_RAD, OVERHEAD_RAD = np.radians(15), np.radians(50)
SIDE_EDGES_RAD = tuple(np.radians((25, 65, 115, 155)).tolist())
# A face is seen from no further off where it looks than three quarters; behind the ears is none.
FACE_RAD, CHEEK_RAD = SIDE_EDGES_RAD[1], SIDE_EDGES_RAD[2]
FACE_STEEP_RAD = np.radians(45)  # from further above a face is a crown, from below a chin
# How far beyond its edges a side may drift before a stranger sees another one.
SIDE_SLACK_RAD = float(np.radians(30))
STEEP_RAD = np.radians(30)  # who looks up or down more steeply sees arms or crown before a face
WIDE_ANGLE_RAD, LONG_LENS_RAD = np.radians(69), np.radians(33)
DUTCH_RAD = np.radians(7)
STEADY_DEG, HANDHELD_DEG = 0.0125, 0.068  # shake faster than about 3 Hz, rms
RESTS_M, RESTS_RAD = 0.05, np.radians(2.0)  # who strays no further neither moves nor turns
THIRD_NDC = (0.2, 0.62)
CENTRE_NDC = 0.15
HEAD_ROOM_NDC = 0.5
BODY_FROM_M = (0.7, 1.75)  # picture heights: from a close-up to a full shot
LOOKS_ASIDE = 0.35  # part of the person's looking or going that lies along the picture
_HEAD_TOP_M = 0.17  # above the joint of the head
_PATH_SIGMA = 9.0  # frames
_SHAKE_WINDOW, _SHAKE_ORDER = 17, 4  # frames, and degree of what counts as meant
_GOES_MPS = 0.4


@dataclass(frozen=True, eq=False)
class PersonCurves:
    """The person as a tagger sees them, smoothed, in float64."""

    root: Points
    neck: Points
    head: Points
    facing: Curve  # world azimuth, unwrapped
    gaze: Points  # where the face looks

    @property
    def frames(self) -> int:
        return len(self.root)


@dataclass(frozen=True, eq=False)
class CameraCurves:
    """A camera path in float64, with its aim as angles. Pan is a world azimuth, unwrapped."""

    centre: Points
    world_from_camera: Float[np.ndarray, "frames 3 3"]
    pan: Curve
    tilt: Curve
    roll: Curve  # + where the picture's right edge is the lower one
    tan_half_width: Curve
    tan_half_height: Curve
    fps: float

    @property
    def frames(self) -> int:
        return len(self.centre)


def person_curves(motion: HumanMotion) -> PersonCurves:
    joints = motion.joints.to(torch.float64).cpu().numpy()
    yaw = np.unwrap(motion.yaw.to(torch.float64).cpu().numpy())
    head = world_rotations(motion.rotations.to(torch.float64))[:, JOINT["head"]]
    return PersonCurves(
        root=smoothed(joints[:, 0], _PATH_SIGMA),
        neck=smoothed(joints[:, JOINT["neck"]], _PATH_SIGMA),
        head=smoothed(joints[:, JOINT["head"]], _PATH_SIGMA),
        facing=smoothed((yaw - np.pi / 2)[:, None], _PATH_SIGMA)[:, 0],
        gaze=smoothed(head[..., 2].cpu().numpy(), _PATH_SIGMA),
    )


def camera_curves(camera: CameraPath, fps: float) -> CameraCurves:
    rotation = camera.world_from_camera.to(torch.float64).cpu().numpy()
    right, down, forward = rotation[..., 0], rotation[..., 1], rotation[..., 2]
    tangents = camera.tan_half_fov.to(torch.float64).cpu().numpy()
    return CameraCurves(
        centre=camera.centre.to(torch.float64).cpu().numpy(),
        world_from_camera=rotation,
        pan=unwrapped(np.arctan2(forward[:, 1], forward[:, 0])),
        tilt=np.arcsin(np.clip(forward[:, 2], -1, 1)),
        roll=np.arctan2(-right[:, 2], -down[:, 2]),
        tan_half_width=tangents[:, 0],
        tan_half_height=tangents[:, 1],
        fps=fps,
    )


@dataclass(frozen=True)
class StandingFacts:
    """What holds throughout, or at one end of a shot. None where nobody is there to measure by."""

    size_start: Size | None
    size_end: Size | None
    height: Height | None
    side: PersonSide | None
    lens: LensWord | None
    dutch: bool
    grip: GripName
    places: tuple[Composition, ...]
    shake_deg: float
    picture_m: tuple[float, float] | None  # height of the picture at the person: start, end
    smallest_picture_m: float | None = None  # its least height at the person
    height_end: Height | None = None
    side_end: PersonSide | None = None
    keeps_side: bool = False  # at the end it is still about the side of the start
    side_share: float = 0.0  # of the frames, in which it is
    turned_rad: float = 0.0  # how far the person turns from the start to the end
    overhead_share: float = 0.0  # of the frames, in which the camera is overhead
    above_share: float = 0.0  # in which it looks steeply down
    below_share: float = 0.0  # in which it looks steeply up
    face_rad: tuple[float, float] | None = None  # from where the face looks: start, end
    sees_face: tuple[bool, bool] = (False, False)  # start, end
    face_share: float = 0.0  # of the frames, in which the face is seen


def standing_of(camera: CameraCurves, person: PersonCurves | None) -> StandingFacts:
    """Measure all of it. Ends are the medians of half a second."""
    ends = max(1, min(round(camera.fps / 2), camera.frames // 3))
    start, end = slice(0, ends), slice(camera.frames - ends, camera.frames)
    shake = shake_deg(camera)
    pictures = None if person is None else _picture_m(camera, person)
    sizes = None if pictures is None else (_median(pictures[start]), _median(pictures[end]))
    sides = None if person is None else _sides_rad(camera, person, start, end)
    keeps = np.zeros(1, dtype=bool) if person is None else _keeps_side(camera, person, start)
    faces = None if person is None else face_angle(camera, person)
    seen = np.zeros(1, dtype=bool) if person is None else _sees_face(camera, person)
    above = np.zeros(1) if person is None else _above(camera, person)
    return StandingFacts(
        size_start=None if sizes is None else size_from_picture(sizes[0]),
        size_end=None if sizes is None else size_from_picture(sizes[1]),
        height=None if person is None else _height(camera, person, start),
        side=None if sides is None else side_from_angle(sides[0]),
        lens=_lens(camera, start),
        dutch=_is_dutch(camera),
        grip=_grip(camera, shake),
        places=() if person is None else _places(camera, person),
        shake_deg=shake,
        picture_m=sizes,
        smallest_picture_m=None if pictures is None else float(pictures.min()),
        height_end=None if person is None else _height(camera, person, end),
        side_end=None if sides is None else side_from_angle(sides[1]),
        keeps_side=bool(keeps[-ends:].mean() > 0.5),
        side_share=float(keeps.mean()),
        turned_rad=0.0 if person is None else _turned(person, start, end),
        overhead_share=float((above >= OVERHEAD_RAD).mean()),
        above_share=float((above >= STEEP_RAD).mean()),
        below_share=float((above <= -STEEP_RAD).mean()),
        face_rad=None if faces is None else (_median(faces[start]), _median(faces[end])),
        sees_face=(bool(seen[:ends].mean() > 0.5), bool(seen[-ends:].mean() > 0.5)),
        face_share=float(seen.mean()),
    )


def _median(curve: Curve) -> float:
    return float(np.median(curve))


def size_from_picture(height_m: float) -> Size:
    """The size of a shot whose picture is so high where the person is."""
    return next(size for size, edge in SIZE_EDGES_M.items() if height_m < edge)


def _picture_m(camera: CameraCurves, person: PersonCurves) -> Curve:
    return 2 * camera.tan_half_height * np.linalg.norm(camera.centre - person.neck, axis=-1)


def _height(camera: CameraCurves, person: PersonCurves, at: slice) -> Height:
    above = _median(_above(camera, person)[at])
    lens_m, neck_m = _median(camera.centre[at, 2]), _median(person.neck[at, 2])
    if above >= OVERHEAD_RAD:
        return "overhead"
    if above >= HIGH_RAD:
        return "high"
    if lens_m < GROUND_M:
        return "ground"
    return "low" if lens_m < LOW_SHARE * neck_m else "eye"


def _above(camera: CameraCurves, person: PersonCurves) -> Curve:
    """How steeply the camera looks down on the neck."""
    return _elevation(camera.centre - person.neck)


def _elevation(line: Points) -> Curve:
    return np.arctan2(line[:, 2], np.hypot(line[:, 0], line[:, 1]))


def side_angle(camera: CameraCurves, person: PersonCurves) -> Curve:
    """Where the camera stands, seen from the person: 0 before them, + to their left."""
    line = camera.centre - person.neck
    around = np.arctan2(line[:, 1], line[:, 0]) - person.facing
    return np.angle(np.exp(1j * around))


def face_angle(camera: CameraCurves, person: PersonCurves) -> Curve:
    """How far off where the face looks the camera stands, up and down included."""
    line = camera.centre - person.head
    cosine = (line * person.gaze).sum(-1)
    cosine = cosine / np.maximum(
        np.linalg.norm(line, axis=-1) * np.linalg.norm(person.gaze, axis=-1), 1e-9
    )
    return np.arccos(np.clip(cosine, -1, 1))


def _sees_face(camera: CameraCurves, person: PersonCurves) -> Bool[np.ndarray, " frames"]:
    """Where the camera stands before the face, and not steeply above or below where it looks."""
    line = camera.centre - person.head
    steep = _elevation(line) - _elevation(person.gaze)
    return (face_angle(camera, person) <= FACE_RAD) & (np.abs(steep) <= FACE_STEEP_RAD)


def _sides_rad(
    camera: CameraCurves, person: PersonCurves, start: slice, end: slice
) -> tuple[float, float]:
    turned = np.exp(1j * side_angle(camera, person))
    return float(np.angle(turned[start].mean())), float(np.angle(turned[end].mean()))


def _keeps_side(
    camera: CameraCurves, person: PersonCurves, start: slice
) -> Bool[np.ndarray, " frames"]:
    """Where the camera is about on the side of the person on which it starts."""
    turned = np.exp(1j * side_angle(camera, person))
    first = float(np.angle(turned[start].mean()))
    drift = np.angle(turned / np.exp(1j * first))
    edges = (0.0, *SIDE_EDGES_RAD, np.pi)
    number = next(at for at in range(5) if abs(first) <= edges[at + 1])
    low, high = edges[number] - SIDE_SLACK_RAD, edges[number + 1] + SIDE_SLACK_RAD
    angle = abs(first) + math.copysign(1, first) * drift  # as if it started on the left
    # Front and back lie on both sides of their axis.
    low = -high if number == 0 else low
    high = 2 * np.pi - low if number == 4 else high
    return (angle >= low) & (angle <= high)


def _turned(person: PersonCurves, start: slice, end: slice) -> float:
    """To the nearest way around."""
    turn = _median(person.facing[end]) - _median(person.facing[start])
    return float(abs(np.angle(np.exp(1j * turn))))


def side_from_angle(angle: float) -> PersonSide:
    """The side that is seen from there."""
    front, quarter, profile, back = SIDE_EDGES_RAD
    if abs(angle) < front:
        return "front"
    if abs(angle) < quarter:
        return "three-quarter-front"
    if abs(angle) < profile:
        return "profile-left" if angle > 0 else "profile-right"
    return "three-quarter-back" if abs(angle) < back else "behind"


def _lens(camera: CameraCurves, at: slice) -> LensWord | None:
    longer = np.maximum(camera.tan_half_width[at], camera.tan_half_height[at])
    angle = 2 * np.arctan(_median(longer))
    if angle > WIDE_ANGLE_RAD:
        return "wide-angle"
    return "long-lens" if angle < LONG_LENS_RAD else None


def _is_dutch(camera: CameraCurves) -> bool:
    """A tilt of the horizon that nearly all of the shot has, and to one side."""
    low, high = np.quantile(camera.roll, (0.1, 0.9))
    return bool(low >= DUTCH_RAD or high <= -DUTCH_RAD)


def shake_deg(camera: CameraCurves) -> float:
    """Turn about all axes that is too fast to be meant: what a smooth curve of two thirds of a
    second leaves over, rms in degrees."""
    rotation = camera.world_from_camera
    between = np.swapaxes(rotation[:-1], -1, -2) @ rotation[1:]
    steps = np.stack(
        [
            between[:, 2, 1] - between[:, 1, 2],
            between[:, 0, 2] - between[:, 2, 0],
            between[:, 1, 0] - between[:, 0, 1],
        ],
        axis=-1,
    )
    angles = np.concatenate([np.zeros((1, 3)), np.cumsum(steps / 2, axis=0)])
    window = min(_SHAKE_WINDOW, len(angles) - (len(angles) + 1) % 2)
    if window <= _SHAKE_ORDER + 1:
        return 0.0
    left = _left_over(angles, window)
    # A whip of the camera is meant, and no curve follows it: the median is not moved by it.
    return float(np.degrees(np.sqrt(np.median(_blocks(left)))))


def _left_over(angles: Points, window: int) -> Float[np.ndarray, "inner 3"]:
    half = window // 2
    powers = np.vander(np.arange(-half, half + 1) / half, _SHAKE_ORDER + 1)
    kernel = -np.linalg.pinv(powers)[-1]
    kernel[half] += 1
    return np.stack([np.convolve(column, kernel, mode="valid") for column in angles.T], axis=-1)


def _blocks(left: Float[np.ndarray, "inner 3"]) -> Float[np.ndarray, " blocks"]:
    """Mean squares over stretches of a third of a second."""
    squares = (left**2).sum(-1)
    return np.array([block.mean() for block in np.array_split(squares, max(1, len(squares) // 8))])


def _grip(camera: CameraCurves, shake: float) -> GripName:
    if shake >= HANDHELD_DEG:
        return "handheld"
    if shake >= STEADY_DEG:
        return "steadicam"
    strays_m = np.linalg.norm(camera.centre - np.median(camera.centre, axis=0), axis=-1).max()
    angles = np.stack([camera.pan * np.cos(camera.tilt), camera.tilt, camera.roll], axis=-1)
    turns = np.abs(angles - np.median(angles, axis=0)).max()
    return "locked-off" if strays_m < RESTS_M and turns < RESTS_RAD else "dolly"


def in_picture(camera: CameraCurves, points: Points) -> tuple[Float[np.ndarray, "frames 2"], Curve]:
    """NDC (y up) and depth of one point a frame."""
    local = np.einsum("fji,fj->fi", camera.world_from_camera, points - camera.centre)
    depth = np.maximum(local[:, 2], 1e-4)
    ndc = np.stack(
        [
            local[:, 0] / depth / camera.tan_half_width,
            -local[:, 1] / depth / camera.tan_half_height,
        ],
        axis=-1,
    )
    return ndc, local[:, 2]


def _places(camera: CameraCurves, person: PersonCurves) -> tuple[Composition, ...]:
    across = _median(_across(camera, person))
    top, _ = in_picture(camera, person.head + np.array([0.0, 0.0, _HEAD_TOP_M]))
    places: list[Composition] = []
    if abs(across) <= CENTRE_NDC:
        places.append("centre")
    if THIRD_NDC[0] <= abs(across) <= THIRD_NDC[1]:
        places.append("left-third" if across < 0 else "right-third")
    if -1 < _median(top[:, 1]) <= HEAD_ROOM_NDC:
        places.append("head-room")
    if _has_lead_room(camera, person, across):
        places.append("lead-room")
    return tuple(places)


def _across(camera: CameraCurves, person: PersonCurves) -> Curve:
    """Where the person is from left to right: their neck where the picture shows no more of them,
    the middle between neck and hips where it shows the body, which matters for whoever lies."""
    body = np.interp(_picture_m(camera, person), BODY_FROM_M, (0.0, 0.5))[:, None]
    ndc, _ = in_picture(camera, person.neck + body * (person.root - person.neck))
    return ndc[:, 0]


def _has_lead_room(camera: CameraCurves, person: PersonCurves, across: float) -> bool:
    """More room before the person than behind, where they go or look to a side of the picture."""
    way = person.root[-1] - person.root[0]
    seconds = person.frames / camera.fps
    ahead = np.stack([np.cos(person.facing), np.sin(person.facing), 0 * person.facing], axis=-1)
    if np.hypot(way[0], way[1]) / seconds > _GOES_MPS:
        ahead = np.repeat((way / np.linalg.norm(way))[None], person.frames, axis=0)
    aside = _median(np.einsum("fj,fj->f", camera.world_from_camera[..., 0], ahead))
    return abs(aside) >= LOOKS_ASIDE and -across * math.copysign(1, aside) >= THIRD_NDC[0] * 0.9
