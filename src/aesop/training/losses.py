"""The paper's objectives. Every loss divides by counts that the caller hands in.

The counts are those of the whole batch, so that the losses of parallel processes add up to the loss
of one process, and so that batches sorted by length still weigh every frame alike.
"""

from dataclasses import dataclass

import torch
from jaxtyping import Bool, Float
from torch import Tensor
from torch.nn.functional import smooth_l1_loss

from aesop.features.camera_features import centre_from_features
from aesop.features.columns import CAMERA, Statistics, restore_camera, restore_human
from aesop.features.human_features import root_from_features, yaw_from_features
from aesop.training.recipes import Balance, ReconstructionWeights

HUMAN_PARTS = ("feature", "difference", "yaw", "root", "path")
CAMERA_PARTS = ("feature", "difference", "path", "agreement")
FLOW_PARTS = ("velocity",)


@dataclass(frozen=True, eq=False)
class FrameTotals:
    """How many valid frames, and valid pairs of neighbouring frames, the sums are divided by."""

    frames: Float[Tensor, ""]
    transitions: Float[Tensor, ""]


@dataclass(frozen=True, eq=False)
class Loss:
    """What is minimised, and its named parts (already weighted) for the log."""

    total: Float[Tensor, ""]
    parts: Float[Tensor, " parts"]


def frame_totals(mask: Bool[Tensor, "batch frames"]) -> FrameTotals:
    """The counts of one batch by itself."""
    # A batch of one-frame clips has no transitions; its empty average is zero, not 0 / 0.
    return FrameTotals(mask.sum().float(), _transitions(mask).sum().float().clamp_min(1))


def _transitions(mask: Bool[Tensor, "batch frames"]) -> Bool[Tensor, "batch transitions"]:
    return mask[:, 1:] & mask[:, :-1]


def _feature_sum(
    predicted: Float[Tensor, "batch frames width"],
    target: Float[Tensor, "batch frames width"],
    mask: Bool[Tensor, "batch frames"],
    beta: float,
) -> Float[Tensor, ""]:
    errors = smooth_l1_loss(predicted, target, reduction="none", beta=beta)
    return (errors * mask[..., None]).sum()


def _feature_and_difference(
    predicted: Float[Tensor, "batch frames width"],
    target: Float[Tensor, "batch frames width"],
    mask: Bool[Tensor, "batch frames"],
    weights: ReconstructionWeights,
    totals: FrameTotals,
) -> tuple[Float[Tensor, ""], Float[Tensor, ""]]:
    """Standardised features and their changes from frame to frame."""
    width = predicted.shape[-1]
    feature = _feature_sum(predicted, target, mask, weights.smooth_l1_beta)
    errors = (predicted.diff(dim=1) - target.diff(dim=1)).square()
    difference = (errors * _transitions(mask)[..., None]).sum()
    return (
        weights.feature * feature / (totals.frames * width),
        weights.difference * difference / (totals.transitions * width),
    )


def _path_sum(
    predicted: Float[Tensor, "batch frames 3"],
    target: Float[Tensor, "batch frames 3"],
    mask: Bool[Tensor, "batch frames"],
) -> Float[Tensor, ""]:
    """Metres along each axis, not squared: heights are off by far less than places on the floor,
    and would not be heard beside them."""
    return ((predicted - target).abs() * mask[..., None]).sum()


def human_reconstruction_loss(
    predicted: Float[Tensor, "batch frames 199"],
    target: Float[Tensor, "batch frames 199"],
    mask: Bool[Tensor, "batch frames"],
    statistics: Statistics,
    weights: ReconstructionWeights,
    totals: FrameTotals,
) -> Loss:
    """Standardised features and their changes, plus heading and root path in physical units."""
    physical, wanted = restore_human(predicted, statistics), restore_human(target, statistics)
    turn = yaw_from_features(physical) - yaw_from_features(wanted)
    roots = root_from_features(physical), root_from_features(wanted)
    root = _feature_sum(*roots, mask, weights.smooth_l1_beta)
    parts = torch.stack(
        [
            *_feature_and_difference(predicted, target, mask, weights, totals),
            weights.yaw * ((1 - torch.cos(turn)) * mask).sum() / totals.frames,
            weights.root * root / (totals.frames * 3),
            weights.path * _path_sum(*roots, mask) / (totals.frames * 3),
        ]
    )
    return Loss(parts.sum(), parts.detach())


def camera_reconstruction_loss(
    predicted: Float[Tensor, "batch frames 14"],
    target: Float[Tensor, "batch frames 14"],
    mask: Bool[Tensor, "batch frames"],
    statistics: Statistics,
    weights: ReconstructionWeights,
    totals: FrameTotals,
) -> Loss:
    """Standardised features and their changes, plus the way of the centre in metres, and how far it
    is from where the same features say that it stands beside the person."""
    physical, wanted = (restore_camera(it, statistics) for it in (predicted, target))
    origin = predicted.new_zeros(len(predicted), 3)
    centre = centre_from_features(physical, origin)
    wanted_centre = centre_from_features(wanted, origin)
    # Where the person is: the target says so, and both films have the same one.
    root = wanted_centre - CAMERA.take(wanted, "from_root")
    beside = root + CAMERA.take(physical, "from_root")
    per_number = totals.frames * 3
    parts = torch.stack(
        [
            *_feature_and_difference(predicted, target, mask, weights, totals),
            weights.path * _path_sum(centre, wanted_centre, mask) / per_number,
            weights.agreement * _path_sum(centre, beside, mask) / per_number,
        ]
    )
    return Loss(parts.sum(), parts.detach())


def clip_errors(
    velocity: Float[Tensor, "batch tokens width"],
    target: Float[Tensor, "batch tokens width"],
    mask: Bool[Tensor, "batch tokens"],
) -> Float[Tensor, " batch"]:
    """Mean squared velocity error of every clip over its own valid tokens: the paper's e_b."""
    squared = ((velocity - target).square() * mask[..., None]).sum((1, 2))
    return squared / (mask.sum(1) * velocity.shape[-1])


def flow_loss(
    velocity: Float[Tensor, "batch tokens width"],
    target: Float[Tensor, "batch tokens width"],
    mask: Bool[Tensor, "batch tokens"],
    total: Float[Tensor, ""],
    balance: Balance,
) -> Loss:
    """In original training every clip weighs the same, in continuations every valid token; `total`
    counts them."""
    errors = clip_errors(velocity, target, mask)
    loss = (errors if balance == "clip" else errors * mask.sum(1)).sum() / total
    return Loss(loss, loss.detach()[None])
