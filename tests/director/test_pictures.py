"""The picture that is asked for is the one in which takes are chosen and corrected."""

from dataclasses import replace
from pathlib import Path

import pytest
import torch

from aesop.director.director import Director
from aesop.director.finish import usual_picture
from aesop.director.requests import FilmRequest
from aesop.director.rule_based import Operator, film_by
from aesop.files.shot_file import read_shot, write_shot
from aesop.metrics.framing_metrics import Holding, holding_of
from aesop.scene.camera import CameraPath
from aesop.scene.picture_format import SIXTEEN_NINE, PictureFormat
from aesop.scene.shot import Shot
from tests.cli.test_commands import run
from tests.director.makers import TRUCK, walking
from tests.director.test_laws import same_camera
from tests.director.test_takes import number
from tests.tolerances import FILMED32

UPRIGHT, WIDE = PictureFormat(9 / 16), PictureFormat()


def film(director: Director, seed: int, picture: PictureFormat, take: int | None = 0) -> Shot:
    request = FilmRequest(walking(61, seed), "The camera trucks left.", take=take)
    return director.film_many([request], finish="hand", picture=picture)[0]


def held_by(camera: CameraPath, shot: Shot) -> Holding:
    return holding_of(camera, shot.clip.motion, shot.fps)


@pytest.mark.parametrize("seed", [0, 2, 5])
def test_the_hand_holds_the_person_in_the_picture_that_is_delivered(director: Director, seed: int):
    """A wide film cut to an upright picture loses the person; a film made upright does not."""
    upright, wide = (film(director, seed, picture) for picture in (UPRIGHT, WIDE))
    cut = held_by(replace(wide.camera, aspect=9 / 16), wide)
    kept = held_by(upright.camera, upright)
    assert upright.camera.aspect == 9 / 16 and wide.camera.aspect == SIXTEEN_NINE
    assert torch.equal(upright.camera.fov_vertical, wide.camera.fov_vertical)
    assert held_by(wide.camera, wide).empty_share == kept.empty_share == 0
    assert kept.head_share == 1 and cut.head_share < 0.5 and cut.empty_share > 0.3


def test_takes_are_chosen_in_the_picture_that_is_delivered(director: Director):
    """Some take that holds the person in a wide picture does not in an upright one."""
    chosen = [
        [number(film(director, seed, picture, take=None)) for picture in (WIDE, UPRIGHT)]
        for seed in range(12)
    ]
    assert any(wide != upright for wide, upright in chosen)


def test_what_the_paper_decodes_keeps_its_bytes(director: Director, tmp_path: Path):
    clip = walking(61)
    asked = director.film(clip, TRUCK, seed=4, finish="as-sampled")
    bare = director.film_many([FilmRequest(clip, TRUCK, seed=4)], finish="as-sampled")[0]
    for name, shot in (("asked", asked), ("bare", bare)):
        write_shot(shot, tmp_path / f"{name}.shot")
    assert (tmp_path / "asked.shot").read_bytes() == (tmp_path / "bare.shot").read_bytes()
    wide = director.film(clip, TRUCK, seed=4, finish="as-sampled", picture=WIDE)
    assert same_camera(replace(wide.camera, aspect=asked.camera.aspect), asked.camera)
    assert asked.camera.aspect != wide.camera.aspect == SIXTEEN_NINE


def test_the_operator_films_in_python_what_commands_film(director: Director, tmp_path: Path):
    clip, words, operator = walking(61), "truck left", Operator()
    by_command = film_by(
        "operator", director, [FilmRequest(clip, words)], picture=usual_picture("hand")
    )[0]
    mine = operator.film(clip, words)
    assert mine.camera.aspect == SIXTEEN_NINE and same_camera(mine.camera, by_command.camera)
    others = [*operator.film_takes(clip, words, 2), *operator.sweep(clip, words, (0.5, 1.0))]
    assert {shot.camera.aspect for shot in others} == {SIXTEEN_NINE}
    assert operator.film(clip, words, picture=UPRIGHT).camera.aspect == 9 / 16
    write_shot(mine, tmp_path / "walk.shot")
    words_typed = ("film", tmp_path / "walk.shot", words, "--method", "operator")
    assert run(*words_typed, "-o", tmp_path / "again.shot") == 0
    apart = read_shot(tmp_path / "again.shot").camera.centre - mine.camera.centre
    assert apart.abs().max() < FILMED32
