"""`aesop train …`: one phase of the method, or all of them."""

import os
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

from tyro.conf import OmitArgPrefixes, Positional, arg

from aesop.cli.film_options import refuse_flag
from aesop.cli.terminal import progress_bar, remark, wrote
from aesop.models.phase_table import METHOD_NAMES, MethodName, PhaseName, phase_of

if TYPE_CHECKING:
    from aesop.training.loop import Conduct

What = Literal["all", PhaseName, MethodName, "clatr", "tmr"]
EVALUATORS = ("clatr", "tmr")


@dataclass(frozen=True)
class MaterialOptions:
    """What is learnt from, and by which arm."""

    pairs: Annotated[
        Path | None,
        arg(
            help="Direction and intensity pairs (`aesop pairs build`), for the paper's last two "
            "phases."
        ),
    ] = None
    factual: Annotated[
        bool,
        arg(help="The control of direction pairs: the same slots, filled with originals only."),
    ] = False
    encoder: Annotated[
        str | None, arg(help='Words are read by "minilm" (if not given), "clip", or "clip:FOLDER".')
    ] = None
    text: Annotated[
        Literal["sequence", "pooled"],
        arg(help="Flows read every word piece of a caption, or one pooled vector of it."),
    ] = "sequence"
    split: Annotated[
        str,
        arg(
            help='All training lists, or one kind such as "train/pure". Shots that are listed for '
            "test or validation too are never trained on."
        ),
    ] = "train"
    hold_out: Annotated[
        bool,
        arg(help="Lend a hundredth of the films to validation where a store has no such split."),
    ] = True
    seed: Annotated[
        int, arg(help="Another seed starts from other weights, meets other batches and noise.")
    ] = 0
    start: Annotated[
        Path | None,
        arg(
            name="from",
            help="Go on from these weights (a run, shipped weights, or one file) instead of anew "
            "or from the phase before. Parts that the run folder lacks are copied from there.",
        ),
    ] = None

    def refuse_unused(self, what: What) -> None:
        """Flags of other phases."""
        phase = phase_of(what)
        if what != "all" and not (phase and phase.wants_pairs):
            use = "Only phases after camera-flow read pairs."
            refuse_flag("--pairs", self.pairs, f"for {what}", use)
            refuse_flag("--factual", self.factual, f"for {what}", use)
        elif self.pairs is None:
            refuse_flag("--factual", self.factual, "without --pairs", "Name the pairs too.")
        use = "Only flows read words by choice."
        if not reads_words(what):
            refuse_flag("--encoder", self.encoder, f"for {what}", use)
        if not reads_words(what) or what in METHOD_NAMES:
            refuse_flag("--text", self.text != "sequence", f"for {what}", use)
        if phase is None:
            refuse_flag("--from", self.start, f"for {what}", "Name one phase that goes on.")
        if what in EVALUATORS:
            for flag, given in (
                ("--split", self.split != "train"),
                ("--no-hold-out", not self.hold_out),
                ("--seed", self.seed != 0),
            ):
                refuse_flag(flag, given, f"for {what}", "Only phases of the method take it.")


@dataclass(frozen=True)
class ConductOptions:
    """How a run is carried out."""

    resume: Annotated[bool, arg(help="Go on where an interrupted run left off.")] = False
    sheets: Annotated[bool, arg(help="Draw a page of samples at every validation of a flow.")] = (
        True
    )
    tensorboard: Annotated[
        bool, arg(help='Write TensorBoard files beside the log (needs the extra "train").')
    ] = False
    compile: Annotated[
        bool, arg(help="Let torch.compile fuse the networks; pays on a GPU after a minute.")
    ] = False

    def refuse_unused(self, what: What) -> None:
        """Flags of phases that take long."""
        flags = {
            "--resume": self.resume,
            "--tensorboard": self.tensorboard,
            "--compile": self.compile,
        }
        for flag, given in flags.items():
            refuse_flag(flag, given, f"for {what}", "Leave it away: it takes minutes.")

    def conduct(self, *, leads: bool) -> "Conduct":
        from aesop.training.loop import Conduct

        return Conduct(
            resume=self.resume,
            compiled=self.compile,
            bar=leads and sys.stderr.isatty(),
            tensorboard=self.tensorboard,
            sheets=self.sheets,
        )


MATERIAL_DEFAULTS, CONDUCT_DEFAULTS = MaterialOptions(), ConductOptions()


def train(
    what: Positional[What],
    /,
    *,
    data: Path,
    out: Path,
    recipe: Literal["paper", "base", "tiny"] = "base",
    material: Annotated[MaterialOptions, OmitArgPrefixes] = MATERIAL_DEFAULTS,
    conduct: Annotated[ConductOptions, OmitArgPrefixes] = CONDUCT_DEFAULTS,
) -> None:
    """Train a phase, or all in the order in which they are listed; those after camera-flow only
    with --pairs. Both decoders and self-distillation are ours, and not in `all` of the recipe
    paper. Each phase reads what earlier ones left in the run folder. Runs on a GPU if there is one;
    `torchrun -m aesop train …` runs on several. `clatr` and `tmr` train the evaluators that judge
    cameras and people (recipes base and tiny). The others, from `director-c` on, are the methods
    that AESOP is compared with (docs/baselines.md); of them, "paper" is the published size.

    Args:
        what: The phase.
        data: A finished store (`aesop data build fables`, `aesop data import …`).
        out: The run folder; every phase has a folder in it with weights, log and record.
        recipe: "paper" has the paper's numbers, "base" is what AESOP ships, "tiny" is for trying.
    """
    material.refuse_unused(what)
    if what in EVALUATORS:
        conduct.refuse_unused(what)
        _train_evaluator(what, recipe, data, out)
        return
    from aesop.text.encoders import fastest_device, text_encoder
    from aesop.training.phases import TrainingRequest, train_from_store

    leads = os.environ.get("RANK", "0") == "0"
    encoder = material.encoder or "minilm"
    if leads and recipe == "paper" and reads_words(what) and not encoder.startswith("clip"):
        remark(
            f"NOT THE PAPER'S ENCODER: the recipe paper reads words with CLIP, this run with "
            f"{encoder}. Give --encoder clip:FOLDER to train what the paper trains."
        )
    request = TrainingRequest(
        what,
        recipe,
        data,
        out,
        pairs=material.pairs,
        text=material.text,
        split=material.split,
        hold_out=material.hold_out,
        seed=material.seed,
        factual=material.factual,
        start=material.start,
    )
    report = remark if leads else None
    reader = text_encoder(encoder, device=fastest_device())
    results = train_from_store(request, reader, conduct.conduct(leads=leads), report)
    if not leads:
        return
    if what == "all" and material.pairs is None:
        remark("The phases after camera-flow learn from --pairs; none were given.")
    for result in results:
        wrote(result.weights)


def reads_words(what: What) -> bool:
    """Whether a phase reads words with an encoder of one's choice."""
    if what == "all" or what in METHOD_NAMES:
        return True
    phase = phase_of(what)
    return phase is not None and phase.trains in ("human-flow", "camera-flow")


def _train_evaluator(kind: Literal["clatr", "tmr"], recipe: str, data: Path, out: Path) -> None:
    from aesop.core.errors import AesopError
    from aesop.evaluators.evaluator_training import train_evaluator_from_store

    if recipe not in ("base", "tiny"):
        raise AesopError("Evaluators have no recipe called paper.", "Choose base or tiny.")
    size: Literal["base", "tiny"] = "tiny" if recipe == "tiny" else "base"
    with progress_bar(kind) as progress:
        wrote(train_evaluator_from_store(kind, size, data, out, progress))
