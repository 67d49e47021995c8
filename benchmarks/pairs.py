"""Speed of the physical checks of both pair funnels, as a whole and by clip length; the funnels of
a finished pair folder beside the paper's; and two ways to find out which joints are visible.

    python benchmarks/pairs.py STORE [WORKERS]
    python benchmarks/pairs.py sight STORE           (writes results/benchmarks/pairs_sight.json)
    python benchmarks/pairs.py funnel PAIRS NAME     (writes results/benchmarks/pairs_NAME.json)

The first decodes nothing: what the codec costs depends on the codec. Seconds of work are given
beside seconds by the clock, which on a busy machine say little.
"""

import os
import sys
import tempfile
import time
from dataclasses import asdict
from itertools import pairwise
from pathlib import Path

import numpy as np
import torch
from record import load_average, work_seconds, write_result

from aesop.data.store import Store, open_store
from aesop.pairs.direction_pairs import (
    BuildRequest,
    DirectionTask,
    build_direction,
    mine,
    screen_directions,
)
from aesop.pairs.intensity_pairs import (
    MeasureTask,
    ScaleTask,
    build_intensity,
    measure_sources,
    scale_sources,
)
from aesop.pairs.pair_files import read_plan
from aesop.pairs.pair_recipe import PairRecipe, pulpmotion, recipe_for_dataset
from aesop.pairs.shot_arrays import Film, aimed, film_of, in_batches, read_stock, sight
from aesop.scene.camera import project

EDGES = (25, 50, 75, 100, 150, 200, 251, 301)
CLIPS = 300  # of every length


def whole(path: Path, workers: int, recipe: PairRecipe) -> dict[str, object]:
    """Both funnels over the training split, worker start and file writing included."""
    figures: dict[str, object] = {}
    clips = 0
    seconds = work = 0.0
    with tempfile.TemporaryDirectory() as folder:
        request = BuildRequest(path, None, Path(folder), recipe, workers)
        for name, build in (("direction", build_direction), ("intensity", build_intensity)):
            start, spent = time.perf_counter(), work_seconds()
            found = build(request)
            taken, worked = time.perf_counter() - start, work_seconds() - spent
            seconds, work, clips = seconds + taken, work + worked, found.origin.pool
            figures[name] = {"wall_s": round(taken, 2), "work_s": round(worked, 2)}
    figures["clips"] = clips
    figures["clips_per_wall_s"] = round(clips / seconds)
    figures["clips_per_s_if_both_cores_were_free"] = round(clips / (work / workers))
    return figures


def one(task: object, work: object) -> float:
    start = time.process_time()
    work(task)  # pyright: ignore[reportCallIssue]
    return time.process_time() - start


def by_length(store: Store, recipe: PairRecipe) -> list[dict[str, object]]:
    """Milliseconds of work a clip on one core, for clips of like length."""
    mined = mine(store)
    rows, tags = mined.chosen
    limits = pulpmotion().intensity.dynamics
    assert limits is not None
    table: list[dict[str, object]] = []
    with tempfile.TemporaryDirectory() as folder:
        piece = Path(folder) / "piece.npz"
        for low, high in pairwise(EDGES):
            pool = _of_length(store, mined.rows, low, high)
            events = np.flatnonzero(np.isin(rows, _of_length(store, rows, low, high)))
            if len(pool) < 10 or len(events) < 10:
                continue
            none = np.zeros(len(pool), np.bool_)
            measure = one(MeasureTask(store.path, recipe, pool, piece, none), measure_sources)
            with np.load(piece) as found:
                active = np.sort(found["active.rows"][found["active.passed"].all(axis=1)])
            scale = one(ScaleTask(store.path, recipe, active, piece, limits, None), scale_sources)
            direction = one(
                DirectionTask(store.path, recipe, rows[events], piece, tags[events], None),
                screen_directions,
            )
            table.append(
                {
                    "frames": round(float(store.shot_lengths(pool).mean())),
                    "ms_measure_a_source": round(measure / len(pool) * 1e3, 3),
                    "ms_scale_an_active_source": round(scale / max(len(active), 1) * 1e3, 3),
                    "ms_reflect_an_event": round(direction / len(events) * 1e3, 3),
                }
            )
    return table


def _of_length(store: Store, rows: np.ndarray, low: int, high: int) -> np.ndarray:
    lengths = store.shot_lengths(rows)
    return rows[(lengths >= low) & (lengths < high)][:CLIPS]


def visible_by_projection(film: Film) -> np.ndarray:
    """`scene.camera.project` on a whole batch, as every target would need it."""
    joints = film.root[..., None, :] + np.swapaxes(film.around, -1, -2)
    parts = joints, film.cameras.world_from_camera, film.cameras.centre, film.cameras.tan_half_fov
    return project(*(torch.from_numpy(part) for part in parts)).visible.numpy()


def compare_sight(store: Store, tries: int = 16, repeats: int = 25) -> dict[str, object]:
    """Milliseconds of work for the visible joints of one batch and as many targets a shot as a
    source may have, on one core; and in how many joints the two ways differ."""
    rows = store.split("train")
    batch = in_batches(store.shot_lengths(rows))[-20]
    film = film_of(read_stock(store, rows[batch]))

    def sights() -> None:
        turned = aimed(film, film.cameras)
        for _ in range(tries):
            _ = sight(film, film.cameras, turned).visible

    def projections() -> None:
        for _ in range(tries):
            visible_by_projection(film)

    times: dict[str, list[float]] = {"sight": [], "project": []}
    for _ in range(repeats):  # in turns: both meet the same machine
        for name, work in (("sight", sights), ("project", projections)):
            times[name].append(one(None, lambda _, work=work: work()))
    ours = sight(film, film.cameras, aimed(film, film.cameras)).visible
    return {
        "clips": len(batch),
        "frames": film.frames,
        "targets_a_shot": tries,
        "repeats": repeats,
        **{f"ms_{name}": round(float(np.median(spent)) * 1e3, 2) for name, spent in times.items()},
        "joints": int(ours.size),
        "joints_that_differ": int((ours != visible_by_projection(film)).sum()),
    }


# Stages of the supplement. Its pool is PulpMotion's training set; ours is the store's.
PAPER = {
    "direction": {"pool": 162_760, "mined": 22_783, "source": 9_143, "target": 781,
                  "reconstruction": 601, "Dolly": 375, "Truck": 226},
    "intensity": {"active candidates": 42_844, "null candidates": 75_863, "constructed": 36_000,
                  "target and reconstruction": 14_066, "active": 8_000, "null": 2_000},
}  # fmt: skip


def write_funnel(folder: Path, name: str) -> Path:
    """What `aesop pairs report` tells, as numbers."""
    plan = read_plan(folder)
    files = [plan.direction, *([] if plan.intensity is None else [plan.intensity])]
    funnels = [asdict(funnel) for it in files for funnel in it.funnels]
    for funnel in funnels:
        for stage in funnel["stages"]:
            for gate in stage["gates"]:
                del gate["examples"]
    origin = plan.direction.origin
    figures: dict[str, object] = {
        "dataset": origin.dataset,
        "store_sha256": origin.store_sha256,
        "pairs_sha256": plan.sha256,
        "codec": origin.codec,
        "recipe": asdict(origin.recipe),
        "dynamics": None if plan.intensity is None else asdict(plan.intensity.dynamics),
        "accepted": {
            "direction": len(plan.direction.sources),
            **({} if plan.intensity is None else {
                "active": len(plan.intensity.active),
                "null": len(plan.intensity.null),
                "active_development": len(plan.intensity.development_active),
            }),
        },
        "paper": PAPER,
        "funnels": funnels,
    }  # fmt: skip
    codec = "" if origin.codec is None else " --codec RUN"
    command = " && ".join(
        f"aesop pairs build {kind} PAIRS --data STORE{codec}" for kind in ("direction", "intensity")
    )
    return write_result(f"pairs_{name}", command, figures)


def main() -> None:
    if sys.argv[1] == "funnel":
        print(write_funnel(Path(sys.argv[2]), sys.argv[3]))
        return
    if sys.argv[1] == "sight":
        torch.set_num_threads(1)
        figures = compare_sight(open_store(Path(sys.argv[2])))
        figures["load_average"] = load_average()
        print(write_result("pairs_sight", "python benchmarks/pairs.py sight STORE", figures))
        return
    path = Path(sys.argv[1])
    workers = int(sys.argv[2]) if len(sys.argv) > 2 else os.cpu_count() or 1
    torch.set_num_threads(1)
    store = open_store(path)
    recipe = recipe_for_dataset(store.manifest.dataset)
    figures: dict[str, object] = {
        "dataset": store.manifest.dataset,
        "store_sha256": store.manifest.content_sha256,
        "workers": workers,
        "load_average_before": load_average(),
        "both_funnels": whole(path, workers, recipe),
        "one_core_by_length": by_length(store, recipe),
    }
    print(write_result("pairs_speed", "python benchmarks/pairs.py STORE", figures))


if __name__ == "__main__":
    main()
