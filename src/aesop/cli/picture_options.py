"""Flags of the picture that is delivered, and of the world in which exports are written."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

from tyro.conf import arg

from aesop.cli.terminal import refuse_flag
from aesop.core.errors import AesopError

if TYPE_CHECKING:
    from aesop.director.finish import Finish
    from aesop.export.file_world import World
    from aesop.scene.picture_format import PictureFormat


@dataclass(frozen=True)
class Delivery:
    """Where and how fast exports are written."""

    world: "World" = "source"
    fps: float | None = None
    keys: bool = False  # few Bézier keys instead of a value a frame


@dataclass(frozen=True)
class PictureOptions:
    """The picture that is delivered."""

    aspect: Annotated[
        str | None, arg(metavar="W:H", help="16:9 if not given; 2.39, 9:16 or any W:H.")
    ] = None
    resolution: Annotated[
        str | None, arg(metavar="WxH", help="Pixels for programs that render, such as 1920x1080.")
    ] = None
    fps: Annotated[
        float | None, arg(help="Frame rate of what is written; the motion's own if not given.")
    ] = None
    lens: Annotated[
        float | None, arg(metavar="MM", help="A fixed focal length instead of the model's lens.")
    ] = None
    sensor: Annotated[
        float | None, arg(metavar="MM", help="Width of the sensor; 36 if not given.")
    ] = None

    def picture(self, finish: "Finish") -> "PictureFormat":
        """What was asked for; what was not is as usual."""
        from aesop.director.finish import usual_picture
        from aesop.scene.picture_format import (
            PictureFormat,
            aspect_from_text,
            resolution_from_text,
        )

        usual, pixels = usual_picture(finish), None
        aspect = usual.aspect if self.aspect is None else aspect_from_text(self.aspect)
        if self.resolution is not None:
            pixels = resolution_from_text(self.resolution)
            if self.aspect is None:
                aspect = pixels[0] / max(pixels[1], 1)
        sensor = usual.sensor_width_mm if self.sensor is None else self.sensor
        return PictureFormat(aspect, pixels, sensor, self.lens)

    @property
    def rate(self) -> float | None:
        """The rate of what is written, if one was asked for."""
        from aesop.files.importing import MAX_FPS, MIN_FPS

        if self.fps is not None and not MIN_FPS <= self.fps <= MAX_FPS:
            raise AesopError(
                f"Pictures cannot be written at {self.fps:g} frames per second.",
                f"Choose {MIN_FPS:g} to {MAX_FPS:g}.",
            )
        return self.fps

    def target(self, keys: bool) -> "Delivery":
        """Where and how fast exports are written."""
        return Delivery(fps=self.rate, keys=keys)

    def refuse_unused(self, outputs: Sequence[Path]) -> None:
        """A .shot holds the shot as it was filmed, whatever else is made of it."""
        if all(path.suffix.lower() == ".shot" for path in outputs):
            refuse_flag("--fps", self.fps, "for .shot files", "Leave it away, or write another.")


@dataclass(frozen=True)
class DeliveryOptions(PictureOptions):
    """The picture, and the world in which exports are written."""

    world: Annotated[
        Literal["source", "aesop"] | None,
        arg(
            help="Exports in the units, axes and frames of the motion's file, with its skeleton "
            "(source, if not given), or in AESOP's own."
        ),
    ] = None

    def target(self, keys: bool) -> "Delivery":
        return Delivery(self.world or "source", self.rate, keys)

    def refuse_unused(self, outputs: Sequence[Path]) -> None:
        from aesop.export.export_files import shot_writer_for

        super().refuse_unused(outputs)
        if not any(shot_writer_for(path).is_placed for path in outputs):
            where = "for what is not exported to another program's scene"
            refuse_flag("--world", self.world, where, "Leave it away.")


PICTURE_DEFAULTS, DELIVERY_DEFAULTS = PictureOptions(), DeliveryOptions()
USUAL_DELIVERY = Delivery()
