"""Cameras in the world of the file that a motion came from: units, axes, rates, frame numbers."""

import math
from dataclasses import replace

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from aesop.core.errors import CameraError
from aesop.scene.camera import CameraPath, project
from aesop.scene.human import cut
from aesop.scene.rotation import about_z, matrix_from_axis_angle
from aesop.scene.shot import canonical
from aesop.scene.skeleton import world_from_rest
from aesop.scene.source import Source, UpAxis, exported_frames, from_source
from tests.scene.makers import to_source, wandering_clip
from tests.tolerances import SOLVED64

UNITS = {"m": 1.0, "cm": 0.01, "mm": 0.001, "inch": 0.0254}
RATES = (24.0, 25.0, 30.0, 60.0, 120.0, 30000 / 1001)


def source_of(
    frames: int, fps: float, metres: float = 0.01, up: UpAxis = "y", resized: float = 0.93
) -> Source:
    """A file of which our clip shows everything from its second frame on, turned about as well."""
    stand = world_from_rest(torch.zeros(1).double()) if up == "y" else torch.eye(3).double()
    return Source(
        kind="test", file="walk.test", skeleton="SMPL", fps=fps, frames=frames, start_frame=1,
        first_frame=2.0, up=up, metres_per_unit=metres, scale=metres * resized,
        clip_from_file=about_z(torch.tensor(0.7).double()) @ stand,
        shift=torch.tensor([0.3, -1.1, 0.07]).double(),
    )  # fmt: skip


def steady_camera(frames: int, aspect: float = 1.9) -> CameraPath:
    """Walks, turns and zooms evenly, so that every instant between frames is known."""
    step = torch.arange(frames, dtype=torch.float64)
    return CameraPath(
        matrix_from_axis_angle(step[:, None] * torch.tensor([0.011, 0.017, -0.005]).double()),
        torch.tensor([2.0, -3.0, 1.5]) + step[:, None] * torch.tensor([0.03, 0.02, -0.005]),
        0.6 + 0.002 * step,
        aspect,
    ).to(torch.float64)


def clip_frames(source: Source) -> int:
    """As many frames of 25 a second as fit into the file from `first_frame` on."""
    last = source.start_frame + source.frames - 1
    return math.floor((last - source.first_frame) * 25 / source.fps + 1e-3) + 1


@settings(max_examples=40, deadline=None)
@given(
    unit=st.sampled_from(sorted(UNITS)),
    up=st.sampled_from(["y", "z"]),
    fps=st.sampled_from(RATES),
    frames=st.integers(31, 211),
    resized=st.floats(0.7, 1.4),
)
def test_a_point_falls_on_the_same_pixel_in_both_worlds(
    unit: str, up: UpAxis, fps: float, frames: int, resized: float
):
    source = source_of(frames, fps, UNITS[unit], up, resized)
    camera = steady_camera(clip_frames(source))
    path = to_source(camera, 25.0, source)
    assert (path.first_frame, path.camera.frames) == (2, frames - 1)
    positions = torch.arange(frames - 1).double() * 25 / fps
    here = camera.at(positions)
    target = here.centre + here.world_from_camera @ torch.tensor([0.4, -0.3, 3.7]).double()
    ours = project(target[:, None], here.world_from_camera, here.centre, here.tan_half_fov)
    there = path.camera
    theirs = project(
        source.in_file(target)[:, None], there.world_from_camera, there.centre, there.tan_half_fov
    )
    assert (ours.ndc - theirs.ndc).abs().max() < SOLVED64
    assert (ours.depth_m / source.scale / theirs.depth_m - 1).abs().max() < SOLVED64


@settings(max_examples=40, deadline=None)
@given(
    unit=st.sampled_from(sorted(UNITS)),
    up=st.sampled_from(["y", "z"]),
    fps=st.sampled_from(RATES),
    rate=st.sampled_from([None, *RATES]),
    frames=st.integers(31, 211),
)
def test_there_and_back_is_the_same_path(
    unit: str, up: UpAxis, fps: float, rate: float | None, frames: int
):
    source = source_of(frames, fps, UNITS[unit], up)
    camera = steady_camera(clip_frames(source))
    back = from_source(to_source(camera, 25.0, source, rate), source, camera.frames, 25.0)
    assert (back.centre - camera.centre).abs().max() < SOLVED64
    assert (back.world_from_camera - camera.world_from_camera).abs().max() < SOLVED64
    assert (back.fov_vertical - camera.fov_vertical).abs().max() < SOLVED64


@pytest.mark.parametrize("fps", RATES)
def test_a_cut_clip_keeps_the_numbers_of_its_file(fps: float):
    source = source_of(211, fps)
    clip = replace(wandering_clip(53, torch.Generator().manual_seed(3)), source=source)
    part = cut(clip, 11, 41)
    assert part.source is not None
    path = to_source(steady_camera(53).part(slice(11, 41)), 25.0, part.source)
    whole = to_source(steady_camera(53), 25.0, source)
    at = path.first_frame - whole.first_frame
    assert path.first_frame == math.ceil(2 + 11 * fps / 25 - 1e-6)  # rounding of the division
    same = whole.camera.centre[at : at + path.camera.frames]
    assert (path.camera.centre - same).abs().max() < SOLVED64


def test_other_rates_keep_the_first_frame_where_it_was():
    source = replace(source_of(121, 120.0), first_frame=1.0)
    camera = steady_camera(clip_frames(source))
    for rate, count in ((24.0, 25), (25.0, 26), (60.0, 61), (120.0, 121)):
        path = to_source(camera, 25.0, source, rate)
        assert (path.first_frame, path.camera.frames) == (1, count)
        assert (source.in_clip(path.camera.centre[0]) - camera.centre[0]).abs().max() < SOLVED64


def test_a_clip_between_two_frames_of_its_file_is_told():
    source = replace(source_of(9, 1.0), first_frame=2.4)
    with pytest.raises(CameraError, match=r"No frame of walk\.test"):
        exported_frames(7, 25.0, source, 1.0)


def test_a_moved_clip_forgets_its_file():
    clip = wandering_clip(7, torch.Generator().manual_seed(5))
    assert canonical(replace(clip, source=source_of(7, 25.0)))[0].source is None
