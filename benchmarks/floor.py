"""How many cameras the director lifts above the floor, and how far.

python benchmarks/floor.py --data STORE [--at-most 200]        # results/benchmarks/floor.json
"""

import argparse
from dataclasses import replace
from pathlib import Path

import numpy as np
from record import write_result

from aesop.data.store import open_store
from aesop.director.clearance import CLEARANCE_M
from aesop.director.director import load_director
from aesop.director.finish import LIFTED
from aesop.director.protocols import MEASURED
from aesop.measuring.cases import Task, read_cases
from aesop.measuring.methods import Ask, DirectorMethod
from aesop.scene.shot import Shot

SEED = 1  # nothing was chosen by it
TASKS: tuple[Task, ...] = ("film", "shoot")
INTENSITIES = (1.0, 1.5)


def lift_of(shot: Shot) -> float:
    """Metres, as the shot's note says."""
    told = [note for note in shot.provenance.notes if note.startswith(LIFTED)]
    return float(told[0].removeprefix(LIFTED).split()[0]) if told else 0.0


def figures_of(shots: list[Shot]) -> dict[str, float]:
    lifts = np.array([lift_of(shot) for shot in shots])
    above = [
        float(shot.camera.centre[:, 2].min() - shot.clip.motion.joints[..., 2].min())
        for shot in shots
    ]
    return {
        "shots": len(shots),
        "lifted": int((lifts > 0).sum()),
        "would_be_below": int((lifts > CLEARANCE_M).sum()),
        "mean_lift_m": float(lifts[lifts > 0].mean()) if lifts.any() else 0.0,
        "largest_lift_m": float(lifts.max()),
        "lowest_above_floor_m": min(above),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--split", default="test/pure")
    parser.add_argument("--at-most", type=int, help="shots, evenly spaced; all if not given")
    args = parser.parse_args()
    cases = read_cases(open_store(args.data), args.split, args.at_most)
    references = figures_of([case.reference for case in cases.cases])
    found: dict[str, object] = {"split": args.split, "seed": SEED, "references": references}
    filmer = DirectorMethod(load_director(), replace(MEASURED, camera_preset="fast"))
    for task in TASKS:
        for intensity in INTENSITIES:
            shots = filmer.answer(cases.cases, Ask(task, SEED, intensity))
            found[f"{task} at {intensity:g}"] = figures_of(shots)
    limit = "" if args.at_most is None else f" --at-most {args.at_most}"
    write_result("floor", f"python benchmarks/floor.py --data STORE{limit}", found)


if __name__ == "__main__":
    main()
