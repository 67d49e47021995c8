"""How many takes a cold `aesop film` can choose from: start to file, for one take and for several.

    python benchmarks/takes.py            writes results/benchmarks/best_take_cold.json

Processor seconds of one thread, the least of the repeats: on a machine that does other things too,
they say what an idle one would take.
"""

import argparse
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
from record import write_result

from aesop.export.export_files import clip_writer_for
from aesop.fables.synthetic import synthetic_motion
from aesop.scene.human import NATIVE_FPS

SECONDS, COUNTS = 8, (1, 2, 3, 4, 5, 6)
ALLOWED_RATIO = 1.5
FILM = """
import sys
import aesop
import aesop.director.best_take as answers
from aesop.director.best_take import candidates
answers.candidates = lambda request, _: candidates(request, range(int(sys.argv[3])))
clip = aesop.read_motion(sys.argv[1])
shot = aesop.load_director().film(clip, "the camera pushes in")
aesop.write_export(shot, sys.argv[2])
"""


def cold_seconds(motion: Path, shot: Path, takes: int) -> float:
    """Processor time of a new process that films once."""
    environment = {**os.environ, "OMP_NUM_THREADS": "1", "OMP_WAIT_POLICY": "PASSIVE"}
    before = os.times()
    command = [sys.executable, "-c", FILM, str(motion), str(shot), str(takes)]
    subprocess.run(command, env=environment, check=True, capture_output=True)
    after = os.times()
    used = after.children_user + after.children_system
    return used - before.children_user - before.children_system


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repeats", type=int, default=3)
    repeats = parser.parse_args().repeats
    least = dict.fromkeys(COUNTS, float("inf"))
    with tempfile.TemporaryDirectory() as scratch:
        motion, shot = Path(scratch) / "walk.clip", Path(scratch) / "walk.shot"
        frames = round(SECONDS * NATIVE_FPS)
        clip = synthetic_motion("walk", frames, np.random.default_rng(3)).clip
        clip_writer_for(motion).write(clip, motion, None)
        for _ in range(repeats):
            for takes in COUNTS:
                least[takes] = min(least[takes], cold_seconds(motion, shot, takes))
    ratios = {takes: round(least[takes] / least[1], 3) for takes in COUNTS}
    figures: dict[str, object] = {
        "motion_seconds": SECONDS,
        "repeats": repeats,
        "processor_seconds": {str(takes): round(least[takes], 2) for takes in COUNTS},
        "ratio_to_one_take": {str(takes): ratio for takes, ratio in ratios.items()},
        "allowed_ratio": ALLOWED_RATIO,
        "most_takes": max(takes for takes in COUNTS if ratios[takes] <= ALLOWED_RATIO),
    }
    write_result("best_take_cold", "python benchmarks/takes.py", figures)


if __name__ == "__main__":
    main()
