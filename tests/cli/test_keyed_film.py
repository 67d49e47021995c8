"""Cameras that a film has to meet, as commands and batches name them."""

import csv
import json
from pathlib import Path

import pytest
import torch

from aesop.files.motion_files import write_motion
from aesop.files.shot_file import read_shot
from aesop.scene.camera_keys import MET
from aesop.scene.shot import Shot
from aesop.text.encoders import text_encoder
from tests.cli.test_commands import run
from tests.director.makers import PUSH_IN, TRUCK, save_cast, walking


@pytest.fixture(scope="module")
def weights(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("weights")
    save_cast(folder, text_encoder("minilm"))
    return folder


@pytest.fixture
def here(tmp_path: Path, weights: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a motion and a shot of it, by the operator."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("AESOP_WEIGHTS", str(weights))
    write_motion(walking(53), tmp_path / "walk.bvh")
    assert run("film", "walk.bvh", PUSH_IN, "--method", "operator", "-o", "a.shot") == 0
    return tmp_path


def apart_m(first: Shot, frame: int, second: Shot, other: int) -> float:
    return float((first.camera.centre[frame] - second.camera.centre[other]).abs().max())


def test_a_film_meets_cameras_of_files_and_says_how(here: Path, capsys: pytest.CaptureFixture[str]):
    flags = ["--start", "a.shot@0.4", "--end", "a.shot", "--at", "1.2:a.shot@0", "--json"]
    assert run("film", "walk.bvh", TRUCK, "--first-take", *flags, "-o", "b.shot") == 0
    told = json.loads(capsys.readouterr().out.splitlines()[-1])["keys"]
    assert told["keys"] == "keys at 0, 1.2, 2.08 s"
    assert told["off"]["place_m"] < MET.place_m < told["sampled_off"]["place_m"]
    first, second = read_shot(here / "a.shot"), read_shot(here / "b.shot")
    for frame, other in ((0, 10), (30, 0), (52, 52)):
        assert apart_m(second, frame, first, other) < MET.place_m
    assert second.keys is not None and len(second.keys.keys.keys) == 3


def test_a_kept_part_is_of_the_shot_that_is_filmed_again(
    here: Path, capsys: pytest.CaptureFixture[str]
):
    again = ("film", "a.shot", TRUCK, "--first-take", "--keep", "0-1", "-o", "b.shot")
    assert run(*again) == 0
    first, second = read_shot(here / "a.shot"), read_shot(here / "b.shot")
    assert torch.equal(first.camera.centre[:26], second.camera.centre[:26])
    assert not torch.equal(first.camera.centre[26:], second.camera.centre[26:])
    assert run("film", "walk.bvh", TRUCK, "--keep", "0-1", "-o", "c.shot") == 1
    assert "no path to keep" in capsys.readouterr().err and not (here / "c.shot").exists()


def test_rows_of_a_batch_name_their_own_keys(here: Path):
    rows = [
        {"motion": "walk.bvh", "words": PUSH_IN, "output": "0.shot", "at": "0.4:a.shot;1.2:a.shot"},
        {"motion": "a.shot", "words": PUSH_IN, "output": "1.shot", "at": "", "keep": "1-"},
        {"motion": "walk.bvh", "words": PUSH_IN, "output": "2.shot", "start": "a.shot@1"},
    ]
    with (here / "all.csv").open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, ["motion", "words", "output", "at", "keep", "start"])
        writer.writeheader()
        writer.writerows(rows)
    assert run("film", "--batch", "all.csv", "--method", "operator", "--end", "a.shot@0") == 1
    assert run("film", "--batch", "all.csv", "--method", "operator") == 0
    first = read_shot(here / "a.shot")
    many, kept, begun = (read_shot(here / f"{number}.shot") for number in range(3))
    assert apart_m(many, 10, first, 10) < MET.place_m and apart_m(many, 30, first, 30) < MET.place_m
    assert torch.equal(kept.camera.centre[25:], first.camera.centre[25:])
    assert apart_m(begun, 0, first, 25) < MET.place_m
