"""Footage that travels: little in size, and the same motion and camera on arrival."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch
from torch.nn.functional import cosine_similarity

from aesop.core.errors import WeightsError
from aesop.features.camera_features import centre_from_features
from aesop.features.columns import CAMERA, HUMAN
from aesop.features.human_features import (
    human_from_features,
    human_to_features,
    joints_from_features,
)
from aesop.models.codec import CodecShape, HumanCodec
from aesop.models.velocity import FlowTransformer, VelocityShape
from aesop.models.weights import load_human_flow, new_part, read_card, save_part
from aesop.scene.human import mirrored
from aesop.scene.rotation import geodesic_distance
from aesop.text.encoder import EncoderMark, mark_of
from aesop.text.minilm import MiniLM
from aesop.training.footage import Footage, ragged_from_clips
from aesop.training.recipes import TrainingError
from parcel import (
    HUMANS_FILE,
    SHOTS_FILE,
    Rounding,
    pack_tracks,
    read_parcel,
    unpack_tracks,
    write_parcel,
)
from tests.training.makers import HashEncoder, make_footage
from travelling import TravellingMiniLM, write_travelling_encoder

CPU = torch.device("cpu")


def mirrored_windows(footage: Footage, every: int) -> Footage:
    """Some windows left–right mirrored, as Fables does."""
    clips = [footage.humans.clip(row) for row in range(len(footage.humans))]
    for row in range(0, len(clips), every):
        motion = mirrored(human_from_features(clips[row].double()))
        clips[row] = human_to_features(motion).float()
    return replace(footage, humans=ragged_from_clips(clips))


@pytest.fixture(scope="module")
def footage() -> Footage:
    return mirrored_windows(make_footage(9, 2, seed=8, frames=(36, 80)), every=3)


@pytest.fixture(scope="module")
def arrived(footage: Footage, tmp_path_factory: pytest.TempPathFactory) -> Footage:
    folder = tmp_path_factory.mktemp("parcel")
    write_parcel(footage, folder)
    return read_parcel(folder, CPU)


def test_tracks_keep_every_number_to_half_a_step():
    dice = np.random.default_rng(2)
    starts = np.cumsum([0, 1, 7, 2, 13])
    values = dice.normal(size=(23, 3)).cumsum(0) * [1.0, 50.0, 1e-3]
    steps = np.array([1e-3, 0.25, 1e-6])
    back = unpack_tracks(pack_tracks(values, starts, steps), starts, steps)
    assert (np.abs(back - values) <= steps * 0.5000001).all()


def test_smooth_tracks_are_small():
    time = np.linspace(0, 6, 1000)[:, None]
    values = np.sin(time * np.linspace(0.5, 1.5, 11))
    steps = np.full(11, 1e-3)
    assert len(pack_tracks(values, np.array([0, 1000]), steps)) < 0.25 * 2 * values.size


def test_people_arrive_where_they_were(footage: Footage, arrived: Footage):
    for row in range(len(footage.humans)):
        before, after = footage.humans.clip(row).double(), arrived.humans.clip(row).double()
        apart = (joints_from_features(before) - joints_from_features(after)).norm(dim=-1)
        # Measured 1.1 mm: up to 0.05° in every joint of the chain from pelvis to wrist.
        assert float(apart.max()) < 1.5e-3
        turns = [human_from_features(it).rotations for it in (before, after)]
        assert float(geodesic_distance(*turns).max()) < 1.2e-3
        assert torch.equal(
            HUMAN.take(after, "planar_velocity")[-1], torch.zeros(2, dtype=torch.float64)
        )


def test_cameras_arrive_where_they_were(footage: Footage, arrived: Footage):
    root = torch.zeros(3, dtype=torch.float64)
    for row in range(len(footage.cameras)):
        before, after = footage.cameras.clip(row).double(), arrived.cameras.clip(row).double()
        centres = [centre_from_features(it, root) for it in (before, after)]
        # Half a step of a tenth of a millimetre, and of turns and lenses of 2e-4.
        assert float((centres[0] - centres[1]).abs().max()) < 2e-4
        assert float((before - after).abs().max()) < 2e-4
        assert CAMERA.take(after, "velocity")[0].abs().sum() == 0


def test_everything_else_arrives_unchanged(footage: Footage, arrived: Footage):
    for name in ("human_names", "shot_names", "human_captions", "camera_captions"):
        assert getattr(arrived, name) == getattr(footage, name)
    assert torch.equal(arrived.human_of_shot, footage.human_of_shot)
    assert torch.equal(arrived.humans.starts, footage.humans.starts)
    assert torch.equal(arrived.cameras.starts, footage.cameras.starts)
    assert arrived.sha256 != footage.sha256  # rounded data are other data


def test_windows_may_travel_alone(footage: Footage, arrived: Footage, tmp_path: Path):
    write_parcel(footage, tmp_path)
    (tmp_path / SHOTS_FILE).unlink()
    alone = read_parcel(tmp_path, CPU)
    assert torch.equal(alone.humans.values, arrived.humans.values) and len(alone.cameras) == 0


def test_finer_rounding_is_closer(footage: Footage, arrived: Footage, tmp_path: Path):
    write_parcel(footage, tmp_path, Rounding(joint_turn_rad=1e-4))
    fine = read_parcel(tmp_path, CPU)

    def apart(other: Footage) -> float:
        return float((other.humans.values - footage.humans.values).abs().max())

    assert apart(fine) < 0.5 * apart(arrived)


def test_another_body_is_refused(footage: Footage, tmp_path: Path):
    values = footage.humans.values.clone()
    values[:, HUMAN.span("places")] *= 1.1
    other = replace(footage, humans=replace(footage.humans, values=values))
    with pytest.raises(TrainingError, match=r"window0.*skeleton"):
        write_parcel(other, tmp_path)


def test_damaged_and_foreign_parcels_are_refused(footage: Footage, tmp_path: Path):
    write_parcel(footage, tmp_path)
    write_parcel(replace(footage, sha256="other"), tmp_path / "other")
    (tmp_path / SHOTS_FILE).write_bytes((tmp_path / "other" / SHOTS_FILE).read_bytes())
    with pytest.raises(TrainingError, match="other windows"):
        read_parcel(tmp_path, CPU)
    path = tmp_path / HUMANS_FILE
    path.write_bytes(path.read_bytes()[:100])
    with pytest.raises(TrainingError, match=HUMANS_FILE):
        read_parcel(tmp_path, CPU)


def test_the_travelling_encoder_says_what_minilm_says(tmp_path: Path):
    texts = ["a person walks forward", "the camera trucks left, slowly", "unfathomably odd"]
    path = tmp_path / "encoder.safetensors"
    write_travelling_encoder(texts, path)
    assert path.stat().st_size < 25e6
    encoder, original = TravellingMiniLM(path, CPU), MiniLM()
    for ours, theirs in zip(encoder.encode_each(texts), original.encode_each(texts), strict=True):
        scale = float(theirs.tokens.abs().max())
        assert float((ours.tokens.float() - theirs.tokens).abs().max()) < 3e-3 * scale
        assert float((ours.pooled.float() - theirs.pooled).abs().max()) < 1e-3
    with pytest.raises(TrainingError, match="zebra"):
        encoder.encode_each(["a zebra"])


def test_in_bytes_it_is_half_as_large_and_says_nearly_the_same(tmp_path: Path):
    texts = ["a person walks forward", "the camera trucks left, slowly", "unfathomably odd"]
    whole, small = tmp_path / "whole", tmp_path / "small"
    write_travelling_encoder(texts, whole)
    write_travelling_encoder(texts, small, in_bytes=True)
    assert small.stat().st_size < 0.52 * whole.stat().st_size
    one, other = TravellingMiniLM(whole, CPU), TravellingMiniLM(small, CPU)
    for mine, theirs in zip(one.encode_each(texts), other.encode_each(texts), strict=True):
        alike = cosine_similarity(mine.tokens.float(), theirs.tokens.float(), dim=-1)
        # Matrices are kept to a 254th of the largest number of their row; twelve follow each other.
        assert float(alike.min()) > 0.995


def test_with_all_words_it_reads_what_nobody_knew_when_it_was_written(tmp_path: Path):
    path = tmp_path / "encoder"
    write_travelling_encoder(["a person walks forward"], path, all_words=True)
    texts = ["the dolly glides past a zebra", "puhs in, 3½ m — naïve", "\u0416\u20ac left"]
    encoder, original = TravellingMiniLM(path, CPU), MiniLM()
    for ours, theirs in zip(encoder.encode_each(texts), original.encode_each(texts), strict=True):
        alike = cosine_similarity(ours.tokens.float(), theirs.tokens.float(), dim=-1)
        # A word's row is kept to a 254th of its largest number, everything else to a 2048th.
        assert float(alike.min()) > 0.9995


def test_texts_are_encoded_once_on_a_machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """By later phases with more texts, and by later calls; each text keeps its bits."""
    texts = ["a person walks", "the camera trucks left, slowly", "unfathomably odd", "left", "a"]
    path = tmp_path / "encoder.safetensors"
    write_travelling_encoder(texts, path)
    first = TravellingMiniLM(path, CPU, tmp_path / "texts")
    whole = first.encode_joined(texts[:3])
    assert first.encode_joined(texts[:3]) is whole  # nothing is copied
    read: list[str] = []
    monkeypatch.setattr(
        TravellingMiniLM, "encode_anew", lambda self, new, own=TravellingMiniLM.encode_anew: (
            read.extend(new), own(self, new)
        )[1],
    )  # fmt: skip
    mixed = [texts[4], texts[1], texts[3], texts[0], texts[1]]
    again = first.encode_joined(mixed)
    assert read == [texts[4], texts[3]]
    later = TravellingMiniLM(path, CPU, tmp_path / "texts").encode_joined(mixed)
    assert len(read) == 2
    for one in (again, later):
        for row, text in enumerate(mixed):
            known = texts.index(text)
            if known < 3:
                own = slice(*whole.starts[known : known + 2].tolist())
                got = slice(*one.starts[row : row + 2].tolist())
                assert torch.equal(one.tokens[got], whole.tokens[own])
                assert torch.equal(one.pooled[row], whole.pooled[known])
    assert all(torch.equal(getattr(again, it), getattr(later, it)) for it in vars(again))
    write_travelling_encoder(["another walk"], path)
    TravellingMiniLM(path, CPU, tmp_path / "texts").encode_joined(["walk"])
    assert len(read) == 3  # another encoder reads for itself


def test_a_part_says_which_encoder_it_read_and_is_used_with_the_one_that_stood_for(tmp_path: Path):
    paths = [tmp_path / name for name in ("one", "other")]
    for path, texts in zip(paths, (["a person walks"], ["a person jumps high"]), strict=True):
        write_travelling_encoder(texts, path)
    one, other = (TravellingMiniLM(path, CPU) for path in paths)
    assert len({one.fingerprint, other.fingerprint, MiniLM.fingerprint}) == 3
    codec = new_part("human-codec", HumanCodec(CodecShape(199, 7, width=5)))
    shape = VelocityShape(7, one.width, width=34, depth=1, heads=2, ffn=2)
    flow = new_part("human-flow", FlowTransformer(shape), (codec,), one)
    save_part(flow, tmp_path / "flow")
    assert read_card(tmp_path / "flow").encoder == EncoderMark(
        MiniLM.name, one.fingerprint, MiniLM.fingerprint
    )
    for encoder in (one, other, MiniLM()):
        assert load_human_flow(tmp_path / "flow", codec, encoder).card == read_card(
            tmp_path / "flow"
        )
    with pytest.raises(WeightsError, match="text encoder"):
        load_human_flow(tmp_path / "flow", codec, HashEncoder())
    plain = new_part("human-flow", FlowTransformer(shape), (codec,), MiniLM())
    save_part(plain, tmp_path / "plain")
    assert b"stands_for" not in (tmp_path / "plain").read_bytes()  # as parts that ship
    assert load_human_flow(tmp_path / "plain", codec, one).card.encoder == mark_of(MiniLM())
