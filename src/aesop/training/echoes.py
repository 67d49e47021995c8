"""A camera flow's own shots, kept on their way from noise, and what intensities change in them."""

import logging
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import numpy as np
import torch
from jaxtyping import Bool, Float, Float16, Float32, Int64
from torch import Tensor

from aesop.flow.guidance import guided
from aesop.flow.presets import PRESETS
from aesop.models.codec import STRIDE, CameraCodec, HumanCodec, token_mask
from aesop.models.context import FlowContext, with_and_without_text
from aesop.models.stepping import Stepper
from aesop.models.velocity import FlowTransformer
from aesop.pairs.film import Stock, film_of
from aesop.pairs.reach import ReachGates, stretched
from aesop.training.flow_lessons import FlowClips
from aesop.training.footage import Footage
from aesop.training.order import CAPTION, LABEL, NOISE, dice_for, seed_for
from aesop.training.recipes import Echo
from aesop.training.upload import upload

log = logging.getLogger(__name__)

_SHOTS_AT_ONCE = 256
_PRESET = PRESETS["fast"]  # by which the states on the way are told


@dataclass(frozen=True, eq=False)
class Echoes:
    """Shot e has the tokens starts[e] … starts[e + 1] − 1. `states` are those of the guided flow at
    intensity one, from noise to latents; `shifts` say what each of its labels adds at the end."""

    states: Float16[Tensor, "times all_tokens width"]
    flow_times: Float[Tensor, " times"]
    shifts: Float16[Tensor, "labels all_tokens width"]
    labels: Float[Tensor, "labels shots"]
    starts: Int64[Tensor, " shots_and_one"]
    clips: Int64[np.ndarray, " shots"]  # rows of the footage
    captions: Int64[np.ndarray, " shots"]

    def __len__(self) -> int:
        return len(self.clips)

    @property
    def tokens(self) -> Int64[np.ndarray, " shots"]:
        return self.starts.diff().cpu().numpy()

    def places(
        self, shots: Int64[Tensor, " batch"], tokens: int
    ) -> tuple[Int64[Tensor, "batch tokens"], Bool[Tensor, "batch tokens"]]:
        """Where the tokens of some shots lie, padded, and which are real."""
        first, place = self.starts[shots][:, None], torch.arange(tokens, device=shots.device)
        real = place < self.starts[shots + 1][:, None] - first
        return torch.where(real, first + place, 0), real


@dataclass(frozen=True, eq=False)
class Maker:
    """A flow with everything it needs to film the footage."""

    flow: FlowTransformer
    human: HumanCodec
    camera: CameraCodec
    clips: FlowClips
    footage: Footage
    echo: Echo
    seed: int

    @property
    def device(self) -> torch.device:
        return self.clips.latents.values.device


@dataclass(frozen=True, eq=False)
class _Filmed:
    """Shots of one batch, as the flow makes them."""

    states: Float16[Tensor, "times batch tokens width"]
    stock: Stock
    mask: Bool[Tensor, "batch frames"]
    labels: Float32[np.ndarray, "labels batch"]


@torch.no_grad()
def make_echoes(maker: Maker) -> Echoes:
    """Film some of the footage and scale what was filmed. The geometry is done by threads while the
    flow goes on."""
    clips, captions = _chosen(maker)
    log.info("filming %d shots to learn intensity from", len(clips))
    filmed: list[_Filmed] = []
    with ThreadPoolExecutor() as pool:
        waiting = []
        for batch in _batches(len(clips)):
            one = _film(maker, clips[batch], captions[batch], batch.start)
            filmed.append(one)
            waiting.append(pool.submit(_scaled, one.stock, one.labels, maker.echo.gates))
        shifts = [
            _shifts(maker, one, done.result()) for one, done in zip(filmed, waiting, strict=True)
        ]
    real = [token_mask(one.mask) for one in filmed]
    counts = torch.cat([mask.sum(1) for mask in real])
    return Echoes(
        states=torch.cat([one.states[:, keep] for one, keep in zip(filmed, real, strict=True)], 1),
        flow_times=_PRESET.times.to(maker.device, torch.float32),
        shifts=torch.cat([it[:, keep] for it, keep in zip(shifts, real, strict=True)], 1),
        labels=torch.from_numpy(np.concatenate([it.labels for it in filmed], 1)).to(maker.device),
        starts=torch.cat([counts.new_zeros(1), counts.cumsum(0)]),
        clips=clips,
        captions=captions,
    )


def _chosen(maker: Maker) -> tuple[Int64[np.ndarray, " shots"], Int64[np.ndarray, " shots"]]:
    """Shots of the footage whose words are filmed anew, shortest first, and one of their captions.
    Fewer shots than asked for are taken as they are."""
    every, dice = maker.clips.ordinary_rows, dice_for(maker.seed, CAPTION)
    clips = dice.permutation(every)[: maker.echo.shots]
    lengths = maker.footage.cameras.lengths.cpu().numpy()
    clips = clips[np.argsort(lengths[clips], kind="stable")]
    return clips, maker.clips.captions.pick(clips, dice.random(len(clips)))


def _batches(shots: int) -> Iterator[slice]:
    for first in range(0, shots, _SHOTS_AT_ONCE):
        yield slice(first, min(first + _SHOTS_AT_ONCE, shots))


def _film(
    maker: Maker,
    rows: Int64[np.ndarray, " batch"],
    captions: Int64[np.ndarray, " batch"],
    number: int,
) -> _Filmed:
    device, footage = maker.device, maker.footage
    windows = footage.human_of_shot[torch.from_numpy(rows)].to(footage.humans.starts.device)
    frames = int(footage.humans.lengths[windows].max())
    people = footage.humans.padded(windows, -(-frames // STRIDE) * STRIDE)
    mask = people.mask.to(device)
    tokens = token_mask(mask)
    shown, texts = (upload(it, device, torch.int64) for it in (rows, captions))
    context = maker.clips.context(shown, texts, tokens)
    dice = torch.Generator(device).manual_seed(seed_for(maker.seed, NOISE, number))
    shape = (*tokens.shape, maker.flow.shape.latent)
    noise = torch.randn(shape, generator=dice, device=device) * tokens[..., None]
    states = _on_the_way(maker, context, noise)
    assert context.human is not None
    people_latents = context.human[..., : maker.flow.shape.human]
    raw = maker.human.whitening.inverse(people_latents, tokens)
    camera = maker.camera.from_latents(states[-1], raw, mask)
    stock = Stock(
        lengths=mask.sum(1).cpu().numpy(),
        window=np.arange(len(rows)),
        human=people.values.cpu().numpy(),
        camera=camera.cpu().numpy(),
    )
    labels = _labels(maker.echo, dice_for(maker.seed, LABEL, number), len(rows))
    return _Filmed(torch.stack(states).half(), stock, mask, labels)


def _on_the_way(
    maker: Maker, context: FlowContext, noise: Float[Tensor, "batch tokens width"]
) -> list[Float[Tensor, "batch tokens width"]]:
    """Latents at every time of the preset."""
    states = list[Tensor]()
    both = Stepper(maker.flow, with_and_without_text(context), _PRESET.times)
    velocity = guided(both, maker.echo.guidance)

    def watched(
        latents: Float[Tensor, "batch tokens width"], flow_time: Float[Tensor, ""]
    ) -> Float[Tensor, "batch tokens width"]:
        states.append(latents)
        return velocity(latents, flow_time)

    states.append(_PRESET.solver(watched, noise, _PRESET.times))
    return states


def _labels(
    echo: Echo, dice: np.random.Generator, shots: int
) -> Float32[np.ndarray, "labels shots"]:
    """Evenly below and above one, each in a stretch of its own."""
    share = (np.arange(echo.labels)[:, None] + dice.random((2, echo.labels, shots))) / echo.labels
    below, above = echo.weakest - 1, echo.strongest - 1
    return (1 + np.concatenate([below * share[0], above * share[1]])).astype(np.float32)


def _scaled(
    stock: Stock, labels: Float32[np.ndarray, "labels clips"], gates: ReachGates
) -> Float32[np.ndarray, "labels_and_one clips frames 14"]:
    """The shots at intensity one, and at their labels."""
    every = np.concatenate([np.ones_like(labels[:1]), labels]).astype(np.float64)
    return stretched(film_of(stock), stock.camera, every, gates)


def _shifts(
    maker: Maker, filmed: _Filmed, features: Float32[np.ndarray, "labels_and_one clips frames 14"]
) -> Float16[Tensor, "labels clips tokens width"]:
    """What the labels add to the shots' latents. Sampled latents are not quite what the codec makes
    of the shot they stand for, so both ends are taken from the codec."""
    own, *others = (
        maker.camera.to_latents(torch.from_numpy(it).to(maker.device), filmed.mask)
        for it in features
    )
    return torch.stack([(other - own).half() for other in others])
