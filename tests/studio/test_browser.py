"""The page in a real browser. Skipped, with the reason, where no Chromium with WebGL is installed;
`AESOP_CHROMIUM` names one."""

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from aesop.director.director import Director
from aesop.export.gltf import write_glb
from aesop.files.bvh_clip import bvh_text
from aesop.files.shot_file import read_shot
from aesop.studio.studio_serving import studio_annex
from studio_visit import (
    NoBrowserError,
    Tab,
    elsewhere,
    first_visit,
    hostile_files,
    open_browser,
    open_tab,
)
from tests.director.makers import walking
from tests.server.running import running

if TYPE_CHECKING:
    from playwright.sync_api import Browser

ROOT = Path(__file__).resolve().parents[2]
SHOWN = "aesopStudio.store.shown"


@pytest.fixture(scope="module")
def browser() -> Iterator["Browser"]:
    try:
        with open_browser() as browser:
            yield browser
    except NoBrowserError as reason:
        pytest.skip(f"no browser: {reason}")


@pytest.fixture
def url(director: Director, tmp_path: Path) -> Iterator[str]:
    with running(tmp_path / "project", director, extend=studio_annex(tmp_path / "project")) as one:
        yield f"{one.door.url}/"


def walk_held_at(tab: Tab, seconds: int) -> None:
    """The walk of the gallery, filmed and held at an instant."""
    tab.ready()
    tab.page.click("#welcome [data-motion=walk]")
    tab.until_done(1)
    tab.until(f"aesopStudio.store.camera({SHOWN}) !== null")
    tab.evaluate(f"aesopStudio.player.isPlaying = false; aesopStudio.player.seek({seconds})")


def test_a_first_visit_ends_with_a_gltf_file(browser: "Browser", url: str, tmp_path: Path):
    """Scripted clicks; nothing is asked of anybody else, nothing is refused by the policy."""
    with open_tab(browser, url) as tab:
        first_visit(tab, tmp_path / "shot.glb")
        assert (tmp_path / "shot.glb").read_bytes()[:4] == b"glTF"
        # Words, a chip from the gallery of examples, a star, a name, undo.
        tab.page.click("#examples button >> nth=1")
        tab.until_done(2)
        tab.page.click("#stage")
        tab.page.keyboard.press("*")
        tab.until(f"{SHOWN}.starred")
        tab.page.keyboard.press("Control+z")
        tab.until(f"!{SHOWN}.starred")
        tab.page.keyboard.press("x")
        tab.until("!document.getElementById('lens-b').hidden")
        assert tab.evaluate("aesopStudio.frameTimes.length") > 0
        assert not elsewhere(tab, url) and not tab.mistakes


def test_typing_films_again_after_a_pause(browser: "Browser", url: str):
    with open_tab(browser, url) as tab:
        tab.ready()
        tab.page.click("#welcome [data-motion=wave]")
        tab.until_done(1)
        tab.until(f"aesopStudio.store.camera({SHOWN}) !== null")
        tab.page.fill("#camera", "")
        tab.page.type("#camera", "the camera trucks left")
        # What is shown stays until the new one is there; a busy machine may type with a pause.
        assert tab.evaluate(f"aesopStudio.store.camera({SHOWN}) !== null")
        tab.until(f"{SHOWN}.words === 'the camera trucks left'")
        tab.until("document.querySelector('#chips').innerText.includes('truck left')")


def test_the_slider_moves_the_camera_at_once(browser: "Browser", url: str):
    """Between what is filmed the page turns the shot itself; then the exact one is there."""
    with open_tab(browser, url) as tab:
        tab.ready()
        tab.page.click("#welcome [data-motion=walk]")
        tab.until_done(1)
        tab.until(f"{SHOWN}.intensities.length > 2")
        tab.until("aesopStudio.store.fan(aesopStudio.store.takeId).intensities.length > 2")
        row = f"[...aesopStudio.store.camera({SHOWN}).rows.slice(-8)]"
        before = tab.evaluate(row)
        turned = tab.evaluate(
            "() => { const s = document.getElementById('intensity'); s.value = '0.83';"
            f"s.dispatchEvent(new Event('input')); return {row}; }}"
        )
        assert turned != before
        tab.until(f"{SHOWN}.intensity === 0.83 && {SHOWN}.facts !== null")
        tab.until("aesopStudio.store.fan(aesopStudio.store.takeId).intensities.includes(0.83)")
        assert not tab.mistakes


def test_thirty_hostile_files_are_refused_with_a_sentence(browser: "Browser", url: str):
    walk = bvh_text(walking(53)).encode()
    files = hostile_files(walk)
    assert len(files) == 30
    with open_tab(browser, url) as tab:
        tab.ready()
        for name, data in files:
            tab.close_toasts()
            tab.drop(name, data)
            tab.until("document.querySelectorAll('.toast').length > 0")
            assert tab.toasts[0].strip(), name
        assert tab.evaluate("document.title") == "AESOP studio"
        assert tab.evaluate("document.querySelectorAll('.toast img, .toast script').length") == 0
        assert tab.evaluate("aesopStudio.store.project.motions.length") == 0
        tab.close_toasts()
        tab.drop("walk.bvh", walk)
        tab.until_done(1)
        assert not elsewhere(tab, url)


def test_a_killed_server_costs_the_page_nothing(browser: "Browser", cast: Path, tmp_path: Path):
    """The page says that nobody answers, and goes on with the next server on that port."""
    project = tmp_path / "project"

    def start(port: str) -> tuple[subprocess.Popen[str], str]:
        command = [sys.executable, "-m", "tests.studio.living", str(project), str(cast), "0", port]
        process = subprocess.Popen(
            command, cwd=ROOT, stdout=subprocess.PIPE, text=True, encoding="utf-8"
        )
        assert process.stdout is not None
        return process, process.stdout.readline().strip()

    process, port = start("0")
    try:
        with open_tab(browser, f"http://127.0.0.1:{port}/") as tab:
            tab.ready()
            tab.page.click("#welcome [data-motion=jump]")
            tab.until_done(1)
            kept = tab.evaluate(f"{SHOWN}.id")
            process.kill()
            process.wait()
            tab.until("aesopStudio.store.isLost")
            process, _ = start(port)
            tab.until("!aesopStudio.store.isLost")
            assert tab.evaluate(f"{SHOWN}.id") == kept
            tab.page.click("#film")
            tab.until_done(2)
            shots = sorted(project.glob("takes/*/at_1.00.shot"))
            assert len(shots) == 2 and all(read_shot(path).frames == 100 for path in shots)
    finally:
        process.kill()
        process.wait()


def test_two_tabs_share_a_project(browser: "Browser", url: str):
    with open_tab(browser, url) as one, open_tab(browser, url) as other:
        one.ready()
        other.ready()
        one.page.click("#welcome [data-motion=sit]")
        one.until_done(1)
        other.until_done(1)
        assert not other.page.is_visible("#welcome")
        other.page.click(".take[data-take]")
        other.page.keyboard.press("*")
        one.until("aesopStudio.store.takes[0].starred")


def test_intensity_over_time_is_drawn_and_filmed(browser: "Browser", url: str):
    """A double click on the lane is a point; the camera follows at once, then exactly; undo."""
    with open_tab(browser, url) as tab:
        tab.ready()
        tab.page.click("#welcome [data-motion=walk]")
        tab.until_done(1)
        tab.until("aesopStudio.store.fan(aesopStudio.store.takeId)?.intensities.length > 2")
        tab.page.click("#curve")
        lane = tab.page.locator("#timeline .curve").bounding_box()
        assert lane is not None
        tab.page.mouse.dblclick(lane["x"] + lane["width"] / 2, lane["y"] + 6)
        tab.until(f"{SHOWN}.curve?.length === 3 && {SHOWN}.facts !== null")
        tab.until("aesopStudio.store.fan(aesopStudio.store.takeId)?.overTime")
        handle = tab.page.locator("#timeline .handle >> nth=1")
        handle.focus()
        before = tab.evaluate(f"{SHOWN}.curve[1][1]")
        tab.page.keyboard.press("ArrowDown")
        tab.until(f"{SHOWN}.curve[1][1] < {before}")
        tab.page.click("#undo")
        tab.until(f"{SHOWN}.curve[1][1] === {before}")
        assert not tab.mistakes


def test_a_view_that_is_flown_to_becomes_a_key(browser: "Browser", url: str):
    """The shot begins with the view that was set, and a part of it can be kept."""
    with open_tab(browser, url) as tab:
        walk_held_at(tab, 0)
        first = tab.evaluate(f"[...aesopStudio.store.camera({SHOWN}).rows.slice(0, 3)]")
        tab.page.keyboard.press("y")
        for key in "ddde":
            tab.page.keyboard.press(key)
        tab.page.click("#key-start")
        tab.until(f"{SHOWN}.keys.length === 1 && {SHOWN}.facts !== null")
        tab.until(f"aesopStudio.store.camera({SHOWN}) !== null")
        row = f"[...aesopStudio.store.camera({SHOWN}).rows.slice(0, 3)]"
        begins, wanted = tab.evaluate(row), tab.evaluate(f"{SHOWN}.keys[0].centre_m")
        apart = sum((a - b) ** 2 for a, b in zip(begins, wanted, strict=True)) ** 0.5
        moved = sum((a - b) ** 2 for a, b in zip(begins, first, strict=True)) ** 0.5
        assert apart < 0.01 and moved > 0.2  # what keys promise; four steps of 8 cm
        tab.evaluate("aesopStudio.player.setRange(1, 2)")
        tab.page.click("#keep-part")
        tab.until("document.querySelectorAll('#timeline .kept').length === 1")  # drawn, too
        tab.until("!aesopStudio.player.hasRange")  # what is redone is played, too
        tab.page.locator("#timeline .key").focus()
        tab.page.keyboard.press("Delete")
        tab.until(f"{SHOWN}.keys.length === 0 && {SHOWN}.kept.length === 1")
        assert not tab.mistakes


def test_a_start_is_set_where_the_shot_starts(browser: "Browser", url: str):
    """Elsewhere the button goes there first: the person stands elsewhere at the first frame."""
    with open_tab(browser, url) as tab:
        walk_held_at(tab, 2)
        tab.page.keyboard.press("y")
        tab.page.click("#key-start >> text=Go to start")
        assert tab.evaluate("aesopStudio.player.seconds") == 0
        tab.page.click("#key-start >> text=Set as start")
        tab.until(f"{SHOWN}.keys.length === 1 && {SHOWN}.keys[0].seconds === 0")


def test_another_take_travels_as_far_and_meets_the_same_keys(browser: "Browser", url: str):
    """Other noise, and nothing else is new; in another picture, too."""
    with open_tab(browser, url) as tab:
        walk_held_at(tab, 0)
        tab.page.keyboard.press("y")
        tab.page.keyboard.press("e")
        tab.page.click("#key-start")
        tab.until(f"{SHOWN}.keys.length === 1 && {SHOWN}.facts !== null")
        tab.page.keyboard.press("]")
        tab.until(f"{SHOWN}.intensity === 1.05 && {SHOWN}.facts !== null")
        alike = f"JSON.stringify([{SHOWN}.intensity, {SHOWN}.keys])"
        before, seed = tab.evaluate(alike), tab.evaluate(f"{SHOWN}.seed")
        tab.page.click("#film")
        tab.until_done(3)
        tab.until(f"{SHOWN}.seed !== {seed}")
        assert tab.evaluate(alike) == before
        tab.page.select_option("#aspect", "1")
        tab.until(f"{SHOWN}.aspect === 1")
        assert tab.evaluate(alike) == before


def test_other_words_leave_the_take_that_typing_made(browser: "Browser", url: str):
    """Words that go on from it replace it."""
    with open_tab(browser, url) as tab:
        tab.ready()
        tab.page.click("#welcome [data-motion=wave]")
        tab.until_done(1)
        for words in ("follow her", "follow her from behind", "the camera pulls out"):
            tab.page.fill("#camera", words)
            tab.until(f"{SHOWN}.words === '{words}'")
        said = tab.evaluate("aesopStudio.store.takes.map((take) => take.words)")
        assert said[1:] == ["follow her from behind", "the camera pulls out"]


def test_a_curve_that_cannot_be_filmed_is_told(browser: "Browser", url: str):
    """The operator films such words at one intensity; the curve goes, a sentence says why."""
    with open_tab(browser, url) as tab:
        tab.ready()
        tab.page.select_option("#method", "operator")
        tab.page.fill("#camera", "a low-angle close-up, push in")
        tab.page.click("#welcome [data-motion=walk]")
        tab.until_done(1)
        tab.until("aesopStudio.store.fan(aesopStudio.store.takeId)")
        tab.page.click("#curve")
        lane = tab.page.locator("#timeline .curve").bounding_box()
        assert lane is not None
        tab.page.mouse.dblclick(lane["x"] + lane["width"] / 2, lane["y"] + 6)
        tab.until("document.querySelectorAll('.toast').length > 0")
        assert "one intensity" in tab.toasts[0]
        assert tab.evaluate(f"{SHOWN}.curve") is None


def test_a_tab_that_is_opened_again_shows_the_same_motion(browser: "Browser", url: str):
    """Also one that has no takes."""
    with open_tab(browser, url) as tab:
        tab.ready()
        tab.page.click("#welcome [data-motion=walk]")
        tab.until_done(1)
        tab.page.click("#open-gallery")
        tab.page.click("#dialog [data-motion=wave]")
        tab.until_done(2)
        tab.until("aesopStudio.store.project.undo === 'film'")
        tab.page.click("#undo")
        tab.until(f"{SHOWN} === null")
        wave = tab.evaluate("aesopStudio.store.motionId")
        tab.page.reload()
        tab.ready()
        assert tab.evaluate("aesopStudio.store.motionId") == wave


def test_shaders_are_linked_before_anybody_is_there(browser: "Browser", url: str):
    """The first frames with a person and a camera find all that they need."""
    with open_tab(browser, url) as tab:
        tab.ready()
        tab.until("aesopStudio.shaders() > 5")  # once the mannequin has come
        linked = tab.evaluate("aesopStudio.shaders()")
        tab.page.click("#welcome [data-motion=walk]")
        tab.until_done(1)
        tab.until(f"aesopStudio.store.camera({SHOWN}) !== null")
        tab.evaluate("aesopStudio.frameTimes.length = 0")
        tab.until("aesopStudio.frameTimes.length > 2")
        assert tab.evaluate("aesopStudio.shaders()") == linked


def test_the_files_own_skeleton_stands_on_the_stage(browser: "Browser", url: str, tmp_path: Path):
    """Its bones for a BVH file; its mesh for a glTF file, without being asked."""
    write_glb(walking(53), tmp_path / "me.glb")
    with open_tab(browser, url) as tab:
        tab.ready()
        tab.drop("walk.bvh", bvh_text(walking(53)).encode())
        tab.until_done(1)
        assert tab.page.input_value("#body") == "mannequin"
        tab.page.click("#stage")
        tab.page.keyboard.press("m")
        tab.until("document.getElementById('body').value === 'own'")
        tab.evaluate("localStorage.removeItem('aesop-body')")
        tab.page.reload()
        tab.ready()
        tab.drop("me.glb", (tmp_path / "me.glb").read_bytes())
        tab.until("document.getElementById('body').value === 'own'")
        assert tab.evaluate("document.getElementById('body').options[1].text") == "Own character"
        assert not tab.mistakes and not elsewhere(tab, url)


def test_opening_a_motion_and_marking_a_part_are_undone(browser: "Browser", url: str):
    """Undone, the page is as empty as at first; redone, all is there."""
    with open_tab(browser, url) as tab:
        tab.ready()
        tab.page.click("#welcome [data-motion=walk]")
        tab.until_done(1)
        tab.evaluate("aesopStudio.player.isPlaying = false; aesopStudio.player.seek(1.2)")
        tab.page.click("#mark-in")
        tab.until("aesopStudio.store.project.undo === 'in and out'")
        tab.page.reload()
        tab.ready()
        tab.until("aesopStudio.player.start === 1.2")
        for label in ("in and out", "film", "open motion"):
            tab.until(f"aesopStudio.store.project.undo === '{label}'")
            tab.page.click("#undo")
            tab.until(f"aesopStudio.store.project.redo === '{label}'")
        tab.until("!document.getElementById('welcome').hidden")
        for label in ("open motion", "film", "in and out"):
            tab.until(f"aesopStudio.store.project.redo === '{label}'")
            tab.page.click("#redo")
            tab.until(f"aesopStudio.store.project.undo === '{label}'")
        tab.until(f"{SHOWN}?.facts && aesopStudio.player.start === 1.2")
        tab.page.click("#remove-motion")
        tab.until("!document.getElementById('welcome').hidden")
        assert not tab.mistakes


def test_a_person_from_words_is_told_what_was_asked_and_done(browser: "Browser", url: str):
    with open_tab(browser, url) as tab:
        tab.ready()
        tab.page.fill("#person", "a person walks")
        tab.until("document.querySelector('#person-chips').innerText === 'walk'")
        tab.page.fill("#person-seconds", "2")
        tab.page.click("#act")
        # Networks that have learnt nothing may make somebody whom no camera can follow.
        tab.until("aesopStudio.store.project.motions.length === 1")
        tab.until("document.querySelectorAll('#person-chips .good, #person-chips .bad').length")
        tab.page.click("#person-history")
        assert tab.page.locator(".menu button").first.inner_text() == "a person walks"
        assert not tab.mistakes


def test_eight_tabs_of_one_browser_hear_of_everything(browser: "Browser", url: str):
    """A browser opens six connections to a server; streams of news would keep them all."""
    with open_tab(browser, url, (480, 360)) as tab:
        tab.ready()
        pages = [tab.page.context.new_page() for _ in range(7)]
        for page in pages:
            page.set_viewport_size({"width": 480, "height": 360})
            page.goto(url)
        others = [Tab(page) for page in pages]
        for other in others:
            other.ready()
        tab.page.click("#welcome [data-motion=jump]")
        for one in (tab, *others):
            one.until_done(1)
        tab.page.close()  # whoever listened is gone: somebody else does
        others[0].evaluate(f"aesopStudio.store.change({SHOWN}, {{ starred: true }})")
        for other in others:
            other.until(f"{SHOWN}.starred")
