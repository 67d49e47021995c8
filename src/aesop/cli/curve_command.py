"""`aesop measure curves` and `aesop measure travel`: intensity over time, and ways in metres."""

import os
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

from tyro.conf import OmitArgPrefixes, arg

from aesop.cli.measure_options import DataOptions, Encoder, ModelOptions, Phase, Sampler
from aesop.cli.terminal import progress_bar, remark, wrote

if TYPE_CHECKING:
    from aesop.director.director import Director
    from aesop.measuring.cases import Cases
    from aesop.measuring.curve_response import CurvesPlan, CurvesResult, Films

os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")


@dataclass(frozen=True)
class CurveOptions:
    """By which weights and how it is filmed."""

    model: Annotated[
        Path | None, arg(help="Folder of weights; those that came with AESOP if not given.")
    ] = None
    encoder: Encoder = None
    phase: Phase = None
    finish: Annotated[
        Literal["consistent", "best-take", "hand"],
        arg(help="What users get (hand), or what is decoded."),
    ] = "hand"
    preset: Annotated[
        Sampler | None,
        arg(
            help="Sampling as in the paper (reference), or a faster way there (fast, instant); the "
            "quickest that the weights have if not given."
        ),
    ] = None
    seed: Annotated[int, arg(help="Of the noise, and of what is drawn.")] = 0
    name: Annotated[
        str | None, arg(help="What the file is called; finish and split if not given.")
    ] = None

    def director(self) -> "Director":
        folders = () if self.model is None else (self.model,)
        return ModelOptions(folders, self.encoder, self.phase).directors()[0]

    def plan(self, director: "Director", cases: "Cases") -> "CurvesPlan":
        from aesop.measuring.curve_response import CurvesPlan
        from aesop.measuring.methods import filming_code

        return CurvesPlan(
            weights=director.parts.camera_flow.card.identity,
            dataset=cases.dataset,
            split=cases.split,
            cases_sha256=cases.sha256,
            code_sha256=filming_code(),
            finish=self.finish,
            preset=self.preset or director.quickest_preset(),
            seed=self.seed,
        )

    def films(self, director: "Director") -> "Films":
        from aesop.director.finish import usual_picture

        finish, picture = self.finish, usual_picture(self.finish)
        return lambda some: director.film_many(some, self.preset, finish=finish, picture=picture)

    def called(self, what: str, split: str) -> str:
        return f"{what}_{self.name or '_'.join([self.finish, *split.split('/')])}"


CURVE_DEFAULTS = CurveOptions()


@dataclass(frozen=True)
class CurveData(DataOptions):
    """What is filmed. So many shots are part of any larger number of them: more can be added."""

    at_most: Annotated[
        int | None,
        arg(help="Shots to film, in an order as good as random, the same each time; or all."),
    ] = None


def curves(
    *,
    data: Annotated[CurveData, OmitArgPrefixes],
    options: Annotated[CurveOptions, OmitArgPrefixes, arg(name="curve")] = CURVE_DEFAULTS,
) -> None:
    """Film shots of a split with random curves of two and three pieces, at intensity 1, and at the
    value of every piece: does every part travel as it does at its own intensity, are parts in the
    right order, and does the speed jump between them? Films are kept, one line each: started
    again, it goes on where it stopped."""
    from aesop.measuring.curve_response import curves_result, film_curves, usable
    from aesop.pages.result_pages import result_file

    director, cases = options.director(), replace(data, at_most=None).cases()
    plan, called = options.plan(director, cases), options.called("curves", data.split)
    kept = result_file(data.output, called).with_suffix(".jsonl")
    asked = usable(cases.cases, data.at_most)
    with progress_bar("curves") as progress:
        films = film_curves(options.films(director), asked, kept, plan, progress)
    wrote(kept)
    result = curves_result(plan, films, cases)
    _tell(result)
    data.write(called, result)


def travel(
    *,
    data: Annotated[CurveData, OmitArgPrefixes],
    options: Annotated[CurveOptions, OmitArgPrefixes, arg(name="travel")] = CURVE_DEFAULTS,
) -> None:
    """Ask every shot of a split for a random way in metres between those at intensities 0.5 and
    1.5: how many cameras go it within 5 %? Films are kept, one line each: started again, it goes
    on where it stopped."""
    from aesop.measuring.curve_response import usable
    from aesop.measuring.travel_reach import film_travels, travel_result
    from aesop.pages.result_pages import result_file

    director, cases = options.director(), replace(data, at_most=None).cases()
    plan, called = options.plan(director, cases), options.called("travel", data.split)
    kept = result_file(data.output, called).with_suffix(".jsonl")
    asked = usable(cases.cases, data.at_most)
    with progress_bar("travel") as progress:
        films, ratios = film_travels(options.films(director), asked, kept, plan, progress)
    wrote(kept)
    result = travel_result(plan, films, ratios)
    remark(
        f"{result.within_share:.1%} of {result.requests} ways are met within 5 % (median error "
        f"{result.error_median:.1%}, {result.films_mean:.1f} films each); at 0.5 and 1.5 cameras "
        f"go {result.least_ratio[1]:.2f} and {result.most_ratio[1]:.2f} of their way at 1 (median)"
    )
    data.write(called, result)


def _tell(result: "CurvesResult") -> None:
    response, joins = result.response, result.joins
    remark(
        f"{result.films} films, {response.moving} of {response.segments} segments move: slope "
        f"{response.slope_over_time:.3f} over time, {response.slope_of_numbers:.3f} of numbers "
        f"({response.slope_ratio:.3f} of it); {response.ordered_share:.1%} of {response.pairs} "
        f"pairs of segments are in order ({response.ordered_share_of_numbers:.1%} of numbers)"
    )
    remark(
        f"{joins.beyond_share:.1%} of {joins.joins} joins jump beyond the references' 99th "
        f"percentile, {joins.reference.join_99:.2f} m/s² (at intensity 1: "
        f"{joins.beyond_share_at_one:.1%}); pieces at 1 lie {100 * joins.shape_apart_m_95:.1f} cm "
        "from their shape at 1 (95th percentile)"
    )
