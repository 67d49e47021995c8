"""A crowd answers a study at once, while its server is killed now and then: is every answer that
was acknowledged there, and none twice?

    python runs/study_crowd.py [--participants 30] [--kills 6]

Starts a real `aesop study serve` on a study of grey videos. Every participant begins, watches,
answers and asks again whatever gets lost, with the same ids, as the page does. Meanwhile the server
is killed (SIGKILL) and started again. Then the database is read. Writes
results/runs/study_crowd.json; no answer in it says anything about a camera.
"""

import argparse
import http.client
import json
import os
import random
import shutil
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from threading import Event, Thread
from typing import Any

import numpy as np

from aesop.core.machine import code_state, processor_name
from aesop.core.whole_files import atomic_path
from aesop.preview.video import encode
from aesop.study.record import StudyRecord
from aesop.study.stimuli import EXAMPLE, StudyClip
from aesop.study.study_folder import (
    RECORD_FILE,
    VIDEOS,
    Study,
    read_study,
    study_without_videos,
    write_study,
)
from aesop.study.study_plan import StudyPlan, plan_from_values

ROOT = Path(__file__).resolve().parents[1]
RESULT = ROOT / "results" / "runs" / "study_crowd.json"
FRAMES, FPS = 29, 25.0
BEAT_SECONDS = 0.5
PATIENCE_SECONDS = 600.0
LOST = (OSError, http.client.HTTPException, ValueError)


def grey_study(plan: StudyPlan, folder: Path) -> Study:
    """A study that can be served, whose videos are all the same second of grey."""
    bare = study_without_videos(plan)
    clips = tuple(
        (
            task,
            tuple(
                replace(it, camera_words="pushes in", human_words="walks", frames=FRAMES, fps=FPS)
                for it in some
            ),
        )
        for task, some in bare.clips
    )
    example = StudyClip("example", "the camera pushes in", "", FRAMES, FPS)
    study = replace(bare, clips=clips, example=example, is_simulated=False)
    videos = folder / VIDEOS
    videos.mkdir(parents=True)
    pictures = (np.full((68, 64, 3), 90 + 3 * frame, np.uint8) for frame in range(FRAMES))
    first = videos / f"{EXAMPLE[0]}.mp4"
    encode(first, pictures, FPS, FRAMES, None, is_anonymous=True)
    for name in (EXAMPLE[1], *(video.token for video in study.videos)):
        shutil.copy(first, videos / f"{name}.mp4")
    for path in videos.iterdir():
        os.utime(path, (0, 0))
    write_study(study, folder)
    return study


def crowd_plan(participants: int, trials: int) -> StudyPlan:
    """A film task alone, of methods that nobody has."""
    task = {"task": "film", "methods": ["a", "b", "c"], "clips": trials, "comparisons": trials}
    values = {"title": "Crowd", "seed": 5, "participants": participants, "tasks": [task]}
    return plan_from_values(values, Path(), needs_methods=False)


class MortalServer:
    """A real server on one port that can be killed and started again."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = int(free.getsockname()[1])
        self._process = self._started()

    def _started(self) -> subprocess.Popen[str]:
        command = [sys.executable, "-m", "aesop", "study", "serve", str(self._folder)]
        process = subprocess.Popen(
            [*command, "--port", str(self.port)],
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            encoding="utf-8",
        )
        assert process.stdout is not None
        assert process.stdout.readline().startswith("http"), "the server did not start"
        return process

    def kill(self) -> None:
        """Without a chance to say anything (SIGKILL), and a new one in its place."""
        self._process.kill()
        self._process.wait(60)
        self._process = self._started()

    def end(self) -> None:
        self._process.terminate()
        self._process.wait(60)


@dataclass
class Sitting:
    """One participant: what the server acknowledged, how long saving took, what got lost."""

    key: str
    acknowledged: list[str] = field(default_factory=list[str])
    save_seconds: list[float] = field(default_factory=list[float])
    lost: int = 0


def _hex(dice: random.Random) -> str:
    return f"{dice.getrandbits(128):032x}"


class VirtualParticipant:
    """Does what the page does, as fast as the server lets it."""

    def __init__(self, port: int, seed: int) -> None:
        self._port, self._dice = port, random.Random(seed)
        self.sitting = Sitting(_hex(self._dice))

    def sit(self) -> Sitting:
        state = self._ask("begin", agreed=True)
        while state["next"] is not None:
            state = self._trial(state["next"])
        return self.sitting

    def _trial(self, number: int) -> dict[str, Any]:
        opened = self._ask("open", trial=number)
        whole = [[0.0, opened["seconds"]]]
        while not self._ask("beat", trial=number, left=whole, right=whole)["isEnough"]:
            time.sleep(BEAT_SECONDS)
        responses = {
            it["name"]: self._dice.choice([-2, -1, 0, 1, 2, None]) for it in opened["criteria"]
        }
        name, begun_at = _hex(self._dice), time.monotonic()
        saved = self._ask("save", trial=number, id=name, responses=responses, window="1280x720")
        self.sitting.save_seconds.append(time.monotonic() - begun_at)
        assert saved["saved"] == name
        self.sitting.acknowledged.append(name)
        return saved

    def _ask(self, question: str, **values: Any) -> dict[str, Any]:
        """Ask until there is an answer."""
        body = json.dumps({"key": self.sitting.key, **values}).encode()
        until = time.monotonic() + PATIENCE_SECONDS
        while time.monotonic() < until:
            line = http.client.HTTPConnection("127.0.0.1", self._port, timeout=30)
            try:
                kind = {"content-type": "application/json"}
                line.request("POST", f"/api/{question}", body, kind)
                came = line.getresponse()
                told = json.loads(came.read())
            except LOST:
                self.sitting.lost += 1
                time.sleep(self._dice.uniform(0.05, 0.3))
                continue
            finally:
                line.close()
            if came.status == 200:
                return told
            assert came.status >= 500, (came.status, told)
            time.sleep(0.2)
        raise AssertionError(f"no answer to {question}")


def crowd(folder: Path, participants: int, trials: int, kills: int) -> dict[str, object]:
    """Let everybody answer at once; what the database says afterwards."""
    grey_study(crowd_plan(participants, trials), folder)
    server, is_over, killed, begun_at = MortalServer(folder), Event(), list[float](), time.time()

    def reap() -> None:
        dice = random.Random(1)
        while len(killed) < kills and not is_over.wait(dice.uniform(1.0, 4.0)):
            server.kill()
            killed.append(time.time() - begun_at)

    reaper = Thread(target=reap)
    reaper.start()
    people = [VirtualParticipant(server.port, seed) for seed in range(participants)]
    try:
        with ThreadPoolExecutor(participants) as pool:
            sittings = [it.result() for it in [pool.submit(one.sit) for one in people]]
    finally:
        is_over.set()
        reaper.join()
        server.end()
    return {
        "participants": participants,
        "trials": trials,
        "kills": len(killed),
        "seconds": round(time.time() - begun_at, 1),
        **_found(folder, sittings),
    }


def _found(folder: Path, sittings: Sequence[Sitting]) -> dict[str, object]:
    study = read_study(folder)
    record = StudyRecord(folder / RECORD_FILE, study)
    votes = record.votes()
    record.close()
    kept = Counter(it.answer for it in votes if it.criterion == "overall")
    places = Counter((it.participant, it.trial) for it in votes if it.criterion == "overall")
    acknowledged = [name for sitting in sittings for name in sitting.acknowledged]
    times = sorted(it for sitting in sittings for it in sitting.save_seconds)
    return {
        "acknowledged": len(acknowledged),
        "found": sum(name in kept for name in acknowledged),
        "lost": [name for name in acknowledged if name not in kept],
        "doubled": [name for name, count in kept.items() if count > 1]
        + [place for place, count in places.items() if count > 1],
        "never_acknowledged": len(set(kept) - set(acknowledged)),
        "responses": len(votes),
        "requests_lost_on_the_way": sum(sitting.lost for sitting in sittings),
        "save_median_ms": round(1000 * statistics.median(times), 1),
        "save_95_percent_ms": round(1000 * times[int(0.95 * (len(times) - 1))], 1),
        "sheets_taken": sorted(Counter({it.participant: it.sheet for it in votes}.values()))
        == list(range(len(study.sheets))),
    }


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--participants", type=int, default=30)
    parser.add_argument("--trials", type=int, default=12)
    parser.add_argument("--kills", type=int, default=6)
    parser.add_argument("--out", type=Path, default=RESULT)
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="aesop-crowd-") as folder:
        found = crowd(Path(folder) / "study", asked.participants, asked.trials, asked.kills)
    result = {
        "about": "answers by dice: no number here says anything about a camera",
        "repeat": f"python runs/study_crowd.py --participants {asked.participants} "
        f"--trials {asked.trials} --kills {asked.kills}",
        "code": asdict(code_state(ROOT)),
        "processor": processor_name(),
        "cores": os.cpu_count(),
        **found,
    }
    asked.out.parent.mkdir(parents=True, exist_ok=True)
    with atomic_path(asked.out) as temporary:
        temporary.write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8", newline="\n")


if __name__ == "__main__":
    main()
