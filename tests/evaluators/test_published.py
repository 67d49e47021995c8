"""Published checkpoints: files of exactly that layout, made here, and what is refused."""

import pickle
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
import torch
from torch import Tensor, nn

from aesop.core.errors import WeightsError
from aesop.evaluators.evaluator import et_nine_of_shot
from aesop.evaluators.published import load_published_clatr, load_published_tmr
from aesop.text.encoder import EncodedText, TextFeatures, pad_texts
from tests.metrics.makers import straight_shot
from tests.tolerances import network32


class WideEncoder:
    """Made-up words of a given width."""

    name, fingerprint = "wide", "wide-1"

    def __init__(self, width: int) -> None:
        self.width = width

    def encode_each(self, texts: Sequence[str]) -> list[EncodedText]:
        rows = [
            torch.randn(3 + len(it) % 5, self.width, generator=torch.Generator().manual_seed(5))
            for it in texts
        ]
        return [EncodedText(it, it.mean(0)) for it in rows]

    def encode(self, texts: Sequence[str]) -> TextFeatures:
        return pad_texts(self.encode_each(texts), self.width)


def layer(dice: torch.Generator) -> dict[str, Tensor]:
    sizes = {
        "self_attn.in_proj_weight": (768, 256), "self_attn.in_proj_bias": (768,),
        "self_attn.out_proj.weight": (256, 256), "self_attn.out_proj.bias": (256,),
        "linear1.weight": (1024, 256), "linear1.bias": (1024,),
        "linear2.weight": (256, 1024), "linear2.bias": (256,),
        "norm1.weight": (256,), "norm1.bias": (256,), "norm2.weight": (256,), "norm2.bias": (256,),
    }  # fmt: skip
    return {name: torch.randn(size, generator=dice) * 0.05 for name, size in sizes.items()}


def published(prefix: str, features: int, dice: torch.Generator) -> dict[str, Tensor]:
    """One encoder under the names of the released checkpoints."""
    state = {
        "projection.weight": torch.randn(256, features, generator=dice) * 0.1,
        "projection.bias": torch.randn(256, generator=dice) * 0.1,
        "tokens": torch.randn(2, 256, generator=dice),
    }
    for number in range(6):
        for name, it in layer(dice).items():
            state[f"seqTransEncoder.layers.{number}.{name}"] = it
    return {prefix + name: it for name, it in state.items()}


@pytest.fixture(scope="module")
def clatr(tmp_path_factory: pytest.TempPathFactory) -> Path:
    dice = torch.Generator().manual_seed(3)
    state = published("traj_encoder.", 9, dice) | published("text_encoder.", 512, dice)
    state["traj_decoder.final_layer.weight"] = torch.zeros(9, 256)
    path = tmp_path_factory.mktemp("clatr") / "clatr.ckpt"
    torch.save({"epoch": 100, "state_dict": state}, path)
    return path


def test_clatr_answers_as_the_plain_network_does(clatr: Path):
    """Written out with torch's own layers: tokens first, waves on all, post-norm, GELU."""
    loaded = load_published_clatr(clatr, WideEncoder(512))
    shot = straight_shot((0.3, 0, 0.1), 31)
    state = torch.load(clatr, weights_only=True)["state_dict"]
    own = {
        key.removeprefix("traj_encoder."): it
        for key, it in state.items()
        if key.startswith("traj_encoder.")
    }
    block = nn.TransformerEncoderLayer(256, 4, 1024, 0.1, "gelu", batch_first=True)
    plain = nn.TransformerEncoder(block, 6, enable_nested_tensor=False).eval()
    start = "seqTransEncoder."
    plain.load_state_dict({k.removeprefix(start): it for k, it in own.items() if start in k})
    nine = et_nine_of_shot(shot)
    states = torch.cat([own["tokens"], nine @ own["projection.weight"].T + own["projection.bias"]])
    place = torch.arange(len(states))[:, None]
    rate = 10_000 ** (-torch.arange(0, 256, 2) / 256)
    waves = torch.zeros(len(states), 256)
    waves[:, 0::2], waves[:, 1::2] = torch.sin(place * rate), torch.cos(place * rate)
    with torch.no_grad():
        wanted = plain((states + waves)[None])[0, 0].numpy()
    np.testing.assert_allclose(loaded.embed_shots([shot])[0], wanted, atol=network32(6, 1024))
    assert loaded.embed_words(["push in"]).shape == (1, 256)


def test_separate_files_are_the_same_evaluator(clatr: Path, tmp_path: Path):
    state = torch.load(clatr, weights_only=True)["state_dict"]
    for part in ("traj_encoder", "text_encoder"):
        own = {k.removeprefix(f"{part}."): it for k, it in state.items() if k.startswith(part)}
        torch.save(own, tmp_path / f"{part}.pt")
    first = load_published_clatr(clatr, WideEncoder(512))
    assert load_published_clatr(tmp_path, WideEncoder(512)).identity == first.identity


def test_tmr_standardises_with_its_statistics(tmp_path: Path):
    dice = torch.Generator().manual_seed(5)
    state = published("motion_encoder.", 263, dice) | published("text_encoder.", 768, dice)
    torch.save({"state_dict": state}, tmp_path / "tmr.ckpt")
    mean, spread = torch.randn(263, generator=dice), torch.rand(263, generator=dice) + 0.5
    torch.save(mean, tmp_path / "mean.pt")
    torch.save(spread, tmp_path / "std.pt")
    loaded = load_published_tmr(tmp_path / "tmr.ckpt", tmp_path, WideEncoder(768))
    torch.testing.assert_close(loaded.pair.standard(mean + spread), torch.ones(263))
    assert loaded.embed_shots([straight_shot((0, 0, 0), 31)]).shape == (1, 256)
    assert loaded.embed_words(["a person walks"]).shape == (1, 256)


class Trap:
    """Would run code if it were unpickled."""

    def __reduce__(self) -> tuple[object, tuple[str]]:
        return (exec, ("raise SystemExit('a checkpoint ran code')",))


def test_files_that_carry_code_are_not_run(tmp_path: Path):
    path = tmp_path / "trap.ckpt"
    torch.save({"state_dict": {"traj_encoder.tokens": Trap()}}, path)
    with pytest.raises(WeightsError, match="nothing in it was run"):
        load_published_clatr(path, WideEncoder(512))
    path.write_bytes(pickle.dumps({"a": 1}, protocol=2))
    with pytest.raises(WeightsError):
        load_published_clatr(path, WideEncoder(512))


def test_other_layouts_and_encoders_are_refused(clatr: Path, tmp_path: Path):
    with pytest.raises(WeightsError, match="width 512"):
        load_published_clatr(clatr, WideEncoder(384))
    with pytest.raises(WeightsError, match="no file"):
        load_published_clatr(tmp_path / "nothing.ckpt", WideEncoder(512))
    state = torch.load(clatr, weights_only=True)["state_dict"]
    torch.save(
        {"state_dict": {k: it for k, it in state.items() if "text" not in k}}, tmp_path / "a"
    )
    with pytest.raises(WeightsError, match="text_encoder"):
        load_published_clatr(tmp_path / "a", WideEncoder(512))
    state["traj_encoder.projection.weight"] = torch.zeros(256, 12)
    torch.save({"state_dict": state}, tmp_path / "b")
    with pytest.raises(WeightsError, match="not laid out"):
        load_published_clatr(tmp_path / "b", WideEncoder(512))
