"""Training the reader on a lent GPU: what a parcel may lose, what two readings must share."""

from pathlib import Path

import pytest
import torch
from torch.nn.functional import binary_cross_entropy_with_logits

from aesop.camera_words.phrase_bank import BankPhrase, OtherText
from aesop.camera_words.reader_network import AdaptedReader, key_of
from aesop.text.encoder import EncodedText
from aesop.text.minilm import MATRICES
from reader_h200 import ENCODER_FILE, loaded_base, rebase
from tests.runs.scripts import script
from tests.tolerances import rounded32
from travelling import travelled_tensors, write_travelling_encoder

training, pages = script("reader_training"), script("reader")


def test_a_parcel_in_eight_bits_is_off_by_half_a_step_and_installing_takes_that_away(
    tmp_path: Path,
) -> None:
    texts = ["push in on her", "a low angle"]
    half, small = tmp_path / "half.safetensors", tmp_path / ENCODER_FILE
    write_travelling_encoder(texts, half)
    write_travelling_encoder(texts, small, in_bytes=True)
    assert small.stat().st_size < 0.6 * half.stat().st_size
    exact, _ = travelled_tensors(half, torch.device("cpu"))
    sent = loaded_base(tmp_path, "cpu").tensors
    name = f"{MATRICES[5]}.weight"
    largest = exact[name].abs().amax(-1, keepdim=True)
    assert ((sent[name] - exact[name]).abs() <= 0.501 * largest / 127).all()  # half a step
    assert not torch.equal(sent[name], exact[name])

    network = AdaptedReader(3)
    with torch.no_grad():
        network.change[key_of(MATRICES[5])].normal_(0, 0.02)
    before = sent[name] + network.changes()[MATRICES[5]].detach()
    rebase(network, sent, exact)
    after = exact[name] + network.changes()[MATRICES[5]].detach()
    # Three sums of numbers no larger than twice the largest.
    torch.testing.assert_close(after, before, rtol=0, atol=rounded32(3, 2 * float(largest.max())))


def test_readings_that_agree_cost_nothing_and_others_their_divergence() -> None:
    some, others = torch.randn(2, 5, 7, generator=torch.Generator().manual_seed(3))
    assert training.disagreement(some, some) == 0
    entropies = [
        binary_cross_entropy_with_logits(a, b.sigmoid(), reduction="none")
        for a, b in ((others, some), (some, some), (some, others), (others, others))
    ]
    both_sides = 0.5 * (entropies[0] - entropies[1] + entropies[2] - entropies[3])
    assert float(training.disagreement(some, others)) == pytest.approx(
        float(both_sides.sum(-1).mean()), abs=rounded32(35, 8.0)
    )


def test_what_was_read_is_counted_by_phrase() -> None:
    phrase = BankPhrase(("size:full", "height:low"), "f", "noun", "w", "words")
    read = [{"size:full"}, {"size:wide", "height:low"}, {"move:orbit", "size:full"}, set[str]()]
    counted = training.counts_of([phrase] * 4, read)
    assert counted.tolist() == [[1, 1, 0], [1, 2, 0], [1, 2, 1], [0, 0, 0]]


class _Letters:
    """An encoder by first letters: texts that begin alike are alike."""

    def encode_each(self, texts: list[str]) -> list[EncodedText]:
        eye = torch.eye(26)
        return [EncodedText(torch.zeros(1, 26), eye[ord(text[0]) - ord("a")]) for text in texts]


def test_texts_about_other_things_stay_apart_from_judged_topics() -> None:
    old = [OtherText(f"topic{at}", "other1", f"x one two three {at}") for at in range(40)]
    judged = next(text for text in old if text.part == "judged")
    new = [
        OtherText(judged.topic, "other9", "a text"),
        OtherText("mine", "other9", "b x one two three"),
        OtherText("mine", "other9", "x near"),
        OtherText("mine", "other9", "c far"),
    ]
    kept = pages.others_apart_from_judged(new, old, _Letters())
    assert [text.text for text in kept] == ["c far"]
