"""What every compared method's network has in common, as weights files and training know it."""

from dataclasses import dataclass
from typing import Literal, get_args

from torch import nn

from aesop.models.phase_table import MethodName

MethodSize = Literal["published", "base", "tiny"]
METHOD_SIZES: tuple[MethodSize, ...] = get_args(MethodSize)


@dataclass(frozen=True)
class MethodShape:
    """Which network: a method, in one of the sizes that its own file lists, for a text encoder of
    the given width."""

    method: MethodName
    size: MethodSize
    text: int


class MethodNetwork(nn.Module):
    """A network of a baseline. What it must know of the data (means, spreads, ranges) are buffers,
    so that they travel with the weights. A method that works on another's latents holds that
    network as `partner`, which is frozen and not among its own weights."""

    reads_words = True

    def __init__(self, shape: MethodShape) -> None:
        super().__init__()
        self.shape = shape
        self._partner: tuple[MethodNetwork, ...] = ()

    @property
    def partner(self) -> "MethodNetwork":
        assert self._partner, f"{self.shape.method} was given no network to build on"
        return self._partner[0]

    def build_on(self, partner: "MethodNetwork") -> None:
        """Use another's network. In a tuple, so that torch does not count its weights as ours."""
        self._partner = (partner,)
