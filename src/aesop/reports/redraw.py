"""The ceiling of a Fables split: the same person filmed again by the same outline.

Captions tell which movement follows which and nothing else, so nobody who has only them can be
expected to come nearer to the reference than the cinematographer who is given them once more.
"""

import logging
import math
from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any, cast

import numpy as np

from aesop.data.fables.dice import dice_for
from aesop.data.fables.operator import film_outline
from aesop.data.fables.outline import Kind, Movement, outline_of
from aesop.data.fables.style import Style
from aesop.data.records import StoredShot
from aesop.data.store import Store, decode
from aesop.errors import ClipError, StoreError
from aesop.features.human import human_from_features
from aesop.reports.cases import Case, Task
from aesop.reports.filmers import CONTROL, Ask, Progress
from aesop.scene.shot import Shot

log = logging.getLogger(__name__)

TRIES = 3  # sets of dice


class RedrawFilmer:
    """Fables' own operator. `unchanged` counts the shots for which no other way was found and the
    reference is shown: they make the ceiling look a little higher than it is."""

    def __init__(self, store: Store) -> None:
        if not store.manifest.dataset.startswith("fables"):  # or a small one like it
            raise StoreError(
                f"{store.path} holds {store.manifest.dataset}, filmed by others.",
                "Only Fables can be filmed again.",
            )
        self._store = store
        self.unchanged = 0

    def identity(self, task: Task) -> str:
        return f"{CONTROL}redraw {self._store.manifest.content_sha256}"

    def answer(
        self, cases: Sequence[Case], ask: Ask, progress: Progress | None = None
    ) -> list[Shot]:
        if ask.task != "film" or ask.is_reversed or ask.intensity != 1:
            raise StoreError(
                "A cinematographer is asked again for the same words and the same person.",
                "Measure the task film.",
            )
        shots: list[Shot] = []
        for case in cases:
            shots.append(self._again(case, ask.seed))
            if progress is not None:
                progress(len(shots), len(cases))
        return shots

    @cached_property
    def _style(self) -> Style:
        said = cast("dict[str, Any]", self._store.manifest.recipe["style"])
        fields: dict[str, Any] = {
            key: tuple(it) if isinstance(it, list) else it for key, it in said.items()
        }
        return Style(**fields)

    def _again(self, case: Case, seed: int) -> Shot:
        stored = self._store.shot(case.row)
        motion = human_from_features(stored.human_features.double())
        outline = outline_of_stored(stored)
        side = _side_rad(stored, outline)
        for attempt in range(TRIES):
            dice = dice_for(seed, "redraw", stored.id, str(attempt))
            try:
                filmed = film_outline(
                    outline,
                    motion.joints.numpy(),
                    motion.yaw.numpy(),
                    dice,
                    style=self._style,
                    clean=bool(stored.attributes["clean"]),
                    side_rad=side,
                )
            except ClipError:
                continue
            return replace(case.reference, camera=filmed.camera)
        self.unchanged += 1
        log.warning("no other way was found for %s; its own is shown", stored.id)
        return case.reference


def outline_of_stored(stored: StoredShot) -> tuple[Movement, ...]:
    """The outline that a stored shot's captions were told from."""
    kinds = cast("list[Kind]", stored.attributes["kinds"])
    outline = outline_of(stored.tags.astype(np.int64))
    assert len(kinds) == len(outline), "a kind for every run of the stored classes"
    return tuple(replace(it, kind=kind) for it, kind in zip(outline, kinds, strict=True))


def _side_rad(stored: StoredShot, outline: Sequence[Movement]) -> float | None:
    """Where the camera stood, seen from the person, in the middle of going along with them."""
    along = [it for it in outline if it.kind in ("follow", "lead")]
    if not along:
        return None
    motion, camera = decode(stored)
    frame = (along[0].first + along[-1].stop) // 2
    x, y, _ = (camera.centre[frame] - motion.root[frame]).tolist()
    return math.atan2(y, x) - float(motion.yaw[0])
