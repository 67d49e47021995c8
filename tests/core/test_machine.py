"""What results say about their code and machine."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest
import torch

from aesop.core.hashing import file_sha256, text_sha256
from aesop.core.machine import Code, code_state, processor_name, this_machine


def git(folder: Path, *words: str) -> None:
    names = ("-c", "user.name=a", "-c", "user.email=a@b")
    subprocess.run(["git", *names, *words], cwd=folder, check=True, capture_output=True)


def test_code_outside_a_clone_or_without_git_is_unknown(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tmp_path.parent))  # a clone may lie above
    assert code_state(tmp_path) == Code("unknown", None)
    monkeypatch.setenv("PATH", str(tmp_path))
    assert code_state(Path(__file__).parent) == Code("unknown", None)


@pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")
def test_a_change_to_the_code_changes_what_is_said_of_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    for scope in ("GIT_CONFIG_GLOBAL", "GIT_CONFIG_SYSTEM"):  # somebody may sign every commit
        monkeypatch.setenv(scope, os.devnull)
    git(tmp_path, "init")
    (tmp_path / "a.py").write_text("a = 1\n")
    git(tmp_path, "add", "a.py")
    git(tmp_path, "commit", "-m", "first")
    clean = code_state(tmp_path)
    assert len(clean.commit) == 40 and clean.diff_sha256 is None
    (tmp_path / "a.py").write_text("a = 2\n")
    changed = code_state(tmp_path)
    (tmp_path / "b.py").write_text("")
    added = code_state(tmp_path)
    assert changed.commit == added.commit == clean.commit
    assert len({clean.diff_sha256, changed.diff_sha256, added.diff_sha256}) == 3


def test_a_machine_names_its_parts(monkeypatch: pytest.MonkeyPatch):
    """torch with its build: the package index has builds whose metadata do not name it."""
    monkeypatch.setattr(torch, "__version__", "2.13.0+cu130")
    machine = this_machine(torch.device("cpu"))
    assert machine.device == "cpu" and dict(machine.versions)["torch"] == "2.13.0+cu130"
    assert processor_name()


def test_texts_and_files_of_equal_bytes_have_equal_hashes(tmp_path: Path):
    (tmp_path / "a").write_bytes("two\nlines °".encode())
    assert (
        file_sha256(tmp_path / "a") == text_sha256("two", "lines °") == text_sha256("two\nlines °")
    )
    assert text_sha256("") == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
