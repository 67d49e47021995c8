"""MiniLM (all-MiniLM-L6-v2): the offline text encoder, and its words as vocabulary numbers."""

import importlib.resources
import json
import logging
import re
import unicodedata
from collections.abc import Mapping, Sequence
from functools import cached_property
from pathlib import Path

import torch
from jaxtyping import Float, Int
from safetensors.torch import load_file
from torch import Tensor
from torch.nn.functional import (
    embedding,
    gelu,
    layer_norm,
    normalize,
    scaled_dot_product_attention,
)

from aesop.core.errors import WeightsError
from aesop.core.hashing import file_sha256
from aesop.core.linear_products import linear
from aesop.text.encoder import (
    EncodedText,
    Pooled,
    States,
    TextFeatures,
    encode_in_batches,
    pad_texts,
    refuse_unreadable,
    shortened,
)

log = logging.getLogger(__name__)

PACKAGE = "aesop_minilm"
WEIGHTS_SHA256 = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"
REINSTALL = "Install aesop-motion-minilm again with pip install; in a clone: make setup."

WIDTH = 384
DEPTH = 6
HEADS = 12
MAX_TOKENS = 256  # the length the published model reads, frame tokens included
NORM_EPS = 1e-12
LONGEST_WORD = 100  # characters; BERT gives up on longer ones

# The matrices of a layer that can be adapted.
MATRICES = tuple(
    f"encoder.layer.{layer}.{part}"
    for layer in range(DEPTH)
    for part in (
        "attention.self.query", "attention.self.key", "attention.self.value",
        "attention.output.dense", "intermediate.dense", "output.dense",
    )
)  # fmt: skip

# Blocks whose characters BERT treats as words of their own.
_IDEOGRAPHS = (
    (0x4E00, 0x9FFF), (0x3400, 0x4DBF), (0x20000, 0x2A6DF), (0x2A700, 0x2B73F),
    (0x2B740, 0x2B81F), (0x2B920, 0x2CEAF), (0xF900, 0xFAFF), (0x2F800, 0x2FA1F),
)  # fmt: skip
_BLANKS = "\t\n\r"
_DROPPED = ("Cc", "Cf", "Co", "Cs")  # control, format, private, half of a character


def _cleaned(text: str) -> str:
    """Control characters dropped, every kind of space one space, ideographs set apart."""
    kept: list[str] = []
    for char in text:
        if char in _BLANKS:
            kept.append(" ")
        elif unicodedata.category(char) in _DROPPED or char == "\ufffd":
            continue
        elif char.isspace():
            kept.append(" ")
        elif any(low <= ord(char) <= high for low, high in _IDEOGRAPHS):
            kept.append(f" {char} ")
        else:
            kept.append(char)
    return "".join(kept)


def _without_accents(text: str) -> str:
    decomposed = unicodedata.normalize("NFD", text)
    return "".join(char for char in decomposed if unicodedata.category(char) != "Mn")


def _is_punctuation(char: str) -> bool:
    # BERT counts every ASCII symbol, so that "$" and "+" split words as "," does.
    ascii_symbol = char.isascii() and char.isprintable() and not char.isalnum() and char != " "
    return ascii_symbol or unicodedata.category(char).startswith("P")


_MOST_KNOWN = 1 << 16  # words whose pieces are remembered

# What `split_words` comes to where every character is a printable one of ASCII.
_ASCII_WORDS = re.compile(r"[a-z0-9]+|[^a-z0-9 ]")


def split_words(text: str) -> list[str]:
    """Lower-case words and punctuation marks."""
    if text.isascii() and text.isprintable():
        return _ASCII_WORDS.findall(text.lower())
    plain = "".join(char.lower() for char in _without_accents(_cleaned(text)))
    spaced = (f" {char} " if _is_punctuation(char) else char for char in plain)
    return "".join(spaced).split()


class WordPiece:
    """Greedy longest-match pieces of a fixed vocabulary, framed by [CLS] and [SEP]."""

    def __init__(self, vocabulary: Mapping[str, int]) -> None:
        self._vocabulary = vocabulary
        self._first = vocabulary["[CLS]"]
        self._last = vocabulary["[SEP]"]
        self._unknown = vocabulary["[UNK]"]
        # A dataset says a few thousand words a million times.
        self._known: dict[str, list[int]] = {}

    def __call__(self, text: str) -> list[int]:
        """Token numbers of a text, both frame tokens included."""
        pieces = [number for word in split_words(text) for number in self._pieces(word)]
        return [self._first, *pieces, self._last]

    def _pieces(self, word: str) -> list[int]:
        pieces = self._known.get(word)
        if pieces is None:
            if len(self._known) >= _MOST_KNOWN:
                self._known.clear()
            pieces = self._known[word] = self._cut(word)
        return pieces

    def _cut(self, word: str) -> list[int]:
        if len(word) > LONGEST_WORD:
            return [self._unknown]
        numbers: list[int] = []
        start = 0
        while start < len(word):
            prefix = "##" if start else ""
            stops = range(len(word), start, -1)
            stop = next((s for s in stops if prefix + word[start:s] in self._vocabulary), None)
            if stop is None:
                return [self._unknown]
            numbers.append(self._vocabulary[prefix + word[start:stop]])
            start = stop
        return numbers


class Bert:
    """The six-layer post-norm encoder, straight on the tensors of the published file: building
    modules would cost more than the answer. Batches carry no padding, so it needs no mask."""

    def __init__(self, published: Mapping[str, Tensor]) -> None:
        self._published = published

    def __call__(self, numbers: Int[Tensor, "texts tokens"]) -> Float[Tensor, "texts tokens width"]:
        words = embedding(numbers, self._published["embeddings.word_embeddings.weight"])
        places = self._published["embeddings.position_embeddings.weight"][: numbers.shape[1]]
        first_segment = self._published["embeddings.token_type_embeddings.weight"][0]
        states = self._norm("embeddings", words + places + first_segment)
        for index in range(DEPTH):
            states = self._layer(f"encoder.layer.{index}", states)
        return states

    def _layer(
        self, name: str, states: Float[Tensor, "texts tokens width"]
    ) -> Float[Tensor, "texts tokens width"]:
        query, key, value = (
            self._linear(f"{name}.attention.self.{part}", states)
            .unflatten(-1, (HEADS, -1))
            .transpose(1, 2)
            for part in ("query", "key", "value")
        )
        read = scaled_dot_product_attention(query, key, value).transpose(1, 2).flatten(-2)
        joined = self._linear(f"{name}.attention.output.dense", read)
        states = self._norm(f"{name}.attention.output", states + joined)
        wide = gelu(self._linear(f"{name}.intermediate.dense", states))
        return self._norm(f"{name}.output", states + self._linear(f"{name}.output.dense", wide))

    def _linear(self, name: str, states: Float[Tensor, "*batch _"]) -> Float[Tensor, "*batch _"]:
        return linear(states, self._published[f"{name}.weight"], self._published[f"{name}.bias"])

    def _norm(self, name: str, states: Float[Tensor, "*batch w"]) -> Float[Tensor, "*batch w"]:
        weight, bias = (self._published[f"{name}.LayerNorm.{kind}"] for kind in ("weight", "bias"))
        return layer_norm(states, (WIDTH,), weight, bias, NORM_EPS)


def packaged_folder() -> Path:
    """Where the installed package keeps the model."""
    try:
        return Path(str(importlib.resources.files(PACKAGE).joinpath("model")))
    except ModuleNotFoundError as error:
        raise WeightsError(
            "The MiniLM text encoder, package aesop-motion-minilm, is not installed.", REINSTALL
        ) from error


def load_bert(folder: Path, device: str = "cpu") -> Bert:
    """The network with its published weights."""
    return Bert(published_tensors(folder, device))


def published_tensors(folder: Path, device: str = "cpu") -> dict[str, Tensor]:
    """What the published file holds, after checking that it is the one."""
    path = folder / "model.safetensors"
    try:
        digest = file_sha256(path)
    except OSError as error:
        raise WeightsError(f"{path} cannot be read ({error.strerror}).", REINSTALL) from error
    if digest != WEIGHTS_SHA256:
        raise WeightsError(f"{path} is not the MiniLM that AESOP was trained with.", REINSTALL)
    return load_file(path, device)


def changed_bert(published: Mapping[str, Tensor], changes: Mapping[str, Tensor]) -> Bert:
    """The network with something added to the matrices that are named."""
    changed = {
        f"{name}.weight": published[f"{name}.weight"] + change for name, change in changes.items()
    }
    return Bert({**published, **changed})


def load_wordpiece(folder: Path) -> WordPiece:
    """The vocabulary that belongs to the weights."""
    path = folder / "tokenizer.json"
    try:
        vocabulary = json.loads(path.read_bytes())["model"]["vocab"]
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise WeightsError(f"{path} is missing or holds no vocabulary.", REINSTALL) from error
    return WordPiece(vocabulary)


class MiniLM:
    """Token states of the last layer; pooled is the published sentence vector (their mean, unit
    length). Nothing is loaded before the first text is encoded."""

    name = "minilm-l6-v2"
    fingerprint = WEIGHTS_SHA256
    width = WIDTH

    def __init__(self, folder: Path | None = None, device: str = "cpu") -> None:
        self._folder, self._device = folder, device

    @cached_property
    def _network(self) -> tuple[WordPiece, Bert]:
        folder = self._folder or packaged_folder()
        parts = load_wordpiece(folder), load_bert(folder, self._device)
        log.info("text encoder %s loaded from %s", self.name, folder)
        return parts

    def encode(self, texts: Sequence[str]) -> TextFeatures:
        return pad_texts(self.encode_each(texts), self.width)

    @torch.no_grad()
    def encode_each(self, texts: Sequence[str]) -> list[EncodedText]:
        refuse_unreadable(texts)
        wordpiece, bert = self._network

        def states_and_mean(batch: Int[Tensor, "texts tokens"]) -> tuple[States, Pooled]:
            states = bert(batch.to(self._device))
            return states.cpu(), normalize(states.mean(1), dim=-1).cpu()

        numbers = [shortened(wordpiece(text), MAX_TOKENS, text) for text in texts]
        return encode_in_batches(numbers, states_and_mean)
