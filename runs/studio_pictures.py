"""Pictures of the studio for docs/studio.md, and a short recording of it, in a real browser.

    python runs/studio_pictures.py [--only pictures recording keys] [--sizes FOLDER] [--project …]

Drives the page from an empty project with the shipped weights. The recording is drawn frame by
frame, so that it is smooth however slow the machine is. `--sizes` keeps the page at three sizes,
light and dark, to be looked at; `--project` keeps what was filmed for the next time.
"""

import argparse
import io
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from PIL import Image

from studio_visit import Tab, open_browser, open_tab

if TYPE_CHECKING:
    from playwright.sync_api import Browser

ROOT = Path(__file__).resolve().parents[1]
PICTURES = ROOT / "docs" / "pictures"
SHOWN = "aesopStudio.store.shown"
SIZES = ((1920, 1080), (1280, 800), (420, 860))
QUALITY, WIDTH = 80, 1280
FPS, RECORDED_WIDTH, RECORDED_QUALITY = 8, 720, 30


@contextmanager
def studio(project: Path | None) -> Iterator[str]:
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        command = [sys.executable, "-m", "aesop", "studio", "--no-browser", "--port", "0"]
        process = subprocess.Popen(
            [*command, "--folder", str(project or f"{folder}/chase")],
            stdout=subprocess.PIPE,
            text=True,
            encoding="utf-8",
        )
        assert process.stdout is not None
        try:
            yield process.stdout.readline().strip() + "/?fine"
        finally:
            process.kill()
            process.wait()


def film(tab: Tab, words: str) -> None:
    tab.page.fill("#camera", words)
    tab.until(f"{SHOWN}.words === {words!r} && {SHOWN}.facts !== null")
    tab.page.click("#time")


def rested(tab: Tab) -> None:
    tab.until("aesopStudio.store.jobs.length === 0", 400)
    tab.until("[...document.querySelectorAll('img.thumb')].every((one) => one.naturalWidth > 0)")


def prepare(tab: Tab) -> None:
    """A project that looks like an hour's work."""
    tab.ready()
    if tab.done >= 4:
        return
    if tab.page.is_visible("#welcome"):
        tab.page.click("#welcome [data-motion=walk_curve]")
    tab.until_done(1)
    film(tab, "a low-angle close-up, slowly push in")
    film(tab, "the camera trucks left")
    film(tab, "the camera pulls out")
    tab.until_done(4)
    tab.page.keyboard.press("*")
    if tab.evaluate("aesopStudio.player.isPlaying"):
        tab.page.keyboard.press(" ")
    rested(tab)


def shot(tab: Tab) -> Image.Image:
    tab.page.wait_for_timeout(500)
    return Image.open(io.BytesIO(tab.page.screenshot())).convert("RGB")


def save(picture: Image.Image, name: str) -> None:
    height = round(picture.height * WIDTH / picture.width)
    path = PICTURES / name
    picture.resize((WIDTH, height), Image.Resampling.LANCZOS).save(path, quality=QUALITY)
    sys.stdout.write(f"{path}\n")


def draw_pictures(browser: "Browser", url: str) -> None:
    with open_tab(browser, url, (1440, 900)) as tab:
        tab.ready()
        tab.page.click(".take[data-take] >> nth=-1")
        rested(tab)
        tab.page.click("#time")
        tab.evaluate("aesopStudio.player.seek(2.6)")
        save(shot(tab), "studio.jpg")
    with open_tab(browser, url, (1440, 900), "light") as tab:
        tab.ready()
        tab.page.click(".take[data-take] >> nth=0")
        tab.page.click("#time")
        tab.page.keyboard.press("x")
        tab.page.keyboard.press("2")
        tab.evaluate("aesopStudio.player.seek(4.4)")
        save(shot(tab), "studio_compare.jpg")


def draw_keys(browser: "Browser", url: str) -> None:
    """Keys, a kept part and intensity over time on one timeline; the file's bones through the
    mannequin."""
    with open_tab(browser, url, (1440, 900), "light") as tab:
        tab.ready()
        if tab.page.is_visible("#welcome"):
            tab.page.click("#welcome [data-motion=walk_curve]")
        tab.until_done(1)
        tab.until(f"aesopStudio.store.camera({SHOWN}) !== null")
        tab.evaluate("aesopStudio.player.isPlaying = false; aesopStudio.player.seek(0)")
        tab.page.click("#fly")
        for key in "ddddee":
            tab.page.keyboard.press(key)
        tab.page.click("#key-start")
        tab.until(f"{SHOWN}.keys.length === 1 && {SHOWN}.facts !== null", 300)
        tab.until("document.querySelectorAll('#timeline .key').length === 1")
        tab.evaluate("aesopStudio.player.setRange(2.4, 4.4)")
        tab.page.click("#keep-part")
        tab.until("document.querySelectorAll('#timeline .kept').length === 1", 300)
        tab.page.click("#curve")
        lane = tab.page.locator("#timeline .curve").bounding_box()
        assert lane is not None
        tab.page.mouse.dblclick(lane["x"] + 0.7 * lane["width"], lane["y"] + 6)
        tab.until(f"{SHOWN}.curve !== null && {SHOWN}.facts !== null", 300)
        tab.page.select_option("#body", "both")
        rested(tab)
        tab.evaluate("aesopStudio.player.seek(3.2)")
        save(shot(tab), "studio_keys.jpg")


def keep_sizes(browser: "Browser", url: str, folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for size in SIZES:
        for theme in ("dark", "light"):
            with open_tab(browser, url, size, theme) as tab:
                tab.ready()
                tab.evaluate("aesopStudio.player.seek(4.4)")
                shot(tab).save(folder / f"{size[0]}_{theme}.png")


def record(browser: "Browser", url: str) -> None:
    """Twenty seconds: the shot plays, the intensity is turned while it plays, another take."""
    pictures: list[Image.Image] = []

    def frame(tab: Tab) -> None:
        picture = Image.open(io.BytesIO(tab.page.screenshot())).convert("RGB")
        height = round(picture.height * RECORDED_WIDTH / picture.width)
        pictures.append(picture.resize((RECORDED_WIDTH, height), Image.Resampling.LANCZOS))

    turn = (
        "(value) => { const s = document.getElementById('intensity'); s.value = value;"
        "s.dispatchEvent(new Event('input')); }"
    )
    with open_tab(browser, url, (1200, 750)) as tab:
        tab.ready()
        tab.page.click(".take[data-take] >> nth=0")
        rested(tab)
        length = tab.evaluate("aesopStudio.player.length")
        count = 20 * FPS
        for at in range(count):
            seconds = at / FPS
            tab.evaluate(f"aesopStudio.player.seek({seconds % length})")
            if 5 <= seconds < 13:  # up, down, and back to the usual
                share = (seconds - 5) / 8
                wave = 1.5 * share if share < 1 / 3 else 1.0 - 1.5 * (share - 1 / 3)
                value = 1 + wave if share < 1 / 3 else wave + 0.5
                value = value if share < 0.85 else 0.75 + (share - 0.85) / 0.15 * 0.25
                tab.evaluate(turn, f"{min(1.5, max(0.5, value)):.2f}")
            if seconds == 14:
                tab.page.click(".take[data-take] >> nth=2")
                rested(tab)
            frame(tab)
    path = PICTURES / "studio.webp"
    pictures[0].save(
        path,
        save_all=True,
        append_images=pictures[1:],
        duration=1000 // FPS,
        loop=0,
        quality=RECORDED_QUALITY,
        method=4,
    )
    sys.stdout.write(f"{path}\n")


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    kinds = ["pictures", "recording", "keys"]
    parser.add_argument("--only", nargs="*", choices=kinds, default=kinds)
    parser.add_argument("--sizes", type=Path, help="also keep the page at three sizes there")
    parser.add_argument("--project", type=Path, help="a folder to film in, and to go on with")
    asked = parser.parse_args()
    with open_browser() as browser, studio(asked.project) as url:
        if set(asked.only) != {"keys"} or asked.sizes is not None:
            with open_tab(browser, url, (1440, 900)) as tab:
                prepare(tab)
        if "keys" in asked.only:
            draw_keys(browser, url)
        if "pictures" in asked.only:
            draw_pictures(browser, url)
        if asked.sizes is not None:
            keep_sizes(browser, url, asked.sizes)
        if "recording" in asked.only:
            record(browser, url)


if __name__ == "__main__":
    main()
