"""The map of the rooms: read from the sources, drawn without a library, told in the right order."""

import re
from pathlib import Path
from xml.etree import ElementTree

import pytest

from tests.runs.scripts import script
from tests.test_policy import ROOMS, ROOT, SOURCE

PAGE = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
# What a reader of the whole way opens, at most.
JOURNEYS = {"film": 30, "step": 12}


def house(folder: Path, imports: dict[str, list[str]]) -> Path:
    """Sources with these rooms, each importing others."""
    for room, others in imports.items():
        (folder / room).mkdir()
        (folder / room / "__init__.py").write_text(f'"""The room {room}. Its details."""\n')
        lines = [f"from aesop.{other} import thing\n" for other in others]
        (folder / room / "things.py").write_text("".join(lines) or "\n")
    return folder


def test_the_page_names_the_rooms_in_the_order_of_the_policy():
    architecture = script("architecture")
    between = PAGE.split(architecture.MARKS[0])[1].split(architecture.MARKS[1])[0]
    named = re.findall(r"^\| `(\w+)` ", between, re.M)
    there = {path.parent.name for path in SOURCE.glob("*/__init__.py")}
    assert named == [room for room in ROOMS if room in there]
    assert there <= set(ROOMS) and architecture.policy_order() == list(ROOMS)


def test_every_room_of_ours_is_drawn_below_what_it_imports():
    architecture = script("architecture")
    rooms = architecture.read_rooms()
    layers = architecture.layers_of(rooms)
    for room in rooms:
        assert room.duty and room.files > 0 and room.lines > 0
        assert all(layers[other] < layers[room.name] for other in room.imports)
    picture = ElementTree.fromstring(architecture.drawing(rooms))
    texts = [text.text for text in picture.iter("{http://www.w3.org/2000/svg}text")]
    assert {room.name for room in rooms} <= set(texts)


def test_an_arrow_that_others_imply_is_left_out(tmp_path: Path):
    architecture = script("architecture")
    plan = {"a": [], "b": ["a"], "c": ["a", "b"], "d": ["a", "c"], "e": ["a"]}
    rooms = architecture.read_rooms(house(tmp_path, plan))
    assert [room.name for room in rooms] == ["a", "b", "c", "d", "e"]
    assert [room.lines for room in rooms] == [2, 2, 3, 3, 2]
    by_name = {room.name: room for room in rooms}
    arrows = architecture.needed_arrows(by_name)
    assert arrows == [("b", "a"), ("c", "b"), ("d", "c"), ("e", "a")]
    drawn = ElementTree.fromstring(architecture.drawing(rooms))
    paths = [path for path in drawn.iter("{http://www.w3.org/2000/svg}path") if path.get("stroke")]
    assert len(paths) == len(arrows)


def test_rooms_in_a_circle_are_refused(tmp_path: Path):
    with pytest.raises(ValueError, match=r"circle.*'b', 'c'"):
        script("architecture").read_rooms(house(tmp_path, {"a": [], "b": ["c"], "c": ["b"]}))


def test_boxes_of_a_layer_do_not_overlap():
    architecture = script("architecture")
    picture = ElementTree.fromstring(architecture.drawing(architecture.read_rooms()))
    boxes = [
        (float(box.get("y", 0)), float(box.get("x", 0)))
        for box in picture.iter("{http://www.w3.org/2000/svg}rect")
        if box.get("rx")
    ]
    for y, x in boxes:
        beside = [other for row, other in boxes if row == y and other > x]
        assert all(other - x >= architecture.BOX_PX for other in beside)


@pytest.mark.parametrize(("journey", "most"), JOURNEYS.items())
def test_journeys_are_short_enough_to_follow(journey: str, most: int):
    told = PAGE.split(f"<!-- journey {journey} -->")[1].split("<!-- /journey -->")[0]
    files = set(re.findall(r"`([\w/]+\.py)`", told))
    assert 3 < len(files) <= most
    assert all((SOURCE / name).is_file() for name in files)


def test_a_visit_lists_files_by_their_first_call():
    from aesop.core.errors import AesopError
    from aesop.scene.movement import runs
    from aesop.scene.rotation import about_z

    def work() -> None:
        import numpy as np
        import torch

        about_z(torch.zeros(2))
        runs(np.array([1, 1, 2]))
        about_z(torch.zeros(2))
        str(AesopError("a fact", "a remedy"))

    listed = script("architecture").visited(work)
    assert listed[:2] == ["scene/rotation.py", "scene/movement.py"]
    assert len(listed) == len(set(listed))
