"""A study that was made, looked at in a browser: pictures of its page, and what was prepared.

    aesop study make baselines STUDY --data STORE
    python runs/study_pictures.py STUDY

A browser (Debian's Chromium, driven by playwright) goes through consent, guide, example, one trial
of every task and thanks, on a copy of the study, so that no answer reaches the study itself. Writes
docs/pictures/study_*.jpg and results/runs/study_prepared.json, which names clips, methods and
counts, and not which video is whose.
"""

import argparse
import io
import json
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import Any

from PIL import Image

from aesop.core.machine import code_state
from aesop.core.whole_files import atomic_path
from aesop.study.stimuli import GAP_PX, LENS_PX, OUTSIDE_PX, WIDTH_PX
from aesop.study.study_folder import STUDY_FILE, VIDEOS, Study, missing_videos, read_study
from aesop.study.study_plan import plan_values

ROOT = Path(__file__).resolve().parents[1]
PICTURES = ROOT / "docs" / "pictures"
RESULT = ROOT / "results" / "runs" / "study_prepared.json"
NAMES = ("chromium", "chromium-browser", "google-chrome")
WINDOW_PX = (1280, 900)
WIDTH = 1280  # of a written picture
PATIENCE_MS = 120_000


@contextmanager
def served_copy(study: Path) -> Iterator[str]:
    """The address of a server on a copy that nobody keeps."""
    with tempfile.TemporaryDirectory(prefix="aesop-study-") as folder:
        copy = Path(folder) / "study"
        copy.mkdir()
        shutil.copy(study / STUDY_FILE, copy)
        shutil.copytree(study / VIDEOS, copy / VIDEOS)
        command = [sys.executable, "-m", "aesop", "study", "serve", str(copy), "--port", "0"]
        server = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, encoding="utf-8")
        assert server.stdout is not None
        try:
            yield server.stdout.readline().strip()
        finally:
            server.terminate()
            server.wait(60)


class Photographer:
    """Sits through a study with a camera in hand."""

    def __init__(self, page: Any, tasks: int) -> None:
        self._page, self._tasks = page, tasks
        page.set_default_timeout(PATIENCE_MS)

    def shoot(self, name: str) -> Path:
        raw = self._page.screenshot(full_page=True)
        picture = Image.open(io.BytesIO(raw)).convert("RGB")
        height = round(picture.height * WIDTH / picture.width)
        path = PICTURES / f"study_{name}.jpg"
        with atomic_path(path) as temporary:
            small = picture.resize((WIDTH, height), Image.Resampling.LANCZOS)
            small.save(temporary, "JPEG", quality=86)
        return path

    def sit(self, url: str) -> list[Path]:
        page = self._page
        page.goto(url)
        page.wait_for_selector("#consent:visible")
        taken = [self.shoot("consent")]
        page.check("#agree")
        page.click("#begin")
        page.wait_for_selector("#guide:visible")
        taken.append(self.shoot("guide"))
        page.click("#to-example")
        self._watch(0.6)
        taken.append(self.shoot("example"))
        self._answer("12")
        return taken + self._trials()

    def _trials(self) -> list[Path]:
        page, taken = self._page, dict[str, Path]()
        while True:
            page.wait_for_selector("#trial:visible #play:enabled, #thanks:visible, #pause:visible")
            if page.is_visible("#thanks"):
                return list(taken.values())
            if page.is_visible("#pause"):
                page.click("#go-on")
                continue
            task = "joint" if page.is_visible("#human-line") else "trial"
            self._watch(0.6)
            if task not in taken:
                taken[task] = self.shoot(task)
            place = page.inner_text("#place")
            self._answer("213402"[: page.locator("fieldset").count()])
            page.wait_for_selector(
                f"#place:not(:text-is('{place}')), #thanks:visible, #pause:visible",
                state="attached",
            )
            if len(taken) == self._tasks:  # every task has been seen
                return list(taken.values())

    def _watch(self, share: float) -> None:
        """Play to somewhere past the middle, where most has happened."""
        page = self._page
        page.wait_for_selector("#play:enabled")
        page.keyboard.press(" ")
        length = page.eval_on_selector("#left", "video => video.duration")
        while page.eval_on_selector("#left", "video => video.currentTime") < share * length:
            time.sleep(0.05)

    def _answer(self, keys: str) -> None:
        page = self._page
        for key in keys:
            page.keyboard.press(key)
        page.wait_for_selector("#save:enabled")
        page.keyboard.press("Enter")


def prepared(study: Study, folder: Path) -> dict[str, object]:
    """What there is, without who is behind which name."""
    files = sorted((folder / VIDEOS).glob("*.mp4"))
    return {
        "about": "a study that is ready to run: no vote has been given",
        "repeat": "aesop study make PLAN STUDY --data STORE; python runs/study_pictures.py STUDY",
        "code": asdict(code_state(ROOT)),
        "made_by": study.made_by,
        "plan": {key: value for key, value in plan_values(study.plan).items() if key != "data"},
        "study_sha256": study.sha256,
        "clips": {task: [asdict(clip) for clip in clips] for task, clips in study.clips},
        "identities": dict(study.identities),
        "videos": len(study.videos),
        "videos_missing": len(missing_videos(study, folder)),
        "picture": [WIDTH_PX, LENS_PX + GAP_PX + OUTSIDE_PX],
        "megabytes": round(sum(path.stat().st_size for path in files) / 1e6, 1),
        "balance": [asdict(balance) for balance in study.balances],
    }


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("study", type=Path, help="the folder of a study that was made")
    parser.add_argument("--out", type=Path, default=RESULT)
    asked = parser.parse_args()
    from playwright.sync_api import sync_playwright

    study = read_study(asked.study)
    chromium = next(filter(None, map(shutil.which, NAMES)))
    with served_copy(asked.study) as url, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        window: Any = dict(zip(("width", "height"), WINDOW_PX, strict=True))
        page = browser.new_page(viewport=window, device_scale_factor=1.5)
        for path in Photographer(page, len(study.plan.tasks)).sit(url):
            sys.stdout.write(f"{path}\n")
        browser.close()
    result = prepared(study, asked.study)
    with atomic_path(asked.out) as temporary:
        temporary.write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8", newline="\n")
    sys.stdout.write(f"{asked.out}\n")


if __name__ == "__main__":
    main()
