"""The published CLaTr and TMR checkpoints, for people who have them, and DistilBERT, which TMR
reads."""

import pickle
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from aesop.core.errors import WeightsError
from aesop.core.hashing import fingerprint
from aesop.evaluators.evaluator import (
    NINE,
    ContrastivePair,
    EncoderShape,
    Evaluator,
    Kind,
    ShotReader,
    et_nine_of_shot,
    humanml_of_shot,
)
from aesop.files.humanml import WIDTH as HUMANML_WIDTH
from aesop.text.encoder import (
    EncodedText,
    TextEncoder,
    TextFeatures,
    batches_of_equal_length,
    pad_texts,
    refuse_unreadable,
)

LARGEST_BATCH = 64
LATENT, LAYERS, HEADS, FEED_FORWARD = 256, 6, 4, 1024
SMALLEST_SPREAD = 1e-12  # as the published code adds before dividing
_STATISTICS = ("mean.pt", "std.pt")


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


@dataclass(frozen=True)
class _Layout:
    """Names and sizes of one published checkpoint."""

    kind: Kind
    moves: str  # its encoder of paths or motions
    features: int
    text_width: int
    read: ShotReader


CLATR = _Layout("clatr", "traj_encoder", NINE, 512, et_nine_of_shot)
TMR = _Layout("tmr", "motion_encoder", HUMANML_WIDTH, 768, humanml_of_shot)


def load_published_clatr(path: Path, encoder: TextEncoder) -> Evaluator:
    """CLaTr from its checkpoint or the folder of its parts; `encoder` is CLIP's text tower."""
    return _load(CLATR, path, encoder, {})


def load_published_tmr(path: Path, statistics: Path, encoder: TextEncoder) -> Evaluator:
    """TMR from its checkpoint or the folder of its parts; `statistics` holds mean.pt and std.pt,
    `encoder` is DistilBERT."""
    mean, spread = (_tensor(statistics / name) for name in _STATISTICS)
    return _load(TMR, path, encoder, {"mean": mean, "spread": spread + SMALLEST_SPREAD})


def _load(
    layout: _Layout, path: Path, encoder: TextEncoder, statistics: Mapping[str, Tensor]
) -> Evaluator:
    if encoder.width != layout.text_width:
        raise WeightsError(
            f"The published {layout.kind} reads words of width {layout.text_width}, but "
            f"{encoder.name} gives {encoder.width}.",
            "Use CLIP ViT-B/32 for CLaTr and DistilBERT for TMR.",
        )
    pair = ContrastivePair(
        EncoderShape(layout.features, LATENT, LAYERS, HEADS, FEED_FORWARD),
        EncoderShape(layout.text_width, LATENT, LAYERS, HEADS, FEED_FORWARD),
    )
    tensors = {**pair.state_dict(), **_weights(layout, path), **statistics}
    try:
        pair.load_state_dict(tensors)
    except RuntimeError as error:
        first = str(error).strip().splitlines()[-1].strip()
        raise WeightsError(
            f"{path} is not laid out as the published {layout.kind}: {first}", "Check the file."
        ) from error
    identity = fingerprint(tensors)
    frozen = pair.eval().requires_grad_(False)
    return Evaluator(layout.kind, identity, frozen, layout.read, encoder)


def _weights(layout: _Layout, path: Path) -> dict[str, Tensor]:
    """Tensors under our names, whichever way they are stored."""
    parts = {"moves": layout.moves, "words": "text_encoder"}
    if path.is_dir():
        states = {name: _state(path / f"{part}.pt", "") for name, part in parts.items()}
    else:
        states = {name: _state(path, f"{part}.") for name, part in parts.items()}
    if not all(states.values()):
        raise WeightsError(f"{path} has no {' and '.join(parts.values())}.", "Check the file.")
    return {f"{part}.{name}": it for part, state in states.items() for name, it in state.items()}


def _state(path: Path, prefix: str) -> dict[str, Tensor]:
    content = _read(path)
    state = content.get("state_dict", content)
    renamed = {
        name.removeprefix(prefix).replace("seqTransEncoder.", "blocks."): it.float()
        for name, it in state.items()
        if name.startswith(prefix) and isinstance(it, Tensor)
    }
    # The position table is stored by some versions; it is computed here.
    return {name: it for name, it in renamed.items() if not name.startswith("sequence_pos")}


def _tensor(path: Path) -> Tensor:
    tensor = _read(path)
    if not isinstance(tensor, Tensor):
        raise WeightsError(f"{path} holds no tensor.", "Check the file.")
    return tensor.float()


def _read(path: Path) -> Any:
    if not path.is_file():
        raise WeightsError(f"There is no file {path}.", "Check the path.")
    try:
        return torch.load(path, map_location="cpu", weights_only=True)
    except (pickle.UnpicklingError, RuntimeError, EOFError, ValueError) as error:
        raise WeightsError(
            f"{path} holds more than tensors, or is damaged; nothing in it was run.",
            "Save its state_dict alone, in a place that you trust, and give that file.",
        ) from error
