"""The package's front door: names that scripts need first, and paths as people write them."""

import builtins
import importlib
import inspect
import io
import os
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pytest
import torch
from PIL import Image

import aesop
from aesop.cli.film_options import ShootOptions
from aesop.files.camera_files import KeyTarget, KeyTexts, read_camera
from aesop.files.motion_files import write_motion
from aesop.files.shot_file import read_clip, write_clip, write_shot
from aesop.text.encoders import text_encoder
from tests.director.makers import PUSH_IN, save_cast, walking
from tests.files.makers import gait_shot

# docs/api.md promises these; a name goes only with a new first number of the version.
NAMES = (
    "AesopError", "CameraPath", "Clip", "Director", "IntensityCurve", "Operator", "Shot",
    "load_director", "read_motion", "read_shot", "write_export",
)  # fmt: skip


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
    for name in ("walk.glb", "walk.shot", "walk.json"):
        aesop.write_export(shot, as_given(name))
    assert torch.equal(aesop.read_shot(as_given("walk.shot")).camera.centre, shot.camera.centre)
    target = KeyTarget.of(clip)
    for name in ("walk.shot", "walk.json"):
        assert read_camera(as_given(name), target).path.frames >= clip.frames
    kept = KeyTexts(keep=("0-0.5",)).for_clip(shot.clip, as_given("walk.shot"))
    assert kept is not None and len(kept.kept) == 1
    write_clip(clip, as_given("walk.clip"))
    assert torch.equal(read_clip(as_given("walk.clip")).motion.joints, clip.motion.joints)
    write_shot(shot, as_given("again.shot"))
    assert Path("again.shot").read_bytes() == Path("walk.shot").read_bytes()


def test_what_holds_a_motion_or_a_path_is_shown_in_a_line():
    """And it stays equal to itself only, as ever."""
    shot = gait_shot()
    for subject in (shot, shot.clip, shot.clip.motion, shot.camera):
        name = type(subject).__name__
        assert repr(subject).startswith(f"<{name}") and len(repr(subject)) < 300
        assert str(subject.frames) in repr(subject) and "\n" not in repr(subject)
        assert subject == subject and hash(subject) == object.__hash__(subject)
        assert subject != replace(subject)
    assert shot.clip.name in repr(shot.clip) and repr(shot.camera_words) in repr(shot)


def test_the_door_shows_its_names_and_no_others():
    assert sorted({*NAMES, "__version__"}) == dir(aesop) and aesop.__version__
    for name in NAMES:
        assert getattr(aesop, name).__name__ == name
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


class _Formatter:
    """As much of a notebook's display as is told about types."""

    def __init__(self) -> None:
        self.printers: dict[str, Callable[[object], bytes]] = {}

    def for_type_by_name(self, module: str, name: str, show: Callable[[object], bytes]) -> None:
        self.printers[f"{module}.{name}"] = show


def test_shots_and_clips_show_themselves_in_a_notebook(monkeypatch: pytest.MonkeyPatch):
    formatter = _Formatter()
    display = SimpleNamespace(formatters={"image/png": formatter})
    shell = SimpleNamespace(display_formatter=display)
    monkeypatch.setattr(builtins, "get_ipython", lambda: shell, raising=False)
    importlib.reload(aesop)
    for subject in (walking(29), gait_shot(29)):
        kind = f"{type(subject).__module__}.{type(subject).__name__}"
        picture = Image.open(io.BytesIO(formatter.printers[kind](subject)))
        assert picture.format == "PNG" and min(picture.size) > 300


def test_a_motion_has_the_commands_length_if_nobody_says():
    for method in (aesop.Director.act, aesop.Director.shoot):
        assert inspect.signature(method).parameters["seconds"].default == ShootOptions().seconds


@pytest.mark.skipif(torch.cuda.is_available(), reason="this machine has a GPU")
def test_a_missing_gpu_is_one_sentence():
    with pytest.raises(aesop.AesopError, match=r"no CUDA driver.*device=\"cpu\""):
        aesop.load_director(device="cuda")
    with pytest.raises(aesop.AesopError, match="no device 'gpu'"):
        aesop.load_director(device="gpu")
