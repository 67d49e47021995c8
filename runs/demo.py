"""`make demo`: a motion of our own making, imported from BVH, framed by a look-at camera, drawn."""

import sys
from pathlib import Path

import numpy as np
import torch
from tqdm import tqdm

from aesop.data.fables.make_believe import make_believe
from aesop.files.registry import read_motion, write_motion
from aesop.files.shot_file import write_shot
from aesop.preview.stills import write_contact_sheet
from aesop.preview.video import write_video
from aesop.scene.camera import camera_looking_at
from aesop.scene.human import Provenance
from aesop.scene.movement import TAG_NAMES, runs, tag_path
from aesop.scene.shot import Shot

SECONDS = 5


def main() -> None:
    folder = Path("demo")
    folder.mkdir(exist_ok=True)
    made = make_believe("walk_curve", SECONDS * 25, np.random.default_rng(4))
    motion_file = folder / "walk.bvh"
    write_motion(made.clip, motion_file)

    clip = read_motion(motion_file)
    root = clip.motion.root
    share = torch.linspace(0, 1, clip.frames)[:, None]
    eased = share * share * (3 - 2 * share)
    start, end = torch.tensor([2.6, -4.2, 0.5]), torch.tensor([0.9, -3.4, 0.3])
    middle = root.mean(0)
    camera = camera_looking_at(
        middle + start + eased * (end - start), root + torch.tensor([0.0, 0.0, 0.1]), 0.62
    )
    shot = Shot(
        clip,
        camera,
        Provenance("made by the demo", notes=("a look-at camera, no model",)),
        camera_words="the camera trucks left and pushes in",
        human_words=made.captions[0],
    )
    tags = [TAG_NAMES[tag] for tag, _, _ in runs(tag_path(camera, clip.fps))]
    sys.stderr.write(f"filmed: {made.captions[0]}; movement tags: {', then '.join(tags)}\n")

    write_shot(shot, folder / "walk.shot")
    write_contact_sheet(shot, folder / "walk.png")
    with tqdm(desc="drawing", total=shot.frames, disable=None, file=sys.stderr) as bar:
        write_video(shot, folder / "walk.mp4", progress=lambda done, _: bar.update(done - bar.n))
    for name in ("walk.bvh", "walk.shot", "walk.png", "walk.mp4"):
        sys.stdout.write(f"{folder / name}\n")


if __name__ == "__main__":
    main()
