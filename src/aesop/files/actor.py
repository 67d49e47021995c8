"""The person from somebody else's generator: a file that it wrote, or a command that writes one."""

import re
import shlex
import subprocess
import tempfile
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from aesop.core.errors import FileError
from aesop.files.motion_files import READERS, ReadOptions, read_motion
from aesop.scene.human import Clip

PATIENCE_S = 1800.0
_FIELD = re.compile(r"\{(words|seconds|seed|output)\}")
# How much of what a failed command said is told.
_LAST_WORDS = 200


def check_actor(actor: str) -> None:
    """Refuse at once what is neither a file nor a command that could write one."""
    if not _is_there(actor):
        _command(actor)


def actor_clip(
    actor: str,
    words: str,
    seconds: float,
    seed: int | None,
    options: ReadOptions | None = None,
) -> Clip:
    """The motion in a file, or the one that a command makes of the words.

    A command is split into words as a shell would and run without one: each of {words}, {seconds},
    {seed} and {output} is put into its own argument, whatever it holds.
    """
    if _is_there(actor):
        return read_motion(actor, options)
    command = _command(actor)
    with tempfile.TemporaryDirectory(prefix="aesop-actor-") as folder:
        fields = {
            "words": words,
            "seconds": f"{seconds:g}",
            "seed": str(0 if seed is None else seed),
            "output": str(Path(folder) / "motion"),
        }
        _run([_filled(argument, fields) for argument in command])
        clip = read_motion(_written(Path(folder), command[0]), options)
    notes = (*clip.provenance.notes, f"acted by the command {command[0]}")
    return replace(clip, provenance=replace(clip.provenance, notes=notes))


def _is_there(actor: str) -> bool:
    """Whether this names a file. A command may be longer than any name of a file."""
    try:
        return Path(actor).exists()
    except (OSError, ValueError):
        return False


def _command(actor: str) -> list[str]:
    try:
        command = shlex.split(actor)
    except ValueError as problem:
        raise FileError(
            f"--actor {actor!r} cannot be split into words: {problem}.", "Close its quotes."
        ) from problem
    if not any("{output}" in argument for argument in command):
        raise FileError(
            f"--actor {actor!r} is neither a file nor a command that says where to write.",
            "Give a motion file, or a command with {output}, such as "
            "'generate --text {words} --out {output}.npz'.",
        )
    return command


def _filled(argument: str, fields: Mapping[str, str]) -> str:
    """The argument with its fields put in, once: braces inside the words stay as they are."""
    return _FIELD.sub(lambda field: fields[field[1]], argument)


def _run(command: list[str]) -> None:
    try:
        done = subprocess.run(
            command,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=PATIENCE_S,
            check=False,
        )
    except FileNotFoundError:
        raise FileError(
            f"The actor's program {command[0]} is not there.", "Check its name and the PATH."
        ) from None
    except PermissionError:
        raise FileError(
            f"The actor's program {command[0]} may not be run.", "Change its permissions."
        ) from None
    except subprocess.TimeoutExpired:
        raise FileError(
            f"The actor's program {command[0]} took longer than {PATIENCE_S / 60:g} minutes.",
            "Run it by itself, and give the file that it writes.",
        ) from None
    if done.returncode != 0:
        last_words = done.stderr.decode("utf-8", errors="replace").strip()[-_LAST_WORDS:]
        raise FileError(
            f"The actor's program {command[0]} ended with status {done.returncode}: {last_words}.",
            "Run it by itself until it writes a motion.",
        )


def _written(folder: Path, program: str) -> Path:
    """The one motion that the command left, whatever suffix it chose."""
    suffixes = {reader.suffix for reader in READERS}
    files = sorted(path for path in folder.rglob("*") if path.is_file())
    motions = [path for path in files if path.suffix.lower() in suffixes]
    if len(motions) != 1:
        names = ", ".join(path.name for path in files) or "nothing"
        raise FileError(
            f"The actor's program {program} wrote {names}; one motion is needed.",
            "Let it write one file to {output} with a suffix that AESOP reads, such as .npz.",
        )
    return motions[0]
