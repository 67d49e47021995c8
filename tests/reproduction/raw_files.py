"""Everything that a researcher brings, as raw files: clips in PulpMotion's layout with the faults
that such sets have, a CLIP and a DistilBERT without training, and checkpoints in the published
layouts of CLaTr and TMR."""

from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import torch

from aesop.data.store import open_store
from aesop.fables.build import FablesRecipe, Share, build_mini
from aesop.scene.camera import CameraPath
from aesop.scene.human import HumanMotion
from aesop.scene.shot import Shot
from tests.data.pulpmotion_layout import write_pulpmotion
from tests.evaluators.test_published import published
from tests.measuring.test_published_judges import make_distilbert
from tests.text.test_clip import make_clip

# Frames that are kept of a shot: a direction event has 45 at least.
LENGTHS = (47, 53, 59, 61)
SHORT_FRAMES = 9
FILMS = (31, 23, 17, 13, 11, 7, 5, 3)  # clips of each film, again and again
TEST_FILMS = 3


@dataclass(frozen=True)
class RawFiles:
    """Where everything lies."""

    path: Path

    @property
    def pulpmotion(self) -> Path:
        return self.path / "pulpmotion"

    @property
    def flags(self) -> tuple[str, ...]:
        """What `aesop reproduce` is told of it, beside the recipe and the folder to write to."""
        named = {
            "--data": "pulpmotion", "--encoder": "clip", "--clatr": "clatr.ckpt", "--clip": "clip",
            "--tmr": "tmr.ckpt", "--distilbert": "bert",
        }  # fmt: skip
        words: list[str] = []
        for flag, name in named.items():
            place = str(self.path / name)
            words += [flag, f"clip:{place}" if flag == "--encoder" else place]
        return tuple(words)


def cut(shot: Shot, frames: int) -> Shot:
    """The first frames of a shot."""
    motion, camera = shot.clip.motion, shot.camera
    kept = HumanMotion(motion.rotations[:frames], motion.joints[:frames])
    path = CameraPath(
        camera.world_from_camera[:frames],
        camera.centre[:frames],
        camera.fov_vertical[:frames],
        camera.aspect,
    )
    return replace(shot, clip=replace(shot.clip, motion=kept), camera=path)


def filmed_shots(folder: Path, windows: int) -> list[Shot]:
    """Shots of the mini set, cut to a few seconds."""
    few = Share(windows=1, one_run=1, several=0, any_run=0)
    many = Share(windows=windows, one_run=3, several=1, any_run=0)
    build_mini(folder, FablesRecipe(seed=11, train=many, validation=few, test=few))
    store = open_store(folder)
    shots = [store.as_shot(int(row)) for row in store.split("train")]
    return [cut(shot, LENGTHS[at % len(LENGTHS)]) for at, shot in enumerate(shots)]


def names_by_film(count: int) -> list[tuple[int, str]]:
    """A film and an id for every clip; films differ in length."""
    names: list[tuple[int, str]] = []
    film = 0
    while len(names) < count:
        for scene in range(min(FILMS[film % len(FILMS)], count - len(names))):
            names.append((film, f"2011_film{film:07d}_{scene:05d}_{scene + 1:05d}"))
        film += 1
    return names


def write_raw_files(path: Path, windows: int = 52) -> RawFiles:
    """About four clips a window, and four of them with faults."""
    shots = filmed_shots(path / "mini", windows)
    named = names_by_film(len(shots))
    clips = {name: shot for (_, name), shot in zip(named, shots, strict=True)}
    test = [name for film, name in named if film < TEST_FILMS]
    train = [name for film, name in named if film >= TEST_FILMS]
    clips[test[0]] = cut(clips[test[0]], SHORT_FRAMES)
    raw = RawFiles(path)
    lists = {
        # The first of the test list stands in the training list too.
        "autoencoder_train": [*train, test[1]],
        "pure_train": train[::2],
        "mixed_train": train,
        "pure_test": test,
        "mixed_test": test[::3],
    }
    write_pulpmotion(raw.pulpmotion, clips, lists)
    (raw.pulpmotion / "caption_cam" / f"{test[2]}.txt").unlink()
    (raw.pulpmotion / "caption_char" / f"{test[3]}.txt").unlink()
    (raw.pulpmotion / "caption_cam" / f"{train[0]}.txt").unlink()
    for name in (train[1], test[4]):
        lens = raw.pulpmotion / "intrinsics" / f"{name}.npy"
        rows = np.load(lens)
        rows[len(rows) // 2] = np.nan
        np.save(lens, rows)
    _write_networks(path)
    return raw


def _write_networks(path: Path) -> None:
    dice = torch.Generator().manual_seed(7)
    clatr = published("traj_encoder.", 9, dice) | published("text_encoder.", 512, dice)
    tmr = published("motion_encoder.", 263, dice) | published("text_encoder.", 768, dice)
    torch.save({"state_dict": clatr}, path / "clatr.ckpt")
    torch.save({"state_dict": tmr}, path / "tmr.ckpt")
    torch.save(torch.zeros(263), path / "mean.pt")
    torch.save(torch.ones(263), path / "std.pt")
    for name in ("clip", "bert"):
        (path / name).mkdir()
    make_clip(path / "clip", 11, width=512, heads=4, context=127)
    torch.manual_seed(13)
    make_distilbert(path / "bert")
