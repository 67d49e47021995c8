"""One split of a dataset in memory: every human window once, the shots that film them, their
captions, and all of it as latents."""

import logging
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
import torch
from jaxtyping import Bool, Float, Int64, Shaped
from torch import Tensor

from aesop.core.errors import StoreError
from aesop.core.hashing import text_sha256
from aesop.data.store import Store, TrainingCounts, starts_canonical, training_rows
from aesop.data.table import Table
from aesop.features.columns import CAMERA, Statistics, standardise_human
from aesop.features.human_features import STAND_WIDTH, stand_from_features
from aesop.models.codec import (
    SMALLEST_SPREAD,
    STRIDE,
    CameraCodec,
    HumanCodec,
    LatentMoments,
    token_mask,
)
from aesop.models.weights import Yaw
from aesop.text.encoder import ManyTextEncoder, TextEncoder

log = logging.getLogger(__name__)

NO_CAPTION = 0  # the place of the text that stands for none
_TEXTS_AT_ONCE = 1024
_ALIGNMENT = 8  # batches of texts are as wide as GPUs like them
_FRAMES_AT_ONCE = 1 << 16
_TOKENS_AT_ONCE = 1 << 18


def upload(
    values: Shaped[np.ndarray, "..."] | float, device: torch.device, dtype: torch.dtype
) -> Shaped[Tensor, "..."]:
    """Copy without making the host wait for the steps that are still running on the device."""
    tensor = torch.as_tensor(np.array(values)).to(dtype)
    if device.type == "cuda":
        return tensor.pin_memory().to(device, non_blocking=True)
    return tensor.to(device)


@dataclass(frozen=True, eq=False)
class Padded:
    """Clips side by side, zeros after their ends; `mask` is true on real items."""

    values: Float[Tensor, "batch items width"]
    mask: Bool[Tensor, "batch items"]


@dataclass(frozen=True, eq=False)
class Ragged:
    """Clip r is `values[starts[r]:starts[r + 1]]`; items are frames, latent or text tokens."""

    values: Float[Tensor, "all_items width"]
    starts: Int64[Tensor, " clips_and_one"]

    def __len__(self) -> int:
        return self.starts.shape[0] - 1

    @property
    def width(self) -> int:
        return self.values.shape[1]

    @property
    def lengths(self) -> Int64[Tensor, " clips"]:
        return self.starts.diff()

    def clip(self, row: int) -> Float[Tensor, "items width"]:
        """One clip (a view)."""
        return self.values[int(self.starts[row]) : int(self.starts[row + 1])]

    def padded(self, rows: Int64[Tensor, " batch"], items: int) -> Padded:
        """Gather clips, each cut or padded to `items`."""
        places, mask = padded_places(self.starts, rows, items)
        return Padded(self.values[places] * mask[..., None], mask)

    def to(self, device: torch.device) -> "Ragged":
        """The same clips on another device."""
        return Ragged(self.values.to(device), self.starts.to(device))


def padded_places(
    starts: Int64[Tensor, " clips_and_one"], rows: Int64[Tensor, " batch"], items: int
) -> tuple[Int64[Tensor, "batch items"], Bool[Tensor, "batch items"]]:
    """Where the items of some clips lie, each clip cut or padded to `items`, and which are real;
    without making the host wait."""
    first = starts[rows][:, None]
    place = torch.arange(items, device=rows.device)
    mask = place < starts[rows + 1][:, None] - first
    return torch.where(mask, first + place, 0), mask


def ragged_from_clips(clips: Sequence[Float[Tensor, "_ width"]]) -> Ragged:
    """Put clips one after the other."""
    return Ragged(torch.cat(list(clips)), starts_from_lengths(len(clip) for clip in clips))


def starts_from_lengths(lengths: Iterable[int]) -> Int64[Tensor, " clips_and_one"]:
    """0 and the running sums."""
    counts = np.fromiter(lengths, np.int64)
    return torch.from_numpy(np.concatenate([np.zeros(1, np.int64), np.cumsum(counts)]))


Captions = tuple[tuple[str, ...], ...]


@dataclass(frozen=True, eq=False)
class Footage:
    """Features are physical, not standardised. Captions stand beside the row they describe."""

    humans: Ragged
    cameras: Ragged
    human_of_shot: Int64[Tensor, " shots"]
    human_names: tuple[str, ...]
    shot_names: tuple[str, ...]
    human_captions: Captions
    camera_captions: Captions
    sha256: str  # of the data it was taken from
    store_sha256: str = ""  # of the store behind parts of it and rounded data
    counts: TrainingCounts | None = None
    yaw: Yaw = "canonical"  # whether all people start facing one way, or each keeps its heading
    # Of every shot, for validations that tell them apart; empty where there is one kind.
    shot_kinds: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        lengths = self.humans.lengths[self.human_of_shot]
        assert bool((lengths == self.cameras.lengths).all()), "a shot is as long as its window"


def read_footage(
    store: Store, validation_clips: int, split: str = "train", *, hold_out: bool = True
) -> tuple[Footage, Footage]:
    """Training footage, and validation footage of at most so many shots.

    A store without a split called validation (PulpMotion has none) lends a hundredth of its films;
    without `hold_out` it lends none, and validation looks at shots that are trained on.
    """
    chosen = training_rows(store, split, hold_out=hold_out)
    train, held_out = chosen.train, chosen.held_out
    log.info("%s", chosen.counts)
    looks_at_trained = not hold_out and len(held_out) == 0
    if looks_at_trained:
        log.warning("nothing is held out: validation looks at shots that are trained on")
        held_out = train
    if len(held_out) == 0 or len(train) == 0:
        raise StoreError(
            f"{store.path} is too small: {len(train)} shots to train on, {len(held_out)} to "
            "validate on.",
            "Add more films, or a split called validation.",
        )
    if len(held_out) > validation_clips:  # evenly over all of them
        places = np.linspace(0, len(held_out) - 1, validation_clips).round()
        held_out = held_out[places.astype(np.int64)]
    footage = replace(footage_of_rows(store, train), counts=chosen.counts)
    if split != "train" or chosen.counts.tested or looks_at_trained:
        # Part of a store is other data than all of it.
        names = text_sha256(*footage.shot_names)
        footage = replace(footage, sha256=text_sha256(footage.store_sha256, names))
    return footage, footage_of_rows(store, held_out)


def footage_of_rows(store: Store, rows: Int64[np.ndarray, " rows"]) -> Footage:
    """Read some shots and the windows they film."""
    human_rows, human_of_shot = np.unique(store.human_rows[rows], return_inverse=True)
    return Footage(
        humans=_ragged(store.humans, human_rows),
        cameras=_ragged(store.shots, rows),
        human_of_shot=torch.from_numpy(human_of_shot.astype(np.int64)),
        human_names=tuple(store.humans.text("id", row) for row in human_rows.tolist()),
        shot_names=tuple(store.shots.text("id", row) for row in rows.tolist()),
        human_captions=tuple(store.humans.strings("captions", row) for row in human_rows.tolist()),
        camera_captions=tuple(store.shots.strings("captions", row) for row in rows.tolist()),
        sha256=store.manifest.content_sha256,
        store_sha256=store.manifest.content_sha256,
        yaw="canonical" if starts_canonical(store) else "kept",
    )


def _ragged(table: Table, rows: Int64[np.ndarray, " rows"]) -> Ragged:
    starts = starts_from_lengths(table.lengths("features")[rows].tolist())
    width = table.column("features").data.shape[1:]
    values = np.empty((int(starts[-1]), *width), np.float32)
    for row, first, stop in zip(rows.tolist(), starts[:-1], starts[1:], strict=True):
        values[first:stop] = table.items("features", row)
    return Ragged(torch.from_numpy(values), starts)


@dataclass(frozen=True, eq=False)
class EncodedCaptions:
    """Every different text once; row r may use texts choices[starts[r]:starts[r + 1]]."""

    tokens: Ragged
    pooled: Float[Tensor, "texts width"]
    choices: Int64[np.ndarray, " all_choices"]
    starts: Int64[np.ndarray, " rows_and_one"]
    longest: int

    def pick(
        self, rows: Int64[np.ndarray, " batch"], dice: Float[np.ndarray, " batch"]
    ) -> Int64[np.ndarray, " batch"]:
        """One text per row by dice in [0, 1); NO_CAPTION where a row has none."""
        first, count = self.starts[rows], self.starts[rows + 1] - self.starts[rows]
        place = np.minimum(first + (dice * count).astype(np.int64), len(self.choices) - 1)
        return np.where(count > 0, self.choices[place], NO_CAPTION)

    def to(self, device: torch.device) -> "EncodedCaptions":
        """The same captions with their tokens on another device."""
        return replace(self, tokens=self.tokens.to(device), pooled=self.pooled.to(device))


def encode_captions(
    captions_of_rows: Sequence[tuple[str, ...]], encoder: TextEncoder
) -> EncodedCaptions:
    """Encode all captions of all rows."""
    texts = list(dict.fromkeys(text for captions in captions_of_rows for text in captions))
    number = {text: 1 + place for place, text in enumerate(texts)}
    tokens, pooled = _encoded(texts, encoder)
    flat = [number[text] for captions in captions_of_rows for text in captions] or [NO_CAPTION]
    return EncodedCaptions(
        tokens=tokens,
        pooled=pooled,
        choices=np.array(flat, np.int64),
        starts=starts_from_lengths(map(len, captions_of_rows)).numpy(),
        longest=-(-int(tokens.lengths.max()) // _ALIGNMENT) * _ALIGNMENT,
    )


def _encoded(
    texts: Sequence[str], encoder: TextEncoder
) -> tuple[Ragged, Float[Tensor, "texts_and_one width"]]:
    """Texts in half precision; before them one that is never read: rows without captions point at
    it, which train the null text."""
    nothing = torch.zeros(1, encoder.width, dtype=torch.float16)
    if isinstance(encoder, ManyTextEncoder) and texts:
        joined = encoder.encode_joined(texts)
        tokens, pooled = (
            torch.cat([nothing.to(it.device), it]) for it in (joined.tokens, joined.pooled)
        )
        starts = torch.cat([joined.starts.new_zeros(1), joined.starts + 1])
        return Ragged(tokens, starts), pooled
    each, pools = [nothing], [nothing[0]]
    for start in range(0, len(texts), _TEXTS_AT_ONCE):
        for encoded in encoder.encode_each(texts[start : start + _TEXTS_AT_ONCE]):
            each.append(encoded.tokens.half().cpu())
            pools.append(encoded.pooled.half().cpu())
    return ragged_from_clips(each), torch.stack(pools)


def standard_humans(humans: Ragged, statistics: Statistics) -> Ragged:
    """Standardised features of all windows."""
    return Ragged(standardise_human(humans.values, statistics), humans.starts)


def standard_cameras(cameras: Ragged, statistics: Statistics) -> Ragged:
    """Standardised features of all shots: `standardise_camera`, clip by clip, in one go."""
    mean, spread = statistics.mean.to(cameras.values), statistics.spread.to(cameras.values)
    values = (cameras.values - mean) / spread
    values[cameras.starts[:-1], CAMERA.span("velocity")] = 0.0
    return Ragged(values, cameras.starts)


def encode_all(codec: HumanCodec | CameraCodec, standard: Ragged) -> Ragged:
    """Latents before whitening of every clip."""
    return _by_token(standard, codec.shape.latent, lambda it: codec.encode(it.values, it.mask))


def stands(humans: Ragged) -> Ragged:
    """Where everyone stands and faces at the first frame of every token."""
    return _by_token(
        humans,
        STAND_WIDTH,
        lambda it: stand_from_features(it.values.double())[:, ::STRIDE].to(it.values.dtype),
    )


@torch.no_grad()
def _by_token(clips: Ragged, width: int, compute: Callable[[Padded], Tensor]) -> Ragged:
    """Something with a row for every token, of every clip."""
    tokens = -(-clips.lengths // STRIDE)
    starts = torch.cat([tokens.new_zeros(1), tokens.cumsum(0)])
    values = clips.values.new_empty(int(starts[-1]), width)
    for rows, items in batches_of_like_length(clips):
        padded = clips.padded(rows, items)
        keep = token_mask(padded.mask)
        place = starts[rows][:, None] + torch.arange(keep.shape[1], device=starts.device)
        values[place[keep]] = compute(padded)[keep]
    return Ragged(values, starts)


def batches_of_like_length(clips: Ragged) -> Iterator[tuple[Int64[Tensor, " batch"], int]]:
    """Rows in groups of a bounded number of frames, shortest clips first, with their padding."""
    lengths = clips.lengths.cpu().numpy()
    order = np.argsort(lengths, kind="stable")
    first = 0
    while first < len(order):
        stop = first + 1
        while stop < len(order) and (stop + 1 - first) * lengths[order[stop]] <= _FRAMES_AT_ONCE:
            stop += 1
        rows = torch.from_numpy(order[first:stop]).to(clips.starts.device)
        yield rows, int(-(-lengths[order[stop - 1]] // STRIDE) * STRIDE)
        first = stop


def settle_scale(codec: HumanCodec | CameraCodec, raw: Ragged) -> Ragged:
    """Bring every channel of the latents to a spread near one, exactly: nothing in a codec's loss
    holds the scale of its latents, and the next networks read them as they are."""
    spread = raw.values.double().std(0).clamp_min(SMALLEST_SPREAD)
    factors = torch.exp2(-spread.log2().round()).to(raw.values.dtype)
    codec.scale_latents(factors)
    return Ragged(raw.values * factors, raw.starts)


def fit_whitening(codec: HumanCodec | CameraCodec, raw: Ragged) -> None:
    """Give a codec the statistics of its own training latents."""
    moments = LatentMoments(raw.width)
    for block in raw.values.split(_TOKENS_AT_ONCE):
        every = torch.ones(1, len(block), dtype=torch.bool, device=block.device)
        moments.add(block[None], every)
    codec.whitening.fit(moments)


def whitened(codec: HumanCodec | CameraCodec, raw: Ragged) -> Ragged:
    """What flows move."""
    blocks = [
        codec.whitening(
            block[None], torch.ones(1, len(block), dtype=torch.bool, device=block.device)
        )[0]
        for block in raw.values.split(_TOKENS_AT_ONCE)
    ]
    return Ragged(torch.cat(blocks), raw.starts)
