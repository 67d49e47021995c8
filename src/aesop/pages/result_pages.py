"""What a measurement leaves behind: JSON, one file a result; and the pages, tables and figures that
are made from it."""

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from aesop.core.errors import FileError
from aesop.core.whole_files import atomic_path
from aesop.measuring.acts import ActsResult
from aesop.measuring.attribute_obedience import AttributeResult, attributes_page
from aesop.measuring.bed_summary import BedSummary
from aesop.measuring.bed_summary import page as bed_text
from aesop.measuring.cases import LeftOut
from aesop.measuring.curve_response import CurvesResult, curves_page
from aesop.measuring.evaluator_quality import EvaluatorQuality, quality_text
from aesop.measuring.jobs import JobState
from aesop.measuring.methods import CONTROL
from aesop.measuring.preset_distance import PresetsResult
from aesop.measuring.runs import MetricResult, Result, Setting, SweepResult, restored, write_json
from aesop.measuring.unseen_wording import WordingResult, wording_page
from aesop.metrics.intensity_scan import TRAVELLING_M
from aesop.metrics.metric_book import METRICS
from aesop.metrics.motion_metrics import travel_of
from aesop.pages.acts_page import acts_page
from aesop.pages.figures import Panel, Series, write_charts
from aesop.pages.paper_tables import footnotes, interval_lines, paper_page
from aesop.pages.tables import LAYOUTS, SECTIONS, TableLayout, in_order, latex_table, markdown_table
from aesop.preview.sheets import write_grid_sheet
from aesop.scene.shot import Shot

# Panels of the intensity figure, after those of travel.
_SCANNED = ("fdc", "clatr", "f1", "r_fpd", "out", "ade", "rotation")
# What `aesop measure` writes, by fields that no other file of results has.
_KINDS: dict[type, frozenset[str]] = {
    Result: frozenset({"setting", "metrics", "unmeasured"}),
    SweepResult: frozenset({"result", "facts", "quality"}),
    PresetsResult: frozenset({"setting", "presets", "found"}),
    WordingResult: frozenset({"setting", "unseen", "familiar"}),
    AttributeResult: frozenset({"plan", "tables", "repeat"}),
    CurvesResult: frozenset({"plan", "response", "joins"}),
    EvaluatorQuality: frozenset({"cameras", "people", "split"}),
    BedSummary: frozenset({"by_kind", "by_sentence", "company"}),
    ActsResult: frozenset({"setting", "acted"}),
}
_NAMED = 3  # clips of one reason to be left out
_ROW_FOLDERS = {"reference", "direction", "sweep", *SECTIONS}


def write_result(folder: Path, name: str, result: object) -> list[Path]:
    """One file of JSON."""
    path = result_file(folder, name)
    write_json(path, result)
    return [path]


def result_file(folder: Path, name: str) -> Path:
    """The first word of the name is its folder, film_aesop_test becomes film/aesop_test.json."""
    first, _, rest = name.partition("_")
    return folder / first / f"{rest}.json"


def write_job(folder: Path, state: JobState) -> list[Path]:
    """A job after one of its pieces: NAME.error.txt if any has failed and, once all are there, the
    file that its own command writes, which is returned."""
    name = state.job.name
    if state.errors:
        _write(folder / f"{name}.error.txt", "\n".join(state.errors))
    return write_result(folder, name, state.record) if state.is_whole else []


def write_pages(sources: Sequence[Path], folder: Path) -> list[Path]:
    """Everything that can be made from results (files, or folders of them): DATASET_SPLIT.md and
    .tex with tables of all rows in a folder, pages of all else under the names of their files."""
    rows: dict[Path, list[Result]] = {}
    beds: dict[Path, list[BedSummary]] = {}
    sweeps: dict[Path, list[SweepResult]] = {}
    written: list[Path] = []
    for place, record in _records(sources):
        match record:
            case Result():
                rows.setdefault(_home(place, record.setting), []).append(record)
            case BedSummary():
                beds.setdefault(place.parent / "tables.md", []).append(record)
            case SweepResult():
                sweeps.setdefault(_home(place, record.result.setting), []).append(record)
                written += _write_sweep_page(folder / place, record)
            case _:
                written.append(_write(folder / place.with_suffix(".md"), _page(record)))
    for place, results in rows.items():
        written += write_page(folder / place.parent, place.name, results)
    for place in dict.fromkeys((*rows, *sweeps)):
        page = paper_page(rows.get(place, []), sweeps.get(place, []))
        written.append(_write(folder / place.parent / f"{place.name}_paper.md", page))
    return written + [_write(folder / place, bed_text(it)) for place, it in beds.items()]


def _home(place: Path, setting: Setting) -> Path:
    """Where the rows of one dataset and split meet: those of all tasks stand in one table; other
    folders are tables of their own."""
    home = place.parent.parent if place.parent.name in _ROW_FOLDERS else place.parent
    return home / f"{setting.dataset}_{setting.split.replace('/', '_')}"


def _records(sources: Sequence[Path]) -> Iterator[tuple[Path, Any]]:
    """Every result with its place among the sources. Files of other kinds in a folder are left out;
    one that was named is refused."""
    for source in sources:
        # A method before its variants: "_" ends a name, "-" goes on with it.
        inside = sorted(source.rglob("*.json"), key=lambda it: it.as_posix().replace("_", " "))
        for path in inside if source.is_dir() else [source]:
            record = _read(path)
            if record is not None:
                yield path.relative_to(source if source.is_dir() else source.parent), record
            elif not source.is_dir():
                raise FileError(
                    f"{path} is no result of `aesop measure`.", "Name its JSON files or folders."
                )


def _read(path: Path) -> Any | None:
    try:
        fields = json.loads(path.read_text(encoding="utf-8"))
        names = set(fields) if isinstance(fields, dict) else set[str]()
        kinds = [kind for kind, wanted in _KINDS.items() if wanted <= names]
        return restored(kinds[0], fields) if kinds else None
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise FileError(f"{path} cannot be read ({error!r}).", "Measure again.") from error


def _page(record: object) -> str:
    pages: dict[type, Callable[[Any], str]] = {
        PresetsResult: presets_text,
        WordingResult: wording_page,
        AttributeResult: attributes_page,
        CurvesResult: curves_page,
        EvaluatorQuality: quality_text,
        ActsResult: acts_page,
    }
    return pages[type(record)](record)


def layouts_for(results: Sequence[Result]) -> list[TableLayout]:
    """The tables for which there is at least one number."""
    measured = {metric.metric for result in results for metric in result.metrics}
    return [layout for layout in LAYOUTS if measured & set(layout.metrics)]


def page_text(results: Sequence[Result]) -> str:
    """A Markdown page with every table the results support, and how they came to be."""
    rows = in_order(results)
    lines = [f"# {rows[0].setting.dataset}, {rows[0].setting.split}", ""]
    for layout in layouts_for(rows):
        lines += [f"## {layout.title}", "", markdown_table(layout, rows), ""]
        notes = footnotes(rows[0].setting.dataset, layout.metrics)
        notes = interval_lines(rows, layout.metrics) + notes
        lines += [*notes, ""] if notes else []
    lines += ["## How", ""]
    for row in rows:
        lines += _origin_lines(row)
    return "\n".join([*lines, ""])


def write_page(folder: Path, name: str, results: Sequence[Result]) -> list[Path]:
    """NAME.md and NAME.tex in a folder."""
    latex = "\n\n".join(
        f"% {layout.title}\n{latex_table(layout, in_order(results))}"
        for layout in layouts_for(results)
    )
    return [
        _write(folder / f"{name}.md", page_text(results)),
        _write(folder / f"{name}.tex", latex + "\n"),
    ]


def _origin_lines(result: Result) -> list[str]:
    lines = _setting_lines(result.setting, result.code.commit, result.repeat)
    lines += [
        f"  - {METRICS[it.metric].title} not measured: {it.reason}" for it in result.unmeasured
    ]
    return lines + _impossible_lines(result.impossible)


def _setting_lines(setting: Setting, commit: str, repeat: str) -> list[str]:
    seeds = ", ".join(map(str, setting.seeds))
    names = "; ".join(
        f"{name} `{identity[: 24 if identity.startswith(CONTROL) else 12]}`"
        for name, identity in setting.identities
    )
    lines = [
        f"- **{setting.method}** ({setting.task}): {setting.clips} clips of {setting.windows} "
        f"human windows, {setting.left_out} left out; seeds {seeds} of {setting.seed_kind}; "
        f"{names}; data `{setting.data_sha256[:12]}`; code `{commit[:12]}`; `{repeat}`",
    ]
    if setting.choices:
        lines.append(f"  - {'; '.join(f'{name} {choice}' for name, choice in setting.choices)}")
    lines += [f"  - left out: {it}" for it in _left_out(setting.left_out_clips)]
    return lines + ([f"  - {setting.note}"] if setting.note else [])


def _left_out(clips: Sequence[LeftOut]) -> list[str]:
    """Every reason with how many clips it concerns, and the first of them; the JSON has all."""
    reasons: dict[str, list[str]] = {}
    for clip in clips:
        reasons.setdefault(clip.reason, []).append(clip.name)
    return [
        f"{len(names)} ({reason}): {', '.join(names[:_NAMED])}{' …' if len(names) > _NAMED else ''}"
        for reason, names in reasons.items()
    ]


def _impossible_lines(counts: Sequence[int]) -> list[str]:
    if not any(counts):
        return []
    shown = ", ".join(map(str, counts))
    return [f"  - cameras that could not exist, counted as filming the sky: {shown}"]


def presets_text(result: PresetsResult) -> str:
    """The comparison of two presets as a Markdown page."""
    (first, second), setting, found = result.presets, result.setting, result.found
    lines = [
        f"# {first} against {second}: {setting.method}, {setting.task}, {setting.split}",
        "",
        f"| metric | {first} | {second} | difference (%) | 95 % interval |",
        "|---|---:|---:|---:|---:|",
    ]
    for it in found.differences:
        digits = METRICS[it.metric].digits + 1
        near = it.interval
        around = "–" if near is None else f"{near.low:+.2f} … {near.high:+.2f}"
        lines.append(
            f"| {METRICS[it.metric].title} | {it.first:.{digits}f} | {it.second:.{digits}f} | "
            f"{it.percent:+.2f} | {around} |"
        )
    lines += ["", f"| metric | {first} | {second} | change | 95 % interval |"]
    lines += ["|---|---:|---:|---:|---:|"]
    for it in found.changes:
        digits, near = METRICS[it.metric].digits + 1, it.interval
        around = "–" if near is None else f"{near.low:+.{digits}f} … {near.high:+.{digits}f}"
        lines.append(
            f"| {METRICS[it.metric].title} | {it.first:.{digits}f} | {it.second:.{digits}f} | "
            f"{it.change:+.{digits}f} | {around} |"
        )
    near = found.apart_interval
    around = "" if near is None else f" ({near.low:.4f} … {near.high:.4f})"
    lines += ["", *(f"Not measured: {it}." for it in found.unmeasured)]
    lines += [
        f"Paired paths are {found.apart_m:.4f} m apart on average{around}, "
        f"{found.farthest_m:.3f} m at most.",
        "",
        *_setting_lines(setting, result.code.commit, result.repeat),
        *_impossible_lines(result.impossible),
        "",
    ]
    return "\n".join(lines)


def _write_sweep_page(path: Path, sweep: SweepResult) -> list[Path]:
    """NAME.md with one line per intensity, NAME.png with the panels."""
    page = _write(path.with_suffix(".md"), sweep_text(sweep))
    figure = path.with_suffix(".png")
    write_charts(sweep_panels(sweep), figure, columns=3, x_title="translation intensity")
    return [page, figure]


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
            (Series("", tuple(_value(metrics, name) for metrics in sweep.quality)),),
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
        *_travel_lines(sweep),
        "",
        *_origin_lines(sweep.result),
        "",
    ]
    return "\n".join(lines)


def _travel_lines(sweep: SweepResult) -> list[str]:
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


def _value(metrics: Sequence[MetricResult], name: str) -> float:
    return next((metric.mean for metric in metrics if metric.metric == name), float("nan"))


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
