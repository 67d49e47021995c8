"""DistilBERT's token states, which the published TMR reads. Needs the extra `clip`."""

from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

import torch

from aesop.errors import WeightsError
from aesop.text.encoder import (
    EncodedText,
    TextFeatures,
    batches_of_equal_length,
    pad_texts,
    refuse_unreadable,
)
from aesop.text.fingerprint import fingerprint

LARGEST_BATCH = 64


class DistilBert:
    """Last hidden states of all tokens, from a local folder; pooled is their mean."""

    name = "distilbert"

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    @cached_property
    def _network(self) -> tuple[Any, Any]:
        try:
            from transformers import AutoTokenizer, DistilBertModel
        except ImportError as error:
            raise WeightsError(
                "DistilBERT needs the library transformers, which is not installed.",
                "Install it: pip install 'aesop-motion[clip]'",
            ) from error
        try:
            tokenizer = AutoTokenizer.from_pretrained(self.folder, local_files_only=True)
            model = DistilBertModel.from_pretrained(
                self.folder, dtype=torch.float32, local_files_only=True
            )
        except (OSError, ValueError) as error:
            raise WeightsError(
                f"No DistilBERT can be loaded from {self.folder}.",
                "Give the folder of distilbert-base-uncased.",
            ) from error
        return tokenizer, model.eval().requires_grad_(False)

    @cached_property
    def fingerprint(self) -> str:
        return fingerprint(dict(self._network[1].named_parameters()))

    @property
    def width(self) -> int:
        return self._network[1].config.dim

    def encode(self, texts: Sequence[str]) -> TextFeatures:
        return pad_texts(self.encode_each(texts), self.width)

    @torch.no_grad()
    def encode_each(self, texts: Sequence[str]) -> list[EncodedText]:
        refuse_unreadable(texts)
        tokenizer, model = self._network
        numbers = [tokenizer(text, truncation=True)["input_ids"] for text in texts]
        answers: dict[int, EncodedText] = {}
        for group in batches_of_equal_length([len(row) for row in numbers], LARGEST_BATCH):
            batch = torch.tensor([numbers[index] for index in group])
            states = model(input_ids=batch).last_hidden_state
            for index, tokens in zip(group, states, strict=True):
                answers[index] = EncodedText(tokens.clone(), tokens.mean(0))
        return [answers[index] for index in range(len(texts))]
