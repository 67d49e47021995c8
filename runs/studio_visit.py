"""A browser at the studio's page, for `runs/studio.py` and the tests: finds one, opens tabs, drops
files on them, and notes every address that was asked for and everything that went wrong."""

import base64
import os
import shutil
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hostile_requests import zip_bomb

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

CHROMIUM = "AESOP_CHROMIUM"
ARGS = (
    "--no-sandbox",
    "--use-gl=angle",
    "--use-angle=swiftshader",
    "--enable-unsafe-swiftshader",
    "--ignore-gpu-blocklist",
)
WAIT_SECONDS = 240.0  # on a machine that others use, too
_HAS_WEBGL = "() => !!document.createElement('canvas').getContext('webgl2')"
_DROP = """([name, text]) => {
  const data = Uint8Array.from(atob(text), (sign) => sign.charCodeAt(0));
  const dataTransfer = new DataTransfer();
  dataTransfer.items.add(new File([data], name));
  dispatchEvent(new DragEvent("drop", { dataTransfer, bubbles: true, cancelable: true }));
}"""


class NoBrowserError(Exception):
    """Why nothing can be seen here."""


def chromium_path() -> str:
    """A Chromium of this machine: AESOP_CHROMIUM, or one that a package manager installed."""
    names = (os.environ.get(CHROMIUM), "chromium", "chromium-browser", "google-chrome")
    found = [path for name in names if name and (path := shutil.which(name))]
    if not found:
        raise NoBrowserError(f"no chromium is installed, and {CHROMIUM} names none")
    return found[0]


@contextmanager
def open_browser() -> Iterator["Browser"]:
    """A headless browser that can draw."""
    path = chromium_path()
    try:
        from playwright.sync_api import sync_playwright
    except ImportError as problem:
        raise NoBrowserError(f"playwright is not installed ({problem})") from None
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=list(ARGS))
        try:
            page = browser.new_page()
            has_webgl = page.evaluate(_HAS_WEBGL)
            page.close()
            if not has_webgl:
                raise NoBrowserError(f"{path} draws no WebGL here")
            yield browser
        finally:
            browser.close()


@dataclass
class Tab:
    """One tab on the studio."""

    page: "Page"
    asked: list[str] = field(default_factory=list[str])
    mistakes: list[str] = field(default_factory=list[str])

    def evaluate(self, code: str, *given: Any) -> Any:
        return self.page.evaluate(code, *given)

    def until(self, code: str, seconds: float = WAIT_SECONDS) -> float:
        """Seconds until an expression is true of a page that shows all that it knows."""
        began = time.monotonic()
        while not self.page.evaluate(f"({code}) && !window.aesopStudio?.store.isSettling"):
            waited = time.monotonic() - began
            assert waited < seconds, f"{code} never came true; {self.mistakes}"
            time.sleep(0.03)
        return time.monotonic() - began

    def ready(self) -> None:
        self.until("document.documentElement.dataset.ready === 'true'")

    @property
    def done(self) -> int:
        """How many takes the strip shows."""
        return self.evaluate("aesopStudio.store.takes.filter(t => t.state === 'done').length")

    def until_done(self, count: int) -> float:
        return self.until(
            f"aesopStudio.store.takes.filter(t => t.state === 'done').length >= {count}"
        )

    def drop(self, name: str, data: bytes) -> None:
        self.evaluate(_DROP, [name, base64.b64encode(data).decode()])

    @property
    def toasts(self) -> list[str]:
        return self.page.locator(".toast").all_inner_texts()

    def close_toasts(self) -> None:
        self.evaluate("document.querySelectorAll('.toast').forEach((one) => one.remove())")


@contextmanager
def open_tab(
    browser: "Browser", url: str, size: tuple[int, int] = (1280, 800), theme: str = "dark"
) -> Iterator[Tab]:
    """A fresh visitor: nothing is remembered from other tabs."""
    width, height = size
    context = browser.new_context(
        viewport={"width": width, "height": height},
        color_scheme="light" if theme == "light" else "dark",
        accept_downloads=True,
    )
    context.set_default_timeout(1000 * WAIT_SECONDS)  # machines may be busy
    tab = Tab(context.new_page())
    tab.page.on("request", lambda request: tab.asked.append(request.url))
    tab.page.on("pageerror", lambda problem: tab.mistakes.append(str(problem)))
    tab.page.on(
        "console", lambda line: tab.mistakes.append(line.text) if line.type == "error" else None
    )
    try:
        tab.page.goto(url)
        yield tab
    finally:
        context.close()


def elsewhere(tab: Tab, url: str) -> list[str]:
    """Addresses that were asked for and are not the studio's own."""
    own = (f"{url.rstrip('/')}/", f"blob:{url.rstrip('/')}/")
    return [asked for asked in tab.asked if not asked.startswith(own)]


def first_visit(tab: Tab, saved: Path) -> float:
    """From an empty project to an exported glTF by clicks alone; seconds."""
    began = time.monotonic()
    tab.ready()
    tab.page.click("#welcome [data-motion=walk]")
    tab.until_done(1)
    tab.page.click("#export:not([disabled])")
    with tab.page.expect_download() as download:
        tab.page.click('[data-suffix=".glb"]')
    download.value.save_as(saved)
    tab.page.keyboard.press("Escape")
    return time.monotonic() - began


def hostile_files(walk: bytes) -> list[tuple[str, bytes]]:
    """Thirty files that no motion is in, made of a real one or of nothing."""
    text = walk.decode()
    frames = text.index("Frames:")
    deep = "HIERARCHY\nROOT a\n{\n" + "JOINT b\n{\n" * 3000
    return [
        ("empty.bvh", b""),
        ("binary.bvh", bytes(range(256)) * 64),
        ("cut.bvh", walk[: len(walk) // 3]),
        ("noframes.bvh", text[:frames].encode()),
        ("million.bvh", text.replace("Frames: ", "Frames: 99999").encode()),
        ("notimes.bvh", text.replace("Frame Time:", "Frame Thyme:").encode()),
        ("nan.bvh", text.replace("0.", "nan.", 7).encode()),
        ("deep.bvh", deep.encode()),
        ("page.bvh", b"<html><script>document.title='owned'</script></html>"),
        ("picture.bvh", b'<svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)"/>'),
        ("noise.fbx", b"Kaydara FBX Binary  \x00" + bytes(999)),
        ("empty.fbx", b""),
        ("text.fbx", b"; FBX 7.4.0 project file\n" + b"{" * 500),
        ("noise.glb", b"glTF" + bytes(64)),
        ("long.glb", b"glTF\x02\0\0\0\xff\xff\xff\xffJSON"),
        ("bad.gltf", b'{"asset": {"version": "2.0"}, "buffers": [{"uri": "../../secret.bin"}]}'),
        ("web.gltf", b'{"asset": {"version": "2.0"}, "buffers": [{"uri": "http://x.test/b"}]}'),
        ("noise.npz", b"PK\x03\x04" + bytes(400)),
        ("bomb.npz", zip_bomb(64)),
        ("pickle.npy", b"\x93NUMPY\x01\x00v\x00{'descr': '|O', 'fortran_order': False, "
                       b"'shape': (1,), }".ljust(128) + b"cos\nsystem\n(S'true'\ntR."),
        ("noise.npy", b"\x93NUMPY" + bytes(200)),
        ("code.pt", b"\x80\x02cos\nsystem\n(S'true'\ntR."),
        ("noise.clip", bytes(8) + b"{}"),
        ("noise.shot", b"\xff" * 200),
        ("motion.exe", b"MZ" + bytes(200)),
        ("motion", walk),
        (".bvh", walk[:50]),
        ("<img src=x onerror=alert(1)>.bvh", b"nothing"),
        ("\u202ehvb.exe.bvh", b"nothing"),
        ("x" * 240 + ".bvh", b"nothing"),
    ]  # fmt: skip


def retry(seconds: float, run: Callable[[], bool]) -> bool:
    """Whether something becomes true in time."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if run():
            return True
        time.sleep(0.05)
    return False
