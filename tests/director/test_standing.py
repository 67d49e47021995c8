"""People as shown: calm where they are still, on feet that stand; and nothing where nothing is
wrong."""

import math
from dataclasses import replace

import numpy as np
import pytest
import torch

from aesop.director.body_finish import (
    BODY_FINISHINGS,
    LARGEST_TURN_DEGREES,
    MOVED_M,
    SMOOTHINGS,
    UNCHANGED,
    calmed,
    corrected,
    pose_change_m,
)
from aesop.director.director import load_director
from aesop.director.leg_reach import (
    LEGS,
    STRAIGHTEST,
    knee_bend_degrees,
    with_ankles_at,
    with_knees_forward,
)
from aesop.director.requests import ActRequest
from aesop.director.sampling import USUAL_PEOPLE, sampled_frames
from aesop.director.standing_feet import (
    BAND_M,
    FARTHEST_FOOT_M,
    FLOAT_M,
    MOST_RIDE_M,
    Stretch,
    foot_offsets,
    standing,
    stood,
)
from aesop.metrics.motion_metrics import body_facts
from aesop.scene.curves import smoothed
from aesop.scene.human import NATIVE_FPS, HumanMotion, grounded, pose_motion, shifted, turned
from aesop.scene.rotation import about_axis, geodesic_distance, matrix_from_axis_angle
from aesop.scene.skeleton import JOINT, JOINTS, PARENTS, bone_length, world_from_rest
from tests.director.makers import walking
from tests.tolerances import GEOMETRY32, GEOMETRY64, SOLVED64

FRAMES = 101
TOES = [leg.toe for leg in LEGS]


def standing_still(frames: int = FRAMES) -> HumanMotion:
    """Somebody upright with slightly bent knees who does not move, in double precision."""
    turns = torch.eye(3, dtype=torch.float64).repeat(frames, JOINTS, 1, 1)
    turns[:, 0] = world_from_rest(turns)
    for hip, knee, ankle in ((1, 4, 7), (2, 5, 8)):
        turns[:, hip] = about_axis(torch.tensor(-0.2, dtype=torch.float64), "x")
        turns[:, knee] = about_axis(torch.tensor(0.4, dtype=torch.float64), "x")
        turns[:, ankle] = about_axis(torch.tensor(-0.2, dtype=torch.float64), "x")
    root = torch.tensor([0.0, 0.0, 0.9], dtype=torch.float64).expand(frames, 3)
    return grounded(pose_motion(turns, root.clone()))


def along(motion: HumanMotion, speed_mps: float) -> HumanMotion:
    """The same poses that slide over the ground."""
    way = torch.arange(motion.frames, dtype=torch.float64)[:, None] * speed_mps / NATIVE_FPS
    offset = way * torch.tensor([0.6, 0.8, 0.0], dtype=torch.float64)
    return HumanMotion(motion.rotations, motion.joints + offset[:, None])


def trembling(motion: HumanMotion, degrees: float, dice: torch.Generator) -> HumanMotion:
    """Every joint shaken at random, about as fast as sampled people tremble."""
    noise = torch.randn(motion.frames, 3 * JOINTS, generator=dice, dtype=torch.float64)
    shake = torch.from_numpy(smoothed(noise.numpy(), 1.5)).unflatten(1, (JOINTS, 3))
    turns = motion.rotations @ matrix_from_axis_angle(math.radians(degrees) * shake)
    return pose_motion(turns, motion.root)


def toe_speed(motion: HumanMotion) -> torch.Tensor:
    return motion.joints[:, TOES, :2].diff(dim=0).norm(dim=-1) * NATIVE_FPS


def test_nothing_is_corrected_where_nothing_is_wrong():
    still = standing_still().to(torch.float32)
    shown, change = corrected(still)
    assert shown is still and change == UNCHANGED and change.notes == []


def test_somebody_who_slides_stands():
    """A whole body that slides is set still by its path alone: its pose stays."""
    sliding = along(standing_still(), 0.25)
    shown, change = corrected(sliding)
    assert float(toe_speed(sliding).min()) > 0.24
    assert float(toe_speed(shown).max()) < 0.01
    assert pose_change_m(sliding, shown) < 0.005
    # The path also costs something: a tenth of the way may be left to the legs.
    assert change.path_m == pytest.approx(0.25 * (FRAMES - 1) / NATIVE_FPS, rel=0.1)
    assert any("the path moved" in note for note in change.notes)


def test_feet_that_drift_apart_are_held_by_the_legs():
    """No path can help there: both feet go outwards, and come back where they began."""
    still = standing_still()
    sway = 0.05 * torch.sin(torch.linspace(0, 4 * math.pi, FRAMES, dtype=torch.float64))
    ankles = still.joints[:, [leg.ankle for leg in LEGS]].clone()
    ankles[:, 0, 0] += sway
    ankles[:, 1, 0] -= sway
    drifting = pose_motion(with_ankles_at(still.rotations, still.joints, ankles), still.root)
    shown, change = corrected(drifting)
    assert float(toe_speed(drifting).max()) > 0.1
    assert float(toe_speed(shown).max()) < 0.2 * float(toe_speed(drifting).max())
    assert change.foot_m > 0.02 and change.path_m < 0.01


def test_turning_and_moving_somebody_turns_and_moves_what_is_shown(dice: torch.Generator):
    motion = trembling(along(walking(FRAMES).motion.to(torch.float64), 0.2), 0.7, dice)
    shown, change = corrected(motion)
    yaw, offset = torch.tensor(2.1, dtype=torch.float64), torch.tensor([31.0, -7.0, 0.0])
    elsewhere, again = corrected(shifted(turned(motion, yaw), offset.double()))
    expected = shifted(turned(shown, yaw), offset.double())
    assert change.foot_m > MOVED_M < change.path_m
    # Heights are set on the ground again; digits are lost in places of thirty metres.
    assert (elsewhere.joints - expected.joints).abs().max() < 100 * SOLVED64
    assert again.foot_m == pytest.approx(change.foot_m, abs=100 * SOLVED64)


def test_what_is_shown_starts_where_it_was_made_and_stands_on_the_ground(dice: torch.Generator):
    motion = trembling(along(walking(FRAMES).motion.to(torch.float64), 0.3), 0.7, dice)
    shown = corrected(motion.to(torch.float32))[0]
    assert shown.joints.dtype == torch.float32
    assert float(shown.joints[..., 2].min()) == 0
    assert (shown.root[0, :2] - motion.root[0, :2]).abs().max() < GEOMETRY32


def test_bones_keep_their_length(dice: torch.Generator):
    shown = corrected(trembling(along(standing_still(), 0.3), 1.0, dice))[0]
    for joint in range(1, JOINTS):
        bone = (shown.joints[:, joint] - shown.joints[:, PARENTS[joint]]).norm(dim=-1)
        assert (bone - bone_length(joint)).abs().max() < GEOMETRY64


def test_trembling_goes_and_a_kick_stays(dice: torch.Generator):
    """Shaking falls, the unrest of real people stays, a fast movement keeps its peak."""
    still = standing_still()
    shaken = trembling(still, 1.0, dice)
    before, after = (body_facts(it, NATIVE_FPS).jerk_mps3 for it in (shaken, calmed(shaken)))
    assert before > 35 and after < 0.8 * before
    gentle = trembling(still, 0.2, dice)  # as much as real people who stand still
    assert (calmed(gentle).joints - gentle.joints).norm(dim=-1).max() < 0.002
    kick = 1.4 * torch.exp(-0.5 * ((torch.arange(FRAMES).double() - 50) / 3) ** 2)
    turns = still.rotations.clone()
    turns[:, JOINT["right_hip"]] = turns[:, JOINT["right_hip"]] @ about_axis(-kick, "x")
    kicking = pose_motion(turns, still.root)
    fastest = [
        float(it.joints[:, JOINT["right_foot"]].diff(dim=0).norm(dim=-1).max())
        for it in (kicking, corrected(trembling(kicking, 0.3, dice))[0])
    ]
    assert fastest[1] > 0.95 * fastest[0]


def test_smoothing_is_bounded(dice: torch.Generator):
    """A head that turns round within a frame does not tremble, however much the rest of it does."""
    shaken = trembling(standing_still(), 1.0, dice)
    turns = shaken.rotations.clone()
    half_turn = about_axis(torch.tensor(2.8, dtype=torch.float64), "y")
    turns[FRAMES // 2 :, JOINT["head"]] = turns[FRAMES // 2 :, JOINT["head"]] @ half_turn
    turning = pose_motion(turns, shaken.root)
    changed = torch.rad2deg(geodesic_distance(calmed(turning).rotations, turns))
    assert float(changed[:, JOINT["neck"]].max()) > 0.1
    assert float(changed.max()) <= len(SMOOTHINGS) * LARGEST_TURN_DEGREES


def test_corrections_are_bounded(dice: torch.Generator):
    """However wrong somebody is, no foot is moved further than legs may be bent for it."""
    still = standing_still()
    apart = still.joints.clone()
    way = 0.3 * torch.arange(FRAMES, dtype=torch.float64) / NATIVE_FPS
    for leg, side in zip(LEGS, (1, -1), strict=True):
        apart[:, [leg.ankle, leg.toe], 0] += side * way[:, None]
    torn = HumanMotion(still.rotations, apart)
    offsets = foot_offsets(torn, standing(torn))
    farthest = np.linalg.norm(offsets[..., :2], axis=-1).max()
    assert 0.9 * FARTHEST_FOOT_M < farthest <= FARTHEST_FOOT_M
    noise = torch.randn(FRAMES, 3, generator=dice, dtype=torch.float64).cumsum(0)
    noise[:, 2] = 0
    wild = HumanMotion(still.rotations, still.joints + 0.01 * noise[:, None])
    footing = stood(wild)
    assert bool(footing.motion.joints.isfinite().all())
    assert np.abs(footing.path[:, 2]).max() <= MOST_RIDE_M + MOVED_M


def test_feet_stand_only_where_they_can_carry():
    still = standing_still()
    whole = {Stretch(foot, part, 0, FRAMES) for foot in range(2) for part in range(2)}
    assert set(standing(still)) == whole
    fast = along(still, 5.0)
    assert standing(fast) == []
    jump = still.joints.clone()
    height = 0.4 * torch.sin(torch.linspace(0, math.pi, 23, dtype=torch.float64))
    jump[40:63, :, 2] += height[:, None]
    found = standing(HumanMotion(still.rotations, jump))
    assert len(found) == 8 and all(it.stop <= 44 or it.first >= 59 for it in found)
    lying = turned_over(still)
    assert standing(lying) == []


def turned_over(motion: HumanMotion) -> HumanMotion:
    """Somebody who lies on the back."""
    over = about_axis(torch.tensor(math.pi / 2, dtype=torch.float64), "x")
    rotations = motion.rotations.clone()
    rotations[:, 0] = over @ rotations[:, 0]
    return grounded(pose_motion(rotations, motion.root))


def test_ankles_come_where_legs_reach_and_knees_bend_one_way():
    still = standing_still(29)
    was = still.joints[:, [leg.ankle for leg in LEGS]]
    away = torch.linspace(-0.15, 0.15, 29, dtype=torch.float64)
    goal = was.clone()
    goal[:, 0, 1] += away
    goal[:, 0, 2] += 0.05
    turns = with_ankles_at(still.rotations, still.joints, goal)
    moved = pose_motion(turns, still.root)
    # Bends are smoothed over a few frames, which costs millimetres.
    reached = moved.joints[:, [leg.ankle for leg in LEGS]]
    assert (reached - goal).norm(dim=-1).max() < 0.004
    assert (
        moved.joints[:, TOES] - reached - (still.joints[:, TOES] - was)
    ).abs().max() < GEOMETRY64
    far = was + torch.tensor([0.0, 0.0, -0.5], dtype=torch.float64)
    stretched = pose_motion(with_ankles_at(still.rotations, still.joints, far), still.root)
    for leg in LEGS:
        way = stretched.joints[:, leg.ankle] - stretched.joints[:, leg.hip]
        assert way.norm(dim=-1).max() <= STRAIGHTEST * leg.longest_m + SOLVED64
    assert knee_bend_degrees(stretched.rotations).min() > 0
    assert knee_bend_degrees(moved.rotations).min() > 0
    unmoved = with_ankles_at(still.rotations, still.joints, was)
    assert (unmoved - still.rotations).abs().max() < SOLVED64


def test_knees_that_bend_the_wrong_way_are_straightened():
    """Ankles stay where they are but for the little that a straight leg is longer."""
    still = standing_still(31)
    turns, wrong = still.rotations.clone(), torch.linspace(0.4, -0.35, 31, dtype=torch.float64)
    turns[:, JOINT["left_knee"]] = about_axis(wrong, "x")
    bent = pose_motion(turns, still.root)
    right = pose_motion(with_knees_forward(turns), still.root)
    assert knee_bend_degrees(bent.rotations).min() < -10
    assert knee_bend_degrees(right.rotations).min() > 0
    ankles = [leg.ankle for leg in LEGS]
    assert (right.joints[:, ankles] - bent.joints[:, ankles]).norm(dim=-1).max() < 0.015
    fine = knee_bend_degrees(bent.rotations).amin(-1) > 3.1
    assert fine.any() and torch.equal(right.joints[fine][:, 5], bent.joints[fine][:, 5])
    assert (right.rotations[fine] - turns[fine]).abs().max() < GEOMETRY64
    assert knee_bend_degrees(corrected(bent)[0].rotations).min() > -1


def test_somebody_who_floats_comes_down_and_a_step_up_is_meant():
    still = standing_still()
    rise = torch.zeros(FRAMES, dtype=torch.float64)
    rise[30:80] = 0.07
    floating = HumanMotion(still.rotations, still.joints.clone())
    floating.joints[..., 2] += rise[:, None]
    shown = corrected(floating)[0]
    lowest = shown.joints[40:70, TOES, 2].amin(-1)
    assert float(lowest.max()) < BAND_M + 0.01
    stair = HumanMotion(still.rotations, still.joints.clone())
    stair.joints[50:, :, 2] += 0.35
    up = corrected(stair)[0]
    # As much as the floor is left alone.
    assert float(up.joints[90, 0, 2] - up.joints[10, 0, 2]) == pytest.approx(0.35, abs=FLOAT_M)


SENTENCES = ("a person stands still", "a person walks forward")


@pytest.fixture(scope="module")
def people() -> dict[tuple[str, str], HumanMotion]:
    """Two sentences by the weights that ship, as sampled and standing."""
    made: dict[tuple[str, str], HumanMotion] = {}
    for finish in ("as-sampled", "standing"):
        director = load_director(people=replace(USUAL_PEOPLE, finish=finish))
        requests = [ActRequest(words, 3.0, seed=1) for words in SENTENCES]
        for words, clip in zip(SENTENCES, director.act_many(requests), strict=True):
            made[words, finish] = clip.motion
    return made


def test_shipped_people_have_constant_bones_and_standing_feet(
    people: dict[tuple[str, str], HumanMotion],
):
    for (words, finish), motion in people.items():
        facts = body_facts(motion, NATIVE_FPS)
        assert facts.bone_spread < 1e-4, (words, finish)  # a hundredth of the 1 % that is promised
    for words in SENTENCES:
        sampled, shown = (
            body_facts(people[words, finish], NATIVE_FPS) for finish in ("as-sampled", "standing")
        )
        assert shown.slide_mps < 0.5 * sampled.slide_mps
        assert shown.jerk_mps3 < 1.1 * sampled.jerk_mps3
    # Real people who stand still have 8 to 15.
    assert body_facts(people[SENTENCES[0], "standing"], NATIVE_FPS).jerk_mps3 < 16


def test_a_finish_without_correction_leaves_people_alone(
    people: dict[tuple[str, str], HumanMotion],
):
    """Correcting what was left alone, sampled longer and cut, gives what is shown, to the last
    bit."""
    director = load_director(people=replace(USUAL_PEOPLE, finish="as-sampled"))
    frames = people[SENTENCES[0], "standing"].frames
    longer = sampled_frames(frames, USUAL_PEOPLE) / NATIVE_FPS
    requests = [ActRequest(words, longer, seed=1) for words in SENTENCES]
    for words, clip in zip(SENTENCES, director.act_many(requests), strict=True):
        shown = corrected(clip.motion.part(slice(frames)))[0]
        assert torch.equal(shown.joints, people[words, "standing"].joints)
    assert not BODY_FINISHINGS["as-sampled"].is_corrected
    assert not BODY_FINISHINGS["as-decoded"].is_posed
