"""The movement tagger: documented classes and smoothing, no dependence on the world frame."""

import math

import numpy as np
import pytest
import torch
from scipy import stats

from aesop.scene import movement
from aesop.scene.camera import CameraPath
from aesop.scene.rotation import about_z, matrix_from_axis_angle
from tests.scene.makers import wandering_camera, wandering_motion

FPS = 25.0


def tag_of(*velocity_mps: float) -> int:
    """Class of a single velocity."""
    return int(movement.tag_velocity(np.array([velocity_mps], dtype=float))[0])


def signs_of(*velocity_mps: float) -> list[int]:
    return movement.signs_from_tag(np.array([tag_of(*velocity_mps)]))[0].tolist()


def straight_path(velocity_mps: np.ndarray, frames: int) -> CameraPath:
    """A camera with an arbitrary fixed aim that moves at a constant camera-frame velocity."""
    aim = matrix_from_axis_angle(torch.tensor([0.4, -1.1, 0.6], dtype=torch.float64))
    step = aim @ torch.tensor(velocity_mps / FPS)
    centre = torch.arange(frames, dtype=torch.float64)[:, None] * step
    return CameraPath(aim.expand(frames, 3, 3), centre, torch.full((frames,), 0.8).double(), 1.5)


@pytest.mark.parametrize("tag", range(movement.CLASSES))
@pytest.mark.parametrize("frames", [31, 97])
def test_each_class_is_found_on_a_path_that_moves_that_way(tag: int, frames: int):
    signs = movement.signs_from_tag(np.asarray(tag))
    path = straight_path(signs * np.array([0.5, 0.4, 0.45]), frames)
    assert movement.tag_path(path, FPS).tolist() == [tag] * (frames - 1)


@pytest.mark.parametrize(
    ("name", "velocity"),
    [
        ("push_in", (0, 0, 1)), ("pull_out", (0, 0, -1)), ("boom_bottom", (0, 1, 0)),
        ("boom_top", (0, -1, 0)), ("trucking_right", (1, 0, 0)), ("trucking_left", (-1, 0, 0)),
        ("static", (0, 0, 0)), ("trucking_left+boom_top+pull_out", (-1, -1, -1)),
    ],
)  # fmt: skip
def test_names_say_the_opencv_direction(name: str, velocity: tuple[int, int, int]):
    assert movement.TAG_NAMES[tag_of(*velocity)] == name


def test_published_class_numbers():
    numbers = {"static": 0, "push_in": 1, "pull_out": 2, "boom_bottom": 3, "boom_top": 6,
               "trucking_right": 9, "trucking_left": 18, "trucking_right+push_in": 10,
               "trucking_right+boom_top": 15}  # fmt: skip
    assert {name: movement.TAG_NAMES.index(name) for name in numbers} == numbers


def test_speeds_at_the_threshold_are_still():
    assert movement.TAG_NAMES[tag_of(0.0200001, 0.02, -0.02)] == "trucking_right"


@pytest.mark.parametrize(("slower", "named"), [(0.61, True), (0.59, False)])
def test_a_clearly_slower_axis_is_not_named(slower: float, named: bool):
    """Dominance 0.4: an axis is dropped when it is more than 40 % slower than another."""
    assert signs_of(-1.0, 0.0, slower) == [-1, 0, int(named)]


def test_three_axes_are_compared_pair_by_pair_on_raw_speeds():
    # x silences y, y (though silenced) silences z, x silences z.
    assert signs_of(1.0, 0.5, 0.25) == [1, 0, 0]
    # x and y close together, z far slower than both.
    assert signs_of(1.0, -0.9, 0.5) == [1, -1, 0]


def test_tags_and_signs_are_inverse():
    tags = np.arange(movement.CLASSES)
    assert np.array_equal(movement.tag_from_signs(movement.signs_from_tag(tags)), tags)


def test_velocity_is_read_in_the_axes_of_the_earlier_frame():
    quarter = about_z(torch.tensor([0.0, math.pi / 2], dtype=torch.float64))
    centre = np.array([[0.0, 0.0, 0.0], [1.0, 0.0, 0.0]])
    velocity = movement.camera_velocity(quarter.numpy(), centre, FPS)
    assert np.allclose(velocity, [[FPS, 0.0, 0.0]])
    velocity = movement.camera_velocity(quarter.flip(0).numpy(), centre, FPS)
    assert np.allclose(velocity, [[0.0, -FPS, 0.0]])


def test_a_rigid_motion_of_the_world_changes_nothing(dice: torch.Generator):
    motion = wandering_motion(149, dice)
    camera = wandering_camera(motion, dice)
    turn = matrix_from_axis_angle(torch.tensor([0.9, 0.4, -1.2]).double())
    moved = CameraPath(
        turn @ camera.world_from_camera,
        camera.centre @ turn.T + torch.tensor([5.0, -7, 3]).double(),
        camera.fov_vertical,
        camera.aspect,
    )
    assert np.array_equal(movement.tag_path(camera, FPS), movement.tag_path(moved, FPS))
    assert len(set(movement.tag_path(camera, FPS).tolist())) > 1


def reference_mode_filter(tags: np.ndarray) -> np.ndarray:
    """The documented filter, index by index, with scipy's mode."""
    if len(tags) < 56:
        return tags
    return np.array(
        [stats.mode(tags[max(0, i - 28) : i + 29]).mode for i in range(len(tags))], dtype=tags.dtype
    )


def reference_short_runs(tags: np.ndarray) -> np.ndarray:
    """The documented removal, written over an explicit list of [class, frames] runs."""
    chunks: list[list[int]] = []
    for tag in tags:
        if chunks and chunks[-1][0] == tag:
            chunks[-1].append(int(tag))
        else:
            chunks.append([int(tag)])
    while len(chunks) > 1:
        sizes = [len(chunk) for chunk in chunks]
        at = sizes.index(min(sizes))
        if sizes[at] >= 25:
            break
        left = 0 if at == 0 else sizes[at] if at == len(chunks) - 1 else -(-sizes[at] // 2)
        if at > 0:
            chunks[at - 1] += [chunks[at - 1][0]] * left
        if at < len(chunks) - 1:
            chunks[at + 1] += [chunks[at + 1][0]] * (sizes[at] - left)
        del chunks[at]
    return np.array([tag for chunk in chunks for tag in chunk])


@pytest.mark.parametrize("length", [1, 2, 24, 25, 26, 55, 56, 57, 83, 199, 299])
def test_smoothing_equals_the_documented_procedure(length: int):
    dice = np.random.default_rng(length)
    for stickiness in (0.5, 0.9, 0.97):
        tags = dice.integers(0, 27, length)
        for i in range(1, length):
            if dice.random() < stickiness:
                tags[i] = tags[i - 1]
        expected = reference_short_runs(reference_mode_filter(tags))
        assert np.array_equal(movement.smooth_tags(tags), expected)


def test_runs_cover_the_path_once():
    tags = np.array([3, 3, 3, 0, 0, 18])
    assert movement.runs(tags) == [(3, 0, 3), (0, 3, 5), (18, 5, 6)]
    assert movement.runs(tags[:0]) == []
