"""Captions are encoded once per data set and encoder; features that came with the data are used
where they are the encoder's own."""

import logging
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
import torch

from aesop.data.pulpmotion import import_pulpmotion
from aesop.data.store import Store, open_store
from aesop.text import encoders
from aesop.text.dataset_texts import DatasetTexts
from aesop.text.encoder import EncodedText, TextFeatures, pad_texts
from aesop.training.caption_features import TextMode, dataset_encoder
from aesop.training.footage import encode_captions
from tests.data.pulpmotion_layout import wandering_shot, write_pulpmotion

WIDTH = 512  # as the layout has it
IDS = tuple(f"2011_abcdefghij{i}_00008_00{i}_a" for i in range(5))
HALF = 1e-3  # of numbers below two: half precision keeps eleven bits


class CountingClip:
    """Stands for CLIP: a few numbers for every word, and a memory of what was asked."""

    name = "clip-text"
    width = WIDTH

    def __init__(self, seed: int = 3) -> None:
        self.fingerprint = str(seed).ljust(64, "0")
        self.asked: list[str] = []
        self._seed = seed

    def encode(self, texts: Sequence[str]) -> TextFeatures:
        return pad_texts(self.encode_each(texts), self.width)

    def encode_each(self, texts: Sequence[str]) -> list[EncodedText]:
        self.asked += texts
        return [self.one(text) for text in texts]

    def one(self, text: str) -> EncodedText:
        dice = np.random.default_rng([self._seed, *text.encode()])
        tokens = torch.from_numpy(dice.uniform(-1, 1, (1 + len(text.split()), WIDTH))).float()
        return EncodedText(tokens, tokens[-1])


def written(folder: Path, encoder: CountingClip, with_states: range) -> Store:
    """Five clips, some with stored sequences and pooled vectors."""
    shots = {clip_id: wandering_shot(29 + 2 * i, i) for i, clip_id in enumerate(IDS)}
    write_pulpmotion(folder / "pulp", shots, {"pure_train": IDS})
    for part, words in (("caption_cam_clip", "camera_words"), ("caption_char_clip", "human_words")):
        for kind in ("seq", "token"):
            (folder / "pulp" / part / kind).mkdir(parents=True)
        for place in with_states:
            answer = encoder.one(getattr(shots[IDS[place]], words))
            target = folder / "pulp" / part
            np.save(target / "seq" / f"{IDS[place]}.npy", answer.tokens.numpy())
            np.save(target / "token" / f"{IDS[place]}.npy", answer.pooled[None].numpy())
    import_pulpmotion(folder / "pulp", folder / "store", workers=1)
    return open_store(folder / "store")


@pytest.fixture(autouse=True)
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AESOP_CACHE", str(tmp_path / "cache"))


def captions_of(store: Store) -> list[tuple[str, ...]]:
    return [store.shots.strings("captions", row) for row in range(len(store))]


def test_a_second_phase_encodes_nothing_and_reads_the_same(tmp_path: Path):
    store = written(tmp_path, CountingClip(), range(0))
    first, second = CountingClip(), CountingClip()
    made = encode_captions(captions_of(store), dataset_encoder(store, first, "sequence"))
    again = encode_captions(captions_of(store), dataset_encoder(store, second, "sequence"))
    assert len(first.asked) == 5 and second.asked == []
    assert torch.equal(made.tokens.values, again.tokens.values)
    assert torch.equal(made.pooled, again.pooled) and (made.choices == again.choices).all()
    plain = encode_captions(captions_of(store), first)
    assert torch.equal(plain.tokens.values, made.tokens.values)  # both are in half precision
    other = CountingClip(seed=4)
    encode_captions(captions_of(store), dataset_encoder(store, other, "sequence"))
    assert len(other.asked) == 5  # another encoder has a memory of its own


@pytest.mark.parametrize("mode", ["sequence", "pooled"])
def test_stored_features_are_used_where_they_are_there(tmp_path: Path, mode: TextMode):
    store, encoder = written(tmp_path, CountingClip(), range(1, 4)), CountingClip()
    texts = dataset_encoder(store, encoder, mode)
    compared = set(encoder.asked)
    encoder.asked.clear()
    answers = texts.encode_each([captions[0] for captions in captions_of(store)])
    assert sorted(encoder.asked) == sorted(captions_of(store)[row][0] for row in (0, 4))
    assert len(compared) == 6  # three of either kind were compared with what the encoder says
    for captions, answer in zip(captions_of(store), answers, strict=True):
        wanted = encoder.one(captions[0])
        torch.testing.assert_close(answer.pooled, wanted.pooled, rtol=0, atol=HALF)
        if mode == "sequence":
            torch.testing.assert_close(answer.tokens, wanted.tokens, rtol=0, atol=HALF)


def test_features_of_another_model_are_not_used_and_it_says_so(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
):
    store, encoder = written(tmp_path, CountingClip(seed=8), range(5)), CountingClip()
    with caplog.at_level(logging.WARNING):
        texts = dataset_encoder(store, encoder, "sequence")
    assert "every caption is encoded instead" in caplog.text
    answer = texts.encode_each(captions_of(store)[2])[0]
    torch.testing.assert_close(
        answer.tokens, encoder.one(captions_of(store)[2][0]).tokens, rtol=0, atol=HALF
    )


def test_damage_is_found_and_encoded_again(tmp_path: Path, caplog: pytest.LogCaptureFixture):
    texts = ["one word", "", "drei Wörter hier", "one word"]
    first = DatasetTexts(CountingClip(), tmp_path / "set")
    made = first.encode_each(texts)
    (path,) = (tmp_path / "set").glob("*.safetensors")
    content = bytearray(path.read_bytes())
    content[-5] ^= 255
    path.write_bytes(bytes(content))
    encoder = CountingClip()
    again = DatasetTexts(encoder, tmp_path / "set").encode_each(texts)
    assert "damaged" in caplog.text and len(encoder.asked) == 3
    assert all(torch.equal(a.tokens, b.tokens) for a, b in zip(made, again, strict=True))


def test_a_folder_that_cannot_be_written_costs_the_memory_only(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
):
    (tmp_path / "set").write_text("in the way")
    encoder = CountingClip()
    texts = DatasetTexts(encoder, tmp_path / "set")
    texts.encode_each(["a b"])
    texts.encode_each(["a b", "c"])
    assert encoder.asked == ["a b", "c"] and "cannot be kept" in caplog.text


def test_without_a_gpu_texts_are_read_on_the_processor(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(torch.cuda, "is_available", lambda: True)
    monkeypatch.setenv("LOCAL_RANK", "3")
    assert encoders.fastest_device() == "cuda:3"
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    assert encoders.fastest_device() == "cpu"
