"""Tagging and projecting 1,000 clips of 300 frames, and features there and back."""

import time
from collections.abc import Callable

import numpy as np
import torch
from record import write_result

from aesop.fables.synthetic import synthetic_motion
from aesop.features.camera_features import camera_from_features, camera_to_features
from aesop.features.human_features import human_from_features, human_to_features
from aesop.scene.camera import CameraPath, camera_looking_at, out_of_frame, project_joints
from aesop.scene.movement import tag_path

CLIPS, FRAMES = 1000, 300


def seconds(work: Callable[[], object]) -> float:
    work()  # warm-up
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def main() -> None:
    torch.set_num_threads(1)  # tensors this small only lose by a second thread
    dice = np.random.default_rng(0)
    motion = synthetic_motion("walk_curve", FRAMES, dice).clip.motion.to(torch.float32)
    noise = torch.tensor(dice.normal(size=(CLIPS, FRAMES, 3)), dtype=torch.float32)
    drift = noise.cumsum(1) * 0.01
    cameras: list[CameraPath] = [
        camera_looking_at(motion.root + torch.tensor([2.0, -3.0, 0.5]) + path, motion.root, 0.8)
        for path in drift
    ]
    features = human_to_features(motion)
    figures: dict[str, object] = {
        "clips": CLIPS,
        "frames_per_clip": FRAMES,
        "threads": 1,
        "seconds": {
            "tag": seconds(lambda: [tag_path(camera, 25.0) for camera in cameras]),
            "project_and_out": seconds(
                lambda: [out_of_frame(project_joints(camera, motion.joints)) for camera in cameras]
            ),
            "camera_features_there_and_back": seconds(
                lambda: [
                    camera_from_features(camera_to_features(camera, motion.root), motion.root[0])
                    for camera in cameras
                ]
            ),
            "human_features_there_and_back": seconds(
                lambda: [
                    (human_to_features(motion), human_from_features(features)) for _ in cameras
                ]
            ),
        },
    }
    print(write_result("scene_speed", "python benchmarks/scene.py", figures))


if __name__ == "__main__":
    main()
