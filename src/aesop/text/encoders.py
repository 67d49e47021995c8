"""Encoders by the name a recipe or a user gives, and encoded texts on disk, so that no text is
encoded twice."""

import logging
import os
import secrets
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

import torch
from jaxtyping import UInt8
from safetensors import SafetensorError
from safetensors.torch import load, save
from torch import Tensor

from aesop.core.errors import AesopError
from aesop.core.hashing import fingerprint, text_sha256
from aesop.text.clip import VIT_B_32, ClipTextEncoder
from aesop.text.encoder import EncodedText, TextEncoder, TextFeatures, pad_texts
from aesop.text.minilm import MiniLM

log = logging.getLogger(__name__)

CHUNK = 1024  # texts encoded between two rounds of writing: what an interruption can cost


def default_cache_folder() -> Path:
    """`AESOP_CACHE` if set, else the user's cache folder."""
    chosen = os.environ.get("AESOP_CACHE")
    if chosen:
        return Path(chosen) / "text"
    base = os.environ.get("XDG_CACHE_HOME")
    return (Path(base) if base else Path.home() / ".cache") / "aesop" / "text"


def _as_tensor(text: str) -> UInt8[Tensor, " bytes"]:
    return torch.tensor(list(text.encode("utf-8", "surrogatepass")), dtype=torch.uint8)


def _is_sound(kept: dict[str, Tensor], text: str) -> bool:
    """Whether an entry is whole and belongs to this text."""
    checksum = kept.pop("checksum", None)
    if checksum is None or not torch.equal(checksum, _as_tensor(fingerprint(kept))):
        return False
    return torch.equal(kept["text"], _as_tensor(text))


class CachedEncoder:
    """Any encoder, with a memory on disk. An answer from the memory equals the first answer bit for
    bit. Where the folder cannot be written, it says so once and encodes every time."""

    def __init__(self, encoder: TextEncoder, folder: Path) -> None:
        self._encoder = encoder
        self._root = folder
        self._writes = True

    @property
    def name(self) -> str:
        return self._encoder.name

    @property
    def fingerprint(self) -> str:
        return self._encoder.fingerprint

    @property
    def width(self) -> int:
        return self._encoder.width

    def path_of(self, text: str) -> Path:
        """Where the answer for a text is kept."""
        key = text_sha256(text)
        return self._root / f"{self.name}-{self.fingerprint[:16]}" / key[:2] / f"{key}.safetensors"

    def encode(self, texts: Sequence[str]) -> TextFeatures:
        return pad_texts(self.encode_each(texts), self.width)

    def encode_each(self, texts: Sequence[str]) -> list[EncodedText]:
        known: dict[str, EncodedText] = {}
        missing: list[str] = []
        for text in dict.fromkeys(texts):
            entry = self._read(text)
            if entry is None:
                missing.append(text)
            else:
                known[text] = entry
        for start in range(0, len(missing), CHUNK):
            chunk = missing[start : start + CHUNK]
            for text, entry in zip(chunk, self._encoder.encode_each(chunk), strict=True):
                known[text] = entry
                self._write(text, entry)
        return [known[text] for text in texts]

    def _read(self, text: str) -> EncodedText | None:
        path = self.path_of(text)
        try:
            # Read at once, not mapped: a mapped file that someone cuts short would end the process.
            kept = load(path.read_bytes())
        except (FileNotFoundError, NotADirectoryError):
            return None
        except (SafetensorError, OSError) as error:
            log.warning("cached text %s is damaged (%s); it is encoded again", path, error)
            return None
        if not _is_sound(kept, text):
            log.warning("cached text %s is damaged (checksum); it is encoded again", path)
            return None
        return EncodedText(kept["tokens"], kept["pooled"])

    def _write(self, text: str, entry: EncodedText) -> None:
        if not self._writes:
            return
        path = self.path_of(text)
        kept = {"tokens": entry.tokens, "pooled": entry.pooled, "text": _as_tensor(text)}
        content = save({**kept, "checksum": _as_tensor(fingerprint(kept))})
        # Not flushed to the disk, unlike files that a user keeps: thousands are written at once,
        # and what a crash spoils the checksum finds.
        temporary = path.with_name(f".{secrets.token_hex(8)}.part")
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            temporary.write_bytes(content)
            temporary.replace(path)
        except OSError as error:
            self._writes = False
            log.warning("texts cannot be cached in %s (%s)", self._root, error.strerror)
            with suppress(OSError):  # the folder that refused the file may refuse this as well
                temporary.unlink(missing_ok=True)


def fastest_device() -> str:
    """The GPU of this process where there is one."""
    return f"cuda:{os.environ.get('LOCAL_RANK', '0')}" if torch.cuda.is_available() else "cpu"


def text_encoder(choice: str, cache: Path | None = None, device: str = "cpu") -> TextEncoder:
    """`minilm`, `clip`, or `clip:SOURCE` with a local folder or a hub name. Nothing is loaded yet.

    With a cache folder, answers are kept there.
    """
    kind, _, source = choice.partition(":")
    if kind == "minilm" and not source:
        encoder: TextEncoder = MiniLM(device=device)
    elif kind == "clip":
        encoder = ClipTextEncoder(source or VIT_B_32, device)
    else:
        raise AesopError(
            f"There is no text encoder {choice!r}.", "Choose minilm, clip or clip:FOLDER."
        )
    return encoder if cache is None else CachedEncoder(encoder, cache)
