"""Laws of cameras that a path has to meet."""

from dataclasses import replace

import pytest
import torch

from aesop.director.clearance import NEAREST_M
from aesop.director.director import Director
from aesop.director.finish import Finish
from aesop.director.key_warp import HELD_TOKENS, SmoothOffsets, hold_shares, warped_to
from aesop.director.requests import FilmRequest, RequestError, ShootRequest
from aesop.director.rule_based import Operator, film_by
from aesop.director.take_marks import TakeMark
from aesop.metrics.framing_metrics import holding_of
from aesop.models.codec import STRIDE
from aesop.scene.camera import CameraPath, camera_looking_at
from aesop.scene.camera_keys import (
    MET,
    CameraKeys,
    KeptPart,
    KeyedCamera,
    KeyMiss,
    key_miss,
    path_change,
)
from aesop.scene.human import NATIVE_FPS, Clip, shifted, turned
from aesop.scene.picture_format import PictureFormat
from aesop.scene.rotation import about_z
from aesop.scene.shot import Placement, Shot, place_camera
from tests.director.makers import PUSH_IN, TRUCK, WALK, walking
from tests.tolerances import FILMED32, GEOMETRY32, SOLVED64

FRAMES = 61


def looking(clip: Clip, *, aside: float = 3.0, way: float = 1.3) -> CameraPath:
    """A smooth path of the motion's length that looks at the person."""
    share = torch.linspace(0, 1, clip.frames, dtype=torch.float64)[:, None]
    root = clip.motion.root.double()
    eased = share * share * (3 - 2 * share)
    centre = root[:1] + torch.tensor([aside, -4.0, 0.6]) + eased * torch.tensor([-way, way, 0.2])
    return camera_looking_at(centre, root, 0.7)


def key(camera: CameraPath, seconds: float, *, lens: bool = True) -> KeyedCamera:
    there = camera.to(torch.float64).at(torch.tensor([seconds * NATIVE_FPS], dtype=torch.float64))
    angle = float(there.fov_vertical[0]) if lens else None
    return KeyedCamera(seconds, there.world_from_camera[0], there.centre[0], angle)


def three(camera: CameraPath) -> CameraKeys:
    """Both ends, and an instant between two frames."""
    last = (camera.frames - 1) / NATIVE_FPS
    return CameraKeys((key(camera, 0.0), key(camera, 0.413 * last), key(camera, last)))


def miss(shot: Shot, keys: CameraKeys) -> KeyMiss:
    return key_miss(shot.camera, keys.anchors(shot.frames, shot.fps))


def is_met(shot: Shot, keys: CameraKeys) -> bool:
    off = miss(shot, keys)
    return off.place_m < MET.place_m and off.turn_degrees < MET.turn_degrees


@pytest.mark.parametrize("finish", ["as-sampled", "hand"])
def test_keys_are_met(director: Director, finish: Finish):
    clip = walking(FRAMES)
    keys = three(looking(clip))
    shot = director.film(clip, PUSH_IN, finish=finish, keys=keys)
    off = miss(shot, keys)
    assert is_met(shot, keys) and off.lens_degrees < MET.lens_degrees
    assert shot.keys is not None and shot.keys.keys is keys
    assert shot.keys.sampled.place_m > MET.place_m  # untrained cameras are elsewhere
    assert any(note.startswith("warped to its keys") for note in shot.provenance.notes)


def test_keys_in_any_window_of_a_long_motion_are_met(director: Director):
    clip = walking(413)
    keys = CameraKeys((key(looking(clip), 0.52), key(looking(clip), 15.3)))
    assert is_met(director.film(clip, PUSH_IN, finish="best-take", keys=keys), keys)


def test_the_camera_of_a_new_person_meets_keys(director: Director):
    person = director.act(WALK, 2.36, seed=5)
    keys = CameraKeys((key(looking(person), 1.0),))
    (shot,) = director.shoot_many([ShootRequest(WALK, PUSH_IN, 2.36, seed=5, keys=keys)])
    assert is_met(shot, keys)
    assert torch.equal(shot.clip.motion.joints, person.motion.joints)


@pytest.mark.parametrize("finish", ["best-take", "hand"])
def test_keys_on_the_free_path_change_nothing(director: Director, finish: Finish):
    clip = walking(FRAMES)
    free = director.film(clip, PUSH_IN, finish=finish)
    keyed = director.film(clip, PUSH_IN, finish=finish, keys=three(free.camera))
    change = path_change(free.camera, keyed.camera)
    # Untrained cameras stray by metres a frame: between frames turns are met to their own rounding.
    assert change.place_m < GEOMETRY32 * max(float(free.camera.centre.abs().max()), 1.0)
    assert change.turn_degrees < MET.turn_degrees / 10


def test_keys_of_one_request_do_not_reach_another(director: Director):
    clip = walking(FRAMES)
    free = FilmRequest(clip, PUSH_IN, seed=3)
    alone = director.film_many([free])[0]
    beside = director.film_many([free, replace(free, keys=three(looking(clip)))])[0]
    assert path_change(alone.camera, beside.camera).place_m < FILMED32
    assert beside.keys is None and alone.provenance.notes == beside.provenance.notes


def moved_keys(keys: CameraKeys, placement: Placement) -> CameraKeys:
    turn = about_z(placement.yaw.double())
    return CameraKeys(
        tuple(
            replace(
                one,
                world_from_camera=turn @ one.world_from_camera,
                centre=one.centre @ turn.T + placement.offset,
            )
            for one in keys.keys
        ),
        tuple(replace(one, camera=place_camera(one.camera, placement)) for one in keys.kept),
    )


def test_turning_and_moving_the_world_turns_and_moves_the_answer(director: Director):
    clip = walking(FRAMES)
    path = looking(clip)
    keys = CameraKeys((key(path, 2.4),), (KeptPart(3, path.part(slice(3, 14))),))
    still = director.film(clip, PUSH_IN, finish="best-take", keys=keys)
    placement = Placement(torch.tensor(2.1).double(), torch.tensor([3.0, -7.0, 0.4]).double())
    there = Placement(placement.yaw.float(), placement.offset.float())
    motion = shifted(turned(clip.motion, there.yaw), there.offset)
    elsewhere = director.film(
        replace(clip, motion=motion), PUSH_IN, finish="best-take", keys=moved_keys(keys, placement)
    )
    change = path_change(elsewhere.camera, place_camera(still.camera.to(torch.float64), placement))
    # The warp is of the sampled path, which networks answer in float32.
    assert change.place_m < 10 * FILMED32


def test_a_kept_part_is_kept_to_the_bit_and_left_without_a_jolt(director: Director):
    clip = walking(FRAMES)
    path = looking(clip).to(torch.float32)
    keys = CameraKeys(kept=(KeptPart(0, path.part(slice(0, 29))),))
    shot = director.film(clip, TRUCK, keys=keys)
    assert torch.equal(shot.camera.centre[:29], path.centre[:29])
    assert torch.equal(shot.camera.world_from_camera[:29], path.world_from_camera[:29])
    assert torch.equal(shot.camera.fov_vertical[:29], path.fov_vertical[:29])
    # Of two paths that go different ways: at the join only a little of the difference is made up.
    other = looking(clip, aside=-2.0, way=-0.9)
    velocity = warped_to(other, clip, keys).centre.diff(dim=0) * NATIVE_FPS
    change = torch.linalg.vector_norm(velocity.diff(dim=0), dim=-1)
    apart = torch.linalg.vector_norm((path.centre - other.centre).diff(dim=0), dim=-1)
    assert float(change[27]) < 0.2 * float(apart[28]) * NATIVE_FPS


def test_the_operator_meets_keys_and_travels_more_where_it_is_free():
    clip = walking(FRAMES)
    start = CameraKeys((key(looking(clip), 0.0),))
    ends = three(looking(clip))
    travels = []
    for intensity in (0.6, 1.0, 1.4):
        request = FilmRequest(clip, PUSH_IN, intensity, seed=2, keys=start)
        (shot,) = Operator().film_many([request])
        assert is_met(shot, start)
        travels.append(float(shot.camera.travel))
        (held,) = Operator().film_many([replace(request, keys=ends)])
        assert is_met(held, ends)
    assert travels == sorted(travels) and travels[-1] > 1.3 * travels[0]


def test_whoever_films_meets_keys(director: Director):
    clip = walking(FRAMES)
    keys = three(looking(clip))
    (shot,) = film_by("auto", director, [FilmRequest(clip, PUSH_IN, keys=keys)])
    assert is_met(shot, keys)


@pytest.mark.parametrize("intensity", [0.6, 1.4])
def test_keys_are_met_at_any_intensity(director: Director, intensity: float):
    clip = walking(FRAMES)
    keys = three(looking(clip))
    assert is_met(director.film(clip, PUSH_IN, intensity=intensity, keys=keys), keys)


def test_a_key_inside_the_body_is_told_and_not_moved(director: Director):
    clip = walking(FRAMES)
    inside = replace(key(looking(clip), 1.2), centre=clip.motion.root[30].double() + 0.05)
    keys = CameraKeys((inside,))
    shot = director.film(clip, PUSH_IN, keys=keys)
    assert is_met(shot, keys)
    assert any("from the body, and stays there" in note for note in shot.provenance.notes)


def test_the_way_between_keys_is_led_around_the_body():
    """Straight from one side to the other the camera would go through the person."""
    clip = walking(FRAMES)
    clip = replace(clip, motion=clip.motion.part(torch.zeros(FRAMES, dtype=torch.int64)))
    path = looking(clip)
    far = replace(path, centre=path.centre * torch.tensor([-1.0, -1.0, 1.0]))
    keys = CameraKeys((key(path, 0.0), key(far, 2.4)))
    (shot,) = Operator().film_many([FilmRequest(clip, PUSH_IN, seed=1, keys=keys)])
    assert is_met(shot, keys)
    assert holding_of(shot.camera, clip.motion, clip.fps).nearest_m > NEAREST_M


def test_a_lens_that_was_chosen_wins_over_keys(director: Director):
    clip = walking(FRAMES)
    keys = three(looking(clip))
    shot = director.film(clip, PUSH_IN, keys=keys, picture=PictureFormat(lens_mm=50.0))
    assert is_met(shot, keys)
    assert float(shot.camera.fov_vertical.max() - shot.camera.fov_vertical.min()) == 0


def test_no_other_lens_can_be_chosen_for_a_kept_part(director: Director):
    clip = walking(FRAMES)
    keys = CameraKeys(kept=(KeptPart(0, looking(clip).part(slice(0, 11))),))
    with pytest.raises(RequestError, match="50 mm"):
        director.film(clip, PUSH_IN, keys=keys, picture=PictureFormat(lens_mm=50.0))
    with pytest.raises(RequestError, match="50 mm"):
        request = FilmRequest(clip, PUSH_IN, keys=keys)
        Operator().film_many([request], picture=PictureFormat(lens_mm=50.0))


def test_of_equal_takes_the_nearest_to_its_keys_is_best():
    clip = walking(FRAMES)
    holding = holding_of(looking(clip), clip.motion, clip.fps)
    faults = [
        TakeMark(0, None, holding, keys_off=KeyMiss(metres, degrees, 0.0)).fault
        for metres, degrees in ((0.0, 0.0), (0.2, 3.0), (0.2, 11.0), (0.7, 11.0))
    ]
    assert faults == sorted(faults) and len(set(faults)) == 4
    assert faults[0] == TakeMark(0, None, holding).fault


def test_offsets_pass_their_values_and_settle_beyond_them():
    progress = torch.linspace(0, 11.96, 300, dtype=torch.float64)
    positions = torch.tensor([37.0, 52.6, 101.0], dtype=torch.float64)
    values = torch.tensor([[1.0, 2.0], [-1.0, 2.0], [3.0, 2.0]], dtype=torch.float64)
    smooth = SmoothOffsets.along(progress, positions).through(values)
    fading = SmoothOffsets.fading(300, positions, NATIVE_FPS).through(values)
    for curves in (smooth, fading):
        met = torch.lerp(curves[52], curves[53], 0.6)
        assert float((torch.stack([curves[37], met, curves[101]]) - values).abs().max()) < SOLVED64
    assert float((smooth[:, 1] - 2.0).abs().max()) < SOLVED64  # equal values are one offset
    assert float(smooth[250:, 0].diff().abs().max()) < 1e-3  # metres a frame: three seconds later
    assert float(fading[250:].abs().max()) < 0.05  # of 3: (1 + 10) · e⁻¹⁰ of what there was


def test_tokens_are_held_at_keys_and_in_kept_parts():
    path = looking(walking(FRAMES))
    keys = CameraKeys((key(path, 2.2),), (KeptPart(0, path.part(slice(0, 13))),))
    share = hold_shares(keys, FRAMES, NATIVE_FPS)[:, 0]
    assert share.shape == (-(-FRAMES // STRIDE),)
    assert share[:4].tolist() == [1, 1, 1, 1] and share[13] == 1
    falling = share[3 : 3 + HELD_TOKENS - 1].tolist()
    assert falling == sorted(falling, reverse=True) and falling[-1] < 0.5
