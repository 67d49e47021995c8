"""The page in a real browser: a whole sitting, and everything that browsers do to pages."""

import re
import shutil
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from aesop.study.record import StudyRecord, Vote
from aesop.study.study_folder import RECORD_FILE, read_study
from tests.study.makers import SECONDS
from tests.study.running import StudyClient, running_study

sync_api = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
CHROMIUM = next(filter(None, map(shutil.which, NAMES)), None)
pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="there is no Chromium on this machine")
TRIALS = 5
WAIT_SECONDS = 240  # on a machine that others use, too


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with sync_api.sync_playwright() as playwright:
        launched = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield launched
        launched.close()


@pytest.fixture
def client(folder: Path) -> Iterator[StudyClient]:
    with running_study(folder) as client:
        yield client


@pytest.fixture
def page(browser: Any, client: StudyClient) -> Iterator[Any]:
    context = browser.new_context(viewport={"width": 1280, "height": 900})
    context.set_default_timeout(1000 * WAIT_SECONDS)
    opened = context.new_page()
    mistakes: list[str] = []
    elsewhere: list[str] = []
    opened.on("pageerror", lambda problem: mistakes.append(str(problem)))
    own = re.compile(rf"(blob:)?{client.door.url}/")
    opened.on(
        "request", lambda asked: None if own.match(asked.url) else elsewhere.append(asked.url)
    )
    opened.goto(client.door.url)
    # Loaded is not shown: the page asks the server before it shows anything.
    opened.wait_for_selector("#consent:visible")
    yield opened
    context.close()
    assert not mistakes and not elsewhere


def votes_in(folder: Path) -> tuple[Vote, ...]:
    record = StudyRecord(folder / RECORD_FILE, read_study(folder))
    try:
        return record.votes()
    finally:
        record.close()


def begin(page: Any) -> None:
    """Agree, and see the example to its end, all by clicks."""
    assert page.locator("#begin").is_disabled()
    page.check("#agree")
    page.click("#begin")
    page.click("#to-example")
    watch(page)
    for row in range(2):
        page.locator("fieldset").nth(row).locator("label").nth(0).click()
    page.click("#save:enabled")
    page.wait_for_selector(f"#place:text-is('1 of {TRIALS}')")


def watch(page: Any) -> None:
    """Play both to their end, and again where a busy machine left holes in what was played."""
    page.wait_for_selector("#play:enabled")
    for _ in range(5):
        page.keyboard.press(" ")
        page.wait_for_selector("#watched.enough, #play:text-is('Play again')")
        # Beats tell the server: the last one may still be on its way.
        try:
            return page.wait_for_selector("#watched.enough", timeout=1000 * SECONDS)
        except sync_api.TimeoutError:
            continue
    page.wait_for_selector("#watched.enough")


def answer(page: Any, keys: str = "123450") -> None:
    for key in keys[: page.locator("fieldset").count()]:
        page.keyboard.press(key)


def next_place(page: Any, number: int) -> None:
    if number == TRIALS:
        page.wait_for_selector("#thanks:visible")
    else:
        page.wait_for_selector(f"#place:text-is('{number + 1} of {TRIALS}')")


def test_a_whole_sitting(page: Any, folder: Path):
    assert page.is_visible("#consent") and "A study" in page.inner_text("h1")
    begin(page)
    for number in range(1, TRIALS + 1):
        assert page.locator("#save").is_disabled()
        watch(page)
        answer(page)
        page.keyboard.press("Enter")
        next_place(page, number)
    assert "participant 1" in page.inner_text("#thanks")
    votes = votes_in(folder)
    assert len({it.answer for it in votes}) == TRIALS
    for vote in votes:
        said = {"camera_text": -2, "camera_motion": -1, "framing": 0}.get(vote.criterion)
        assert said is None or vote.value == said
    assert {it.value for it in votes if it.task == "shoot" and it.criterion == "overall"} == {None}
    assert all(it.left_played >= 0.9 and it.right_played >= 0.9 for it in votes)
    page.reload()
    page.wait_for_selector("#thanks:visible")


def test_both_videos_run_together(page: Any):
    begin(page)
    page.wait_for_selector("#play:enabled")
    page.keyboard.press(" ")
    until = time.monotonic() + WAIT_SECONDS
    times = (0.0, 0.0)
    while min(times) < 0.2 and time.monotonic() < until:
        times = page.evaluate("[left.currentTime, right.currentTime]")  # both at one instant
    assert min(times) >= 0.2 and abs(times[0] - times[1]) < 0.8  # what is further apart jumps
    page.keyboard.press(" ")
    assert page.eval_on_selector("#left", "video => video.paused")
    assert page.eval_on_selector("#right", "video => video.paused")


def test_seeking_does_not_pass_the_gate(page: Any):
    begin(page)
    page.wait_for_selector("#play:enabled")
    for video in ("#left", "#right"):
        page.eval_on_selector(video, "video => { video.currentTime = video.duration - 0.1; }")
    page.keyboard.press(" ")
    time.sleep(1.5)
    assert page.locator("#watched.enough").count() == 0
    answer(page)
    assert page.locator("#save").is_disabled() and "Watch" in page.inner_text("#why")


def test_playing_fast_takes_as_long(page: Any):
    """The browser says that all was played; the server waits for real time."""
    begin(page)
    watch(page)
    answer(page)
    begun_at = time.monotonic()
    page.keyboard.press("Enter")
    next_place(page, 1)
    page.wait_for_selector("#play:enabled")
    for video in ("#left", "#right"):
        page.eval_on_selector(video, "video => { video.playbackRate = 8; video.play(); }")
    page.wait_for_selector("#watched.enough")
    assert time.monotonic() - begun_at > 0.9 * SECONDS


def test_a_forged_request_from_the_page_is_refused(page: Any, folder: Path):
    begin(page)
    forged = """async () => {
        const key = location.hash.slice(1), whole = [[0, 99]];
        const post = (name, body) => fetch("/api/" + name, {method: "POST",
            headers: {"content-type": "application/json"}, body: JSON.stringify({key, ...body})});
        await post("beat", {trial: 0, left: whole, right: whole});
        const names = ["camera_text", "camera_motion", "framing", "overall"];
        const responses = Object.fromEntries(names.map((name) => [name, 2]));
        const saved = await post("save", {trial: 0, id: "f".repeat(32), responses, window: "1x1"});
        return saved.status;
    }"""
    state = page.evaluate("document.getElementById('place').textContent")
    if page.locator("fieldset").count() != 4:
        forged = forged.replace('"framing"', '"framing", "human_text", "human_motion"')
    assert state == f"1 of {TRIALS}" and page.evaluate(forged) == 409
    assert votes_in(folder) == ()


def test_a_reload_and_the_back_button_lose_nothing(page: Any, client: StudyClient, folder: Path):
    begin(page)
    watch(page)
    answer(page)
    page.keyboard.press("Enter")
    next_place(page, 1)
    watch(page)
    page.keyboard.press("2")
    page.reload()
    # What was watched is the server's to know, what was said so far the page's.
    page.wait_for_selector("#watched.enough")
    assert page.locator("fieldset").nth(0).locator("input").nth(1).is_checked()
    link = page.url
    page.goto("about:blank")
    page.go_back()
    page.wait_for_selector(f"#place:text-is('2 of {TRIALS}')")
    answer(page)
    page.keyboard.press("Enter")
    next_place(page, 2)
    page.go_back()
    page.goto(link)
    page.wait_for_selector(f"#place:text-is('3 of {TRIALS}')")
    assert len({it.answer for it in votes_in(folder)}) == 2


def test_two_tabs_cannot_answer_twice(page: Any, folder: Path):
    begin(page)
    other = page.context.new_page()
    other.goto(page.url)
    other.wait_for_selector("#play:enabled")
    for tab in (page, other):
        tab.bring_to_front()
        watch(tab)
    for tab, keys in ((page, "111111"), (other, "555555")):
        tab.bring_to_front()
        answer(tab, keys)
        tab.keyboard.press("Enter")
    other.wait_for_selector("#pause:visible")
    assert "another window" in other.inner_text("#pause")
    other.click("#go-on")
    other.wait_for_selector(f"#place:text-is('2 of {TRIALS}')")
    votes = votes_in(folder)
    assert len({it.answer for it in votes}) == 1 and {it.value for it in votes} == {-2}


@pytest.mark.parametrize("is_heard", [False, True])
def test_a_connection_lost_while_saving_costs_nothing(is_heard: bool, page: Any, folder: Path):
    """Once the question gets lost, once the answer to it."""
    begin(page)
    watch(page)
    lost: list[int] = []

    def lose(route: Any) -> None:
        if len(lost) < 2:
            lost.append(1)
            if is_heard:
                route.fetch()
            route.abort()
        else:
            route.continue_()

    page.route("**/api/save", lose)
    answer(page)
    page.keyboard.press("Enter")
    page.wait_for_selector("#lost:visible")
    next_place(page, 1)
    assert page.is_hidden("#lost") and len(lost) == 2
    assert len({it.answer for it in votes_in(folder)}) == 1


def test_a_wrong_link_says_so(page: Any, client: StudyClient):
    page.goto(f"{client.door.url}/#{32 * 'e'}")
    page.wait_for_selector("#failed:visible")
    assert "no participant" in page.inner_text("#failed")
