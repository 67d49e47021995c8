"""Rows of the compared methods on a lent GPU: guidance chosen on validation, the test split filmed
method by method and measured with all cores."""

import argparse
import json
import shutil
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import base_h200 as lent
import measure_h200 as measuring
from baseline_names import (
    GUIDANCE_FILE,
    JUDGED,
    OURS,
    has_weights,
    home,
    method_called,
    own_job,
    read_notes,
    task_of,
    write_notes,
)

if TYPE_CHECKING:
    from aesop.measuring.cases import Cases, Task
    from aesop.measuring.method_table import BaselineMethod
    from aesop.models.phase_table import MethodName
    from aesop.scene.shot import Shot

# What is tried beside the paper's guidance, which comes first and wins ties.
GUIDANCES: "dict[MethodName, tuple[tuple[float, ...], ...]]" = {
    "director-c": ((1.4,), (2.5,)),
    "dancecamera3d": ((1.75, 1.0), (1.0, 2.0)),
    "ccd": ((2.0,), (1.0,)),
    "ccd-h": ((2.0,), (1.0,)),
    "pulpmotion-dit": ((11.0, -1.0, 0.0), (4.0, -1.0, 0.0), (2.0, -1.0, 0.0), (4.0, -1.0, 0.25)),
    "pulpmotion-mar": ((3.5, 2.0, 0.0), (2.0, 1.0, 0.0), (1.5, 1.0, 0.0), (2.0, 1.0, 0.25)),
}


def guide(args: argparse.Namespace) -> None:
    """Choose guidance on validation shots, by ranks in movement F1 and r-FPD together."""
    from travelling import TravelledCases

    args.out.mkdir(parents=True, exist_ok=True)
    travelled = TravelledCases(lent.STATE / "parcel" / JUDGED)
    for name in args.methods:
        if name not in GUIDANCES:
            continue
        if not has_weights(name):
            lent.say(f"{name} has no weights here and is not guided")
            continue
        cases = travelled.cases("validation", args.at_most, task_of(name) != "film")
        rows = []
        for guidance in GUIDANCES[name]:
            with lent.timed(f"{name} at {guidance}"):
                shots = filmed(name, guidance, cases, args.seed)
            rows.append({"guidance": guidance, **look(cases, shots)})
        by_f1 = sorted(rows, key=lambda row: -row["f1"])
        by_framing = sorted(rows, key=lambda row: row["r_fpd"])
        best = min(rows, key=lambda row: by_f1.index(row) + by_framing.index(row))
        notes = read_notes(GUIDANCE_FILE)
        notes[name] = {"tried": rows, "chosen": best["guidance"], "shots": len(cases.cases)}
        write_notes(GUIDANCE_FILE, notes)
        lent.say(f"{name}: {notes[name]}")
    if (home() / GUIDANCE_FILE).exists():
        shutil.copyfile(home() / GUIDANCE_FILE, args.out / GUIDANCE_FILE)


def method_here(name: "MethodName", guidance: tuple[float, ...]) -> "BaselineMethod":
    import torch

    from aesop.measuring.method_table import trained_baseline
    from travelling import TravellingMiniLM

    device = "cuda" if torch.cuda.is_available() else "cpu"
    encoder = TravellingMiniLM(lent.STATE / "parcel" / lent.ENCODER_FILE, torch.device(device))
    return trained_baseline(home(), name, encoder, device, guidance)


def filmed(
    name: "MethodName", guidance: tuple[float, ...], cases: "Cases", seed: int
) -> "list[Shot]":
    """All cases, in batches by length."""
    from aesop.measuring.methods import Ask

    method, ask = method_here(name, guidance), Ask(task_of(name), seed)
    method.prepare(cases.cases, ask)
    return method.answer(cases.cases, ask)


def look(cases: "Cases", shots: "Sequence[Shot]") -> dict[str, float]:
    """Movement F1 and r-FPD: geometry alone."""
    import numpy as np

    from aesop.metrics.embedding_metrics import frechet_distance
    from aesop.metrics.framing_metrics import framing_of, moments_of
    from aesop.metrics.judging import pooled_gaussian
    from aesop.metrics.movement_metrics import clip_tables, movement_f1
    from aesop.scene.movement import tag_path

    tags = [tag_path(shot.camera, shot.fps) for shot in shots]
    tables = clip_tables([case.target_tags for case in cases.cases], tags)
    wanted, made = (
        pooled_gaussian(moments_of([framing_of(shot) for shot in some]), np.ones(len(some)))
        for some in (cases.references, shots)
    )
    return {
        "f1": float(movement_f1(tables.sum(0).astype(np.float64)).weighted),
        "r_fpd": float(frechet_distance(wanted, made)),
    }


def chosen_guidance(name: str) -> tuple[float, ...]:
    """What validation chose; the paper's where it was not asked."""
    note = read_notes(GUIDANCE_FILE).get(name)
    return () if note is None else tuple(note["chosen"])  # pyright: ignore[reportArgumentType]


def generated(name: str, cases: "Cases", seeds: Sequence[int]) -> dict[str, object]:
    """All shots of a method, made on the GPU and kept; and the job that judges them."""
    from aesop.measuring.methods import Ask, generate

    named, guidance = method_called(name), chosen_guidance(name)
    task, method = named.task, method_here(named.name, guidance)
    for seed in seeds[:1] if task == "codec" else seeds:
        ask = Ask(task, seed)
        with lent.timed(f"{name}, {len(cases.cases)} shots of {cases.split}, seed {seed}"):
            method.prepare(cases.cases, ask)
            generate(method, cases, ask, lent.STATE / measuring.GENERATED)
    kind = {"kind": "codec"} if task == "codec" else {"kind": "task", "task": task}
    who = {"method": named.paper_name, "by": name, "guidance": guidance}
    return {**kind, **who, "weights": "baselines"}


def measure(args: argparse.Namespace) -> int:
    """Method by method: film the test split, measure it with all cores, leave its rows. Who has no
    weights here is left out; the exit status is 2 if somebody was, or if a row failed."""
    absent = [name for name in args.methods if not has_weights(name)]
    for name in absent:
        lent.say(f"{name} has no weights here and is left out")
    if not (args.evaluators.is_dir() or (lent.STATE / "evaluators").is_dir()):
        sys.exit(f"there are no evaluators at {args.evaluators}; send them with --evaluators")
    args.out.mkdir(parents=True, exist_ok=True)
    present = [name for name in args.methods if name not in absent]
    tasks: set[Task] = {task_of(name) for name in args.methods if name != OURS} or {"film"}
    statuses = [measure_one(name, tasks, args) for name in present]
    return max([2 if absent else 0, *statuses])


def measure_one(name: str, tasks: "set[Task]", args: argparse.Namespace) -> int:
    """All rows of one method, beside those of the methods before it."""
    from travelling import TravelledCases

    travelled = TravelledCases(lent.STATE / "parcel" / measuring.TEST)
    jobs: list[dict[str, Any]] = []
    for split in args.splits:
        common: dict[str, Any] = {"split": split, "seeds": args.seeds, "at_most": args.at_most}
        if name == OURS:
            jobs += [common | own_job(task) for task in sorted(tasks)]
        else:
            cases = travelled.cases(split, args.at_most, task_of(name) != "film")
            jobs.append(common | generated(name, cases, args.seeds))
    path = lent.STATE / "baseline_jobs.json"
    path.write_text(json.dumps(jobs), encoding="utf-8")
    request = argparse.Namespace(
        jobs=path,
        parcel=None,
        evaluators=args.evaluators,
        weights=[],
        out=args.out,
        made=lent.STATE / "baseline_rows",
        workers=args.workers,
        threads=1,
        tf32=False,
        shots=True,
    )
    return measuring.measure(request)
