"""Movement F1 against scikit-learn and on shots whose movement is known."""

import numpy as np
import pytest
from sklearn.metrics import f1_score

from aesop.metrics.metric_book import MetricError
from aesop.metrics.movement_metrics import clip_tables, movement_f1
from aesop.scene.movement import CLASSES, tag_path
from tests.metrics.makers import FPS, straight_shot
from tests.tolerances import GEOMETRY64


def test_agrees_with_scikit_learn():
    dice = np.random.default_rng(1)
    targets = [dice.choice([0, 0, 0, 1, 9, 18, 26], size=length) for length in (31, 53, 97)]
    found = [np.where(dice.random(len(it)) < 0.6, it, dice.integers(0, 20)) for it in targets]
    flat = np.concatenate(targets), np.concatenate(found)
    result = movement_f1(clip_tables(targets, found).sum(0))
    assert result.weighted == pytest.approx(f1_score(*flat, average="weighted"), abs=GEOMETRY64)
    assert result.macro == pytest.approx(f1_score(*flat, average="macro"), abs=GEOMETRY64)


def test_perfect_and_terrible():
    push, truck = np.full(41, 1), np.full(43, 9)
    assert movement_f1(clip_tables([push, truck], [push, truck]).sum(0)).weighted == 1
    assert movement_f1(clip_tables([push, truck], [truck[:41], np.full(43, 1)]).sum(0)) == (
        movement_f1(np.eye(CLASSES, k=1) * 0 + _swapped())
    )
    worst = movement_f1(clip_tables([push], [np.zeros(41, int)]).sum(0))
    assert (worst.weighted, worst.macro) == (0, 0)


def _swapped() -> np.ndarray:
    table = np.zeros((CLASSES, CLASSES))
    table[1, 9], table[9, 1] = 41, 43
    return table


def test_static_shots_dominate_the_weighted_mean_only():
    static, push = np.zeros(970, int), np.full(30, 1)
    target = np.concatenate([static, push])
    lazy = movement_f1(clip_tables([target], [np.zeros(1000, int)]).sum(0))
    assert lazy.weighted > 0.95 and lazy.macro < 0.5


@pytest.mark.parametrize(
    ("velocity", "tag"),
    [((0.4, 0, 0), 9), ((-0.4, 0, 0), 18), ((0, 0, 0.4), 1), ((0, -0.4, 0), 6), ((0, 0, 0), 0)],
)
def test_glides_are_recognised(velocity: tuple[float, float, float], tag: int):
    tags = tag_path(straight_shot(velocity).camera, FPS)
    assert set(tags.tolist()) == {tag}


def test_wrong_lengths_are_refused():
    with pytest.raises(MetricError, match="one fewer"):
        clip_tables([np.zeros(5, int)], [np.zeros(7, int)])
    with pytest.raises(MetricError, match="2 and 1"):
        clip_tables([np.zeros(5, int)] * 2, [np.zeros(5, int)])
