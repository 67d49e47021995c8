"""The Blender extension: what is in its .zip, and what it does in real Blender.

Needs a Python with bpy: this one, or the one named by AESOP_BPY_PYTHON.
"""

import importlib.util
import json
import os
import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from aesop.export.file_world import in_file_world
from aesop.files.motion_files import write_motion
from aesop.files.shot_file import read_shot
from aesop.scene.skeleton import JOINT
from tests.director.makers import save_cast, walking
from tests.runs.scripts import script

PYTHON = os.environ.get("AESOP_BPY_PYTHON") or (
    sys.executable if importlib.util.find_spec("bpy") else None
)
HEIGHT_PX, WIDTH_PX = 1080, 1920
ROOT = Path(__file__).resolve().parents[2]


def test_the_zip_holds_the_extension_and_is_the_same_twice(tmp_path: Path):
    first, second = (script("blender_extension").build(tmp_path / name) for name in ("a", "b"))
    assert first.read_bytes() == second.read_bytes()
    with zipfile.ZipFile(first) as archive:
        names = set(archive.namelist())
        manifest = tomllib.loads(archive.read("blender_manifest.toml").decode())
    assert {"__init__.py", "LICENSE", "blender_manifest.toml"} <= names
    assert manifest["id"] == "aesop_camera" and manifest["schema_version"] == "1.0.0"


def test_nothing_but_blender_and_the_standard_library_is_imported():
    import ast

    for path in (ROOT / "blender" / "aesop_camera").glob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            named = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            if isinstance(node, ast.ImportFrom) and node.level == 0:
                named.append(node.module or "")
            for name in named:
                top = name.split(".")[0]
                assert top in ("bpy", "mathutils") or top in sys.stdlib_module_names, path


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("blender")


@pytest.fixture(scope="module")
def seen(folder: Path) -> dict[str, Any]:
    """What Blender had after each step; the server runs with small weights."""
    if PYTHON is None:
        pytest.skip("no Blender (bpy) for Python here")
    from aesop.text.encoders import text_encoder

    (folder / "weights").mkdir()
    save_cast(folder / "weights", text_encoder("minilm"))
    write_motion(walking(101), folder / "walk.bvh")
    archive = script("blender_extension").build(folder)
    command = Path(sys.executable).with_name("aesop")
    words = [PYTHON, Path(__file__).with_name("in_blender.py"), archive, command]
    words += [folder / "walk.bvh", folder / "first.shot"]
    places = {"AESOP_WEIGHTS": "weights", "BLENDER_USER_RESOURCES": "blender"}
    done = subprocess.run(
        [str(word) for word in words],
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=False,
        env=os.environ | {name: str(folder / it) for name, it in places.items()},
    )
    lines = [line for line in done.stdout.splitlines() if line.startswith("SEEN ")]
    assert lines, done.stdout + done.stderr
    return json.loads(lines[0].removeprefix("SEEN "))


def test_without_a_server_one_sentence_says_so(seen: dict[str, Any]):
    assert "No AESOP server answers at http://127.0.0.1:9" in seen["refused"]


def test_every_take_is_a_camera_with_keys_on_the_scenes_frames(seen: dict[str, Any]):
    takes = seen["takes"]
    assert takes["cameras"] == [f"AESOP walk take {take}" for take in (1, 2, 3)]
    assert all(keys == list(range(11, 72)) for keys in takes["keys"])
    assert seen["frame"] == 17, "the user's place in time was moved"
    assert [frame["camera"] for frame in takes["frames"]] == 3 * ["AESOP walk take 1"]


def test_takes_are_markers_and_the_one_in_use_is_bound(seen: dict[str, Any]):
    name = "AESOP walk take "
    first = [[f"{name}1", 11, f"{name}1"], [f"{name}2", 12, None], [f"{name}3", 13, None]]
    third = [[f"{name}3", 11, f"{name}3"], [f"{name}1", 12, None], [f"{name}2", 13, None]]
    assert seen["takes"]["markers"] == first and seen["third"]["markers"] == third
    assert {frame["camera"] for frame in seen["third"]["frames"]} == {f"{name}3"}


def test_the_person_is_at_the_pixel_where_we_see_them(seen: dict[str, Any], folder: Path):
    """Blender's bones through Blender's camera; our joints, placed in the file's world, through
    ours. The armature stands elsewhere, is turned, and runs at another rate."""
    shot = in_file_world(read_shot(folder / "first.shot"))
    assert shot.fps == pytest.approx(30)
    ndc = shot.projection.ndc.double().numpy()
    half_px = np.array([shot.camera.aspect * HEIGHT_PX / 2, HEIGHT_PX / 2])
    for frame in seen["takes"]["frames"]:
        for name in ("head", "left_wrist", "right_wrist", "pelvis", "left_foot"):
            across, up, _ = frame["in_picture"][name]
            theirs = np.array([(across - 0.5) * WIDTH_PX, (up - 0.5) * HEIGHT_PX])
            ours = ndc[frame["frame"] - 11, JOINT[name]] * half_px
            assert np.abs(theirs - ours).max() < 0.5, (frame["frame"], name)  # pixels, as promised
        assert all(0 < share < 1 for share in frame["in_picture"]["head"][:2])


def test_the_intensity_moves_the_same_camera(seen: dict[str, Any]):
    third, stronger = seen["third"], seen["stronger"]
    assert stronger["cameras"] == third["cameras"]
    assert stronger["markers"] == third["markers"], "another take is in use"
    assert stronger["travel"] > 1.3 * third["travel"] > 0.1


def test_undo_takes_it_all_back(seen: dict[str, Any]):
    assert seen["undone"] == {"cameras": [], "markers": 0, "people": ["walk"]}
