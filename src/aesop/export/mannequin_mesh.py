"""The mannequin as a mesh for other programs, and our frames in their terms."""

from dataclasses import dataclass
from functools import cache

import numpy as np
import torch
from jaxtyping import Float, Int
from torch import Tensor

from aesop.preview import colours
from aesop.preview.mannequin import LIMBS, LUMPS, Limb, Lump, Spot
from aesop.scene.camera import CameraPath
from aesop.scene.picture_format import SENSOR_WIDTH_MM
from aesop.scene.rotation import quaternion_wxyz_from_matrix
from aesop.scene.skeleton import (
    JOINT,
    JOINTS,
    PARENTS,
    REST_OFFSETS,
    REST_PELVIS_HEIGHT_M,
    world_from_rest,
)


def y_up_from_world(like: Tensor) -> Float[Tensor, "3 3"]:
    """Takes our z-up world to a y-up one; x stays."""
    return world_from_rest(like).T


def world_from_gl_camera(camera: CameraPath) -> Float[Tensor, "frames 3 3"]:
    """Orientation of a camera that looks along its own −z."""
    turned = camera.world_from_camera.double()
    return turned * turned.new_tensor([1.0, -1.0, -1.0])


def focal_mm(
    camera: CameraPath, sensor_width_mm: float = SENSOR_WIDTH_MM
) -> Float[Tensor, " frames"]:
    """Focal length before a sensor; only its ratio to the sensor's width matters."""
    return sensor_width_mm / 2 / camera.tan_half_fov[:, 0].double()


def steady_quaternions_wxyz(
    rotations: Float[Tensor, "frames *rest 3 3"],
) -> Float[Tensor, "frames *rest 4"]:
    """Quaternions without changes of sign from frame to frame, so that programs can interpolate."""
    turns = quaternion_wxyz_from_matrix(rotations.double())
    agree = (turns[1:] * turns[:-1]).sum(-1, keepdim=True)
    signs = torch.where(agree < 0, -1.0, 1.0).cumprod(0)
    return torch.cat([turns[:1], turns[1:] * signs])


# The mannequin's materials: names as artists see them in their list, and colours on the screen.
SURFACES = {
    "skin": colours.SKIN,
    "torso": colours.TORSO,
    "waist": colours.WAIST,
    "joints": colours.JOINT_BALL,
    "visor": colours.VISOR,
}
ROUGHNESS = 0.7

AROUND = 12  # vertices around a limb
RINGS = 5  # from the pole of a cap to its equator


@dataclass(frozen=True, eq=False)
class BodyMesh:
    """Triangles with colours in linear light; `joint` is the one joint that moves a vertex."""

    points: Float[np.ndarray, "vertices 3"]
    normals: Float[np.ndarray, "vertices 3"]
    colours: Float[np.ndarray, "vertices 3"]
    joint: Int[np.ndarray, " vertices"]
    triangles: Int[np.ndarray, "faces 3"]


@cache
def rest_places() -> Float[np.ndarray, "22 3"]:
    """Joints of the body at rest, the lowest on the ground, the pelvis above the origin."""
    places = np.zeros((JOINTS, 3))
    places[0] = (0.0, REST_PELVIS_HEIGHT_M, 0.0)
    for joint in range(1, JOINTS):
        places[joint] = places[PARENTS[joint]] + REST_OFFSETS[joint]
    return places


@cache
def body_mesh() -> BodyMesh:
    """The whole mannequin."""
    return joined([_limb(limb) for limb in LIMBS] + [_lump(lump) for lump in LUMPS])


def joined(parts: list[BodyMesh]) -> BodyMesh:
    """Several parts as one mesh."""
    counts = np.cumsum([0, *(len(part.points) for part in parts)])
    return BodyMesh(
        np.concatenate([part.points for part in parts]),
        np.concatenate([part.normals for part in parts]),
        np.concatenate([part.colours for part in parts]),
        np.concatenate([part.joint for part in parts]),
        np.concatenate([part.triangles + c for part, c in zip(parts, counts[:-1], strict=True)]),
    )


@cache
def surface_of_triangle() -> Int[np.ndarray, " faces"]:
    """Which of `SURFACES` every triangle of the mannequin has; parts have one colour each."""
    mesh = body_mesh()
    tints = np.array([colours.linear(colour) for colour in SURFACES.values()])
    corner = mesh.colours[mesh.triangles[:, 0]]
    is_surface = (corner[:, None] == tints).all(-1)
    assert bool((is_surface.sum(1) == 1).all()), "a part of the mannequin has no surface"
    return is_surface.argmax(1)


def _place(spot: Spot) -> Float[np.ndarray, "3"]:
    return rest_places()[JOINT[spot.joint]] + np.array(spot.offset)


def _bound_to(spot: Spot, ends_limb: bool) -> int:
    """The joint that carries a ball: a limb's far end hangs on the joint before it."""
    joint = JOINT[spot.joint]
    if any(spot.offset) or spot.turn:
        return JOINT[spot.turned_by]
    return PARENTS[joint] if ends_limb else joint


def _limb(limb: Limb) -> BodyMesh:
    start, end = _place(limb.start), _place(limb.end)
    is_ball = limb.start == limb.end
    axis = np.array([0.0, 1.0, 0.0]) if is_ball else (end - start) / np.linalg.norm(end - start)
    joints = _bound_to(limb.start, False), _bound_to(limb.end, not is_ball)
    radii = limb.start.radius, limb.end.radius
    return capsule((start, end), radii, joints, axis, np.array(limb.stretch), limb.colour)


def _lump(lump: Lump) -> BodyMesh:
    centre = rest_places()[JOINT[lump.joint]] + np.array(lump.offset)
    joint, upright = JOINT[lump.joint], np.array([0.0, 1.0, 0.0])
    return capsule(
        (centre, centre), (1.0, 1.0), (joint, joint), upright, np.array(lump.half_axes), lump.colour
    )


def capsule(
    ends: tuple[Float[np.ndarray, "3"], Float[np.ndarray, "3"]],
    radii: tuple[float, float],
    joints: tuple[int, int],
    axis: Float[np.ndarray, "3"],
    stretch: Float[np.ndarray, "3"],
    colour: str,
) -> BodyMesh:
    """Two half balls, stretched, and the skin between their equators."""
    directions = _sphere(axis)
    half = len(directions) // 2
    which = np.repeat([0, 1], half)
    points = np.array(ends)[which] + np.array(radii)[which, None] * directions * stretch
    normals = directions / stretch
    normals /= np.linalg.norm(normals, axis=1, keepdims=True)
    tint = np.tile(np.asarray(colours.linear(colour), float), (len(points), 1))
    return BodyMesh(points, normals, tint, np.array(joints)[which], _faces(2 * RINGS))


def _sphere(axis: Float[np.ndarray, "3"]) -> Float[np.ndarray, "vertices 3"]:
    """Unit vectors in rings from −axis to axis; the equator appears twice, once for each half."""
    aside = np.cross(axis, np.eye(3)[np.argmin(np.abs(axis))])
    aside /= np.linalg.norm(aside)
    across = np.cross(axis, aside)
    half = np.linspace(0, np.pi / 2, RINGS)
    latitude = np.concatenate([half - np.pi / 2, half])
    turn = 2 * np.pi * np.arange(AROUND) / AROUND
    ring = np.cos(turn)[:, None] * aside + np.sin(turn)[:, None] * across
    rings = np.cos(latitude)[:, None, None] * ring + np.sin(latitude)[:, None, None] * axis
    return rings.reshape(-1, 3)


def _faces(rings: int) -> Int[np.ndarray, "faces 3"]:
    """Two triangles between neighbours of neighbouring rings, seen from outside."""
    ring, place = np.meshgrid(np.arange(rings - 1), np.arange(AROUND), indexing="ij")
    a = ring * AROUND + place
    b = ring * AROUND + (place + 1) % AROUND
    c, d = a + AROUND, b + AROUND
    both = np.stack([np.stack([a, b, d], -1), np.stack([a, d, c], -1)], axis=-2)
    return both.reshape(-1, 3)
