"""Legs that reach with the ankle to where a foot should be: the knee bends, the hip swings, and the
foot keeps its direction."""

import math
from dataclasses import dataclass

import torch
from jaxtyping import Float
from torch import Tensor

from aesop.scene.curves import smoothed
from aesop.scene.rotation import matrix_from_axis_angle, swing
from aesop.scene.skeleton import JOINT, bone_length, local_rotations, rest_offsets, world_rotations

# A leg is never straightened further than this share of its full length, nor past where it was.
STRAIGHTEST = 0.997
# How much the hinge of the rest body counts beside the bend that a leg already has: a leg that is
# almost straight has no direction of its own to bend in.
_REST_HINGE = 0.03
# Knees of real people are straight at most; bends below this are brought above zero.
LEAST_BEND_DEGREES = 3.0
# Heel to seat.
_SHORTEST_M = 0.15
# Bends are smoothed so: a leg that is almost straight changes its bend fast and its length hardly.
KNEE_FRAMES = 1.2


@dataclass(frozen=True)
class LegJoints:
    """The joints of one leg."""

    hip: int
    knee: int
    ankle: int
    toe: int

    @property
    def longest_m(self) -> float:
        return bone_length(self.knee) + bone_length(self.ankle)


LEGS = tuple(
    LegJoints(*(JOINT[f"{side}_{part}"] for part in ("hip", "knee", "ankle", "foot")))
    for side in ("left", "right")
)


def with_ankles_at(
    rotations: Float[Tensor, "frames 22 3 3"],
    joints: Float[Tensor, "frames 22 3"],
    ankles: Float[Tensor, "frames 2 3"],
) -> Float[Tensor, "frames 22 3 3"]:
    """Joint turns of a body with the same hips whose ankles are at these places, or as near as legs
    reach. Feet point where they pointed."""
    world = world_rotations(rotations).clone()
    for leg, goal in zip(LEGS, ankles.unbind(1), strict=True):
        hip = joints[:, leg.hip]
        way = _within_reach(joints[:, leg.ankle] - hip, goal - hip, leg)
        bend, turn = _bend_and_turn(world, leg, way)
        world[:, leg.knee] = turn @ bend @ world[:, leg.knee]
        world[:, leg.hip] = turn @ world[:, leg.hip]
    return local_rotations(world)


def _bend_and_turn(
    world: Float[Tensor, "frames 22 3 3"], leg: LegJoints, way: Float[Tensor, "frames 3"]
) -> tuple[Float[Tensor, "frames 3 3"], Float[Tensor, "frames 3 3"]]:
    """How the knee bends, and how the whole leg then turns, to lead from the hip along `way`."""
    thigh, shin, was = _bent_leg(world, leg)
    now_m, wanted_m = (thigh + shin).norm(dim=-1), way.norm(dim=-1)
    more = (_opening(leg, now_m) - _opening(leg, wanted_m))[:, None]
    more = torch.from_numpy(smoothed(more.numpy(), KNEE_FRAMES))
    more = torch.maximum(more, -was.clamp_min(0)[:, None])  # no knee is bent the wrong way
    # Bending turns the rest body's shin about its left-right axis.
    across = world[:, leg.hip, :, 0]
    hinge = torch.linalg.cross(thigh, shin, dim=-1)
    hinge = hinge / (bone_length(leg.knee) * bone_length(leg.ankle))
    lacking = (_REST_HINGE - (hinge * across).sum(-1, keepdim=True)).clamp_min(0)
    hinge = torch.nn.functional.normalize(hinge + lacking * across, dim=-1)
    bend = matrix_from_axis_angle(hinge * more)
    bent = thigh + (bend @ shin[..., None]).squeeze(-1)
    return bend, swing(bent, way)


def _within_reach(
    was: Float[Tensor, "frames 3"], wanted: Float[Tensor, "frames 3"], leg: LegJoints
) -> Float[Tensor, "frames 3"]:
    """From the hip towards the goal, as far as the leg goes. One that is stretched nears its limit
    ever more slowly: knees that snap straight are seen."""
    was_m, wanted_m = was.norm(dim=-1), wanted.norm(dim=-1).clamp_min(_SHORTEST_M)
    room = (STRAIGHTEST * leg.longest_m - was_m).clamp_min(1e-9)
    longer = was_m + room * (1 - torch.exp(-(wanted_m - was_m).clamp_min(0) / room))
    length = torch.where(wanted_m > was_m, longer, wanted_m)
    return torch.nn.functional.normalize(wanted, dim=-1) * length[:, None]


def _opening(leg: LegJoints, length: Float[Tensor, " frames"]) -> Float[Tensor, " frames"]:
    """Angle between thigh and shin of a leg that is so long from hip to ankle."""
    thigh, shin = bone_length(leg.knee), bone_length(leg.ankle)
    cosine = (thigh**2 + shin**2 - length**2) / (2 * thigh * shin)
    return math.pi - torch.acos((-cosine).clamp(-1, 1))


def with_knees_forward(
    rotations: Float[Tensor, "frames 22 3 3"],
) -> Float[Tensor, "frames 22 3 3"]:
    """Joint turns of the same body without knees that bend the wrong way: those are straightened,
    and ankles stay in their direction from the hip. Other knees are left alone."""
    world = world_rotations(rotations).clone()
    least = math.radians(LEAST_BEND_DEGREES)
    for leg in LEGS:
        thigh, shin, bend = _bent_leg(world, leg)
        wrong = bend < least
        # Never straight, ever nearer to it, and without a corner where it begins.
        right = least * torch.exp((bend.clamp_max(least) - least) / least)
        hinge = world[:, leg.hip, :, 0] * torch.where(wrong, right - bend, 0.0)[:, None]
        straighten = matrix_from_axis_angle(hinge)
        turn = swing(thigh + (straighten @ shin[..., None]).squeeze(-1), thigh + shin)
        turn = torch.where(wrong[:, None, None], turn, torch.eye(3).to(turn))
        world[:, leg.knee] = turn @ straighten @ world[:, leg.knee]
        world[:, leg.hip] = turn @ world[:, leg.hip]
    return local_rotations(world)


def knee_bend_degrees(rotations: Float[Tensor, "frames 22 3 3"]) -> Float[Tensor, "frames 2"]:
    """How far the knees are bent: 0 for a straight leg, negative for one bent the wrong way."""
    world = world_rotations(rotations)
    return torch.rad2deg(torch.stack([_bent_leg(world, leg)[2] for leg in LEGS], dim=1))


def _bent_leg(
    world: Float[Tensor, "frames 22 3 3"], leg: LegJoints
) -> tuple[Float[Tensor, "frames 3"], Float[Tensor, "frames 3"], Float[Tensor, " frames"]]:
    """Thigh, shin, and how far the knee is bent about the thigh's left-right axis."""
    offsets = rest_offsets(world)
    thigh = world[:, leg.hip] @ offsets[leg.knee]
    shin = world[:, leg.knee] @ offsets[leg.ankle]
    sine = (torch.linalg.cross(thigh, shin, dim=-1) * world[:, leg.hip, :, 0]).sum(-1)
    return thigh, shin, torch.atan2(sine, (thigh * shin).sum(-1))
