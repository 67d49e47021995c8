"""Several shots at once as padded float64 arrays: what the screening computes on.

Frames beyond a shot's end hold anything finite; whatever is reduced over frames is masked first.
"""

from dataclasses import dataclass, replace

import numpy as np
import torch
from jaxtyping import Bool, Float, Float32, Int

from aesop.data.store import Store
from aesop.features.camera import centre_from_features
from aesop.features.columns import CAMERA, HUMAN
from aesop.features.human import joints_from_features
from aesop.scene.rotation import matrix_from_columns6


@dataclass(frozen=True, eq=False)
class Cameras:
    """Camera paths of several shots."""

    centre: Float[np.ndarray, "clips frames 3"]
    world_from_camera: Float[np.ndarray, "clips frames 3 3"]
    tan_half_fov: Float[np.ndarray, "clips frames 2"]

    def take(self, clips: Int[np.ndarray, " chosen"]) -> "Cameras":
        """Some of the paths, in the order given."""
        return Cameras(self.centre[clips], self.world_from_camera[clips], self.tan_half_fov[clips])

    def moved(self, centre: Float[np.ndarray, "clips frames 3"]) -> "Cameras":
        """The same aims and lenses along other ways."""
        return replace(self, centre=centre)


@dataclass(frozen=True, eq=False)
class Film:
    """Shots of one batch: people, cameras, and which frames are real."""

    lengths: Int[np.ndarray, " clips"]
    root: Float[np.ndarray, "clips frames 3"]
    around: Float[np.ndarray, "clips frames 3 joints"]  # joints minus root, world axes
    cameras: Cameras

    @property
    def frames(self) -> int:
        return self.root.shape[1]

    @property
    def mask(self) -> Bool[np.ndarray, "clips frames"]:
        """True on real frames."""
        return np.arange(self.frames) < self.lengths[:, None]

    def take(self, clips: Int[np.ndarray, " chosen"]) -> "Film":
        """Some of the shots, in the order given."""
        return Film(
            self.lengths[clips], self.root[clips], self.around[clips], self.cameras.take(clips)
        )


@dataclass(frozen=True, eq=False)
class Stock:
    """The stored features behind a film, padded with zeros. A window that several shots film is
    held once: shot c shows the person of window `window[c]`."""

    lengths: Int[np.ndarray, " clips"]
    window: Int[np.ndarray, " clips"]
    human: Float32[np.ndarray, "windows frames 199"]
    camera: Float32[np.ndarray, "clips frames 14"]

    @property
    def window_lengths(self) -> Int[np.ndarray, " windows"]:
        """Frames of every window: as many as any shot of it has."""
        lengths = np.ones(len(self.human), np.int64)
        lengths[self.window] = self.lengths
        return lengths

    def take(self, clips: Int[np.ndarray, " chosen"]) -> "Stock":
        return Stock(self.lengths[clips], self.window[clips], self.human, self.camera[clips])

    def filmed(self, camera: Float32[np.ndarray, "clips frames 14"]) -> "Stock":
        """The same people with other cameras."""
        return Stock(self.lengths, self.window, self.human, camera)


def read_stock(store: Store, rows: Int[np.ndarray, " clips"]) -> Stock:
    """Features of some shots and of the windows they film."""
    lengths = store.shot_lengths(rows)
    longest = int(lengths.max())
    windows, window = np.unique(store.human_rows[rows], return_inverse=True)
    human = np.zeros((len(windows), longest, HUMAN.width), np.float32)
    camera = np.zeros((len(rows), longest, CAMERA.width), np.float32)
    for at, row in enumerate(windows.tolist()):
        features = store.humans.items("features", row)
        human[at, : len(features)] = features
    for at, row in enumerate(rows.tolist()):
        camera[at, : lengths[at]] = store.shots.items("features", row)
    return Stock(lengths, window, human, camera)


def film_of(stock: Stock) -> Film:
    """Motion and cameras in metres and radians."""
    joints = joints_from_features(torch.from_numpy(stock.human).double()).numpy()
    around = np.swapaxes(joints - joints[:, :, :1], -1, -2)
    root = joints[stock.window, :, 0]
    cameras = cameras_of(stock.camera, root[:, 0], stock.lengths)
    return Film(stock.lengths, root, np.ascontiguousarray(around)[stock.window], cameras)


def cameras_of(
    features: Float[np.ndarray, "clips frames 14"],
    first_root: Float[np.ndarray, "clips 3"],
    lengths: Int[np.ndarray, " clips"],
) -> Cameras:
    """Camera paths from physical features."""
    values = torch.from_numpy(features).double()
    vertical = np.tan(CAMERA.take(values, "fov_vertical")[..., 0].numpy() / 2)
    horizontal = np.tan(CAMERA.take(values, "fov_horizontal")[..., 0].numpy() / 2)
    aspect = _aspects(horizontal, vertical, lengths)
    return Cameras(
        centre=centre_from_features(values, torch.from_numpy(first_root)).numpy(),
        world_from_camera=matrix_from_columns6(CAMERA.take(values, "rotation")).numpy(),
        tan_half_fov=np.stack([aspect[:, None] * vertical, vertical], axis=-1),
    )


def _aspects(
    horizontal: Float[np.ndarray, "clips frames"],
    vertical: Float[np.ndarray, "clips frames"],
    lengths: Int[np.ndarray, " clips"],
) -> Float[np.ndarray, " clips"]:
    """One aspect ratio per shot: the lower median over frames, as `aspect_from_features`."""
    real = np.arange(horizontal.shape[1]) < lengths[:, None]
    ratio = np.divide(horizontal, vertical, out=np.full_like(horizontal, np.inf), where=real)
    middle = np.sort(ratio, axis=1)
    return np.take_along_axis(middle, (lengths[:, None] - 1) // 2, axis=1)[:, 0]


def features_of_way(
    camera: Float32[np.ndarray, "*clips frames 14"],
    root: Float[np.ndarray, "*clips frames 3"],
    centre: Float[np.ndarray, "*clips frames 3"],
) -> Float32[np.ndarray, "*clips frames 14"]:
    """A shot's features with another way of the camera: relative centre and velocity are computed
    anew, aim and lens stay as they are, bit for bit."""
    features = camera.copy()
    features[..., CAMERA.span("from_root")] = centre - root
    steps = np.diff(centre, axis=-2, prepend=centre[..., :1, :])
    features[..., CAMERA.span("velocity")] = steps
    return features
