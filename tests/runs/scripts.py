"""Scripts of runs/ as modules."""

import importlib.util
import sys
from pathlib import Path
from types import ModuleType

RUNS = Path(__file__).resolve().parents[2] / "runs"


def script(name: str) -> ModuleType:
    """A script, loaded without running it; scripts find each other as when they are run."""
    if str(RUNS) not in sys.path:
        sys.path.append(str(RUNS))
    spec = importlib.util.spec_from_file_location(f"runs_{name}", RUNS / f"{name}.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module  # dataclasses look their module up
    spec.loader.exec_module(module)
    return module
