"""AESOP generates how a human action is filmed."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from aesop.director.journey import load_director as load_director

    __version__: str


def __getattr__(name: str) -> object:
    # Looked up only when asked for: the training path also runs from a bare copy of the sources,
    # and a command's help must not wait for torch.
    if name == "__version__":
        from importlib.metadata import version

        return version("aesop-motion")
    if name == "load_director":
        from aesop.director.journey import load_director

        return load_director
    raise AttributeError(name)
