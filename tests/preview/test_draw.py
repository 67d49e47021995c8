"""Whole pictures: what they show, and that strange cameras give pictures too."""

import warnings
from dataclasses import replace

import numpy as np
import pytest
import torch

from aesop.core.errors import AesopError, ClipError
from aesop.preview import colours
from aesop.preview.drawing import (
    FILM,
    STILL,
    build_outside,
    build_side_by_side,
    draw_outside,
    key_frames,
    lens_panel,
    lens_picture,
    outside_picture,
    page_picture,
    pose_frames,
    poses_panel,
)
from aesop.preview.sheets import contact_sheet, grid_sheet
from aesop.preview.stage import outside_view, stage_of
from aesop.scene.camera import CameraPath, project_joints
from aesop.scene.human import cut
from aesop.scene.shot import Shot
from tests.preview.makers import ORIGIN, pushing_shot, steady_camera, walking_clip


def is_person(picture: np.ndarray) -> np.ndarray:
    """Warm pixels: the mannequin is the only warm thing in a picture."""
    red, _, blue = picture.astype(int).transpose(2, 0, 1)
    return red - blue > 25


def is_camera(picture: np.ndarray) -> np.ndarray:
    """Blue pixels: the filming camera and its path."""
    red, _, blue = picture.astype(int).transpose(2, 0, 1)
    return blue - red > 40


def draw_lens(shot: Shot, frame: int, size: tuple[int, int]) -> np.ndarray:
    return lens_panel(stage_of(shot), frame, size, STILL)


@pytest.mark.parametrize("frame", [0, 6, 12])
def test_the_lens_shows_the_person_where_the_joints_project(frame: int):
    shot = pushing_shot()
    picture = draw_lens(shot, frame, (320, 200))
    rows, columns = np.nonzero(is_person(picture))
    crown = shot.clip.motion.joints[:, 15:16] + torch.tensor([0.0, 0.0, 0.205])
    points = torch.cat([shot.clip.motion.joints, crown], dim=1)
    ndc = project_joints(shot.camera, points).ndc[frame].numpy()
    x, y = (ndc[:, 0] + 1) / 2 * 320, (1 - ndc[:, 1]) / 2 * 200
    assert abs(columns.min() - x.min()) < 11
    assert abs(columns.max() - x.max()) < 11
    assert abs(rows.min() - y.min()) < 4
    assert abs(rows.max() - y.max()) < 5


def test_the_lens_keeps_its_aspect_ratio():
    shot = pushing_shot(aspect=2.0)
    picture = draw_lens(shot, 3, (200, 200))
    bars = np.array(colours.screen(colours.INK))
    assert (picture[:50] == bars).all()
    assert (picture[150:] == bars).all()
    assert not (picture[50:150] == bars).all(axis=-1).any()
    np.testing.assert_array_equal(picture[50:150], draw_lens(shot, 3, (200, 100)))


def test_outside_shows_person_camera_and_a_still_background():
    shot = pushing_shot()
    stage = stage_of(shot)
    outside = build_outside(stage, (240, 180))
    first, last, again = (outside_picture(stage, outside, n, STILL) for n in (0, 12, 0))
    np.testing.assert_array_equal(first, again)
    for picture in (first, last):
        assert is_person(picture).sum() > 300
        assert is_camera(picture).sum() > 100
    np.testing.assert_array_equal(first, draw_outside(shot, 0, (240, 180)))
    # Person and camera move, the rest does not.
    assert 0.02 < (np.abs(first.astype(int) - last) > 2).any(axis=-1).mean() < 0.4


def test_the_start_of_the_path_is_golden():
    shot = pushing_shot()
    stage = stage_of(shot)
    view = outside_view(stage, (480, 360))
    start = (shot.camera.centre[0].numpy() - view.centre) @ view.world_from_camera
    column = int((start[0] / start[2] + view.tan_half_width) / view.ray_step[0])
    row = int((start[1] / start[2] + view.tan_half_height) / view.ray_step[1])
    around = draw_outside(shot, 12, (480, 360))[row - 4 : row + 5, column - 4 : column + 5]
    red, green, blue = around.astype(int).transpose(2, 0, 1)
    assert ((red > green + 20) & (green > blue + 40)).sum() > 8


def test_a_clip_is_drawn_without_camera():
    picture = draw_outside(walking_clip(), 5, (160, 120))
    assert is_person(picture).sum() > 200
    assert not is_camera(picture).any()


def test_poses_grow_stronger_with_time():
    clip = walking_clip(metres=7.0)
    size = (600, 200)
    picture = poses_panel(stage_of(clip), size)
    stage = stage_of(clip)
    view = outside_view(stage, size)
    poses = pose_frames(stage, key_frames(stage.frames))
    assert len(poses) == 5
    warmth = []
    for frame in poses:
        x, y, depth = (stage.joints[frame, 9] - view.centre) @ view.world_from_camera
        column = int((x / depth + view.tan_half_width) / view.ray_step[0])
        row = int((y / depth + view.tan_half_height) / view.ray_step[1])
        patch = picture[row - 2 : row + 3, column - 2 : column + 3].astype(int)
        warmth.append((patch[..., 0] - patch[..., 2]).mean())
    assert warmth == sorted(warmth)
    assert warmth[-1] > 2 * warmth[0] > 10


def test_a_motion_in_place_becomes_a_row_of_poses():
    clip = walking_clip(metres=0.1)
    columns = is_person(poses_panel(stage_of(clip), (600, 200))).any(axis=0)
    groups = np.flatnonzero(np.diff(columns.astype(int)) == 1)
    assert len(groups) == 5


def test_film_and_still_finish_show_the_same():
    shot = pushing_shot()
    stage = stage_of(shot)
    film, still = (lens_picture(stage, 4, (160, 100), finish) for finish in (FILM, STILL))
    difference = np.abs(film.astype(int) - still)
    assert difference.mean() < 0.6
    assert (difference.max(axis=-1) > 40).mean() < 0.004


def strange_cameras() -> dict[str, CameraPath]:
    clip = walking_clip()
    chest = tuple(clip.motion.joints[5, 9].tolist())
    good = steady_camera(clip, (0.4, -3.0, 1.5))
    roll = torch.tensor([[0.0, -1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0]], dtype=torch.float64)
    about = torch.tensor([[-1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, -1.0]]).double()
    down = torch.tensor([[1.0, 0.0, 0.0], [0.0, -1.0, 0.0], [0.0, 0.0, -1.0]]).double()
    return {
        "looks away": replace(good, world_from_camera=good.world_from_camera @ about),
        "rolled": replace(good, world_from_camera=good.world_from_camera @ roll),
        "straight down": replace(good, world_from_camera=down.expand(13, 3, 3)),
        "inside the chest": steady_camera(clip, (chest[0], chest[1], chest[2])),
        "on the floor": steady_camera(clip, (0.4, -3.0, 0.0)),
        "below the floor": steady_camera(clip, (0.4, -3.0, -1.5)),
        "a kilometre away": steady_camera(clip, (900.0, -400.0, 200.0)),
        "far beyond sight": steady_camera(clip, (9e6, -4e6, 2e5)),
        "narrow": steady_camera(clip, (30.0, -20.0, 1.0), fov=0.02),
        "wide": steady_camera(clip, (0.4, -1.5, 1.5), fov=3.0),
        "letter slit": steady_camera(clip, (0.4, -3.0, 1.5), aspect=40.0),
        "tower": steady_camera(clip, (0.4, -3.0, 1.5), aspect=0.05),
    }


@pytest.mark.parametrize("name", strange_cameras())
def test_strange_cameras_give_pictures(name: str):
    clip = walking_clip()
    shot = Shot(clip, strange_cameras()[name], ORIGIN)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        lens = draw_lens(shot, 5, (64, 48))
        outside = draw_outside(shot, 5, (64, 48))
    assert outside.std() > 1
    if name == "looks away":
        assert not is_person(lens).any()
    if name in ("rolled", "below the floor", "on the floor", "narrow"):
        assert is_person(lens).sum() > 20


@pytest.mark.parametrize("size", [(2, 2), (3, 41), (37, 2), (5, 7)])
def test_tiny_pictures_are_drawn(size: tuple[int, int]):
    shot = pushing_shot()
    assert draw_lens(shot, 0, size).shape == (size[1], size[0], 3)
    assert draw_outside(shot, 0, size).shape == (size[1], size[0], 3)


def test_one_frame_is_enough():
    whole = pushing_shot()
    shot = Shot(cut(whole.clip, 0, 1), whole.camera.part(slice(1)), ORIGIN)
    assert contact_sheet(shot, 300).shape[1] == 300
    assert is_person(poses_panel(stage_of(shot.clip), (120, 80))).any()
    assert is_person(page_picture(build_side_by_side(shot, 200), 0, FILM)).any()


@pytest.mark.parametrize("frame", [-1, 13, 10**9])
def test_frames_that_do_not_exist_are_refused(frame: int):
    with pytest.raises(ClipError, match="13 frames"):
        draw_outside(pushing_shot(), frame, (64, 48))


def test_contact_sheets_hold_three_lens_views():
    shot = pushing_shot()
    page = contact_sheet(shot, 500)
    stage = stage_of(shot)
    # From the layout: the lens column ends one unit (5 px) before the page does.
    height = (page.shape[0] - 5 - _top_of(page) - 2 * 5) // 3
    width = round(height * 1.6)
    for number, frame in enumerate((0, 6, 12)):
        panel = lens_picture(stage, frame, (width, height), STILL)
        top = _top_of(page) + number * (height + 5)
        placed = page[top : top + height, 500 - 5 - width : 495]
        # The corner carries the number and the time.
        np.testing.assert_array_equal(placed[20:], panel[20:])


def _top_of(page: np.ndarray) -> int:
    """First row below the title where the page's right edge is painted."""
    painted = (page[:, 490] < 255).any(axis=-1)
    return int(np.flatnonzero(painted)[0])


def test_grid_sheets_mix_shots_and_clips():
    page = grid_sheet([walking_clip(), pushing_shot(), walking_clip(metres=0.0)], 2, 120)
    assert page.shape[1] == 2 * (120 + 3) + 3
    middle = page.shape[0] // 2
    for person in (page[:middle, :123], page[:middle, 126:], page[middle:, :123]):
        assert is_person(person).sum() > 100
    assert is_camera(page[:middle, 126:]).sum() > 30
    assert not is_camera(page[:, :123]).any()
    assert (page[middle + 9 :, 126:] == 255).all()  # the fourth place is empty paper


def test_empty_and_impossible_sheets_are_refused():
    with pytest.raises(AesopError, match="nothing"):
        grid_sheet([])
    with pytest.raises(AesopError, match="pixels"):
        contact_sheet(pushing_shot(), 20)
    with pytest.raises(AesopError, match="pixels"):
        grid_sheet([walking_clip()] * 3, 3, 9000)
