"""A cold `aesop film` (process start to written `.shot`), against another tree of sources, in one
alternating run; and where its time goes.

    python benchmarks/cold_film.py --weights W                          this tree, all presets
    python benchmarks/cold_film.py --weights W --before OTHER/src       beside an earlier one

The machine may be busy: processor seconds of the command and everything it starts are compared, not
only the clock. `instant` is measured where the weights have few steps.
"""

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from record import ROOT, load_average, work_seconds, write_result

from aesop.director.trained_parts import Parts
from aesop.fables.synthetic import synthetic_motion
from aesop.files.motion_files import write_motion

WORDS = "the camera pushes in"
FRAMES = 250
# Processor seconds of every stretch of the way, told from inside.
STRETCHES = """
import json, sys, time
from pathlib import Path
marks = [("start", 0.0)]
def mark(name): marks.append((name, time.process_time()))
mark("python")
import torch
mark("import torch")
import aesop.cli.film_commands
mark("import the command line")
from aesop.director.director import load_director
from aesop.export.export_files import write_export
from aesop.files.motion_files import read_motion
mark("import the director")
clip = read_motion(Path(sys.argv[1]))
mark("read the motion")
director = load_director(Path(sys.argv[2]))
parts, preset = director.parts, sys.argv[3]
parts.human_codec, parts.camera_codec
parts.camera_flow, parts.sampling(preset)
mark("read weights")
parts.encoder.encode_each([sys.argv[4]])
mark("load the encoder, read words")
shot = director.film(clip, sys.argv[4], preset=preset)
mark("film")
director.film(clip, sys.argv[4], preset=preset)
mark("film again")
director.film(clip, sys.argv[4], preset=preset, finish="as-sampled")
mark("film again, one take as sampled")
write_export(shot, Path(sys.argv[1]).with_suffix(".shot"))
mark("write")
print(json.dumps({b[0]: round(b[1] - a[1], 3) for a, b in zip(marks, marks[1:])}))
"""


@dataclass(frozen=True)
class Case:
    """One way to make the same film."""

    name: str
    sources: Path
    preset: str | None


def timed(case: Case, motion: Path, weights: Path) -> tuple[float, float]:
    """Processor seconds and seconds by the clock."""
    words = ["film", str(motion), WORDS, "-o", str(motion.with_suffix(".shot"))]
    words += ["--weights", str(weights)]
    words += [] if case.preset is None else ["--preset", case.preset]
    env = {**os.environ, "PYTHONPATH": str(case.sources)}
    worked, start = work_seconds(), time.perf_counter()
    subprocess.run(
        [sys.executable, "-m", "aesop", *words], check=True, capture_output=True, env=env
    )
    return work_seconds() - worked, time.perf_counter() - start


def stretches(case: Case, motion: Path, weights: Path) -> dict[str, float]:
    told = [str(motion), str(weights), case.preset or "fast", WORDS]
    done = subprocess.run(
        [sys.executable, "-c", STRETCHES, *told],
        check=True,
        capture_output=True,
        encoding="utf-8",
        env={**os.environ, "PYTHONPATH": str(case.sources), "OMP_WAIT_POLICY": "PASSIVE"},
    )
    return json.loads(done.stdout)


def cases(weights: Path, before: Path | None) -> list[Case]:
    here = ROOT / "src"
    found = [] if before is None else [Case("before", before, None)]
    found.append(Case("fast", here, "fast"))
    if Parts(weights).has_steps:
        found.append(Case("instant", here, "instant"))
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--weights", type=Path, required=True)
    parser.add_argument("--before", type=Path, help="sources of an earlier commit")
    parser.add_argument("--rounds", type=int, default=5)
    args = parser.parse_args()
    tried = cases(args.weights, args.before)
    seconds: dict[str, list[tuple[float, float]]] = {case.name: [] for case in tried}
    with tempfile.TemporaryDirectory() as folder:
        motion = Path(folder) / "walk.bvh"
        write_motion(synthetic_motion("walk", FRAMES, np.random.default_rng(2)).clip, motion)
        for _ in range(args.rounds):
            for case in tried:
                seconds[case.name].append(timed(case, motion, args.weights))
        inside = {
            case.name: stretches(case, motion, args.weights)
            for case in tried
            if case.name != "before"
        }
    first = tried[0].name
    figures: dict[str, object] = {"clip_seconds": FRAMES / 25, "load_average": load_average()}
    for name, rows in seconds.items():
        work, clock = (statistics.median(row[at] for row in rows) for at in (0, 1))
        usual = [statistics.median(row[at] for row in seconds[first]) for at in (0, 1)]
        figures[name] = {
            "processor_seconds": [round(row[0], 2) for row in rows],
            "wall_seconds": [round(row[1], 2) for row in rows],
            f"processor_share_of_{first}": round(work / usual[0], 3),
            f"wall_share_of_{first}": round(clock / usual[1], 3),
        }
    figures["processor_seconds_inside"] = inside
    print(json.dumps(figures, indent=2))
    write_result("cold_film", "python benchmarks/cold_film.py --weights W --before SRC", figures)


if __name__ == "__main__":
    main()
