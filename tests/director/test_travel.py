"""A way in metres: the search, with cameras whose way is known in closed form."""

from collections.abc import Callable, Sequence
from dataclasses import replace

import pytest
import torch

from aesop.director.requests import FilmRequest, RequestError
from aesop.director.travel import CLOSE, FIRST_INTENSITIES, ROUNDS, film_travelling
from aesop.scene.camera import CameraPath
from aesop.scene.human import Provenance
from aesop.scene.shot import Shot
from tests.director.makers import PUSH_IN, walking

FRAMES = 31
Way = Callable[[float], float]


class Filming:
    """Answers with a camera whose way is a function of intensity, and remembers what was asked."""

    def __init__(self, way: Way) -> None:
        self.way = way
        self.calls: list[list[FilmRequest]] = []

    def __call__(self, requests: Sequence[FilmRequest]) -> list[Shot]:
        self.calls.append(list(requests))
        return [self._shot(request) for request in requests]

    def _shot(self, request: FilmRequest) -> Shot:
        along = torch.linspace(0, self.way(request.intensity), FRAMES, dtype=torch.float64)
        centre = torch.stack([along, torch.full_like(along, -3), torch.full_like(along, 1.5)], -1)
        turns = torch.eye(3, dtype=torch.float64).expand(FRAMES, 3, 3)
        camera = CameraPath(turns, centre, torch.full((FRAMES,), 0.7, dtype=torch.float64), 1.5)
        take = 2 if request.take is None else request.take
        choice = () if request.take is not None else ("best of 3 takes: take 2: fault 0.1",)
        notes = ("weights 0", f"seed 5, take {take}", *choice)
        return Shot(
            clip=request.clip,
            camera=camera.to(request.clip.motion.joints),
            provenance=Provenance("filmed by AESOP", notes=notes),
            camera_words=request.camera_words,
            intensity=request.intensity,
        )


REQUEST = FilmRequest(walking(FRAMES), PUSH_IN)


@pytest.mark.parametrize("asked", [0.71, 1.0, 1.83, 2.97])
@pytest.mark.parametrize("way", [lambda a: 2 * a, lambda a: 0.2 + 1.3 * a**2.1])
def test_a_way_between_the_ends_is_met(way: Way, asked: float):
    filming = Filming(way)
    if not way(0.5) <= asked <= way(1.5):
        pytest.skip("outside of what intensities reach")
    (shot,) = film_travelling(filming, [REQUEST], asked)
    assert abs(float(shot.camera.travel) - asked) <= CLOSE * asked
    assert len(filming.calls) <= 1 + ROUNDS
    assert any(note.startswith(f"travel {asked:g} m: intensity") for note in shot.provenance.notes)


def test_the_take_is_chosen_once_and_its_choice_is_told():
    filming = Filming(lambda a: a**3)
    (shot,) = film_travelling(filming, [REQUEST], 0.6)
    assert all(request.take is None for request in filming.calls[0])
    assert len(filming.calls) > 1
    assert all(request.take == 2 for call in filming.calls[1:] for request in call)
    assert sum(note.startswith("best of 3") for note in shot.provenance.notes) == 1


@pytest.mark.parametrize(("asked", "end"), [(0.3, 0.5), (7.0, 1.5)])
def test_a_way_out_of_reach_gets_the_nearest_and_is_told(asked: float, end: float):
    filming = Filming(lambda a: 2 * a)
    (shot,) = film_travelling(filming, [REQUEST], asked)
    assert shot.intensity == end
    assert len(filming.calls) == 1
    assert any("can go 1.00 to 3.00 m" in note for note in shot.provenance.notes)


def test_requests_are_closed_in_on_together_and_each_by_itself():
    filming = Filming(lambda a: a**2)
    takes = [replace(REQUEST, take=take) for take in (0, 1, 3)]
    together = film_travelling(filming, takes, 1.3)
    assert len(filming.calls[0]) == len(takes) * len(FIRST_INTENSITIES)
    alone = [film_travelling(Filming(lambda a: a**2), [take], 1.3)[0] for take in takes]
    assert [shot.intensity for shot in together] == [shot.intensity for shot in alone]


@pytest.mark.parametrize("asked", [0.0, -1.0, float("nan"), float("inf")])
def test_no_camera_goes_such_a_way(asked: float):
    with pytest.raises(RequestError, match="cannot travel"):
        film_travelling(Filming(lambda a: a), [REQUEST], asked)
