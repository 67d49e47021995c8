"""How the person sits in the image: r-FPD, Out, composition, and how a camera holds its person."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch
from jaxtyping import Bool, Float, Float64
from torch import Tensor

from aesop.scene.camera import CameraPath, Projection, boxes, out_of_frame, project_joints
from aesop.scene.human import HumanMotion
from aesop.scene.rotation import geodesic_distance
from aesop.scene.shot import Shot, ground
from aesop.scene.skeleton import JOINT, KEY_JOINTS, PARENTS, world_rotations

NDC_LIMIT = 2.0  # joints farther out count as this far
LOST_SHARE = 0.1  # a film that is empty for this share of its frames has lost the person
# Half the thickness of what may hide a head, by bone, and how far the head itself reaches.
_LIMB_M, _TRUNK_M, _HEAD_REACH_M = 0.05, 0.12, 0.15
_POINTS = 5  # of a bone
_HIDES = {
    joint - 1: _TRUNK_M if name.startswith(("spine", "pelvis")) else _LIMB_M
    for name, joint in JOINT.items()
    if joint > 0 and name not in ("neck", "head")
}
CROWN_M = 0.2  # from the head joint, which lies between the ears, to the top of the skull


@dataclass(frozen=True, eq=False)
class Framing:
    """One shot as its lens sees the person."""

    places: Float64[np.ndarray, "frames 18"]  # nine joints in the image, clamped
    is_out: Bool[np.ndarray, " frames"]  # none of the nine is visible
    # Means over the frames with the person in front of the lens; NaN if there are none.
    centre_offset: float  # of the box from the middle, in half images
    box_height: float  # in images
    headroom: float  # above the box, in images; negative where the head is cut off


def framing_of(shot: Shot) -> Framing:
    """Project a shot's joints with its own camera, in float64."""
    projection = seen_joints(shot.camera, shot.clip.motion)
    ndc = projection.ndc.clamp(-NDC_LIMIT, NDC_LIMIT)
    # Clamped here too: one joint beside the lens would stretch a box to thousands of images.
    box = boxes(Projection(ndc, projection.depth_m))
    in_front = box.found.numpy()
    centre, height, top = (
        values.numpy()[in_front] for values in (box.centre, box.height, box.high[:, 1])
    )

    def mean(values: np.ndarray) -> float:
        return float(values.mean()) if len(values) else float("nan")

    return Framing(
        places=ndc[:, list(KEY_JOINTS)].flatten(1).numpy(),
        is_out=out_of_frame(projection).numpy(),
        centre_offset=mean(np.linalg.norm(centre, axis=-1)),
        box_height=mean(height / 2),
        headroom=mean((1 - top) / 2),
    )


@dataclass(frozen=True, eq=False)
class Moments:
    """Sums from which a Gaussian over any choice of clips follows without their frames."""

    count: Float64[np.ndarray, " clips"]
    total: Float64[np.ndarray, "clips 18"]
    products: Float64[np.ndarray, "clips 18 18"]


def moments_of(framings: Sequence[Framing]) -> Moments:
    """Per clip, over its frames."""
    return Moments(
        count=np.array([len(framing.places) for framing in framings], np.float64),
        total=np.stack([framing.places.sum(0) for framing in framings]),
        products=np.stack([framing.places.T @ framing.places for framing in framings]),
    )


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
    return project_joints(camera.to(torch.float64), motion.joints.double())


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


def crown_share(camera: CameraPath, motion: HumanMotion) -> float:
    """Share of the frames in which the top of the head is inside the picture."""
    seen = project_joints(camera.to(torch.float64), crown_of(motion)[:, None])
    return float(seen.visible.double().mean())


def hidden_share(camera: CameraPath, motion: HumanMotion) -> float:
    """Share of the frames in which the person's own arms, trunk or legs stand between the camera
    and the middle of the head: a head that is inside the picture is not always seen."""
    start, end = _bones(motion)
    head = motion.joints.double()[:, JOINT["head"]]
    line = head - camera.centre.double()
    distance = torch.linalg.vector_norm(line, dim=-1)
    ahead = line / distance.clamp_min(1e-9)[:, None]
    shares = torch.linspace(0.1, 0.9, _POINTS, dtype=torch.float64)[:, None]
    points = start[:, list(_HIDES), None] + shares * (end - start)[:, list(_HIDES), None]
    reach = points - camera.centre.double()[:, None, None]
    along = (reach * ahead[:, None, None]).sum(-1)
    aside = torch.linalg.vector_norm(reach - along[..., None] * ahead[:, None, None], dim=-1)
    radius = torch.tensor(tuple(_HIDES.values()), dtype=torch.float64)[:, None]
    between = (along > 0) & (along < distance[:, None, None] - _HEAD_REACH_M)
    return float((between & (aside < radius)).any(-1).any(-1).double().mean())


def crown_of(motion: HumanMotion) -> Float64[Tensor, "frames 3"]:
    """The top of the skull."""
    joints, head = motion.joints.double(), JOINT["head"]
    return joints[:, head] + CROWN_M * world_rotations(motion.rotations.double())[:, head, :, 1]


def _bones(
    motion: HumanMotion,
) -> tuple[Float64[Tensor, "frames 22 3"], Float64[Tensor, "frames 22 3"]]:
    """Both ends of the 21 bones, and of the skull from the head joint up to the crown."""
    joints, starts = motion.joints.double(), [*PARENTS[1:], JOINT["head"]]
    return joints[:, starts], torch.cat([joints[:, 1:], crown_of(motion)[:, None]], dim=1)


def _way_m(places: Float64[Tensor, "frames axes"]) -> Float64[Tensor, ""]:
    return torch.linalg.vector_norm(places.diff(dim=0), dim=-1).sum()
