"""Translation intensity as a condition: e_a = W₂·SiLU(W₁·[a − 1, (a − 1)²]), no biases."""

import torch
from jaxtyping import Float
from torch import Tensor, nn
from torch.nn.functional import silu


class IntensityEmbedding(nn.Module):
    """Adds nothing, to the last bit, where the intensity is 1; starts by adding nothing at all."""

    def __init__(self, width: int, hidden: int) -> None:
        super().__init__()
        self.first = nn.Linear(2, hidden, bias=False)
        self.second = nn.Linear(hidden, width, bias=False)
        nn.init.zeros_(self.second.weight)

    def forward(
        self, condition: Float[Tensor, "batch width"], intensity: Float[Tensor, " batch"]
    ) -> Float[Tensor, "batch width"]:
        """The condition with the intensity added."""
        beyond = intensity.to(torch.float32) - 1
        powers = torch.stack([beyond, beyond.square()], dim=-1).to(self.first.weight.dtype)
        moved = condition + self.second(silu(self.first(powers)))
        # Chosen, not added: adding zero would still turn −0.0 into 0.0.
        return torch.where((beyond == 0)[:, None], condition, moved)
