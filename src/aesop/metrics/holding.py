"""How a camera holds its person: frames without anybody, the head, clearance, turns, ways.

Metrics of the paper compare collections; these are facts of one film that its user would notice.
"""

from dataclasses import dataclass

import torch
from jaxtyping import Float, Float64
from torch import Tensor

from aesop.scene.camera import CameraPath
from aesop.scene.framing import Projection, out_of_frame, project_joints
from aesop.scene.human import HumanMotion
from aesop.scene.placement import ground
from aesop.scene.rotation import geodesic_distance
from aesop.scene.skeleton import JOINT, PARENTS, world_rotations

LOST_SHARE = 0.1  # a film that is empty for this share of its frames has lost the person
CROWN_M = 0.2  # from the head joint, which lies between the ears, to the top of the skull


@dataclass(frozen=True)
class Holding:
    """One film. Shares are of its frames."""

    empty_share: float  # none of the nine key joints is visible, as the metric Out counts
    head_share: float  # the head joint is inside the picture
    nearest_m: float  # camera centre to the nearest bone, the crown of the head included
    fastest_turn_dps: float  # degrees a second between neighbouring frames; 0 for one frame
    travel_m: float  # way of the camera centre
    person_way_m: float  # way of the root over the ground

    @property
    def loses_person(self) -> bool:
        """Whether nobody is in the picture for a tenth of the time or more."""
        return self.empty_share >= LOST_SHARE


def holding_of(camera: CameraPath, motion: HumanMotion, fps: float) -> Holding:
    """Measure one film in float64."""
    projection = seen_joints(camera, motion)
    turns_dps = turn_speeds_dps(camera, fps)
    return Holding(
        empty_share=float(out_of_frame(projection).double().mean()),
        head_share=float(projection.visible[:, JOINT["head"]].double().mean()),
        nearest_m=float(clearance_m(camera.centre, motion).min()),
        fastest_turn_dps=float(turns_dps.max()) if len(turns_dps) else 0.0,
        travel_m=float(_way_m(camera.centre.double())),
        person_way_m=float(_way_m(ground(motion.root.double()))),
    )


def seen_joints(camera: CameraPath, motion: HumanMotion) -> Projection:
    """All joints through the lens in float64."""
    exact = CameraPath(
        camera.world_from_camera.double(),
        camera.centre.double(),
        camera.fov_vertical.double(),
        camera.aspect,
    )
    return project_joints(exact, motion.joints.double())


def turn_speeds_dps(camera: CameraPath, fps: float) -> Float64[Tensor, " transitions"]:
    """How fast the camera turns from each frame to the next, about whatever axis."""
    turns = camera.world_from_camera.double()
    return torch.rad2deg(geodesic_distance(turns[:-1], turns[1:])) * fps


def clearance_m(
    centre: Float[Tensor, "frames 3"], motion: HumanMotion
) -> Float64[Tensor, " frames"]:
    """Distance of a point, per frame, to the person's nearest bone. Joints alone would let a
    camera through a thigh: the middle of a bone lies 0.2 m from both of its joints."""
    start, end = _bones(motion)
    along = end - start
    reach = centre.double()[:, None] - start
    # A bone without length is the point at which it starts.
    squares = (along * along).sum(-1).clamp_min(torch.finfo(torch.float64).tiny)
    share = ((reach * along).sum(-1) / squares).clamp(0, 1)
    return torch.linalg.vector_norm(reach - share[..., None] * along, dim=-1).amin(-1)


def _bones(
    motion: HumanMotion,
) -> tuple[Float64[Tensor, "frames 22 3"], Float64[Tensor, "frames 22 3"]]:
    """Both ends of the 21 bones, and of the skull from the head joint up to the crown."""
    joints, head = motion.joints.double(), JOINT["head"]
    crown = joints[:, head] + CROWN_M * world_rotations(motion.rotations.double())[:, head, :, 1]
    starts = [*PARENTS[1:], head]
    return joints[:, starts], torch.cat([joints[:, 1:], crown[:, None]], dim=1)


def _way_m(places: Float64[Tensor, "frames axes"]) -> Float64[Tensor, ""]:
    return torch.linalg.vector_norm(places.diff(dim=0), dim=-1).sum()
