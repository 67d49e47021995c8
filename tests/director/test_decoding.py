"""Consistent decoding: exact on features that agree, and what it keeps where they do not."""

from dataclasses import replace
from pathlib import Path

import pytest
import torch
from torch import Tensor

from aesop.director import sampling
from aesop.director.decoding import (
    AIMED_AT,
    MOST_STRETCH,
    NEAR_M,
    NEAR_SHARE,
    consistent_camera,
    decode_camera,
    keeping_up,
    led_around,
    turned_to,
)
from aesop.director.director import Director
from aesop.director.sampling import PeopleSampling
from aesop.features.camera_features import camera_from_features, camera_to_features
from aesop.features.columns import CAMERA
from aesop.scene.camera import CameraPath, camera_looking_at
from aesop.scene.human import HumanMotion, shifted, turned
from aesop.scene.rotation import about_axis, about_z, geodesic_distance
from aesop.scene.shot import Placement, place_camera
from tests.director.makers import PUSH_IN, WALK, director_of, walking
from tests.tolerances import FILMED32, SOLVED64

FRAMES = 83
# A hundred float64 operations on numbers of a few metres.
EXACT = 1e-12


def person(frames: int = FRAMES) -> HumanMotion:
    motion = walking(frames).motion
    return motion.to(torch.float64)


def booming(motion: HumanMotion) -> CameraPath:
    """A camera beside the way that rises, comes nearer, zooms and leans, aimed near the person."""
    count = motion.frames
    share = torch.linspace(0, 1, count, dtype=torch.float64)
    centre = torch.stack([3.5 - share, 1 + 0.2 * share, 1.3 + 0.7 * share], dim=-1)
    aim = motion.joints[:, AIMED_AT] + torch.tensor([0.1, 0.2, -0.15], dtype=torch.float64)
    camera = camera_looking_at(centre, aim, 0.7)
    lean = about_axis(0.05 * torch.sin(5 * share), "z")
    return replace(
        camera, world_from_camera=camera.world_from_camera @ lean, fov_vertical=0.7 + 0.1 * share
    )


def drifting(features: Tensor, drift: Tensor) -> Tensor:
    """The same features, but `from_root` stands elsewhere."""
    spoilt = features.clone()
    spoilt[:, CAMERA.span("from_root")] += drift
    return spoilt


def slow_drift(frames: int = FRAMES) -> Tensor:
    share = torch.linspace(0, 1, frames, dtype=torch.float64)[:, None]
    return share * torch.tensor([0.3, -0.8, 0.4], dtype=torch.float64)


def worst(first: CameraPath, second: CameraPath) -> float:
    pairs = ((first.centre, second.centre), (first.world_from_camera, second.world_from_camera),
             (first.fov_vertical, second.fov_vertical))  # fmt: skip
    return max(float((a - b).abs().max()) for a, b in pairs)


@pytest.mark.parametrize("frames", [1, 2, 7, 83, 300])
def test_exact_features_give_the_exact_camera(frames: int):
    motion = person(frames)
    camera = booming(motion)
    found = consistent_camera(camera_to_features(camera, motion.root), motion.joints)
    assert worst(found, camera) < EXACT * frames
    assert found.aspect == pytest.approx(camera.aspect, rel=EXACT)


def test_exact_features_of_a_camera_that_goes_with_the_person_are_exact_too():
    """Even one that keeps up with a part of the way only, and one that is very near."""
    motion = person()
    for share, beside in ((0.5, 2.0), (1.0, 2.0), (1.0, 0.35)):
        away = torch.tensor([beside, 0.5, 0.6], dtype=torch.float64)
        centre = motion.root[:1] + share * (motion.root - motion.root[:1]) + away
        camera = camera_looking_at(centre, motion.joints[:, AIMED_AT], 0.7)
        found = consistent_camera(camera_to_features(camera, motion.root), motion.joints)
        assert worst(found, camera) < EXACT * FRAMES


def test_the_papers_decoding_is_the_sum_of_increments_bit_for_bit():
    motion = person()
    features = drifting(camera_to_features(booming(motion), motion.root), slow_drift())
    found = decode_camera(features, motion.joints, motion.root[0], "paper")
    assert worst(found, camera_from_features(features, motion.root[0])) == 0
    other = decode_camera(features, motion.joints, motion.root[0], "consistent")
    assert worst(found, other) > 0.1


def test_steps_stay_as_they_are_in_camera_axes():
    """So travel, speed and movement classes are those of the increments, however it turned."""
    motion = person()
    features = drifting(camera_to_features(booming(motion), motion.root), slow_drift())
    paper, found = (
        decode_camera(features, motion.joints, motion.root[0], how)
        for how in ("paper", "consistent")
    )
    assert float(geodesic_distance(paper.world_from_camera, found.world_from_camera).max()) > 0.1
    before, after = (
        camera.world_from_camera[:-1].mT @ camera.centre.diff(dim=0)[..., None]
        for camera in (paper, found)
    )
    # Rounds of turning end when no centre moves by 1e-9 m any more.
    assert (before - after).abs().max() < 1e-8


def test_no_roll_is_added():
    """Pan is about the vertical and tilt about the camera's own x axis: its height stays."""
    motion = person()
    camera = booming(motion)
    features = drifting(camera_to_features(camera, motion.root), slow_drift())
    found = consistent_camera(features, motion.joints)
    leans = found.world_from_camera[:, 2, 0] - camera.world_from_camera[:, 2, 0]
    assert leans.abs().max() < EXACT


def test_a_resting_camera_turns_to_the_person_and_stays_where_it_is():
    """Aimed at a standing person's neck from elsewhere, it is aimed at it from where it is."""
    joints = person().joints[:1].expand(FRAMES, -1, -1)
    told = torch.tensor([3.0, 1.0, 2.5], dtype=torch.float64).expand(FRAMES, 3)
    centre = torch.tensor([2.0, -2.0, 1.5], dtype=torch.float64).expand(FRAMES, 3)
    neck = joints[:, AIMED_AT]
    turns = turned_to(camera_looking_at(told, neck, 0.7).world_from_camera, neck, told, centre)
    wanted = camera_looking_at(centre, neck, 0.7).world_from_camera
    assert (turns - wanted).abs().max() < EXACT
    aimed = camera_looking_at(told, neck, 0.7)
    features = camera_to_features(replace(aimed, centre=centre), joints[:, 0])
    share = torch.linspace(0, 1, FRAMES, dtype=torch.float64)[:, None]
    found = consistent_camera(drifting(features, share * (told - centre)), joints)
    assert (found.centre - centre).abs().max() < EXACT
    # Nor does it make way for a person who stands where it is.
    inside = (neck + 0.1) - centre
    features = camera_to_features(replace(aimed, centre=centre + inside), joints[:, 0])
    found = consistent_camera(drifting(features, -share * inside), joints)
    assert (found.centre - found.centre[0]).abs().max() < EXACT


def test_turning_and_moving_the_world_turns_and_moves_the_camera():
    motion = person()
    features = drifting(camera_to_features(booming(motion), motion.root), slow_drift())
    found = consistent_camera(features, motion.joints)
    placement = Placement(torch.tensor(2.1).double(), torch.tensor([3.0, -7.0, 0.4]).double())
    there = shifted(turned(motion, placement.yaw), placement.offset)
    turn = about_z(placement.yaw)
    moved = camera_to_features(place_camera(booming(motion), placement), there.root)
    elsewhere = consistent_camera(drifting(moved, slow_drift() @ turn.T), there.joints)
    # A round more or less where the last one moves a centre by just 1e-9 m.
    assert worst(elsewhere, place_camera(found, placement)) < 1e-8


def way(speed: float, direction: tuple[float, float, float]) -> Tensor:
    share = torch.arange(FRAMES, dtype=torch.float64)[:, None] / 25
    return speed * share * torch.tensor(direction, dtype=torch.float64)


def test_a_camera_that_goes_with_the_person_is_stretched_to_what_from_root_tells():
    person_way, told = way(1.6, (1, 0, 0)), way(1.44, (1, 0, 0)) + 2
    stretch = keeping_up(way(0.8, (1, 0, 0)), told, person_way)
    assert (stretch - 1.44 / 0.8).abs().max() < SOLVED64
    assert keeping_up(way(0.41 * 1.6, (1, 0, 0)), way(9.0, (1, 0, 0)), person_way).max() == (
        pytest.approx(MOST_STRETCH)
    )


@pytest.mark.parametrize(
    "steps",
    [
        way(0.0, (1, 0, 0)),
        way(0.1, (1, 0, 0)),  # creeps
        way(1.0, (0, 1, 0)),  # crosses
        way(0.8, (1, 1, 0)),  # goes diagonally
        way(1.0, (-1, 0, 0)),  # comes the other way
        way(1.0, (0, 0, 1)),  # rises
        way(1.5, (1, 0, 0)),  # already goes farther
    ],
)
def test_nobody_else_is_stretched(steps: Tensor):
    person_way, told = way(1.6, (1, 0, 0)), way(1.44, (1, 0, 0)) + 2
    assert (keeping_up(steps, told, person_way) == 1).all()


def test_a_way_through_the_body_is_led_around_it():
    joints = person().joints[:1].expand(FRAMES, -1, -1)
    middle = joints[0, AIMED_AT]
    centre = middle + way(1.0, (1, 0, 0)) - way(1.0, (1, 0, 0))[FRAMES // 2]
    told = centre + torch.tensor([0.0, 1.7, 0.0], dtype=torch.float64)

    def nearest(places: Tensor) -> float:
        return float(torch.linalg.vector_norm(joints - places[:, None], dim=-1).min())

    found = led_around(centre, told, joints)
    assert nearest(centre) < 0.01 and nearest(found) >= NEAR_SHARE * NEAR_M
    assert torch.equal(found[:, ::2], centre[:, ::2])  # along what both have in common
    far = centre + torch.tensor([0.0, 3.0, 0.0], dtype=torch.float64)
    assert torch.equal(led_around(far, told, joints), far)


def test_the_finish_says_which_decoding(cast: Path, monkeypatch: pytest.MonkeyPatch):
    parts, kept = director_of(cast).parts, []
    real = sampling.decode_camera

    def keeping(features: Tensor, joints: Tensor, first_root: Tensor, how: str) -> CameraPath:
        kept.append((features, joints, first_root))
        return real(features, joints, first_root, how)  # pyright: ignore[reportArgumentType]

    monkeypatch.setattr(sampling, "decode_camera", keeping)
    bare = Director(parts, people=PeopleSampling(finish="as-decoded"))
    usual = bare.shoot(WALK, PUSH_IN, 2.36, finish="consistent")
    paper = bare.shoot(WALK, PUSH_IN, 2.36, finish="as-sampled")
    (features, joints, first_root), (again, *_) = kept
    assert torch.equal(features, again) and torch.equal(joints[0, 0], first_root)
    summed = camera_from_features(features, first_root)
    assert torch.equal(paper.camera.centre, summed.centre.float())
    assert torch.equal(paper.camera.world_from_camera, summed.world_from_camera.float())
    assert worst(usual.camera, paper.camera) > FILMED32
