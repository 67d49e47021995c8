"""Refuses to build a package without what filming and judging need: a wheel that installs and
then has no weights is worse than none."""

from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

NEEDED = (
    "src/aesop/weights/base/human_codec.safetensors",
    "src/aesop/weights/base/camera_codec.safetensors",
    "src/aesop/weights/base/human_flow.safetensors",
    "src/aesop/weights/base/camera_flow.safetensors",
    "src/aesop/weights/evaluators/clatr.safetensors",
    "src/aesop/weights/evaluators/clatr2.safetensors",
    "src/aesop/weights/evaluators/tmr.safetensors",
    "src/aesop/weights/evaluators/tmr_acts.safetensors",
    "src/aesop/weights/reader/reader.safetensors",
    "src/aesop/weights/reader/act_reader.safetensors",
    "src/aesop/fables/takes.tsv",
    "src/aesop/studio/page/index.html",
    "src/aesop/studio/page/studio.js",
    "src/aesop/studio/page/licences.txt",
    "src/aesop/study/page/index.html",
    "src/aesop/study/page/study.css",
    "src/aesop/study/page/study.js",
    "src/aesop/study/plans/paper.toml",
    "src/aesop/study/plans/baselines.toml",
    "src/aesop/study/plans/fables.toml",
    "src/aesop/py.typed",
)
MAY_BE_EMPTY = ("src/aesop/py.typed",)


class WithWeights(BuildHookInterface):
    """Runs before every wheel and sdist. An editable install reads the sources as they are: the
    command itself says what is missing there."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        missing = [name for name in NEEDED if not is_there(Path(self.root), name)]
        if missing and version != "editable":
            raise RuntimeError(f"Nothing is built: the sources lack {', '.join(missing)}.")


def is_there(root: Path, name: str) -> bool:
    """A file that is empty counts as missing, unless it is a mark."""
    path = root / name
    return path.is_file() and (name in MAY_BE_EMPTY or path.stat().st_size > 0)
