"""CLIP's text tower, the paper's encoder: hidden states after the final norm, no projection.

Needs the extra `clip`. Its library takes seconds to import, so only encoding imports it.
"""

import json
import logging
from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

import torch

from aesop.core.errors import WeightsError
from aesop.core.hashing import fingerprint
from aesop.text.encoder import (
    EncodedText,
    TextFeatures,
    batches_of_equal_length,
    pad_texts,
    refuse_unreadable,
)

if TYPE_CHECKING:
    from transformers import CLIPTextModel

log = logging.getLogger(__name__)

VIT_B_32 = "openai/clip-vit-base-patch32"
LARGEST_BATCH = 64


class ClipTextEncoder:
    """Token states up to and including the end-of-text token; pooled is the state at that token.

    The tower is causal, so nothing after the end of a text could have changed its states: texts are
    encoded without padding. `source` is a local folder or the name of a model on the hub.
    """

    name = "clip-text"

    def __init__(self, source: str = VIT_B_32) -> None:
        self.source = source

    @cached_property
    def _network(self) -> tuple[Any, "CLIPTextModel"]:
        try:
            from transformers import CLIPTextModel, CLIPTokenizer
        except ImportError as error:
            raise WeightsError(
                "The CLIP text encoder needs the library transformers, which is not installed.",
                "Install it: pip install 'aesop-motion[clip]'",
            ) from error
        try:
            tokenizer = CLIPTokenizer.from_pretrained(self.source)
            model = CLIPTextModel.from_pretrained(self.source, dtype=torch.float32)
        except (OSError, ValueError) as error:
            raise WeightsError(
                f"No CLIP text encoder can be loaded from {self.source!r} ({_first_line(error)}).",
                "Give a folder that holds one, or a model's name on the hub and a connection.",
            ) from error
        log.info("text encoder %s loaded from %s", self.name, self.source)
        return tokenizer, model.eval().requires_grad_(False)

    @property
    def fingerprint(self) -> str:
        return self._fingerprint

    @cached_property
    def _fingerprint(self) -> str:
        tokenizer, model = self._network
        vocabulary = json.dumps(sorted(tokenizer.get_vocab().items()))
        words = torch.frombuffer(bytearray(vocabulary, "utf-8"), dtype=torch.uint8)
        return fingerprint({**dict(model.named_parameters()), "vocabulary": words})

    @property
    def width(self) -> int:
        return self._network[1].config.hidden_size

    def encode(self, texts: Sequence[str]) -> TextFeatures:
        return pad_texts(self.encode_each(texts), self.width)

    @torch.no_grad()
    def encode_each(self, texts: Sequence[str]) -> list[EncodedText]:
        refuse_unreadable(texts)
        tokenizer, model = self._network
        numbers = [self._numbers(tokenizer, text, model) for text in texts]
        answers: dict[int, EncodedText] = {}
        for group in batches_of_equal_length([len(row) for row in numbers], LARGEST_BATCH):
            batch = torch.tensor([numbers[index] for index in group])
            states = model(input_ids=batch).last_hidden_state
            assert states is not None
            for index, tokens in zip(group, states, strict=True):
                answers[index] = EncodedText(tokens.clone(), tokens[-1].clone())
        return [answers[index] for index in range(len(texts))]

    def _numbers(self, tokenizer: Any, text: str, model: "CLIPTextModel") -> list[int]:
        most = model.config.max_position_embeddings
        numbers: list[int] = tokenizer(text)["input_ids"]
        if len(numbers) <= most:
            return numbers
        log.warning("only the first %d of %d tokens are read of: %.60s …", most, len(numbers), text)
        return [*numbers[: most - 1], numbers[-1]]


def _first_line(error: Exception) -> str:
    return str(error).strip().split("\n", 1)[0][:120]
