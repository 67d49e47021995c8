"""What no shot may do, and what an operator would not keep: such draws are thrown away."""

from dataclasses import dataclass
from typing import Literal

import numpy as np
from jaxtyping import Bool, Float

from aesop.data.fables.lens import Lens, focus_weights
from aesop.data.fables.path import MeantPath
from aesop.data.fables.subject import Subject
from aesop.scene.framing import MIN_DEPTH_M
from aesop.scene.human import NATIVE_FPS
from aesop.scene.skeleton import KEY_JOINTS

Flaw = Literal[
    "ground", "body", "far", "dynamics", "tilt", "turn", "framing", "tags", "room", "clean"
]

CLEAR_OF_GROUND_M = 0.15
CLEAR_OF_BODY_M = 0.45  # of every joint, before shake
FARTHEST_ROOT_M = 12.5
# Metres per frame, frame², frame³: inside the 99.5th percentiles of filmed cameras.
MAX_STEP_M, MAX_ACCELERATION_M, MAX_JERK_M = 0.13, 0.03, 0.011
STEEPEST_RAD = np.radians(50)
FASTEST_TURN_RAD = np.radians(42) / NATIVE_FPS  # a frame
# Share of frames that may lose the person, and how much of the focus must be seen on average.
MAX_OUT = 0.1
MIN_HELD = 0.75
# Nobody cuts to a picture that shows only a leg: the same at both ends of the shot.
END_FRAMES = 10
MIN_HELD_AT_ENDS = 0.5


@dataclass(frozen=True, eq=False)
class Sight:
    """Points as a lens sees them; NDC as in `scene.framing`."""

    ndc: Float[np.ndarray, "frames points 2"]
    depth_m: Float[np.ndarray, "frames points"]

    @property
    def visible(self) -> Bool[np.ndarray, "frames points"]:
        return (np.abs(self.ndc) <= 1).all(-1) & (self.depth_m > MIN_DEPTH_M)


def sight(
    points: Float[np.ndarray, "frames points 3"],
    centre: Float[np.ndarray, "frames 3"],
    world_from_camera: Float[np.ndarray, "frames 3 3"],
    lens: Lens,
) -> Sight:
    """Project in float64 without leaving numpy."""
    in_camera = (points - centre[:, None]) @ world_from_camera
    depth = in_camera[..., 2]
    scale = np.array([lens.tan_half_width, -lens.tan_half_height])
    return Sight(in_camera[..., :2] / np.maximum(depth, MIN_DEPTH_M)[..., None] / scale, depth)


def flaw_of_place(subject: Subject, path: MeantPath) -> Flaw | None:
    """Ground, body, distance and limits of motion."""
    centre = path.centre
    if centre[:, 2].min() < CLEAR_OF_GROUND_M:
        return "ground"
    apart = np.linalg.norm(subject.joints - centre[:, None], axis=-1)
    if apart.min() < CLEAR_OF_BODY_M:
        return "body"
    if apart[:, 0].max() > FARTHEST_ROOT_M:
        return "far"
    step = np.diff(centre, axis=0)
    limits = (MAX_STEP_M, MAX_ACCELERATION_M, MAX_JERK_M)
    for order, limit in enumerate(limits):
        if np.linalg.norm(np.diff(step, n=order, axis=0), axis=-1).max() > limit:
            return "dynamics"
    if np.abs(path.angles[:, 1]).max() > STEEPEST_RAD:
        return "tilt"
    if np.abs(np.diff(path.angles, axis=0)).max() > FASTEST_TURN_RAD:
        return "turn"
    return None


def keeps_person(subject: Subject, path: MeantPath, lens: Lens) -> bool:
    """Whether the person, and above all what the operator looks at, stays in the image."""
    seen = sight(subject.joints, path.centre, path.world_from_camera, lens)
    lost = ~seen.visible[:, list(KEY_JOINTS)].any(axis=1)
    distance = np.linalg.norm(path.centre - subject.neck, axis=-1)
    weights = focus_weights(2 * lens.tan_half_height * distance)
    held = (weights * seen.visible).sum(axis=1)
    ends = min(held[:END_FRAMES].mean(), held[-END_FRAMES:].mean())
    enough = held.mean() >= MIN_HELD and ends >= MIN_HELD_AT_ENDS
    return bool(lost.mean() <= MAX_OUT and enough)
