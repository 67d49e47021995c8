"""Videos through the lens: the picture itself, and what lies over it without hiding it."""

from dataclasses import replace
from pathlib import Path

import av
import numpy as np
import pytest

from aesop.export.export_files import write_export
from aesop.preview.canvas import Picture
from aesop.preview.drawing import FILM, lens_picture
from aesop.preview.lens_video import SAFE_SHARES, with_overlay
from aesop.preview.stage import stage_of
from tests.preview.makers import pushing_shot

SIZE = WIDTH, HEIGHT = 422, 238
SHOT = replace(pushing_shot(frames=5), resolution_px=SIZE)
GREY = np.full((HEIGHT, WIDTH, 3), 90, np.uint8)


def bare(frame: int) -> Picture:
    return lens_picture(stage_of(SHOT), frame, SIZE, FILM)


def decoded(path: Path) -> list[np.ndarray]:
    with av.open(str(path)) as container:
        return [frame.to_ndarray(format="rgb24").mean(-1) for frame in container.decode(video=0)]


@pytest.mark.parametrize("suffix", [".lens.mp4", ".overlay.mp4"])
def test_the_video_is_the_picture_through_the_lens(tmp_path: Path, suffix: str):
    path = tmp_path / f"walk{suffix}"
    write_export(SHOT, path)
    draw = bare if suffix == ".lens.mp4" else with_overlay(SHOT, SIZE, bare)
    frames = decoded(path)
    assert len(frames) == SHOT.frames
    for number, frame in enumerate(frames):
        drawn = draw(number).mean(-1)
        assert frame.shape == drawn.shape
        assert np.sqrt(((frame - drawn) ** 2).mean()) < 3  # colour has half the resolution


def test_an_overlay_leaves_the_picture_free_between_its_lines():
    over = with_overlay(SHOT, SIZE, lambda _: GREY)
    first, last = over(0).astype(int), over(SHOT.frames - 1).astype(int)
    touched = np.abs(first - GREY).max(-1) > 0
    # Guides cross the whole picture at thirds, and nowhere else in its middle.
    x, y = round(WIDTH / 3), round(HEIGHT / 3)
    assert touched[:, x].all() and touched[y].all()
    assert touched[:, WIDTH - x].all() and touched[HEIGHT - y].all()
    assert not touched[y + 2 : HEIGHT - y - 2, x + 2 : WIDTH - x - 2].any()
    for share in SAFE_SHARES:
        edge = round(WIDTH * (1 - share) / 2)
        assert touched[HEIGHT // 2, edge - 1 : edge + 2].any()
    # Only the time changes, at the bottom right (the lens is fixed).
    changed = np.abs(first - last).max(-1) > 0
    assert changed.any()
    rows, columns = np.nonzero(changed)
    assert rows.min() > 2 * HEIGHT / 3 and columns.min() > WIDTH / 2


def test_words_of_any_length_stay_inside():
    long = replace(SHOT, camera_words="the camera pushes in " * 40)
    over = with_overlay(long, SIZE, lambda _: GREY)(0)
    margin = round(WIDTH * (1 - SAFE_SHARES[0]) / 2) - 2
    rows = slice(round(HEIGHT * 0.70), round(HEIGHT * 0.94))
    assert (over[rows, :margin] == 90).all() and (over[rows, WIDTH - margin :] == 90).all()


@pytest.mark.parametrize("level", [15, 90, 235])
def test_lines_and_words_stand_out_from_any_ground(level: int):
    ground = np.full((HEIGHT, WIDTH, 3), level, np.uint8)
    over = with_overlay(SHOT, SIZE, lambda _: ground)(0).astype(int).mean(-1)
    x, y = round(WIDTH / 3), round(HEIGHT / 3)
    beside = over[y : y + 2, WIDTH // 2], over[HEIGHT // 2, x : x + 2]
    assert all(np.ptp([level, *line]) > 40 for line in beside)
    # Words bring their own ground: every letter has a dark edge.
    for corner in (over[: HEIGHT // 6, : WIDTH // 4], over[-HEIGHT // 6 :, -WIDTH // 4 :]):
        assert np.ptp(corner) > 120
