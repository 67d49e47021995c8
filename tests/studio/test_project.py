"""What the studio keeps outlives it, who may ask, what is refused, and what the page is made of."""

import hashlib
import json
import re
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from html.parser import HTMLParser
from pathlib import Path

import pytest

from aesop.core.errors import FileError
from aesop.director.director import Director
from aesop.server.guards import Door
from aesop.studio.studio_project import DATABASE, StudioProject
from aesop.studio.studio_routes import PAGE, PAGE_FILES
from aesop.studio.studio_serving import studio_annex
from tests.director.makers import PUSH_IN, TRUCK
from tests.server.running import Client, running
from tests.studio.visiting import Visitor

ROOT = Path(__file__).resolve().parents[2]
LARGEST_PAGE_BYTES = 1_500_000


@contextmanager
def living(project: Path, cast: Path, seconds: float) -> Iterator[Client]:
    """A studio that is killed at the end of the block, whatever it does then."""
    command = [sys.executable, "-m", "tests.studio.living", str(project), str(cast), str(seconds)]
    process = subprocess.Popen(
        command, cwd=ROOT, stdout=subprocess.PIPE, text=True, encoding="utf-8"
    )
    assert process.stdout is not None
    try:
        yield Client(Door("127.0.0.1", int(process.stdout.readline())))
    finally:
        process.kill()
        process.wait()
        process.stdout.close()


def test_a_studio_that_is_killed_loses_nothing(cast: Path, walk: Path, tmp_path: Path):
    """Killed with one take done and changed, one running, one waiting: the next goes on."""
    with living(tmp_path, cast, 0.5) as client:
        visitor = Visitor(client, client.upload(walk.read_bytes()).json["id"])
        done = visitor.film()["id"]
        visitor.change(done, starred=True, name="the one")
        client.post(f"/studio/takes/{done}/fan", {})
        left = [*visitor.ask(words=TRUCK), *visitor.ask(words=TRUCK)]
        before = visitor.take(done)
    with living(tmp_path, cast, 0.0) as client:
        visitor = Visitor(client, visitor.motion)
        assert [one["id"] for one in visitor.project["motions"]] == [visitor.motion]
        for name in left:
            assert visitor.filmed(name)["state"] == "done"
        after = visitor.take(done)
        assert after["starred"] and after["name"] == "the one"
        assert after["facts"] == before["facts"]
        assert {done, *left} == set(visitor.strip)
        visitor.until(lambda: len(visitor.take(done)["intensities"]) > 5)  # the fan too
        for _ in range(4):
            client.post("/studio/undo", {})
        assert not visitor.take(done)["starred"] and visitor.take(done)["name"] == ""


def filmed_once(visitor: Visitor) -> str:
    """A take that nobody changes, filmed when first asked for."""
    there = [take["id"] for take in visitor.project["takes"] if take["seed"] == 29]
    return there[0] if there else visitor.film(seed=29)["id"]


def test_two_tabs_see_the_same(visitor: Visitor):
    other = Visitor(visitor.client, visitor.motion)
    version = other.project["version"]
    take = visitor.film(seed=23)
    other.until(lambda: other.project["version"] != version)
    visitor.change(take["id"], name="mine")
    assert other.take(take["id"])["name"] == "mine"
    other.change(take["id"], starred=True)
    assert visitor.take(take["id"])["starred"]


def test_what_nobody_waits_for_comes_last(director: Director, walk: Path, tmp_path: Path):
    """Intensities in advance are filmed after takes that were asked for later."""
    with running(tmp_path, director, extend=studio_annex(tmp_path)) as client:
        visitor = Visitor(client, client.upload(walk.read_bytes()).json["id"])
        first = visitor.film()
        client.post(f"/studio/takes/{first['id']}/fan", {})
        second = visitor.ask(words=TRUCK)[0]
        visitor.filmed(second)
        assert len(visitor.take(first["id"])["intensities"]) < 12
        visitor.until(lambda: len(visitor.take(first["id"])["intensities"]) >= 12)


def test_a_token_guards_all_but_the_page(director: Director, tmp_path: Path):
    with running(tmp_path, director, "sesame", studio_annex(tmp_path)) as client:
        for path in PAGE_FILES:
            assert client.get(path).status == 200, path
            assert client.ask("POST", path, b"").status in (401, 405)
        for path in ("/studio/project", "/studio/events", "/health", "/studio/mannequin"):
            assert client.get(path).status == 401, path
        known = {"authorization": "Bearer sesame"}
        assert client.ask("GET", "/studio/project", headers=known).status == 200


def test_the_page_may_run_its_own_script_and_nothing_else(client: Client):
    policy = client.get("/").headers["content-security-policy"]
    rules = dict(rule.strip().split(" ", 1) for rule in policy.split(";"))
    assert rules["default-src"] == "'none'" and rules["script-src"] == "'self'"
    assert rules["connect-src"] == "'self'" and "unsafe" not in policy and "http" not in policy
    markup = client.get("/").body.decode()
    assert not re.search(r"<script(?![^>]*src=)|\son\w+=|style=|https?://", markup)
    for path in ("/..%2fstudio_routes.py", "/built_from.json", "/page/index.html", "/studio.js/x"):
        assert client.get(path).status == 404, path
    assert client.get("/api").status == 200  # the server's own page is still there


@pytest.mark.parametrize(
    ("path", "values"),
    [
        ("/studio/takes", {}),
        ("/studio/takes", {"motion": "0" * 16, "words": PUSH_IN}),
        ("/studio/takes", {"motion": "MOTION", "words": "…"}),
        ("/studio/takes", {"motion": "MOTION", "words": PUSH_IN, "takes": 0}),
        ("/studio/takes", {"motion": "MOTION", "words": PUSH_IN, "takes": 9}),
        ("/studio/takes", {"motion": "MOTION", "words": PUSH_IN, "takes": 1.5}),
        ("/studio/takes", {"motion": "MOTION", "words": PUSH_IN, "intensity": 7}),
        ("/studio/takes", {"motion": "MOTION", "words": PUSH_IN, "intensity": "NaN"}),
        ("/studio/takes", {"motion": "MOTION", "words": PUSH_IN, "aspect": 99}),
        ("/studio/takes", {"motion": "MOTION", "words": PUSH_IN, "seed": -1}),
        ("/studio/takes", {"motion": "MOTION", "words": PUSH_IN, "method": "magic"}),
        ("/studio/takes", {"motion": "MOTION", "words": PUSH_IN, "folder": "/etc"}),
        ("/studio/takes", {"motion": "MOTION", "words": PUSH_IN, "instead_of": "../x"}),
        ("/studio/takes", {"motion": "MOTION", "words": "word " * 400}),
        ("/studio/takes", {"motion": "../../etc/passwd", "words": PUSH_IN}),
        ("/studio/takes/none", {"starred": True}),
        ("/studio/takes/TAKE", {"state": "done"}),
        ("/studio/takes/TAKE", {"name": "x" * 81}),
        ("/studio/takes/TAKE", {"name": "a\u0000b"}),
        ("/studio/takes/TAKE", {"intensity": 1.51}),
        ("/studio/takes/TAKE", {"starred": 1}),
        ("/studio/takes/..%2f..%2fx/fan", {}),
        ("/studio/gallery", {"name": "../../secret"}),
        ("/studio/people", {"words": "", "seconds": 3}),
        ("/studio/people", {"words": "a person walks", "seconds": 99}),
        ("/studio/motions/MOTION/cut", {"start_s": 1.0, "stop_s": 0.5}),
        ("/studio/motions/MOTION/cut", {"start_s": 0.0, "stop_s": 1e9}),
        ("/studio/motions/MOTION/cut", {"start_s": -1e300, "stop_s": 1e300}),
    ],
)
def test_wrong_requests_are_refused_with_a_fact_and_a_remedy(
    visitor: Visitor, path: str, values: dict[str, object]
):
    take = filmed_once(visitor) if "TAKE" in path else ""
    body = json.dumps(values).replace("MOTION", visitor.motion).encode()
    before = visitor.project["takes"]
    came = visitor.client.ask(
        "POST",
        path.replace("MOTION", visitor.motion).replace("TAKE", take),
        body,
        {"content-type": "application/json"},
    )
    assert came.status in (400, 404), came.body
    assert came.json["error"]["fact"] and came.json["error"]["remedy"]
    assert visitor.project["takes"] == before


@pytest.mark.parametrize("file", ["shot.exe", "shot", "..%2fx.glb", "other.glb", "shot.tar.gz"])
def test_no_request_becomes_a_path(visitor: Visitor, file: str):
    take = filmed_once(visitor)
    assert visitor.client.get(f"/studio/takes/{take}/export/{file}").status == 404


def test_another_programs_database_is_not_taken(tmp_path: Path):
    (tmp_path / DATABASE).write_bytes(b"not a database at all, but long enough to look at" * 40)
    with pytest.raises(FileError):
        StudioProject(tmp_path).begin()


def test_a_newer_project_is_left_alone(tmp_path: Path):
    project = StudioProject(tmp_path)
    project.begin()
    project.close()
    with sqlite3.connect(tmp_path / DATABASE) as connection:
        connection.execute("update project set format = 99")
    connection.close()
    with pytest.raises(FileError, match="newer"):
        StudioProject(tmp_path).begin()


def test_the_committed_page_was_built_from_these_sources():
    """`make studio` builds it; whoever changes the sources builds it again."""
    folder = ROOT / "studio"
    names = ["package.json", "package-lock.json", "tsconfig.json", "build.mjs"]
    names += [f"src/{path.name}" for path in (folder / "src").iterdir()]
    digest = hashlib.sha256()
    for name in sorted(names):
        text = (folder / name).read_bytes().decode().replace("\r\n", "\n")
        digest.update(f"{name}\n{text}\n".encode())
    built = json.loads((PAGE / "built_from.json").read_text(encoding="utf-8"))
    assert built == {"sources_sha256": digest.hexdigest(), "files": len(names)}, "run make studio"


def test_the_page_is_small_and_brings_its_licences():
    sizes = {path.name: path.stat().st_size for path in PAGE.iterdir()}
    assert sum(sizes.values()) <= LARGEST_PAGE_BYTES
    assert {name for name, _ in PAGE_FILES.values()} | {"built_from.json"} == set(sizes)
    licences = (PAGE / "licences.txt").read_text(encoding="utf-8")
    assert "three.js authors" in licences and "SIL OPEN FONT LICENSE" in licences.upper()
    lock = json.loads((ROOT / "studio" / "package-lock.json").read_text(encoding="utf-8"))
    shipped = [name for name, one in lock["packages"].items() if name and not one.get("dev")]
    assert sorted(shipped) == ["node_modules/@fontsource-variable/inter", "node_modules/three"]


class Labels(HTMLParser):
    """What a screen reader can say of each control of a page."""

    def __init__(self) -> None:
        super().__init__()
        self.labelled: set[str] = set()
        self.controls: list[tuple[str, dict[str, str | None]]] = []
        self.texts: list[str] = []
        self.is_inside = False

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        told = dict(attrs)
        if tag == "label" and told.get("for"):
            self.labelled.add(str(told["for"]))
        if tag in ("button", "input", "select", "textarea") and told.get("type") != "file":
            self.controls.append((tag, told))
            self.texts.append("")
            self.is_inside = tag == "button"

    def handle_endtag(self, tag: str) -> None:
        self.is_inside &= tag != "button"

    def handle_data(self, data: str) -> None:
        if self.is_inside:
            self.texts[-1] += data


def test_every_control_of_the_page_has_a_name_that_can_be_said():
    page = Labels()
    page.feed((PAGE / "index.html").read_text(encoding="utf-8"))
    assert len(page.controls) > 40
    for (tag, told), text in zip(page.controls, page.texts, strict=True):
        name = told.get("aria-label") or (text.strip() if tag == "button" else "")
        assert name or told.get("id") in page.labelled, told
