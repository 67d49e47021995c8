"""Requests: words read into movements, and cameras of known ways judged by them."""

import math
from dataclasses import replace

import numpy as np
import pytest
import torch
from torch import Tensor

from aesop.camera_words.caption_reader import movements_in
from aesop.camera_words.grammar import camera_caption
from aesop.camera_words.made_as_asked import made_as_asked
from aesop.camera_words.outline import TAG_OF, AskedCamera, Movement, dominant_tag
from aesop.camera_words.request_reader import read_asked
from aesop.fables.synthetic import synthetic_motion
from aesop.measuring.unseen_wording import SENTENCES
from aesop.scene.camera import CameraPath, camera_looking_at
from aesop.scene.human import NATIVE_FPS, HumanMotion, shifted, turned
from aesop.scene.shot import Placement, place_camera
from tests.camera_words.test_grammar import random_outline
from tests.fables.filmed import crew
from tests.tolerances import GEOMETRY32

FRAMES = 151


def asked_for(words: str) -> AskedCamera:
    asked = read_asked(words)
    assert asked is not None, words
    return asked


@pytest.mark.parametrize(
    ("words", "text"),
    [
        ("The camera follows the person", "follow"),
        ("follow her as she walks to the left", "follow"),
        ("the camera chases him", "follow from behind"),
        ("The camera tracks alongside the runner", "follow from the side"),
        ("keep up with the runner", "follow"),
        ("tracking shot of the man walking down the street", "follow"),
        ("The person walks and the camera follows", "follow"),
        ("follow the person around", "follow"),
        ("the camera goes with the person to the right", "follow + truck right"),
        ("the camera leads the person", "lead"),
        ("walk backwards in front of her", "lead"),
        ("follow the person from the front", "lead"),
        ("the camera orbits around the person", "arc"),
        ("orbit the person clockwise", "arc left"),
        ("circle around him to the left", "arc left"),
        ("rotate around the dancer counter-clockwise while rising", "arc right + boom up"),
        ("go around her", "arc"),
        ("static camera", "static"),
        ("camera on a tripod", "static"),
        ("The camera doesn't move", "static"),
        ("push in slowly on her face", "push in"),
        ("track left", "truck left"),
        ("truck from left to right", "truck right"),
        ("push in, then follow the person, then stop", "push in, then follow, then static"),
    ],
)
def test_what_people_say_is_read(words: str, text: str):
    assert asked_for(words).text == text


@pytest.mark.parametrize(
    "words",
    [
        "the camera pans right",  # turning is not read
        "zoom in",
        "the camera doesn't push in",  # nor is what it should not do
        "move to her left",  # whose left that is for the camera depends on where it stands
        "push in from behind",  # nor places by themselves
        "circle all the way around her",  # nor amounts
        "push in through the window",
        "a person walks forward",
        "the camera stays still and follows the person",
    ],
)
def test_what_cannot_be_checked_is_not_read(words: str):
    assert read_asked(words) is None


def test_every_caption_is_read_as_its_grammar_meant_it():
    dice = np.random.default_rng(11)
    for _ in range(500):
        pair = camera_caption(random_outline(dice), dice)
        for caption in (pair.caption, pair.reversed_caption):
            assert [move.tag for move in asked_for(caption).moves] == movements_in(caption), caption


def test_kinds_survive_their_captions():
    """A follow always says so; an arc does in most captions, else it is told as its truck."""
    dice = np.random.default_rng(13)
    push, pull, right = TAG_OF[0, 0, 1], TAG_OF[0, 0, -1], TAG_OF[1, 0, 0]
    for _ in range(100):
        follow, lead = (
            asked_for(camera_caption([move], dice).caption).moves
            for move in (Movement(push, 0, 47, "follow"), Movement(pull, 0, 47, "lead"))
        )
        assert [move.kind for move in (*follow, *lead)] == ["follow", "lead"]
        (arc,) = asked_for(camera_caption([Movement(right, 0, 47, "arc")], dice).caption).moves
        assert arc.kind == "plain" or (arc.kind, arc.side) == ("arc", "right")


def test_sentences_outside_the_grammar_are_read_right_or_not_at_all():
    for sentence in SENTENCES:
        asked = read_asked(sentence.words)
        assert asked is None or [move.tag for move in asked.moves] == [sentence.tag]


# A person who walks 6 m along −y in six seconds, and cameras of known ways.


def walker() -> HumanMotion:
    motion = synthetic_motion("stand", FRAMES, np.random.default_rng(3)).clip.motion
    way = torch.zeros(FRAMES, 3, dtype=motion.joints.dtype)
    way[:, 1] = -torch.arange(FRAMES) / NATIVE_FPS
    return replace(motion, joints=motion.joints + way[:, None])


def stander() -> HumanMotion:
    return synthetic_motion("stand", FRAMES, np.random.default_rng(3)).clip.motion


def watching(centre: Tensor, motion: HumanMotion) -> CameraPath:
    return camera_looking_at(centre.to(motion.root), motion.root, 0.6)


def along(start: tuple[float, float], share: float) -> CameraPath:
    """From `start`, seen from the person, going a share of their way."""
    motion = walker()
    centre = motion.root[:1] + share * (motion.root - motion.root[:1])
    return watching(centre + torch.tensor([*start, 0.3]), motion)


def around(turn_deg: float) -> CameraPath:
    return orbiting(torch.linspace(0, turn_deg, FRAMES))


def orbiting(angle_deg: Tensor) -> CameraPath:
    motion, angle = stander(), torch.deg2rad(angle_deg)
    offset = torch.stack([3 * angle.cos(), 3 * angle.sin(), 0.2 * torch.ones(FRAMES)], dim=-1)
    return watching(motion.root + offset, motion)


@pytest.mark.parametrize("share", [0.25, 0.75, 1.0])
def test_a_follow_is_the_share_of_the_way_that_it_goes(share: float):
    made = made_as_asked(asked_for("follow the person"), along((2.0, 3.0), share), walker(), 25.0)
    # The person sways by millimetres, which the camera copies and the smoothed way has not.
    assert made.moves[0].way_share == pytest.approx(share, abs=1e-3)
    assert made.share == pytest.approx(share, abs=1e-3)
    assert made.right == (share >= 0.5)


def test_who_overtakes_or_goes_the_other_way_does_not_follow():
    for share in (2.0, -1.0):
        made = made_as_asked(asked_for("follow her"), along((2.0, 3.0), share), walker(), 25.0)
        # The person sways by millimetres.
        assert made.share == pytest.approx(0.0, abs=1e-3) and not made.right


@pytest.mark.parametrize(
    ("words", "place"),
    [
        ("follow the person from behind", (0.0, 3.0)),
        ("lead the person", (0.3, -3.0)),
        ("track alongside the person", (-3.0, 0.0)),
    ],
)
def test_a_place_that_was_asked_for_counts(words: str, place: tuple[float, float]):
    for other in ((0.0, 3.0), (0.3, -3.0), (-3.0, 0.0)):
        made = made_as_asked(asked_for(words), along(other, 1.0), walker(), 25.0)
        assert made.right == (other == place)


@pytest.mark.parametrize(
    ("words", "start_m", "share", "end_m"),
    [
        ("push in", 4.0, 0.25, 8.5),  # behind somebody who walks away faster
        ("push in", 4.0, 1.5, 1.0),
        ("pull out", -8.0, 0.25, -3.5),  # before somebody who comes nearer faster
        ("pull out", -4.0, 1.5, -7.0),
    ],
)
def test_a_push_in_that_loses_the_person_is_one_and_says_so(
    words: str, start_m: float, share: float, end_m: float
):
    """Classes of movement know the camera's way alone; what is told knows the person's too."""
    (move,) = made_as_asked(
        asked_for(words), along((0.0, start_m), share), walker(), NATIVE_FPS
    ).moves
    assert move.right and move.farther is not None
    # The way of the last transition is not counted, and the person sways by millimetres.
    assert move.farther == pytest.approx(end_m / start_m - 1, abs=0.02)
    is_undone = (abs(end_m) > abs(start_m)) == (words == "push in")
    assert (move.against > 0) == is_undone
    if is_undone:
        assert move.against == abs(move.farther)
        way = "farther away" if words == "push in" else "nearer"
        assert move.text == f"{words}, yet the person ends {move.against:.0%} {way}"
    else:
        assert move.text == words


def test_nobody_can_be_followed_who_stands_but_by_standing():
    still = watching(stander().root[:1].expand(FRAMES, 3) + 2.0, stander())
    asked = asked_for("follow the person")
    assert made_as_asked(asked, still, stander(), 25.0).share == pytest.approx(1.0)
    assert not made_as_asked(asked, around(90), stander(), 25.0).right


@pytest.mark.parametrize("turn_deg", [-70.0, -12.0, 12.0, 70.0])
def test_an_arc_is_the_angle_that_the_camera_goes_around(turn_deg: float):
    """Counter-clockwise from above is to the camera's right."""
    for words, sign in (("arc right", 1), ("orbit the person clockwise", -1), ("go around her", 0)):
        made = made_as_asked(asked_for(words), around(turn_deg), stander(), 25.0)
        (move,) = made.moves
        # Smoothed at its ends, an arc is a little shorter.
        assert move.turned_rad == pytest.approx(math.radians(turn_deg), rel=0.02)
        goes_right_way = sign == 0 or sign * turn_deg > 0
        assert made.right == (goes_right_way and abs(turn_deg) >= 20)
        assert (made.share > 0) == goes_right_way


@pytest.mark.parametrize(("first_deg", "then_deg"), [(110, -60), (-60, 150), (90, -30)])
def test_an_arc_that_goes_the_other_way_for_a_while_is_not_right_and_says_so(
    first_deg: float, then_deg: float
):
    half = FRAMES // 2
    angle = torch.cat(
        [
            torch.linspace(0, first_deg, half),
            first_deg + torch.linspace(0, then_deg, FRAMES - half),
        ]
    )
    (move,) = made_as_asked(asked_for("arc right"), orbiting(angle), stander(), 25.0).moves
    assert move.back is not None and not move.right
    # Smoothed where it turns, the way back is a little shorter.
    assert move.back.angle_rad == pytest.approx(math.radians(-min(first_deg, then_deg)), rel=0.03)
    when = "first" if first_deg < 0 else f"after {half / 25:.0f}"
    assert "the other way" in move.text and when in move.text
    net, gone = first_deg + then_deg, abs(first_deg) + abs(then_deg)
    assert move.share <= net / gone + 0.02  # of the way as it was smoothed


def test_a_wobble_is_no_turning_back():
    angle = torch.linspace(0, 120, FRAMES) + 4 * torch.sin(torch.linspace(0, 40, FRAMES))
    (move,) = made_as_asked(asked_for("arc right"), orbiting(angle), stander(), 25.0).moves
    assert move.back is None and move.right and "the other way" not in move.text


def test_a_straight_truck_is_no_arc_and_the_persons_own_way_turns_nobody():
    motion = stander()
    aside = torch.zeros(FRAMES, 3)
    aside[:, 0] = torch.linspace(-1.5, 1.5, FRAMES)
    straight = watching(motion.root + aside + torch.tensor([0.0, -3.0, 0.0]), motion)
    assert made_as_asked(asked_for("truck right"), straight, motion, 25.0).right
    assert not made_as_asked(asked_for("arc right"), straight, motion, 25.0).right
    passed_by = made_as_asked(asked_for("go around her"), along((3.0, -3.0), 0.0), walker(), 25.0)
    assert (
        passed_by.moves[0].turned_rad == pytest.approx(0.0, abs=GEOMETRY32) and not passed_by.right
    )


def test_the_operator_makes_what_its_captions_ask():
    """Cameras made for an outline are right by the words that tell it, but for follows that go less
    than half of the way, which captions call follows too, and arcs that the person's way made."""
    films = crew("several", 53, (97, 149, 211)) + crew("one", 53, (61, 97))
    right: list[bool] = []
    for number, one in enumerate(films):
        outline = [replace(move, kind="plain") for move in one.shot.intent.outline]
        asked = asked_for(camera_caption(outline, np.random.default_rng(number)).caption)
        motion = _motion(one.person.joints)
        right.append(made_as_asked(asked, one.shot.camera, motion, 25.0).right)
    assert np.mean(right) > 0.9


def test_steps_are_judged_in_their_order():
    films = crew("several", 53, (97, 149, 211))
    for one in films:
        tags = [move.tag for move in one.shot.intent.outline]
        forth = [Movement(tag, 0, 1) for tag in tags]
        both_orders = [
            asked_for(camera_caption(order, np.random.default_rng(5)).caption)
            for order in (forth, forth[::-1])
        ]
        motion = _motion(one.person.joints)
        made, backwards = (
            made_as_asked(asked, one.shot.camera, motion, 25.0) for asked in both_orders
        )
        assert made.moves[0].first == 0 and made.moves[-1].stop == motion.frames - 1
        if tags != tags[::-1]:
            assert made.share > backwards.share


def test_turning_and_moving_everything_changes_no_judgement():
    yaw = torch.tensor(2.1).double()
    offset = torch.tensor([3.0, -7.0, 0.0]).double()
    motion, camera = walker(), along((2.0, 3.0), 0.7)
    elsewhere = shifted(turned(motion, yaw), offset)
    placed = place_camera(camera, Placement(yaw, offset))
    for words in ("follow her", "lead her", "arc left", "truck right", "push in, then stop"):
        here = made_as_asked(asked_for(words), camera, motion, 25.0)
        there = made_as_asked(asked_for(words), placed, elsewhere, 25.0)
        assert here.share == pytest.approx(there.share, abs=1e-9)  # float64
        assert here.right == there.right


def test_one_movement_is_judged_by_what_holds_most_of_the_time():
    for one in crew("one", 53, (61, 97)):
        tag = dominant_tag(one.shot.intent.outline)
        asked = asked_for(camera_caption([Movement(tag, 0, 1)], np.random.default_rng(2)).caption)
        made = made_as_asked(asked, one.shot.camera, _motion(one.person.joints), 25.0)
        assert made.right == (made.moves[0].tag == tag)
        assert 0 <= made.share <= 1


def _motion(joints: np.ndarray) -> HumanMotion:
    frames = len(joints)
    return HumanMotion(torch.eye(3).expand(frames, 22, 3, 3), torch.from_numpy(joints).float())
