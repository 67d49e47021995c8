"""Statistics: one pass equals two passes, and standardising is undone exactly where it must be."""

import torch

from aesop.features.camera_features import camera_to_features
from aesop.features.columns import (
    CAMERA,
    HUMAN,
    KNOWN_TURN_SPREADS,
    RunningStatistics,
    Statistics,
    camera_statistics,
    human_statistics,
    restore_camera,
    restore_human,
    standardise_camera,
    standardise_human,
    with_known_turns,
)
from aesop.features.human_features import human_to_features
from tests.scene.makers import wandering_camera, wandering_motion
from tests.tolerances import GEOMETRY32, GEOMETRY64, SOLVED64, rounded64


def some_clips(dice: torch.Generator) -> tuple[list[torch.Tensor], list[torch.Tensor]]:
    humans, cameras = [], []
    for frames in (13, 29, 7, 53, 1):
        motion = wandering_motion(frames, dice)
        humans.append(human_to_features(motion).float())
        cameras.append(camera_to_features(wandering_camera(motion, dice), motion.root).float())
    return humans, cameras


def test_one_pass_agrees_with_all_frames_at_once(dice: torch.Generator):
    humans, _ = some_clips(dice)
    everything = torch.cat(humans).double()
    statistics = human_statistics(humans)
    assert torch.allclose(statistics.mean, everything.mean(0), atol=GEOMETRY64)
    spread = everything.std(0, correction=0)
    varies = spread > GEOMETRY32  # as stored in single precision
    assert torch.allclose(statistics.spread[varies], spread[varies], rtol=SOLVED64)


def test_one_pass_stays_exact_far_from_zero():
    """A sum of squares would lose every digit here."""
    running = RunningStatistics(2)
    rows = 1e9 + torch.tensor([[0.0, 1.0], [1.0, 3.0], [2.0, 5.0]], dtype=torch.float64)
    for row in rows:
        running.add(row[None])
    assert torch.allclose(
        running.result().spread, rows.std(0, correction=0), rtol=rounded64(4, 1e9)
    )


def test_channels_that_never_vary_keep_their_scale():
    running = RunningStatistics(3)
    running.add(torch.tensor([[1.0, 2.0, 3.0], [1.0, 4.0, 3.0]]))
    assert running.result().spread.tolist() == [1.0, 1.0, 1.0]


def test_camera_statistics_leave_out_first_velocities_and_raw_channels(dice: torch.Generator):
    _, cameras = some_clips(dice)
    statistics = camera_statistics(cameras)
    velocity = torch.cat([CAMERA.take(clip, "velocity")[1:] for clip in cameras]).double()
    assert torch.allclose(
        statistics.mean[CAMERA.span("velocity")], velocity.mean(0), atol=GEOMETRY64
    )
    for name in ("fov_vertical", "fov_horizontal", "rotation"):
        assert (statistics.mean[CAMERA.span(name)] == 0).all()
        assert (statistics.spread[CAMERA.span(name)] == 1).all()


def test_standardised_channels_have_mean_zero_and_spread_one(dice: torch.Generator):
    humans, cameras = some_clips(dice)
    human, camera = human_statistics(humans), camera_statistics(cameras)
    rows = torch.cat([standardise_human(clip.double(), human) for clip in humans])
    # Channels that never vary are not stretched.
    moving = rows.std(0, correction=0) > 1e-6
    assert rows.mean(0).abs().max() < SOLVED64
    assert torch.allclose(rows.std(0, correction=0)[moving], torch.ones(int(moving.sum())).double())
    velocity = torch.cat(
        [CAMERA.take(standardise_camera(clip.double(), camera), "velocity")[1:] for clip in cameras]
    )
    assert velocity.mean(0).abs().max() < SOLVED64


def test_the_first_velocity_is_zero_on_both_sides(dice: torch.Generator):
    _, cameras = some_clips(dice)
    statistics = camera_statistics(cameras)
    assert statistics.mean[CAMERA.span("velocity")].abs().min() > 0
    inside = standardise_camera(cameras[3], statistics)
    assert CAMERA.take(inside, "velocity")[0].abs().max() == 0
    outside = restore_camera(inside, statistics)
    assert CAMERA.take(outside, "velocity")[0].abs().max() == 0


def test_restoring_undoes_standardising(dice: torch.Generator):
    humans, cameras = some_clips(dice)
    human, camera = human_statistics(humans), camera_statistics(cameras)
    batch = humans[1].double().expand(2, 3, 29, 199)
    assert torch.allclose(
        restore_human(standardise_human(batch, human), human), batch, atol=GEOMETRY64
    )
    assert torch.allclose(
        restore_camera(standardise_camera(cameras[1].double(), camera), camera),
        cameras[1].double(),
        atol=GEOMETRY64,
    )


def test_turns_nobody_knows_are_read_at_the_edge_and_all_else_stays():
    dice = torch.Generator().manual_seed(3)
    statistics = Statistics(
        torch.randn(HUMAN.width, generator=dice, dtype=torch.float64),
        0.1 + torch.rand(HUMAN.width, generator=dice, dtype=torch.float64),
    )
    spreads = torch.randn(7, 11, HUMAN.width, generator=dice, dtype=torch.float64)
    near = statistics.mean + statistics.spread * spreads  # five spreads are never drawn
    assert torch.equal(with_known_turns(near, statistics), near)
    far = near.clone()
    far[2, 3] += 900 * statistics.spread
    known = with_known_turns(far, statistics)
    turns = HUMAN.span("rotations")
    edge = (statistics.mean + KNOWN_TURN_SPREADS * statistics.spread)[turns]
    assert torch.equal(known[2, 3, turns], edge)
    known[2, 3, turns] = far[2, 3, turns]
    assert torch.equal(known, far)
