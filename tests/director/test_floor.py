"""No camera goes below the floor: one that would is higher all the way, and tilts."""

from dataclasses import replace
from pathlib import Path

import pytest
import torch

from aesop.director.clearance import CLEARANCE_M, FRAMED_SHARE, above_floor
from aesop.director.director import Director
from aesop.scene.camera import CameraPath, look_at
from aesop.scene.human import Clip, shifted
from tests.director.makers import director_of, walking
from tests.tolerances import GEOMETRY32, SOLVED64

FRAMES = 83


def walking_at(height_m: float) -> Clip:
    clip = walking(FRAMES)
    up = clip.motion.joints.new_tensor([0.0, 0.0, height_m])
    return replace(clip, motion=shifted(clip.motion, up))


def sinking(low_m: float, clip: Clip, look_up_m: float = 0.3) -> CameraPath:
    """A zooming camera that comes down from two metres in a bow, lowest in its middle. It looks
    beside the person and above (or below)."""
    share = torch.linspace(0, torch.pi, FRAMES, dtype=torch.float64)
    height = 2.0 - (2.0 - low_m) * share.sin()
    centre = torch.stack([share, 0.3 * share - 4.0, height], dim=-1)
    aim = clip.motion.root.double() + torch.tensor([0.5, 0.0, look_up_m], dtype=torch.float64)
    fov = torch.linspace(0.5, 0.6, FRAMES, dtype=torch.float64)
    return CameraPath(look_at(centre, aim), centre, fov, 1.5)


def seen_root(camera: CameraPath, clip: Clip) -> torch.Tensor:
    """The root in the camera's axes: right, down, ahead."""
    towards = clip.motion.root.double() - camera.centre
    return (camera.world_from_camera.mT @ towards[..., None])[..., 0]


@pytest.mark.parametrize("height_m", [0.0, -3.1, 2.3])
def test_a_camera_below_the_floor_is_lifted_and_keeps_the_person_in_its_picture(height_m: float):
    clip = walking_at(height_m)
    floor = float(clip.motion.joints[..., 2].min())
    camera = sinking(floor - 0.37, clip)
    # The lowest frame lies a little beside the lowest point of the bow.
    assert float(camera.centre[:, 2].min()) == pytest.approx(floor - 0.37, abs=2e-3)
    lifted = above_floor(camera, clip.motion)
    assert float(lifted.centre[:, 2].min()) == pytest.approx(floor + CLEARANCE_M)
    torch.testing.assert_close(lifted.centre.diff(dim=0), camera.centre.diff(dim=0))
    assert (lifted.centre[:, :2] == camera.centre[:, :2]).all()
    assert lifted.fov_vertical is camera.fov_vertical and lifted.aspect == camera.aspect
    before, after = seen_root(camera, clip), seen_root(lifted, clip)
    torch.testing.assert_close(after[:, 1] / after[:, 2], before[:, 1] / before[:, 2])
    assert (after[:, 2] > 0).all()
    # It neither rolls nor pans: what points to the right goes on to.
    right = camera.world_from_camera[..., 0]
    torch.testing.assert_close(lifted.world_from_camera[..., 0], right)
    ahead = lifted.world_from_camera[..., 2]
    assert (ahead[:, 2] < camera.world_from_camera[:, 2, 2]).all(), "from higher up it looks down"
    one = torch.eye(3, dtype=torch.float64).expand(FRAMES, 3, 3)
    torch.testing.assert_close(lifted.world_from_camera @ lifted.world_from_camera.mT, one)


@pytest.mark.parametrize("look_up_m", [-2.1, -1.2, 1.1])
def test_a_person_above_the_picture_comes_nearer_to_it_and_a_person_below_stays(look_up_m: float):
    """Lifting lets everyone sink in the picture. Whoever was above it may, as far as into it."""
    clip = walking_at(0.0)
    camera = sinking(-0.73, clip, look_up_m)
    lifted = above_floor(camera, clip.motion)
    unturned = replace(lifted, world_from_camera=camera.world_from_camera)
    before, after, free = (
        torch.atan2(seen[:, 1], seen[:, 2])
        for seen in (seen_root(it, clip) for it in (camera, lifted, unturned))
    )
    edge = FRAMED_SHARE * camera.fov_vertical / 2
    assert (after >= before - SOLVED64).all() and (after <= free + SOLVED64).all()
    above, framed = before < -edge, before.abs() <= edge
    torch.testing.assert_close(after[~above], before[~above])
    torch.testing.assert_close(after[above], torch.minimum(free, -edge)[above])
    assert bool(above.any()) == (look_up_m < 0) and bool((~above & ~framed).any()) == (
        look_up_m > 0
    )
    turned = lifted.world_from_camera.diff(dim=0).abs().amax()
    assert turned < 2 * camera.world_from_camera.diff(dim=0).abs().amax(), "without a jolt"


@pytest.mark.parametrize("look_up_m", [0.3, -0.2])
def test_a_person_behind_the_camera_turns_nothing_over(look_up_m: float):
    """Behind it, angles jump by a whole turn between above and below."""
    clip = walking_at(0.0)
    camera = sinking(-0.41, clip, look_up_m)
    back = camera.world_from_camera * camera.centre.new_tensor([-1.0, 1.0, -1.0])
    lifted = above_floor(replace(camera, world_from_camera=back), clip.motion)
    assert (lifted.world_from_camera[:, 2, 1] < -0.5).all(), "what was down is down"


def test_a_camera_above_the_floor_comes_back_as_it_is():
    clip = walking_at(0.0)
    floor = float(clip.motion.joints[..., 2].min())
    above = sinking(floor + CLEARANCE_M + 0.01, clip)
    assert above_floor(above, clip.motion) is above
    below = sinking(floor + CLEARANCE_M - 0.01, clip)
    assert above_floor(below, clip.motion) is not below


@pytest.mark.parametrize("height_m", [0.0, 0.31])
def test_directors_know_the_floor_and_say_what_they_lifted(
    cast: Path, monkeypatch: pytest.MonkeyPatch, height_m: float
):
    """The floor is where the person's lowest joint is, wherever that is in the user's world."""
    clip = walking_at(height_m)
    floor = float(clip.motion.joints[..., 2].min())
    made = sinking(floor - 0.21, clip)
    monkeypatch.setattr(
        "aesop.director.scene_cameras.film_clips", lambda _, clips, *__: len(clips) * [made]
    )
    parts = director_of(cast).parts
    lifted = Director(parts).film(clip, "the camera booms down")
    assert float(lifted.camera.centre[:, 2].min()) == pytest.approx(
        floor + CLEARANCE_M, abs=GEOMETRY32
    )
    assert "lifted by 0.31 m to stay above the floor" in lifted.provenance.notes
    raw = Director(parts).film(clip, "the camera booms down", finish="as-sampled")
    # The bow's lowest point lies between two frames.
    assert float(raw.camera.centre[:, 2].min()) == pytest.approx(floor - 0.21, abs=2e-3)
    assert not any("lifted" in note for note in raw.provenance.notes)
