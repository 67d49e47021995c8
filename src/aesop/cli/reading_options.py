"""Flags of what a motion's file does not say, or says wrongly."""

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

from tyro.conf import arg

from aesop.cli.terminal import refuse_flag, remark

if TYPE_CHECKING:
    from aesop.files.motion_files import ReadOptions
    from aesop.scene.human import Clip

FileFps = Annotated[
    float | None, arg(name="file-fps", help="Frame rate of the file, where it does not say it.")
]
# Commands that write no pictures of their own rate keep the short name.
Fps = Annotated[
    float | None,
    arg(
        name="file-fps",
        aliases=["--fps"],
        help="Frame rate of the file, where it does not say it.",
    ),
]
UnitsOption = Annotated[
    Literal["m", "cm", "mm", "inch", "cmu"] | None,
    arg(help="Length unit of the file; found out if not given."),
]
UpOption = Annotated[
    Literal["y", "z"] | None, arg(help="Up axis of the file; found out if not given.")
]
LoopOption = Annotated[
    int | None,
    arg(metavar="TIMES", help="Plays a cycle, whose last pose is its first, as often as this."),
]


@dataclass(frozen=True)
class FileOptions:
    """What the motion file does not say."""

    fps: FileFps = None
    units: UnitsOption = None
    up: UpOption = None
    loop: LoopOption = None

    def reading(self) -> "ReadOptions":
        from aesop.files.motion_files import ReadOptions

        return ReadOptions(fps=self.fps, units=self.units, up=self.up, loop=self.loop)

    def read(self, motion: Path) -> "Clip":
        """The motion in a file; what was noted while reading is for the person at the terminal."""
        from aesop.files.motion_files import read_motion

        clip = read_motion(motion, self.reading())
        for note in clip.provenance.notes:
            remark(note)
        return clip

    def refuse_given(self, where: str) -> None:
        """Where no file is read, nothing can be said of one."""
        given = {"--file-fps": self.fps, "--units": self.units, "--up": self.up}
        given |= {"--loop": self.loop}
        for flag, value in given.items():
            refuse_flag(flag, value, where, "Leave it away.")


FILE_DEFAULTS = FileOptions()
