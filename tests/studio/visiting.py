"""Somebody at the page, without a browser: asks what the page asks."""

import time
from dataclasses import dataclass
from typing import Any

import numpy as np

from aesop.studio.stage_arrays import unpacked
from tests.director.makers import PUSH_IN
from tests.server.running import WAIT_SECONDS, Client


@dataclass(frozen=True)
class Visitor:
    """One tab, with a motion in it."""

    client: Client
    motion: str

    @property
    def project(self) -> dict[str, Any]:
        return self.client.get("/studio/project").json

    def take(self, name: str) -> dict[str, Any]:
        return next(take for take in self.project["takes"] if take["id"] == name)

    @property
    def strip(self) -> list[str]:
        """The takes that the page shows."""
        return [take["id"] for take in self.project["takes"] if not take["removed"]]

    def ask(self, **more: Any) -> list[str]:
        """Takes of a film that was asked for; they need not be there yet."""
        asked = {"motion": self.motion, "words": PUSH_IN, "method": "model", **more}
        came = self.client.post("/studio/takes", asked)
        assert came.status == 202, came.body
        return [take["id"] for take in came.json["takes"]]

    def film(self, **more: Any) -> dict[str, Any]:
        """A take that is there."""
        return self.filmed(self.ask(**more)[0])

    def filmed(self, name: str) -> dict[str, Any]:
        self.until(lambda: self.take(name)["state"] != "waiting")
        return self.take(name)

    def change(self, take: str, /, **values: Any) -> dict[str, Any]:
        came = self.client.post(f"/studio/takes/{take}", values)
        assert came.status == 200, came.body
        return came.json

    def arrays(self, path: str) -> tuple[dict[str, Any], dict[str, np.ndarray]]:
        came = self.client.get(path)
        assert came.status == 200, came.body
        return unpacked(came.body)

    def until(self, is_so: Any) -> None:
        end = time.monotonic() + WAIT_SECONDS
        while not is_so():
            assert time.monotonic() < end, "it never came to be"
            time.sleep(0.02)
