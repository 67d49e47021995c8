"""Flags of what goes into a film: what a motion's file does not say, or says wrongly; cameras that
the path has to meet, and parts of it that stay."""

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

from tyro.conf import UseAppendAction, arg

from aesop.cli.terminal import refuse_flag, remark

if TYPE_CHECKING:
    from aesop.files.camera_files import KeyTexts
    from aesop.files.motion_files import ReadOptions
    from aesop.scene.camera_keys import CameraKeys
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
    arg(help="Length unit of the file; found out if not given, metres in arrays."),
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


@dataclass(frozen=True)
class KeyOptions:
    """Cameras that the path meets within 1 cm and 0.3° (docs/keyframes.md)."""

    start: Annotated[
        str | None,
        arg(
            metavar="CAMERA",
            help="A camera to begin with: .json, .chan or .shot; FILE@2.5 is its camera at 2.5 s.",
        ),
    ] = None
    end: Annotated[str | None, arg(metavar="CAMERA", help="A camera to end with.")] = None
    at: Annotated[
        tuple[str, ...],
        UseAppendAction,
        arg(
            metavar="SECONDS:CAMERA",
            help="A camera to meet on the way, such as 3.2:key.json; may be given several times.",
        ),
    ] = ()
    keep: Annotated[
        tuple[str, ...],
        UseAppendAction,
        arg(
            metavar="FROM-TO",
            help="Seconds of a .shot's own camera that stay, such as 0-2.5; the rest is redone.",
        ),
    ] = ()

    @property
    def texts(self) -> "KeyTexts":
        from aesop.files.camera_files import KeyTexts

        return KeyTexts(self.start, self.end, self.at, self.keep)

    def files_beside(self, person: Path | str | None) -> tuple[Path, ...]:
        """All that is read: what the person comes from, if from elsewhere, and cameras to meet."""
        return (*(() if person is None else (Path(person),)), *self.texts.files)

    def read(self, clip: "Clip", motion: Path) -> "CameraKeys | None":
        """Keys for the motion of a file; None where there are none."""
        return self.texts.for_clip(clip, motion)

    def read_for_new(self, seconds: float) -> "CameraKeys | None":
        """Keys for a person who is still to be made."""
        from aesop.director.requests import check_seconds
        from aesop.files.camera_files import KeyTarget
        from aesop.scene.human import NATIVE_FPS

        self.refuse_keep("for a person who is still to be made")
        check_seconds(seconds)
        return self.texts.read(KeyTarget("the person", round(seconds * NATIVE_FPS), NATIVE_FPS))

    def refuse_given(self, where: str) -> None:
        given = {"--start": self.start, "--end": self.end, "--at": self.at, "--keep": self.keep}
        for flag, value in given.items():
            refuse_flag(flag, value, where, "Film them one by one.")

    def refuse_keep(self, where: str) -> None:
        refuse_flag("--keep", self.keep, where, "Give the .shot to film; its motion stays.")


KEY_DEFAULTS = KeyOptions()
