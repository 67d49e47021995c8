"""Exports opened by real Blender: camera, lens and person where ours are.

Needs a Python with bpy: this one, or the one named by AESOP_BPY_PYTHON.
"""

import importlib.util
import json
import math
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from aesop.export.export_files import write_export
from aesop.export.mannequin_mesh import SURFACES, body_mesh, rest_places
from aesop.preview import colours
from aesop.scene.skeleton import JOINT, world_rotations
from tests.export.makers import moving_shot
from tests.tolerances import GEOMETRY32, STORED32

PYTHON = os.environ.get("AESOP_BPY_PYTHON") or (
    sys.executable if importlib.util.find_spec("bpy") else None
)
SHOT = moving_shot()
FRAMES = (0, 11, 36)


@pytest.mark.skipif(PYTHON is None, reason="no Blender (bpy) for Python here")
@pytest.mark.parametrize(("suffix", "first_frame"), [(".glb", 0), (".usda", 0), (".py", 1)])
def test_blender_sees_what_we_see(suffix: str, first_frame: int, tmp_path: Path):
    path = tmp_path / f"shot{suffix}"
    write_export(SHOT, path)
    reader = Path(__file__).with_name("blender_reader.py")
    words = [str(PYTHON), str(reader), str(path), str(first_frame), *map(str, FRAMES)]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    (line,) = [it for it in done.stdout.splitlines() if it.startswith("SEEN ")] or [done.stderr]
    seen = json.loads(line.removeprefix("SEEN "))
    # Blender does not read the rate of a USD file. The day it does, this fails and the writer's
    # advice can go.
    assert math.isclose(seen["fps"], 24 if suffix == ".usda" else 25)
    if suffix != ".glb":  # one material with colours of vertices
        tints = [colours.linear(tint) for tint in SURFACES.values()]
        assert np.abs(np.array(seen["surfaces"]) - tints).max() < STORED32
    for frame, found in zip(FRAMES, seen["frames"], strict=True):
        matrix, camera = np.array(found["matrix"]), SHOT.camera
        assert np.abs(matrix[:3, 3] - camera.centre[frame].numpy()).max() < 2 * GEOMETRY32
        turn = camera.world_from_camera[frame].numpy() * np.array([1, -1, -1])
        assert np.abs(matrix[:3, :3] - turn).max() < 2 * GEOMETRY32
        ours = camera.tan_half_fov[frame, 0 if found["is_across"] else 1]
        assert abs(math.atan(found["half_tangent"]) - math.atan(float(ours))) < 2 * GEOMETRY32
        joints = SHOT.clip.motion.joints[frame].numpy()
        for name in ("pelvis", "head", "left_wrist", "right_knee"):
            assert np.abs(np.array(found["bones"][name]) - joints[JOINT[name]]).max() < 1e-3
        # BVH has a millionth of a degree and of a centimetre; the rest is Blender's rounding.
        assert np.abs(np.array(found["vertices"]) - _mannequin(frame)).max() < 1e-3


def _mannequin(frame: int) -> np.ndarray:
    """Corners of the mannequin's triangles in the world, by the joint that carries each."""
    mesh, motion = body_mesh(), SHOT.clip.motion
    turns = world_rotations(motion.rotations[frame].double()).numpy()[mesh.joint]
    apart = mesh.points - rest_places()[mesh.joint]
    places = motion.joints[frame].double().numpy()[mesh.joint]
    return ((turns @ apart[..., None])[..., 0] + places)[mesh.triangles].reshape(-1, 3)
