"""`aesop reproduce`: tell what will be done and how long it takes, then do what is not done yet."""

import math
from collections.abc import Callable
from pathlib import Path

from aesop.measuring.runs import ProgressBar
from aesop.reproduction.drawn_figures import page_stages
from aesop.reproduction.measured_rows import Laboratory, measuring_stages, require_measurable
from aesop.reproduction.reproduction_request import (
    ReproductionError,
    ReproductionFolder,
    ReproductionRequest,
    keep_plan,
    require_everything,
)
from aesop.reproduction.stage_list import ReproductionStage, StageContext, in_words, training_stages


def reproduce(
    request: ReproductionRequest,
    bar: ProgressBar,
    report: Callable[[str], None],
    *,
    is_plan_only: bool = False,
) -> list[Path]:
    """Everything from raw files to tables and figures; the pages that were written. Called again
    after an interruption, it goes on where it stopped."""
    encoder = require_everything(request)
    context = StageContext(request, ReproductionFolder(request.out), encoder, bar, report)
    lab = Laboratory(context)
    stages = [
        *training_stages(context),
        *measuring_stages(context, lab),
        *page_stages(context, lab),
    ]
    for line in plan_lines(context, stages):
        report(line)
    if is_plan_only:
        return []
    keep_plan(request, encoder)
    is_checked = False
    for number, stage in enumerate(stages, start=1):
        if stage.is_done:
            continue
        if not is_checked and not stage.name.startswith(("import", "build Fables")):
            require_measurable(lab)
            is_checked = True
        report(f"[{number}/{len(stages)}] {stage.name}")
        stage.work()
        if stage.makes is not None and not stage.makes.exists():
            raise ReproductionError(
                f"{stage.name} came to no end: {stage.makes} is not there.", "Start it again."
            )
    pages = [*context.folder.tables.rglob("*.md"), *context.folder.figures.glob("*.png")]
    return sorted(pages)


def plan_lines(context: StageContext, stages: list[ReproductionStage]) -> list[str]:
    """What will be done, in its order, and about how long each stage takes."""
    rest = [stage for stage in stages if not stage.is_done]
    where = "one GPU (measured on an H200)" if context.device == "cuda" else "two CPU cores"
    lines = [
        f"{context.request.recipe}: {len(stages)} stages, {len(stages) - len(rest)} done; about "
        f"{in_words(math.fsum(stage.seconds for stage in rest))} on {where}"
    ]
    for number, stage in enumerate(stages, start=1):
        state = "done" if stage.is_done else in_words(stage.seconds)
        lines.append(f"{number:>4}. {stage.name} ({state})")
    if context.request.shorten > 1:
        lines.append(
            f"NOT A REPRODUCTION: every phase has {context.request.shorten} times fewer updates."
        )
    if context.device == "cpu" and context.request.recipe != "tiny":
        lines.append(f"There is no GPU here; {context.request.recipe} is meant for one.")
    return lines
