"""People: nothing about a camera reaches them, bones keep their length, words can be pressed."""

import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest
import torch

from aesop.director.director import Director, load_director
from aesop.director.requests import (
    HUMAN_GUIDANCE,
    PAPER_HUMAN_GUIDANCE,
    ActRequest,
    RequestError,
    ShootRequest,
)
from aesop.director.sampling import PeopleSampling, sampled_frames
from aesop.director.trained_parts import Parts
from aesop.scene.human import MAX_FRAMES
from aesop.scene.skeleton import JOINTS, PARENTS, bone_length
from aesop.text.encoder import EncodedText, TextFeatures, pad_texts
from tests.director.makers import PUSH_IN, TRUCK, WALK, WAVE, HashEncoder

SECONDS = 1.48  # 37 frames
# Positions near one metre in float32, summed over chains of at most nine bones.
FLOAT32_CHAIN_M = 9 * 2**-23 * 2


class CrowdedEncoder(HashEncoder):
    """Answers as a processor does that rounds by what else is in the batch, only louder."""

    def encode_each(self, texts: Sequence[str]) -> list[EncodedText]:
        loudness = 1 + 0.01 * (len(texts) - 1)
        return [
            EncodedText(text.tokens * loudness, text.pooled * loudness)
            for text in super().encode_each(texts)
        ]

    def encode(self, texts: Sequence[str]) -> TextFeatures:
        return pad_texts(self.encode_each(texts), self.width)


@pytest.fixture(scope="module")
def crowded(cast: Path) -> Director:
    return Director(Parts(cast, encoder=CrowdedEncoder()))


def joints_of(director: Director, requests: Sequence[ShootRequest]) -> list[torch.Tensor]:
    return [shot.clip.motion.joints for shot in director.shoot_many(requests)]


def test_words_for_the_camera_are_not_read_beside_words_for_the_person(crowded: Director):
    alone = crowded.act(WALK, SECONDS, seed=3).motion.joints
    for camera_words in (PUSH_IN, TRUCK, WALK):
        shot = crowded.shoot(WALK, camera_words, SECONDS, seed=3)
        assert torch.equal(shot.clip.motion.joints, alone)


def test_takes_and_neighbours_do_not_change_a_person(crowded: Director):
    alone = crowded.act(WALK, SECONDS, seed=3).motion.joints
    takes = [ShootRequest(WALK, PUSH_IN, SECONDS, seed=3, take=take) for take in range(5)]
    others = [ShootRequest(WAVE, TRUCK, SECONDS, seed=seed) for seed in range(3)]
    for joints in joints_of(crowded, [*others, *takes])[len(others) :]:
        assert torch.equal(joints, alone)


def test_bones_keep_their_length(director: Director):
    joints = director.act(WAVE, SECONDS, seed=1).motion.joints
    for joint in range(1, JOINTS):
        bone = torch.linalg.vector_norm(joints[:, joint] - joints[:, PARENTS[joint]], dim=-1)
        assert (bone - bone_length(joint)).abs().max() < FLOAT32_CHAIN_M


def test_guidance_decides_the_person_and_its_camera_may_not(director: Director):
    usual = director.act(WALK, SECONDS, seed=5)
    assert f"human guidance {HUMAN_GUIDANCE:g}" in " ".join(usual.provenance.notes)
    as_learned = director.act(WALK, SECONDS, seed=5, human_guidance=PAPER_HUMAN_GUIDANCE)
    assert not torch.equal(usual.motion.joints, as_learned.motion.joints)
    shot = director.shoot(WALK, PUSH_IN, SECONDS, seed=5, human_guidance=PAPER_HUMAN_GUIDANCE)
    assert torch.equal(shot.clip.motion.joints, as_learned.motion.joints)
    harder = director.shoot(WALK, PUSH_IN, SECONDS, seed=5, guidance=7.0)
    assert torch.equal(harder.clip.motion.joints, usual.motion.joints)


@pytest.mark.parametrize("guidance", [-0.1, 20.5, float("nan")])
def test_impossible_human_guidance(director: Director, guidance: float):
    with pytest.raises(RequestError, match="guidance"):
        director.act(WALK, SECONDS, human_guidance=guidance)
    with pytest.raises(RequestError, match="guidance"):
        director.shoot(WALK, PUSH_IN, SECONDS, human_guidance=guidance)


def test_equal_people_are_made_once(director: Director, monkeypatch: pytest.MonkeyPatch):
    made: list[int] = []
    from aesop.director import acting as module

    plain = module.act_out

    def counted(*args: object) -> object:
        made.append(1)
        return plain(*args)  # pyright: ignore[reportArgumentType]

    monkeypatch.setattr(module, "act_out", counted)
    director.shoot_many([ShootRequest(WALK, PUSH_IN, SECONDS, take=take) for take in range(3)])
    director.act_many([ActRequest(WALK, SECONDS), ActRequest(WALK, SECONDS)])
    assert len(made) == 2


@pytest.mark.parametrize("threads", [1, 2, 3])
def test_shipped_people_owe_nothing_to_cameras_with_the_threads_that_users_have(threads: int):
    """Four words of the camera are as many tokens as those of the person: read in one batch, they
    changed the person by half a micrometre."""
    script = (
        "import sys, torch\n"
        f"torch.set_num_threads({threads})\n"
        "from aesop.director.director import load_director\n"
        "director = load_director()\n"
        "person = director.act('a person walks forward', 2.0, seed=3).motion.joints\n"
        "for words in ('the camera pushes in', 'static camera', 'a person walks forward'):\n"
        "    shot = director.shoot('a person walks forward', words, 2.0, seed=3)\n"
        "    assert torch.equal(shot.clip.motion.joints, person), words\n"
    )
    run = subprocess.run([sys.executable, "-c", script], capture_output=True, check=False)
    assert run.returncode == 0, run.stderr.decode(errors="replace")[-2000:]


@pytest.mark.parametrize("frames", [37, 100, MAX_FRAMES - 5, MAX_FRAMES])
def test_people_are_sampled_longer_than_they_are_shown_but_not_in_the_paper(frames: int):
    assert sampled_frames(frames, PeopleSampling(finish="as-decoded")) == frames
    assert sampled_frames(frames, PeopleSampling(finish="as-sampled")) == frames
    longer = sampled_frames(frames, PeopleSampling(finish="standing"))
    assert longer == sampled_frames(frames, PeopleSampling(finish="best-take"))
    assert longer == MAX_FRAMES if frames > MAX_FRAMES - 8 else 8 <= longer - frames < 12


def test_who_sat_down_stays_seated_to_the_last_frame():
    """The last token of a window made people spring up by a quarter of a metre in as many
    seconds."""
    director, words = load_director(), "a person sits down on a chair"
    shown = director.with_people("standing").act(words, 4.0, seed=0).motion.joints
    raw = director.with_people("as-sampled").act(words, 4.0, seed=0).motion.joints
    rises = [float(it[-1, 0, 2] - it[-9:, 0, 2].min()) for it in (shown, raw)]
    # Real people who sit move their hips by less than a hand's breadth in a third of a second.
    assert rises[0] < 0.08 < rises[1]
