"""Every reader remembers how it got from the file to the clip."""

import json
from pathlib import Path

import numpy as np
import pytest
import torch

from aesop.core.errors import FileError
from aesop.files.bvh_clip import read_bvh_clip
from aesop.files.foreign_clip import METRES, Units
from aesop.files.motion_files import ReadOptions, read_motion
from aesop.files.shot_file import read_clip, read_shot, write_clip, write_shot
from aesop.scene.camera import camera_looking_at
from aesop.scene.human import Provenance
from aesop.scene.shot import Shot
from aesop.scene.skeleton import REST_OFFSETS
from aesop.scene.source import Armature, Source, UpAxis
from tests.files.foreign import Foreign, write_foreign
from tests.files.makers import gait_clip
from tests.files.samples import write_samples
from tests.files.test_shot_file import rewritten
from tests.tolerances import GEOMETRY32


def source_of(path: Path) -> Source:
    source = read_motion(path).source
    assert source is not None
    return source


def assert_same(first: object, second: object) -> None:
    """Records of numbers, texts and tensors that agree to the last bit."""
    if isinstance(first, torch.Tensor) and isinstance(second, torch.Tensor):
        assert torch.equal(first, second) and first.dtype == second.dtype
    elif isinstance(first, (Source, Armature)):
        for name, value in vars(first).items():
            assert_same(value, getattr(second, name))
    else:
        assert first == second


@pytest.mark.parametrize("fps", [24.0, 25.0, 30.0, 60.0, 120.0])
@pytest.mark.parametrize(("units", "up"), [("cm", "y"), ("inch", "z"), ("m", "y"), ("cmu", "z")])
def test_the_hips_of_a_bvh_are_where_the_clip_has_them(
    units: Units, up: UpAxis, fps: float, tmp_path: Path
):
    clip = gait_clip(61, fps)
    stretch = torch.full((22,), 1.13, dtype=torch.float64)  # a taller person
    foreign = Foreign(metres=METRES[units], up=up, stretch=stretch)
    path = write_foreign(tmp_path / "walk.bvh", clip, foreign)
    ours = read_motion(path, ReadOptions(units=units, up=up))
    source = ours.source
    assert source is not None and source.armature is not None
    assert (source.fps, source.frames, source.up) == (pytest.approx(fps), 61, up)
    assert (source.start_frame, source.first_frame) == (1, 1.0)
    assert source.metres_per_unit == METRES[units]
    assert source.resized == pytest.approx(1 / 1.13, rel=1e-6)  # offsets have nine digits
    hips = source.in_clip(source.armature.offsets[:, 0].double())
    steps = [k for k in range(ours.frames) if (k * fps / 25).is_integer()]
    file_frames = [round(k * fps / 25) for k in steps]
    apart = hips[file_frames] - ours.motion.root[steps].double()
    assert len(steps) > 1 and apart.abs().max() < GEOMETRY32


def test_a_dropped_calibration_pose_is_counted(tmp_path: Path):
    path = write_foreign(tmp_path / "a.bvh", gait_clip(31, 30.0), Foreign(t_pose_first=True))
    source = read_bvh_clip(path, calibration="first_frame").source
    assert source is not None
    assert (source.frames, source.start_frame, source.first_frame) == (32, 1, 2.0)


@pytest.mark.parametrize("kind", ["amass", "smplx", "hymotion", "kimodo", "joints", "features"])
def test_arrays_remember_their_axes(kind: str, tmp_path: Path):
    path = write_samples(tmp_path, 31)[kind]
    clip, source = read_motion(path), source_of(path)
    assert (source.start_frame, source.first_frame, source.metres_per_unit) == (0, 0.0, 1.0)
    assert source.up == ("z" if kind in ("amass", "smplx") else "y")
    upright = source.clip_from_file[2]
    assert torch.equal(upright.abs().argmax(), torch.tensor(2 if source.up == "z" else 1))
    if kind != "features":  # no places stand in them
        hips = source.in_file(clip.motion.root[0].double())
        assert np.abs(hips.numpy() - _first_hips(path, kind)).max() < GEOMETRY32


def _first_hips(path: Path, kind: str) -> np.ndarray:
    if kind == "joints":
        return np.load(path)[0, 0]
    with np.load(path) as arrays:
        if kind == "kimodo":
            return arrays["posed_joints"][0, 0]
        return arrays["trans"][0] + np.array(REST_OFFSETS[0])


@pytest.mark.parametrize("kind", ["bvh", "amass", "joints"])
def test_shots_and_clips_keep_it(kind: str, tmp_path: Path):
    clip = read_motion(write_samples(tmp_path, 31)[kind])
    centre = clip.motion.root + torch.tensor([3.0, -2.0, 0.5])
    camera = camera_looking_at(centre, clip.motion.root, 0.7)
    write_clip(clip, tmp_path / "a.clip")
    assert_same(clip.source, read_clip(tmp_path / "a.clip").source)
    write_shot(Shot(clip, camera, Provenance("a test")), tmp_path / "a.shot")
    assert_same(clip.source, read_shot(tmp_path / "a.shot").clip.source)


@pytest.mark.parametrize(
    "entry",
    [
        "3", "null", "{}", '{"kind": 1}',
        "SCALE", "TURN", "UP", "PARENTS", "NAMES",
    ],
)  # fmt: skip
def test_sources_that_make_no_sense_are_refused(entry: str, tmp_path: Path):
    path = write_samples(tmp_path, 13)["bvh"]
    write_clip(read_motion(path), tmp_path / "a.clip")
    data = (tmp_path / "a.clip").read_bytes()
    header = json.loads(data[8 : 8 + int.from_bytes(data[:8], "little")])
    facts = json.loads(header["__metadata__"]["source"])
    changes = {
        "SCALE": {"scale": -1.0},
        "TURN": {"clip_from_file": [[1, 0, 0], [0, 1, 0], [0, 0, -1]]},
        "UP": {"up": "x"},
        "PARENTS": {"armature": facts["armature"] | {"parents": [5] * 27}},
        "NAMES": {"armature": facts["armature"] | {"names": ["hips"]}},
    }
    text = json.dumps(facts | changes[entry]) if entry in changes else entry
    with pytest.raises(FileError, match="no valid entry 'source'"):
        read_clip(rewritten(tmp_path / "a.clip", {}, source=text))
