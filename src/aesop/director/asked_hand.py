"""The operator's hand on a shot that was asked for more than a movement: what was asked for and is
there stays, and what is missing is brought as far as a lens or a turn can bring it."""

from dataclasses import dataclass, replace

import numpy as np
import torch

from aesop.camera_words.attributes import CameraFacts
from aesop.director.aiming import AimOrders, aimed_camera
from aesop.director.clearance import Body, above_floor, body_of, clear_of_body
from aesop.director.correction_notes import lens_note, turned_note
from aesop.director.decoding import rests
from aesop.director.facts_filming import AskedFacts
from aesop.director.hand import USUAL_EDGES, CloseEdges
from aesop.director.keep_in_picture import Holder, kept_in_picture
from aesop.director.take_marks import checks_of, excused
from aesop.director.toward_asked import HEAD_LOSS, brought_nearer, led_to_size, sized
from aesop.metrics.framing_metrics import holding_of
from aesop.scene.camera import CameraPath
from aesop.scene.curves import smoothed
from aesop.scene.human import Clip

# How far the hand may turn, tried in this order while a turn costs what was asked for.
LARGEST_TURNS_DEGREES = (180.0, 30.0, 20.0, 10.0, 5.0, 0.0)
# Who is less sure of having understood protects what is there, and corrects nothing towards it.
SURE = 0.75
# A camera that is asked only to turn or to zoom, and strays no further than this, stands still.
STRAYS_M = 0.3
# Who asks for a close-up looks at the face, and whoever wants an extreme one does not miss the
# crown.
_FACES = CloseEdges(head=0.45, head_side=0.55, crown=1.0)
_PARTS_OF_FACES = CloseEdges(head=0.45, head_side=0.55, crown=1.25, skull=(0.08, 0.3))
_LENS_SIGMA = 5.0  # frames: a zoom is slower than the lens's breathing
_ENDS_FRAMES = 12

Right = frozenset[tuple[int, str]]


@dataclass(frozen=True)
class HandManner:
    """What the hand may do, and the seed of a shake that was asked for and is missing."""

    is_lens_free: bool = True  # not where a user chose the lens
    seed: int = 0


USUAL_MANNER = HandManner()


def orders_of(facts: CameraFacts) -> AimOrders:
    """What facts forbid the hand to flatten."""
    turns = {turn for step in facts.steps for turn in step.turns}
    sizes = {facts.size_start, facts.size_end} - {None}
    edges = USUAL_EDGES
    if sizes & {"close-up", "extreme-close-up"}:
        edges = _FACES if "extreme-close-up" not in sizes else _PARTS_OF_FACES
    return AimOrders(
        turns=bool(turns - {"dutch"}),
        tilts=bool(turns & {"tilt-up", "tilt-down"}),
        whips="whip-pan" in turns,
        shakes=keeps_shake(facts),
        edges=edges,
    )


def keeps_shake(facts: CameraFacts) -> bool:
    """Whether a camera is to be held by hands, so that even at rest it does not stand still."""
    return facts.grip in ("handheld", "steadicam")


def steadied_as_asked(
    camera: CameraPath,
    clip: Clip,
    asked: AskedFacts,
    is_aim_free: bool = False,
    manner: HandManner = USUAL_MANNER,
) -> tuple[CameraPath, list[str]]:
    """The take as an operator's hand would have filmed it who knows the facts, and what was
    corrected. The order is: distance from the body, what was asked for and is there, turns below
    the fastest, the person in the picture, and then what was asked for and is missing."""
    hand = _Hand(clip, asked.facts, body_of(clip.motion), is_aim_free, manner)
    placed, notes = hand.placed(camera)
    is_sure = asked.confidence >= SURE
    shown = hand.shown(placed)
    if is_sure:
        resized, note = hand.resized(placed)
        # A closer picture that cannot be aimed at the head is no close-up.
        if resized is not placed and hand.heads(other := hand.shown(resized), shown):
            placed, shown, notes = resized, other, notes + note
    notes += turned_note(placed, shown)
    if shown.fov_vertical is not placed.fov_vertical:
        notes.append(lens_note("to keep the person in the picture", placed, shown))
    if is_sure and not is_aim_free:
        shown, brought = brought_nearer(shown, clip, asked.facts, manner.seed)
        notes += brought
    return shown, notes


@dataclass(frozen=True, eq=False)
class _Hand:
    clip: Clip
    facts: CameraFacts
    body: Body
    is_aim_free: bool
    manner: HandManner

    def placed(self, camera: CameraPath) -> tuple[CameraPath, list[str]]:
        """With the lens that was asked for, clear of body and floor, and standing where it is to
        stand."""
        lensed, notes = self._lensed(camera)
        stood, held = self._stood(lensed)
        clear = clear_of_body(above_floor(stood, self.clip.motion), self.clip, self.body)
        if clear is not stood:
            notes.append(f"moved to stay off the body: travels {float(clear.travel):.1f} m")
        return clear, notes + held

    def _lensed(self, camera: CameraPath) -> tuple[CameraPath, list[str]]:
        lens = camera.fov_vertical
        if bool((lens == lens[0]).all()):
            return camera, []
        if any(step.zoom for step in self.facts.steps):
            return with_smooth_lens(camera), []
        right = self.right(camera)
        fixed = with_one_lens(camera)
        if not right <= self.right(fixed):
            # A size or a lens is asked for at the start: the lens is then the start's.
            start = with_one_lens(camera, slice(0, _ENDS_FRAMES))
            fixed = (
                start if len(right & self.right(start)) > len(right & self.right(fixed)) else fixed
            )
        breathing = float(torch.rad2deg(lens.max() - lens.min()))
        note = f"lens held at {float(torch.rad2deg(fixed.fov_vertical[0])):.1f}°"
        return fixed, [f"{note}: it changed by {breathing:.1f}°"] if breathing > 1 else []

    def _stood(self, camera: CameraPath) -> tuple[CameraPath, list[str]]:
        """A camera that is asked only to turn or zoom, held where it is on average if it strays
        little: pans are made from a tripod."""
        if not stands(self.facts) or rests(camera, self.clip.fps):
            return camera, []
        middle = camera.centre.mean(dim=0)
        strays = float(torch.linalg.vector_norm(camera.centre - middle, dim=-1).max())
        if strays > STRAYS_M:
            return camera, []
        held = replace(camera, centre=middle.expand_as(camera.centre).contiguous())
        return held, [f"held in place: it strayed by {strays:.2f} m"]

    def resized(self, placed: CameraPath) -> tuple[CameraPath, list[str]]:
        """With the sizes that were asked for: by another lens, or where one lens cannot give both
        ends, by another way. Zooms have a way of their own to end on a size."""
        is_lens_free = self.manner.is_lens_free
        lensed, notes = sized(placed, self.clip, self.facts) if is_lens_free else (placed, [])
        zooms = any(step.zoom for step in self.facts.steps)
        if lensed is not placed or zooms or stands(self.facts):
            return lensed, notes
        led, notes = led_to_size(placed, self.clip, self.facts, is_lens_free)
        if led is placed:
            return placed, []
        return clear_of_body(above_floor(led, self.clip.motion), self.clip, self.body), notes

    def right(self, camera: CameraPath) -> Right:
        """Values that were asked for and are there."""
        checks = checks_of(self.facts, camera, self.clip)
        return frozenset((at, check.asked) for at, check in enumerate(checks) if check.right)

    def shown(self, placed: CameraPath) -> CameraPath:
        """Aimed, with the person in the picture."""
        return self.kept(placed, self.aimed(placed))

    def heads(self, camera: CameraPath, other: CameraPath) -> bool:
        """Whether a camera shows the head about as long as another does."""
        now, was = (
            excused(holding_of(it, self.clip.motion, self.clip.fps), self.facts)
            for it in (camera, other)
        )
        return now.head_share >= was.head_share - HEAD_LOSS

    def aimed(self, placed: CameraPath) -> CameraPath:
        """Turned as far as costs nothing that was asked for."""
        right = self.right(placed)
        steady = placed
        for limit in (0.0,) if self.is_aim_free else LARGEST_TURNS_DEGREES:
            steady = self.turned(placed, np.radians(limit))
            if right <= self.right(steady):
                return steady
        # Not even the limit of speed may cost what was asked for.
        return placed if len(right) > len(right & self.right(steady)) else steady

    def turned(self, camera: CameraPath, largest: float) -> CameraPath:
        return aimed_camera(camera, self.clip, self.body, largest, orders_of(self.facts))

    def kept(self, placed: CameraPath, steady: CameraPath) -> CameraPath:
        """With the person in the picture, whatever it takes."""
        if self.is_aim_free:
            return steady
        holder = Holder(self.aimed, lambda path: self.turned(path, np.pi), self.manner.is_lens_free)
        return kept_in_picture(placed, steady, self.clip, holder)


def stands(facts: CameraFacts) -> bool:
    """Whether all that is asked for happens on one spot."""
    return (
        bool(facts.steps)
        and all(set(step.moves) <= {"static"} for step in facts.steps)
        and not any(step.zoom == "dolly-zoom" for step in facts.steps)
    )


def with_one_lens(camera: CameraPath, frames: slice = slice(None)) -> CameraPath:
    """The lens at its median over some frames: no words ask for a zoom."""
    lens = camera.fov_vertical
    if bool((lens == lens[0]).all()):
        return camera
    return replace(camera, fov_vertical=lens[frames].median().expand_as(lens).contiguous())


def with_smooth_lens(camera: CameraPath) -> CameraPath:
    """A zoom without the lens's breathing."""
    focal = torch.log(torch.tan(camera.fov_vertical.double() / 2)).cpu().numpy()
    smooth = torch.from_numpy(smoothed(focal[:, None], _LENS_SIGMA)[:, 0])
    return replace(camera, fov_vertical=(2 * torch.atan(smooth.exp())).to(camera.fov_vertical))
