"""Training of the methods that AESOP is compared with: the same clips, batches, steps and loop,
with a method's own network and loss."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import numpy as np
import torch
from jaxtyping import Int64
from torch import Tensor, nn

from aesop.baselines.baseline_table import AnyMethod, load_trained, method_named
from aesop.baselines.scene_batch import SceneBatch
from aesop.features.columns import CAMERA
from aesop.models.phase_table import METHOD_NEEDS
from aesop.text.encoder import TextEncoder, TextFeatures
from aesop.training.batch_order import CAPTION, NOISE, dice_for, order_of, seed_for
from aesop.training.footage import (
    EncodedCaptions,
    Footage,
    Padded,
    Ragged,
    batches_of_like_length,
    encode_captions,
    upload,
)
from aesop.training.losses import Loss
from aesop.training.recipes import MethodRecipe
from aesop.training.run_folder import PhaseRun, learned, started, write_part
from aesop.training.run_record import Measure
from aesop.training.step import World, autocast

VALIDATION_SEED = 20_000_003  # no recipe's seed: validation always meets the same noise
VALIDATION_ROWS = 128
STATISTICS_SHOTS = 16_384  # whose means, spreads and ranges stand for those of all
PADDED_LENS_RAD = 1.0  # after a clip's end: any lens that can exist
_HUMAN_CAPTION = 1  # keeps the choice of a person's words apart from that of the camera's


@dataclass(frozen=True, eq=False)
class SceneClips:
    """One split as methods read it: physical features and encoded captions, on one device."""

    humans: Ragged
    cameras: Ragged
    human_of_shot: Int64[Tensor, " shots"]
    camera_captions: EncodedCaptions
    human_captions: EncodedCaptions
    names: tuple[str, ...]

    def scenes(
        self,
        rows: Int64[np.ndarray, " batch"],
        camera_texts: Int64[np.ndarray, " batch"],
        human_texts: Int64[np.ndarray, " batch"],
        frames: int,
    ) -> SceneBatch:
        """Some shots with one caption each, padded to so many frames."""
        device = self.cameras.values.device
        at = upload(rows, device, torch.int64)
        cameras = self.cameras.padded(at, frames)
        people = self.humans.padded(self.human_of_shot[at], frames)
        return scene_batch(
            cameras,
            people,
            _words(self.camera_captions, upload(camera_texts, device, torch.int64)),
            _words(self.human_captions, upload(human_texts, device, torch.int64)),
        )

    def every_scene(self) -> Iterator[SceneBatch]:
        """Shots without words, in batches of like length, for statistics: all, or evenly spaced
        ones of many."""
        batches = list(batches_of_like_length(self.cameras))
        spacing = max(1, len(self.cameras) // STATISTICS_SHOTS)
        for rows, frames in batches:
            rows = rows[::spacing]
            cameras = self.cameras.padded(rows, frames)
            people = self.humans.padded(self.human_of_shot[rows], frames)
            blank = cameras.values.new_zeros(len(rows), 1, 1)
            words = TextFeatures(blank, blank[..., 0] == 0, blank[:, 0])
            yield scene_batch(cameras, people, words, words)


def scene_batch(
    cameras: Padded, people: Padded, camera_words: TextFeatures, human_words: TextFeatures
) -> SceneBatch:
    """Shots and the people in them, side by side."""
    lens = torch.cat(
        [CAMERA.take(cameras.values, name) for name in ("fov_vertical", "fov_horizontal")], dim=-1
    )
    return SceneBatch(
        mask=cameras.mask,
        camera_words=camera_words,
        human_words=human_words,
        lens=torch.where(cameras.mask[..., None], lens, PADDED_LENS_RAD),
        human=people.values,
        camera=cameras.values,
    )


def _words(captions: EncodedCaptions, texts: Int64[Tensor, " batch"]) -> TextFeatures:
    tokens = captions.tokens.padded(texts, captions.longest)
    return TextFeatures(tokens.values, tokens.mask, captions.pooled[texts])


@lru_cache(maxsize=2)  # trainings of several methods on one footage read the same two splits
def scene_clips(footage: Footage, encoder: TextEncoder, device: torch.device) -> SceneClips:
    """A split on a device, its captions encoded."""
    by_shot = tuple(footage.human_captions[it] for it in footage.human_of_shot.tolist())
    return SceneClips(
        humans=footage.humans.to(device),
        cameras=footage.cameras.to(device),
        human_of_shot=footage.human_of_shot.to(device),
        camera_captions=encode_captions(footage.camera_captions, encoder).to(device),
        human_captions=encode_captions(by_shot, encoder).to(device),
        names=footage.shot_names,
    )


class MethodTask:
    """What a method learns from."""

    def __init__(
        self,
        method: AnyMethod,
        recipe: MethodRecipe,
        clips: tuple[SceneClips, SceneClips],
        world: World,
    ) -> None:
        self._method, self._recipe, self._world = method, recipe, world
        self._train, self._validation = clips
        self._order = order_of(self._train.cameras.lengths.cpu().numpy(), recipe)

    @property
    def part_names(self) -> tuple[str, ...]:
        return self._method.loss_parts

    def batch(self, step: int) -> SceneBatch:
        """Chance in the loss itself is drawn from the generator that the loop seeds for the step,
        which a captured step can do too."""
        drawn, seed = self._order.rows(step), self._recipe.seed
        count = len(drawn.rows)
        camera = self._train.camera_captions.pick(
            drawn.rows, dice_for(seed, CAPTION, step).random(count)
        )
        human = self._train.human_captions.pick(
            drawn.rows, dice_for(seed, CAPTION, step, _HUMAN_CAPTION).random(count)
        )
        rows, camera, human = (self._world.share(it) for it in (drawn.rows, camera, human))
        return self._train.scenes(rows, camera, human, drawn.frames)

    def names(self, step: int) -> list[str]:
        return [self._train.names[row] for row in self._order.rows(step).rows]

    def loss(self, network: nn.Module, batch: SceneBatch) -> Loss:
        """A method's own, divided so that the losses of parallel processes add up to one."""
        found = self._method.loss(network, batch, None)
        share = 1 / self._world.size
        return Loss(found.total * share, found.parts * share)

    def validate(self, network: nn.Module) -> tuple[Measure, ...]:
        """The loss on clips that are not trained on, with the same chance every time."""
        clips = self._validation
        count, device = len(clips.cameras), clips.cameras.values.device
        lengths = clips.cameras.lengths.cpu().numpy()
        camera, human = (
            captions.pick(
                np.arange(count), dice_for(VALIDATION_SEED, CAPTION, number).random(count)
            )
            for number, captions in enumerate((clips.camera_captions, clips.human_captions))
        )
        dice = torch.Generator(device)
        totals = np.zeros(1 + len(self.part_names))
        for first in range(0, count, VALIDATION_ROWS):
            rows = np.arange(first, min(first + VALIDATION_ROWS, count))
            dice.manual_seed(seed_for(VALIDATION_SEED, NOISE, first))
            scenes = clips.scenes(rows, camera[rows], human[rows], int(lengths[rows].max()))
            with autocast(device, self._recipe.precision):
                found = self._method.loss(network, scenes, dice)
            parts = torch.cat([found.total.detach()[None], found.parts])
            totals += parts.double().cpu().numpy() * len(rows)
        named = zip(("loss", *self.part_names), (totals / count).tolist(), strict=True)
        return tuple(Measure(name, value) for name, value in named)

    def show(self, network: nn.Module, path: Path) -> None:
        """Nothing: some of these samplers take minutes."""


def train_method(phase: PhaseRun[MethodRecipe]) -> bool:
    """Train a baseline; whether it came to its end."""
    recipe, material = phase.recipe, phase.material
    method = method_named(recipe.phase)
    partners = tuple(
        load_trained(phase.folder.path, name, material.encoder, phase.device)
        for name in METHOD_NEEDS[recipe.phase]
    )
    clips = (
        scene_clips(material.train, material.encoder, phase.device),
        scene_clips(material.validation, material.encoder, phase.device),
    )
    network = started(lambda: method.build(recipe.network), phase)
    for partner in partners:
        network.build_on(partner.network)
    method.fit(network, clips[0].every_scene())
    task = MethodTask(method, recipe, clips, phase.world)
    outcome = learned(phase, task, network, partners)
    if outcome.finished:
        write_part(phase, outcome, network, partners)
    return outcome.finished
