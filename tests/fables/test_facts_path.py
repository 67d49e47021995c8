"""Facts into cameras: what is asked for is measured back, grips shake in their order, equal dice
give equal cameras, and steps have their time."""

import numpy as np
import pytest
import torch

from aesop.camera_words.attributes import VOCABULARY, CameraFacts, attribute_value, facts_of
from aesop.camera_words.fact_check import check_facts, measure_facts
from aesop.camera_words.standing_tagger import camera_curves, shake_deg
from aesop.fables.cinematographer.facts_draw import FactStyle, draw_facts
from aesop.fables.cinematographer.facts_path import drawn_camera, facts_path, held_by
from aesop.fables.cinematographer.lens import watch
from aesop.fables.cinematographer.step_timing import draw_step_times
from aesop.fables.synthetic import Leg, wander
from aesop.scene.camera import CameraPath, camera_looking_at, out_of_frame, project_joints
from aesop.scene.human import HumanMotion

FPS = 25.0
STANDS = wander([Leg(5.0, 0.0)])
WALKS = wander([Leg(5.0, 1.1)])
TURNS = wander([Leg(2.0, 0.0), Leg(1.0, 0.0, turn_deg=120.0), Leg(2.0, 0.0)])
CIRCLES = wander([Leg(9.0, 1.0, turn_deg=300.0)])
THERE_AND_BACK = wander([Leg(3.0, 1.1), Leg(1.5, 0.2, turn_deg=180.0), Leg(3.0, 1.1)])
SIDEWAYS = wander([Leg(5.0, 0.9, aside_deg=90.0)])
BACKWARDS = wander([Leg(5.0, 0.8, aside_deg=180.0)])
FOR_GOERS = ("move:follow", "move:follow-beside", "move:lead", "turn:pan-follow")


def fault(motion: HumanMotion, facts: CameraFacts, camera: CameraPath) -> float:
    wrong = sum(not check.right for check in check_facts(facts, measure_facts(camera, motion, FPS)))
    out = out_of_frame(project_joints(camera, motion.joints)).double().mean()
    return wrong + float(out)


@pytest.mark.parametrize(
    "name",
    [value.name for value in VOCABULARY if value.attribute not in ("pace", "when", "extent")],
)
def test_every_value_can_be_had_and_is_measured_back(name: str):
    motion = WALKS if name in FOR_GOERS else STANDS
    facts = facts_of([attribute_value(name)])
    dice = np.random.default_rng(5)
    camera = facts_path(motion, facts, 1.0, lambda one: fault(motion, facts, one), dice)
    # At most one frame in fifty without the person: draws stop at that, and an asked value is 1.
    assert fault(motion, facts, camera) < 0.05


@pytest.mark.parametrize("motion", [WALKS, CIRCLES, THERE_AND_BACK, SIDEWAYS, BACKWARDS])
def test_follows_keep_up_with_any_way_of_going(motion: HumanMotion):
    facts = facts_of([attribute_value("move:follow")])
    dice = np.random.default_rng(7)
    camera = facts_path(motion, facts, 1.0, lambda one: fault(motion, facts, one), dice)
    assert fault(motion, facts, camera) < 0.05
    steps = np.diff(motion.root[:, :2].numpy(), axis=0)
    camera_steps = np.diff(camera.centre[:, :2].numpy(), axis=0)
    # All of the way: the camera's steps along the person's, over the person's own.
    assert (steps * camera_steps).sum() / (steps**2).sum() > 0.7


@pytest.mark.parametrize("extent", ["quarter", "half", "full"])
def test_circles_go_as_far_as_asked(extent: str):
    motion = wander([Leg(8.0, 0.0)])
    facts = facts_of(map(attribute_value, ("move:orbit", f"extent:{extent}")))
    if extent == "quarter":
        facts = facts_of(map(attribute_value, ("move:arc-left", "extent:quarter")))
    camera = facts_path(
        motion, facts, 1.0, lambda one: fault(motion, facts, one), np.random.default_rng(2)
    )
    assert measure_facts(camera, motion, FPS).facts.steps[-1].extent == extent


def test_a_step_waits_for_the_persons_turn_or_for_the_end():
    subject = watch(TURNS.joints.numpy(), TURNS.yaw.numpy())
    early = facts_of(map(attribute_value, ("when:as-she-turns", "move:push-in"))).steps
    late = facts_of(map(attribute_value, ("when:at-the-end", "move:push-in"))).steps
    (turning,) = draw_step_times(early, subject, 62, np.random.default_rng(0))
    (ending,) = draw_step_times(late, subject, 62, np.random.default_rng(0))
    assert turning.first == 58 and ending.first > 0.5 * subject.frames
    for time in (turning, ending):
        assert time.done[0] == 0 and time.done[-1] == pytest.approx(1.0)
        assert (np.diff(time.done) >= 0).all()


def test_grips_shake_in_their_order():
    still = camera_looking_at(
        torch.tensor([[0.0, -3.0, 1.4]]).double().expand(211, 3),
        torch.tensor([[0.0, 0.0, 1.4]]).double().expand(211, 3),
        0.7,
    )
    shakes = [
        shake_deg(camera_curves(held_by(still, grip, np.random.default_rng(11)), FPS))
        for grip in ("dolly", "steadicam", "handheld")
    ]
    assert shakes == sorted(shakes) and shakes[2] > 2 * shakes[1] > 4 * shakes[0]


def test_shake_is_there_in_films_longer_than_its_period():
    long = camera_looking_at(
        torch.tensor([[0.0, -3.0, 1.4]]).double().expand(701, 3),
        torch.tensor([[0.0, 0.0, 1.4]]).double().expand(701, 3),
        0.7,
    )
    shaken = held_by(long, "handheld", np.random.default_rng(3))
    late = CameraPath(
        shaken.world_from_camera[600:], shaken.centre[600:], shaken.fov_vertical[600:], 16 / 9
    )
    assert measure_facts(late, None, FPS).standing.grip == "handheld"


RUNS = wander([Leg(3.0, 3.1)])


def first_distance_m(motion: HumanMotion, names: tuple[str, ...], seed: int) -> float:
    subject = watch(motion.joints.numpy(), motion.yaw.numpy())
    facts = facts_of(map(attribute_value, names))
    camera = drawn_camera(subject, facts, 1.0, np.random.default_rng(seed), turning=None)
    return float(np.linalg.norm(camera.centre[0].numpy() - subject.neck[0]))


@pytest.mark.parametrize("seed", [3, 5, 7])
def test_who_turns_after_somebody_faster_stands_further_away(seed: int):
    for name in ("turn:pan-follow", "move:static"):
        names = (name, "size:medium")
        apart = [first_distance_m(motion, names, seed) for motion in (STANDS, WALKS, RUNS)]
        assert apart == sorted(apart) and apart[2] > 2 * apart[0]


def test_what_is_left_open_turns_no_faster_than_real_cameras():
    """An arc of two seconds and one of nine: the shorter one goes less far."""
    swept = []
    for seconds in (2.0, 4.0, 9.0):
        motion = wander([Leg(seconds, 0.0)])
        subject = watch(motion.joints.numpy(), motion.yaw.numpy())
        facts = facts_of([attribute_value("move:arc-left")])
        camera = drawn_camera(subject, facts, 1.0, np.random.default_rng(13), turning=None)
        line = (camera.centre - motion.joints[0, 0])[:, :2].numpy()
        angle = np.unwrap(np.arctan2(line[:, 1], line[:, 0]))
        swept.append(abs(np.degrees(angle[-1] - angle[0])))
        # 15 degrees a second, and no arc is shorter than 32 degrees; a degree for the anchor.
        assert swept[-1] <= max(15 * seconds, 32) + 1
    assert swept == sorted(swept)


@pytest.mark.parametrize("name", ["turn:pan-left", "move:truck-left", "turn:roll", "move:orbit"])
def test_long_films_go_the_same_way(name: str):
    """A minute is time for any turn: speed limits nothing, and nobody is lost."""
    motion = wander([Leg(61.0, 0.0)])
    subject = watch(motion.joints.numpy(), motion.yaw.numpy())
    facts = facts_of([attribute_value(name)])
    camera = drawn_camera(subject, facts, 1.0, np.random.default_rng(3), turning=None)
    assert fault(motion, facts, camera) < 0.05


@pytest.mark.parametrize("motion", [STANDS, TURNS, WALKS, CIRCLES])
def test_drawn_steps_can_be_told(motion: HumanMotion):
    subject = watch(motion.joints.numpy(), motion.yaw.numpy())
    dice = np.random.default_rng(31)
    for _ in range(307):
        facts = draw_facts(subject, FactStyle(), dice, turning=None)
        turns = [set(step.turns) for step in facts.steps]
        moves = {move for step in facts.steps for move in step.moves}
        if any("whip-pan" in some for some in turns):
            assert moves <= {"static"}
        assert not any("tilt-up" in some for some in turns[1:])
        assert not any("tilt-down" in some for some in turns[:-1])
        if facts.height == "overhead":
            assert not facts.dutch and not moves & {"boom-up", "boom-down", "fly-past"}
        if "boom-down" in moves:
            assert facts.height not in ("ground", "low")
        nearer = [step for step in facts.steps if {"push-in", "zoom-in"} & {*step.moves, step.zoom}]
        assert not nearer or facts.size_start != "extreme-close-up"
        full = any(step.extent == "full" for step in facts.steps)
        assert not full or subject.frames >= 195


def test_equal_dice_give_equal_cameras():
    subject = watch(STANDS.joints.numpy(), STANDS.yaw.numpy())
    one, two = (
        drawn_camera(subject, draw_facts(subject, FactStyle(), dice), 1.0, dice, turning=None)
        for dice in (np.random.default_rng(13), np.random.default_rng(13))
    )
    assert torch.equal(one.centre, two.centre)
    assert torch.equal(one.world_from_camera, two.world_from_camera)


def test_more_intensity_goes_further_and_an_extent_goes_as_far():
    subject = watch(STANDS.joints.numpy(), STANDS.yaw.numpy())

    def travel(names: tuple[str, ...], intensity: float) -> float:
        facts = facts_of(map(attribute_value, names))
        dice = np.random.default_rng(17)
        return float(drawn_camera(subject, facts, intensity, dice, turning=None).travel)

    for names in (("move:push-in",), ("move:truck-left",), ("move:boom-up",), ("move:arc-left",)):
        ways = [travel(names, intensity) for intensity in (0.5, 1.0, 1.5)]
        assert ways == sorted(ways) and ways[2] > 1.3 * ways[0]
    full = ("move:orbit", "extent:full")
    assert travel(full, 0.5) == pytest.approx(travel(full, 1.5))
