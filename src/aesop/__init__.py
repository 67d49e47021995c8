"""AESOP generates how a human action is filmed."""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from aesop.director.director import Director as Director
    from aesop.director.director import load_director as load_director
    from aesop.director.rule_based import Operator as Operator
    from aesop.export.export_files import write_export as write_export
    from aesop.files.motion_files import read_motion as read_motion

    __version__: str

# Names that scripts need first, and where they live. Looked up only when asked for: the training
# path also runs from a bare copy of the sources, and a command's help must not wait for torch.
_HOMES = {
    "Director": "aesop.director.director",
    "load_director": "aesop.director.director",
    "Operator": "aesop.director.rule_based",
    "read_motion": "aesop.files.motion_files",
    "write_export": "aesop.export.export_files",
}
__all__ = [*_HOMES, "__version__"]  # pyright: ignore[reportUnsupportedDunderAll]


def __getattr__(name: str) -> object:
    if name == "__version__":
        from importlib.metadata import version

        return version("aesop-motion")
    if name in _HOMES:
        return getattr(import_module(_HOMES[name]), name)
    raise AttributeError(f"module 'aesop' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
