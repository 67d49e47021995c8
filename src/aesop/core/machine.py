"""What a result or a run says about where it comes from: the code, the machine, the command."""

import platform
import subprocess
import sys
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

import torch

from aesop.core.hashing import text_sha256

_PACKAGES = ("aesop-motion", "torch", "numpy", "safetensors")
_PROCESSORS = Path("/proc/cpuinfo")


@dataclass(frozen=True)
class Code:
    """The exact source: last commit, and a hash of what differs from it (None: nothing)."""

    commit: str
    diff_sha256: str | None


@dataclass(frozen=True)
class Machine:
    """Where it ran."""

    device: str
    processor: str
    system: str
    python: str
    versions: tuple[tuple[str, str], ...]


def code_state(folder: Path) -> Code:
    """What git says about the source in `folder`; "unknown" outside a clone."""
    commit = _git(folder, "rev-parse", "HEAD")
    if commit is None:
        return Code("unknown", None)
    diff = (_git(folder, "diff", "HEAD") or "") + (
        _git(folder, "ls-files", "--others", "--exclude-standard") or ""
    )
    return Code(commit.strip(), text_sha256(diff) if diff else None)


def _git(folder: Path, *words: str) -> str | None:
    try:
        done = subprocess.run(
            ["git", "-C", str(folder), *words],
            capture_output=True,
            text=True,
            errors="replace",
            check=False,
            timeout=30,
            encoding="utf-8",
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    return done.stdout if done.returncode == 0 else None


def this_machine(device: torch.device) -> Machine:
    """Device, system and versions of this process."""
    name = torch.cuda.get_device_name(device) if device.type == "cuda" else "cpu"
    return Machine(
        device=name,
        processor=f"{platform.machine()}, {torch.get_num_threads()} threads",
        system=f"{platform.system()} {platform.release()}",
        python=platform.python_version(),
        versions=tuple((package, _version(package)) for package in _PACKAGES),
    )


def _version(package: str) -> str:
    if package == "torch":  # with its build, +cpu or +cu130, which its metadata may leave out
        return str(torch.__version__)
    try:
        return version(package)
    except PackageNotFoundError:
        return "not installed"


def this_command() -> tuple[str, ...]:
    """The words that started this process."""
    return (Path(sys.argv[0]).name, *sys.argv[1:])


def processor_name() -> str:
    """The processor's model, where the system says it."""
    if _PROCESSORS.exists():
        lines = _PROCESSORS.read_text(encoding="utf-8").splitlines()
        names = [line for line in lines if line.startswith("model name")]
        if names:
            return names[0].split(":", 1)[1].strip()
    return platform.processor() or "unknown"
