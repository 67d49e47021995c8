"""`aesop study …`: the paired user study, from its plan to its tables."""

import sys
from pathlib import Path
from typing import Annotated, Literal

from tyro.conf import FlagCreatePairsOff, Positional, arg

from aesop.cli.terminal import progress_bar, remark, report, wrote
from aesop.core.errors import AesopError

Folder = Annotated[Path, arg(metavar="OUT", help="The folder of the study.")]
PlanFile = Annotated[
    Path,
    arg(metavar="PLAN", help="A TOML file (docs/study.md), or `paper`, `fables` or `baselines`."),
]
Switch = Annotated[bool, FlagCreatePairsOff]


def make(
    plan: Positional[PlanFile],
    out: Positional[Folder],
    /,
    *,
    data: Annotated[Path | None, arg(help="A finished store, in place of the plan's.")] = None,
    cache: Annotated[Path | None, arg(help="Where generated shots are kept.")] = None,
) -> None:
    """Prepare a study: film every clip by every method, draw the videos, deal balanced sheets, and
    prove the balance in balance.md. An interrupted run goes on where it stopped."""
    from dataclasses import replace

    import torch

    from aesop.measuring.methods import default_cache_folder
    from aesop.study.study_folder import BALANCE_FILE, STUDY_FILE, VIDEOS, make_study
    from aesop.study.study_plan import read_plan_file
    from aesop.study.study_report import power_text

    planned = read_plan_file(plan)
    planned = planned if data is None else replace(planned, data=data)
    device = "cuda" if torch.cuda.is_available() else "cpu"
    study = make_study(planned, out, cache or default_cache_folder(), device, progress_bar)
    for task in study.balances:
        remark(f"{task.task}: {task.comparisons} comparisons, {task.trials} trials")
    remark(f"{len(study.videos)} videos in {out / VIDEOS}, for {len(study.sheets)} participants")
    remark(power_text(study))
    for name in (BALANCE_FILE, STUDY_FILE):
        wrote(out / name)


def serve(
    out: Positional[Folder],
    /,
    *,
    host: Annotated[
        str, arg(help="Where to listen. Anything but this machine alone needs --url.")
    ] = "127.0.0.1",
    port: Annotated[int, arg(help="0 takes any free one.")] = 8767,
    url: Annotated[
        str | None, arg(help="The address participants use, where a proxy stands before us.")
    ] = None,
) -> None:
    """Serve the study's page and take answers. The address is printed once it answers; a server
    that was stopped, or killed, goes on where it was."""
    from aesop.study.study_server import StudyPlace, serve_study

    if not 0 <= port <= 65535:
        raise AesopError(f"There is no port {port}.", "Choose 0 (any free one) to 65535.")
    serve_study(out, StudyPlace(host, port, url), _ready)


def _ready(url: str) -> None:
    report(url)
    sys.stdout.flush()  # whoever started us waits for this line
    remark("serving until stopped with Ctrl-C")


def report_votes(
    out: Positional[Folder],
    /,
    *,
    output: Annotated[
        Path | None, arg(aliases=["-o"], help="Folder for the pages; OUT/report if not given.")
    ] = None,
    incomplete: Annotated[
        Switch, arg(help="Count the answers of those too who did not finish.")
    ] = False,
    intervals: Annotated[
        Literal["expanded", "percentile"],
        arg(help="Widened for few participants, or plain percentiles, as in the paper."),
    ] = "expanded",
) -> None:
    """Analyse the votes: preferences with participant-cluster intervals, pairwise and overall, all
    criteria in one figure, counts, agreement, side bias and times. Markdown, LaTeX, JSON and PNG.
    Can be run at any time, also while answers come in."""
    from aesop.study.record import StudyRecord
    from aesop.study.study_folder import RECORD_FILE, read_study
    from aesop.study.study_report import SIMULATED, report_record, write_report

    study = read_study(out)
    record = StudyRecord(out / RECORD_FILE, study, is_new_allowed=False)
    try:
        found = report_record(study, record, with_incomplete=incomplete, intervals=intervals)
    finally:
        record.close()
    if study.is_simulated:
        remark(SIMULATED)
    for path in write_report(study, found, output or out / "report"):
        wrote(path)


def simulate(  # noqa: PLR0913 - flags, spelled out
    plan: Positional[PlanFile],
    out: Positional[Folder],
    /,
    *,
    seed: Annotated[int, arg(help="Of the participants.")] = 0,
    better: Annotated[
        float, arg(help="How much better the first method of a task is, in noise of a judgement.")
    ] = 0.5,
    careless: Annotated[float, arg(help="Share of answers that are thrown by dice.")] = 0.0,
    side_bias: Annotated[float, arg(help="How much better the left one always seems.")] = 0.0,
    ties: Annotated[float, arg(help="For the power: the share of ties.")] = 0.2,
    spread: Annotated[
        float, arg(help="For the power: how far participants' own preferences spread.")
    ] = 0.1,
) -> None:
    """Make up participants with known preferences for a plan, without any video, and report them:
    to learn how a study goes, and before one, how many participants it needs. Votes, pages and
    figures say that they are simulated."""
    from aesop.study.record import StudyRecord
    from aesop.study.simulated import Crowd, simulate_votes
    from aesop.study.study_folder import (
        BALANCE_FILE,
        RECORD_FILE,
        STUDY_FILE,
        study_without_videos,
        write_study,
    )
    from aesop.study.study_plan import read_plan_file
    from aesop.study.study_report import power_text, report_record, write_report

    for name, share in (("careless", careless), ("ties", ties)):
        if not 0 <= share <= 1:
            raise AesopError(f"--{name} {share:g} is no share.", "Give a number from 0 to 1.")
    if (out / STUDY_FILE).exists():
        raise AesopError(f"{out} holds a study already.", "Name another folder.")
    study = study_without_videos(read_plan_file(plan, needs_methods=False))
    quality = {task.methods[0]: better for task in study.plan.tasks}
    votes = simulate_votes(study, Crowd(quality, careless=careless, side_bias=side_bias), seed)
    write_study(study, out)
    record = StudyRecord(out / RECORD_FILE, study)
    try:
        record.add_simulated(votes)
        found = report_record(study, record, with_incomplete=False)
    finally:
        record.close()
    report(power_text(study, ties, spread))
    wrote(out / BALANCE_FILE)
    for path in write_report(study, found, out / "report"):
        wrote(path)


def export(
    out: Positional[Folder],
    /,
    *,
    output: Annotated[
        Path | None, arg(aliases=["-o"], help="Folder for both files; OUT if not given.")
    ] = None,
) -> None:
    """Write all votes as votes.csv and votes.json, a row for every response: participants by
    number, times, sides, how much was played, versions."""
    from aesop.core.whole_files import atomic_path
    from aesop.study.record import StudyRecord, votes_csv, votes_json
    from aesop.study.study_folder import RECORD_FILE, read_study

    study = read_study(out)
    record = StudyRecord(out / RECORD_FILE, study, is_new_allowed=False)
    try:
        votes = record.votes()
    finally:
        record.close()
    folder = output or out
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in (("votes.csv", votes_csv(votes)), ("votes.json", votes_json(study, votes))):
        with atomic_path(folder / name) as temporary:
            temporary.write_text(text, encoding="utf-8", newline="\n")
        wrote(folder / name)


def remove(
    out: Positional[Folder],
    number: Positional[Annotated[int, arg(metavar="NUMBER", help="Of the participant.")]],
    /,
) -> None:
    """Erase everything that a participant said, at their wish. Their link ends, and their sheet
    goes to somebody else. Can be done while the study is served."""
    from aesop.study.record import StudyRecord
    from aesop.study.study_folder import RECORD_FILE, read_study

    record = StudyRecord(out / RECORD_FILE, read_study(out), is_new_allowed=False)
    try:
        gone = record.remove(number)
    finally:
        record.close()
    remark(f"participant {number} is removed, with {gone} answers")
