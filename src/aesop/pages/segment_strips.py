"""Pages for people who write captions: a row of poses, a path from above and facts per segment.

Poses are stick figures from one fixed side, three-quarters from the front of the person at the
segment's start. The person's left limbs are blue, right limbs red.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from jaxtyping import Float
from PIL import Image, ImageDraw

from aesop.preview import colours
from aesop.preview.page import font
from aesop.scene.human import NATIVE_FPS
from aesop.scene.skeleton import JOINT, JOINT_NAMES, PARENTS

ROWS = 12
POSES = 8
WIDTH, ROW_HEIGHT, HEAD_HEIGHT = 1520, 164, 22
POSE_WIDTH, PATH_WIDTH = 122, 142
PIXELS_PER_M = 72.0  # smaller where a body would not fit
FLOOR_LEFT_PX = 26  # from the lower edge of the row up to the floor line
VIEW_DEGREES = 38.0  # from straight ahead of the person towards its left
TILT = 0.16  # what depth adds to height: the floor seen slightly from above
LEFT, RIGHT, MIDDLE = "#1668c7", "#d0342c", "#3c3f46"
TEXT_SIZE, MARK_SIZE = 14, 12

Joints = Float[np.ndarray, "frames 22 3"]
Curve = Float[np.ndarray, " frames"]


@dataclass(frozen=True, eq=False)
class StripRow:
    """One segment on a page."""

    title: str
    lines: Sequence[str]
    joints: Joints  # of the segment, its floor at 0
    yaw: Curve
    start_s: float


def strip_page(heading: str, rows: Sequence[StripRow]) -> Image.Image:
    """A page of up to `ROWS` segments."""
    assert 0 < len(rows) <= ROWS
    page = Image.new("RGB", (WIDTH, HEAD_HEIGHT + ROW_HEIGHT * len(rows)), colours.PAPER)
    pen = ImageDraw.Draw(page)
    legend = f"{heading}    blue: person's LEFT, red: person's RIGHT, arrow on the floor: facing"
    pen.text((8, 3), legend, font=font(TEXT_SIZE), fill=colours.INK)
    for number, row in enumerate(rows):
        top = HEAD_HEIGHT + number * ROW_HEIGHT
        pen.line([(0, top), (WIDTH, top)], fill=colours.FAINT_INK)
        _draw_poses(pen, row, top)
        _draw_path(pen, row, POSES * POSE_WIDTH + 4, top)
        _draw_text(pen, row, POSES * POSE_WIDTH + PATH_WIDTH + 12, top)
    return page


def _draw_poses(pen: ImageDraw.ImageDraw, row: StripRow, top: int) -> None:
    frames = np.linspace(0, len(row.joints) - 1, POSES).round().astype(int)
    across, depth = _view(float(row.yaw[0]))
    floor = top + ROW_HEIGHT - FLOOR_LEFT_PX
    poses = [_flat(row.joints[frame], across, depth) for frame in frames]
    tallest = max(float(pose[:, 1].max()) for pose in poses) + 0.2
    widest = max(float(np.ptp(pose[:, 0])) for pose in poses)
    scale = min(PIXELS_PER_M, (ROW_HEIGHT - FLOOR_LEFT_PX - 4) / tallest, POSE_WIDTH / widest)
    pen.line([(0, floor), (POSES * POSE_WIDTH, floor)], fill=colours.FLOOR_LINE)
    for column, (frame, pose) in enumerate(zip(frames.tolist(), poses, strict=True)):
        middle = column * POSE_WIDTH + POSE_WIDTH / 2
        shift = (pose[:, 0].min() + pose[:, 0].max()) / 2
        points = np.stack([middle + scale * (pose[:, 0] - shift), floor - scale * pose[:, 1]], -1)
        _draw_facing(pen, (middle, floor + 10), float(row.yaw[frame]), across, depth)
        _draw_body(pen, points, row.joints[frame], depth, scale)
        mark = f"{row.start_s + frame / NATIVE_FPS:.1f}s"
        pen.text((column * POSE_WIDTH + 3, top + 2), mark, font=font(MARK_SIZE), fill=colours.INK)


def _view(yaw: float) -> tuple[Float[np.ndarray, "2"], Float[np.ndarray, "2"]]:
    """Directions on the ground: to the right of the picture, and away from the viewer."""
    angle = yaw + np.deg2rad(VIEW_DEGREES)  # the viewer stands where this heading points
    towards_viewer = np.array([np.sin(angle), -np.cos(angle)])
    return np.array([-towards_viewer[1], towards_viewer[0]]), -towards_viewer


def _flat(
    joints: Float[np.ndarray, "22 3"],
    across: Float[np.ndarray, "2"],
    depth: Float[np.ndarray, "2"],
) -> Float[np.ndarray, "22 2"]:
    """Metres to the right and up in the picture, the hips' place on the ground at 0."""
    ground = joints[:, :2] - joints[0, :2]
    return np.stack([ground @ across, joints[:, 2] + TILT * (ground @ depth)], axis=-1)


def _colour(joint: int) -> str:
    name = JOINT_NAMES[joint]
    return LEFT if name.startswith("left") else RIGHT if name.startswith("right") else MIDDLE


def _draw_body(
    pen: ImageDraw.ImageDraw,
    points: Float[np.ndarray, "22 2"],
    joints: Float[np.ndarray, "22 3"],
    depth: Float[np.ndarray, "2"],
    scale: float,
) -> None:
    """Bones from the furthest to the nearest, hands as dots, the head with a nose."""
    away = joints[:, :2] @ depth
    bones = [(joint, parent) for joint, parent in enumerate(PARENTS) if parent >= 0]
    head, neck = JOINT["head"], JOINT["neck"]
    for joint, parent in sorted(bones, key=lambda bone: -float(away[list(bone)].mean())):
        ends = [tuple(points[parent]), tuple(points[joint])]
        pen.line(ends, fill=_colour(joint), width=4)
        if JOINT_NAMES[joint].endswith("wrist"):
            x, y = points[joint]
            pen.ellipse([x - 4, y - 4, x + 4, y + 4], fill=_colour(joint))
    # The head joint lies in front of the neck: that way the face looks.
    x, y = points[head] + 0.5 * (points[head] - points[neck])
    size = 0.1 * scale
    pen.ellipse([x - size, y - size, x + size, y + size], fill=colours.SKIN, outline=MIDDLE)


def _draw_facing(
    pen: ImageDraw.ImageDraw,
    foot: tuple[float, float],
    yaw: float,
    across: Float[np.ndarray, "2"],
    depth: Float[np.ndarray, "2"],
) -> None:
    ahead = np.array([np.sin(yaw), -np.cos(yaw)])
    tip = np.array([22.0 * (ahead @ across), -9.0 * (ahead @ depth)])
    _arrow(pen, np.array(foot) - tip / 2, np.array(foot) + tip / 2, colours.INK)


def _arrow(
    pen: ImageDraw.ImageDraw,
    tail: Float[np.ndarray, "2"],
    tip: Float[np.ndarray, "2"],
    colour: str,
) -> None:
    along = tip - tail
    length = max(float(np.linalg.norm(along)), 1.0)
    along, side = along / length, np.array([-along[1], along[0]]) / length
    barb = min(7.0, length)
    pen.line([tuple(tail), tuple(tip)], fill=colour, width=2)
    corners = [tip, tip - barb * along + 0.5 * barb * side, tip - barb * along - 0.5 * barb * side]
    pen.polygon([tuple(corner) for corner in corners], fill=colour)


def _draw_path(pen: ImageDraw.ImageDraw, row: StripRow, left: int, top: int) -> None:
    """The hips from above; the heading at the start points up. Green is start, red square end."""
    size, turn = min(PATH_WIDTH, ROW_HEIGHT) - 10, float(row.yaw[0])
    up, right = (
        np.array([np.sin(turn), -np.cos(turn)]),
        np.array([-np.cos(turn), -np.sin(turn)]),
    )
    way = row.joints[:, 0, :2] - row.joints[0, 0, :2]
    flat = np.stack([way @ right, -(way @ up)], axis=-1)
    low, high = flat.min(0), flat.max(0)
    metres = max(float((high - low).max()), 1.0) * 1.35
    pixels = size / metres
    centre = np.array([left + size / 2 + 2, top + ROW_HEIGHT / 2])
    points = centre + (flat - (low + high) / 2) * pixels
    pen.rectangle([left, top + 4, left + size + 4, top + ROW_HEIGHT - 4], outline=colours.FLOOR)
    pen.line([tuple(point) for point in points], fill=colours.FAINT_INK, width=2)
    for frame in np.linspace(0, len(points) - 1, 5).round().astype(int).tolist():
        ahead = np.array([np.sin(row.yaw[frame]), -np.cos(row.yaw[frame])])
        tip = np.array([ahead @ right, -(ahead @ up)]) * 16
        _arrow(pen, points[frame], points[frame] + tip, colours.INK)
    x, y = points[0]
    pen.ellipse([x - 5, y - 5, x + 5, y + 5], fill="#1f9d45")
    x, y = points[-1]
    pen.rectangle([x - 4, y - 4, x + 4, y + 4], fill=RIGHT)
    note = f"{metres:.1f} m wide"
    pen.text((left + 3, top + ROW_HEIGHT - 20), note, font=font(MARK_SIZE), fill=colours.FAINT_INK)


def _draw_text(pen: ImageDraw.ImageDraw, row: StripRow, left: int, top: int) -> None:
    pen.text((left, top + 3), row.title, font=font(TEXT_SIZE + 3), fill=colours.ACCENT)
    face = font(TEXT_SIZE)
    line_top = top + 24
    for line in row.lines:
        for part in _wrapped(pen, line, WIDTH - left - 4):
            if line_top < top + ROW_HEIGHT - TEXT_SIZE:
                pen.text((left, line_top), part, font=face, fill=colours.INK)
            line_top += TEXT_SIZE + 2


def _wrapped(pen: ImageDraw.ImageDraw, line: str, width: float) -> list[str]:
    parts, face = [""], font(TEXT_SIZE)
    for word in line.split():
        longer = f"{parts[-1]} {word}".strip()
        if parts[-1] and pen.textlength(longer, font=face) > width:
            parts.append(f"  {word}")
        else:
            parts[-1] = longer
    return parts
