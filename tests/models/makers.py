"""Small networks and inputs with a different prime on every axis."""

import torch
from torch import Tensor, nn

from aesop.models.codec import CameraCodec, CodecShape, HumanCodec
from aesop.models.velocity import FlowTransformer, VelocityShape
from aesop.text.encoder import TextFeatures

HUMAN_LATENT, CAMERA_LATENT, TEXT = 5, 3, 7

HUMAN_CODEC = CodecShape(199, latent=HUMAN_LATENT, width=11, res_blocks=4, down_kernel=8)
CAMERA_CODEC = CodecShape(14, latent=CAMERA_LATENT, width=13, context=HUMAN_LATENT, res_blocks=1)
HUMAN_FLOW = VelocityShape(
    latent=HUMAN_LATENT, text=TEXT, width=34, depth=3, heads=2, ffn=2, max_tokens=29
)
CAMERA_FLOW = VelocityShape(
    latent=CAMERA_LATENT, text=TEXT, human=HUMAN_LATENT, width=34, depth=3, heads=2, ffn=2,
    intensity_hidden=19, max_tokens=29, reads_stand=True,
)  # fmt: skip


def awake(network: nn.Module, dice: torch.Generator) -> nn.Module:
    """Give every parameter a random value: what starts at zero would hide mistakes."""
    with torch.no_grad():
        for parameter in network.parameters():
            spread = 1 / max(parameter[0].numel(), 2) ** 0.5
            parameter.copy_(torch.randn(parameter.shape, generator=dice) * spread)
    return network.eval()


def human_codec(dice: torch.Generator, shape: CodecShape = HUMAN_CODEC) -> HumanCodec:
    codec = HumanCodec(shape)
    awake(codec, dice)
    return codec


def camera_codec(dice: torch.Generator, shape: CodecShape = CAMERA_CODEC) -> CameraCodec:
    codec = CameraCodec(shape)
    awake(codec, dice)
    return codec


def flow(dice: torch.Generator, shape: VelocityShape) -> FlowTransformer:
    network = FlowTransformer(shape)
    awake(network, dice)
    return network


def mask_of(lengths: list[int], longest: int | None = None) -> Tensor:
    return torch.arange(longest or max(lengths)) < torch.tensor(lengths)[:, None]


def texts(dice: torch.Generator, lengths: list[int], longest: int | None = None) -> TextFeatures:
    mask = mask_of(lengths, longest)
    tokens = torch.randn(*mask.shape, TEXT, generator=dice) * mask[..., None]
    return TextFeatures(tokens, mask, torch.randn(len(lengths), TEXT, generator=dice))
