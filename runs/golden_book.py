"""The book of golden items: what is kept of a result, and how two books are compared.

An item holds the SHA-256 of a whole result. Items of kind `numbers` also hold the numbers, all of
them or, of large arrays, evenly spaced ones, so that a difference has a size; items of kind `bytes`
hold the beginning of a text, so that it has a place. Names of fields and classes are no part of an
item: records are kept by the order of their fields.
"""

import hashlib
import json
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, fields, is_dataclass
from pathlib import Path
from typing import Any, Literal

import numpy as np

SHOWN_TEXT = 600  # characters kept of a text
SPACED = 8  # numbers kept of an array that has more than twice as many
MOST = 40  # numbers kept of an item

Kind = Literal["bytes", "numbers", "skipped"]
Leaf = str | float | np.ndarray


@dataclass(frozen=True)
class Item:
    """One golden result. `text` is the beginning of a text, or why an item was skipped."""

    name: str
    kind: Kind
    sha256: str
    numbers: tuple[float, ...] = ()
    text: str = ""


@dataclass(frozen=True)
class Difference:
    """One line of the comparison. `largest` is the largest difference of the kept numbers."""

    name: str
    what: str
    largest: float | None = None


class Book:
    """Items by name, in the order in which they were added."""

    def __init__(self) -> None:
        self.items: dict[str, Item] = {}

    def add_bytes(self, name: str, data: bytes) -> None:
        """A file as it is."""
        self._add(Item(name, "bytes", hashlib.sha256(data).hexdigest()))

    def add_text(self, name: str, text: str) -> None:
        digest = hashlib.sha256(text.encode()).hexdigest()
        self._add(Item(name, "bytes", digest, text=text[:SHOWN_TEXT]))

    def add_numbers(self, name: str, *values: object) -> None:
        """Records, arrays, tensors, texts and numbers, nested as they come."""
        digest, kept = hashlib.sha256(), list[float]()
        for leaf in _leaves(values):
            digest.update(_as_bytes(leaf))
            kept += _kept(leaf)
        assert kept, f"{name} holds no number"
        self._add(Item(name, "numbers", digest.hexdigest(), tuple(_spaced(kept, MOST))))

    def add_skipped(self, name: str, reason: str) -> None:
        self._add(Item(name, "skipped", "", text=reason))

    def _add(self, item: Item) -> None:
        assert item.name not in self.items, f"two items are called {item.name}"
        self.items[item.name] = item


def _leaves(value: Any) -> Iterator[Leaf]:
    """What a nested value holds, in a fixed order."""
    match value:
        case None:
            yield "none"
        case bool() | int() | float():
            yield float(value)
        case str():
            yield value
        case np.ndarray() | np.generic():
            yield np.asarray(value)
        case Mapping():
            yield from _leaves(list(value.items()))
        case Sequence():
            yield f"list of {len(value)}"
            for item in value:
                yield from _leaves(item)
        case _ if is_dataclass(value):
            yield from _leaves([getattr(value, field.name) for field in fields(value)])
        case _:
            yield value.detach().cpu().numpy()  # a tensor


def _as_bytes(leaf: Leaf) -> bytes:
    if isinstance(leaf, np.ndarray):
        head = f"a{leaf.dtype.str}{leaf.shape}".encode()
        return head + np.ascontiguousarray(leaf).tobytes()
    return f"{type(leaf).__name__} {leaf!r}\0".encode()


def _kept(leaf: Leaf) -> list[float]:
    if not isinstance(leaf, np.ndarray):
        return [] if isinstance(leaf, str) else [float(leaf)]
    flat = [float(number) for number in leaf.reshape(-1)]
    return flat if len(flat) <= 2 * SPACED else _spaced(flat, SPACED)


def _spaced(numbers: list[float], most: int) -> list[float]:
    """All numbers, or so many that are evenly spaced."""
    places = np.linspace(0, len(numbers) - 1, min(most, len(numbers))).astype(int)
    return [numbers[place] for place in places]


def write_book(book: Book, path: Path) -> None:
    """Sorted and indented; numbers that are not finite are written as words."""
    items = [asdict(book.items[name]) for name in sorted(book.items)]
    for item in items:
        item["numbers"] = [it if math.isfinite(it) else str(it) for it in item["numbers"]]
    path.parent.mkdir(parents=True, exist_ok=True)
    text = json.dumps({"items": items}, indent=1, sort_keys=True, ensure_ascii=False)
    path.write_text(text + "\n", encoding="utf-8", newline="\n")


def read_book(path: Path) -> dict[str, Item]:
    """Inverse of `write_book`."""
    items = json.loads(path.read_text(encoding="utf-8"))["items"]
    read = [Item(**{**it, "numbers": tuple(map(float, it["numbers"]))}) for it in items]
    return {item.name: item for item in read}


def compared(before: Mapping[str, Item], after: Mapping[str, Item]) -> list[Difference]:
    """A line for every name of either book; `what` is empty where items are equal."""
    lines: list[Difference] = []
    for name in sorted({*before, *after}):
        first, second = before.get(name), after.get(name)
        if first is None or second is None:
            lines.append(Difference(name, "missing before" if first is None else "missing after"))
        else:
            lines.append(_difference(first, second))
    return lines


def _difference(first: Item, second: Item) -> Difference:
    name = first.name
    if repr(first) == repr(second):  # where NaN is NaN
        return Difference(name, "")
    if first.kind != second.kind:
        return Difference(name, f"{first.kind} before, {second.kind} after")
    if first.kind != "numbers":
        return Difference(name, f"other {first.kind}{_first_other(first.text, second.text)}")
    if len(first.numbers) != len(second.numbers):
        return Difference(name, f"{len(first.numbers)} numbers, then {len(second.numbers)}")
    pairs = zip(first.numbers, second.numbers, strict=True)
    apart = [0.0 if _same(a, b) else abs(a - b) for a, b in pairs]
    largest = math.inf if any(map(math.isnan, apart)) else max(apart)
    where = "" if largest else ", none of those that are kept"
    return Difference(name, f"other numbers{where}", largest)


def _same(first: float, second: float) -> bool:
    return first == second or (math.isnan(first) and math.isnan(second))


def _first_other(first: str, second: str) -> str:
    """Where two texts part."""
    for one, other in zip(first.splitlines(), second.splitlines(), strict=False):
        if one != other:
            return f": {one!r}, then {other!r}"
    return ""


def table(lines: Sequence[Difference]) -> str:
    """A line an item, those that differ first, and the counts at the end."""
    width = max((len(line.name) for line in lines), default=0)
    rows: list[str] = []
    for line in sorted(lines, key=lambda it: not it.what):
        largest = "" if line.largest is None else f" (largest difference {line.largest:.3g})"
        rows.append(f"{line.name:<{width}}  {line.what or 'equal'}{largest}")
    other = sum(bool(line.what) for line in lines)
    return "\n".join([*rows, f"{len(lines) - other} equal, {other} different"])
