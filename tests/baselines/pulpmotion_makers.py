"""Tiny PulpMotion networks whose every layer matters, and scenes for them."""

import torch
from jaxtyping import Bool
from torch import Tensor, nn

from aesop.baselines.latent_diffusion import LatentGenerator, fit_latents
from aesop.baselines.pulpmotion_autoencoder import SymmetricAutoencoder, fit_statistics
from aesop.baselines.pulpmotion_dit import PulpMotionDit
from aesop.baselines.pulpmotion_mar import PulpMotionMar
from aesop.baselines.scene_batch import SceneBatch
from aesop.features.columns import CAMERA
from aesop.models.method_network import MethodShape
from aesop.text.encoder import TextFeatures
from aesop.training.footage import Footage
from tests.training.makers import HashEncoder, make_footage

ENCODER = HashEncoder()
AE_SHAPE = MethodShape("pulpmotion-ae", "tiny", ENCODER.width)
DIT_SHAPE = MethodShape("pulpmotion-dit", "tiny", ENCODER.width)
MAR_SHAPE = MethodShape("pulpmotion-mar", "tiny", ENCODER.width)


def scenes_of(footage: Footage, rows: list[int]) -> SceneBatch:
    """Shots of some footage as a method meets them in training."""
    index, frames = torch.tensor(rows), int(footage.cameras.lengths[rows].max())
    camera = footage.cameras.padded(index, frames)
    human = footage.humans.padded(footage.human_of_shot[index], frames)
    people = [footage.human_captions[int(footage.human_of_shot[row])][0] for row in rows]
    return SceneBatch(
        mask=camera.mask,
        camera_words=ENCODER.encode([footage.camera_captions[row][0] for row in rows]),
        human_words=ENCODER.encode(people),
        lens=camera.values[..., CAMERA.span("fov_vertical").start : 2],
        human=human.values,
        camera=camera.values,
    )


def eight_scenes() -> SceneBatch:
    """Eight clips of different lengths, each with words of its own."""
    return scenes_of(make_footage(8, 1, seed=3, frames=(17, 38)), list(range(8)))


def part_of(scenes: SceneBatch, rows: slice, frames: int) -> SceneBatch:
    """Some scenes by themselves, cut or padded to another length."""

    def cut(values: Tensor) -> Tensor:
        some = values[rows, :frames]
        short = frames - some.shape[1]
        return torch.cat([some, some.new_zeros(len(some), short, *some.shape[2:])], dim=1)

    def words(text: TextFeatures) -> TextFeatures:
        return TextFeatures(text.tokens[rows], text.mask[rows], text.pooled[rows])

    assert scenes.human is not None and scenes.camera is not None
    return SceneBatch(
        mask=cut(scenes.mask),
        camera_words=words(scenes.camera_words),
        human_words=words(scenes.human_words),
        lens=cut(scenes.lens),
        human=cut(scenes.human),
        camera=cut(scenes.camera),
    )


def stirred(network: nn.Module, dice: torch.Generator) -> None:
    """Weights that begin at zero would hide what they are multiplied with."""
    with torch.no_grad():
        for parameter in network.parameters():
            if not parameter.any():
                parameter.copy_(0.1 * torch.randn(parameter.shape, generator=dice))


def tiny_autoencoder(scenes: SceneBatch, dice: torch.Generator) -> SymmetricAutoencoder:
    torch.manual_seed(5)
    network = SymmetricAutoencoder(AE_SHAPE)
    stirred(network, dice)
    fit_statistics(network, [scenes])
    return network.eval().requires_grad_(False)


def _generator(network: LatentGenerator, scenes: SceneBatch, dice: torch.Generator) -> None:
    stirred(network, dice)
    network.build_on(tiny_autoencoder(scenes, dice))
    fit_latents(network, [scenes])
    network.eval().requires_grad_(False)


def tiny_dit(scenes: SceneBatch, dice: torch.Generator) -> PulpMotionDit:
    torch.manual_seed(5)
    network = PulpMotionDit(DIT_SHAPE)
    _generator(network, scenes, dice)
    return network


def tiny_mar(scenes: SceneBatch, dice: torch.Generator) -> PulpMotionMar:
    torch.manual_seed(5)
    network = PulpMotionMar(MAR_SHAPE)
    _generator(network, scenes, dice)
    return network


def mask_of(lengths: list[int]) -> Bool[Tensor, "batch items"]:
    return torch.arange(max(lengths)) < torch.tensor(lengths)[:, None]
