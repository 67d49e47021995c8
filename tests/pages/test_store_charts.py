"""Charts of a store: every fact, the largest splits, and a page that can be opened."""

from pathlib import Path

import numpy as np
from PIL import Image

from aesop.data.facts import QUANTILES, StoreFacts, store_facts
from aesop.data.store import open_store
from aesop.fables.build import build_mini
from aesop.pages.figures import LINES, store_panels, write_store_charts


def test_quantiles_rise_and_the_largest_splits_are_drawn(tmp_path: Path):
    build_mini(tmp_path / "mini")
    store = open_store(tmp_path / "mini")
    named: dict[str, StoreFacts] = {}
    for number, split in enumerate(store.splits):
        rows = store.split(split.name, split.kind)[: 3 + 2 * number]
        named[str(split)] = store_facts(store, rows)
    panels = store_panels(named)
    hours = sorted((facts.hours for facts in named.values()), reverse=True)
    for panel in panels:
        assert panel.x == QUANTILES and len(panel.series) == LINES < len(named)
        for series in panel.series:
            assert named[series.name].hours >= hours[LINES - 1]
            assert (np.diff(series.values) >= 0).all()
    write_store_charts(named, tmp_path / "charts.png")
    assert Image.open(tmp_path / "charts.png").size[0] > 1000
