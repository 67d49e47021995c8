"""The demo on untrained parts: everything it promises is written, and told."""

from pathlib import Path

import pytest
from PIL import Image

from aesop.director.director import Director
from aesop.files.shot_file import read_shot
from aesop.preview.video import write_video
from aesop.scene.shot import Shot
from tests.runs.scripts import script


def test_the_demo_writes_what_it_promises(
    director: Director,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
):
    demo, films_of = script("demo"), script("sample_films")

    def one_video(shot: Shot, path: Path, width: int) -> None:
        """Drawing ten of them under the shape checks takes half a minute."""
        if path.stem == "from_words":
            write_video(shot, path, width=width)
        else:
            path.touch()

    monkeypatch.setattr(demo, "write_video", one_video)
    folder = tmp_path / "demo"
    plan = films_of.Plan(seconds=1.2, video_px=64, sheet_px=360)
    paths = demo.demonstrate(director, folder, plan)
    assert sorted(paths) == sorted(folder.iterdir()) and len(set(paths)) == len(paths)
    assert len(films_of.SENTENCES) == len(films_of.INTENSITIES) == 3
    assert films_of.INTENSITIES == (0.5, 1.0, 1.5)
    films = {path.stem for path in paths if path.suffix == ".shot"}
    asked = {f"{name}_{a:g}" for name in films_of.SENTENCES for a in films_of.INTENSITIES}
    assert films == asked | {"from_words"} | films_of.TERMS.keys()
    for suffix in (".mp4", ".glb"):
        assert {path.stem for path in paths if path.suffix == suffix} == films
    for name in ("sheet", "intensity"):
        assert Image.open(folder / f"{name}.png").size[0] >= 360
    shots = {name: read_shot(folder / f"{name}.shot") for name in films}
    told = capsys.readouterr()
    for shot in shots.values():
        assert (
            shot.frames == 30 and f"{shot.camera_words} (intensity {shot.intensity:g}):" in told.err
        )
    assert told.out == ""  # paths alone go there, and `main` writes them
    own = sorted(asked | films_of.TERMS.keys())
    clips = [shots[name].clip.motion.joints for name in own]
    assert all(joints.equal(clips[0]) for joints in clips)
    assert not shots["from_words"].clip.motion.joints.equal(clips[0])
