"""Published evaluators from the command line: files of their layouts, made here."""

from pathlib import Path

import pytest
import torch

from aesop.data.store import Store
from aesop.measuring.runs import read_result
from tests.cli.test_commands import run
from tests.evaluators.test_published import published
from tests.text.test_clip import make_clip

transformers = pytest.importorskip("transformers")


def make_distilbert(folder: Path) -> None:
    words = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "a", "person", "walks"]
    (folder / "vocab.txt").write_text("\n".join(words))
    config = transformers.DistilBertConfig(
        vocab_size=len(words), dim=768, n_layers=1, n_heads=2, hidden_dim=23
    )
    transformers.DistilBertModel(config).save_pretrained(folder)
    transformers.DistilBertTokenizer(str(folder / "vocab.txt")).save_pretrained(folder)


def test_published_checkpoints_judge_in_place_of_ours(
    store: Store,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
):
    monkeypatch.setenv("AESOP_CACHE", str(tmp_path / "cache"))
    dice = torch.Generator().manual_seed(7)
    clatr = published("traj_encoder.", 9, dice) | published("text_encoder.", 512, dice)
    tmr = published("motion_encoder.", 263, dice) | published("text_encoder.", 768, dice)
    torch.save({"state_dict": clatr}, tmp_path / "clatr.ckpt")
    torch.save({"state_dict": tmr}, tmp_path / "tmr.ckpt")
    torch.save(torch.zeros(263), tmp_path / "mean.pt")
    torch.save(torch.ones(263), tmp_path / "std.pt")
    for name in ("clip", "bert"):
        (tmp_path / name).mkdir()
    make_clip(tmp_path / "clip", 11, width=512, heads=4)
    make_distilbert(tmp_path / "bert")
    asked = ("measure", "--data", store.path, "--split", "test", "--at-most", "25", "--task",
             "reference", "--clatr", tmp_path / "clatr.ckpt", "--clip", tmp_path / "clip",
             "--tmr", tmp_path / "tmr.ckpt", "-o", tmp_path / "out")  # fmt: skip
    assert run(*asked) == 1
    assert "--distilbert" in capsys.readouterr().err
    assert run(*asked, "--distilbert", tmp_path / "bert") == 0, capsys.readouterr().err
    result = read_result(tmp_path / "out" / "reference" / "gt-reference_test.json")
    assert "E.T.'s statistics" in result.setting.note and "mean.pt" in result.setting.note
    recall = result.of("camera_recall")
    assert recall is not None and recall.mean == 1
    # 256 numbers an embedding: 25 clips have no covariance, and that is said.
    assert {it.metric for it in result.unmeasured} >= {"fdc", "fd_tmr"}
