"""The operator's shots: where they may not be, what they show, and that they mean what they say."""

from collections import defaultdict
from dataclasses import replace

import numpy as np
import pytest
import torch

from aesop.camera_words.outline import STATIC, Movement
from aesop.core.errors import ClipError
from aesop.fables.cinematographer.filming import film, film_outline
from aesop.fables.cinematographer.lens import ASPECTS, Style
from aesop.fables.cinematographer.moves import SINGLE_AXIS_TAGS
from aesop.scene.camera import CameraPath, out_of_frame, project_joints
from aesop.scene.movement import CLASSES, tag_path
from tests.fables.filmed import Filmed, Person, crew, person
from tests.tolerances import GEOMETRY32

FRAMES = (37, 61, 71, 97, 149)


@pytest.fixture(scope="module")
def pure() -> list[Filmed]:
    return crew("one", 263, FRAMES)


@pytest.fixture(scope="module")
def mixed() -> list[Filmed]:
    return crew("several", 101, FRAMES[1:])


@pytest.fixture(scope="module")
def everything(pure: list[Filmed], mixed: list[Filmed]) -> list[Filmed]:
    return pure + mixed


def test_no_camera_enters_the_ground_or_the_body(everything: list[Filmed]):
    for one in everything:
        centre = one.shot.camera.centre.double().numpy()
        assert centre[:, 2].min() > 0.1
        apart = np.linalg.norm(one.person.joints - centre[:, None], axis=-1)
        assert apart.min() > 0.35


def test_speed_acceleration_and_jerk_stay_where_filmed_cameras_are(everything: list[Filmed]):
    for one in everything:
        step = np.diff(one.shot.camera.centre.double().numpy(), axis=0)
        for order, limit in enumerate((0.1416, 0.03499, 0.01315)):
            size = np.linalg.norm(np.diff(step, n=order, axis=0), axis=-1)
            assert size.max() < limit


def test_rotations_are_rotations(everything: list[Filmed]):
    turns = torch.cat([one.shot.camera.world_from_camera for one in everything]).double()
    assert torch.allclose(turns.mT @ turns, torch.eye(3).double(), atol=GEOMETRY32)
    assert torch.allclose(torch.linalg.det(turns), torch.ones(len(turns)).double(), atol=GEOMETRY32)


def test_the_person_stays_in_the_picture(everything: list[Filmed]):
    lost = [
        out_of_frame(project_joints(one.shot.camera, torch.from_numpy(one.person.joints).float()))
        for one in everything
    ]
    assert torch.cat(lost).double().mean() < 0.015


def test_lenses_are_believable(everything: list[Filmed]):
    assert {one.shot.camera.aspect for one in everything} == set(ASPECTS)
    fov = torch.stack([one.shot.camera.fov_vertical[0] for one in everything]).rad2deg()
    assert fov.min() > 9 and fov.max() < 100 and fov.std() > 8


def test_the_outline_is_what_was_planned(everything: list[Filmed]):
    for one in everything:
        intent = one.shot.intent
        if not any(move.goes_with_person for move in intent.setup.moves):
            assert [m.tag for m in intent.outline] == [move.tag for move in intent.setup.moves]


def test_one_and_several_are_what_they_say(pure: list[Filmed], mixed: list[Filmed]):
    assert all(len(one.shot.intent.outline) == 1 for one in pure)
    assert all(len(one.shot.intent.outline) > 1 for one in mixed)


def test_single_moves_are_rarely_thrown_away_for_their_tags(pure: list[Filmed]):
    # Who walks may be followed, and a follow takes its class from the person.
    in_place = [one for one in pure if not one.action.startswith("walk")]
    thrown = sum(one.shot.redraws["tags"] for one in in_place)
    assert thrown < 0.05 * (len(in_place) + thrown)


def test_all_classes_are_filmed(everything: list[Filmed]):
    tags = np.concatenate([one.shot.intent.tags for one in everything])
    assert set(tags.tolist()) == set(range(CLASSES))


def test_tags_of_the_shaken_path_agree_almost_always(everything: list[Filmed]):
    same = [tag_path(one.shot.camera, 25.0) == one.shot.intent.tags for one in everything]
    assert 0.9 < np.concatenate(same).mean() < 0.995


def test_travel_spans_a_factor_of_four_in_every_single_axis_tag():
    style = Style(static=0.0, single_axis=1.0, clean=0.0)
    travel: dict[int, list[float]] = defaultdict(list)
    for one in crew("one", 257, (61, 71), style):
        travel[one.shot.intent.outline[0].tag].append(one.shot.intent.travel_m)
    for tag in SINGLE_AXIS_TAGS:
        low, high = np.percentile(travel[tag], [10, 90])
        assert len(travel[tag]) >= 11 and high > 4 * low


def test_static_shots_do_not_travel(pure: list[Filmed]):
    static = [one for one in pure if one.shot.intent.outline[0].tag == STATIC]
    assert len(static) > 50
    for one in static:
        assert one.shot.intent.travel_m == 0
        speed = torch.linalg.vector_norm(one.shot.camera.centre.diff(dim=0), dim=-1) * 25
        assert speed.square().mean().sqrt() < 0.014  # 0.01 on average over shots


def test_clean_shots_are_single_trucks_or_dollies_from_afar(pure: list[Filmed]):
    clean = [one.shot.intent for one in pure if one.shot.intent.clean]
    assert len(clean) > 0.1 * len(pure)
    for intent in clean:
        share = intent.travel_m / intent.setup.distance_m
        assert len(intent.tags) >= 59 and intent.shot_size in ("cowboy", "full", "wide")
        assert intent.outline[0].tag in (1, 2, 9, 18)
        assert 0.05 <= share <= (0.2 if intent.outline[0].tag in (9, 18) else 0.35)


def reflected(one: Filmed) -> CameraPath:
    """The same camera going the other way, as direction pairs are made."""
    camera, root = one.shot.camera, torch.from_numpy(one.person.joints[:, 0]).float()
    if one.shot.intent.outline[0].tag in (9, 18):
        right = torch.nn.functional.normalize(camera.world_from_camera[0, :, 0], dim=0)
        way = (camera.centre - camera.centre[0]) @ right
        return replace(camera, centre=camera.centre - 2 * way[:, None] * right)
    line = camera.centre - root
    distance = torch.linalg.vector_norm(line, dim=-1, keepdim=True)
    return replace(camera, centre=root + line * (2 * distance[0] / distance - 1))


def test_reflected_clean_shots_show_the_person_as_well(pure: list[Filmed]):
    for one in pure:
        if one.shot.intent.clean:
            joints = torch.from_numpy(one.person.joints).float()
            visible = project_joints(reflected(one), joints).visible
            assert visible.double().mean() > 0.8 and visible.any(dim=1).all()


def test_arcs_keep_their_distance(everything: list[Filmed]):
    arcs = [
        (one, movement)
        for one in everything
        for movement in one.shot.intent.outline
        if movement.kind == "arc"
    ]
    assert len(arcs) > 7
    spreads: list[float] = []
    for one, movement in arcs:
        frames = slice(movement.first, movement.stop + 1)
        line = one.shot.intent.camera.centre.numpy()[frames, :2] - one.person.joints[frames, 0, :2]
        distance = np.linalg.norm(line, axis=-1)
        spreads.append(float(np.ptp(distance) / distance.mean()))
    assert np.median(spreads) < 0.15


def bend_deg(one: Filmed, first: int, stop: int) -> float:
    """Angle between the first and the last fifth of a way, seen from above."""
    way = one.shot.intent.camera.centre.double().numpy()[first : stop + 1, :2]
    fifth = len(way) // 5
    start, end = way[fifth] - way[0], way[-1] - way[-1 - fifth]
    cosine = start @ end / np.linalg.norm(start) / np.linalg.norm(end)
    return float(np.degrees(np.arccos(np.clip(cosine, -1, 1))))


def test_what_is_told_as_an_arc_bends_and_what_runs_on_rails_does_not(pure: list[Filmed]):
    bends = {"arc": 0, "plain": 0}
    for one in pure:
        (movement,) = one.shot.intent.outline
        # An arc too short to be seen as one is told as a plain truck, and may bend.
        short_arc = movement.kind == "plain" and one.shot.intent.setup.moves[0].kind == "arc"
        if movement.tag in (9, 18) and movement.kind in bends and not short_arc:
            bends[movement.kind] += 1
            bend = bend_deg(one, movement.first, movement.stop)
            assert bend > 12 if movement.kind == "arc" else bend < 12
    assert min(bends.values()) >= 5


def test_followers_go_where_the_person_goes():
    walker = person("walk", 149)
    style = Style(follow=1.0, clean=0.0)
    way = walker.joints[-1, 0, :2] - walker.joints[0, 0, :2]
    for seed in range(11):
        shot = film(walker.joints, walker.yaw, np.random.default_rng(seed), style=style, runs="one")
        gone = (shot.intent.camera.centre[-1] - shot.intent.camera.centre[0]).numpy()[:2]
        if shot.intent.follows:
            assert gone @ way > 0.9 * np.linalg.norm(gone) * np.linalg.norm(way)
            assert {m.kind for m in shot.intent.outline} <= {"follow", "lead"}


def same(first: CameraPath, second: CameraPath) -> bool:
    return torch.equal(first.centre, second.centre) and torch.equal(
        first.world_from_camera, second.world_from_camera
    )


def test_the_same_dice_film_the_same_shot():
    who = person("walk_curve", 101)
    shots = [film(who.joints, who.yaw, np.random.default_rng(seed)) for seed in (8, 8, 9)]
    assert same(shots[0].camera, shots[1].camera)
    assert not same(shots[0].camera, shots[2].camera)


@pytest.mark.parametrize("seed", [1, 2, 3, 5, 7])
def test_turning_and_moving_the_person_turns_and_moves_the_camera(seed: int):
    who = person("walk", 83)
    yaw, offset = 2.3, np.array([4.0, -7.0, 0.0])
    turn = np.array([[np.cos(yaw), -np.sin(yaw), 0], [np.sin(yaw), np.cos(yaw), 0], [0, 0, 1.0]])
    moved = Person(who.joints @ turn.T + offset, who.yaw + yaw)
    here = film(who.joints, who.yaw, np.random.default_rng(seed)).camera
    there = film(moved.joints, moved.yaw, np.random.default_rng(seed)).camera
    assert np.allclose(here.centre.numpy() @ turn.T + offset, there.centre.numpy(), atol=GEOMETRY32)
    assert np.allclose(
        turn @ here.world_from_camera.numpy(), there.world_from_camera.numpy(), atol=GEOMETRY32
    )


def test_an_outline_alone_is_enough_to_film_again(mixed: list[Filmed]):
    """Classes and kinds are kept, times and the rest are new; a follower needs its side too."""
    for at, one in enumerate(mixed[:41]):
        intent = one.shot.intent
        # Nobody who has only an outline knows its times.
        outline = [replace(movement, first=0, stop=1) for movement in intent.outline]
        again = film_outline(
            outline,
            one.person.joints,
            one.person.yaw,
            np.random.default_rng(at),
            clean=intent.clean,
            side_rad=intent.setup.azimuth_rad if intent.follows else None,
        )
        assert [(m.tag, m.kind) for m in again.intent.outline] == [
            (m.tag, m.kind) for m in intent.outline
        ]
        assert not same(again.camera, one.shot.camera)


def test_an_outline_that_cannot_be_filmed_is_refused():
    who = person("wave", 61)
    outline = [Movement(0, 0, 1, "follow")]
    with pytest.raises(ClipError, match="outline"):
        film_outline(outline, who.joints, who.yaw, np.random.default_rng(0))


def test_a_style_is_obeyed():
    who = person("wave", 61)
    only_static = replace(Style(), static=1.0, single_axis=0.0, clean=0.0)
    for seed in range(7):
        shot = film(who.joints, who.yaw, np.random.default_rng(seed), style=only_static, runs="one")
        assert shot.intent.grip in ("locked_off", "tripod", "handheld")
        assert shot.intent.outline[0].tag == STATIC


def test_too_short_a_motion_is_refused():
    who = person("wave", 41)
    with pytest.raises(ClipError, match="41 frames"):
        film(who.joints, who.yaw, np.random.default_rng(0), runs="several")
