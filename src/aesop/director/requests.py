"""What a user asks for, what is refused before any work is spent on it, and the seed of a request
that names none."""

import hashlib
import logging
import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from numbers import Integral, Real
from typing import get_args

from aesop.core.errors import AesopError, ClipError
from aesop.director.intensity_words import extent_in
from aesop.flow.few_steps import FITTED_GUIDANCES
from aesop.flow.solvers import PresetName
from aesop.scene.camera_keys import CameraKeys
from aesop.scene.human import MAX_FRAMES, NATIVE_FPS, Clip, HumanMotion
from aesop.scene.intensity_curve import Intensity, IntensityCurve, curve_of, plain_intensity
from aesop.scene.picture_format import PictureFormat
from aesop.scene.shot import SHORTEST_SECONDS, canonical, require_filmable
from aesop.scene.skeleton import JOINT
from aesop.text.encoder import refuse_unreadable

log = logging.getLogger(__name__)

GUIDANCE = 1.5
# People follow their words this hard; the paper's is 1 (chosen in docs/director.md).
HUMAN_GUIDANCE = 4.0
PAPER_HUMAN_GUIDANCE = 1.0
LARGEST_GUIDANCE = 20.0
# Takes of one request are held in memory together, and nobody looks through more of them.
LARGEST_TAKES = 1000
LONGEST_SECONDS = MAX_FRAMES / NATIVE_FPS
# Intensities that training covered well, and those it covered at all.
USUAL_INTENSITIES = (0.5, 1.5)
LIMIT_INTENSITIES = (0.0, 2.0)
SWEEP = tuple(round(0.5 + 0.1 * step, 1) for step in range(11))
SAME_LENS_RAD = math.radians(0.3)
# Seeds that a person can read from a shot's notes and type again.
OWN_SEEDS = 1_000_000
# Few numbers, coarsely rounded: arithmetic that differs in its last digits, or a motion that was
# turned and moved, meets an edge between two roundings once in thousands of motions.
_STEP_M = 0.1
_JOINTS = (JOINT["pelvis"], JOINT["left_wrist"], JOINT["right_wrist"])


class RequestError(AesopError):
    """A request that cannot be met as it was made."""


@dataclass(frozen=True, eq=False)
class FilmRequest:
    """A camera for a given motion. Takes of one seed differ in their noise only. Without a seed the
    noise belongs to motion and words; without a take the director may choose one."""

    clip: Clip
    camera_words: str
    intensity: Intensity = 1.0
    seed: int | None = None
    take: int | None = None
    guidance: float = GUIDANCE
    keys: CameraKeys | None = None  # cameras that the path has to meet

    def __post_init__(self) -> None:
        # A curve that stays at one value is asked for as that value: the same shot to the bit.
        object.__setattr__(self, "intensity", plain_intensity(self.intensity))

    @property
    def frames(self) -> int:
        return self.clip.frames

    @cached_property
    def noise_seed(self) -> int:
        """The seed of the camera's noise."""
        return seed_of_motion(self.clip, self.camera_words) if self.seed is None else self.seed

    def check(self, shortest_seconds: float = SHORTEST_SECONDS) -> None:
        check_words(self.camera_words, "camera")
        check_intensity(self.intensity)
        check_seed(self.seed, self.take)
        check_guidance(self.guidance)
        check_clip(self.clip, shortest_seconds)
        if self.keys is not None:
            self.keys.check(self.clip.frames, self.clip.fps)


@dataclass(frozen=True)
class ActRequest:
    """A person who does what the words say. Without a take the director may choose one."""

    human_words: str
    seconds: float
    seed: int | None = None
    take: int | None = None
    human_guidance: float = HUMAN_GUIDANCE

    @property
    def frames(self) -> int:
        return round(self.seconds * NATIVE_FPS)

    @property
    def noise_seed(self) -> int:
        """The seed of the person's noise."""
        return seed_of_words(self.human_words, self.frames) if self.seed is None else self.seed

    def check(self, shortest_seconds: float = SHORTEST_SECONDS) -> None:
        check_words(self.human_words, "human")
        check_seed(self.seed, self.take)
        check_guidance(self.human_guidance, HUMAN_GUIDANCE)
        check_seconds(self.seconds, shortest_seconds)


@dataclass(frozen=True)
class ShootRequest:
    """A person and a camera. Seed, human words, length and human guidance alone decide the person;
    takes, guidance, intensity and camera seed (the same seed if not given) are the camera's.
    Without any seed the person's noise belongs to the human words, the camera's to both."""

    human_words: str
    camera_words: str
    seconds: float
    intensity: Intensity = 1.0
    seed: int | None = None
    camera_seed: int | None = None
    take: int | None = None
    guidance: float = GUIDANCE
    human_guidance: float = HUMAN_GUIDANCE
    keys: CameraKeys | None = None  # in the world of the person who is made

    def __post_init__(self) -> None:
        object.__setattr__(self, "intensity", plain_intensity(self.intensity))

    @property
    def acted(self) -> ActRequest:
        """The part of the request that concerns the person."""
        return ActRequest(
            self.human_words, self.seconds, self.seed, human_guidance=self.human_guidance
        )

    @property
    def frames(self) -> int:
        return round(self.seconds * NATIVE_FPS)

    @property
    def noise_seed(self) -> int:
        """The seed of the camera's noise."""
        seed = self.seed if self.camera_seed is None else self.camera_seed
        return seed_of_words(self.human_words, self.camera_words) if seed is None else seed

    def check(self, shortest_seconds: float = SHORTEST_SECONDS) -> None:
        self.acted.check(shortest_seconds)
        check_words(self.camera_words, "camera")
        check_intensity(self.intensity)
        check_seed(self.camera_seed, self.take)
        check_guidance(self.guidance)
        if self.keys is not None:
            self.keys.check(self.frames, NATIVE_FPS)


def seed_of_words(*words: str | int) -> int:
    """A seed for words (and lengths), the same everywhere."""
    text = "\n".join(str(word) for word in words)
    digest = hashlib.blake2b(text.encode(), digest_size=8).digest()
    return int.from_bytes(digest, "big") % OWN_SEEDS


def seed_of_motion(clip: Clip, words: str) -> int:
    """A seed for words about a motion, wherever it stands and whichever way it faces."""
    motion = HumanMotion(clip.motion.rotations.double(), clip.motion.joints.double())
    joints = canonical(Clip(motion, clip.fps, clip.name, clip.provenance))[0].motion.joints
    joints[..., 2] -= joints[..., 2].min()
    instants = [clip.frames // 2, clip.frames - 1]
    places = (joints[instants][:, list(_JOINTS)] / _STEP_M).round().long()
    return seed_of_words(words, clip.frames, *places.flatten().tolist())


def take_numbers(takes: int) -> range:
    """Take numbers from 0."""
    if takes < 1:
        raise RequestError(f"{takes} takes cannot be made.", "Ask for one or more.")
    if takes > LARGEST_TAKES:
        raise RequestError(
            f"{takes} takes of one request are too many.",
            f"Ask for {LARGEST_TAKES} or fewer; for more, use several seeds.",
        )
    return range(takes)


# How long a motion is where nobody says it; the commands have the same.
USUAL_SECONDS = 6.0


def check_seconds(seconds: float, shortest_seconds: float = SHORTEST_SECONDS) -> None:
    """Refuse a length that no new motion can have."""
    if not math.isfinite(seconds) or not shortest_seconds <= seconds <= LONGEST_SECONDS:
        raise RequestError(
            f"A motion of {seconds:g} s cannot be made.",
            f"Ask for {shortest_seconds:g} to {LONGEST_SECONDS:g} seconds.",
        )


def check_words(words: str, whose: str) -> None:
    refuse_unreadable([words])
    if not any(sign.isalnum() for sign in words):
        raise RequestError(
            f"The {whose} words {words!r} say nothing.", "Say what should happen in a sentence."
        )


def values_of_intensity(intensity: Intensity) -> tuple[float, ...]:
    """The number, or those at the points of a curve; between them it stays between them."""
    return intensity.values if isinstance(intensity, IntensityCurve) else (intensity,)


def check_intensity(intensity: Intensity) -> None:
    low, high = LIMIT_INTENSITIES
    for value in values_of_intensity(intensity):
        if not isinstance(value, Real):
            raise RequestError(
                f"The intensity {value!r} is no number.",
                'Give a number such as 1.3, or a curve as text, such as "0:0.6 2.5:1.5".',
            )
        if not math.isfinite(value) or not low < value < high:
            raise RequestError(
                f"The intensity {value:g} is not between {low:g} and {high:g}.",
                "Choose 1 for the usual camera travel, less for less, more for more.",
            )


def check_sweep(intensities: Sequence[float]) -> None:
    """Refuse a sweep that would film one shot twice."""
    for at, intensity in enumerate(intensities):
        if intensity in intensities[:at]:
            raise RequestError(
                f"The sweep has the intensity {intensity:g} more than once.",
                "Give every intensity once.",
            )


def warn_of_unusual_intensities(
    requests: Sequence[FilmRequest | ActRequest | ShootRequest],
) -> None:
    """Warn of every intensity that was seldom learned from, and of what cannot be heard of it,
    once, however many ask for it."""
    for words in sorted({words for one in requests if (words := _fixed_words(one))}):
        log.warning("%r says how far the camera goes; an intensity does not change that", words)
    low, high = USUAL_INTENSITIES
    cameras = [one for one in requests if not isinstance(one, ActRequest)]
    asked = {value for one in cameras for value in values_of_intensity(one.intensity)}
    for intensity in sorted(intensity for intensity in asked if not low <= intensity <= high):
        text = "intensity %g lies outside %g to %g, where few examples were seen"
        log.warning(text, intensity, low, high)
    for late in sorted({text for one in cameras if (text := _too_late(one))}):
        log.warning("%s", late)


def _too_late(request: FilmRequest | ShootRequest) -> str | None:
    """What to say of a curve that goes on after the last frame of its shot."""
    curve, seconds = curve_of(request.intensity), request.frames / NATIVE_FPS
    if curve is None or curve.seconds[-1] <= seconds:
        return None
    return f"the curve {curve.text!r} goes on after the end of the shot, {seconds:g} s"


def _fixed_words(request: "FilmRequest | ActRequest | ShootRequest") -> str | None:
    """Camera words that say how far, beside an intensity that says it otherwise."""
    if isinstance(request, ActRequest) or request.intensity == 1:
        return None
    return request.camera_words if extent_in(request.camera_words) else None


def check_seed(seed: int | None, take: int | None) -> None:
    for name, number in (("seed", seed), ("take", take)):
        if number is not None and not isinstance(number, Integral):
            raise RequestError(f"The {name} {number!r} is no whole number.", "Count from 0.")
        if number is not None and number < 0:
            raise RequestError(f"The {name} {number} is negative.", "Count from 0.")


def check_guidance(guidance: float, usual: float = GUIDANCE) -> None:
    if not math.isfinite(guidance) or not 0 <= guidance <= LARGEST_GUIDANCE:
        raise RequestError(
            f"The guidance {guidance:g} is not between 0 and {LARGEST_GUIDANCE:g}.",
            f"Choose 1 to follow the words as learned; {usual:g} is the default.",
        )


def check_kept_lens(keys: CameraKeys | None, picture: PictureFormat) -> None:
    """A part that is kept has its lens: no other can be chosen for the whole."""
    if keys is None or picture.lens_mm is None:
        return
    for part in keys.kept:
        lens = picture.framed(part.camera).fov_vertical
        if float((lens - part.camera.fov_vertical).abs().max()) > SAME_LENS_RAD:
            raise RequestError(
                f"A lens of {picture.lens_mm:g} mm is asked for, and the part that is kept has "
                "another.",
                "Leave the lens away, or keep nothing.",
            )


def check_preset(preset: str) -> None:
    if preset not in get_args(PresetName):
        known = ", ".join(get_args(PresetName))
        raise RequestError(f"There is no preset {preset!r}.", f"Choose one of: {known}.")


def is_fitted_guidance(guidance: float, fitted: tuple[float, float] = FITTED_GUIDANCES) -> bool:
    """Whether few steps, of a camera flow if not told, were fitted to guidance like that."""
    low, high = fitted
    return low <= guidance <= high


def check_fitted_guidance(guidance: float, fitted: tuple[float, float] = FITTED_GUIDANCES) -> None:
    if not is_fitted_guidance(guidance, fitted):
        low, high = fitted
        raise RequestError(
            f"The preset instant takes guidance from {low:g} to {high:g}, not {guidance:g}.",
            "Use the preset fast, or another guidance.",
        )


def check_clip(clip: Clip, shortest_seconds: float = SHORTEST_SECONDS) -> None:
    motion = clip.motion
    if clip.frames == 0:
        raise ClipError(f"{clip.name} has no frames.", "Give a motion.")
    if not bool(motion.joints.isfinite().all() and motion.rotations.isfinite().all()):
        raise ClipError(f"{clip.name} holds numbers that are not finite.", "Mend the motion.")
    if clip.fps != NATIVE_FPS:
        raise ClipError(
            f"{clip.name} runs at {clip.fps:g} frames per second; AESOP films {NATIVE_FPS:g}.",
            "Convert its original (BVH, AMASS, HumanML3D) with AESOP, which resamples it.",
        )
    require_filmable(clip, shortest_seconds)
