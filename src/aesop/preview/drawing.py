"""Draw a shot or a clip: from outside, through the lens, side by side, or a whole motion in one
picture."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from aesop.core.errors import ClipError
from aesop.preview import colours
from aesop.preview.canvas import (
    SMALLEST_PAGE_PX,
    Canvas,
    Picture,
    View,
    borrow,
    borrow_copy,
    check_size,
    develop,
    fit_aspect,
    level_axes,
)
from aesop.preview.ground import cast_shadow, casters_of, paint_floor, repaint_floor
from aesop.preview.mannequin import mannequin
from aesop.preview.page import Box, Words, badge, blank_page, letterbox, place, write_words
from aesop.preview.painting import Brush, Softness, light_map, paint_solids
from aesop.preview.ray_casting import join
from aesop.preview.stage import (
    DrawnCamera,
    Stage,
    camera_body,
    camera_path,
    drop_line,
    frustum,
    lens_view,
    outside_view,
    paint_glass,
    person_path,
    stage_of,
    time_colour,
    up_mark,
)
from aesop.scene.human import Clip
from aesop.scene.shot import Shot


@dataclass(frozen=True)
class Finish:
    """How finely a picture is worked out: rays per outline pixel, picture seen from the lamp."""

    edge_samples: int
    lamp_px: int
    softness: Softness


FILM = Finish(5, 144, "quick")
STILL = Finish(16, 256, "soft")


@dataclass(frozen=True, eq=False)
class OutsideSet:
    """What stays the same from frame to frame in the view from outside."""

    view: View
    backdrop: Canvas


def build_outside(stage: Stage, size: tuple[int, int]) -> OutsideSet:
    """Floor and paths, drawn once."""
    view = outside_view(stage, size)
    backdrop = paint_floor(view, stage.floor)
    threads = [person_path(stage, view)]
    if stage.camera is not None:
        threads.append(camera_path(stage.camera, view))
    brush = Brush(stage.to_light, edge_samples=STILL.edge_samples)
    paint_solids(backdrop, view, join(threads), brush)
    return OutsideSet(view, backdrop)


def outside_picture(stage: Stage, outside: OutsideSet, frame: int, finish: Finish) -> Picture:
    """One frame from outside."""
    canvas = borrow_copy(outside.backdrop)
    paint_person(canvas, outside.view, stage, frame, finish)
    paint_camera(canvas, outside.view, stage, frame, finish)
    return develop(canvas)


def lens_picture(stage: Stage, frame: int, size: tuple[int, int], finish: Finish) -> Picture:
    """One frame through the lens; the picture fills the given size."""
    assert stage.camera is not None
    view = lens_view(stage.camera, frame, *size)
    canvas = borrow(*size)
    repaint_floor(canvas, view, stage.floor)
    paint_person(canvas, view, stage, frame, finish)
    return develop(canvas)


def paint_person(
    canvas: Canvas, view: View, stage: Stage, frame: int, finish: Finish, opacity: float = 1.0
) -> None:
    """The mannequin and its shadow."""
    body = mannequin(stage.joints[frame], stage.turns[frame])
    casters = casters_of(body)
    cast_shadow(canvas, view, casters, stage.to_light, opacity)
    shadows = light_map(casters, stage.to_light, finish.lamp_px, finish.softness)
    paint_solids(canvas, view, body, Brush(stage.to_light, shadows, opacity, finish.edge_samples))


def paint_camera(canvas: Canvas, view: View, stage: Stage, frame: int, finish: Finish) -> None:
    """The filming camera, if any: its plumb line, its frustum and the glass of its image."""
    if (camera := stage.camera) is None:
        return
    accent = colours.linear(colours.ACCENT)
    edges = frustum(camera, view, frame, accent)
    parts = [drop_line(camera, view, frame), camera_body(camera, frame), edges]
    paint_solids(canvas, view, join(parts), Brush(stage.to_light, edge_samples=finish.edge_samples))
    paint_glass(canvas, view, camera.corners[frame], accent, 0.16)
    paint_glass(canvas, view, up_mark(camera, frame), accent, 0.8)


MOST_POSES = 7
STAYS_M = 0.6  # a motion that keeps this close to one place is shown as a row of poses
ROW_POSES, ROW_GAP_M = 5, 0.95
POSE_GAP_M = 0.75  # the pelvis moves at least this far between two drawn poses
FAINTEST, STRONGEST = 0.22, 0.62  # opacity of the first and the last but one pose


def key_frames(frames: int) -> list[int]:
    """First, middle and last frame."""
    return [0, (frames - 1) // 2, frames - 1]


def pose_frames(stage: Stage, wanted: Sequence[int]) -> list[int]:
    """The wanted frames, and more between them where the person has moved on far enough."""
    root = stage.joints[:, 0]
    chosen = sorted(set(wanted))
    candidates = np.linspace(0, stage.frames - 1, 4 * MOST_POSES).round().astype(int).tolist()
    while len(chosen) < MOST_POSES:
        gaps = [np.linalg.norm(root[chosen] - root[frame], axis=-1).min() for frame in candidates]
        widest = int(np.argmax(gaps))
        if gaps[widest] < POSE_GAP_M:
            break
        chosen = sorted({*chosen, candidates[widest]})
    return chosen


def poses_panel(stage: Stage, size: tuple[int, int]) -> Picture:
    """A motion without camera: fading poses where it travels, a row of poses where it stays."""
    root = stage.joints[:, 0, :2]
    if np.linalg.norm(root - root.mean(axis=0), axis=-1).max() >= STAYS_M:
        return global_panel(stage, size, key_frames(stage.frames))
    frames = np.unique(np.linspace(0, stage.frames - 1, ROW_POSES).round().astype(int))
    # Side by side as seen, so that poses in one place do not hide each other.
    right = level_axes(-stage.outside_from)[:, 0]
    shift = np.arange(len(frames))[:, None] * ROW_GAP_M * right
    row = replace(stage, joints=stage.joints[frames] + shift[:, None], turns=stage.turns[frames])
    view = outside_view(row, size)
    canvas = paint_floor(view, row.floor)
    for pose in range(row.frames):
        paint_person(canvas, view, row, pose, STILL)
    return develop(canvas)


def global_panel(stage: Stage, size: tuple[int, int], times: Sequence[int]) -> Picture:
    """Fading poses (later is stronger), the paths, and the frusta at the given times."""
    outside = build_outside(stage, size)
    canvas, view = outside.backdrop, outside.view
    poses = pose_frames(stage, times)
    opacities = [*np.linspace(FAINTEST, STRONGEST, len(poses) - 1).tolist(), 1.0]
    for frame, opacity in zip(poses, opacities, strict=True):
        paint_person(canvas, view, stage, frame, STILL, opacity)
    if stage.camera is None:
        return develop(canvas)
    _paint_frusta(canvas, view, stage, stage.camera, times)
    picture = develop(canvas)
    for number, frame in enumerate(times):
        tip = view.in_camera(up_mark(stage.camera, frame)[2])
        if tip[2] > 0:  # a badge stands just above the top edge of a frustum's image
            column, row = view.pixels(tip).tolist()
            middle = column, row - view.height / 60
            badge(picture, str(number + 1), middle, max(size[0] // 90, 5))
    return picture


def _paint_frusta(
    canvas: Canvas, view: View, stage: Stage, camera: DrawnCamera, times: Sequence[int]
) -> None:
    tints = time_colour(np.array(times) / max(stage.frames - 1, 1))
    parts = [frustum(camera, view, frame, tint) for frame, tint in zip(times, tints, strict=True)]
    parts.append(camera_body(camera, times[-1]))
    parts += [drop_line(camera, view, frame) for frame in (times[0], times[-1])]
    paint_solids(canvas, view, join(parts), Brush(stage.to_light, edge_samples=STILL.edge_samples))
    for frame, tint in zip(times, tints, strict=True):
        paint_glass(canvas, view, camera.corners[frame], tint, 0.15)
        paint_glass(canvas, view, up_mark(camera, frame), tint, 0.8)


PAGE_WIDTH_PX = 1280
OUTSIDE_ASPECT = 1.25
TALLEST_SHARE = 0.46  # of the page's width, so that upright pictures stay on a screen


@dataclass(frozen=True, eq=False)
class SideBySide:
    """A page ready to take its panels frame by frame; a clip without camera has no lens panel."""

    stage: Stage
    outside: OutsideSet
    outside_box: Box
    lens_box: Box | None
    clock: Words
    paper: Picture


def build_side_by_side(subject: Shot | Clip, width: int = PAGE_WIDTH_PX) -> SideBySide:
    """Lay out the page for a shot or a clip and draw everything that does not move."""
    check_size((width, width), SMALLEST_PAGE_PX)
    stage = stage_of(subject)
    unit = max(width // 80, 2)
    outside_box, lens_box = _panels(stage, width, unit)
    text_size = max(round(1.1 * unit), 6)
    below = outside_box.top + outside_box.height + unit // 2
    height = below + 4 * text_size + unit
    paper = blank_page(width, height + height % 2)
    half = (width - 3 * unit) // 2
    clock = Words("", width - unit, below, half, text_size, colours.FAINT_INK, is_right=True)
    write_words(paper, _captions(subject, unit, below, text_size, width - 2 * unit - half // 2))
    outside = build_outside(stage, outside_box.size)
    return SideBySide(stage, outside, outside_box, lens_box, clock, paper)


def page_picture(page: SideBySide, frame: int, finish: Finish) -> Picture:
    """The whole page at one frame."""
    picture = page.paper.copy()
    panel = outside_picture(page.stage, page.outside, frame, finish)
    place(picture, panel, page.outside_box.left, page.outside_box.top)
    if page.lens_box is not None:
        panel = lens_panel(page.stage, frame, page.lens_box.size, finish)
        place(picture, panel, page.lens_box.left, page.lens_box.top)
    clock = page.clock
    text = f"{frame / page.stage.fps:.2f} s, frame {frame + 1} of {page.stage.frames}"
    strip = picture[clock.top : clock.top + 2 * clock.size, clock.left - clock.width : clock.left]
    words = Words(text, clock.width, 0, clock.width, clock.size, clock.colour, is_right=True)
    write_words(strip, [words])
    return picture


def lens_panel(stage: Stage, frame: int, size: tuple[int, int], finish: Finish) -> Picture:
    """The lens view in its own aspect ratio, in the middle of a panel."""
    assert stage.camera is not None
    fitted = fit_aspect(stage.camera.aspect, size)
    picture = lens_picture(stage, frame, fitted, finish)
    return picture if fitted == size else letterbox(picture, size)


def _panels(stage: Stage, width: int, unit: int) -> tuple[Box, Box | None]:
    """Two panels of one height; the lens panel has the lens's aspect ratio."""
    inner = width - 2 * unit
    if stage.camera is None:
        return Box(unit, unit, inner, max(round(inner / 1.6), 2)), None
    aspect = min(max(stage.camera.aspect, 0.2), 5.0)
    height = min((inner - unit) / (OUTSIDE_ASPECT + aspect), TALLEST_SHARE * width)
    lens_width = max(round(height * aspect), 2)
    outside_width = max(inner - unit - lens_width, 2)
    tall = max(round(height), 2)
    return (
        Box(unit, unit, outside_width, tall),
        Box(unit + outside_width + unit, unit, lens_width, tall),
    )


def _captions(subject: Shot | Clip, left: int, top: int, size: int, width: int) -> list[Words]:
    if isinstance(subject, Clip):
        return [Words(subject.name, left, top, width, size)]
    first = subject.camera_words or subject.clip.name
    lines = [Words(first, left, top, width, size)]
    if subject.human_words:
        below = top + round(1.5 * size)
        lines.append(Words(subject.human_words, left, below, width, size, colours.FAINT_INK))
    return lines


def draw_outside(subject: Shot | Clip, frame: int, size: tuple[int, int]) -> Picture:
    """One frame from outside: person, filming camera (if any) and their paths."""
    check_size(size)
    if not 0 <= frame < subject.frames:
        raise ClipError(
            f"Frame {frame} was asked for, but there are {subject.frames} frames.",
            f"Choose a frame from 0 to {subject.frames - 1}.",
        )
    stage = stage_of(subject)
    return outside_picture(stage, build_outside(stage, size), frame, STILL)
