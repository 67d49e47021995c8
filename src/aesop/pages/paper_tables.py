"""The paper's own tables, row by row and column by column: every number that was measured in its
place, and where there is none, why."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

from aesop.measuring.runs import MetricResult, Result, SweepResult
from aesop.metrics.metric_book import METRICS
from aesop.pages.tables import ARROWS, MAIN, PEOPLE, SECTIONS, TableLayout

Task = Literal["codec", "film", "shoot"]

UNTRAINED = "this baseline was not trained and measured here (docs/baselines.md)"
NOT_MEASURED = "no result of this name and task is here"
# Where a metric says nothing: a footnote stands below every table that has it.
SAYS_NOTHING: dict[str, tuple[tuple[str, ...], str]] = {
    "fables": (
        ("ade", "rotation"),
        "ADE and Rot. say nothing on Fables: captions leave open from where a shot is filmed, and "
        "cameras shuffled among people come out alike (ADE 5.18 m, a trained model 4.99 m).",
    )
}
AE = TableLayout(
    "Autoencoder reconstruction",
    "Autoencoder",
    (
        ("human reconstruction", ("global_mpjpe", "aligned_mpjpe", "root_ade", "root_fde")),
        (
            "camera reconstruction",
            ("fde", "velocity_error", "rotation_velocity_error", "jerk_error"),
        ),
    ),
)
_DIRECTION = ("direction_original", "direction_reversed", "direction_combined")


@dataclass(frozen=True)
class PaperRow:
    """A row of the paper: which results stand in it, and why it may be empty."""

    label: str
    task: Task
    method: str
    empty_because: str = NOT_MEASURED


def _given(*methods: str, because: str = NOT_MEASURED) -> tuple[PaperRow, ...]:
    return tuple(PaperRow(method, "film", method, because) for method in methods)


def _joint(*methods: str, because: str = NOT_MEASURED) -> tuple[PaperRow, ...]:
    return tuple(PaperRow(method, "shoot", method, because) for method in methods)


_OURS = ("AESOP (no aug.)", "AESOP (+ DPA)", "AESOP")
_SYMMETRIC = PaperRow("PulpMotion AE (sym.)", "codec", "PulpMotion AE (sym.)", UNTRAINED)
_ASYMMETRIC = PaperRow("AESOP AE (asym.)", "codec", "AESOP AE (asym.)")
MAIN_ROWS = (
    PaperRow("GT reference", "codec", "GT reference"),
    _SYMMETRIC,
    _ASYMMETRIC,
    *_given("DanceCamera3D", "CCD", "CCD-H", "DIRECTOR-C", because=UNTRAINED),
    *_given(*_OURS),
    *_joint("PulpMotion DiT", "PulpMotion MAR", because=UNTRAINED),
    *_joint(*_OURS),
)
PEOPLE_ROWS = (
    *_joint("PulpMotion DiT", "PulpMotion MAR", because=UNTRAINED),
    *_joint("AESOP"),
)
AE_ROWS = (_SYMMETRIC, _ASYMMETRIC)
# Label in the paper, and what `aesop measure direction --phase …` calls it.
DIRECTION_ROWS = (
    ("Camera original", "AESOP (no aug.)"),
    ("Factual-pair control", "AESOP (factual pairs)"),
    ("+ DPA", "AESOP (+ DPA)"),
)
# What published results are called that were measured before phases named their methods.
_EARLIER_NAMES = {
    "AESOP (no aug.)": "AESOP, no augmentation",
    "AESOP (+ DPA)": "AESOP, DPA",
    "AESOP (factual pairs)": "AESOP, factual pairs",
}
_INTENSITY: tuple[tuple[str, Callable[[SweepResult], str]], ...] = (
    ("Path at 0.5 (m)", lambda it: f"{it.facts.path_m[0]:.3f}"),
    ("Path at 1.5 (m)", lambda it: f"{it.facts.path_m[-1]:.3f}"),
    ("Path nondecreasing (%)", lambda it: f"{100 * it.facts.monotone.path:.2f}"),
    ("Net nondecreasing (%)", lambda it: f"{100 * it.facts.monotone.net:.2f}"),
    ("Path, net ≥ 0.2 m (%)", lambda it: f"{100 * it.facts.monotone.path_moving:.2f}"),
    ("Clips ≥ 0.2 m", lambda it: f"{it.facts.moving_clips}"),
    ("Path, 1 to 1.5 (%)", lambda it: f"{100 * it.facts.monotone.endpoint_path:.2f}"),
)


def paper_page(results: Sequence[Result], sweeps: Sequence[SweepResult]) -> str:
    """All tables of the paper on one Markdown page, for one dataset and split."""
    first = results[0].setting if results else sweeps[0].result.setting
    lines = [f"# The paper's tables: {first.dataset}, {first.split}", ""]
    tables: tuple[tuple[str, TableLayout, tuple[PaperRow, ...]], ...] = (
        ("Table 1: quantitative comparison", MAIN, MAIN_ROWS),
        ("Table 2: human distribution", PEOPLE, PEOPLE_ROWS),
        ("Supplement: autoencoder reconstruction", AE, AE_ROWS),
    )
    for title, layout, rows in tables:
        lines += [f"## {title}", "", *_table(layout, rows, results), ""]
    lines += ["## Supplement: direction accuracy (%)", "", *_direction(results), ""]
    lines += ["## Translation intensity", "", *_intensity(sweeps), ""]
    return "\n".join(lines)


def interval_lines(results: Sequence[Result], metrics: Sequence[str]) -> list[str]:
    """How the intervals of some metrics were drawn, and which of them have none."""
    drawn: dict[str, list[str]] = {}
    for result in results:
        for it in (it for it in result.metrics if it.metric in metrics):
            near = it.interval
            how = "none"
            if near is not None:
                by = near.cluster or "clip"
                how = f"{near.resamples:,} draws by {by}" if near.resamples else f"drawn by {by}"
            titles = drawn.setdefault(how, [])
            titles += [] if METRICS[it.metric].title in titles else [METRICS[it.metric].title]
    listed = "; ".join(f"{how}: {', '.join(titles)}" for how, titles in drawn.items())
    return [f"95 % intervals (in the JSON): {listed}."] if listed else []


def footnotes(dataset: str, metrics: Sequence[str]) -> list[str]:
    """What a reader of these columns should know of a dataset."""
    concerned, text = SAYS_NOTHING.get(dataset, ((), ""))
    return [text] if set(concerned) & set(metrics) else []


def _table(layout: TableLayout, rows: Sequence[PaperRow], results: Sequence[Result]) -> list[str]:
    heads = [f"{METRICS[it].title}{ARROWS[METRICS[it].better]}" for it in layout.metrics]
    lines = [f"| {' | '.join([layout.first, *heads])} |", "|---" + "|---:" * len(heads) + "|"]
    section, reasons, shown = "", dict[str, list[str]](), list[Result]()
    results = [it for it in results if any(it.of(name) is not None for name in layout.metrics)]
    for row in rows:
        if SECTIONS[row.task] != section:
            section = SECTIONS[row.task]
            lines.append(f"| *{section}* |" + " |" * len(heads))
        result = _found(row, results)
        if result is None:
            reasons.setdefault(row.empty_because, []).append(f"{row.label} ({row.task})")
        else:
            shown.append(result)
        cells = [_cell(None if result is None else result.of(it), it) for it in layout.metrics]
        lines.append(f"| {' | '.join([row.label, *cells])} |")
    return [*lines, "", *_notes(reasons), *_below(layout, shown)]


def _below(layout: TableLayout, shown: Sequence[Result]) -> list[str]:
    """Protocols, intervals and what the dataset makes of the columns."""
    if not shown:
        return []
    protocols = {dict(it.setting.choices).get("protocol", "") for it in shown} - {""}
    lines = [f"Protocol: {', '.join(sorted(protocols))}."] if protocols else []
    lines += interval_lines(shown, layout.metrics) + footnotes(
        shown[0].setting.dataset, layout.metrics
    )
    return ["", *lines]


def _direction(results: Sequence[Result]) -> list[str]:
    """Both tasks side by side, as in the paper."""
    names = [METRICS[it].title for it in _DIRECTION]
    heads = [f"{task}, {name}↑" for task in ("given", "joint") for name in names]
    lines = [f"| {' | '.join(['Checkpoint', *heads])} |", "|---" + "|---:" * 6 + "|"]
    reasons: dict[str, list[str]] = {}
    for label, method in DIRECTION_ROWS:
        cells: list[str] = []
        for task in ("film", "shoot"):
            measured = [it for it in results if any(it.of(name) for name in _DIRECTION)]
            result = _found(PaperRow(label, task, method), measured)
            if result is None:
                reasons.setdefault(NOT_MEASURED, []).append(f"{label} ({task})")
            cells += [_cell(None if result is None else result.of(it), it) for it in _DIRECTION]
        lines.append(f"| {' | '.join([label, *cells])} |")
    return [*lines, "", *_notes(reasons)]


def _intensity(sweeps: Sequence[SweepResult]) -> list[str]:
    heads = [name for name, _ in _INTENSITY]
    lines = [f"| {' | '.join(['Task', *heads])} |", "|---" + "|---:" * len(heads) + "|"]
    reasons: dict[str, list[str]] = {}
    for label, task in (("Given-human", "film"), ("Joint", "shoot")):
        own = [it for it in sweeps if it.result.setting.task == task]
        named = [it for it in own if it.result.setting.method == "AESOP"]
        scan = next(iter(named or own), None)
        if scan is None:
            reasons.setdefault(NOT_MEASURED, []).append(f"{label} ({task})")
        cells = [("–" if scan is None else of(scan)) for _, of in _INTENSITY]
        lines.append(f"| {' | '.join([label, *cells])} |")
    return [*lines, "", *_notes(reasons)]


def _found(row: PaperRow, results: Sequence[Result]) -> Result | None:
    """The result of a row; where several carry its name, that of the paper's protocol."""
    names = (row.method, _EARLIER_NAMES.get(row.method, ""))
    own = [it for it in results if it.setting.method in names and it.setting.task == row.task]
    wanted = [it for it in own if dict(it.setting.choices).get("protocol") == "paper"]
    return next(iter(wanted or own), None)


def _cell(number: MetricResult | None, metric: str) -> str:
    if number is None:
        return "–"
    digits = METRICS[metric].digits
    text = f"{round(number.mean, digits) + 0.0:.{digits}f}"
    return text if number.sd is None else f"{text} ± {number.sd:.{digits}f}"


def _notes(reasons: dict[str, list[str]]) -> list[str]:
    return [f"Empty, because {why}: {', '.join(rows)}." for why, rows in reasons.items()]
