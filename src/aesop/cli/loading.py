"""Importing what a command works with, once and for as long as the process lives."""

import gc
import sys
from importlib import import_module

# What making people and cameras needs, torch before all.
FILMING = (
    "aesop.director.director",
    "aesop.director.protocols",
    "aesop.export.export_files",
    "aesop.files.motion_files",
)


def import_for_good(*modules: str) -> None:
    """Import modules that nobody will drop. Python's collector of cycles would go through their
    million objects now, while the command works, and once more when it ends: a fifth of the time of
    a cold film (benchmarks/cold_film.py). So it rests while they come, and leaves them alone
    afterwards; whatever is made later is collected as ever."""
    if all(name in sys.modules for name in modules):
        return
    was_collecting = gc.isenabled()
    gc.disable()
    try:
        for name in modules:
            import_module(name)
        gc.freeze()
    finally:
        if was_collecting:
            gc.enable()
