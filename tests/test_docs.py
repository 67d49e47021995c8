"""The documents tell the truth: what they name exists, and every example in them runs.

Commands that are light run as they are; heavy ones (sampling, training, building, measuring) meet
the stand-ins of the command-line tests, which accept flags and files and do nothing. Scripts of
runs/ and benchmarks/ are started and stopped once they have understood their arguments.
"""

import argparse
import re
import runpy
import shlex
import shutil
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from aesop.cli import TREE, Command, Group
from aesop.director.director import Director
from aesop.fables.build import FablesRecipe, Share, build_mini
from aesop.files.motion_files import write_motion
from aesop.models.phase_table import PHASES
from tests.cli.stand_ins import Diary, stand_in
from tests.cli.test_commands import run
from tests.director.makers import PUSH_IN, director_of, save_cast, walking
from tests.runs.scripts import script
from tests.test_policy import ROOMS, ROOT, SOURCE

HISTORY = {"log.md"}  # diaries keep the names of their day
PAGES = [
    ROOT / "README.md",
    ROOT / "CONTRIBUTING.md",
    *(path for path in sorted((ROOT / "docs").glob("*.md")) if path.name not in HISTORY),
]
LONGEST_LINE, TRAINING_WORDS = 100, 1500
# Where a path in backticks may start.
FOLDERS = (ROOT, ROOT / "docs", ROOT / "src", SOURCE)
FILE = re.compile(r"[\w.*-]+(?:/[\w.*-]+)+\.(?:py|sh|md|json|toml|tsv|svg|jpg|png)")
DOTTED = re.compile(rf"(?:aesop\.)?(?:{'|'.join(ROOMS)})(?:\.\w+)+|aesop\.\w+")
CLASS = re.compile(r"([A-Z][a-z]+[A-Z]\w*)(?:\.\w+)?(?:\(.*\))?")
FLAG = re.compile(r"--[a-z][a-z-]+")
RUN_TAGS, OTHER_TAGS = {"sh", "python"}, {"console", "text"}
LIGHT = ("check", "convert", "preview")
MOST_UNRUN = 9  # blocks of all pages together that nobody runs: installing, layouts, output


@dataclass(frozen=True)
class Block:
    """Fenced code in a page."""

    page: Path
    line: int
    tag: str
    text: str

    @property
    def name(self) -> str:
        return f"{self.page.name}:{self.line}"


def blocks_of(page: Path) -> Iterator[Block]:
    lines = page.read_text(encoding="utf-8").splitlines()
    opened: int | None = None
    for number, line in enumerate(lines):
        if not line.startswith("```"):
            continue
        if opened is None:
            opened = number
        else:
            tag, body = lines[opened][3:].strip(), lines[opened + 1 : number]
            yield Block(page, opened + 1, tag, "\n".join(body))
            opened = None
    assert opened is None, f"{page} does not close a block"


def spans_of(page: Path) -> list[str]:
    """What stands in backticks within the text."""
    text = re.sub(r"^```.*?^```", "", page.read_text(encoding="utf-8"), flags=re.M | re.S)
    return re.findall(r"`([^`\n]+)`", text)


BLOCKS = [block for page in PAGES for block in blocks_of(page)]
by_page = pytest.mark.parametrize("page", PAGES, ids=lambda path: path.name)


def is_there(path: str) -> bool:
    """Results move with every measurement; what they are called is not held here."""
    return path.startswith("results/") or any(list(folder.glob(path)) for folder in FOLDERS)


def resolves(dotted: str) -> bool:
    """Whether `room.module`, `room.module.name` or `aesop.name` can be imported."""
    parts = ["aesop", *dotted.removeprefix("aesop.").split(".")]
    for length in range(len(parts), 0, -1):
        try:
            found = find_spec(".".join(parts[:length])) is not None
        except ModuleNotFoundError:
            found = False
        if found:
            return _has(import_module(".".join(parts[:length])), parts[length:])
    return False


def _has(thing: object, names: list[str]) -> bool:
    for name in names:
        fields = getattr(thing, "__dataclass_fields__", {})
        if not hasattr(thing, name):
            return name in fields and name == names[-1]
        thing = getattr(thing, name)
    return True


@cache
def all_code() -> str:
    folders = [ROOT / name for name in ("src", "runs", "lab", "benchmarks", "tests", "packages")]
    files = [path for folder in folders for path in sorted(folder.rglob("*.py"))]
    return "\n".join(path.read_text(encoding="utf-8") for path in files if path != Path(__file__))


@cache
def known_classes() -> frozenset[str]:
    return frozenset(re.findall(r"^ *class (\w+)", all_code(), re.M))


@by_page
def test_files_that_are_named_exist(page: Path):
    named = {span for span in spans_of(page) if FILE.fullmatch(span)}
    assert not {path for path in named if not is_there(path)}


@by_page
def test_modules_and_names_exist(page: Path):
    named = {span.split("(")[0] for span in spans_of(page)}
    dotted = {name for name in named if DOTTED.fullmatch(name)}
    assert not {name for name in dotted if not resolves(name)}


@by_page
def test_classes_that_are_named_exist(page: Path):
    named = {match[1] for span in spans_of(page) if (match := CLASS.fullmatch(span))}
    assert not named - known_classes()


@by_page
def test_flags_that_are_named_exist(page: Path):
    for flag in {flag for span in spans_of(page) for flag in FLAG.findall(span)}:
        name = flag.removeprefix("--").removeprefix("no-").replace("-", "_")
        assert flag in all_code() or re.search(rf"\b{name}\b", all_code()), flag


@by_page
def test_links_lead_somewhere(page: Path):
    for target in re.findall(r"\]\(([^)#]+)\)", page.read_text(encoding="utf-8")):
        if not re.match(r"https?:", target):
            assert (page.parent / target).exists(), target


@by_page
def test_commands_that_are_named_exist(page: Path):
    for span in spans_of(page):
        words = span.split()
        if words[0] == "aesop" and len(words) > 1:
            assert _command(words[1:]), span


def _command(words: list[str]) -> bool:
    """Whether the words lead to a command, or are cut short on the way to one."""
    place: Group | Command = TREE
    for word in words:
        if isinstance(place, Command) or not re.fullmatch(r"[a-z]+", word):
            break
        if word not in place.children:
            return False
        place = place.children[word]
    return True


@by_page
def test_lines_are_short(page: Path):
    """But for rows of tables, which cannot be broken, and what a script wrote."""
    if page.name == "cmu_import.md":
        return
    for number, line in enumerate(page.read_text(encoding="utf-8").splitlines(), 1):
        assert len(line) <= LONGEST_LINE or line.startswith(("|", "![")), f"{page.name}:{number}"


def test_the_site_lists_every_page_and_every_name_of_its_api_exists(tmp_path: Path):
    script("site").gather(tmp_path / "pages")
    gathered = {path.name for path in (tmp_path / "pages").glob("*.md")}
    listed = re.findall(r"\w+\.md", (ROOT / "mkdocs.yml").read_text(encoding="utf-8"))
    assert sorted(listed) == sorted(gathered)
    home = tmp_path / "pages" / "index.md"
    targets = re.findall(r"\]\(([^)#]+)\)", home.read_text(encoding="utf-8"))
    assert targets and all((home.parent / target).exists() for target in targets)
    names = re.findall(r"^::: (\S+)$", (ROOT / "docs" / "api.md").read_text("utf-8"), re.M)
    assert len(names) > 10 and not [name for name in names if not resolves(name)]


def test_the_manual_of_training_names_every_phase_in_order():
    manual = (ROOT / "docs" / "training.md").read_text(encoding="utf-8")
    assert re.findall(r"^\| `([a-z-]+)` [^|]*\| ", manual, re.M)[: len(PHASES)] == list(PHASES)


def test_the_manual_of_training_is_short():
    assert len((ROOT / "docs" / "training.md").read_text("utf-8").split()) <= TRAINING_WORDS


def test_every_block_says_what_it_is_and_few_are_not_run():
    wrong = [block.name for block in BLOCKS if block.tag not in RUN_TAGS | OTHER_TAGS]
    assert not wrong
    assert sum(block.tag in OTHER_TAGS for block in BLOCKS) <= MOST_UNRUN


@pytest.mark.parametrize(
    ("span", "is_true"),
    [
        ("scene.human.NATIVE_FPS", True),
        ("aesop.director.requests.FilmRequest.intensity", True),
        ("aesop.Director", True),
        ("scene.human.NATIVE_RATE", False),
        ("scene.nowhere", False),
        ("aesop.Producer", False),
    ],
)
def test_the_check_of_names_would_notice(span: str, is_true: bool):
    assert DOTTED.fullmatch(span) and resolves(span) == is_true
    assert is_there("scene/human.py") and is_there("docs/*.md") and not is_there("scene/nobody.py")


# Running the examples.


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What the examples take for granted: a motion, a batch, a store, and folders to write to."""
    folder = tmp_path_factory.mktemp("files")
    write_motion(walking(29), folder / "walk.bvh")
    (folder / "requests.csv").write_text(
        f"motion,words,output\nwalk.bvh,{PUSH_IN},batch.shot\n", encoding="utf-8"
    )
    share = Share(windows=2, one_run=1, several=1, any_run=0)
    build_mini(folder / "STORE", FablesRecipe(3, train=share, validation=share, test=share))
    return folder


@pytest.fixture(scope="module")
def director(tmp_path_factory: pytest.TempPathFactory) -> Director:
    """Small networks that were never trained."""
    folder = tmp_path_factory.mktemp("cast")
    save_cast(folder)
    return director_of(folder)


@pytest.fixture
def here(files: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A fresh copy of the files, as the working folder."""
    folder = tmp_path / "here"
    shutil.copytree(files, folder)
    monkeypatch.chdir(folder)
    monkeypatch.setenv("AESOP_CACHE", "cache")
    return folder


class UnderstoodError(Exception):
    """A script has read its arguments and would now begin."""


def _stopped(parse: Any) -> Any:
    def parse_and_stop(parser: argparse.ArgumentParser, *given: Any, **named: Any) -> None:
        parse(parser, *given, **named)
        raise UnderstoodError

    return parse_and_stop


def commands_of(block: Block) -> list[list[str]]:
    """Words of every command; a backslash joins lines."""
    lines = block.text.replace("\\\n", " ").splitlines()
    return [words for line in lines if (words := shlex.split(line, comments=True))]


def start(words: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """Start a script of the repository, up to where it has understood its arguments."""
    path = ROOT / words[0]
    assert path.is_file(), words[0]
    monkeypatch.setattr(sys, "argv", [str(path), *words[1:]])
    monkeypatch.syspath_prepend(str(path.parent))
    with pytest.raises(UnderstoodError):
        runpy.run_path(str(path), run_name="__main__")


SHELL = [block for block in BLOCKS if block.tag == "sh"]
PYTHON = [block for block in BLOCKS if block.tag == "python"]


@pytest.mark.parametrize("block", SHELL, ids=lambda block: block.name)
def test_commands_of_the_documents_run(
    block: Block, here: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    parse = argparse.ArgumentParser.parse_args
    for words in commands_of(block):
        assert not any("…" in word for word in words), words
        with monkeypatch.context() as patched:
            match words:
                case ["aesop", first, *_] if first in LIGHT:
                    assert run(*words[1:]) == 0, (words, capsys.readouterr().err)
                case ["aesop", *rest]:
                    stand_in(patched, Diary())
                    assert run(*rest) == 0, (words, capsys.readouterr().err)
                case ["python", path, *rest]:
                    patched.setattr(argparse.ArgumentParser, "parse_args", _stopped(parse))
                    start([path, *rest], patched)
                case _:
                    pytest.fail(f"{words[0]} is no example that can be run: tag it ```console")


@pytest.mark.parametrize("block", PYTHON, ids=lambda block: block.name)
def test_python_of_the_documents_runs(
    block: Block, here: Path, director: Director, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr("aesop.director.director.load_director", lambda *_, **__: director)
    exec(compile(block.text, block.name, "exec"), {"__name__": "example"})


def test_a_wrong_example_would_be_noticed(here: Path, monkeypatch: pytest.MonkeyPatch):
    with monkeypatch.context() as patched:  # over before a script loads what it needs
        stand_in(patched, Diary())
        assert run("film", "walk.bvh", PUSH_IN, "--focus", "2", "-o", "a.shot") != 0
        assert run("film", "nobody.bvh", PUSH_IN, "-o", "a.shot") != 0
    parse = argparse.ArgumentParser.parse_args
    monkeypatch.setattr(argparse.ArgumentParser, "parse_args", _stopped(parse))
    with pytest.raises(SystemExit):
        start(["runs/pictures.py", "--no-such-flag"], monkeypatch)
