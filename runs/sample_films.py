"""The demo's motion and words, filmed, and pages of them: for `demo.py` and `pictures.py`."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from aesop.cli.terminal import progress_bar
from aesop.director.director import Director
from aesop.director.requests import FilmRequest
from aesop.fables.synthetic import synthetic_motion
from aesop.files.motion_files import read_motion, write_motion
from aesop.pages.figures import Strip, storyboard
from aesop.preview.sheets import grid_sheet, write_picture
from aesop.scene.human import NATIVE_FPS
from aesop.scene.shot import Shot

SENTENCES = {
    "push_in": "The camera pushes in on the person.",
    "truck_left": "The camera trucks to the left, keeping the person in frame.",
    "pull_out": "The camera pulls out.",
}
# Film terms, which say how a picture looks rather than how far the camera goes: filmed once.
TERMS = {
    "low_close_up": "A low-angle close-up, handheld.",
    "half_orbit": "From a wide shot, a half orbit to the left.",
}
INTENSITIES = (0.5, 1.0, 1.5)
SCENE = ("a person throws a ball", "The camera arcs around the person to the right.")
SAMPLE = "wave"  # one of our own making


@dataclass(frozen=True)
class Plan:
    """How long and how large; tests make it small."""

    seconds: float = 4.0
    video_px: int = 640
    sheet_px: int = 1280


@dataclass(frozen=True, eq=False)
class Film:
    """A shot and the name that its files have."""

    name: str
    shot: Shot


def film_all(director: Director, motion: Path, plan: Plan) -> list[Film]:
    """Every sentence at every intensity with the same noise, film terms once, then the scene. The
    sample motion is written and read back, as a user's would be."""
    made = synthetic_motion(SAMPLE, round(plan.seconds * NATIVE_FPS), np.random.default_rng(1))
    write_motion(made.clip, motion)
    clip = read_motion(motion)
    asked = [(name, a) for name in SENTENCES for a in INTENSITIES]
    requests = [FilmRequest(clip, SENTENCES[name], intensity=a) for name, a in asked]
    requests += [FilmRequest(clip, words) for words in TERMS.values()]
    with progress_bar("filming") as progress:
        shots = director.film_many(requests, progress=progress)
    scene = director.shoot(*SCENE, seconds=plan.seconds)
    names = [*(f"{name}_{a:g}" for name, a in asked), *TERMS]
    films = [
        Film(name, replace(shot, human_words=made.captions[0]))
        for name, shot in zip(names, shots, strict=True)
    ]
    return [*films, Film("from_words", scene)]


def write_sheets(films: Sequence[Film], folder: Path, suffix: str, plan: Plan) -> list[Path]:
    """One page of all sentences, one of all intensities."""
    paths = [folder / f"sheet{suffix}", folder / f"intensity{suffix}"]
    usual = [film.shot for film in films if film.shot.intensity == 1.0]
    strips = [Strip(f"{shot.human_words}: {shot.camera_words}", shot) for shot in usual]
    write_picture(storyboard(strips, width=plan.sheet_px), paths[0])
    others = {"from_words", *TERMS}
    cells = [_with_intensity(film.shot) for film in films if film.name not in others]
    page = grid_sheet(cells, len(INTENSITIES), plan.sheet_px // 3)
    write_picture(page, paths[1])
    return paths


def _with_intensity(shot: Shot) -> Shot:
    told = f"Intensity {shot.intensity:g}: {float(shot.camera.travel):.2f} m. {shot.camera_words}"
    return replace(shot, camera_words=told)
