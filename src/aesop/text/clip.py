"""CLIP's text tower, the paper's encoder: hidden states after the final norm, no projection.

Needs the extra `clip`. Its library takes seconds to import, so only encoding imports it.
"""

import json
import logging
from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

import torch
from jaxtyping import Int
from torch import Tensor

from aesop.core.errors import WeightsError
from aesop.core.hashing import fingerprint
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

if TYPE_CHECKING:
    from transformers import CLIPTextModel

log = logging.getLogger(__name__)

VIT_B_32 = "openai/clip-vit-base-patch32"


class ClipTextEncoder:
    """Token states up to and including the end-of-text token; pooled is the state at that token.

    The tower is causal, so nothing after the end of a text could have changed its states: texts are
    encoded without padding. `source` is a local folder or the name of a model on the hub.
    """

    name = "clip-text"

    def __init__(self, source: str = VIT_B_32, device: str = "cpu") -> None:
        self.source, self._device = source, device

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
            reason = str(error).strip().split("\n", 1)[0][:120]
            raise WeightsError(
                f"No CLIP text encoder can be loaded from {self.source!r} ({reason}).",
                "Give a folder that holds one, or a model's name on the hub and a connection.",
            ) from error
        log.info("text encoder %s loaded from %s", self.name, self.source)
        model.eval().requires_grad_(False)
        torch.nn.Module.to(model, self._device)  # the library's own has no types
        return tokenizer, model

    @property
    def fingerprint(self) -> str:
        return self._fingerprint

    @cached_property
    def _fingerprint(self) -> str:
        tokenizer, model = self._network
        vocabulary = json.dumps(sorted(tokenizer.get_vocab().items()))
        words = torch.frombuffer(bytearray(vocabulary, "utf-8"), dtype=torch.uint8)
        weights = {name: it.cpu() for name, it in model.named_parameters()}
        return fingerprint({**weights, "vocabulary": words})

    @property
    def width(self) -> int:
        return self._network[1].config.hidden_size

    def encode(self, texts: Sequence[str]) -> TextFeatures:
        return pad_texts(self.encode_each(texts), self.width)

    @torch.no_grad()
    def encode_each(self, texts: Sequence[str]) -> list[EncodedText]:
        refuse_unreadable(texts)
        tokenizer, model = self._network
        most = model.config.max_position_embeddings
        numbers = [shortened(tokenizer(text)["input_ids"], most, text) for text in texts]

        def states_and_last(batch: Int[Tensor, "texts tokens"]) -> tuple[States, Pooled]:
            states = model(input_ids=batch.to(self._device)).last_hidden_state
            assert states is not None
            return states.cpu(), states[:, -1].cpu()

        return encode_in_batches(numbers, states_and_last)
