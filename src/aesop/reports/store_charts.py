"""Distributions of a store: one chart a fact, one line a split."""

from collections.abc import Callable, Mapping
from pathlib import Path

from aesop.data.facts import QUANTILES, StoreFacts
from aesop.reports.charts import SERIES_COLOURS, Panel, Series, write_charts

_FACTS: tuple[tuple[str, Callable[[StoreFacts], tuple[float, ...]]], ...] = (
    ("length, frames", lambda facts: facts.length_quantiles),
    ("travel, m", lambda facts: facts.travel_m),
    ("start distance, m", lambda facts: facts.start_distance_m),
    ("start height over the hips, m", lambda facts: facts.start_height_m),
    ("vertical field of view, degrees", lambda facts: facts.fov_vertical_deg),
)


LINES = len(SERIES_COLOURS)


def store_panels(named: Mapping[str, StoreFacts]) -> list[Panel]:
    """Quantiles of every fact: the value (up) below which a share of the split (across) lies. Of
    many splits, those with the most footage: more lines than colours could not be told apart."""
    largest = sorted(named.items(), key=lambda it: -it[1].hours)[:LINES]
    return [
        Panel(
            title,
            QUANTILES,
            tuple(Series(name, of(facts)) for name, facts in largest),
            names="left",
        )
        for title, of in _FACTS
    ]


def write_store_charts(named: Mapping[str, StoreFacts], path: Path) -> None:
    """All facts on one page."""
    write_charts(store_panels(named), path, columns=3, x_title="share of the split")
