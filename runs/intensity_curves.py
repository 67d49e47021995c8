"""The pictures of docs/intensity.md, made anew with the weights that come with AESOP.

    python runs/intensity_curves.py [--out docs/pictures] [--weights FOLDER]
        [--measured results/curves/hand_validation.jsonl]

The demo's motion and its first sentence with the noise of motion and words: at intensity 1, and
with curves. The figure shows what the curve asks for and what the camera does; with a file of
`aesop measure curves`, also the ways of all segments that were measured.
"""

import argparse
import json
import os
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

# Read when torch starts its threads: threads that spin while waiting slow each other down.
os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")

import numpy as np
import torch
from jaxtyping import Float64

from aesop.director.director import Director, load_director
from aesop.director.requests import FilmRequest
from aesop.fables.synthetic import synthetic_motion
from aesop.measuring.curve_response import MOVING_M, CurveFilm
from aesop.measuring.runs import restored
from aesop.pages.figures import Panel, Series, Strip, storyboard, write_charts
from aesop.preview.sheets import write_picture
from aesop.scene.human import NATIVE_FPS
from aesop.scene.intensity_curve import IntensityCurve
from aesop.scene.picture_format import PictureFormat
from aesop.scene.shot import Shot
from sample_films import SAMPLE, SENTENCES

ROOT = Path(__file__).resolve().parents[1]
CURVES = ("0:0.5 2:0.5 3:1.5", "0:1.5 2:1.5 3:0.5", "0:1 1.2:1 1.8:0.4 3.2:0.4 3.8:1.5")
BINS = np.linspace(0.5, 1.5, 11)


@dataclass(frozen=True)
class CurvePlan:
    """How long and how large; tests make it small."""

    seconds: float = 5.0
    sheet_px: int = 1080


def main(args: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--out", type=Path, default=ROOT / "docs" / "pictures")
    parser.add_argument("--weights", type=Path, help="other weights than those that came along")
    parser.add_argument("--measured", type=Path, help="a file of `aesop measure curves`")
    told = parser.parse_args(args)
    films = None if told.measured is None else read_films(told.measured)
    for path in draw_curves(load_director(told.weights), told.out, films):
        sys.stdout.write(f"{path}\n")


def read_films(path: Path) -> list[CurveFilm]:
    """All films of a file; its first line is their plan."""
    lines = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    return [restored(CurveFilm, line) for line in lines if "over_time_m" in line]


def draw_curves(
    director: Director,
    folder: Path,
    films: Sequence[CurveFilm] | None = None,
    plan: CurvePlan | None = None,
) -> list[Path]:
    """Film and draw; returns what was written."""
    plan = plan or CurvePlan()
    frames = round(plan.seconds * NATIVE_FPS)
    clip = synthetic_motion(SAMPLE, frames, np.random.default_rng(1)).clip
    words, curves = SENTENCES["push_in"], [IntensityCurve.from_text(text) for text in CURVES]
    requests = [FilmRequest(clip, words, intensity) for intensity in (1.0, *curves)]
    usual, *over_time = director.film_many(requests, picture=PictureFormat())
    strips = [Strip(f"Intensity 1: {words}", usual)]
    strips += [
        Strip(f"Intensity {curve.text}", shot)
        for curve, shot in zip(curves, over_time, strict=True)
    ]
    folder.mkdir(parents=True, exist_ok=True)
    sheet, figure = folder / "intensity_curves.jpg", folder / "intensity_curves.png"
    write_picture(storyboard(strips, width=plan.sheet_px), sheet)
    panels = [_speeds(usual, over_time[0]), _shares(usual, over_time[0], curves[0])]
    write_charts(panels, folder / figure.name, columns=3, x_title="seconds")
    written = [sheet, figure]
    if films is not None:
        written.append(folder / "intensity_segments.png")
        write_charts([_segments(films)], written[-1], columns=1, x_title="intensity of a segment")
    return written


def _speed(shot: Shot) -> Float64[np.ndarray, " steps"]:
    steps = torch.linalg.vector_norm(shot.camera.centre.double().diff(dim=0), dim=-1)
    return (steps * shot.fps).numpy()


def _instants(shot: Shot) -> tuple[float, ...]:
    return tuple(((np.arange(shot.frames - 1) + 0.5) / shot.fps).tolist())


def _speeds(usual: Shot, over_time: Shot) -> Panel:
    lines = (("intensity 1", usual), ("under the curve", over_time))
    series = tuple(Series(name, tuple(_speed(shot).tolist())) for name, shot in lines)
    return Panel("speed of the camera, m/s", _instants(usual), series, names="left")


def _shares(usual: Shot, over_time: Shot, curve: IntensityCurve) -> Panel:
    """Where the camera hardly moves at 1 a share says nothing, and the line has a gap."""
    once = _speed(usual)
    share = np.where(once > 0.05, _speed(over_time) / np.maximum(once, 0.05), np.nan)
    asked = curve.at(torch.tensor(_instants(usual), dtype=torch.float64)).tolist()
    series = (Series("asked", tuple(asked)), Series("speed over speed at 1", tuple(share.tolist())))
    return Panel("intensity", _instants(usual), series, names="left")


def _segments(films: Sequence[CurveFilm]) -> Panel:
    """Means over segments of like intensity."""
    rows = [
        (value, over / one, number / one)
        for film in films
        for value, over, one, number in zip(
            film.values, film.over_time_m, film.at_one_m, film.at_value_m, strict=True
        )
        if one >= MOVING_M
    ]
    value, over_time, of_number = (np.array([row[at] for row in rows]) for at in range(3))
    place = np.clip(np.digitize(value, BINS) - 1, 0, len(BINS) - 2)
    x = tuple(((BINS[1:] + BINS[:-1]) / 2).tolist())

    def means(ways: Float64[np.ndarray, " segments"]) -> tuple[float, ...]:
        bins = [ways[place == at] for at in range(len(x))]
        return tuple(float(some.mean()) if len(some) else float("nan") for some in bins)

    title = f"way over way at 1, {len(rows)} segments"
    series = (
        Series("asked", x),
        Series("one intensity throughout", means(of_number)),
        Series("over time", means(over_time)),
    )
    return Panel(title, x, series, names="left")


if __name__ == "__main__":
    main()
