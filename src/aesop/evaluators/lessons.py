"""What an evaluator learns from: clips, their captions, and who says the same as whom."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import torch
from jaxtyping import Bool, Float, Int64
from torch import Tensor
from torch.nn.functional import normalize

from aesop.evaluators.inputs import Kind, nine_from_features
from aesop.evaluators.losses import TeachingBatch
from aesop.evaluators.network import ContrastivePair
from aesop.evaluators.recipes import EvaluatorRecipe
from aesop.features.columns import CAMERA
from aesop.scene.human import NATIVE_FPS
from aesop.scene.movement import camera_velocity, runs, smooth_tags, tag_velocity
from aesop.scene.rotation import matrix_from_columns6
from aesop.text.encoder import TextEncoder
from aesop.training.captions import EncodedCaptions, encode_captions
from aesop.training.footage import Captions, Footage
from aesop.training.halting import TrainingError
from aesop.training.ragged import Padded, Ragged


@dataclass(frozen=True, eq=False)
class Lessons:
    """Clips with captions. Two clips with one label say the same and are never negatives."""

    kind: Kind
    clips: Ragged  # physical features: camera 14, or human 199
    captions: EncodedCaptions
    labels: Int64[Tensor, " clips"]

    def to(self, device: torch.device) -> "Lessons":
        """The same lessons on another device."""
        return replace(
            self,
            clips=self.clips.to(device),
            captions=self.captions.to(device),
            labels=self.labels.to(device),
        )


def lessons_from_footage(footage: Footage, kind: Kind, encoder: TextEncoder) -> Lessons:
    """Shots with camera captions and their movement classes, or people with theirs."""
    cameras = kind == "clatr"
    clips = footage.cameras if cameras else footage.humans
    captions = footage.camera_captions if cameras else footage.human_captions
    if len(clips) == 0 or not all(captions):
        raise TrainingError(
            f"Not every clip has a {'camera' if cameras else 'human'} caption.",
            "An evaluator learns from captions: leave such clips out of the store.",
        )
    labels = _numbered([movement_sequence(it) for it in _clips(clips)] if cameras else captions)
    return Lessons(kind, clips, encode_captions(captions, encoder), labels)


def _clips(ragged: Ragged) -> list[Float[Tensor, "_ width"]]:
    return [ragged.clip(row) for row in range(len(ragged))]


def _numbered(labels: Sequence[object] | Captions) -> Int64[Tensor, " clips"]:
    number = {label: place for place, label in enumerate(dict.fromkeys(labels))}
    return torch.tensor([number[label] for label in labels])


def movement_sequence(features: Float[Tensor, "frames 14"]) -> tuple[int, ...]:
    """Movement classes of a path in their order."""
    values = features.double()
    turns = matrix_from_columns6(CAMERA.take(values, "rotation")).numpy()
    centre = CAMERA.take(values, "velocity").cumsum(0).numpy()
    tags = smooth_tags(tag_velocity(camera_velocity(turns, centre, NATIVE_FPS)))
    return tuple(tag for tag, _, _ in runs(tags))


def inputs_of(
    lessons: Lessons, pair: ContrastivePair, values: Float[Tensor, "batch frames width"]
) -> Float[Tensor, "batch frames features"]:
    """Padded features as the pair's first encoder reads them."""
    return pair.standard(nine_from_features(values) if lessons.kind == "clatr" else values)


def teaching_batch(
    lessons: Lessons,
    rows: Int64[np.ndarray, " batch"],
    dice: np.random.Generator,
    pair: ContrastivePair,
    recipe: EvaluatorRecipe,
    noise: torch.Generator,
) -> TeachingBatch:
    """Gather clips, one caption of each, and who is a stranger to whom."""
    device = lessons.clips.values.device
    texts = lessons.captions.pick(rows, dice.random(len(rows)))
    chosen, words = (torch.from_numpy(it).to(device) for it in (rows, texts))
    seen = _parts(lessons.clips, chosen, dice, recipe.least_share)
    tokens = lessons.captions.tokens
    read = tokens.padded(words, int(tokens.lengths[words].max()))
    moves = inputs_of(lessons, pair, seen.values)
    if recipe.jitter:
        drawn = torch.randn(moves.shape, generator=noise, device=noise.device)
        moves = moves + recipe.jitter * drawn
    return TeachingBatch(
        moves=moves.masked_fill(~seen.mask[..., None], 0),
        moves_mask=seen.mask,
        words=read.values.float(),
        words_mask=read.mask,
        stranger=_strangers(lessons, chosen, words, recipe.losses.alike),
    )


def _parts(
    clips: Ragged, rows: Int64[Tensor, " batch"], dice: np.random.Generator, least_share: float
) -> Padded:
    """A random part of each clip."""
    lengths = clips.lengths[rows]
    draws = torch.from_numpy(dice.random((2, len(rows)))).to(rows.device)
    kept = (lengths * (least_share + (1 - least_share) * draws[0])).ceil().long()
    kept = torch.minimum(kept, lengths)
    first = clips.starts[rows] + ((lengths - kept + 1) * draws[1]).long()
    place = torch.arange(int(kept.max()), device=rows.device)
    mask = place < kept[:, None]
    index = torch.where(mask, first[:, None] + place, 0)
    return Padded(clips.values[index] * mask[..., None], mask)


def _strangers(
    lessons: Lessons, rows: Int64[Tensor, " batch"], texts: Int64[Tensor, " batch"], alike: float
) -> Bool[Tensor, "batch batch"]:
    labels = lessons.labels[rows]
    differ = labels[:, None] != labels
    if lessons.kind == "clatr":
        # Camera captions are all alike to a sentence encoder ("left" for "right"): classes decide.
        return differ
    pooled = normalize(lessons.captions.pooled[texts].float(), dim=-1)
    return differ & (pooled @ pooled.T < alike)
