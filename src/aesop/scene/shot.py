"""A shot: a clip, the camera path that films it, and words; the canonical start, and what AESOP
sees in a clip."""

from dataclasses import dataclass, replace

import torch
from jaxtyping import Float
from torch import Tensor

from aesop.core.errors import CameraError, ClipError
from aesop.scene.camera import CameraPath, Projection, project_joints
from aesop.scene.camera_keys import MetKeys
from aesop.scene.human import MAX_FRAMES, Clip, HumanMotion, Provenance, shifted, turned
from aesop.scene.intensity_curve import IntensityCurve
from aesop.scene.picture_format import SENSOR_WIDTH_MM
from aesop.scene.rotation import about_z


@dataclass(frozen=True, eq=False)
class Shot:
    """What `film` and `shoot` return, what previews draw, what metrics judge."""

    clip: Clip
    camera: CameraPath
    provenance: Provenance
    camera_words: str = ""
    human_words: str = ""
    intensity: float = 1.0  # the mean of the curve, where there is one
    sensor_width_mm: float = SENSOR_WIDTH_MM  # for focal lengths in exports
    resolution_px: tuple[int, int] | None = None  # width and height, where they were asked for
    intensity_curve: IntensityCurve | None = None  # where it changes over time
    keys: MetKeys | None = None  # cameras that the path had to meet, in the clip's world

    def __repr__(self) -> str:
        length = f"{self.frames} frames at {self.fps:g} fps"
        words = f"{self.camera_words!r}, intensity {self.intensity:.4g}"
        return f"<Shot of {self.clip.name!r}: {length}, {words}, {self.provenance.source}>"

    def __post_init__(self) -> None:
        if self.clip.frames != self.camera.frames:
            raise CameraError(
                f"The clip has {self.clip.frames} frames but the camera path has "
                f"{self.camera.frames}.",
                "Cut both to the same frames.",
            )

    @property
    def frames(self) -> int:
        return self.clip.frames

    @property
    def fps(self) -> float:
        return self.clip.fps

    @property
    def projection(self) -> Projection:
        """The clip's joints through the lens."""
        return project_joints(self.camera, self.clip.motion.joints)


@dataclass(frozen=True, eq=False)
class Placement:
    """Where a canonical clip stood in its world: turn by `yaw`, then move by `offset`."""

    yaw: Float[Tensor, ""]
    offset: Float[Tensor, "3"]


def placement_of(motion: HumanMotion) -> Placement:
    """The placement that takes the canonical form of a motion to where it stands."""
    return Placement(motion.yaw[0], motion.root[0] * motion.root.new_tensor([1.0, 1.0, 0.0]))


def canonical(clip: Clip, *, keeps_yaw: bool = False) -> tuple[Clip, Placement]:
    """The clip from the canonical start, and what undoes it. Heights are not touched; nor is the
    heading, for models that were trained on clips that keep theirs. Where a file has it is
    forgotten."""
    placement = placement_of(clip.motion)
    if keeps_yaw:
        placement = replace(placement, yaw=torch.zeros_like(placement.yaw))
    motion = turned(shifted(clip.motion, -placement.offset), -placement.yaw)
    return replace(clip, motion=motion, source=None), placement


def place_camera(camera: CameraPath, placement: Placement) -> CameraPath:
    """Move a camera that films the canonical clip to where the clip stood."""
    turn = about_z(placement.yaw)
    return replace(
        camera,
        world_from_camera=turn @ camera.world_from_camera,
        centre=camera.centre @ turn.T + placement.offset,
    )


def canonical_camera(camera: CameraPath, placement: Placement) -> CameraPath:
    """Inverse of `place_camera`."""
    turn = about_z(-placement.yaw)
    return replace(
        camera,
        world_from_camera=turn @ camera.world_from_camera,
        centre=(camera.centre - placement.offset) @ turn.T,
    )


def ground(points: Float[Tensor, "*batch 3"]) -> Float[Tensor, "*batch 2"]:
    """The part of points or directions that lies in the ground plane."""
    return points[..., :2]


def heading(yaw: Float[Tensor, "*batch"]) -> Float[Tensor, "*batch 3"]:
    """Unit vector in which a person of this yaw faces."""
    return torch.stack([torch.sin(yaw), -torch.cos(yaw), torch.zeros_like(yaw)], dim=-1)


SHORTEST_SECONDS = 1.0
CYCLED_KINDS = ("BVH", "FBX", "glTF")  # files whose readers play cycles (docs/inputs.md)
# Faster than any sprinter: the file jumps, or its units or rate are wrong.
FASTEST_ROOT_MPS = 15.0
# Pelvis heights outside this range mean wrong units or a body that never stands on the ground.
PELVIS_HEIGHT_RANGE_M = (0.02, 5.0)


@dataclass(frozen=True)
class Survey:
    """Facts about a clip in units a person reads; lengths have the size of the clip."""

    frames: int
    seconds: float
    fps: float
    low_m: tuple[float, float, float]
    high_m: tuple[float, float, float]
    travel_m: float
    fastest_mps: float
    turn_degrees: float
    windows: int


def survey(clip: Clip) -> Survey:
    """Measure a clip."""
    joints, root = clip.motion.joints.double(), clip.motion.root.double()
    steps = torch.linalg.vector_norm(root.diff(dim=0), dim=-1)
    low, high = joints.amin((0, 1)).tolist(), joints.amax((0, 1)).tolist()
    turn = torch.rad2deg(clip.motion.yaw.double()[-1] - clip.motion.yaw.double()[0])
    return Survey(
        frames=clip.frames,
        seconds=clip.seconds,
        fps=clip.fps,
        low_m=(low[0], low[1], low[2]),
        high_m=(high[0], high[1], high[2]),
        travel_m=float(steps.sum()),
        fastest_mps=float(steps.max() * clip.fps) if len(steps) else 0.0,
        turn_degrees=float(torch.remainder(turn + 180, 360) - 180),
        windows=-(-clip.frames // MAX_FRAMES),
    )


def told_survey(clip: Clip) -> Survey:
    """The survey as people are told it: lengths have the size of the clip's file."""
    facts, metres = survey(clip), clip.file_metres
    (x, y, z), (high_x, high_y, high_z) = facts.low_m, facts.high_m
    return replace(
        facts,
        low_m=(metres * x, metres * y, metres * z),
        high_m=(metres * high_x, metres * high_y, metres * high_z),
        travel_m=metres * facts.travel_m,
        fastest_mps=metres * facts.fastest_mps,
    )


def require_bodily(clip: Clip) -> Survey:
    """The survey of a clip that moves as bodies can; a `ClipError` that says why it cannot
    otherwise: mostly its unit is another. Bodies are compared at one size, and what is said of
    them has the size of their file."""
    facts = survey(clip)
    if facts.fastest_mps > FASTEST_ROOT_MPS:
        raise ClipError(
            f"{clip.name} moves its hips at up to {clip.file_metres * facts.fastest_mps:.0f} m/s.",
            "Check the unit of joints, or of a path beside poses (--units), and the rate "
            "(--file-fps), or mend the jump in the file.",
        )
    height = float(clip.motion.root[:, 2].double().median())
    if not PELVIS_HEIGHT_RANGE_M[0] <= height <= PELVIS_HEIGHT_RANGE_M[1]:
        raise ClipError(
            f"{clip.name} carries its hips {clip.file_metres * height:.2f} m above the ground.",
            "Check the up axis (--up) and the units (--units).",
        )
    return facts


def require_filmable(clip: Clip, shortest_seconds: float = SHORTEST_SECONDS) -> Survey:
    """The survey of a clip that can be filmed; a `ClipError` that says why not otherwise."""
    facts = require_bodily(clip)
    if facts.seconds < shortest_seconds:
        remedy = "Give a longer motion."
        if clip.source is not None and clip.source.kind in CYCLED_KINDS:
            remedy = (
                "Give a longer motion; a cycle, whose last pose is its first, can be played "
                "several times (--loop 3)."
            )
        raise ClipError(
            f"{clip.name} has {facts.seconds:.2f} s of motion; "
            f"AESOP films {shortest_seconds:g} s and more.",
            remedy,
        )
    return facts
