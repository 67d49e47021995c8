"""Tables as the paper lays them out, in Markdown and LaTeX."""

from collections.abc import Sequence
from dataclasses import dataclass

from aesop.measuring.runs import MetricResult, Result
from aesop.metrics.metric_book import METRICS

ARROWS = {"lower": "↓", "higher": "↑", "neither": ""}
LATEX_ARROWS = {"lower": r"$\downarrow$", "higher": r"$\uparrow$", "neither": ""}


@dataclass(frozen=True)
class TableLayout:
    """Columns of a table, in groups with a heading of their own."""

    first: str
    groups: tuple[tuple[str, tuple[str, ...]], ...]

    @property
    def metrics(self) -> list[str]:
        return [name for _, names in self.groups for name in names]


MAIN = TableLayout(
    "Method",
    (
        ("camera distribution & alignment", ("fdc", "clatr", "f1", "camera_recall")),
        ("camera framing & geometry", ("r_fpd", "out", "ade", "rotation")),
        ("human distribution & alignment", ("fd_tmr", "tmr")),
    ),
)
PEOPLE = TableLayout(
    "Method",
    (("human", ("human_precision", "human_recall", "human_density", "human_coverage")),),
)
CODEC = TableLayout(
    "Autoencoder",
    (
        ("human reconstruction", ("global_mpjpe", "aligned_mpjpe", "root_ade", "root_fde")),
        (
            "camera reconstruction",
            ("ade_from_person", "fde", "velocity_error", "rotation_velocity_error", "jerk_error"),
        ),
    ),
)
DIRECTION = TableLayout(
    "Checkpoint",
    (("direction", ("direction_original", "direction_reversed", "direction_combined")),),
)
BESIDES = TableLayout(
    "Method",
    (
        ("alignment", ("f1_macro", "camera_precision", "camera_density", "camera_coverage")),
        ("one block", ("camera_recall_block", "camera_coverage_block")),
        ("travel and rest", ("path", "net", "jerk", "turn_acceleration")),
        ("composition", ("centre_offset", "box_height", "headroom")),
        ("people", ("foot_slide",)),
    ),
)


@dataclass(frozen=True)
class TableRow:
    """One line of a table. The best of each section is set in bold, references excepted."""

    name: str
    section: str
    result: Result
    is_reference: bool = False


def markdown_table(layout: TableLayout, rows: Sequence[TableRow]) -> str:
    """Mean ± sample SD; a dash where a metric does not apply or could not be measured. Rows without
    any number are left out."""
    rows = _filled(layout, rows)
    heads = [f"{METRICS[it].title}{ARROWS[METRICS[it].better]}" for it in layout.metrics]
    lines = [f"| {' | '.join([layout.first, *heads])} |", "|---" + "|---:" * len(heads) + "|"]
    section = ""
    for row in rows:
        if row.section != section:
            section = row.section
            lines.append(f"| *{section}* |" + " |" * len(heads))
        cells = [
            _markdown_cell(row.result.of(it), it, is_best=_is_best(row, it, rows))
            for it in layout.metrics
        ]
        lines.append(f"| {' | '.join([row.name, *cells])} |")
    return "\n".join(lines)


def latex_table(layout: TableLayout, rows: Sequence[TableRow]) -> str:
    """A tabular with booktabs rules, grouped columns and sections, as in the paper."""
    rows = _filled(layout, rows)
    spans, start = [], 2
    for heading, names in layout.groups:
        spans.append((heading, start, start + len(names) - 1))
        start += len(names)
    count = len(layout.metrics)
    groups = [
        rf"\multicolumn{{{last - first + 1}}}{{c}}{{{_tex(heading)}}}"
        for heading, first, last in spans
    ]
    rules = "".join(rf"\cmidrule(lr){{{first}-{last}}}" for _, first, last in spans)
    heads = [f"{METRICS[it].latex}{LATEX_ARROWS[METRICS[it].better]}" for it in layout.metrics]
    lines = [rf"\begin{{tabular}}{{@{{}}l*{{{count}}}{{r}}@{{}}}}", r"\toprule"]
    lines += [f" & {' & '.join(groups)} \\\\", rules]
    lines.append(f"{' & '.join([layout.first, *heads])} \\\\")
    section = ""
    for row in rows:
        lines += [r"\midrule"] if row.section != section or row is rows[0] else []
        if row.section != section:
            section = row.section
            lines += [rf"\multicolumn{{{count + 1}}}{{l}}{{\textit{{{_tex(section)}}}}} \\"]
        cells = [
            _latex_cell(row.result.of(it), it, is_best=_is_best(row, it, rows))
            for it in layout.metrics
        ]
        lines.append(f"{' & '.join([_tex(row.name), *cells])} \\\\")
    return "\n".join([*lines, r"\bottomrule", r"\end{tabular}"])


def _filled(layout: TableLayout, rows: Sequence[TableRow]) -> list[TableRow]:
    return [row for row in rows if any(row.result.of(it) is not None for it in layout.metrics)]


def _is_best(row: TableRow, metric: str, rows: Sequence[TableRow]) -> bool:
    better = METRICS[metric].better
    own = row.result.of(metric)
    if better == "neither" or own is None or row.is_reference:
        return False
    rivals = [it for it in rows if it.section == row.section and not it.is_reference]
    values = [found.mean for it in rivals if (found := it.result.of(metric)) is not None]
    return len(values) > 1 and own.mean == (min if better == "lower" else max)(values)


def _markdown_cell(found: MetricResult | None, metric: str, *, is_best: bool) -> str:
    if found is None:
        return "–"
    digits = METRICS[metric].digits
    text = _decimal(found.mean, digits)
    text = f"**{text}**" if is_best else text
    return text if found.sd is None else f"{text} ± {found.sd:.{digits}f}"


def _latex_cell(found: MetricResult | None, metric: str, *, is_best: bool) -> str:
    if found is None:
        return "--"
    digits = METRICS[metric].digits
    text = _decimal(found.mean, digits)
    text = rf"\textbf{{{text}}}" if is_best else text
    return text if found.sd is None else rf"{text}\textsuperscript{{$\pm${found.sd:.{digits}f}}}"


def _decimal(value: float, digits: int) -> str:
    """Rounded; a zero that rounding left negative is a plain one."""
    return f"{round(value, digits) + 0.0:.{digits}f}"


def _tex(text: str) -> str:
    for sign in "&%_#":
        text = text.replace(sign, f"\\{sign}")
    return text
