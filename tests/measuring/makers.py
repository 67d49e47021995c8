"""A mini set, evaluators without training, and a method of known habits."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import torch

from aesop.core.errors import Progress
from aesop.director.protocols import MEASURED
from aesop.evaluators.evaluator import ContrastivePair, EncoderShape, Kind
from aesop.evaluators.evaluator_weights import Evaluators, load_evaluators, save_evaluator
from aesop.measuring.cases import Case, Task
from aesop.measuring.methods import Ask
from aesop.scene.shot import Shot
from aesop.text.encoder import TextEncoder
from tests.training.makers import HashEncoder

WIDTH = 14
FAST = replace(MEASURED, camera_preset="fast")


def made_evaluators(folder: Path, encoder: TextEncoder | None = None) -> Evaluators:
    """Random but fixed."""
    encoder = encoder or HashEncoder()
    sizes: dict[Kind, int] = {"clatr": 9, "tmr": 199}
    for kind, features in sizes.items():
        torch.manual_seed(features)
        pair = ContrastivePair(
            EncoderShape(features, WIDTH, 1, 2, 23, patch=4),
            EncoderShape(encoder.width, WIDTH, 1, 2, 23),
        )
        save_evaluator(pair, kind, encoder, folder / f"{kind}.safetensors", {})
    return load_evaluators(folder, encoder)


@contextmanager
def quiet(label: str) -> Iterator[Progress]:
    """A progress bar that nobody sees."""
    yield lambda done, total: None


class ObedientMethod:
    """Answers with the reference, its camera's travel scaled by the intensity and turned round for
    reversed words; seeds move it a little. Counts how often it is asked."""

    def __init__(self) -> None:
        self.asked = 0

    def identity(self, task: Task) -> str:
        return f"obedient {task}"

    def answer(self, cases: Sequence[Case], ask: Ask) -> list[Shot]:
        self.asked += len(cases)
        return [self._shot(case.reference, ask) for case in cases]

    def _shot(self, shot: Shot, ask: Ask) -> Shot:
        centre = shot.camera.centre
        factor = ask.intensity * (-1 if ask.is_reversed else 1)
        moved = centre[:1] + factor * (centre - centre[:1]) + 0.01 * ask.seed
        return replace(shot, camera=replace(shot.camera, centre=moved))
