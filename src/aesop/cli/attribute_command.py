"""`aesop measure attributes`: which values of the vocabulary a way of filming obeys."""

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

from tyro.conf import OmitArgPrefixes, arg

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


@dataclass(frozen=True)
class MotionOptions:
    """Whom to film: people of a store, of the bed, or of our own making."""

    data: Annotated[
        Path | None,
        arg(help="A finished store whose motions are filmed; ours without it and --bed."),
    ] = None
    split: Annotated[
        str | None,
        arg(help="A split of the store, or one kind of it; validation if not given."),
    ] = None
    clips: Annotated[
        int | None, arg(help="Motions to film, evenly spaced in the split; 24 if not given.")
    ] = None
    bed: Annotated[
        Path | None, arg(help="A list as runs/bed.json; motions of at most 12 s are filmed.")
    ] = None
    takes: Annotated[Path | None, arg(help="Folder of CMU BVH files that the list cuts from.")] = (
        None
    )
    side: Annotated[
        BedSide | None,
        arg(help="Of the bed: tune (if not given), or test, which is to be looked at once."),
    ] = None

    def read(self) -> "tuple[list[Clip], str]":
        """The motions and where they come from; a flag that means nothing is refused."""
        if self.bed is not None:
            for name in ("data", "split", "clips"):
                given = getattr(self, name)
                refuse_flag(f"--{name}", given, "beside --bed", "Leave one of them away.")
            return _bed(self.bed, self.takes, self.side or "tune")
        for name in ("takes", "side"):
            given = getattr(self, name)
            refuse_flag(f"--{name}", given, "without a bed", "Name its list with --bed.")
        if self.data is None:
            refuse_flag("--split", self.split, "without a store", "Name the store with --data.")
        from aesop.cli.measure_commands import motions_of

        return motions_of(self.data, self.split or "validation", self.clips or CLIPS)


OUR_OWN = MotionOptions()


def _bed(bed: Path, takes: Path | None, side: BedSide) -> "tuple[list[Clip], str]":
    from aesop.measuring.bed import bed_clip, read_bed
    from aesop.scene.human import MAX_FRAMES

    if takes is None:
        raise missing("--takes beside --bed", "--takes cmu/bvh")
    clips = [bed_clip(motion, takes) for motion in read_bed(bed).of(side)]
    return [clip for clip in clips if clip.frames <= MAX_FRAMES], f"bed {side}"


def attributes(  # noqa: PLR0913 - flags, spelled out
    *,
    method: Way = "hand",
    model: Path | None = None,
    encoder: Encoder = None,
    phase: Phase = None,
    motions: Annotated[MotionOptions, OmitArgPrefixes] = OUR_OWN,
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
        films: Of every set of sentences.
        words: Which sets.
        seed: Of the noise.
        preset: How it is sampled; the quickest that the weights have if not given.
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
        _refuse({"model": model, "encoder": encoder, "phase": phase, "preset": preset})
    clips, source = motions.read()
    options = ModelOptions(() if model is None else (model,), encoder, phase)
    director = None if method == "operator" else options.directors()[0]
    called = f"attributes_{name or '_'.join([method, *source.replace('/', ' ').split()])}"
    sampler = preset or ("fast" if director is None else director.quickest_preset())
    plan = FilmsPlan(
        method=method,
        weights="" if director is None else director.parts.camera_flow.card.identity,
        motions=source,
        motions_sha256=_hash(clips),
        code_sha256=filming_code(),
        choices=(("preset", sampler), ("intensity", "1")),
    )
    path = result_file(output, called)
    amount = FilmsAmount(films, seed, SENTENCE_SETS if words == "both" else (words,))
    film, kept = _films(method, director, sampler), path.with_suffix(".jsonl")
    result = measure_attributes(film, clips, amount, kept, plan, progress_bar)
    _tell(result, write_result(output, called, result))


def _refuse(flags: Mapping[str, object]) -> None:
    for name, given in flags.items():
        where = "for the operator, who has no weights"
        refuse_flag(f"--{name}", given, where, "Leave it away.")


def _hash(clips: "list[Clip]") -> str:
    from aesop.core.hashing import text_sha256
    from aesop.measuring.bed import clip_hash

    return text_sha256(" ".join(clip_hash(clip) for clip in clips))


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


def _tell(result: "AttributeResult", files: Sequence[Path]) -> None:
    for table in result.tables:
        rows = ", ".join(f"{row.name} {row.share:.0%}" for row in table.rows)
        remark(
            f"{table.kind}: {table.total.share:.1%} of {table.total.asked} asked values in "
            f"{table.films} films ({rows}); empty frames {table.empty_share:.2%}"
        )
    for written in files:
        wrote(written)
