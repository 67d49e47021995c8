"""What holds for the project as a whole: the direction of imports, sizes, and living guards."""

import ast
import re
import subprocess
import sys
from collections import Counter
from pathlib import Path

import jaxtyping
import pytest
import torch

from aesop.scene.rotation import rows6_from_matrix
from tests.bare_tolerances import bare_tolerances

ROOT = Path(__file__).resolve().parents[1]
SOURCE = ROOT / "src" / "aesop"

# Reading order is import order: a room imports only rooms before it.
ROOMS = (
    "core", "scene", "features", "files", "preview", "text", "camera_words", "data", "fables",
    "models", "flow", "baselines", "pairs", "training", "evaluators", "metrics", "director",
    "measuring", "pages", "reproduction", "export", "server", "studio", "study", "cli",
)  # fmt: skip


def room_of(path: Path) -> str:
    return path.relative_to(SOURCE).parts[0].removesuffix(".py")


def imported_rooms(code: str) -> set[str]:
    """Rooms that a module imports, wherever in the file the import stands."""
    names: set[str] = set()
    for node in ast.walk(ast.parse(code)):
        if isinstance(node, ast.Import):
            names.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            assert node.level == 0, "write imports in full"
            names.update(f"{node.module}.{alias.name}" for alias in node.names)
    return {name.split(".")[1] for name in names if name.startswith("aesop.")}


def upward_imports(room: str, code: str) -> set[str]:
    known = {other for other in imported_rooms(code) if other in ROOMS}
    return {other for other in known if ROOMS.index(other) > ROOMS.index(room)}


def test_every_room_imports_only_rooms_before_it():
    paths = [
        path
        for path in SOURCE.rglob("*.py")
        # The package's own doors stand before all rooms.
        if path.parent != SOURCE or path.name not in ("__init__.py", "__main__.py")
    ]
    assert len(paths) > 10
    for path in paths:
        assert room_of(path) in ROOMS, f"{path} stands in a room that the design does not know"
        upward = upward_imports(room_of(path), path.read_text(encoding="utf-8"))
        assert not upward, f"{path} imports {upward}, which come later in the reading order"


@pytest.mark.parametrize(
    "code",
    [
        "from aesop.preview.video import write_video",
        "import aesop.cli",
        "def hidden():\n    from aesop.features import columns",
        "from aesop import files",
    ],
)
def test_the_import_check_would_notice(code: str):
    assert upward_imports("scene", code)
    assert not upward_imports("cli", code)


def test_the_package_knows_nothing_of_the_laboratory():
    lab = {path.stem for path in (ROOT / "lab").glob("*.py")}
    assert "parcel" in lab
    for path in SOURCE.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            names += [node.module or ""] if isinstance(node, ast.ImportFrom) else []
            assert not lab & {name.split(".")[0] for name in names}, path


def test_shape_annotations_are_alive():
    """A canary: if this does not raise, no shape in the whole run was checked."""
    with pytest.raises(jaxtyping.TypeCheckError):
        rows6_from_matrix(torch.zeros(5, 3, 2))


def test_files_and_functions_stay_short():
    for path in (*SOURCE.rglob("*.py"), *(ROOT / "lab").glob("*.py")):
        code = path.read_text(encoding="utf-8")
        assert code.count("\n") <= 500, f"{path} has more than 500 lines"
        for node in ast.walk(ast.parse(code)):
            if isinstance(node, ast.FunctionDef):
                length = (node.end_lineno or 0) - node.lineno
                assert length <= 60, f"{path}: {node.name} has {length} lines"


def test_no_class_and_no_file_name_has_two_meanings():
    files, classes = Counter[str](), Counter[str]()
    for path in [*SOURCE.rglob("*.py"), *(ROOT / "lab").glob("*.py")]:
        files[path.name] += path.name != "__init__.py"
        tree = ast.parse(path.read_text(encoding="utf-8"))
        classes.update(node.name for node in ast.walk(tree) if isinstance(node, ast.ClassDef))
    assert len(classes) > 100
    assert not [name for name, count in (files + classes).items() if count > 1]


def defined_names(code: str) -> set[str]:
    """Functions and classes at the top of a module; names that Python calls itself do not count."""
    body = ast.parse(code).body
    names = {it.name for it in body if isinstance(it, ast.FunctionDef | ast.ClassDef)}
    return {name for name in names if not name.startswith("__")}


def used_names(code: str) -> set[str]:
    """Names that a module reads, wherever they come from, and words of its strings: entries of
    tables name what they call."""
    names: set[str] = set()
    for node in ast.walk(ast.parse(code)):
        if isinstance(node, ast.Name):
            names.add(node.id)
        elif isinstance(node, ast.Attribute):
            names.add(node.attr)
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            names.update(re.findall(r"\w+", node.value))
    return names


def test_nothing_is_there_for_tests_alone():
    """Whatever the package and the laboratory define is used by them, by a script or by a page."""
    folders = ("src", "lab", "runs", "benchmarks", "packages", "blender")
    paths = [path for name in folders for path in (ROOT / name).rglob("*.py")]
    codes = {path: path.read_text(encoding="utf-8") for path in paths}
    used = set[str]().union(*(used_names(code) for code in codes.values()))
    for page in (ROOT / "docs").glob("*.md"):
        used.update(re.findall(r"\w+", page.read_text(encoding="utf-8")))
    ours = [path for path in paths if path.relative_to(ROOT).parts[0] in ("src", "lab")]
    assert len(ours) > 100
    unused = {path.name: defined_names(codes[path]) - used for path in ours}
    assert not {name: names for name, names in unused.items() if names}


def test_the_check_of_use_would_notice():
    code = (
        "class Idle: ...\ndef lonely(): ...\ndef called(): ...\nTABLE = 'room:by_name'\ncalled()\n"
    )
    assert defined_names(code) - used_names(code) == {"Idle", "lonely"}
    assert used_names("from aesop.scene import lonely") == set()  # an import alone is no use
    assert {"by_name", "shown"} <= used_names("x.shown('room:by_name')")


def test_help_does_not_import_what_is_heavy():
    """The command answers at once because torch is loaded by the commands that need it."""
    code = (
        "import sys, contextlib, io\n"
        "from aesop.cli import main\n"
        "with contextlib.suppress(SystemExit), contextlib.redirect_stdout(io.StringIO()):\n"
        "    main(['--help'])\n"
        "heavy = {'torch', 'av', 'PIL', 'numpy', 'scipy'} & set(sys.modules)\n"
        "sys.exit(f'imported {heavy}' if heavy else 0)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_tracked_text_names_no_machine():
    marks = ["/" + word + "/" for word in ("root", "home", "work", "tmp/cmu")]
    for folder in ("src", "docs", "benchmarks", "runs", "lab"):
        for path in (ROOT / folder).rglob("*"):
            if path.suffix in {".py", ".md", ".sh", ".json", ".toml"}:
                text = path.read_text(encoding="utf-8")
                assert not [mark for mark in marks if mark in text], (
                    f"{path} names a machine's path"
                )


def test_tolerances_say_where_they_come_from():
    paths = sorted((ROOT / "tests").rglob("*.py"))
    assert len(paths) > 100
    bare = {path.name: bare_tolerances(path.read_text(encoding="utf-8")) for path in paths}
    assert not {name: lines for name, lines in bare.items() if lines}, (
        "take these tolerances from tests/tolerances.py, or say beside them where they come from"
    )


@pytest.mark.parametrize(
    ("code", "is_bare"),
    [
        ("assert found == pytest.approx(wanted, rel=1e-6)", True),
        ("assert found == pytest.approx(wanted, 1e-6)", True),
        (
            "torch.testing.assert_close(\n    found, wanted, rtol=0,\n    atol=2e-6,\n)",
            True,
        ),
        ("for it in found:\n    assert np.allclose(it, wanted, atol=0.02)", True),
        ("assert (found - wanted).abs().max() < 1e-5", True),
        ("assert low.min() > -1e-9", True),
        ("# Ten metres in single precision.\n\nassert np.isclose(a, b, atol=1e-6)", True),
        ("# Ten metres in single precision.\nassert np.isclose(a, b, atol=1e-6)", False),
        ("assert np.isclose(a, b, atol=1e-6)  # six decimals", False),
        ("# Six decimals.\nassert np.isclose(a, b, atol=1e-6)\nassert a + b < 1e-6", False),
        ("# Six decimals.\nassert np.isclose(a, b, atol=1e-6)\nc = 5\nassert a < 1e-6", True),
        ("assert np.isclose(a, b, atol=2 * GEOMETRY32, rtol=0)", False),
        ("assert (found - wanted).abs().max() < rounded32(20, 5.0)", False),
        ("assert found == pytest.approx(wanted)", False),
        ("assert found.travel < 0.5", False),
        ("assert learning_rate == 1e-4", False),
    ],
)
def test_the_check_of_tolerances_would_notice(code: str, is_bare: bool):
    assert bool(bare_tolerances(code)) == is_bare
