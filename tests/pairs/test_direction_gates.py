"""Every gate of direction pairs: one clip just inside, one just outside."""

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

from aesop.pairs.direction_gates import (
    DecodedPair,
    Effect,
    decoded_verdicts,
    effect,
    effect_verdicts,
    framing_verdicts,
    geometry_verdicts,
    leakage_verdicts,
    residual_mps,
    source_verdicts,
    views_of_both,
)
from aesop.pairs.gates import Verdicts
from aesop.pairs.pair_recipe import DirectionGates, EventRule, fables, pulpmotion
from aesop.pairs.shot_arrays import Cameras, Film
from aesop.pairs.transforms import Events, reflected
from aesop.scene.human import NATIVE_FPS
from tests.pairs.makers import (
    JOINTS,
    PULL_OUT,
    PUSH_IN,
    TRUCK_LEFT,
    TRUCK_RIGHT,
    film_of_way,
    still_root,
    whole_event,
)
from tests.tolerances import GEOMETRY64, SOLVED64

GATES = pulpmotion().direction
STRICT = fables().direction
RULE = EventRule()
FRAMES = 61

Pair = tuple[Film, Events, Cameras]


def passes(verdicts: Verdicts, gate: str) -> bool:
    return bool(verdicts.passed[0, verdicts.gates.index(gate)])


def truck_film(steps: np.ndarray) -> Film:
    """A camera that looks along +y and moves along x by the given steps."""
    centre = np.zeros((len(steps) + 1, 3)) + np.array([0.0, -4.0, 1.5])
    centre[1:, 0] += np.cumsum(steps)
    return film_of_way(centre, still_root(len(centre)), aim=centre + np.array([0.0, 1.0, 0.0]))


def dolly_film(distances: np.ndarray) -> Film:
    """A camera at given distances from a person who stands still."""
    root = still_root(len(distances))
    direction = np.array([0.28, -0.96, 0.0])
    return film_of_way(root + distances[:, None] * direction, root)


def source(film: Film, tag: int, gates: DirectionGates = GATES) -> Verdicts:
    return source_verdicts(film, whole_event(film, tag), gates, RULE)


def steps_with(forward: int, zero: int, metres: float = 1.0) -> np.ndarray:
    return np.concatenate([np.full(forward, metres / forward), np.zeros(zero)])


@pytest.mark.parametrize(
    ("gate", "inside", "outside"),
    [
        ("event length", steps_with(44, 0), steps_with(43, 0)),
        ("same sign", steps_with(48, 12), steps_with(47, 13)),  # zero counts as not the same
        ("net of path", [0.01001] * 48 + [-0.01] * 12, [0.00999] * 48 + [-0.01] * 12),
        ("Truck displacement", steps_with(50, 0, 0.2000001), steps_with(50, 0, 0.1999999)),
    ],
)
def test_source_gates_of_trucks(gate: str, inside: np.ndarray, outside: np.ndarray):
    for steps, wanted in ((inside, True), (outside, False)):
        for sign, tag in ((1, TRUCK_RIGHT), (-1, TRUCK_LEFT)):
            film = truck_film(sign * np.array(steps))
            assert passes(source(film, tag), gate) == wanted


@pytest.mark.parametrize(("start", "least"), [(1.5, 0.2), (4.0, 0.4)])
def test_a_dolly_moves_by_a_share_of_its_distance_or_a_least_way(start: float, least: float):
    for share, wanted in ((1 + 1e-9, True), (1 - 1e-9, False)):
        distances = np.linspace(start, start - least * share, FRAMES)
        found = source(dolly_film(distances), PUSH_IN)
        assert passes(found, "Dolly displacement") == wanted
        assert passes(found, "Truck displacement")  # does not concern it


def test_a_truck_needs_an_axis_on_the_ground():
    film = truck_film(steps_with(60, 0))
    for level, wanted in ((1.001e-3, True), (0.999e-3, False)):
        event = replace(whole_event(film, TRUCK_RIGHT), level=np.array([level]))
        found = source_verdicts(film, event, GATES, RULE)
        assert passes(found, "Truck axis is level") == wanted


@pytest.mark.parametrize(
    ("tag", "change", "agrees"),
    [
        (TRUCK_RIGHT, 1, True), (TRUCK_LEFT, -1, True), (TRUCK_RIGHT, -1, False),
        (PULL_OUT, 1, True), (PUSH_IN, -1, True), (PUSH_IN, 1, False),
    ],
)  # fmt: skip
def test_the_sign_of_the_event_agrees_with_its_tag(tag: int, change: int, agrees: bool):
    is_truck = tag in (TRUCK_RIGHT, TRUCK_LEFT)
    film = truck_film if is_truck else (lambda steps: dolly_film(4 + np.cumsum(steps)))
    made = film(change * steps_with(60, 0))
    assert passes(source(made, tag, STRICT), "sign agrees with tag") == agrees
    assert "sign agrees with tag" not in source(made, tag, GATES).gates


def truck_pair() -> tuple[Film, Events, Cameras]:
    film = truck_film(steps_with(60, 0, 0.7))
    event = whole_event(film, TRUCK_RIGHT)
    return film, event, film.cameras.moved(reflected(film, film.cameras, event))


def dolly_pair() -> tuple[Film, Events, Cameras]:
    film = dolly_film(np.linspace(4.0, 3.2, FRAMES))
    event = whole_event(film, PUSH_IN)
    return film, event, film.cameras.moved(reflected(film, film.cameras, event))


def test_reflections_pass_the_geometry():
    for made in (truck_pair(), dolly_pair()):
        assert geometry_verdicts(*made, GATES).accepted.all()


def test_small_angles_are_told_apart_from_zero():
    """Arccos in single precision reads 0.044° here, at a limit of 0.05°."""
    film, event, target = dolly_pair()
    found = geometry_verdicts(film, event, target, GATES)
    assert found.values[0, found.gates.index("Dolly keeps its direction")] < SOLVED64


def moved(cameras: Cameras, change: Callable[[np.ndarray], None]) -> Cameras:
    centre = cameras.centre.copy()
    change(centre)
    return cameras.moved(centre)


def test_the_target_keeps_away_from_the_person():
    film, event, target = dolly_pair()
    for far, wanted in ((0.2501, True), (0.25, False)):

        def near(centre: np.ndarray, far: float = far) -> None:
            centre[0, 31] = film.root[0, 31] + np.array([0.0, -far, 0.0])

        found = geometry_verdicts(film, event, moved(target, near), GATES)
        assert passes(found, "distance to the person") == wanted


@pytest.mark.parametrize(("gate", "pair"), [("Truck", truck_pair), ("Dolly", dolly_pair)])
def test_the_response_is_that_of_the_source(gate: str, pair: Callable[[], Pair]):
    film, event, target = pair()
    for factor, wanted in ((0.801, True), (0.799, False), (1.249, True), (1.251, False)):
        shift = target.centre - film.cameras.centre[:, :1]
        found = geometry_verdicts(
            film, event, target.moved(film.cameras.centre[:, :1] + factor * shift), GATES
        )
        assert passes(found, f"{gate} response") == wanted


def test_aim_and_lens_stay_as_they_are():
    film, event, target = truck_pair()
    turns, lens = target.world_from_camera.copy(), target.tan_half_fov.copy()
    turns[0, 17, 1, 2] += 1e-15
    lens[0, 23, 1] += 1e-15
    for gate, other in (
        ("aim unchanged", replace(target, world_from_camera=turns)),
        ("lens unchanged", replace(target, tan_half_fov=lens)),
    ):
        assert passes(geometry_verdicts(film, event, target, GATES), gate)
        assert not passes(geometry_verdicts(film, event, other, GATES), gate)


def test_a_truck_keeps_its_height_and_its_distance():
    film, event, target = truck_pair()
    for rise, wanted in ((0.99e-5, True), (1.01e-5, False)):

        def lift(centre: np.ndarray, rise: float = rise) -> None:
            centre[0, -1, 2] += rise

        found = geometry_verdicts(film, event, moved(target, lift), GATES)
        assert passes(found, "Truck keeps its height") == wanted
    for share, wanted in ((1.0999, True), (1.1001, False), (0.9001, True), (0.8999, False)):

        def push(centre: np.ndarray, share: float = share) -> None:
            near = np.linalg.norm(film.cameras.centre[0, 40] - film.root[0, 40])
            line = film.cameras.centre[0, 40] - film.root[0, 40]
            centre[0, 40] = film.root[0, 40] + line / np.linalg.norm(line) * near * share

        found = geometry_verdicts(film, event, moved(target, push), GATES)
        assert passes(found, "Truck keeps its distance") == wanted


def test_a_dolly_keeps_its_direction():
    film, event, target = dolly_pair()
    for degrees, wanted in ((0.0499, True), (0.0501, False)):

        def swing(centre: np.ndarray, degrees: float = degrees) -> None:
            line = centre[0, 29] - film.root[0, 29]
            across = np.array([0.0, 0.0, np.linalg.norm(line) * np.tan(np.radians(degrees))])
            centre[0, 29] += across

        found = geometry_verdicts(film, event, moved(target, swing), GATES)
        assert passes(found, "Dolly keeps its direction") == wanted


def visible_joints(count: int, blind: int = 0) -> np.ndarray:
    """So many of all joints and frames visible, the last `blind` frames without any."""
    frames = FRAMES - blind
    flat = np.arange(frames * JOINTS) % frames * JOINTS + np.arange(frames * JOINTS) // frames
    seen = np.zeros(FRAMES * JOINTS, np.bool_)
    seen[flat[:count]] = True
    return seen.reshape(FRAMES, JOINTS)


def test_framing_of_both_members():
    film, *_ = truck_pair()
    every = FRAMES * JOINTS  # 305; four fifths are 244
    cases = [
        ("no frame without the person", every, every, 0, 0, True),
        ("no frame without the person", every - JOINTS, every, 1, 0, False),
        ("no frame without the person", every, every - JOINTS, 0, 1, False),
        ("visible", 244, 244, 0, 0, True),
        ("visible", 243, 250, 0, 0, False),
        ("visible", 250, 243, 0, 0, False),
        ("rise of the share out of view", every, every - 15, 0, 0, True),  # 0.0492
        ("rise of the share out of view", every, every - 16, 0, 0, False),  # 0.0525
        ("rise of the share out of view", every - 16, every, 0, 0, True),  # a fall is welcome
    ]
    for gate, first, second, blind, blind_back, wanted in cases:
        visible = visible_joints(first, blind)[None], visible_joints(second, blind_back)[None]
        assert passes(framing_verdicts(film, visible, GATES), gate) == wanted, (gate, first, second)


def test_the_effect_must_be_visible():
    _, event, _ = truck_pair()
    dolly = replace(event, tags=np.array([PUSH_IN]))
    cases = [
        (event, 0.0801, 0.0, 0.0, True), (event, 0.0799, 5.99, 9.0, False),
        (event, 0.0, 6.01, 0.0, True), (dolly, 9.0, 90.0, 0.1199, False),
        (dolly, 0.0, 0.0, 0.1201, True),
    ]  # fmt: skip
    for which, shift, angle, growth, wanted in cases:
        found = Effect(np.array([shift]), np.array([angle]), np.array([growth]))
        verdicts = effect_verdicts(which, found, GATES)
        assert bool(verdicts.accepted[0]) == wanted
        assert (found.score(which, GATES)[0] >= 1) == wanted


def test_the_effect_of_a_truck_in_closed_form():
    """The camera looks along +y from 4 m: a shift by d moves the person by d / (4·2·tan)."""
    film, event, target = truck_pair()
    views = views_of_both(film, film.cameras, target)
    found = effect(film, event, film.cameras, target, views)
    assert found.shift[0] == pytest.approx(1.4 / (4 * 2 * 0.6), rel=GEOMETRY64)
    angle = 2 * np.degrees(np.arctan2(0.7, 4.0))
    assert found.angle_deg[0] == pytest.approx(angle, rel=GEOMETRY64)


def test_the_effect_of_a_dolly_in_closed_form():
    """The box of a person in one plane across the line of sight has a height of 1 / distance."""
    root = still_root(FRAMES)
    centre = root + np.linspace(4.0, 3.2, FRAMES)[:, None] * np.array([0.0, -1.0, 0.0])
    film = film_of_way(centre, root)
    event = whole_event(film, PUSH_IN)
    target = film.cameras.moved(reflected(film, film.cameras, event))
    views = views_of_both(film, film.cameras, target)
    height = float(views[0].boxes.height[0, 0])
    assert height == pytest.approx(1.5 / (4.0 * 0.4), rel=GEOMETRY64)
    found = effect(film, event, film.cameras, target, views)
    assert found.growth[0] == pytest.approx(abs(3.2 / 4.8 - 1), rel=GEOMETRY64)


def test_azimuths_are_compared_around_the_circle():
    frames = 5
    root = still_root(frames)
    way = root + 4 * np.array([-np.cos(0.1), np.sin(0.1), 0.0])
    back = root + 4 * np.array([-np.cos(0.1), -np.sin(0.1), 0.0])
    film, event = film_of_way(way, root), whole_event(film_of_way(way, root), TRUCK_RIGHT)
    other = film_of_way(back, root).cameras
    views = views_of_both(film, film.cameras, other)
    found = effect(film, event, film.cameras, other, views)
    assert found.angle_deg[0] == pytest.approx(np.degrees(0.2), rel=SOLVED64)


def test_people_behind_the_camera_show_no_effect():
    film, event, target = dolly_pair()
    away = film.cameras.world_from_camera.copy()
    away[..., 0] *= -1
    away[..., 2] *= -1
    backs = replace(film.cameras, world_from_camera=away), replace(target, world_from_camera=away)
    views = views_of_both(film, *backs)
    found = effect(film, event, *backs, views)
    assert found.growth[0] == found.shift[0] == 0.0


def test_the_target_is_called_the_opposite_movement():
    film, event, target = truck_pair()
    gate = "target's tag is the opposite"
    good = leakage_verdicts(film, event, target, STRICT)
    assert good is not None and passes(good, gate)
    bad = leakage_verdicts(film, event, film.cameras, STRICT)  # still goes to the right
    assert bad is not None and not passes(bad, gate)
    # Half of the event rises as fast as it trucks: another class there.
    climbing = target.centre.copy()
    climbing[0, 30:, 2] += np.linspace(0, 0.4, FRAMES - 30)
    mixed = leakage_verdicts(film, event, target.moved(climbing), STRICT)
    assert mixed is not None and not passes(mixed, gate)
    assert leakage_verdicts(film, event, film.cameras, GATES) is None


@pytest.mark.parametrize("pair", [truck_pair, dolly_pair])
def test_the_target_does_not_move_more_across_the_event(pair: Callable[[], Pair]):
    film, event, _ = pair()
    wobble = np.zeros((1, FRAMES, 3))
    wobble[0, 1::2, 2] = 0.01
    shaky = replace(film, cameras=film.cameras.moved(film.cameras.centre + wobble))
    speed = residual_mps(shaky, event, shaky.cameras)[0]
    # Neighbours beside a wobble smooth its ends.
    assert speed == pytest.approx(0.01 * NATIVE_FPS, rel=0.01)
    for factor, wanted in ((1.98, True), (2.02, False)):
        target = film.cameras.moved(film.cameras.centre + factor * wobble)
        found = leakage_verdicts(shaky, event, target, STRICT)
        assert found is not None and passes(found, "speed off the event") == wanted


def test_a_source_without_any_speed_across_allows_none():
    film, event, target = dolly_pair()
    still = leakage_verdicts(film, event, film.cameras, STRICT)
    assert still is not None and passes(still, "speed off the event")
    lifted = target.centre.copy()
    lifted[0, 10:, 0] += 0.2
    found = leakage_verdicts(film, event, target.moved(lifted), STRICT)
    assert found is not None and not passes(found, "speed off the event")


def decoded(
    pair: tuple[Film, Events, Cameras],
    original: Cameras | None = None,
    opposite: Cameras | None = None,
    mse: tuple[float, float] = (0.0, 0.0),
) -> Verdicts:
    film, event, target = pair
    back = DecodedPair(
        original or film.cameras, opposite or target, np.array(mse[:1]), np.array(mse[1:])
    )
    parts = decoded_verdicts(film, event, target, back, GATES)
    return Verdicts(
        tuple(gate for part in parts for gate in part.gates),
        np.concatenate([part.passed for part in parts], axis=1),
        np.concatenate([part.values for part in parts], axis=1),
    )


@pytest.mark.parametrize("pair", [truck_pair, dolly_pair])
def test_perfect_reconstructions_pass(pair: Callable[[], Pair]):
    assert decoded(pair()).accepted.all()


def test_reconstructed_features_are_close():
    for mse, wanted in (
        ((0.01181, 0.01181), True), ((0.01182, 0.0), False), ((0.0, 0.01182), False)
    ):  # fmt: skip
        assert passes(decoded(truck_pair(), mse=mse), "feature error") == wanted


def along_event(cameras: Cameras, factor: float) -> Cameras:
    start = cameras.centre[:, :1]
    return cameras.moved(start + factor * (cameras.centre - start))


@pytest.mark.parametrize("pair", [truck_pair, dolly_pair])
@pytest.mark.parametrize("member", ["original", "opposite"])
def test_decoded_direction_and_response(pair: Callable[[], Pair], member: str):
    made = pair()
    cameras = made[0].cameras if member == "original" else made[2]
    for factor, direction, response in (
        (0.701, True, True), (0.699, True, False), (1.299, True, True), (1.301, True, False),
        (0.01, True, False), (-0.01, False, False), (-1.0, False, True),
    ):  # fmt: skip
        other = along_event(cameras, factor)
        found = (
            decoded(made, original=other) if member == "original" else decoded(made, opposite=other)
        )
        assert passes(found, f"decoded direction of the {member}") == direction
        assert passes(found, f"decoded response of the {member}") == response


def test_decoded_framing_is_checked_again():
    film, _, target = pair = truck_pair()
    turned = target.world_from_camera.copy()
    turned[0, -1, :, 2] *= -1
    turned[0, -1, :, 0] *= -1
    found = decoded(pair, opposite=replace(target, world_from_camera=turned))
    assert not passes(found, "decoded: no frame without the person")
    # A lens so long that most of the person is cut off.
    narrow = replace(film.cameras, tan_half_fov=film.cameras.tan_half_fov * 0.3)
    assert not passes(decoded(pair, original=narrow), "decoded: visible")


def test_the_decoded_effect_is_visible_and_mostly_kept():
    """A Truck by d is seen at 4 m as V = 2d / (4·2·0.6) / 0.08 or by its angle, whichever is more;
    both members shrink together so that their ratio of effects is known."""
    made = truck_pair()
    raw = 2 * np.degrees(np.arctan2(0.7, 4.0)) / 6.0
    shift = 1.4 / 4.8 / 0.08
    assert shift < raw * 2 and shift > raw / 2
    for factor, kept in ((0.71, True), (0.69, False)):
        found = decoded(
            made,
            original=along_event(made[0].cameras, factor),
            opposite=along_event(made[2], factor),
        )
        assert passes(found, "effect kept") == kept
        assert passes(found, "decoded effect")
    for factor, wanted in ((1.001, True), (0.999, False)):
        least = factor / max(raw, shift)
        # The shift grows in proportion to the way, and is the larger of the two at small ways.
        found = decoded(
            made,
            original=along_event(made[0].cameras, least),
            opposite=along_event(made[2], least),
        )
        assert passes(found, "decoded effect") == wanted


def test_recipes_hold_the_papers_numbers():
    gates = pulpmotion().direction
    assert (gates.event_frames, gates.same_sign, gates.net_of_path) == (45, 0.80, 0.60)
    assert (gates.truck_m, gates.dolly_m, gates.dolly_of_distance) == (0.20, 0.20, 0.10)
    assert (gates.nearest_m, gates.response) == (0.25, (0.80, 1.25))
    assert (gates.truck_vertical_m, gates.truck_radial) == (1e-5, 0.10)
    assert (gates.dolly_direction_deg, gates.visible, gates.out_rise) == (0.05, 0.80, 0.05)
    assert (gates.truck_shift, gates.truck_angle_deg, gates.dolly_growth) == (0.08, 6.0, 0.12)
    assert (gates.feature_mse, gates.decoded_response) == (0.01181, (0.70, 1.30))
    assert (gates.decoded_effect, gates.kept_effect) == (1.0, 0.70)
    assert not gates.sign_is_tag and not gates.retags_as_opposite
    assert gates.residual_ratio is None
    ours = fables().direction
    beyond = replace(ours, sign_is_tag=False, retags_as_opposite=False, residual_ratio=None)
    assert beyond == gates and ours.sign_is_tag and ours.retags_as_opposite
    assert ours.residual_ratio == 2.0
