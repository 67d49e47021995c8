"""A camera that rests is held; every other comes back as it is."""

from dataclasses import replace
from pathlib import Path

import pytest
import torch

from aesop.director.decoding import REST_RADIUS_M
from aesop.director.director import Director
from aesop.director.finish import held_at_rest
from aesop.scene.camera import CameraPath
from aesop.scene.movement import STATIC_MPS
from aesop.scene.rotation import about_axis
from tests.director.makers import director_of, walking

FPS, FRAMES = 25.0, 83
SECONDS = (FRAMES - 1) / FPS


def path_along(way: torch.Tensor) -> CameraPath:
    """A turning, zooming camera whose centre goes along x by `way`."""
    frames = len(way)
    centre = torch.stack([way, torch.full_like(way, 2.0), torch.full_like(way, 1.5)], dim=-1)
    turns = about_axis(torch.linspace(0, 0.7, frames, dtype=torch.float64), "z")
    fov = torch.linspace(0.5, 0.6, frames, dtype=torch.float64)
    return CameraPath(turns, centre, fov, 1.5)


def swaying(metres_a_second: float, width_m: float) -> CameraPath:
    """To and fro between ±width/2, at an even speed."""
    travelled = torch.arange(FRAMES, dtype=torch.float64) * metres_a_second / FPS
    phase = (travelled / width_m) % 2
    return path_along(width_m * (torch.where(phase < 1, phase, 2 - phase) - 0.5))


def test_a_camera_at_rest_is_held_where_it_is_on_average():
    camera = swaying(0.9 * STATIC_MPS, 0.01)
    held = held_at_rest(camera, FPS)
    assert float(camera.travel) > 0.05 and float(held.travel) == 0
    assert (held.centre == camera.centre.mean(dim=0)).all()
    assert held.world_from_camera is camera.world_from_camera
    assert held.fov_vertical is camera.fov_vertical and held.aspect == camera.aspect


def test_what_moves_or_strays_comes_back_as_it_is():
    quick = swaying(1.1 * STATIC_MPS, 0.01)
    slow = torch.linspace(-1, 1, FRAMES, dtype=torch.float64)
    creeping = path_along(1.1 * REST_RADIUS_M * slow)
    assert float(creeping.travel) / SECONDS > STATIC_MPS
    seldom = path_along(torch.cat([slow * 0, torch.full((4 * FRAMES,), 3.0 * REST_RADIUS_M)]))
    assert float(seldom.travel) / (5 * SECONDS) < STATIC_MPS, "slow, but it went elsewhere"
    for camera in (quick, creeping, seldom):
        assert held_at_rest(camera, FPS) is camera


def test_holding_a_camera_moves_and_turns_with_the_world():
    camera = swaying(0.5 * STATIC_MPS, 0.02)
    turn = about_axis(torch.tensor(0.4, dtype=torch.float64), "z")
    offset = torch.tensor([3.0, -5.0, 0.0], dtype=torch.float64)
    elsewhere = replace(
        camera,
        centre=camera.centre @ turn.T + offset,
        world_from_camera=turn @ camera.world_from_camera,
    )
    held, there = held_at_rest(camera, FPS), held_at_rest(elsewhere, FPS)
    torch.testing.assert_close(held.centre @ turn.T + offset, there.centre)


def test_directors_hold_unless_told_not_to(cast: Path, monkeypatch: pytest.MonkeyPatch):
    clip = walking(FRAMES)
    made = swaying(0.9 * STATIC_MPS, 0.01)
    monkeypatch.setattr(
        "aesop.director.scene_cameras.film_clips", lambda _, clips, *__: [made] * len(clips)
    )
    parts = director_of(cast).parts
    held = Director(parts).film(clip, "the camera rests").camera
    raw = Director(parts).film(clip, "the camera rests", finish="as-sampled").camera
    assert float(held.travel) == 0
    assert (raw.centre == made.centre.to(raw.centre)).all() and float(raw.travel) > 0.05
