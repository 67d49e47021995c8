"""A study's server in a thread, with a clock that tests can move, and a browser's part without a
browser."""

import json
import socket
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from http.client import HTTPConnection
from pathlib import Path
from threading import Thread
from typing import Any

from aesop.server.guards import Door
from aesop.server.serving import listener
from aesop.study.gate import Gate
from aesop.study.record import StudyRecord
from aesop.study.study_folder import RECORD_FILE, read_study
from aesop.study.study_plan import criteria_names
from aesop.study.study_server import allowed_origins, study_application

WAIT_SECONDS = 60


class MovedClock:
    """Goes on only when it is told to."""

    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


@dataclass(frozen=True)
class Reply:
    """What came back."""

    status: int
    headers: Mapping[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        return json.loads(self.body)


@dataclass(frozen=True)
class StudyClient:
    """Asks one server of a study."""

    host: str
    port: int

    @property
    def url(self) -> str:
        return f"http://{self.host}:{self.port}"

    def ask(
        self,
        method: str,
        path: str,
        body: bytes | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> Reply:
        line = HTTPConnection(self.host, self.port, timeout=WAIT_SECONDS)
        try:
            line.request(method, path, body, dict(headers or {}))
            came = line.getresponse()
            return Reply(came.status, {k.lower(): v for k, v in came.getheaders()}, came.read())
        finally:
            line.close()

    def get(self, path: str) -> Reply:
        return self.ask("GET", path)

    def post(self, name: str, **values: Any) -> Reply:
        kind = {"content-type": "application/json"}
        return self.ask("POST", f"/api/{name}", json.dumps(values).encode(), kind)

    def watch(self, key: str, trial: int, seconds: float) -> Reply:
        """Claim that all of both videos was played."""
        whole = [[0.0, seconds]]
        return self.post("beat", key=key, trial=trial, left=whole, right=whole)

    def save(self, key: str, trial: int, task: Any, name: str, value: int | None = 1) -> Reply:
        responses = dict.fromkeys(criteria_names(task), value)
        return self.post(
            "save", key=key, trial=trial, id=name, responses=responses, window="1280x720"
        )


@contextmanager
def running_study(folder: Path, clock: Any = time.monotonic) -> Iterator[StudyClient]:
    """A server that ends with the block; its folder stays."""
    study = read_study(folder)
    record = StudyRecord(folder / RECORD_FILE, study)
    heard = socket.socket()
    heard.bind(("127.0.0.1", 0))
    door = Door("127.0.0.1", heard.getsockname()[1])
    origins = allowed_origins(door, "https://study.example.org/x")
    server = listener(study_application(study, record, folder, origins, Gate(clock)))
    thread = Thread(target=server.run, kwargs={"sockets": [heard]}, daemon=True)
    thread.start()
    try:
        while not server.started:
            assert thread.is_alive()
            time.sleep(0.01)
        yield StudyClient(door.host, door.port)
    finally:
        server.should_exit = True
        thread.join(WAIT_SECONDS)
        heard.close()
        record.close()
