"""The disk cache: equal answers, no trust in damaged files, no trouble between processes."""

import threading
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
import torch

from aesop.text.encoder import EncodedText, TextFeatures, pad_texts
from aesop.text.encoders import CachedEncoder, default_cache_folder

WIDTH = 5
TEXTS = ["pushes in", "", "trucks left", "pushes in", "镜头"]


class Letters:
    """A stand-in encoder that counts what it is asked."""

    name = "letters"
    width = WIDTH

    def __init__(self, fingerprint: str = "f" * 64) -> None:
        self.fingerprint = fingerprint
        self.asked: list[str] = []

    def encode_each(self, texts: Sequence[str]) -> list[EncodedText]:
        self.asked.extend(texts)
        return [self._one(text) for text in texts]

    def encode(self, texts: Sequence[str]) -> TextFeatures:
        return pad_texts(self.encode_each(texts), WIDTH)

    def _one(self, text: str) -> EncodedText:
        codes = torch.tensor([ord(char) for char in f"<{text}>"], dtype=torch.float32)
        tokens = torch.sin(codes[:, None] * torch.arange(1, WIDTH + 1))
        return EncodedText(tokens, tokens.mean(0))


def same(first: TextFeatures, second: TextFeatures) -> bool:
    return (
        torch.equal(first.tokens, second.tokens)
        and torch.equal(first.mask, second.mask)
        and torch.equal(first.pooled, second.pooled)
    )


def test_hit_equals_miss(tmp_path: Path):
    source = Letters()
    expected = Letters().encode(TEXTS)
    assert same(CachedEncoder(source, tmp_path).encode(TEXTS), expected)
    assert sorted(source.asked) == sorted(set(TEXTS))
    # Another process: nothing is asked again.
    later = Letters()
    assert same(CachedEncoder(later, tmp_path).encode(TEXTS), expected)
    assert later.asked == []


def test_encoders_do_not_share_answers(tmp_path: Path):
    CachedEncoder(Letters(), tmp_path).encode(TEXTS)
    other = Letters("e" * 64)
    CachedEncoder(other, tmp_path).encode(["pushes in"])
    assert other.asked == ["pushes in"]


def flip(path: Path) -> None:
    content = bytearray(path.read_bytes())
    content[-3] ^= 1
    path.write_bytes(content)


DAMAGE: dict[str, Callable[[Path], object]] = {
    "flipped bit": flip,
    "cut": lambda path: path.write_bytes(path.read_bytes()[:-7]),
    "empty": lambda path: path.write_bytes(b""),
    "garbage": lambda path: path.write_bytes(bytes(range(256)) * 3),
    "another text": lambda path: path.write_bytes(
        next(other for other in path.parents[1].rglob("*.safetensors") if other != path)
        .read_bytes()
    ),
    "a folder": lambda path: (path.unlink(), path.mkdir()),
}  # fmt: skip


@pytest.mark.parametrize("kind", DAMAGE)
def test_damaged_entries_are_encoded_again_and_reported(
    kind: str, tmp_path: Path, caplog: pytest.LogCaptureFixture
):
    CachedEncoder(Letters(), tmp_path).encode(TEXTS)
    source = Letters()
    cached = CachedEncoder(source, tmp_path)
    path = cached.path_of("trucks left")
    DAMAGE[kind](path)
    assert same(cached.encode(TEXTS), Letters().encode(TEXTS))
    assert source.asked == ["trucks left"]
    assert str(path) in caplog.text and "damaged" in caplog.text
    if kind != "a folder":  # which nothing can replace
        caplog.clear()
        assert same(cached.encode(TEXTS), Letters().encode(TEXTS))
        assert source.asked == ["trucks left"] and not caplog.text


@pytest.mark.parametrize("obstacle", ["file", "file above"])
def test_a_folder_that_cannot_be_written_costs_only_time(
    obstacle: str, tmp_path: Path, caplog: pytest.LogCaptureFixture
):
    blocked = tmp_path / "occupied"
    blocked.write_text("a file where a folder should be")
    root = blocked if obstacle == "file" else blocked / "below"
    source = Letters()
    cached = CachedEncoder(source, root)
    for _ in range(2):
        assert same(cached.encode(TEXTS), Letters().encode(TEXTS))
    assert len(source.asked) == 2 * len(set(TEXTS))
    assert caplog.text.count("cannot be cached") == 1


def test_many_writers_share_a_folder(tmp_path: Path):
    texts = [f"take {number}" for number in range(23)]
    expected = Letters().encode(texts)
    wrong: list[int] = []

    def work(worker: int) -> None:
        if not same(CachedEncoder(Letters(), tmp_path).encode(texts), expected):
            wrong.append(worker)

    workers = [threading.Thread(target=work, args=(number,)) for number in range(7)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert not wrong
    files = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert len(files) == len(texts), "a temporary file was left behind"


def test_the_folder_follows_the_environment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("AESOP_CACHE", str(tmp_path))
    assert default_cache_folder() == tmp_path / "text"
    monkeypatch.delenv("AESOP_CACHE")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert default_cache_folder() == tmp_path / "aesop" / "text"
