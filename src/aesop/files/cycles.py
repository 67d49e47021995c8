"""One period of a gait, played several times on end: for files that hold a single cycle, shorter
than anything that can be filmed."""

from dataclasses import replace
from pathlib import Path

import torch
from jaxtyping import Float
from torch import Tensor

from aesop.core.errors import FileError
from aesop.files.foreign_skeleton import BodyMap, SourceMotion
from aesop.scene.rotation import geodesic_distance
from aesop.scene.source import Armature

MOST_ROUNDS = 1000
# Poses this near to each other are one: exporters round, and no eye sees the seam.
CLOSED_DEGREES = 2.0


def check_rounds(rounds: int) -> None:
    if not 1 <= rounds <= MOST_ROUNDS:
        raise FileError(
            f"A motion cannot be played {rounds} times.", f"Choose 1 to {MOST_ROUNDS} for --loop."
        )


def looped_motion(
    motion: SourceMotion, body: BodyMap, rounds: int, path: Path
) -> tuple[SourceMotion, Float[Tensor, "3"]]:
    """The motion several times on end, each round from where the one before has brought the hips;
    and how far one round brings them. Refuses a motion whose last pose is not its first."""
    joints = [joint for joint in body.joints if joint is not None]
    turns = motion.world_from_joint[:, joints].double()
    apart = float(torch.rad2deg(geodesic_distance(turns[0], turns[-1])).max())
    if apart > CLOSED_DEGREES:
        raise FileError(
            f"{path} is no cycle: its last pose is turned by {apart:.0f}° against its first.",
            "Export whole cycles, with the first pose again at the end, or leave --loop away.",
        )
    hips = motion.places[:, body.index("pelvis")]
    travel = hips[-1] - hips[0]
    places = [motion.places] + [motion.places[1:] + count * travel for count in range(1, rounds)]
    return SourceMotion(_again(motion.world_from_joint, rounds), torch.cat(places)), travel


def looped_armature(armature: Armature, travel: Float[Tensor, "3"], rounds: int) -> Armature:
    """The whole skeleton on the same way. The uppermost joints that move carry it: files may have
    no places for others."""
    offsets = _again(armature.offsets, rounds)
    rotations = _again(armature.rotations, rounds)
    moves = (armature.offsets != armature.offsets[:1]).flatten(2).any(-1).any(0).tolist()
    later = torch.arange(offsets.shape[0] - 1) // (armature.frames - 1)
    behind = torch.cat([later[:1], later])[:, None] * travel.to(offsets)
    world: list[Tensor] = []
    carried: list[bool] = []  # whether a joint or one above it has been moved on
    for joint, parent in enumerate(armature.parents):
        is_carried = parent >= 0 and carried[parent]
        if moves[joint] and not is_carried:
            step = behind if parent < 0 else (behind[:, None] @ world[parent]).squeeze(1)
            offsets[:, joint] += step
            is_carried = True
        carried.append(is_carried)
        turn = rotations[:, joint]
        world.append(turn if parent < 0 else world[parent] @ turn)
    return replace(armature, rotations=rotations, offsets=offsets)


def _again(frames: Float[Tensor, " frames *rest"], rounds: int) -> Float[Tensor, " more *rest"]:
    """All frames once, and the rounds after it without the frame that two share."""
    return torch.cat([frames, *(frames[1:] for _ in range(1, rounds))])
