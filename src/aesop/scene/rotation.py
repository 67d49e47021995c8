"""Rotations as 3×3 matrices, and every other way of writing them that AESOP meets.

Two 6-D conventions exist side by side and must not be mixed: the human feature stores the first two
*rows* of a matrix (`rows6`), the camera feature the first two *columns* (`columns6`).
"""

import math

import torch
from jaxtyping import Float
from torch import Tensor
from torch.nn.functional import normalize

_AXES = {"x": 0, "y": 1, "z": 2}


def columns6_from_matrix(matrix: Float[Tensor, "*batch 3 3"]) -> Float[Tensor, "*batch 6"]:
    """First column, then second column: the camera feature's convention."""
    return torch.cat([matrix[..., :, 0], matrix[..., :, 1]], dim=-1)


def matrix_from_columns6(six: Float[Tensor, "*batch 6"]) -> Float[Tensor, "*batch 3 3"]:
    """Gram–Schmidt on two column vectors; exact on what `columns6_from_matrix` wrote."""
    return torch.stack(_orthonormal_triad(six), dim=-1)


def rows6_from_matrix(matrix: Float[Tensor, "*batch 3 3"]) -> Float[Tensor, "*batch 6"]:
    """First row, then second row: the human feature's convention."""
    return torch.cat([matrix[..., 0, :], matrix[..., 1, :]], dim=-1)


def matrix_from_rows6(six: Float[Tensor, "*batch 6"]) -> Float[Tensor, "*batch 3 3"]:
    """Gram–Schmidt on two row vectors; exact on what `rows6_from_matrix` wrote."""
    return torch.stack(_orthonormal_triad(six), dim=-2)


def _orthonormal_triad(
    six: Float[Tensor, "*batch 6"],
) -> tuple[Float[Tensor, "*batch 3"], Float[Tensor, "*batch 3"], Float[Tensor, "*batch 3"]]:
    first = normalize(six[..., :3], dim=-1)
    third = normalize(torch.linalg.cross(first, six[..., 3:]), dim=-1)
    return first, torch.linalg.cross(third, first), third


def matrix_from_axis_angle(axis_angle: Float[Tensor, "*batch 3"]) -> Float[Tensor, "*batch 3 3"]:
    """Rodrigues' formula through half angles, smooth at zero."""
    return matrix_from_quaternion_wxyz(_quaternion_from_axis_angle(axis_angle))


def _quaternion_from_axis_angle(axis_angle: Float[Tensor, "*batch 3"]) -> Float[Tensor, "*batch 4"]:
    half = torch.linalg.vector_norm(axis_angle, dim=-1, keepdim=True) / 2
    # torch.sinc(x) is sin(πx)/(πx): no division by a zero angle.
    return torch.cat([torch.cos(half), axis_angle / 2 * torch.sinc(half / math.pi)], dim=-1)


def axis_angle_from_matrix(matrix: Float[Tensor, "*batch 3 3"]) -> Float[Tensor, "*batch 3"]:
    """Axis times angle in [0, π], accurate near both ends."""
    quaternion = quaternion_wxyz_from_matrix(matrix)
    imaginary = quaternion[..., 1:]
    sine = torch.linalg.vector_norm(imaginary, dim=-1, keepdim=True)
    half = torch.atan2(sine, quaternion[..., :1])
    tiny = torch.finfo(matrix.dtype).tiny
    scale = torch.where(sine > tiny, 2 * half / sine.clamp_min(tiny), 2.0)
    return imaginary * scale


def matrix_from_quaternion_wxyz(
    quaternion: Float[Tensor, "*batch 4"],
) -> Float[Tensor, "*batch 3 3"]:
    """Quaternion with the real part first; any non-zero length is accepted."""
    w, x, y, z = normalize(quaternion, dim=-1).unbind(-1)
    rows = [
        torch.stack([1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)], dim=-1),
        torch.stack([2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)], dim=-1),
        torch.stack([2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)], dim=-1),
    ]
    return torch.stack(rows, dim=-2)


def quaternion_wxyz_from_matrix(
    matrix: Float[Tensor, "*batch 3 3"],
) -> Float[Tensor, "*batch 4"]:
    """Unit quaternion with non-negative real part, taken from the largest of its four squares."""
    diagonal = torch.diagonal(matrix, dim1=-2, dim2=-1)
    xx, yy, zz = diagonal.unbind(-1)
    squares = torch.stack(
        [1 + xx + yy + zz, 1 + xx - yy - zz, 1 - xx + yy - zz, 1 - xx - yy + zz], dim=-1
    )
    m = matrix
    wx, wy, wz = (m[..., i, j] - m[..., j, i] for i, j in ((2, 1), (0, 2), (1, 0)))
    xy, xz, yz = (m[..., i, j] + m[..., j, i] for i, j in ((0, 1), (0, 2), (1, 2)))
    # Row k is 4·q_k·(w, x, y, z): all four are proportional, the one with largest q_k is sharpest.
    rows = torch.stack(
        [
            torch.stack([squares[..., 0], wx, wy, wz], dim=-1),
            torch.stack([wx, squares[..., 1], xy, xz], dim=-1),
            torch.stack([wy, xy, squares[..., 2], yz], dim=-1),
            torch.stack([wz, xz, yz, squares[..., 3]], dim=-1),
        ],
        dim=-2,
    )
    best = squares.argmax(dim=-1)[..., None, None].expand(*squares.shape[:-1], 1, 4)
    quaternion = normalize(rows.gather(-2, best).squeeze(-2), dim=-1)
    return torch.where(quaternion[..., :1] < 0, -quaternion, quaternion)


def geodesic_distance(
    first: Float[Tensor, "*batch 3 3"], second: Float[Tensor, "*batch 3 3"]
) -> Float[Tensor, "*batch"]:
    """Angle between two rotations in [0, π], by atan2: arccos loses half the digits near zero."""
    relative = first.transpose(-1, -2) @ second
    cosine2 = relative.diagonal(dim1=-2, dim2=-1).sum(-1) - 1
    skew = relative - relative.transpose(-1, -2)
    sine2 = torch.stack([skew[..., 2, 1], skew[..., 0, 2], skew[..., 1, 0]], dim=-1)
    return torch.atan2(torch.linalg.vector_norm(sine2, dim=-1), cosine2)


def slerp(
    start: Float[Tensor, "*batch 3 3"],
    end: Float[Tensor, "*batch 3 3"],
    share: Float[Tensor, "*#batch"],
) -> Float[Tensor, "*batch 3 3"]:
    """The rotation a `share` of the way along the shortest turn from start to end."""
    turn = axis_angle_from_matrix(start.transpose(-1, -2) @ end)
    return start @ matrix_from_axis_angle(turn * share[..., None])


def swing(
    start: Float[Tensor, "*batch 3"], end: Float[Tensor, "*batch 3"]
) -> Float[Tensor, "*batch 3 3"]:
    """The smallest rotation that takes direction `start` to direction `end` (no twist)."""
    a, b = normalize(start, dim=-1), normalize(end, dim=-1)
    half_way = torch.cat([1 + (a * b).sum(-1, keepdim=True), torch.linalg.cross(a, b)], dim=-1)
    # Opposite directions leave the axis open: take any axis perpendicular to `start`.
    least = torch.nn.functional.one_hot(a.abs().argmin(-1), 3).to(a.dtype)
    sideways = torch.cat([torch.zeros_like(a[..., :1]), torch.linalg.cross(a, least)], dim=-1)
    opposite = half_way[..., :1] < 1e-6
    return matrix_from_quaternion_wxyz(torch.where(opposite, sideways, half_way))


def about_axis(angle: Float[Tensor, "*batch"], axis: str) -> Float[Tensor, "*batch 3 3"]:
    """Right-handed rotation by `angle` about the x, y or z axis."""
    first, second = {"x": (1, 2), "y": (2, 0), "z": (0, 1)}[axis]
    matrix = torch.eye(3, dtype=angle.dtype, device=angle.device).repeat(*angle.shape, 1, 1)
    cosine, sine = torch.cos(angle), torch.sin(angle)
    matrix[..., first, first] = cosine
    matrix[..., second, second] = cosine
    matrix[..., first, second] = -sine
    matrix[..., second, first] = sine
    return matrix


def about_z(yaw: Float[Tensor, "*batch"]) -> Float[Tensor, "*batch 3 3"]:
    """Turn about the vertical."""
    return about_axis(yaw, "z")


def euler_from_matrix(matrix: Float[Tensor, "*batch 3 3"], order: str) -> Float[Tensor, "*batch 3"]:
    """Turns about three different moving axes: order "zyx" means Rz·Ry·Rx, as BVH channels read.

    In gimbal lock only the sum or difference of the outer angles is fixed; the third is set to 0.
    """
    i, j, k = (_AXES[axis] for axis in order)
    sign = 1.0 if (j - i) % 3 == 1 else -1.0
    middle = torch.atan2(
        sign * matrix[..., i, k], torch.hypot(matrix[..., i, i], matrix[..., i, j])
    )
    first = torch.atan2(-sign * matrix[..., j, k], matrix[..., k, k])
    third = torch.atan2(-sign * matrix[..., i, j], matrix[..., i, i])
    locked = torch.hypot(matrix[..., i, i], matrix[..., i, j]) < 1e-6
    first_locked = torch.atan2(sign * matrix[..., k, j], matrix[..., j, j])
    return torch.stack(
        [
            torch.where(locked, first_locked, first),
            middle,
            torch.where(locked, torch.zeros_like(third), third),
        ],
        dim=-1,
    )


def yaw_of(matrix: Float[Tensor, "*batch 3 3"]) -> Float[Tensor, "*batch"]:
    """First angle of Rz(ψ)·Ry(θ)·Rx(φ): the heading that the human feature removes."""
    return torch.atan2(matrix[..., 1, 0], matrix[..., 0, 0])


def wrap_angle(angle: Float[Tensor, "*batch"]) -> Float[Tensor, "*batch"]:
    """The same angle in (−π, π]."""
    return math.pi - torch.remainder(math.pi - angle, 2 * math.pi)
