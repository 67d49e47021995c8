"""`aesop measure wording`: whether cameras obey words that training never said."""

import os
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

from tyro.conf import arg

from aesop.cli.outputs import refuse_flag
from aesop.cli.terminal import progress_bar, remark, wrote

if TYPE_CHECKING:
    from aesop.scene.human import Clip

# Read when torch starts its threads: two programs that spin while waiting stop each other.
os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")


def wording(
    *,
    model: Path | None = None,
    data: Path | None = None,
    split: str | None = None,
    clips: int = 8,
    seeds: tuple[int, ...] = (0,),
    preset: Literal["fast", "reference"] = "fast",
    output: Annotated[Path, arg(aliases=["-o"])] = Path("results"),
) -> None:
    """Film motions with fifty sentences that share no phrase with the training captions, and with
    the grammar's own words for the same movements: JSON and Markdown.

    Args:
        model: Folder of weights; those that came with AESOP if not given.
        data: A finished store whose motions are filmed; motions of our own making if not given.
        split: A split of the store, or one kind of it; test/pure if not given.
        clips: Motions to film with every sentence, evenly spaced in the split.
        seeds: Of the noise.
        preset: Sampling as in the paper (reference), or a faster way there (fast).
        output: Folder for the results.
    """
    if data is None:
        refuse_flag("--split", split, "without a store", "Name the store with --data.")
    import torch

    from aesop.director.journey import load_director
    from aesop.reports.unseen_words import SENTENCES, familiar_sentences
    from aesop.reports.wording import (
        WordingSetting,
        measure_obedience,
        wording_result,
        write_wording,
    )

    director = load_director(model, "cuda" if torch.cuda.is_available() else "cpu")
    weights = director.parts.camera_flow.card.identity
    motions, source = _motions(data, split or "test/pure", clips)
    found = []
    for label, sentences in (("unseen", SENTENCES), ("familiar", familiar_sentences())):
        with progress_bar(f"{label} words") as progress:
            found.append(
                measure_obedience(
                    lambda some: director.film_many(some, preset, finish="as-sampled"),
                    motions,
                    seeds,
                    sentences,
                    progress,
                )
            )
    names = tuple(clip.name for clip in motions)
    setting = WordingSetting(weights, preset, source, names, seeds)
    result = wording_result(setting, *found)
    remark(
        f"{result.unseen.obeyed} of {len(SENTENCES)} sentences obeyed, "
        f"{result.unseen.right_share:.1%} of {result.unseen.films} films right "
        f"(in the grammar's words {result.familiar.right_share:.1%})"
    )
    for path in write_wording(result, output):
        wrote(path)


def _motions(data: Path | None, split: str, clips: int) -> "tuple[list[Clip], str]":
    """Motions to film and where they come from."""
    from aesop.reports.wording import made_clips

    if data is None:
        return made_clips(clips), "our own making"
    from aesop.data.store import open_store
    from aesop.reports.cases import read_cases

    cases = read_cases(open_store(data), split, clips)
    chosen = [cases.cases[place].reference.clip for place in cases.windows.tolist()]
    return chosen, f"{cases.dataset} {split}"
