"""What a measurement leaves behind: JSON, a Markdown page, a LaTeX file, figures."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from aesop.files.atomic import atomic_path
from aesop.metrics.book import METRICS
from aesop.metrics.paths import travel_of
from aesop.preview.stills import write_grid_sheet
from aesop.reports.charts import Panel, Series, write_charts
from aesop.reports.measuring import SweepResult
from aesop.reports.results import MetricResult, Result, write_json
from aesop.reports.tables import (
    BESIDES,
    CODEC,
    DIRECTION,
    MAIN,
    PEOPLE,
    Layout,
    Row,
    latex_table,
    markdown_table,
)
from aesop.scene.shot import Shot

SECTIONS = {
    "reference": "Reconstruction",
    "codec": "Reconstruction",
    "film": "Given-human camera generation",
    "shoot": "Joint human–camera generation",
}
_TITLES = (
    (MAIN, "Main table"),
    (PEOPLE, "People"),
    (CODEC, "Reconstruction"),
    (BESIDES, "Besides"),
    (DIRECTION, "Direction"),
)
# Panels of the intensity figure, after the two of travel.
_SCANNED = ("fdc", "clatr", "f1", "r_fpd", "out", "ade", "rotation")


def rows_of(results: Sequence[Result]) -> list[Row]:
    """References first, then codecs, then generation, each task together."""
    order = list(dict.fromkeys(SECTIONS.values()))
    rows = [
        Row(it.setting.method, SECTIONS[_kind(it)], it, _kind(it) == "reference") for it in results
    ]
    return sorted(rows, key=lambda row: (order.index(row.section), not row.is_reference))


def _kind(result: Result) -> str:
    reference = any(identity == "reference" for _, identity in result.setting.identities)
    return "reference" if reference else result.setting.task


def layouts_for(results: Sequence[Result]) -> list[tuple[Layout, str]]:
    """The tables for which there is at least one number."""
    measured = {it.metric for result in results for it in result.metrics}
    return [(layout, title) for layout, title in _TITLES if measured & set(layout.metrics)]


def page_text(results: Sequence[Result]) -> str:
    """A Markdown page with every table the results support, and how they came to be."""
    first = results[0].setting
    lines = [f"# {first.dataset}, {first.split}", ""]
    for layout, title in layouts_for(results):
        lines += [f"## {title}", "", markdown_table(layout, rows_of(results)), ""]
    lines += ["## How", ""]
    for result in results:
        lines += _told(result)
    return "\n".join([*lines, ""])


def _told(result: Result) -> list[str]:
    setting = result.setting
    seeds = ", ".join(map(str, setting.seeds))
    names = "; ".join(f"{name} `{identity[:12]}`" for name, identity in setting.identities)
    lines = [
        f"- **{setting.method}** ({setting.task}): {setting.clips} clips of {setting.windows} "
        f"human windows, {setting.left_out} left out; seeds {seeds} of {setting.seed_kind}; "
        f"{names}; data `{setting.data_sha256[:12]}`; code `{result.code.commit[:12]}`; "
        f"`{result.repeat}`",
    ]
    lines += [
        f"  - {METRICS[it.metric].title} not measured: {it.reason}" for it in result.unmeasured
    ]
    return lines


def write_page(folder: Path, name: str, results: Sequence[Result]) -> list[Path]:
    """NAME.md and NAME.tex in a folder."""
    latex = "\n\n".join(
        f"% {title}\n{latex_table(layout, rows_of(results))}"
        for layout, title in layouts_for(results)
    )
    return [
        _write(folder / f"{name}.md", page_text(results)),
        _write(folder / f"{name}.tex", latex + "\n"),
    ]


def write_result(folder: Path, name: str, result: Result) -> list[Path]:
    """One result: NAME.json, NAME.md, NAME.tex."""
    write_json(folder / f"{name}.json", result)
    return [folder / f"{name}.json", *write_page(folder, name, [result])]


def write_sweep(folder: Path, name: str, sweep: SweepResult) -> list[Path]:
    """The scan: NAME.json, NAME.md with one line per intensity, NAME.png with the panels."""
    write_json(folder / f"{name}.json", sweep)
    write_charts(
        sweep_panels(sweep), folder / f"{name}.png", columns=3, x_title="translation intensity"
    )
    return [
        folder / f"{name}.json",
        _write(folder / f"{name}.md", sweep_text(sweep)),
        folder / f"{name}.png",
    ]


def sweep_panels(sweep: SweepResult) -> list[Panel]:
    """Travel and quality over intensity."""
    x = sweep.facts.intensities
    travel = [
        Panel("Path length (m)", x, (Series("", sweep.facts.path_m),), 1.0),
        Panel("Net displacement (m)", x, (Series("", sweep.facts.net_m),), 1.0),
    ]
    known = {it.metric for it in sweep.quality[0]}
    quality = [
        Panel(
            f"{METRICS[name].title}{f' ({METRICS[name].unit})' if METRICS[name].unit else ''}",
            x,
            (Series("", tuple(_value(found, name) for found in sweep.quality)),),
            1.0,
        )
        for name in _SCANNED
        if name in known
    ]
    return travel + quality


def sweep_text(sweep: SweepResult) -> str:
    """The scan as a Markdown page."""
    facts, monotone = sweep.facts, sweep.facts.monotone
    names = [it.metric for it in sweep.quality[0] if it.metric in _SCANNED]
    heads = ["a", "path (m)", "net (m)", *(METRICS[name].title for name in names)]
    lines = [
        f"# Intensity scan: {sweep.result.setting.method}, {sweep.result.setting.task}",
        "",
        f"| {' | '.join(heads)} |",
        "|---:" * len(heads) + "|",
    ]
    for place, value in enumerate(facts.intensities):
        cells = [f"{value:g}", f"{facts.path_m[place]:.3f}", f"{facts.net_m[place]:.3f}"]
        cells += [
            f"{_value(sweep.quality[place], name):.{METRICS[name].digits}f}" for name in names
        ]
        lines.append(f"| {' | '.join(cells)} |")
    lines += [
        "",
        f"Nondecreasing over all intervals: path {monotone.path:.2%}, net {monotone.net:.2%} of "
        f"{facts.clips} clips; path {monotone.path_moving:.2%}, net {monotone.net_moving:.2%} of "
        f"the {facts.moving_clips} whose reference moves 0.2 m or more. From 1 to the end: path "
        f"{monotone.endpoint_path:.2%}, net {monotone.endpoint_net:.2%}.",
        "",
        f"Response of {facts.response.clips} travelling clips: slope {facts.response.slope:.3f} of "
        f"achieved against requested ratio, mean absolute error "
        f"{facts.response.mean_absolute_error:.3f}.",
        "",
        *_told(sweep.result),
        "",
    ]
    return "\n".join(lines)


def _value(found: Sequence[MetricResult], name: str) -> float:
    return next((it.mean for it in found if it.metric == name), float("nan"))


def write_qualitative(path: Path, pairs: Sequence[tuple[Shot, Shot]], method: str) -> Path:
    """Reference and answer side by side, one pair a row."""
    shots = [
        replace(shot, camera_words=f"{who}: {shot.camera_words}")
        for pair in pairs
        for who, shot in zip(("reference", method), pair, strict=True)
    ]
    path.parent.mkdir(parents=True, exist_ok=True)
    write_grid_sheet(shots, path, columns=2)
    return path


def write_examples(path: Path, rows: Sequence[Sequence[Shot]]) -> Path:
    """The same requests at several intensities, a request a row; numbers are net displacements."""
    shots = [
        replace(
            shot,
            camera_words=f"a = {shot.intensity:g}, {travel_of(shot.camera, shot.fps).net_m:.2f} m: "
            f"{shot.camera_words}",
        )
        for row in rows
        for shot in row
    ]
    path.parent.mkdir(parents=True, exist_ok=True)
    write_grid_sheet(shots, path, columns=len(rows[0]))
    return path


def _write(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    with atomic_path(path) as temporary:
        temporary.write_text(text, encoding="utf-8")
    return path
