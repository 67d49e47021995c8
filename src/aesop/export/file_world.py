"""A shot where its file has it: in the file's place, size, rate and frame numbers, told in metres
with z up; and the file's own skeleton at the same frames."""

from dataclasses import replace

import torch
from jaxtyping import Float
from torch import Tensor

from aesop.scene.camera import CameraPath
from aesop.scene.human import Clip, HumanMotion
from aesop.scene.rotation import slerp
from aesop.scene.shot import Shot
from aesop.scene.skeleton import PARENTS, bone_length, world_rotations
from aesop.scene.source import (
    Armature,
    Source,
    clip_positions,
    exported_frames,
    metres_from_file,
)


def in_file_world(shot: Shot, fps: float | None = None) -> Shot:
    """The shot as it stands in its file, at the file's frames or at another rate.

    Lengths are metres and z is up, whatever the file has; the source of the new clip says how to
    go on from there to the file's units and axes. Shots without a file only change their rate.
    """
    source = shot.clip.source
    if source is None:
        return shot if fps is None else at_rate(shot, fps)
    rate = source.fps if fps is None else fps
    first, count = exported_frames(shot.frames, shot.fps, source, rate)
    positions = clip_positions(first, count, shot.fps, source, rate)
    turn = metres_from_file(source.up) @ source.clip_from_file.double().T
    placed = replace(
        source,
        fps=rate,
        frames=_fitting(source.frames, source.fps, rate),
        first_frame=float(first),
        scale=source.metres_per_unit,
        clip_from_file=metres_from_file(source.up),
        shift=torch.zeros(3, dtype=torch.float64),
        armature=None if source.armature is None else armature_at(source, rate),
    )
    motion = motion_at(shot.clip.motion.to(torch.float64), positions)
    camera = shot.camera.to(torch.float64).at(positions)

    def place(points: Float[Tensor, "*batch 3"]) -> Float[Tensor, "*batch 3"]:
        return placed.in_clip(source.in_file(points))

    rotations = torch.cat([turn @ motion.rotations[:, :1], motion.rotations[:, 1:]], dim=1)
    moved = HumanMotion(rotations, place(motion.joints))
    filmed = replace(
        camera,
        world_from_camera=turn @ camera.world_from_camera,
        centre=place(camera.centre),
    )
    return replace(
        shot,
        clip=replace(shot.clip, motion=moved, fps=rate, source=placed),
        camera=filmed,
        keys=None,
    )


def at_rate(shot: Shot, fps: float) -> Shot:
    """The shot at another rate, as many frames as fit."""
    if fps == shot.fps:
        return shot
    count = _fitting(shot.frames, shot.fps, fps)
    positions = torch.arange(count, dtype=torch.float64) * (shot.fps / fps)
    kind = shot.clip.motion.joints
    motion = motion_at(shot.clip.motion.to(torch.float64), positions).to(kind)
    camera = shot.camera.to(torch.float64).at(positions).to(kind)
    filmed = replace(shot.clip, motion=motion, fps=fps)
    return replace(shot, clip=filmed, camera=camera, keys=None)


def _fitting(frames: int, fps: float, new_fps: float) -> int:
    """How many frames of another rate fit; rates in headers are rounded."""
    return int((frames - 1) * new_fps / fps + 1e-3) + 1


def file_camera(shot: Shot) -> CameraPath:
    """The camera of a shot that stands in its file's world, in the file's units and axes."""
    source, camera = shot.clip.source, shot.camera.to(torch.float64)
    assert source is not None
    turn = source.clip_from_file.double().T
    return replace(
        camera,
        world_from_camera=turn @ camera.world_from_camera,
        centre=source.in_file(camera.centre),
    )


def motion_at(motion: HumanMotion, positions: Float[Tensor, " instants"]) -> HumanMotion:
    """The motion between its frames. Bones keep their lengths: turns go the shortest way, the
    pelvis and offsets between joints straight."""
    before = positions.floor().long().clamp(0, max(motion.frames - 2, 0))
    after = (before + 1).clamp_max(motion.frames - 1)
    share = (positions - before).to(motion.joints)
    rotations = slerp(motion.rotations[before], motion.rotations[after], share[:, None])
    world, parents = world_rotations(motion.rotations), list(PARENTS[1:])
    apart = motion.joints[:, 1:] - motion.joints[:, parents]
    offsets = torch.cat(
        [motion.root[:, None], (apart[..., None, :] @ world[:, parents]).squeeze(-2)], dim=1
    )
    offsets = torch.lerp(offsets[before], offsets[after], share[:, None, None])
    turned = world_rotations(rotations)
    joints: list[Tensor] = [offsets[:, 0]]
    for joint, parent in enumerate(PARENTS[1:], start=1):
        bone = (turned[:, parent] @ offsets[:, joint, :, None]).squeeze(-1)
        joints.append(joints[parent] + bone)
    return HumanMotion(rotations, torch.stack(joints, dim=1))


def armature_at(source: Source, fps: float) -> Armature | None:
    """The file's skeleton at another rate, from the file's first frame on."""
    armature = source.armature
    if armature is None or fps == source.fps:
        return armature
    count = _fitting(armature.frames, source.fps, fps)
    return armature_between(armature, torch.arange(count, dtype=torch.float64) * (source.fps / fps))


def armature_between(armature: Armature, positions: Float[Tensor, " instants"]) -> Armature:
    """A file's skeleton between its frames; before its first and after its last as it is there."""
    positions = positions.clamp(0, armature.frames - 1)
    before = positions.floor().long().clamp(0, max(armature.frames - 2, 0))
    after = (before + 1).clamp_max(armature.frames - 1)
    share = (positions - before).to(armature.offsets)
    return replace(
        armature,
        rotations=slerp(armature.rotations[before], armature.rotations[after], share[:, None]),
        offsets=torch.lerp(armature.offsets[before], armature.offsets[after], share[:, None, None]),
    )


def person_size(clip: Clip) -> float:
    """How large the person of a clip is beside our skeleton: the ratio of all bones."""
    joints = clip.motion.joints[0].double()
    bones = joints[1:] - joints[list(PARENTS[1:])]
    ours = sum(bone_length(joint) for joint in range(1, len(PARENTS)))
    return float(torch.linalg.vector_norm(bones, dim=-1).sum()) / ours
