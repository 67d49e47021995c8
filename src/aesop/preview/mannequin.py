"""A solid mannequin around the 22 joints.

Joint places alone carry the limbs; joint turns shape what hangs on them: head, torso, hands, feet.
Offsets and half-axes are metres in the rest body's axes (x to its left, y up, z forward).
"""

from dataclasses import dataclass, replace

import numpy as np
from jaxtyping import Bool, Float, Int

from aesop.preview import colours
from aesop.preview.ray_casting import Solids, ellipsoids, join, limb_sides
from aesop.scene.skeleton import JOINT

Offset = tuple[float, float, float]
ROUND = (1.0, 1.0, 1.0)
NO_OFFSET = (0.0, 0.0, 0.0)


@dataclass(frozen=True)
class Spot:
    """A ball: a joint, an offset in the axes of joint `turn` (default: itself), and a radius."""

    joint: str
    radius: float
    offset: Offset = NO_OFFSET
    turn: str = ""

    @property
    def turned_by(self) -> str:
        return self.turn or self.joint


@dataclass(frozen=True)
class Limb:
    """What two balls sweep, stretched by `stretch` along the axes of joint `turn`.

    `caps` says which end balls are drawn with it; neighbours draw the others.
    """

    start: Spot
    end: Spot
    colour: str = colours.SKIN
    caps: tuple[bool, bool] = (True, True)
    stretch: Offset = ROUND
    turn: str = "pelvis"
    stands: bool = False  # kept above the ground, as soles are


@dataclass(frozen=True)
class Lump:
    """An ellipsoid at an offset from its joint, with half-axes along the joint's axes."""

    joint: str
    offset: Offset
    half_axes: Offset
    colour: str = colours.SKIN


def _left_limbs() -> list[Limb]:
    foot, ball = (1.25, 1.0, 1.0), colours.JOINT_BALL
    # The sole is the plane through the foot's joint: heel and ball rest on it.
    heel = Spot("left_foot", 0.034, (-0.020, 0.034, -0.160), "left_ankle")
    tread = Spot("left_foot", 0.027, (0.0, 0.027, 0.0), "left_ankle")
    palm = Spot("left_wrist", 0.036, (0.075, -0.004, 0.002))
    calf = Spot("left_knee", 0.054, (0.004, -0.125, -0.018))
    return [
        Limb(Spot("left_shoulder", 0.056), Spot("left_elbow", 0.041), caps=(False, False)),
        Limb(Spot("left_elbow", 0.043), Spot("left_wrist", 0.028), caps=(False, False)),
        Limb(Spot("left_wrist", 0.028), palm, caps=(False, True), stretch=(1.0, 0.5, 1.0),
             turn="left_wrist"),
        Limb(palm, Spot("left_wrist", 0.026, (0.150, -0.024, 0.002)), caps=(False, True),
             stretch=(1.0, 0.5, 1.0), turn="left_wrist"),
        Limb(Spot("left_wrist", 0.016, (0.030, -0.004, 0.020)),
             Spot("left_wrist", 0.011, (0.092, -0.022, 0.055)), caps=(False, True)),
        Limb(Spot("left_hip", 0.090), Spot("left_knee", 0.055), caps=(True, False)),
        Limb(Spot("left_knee", 0.053), calf, caps=(False, True)),
        Limb(calf, Spot("left_ankle", 0.036), caps=(False, False), stands=True),
        Limb(Spot("left_ankle", 0.036), tread, caps=(False, False), stretch=foot,
             turn="left_ankle", stands=True),
        Limb(Spot("left_ankle", 0.034), heel, caps=(False, False), turn="left_ankle", stands=True),
        Limb(heel, tread, stretch=foot, turn="left_ankle", stands=True),
        Limb(tread, Spot("left_foot", 0.019, (0.0, 0.019, 0.062)), caps=(False, True),
             stretch=(1.6, 1.0, 1.0), turn="left_foot", stands=True),
        Limb(Spot("neck", 0.050, (0.0, -0.020, 0.0)), Spot("left_shoulder", 0.054),
             colours.TORSO, caps=(False, False)),
        Limb(Spot("left_elbow", 0.0435), Spot("left_elbow", 0.0435), ball, caps=(True, False)),
        Limb(Spot("left_wrist", 0.030), Spot("left_wrist", 0.030), ball, caps=(True, False)),
        Limb(Spot("left_shoulder", 0.062), Spot("left_shoulder", 0.062), ball, caps=(True, False)),
        Limb(Spot("left_knee", 0.0575), Spot("left_knee", 0.0575), ball, caps=(True, False)),
        Limb(Spot("left_ankle", 0.038), Spot("left_ankle", 0.038), ball, caps=(True, False),
             stands=True),
    ]  # fmt: skip


def _mirrored_spot(spot: Spot) -> Spot:
    x, y, z = spot.offset
    joint, turn = spot.joint.replace("left", "right"), spot.turn.replace("left", "right")
    return Spot(joint, spot.radius, (-x, y, z), turn)


def _mirrored(limb: Limb) -> Limb:
    turn = limb.turn.replace("left", "right")
    return replace(limb, start=_mirrored_spot(limb.start), end=_mirrored_spot(limb.end), turn=turn)


_TORSO_LIMBS = (
    Limb(Spot("spine3", 0.114, (0.0, -0.020, 0.004)), Spot("spine3", 0.156, (0.0, 0.115, -0.016)),
         colours.TORSO, stretch=(1.0, 0.66, 0.70), turn="spine3"),
    Limb(Spot("pelvis", 0.118, (0.0, 0.015, -0.012)), Spot("pelvis", 0.150, (0.0, -0.060, -0.010)),
         colours.TORSO, stretch=(1.0, 0.58, 0.74), turn="pelvis"),
    Limb(Spot("neck", 0.052, (0.0, -0.025, 0.0)), Spot("head", 0.047, (0.0, 0.055, -0.020)),
         colours.JOINT_BALL, caps=(False, False)),
    Limb(Spot("head", 0.087, (0.0, 0.118, -0.014)), Spot("head", 0.050, (0.0, 0.034, 0.032)),
         stretch=(0.88, 1.0, 1.0), turn="head"),
)  # fmt: skip
_LEFT = _left_limbs()
LIMBS = (*_TORSO_LIMBS, *_LEFT, *(_mirrored(limb) for limb in _LEFT))
LUMPS = (
    Lump("spine1", (0.0, 0.035, 0.004), (0.107, 0.130, 0.083), colours.WAIST),
    Lump("head", (0.0, 0.108, 0.020), (0.0640, 0.030, 0.0620), colours.VISOR),
    Lump("head", (0.0, 0.072, 0.072), (0.011, 0.022, 0.018)),
)


@dataclass(frozen=True, eq=False)
class _LimbTable:
    """`LIMBS` as arrays, so that one frame costs a handful of array operations."""

    joint: Int[np.ndarray, "limbs 2"]
    turn: Int[np.ndarray, "limbs 2"]
    offset: Float[np.ndarray, "limbs 2 3"]
    radius: Float[np.ndarray, "limbs 2"]
    shape_turn: Int[np.ndarray, " limbs"]
    stretch: Float[np.ndarray, "limbs 3"]
    colour: Float[np.ndarray, "limbs 3"]
    has_cap: Bool[np.ndarray, "limbs 2"]
    has_side: Bool[np.ndarray, " limbs"]
    stands: Bool[np.ndarray, " limbs"]


def _limb_table() -> _LimbTable:
    spots = [(limb.start, limb.end) for limb in LIMBS]
    return _LimbTable(
        np.array([[JOINT[spot.joint] for spot in pair] for pair in spots]),
        np.array([[JOINT[spot.turned_by] for spot in pair] for pair in spots]),
        np.array([[spot.offset for spot in pair] for pair in spots]),
        np.array([[spot.radius for spot in pair] for pair in spots]),
        np.array([JOINT[limb.turn] for limb in LIMBS]),
        np.array([limb.stretch for limb in LIMBS]),
        np.array([colours.linear(limb.colour) for limb in LIMBS]),
        np.array([limb.caps for limb in LIMBS]),
        np.array([limb.start != limb.end for limb in LIMBS]),
        np.array([limb.stands for limb in LIMBS]),
    )


_TABLE = _limb_table()
_LUMP_JOINT = np.array([JOINT[lump.joint] for lump in LUMPS])
_LUMP_OFFSET = np.array([lump.offset for lump in LUMPS])
_LUMP_AXES = np.array([lump.half_axes for lump in LUMPS])
_LUMP_COLOUR = np.array([colours.linear(lump.colour) for lump in LUMPS])


def mannequin(
    joints: Float[np.ndarray, "22 3"], world_rotations: Float[np.ndarray, "22 3 3"]
) -> Solids:
    """The solids of one pose."""
    table = _TABLE
    ends = joints[table.joint] + (world_rotations[table.turn] @ table.offset[..., None])[..., 0]
    shape = world_rotations[table.shape_turn] * table.stretch[:, None, :]
    lift = table.radius * np.sqrt((shape[:, 2] ** 2).sum(-1))[:, None]
    # Joints lie inside the body: without this, soles would sink and bent toes pierce the ground.
    ends[..., 2] = np.where(table.stands[:, None], np.maximum(ends[..., 2], lift), ends[..., 2])
    side = table.has_side
    limb, which = np.nonzero(table.has_cap)
    turned = world_rotations[_LUMP_JOINT]
    return join(
        [
            limb_sides(ends[side], table.radius[side], shape[side], table.colour[side]),
            ellipsoids(
                ends[limb, which],
                table.radius[limb, which][:, None, None] * shape[limb],
                table.colour[limb],
            ),
            ellipsoids(
                joints[_LUMP_JOINT] + (turned @ _LUMP_OFFSET[..., None])[..., 0],
                turned * _LUMP_AXES[:, None, :],
                _LUMP_COLOUR,
            ),
        ]
    )
