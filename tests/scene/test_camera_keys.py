"""What a path has to meet: what is refused, and which frames count."""

from dataclasses import replace

import pytest
import torch

from aesop.core.errors import CameraError
from aesop.scene.camera import camera_looking_at
from aesop.scene.camera_keys import CameraKeys, KeptPart, KeyedCamera, key_miss, path_change
from aesop.scene.rotation import about_z
from tests.tolerances import GEOMETRY64

FRAMES, FPS = 53, 25.0


def path(frames: int = FRAMES):
    share = torch.linspace(0, 1, frames, dtype=torch.float64)[:, None]
    centre = torch.tensor([[3.0, -4.0, 1.5]]) + share * torch.tensor([[-1.0, 2.0, 0.3]])
    return camera_looking_at(centre, torch.zeros(frames, 3, dtype=torch.float64), 0.7)


def key(seconds: float, frame: int = 0, lens: float | None = 0.7) -> KeyedCamera:
    camera = path()
    return KeyedCamera(seconds, camera.world_from_camera[frame], camera.centre[frame], lens)


def kept(first: int, count: int) -> KeptPart:
    return KeptPart(first, path().part(slice(first, first + count)))


@pytest.mark.parametrize(
    ("keys", "said"),
    [
        (CameraKeys(), "No camera"),
        (CameraKeys((key(2.2),)), "from 0 to 2.12 s"),
        (CameraKeys((key(-0.1),)), "from 0 to 2.12 s"),
        (CameraKeys((key(float("nan")),)), "from 0 to 2.12 s"),
        (CameraKeys((key(1.0), key(1.01))), "Two keys"),
        (CameraKeys((key(1.0, lens=3.2),)), "no camera has"),
        (CameraKeys((replace(key(1.0), world_from_camera=torch.ones(3, 3)),)), "no rotation"),
        (CameraKeys((replace(key(1.0), world_from_camera=-torch.eye(3)),)), "no rotation"),
        (CameraKeys((key(0.2),), (kept(0, 11),)), "inside a part"),
        (CameraKeys(kept=(kept(0, 11), kept(7, 5))), "overlap"),
        (CameraKeys(kept=(kept(0, FRAMES),)), "All of the path"),
        (CameraKeys(kept=(replace(kept(0, 11), first_frame=47),)), "has 53 frames"),
    ],
)
def test_what_no_path_can_meet_is_refused(keys: CameraKeys, said: str):
    with pytest.raises(CameraError, match=said):
        keys.check(FRAMES, FPS)


def test_the_end_of_the_last_frame_is_the_last_frame():
    keys = CameraKeys((key(FRAMES / FPS),))
    keys.check(FRAMES, FPS)
    assert keys.anchors(FRAMES, FPS).positions.tolist() == [FRAMES - 1]


def test_a_kept_part_is_met_at_the_frames_next_to_free_ones():
    anchors = CameraKeys((key(1.6),), (kept(7, 11),)).anchors(FRAMES, FPS)
    assert anchors.positions.tolist() == [7, 8, 16, 17, 40]


def test_a_path_misses_none_of_its_own_cameras_and_others_by_how_far_they_are():
    camera = path()
    keys = CameraKeys((key(0.52, 13), key(1.48, 37, None)))
    assert key_miss(camera, keys.anchors(FRAMES, FPS)).place_m < GEOMETRY64
    moved = replace(
        camera,
        centre=camera.centre + torch.tensor([0.0, 0.3, 0.4]),
        world_from_camera=about_z(torch.tensor(0.1).double()) @ camera.world_from_camera,
        fov_vertical=camera.fov_vertical + 0.01,
    )
    for miss in (key_miss(moved, keys.anchors(FRAMES, FPS)), path_change(camera, moved)):
        assert miss.place_m == pytest.approx(0.5)
        assert miss.turn_degrees == pytest.approx(5.729577951)
        assert miss.lens_degrees == pytest.approx(0.5729577951)
