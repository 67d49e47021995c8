"""Draw the rooms of src/aesop and what they import of each other, and count their files and lines.

    python runs/architecture.py    # docs/pictures/rooms.svg, the table in docs/architecture.md
    python runs/architecture.py visit film walk.bvh "the camera pushes in" -o walk.shot

Everything is read from the sources. Rooms stand in layers: each below all rooms that it imports.
An arrow that others already imply is left out. `visit` runs a command of `aesop` twice and lists
the files whose functions the second run calls, in the order of their first call.
"""

import ast
import os
import sys
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from itertools import pairwise
from pathlib import Path
from types import FrameType

ROOT = Path(__file__).resolve().parents[1]
SOURCE = ROOT / "src" / "aesop"
PAGE = ROOT / "docs" / "architecture.md"
PICTURE = ROOT / "docs" / "pictures" / "rooms.svg"
MARKS = ("<!-- rooms -->", "<!-- /rooms -->")

BOX_PX, BOX_HEIGHT_PX = 132, 40
LANE_PX = 26  # what an arrow needs that passes a layer between two boxes
GAP_PX, LAYER_PX, MARGIN_PX = 22, 92, 24
INK, FAINT, PAPER, ROOM = "#1f2933", "#8795a1", "#ffffff", "#eef4fb"


@dataclass(frozen=True)
class Room:
    """A folder of src/aesop."""

    name: str
    duty: str  # first sentence of its docstring
    files: int
    lines: int
    imports: frozenset[str]


@dataclass(frozen=True)
class Place:
    """A box, or a point where an arrow passes a layer."""

    name: str
    layer: int
    is_room: bool

    @property
    def width_px(self) -> int:
        return BOX_PX if self.is_room else LANE_PX


def imported_rooms(code: str) -> set[str]:
    """Rooms that a file names in its imports, wherever they stand in it."""
    names: set[str] = set()
    for node in ast.walk(ast.parse(code)):
        if isinstance(node, ast.Import):
            names.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            names.update(f"{node.module}.{alias.name}" for alias in node.names)
    return {name.split(".")[1] for name in names if name.startswith("aesop.")}


def read_rooms(source: Path = SOURCE) -> list[Room]:
    """All rooms in reading order: each after those it imports, else by name."""
    folders = sorted(path.parent for path in source.glob("*/__init__.py"))
    known = {folder.name for folder in folders}
    rooms = {folder.name: _read_room(folder, known) for folder in folders}
    ordered: list[Room] = []
    while rooms:
        done = {room.name for room in ordered}
        ready = [room for room in rooms.values() if room.imports <= done]
        if not ready:
            raise ValueError(f"These rooms import each other in a circle: {sorted(rooms)}.")
        ordered.append(rooms.pop(ready[0].name))
    return ordered


def _read_room(folder: Path, known: set[str]) -> Room:
    codes = [path.read_text(encoding="utf-8") for path in sorted(folder.rglob("*.py"))]
    duty = ast.get_docstring(ast.parse((folder / "__init__.py").read_text(encoding="utf-8"))) or ""
    imports = frozenset[str]().union(*(imported_rooms(code) for code in codes))
    return Room(
        folder.name,
        " ".join(duty.split("\n\n")[0].split()).rstrip("."),
        len(codes),
        sum(code.count("\n") for code in codes),
        (imports & known) - {folder.name},
    )


def reached(name: str, rooms: Mapping[str, Room]) -> set[str]:
    """Everything that a room imports, itself or through others."""
    found: set[str] = set()
    waiting = list(rooms[name].imports)
    while waiting:
        other = waiting.pop()
        if other not in found:
            found.add(other)
            waiting += rooms[other].imports
    return found


def needed_arrows(rooms: Mapping[str, Room]) -> list[tuple[str, str]]:
    """Imports that no chain of other imports implies."""
    arrows: list[tuple[str, str]] = []
    for room in rooms.values():
        implied = set[str]().union(*(reached(other, rooms) for other in room.imports))
        arrows += [(room.name, other) for other in sorted(room.imports - implied)]
    return arrows


def layers_of(rooms: Sequence[Room]) -> dict[str, int]:
    """Layer of every room, below all that it imports; rooms come in reading order."""
    layers: dict[str, int] = {}
    for room in rooms:
        layers[room.name] = 1 + max((layers[other] for other in room.imports), default=-1)
    for room in rooms:
        if not room.imports:  # nothing holds it at the top: it stands close to who needs it
            needed = [layers[other.name] for other in rooms if room.name in other.imports]
            layers[room.name] = max(min(needed, default=1) - 1, 0)
    return layers


Lane = tuple[Place, ...]  # an arrow's way through the layers, from the importer up


def _lanes(arrows: Sequence[tuple[str, str]], boxes: Mapping[str, Place]) -> list[Lane]:
    lanes: list[Lane] = []
    for importer, imported in arrows:
        low, high = boxes[importer], boxes[imported]
        between = [
            Place(f"{importer}>{imported}", layer, is_room=False)
            for layer in range(low.layer - 1, high.layer, -1)
        ]
        lanes.append((low, *between, high))
    return lanes


def _middles(row: Sequence[Place], width_px: float) -> dict[Place, float]:
    """Where the places of a layer stand, side by side and centred."""
    used = sum(place.width_px for place in row) + GAP_PX * (len(row) - 1)
    left, middles = (width_px - used) / 2, dict[Place, float]()
    for place in row:
        middles[place] = left + place.width_px / 2
        left += place.width_px + GAP_PX
    return middles


def arrange(rows: list[list[Place]], lanes: Sequence[Lane]) -> tuple[dict[Place, float], float]:
    """Middles and width, with every layer ordered by the mean place of its neighbours."""
    neighbours: dict[Place, list[Place]] = {place: [] for row in rows for place in row}
    for lane in lanes:
        for low, high in pairwise(lane):
            neighbours[low].append(high)
            neighbours[high].append(low)
    spans = [sum(p.width_px for p in row) + GAP_PX * (len(row) - 1) for row in rows]
    width_px = max(spans) + 2 * MARGIN_PX
    middles: dict[Place, float] = {}
    for row in rows:
        middles |= _middles(row, width_px)
    for sweep in range(24):
        for row in rows if sweep % 2 else rows[::-1]:
            means = {p: _mean([middles[n] for n in neighbours[p]], middles[p]) for p in row}
            row.sort(key=lambda place: means[place])
            middles |= _middles(row, width_px)
    return middles, width_px


def _mean(values: Sequence[float], otherwise: float) -> float:
    return sum(values) / len(values) if values else otherwise


def drawing(rooms: Sequence[Room]) -> str:
    """The rooms as SVG."""
    layers = layers_of(rooms)
    boxes = {room.name: Place(room.name, layers[room.name], is_room=True) for room in rooms}
    lanes = _lanes(needed_arrows({room.name: room for room in rooms}), boxes)
    rows: list[list[Place]] = [[] for _ in range(max(layers.values()) + 1)]
    for place in dict.fromkeys([*boxes.values(), *(p for lane in lanes for p in lane)]):
        rows[place.layer].append(place)
    middles, width_px = arrange(rows, lanes)
    height_px = len(rows) * LAYER_PX - (LAYER_PX - BOX_HEIGHT_PX) + 2 * MARGIN_PX
    parts = [_arrow(lane, middles) for lane in lanes]
    parts += [_box(room, middles[boxes[room.name]], layers[room.name]) for room in rooms]
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width_px:.0f} {height_px}" '
        f'width="{width_px:.0f}" height="{height_px}" font-family="sans-serif" '
        'text-anchor="middle">\n<title>Rooms of AESOP; arrows go from a room to what it imports'
        "</title>\n<defs><marker id='tip' viewBox='0 0 8 8' refX='7' refY='4' markerWidth='7' "
        f"markerHeight='7' orient='auto'><path d='M0 0L8 4L0 8z' fill='{FAINT}'/></marker></defs>\n"
        f'<rect width="100%" height="100%" fill="{PAPER}"/>\n'
    )
    return head + "\n".join(parts) + "\n</svg>\n"


def _top_px(layer: int) -> int:
    return MARGIN_PX + layer * LAYER_PX


def _arrow(lane: Lane, middles: Mapping[Place, float]) -> str:
    x, y = middles[lane[0]], float(_top_px(lane[0].layer))
    path = f"M{x:.1f} {y:.1f}"
    for place in lane[1:]:
        bottom = _top_px(place.layer) + BOX_HEIGHT_PX
        bend, to = (y - bottom) / 2, middles[place]
        path += f"C{x:.1f} {y - bend:.1f} {to:.1f} {bottom + bend:.1f} {to:.1f} {bottom:.1f}"
        x, y = to, float(bottom)
        if not place.is_room:  # straight through the layer
            y -= BOX_HEIGHT_PX
            path += f"V{y:.1f}"
    return f'<path d="{path}" fill="none" stroke="{FAINT}" marker-end="url(#tip)"/>'


def _box(room: Room, middle_px: float, layer: int) -> str:
    top = _top_px(layer)
    return (
        f'<rect x="{middle_px - BOX_PX / 2:.1f}" y="{top}" width="{BOX_PX}" '
        f'height="{BOX_HEIGHT_PX}" rx="5" fill="{ROOM}" stroke="{INK}"/>'
        f'<text x="{middle_px:.1f}" y="{top + 17}" font-size="14" fill="{INK}">'
        f"{escape(room.name)}</text>"
        f'<text x="{middle_px:.1f}" y="{top + 33}" font-size="11" fill="{FAINT}">'
        f"{room.files} files, {room.lines:,} lines</text>"
    )


def reading_order(rooms: Sequence[Room], order: Sequence[str]) -> list[Room]:
    """Rooms by the order that the policy fixes; one that it does not know comes last."""
    places = {name: place for place, name in enumerate(order)}
    return sorted(rooms, key=lambda room: places.get(room.name, len(places)))


def table(rooms: Sequence[Room]) -> str:
    """One row a room, and the sums."""
    lines = ["| room | holds | files | lines |", "|---|---|---:|---:|"]
    lines += [f"| `{it.name}` | {it.duty} | {it.files} | {it.lines:,} |" for it in rooms]
    files, total = sum(it.files for it in rooms), sum(it.lines for it in rooms)
    return "\n".join([*lines, f"| all | | {files} | {total:,} |"])


def policy_order() -> list[str]:
    """The order of rooms that tests/test_policy.py holds."""
    tree = ast.parse((ROOT / "tests" / "test_policy.py").read_text(encoding="utf-8"))
    for node in tree.body:
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "ROOMS":
            return list(ast.literal_eval(node.value))
    raise ValueError("tests/test_policy.py names no ROOMS.")


def with_table(page: str, text: str) -> str:
    """A page with the table between its marks replaced."""
    before, rest = page.split(MARKS[0])
    _, after = rest.split(MARKS[1])
    return f"{before}{MARKS[0]}\n{text}\n{MARKS[1]}{after}"


def visited(work: Callable[[], object]) -> list[str]:
    """Files of the package whose functions run, in the order of their first call."""
    start, files = str(SOURCE) + os.sep, dict[str, None]()

    def look(frame: FrameType, event: str, _: object) -> None:
        code = frame.f_code
        if event == "call" and code.co_filename.startswith(start) and code.co_name != "<module>":
            files.setdefault(Path(code.co_filename[len(start) :]).as_posix())

    sys.setprofile(look)
    threading.setprofile(look)
    try:
        work()
    finally:
        sys.setprofile(None)
        threading.setprofile(None)
    return list(files)


def visit(words: Sequence[str]) -> list[str]:
    """What one command of `aesop` visits; it runs once before, so that imports do not count."""
    from aesop.cli import main as command

    command(list(words))
    return visited(lambda: command(list(words)))


def main(words: Sequence[str]) -> None:
    if words and words[0] == "visit":
        sys.stdout.writelines(f"{name}\n" for name in visit(words[1:]))
        return
    rooms = reading_order(read_rooms(), policy_order())
    PICTURE.write_text(drawing(rooms), encoding="utf-8", newline="\n")
    page = with_table(PAGE.read_text(encoding="utf-8"), table(rooms))
    PAGE.write_text(page, encoding="utf-8", newline="\n")
    sys.stdout.writelines(f"{path.relative_to(ROOT).as_posix()}\n" for path in (PICTURE, PAGE))


if __name__ == "__main__":
    main(sys.argv[1:])
