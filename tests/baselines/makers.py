"""Scenes for tests of the baselines: people and cameras of our own making, words as fixed random
vectors."""

import torch

from aesop.baselines.scene_batch import SceneBatch
from aesop.text.encoder import TextFeatures
from aesop.training.footage import Footage
from aesop.training.method_phases import SceneClips, scene_clips
from tests.training.makers import TEXT_WIDTH, HashEncoder, make_footage

FRAMES = (13, 29)


def made_footage(windows: int = 4, seed: int = 5) -> Footage:
    """Every window filmed by two cameras, each with words of its own."""
    return make_footage(windows, 2, seed=seed, frames=FRAMES)


def made_clips(footage: Footage) -> SceneClips:
    return scene_clips(footage, HashEncoder(), torch.device("cpu"))


def made_scenes(clips: SceneClips) -> SceneBatch:
    """All shots of some clips, each with the first of its captions."""
    import numpy as np

    count = len(clips.cameras)
    rows, nothing = np.arange(count), np.zeros(count)
    return clips.scenes(
        rows,
        clips.camera_captions.pick(rows, nothing),
        clips.human_captions.pick(rows, nothing),
        int(clips.cameras.lengths.max()),
    )


def row_of(scene: SceneBatch, row: int, frames: int) -> SceneBatch:
    """One scene by itself, without padding."""

    def words(text: TextFeatures) -> TextFeatures:
        real = int(text.mask[row].sum())
        return TextFeatures(
            text.tokens[row : row + 1, :real],
            text.mask[row : row + 1, :real],
            text.pooled[row : row + 1],
        )

    span = slice(row, row + 1), slice(0, frames)
    assert scene.human is not None and scene.camera is not None
    return SceneBatch(
        mask=scene.mask[span],
        camera_words=words(scene.camera_words),
        human_words=words(scene.human_words),
        lens=scene.lens[span],
        human=scene.human[span],
        camera=scene.camera[span],
    )


__all__ = ["TEXT_WIDTH", "made_clips", "made_footage", "made_scenes", "row_of"]
