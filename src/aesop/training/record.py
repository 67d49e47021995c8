"""The run record: everything needed to repeat a run, and what it cost."""

import hashlib
import json
import platform
import subprocess
import sys
from dataclasses import asdict, dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

import torch

from aesop.files.atomic import atomic_path
from aesop.training.recipes import Recipe

_PACKAGES = ("aesop-motion", "torch", "numpy", "safetensors")


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


@dataclass(frozen=True)
class RunRecord:
    """One execution of one recipe."""

    recipe: Recipe
    recipe_sha256: str
    data_sha256: str
    text_encoder: str
    parts: tuple[tuple[str, str], ...]  # the weights it builds on, by identity
    pairs_sha256: str | None
    code: Code
    machine: Machine
    world_size: int
    command: tuple[str, ...]


def code_state(folder: Path) -> Code:
    """What git says about the source in `folder`; "unknown" outside a clone."""
    commit = _git(folder, "rev-parse", "HEAD")
    if commit is None:
        return Code("unknown", None)
    diff = (_git(folder, "diff", "HEAD") or "") + (
        _git(folder, "ls-files", "--others", "--exclude-standard") or ""
    )
    return Code(commit.strip(), hashlib.sha256(diff.encode()).hexdigest() if diff else None)


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
    try:
        return version(package)
    except PackageNotFoundError:
        return "not installed"


def this_command() -> tuple[str, ...]:
    """The words that started this process."""
    return (Path(sys.argv[0]).name, *sys.argv[1:])


def write_record(path: Path, record: RunRecord) -> None:
    """As JSON, whole or not at all."""
    text = json.dumps(asdict(record), indent=1, sort_keys=True)
    with atomic_path(path) as temporary:
        temporary.write_text(text + "\n", encoding="utf-8", newline="\n")
