"""Two golden books: equal ones pass, and nothing that changed goes unnoticed."""

import json
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest
import torch

from tests.runs.scripts import script


@dataclass(frozen=True)
class Facts:
    name: str
    values: torch.Tensor
    share: float | None


def written(path: Path) -> Path:
    book_of = script("golden_book")
    book = book_of.Book()
    book.add_text("words", "the camera pushes in\nthen it stops\n")
    book.add_numbers("record", Facts("walk", torch.arange(210.0).reshape(5, 6, 7), None), [0.25])
    book.add_numbers("not finite", np.array([float("nan"), float("inf"), 1.5]))
    book.add_skipped("stranger", "not beside this clone")
    book_of.write_book(book, path)
    return path


def edited(path: Path, name: str, **changes: object) -> None:
    """Change fields of one item; no changes take it out."""
    items = json.loads(path.read_text(encoding="utf-8"))["items"]
    kept = [it | changes if it["name"] == name else it for it in items]
    if not changes:
        kept = [it for it in items if it["name"] != name]
    path.write_text(json.dumps({"items": kept}), encoding="utf-8")


def compared(first: Path, second: Path) -> int:
    with pytest.raises(SystemExit) as ended:
        script("golden").main(["compare", str(first), str(second)])
    assert isinstance(ended.value.code, int)
    return ended.value.code


def test_equal_books_are_equal(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    assert compared(written(tmp_path / "a.json"), written(tmp_path / "b.json")) == 0
    assert "4 equal, 0 different" in capsys.readouterr().out


def test_one_changed_number_is_told_with_its_size(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    first, second = written(tmp_path / "a.json"), written(tmp_path / "b.json")
    numbers = script("golden_book").read_book(first)["record"].numbers
    edited(second, "record", numbers=[numbers[0] + 0.5, *numbers[1:]])
    assert compared(first, second) == 1
    told = capsys.readouterr().out
    assert "3 equal, 1 different" in told and "largest difference 0.5" in told


def test_a_number_that_is_not_kept_changes_the_hash():
    book = script("golden_book").Book()
    values = torch.zeros(1000)
    book.add_numbers("a", values)
    values[1] = 1.0
    book.add_numbers("b", values)
    first, second = book.items["a"], book.items["b"]
    assert first.numbers == second.numbers and first.sha256 != second.sha256


@pytest.mark.parametrize("order", [1, -1])
def test_a_missing_item_is_a_difference(tmp_path: Path, order: int):
    first, second = written(tmp_path / "a.json"), written(tmp_path / "b.json")
    edited(second, "words")
    assert compared(*[first, second][::order]) == 1


def test_an_item_that_was_skipped_once_is_a_difference(tmp_path: Path):
    first, second = written(tmp_path / "a.json"), written(tmp_path / "b.json")
    edited(second, "words", kind="skipped", sha256="", text="not beside this clone")
    assert compared(first, second) == 1


def test_a_changed_text_is_told_with_its_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    first, second = written(tmp_path / "a.json"), written(tmp_path / "b.json")
    edited(second, "words", sha256="0", text="the camera pushes in\nthen it stays\n")
    assert compared(first, second) == 1
    assert "'then it stops', then 'then it stays'" in capsys.readouterr().out


def test_what_is_not_finite_comes_back(tmp_path: Path):
    numbers = script("golden_book").read_book(written(tmp_path / "a.json"))["not finite"].numbers
    np.testing.assert_array_equal(numbers, [float("nan"), float("inf"), 1.5])
