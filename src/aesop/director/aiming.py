"""Where a camera is to look: the hand's curves of pan and tilt, put onto a path."""

from dataclasses import dataclass, replace

import numpy as np
import torch

from aesop.director.clearance import Body
from aesop.director.decoding import rests
from aesop.director.hand import (
    FASTEST_DPS,
    USUAL_EDGES,
    Angles,
    CloseEdges,
    Sights,
    angles_of,
    azimuth,
    elevation,
    followed,
    held,
    turns_of,
)
from aesop.scene.camera import CameraPath
from aesop.scene.curves import smoothed
from aesop.scene.human import Clip
from aesop.scene.skeleton import JOINT

WHIP_DPS = 450.0  # no head turns a camera faster
_SHAKE_SIGMA = 5.0  # frames: what is faster than this is the shake of a grip


@dataclass(frozen=True)
class AimOrders:
    """What the hand must leave to a camera that was asked for it, and where faces belong in it.

    `turns`: the aim itself is asked for, so a tripod is not held. `tilts`: some part of the body in
    the picture is enough. `shakes`: a tripod's shake stays.
    """

    turns: bool = False
    tilts: bool = False
    whips: bool = False
    shakes: bool = False
    edges: CloseEdges = USUAL_EDGES

    @property
    def fastest_dps(self) -> float:
        return WHIP_DPS if self.whips else FASTEST_DPS


NO_ORDERS = AimOrders()


def aimed_camera(
    camera: CameraPath, clip: Clip, body: Body, largest: float, orders: AimOrders = NO_ORDERS
) -> CameraPath:
    """Aimed by the hand, with no correction of a moving camera larger than `largest` (radians)."""
    sights = replace(_sights(camera, clip, body), edges=orders.edges)
    sights = _any_part(sights, clip, camera) if orders.tilts else sights
    is_tripod = rests(camera, clip.fps) and largest > 0 and not orders.turns
    if is_tripod:
        aim = _held_shaking(sights, clip.fps) if orders.shakes else held(sights, clip.fps)
    else:
        aim = followed(sights, clip.fps, largest, orders.fastest_dps)
    was = angles_of(sights.turns)
    changed = np.stack([aim.pan - was.pan, aim.tilt - was.tilt, aim.roll - was.roll]) != 0
    if not changed.any():
        return camera
    # A held aim is one curve: rounding must not make its untouched frames twitch.
    is_new = changed.any(0) | is_tripod
    turns = np.where(is_new[:, None, None], turns_of(aim), sights.turns)
    return with_turns(camera, turns)


def with_turns(camera: CameraPath, turns: np.ndarray) -> CameraPath:
    return replace(camera, world_from_camera=torch.from_numpy(turns).to(camera.world_from_camera))


def turns_in(camera: CameraPath) -> np.ndarray:
    """A path's turns in float64."""
    return camera.world_from_camera.double().cpu().numpy()


def _sights(camera: CameraPath, clip: Clip, body: Body) -> Sights:
    centre = camera.centre.double().cpu().numpy()
    joints = clip.motion.joints.double().cpu().numpy()
    return Sights(
        turns=turns_in(camera),
        tan_half=camera.tan_half_fov.double().cpu().numpy(),
        head=joints[:, JOINT["head"]] - centre,
        crown=body.crown - centre,
        hips=joints[:, JOINT["pelvis"]] - centre,
    )


def _any_part(sights: Sights, clip: Clip, camera: CameraPath) -> Sights:
    """The same camera, of which only the part of the body is asked that it is nearest to looking
    at, between head and feet."""
    joints = clip.motion.joints.double().cpu().numpy()
    feet = joints[:, [JOINT["left_ankle"], JOINT["right_ankle"]]].mean(axis=1)
    ends = np.stack([elevation(sights.head), elevation(feet - camera.centre.double().numpy())])
    up = np.clip(angles_of(sights.turns).tilt, ends.min(axis=0), ends.max(axis=0))
    across = azimuth((sights.head + sights.hips) / 2)
    line = np.stack([np.cos(up) * np.cos(across), np.cos(up) * np.sin(across), np.sin(up)], -1)
    return replace(sights, head=line, crown=line, hips=line)


def _held_shaking(sights: Sights, fps: float) -> Angles:
    """A tripod's aim that is held, and shakes as it did."""
    base = angles_of(sights.turns)
    slow = slow_angles(base, _SHAKE_SIGMA)
    aim = held(replace(sights, turns=turns_of(slow)), fps)
    return Angles(
        aim.pan + (base.pan - slow.pan),
        aim.tilt + (base.tilt - slow.tilt),
        aim.roll + (base.roll - slow.roll),
    )


def slow_angles(angles: Angles, sigma_frames: float) -> Angles:
    """Without what is faster than a Gaussian of so many frames."""
    curves = np.stack([angles.pan, angles.tilt, angles.roll], axis=-1)
    pan, tilt, roll = smoothed(curves, sigma_frames).T
    return Angles(pan, tilt, roll)
