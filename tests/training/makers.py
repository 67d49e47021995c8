"""Small footage, pairs and an encoder of our own making."""

import hashlib
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import torch
from jaxtyping import Float
from torch import Tensor

from aesop.fables.synthetic import ACTIONS, synthetic_motion
from aesop.features.camera_features import camera_to_features
from aesop.features.human_features import human_to_features
from aesop.models.phase_table import PhaseName
from aesop.pairs.pair_files import Member, PairSet, TrainingPair
from aesop.scene.camera import camera_looking_at
from aesop.text.encoder import EncodedText, TextFeatures, pad_texts
from aesop.training.footage import Footage, ragged_from_clips
from aesop.training.recipe_book import recipe_for
from aesop.training.recipes import CodecRecipe, FlowRecipe, Recipe, with_steps

TEXT_WIDTH = 24
CAMERA_WORDS = ("the camera pushes in", "the camera pulls out", "the camera trucks left")


class HashEncoder:
    """Words as fixed random vectors: an encoder without weights."""

    name = "hash"
    fingerprint = "hash-1"
    width = TEXT_WIDTH

    def encode_each(self, texts: Sequence[str]) -> list[EncodedText]:
        encoded: list[EncodedText] = []
        for text in texts:
            tokens = torch.stack([self._word(word) for word in text.split()])
            encoded.append(EncodedText(tokens, tokens.mean(0)))
        return encoded

    def encode(self, texts: Sequence[str]) -> TextFeatures:
        return pad_texts(self.encode_each(texts), self.width)

    def _word(self, word: str) -> Float[Tensor, " width"]:
        seed = int.from_bytes(hashlib.sha256(word.encode()).digest()[:4], "big")
        return torch.randn(self.width, generator=torch.Generator().manual_seed(seed))


def camera_features(
    root: Float[Tensor, "frames 3"], move: int, travel_m: float
) -> Float[Tensor, "frames 14"]:
    """A camera that looks at the person and pushes, pulls or trucks by `travel_m` in all."""
    share = torch.linspace(0, 1, len(root), dtype=root.dtype)[:, None]
    way = root.new_tensor([(0.0, 1.0, 0.0), (0.0, -1.0, 0.0), (1.0, 0.0, 0.0)][move])
    centre = root[0] + root.new_tensor([0.4, -3.5, 0.3]) + share * travel_m * way
    return camera_to_features(camera_looking_at(centre, root, 0.7), root).float()


def make_footage(windows: int, cameras: int, *, seed: int, frames: tuple[int, int]) -> Footage:
    """Windows of made-up motion, each filmed by several cameras."""
    dice = np.random.default_rng(seed)
    humans, shots, human_captions, camera_captions, human_of_shot = [], [], [], [], []
    names = list(ACTIONS)
    for window in range(windows):
        action = synthetic_motion(names[window % len(names)], int(dice.integers(*frames)), dice)
        humans.append(human_to_features(action.clip.motion).float())
        human_captions.append(action.captions)
        for camera in range(cameras):
            move = (window + camera) % len(CAMERA_WORDS)
            root = action.clip.motion.root
            shots.append(camera_features(root, move, float(dice.uniform(0.4, 1.6))))
            camera_captions.append((CAMERA_WORDS[move], f"{CAMERA_WORDS[move]} slowly"))
            human_of_shot.append(window)
    return Footage(
        humans=ragged_from_clips(humans),
        cameras=ragged_from_clips(shots),
        human_of_shot=torch.tensor(human_of_shot),
        human_names=tuple(f"window{i}" for i in range(windows)),
        shot_names=tuple(f"shot{i}" for i in range(len(shots))),
        human_captions=tuple(human_captions),
        camera_captions=tuple(camera_captions),
        sha256=f"made-{seed}-{windows}-{cameras}",
    )


def make_pairs(footage: Footage, direction: int, active: int, null: int) -> PairSet:
    """Synthetic pairs on the windows of some footage, of every kind."""
    from aesop.features.human_features import root_from_features

    kinds = ["direction"] * direction + ["active"] * active + ["null"] * null
    pairs: list[TrainingPair] = []
    for number, kind in enumerate(kinds):
        window = number % len(footage.humans)
        root = root_from_features(footage.humans.clip(window).double())
        push, pull = camera_features(root, 0, 0.8), camera_features(root, 1, 0.8)
        words = (CAMERA_WORDS[0], "go closer")
        if kind == "direction":
            first, second = (
                Member(push, words, 1.0),
                Member(pull, (CAMERA_WORDS[1], "go back"), 1.0),
            )
        elif kind == "active":
            first = Member(camera_features(root, 0, 0.4), words, 0.5)
            second = Member(camera_features(root, 0, 1.2), words, 1.5)
        else:
            still = camera_features(root, 0, 0.0)
            first, second = Member(still, words, 1.0), Member(still, words, 1.6)
        name = f"{kind}{number}"
        pairs.append(TrainingPair(kind, name, footage.human_names[window], first, second))  # pyright: ignore[reportArgumentType]
    return PairSet(tuple(pairs), sha256="synthetic")


def small_flow_recipe(phase: PhaseName, steps: int, *, rows: int = 4) -> FlowRecipe:
    recipe = small_recipe(phase, steps, rows=rows)
    assert isinstance(recipe, FlowRecipe)
    return recipe


def small_recipe(phase: PhaseName, steps: int, *, rows: int = 4, dropout: float = 0.1) -> Recipe:
    """The tiny recipe with an even smaller network."""
    recipe = with_steps(recipe_for(phase, "tiny", TEXT_WIDTH), steps)
    if isinstance(recipe, CodecRecipe):
        is_camera = recipe.network.context > 0
        sizes = {"latent": 5 if is_camera else 7, "context": 7 if is_camera else 0}
        recipe = replace(recipe, network=replace(recipe.network, width=16, **sizes))
    if isinstance(recipe, FlowRecipe):
        is_camera = recipe.network.human > 0
        sizes = {"latent": 5 if is_camera else 7, "human": 7 if is_camera else 0}
        shape = replace(recipe.network, width=16, heads=2, depth=2, dropout=dropout, **sizes)
        recipe = replace(recipe, network=shape)
    return replace(
        recipe,
        schedule=replace(recipe.schedule, batch_rows=rows),
        watch=replace(recipe.watch, log_every=1, validate_every=3, checkpoint_every=2),
    )
