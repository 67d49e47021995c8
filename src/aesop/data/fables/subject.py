"""The person as the operator sees them: where they are, face and go, and when they are busy."""

from dataclasses import dataclass

import numpy as np
from jaxtyping import Float

from aesop.data.fables.curves import smoothed
from aesop.data.fables.lens import FOCUS_TABLE
from aesop.scene.human import NATIVE_FPS
from aesop.scene.skeleton import JOINT

_PATH_SIGMA = 9.0  # frames: steps and bobbing vanish, turns and stops stay
_FOCUS_SIGMA = 6.0  # frames: an operator does not nod with the head they film
_GOES_MPS = 0.4  # a person faster than this on average, and
_GOES_M = 1.0  # ending this far away, goes somewhere


@dataclass(frozen=True, eq=False)
class Subject:
    """One person over one clip. Angles are world azimuths: the direction (cos, sin)."""

    joints: Float[np.ndarray, "frames 22 3"]
    root: Float[np.ndarray, "frames 3"]  # smoothed
    focus: Float[np.ndarray, "6 frames 3"]  # what to look at, by shot size, smoothed
    neck: Float[np.ndarray, "frames 3"]  # smoothed; shot sizes are measured from here
    facing: Float[np.ndarray, " frames"]  # smoothed, unwrapped
    activity: Float[np.ndarray, " transitions"]  # mean joint speed, m/s

    @property
    def frames(self) -> int:
        return len(self.joints)

    @property
    def steps(self) -> Float[np.ndarray, "transitions 3"]:
        """Way of the smoothed root along the ground, metres a frame."""
        return np.diff(self.root, axis=0) * np.array([1.0, 1.0, 0.0])

    @property
    def excursion_m(self) -> float:
        """How far the person gets from the middle of their way."""
        ground = self.root[:, :2]
        return float(np.linalg.norm(ground - ground.mean(0), axis=1).max())

    @property
    def goes(self) -> bool:
        """Whether the person goes somewhere, so that a camera can follow."""
        net = float(np.linalg.norm(self.root[-1, :2] - self.root[0, :2]))
        seconds = (self.frames - 1) / NATIVE_FPS
        return net > _GOES_M and net / seconds > _GOES_MPS


def watch(joints: Float[np.ndarray, "frames 22 3"], yaw: Float[np.ndarray, " frames"]) -> Subject:
    """What there is to see of a motion."""
    facing = np.unwrap(yaw) - np.pi / 2  # faces (sin ψ, −cos ψ)
    speed = np.linalg.norm(np.diff(joints, axis=0), axis=-1).mean(-1) * NATIVE_FPS
    return Subject(
        joints=joints,
        root=smoothed(joints[:, 0], _PATH_SIGMA),
        focus=_focus(joints),
        neck=smoothed(joints[:, JOINT["neck"]], _PATH_SIGMA),
        facing=smoothed(facing[:, None], _PATH_SIGMA)[:, 0],
        activity=smoothed(speed[:, None], 5.0)[:, 0],
    )


def _focus(joints: Float[np.ndarray, "frames 22 3"]) -> Float[np.ndarray, "6 frames 3"]:
    points = np.einsum("sj,fjx->fsx", FOCUS_TABLE, joints, optimize=True)
    smooth = smoothed(points.reshape(len(joints), -1), _FOCUS_SIGMA)
    return smooth.reshape(points.shape).transpose(1, 0, 2)
