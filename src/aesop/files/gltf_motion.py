"""glTF files (.glb, .gltf): the character that a file animates. y up, by the standard."""

import base64
import binascii
import json
import math
import struct
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import numpy as np
import torch
from jaxtyping import Float, Shaped
from torch import Tensor

from aesop.core.errors import FileError
from aesop.files.foreign_clip import Units, foreign_clip
from aesop.files.importing import check_length, check_rate, input_file
from aesop.files.node_tree import NodeTree, node_take, transform_matrices
from aesop.scene.human import Clip

MAX_BYTES = 512 * 2**20
MAX_NODES = 10_000
# Keys nearer together than this belong to a recording, sampled once a frame; sparser ones were set
# by hand, and are read at the rate that most programs play glTF with.
SLOWEST_RECORDING_FPS = 10.0
USUAL_FPS = 30.0
# Times are stored in single precision; whole rates, and frames between keys, come back this share
# off.
WHOLE_RATE_TOLERANCE = 2e-3

_GLB_MAGIC, _JSON_CHUNK, _BINARY_CHUNK = 0x46546C67, 0x4E4F534A, 0x004E4942
# Component type → letter of NumPy; normalised integers are shares of their largest value.
_COMPONENTS = {5120: "i1", 5121: "u1", 5122: "i2", 5123: "u2", 5125: "u4", 5126: "f4"}
_WIDTHS = {"SCALAR": 1, "VEC2": 2, "VEC3": 3, "VEC4": 4, "MAT4": 16}
_PATHS = {"translation": 3, "rotation": 4, "scale": 3}

# Extensions that pack the numbers of animations; others pack meshes and pictures.
_PACKERS = ("_meshopt_compression", "MPEG_accessor_timed")
_UNPACK = "Export it without compression, or unpack it (gltf-transform copy does)."

Json = dict[str, Any]


class GltfFlawError(Exception):
    """What is wrong with the file, and its own remedy if it has one; `gltf_flaws_told` adds the
    file's name."""

    def __init__(self, flaw: str, remedy: str | None = None) -> None:
        super().__init__(flaw)
        self.remedy = remedy


@dataclass(frozen=True, eq=False)
class Track:
    """Keys of one property of one node."""

    node: int
    path: str
    way: str  # LINEAR, STEP or CUBICSPLINE
    seconds: Float[np.ndarray, " keys"]
    values: Float[np.ndarray, "keys width"]  # for splines in-tangent, value and out-tangent


def read_gltf(
    path: Path,
    *,
    fps: float | None = None,
    units: Units | None = None,
    loop: int | None = None,
) -> Clip:
    """The motion of the one character in a glTF file. `fps` says at which rate its curves are
    read; by default at that of their keys."""
    if input_file(path).stat().st_size > MAX_BYTES:
        raise FileError(
            f"{path} is larger than {MAX_BYTES >> 20} MiB.", "Export the skeleton without its mesh."
        )
    with gltf_flaws_told(path, "Export it again, with its animation."):
        document = GltfDocument(path)
        tracks, notes = document.tracks()
        moving = document.of_skeletons(tracks)
        rate = fps if fps is not None else _key_rate(moving)
        check_rate(rate, path)
        first, last = (pick(t.seconds[at] for t in moving) for pick, at in ((min, 0), (max, -1)))
        frames = math.floor((last - first) * rate + WHOLE_RATE_TOLERANCE) + 1
        check_length(frames, rate, path)
        tree = document.tree(tracks, first + np.arange(frames) / rate, rate)
    return foreign_clip(node_take(tree, "glTF"), path, units=units, notes=notes, loop=loop)


@contextmanager
def gltf_flaws_told(path: Path, remedy: str) -> Iterator[None]:
    """What is wrong with a file that the block reads, as an error for its user."""
    try:
        yield
    except GltfFlawError as flaw:
        raise FileError(
            f"{path} is not a readable glTF file: {flaw}.", flaw.remedy or remedy
        ) from flaw
    except (KeyError, IndexError, TypeError, ValueError, struct.error, RecursionError) as problem:
        # What Python and NumPy raise on JSON that says one thing and means another.
        raise FileError(
            f"{path} is not a readable glTF file: its parts do not fit together "
            f"({type(problem).__name__}: {str(problem)[:80]}).",
            remedy,
        ) from problem


def _key_rate(tracks: list[Track]) -> float:
    """The rate of a recording, from the steps between the keys of its densest track."""
    densest = max(tracks, key=lambda track: len(track.seconds)).seconds
    steps = np.diff(densest)
    if not len(steps) or np.median(steps) <= 0 or 1 / np.median(steps) < SLOWEST_RECORDING_FPS:
        return USUAL_FPS
    rate = float(1 / np.median(steps))
    whole = float(round(rate))
    return whole if abs(rate - whole) < WHOLE_RATE_TOLERANCE * rate else rate


class GltfDocument:
    """The JSON of a file and the bytes that it points into."""

    def __init__(self, path: Path) -> None:
        self.path = path
        data = path.read_bytes()
        self.binary = b""
        if data[:4] == b"glTF":
            data, self.binary = _chunks(data)
        try:
            self.json: Any = json.loads(data)
        except (UnicodeDecodeError, json.JSONDecodeError) as problem:
            raise GltfFlawError("it is neither GLB nor JSON") from problem
        if not isinstance(self.json, dict) or "asset" not in self.json:
            raise GltfFlawError("its JSON does not describe an asset")
        version = str(self.json["asset"].get("version", "2.0"))
        if not version.startswith("2."):
            raise GltfFlawError(
                f"it is version {version[:9]} of glTF; AESOP reads 2", "Export it as glTF 2.0."
            )
        needed = self.json.get("extensionsRequired", ())
        packed = [name for name in needed if str(name).endswith(_PACKERS)]
        if packed:
            raise GltfFlawError(f"its numbers are packed with {', '.join(packed)}", _UNPACK)
        self.buffers: dict[int, bytes] = {}
        if len(self.json.get("nodes", ())) > MAX_NODES:
            raise GltfFlawError(f"it has more than {MAX_NODES} nodes")

    def tracks(self) -> tuple[list[Track], tuple[str, ...]]:
        """The tracks of the animation that moves most, and which others were left out."""
        animations = self.json.get("animations", [])
        read = [(self._tracks(animation), animation) for animation in animations]
        moving = [(tracks, animation) for tracks, animation in read if tracks]
        if not moving:
            raise GltfFlawError("it holds no animation")
        best, chosen = max(moving, key=lambda pair: (len(pair[0]), max(map(_end, pair[0]))))
        names = [str(some.get("name", "unnamed")) for _, some in moving if some is not chosen]
        if not names:
            return best, ()
        left_out = ", ".join(repr(name) for name in names)
        return best, (f"animation {chosen.get('name', 'unnamed')!r}; left out: {left_out}",)

    def _tracks(self, animation: Json) -> list[Track]:
        tracks: list[Track] = []
        for channel in animation["channels"]:
            target = channel["target"]
            if target.get("path") not in _PATHS or "node" not in target:
                continue  # weights of blend shapes
            sampler = animation["samplers"][channel["sampler"]]
            seconds = self.numbers(sampler["input"])[:, 0]
            values = self.numbers(sampler["output"])
            way = sampler.get("interpolation", "LINEAR")
            keys = len(seconds) * (3 if way == "CUBICSPLINE" else 1)
            if values.shape != (keys, _PATHS[target["path"]]) or not len(seconds):
                raise GltfFlawError("an animation has more times than keys, or fewer")
            if not (np.isfinite(values).all() and (np.diff(seconds) > 0).all()):
                raise GltfFlawError("an animation has keys that are not finite or not in order")
            tracks.append(Track(target["node"], target["path"], way, seconds, values))
        return tracks

    def of_skeletons(self, tracks: list[Track]) -> list[Track]:
        """The tracks that move a skin's joints or what they hang on; all where no skin says which.
        A camera that goes on for longer does not lengthen the person's motion."""
        order, parents = self.ordered()
        rows = {node: row for row, node in enumerate(order)}
        carried = [rows[joint] for skin in self.json.get("skins", []) for joint in skin["joints"]]
        skeleton: set[int] = set()
        for row in carried:
            while row >= 0 and order[row] not in skeleton:
                skeleton.add(order[row])
                row = parents[row]
        return [track for track in tracks if track.node in skeleton] or tracks

    def tree(
        self, tracks: list[Track], seconds: Float[np.ndarray, " frames"], fps: float
    ) -> NodeTree:
        """The nodes as a tree, parents first, moved by the tracks."""
        order, parents = self.ordered()
        nodes = [self.json["nodes"][node] for node in order]
        still = torch.stack([_local(node) for node in nodes])
        moved = still.expand(len(seconds), -1, -1, -1).clone()
        by_node: dict[int, list[Track]] = {}
        for track in tracks:
            by_node.setdefault(track.node, []).append(track)
        for row, node in enumerate(order):
            if node in by_node:
                moved[:, row] = _animated(nodes[row], by_node[node], seconds)
        world: list[Tensor] = []
        for row, parent in enumerate(parents):
            world.append(still[row] if parent < 0 else world[parent] @ still[row])
        names = tuple(str(node.get("name", "")) for node in nodes)
        return NodeTree(
            self.path,
            names,
            tuple(parents),
            moved,
            torch.stack(world),
            self._bound(order),
            fps=fps,
            start_frame=round(float(seconds[0]) * fps),
            up="y",
            metres_per_unit=1.0,
        )

    def ordered(self) -> tuple[list[int], list[int]]:
        """Numbers of all nodes, parents first, and the rows of their parents."""
        nodes = self.json.get("nodes", [])
        below = {child for node in nodes for child in node.get("children", ())}
        order, parents = [], []
        waiting = [(node, -1) for node in range(len(nodes)) if node not in below]
        while waiting:
            node, parent = waiting.pop(0)
            if len(order) > len(nodes):
                raise GltfFlawError("a node hangs below itself")
            order.append(node)
            parents.append(parent)
            row = len(order) - 1
            waiting += [(child, row) for child in nodes[node].get("children", ())]
        return order, parents

    def _bound(self, order: list[int]) -> Float[Tensor, "nodes 4 4"]:
        """World matrices of the bind pose; NaN for nodes that carry no skin."""
        bound = torch.full((len(order), 4, 4), math.nan, dtype=torch.float64)
        rows = {node: row for row, node in enumerate(order)}
        # The first skin that binds a node says how; a figure in pieces was bound in one pose.
        for skin in reversed(self.json.get("skins", [])):
            if "inverseBindMatrices" not in skin:
                continue
            columns = self.numbers(skin["inverseBindMatrices"]).reshape(-1, 4, 4)
            for node, inverse in zip(skin["joints"], columns, strict=True):
                bound[rows[node]] = torch.linalg.inv(torch.from_numpy(inverse.T.copy()))
        return bound

    def numbers(self, index: int) -> Float[np.ndarray, "count width"]:
        """An accessor, in double precision. Where it stores few of its rows apart, as sparse
        ones do, the others are those it is laid over, or zero."""
        accessor = self.json["accessors"][index]
        count, width = accessor["count"], _WIDTHS[accessor["type"]]
        if not 1 <= count <= MAX_BYTES // (8 * width):
            raise GltfFlawError("an array lies outside its buffer")
        if "bufferView" in accessor:
            table = self._table(accessor, count, accessor["componentType"], width)
        else:
            table = np.zeros((count, width), _dtype(accessor["componentType"]))
        if "sparse" in accessor:
            sparse = accessor["sparse"]
            few, where, values = sparse["count"], sparse["indices"], sparse["values"]
            rows = self._table(where, few, where["componentType"], 1)[:, 0].astype(np.int64)
            if few < 1 or rows.min() < 0 or rows.max() >= count:
                raise GltfFlawError("a sparse array names a row that it does not have")
            table = table.copy()
            table[rows] = self._table(values, few, accessor["componentType"], width)
        numbers = table.astype(np.float64)
        if table.dtype.kind in "iu" and accessor.get("normalized", False):
            numbers = np.maximum(numbers / np.iinfo(table.dtype).max, -1.0)
        return numbers

    def _table(
        self, where: Json, count: int, component: int, width: int
    ) -> Shaped[np.ndarray, "count width"]:
        """Rows of a buffer as they are stored."""
        view = self.json["bufferViews"][where["bufferView"]]
        data = self._buffer(view["buffer"])
        dtype = _dtype(component)
        start = view.get("byteOffset", 0) + where.get("byteOffset", 0)
        stride = view.get("byteStride", width * dtype.itemsize)
        if start < 0 or count < 1 or stride < width * dtype.itemsize:
            raise GltfFlawError("an array lies outside its buffer")
        if start + (count - 1) * stride + width * dtype.itemsize > len(data):
            raise GltfFlawError("an array reaches beyond the end of its buffer")
        return np.ndarray((count, width), dtype, data, start, (stride, dtype.itemsize))

    def _buffer(self, index: int) -> bytes:
        if index not in self.buffers:
            self.buffers[index] = self._load(index)
        return self.buffers[index]

    def _load(self, index: int) -> bytes:
        uri = self.json["buffers"][index].get("uri")
        if uri is None and index == 0:  # the only one that a GLB carries
            return self.binary
        if uri is None:
            raise GltfFlawError("a buffer is announced and not there", _UNPACK)
        if uri.startswith("data:"):
            try:
                return base64.b64decode(uri.partition(",")[2], validate=True)
            except binascii.Error as problem:
                raise GltfFlawError("the numbers inside it are damaged") from problem
        name = unquote(uri)
        # Only a file beside this one, or below: a path from a stranger's file opens nothing else.
        beside = (self.path.parent / name).resolve()
        if not beside.is_relative_to(self.path.parent.resolve()):
            raise GltfFlawError(f"it points to {name[:80]!r}, outside its folder")
        if not beside.exists():
            raise FileError(
                f"{self.path} keeps its numbers in {name[:80]!r}, which is not beside it.",
                "Put that file into the same folder, or export one .glb.",
            )
        return input_file(beside).read_bytes()


def _dtype(component: int) -> np.dtype[Any]:
    return np.dtype(f"<{_COMPONENTS[component]}")


def _end(track: Track) -> float:
    return float(track.seconds[-1])


def _chunks(data: bytes) -> tuple[bytes, bytes]:
    """JSON and binary part of a GLB file."""
    magic, version, length = struct.unpack_from("<III", data)
    if magic != _GLB_MAGIC or version != 2:
        raise GltfFlawError(f"it is version {version} of GLB; AESOP reads 2")
    if length > len(data):
        raise GltfFlawError(f"it ends after {len(data)} of {length} bytes")
    parts: dict[int, bytes] = {}
    start = 12
    while start + 8 <= length:
        size, kind = struct.unpack_from("<II", data, start)
        parts.setdefault(kind, data[start + 8 : start + 8 + size])
        start += 8 + size
    return parts.get(_JSON_CHUNK, b""), parts.get(_BINARY_CHUNK, b"")


def _local(node: Json) -> Float[Tensor, "4 4"]:
    """Parent_from_node of a node at rest."""
    if "matrix" in node:
        return torch.from_numpy(_stored(node, "matrix", np.eye(4).ravel())).reshape(4, 4).T
    return transform_matrices(*(torch.from_numpy(part) for part in _resting_parts(node).values()))


def _resting_parts(node: Json) -> dict[str, Float[np.ndarray, " width"]]:
    return {
        "translation": _stored(node, "translation", np.zeros(3)),
        "rotation": _stored(node, "rotation", np.array([0.0, 0.0, 0.0, 1.0])),
        "scale": _stored(node, "scale", np.ones(3)),
    }


def _stored(
    node: Json, name: str, usual: Float[np.ndarray, " width"]
) -> Float[np.ndarray, " width"]:
    values = np.array(node.get(name, usual), dtype=np.float64)
    if values.shape != usual.shape or not np.isfinite(values).all():
        raise GltfFlawError(f"the {name} of a node is not {len(usual)} numbers")
    return values


def _animated(
    node: Json, tracks: list[Track], seconds: Float[np.ndarray, " frames"]
) -> Float[Tensor, "frames 4 4"]:
    if "matrix" in node:
        raise GltfFlawError("it animates a node that is given as a matrix")
    values = _resting_parts(node)
    values |= {track.path: _sampled(track, seconds) for track in tracks}
    parts = [
        torch.from_numpy(np.broadcast_to(value, (len(seconds), value.shape[-1])).copy())
        for value in values.values()
    ]
    return transform_matrices(*parts)


def _sampled(
    track: Track, seconds: Float[np.ndarray, " frames"]
) -> Float[np.ndarray, "frames width"]:
    """A track at the given times; before its first key and after its last it stands still."""
    keys = track.seconds
    at = np.clip(seconds, keys[0], keys[-1])
    before = np.clip(np.searchsorted(keys, at, side="right") - 1, 0, max(len(keys) - 2, 0))
    after = np.minimum(before + 1, len(keys) - 1)
    gap = keys[after] - keys[before]
    share = np.where(gap > 0, (at - keys[before]) / np.where(gap > 0, gap, 1), 0)[:, None]
    if track.way == "CUBICSPLINE":
        into, value, out = track.values.reshape(len(keys), 3, -1).transpose(1, 0, 2)
        cube, square, gap = share**3, share**2, gap[:, None]
        return (
            (2 * cube - 3 * square + 1) * value[before]
            + (cube - 2 * square + share) * gap * out[before]
            + (3 * square - 2 * cube) * value[after]
            + (cube - square) * gap * into[after]
        )
    if track.way == "STEP":
        return track.values[np.where(share[:, 0] < 1 - WHOLE_RATE_TOLERANCE, before, after)]
    first, second = track.values[before], track.values[after]
    if track.path != "rotation":
        return first + share * (second - first)
    return _slerped(first, second, share)


def _slerped(
    first: Float[np.ndarray, "frames 4"],
    second: Float[np.ndarray, "frames 4"],
    share: Float[np.ndarray, "frames 1"],
) -> Float[np.ndarray, "frames 4"]:
    """Between quaternions, the shorter way."""
    cosine = (first * second).sum(-1, keepdims=True)
    second, cosine = np.where(cosine < 0, -second, second), np.abs(cosine).clip(max=1)
    angle = np.arccos(cosine)
    near = angle < 1e-6  # where a straight line and the arc are the same to the last bit
    sine = np.where(near, 1, np.sin(angle))
    from_first = np.where(near, 1 - share, np.sin((1 - share) * angle) / sine)
    from_second = np.where(near, share, np.sin(share * angle) / sine)
    return from_first * first + from_second * second
