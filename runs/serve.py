"""`aesop serve` under load, under attack, and killed: what it answers, and in how much memory.

    python runs/serve.py [--clients 64] [--films 4]

Starts a real server on a folder; every client uploads a motion, has it filmed, and fetches the
camera. Then hostile requests, slow ones among them; then the server is killed in the middle of its
queue and started again. Writes results/runs/serve.json.
"""

import argparse
import http.client
import json
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np

from aesop.core.machine import code_state, processor_name
from aesop.fables.synthetic import synthetic_motion
from aesop.files.bvh_clip import bvh_text
from hostile_requests import hostile_requests

ROOT = Path(__file__).resolve().parents[1]
RESULT = ROOT / "results" / "runs" / "serve.json"
WORDS = ("the camera pushes in", "the camera trucks left", "the camera arcs around the person")
UPLOAD_MB, SLOW = 64, 32


class Server:
    """A real `aesop serve`, and questions to it."""

    def __init__(self, folder: Path) -> None:
        command = [sys.executable, "-m", "aesop", "serve", "--port", "0", "--folder", str(folder)]
        self.process = subprocess.Popen(
            command, stdout=subprocess.PIPE, text=True, encoding="utf-8"
        )
        assert self.process.stdout is not None
        self.host, self.port = "127.0.0.1", int(self.process.stdout.readline().rsplit(":", 1)[1])

    def ask(
        self, method: str, path: str, body: bytes = b"", headers: dict[str, str] | None = None
    ) -> tuple[int, bytes]:
        line = http.client.HTTPConnection(self.host, self.port, timeout=600)
        try:
            line.request(method, path, body, headers or {})
            came = line.getresponse()
            return came.status, came.read()
        finally:
            line.close()

    def json(self, method: str, path: str, values: object = None) -> Any:
        headers = {"content-type": "application/json"}
        body = b"" if values is None else json.dumps(values).encode()
        status, came = self.ask(method, path, body, headers)
        assert status < 300, (status, came)
        return json.loads(came)

    def upload(self, data: bytes) -> str:
        kind = {"content-type": "application/octet-stream"}
        status, came = self.ask("POST", "/motions?name=walk.bvh", data, kind)
        assert status == 201, came
        return json.loads(came)["id"]

    def wait(self, job: str) -> dict[str, Any]:
        while (now := self.json("GET", f"/jobs/{job}"))["state"] in ("waiting", "running"):
            time.sleep(0.2)
        return now

    @property
    def memory_mb(self) -> int | None:
        """What the system says the server has; None where it does not say."""
        path = Path(f"/proc/{self.process.pid}/status")
        if not path.exists():
            return None
        lines = path.read_text(encoding="utf-8").splitlines()
        (kilobytes,) = (line.split()[1] for line in lines if line.startswith("VmRSS"))
        return int(kilobytes) // 1024

    def end(self) -> None:
        self.process.terminate()
        self.process.wait(60)

    def kill(self) -> None:
        """Without a chance to say anything (SIGKILL)."""
        self.process.kill()
        self.process.wait(60)


def motions(count: int) -> list[bytes]:
    """Four seconds of a walk for everybody."""
    return [
        bvh_text(synthetic_motion("walk", 101, np.random.default_rng(seed)).clip).encode()
        for seed in range(count)
    ]


def load(server: Server, clients: int, films: int) -> dict[str, object]:
    """Everybody at once; each keeps asking until it has its films."""

    def client(number: int, data: bytes) -> list[float]:
        motion, took = server.upload(data), []
        for film in range(films):
            started = time.perf_counter()
            words = WORDS[(number + film) % len(WORDS)]
            asked = {"motion": motion, "words": words, "seed": film, "first_take": True}
            job = server.wait(server.json("POST", "/film", asked)["id"])
            assert job["state"] == "done", job["error"]
            status, came = server.ask("GET", f"/jobs/{job['id']}/1.json")
            assert status == 200 and len(json.loads(came)["frames"]) == 101
            took.append(time.perf_counter() - started)
        return took

    before, started, failures, took = server.memory_mb, time.perf_counter(), 0, list[float]()
    with ThreadPoolExecutor(clients) as pool:
        for future in [pool.submit(client, at, data) for at, data in enumerate(motions(clients))]:
            if future.exception() is None:
                took += future.result()
            else:
                failures += 1
                sys.stderr.write(f"{future.exception()!r}\n")
    whole = time.perf_counter() - started
    return {
        "clients": clients,
        "films": len(took),
        "errors": failures,
        "seconds": round(whole, 1),
        "films_per_second": round(len(took) / whole, 2),
        "seconds_from_asking_to_camera_median": round(statistics.median(took), 1),
        "memory_mb_before": before,
        "memory_mb_after": server.memory_mb,
    }


def attack(server: Server) -> dict[str, object]:
    """Hostile requests while slow ones hold connections open."""
    motion = server.upload(motions(1)[0])
    job = server.json("POST", "/film", {"motion": motion, "words": WORDS[0]})["id"]
    server.wait(job)
    slow = [socket.create_connection((server.host, server.port)) for _ in range(SLOW)]
    for line in slow:
        line.sendall(b"GET /health HTTP/1.1\r\nX-Slow: ")
    started, wrong = time.perf_counter(), list[str]()
    asked = hostile_requests(motion, job, UPLOAD_MB)
    statuses: dict[str, int] = {}
    for request in asked:
        status, came = server.ask(request.method, request.path, request.body, request.headers)
        statuses[str(status)] = statuses.get(str(status), 0) + 1
        if status not in request.statuses or b'"remedy"' not in came:
            wrong.append(request.name)
    took = time.perf_counter() - started
    cut = 0
    for line in slow:
        line.settimeout(60)
        try:
            cut += line.recv(1) == b""
        except ConnectionResetError:
            cut += 1
        line.close()
    return {
        "hostile_requests": len(asked),
        "refused_as_expected": len(asked) - len(wrong),
        "not_refused": wrong,
        "by_status": dict(sorted(statuses.items())),
        "seconds": round(took, 1),
        "slow_connections": SLOW,
        "slow_connections_cut": cut,
        "memory_mb_after": server.memory_mb,
        "still_films": server.json("GET", "/health")["ok"],
    }


def kill(server: Server, folder: Path) -> tuple[Server, dict[str, object]]:
    """Killed with its queue full, and started again on the same folder."""
    motion = server.upload(motions(1)[0])
    asked = {"motion": motion, "words": WORDS[0], "first_take": True}
    jobs = [server.json("POST", "/film", {**asked, "seed": at})["id"] for at in range(8)]
    first = server.wait(jobs[0])
    _, before = server.ask("GET", f"/jobs/{jobs[0]}/1.json")
    states = [server.json("GET", f"/jobs/{job}")["state"] for job in jobs]
    server.kill()
    started = time.perf_counter()
    again = Server(folder)
    up = time.perf_counter() - started
    ended = [again.wait(job)["state"] for job in jobs]
    _, after = again.ask("GET", f"/jobs/{jobs[0]}/1.json")
    return again, {
        "jobs": len(jobs),
        "states_when_killed": states,
        "states_after_restart": ended,
        "lost": sum(state != "done" for state in ended),
        "earlier_answer_unchanged": first["state"] == "done" and before == after,
        "seconds_to_answer_again": round(up, 1),
    }


def main(args: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--clients", type=int, default=64, help="at once")
    parser.add_argument("--films", type=int, default=4, help="that every client asks for")
    given = parser.parse_args(args)
    with tempfile.TemporaryDirectory() as name:
        server = Server(Path(name))
        try:
            loaded = load(server, given.clients, given.films)
            attacked = attack(server)
            server, killed = kill(server, Path(name))
        finally:
            server.end()
    record = {
        "commit": code_state(ROOT).commit[:12],
        "machine": processor_name(),
        "repeat": f"python runs/serve.py --clients {given.clients} --films {given.films}",
        "load": loaded,
        "attack": attacked,
        "kill": killed,
    }
    RESULT.write_text(json.dumps(record, indent=2) + "\n", encoding="utf-8")
    sys.stdout.write(f"{RESULT}\n")


if __name__ == "__main__":
    main()
