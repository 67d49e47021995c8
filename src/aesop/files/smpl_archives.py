"""Archives of SMPL-like bodies: AMASS (SMPL-H, SMPL-X), HY-Motion and Kimodo."""

import math
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import torch
from jaxtyping import Float
from torch import Tensor

from aesop.core.errors import FileError
from aesop.core.whole_files import atomic_path
from aesop.files.arrays import Archive, open_archive
from aesop.files.foreign_clip import METRES, Units
from aesop.files.foreign_skeleton import BodyMap, SourceMotion, match_names, uprightness
from aesop.files.importing import (
    ROTATION_TOLERANCE,
    Recording,
    check_length,
    check_rate,
    check_rotations,
    check_same_length,
    native_clip,
)
from aesop.files.up_axis import SURELY_UP, up_axis
from aesop.scene.human import Clip
from aesop.scene.joint_fit import leg_ratio
from aesop.scene.rotation import axis_angle_from_matrix, matrix_from_axis_angle
from aesop.scene.skeleton import (
    JOINT_NAMES,
    JOINTS,
    PARENTS,
    forward_kinematics,
    rest_offsets,
    world_from_rest,
    world_rotations,
)
from aesop.scene.source import Source, UpAxis

BODY_ANGLES = JOINTS * 3  # pelvis and 21 body joints come first in every SMPL family pose
SMPL_H_JOINTS = 52  # 22 of the body, 30 of the hands
BETAS = 16
# These archives do not say their rate; the models generate at no other.
HYMOTION_FPS = KIMODO_FPS = 30.0
_OTHER_SKELETONS = {77: "SOMA", 30: "SOMA", 34: "the G1 robot"}
# Turns beyond this are not angles; their sines would be noise.
MAX_ANGLE_RAD = 1000.0
# Some joint of a body is always bent by more degrees than this and by fewer radians, two whole
# turns; fits and networks leave single frames with any number.
DEGREES_FROM = 4 * math.pi

# Where the pelvis of somebody who stands on a floor at 0 may be.
STANDING_PELVIS_RANGE_M = (0.5, 1.4)

SHAPE_NOTE = "body shape (betas) not used: every clip has the same skeleton"


def read_amass(
    path: Path,
    *,
    fps: float | None = None,
    up: UpAxis | None = None,
    units: Units | None = None,
) -> Clip:
    """An AMASS archive of any release. `fps` overrides what the file says; its path is in metres
    unless `units` says otherwise."""
    archive = open_archive(path)
    rate = fps if fps is not None else stored_rate(archive)
    if "root_orient" in archive.names and "pose_body" in archive.names:
        root_turn = archive.numbers("root_orient", (None, 3))
        body = archive.numbers("pose_body", (None, BODY_ANGLES - 3))
        check_same_length(path, root_orient=root_turn, pose_body=body)
        angles = torch.cat([root_turn, body], dim=-1)
    else:
        angles = body_angles(archive)
    return native_clip(smpl_recording(archive, angles, rate, "AMASS", up, units), path)


def body_angles(archive: Archive) -> Float[Tensor, "frames 66"]:
    """The body's part of `poses`; hands, jaw and eyes after it are left out."""
    shape = archive.shape("poses")
    if len(shape) != 2 or shape[1] < BODY_ANGLES or shape[1] % 3:
        raise FileError(
            f"The array 'poses' in {archive.path} has the shape {shape}; (frames, 156) is usual "
            f"and at least {BODY_ANGLES} columns are needed.",
            "Export SMPL, SMPL-H or SMPL-X axis-angle poses.",
        )
    return archive.numbers("poses", (None, shape[1]))[:, :BODY_ANGLES]


def stored_rate(archive: Archive) -> float:
    """Frames per second; AMASS spells the key in two ways, others in more."""
    return rate_in(archive.path, archive.names, archive.number)


def rate_in(path: Path, names: tuple[str, ...], number: Callable[[str], float]) -> float:
    """Frames per second among the named numbers of a file."""
    for name in ("mocap_framerate", "mocap_frame_rate", "fps", "frame_rate", "framerate"):
        if name in names:
            return number(name)
    raise FileError(
        f"{path} does not say its frame rate (no 'mocap_framerate').", "Give it with --file-fps."
    )


def check_angles(angles: Float[Tensor, " frames *rest"], path: Path) -> None:
    """Refuse turns that no axis-angle has."""
    if angles.numel() and float(angles.abs().max()) > MAX_ANGLE_RAD:
        raise FileError(
            f"{path} has turns of {float(angles.abs().max()):.3g} radians.",
            "Export axis-angle poses in radians.",
        )
    _refuse_other_turns(angles.reshape(len(angles), -1), path)
    # A root may count the turns of a dancer: the joints after the first tell.
    turns = torch.linalg.vector_norm(angles.reshape(len(angles), -1, 3)[:, 1:], dim=-1)
    if turns.numel() and float(turns.amax(1).median()) > DEGREES_FROM:
        raise FileError(
            f"{path} bends a joint by {float(turns.amax(1).median()):.3g} radians in most frames; "
            "its poses seem to be in degrees.",
            "Save them in radians (numpy.deg2rad).",
        )


def _refuse_other_turns(numbers: Float[Tensor, "frames width"], path: Path) -> None:
    """Refuse quaternions and halves of matrices in a row, whose number three may divide as well."""
    width = numbers.shape[1]
    quads = numbers.reshape(-1, 4) if width % 4 == 0 else numbers.new_zeros(1, 4)
    halves = numbers.reshape(-1, 2, 3) if width % 6 == 0 else numbers.new_zeros(1, 2, 3)
    columns = numbers.reshape(-1, 3, 2).mT if width % 6 == 0 else halves
    kinds = {
        "quaternions": quads[:, None],
        "six numbers a joint": halves,
        "six numbers a joint, two by two": columns,
    }
    for kind, rows in kinds.items():
        off = rows @ rows.mT - torch.eye(rows.shape[1]).to(rows)
        if rows.numel() and float(off.abs().max()) < ROTATION_TOLERANCE:
            raise FileError(
                f"{path} keeps its poses as {kind}, not as axis-angles.",
                "Save axis-angles (scipy's Rotation.as_rotvec) or rotation matrices (frames, "
                "joints, 3, 3).",
            )


def detected_up(
    rotations: Float[Tensor, "frames 22 3 3"], root: Float[Tensor, "frames 3"], path: Path
) -> UpAxis:
    """The axis along which a person of the SMPL family stands."""
    return up_axis(None, *_smpl_motion(rotations, root), path)


def _smpl_motion(
    rotations: Float[Tensor, "frames 22 3 3"], root: Float[Tensor, "frames 3"]
) -> tuple[SourceMotion, BodyMap]:
    body = match_names(JOINT_NAMES, PARENTS)
    assert isinstance(body, BodyMap)
    places = forward_kinematics(rotations, root)
    return SourceMotion(world_rotations(rotations), places), body


def _amass_up(
    rotations: Float[Tensor, "frames 22 3 3"], root: Float[Tensor, "frames 3"], path: Path
) -> UpAxis:
    """AMASS has z up; archives in its layout by other hands (BEAT2 among them) may have y, and
    those of trackers the camera's y, which points down."""
    _, along_y, along_z = uprightness(*_smpl_motion(rotations, root)).tolist()
    for axis, along in (("y", along_y), ("z", along_z)):
        if along < -SURELY_UP:
            raise FileError(
                f"{path} has a person upside down along {axis}, as where {axis} points down.",
                "Turn poses and path half round about x, or give --up z if the person lies or "
                "stands on their hands.",
            )
    if along_y < SURELY_UP:
        return "z"
    height = float(root[:, 1].median())
    if STANDING_PELVIS_RANGE_M[0] < height < STANDING_PELVIS_RANGE_M[1]:
        return "y"
    raise FileError(
        f"{path} has a person who stands along y, though archives of this layout have z up.",
        "Give the axis that points up: --up y, or --up z if the person lies down.",
    )


def smpl_recording(
    archive: Archive,
    angles: Float[Tensor, "frames 66"],
    fps: float,
    kind: str,
    up: UpAxis | None,
    units: Units | None,
) -> Recording:
    """Poses and translation of the SMPL family in our axes."""
    metres = METRES[units or "m"]
    if "trans" not in archive.names:
        raise FileError(
            f"{archive.path} has poses and no path (no array 'trans').",
            "Save the pelvis's path as trans; zeros (frames, 3) keep the person in one place.",
        )
    translation = metres * archive.numbers("trans", (None, 3))
    check_same_length(archive.path, poses=angles, trans=translation)
    check_rate(fps, archive.path)
    check_length(angles.shape[0], fps, archive.path)
    check_angles(angles, archive.path)
    rotations = matrix_from_axis_angle(angles.unflatten(-1, (JOINTS, 3)))
    # SMPL turns the body about the pelvis joint, wherever that lies in the body's frame, and then
    # translates: the pelvis is at translation + rest offset, whatever the root turn. The rest place
    # varies with the body by centimetres; that shifts the whole clip and nothing else.
    root = translation + rest_offsets(translation)[0]
    axis = up or _amass_up(rotations, root, archive.path)
    notes = (SHAPE_NOTE,) if up or axis == "z" else (SHAPE_NOTE, "up axis: y (detected)")
    if axis == "y":
        rotations, root = stood_up(rotations, root)
    source = in_unit(metric_source(archive.path, kind, fps, root, axis), metres)
    notes += unit_notes(units)
    return Recording(rotations, root, fps, kind, "recorded", notes, source)


def metric_source(
    path: Path,
    kind: str,
    fps: float,
    root: Float[Tensor, "frames 3"],
    up: UpAxis,
    scale: float = 1.0,
) -> Source:
    """How an archive in metres became a recording; its frames are counted from 0, as arrays are."""
    turn = world_from_rest(root) if up == "y" else torch.eye(3).to(root)
    return Source(
        kind=kind,
        file=path.name,
        skeleton="SMPL",
        fps=fps,
        frames=root.shape[0],
        start_frame=0,
        first_frame=0.0,
        up=up,
        metres_per_unit=1.0,
        scale=scale,
        clip_from_file=turn,
        shift=torch.zeros(3).to(root),
    )


def in_unit(source: Source, metres: float) -> Source:
    """The same where a unit of the file's path is so many metres."""
    return replace(source, metres_per_unit=metres, scale=metres * source.scale)


def unit_notes(units: Units | None) -> tuple[str, ...]:
    return () if units is None else (f"units of the path: {units} (given)",)


def stood_up(
    rotations: Float[Tensor, "frames 22 3 3"], root: Float[Tensor, "frames 3"]
) -> tuple[Float[Tensor, "frames 22 3 3"], Float[Tensor, "frames 3"]]:
    """Turns and pelvis path of a y-up world in ours: who faced +Z now faces −Y, yaw 0."""
    # A y-up world has the axes of the rest body, so the same turn stands it up.
    turn = world_from_rest(root)
    return torch.cat([turn @ rotations[:, :1], rotations[:, 1:]], dim=1), root @ turn.T


def write_amass(clip: Clip, path: Path) -> None:
    """The clip in the layout of AMASS's SMPL-H release, with flat hands and a neutral body."""
    motion = clip.motion
    angles = axis_angle_from_matrix(motion.rotations.double()).flatten(1)
    poses = torch.zeros(motion.frames, SMPL_H_JOINTS * 3, dtype=torch.float64)
    poses[:, :BODY_ANGLES] = angles
    translation = motion.root.double() - rest_offsets(angles)[0]
    with atomic_path(path) as temporary, temporary.open("wb") as stream:
        np.savez(
            stream,
            poses=poses.numpy(),
            trans=translation.numpy(),
            betas=np.zeros(BETAS),
            gender=np.array("neutral"),
            mocap_framerate=np.array(clip.fps),
        )


def read_hymotion(path: Path, *, fps: float | None = None, units: Units | None = None) -> Clip:
    """A motion saved by HY-Motion 1.0."""
    archive = open_archive(path)
    archive.require("poses", "trans")
    rate = fps if fps is not None else HYMOTION_FPS
    recording = smpl_recording(archive, body_angles(archive), rate, "HY-Motion", "y", units)
    return native_clip(recording, path)


def read_kimodo(path: Path, *, fps: float | None = None) -> Clip:
    """A motion saved by Kimodo's SMPL-X model. Other skeletons are refused."""
    archive = open_archive(path)
    archive.require("local_rot_mats", "posed_joints")
    shape = archive.shape("local_rot_mats")
    joints = shape[1] if len(shape) == 4 else JOINTS
    if joints != JOINTS:
        name = _OTHER_SKELETONS.get(joints, "a skeleton AESOP does not know")
        raise FileError(
            f"{path} has {joints} joints: Kimodo made it for {name}, not for SMPL-X.",
            "Generate it with Kimodo's SMPL-X model, or convert it to BVH and import that.",
        )
    rotations = archive.numbers("local_rot_mats", (None, JOINTS, 3, 3))
    places = archive.numbers("posed_joints", (None, JOINTS, 3))
    check_same_length(path, local_rot_mats=rotations, posed_joints=places)
    rate = fps if fps is not None else KIMODO_FPS
    check_rate(rate, path)
    check_length(places.shape[0], rate, path)
    check_rotations(rotations, f"The array 'local_rot_mats' in {path}")
    scale = leg_ratio(places, path)
    rotations, root = stood_up(rotations, scale * places[:, 0])
    note = f"path scaled by {scale:.3f}, the ratio of leg lengths"
    source = metric_source(path, "Kimodo", rate, root, "y", scale)
    recording = Recording(
        rotations, root, rate, "Kimodo", "recorded", (note,), source, source.in_clip(places)
    )
    return native_clip(recording, path)
