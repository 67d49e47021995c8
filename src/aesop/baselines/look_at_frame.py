"""CCD's cameras: where the camera is beside the head, in axes that turn with the person's heading,
and where the head falls in the picture. A level camera follows from both.

The turn is the one without roll that puts the head where it should be. With the head in direction
d = (s_x·tan(w/2), −s_y·tan(h/2), 1)/‖·‖ of the camera, pitch β and yaw α are found one after the
other: β from the height of the line of sight, α from its heading.
"""

import torch
from jaxtyping import Float
from torch import Tensor
from torch.nn.functional import normalize

from aesop.baselines.scene_batch import CameraTracks, PersonPlaces
from aesop.features.columns import ColumnLayout
from aesop.scene.camera import MIN_DEPTH_M

LOOK_AT = ColumnLayout((("beside_head", 3), ("on_screen", 2)))
# A head behind the camera, or at its side, falls nowhere: so far out is as far as screens are told.
SCREEN_LIMIT = 3.0
NEAREST_M = 1e-3
MOVING_AVERAGE_PASSES = 4
MOVING_AVERAGE_HALF = 10  # frames: the window is [i − 10, i + 10)


def to_look_at(
    tracks: CameraTracks, places: PersonPlaces, tan_half_lens: Float[Tensor, "batch frames 2"]
) -> Float[Tensor, "batch frames 5"]:
    """The five numbers of every frame, physical."""
    from_head = tracks.centre - places.head
    beside = (places.world_from_heading.transpose(-1, -2) @ from_head[..., None]).squeeze(-1)
    in_camera = (tracks.world_from_camera.transpose(-1, -2) @ -from_head[..., None]).squeeze(-1)
    depth = in_camera[..., 2:].clamp_min(MIN_DEPTH_M)
    y_up = torch.stack([in_camera[..., 0], -in_camera[..., 1]], dim=-1)
    screen = y_up / depth / tan_half_lens
    return LOOK_AT.join(beside_head=beside, on_screen=screen.clamp(-SCREEN_LIMIT, SCREEN_LIMIT))


def from_look_at(
    values: Float[Tensor, "batch frames 5"],
    places: PersonPlaces,
    lens: Float[Tensor, "batch frames 2"],
    tan_half_lens: Float[Tensor, "batch frames 2"],
) -> CameraTracks:
    """Level cameras that are there and have the head there. Where no level camera can (the head is
    nearly overhead and asked for near the picture's side), the nearest pitch is taken."""
    beside, screen = LOOK_AT.take(values, "beside_head"), LOOK_AT.take(values, "on_screen")
    offset = (places.world_from_heading @ beside[..., None]).squeeze(-1)
    sight = normalize(-offset, dim=-1, eps=NEAREST_M)
    right, up = (screen * tan_half_lens).unbind(-1)
    wanted = normalize(torch.stack([right, -up, torch.ones_like(up)], dim=-1), dim=-1)
    turns = level_turn(sight, wanted)
    return CameraTracks(turns, places.head + offset, lens)


def level_turn(
    sight: Float[Tensor, "*batch 3"], wanted: Float[Tensor, "*batch 3"]
) -> Float[Tensor, "*batch 3 3"]:
    """World_from_camera without roll that takes the camera's direction `wanted` to the world's
    direction `sight`; both have length one.

    A camera of heading φ and pitch β has right r = (cos φ, sin φ, 0), forward with height sin β.
    Height of the line of sight: z = w_z·sin β − w_y·cos β = √(w_y² + w_z²)·sin(β − γ), with
    γ = atan2(w_y, w_z). What is left of it lies level, and its heading fixes φ.
    """
    across, down, ahead = wanted.unbind(-1)
    reach = torch.sqrt(down.square() + ahead.square())
    pitch = torch.asin((sight[..., 2] / reach).clamp(-1, 1)) + torch.atan2(down, ahead)
    # Level part of `wanted` once pitched: so far right, so far ahead.
    level_ahead = ahead * torch.cos(pitch) + down * torch.sin(pitch)
    heading = torch.atan2(sight[..., 1], sight[..., 0]) - torch.atan2(level_ahead, across)
    cos, sin, zero = torch.cos(heading), torch.sin(heading), torch.zeros_like(heading)
    right = torch.stack([cos, sin, zero], dim=-1)
    flat_forward = torch.stack([-sin, cos, zero], dim=-1)
    up = torch.zeros_like(right)
    up[..., 2] = 1.0
    forward = torch.cos(pitch)[..., None] * flat_forward + torch.sin(pitch)[..., None] * up
    return torch.stack([right, torch.linalg.cross(forward, right), forward], dim=-1)


def moving_average(
    values: Float[Tensor, "batch frames width"], lengths: Float[Tensor, "batch frames"]
) -> Float[Tensor, "batch frames width"]:
    """CCD's smoothing: several passes over windows [i − 10, i + 10), cut at a clip's ends.
    `lengths` is one at real frames, zero after them."""
    items = values.shape[1]
    place = torch.arange(items, device=values.device)
    apart = place[None] - place[:, None]
    window = (apart >= -MOVING_AVERAGE_HALF) & (apart < MOVING_AVERAGE_HALF)
    weights = window.to(values)[None] * lengths[:, None, :]
    weights = weights / weights.sum(-1, keepdim=True).clamp_min(1)
    for _ in range(MOVING_AVERAGE_PASSES):
        values = weights @ values
    return values
