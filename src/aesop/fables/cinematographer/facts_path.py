"""From facts to a camera: several rigs are drawn, the one that obeys and holds the person best is
kept, and its grip shakes it."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import torch

from aesop.camera_words.attributes import CameraFacts, GripName
from aesop.camera_words.standing_tagger import person_curves
from aesop.camera_words.step_tagger import turning_frame
from aesop.fables.cinematographer.facts_rig import draw_rig
from aesop.fables.cinematographer.grip import Shake, jitter, rotation_from_vector, sway
from aesop.fables.cinematographer.lens import Subject, watch
from aesop.fables.cinematographer.meant_path import CLEAR_OF_BODY_M, CLEAR_OF_GROUND_M, Flaw
from aesop.fables.cinematographer.rig import Rig, rig_camera
from aesop.fables.cinematographer.step_timing import SHORTEST_STEP
from aesop.scene.camera import CameraPath, project_joints
from aesop.scene.human import NATIVE_FPS, HumanMotion
from aesop.scene.skeleton import JOINT, KEY_JOINTS

DRAWS = 48
# A draw with less fault is taken at once: all that was asked for is there, the person is held.
FAULTLESS = 0.05
_FARTHEST_M = 30.0  # a long lens on an extreme wide shot
_LONGEST_STEP_M = 0.22  # a frame: as somebody runs
_FASTEST_TURN_RAD = math.radians(60) / NATIVE_FPS  # but for whips
_MOST_LOST = 0.02  # share of frames
_MOST_HEADLESS = 0.08
_SKULL_M = 0.09
_PERIOD = 512  # frames: shake repeats after these


@dataclass(frozen=True)
class GripShake:
    """Spans of shake: turn in degrees (rms over 2 Hz), and way in m/s."""

    jitter_deg: tuple[float, float]
    sway_mps: tuple[float, float]


GRIP_SHAKES: dict[GripName, GripShake] = {
    "locked-off": GripShake((0.0005, 0.004), (0.0, 0.0005)),
    "dolly": GripShake((0.001, 0.006), (0.0005, 0.004)),
    "steadicam": GripShake((0.035, 0.06), (0.005, 0.014)),
    # As the shakier quarter of real cameras that film people (runs/vocabulary.py pace).
    "handheld": GripShake((0.115, 0.3), (0.008, 0.018)),
}


def shortest_frames_of(facts: CameraFacts) -> int:
    """Frames that a motion needs for all steps that are asked for; one fits into any motion."""
    return len(facts.steps) * SHORTEST_STEP + 1 if len(facts.steps) > 1 else 0


def facts_path(
    motion: HumanMotion,
    facts: CameraFacts,
    intensity: float,
    fault: Callable[[CameraPath], float],
    dice: np.random.Generator,
    spans: Sequence[tuple[int, int]] | None = None,
) -> CameraPath:
    """A camera for a motion on the ground that starts at the origin with yaw 0. Of several draws
    the one with the least `fault` is kept. `spans` are the first and last frames of the steps."""
    subject = watch(motion.joints.numpy(), motion.yaw.numpy())
    turning = turning_frame(person_curves(motion), NATIVE_FPS)
    best: CameraPath | None = None
    least = math.inf
    for _ in range(DRAWS):
        camera = drawn_camera(subject, facts, intensity, dice, turning=turning, spans=spans)
        found = fault(camera)
        if found < least:
            best, least = camera, found
        if least < FAULTLESS:
            break
    assert best is not None
    return best


def drawn_camera(
    subject: Subject,
    facts: CameraFacts,
    intensity: float,
    dice: np.random.Generator,
    *,
    turning: int | None,
    aspect: float = 16 / 9,
    spans: Sequence[tuple[int, int]] | None = None,
) -> CameraPath:
    """One draw, shaken where a grip is asked for."""
    camera = unshaken_camera(
        subject, facts, intensity, dice, turning=turning, aspect=aspect, spans=spans
    )
    return camera if facts.grip is None else held_by(camera, facts.grip, dice)


def unshaken_camera(
    subject: Subject,
    facts: CameraFacts,
    intensity: float,
    dice: np.random.Generator,
    *,
    turning: int | None,
    aspect: float = 16 / 9,
    spans: Sequence[tuple[int, int]] | None = None,
) -> CameraPath:
    """One draw as it is meant."""
    rig = draw_rig(subject, facts, intensity, dice, turning=turning, aspect=aspect, spans=spans)
    return rig_camera(subject, lifted(rig))


def flaw_of_camera(subject: Subject, facts: CameraFacts, camera: CameraPath) -> Flaw | None:
    """Why nobody would keep a draw, whatever it was asked for: the same limits as of other filmed
    shots, but for what the facts ask for."""
    centre = camera.centre.numpy()
    if centre[:, 2].min() < CLEAR_OF_GROUND_M - 0.03:
        return "ground"
    apart = np.linalg.norm(subject.joints - centre[:, None], axis=-1)
    if apart.min() < CLEAR_OF_BODY_M:
        return "body"
    if apart[:, 0].max() > _FARTHEST_M:
        return "far"
    if np.linalg.norm(np.diff(centre, axis=0), axis=-1).max() > _LONGEST_STEP_M:
        return "dynamics"
    whips = any("whip-pan" in step.turns for step in facts.steps)
    turns = camera.world_from_camera.numpy()
    cosine = (np.einsum("fij,fij->f", turns[:-1], turns[1:]) - 1) / 2
    if not whips and np.arccos(np.clip(cosine, -1, 1)).max() > _FASTEST_TURN_RAD:
        return "turn"
    seen = project_joints(camera, torch.from_numpy(subject.joints)).visible.numpy()
    lost = ~seen[:, list(KEY_JOINTS)].any(axis=1)
    headless = 0.0 if _leaves_head(facts) else _headless_share(subject, camera)
    return "framing" if lost.mean() > _MOST_LOST or headless > _MOST_HEADLESS else None


def _headless_share(subject: Subject, camera: CameraPath) -> float:
    """Of the frames: those that do not show the middle of the skull, above its joint."""
    head, neck = (subject.joints[:, JOINT[name]] for name in ("head", "neck"))
    upward = (head - neck) / np.maximum(np.linalg.norm(head - neck, axis=-1, keepdims=True), 1e-6)
    skull = torch.from_numpy(head + _SKULL_M * upward)[:, None]
    return float((~project_joints(camera, skull).visible).double().mean())


def _leaves_head(facts: CameraFacts) -> bool:
    """Whether what is asked for need not show the head: only a close-up is nothing without it, and
    a tilt goes between head and feet."""
    near = facts.size_start in ("close-up", "extreme-close-up")
    return not near or any({"tilt-up", "tilt-down"} & set(step.turns) for step in facts.steps)


def lifted(rig: Rig) -> Rig:
    """The rig with its lowest frame above the ground: a camera that would sink into it is raised as
    a whole."""
    lowest = float(rig.centre[:, 2].min())
    if lowest >= 0.15:
        return rig
    shift = rig.shift_m + np.array([0.0, 0.0, 0.15 - lowest])
    return Rig(
        rig.anchor, rig.azimuth, rig.elevation, rig.distance_m, shift, rig.focal_mm, rig.aspect,
        rig.place, rig.legs_share, rig.roll, rig.locked,
    )  # fmt: skip


def held_by(camera: CameraPath, grip: GripName, dice: np.random.Generator) -> CameraPath:
    """The path as a grip carries it."""
    span = GRIP_SHAKES[grip]
    moving = float(dice.uniform(*span.sway_mps))
    shake = Shake(
        jitter_deg=_log_between(span.jitter_deg, dice),
        slope=float(dice.uniform(2.0, 3.4)),
        rest_mps=moving,
        moving_mps=moving,
        roll_rad=0.0,
    )
    at = np.arange(camera.frames) % _PERIOD
    turn = jitter(_PERIOD, shake, dice)[at]
    place = sway(np.zeros(_PERIOD), shake, dice)[at]
    return CameraPath(
        camera.world_from_camera @ torch.from_numpy(rotation_from_vector(turn)),
        camera.centre + torch.from_numpy(place),
        camera.fov_vertical,
        camera.aspect,
    )


def _log_between(span: tuple[float, float], dice: np.random.Generator) -> float:
    return span[0] * (span[1] / span[0]) ** dice.random()
