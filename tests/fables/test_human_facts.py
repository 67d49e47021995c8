"""Facts of synthetic motions, laws that tie them together."""

import math
import tarfile
from pathlib import Path

import numpy as np
import pytest
import torch

from aesop.camera_words.vocabulary import mirror_caption
from aesop.fables.human_facts import facts_of, factual_captions, measure
from aesop.fables.synthetic import ACTIONS, synthetic_motion
from aesop.files.bvh_clip import read_bvh_clip
from aesop.scene.human import (
    NATIVE_FPS,
    HumanMotion,
    cut,
    grounded,
    mirrored,
    pose_motion,
    shifted,
    turned,
)
from aesop.scene.rotation import about_axis, about_z
from aesop.scene.shot import heading
from aesop.scene.skeleton import JOINT, REST_PELVIS_HEIGHT_M, world_from_rest
from tests.tolerances import SOLVED64

FRAMES = 101
TIME = torch.arange(FRAMES, dtype=torch.float64) / NATIVE_FPS


def facts_in(motion: HumanMotion) -> set[str]:
    return set(facts_of(motion.joints.numpy(), motion.yaw.numpy()))


def statue(
    yaw: torch.Tensor | None = None,
    path: torch.Tensor | None = None,
    arms: torch.Tensor | None = None,
) -> HumanMotion:
    """A stiff body with hanging arms that is turned and carried; `arms` raises the left one."""
    zero = torch.zeros(FRAMES, dtype=torch.float64)
    rotations = torch.eye(3, dtype=torch.float64).repeat(FRAMES, 22, 1, 1)
    upright = world_from_rest(rotations)
    rotations[:, 0] = about_z(zero if yaw is None else yaw) @ upright
    hang = torch.full_like(zero, -1.4)
    rotations[:, JOINT["left_shoulder"]] = about_axis(hang if arms is None else arms, "z")
    rotations[:, JOINT["right_shoulder"]] = about_axis(-hang, "z")
    root = torch.zeros(FRAMES, 3, dtype=torch.float64) if path is None else path.clone()
    root[:, 2] += REST_PELVIS_HEIGHT_M
    return pose_motion(rotations, root)


def eased(start: float, stop: float) -> torch.Tensor:
    """0 before `start` seconds, 1 after `stop`, smooth between."""
    share = ((TIME - start) / (stop - start)).clamp(0, 1)
    return share**2 * (3 - 2 * share)


def test_a_statue_stands_still_and_does_nothing_else() -> None:
    assert facts_in(statue()) == {"stands still"}


def test_a_statue_that_slides_does_not_walk() -> None:
    path = torch.zeros(FRAMES, 3, dtype=torch.float64)
    path[:, 1] = -1.2 * TIME
    assert facts_in(statue(path=path)) == set()


@pytest.mark.parametrize("degrees", [0, 53, -139])
def test_velocity_is_forward_and_to_the_left_of_the_person(degrees: float) -> None:
    yaw = torch.full_like(TIME, math.radians(degrees))
    ahead, left = heading(yaw), heading(yaw + math.pi / 2)
    path = (1.3 * ahead + 0.7 * left) * TIME[:, None]
    motion = statue(yaw=yaw, path=path)
    measures = measure(motion.joints.numpy(), motion.yaw.numpy())
    assert np.allclose(measures.velocity, [1.3, 0.7], atol=SOLVED64)
    to_left_hand = motion.joints[0, JOINT["left_wrist"]] - motion.joints[0, JOINT["right_wrist"]]
    assert float(to_left_hand @ left[0]) > 0


@pytest.mark.parametrize(
    ("degrees", "fact"),
    [(95, {"turns left"}), (-95, {"turns right"}), (180, {"turns around"}),
     (-170, {"turns around"}), (40, set()), (265, set())],
)  # fmt: skip
def test_a_turn_is_told_by_its_net_angle(degrees: float, fact: set[str]) -> None:
    yaw = math.radians(degrees) * eased(0.7, 3.1)
    assert facts_in(statue(yaw=yaw)) - {"stands", "stands still"} == fact


def test_a_turn_that_comes_back_in_part_is_not_facts_in() -> None:
    yaw = math.radians(165) * eased(0.4, 1.6) - math.radians(65) * eased(2.2, 3.6)
    assert not {fact for fact in facts_in(statue(yaw=yaw)) if fact.startswith("turns")}


def test_hips_that_twist_over_planted_feet_do_not_turn() -> None:
    motion = statue(yaw=math.radians(95) * eased(0.7, 3.1))
    planted = motion.joints.clone()
    feet = [JOINT[f"{side}_{part}"] for side in ("left", "right") for part in ("ankle", "foot")]
    planted[:, feet] = planted[:1, feet]
    facts = facts_of(planted.numpy(), motion.yaw.numpy())
    assert not {fact for fact in facts if fact.startswith("turns")}


@pytest.mark.parametrize("height", [0.17, 0.29, 0.43])
def test_free_fall_is_a_jump(height: float) -> None:
    air_seconds = 2 * math.sqrt(2 * height / 9.81)
    share = (TIME - 1.7) / air_seconds
    path = torch.zeros(FRAMES, 3, dtype=torch.float64)
    path[:, 2] = (4 * height * share * (1 - share)).clamp_min(0)
    assert "jumps" in facts_in(statue(path=path))


def test_hovering_at_any_height_is_no_jump() -> None:
    path = torch.zeros(FRAMES, 3, dtype=torch.float64)
    path[:, 2] = 0.4 * (eased(1.0, 1.5) - eased(2.5, 3.0))
    assert not {fact for fact in facts_in(statue(path=path)) if fact.startswith("jumps")}


def test_the_arm_that_is_raised_is_named() -> None:
    motion = statue(arms=-1.4 + 2.7 * eased(0.8, 1.9))
    assert "raises left arm" in facts_in(motion)
    assert "raises right arm" in facts_in(mirrored(motion))


EXPECTED = {
    "walk": {"walks forward"}, "walk_back": {"walks backward"}, "jump": {"jumps"},
    "stand": {"stands still", "stands"},
}  # fmt: skip


@pytest.mark.parametrize("action", sorted(EXPECTED))
def test_synthetic_actions_are_recognised(action: str) -> None:
    for seed in range(5):
        motion = synthetic_motion(action, FRAMES, np.random.default_rng(seed)).clip.motion
        assert facts_in(grounded(motion)) & EXPECTED[action], seed


def test_sitting_down_and_standing_up_are_told_apart() -> None:
    for seed in range(6):
        made = synthetic_motion("sit", FRAMES, np.random.default_rng(seed))
        fact = "sits down" if "sits down" in made.captions[0] else "stands up"
        facts = facts_in(grounded(made.clip.motion))
        assert fact in facts and not {"sits down", "stands up"} - {fact} & facts


@pytest.fixture(scope="module")
def every_motion() -> list[HumanMotion]:
    return [
        grounded(synthetic_motion(action, 79 + 7 * seed, np.random.default_rng(seed)).clip.motion)
        for action in sorted(ACTIONS)
        for seed in (1, 3)
    ]


def test_facts_in_the_mirror_are_mirrored_facts(every_motion: list[HumanMotion]) -> None:
    for motion in every_motion:
        assert facts_in(mirrored(motion)) == {mirror_caption(fact) for fact in facts_in(motion)}


def test_facts_do_not_depend_on_where_and_whither(every_motion: list[HumanMotion]) -> None:
    for at, motion in enumerate(every_motion):
        away = shifted(motion, torch.tensor([3.1, -7.7, 0.0], dtype=torch.float64))
        assert facts_in(turned(away, torch.tensor(0.9 * at, dtype=torch.float64))) == facts_in(
            motion
        )


def test_every_fact_gets_a_caption_and_two_are_also_joined() -> None:
    motion = statue(yaw=math.radians(95) * eased(0.7, 3.1), arms=-1.4 + 2.7 * eased(0.8, 1.9))
    joints, yaw = motion.joints.numpy(), motion.yaw.numpy()
    captions = factual_captions(joints, yaw, np.random.default_rng(3))
    assert facts_of(joints, yaw) == ("turns left", "raises left arm")
    assert len(captions) == 3
    assert any("left" in caption for caption in captions)
    assert not any("right" in caption for caption in captions)
    again = factual_captions(joints, yaw, np.random.default_rng(3))
    assert captions == again
    varied = {
        tuple(factual_captions(joints, yaw, np.random.default_rng(seed))) for seed in range(40)
    }
    assert len(varied) > 8


def test_captions_in_the_mirror_name_the_other_side() -> None:
    motion = statue(arms=-1.4 + 2.7 * eased(0.8, 1.9))
    reflected = mirrored(motion)
    for seed in range(20):
        here = factual_captions(
            motion.joints.numpy(), motion.yaw.numpy(), np.random.default_rng(seed)
        )
        there = factual_captions(
            reflected.joints.numpy(), reflected.yaw.numpy(), np.random.default_rng(seed)
        )
        assert [mirror_caption(caption) for caption in here] == there


# Takes whose description says what a fact should say; they lie early in the archive.
CERTAIN = {
    "39_07": "walks forward", "69_36": "walks backward", "127_06": "runs", "69_25": "turns left",
    "69_21": "turns right", "91_61": "jumps", "14_31": "stands up",
}  # fmt: skip


@pytest.fixture(scope="module")
def captured(shared_data: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the takes of `CERTAIN`."""
    folder = tmp_path_factory.mktemp("takes")
    missing = {f"bvh/{name}.bvh" for name in CERTAIN}
    with tarfile.open(shared_data / "cmu" / "bvh30.tar.xz", "r|xz") as archive:
        for member in archive:
            if member.name in missing:
                content = archive.extractfile(member)
                assert content is not None
                (folder / Path(member.name).name).write_bytes(content.read())
                missing.discard(member.name)
            if not missing:
                break
    return folder


def test_captured_takes_show_what_they_are_said_to_show(captured: Path) -> None:
    for name, fact in CERTAIN.items():
        clip = read_bvh_clip(captured / f"{name}.bvh")
        facts: set[str] = set()
        for start in range(0, max(1, clip.frames - 75), 60):
            window = cut(clip, start, min(clip.frames, start + 100)).motion
            facts |= facts_in(
                grounded(HumanMotion(window.rotations.double(), window.joints.double()))
            )
        assert fact in facts, name
        opposite = {"turns left": "turns right", "turns right": "turns left"}.get(fact)
        assert opposite not in facts, name
