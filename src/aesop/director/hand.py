"""The operator's hand: what is still wrong with a take is corrected, as little as possible.

Wishes that collide yield in this order: distance from the body, the movement asked for, turns
below 90 °/s, the person in the picture. Travel, speed and place stay as sampled, except where the
camera would come too near to the body.
"""

import re
from dataclasses import dataclass, replace

import numpy as np
import torch

from aesop.data.fables.asked_moves import CameraWish
from aesop.data.fables.wishes import made_as_asked
from aesop.director.aiming import followed, held
from aesop.director.clearance import NEAREST_M, Body, body_of, clear_of_body
from aesop.director.safe_area import Sights, angles_of, turns_of
from aesop.director.tidying import above_floor, rests
from aesop.scene.camera import CameraPath
from aesop.scene.human import Clip
from aesop.scene.movement import TAG_NAMES, runs, tag_path
from aesop.scene.rotation import geodesic_distance
from aesop.scene.skeleton import JOINT

# A lens that changes by less is not worth a note, nor is a smaller turn a correction.
BREATHING_DEGREES = 1.0
CORRECTED_DEGREES = 0.05
MOVED_M = 0.001
# How far the hand may turn, tried in this order while a turn costs the movement asked for.
LARGEST_TURNS_DEGREES = (180.0, 30.0, 20.0, 10.0, 5.0, 0.0)
_ELSEWHERE = re.compile(
    r"\b(?:tilt|pan|look|aim|point|turn|swivel|glanc|gaz)\w*\b[^.;!?]*"
    r"\b(?:sky|ceiling|clouds?|sun|moon|stars|horizon|ground|floor|feet|shoes|landscape|scenery"
    r"|background|surroundings|away|off into)\b"
)


@dataclass(frozen=True, eq=False)
class Handled:
    """A corrected camera, what to tell about it, and by how much it was corrected."""

    camera: CameraPath
    notes: tuple[str, ...]
    turn_degrees: float  # the largest turn of a frame
    turned_share: float  # of the frames
    breathing_degrees: float  # change of the lens that was taken out
    shift_m: float  # the largest way by which a centre moved
    is_movement_changed: bool  # classes of movement are no longer those of the take


def aims_elsewhere(words: str) -> bool:
    """Whether words ask the camera to look at something else than the person, as in "tilts up to
    the sky": then nobody is to be brought back into the picture."""
    return bool(_ELSEWHERE.search(words.lower()))


def steadied(
    camera: CameraPath, clip: Clip, wish: CameraWish | None, is_aim_free: bool = False
) -> Handled:
    """The take as an operator's hand would have filmed it; without a wish, no movement is defended.
    A take with nothing wrong comes back as the same object."""
    body = body_of(clip.motion)
    placed = clear_of_body(above_floor(_with_one_lens(camera), clip.motion), clip, body)

    def is_right(path: CameraPath) -> bool:
        return wish is not None and made_as_asked(wish, path, clip.motion, clip.fps).right

    was_right = is_right(placed)  # distance from the body goes before movement
    limits = (0.0,) if is_aim_free else LARGEST_TURNS_DEGREES
    steady, limit = placed, limits[0]
    for limit in limits:
        steady = _turned(placed, clip, body, np.radians(limit))
        if not was_right or is_right(steady):
            break
    handled = _handled(camera, steady, clip.fps)
    if limit in limits[1:]:
        bound = f"turned by no more than {limit:g}° to keep the movement asked for"
        handled = replace(handled, notes=(*handled.notes, bound))
    return handled


def _with_one_lens(camera: CameraPath) -> CameraPath:
    """The lens at its median: no words ask for a zoom."""
    lens = camera.fov_vertical
    if bool((lens == lens[0]).all()):
        return camera
    return replace(camera, fov_vertical=lens.median().expand_as(lens).contiguous())


def _turned(camera: CameraPath, clip: Clip, body: Body, largest: float) -> CameraPath:
    """Aimed by the hand, with no correction of a moving camera larger than `largest` (radians)."""
    sights = _sights(camera, clip, body)
    is_tripod = rests(camera, clip.fps) and largest > 0
    aim = held(sights, clip.fps) if is_tripod else followed(sights, clip.fps, largest)
    was = angles_of(sights.turns)
    changed = np.stack([aim.pan - was.pan, aim.tilt - was.tilt, aim.roll - was.roll]) != 0
    if not changed.any():
        return camera
    # A held aim is one curve: rounding must not make its untouched frames twitch.
    is_new = changed.any(0) | is_tripod
    turns = np.where(is_new[:, None, None], turns_of(aim), sights.turns)
    return replace(camera, world_from_camera=torch.from_numpy(turns).to(camera.world_from_camera))


def _sights(camera: CameraPath, clip: Clip, body: Body) -> Sights:
    centre = camera.centre.double().cpu().numpy()
    joints = clip.motion.joints.double().cpu().numpy()
    return Sights(
        turns=camera.world_from_camera.double().cpu().numpy(),
        tan_half=camera.tan_half_fov.double().cpu().numpy(),
        head=joints[:, JOINT["head"]] - centre,
        crown=body.crown - centre,
        hips=joints[:, JOINT["pelvis"]] - centre,
    )


def _handled(take: CameraPath, camera: CameraPath, fps: float) -> Handled:
    turn = torch.rad2deg(
        geodesic_distance(take.world_from_camera.double(), camera.world_from_camera.double())
    )
    lens = torch.rad2deg(take.fov_vertical.double())
    shift = torch.linalg.vector_norm((camera.centre - take.centre).double(), dim=-1)
    is_turned = camera.world_from_camera is not take.world_from_camera
    before, after = _outline(take, fps), _outline(camera, fps)
    handled = Handled(
        camera=camera,
        notes=(),
        # The angle between equal turns is rounding, not a correction.
        turn_degrees=float(turn.max()) if is_turned else 0.0,
        turned_share=float((turn > CORRECTED_DEGREES).double().mean()) if is_turned else 0.0,
        breathing_degrees=float(lens.max() - lens.min()),
        shift_m=float(shift.max()),
        is_movement_changed=before != after,
    )
    return replace(handled, notes=_notes(handled, take, before, after))


def _outline(camera: CameraPath, fps: float) -> tuple[int, ...]:
    return tuple(tag for tag, _, _ in runs(tag_path(camera, fps)))


def _notes(
    handled: Handled, take: CameraPath, before: tuple[int, ...], after: tuple[int, ...]
) -> tuple[str, ...]:
    notes: list[str] = []
    if handled.breathing_degrees > BREATHING_DEGREES:
        lens = float(torch.rad2deg(handled.camera.fov_vertical[0]))
        notes.append(f"lens held at {lens:.1f}°: it changed by {handled.breathing_degrees:.1f}°")
    if handled.turned_share > 0:
        largest, share = handled.turn_degrees, handled.turned_share
        notes.append(f"turned by up to {largest:.1f}° in {share:.0%} of the frames")
    if handled.shift_m > MOVED_M:
        notes.append(
            f"moved by up to {handled.shift_m:.2g} m to stay {NEAREST_M:g} m off the body: travels "
            f"{float(handled.camera.travel):.1f} m instead of {float(take.travel):.1f} m"
        )
    if handled.is_movement_changed:
        was, now = (", ".join(TAG_NAMES[tag] for tag in tags) for tags in (before, after))
        notes.append(f"movement changed by the correction: {was} became {now}")
    return tuple(notes)
