"""Cameras of a student beside those of its teacher's 50 Euler steps with the same noise, in metres
and in growth of travel."""

from dataclasses import dataclass
from functools import cached_property

import torch
from jaxtyping import Float
from torch import Tensor

from aesop.features.camera_features import centre_from_features
from aesop.models.codec import STRIDE
from aesop.training.student import StudentMaterial

_SHOTS_AT_ONCE = 128
_GOES_M = 0.3  # a camera that goes less has no travel to grow
_STILL_M = 1e-3

Paths = list[Float[Tensor, "2 frames 3"]]  # of every shot, at intensity one and at its own


@dataclass(frozen=True, eq=False)
class Metres:
    """Compares with one student's reference."""

    taught: StudentMaterial

    @cached_property
    def _reference(self) -> Paths:
        return self._paths(self.taught.reference)

    def of(self, ends: Float[Tensor, "2 all_tokens width"]) -> dict[str, float]:
        """Medians and means over the validation shots. `ordered` is the share of those that go
        farther where they are asked to, and less far where not; slopes are of log travel by log
        intensity."""
        paths, wanted = self._paths(ends), self._reference
        pairs = list(zip(paths, wanted, strict=True))
        apart = [(one[0] - other[0]).norm(dim=-1).mean() for one, other in pairs]
        relative = [(_from_start(one) - _from_start(other)).norm(dim=-1) for one, other in pairs]
        travel, usual = _travel(paths), _travel(wanted)
        goes = usual[:, 0] > _GOES_M
        asked = self.taught.validation[1].intensity.cpu().log()[goes]
        grown, expected = ((it[:, 1] / it[:, 0]).log()[goes] for it in (travel, usual))
        found = {
            "centre_mean_m": torch.stack(apart).mean(),
            "centre_median_m": torch.stack(apart).median(),
            "way_mean_m": torch.stack([it[0].mean() for it in relative]).mean(),
            "travel_ratio_median": (travel[:, 0] / usual[:, 0])[goes].median(),
            "ordered": ((grown > 0) == (asked > 0)).float().mean(),
            "ordered_reference": ((expected > 0) == (asked > 0)).float().mean(),
            "growth_slope": _slope(asked, grown),
            "growth_slope_reference": _slope(asked, expected),
            "starts_apart_m": _starts_apart(paths).median(),
            "starts_apart_reference_m": _starts_apart(wanted).median(),
        }
        return {name: round(float(value), 4) for name, value in found.items()}

    @torch.no_grad()
    def _paths(self, ends: Float[Tensor, "2 all_tokens width"]) -> Paths:
        """Centres in whole tokens, from the person's start, as the paper sums them up."""
        (scenes, ways), (human, camera) = self.taught.validation, self.taught.codecs
        starts, people_width = ways.starts.tolist(), self.taught.teacher.network.shape.human
        people_of = scenes.human_of_scene.cpu()[torch.from_numpy(ways.scenes)].to(ends.device)
        paths: Paths = []
        for first in range(0, len(ways), _SHOTS_AT_ONCE):
            some = range(first, min(first + _SHOTS_AT_ONCE, len(ways)))
            longest = int(ways.tokens[some.start : some.stop].max())
            people = scenes.people.padded(people_of[some.start : some.stop], longest)
            latents = torch.zeros(2, len(some), longest, ends.shape[-1], device=ends.device)
            latents[:, people.mask] = ends[:, starts[some.start] : starts[some.stop]]
            raw = human.network.whitening.inverse(people.values[..., :people_width], people.mask)
            frames = people.mask.repeat_interleave(STRIDE, 1)
            for_both = (it.repeat(2, *[1] * (it.ndim - 1)) for it in (raw, frames))
            features = camera.network.from_latents(latents.flatten(0, 1), *for_both)
            centre = centre_from_features(features, features.new_zeros(len(features), 3))
            both = centre.unflatten(0, (2, -1)).cpu()
            counts = people.mask.sum(1).tolist()
            paths += [both[:, at, : STRIDE * count] for at, count in enumerate(counts)]
        return paths


def _from_start(path: Float[Tensor, "2 frames 3"]) -> Float[Tensor, "2 frames 3"]:
    return path - path[:, :1]


def _travel(paths: Paths) -> Float[Tensor, "shots 2"]:
    ways = [path.diff(dim=1).norm(dim=-1).sum(1) for path in paths]
    return torch.stack(ways).clamp_min(_STILL_M)


def _slope(asked: Float[Tensor, " shots"], grown: Float[Tensor, " shots"]) -> Float[Tensor, ""]:
    return (asked * grown).sum() / asked.square().sum()


def _starts_apart(paths: Paths) -> Float[Tensor, " shots"]:
    return torch.stack([(path[0, 0] - path[1, 0]).norm() for path in paths])
