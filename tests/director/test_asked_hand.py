"""The hand on shots that were asked for more than a movement: what is there stays, what is missing
comes where a lens, a turn or a grip can bring it, and nothing else is touched."""

from dataclasses import replace

import numpy as np
import pytest
import torch

from aesop.camera_words.attributes import CameraFacts, Step
from aesop.camera_words.standing_tagger import camera_curves, shake_deg
from aesop.director.aiming import aimed_camera
from aesop.director.asked_hand import HandManner, orders_of, steadied_as_asked
from aesop.director.clearance import body_of
from aesop.director.facts_filming import AskedFacts, asked_in
from aesop.director.finish import FINISHINGS, finished
from aesop.director.hand import FASTEST_DPS
from aesop.director.keep_in_picture import scaled_lens
from aesop.director.rule_based import Operator
from aesop.director.take_marks import checks_of
from aesop.director.toward_asked import size_bounds
from aesop.metrics.framing_metrics import holding_of
from aesop.scene.camera import CameraPath, camera_looking_at, project_joints
from aesop.scene.curves import smoothed
from aesop.scene.human import Clip
from aesop.scene.rotation import about_axis
from aesop.scene.shot import Placement, place_camera
from aesop.scene.skeleton import JOINT
from tests.director.test_operator import clip_of
from tests.scene.makers import place_clip
from tests.tolerances import GEOMETRY64

SENTENCES = (
    "zoom in", "zoom out", "a dolly zoom", "pan left", "tilt up", "tilt down", "a whip pan",
    "pan with her", "the camera rolls", "a dutch angle, push in", "handheld, medium shot",
    "a locked-off wide shot", "truck right with a steadicam", "an extreme close-up of her face",
    "a medium shot, her in the right third", "a medium shot with plenty of head room",
    "a bird's eye view", "push in, then pan left", "pan right, then zoom in", "orbit 360 degrees",
    "a low angle full shot", "a long lens, medium shot",
)  # fmt: skip


def shot_of(
    words: str, action: str = "walk", frames: int = 131, seed: int = 1
) -> tuple[Clip, CameraPath]:
    """A film that has what the words ask for, in double precision."""
    clip = clip_of(action, frames)
    motion = clip.motion
    clip = replace(clip, motion=motion.to(torch.float64))
    return clip, Operator().film(clip, words, seed=seed).camera


def facts_in(words: str) -> AskedFacts:
    asked = asked_in(words)
    assert asked is not None and asked.movement is None
    return asked


def right_in(words: str, camera: CameraPath, clip: Clip) -> set[str]:
    checks = checks_of(facts_in(words).facts, camera, clip)
    return {check.asked for check in checks if check.right}


def sampled(camera: CameraPath, scale: float, seed: int) -> CameraPath:
    """As a network would have answered: slow errors of place (3 cm), aim (0.4°) and lens (2 %)."""
    dice, count = np.random.default_rng(seed), camera.frames

    def curve(width: int, size: float) -> torch.Tensor:
        noise = smoothed(dice.standard_normal((count, width)), 9.0)
        return torch.from_numpy(scale * size * noise / noise.std(axis=0)).to(camera.centre)

    aim, lens = torch.deg2rad(curve(2, 0.4)), curve(1, 0.02)[:, 0].exp()
    turns = camera.world_from_camera @ about_axis(aim[:, 0], "x") @ about_axis(aim[:, 1], "y")
    return CameraPath(
        turns, camera.centre + curve(3, 0.03), camera.fov_vertical * lens, camera.aspect
    )


@pytest.mark.parametrize("words", SENTENCES)
def test_what_was_asked_for_and_is_there_stays(words: str):
    clip, camera = shot_of(words)
    for take in (camera, sampled(camera, 1.0, 7), sampled(camera, 3.0, 11)):
        handled, _ = finished(take, clip, words, facts_in(words), FINISHINGS["hand"])
        assert right_in(words, take, clip) <= right_in(words, handled, clip)
        before, after = (holding_of(it, clip.motion, clip.fps) for it in (take, handled))
        assert after.empty_share <= before.empty_share


@pytest.mark.parametrize("words", ["tilt up", "a dutch angle, push in", "orbit her"])
def test_a_take_with_nothing_wrong_comes_back_as_the_same_object(words: str):
    # With the first seed the crown comes nearer to the edge than the hand allows.
    clip, camera = shot_of(words, "wave", seed=2)
    handled, notes = steadied_as_asked(camera, clip, facts_in(words))
    assert handled is camera and notes == []


def test_words_that_ask_for_no_zoom_hold_the_lens_and_others_do_not():
    clip, camera = shot_of("zoom in", "wave")
    zoomed, _ = steadied_as_asked(camera, clip, facts_in("zoom in"))
    focal = -torch.log(torch.tan(zoomed.fov_vertical / 2))
    wanted = -torch.log(torch.tan(camera.fov_vertical / 2))
    # Smoothing over five frames leaves a zoom of seconds what it is.
    torch.testing.assert_close(focal[-1] - focal[0], wanted[-1] - wanted[0], atol=0.01, rtol=0.0)
    held, notes = steadied_as_asked(camera, clip, facts_in("a wide shot"))
    assert float(held.fov_vertical.max() - held.fov_vertical.min()) == 0
    assert any(note.startswith("lens held at") for note in notes)


def test_only_a_whip_that_was_asked_for_is_faster_than_the_law():
    clip, camera = shot_of("a whip pan", "wave")
    assert holding_of(camera, clip.motion, clip.fps).fastest_turn_dps > 100
    whipped, _ = steadied_as_asked(camera, clip, facts_in("a whip pan"))
    assert holding_of(whipped, clip.motion, clip.fps).fastest_turn_dps > 100
    slowed, _ = steadied_as_asked(camera, clip, facts_in("pan left"))
    # Turns of single precision are good to 1e-3 °/s between frames.
    assert holding_of(slowed, clip.motion, clip.fps).fastest_turn_dps <= FASTEST_DPS + 0.01


@pytest.mark.parametrize("size", ["close-up", "medium", "wide"])
def test_a_missing_size_comes_by_the_lens_and_is_said(size: str):
    clip, camera = shot_of("a full shot from the front", "wave")
    words = f"a {size}" if size == "close-up" else f"a {size} shot"
    handled, notes = steadied_as_asked(camera, clip, facts_in(words))
    assert f"size:{size}" in right_in(words, handled, clip)
    assert handled.centre is camera.centre
    (note,) = [note for note in notes if note.startswith("size: lens ")]
    was, now = (float(torch.rad2deg(it.fov_vertical[0])) for it in (camera, handled))
    assert note == f"size: lens {was:.0f}° → {now:.0f}°"
    # No more than it takes: a little inside the nearer bound.
    least, most = size_bounds(size)  # pyright: ignore[reportArgumentType]
    checks = checks_of(CameraFacts(), handled, clip)
    assert checks == () and 0 < least < most
    farther = scaled_lens(handled, 1.1 if now < was else 1 / 1.1)
    assert f"size:{size}" not in right_in(words, farther, clip)
    unsure = replace(facts_in(words), confidence=0.6)
    for asked, manner in ((unsure, HandManner()), (facts_in(words), HandManner(False))):
        kept, _ = steadied_as_asked(camera, clip, asked, manner=manner)
        assert torch.equal(kept.fov_vertical, camera.fov_vertical)


@pytest.mark.parametrize(
    ("filmed", "asked", "way"),
    [
        ("a wide shot from the front, push in", "push in from a wide shot to a close-up", "nearer"),
        ("a low-angle medium shot, pull out", "pull out from a medium shot to an extreme wide shot",
         "farther away"),
        ("a high-angle medium shot, pull out", "pull out to a wide shot", "farther away"),
    ],
)  # fmt: skip
def test_a_shot_is_led_to_the_size_that_it_is_to_end_on(filmed: str, asked: str, way: str):
    clip, camera = shot_of(filmed, "wave")
    # So small a way that its end misses the size.
    short = replace(camera, centre=torch.lerp(camera.centre[:1], camera.centre, 0.3))
    missing = {check.asked for check in checks_of(facts_in(asked).facts, short, clip)}
    assert not {it for it in right_in(asked, short, clip) if it.startswith("size-end")}
    handled, notes = steadied_as_asked(short, clip, facts_in(asked))
    assert right_in(asked, handled, clip) == missing
    (note,) = [note for note in notes if note.startswith("size at the end: ")]
    neck = clip.motion.joints[:, JOINT["neck"]]
    was, now = (it.centre - neck for it in (short, handled))
    gone = torch.linalg.vector_norm(was[-1], dim=-1) - torch.linalg.vector_norm(now[-1], dim=-1)
    assert note == f"size at the end: {abs(float(gone)):.1f} m {way}"
    assert (float(gone) > 0) == (way == "nearer")
    torch.testing.assert_close(now[0], was[0], atol=GEOMETRY64, rtol=0.0)
    bearing = [torch.atan2(it[:, 1], it[:, 0]) for it in (was, now)]
    torch.testing.assert_close(bearing[1], bearing[0], atol=GEOMETRY64, rtol=0.0)
    lowest = torch.minimum(short.centre[:, 2], neck[:, 2])
    assert float((handled.centre[:, 2] - lowest).min()) >= -GEOMETRY64  # never below the ground
    unsure = replace(facts_in(asked), confidence=0.6)
    assert torch.equal(steadied_as_asked(short, clip, unsure)[0].centre, short.centre)


def test_a_size_never_costs_the_lens_that_was_asked_for():
    clip, camera = shot_of("a wide-angle lens, low angle", "wave")
    words = "a close-up with a wide-angle lens"
    handled, _ = steadied_as_asked(camera, clip, facts_in(words))
    assert "lens:wide-angle" in right_in(words, handled, clip)
    assert torch.equal(handled.fov_vertical, camera.fov_vertical)


@pytest.mark.parametrize(
    ("words", "name", "note"),
    [
        ("a full shot, a dutch angle", "turn:dutch", "dutch: rolled by "),
        ("a full shot, her on the left third", "place:left-third", "place: turned by "),
        ("a full shot, handheld", "grip:handheld", "grip: shaken as handheld"),
        ("a full shot on a steadicam", "grip:steadicam", "grip: shaken as steadicam"),
    ],
)
def test_horizon_place_and_grip_are_brought_as_asked(words: str, name: str, note: str):
    clip, camera = shot_of("a full shot from the front", "wave")
    assert name not in right_in(words, camera, clip)
    handled, notes = steadied_as_asked(camera, clip, facts_in(words))
    assert {name, "size:full"} <= right_in(words, handled, clip)
    assert any(it.startswith(note) for it in notes)
    again, _ = steadied_as_asked(camera, clip, facts_in(words))
    assert torch.equal(again.world_from_camera, handled.world_from_camera)
    other, _ = steadied_as_asked(camera, clip, facts_in(words), manner=HandManner(seed=5))
    assert torch.equal(other.world_from_camera, again.world_from_camera) is ("grip" not in name)


def test_a_dolly_does_not_shake():
    clip, camera = shot_of("arc right, handheld")
    words = "arc right on a dolly"
    handled, notes = steadied_as_asked(camera, clip, facts_in(words))
    before, after = (shake_deg(camera_curves(it, clip.fps)) for it in (camera, handled))
    assert after < before / 5 and "grip: smoothed" in notes
    assert "grip:dolly" in right_in(words, handled, clip)


def test_a_pan_is_made_from_where_the_camera_stands():
    clip, camera = shot_of("pan left", "wave")
    shaken = sampled(camera, 1.0, 7)
    assert "turn:pan-left" not in right_in("pan left", shaken, clip), "it strays, so it trucks"
    handled, notes = steadied_as_asked(shaken, clip, facts_in("pan left"))
    assert float(handled.travel) == 0 and any("held in place" in note for note in notes)
    assert "turn:pan-left" in right_in("pan left", handled, clip)


@pytest.mark.parametrize(
    "words", ["a close-up, her on the left third", "tilt down", "push in from a wide to a medium"]
)
def test_turning_and_moving_the_world_turns_and_moves_the_answer(words: str):
    clip, camera = shot_of("a full shot from the front")
    there = Placement(
        torch.tensor(1.9, dtype=torch.float64), torch.tensor([5.0, -7.0, 0.0]).double()
    )
    here, _ = steadied_as_asked(camera, clip, facts_in(words))
    moved, _ = steadied_as_asked(
        place_camera(camera, there), place_clip(clip, there), facts_in(words)
    )
    expected = place_camera(here, there)
    # Solves end within 1e-9 rad of their minimum, whatever the world.
    torch.testing.assert_close(
        moved.world_from_camera, expected.world_from_camera, atol=1e4 * GEOMETRY64, rtol=0.0
    )


def test_what_no_turn_can_mend_is_left_alone():
    """Another take is needed for a height or a side."""
    clip, camera = shot_of("an eye level medium shot, truck left")
    asked = AskedFacts(CameraFacts(height="overhead", side="behind"), None)
    handled, _ = steadied_as_asked(camera, clip, asked)
    assert torch.equal(handled.centre, camera.centre)
    assert not any(check.right for check in checks_of(asked.facts, handled, clip)[:1])
    still = AskedFacts(CameraFacts(steps=(Step(moves=("push-in",)),), height="low"), None)
    assert torch.equal(steadied_as_asked(camera, clip, still)[0].centre, camera.centre)


def test_crowns_are_held_unless_an_extreme_close_up_is_asked_for():
    """From one and a half metres, with the chest in the middle of a picture 0.6 m high."""
    clip, _ = shot_of("orbit her", "wave", 53)
    chest = clip.motion.joints[:, JOINT["spine3"]]
    place = chest + torch.tensor([1.5, 0.0, 0.2], dtype=torch.float64)
    camera = camera_looking_at(place, chest, 0.4)
    body = body_of(clip.motion)
    highest: dict[str, float] = {}
    for words in ("a close-up of her face", "a medium shot", "an extreme close-up of her face"):
        aimed = aimed_camera(camera, clip, body, np.pi, orders_of(facts_in(words).facts))
        crown = project_joints(aimed, torch.from_numpy(body.crown)[:, None]).ndc[:, 0, 1]
        highest[words] = float(crown.max())
    assert highest.pop("an extreme close-up of her face") > 1
    assert max(highest.values()) < 1
