"""Several shots at once as padded float64 arrays: ways of the centre, what the lenses see."""

from dataclasses import dataclass, replace

import numpy as np
import torch
from jaxtyping import Bool, Float, Float32, Int

from aesop.data.store import Store
from aesop.features.camera_features import centre_from_features
from aesop.features.columns import CAMERA, HUMAN
from aesop.features.human_features import joints_from_features
from aesop.scene.camera import MIN_DEPTH_M
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


def smoothed(
    values: Float[np.ndarray, "clips frames width"], lengths: Int[np.ndarray, " clips"], taps: int
) -> Float[np.ndarray, "clips frames width"]:
    """Triangular filter; beyond its ends a shot is mirrored without repeating the end frame."""
    half, frames = taps // 2, values.shape[1]
    weights = half + 1.0 - np.abs(np.arange(-half, half + 1))
    weights /= weights.sum()
    last = np.maximum(lengths[:, None] - 1, 1)
    # Folded as often as needed: a shot may be shorter than the filter.
    folded = np.abs((np.arange(-half, frames + half) + last) % (2 * last) - last)
    folded = np.minimum(folded, np.maximum(lengths[:, None] - 1, 0))
    longer = np.take_along_axis(values, folded[..., None], axis=1)
    total = np.zeros_like(values)
    for offset, weight in enumerate(weights.tolist()):
        total += weight * longer[:, offset : offset + frames]
    return total


def real_steps(
    lengths: Int[np.ndarray, " clips"], frames: int
) -> Bool[np.ndarray, "clips transitions"]:
    """True on transitions between real frames."""
    return np.arange(frames - 1) < lengths[:, None] - 1


def step_lengths(
    centre: Float[np.ndarray, "clips frames 3"], lengths: Int[np.ndarray, " clips"]
) -> Float[np.ndarray, "clips transitions"]:
    """Metres per frame; zero beyond a shot's end."""
    differences = np.diff(centre, axis=1)
    # Several times as fast as np.linalg.norm on rows of three.
    steps = np.sqrt(np.einsum("cfi,cfi->cf", differences, differences))
    return np.where(real_steps(lengths, centre.shape[1]), steps, 0.0)


def path_lengths(
    centre: Float[np.ndarray, "clips frames 3"], lengths: Int[np.ndarray, " clips"]
) -> Float[np.ndarray, " clips"]:
    """Metres from first to last frame along the way."""
    return step_lengths(centre, lengths).sum(-1)


@dataclass(frozen=True, eq=False)
class Dynamics:
    """95th percentiles over frames of the first three differences of a way."""

    speed: Float[np.ndarray, " clips"]
    acceleration: Float[np.ndarray, " clips"]
    jerk: Float[np.ndarray, " clips"]


def dynamics(
    centre: Float[np.ndarray, "clips frames 3"], lengths: Int[np.ndarray, " clips"]
) -> Dynamics:
    """Metres per frame, frame² and frame³."""
    found: list[np.ndarray] = []
    differences = centre
    for order in (1, 2, 3):
        differences = np.diff(differences, axis=1)
        sizes = np.sqrt(np.einsum("cfi,cfi->cf", differences, differences))
        found.append(quantile(sizes, lengths - order, 0.95))
    return Dynamics(*found)


def quantile(
    values: Float[np.ndarray, "clips items"], counts: Int[np.ndarray, " clips"], share: float
) -> Float[np.ndarray, " clips"]:
    """Quantile of the first `counts` items of every row, linear between order statistics; zero
    where there are none."""
    if values.shape[1] == 0:
        return np.zeros(len(values))
    # Rows without items keep theirs: sorting infinities only would make NaN of their difference.
    real = (np.arange(values.shape[1]) < counts[:, None]) | (counts[:, None] <= 0)
    ordered = np.sort(np.where(real, values, np.inf), axis=1)
    place = share * np.maximum(counts - 1, 0)
    below = np.floor(place).astype(np.int64)
    above = np.minimum(below + 1, np.maximum(counts - 1, 0))
    low = np.take_along_axis(ordered, below[:, None], axis=1)[:, 0]
    high = np.take_along_axis(ordered, above[:, None], axis=1)[:, 0]
    return np.where(counts > 0, low + (place - below) * (high - low), 0.0)


@dataclass(frozen=True, eq=False)
class JointViews:
    """Joints in camera axes, not yet divided by their depth."""

    across: Float[np.ndarray, "clips frames joints"]
    down: Float[np.ndarray, "clips frames joints"]
    depth: Float[np.ndarray, "clips frames joints"]
    tan_half_fov: Float[np.ndarray, "clips frames 2"]

    @property
    def visible(self) -> Bool[np.ndarray, "clips frames joints"]:
        """Inside the image and in front, without a division: |x| ≤ tan·z is |x|/z/tan ≤ 1."""
        wide, high = (self.tan_half_fov[..., i, None] * self.depth for i in (0, 1))
        seen = (np.abs(self.across) <= wide) & (np.abs(self.down) <= high)
        # The bound above is infinite too where a depth is.
        return seen & (self.depth > MIN_DEPTH_M) & (self.depth < np.inf)

    @property
    def in_front(self) -> Bool[np.ndarray, "clips frames joints"]:
        return self.depth > MIN_DEPTH_M


def aimed(film: Film, cameras: Cameras) -> Float[np.ndarray, "clips frames 3 joints"]:
    """Joints around the root in camera axes: the same for every way with these aims."""
    return np.matmul(np.swapaxes(cameras.world_from_camera, -1, -2), film.around)


def sight(
    film: Film, cameras: Cameras, turned: Float[np.ndarray, "clips frames 3 joints"]
) -> JointViews:
    """The people as these cameras see them; `turned` is `aimed` of the same aims."""
    to_root = np.einsum("cfij,cfi->cfj", cameras.world_from_camera, film.root - cameras.centre)
    across, down, depth = (turned[:, :, i] + to_root[..., i, None] for i in range(3))
    return JointViews(across, down, depth, cameras.tan_half_fov)


@dataclass(frozen=True, eq=False)
class Outlines:
    """Box around the joints in front of the lens; NaN where there are none."""

    middle: Float[np.ndarray, "clips frames"]  # of the box, across, in widths of the image
    height: Float[np.ndarray, "clips frames"]  # of the box, in heights of the image


def outlines(seen: JointViews) -> Outlines:
    """Boxes of every frame, visible or not."""
    front = seen.in_front
    depth = np.where(front, seen.depth, np.nan)
    with np.errstate(invalid="ignore"):
        across = seen.across / depth / seen.tan_half_fov[..., 0, None]
        down = seen.down / depth / seen.tan_half_fov[..., 1, None]
    left, right = _ends(across, front)
    top, bottom = _ends(down, front)
    # The image runs from −1 to 1: half of a length there is a share of the image.
    return Outlines(middle=(left + right) / 4, height=(bottom - top) / 2)


def _ends(
    values: Float[np.ndarray, "clips frames joints"],
    front: Bool[np.ndarray, "clips frames joints"],
) -> tuple[Float[np.ndarray, "clips frames"], Float[np.ndarray, "clips frames"]]:
    found = front.any(-1)
    low = np.where(front, values, np.inf).min(-1)
    high = np.where(front, values, -np.inf).max(-1)
    return np.where(found, low, np.nan), np.where(found, high, np.nan)


def seen_share(
    visible: Bool[np.ndarray, "clips frames joints"], film: Film
) -> Float[np.ndarray, " clips"]:
    """Share of joints and frames that are visible."""
    joints = np.where(film.mask, visible.sum(-1), 0).sum(-1)
    return joints / (film.lengths * visible.shape[-1])


def blind_frames(
    visible: Bool[np.ndarray, "clips frames joints"], film: Film
) -> Float[np.ndarray, " clips"]:
    """Share of frames without a visible joint."""
    return (film.mask & ~visible.any(-1)).sum(-1) / film.lengths


def severe_frames(
    visible: Bool[np.ndarray, "clips frames joints"], film: Film
) -> Float[np.ndarray, " clips"]:
    """Share of frames with fewer than half of the joints visible."""
    few = 2 * visible.sum(-1) < visible.shape[-1]
    return (film.mask & few).sum(-1) / film.lengths
