"""Pictures and storyboards of strangers on untrained parts."""

import json
from pathlib import Path

import pytest
from PIL import Image

from aesop.director.director import Director
from tests.runs.scripts import script


def test_every_picture_of_the_readme_is_made(director: Director, tmp_path: Path):
    pictures = script("pictures")
    plan = pictures.Plan(seconds=1.2, sheet_px=360)
    paths = pictures.draw_pictures(director, tmp_path / "pictures", plan)
    assert sorted(paths) == sorted((tmp_path / "pictures").iterdir())
    assert all(min(Image.open(path).size) > 50 for path in paths)
    readme = (Path(__file__).resolve().parents[2] / "README.md").read_text(encoding="utf-8")
    for path in paths:
        assert f"docs/pictures/{path.name}" in readme


def test_strangers_are_filmed_with_every_prompt_and_what_is_missing_is_said(
    director: Director, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    external = script("external")
    monkeypatch.setattr(external, "MADE_SECONDS", 1.2)
    paths = external.film_strangers(director, tmp_path, tmp_path, tmp_path / "nothing.npy")
    said = json.loads((tmp_path / "external.json").read_text(encoding="utf-8"))
    assert [it["name"] for it in said["subjects"]] == list(external.OURS)
    assert said["films"] == 4 * 3 and "nothing.npy" in said["left_out"][0]
    for subject in said["subjects"]:
        assert [it["asked"] for it in subject["answers"]] == list(external.PROMPTS)
        assert tmp_path / subject["picture"] in paths
        for answer in subject["answers"]:
            assert sum(share for _, share in answer["film"]["tag_shares"]) == pytest.approx(1)
            assert answer["is_right"] == (answer["film"]["dominant"] == answer["asked"])
    assert said["right"] == sum(a["is_right"] for s in said["subjects"] for a in s["answers"])


def test_a_strangers_motion_and_words(
    director: Director, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, shared_data: Path
):
    external = script("external")
    monkeypatch.setattr(external, "OURS", ())
    monkeypatch.setattr(external, "SHOT_SECONDS", 1.2)
    path = shared_data / "external" / "humanml3d_012314_joints.npy"
    external.film_strangers(director, tmp_path, tmp_path, path)
    said = json.loads((tmp_path / "external.json").read_text(encoding="utf-8"))
    assert [it["name"] for it in said["subjects"]] == ["humanml3d", "caption1", "caption2"]
    assert said["subjects"][2]["source"] == external.HUMANML3D_CAPTIONS[1]
    films = [answer["film"] for answer in said["subjects"][0]["answers"]]
    assert {film["frames"] for film in films} == {212} and said["left_out"] == []
