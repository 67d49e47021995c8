"""Depth, normals and OpenPose pictures of the lens: closed forms, and agreement with each other."""

import colorsys
from pathlib import Path

import av
import numpy as np
import pytest

from aesop.export.export_files import write_export
from aesop.preview.canvas import View, looking
from aesop.preview.control_passes import (
    depth_picture,
    nearest_m,
    normal_picture,
    pass_size,
    surface_of,
)
from aesop.preview.openpose import (
    COLOURS,
    KEYPOINT,
    LIMBS,
    keypoint_places,
    keypoints_of,
    pose_picture,
)
from aesop.preview.stage import lens_view, stage_of
from aesop.scene.skeleton import JOINT
from tests.export.makers import FRAMES, moving_shot

SHOT = moving_shot()
STAGE = stage_of(SHOT)
SIZE = (370, 200)
# Depth gives up its lowest bits to the number of the solid: seven of 23.
DEPTH_SHARE = 2.0**-15


def lens(frame: int) -> View:
    assert STAGE.camera is not None
    return lens_view(STAGE.camera, frame, *SIZE)


def back_projected(frame: int, depth: np.ndarray) -> np.ndarray:
    """World points of all pixels."""
    view = lens(frame)
    x, y = np.meshgrid(view.columns, view.rows)
    rays = np.stack([x, y, np.ones_like(x)], axis=-1)
    return view.centre + depth[..., None] * (rays @ view.world_from_camera.T)


@pytest.mark.parametrize("frame", [0, 17, FRAMES - 1])
def test_every_pixel_is_floor_mannequin_or_nothing(frame: int):
    surface = surface_of(STAGE, frame, SIZE)
    is_there = np.isfinite(surface.depth_m)
    depth = np.where(is_there, surface.depth_m, 0).astype(np.float64)
    points = back_projected(frame, depth)[is_there]
    away = surface.depth_m[is_there]
    is_floor = np.abs(points[:, 2]) < 2 * DEPTH_SHARE * away
    near_body = np.linalg.norm(points[:, None] - STAGE.joints[frame], axis=-1).min(1)
    assert is_floor.any() and (~is_floor).any()
    # The widest part of the mannequin is half a thigh away from any joint.
    assert near_body[~is_floor].max() < 0.3


def test_normals_are_how_depth_changes():
    surface = surface_of(STAGE, 17, SIZE)
    points = back_projected(17, np.minimum(surface.depth_m, 100).astype(np.float64))
    across = points[1:-1, 2:] - points[1:-1, :-2]
    down = points[2:, 1:-1] - points[:-2, 1:-1]
    slopes = np.cross(down, across)
    slopes /= np.linalg.norm(slopes, axis=-1, keepdims=True)
    world = surface.normal.astype(np.float64) @ lens(17).world_from_camera.T
    cosine = (slopes * world[1:-1, 1:-1]).sum(-1)
    person = np.linalg.norm(points[1:-1, 1:-1] - STAGE.joints[17, 0], axis=-1) < 1.2
    # Differences are wrong at outlines only; towards the camera everywhere.
    assert np.median(cosine[person]) > np.cos(np.deg2rad(2))
    assert np.allclose(np.linalg.norm(surface.normal, axis=-1), 1, atol=1e-5)  # single precision


def test_colours_of_normals_are_left_up_and_towards_the_camera():
    """Red on what faces left, green on what faces up, blue on what faces the camera."""
    surface = surface_of(STAGE, 17, SIZE)
    picture = normal_picture(surface).astype(int)
    x, y, z = np.moveaxis(surface.normal, -1, 0)
    for channel, cosine in enumerate((-x, -y, -z)):
        # Rounded to a whole step.
        assert np.abs(picture[..., channel] - 127.5 * (1 + cosine)).max() <= 0.5 + 1e-3
    floor = np.isfinite(surface.depth_m)
    assert (picture[-1, :, 1] > 200).all() and floor[-1].all()


def test_depth_is_brighter_the_nearer_and_white_once():
    near = nearest_m(STAGE)
    pictures = [depth_picture(surface_of(STAGE, f, SIZE), near) for f in range(0, FRAMES, 4)]
    assert max(int(picture.max()) for picture in pictures) >= 250
    surface = surface_of(STAGE, 8, SIZE)
    grey = depth_picture(surface, near)[..., 0].astype(int)
    order = np.argsort(surface.depth_m, axis=None)
    assert (np.diff(grey.reshape(-1)[order]) <= 0).all()
    assert (grey[np.isinf(surface.depth_m)] == 0).all()


def test_dots_have_the_colour_of_their_keypoint_where_the_joint_is_seen():
    pixels = (SHOT.projection.ndc.double().numpy() * (0.5, -0.5) + 0.5) * SIZE
    keypoints = keypoints_of(STAGE.joints[0], STAGE.turns[0], lens(0))
    picture = pose_picture(keypoints, SIZE)
    for name in ("left_wrist", "right_wrist", "left_ankle", "right_knee", "left_elbow"):
        number = KEYPOINT[name]
        assert keypoints.is_found[number]
        # The shot is in single precision.
        assert np.abs(keypoints.pixels[number] - pixels[0, JOINT[name]]).max() < 1e-2
        column, row = keypoints.pixels[number].round().astype(int)
        assert tuple(picture[row, column].tolist()) == COLOURS[number]
    for number, (start, end) in enumerate(LIMBS[:12]):
        ends = [KEYPOINT[start], KEYPOINT[end]]
        column, row = keypoints.pixels[ends].mean(0).round().astype(int)
        shades = [tuple(round(0.6 * v) for v in colour) for colour in COLOURS[number:]]
        # Later limbs may lie over earlier ones.
        assert tuple(picture[row, column].tolist()) in shades
    assert (picture[:5] == 0).all()


@pytest.mark.parametrize(
    ("side", "missing"),
    [
        ((0.0, -3.0), set[str]()),  # at yaw 0 a person faces −y
        ((0.0, 3.0), {"nose", "right_eye", "left_eye"}),
        ((3.0, 0.0), {"right_ear"}),  # from its left
    ],
)
def test_a_face_that_looks_away_is_not_drawn(side: tuple[float, float], missing: set[str]):
    frame = 0
    turns = STAGE.turns[frame].copy()
    turns[JOINT["head"]] = np.array([[1.0, 0, 0], [0, 0, -1], [0, 1, 0]])
    head = STAGE.joints[frame, JOINT["head"]]
    centre = head + np.array([*side, 0.1])
    keypoints = keypoints_of(STAGE.joints[frame], turns, looking(centre, head, (0.6, 0.4), SIZE))
    lost = {name for name, number in KEYPOINT.items() if not keypoints.is_found[number]}
    face = {"nose", "right_eye", "left_eye", "right_ear", "left_ear"}
    # From the side one eye is behind the nose's bridge, but found by a hair or not.
    assert lost & face - ({"nose", "right_eye", "left_eye"} if side[0] else set()) == missing


def test_keypoints_have_the_numbers_and_colours_that_openpose_gave_them():
    """From OpenPose's page on its output, COCO model."""
    known = {"nose": 0, "neck": 1, "right_wrist": 4, "left_wrist": 7, "left_ankle": 13}
    known |= {"right_hip": 8, "left_knee": 12, "right_eye": 14, "left_ear": 17}
    assert {name: KEYPOINT[name] for name in known} == known
    # Hues go round in eighteen equal steps of a third of 255, in RGB.
    hues = [colorsys.rgb_to_hsv(*(value / 255 for value in colour))[0] for colour in COLOURS]
    assert np.allclose(hues, np.arange(18) / 18)
    assert len(set(LIMBS)) == 17


def test_what_lies_outside_the_picture_is_not_drawn():
    view = lens(0)
    behind = view.centre - 2 * view.world_from_camera[:, 2] - STAGE.joints[0, 0]
    keypoints = keypoints_of(STAGE.joints[0] + behind, STAGE.turns[0], view)
    assert not keypoints.is_found.any() and not pose_picture(keypoints, SIZE).any()


def test_the_neck_is_between_the_shoulders():
    places = keypoint_places(STAGE.joints[3], STAGE.turns[3])
    shoulders = STAGE.joints[3, [JOINT["left_shoulder"], JOINT["right_shoulder"]]]
    assert np.allclose(places[KEYPOINT["neck"]], shoulders.mean(0))


@pytest.mark.parametrize("name", ["depth", "normal", "pose"])
def test_a_pass_is_a_video_of_the_shots_rate_length_and_aspect(name: str, tmp_path: Path):
    path = tmp_path / f"a.{name}.mp4"
    write_export(SHOT, path)
    with av.open(str(path)) as container:
        (stream,) = container.streams.video
        assert stream.average_rate == 25
        assert (stream.width, stream.height) == pass_size(1.85)
        assert sum(1 for _ in container.decode(stream)) == FRAMES
    assert max(pass_size(9 / 16)) == 1280 and pass_size(16 / 9) == (1280, 720)
