"""Talks to `aesop serve`, and starts it where the preferences say how. Nothing but the standard
library; no proxy is asked, because the server is on this machine or named by the user."""

import json
import os
import queue
import subprocess
import threading
import time
import urllib.error
import urllib.parse
import urllib.request
from typing import Any

ANSWER_SECONDS = 60
START_SECONDS = 120


class ServerError(Exception):
    """What the server refused, or that there is none; the text is for the user."""


class FilmClient:
    """One server."""

    def __init__(self, address: str, token: str = "") -> None:
        self.address, self._token = address.rstrip("/"), token
        self._open = urllib.request.build_opener(urllib.request.ProxyHandler({})).open

    def ask(
        self, method: str, path: str, body: bytes | None = None, kind: str | None = None
    ) -> bytes:
        headers = {"content-type": kind} if kind else {}
        if self._token:
            headers["authorization"] = f"Bearer {self._token}"
        try:
            request = urllib.request.Request(
                self.address + path, data=body, headers=headers, method=method
            )
            with self._open(request, timeout=ANSWER_SECONDS) as came:
                return came.read()
        except urllib.error.HTTPError as problem:
            raise ServerError(_told(problem)) from None
        except (OSError, ValueError) as problem:
            raise ServerError(
                f"No AESOP server answers at {self.address} ({problem}). Start one in the panel, "
                "or with: aesop serve"
            ) from None

    def json(self, method: str, path: str, values: object = None) -> Any:
        body = None if values is None else json.dumps(values).encode()
        return json.loads(self.ask(method, path, body, "application/json" if body else None))

    def upload(self, name: str, text: str) -> str:
        """A motion as BVH with z up; its id."""
        query = urllib.parse.urlencode({"name": f"{name}.bvh", "up": "z"})
        data, kind = text.encode(), "application/octet-stream"
        return json.loads(self.ask("POST", f"/motions?{query}", data, kind))["id"]

    def film(self, asked: dict[str, Any]) -> str:
        """Begins a job; its id."""
        return self.json("POST", "/film", asked)["id"]

    def job(self, job: str) -> dict[str, Any]:
        return self.json("GET", f"/jobs/{job}")

    def cancel(self, job: str) -> dict[str, Any]:
        return self.json("POST", f"/jobs/{job}/cancel", {})

    def wait(self, job: str) -> dict[str, Any]:
        """The job once it is done; raises what it failed with."""
        while True:
            now = self.job(job)
            if now["state"] == "done":
                return now
            if now["state"] == "failed":
                raise ServerError(now["error"]["text"])
            if now["state"] == "cancelled":
                raise ServerError("The film was cancelled.")
            time.sleep(0.1)

    def camera(self, job: str, number: int) -> dict[str, Any]:
        """The camera of one answer, frame by frame, in the world that was uploaded."""
        return self.json("GET", f"/jobs/{job}/{number}.json")


def _told(problem: urllib.error.HTTPError) -> str:
    try:
        return json.loads(problem.read())["error"]["text"]
    except (ValueError, KeyError, TypeError):
        return f"The server answered {problem.code}."


class OwnServer:
    """A server that this Blender started; it ends with Blender."""

    def __init__(self) -> None:
        self._process: subprocess.Popen[str] | None = None
        self.address = ""

    @property
    def runs(self) -> bool:
        return self._process is not None and self._process.poll() is None

    def start(self, command: str) -> str:
        """Start `aesop serve` on a free port, and wait until it answers."""
        if self.runs:
            return self.address
        hidden = {"creationflags": subprocess.CREATE_NO_WINDOW} if os.name == "nt" else {}
        # Blender's own Python must not leak into another one.
        clean = {name: it for name, it in os.environ.items() if not name.startswith("PYTHON")}
        try:
            self._process = subprocess.Popen(
                [command, "serve", "--port", "0"],
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                stdin=subprocess.DEVNULL,
                encoding="utf-8",
                env=clean,
                **hidden,
            )
        except OSError as problem:
            raise ServerError(
                f"{command} cannot be started ({problem}). Name the aesop command in the "
                "preferences of this extension."
            ) from None
        self.address = self._first_line().strip()
        if not self.address.startswith("http"):
            self.stop()
            raise ServerError(f"{command} serve ended at once. Try it in a terminal.")
        return self.address

    def _first_line(self) -> str:
        lines: queue.Queue[str] = queue.Queue()
        out = self._process.stdout
        threading.Thread(target=lambda: lines.put(out.readline()), daemon=True).start()
        try:
            return lines.get(timeout=START_SECONDS)
        except queue.Empty:
            return ""

    def stop(self) -> None:
        if self.runs:
            self._process.terminate()
            try:
                self._process.wait(10)
            except subprocess.TimeoutExpired:
                self._process.kill()
        self._process, self.address = None, ""
