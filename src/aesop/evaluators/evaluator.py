"""A frozen evaluator: shots and words to vectors that can be compared."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import torch
from jaxtyping import Float, Float64
from torch import Tensor
from torch.nn.utils.rnn import pad_sequence

from aesop.evaluators.inputs import Kind, ShotReader
from aesop.evaluators.network import ContrastivePair, SequenceEncoder
from aesop.scene.shot import Shot
from aesop.text.encoder import TextEncoder

BATCH = 64
Progress = Callable[[int, int], None]


@dataclass(frozen=True, eq=False)
class Evaluator:
    """The same shot gets the same vector whatever else is embedded with it."""

    kind: Kind
    identity: str  # hash of everything its answers depend on
    pair: ContrastivePair
    read: ShotReader
    encoder: TextEncoder

    @property
    def width(self) -> int:
        return self.pair.width

    def embed_shots(
        self, shots: Sequence[Shot], progress: Progress | None = None
    ) -> Float64[np.ndarray, "shots width"]:
        """Means of the path or motion latents; not normalised, as Fréchet distances want them."""
        device = self.pair.mean.device
        items = [self.pair.standard(self.read(shot).to(device)) for shot in shots]
        return self._embed(self.pair.moves, items, progress)

    def embed_words(
        self, words: Sequence[str], progress: Progress | None = None
    ) -> Float64[np.ndarray, "texts width"]:
        """Means of the text latents; every different text is encoded once."""
        different = list(dict.fromkeys(words))
        tokens = [it.tokens.float() for it in self.encoder.encode_each(different)]
        rows = self._embed(self.pair.words, tokens, progress)
        place = {text: row for row, text in enumerate(different)}
        return rows[[place[text] for text in words]]

    def _embed(
        self,
        encoder: SequenceEncoder,
        items: Sequence[Float[Tensor, "_ features"]],
        progress: Progress | None,
    ) -> Float64[np.ndarray, "items width"]:
        order = np.argsort([len(it) for it in items], kind="stable")
        found = np.zeros((len(items), self.width))
        for start in range(0, len(order), BATCH):
            rows = order[start : start + BATCH]
            found[rows] = embed_batch(encoder, [items[row] for row in rows.tolist()])
            if progress is not None:
                progress(min(start + BATCH, len(order)), len(order))
        return found


@torch.no_grad()
def embed_batch(
    encoder: SequenceEncoder, items: Sequence[Float[Tensor, "_ features"]]
) -> Float64[np.ndarray, "items width"]:
    """Means of a few sequences, on the encoder's own device."""
    device = encoder.tokens.device
    lengths = torch.tensor([len(it) for it in items], device=device)
    padded = pad_sequence(list(items), batch_first=True).to(device)
    mask = torch.arange(padded.shape[1], device=device) < lengths[:, None]
    return encoder(padded, mask).mean.double().cpu().numpy()
