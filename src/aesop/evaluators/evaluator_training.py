"""Training of an evaluator: clips with their captions, and a short loop."""

import logging
import math
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path

import numpy as np
import torch
from jaxtyping import Bool, Float, Int64
from torch import Tensor
from torch.nn.functional import normalize

from aesop.core.errors import Progress
from aesop.data.store import open_store
from aesop.evaluators.caption_claims import Claims, ShotClaims, claims_of, contraries
from aesop.evaluators.evaluator import (
    FRAMED,
    ContrastivePair,
    Kind,
    SequenceDecoder,
    framed_from_features,
    nine_from_features,
)
from aesop.evaluators.evaluator_recipes import (
    EvaluatorRecipe,
    Size,
    TeachingBatch,
    contrast,
    evaluator_recipe,
)
from aesop.evaluators.evaluator_weights import FOLDER, EvaluatorCard, evaluator_file, save_evaluator
from aesop.evaluators.teaching_step import TeachingStep
from aesop.features.columns import CAMERA, HUMAN, RunningStatistics
from aesop.scene.human import NATIVE_FPS
from aesop.scene.movement import camera_velocity, runs, smooth_tags, tag_velocity
from aesop.scene.rotation import matrix_from_columns6
from aesop.text.encoder import TextEncoder
from aesop.text.encoders import default_cache_folder, text_encoder
from aesop.training.footage import (
    NO_CAPTION,
    EncodedCaptions,
    Footage,
    Padded,
    Ragged,
    encode_captions,
    read_footage,
    upload,
)
from aesop.training.recipes import TrainingError, TrainingHalted

log = logging.getLogger(__name__)

VALIDATION_BATCH = 128
_FRAMES_AT_ONCE = 1 << 18  # of all clips, when their statistics are taken
VALIDATION_CLIPS = 1024
_LOOKED_AT = 50  # steps between two looks at the gradient, for which the host waits
_ORDER, _WORDS, _NOISE, _START = 0, 1, 2, 3  # keep the draws of one seed apart


@dataclass(frozen=True, eq=False)
class CaptionedClips:
    """Clips with captions. Two clips with one label say the same and are never negatives; `claims`,
    if any, decide instead of labels. `denials`, if any, has a row for every text of the captions:
    those that deny it in one point."""

    kind: Kind
    clips: Ragged  # physical features: camera 14, with the person's heading 15, or human 199
    captions: EncodedCaptions
    labels: Int64[Tensor, " clips"]
    denials: EncodedCaptions | None = None
    claims: Claims | None = None

    @cached_property
    def clip_lengths(self) -> Int64[np.ndarray, " clips"]:
        """On the host, so that no step waits for the device."""
        return self.clips.lengths.cpu().numpy()

    @cached_property
    def text_lengths(self) -> Int64[np.ndarray, " texts"]:
        return self.captions.tokens.lengths.cpu().numpy()

    @cached_property
    def denial_lengths(self) -> Int64[np.ndarray, " texts"]:
        assert self.denials is not None
        return self.denials.tokens.lengths.cpu().numpy()

    def strangers(
        self, clips: Int64[Tensor, " batch"], texts: Int64[Tensor, " batch"]
    ) -> Bool[Tensor, "batch batch"]:
        """Where a column's words do not describe a row's clip; text j is one of clip j's."""
        if self.claims is not None:
            return self.claims.strangers(clips, texts)
        return self.labels[clips][:, None] != self.labels[clips]

    @cached_property
    def longest(self) -> int:
        """Frames of the longest clip."""
        return int(self.clips.lengths.max())

    def to(self, device: torch.device) -> "CaptionedClips":
        """The same clips on another device."""
        return replace(
            self,
            clips=self.clips.to(device),
            captions=self.captions.to(device),
            labels=self.labels.to(device),
            denials=None if self.denials is None else self.denials.to(device),
            claims=None if self.claims is None else self.claims.to(device),
        )


def framed_clips(
    footage: Footage, claims: Sequence[ShotClaims], encoder: TextEncoder
) -> CaptionedClips:
    """Shots of the second edition, beside the headings of their people; who is a stranger to whom
    is decided by what captions claim."""
    cameras, humans = footage.cameras, footage.humans
    device = cameras.values.device
    steps = HUMAN.take(humans.values, "yaw_step").to(device)[:, 0].double()
    turned = torch.cat([steps.new_zeros(1), steps.cumsum(0)])
    first = humans.starts.to(device)[footage.human_of_shot.to(device)]
    lengths = cameras.lengths
    of_frame = torch.repeat_interleave(torch.arange(len(cameras), device=device), lengths)
    within = torch.arange(len(cameras.values), device=device) - cameras.starts[:-1][of_frame]
    heading = turned[first[of_frame] + within + 1] - turned[first[of_frame]]
    headed = torch.cat([cameras.values, heading.float()[:, None]], dim=1)
    captions = footage.camera_captions
    found = claims_of(claims, captions)
    encoded = encode_captions(captions, encoder)
    assert len(found.claimed) == len(encoded.tokens)
    return CaptionedClips(
        "clatr", Ragged(headed, cameras.starts), encoded, found.sequence, claims=found
    )


def captioned_clips(footage: Footage, kind: Kind, encoder: TextEncoder) -> CaptionedClips:
    """Shots with camera captions and their movement classes, or people with theirs."""
    cameras = kind == "clatr"
    clips = footage.cameras if cameras else footage.humans
    captions = footage.camera_captions if cameras else footage.human_captions
    if len(clips) == 0 or not all(captions):
        raise TrainingError(
            f"Not every clip has a {'camera' if cameras else 'human'} caption.",
            "An evaluator learns from captions: leave such clips out of the store.",
        )
    movements = [movement_sequence(clips.clip(row)) for row in range(len(clips))] if cameras else []
    labels = movements or captions
    number = {label: place for place, label in enumerate(dict.fromkeys(labels))}
    numbers = torch.tensor([number[label] for label in labels])
    return CaptionedClips(kind, clips, encode_captions(captions, encoder), numbers)


def with_denials(
    captioned: CaptionedClips, texts: Sequence[tuple[str, ...]], encoder: TextEncoder
) -> CaptionedClips:
    """The same clips with hard negatives: for every text of the clips' captions (`texts` has those
    of every clip, in order) its contraries."""
    different = list(dict.fromkeys(text for captions in texts for text in captions))
    assert len(different) + 1 == len(captioned.captions.tokens)
    denials = encode_captions([(), *(contraries(text) for text in different)], encoder)
    return replace(captioned, denials=denials)


def movement_sequence(features: Float[Tensor, "frames 14"]) -> tuple[int, ...]:
    """Movement classes of a path in their order."""
    values = features.double()
    turns = matrix_from_columns6(CAMERA.take(values, "rotation")).numpy()
    centre = CAMERA.take(values, "velocity").cumsum(0).numpy()
    tags = smooth_tags(tag_velocity(camera_velocity(turns, centre, NATIVE_FPS)))
    return tuple(tag for tag, _, _ in runs(tags))


def inputs_of(
    captioned: CaptionedClips, pair: ContrastivePair, values: Float[Tensor, "batch frames width"]
) -> Float[Tensor, "batch frames features"]:
    """Padded features as the pair's first encoder reads them."""
    if captioned.kind == "clatr":
        is_framed = pair.moves.shape.features == FRAMED
        values = framed_from_features(values) if is_framed else nine_from_features(values)
    return pair.standard(values)


def teaching_batch(
    captioned: CaptionedClips,
    rows: Int64[np.ndarray, " batch"],
    dice: np.random.Generator,
    pair: ContrastivePair,
    recipe: EvaluatorRecipe,
    noise: torch.Generator,
) -> TeachingBatch:
    """Gather clips, one caption of each, and who is a stranger to whom. On a GPU all batches have
    one shape, and nothing waits for the device."""
    device = captioned.clips.values.device
    texts = captioned.captions.pick(rows, dice.random(len(rows)))
    chosen, words = (upload(it, device, torch.int64) for it in (rows, texts))
    frames = captioned.longest if device.type == "cuda" else None
    parts = _parts(captioned.clips, chosen, dice, recipe.least_share, frames)
    read = _read(captioned.captions, words)
    moves = inputs_of(captioned, pair, parts.values)
    if recipe.jitter:
        drawn = torch.randn(moves.shape, generator=noise, device=noise.device)
        moves = moves + recipe.jitter * drawn
    batch = TeachingBatch(
        moves=moves.masked_fill(~parts.mask[..., None], 0),
        moves_mask=parts.mask,
        words=read.values.float(),
        words_mask=read.mask,
        stranger=_strangers(captioned, chosen, words, recipe.losses.alike),
        draws=torch.randn(2, len(rows), pair.width, generator=noise, device=noise.device),
    )
    if captioned.denials is None:
        return batch
    denied = upload(captioned.denials.pick(texts, dice.random(len(rows))), device, torch.int64)
    contrary_texts = _read(captioned.denials, denied)
    return replace(
        batch,
        contrary=contrary_texts.values.float(),
        contrary_mask=contrary_texts.mask,
        is_denied=denied != NO_CAPTION,
    )


def _read(texts: EncodedCaptions, chosen: Int64[Tensor, " batch"]) -> Padded:
    """Some texts, on a GPU padded to the longest of all."""
    tokens = texts.tokens
    items = texts.longest if tokens.values.is_cuda else int(tokens.lengths[chosen].max())
    return tokens.padded(chosen, items)


def _parts(
    clips: Ragged,
    rows: Int64[Tensor, " batch"],
    dice: np.random.Generator,
    least_share: float,
    frames: int | None = None,
) -> Padded:
    """A random part of each clip, padded to so many frames or to the longest part."""
    lengths = clips.starts[rows + 1] - clips.starts[rows]
    draws = upload(dice.random((2, len(rows))), rows.device, torch.float64)
    kept = (lengths * (least_share + (1 - least_share) * draws[0])).ceil().long()
    kept = torch.minimum(kept, lengths)
    first = clips.starts[rows] + ((lengths - kept + 1) * draws[1]).long()
    place = torch.arange(int(kept.max()) if frames is None else frames, device=rows.device)
    mask = place < kept[:, None]
    index = torch.where(mask, first[:, None] + place, 0)
    return Padded(clips.values[index] * mask[..., None], mask)


def _strangers(
    captioned: CaptionedClips,
    rows: Int64[Tensor, " batch"],
    texts: Int64[Tensor, " batch"],
    alike: float,
) -> Bool[Tensor, "batch batch"]:
    differ = captioned.strangers(rows, texts)
    if captioned.kind == "clatr":
        # Camera captions are all alike to a sentence encoder ("left" for "right"): classes decide.
        return differ
    pooled = normalize(captioned.captions.pooled[texts].float(), dim=-1)
    return differ & (pooled @ pooled.T < alike)


@dataclass(frozen=True)
class Standing:
    """How well clips of the validation split find words that say the same."""

    step: int
    contrast: float  # the loss that is kept lowest: InfoNCE over the whole split
    top1_right: float  # the nearest caption has the clip's label
    true_cosine: float
    shuffled_cosine: float


@dataclass(frozen=True, eq=False)
class TrainedPair:
    """What a training has come to: the weights that stood best on the validation split."""

    pair: ContrastivePair
    best: Standing
    standings: tuple[Standing, ...]
    steps: int
    seconds: float


def train_evaluator(
    recipe: EvaluatorRecipe,
    train: Footage,
    validation: Footage,
    encoder: TextEncoder,
    out: Path,
    device: torch.device,
    progress: Progress | None = None,
) -> EvaluatorCard:
    """Train on footage and write the weights."""
    clips, others = (
        captioned_clips(footage, recipe.kind, encoder).to(device) for footage in (train, validation)
    )
    trained = learn_pair(recipe, clips, others, progress)
    last = trained.best
    notes = {
        "recipe": recipe.sha256,
        "size": recipe.size,
        "data": train.sha256,
        "steps": str(trained.steps),
        "seconds": f"{trained.seconds:.0f}",
        "validation_top1_right": f"{last.top1_right:.4f}",
        "validation_true_cosine": f"{last.true_cosine:.4f}",
        "validation_shuffled_cosine": f"{last.shuffled_cosine:.4f}",
    }
    return save_evaluator(trained.pair, recipe.kind, encoder, out, notes)


def learn_pair(
    recipe: EvaluatorRecipe,
    train: CaptionedClips,
    validation: CaptionedClips,
    progress: Progress | None = None,
    deadline: float | None = None,
    captured: bool = True,
) -> TrainedPair:
    """Run a recipe; with a deadline (of `time.monotonic`), as many of its steps as fit, the rate
    falling to zero at the end either way. On a GPU steps are captured."""
    device = train.clips.values.device
    pair, decoder = _networks(recipe, train, device)
    step = TeachingStep(pair, decoder, recipe, captured)
    noise = torch.Generator(device).manual_seed(_seed(recipe.seed, _NOISE))
    words = np.random.default_rng((recipe.seed, _WORDS))
    began, done = time.monotonic(), 0
    standings: list[Standing] = []
    best: dict[str, Tensor] = {}

    def look() -> None:
        """Keep the weights that stand best on the validation split."""
        standing = _stand(pair, validation, done, recipe.losses.temperature)
        if all(standing.contrast < before.contrast for before in standings):
            best.update({name: it.clone() for name, it in pair.state_dict().items()})
        standings.append(standing)

    with _own_dropout(device, recipe.seed):
        for rows in _batches(len(train.clips), recipe):
            share = _share_done(done, recipe.steps, began, deadline)
            if share >= 1:
                break
            batch = teaching_batch(train, rows, words, pair, recipe, noise)
            pair.train()
            step(batch, _rate(recipe, done, share))
            if done % _LOOKED_AT == 0 and not bool(torch.isfinite(step.norm)):
                raise TrainingHalted(done, [str(row) for row in rows.tolist()])
            done += 1
            if progress is not None:
                progress(done, recipe.steps)
            if done % recipe.validate_every == 0:
                look()
    look()
    pair.load_state_dict(best)
    lowest = min(standings, key=lambda standing: standing.contrast)
    return TrainedPair(pair.eval(), lowest, tuple(standings), done, time.monotonic() - began)


def _share_done(done: int, steps: int, began: float, deadline: float | None) -> float:
    share = done / steps
    if deadline is None:
        return share
    return max(share, (time.monotonic() - began) / max(deadline - began, 1e-9))


def _rate(recipe: EvaluatorRecipe, done: int, share: float) -> float:
    """Linear warm-up, then half a cosine."""
    warm = min(1.0, (done + 1) / recipe.warm_up_steps)
    return recipe.learning_rate * warm * (1 + math.cos(math.pi * share)) / 2


def _seed(seed: int, purpose: int) -> int:
    return int(np.random.SeedSequence((seed, purpose)).generate_state(1)[0])


def _networks(
    recipe: EvaluatorRecipe, train: CaptionedClips, device: torch.device
) -> tuple[ContrastivePair, SequenceDecoder]:
    with _own_dropout(torch.device("cpu"), recipe.seed):
        pair = ContrastivePair(recipe.moves, recipe.words)
        decoder = SequenceDecoder(recipe.moves, recipe.decoder_layers)
    if recipe.kind == "tmr":  # the camera's nine numbers come in their own units already
        running = RunningStatistics(recipe.moves.features, device)
        for frames in train.clips.values.split(_FRAMES_AT_ONCE):
            running.add(frames)
        statistics = running.result()
        pair.mean.copy_(statistics.mean)
        pair.spread.copy_(statistics.spread)
    return pair.to(device), decoder.to(device)


@contextmanager
def _own_dropout(device: torch.device, seed: int) -> Iterator[None]:
    """Seeds what cannot be handed a generator (initial weights, dropout), and puts it back."""
    cuda = [device] if device.type == "cuda" else []
    with torch.random.fork_rng(cuda):
        torch.manual_seed(_seed(seed, _START))
        yield


def _batches(clips: int, recipe: EvaluatorRecipe) -> Iterator[Int64[np.ndarray, " batch"]]:
    """Shuffled passes, without end; batches cross the border between two passes."""
    dice = np.random.default_rng((recipe.seed, _ORDER))
    size = min(recipe.batch_rows, clips)
    waiting = np.zeros(0, np.int64)
    while True:
        if len(waiting) < size:
            waiting = np.concatenate([waiting, dice.permutation(clips)])
        yield waiting[:size]
        waiting = waiting[size:]


@torch.no_grad()
def _stand(
    pair: ContrastivePair, captioned: CaptionedClips, step: int, temperature: float
) -> Standing:
    """The first caption of every clip, ranked against those of all others."""
    pair.eval()
    rows = np.arange(len(captioned.clips))
    texts = captioned.captions.pick(rows, np.zeros(len(rows)))
    moves, words = [], []
    for start in range(0, len(rows), VALIDATION_BATCH):
        part = slice(start, start + VALIDATION_BATCH)
        clips = _padded(captioned.clips, rows[part], captioned.clip_lengths)
        moves.append(pair.moves(inputs_of(captioned, pair, clips.values), clips.mask).mean)
        read = _padded(captioned.captions.tokens, texts[part], captioned.text_lengths)
        words.append(pair.words(read.values.float(), read.mask).mean)
    own, theirs = (normalize(torch.cat(rows).float(), dim=-1) for rows in (moves, words))
    similar = own @ theirs.T
    device = similar.device
    stranger = captioned.strangers(*(upload(it, device, torch.int64) for it in (rows, texts)))
    nearest = similar.argmax(1)
    standing = Standing(
        step=step,
        contrast=float(contrast(own, theirs, stranger, temperature)),
        top1_right=1 - float(stranger.gather(1, nearest[:, None]).float().mean()),
        true_cosine=float(similar.diagonal().mean()),
        shuffled_cosine=float(similar.mean()),
    )
    log.info("%s", standing)
    return standing


def embedded(
    pair: ContrastivePair,
    captioned: CaptionedClips,
    rows: Int64[np.ndarray, " rows"],
    texts: Int64[np.ndarray, " rows"],
    denials: Int64[np.ndarray, " rows"],
) -> tuple[Float[Tensor, "rows width"], ...]:
    """Where some clips, their texts and what denies these lie."""
    assert captioned.denials is not None
    moves, words, denied = [], [], []
    for start in range(0, len(rows), VALIDATION_BATCH):
        part = slice(start, start + VALIDATION_BATCH)
        clips = _padded(captioned.clips, rows[part], captioned.clip_lengths)
        moves.append(pair.moves(inputs_of(captioned, pair, clips.values), clips.mask).mean)
        for ragged, numbers, lengths, made in (
            (captioned.captions.tokens, texts, captioned.text_lengths, words),
            (captioned.denials.tokens, denials, captioned.denial_lengths, denied),
        ):
            read = _padded(ragged, numbers[part], lengths)
            made.append(pair.words(read.values.float(), read.mask).mean)
    return torch.cat(moves), torch.cat(words), torch.cat(denied)


def _padded(
    ragged: Ragged, rows: Int64[np.ndarray, " batch"], lengths: Int64[np.ndarray, " clips"]
) -> Padded:
    chosen = upload(rows, ragged.values.device, torch.int64)
    return ragged.padded(chosen, int(lengths[rows].max()))


def train_evaluator_from_store(
    kind: Kind, size: Size, store: Path, run: Path, progress: Progress | None = None
) -> Path:
    """Train an evaluator on a store and leave it in the folder of a run, on the GPU if there is
    one. Words are read by MiniLM, the encoder that works offline."""
    encoder = text_encoder("minilm", default_cache_folder())
    recipe = evaluator_recipe(kind, size, encoder.width)
    footage, validation = read_footage(open_store(store), VALIDATION_CLIPS)
    path = evaluator_file(run / FOLDER, kind)
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    train_evaluator(recipe, footage, validation, encoder, path, device, progress)
    return path
