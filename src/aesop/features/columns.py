"""Named columns: no integer slices of feature matrices anywhere else."""

from dataclasses import dataclass

import torch
from jaxtyping import Float
from torch import Tensor


@dataclass(frozen=True)
class Layout:
    """An ordered list of named blocks of columns."""

    blocks: tuple[tuple[str, int], ...]

    @property
    def width(self) -> int:
        return sum(width for _, width in self.blocks)

    def span(self, name: str) -> slice:
        """Columns of one block."""
        start = 0
        for block, width in self.blocks:
            if block == name:
                return slice(start, start + width)
            start += width
        raise KeyError(name)

    def take(self, features: Float[Tensor, "*batch width"], name: str) -> Float[Tensor, "*batch _"]:
        """One block of a feature matrix (a view)."""
        return features[..., self.span(name)]

    def join(self, **values: Float[Tensor, "*batch _"]) -> Float[Tensor, "*batch width"]:
        """Put blocks side by side in the order of the layout."""
        if set(values) != {name for name, _ in self.blocks}:
            raise KeyError(f"blocks {sorted(values)} do not match the layout")
        for name, width in self.blocks:
            if values[name].shape[-1] != width:
                raise ValueError(f"block {name} has width {values[name].shape[-1]}, not {width}")
        return torch.cat([values[name] for name, _ in self.blocks], dim=-1)


HUMAN = Layout(
    (
        ("root_height", 1),
        ("planar_velocity", 2),  # metres per frame, in the yaw frame of the same frame
        ("yaw_step", 1),  # frame 0 holds the absolute yaw, later frames the change
        ("rotations", 132),  # 22 × first two rows; the root's yaw removed
        ("places", 63),  # joints 1 … 21 relative to the pelvis, yaw removed
    )
)

CAMERA = Layout(
    (
        ("fov_vertical", 1),  # radians
        ("fov_horizontal", 1),
        ("from_root", 3),  # camera centre minus pelvis, world axes, metres
        ("rotation", 6),  # first two columns of world_from_camera
        ("velocity", 3),  # change of the centre since the frame before, metres; frame 0 is zero
    )
)
