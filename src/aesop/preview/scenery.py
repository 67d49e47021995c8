"""What stands in a picture: floor, person, paths and the filming camera, put together."""

from dataclasses import dataclass

import numpy as np
from jaxtyping import UInt8

from aesop.preview import colours, gear
from aesop.preview.canvas import Canvas, borrow, borrow_copy, develop
from aesop.preview.filming import lens_view
from aesop.preview.floor import paint_floor, repaint_floor
from aesop.preview.lighting import Softness, light_map
from aesop.preview.mannequin import mannequin
from aesop.preview.paint import Brush, paint_solids
from aesop.preview.shadow import cast_shadow, casters_of
from aesop.preview.solids import join
from aesop.preview.stage import Stage, outside_view
from aesop.preview.view import View


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
    threads = [gear.person_path(stage, view)]
    if stage.camera is not None:
        threads.append(gear.camera_path(stage, view))
    brush = Brush(stage.to_light, edge_samples=STILL.edge_samples)
    paint_solids(backdrop, view, join(threads), brush)
    return OutsideSet(view, backdrop)


def outside_picture(
    stage: Stage, outside: OutsideSet, frame: int, finish: Finish
) -> UInt8[np.ndarray, "height width 3"]:
    """One frame from outside."""
    canvas = borrow_copy(outside.backdrop)
    paint_person(canvas, outside.view, stage, frame, finish)
    if stage.camera is not None:
        paint_camera(canvas, outside.view, stage, frame, finish)
    return develop(canvas)


def lens_picture(
    stage: Stage, frame: int, size: tuple[int, int], finish: Finish
) -> UInt8[np.ndarray, "height width 3"]:
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
    """The filming camera, its plumb line, its frustum and the glass of its image."""
    accent = colours.linear(colours.ACCENT)
    parts = [
        gear.drop_line(stage, view, frame),
        gear.camera_body(stage, frame),
        gear.frustum(stage, view, frame, accent),
    ]
    paint_solids(canvas, view, join(parts), Brush(stage.to_light, edge_samples=finish.edge_samples))
    gear.paint_glass(canvas, view, gear.image_pane(stage, frame), accent, 0.16)
    gear.paint_glass(canvas, view, gear.up_mark(stage, frame), accent, 0.8)
