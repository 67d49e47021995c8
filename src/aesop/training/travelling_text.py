"""MiniLM cut down to the words that a parcel's captions use, in half precision, for a machine that
does not have it. Its answers differ from MiniLM's by about the rounding to half precision.
"""

import json
from collections.abc import Iterable, Sequence
from pathlib import Path

import torch
from safetensors import SafetensorError, safe_open
from safetensors.torch import load_file, save
from torch.nn.functional import normalize

from aesop.core.atomic import atomic_path
from aesop.text.encoder import EncodedText, TextFeatures, batches_of_equal_length, pad_texts
from aesop.text.minilm import WEIGHTS_SHA256, WIDTH, Bert, MiniLM, WordPiece, packaged_folder
from aesop.training.recipes import TrainingError

_WORDS = "embeddings.word_embeddings.weight"
_PLACES = "embeddings.position_embeddings.weight"
_SPECIAL = ("[CLS]", "[SEP]", "[UNK]")
_BATCH = 512


def write_travelling_encoder(texts: Iterable[str], path: Path, folder: Path | None = None) -> None:
    """Keep the pieces that these texts are made of."""
    folder = folder or packaged_folder()
    vocabulary: dict[str, int] = json.loads((folder / "tokenizer.json").read_bytes())["model"][
        "vocab"
    ]
    wordpiece = WordPiece(vocabulary)
    rows = [wordpiece(text) for text in texts]
    used = {number for row in rows for number in row} | {vocabulary[it] for it in _SPECIAL}
    piece_of = {number: piece for piece, number in vocabulary.items()}
    kept = sorted(used)
    tensors = {
        name: values.half()
        for name, values in load_file(folder / "model.safetensors").items()
        if name.startswith(("embeddings.", "encoder.")) and values.is_floating_point()
    }
    tensors[_WORDS] = tensors[_WORDS][torch.tensor(kept)].clone()
    tensors[_PLACES] = tensors[_PLACES][: max(map(len, rows))].clone()
    pieces = json.dumps({piece_of[number]: place for place, number in enumerate(kept)})
    with atomic_path(path) as temporary:
        temporary.write_bytes(save(tensors, {"pieces": pieces}))


class TravellingMiniLM:
    """Answers to MiniLM's name, because flows trained with it are used with MiniLM."""

    name = MiniLM.name
    fingerprint = WEIGHTS_SHA256
    width = WIDTH

    def __init__(self, path: Path, device: torch.device) -> None:
        try:
            with safe_open(path, "pt", str(device)) as file:
                self._pieces: dict[str, int] = json.loads((file.metadata() or {})["pieces"])
                tensors = {name: file.get_tensor(name).float() for name in file.keys()}  # noqa: SIM118
        except (OSError, SafetensorError, KeyError, ValueError) as error:
            raise TrainingError(
                f"{path} is no travelling encoder: {error}.", "Write it again."
            ) from error
        self._wordpiece, self._bert, self._device = WordPiece(self._pieces), Bert(tensors), device
        self._known: dict[str, EncodedText] = {}

    def encode(self, texts: Sequence[str]) -> TextFeatures:
        return pad_texts(self.encode_each(texts), self.width)

    @torch.no_grad()
    def encode_each(self, texts: Sequence[str]) -> list[EncodedText]:
        new = [text for text in dict.fromkeys(texts) if text not in self._known]
        numbers = [self._wordpiece(text) for text in new]
        unknown = self._pieces["[UNK]"]
        for text, row in zip(new, numbers, strict=True):
            if unknown in row:
                raise TrainingError(
                    f"The encoder left out the words of: {text}.", "Write it again."
                )
        for group in batches_of_equal_length([len(row) for row in numbers], _BATCH):
            states = self._bert(torch.tensor([numbers[it] for it in group], device=self._device))
            pooled = normalize(states.mean(1), dim=-1).half().cpu()
            for index, tokens, vector in zip(group, states.half().cpu(), pooled, strict=True):
                self._known[new[index]] = EncodedText(tokens, vector)
        return [self._known[text] for text in texts]
