"""Video and picture files: rate, length, content, and nothing half-written."""

import os
import signal
import subprocess
import sys
import time
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import av
import numpy as np
import pytest
from PIL import Image

from aesop.core.errors import FileError
from aesop.core.pool import can_fork, in_order
from aesop.preview.drawing import FILM, build_side_by_side, page_picture
from aesop.preview.sheets import write_contact_sheet, write_grid_sheet, write_picture
from aesop.preview.video import encode, exact_rate, write_video
from tests.preview.makers import pushing_shot, walking_clip


def decoded(path: Path) -> tuple[av.VideoStream, list[np.ndarray]]:
    with av.open(str(path)) as container:
        stream = container.streams.video[0]
        return stream, [frame.to_ndarray(format="rgb24") for frame in container.decode(stream)]


@pytest.mark.parametrize(
    ("fps", "rate"),
    [(25.0, Fraction(25)), (29.97, Fraction(30000, 1001)), (12.5, Fraction(25, 2)), (120.0, 120)],
)
def test_videos_have_every_frame_at_the_exact_rate(tmp_path: Path, fps: float, rate: Fraction):
    path = tmp_path / "walk.mp4"
    clip = walking_clip(frames=7, fps=fps)
    write_video(clip, path, width=90)
    stream, frames = decoded(path)
    assert stream.average_rate == rate
    assert len(frames) == stream.frames == 7
    assert stream.codec_context.name == "h264"
    assert stream.codec_context.pix_fmt == "yuv420p"
    assert stream.duration is not None
    assert stream.time_base is not None
    # Files count time in units of their own.
    assert stream.duration * stream.time_base == pytest.approx(7 / rate, rel=1e-3)


def test_anonymous_videos_of_the_same_pictures_are_the_same_bytes(tmp_path: Path):
    """Small pictures, which encoders read beyond, and memory that is never the same twice."""
    at = np.indices((70, 62)).sum(0)
    pictures = [np.stack([at + 3 * n, 7 * at, at * at + n], -1).astype(np.uint8) for n in range(53)]
    made: set[bytes] = set()
    for attempt in range(23):
        used = [bytes([attempt]) * size for size in (997, 10_007, 100_003)]
        encode(tmp_path / "a.mp4", iter(pictures), 30.0, 53, None, is_anonymous=True)
        made.add((tmp_path / "a.mp4").read_bytes())
        del used
    assert len(made) == 1


def test_videos_show_the_page_frame_by_frame(tmp_path: Path):
    shot = pushing_shot(frames=5)
    path = tmp_path / "shot.mp4"
    write_video(shot, path, width=301)
    _, frames = decoded(path)
    page = build_side_by_side(shot, 302)
    for number, frame in enumerate(frames):
        drawn = page_picture(page, number, FILM)
        assert frame.shape == drawn.shape
        assert all(side % 2 == 0 for side in frame.shape[:2])
        # Colour is stored at half the resolution, so compare brightness.
        error = frame.mean(axis=-1) - drawn.mean(axis=-1)
        assert np.sqrt((error**2).mean()) < 3


def test_the_index_comes_first(tmp_path: Path):
    """A player on the web can start before the whole file is there."""
    path = tmp_path / "walk.mp4"
    write_video(walking_clip(frames=3), path, width=64)
    data = path.read_bytes()
    assert 0 < data.index(b"moov") < data.index(b"mdat")


def test_progress_counts_every_frame(tmp_path: Path):
    seen: list[tuple[int, int]] = []
    clip = walking_clip(frames=3)
    write_video(clip, tmp_path / "a.mp4", progress=lambda *step: seen.append(step), width=64)
    assert seen == [(1, 3), (2, 3), (3, 3)]


def test_an_interrupted_video_leaves_nothing_behind(tmp_path: Path):
    def stop(done: int, total: int) -> None:
        raise KeyboardInterrupt

    path = tmp_path / "a.mp4"
    path.write_bytes(b"the old video")
    with pytest.raises(KeyboardInterrupt):
        write_video(walking_clip(frames=5), path, progress=stop, width=64)
    assert path.read_bytes() == b"the old video"
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize("name", ["a.mp4", "a.png"])
def test_a_full_disk_is_reported_and_cleaned_up(tmp_path: Path, name: str):
    resource = pytest.importorskip("resource")
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    clip = walking_clip(frames=5)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1500, hard))
    try:
        with pytest.raises(FileError, match=name):
            (write_video if name == "a.mp4" else write_contact_sheet)(clip, tmp_path / name)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("name", ["a.avi", "a", "a.mp4.txt", "nowhere/a.mp4"])
def test_impossible_videos_are_refused_before_drawing(tmp_path: Path, name: str):
    def drawn(done: int, total: int) -> None:
        raise AssertionError("a frame was drawn")

    with pytest.raises(FileError, match=Path(name).name):
        write_video(walking_clip(), tmp_path / name, progress=drawn)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("name", ["a.png", "b.JPG", "c.jpeg", "d.webp"])
def test_stills_are_written_in_the_format_they_are_named_for(tmp_path: Path, name: str):
    path = tmp_path / name
    picture = np.zeros((7, 11, 3), np.uint8)
    picture[:, 5:] = 200
    write_picture(picture, path)
    with Image.open(path) as image:
        assert image.size == (11, 7)
        assert image.format == {"p": "PNG", "J": "JPEG", "j": "JPEG", "w": "WEBP"}[name[2]]
        assert np.abs(np.asarray(image).astype(int) - picture).mean() < 9


def test_stills_and_sheets_reach_the_disk(tmp_path: Path):
    shot, clip = pushing_shot(frames=3), walking_clip(frames=3)
    write_contact_sheet(clip, tmp_path / "clip.png")
    write_contact_sheet(shot, tmp_path / "sheet.png")
    write_grid_sheet([shot, clip], tmp_path / "grid.png")
    written = sorted(path.name for path in tmp_path.iterdir())
    assert written == ["clip.png", "grid.png", "sheet.png"]


@pytest.mark.parametrize("name", ["a.gif", "a", "nowhere/a.png"])
def test_impossible_stills_are_refused(tmp_path: Path, name: str):
    for subject in (pushing_shot(frames=3), walking_clip(frames=3)):
        with pytest.raises(FileError, match=Path(name).name):
            write_contact_sheet(subject, tmp_path / name)


@pytest.mark.parametrize(
    ("fps", "rate"),
    [
        (23.976, Fraction(24000, 1001)),
        (29.97, Fraction(30000, 1001)),
        (59.94, Fraction(60000, 1001)),
        (24.0, Fraction(24)),
        (30.0, Fraction(30)),
        (1000 / 40, Fraction(25)),
        (33.333, Fraction(33333, 1000)),
        (0.5, Fraction(1, 2)),
    ],
)
def test_rates_are_the_fractions_they_mean(fps: float, rate: Fraction):
    assert exact_rate(fps) == rate


@pytest.mark.parametrize("workers", [1, 2, 5])
def test_work_is_spread_but_comes_back_in_order(workers: int):
    def work(number: int) -> tuple[int, int]:
        time.sleep(0.002 * (number % 3))
        return number * number, os.getpid()

    results = list(in_order(work, 29, workers))
    assert [square for square, _ in results] == [number * number for number in range(29)]
    processes = {process for _, process in results}
    if workers > 1 and can_fork():
        assert len(processes) == workers and os.getpid() not in processes
    else:
        assert processes == {os.getpid()}


@pytest.mark.parametrize(
    ("system", "methods"), [("darwin", ["spawn", "fork"]), ("win32", ["spawn"])]
)
def test_one_core_draws_the_same_where_a_copy_of_the_process_cannot(
    monkeypatch: pytest.MonkeyPatch, system: str, methods: list[str]
):
    monkeypatch.setattr("aesop.core.pool.sys.platform", system)
    monkeypatch.setattr("aesop.core.pool.get_all_start_methods", lambda: methods)
    results = list(in_order(lambda number: (number, os.getpid()), 7, 3))
    assert results == [(number, os.getpid()) for number in range(7)]


def test_only_a_little_is_worked_out_ahead(tmp_path: Path):
    """A page is larger than a pipe, so a process waits until its last one was taken."""

    def work(number: int) -> bytes:
        (tmp_path / str(number)).touch()
        return bytes(1 << 20)

    results = in_order(work, 29, 2)
    next(results)
    time.sleep(0.2)
    assert len(list(tmp_path.iterdir())) <= 4
    results.close()


def test_a_failing_frame_is_reported():
    def work(number: int) -> int:
        if number == 5:
            raise ValueError("frame 5")
        return number

    with pytest.raises(ValueError, match="frame 5"):
        list(in_order(work, 11, 2))


def test_a_clip_at_another_rate_keeps_its_frames(tmp_path: Path):
    clip = replace(walking_clip(frames=5), fps=60.0)
    write_video(clip, tmp_path / "fast.mp4", width=64)
    assert len(decoded(tmp_path / "fast.mp4")[1]) == 5


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="the system kills in other ways")
@pytest.mark.parametrize("start", ["as usual", "spawn only"])
def test_killed_while_filming_neither_a_file_nor_a_process_is_left(tmp_path: Path, start: str):
    program = f"""
import os, signal
from pathlib import Path
from aesop.core import pool
from aesop.preview import video
from tests.preview.makers import walking_clip
if {start == "spawn only"}:
    pool.get_all_start_methods = lambda: ["spawn"]

def stop(done, total):
    if done == 59:  # the encoder has let go of some frames by then
        os.kill(os.getpid(), signal.SIGKILL)

pool.os.cpu_count = lambda: 3
video.write_video(walking_clip(frames=61), Path({str(tmp_path / "walk.mp4")!r}), stop, width=90)
"""
    # The processes that draw share this pipe: it ends when all of them have. The limit is for the
    # case that they never do.
    done = subprocess.run(
        [sys.executable, "-c", program], stdout=subprocess.PIPE, timeout=300, check=False
    )
    assert done.returncode == -signal.SIGKILL
    if sys.platform != "linux":  # where files have names, the next write clears up
        write_picture(np.zeros((3, 5, 3), np.uint8), tmp_path / "other.png")
        (tmp_path / "other.png").unlink()
    assert list(tmp_path.iterdir()) == []
