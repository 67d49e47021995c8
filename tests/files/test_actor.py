"""People of other generators: words reach a command as one argument, and its failures are told."""

import shlex
import sys
from pathlib import Path

import pytest
import torch

from aesop.core.errors import FileError
from aesop.files.actor import actor_clip, check_actor
from aesop.files.motion_files import read_motion, write_motion
from tests.files.makers import gait_clip

# Copies a motion to where it is told, and the words beside it.
GENERATOR = """
import shutil, sys
motion, words, seconds, seed, output, heard = sys.argv[1:]
shutil.copy(motion, output)
open(heard, "w").write(repr((words, seconds, seed)))
"""
PYTHON = shlex.quote(sys.executable)  # it may lie in a folder whose name has a space
NASTY = """a person's "walk"; $(touch hacked) {seed} && rm -rf * | {output} \\ \n end"""


def command(tmp_path: Path, *more: str) -> str:
    (tmp_path / "generate.py").write_text(GENERATOR)
    words = [sys.executable, str(tmp_path / "generate.py"), *more]
    return " ".join(shlex.quote(word) for word in words)


def test_words_reach_a_command_whole(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    write_motion(gait_clip(31), tmp_path / "walk.bvh")
    line = command(tmp_path, "walk.bvh", "{words}", "{seconds}", "{seed}", "{output}.bvh", "heard")
    before = {path.name for path in tmp_path.iterdir()}
    clip = actor_clip(line, NASTY, 3.5, 11)
    assert (tmp_path / "heard").read_text() == repr((NASTY, "3.5", "11"))
    assert {path.name for path in tmp_path.iterdir()} == before | {"heard"}
    assert torch.equal(clip.motion.joints, read_motion("walk.bvh").motion.joints)


def test_a_file_is_an_actor(tmp_path: Path) -> None:
    write_motion(gait_clip(31), tmp_path / "walk.clip")
    assert actor_clip(str(tmp_path / "walk.clip"), "words", 6.0, None).frames == 31


@pytest.mark.parametrize(
    ("actor", "fact"),
    [
        ("gone.bvh", "neither a file nor a command"),
        ("generate --text {words}", "neither a file nor a command"),
        ("generate 'open {output}", "cannot be split"),
        (f"generate {'very ' * 99}well", "neither a file nor a command"),
    ],
)
def test_what_cannot_act_is_refused_before_any_work(actor: str, fact: str) -> None:
    with pytest.raises(FileError, match=fact):
        check_actor(actor)


@pytest.mark.parametrize(
    ("program", "fact"),
    [
        ("no-such-program-anywhere {output}", "is not there"),
        (f"{PYTHON} -c \"import sys; sys.exit('no weights {{output}}')\"", "no weights"),
        (f'{PYTHON} -c "1" {{output}}', "wrote nothing"),
        (f"{PYTHON} -c \"open(r'{{output}}.txt', 'w')\"", "wrote motion.txt"),
    ],
)
def test_what_fails_is_told(program: str, fact: str) -> None:
    with pytest.raises(FileError, match=fact):
        actor_clip(program, "a person waves", 6.0, None)


def test_nobody_waits_for_ever(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("aesop.files.actor.PATIENCE_S", 0.3)
    program = f'{PYTHON} -c "import time; time.sleep(60)" {{output}}'
    with pytest.raises(FileError, match="took longer"):
        actor_clip(program, "a person waves", 6.0, None)
