"""DanceCamera3D's polar cameras: distance, the point looked at, three angles, angle of view.

The point lies on the line of sight, as deep as the person's pelvis, so that the distance tells how
far the camera stands from whom it films; any depth would decode to the same camera. Angles are
heading, pitch and roll in a z-up world. Every column is brought to [−1, 1] by the range it has in
the training data.
"""

import torch
from jaxtyping import Bool, Float
from torch import Tensor

from aesop.baselines.scene_batch import CameraTracks
from aesop.features.columns import ColumnLayout

POLAR = ColumnLayout((("distance", 1), ("looked_at", 3), ("angles", 3), ("fov", 1)))
NEAREST_M = 0.25  # a person beside or behind the camera is told to be at least so deep


def to_polar(
    tracks: CameraTracks, root: Float[Tensor, "batch frames 3"]
) -> Float[Tensor, "batch frames 8"]:
    """The eight numbers of every frame, physical: metres, radians. Headings go on over ±π within a
    clip instead of jumping."""
    turns = tracks.world_from_camera
    forward = turns[..., 2]
    depth = ((root - tracks.centre) * forward).sum(-1, keepdim=True).clamp_min(NEAREST_M)
    return POLAR.join(
        distance=depth,
        looked_at=tracks.centre + depth * forward,
        angles=angles_of(turns),
        fov=tracks.lens[..., :1],
    )


def from_polar(
    values: Float[Tensor, "batch frames 8"], aspect: Float[Tensor, "batch frames 1"]
) -> CameraTracks:
    """Turn, then go back from the point that is looked at: eye = point − distance·forward. The
    picture's shape (width / height) is given."""
    turns = turn_of(POLAR.take(values, "angles"))
    fov = POLAR.take(values, "fov")
    across = 2 * torch.atan(aspect * torch.tan(fov / 2))
    distance = POLAR.take(values, "distance").abs()
    return CameraTracks(
        world_from_camera=turns,
        centre=POLAR.take(values, "looked_at") - distance * turns[..., 2],
        lens=torch.cat([fov, across], dim=-1),
    )


def angles_of(turns: Float[Tensor, "batch frames 3 3"]) -> Float[Tensor, "batch frames 3"]:
    """Heading φ of the level right, pitch β of the line of sight, roll ρ about it."""
    forward, right, down = turns[..., 2], turns[..., 0], turns[..., 1]
    heading = torch.atan2(-forward[..., 0], forward[..., 1])
    pitch = torch.asin(forward[..., 2].clamp(-1, 1))
    roll = torch.atan2(-right[..., 2], -down[..., 2])
    return torch.stack([_unwrapped(heading), pitch, roll], dim=-1)


def turn_of(angles: Float[Tensor, "batch frames 3"]) -> Float[Tensor, "batch frames 3 3"]:
    """Inverse of `angles_of`."""
    heading, pitch, roll = angles.unbind(-1)
    cos, sin, zero = torch.cos(heading), torch.sin(heading), torch.zeros_like(heading)
    level_right = torch.stack([cos, sin, zero], dim=-1)
    up = torch.stack([zero, zero, torch.ones_like(zero)], dim=-1)
    flat_forward = torch.stack([-sin, cos, zero], dim=-1)
    forward = torch.cos(pitch)[..., None] * flat_forward + torch.sin(pitch)[..., None] * up
    level_down = torch.linalg.cross(forward, level_right)
    cos_roll, sin_roll = torch.cos(roll)[..., None], torch.sin(roll)[..., None]
    right = cos_roll * level_right + sin_roll * level_down
    down = cos_roll * level_down - sin_roll * level_right
    return torch.stack([right, down, forward], dim=-1)


def _unwrapped(angle: Float[Tensor, "batch frames"]) -> Float[Tensor, "batch frames"]:
    """The same angle without jumps from one end of the circle to the other."""
    steps = angle.diff(dim=-1)
    short = torch.remainder(steps + torch.pi, 2 * torch.pi) - torch.pi
    return torch.cat([angle[..., :1], angle[..., :1] + short.cumsum(-1)], dim=-1)


def to_unit(
    values: Float[Tensor, "batch frames 8"], low: Float[Tensor, "8"], high: Float[Tensor, "8"]
) -> Float[Tensor, "batch frames 8"]:
    return (2 * (values - low) / (high - low) - 1).clamp(-1, 1)


def from_unit(
    values: Float[Tensor, "batch frames 8"], low: Float[Tensor, "8"], high: Float[Tensor, "8"]
) -> Float[Tensor, "batch frames 8"]:
    return (values + 1) / 2 * (high - low) + low


def body_attention(
    points: Float[Tensor, "batch frames points 3"],
    tracks: CameraTracks,
    counted: Bool[Tensor, "batch frames points"],
    *,
    inside: bool,
) -> Float[Tensor, ""]:
    """How far counted points lie on the wrong side of the edges of view, in the horizontal and in
    the vertical plane of the camera, averaged over counted points.

    A point in direction k is inside where k·forward ≥ cos(fov/2)·‖k‖ in both planes, all lengths
    taken within the plane. Points that should be inside pay for what is missing, points that should
    be outside for what is too much.
    """
    seen = (points - tracks.centre[..., None, :]) @ tracks.world_from_camera
    across, down, ahead = seen.unbind(-1)
    tall, wide = torch.cos(tracks.lens / 2)[..., None, :].unbind(-1)
    sign = 1.0 if inside else -1.0
    missing = sum(
        torch.relu(sign * (edge * torch.sqrt(side.square() + ahead.square() + 1e-12) - ahead))
        for side, edge in ((across, wide), (down, tall))
    )
    assert isinstance(missing, Tensor)
    return (missing * counted).sum() / counted.sum().clamp_min(1) / 2
