"""Camera paths: how far two are apart, how far one travels, how smoothly."""

from dataclasses import dataclass

import numpy as np
from jaxtyping import Float, Float64

from aesop.scene.camera import CameraPath
from aesop.scene.rotation import geodesic_distance
from aesop.scene.shot import Shot

_MM = 1e3


@dataclass(frozen=True)
class PathErrors:
    """Means over the frames of one clip. Jerk needs four frames; NaN in shorter clips."""

    centre_ade_m: float
    centre_fde_m: float
    rotation_deg: float
    velocity_mm_s: float
    rotation_velocity_deg_s: float
    jerk_m_s3: float


def path_errors(reference: CameraPath, generated: CameraPath, fps: float) -> PathErrors:
    """How far a path is from its reference, in the world that both are in."""
    wanted, made = reference.centre.double().numpy(), generated.centre.double().numpy()
    apart = made - wanted
    distance = np.linalg.norm(apart, axis=-1)
    turns = [it.world_from_camera.double() for it in (reference, generated)]
    steps = [it[:-1].transpose(-1, -2) @ it[1:] for it in turns]
    return PathErrors(
        centre_ade_m=float(distance.mean()),
        centre_fde_m=float(distance[-1]),
        rotation_deg=float(np.degrees(geodesic_distance(*turns).numpy()).mean()),
        velocity_mm_s=_mean_length(np.diff(apart, axis=0)) * fps * _MM,
        rotation_velocity_deg_s=float(np.degrees(geodesic_distance(*steps).numpy()).mean()) * fps,
        jerk_m_s3=_mean_length(np.diff(apart, n=3, axis=0)) * fps**3,
    )


def ade_from_person_m(reference: Shot, generated: Shot) -> float:
    """ADE if both cameras were measured from where their person's root is in frame 0. Cameras are
    decoded from there, so a decoded person's own error is left out; a given person has none."""
    wanted, made = (
        it.camera.centre.double() - it.clip.motion.root[0].double() for it in (reference, generated)
    )
    return _mean_length((made - wanted).numpy())


@dataclass(frozen=True)
class Travel:
    """One path by itself."""

    path_m: float  # summed steps of the centre
    net_m: float  # from the first centre to the last
    jerk_m_s3: float  # mean third difference: what a viewer feels as unrest
    turn_acceleration_deg_s2: float  # mean change of the turn from frame to frame


def travel_of(camera: CameraPath, fps: float) -> Travel:
    """How far and how smoothly a camera goes."""
    centre, turns = camera.centre.double().numpy(), camera.world_from_camera.double()
    steps = turns[:-1].transpose(-1, -2) @ turns[1:]
    change = np.degrees(geodesic_distance(steps[:-1], steps[1:]).numpy())
    return Travel(
        path_m=path_length(centre),
        net_m=float(np.linalg.norm(centre[-1] - centre[0])),
        jerk_m_s3=_mean_length(np.diff(centre, n=3, axis=0)) * fps**3,
        turn_acceleration_deg_s2=float(change.mean()) * fps**2 if len(change) else float("nan"),
    )


def path_length(centre: Float64[np.ndarray, "frames 3"]) -> float:
    """Metres along the way of the centre."""
    return float(np.linalg.norm(np.diff(centre, axis=0), axis=-1).sum())


def _mean_length(vectors: Float[np.ndarray, "rows 3"]) -> float:
    return float(np.linalg.norm(vectors, axis=-1).mean()) if len(vectors) else float("nan")
