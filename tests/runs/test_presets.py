"""The picture of presets: the same requests, a row for each."""

from pathlib import Path

from PIL import Image

from tests.director.makers import director_of, save_cast, save_few_steps
from tests.runs.scripts import script


def test_every_preset_films_the_same_requests(tmp_path: Path):
    save_cast(tmp_path)
    save_few_steps(tmp_path)
    presets = script("presets")
    plan = presets.PresetsPlan(seconds=1.2, cell_px=90, requests=2)
    path = presets.draw_presets(director_of(tmp_path), tmp_path / "presets.png", plan)
    assert min(Image.open(path).size) > 90
