"""Which act words about a person ask for, by what they mean and not by which words they are: the
chances of every act, from the vector that MiniLM makes of a sentence (`runs/act_reader.py`)."""

import csv
import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Literal

import torch
from jaxtyping import Float, Int64
from safetensors import SafetensorError, safe_open
from safetensors.torch import save_file
from torch import Tensor

from aesop.core.errors import WeightsError
from aesop.text.encoder import TextEncoder

PHRASES_FILE = "act_phrases.tsv"
READER_FILE = "act_reader.safetensors"
NOTHING = "none"  # of the acts: something else, or nothing that a body does
PhrasePart = Literal["taught", "choosing"]
# Vectors have length one; so many times as long they tell acts apart.
SHARPNESS = 8.0
_SIDE = re.compile(r"\b(?:left|right)(?:wards?|[- ]handed)?\b")


@dataclass(frozen=True)
class ActPhrase:
    """A sentence as a stranger might type it, and the one act that it asks for."""

    part: PhrasePart
    act: str
    words: str


@cache
def act_phrases() -> tuple[ActPhrase, ...]:
    """What is taught, by one writer, and what thresholds are chosen by, by another. Neither had
    seen the rules of `asked_actions` or a sentence of the probe."""
    text = files("aesop.director").joinpath(PHRASES_FILE).read_text(encoding="utf-8")
    rows = csv.DictReader(text.splitlines(), delimiter="\t", quoting=csv.QUOTE_NONE)
    return tuple(ActPhrase(row["part"], row["act"], row["words"]) for row in rows)  # pyright: ignore[reportArgumentType]


@dataclass(frozen=True)
class ActReading:
    """Chances of acts, `NOTHING` among them."""

    chances: dict[str, float]

    @property
    def likeliest(self) -> tuple[str, float]:
        return max(self.chances.items(), key=lambda item: item[1])

    def chance(self, act: str) -> float:
        """0 for an act that the reader does not know."""
        return self.chances.get(act, 0.0)


@dataclass(frozen=True, eq=False)
class ActReader:
    """A linear look at sentences' vectors. Sides are left out of what is looked at: an act is the
    same act with either hand."""

    acts: tuple[str, ...]
    weights: Float[Tensor, "acts width"]
    bias: Float[Tensor, " acts"]
    encoder: TextEncoder

    def read(self, words: str) -> ActReading:
        """What one sentence asks for."""
        return self.read_each([words])[0]

    def read_each(self, texts: Sequence[str]) -> list[ActReading]:
        logits = SHARPNESS * sentence_vectors(texts, self.encoder) @ self.weights.T + self.bias
        rows = torch.softmax(logits, dim=1).tolist()
        return [ActReading(dict(zip(self.acts, row, strict=True))) for row in rows]


def without_sides(words: str) -> str:
    """In small letters, without left and right."""
    return " ".join(_SIDE.sub(" ", words.lower()).split())


def sentence_vectors(texts: Sequence[str], encoder: TextEncoder) -> Float[Tensor, "texts width"]:
    """Of length one, without sides. Texts are read by themselves, so that none depends on what else
    is read."""
    encoded = [encoder.encode_each([without_sides(text) or text])[0] for text in texts]
    pooled = torch.stack([one.pooled.float().cpu() for one in encoded])
    return torch.nn.functional.normalize(pooled, dim=1)


def fitted_look(
    vectors: Float[Tensor, "texts width"], acts: Int64[Tensor, " texts"], count: int, penalty: float
) -> tuple[Float[Tensor, "acts width"], Float[Tensor, " acts"]]:
    """Weights and bias by which the acts of the texts are likeliest; `penalty` is on the squares of
    the weights."""
    weights = torch.zeros(count, vectors.shape[1], requires_grad=True)
    bias = torch.zeros(count, requires_grad=True)
    steps = torch.optim.LBFGS([weights, bias], max_iter=200, line_search_fn="strong_wolfe")

    def loss() -> Tensor:
        steps.zero_grad()
        logits = SHARPNESS * vectors @ weights.T + bias
        wrong = torch.nn.functional.cross_entropy(logits, acts) + penalty * weights.square().sum()
        wrong.backward()  # pyright: ignore[reportUnknownMemberType]
        return wrong

    with torch.enable_grad():
        steps.step(loss)  # pyright: ignore[reportUnknownMemberType, reportArgumentType]
    return weights.detach(), bias.detach()


def save_act_reader(reader: ActReader, path: Path) -> None:
    """With the names of its acts, and of the encoder whose vectors it reads."""
    card = {"acts": json.dumps(reader.acts), "encoder": reader.encoder.fingerprint}
    tensors = {"weights": reader.weights.contiguous(), "bias": reader.bias}
    save_file(tensors, path, metadata=card)


def load_act_reader(path: Path, encoder: TextEncoder) -> ActReader | None:
    """The reader of a file; None where it reads another encoder's vectors."""
    try:
        with safe_open(path, framework="pt") as file:
            card = file.metadata() or {}
            acts, fingerprint = json.loads(card["acts"]), card["encoder"]
            weights, bias = file.get_tensor("weights"), file.get_tensor("bias")
    except (SafetensorError, OSError, ValueError, KeyError) as error:
        raise WeightsError(f"{path} is no reader of acts.", "Install AESOP again.") from error
    if fingerprint != encoder.fingerprint:
        return None
    return ActReader(tuple(acts), weights, bias, encoder)
