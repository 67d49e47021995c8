"""Published checkpoints: files of exactly that layout, made here, and what is refused."""

import pickle
import sys
from collections.abc import Sequence
from pathlib import Path
from types import ModuleType
from zipfile import ZipFile

import numpy as np
import pytest
import torch
from torch import Tensor, nn

from aesop.core.errors import WeightsError
from aesop.evaluators.checkpoint_tensors import InertObject, read_checkpoint
from aesop.evaluators.evaluator import ET_STATISTICS, et_nine_of_shot
from aesop.evaluators.published import load_published_clatr, load_published_tmr
from aesop.text.encoder import EncodedText, TextFeatures, pad_texts
from tests.metrics.makers import straight_shot
from tests.tolerances import GEOMETRY32, network32


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
    loaded = load_published_tmr(tmp_path / "tmr.ckpt", WideEncoder(768))
    torch.testing.assert_close(loaded.pair.standard(mean + spread), torch.ones(263))
    assert loaded.embed_shots([straight_shot((0, 0, 0), 31)]).shape == (1, 256)
    assert loaded.embed_words(["a person walks"]).shape == (1, 256)
    assert "mean.pt" in loaded.note
    # As the release lays them out: the run below models/, statistics below stats/.
    run, stats = tmp_path / "models" / "tmr", tmp_path / "stats" / "humanml3d" / "guoh3dfeats"
    run.mkdir(parents=True)
    stats.mkdir(parents=True)
    (tmp_path / "tmr.ckpt").rename(run / "tmr.ckpt")
    with pytest.raises(WeightsError, match="--tmr-statistics"):
        load_published_tmr(run / "tmr.ckpt", WideEncoder(768), tmp_path / "models")
    for name in ("mean.pt", "std.pt"):
        (tmp_path / name).rename(stats / name)
    again = load_published_tmr(run / "tmr.ckpt", WideEncoder(768))
    assert again.identity == loaded.identity


def test_clatr_reads_the_statistics_of_its_release(clatr: Path, tmp_path: Path):
    usual = load_published_clatr(clatr, WideEncoder(512))
    assert "E.T.'s statistics" in usual.note
    shot = straight_shot((0.3, 0, 0.1), 31)
    (tmp_path / "traj_raw.yaml").write_text(
        "name: traj\nvelocity_mean: [0.0, 1e-3, -.5]\nvelocity_std:\n  - 2.0\n  - 4\n  - 8.0\n"
    )
    with pytest.raises(WeightsError, match="distance_mean"):
        load_published_clatr(clatr, WideEncoder(512), tmp_path)
    (tmp_path / "traj+char+proj.yaml").write_text(
        "distance_mean: [1, 2, 3]\ndistance_std: [1, 1, 1]\nother: [${a}, b]\n"
    )
    own = load_published_clatr(clatr, WideEncoder(512), tmp_path)
    assert own.identity != usual.identity and "traj_raw.yaml" in own.note
    et, mine = usual.read(shot).double(), own.read(shot).double()
    steps = et[1:, 6:] * torch.tensor(ET_STATISTICS.step_spread) + torch.tensor(
        ET_STATISTICS.step_mean
    )
    wanted = (steps - torch.tensor([0.0, 1e-3, -0.5])) / torch.tensor([2.0, 4.0, 8.0])
    torch.testing.assert_close(mine[1:, 6:], wanted, atol=GEOMETRY32, rtol=0)
    with pytest.raises(WeightsError, match="no statistics"):
        load_published_clatr(clatr, WideEncoder(512), tmp_path / "nowhere")


class Trap:
    """Would run code if it were unpickled."""

    def __reduce__(self) -> tuple[object, tuple[str]]:
        return (exec, ("raise SystemExit('a checkpoint ran code')",))


def test_files_that_carry_code_are_not_run(tmp_path: Path):
    path = tmp_path / "trap.ckpt"
    torch.save({"state_dict": {"traj_encoder.tokens": Trap()}}, path)
    with pytest.raises(WeightsError, match="nothing in it was run"):
        load_published_clatr(path, WideEncoder(512))
    # Outside the state_dict it is passed over, and still not run.
    read_checkpoint(path)
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


def test_configuration_objects_are_passed_over(clatr: Path, tmp_path: Path):
    """As Lightning writes them: objects of a module that is gone when the file is read."""
    state = torch.load(clatr, weights_only=True)["state_dict"]
    module = ModuleType("configuration_that_nobody_has")
    source = "class Config(dict):\n    pass\nclass Node:\n    def __init__(self, x): self.x = x\n"
    exec(source, module.__dict__)
    sys.modules[module.__name__] = module
    config = module.Config(lr=1e-4, node=module.Node([1, 2]), stop=module.Node(Trap()))
    path = tmp_path / "lightning.ckpt"
    try:
        torch.save({"epoch": 7, "hyper_parameters": config, "state_dict": state}, path)
    finally:
        del sys.modules[module.__name__]
    content = read_checkpoint(path)
    assert content["epoch"] == 7 and isinstance(content["hyper_parameters"], InertObject)
    assert module.__name__ not in sys.modules
    loaded = load_published_clatr(path, WideEncoder(512))
    assert loaded.identity == load_published_clatr(clatr, WideEncoder(512)).identity


def test_tensors_are_read_as_torch_reads_them(tmp_path: Path):
    """Every type, views that share a storage, other strides, empty ones, parameters."""
    dice = torch.Generator().manual_seed(11)
    base = torch.randn(7, 5, generator=dice)
    whole = torch.arange(13)
    tensors = {
        "turned": base.T, "part": base[2:5, 1:4], "half": base.half(), "double": base.double(),
        "bfloat": base.bfloat16(), "whole": whole, "short": whole.short(), "bytes": whole.byte(),
        "signed": whole.to(torch.int8), "int": whole.int(), "flags": whole > 5,
        "empty": torch.empty(0, 3), "number": torch.tensor(2.5), "learned": nn.Parameter(base),
    }  # fmt: skip
    torch.save(tensors, tmp_path / "all.pt")
    found = read_checkpoint(tmp_path / "all.pt")
    for name, wanted in tensors.items():
        assert found[name].dtype == wanted.dtype and torch.equal(found[name], wanted), name


def test_programs_that_reach_beyond_a_storage_are_refused(tmp_path: Path):
    path = tmp_path / "cut.pt"
    torch.save({"a": torch.arange(11.0)}, path)
    with ZipFile(path) as archive:
        kept = {name: archive.read(name) for name in archive.namelist()}
    for spoilt, message in (("data/0", "cut short"), ("data.pkl", "nothing in it was run")):
        with ZipFile(path, "w") as archive:
            for name, content in kept.items():
                archive.writestr(name, content[:20] if name.endswith(spoilt) else content)
        with pytest.raises(WeightsError, match=message):
            read_checkpoint(path)
    path.write_bytes(b"PK no zip at all")
    with pytest.raises(WeightsError, match="no checkpoint of PyTorch"):
        read_checkpoint(path)
