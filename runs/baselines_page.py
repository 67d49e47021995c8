"""docs/baselines.md: sizes from the networks, scores from results.

    python runs/baselines_page.py     # the parts of the page between its marks

A row stands in the table as soon as `aesop measure` or `lab/baselines_h200.py` has written its
result; nothing is written here that no file holds.
"""

import json
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import torch

from aesop.baselines.baseline_table import METHODS
from aesop.baselines.transformer_parts import parameter_count
from aesop.core.whole_files import atomic_path
from aesop.metrics.metric_book import METRICS
from aesop.models.method_network import METHOD_SIZES, MethodShape
from aesop.training.recipe_book import TEXT_WIDTH

ROOT = Path(__file__).resolve().parents[1]
PAGE, RESULTS = ROOT / "docs" / "baselines.md", ROOT / "results"
TRAINED = RESULTS / "training" / "baselines.json"
# Our camera flow as it ships, in both of its trainings: the exposure that theirs is a share of.
OUR_TRAININGS, OUR_PHASE = ("base3.json", "base4.json"), "camera-flow"
_CAMERA = ("fdc", "clatr", "f1", "camera_recall", "r_fpd", "out")
COLUMNS = {
    "film": (*_CAMERA, "ade", "rotation"),
    "shoot": (*_CAMERA, "rotation", "fd_tmr", "tmr"),
    "codec": ("global_mpjpe", "aligned_mpjpe", "root_ade", *_CAMERA, "ade", "rotation"),
}
# By what a training is called: its title, and how `lab/baselines_h200.py` was asked for it.
WHO_TRAINED = {
    **{name: (method.paper_name, name) for name, method in METHODS.items()},
    OUR_PHASE: ("AESOP, camera flow of the same exposure", "aesop"),
    "human-flow": ("AESOP, human flow of the same exposure", "aesop-people"),
}
# Ours at the same exposure, the paper's rows in its order, and what shows the scale.
OURS = {
    "film": ("AESOP (same exposure)",),
    "shoot": (
        "AESOP (same exposure)",
        "AESOP (camera of the same exposure, people as shipped)",
    ),
    "codec": ("AESOP AE (asym., same shots)", "AESOP AE (asym.)"),
}
CONTROLS = ("Rule-based operator", "Mean camera, looking", "Cameras shuffled")
# What the paper finds of one method against another: task, metric, and both values there.
RELATIONS = (
    ("film", "r_fpd", "AESOP", 0.998, "DIRECTOR-C", 1.993),
    ("film", "fdc", "CCD-H", 375.97, "CCD", 359.70),
    ("shoot", "fdc", "AESOP", 10.18, "PulpMotion DiT", 83.80),
    ("codec", "ade", "AESOP AE (asym.)", 0.029, "PulpMotion AE (sym.)", 0.110),
    ("codec", "rotation", "AESOP AE (asym.)", 0.41, "PulpMotion AE (sym.)", 1.37),
)


def sizes() -> Iterator[str]:
    """One row a method."""
    for name, method in METHODS.items():
        with torch.device("meta"):  # nothing but shapes
            counts = [
                parameter_count(method.build(MethodShape(name, size, _text_width(size))))
                for size in METHOD_SIZES
            ]
        numbers = " | ".join(f"{count:,}" for count in counts)
        yield f"| {method.paper_name} | {numbers} | {'yes' if method.makes_lens else 'no'} |"


def _text_width(size: str) -> int:
    return TEXT_WIDTH["paper"] if size == "published" else TEXT_WIDTH["base"]


def results(task: str) -> dict[tuple[str, str], dict[str, Any]]:
    """Measured rows of a task by split and method."""
    rows: dict[tuple[str, str], dict[str, Any]] = {}
    for path in sorted((RESULTS / task).glob("*.json")):
        record = json.loads(path.read_text(encoding="utf-8"))
        setting = record["setting"]
        rows[setting["split"], setting["method"]] = record
    return rows


def trainings() -> Iterator[str]:
    """What each that was trained has seen, and what was tried before."""
    if not TRAINED.exists():
        yield "None has been trained yet."
        return
    record = json.loads(TRAINED.read_text(encoding="utf-8"))
    ours = [json.loads((TRAINED.parent / it).read_text(encoding="utf-8")) for it in OUR_TRAININGS]
    wanted = sum(_examples(it["phases"][OUR_PHASE]["recipe"]) for it in ours)
    yield "| method | validation loss by rate, in trials | rate | steps | examples | of ours |"
    yield "|---|---|---:|---:|---:|---:|"
    for name, phase in record["phases"].items():
        title, asked_as = WHO_TRAINED[name]
        recipe, choice = phase["recipe"], record["choices"][asked_as]
        tried = ", ".join(
            f"{it['learning_rate']:g}: {it['validation_loss']:.4f}" for it in choice["trials"]
        )
        seen, rate = _examples(recipe), recipe["schedule"]["learning_rate"]
        cells = (tried, f"{rate:g}", f"{recipe['schedule']['steps']:,}", f"{seen:,}")
        yield f"| {title} | {' | '.join(cells)} | {100 * seen / wanted:.1f} % |"


def _examples(recipe: dict[str, Any]) -> int:
    return recipe["schedule"]["steps"] * recipe["schedule"]["batch_rows"]


def scores(task: str) -> Iterator[str]:
    """A table a split, of every method that was measured on it."""
    baselines = [method.paper_name for method in METHODS.values() if method.task == task]
    names = [*OURS[task], *baselines, *(CONTROLS if task == "film" else ())]
    known = results(task)
    splits = sorted({split for split, name in known if name in baselines})
    if not splits:
        yield "No baseline of this task has been measured yet."
    for split in splits:
        titles = [METRICS[name].title for name in COLUMNS[task]]
        yield from ("", f"`{split}`:", "", f"| method | {' | '.join(titles)} | shots | seeds |")
        yield "|---" * (len(titles) + 3) + "|"
        for name in names:
            if (split, name) in known:
                yield row_of(name, task, known[split, name])


def row_of(name: str, task: str, record: dict[str, Any]) -> str:
    """Means over seeds; an empty cell where nothing was measured."""
    found = means_of(record)
    cells = [
        f"{found[column]:.{METRICS[column].digits}f}" if column in found else ""
        for column in COLUMNS[task]
    ]
    setting = record["setting"]
    return f"| {name} | {' | '.join(cells)} | {setting['clips']} | {len(setting['seeds'])} |"


def means_of(record: dict[str, Any]) -> dict[str, float]:
    return {metric["metric"]: metric["mean"] for metric in record["metrics"]}


def relations() -> Iterator[str]:
    """What the paper finds of two methods, and what Fables does."""
    yield "| task | metric | of | against | paper | Fables |"
    yield "|---|---|---|---|---:|---:|"
    for task, metric, first, first_value, second, second_value in RELATIONS:
        paper = first_value / second_value - 1
        here = (
            "not measured" if (found := _relation(task, metric, first, second)) is None else found
        )
        title = METRICS[metric].title
        yield f"| {task} | {title} | {first} | {second} | {100 * paper:+.1f} % | {here} |"


def _relation(task: str, metric: str, first: str, second: str) -> str | None:
    """Of the first split on which both were measured."""
    known = results(task)
    ours = OURS[task] if first.startswith("AESOP") else (first,)
    for split in sorted({split for split, _ in known}):
        for name in ours:
            if (split, name) in known and (split, second) in known:
                one, other = (means_of(known[split, it])[metric] for it in (name, second))
                return f"{100 * (one / other - 1):+.1f} %"
    return None


def main() -> int:
    text = PAGE.read_text(encoding="utf-8")
    parts = (
        ("sizes", sizes()),
        ("trainings", trainings()),
        ("scores", scores("film")),
        ("joint scores", scores("shoot")),
        ("rebuilt scores", scores("codec")),
        ("relations", relations()),
    )
    for mark, lines in parts:
        filled = "\n".join(lines).strip("\n")
        pattern = rf"(<!-- {mark} -->\n).*?(\n<!-- /{mark} -->)"
        text = re.sub(pattern, lambda it, new=filled: it[1] + new + it[2], text, flags=re.DOTALL)
    with atomic_path(PAGE) as temporary:
        temporary.write_text(text, encoding="utf-8", newline="\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
