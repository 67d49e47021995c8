"""A studio with the tests' small cast, in a process of its own that can be killed.

    python -m tests.studio.living PROJECT CAST SECONDS [PORT]

Its films take so many seconds more than they need.
"""

import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from aesop.director.director import Director
from aesop.director.requests import FilmRequest
from aesop.scene.shot import Shot
from aesop.server.guards import Door
from aesop.server.serving import ServerPlace
from aesop.studio.studio_serving import run_studio
from tests.director.makers import director_of


class LateDirector(Director):
    """Takes its time."""

    seconds = 0.0

    def film_many(self, requests: Sequence[FilmRequest], *asked: Any, **named: Any) -> list[Shot]:
        time.sleep(self.seconds)
        return super().film_many(requests, *asked, **named)


def main() -> None:
    project, cast, seconds, *port = sys.argv[1:]

    def load() -> Director:
        late = LateDirector(director_of(Path(cast)).parts)
        late.seconds = float(seconds)
        return late

    def ready(door: Door) -> None:
        sys.stdout.write(f"{door.port}\n")
        sys.stdout.flush()

    run_studio(ServerPlace(port=int(*port), folder=Path(project)), load, ready)


if __name__ == "__main__":
    main()
