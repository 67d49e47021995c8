"""What is said after a film: true of cameras whose movement and framing are known beforehand."""

import json
from dataclasses import replace

import pytest
import torch

from aesop.director.film_report import FilmReport, film_report, ranked_together
from aesop.director.finish import LIFTED
from aesop.scene.camera import CameraPath, camera_looking_at, look_at
from aesop.scene.camera_keys import CameraKeys, KeyedCamera, KeyMiss, MetKeys
from aesop.scene.human import Clip, Provenance
from aesop.scene.shot import Shot
from tests.director.makers import walking
from tests.scene.test_source import source_of

FRAMES = 79
NOTES = ("weights 0123456789ab", "seed 11, take 2", "guidance 1.5, preset fast", "finish hand",
         "2 overlapping windows")  # fmt: skip
RANKED = (
    "best of 3 takes: take 2: fault 0.01 (movement 99%, nobody 0%, head 100%); "
    "take 0: fault 0.50 (movement 60%, nobody 0%, head 90%); take 1: cannot exist"
)


def standing(frames: int = FRAMES) -> Clip:
    """One pose of a walk, held: whatever moves then is the camera."""
    clip = walking(frames)
    motion = clip.motion
    held = replace(
        motion,
        rotations=motion.rotations[:1].expand_as(motion.rotations).contiguous(),
        joints=motion.joints[:1].expand_as(motion.joints).contiguous(),
    )
    return replace(clip, motion=held)


def pushing(clip: Clip, metres: float = 2.0) -> CameraPath:
    """Straight towards the root, at its height, in equal steps."""
    root = clip.motion.root
    way = torch.linspace(4.0, 4.0 - metres, clip.frames)[:, None]
    return camera_looking_at(root - way * root.new_tensor([[0.0, 1.0, 0.0]]), root, 0.9)


def shot_of(clip: Clip, camera: CameraPath, words: str, *notes: str) -> Shot:
    return Shot(clip, camera, Provenance("filmed by AESOP", notes=notes), words, intensity=1.25)


def test_a_push_in_is_told_as_one():
    clip = standing()
    found = film_report(shot_of(clip, pushing(clip), "The camera pushes in."))
    assert found.asked == found.made == "push in" and found.is_right and found.share == 1
    # 78 steps of 2 m / 78 in single precision, each rounded to 4 m * 2**-24.
    assert found.travel_m == pytest.approx(2.0, abs=FRAMES * 4.0 * 2**-24)
    assert (found.empty_share, found.headless_share, found.person_way_m) == (0, 0, 0)
    assert "asked push in, made push in (100% as asked)" in found.text and "2.00 m" in found.text


def test_another_movement_than_asked_is_told():
    clip = standing()
    found = film_report(shot_of(clip, pushing(clip), "The camera pulls out."))
    assert (found.asked, found.made, found.is_right, found.share) == (
        "pull out",
        "push in",
        False,
        0,
    )


def test_words_that_cannot_be_read_are_not_checked():
    clip = standing()
    found = film_report(shot_of(clip, pushing(clip), "Frobnicate the tomatoes twice."))
    assert (found.asked, found.share, found.is_right) == (None, None, None)
    assert "made push in (words not checked)" in found.text


@pytest.mark.parametrize("away", [0, 13, FRAMES])
def test_frames_without_the_person_are_counted(away: int):
    clip = standing()
    camera = pushing(clip)
    back = look_at(camera.centre, 2 * camera.centre - clip.motion.root)
    turned = camera.world_from_camera.clone()
    turned[:away] = back[:away]
    found = film_report(shot_of(clip, replace(camera, world_from_camera=turned), "static camera"))
    assert found.empty_share == found.headless_share == away / FRAMES


def test_takes_and_corrections_come_from_the_notes():
    clip = standing()
    done = (f"{LIFTED} 0.2 m to stay above the floor", "turned by up to 4.0° in 31% of the frames")
    shot = shot_of(clip, pushing(clip), "The camera pushes in.", *NOTES, *done, RANKED)
    found = film_report(shot)
    assert (found.seed, found.take) == (11, 2) and found.corrections == done
    assert [rank.take for rank in found.ranking] == [2, 0, 1]
    assert found.ranking[2].mark == "cannot exist" and "take 2, the best of 3" in found.text
    assert set(found.settings) == {*NOTES, RANKED}
    bare = film_report(shot_of(clip, pushing(clip), "The camera pushes in."))
    assert "take unknown; nothing corrected" in bare.text and bare.ranking == ()


def test_programs_read_back_what_was_measured():
    clip = standing()
    shot = shot_of(clip, pushing(clip), "The camera pushes in.", *NOTES, RANKED)
    found = film_report(shot)
    line = found.as_json(files=["a.shot"])
    said = json.loads(line)
    assert "\n" not in line and said.pop("files") == ["a.shot"]
    assert set(said) == set(FilmReport.__dataclass_fields__)
    for name in ("asked", "travel_m", "nearest_m", "empty_share", "take", "intensity"):
        assert said[name] == getattr(found, name)


def test_everything_in_metres_has_the_size_of_the_file():
    """Of somebody half as large as our skeleton, half of all metres; degrees and shares stay."""
    clip = standing()
    notes = (
        "held in place: it strayed by 0.46 m",
        "keys lead it 0.4 m near to the body, at 1.2 s",
        "turned by up to 4.2° in 31% of the frames",
        "travel 1.5 m: intensity 1 goes 1.5 m",
    )
    miss = KeyMiss(0.4, 3.0, 0.2)
    keys = CameraKeys((KeyedCamera(0.0, torch.eye(3), torch.zeros(3)),))
    bare = replace(
        shot_of(clip, pushing(clip), "The camera pushes in.", *notes),
        keys=MetKeys(keys, miss, miss, miss),
    )
    placed = replace(clip, source=source_of(FRAMES, 25.0, resized=2.0))
    ours, theirs = film_report(bare), film_report(replace(bare, clip=placed))
    for name in ("travel_m", "nearest_m", "person_way_m"):
        assert getattr(theirs, name) == getattr(ours, name) / 2
    assert theirs.keys is not None and theirs.keys.warped_by == replace(miss, place_m=0.2)
    assert ours.corrections == notes
    assert theirs.corrections == (
        "held in place: it strayed by 0.23 m",
        "keys lead it 0.2 m near to the body, at 1.2 s",
        *notes[2:],
    )
    assert replace(ours, travel_m=0.0, nearest_m=0.0, keys=None, corrections=()) == replace(
        theirs, travel_m=0.0, nearest_m=0.0, keys=None, corrections=()
    )


def test_a_shot_of_one_frame_moves_nowhere():
    clip = standing(1)
    found = film_report(shot_of(clip, pushing(clip), "The camera pushes in."))
    assert (found.asked, found.made, found.travel_m) == (None, "static", 0)


def test_takes_are_ranked_by_what_they_do():
    clip = standing()
    pull = pushing(clip, -2.0)
    takes = [
        shot_of(clip, camera, "The camera pushes in.", f"seed 3, take {take}")
        for take, camera in ((0, pull), (1, pushing(clip)))
    ]
    assert [rank.take for rank in ranked_together(takes)] == [1, 0]
    assert ranked_together(takes[:1]) == ()


def test_of_words_that_are_read_in_part_that_part_is_judged():
    """What takes are chosen by is what the report tells, and what was not heard is named."""
    clip = standing()
    found = film_report(shot_of(clip, pushing(clip), "push in over the frobnicator"))
    assert (found.asked, found.is_right) == ("push-in", True)
    assert found.advice is not None and "'frobnicator'" in found.advice
    wrong = film_report(shot_of(clip, pushing(clip), "crane up over the frobnicator"))
    assert wrong.asked is not None and wrong.asked.startswith("boom-up") and not wrong.is_right


@pytest.mark.parametrize(
    ("words", "why"),
    [
        ("push in slowly from a wide shot to a close-up", "how far"),
        ("follow her slowly", "as fast as the person"),
    ],
)
def test_a_pace_that_means_nothing_is_told(words: str, why: str):
    clip = standing()
    shot = replace(shot_of(clip, pushing(clip), words), intensity=1.0)
    pace = film_report(shot).pace
    assert pace is not None and "not heard" in pace and why in pace
    assert film_report(replace(shot, camera_words=words.replace("slowly", ""))).pace is None


def test_numbers_that_no_film_obeys_are_told_unless_they_were_set():
    clip = standing()
    shot = shot_of(clip, pushing(clip), "push in 2 m with a 35mm lens")
    advice = film_report(shot).advice
    assert advice is not None and "--travel 2" in advice and "--lens 35" in advice
    told = ("picture 1.778:1, 35 mm before 36 mm", "travel 2 m: intensity 1 goes 2.00 m")
    notes = replace(shot.provenance, notes=told)
    advice = film_report(replace(shot, provenance=notes)).advice
    assert advice is None or "--" not in advice


def test_a_pace_alone_is_told_like_words_that_nobody_understands():
    clip = standing()
    for words in ("slowly now", "frobnicate the tomatoes"):
        advice = film_report(shot_of(clip, pushing(clip), words)).advice
        assert advice is not None and advice.startswith("No camera term was understood")


def test_more_steps_than_a_shot_has_are_told():
    clip = standing()
    words = "push in, then arc right, then boom up, then pan left"
    advice = film_report(shot_of(clip, pushing(clip), words)).advice
    assert advice is not None and "the first 3" in advice
