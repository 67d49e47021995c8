"""AESOP generates how a human action is filmed."""

import builtins
from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from aesop.core.errors import AesopError as AesopError
    from aesop.director.director import Director as Director
    from aesop.director.director import load_director as load_director
    from aesop.director.rule_based import Operator as Operator
    from aesop.export.export_files import write_export as write_export
    from aesop.files.motion_files import read_motion as read_motion
    from aesop.files.shot_file import read_shot as read_shot
    from aesop.scene.camera import CameraPath as CameraPath
    from aesop.scene.human import Clip as Clip
    from aesop.scene.intensity_curve import IntensityCurve as IntensityCurve
    from aesop.scene.shot import Shot as Shot

    __version__: str

# Names that scripts need first, and where they live. Looked up only when asked for: the training
# path also runs from a bare copy of the sources, and a command's help must not wait for torch.
_HOMES = {
    "AesopError": "aesop.core.errors",
    "CameraPath": "aesop.scene.camera",
    "Clip": "aesop.scene.human",
    "Director": "aesop.director.director",
    "load_director": "aesop.director.director",
    "IntensityCurve": "aesop.scene.intensity_curve",
    "Operator": "aesop.director.rule_based",
    "Shot": "aesop.scene.shot",
    "read_motion": "aesop.files.motion_files",
    "read_shot": "aesop.files.shot_file",
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


def _notebook_png(subject: "Shot | Clip") -> bytes:
    from aesop.preview.sheets import notebook_png

    return notebook_png(subject)


def _show_in_notebooks() -> None:
    """Shots and clips show themselves in a notebook. It is told by name, so that nothing is
    imported until one is shown; elsewhere this does nothing."""
    shell = getattr(builtins, "get_ipython", lambda: None)()
    formatter = getattr(shell, "display_formatter", None)
    if formatter is None:
        return
    png = formatter.formatters["image/png"]
    png.for_type_by_name("aesop.scene.shot", "Shot", _notebook_png)
    png.for_type_by_name("aesop.scene.human", "Clip", _notebook_png)


_show_in_notebooks()


def __dir__() -> list[str]:
    return sorted(__all__)
