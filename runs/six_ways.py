"""A walk, a run and a dance, each filmed six ways: the first picture of README.md.

    python runs/six_ways.py CMU_BVH [--out docs/pictures/six_ways.jpg]

The takes are those of test performers, which no network was trained on. No seed is named, the first
answer to every sentence is shown, and nothing was picked.
"""

import argparse
import os
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

# Read when torch starts its threads: threads that spin while waiting slow each other down.
os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")

from aesop.cli.terminal import progress_bar
from aesop.director.director import load_director
from aesop.files.motion_files import read_motion
from aesop.preview.sheets import grid_sheet, write_picture
from aesop.scene.human import NATIVE_FPS, Clip, cut
from aesop.scene.shot import Shot

ROOT = Path(__file__).resolve().parents[1]
# Take, and the seconds of it that are filmed: a walk with an about-turn, a run in a loop, a dance.
MOTIONS = (("77_28", 10.0, 17.8), ("143_04", 8.2, 15.8), ("143_35", 7.4, 15.0))
SENTENCES = (
    "the camera follows from behind",
    "a low-angle close-up, slowly pushing in",
    "a half orbit around the person to the left",
    "from a wide shot to a medium shot",
    "a bird's-eye view",
    "handheld, in profile from the left",
)
CELL_PX = 240


def motion(folder: Path, take: str, start_s: float, stop_s: float) -> Clip:
    clip = read_motion(folder / f"{take}.bvh")
    part = cut(clip, round(start_s * NATIVE_FPS), round(stop_s * NATIVE_FPS))
    return replace(part, name=take)


def main(args: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("takes", type=Path, help="folder of CMU takes as BVH")
    parser.add_argument("--out", type=Path, default=ROOT / "docs" / "pictures" / "six_ways.jpg")
    asked = parser.parse_args(args)
    clips = [motion(asked.takes, *it) for it in MOTIONS]
    asked_for = [(clip, words) for clip in clips for words in SENTENCES]
    director, films = load_director(), list[Shot]()
    with progress_bar("filming") as progress:
        for done, (clip, words) in enumerate(asked_for, 1):
            films.append(director.film(clip, words))
            progress(done, len(asked_for))
    write_picture(grid_sheet(films, len(SENTENCES), CELL_PX), asked.out)
    sys.stdout.write(f"{asked.out}\n")


if __name__ == "__main__":
    main()
