"""Sizes of the four networks under the names that recipes use."""

from dataclasses import dataclass
from typing import Literal, assert_never

from aesop.features.columns import CAMERA, HUMAN
from aesop.models.codec import CodecShape
from aesop.models.velocity import VelocityShape

SizeName = Literal["paper", "base", "tiny"]


@dataclass(frozen=True)
class ModelSizes:
    """Shapes of the parts that work together."""

    human_codec: CodecShape
    camera_codec: CodecShape
    human_flow: VelocityShape
    camera_flow: VelocityShape


def model_sizes(name: SizeName, text_width: int) -> ModelSizes:
    """All four shapes for an encoder of the given width."""
    match name:
        case "paper":
            return _paper(text_width)
        case "base":
            return _base(text_width)
        case "tiny":
            return _tiny(text_width)
        case _:
            assert_never(name)


def _paper(text_width: int) -> ModelSizes:
    """As the paper says; where it is silent, the smallest network that fits its words."""
    return ModelSizes(
        human_codec=CodecShape(HUMAN.width, latent=128),
        camera_codec=CodecShape(CAMERA.width, latent=64, context=128),
        human_flow=VelocityShape(latent=128, text=text_width),
        camera_flow=VelocityShape(latent=64, text=text_width, human=128),
    )


def _base(text_width: int) -> ModelSizes:
    """What we ship: deeper codecs, flows of together less than 20 million parameters. Its cameras
    are told where the person stands."""
    return ModelSizes(
        human_codec=CodecShape(HUMAN.width, latent=128, res_blocks=3, down_kernel=8),
        camera_codec=CodecShape(CAMERA.width, latent=64, context=128, res_blocks=4, down_kernel=8),
        human_flow=VelocityShape(
            latent=128, text=text_width, width=256, depth=7, heads=4, modulation="shared"
        ),
        camera_flow=VelocityShape(
            latent=64,
            text=text_width,
            human=128,
            width=256,
            depth=8,
            heads=4,
            modulation="shared",
            reads_stand=True,
        ),
    )


def _tiny(text_width: int) -> ModelSizes:
    """For tests and a laptop's minute. A flow narrower than its latents could not learn."""
    return ModelSizes(
        human_codec=CodecShape(HUMAN.width, latent=24, width=64, res_blocks=1),
        camera_codec=CodecShape(CAMERA.width, latent=12, width=64, context=24, res_blocks=1),
        human_flow=VelocityShape(latent=24, text=text_width, width=64, depth=2, heads=2),
        camera_flow=VelocityShape(
            latent=12, text=text_width, human=24, width=64, depth=2, heads=2, reads_stand=True
        ),
    )
