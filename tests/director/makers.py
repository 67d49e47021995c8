"""A small cast of untrained parts whose cameras can exist, and an encoder without weights."""

import hashlib
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import torch

from aesop.director.director import Director, load_director
from aesop.director.trained_parts import Parts
from aesop.fables.synthetic import synthetic_motion
from aesop.features.columns import CAMERA
from aesop.flow.path import sampling_times
from aesop.models.codec import CameraCodec, CodecShape, HumanCodec
from aesop.models.fitted_steps import FittedSteps, StepsShape
from aesop.models.velocity import FlowTransformer, VelocityShape
from aesop.models.weights import Yaw, flat_name, new_part, save_part
from aesop.scene.human import Clip
from aesop.text.encoder import EncodedText, TextEncoder, TextFeatures, pad_texts
from tests.models.makers import awake

HUMAN_LATENT, CAMERA_LATENT, TEXT = 5, 3, 7
PUSH_IN, TRUCK = "The camera pushes in.", "The camera trucks left as the person turns."
WALK, WAVE = "A person walks.", "A person waves with both hands at once."


class HashEncoder:
    """Words to numbers that differ whenever the words do."""

    name, fingerprint, width = "hash", "0" * 64, TEXT

    def encode_each(self, texts: Sequence[str]) -> list[EncodedText]:
        return [self._one(text) for text in texts]

    def encode(self, texts: Sequence[str]) -> TextFeatures:
        return pad_texts(self.encode_each(texts), self.width)

    def _one(self, text: str) -> EncodedText:
        rows = [np.frombuffer(hashlib.sha256(w.encode()).digest(), np.uint8) for w in text.split()]
        tokens = torch.from_numpy(np.stack(rows)[:, : self.width] / 128.0 - 1).float()
        return EncodedText(tokens, tokens.mean(0))


def save_cast(folder: Path, encoder: TextEncoder | None = None, yaw: Yaw = "canonical") -> None:
    """Write the four parts in the flat layout, for words read by an encoder."""
    encoder = encoder or HashEncoder()
    dice = torch.Generator().manual_seed(19)
    human_shape = CodecShape(199, latent=HUMAN_LATENT, width=11, res_blocks=1)
    camera_shape = CodecShape(14, latent=CAMERA_LATENT, width=13, context=HUMAN_LATENT)
    human, camera = HumanCodec(human_shape), CameraCodec(camera_shape)
    shape = VelocityShape(HUMAN_LATENT, encoder.width, width=34, depth=3, heads=2, ffn=2)
    human_flow = FlowTransformer(shape)
    camera_flow = FlowTransformer(replace(shape, latent=CAMERA_LATENT, human=HUMAN_LATENT))
    for network in (human, camera, human_flow, camera_flow):
        awake(network, dice)
    _steady(human, camera)
    first = new_part("human-codec", human, yaw=yaw)
    second = new_part("camera-codec", camera, (first,), yaw=yaw)
    save_part(first, folder / flat_name("human-codec"))
    save_part(second, folder / flat_name("camera-codec"))
    third = new_part("human-flow", human_flow, (first,), encoder, yaw=yaw)
    save_part(third, folder / flat_name("human-flow"))
    last = new_part("camera-flow", camera_flow, (first, second), encoder, yaw=yaw)
    save_part(last, folder / flat_name("camera-flow"))


def _steady(human: HumanCodec, camera: CameraCodec) -> None:
    """Shrink what decoders say and add what is usual: lenses must exist, people stand near 1 m."""
    with torch.no_grad():
        human.decoder.last.weight.mul_(0.1)
        human.mean[0] = 0.95
        camera.decoder.last.weight.mul_(0.1)
        usual = camera.decoder.last.bias
        assert usual is not None
        usual[CAMERA.span("fov_vertical")] = 0.7
        usual[CAMERA.span("fov_horizontal")] = 1.1
        usual[CAMERA.span("rotation")] = torch.tensor([1.0, 0.1, 0.0, 0.0, 0.2, -1.0])


def director_of(folder: Path) -> Director:
    return load_director(folder, encoder=HashEncoder())


def walking(frames: int, seed: int = 2) -> Clip:
    """In single precision, as files are read."""
    clip = synthetic_motion("walk", frames, np.random.default_rng(seed)).clip
    motion = clip.motion
    return replace(clip, motion=motion.to(torch.float32))


def save_few_steps(folder: Path) -> None:
    """Few steps for both flows of a folder, rightly summed and otherwise made up."""
    parts = Parts(folder, encoder=HashEncoder())
    camera = new_part("camera-steps", _made_up(StepsShape(5, 3)), (parts.camera_flow,))
    save_part(camera, folder / flat_name("camera-steps"))
    human = new_part("human-steps", _made_up(StepsShape(7, 0)), (parts.human_flow,))
    save_part(human, folder / flat_name("human-steps"))


def _made_up(shape: StepsShape) -> FittedSteps:
    steps = FittedSteps(shape)
    steps.times.copy_(sampling_times(shape.calls, 4.0))
    length = steps.times[1:] - 1
    both = (steps.of_words,) if shape.weighs_guided else (steps.of_words, steps.of_guidance)
    for weights in both:
        weights.zero_()
        weights[:, 0] = 0.4 * length
        weights[0, 0], weights[1:, 1] = length[0], 0.6 * length[1:]
    return steps
