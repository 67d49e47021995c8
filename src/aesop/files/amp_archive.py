"""Motions of the 15-joint character that physics simulations use (AMP, ASE), many takes in one
archive, put on our skeleton."""

import zipfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
from jaxtyping import Float, Int
from torch import Tensor

from aesop.core.errors import FileError
from aesop.files.foreign_skeleton import BodyMap, SourceMotion
from aesop.files.importing import Recording, input_file, native_clip
from aesop.files.retarget import Anchor, retarget
from aesop.scene.human import Clip
from aesop.scene.rotation import matrix_from_quaternion_wxyz
from aesop.scene.skeleton import JOINT_NAMES

# The character's joints by our names. Its `foot` is the ankle, its `hand` the wrist. It has no
# collars, toes and neck and one joint for the back: `retarget` lets collars move with the chest
# and toes with the ankle, halves the head's turn for the neck, and spreads the back's bend.
COUNTERPARTS = {
    "pelvis": "pelvis",
    "head": "head",
    **{
        f"{side}_{ours}": f"{side}_{theirs}"
        for side in ("left", "right")
        for ours, theirs in (
            ("hip", "thigh"), ("knee", "shin"), ("ankle", "foot"),
            ("shoulder", "upper_arm"), ("elbow", "lower_arm"), ("wrist", "hand"),
        )
    },
}  # fmt: skip
CHEST = "torso"
_ARRAYS = ("take", "start", "rotation_i16", "root", "joint", "parent", "offset", "fps")


@dataclass(frozen=True, eq=False)
class AmpArchive:
    """The arrays of one archive: all takes end to end, z up, metres, quaternions x y z w."""

    path: Path
    takes: tuple[str, ...]
    starts: tuple[int, ...]  # one more than takes
    quaternions_xyzw: Int[np.ndarray, "frames source_joints 4"]
    root_m: Float[np.ndarray, "frames 3"]
    joints: tuple[str, ...]
    parents: tuple[int, ...]
    offsets_m: Float[np.ndarray, "source_joints 3"]
    fps: float

    def clip(self, take: str) -> Clip:
        """One take on our skeleton at our rate, its lowest joint on the ground."""
        if take not in self.takes:
            raise FileError(
                f"{self.path} has no take {take}.", f"It has {len(self.takes)}: {self.takes[0]} …"
            )
        at = self.takes.index(take)
        frames = slice(self.starts[at], self.starts[at + 1])
        quaternions = torch.from_numpy(self.quaternions_xyzw[frames].astype(np.float64))
        turns = matrix_from_quaternion_wxyz(quaternions.roll(1, dims=-1))
        root = torch.from_numpy(self.root_m[frames].astype(np.float64))
        body = body_map(self.joints, self.parents, self.path)
        motion, rest = self._posed(turns, root), self._rest()
        ours, path, scale = retarget(
            motion, Anchor(rest, True), body, torch.eye(3).to(root), self.fps
        )
        notes = (
            "joint names: AMP",
            "calibrated on the rest pose",
            "15 joints: collars, neck, toes and two vertebrae follow their neighbours",
            f"path scaled by {scale:.6g}, our leg length over the file's",
        )
        recording = Recording(ours, path, self.fps, "AMP", "retargeted", notes)
        return native_clip(recording, self.path.with_name(f"{take}.npz"))

    def _rest(self) -> SourceMotion:
        unturned = torch.eye(3, dtype=torch.float64).expand(1, len(self.joints), 3, 3)
        return self._posed(unturned, torch.zeros(1, 3, dtype=torch.float64))

    def _posed(
        self, turns: Float[Tensor, "frames source_joints 3 3"], root: Float[Tensor, "frames 3"]
    ) -> SourceMotion:
        offsets = torch.from_numpy(self.offsets_m.astype(np.float64))
        world, places = [turns[:, 0]], [root]
        for joint, parent in enumerate(self.parents[1:], start=1):
            places.append(places[parent] + world[parent] @ offsets[joint])
            world.append(world[parent] @ turns[:, joint])
        return SourceMotion(torch.stack(world, dim=1), torch.stack(places, dim=1))


def body_map(joints: Sequence[str], parents: Sequence[int], path: Path) -> BodyMap:
    """Where our joints are found among the character's."""
    wanted = (*COUNTERPARTS.values(), CHEST)
    missing = [name for name in wanted if name not in joints]
    in_order = all(parent < joint for joint, parent in enumerate(parents))
    if missing or not in_order or len(parents) != len(joints):
        lack = f"lacks {', '.join(missing)}" if missing else "does not list parents before children"
        raise FileError(f"The skeleton of {path} {lack}.", "Give an archive of the AMP character.")
    place = {name: index for index, name in enumerate(joints)}
    found = tuple(
        place[COUNTERPARTS[name]] if name in COUNTERPARTS else None for name in JOINT_NAMES
    )
    return BodyMap("AMP", found, trunk=(place["pelvis"], place[CHEST]), nape=())


def read_amp_archive(path: Path) -> AmpArchive:
    """Read an archive of takes; refuse one whose arrays do not fit together."""
    remedy = "Download the archive again."
    try:
        with np.load(input_file(path), allow_pickle=False) as arrays:
            missing = [name for name in _ARRAYS if name not in arrays]
            if missing:
                raise FileError(f"{path} has no array {', '.join(missing)}.", remedy)
            archive = AmpArchive(
                path=path,
                takes=tuple(str(name) for name in arrays["take"]),
                starts=tuple(int(frame) for frame in arrays["start"]),
                quaternions_xyzw=arrays["rotation_i16"],
                root_m=arrays["root"],
                joints=tuple(str(name) for name in arrays["joint"]),
                parents=tuple(int(parent) for parent in arrays["parent"]),
                offsets_m=arrays["offset"],
                fps=float(arrays["fps"]),
            )
    except (OSError, ValueError, EOFError, zipfile.BadZipFile) as problem:
        raise FileError(f"{path} cannot be read: {problem}.", remedy) from problem
    starts, frames = archive.starts, len(archive.root_m)
    sizes = {len(archive.quaternions_xyzw), frames, starts[-1]}
    if starts[0] != 0 or list(starts) != sorted(starts) or len(sizes) != 1:
        raise FileError(f"The takes of {path} do not fill its {frames} frames.", remedy)
    if len(starts) != len(archive.takes) + 1:
        raise FileError(f"{path} names {len(archive.takes)} takes for {len(starts)} edges.", remedy)
    return archive


def amp_clips(path: Path) -> Iterator[Clip]:
    """All takes of an archive, named after themselves."""
    archive = read_amp_archive(path)
    for take in archive.takes:
        yield archive.clip(take)
