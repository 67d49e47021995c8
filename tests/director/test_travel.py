"""A way in metres: the search, with cameras whose way is known in closed form."""

import math
from collections.abc import Callable, Sequence
from dataclasses import replace

import pytest
import torch

from aesop.camera_words.attributes import Size
from aesop.camera_words.standing_tagger import size_from_picture
from aesop.director.film_report import film_report
from aesop.director.requests import FilmRequest, RequestError
from aesop.director.travel import (
    CLOSE,
    CLOSE_SIZE,
    FIRST_INTENSITIES,
    ROUNDS,
    SIZES,
    EndSizeGoal,
    check_end_size,
    end_picture_m,
    film_for,
    film_travelling,
    goal_of,
    told_travel_m,
)
from aesop.export.file_world import file_camera, in_file_world
from aesop.scene.camera import CameraPath, camera_looking_at
from aesop.scene.human import Clip, Provenance
from aesop.scene.rotation import about_z
from aesop.scene.shot import Shot
from aesop.scene.skeleton import JOINT
from aesop.scene.source import Source
from tests.director.makers import PUSH_IN, walking
from tests.tolerances import rounded32

FRAMES = 31
FOV = 0.7
Pushes = Callable[[Sequence[FilmRequest]], list[Shot]]
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
        assert isinstance(request.intensity, float)
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


def test_a_way_that_leaps_is_closed_in_on_from_both_sides():
    """Where the hand begins to correct, the way leaps: no straight line leads there."""
    filming = Filming(lambda a: a if a < 1.13 else a + 2)
    (shot,) = film_travelling(filming, [REQUEST], 1.129)
    assert abs(float(shot.camera.travel) - 1.129) <= CLOSE * 1.129


SCALES = (0.5, 0.846, 1.0, 1.7)  # of the person, beside the file's


def from_file(clip: Clip, resized: float, unit: float = 0.01) -> Clip:
    """As if it came from a file of its own rate in centimetres."""
    source = Source(
        kind="test", file="walk.bvh", skeleton="SMPL", fps=25.0, frames=clip.frames, start_frame=1,
        first_frame=1.0, up="z", metres_per_unit=unit, scale=unit * resized,
        clip_from_file=about_z(torch.tensor(0.7).double()),
        shift=torch.tensor([0.3, -1.1, 0.07]).double(),
    )  # fmt: skip
    return replace(clip, source=source)


def exported_m(shot: Shot) -> float:
    """The way of the camera in the file that is exported, in metres."""
    placed = in_file_world(shot)
    assert placed.clip.source is not None
    return float(file_camera(placed).travel) * placed.clip.source.metres_per_unit


@pytest.mark.parametrize("resized", SCALES)
def test_metres_asked_and_told_are_those_of_the_exported_path(resized: float):
    request = replace(REQUEST, clip=from_file(REQUEST.clip, resized))
    (shot,) = film_travelling(Filming(lambda a: 1.5 * resized * a), [request], 1.83)
    rounded = rounded32(FRAMES, 3.0 * 1.83)
    assert told_travel_m(shot) == pytest.approx(exported_m(shot), abs=rounded)
    assert film_report(shot).travel_m == pytest.approx(exported_m(shot), abs=rounded)
    assert abs(exported_m(shot) - 1.83) <= CLOSE * 1.83 + rounded
    (note,) = [note for note in film_report(shot).corrections if note.startswith("travel 1.83 m")]
    assert note.endswith(f"goes {told_travel_m(shot):.2f} m")


def test_at_its_own_size_a_motion_of_a_file_is_filmed_and_told_as_without_it():
    bare, placed = (
        film_travelling(Filming(lambda a: a**2), [replace(REQUEST, clip=clip)], 1.3)[0]
        for clip in (REQUEST.clip, from_file(REQUEST.clip, 1.0))
    )
    assert bare.intensity == placed.intensity and bare.provenance == placed.provenance
    assert film_report(bare) == film_report(placed)


def pushing(from_m: float, metres: float) -> Pushes:
    """A camera in front of the person that ends nearer by this many metres at intensity one."""

    def film(requests: Sequence[FilmRequest]) -> list[Shot]:
        return [_pushed(request, from_m, metres) for request in requests]

    return film


def _pushed(request: FilmRequest, from_m: float, metres: float) -> Shot:
    assert isinstance(request.intensity, float)
    neck = request.clip.motion.joints[:, JOINT["neck"]]
    away = torch.linspace(from_m, from_m - metres * request.intensity, FRAMES)
    ahead = torch.tensor([0.0, -1.0, 0.0])
    camera = camera_looking_at(neck + away[:, None] * ahead, neck, FOV)
    origin = Provenance("filmed by AESOP", notes=("seed 5, take 0",))
    return Shot(request.clip, camera, origin, request.camera_words, intensity=request.intensity)


@pytest.mark.parametrize("size", ["close-up", "medium", "full", "wide"])
def test_a_size_within_reach_is_met(size: Size):
    goal = EndSizeGoal(size)
    ends_m = goal.picture_m / (2 * math.tan(FOV / 2))  # from the neck
    # At intensity 1.1 the camera is where the size has its middle.
    (shot,) = film_for(pushing(ends_m + 2.2, 2.0), [REQUEST], goal)
    assert size_from_picture(end_picture_m(shot)) == size
    assert abs(end_picture_m(shot) / goal.picture_m - 1) <= CLOSE_SIZE
    (note,) = [note for note in shot.provenance.notes if note.startswith(f"end size {size}: ")]
    assert "these words" not in note


def test_a_size_that_grows_with_intensity_is_met_as_well():
    goal = EndSizeGoal("full")
    (shot,) = film_for(pushing(2.0, -1.5), [REQUEST], goal)
    assert size_from_picture(end_picture_m(shot)) == "full"


def test_a_size_out_of_reach_gets_the_nearest_and_is_told():
    (shot,) = film_for(pushing(6.0, 1.0), [REQUEST], EndSizeGoal("close-up"))
    assert shot.intensity == FIRST_INTENSITIES[-1]
    (note,) = [note for note in shot.provenance.notes if note.startswith("end size close-up: ")]
    assert "these words can end on wide (" in note and "to wide (" in note
    assert note.endswith('say "to a close up" in them')


@pytest.mark.parametrize(
    ("size", "spoken"), [("extreme-wide", "an extreme wide"), ("full", "a full")]
)
def test_a_size_is_said_with_its_article(size: Size, spoken: str):
    (shot,) = film_for(pushing(0.8, 0.1), [REQUEST], EndSizeGoal(size))
    assert any(f'say "to {spoken}" in them' in note for note in shot.provenance.notes)


def test_sizes_have_their_middle_within_their_edges():
    for size in SIZES:
        assert size_from_picture(EndSizeGoal(size).picture_m) == size


def test_only_one_of_way_size_and_intensity_is_asked_for():
    assert goal_of(None, None, 1.3) is None
    with pytest.raises(RequestError, match="are asked for"):
        goal_of(2.0, "full")
    with pytest.raises(RequestError, match="are asked for"):
        goal_of(2.0, None, 1.3)
    with pytest.raises(RequestError, match="are asked for"):
        goal_of(None, "full", 1.3)
    with pytest.raises(RequestError, match="no size"):
        check_end_size("huge")


@pytest.mark.parametrize("asked", [0.0, -1.0, float("nan"), float("inf")])
def test_no_camera_goes_such_a_way(asked: float):
    with pytest.raises(RequestError, match="cannot travel"):
        film_travelling(Filming(lambda a: a), [REQUEST], asked)
