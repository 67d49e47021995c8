"""Translation intensity as a condition: e_a = W₂·SiLU(W₁·[a − 1, (a − 1)²]), no biases."""

import torch
from jaxtyping import Float
from torch import Tensor, nn
from torch.nn.functional import silu

# A hidden unit of weight k computes SiLU(k·x)/k, which is max(x, 0) to 1/500 where |x| > 0.1.
_HINGE = 64.0


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

    def straighten(self, below: float, above: float) -> None:
        """Keep the values at two intensities and go straight through each of them from one: below
        one the embedding is 1 − a times one vector, above it a − 1 times another.

        A curved embedding fits targets that change in more than travel, because long ways can
        hardly be made longer, and turns away from travel where such targets begin.
        """
        assert 0 <= below < 1 < above
        with torch.no_grad():
            ends = torch.tensor([below, above], device=self.first.weight.device)
            nothing = torch.zeros(2, len(self.second.weight), device=ends.device)
            steps = self(nothing.to(self.second.weight), ends) / (ends - 1).abs()[:, None]
            self.forget()
            self.second.weight[:, :2] = steps.T / _HINGE

    def shorten(self, above: float) -> None:
        """Go only so far along the line above one. Both lines must be straight, as `straighten` and
        `forget` leave them."""
        with torch.no_grad():
            self.second.weight[:, 1] *= above

    def forget(self) -> None:
        """Add nothing again, and learn two straight lines from here: all other units are at rest
        and get no gradient."""
        with torch.no_grad():
            self.first.weight.zero_()
            self.second.weight.zero_()
            self.first.weight[:2, 0] = torch.tensor([-_HINGE, _HINGE])
