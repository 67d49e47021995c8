"""What the operator's hand has changed, in words, as far as anybody could see it."""

import torch

from aesop.director.clearance import NEAREST_M
from aesop.scene.camera import CameraPath
from aesop.scene.movement import TAG_NAMES, runs, tag_path
from aesop.scene.rotation import geodesic_distance

# A lens that changes by less is not worth a note, nor is a smaller turn a correction.
BREATHING_DEGREES = 1.0
CORRECTED_DEGREES = 0.05
MOVED_M = 0.001


def changes(take: CameraPath, camera: CameraPath, fps: float) -> list[str]:
    """Everything, for words that ask for movement alone."""
    notes = [*_lens_held(take, camera), *turned_note(take, camera), *_moved(take, camera)]
    was, now = (
        [TAG_NAMES[tag] for tag, _, _ in runs(tag_path(path, fps))] for path in (take, camera)
    )
    if was != now:
        changed = f"{', '.join(was)} became {', '.join(now)}"
        notes.append(f"movement changed by the correction: {changed}")
    return notes


def _lens_held(take: CameraPath, camera: CameraPath) -> list[str]:
    lens = torch.rad2deg(take.fov_vertical.double())
    if (breathing := float(lens.max() - lens.min())) <= BREATHING_DEGREES:
        return []
    fixed = float(torch.rad2deg(camera.fov_vertical[0]))
    return [f"lens held at {fixed:.1f}°: it changed by {breathing:.1f}°"]


def largest_turn_degrees(first: CameraPath, second: CameraPath) -> float:
    """The largest angle between two cameras in the same frame."""
    if first.world_from_camera is second.world_from_camera:
        return 0.0
    turns = first.world_from_camera.double(), second.world_from_camera.double()
    return float(torch.rad2deg(geodesic_distance(*turns)).max())


def turned_note(take: CameraPath, camera: CameraPath) -> list[str]:
    # The angle between equal turns is rounding, not a correction.
    if camera.world_from_camera is take.world_from_camera:
        return []
    turns = take.world_from_camera.double(), camera.world_from_camera.double()
    degrees = torch.rad2deg(geodesic_distance(*turns))
    if (share := float((degrees > CORRECTED_DEGREES).double().mean())) == 0:
        return []
    return [f"turned by up to {float(degrees.max()):.1f}° in {share:.0%} of the frames"]


def _moved(take: CameraPath, camera: CameraPath) -> list[str]:
    shifts = torch.linalg.vector_norm((camera.centre - take.centre).double(), dim=-1)
    if (shift := float(shifts.max())) <= MOVED_M:
        return []
    return [
        f"moved by up to {shift:.2g} m to stay {NEAREST_M:g} m off the body: travels "
        f"{float(camera.travel):.1f} m instead of {float(take.travel):.1f} m"
    ]


def lens_note(why: str, before: CameraPath, after: CameraPath) -> str:
    """ "size: lens 38° → 24°"; of a zoom, where it begins."""
    was, now = (float(torch.rad2deg(path.fov_vertical[0])) for path in (before, after))
    return f"{why}: lens {was:.0f}° → {now:.0f}°"
