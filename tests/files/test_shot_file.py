"""AESOP's own files come back bit for bit, and strangers are refused."""

import json
from dataclasses import replace
from pathlib import Path

import pytest
import torch
from safetensors.torch import load as load_tensors
from safetensors.torch import save as save_tensors

from aesop.core.errors import FileError
from aesop.files import shot_file
from aesop.files.shot_file import read_clip, read_shot, write_clip, write_shot
from aesop.scene.human import Clip
from aesop.scene.intensity_curve import IntensityCurve
from aesop.scene.shot import Shot
from tests.files.makers import gait_clip, gait_shot


def rewritten(path: Path, tensors: dict[str, torch.Tensor], **entries: str | None) -> Path:
    """The file at `path` with some tensors and entries replaced; None takes an entry away."""
    data = path.read_bytes()
    length = int.from_bytes(data[:8], "little")
    metadata: dict[str, str] = json.loads(data[8 : 8 + length])["__metadata__"]
    for name, text in entries.items():
        metadata.pop(name, None)
        if text is not None:
            metadata[name] = text
    path.write_bytes(save_tensors(load_tensors(data) | tensors, metadata))
    return path


def assert_same_clip(first: Clip, second: Clip) -> None:
    assert torch.equal(first.motion.rotations, second.motion.rotations)
    assert torch.equal(first.motion.joints, second.motion.joints)
    assert first.motion.joints.dtype == second.motion.joints.dtype
    assert (first.fps, first.name, first.provenance) == (
        second.fps,
        second.name,
        second.provenance,
    )


def assert_same_shot(first: Shot, second: Shot) -> None:
    assert_same_clip(first.clip, second.clip)
    for name in ("world_from_camera", "centre", "fov_vertical"):
        one, other = getattr(first.camera, name), getattr(second.camera, name)
        assert torch.equal(one, other) and one.dtype == other.dtype
    assert first.camera.aspect == second.camera.aspect
    for name in ("camera_words", "human_words", "intensity", "intensity_curve", "provenance"):
        assert getattr(first, name) == getattr(second, name)


@pytest.mark.parametrize("curve", [None, IntensityCurve((0.0, 0.7), (0.1 + 0.2, 1.5))])
def test_a_shot_comes_back_bit_for_bit(tmp_path: Path, curve: IntensityCurve | None) -> None:
    shot = replace(gait_shot(29), intensity_curve=curve)
    write_shot(shot, tmp_path / "a.shot")
    assert_same_shot(read_shot(tmp_path / "a.shot"), shot)
    assert_same_clip(read_clip(tmp_path / "a.shot"), shot.clip)


def test_double_precision_odd_rates_and_odd_words_survive(tmp_path: Path) -> None:
    clip = gait_clip(7, fps=29.97)
    motion = replace(
        clip.motion,
        rotations=clip.motion.rotations.double(),
        joints=clip.motion.joints.double() / 3,
    )
    clip = replace(clip, motion=motion, name='spaces "quotes" \n \udcff ψ')
    write_clip(clip, tmp_path / "a.clip")
    assert_same_clip(read_clip(tmp_path / "a.clip"), clip)


def test_views_that_share_memory_are_written_whole(tmp_path: Path) -> None:
    shot = gait_shot(31)
    both = torch.cat([shot.camera.centre, shot.camera.centre + 1], dim=-1)
    camera = replace(shot.camera, centre=both[:, 3:], fov_vertical=both[0, 0].expand(31) / 7)
    shot = replace(shot, camera=camera)
    write_shot(shot, tmp_path / "a.shot")
    assert_same_shot(read_shot(tmp_path / "a.shot"), shot)


def test_the_same_shot_makes_the_same_bytes(tmp_path: Path) -> None:
    for name in ("a.shot", "b.shot"):
        write_shot(gait_shot(13), tmp_path / name)
    assert (tmp_path / "a.shot").read_bytes() == (tmp_path / "b.shot").read_bytes()


def test_the_file_says_what_it_is(tmp_path: Path) -> None:
    """A snapshot of the header: a change here is a change of the format."""
    write_shot(gait_shot(13), tmp_path / "a.shot")
    data = (tmp_path / "a.shot").read_bytes()
    header = json.loads(data[8 : 8 + int.from_bytes(data[:8], "little")])
    entries = header.pop("__metadata__")
    assert {name: tensor["shape"] for name, tensor in header.items()} == {
        "rotations": [13, 22, 3, 3],
        "joints": [13, 22, 3],
        "world_from_camera": [13, 3, 3],
        "centre": [13, 3],
        "fov_vertical": [13],
    }
    assert set(entries) == {
        "format", "version", "fps", "name", "clip_provenance", "aspect", "camera_words",
        "human_words", "intensity", "shot_provenance",
    }  # fmt: skip
    assert (entries["format"], entries["version"]) == ("aesop.shot", "1")
    assert (entries["fps"], entries["aspect"]) == ("25.0", "1.85")


def test_a_clip_is_not_a_shot(tmp_path: Path) -> None:
    write_clip(gait_clip(5), tmp_path / "a.clip")
    with pytest.raises(FileError, match=r"a\.clip holds a motion without a camera"):
        read_shot(tmp_path / "a.clip")


def test_newer_versions_are_refused_with_a_reason(tmp_path: Path) -> None:
    write_shot(gait_shot(5), tmp_path / "a.shot")
    rewritten(tmp_path / "a.shot", {}, version="3")
    with pytest.raises(FileError, match=r"a\.shot has version 3 .* reads up to 2.*Update"):
        read_shot(tmp_path / "a.shot")


def test_older_versions_are_migrated(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shot = gait_shot(5)
    write_shot(shot, tmp_path / "a.shot")
    rewritten(tmp_path / "a.shot", {}, camera_words=None, words=json.dumps(shot.camera_words))

    def rename(entries: shot_file.Entries) -> shot_file.Entries:
        return {"camera_words" if n == "words" else n: text for n, text in entries.items()}

    monkeypatch.setitem(shot_file.MIGRATIONS, 1, rename)
    assert_same_shot(read_shot(tmp_path / "a.shot"), shot)


@pytest.mark.parametrize(
    ("entries", "fact"),
    [
        ({"format": "pt"}, "not a shot or clip"),
        ({"format": None}, "not a shot or clip"),
        ({"version": None}, "no valid version"),
        ({"version": "0"}, "no longer read"),
        ({"version": "one"}, "no valid version"),
        ({"fps": None}, "no valid entry 'fps'"),
        ({"fps": "NaN"}, "no valid entry 'fps'"),
        ({"fps": "true"}, "no valid entry 'fps'"),
        ({"fps": "1e9"}, r"rate of 1e\+09"),
        ({"aspect": "-1.0"}, "aspect that no lens has"),
        ({"intensity": "[" * 9999}, "no valid entry 'intensity'"),
        ({"intensity_curve": "[[0, 1], [1]]"}, "no valid entry 'intensity_curve'"),
        ({"intensity_curve": '[[0, 1], [2, "x"]]'}, "no valid entry 'intensity_curve'"),
        ({"intensity_curve": f"[[0, 1], [2, 1{'0' * 400}]]"}, "no valid entry 'intensity_curve'"),
        ({"intensity_curve": "7"}, "no valid entry 'intensity_curve'"),
        ({"shot_provenance": '{"source": 3}'}, "no valid entry 'shot_provenance'"),
        ({"name": "17"}, "no valid entry 'name'"),
    ],
)
def test_entries_that_make_no_sense_are_refused(
    tmp_path: Path, entries: dict[str, str | None], fact: str
) -> None:
    write_shot(gait_shot(5), tmp_path / "a.shot")
    with pytest.raises(FileError, match=fact) as caught:
        read_shot(rewritten(tmp_path / "a.shot", {}, **entries))
    assert "a.shot" in caught.value.fact


@pytest.mark.parametrize(
    ("name", "tensor", "fact"),
    [
        ("joints", torch.zeros(5, 21, 3), r"\(5, 21, 3\)"),
        ("joints", torch.zeros(5, 22, 3, dtype=torch.int32), "I32"),
        ("joints", torch.full((5, 22, 3), torch.nan), "not finite, first in frame 0"),
        ("rotations", torch.ones(5, 22, 3, 3), "not rotations"),
        ("world_from_camera", -torch.eye(3).repeat(5, 1, 1), "not rotations"),
        ("centre", torch.zeros(7, 3), "differ in their number of frames"),
        ("fov_vertical", torch.full((5,), 3.2), "field of view"),
        ("extra", torch.zeros(5), "holds the tensors"),
    ],
)
def test_tensors_that_make_no_sense_are_refused(
    tmp_path: Path, name: str, tensor: torch.Tensor, fact: str
) -> None:
    write_shot(gait_shot(5), tmp_path / "a.shot")
    with pytest.raises(FileError, match=fact) as caught:
        read_shot(rewritten(tmp_path / "a.shot", {name: tensor}))
    assert "a.shot" in caught.value.fact
