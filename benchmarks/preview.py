"""Frames per second of the preview: one view of 512 × 512 pixels, and a whole video page.

    python benchmarks/preview.py

A walking person is drawn through the lens at two distances and from outside, in two processes,
as a video is drawn. Each view is warmed up, then timed in several rounds of consecutive frames.
"""

import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import av
import numpy as np
import PIL
import torch
from record import load_average, write_result

from aesop.core.pool import in_order
from aesop.fables.synthetic import synthetic_motion
from aesop.preview.drawing import FILM, build_outside, lens_picture, outside_picture
from aesop.preview.stage import stage_of
from aesop.preview.video import write_video
from aesop.scene.camera import camera_looking_at
from aesop.scene.human import Provenance
from aesop.scene.shot import Shot

SIZE = (512, 512)
WORKERS = 2
FRAMES, WARM_UP, ROUNDS = 75, 10, 5
DISTANCES_M = {"lens_full_figure": 4.2, "lens_close_up": 1.3}


def walking_shot(distance_m: float) -> Shot:
    """The camera leads a walking person at a constant distance, drifting around them a little."""
    clip = synthetic_motion("walk", FRAMES, np.random.default_rng(0)).clip
    share = torch.linspace(0, 1, FRAMES, dtype=torch.float64)
    angle = 0.3 + 0.5 * share
    around = torch.stack([torch.sin(angle), -torch.cos(angle), 0.15 + 0 * share], dim=-1)
    target = clip.motion.root.double() + torch.tensor([0.0, 0.0, 0.0 if distance_m > 2 else 0.4])
    camera = camera_looking_at(target + distance_m * around, target, 0.62, aspect=1.0)
    return Shot(clip, camera, Provenance("benchmark"), "The camera leads.", "A person walks.")


def rounds(draw: Callable[[int], object], workers: int) -> dict[str, object]:
    """Frames per second of several rounds, wall clock."""
    for _ in in_order(draw, WARM_UP, workers):
        pass
    rates: list[float] = []
    for _ in range(ROUNDS):
        start = time.perf_counter()
        for _ in in_order(draw, FRAMES, workers):
            pass
        rates.append(FRAMES / (time.perf_counter() - start))
    return {
        "median_fps": round(statistics.median(rates), 1),
        "fps": [round(rate, 1) for rate in rates],
    }


def views() -> dict[str, Callable[[int], object]]:
    """Each view as a function of the frame."""
    drawn: dict[str, Callable[[int], object]] = {}
    for name, distance_m in DISTANCES_M.items():
        stage = stage_of(walking_shot(distance_m))
        drawn[name] = lambda frame, stage=stage: lens_picture(stage, frame, SIZE, FILM)
    stage = stage_of(walking_shot(DISTANCES_M["lens_full_figure"]))
    outside = build_outside(stage, SIZE)
    drawn["outside"] = lambda frame: outside_picture(stage, outside, frame, FILM)
    return drawn


def video_fps() -> float:
    """Both views on a page 1280 pixels wide, drawn and encoded."""
    shot = walking_shot(DISTANCES_M["lens_full_figure"])
    with tempfile.TemporaryDirectory() as folder:
        start = time.perf_counter()
        write_video(shot, Path(folder) / "shot.mp4")
        return FRAMES / (time.perf_counter() - start)


def main() -> None:
    torch.set_num_threads(1)
    load = load_average()
    figures: dict[str, object] = {
        "what": "one view of 512 × 512 pixels; person, floor, shadows; film finish",
        "versions": {"av": av.__version__, "pillow": PIL.__version__},
        "frames": FRAMES,
        "warm_up_frames": WARM_UP,
        "load_before": load,
        "two_processes": {name: rounds(draw, WORKERS) for name, draw in views().items()},
        "one_process": {name: rounds(draw, 1) for name, draw in views().items()},
        "video_page_1280_fps": [round(video_fps(), 1) for _ in range(2)],
    }
    sys.stdout.write(f"{write_result('preview_speed', 'python benchmarks/preview.py', figures)}\n")


if __name__ == "__main__":
    main()
