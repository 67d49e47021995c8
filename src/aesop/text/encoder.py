"""What every text encoder gives: token states, which of them are real, and one pooled vector."""

import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

import torch
from jaxtyping import Bool, Float, Int, Int64
from torch import Tensor

from aesop.core.errors import AesopError

log = logging.getLogger(__name__)

LARGEST_BATCH = 64
States = Float[Tensor, "texts tokens width"]
Pooled = Float[Tensor, "texts width"]


@dataclass(frozen=True, eq=False)
class TextFeatures:
    """Encoded texts, padded with zeros to the longest of them; `mask` is true at real tokens."""

    tokens: Float[Tensor, "texts tokens width"]
    mask: Bool[Tensor, "texts tokens"]
    pooled: Float[Tensor, "texts width"]

    def __len__(self) -> int:
        return self.tokens.shape[0]

    def to(self, device: torch.device | str) -> "TextFeatures":
        """The same features on another device."""
        return TextFeatures(self.tokens.to(device), self.mask.to(device), self.pooled.to(device))


@dataclass(frozen=True, eq=False)
class EncodedText:
    """One text by itself, without padding: what encoders make and caches keep."""

    tokens: Float[Tensor, "tokens width"]
    pooled: Float[Tensor, " width"]


@runtime_checkable
class TextEncoder(Protocol):
    """A frozen network that reads words. `fingerprint` changes whenever its answers would."""

    @property
    def name(self) -> str: ...

    @property
    def fingerprint(self) -> str: ...

    @property
    def width(self) -> int: ...

    def encode_each(self, texts: Sequence[str]) -> list[EncodedText]:
        """Every text unpadded, in order."""
        ...

    def encode(self, texts: Sequence[str]) -> TextFeatures:
        """All texts as one padded batch."""
        ...


@runtime_checkable
class StandIn(Protocol):
    """An encoder that copies another's answers up to rounding, such as a smaller copy of it."""

    @property
    def stands_for(self) -> str:
        """The fingerprint of the encoder it copies."""
        ...


@dataclass(frozen=True, eq=False)
class JoinedTexts:
    """Many texts one after the other: text t has the tokens starts[t] … starts[t + 1] − 1."""

    tokens: Float[Tensor, "all_tokens width"]
    starts: Int64[Tensor, " texts_and_one"]
    pooled: Float[Tensor, "texts width"]


@runtime_checkable
class ManyTextEncoder(Protocol):
    """An encoder that reads a million texts at once and leaves the answers on its device."""

    def encode_joined(self, texts: Sequence[str]) -> JoinedTexts:
        """All texts in order, in half precision."""
        ...


@dataclass(frozen=True)
class EncoderMark:
    """The text encoder that a part was really trained with, and the one it stood in for."""

    name: str
    fingerprint: str
    stands_for: str | None = None  # not written where there is none: older cards have no such field

    def __str__(self) -> str:
        copied = f" (stands for {self.stands_for})" if self.stands_for else ""
        return f"{self.name} {self.fingerprint}{copied}"

    def answers_like(self, other: "EncoderMark") -> bool:
        """Whether one may be used for the other: the same encoder, or copies of the same."""
        mine, theirs = ({it.fingerprint, it.stands_for} - {None} for it in (self, other))
        return self.name == other.name and bool(mine & theirs)


def mark_of(encoder: TextEncoder) -> EncoderMark:
    """What a part says about the encoder it was trained with."""
    copied = encoder.stands_for if isinstance(encoder, StandIn) else None
    return EncoderMark(encoder.name, encoder.fingerprint, copied)


def refuse_unreadable(texts: Sequence[str]) -> None:
    """Raise if a text holds bytes that were never characters, as a terminal may pass them on."""
    for text in texts:
        if any("\ud800" <= char <= "\udfff" for char in text):
            raise AesopError(
                f"The words {text!r} contain bytes that are not text.", "Type them again in UTF-8."
            )


def pad_texts(encoded: Sequence[EncodedText], width: int) -> TextFeatures:
    """Put texts of different lengths into one batch."""
    longest = max((len(text.tokens) for text in encoded), default=1)
    tokens = torch.zeros(len(encoded), longest, width)
    mask = torch.zeros(len(encoded), longest, dtype=torch.bool)
    pooled = torch.zeros(len(encoded), width)
    for row, text in enumerate(encoded):
        tokens[row, : len(text.tokens)] = text.tokens
        mask[row, : len(text.tokens)] = True
        pooled[row] = text.pooled
    return TextFeatures(tokens, mask, pooled)


def as_single_token(features: TextFeatures) -> TextFeatures:
    """The pooled vector in place of the token sequence, for models that read one vector."""
    mask = torch.ones_like(features.mask[:, :1])
    return TextFeatures(features.pooled[:, None], mask, features.pooled)


def encode_in_batches(
    numbers: Sequence[list[int]],
    network: Callable[[Int[Tensor, "texts tokens"]], tuple[States, Pooled]],
) -> list[EncodedText]:
    """Texts given as token numbers through a network that sees no padding."""
    answers: dict[int, EncodedText] = {}
    for group in batches_of_equal_length([len(row) for row in numbers], LARGEST_BATCH):
        states, pooled = network(torch.tensor([numbers[index] for index in group]))
        for index, tokens, vector in zip(group, states, pooled, strict=True):
            answers[index] = EncodedText(tokens.clone(), vector.clone())
    return [answers[index] for index in range(len(numbers))]


def shortened(numbers: list[int], most: int, text: str) -> list[int]:
    """At most so many token numbers of a text, the closing one kept."""
    if len(numbers) <= most:
        return numbers
    log.warning("only the first %d of %d tokens are read of: %.60s …", most, len(numbers), text)
    return [*numbers[: most - 1], numbers[-1]]


def batches_of_equal_length(lengths: Sequence[int], largest: int) -> list[list[int]]:
    """Indices grouped so that no batch needs padding: an answer then owes nothing to neighbours."""
    by_length: dict[int, list[int]] = {}
    for index, length in enumerate(lengths):
        by_length.setdefault(length, []).append(index)
    return [
        group[start : start + largest]
        for group in by_length.values()
        for start in range(0, len(group), largest)
    ]
