"""Builds the two wheels, and films with them where nothing of the repository can be seen.

    python runs/wheels.py build [--out dist]
    python runs/wheels.py film [--wheels dist] [--fresh]

`build` makes an sdist of each package, unpacks it elsewhere and makes the wheel from that: what the
sdist lacks, the wheel cannot have. Contents, sizes and the exact dependency are checked.

`film` makes an empty environment in a temporary folder and installs the wheels by the name of the
first one, without an index. Third-party libraries are hard links to those that this script runs
with, and only those that the wheel's metadata asks for; with --fresh, pip downloads them instead,
as on a stranger's machine. Then it checks, films and shoots with the installed command.
"""

import argparse
import json
import os
import re
import runpy
import shutil
import subprocess
import sys
import sysconfig
import tarfile
import tempfile
import time
import tomllib
import venv
import zipfile
from collections.abc import Sequence
from dataclasses import dataclass, replace
from email.message import Message
from email.parser import HeaderParser
from importlib.metadata import Distribution, distribution
from pathlib import Path

from packaging.requirements import Requirement

ROOT = Path(__file__).resolve().parents[1]
LARGEST_WHEEL_BYTES = 95_000_000
WORDS = "the camera pushes in"
FRAMES = 53

# Run by the environment's own Python, which has nothing but what was installed.
WRITE_MOTION = f"""
from pathlib import Path
import numpy as np
from aesop.fables.synthetic import synthetic_motion
from aesop.files.motion_files import write_motion
write_motion(synthetic_motion("walk", {FRAMES}, np.random.default_rng(5)).clip, Path("walk.bvh"))
"""
TELL = """
import json, sys
from pathlib import Path
import aesop
from aesop.evaluators.evaluator_weights import evaluators_folder, load_evaluators
from aesop.files.shot_file import read_shot
from aesop.text.minilm import MiniLM, packaged_folder
judges = load_evaluators(evaluators_folder(), MiniLM())
shots = [read_shot(Path(name)) for name in sys.argv[1:]]
print(json.dumps({
    "places": [aesop.__file__, str(packaged_folder()), str(evaluators_folder()), *sys.path],
    "evaluators": [judges.cameras.kind, judges.people.kind],
    "frames": [shot.clip.frames for shot in shots],
    "finite": [bool(shot.camera.centre.isfinite().all()) for shot in shots],
}))
"""


@dataclass(frozen=True)
class Project:
    """One of our packages: where its pyproject.toml lies, and what its wheel must hold."""

    name: str
    version: str
    folder: Path
    needed: tuple[str, ...]

    @property
    def stem(self) -> str:
        """How the names of its files begin."""
        return f"{self.name.replace('-', '_')}-{self.version}"

    def wheel(self, folder: Path) -> Path:
        return folder / f"{self.stem}-py3-none-any.whl"

    def code(self) -> list[str]:
        """Every module of the sources: a folder that git ignores by its name would be left out."""
        sources = self.folder / "src"
        return [path.relative_to(sources).as_posix() for path in sources.rglob("*.py")]


def aesop_project() -> Project:
    """The package itself; what must be in it stands in its build hook."""
    needed = runpy.run_path(str(ROOT / "hatch_build.py"))["NEEDED"]
    return _project(ROOT, [name.removeprefix("src/") for name in needed])


def minilm_project() -> Project:
    """The text encoder's files; their hashes stand beside them."""
    folder = ROOT / "packages" / "minilm"
    files = runpy.run_path(str(folder / "fetch.py"))["expected"]()
    return _project(folder, [f"aesop_minilm/{name}" for name in files], ("LICENSE", "NOTICE"))


def _project(
    folder: Path, needed: Sequence[str], licences: Sequence[str] = ("LICENSE",)
) -> Project:
    facts = tomllib.loads((folder / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    project = Project(facts["name"], facts["version"], folder, ())
    carried = [f"{project.stem}.dist-info/licenses/{name}" for name in licences]
    return replace(project, needed=(*needed, *carried))


class WheelError(Exception):
    """Why a wheel must not be shipped."""


def main(args: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    verbs = parser.add_subparsers(dest="verb", required=True)
    making = verbs.add_parser("build", help="make and check both wheels")
    making.add_argument("--out", type=Path, default=ROOT / "dist", help="folder for them")
    using = verbs.add_parser("film", help="install both elsewhere and film")
    using.add_argument("--wheels", type=Path, default=ROOT / "dist", help="folder with both")
    using.add_argument("--fresh", action="store_true", help="download third-party libraries")
    options = parser.parse_args(args)
    start = time.perf_counter()
    try:
        if options.verb == "build":
            build(options.out.resolve())
        else:
            film(options.wheels.resolve(), fresh=options.fresh)
    except WheelError as error:
        sys.exit(f"wheels: {error}")
    say(f"{options.verb}: {time.perf_counter() - start:.0f} s")


def build(out: Path) -> None:
    """Both sdists and wheels."""
    minilm, aesop = minilm_project(), aesop_project()
    run([sys.executable, str(minilm.folder / "fetch.py")], ROOT)
    for project in (minilm, aesop):
        with tempfile.TemporaryDirectory() as folder:
            hatch("sdist", project.folder, out)
            with tarfile.open(out / f"{project.stem}.tar.gz") as sdist:
                # Our own archive; early 3.11 releases know no filters.
                safely = {"filter": "data"} if hasattr(tarfile, "data_filter") else {}
                sdist.extractall(folder, **safely)  # pyright: ignore[reportArgumentType]
            hatch("wheel", Path(folder) / project.stem, out)
        check_wheel(project.wheel(out), (*project.needed, *project.code()))
    check_dependency(metadata_of(aesop.wheel(out)), minilm)
    for project in (minilm, aesop):
        say(f"{project.wheel(out)}: {project.wheel(out).stat().st_size / 1e6:.1f} MB")


def hatch(target: str, folder: Path, out: Path) -> None:
    run([sys.executable, "-m", "hatchling", "build", "-t", target, "-d", str(out)], folder)


def check_wheel(path: Path, needed: Sequence[str]) -> None:
    """All that is needed is in it, no weights or tables are empty, and it is not too large."""
    with zipfile.ZipFile(path) as wheel:
        sizes = {entry.filename: entry.file_size for entry in wheel.infolist()}
    missing = [name for name in needed if name not in sizes]
    weights = [name for name in needed if name.endswith((".safetensors", ".tsv", ".json"))]
    empty = [name for name in weights if sizes.get(name) == 0]
    if missing or empty:
        raise WheelError(f"{path.name} lacks {', '.join(missing + empty)}.")
    if path.stat().st_size >= LARGEST_WHEEL_BYTES:
        raise WheelError(f"{path.name} has {path.stat().st_size} bytes.")


def check_dependency(metadata: Message, minilm: Project) -> None:
    """The first wheel asks for exactly the second."""
    asked = f"{minilm.name}=={minilm.version}"
    if asked not in metadata.get_all("Requires-Dist", []):
        raise WheelError(f"{metadata['Name']} does not depend on {asked}.")


def metadata_of(wheel: Path) -> Message:
    with zipfile.ZipFile(wheel) as file:
        name = next(it for it in file.namelist() if it.endswith(".dist-info/METADATA"))
        return HeaderParser().parsestr(file.read(name).decode())


def film(wheels: Path, *, fresh: bool) -> None:
    """Install, check, film and shoot, all outside of the repository."""
    aesop, minilm = aesop_project(), minilm_project()
    asked = without_conditions(metadata_of(aesop.wheel(wheels)).get_all("Requires-Dist", []))
    third_party = [it for it in asked if Requirement(it).name != minilm.name]
    with tempfile.TemporaryDirectory() as name:
        home, work = Path(name).resolve() / "env", Path(name).resolve() / "work"
        work.mkdir()
        venv.create(home)
        if fresh:
            constraints = ["--constraint", str(ROOT / "constraints.txt")]
            pip(home, work, ["install", "--quiet", *constraints, *third_party])
        else:
            lend(third_party, home)
        own = ["--no-index", "--find-links", str(wheels), f"{aesop.name}=={aesop.version}"]
        pip(home, work, ["--isolated", "install", "--quiet", *own])
        pip(home, work, ["--isolated", "check"])
        use(home, work, aesop.version)


def use(home: Path, work: Path, version: str) -> None:
    """What a stranger types first."""
    aesop, python = script(home, "aesop"), script(home, "python")
    said = run([aesop, "--version"], work).strip()
    if said != f"aesop {version}":
        raise WheelError(f"the installed command says {said!r}, not aesop {version}.")
    run([python, "-c", WRITE_MOTION], work)
    run([aesop, "check", "walk.bvh"], work)
    run([aesop, "film", "walk.bvh", WORDS, "-o", "walk.shot"], work)
    run([aesop, "shoot", "a person waves", WORDS, "--seconds", "2", "-o", "wave.shot"], work)
    facts = json.loads(run([python, "-c", TELL, "walk.shot", "wave.shot"], work))
    check_facts(facts, home)
    say(f"filmed by what {home.parent.name} has installed: {facts['frames']} frames")


def check_facts(facts: dict[str, list[str]], home: Path) -> None:
    """Nothing came from the repository, and shots are shots."""
    places = [Path(it).resolve() for it in facts["places"] if it]
    if inside := [str(it) for it in places if it.is_relative_to(ROOT)]:
        raise WheelError(f"the environment sees the repository: {', '.join(inside)}.")
    if strange := [str(it) for it in places[:3] if not it.is_relative_to(home)]:
        raise WheelError(f"not from the wheels: {', '.join(strange)}.")
    expected = {"evaluators": ["clatr", "tmr"], "frames": [FRAMES, 50], "finite": [True, True]}
    for name, values in expected.items():
        if facts[name] != values:
            raise WheelError(f"{name}: {facts[name]} instead of {values}.")


def without_conditions(requirements: Sequence[str]) -> list[str]:
    """Those that hold here without any extra, without their conditions."""
    parsed = [Requirement(it) for it in requirements]
    return [
        f"{it.name}{extras(it)}{it.specifier}"
        for it in parsed
        if it.marker is None or it.marker.evaluate({"extra": ""})
    ]


def extras(requirement: Requirement) -> str:
    return f"[{','.join(sorted(requirement.extras))}]" if requirement.extras else ""


def lend(requirements: Sequence[str], home: Path) -> None:
    """Links to the files of these libraries, and of all that they ask for."""
    site = Path(sysconfig.get_path("purelib", "venv", {"base": str(home)}))
    for library in closure(requirements).values():
        for file in library.files or ():
            source, target = Path(str(library.locate_file(file))), site / file
            # Scripts lie outside; compiled files are made again.
            if ".." in file.parts or source.suffix == ".pyc" or not source.is_file():
                continue
            target.parent.mkdir(parents=True, exist_ok=True)
            try:
                os.link(source, target)
            except OSError:  # another disk, or one without links
                shutil.copy2(source, target)


def closure(requirements: Sequence[str]) -> dict[str, Distribution]:
    """What is installed here of these libraries and of what they need, by name."""
    found: dict[str, Distribution] = {}
    waiting = [Requirement(it) for it in requirements]
    while waiting:
        requirement = waiting.pop()
        name = re.sub(r"[-_.]+", "-", requirement.name).lower()
        if name in found:
            continue
        found[name] = distribution(name)
        waiting += [Requirement(it) for it in without_conditions(found[name].requires or ())]
    return found


def pip(home: Path, work: Path, arguments: Sequence[str]) -> None:
    run([sys.executable, "-m", "pip", "--python", script(home, "python"), *arguments], work)


def script(home: Path, name: str) -> str:
    """A command of an environment."""
    folder = sysconfig.get_path("scripts", "venv", {"base": str(home)})
    return str(Path(folder) / (f"{name}.exe" if os.name == "nt" else name))


def run(command: Sequence[str], folder: Path) -> str:
    """Its stdout; without anything in the environment that points back here."""
    kept = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith(("PYTHON", "AESOP_", "VIRTUAL_ENV"))
    }
    done = subprocess.run(
        command,
        cwd=folder,
        env=kept,
        capture_output=True,
        text=True,
        check=False,
        encoding="utf-8",
    )
    if done.returncode:
        raise WheelError(f"{' '.join(command)[:200]} failed:\n{done.stdout}{done.stderr}")
    return done.stdout


def say(text: str) -> None:
    sys.stderr.write(f"{text}\n")


if __name__ == "__main__":
    main()
