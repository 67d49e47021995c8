"""Taggers of the vocabulary on paths of closed form: each value where its definition puts it, the
same wherever the world stands, mirrored in a mirror, reversed when the film runs backwards."""

import math
from dataclasses import replace

import numpy as np
import pytest
import torch

from aesop.camera_words.attributes import CameraFacts, Step, mirrored_facts, reversed_facts
from aesop.camera_words.fact_check import check_facts, measure_facts
from aesop.fables.synthetic import Leg, posed, standing, wander
from aesop.scene.camera import CameraPath, camera_looking_at
from aesop.scene.human import HumanMotion, mirrored, shifted, turned
from aesop.scene.rotation import about_axis, about_z
from aesop.scene.shot import Placement, place_camera
from aesop.scene.skeleton import JOINT

FPS, FRAMES = 25.0, 101
SHARE = torch.linspace(0, 1, FRAMES, dtype=torch.float64)
EASED = SHARE * SHARE * (3 - 2 * SHARE)
FOV = math.radians(40)


def stander(frames: int = FRAMES) -> HumanMotion:
    return posed(standing(frames))


def neck(motion: HumanMotion) -> torch.Tensor:
    return motion.joints[:, JOINT["neck"]]


def seen_from(
    azimuth_deg: torch.Tensor, distance_m: torch.Tensor, rise_m: torch.Tensor | None = None
) -> CameraPath:
    """A camera that looks at the neck of somebody who stands at the origin and faces −Y."""
    target = neck(stander())
    angle = torch.deg2rad(azimuth_deg) - math.pi / 2
    rise = torch.zeros(FRAMES, dtype=torch.float64) if rise_m is None else rise_m
    offset = torch.stack([distance_m * angle.cos(), distance_m * angle.sin(), rise], dim=-1)
    return camera_looking_at(target + offset, target, FOV)


def constant(value: float) -> torch.Tensor:
    return torch.full((FRAMES,), value, dtype=torch.float64)


def turned_on_spot(pan_deg: torch.Tensor, tilt_deg: torch.Tensor) -> CameraPath:
    still = seen_from(constant(0), constant(4))
    turn = about_z(torch.deg2rad(pan_deg)) @ still.world_from_camera
    turn = turn @ about_axis(torch.deg2rad(tilt_deg), "x")
    return CameraPath(turn, still.centre, still.fov_vertical, still.aspect)


SHOTS: dict[str, CameraPath] = {
    "push-in": seen_from(constant(40), 4 - 2.5 * EASED),
    "truck": CameraPath(
        seen_from(constant(0), constant(4)).world_from_camera,
        seen_from(constant(0), constant(4)).centre
        + torch.stack([1.2 * EASED, 0 * EASED, 0 * EASED], dim=-1),
        constant(FOV),
        16 / 9,
    ),
    "boom-up": seen_from(constant(90), constant(4), 1.2 * EASED - 0.3),
    "arc": seen_from(30 + 90 * EASED, constant(3)),
    "orbit": seen_from(360 * EASED, constant(3)),
    "pan": turned_on_spot(-12 + 24 * EASED, constant(0)),
    "tilt": turned_on_spot(constant(0), -6 + 15 * EASED),
}


def steps(camera: CameraPath, motion: HumanMotion | None = None) -> tuple[Step, ...]:
    return measure_facts(camera, motion or stander(), FPS).facts.steps


def test_closed_forms_are_what_they_are():
    assert steps(SHOTS["push-in"]) == (Step(moves=("push-in",)),)
    assert steps(SHOTS["truck"]) == (Step(moves=("truck-right",)),)
    assert steps(SHOTS["boom-up"]) == (Step(moves=("boom-up",)),)
    assert steps(SHOTS["arc"]) == (Step(moves=("arc-right",), extent="quarter"),)
    assert steps(SHOTS["orbit"]) == (Step(moves=("orbit", "arc-right"), extent="full"),)
    assert steps(SHOTS["pan"]) == (Step(turns=("pan-left",)),)
    assert steps(SHOTS["tilt"]) == (Step(turns=("tilt-up",)),)
    assert steps(seen_from(constant(0), constant(3))) == (Step(moves=("static",)),)


def with_lens(camera: CameraPath, fov: torch.Tensor) -> CameraPath:
    return CameraPath(camera.world_from_camera, camera.centre, fov, camera.aspect)


def test_zooms_and_a_dolly_zoom():
    half = math.tan(FOV / 2)
    zoom = with_lens(seen_from(constant(0), constant(4)), 2 * torch.atan(half / (1 + EASED)))
    assert steps(zoom) == (Step(zoom="zoom-in"),)
    distance = 4 - 2 * EASED
    dolly = with_lens(seen_from(constant(0), distance), 2 * torch.atan(half * 4 / distance))
    assert steps(dolly) == (Step(moves=("push-in",), zoom="dolly-zoom"),)


def test_roll_and_dutch_are_told_apart():
    def rolled(angle_deg: torch.Tensor) -> CameraPath:
        still = seen_from(constant(0), constant(4))
        turn = still.world_from_camera @ about_axis(torch.deg2rad(angle_deg), "z")
        return CameraPath(turn, still.centre, still.fov_vertical, still.aspect)

    held, rolling = (
        measure_facts(rolled(angle), stander(), FPS) for angle in (constant(13), 31 * EASED)
    )
    assert held.facts.dutch and held.facts.steps == (Step(moves=("static",)),)
    assert not rolling.facts.dutch and rolling.facts.steps[0].turns == ("roll",)


@pytest.mark.parametrize(
    ("azimuth_deg", "side"),
    [
        (0, "front"), (-45, "three-quarter-front"), (90, "profile-left"), (-90, "profile-right"),
        (135, "three-quarter-back"), (180, "behind"),
    ],
)  # fmt: skip
def test_sides_are_the_persons_own(azimuth_deg: float, side: str):
    assert (
        measure_facts(seen_from(constant(azimuth_deg), constant(3)), stander(), FPS).facts.side
        == side
    )


def test_sizes_shrink_and_heights_rise():
    sizes = [
        measure_facts(seen_from(constant(0), constant(distance)), stander(), FPS).facts.size_start
        for distance in (0.45, 0.8, 1.7, 3.1, 6.0, 11.0)
    ]
    assert sizes == ["extreme-close-up", "close-up", "medium", "full", "wide", "extreme-wide"]
    heights = [
        measure_facts(
            seen_from(constant(0), constant(2), constant(rise)), stander(), FPS
        ).facts.height
        for rise in (-1.25, -0.8, 0.0, 1.0, 3.5)
    ]
    assert heights == ["ground", "low", "eye", "high", "overhead"]


def test_places_are_where_the_person_is():
    def panned(angle_deg: float) -> CameraPath:
        return turned_on_spot(constant(angle_deg), constant(0))

    across = [measure_facts(panned(angle), stander(), FPS).facts.places for angle in (-13, 0, 13)]
    # Whoever turns to the right sees the person on the left.
    assert [place[0] for place in across] == ["left-third", "centre", "right-third"]


@pytest.mark.parametrize("name", SHOTS)
def test_turning_and_moving_the_world_changes_nothing(name: str):
    yaw, offset = torch.tensor(2.3, dtype=torch.float64), torch.tensor([5.0, -3.0, 0.0]).double()
    motion = shifted(turned(stander(), yaw), offset)
    camera = place_camera(SHOTS[name], Placement(yaw, offset))
    found = measure_facts(camera, motion, FPS)
    assert found.facts == measure_facts(SHOTS[name], stander(), FPS).facts


@pytest.mark.parametrize("name", SHOTS)
def test_a_mirror_mirrors_the_facts(name: str):
    flip = torch.tensor([-1.0, 1.0, 1.0], dtype=torch.float64)
    camera = SHOTS[name]
    other = CameraPath(
        camera.world_from_camera * flip[:, None] * flip, camera.centre * flip,
        camera.fov_vertical, camera.aspect,
    )  # fmt: skip
    found = measure_facts(other, mirrored(stander()), FPS).facts
    assert found == mirrored_facts(measure_facts(camera, stander(), FPS).facts)


@pytest.mark.parametrize("name", SHOTS)
def test_a_film_that_runs_backwards_has_the_reversed_steps(name: str):
    camera = SHOTS[name]
    back = CameraPath(
        camera.world_from_camera.flip(0), camera.centre.flip(0), camera.fov_vertical.flip(0),
        camera.aspect,
    )  # fmt: skip
    reversed_steps = reversed_facts(measure_facts(camera, stander(), FPS).facts).steps
    assert steps(back) == reversed_steps


def is_right(asked: CameraFacts, camera: CameraPath, motion: HumanMotion | None = None) -> bool:
    measured = measure_facts(camera, motion or stander(), FPS)
    return all(check.right for check in check_facts(asked, measured))


FROM_BEHIND_TO_THE_FRONT = seen_from(180 - 170 * EASED, constant(3))


def test_a_face_is_seen_from_before_it_when_it_is_asked_for():
    before, behind = (seen_from(constant(angle), constant(2)) for angle in (40, 160))
    above = seen_from(constant(0), constant(1), constant(2.5))
    for camera, start, end in (
        (before, True, True), (behind, False, False), (above, False, False),
        (FROM_BEHIND_TO_THE_FRONT, False, True),
    ):  # fmt: skip
        assert is_right(CameraFacts(face="start"), camera) == start
        assert is_right(CameraFacts(face="end"), camera) == end
        assert is_right(CameraFacts(face="throughout"), camera) == (start and end)
    # From 55° above a level head less is seen of a face than of its crown.
    high = seen_from(constant(0), constant(1), constant(1.6))
    assert not is_right(CameraFacts(face="end"), high)
    # Who looks back over a shoulder is seen from behind: it is the head that counts.
    turned_head = stander()
    head = turned_head.rotations.clone()
    head[:, JOINT["head"]] = head[:, JOINT["head"]] @ about_axis(torch.tensor(math.pi), "y").to(
        head
    )
    looking_back = HumanMotion(head, turned_head.joints)
    assert is_right(CameraFacts(face="end"), behind, looking_back)
    assert not is_right(CameraFacts(face="end"), before, looking_back)


def test_a_side_holds_to_the_end_where_nothing_that_was_asked_for_leads_away():
    """In a push-in or a picture alone; a circle leads away, and so does somebody who turns, for up
    to half of the time and if the camera was not to go with them."""
    profile = CameraFacts(side="profile-left")
    push = Step(moves=("push-in",))
    leaves = seen_from(90 + 80 * EASED, 4 - 2.5 * EASED)
    keeps = seen_from(constant(90), 4 - 2.5 * EASED)
    for asked in (profile, replace(profile, steps=(push,))):
        checks = {it.asked: it for it in check_facts(asked, measure_facts(leaves, stander(), FPS))}
        assert not checks["side:profile-left"].right
        assert checks["side:profile-left"].got == "profile-left to behind"
        assert is_right(asked, keeps)
    orbit = replace(profile, steps=(Step(moves=("arc-right",)),))
    assert is_right(orbit, seen_from(90 + 80 * EASED, constant(3)))
    late = turned_by(-90 * torch.clamp(4 * SHARE - 3, min=0.0))
    early = turned_by(-90 * torch.clamp(4 * SHARE, max=1.0))
    still = seen_from(constant(90), constant(3))
    assert is_right(profile, still, late) and not is_right(profile, still, early)
    follows = measure_facts(still, late, FPS)
    (side, *_) = check_facts(replace(profile, steps=(Step(moves=("follow",)),)), follows)
    assert not side.right


def test_a_size_and_a_height_hold_to_the_end_where_nothing_changes_them():
    """A class further is a drift, two are another picture; a push changes sizes, a boom heights."""
    grows = seen_from(constant(0), 5.6 - 4.4 * EASED)  # from wide to medium
    rises = seen_from(constant(0), constant(2), 3.0 * EASED - 0.8)  # from low to overhead
    wide, low = CameraFacts(size_start="wide"), CameraFacts(height="low")
    push, boom = Step(moves=("push-in",)), Step(moves=("boom-up",))
    assert not is_right(wide, grows) and not is_right(low, rises)
    assert is_right(wide, seen_from(constant(0), 5.6 - 2.4 * EASED))
    assert is_right(low, seen_from(constant(0), constant(2), 0.6 * EASED - 0.8))
    (size, *_) = check_facts(replace(wide, steps=(push,)), measure_facts(grows, stander(), FPS))
    (height, *_) = check_facts(replace(low, steps=(boom,)), measure_facts(rises, stander(), FPS))
    assert size.right and height.right
    # What will do is told as it is.
    assert height.got == "low to high" and size.got == "wide to medium"
    drifts = seen_from(constant(0), constant(2), 0.6 * EASED - 0.8)
    (drift,) = check_facts(low, measure_facts(drifts, stander(), FPS))
    assert drift.right and drift.got == "low to eye"
    (stays,) = check_facts(
        low, measure_facts(seen_from(constant(0), constant(2), constant(-0.8)), stander(), FPS)
    )
    assert stays.right and stays.got == "low"


def test_an_extreme_close_up_shows_more_than_skin():
    asked = CameraFacts(size_start="extreme-close-up")
    assert is_right(asked, seen_from(constant(0), constant(0.45)))
    assert not is_right(asked, seen_from(constant(0), 0.45 - 0.4 * EASED))


def turned_by(turn_deg: torch.Tensor) -> HumanMotion:
    """Somebody who turns on the spot, to their left."""
    motion, turn = stander(), about_z(torch.deg2rad(turn_deg))
    root = motion.rotations.clone()
    root[:, 0] = turn @ root[:, 0]
    around_root = (turn[:, None] @ (motion.joints - motion.root[:, None])[..., None]).squeeze(-1)
    return HumanMotion(root, around_root + motion.root[:, None])


def test_an_arc_that_turns_back_is_not_the_arc_that_was_asked_for():
    asked = CameraFacts(steps=(Step(moves=("arc-right",)),))
    on, back = (torch.clamp(it, 0, 1) for it in (2 * SHARE, 2 * SHARE - 1))
    assert is_right(asked, seen_from(90 * on, constant(3)))
    assert not is_right(asked, seen_from(90 * on - 60 * back, constant(3)))


def test_two_steps_are_found_in_order_and_checked_in_order():
    first = torch.clamp(2 * SHARE, max=1.0)
    second = torch.clamp(2 * SHARE - 1, min=0.0)
    camera = seen_from(60 * second, 4 - 2 * first)
    asked = CameraFacts(steps=(Step(moves=("push-in",)), Step(moves=("arc-right",), when="then")))
    measured = measure_facts(camera, stander(), FPS)
    assert [step.step.moves for step in measured.steps] == [("push-in",), ("arc-right",)]
    assert all(check.right for check in check_facts(asked, measured))
    other = CameraFacts(steps=(Step(moves=("arc-right",)), Step(moves=("push-in",), when="then")))
    assert not all(check.right for check in check_facts(other, measured))


WALKER = wander([Leg(5.0, 1.1)])
TURNING_WALKER = wander([Leg(6.0, 1.0, turn_deg=170.0)])


def around(motion: HumanMotion, azimuth_deg: torch.Tensor, distance_m: float = 2.3) -> CameraPath:
    """A camera that goes with somebody, at an azimuth of the world seen from them."""
    target = neck(motion).double()
    angle = torch.deg2rad(azimuth_deg)
    spoke = torch.stack([angle.cos(), angle.sin(), 0 * angle], dim=-1)
    return camera_looking_at(target + distance_m * spoke, target, FOV)


def eased(frames: int) -> torch.Tensor:
    share = torch.linspace(0, 1, frames, dtype=torch.float64)
    return share * share * (3 - 2 * share)


@pytest.mark.parametrize("side", [1.0, -1.0])
@pytest.mark.parametrize("start_deg", [0.0, 90.0, 200.0])
@pytest.mark.parametrize(("swept_deg", "extent"), [(90.0, "quarter"), (180.0, "half")])
def test_circles_about_somebody_who_goes_are_as_wide_as_about_one_who_stays(
    side: float, start_deg: float, swept_deg: float, extent: str
):
    azimuth = start_deg + side * swept_deg * eased(WALKER.frames)
    found = measure_facts(around(WALKER, azimuth), WALKER, FPS).steps
    widest = max(found, key=lambda step: abs(step.swept_rad))
    assert widest.step.extent == extent
    assert ("arc-right" if side > 0 else "arc-left") in widest.step.moves
    # The eased ends may belong to what is before and after.
    assert abs(math.degrees(widest.swept_rad)) == pytest.approx(swept_deg, rel=0.15)


def moves_of(camera: CameraPath, motion: HumanMotion) -> set[str]:
    return {move for step in measure_facts(camera, motion, FPS).steps for move in step.step.moves}


def test_nobody_circles_who_stands_goes_along_or_goes_straight():
    frames, target = WALKER.frames, neck(WALKER).double()
    middle = target.mean(dim=0)
    aside = torch.tensor([1.9, 0.4, 0.0]).double()
    stands = camera_looking_at((middle + aside).expand(frames, 3), target, FOV)
    straight = middle + aside + torch.outer(eased(frames), torch.tensor([0.3, 1.6, 0.0]).double())
    follows = around(WALKER, torch.full((frames,), 70.0, dtype=torch.float64))
    for camera in (stands, camera_looking_at(straight, target, FOV), follows):
        assert not moves_of(camera, WALKER) & {"arc-left", "arc-right", "orbit"}
    # Who stays behind somebody whose way turns goes around nobody.
    way = torch.atan2(*TURNING_WALKER.root[:, :2].double().diff(dim=0).flip(-1).unbind(-1))
    behind = torch.rad2deg(torch.cat([way[:1], way])) + 180
    behind = torch.from_numpy(np.unwrap(behind.numpy(), period=360))
    camera = around(TURNING_WALKER, behind)
    assert not moves_of(camera, TURNING_WALKER) & {"arc-left", "arc-right", "orbit"}


def test_a_whip_after_a_slow_pan_is_a_step_of_its_own():
    slow = 14 * torch.clamp(SHARE / 0.5, max=1.0)
    fast = 50 * torch.clamp((SHARE - 0.7) / 0.08, 0, 1)
    measured = measure_facts(turned_on_spot(slow + fast, constant(0)), stander(), FPS)
    whips = [step for step in measured.steps if "whip-pan" in step.step.turns]
    assert len(whips) == 1 and whips[0].first > 0.5 * FRAMES
    assert "pan-left" in measured.steps[0].step.turns
    pan = Step(turns=("pan-left",))
    asked = CameraFacts(steps=(pan, Step(turns=("whip-pan",), when="at-the-end")))
    assert all(check.right for check in check_facts(asked, measured))


def test_a_tremble_straight_above_somebody_is_no_roll():
    target = neck(stander())
    still = camera_looking_at(target + torch.tensor([0.03, 0.0, 3.0]).double(), target, FOV)
    wobble = about_axis(torch.deg2rad(0.6 * torch.sin(3 * math.pi * SHARE)), "x")
    wobble = wobble @ about_axis(torch.deg2rad(0.6 * SHARE), "y")
    camera = CameraPath(still.world_from_camera @ wobble, still.centre, still.fov_vertical, 16 / 9)
    assert not any(
        "roll" in step.step.turns for step in measure_facts(camera, stander(), FPS).steps
    )


def test_an_unasked_movement_beside_the_asked_one_is_wrong():
    camera = seen_from(constant(0), 4 - EASED, EASED)
    checks = check_facts(
        CameraFacts(steps=(Step(moves=("push-in",)),)), measure_facts(camera, stander(), FPS)
    )
    assert [check.right for check in checks] == [False]


def test_without_a_person_aim_lens_and_movement_are_measured():
    found = measure_facts(SHOTS["push-in"], None, FPS)
    assert found.facts.steps == (Step(moves=("push-in",)),)
    assert found.facts.size_start is None and found.facts.side is None
    assert np.isfinite(found.standing.shake_deg)
