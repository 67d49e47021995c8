"""People as sampled beside people as shown, and what correcting does to real motion.

    python runs/standing.py --clips CLIPS [--seeds 0 1 2]

CLIPS is the folder of imported takes that `runs/segments.py import` keeps (`CLIPS/cmu/01_01.clip`,
…). Acts the sentences of `runs/everyday.py` and a dozen more with the shipped weights, once as
sampled and once standing, and measures both; then corrects windows of five seconds of real
performers of the validation split, which should hardly change. Writes results/runs/standing.json
and draws docs/pictures/standing.jpg: above as sampled, below as shown.
"""

import argparse
import json
import os
import sys
from collections.abc import Sequence
from dataclasses import asdict, replace
from pathlib import Path

# Read when torch starts its threads: threads that spin while waiting slow each other down.
os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")

import numpy as np
import torch

from aesop.director.body_finish import corrected, pose_change_m
from aesop.director.director import load_director
from aesop.director.leg_reach import knee_bend_degrees
from aesop.director.requests import ActRequest
from aesop.director.sampling import USUAL_PEOPLE
from aesop.fables.takes import fault_of_window, read_takes, split_of
from aesop.files.shot_file import read_clip
from aesop.metrics.motion_metrics import body_facts
from aesop.preview.drawing import draw_outside
from aesop.preview.page import Words, blank_page, place, write_words
from aesop.preview.sheets import write_picture
from aesop.scene.human import NATIVE_FPS, Clip, HumanMotion, Provenance, grounded
from aesop.scene.skeleton import JOINT
from everyday import ROOT, SENTENCES

MORE = (
    "a person walks forward slowly and stops", "a person jogs in place", "a person kicks a ball",
    "a person boxes", "a person lies down on the floor", "a person sidesteps to the left",
    "a person marches", "a person stands and talks with gestures",
    "a person waits, shifting their weight", "a person balances on one leg", "a person squats",
    "a person turns left and walks away",
)  # fmt: skip
STILL = "a person stands still"
DRAWN = (0, 1, 5, 7, 12, 15, 17, 21)  # of the sentences
SECONDS, WINDOW = 5.0, 125
FAST = ("kick", "punch", "box", "strike", "jump", "throw")
LIMBS = [JOINT[f"{side}_{end}"] for side in ("left", "right") for end in ("wrist", "foot")]
POSES, CELL_PX, TITLE_PX = 9, 110, 18

Named = list[tuple[str, HumanMotion]]


def main(args: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--clips", type=Path, required=True, help="imported takes")
    parser.add_argument("--seeds", type=int, nargs="+", default=[0, 1, 2])
    parser.add_argument("--out", type=Path, default=ROOT / "results" / "runs" / "standing.json")
    parser.add_argument("--picture", type=Path, default=ROOT / "docs" / "pictures" / "standing.jpg")
    asked = parser.parse_args(args)
    sampled = acted(asked.seeds)
    shown = [(words, corrected(motion)[0]) for words, motion in sampled]
    real = real_windows(asked.clips)
    after = [(name, corrected(motion)[0]) for name, motion in real]
    still = [it for it in shown if it[0] == STILL]
    facts = {
        "sentences": [*SENTENCES, *MORE],
        "seeds": asked.seeds,
        "as sampled": bodies(sampled),
        "standing": bodies(shown) | changes(sampled, shown),
        "stands still, as sampled": bodies([it for it in sampled if it[0] == STILL]),
        "stands still, standing": bodies(still),
        "real": bodies(real),
        "real, corrected": bodies(after) | changes(real, after),
        "real kicks, punches, jumps and throws": changes(*fast_ones(real, after)),
    }
    asked.out.write_text(json.dumps(facts, indent=1) + "\n", encoding="utf-8")
    write_picture(page(sampled, shown), asked.picture)
    sys.stdout.write(f"{asked.out}\n{asked.picture}\n")


def acted(seeds: Sequence[int]) -> Named:
    """Sentence n of seed s with the noise of 100·s + n."""
    director = load_director(people=replace(USUAL_PEOPLE, finish="as-sampled"))
    asked = [
        ActRequest(words, SECONDS, 100 * seed + number)
        for seed in seeds
        for number, words in enumerate((*SENTENCES, *MORE))
    ]
    return [(clip.name, clip.motion) for clip in director.act_many(asked)]


def real_windows(folder: Path) -> Named:
    """One to three windows of every usable take of CMU's validation performers."""
    found: Named = []
    for take in read_takes():
        path = folder / "cmu" / f"{take.name}.clip"
        if split_of(take.name) != "validation" or not path.exists():
            continue
        motion = read_clip(path).motion
        length = min(WINDOW, motion.frames)
        spare = motion.frames - length
        starts = {0, spare // 2, spare} if motion.frames >= 3 * WINDOW else {spare // 2}
        for start in sorted(starts):
            window = motion.part(slice(start, start + length))
            if length >= 50 and not fault_of_window(window.joints.double().numpy()):
                found.append((f"{take.name} {take.description}", grounded(window)))
    return found


def bodies(people: Named) -> dict[str, object]:
    """Means and 95th percentiles over people."""
    every = [asdict(body_facts(motion, NATIVE_FPS)) for _, motion in people]
    columns = {name: np.array([it[name] for it in every]) for name in every[0]}
    bends = [float(knee_bend_degrees(it.rotations).min()) for _, it in people]
    return {
        "people": len(people),
        "mean": {name: round(float(np.nanmean(it)), 4) for name, it in columns.items()},
        "p95": {name: round(float(np.nanpercentile(it, 95)), 4) for name, it in columns.items()},
        "least knee bend, 1st percentile (degrees)": round(float(np.percentile(bends, 1)), 1),
    }


def changes(before: Named, after: Named) -> dict[str, object]:
    """How far people were moved, and what became of their speeds and accelerations."""
    rows: list[tuple[float, float, float, float]] = []
    for (_, was), (_, now) in zip(before, after, strict=True):
        moved = torch.linalg.vector_norm(now.joints - was.joints, dim=-1).mean()
        rows.append(
            (
                100 * float(moved),
                100 * pose_change_m(was, now),
                _peak(now, 1) / _peak(was, 1),
                _peak(now, 2) / _peak(was, 2),
            )
        )
    names = ("moved cm", "pose changed cm", "peak speed kept", "peak acceleration kept")
    spread = np.percentile(np.array(rows), [5, 50, 95], axis=0).round(3).T.tolist()
    return {
        "changed": len(rows),
        "5, 50 and 95 %": {name: row for name, row in zip(names, spread, strict=True)},
    }


def fast_ones(before: Named, after: Named) -> tuple[Named, Named]:
    """Those whose take is described as something fast."""
    places = [at for at, (name, _) in enumerate(before) if any(it in name.lower() for it in FAST)]
    return [before[at] for at in places], [after[at] for at in places]


def _peak(motion: HumanMotion, order: int) -> float:
    """Of hands and feet against the pelvis."""
    around = (motion.joints - motion.root[:, None])[:, LIMBS].double()
    return float(torch.linalg.vector_norm(around.diff(n=order, dim=0), dim=-1).max())


def page(before: Named, after: Named) -> np.ndarray:
    """Two rows a sentence."""
    pitch = TITLE_PX + 2 * CELL_PX
    sheet, words = blank_page(POSES * CELL_PX, len(DRAWN) * pitch), list[Words]()
    for row, number in enumerate(DRAWN):
        words.append(Words(before[number][0], 4, row * pitch, POSES * CELL_PX, TITLE_PX - 4))
        for side, (name, motion) in enumerate((before[number], after[number])):
            clip = Clip(motion, NATIVE_FPS, name, Provenance("acted by AESOP"))
            for pose in range(POSES):
                frame = round(pose * (clip.frames - 1) / (POSES - 1))
                picture = draw_outside(clip, frame, (CELL_PX, CELL_PX))
                place(sheet, picture, pose * CELL_PX, row * pitch + TITLE_PX + side * CELL_PX)
    write_words(sheet, words)
    return sheet


if __name__ == "__main__":
    main()
