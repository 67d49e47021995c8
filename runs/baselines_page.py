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

from aesop.baselines.baseline_table import METHODS
from aesop.baselines.transformer_parts import parameter_count
from aesop.core.whole_files import atomic_path
from aesop.metrics.metric_book import METRICS
from aesop.models.method_network import METHOD_SIZES, MethodShape
from aesop.training.recipe_book import TEXT_WIDTH

ROOT = Path(__file__).resolve().parents[1]
PAGE, RESULTS = ROOT / "docs" / "baselines.md", ROOT / "results"
SHEETS = ROOT / "docs" / "pictures" / "baselines"
COLUMNS = ("fdc", "clatr", "f1", "camera_recall", "r_fpd", "out", "ade", "rotation")
# The paper's rows in its order, then ours at the same exposure, and what shows the scale.
OURS = "AESOP (same exposure)"
CONTROLS = ("Rule-based operator", "Mean camera, looking", "Cameras shuffled")


def sizes() -> Iterator[str]:
    """One row a method."""
    for name, method in METHODS.items():
        counts = [
            parameter_count(method.build(MethodShape(name, size, _text_width(size))))
            for size in METHOD_SIZES
        ]
        numbers = " | ".join(f"{count:,}" for count in counts)
        yield f"| {method.paper_name} | {numbers} | {'yes' if method.makes_lens else 'no'} |"


def _text_width(size: str) -> int:
    return TEXT_WIDTH["paper"] if size == "published" else TEXT_WIDTH["base"]


def results() -> dict[tuple[str, str], dict[str, Any]]:
    """Measured rows by split and method."""
    rows: dict[tuple[str, str], dict[str, Any]] = {}
    for path in sorted((RESULTS / "film").glob("*.json")):
        record = json.loads(path.read_text(encoding="utf-8"))
        setting = record["setting"]
        rows[setting["split"], setting["method"]] = record
    return rows


def scores() -> Iterator[str]:
    """A table a split, of every method that was measured on it."""
    names = [OURS, *(method.paper_name for method in METHODS.values()), *CONTROLS]
    known = results()
    baselines = {method.paper_name for method in METHODS.values()}
    splits = sorted({split for split, name in known if name in baselines})
    if not splits:
        yield "No baseline has been measured yet."
    for split in splits:
        titles = [METRICS[name].title for name in COLUMNS]
        yield from ("", f"`{split}`:", "", f"| method | {' | '.join(titles)} | shots | seeds |")
        yield "|---" * (len(titles) + 3) + "|"
        for name in names:
            if (split, name) in known:
                yield row_of(name, known[split, name])


def row_of(name: str, record: dict[str, Any]) -> str:
    """Means over seeds; an empty cell where nothing was measured."""
    found = {metric["metric"]: metric for metric in record["metrics"]}
    cells = [
        f"{found[column]['mean']:.{METRICS[column].digits}f}" if column in found else ""
        for column in COLUMNS
    ]
    setting = record["setting"]
    return f"| {name} | {' | '.join(cells)} | {setting['clips']} | {len(setting['seeds'])} |"


def main() -> int:
    text = PAGE.read_text(encoding="utf-8")
    for mark, lines in (("sizes", sizes()), ("scores", scores())):
        filled = "\n".join(lines).strip("\n")
        pattern = rf"(<!-- {mark} -->\n).*?(\n<!-- /{mark} -->)"
        text = re.sub(pattern, lambda it, new=filled: it[1] + new + it[2], text, flags=re.DOTALL)
    with atomic_path(PAGE) as temporary:
        temporary.write_text(text, encoding="utf-8", newline="\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
