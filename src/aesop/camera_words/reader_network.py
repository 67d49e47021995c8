"""The network of the reader of camera words: MiniLM with changed matrices, a look of every value at
the tokens, and the file that keeps both."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import torch
from jaxtyping import Bool, Float, Float32, Int, Int8
from safetensors import safe_open
from safetensors.torch import save
from torch import Tensor, nn

from aesop.core.errors import WeightsError
from aesop.core.whole_files import atomic_path
from aesop.text.minilm import MATRICES, WEIGHTS_SHA256, WIDTH, Bert, changed_bert

HIDDEN = 256
_HEADER = "aesop.reader"
_CHANGE, _STEP, _HEAD = "change.", "step.", "head."
_LARGEST = 127  # of eight bits with a sign


@dataclass(frozen=True)
class ReaderCard:
    """What has to be known to use the network: its values in order, what makes a score a
    probability, and from which probabilities on a value counts.

    `least_asked` is how likely it must be that any value of a group of rivals was asked for,
    `least_value` how likely the likeliest of them, `least_about` that a camera is meant at all.
    `least_first` takes the place of `least_asked` where otherwise nothing would be read: whoever
    speaks of a camera asks something of it.
    """

    values: tuple[str, ...]
    temperature: float
    least_asked: float
    least_value: float
    least_about: float
    encoder: str = WEIGHTS_SHA256
    least_first: float = 1.0


class ValueReader(nn.Module):
    """For every value its own look at the tokens, attention with a learned query, beside the mean
    of all tokens, which is what MiniLM was made to be read by."""

    def __init__(self, width: int, values: int, hidden: int = HIDDEN) -> None:
        super().__init__()
        self.norm = nn.LayerNorm(width)
        self.inner = nn.Linear(width, hidden)
        self.query = nn.Parameter(torch.randn(values, hidden) * hidden**-0.5)
        self.weight = nn.Parameter(torch.randn(values, 2 * hidden) * (2 * hidden) ** -0.5)
        self.direct = nn.Linear(width, values)
        self.dropout = nn.Dropout(0.2)
        nn.init.zeros_(self.direct.weight)
        nn.init.constant_(self.direct.bias, -3.0)

    def forward(
        self, tokens: Float[Tensor, "texts tokens width"], mask: Bool[Tensor, "texts tokens"]
    ) -> Float[Tensor, "texts values"]:
        """Scores before the sigmoid. Padding cannot reach them."""
        inner = nn.functional.gelu(self.inner(self.dropout(self.norm(tokens))))
        looks = torch.einsum("btd,vd->bvt", inner, self.query)
        looks = looks.masked_fill(~mask[:, None], -torch.inf).softmax(-1)
        seen = torch.einsum("bvt,btd->bvd", looks, inner)
        whole = mean_of(inner, mask)
        both = torch.cat([seen, whole[:, None].expand_as(seen)], dim=-1)
        direct = self.direct(self.dropout(nn.functional.normalize(mean_of(tokens, mask), dim=-1)))
        return (self.dropout(both) * self.weight).sum(-1) + direct


def mean_of(
    tokens: Float[Tensor, "texts tokens width"], mask: Bool[Tensor, "texts tokens"]
) -> Float[Tensor, "texts width"]:
    """The mean of a text's tokens."""
    counts = mask.sum(-1, keepdim=True).clamp_min(1)
    return tokens.masked_fill(~mask[..., None], 0.0).sum(1) / counts


class AdaptedReader(nn.Module):
    """MiniLM whose matrices are changed, and a look of every value on top. MiniLM alone hardly
    tells left from right or in from out; it learns to."""

    def __init__(self, values: int, hidden: int = HIDDEN) -> None:
        super().__init__()
        self.head = ValueReader(WIDTH, values, hidden)
        self.change = nn.ParameterDict(
            {key_of(name): nn.Parameter(torch.zeros(matrix_shape(name))) for name in MATRICES}
        )

    def changes(self) -> dict[str, Float[Tensor, "out into"]]:
        """What is added to the matrices, by their names."""
        return {name: self.change[key_of(name)] for name in MATRICES}

    def encoder(self, published: Mapping[str, Tensor]) -> Bert:
        """MiniLM as this reader has changed it."""
        return changed_bert(published, self.changes())

    def forward(
        self, bert: Bert, numbers: Int[Tensor, "texts tokens"]
    ) -> Float[Tensor, "texts values"]:
        """Scores of texts of one length."""
        states = bert(numbers)
        return self.head(states, torch.ones_like(numbers, dtype=torch.bool))


def matrix_shape(name: str) -> tuple[int, int]:
    """Rows and columns of a matrix that can be changed."""
    if name.endswith("intermediate.dense"):
        return 4 * WIDTH, WIDTH
    if name.endswith("output.dense") and "attention" not in name:
        return WIDTH, 4 * WIDTH
    return WIDTH, WIDTH


def key_of(name: str) -> str:
    """Parameters cannot have dots in their names."""
    return name.replace(".", "_")


def in_steps(
    change: Float[Tensor, "out into"],
) -> tuple[Int8[Tensor, "out into"], Float32[Tensor, " out"]]:
    """A matrix in eight bits, with the size of a step for every row."""
    step = change.abs().amax(-1).clamp_min(1e-12).float() / _LARGEST
    return (change / step[:, None]).round().to(torch.int8), step


def write_reader(network: AdaptedReader, card: ReaderCard, path: Path) -> None:
    """The whole reader in one file: changes in eight bits, the head in half precision."""
    tensors = {
        f"{_HEAD}{name}": tensor.detach().half().cpu().contiguous()
        for name, tensor in network.head.state_dict().items()
    }
    for name, change in network.changes().items():
        numbers, step = in_steps(change.detach())
        tensors[f"{_CHANGE}{name}"] = numbers.cpu().contiguous()
        tensors[f"{_STEP}{name}"] = step.cpu().contiguous()
    path.parent.mkdir(parents=True, exist_ok=True)
    with atomic_path(path) as temporary:
        temporary.write_bytes(save(tensors, {_HEADER: json.dumps(card.__dict__)}))


def read_reader(path: Path) -> tuple[AdaptedReader, ReaderCard]:
    """What `write_reader` wrote."""
    if not path.is_file():
        raise WeightsError(f"{path} is missing.", "Install AESOP again.")
    with safe_open(path, "pt") as file:
        fields = json.loads((file.metadata() or {})[_HEADER])
        tensors = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118
    card = ReaderCard(**{**fields, "values": tuple(fields["values"])})
    if card.encoder != WEIGHTS_SHA256:
        raise WeightsError(
            "The reader of camera words was trained with another MiniLM.", "Install AESOP again."
        )
    head = {n.removeprefix(_HEAD): t.float() for n, t in tensors.items() if n.startswith(_HEAD)}
    network = AdaptedReader(len(card.values), head["inner.weight"].shape[0])
    network.head.load_state_dict(head)
    with torch.no_grad():
        for name, change in network.changes().items():
            change.copy_(tensors[f"{_CHANGE}{name}"].float() * tensors[f"{_STEP}{name}"][:, None])
    return network.eval(), card
