"""One camera from cameras at several intensities, and the director's shots under a curve."""

from dataclasses import replace

import pytest
import torch

from aesop.director.director import Director
from aesop.director.finish import Finish
from aesop.director.intensity_over_time import LARGEST_GAP, camera_over_time, levels_of
from aesop.director.requests import FilmRequest, RequestError
from aesop.director.rule_based import Operator
from aesop.scene.camera import CameraPath, look_at
from aesop.scene.intensity_curve import IntensityCurve
from aesop.scene.shot import Shot, ground
from aesop.scene.skeleton import JOINT
from tests.director.makers import PUSH_IN, TRUCK, WALK, walking
from tests.director.test_laws import apart, same_camera
from tests.tolerances import FILMED32, GEOMETRY64

FPS, FRAMES = 25.0, 151
CURVE = IntensityCurve.from_text("0:0.6 2:0.6 3:1 4:1 5:1.5")
NECK = JOINT["neck"]


def way_of(intensity: float) -> CameraPath:
    """A camera that goes as far as it is asked to, on a curve that bends, and watches the neck."""
    clip = walking(FRAMES)
    time = torch.arange(FRAMES, dtype=torch.float64) / FPS
    bend = torch.stack([0.5 * time, 0.2 * torch.sin(time), 0.1 * time], -1)
    centre = torch.tensor([0.3, -4.0, 1.4], dtype=torch.float64) + intensity * bend
    turns = look_at(centre, clip.motion.joints[:, NECK].double())
    fov = torch.full((FRAMES,), 0.6, dtype=torch.float64) + 0.1 * intensity
    return CameraPath(turns, centre, fov, 1.5)


def over_time(curve: IntensityCurve) -> CameraPath:
    cameras = {level: way_of(level) for level in levels_of(curve, FRAMES, FPS)}
    return camera_over_time(cameras, curve, walking(FRAMES).motion.joints, FPS)


def from_start(camera: CameraPath, first: int, last: int) -> torch.Tensor:
    return camera.centre[first : last + 1] - camera.centre[first]


@pytest.mark.parametrize(
    ("first", "last", "level"), [(0, 50, 0.6), (75, 100, 1.0), (125, 150, 1.5)]
)
def test_where_a_curve_stays_the_way_has_the_shape_of_that_intensity(
    first: int, last: int, level: float
):
    made, wanted = over_time(CURVE), way_of(level)
    gone = from_start(made, first, last) - from_start(wanted, first, last)
    assert float(gone.abs().max()) < GEOMETRY64
    lens = made.fov_vertical[first : last + 1] - wanted.fov_vertical[first : last + 1]
    assert float(lens.abs().max()) < GEOMETRY64


def test_travel_that_is_proportional_is_so_at_every_moment():
    made, usual = over_time(CURVE), way_of(1.0)
    instants = (torch.arange(FRAMES - 1) + 0.5).double() / FPS
    steps, once = made.centre.diff(dim=0), usual.centre.diff(dim=0)
    assert float((steps - CURVE.at(instants)[:, None] * once).abs().max()) < GEOMETRY64


def test_the_person_stays_where_they_are_in_the_picture():
    """Every camera has the neck in the middle; so has the one that is put together, but for the
    width of the Gaussian that keeps turns smooth."""
    made, neck = over_time(CURVE), walking(FRAMES).motion.joints[:, NECK].double()
    seen = ((neck - made.centre)[:, None] @ made.world_from_camera)[:, 0]
    off = torch.rad2deg(torch.atan2(torch.linalg.vector_norm(seen[:, :2], dim=-1), seen[:, 2]))
    unturned = ((neck - made.centre)[:, None] @ way_of(1.0).world_from_camera)[:, 0]
    was_off = torch.rad2deg(torch.atan2(unturned[:, 0].abs(), unturned[:, 2]))
    assert float(off.max()) < 3 < float(was_off.max())  # degrees


def test_levels_are_the_points_the_usual_one_and_enough_between():
    levels = levels_of(CURVE, FRAMES, FPS)
    assert {0.6, 1.0, 1.5} <= set(levels) and list(levels) == sorted(set(levels))
    gaps = torch.tensor(levels, dtype=torch.float64).diff()
    assert float(gaps.max()) <= LARGEST_GAP
    # A shot that ends before the last point films nothing beyond what it meets.
    assert levels_of(CURVE, 51, FPS) == (0.6,)
    assert max(levels_of(CURVE, 101, FPS)) == 1.0
    assert 1.0 not in levels_of(IntensityCurve.from_text("0:1.2 2:1.5"), FRAMES, FPS)


@pytest.mark.parametrize("finish", ["as-sampled", "best-take", "hand"])
def test_a_constant_curve_is_the_number_to_the_bit(director: Director, finish: Finish):
    flat = IntensityCurve.from_text("0:0.7 1.3:0.7")
    unmet = IntensityCurve.from_text("0:0.7 20:0.7 22:1.5")  # stays there as long as the shot is
    number, *curves = [
        director.film(walking(61), PUSH_IN, intensity, seed=4, finish=finish)
        for intensity in (0.7, flat, unmet)
    ]
    assert all(same_camera(number.camera, shot.camera) for shot in curves)
    assert number.provenance.notes == curves[0].provenance.notes
    assert curves[0].intensity == 0.7 and curves[0].intensity_curve is None
    assert curves[1].intensity_curve == unmet


def test_a_curve_films_the_take_of_one_and_begins_where_it_begins(director: Director):
    """But for the height: each is lifted by as much as it needs to stay above the floor."""
    curve = IntensityCurve.from_text("0:1 0.8:1 1.6:1.5")
    requests = [FilmRequest(walking(61), TRUCK, a, 4) for a in (1.0, 1.5, curve)]
    usual, more, shot = director.film_many(requests, finish="best-take")
    assert shot.intensity_curve == curve and 1 < shot.intensity < 1.5
    assert [note for note in shot.provenance.notes if note.startswith("best of")]
    begins = ground(shot.camera.centre[0] - usual.camera.centre[0])
    assert float(begins.abs().max()) < FILMED32
    for first, last, like in ((0, 20, usual), (40, 60, more)):
        gone = from_start(shot.camera, first, last) - from_start(like.camera, first, last)
        assert float(gone.abs().max()) < 2 * FILMED32  # two paths that were filmed


def test_curves_do_not_change_their_neighbours(director: Director):
    curve = IntensityCurve.from_text("0:0.6 1:1.4")
    requests = [FilmRequest(walking(61), PUSH_IN, a, 4) for a in (0.6, curve, 1.4)]
    together = director.film_many(requests)
    alone = [director.film_many([request])[0] for request in requests]
    assert max(apart(a.camera, b.camera) for a, b in zip(together, alone, strict=True)) < FILMED32


def test_shoot_films_curves_of_the_same_person(director: Director):
    curve = IntensityCurve.from_text("0:0.6 1:1.4")
    shot = director.shoot(WALK, PUSH_IN, 2.36, curve, seed=5)
    assert shot.intensity_curve == curve
    assert torch.equal(shot.clip.motion.joints, director.act(WALK, 2.36, 5).motion.joints)


def test_values_of_a_curve_are_intensities():
    for text in ("0:0.5 2:2", "0:0 2:1"):
        with pytest.raises(RequestError, match="not between 0 and 2"):
            FilmRequest(walking(61), PUSH_IN, IntensityCurve.from_text(text)).check()


def test_a_curve_warns_of_what_it_cannot_do(director: Director, caplog: pytest.LogCaptureFixture):
    late = IntensityCurve.from_text("0:0.4 9:1.4")
    director.film(walking(61), "the camera makes a full circle around her", late, seed=4)
    told = caplog.text
    assert "0.4 lies outside" in told and "goes on after the end" in told
    assert "says how far" in told


def test_the_operator_goes_as_far_as_the_curve_says():
    clip = walking(FRAMES)
    curve = IntensityCurve.from_text("0:0.5 2.5:0.5 3.5:1.5")
    usual, shot = (Operator().film(clip, PUSH_IN, a, seed=3) for a in (1.0, curve))
    for first, last, value in ((0, 62, 0.5), (88, 150, 1.5)):
        made, once = (float(_part(one, first, last)) for one in (shot, usual))
        assert made == pytest.approx(value * once, rel=FILMED32)
    with pytest.raises(RequestError, match="one intensity"):
        Operator().film(clip, "a low-angle close-up, push in", curve)


def _part(shot: Shot, first: int, last: int) -> torch.Tensor:
    return shot.camera.part(slice(first, last + 1)).travel


def test_requests_keep_what_they_are_asked_but_for_constants():
    request = FilmRequest(walking(61), PUSH_IN, IntensityCurve.from_text("0:0.7 2:0.7"))
    assert request.intensity == 0.7
    assert replace(request, intensity=CURVE).intensity is CURVE
