"""`aesop measure curves`: intensity over time, measured part by part."""

import os
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

from tyro.conf import OmitArgPrefixes

from aesop.cli.measure_options import DataOptions, Encoder, ModelOptions, Phase, Sampler
from aesop.cli.terminal import progress_bar, remark, wrote

if TYPE_CHECKING:
    from aesop.measuring.curve_response import CurvesResult

os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")


def curves(  # noqa: PLR0913 - flags, spelled out
    *,
    data: Annotated[DataOptions, OmitArgPrefixes],
    model: Path | None = None,
    encoder: Encoder = None,
    phase: Phase = None,
    finish: Literal["consistent", "best-take", "hand"] = "hand",
    preset: Sampler = "fast",
    seed: int = 0,
    name: str | None = None,
) -> None:
    """Film shots of a split with random curves of two and three pieces, at intensity 1, and at the
    value of every piece: does every part travel as it does at its own intensity, are parts in the
    right order, and does the speed jump between them? Films are kept, one line each: started
    again, it goes on where it stopped.

    Args:
        model: Folder of weights; those that came with AESOP if not given.
        finish: What users get (hand), or what is decoded.
        preset: Sampling as in the paper (reference), or a faster way there (fast, if not given).
        seed: Of the noise and the curves.
        name: What the file is called; finish and split if not given.
    """
    from aesop.director.finish import usual_picture
    from aesop.measuring.curve_response import CurvesPlan, curves_result, film_curves, usable
    from aesop.measuring.methods import filming_code
    from aesop.pages.result_pages import result_file

    options = ModelOptions(() if model is None else (model,), encoder, phase)
    director = options.directors()[0]
    cases = replace(data, at_most=None).cases()
    asked = usable(cases.cases, data.at_most)
    plan = CurvesPlan(
        weights=director.parts.camera_flow.card.identity,
        dataset=cases.dataset,
        split=cases.split,
        cases_sha256=cases.sha256,
        code_sha256=filming_code(),
        finish=finish,
        preset=preset,
        seed=seed,
    )
    called = f"curves_{name or '_'.join([finish, *data.split.split('/')])}"
    kept = result_file(data.output, called).with_suffix(".jsonl")
    picture = usual_picture(finish)
    with progress_bar("curves") as progress:
        films = film_curves(
            lambda some: director.film_many(some, preset, finish=finish, picture=picture),
            asked,
            kept,
            plan,
            progress,
        )
    wrote(kept)
    result = curves_result(plan, films, cases)
    _tell(result)
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
