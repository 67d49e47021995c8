"""Captions as the flows read them: every different text encoded once, in half precision."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import torch
from jaxtyping import Float, Int64
from torch import Tensor

from aesop.text.encoder import TextEncoder
from aesop.training.ragged import Ragged, ragged_from_clips

NO_CAPTION = 0  # the place of the text that stands for none
_CHUNK = 1024
_ALIGNMENT = 8  # batches of texts are as wide as GPUs like them


@dataclass(frozen=True, eq=False)
class EncodedCaptions:
    """Every different text once; row r may use texts choices[starts[r]:starts[r + 1]]."""

    tokens: Ragged
    pooled: Float[Tensor, "texts width"]
    choices: Int64[np.ndarray, " all_choices"]
    starts: Int64[np.ndarray, " rows_and_one"]
    longest: int

    def pick(
        self, rows: Int64[np.ndarray, " batch"], dice: Float[np.ndarray, " batch"]
    ) -> Int64[np.ndarray, " batch"]:
        """One text per row by dice in [0, 1); NO_CAPTION where a row has none."""
        first, count = self.starts[rows], self.starts[rows + 1] - self.starts[rows]
        place = np.minimum(first + (dice * count).astype(np.int64), len(self.choices) - 1)
        return np.where(count > 0, self.choices[place], NO_CAPTION)

    def to(self, device: torch.device) -> "EncodedCaptions":
        """The same captions with their tokens on another device."""
        return replace(self, tokens=self.tokens.to(device), pooled=self.pooled.to(device))


def encode_captions(
    captions_of_rows: Sequence[tuple[str, ...]], encoder: TextEncoder
) -> EncodedCaptions:
    """Encode all captions of all rows."""
    texts = list(dict.fromkeys(text for captions in captions_of_rows for text in captions))
    number = {text: 1 + place for place, text in enumerate(texts)}
    # Rows without captions point at this one, which is never read: they train the null text.
    tokens = [torch.zeros(1, encoder.width, dtype=torch.float16)]
    pooled = [torch.zeros(encoder.width, dtype=torch.float16)]
    for start in range(0, len(texts), _CHUNK):
        for encoded in encoder.encode_each(texts[start : start + _CHUNK]):
            tokens.append(encoded.tokens.half().cpu())
            pooled.append(encoded.pooled.half().cpu())
    counts = np.array([len(captions) for captions in captions_of_rows], np.int64)
    flat = [number[text] for captions in captions_of_rows for text in captions] or [NO_CAPTION]
    return EncodedCaptions(
        tokens=ragged_from_clips(tokens),
        pooled=torch.stack(pooled),
        choices=np.array(flat, np.int64),
        starts=np.concatenate([np.zeros(1, np.int64), np.cumsum(counts)]),
        longest=-(-max(len(it) for it in tokens) // _ALIGNMENT) * _ALIGNMENT,
    )
