"""`aesop reproduce`: the paper's protocol from raw files to tables and figures."""

import os
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Literal

from tyro.conf import FlagCreatePairsOff, OmitArgPrefixes, arg

from aesop.cli.measure_options import JUDGE_DEFAULTS, JudgeOptions
from aesop.cli.terminal import progress_bar, remark, wrote

# Read when torch starts its threads: two programs that spin while waiting stop each other.
os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")
Switch = Annotated[bool, FlagCreatePairsOff]
# The paper's generation and reconstruction rows are means of three trainings.
USUAL_TRAININGS = {"paper": 3, "base": 1, "tiny": 1}


@dataclass(frozen=True)
class MethodOptions:
    """What is trained on what."""

    encoder: Annotated[
        str | None, arg(help='Words are read by "minilm" (if not given), "clip" or "clip:FOLDER".')
    ] = None
    text: Annotated[
        Literal["sequence", "pooled"],
        arg(help="Flows read every word piece of a caption, or one pooled vector of it."),
    ] = "sequence"
    canonicalise: Annotated[
        Switch, arg(help="Import PulpMotion's clips turned to yaw 0 (docs/training_data.md).")
    ] = False
    trainings: Annotated[
        int | None,
        arg(help="Trainings, each with a seed of its own; 3 for paper, as there, else 1."),
    ] = None
    own_evaluators: Annotated[
        Switch, arg(help="Train evaluators on this data first (recipes base and tiny).")
    ] = False


@dataclass(frozen=True)
class ExtentOptions:
    """How much of it, and how it is carried out."""

    split: Annotated[str, arg(help="What is measured on.")] = "test/pure"
    at_most: Annotated[
        int | None, arg(help="Shots to measure, evenly spaced; all if not given.")
    ] = None
    shorten: Annotated[
        int, arg(help="Divide the updates of every phase: to try it all before a long run.")
    ] = 1
    outside: Annotated[
        Path | None,
        arg(help="A CSV list of motions and sentences (`aesop figure outside`), for that figure."),
    ] = None
    workers: Annotated[
        int | None, arg(help="Processes for data and pairs; all cores if not given.")
    ] = None
    compile: Annotated[
        Switch, arg(help="Let torch.compile fuse the networks; pays on a GPU after a minute.")
    ] = False
    plan: Annotated[Switch, arg(help="Tell what would be done and how long it takes; no more.")] = (
        False
    )


METHOD_DEFAULTS, EXTENT_DEFAULTS = MethodOptions(), ExtentOptions()


def reproduce(
    *,
    recipe: Literal["paper", "base", "tiny"],
    data: Path,
    out: Path,
    method: Annotated[MethodOptions, OmitArgPrefixes] = METHOD_DEFAULTS,
    judges: Annotated[JudgeOptions, OmitArgPrefixes] = JUDGE_DEFAULTS,
    extent: Annotated[ExtentOptions, OmitArgPrefixes] = EXTENT_DEFAULTS,
) -> None:
    """Go from raw files to the paper's tables and figures: import, codecs, pairs, flows, measuring,
    pages. Tells first what it will do and how long it takes, and stops at once if something is
    missing. Started again after an interruption, it goes on and ends with the same tables.

    Args:
        recipe: "paper" has the paper's numbers, "base" is what AESOP ships, "tiny" is for trying.
        data: PulpMotion's folder, the CMU takes as BVH (folder or archive; Fables is built from
            them), or a finished store.
        out: The folder for everything that is made.
    """
    from aesop.reproduction.reproducing import reproduce as run
    from aesop.reproduction.reproduction_request import ReproductionRequest

    trainings = USUAL_TRAININGS[recipe] if method.trainings is None else method.trainings
    request = ReproductionRequest(
        recipe,
        data,
        out,
        encoder=method.encoder or "minilm",
        text=method.text,
        judges=judges.choice(),
        own_evaluators=method.own_evaluators,
        canonicalise=method.canonicalise,
        split=extent.split,
        at_most=extent.at_most,
        trainings=trainings,
        shorten=extent.shorten,
        outside=extent.outside,
        workers=extent.workers,
        is_compiled=extent.compile,
    )
    for path in run(request, progress_bar, remark, is_plan_only=extent.plan):
        wrote(path)
