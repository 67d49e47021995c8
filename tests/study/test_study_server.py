"""The server of a study: what it tells, whom it believes, and what it refuses."""

import json
import re
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from aesop.core.claims import claim_piece
from aesop.study.record import StudyRecord
from aesop.study.study_folder import RECORD_FILE, STUDY_FILE, VIDEOS, Study, read_study, write_study
from aesop.study.study_plan import StudyError
from aesop.study.study_server import StudyPlace, serve_study
from tests.server.running import Answer
from tests.study.makers import SECONDS, small_plan
from tests.study.running import MovedClock, StudyClient, running_study

KEY, OTHER = 32 * "1", 32 * "2"
JSON = {"content-type": "application/json"}


@pytest.fixture
def clock() -> MovedClock:
    return MovedClock()


@pytest.fixture
def client(folder: Path, clock: MovedClock) -> Iterator[StudyClient]:
    with running_study(folder, clock) as client:
        yield client


@pytest.fixture
def study(folder: Path) -> Study:
    return read_study(folder)


def name_of(number: int) -> str:
    return f"{number:032x}"


def begun(client: StudyClient, key: str = KEY) -> dict[str, Any]:
    reply = client.tell("begin", key=key, agreed=True)
    assert reply.status == 200
    return reply.json


def sit_through(client: StudyClient, clock: MovedClock, key: str) -> list[Answer]:
    """A whole questionnaire; everything that was answered."""
    heard = [client.tell("begin", key=key, agreed=True)]
    while (trial := client.tell("state", key=key).json["next"]) is not None:
        opened = client.tell("open", key=key, trial=trial)
        heard += [opened, *watched(client, clock, key, trial, opened.json["seconds"])]
        name = name_of(int(key[0]) * 1000 + trial)
        heard.append(client.save(key, trial, opened.json["task"], name))
        assert heard[-1].status == 200, heard[-1].body
    return [*heard, client.tell("state", key=key)]


def watched(
    client: StudyClient, clock: MovedClock, key: str, trial: int, seconds: float
) -> list[Answer]:
    """Time goes by, half a second after the other."""
    heard: list[Answer] = []
    while seconds > 0:
        clock.now += min(seconds, 0.5)
        seconds -= 0.5
        heard.append(client.watch(key, trial, SECONDS))
    return heard


def test_a_whole_sitting(client: StudyClient, clock: MovedClock, study: Study, folder: Path):
    heard = sit_through(client, clock, KEY)
    assert heard[-1].json == {"participant": 1, "answered": 5, "trials": 5, "next": None}
    votes = StudyRecord(folder / RECORD_FILE, study).votes()
    assert len({it.trial for it in votes}) == 5
    sheet = study.sheets[0]
    for vote in votes:
        assert (vote.left_method, vote.right_method) == (
            sheet[vote.trial].left,
            sheet[vote.trial].right,
        )
        assert vote.left_played >= 0.9 and vote.value == 1


def test_no_answer_of_the_server_names_a_method(
    client: StudyClient, clock: MovedClock, study: Study
):
    heard = sit_through(client, clock, KEY)
    heard += [client.get(path) for path in ("/", "/study.js", "/study.css", "/api/study")]
    tokens = {video.token: video for video in study.videos}
    shown = re.findall(rb'"(?:left|right)":"([0-9a-f]{32})"', b"".join(it.body for it in heard))
    assert len(shown) == 10 and all(token.decode() in tokens for token in shown)
    assert all(re.fullmatch("[0-9a-f]{32}", token) for token in tokens)
    for reply in heard:
        text = reply.body + json.dumps(dict(reply.headers)).encode()
        for secret in (b"ccd", b'mar"', b"aesop"):
            assert secret not in text.lower()


def test_videos_come_with_headers_that_tell_nothing(client: StudyClient, study: Study):
    replies = [client.get(f"/videos/{it.token}.mp4") for it in study.videos[:5]]
    assert all(it.status == 200 and it.headers["content-type"] == "video/mp4" for it in replies)
    headers = [
        {k: v for k, v in it.headers.items() if k not in ("date", "etag", "content-length")}
        for it in replies
    ]
    assert all(it == headers[0] for it in headers)
    part = client.ask("GET", f"/videos/{study.videos[0].token}.mp4", headers={"range": "bytes=5-8"})
    assert part.status == 206 and len(part.body) == 4


@pytest.mark.parametrize(
    "path",
    ["/study.json", "/videos/../study.json", "/videos/%2e%2e%2fstudy.json", "/record.sqlite",
     "/videos/", "/videos/aaaa.mp4", f"/videos/{32 * '0'}.mp4", "/api/votes", "/balance.md"],
)  # fmt: skip
def test_nothing_else_can_be_fetched(path: str, client: StudyClient):
    reply = client.get(path)
    assert reply.status == 404 and b"aesop" not in reply.body


def test_the_page_asks_nobody_else(client: StudyClient):
    page = client.get("/")
    policy = page.headers["content-security-policy"]
    assert "default-src 'none'" in policy and "script-src 'self'" in policy
    assert "unsafe" not in policy and "http" not in policy
    texts = [client.get(path).body.decode() for path in ("/", "/study.js", "/study.css")]
    for text in texts:
        assert not re.search(r"https?://|//\w+\.|@import|url\(", text)
    assert page.headers["referrer-policy"] == "no-referrer"


def test_saving_needs_both_videos(client: StudyClient, clock: MovedClock):
    begun(client)
    task = client.tell("open", key=KEY, trial=0).json["task"]
    half = [[0.0, SECONDS / 2]]
    for _ in range(9):
        clock.now += 0.5
        client.tell("beat", key=KEY, trial=0, left=[[0, SECONDS]], right=half)
    refused = client.save(KEY, 0, task, name_of(1))
    assert refused.status == 409 and "100% and 50%" in refused.json["error"]["text"]
    assert client.tell("state", key=KEY).json["answered"] == 0
    watched(client, clock, KEY, 0, SECONDS)
    assert client.save(KEY, 0, task, name_of(1)).status == 200


def test_a_forged_request_waits_as_long_as_everybody(client: StudyClient, clock: MovedClock):
    """Beats that claim everything at once, from as many tabs as you like."""
    begun(client)
    assert client.save(KEY, 0, "film", name_of(1)).status == 409  # never opened
    task = client.tell("open", key=KEY, trial=0).json["task"]
    steps, now = 0, clock.now
    while client.save(KEY, 0, task, name_of(1)).status != 200:
        clock.now += 0.05
        for _ in range(3):
            client.watch(KEY, 0, SECONDS)
        steps += 1
        assert steps < 100
    assert clock.now - now >= 0.9 * SECONDS
    # The next trial begins with nothing, however long ago the first was.
    clock.now += 3600
    client.tell("open", key=KEY, trial=1)
    assert client.watch(KEY, 1, SECONDS).json["left"] == 0


def test_trials_come_in_their_order(client: StudyClient):
    begun(client)
    for name in ("open", "beat"):
        more = {"left": [], "right": []} if name == "beat" else {}
        assert client.tell(name, key=KEY, trial=1, **more).status == 409
    assert client.save(KEY, 2, "film", name_of(1)).status in (400, 409)


def test_two_tabs_save_one_answer(
    client: StudyClient, clock: MovedClock, study: Study, folder: Path
):
    begun(client)
    task = client.tell("open", key=KEY, trial=0).json["task"]
    watched(client, clock, KEY, 0, SECONDS)
    assert client.save(KEY, 0, task, name_of(1), 2).status == 200
    assert client.save(KEY, 0, task, name_of(1), 2).status == 200  # sent again: the same
    second = client.save(KEY, 0, task, name_of(2), -2)
    assert second.status == 409 and second.json["error"]["isAnswered"]
    assert client.watch(KEY, 0, SECONDS).json["error"]["isAnswered"]
    votes = StudyRecord(folder / RECORD_FILE, study).votes()
    assert {it.answer for it in votes} == {name_of(1)} and {it.value for it in votes} == {2}


def test_a_restarted_server_remembers_what_was_watched(folder: Path, clock: MovedClock):
    with running_study(folder, clock) as client:
        begun(client)
        task = client.tell("open", key=KEY, trial=0).json["task"]
        watched(client, clock, KEY, 0, 0.8 * SECONDS)
    clock.now = 0.0  # another process, another clock
    with running_study(folder, clock) as client:
        assert client.watch(KEY, 0, SECONDS).json["left"] == pytest.approx(0.8)
        clock.now += 0.2 * SECONDS
        assert client.watch(KEY, 0, SECONDS).json["isEnough"]
        assert client.save(KEY, 0, task, name_of(1)).status == 200


@pytest.mark.parametrize(
    ("change", "status"),
    [
        ({"key": "short"}, 400),
        ({"key": 7}, 400),
        ({"key": OTHER}, 404),
        ({"trial": 99}, 400),
        ({"trial": True}, 400),
        ({"trial": "0"}, 400),
        ({"id": "x"}, 400),
        ({"responses": {}}, 400),
        ({"responses": {"overall": 1}}, 400),
        ({"responses": "all"}, 400),
        ({"window": "<script>"}, 400),
    ],
)
def test_what_makes_no_sense_is_refused(change: dict[str, Any], status: int, client: StudyClient):
    begun(client)
    asked = {"key": KEY, "trial": 0, "id": name_of(1), "responses": {}, "window": "1x1"}
    assert client.tell("save", **asked | change).status == status


@pytest.mark.parametrize("value", [3, -3, 0.5, True, "1", [1]])
def test_answers_stay_on_the_scale(value: Any, client: StudyClient):
    begun(client)
    task = client.tell("open", key=KEY, trial=0).json["task"]
    reply = client.save(KEY, 0, task, name_of(1), value)
    assert reply.status == 400 and "scale" in reply.json["error"]["text"]


@pytest.mark.parametrize(
    "told", [None, 3, [[1]], [[0, "x"]], [["nan", 1]], [[0, 1e12]], [[0, 1]] * 999]
)
def test_beats_that_make_no_sense_are_refused(told: Any, client: StudyClient):
    begun(client)
    client.tell("open", key=KEY, trial=0)
    assert client.tell("beat", key=KEY, trial=0, left=told, right=[]).status == 400


def test_strange_bodies_and_sites_are_refused(client: StudyClient):
    def post(body: bytes, **headers: str) -> int:
        more = {name.replace("_", "-"): value for name, value in headers.items()}
        return client.ask("POST", "/api/state", body, JSON | more).status

    body = json.dumps({"key": KEY}).encode()
    assert post(body) == 404
    assert post(b"[]") == 400 and post(b"{") == 400 and post(b'{"key":1,"key":2}') == 400
    assert post(body + b" " * 70_000) == 413
    assert post(body, content_type="text/plain") == 415
    assert post(body, origin="https://elsewhere.org") == 403
    assert post(body, sec_fetch_site="cross-site") == 403
    assert post(body, origin="https://study.example.org", host="study.example.org") == 404
    assert client.ask("GET", "/", headers={"host": "elsewhere.org"}).status == 403
    assert client.ask("GET", "/", headers={"sec-fetch-site": "cross-site"}).status == 200


def test_nobody_begins_without_agreeing(client: StudyClient):
    assert client.tell("begin", key=KEY).status == 403
    assert client.tell("begin", key=KEY, agreed="yes").status == 403
    assert begun(client) == begun(client)
    assert begun(client, OTHER)["participant"] == 2


def test_the_record_knows_no_address(client: StudyClient, clock: MovedClock, folder: Path):
    sit_through(client, clock, KEY)
    kept = b"".join(it.read_bytes() for it in folder.iterdir() if it.is_file())
    assert b"127.0.0.1" not in kept and KEY.encode() not in kept


@pytest.mark.parametrize("change", ["videos", "simulated", "host", "url", "busy"])
def test_what_cannot_be_served_is_refused(change: str, folder: Path):
    place = StudyPlace(port=0)
    match change:
        case "videos":
            shutil.rmtree(folder / VIDEOS)
        case "simulated":
            from aesop.study.study_folder import study_without_videos

            (folder / STUDY_FILE).unlink()
            write_study(study_without_videos(small_plan()), folder)
        case "host":
            place = StudyPlace("0.0.0.0", 0)
        case "url":
            place = StudyPlace(port=0, public_url="study.example.org")
        case _:
            assert claim_piece(folder / "serving") is not None
    with pytest.raises(StudyError) as refusal:
        serve_study(folder, place, lambda _: None)
    assert refusal.value.remedy
