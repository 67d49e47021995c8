"""All texts of one dataset, read by one encoder, in a few files on disk: encoded once, shared by
every phase and every run that trains on it."""

import hashlib
import logging
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
from safetensors import SafetensorError
from safetensors.torch import load_file, save
from torch import Tensor

from aesop.core.hashing import fingerprint
from aesop.core.whole_files import atomic_path
from aesop.text.encoder import EncodedText, TextEncoder, TextFeatures, pad_texts

log = logging.getLogger(__name__)

TEXTS_IN_FILE = 4096  # what an interruption can cost


@dataclass(frozen=True, eq=False)
class _Chunk:
    """Some texts end to end, in half precision: what training keeps of them anyway."""

    tokens: Tensor
    starts: list[int]
    pooled: Tensor

    def text(self, row: int) -> EncodedText:
        tokens = self.tokens[self.starts[row] : self.starts[row + 1]]
        return EncodedText(tokens.float(), self.pooled[row].float())


class DatasetTexts:
    """An encoder with a memory of one dataset's texts. Answers are rounded to half precision, the
    first time as every time. Where the folder cannot be written, it says so once and keeps what it
    encoded for this run."""

    def __init__(self, encoder: TextEncoder, folder: Path) -> None:
        self._encoder, self._folder = encoder, folder
        self._place: dict[str, tuple[_Chunk, int]] = {}
        self._writes = True
        self._is_read = False

    @property
    def name(self) -> str:
        return self._encoder.name

    @property
    def fingerprint(self) -> str:
        return self._encoder.fingerprint

    @property
    def width(self) -> int:
        return self._encoder.width

    def encode(self, texts: Sequence[str]) -> TextFeatures:
        return pad_texts(self.encode_each(texts), self.width)

    def encode_each(self, texts: Sequence[str]) -> list[EncodedText]:
        self._read_once()
        missing = [text for text in dict.fromkeys(texts) if text not in self._place]
        for first in range(0, len(missing), TEXTS_IN_FILE):
            some = missing[first : first + TEXTS_IN_FILE]
            self._keep(list(zip(some, self._encoder.encode_each(some), strict=True)))
        return [chunk.text(row) for chunk, row in (self._place[text] for text in texts)]

    def learn(self, known: Iterable[tuple[str, Callable[[], EncodedText]]]) -> int:
        """Keep features that came with the dataset instead of encoding their texts; how many were
        new. What is there already stays, and is not read again."""
        self._read_once()
        some: dict[str, EncodedText] = {}
        learnt = 0
        for text, read in known:
            if text in self._place or text in some:
                continue
            some[text] = read()
            learnt += 1
            if len(some) == TEXTS_IN_FILE:
                self._keep(list(some.items()))
                some = {}
        if some:
            self._keep(list(some.items()))
        return learnt

    def _keep(self, encoded: list[tuple[str, EncodedText]]) -> None:
        lengths = [len(entry.tokens) for _, entry in encoded]
        tensors = {
            "tokens": torch.cat([entry.tokens.half().cpu() for _, entry in encoded]),
            "pooled": torch.stack([entry.pooled.half().cpu() for _, entry in encoded]),
            "starts": torch.tensor([0, *np.cumsum(lengths).tolist()]),
            **packed_texts([text for text, _ in encoded]),
        }
        self._index(tensors)
        if not self._writes:
            return
        content = save({**tensors, "checksum": _bytes(fingerprint(tensors))})
        name = hashlib.sha256(content).hexdigest()[:16]
        try:
            self._folder.mkdir(parents=True, exist_ok=True)
            with atomic_path(self._folder / f"{name}.safetensors") as temporary:
                temporary.write_bytes(content)
        except OSError as error:
            self._writes = False
            log.warning("texts cannot be kept in %s (%s)", self._folder, error.strerror)

    def _read_once(self) -> None:
        if self._is_read:
            return
        self._is_read = True
        for path in sorted(self._folder.glob("*.safetensors")):
            tensors = _whole(path)
            if tensors is None:
                log.warning("%s is damaged; its texts are encoded again", path)
            else:
                self._index(tensors)

    def _index(self, tensors: dict[str, Tensor]) -> None:
        chunk = _Chunk(tensors["tokens"], tensors["starts"].tolist(), tensors["pooled"])
        for row, text in enumerate(unpacked_texts(tensors)):
            self._place.setdefault(text, (chunk, row))


def _whole(path: Path) -> dict[str, Tensor] | None:
    """The content of a file, if it is as it was written."""
    try:
        tensors = load_file(path)
        checksum = tensors.pop("checksum")
    except (SafetensorError, OSError, KeyError):
        return None
    return tensors if torch.equal(checksum, _bytes(fingerprint(tensors))) else None


def _bytes(text: str) -> Tensor:
    return torch.tensor(list(text.encode("utf-8", "surrogatepass")), dtype=torch.uint8)


def packed_texts(texts: Sequence[str]) -> dict[str, Tensor]:
    encoded = [text.encode("utf-8", "surrogatepass") for text in texts]
    ends = np.cumsum([len(text) for text in encoded]).tolist()
    content = torch.frombuffer(bytearray(b"".join(encoded)) or bytearray(1), dtype=torch.uint8)
    return {"text": content, "text_ends": torch.tensor(ends)}


def unpacked_texts(tensors: dict[str, Tensor]) -> list[str]:
    content, ends = tensors["text"].numpy().tobytes(), tensors["text_ends"].tolist()
    spans = zip([0, *ends[:-1]], ends, strict=True)
    return [content[first:stop].decode("utf-8", "surrogatepass") for first, stop in spans]
