"""`make demo`: a motion filmed three ways at three intensities and by two film terms, and a scene
from words alone.

    python runs/demo.py [--out demo]

Offline, with the weights that come with AESOP. Paths of what was written go to stdout; what every
camera did stands beside its words on stderr.
"""

import argparse
import os
import sys
import time
from collections.abc import Sequence
from pathlib import Path

# Read when torch starts its threads: threads that spin while waiting slow each other down.
os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")

from tqdm import tqdm

from aesop.core.errors import AesopError
from aesop.director.director import Director, load_director
from aesop.export.export_files import write_export
from aesop.metrics.motion_metrics import made_line
from aesop.preview.video import write_video
from sample_films import SAMPLE, Film, Plan, film_all, write_sheets


def main(args: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--out", type=Path, default=Path("demo"), help="folder for the files")
    parser.add_argument("--weights", type=Path, help="other weights than those that came along")
    told = parser.parse_args(args)
    start = time.perf_counter()
    try:
        paths = demonstrate(load_director(told.weights), told.out)
    except AesopError as error:
        sys.exit(f"demo: {error}")
    for path in paths:
        sys.stdout.write(f"{path}\n")
    say(f"{time.perf_counter() - start:.0f} s after loading Python's libraries")


def demonstrate(director: Director, folder: Path, plan: Plan | None = None) -> list[Path]:
    """Film, shoot, write; returns what was written."""
    plan = plan or Plan()
    folder.mkdir(parents=True, exist_ok=True)
    motion = folder / f"{SAMPLE}.bvh"
    films = film_all(director, motion, plan)
    _tell(films)
    return [motion, *write_sheets(films, folder, ".png", plan), *_written(films, folder, plan)]


def _tell(films: Sequence[Film]) -> None:
    """What was asked, and what the camera did."""
    for film in films:
        shot = film.shot
        say(f"{shot.camera_words} (intensity {shot.intensity:g}): {made_line(shot)}")


def _written(films: Sequence[Film], folder: Path, plan: Plan) -> list[Path]:
    """The shot, a video and a glTF file of each."""
    paths: list[Path] = []
    for film in tqdm(films, desc="writing", disable=None, file=sys.stderr):
        shot, video, gltf = (folder / f"{film.name}{end}" for end in (".shot", ".mp4", ".glb"))
        write_export(film.shot, shot)
        write_video(film.shot, video, width=plan.video_px)
        write_export(film.shot, gltf)
        paths += [shot, video, gltf]
    return paths


def say(text: str) -> None:
    sys.stderr.write(f"{text}\n")


if __name__ == "__main__":
    main()
