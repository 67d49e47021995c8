"""A frozen evaluator: what it reads of shots, networks as CLaTr's and TMR's, and vectors that can
be compared with words."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
import torch
from jaxtyping import Bool, Float, Float64
from torch import Tensor, nn
from torch.nn.functional import pad
from torch.nn.utils.rnn import pad_sequence

from aesop.features.camera_features import camera_to_features
from aesop.features.columns import CAMERA
from aesop.features.human_features import human_to_features
from aesop.files.humanml import features_263_from_joints, y_up
from aesop.scene.human import NATIVE_FPS, HumanMotion
from aesop.scene.rotation import columns6_from_matrix, matrix_from_columns6
from aesop.scene.shot import Shot
from aesop.text.encoder import TextEncoder

Kind = Literal["clatr", "tmr"]  # what it reads: camera paths, or people
NINE = 9
FRAMED = 17  # the nine, and how the camera frames the person
BATCH = 64  # items embedded at a time
DROPOUT = 0.1
SLOW_MPS = 0.05  # slower velocities are read as they are, faster ones by their logarithm
START_M = 3.0  # unit of the first centre
NEAREST_M = 0.05  # nearer cameras are read as this near

ShotReader = Callable[[Shot], Float[Tensor, "frames features"]]


def nine_from_features(
    features: Float[Tensor, "*batch frames 14"],
) -> Float[Tensor, "*batch frames 9"]:
    """Our nine numbers from the physical camera features."""
    six = CAMERA.take(features, "rotation")
    world_from_camera = matrix_from_columns6(six)
    velocity = CAMERA.take(features, "velocity")[..., 1:, :, None] * NATIVE_FPS
    in_camera = (world_from_camera[..., :-1, :, :].transpose(-1, -2) @ velocity).squeeze(-1)
    start = CAMERA.take(features, "from_root")[..., :1, :] / START_M
    squeezed = torch.asinh(in_camera / SLOW_MPS) / 2
    return torch.cat(
        [columns6_from_matrix(world_from_camera), torch.cat([start, squeezed], -2)], -1
    )


def nine_of_shot(shot: Shot) -> Float[Tensor, "frames 9"]:
    """Our nine numbers of a shot."""
    return nine_from_features(camera_to_features(shot.camera, shot.clip.motion.root).float())


def framed_from_features(
    headed: Float[Tensor, "*batch frames 15"],
) -> Float[Tensor, "*batch frames 17"]:
    """The nine numbers and what words of framing are about, from camera features and the person's
    heading: where the camera stands as the person sees it (a direction, and the logarithm of the
    distance), where the person is in the picture (lengths of half a picture), and the lens
    (logarithms of the tangents of half its angles)."""
    features, heading = headed[..., : CAMERA.width], headed[..., CAMERA.width :]
    place = CAMERA.take(features, "from_root")
    distance = place.norm(dim=-1, keepdim=True).clamp_min(NEAREST_M)
    ahead, left = heading.cos(), heading.sin()
    x, y, z = place.split(1, dim=-1)
    seen = torch.cat([ahead * x + left * y, ahead * y - left * x, z], -1) / distance
    across, up = (
        (CAMERA.take(features, name) / 2).tan() for name in ("fov_horizontal", "fov_vertical")
    )
    world_from_camera = matrix_from_columns6(CAMERA.take(features, "rotation"))
    person = (world_from_camera.transpose(-1, -2) @ -place[..., None]).squeeze(-1)
    depth = person[..., 2:].clamp_min(NEAREST_M)
    in_picture = torch.cat(
        [person[..., :1] / (depth * across), person[..., 1:2] / (depth * up)], -1
    )
    return torch.cat(
        [
            nine_from_features(features),
            seen,
            (distance / START_M).log(),
            in_picture.clamp(-3, 3) / 2,
            across.log(),
            up.log(),
        ],
        -1,
    )


def framed_of_shot(shot: Shot) -> Float[Tensor, "frames 17"]:
    """The seventeen numbers of a shot."""
    motion = shot.clip.motion
    features = camera_to_features(shot.camera, motion.root).float()
    return framed_from_features(torch.cat([features, motion.yaw.float()[:, None]], -1))


def person_of_shot(shot: Shot) -> Float[Tensor, "frames 199"]:
    """The person's features, physical."""
    return human_to_features(shot.clip.motion).float()


@dataclass(frozen=True)
class CentreStatistics:
    """By what a release of CLaTr standardises the first centre and the steps from frame to frame,
    metres, in its world (y down)."""

    start_mean: tuple[float, float, float]
    start_spread: tuple[float, float, float]
    step_mean: tuple[float, float, float]
    step_spread: tuple[float, float, float]
    source: str


# E.T.'s constants, which the published CLaTr was trained with.
ET_STATISTICS = CentreStatistics(
    start_mean=(0.00201079, -0.27488501, -1.23616805),
    start_spread=(1.13433516, 1.19061042, 1.58744263),
    step_mean=(7.93987673e-05, -9.98621393e-05, 4.12940653e-04),
    step_spread=(0.027841, 0.01819818, 0.03138536),
    source="E.T.'s",
)


def et_nine_of_shot(
    shot: Shot, statistics: CentreStatistics = ET_STATISTICS
) -> Float[Tensor, "frames 9"]:
    """E.T.'s nine numbers of a shot, standardised, in its world (y down), the person's first place
    at the origin."""
    person = shot.clip.motion.root[0].double()
    # Turns z-up worlds to y-down ones and keeps x: (x, y, z) → (x, −z, y).
    y_down = person.new_tensor([[1.0, 0.0, 0.0], [0.0, 0.0, -1.0], [0.0, 1.0, 0.0]])
    centre = (shot.camera.centre.double() - person) @ y_down.T
    start_mean, start_spread, step_mean, step_spread = (
        centre.new_tensor(numbers)
        for numbers in (
            statistics.start_mean,
            statistics.start_spread,
            statistics.step_mean,
            statistics.step_spread,
        )
    )
    start = (centre[:1] - start_mean) / start_spread
    steps = (centre.diff(dim=0) - step_mean) / step_spread
    six = columns6_from_matrix(y_down @ shot.camera.world_from_camera.double())
    return torch.cat([six, torch.cat([start, steps])], dim=-1).float()


def humanml_of_shot(shot: Shot) -> Float[Tensor, "frames_less_one 263"]:
    """HumanML3D's features of the person, frame by frame as they are: rates are not converted."""
    return features_263_from_joints(y_up(shot.clip.motion.joints.double())).float()


@dataclass(frozen=True)
class EncoderShape:
    """Sizes of one encoder. `patch` items (frames or text tokens) are read as one."""

    features: int
    width: int
    layers: int
    heads: int
    feed_forward: int
    patch: int = 1


@dataclass(frozen=True, eq=False)
class Latent:
    """A Gaussian per sequence; its mean is the embedding."""

    mean: Float[Tensor, "batch width"]
    log_variance: Float[Tensor, "batch width"]


def position_waves(count: int, width: int, like: Tensor) -> Float[Tensor, "count width"]:
    """Sines at even and cosines at odd columns, from wavelength 2π to 10,000·2π."""
    place = torch.arange(count, device=like.device, dtype=torch.float32)[:, None]
    rate = torch.exp(torch.arange(0, width, 2, device=like.device) * (-math.log(10_000.0) / width))
    return torch.stack([torch.sin(place * rate), torch.cos(place * rate)], dim=-1).flatten(1)


class SequenceEncoder(nn.Module):
    """Two learned tokens read the sequence; what they become is mean and log-variance."""

    def __init__(self, shape: EncoderShape) -> None:
        super().__init__()
        self.shape = shape
        self.projection = nn.Linear(shape.features * shape.patch, shape.width)
        self.tokens = nn.Parameter(torch.randn(2, shape.width))
        self.dropout = nn.Dropout(DROPOUT)
        layer = nn.TransformerEncoderLayer(
            shape.width, shape.heads, shape.feed_forward, DROPOUT, "gelu", batch_first=True
        )
        self.blocks = nn.TransformerEncoder(layer, shape.layers, enable_nested_tensor=False)

    def forward(
        self, items: Float[Tensor, "batch items features"], mask: Bool[Tensor, "batch items"]
    ) -> Latent:
        # Filled, not multiplied: not even a NaN in the padding may pass.
        items = items.masked_fill(~mask[..., None], 0)
        short = -items.shape[1] % self.shape.patch
        patches = pad(items, (0, 0, 0, short)).unflatten(1, (-1, self.shape.patch)).flatten(2)
        kept = pad(mask, (0, short))[:, :: self.shape.patch]
        states = torch.cat(
            [self.tokens.expand(len(items), -1, -1), self.projection(patches)], dim=1
        )
        waves = position_waves(states.shape[1], self.shape.width, states).to(states.dtype)
        padding = torch.cat([torch.zeros_like(kept[:, :1]).expand(-1, 2), ~kept], dim=1)
        states = self.blocks(self.dropout(states + waves), src_key_padding_mask=padding)
        return Latent(states[:, 0], states[:, 1])


class SequenceDecoder(nn.Module):
    """From one latent vector back to a sequence; used in training only."""

    def __init__(self, shape: EncoderShape, layers: int) -> None:
        super().__init__()
        self.shape = shape
        layer = nn.TransformerDecoderLayer(
            shape.width, shape.heads, shape.feed_forward, DROPOUT, "gelu", batch_first=True
        )
        self.blocks = nn.TransformerDecoder(layer, layers)
        self.last = nn.Linear(shape.width, shape.features * shape.patch)

    def forward(
        self, latent: Float[Tensor, "batch width"], mask: Bool[Tensor, "batch items"]
    ) -> Float[Tensor, "batch items features"]:
        kept = mask[:, :: self.shape.patch]
        waves = position_waves(kept.shape[1], self.shape.width, latent).to(latent.dtype)
        queries = waves.expand(len(latent), -1, -1)
        states = self.blocks(queries, latent[:, None], tgt_key_padding_mask=~kept)
        items = self.last(states).unflatten(2, (self.shape.patch, -1)).flatten(1, 2)
        return items[:, : mask.shape[1]]


class ContrastivePair(nn.Module):
    """An encoder of paths or motions and an encoder of words into the same space, with the
    statistics by which inputs of the first are standardised."""

    mean: Tensor
    spread: Tensor

    def __init__(self, moves: EncoderShape, words: EncoderShape) -> None:
        assert moves.width == words.width
        super().__init__()
        self.moves = SequenceEncoder(moves)
        self.words = SequenceEncoder(words)
        self.register_buffer("mean", torch.zeros(moves.features))
        self.register_buffer("spread", torch.ones(moves.features))

    @property
    def width(self) -> int:
        return self.moves.shape.width

    def standard(self, items: Float[Tensor, "*batch features"]) -> Float[Tensor, "*batch features"]:
        """Inputs as the first encoder reads them."""
        return (items - self.mean) / self.spread


@dataclass(frozen=True, eq=False)
class Evaluator:
    """The same shot gets the same vector whatever else is embedded with it."""

    kind: Kind
    identity: str  # hash of everything its answers depend on
    pair: ContrastivePair
    read: ShotReader
    encoder: TextEncoder
    note: str = ""  # what a reader of its numbers should know

    @property
    def width(self) -> int:
        return self.pair.width

    def embed_shots(self, shots: Sequence[Shot]) -> Float64[np.ndarray, "shots width"]:
        """Means of the path or motion latents; not normalised, as Fréchet distances want them."""
        device = self.pair.mean.device
        items = [self.pair.standard(self.read(shot).to(device)) for shot in shots]
        return self._embed(self.pair.moves, items)

    def embed_people(self, motions: Sequence[HumanMotion]) -> Float64[np.ndarray, "people width"]:
        """The same of people alone, for evaluators that read no camera."""
        assert self.kind == "tmr"
        items = [human_to_features(motion).float().to(self.pair.mean) for motion in motions]
        return self._embed(self.pair.moves, [self.pair.standard(item) for item in items])

    def embed_words(self, words: Sequence[str]) -> Float64[np.ndarray, "texts width"]:
        """Means of the text latents; every different text is encoded once."""
        different = list(dict.fromkeys(words))
        tokens = [it.tokens.float() for it in self.encoder.encode_each(different)]
        rows = self._embed(self.pair.words, tokens)
        place = {text: row for row, text in enumerate(different)}
        return rows[[place[text] for text in words]]

    def _embed(
        self, encoder: SequenceEncoder, items: Sequence[Float[Tensor, "_ features"]]
    ) -> Float64[np.ndarray, "items width"]:
        order = np.argsort([len(item) for item in items], kind="stable")
        embeddings = np.zeros((len(items), self.width))
        for start in range(0, len(order), BATCH):
            rows = order[start : start + BATCH]
            embeddings[rows] = embed_batch(encoder, [items[row] for row in rows.tolist()])
        return embeddings


@torch.no_grad()
def embed_batch(
    encoder: SequenceEncoder, items: Sequence[Float[Tensor, "_ features"]]
) -> Float64[np.ndarray, "items width"]:
    """Means of a few sequences, on the encoder's own device."""
    device = encoder.tokens.device
    lengths = torch.tensor([len(item) for item in items], device=device)
    padded = pad_sequence(list(items), batch_first=True).to(device)
    mask = torch.arange(padded.shape[1], device=device) < lengths[:, None]
    return encoder(padded, mask).mean.double().cpu().numpy()
