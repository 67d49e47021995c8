"""Shots of the whole camera vocabulary for Fables: facts are drawn, filmed, screened and measured
back; what was measured is what the store tells."""

from dataclasses import dataclass, replace

import numpy as np
import torch
from jaxtyping import Int

from aesop.camera_words.attributes import CameraFacts, reversed_facts
from aesop.camera_words.fact_check import FactCheck, check_facts, measure_facts
from aesop.camera_words.plain_teller import plain_caption
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
    checks: tuple[FactCheck, ...]
    tags: Int[np.ndarray, " transitions"]  # of the path free of shake
    travel_m: float
    redraws: int

    @property
    def told(self) -> CameraFacts:
        """What words may say: the drawn facts without any value that was not measured back."""
        wrong = {check.asked for check in self.checks if not check.right}
        facts = self.facts
        if any(name in wrong for step in facts.steps for name in step.names):
            facts = replace(facts, steps=())
        for field in ("height", "side", "lens", "grip"):
            if f"{field}:{getattr(facts, field)}" in wrong:
                facts = replace(facts, **{field: None})
        if f"size:{facts.size_start}" in wrong:
            facts = replace(facts, size_start=None)
        places = tuple(place for place in facts.places if f"place:{place}" not in wrong)
        return replace(facts, places=places, dutch=facts.dutch and "turn:dutch" not in wrong)

    @property
    def captions(self) -> tuple[str, str]:
        """In plain words, and reversed; both are empty where nothing was measured back."""
        return plain_caption(self.told), plain_caption(reversed_facts(self.told))

    def attributes(self) -> dict[str, object]:
        """Columns of the store. Names are as phrase banks write them."""
        return {
            "facts": list(self.told.names),
            "reversed_facts": list(reversed_facts(self.told).names),
            "has_extent": self.told.has_extent,
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
        facts = draw_facts(subject, style, dice)
        aspect = picked({one: share for one, share in ASPECTS.items() if one > 1}, dice)
        for _ in range(_DRAWS):
            still = unshaken_camera(subject, facts, 1.0, dice, turning=turning, aspect=aspect)
            assert facts.grip is not None, "a drawn shot has a grip"
            camera = held_by(still, facts.grip, dice)
            if flaw_of_camera(subject, facts, camera) is None:
                measured = measure_facts(camera, motion, NATIVE_FPS)
                return VocabularyShot(
                    camera=camera.to(torch.float32),
                    facts=facts,
                    checks=check_facts(facts, measured),
                    tags=tag_path(still, NATIVE_FPS),
                    travel_m=float(still.travel),
                    redraws=redraws,
                )
            redraws += 1
    raise ClipError("No camera of the vocabulary keeps this person.", "Leave the motion out.")
