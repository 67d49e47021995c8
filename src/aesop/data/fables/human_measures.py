"""What can be measured of a person in a window: speeds, turns, steps, flights, postures.

All curves are per frame at 25 fps, in metres, seconds and radians.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from jaxtyping import Bool, Float

from aesop.data.fables.curves import smoothed
from aesop.scene.human import NATIVE_FPS
from aesop.scene.skeleton import JOINT

_ANKLES = [JOINT["left_ankle"], JOINT["right_ankle"]]
_HIPS = [JOINT["left_hip"], JOINT["right_hip"]]
_KNEES = [JOINT["left_knee"], JOINT["right_knee"]]
_TOES = [JOINT["left_foot"], JOINT["right_foot"]]
_WRISTS = [JOINT["left_wrist"], JOINT["right_wrist"]]
_SHOULDERS = [JOINT["left_shoulder"], JOINT["right_shoulder"]]
_TRUNK = [JOINT[name] for name in ("pelvis", "spine2", "spine3", "neck", "head")]
_STEP_SIGMA = 6.0  # frames: removes bobbing and swaying, keeps turns and stops
_TOE_BELOW_ANKLE_M = 0.05
_PLANTED_MPS = 0.35
_AIRBORNE_M = 0.05
# A free fall has the acceleration of gravity; what hangs or climbs has not.
_FREE_FALL_MPS2 = (-16.0, -5.0)
_SHORTEST_FLIGHT = 7  # frames; a runner flies for four or five
_LOWEST_FLIGHT_M = 0.12


@dataclass(frozen=True, eq=False)
class Measures:
    """Measurable curves of one motion."""

    joints: Float[np.ndarray, "frames 22 3"]
    yaw: Float[np.ndarray, " frames"]  # unwrapped and smoothed; grows to the left

    @property
    def frames(self) -> int:
        return len(self.joints)

    @cached_property
    def velocity(self) -> Float[np.ndarray, "frames 2"]:
        """Of the smoothed root along the ground: forward and to the left of the person."""
        root = smoothed(self.joints[:, 0, :2], _STEP_SIGMA)
        step = np.gradient(root, axis=0) * NATIVE_FPS
        sine, cosine = np.sin(self.yaw), np.cos(self.yaw)
        return np.stack(
            [step[:, 0] * sine - step[:, 1] * cosine, step[:, 0] * cosine + step[:, 1] * sine], -1
        )

    @cached_property
    def speed(self) -> Float[np.ndarray, " frames"]:
        return np.linalg.norm(self.velocity, axis=-1)

    @cached_property
    def joint_speed(self) -> Float[np.ndarray, "frames 22"]:
        return np.linalg.norm(np.gradient(self.joints, axis=0), axis=-1) * NATIVE_FPS

    @property
    def pelvis_height(self) -> Float[np.ndarray, " frames"]:
        return self.joints[:, 0, 2]

    @cached_property
    def uprightness(self) -> Float[np.ndarray, " frames"]:
        """Cosine between trunk and vertical."""
        trunk = self.joints[:, JOINT["neck"]] - self.joints[:, 0]
        return trunk[:, 2] / np.linalg.norm(trunk, axis=-1)

    @cached_property
    def shin_uprightness(self) -> Float[np.ndarray, "frames 2"]:
        """Cosine between the left and the right shin and the vertical."""
        shin = self.joints[:, _KNEES] - self.joints[:, _ANKLES]
        return shin[..., 2] / np.linalg.norm(shin, axis=-1)

    @cached_property
    def feet_turn(self) -> float:
        """Angle in (−π, π] by which both feet together point elsewhere at the end; left is +."""
        along = (self.joints[:, _TOES, :2] - self.joints[:, _ANKLES, :2]).sum(1)
        first, last = along[:5].mean(0), along[-5:].mean(0)
        return float(
            np.arctan2(
                first[0] * last[1] - first[1] * last[0], first[0] * last[0] + first[1] * last[1]
            )
        )

    @cached_property
    def leg_reach(self) -> Float[np.ndarray, "frames 2"]:
        """From hip to ankle, left and right."""
        return np.linalg.norm(self.joints[:, _HIPS] - self.joints[:, _ANKLES], axis=-1)

    @cached_property
    def foot_height(self) -> Float[np.ndarray, "frames 2"]:
        """Of the lowest part of the left and the right foot above the floor of the window."""
        toes, ankles = self.joints[:, _TOES, 2], self.joints[:, _ANKLES, 2]
        lowest = np.minimum(toes, ankles - _TOE_BELOW_ANKLE_M)
        return lowest - np.percentile(lowest.min(1), 5)

    @cached_property
    def planted(self) -> Bool[np.ndarray, "frames 2"]:
        """Whether toe or heel of the left and the right foot rests."""
        speed = np.minimum(self.joint_speed[:, _TOES], self.joint_speed[:, _ANKLES])
        return speed < _PLANTED_MPS

    @property
    def both_planted(self) -> Bool[np.ndarray, " frames"]:
        return self.planted[:, 0] & self.planted[:, 1]

    @property
    def both_off(self) -> Bool[np.ndarray, " frames"]:
        """Both feet in the air; captured floors slope too much to tell by height alone."""
        off = ~self.planted & (self.foot_height > 0.03)
        return off[:, 0] & off[:, 1]

    @cached_property
    def wrists_above_shoulders(self) -> Float[np.ndarray, "frames 2"]:
        return self.joints[:, _WRISTS, 2] - self.joints[:, _SHOULDERS, 2]

    @cached_property
    def wrists_above_head(self) -> Float[np.ndarray, "frames 2"]:
        return self.joints[:, _WRISTS, 2] - self.joints[:, [JOINT["head"]], 2]

    @cached_property
    def overhang(self) -> Float[np.ndarray, " frames"]:
        """How far the trunk is behind the feet. Nobody keeps balance there without a seat."""
        trunk = self.joints[:, _TRUNK, :2].mean(1)
        feet = self.joints[:, _ANKLES + _TOES, :2].mean(1)
        ahead = feet - trunk
        return ahead[:, 0] * np.sin(self.yaw) - ahead[:, 1] * np.cos(self.yaw)

    @cached_property
    def flights(self) -> list[tuple[int, int]]:
        """Frames first … stop−1 in which the upright body falls freely, well off the ground."""
        found: list[tuple[int, int]] = []
        low = self.foot_height.min(1)
        for first, stop in stretches(low > _AIRBORNE_M):
            if stop - first < _SHORTEST_FLIGHT or low[first:stop].max() < _LOWEST_FLIGHT_M:
                continue
            time = np.arange(stop - first) / NATIVE_FPS
            bend = 2 * np.polyfit(time, self.pelvis_height[first:stop], 2)[0]
            upright = bool((self.uprightness[first:stop] > 0.6).all())
            if _FREE_FALL_MPS2[0] < bend < _FREE_FALL_MPS2[1] and upright:
                found.append((first, stop))
        return found

    @cached_property
    def steps(self) -> int:
        """How often the weight passes from one foot to the other."""
        left, right = self.planted.T
        alone = (left.astype(int) - right.astype(int))[left != right]
        return int(np.count_nonzero(np.diff(alone)))


def measure(
    joints: Float[np.ndarray, "frames 22 3"], yaw: Float[np.ndarray, " frames"]
) -> Measures:
    """The measures of a motion at our own rate."""
    unwrapped = np.unwrap(yaw.astype(np.float64))
    return Measures(joints.astype(np.float64), smoothed(unwrapped[:, None], _STEP_SIGMA)[:, 0])


def stretches(mask: Bool[np.ndarray, " frames"]) -> list[tuple[int, int]]:
    """Maximal stretches of true frames as (first, past-the-last)."""
    edges = np.flatnonzero(np.diff(np.concatenate([[False], mask, [False]]).astype(int)))
    return [(int(first), int(stop)) for first, stop in zip(edges[::2], edges[1::2], strict=True)]


def held(
    over: Bool[np.ndarray, " frames"], kept: Bool[np.ndarray, " frames"]
) -> Bool[np.ndarray, " frames"]:
    """Hysteresis: stretches of `kept` that reach `over` at least once."""
    mask = np.zeros_like(kept)
    for first, stop in stretches(kept):
        mask[first:stop] = over[first:stop].any()
    return mask
