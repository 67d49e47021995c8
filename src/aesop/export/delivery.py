"""How exports are asked for, by commands and over HTTP: in which world, at which rate, and with few
keys or a value a frame."""

from dataclasses import dataclass
from typing import Literal

from aesop.core.errors import AesopError

# source: as the file of the motion has it. aesop: our ground, our rate, our size.
World = Literal["source", "aesop"]
SLOWEST_FPS, FASTEST_FPS = 1.0, 1000.0


@dataclass(frozen=True)
class Delivery:
    """Where and how fast exports are written. Without a rate they have the motion's own."""

    world: World = "source"
    fps: float | None = None
    keys: bool = False  # few Bézier keys instead of a value a frame

    def __post_init__(self) -> None:
        if self.fps is not None and not SLOWEST_FPS <= self.fps <= FASTEST_FPS:
            raise AesopError(
                f"Pictures cannot be written at {self.fps:g} frames per second.",
                f"Choose {SLOWEST_FPS:g} to {FASTEST_FPS:g}.",
            )


USUAL_DELIVERY = Delivery()
