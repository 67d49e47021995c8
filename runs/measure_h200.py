"""Measure many rows at once on a lent GPU that knows nothing and forgets everything.

Here, with the package installed, a test split and the text encoder are packed:

    python runs/measure_h200.py pack STORE parcel

There, with Python, torch, numpy, safetensors, jaxtyping, tqdm and pillow only, jobs are done by
several processes that share the GPU: sampling needs the GPU, looking at shots needs the cores.

    python3 runs/measure_h200.py measure jobs.json --parcel parcel --out "$OUT" \\
        --weights src/aesop/weights/base --evaluators src/aesop/weights/evaluators

`jobs.json` is a list of objects with the fields of `aesop.pages.jobs.Job`, for example

    [{"kind": "task", "task": "film", "split": "test/pure", "weights": "base", "method": "AESOP"},
     {"kind": "sweep", "task": "shoot", "weights": "base"}, {"kind": "reference", "method": "GT"}]

Weights, evaluators and parcels that travelled once are kept as long as the machine is: a first call
without jobs can bring what does not fit into one. Weights are known by the name of their folder;
those that `base_h200.py` trained on the same machine are `run`, and with one of its camera phases
only, `run:camera-flow`, `run:camera-flow-dpa`, `run:camera-flow-ipa`, `run:camera-flow-echo`.

One file comes back, $OUT/results.zip, written anew whenever a job's last piece is done: time may
run out before the last job does. What failed leaves NAME.error.txt in it. Here again, results are
unpacked, and code and pictures are added to what came back:

    python runs/measure_h200.py collect OUT/results.zip --store STORE --results results
"""

import argparse
import json
import multiprocessing
import os
import shutil
import sys
import tempfile
import time
import traceback
from concurrent.futures import Future, ProcessPoolExecutor, as_completed, wait
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING
from zipfile import ZIP_DEFLATED, ZipFile

import base_h200 as lent

if TYPE_CHECKING:
    from aesop.metrics.judging import Observed
    from aesop.pages.jobs import Finding, Job, JobWorker, Piece

TEST = "test"
GENERATED = "generated"
BUNDLE = "results.zip"


def pack(store: Path, parcel: Path, split: str) -> None:
    """Cases of all kinds of the split, and an encoder for every text of the store."""
    from aesop.data.store import open_store
    from aesop.measuring.travelling import texts_of, write_travelling_cases
    from aesop.training.travelling_text import write_travelling_encoder

    opened = open_store(store)
    with lent.timed("cases"):
        write_travelling_cases(opened, split, parcel / TEST)
    with lent.timed("encoder"):
        write_travelling_encoder(dict.fromkeys(texts_of(opened)), parcel / lent.ENCODER_FILE)
    for path in sorted(parcel.rglob("*")):
        if path.is_file():
            lent.say(f"{path}: {path.stat().st_size / 2**20:.1f} MiB")


@dataclass(frozen=True)
class Tools:
    """What every process is given to set itself up."""

    parcel: Path
    weights: tuple[tuple[str, Path], ...]
    evaluators: Path
    shots: Path | None
    threads: int
    tf32: bool


PHASES = ("camera-flow", "camera-flow-dpa", "camera-flow-ipa", "camera-flow-echo")


def known_weights(sent: list[Path]) -> tuple[tuple[str, Path], ...]:
    """Keep what was sent; name what is there. A run with several camera phases has several."""
    from aesop.models.weights import part_file

    kept = lent.STATE / "weights"
    kept.mkdir(exist_ok=True)
    for folder in sent:
        lent.receive(folder, kept / folder.resolve().name)
    known: dict[str, Path] = {}
    for home in (*sorted(kept.iterdir()), lent.STATE / "run"):
        if part_file(home, "human-codec") is None:
            continue
        known[home.name] = home
        for phase in PHASES:
            if (home / phase).is_dir():
                known[f"{home.name}:{phase}"] = with_one_phase(home, phase)
    return tuple(known.items())


def with_one_phase(home: Path, phase: str) -> Path:
    """A folder like the run's in which no other camera phase is found."""
    folder = lent.STATE / "phases" / f"{home.name}-{phase}"
    folder.mkdir(parents=True, exist_ok=True)
    codecs = ("human-codec", "human-decoder", "camera-codec", "camera-decoder")
    for part in (*codecs, "human-flow", phase):
        link = folder / part
        if (home / part).is_dir() and not link.exists():
            try:
                link.symlink_to(home / part)
            except OSError:  # Windows lets only some people link
                shutil.copytree(home / part, link)
    return folder


class _Process:
    """This process among many."""

    workshop: "JobWorker | None" = None


def set_up(tools: Tools) -> None:
    """Once in every process. The GPU is not touched before something is to be generated."""
    lent.make_importable()
    import torch

    from aesop.evaluators.evaluator_weights import load_evaluators
    from aesop.measuring.travelling import TravelledCases
    from aesop.pages.jobs import JobWorker
    from aesop.training.travelling_text import TravellingMiniLM

    torch.set_num_threads(tools.threads)
    # Codecs are convolutions, whose inputs would otherwise be rounded to ten bits of mantissa.
    torch.backends.cudnn.allow_tf32 = False
    torch.backends.cuda.matmul.allow_tf32 = tools.tf32
    device = "cuda" if torch.cuda.is_available() else "cpu"
    encoder = TravellingMiniLM(tools.parcel / lent.ENCODER_FILE, torch.device(device))
    _Process.workshop = JobWorker(
        travelled=TravelledCases(tools.parcel / TEST),
        encoder=encoder,
        evaluators=load_evaluators(tools.evaluators, encoder, device),
        weights=dict(tools.weights),
        device=device,
        cache=lent.STATE / GENERATED,
        shots=tools.shots,
        note="matrix products of flows and evaluators in TF32" if tools.tf32 else "",
    )


def look(split: str, at_most: int | None, part: int, parts: int) -> "Observed":
    """A part of a split's references, seen by this process."""
    assert _Process.workshop is not None
    return _Process.workshop.observe(split, at_most, part, parts)


def make(piece: "Piece", part: int, parts: int) -> None:
    """A part of what a piece judges, filmed by this process."""
    assert _Process.workshop is not None
    _Process.workshop.prepare(piece, part, parts)


def do(piece: "Piece", looked_at: "Observed | None") -> "Finding":
    """A piece, done by this process."""
    assert _Process.workshop is not None
    return _Process.workshop.work(piece, looked_at)


@dataclass
class Progress:
    """What is known of one job."""

    job: "Job"
    findings: "list[Finding]" = field(default_factory=list)
    failed: bool = False


def measure(args: argparse.Namespace) -> int:
    """All jobs; the exit status, 2 if some failed."""
    from aesop.pages.jobs import read_jobs

    lent.receive(args.parcel, lent.STATE / "parcel")
    lent.receive(args.evaluators, lent.STATE / "evaluators")
    weights = known_weights(args.weights)
    lent.say(f"weights: {', '.join(name for name, _ in weights) or 'none'}")
    if args.jobs is None:
        return 0
    jobs = read_jobs(args.jobs)
    args.out.mkdir(parents=True, exist_ok=True)
    made = Path(tempfile.mkdtemp(dir=lent.STATE))
    shots = made / "shots" if args.shots else None
    if shots is not None:
        shots.mkdir()
    tools = Tools(
        parcel=lent.STATE / "parcel",
        weights=weights,
        evaluators=lent.STATE / "evaluators",
        shots=shots,
        threads=args.threads,
        tf32=args.tf32,
    )
    began = time.monotonic()
    # Every process has a core or two; libraries that start threads of their own would fight.
    os.environ["OMP_NUM_THREADS"] = os.environ["OPENBLAS_NUM_THREADS"] = str(args.threads)
    spawn = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(args.workers, spawn, set_up, (tools,)) as pool:
        seen = look_at_references(pool, jobs, args.workers)
        lent.say(f"references: {time.monotonic() - began:.1f} s since the start")
        make_ahead(pool, jobs, args.workers)
        lent.say(f"takes: {time.monotonic() - began:.1f} s since the start")
        waiting: dict[Future[Finding], Piece] = {}
        for piece in longest_first(jobs, seen):
            key = (piece.job.split, piece.job.at_most)
            looked_at = None if piece.job.kind == "direction" else seen.get(key)
            waiting[pool.submit(do, piece, looked_at)] = piece
        progress = {job.name: Progress(job) for job in jobs}
        for future in as_completed(waiting):
            piece = waiting[future]
            take(future, piece, progress[piece.job.name], made)
            bundle(made, args.out)
            lent.say(f"  {time.monotonic() - began:.0f} s since the start")
    failed = [it.job.name for it in progress.values() if it.failed]
    lent.say(f"{len(jobs) - len(failed)} of {len(jobs)} jobs done; failed: {failed or 'none'}")
    return 2 if failed else 0


def look_at_references(
    pool: ProcessPoolExecutor, jobs: "list[Job]", parts: int
) -> "dict[tuple[str, int | None], Observed]":
    """Every split once, by all processes together. A split that cannot be read fails its jobs."""
    from aesop.pages.jobs import joined

    keys = dict.fromkeys((job.split, job.at_most) for job in jobs if job.kind != "direction")
    futures = {key: [pool.submit(look, *key, part, parts) for part in range(parts)] for key in keys}
    seen: dict[tuple[str, int | None], Observed] = {}
    for key, waited in futures.items():
        errors = [it.exception() for it in waited]
        if any(errors):
            lent.say(f"{key}: {next(it for it in errors if it is not None)}")
        else:
            seen[key] = joined([it.result() for it in waited])
    return seen


def make_ahead(pool: ProcessPoolExecutor, jobs: "list[Job]", parts: int) -> None:
    """Takes and corrections, which need cores, are made by all processes together. What fails here
    fails again, and is told, where it is judged."""
    finished = [job for job in jobs if job.kind == "task" and job.finish != "as-sampled"]
    wait(
        [
            pool.submit(make, piece, part, parts)
            for job in finished
            for piece in job.pieces
            for part in range(parts)
        ]
    )


def longest_first(
    jobs: "list[Job]", seen: "dict[tuple[str, int | None], Observed]"
) -> "list[Piece]":
    """Short pieces fill the gaps at the end."""

    def cost(piece: "Piece") -> float:
        known = seen.get((piece.job.split, piece.job.at_most))
        clips = len(known.tags) if known else 10_000
        return clips * (1.3 if piece.job.task == "shoot" else 1.0)

    return sorted((piece for job in jobs for piece in job.pieces), key=cost, reverse=True)


def take(future: "Future[Finding]", piece: "Piece", progress: Progress, out: Path) -> None:
    """Note what a piece found; with the last piece of a job, write the job's files."""
    from aesop.pages.jobs import write_job

    job = progress.job
    error = future.exception()
    if error is None:
        finding = future.result()
        progress.findings.append(finding)
        lent.say(f"{piece.label}: {finding.seconds:.1f} s")
    else:
        progress.failed = True
        told = "".join(traceback.format_exception(error))
        with (out / f"{job.name}.error.txt").open("a", encoding="utf-8") as file:
            file.write(f"{piece.label}\n{told}\n")
        lent.say(f"{piece.label} failed: {error}")
    if len(progress.findings) == len(job.pieces):
        with lent.timed(f"{job.name} written"):
            write_job(out, job, progress.findings)


def bundle(made: Path, out: Path) -> None:
    """Everything so far in one file, whole or as it was before."""
    from aesop.core.atomic import atomic_path

    with atomic_path(out / BUNDLE) as temporary, ZipFile(temporary, "w", ZIP_DEFLATED) as file:
        for path in sorted(made.rglob("*")):
            if not path.name.startswith("."):  # what another process is just writing
                file.write(path, path.relative_to(made))


def collect(came_back: Path, store: Path | None, results: Path) -> None:
    """Results with the code they were made by, which is the tree that was sent: collect before
    changing it. Shots become sheets beside their references."""
    with tempfile.TemporaryDirectory() as folder, ZipFile(came_back) as file:
        file.extractall(folder)
        unpack(Path(folder), store, results)


def unpack(came_back: Path, store: Path | None, results: Path) -> None:
    """From the folder that the bundle held."""
    from aesop.training.run_record import code_state

    results.mkdir(parents=True, exist_ok=True)
    code = code_state(lent.ROOT)
    for path in sorted(came_back.iterdir()):
        if path.suffix == ".json":
            stamp(path, results / path.name, code.commit, code.diff_sha256)
        elif path.suffix in {".md", ".tex", ".png"}:
            text = path.read_bytes().replace(
                b"code `unknown`", f"code `{code.commit[:12]}`".encode()
            )
            (results / path.name).write_bytes(text)
        elif path.name.endswith(".error.txt"):
            said = path.read_text(encoding="utf-8")
            lent.say(f"{path.name}: {said}")
    shots = sorted((came_back / "shots").glob("*.shot"))
    if store is not None and shots:
        draw_sheets(shots, store, results)


def stamp(path: Path, target: Path, commit: str, diff_sha256: str | None) -> None:
    """Say which code it was, where the machine could not know."""
    said = json.loads(path.read_text(encoding="utf-8"))
    for record in (said, said.get("result", {})):
        if record.get("code", {}).get("commit") == "unknown":
            record["code"] = {"commit": commit, "diff_sha256": diff_sha256}
    target.write_text(json.dumps(said, indent=1) + "\n", encoding="utf-8")


def draw_sheets(shots: list[Path], store: Path, results: Path) -> None:
    """Reference and answer side by side, a sheet for every job."""
    from aesop.data.store import open_store
    from aesop.files.shot_file import read_shot
    from aesop.pages.result_pages import write_qualitative

    opened = open_store(store)
    for name in sorted({path.stem.rsplit("_", 1)[0] for path in shots}):
        own = [path for path in shots if path.stem.rsplit("_", 1)[0] == name]
        rows = [int(path.stem.rsplit("_", 1)[1]) for path in own]
        pairs = [
            (opened.as_shot(row), read_shot(path)) for row, path in zip(rows, own, strict=True)
        ]
        write_qualitative(results / f"{name}.png", pairs, "AESOP")


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    verbs = parser.add_subparsers(dest="verb", required=True)
    packing = verbs.add_parser("pack")
    packing.add_argument("store", type=Path)
    packing.add_argument("parcel", type=Path)
    packing.add_argument("--split", default=TEST)
    measuring = verbs.add_parser("measure")
    measuring.add_argument("jobs", type=Path, nargs="?", help="none: keep what travelled")
    measuring.add_argument("--parcel", type=Path, help="what travelled with this call")
    measuring.add_argument("--weights", type=Path, nargs="*", default=[], help="folders; kept")
    measuring.add_argument("--evaluators", type=Path, help="folder; kept")
    measuring.add_argument("--out", type=Path, default=Path())
    measuring.add_argument("--workers", type=int, default=12)
    measuring.add_argument("--threads", type=int, default=1, help="of every worker")
    measuring.add_argument("--tf32", action="store_true", help="faster, rounded, and said so")
    measuring.add_argument("--shots", action="store_true", help="bring four answers of each back")
    collecting = verbs.add_parser("collect")
    collecting.add_argument("came_back", type=Path)
    collecting.add_argument("--store", type=Path, help="for sheets beside the references")
    collecting.add_argument("--results", type=Path, default=lent.ROOT / "results")
    args = parser.parse_args()
    lent.STATE.mkdir(parents=True, exist_ok=True)
    lent.make_importable()
    if args.verb == "pack":
        pack(args.store, args.parcel, args.split)
    elif args.verb == "measure":
        return measure(args)
    else:
        collect(args.came_back, args.store, args.results)
    return 0


if __name__ == "__main__":
    sys.exit(main())
