"""What a measurement leaves behind: JSON, a Markdown page, a LaTeX file, figures."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from aesop.core.atomic import atomic_path
from aesop.measuring.jobs import JobState
from aesop.measuring.methods import CONTROL
from aesop.measuring.preset_distance import PresetsResult
from aesop.measuring.runs import MetricResult, Result, Setting, SweepResult, write_json
from aesop.metrics.camera_paths import travel_of
from aesop.metrics.intensity_scan import TRAVELLING_M
from aesop.metrics.metric_book import METRICS
from aesop.pages.figures import Panel, Series, write_charts
from aesop.pages.tables import (
    BESIDES,
    CODEC,
    DIRECTION,
    MAIN,
    PEOPLE,
    TableLayout,
    TableRow,
    latex_table,
    markdown_table,
)
from aesop.preview.sheets import write_grid_sheet
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


def rows_of(results: Sequence[Result]) -> list[TableRow]:
    """References first, then codecs, then generation, each task together, controls before
    methods. References and controls are never the best."""
    order = list(dict.fromkeys(SECTIONS.values()))
    rows = [
        TableRow(
            it.setting.method,
            SECTIONS[_kind(it)],
            it,
            _kind(it) == "reference" or _is_control(it),
        )
        for it in results
    ]
    return sorted(rows, key=lambda row: (order.index(row.section), not row.is_reference))


def _kind(result: Result) -> str:
    reference = any(identity == "reference" for _, identity in result.setting.identities)
    return "reference" if reference else result.setting.task


def _is_control(result: Result) -> bool:
    return any(identity.startswith(CONTROL) for _, identity in result.setting.identities)


def layouts_for(results: Sequence[Result]) -> list[tuple[TableLayout, str]]:
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
    lines = _setting_told(result.setting, result.code.commit, result.repeat)
    lines += [
        f"  - {METRICS[it.metric].title} not measured: {it.reason}" for it in result.unmeasured
    ]
    return lines + _impossible_told(result.impossible)


def _setting_told(setting: Setting, commit: str, repeat: str) -> list[str]:
    seeds = ", ".join(map(str, setting.seeds))
    names = "; ".join(f"{name} `{_short(identity)}`" for name, identity in setting.identities)
    lines = [
        f"- **{setting.method}** ({setting.task}): {setting.clips} clips of {setting.windows} "
        f"human windows, {setting.left_out} left out; seeds {seeds} of {setting.seed_kind}; "
        f"{names}; data `{setting.data_sha256[:12]}`; code `{commit[:12]}`; `{repeat}`",
    ]
    return lines + ([f"  - {setting.note}"] if setting.note else [])


def _short(identity: str) -> str:
    return identity[: 24 if identity.startswith(CONTROL) else 12]


def _impossible_told(counts: Sequence[int]) -> list[str]:
    if not any(counts):
        return []
    shown = ", ".join(map(str, counts))
    return [f"  - cameras that could not exist, counted as filming the sky: {shown}"]


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


def write_job(folder: Path, state: JobState) -> list[Path]:
    """A job after one of its pieces: NAME.error.txt if any has failed and, once all are there, the
    files that its own command writes, which are returned."""
    name = state.job.name
    if state.errors:
        _write(folder / f"{name}.error.txt", "\n".join(state.errors))
    if not state.is_whole:
        return []
    match state.record:
        case Result() as result:
            return write_result(folder, name, result)
        case SweepResult() as sweep:
            return write_sweep(folder, name, sweep)
        case PresetsResult() as presets:
            return write_presets(folder, name, presets)


def write_presets(folder: Path, name: str, found: PresetsResult) -> list[Path]:
    """The comparison of two presets: NAME.json and NAME.md."""
    write_json(folder / f"{name}.json", found)
    return [folder / f"{name}.json", _write(folder / f"{name}.md", presets_text(found))]


def presets_text(told: PresetsResult) -> str:
    """The comparison as a Markdown page."""
    (first, second), setting, found = told.presets, told.setting, told.found
    lines = [
        f"# {first} against {second}: {setting.method}, {setting.task}, {setting.split}",
        "",
        f"| metric | {first} | {second} | difference (%) | 95 % interval |",
        "|---|---:|---:|---:|---:|",
    ]
    for it in found.differences:
        digits = METRICS[it.metric].digits + 1
        lines.append(
            f"| {METRICS[it.metric].title} | {it.first:.{digits}f} | {it.second:.{digits}f} | "
            f"{it.percent:+.2f} | {it.interval.low:+.2f} … {it.interval.high:+.2f} |"
        )
    near = found.apart_interval
    lines += ["", *(f"Not measured: {it}." for it in found.unmeasured)]
    lines += [
        f"Paired paths are {found.apart_m:.4f} m apart on average "
        f"({near.low:.4f} … {near.high:.4f}), {found.farthest_m:.3f} m at most.",
        "",
        *_setting_told(setting, told.code.commit, told.repeat),
        *_impossible_told(told.impossible),
        "",
    ]
    return "\n".join(lines)


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
        Panel(
            "Path over path at 1",
            x,
            (Series("answered", sweep.facts.travel.relative), Series("asked", x)),
            1.0,
            names="left",
        ),
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
    heads = ["a", "path (m)", "net (m)", "travel / at 1", *(METRICS[name].title for name in names)]
    lines = [
        f"# Intensity scan: {sweep.result.setting.method}, {sweep.result.setting.task}",
        "",
        f"| {' | '.join(heads)} |",
        "|---:" * len(heads) + "|",
    ]
    for place, value in enumerate(facts.intensities):
        cells = [f"{value:g}", f"{facts.path_m[place]:.3f}", f"{facts.net_m[place]:.3f}"]
        cells.append(f"{facts.travel.relative[place]:.3f}")
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
        *_travel_told(sweep),
        "",
        *_told(sweep.result),
        "",
    ]
    return "\n".join(lines)


def _travel_told(sweep: SweepResult) -> list[str]:
    """Response and what it costs, at both ends of the scan."""
    facts, travel = sweep.facts, sweep.facts.travel
    ends = ", ".join(
        f"{travel.relative[end]:.3f} ({travel.intervals[end].low:.3f} … "
        f"{travel.intervals[end].high:.3f}) at a = {facts.intensities[end]:g}"
        for end in (0, -1)
    )
    return [
        f"Relative travel of the {travel.clips} clips whose reference goes {TRAVELLING_M:g} m or "
        f"more along its way: {ends}. Out rises by at most {sweep.out_rise_points:.2f} points "
        "over a = 1."
    ]


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
        temporary.write_text(text, encoding="utf-8", newline="\n")
    return path
