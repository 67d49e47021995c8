"""`make docs`: build the site of the documents into site/.

    python runs/site.py [--out site]

Pages of docs/ are gathered in build/docs with README.md as the first of them. Links in README.md
start at the root of the repository; `docs/` is cut off them, and pictures that lie elsewhere are
copied beside the page. mkdocs then builds strictly: a broken link, a page that nobody lists, or a
name of docs/api.md that does not exist is an error.
"""

import argparse
import re
import shutil
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
GATHERED = ROOT / "build" / "docs"  # as mkdocs.yml says
LINK = re.compile(r"\]\((?!https?:)([^)]+)\)")


def gather(folder: Path) -> None:
    """All pages and pictures of the site, in a folder of their own."""
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(ROOT / "docs", folder)
    home = (ROOT / "README.md").read_text(encoding="utf-8")
    for target in LINK.findall(home):
        if not target.startswith("docs/"):
            (folder / target).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / target, folder / target)
    home = LINK.sub(lambda link: f"]({link[1].removeprefix('docs/')})", home)
    (folder / "index.md").write_text(home, encoding="utf-8", newline="\n")


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--out", type=Path, default=ROOT / "site")
    out: Path = parser.parse_args().out.resolve()
    missing = [name for name in ("mkdocs", "mkdocstrings") if find_spec(name) is None]
    if missing:
        sys.stderr.write(f"{missing[0]} is missing. Install the extra: pip install -e '.[docs]'\n")
        return 1
    gather(GATHERED)
    command = [sys.executable, "-m", "mkdocs", "build", "--quiet", "--strict", "--clean"]
    code = subprocess.run([*command, "--site-dir", str(out)], cwd=ROOT, check=False).returncode
    if code == 0:
        sys.stdout.write(f"{out / 'index.html'}\n")
    return code


if __name__ == "__main__":
    sys.exit(main())
