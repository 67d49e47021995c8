"""HumanML3D files: 22 joints per frame, or 263 features per frame; y up, 20 fps."""

import math
from pathlib import Path

import numpy as np
import torch
from jaxtyping import Float
from torch import Tensor
from torch.nn.functional import normalize

from aesop.core.errors import FileError
from aesop.core.whole_files import atomic_path
from aesop.features.columns import ColumnLayout
from aesop.files.arrays import array_shape, read_array
from aesop.files.foreign_clip import METRES, Units
from aesop.files.importing import (
    Recording,
    check_length,
    check_rate,
    check_reach,
    native_clip,
)
from aesop.files.sides import check_sides
from aesop.scene.curves import resample_points
from aesop.scene.human import Clip
from aesop.scene.joint_fit import (
    BODY_COMES_FIRST,
    bone_vectors,
    check_bones,
    fit_rotations,
    leg_ratio,
    standing_axis,
    z_up,
)
from aesop.scene.rotation import about_axis, columns6_from_matrix, swing, wrap_angle
from aesop.scene.skeleton import JOINT, JOINTS, PARENTS
from aesop.scene.source import Source, UpAxis

HUMANML_FPS = 20.0
# Lower than this above the lowest joint, nobody stands on their feet.
STANDING_PELVIS_M = 0.6

COLUMNS = ColumnLayout(
    (
        ("half_yaw_step", 1),  # half the change of heading to the next frame
        ("planar_step", 2),  # x and z of the root's step, in the heading of the next frame
        ("root_height", 1),
        ("places", 63),  # joints 1 … 21: x and z from the root, heading removed, height above floor
        ("rotations", 126),  # first two columns; swings from the straight skeleton below
        ("steps", 66),  # every joint's step to the next frame, heading removed
        ("contacts", 4),  # left ankle, left foot, right ankle, right foot
    )
)
WIDTH = COLUMNS.width

# Where bones point in the pipeline's own rest skeleton, and their lengths there (joints 1 … 21;
# lengths measured on the published sample, to which every clip is fitted).
_LEFT, _RIGHT, _UP, _DOWN, _FRONT = (1, 0, 0), (-1, 0, 0), (0, 1, 0), (0, -1, 0), (0, 0, 1)
REST_DIRECTIONS = (
    _LEFT, _RIGHT, _UP, _DOWN, _DOWN, _UP, _DOWN, _DOWN, _UP, _FRONT, _FRONT, _UP, _LEFT, _RIGHT,
    _FRONT, _DOWN, _DOWN, _DOWN, _DOWN, _DOWN, _DOWN,
)  # fmt: skip
REST_LENGTHS_M = (
    0.103074, 0.109883, 0.131568, 0.393623, 0.390188, 0.143190, 0.432433, 0.425643, 0.057365,
    0.143382, 0.149419, 0.219360, 0.137487, 0.143383, 0.103039, 0.131614, 0.122984, 0.256840,
    0.263092, 0.266012, 0.269876,
)  # fmt: skip
# The arms' chains start at the chest but count their turns from the root.
_FROM_ROOT = (JOINT["left_collar"], JOINT["right_collar"])
_RIGHT_LEG = (JOINT["right_knee"], JOINT["right_ankle"])
_FEET = tuple(JOINT[n] for n in ("left_ankle", "left_foot", "right_ankle", "right_foot"))

CONTACT_STEP_SQUARED = 0.002
HEADING_SMOOTHING_FRAMES = 20.0
_GIVE_UNIT = "Give the unit of the file (--units mm or cm), or export the motion in metres."
_UNSTANDARDISED = "263-d features must not be standardised: give them as they were computed."
FIT_NOTE = "rotations fitted to joint positions: the roll of straight limbs is a guess"


def joints_from_263(
    features: Float[Tensor, "*batch frames 263"],
) -> Float[Tensor, "*batch frames 22 3"]:
    """Joint places from the root and position columns; rotations are not needed."""
    turns = 2 * COLUMNS.take(features, "half_yaw_step")[..., 0].cumsum(-1)
    turns = torch.cat([torch.zeros_like(turns[..., :1]), turns[..., :-1]], dim=-1)
    world_from_body = about_axis(-turns, "y")
    # A step belongs to the frame it leads to: shift by one frame, starting from the origin.
    planar = COLUMNS.take(features, "planar_step")
    steps = torch.stack([planar[..., 0], torch.zeros_like(planar[..., 0]), planar[..., 1]], dim=-1)
    steps = torch.cat([torch.zeros_like(steps[..., :1, :]), steps[..., :-1, :]], dim=-2)
    path = (world_from_body @ steps[..., None]).squeeze(-1).cumsum(-2)
    places = COLUMNS.take(features, "places").unflatten(-1, (JOINTS - 1, 3))
    joints = places @ world_from_body.transpose(-1, -2) + path[..., None, :]
    root = path + COLUMNS.take(features, "root_height") * path.new_tensor(_UP)
    return torch.cat([root[..., None, :], joints], dim=-2)


def features_263_from_joints(
    joints: Float[Tensor, "frames 22 3"],
) -> Float[Tensor, "frames_less_one 263"]:
    """The published features of a clip; the last frame is used up by the differences.

    One slip is not repeated: where the heading passes ±π the published code gives that one yaw step
    the wrong sign, and joints recovered from it are turned from there on.
    """
    places = _standing(_on_reference_skeleton(joints))
    turns = _smoothed_turns(places)
    body_from_world = about_axis(turns, "y")
    steps = places.diff(dim=0)
    root_steps = (body_from_world[1:] @ steps[:, 0, :, None]).squeeze(-1)
    around_root = places - places[:, :1] * places.new_tensor([1.0, 0.0, 1.0])
    feet = steps[:, list(_FEET)].square().sum(-1)
    return COLUMNS.join(
        half_yaw_step=wrap_angle(turns.diff())[:, None] / 2,
        planar_step=root_steps[:, [0, 2]],
        root_height=places[:-1, 0, 1:2],
        places=(around_root @ body_from_world.transpose(-1, -2))[:-1, 1:].flatten(1),
        rotations=columns6_from_matrix(_swings(places, body_from_world))[:-1].flatten(1),
        steps=(steps @ body_from_world[:-1].transpose(-1, -2)).flatten(1),
        contacts=(feet < CONTACT_STEP_SQUARED).to(joints.dtype),
    )


def _on_reference_skeleton(joints: Float[Tensor, "frames 22 3"]) -> Float[Tensor, "frames 22 3"]:
    """Bone directions kept, lengths replaced, path scaled by the right leg of the first frame."""
    lengths = joints.new_tensor(REST_LENGTHS_M)
    measured = torch.linalg.vector_norm(bone_vectors(joints[:1]), dim=-1)[0]
    right_leg = [joint - 1 for joint in _RIGHT_LEG]
    scale = lengths[right_leg].sum() / measured[right_leg].sum()
    bones = normalize(bone_vectors(joints), dim=-1) * lengths[:, None]
    places: list[Tensor] = [joints[:, 0] * scale]
    for joint in range(1, JOINTS):
        places.append(places[PARENTS[joint]] + bones[:, joint - 1])
    return torch.stack(places, dim=1)


def _standing(places: Float[Tensor, "frames 22 3"]) -> Float[Tensor, "frames 22 3"]:
    """On the floor, starting above the origin, the first frame facing +Z."""
    start = places[0, 0] * places.new_tensor([1.0, 0.0, 1.0])
    floor = places[..., 1].min() * places.new_tensor(_UP)
    across = _between(places[0], "left_hip", "right_hip")
    across = across + _between(places[0], "left_shoulder", "right_shoulder")
    return (places - start - floor) @ about_axis(-_heading(across), "y").T


def _between(
    places: Float[Tensor, "*batch 22 3"], start: str, end: str
) -> Float[Tensor, "*batch 3"]:
    return places[..., JOINT[end], :] - places[..., JOINT[start], :]


def _heading(across: Float[Tensor, "*batch 3"]) -> Float[Tensor, "*batch"]:
    """Angle about y from +Z to the front of a body whose right is `across`."""
    return torch.atan2(across[..., 2], -across[..., 0])


def _smoothed_turns(places: Float[Tensor, "frames 22 3"]) -> Float[Tensor, " frames"]:
    """Angle that turns each frame to face +Z, from a heading smoothed over seconds.

    The published pipeline takes the hips with the wrong sign, so its heading is that of shoulders
    *against* hips, and it fixes frame 0 at zero. Both are in every published feature and cancel on
    recovery.
    """
    across = _between(places, "right_hip", "left_hip")
    across = normalize(across + _between(places, "left_shoulder", "right_shoulder"), dim=-1)
    turns = -_heading(_smoothed(across))
    return torch.cat([torch.zeros_like(turns[:1]), turns[1:]])


def _smoothed(values: Float[Tensor, "frames 3"]) -> Float[Tensor, "frames 3"]:
    """Gaussian over time, cut at four deviations, the ends held."""
    radius = math.ceil(4 * HEADING_SMOOTHING_FRAMES)
    offsets = torch.arange(-radius, radius + 1, dtype=values.dtype, device=values.device)
    weights = torch.softmax(-((offsets / HEADING_SMOOTHING_FRAMES) ** 2) / 2, dim=0)
    held = torch.cat([values[:1].expand(radius, 3), values, values[-1:].expand(radius, 3)])
    return held.unfold(0, 2 * radius + 1, 1) @ weights


def _swings(
    places: Float[Tensor, "frames 22 3"], body_from_world: Float[Tensor, "frames 3 3"]
) -> Float[Tensor, "frames 21 3 3"]:
    """Turn of each bone from its rest direction, relative to the bone before it in its chain."""
    rest = places.new_tensor(REST_DIRECTIONS)
    bones = bone_vectors(places)
    swings = swing(rest.expand_as(bones), bones)
    local: list[Tensor] = []
    for joint in range(1, JOINTS):
        parent = PARENTS[joint]
        starts = parent == 0 or joint in _FROM_ROOT
        before = body_from_world if starts else swings[:, parent - 1]
        local.append(before.transpose(-1, -2) @ swings[:, joint - 1])
    return torch.stack(local, dim=1)


def _joints_and_kind(
    path: Path, rate: float, units: Units | None
) -> tuple[Float[Tensor, "frames 22 3"], str]:
    """Joints as they stand in the file, or as its features say, which are in metres. An axis of one
    before them is a batch; MDM has frames last, which their sizes tell."""
    whole = array_shape(path)
    is_batch = whole[:1] == (1,) and (len(whole) == 4 or whole[2:] == (WIDTH,))
    shape = whole[1:] if is_batch else whole
    joints, frames, is_last = 0, 0, False
    if len(shape) == 3 and shape[1] in BODY_COMES_FIRST and shape[2] == 3:
        frames, joints = shape[:2]
    elif len(shape) == 3 and shape[0] in BODY_COMES_FIRST and shape[1] == 3:
        joints, frames, is_last = shape[0], shape[2], True
    if joints:
        check_length(frames, rate, path)
        places = read_array(path, whole).reshape(shape)
        places = places.permute(2, 0, 1).contiguous() if is_last else places
        kind = "HumanML3D joints" if joints == JOINTS else f"SMPL joints, 22 of {joints}"
        return places[:, :JOINTS], kind
    if len(shape) == 2 and shape[1] == WIDTH:
        if units is not None:
            raise FileError(
                f"{path} has HumanML3D features, which are in metres.", "Leave --units away."
            )
        check_length(shape[0], rate, path)
        return joints_from_263(read_array(path, whole).reshape(shape)), "HumanML3D features"
    raise FileError(
        f"{path} has the shape {whole}; (frames, {JOINTS}, 3) joints, with hands "
        f"(frames, 52, 3), and (frames, {WIDTH}) HumanML3D features are known.",
        "Save SMPL's joints in one of these shapes; other skeletons are read from BVH, FBX and "
        "glTF.",
    )


def read_humanml(
    path: Path,
    *,
    fps: float | None = None,
    up: UpAxis | None = None,
    units: Units | None = None,
) -> Clip:
    """Joints (frames, 22 or more, 3) or features (frames, 263), told apart by their shape.

    Of arrays with hands and faces the first 22 joints are taken, which are the body. Joints are in
    metres unless `units` says otherwise.
    """
    rate = fps if fps is not None else HUMANML_FPS
    check_rate(rate, path)
    in_file, kind = _joints_and_kind(path, rate, units)
    metres = METRES[units or "m"]
    joints = metres * in_file
    axis = up or _array_up(joints, kind, path)
    joints = z_up(joints) if axis == "y" else joints
    check_reach(joints, "the person", path)
    check_bones(in_file, path)  # before its legs tell that the unit is another
    ratio = leg_ratio(joints, path, _GIVE_UNIT if "joints" in kind else _UNSTANDARDISED)
    check_bones(joints, path)
    check_sides(joints, path)
    notes = (FIT_NOTE, f"path scaled by {ratio:.3f}, the ratio of leg lengths")
    if units is not None:
        notes += (f"units: {units} (given)",)
    if up or axis == "z" or "HumanML3D" not in kind:
        notes += (f"up axis: {axis} ({'given' if up else 'detected'})",)
    rotations, root = fit_rotations(joints), ratio * joints[:, 0]
    unit = torch.eye(3).to(joints)
    source = Source(
        kind=kind,
        file=path.name,
        skeleton="SMPL",
        fps=rate,
        frames=len(joints),
        start_frame=0,
        first_frame=0.0,
        up=axis,
        metres_per_unit=metres,
        scale=ratio * metres,
        clip_from_file=z_up(unit).T if axis == "y" else unit,
        shift=torch.zeros(3).to(joints),
    )
    recording = Recording(
        rotations, root, rate, kind, "fitted", notes, source, source.in_clip(in_file)
    )
    return native_clip(recording, path)


def _array_up(joints: Float[Tensor, "frames 22 3"], kind: str, path: Path) -> UpAxis:
    """HumanML3D has y up; an array by other hands that stands along z has not."""
    along = standing_axis(joints)
    if kind == "HumanML3D joints" and standing_axis(-joints) == "y":
        raise FileError(
            f"{path} has a person upside down, as where y points down.",
            "Negate y and z of all joints, or give --up y if the person stands on their hands.",
        )
    if "features" in kind or (along is None and kind.startswith("HumanML3D")):
        return "y"
    if along is None:
        raise FileError(
            f"{path} does not show which axis points up: the body stands along neither +y nor +z.",
            "Give the axis with --up y or --up z.",
        )
    if along == "z" and kind.startswith("HumanML3D"):
        height = float(joints[:, 0, 2].median() - joints[..., 2].min())
        return "z" if height > STANDING_PELVIS_M else "y"
    return along


y_up = z_up  # half a turn about an axis between y and z is its own inverse


def humanml_joints(clip: Clip) -> Float[Tensor, "frames 22 3"]:
    """The clip's joints in HumanML3D's axes and rate."""
    return y_up(resample_points(clip.motion.joints, clip.fps, HUMANML_FPS))


def write_humanml(clip: Clip, path: Path) -> None:
    """22 joints per frame as .npy, y up, 20 fps, single precision."""
    joints = humanml_joints(clip).float().numpy()
    with atomic_path(path) as temporary, temporary.open("wb") as stream:
        np.save(stream, joints, allow_pickle=False)
