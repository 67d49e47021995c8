"""The same twelve requests under every preset: the picture of docs/instant.md.

    python runs/presets.py [--out docs/pictures/presets.jpg] [--weights FOLDER]

People of our own making, one sentence and one noise each; first takes as the paper decodes them, so
that nothing but sampling differs. Six requests a row; three rows of them under `reference`, `fast`
and `instant`, then the other six.
"""

import argparse
import os
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

# Read when torch starts its threads: threads that spin while waiting slow each other down.
os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")

import numpy as np

from aesop.director.director import Director, load_director
from aesop.director.requests import FilmRequest
from aesop.fables.synthetic import synthetic_motion
from aesop.flow.solvers import PresetName
from aesop.preview.sheets import grid_sheet, write_picture
from aesop.scene.human import NATIVE_FPS
from aesop.scene.shot import Shot

ROOT = Path(__file__).resolve().parents[1]
REQUESTS: tuple[tuple[str, str], ...] = (
    ("walk", "the camera pushes in"),
    ("walk", "the camera pulls out"),
    ("walk", "the camera follows from behind"),
    ("wave", "the camera trucks left"),
    ("wave", "the camera booms up"),
    ("wave", "the camera arcs around the person to the right"),
    ("turn", "a low-angle close-up"),
    ("turn", "the camera does not move"),
    ("turn", "handheld, a medium shot"),
    ("walk_curve", "the camera trucks right with the person"),
    ("walk_curve", "a wide shot from above"),
    ("walk_curve", "the camera leads the person"),
)
PRESETS: tuple[PresetName, ...] = ("reference", "fast", "instant")


@dataclass(frozen=True)
class PresetsPlan:
    """How long and how large; tests make it small."""

    seconds: float = 5.0
    cell_px: int = 230
    columns: int = 6
    requests: int = len(REQUESTS)


def main(args: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--out", type=Path, default=ROOT / "docs" / "pictures" / "presets.jpg")
    parser.add_argument("--weights", type=Path, help="other weights than those that came along")
    asked = parser.parse_args(args)
    sys.stdout.write(f"{draw_presets(load_director(asked.weights), asked.out)}\n")


def draw_presets(director: Director, out: Path, plan: PresetsPlan | None = None) -> Path:
    plan = plan or PresetsPlan()
    frames = round(plan.seconds * NATIVE_FPS)
    requests = [
        FilmRequest(synthetic_motion(name, frames, np.random.default_rng(7)).clip, words, take=0)
        for name, words in REQUESTS[: plan.requests]
    ]
    films = [director.film_many(requests, preset, finish="held") for preset in PRESETS]
    rows: list[Shot] = []
    for first in range(0, len(requests), plan.columns):
        for shots in films:
            rows += shots[first : first + plan.columns]
    write_picture(grid_sheet(rows, min(plan.columns, len(requests)), plan.cell_px), out)
    return out


if __name__ == "__main__":
    main()
