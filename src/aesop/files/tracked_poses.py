"""SMPL poses as trackers and generators save them, in .npz and .pt: GVHMR, WHAM, TRAM, SLAHMR,
4D-Humans and others whose keys differ while their numbers mean the same."""

import math
import pickle
import zipfile
from dataclasses import dataclass, replace
from pathlib import Path

import torch
from jaxtyping import Float
from torch import Tensor

from aesop.core.errors import FileError
from aesop.files.arrays import Archive, Shape, listing, open_archive
from aesop.files.foreign_clip import METRES, Units
from aesop.files.importing import (
    Recording,
    check_finite,
    check_length,
    check_rate,
    check_rotations,
    check_same_length,
    input_file,
    native_clip,
)
from aesop.files.smpl_archives import (
    SHAPE_NOTE,
    check_angles,
    detected_up,
    in_unit,
    metric_source,
    rate_in,
    stood_up,
    unit_notes,
)
from aesop.scene.human import Clip
from aesop.scene.rotation import about_axis, matrix_from_axis_angle
from aesop.scene.skeleton import JOINTS, rest_offsets
from aesop.scene.source import UpAxis

MAX_BYTES = 2 * 2**30
KIND = "SMPL poses"
GVHMR_FPS = 30.0  # it brings every video to this rate first

_ROOTS = ("global_orient", "root_orient", "root_pose", "pred_global_orient")
_BODIES = ("body_pose", "pose_body", "pred_body_pose")
_POSES = ("poses", "pose", "smpl_poses", "smpl_pose", "fullpose", "full_pose", "pred_rotmat")
_PATHS = (
    "trans", "transl", "translation", "smpl_trans", "root_trans", "pred_trans", "pred_cam_t",
    "cam_t", "cam_trans",
)  # fmt: skip
# AIST++ keeps the path in the units of its cameras, in which the body is so many times as large.
_SIZE = "smpl_scaling"
_IN_CAMERA = ("pred_trans", "pred_cam_t", "cam_t", "cam_trans")
# Groups of keys in which trackers keep the person in the world, before those in the camera.
_GROUPS = ("smpl_params_global.", "smpl_params_world.", "", "smpl_params.", "smpl_params_incam.")


@dataclass(frozen=True, eq=False)
class TensorFile:
    """The tensors of a .pt file; those in groups are called group.name."""

    path: Path
    tensors: dict[str, Tensor]

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(self.tensors)

    def shape(self, name: str) -> tuple[int, ...]:
        return tuple(self.tensors[name].shape)

    def numbers(self, name: str, shape: Shape) -> Float[Tensor, "*shape"]:
        """One tensor of finite numbers in double precision; its shape was asked for before."""
        assert len(shape) == self.tensors[name].ndim
        values = self.tensors[name].double()
        check_finite(torch.atleast_1d(values), f"The tensor {name!r} in {self.path}")
        return values

    def number(self, name: str) -> float:
        return float(self.tensors[name].double().reshape(-1)[0])


Arrays = Archive | TensorFile


def open_tensors(path: Path) -> TensorFile:
    """The tensors of a .pt file. Nothing but tensors is ever unpacked from it."""
    if input_file(path).stat().st_size > MAX_BYTES:
        raise FileError(f"{path} is larger than {MAX_BYTES >> 30} GiB.", "Save the poses alone.")
    try:
        contents = torch.load(path, map_location="cpu", weights_only=True)
    except pickle.UnpicklingError:
        raise FileError(
            f"{path} holds Python objects besides tensors, which AESOP never opens.",
            "Save a dictionary of tensors: torch.save({'poses': …, 'trans': …}, 'poses.pt').",
        ) from None
    except (RuntimeError, ValueError, EOFError, KeyError, OSError, zipfile.BadZipFile) as problem:
        reason = str(problem).split("\n")[0][:100]
        raise FileError(
            f"{path} cannot be read: it is damaged or not saved by torch ({reason}).",
            "Export or download it again.",
        ) from problem
    tensors = _flat(contents, "")
    if not tensors:
        raise FileError(f"{path} holds no named tensors.", "Save a dictionary of tensors.")
    return TensorFile(path, tensors)


def _flat(contents: object, prefix: str) -> dict[str, Tensor]:
    if not isinstance(contents, dict):
        return {}
    tensors: dict[str, Tensor] = {}
    for name, value in contents.items():
        if isinstance(value, Tensor) and value.dtype not in (torch.bool, torch.complex64):
            tensors[f"{prefix}{name}"] = value.detach()
        elif isinstance(value, int | float) and not isinstance(value, bool):
            tensors[f"{prefix}{name}"] = torch.tensor(float(value))
        else:
            tensors |= _flat(value, f"{prefix}{name}.")
    return tensors


@dataclass(frozen=True)
class PoseKeys:
    """Under which names a file keeps a person."""

    root: str | None  # None where the body's array begins with it
    body: str
    path: str
    group: str

    @property
    def in_camera(self) -> bool:
        """Whether the person is told as the camera sees them: x right, y down, z ahead."""
        bare = self.path.removeprefix(self.group)
        return bare in _IN_CAMERA or "incam" in self.group


def pose_keys(names: tuple[str, ...]) -> PoseKeys | None:
    """Where poses and path are, if these names are those of some tracker."""
    if {"pose_world", "trans_world"} <= set(names):  # WHAM
        return PoseKeys(None, "pose_world", "trans_world", "")

    def first(group: str, choices: tuple[str, ...]) -> str | None:
        return next((group + name for name in choices if group + name in names), None)

    for group in _GROUPS:
        root, body, path = (first(group, choices) for choices in (_ROOTS, _BODIES, _PATHS))
        whole = first(group, _POSES)
        if path is not None and root is not None and body is not None:
            return PoseKeys(root, body, path, group)
        if path is not None and whole is not None:
            return PoseKeys(None, whole, path, group)
    return None


def read_tracked(
    path: Path,
    *,
    fps: float | None = None,
    up: UpAxis | None = None,
    units: Units | None = None,
) -> Clip:
    """The person in an archive of SMPL poses; its path is in metres unless `units` says
    otherwise."""
    arrays: Arrays = open_tensors(path) if path.suffix.lower() != ".npz" else open_archive(path)
    keys = pose_keys(arrays.names)
    if keys is None:
        raise FileError(
            f"{path} holds {listing(arrays.names)}; no poses of a person are among them.",
            "AESOP looks for poses and trans, or global_orient, body_pose and transl.",
        )
    rate = fps if fps is not None else _rate(arrays, keys)
    size = _size(arrays)
    metres = METRES[units or "m"]
    rotations, translation = _poses(arrays, keys), metres * _path(arrays, keys) / size
    check_same_length(path, **{keys.body: rotations, keys.path: translation})
    check_rate(rate, path)
    check_length(len(translation), rate, path)
    root = translation + rest_offsets(translation)[0]
    notes = (SHAPE_NOTE, *unit_notes(units))
    if keys.in_camera and up is None:
        flip = about_axis(root.new_tensor(math.pi), "x")
        source = metric_source(path, KIND, rate, root, "y")
        source = replace(source, clip_from_file=source.clip_from_file @ flip)
        rotations = torch.cat([flip @ rotations[:, :1], rotations[:, 1:]], dim=1)
        rotations, root = stood_up(rotations, root @ flip.T)
        notes += ("told as the camera saw them: a tilted camera tilts the person",)
    else:
        axis = up or detected_up(rotations, root, path)
        source = metric_source(path, KIND, rate, root, axis)
        if axis == "y":
            rotations, root = stood_up(rotations, root)
        notes += (f"up axis: {axis} ({'given' if up else 'detected'})",)
    source = in_unit(source, metres / size)
    if size != 1.0:
        notes += (f"path divided by {size:.6g}, the file's {_SIZE}",)
    recording = Recording(rotations, root, rate, KIND, "recorded", notes, source)
    return native_clip(recording, path)


def _size(arrays: Arrays) -> float:
    """How many units of the path SMPL's metre has."""
    size = arrays.number(_SIZE) if _SIZE in arrays.names else 1.0
    if size <= 0:
        raise FileError(
            f"The array {_SIZE!r} in {arrays.path} says {size:g}, which is no size of a body.",
            f"Leave {_SIZE} away if the path is in metres.",
        )
    return size


def _rate(arrays: Arrays, keys: PoseKeys) -> float:
    if keys.group == "smpl_params_global.":
        return GVHMR_FPS
    return rate_in(arrays.path, arrays.names, arrays.number)


def _poses(arrays: Arrays, keys: PoseKeys) -> Float[Tensor, "frames 22 3 3"]:
    """Turns of the 22 joints of the body; hands, jaw and eyes after them are left out."""
    body = _matrices(arrays, keys.body, keys)
    if keys.root is not None:
        root = _matrices(arrays, keys.root, keys)
        check_same_length(arrays.path, **{keys.root: root, keys.body: body})
        body = torch.cat([root[:, :1], body], dim=1)
    if body.shape[1] < JOINTS:
        raise FileError(
            f"{arrays.path} has turns of {body.shape[1]} joints; {JOINTS} are needed.",
            "Export SMPL, SMPL-H or SMPL-X poses.",
        )
    return body[:, :JOINTS]


def _matrices(arrays: Arrays, name: str, keys: PoseKeys) -> Float[Tensor, "frames joints 3 3"]:
    """Rotation matrices from an array of matrices or of axis-angles, flat or by joints."""
    shape = _one_person(arrays, name, keys)
    values = arrays.numbers(name, arrays.shape(name)).reshape(shape)
    if shape[-2:] == (3, 3) and len(shape) in (3, 4):
        check_rotations(values, f"The array {name!r} in {arrays.path}")
        return values.reshape(shape[0], -1, 3, 3)
    if shape[-1] % 3 == 0 and (len(shape) == 2 or shape[2:] == (3,)):
        angles = values.reshape(shape[0], -1, 3)
        check_angles(angles, arrays.path)
        return matrix_from_axis_angle(angles)
    raise FileError(
        f"The array {name!r} in {arrays.path} has the shape {arrays.shape(name)}, which is neither "
        "axis-angles nor rotation matrices.",
        "Export axis-angle poses: (frames, 3 times the joints).",
    )


def _path(arrays: Arrays, keys: PoseKeys) -> Float[Tensor, "frames 3"]:
    name = keys.path
    shape = _one_person(arrays, name, keys)
    values = arrays.numbers(name, arrays.shape(name)).reshape(shape)
    if values.ndim == 3 and values.shape[1] == 1:
        values = values[:, 0]
    if values.ndim != 2 or values.shape[1] != 3:
        raise FileError(
            f"The array {name!r} in {arrays.path} has the shape {arrays.shape(name)}; "
            "(frames, 3) is needed.",
            "Export it in a layout that AESOP reads.",
        )
    return values


def _one_person(arrays: Arrays, name: str, keys: PoseKeys) -> tuple[int, ...]:
    """The shape without a first axis for people, where the path has one."""
    shape, path = arrays.shape(name), arrays.shape(keys.path)
    if len(path) != 3 or path[1] == 1:
        return shape
    if path[0] != 1:
        raise FileError(
            f"{arrays.path} holds {path[0]} people.", "Save the poses of one person to a file."
        )
    return shape[1:]
