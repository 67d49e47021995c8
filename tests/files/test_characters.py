"""Characters of FBX and glTF files move as the same motion does in any other file."""

import base64
import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from aesop.core.errors import FileError
from aesop.files.gltf_motion import read_gltf
from aesop.files.motion_files import ReadOptions, read_motion
from aesop.scene.human import Clip
from tests.files.characters import Character, write_fbx, write_glb
from tests.files.foreign import DIALECTS, Foreign, scrambled_axes
from tests.files.makers import gait_clip

WRITERS = {".fbx": write_fbx, ".glb": write_glb, ".gltf": write_glb}
# Keys are single precision; a degree of their turns is written with nine digits. Ten metres of
# single precision through a chain of eight joints, and resampling by spherical steps.
SAME_M = 2e-4


def apart_m(first: Clip, second: Clip) -> float:
    assert first.frames == second.frames
    distance = torch.linalg.vector_norm(first.motion.joints - second.motion.joints, dim=-1)
    return float(distance.max())


@pytest.mark.parametrize("suffix", WRITERS)
@pytest.mark.parametrize("fps", [24.0, 50.0])
def test_a_character_moves_as_it_was_written(tmp_path: Path, suffix: str, fps: float) -> None:
    clip = gait_clip(37, fps)
    read = read_motion(WRITERS[suffix](tmp_path / f"walk{suffix}", clip, Character()))
    # Foreign rest poses are ours here, so that only the rate differs.
    assert apart_m(read, read_motion(_clip_file(tmp_path, clip))) < SAME_M


def _clip_file(folder: Path, clip: Clip) -> Path:
    from aesop.files.motion_files import write_motion

    write_motion(clip, folder / "walk.bvh")
    return folder / "walk.bvh"


@pytest.mark.parametrize("suffix", WRITERS)
@pytest.mark.parametrize(
    "changed",
    [
        Character(armature_scale=100.0),
        Character(armature_turn_degrees=-90.0, armature_scale=0.013),
        Character(foreign=Foreign(metres=1.0), prop="Sword"),
        Character(foreign=Foreign(names=DIALECTS["unreal"])),
    ],
    ids=["scaled", "turned", "metres and a prop", "names"],
)
def test_what_lies_above_the_hips_moves_nobody(
    tmp_path: Path, suffix: str, changed: Character
) -> None:
    clip = gait_clip(31)
    plain = read_motion(WRITERS[suffix](tmp_path / f"a{suffix}", clip, Character()))
    other = read_motion(WRITERS[suffix](tmp_path / f"b{suffix}", clip, changed))
    assert apart_m(plain, other) < SAME_M


def test_a_skin_gives_the_pose_to_calibrate_on(tmp_path: Path) -> None:
    """Axes that lie anyhow in the bones leave only the skin to say how the body stands."""
    axes = scrambled_axes(torch.Generator().manual_seed(3))
    clip = gait_clip(31)
    skinned = Character(Foreign(axes=axes), has_skin=True, armature_scale=100.0)
    read = read_motion(write_glb(tmp_path / "a.glb", clip, skinned))
    assert apart_m(read, clip) < SAME_M
    assert "calibrated on the rest pose" in read.provenance.notes
    bare = read_motion(write_glb(tmp_path / "b.glb", clip, replace(skinned, has_skin=False)))
    assert "calibrated on the rest pose" not in bare.provenance.notes


def test_fbx_knows_its_up_axis(tmp_path: Path) -> None:
    clip = gait_clip(31)
    for up in ("y", "z"):
        path = write_fbx(tmp_path / "a.fbx", clip, Character(Foreign(up=up)))
        read = read_motion(path)
        assert f"up axis: {up} (known)" in read.provenance.notes
        assert apart_m(read, clip) < SAME_M


def test_the_take_that_moves_is_taken(tmp_path: Path) -> None:
    clip = gait_clip(31)
    path = write_fbx(tmp_path / "a.fbx", clip, Character(empty_take="Take 001"))
    assert read_motion(path).frames == 31


def test_a_rate_can_be_given(tmp_path: Path) -> None:
    path = write_fbx(tmp_path / "a.fbx", gait_clip(31), Character())
    assert read_motion(path, ReadOptions(fps=50.0)).frames == 16


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (b"Kaydara FBX Binary  \x00\x1a\x00\xe8\x1c\x00\x00" + b"\x07" * 64, "not a readable FBX"),
        (b"no FBX at all, only words", "not a readable FBX"),
        (b"; FBX 7.4.0 project file\nObjects:  {\n}\n", "holds no animation"),
    ],
)
def test_damaged_fbx_is_refused_in_one_sentence(tmp_path: Path, text: bytes, reason: str) -> None:
    path = tmp_path / "a.fbx"
    path.write_bytes(text)
    with pytest.raises(FileError, match=reason):
        read_motion(path)


@pytest.mark.parametrize("cut", [3, 11, 101, 5003, 15013])
def test_cut_files_are_refused(tmp_path: Path, cut: int) -> None:
    whole = write_glb(tmp_path / "a.glb", gait_clip(31), Character()).read_bytes()
    path = tmp_path / "b.glb"
    path.write_bytes(whole[:cut])
    with pytest.raises(FileError):
        read_gltf(path)


def test_what_else_moves_does_not_lengthen_the_motion(tmp_path: Path) -> None:
    clip = gait_clip(31)
    camera = Character(has_skin=True, prop="Camera", prop_seconds=7.0)
    assert read_motion(write_glb(tmp_path / "a.glb", clip, camera)).frames == clip.frames


def test_steps_a_frame_apart_are_the_frames(tmp_path: Path) -> None:
    """Times are single precision; a frame that falls a hair before its key must not be the one
    before."""
    path = write_glb(tmp_path / "a.gltf", gait_clip(61), Character())
    linear = read_motion(path)
    document = json.loads(path.read_text())
    for sampler in document["animations"][0]["samplers"]:
        sampler["interpolation"] = "STEP"
    path.write_text(json.dumps(document))
    assert apart_m(read_motion(path), linear) < SAME_M


def test_a_gltf_without_its_numbers_says_which_file_is_missing(tmp_path: Path) -> None:
    path = write_glb(tmp_path / "a.gltf", gait_clip(31), Character())
    document = json.loads(path.read_text())
    document["buffers"][0]["uri"] = "walk%20cycle.bin"
    path.write_text(json.dumps(document))
    with pytest.raises(FileError, match=r"a\.gltf keeps its numbers in 'walk cycle\.bin'"):
        read_gltf(path)


@pytest.mark.parametrize("uri", ["../secret.bin", "/etc/hostname", "%2e%2e/secret.bin"])
def test_a_gltf_opens_nothing_outside_its_folder(tmp_path: Path, uri: str) -> None:
    (tmp_path / "secret.bin").write_bytes(b"\0" * 64)
    folder = tmp_path / "inner"
    folder.mkdir()
    path = write_glb(folder / "a.gltf", gait_clip(31), Character())
    start = path.read_text().index("data:application")
    stop = path.read_text().index('"', start)
    path.write_text(path.read_text()[:start] + uri + path.read_text()[stop:])
    with pytest.raises(FileError, match="outside its folder"):
        read_gltf(path)


Change = Callable[[dict[str, Any]], object]


def changed(path: Path, change: Change) -> Path:
    """The .gltf after its JSON was changed."""
    document = json.loads(path.read_text())
    change(document)
    path.write_text(json.dumps(document))
    return path


def made_sparse(document: dict[str, Any]) -> None:
    """The hips' turns moved out of their accessor, row by row, last row first; the accessor itself
    has nothing to lie over."""
    buffer = document["buffers"][0]
    head, _, text = buffer["uri"].partition(",")
    data = bytearray(base64.b64decode(text))
    accessor = document["accessors"][document["animations"][0]["samplers"][0]["output"]]
    view = document["bufferViews"][accessor.pop("bufferView")]
    count, start = accessor["count"], view["byteOffset"]
    rows = np.frombuffer(data, "<f4", 4 * count, start).reshape(count, 4)[::-1].tobytes()
    indices = np.arange(count - 1, -1, -1, dtype="<u2").tobytes() + b"\0\0" * (count % 2)
    views = []
    for part in (indices, rows):
        document["bufferViews"].append(
            {"buffer": 0, "byteOffset": len(data), "byteLength": len(part)}
        )
        views.append(len(document["bufferViews"]) - 1)
        data += part
    accessor["sparse"] = {
        "count": count,
        "indices": {"bufferView": views[0], "componentType": 5123},
        "values": {"bufferView": views[1]},
    }
    buffer.update(uri=f"{head},{base64.b64encode(data).decode()}", byteLength=len(data))


def test_keys_may_be_stored_sparsely(tmp_path: Path) -> None:
    path = write_glb(tmp_path / "a.gltf", gait_clip(31), Character())
    plain = read_motion(path)
    assert torch.equal(read_motion(changed(path, made_sparse)).motion.joints, plain.motion.joints)


def _without_its_numbers(document: dict[str, Any]) -> None:
    """As files look whose numbers are packed, and whose buffer only says how large they were."""
    document["buffers"].append({"byteLength": document["buffers"][0]["byteLength"]})
    for view in document["bufferViews"]:
        view["buffer"] = 1


def _outside(document: dict[str, Any]) -> None:
    made_sparse(document)
    for accessor in document["accessors"]:
        if "sparse" in accessor:
            accessor["count"] -= 1


@pytest.mark.parametrize(
    ("change", "fact"),
    [
        (_without_its_numbers, "announced and not there.*without compression"),
        (lambda d: d.update(extensionsRequired=["KHR_meshopt_compression"]),
         "packed with KHR_meshopt_compression.*without compression"),
        (lambda d: d["asset"].update(version="1.0"), "version 1.0 of glTF.*glTF 2.0"),
        (_outside, "names a row that it does not have"),
        (lambda d: d["accessors"][0].update(count=10**15), "outside its buffer"),
    ],
)  # fmt: skip
def test_what_no_reader_of_gltf_could_read_is_said(
    tmp_path: Path, change: Change, fact: str
) -> None:
    path = write_glb(tmp_path / "a.gltf", gait_clip(31), Character())
    with pytest.raises(FileError, match=fact):
        read_motion(changed(path, change))
