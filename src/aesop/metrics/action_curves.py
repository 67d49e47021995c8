"""Curves of one motion from which actions are told: heights, turns, reaches and strokes of limbs,
in the person's own axes. Columns of two are left and right."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from jaxtyping import Bool, Float

from aesop.fables.human_facts import Measures, measure, stretches
from aesop.fables.segment_facts import Posture, postures_of
from aesop.scene.curves import smoothed
from aesop.scene.human import NATIVE_FPS, HumanMotion
from aesop.scene.skeleton import JOINT, world_rotations

Curve = Float[np.ndarray, " frames"]
Mask = Bool[np.ndarray, " frames"]
Sides = Float[np.ndarray, "frames 2"]
Columns = Float[np.ndarray, "frames columns"]

LEFT, RIGHT = 0, 1
WRISTS, SHOULDERS, ANKLES, KNEES, HIPS, TOES = (
    [JOINT[f"left_{name}"], JOINT[f"right_{name}"]]
    for name in ("wrist", "shoulder", "ankle", "knee", "hip", "foot")
)
PELVIS, NECK = [JOINT["pelvis"]], [JOINT["neck"]]
_PUSH_FRAMES = 3.0  # removes the noise of capture, keeps a step
_RESTING_FRAMES = 5  # at the top of a jump feet are slow for three
_CALM_FRAMES = 1.0  # a Gaussian that removes the noise of single frames and keeps strokes


@dataclass(frozen=True, eq=False)
class ActionCurves:
    """One motion at our rate, standing on the floor, and everything that tests look at."""

    motion: HumanMotion
    measures: Measures

    @property
    def frames(self) -> int:
        return self.measures.frames

    @property
    def seconds(self) -> float:
        return self.frames / NATIVE_FPS

    @property
    def joints(self) -> Float[np.ndarray, "frames 22 3"]:
        return self.measures.joints

    @property
    def hips(self) -> Curve:
        """Height of the pelvis; it stands at 0.93 m."""
        return self.measures.pelvis_height

    @property
    def upright(self) -> Curve:
        """Cosine between trunk and vertical."""
        return self.measures.uprightness

    @cached_property
    def lean_deg(self) -> Curve:
        return np.rad2deg(np.arccos(np.clip(self.upright, -1.0, 1.0)))

    @cached_property
    def postures(self) -> Sequence[Posture]:
        return postures_of(self.measures)

    def is_posture(self, *names: Posture) -> Mask:
        """Frames in one of some postures."""
        return np.array([posture in names for posture in self.postures])

    @cached_property
    def turn_deg(self) -> Curve:
        """Of the hips since the first frame; grows to the left."""
        return np.rad2deg(self.measures.yaw - self.measures.yaw[0])

    @cached_property
    def forward_m(self) -> Curve:
        """Way of the hips in the person's own forward direction, step by step."""
        return np.cumsum(self.measures.velocity[:, 0]) / NATIVE_FPS

    @cached_property
    def left_m(self) -> Curve:
        return np.cumsum(self.measures.velocity[:, 1]) / NATIVE_FPS

    @cached_property
    def path_m(self) -> float:
        return float(self.measures.speed.sum() / NATIVE_FPS)

    @property
    def goes_on(self) -> bool:
        """Whether the way goes on, and more forward than any other way."""
        return self.path_m >= 0.25 * self.seconds and bool(self.forward_m[-1] > 0.4 * self.path_m)

    @cached_property
    def heights(self) -> Float[np.ndarray, "frames 22"]:
        return self.joints[..., 2]

    @cached_property
    def foot_lift(self) -> Sides:
        """Of the lowest part of each foot above where feet usually stand."""
        return self.measures.foot_height

    @cached_property
    def air_m(self) -> Curve:
        """How far the lower foot is off the ground."""
        return self.foot_lift.min(1)

    def flights(self, least_m: float, least_frames: int = 4) -> list[tuple[int, int]]:
        """Stretches with both feet off the ground that get so far from it. Feet that rest for a
        while stand on something: a step, or a floor that slopes."""
        free = self.air_m > 0.04
        planted = self.measures.planted
        for first, stop in stretches(planted[:, 0] | planted[:, 1]):
            if stop - first >= _RESTING_FRAMES:
                free[first:stop] = False
        return [
            (first, stop)
            for first, stop in stretches(free)
            if stop - first >= least_frames and self.air_m[first:stop].max() >= least_m
        ]

    @cached_property
    def wrists_up(self) -> Sides:
        """Height of each wrist above its shoulder."""
        return self.measures.wrists_above_shoulders

    @cached_property
    def wrists_over_head(self) -> Sides:
        return self.heights[:, WRISTS] - self.heights[:, [JOINT["head"]]]

    def ahead(self, joints: list[int], origin: list[int]) -> Columns:
        """How far some joints are in front of others, along the heading."""
        x, y = self._apart(joints, origin)
        yaw = self.measures.yaw[:, None]
        return x * np.sin(yaw) - y * np.cos(yaw)

    def aside(self, joints: list[int], origin: list[int]) -> Columns:
        """How far some joints are to the person's left of others."""
        x, y = self._apart(joints, origin)
        yaw = self.measures.yaw[:, None]
        return x * np.cos(yaw) + y * np.sin(yaw)

    def _apart(self, joints: list[int], origin: list[int]) -> tuple[Columns, Columns]:
        away = self.joints[:, joints, :2] - self.joints[:, origin, :2]
        return away[..., 0], away[..., 1]

    def speed(self, joints: list[int]) -> Sides:
        """Against the hips, metres a second."""
        against = self.joints[:, joints] - self.joints[:, :1]
        smooth = smoothed(against.reshape(self.frames, -1), _CALM_FRAMES)
        apart = np.gradient(smooth.reshape(against.shape), axis=0)
        return np.linalg.norm(apart, axis=-1) * NATIVE_FPS

    @cached_property
    def wrist_speed(self) -> Sides:
        return self.speed(WRISTS)

    @cached_property
    def ankle_speed(self) -> Sides:
        return self.speed(ANKLES)

    @cached_property
    def reach_m(self) -> Sides:
        """From shoulder to wrist; a straight arm has 0.51."""
        apart = self.joints[:, WRISTS] - self.joints[:, SHOULDERS]
        return np.linalg.norm(apart, axis=-1)

    @cached_property
    def hands_apart_m(self) -> Curve:
        return np.linalg.norm(self.joints[:, WRISTS[0]] - self.joints[:, WRISTS[1]], axis=-1)

    @cached_property
    def hand_to_head_m(self) -> Sides:
        head = self.joints[:, [JOINT["head"]]]
        return np.linalg.norm(self.joints[:, WRISTS] - head, axis=-1)

    @cached_property
    def feet_apart_m(self) -> Curve:
        """Along the ground."""
        apart = self.joints[:, ANKLES[0], :2] - self.joints[:, ANKLES[1], :2]
        return np.linalg.norm(apart, axis=-1)

    @cached_property
    def side_lean_deg(self) -> Curve:
        """Of the trunk to the person's left."""
        up = self.heights[:, NECK[0]] - self.hips
        return np.rad2deg(np.arctan2(self.aside(NECK, PELVIS)[:, 0], up))

    @cached_property
    def forward_lean_deg(self) -> Curve:
        up = self.heights[:, NECK[0]] - self.hips
        return np.rad2deg(np.arctan2(self.ahead(NECK, PELVIS)[:, 0], up))

    @cached_property
    def hips_aside_m(self) -> Curve:
        """Of the hips to the left of the middle between both feet."""
        return self.aside(PELVIS, ANKLES).mean(1)

    @cached_property
    def hips_push_mps2(self) -> float:
        """Largest acceleration of the hips along the ground."""
        smooth = smoothed(self.joints[:, 0, :2], _PUSH_FRAMES)
        return float(np.linalg.norm(np.diff(smooth, 2, axis=0), axis=-1).max() * NATIVE_FPS**2)

    @cached_property
    def head_turn_deg(self) -> Curve:
        """Of the face against the hips; grows to the left."""
        return self._turn_against_hips("head")

    @cached_property
    def chest_turn_deg(self) -> Curve:
        """Of the line through both shoulders against the hips; grows to the left."""
        left, right = (self.joints[:, joint, :2] for joint in SHOULDERS)
        across = left - right
        turn = np.arctan2(across[:, 1], across[:, 0]) - self._hip_yaw
        return np.rad2deg(np.arctan2(np.sin(turn), np.cos(turn)))

    @cached_property
    def _hip_yaw(self) -> Curve:
        return self.motion.yaw.double().numpy()

    def _turn_against_hips(self, joint: str) -> Curve:
        turns = world_rotations(self.motion.rotations.double())[:, JOINT[joint]].numpy()
        forward = turns[:, :, 2]
        turn = np.arctan2(forward[:, 0], -forward[:, 1]) - self._hip_yaw
        return np.rad2deg(np.arctan2(np.sin(turn), np.cos(turn)))

    @cached_property
    def stance_m(self) -> Curve:
        """Height of the floor beneath the person: of the lower foot where one stands."""
        lowest = np.minimum(self.heights[:, TOES], self.heights[:, ANKLES] - 0.05).min(1)
        stands = self.measures.planted.any(1)
        if not stands.any():
            return np.full(self.frames, lowest.min())
        at = np.flatnonzero(stands)
        return np.interp(np.arange(self.frames), at, lowest[at])


def action_curves(motion: HumanMotion) -> ActionCurves:
    """The curves of a motion at our rate, set on the floor by its lowest joint."""
    joints = motion.joints.double().numpy()
    joints = joints - [0.0, 0.0, float(joints[..., 2].min())]
    return ActionCurves(motion, measure(joints, motion.yaw.double().numpy()))


def part_of(curves: ActionCurves, frames: slice) -> ActionCurves:
    """Some frames, on the floor of the whole."""
    measures = curves.measures
    return ActionCurves(
        HumanMotion(curves.motion.rotations[frames], curves.motion.joints[frames]),
        Measures(measures.joints[frames], measures.yaw[frames]),
    )


def longest_s(mask: Mask) -> float:
    """Seconds of the longest stretch of true frames."""
    return max((stop - first for first, stop in stretches(mask)), default=0) / NATIVE_FPS


def reversals(curve: Curve, least: float) -> int:
    """How often a curve turns back by at least so much."""
    return len(turning_points(curve, least))


def turning_points(curve: Curve, least: float) -> list[int]:
    """Frames of the extremes after each of which a curve turns back by at least so much."""
    points: list[int] = []
    direction, extreme = 0, 0
    values = curve.tolist()
    for frame, value in enumerate(values):
        gone = value - values[extreme]
        if direction == 0 and abs(gone) >= least:
            direction, extreme = (1 if gone > 0 else -1), frame
        elif direction and gone * direction > 0:
            extreme = frame
        elif direction and -gone * direction >= least:
            points.append(extreme)
            direction, extreme = -direction, frame
    return points


def last_frames(curves: ActionCurves, seconds: float = 0.4) -> slice:
    """The last moments; a third of what is short."""
    count = max(1, min(round(seconds * NATIVE_FPS), curves.frames // 3))
    return slice(curves.frames - count, curves.frames)
