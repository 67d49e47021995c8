"""A picture of what the Blender extension makes, rendered by Blender without a screen.

    python runs/blender_picture.py --blender-python PYTHON_WITH_BPY

Starts the other Python on blender/demo_scene.py, which films a walk with the shipped weights and
renders three frames through the new camera, and joins them in docs/pictures/blender.jpg.
"""

import argparse
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from PIL import Image

from aesop.fables.synthetic import synthetic_motion
from aesop.files.motion_files import write_motion
from blender_extension import ROOT, build

PICTURE = ROOT / "docs" / "pictures" / "blender.jpg"
FRAMES = 3


def main(args: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--blender-python", type=Path, required=True, help="a Python with bpy")
    given = parser.parse_args(args)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        walk = synthetic_motion("walk", 101, np.random.default_rng(2)).clip
        write_motion(walk, folder / "walk.bvh")
        scene, command = ROOT / "blender" / "demo_scene.py", Path(sys.executable).with_name("aesop")
        words = [given.blender_python, scene, build(folder), command, folder / "walk.bvh", folder]
        subprocess.run([str(word) for word in words], check=True)
        pictures = [Image.open(folder / f"{number}.png").convert("RGB") for number in range(FRAMES)]
        wide, high = pictures[0].size
        sheet = Image.new("RGB", (FRAMES * wide + 8 * (FRAMES - 1), high), "white")
        for number, picture in enumerate(pictures):
            sheet.paste(picture, (number * (wide + 8), 0))
    sheet.save(PICTURE, quality=86)
    sys.stdout.write(f"{PICTURE}\n")


if __name__ == "__main__":
    main()
