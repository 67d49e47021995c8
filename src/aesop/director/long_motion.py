"""Motion longer than one pass: overlapping windows that begin with what the one before filmed."""

from collections.abc import Sequence
from dataclasses import replace

import torch
from jaxtyping import Float
from torch import Tensor

from aesop.director.decoding import Decoding
from aesop.director.sampling import (
    CameraCondition,
    HeldTokens,
    NearPath,
    Person,
    encode_people,
    film_people,
    known_latents,
    tokens_of,
    with_near,
)
from aesop.director.trained_parts import Parts
from aesop.flow.solvers import Preset
from aesop.models.codec import STRIDE
from aesop.models.fitted_steps import FittedSteps
from aesop.scene.camera import CameraPath
from aesop.scene.human import MAX_FRAMES, Clip, cut, shifted
from aesop.scene.rotation import slerp
from aesop.scene.shot import Placement, canonical, canonical_camera, place_camera

OVERLAP_FRAMES = 96
FIRM_SHARE = 0.5  # of the overlap's tokens are kept exactly
FADE_FRAMES = (8, 56)  # of a window: from all old to all new


def windows_of(frames: int) -> tuple[range, ...]:
    """As few windows as cover the frames with at least nearly the whole overlap, evenly spread.
    Each starts with a token."""
    if frames <= MAX_FRAMES:
        return (range(frames),)
    more = -(-(frames - MAX_FRAMES) // (MAX_FRAMES - OVERLAP_FRAMES))
    last = -(-(frames - MAX_FRAMES) // STRIDE)  # in tokens, so that the clip's end is reached
    starts = [STRIDE * -(-last * number // more) for number in range(more + 1)]
    return tuple(range(start, min(start + MAX_FRAMES, frames)) for start in starts)


def held_share(tokens: int) -> Float[Tensor, " tokens"]:
    """How firmly each token of an overlap is kept: 1, then falling to nearly 0."""
    firm = int(FIRM_SHARE * tokens)
    falling = torch.linspace(1, 0, tokens - firm + 2)[1:-1]
    return torch.cat([torch.ones(firm), falling])


def fade(frames: int) -> Float[Tensor, " frames"]:
    """Share of the new window in each frame of an overlap: 0, a smooth rise, 1. Overlaps that are
    shorter than usual have no more room than their share of it."""
    first, last = (edge * min(1.0, frames / OVERLAP_FRAMES) for edge in FADE_FRAMES)
    rise = ((torch.arange(frames).double() - first) / (last - first)).clamp(0, 1)
    return rise * rise * (3 - 2 * rise)


def joined(before: CameraPath, after: CameraPath, start: int) -> CameraPath:
    """One path from two in the same frame; `after` begins at frame `start` of `before`."""
    overlap = before.frames - start
    share = fade(overlap)
    seam = slice(start, before.frames)
    turns = slerp(before.world_from_camera[seam], after.world_from_camera[:overlap], share)
    centre = torch.lerp(before.centre[seam], after.centre[:overlap], share[:, None])
    fov = torch.lerp(before.fov_vertical[seam], after.fov_vertical[:overlap], share)
    return CameraPath(
        torch.cat([before.world_from_camera[:start], turns, after.world_from_camera[overlap:]]),
        torch.cat([before.centre[:start], centre, after.centre[overlap:]]),
        torch.cat([before.fov_vertical[:start], fov, after.fov_vertical[overlap:]]),
        before.aspect,
    )


def grounded_start(clip: Clip, *, keeps_yaw: bool = False) -> tuple[Clip, Placement]:
    """The clip from the canonical start on the ground in float64, and what undoes it."""
    motion = clip.motion.to(torch.float64)
    lowest = motion.joints[..., 2].min() * motion.joints.new_tensor([0.0, 0.0, 1.0])
    grounded = replace(clip, motion=shifted(motion, -lowest))
    start, placement = canonical(grounded, keeps_yaw=keeps_yaw)
    return start, replace(placement, offset=placement.offset + lowest)


class LongFilm:
    """One clip on its way through its windows."""

    def __init__(self, clip: Clip, condition: CameraCondition, *, keeps_yaw: bool = False) -> None:
        self.source = clip
        self.clip, self._placement = grounded_start(clip, keeps_yaw=keeps_yaw)
        self._keeps_yaw = keeps_yaw
        self._condition = condition
        self.windows = condition.windows or windows_of(clip.frames)
        self._path: CameraPath | None = None

    def window(self, number: int) -> tuple[Clip, Placement]:
        """The motion in a window from its own canonical start."""
        window = self.windows[number]
        return canonical(cut(self.clip, window.start, window.stop), keeps_yaw=self._keeps_yaw)

    def condition(self, parts: Parts, number: int) -> CameraCondition:
        """The condition of a window: its part of the noise, and what is filmed of it already."""
        window, path = self.windows[number], self._path
        first = window.start // STRIDE
        noise = self._condition.noise[first : first + tokens_of(len(window))]
        words = self._condition.window_words
        asked = replace(self._condition, words=words[number]) if words else self._condition
        asked = replace(asked, noise=noise)
        clip, placement = self.window(number)
        if path is not None:
            filmed = path.part(slice(window.start, None))
            root = clip.motion.root[: filmed.frames]
            latents = known_latents(parts, canonical_camera(filmed, placement), root)
            known = HeldTokens(latents, held_share(len(latents))[:, None])
            asked = replace(asked, known=known)
        if (near := self._condition.near) is None:
            return asked
        here = canonical_camera(near.camera.to(torch.float64), self._placement)
        here = canonical_camera(here.part(slice(window.start, window.stop)), placement)
        share = near.share[first : first + len(noise)]
        return with_near(parts, asked, NearPath(here, share), clip.motion.root)

    def add(self, camera: CameraPath, number: int) -> None:
        """Join the camera of a window, given in the window's frame, to what there is."""
        placed = place_camera(camera, self.window(number)[1])
        before, start = self._path, self.windows[number].start
        self._path = placed if before is None else joined(before, placed, start)

    @property
    def camera(self) -> CameraPath:
        """The whole path where the clip stands, in the clip's own precision."""
        assert self._path is not None and self._path.frames == self.clip.frames
        return place_camera(self._path, self._placement)


def _people(parts: Parts, films: Sequence[LongFilm], number: int) -> list[Person]:
    """Whom the n-th windows show. Takes of one motion show the same person, read once; films in
    steps have windows of their own, in which the same motion is another person."""
    shown = [(id(film.source), film.windows[number]) for film in films]
    first = dict(zip(reversed(shown), reversed(films), strict=True))
    encoded = encode_people(parts, [it.window(number)[0].motion for it in first.values()])
    of_window = dict(zip(first, encoded, strict=True))
    return [of_window[it] for it in shown]


def film_clips(
    parts: Parts,
    clips: Sequence[Clip],
    conditions: Sequence[CameraCondition],
    way: Preset | FittedSteps,
    decoding: Decoding = "consistent",
) -> list[CameraPath]:
    """Cameras for clips of any length, the n-th windows of all of them together."""
    films = [
        LongFilm(clip, camera, keeps_yaw=parts.keeps_yaw)
        for clip, camera in zip(clips, conditions, strict=True)
    ]
    for number in range(max(len(film.windows) for film in films)):
        going = [film for film in films if number < len(film.windows)]
        people = _people(parts, going, number)
        asked = [film.condition(parts, number) for film in going]
        cameras = film_people(parts, people, asked, way, decoding)
        for film, camera in zip(going, cameras, strict=True):
            film.add(camera, number)
    return [film.camera for film in films]
