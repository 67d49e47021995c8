"""How far shots bear scaling: all of it with room, less where the person would be lost."""

from dataclasses import replace

import numpy as np
import pytest

from aesop.features.columns import CAMERA
from aesop.pairs.intensity_gates import ReachGates, reach, stretched
from aesop.pairs.shot_arrays import Film, path_lengths
from tests.pairs.makers import film_of_way, still_root

FRAMES, PADDING = 61, 7
GATES = ReachGates()
START = (0.0, -5.0, 1.4)


def eased(start: tuple[float, ...], change: tuple[float, ...]) -> np.ndarray:
    """A way that begins and ends at rest, which smoothing leaves nearly as it is."""
    share = (1 - np.cos(np.linspace(0, np.pi, FRAMES)))[:, None] / 2
    return np.array(start) + share * np.array(change)


def filmed(change: tuple[float, ...], start: tuple[float, ...] = START) -> Film:
    """A camera that goes straight and keeps looking where the person stands."""
    way = eased(start, change)
    return film_of_way(way, still_root(FRAMES), padding=PADDING)


def with_aim_kept(change: tuple[float, ...], start: tuple[float, ...] = START) -> Film:
    """A camera that goes straight without turning."""
    way = eased(start, change)
    ahead = np.broadcast_to(way[:1] + np.array([0.0, 5.0, -0.4]), way.shape)
    return film_of_way(way, still_root(FRAMES), aim=ahead + (way - way[:1]), padding=PADDING)


def features_of(film: Film) -> np.ndarray:
    """Features whose aim and lens are marks by which they are known again."""
    shape = (len(film.lengths), film.frames, CAMERA.width)
    return np.random.default_rng(11).standard_normal(shape).astype(np.float32)


def paths(film: Film, features: np.ndarray) -> np.ndarray:
    """Travel told by the velocities of features."""
    way = features[..., CAMERA.span("velocity")].astype(np.float64).cumsum(-2)
    return np.stack([path_lengths(it, film.lengths) for it in way])


def test_a_shot_with_room_bears_everything():
    film = with_aim_kept((0.0, 0.6, 0.0))
    np.testing.assert_array_equal(reach(film, GATES), np.ones((2, 1)))


@pytest.mark.parametrize(
    ("change", "start"),
    [
        ((0.0, 3.9, 0.0), START),  # through the person
        ((2.6, 0.0, 0.0), START),  # sideways until nobody is in view
        ((0.0, 0.0, -1.2), START),  # through the floor
        ((0.0, -6.2, 0.0), (0.0, -5.9, 1.4)),  # out of sight behind
    ],
)
def test_a_shot_without_room_bears_less_up_and_all_of_it_down(
    change: tuple[float, ...], start: tuple[float, ...]
):
    down, up = reach(with_aim_kept(change, start), GATES)
    assert down == 1.0 and up == GATES.shares[0]


def test_too_fast_is_too_much():
    film = filmed((0.0, -5.4, 0.0), (0.0, -2.0, 1.4))  # at most 0.141 metres a frame
    (down,), (up,) = reach(film, replace(GATES, farthest_m=99.0))
    assert (down, up) == (1.0, GATES.shares[0])
    (_,), (up,) = reach(film, replace(GATES, farthest_m=99.0, speed=0.23))
    assert up == 1.0


def test_what_a_shot_is_already_it_may_stay():
    """Two centimetres above the floor and far too near, but its way leads neither lower nor
    nearer."""
    film = filmed((0.5, 0.0, 0.0), (0.0, -0.3, 0.02))
    strict = replace(GATES, blind_rise=1.0, severe_rise=1.0)
    np.testing.assert_array_equal(reach(film, strict), np.ones((2, 1)))


def test_shares_between_are_found():
    film = filmed((0.0, 2.9, 0.0))
    gates = replace(GATES, shares=(0.1, 0.2, 0.5, 0.7, 0.9), nearest_m=1.2, severe_rise=1.0)
    # At a = 1 + 0.5·share the camera is about 5.02 − 2.9·a metres away at the end.
    (_,), (up,) = reach(film, gates)
    assert up == 0.5
    # Nothing counts behind the first that is too much.
    (_,), (up,) = reach(film, replace(gates, shares=(0.1, 0.9, 0.2)))
    assert up == 0.1


def test_stretched_shots_keep_start_aim_and_lens_and_scale_their_way():
    film = with_aim_kept((0.3, 0.6, -0.1))
    features = features_of(film)
    asked = np.array([[0.5], [1.0], [1.5]])
    found = stretched(film, features, asked, GATES)
    assert found.shape == (3, *features.shape)
    for name in ("fov_vertical", "fov_horizontal", "rotation"):
        kept = np.broadcast_to(
            features[..., CAMERA.span(name)], found[..., CAMERA.span(name)].shape
        )
        assert found[..., CAMERA.span(name)].tobytes() == kept.tobytes()
    first = found[..., 0, CAMERA.span("from_root")]
    assert (first == first[1]).all()
    own = path_lengths(film.cameras.centre, film.lengths)
    # Tremor is not stretched, only the way beneath it.
    np.testing.assert_allclose(paths(film, found), asked * own, rtol=4e-3)


def test_travel_grows_with_intensity_even_without_room():
    film = with_aim_kept((0.0, 3.9, 0.0))
    asked = np.linspace(0.4, 1.7, 13)[:, None]
    travel = paths(film, stretched(film, features_of(film), asked, GATES))[:, 0]
    own = path_lengths(film.cameras.centre, film.lengths)[0]
    borne = 1 + np.where(asked[:, 0] < 1, 1.0, GATES.shares[0]) * (asked[:, 0] - 1)
    # Tremor is not stretched, only the way beneath it.
    np.testing.assert_allclose(travel / own, borne, rtol=4e-3)
    assert (np.diff(travel) > 0).all()
