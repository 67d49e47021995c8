"""Takes of people as a parcel: every frame once, in few bytes; windows are drawn where they are
used, and cut out of the takes' features on the device.
"""

import lzma
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np
import torch
from jaxtyping import Float, Int64
from torch import Tensor

from aesop.core.hashing import file_sha256, text_sha256
from aesop.fables.motion_sets import has_cmu_turns, with_like_turns
from aesop.fables.people_windows import PeopleWindow, TakeGround, Worded, ground_of
from aesop.features.columns import CAMERA, HUMAN, Statistics
from aesop.features.human_features import human_to_features
from aesop.files.shot_file import read_clip
from aesop.scene.human import HumanMotion, mirrored
from aesop.scene.rotation import about_z, matrix_from_axis_angle, wrap_angle
from aesop.scene.skeleton import JOINTS, forward_kinematics
from aesop.training.footage import Footage, Ragged
from aesop.training.recipes import TrainingError
from parcel import (
    Rounding,
    continuous_turns,
    pack_tracks,
    read_packed,
    refuse_another_body,
    starts_of,
    unpack_tracks,
    write_packed,
)

TAKES_FILE = "takes.parcel"
ROUNDING = Rounding(joint_turn_rad=2e-3, human_yaw_rad=5e-4, human_root_m=3e-4)
# Evaluators learn from inputs that are jittered by far more.
JUDGES_ROUNDING = Rounding(joint_turn_rad=8e-3, human_yaw_rad=2e-3, human_root_m=1e-3)
# How often rounded curves are smoothed within their rounding: steps of two milliradians would
# tremble at the ends of limbs.
SMOOTHINGS = 4
_SUPPORT_STEP_M = 0.01
# Spines of other sets bend where CMU's hardly do. What lies further from a codec's mean than so
# many of its spreads is brought there: joints then come back from it to 4–5 cm instead of 5–6.
FOREIGN_TURN_SPREADS = 3.0
_FRAMES_AT_ONCE = 1 << 18


def write_takes(
    names: Iterable[str], clips: Path, path: Path, rounding: Rounding = ROUNDING
) -> list[str]:
    """Pack the takes whose clips are there; their names come back."""
    found = [name for name in names if (clips / f"{name}.clip").exists()]
    tracks: list[np.ndarray] = []
    grounds: list[TakeGround] = []
    for name in found:
        recorded = read_clip(clips / f"{name}.clip").motion.to(torch.float64)
        motion = with_like_turns(_set_of(name), recorded)
        refuse_another_body(motion, name)
        tracks.append(_tracks(motion))
        grounds.append(ground_of(motion.joints.numpy()))
    lengths = np.array([len(track) for track in tracks], np.int64)
    packed = pack_tracks(np.concatenate(tracks), starts_of(lengths), rounding.human)
    bad = np.packbits(np.concatenate([ground.is_bad for ground in grounds])).tobytes()
    level = np.concatenate([ground.support_m for ground in grounds]) / _SUPPORT_STEP_M
    support = lzma.compress(np.rint(level).astype("<i2").tobytes())
    facts: dict[str, object] = {
        "rounding": asdict(rounding),
        "takes": found,
        "lengths": lengths.tolist(),
        "bytes": [len(bad), len(support)],
    }
    write_packed(path, facts, bad + support + packed)
    return found


def _set_of(take: str) -> str:
    return take.partition("/")[0]


def _tracks(motion: HumanMotion) -> Float[np.ndarray, "frames channels"]:
    """Joint turns with the heading apart, heading, root."""
    yaw = motion.yaw
    level = about_z(-yaw) @ motion.rotations[:, 0]
    matrices = torch.cat([level[:, None], motion.rotations[:, 1:]], dim=1)
    heading = torch.cat([yaw[:1], wrap_angle(yaw.diff())]).cumsum(0)
    turns = continuous_turns(matrices, torch.arange(len(yaw)) == 0).flatten(1)
    return torch.cat([turns, heading[:, None], motion.root], dim=1).numpy()


@dataclass(frozen=True, eq=False)
class TravelledTakes:
    """Takes as they arrived: rounded tracks, and what may be shown of them."""

    names: tuple[str, ...]
    starts: Int64[np.ndarray, " takes_and_one"]
    tracks: Float[np.ndarray, "frames channels"]
    grounds: Mapping[str, TakeGround]
    sha256: str


def read_takes(path: Path) -> TravelledTakes:
    """Inverse of `write_takes`, up to the rounding."""
    facts, content = read_packed(path)
    rounding = Rounding(**facts["rounding"])
    starts = starts_of(np.array(facts["lengths"], np.int64))
    many_bad, many_support = facts["bytes"]
    frames = int(starts[-1])
    bits = np.frombuffer(content[:many_bad], np.uint8)
    is_bad = np.unpackbits(bits, count=frames).astype(bool)
    support = lzma.decompress(content[many_bad : many_bad + many_support])
    level = np.frombuffer(support, "<i2").astype(float) * _SUPPORT_STEP_M
    tracks = unpack_tracks(content[many_bad + many_support :], starts, rounding.human)
    spans = list(zip(facts["takes"], starts[:-1].tolist(), starts[1:].tolist(), strict=True))
    return TravelledTakes(
        names=tuple(facts["takes"]),
        starts=starts,
        tracks=smoothed_within(tracks, starts, rounding.human),
        grounds={name: TakeGround(is_bad[i:j], level[i:j]) for name, i, j in spans},
        sha256=file_sha256(path),
    )


def smoothed_within(
    tracks: Float[np.ndarray, "frames channels"],
    starts: Int64[np.ndarray, " takes_and_one"],
    steps: Float[np.ndarray, " channels"],
) -> Float[np.ndarray, "frames channels"]:
    """The smoothest curves near to those that would have been rounded to the same numbers."""
    edge = np.zeros(len(tracks), bool)
    edge[starts[:-1]] = edge[starts[1:] - 1] = True
    low, high = tracks - steps / 2, tracks + steps / 2
    curve = tracks.copy()
    for _ in range(SMOOTHINGS):
        calm = curve.copy()
        calm[1:-1] = (curve[:-2] + 2 * curve[1:-1] + curve[2:]) / 4
        calm[edge] = curve[edge]
        curve = np.clip(calm, low, high, out=calm)
    return curve


@dataclass(frozen=True, eq=False)
class TakeFeatures:
    """Features of all frames of all takes, as they are and in a mirror, on a device."""

    names: tuple[str, ...]
    starts: Int64[np.ndarray, " takes_and_one"]
    features: Float[Tensor, "2 frames 199"]
    lowest_m: Float[Tensor, " frames"]  # of all joints


def take_features(
    takes: TravelledTakes, device: torch.device, known: Statistics | None = None
) -> TakeFeatures:
    """Everything but what depends on where a window begins and ends. With a codec's statistics,
    turns of sets that it does not know are kept within what it does."""
    frames = len(takes.tracks)
    features = torch.empty(2, frames, HUMAN.width, device=device)
    lowest = torch.empty(frames, device=device)
    for first, stop in _blocks(takes.starts):
        tracks = torch.from_numpy(takes.tracks[first:stop]).to(device)
        turns, yaw, root = tracks.split([3 * JOINTS, 1, 3], dim=1)
        rotations = matrix_from_axis_angle(turns.unflatten(1, (JOINTS, 3)))
        rotations[:, 0] = about_z(yaw[:, 0]) @ rotations[:, 0]
        motion = HumanMotion(rotations, forward_kinematics(rotations, root))
        features[0, first:stop] = human_to_features(motion).float()
        features[1, first:stop] = human_to_features(mirrored(motion)).float()
        lowest[first:stop] = motion.joints[..., 2].amin(-1).float()
    if known is not None:
        _tame(features, takes, known)
    return TakeFeatures(takes.names, takes.starts, features, lowest)


def _tame(
    features: Float[Tensor, "2 frames 199"], takes: TravelledTakes, known: Statistics
) -> None:
    turns = HUMAN.span("rotations")
    mean, room = (it[turns].to(features) for it in (known.mean, known.spread))
    room = FOREIGN_TURN_SPREADS * room
    for name, first, stop in zip(takes.names, takes.starts[:-1], takes.starts[1:], strict=True):
        if not has_cmu_turns(_set_of(name)):
            part = features[:, first:stop, turns]
            features[:, first:stop, turns] = part.clamp(mean - room, mean + room)


def _blocks(starts: Int64[np.ndarray, " takes_and_one"]) -> list[tuple[int, int]]:
    """Whole takes, as many at once as memory likes."""
    blocks: list[tuple[int, int]] = []
    first = 0
    for stop, after in zip(starts[1:].tolist(), [*starts[2:].tolist(), None], strict=True):
        if after is None or after - first > _FRAMES_AT_ONCE:
            blocks.append((first, stop))
            first = stop
    return blocks


def window_features(takes: TakeFeatures, windows: Sequence[PeopleWindow]) -> Ragged:
    """Features of windows as if each were a clip of its own: it stands on its own ground, starts
    facing the canonical way, and its last velocity is zero."""
    device = takes.features.device
    start_of = dict(zip(takes.names, takes.starts[:-1].tolist(), strict=True))
    first = torch.tensor([start_of[it.take_id] + it.first for it in windows], device=device)
    lengths = torch.tensor([it.frames for it in windows], device=device)
    is_mirrored = torch.tensor([it.mirrored for it in windows], device=device)
    starts = torch.cat([lengths.new_zeros(1), lengths.cumsum(0)])
    window = torch.arange(len(windows), device=device).repeat_interleave(lengths)
    places = first[window] + torch.arange(int(starts[-1]), device=device) - starts[window]
    values = torch.empty(int(starts[-1]), HUMAN.width, device=device)
    for variant in (0, 1):
        mine = (is_mirrored == bool(variant))[window]
        values[mine] = takes.features[variant][places[mine]]
    ground = torch.full((len(windows),), torch.inf, device=device)
    ground.scatter_reduce_(0, window, takes.lowest_m[places], "amin")
    values[:, HUMAN.span("root_height")] -= ground[window, None]
    values[starts[1:] - 1, HUMAN.span("planar_velocity")] = 0.0
    values[starts[:-1], HUMAN.span("yaw_step")] = 0.0
    return Ragged(values, starts)


def footage_of_windows(
    takes: TakeFeatures, windows: Sequence[PeopleWindow], sha256: str
) -> Footage:
    """Windows of people as a training reads them; nobody films them."""
    device = takes.features.device
    drawn = text_sha256(*(f"{it.name} {'|'.join(it.captions)}" for it in windows))
    return Footage(
        humans=window_features(takes, windows),
        cameras=Ragged(
            torch.zeros(0, CAMERA.width, device=device),
            torch.zeros(1, dtype=torch.int64, device=device),
        ),
        human_of_shot=torch.zeros(0, dtype=torch.int64, device=device),
        human_names=tuple(it.name for it in windows),
        shot_names=(),
        human_captions=tuple(it.captions for it in windows),
        camera_captions=(),
        sha256=text_sha256(sha256, drawn),
        store_sha256=sha256,
    )


def present(worded: Mapping[str, list[Worded]], takes: TravelledTakes) -> dict[str, list[Worded]]:
    """The takes with words that arrived."""
    missing = set(takes.names) - set(worded)
    if missing:
        raise TrainingError(
            f"{len(missing)} takes that arrived have no words here, such as {min(missing)}.",
            "Send the tables of segments that the parcel was packed with.",
        )
    return {name: worded[name] for name in takes.names}
