"""The judge of the second edition: what it sees of a shot, and whom it calls a stranger."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch

from aesop.core.errors import WeightsError
from aesop.evaluators.caption_claims import ShotClaims, claims_of
from aesop.evaluators.evaluator import FRAMED, framed_from_features, framed_of_shot
from aesop.evaluators.evaluator_recipes import framed_recipe
from aesop.evaluators.evaluator_training import framed_clips, learn_pair
from aesop.evaluators.evaluator_weights import own_judge
from aesop.evaluators.published import EvaluatorChoice
from aesop.features.camera_features import camera_from_features
from aesop.features.human_features import human_from_features
from aesop.scene.human import Clip, Provenance
from aesop.scene.rotation import about_z
from aesop.scene.shot import Shot
from tests.tolerances import GEOMETRY32, GEOMETRY64
from tests.training.makers import TEXT_WIDTH, HashEncoder, make_footage

MADE = Provenance("made here")


def strangers(shots: list[ShotClaims], captions: list[tuple[str, ...]]) -> list[list[bool]]:
    claims = claims_of(shots, captions)
    rows = torch.arange(len(shots))
    number = {text: 1 + at for at, text in enumerate(dict.fromkeys(sum(captions, ())))}
    texts = torch.tensor([number[its[0]] for its in captions])
    return claims.strangers(rows, texts).tolist()


def test_words_are_strangers_only_to_paths_that_deny_them():
    close_push = ShotClaims((1,), ("size:close-up", "move:push-in"), (("size:close-up",),))
    close = ShotClaims((2,), ("size:close-up", "move:boom-up"), (("move:boom-up",),))
    wide = ShotClaims((1,), ("size:wide", "height:low"), (("height:low", "pace:slowly"),))
    found = strangers([close_push, close, wide], [("tight",), ("rise",), ("low",)])
    # Rows are paths. "tight" is true of both close-ups and denied by the wide shot; "rise" is
    # denied by the push, unknown of the shot without steps; nobody else's height is known.
    assert found == [[False, True, False], [False, False, False], [True, False, False]]


def test_grammar_captions_are_compared_by_their_order_of_movements():
    shots = [
        ShotClaims((3, 5)),
        ShotClaims((5, 3)),
        ShotClaims((3, 5), ("size:wide",), (("size:wide",),)),
    ]
    found = strangers(shots, [("in then up",), ("up then in",), ("from afar",)])
    assert found == [[False, True, False], [True, False, False], [False, True, False]]


def test_a_sentence_that_is_told_of_two_facts_claims_neither():
    left, right = (
        ShotClaims((0,), (f"side:profile-{side}",), ((f"side:profile-{side}",),))
        for side in ("left", "right")
    )
    assert not np.any(strangers([left, right], [("a profile",), ("a profile",)]))


def test_framing_is_as_the_person_sees_it():
    """Turned together, person and camera are framed alike; only the nine numbers know the world."""
    camera = make_footage(2, 1, seed=5, frames=(23, 29)).cameras.clip(0).double()
    heading = torch.linspace(0, 1, len(camera)).double()[:, None]
    turn = about_z(torch.tensor(0.7, dtype=torch.float64))
    turned = camera.clone()
    for first in (2, 5, 8, 11):  # place, two columns of the turn, velocity
        turned[:, first : first + 3] = camera[:, first : first + 3] @ turn.T
    one = framed_from_features(torch.cat([camera, heading], 1))
    two = framed_from_features(torch.cat([turned, heading + 0.7], 1))
    assert one.shape[1] == FRAMED
    torch.testing.assert_close(one[:, 9:], two[:, 9:], atol=GEOMETRY64, rtol=0)
    torch.testing.assert_close(one[1:, 6:9], two[1:, 6:9], atol=GEOMETRY64, rtol=0)


def test_it_trains_on_headed_clips_and_reads_shots_alike():
    footage = make_footage(5, 2, seed=3, frames=(29, 37))
    claims = [ShotClaims((at % 3,)) for at in range(len(footage.cameras))]
    clips = framed_clips(footage, claims, HashEncoder())
    trained = learn_pair(replace(framed_recipe("tiny", TEXT_WIDTH), steps=3), clips, clips)
    assert trained.pair.moves.shape.features == FRAMED
    human = int(footage.human_of_shot[3])
    motion = human_from_features(footage.humans.clip(human).double())
    torch.testing.assert_close(
        clips.clips.clip(3)[:, -1].double(), motion.yaw, atol=GEOMETRY32, rtol=0
    )
    camera = camera_from_features(footage.cameras.clip(3).double(), motion.root[0])
    shot = Shot(Clip(motion, 25.0, "one", MADE), camera, MADE)
    read = framed_of_shot(shot)
    # Only increments survive a shot: the place above the person is added up again.
    torch.testing.assert_close(
        read[0], framed_from_features(clips.clips.clip(3))[0], atol=GEOMETRY32, rtol=0
    )


def test_measure_takes_a_judge_by_name_by_file_or_from_others(tmp_path: Path):
    shipped = own_judge(Path("clatr2"), "clatr")
    assert shipped is not None and shipped.name == "clatr2.safetensors"
    judge = EvaluatorChoice(clatr=Path("clatr2")).load().cameras
    assert judge.pair.moves.shape.features == FRAMED
    assert judge.identity != EvaluatorChoice().load().cameras.identity
    ours = tmp_path / "mine.safetensors"
    ours.write_bytes(shipped.read_bytes())
    assert own_judge(ours, "clatr") == ours
    ours.write_bytes(b"another file")
    assert own_judge(ours, "clatr") is None  # whoever reads checkpoints says what is wrong with it
    with pytest.raises(WeightsError, match="no judge of cameras called clatr3"):
        own_judge(Path("clatr3"), "clatr")
    with pytest.raises(WeightsError, match="neither CLIP nor statistics"):
        EvaluatorChoice(clatr=Path("clatr2"), clip="a folder").load()
    with pytest.raises(WeightsError, match="judges people"):
        EvaluatorChoice(clatr=shipped.with_name("tmr.safetensors")).load()
