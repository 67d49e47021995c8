"""`aesop train …`: one phase of the method, or all of them."""

import os
import sys
from pathlib import Path
from typing import Literal

from tyro.conf import Positional

from aesop.cli.film_options import refuse_flag
from aesop.cli.terminal import progress_bar, remark, wrote
from aesop.models.phase_table import PHASES, PhaseName

What = Literal["all", PhaseName, "clatr", "tmr"]


def train(  # noqa: PLR0913 - flags, spelled out
    what: Positional[What],
    /,
    *,
    data: Path,
    out: Path,
    recipe: Literal["paper", "base", "tiny"] = "base",
    pairs: Path | None = None,
    encoder: str | None = None,
    resume: bool = False,
    sheets: bool = True,
    tensorboard: bool = False,
    compile: bool = False,
) -> None:
    """Train a phase, or all in the order in which they are listed; those after camera-flow only
    with --pairs. Both decoders and self-distillation are ours, and not in `all` of the recipe
    paper. Each phase reads what earlier ones left in the run folder. Runs on a GPU if there is one;
    `torchrun -m aesop train …` runs on several. `clatr` and `tmr` train the evaluators that judge
    cameras and people (recipes base and tiny).

    Args:
        what: The phase.
        data: A finished store (`aesop data build fables`, `aesop data import pulpmotion`).
        out: The run folder; every phase has a folder in it with weights, log and record.
        recipe: "paper" has the paper's numbers, "base" is what AESOP ships, "tiny" is for trying.
        pairs: Direction and intensity pairs (`aesop pairs build`), for the paper's last two phases.
        encoder: Words are read by "minilm" (if not given), "clip", or "clip:FOLDER".
        resume: Go on where an interrupted run left off.
        sheets: Draw a page of samples at every validation of a flow.
        tensorboard: Write TensorBoard files beside the log (needs the extra "train").
        compile: Let torch.compile fuse the networks; pays on a GPU after a minute.
    """
    _refuse_flags_of_other_phases(what, pairs, encoder)
    if what in ("clatr", "tmr"):
        flags = {"--resume": resume, "--tensorboard": tensorboard, "--compile": compile}
        for flag, given in flags.items():
            refuse_flag(flag, given, f"for {what}", "Leave it away: it takes minutes.")
        _train_evaluator(what, recipe, data, out)
        return
    from aesop.text.encoders import text_encoder
    from aesop.training.loop import Conduct
    from aesop.training.phases import train_from_store

    leads = os.environ.get("RANK", "0") == "0"
    conduct = Conduct(
        resume=resume,
        compiled=compile,
        bar=leads and sys.stderr.isatty(),
        tensorboard=tensorboard,
        sheets=sheets,
    )
    results = train_from_store(
        what, recipe, data, out, text_encoder(encoder or "minilm"), pairs, conduct
    )
    if not leads:
        return
    if what == "all" and pairs is None:
        remark("The phases after camera-flow learn from --pairs; none were given.")
    for result in results:
        wrote(result.weights)


def _refuse_flags_of_other_phases(what: What, pairs: Path | None, encoder: str | None) -> None:
    phase = None if what in ("all", "clatr", "tmr") else PHASES[what]
    if what != "all" and not (phase and phase.wants_pairs):
        refuse_flag("--pairs", pairs, f"for {what}", "Only phases after camera-flow read them.")
    if what != "all" and not (phase and phase.trains in ("human-flow", "camera-flow")):
        refuse_flag("--encoder", encoder, f"for {what}", "Only flows read words by choice.")


def _train_evaluator(kind: Literal["clatr", "tmr"], recipe: str, data: Path, out: Path) -> None:
    from aesop.core.errors import AesopError
    from aesop.evaluators.evaluator_training import train_evaluator_from_store

    if recipe not in ("base", "tiny"):
        raise AesopError("Evaluators have no recipe called paper.", "Choose base or tiny.")
    size: Literal["base", "tiny"] = "tiny" if recipe == "tiny" else "base"
    with progress_bar(kind) as progress:
        wrote(train_evaluator_from_store(kind, size, data, out, progress))
