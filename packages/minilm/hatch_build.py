"""Refuses to build a package without the model, or with another one."""

import runpy
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

FETCH = Path(__file__).resolve().with_name("fetch.py")


class WithModel(BuildHookInterface):
    """Runs before every build, of an editable install as well."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        wrong = runpy.run_path(str(FETCH))["wrong_files"]()
        if wrong:
            raise RuntimeError(
                f"Missing from src/aesop_minilm, or not as published: {', '.join(wrong)}. "
                "Fetch them first: python packages/minilm/fetch.py"
            )
