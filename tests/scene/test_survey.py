"""The survey: facts of a clip, and refusals with a reason."""

from dataclasses import replace

import pytest
import torch

from aesop.core.errors import ClipError
from aesop.scene.human import Clip, shifted
from aesop.scene.shot import require_filmable, survey, told_survey
from tests.scene.makers import wandering_clip
from tests.scene.test_source import source_of
from tests.tolerances import SOLVED64


def gliding(clip: Clip, metres_per_frame: float) -> Clip:
    """The clip in one pose, gliding along x."""
    motion = clip.motion
    pose = motion.joints[:1] - motion.root[:1, None] + torch.tensor([0.0, 0.0, 0.9]).double()
    along = torch.arange(clip.frames).double() * metres_per_frame
    offset = torch.stack([along, 0 * along, 0 * along], dim=-1)
    return replace(clip, motion=replace(motion, joints=pose + offset[:, None]))


def test_facts_of_a_gliding_clip(dice: torch.Generator):
    facts = survey(gliding(wandering_clip(53, dice), 0.02))
    assert facts.frames == 53 and abs(facts.seconds - 2.12) < SOLVED64
    assert abs(facts.travel_m - 52 * 0.02) < SOLVED64 and abs(facts.fastest_mps - 0.5) < SOLVED64
    assert facts.high_m[0] - facts.low_m[0] > 52 * 0.02


@pytest.mark.parametrize("resized", [0.5, 0.846, 1.0, 1.7])
def test_facts_are_told_in_the_size_of_the_file(resized: float, dice: torch.Generator):
    clip = gliding(wandering_clip(53, dice), 0.02 * resized)
    source = replace(source_of(53, 25.0, 0.01, "z", resized), first_frame=1.0)
    facts, told = survey(clip), told_survey(replace(clip, source=source))
    assert abs(told.travel_m - 52 * 0.02) < SOLVED64 and abs(told.fastest_mps - 0.5) < SOLVED64
    assert told.high_m[2] == pytest.approx(facts.high_m[2] / resized, abs=SOLVED64)
    assert told_survey(clip) == facts
    if resized == 1:
        assert told == facts


def test_a_jump_is_told_in_the_size_of_the_file(dice: torch.Generator):
    clip = gliding(wandering_clip(53, dice), 0.8)  # 20 m/s, of somebody half as large as we are
    with pytest.raises(ClipError, match="up to 10 m/s"):
        require_filmable(replace(clip, source=source_of(53, 25.0, 0.01, "z", 2.0)))


def test_long_clips_are_filmed_in_windows(dice: torch.Generator):
    assert survey(wandering_clip(300, dice)).windows == 1
    assert survey(wandering_clip(301, dice)).windows == 2


def test_refusals_name_the_clip_and_the_reason(dice: torch.Generator):
    short = wandering_clip(23, dice)
    with pytest.raises(ClipError, match=r"wandering has 0\.92 s"):
        require_filmable(short)
    for kind, is_played in (("BVH", True), ("AMASS", False)):
        where = replace(source_of(23, 25.0), kind=kind)
        with pytest.raises(ClipError) as refused:
            require_filmable(replace(short, source=where))
        assert ("--loop" in refused.value.remedy) == is_played
    clip = wandering_clip(31, dice)
    with pytest.raises(ClipError, match="m/s"):
        require_filmable(gliding(clip, 0.7))
    with pytest.raises(ClipError, match="above the ground"):
        require_filmable(replace(clip, motion=shifted(clip.motion, torch.tensor([0.0, 0, 90.0]))))
    assert require_filmable(clip).frames == 31
