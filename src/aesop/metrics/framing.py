"""How the person sits in the image: r-FPD, Out, and plain facts of composition."""

from dataclasses import dataclass

import numpy as np
from jaxtyping import Bool, Float64

from aesop.scene.framing import Projection, boxes, out_of_frame, project_joints
from aesop.scene.shot import Shot
from aesop.scene.skeleton import KEY_JOINTS

NDC_LIMIT = 2.0  # joints farther out count as this far
FRAMING_WIDTH = 2 * len(KEY_JOINTS)


@dataclass(frozen=True, eq=False)
class Framing:
    """One shot as its lens sees the person."""

    places: Float64[np.ndarray, "frames 18"]  # nine joints in the image, clamped
    is_out: Bool[np.ndarray, " frames"]  # none of the nine is visible
    composition: "Composition"


@dataclass(frozen=True)
class Composition:
    """Means over the frames with the person in front of the lens; NaN if there are none."""

    centre_offset: float  # of the box from the middle, in half images
    height: float  # of the box, in images
    headroom: float  # above the box, in images; negative where the head is cut off


def framing_of(shot: Shot) -> Framing:
    """Project a shot's joints with its own camera, in float64."""
    camera = shot.camera
    projection = project_joints(
        type(camera)(
            camera.world_from_camera.double(),
            camera.centre.double(),
            camera.fov_vertical.double(),
            camera.aspect,
        ),
        shot.clip.motion.joints.double(),
    )
    ndc = projection.ndc.clamp(-NDC_LIMIT, NDC_LIMIT)
    # Clamped here too: one joint beside the lens would stretch a box to thousands of images.
    box = boxes(Projection(ndc, projection.depth_m))
    seen = box.found.numpy()
    centre, height, top = (it.numpy()[seen] for it in (box.centre, box.height, box.high[:, 1]))

    def mean(values: np.ndarray) -> float:
        return float(values.mean()) if len(values) else float("nan")

    return Framing(
        places=ndc[:, list(KEY_JOINTS)].flatten(1).numpy(),
        is_out=out_of_frame(projection).numpy(),
        composition=Composition(
            centre_offset=mean(np.linalg.norm(centre, axis=-1)),
            height=mean(height / 2),
            headroom=mean((1 - top) / 2),
        ),
    )


@dataclass(frozen=True, eq=False)
class Moments:
    """Sums from which a Gaussian over any choice of clips follows without their frames."""

    count: Float64[np.ndarray, " clips"]
    total: Float64[np.ndarray, "clips 18"]
    products: Float64[np.ndarray, "clips 18 18"]


def moments_of(framings: list[Framing]) -> Moments:
    """Per clip, over its frames."""
    return Moments(
        count=np.array([len(it.places) for it in framings], np.float64),
        total=np.stack([it.places.sum(0) for it in framings]),
        products=np.stack([it.places.T @ it.places for it in framings]),
    )
