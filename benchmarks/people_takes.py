"""How many people a cold `aesop act` can choose from: start to file, for one take and for several.

    python benchmarks/people_takes.py --chooser FILE

Writes results/benchmarks/best_person_cold.json: processor seconds of one thread, the least of the
repeats, as in benchmarks/takes.py. The chooser is any evaluator of people; all cost about the same.
"""

import argparse
import os
import subprocess
import sys
import tempfile
from pathlib import Path

from record import write_result

SECONDS, COUNTS = 6, (1, 2, 3, 4, 5, 6, 8)
ALLOWED_RATIO = 1.5
ACT = """
import sys
import aesop
import aesop.director.acting as acting
from aesop.export.export_files import clip_writer_for
from pathlib import Path
acting.PERSON_TAKES = int(sys.argv[3])
director = aesop.load_director(chooser=sys.argv[4])
if acting.PERSON_TAKES == 1:
    director = director.with_people("standing")
clip = director.act("a person walks forward", float(sys.argv[2]), seed=1)
clip_writer_for(Path(sys.argv[1])).write(clip, Path(sys.argv[1]), None)
"""


def cold_seconds(clip: Path, takes: int, chooser: Path) -> float:
    """Processor time of a new process that acts once."""
    environment = {**os.environ, "OMP_NUM_THREADS": "1", "OMP_WAIT_POLICY": "PASSIVE"}
    before = os.times()
    command = [sys.executable, "-c", ACT, str(clip), str(SECONDS), str(takes), str(chooser)]
    subprocess.run(command, env=environment, check=True, capture_output=True)
    after = os.times()
    used = after.children_user + after.children_system
    return used - before.children_user - before.children_system


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--chooser", type=Path, required=True)
    asked = parser.parse_args()
    least = dict.fromkeys(COUNTS, float("inf"))
    with tempfile.TemporaryDirectory() as scratch:
        for _ in range(asked.repeats):
            for takes in COUNTS:
                seconds = cold_seconds(Path(scratch) / "walk.clip", takes, asked.chooser)
                least[takes] = min(least[takes], seconds)
    ratios = {takes: round(least[takes] / least[1], 3) for takes in COUNTS}
    figures: dict[str, object] = {
        "motion_seconds": SECONDS,
        "repeats": asked.repeats,
        "processor_seconds": {str(takes): round(least[takes], 2) for takes in COUNTS},
        "ratio_to_one_take": {str(takes): ratio for takes, ratio in ratios.items()},
        "allowed_ratio": ALLOWED_RATIO,
        "most_takes": max(takes for takes in COUNTS if ratios[takes] <= ALLOWED_RATIO),
    }
    write_result("best_person_cold", "python benchmarks/people_takes.py", figures)


if __name__ == "__main__":
    main()
