"""Clips on their way to the networks: gathering, standardising, encoding, captions, footage."""

import math
from pathlib import Path

import numpy as np
import pytest
import torch

from aesop.core.errors import StoreError
from aesop.data.builder import StoreBuilder
from aesop.data.manifest import HumanRow, ShotRow, Split, StorePlan
from aesop.data.store import open_store
from aesop.features.columns import (
    Statistics,
    camera_statistics,
    human_statistics,
    standardise_camera,
)
from aesop.features.human_features import human_from_features
from aesop.models.codec import RIDGE, CodecShape, HumanCodec, token_mask
from aesop.training.codec_phases import camera_errors, human_errors
from aesop.training.footage import (
    NO_CAPTION,
    Footage,
    encode_all,
    encode_captions,
    fit_whitening,
    ragged_from_clips,
    read_footage,
    settle_scale,
    standard_cameras,
    standard_humans,
    stands,
    whitened,
)
from tests.tolerances import GEOMETRY32, network32
from tests.training.makers import HashEncoder, make_footage

LENGTHS = (1, 7, 4, 13)


@pytest.fixture(scope="module")
def footage() -> Footage:
    return make_footage(5, 2, seed=4, frames=(36, 71))


def test_padded_batches_hold_the_clips_and_zeros(dice: torch.Generator):
    clips = [torch.randn(n, 3, generator=dice) for n in LENGTHS]
    ragged = ragged_from_clips(clips)
    batch = ragged.padded(torch.tensor([3, 0, 3, 2]), 11)
    for row, clip in enumerate((3, 0, 3, 2)):
        length = min(LENGTHS[clip], 11)
        assert torch.equal(batch.values[row, :length], clips[clip][:length])
        assert batch.values[row, length:].abs().sum() == 0
        assert batch.mask[row].tolist() == [True] * length + [False] * (11 - length)
    assert len(ragged) == 4 and ragged.lengths.tolist() == list(LENGTHS)


# A codec of about twelve filters of 11 channels and 8 frames, whose latents reach four; whitening
# divides them by spreads of some hundredths.
CODEC, WHITENED = network32(12 / 4, 8 * 11, 4.0), 50


def test_cameras_are_standardised_as_one_by_one(footage: Footage):
    cameras = footage.cameras
    statistics = camera_statistics(cameras.clip(row) for row in range(len(cameras)))
    together = standard_cameras(cameras, statistics)
    for row in range(len(cameras)):
        alone = standardise_camera(cameras.clip(row), statistics)
        assert torch.equal(together.clip(row), alone)


def test_a_split_encoded_at_once_equals_its_clips_alone(footage: Footage):
    statistics = human_statistics([footage.humans.values])
    torch.manual_seed(7)
    codec = HumanCodec(CodecShape(199, 7, width=11), statistics).eval()
    standard = standard_humans(footage.humans, statistics)
    latents = encode_all(codec, standard)
    assert latents.lengths.tolist() == [-(-n // 4) for n in footage.humans.lengths.tolist()]
    for row in range(len(latents)):
        clip = standard.clip(row)[None]
        mask = torch.ones(clip.shape[:2], dtype=torch.bool)
        torch.testing.assert_close(
            latents.clip(row), codec.encode(clip, mask)[0], rtol=0, atol=CODEC
        )


def test_cached_latents_are_what_the_codec_gives_the_director(footage: Footage):
    """Unit covariance over the split, and the same numbers as `to_latents` of one clip."""
    statistics = human_statistics([footage.humans.values])
    torch.manual_seed(7)
    codec = HumanCodec(CodecShape(199, 7, width=11), statistics).eval()
    raw = encode_all(codec, standard_humans(footage.humans, statistics))
    fit_whitening(codec, raw)
    white = whitened(codec, raw)
    centred = white.values.double() - white.values.double().mean(0)
    covariance = centred.T @ centred / len(centred)
    # As in tests/models/test_whitening.py: unit, less what the ridge takes.
    inner = torch.linalg.inv(codec.whitening.factor.double())
    expected = torch.eye(7) - RIDGE * inner @ inner.T
    torch.testing.assert_close(covariance, expected, rtol=0, atol=CODEC * WHITENED)
    assert float(expected.diagonal().min()) > 0.9
    features = footage.humans.clip(2)[None]
    mask = torch.ones(features.shape[:2], dtype=torch.bool)
    alone = codec.to_latents(features, mask)[0]
    assert len(alone) == int(token_mask(mask).sum())
    torch.testing.assert_close(white.clip(2), alone, rtol=0, atol=CODEC * WHITENED)


def test_stands_are_root_and_heading_at_the_first_frame_of_every_token(footage: Footage):
    found = stands(footage.humans)
    for row in range(len(footage.humans)):
        motion = human_from_features(footage.humans.clip(row).double())
        turn = torch.stack([motion.yaw.cos(), motion.yaw.sin()], dim=-1)
        expected = torch.cat([motion.root, turn], dim=-1)[::4]
        torch.testing.assert_close(found.clip(row).double(), expected, atol=GEOMETRY32, rtol=0)


def test_spreads_near_one_are_settled_without_changing_what_flows_see(footage: Footage):
    statistics = human_statistics(footage.humans.clip(row) for row in range(len(footage.humans)))
    torch.manual_seed(7)
    codec = HumanCodec(CodecShape(199, latent=3, width=11), statistics)
    codec.scale_latents(torch.tensor([100.0, 0.01, 1.0]))
    codec.requires_grad_(False)
    standard = standard_humans(footage.humans, statistics)
    wild = encode_all(codec, standard)
    fit_whitening(codec, wild)
    before = whitened(codec, wild).values
    settled = settle_scale(codec, wild)
    assert torch.equal(settled.values, encode_all(codec, standard).values)
    spread = settled.values.std(0)
    assert bool(((spread > 0.7) & (spread < 1.45)).all()), spread
    fit_whitening(codec, settled)
    torch.testing.assert_close(
        whitened(codec, settled).values, before, atol=CODEC * WHITENED, rtol=0
    )


def test_captions_are_encoded_once_and_picked_fairly():
    captions = encode_captions([("a b", "c"), (), ("c",)], HashEncoder())
    assert len(captions.tokens) == 3 and captions.longest == 8  # none, "a b", "c"
    rows = np.array([0] * 1000 + [1] * 5 + [2] * 5)
    dice = np.random.default_rng(1).random(len(rows))
    picked = captions.pick(rows, dice)
    assert set(picked[1000:1005]) == {NO_CAPTION}
    assert set(picked[:1000]) == {1, 2} and set(picked[1005:]) == {2}
    # Three standard errors of a thousand draws.
    assert np.mean(picked[:1000] == 1) == pytest.approx(0.5, abs=0.05)
    words = captions.tokens.padded(torch.tensor([1]), 2).values[0]
    wanted = HashEncoder().encode(["a b"]).tokens[0]
    torch.testing.assert_close(words.float(), wanted, rtol=1e-3, atol=1e-3)  # half precision


def test_human_errors_tell_root_errors_from_pose_errors(footage: Footage):
    target = footage.humans.clip(0)[None].repeat(2, 1, 1)
    mask = torch.ones(target.shape[:2], dtype=torch.bool)
    mask[1, 20:] = False
    raised = target.clone()
    raised[..., 0] += 0.25  # the root's height
    raised[1, 20:] += 9.0  # padding
    errors = human_errors(raised, target, mask)
    assert errors.global_mpjpe_m.tolist() == pytest.approx([0.25, 0.25], abs=GEOMETRY32)
    assert errors.aligned_mpjpe_m.tolist() == pytest.approx([0, 0], abs=GEOMETRY32)


def test_camera_errors_are_metres_and_degrees(footage: Footage):
    target = footage.cameras.clip(0)[None]
    mask = torch.ones(target.shape[:2], dtype=torch.bool)
    mask[:, 30:] = False
    other = target.clone()
    other[:, 0, 2:5] += torch.tensor([0.3, 0.4, 0.0])  # the first centre carries all others
    turn = torch.tensor(10.0).deg2rad()
    other[..., 5:8] = turn.cos() * target[..., 5:8] + turn.sin() * target[..., 8:11]
    other[..., 8:11] = turn.cos() * target[..., 8:11] - turn.sin() * target[..., 5:8]
    other[:, 30:] = 0.0  # degenerate rotations in the padding
    errors = camera_errors(other, target, mask)
    assert errors.centre_ade_m.tolist() == pytest.approx([0.5], abs=GEOMETRY32)
    assert errors.rotation_degrees.tolist() == pytest.approx([10.0], abs=math.degrees(GEOMETRY32))


def test_statistics_of_a_split_ignore_how_it_is_cut(footage: Footage):
    whole = human_statistics([footage.humans.values])
    pieces = human_statistics(footage.humans.values.split(17))
    assert isinstance(whole, Statistics)
    torch.testing.assert_close(whole.mean, pieces.mean)
    torch.testing.assert_close(whole.spread, pieces.spread)


def random_footage(windows: int, cameras: int) -> Footage:
    """Numbers without meaning, where only the bookkeeping counts."""
    dice = torch.Generator().manual_seed(0)
    shots = windows * cameras
    return Footage(
        humans=ragged_from_clips([torch.rand(5, 199, generator=dice) for _ in range(windows)]),
        cameras=ragged_from_clips([torch.rand(5, 14, generator=dice) for _ in range(shots)]),
        human_of_shot=torch.arange(windows).repeat_interleave(cameras),
        human_names=tuple(f"window{i:03d}" for i in range(windows)),
        shot_names=tuple(f"shot{i:03d}" for i in range(shots)),
        human_captions=(("words",),) * windows,
        camera_captions=(("words",),) * shots,
        sha256="random",
    )


def write_store(path: Path, footage: Footage, splits: list[str], film: bool = False) -> None:
    builder = StoreBuilder(path, StorePlan("made-up"))
    builder.start()
    with builder.shard("only") as shard:
        for row, name in enumerate(footage.human_names):
            features = footage.humans.clip(row).clone()
            shard.add_human(HumanRow(name, features, footage.human_captions[row]))
        for row, name in enumerate(footage.shot_names):
            human = int(footage.human_of_shot[row])
            features = footage.cameras.clip(row).clone()
            shard.add_shot(
                ShotRow(
                    name,
                    footage.human_names[human],
                    features,
                    np.zeros(len(features) - 1, np.int64),
                    footage.camera_captions[row],
                    splits=(Split(splits[row]),),
                    attributes={"video": f"film{human}"} if film else {},
                )
            )
    builder.finalise(["only"])


def test_footage_is_what_the_store_holds(footage: Footage, tmp_path: Path):
    splits = ["train"] * 8 + ["validation"] * 2
    write_store(tmp_path / "store", footage, splits)
    store = open_store(tmp_path / "store")
    train, validation = read_footage(store, validation_clips=1)
    assert train.shot_names == footage.shot_names[:8] and len(train.humans) == 4
    assert torch.equal(train.cameras.clip(5), footage.cameras.clip(5))
    human = train.human_names.index("window2")
    assert torch.equal(train.humans.clip(human), footage.humans.clip(2))
    assert train.human_captions[human] == footage.human_captions[2]
    assert train.human_of_shot.tolist() == [0, 0, 1, 1, 2, 2, 3, 3]
    assert len(validation.cameras) == 1 and validation.shot_names[0] in footage.shot_names[8:]
    assert train.sha256 == store.manifest.content_sha256


def test_without_a_validation_split_whole_films_are_held_out(tmp_path: Path):
    many = random_footage(windows=130, cameras=2)
    write_store(tmp_path / "store", many, ["train"] * 260, film=True)
    train, validation = read_footage(open_store(tmp_path / "store"), validation_clips=50)
    assert set(train.human_names).isdisjoint(validation.human_names)
    assert len(train.cameras) + len(validation.cameras) == 260
    assert 0 < len(validation.cameras) < 12 and len(validation.cameras) % 2 == 0


def test_a_store_that_leaves_nothing_to_validate_on_is_refused(footage: Footage, tmp_path: Path):
    write_store(tmp_path / "store", footage, ["train"] * 10)
    with pytest.raises(StoreError, match="too small"):
        read_footage(open_store(tmp_path / "store"), validation_clips=4)
