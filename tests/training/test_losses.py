"""Every term of every loss against numbers worked out by hand."""

import math

import pytest
import torch
from torch import Tensor

from aesop.features.columns import CAMERA, HUMAN, Statistics
from aesop.training.codec_phases import stirred
from aesop.training.losses import (
    FrameTotals,
    camera_reconstruction_loss,
    clip_errors,
    flow_loss,
    frame_totals,
    human_reconstruction_loss,
)
from aesop.training.recipes import ReconstructionWeights
from tests.tolerances import summed32

# Two clips of 3 and 2 frames in a batch padded to 5.
MASK = torch.tensor([[True, True, True, False, False], [True, True, False, False, False]])
FRAMES, TRANSITIONS = 5, 3
# Means over all numbers of all frames in single precision.
ROUNDING = summed32(10 * HUMAN.width)
ONES = ReconstructionWeights(feature=1.0, difference=1.0, yaw=1.0, root=1.0, path=1.0)


def plain_statistics(width: int) -> Statistics:
    return Statistics(torch.zeros(width), torch.ones(width))


def human_parts(
    predicted: Tensor, target: Tensor, weights: ReconstructionWeights = ONES
) -> list[float]:
    loss = human_reconstruction_loss(
        predicted, target, MASK, plain_statistics(HUMAN.width), weights, frame_totals(MASK)
    )
    assert float(loss.total) == pytest.approx(float(loss.parts.sum()), rel=ROUNDING)
    return loss.parts.tolist()


def humans() -> Tensor:
    return torch.zeros(2, 5, HUMAN.width)


def test_feature_term_is_smooth_l1_with_beta_one_over_valid_scalars():
    predicted = humans()
    rotations = HUMAN.span("rotations")
    predicted[0, 1, rotations.start] = 0.5  # below one: 0.5²/2
    predicted[1, 0, rotations.start + 3] = -3.0  # above one: 3 − 1/2
    predicted[0, 4] = 100.0  # padding
    feature, _, yaw, root, path = human_parts(predicted, humans())
    assert feature == pytest.approx((0.125 + 2.5) / (FRAMES * 199), rel=ROUNDING)
    assert yaw == root == path == 0.0


def test_difference_term_squares_changes_between_valid_neighbours():
    predicted, target = humans(), humans()
    column = HUMAN.span("places").start
    predicted[0, :, column] = torch.tensor([1.0, 3.0, 4.0, -50.0, 7.0])
    target[0, :, column] = torch.tensor([1.0, 1.0, 1.0, 9.0, 9.0])
    # Changes +2 and +1 against none; the step into the padding does not count.
    difference = human_parts(predicted, target)[1]
    assert difference == pytest.approx((4.0 + 1.0) / (TRANSITIONS * 199), rel=ROUNDING)


def test_yaw_term_sums_up_physical_yaw_before_comparing():
    predicted = humans()
    predicted[1, 0, HUMAN.span("yaw_step")] = math.pi / 3  # carried on into frame 1
    yaw = human_parts(predicted, humans())[2]
    assert yaw == pytest.approx(2 * (1 - math.cos(math.pi / 3)) / FRAMES, rel=ROUNDING)


def test_root_and_path_terms_integrate_velocity_and_read_height():
    predicted = humans()
    predicted[0, 0, HUMAN.span("planar_velocity").start] = 0.2  # x of frames 1 and 2
    predicted[1, 1, HUMAN.span("root_height")] = 4.0
    *_, root, path = human_parts(predicted, humans())
    assert root == pytest.approx((2 * 0.2**2 / 2 + 3.5) / (FRAMES * 3), rel=ROUNDING)
    assert path == pytest.approx((2 * 0.2 + 4.0) / (FRAMES * 3), rel=ROUNDING)


def test_root_follows_the_heading_and_statistics_are_undone():
    """A quarter turn and a step forward in standardised units, restored by mean and spread."""
    statistics = plain_statistics(HUMAN.width)
    statistics.spread[HUMAN.span("yaw_step")] = 0.5
    statistics.mean[HUMAN.span("planar_velocity").start] = 0.3
    target, predicted = humans(), humans()
    predicted[0, 0, HUMAN.span("yaw_step")] = math.pi  # a quarter turn after restoring
    loss = human_reconstruction_loss(predicted, target, MASK, statistics, ONES, frame_totals(MASK))
    # Both walk 0.3 m a frame; one along x, one along y: they part by (0.3, 0.3), then (0.6, 0.6).
    parts = loss.parts.tolist()
    assert parts[3] == pytest.approx((2 * 0.3**2 / 2 + 2 * 0.6**2 / 2) / (FRAMES * 3), rel=ROUNDING)
    assert parts[2] == pytest.approx(3 * (1 - math.cos(math.pi / 2)) / FRAMES, rel=ROUNDING)


def test_human_weights_are_the_papers():
    dice = torch.Generator().manual_seed(3)
    predicted = torch.randn(2, 5, HUMAN.width, generator=dice)
    plain = human_parts(predicted, humans())
    weighted = human_parts(predicted, humans(), ReconstructionWeights())
    assert weighted == pytest.approx(
        [plain[0], plain[1], 1e-3 * plain[2], 3e-3 * plain[3], 0], rel=ROUNDING
    )


def camera_parts(
    predicted: Tensor, target: Tensor, weights: ReconstructionWeights, mask: Tensor = MASK
) -> list[float]:
    statistics = plain_statistics(CAMERA.width)
    statistics.spread[CAMERA.span("velocity")] = 0.25
    statistics.mean[CAMERA.span("velocity")] = 7.0  # of both, so it drops out
    loss = camera_reconstruction_loss(
        predicted, target, mask, statistics, weights, frame_totals(mask)
    )
    assert float(loss.total) == pytest.approx(float(loss.parts.sum()), rel=ROUNDING)
    return loss.parts.tolist()


def test_the_papers_camera_loss_has_feature_and_difference_terms_only():
    predicted, target = torch.zeros(2, 5, CAMERA.width), torch.zeros(2, 5, CAMERA.width)
    predicted[1, 0, 4] = 2.0  # 2 − 1/2 in the frame, 2² in its one change
    predicted[1, 3, 4] = 9.0
    parts = camera_parts(predicted, target, ReconstructionWeights())
    wanted = [1.5 / (FRAMES * 14), 4.0 / (TRANSITIONS * 14), 0, 0]
    assert parts == pytest.approx(wanted, rel=ROUNDING)


def test_camera_path_term_adds_up_steps_from_the_first_place():
    predicted, target = torch.zeros(2, 5, CAMERA.width), torch.zeros(2, 5, CAMERA.width)
    height, across = CAMERA.span("from_root").start + 2, CAMERA.span("velocity").start
    target[0, 0, height] = 0.3  # where all three frames begin
    predicted[0, 1, height] = 50.0  # places of later frames are not read
    predicted[0, 0, across] = 50.0  # nor is the first step
    predicted[0, 1, across] = -0.8  # a quarter of it in metres, in frames 1 and 2
    predicted[1, 2:, across] = 90.0  # padding
    path = camera_parts(predicted, target, ReconstructionWeights(path=2.0))[2]
    assert path == pytest.approx(2 * (3 * 0.3 + 2 * 0.2) / (FRAMES * 3), rel=ROUNDING)


def test_camera_agreement_term_sets_summed_steps_beside_the_named_places():
    """The person goes; a camera whose steps and places tell the same way agrees, however wrong."""
    predicted, target = torch.zeros(2, 5, CAMERA.width), torch.zeros(2, 5, CAMERA.width)
    place, step = CAMERA.span("from_root").start, CAMERA.span("velocity").start
    target[0, :3, place] = torch.tensor([0.0, -0.5, -1.1])  # the camera rests, the person leaves
    predicted[0, :3, place] = target[0, :3, place]
    weights = ReconstructionWeights(agreement=3.0)
    assert camera_parts(predicted, target, weights)[3] == pytest.approx(0, abs=ROUNDING)
    predicted[0, 1, step] = -0.8  # a quarter of it in metres, in frames 1 and 2
    off = camera_parts(predicted, target, weights)[3]
    assert off == pytest.approx(3 * 2 * 0.2 / (FRAMES * 3), rel=ROUNDING)
    predicted[0, 1:3, place] -= 0.2
    assert camera_parts(predicted, target, weights)[3] == pytest.approx(0, abs=ROUNDING)


def test_one_frame_clips_have_no_transitions_and_a_finite_loss():
    mask = torch.ones(3, 1, dtype=torch.bool)
    parts = camera_parts(
        torch.ones(3, 1, 14), torch.zeros(3, 1, 14), ReconstructionWeights(path=1.0), mask
    )
    assert parts == pytest.approx([0.5, 0.0, 1.0, 0.0], rel=ROUNDING)


TOKENS = torch.tensor([[True, True, True], [True, False, False]])


def velocities() -> tuple[Tensor, Tensor]:
    """Errors of 2 in one of three tokens × two channels, and of 3 in both channels of one token."""
    velocity, target = torch.zeros(2, 3, 2), torch.zeros(2, 3, 2)
    velocity[0, 1, 0] = 2.0
    target[1, 0] = 3.0
    velocity[1, 2] = 50.0  # padding
    return velocity, target


def test_clip_errors_average_over_own_tokens():
    assert clip_errors(*velocities(), TOKENS).tolist() == pytest.approx([4 / 6, 9.0], rel=ROUNDING)


def test_original_loss_weighs_clips_alike():
    loss = flow_loss(*velocities(), TOKENS, torch.tensor(2.0), "clip")
    assert float(loss.total) == pytest.approx((4 / 6 + 9) / 2, rel=ROUNDING)


def test_continuation_loss_weighs_clips_by_length():
    loss = flow_loss(*velocities(), TOKENS, torch.tensor(4.0), "length")
    assert float(loss.total) == pytest.approx((3 * 4 / 6 + 1 * 9) / 4, rel=ROUNDING)


def test_losses_of_shares_add_up_to_the_loss_of_the_batch(dice: torch.Generator):
    predicted, target = torch.randn(2, 2, 5, CAMERA.width, generator=dice)
    facts = plain_statistics(CAMERA.width), ReconstructionWeights(path=1.0), frame_totals(MASK)
    whole = camera_reconstruction_loss(predicted, target, MASK, *facts).total
    shares = [
        camera_reconstruction_loss(predicted[i], target[i], MASK[i], *facts).total
        for i in (slice(0, 1), slice(1, 2))
    ]
    assert float(sum(shares)) == pytest.approx(float(whole), rel=ROUNDING)


def test_totals_count_valid_frames_and_transitions():
    totals = frame_totals(MASK)
    assert (float(totals.frames), float(totals.transitions)) == (FRAMES, TRANSITIONS)
    assert isinstance(totals, FrameTotals)


def test_stirred_latents_are_moved_along_their_own_covariance_where_they_are_valid():
    torch.manual_seed(11)
    dice = torch.Generator().manual_seed(5)
    mixing = torch.tensor([[0.1, 0.0, 0.0], [2.0, 3.0, 0.0], [30.0, -20.0, 5.0]])
    latents = torch.randn(401, 211, 3, generator=dice) @ mixing.T + 7.0
    mask = torch.arange(211) < (torch.arange(401) % 150 + 60)[:, None]
    assert stirred(latents, mask, 0.0) is latents
    latents[~mask] = 1e6  # what is not valid has no say
    noise = stirred(latents, mask, 0.3) - latents
    assert (noise[~mask] == 0).all()
    # Shares are even between 0 and 0.3: their mean square is a third of 0.09.
    whitened = torch.linalg.solve(mixing, noise[mask].T)
    # Sixty thousand draws whose shares differ between four hundred clips.
    torch.testing.assert_close(torch.cov(whitened), 0.03 * torch.eye(3), rtol=0, atol=0.006)
    calm, wild = (
        torch.sort(noise[:, :60].square().mean((1, 2))).values[place] for place in (7, -7)
    )
    assert wild > 100 * calm, "every clip has its own share"


def test_growing_latents_grow_their_noise_for_the_gradient_too():
    mask = torch.arange(13) < torch.tensor([13, 11, 7])[:, None]
    latents = torch.randn(3, 13, 5, generator=torch.Generator().manual_seed(3))
    scale = torch.ones((), requires_grad=True)
    torch.manual_seed(2)
    stirred(scale * latents, mask, 0.3)[mask].square().sum().backward()
    torch.manual_seed(2)
    energy = stirred(latents, mask, 0.3)[mask].square().sum()
    assert scale.grad is not None
    torch.testing.assert_close(scale.grad, 2 * energy)  # of scale² times the energy
