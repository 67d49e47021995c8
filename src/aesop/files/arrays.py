"""Open NumPy's .npz and .npy without running anything inside them and without trusting their size.

Only the arrays that are asked for are read, so an archive may carry pickled extras (AMASS does).
"""

import io
import lzma
import math
import struct
import tokenize
import zipfile
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
from jaxtyping import Float
from torch import Tensor

from aesop.core.errors import FileError
from aesop.files.importing import check_finite, input_file

# Ten minutes of SMPL-H at 120 fps in double precision take 90 MB.
MAX_ARRAY_BYTES = 256 * 2**20
# NumPy refuses longer descriptions itself; this is how much we read to find one.
_HEADER_BYTES = 16 * 2**10

# What Python's zip reader and NumPy's header parser raise on damaged bytes. Nothing but their own
# calls stands under it, so that a mistake of ours is never reported as a damaged file.
_DAMAGE = (
    zipfile.BadZipFile, zlib.error, lzma.LZMAError, struct.error, tokenize.TokenError, EOFError,
    KeyError, MemoryError, NotImplementedError, OSError, OverflowError, RecursionError,
    RuntimeError, SyntaxError, TypeError, ValueError,
)  # fmt: skip

Shape = tuple[int | None, ...]  # None: any number of frames
FirstBytes = Callable[[int], bytes]  # as many as asked for from the start of an array


@dataclass(frozen=True)
class ArrayHeader:
    """What an array says about itself before its numbers are read."""

    shape: tuple[int, ...]
    column_major: bool
    dtype: np.dtype[np.generic]
    start: int

    @property
    def bytes(self) -> int:
        return math.prod(self.shape) * self.dtype.itemsize


@dataclass(frozen=True)
class Archive:
    """The arrays of an .npz file, each read when asked for."""

    path: Path
    names: tuple[str, ...]

    def shape(self, name: str) -> tuple[int, ...]:
        """Shape of one array, without reading its numbers."""
        load, what = self._member(name)
        return _header(load(_HEADER_BYTES), what).shape

    def numbers(self, name: str, shape: Shape) -> Float[Tensor, "*shape"]:
        """One array of finite numbers in double precision, of the given shape."""
        return _numbers(*self._member(name), shape)

    def number(self, name: str) -> float:
        """One number, stored as such or as an array of one."""
        return float(self.numbers(name, (1,) if self.shape(name) else ()).reshape(()))

    def require(self, *names: str) -> None:
        """Refuse an archive without these arrays."""
        missing = [name for name in names if name not in self.names]
        if missing:
            raise FileError(
                f"{self.path} has no array {listing(missing)}; it has {listing(self.names)}.",
                "Export it in a layout that AESOP reads.",
            )

    def _member(self, name: str) -> tuple[FirstBytes, str]:
        """Way to one array, and how it is called in errors."""
        self.require(name)
        what = f"The array {name!r} in {self.path}"

        def load(limit: int) -> bytes:
            with (
                _damage_in(what),
                zipfile.ZipFile(self.path) as archive,
                archive.open(f"{name}.npy") as stream,
            ):
                return stream.read(limit)

        return load, what


def open_archive(path: Path) -> Archive:
    """Look into an .npz file; nothing but its table of contents is read."""
    input_file(path)
    with _damage_in(str(path)), zipfile.ZipFile(path) as archive:
        members = archive.namelist()
    names = tuple(name.removesuffix(".npy") for name in members if name.endswith(".npy"))
    if not names:
        raise FileError(f"{path} holds no arrays.", "Export it again as .npz.")
    return Archive(path, names)


def array_shape(path: Path) -> tuple[int, ...]:
    """Shape of the array in an .npy file, without reading its numbers."""
    header = _header(_start(path)(_HEADER_BYTES), str(path))
    _refuse_objects(header, str(path))
    return header.shape


def read_array(path: Path, shape: Shape) -> Float[Tensor, "*shape"]:
    """The array of an .npy file: finite numbers in double precision, of the given shape."""
    return _numbers(_start(path), str(path), shape)


def listing(names: list[str] | tuple[str, ...]) -> str:
    """Names for an error message, cut where there are many."""
    shown = ", ".join(repr(name[:40]) for name in names[:12])
    return shown + (f" and {len(names) - 12} more" if len(names) > 12 else "")


@contextmanager
def _damage_in(what: str) -> Iterator[None]:
    try:
        yield
    except _DAMAGE as problem:
        reason = str(problem).strip().split("\n")[0][:120] or type(problem).__name__
        raise FileError(
            f"{what} cannot be read: it is damaged or not a NumPy file ({reason}).",
            "Export or download it again.",
        ) from problem


def _start(path: Path) -> FirstBytes:
    input_file(path)

    def load(limit: int) -> bytes:
        with _damage_in(str(path)), path.open("rb") as stream:
            return stream.read(limit)

    return load


def _header(data: bytes, what: str) -> ArrayHeader:
    stream = io.BytesIO(data)
    with _damage_in(what):
        version = np.lib.format.read_magic(stream)
        # Version 3 differs from 2 only in the letters allowed in field names.
        parser = np.lib.format
        is_first = version == (1, 0)
        parse = parser.read_array_header_1_0 if is_first else parser.read_array_header_2_0
        shape, column_major, dtype = parse(stream)
    return ArrayHeader(tuple(int(n) for n in shape), bool(column_major), dtype, stream.tell())


def _refuse_objects(header: ArrayHeader, what: str) -> None:
    if header.dtype.hasobject:
        raise FileError(
            f"{what} is pickled Python objects, which AESOP never opens.",
            "Save it again as plain numbers; of MDM's results.npy that is item()['motion'][0].",
        )


def _check(header: ArrayHeader, shape: Shape, what: str) -> None:
    """Refuse an array by its description, before memory is taken for it."""
    _refuse_objects(header, what)
    if header.dtype.kind not in "fiu":
        raise FileError(
            f"{what} holds {header.dtype}, not numbers.", "Save it again as plain numbers."
        )
    fits = len(header.shape) == len(shape) and all(
        wanted in (None, got) for wanted, got in zip(shape, header.shape, strict=True)
    )
    if not fits or min(header.shape, default=0) < 0:
        wanted = ", ".join("frames" if size is None else str(size) for size in shape)
        raise FileError(
            f"{what} has the shape {header.shape}; ({wanted}) is needed.",
            "Export it in a layout that AESOP reads.",
        )
    if header.bytes > MAX_ARRAY_BYTES:
        raise FileError(
            f"{what} has the shape {header.shape}, {header.bytes / 2**20:.0f} MiB; AESOP opens "
            f"{MAX_ARRAY_BYTES // 2**20}.",
            "Cut the motion into shorter files.",
        )


def _numbers(load: FirstBytes, what: str, shape: Shape) -> Float[Tensor, "*shape"]:
    """The numbers of an array, after its description has been checked."""
    header = _header(load(_HEADER_BYTES), what)
    _check(header, shape, what)
    data = load(_HEADER_BYTES + MAX_ARRAY_BYTES)
    if len(data) < header.start + header.bytes:
        raise FileError(
            f"{what} ends after {len(data) - header.start} of {header.bytes} bytes.",
            "Export or download it again.",
        )
    flat = np.frombuffer(data, header.dtype, math.prod(header.shape), header.start)
    array = flat.reshape(header.shape, order="F" if header.column_major else "C")
    # A long double can exceed a double; it turns infinite here and is refused later.
    with np.errstate(over="ignore", invalid="ignore"):
        values = torch.from_numpy(np.array(array, dtype=np.float64, order="C"))
    check_finite(torch.atleast_1d(values), what)
    return values
