"""`make matrix`: the tests under the arithmetic, threads and processes of other machines.

    python runs/matrix.py [--list] [--only NAME …] [-- PYTEST ARGUMENTS]

Sums in another order end in other last digits. Which order a processor takes is decided by
libraries that can be asked, in environment variables, to work as on an older one; so one machine
shows much of what others would. Settings run one after the other; a table of all of them comes
last, and the exit code is 1 if any failed. What stands after `--` goes to pytest
(`-- tests/scene -n 2`).
"""

import argparse
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import torch

ROOT = Path(__file__).resolve().parents[1]
LISTED_FAILURES = 20

# How far a processor has come, as torch names it; later ones can do what earlier ones can.
CAPABILITIES = ("DEFAULT", "AVX2", "AVX512")


@dataclass(frozen=True)
class Setting:
    """Variables for one run of the tests, and what a processor must be able to do for it."""

    name: str
    what: str
    variables: Mapping[str, str] = field(default_factory=dict)
    needs: str = "DEFAULT"


@dataclass(frozen=True)
class Outcome:
    """What came of one run; `counts` is in words."""

    name: str
    has_passed: bool
    counts: str
    seconds: float = 0.0
    failures: tuple[str, ...] = ()


def settings(numpy_levels: Sequence[str]) -> tuple[Setting, ...]:
    """All settings; `numpy_levels` are the instruction sets that NumPy found, smallest first."""
    return (
        Setting("plain", "as `make test`: what this processor does best, one thread"),
        Setting(
            "default",
            "the oldest arithmetic that torch and NumPy have",
            {
                "ATEN_CPU_CAPABILITY": "default",
                "OPENBLAS_CORETYPE": "Nehalem",
                "DNNL_MAX_CPU_ISA": "SSE41",
                "MKL_ENABLE_INSTRUCTIONS": "SSE4_2",
                "NPY_DISABLE_CPU_FEATURES": " ".join(numpy_levels),
            },
        ),
        Setting(
            "avx2",
            "most processors of the last ten years",
            {
                "ATEN_CPU_CAPABILITY": "avx2",
                "OPENBLAS_CORETYPE": "Haswell",
                "DNNL_MAX_CPU_ISA": "AVX2",
                "MKL_ENABLE_INSTRUCTIONS": "AVX2",
                "NPY_DISABLE_CPU_FEATURES": " ".join(it for it in numpy_levels if it != "X86_V3"),
            },
            needs="AVX2",
        ),
        Setting(
            "avx512",
            "servers and newer desktops",
            {
                "ATEN_CPU_CAPABILITY": "avx512",
                "OPENBLAS_CORETYPE": "SkylakeX",
                "DNNL_MAX_CPU_ISA": "AVX512_CORE",
                "MKL_ENABLE_INSTRUCTIONS": "AVX512",
            },
            needs="AVX512",
        ),
        Setting("threads-2", "two threads in torch", {"AESOP_TEST_THREADS": "2"}),
        Setting("threads-5", "five threads in torch", {"AESOP_TEST_THREADS": "5"}),
        Setting("spawn", "no fork, as on Windows and macOS", {"AESOP_TEST_START": "spawn"}),
    )


def can_run(setting: Setting, capability: str) -> bool:
    """Whether a processor that has come as far as `capability` can take this setting."""
    known = CAPABILITIES.index(capability) if capability in CAPABILITIES else 0
    return CAPABILITIES.index(setting.needs) <= known


def run_tests(setting: Setting, words: Sequence[str], program: Sequence[str]) -> Outcome:
    """Run the tests once and read from pytest's own report what came of them."""
    begin = time.monotonic()
    # Variables of the other settings, left from the shell, would make two settings one.
    ours = {name for it in settings(()) for name in it.variables}
    plain = {name: value for name, value in os.environ.items() if name not in ours}
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder) / "report.xml"
        done = subprocess.run(
            [*program, *words, f"--junit-xml={report}"],
            cwd=ROOT,
            env=plain | dict(setting.variables),
            check=False,
        )
        counts, failures = read_report(report)
    seconds = time.monotonic() - begin
    return Outcome(setting.name, done.returncode == 0, counts, seconds, failures)


def read_report(path: Path) -> tuple[str, tuple[str, ...]]:
    """How many tests passed, failed and were skipped, and the names of those that failed."""
    if not path.is_file():
        return "pytest wrote no report", ()
    cases = list(ElementTree.parse(path).getroot().iter("testcase"))
    failed = [it for it in cases if it.find("failure") is not None or it.find("error") is not None]
    skipped = [it for it in cases if it.find("skipped") is not None]
    passed = len(cases) - len(failed) - len(skipped)
    names = tuple(f"{it.get('classname')}::{it.get('name')}" for it in failed)
    return f"{passed} passed, {len(failed)} failed, {len(skipped)} skipped", names


def table(outcomes: Sequence[Outcome]) -> str:
    """One line a setting, and below it what failed there."""
    width = max(len(it.name) for it in outcomes)
    lines: list[str] = []
    for it in outcomes:
        word = "passed" if it.has_passed else "FAILED"
        lines.append(f"{it.name:<{width}}  {word}  {it.seconds:6.0f} s  {it.counts}")
        lines += [f"{'':<{width}}  - {name}" for name in it.failures[:LISTED_FAILURES]]
        if len(it.failures) > LISTED_FAILURES:
            lines.append(f"{'':<{width}}  - and {len(it.failures) - LISTED_FAILURES} more")
    return "\n".join(lines) + "\n"


def main(args: Sequence[str] | None = None, program: Sequence[str] | None = None) -> int:
    found = np.show_config(mode="dicts") or {}
    known = settings(tuple(found.get("SIMD Extensions", {}).get("found", ())))
    told, words = _arguments(list(sys.argv[1:] if args is None else args), known)
    capability = torch.backends.cpu.get_cpu_capability()
    chosen = [it for it in known if not told.only or it.name in told.only]
    if told.list:
        for it in chosen:
            left_out = "" if can_run(it, capability) else f" (left out: no {it.needs} here)"
            sys.stdout.write(f"{it.name:<10} {it.what}{left_out}\n")
        return 0
    outcomes: list[Outcome] = []
    for it in chosen:
        if not can_run(it, capability):
            outcomes.append(Outcome(it.name, True, f"left out: this processor has no {it.needs}"))
            continue
        sys.stdout.write(f"\n== {it.name}: {it.what}\n")
        sys.stdout.flush()
        outcomes.append(run_tests(it, words, program or (sys.executable, "-m", "pytest", "-q")))
    sys.stdout.write(f"\n{table(outcomes)}")
    return 0 if all(it.has_passed for it in outcomes) else 1


def _arguments(
    args: list[str], known: Sequence[Setting]
) -> tuple[argparse.Namespace, Sequence[str]]:
    ours, words = args, ["-n", "auto"]
    if "--" in args:
        cut = args.index("--")
        ours, theirs = args[:cut], args[cut + 1 :]
        words = theirs if any(it.startswith("-n") for it in theirs) else [*words, *theirs]
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--list", action="store_true", help="name the settings and stop")
    parser.add_argument(
        "--only", action="append", choices=[it.name for it in known], help="this setting (again)"
    )
    return parser.parse_args(ours), words


if __name__ == "__main__":
    sys.exit(main())
