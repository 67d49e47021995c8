"""Measure many rows at once on a lent GPU that knows nothing and forgets everything.

Here, with the package installed, a test split and the text encoder are packed:

    python lab/measure_h200.py pack STORE parcel

There, with Python, torch, numpy, safetensors, jaxtyping, tqdm and pillow only, jobs are done by
several processes that share the GPU: sampling needs the GPU, looking at shots needs the cores.

    python3 lab/measure_h200.py measure jobs.json --parcel parcel --out "$OUT" \\
        --weights src/aesop/weights/base --evaluators src/aesop/weights/evaluators

`jobs.json` is a list of objects with the fields of `aesop.measuring.jobs.Job`, for example

    [{"kind": "task", "task": "film", "split": "test/pure", "weights": "base", "method": "AESOP"},
     {"kind": "sweep", "task": "shoot", "weights": "base"}, {"kind": "reference", "method": "GT"}]

Weights, evaluators and parcels that travelled once are kept as long as the machine is: a first call
without jobs can bring what does not fit into one. Weights are known by the name of their folder;
those that `base_h200.py` trained on the same machine are `run`, and with one of its camera phases
only, `run:camera-flow`, `run:camera-flow-dpa`, `run:camera-flow-ipa`,
`run:camera-flow-self-distilled`.

One file comes back, $OUT/results.zip, written anew whenever a job's last piece is done: time may
run out before the last job does. What failed leaves NAME.error.txt in it. Here again, results are
unpacked, and code and pictures are added to what came back:

    python lab/measure_h200.py collect OUT/results.zip --store STORE --results results
"""

import argparse
import json
import os
import shutil
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING
from zipfile import ZIP_DEFLATED, ZipFile

import base_h200 as lent

if TYPE_CHECKING:
    from aesop.measuring.jobs import JobWorker

TEST = "test"
GENERATED = "generated"
BUNDLE = "results.zip"


def pack(store: Path, parcel: Path, split: str) -> None:
    """Cases of all kinds of the split, and an encoder for every text of the store."""
    from aesop.data.store import open_store
    from travelling import texts_of, write_travelling_cases, write_travelling_encoder

    opened = open_store(store)
    with lent.timed("cases"):
        write_travelling_cases(opened, split, parcel / TEST)
    with lent.timed("encoder"):
        write_travelling_encoder(dict.fromkeys(texts_of(opened)), parcel / lent.ENCODER_FILE)
    lent.say_sizes(parcel)


@dataclass(frozen=True)
class ParcelSetup:
    """What every process makes its worker from: what travelled here, and how to compute."""

    parcel: Path
    weights: tuple[tuple[str, Path], ...]
    evaluators: Path
    shots: Path | None
    threads: int
    tf32: bool

    def worker(self) -> "JobWorker":
        """The GPU is not touched before something is to be generated."""
        import torch

        from aesop.evaluators.evaluator_weights import load_evaluators
        from aesop.measuring.jobs import JobWorker
        from travelling import TravelledCases, TravellingMiniLM

        torch.set_num_threads(self.threads)
        # Codecs are convolutions, whose inputs would otherwise be rounded to ten bits of mantissa.
        torch.backends.cudnn.allow_tf32 = False
        torch.backends.cuda.matmul.allow_tf32 = self.tf32
        device = "cuda" if torch.cuda.is_available() else "cpu"
        encoder = TravellingMiniLM(self.parcel / lent.ENCODER_FILE, torch.device(device))
        return JobWorker(
            read=TravelledCases(self.parcel / TEST).cases,
            encoder=encoder,
            evaluators=load_evaluators(self.evaluators, encoder, device),
            weights=dict(self.weights),
            device=device,
            cache=lent.STATE / GENERATED,
            shots=self.shots,
            note="matrix products of flows and evaluators in TF32" if self.tf32 else "",
        )


PHASES = ("camera-flow", "camera-flow-dpa", "camera-flow-ipa", "camera-flow-self-distilled")


def known_weights(sent: list[Path]) -> tuple[tuple[str, Path], ...]:
    """Keep what was sent; name what is there. A run with several camera phases has several; one
    that holds compared methods alone has a name too."""
    from aesop.models.phase_table import METHOD_NAMES
    from aesop.models.weights import part_file

    kept = lent.STATE / "weights"
    kept.mkdir(exist_ok=True)
    for folder in sent:
        lent.receive(folder, kept / folder.resolve().name)
    known: dict[str, Path] = {}
    for home in (*sorted(kept.iterdir()), lent.STATE / "run"):
        has_codec = part_file(home, "human-codec") is not None
        if has_codec or any(
            (home / name / "weights.safetensors").exists() for name in METHOD_NAMES
        ):
            known[home.name] = home
        if not has_codec:
            continue
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


def measure(args: argparse.Namespace) -> int:
    """All jobs; the exit status, 2 if some failed. Results of an earlier call on the same machine
    come back with them where `made` names the same folder."""
    from aesop.measuring.jobs import read_jobs, run_jobs
    from aesop.pages.result_pages import write_job

    lent.receive(args.parcel, lent.STATE / "parcel")
    lent.receive(args.evaluators, lent.STATE / "evaluators")
    weights = known_weights(args.weights)
    lent.say(f"weights: {', '.join(name for name, _ in weights) or 'none'}")
    if args.jobs is None:
        return 0
    jobs = read_jobs(args.jobs)
    args.out.mkdir(parents=True, exist_ok=True)
    made = args.made or Path(tempfile.mkdtemp(dir=lent.STATE))
    shots = made / "shots" if args.shots else None
    if shots is not None:
        shots.mkdir(parents=True, exist_ok=True)
    setup = ParcelSetup(
        parcel=lent.STATE / "parcel",
        weights=weights,
        evaluators=lent.STATE / "evaluators",
        shots=shots,
        threads=args.threads,
        tf32=args.tf32,
    )
    # Every process has a core or two; libraries that start threads of their own would fight.
    os.environ["OMP_NUM_THREADS"] = os.environ["OPENBLAS_NUM_THREADS"] = str(args.threads)
    failed: set[str] = set()
    for state in run_jobs(jobs, setup, args.workers, lent.say):
        write_job(made, state)
        if state.errors:
            failed.add(state.job.name)
        bundle(made, args.out)
    lent.say(
        f"{len(jobs) - len(failed)} of {len(jobs)} jobs done; failed: {sorted(failed) or 'none'}"
    )
    return 2 if failed else 0


def bundle(made: Path, out: Path) -> None:
    """Everything so far in one file, whole or as it was before."""
    from aesop.core.whole_files import atomic_path

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
    from aesop.core.machine import code_state

    results.mkdir(parents=True, exist_ok=True)
    code = code_state(lent.ROOT)
    for path in sorted(came_back.rglob("*")):
        if path.suffix == ".json":
            target = results / path.relative_to(came_back)
            target.parent.mkdir(parents=True, exist_ok=True)
            stamp(path, target, code.commit, code.diff_sha256)
        elif path.name.endswith(".error.txt"):
            lent.say(f"{path.name}: {path.read_text(encoding='utf-8')}")
    shots = sorted((came_back / "shots").glob("*.shot"))
    if store is not None and shots:
        draw_sheets(shots, store, results)


def stamp(path: Path, target: Path, commit: str, diff_sha256: str | None) -> None:
    """Say which code it was, where the machine could not know."""
    result = json.loads(path.read_text(encoding="utf-8"))
    for record in (result, result.get("result", {})):
        if record.get("code", {}).get("commit") == "unknown":
            record["code"] = {"commit": commit, "diff_sha256": diff_sha256}
    target.write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")


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
        write_qualitative(results / "sheets" / f"{name}.png", pairs, "AESOP")


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
    measuring.add_argument("--made", type=Path, help="folder there that several calls share")
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
