"""Shots of the whole camera vocabulary for Fables: facts are drawn, filmed, screened and measured
back; what was measured is what the store tells."""

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np
import torch
from jaxtyping import Int

from aesop.camera_words.attributes import SIZE_CHANGES, CameraFacts, Step, When, reversed_facts
from aesop.camera_words.fact_check import FactCheck, MeasuredFacts, check_facts, measure_facts
from aesop.camera_words.standing_tagger import person_curves
from aesop.camera_words.step_tagger import turning_frame
from aesop.core.errors import ClipError
from aesop.core.hashing import picked
from aesop.fables.cinematographer.facts_draw import FactStyle, draw_facts
from aesop.fables.cinematographer.facts_path import flaw_of_camera, held_by, unshaken_camera
from aesop.fables.cinematographer.lens import ASPECTS, watch
from aesop.scene.camera import CameraPath
from aesop.scene.human import NATIVE_FPS, HumanMotion
from aesop.scene.movement import tag_path

_PLANS, _DRAWS = 40, 6


@dataclass(frozen=True, eq=False)
class VocabularyShot:
    """A camera with shake, the facts that it was drawn from, and how each was measured back."""

    camera: CameraPath
    facts: CameraFacts
    measured: MeasuredFacts
    tags: Int[np.ndarray, " transitions"]  # of the path free of shake
    travel_m: float
    redraws: int

    @property
    def checks(self) -> tuple[FactCheck, ...]:
        return check_facts(self.facts, self.measured)

    @property
    def told(self) -> CameraFacts:
        """What words may say: the drawn facts without any value that was not measured back, and
        the side and last size that were measured where none was drawn."""
        wrong = {check.asked for check in self.checks if not check.right}
        facts, found = self.facts, self.measured.standing
        if any(name in wrong for step in facts.steps for name in step.names):
            facts = replace(facts, steps=())
        for field in ("height", "side", "lens", "grip"):
            if f"{field}:{getattr(facts, field)}" in wrong:
                facts = replace(facts, **{field: None})
        if f"size:{facts.size_start}" in wrong:
            facts = replace(facts, size_start=None)
        places = tuple(place for place in facts.places if f"place:{place}" not in wrong)
        changes = any(SIZE_CHANGES & {*step.moves, step.zoom} for step in facts.steps)
        return replace(
            facts,
            side=facts.side or found.side,
            size_end=found.size_end if changes and found.size_end != found.size_start else None,
            steps=self._timed(facts.steps),
            places=places,
            dutch=facts.dutch and "turn:dutch" not in wrong,
        )

    def _timed(self, steps: tuple[Step, ...]) -> tuple[Step, ...]:
        """The last of several steps may happen as the person turns, or at the end, where it was
        measured to; "then" is true of every step but the first."""
        if len(steps) < 2:
            return steps
        for when in self._whens():
            last = replace(steps[-1], when=when)
            checks = check_facts(CameraFacts(steps=(*steps[:-1], last)), self.measured)
            if all(check.right for check in checks):
                return (*steps[:-1], last)
        return steps

    def _whens(self) -> Iterator[When]:
        if self.measured.turning_frame is not None:
            yield "as-she-turns"
        if self.facts.steps[-1].when == "at-the-end":
            yield "at-the-end"

    def attributes(self) -> dict[str, object]:
        """Columns of the store. Names are as phrase banks write them."""
        told = self.told
        return {
            "facts": list(told.names),
            "reversed_facts": list(reversed_facts(told).names),
            "grip": self.facts.grip,
            "travel_m": round(self.travel_m, 4),
            "redraws": self.redraws,
        }


def film_vocabulary(
    motion: HumanMotion, style: FactStyle, dice: np.random.Generator
) -> VocabularyShot:
    """Film a motion (25 fps, on the ground, from the canonical start) with facts at random. Draws
    are screened by place, speed and framing, and never by what the taggers find."""
    subject = watch(motion.joints.numpy(), motion.yaw.numpy())
    turning = turning_frame(person_curves(motion), NATIVE_FPS)
    redraws = 0
    for _ in range(_PLANS):
        facts = draw_facts(subject, style, dice, turning=turning)
        aspect = picked({one: share for one, share in ASPECTS.items() if one > 1}, dice)
        for _ in range(_DRAWS):
            still = unshaken_camera(subject, facts, 1.0, dice, turning=turning, aspect=aspect)
            assert facts.grip is not None, "a drawn shot has a grip"
            camera = held_by(still, facts.grip, dice)
            if flaw_of_camera(subject, facts, camera) is None:
                return VocabularyShot(
                    camera=camera.to(torch.float32),
                    facts=facts,
                    measured=measure_facts(camera, motion, NATIVE_FPS),
                    tags=tag_path(still, NATIVE_FPS),
                    travel_m=float(still.travel),
                    redraws=redraws,
                )
            redraws += 1
    raise ClipError("No camera of the vocabulary keeps this person.", "Leave the motion out.")
