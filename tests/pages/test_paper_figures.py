"""The paper's figures: lists are checked before any work, groups are the paper's, pages hold every
method."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from aesop.core.errors import FileError
from aesop.measuring.runs import SweepResult, read_record
from aesop.pages.paper_figures import (
    ComparedRow,
    comparison,
    population_panels,
    read_outside_list,
    write_construction,
    write_intensity_examples,
    write_population,
)
from aesop.pairs.gates import Funnel, FunnelStage
from aesop.pairs.inspection import Portrait
from aesop.scene.shot import Shot
from tests.metrics.makers import straight_shot

RESULTS = Path(__file__).parents[2] / "results" / "sweep"
SCANS = [RESULTS / f"{task}_aesop_test_pure.json" for task in ("film", "shoot")]


@pytest.fixture(scope="module")
def shot() -> Shot:
    return replace(straight_shot((0.3, 0, 0.1), 31), camera_words="push in")


def test_every_method_has_a_column_of_four_pictures(shot: Shot):
    one, two = (
        comparison([ComparedRow("push in", ((("a", shot),) * count))], cell=80) for count in (1, 2)
    )
    assert one.shape[0] == two.shape[0] and one.shape[1] * 2 - 2 == two.shape[1]
    # The same shot is drawn alike in both columns: pixels of pictures, below the words.
    unit, below = 2, 2 + 4 * 8
    first = two[below:, unit : unit + 80]
    second = two[below:, 2 * unit + 80 : 2 * unit + 160]
    assert (first == second).all() and len(np.unique(first.reshape(-1, 3), axis=0)) > 50


def test_examples_and_strips_are_written(shot: Shot, tmp_path: Path):
    far = replace(shot, intensity=1.5)
    path = write_intensity_examples(tmp_path / "examples.png", [[shot, far]])
    with Image.open(path) as picture:
        assert picture.width > 2 * 320
    funnel = Funnel(
        "Trucks", (FunnelStage("sources", 101, 53, ()), FunnelStage("targets", 53, 7, ()))
    )
    portraits = [("clip", Portrait("accepted", (("original", shot), ("opposite", far))))]
    plain = write_construction(tmp_path / "plain.png", portraits, [])
    counted = write_construction(tmp_path / "counted.png", portraits, [funnel])
    with Image.open(plain) as without, Image.open(counted) as with_counts:
        assert with_counts.height - without.height == 32
        strip = np.asarray(with_counts)[-40:]
        assert (strip != strip[-1, -1]).any()  # the counts are written there


def test_the_population_figure_is_grouped_as_the_papers(tmp_path: Path):
    scans = [read_record(path, SweepResult) for path in SCANS]
    panels = population_panels(scans)
    titles = [panel.title.partition(":")[0] for panel in panels]
    groups = ["travel distance", "distribution", "text alignment", "framing", "reference error"]
    assert titles == groups * 2
    lines = {panel.title: [series.name for series in panel.series] for panel in panels}
    assert lines["travel distance: Path length (m)"] == ["given-human", "joint"]
    assert lines["reference error: ADE (m)"] == ["given-human"]  # as in the paper
    assert all(panel.at == 1.0 for panel in panels)
    assert write_population(tmp_path / "scan.png", scans).stat().st_size > 5000
    # A metric that no clip supports leaves its panel empty, and says so.
    without = [replace(it, quality=tuple(() for _ in it.quality)) for it in scans]
    assert {panel.series[0].name for panel in population_panels(without)} == {"not measured"}
    assert write_population(tmp_path / "empty.png", without).stat().st_size > 5000
    shorter = replace(scans[0], facts=replace(scans[0].facts, intensities=(0.5, 1.0)))
    with pytest.raises(FileError, match="different lists"):
        write_population(tmp_path / "b.png", [shorter, scans[1]])


def test_lists_from_elsewhere_are_checked_line_by_line(tmp_path: Path):
    path = tmp_path / "list.csv"
    path.write_text("motion,camera_words,human_words,seconds\nwalk.npy,push in,,\n,pan,waves,3.5\n")
    given, made = read_outside_list(path)
    assert given.motion == tmp_path / "walk.npy" and made.motion is None
    assert (made.human_words, made.seconds) == ("waves", 3.5)
    for row in ("walk.npy,,,", ",push in,,", "walk.npy,push in,waves,", ",push in,waves,long"):
        path.write_text(f"motion,camera_words,human_words,seconds\n{row}\n")
        with pytest.raises(FileError, match="line 2"):
            read_outside_list(path)
    path.write_text("motion,camera_words\n")
    with pytest.raises(FileError, match="lists nothing"):
        read_outside_list(path)
    with pytest.raises(FileError, match="no CSV"):
        read_outside_list(tmp_path / "nowhere.csv")
