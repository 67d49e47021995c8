"""Servers on free ports of this machine, in threads, and a client of them."""

import http.client
import json
import socket
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from threading import Thread
from typing import Any

from starlette.types import ASGIApp

from aesop.director.director import Director
from aesop.server.guards import Door
from aesop.server.server_folder import ServerFolder
from aesop.server.serving import Extend, application, listener

WAIT_SECONDS = 60


@dataclass(frozen=True)
class Answer:
    """What came back."""

    status: int
    headers: Mapping[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        return json.loads(self.body)

    @property
    def error(self) -> str:
        return self.json["error"]["text"]


@dataclass(frozen=True)
class Client:
    """Asks one server."""

    door: Door

    def ask(
        self,
        method: str,
        path: str,
        body: bytes | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> Answer:
        line = http.client.HTTPConnection(self.door.host, self.door.port, timeout=WAIT_SECONDS)
        try:
            line.request(method, path, body, dict(headers or {}))
            came = line.getresponse()
            return Answer(came.status, {k.lower(): v for k, v in came.getheaders()}, came.read())
        finally:
            line.close()

    def get(self, path: str) -> Answer:
        return self.ask("GET", path)

    def post(self, path: str, values: object) -> Answer:
        body = json.dumps(values).encode()
        return self.ask("POST", path, body, {"content-type": "application/json"})

    def upload(self, data: bytes, name: str = "walk.bvh", more: str = "") -> Answer:
        kind = {"content-type": "application/octet-stream"}
        return self.ask("POST", f"/motions?name={name}{more}", data, kind)

    def ended(self, job: str) -> dict[str, Any]:
        """A job once it has ended."""
        now, until = {}, time.monotonic() + WAIT_SECONDS
        while time.monotonic() < until:
            now = self.get(f"/jobs/{job}").json
            if now["state"] in ("done", "failed", "cancelled"):
                return now
            time.sleep(0.02)
        raise AssertionError(f"{job} did not end: {now}")

    def raw(self, data: bytes, seconds: float = 5.0) -> bytes:
        """Bytes as they are, and what comes back until the server hangs up or time is over."""
        with socket.create_connection((self.door.host, self.door.port), timeout=seconds) as line:
            line.sendall(data)
            return _until_the_end(line)


def _until_the_end(line: socket.socket) -> bytes:
    come = b""
    while True:
        try:
            piece = line.recv(65536)
        except ConnectionResetError:
            return come
        if not piece:
            return come
        come += piece


@contextmanager
def free_port() -> Iterator[socket.socket]:
    """A port of this machine that nobody else has, until the block ends."""
    heard = socket.socket()
    heard.bind(("127.0.0.1", 0))
    try:
        yield heard
    finally:
        heard.close()


@contextmanager
def answering(app: ASGIApp, heard: socket.socket) -> Iterator[None]:
    """An application that answers at a port until the block ends."""
    server = listener(app)
    thread = Thread(target=server.run, kwargs={"sockets": [heard]}, daemon=True)
    thread.start()
    try:
        while not server.started:
            assert thread.is_alive()
            time.sleep(0.01)
        yield
    finally:
        server.should_exit = True
        thread.join(WAIT_SECONDS)


@contextmanager
def running(
    folder: Path,
    director: Director,
    token: str | None = None,
    extend: Extend | None = None,
) -> Iterator[Client]:
    """A server that ends with the block; its folder stays."""
    with free_port() as heard:
        door = Door("127.0.0.1", heard.getsockname()[1], token)
        app = application(ServerFolder(folder), director, door, upload_mb=2, extend=extend)
        with answering(app, heard):
            yield Client(door)
