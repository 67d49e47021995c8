"""Rotations: every way of writing them is invertible and agrees with scipy."""

import math
from itertools import permutations

import numpy as np
import pytest
import torch
from scipy.spatial.transform import Rotation, Slerp

from aesop.scene import rotation
from tests.tolerances import GEOMETRY64, SOLVED64, rounded32

COUNT = 211


@pytest.fixture(scope="module")
def oracle() -> Rotation:
    return Rotation.random(COUNT, rng=np.random.default_rng(3))


@pytest.fixture(scope="module")
def matrices(oracle: Rotation) -> torch.Tensor:
    return torch.tensor(oracle.as_matrix())


def test_two_six_number_conventions_are_different_and_each_invertible(matrices: torch.Tensor):
    rows = rotation.rows6_from_matrix(matrices)
    columns = rotation.columns6_from_matrix(matrices)
    assert torch.allclose(rotation.matrix_from_rows6(rows), matrices, atol=GEOMETRY64)
    assert torch.allclose(rotation.matrix_from_columns6(columns), matrices, atol=GEOMETRY64)
    assert torch.equal(rows[:, :3], matrices[:, 0]) and torch.equal(
        columns[:, :3], matrices[..., 0]
    )
    wrong = rotation.matrix_from_columns6(rows)
    assert torch.allclose(wrong, matrices.transpose(-1, -2), atol=GEOMETRY64)


def test_six_numbers_that_are_no_rotation_become_one(dice: torch.Generator):
    matrix = rotation.matrix_from_columns6(torch.randn(COUNT, 6, generator=dice).double())
    eye = torch.eye(3, dtype=torch.float64).expand(COUNT, 3, 3)
    assert torch.allclose(matrix.transpose(-1, -2) @ matrix, eye, atol=GEOMETRY64)
    assert torch.allclose(torch.linalg.det(matrix), torch.ones(COUNT).double(), atol=GEOMETRY64)


def test_axis_angle_and_quaternion_agree_with_scipy(oracle: Rotation, matrices: torch.Tensor):
    axis_angle = torch.tensor(oracle.as_rotvec())
    assert torch.allclose(rotation.matrix_from_axis_angle(axis_angle), matrices, atol=GEOMETRY64)
    assert torch.allclose(rotation.axis_angle_from_matrix(matrices), axis_angle, atol=GEOMETRY64)
    wxyz = torch.tensor(oracle.as_quat(canonical=True, scalar_first=True))
    assert torch.allclose(rotation.quaternion_wxyz_from_matrix(matrices), wxyz, atol=GEOMETRY64)
    assert torch.allclose(
        rotation.matrix_from_quaternion_wxyz(3.0 * wxyz), matrices, atol=GEOMETRY64
    )


@pytest.mark.parametrize("angle", [0.0, 1e-12, 1e-7, 1e-3, math.pi - 1e-7, math.pi])
def test_axis_angle_survives_tiny_and_half_turns(angle: float):
    axis = torch.tensor([2.0, -3.0, 6.0], dtype=torch.float64) / 7
    matrix = rotation.matrix_from_axis_angle(angle * axis)
    back = rotation.matrix_from_axis_angle(rotation.axis_angle_from_matrix(matrix))
    assert torch.allclose(back, matrix, atol=GEOMETRY64)
    assert torch.allclose(
        torch.linalg.vector_norm(rotation.axis_angle_from_matrix(matrix)),
        torch.tensor(angle, dtype=torch.float64),
        rtol=SOLVED64,
        atol=GEOMETRY64,
    )


def matrix_from_euler(angles: torch.Tensor, order: str) -> torch.Tensor:
    """Product of turns about moving axes."""
    first, second, third = (rotation.about_axis(angles[..., i], a) for i, a in enumerate(order))
    return first @ second @ third


@pytest.mark.parametrize("order", ["".join(order) for order in permutations("xyz")])
def test_euler_angles_agree_with_scipy_in_every_order(
    order: str, oracle: Rotation, matrices: torch.Tensor
):
    angles = torch.tensor(oracle.as_euler(order.upper()))
    assert torch.allclose(matrix_from_euler(angles, order), matrices, atol=GEOMETRY64)
    assert torch.allclose(rotation.euler_from_matrix(matrices, order), angles, atol=GEOMETRY64)


@pytest.mark.parametrize("order", ["".join(order) for order in permutations("xyz")])
@pytest.mark.parametrize("middle", [math.pi / 2, -math.pi / 2])
def test_euler_angles_survive_gimbal_lock(order: str, middle: float):
    matrix = matrix_from_euler(torch.tensor([0.7, middle, -0.4], dtype=torch.float64), order)
    back = matrix_from_euler(rotation.euler_from_matrix(matrix, order), order)
    assert torch.allclose(back, matrix, atol=SOLVED64)


@pytest.mark.parametrize("angle", [0.0, 1e-6, 1e-3, 0.5, math.pi - 1e-6, math.pi])
def test_geodesic_distance_is_the_angle_even_in_single_precision(angle: float):
    start = rotation.matrix_from_axis_angle(torch.tensor([0.3, -0.2, 0.5]))
    turn = rotation.matrix_from_axis_angle(angle * torch.tensor([1.0, 0.0, 0.0]))
    distance = rotation.geodesic_distance(start, start @ turn)
    assert abs(float(distance) - angle) < rounded32(32)


def test_slerp_agrees_with_scipy(matrices: torch.Tensor):
    share = torch.linspace(0, 1, 13, dtype=torch.float64)
    start, end = matrices[0].expand(13, 3, 3), matrices[1].expand(13, 3, 3)
    oracle = Slerp([0, 1], Rotation.from_matrix(matrices[:2].numpy()))(share.numpy())
    ours = rotation.slerp(start, end, share)
    assert np.allclose(ours.numpy(), oracle.as_matrix(), atol=GEOMETRY64)


def test_swing_is_the_smallest_turn_between_directions(dice: torch.Generator):
    start = torch.randn(COUNT, 3, generator=dice).double()
    end = torch.randn(COUNT, 3, generator=dice).double()
    turned = (rotation.swing(start, end) @ start[..., None]).squeeze(-1)
    angle = torch.atan2(
        torch.linalg.vector_norm(torch.linalg.cross(start, end), dim=-1), (start * end).sum(-1)
    )
    assert torch.allclose(
        torch.nn.functional.normalize(turned, dim=-1),
        torch.nn.functional.normalize(end, dim=-1),
        atol=GEOMETRY64,
    )
    identity = torch.eye(3).double().expand(COUNT, 3, 3)
    assert torch.allclose(
        rotation.geodesic_distance(identity, rotation.swing(start, end)), angle, atol=SOLVED64
    )


def test_swing_to_the_opposite_direction_is_a_half_turn():
    start = torch.tensor([0.2, -0.5, 0.9], dtype=torch.float64)
    matrix = rotation.swing(start, -start)
    assert torch.allclose(matrix @ start, -start, atol=GEOMETRY64)
    assert abs(float(torch.linalg.det(matrix)) - 1) < GEOMETRY64


def test_yaw_is_the_first_of_the_zyx_angles(oracle: Rotation, matrices: torch.Tensor):
    yaw = torch.tensor(oracle.as_euler("ZYX")[:, 0])
    assert torch.allclose(rotation.yaw_of(matrices), yaw, atol=GEOMETRY64)
    level = rotation.about_z(-rotation.yaw_of(matrices)) @ matrices
    assert rotation.yaw_of(level).abs().max() < GEOMETRY64


def test_wrapped_angles_lie_in_the_half_open_interval():
    angles = torch.tensor(
        [-3 * math.pi, -math.pi, -1.0, 0.0, math.pi, 3.5 * math.pi], dtype=torch.float64
    )
    wrapped = rotation.wrap_angle(angles)
    assert (wrapped > -math.pi).all() and (wrapped <= math.pi).all()
    assert torch.allclose(torch.sin(wrapped), torch.sin(angles), atol=GEOMETRY64)
    assert float(rotation.wrap_angle(torch.tensor(-math.pi, dtype=torch.float64))) == math.pi
