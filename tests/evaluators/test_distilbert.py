"""DistilBERT from a local folder, with a model of our own making."""

from pathlib import Path

import pytest
import torch

from aesop.core.errors import WeightsError
from aesop.evaluators.published import DistilBert
from tests.tolerances import network32


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    from transformers import DistilBertConfig, DistilBertModel, DistilBertTokenizer

    path = tmp_path_factory.mktemp("distilbert")
    words = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "a", "person", "walks", "fast"]
    (path / "vocab.txt").write_text("\n".join(words))
    config = DistilBertConfig(vocab_size=len(words), dim=16, n_layers=1, n_heads=2, hidden_dim=23)
    torch.manual_seed(1)
    DistilBertModel(config).save_pretrained(path)
    DistilBertTokenizer(str(path / "vocab.txt")).save_pretrained(path)
    return path


def test_states_of_all_tokens_whatever_stands_beside(folder: Path):
    encoder = DistilBert(folder)
    texts = ["a person walks", "a person walks fast"]
    alone = encoder.encode_each(texts[:1])[0]
    together = encoder.encode(texts)
    assert encoder.width == 16 and alone.tokens.shape == (5, 16)
    assert together.mask.sum(1).tolist() == [5, 6]
    # One layer of 23 behind a norm, whose numbers reach four.
    close = network32(1, 23, 4.0)
    torch.testing.assert_close(together.tokens[0, :5], alone.tokens, rtol=0, atol=close)
    assert len(encoder.fingerprint) == 64


def test_a_folder_without_it_is_refused(tmp_path: Path):
    with pytest.raises(WeightsError, match="distilbert-base-uncased"):
        DistilBert(tmp_path).encode(["a person walks"])
