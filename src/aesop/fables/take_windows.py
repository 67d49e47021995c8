"""Takes on our skeleton, screened for what is wrong with them and cut into windows."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from jaxtyping import Bool, Float, Int

from aesop.core.errors import AesopError
from aesop.fables.cmu_takes import HEADER_FPS, Take, TakeFile
from aesop.files.bvh import frame_rate
from aesop.files.bvh_clip import read_bvh_clip
from aesop.files.shot_file import read_clip, write_clip
from aesop.scene.human import NATIVE_FPS, Clip
from aesop.scene.skeleton import JOINT

# Hips faster than a sprinter's, or any joint faster against the hips than a boxer's fist.
FASTEST_HIPS_MPS = 8.0
FASTEST_LIMB_MPS = 14.0
# Frames around a glitch that may be bent by it.
GLITCH_MARGIN_FRAMES = 6
# A body is carried by something: the lowest joint within this time, against the clip's ground.
SUPPORT_SECONDS = 1.2
HIGHEST_SUPPORT_M = 0.22
# A foot is down if it is this low over the window's ground and hardly rises or falls.
FOOT_DOWN_M = 0.12
FOOT_STILL_MPS = 0.25
# Planted feet of good captures move at 0.05–0.15 m/s (noise and rolling over the toes).
FASTEST_PLANTED_MPS = 0.45
# People who walk take 1.3 to 2.3 steps a second; twice that is a wrong frame rate.
FASTEST_WALK_STEPS_PER_S = 3.0

FEET = tuple(JOINT[f"{side}_{part}"] for side in ("left", "right") for part in ("ankle", "foot"))

Joints = Float[np.ndarray, "frames 22 3"]


@dataclass(frozen=True)
class TakeScreening:
    """Measured facts of a take or window, and the one word by which it is refused, if any."""

    fault: str | None
    planted_mps: float
    support_range_m: float


def glitches(joints: Joints) -> Bool[np.ndarray, " frames"]:
    """Frames at or near a jump of the hips or a limb faster than limbs are."""
    step = np.linalg.norm(np.diff(joints[:, 0], axis=0), axis=-1) * NATIVE_FPS
    around = joints - joints[:, :1]
    limb = np.linalg.norm(np.diff(around, axis=0), axis=-1).max(-1) * NATIVE_FPS
    bad = np.zeros(len(joints), dtype=bool)
    bad[1:] = (step > FASTEST_HIPS_MPS) | (limb > FASTEST_LIMB_MPS)
    spread = np.ones(2 * GLITCH_MARGIN_FRAMES + 1)
    return np.convolve(bad, spread, mode="same")[: len(bad)] > 0.5


def support(joints: Joints) -> Float[np.ndarray, " frames"]:
    """Height of what carries the body: the lowest joint within `SUPPORT_SECONDS` around a frame."""
    lowest = joints[..., 2].min(-1)
    half = round(SUPPORT_SECONDS * NATIVE_FPS / 2)
    padded = np.pad(lowest, half, mode="edge")
    return np.lib.stride_tricks.sliding_window_view(padded, 2 * half + 1).min(-1)


def planted_speed(joints: Joints) -> float:
    """Median horizontal speed in m/s of feet that are down; 0 where none ever is."""
    feet = joints[:, FEET]
    velocity = np.diff(feet, axis=0) * NATIVE_FPS
    low = feet[1:, :, 2] < joints[..., 2].min() + FOOT_DOWN_M
    down = low & (np.abs(velocity[..., 2]) < FOOT_STILL_MPS)
    # The slower of a foot's two joints: heel and toes are planted in turn.
    speed = np.linalg.norm(velocity[..., :2], axis=-1).reshape(len(velocity), 2, 2)
    speed = np.where(down.reshape(len(velocity), 2, 2), speed, np.inf).min(-1)
    # One foot carries a walking body; the other may swing low over the ground.
    slower = speed.min(-1)
    slower = slower[np.isfinite(slower)]
    return float(np.median(slower)) if len(slower) else 0.0


def steps_per_second(joints: Joints) -> float:
    """Cadence: the strongest rhythm of one ankle passing the other along the way of the hips."""
    travel = joints[-1, 0, :2] - joints[0, 0, :2]
    along = travel / max(float(np.linalg.norm(travel)), 1e-6)
    ahead = (joints[:, JOINT["left_ankle"], :2] - joints[:, JOINT["right_ankle"], :2]) @ along
    spectrum = np.abs(np.fft.rfft((ahead - ahead.mean()) * np.hanning(len(ahead)), 1024))
    return 2.0 * float(np.argmax(spectrum)) * NATIVE_FPS / 1024


def screen_window(joints: Joints) -> TakeScreening:
    """Whether a window may be shown to a network as human motion."""
    planted = planted_speed(joints)
    carried = support(joints)
    spread = float(np.ptp(carried))
    fault = None
    if glitches(joints).any():
        fault = "jumps"
    elif spread > HIGHEST_SUPPORT_M:
        fault = "carried by thin air"
    elif planted > FASTEST_PLANTED_MPS:
        fault = "feet slide"
    return TakeScreening(fault, planted, spread)


def has_wrong_rate(joints: Joints, description: str) -> bool:
    """Whether a plain walk goes at a cadence that no walk has."""
    words = description.lower()
    plain_walk = words.startswith(("walk", "slow walk", "neutral")) and "run" not in words
    travel = np.linalg.norm(joints[-1, 0, :2] - joints[0, 0, :2])
    if not plain_walk or len(joints) < 50 or travel < 2.0:
        return False
    return steps_per_second(joints) > FASTEST_WALK_STEPS_PER_S


SHORTEST_FRAMES = 36
LONGEST_FRAMES = 300

# Quantiles of window length in frames: many short, median four seconds, a tail to twelve.
LENGTH_QUANTILES = (
    (0.0, 36.0), (0.1, 48.0), (0.25, 66.0), (0.5, 100.0), (0.75, 150.0), (0.9, 216.0),
    (0.97, 285.0), (1.0, 300.0),
)  # fmt: skip

# Places looked at for one window; the better it shows the caption, the likelier it is taken.
CANDIDATES = 5
# A place that shows nothing of the caption keeps this chance beside one that shows all of it.
LEAST_CHANCE = 0.05

Score = Callable[[int, int], float]
Accept = Callable[[int, int], bool]


@dataclass(frozen=True, order=True)
class TakeWindow:
    """Frames start … stop−1 of a take, perhaps seen in a mirror."""

    start: int
    stop: int
    mirrored: bool

    @property
    def frames(self) -> int:
        return self.stop - self.start


def draw_length(dice: np.random.Generator) -> int:
    """A window length by the profile."""
    shares, lengths = zip(*LENGTH_QUANTILES, strict=True)
    return round(float(np.interp(dice.random(), shares, lengths)))


def spans(good: Bool[np.ndarray, " frames"]) -> list[tuple[int, int]]:
    """Stretches of good frames that are long enough for a window."""
    edges = np.flatnonzero(np.diff(np.concatenate([[0], good.astype(np.int8), [0]])))
    pairs = edges.reshape(-1, 2).tolist()
    return [(first, stop) for first, stop in pairs if stop - first >= SHORTEST_FRAMES]


def _starts(
    usable: list[tuple[int, int]], length: int
) -> tuple[Int[np.ndarray, " spans"], Float[np.ndarray, " spans"]]:
    room = np.array([max(0, stop - first - length + 1) for first, stop in usable], dtype=np.int64)
    return room, room / max(1, room.sum())


def draw_windows(
    good: Bool[np.ndarray, " frames"],
    count: int,
    score: Score,
    accept: Accept,
    dice: np.random.Generator,
) -> list[TakeWindow]:
    """Up to `count` different windows of a take, half of them mirrored.

    `score` says in [0, 1] how much of the caption a place shows; `accept` screens it. Fewer windows
    come back where the take has no more places.
    """
    usable = spans(good)
    found: dict[TakeWindow, None] = {}
    if not usable:
        return []
    longest = max(stop - first for first, stop in usable)
    for _ in range(4 * count):
        if len(found) == count:
            break
        length = min(draw_length(dice), longest)
        room, chance = _starts(usable, length)
        which = dice.choice(len(usable), size=CANDIDATES, p=chance)
        starts = [usable[at][0] + int(dice.integers(room[at])) for at in which]
        weights = np.array([LEAST_CHANCE + score(start, start + length) for start in starts])
        start = starts[int(dice.choice(CANDIDATES, p=weights / weights.sum()))]
        window = TakeWindow(start, start + length, bool(dice.integers(2)))
        if window not in found and accept(window.start, window.stop):
            found[window] = None
    return sorted(found)


@dataclass(frozen=True)
class ImportedTake:
    """What the first round found: where the clip lies, how many good frames, or why none."""

    take: Take
    path: Path
    frames: int
    fault: str | None

    def clip(self) -> Clip:
        return read_clip(self.path)


def import_take(take: Take, file: TakeFile, cache: Path) -> ImportedTake:
    """Import one take; a take that cannot be used says why."""
    path = cache / f"{take.name}.clip"
    try:
        if not path.exists():
            write_clip(replace(_read(take, file), name=take.name), path)
        clip = read_clip(path)
    except AesopError as refused:
        return ImportedTake(take, path, 0, f"not readable ({type(refused).__name__})")
    joints = clip.motion.joints.double().numpy()
    if has_wrong_rate(joints, take.description):
        return ImportedTake(take, path, 0, "cadence of a wrong frame rate")
    good = sum(stop - first for first, stop in spans(~glitches(joints)))
    return ImportedTake(take, path, good, None if good else "no stretch of good frames")


def _read(take: Take, file: TakeFile) -> Clip:
    """The public release says 120 fps everywhere; the table knows the rate of the capture."""
    says = frame_rate(file.path)
    public = bool(np.isclose(says, HEADER_FPS, rtol=0.01))
    return read_bvh_clip(file.path, fps=take.captured_fps if public else None)
