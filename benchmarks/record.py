"""How benchmarks write down what they measured: figures, machine, versions, command."""

import json
import os
import platform
import sys
from pathlib import Path

import numpy
import torch

from aesop.core.machine import code_state, processor_name

ROOT = Path(__file__).resolve().parents[1]
RESULTS = ROOT / "results" / "benchmarks"


try:
    import resource
except ImportError:  # Windows
    resource = None

KILOBYTES = 1024 if sys.platform == "darwin" else 1  # what ru_maxrss counts in


def machine() -> dict[str, str | int]:
    """What a reader needs to judge a time."""
    return {
        "cpu": processor_name(),
        "cores": os.cpu_count() or 1,
        "python": platform.python_version(),
        "torch": torch.__version__,
        "numpy": numpy.__version__,
    }


def load_average() -> float | None:
    """How busy the machine was in the last minute; Windows does not count."""
    return round(os.getloadavg()[0], 2) if hasattr(os, "getloadavg") else None


def work_seconds() -> float:
    """Processor time of this process and, where the system counts it, of children that ended."""
    spent = os.times()
    return spent.user + spent.system + spent.children_user + spent.children_system


def children_peak_mb() -> int | None:
    """The most memory that any child has had; Windows does not say."""
    if resource is None:
        return None
    return round(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / KILOBYTES / 1024)


def commit() -> str:
    code = code_state(ROOT)
    return code.commit[:12] + ("-dirty" if code.diff_sha256 else "")


def write_result(name: str, command: str, figures: dict[str, object]) -> Path:
    """One JSON a benchmark."""
    RESULTS.mkdir(parents=True, exist_ok=True)
    path = RESULTS / f"{name}.json"
    record = {"commit": commit(), "machine": machine(), "repeat": command, **figures}
    path.write_text(json.dumps(record, indent=2) + "\n", encoding="utf-8")
    return path
