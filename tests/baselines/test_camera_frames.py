"""Cameras as the baselines tell them: what is encoded decodes to the same camera."""

import math

import numpy as np
import pytest
import torch
from jaxtyping import Float
from torch import Tensor

from aesop.baselines.look_at_frame import (
    LOOK_AT,
    from_look_at,
    level_turn,
    moving_average,
    to_look_at,
)
from aesop.baselines.polar_frame import (
    POLAR,
    angles_of,
    body_attention,
    from_polar,
    from_unit,
    to_polar,
    to_unit,
    turn_of,
)
from aesop.baselines.scene_batch import CameraTracks, PersonPlaces, places_of, tracks_of
from aesop.fables.synthetic import ACTIONS, synthetic_motion
from aesop.features.camera_features import camera_to_features
from aesop.features.human_features import human_to_features
from aesop.scene.camera import camera_looking_at, look_at, project
from aesop.scene.rotation import matrix_from_axis_angle
from tests.tolerances import GEOMETRY64, SOLVED64

FRAMES = 29
People = tuple[PersonPlaces, Float[Tensor, "2 frames 199"]]
EXACT_M = 1e-5  # what a decode in single precision is asked for


@pytest.fixture(scope="module")
def people() -> People:
    """Two people who move, in single precision as networks get them."""
    motions = [
        synthetic_motion(name, FRAMES, np.random.default_rng(number)).clip.motion
        for number, name in enumerate(list(ACTIONS)[:2])
    ]
    features = torch.stack([human_to_features(motion).float() for motion in motions])
    return places_of(features), features


def level_cameras(places: PersonPlaces) -> CameraTracks:
    """Cameras without roll around the people, that look beside the head."""
    dice = torch.Generator().manual_seed(5)
    batch, frames = places.yaw.shape
    offset = torch.randn(batch, frames, 3, generator=dice) * 0.7
    offset = offset + torch.tensor([2.5, -3.0, 0.2])
    aim = places.head + 0.3 * torch.randn(batch, frames, 3, generator=dice)
    centre = places.head + offset
    lens = 0.5 + 0.6 * torch.rand(batch, frames, 2, generator=dice)
    return CameraTracks(look_at(centre, aim), centre, lens)


def test_level_cameras_come_back_from_head_and_screen(people: People):
    places, _ = people
    tracks = level_cameras(places)
    tan_half = torch.tan(tracks.lens.flip(-1) / 2)
    values = to_look_at(tracks, places, tan_half)
    back = from_look_at(values, places, tracks.lens, tan_half)
    assert (back.centre - tracks.centre).abs().max() < EXACT_M
    assert (back.world_from_camera - tracks.world_from_camera).abs().max() < EXACT_M


def test_the_head_falls_where_it_was_told(people: People):
    places, _ = people
    dice = torch.Generator().manual_seed(9)
    beside = torch.tensor([0.4, -2.7, 0.3]) + 0.2 * torch.randn(2, FRAMES, 3, generator=dice)
    screen = 0.8 * (2 * torch.rand(2, FRAMES, 2, generator=dice) - 1)
    lens = torch.tensor([0.6, 1.0]).expand(2, FRAMES, 2)
    tan_half = torch.tan(lens.flip(-1) / 2)
    values = LOOK_AT.join(beside_head=beside, on_screen=screen)
    tracks = from_look_at(values, places, lens, tan_half)
    seen = project(places.head[..., None, :], tracks.world_from_camera, tracks.centre, tan_half)
    assert (seen.ndc[..., 0, :] - screen).abs().max() < EXACT_M
    assert tracks.world_from_camera[..., 2, 0].abs().max() == 0  # no roll, to the last bit


def test_a_head_in_front_is_told_by_hand():
    """A person who faces −y; the camera two metres before the head and level, which sees the head
    in the middle and, raised by a metre and aimed straight, below it."""
    joints = torch.zeros(1, 1, 22, 3)
    joints[..., 15, 2] = 1.5
    places = PersonPlaces(torch.zeros(1, 1, 3), torch.zeros(1, 1), joints)
    turn = look_at(torch.tensor([0.0, -2.0, 1.5]), torch.tensor([0.0, 0.0, 1.5]))[None, None]
    tan_half = torch.tensor([[[1.0, 0.5]]])
    centre = torch.tensor([[[0.0, -2.0, 1.5]]])
    level = to_look_at(CameraTracks(turn, centre, tan_half), places, tan_half)
    assert level.flatten().tolist() == [0, -2, 0, 0, 0]
    raised = CameraTracks(turn, centre + torch.tensor([0.0, 0.0, 1.0]), tan_half)
    told = to_look_at(raised, places, tan_half)
    # One metre down at two metres is half; the image reaches half as well: the edge.
    assert told.flatten().tolist() == [0, -2, 1, 0, -1]


def test_what_is_told_turns_and_moves_with_the_person(people: People):
    places, _ = people
    tracks = level_cameras(places)
    tan_half = torch.tan(tracks.lens.flip(-1) / 2)
    turn = matrix_from_axis_angle(torch.tensor([0.0, 0.0, 0.7]))
    shift = torch.tensor([1.0, -2.0, 0.0])
    moved = PersonPlaces(
        places.root @ turn.T + shift, places.yaw + 0.7, places.joints @ turn.T + shift
    )
    cameras = CameraTracks(
        turn @ tracks.world_from_camera, tracks.centre @ turn.T + shift, tracks.lens
    )
    before, after = (to_look_at(*it, tan_half) for it in ((tracks, places), (cameras, moved)))
    assert (before - after).abs().max() < EXACT_M


def test_level_turns_take_the_wanted_direction_to_the_line_of_sight():
    dice = torch.Generator().manual_seed(2)
    wanted = torch.nn.functional.normalize(
        torch.cat(
            [
                0.4 * torch.randn(37, 2, generator=dice, dtype=torch.float64),
                torch.ones(37, 1, dtype=torch.float64),
            ],
            -1,
        ),
        dim=-1,
    )
    sight = torch.randn(37, 3, generator=dice, dtype=torch.float64)
    sight[:, 2] *= 0.2
    sight = torch.nn.functional.normalize(sight, dim=-1)
    turns = level_turn(sight, wanted)
    found = (turns @ wanted[..., None]).squeeze(-1)
    assert (found - sight).abs().max() < SOLVED64
    eye = torch.eye(3, dtype=torch.float64)
    assert (turns @ turns.transpose(-1, -2) - eye).abs().max() < GEOMETRY64
    assert (torch.linalg.det(turns) > 0).all()


def test_moving_averages_keep_constants_and_stay_within_a_clip():
    values = torch.full((1, 31, 5), 3.0)
    mask = torch.ones(1, 31)
    assert torch.allclose(moving_average(values, mask), values)
    mask[:, 17:] = 0
    values[:, 17:] = 100.0
    short = moving_average(torch.randn(1, 17, 5), torch.ones(1, 17))
    assert float(moving_average(values, mask)[:, :17].max()) < 4
    assert short.shape == (1, 17, 5)
    step = torch.zeros(1, 31, 1)
    step[:, 15:] = 1.0
    once = moving_average(step, torch.ones(1, 31))
    assert bool((once.diff(dim=1) > -1e-6).all())  # a rise stays one, up to a rounding


def test_polar_cameras_come_back(people: People):
    places, _ = people
    tracks = level_cameras(places)
    roll = matrix_from_axis_angle(torch.tensor([0.0, 0.0, 0.2]))
    tracks = CameraTracks(tracks.world_from_camera @ roll, tracks.centre, tracks.lens)
    aspect = (torch.tan(tracks.lens[..., 1:] / 2) / torch.tan(tracks.lens[..., :1] / 2)).float()
    back = from_polar(to_polar(tracks, places.root), aspect)
    assert (back.centre - tracks.centre).abs().max() < EXACT_M
    assert (back.world_from_camera - tracks.world_from_camera).abs().max() < EXACT_M
    assert (back.lens - tracks.lens).abs().max() < EXACT_M


def test_a_polar_camera_by_hand():
    """Three metres before the origin at eye height, level, looking along +y."""
    turn = look_at(torch.tensor([0.0, -3.0, 1.0]), torch.tensor([0.0, 0.0, 1.0]))[None, None]
    lens = torch.tensor([[[0.5, 0.8]]])
    tracks = CameraTracks(turn, torch.tensor([[[0.0, -3.0, 1.0]]]), lens)
    told = to_polar(tracks, torch.tensor([[[0.4, 0.5, 0.9]]]))
    assert POLAR.take(told, "distance").item() == 3.5
    assert POLAR.take(told, "looked_at").flatten().tolist() == [0, 0.5, 1]
    assert POLAR.take(told, "angles").abs().max() == 0
    assert POLAR.take(told, "fov").item() == 0.5


def test_headings_do_not_jump_within_a_clip():
    heading = torch.linspace(2.0, 5.0, 41)[None]
    angles = torch.stack([heading, 0.2 * heading.cos(), 0.1 * heading.sin()], dim=-1)
    found = angles_of(turn_of(angles))
    assert (found - angles).abs().max() < EXACT_M
    assert float(found[..., 0].max()) > math.pi


def test_units_cover_the_range_and_cut_what_lies_beyond():
    low, high = torch.arange(8.0), torch.arange(8.0) + 2
    values = torch.rand(2, 3, 8) * 2 + low
    assert torch.allclose(from_unit(to_unit(values, low, high), low, high), values, atol=EXACT_M)
    assert (to_unit(values + 9, low, high) == 1).all()
    assert torch.equal(to_unit(low.expand(1, 1, 8), low, high), torch.full((1, 1, 8), -1.0))


def test_body_attention_by_hand():
    """A camera at the origin that looks along +y, 90° wide and high: a point at 45° sits on the
    edge; one straight to the side misses by the whole length in one plane, by the cosine."""
    turn = look_at(torch.zeros(3), torch.tensor([0.0, 1.0, 0.0]))[None, None]
    tracks = CameraTracks(turn, torch.zeros(1, 1, 3), torch.full((1, 1, 2), math.pi / 2))
    every = torch.ones(1, 1, 1, dtype=torch.bool)

    def paid(point: list[float], *, inside: bool) -> float:
        points = torch.tensor(point).reshape(1, 1, 1, 3)
        return float(body_attention(points, tracks, every, inside=inside))

    assert paid([0.0, 2.0, 0.0], inside=True) == 0
    assert paid([1.0, 1.0, 0.0], inside=True) == pytest.approx(0, abs=EXACT_M)  # on the edge
    # Horizontal plane: cos 45°·1 − 0; vertical plane: cos 45°·0 − 0; halved.
    assert paid([1.0, 0.0, 0.0], inside=True) == pytest.approx(math.sqrt(0.5) / 2, abs=EXACT_M)
    assert paid([0.0, 2.0, 0.0], inside=False) == pytest.approx(2 - math.sqrt(2), abs=EXACT_M)
    assert paid([1.0, 0.0, 0.0], inside=False) == 0


def test_tracks_are_what_features_say(people: People):
    _, human = people
    motion = synthetic_motion(next(iter(ACTIONS)), FRAMES, np.random.default_rng(0)).clip.motion
    centre = motion.root + torch.tensor([0.3, -3.0, 0.4], dtype=motion.root.dtype)
    path = camera_looking_at(centre, motion.root, 0.7)
    camera = camera_to_features(path, motion.root).float()[None]
    tracks = tracks_of(camera, places_of(human[:1]).root)
    # Clips start canonical: at x = y = 0.
    offset = motion.root[0] * motion.root.new_tensor([1.0, 1.0, 0.0])
    assert (tracks.centre[0] - (path.centre - offset).float()).abs().max() < EXACT_M
    assert (tracks.world_from_camera[0] - path.world_from_camera.float()).abs().max() < EXACT_M
