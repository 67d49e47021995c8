"""A study's server in a thread, with a clock that tests can move, and a browser's part without a
browser."""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from aesop.server.guards import Door
from aesop.study.gate import Gate
from aesop.study.record import StudyRecord
from aesop.study.study_folder import RECORD_FILE, read_study
from aesop.study.study_plan import criteria_names
from aesop.study.study_server import allowed_origins, study_application
from tests.server.running import Answer, Client, answering, free_port


class MovedClock:
    """Goes on only when it is told to."""

    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


class StudyClient(Client):
    """Asks one server of a study."""

    def tell(self, name: str, **values: Any) -> Answer:
        return self.post(f"/api/{name}", values)

    def watch(self, key: str, trial: int, seconds: float) -> Answer:
        """Claim that all of both videos was played."""
        whole = [[0.0, seconds]]
        return self.tell("beat", key=key, trial=trial, left=whole, right=whole)

    def save(self, key: str, trial: int, task: Any, name: str, value: int | None = 1) -> Answer:
        responses = dict.fromkeys(criteria_names(task), value)
        return self.tell(
            "save", key=key, trial=trial, id=name, responses=responses, window="1280x720"
        )


@contextmanager
def running_study(folder: Path, clock: Any = time.monotonic) -> Iterator[StudyClient]:
    """A server that ends with the block; its folder stays."""
    study = read_study(folder)
    record = StudyRecord(folder / RECORD_FILE, study)
    try:
        with free_port() as heard:
            door = Door("127.0.0.1", heard.getsockname()[1])
            origins = allowed_origins(door, "https://study.example.org/x")
            app = study_application(study, record, folder, origins, Gate(clock))
            with answering(app, heard):
                yield StudyClient(door)
    finally:
        record.close()
