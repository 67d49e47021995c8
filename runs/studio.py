"""The studio with the shipped weights in a real browser: how fast it answers, and what it survives.

    python runs/studio.py [--only visit slider playing curve keys viewers long hostile killed]

Starts `aesop studio` on a fresh folder and a headless Chromium with software WebGL. Writes
results/runs/studio.json. Everything shares the machine's cores: server, browser and its renderer.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from aesop.core.machine import code_state, processor_name
from aesop.fables.synthetic import Leg, wander
from aesop.files.bvh_clip import bvh_text
from aesop.scene.human import NATIVE_FPS, Clip, Provenance
from studio_visit import Tab, elsewhere, first_visit, hostile_files, open_browser, open_tab

if TYPE_CHECKING:
    from playwright.sync_api import Browser

ROOT = Path(__file__).resolve().parents[1]
RESULT = ROOT / "results" / "runs" / "studio.json"
TURNS, VIEWERS, LONG_SECONDS = 40, 8, 300.0
ROUNDS, ROUND_SECONDS = 3, 13.0  # of playing a shot of 12 s
SHOWN = "aesopStudio.store.shown"


@contextmanager
def studio(folder: Path, port: int = 0) -> Iterator[tuple[subprocess.Popen[str], str]]:
    """A real `aesop studio`, and its address."""
    command = [sys.executable, "-m", "aesop", "studio", "--no-browser", "--folder", str(folder)]
    process = subprocess.Popen(
        [*command, "--port", str(port)], stdout=subprocess.PIPE, text=True, encoding="utf-8"
    )
    assert process.stdout is not None
    try:
        yield process, process.stdout.readline().strip() + "/"
    finally:
        process.kill()
        process.wait()


def shares(values: list[float]) -> dict[str, float]:
    """Median and 95th percentile."""
    low, high = np.percentile(values, [50, 95])
    return {"count": len(values), "median": round(float(low), 1), "p95": round(float(high), 1)}


def post(url: str, values: object) -> Any:
    request = urllib.request.Request(
        url, json.dumps(values).encode(), {"content-type": "application/json"}
    )
    with urllib.request.urlopen(request, timeout=600) as came:
        return json.loads(came.read())


def measure_visit(browser: "Browser", folder: Path) -> dict[str, Any]:
    with studio(folder) as (_, url), open_tab(browser, url) as tab:
        seconds = first_visit(tab, folder / "shot.glb")
        assert (folder / "shot.glb").read_bytes()[:4] == b"glTF"
        return {
            "first_visit_to_gltf_s": round(seconds, 1),
            "requests_elsewhere": len(elsewhere(tab, url)),
            "mistakes": tab.mistakes,
        }


def _with_fan(tab: Tab) -> None:
    tab.ready()
    tab.page.click("#welcome [data-motion=walk]")
    tab.until_done(1)
    tab.until(f"{SHOWN}.intensities.length >= 12", 900)
    tab.until("aesopStudio.store.jobs.length === 0")


def measure_slider(browser: "Browser", folder: Path) -> dict[str, Any]:
    """Drags to random values: when the camera on the page has moved, when the server has answered,
    and when the exact shot is on the page. Values that are filmed already, and others."""
    drag = (
        "(value) => { const s = document.getElementById('intensity'); const began = "
        "performance.now(); s.value = value; s.dispatchEvent(new Event('input')); return "
        "performance.now() - began; }"
    )
    dice = np.random.default_rng(1)
    moved: list[float] = []
    exact: list[float] = []
    answered: dict[str, list[float]] = {"filmed": [], "not_filmed": []}
    with studio(folder) as (_, url), open_tab(browser, url) as tab:
        _with_fan(tab)
        take = tab.evaluate(f"{SHOWN}.id")
        for at in range(TURNS):
            there = tab.evaluate(f"{SHOWN}.intensities")
            value = float(dice.choice(there)) if at % 2 else round(float(dice.uniform(0.5, 1.5)), 2)
            kind = "filmed" if value in there else "not_filmed"
            moved.append(tab.evaluate(drag, str(value)))
            began = time.perf_counter()
            post(f"{url}studio/takes/{take}", {"intensity": value})
            answered[kind].append(1000 * (time.perf_counter() - began))
            tab.until(f"{SHOWN}.intensity === {value} && {SHOWN}.facts !== null")
            exact.append(1000 * (time.perf_counter() - began))
        return {
            "page_turns_camera_ms": shares(moved),
            "server_answers_ms": {kind: shares(ms) for kind, ms in answered.items() if ms},
            "exact_shot_on_page_ms": shares(exact),
        }


def measure_playing(browser: "Browser", folder: Path) -> dict[str, Any]:
    """Scripts per drawn frame while a shot of 12 s plays, WebGL calls among them: in seconds of the
    page's own thread, which other processes do not lengthen, and by the clock; several rounds."""
    clip = _walk(12.0)
    with studio(folder) as (_, url), open_tab(browser, url) as tab:
        tab.ready()
        tab.drop("walk.bvh", bvh_text(clip).encode())
        tab.until_done(1)
        tab.until("aesopStudio.store.jobs.length === 0", 900)
        tab.evaluate("if (!aesopStudio.player.isPlaying) aesopStudio.player.toggle()")
        protocol = tab.page.context.new_cdp_session(tab.page)
        protocol.send("Performance.enable", {"timeDomain": "threadTicks"})
        return {"rounds": [_playing_round(tab, protocol) for _ in range(ROUNDS)]}


def _playing_round(tab: Tab, protocol: Any) -> dict[str, Any]:
    tab.evaluate("aesopStudio.frameTimes.length = 0")
    windows: list[float] = []
    before, drawn = _script_seconds(protocol), 0
    for _ in range(round(2 * ROUND_SECONDS)):
        time.sleep(0.5)
        now, frames = _script_seconds(protocol), tab.evaluate("aesopStudio.frameTimes.length")
        if frames > drawn:
            windows.append(1000 * (now - before) / (frames - drawn))
            before, drawn = now, frames
    return {
        "script_cpu_per_frame_ms": shares(windows),
        "by_the_clock_ms": shares(tab.evaluate("aesopStudio.frameTimes")),
        "frames_per_second": round(drawn / ROUND_SECONDS, 1),
        "load_average": load_now(),
    }


def _script_seconds(protocol: Any) -> float:
    told = protocol.send("Performance.getMetrics")["metrics"]
    return next(one["value"] for one in told if one["name"] == "ScriptDuration")


def measure_viewers(browser: "Browser", folder: Path) -> dict[str, Any]:
    """Eight programs and eight tabs of one browser that follow the project while one films."""
    seen: list[int] = []

    def follow(url: str, stop: threading.Event) -> None:
        count = 0
        with urllib.request.urlopen(f"{url}studio/events", timeout=60) as stream:
            while not stop.is_set():
                count += stream.readline().startswith(b"data: ")
        seen.append(count)

    with studio(folder) as (_, url), open_tab(browser, url) as tab:
        _with_fan(tab)
        others = [Tab(tab.page.context.new_page()) for _ in range(VIEWERS - 1)]
        for other in others:
            other.page.goto(url)
            other.ready()
        stop = threading.Event()
        threads = [threading.Thread(target=follow, args=(url, stop)) for _ in range(VIEWERS)]
        for thread in threads:
            thread.start()
        began = time.perf_counter()
        tab.page.click("#film")
        tab.until_done(2)
        seconds = time.perf_counter() - began
        for other in others:
            other.until_done(2)
        everywhere = time.perf_counter() - began
        stop.set()
        post(f"{url}studio/undo", {})  # one more line for everybody
        for thread in threads:
            thread.join(30)
        return {
            "programs": len(seen),
            "news_each": min(seen),
            "tabs": 1 + len(others),
            "film_s": round(seconds, 1),
            "in_all_tabs_s": round(everywhere, 1),
        }


def measure_long(browser: "Browser", folder: Path) -> dict[str, Any]:
    """A motion of five minutes: dropped, filmed, played."""
    with studio(folder) as (_, url), open_tab(browser, url) as tab:
        tab.ready()
        began = time.perf_counter()
        tab.drop("long.bvh", bvh_text(_walk(LONG_SECONDS)).encode())
        tab.until("aesopStudio.store.motion !== null", 300)
        there = time.perf_counter() - began
        tab.until_done(1) if tab.done else tab.until(
            "aesopStudio.store.takes.filter(t => t.state === 'done').length >= 1", 1800
        )
        filmed = time.perf_counter() - began
        tab.evaluate("aesopStudio.frameTimes.length = 0")
        time.sleep(8)
        times = tab.evaluate("aesopStudio.frameTimes")
        return {
            "on_stage_s": round(there, 1),
            "filmed_s": round(filmed, 1),
            "script_per_frame_ms": shares(times) if times else None,
            "longest_frame_ms": round(max(times), 1) if times else None,  # the first with a camera
            "mistakes": tab.mistakes,
        }


def measure_hostile(browser: "Browser", folder: Path) -> dict[str, Any]:
    walk = bvh_text(_walk(4.0)).encode()
    with studio(folder) as (_, url), open_tab(browser, url) as tab:
        tab.ready()
        told = 0
        for name, data in hostile_files(walk):
            tab.close_toasts()
            tab.drop(name, data)
            tab.until("document.querySelectorAll('.toast').length > 0")
            told += bool(tab.toasts[0].strip())
        tab.close_toasts()
        tab.drop("walk.bvh", walk)
        tab.until_done(1)
        return {"hostile_files": len(hostile_files(walk)), "refused_with_a_sentence": told}


def measure_killed(browser: "Browser", folder: Path) -> dict[str, Any]:
    """Killed with one take done and three asked for; started again on the same port."""
    with studio(folder) as (process, url), open_tab(browser, url) as tab:
        tab.ready()
        tab.page.click("#welcome [data-motion=walk]")
        tab.until_done(1)
        tab.page.click("#film-more")
        tab.until("aesopStudio.store.waiting.length === 3")
        process.kill()
        process.wait()
        tab.until("aesopStudio.store.isLost")
        with studio(folder, int(url.rstrip("/").rsplit(":", 1)[1])):
            tab.until_done(4)
            return {"takes_asked_for": 4, "takes_there": tab.done, "mistakes": len(tab.toasts)}


def measure_curve(browser: "Browser", folder: Path) -> dict[str, Any]:
    """Points of an intensity over time are moved: when the camera on the page has followed, how far
    that is from the exact shot, and when that is there."""
    bend = (
        "(value) => { const began = performance.now(); const s = aesopStudio.store;"
        "s.dragged = [[0, 0.6], [3, value], [5.9, 0.8]]; s.camera(s.shown);"
        "return performance.now() - began; }"
    )
    apart = (
        "() => { const s = aesopStudio.store, fan = s.fan(s.takeId), exact = fan.overTime;"
        "const key = fan.curve; fan.curve = null; const near = s.camera(s.shown).rows;"
        "fan.curve = key; let most = 0; for (let at = 0; at < near.length; at += 8) most ="
        "Math.max(most, Math.hypot(...[0, 1, 2].map((k) => near[at + k] - exact[at + k])));"
        "return most; }"
    )
    with studio(folder) as (_, url), open_tab(browser, url) as tab:
        _with_fan(tab)
        blended = [tab.evaluate(bend, 0.6 + at / 50) for at in range(TURNS)]
        tab.evaluate("aesopStudio.store.dragged = null")
        take = tab.evaluate(f"{SHOWN}.id")
        began = time.perf_counter()
        post(f"{url}studio/takes/{take}", {"intensity": [[0, 0.6], [3, 1.4], [5.9, 0.8]]})
        answered = 1000 * (time.perf_counter() - began)
        tab.until(f"{SHOWN}.curve !== null && {SHOWN}.facts !== null", 300)
        tab.until("aesopStudio.store.fan(aesopStudio.store.takeId)?.overTime")
        return {
            "page_bends_camera_ms": shares(blended),
            "server_answers_ms": round(answered, 1),
            "exact_shot_on_page_s": round(time.perf_counter() - began, 1),
            "blend_from_exact_m": round(tab.evaluate(apart), 3),
        }


def measure_keys(browser: "Browser", folder: Path) -> dict[str, Any]:
    """The camera is flown aside and its view set as the start: when a shot that begins with it is
    there, and how near it begins."""
    with studio(folder) as (_, url), open_tab(browser, url) as tab:
        tab.ready()
        tab.page.click("#welcome [data-motion=walk]")
        tab.until_done(1)
        tab.until(f"aesopStudio.store.camera({SHOWN}) !== null")
        tab.evaluate("aesopStudio.player.isPlaying = false; aesopStudio.player.seek(0)")
        tab.page.keyboard.press("y")
        for key in "dddddde":
            tab.page.keyboard.press(key)
        began = time.perf_counter()
        tab.page.click("#key-start")
        tab.until(f"{SHOWN}.keys.length === 1 && {SHOWN}.facts !== null", 300)
        tab.until(f"aesopStudio.store.camera({SHOWN}) !== null")
        seconds = time.perf_counter() - began
        row = tab.evaluate(f"[...aesopStudio.store.camera({SHOWN}).rows.slice(0, 3)]")
        wanted = tab.evaluate(f"{SHOWN}.keys[0].centre_m")
        off = float(np.linalg.norm(np.array(row) - np.array(wanted)))
        return {"shot_with_key_s": round(seconds, 1), "key_missed_by_m": round(off, 4)}


def _walk(seconds: float) -> Clip:
    """A way through a room: there, around, and back."""
    legs = [Leg(6.0, 1.2, 40.0), Leg(2.0, 0.0, 90.0), Leg(4.0, 1.0, -30.0)]
    motion = wander(legs * max(1, round(seconds / 12)))
    return Clip(motion, NATIVE_FPS, "walk", Provenance("made by AESOP's own code: a way"))


MEASURES: dict[str, Callable[["Browser", Path], dict[str, Any]]] = {
    "visit": measure_visit,
    "slider": measure_slider,
    "playing": measure_playing,
    "curve": measure_curve,
    "keys": measure_keys,
    "viewers": measure_viewers,
    "long": measure_long,
    "hostile": measure_hostile,
    "killed": measure_killed,
}


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--only", nargs="+", choices=list(MEASURES), default=list(MEASURES))
    asked = parser.parse_args().only
    known = json.loads(RESULT.read_text(encoding="utf-8")) if RESULT.exists() else {}
    with open_browser() as browser:
        for name in asked:
            before = load_now()
            with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
                known[name] = MEASURES[name](browser, Path(folder))
            known[name]["commit"] = code_state(ROOT).commit[:12]
            known[name]["load_average"] = [before, load_now()]  # before and after
            sys.stderr.write(f"{name}: {json.dumps(known[name])}\n")
            _write(known)


def load_now() -> float | None:
    """Processes that want a core, our own among them; None where the system does not say."""
    return round(os.getloadavg()[0], 1) if hasattr(os, "getloadavg") else None


def _write(known: dict[str, Any]) -> None:
    """After every measure: the next may take long."""
    known |= {
        "command": "python runs/studio.py",
        "processor": processor_name(),
        "load": "others worked on the same two cores",
    }
    RESULT.parent.mkdir(parents=True, exist_ok=True)
    RESULT.write_text(json.dumps(known, indent=2) + "\n", encoding="utf-8", newline="\n")


if __name__ == "__main__":
    main()
