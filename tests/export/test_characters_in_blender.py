"""FBX and glTF characters that Blender itself wrote: original and our camera imported together
into headless Blender, head and hands at the pixel where our preview shows them.

Where a character was calibrated on one of its frames, our skeleton poses a little differently. Then
the character's own joints stand for what is drawn, and ours may be off by what the file's record
says they are apart."""

import json
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from aesop.export.export_files import write_export
from aesop.export.figure import figure_of
from aesop.export.file_world import in_file_world
from aesop.files.motion_files import read_motion
from aesop.scene.camera import project_joints
from aesop.scene.shot import Shot
from aesop.scene.skeleton import JOINT
from tests.export.test_blender import PYTHON
from tests.export.test_file_world import (
    HEIGHT_PX,
    SEEN,
    SUFFIXES,
    WIDTH_PX,
    figure_places,
    filmed,
    foreign_file,
)
from tests.files.foreign import DIALECTS

FPS = 50  # every second frame is one of the clip's


def blender(what: str, order: Any, folder: Path) -> str:
    plan = folder / f"{what}.json"
    plan.write_text(json.dumps(order), encoding="utf-8")
    script = Path(__file__).with_name("blender_characters.py")
    words = [str(PYTHON), str(script), what, str(plan)]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.skipif(PYTHON is None, reason="no Blender (bpy) for Python here")
@pytest.mark.parametrize("kind", [".fbx", ".glb"])
def test_a_character_is_filmed_where_it_stands(kind: str, tmp_path: Path):
    pytest.importorskip("ufbx") if kind == ".fbx" else None
    bvh = foreign_file(tmp_path, "cm", "y", float(FPS), 1.13)
    original = tmp_path / f"character{kind}"
    blender("write", {"bvh": str(bvh), "fps": FPS, "targets": [str(original)]}, tmp_path)
    shot = filmed(read_motion(original))
    source = shot.clip.source
    assert source is not None
    numbers = (0, 11, 29)  # of the clip
    cases = []
    for suffix in SUFFIXES:
        export = tmp_path / f"camera{suffix}"
        write_export(shot, export)
        later = max(0, 1 - source.start_frame) if suffix == ".py" else 0
        frames = [round(source.first_frame + k * source.fps / 25) + later for k in numbers]
        joints = {name: DIALECTS["mixamo"][JOINT[name]] for name in SEEN}
        cases.append(
            {"original": str(original), "export": str(export), "fps": round(source.fps),
             "frames": frames, "joints": joints}
        )  # fmt: skip
    (line,) = [
        one for one in blender("see", cases, tmp_path).splitlines() if one.startswith("SEEN ")
    ]
    drawn = pixels(shot, shot.clip.motion.joints)[list(numbers)][:, [JOINT[n] for n in SEEN]]
    there = in_file_world(shot)
    bones = [figure_of(there.clip).bones.index(DIALECTS["mixamo"][JOINT[n]]) for n in SEEN]
    own = pixels(there, figure_places(there.clip)[:, bones].to(there.camera.centre))
    own = own[[round(k * source.fps / 25) for k in numbers]]
    depth = shot.projection.depth_m.min()
    focal_px = HEIGHT_PX / 2 / float(shot.camera.tan_half_fov[:, 1].min())
    assert source.apart is not None
    allowed = max(0.5, source.apart.most_m * focal_px / float(depth))
    for suffix, found in zip(SUFFIXES, json.loads(line.removeprefix("SEEN ")), strict=True):
        blenders = np.array([[seen[name] for name in SEEN] for seen in found])
        # The promise of the exports, at 1080p.
        assert np.abs(blenders - own).max() < 0.5, (kind, suffix)
        assert np.abs(blenders - drawn).max() < (0.5 if kind == ".glb" else allowed), (kind, suffix)


def pixels(shot: Shot, points: torch.Tensor) -> np.ndarray:
    ndc = project_joints(shot.camera, points).ndc.double().numpy()
    return (ndc * (0.5, -0.5) + 0.5) * (WIDTH_PX, HEIGHT_PX)
