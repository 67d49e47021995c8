"""Twenty-four everyday sentences, acted: does a person do what was asked, and does the body hold?

    python runs/everyday.py --before FOLDER --data STORE

`--before` is a folder with the weights to compare with, acted with the paper's human guidance 1;
the shipped weights are acted with the defaults. Draws docs/pictures/everyday.jpg and writes the
facts of the bodies, beside those of real walks, into results/runs/everyday.json. What was noted
there by hand stays: whether a person does what was asked (right, partly or wrong, by eye from
strips of nine poses), and the bodies of earlier code, whose joints were placed as decoded.
"""

import argparse
import json
import os
import sys
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

# Read when torch starts its threads: threads that spin while waiting slow each other down.
os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")

import numpy as np
from jaxtyping import UInt8

from aesop.data.store import open_store
from aesop.director.director import Director, load_director
from aesop.director.requests import HUMAN_GUIDANCE, PAPER_HUMAN_GUIDANCE, ActRequest
from aesop.metrics.motion_metrics import BodyFacts, body_facts
from aesop.preview.drawing import draw_outside
from aesop.preview.page import Words, blank_page, place, write_words
from aesop.preview.sheets import write_picture
from aesop.scene.human import Clip

ROOT = Path(__file__).resolve().parents[1]
SENTENCES = (
    "a person walks forward", "a person runs forward", "a person walks backwards",
    "a person walks in a circle", "a person turns around", "a person jumps up",
    "a person jumps forward", "a person sits down", "a person stands up from a chair",
    "a person waves with the right hand", "a person claps", "a person bows",
    "a person kicks with the right leg", "a person punches", "a person throws a ball",
    "a person picks something up from the floor", "a person crouches down", "a person crawls",
    "a person dances", "a person does jumping jacks", "a person stretches both arms up",
    "a person stands still", "a person sneaks forward", "a person limps",
)  # fmt: skip
SECONDS = 5.0
POSES, CELL_PX, TITLE_PX, GAP_PX = 5, 118, 18, 10
REAL_WALK = "walks forward"


def main(args: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--before", type=Path, required=True, help="weights to compare with")
    parser.add_argument("--data", type=Path, required=True, help="a Fables store, for real walks")
    parser.add_argument("--picture", type=Path, default=ROOT / "docs" / "pictures" / "everyday.jpg")
    parser.add_argument("--out", type=Path, default=ROOT / "results" / "runs" / "everyday.json")
    asked = parser.parse_args(args)
    before = acted(load_director(asked.before), PAPER_HUMAN_GUIDANCE)
    after = acted(load_director(), HUMAN_GUIDANCE)
    write_picture(page(before, after), asked.picture)
    facts = {
        "sentences": SENTENCES,
        "before": {"guidance": PAPER_HUMAN_GUIDANCE, **bodies(before)},
        "after": {"guidance": HUMAN_GUIDANCE, **bodies(after)},
        "real walks": bodies(real_walks(asked.data)),
    }
    if asked.out.exists():
        facts = json.loads(asked.out.read_text(encoding="utf-8")) | facts
    asked.out.write_text(json.dumps(facts, indent=1) + "\n", encoding="utf-8")
    sys.stdout.write(f"{asked.picture}\n{asked.out}\n")


def acted(director: Director, guidance: float) -> list[Clip]:
    """Sentence n with seed n."""
    return director.act_many(
        [
            ActRequest(words, SECONDS, seed, human_guidance=guidance)
            for seed, words in enumerate(SENTENCES)
        ]
    )


def real_walks(data: Path) -> list[Clip]:
    """Test windows whose caption says that somebody walks forward."""
    store = open_store(data)
    rows = store.split("test")
    first = np.sort(np.unique(store.human_rows[rows], return_index=True)[1])
    shots = [store.as_shot(int(row)) for row in rows[first]]
    return [shot.clip for shot in shots if REAL_WALK in shot.human_words.lower()]


def bodies(clips: Sequence[Clip]) -> dict[str, object]:
    """Facts of every body, and their means over those that have them."""
    every = [body_facts(clip.motion, clip.fps) for clip in clips]
    names = tuple(asdict(every[0]))
    means = {name: float(np.nanmean([getattr(it, name) for it in every])) for name in names}
    return {"people": len(every), "mean": means, "each": [_rounded(it) for it in every]}


def _rounded(facts: BodyFacts) -> dict[str, float | None]:
    named = asdict(facts)
    return {name: None if np.isnan(it) else round(it, 4) for name, it in named.items()}


def page(before: Sequence[Clip], after: Sequence[Clip]) -> UInt8[np.ndarray, "height width 3"]:
    """A row a sentence: five moments before, five after."""
    half, pitch = POSES * CELL_PX + GAP_PX, CELL_PX + TITLE_PX + GAP_PX
    sheet = blank_page(2 * half + GAP_PX, TITLE_PX + GAP_PX + len(SENTENCES) * pitch)
    words = [
        Words("before: guidance 1", GAP_PX, 2, half, TITLE_PX - 4),
        Words(f"now: guidance {HUMAN_GUIDANCE:g}", half + 2 * GAP_PX, 2, half, TITLE_PX - 4),
    ]
    for row, sentence in enumerate(SENTENCES):
        top = TITLE_PX + GAP_PX + row * pitch
        words.append(Words(f"{row}  {sentence}", GAP_PX, top, half, TITLE_PX - 4))
        for side, clips in enumerate((before, after)):
            for pose in range(POSES):
                frame = round(pose * (clips[row].frames - 1) / (POSES - 1))
                picture = draw_outside(clips[row], frame, (CELL_PX, CELL_PX))
                place(sheet, picture, GAP_PX + side * half + pose * CELL_PX, top + TITLE_PX)
    write_words(sheet, words)
    return sheet


if __name__ == "__main__":
    main()
