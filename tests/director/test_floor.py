"""No camera goes below the floor: one that would is higher all the way, and tilts."""

from dataclasses import replace
from pathlib import Path

import pytest
import torch

from aesop.director.cameras import CLEARANCE_M, above_floor
from aesop.director.journey import Director
from aesop.scene.camera import CameraPath, look_at
from aesop.scene.human import Clip, shifted
from tests.director.makers import director_of, walking

FRAMES = 83


def walking_at(height_m: float) -> Clip:
    clip = walking(FRAMES)
    up = clip.motion.joints.new_tensor([0.0, 0.0, height_m])
    return replace(clip, motion=shifted(clip.motion, up))


def sinking(low_m: float, clip: Clip) -> CameraPath:
    """A zooming camera that comes down from two metres in a bow, lowest in its middle. It looks
    beside the person and above."""
    share = torch.linspace(0, torch.pi, FRAMES, dtype=torch.float64)
    height = 2.0 - (2.0 - low_m) * share.sin()
    centre = torch.stack([share, 0.3 * share - 4.0, height], dim=-1)
    aim = clip.motion.root.double() + torch.tensor([0.5, 0.0, 0.3], dtype=torch.float64)
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
    monkeypatch.setattr("aesop.director.journey.film_clips", lambda *_: [made])
    parts = director_of(cast).parts
    lifted = Director(parts).film(clip, "the camera booms down")
    assert float(lifted.camera.centre[:, 2].min()) == pytest.approx(floor + CLEARANCE_M, abs=1e-5)
    assert "lifted by 0.31 m to stay above the floor" in lifted.provenance.notes
    raw = Director(parts, is_tidy=False).film(clip, "the camera booms down")
    assert float(raw.camera.centre[:, 2].min()) == pytest.approx(floor - 0.21, abs=2e-3)
    assert not any("lifted" in note for note in raw.provenance.notes)
