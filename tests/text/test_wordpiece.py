"""Our word pieces are those of the library that trained the vocabulary."""

import unicodedata
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from aesop.text.minilm import LONGEST_WORD, WordPiece, load_wordpiece, packaged_folder, split_words

tokenizers = pytest.importorskip("tokenizers")


@pytest.fixture(scope="module")
def ours() -> WordPiece:
    return load_wordpiece(packaged_folder())


@pytest.fixture(scope="module")
def theirs():
    tokenizer = tokenizers.Tokenizer.from_file(str(packaged_folder() / "tokenizer.json"))
    tokenizer.no_padding()
    tokenizer.no_truncation()
    return tokenizer


SENTENCES = [
    "",
    " \t\r\n ",
    "The camera pushes in, then trucks left while the person walks.",
    "A dolly-zoom @ 35mm; f/2.8 (très léger) — “slow”…",
    "naïve Čapek ÅNGSTRÖM İstanbul ΣΊΣΥΦΟΣ straße",
    "镜头推进 camera カメラ 카메라",
    "zero\u200bwidth\u00adhyphen\x0bvertical\x0cfeed\x85next\u3000wide\u2028line",
    "x" * LONGEST_WORD + " " + "x" * (LONGEST_WORD + 1),
    "unaffable 🎥🎬 👨‍👩‍👧 e\u0301 $5+3=8 `~^|",
]


@pytest.mark.parametrize("text", SENTENCES)
def test_sentences_agree(ours: WordPiece, theirs: Any, text: str):
    assert ours(text) == theirs.encode(text).ids


def is_settled(char: str) -> bool:
    """Whether Unicode has classed a character in one way for twenty years."""
    then, now = unicodedata.ucd_3_2_0.category(char), unicodedata.category(char)
    return then == now and now not in ("Cn", "Cs", "Co")


def test_settled_characters_agree(ours: WordPiece, theirs: Any):
    """The first 5,000 (most scripts) and every 67th beyond (mostly ideographs)."""
    codes = (*range(5_000), *range(5_000, 0x110000, 67))
    settled = [code for code in codes if is_settled(chr(code))]
    texts = [f"zoo{chr(code)}m in" for code in settled]
    expected = [encoding.ids for encoding in theirs.encode_batch(texts)]
    wrong = [hex(code) for code, text, ids in zip(settled, texts, expected, strict=True)
             if ours(text) != ids]  # fmt: skip
    assert len(settled) > 3_000
    assert not wrong


@settings(max_examples=300, deadline=None)
@given(text=st.text(st.characters(codec="latin-1", exclude_characters="["), max_size=60))
def test_any_western_text_agrees(text: str, ours: WordPiece, theirs: Any):
    assert ours(text) == theirs.encode(text).ids


def test_typed_markers_are_plain_words(ours: WordPiece):
    assert split_words("[MASK] [SEP]") == ["[", "mask", "]", "[", "sep", "]"]
    numbers = ours("[SEP]")
    assert numbers[-1] not in numbers[:-1]
