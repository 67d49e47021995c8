"""The last resort of the operator's hand: where no turn that the movement allows holds the person,
a wider lens does, or a turn that the movement does not allow."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

import torch

from aesop.metrics.framing_metrics import seen_joints
from aesop.scene.camera import CameraPath, out_of_frame
from aesop.scene.human import Clip

# More frames without anybody than this are not left alone.
EMPTY_SHARE = 0.005
# How much wider the picture becomes, tried in this order, and the widest angle along an edge.
WIDER = (1.15, 1.3, 1.5, 1.75, 2.0, 2.4, 2.9, 3.5, 4.2, 5.0, 6.0, 7.5)
WIDEST_RAD = torch.pi * 110 / 180


@dataclass(frozen=True)
class Holder:
    """How a camera is aimed: as far as what was asked for allows, or as far as it takes."""

    as_allowed: Callable[[CameraPath], CameraPath]
    at_any_price: Callable[[CameraPath], CameraPath]
    is_lens_free: bool  # not where somebody chose the lens


def kept_in_picture(
    placed: CameraPath, steady: CameraPath, clip: Clip, holder: Holder
) -> CameraPath:
    """`steady`, which is `placed` after the hand has aimed it, where it holds the person; otherwise
    the least change of `placed` that does: of the lens first, then of the movement. The emptiest
    frames that remain are those of the best of all."""
    best, least = steady, empty_share(steady, clip)
    if least <= EMPTY_SHARE:
        return steady
    for tried in _ways(placed, holder):
        empty = empty_share(tried, clip)
        if empty < least:
            best, least = tried, empty
        if empty <= EMPTY_SHARE:
            break
    return best


def _ways(placed: CameraPath, holder: Holder) -> Iterator[CameraPath]:
    wider = list(_wider(placed)) if holder.is_lens_free else []
    yield from map(holder.as_allowed, wider)
    yield from map(holder.at_any_price, (placed, *wider))


def _wider(camera: CameraPath) -> Iterator[CameraPath]:
    for factor in WIDER:
        wider = scaled_lens(camera, factor)
        if float(torch.maximum(wider.fov_vertical, wider.fov_horizontal).max()) > WIDEST_RAD:
            return
        yield wider


def scaled_lens(camera: CameraPath, factor: float) -> CameraPath:
    """A picture so many times as wide and high where the person is."""
    fov = 2 * torch.atan(factor * torch.tan(camera.fov_vertical / 2))
    return replace(camera, fov_vertical=fov)


def empty_share(camera: CameraPath, clip: Clip) -> float:
    """Share of the frames in which nobody is seen, as Out counts."""
    return float(out_of_frame(seen_joints(camera, clip.motion)).double().mean())
