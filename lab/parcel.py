"""Footage as a parcel, for a machine that has no store: people and cameras as smooth curves in few
bytes (quantised, twice differenced, compressed; bounded error, no drift).
"""

import json
import lzma
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import torch
from jaxtyping import Bool, Float, Float64, Int64
from torch import Tensor

from aesop.core.hashing import text_sha256
from aesop.core.whole_files import atomic_path
from aesop.features.camera_features import centre_from_features
from aesop.features.columns import CAMERA, HUMAN
from aesop.features.human_features import human_from_features, human_to_features, root_from_features
from aesop.scene.human import HumanMotion, mirrored
from aesop.scene.rotation import (
    about_z,
    columns6_from_matrix,
    matrix_from_axis_angle,
    matrix_from_columns6,
    quaternion_wxyz_from_matrix,
    wrap_angle,
)
from aesop.scene.skeleton import JOINTS, forward_kinematics
from aesop.training.footage import Footage, Ragged
from aesop.training.recipes import TrainingError

Starts = Int64[np.ndarray, " clips_and_one"]

# Clips cut from one take repeat each other's frames, far apart: a dictionary that reaches back.
_FILTERS = [{"id": lzma.FILTER_LZMA2, "preset": 6, "dict_size": 1 << 27}]


def pack_tracks(
    values: Float64[np.ndarray, "frames channels"],
    starts: Starts,
    steps: Float64[np.ndarray, " channels"],
) -> bytes:
    """Every number is kept to half of its channel's step. Clips stand one after the other."""
    whole = np.rint(values / steps).astype(np.int64)
    small = _differences(_differences(whole, starts), starts)
    # Channel by channel within each clip, so that what repeats, repeats in one stretch.
    clips = [small[first:stop].T.reshape(-1) for first, stop in _spans(starts)]
    flat = np.concatenate(clips) if clips else np.empty(0, np.int64)
    # Sign in the lowest bit; then bytes of equal weight side by side.
    unsigned = ((flat << 1) ^ (flat >> 63)).astype("<u4")
    assert bool((unsigned >> 1 == np.abs(flat + (flat < 0))).all()), "a track leaves 32 bits"
    planes = unsigned.view(np.uint8).reshape(-1, 4).T
    return lzma.compress(planes.tobytes(), format=lzma.FORMAT_XZ, filters=_FILTERS)


def unpack_tracks(
    content: bytes, starts: Starts, steps: Float64[np.ndarray, " channels"]
) -> Float64[np.ndarray, "frames channels"]:
    """Inverse of `pack_tracks`, up to the rounding."""
    planes = np.frombuffer(lzma.decompress(content), np.uint8).reshape(4, -1)
    unsigned = np.ascontiguousarray(planes.T).view("<u4").reshape(-1).astype(np.int64)
    flat = (unsigned >> 1) ^ -(unsigned & 1)
    channels = len(steps)
    small = np.empty((int(starts[-1]), channels), np.int64)
    for first, stop in _spans(starts):
        small[first:stop] = flat[first * channels : stop * channels].reshape(channels, -1).T
    return _sums(_sums(small, starts), starts) * steps


def _spans(starts: Starts) -> list[tuple[int, int]]:
    return list(zip(starts[:-1].tolist(), starts[1:].tolist(), strict=True))


def _differences(
    values: Int64[np.ndarray, "frames channels"], starts: Starts
) -> Int64[np.ndarray, "frames channels"]:
    """Change since the frame before; the first frame of a clip as it is."""
    changes = np.diff(values, axis=0, prepend=np.zeros_like(values[:1]))
    changes[starts[:-1]] = values[starts[:-1]]
    return changes


def _sums(
    changes: Int64[np.ndarray, "frames channels"], starts: Starts
) -> Int64[np.ndarray, "frames channels"]:
    """Inverse of `_differences`."""
    total = np.cumsum(changes, axis=0)
    before = np.concatenate([np.zeros_like(total[:1]), total])[starts[:-1]]
    return total - np.repeat(before, np.diff(starts), axis=0)


# Joint places may differ by this much from our skeleton's before a parcel refuses them.
_SAME_BODY_M = 2e-3
_HUMAN_CHANNELS = 3 * JOINTS + 1 + 3  # turns, yaw, root
_CAMERA_CHANNELS = 3 + 3 + 1  # turn, centre, vertical field of view


@dataclass(frozen=True)
class Rounding:
    """Steps to which numbers are rounded on the way."""

    joint_turn_rad: float = 1e-3
    human_yaw_rad: float = 2e-4
    human_root_m: float = 1e-4
    camera_turn_rad: float = 2e-4
    camera_centre_m: float = 1e-4
    camera_lens_rad: float = 2e-4

    @property
    def human(self) -> Float64[np.ndarray, " channels"]:
        turns = [self.joint_turn_rad] * (3 * JOINTS)
        return np.array([*turns, self.human_yaw_rad, *[self.human_root_m] * 3])

    @property
    def camera(self) -> Float64[np.ndarray, " channels"]:
        centre = [self.camera_centre_m] * 3
        return np.array([*[self.camera_turn_rad] * 3, *centre, self.camera_lens_rad])


HUMANS_FILE = "humans.parcel"
SHOTS_FILE = "shots.parcel"


def write_parcel(footage: Footage, folder: Path, rounding: Rounding | None = None) -> None:
    """Two files, windows and shots, with everything a `Footage` holds in a few per cent of its
    size. They may travel apart: windows alone are enough to train the human parts."""
    write_windows(footage, folder, rounding)
    write_shots(footage, folder, rounding)


def write_windows(footage: Footage, folder: Path, rounding: Rounding | None = None) -> None:
    """The people and their captions."""
    rounding = rounding or Rounding()
    folder.mkdir(parents=True, exist_ok=True)
    values, is_mirrored = _human_tracks(footage.humans, footage.human_names)
    facts = {
        "rounding": asdict(rounding),
        "lengths": footage.humans.lengths.tolist(),
        "is_mirrored": is_mirrored,
        "names": footage.human_names,
        "captions": footage.human_captions,
        "sha256": footage.sha256,
    }
    tracks = pack_tracks(values, footage.humans.starts.numpy(), rounding.human)
    write_packed(folder / HUMANS_FILE, facts, tracks)


def write_shots(footage: Footage, folder: Path, rounding: Rounding | None = None) -> None:
    """The cameras that film them, and their captions."""
    rounding = rounding or Rounding()
    folder.mkdir(parents=True, exist_ok=True)
    facts = {
        "rounding": asdict(rounding),
        "human_of_shot": footage.human_of_shot.tolist(),
        "aspect": [round(it, 6) for it in _aspects(footage.cameras).tolist()],
        "names": footage.shot_names,
        "captions": footage.camera_captions,
        "sha256": footage.sha256,
    }
    tracks = pack_tracks(_camera_tracks(footage), footage.cameras.starts.numpy(), rounding.camera)
    write_packed(folder / SHOTS_FILE, facts, tracks)


def read_parcel(folder: Path, device: torch.device) -> Footage:
    """Rebuild the features, on the device where that is fast; they come back on the CPU. Where the
    shots have not arrived, there are none."""
    facts, content = read_packed(folder / HUMANS_FILE)
    rounding = Rounding(**facts["rounding"])
    starts = starts_of(np.array(facts["lengths"], np.int64))
    tracks = torch.from_numpy(unpack_tracks(content, starts, rounding.human)).to(device)
    features, root = _human_features(
        tracks,
        torch.from_numpy(starts).to(device),
        torch.tensor(facts["is_mirrored"], device=device),
    )
    windows = Footage(
        humans=Ragged(features.float().cpu(), torch.from_numpy(starts)),
        cameras=Ragged(torch.zeros(0, CAMERA.width), torch.zeros(1, dtype=torch.int64)),
        human_of_shot=torch.zeros(0, dtype=torch.int64),
        human_names=tuple(facts["names"]),
        shot_names=(),
        human_captions=tuple(map(tuple, facts["captions"])),
        camera_captions=(),
        sha256=text_sha256(f"{facts['sha256']} {rounding}"),
        store_sha256=facts["sha256"],
    )
    if not (folder / SHOTS_FILE).exists():
        return windows
    return _with_shots(windows, root.cpu(), folder / SHOTS_FILE, facts["sha256"])


def _with_shots(
    windows: Footage, root: Float[Tensor, "frames 3"], path: Path, sha256: str
) -> Footage:
    facts, content = read_packed(path)
    if facts["sha256"] != sha256:
        raise TrainingError(f"{path} films other windows than those beside it.", "Send both again.")
    rounding = Rounding(**facts["rounding"])
    human_of_shot = np.array(facts["human_of_shot"], np.int64)
    human_starts = windows.humans.starts.numpy()
    starts = starts_of(np.diff(human_starts)[human_of_shot])
    tracks = torch.from_numpy(unpack_tracks(content, starts, rounding.camera))
    aspect = torch.tensor(facts["aspect"], dtype=torch.float64)
    features = _camera_features(
        tracks,
        root[_frames_of(human_starts, human_of_shot)],
        aspect.repeat_interleave(torch.from_numpy(np.diff(starts))),
        torch.from_numpy(starts),
    )
    return replace(
        windows,
        cameras=Ragged(features.float(), torch.from_numpy(starts)),
        human_of_shot=torch.from_numpy(human_of_shot),
        shot_names=tuple(facts["names"]),
        camera_captions=tuple(map(tuple, facts["captions"])),
    )


def write_packed(path: Path, facts: dict[str, object], tracks: bytes) -> None:
    head = lzma.compress(json.dumps(facts, separators=(",", ":")).encode())
    with atomic_path(path) as temporary:
        temporary.write_bytes(len(head).to_bytes(8, "little") + head + tracks)


def read_packed(path: Path) -> tuple[dict[str, Any], bytes]:
    try:
        content = path.read_bytes()
        size = int.from_bytes(content[:8], "little")
        return json.loads(lzma.decompress(content[8 : 8 + size])), content[8 + size :]
    except (OSError, ValueError, lzma.LZMAError) as error:
        raise TrainingError(
            f"{path} cannot be read as a parcel of footage: {error}.", "Write or copy it again."
        ) from error


def starts_of(lengths: Int64[np.ndarray, " clips"]) -> Int64[np.ndarray, " clips_and_one"]:
    return np.concatenate([np.zeros(1, np.int64), np.cumsum(lengths)])


def _frames_of(
    starts: Int64[np.ndarray, " clips_and_one"], rows: Int64[np.ndarray, " rows"]
) -> Int64[Tensor, " frames"]:
    """Frame numbers of some clips, one clip after the other."""
    edges = starts.tolist()
    pieces = [np.arange(edges[row], edges[row + 1]) for row in rows.tolist()]
    return torch.from_numpy(np.concatenate(pieces))


def continuous_turns(
    matrices: Float[Tensor, "frames *joints 3 3"], is_first: Bool[Tensor, " frames"]
) -> Float[Tensor, "frames *joints 3"]:
    """Axis times angle that does not jump within a clip, even where it passes half a turn."""
    quaternions = quaternion_wxyz_from_matrix(matrices)
    flips = (quaternions[1:] * quaternions[:-1]).sum(-1) < 0
    flips = torch.cat([torch.zeros_like(flips[:1]), flips])
    # Parity of the flips since the clip began.
    total = flips.long().cumsum(0)
    clip = is_first.long().cumsum(0) - 1
    odd = (total - total[is_first][clip]) % 2 == 1
    quaternions = torch.where(odd[..., None], -quaternions, quaternions)
    imaginary = quaternions[..., 1:]
    sine = torch.linalg.vector_norm(imaginary, dim=-1, keepdim=True)
    angle = 2 * torch.atan2(sine, quaternions[..., :1])
    return torch.where(sine > 1e-12, imaginary / sine.clamp_min(1e-12) * angle, 2 * imaginary)


def _is_first(starts: Int64[Tensor, " clips_and_one"]) -> Bool[Tensor, " frames"]:
    mark = torch.zeros(int(starts[-1]), dtype=torch.bool, device=starts.device)
    mark[starts[:-1]] = True
    return mark


def _human_tracks(
    humans: Ragged, names: tuple[str, ...]
) -> tuple[Float64[np.ndarray, "frames channels"], list[bool]]:
    """Windows as tracks, and which are mirrored: a mirrored window moves a mirrored body; it
    travels as its original."""
    blocks: list[Tensor] = []
    flags: list[bool] = []
    for row, name in enumerate(names):
        motion = human_from_features(humans.clip(row).double())
        flags.append(_off_our_body_m(motion) >= _SAME_BODY_M)
        if flags[-1]:
            motion = mirrored(motion)
            refuse_another_body(motion, name)
        yaw = motion.yaw
        level = about_z(-yaw) @ motion.rotations[:, 0]
        matrices = torch.cat([level[:, None], motion.rotations[:, 1:]], dim=1)
        first = torch.arange(len(yaw)) == 0
        # Headings go on past half a turn instead of jumping back.
        heading = torch.cat([yaw[:1], wrap_angle(yaw.diff())]).cumsum(0)
        turns = continuous_turns(matrices, first).flatten(1)
        blocks.append(torch.cat([turns, heading[:, None], motion.root], dim=1))
    return torch.cat(blocks).numpy(), flags


def _off_our_body_m(motion: HumanMotion) -> float:
    return float((motion.joints - forward_kinematics(motion.rotations, motion.root)).abs().max())


def refuse_another_body(motion: HumanMotion, name: str) -> None:
    apart_m = _off_our_body_m(motion)
    if apart_m >= _SAME_BODY_M:
        raise TrainingError(
            f"The joints of {name} are up to {apart_m * 1e3:.1f} mm off AESOP's own skeleton.",
            "A parcel carries footage on that skeleton only; train from the store itself.",
        )


def _human_features(
    tracks: Float[Tensor, "frames channels"],
    starts: Int64[Tensor, " clips_and_one"],
    is_mirrored: Bool[Tensor, " clips"],
) -> tuple[Float[Tensor, "frames 199"], Float[Tensor, "frames 3"]]:
    """All windows as if they were one long motion, then what happens between them is mended."""
    assert tracks.shape[1] == _HUMAN_CHANNELS
    turns, yaw, root = tracks.split([3 * JOINTS, 1, 3], dim=1)
    rotations = matrix_from_axis_angle(turns.unflatten(1, (JOINTS, 3)))
    rotations[:, 0] = about_z(yaw[:, 0]) @ rotations[:, 0]
    joints = forward_kinematics(rotations, root)
    flip = is_mirrored.repeat_interleave(starts.diff())
    other = mirrored(HumanMotion(rotations[flip], joints[flip]))
    rotations[flip], joints[flip] = other.rotations, other.joints
    motion = HumanMotion(rotations, joints)
    features = human_to_features(motion)
    features[starts[1:] - 1, HUMAN.span("planar_velocity")] = 0.0
    features[starts[:-1], HUMAN.span("yaw_step")] = motion.yaw[starts[:-1], None]
    return features, motion.root


def _camera_tracks(footage: Footage) -> Float64[np.ndarray, "frames channels"]:
    values = footage.cameras.values.double()
    rotation = matrix_from_columns6(CAMERA.take(values, "rotation"))
    turns = continuous_turns(rotation, _is_first(footage.cameras.starts))
    centres: list[Tensor] = []
    for row, human in enumerate(footage.human_of_shot.tolist()):
        # The first root is at x = y = 0 by definition; only its height varies.
        first_root = root_from_features(footage.humans.clip(human)[:1].double())[0]
        centres.append(centre_from_features(footage.cameras.clip(row).double(), first_root))
    lens = CAMERA.take(values, "fov_vertical")
    return torch.cat([turns, torch.cat(centres), lens], dim=1).numpy()


def _aspects(cameras: Ragged) -> Float64[np.ndarray, " shots"]:
    values = cameras.values[cameras.starts[:-1]].double()
    tangents = [
        torch.tan(CAMERA.take(values, f"fov_{it}") / 2) for it in ("horizontal", "vertical")
    ]
    return (tangents[0] / tangents[1])[:, 0].numpy()


def _camera_features(
    tracks: Float[Tensor, "frames channels"],
    root: Float[Tensor, "frames 3"],
    aspect: Float[Tensor, " frames"],
    starts: Int64[Tensor, " clips_and_one"],
) -> Float[Tensor, "frames 14"]:
    assert tracks.shape[1] == _CAMERA_CHANNELS
    turns, centre, lens = tracks.split([3, 3, 1], dim=1)
    velocity = torch.cat([torch.zeros_like(centre[:1]), centre.diff(dim=0)])
    velocity[starts[:-1]] = 0.0
    return CAMERA.join(
        fov_vertical=lens,
        fov_horizontal=2 * torch.atan(aspect[:, None] * torch.tan(lens / 2)),
        from_root=centre - root,
        rotation=columns6_from_matrix(matrix_from_axis_angle(turns)),
        velocity=velocity,
    )
