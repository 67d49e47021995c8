"""A task small enough to check by hand: a line through points."""

from dataclasses import dataclass, replace
from pathlib import Path

import torch
from jaxtyping import Float
from torch import Tensor, nn

from aesop.training.batch_order import dice_for
from aesop.training.losses import Loss
from aesop.training.recipes import Constant, Recipe, Schedule, Watch
from aesop.training.run_record import Measure
from tests.training.makers import small_recipe

ROWS = 6


@dataclass(frozen=True, eq=False)
class Points:
    x: Float[Tensor, "batch 3"]
    y: Float[Tensor, "batch 1"]


class Line(nn.Module):
    """A linear map with dropout, and a part that only some recipes teach."""

    def __init__(self, dropout: float = 0.0) -> None:
        super().__init__()
        self.slope = nn.Linear(3, 1)
        self.intensity = nn.Linear(3, 1, bias=False)
        self.dropout = dropout
        with torch.no_grad():
            self.slope.weight.copy_(torch.tensor([[0.5, -0.25, 0.125]]))
            self.slope.bias.fill_(0.1)
            self.intensity.weight.fill_(0.01)

    def forward(self, x: Float[Tensor, "batch 3"]) -> Float[Tensor, "batch 1"]:
        kept = nn.functional.dropout(x, self.dropout, self.training)
        return self.slope(kept) + self.intensity(kept)


class LineTask:
    """Mean squared error of a line; `broken` steps hold a point that is no number."""

    part_names = ("square",)

    def __init__(self, *broken: int) -> None:
        self._broken = broken

    def batch(self, step: int) -> Points:
        x = torch.from_numpy(dice_for(1, step).standard_normal((ROWS, 3))).float()
        y = x.sum(1, keepdim=True) * 2 + 1
        if step in self._broken:
            y[2] = torch.nan
        return Points(x, y)

    def names(self, step: int) -> list[str]:
        return [f"point{step}.{row}" for row in range(ROWS)]

    def loss(self, network: nn.Module, batch: Points) -> Loss:
        total = (network(batch.x) - batch.y).square().mean()
        return Loss(total, total.detach()[None])

    def show(self, network: nn.Module, path: Path) -> None:
        path.parent.mkdir(exist_ok=True)
        path.write_text(str(float(network(torch.ones(1, 3)))))

    def validate(self, network: nn.Module) -> tuple[Measure, ...]:
        return (Measure("loss", float(self.loss(network, self.batch(9_999)).total)),)


def line_recipe(steps: int, rate: float = 0.05) -> Recipe:
    recipe = small_recipe("human-flow", steps)
    return replace(
        recipe,
        schedule=Schedule(steps, ROWS, rate, 0, Constant()),
        watch=Watch(
            log_every=1, validate_every=3, validation_clips=1, checkpoint_every=2, keep="last"
        ),
    )
