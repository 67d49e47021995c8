"""Open a store of 160,000 clips, run shuffled epochs of batch assembly over it, gather statistics.

    python benchmarks/store.py [FOLDER]

The store is synthetic: lengths follow PulpMotion's published profile, 30,000 human windows are
filmed 160,000 times. It takes 3 GB in FOLDER (twice that while it is built) and is deleted.
"""

import os
import sys
import tempfile
import time
from collections.abc import Callable, Iterable
from pathlib import Path

import numpy as np
import torch
from record import load_average, write_result

from aesop.data.batches import epoch_batches
from aesop.data.builder import StoreBuilder
from aesop.data.manifest import HumanRow, ShotRow, Split, StorePlan
from aesop.data.store import Store, open_store
from aesop.features.columns import camera_statistics, human_statistics

CLIPS, WINDOWS, SHARDS = 160_000, 30_000, 60
BATCH_SIZE, EPOCHS = 128, 3
# Frames at these shares of all clips: PulpMotion, pure set.
SHARES = (0.0, 0.1, 0.25, 0.5, 0.75, 0.9, 0.95, 1.0)
FRAMES = (9, 37, 46, 70, 116, 184, 247, 251)


def timed(work: Callable[[], object]) -> dict[str, float]:
    """Seconds by the clock and seconds of work: they differ on a machine that does other things."""
    wall, cpu = time.perf_counter(), time.process_time()
    work()
    return {"wall": time.perf_counter() - wall, "cpu": time.process_time() - cpu}


def build(path: Path) -> dict[str, dict[str, float]]:
    """Write and finalise the store; numbers are random, their amounts are not."""
    dice = np.random.default_rng(0)
    lengths = np.interp(dice.random(WINDOWS), SHARES, FRAMES).astype(int)
    numbers = torch.from_numpy(dice.standard_normal((60_000, 199), np.float32))
    builder = StoreBuilder(path, StorePlan("synthetic"))
    builder.start()

    def write_all() -> None:
        for shard_number in range(SHARDS):
            with builder.shard(f"{shard_number:03d}") as shard:
                for window in range(shard_number, WINDOWS, SHARDS):
                    frames = int(lengths[window])
                    at = int(dice.integers(60_000 - frames))
                    features = numbers[at : at + frames]
                    captions = tuple(f"A person does thing {window}, way {i}." for i in range(3))
                    shard.add_human(HumanRow(f"{window:06d}", features, captions))
                    for shot in range(window, CLIPS, WINDOWS):
                        shard.add_shot(shot_row(shot, window, features))

    return {
        "write_shards": timed(write_all),
        "finalise": timed(lambda: builder.finalise([f"{i:03d}" for i in range(SHARDS)])),
    }


def shot_row(shot: int, window: int, features: torch.Tensor) -> ShotRow:
    return ShotRow(
        id=f"{shot:06d}",
        human_id=f"{window:06d}",
        features=features[:, :14],
        tags=np.zeros(len(features) - 1, np.int64),
        captions=(f"The camera does thing {shot}.",),
        reversed_captions=(f"The camera undoes thing {shot}.",),
        splits=(Split("train"),),
    )


def forget_pages(paths: Iterable[Path]) -> None:
    """Drop the files from the system's cache, so that the next reader meets the disk."""
    if not hasattr(os, "posix_fadvise"):  # macOS and Windows keep what they like
        return
    for path in paths:
        handle = os.open(path, os.O_RDONLY)
        os.fsync(handle)
        os.posix_fadvise(handle, 0, 0, os.POSIX_FADV_DONTNEED)
        os.close(handle)


def memory_gb() -> dict[str, float]:
    """Memory of this process: its own, and pages of mapped files that the system may take back."""
    status = Path("/proc/self/status")
    if not status.exists():  # only Linux tells the two apart
        return {}
    lines = status.read_text(encoding="utf-8").splitlines()
    parts = (line.split() for line in lines if line.startswith(("RssAnon", "RssFile")))
    return {part[0].rstrip(":"): int(part[1]) / 1e6 for part in parts}


def run_epoch(store: Store, epoch: int) -> dict[str, object]:
    rows = store.split("train")
    clips = padded = frames = 0

    def assemble() -> None:
        nonlocal clips, padded, frames
        for batch in epoch_batches(store, rows, BATCH_SIZE, seed=0, epoch=epoch):
            clips += len(batch.rows)
            padded += batch.mask.numel()
            frames += int(batch.lengths.sum())

    seconds = timed(assemble)
    assert clips == CLIPS
    return {
        "seconds": seconds,
        "clips_per_second": clips / seconds["wall"],
        "gigabytes": frames * (199 + 14) * 4 / 1e9,
        "padding_share": 1 - frames / padded,
    }


def measure(path: Path) -> dict[str, object]:
    load = load_average()
    built = build(path)
    files = [it for it in path.rglob("*") if it.is_file()]
    size = sum(it.stat().st_size for it in files)
    forget_pages(files)
    cold_open = timed(lambda: open_store(path))
    warm_open = [timed(lambda: open_store(path)) for _ in range(5)]
    store = open_store(path)
    before = memory_gb()
    forget_pages(files)
    cold = run_epoch(store, 0)
    warm = [run_epoch(store, epoch) for epoch in range(1, 1 + EPOCHS)]
    after = memory_gb()
    rows = store.split("train")
    return {
        "what": "synthetic store: random features, PulpMotion's length profile",
        "clips": CLIPS,
        "human_windows": WINDOWS,
        "mean_frames": float(store.lengths.mean()),
        "store_gigabytes": size / 1e9,
        "batch_size": BATCH_SIZE,
        "threads": 1,
        "load_average_before": load,
        "build_seconds": built,
        "open_seconds": {"cold": cold_open, "warm": warm_open},
        "shuffled_epoch": {"cold": cold, "warm": warm},
        "memory_gigabytes": {"before_epochs": before, "after_epochs": after},
        "statistics_seconds": {
            "human": timed(lambda: human_statistics(store.human_features(rows))),
            "camera": timed(lambda: camera_statistics(store.camera_features(rows))),
        },
        "verify_seconds": timed(store.verify),
    }


def main() -> None:
    torch.set_num_threads(1)
    folder = sys.argv[1] if len(sys.argv) > 1 else None
    with tempfile.TemporaryDirectory(dir=folder) as temporary:
        figures = measure(Path(temporary) / "store")
    print(write_result("store_speed", "python benchmarks/store.py", figures))


if __name__ == "__main__":
    main()
