"""Whitening of codec latents: flows see zero mean and unit covariance, codecs never do.

Statistics come from training tokens only, in one pass and in float64. Positions that are not valid
are zero after either direction.
"""

import torch
from jaxtyping import Bool, Float
from torch import Tensor, nn

RIDGE = 1e-4
# A channel that never varies is left at its scale instead of being blown up.
SMALLEST_SPREAD = 1e-6


class LatentMoments:
    """Mean and covariance of tokens, gathered batch by batch (Chan's pairwise update)."""

    def __init__(self, width: int) -> None:
        self.count = 0
        self.mean = torch.zeros(width, dtype=torch.float64)
        self.scatter = torch.zeros(width, width, dtype=torch.float64)

    def add(
        self, latents: Float[Tensor, "batch tokens width"], mask: Bool[Tensor, "batch tokens"]
    ) -> None:
        """Count the valid tokens of a batch."""
        rows = latents[mask].double().cpu()
        if len(rows) == 0:
            return
        part = LatentMoments(rows.shape[1])
        part.count = len(rows)
        part.mean = rows.mean(0)
        around = rows - part.mean
        part.scatter = around.T @ around
        self.merge(part)

    def merge(self, other: "LatentMoments") -> None:
        """Take in moments gathered elsewhere."""
        total = self.count + other.count
        if total == 0:
            return
        offset = other.mean - self.mean
        weight = self.count * other.count / total
        self.scatter = self.scatter + other.scatter + weight * torch.outer(offset, offset)
        self.mean = self.mean + offset * (other.count / total)
        self.count = total

    @property
    def covariance(self) -> Float[Tensor, "width width"]:
        return self.scatter / max(self.count, 1)


class Whitening(nn.Module):
    """z = L⁻¹((z̃ − μ)/s − m) and its inverse, computed in float64 whatever goes in and out.

    μ, s: mean and spread per channel; m: mean of the standardised stream (zero up to rounding);
    L: Cholesky factor of its covariance plus a ridge. Changes nothing until fitted.
    """

    mean: Tensor
    spread: Tensor
    centre: Tensor
    factor: Tensor

    def __init__(self, width: int) -> None:
        super().__init__()
        self.register_buffer("mean", torch.zeros(width, dtype=torch.float64))
        self.register_buffer("spread", torch.ones(width, dtype=torch.float64))
        self.register_buffer("centre", torch.zeros(width, dtype=torch.float64))
        self.register_buffer("factor", torch.eye(width, dtype=torch.float64))

    def fit(self, moments: LatentMoments, ridge: float = RIDGE) -> None:
        """Take on the statistics of training tokens."""
        covariance = moments.covariance
        spread = covariance.diagonal().sqrt()
        spread = spread.where(spread >= SMALLEST_SPREAD, 1.0)
        standard = covariance / torch.outer(spread, spread)
        factor = torch.linalg.cholesky(standard + ridge * torch.eye(len(spread)).double())
        self.mean.copy_(moments.mean)
        self.spread.copy_(spread)
        self.centre.zero_()
        self.factor.copy_(factor)

    def forward(
        self, latents: Float[Tensor, "batch tokens width"], mask: Bool[Tensor, "batch tokens"]
    ) -> Float[Tensor, "batch tokens width"]:
        """From a codec's latents to a flow's."""
        self._refuse_rounding()
        standard = (latents.double() - self.mean) / self.spread - self.centre
        # A row times L⁻ᵀ, by solving with the triangle.
        white = torch.linalg.solve_triangular(self.factor.T, standard, upper=True, left=False)
        return white.to(latents.dtype).masked_fill(~mask[..., None], 0)

    def inverse(
        self, latents: Float[Tensor, "batch tokens width"], mask: Bool[Tensor, "batch tokens"]
    ) -> Float[Tensor, "batch tokens width"]:
        """From a flow's latents to a codec's."""
        self._refuse_rounding()
        standard = self.centre + latents.double() @ self.factor.T
        raw = self.mean + self.spread * standard
        return raw.to(latents.dtype).masked_fill(~mask[..., None], 0)

    def _refuse_rounding(self) -> None:
        assert self.factor.dtype == torch.float64, "a codec was cast: move it, keep its types"
