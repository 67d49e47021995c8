"""What is done to a decoded camera before it is shown: nothing that the paper does not do, or all
that an operator would. What is still wrong is corrected as little as possible."""

import re
from dataclasses import dataclass, field, replace
from typing import Literal, get_args

import numpy as np

from aesop.camera_words.made_as_asked import made_as_asked
from aesop.camera_words.outline import AskedCamera
from aesop.director.aiming import aimed_camera
from aesop.director.asked_hand import (
    LARGEST_TURNS_DEGREES,
    USUAL_MANNER,
    HandManner,
    keeps_shake,
    steadied_as_asked,
    with_one_lens,
)
from aesop.director.clearance import above_floor, body_of, clear_of_body
from aesop.director.correction_notes import changes, largest_turn_degrees, lens_note
from aesop.director.decoding import Decoding, rests
from aesop.director.facts_filming import AskedFacts
from aesop.director.keep_in_picture import Holder, kept_in_picture
from aesop.director.requests import RequestError
from aesop.director.timed_steps import held_in_rests
from aesop.scene.camera import CameraPath
from aesop.scene.human import Clip
from aesop.scene.picture_format import AS_DECODED, PictureFormat

# as-sampled: the first take as the paper decodes it, and nothing else; the paper's protocol.
# held: the same, held still where it rests and lifted where it would go below the floor.
# consistent: the first take, decoded so that place and aim agree, held and lifted.
# best-take: the best of several takes, decoded so; words are told to the model in plain terms.
# hand: the best take, and what is still wrong corrected by the operator's hand.
Finish = Literal["as-sampled", "held", "consistent", "best-take", "hand"]

_STRAYED_M = 0.01  # less is not worth a correction
LIFTED = "lifted by"  # how the note of a camera begins that would have gone below the floor
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
    camera: CameraPath,
    clip: Clip,
    words: str,
    asked: AskedFacts | None,
    how: Finishing,
    manner: HandManner = USUAL_MANNER,
) -> tuple[CameraPath, list[str]]:
    """The camera as it is shown, and what was done to it. `asked` is what its words ask for."""
    if not how.is_held:
        return camera, []
    facts = None if asked is None or asked.movement is not None else asked.facts
    if how.is_steadied and facts is not None and keeps_shake(facts):
        camera, notes = _lifted(camera, clip)
    else:
        camera, notes = rested_and_lifted(camera, clip)
    if not how.is_steadied:
        return camera, notes
    if asked is not None and asked.timeline and not keeps_shake(asked.facts):
        camera, held = _held_in_rests(camera, asked, clip)
        notes += held
    is_aim_free = aims_elsewhere(words)
    if asked is None or facts is None:
        movement = None if asked is None else asked.movement
        camera, corrections = steadied(camera, clip, movement, is_aim_free, manner)
    else:
        camera, corrections = steadied_as_asked(camera, clip, asked, is_aim_free, manner)
    return camera, notes + corrections


def _held_in_rests(
    camera: CameraPath, asked: AskedFacts, clip: Clip
) -> tuple[CameraPath, list[str]]:
    held, strayed = held_in_rests(camera, asked.spans(clip))
    if strayed < _STRAYED_M:
        return camera, []
    return held, [f"held still between its steps: it strayed by {strayed:.2g} m"]


def rested_and_lifted(camera: CameraPath, clip: Clip) -> tuple[CameraPath, list[str]]:
    """A camera that rests held still, one below the floor lifted, and what is worth a note."""
    return _lifted(held_at_rest(camera, clip.fps), clip)


def _lifted(camera: CameraPath, clip: Clip) -> tuple[CameraPath, list[str]]:
    lifted = above_floor(camera, clip.motion)
    if lifted is camera:
        return camera, []
    lift = float(lifted.centre[0, 2] - camera.centre[0, 2])
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
    camera: CameraPath,
    clip: Clip,
    asked: AskedCamera | None,
    is_aim_free: bool = False,
    manner: HandManner = USUAL_MANNER,
) -> tuple[CameraPath, list[str]]:
    """The take as an operator's hand would have filmed it, and what was corrected. Without `asked`
    no movement is defended. A take with nothing wrong comes back as the same object."""
    body = body_of(clip.motion)
    placed = clear_of_body(above_floor(with_one_lens(camera), clip.motion), clip, body)

    def is_right(path: CameraPath) -> bool:
        return asked is not None and made_as_asked(asked, path, clip.motion, clip.fps).right

    was_right = is_right(placed)  # distance from the body goes before movement
    limits = (0.0,) if is_aim_free else LARGEST_TURNS_DEGREES

    def aimed(path: CameraPath) -> tuple[CameraPath, float]:
        steady, limit = path, limits[0]
        for limit in limits:
            steady = aimed_camera(path, clip, body, np.radians(limit))
            if not was_right or is_right(steady):
                break
        return steady, limit

    steady, limit = aimed(placed)
    shown = steady
    if not is_aim_free:
        holder = Holder(
            lambda path: aimed(path)[0],
            lambda path: aimed_camera(path, clip, body, np.pi),
            manner.is_lens_free,
        )
        shown = kept_in_picture(placed, steady, clip, holder)
    as_held = replace(shown, fov_vertical=placed.fov_vertical)
    notes = changes(camera, as_held, clip.fps)
    if shown is not steady and shown.fov_vertical is not placed.fov_vertical:
        notes.append(lens_note("to keep the person in the picture", placed, shown))
    if limit in limits[1:] and largest_turn_degrees(placed, shown) <= 1.01 * limit:
        notes.append(f"turned by no more than {limit:g}° to keep the movement asked for")
    return shown, notes
