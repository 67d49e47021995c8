"""Motions that come with the studio: made by our own code, so that nobody's licence is touched."""

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from aesop.fables.synthetic import synthetic_motion
from aesop.files.motion_files import write_motion
from aesop.scene.human import NATIVE_FPS, Clip
from aesop.server.job_requests import HttpError

SEED = 1
_SHOWN_FPS = 12.5  # of the little pictures


@dataclass(frozen=True)
class GalleryMotion:
    """One motion of the gallery."""

    name: str
    label: str
    seconds: float

    def clip(self) -> Clip:
        frames = round(self.seconds * NATIVE_FPS)
        return synthetic_motion(self.name, frames, np.random.default_rng(SEED)).clip


GALLERY = (
    GalleryMotion("walk", "Walk", 6.0),
    GalleryMotion("walk_curve", "Walk a curve", 8.0),
    GalleryMotion("wave", "Wave", 5.0),
    GalleryMotion("turn", "Turn around", 5.0),
    GalleryMotion("jump", "Jump", 4.0),
    GalleryMotion("sit", "Sit down", 5.0),
    GalleryMotion("walk_back", "Walk backwards", 6.0),
    GalleryMotion("stand", "Stand", 6.0),
)


def gallery_motion(name: str) -> GalleryMotion:
    for one in GALLERY:
        if one.name == name:
            return one
    known = ", ".join(one.name for one in GALLERY)
    raise HttpError(404, f"The gallery has no motion {name[:40]!r}.", f"It has: {known}.")


def write_gallery_motion(one: GalleryMotion, path: Path) -> None:
    """As a BVH file, which is read back as a user's would be."""
    write_motion(one.clip(), path)


def little_picture(one: GalleryMotion) -> list[list[list[int]]]:
    """Joints in centimetres, every other frame: the page draws a stick figure that moves."""
    step = round(NATIVE_FPS / _SHOWN_FPS)
    return (one.clip().motion.joints[::step].numpy() * 100).round().astype(int).tolist()
