"""FBX files: the character that a file animates, read by a library in a process of its own."""

import io
import json
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path
from typing import cast

import numpy as np
import torch

from aesop.core.errors import FileError
from aesop.files.foreign_clip import Units, foreign_clip
from aesop.files.importing import check_length, check_rate, input_file
from aesop.files.node_tree import NodeTree, node_take, transform_matrices
from aesop.scene.human import Clip
from aesop.scene.source import UpAxis

MAX_BYTES = 512 * 2**20
# A minute of a character with a face takes seconds; a library that hangs is not waited for.
PATIENCE_S = 300.0
# Exit code of the process for files that it understood to be unreadable.
UNREADABLE = 3
# Blender and Maya put the second 0 of an FBX at frame 1 (their usual first frame).
FIRST_FRAME = 1


def read_fbx(
    path: Path,
    *,
    fps: float | None = None,
    units: Units | None = None,
    up: UpAxis | None = None,
    loop: int | None = None,
) -> Clip:
    """The motion of the one character in an FBX file. `fps` overrules the rate of its scene."""
    if input_file(path).stat().st_size > MAX_BYTES:
        raise FileError(
            f"{path} is larger than {MAX_BYTES >> 20} MiB.", "Export the skeleton without its mesh."
        )
    answer = _opened(path)
    with np.load(io.BytesIO(answer), allow_pickle=False) as arrays:
        facts = json.loads(arrays["text"].tobytes())
        numbers = torch.from_numpy(arrays["transforms"])
        rate = facts["rate"] if fps is None else fps
        check_rate(rate, path)
        check_length(len(numbers), rate, path)
        tree = NodeTree(
            path,
            tuple(facts["names"]),
            tuple(arrays["parents"].tolist()),
            transform_matrices(numbers[..., :3], numbers[..., 3:7], numbers[..., 7:]),
            torch.from_numpy(arrays["rest"]),
            torch.from_numpy(arrays["bind"]),
            fps=rate,
            start_frame=FIRST_FRAME + round(facts["first_s"] * rate),
            up=facts["up"] or None,
            metres_per_unit=facts["unit_m"],
        )
    notes = _notes(facts)
    return foreign_clip(node_take(tree, "FBX"), path, units=units, up=up, notes=notes, loop=loop)


def _notes(facts: dict[str, object]) -> tuple[str, ...]:
    others = cast("list[str]", facts["other_takes"])
    if not others:
        return ()
    return (f"take {facts['take']!r}; left out: {', '.join(repr(name) for name in others)}",)


def _opened(path: Path) -> bytes:
    """What the process says of the file."""
    if find_spec("ufbx") is None:
        raise FileError(
            f"{path} cannot be read: FBX needs the package ufbx, which is not installed.",
            "Install it (pip install ufbx), or export glTF (.glb) or BVH.",
        )
    command = [sys.executable, "-P", "-m", "aesop.files.fbx_process", str(path.absolute())]
    try:
        done = subprocess.run(command, capture_output=True, timeout=PATIENCE_S, check=False)
    except subprocess.TimeoutExpired:
        raise FileError(
            f"{path} took longer than {PATIENCE_S:g} s to open.",
            "Export the skeleton and one take, without meshes.",
        ) from None
    if done.returncode == UNREADABLE:
        reason = done.stderr.decode("utf-8", errors="replace")
        raise FileError(
            f"{path} is not a readable FBX file: {reason}.",
            "Export it again, with its animation; or export glTF (.glb) or BVH.",
        )
    if done.returncode != 0:
        raise FileError(
            f"{path} cannot be read: the FBX library gave up on it (status {done.returncode}).",
            "Export it again from another program, or as glTF (.glb) or BVH.",
        )
    return done.stdout
