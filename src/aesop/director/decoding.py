"""From decoded features to a camera path: as the paper does, or so that place and aim agree."""

from dataclasses import replace
from functools import lru_cache
from typing import Literal, assert_never

import torch
from jaxtyping import Float
from torch import Tensor

from aesop.features.camera_features import camera_from_features
from aesop.features.columns import CAMERA
from aesop.scene.camera import CameraPath
from aesop.scene.human import NATIVE_FPS
from aesop.scene.movement import STATIC_MPS
from aesop.scene.rotation import about_axis, about_z, wrap_angle
from aesop.scene.shot import ground
from aesop.scene.skeleton import JOINT

Decoding = Literal["consistent", "paper"]

# The turn keeps this joint where the features have it in the picture.
AIMED_AT = JOINT["neck"]
# Widths of Gaussians, in frames: `from_root` jitters, a camera's turn and speed should not.
TURN_WIDTH = 12.0
SHARE_WIDTH = 25.0
# Turning steps moves later centres, which asks for another turn: most shots settle in four rounds.
ROUNDS = 16
SETTLED_M = 1e-9
# Who goes with the person: the direction of its steps agrees with the person's (cosine), and they
# hold this share of the person's way. Below the first number not at all, above the second fully.
GOES_WITH_COSINE = (0.8, 0.95)
GOES_WITH_SHARE = (0.2, 0.4)
MOST_STRETCH = 3.0
STANDING_MPS = 0.2  # a person this slow goes nowhere
# A way that comes nearer to the body than this, though `from_root` does not, is led around it.
NEAR_M = 0.5
NEAR_SHARE = 0.8  # … or nearer than this share of the distance that `from_root` tells
DETOUR_FRAMES = 12
DETOUR_WIDTH = 6.0
# A camera that stays this near to one place, slower than what a tagger calls movement, rests.
REST_RADIUS_M = 0.05


def decode_camera(
    features: Float[Tensor, "frames 14"],
    joints: Float[Tensor, "frames 22 3"],
    first_root: Float[Tensor, "3"],
    decoding: Decoding,
) -> CameraPath:
    """The camera that decoded features describe, of the person with these joints."""
    match decoding:
        case "paper":
            return camera_from_features(features, first_root)
        case "consistent":
            return consistent_camera(features, joints)
        case _:
            assert_never(decoding)


def consistent_camera(
    features: Float[Tensor, "frames 14"], joints: Float[Tensor, "frames 22 3"]
) -> CameraPath:
    """A camera that has the person in the picture where the features have it, and steps, in its own
    axes, as they say. Exact features give the exact camera; the camera never rolls."""
    camera = camera_from_features(features, joints[0, 0])
    if camera.frames == 1:
        return camera
    from_root = joints[:, 0] + CAMERA.take(features, "from_root")
    steps = camera.centre.diff(dim=0) * keeping_up(camera.centre, from_root, joints[:, 0])
    centre = _turned_way(camera, from_root, joints, steps)
    if not rests(camera, NATIVE_FPS):  # a tripod is not pushed about
        centre = led_around(centre, from_root, joints)
    turns = turned_to(camera.world_from_camera, joints[:, AIMED_AT], from_root, centre)
    return replace(camera, world_from_camera=turns, centre=centre)


def rests(camera: CameraPath, fps: float) -> bool:
    """Whether a camera stays near one place, slower than what a tagger calls movement."""
    seconds = max(camera.frames - 1, 1) / fps
    strays = torch.linalg.vector_norm(camera.centre - camera.centre.mean(dim=0), dim=-1).max()
    return bool(camera.travel / seconds < STATIC_MPS) and bool(strays < REST_RADIUS_M)


def _turned_way(
    camera: CameraPath,
    from_root: Float[Tensor, "frames 3"],
    joints: Float[Tensor, "frames 22 3"],
    steps: Float[Tensor, "transitions 3"],
) -> Float[Tensor, "frames 3"]:
    """Centres whose steps are turned as the camera is: the fixed point of turning and adding up."""
    first, centre = camera.centre[:1], _added_up(camera.centre[:1], steps)
    for _ in range(ROUNDS):
        turns = turned_to(camera.world_from_camera, joints[:, AIMED_AT], from_root, centre)
        turn = (turns @ camera.world_from_camera.mT)[:-1]
        before, centre = centre, _added_up(first, (turn @ steps[..., None])[..., 0])
        if bool((centre - before).abs().max() < SETTLED_M):
            break
    return centre


def _added_up(
    first: Float[Tensor, "1 3"], steps: Float[Tensor, "transitions 3"]
) -> Float[Tensor, "frames 3"]:
    return torch.cat([first, first + steps.cumsum(0)])


def turned_to(
    world_from_camera: Float[Tensor, "frames 3 3"],
    point: Float[Tensor, "frames 3"],
    seen_from: Float[Tensor, "frames 3"],
    centre: Float[Tensor, "frames 3"],
) -> Float[Tensor, "frames 3 3"]:
    """Cameras aimed from `seen_from`, turned for `centre`: panned about the vertical and tilted
    about their own horizontal axis, by what a point's azimuth and elevation change between both."""
    azimuth, elevation = _angles(point - seen_from)
    azimuth_now, elevation_now = _angles(point - centre)
    pan, tilt = azimuth_now - azimuth, elevation_now - elevation
    # Angles are averaged on the circle: near the person they may jump by a whole turn.
    pan = torch.atan2(_smooth(torch.sin(pan), TURN_WIDTH), _smooth(torch.cos(pan), TURN_WIDTH))
    return about_z(pan) @ world_from_camera @ about_axis(_smooth(tilt, TURN_WIDTH), "x")


def _angles(
    direction: Float[Tensor, "frames 3"],
) -> tuple[Float[Tensor, " frames"], Float[Tensor, " frames"]]:
    """Azimuth and elevation."""
    x, y, z = direction.unbind(-1)
    return wrap_angle(torch.atan2(y, x)), torch.atan2(z, torch.hypot(x, y))


def keeping_up(
    centre: Float[Tensor, "frames 3"],
    from_root: Float[Tensor, "frames 3"],
    root: Float[Tensor, "frames 3"],
) -> Float[Tensor, "transitions 1"]:
    """By how much to stretch the steps of a camera that goes with the person. Such steps point the
    right way and fall short: they are stretched to the share of the person's way that `from_root`
    tells. 1 for everybody who stands, or goes elsewhere; never less."""
    person, steps, wanted = (
        _smooth(ground(places).diff(dim=0), TURN_WIDTH) for places in (root, centre, from_root)
    )
    standing = (STANDING_MPS / NATIVE_FPS) ** 2
    power = _smooth(_dot(person, person), SHARE_WIDTH) + standing
    along = _smooth(_dot(steps, person), SHARE_WIDTH)
    own_power = _smooth(_dot(steps, steps), SHARE_WIDTH)
    tiny = torch.finfo(power.dtype).tiny
    cosine = along / (power * own_power).sqrt().clamp_min(tiny)
    goes_with = _rise(cosine, *GOES_WITH_COSINE) * _rise(along / power, *GOES_WITH_SHARE)
    missing = _smooth(_dot(wanted, person), SHARE_WIDTH) - along
    more = (missing / along.abs().clamp_min(tiny)).clamp(0, MOST_STRETCH - 1)
    return 1 + goes_with * more


def led_around(
    centre: Float[Tensor, "frames 3"],
    from_root: Float[Tensor, "frames 3"],
    joints: Float[Tensor, "frames 22 3"],
) -> Float[Tensor, "frames 3"]:
    """Centres moved towards `from_root`, as little as is enough, where they come near the body."""
    near = centre.new_tensor(NEAR_M)
    needed = torch.minimum(near, NEAR_SHARE * _distance(from_root, joints))
    shares = torch.linspace(0, 1, 21, dtype=centre.dtype)
    enough = torch.stack(
        [_distance(torch.lerp(centre, from_root, share), joints) >= needed for share in shares]
    )
    least = shares[enough.to(torch.uint8).argmax(0)]
    frame = torch.arange(len(centre))
    soon = (frame[:, None] - frame).abs() <= DETOUR_FRAMES
    share = _smooth(torch.where(soon, least, torch.zeros_like(least)).amax(1), DETOUR_WIDTH)
    return torch.lerp(centre, from_root, share[:, None])


def _distance(
    places: Float[Tensor, "frames 3"], joints: Float[Tensor, "frames 22 3"]
) -> Float[Tensor, " frames"]:
    """From the nearest joint."""
    return torch.linalg.vector_norm(joints - places[:, None], dim=-1).amin(-1)


def _dot(
    first: Float[Tensor, "frames axes"], second: Float[Tensor, "frames axes"]
) -> Float[Tensor, "frames 1"]:
    return (first * second).sum(-1, keepdim=True)


def _rise(values: Float[Tensor, "*shape"], low: float, high: float) -> Float[Tensor, "*shape"]:
    """0 up to low, 1 from high on, smooth between."""
    share = ((values - low) / (high - low)).clamp(0, 1)
    return share * share * (3 - 2 * share)


def _smooth(values: Float[Tensor, " *shape"], width: float) -> Float[Tensor, " *shape"]:
    """Gaussian mean over the frames there are: no frames are made up beyond the ends."""
    return _gaussian(len(values), width).to(values) @ values


@lru_cache(maxsize=64)
def _gaussian(frames: int, width: float) -> Float[Tensor, "frames frames"]:
    frame = torch.arange(frames, dtype=torch.float64)
    weights = torch.exp(-(((frame[:, None] - frame) / width) ** 2) / 2)
    return weights / weights.sum(1, keepdim=True)
