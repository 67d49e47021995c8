"""The pictures of README.md, made anew with the weights that come with AESOP.

    python runs/pictures.py [--out docs/pictures] [--weights FOLDER]

The demo's motion and words with seed 0; among seeds, nothing is picked.
"""

import argparse
import os
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

# Read when torch starts its threads: threads that spin while waiting slow each other down.
os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")

from acts import draw_acted
from aesop.director.director import Director, load_director
from aesop.preview.sheets import contact_sheet, write_picture
from sample_films import Film, Plan, film_all, write_sheets

ROOT = Path(__file__).resolve().parents[1]


def main(args: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--out", type=Path, default=ROOT / "docs" / "pictures")
    parser.add_argument("--weights", type=Path, help="other weights than those that came along")
    told = parser.parse_args(args)
    for path in draw_pictures(load_director(told.weights), told.out):
        sys.stdout.write(f"{path}\n")


def draw_pictures(director: Director, folder: Path, plan: Plan | None = None) -> list[Path]:
    """Film and draw; returns what was written."""
    plan = plan or Plan(sheet_px=1080)
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as scratch:
        films = film_all(director, Path(scratch) / "sample.bvh", plan)
    return [
        _poster(films, folder / "poster.jpg", plan),
        *write_sheets(films, folder, ".jpg", plan),
        draw_acted(director, folder / "acted.jpg"),
    ]


def _poster(films: Sequence[Film], path: Path, plan: Plan) -> Path:
    """The first sentence at intensity 1, large."""
    first = next(film.shot for film in films if film.shot.intensity == 1.0)
    write_picture(contact_sheet(first, plan.sheet_px), path)
    return path


if __name__ == "__main__":
    main()
