"""Finished pieces outlive an interruption, and are never taken for those of another plan."""

from pathlib import Path

import pytest

from aesop.core.errors import FileError, StoreError
from aesop.core.whole_files import PieceFolder, PieceLines


def test_a_folder_goes_on_with_the_same_plan_only(tmp_path: Path):
    folder = PieceFolder(tmp_path / "building" / "kind", ".npz")
    assert not folder.is_started
    folder.start({"seed": 3, "shape": (5, 7)})
    folder.piece("00002").write_bytes(b"whole")
    folder.start({"shape": [5, 7], "seed": 3})
    assert folder.is_started and folder.piece("00002").name == "00002.npz"
    assert folder.piece("00002").read_bytes() == b"whole"
    with pytest.raises(StoreError, match="other settings"):
        folder.start({"seed": 4, "shape": (5, 7)})
    folder.remove()
    assert list(tmp_path.iterdir()) == []


def test_a_damaged_plan_is_told(tmp_path: Path):
    folder = PieceFolder(tmp_path)
    folder.start({"seed": 3})
    (tmp_path / "plan.json").write_text("{")
    with pytest.raises(StoreError, match=r"plan\.json"):
        folder.start({"seed": 3})


@pytest.mark.parametrize("plan", [None, {"seed": 3}])
def test_lines_come_back_and_one_that_was_cut_off_does_not(
    tmp_path: Path, plan: dict[str, int] | None
):
    lines = PieceLines(tmp_path / "new" / "done.jsonl" if plan else tmp_path / "done.jsonl")
    assert lines.start(plan) == []
    lines.add(["a", {"b": 1.5}])
    lines.add(["cut off"])
    assert lines.start(plan) == ["a", {"b": 1.5}, "cut off"]
    lines.path.write_text(lines.path.read_text()[:-3])
    assert lines.start(plan) == ["a", {"b": 1.5}]
    lines.add(["next"])
    assert lines.start(plan) == ["a", {"b": 1.5}, "next"]


def test_lines_of_another_plan_or_of_no_plan_are_refused(tmp_path: Path):
    lines = PieceLines(tmp_path / "done.jsonl")
    lines.start({"seed": 3})
    with pytest.raises(FileError, match="another plan"):
        lines.start({"seed": 4})
    lines.path.write_text("no json\n")
    with pytest.raises(FileError, match="no list"):
        lines.start()


def test_lines_that_cannot_be_written_are_told(tmp_path: Path):
    lines = PieceLines(tmp_path / "gone" / "films.jsonl")
    with pytest.raises(
        FileError, match=r"films\.jsonl could not be written: no such file.*again\."
    ):
        lines.add([1])
