"""A person as OpenPose draws it: 18 COCO keypoints and 17 limbs in their usual colours on black.

Body keypoints are our joints, the neck is the middle of the shoulders. Nose, eyes and ears, which
our skeleton lacks, are places on the head. As a detector would, it leaves out what lies outside
the picture and the parts of a face that look away.
"""

import math
from dataclasses import dataclass

import numpy as np
from jaxtyping import Bool, Float
from PIL import Image, ImageDraw

from aesop.preview.canvas import Picture, View
from aesop.scene.camera import MIN_DEPTH_M
from aesop.scene.skeleton import JOINT

KEYPOINTS = (
    "nose", "neck", "right_shoulder", "right_elbow", "right_wrist", "left_shoulder", "left_elbow",
    "left_wrist", "right_hip", "right_knee", "right_ankle", "left_hip", "left_knee", "left_ankle",
    "right_eye", "left_eye", "right_ear", "left_ear",
)  # fmt: skip
KEYPOINT = {name: number for number, name in enumerate(KEYPOINTS)}
COLOURS = (
    (255, 0, 0), (255, 85, 0), (255, 170, 0), (255, 255, 0), (170, 255, 0), (85, 255, 0),
    (0, 255, 0), (0, 255, 85), (0, 255, 170), (0, 255, 255), (0, 170, 255), (0, 85, 255),
    (0, 0, 255), (85, 0, 255), (170, 0, 255), (255, 0, 255), (255, 0, 170), (255, 0, 85),
)  # fmt: skip
LIMBS = (
    ("neck", "right_shoulder"), ("neck", "left_shoulder"), ("right_shoulder", "right_elbow"),
    ("right_elbow", "right_wrist"), ("left_shoulder", "left_elbow"), ("left_elbow", "left_wrist"),
    ("neck", "right_hip"), ("right_hip", "right_knee"), ("right_knee", "right_ankle"),
    ("neck", "left_hip"), ("left_hip", "left_knee"), ("left_knee", "left_ankle"),
    ("neck", "nose"), ("nose", "right_eye"), ("right_eye", "right_ear"), ("nose", "left_eye"),
    ("left_eye", "left_ear"),
)  # fmt: skip
LIMB_SHADE = 0.6
RADIUS_PER_PX = 4 / 512  # of dots and half-widths of limbs, in short sides of the picture

# Places on the head in its axes (x to its left, y up, z forward), metres; the way each looks; and
# how far from the camera it may look (a cosine) and still be found.
_FACE = {
    "nose": ((0.0, 0.072, 0.090), (0.0, 0.0, 1.0), 0.0),
    "right_eye": ((-0.032, 0.108, 0.074), (0.0, 0.0, 1.0), 0.0),
    "left_eye": ((0.032, 0.108, 0.074), (0.0, 0.0, 1.0), 0.0),
    "right_ear": ((-0.077, 0.100, -0.010), (-1.0, 0.0, 0.0), -0.35),
    "left_ear": ((0.077, 0.100, -0.010), (1.0, 0.0, 0.0), -0.35),
}


@dataclass(frozen=True, eq=False)
class Keypoints:
    """Columns and rows of the keypoints in pixels, and which of them were found."""

    pixels: Float[np.ndarray, "18 2"]
    is_found: Bool[np.ndarray, " 18"]


def keypoints_of(
    joints: Float[np.ndarray, "22 3"], turns: Float[np.ndarray, "22 3 3"], view: View
) -> Keypoints:
    """The keypoints of one pose through a view."""
    places = keypoint_places(joints, turns)
    in_camera = view.in_camera(places)
    is_found = in_camera[:, 2] > MIN_DEPTH_M
    pixels = np.zeros((len(KEYPOINTS), 2))
    pixels[is_found] = view.pixels(in_camera[is_found])
    is_found &= ((pixels >= 0) & (pixels < (view.width, view.height))).all(-1)
    head = turns[JOINT["head"]]
    for name, (_, outward, least) in _FACE.items():
        to_camera = view.centre - places[KEYPOINT[name]]
        facing = (head @ np.array(outward)) @ to_camera / np.linalg.norm(to_camera)
        is_found[KEYPOINT[name]] &= facing > least
    return Keypoints(pixels, is_found)


def keypoint_places(
    joints: Float[np.ndarray, "22 3"], turns: Float[np.ndarray, "22 3 3"]
) -> Float[np.ndarray, "18 3"]:
    """Where the keypoints of a pose are."""
    head, turn = joints[JOINT["head"]], turns[JOINT["head"]]
    neck = (joints[JOINT["left_shoulder"]] + joints[JOINT["right_shoulder"]]) / 2
    face = {name: head + turn @ np.array(offset) for name, (offset, _, _) in _FACE.items()}
    places = {"neck": neck} | face
    return np.stack([places[k] if k in places else joints[JOINT[k]] for k in KEYPOINTS])


def pose_picture(keypoints: Keypoints, size: tuple[int, int]) -> Picture:
    """Limbs as slim ellipses, then dots, on black."""
    image = Image.new("RGB", size)
    pen = ImageDraw.Draw(image)
    radius = max(2.0, RADIUS_PER_PX * min(size))
    for number, (start, end) in enumerate(LIMBS):
        ends = [KEYPOINT[start], KEYPOINT[end]]
        if keypoints.is_found[ends].all():
            shade = tuple(round(LIMB_SHADE * value) for value in COLOURS[number])
            pen.polygon(_ellipse(keypoints.pixels[ends], radius), fill=shade)
    for colour, (column, row), is_found in zip(
        COLOURS, keypoints.pixels.tolist(), keypoints.is_found, strict=True
    ):
        if is_found:
            box = (column - radius, row - radius, column + radius, row + radius)
            pen.ellipse(box, fill=colour)
    return np.asarray(image)


def _ellipse(ends: Float[np.ndarray, "2 2"], half_width: float) -> list[tuple[float, float]]:
    """Corners of an ellipse from one point to another."""
    middle, along = ends.mean(axis=0), (ends[1] - ends[0]) / 2
    length = float(np.hypot(*along))
    direction = along / length if length > 0 else np.array([1.0, 0.0])
    across = np.array([-direction[1], direction[0]]) * half_width
    angles = [2 * math.pi * step / 48 for step in range(48)]
    corners = [middle + math.cos(a) * along + math.sin(a) * across for a in angles]
    return [(float(x), float(y)) for x, y in corners]
