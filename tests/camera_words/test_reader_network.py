"""The network of the reader: what padding and rounding may not do, and the file that keeps it."""

from pathlib import Path

import pytest
import torch

from aesop.camera_words.reader_network import (
    AdaptedReader,
    ReaderCard,
    ValueReader,
    in_steps,
    mean_of,
    read_reader,
    write_reader,
)
from aesop.core.errors import WeightsError
from aesop.text.minilm import load_wordpiece, packaged_folder, published_tensors
from tests.tolerances import network32

CARD = ReaderCard(("a", "b", "c"), 1.3, 0.6, 0.4, 0.5)


def test_padding_cannot_reach_the_scores() -> None:
    torch.manual_seed(5)
    network = ValueReader(width=7, values=11, hidden=13).eval()
    tokens = torch.randn(3, 5, 7)
    mask = torch.arange(5) < torch.tensor([5, 3, 2])[:, None]
    scores = network(tokens, mask)
    tokens[1, 3:], tokens[2, 2:] = 17.0, -19.0
    assert torch.equal(network(tokens, mask), scores)
    alone = network(tokens[2:, :2], mask[2:, :2])
    torch.testing.assert_close(alone[0], scores[2], rtol=0, atol=network32(1, 13, 4.0))


def test_a_mean_is_of_the_real_tokens_alone() -> None:
    tokens = torch.tensor([[[2.0, 3.0], [4.0, 7.0], [torch.nan, torch.inf]]])
    mask = torch.tensor([[True, True, False]])
    assert mean_of(tokens, mask).tolist() == [[3.0, 5.0]]


def test_eight_bits_are_off_by_half_a_step_at_most() -> None:
    change = torch.randn(5, 7, generator=torch.Generator().manual_seed(3))
    change[2] = 0
    numbers, step = in_steps(change)
    assert numbers.dtype == torch.int8
    off = (numbers * step[:, None] - change).abs()
    assert (off <= 0.5001 * step[:, None]).all()  # half a step, and the rounding of the product
    assert (numbers[[0, 1, 3, 4]].abs().amax(-1) == 127).all()


def _changed_network() -> AdaptedReader:
    torch.manual_seed(7)
    network = AdaptedReader(3, hidden=11)
    with torch.no_grad():
        for change in network.changes().values():
            change.normal_(0, 0.02)
    return network.eval()


def test_a_written_reader_answers_as_before(tmp_path: Path) -> None:
    network = _changed_network()
    write_reader(network, CARD, tmp_path / "reader.safetensors")
    again, card = read_reader(tmp_path / "reader.safetensors")
    assert card == CARD
    folder = packaged_folder()
    published = published_tensors(folder)
    numbers = torch.tensor([load_wordpiece(folder)("push in on her")])
    with torch.no_grad():
        before = network(network.encoder(published), numbers)
        after = again(again.encoder(published), numbers)
        plain = AdaptedReader(3, hidden=11)(AdaptedReader(3, hidden=11).encoder(published), numbers)
    # Half precision of the head and 1/254 of a row's largest change: far below one score.
    torch.testing.assert_close(after, before, rtol=0, atol=0.03)
    assert (before - plain).abs().max() > 0.03


def test_readers_of_another_encoder_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "reader.safetensors"
    write_reader(_changed_network(), ReaderCard(("a", "b", "c"), 1.0, 0.5, 0.5, 0.5, "other"), path)
    with pytest.raises(WeightsError, match="another MiniLM"):
        read_reader(path)
    with pytest.raises(WeightsError, match="missing"):
        read_reader(tmp_path / "nowhere.safetensors")
