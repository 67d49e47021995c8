"""The package's front door: names that scripts need first, and paths as people write them."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
import torch

import aesop
from aesop.files.motion_files import write_motion
from aesop.files.shot_file import read_shot
from aesop.text.encoders import text_encoder
from tests.director.makers import PUSH_IN, save_cast, walking

NAMES = ("Director", "load_director", "read_motion", "write_export")


class Somewhere(os.PathLike[str]):
    """A path that is neither a string nor a `Path`."""

    def __init__(self, path: str) -> None:
        self._path = path

    def __fspath__(self) -> str:
        return self._path


@pytest.mark.parametrize("as_given", [str, Path, Somewhere])
def test_a_script_films_with_paths_of_any_kind(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, as_given: type
):
    monkeypatch.chdir(tmp_path)
    Path("weights").mkdir()
    save_cast(Path("weights"), text_encoder("minilm"))
    write_motion(walking(29), as_given("walk.bvh"))
    clip = aesop.read_motion(as_given("walk.bvh"))
    director = aesop.load_director(as_given("weights"))
    assert isinstance(director, aesop.Director)
    shot = director.film(clip, PUSH_IN)
    for name in ("walk.glb", "walk.shot"):
        aesop.write_export(shot, as_given(name))
    assert torch.equal(read_shot(Path("walk.shot")).camera.centre, shot.camera.centre)


def test_the_door_shows_its_names_and_no_others():
    assert {*NAMES, "__version__"} <= set(dir(aesop)) and aesop.__version__
    with pytest.raises(AttributeError, match="no attribute 'directer'"):
        _ = aesop.directer  # pyright: ignore[reportAttributeAccessIssue]


def test_importing_the_package_loads_nothing_heavy():
    code = (
        "import sys, aesop\n"
        f"assert set({NAMES!r}) <= set(dir(aesop))\n"
        "heavy = {'torch', 'av', 'PIL', 'numpy'} & set(sys.modules)\n"
        "sys.exit(f'imported {heavy}' if heavy else 0)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
