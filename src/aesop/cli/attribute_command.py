"""`aesop measure attributes`: which values of the vocabulary a way of filming obeys."""

import os
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

from tyro.conf import arg

from aesop.cli.film_options import refuse_flag
from aesop.cli.measure_options import RESULTS, Encoder, ModelOptions, Phase, Sampler
from aesop.cli.terminal import missing, progress_bar, remark, wrote

if TYPE_CHECKING:
    from aesop.director.director import Director
    from aesop.measuring.attribute_obedience import AttributeResult, Films
    from aesop.scene.human import Clip

os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")
CLIPS = 24
BedSide = Literal["tune", "test"]
Way = Literal["as-sampled", "held", "consistent", "best-take", "hand", "operator", "auto"]


def attributes(  # noqa: PLR0913 - flags, spelled out
    *,
    method: Way = "hand",
    model: Path | None = None,
    encoder: Encoder = None,
    phase: Phase = None,
    data: Path | None = None,
    split: str | None = None,
    clips: int | None = None,
    bed: Path | None = None,
    takes: Path | None = None,
    side: BedSide | None = None,
    films: int = 220,
    words: Literal["both", "plain", "idiom"] = "both",
    seed: int = 0,
    preset: Sampler | None = None,
    name: str | None = None,
    output: Annotated[Path, arg(aliases=["-o"])] = RESULTS,
) -> None:
    """Film motions with sentences of the camera vocabulary and count, attribute by attribute, the
    values that are measured back: in plain terms, and in phrases of the bank that no training saw.
    What is asked for comes with the sentences. Films are kept, one line each: started again, it
    goes on where it stopped.

    Args:
        method: How it is filmed: the first take as the paper decodes it (as-sampled) or finished
            otherwise, what users get (hand), the rule-based operator by the words, or the operator
            where the model disobeys (auto).
        model: Folder of weights; those that came with AESOP if not given.
        data: A finished store whose motions are filmed; motions of our own making if neither this
            nor --bed is given.
        split: A split of the store, or one kind of it; validation if not given. Look at test once.
        clips: Motions to film, evenly spaced in the split; 24 if not given.
        bed: A list of motions as runs/bed.json; those of at most 12 s are filmed.
        takes: Folder of CMU BVH files that the list cuts from.
        side: Of the bed: tune (if not given) has validation performers, test is to be looked at
            once.
        films: Of every set of sentences.
        words: Which sets.
        seed: Of the noise.
        preset: Sampling as in the paper (reference), or a faster way there (fast, if not given).
        name: What the file is called; method and motions if not given.
        output: Folder for the results.
    """
    from aesop.measuring.attribute_obedience import (
        SENTENCE_SETS,
        FilmsAmount,
        FilmsPlan,
        measure_attributes,
    )
    from aesop.measuring.methods import filming_code
    from aesop.pages.result_pages import result_file, write_result

    if method == "operator":
        where = "for the operator, who has no weights"
        for flag, given in {
            "--model": model, "--encoder": encoder, "--phase": phase, "--preset": preset,
        }.items():  # fmt: skip
            refuse_flag(flag, given, where, "Leave it away.")
    motions, source = _motions(data, split, clips) if bed is None else _bed(bed, takes, side)
    _refuse_unused(data, split, clips, bed, takes, side)
    options = ModelOptions(() if model is None else (model,), encoder, phase)
    director = None if method == "operator" else options.directors()[0]
    called = f"attributes_{name or '_'.join([method, *source.replace('/', ' ').split()])}"
    plan = FilmsPlan(
        method=method,
        weights="" if director is None else director.parts.camera_flow.card.identity,
        motions=source,
        motions_sha256=_hash(motions),
        code_sha256=filming_code(),
        choices=(("preset", preset or "fast"), ("intensity", "1")),
    )
    path = result_file(output, called)
    amount = FilmsAmount(films, seed, SENTENCE_SETS if words == "both" else (words,))
    film = _films(method, director, preset or "fast")
    result = measure_attributes(
        film, motions, amount, path.with_suffix(".jsonl"), plan, progress_bar
    )
    _tell(result)
    for written in write_result(output, called, result):
        wrote(written)


def _refuse_unused(
    data: Path | None,
    split: str | None,
    clips: int | None,
    bed: Path | None,
    takes: Path | None,
    side: BedSide | None,
) -> None:
    if bed is None:
        refuse_flag("--takes", takes, "without a bed", "Name its list with --bed.")
        refuse_flag("--side", side, "without a bed", "Name its list with --bed.")
        if data is None:
            refuse_flag("--split", split, "without a store", "Name the store with --data.")
        return
    refuse_flag("--data", data, "beside --bed", "Leave one of them away.")
    refuse_flag("--split", split, "beside --bed", "Leave one of them away.")
    refuse_flag("--clips", clips, "beside --bed", "Leave one of them away.")


def _motions(data: Path | None, split: str | None, clips: int | None) -> "tuple[list[Clip], str]":
    from aesop.cli.measure_commands import motions_of

    return motions_of(data, split or "validation", clips or CLIPS)


def _bed(bed: Path, takes: Path | None, side: BedSide | None) -> "tuple[list[Clip], str]":
    from aesop.measuring.bed import bed_clip, read_bed
    from aesop.scene.human import MAX_FRAMES

    if takes is None:
        raise missing("--takes beside --bed", "--takes cmu/bvh")
    side = side or "tune"
    clips = [bed_clip(motion, takes) for motion in read_bed(bed).of(side)]
    return [clip for clip in clips if clip.frames <= MAX_FRAMES], f"bed {side}"


def _hash(motions: "list[Clip]") -> str:
    from aesop.core.hashing import text_sha256
    from aesop.measuring.bed import clip_hash

    return text_sha256(" ".join(clip_hash(clip) for clip in motions))


def _films(method: Way, director: "Director | None", preset: Sampler) -> "Films":
    from aesop.director.finish import usual_picture
    from aesop.director.rule_based import Operator, film_by

    if director is None:
        return lambda requests: Operator().film_many(requests, picture=usual_picture("hand"))
    if method == "auto":
        picture = usual_picture("hand")
        return lambda requests: film_by("auto", director, requests, preset, picture=picture)
    assert method != "operator"
    picture = usual_picture(method)
    return lambda requests: director.film_many(requests, preset, finish=method, picture=picture)


def _tell(result: "AttributeResult") -> None:
    for table in result.tables:
        rows = ", ".join(f"{row.name} {row.share:.0%}" for row in table.rows)
        remark(
            f"{table.kind}: {table.total.share:.1%} of {table.total.asked} asked values in "
            f"{table.films} films ({rows}); empty frames {table.empty_share:.2%}"
        )
