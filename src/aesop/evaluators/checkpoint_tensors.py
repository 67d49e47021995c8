"""Tensors out of a PyTorch checkpoint without running anything in it.

A checkpoint is a zip archive: one pickle that tells how things are put together, and a file of
bytes for every storage. Pickles are programs. This reader knows the few names that tensors are made
of; every other name becomes an inert stand-in that takes whatever it is given and does nothing, so
that configuration objects of Lightning and others are passed over. No module is ever imported.
"""

import io
import pickle
from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any
from zipfile import BadZipFile, ZipFile

import torch
from torch import Tensor

from aesop.core.errors import WeightsError

_PROGRAM = "data.pkl"
_TYPES: dict[str, torch.dtype] = {
    "DoubleStorage": torch.float64, "FloatStorage": torch.float32, "HalfStorage": torch.float16,
    "BFloat16Storage": torch.bfloat16, "LongStorage": torch.int64, "IntStorage": torch.int32,
    "ShortStorage": torch.int16, "CharStorage": torch.int8, "ByteStorage": torch.uint8,
    "BoolStorage": torch.bool,
}  # fmt: skip


class InertObject:
    """Stands in for something that a checkpoint names and that is no tensor. It keeps nothing."""

    def __new__(cls, *given: Any, **named: Any) -> "InertObject":
        return object.__new__(cls)

    def __init__(self, *given: Any, **named: Any) -> None:
        pass

    def __call__(self, *given: Any, **named: Any) -> "InertObject":
        return self

    def __setstate__(self, state: Any) -> None:
        pass

    def __setitem__(self, key: Any, value: Any) -> None:
        pass

    def append(self, value: Any) -> None:
        """As a list is filled."""

    def extend(self, values: Any) -> None:
        """As a list is filled."""

    def add(self, value: Any) -> None:
        """As a set is filled."""


class _TensorPickle(pickle.Unpickler):
    """Builds tensors and plain containers; everything else is inert."""

    def __init__(self, archive: ZipFile, folder: str) -> None:
        super().__init__(io.BytesIO(archive.read(f"{folder}{_PROGRAM}")))
        self._archive, self._folder = archive, folder
        self._storages: dict[str, Tensor] = {}

    def find_class(self, module: str, name: str) -> Any:
        """Never imports: names are looked up in a short list, or stand for nothing."""
        known: dict[tuple[str, str], Callable[..., Any]] = {
            ("torch._utils", "_rebuild_tensor"): _view,
            ("torch._utils", "_rebuild_tensor_v2"): _view,
            ("torch._utils", "_rebuild_parameter"): lambda tensor, *_: tensor,
            ("collections", "OrderedDict"): OrderedDict,
        }
        if module == "torch" and name in _TYPES:
            return _TYPES[name]
        return known.get((module, name), InertObject)

    def persistent_load(self, pid: Any) -> Any:
        """The bytes of a storage, as a tensor of one row."""
        kind, dtype, key, _, count = pid
        if kind != "storage" or not isinstance(dtype, torch.dtype):
            return InertObject()
        if key not in self._storages:
            content = bytearray(self._archive.read(f"{self._folder}data/{key}"))
            if len(content) < count * dtype.itemsize:
                raise ValueError(f"storage {key} is cut short")
            is_empty = count == 0
            empty = torch.empty(0, dtype=dtype)
            self._storages[key] = empty if is_empty else torch.frombuffer(content, dtype=dtype)
        return self._storages[key]


def _view(storage: Any, offset: int, size: Sequence[int], stride: Sequence[int], *_: Any) -> Tensor:
    """A tensor as it lies in its storage; torch refuses what would reach beyond."""
    if not isinstance(storage, Tensor):
        raise ValueError("a tensor has no storage that can be read")
    return storage.as_strided(tuple(size), tuple(stride), offset)


def read_checkpoint(path: Path) -> Any:
    """What a checkpoint holds: containers, numbers, texts and tensors; inert objects for the
    rest."""
    if not path.is_file():
        raise WeightsError(f"There is no file {path}.", "Check the path.")
    try:
        with ZipFile(path) as archive:
            names = [name for name in archive.namelist() if name.endswith(f"/{_PROGRAM}")]
            if len(names) != 1:
                raise ValueError("it has no program of PyTorch's")
            folder = names[0].removesuffix(_PROGRAM)
            if f"{folder}byteorder" in archive.namelist():
                order = archive.read(f"{folder}byteorder").decode()
                if order != "little":
                    raise ValueError(f"its bytes are in {order}-endian order")
            return _TensorPickle(archive, folder).load()
    except BadZipFile as error:
        raise WeightsError(
            f"{path} is no checkpoint of PyTorch 1.6 or later; nothing in it was run.",
            "Load it where you trust it, and save its state_dict with torch.save.",
        ) from error
    except _DAMAGE as error:
        raise WeightsError(
            f"{path} cannot be read as tensors ({error}); nothing in it was run.",
            "Fetch it again, or save its state_dict alone, in a place that you trust.",
        ) from error


# Whatever a hostile or broken program can make of lists, numbers and names.
_DAMAGE = (
    pickle.UnpicklingError, RuntimeError, EOFError, ValueError, TypeError, KeyError, IndexError,
    AttributeError, OverflowError, MemoryError, OSError,
)  # fmt: skip


def state_dict_of(path: Path) -> dict[str, Tensor]:
    """The tensors of a network by name: the `state_dict` of a Lightning checkpoint, or the file
    itself. Anything among them that is no tensor is refused."""
    content = read_checkpoint(path)
    state = content.get("state_dict", content) if isinstance(content, Mapping) else content
    if not isinstance(state, Mapping):
        raise WeightsError(f"{path} holds no tensors by name.", "Check the file.")
    for name, value in state.items():
        if not isinstance(value, Tensor):
            raise WeightsError(
                f"{path} holds something else than a tensor as {name}; nothing in it was run.",
                "Save its state_dict alone, in a place that you trust, and give that file.",
            )
    return {str(name): value for name, value in state.items()}
