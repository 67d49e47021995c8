"""CMU takes: their files, the table that ships, splits; takes on our skeleton, screened and cut
into windows."""

import csv
import re
import tarfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Literal, get_args

import numpy as np
import torch
from jaxtyping import Bool, Float

from aesop.core.errors import AesopError, FileError
from aesop.data.table import disk_errors
from aesop.fables.human_facts import Measures, measure, stretches
from aesop.files.bvh import frame_rate
from aesop.files.bvh_clip import read_bvh_clip
from aesop.files.shot_file import read_clip, write_clip
from aesop.scene.curves import smoothed
from aesop.scene.human import NATIVE_FPS, Clip, yaw_from_joints
from aesop.scene.skeleton import JOINT

# The public conversion writes this rate into every header, whatever the take was captured at.
HEADER_FPS = 120.0

SplitName = Literal["train", "validation", "test"]
SPLITS: tuple[SplitName, ...] = get_args(SplitName)
# By performer: those who share a recording, under two numbers, are in one split.
TEST_SUBJECTS = frozenset({"14", "16", "29", "49", "77", "82", "120", "127", "135", "139", "143"})
VALIDATION_SUBJECTS = frozenset({"02", "05", "28", "93", "103", "118", "124", "133"})
_NAME = re.compile(r"\d+_\d+")


def find_takes(source: Path, unpack_to: Path) -> dict[str, Path]:
    """BVH files by take name. An archive is unpacked once; a second call reads what lies there."""
    remedy = "Give the folder or archive of CMU BVH files."
    if not source.exists():
        raise FileError(f"{source} does not exist.", remedy)
    folder = source if source.is_dir() else _unpacked(source, unpack_to)
    paths = {path.stem: path for path in sorted(folder.rglob("*.bvh"))}
    if not paths:
        raise FileError(f"{source} holds no BVH files.", remedy)
    return dict(sorted(paths.items()))


def _unpacked(archive: Path, folder: Path) -> Path:
    done = folder / ".complete"
    if done.exists():
        return folder
    with disk_errors(folder):
        folder.mkdir(parents=True, exist_ok=True)
        try:
            with tarfile.open(archive) as tar:
                for member in tar:
                    _write_take(tar, member, folder)
        except (tarfile.TarError, EOFError) as problem:
            raise FileError(
                f"{archive} cannot be unpacked: {problem}.", "Download the archive again."
            ) from problem
        done.touch()
    return folder


def _write_take(tar: tarfile.TarFile, member: tarfile.TarInfo, folder: Path) -> None:
    """BVH files only, by their bare names: no member can leave the folder."""
    content = tar.extractfile(member) if member.isfile() else None
    name = Path(member.name).name
    if content is not None and name.endswith(".bvh"):
        (folder / name).write_bytes(content.read())


@dataclass(frozen=True)
class Take:
    """One recording. `captions` is empty where nobody knows what it shows."""

    name: str
    aliases: tuple[str, ...]  # CMU lists some recordings under several subjects
    seconds: float
    captured_fps: float  # in the public release; its headers do not always tell
    description: str
    captions: tuple[str, ...]


@cache
def read_takes() -> tuple[Take, ...]:
    """All takes in the order of the table."""
    table = files("aesop.fables").joinpath("takes.tsv").read_text(encoding="utf-8")
    rows = csv.DictReader(table.splitlines(), delimiter="\t", quoting=csv.QUOTE_NONE)
    return tuple(_take(row) for row in rows)


def _take(row: dict[str, str]) -> Take:
    aliases = tuple(name for name in row["aliases"].split(",") if name)
    captions = tuple(row[key] for key in ("caption_a", "caption_b", "caption_c") if row[key])
    assert all(_NAME.fullmatch(name) for name in (row["take"], *aliases))
    return Take(
        name=row["take"],
        aliases=aliases,
        seconds=float(row["seconds"]),
        captured_fps=float(row["captured_fps"]),
        description=row["description"],
        captions=captions,
    )


def subject_of(take: str) -> str:
    """The performer's number, which is the first part of a take's name."""
    return take.split("_", 1)[0]


def split_of(take: str) -> SplitName:
    """The split of a take, by its performer."""
    subject = subject_of(take)
    if subject in TEST_SUBJECTS:
        return "test"
    return "validation" if subject in VALIDATION_SUBJECTS else "train"


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

SHORTEST_FRAMES = 36
# Quantiles of window length in frames: many short, median four seconds, a tail to twelve.
LENGTH_QUANTILES = (
    (0.0, 36.0), (0.1, 48.0), (0.25, 66.0), (0.5, 100.0), (0.75, 150.0), (0.9, 216.0),
    (0.97, 285.0), (1.0, 300.0),
)  # fmt: skip

# Candidates looked at for one window; the better it shows the caption, the likelier it is taken.
CANDIDATES = 5
# One that shows nothing of the caption keeps this chance beside one that shows all of it.
LEAST_CHANCE = 0.05

_BUSY_SHARE = 0.25  # of the score, beside the verbs
_SHOWN = 0.3  # a cue that never gets this strong in the whole take says nothing about its windows
_EVENT_S = 0.5  # of an event at full strength show all of it
_FEET = [JOINT[f"{side}_{part}"] for side in ("left", "right") for part in ("ankle", "foot")]
_WRISTS = [JOINT["left_wrist"], JOINT["right_wrist"]]
_ANKLES = [JOINT["left_ankle"], JOINT["right_ankle"]]

Joints = Float[np.ndarray, "frames 22 3"]
Curve = Float[np.ndarray, " frames"]
Score = Callable[[int, int], float]
Accept = Callable[[int, int], bool]


@dataclass(frozen=True)
class ImportedTake:
    """Where the clip of a take lies, how many good frames it has, or why none."""

    take: Take
    path: Path
    frames: int
    fault: str | None

    def clip(self) -> Clip:
        return read_clip(self.path)


def import_take(source: tuple[Take, Path], cache: Path) -> ImportedTake:
    """Import one take from its file; a take that cannot be used says why."""
    take, file = source
    path = cache / f"{take.name}.clip"
    try:
        if not path.exists():
            # The public release says 120 fps everywhere; the table knows the rate of the capture.
            public = bool(np.isclose(frame_rate(file), HEADER_FPS, rtol=0.01))
            clip = read_bvh_clip(file, fps=take.captured_fps if public else None)
            write_clip(replace(clip, name=take.name, source=None), path)
    except AesopError as refused:
        return ImportedTake(take, path, 0, f"not readable ({type(refused).__name__})")
    return screened(take, path)


def screened(take: Take, path: Path) -> ImportedTake:
    """A take whose clip lies at `path`, and whether it can be used."""
    try:
        clip = read_clip(path)
    except AesopError as refused:
        return ImportedTake(take, path, 0, f"not readable ({type(refused).__name__})")
    joints = clip.motion.joints.double().numpy()
    if has_wrong_rate(joints, take.description):
        return ImportedTake(take, path, 0, "cadence of a wrong frame rate")
    good = sum(stop - first for first, stop in spans(~glitches(joints)))
    return ImportedTake(take, path, good, None if good else "no stretch of good frames")


def glitches(joints: Joints) -> Bool[np.ndarray, " frames"]:
    """Frames at or near a jump of the hips or a limb faster than limbs are."""
    step = np.linalg.norm(np.diff(joints[:, 0], axis=0), axis=-1) * NATIVE_FPS
    around = joints - joints[:, :1]
    limb = np.linalg.norm(np.diff(around, axis=0), axis=-1).max(-1) * NATIVE_FPS
    bad = np.zeros(len(joints), dtype=bool)
    bad[1:] = (step > FASTEST_HIPS_MPS) | (limb > FASTEST_LIMB_MPS)
    spread = np.ones(2 * GLITCH_MARGIN_FRAMES + 1)
    return np.convolve(bad, spread, mode="same")[: len(bad)] > 0.5


def support(joints: Joints) -> Curve:
    """Height of what carries the body: the lowest joint within `SUPPORT_SECONDS` around a frame."""
    lowest = joints[..., 2].min(-1)
    half = round(SUPPORT_SECONDS * NATIVE_FPS / 2)
    padded = np.pad(lowest, half, mode="edge")
    return np.lib.stride_tricks.sliding_window_view(padded, 2 * half + 1).min(-1)


def planted_speed(joints: Joints) -> float:
    """Median horizontal speed in m/s of feet that are down; 0 where none ever is."""
    feet = joints[:, _FEET]
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


def fault_of_window(joints: Joints) -> str | None:
    """Why a window may not be shown to a network as human motion; None if it may."""
    if glitches(joints).any():
        return "jumps"
    if float(np.ptp(support(joints))) > HIGHEST_SUPPORT_M:
        return "carried by thin air"
    return "feet slide" if planted_speed(joints) > FASTEST_PLANTED_MPS else None


def has_wrong_rate(joints: Joints, description: str) -> bool:
    """Whether a plain walk goes at a cadence that no walk has."""
    words = description.lower()
    plain_walk = words.startswith(("walk", "slow walk", "neutral")) and "run" not in words
    travel = np.linalg.norm(joints[-1, 0, :2] - joints[0, 0, :2])
    if not plain_walk or len(joints) < 50 or travel < 2.0:
        return False
    return steps_per_second(joints) > FASTEST_WALK_STEPS_PER_S


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
    return [(first, stop) for first, stop in stretches(good) if stop - first >= SHORTEST_FRAMES]


def draw_windows(
    good: Bool[np.ndarray, " frames"],
    count: int,
    score: Score,
    accept: Accept,
    dice: np.random.Generator,
) -> list[TakeWindow]:
    """Up to `count` different windows of a take, half of them mirrored.

    `score` says in [0, 1] how much of the caption a window shows; `accept` screens it. Fewer come
    back where the take has no more.
    """
    usable = spans(good)
    windows: set[TakeWindow] = set()
    if not usable:
        return []
    longest = max(stop - first for first, stop in usable)
    for _ in range(4 * count):
        if len(windows) == count:
            break
        length = min(draw_length(dice), longest)
        room = np.array([max(0, stop - first - length + 1) for first, stop in usable])
        which = dice.choice(len(usable), size=CANDIDATES, p=room / room.sum())
        starts = [usable[at][0] + int(dice.integers(room[at])) for at in which]
        weights = np.array([LEAST_CHANCE + score(start, start + length) for start in starts])
        start = starts[int(dice.choice(CANDIDATES, p=weights / weights.sum()))]
        window = TakeWindow(start, start + length, bool(dice.integers(2)))
        if window not in windows and accept(window.start, window.stop):
            windows.add(window)
    return sorted(windows)


def _ramp(curve: Curve, none: float, full: float) -> Curve:
    """0 at `none`, 1 at `full`, straight between; `full` may be the smaller."""
    return np.clip((curve - none) / (full - none), 0.0, 1.0)


def _about_body(m: Measures, joints: list[int]) -> Curve:
    """Speed of the fastest of some joints against the pelvis."""
    against = m.joints[:, joints] - m.joints[:, :1]
    return (np.linalg.norm(np.gradient(against, axis=0), axis=-1) * NATIVE_FPS).max(1)


def _jumps(m: Measures) -> Curve:
    curve = np.zeros(m.frames)
    for first, stop in m.flights:
        curve[max(0, first - 6) : stop + 6] = 1.0
    return curve


def _lowers(m: Measures) -> Curve:
    return np.maximum(_ramp(m.pelvis_height, 0.8, 0.6), _ramp(m.uprightness, 0.8, 0.45))


def _kicks(m: Measures) -> Curve:
    height, speed = m.joints[:, _ANKLES, 2].max(1), _about_body(m, _ANKLES)
    return _ramp(height, 0.35, 0.6) * _ramp(speed, 1.0, 2.5)


@dataclass(frozen=True)
class _Cue:
    """Words of a caption, by their stems, and the frames that show what they say."""

    stems: str
    curve: Callable[[Measures], Curve]
    is_event: bool  # to show it once is enough; otherwise it should last

    def share_of(self, captions: Sequence[str]) -> float:
        """Share of the captions that say it."""
        saying = [text for text in captions if re.search(rf"\b(?:{self.stems})", text)]
        return len(saying) / len(captions)


_CUES = (
    _Cue(r"walk|strid|stroll|pac(?:e|ing)\b|ambl|march|wander|strut|limp|hobbl|creep|sneak|tiptoe|"
         r"trudg|lumber|toddl|shuffl|sidestep|saunter", lambda m: _ramp(m.speed, 0.2, 0.5), False),
    _Cue(r"run(?:s|ning)?\b|jog|sprint|dash|trot|rac(?:es|ing)|rush",
         lambda m: _ramp(m.speed, 1.2, 2.0), False),
    _Cue(r"jump|hop(?:s|ping)?\b|leap|spring|bound", _jumps, True),
    _Cue(r"turn(?!s? up)|spin|pivot|whirl|twirl|rotat|veer|curv|swerv",
         lambda m: _ramp(np.abs(np.gradient(m.yaw)) * NATIVE_FPS, 0.4, 1.2), True),
    _Cue(r"sit|seat|stool|chair|crouch|squat|kneel|bend|bow|stoop|duck|pick|crawl|lie|lying|lay|"
         r"roll|floor", _lowers, True),
    _Cue(r"kick", _kicks, True),
    _Cue(r"punch|box|jab|hit|strik|throw|swing|swat|slap|chop|club",
         lambda m: _ramp(_about_body(m, _WRISTS), 1.0, 2.5), True),
    _Cue(r"wav|gestur|signal|point|clap|direct|conduct|shak|wip|wash|scrub|sweep|stir|play|paint|"
         r"hammer|flap|write|scribbl", lambda m: _ramp(_about_body(m, _WRISTS), 0.2, 0.8), False),
    _Cue(r"reach|stretch|overhead|rais",
         lambda m: _ramp(m.wrists_above_shoulders.max(1), -0.15, 0.1), True),
    _Cue(r"motionless|still\b|stands? (?:still|in place|quiet)|wait|pos(?:e|es|ing)\b",
         lambda m: _ramp(m.joint_speed.mean(1), 0.25, 0.08), False),
)  # fmt: skip


@dataclass(frozen=True, eq=False)
class Evidence:
    """What every frame of a take shows of its captions; gathered once, asked for every window."""

    cues: tuple[tuple[_Cue, Curve, float], ...]  # with the share of the captions that say it
    busy: Curve

    def score(self, start: int, stop: int) -> float:
        """How much frames start … stop−1 show, in [0, 1]."""
        busy = float(self.busy[start:stop].mean())
        if not self.cues:
            return busy
        shown = 0.0
        for cue, curve, weight in self.cues:
            part = curve[start:stop]
            event = min(1.0, float(part.sum()) / (_EVENT_S * NATIVE_FPS))
            shown += weight * (event if cue.is_event else float(part.mean()))
        verbs = shown / sum(weight for _, _, weight in self.cues)
        return _BUSY_SHARE * busy + (1 - _BUSY_SHARE) * verbs


def evidence_of(joints: Joints, captions: Sequence[str]) -> Evidence:
    """How much a whole take at our rate shows of its captions. Their verbs are matched with what
    can be measured; where none can, the take's busiest part beats an idle beginning or end."""
    measures = measure(joints, yaw_from_joints(torch.from_numpy(joints)).numpy())
    weighed = [(cue, cue.curve(measures), cue.share_of(captions)) for cue in _CUES]
    cues = tuple(cue for cue in weighed if cue[2] > 0 and cue[1].max() > _SHOWN)
    activity = smoothed(measures.joint_speed.mean(1)[:, None], NATIVE_FPS / 2)[:, 0]
    busiest = max(float(np.percentile(activity, 95)), 1e-6)
    return Evidence(cues, np.clip(activity / busiest, 0.0, 1.0))
