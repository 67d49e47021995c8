"""Every kind of file finds its reader and its writer, or a reason why not."""

from pathlib import Path

import numpy as np
import pytest
import torch

from aesop.core.errors import FileError
from aesop.files.motion_files import (
    READERS,
    WRITERS,
    ReadOptions,
    read_motion,
    reader_for,
    write_motion,
    writer_for,
)
from aesop.files.shot_file import write_shot
from aesop.scene.human import NATIVE_FPS
from aesop.scene.rotation import geodesic_distance
from aesop.scene.skeleton import JOINT
from tests.files.makers import gait_clip, gait_shot
from tests.files.samples import write_samples
from tests.tolerances import GEOMETRY32

KINDS = (
    "amass", "smplx", "hymotion", "kimodo", "joints", "features", "clip", "shot", "bvh", "fbx",
    "glb", "gltf", "tracked", "tensors", "amc",
)  # fmt: skip

# Kind → what its reader says it holds.
HOLDS = {
    "amass": "AMASS", "smplx": "AMASS", "hymotion": "HY-Motion", "kimodo": "Kimodo",
    "joints": "HumanML3D", "features": "HumanML3D", "clip": "a motion", "shot": "the motion of a",
    "bvh": "BVH", "fbx": "FBX", "glb": "glTF", "gltf": "glTF",
    "tracked": "SMPL poses", "amc": "Acclaim", "tensors": "SMPL poses",
}  # fmt: skip


@pytest.fixture(scope="module")
def samples(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    return write_samples(tmp_path_factory.mktemp("samples"), frames=29)


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_is_told_apart_and_stands_on_the_ground(
    samples: dict[str, Path], kind: str
) -> None:
    assert reader_for(samples[kind]).holds.startswith(HOLDS[kind])
    clip = read_motion(samples[kind], ReadOptions(fps=25.0) if kind == "amc" else None)
    assert clip.fps == NATIVE_FPS
    assert clip.motion.joints.dtype == torch.float32
    assert abs(float(clip.motion.joints[..., 2].min())) < GEOMETRY32


def test_every_reader_is_reached_by_a_sample(samples: dict[str, Path]) -> None:
    assert {reader_for(path).holds for path in samples.values()} == {r.holds for r in READERS}


# Greatest distance of a joint after writing and reading, in metres: HumanML3D is resampled twice.
ROUND_TRIP_M = {".clip": 0.0, ".npz": GEOMETRY32, ".bvh": GEOMETRY32, ".npy": 8e-3}


@pytest.mark.parametrize("suffix", [writer.suffix for writer in WRITERS])
def test_what_is_written_is_read_back(tmp_path: Path, suffix: str) -> None:
    clip = gait_clip(31)
    path = tmp_path / f"walk{suffix}"
    write_motion(clip, path)
    back = read_motion(path)
    assert back.frames == clip.frames
    apart = torch.linalg.vector_norm(back.motion.joints - clip.motion.joints, dim=-1)
    assert float(apart.max()) <= ROUND_TRIP_M[suffix]
    if suffix != ".npy":
        turns = geodesic_distance(back.motion.rotations.double(), clip.motion.rotations.double())
        assert float(turns.max()) < 2 * GEOMETRY32


def test_suffixes_may_be_capitals(tmp_path: Path) -> None:
    write_motion(gait_clip(7), tmp_path / "WALK.CLIP")
    assert read_motion(tmp_path / "WALK.CLIP").frames == 7


@pytest.mark.parametrize("name", ["walk.xyz", "walk", "walk.npz.old"])
def test_unknown_suffixes_list_the_known_ones(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    path.write_bytes(b"something")
    with pytest.raises(
        FileError,
        match=r"cannot be read.*\.amc, \.bvh, \.clip, \.fbx, \.glb, \.gltf, \.npy, \.npz, "
        r"\.pt, \.shot",
    ):
        read_motion(path)
    with pytest.raises(FileError, match=r"cannot be written.*\.bvh, \.clip, \.npy, \.npz"):
        writer_for(path)


@pytest.mark.parametrize(
    ("name", "fact"),
    [
        ("a.pkl", "a pickle.*numpy.savez"),
        ("a.C3D", "markers or sensors.*export BVH or FBX"),
        ("a.vmd", "without the body.*Load it on its character"),
        ("a.usdz", "a scene.*export BVH, FBX or glTF"),
        ("a.csv", r"a table.*\.npy \(frames, 22, 3\)"),
        ("a.mov", "a video.*Track the person first"),
        ("a.bvh.gz", "packed.*Unpack"),
    ],
)
def test_what_people_have_beside_motions_is_told_the_way(
    tmp_path: Path, name: str, fact: str
) -> None:
    (tmp_path / name).write_bytes(b"something")
    with pytest.raises(FileError, match=fact):
        read_motion(tmp_path / name)


def test_a_writer_is_refused_before_any_work(tmp_path: Path) -> None:
    with pytest.raises(FileError, match="does not exist"):
        writer_for(tmp_path / "gone" / "walk.bvh")
    with pytest.raises(FileError, match="cannot be written"):
        writer_for(tmp_path / "walk.shot")  # a motion alone is no shot


def test_unknown_archives_list_what_they_hold(tmp_path: Path) -> None:
    np.savez(tmp_path / "a.npz", weights=np.zeros(3), bias=np.zeros(2))
    with pytest.raises(FileError, match=r"a\.npz holds the arrays 'weights', 'bias'.*AMASS"):
        read_motion(tmp_path / "a.npz")


# glTF has seconds and no frames, so that no rate can make it longer.
@pytest.mark.parametrize(
    "kind", [kind for kind in KINDS if kind not in ("clip", "shot", "glb", "gltf")]
)
def test_a_given_rate_reaches_the_reader(samples: dict[str, Path], kind: str) -> None:
    assert read_motion(samples[kind], ReadOptions(fps=10.0)).frames == 71  # 28 steps of 0.1 s


def test_axis_and_units_reach_the_reader(samples: dict[str, Path]) -> None:
    lying = read_motion(samples["amass"], ReadOptions(up="y")).motion.joints[0]
    upright = read_motion(samples["amass"]).motion.joints[0]
    head, pelvis = JOINT["head"], JOINT["pelvis"]
    assert float(upright[head, 2] - upright[pelvis, 2]) > 0.5
    assert abs(float(lying[head, 2] - lying[pelvis, 2])) < 0.3
    with pytest.raises(FileError, match=r"motion\.bvh"):
        read_motion(samples["bvh"], ReadOptions(units="m"))


@pytest.mark.parametrize(
    ("kind", "options"),
    [
        ("clip", ReadOptions(fps=30.0)),
        ("kimodo", ReadOptions(up="z")),
        ("kimodo", ReadOptions(units="cm")),
    ],
)
def test_options_that_do_not_apply_are_refused_not_ignored(
    samples: dict[str, Path], kind: str, options: ReadOptions
) -> None:
    with pytest.raises(FileError, match="does not apply"):
        read_motion(samples[kind], options)


def test_a_shot_gives_its_motion(tmp_path: Path) -> None:
    shot = gait_shot(17)
    write_shot(shot, tmp_path / "a.shot")
    assert torch.equal(read_motion(tmp_path / "a.shot").motion.joints, shot.clip.motion.joints)
