"""Nothing needs Linux: text is read and written alike everywhere, and what a system may lack has
something to take its place."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
FOLDERS = ("src", "lab", "runs", "benchmarks", "packages", "blender")

MODULES = {"fcntl", "grp", "posix", "pwd", "resource", "syslog", "termios"}
ATTRIBUTES = {
    "os": {
        "O_DIRECTORY", "O_TMPFILE", "fork", "getloadavg", "geteuid", "getuid", "killpg", "mkfifo",
        "nice", "posix_fadvise", "sched_getaffinity", "setsid", "uname",
    },
    "signal": {"SIGALRM", "SIGHUP", "SIGKILL", "SIGPIPE", "SIGUSR1", "SIGUSR2", "alarm"},
}  # fmt: skip
PLACES = re.compile(r"/(?:proc|dev|sys)/")

# Where such a thing stands, what it is, and what happens without it; each was looked at.
WITHOUT_IT = {
    "src/aesop/core/whole_files.py": {
        "fcntl": "nothing is locked: Windows removes no file that is open",
        "O_TMPFILE": "files get a name in a folder of their own",
        "O_DIRECTORY": "folders are not synced",
        "/proc/": "files get a name in a folder of their own",
    },
    "src/aesop/core/pool.py": {"fork": "one core draws"},
    "lab/measure_h200.py": {"symlink_to": "folders are copied"},
    "src/aesop/core/machine.py": {"/proc/": "the processor's name is what Python knows"},
    "src/aesop/core/linear_products.py": {"/proc/": "a variable says who made the processor"},
    "runs/serve.py": {"/proc/": "memory is not told"},
    "runs/studio.py": {"getloadavg": "how busy the machine was is not told"},
    "benchmarks/record.py": {
        "getloadavg": "how busy the machine was is not told",
        "resource": "memory is not told",
    },
    "benchmarks/store.py": {
        "/proc/": "memory is not told",
        "posix_fadvise": "files stay in the system's cache, and readers do not meet the disk",
    },
}

# Objects whose open() opens no text file.
OTHER_OPENERS = {"Image", "archive", "av", "os", "tar", "tarfile", "webbrowser", "zipfile"}


def keyword(call: ast.Call, name: str) -> ast.expr | None:
    return next((it.value for it in call.keywords if it.arg == name), None)


def text_mode(call: ast.Call) -> str | None:
    """The mode in which a call opens a text file, or None if it is no such call."""
    name, owner = getattr(call.func, "id", None), None
    place = 1
    if isinstance(call.func, ast.Attribute):
        name, owner, place = call.func.attr, getattr(call.func.value, "id", None), 0
    if name in ("read_text", "write_text"):
        return "r" if name == "read_text" else "w"
    if name != "open" or owner in OTHER_OPENERS:
        return None
    mode = call.args[place] if len(call.args) > place else keyword(call, "mode")
    word = "r" if mode is None else getattr(mode, "value", "")
    is_text = isinstance(word, str) and re.fullmatch("[rwaxt+]+", word) is not None
    return word if is_text else None


def vague_text(code: str, needs_newline: bool) -> list[str]:
    """Calls whose text depends on the system: its encoding, and when writing its ends of lines."""
    found: list[str] = []
    for node in ast.walk(ast.parse(code)):
        if not isinstance(node, ast.Call):
            continue
        is_piped = keyword(node, "text") is not None and keyword(node, "capture_output") is not None
        mode = text_mode(node)
        if (mode is not None or is_piped) and keyword(node, "encoding") is None:
            found.append(f"line {node.lineno}: name the encoding")
        is_written = mode is not None and re.search("[wax]", mode) is not None
        if needs_newline and is_written and keyword(node, "newline") is None:
            found.append(f"line {node.lineno}: name the newline")
    return found


def system_names(code: str) -> Iterator[str]:
    """Names that only some systems have."""
    for node in ast.walk(ast.parse(code)):
        match node:
            case ast.Import(names):
                yield from {it.name for it in names} & MODULES
            case ast.ImportFrom(module=str(module)) if module in MODULES:
                yield module
            case ast.Attribute(ast.Name(owner), name) if name in ATTRIBUTES.get(owner, set()):
                yield name
            case ast.Attribute(_, "symlink_to" | "symlink" as name):
                yield name
            case ast.Call(args=[ast.Constant("fork"), *_]):
                yield "fork"
            case ast.Constant(str(text)) if PLACES.search(text) and "\n" not in text:
                yield from PLACES.findall(text)


def sources() -> list[Path]:
    paths = [path for folder in FOLDERS for path in sorted((ROOT / folder).rglob("*.py"))]
    assert len(paths) > 100
    return paths


def test_text_is_the_same_on_every_system():
    vague = {
        path.relative_to(ROOT).as_posix(): vague_text(
            path.read_text(encoding="utf-8"), path.is_relative_to(ROOT / "src")
        )
        for path in sources()
    }
    assert not {path: found for path, found in vague.items() if found}


def test_what_a_system_may_lack_has_something_in_its_place():
    for path in sources():
        name = path.relative_to(ROOT).as_posix()
        found = set(system_names(path.read_text(encoding="utf-8")))
        unknown = found - WITHOUT_IT.get(name, {}).keys()
        assert not unknown, f"{name} uses {unknown}: say in WITHOUT_IT what happens without it"


@pytest.mark.parametrize(
    "code",
    [
        "path.read_text()",
        "path.open()",
        "path.open('a')",
        "open(path, 'w')",
        "subprocess.run(words, capture_output=True, text=True)",
        "path.write_text(told, encoding='utf-8')",
        "with temporary.open(mode='w', encoding='utf-8') as file: pass",
    ],
)
def test_the_check_of_text_would_notice(code: str):
    assert vague_text(code, needs_newline=True)


@pytest.mark.parametrize(
    "code",
    [
        "path.read_text(encoding='utf-8')",
        "path.open('rb')",
        "tarfile.open(path)",
        "zipped.open(f'{name}.npy')",
        "path.write_text(told, encoding='utf-8', newline='\\n')",
        "subprocess.run(words, capture_output=True)",
    ],
)
def test_the_check_of_text_leaves_other_things_alone(code: str):
    assert not vague_text(code, needs_newline=True)


@pytest.mark.parametrize(
    ("code", "name"),
    [
        ("import resource", "resource"),
        ("from fcntl import flock", "fcntl"),
        ("os.fork()", "fork"),
        ("os.kill(pid, signal.SIGKILL)", "SIGKILL"),
        ("len(os.sched_getaffinity(0))", "sched_getaffinity"),
        ("Path('/proc/self/status')", "/proc/"),
        ("get_context('fork')", "fork"),
        ("a.symlink_to(b)", "symlink_to"),
    ],
)
def test_the_check_of_systems_would_notice(code: str, name: str):
    assert name in set(system_names(code))
