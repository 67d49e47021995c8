"""Tables as the paper lays them out, in Markdown and LaTeX."""

from collections.abc import Sequence
from dataclasses import dataclass

from aesop.measuring.methods import CONTROL
from aesop.measuring.runs import Result
from aesop.metrics.metric_book import METRICS

ARROWS = {"lower": "↓", "higher": "↑", "neither": ""}
LATEX_ARROWS = {"lower": r"$\downarrow$", "higher": r"$\uparrow$", "neither": ""}
SECTIONS = {
    "codec": "Reconstruction",
    "film": "Given-human camera generation",
    "shoot": "Joint human–camera generation",
}


@dataclass(frozen=True)
class TableLayout:
    """Columns of a table, in groups with a heading of their own."""

    title: str
    first: str
    groups: tuple[tuple[str, tuple[str, ...]], ...]

    @property
    def metrics(self) -> list[str]:
        return [name for _, names in self.groups for name in names]


MAIN = TableLayout(
    "Main table",
    "Method",
    (
        ("camera distribution & alignment", ("fdc", "clatr", "f1", "camera_recall")),
        ("camera framing & geometry", ("r_fpd", "out", "ade", "rotation")),
        ("human distribution & alignment", ("fd_tmr", "tmr")),
    ),
)
PEOPLE = TableLayout(
    "People",
    "Method",
    (("human", ("human_precision", "human_recall", "human_density", "human_coverage")),),
)
CODEC = TableLayout(
    "Reconstruction",
    "Autoencoder",
    (
        ("human reconstruction", ("global_mpjpe", "aligned_mpjpe", "root_ade", "root_fde")),
        (
            "camera reconstruction",
            ("ade_from_person", "fde", "velocity_error", "rotation_velocity_error", "jerk_error"),
        ),
    ),
)
BESIDES = TableLayout(
    "Besides",
    "Method",
    (
        ("alignment", ("f1_macro", "camera_precision", "camera_density", "camera_coverage")),
        ("one block", ("camera_recall_block", "camera_coverage_block")),
        ("travel and rest", ("path", "net", "jerk", "turn_acceleration")),
        ("composition", ("centre_offset", "box_height", "headroom")),
        ("people", ("foot_slide",)),
    ),
)
DIRECTION = TableLayout(
    "Direction",
    "Checkpoint",
    (("direction", ("direction_original", "direction_reversed", "direction_combined")),),
)
LAYOUTS = (MAIN, PEOPLE, CODEC, BESIDES, DIRECTION)


@dataclass(frozen=True)
class _Marks:
    """How a cell is written: the best of a section, a deviation over seeds, nothing."""

    best: str
    deviation: str
    nothing: str


_MARKDOWN = _Marks("**{}**", "{} ± {}", "–")
_LATEX = _Marks(r"\textbf{{{}}}", r"{}\textsuperscript{{$\pm${}}}", "--")


def section_of(result: Result) -> str:
    """Rows of one task stand together; the dataset's own shots are judged as a reconstruction."""
    return SECTIONS[result.setting.task]


def is_outside(result: Result) -> bool:
    """References and controls show the scale of a table and are never its best row."""
    identities = [identity for _, identity in result.setting.identities]
    return any(identity == "reference" or identity.startswith(CONTROL) for identity in identities)


def in_order(results: Sequence[Result]) -> list[Result]:
    """Reconstruction before generation, each task together, references and controls first."""
    order = list(SECTIONS.values())
    return sorted(results, key=lambda it: (order.index(section_of(it)), not is_outside(it)))


def markdown_table(layout: TableLayout, results: Sequence[Result]) -> str:
    """Mean ± sample SD; a dash where a metric does not apply or could not be measured. Rows without
    any number are left out."""
    rows = _filled(layout, results)
    heads = [
        f"{METRICS[metric].title}{ARROWS[METRICS[metric].better]}" for metric in layout.metrics
    ]
    lines = [f"| {' | '.join([layout.first, *heads])} |", "|---" + "|---:" * len(heads) + "|"]
    section = ""
    for row in rows:
        if section_of(row) != section:
            section = section_of(row)
            lines.append(f"| *{section}* |" + " |" * len(heads))
        cells = [_cell(row, metric, rows, _MARKDOWN) for metric in layout.metrics]
        lines.append(f"| {' | '.join([row.setting.method, *cells])} |")
    return "\n".join(lines)


def latex_table(layout: TableLayout, results: Sequence[Result]) -> str:
    """A tabular with booktabs rules, grouped columns and sections, as in the paper."""
    rows = _filled(layout, results)
    groups, rules, start = [], "", 2
    for heading, names in layout.groups:
        groups.append(rf"\multicolumn{{{len(names)}}}{{c}}{{{_tex(heading)}}}")
        rules += rf"\cmidrule(lr){{{start}-{start + len(names) - 1}}}"
        start += len(names)
    heads = [
        f"{METRICS[metric].latex or METRICS[metric].title}{LATEX_ARROWS[METRICS[metric].better]}"
        for metric in layout.metrics
    ]
    lines = [rf"\begin{{tabular}}{{@{{}}l*{{{len(heads)}}}{{r}}@{{}}}}", r"\toprule"]
    lines += [f" & {' & '.join(groups)} \\\\", rules]
    lines.append(f"{' & '.join([layout.first, *heads])} \\\\")
    section = ""
    for row in rows:
        if section_of(row) != section:
            section = section_of(row)
            title = rf"\textit{{{_tex(section)}}}"
            lines += [r"\midrule", rf"\multicolumn{{{len(heads) + 1}}}{{l}}{{{title}}} \\"]
        cells = [_cell(row, metric, rows, _LATEX) for metric in layout.metrics]
        lines.append(f"{' & '.join([_tex(row.setting.method), *cells])} \\\\")
    return "\n".join([*lines, r"\bottomrule", r"\end{tabular}"])


def _filled(layout: TableLayout, results: Sequence[Result]) -> list[Result]:
    return [
        result for result in results if any(result.of(name) is not None for name in layout.metrics)
    ]


def _cell(row: Result, metric: str, rows: Sequence[Result], marks: _Marks) -> str:
    number = row.of(metric)
    if number is None:
        return marks.nothing
    digits = METRICS[metric].digits
    # A zero that rounding left negative is a plain one.
    text = f"{round(number.mean, digits) + 0.0:.{digits}f}"
    text = marks.best.format(text) if _is_best(row, metric, rows) else text
    return text if number.sd is None else marks.deviation.format(text, f"{number.sd:.{digits}f}")


def _is_best(row: Result, metric: str, rows: Sequence[Result]) -> bool:
    better, own = METRICS[metric].better, row.of(metric)
    if better == "neither" or own is None or is_outside(row):
        return False
    rivals = [it for it in rows if section_of(it) == section_of(row) and not is_outside(it)]
    values = [number.mean for rival in rivals if (number := rival.of(metric)) is not None]
    return len(values) > 1 and own.mean == (min if better == "lower" else max)(values)


def _tex(text: str) -> str:
    for sign in "&%_#":
        text = text.replace(sign, f"\\{sign}")
    return text
