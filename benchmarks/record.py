"""How benchmarks write down what they measured: figures, machine, versions, command."""

import json
import os
import platform
import subprocess
from pathlib import Path

import numpy
import torch

RESULTS = Path(__file__).resolve().parents[1] / "results"


def machine() -> dict[str, str | int]:
    """What a reader needs to judge a time."""
    model = "unknown"
    cpuinfo = Path("/proc/cpuinfo")
    if cpuinfo.exists():
        names = [line for line in cpuinfo.read_text().splitlines() if line.startswith("model name")]
        model = names[0].split(":", 1)[1].strip() if names else model
    return {
        "cpu": model,
        "cores": os.cpu_count() or 1,
        "python": platform.python_version(),
        "torch": torch.__version__,
        "numpy": numpy.__version__,
    }


def commit() -> str:
    done = subprocess.run(
        ["git", "describe", "--always", "--dirty"], capture_output=True, text=True, check=False
    )
    return done.stdout.strip() or "unknown"


def write_result(name: str, command: str, figures: dict[str, object]) -> Path:
    """One JSON a benchmark, under results/."""
    RESULTS.mkdir(exist_ok=True)
    path = RESULTS / f"{name}.json"
    record = {"commit": commit(), "machine": machine(), "repeat": command, **figures}
    path.write_text(json.dumps(record, indent=2) + "\n")
    return path
