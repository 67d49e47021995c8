"""What is done to a decoded camera before it is shown: nothing that the paper does not do, or all
that an operator would. What is still wrong is corrected as little as possible."""

import re
from dataclasses import dataclass, field, replace
from typing import Literal, get_args

import numpy as np
import torch

from aesop.camera_words.outline import AskedCamera
from aesop.camera_words.request_reader import made_as_asked
from aesop.director.clearance import NEAREST_M, Body, above_floor, body_of, clear_of_body
from aesop.director.decoding import Decoding, rests
from aesop.director.hand import Sights, angles_of, followed, held, turns_of
from aesop.director.requests import RequestError
from aesop.scene.camera import CameraPath
from aesop.scene.human import Clip
from aesop.scene.movement import TAG_NAMES, runs, tag_path
from aesop.scene.picture_format import AS_DECODED, PictureFormat
from aesop.scene.rotation import geodesic_distance
from aesop.scene.skeleton import JOINT

# as-sampled: the first take as the paper decodes it, and nothing else; the paper's protocol.
# held: the same, held still where it rests and lifted where it would go below the floor.
# consistent: the first take, decoded so that place and aim agree, held and lifted.
# best-take: the best of several takes, decoded so; words are told to the model in plain terms.
# hand: the best take, and what is still wrong corrected by the operator's hand.
Finish = Literal["as-sampled", "held", "consistent", "best-take", "hand"]

LIFTED = "lifted by"  # how the note of a camera begins that would have gone below the floor
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


@dataclass(frozen=True)
class Finishing:
    """What a finish consists of."""

    decoding: Decoding
    chooses_take: bool
    is_steadied: bool
    # Held at rest and above the floor. Identities of results that are older have no word of it.
    is_held: bool = field(default=True, repr=False)
    # The model hears plain terms for what was understood (`director.model_words`).
    hears_plain: bool = field(default=False, repr=False)


FINISHINGS: dict[Finish, Finishing] = {
    "as-sampled": Finishing("paper", chooses_take=False, is_steadied=False, is_held=False),
    "held": Finishing("paper", chooses_take=False, is_steadied=False),
    "consistent": Finishing("consistent", chooses_take=False, is_steadied=False),
    "best-take": Finishing("consistent", chooses_take=True, is_steadied=False, hears_plain=True),
    "hand": Finishing("consistent", chooses_take=True, is_steadied=True, hears_plain=True),
}


def check_finish(finish: str) -> None:
    if finish not in FINISHINGS:
        known = ", ".join(get_args(Finish))
        raise RequestError(f"There is no finish {finish!r}.", f"Choose one of: {known}.")


def usual_picture(finish: Finish) -> PictureFormat:
    """What users get who ask for no picture: 16:9, but what the paper decodes as it decodes it."""
    return AS_DECODED if finish == "as-sampled" else PictureFormat()


def finished(
    camera: CameraPath, clip: Clip, words: str, asked: AskedCamera | None, how: Finishing
) -> tuple[CameraPath, list[str]]:
    """The camera as it is shown, and what was done to it. `asked` is what its words ask for."""
    if not how.is_held:
        return camera, []
    camera, notes = rested_and_lifted(camera, clip)
    if not how.is_steadied:
        return camera, notes
    camera, corrections = steadied(camera, clip, asked, is_aim_free=aims_elsewhere(words))
    return camera, notes + corrections


def rested_and_lifted(camera: CameraPath, clip: Clip) -> tuple[CameraPath, list[str]]:
    """A camera that rests held still, one below the floor lifted, and what is worth a note."""
    resting = held_at_rest(camera, clip.fps)
    lifted = above_floor(resting, clip.motion)
    if lifted is resting:
        return resting, []
    lift = float(lifted.centre[0, 2] - resting.centre[0, 2])
    return lifted, [f"{LIFTED} {lift:.2g} m to stay above the floor"]


def held_at_rest(camera: CameraPath, fps: float) -> CameraPath:
    """A camera that rests is held where it is on average: what is left of its way is not movement
    but the flow's and the codec's last error, and no tripod breathes. It still turns and zooms."""
    if not rests(camera, fps):
        return camera
    middle = camera.centre.mean(dim=0)
    return replace(camera, centre=middle.expand_as(camera.centre).contiguous())


def aims_elsewhere(words: str) -> bool:
    """Whether words ask the camera to look at something else than the person, as in "tilts up to
    the sky": then nobody is to be brought back into the picture."""
    return bool(_ELSEWHERE.search(words.lower()))


def steadied(
    camera: CameraPath, clip: Clip, asked: AskedCamera | None, is_aim_free: bool = False
) -> tuple[CameraPath, list[str]]:
    """The take as an operator's hand would have filmed it, and what was corrected. Without `asked`
    no movement is defended. A take with nothing wrong comes back as the same object."""
    body = body_of(clip.motion)
    placed = clear_of_body(above_floor(_with_one_lens(camera), clip.motion), clip, body)

    def is_right(path: CameraPath) -> bool:
        return asked is not None and made_as_asked(asked, path, clip.motion, clip.fps).right

    was_right = is_right(placed)  # distance from the body goes before movement
    limits = (0.0,) if is_aim_free else LARGEST_TURNS_DEGREES
    steady, limit = placed, limits[0]
    for limit in limits:
        steady = _turned(placed, clip, body, np.radians(limit))
        if not was_right or is_right(steady):
            break
    notes = _corrections(camera, steady, clip.fps)
    if limit in limits[1:]:
        notes.append(f"turned by no more than {limit:g}° to keep the movement asked for")
    return steady, notes


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


def _corrections(take: CameraPath, camera: CameraPath, fps: float) -> list[str]:
    """What the hand changed, as far as anybody could see it."""
    notes: list[str] = []
    lens = torch.rad2deg(take.fov_vertical.double())
    if (breathing := float(lens.max() - lens.min())) > BREATHING_DEGREES:
        fixed = float(torch.rad2deg(camera.fov_vertical[0]))
        notes.append(f"lens held at {fixed:.1f}°: it changed by {breathing:.1f}°")
    # The angle between equal turns is rounding, not a correction.
    if camera.world_from_camera is not take.world_from_camera:
        turns = take.world_from_camera.double(), camera.world_from_camera.double()
        degrees = torch.rad2deg(geodesic_distance(*turns))
        if (share := float((degrees > CORRECTED_DEGREES).double().mean())) > 0:
            largest = float(degrees.max())
            notes.append(f"turned by up to {largest:.1f}° in {share:.0%} of the frames")
    shifts = torch.linalg.vector_norm((camera.centre - take.centre).double(), dim=-1)
    if (shift := float(shifts.max())) > MOVED_M:
        notes.append(
            f"moved by up to {shift:.2g} m to stay {NEAREST_M:g} m off the body: travels "
            f"{float(camera.travel):.1f} m instead of {float(take.travel):.1f} m"
        )
    was, now = (
        [TAG_NAMES[tag] for tag, _, _ in runs(tag_path(path, fps))] for path in (take, camera)
    )
    if was != now:
        changed = f"{', '.join(was)} became {', '.join(now)}"
        notes.append(f"movement changed by the correction: {changed}")
    return notes
