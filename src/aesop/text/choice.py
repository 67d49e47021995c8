"""Encoders by the name a recipe or a user gives."""

from pathlib import Path

from aesop.errors import AesopError
from aesop.text.cache import CachedEncoder
from aesop.text.clip import VIT_B_32, ClipTextEncoder
from aesop.text.encoder import TextEncoder
from aesop.text.minilm import MiniLM


def text_encoder(choice: str, cache: Path | None = None) -> TextEncoder:
    """`minilm`, `clip`, or `clip:SOURCE` with a local folder or a hub name. Nothing is loaded yet.

    With a cache folder, answers are kept there.
    """
    kind, _, source = choice.partition(":")
    if kind == "minilm" and not source:
        encoder: TextEncoder = MiniLM()
    elif kind == "clip":
        encoder = ClipTextEncoder(source or VIT_B_32)
    else:
        raise AesopError(
            f"There is no text encoder {choice!r}.", "Choose minilm, clip or clip:FOLDER."
        )
    return encoder if cache is None else CachedEncoder(encoder, cache)
