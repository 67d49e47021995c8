"""Puts the shipped weights into the package when a wheel is built; all else is in pyproject.toml.

They lie in weights/base/ of the repository, outside src/, where package data cannot reach.
"""

import shutil
from pathlib import Path

from setuptools import setup
from setuptools.command.build_py import build_py

WEIGHTS = Path("weights") / "base"


class BuildWithWeights(build_py):
    """An editable install finds the repository's folder by itself."""

    def run(self) -> None:
        super().run()
        if self.editable_mode:
            return
        target = Path(self.build_lib) / "aesop" / WEIGHTS
        for path in sorted(WEIGHTS.glob("*.safetensors")):
            target.mkdir(parents=True, exist_ok=True)
            shutil.copy2(path, target / path.name)


setup(cmdclass={"build_py": BuildWithWeights})
