"""The captions of a store as a training reads them: features that came with the dataset where they
are those of the encoder, all others encoded once and kept on disk."""

import logging
from functools import partial
from typing import Literal

import numpy as np
import torch
from torch import Tensor

from aesop.data.store import Store
from aesop.data.table import Table
from aesop.text.clip import ClipTextEncoder
from aesop.text.dataset_texts import DatasetTexts
from aesop.text.encoder import EncodedText, TextEncoder
from aesop.text.encoders import default_cache_folder

log = logging.getLogger(__name__)

TextMode = Literal["sequence", "pooled"]
# Columns in which an import keeps the CLIP features of a published dataset.
CLIP_COLUMNS: dict[TextMode, str] = {"sequence": "clip_states", "pooled": "clip_token"}
_COMPARED = 8
# Half precision on the way to disk stays below a hundredth; another model, layer or projection is
# off by about as much as the features are large.
_ALIKE = 0.05


def dataset_encoder(store: Store, encoder: TextEncoder, mode: TextMode) -> DatasetTexts:
    """The encoder with a memory of this store's captions, in the user's cache folder."""
    name = f"{encoder.name}-{encoder.fingerprint[:16]}"
    folder = default_cache_folder() / "sets" / name / store.manifest.content_sha256[:16]
    texts = DatasetTexts(encoder, folder / mode)
    if encoder.name == ClipTextEncoder.name:
        for table in (store.humans, store.shots):
            _learn_stored(table, encoder, texts, mode)
    return texts


def _learn_stored(table: Table, encoder: TextEncoder, texts: DatasetTexts, mode: TextMode) -> None:
    column = CLIP_COLUMNS[mode]
    if column not in {known.name for known in table.columns}:
        return
    # Captions that stand alone in their row and have features there.
    alone = (table.lengths(column) > 0) & (table.lengths("captions") == 1)
    rows = np.flatnonzero(alone).tolist()
    if not rows:
        return
    apart = _largest_difference(table, rows, encoder, mode)
    if apart > _ALIKE:
        log.warning(
            "the column %s is not what %s says (off by %.2f of its size): every caption is encoded "
            "instead",
            column,
            encoder.name,
            apart,
        )
        return
    captions = ((table.strings("captions", row)[0], row) for row in rows)
    learnt = texts.learn((text, partial(_stored, table, column, row)) for text, row in captions)
    log.info("%d captions have features that came with the data", learnt)


def _stored(table: Table, column: str, row: int) -> EncodedText:
    tokens = torch.from_numpy(table.items(column, row).copy())
    return EncodedText(tokens, tokens[-1])


def _largest_difference(
    table: Table, rows: list[int], encoder: TextEncoder, mode: TextMode
) -> float:
    """Of a few captions, between what is stored and what the encoder says, relative to its size."""
    places = np.linspace(0, len(rows) - 1, min(_COMPARED, len(rows))).astype(int)
    some = [rows[place] for place in places]
    answers = encoder.encode_each([table.strings("captions", row)[0] for row in some])
    return max(
        _difference(_stored(table, CLIP_COLUMNS[mode], row), answer, mode)
        for row, answer in zip(some, answers, strict=True)
    )


def _difference(kept: EncodedText, answer: EncodedText, mode: TextMode) -> float:
    ours: Tensor = answer.tokens if mode == "sequence" else answer.pooled[None]
    if ours.shape != kept.tokens.shape:
        return float("inf")
    return float((ours - kept.tokens).norm() / ours.norm())
