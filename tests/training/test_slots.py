"""Pairs in batches: two rows a pair, every pair in turn, and what the two rows share."""

from dataclasses import replace
from operator import attrgetter

import numpy as np
import pytest
import torch

from aesop.models.velocity import FlowTransformer
from aesop.pairs.pair_files import PairSet
from aesop.training.batch_order import PairOrder
from aesop.training.flow_phases import FlowClips, FlowTask
from aesop.training.footage import encode_captions, ragged_from_clips
from aesop.training.recipes import Batching, Recipe, Slots, TrainingError
from aesop.training.step import ALONE, World
from tests.training.makers import HashEncoder, make_footage, make_pairs, small_flow_recipe

STEPS = 11
SLOTS = Slots(direction=((0, 2.0),), active=((0, 0.0), (4, 3.0)), null=((0, 0.0), (6, 1.0)))


@pytest.fixture(scope="module")
def pairs() -> PairSet:
    return make_pairs(make_footage(5, 1, seed=3, frames=(36, 60)), direction=5, active=7, null=3)


def test_slots_are_filled_with_whole_pairs_of_the_right_kinds(pairs: PairSet):
    order = PairOrder(SLOTS, pairs, STEPS, seed=0)
    for step, kinds in ((0, [2, 0, 0]), (2, [2, 2, 0]), (10, [2, 3, 1])):
        rows = order.at(step)
        assert rows[0::2].tolist() == (rows[1::2] - 1).tolist() and not (rows[0::2] % 2).any()
        filled = [pairs.pairs[row // 2].kind for row in rows[0::2]]
        assert [filled.count(kind) for kind in ("direction", "active", "null")] == kinds


def test_every_pair_of_a_kind_takes_its_turn(pairs: PairSet):
    order = PairOrder(SLOTS, pairs, steps=20, seed=0)
    shown = np.concatenate([order.at(step)[:4:2] for step in range(5)]) // 2
    assert sorted(shown) == sorted([*range(5), *range(5)])  # ten slots, five pairs


def test_weights_say_how_often_pairs_take_their_turn(pairs: PairSet):
    weights = [1.0, 3.0, 0.5, 0.5, 2.0, 1.0, 6.0]  # of the seven active pairs; mean two
    weighed = [
        replace(pair, weight=weights[at - 5]) if pair.kind == "active" else pair
        for at, pair in enumerate(pairs.pairs)
    ]
    slots = Slots(direction=((0, 1.0),), active=((0, 4.0),))
    order = PairOrder(slots, PairSet(tuple(weighed), "some"), steps=14, seed=0)
    shown = np.concatenate([order.at(step)[2::2] for step in range(14)]) // 2  # one epoch
    assert np.bincount(shown, minlength=12)[5:].tolist() == [4, 12, 2, 2, 8, 4, 24]


def test_factual_control_repeats_the_original_of_direction_pairs_only(pairs: PairSet):
    factual = PairOrder(replace(SLOTS, filling="factual"), pairs, STEPS, seed=0).at(10)
    counter = PairOrder(SLOTS, pairs, STEPS, seed=0).at(10)
    assert factual[:4:2].tolist() == factual[1:4:2].tolist() == counter[:4:2].tolist()
    assert factual[4:].tolist() == counter[4:].tolist()


def test_slots_without_pairs_are_refused(pairs: PairSet):
    only_direction = PairSet(pairs.pairs[:5], "some")
    with pytest.raises(TrainingError, match="active"):
        PairOrder(SLOTS, only_direction, STEPS, seed=0)


def clips_with_pairs(pairs: PairSet, ordinary: int) -> FlowClips:
    """Made-up latents; pair members follow the ordinary rows, as the phases put them."""
    dice = torch.Generator().manual_seed(0)
    tokens = [3, 5, 7, 11][: ordinary % 4 or 4] * 3
    tokens = (tokens * ordinary)[:ordinary] + [7] * (2 * len(pairs.pairs))
    captions = [("a b", "c d e"), ("f",)] * ordinary
    both = [member for pair in pairs.pairs for member in (pair.first, pair.second)]
    return FlowClips(
        latents=ragged_from_clips([torch.randn(n, 5, generator=dice) for n in tokens]),
        captions=encode_captions(
            [*captions[:ordinary], *(member.captions for member in both)], HashEncoder()
        ),
        names=tuple(f"row{i}" for i in range(len(tokens))),
        human_latents=ragged_from_clips([torch.randn(n, 7, generator=dice) for n in tokens]),
        human_of_clip=torch.tensor(
            [*range(ordinary), *(ordinary + i // 2 * 2 for i in range(len(both)))]
        ),
        intensity=np.array([*[1.0] * ordinary, *(m.intensity for m in both)], np.float32),
        ordinary=ordinary,
    )


def task_with_pairs(pairs: PairSet, world: World = ALONE) -> tuple[FlowTask, Recipe]:
    recipe = small_flow_recipe("camera-flow-ipa", STEPS, rows=18)
    clips = clips_with_pairs(pairs, ordinary=23)
    order = PairOrder(SLOTS, pairs, STEPS, recipe.seed)
    return FlowTask(recipe, clips, clips, world, order), recipe


def test_the_two_rows_of_a_pair_share_everything_but_target_and_condition(pairs: PairSet):
    task, _ = task_with_pairs(pairs)
    batch = task.batch(STEPS - 1)
    assert batch.context.human is not None and batch.context.intensity is not None
    rows = 2 * (2 + 3 + 1)
    for name in ("noise", "flow_time", "context.drop_text", "context.human", "context.mask"):
        values = attrgetter(name)(batch)
        assert torch.equal(values[0:rows:2], values[1:rows:2]), name
    others = batch.noise[rows:]
    assert not torch.equal(others[0], others[1]) and len(set(batch.flow_time[rows:].tolist())) == 6
    assert (batch.context.intensity[rows:] == 1).all() and (batch.context.intensity[:4] == 1).all()
    active = batch.context.intensity[4:10].reshape(3, 2)
    assert active.tolist() == [[0.5, 1.5]] * 3
    assert batch.context.intensity[10:12].tolist() == pytest.approx([1.0, 1.6])
    # Active pairs keep their words, direction pairs change them with the target.
    assert torch.equal(batch.context.text.tokens[4:10:2], batch.context.text.tokens[5:10:2])
    assert not torch.equal(batch.context.text.tokens[0], batch.context.text.tokens[1])


def test_continuation_losses_divide_by_the_tokens_of_the_mixed_batch(pairs: PairSet):
    task, _ = task_with_pairs(pairs)
    batch = task.batch(7)
    assert float(batch.total) == batch.context.mask.sum()


def test_processes_share_the_rows_of_one_batch(pairs: PairSet):
    whole = task_with_pairs(pairs)[0].batch(5)
    shares = [task_with_pairs(pairs, World(rank, 3))[0].batch(5) for rank in range(3)]
    inner = ("context.text.tokens", "context.drop_text", "context.intensity")
    for name in ("latents", "noise", "flow_time", *inner):
        read = attrgetter(name)
        for rank, share in enumerate(shares):
            assert torch.equal(read(share), read(whole)[rank::3]), name
    assert all(float(share.total) == float(whole.total) for share in shares)


def test_clips_without_captions_train_the_null_text():
    clips = FlowClips(
        ragged_from_clips([torch.ones(3, 7), torch.ones(5, 7)]),
        encode_captions([(), ("a walk",)], HashEncoder()),
        ("silent", "told"),
    )
    recipe = small_flow_recipe("human-flow", 1, rows=2)
    recipe = replace(recipe, batching=Batching(pool_batches=1, bucket_frames=()))
    batch = FlowTask(recipe, clips, clips, ALONE).batch(0)
    silent = batch.context.mask.sum(1) == 3
    assert (
        int(silent.sum()) == 1
        and batch.context.drop_text[silent].all()
        and batch.context.text.tokens[silent].abs().sum() == 0
    )


def test_text_dropout_has_its_rate():
    clips = FlowClips(
        ragged_from_clips([torch.ones(3, 7)] * 50),
        encode_captions([("a walk",)] * 50, HashEncoder()),
        tuple(str(i) for i in range(50)),
    )
    recipe = small_flow_recipe("human-flow", 60, rows=50)
    task = FlowTask(recipe, clips, clips, ALONE)
    dropped = torch.cat([task.batch(step).context.drop_text for step in range(60)]).float().mean()
    assert float(dropped) == pytest.approx(0.1, abs=0.02)  # 3 standard errors of 3,000 draws


def test_validation_does_not_depend_on_the_batch(dice: torch.Generator):
    clips = FlowClips(
        ragged_from_clips([torch.randn(3 + i % 5, 7, generator=dice) for i in range(23)]),
        encode_captions([("a walk",)] * 23, HashEncoder()),
        tuple(str(i) for i in range(23)),
    )
    recipe = small_flow_recipe("human-flow", 5, rows=5)
    network = FlowTransformer(replace(recipe.network, latent=7)).eval()
    with torch.no_grad():
        small, large = (
            FlowTask(
                replace(recipe, schedule=replace(recipe.schedule, batch_rows=rows)),
                clips,
                clips,
                ALONE,
            ).validate(network)
            for rows in (5, 17)
        )
    assert small == large
