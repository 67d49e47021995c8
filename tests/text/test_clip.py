"""CLIP's text tower against its own library, on a tiny random model made here."""

import string
from pathlib import Path

import pytest
import torch

from aesop.core.errors import AesopError, WeightsError
from aesop.text.clip import ClipTextEncoder
from aesop.text.encoders import text_encoder
from tests.tolerances import network32

transformers = pytest.importorskip("transformers")

WIDTH, CONTEXT = 21, 19
TEXTS = ["pushes in", "a b", "", "trucks left", "pulls out"]


# Two layers, the widest of 29; states behind a norm reach four.
ROUNDING = network32(2, 29, 4.0)


def make_clip(
    folder: Path, seed: int, width: int = WIDTH, heads: int = 3, context: int = CONTEXT
) -> None:
    """A CLIP text tower with a vocabulary of letters."""
    pieces = [*string.ascii_lowercase, *(f"{letter}</w>" for letter in string.ascii_lowercase)]
    words = {piece: number for number, piece in enumerate(pieces)}
    words |= {"<|startoftext|>": len(words), "<|endoftext|>": len(words) + 1}
    transformers.CLIPTokenizer(vocab=words, merges=[]).save_pretrained(folder)
    config = transformers.CLIPTextConfig(
        vocab_size=len(words), hidden_size=width, intermediate_size=29, num_hidden_layers=2,
        num_attention_heads=heads, max_position_embeddings=context, projection_dim=13,
        bos_token_id=words["<|startoftext|>"], eos_token_id=words["<|endoftext|>"],
    )  # fmt: skip
    with torch.random.fork_rng():
        torch.manual_seed(seed)
        model = transformers.CLIPTextModel(config)
        for parameter in model.parameters():  # the library's own start is nearly zero
            torch.nn.init.normal_(parameter, std=0.5)
    model.save_pretrained(folder)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("clip")
    make_clip(path, seed=11)
    return path


def test_states_match_the_library(folder: Path):
    tokenizer = transformers.CLIPTokenizer.from_pretrained(folder)
    model = transformers.CLIPTextModel.from_pretrained(folder).eval()
    inputs = tokenizer(TEXTS, padding=True, return_tensors="pt")
    with torch.no_grad():
        expected = model(**inputs)
    mask = inputs["attention_mask"].bool()

    encoder = ClipTextEncoder(str(folder))
    found = encoder.encode(TEXTS)
    assert encoder.width == WIDTH
    assert torch.equal(found.mask, mask)
    torch.testing.assert_close(
        found.tokens[mask], expected.last_hidden_state[mask], atol=ROUNDING, rtol=0
    )
    torch.testing.assert_close(found.pooled, expected.pooler_output, atol=ROUNDING, rtol=0)
    assert not found.tokens[~mask].any()


def test_the_last_token_is_the_end_of_text(folder: Path):
    features = ClipTextEncoder(str(folder)).encode(TEXTS)
    for tokens, mask, pooled in zip(features.tokens, features.mask, features.pooled, strict=True):
        assert torch.equal(tokens[mask][-1], pooled)
    # Start, letters, end: the empty text has two tokens, "a b" four.
    assert features.mask.sum(1).tolist()[1:3] == [4, 2]


def test_long_texts_keep_their_end(folder: Path, caplog: pytest.LogCaptureFixture):
    features = ClipTextEncoder(str(folder)).encode(["abcdefghij " * 5])
    assert features.tokens.shape[1] == CONTEXT
    assert f"first {CONTEXT} of 52 tokens" in caplog.text
    tokenizer = transformers.CLIPTokenizer.from_pretrained(folder)
    numbers = tokenizer("abcdefghij " * 5, truncation=True, max_length=CONTEXT)["input_ids"]
    model = transformers.CLIPTextModel.from_pretrained(folder).eval()
    with torch.no_grad():
        expected = model(input_ids=torch.tensor([numbers])).last_hidden_state
    torch.testing.assert_close(features.tokens, expected, atol=ROUNDING, rtol=0)


def test_fingerprint_tells_weights_apart(folder: Path, tmp_path: Path):
    make_clip(tmp_path, seed=12)
    mine, again = ClipTextEncoder(str(folder)), text_encoder(f"clip:{folder}")
    assert mine.fingerprint == again.fingerprint
    assert mine.fingerprint != ClipTextEncoder(str(tmp_path)).fingerprint


def test_what_cannot_be_loaded_is_said(tmp_path: Path):
    with pytest.raises(WeightsError, match="No CLIP text encoder can be loaded"):
        ClipTextEncoder(str(tmp_path)).encode(["pushes in"])
    with pytest.raises(AesopError, match="no text encoder 'word2vec'"):
        text_encoder("word2vec")
