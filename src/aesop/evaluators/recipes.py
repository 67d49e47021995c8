"""How evaluators are trained: every number a named field."""

import hashlib
import json
from dataclasses import asdict, dataclass, replace
from typing import Literal

from aesop.evaluators.inputs import NINE, Kind
from aesop.evaluators.network import EncoderShape
from aesop.features.columns import HUMAN

Size = Literal["base", "tiny"]


@dataclass(frozen=True)
class LossWeights:
    """Factors of the terms; the contrast of paths and words leads, the rest keeps the latent from
    forgetting what words do not say."""

    contrast: float = 1.0
    reconstruction: float = 1.0
    divergence: float = 1e-5
    latent: float = 1e-5
    temperature: float = 0.1
    # Captions more alike than this (cosine of their pooled features) are no negatives.
    alike: float = 0.8


@dataclass(frozen=True)
class EvaluatorRecipe:
    """The full settings of one evaluator."""

    kind: Kind
    size: Size
    moves: EncoderShape
    words: EncoderShape
    decoder_layers: int
    losses: LossWeights
    steps: int
    batch_rows: int
    learning_rate: float
    warm_up_steps: int
    weight_decay: float
    validate_every: int
    # Clips are cut to a random part of at least this share, and their inputs jittered: people do
    # the same thing in a part of a clip, cameras may not.
    least_share: float = 1.0
    jitter: float = 0.0
    seed: int = 0

    @property
    def sha256(self) -> str:
        return hashlib.sha256(json.dumps(asdict(self), sort_keys=True).encode()).hexdigest()


def evaluator_recipe(kind: Kind, size: Size, text_width: int) -> EvaluatorRecipe:
    """Base is what we ship, tiny is for tests."""
    features = NINE if kind == "clatr" else HUMAN.width
    base = EvaluatorRecipe(
        kind=kind,
        size=size,
        moves=EncoderShape(features, 192, 4, 4, 512, patch=4),
        words=EncoderShape(text_width, 192, 3, 4, 512),
        decoder_layers=2,
        losses=LossWeights(),
        steps=6000,
        batch_rows=512,
        learning_rate=5e-4,
        warm_up_steps=200,
        weight_decay=0.02,
        validate_every=250,
    )
    if kind == "tmr":  # far fewer windows than shots: shorter, and harder to learn by heart
        base = replace(
            base,
            steps=4000,
            batch_rows=256,
            learning_rate=3e-4,
            weight_decay=0.05,
            least_share=0.6,
            jitter=0.1,
        )
    if size == "base":
        return base
    return replace(
        base,
        moves=EncoderShape(features, 32, 1, 2, 64, patch=4),
        words=EncoderShape(text_width, 32, 1, 2, 64),
        decoder_layers=1,
        steps=60,
        batch_rows=64,
        learning_rate=2e-3,
        warm_up_steps=5,
        validate_every=30,
    )
