"""A cycle played several times on end: poses repeat, the way goes on, the file's skeleton too."""

import tarfile
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch

from aesop.core.errors import ClipError, FileError
from aesop.export.export_files import write_export
from aesop.files.bvh import read_bvh
from aesop.files.bvh_clip import bvh_armature, read_bvh_clip
from aesop.files.motion_files import ReadOptions, read_motion
from aesop.scene.human import Clip, pose_motion
from aesop.scene.shot import require_filmable
from tests.export.test_file_world import figure_places, filmed
from tests.files.characters import Character, write_fbx, write_glb
from tests.files.foreign import Foreign, write_foreign
from tests.files.makers import gait_clip
from tests.tolerances import GEOMETRY32

ROCKETBOX = Path(__file__).parents[2] / ".." / "shared" / "data" / "rocketbox" / "bvh30.tar.xz"
FRAMES, ROUNDS, TRAVEL_M = 19, 3, 1.3
# Single precision in the file's numbers, then a chain of joints, a retarget and a resampling.
SAME_M = 20 * GEOMETRY32


def cycle() -> Clip:
    """A gait that ends in its first pose, a way ahead."""
    clip = gait_clip(FRAMES)
    share = torch.linspace(0, 1, FRAMES, dtype=torch.float64)
    fade = (0.5 - 0.5 * torch.cos(2 * torch.pi * share))[:, None, None, None]
    still = clip.motion.rotations[:1].double()
    turns = torch.linalg.svd(still + 0.7 * fade * (clip.motion.rotations.double() - still))
    rotations = turns.U @ turns.Vh
    root = torch.stack([0 * share, -TRAVEL_M * share, 0.95 + 0.03 * torch.sin(6.283185 * share)])
    return replace(clip, motion=pose_motion(rotations, root.T.contiguous()))


def written(kind: str, folder: Path) -> Path:
    if kind == "bvh":
        return write_foreign(folder / "a.bvh", cycle(), Foreign(metres=0.01))
    if kind == "hips below a still root":
        return write_foreign(folder / "a.bvh", cycle(), Foreign(metres=0.01, top="Armature"))
    if kind == "fbx":
        pytest.importorskip("ufbx")
        return write_fbx(folder / "a.fbx", cycle(), Character())
    return write_glb(folder / "a.glb", cycle(), Character())


KINDS = ("bvh", "hips below a still root", "fbx", "glb")


@pytest.mark.parametrize("kind", KINDS)
def test_poses_repeat_and_the_way_goes_on(kind: str, tmp_path: Path):
    path = written(kind, tmp_path)
    clip = read_motion(path, ReadOptions(loop=ROUNDS))
    assert clip.frames == ROUNDS * (FRAMES - 1) + 1
    joints, period = clip.motion.joints.double(), FRAMES - 1
    travel = joints[period, 0] - joints[0, 0]
    assert abs(float(torch.linalg.vector_norm(travel[:2])) - TRAVEL_M) < 0.1 * TRAVEL_M  # resized
    # Legs are turned a little so that feet rest, by what comes before and after: hips and upwards.
    hips_up = [0, 3, 6, 9, 12, 15, 16, 17]
    later = joints[period:, hips_up] - joints[:-period, hips_up]
    assert (later - travel).abs().max() < SAME_M
    assert any("played 3 times" in note for note in clip.provenance.notes)


@pytest.mark.parametrize("kind", KINDS)
def test_the_files_skeleton_goes_along(kind: str, tmp_path: Path):
    """Exports hold all rounds, each bone as far on as the hips."""
    shot = filmed(read_motion(written(kind, tmp_path), ReadOptions(loop=ROUNDS)))
    source = shot.clip.source
    assert source is not None and source.frames == ROUNDS * (FRAMES - 1) + 1
    places, period = figure_places(replace(shot.clip, fps=25.0)), FRAMES - 1
    moved = (places[period:] - places[:-period]).abs().amax((0, 2))
    later = (places[period:] - places[:-period])[:, moved > 0.01]
    assert later.shape[1] >= 22 and (later - later[:1, :1]).abs().max() < 100 * SAME_M
    write_export(shot, tmp_path / "again.bvh")
    again = bvh_armature(read_bvh(tmp_path / "again.bvh"))
    assert again.frames == source.frames


def test_what_is_no_cycle_is_refused(tmp_path: Path):
    path = write_foreign(tmp_path / "a.bvh", gait_clip(FRAMES), Foreign(metres=0.01))
    with pytest.raises(FileError, match="no cycle: its last pose"):
        read_motion(path, ReadOptions(loop=2))
    good = written("bvh", tmp_path)
    for rounds in (0, -1, 1001):
        with pytest.raises(FileError, match="cannot be played"):
            read_motion(good, ReadOptions(loop=rounds))
    np.save(tmp_path / "a.npy", np.zeros((5, 22, 3)))
    with pytest.raises(FileError, match="loop does not apply"):
        read_motion(tmp_path / "a.npy", ReadOptions(loop=2))
    with pytest.raises(ClipError, match="--loop 3"):
        require_filmable(read_motion(good))


@pytest.mark.skipif(not ROCKETBOX.exists(), reason="no Rocketbox takes here")
def test_single_strides_of_rocketbox_are_filmable_in_a_loop(tmp_path: Path):
    with tarfile.open(ROCKETBOX) as archive:
        names = [it for it in archive.getmembers() if it.name.endswith("m_run_fast_02.bvh")]
        for member in names:
            taken = archive.extractfile(member)
            assert taken is not None
            (tmp_path / Path(member.name).name).write_bytes(taken.read())
    (path,) = tmp_path.rglob("*.bvh")
    with pytest.raises(ClipError, match=r"0\.5\d s of motion"):
        require_filmable(read_motion(path))
    looped = read_motion(path, ReadOptions(loop=4))
    assert require_filmable(looped).seconds > 2
    columns = read_bvh_clip(path, cycles=4)
    assert (looped.motion.joints - columns.motion.joints).abs().max() < SAME_M
