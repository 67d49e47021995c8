"""`make blender`: the Blender extension as a .zip that Blender installs.

    python runs/blender_extension.py [--out dist]

Equal sources give equal bytes.
"""

import argparse
import sys
import tomllib
import zipfile
from collections.abc import Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
SOURCE = ROOT / "blender" / "aesop_camera"
MANIFEST = "blender_manifest.toml"
EARLIEST = (1980, 1, 1, 0, 0, 0)  # that a zip can tell


def build(folder: Path) -> Path:
    """Write the archive; its version is the package's."""
    manifest = tomllib.loads((SOURCE / MANIFEST).read_text(encoding="utf-8"))
    package = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    if manifest["version"] != package["version"]:
        sys.exit(f"{MANIFEST} has another version than pyproject.toml: make them equal.")
    folder.mkdir(parents=True, exist_ok=True)
    target = folder / f"{manifest['id']}-{manifest['version']}.zip"
    files = [SOURCE / MANIFEST, *sorted(SOURCE.glob("*.py")), ROOT / "LICENSE"]
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:
        for file in files:
            entry = zipfile.ZipInfo(file.name, EARLIEST)
            entry.external_attr = 0o644 << 16
            archive.writestr(entry, file.read_bytes(), zipfile.ZIP_DEFLATED)
    return target


def main(args: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--out", type=Path, default=ROOT / "dist", help="folder for the .zip")
    sys.stdout.write(f"{build(parser.parse_args(args).out)}\n")


if __name__ == "__main__":
    main()
