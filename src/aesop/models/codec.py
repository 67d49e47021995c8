"""Codecs: features to latents, four frames to one token, and back; whitening of latents for the
flows."""

from dataclasses import dataclass

import torch
from jaxtyping import Bool, Float
from torch import Tensor, nn
from torch.nn.functional import pad, silu

from aesop.features.columns import (
    CAMERA,
    HUMAN,
    Statistics,
    restore_camera,
    restore_human,
    standardise_camera,
    standardise_human,
)

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
        total, mean = self.count + len(rows), rows.mean(0)
        around, offset = rows - mean, mean - self.mean
        weight = self.count * len(rows) / total
        self.scatter = self.scatter + around.T @ around + weight * torch.outer(offset, offset)
        self.mean = self.mean + offset * (len(rows) / total)
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


STRIDE = 4  # frames per token
DILATIONS = (1, 3, 9, 27)  # of successive residual blocks, then from the start again


@dataclass(frozen=True)
class CodecShape:
    """Sizes of a codec. `context` are channels of another codec's latents that the decoder reads.

    `down_kernel` covers at least the stride, or the last frame of some clips would reach no token.
    """

    features: int
    latent: int
    width: int = 256
    context: int = 0
    res_blocks: int = 0
    down_kernel: int = STRIDE

    def __post_init__(self) -> None:
        assert self.down_kernel >= STRIDE and self.down_kernel % 2 == 0


def token_mask(mask: Bool[Tensor, "batch frames"]) -> Bool[Tensor, "batch tokens"]:
    """Which tokens hold at least one valid frame: ⌈frames/4⌉ of them per clip."""
    return mask[:, ::STRIDE]


def _to_whole_tokens(mask: Bool[Tensor, "batch frames"]) -> Bool[Tensor, "batch 1 padded"]:
    return pad(mask, (0, -mask.shape[1] % STRIDE))[:, None]


class _Residual(nn.Module):
    """x + conv(conv(x)); the second is pointwise, so one mask after both is enough."""

    def __init__(self, width: int, dilation: int) -> None:
        super().__init__()
        self.wide = nn.Conv1d(width, width, 3, padding=dilation, dilation=dilation)
        self.mix = nn.Conv1d(width, width, 1)

    def forward(
        self, states: Float[Tensor, "batch width frames"], keep: Float[Tensor, "batch 1 frames"]
    ) -> Float[Tensor, "batch width frames"]:
        return states + self.mix(silu(self.wide(silu(states)))) * keep


class Encoder(nn.Module):
    """Features to latents."""

    def __init__(self, shape: CodecShape) -> None:
        super().__init__()
        self.first = nn.Conv1d(shape.features, shape.width, 3, padding=1)
        self.blocks = nn.ModuleList(
            _Residual(shape.width, DILATIONS[index % len(DILATIONS)])
            for index in range(shape.res_blocks)
        )
        overlap = (shape.down_kernel - STRIDE) // 2
        self.last = nn.Conv1d(
            shape.width, shape.latent, shape.down_kernel, stride=STRIDE, padding=overlap
        )

    def forward(
        self, features: Float[Tensor, "batch frames features"], mask: Bool[Tensor, "batch frames"]
    ) -> Float[Tensor, "batch tokens latent"]:
        valid = _to_whole_tokens(mask)
        states = pad(features, (0, 0, 0, -mask.shape[1] % STRIDE)).transpose(1, 2)
        # Filled, not multiplied: not even a NaN in the padding may pass.
        states = states.masked_fill(~valid, 0)
        keep = valid.to(states.dtype)
        states = self.first(states) * keep
        for block in self.blocks:
            states = block(states, keep)
        latents = self.last(silu(states)) * keep[..., ::STRIDE]
        return latents.transpose(1, 2)


class Decoder(nn.Module):
    """Latents (and context) to features, cropped to the length of the mask."""

    def __init__(self, shape: CodecShape) -> None:
        super().__init__()
        self.first = nn.ConvTranspose1d(
            shape.latent + shape.context, shape.width, STRIDE, stride=STRIDE
        )
        self.blocks = nn.ModuleList(
            _Residual(shape.width, DILATIONS[index % len(DILATIONS)])
            for index in reversed(range(shape.res_blocks))
        )
        self.middle = nn.Conv1d(shape.width, shape.width, 3, padding=1)
        self.last = nn.Conv1d(shape.width, shape.features, 1)

    def forward(
        self, latents: Float[Tensor, "batch tokens latent"], mask: Bool[Tensor, "batch frames"]
    ) -> Float[Tensor, "batch frames features"]:
        valid = _to_whole_tokens(mask)
        keep = valid.to(latents.dtype)
        states = latents.transpose(1, 2).masked_fill(~valid[..., ::STRIDE], 0)
        states = self.first(states) * keep
        for block in self.blocks:
            states = block(states, keep)
        features = self.last(silu(self.middle(silu(states)))) * keep
        return features[..., : mask.shape[1]].transpose(1, 2)


class _Codec(nn.Module):
    """What both codecs hold: two networks, the statistics of their features, their whitening."""

    mean: Tensor
    spread: Tensor

    def __init__(self, shape: CodecShape, statistics: Statistics | None) -> None:
        super().__init__()
        self.shape = shape
        self.encoder = Encoder(shape)
        self.decoder = Decoder(shape)
        self.whitening = Whitening(shape.latent)
        zeros = torch.zeros(shape.features, dtype=torch.float64)
        self.register_buffer("mean", zeros)
        self.register_buffer("spread", torch.ones_like(zeros))
        if statistics is not None:
            self.mean.copy_(statistics.mean)
            self.spread.copy_(statistics.spread)

    @property
    def statistics(self) -> Statistics:
        return Statistics(self.mean, self.spread)

    def encode(
        self, features: Float[Tensor, "batch frames features"], mask: Bool[Tensor, "batch frames"]
    ) -> Float[Tensor, "batch tokens latent"]:
        """Latents of standardised features, before whitening."""
        return self.encoder(features, mask)

    @torch.no_grad()
    def scale_latents(self, factors: Float[Tensor, " latent"]) -> None:
        """Multiply every latent channel by a factor and let the decoder undo it. Powers of two
        change no bit of what is decoded."""
        self.encoder.last.weight.mul_(factors[:, None, None])
        if self.encoder.last.bias is not None:
            self.encoder.last.bias.mul_(factors)
        # The decoder reads context first, own latents after it.
        self.decoder.first.weight[self.shape.context :].div_(factors[:, None, None])


class HumanCodec(_Codec):
    """Knows nothing of cameras."""

    def __init__(self, shape: CodecShape, statistics: Statistics | None = None) -> None:
        assert shape.features == HUMAN.width and shape.context == 0
        super().__init__(shape, statistics)

    def decode(
        self, latents: Float[Tensor, "batch tokens latent"], mask: Bool[Tensor, "batch frames"]
    ) -> Float[Tensor, "batch frames 199"]:
        """Standardised features of latents before whitening."""
        return self.decoder(latents, mask)

    def to_latents(
        self, features: Float[Tensor, "batch frames 199"], mask: Bool[Tensor, "batch frames"]
    ) -> Float[Tensor, "batch tokens latent"]:
        """Physical features to what flows move."""
        standard = standardise_human(features, self.statistics)
        return self.whitening(self.encode(standard, mask), token_mask(mask))

    def from_latents(
        self, latents: Float[Tensor, "batch tokens latent"], mask: Bool[Tensor, "batch frames"]
    ) -> Float[Tensor, "batch frames 199"]:
        """What flows move to physical features; frames beyond the mask are zero."""
        raw = self.whitening.inverse(latents, token_mask(mask))
        features = restore_human(self.decode(raw, mask), self.statistics)
        return features.masked_fill(~mask[..., None], 0)


class CameraCodec(_Codec):
    """Its decoder also reads human latents, through which no gradient returns."""

    def __init__(self, shape: CodecShape, statistics: Statistics | None = None) -> None:
        assert shape.features == CAMERA.width and shape.context > 0
        super().__init__(shape, statistics)

    def decode(
        self,
        latents: Float[Tensor, "batch tokens latent"],
        human_latents: Float[Tensor, "batch tokens context"],
        mask: Bool[Tensor, "batch frames"],
    ) -> Float[Tensor, "batch frames 14"]:
        """Standardised features; both latents as they are before whitening."""
        return self.decoder(torch.cat([human_latents.detach(), latents], dim=-1), mask)

    def to_latents(
        self, features: Float[Tensor, "batch frames 14"], mask: Bool[Tensor, "batch frames"]
    ) -> Float[Tensor, "batch tokens latent"]:
        """Physical features to what flows move."""
        standard = standardise_camera(features, self.statistics)
        return self.whitening(self.encode(standard, mask), token_mask(mask))

    def from_latents(
        self,
        latents: Float[Tensor, "batch tokens latent"],
        human_latents: Float[Tensor, "batch tokens context"],
        mask: Bool[Tensor, "batch frames"],
    ) -> Float[Tensor, "batch frames 14"]:
        """What flows move to physical features; `human_latents` are as before whitening
        (`human_codec.whitening.inverse`). Frames beyond the mask are zero."""
        raw = self.whitening.inverse(latents, token_mask(mask))
        features = restore_camera(self.decode(raw, human_latents, mask), self.statistics)
        return features.masked_fill(~mask[..., None], 0)
