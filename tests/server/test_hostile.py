"""What strangers send: refused with a fact and a remedy, or cut off in time."""

import socket
import time
from pathlib import Path

import pytest

from aesop.director.director import Director
from aesop.server import guards, serving
from aesop.server.guards import Door
from hostile_requests import hostile_requests
from tests.director.makers import PUSH_IN
from tests.server.running import WAIT_SECONDS, Client, running


@pytest.fixture(scope="module")
def job(client: Client, motion: str) -> str:
    job = client.post("/film", {"motion": motion, "words": PUSH_IN}).json["id"]
    client.ended(job)
    return job


def test_two_hundred_hostile_requests_are_refused(client: Client, motion: str, job: str):
    wrong = {}
    asked = hostile_requests(motion, job, upload_mb=2)
    assert len(asked) >= 200
    for request in asked:
        came = client.ask(request.method, request.path, request.body, request.headers)
        refused = came.status in request.statuses
        if not refused or not came.json["error"]["fact"] or not came.json["error"]["remedy"]:
            wrong[request.name] = (came.status, came.body[:200])
        assert b"served" not in came.body, f"{request.name} shows a path of the server"
    assert not wrong
    assert client.get("/health").json["waiting"] == 0
    assert client.get(f"/motions/{motion}").json["frames"] == 53


def test_every_answer_carries_safe_headers(client: Client):
    for path in ("/", "/health", "/openapi.json", "/nowhere", "/style.css"):
        headers = client.get(path).headers
        assert set(guards.SAFE_HEADERS) <= set(headers), path
        assert "default-src 'none'" in headers["content-security-policy"]


def test_the_page_needs_nothing_from_elsewhere(client: Client):
    page, document = client.get("/").body.decode(), client.get("/openapi.json").json
    assert "<script" not in page
    addresses = {word for word in page.split('"') if word.startswith(("http", "//"))}
    assert not addresses
    for path in document["paths"]:
        assert f"<code>{path}</code>" in page
    schemas = document["components"]["schemas"]
    assert {"Film", "Shoot", "Act", "Sweep", "Mistake"} == set(schemas)


def test_with_a_token_nobody_is_let_in_without(director: Director, tmp_path: Path):
    with running(tmp_path, director, token="swordfish") as client:
        assert client.get("/health").status == 401
        assert client.ask("GET", "/health", None, {"authorization": "Bearer x"}).status == 401
        right = {"authorization": "Bearer swordfish"}
        assert client.ask("GET", "/health", None, right).status == 200
        other = {**right, "host": "studio.example:8765"}
        assert client.ask("GET", "/health", None, other).status == 200
        assert client.ask("GET", "/health", None, {**other, "origin": "http://a"}).status == 403


@pytest.mark.parametrize(
    ("host", "is_here"),
    [("127.0.0.1", True), ("::1", True), ("localhost", True), ("127.8.3.2", True),
     ("0.0.0.0", False), ("::", False), ("192.168.1.7", False), ("studio", False)],
)  # fmt: skip
def test_only_this_machine_goes_without_a_token(host: str, is_here: bool):
    assert Door(host, 1).is_loopback == is_here


def test_who_does_not_say_what_they_want_is_cut_off(
    client: Client, monkeypatch: pytest.MonkeyPatch
):
    def wait_for_heads(seconds: float) -> None:
        monkeypatch.setattr(serving, "HEAD_SECONDS", seconds)

    # Nobody else cuts them: without the rule these reads end with a timeout of their own.
    wait_for_heads(0.3)
    assert client.raw(b"", WAIT_SECONDS) == b""
    assert client.raw(b"GET /health HTTP/1.1\r\nHost: a", WAIT_SECONDS) == b""
    wait_for_heads(WAIT_SECONDS)  # a whole request is answered, however busy the machine is
    place = (client.door.host, client.door.port)
    head = f"GET /health HTTP/1.1\r\nHost: {place[0]}:{place[1]}\r\n\r\n".encode()
    with socket.create_connection(place, timeout=WAIT_SECONDS) as line:
        line.sendall(head)
        assert line.recv(4096).startswith(b"HTTP/1.1 200")
        time.sleep(0.1)  # what comes before the answer has left is under the rule of idle ones
        wait_for_heads(0.3)
        line.sendall(head[:20])  # the second request on a connection that was kept open
        while line.recv(4096):
            pass
    wait_for_heads(WAIT_SECONDS)
    assert client.get("/health").status == 200


def test_a_body_that_never_ends_is_refused(client: Client, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(guards, "BODY_SECONDS", 0.3)
    host = f"Host: {client.door.host}:{client.door.port}\r\n"
    kind = "Content-Type: application/octet-stream\r\nContent-Length: 1000\r\n\r\n"
    head = f"POST /motions?name=a.bvh HTTP/1.1\r\n{host}{kind}"
    assert client.raw(head.encode() + b"HIER").startswith(b"HTTP/1.1 408")
    assert client.get("/health").status == 200


@pytest.mark.parametrize(
    "data",
    [
        b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" * 9,
        b"GET /health HTTP/1.1\r\n" + b"X: " + b"a" * 70000 + b"\r\n\r\n",
        b"GET /health HTTP/9.9\r\n\r\n",
        b"GET /health HTTP/1.1\r\n\r\n",
        b"POST /film HTTP/1.1\r\nHost: a\r\nContent-Length: -1\r\n\r\n",
        b"POST /film HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\nZZ\r\n",
        b"\r\n" * 40 + b"\x00" * 4000,
    ],
)
def test_what_is_no_http_is_refused(client: Client, data: bytes):
    came = client.raw(data)
    assert came[9:12] in (b"", b"400", b"403", b"431"), came[:100]
    assert client.get("/health").status == 200
