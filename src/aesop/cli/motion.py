"""`aesop check`, `aesop convert`, `aesop preview`."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

from tyro.conf import Positional, arg

from aesop.cli.terminal import progress_bar, remark, report, wrote
from aesop.errors import FileError

if TYPE_CHECKING:
    from aesop.scene.human import Clip
    from aesop.scene.shot import Shot

Units = Literal["m", "cm", "mm", "inch", "cmu"]
Up = Literal["y", "z"]
Fps = Annotated[float | None, arg(help="Frame rate, where the file does not say it.")]
UnitsOption = Annotated[Units | None, arg(help="Length unit of a BVH; found out if not given.")]
UpOption = Annotated[Up | None, arg(help="Up axis of a BVH; found out if not given.")]


def check(
    file: Positional[Path],
    /,
    *,
    fps: Fps = None,
    units: UnitsOption = None,
    up: UpOption = None,
) -> None:
    """Say what AESOP sees in a motion or shot file: skeleton, rate, length, range, and whether it
    can be filmed. Exits with 1 and the reason if not.

    Args:
        file: A motion (.bvh, .npz, .npy, .clip) or a .shot.
    """
    from aesop.files.registry import ReadOptions, read_motion
    from aesop.scene.survey import require_filmable, survey

    clip = read_motion(file, ReadOptions(fps=fps, units=units, up=up))
    facts = survey(clip)
    low, high = facts.low_m, facts.high_m
    spans = ", ".join(
        f"{axis} {a:.2f} to {b:.2f}" for axis, a, b in zip("xyz", low, high, strict=True)
    )
    rows = {
        "file": str(file),
        "source": clip.provenance.source,
        "skeleton": f"22 SMPL joints, rotations {clip.provenance.rotations}",
        "length": f"{facts.frames} frames, {facts.seconds:.2f} s at {facts.fps:g} fps",
        "range (m)": spans,
        "hips": f"travel {facts.travel_m:.2f} m, at most {facts.fastest_mps:.2f} m/s, "
        f"turn {facts.turn_degrees:+.0f}° from first to last frame",
    }
    rows.update(
        (f"note {number}", note) for number, note in enumerate(clip.provenance.notes, start=1)
    )
    report("\n".join(f"{name:<10} {text}" for name, text in rows.items()))
    require_filmable(clip)
    passes = "one pass" if facts.windows == 1 else f"{facts.windows} overlapping windows or more"
    report(f"{'filmable':<10} yes, in {passes}")


def convert(
    source: Positional[Path],
    target: Positional[Path],
    /,
    *,
    fps: Fps = None,
    units: UnitsOption = None,
    up: UpOption = None,
) -> None:
    """Convert a motion to another format, chosen by the suffix of the target. The motion is put on
    AESOP's skeleton at 25 fps with its lowest joint on the ground.

    Args:
        source: A motion (.bvh, .npz, .npy, .clip) or a .shot, whose motion is taken.
        target: What to write: .bvh, .clip, .npy (HumanML3D joints) or .npz (AMASS layout).
    """
    from aesop.files.registry import ReadOptions, read_motion, writer_for

    writer = writer_for(target)
    clip = read_motion(source, ReadOptions(fps=fps, units=units, up=up))
    writer.write(clip, target)
    for note in clip.provenance.notes:
        remark(note)
    wrote(target)


def preview(
    file: Positional[Path],
    /,
    output: Annotated[Path, arg(aliases=["-o"])],
    *,
    fps: Fps = None,
    units: UnitsOption = None,
    up: UpOption = None,
) -> None:
    """Draw a motion or a shot. A video shows the view from outside beside the view through the
    lens; a picture is a contact sheet of the whole shot. A motion has no camera and is drawn from
    outside only.

    Args:
        file: A motion (.bvh, .npz, .npy, .clip) or a .shot.
        output: What to write: .mp4 for a video, .png for a contact sheet.
    """
    from aesop.files.registry import ReadOptions, read_motion, usable_reader
    from aesop.files.shot_file import read_shot

    check_drawable(output)
    options = ReadOptions(fps=fps, units=units, up=up)
    usable_reader(file, options)
    draw(read_shot(file) if file.suffix.lower() == ".shot" else read_motion(file, options), output)


def check_drawable(output: Path) -> None:
    """Raise before any work if nothing can be drawn into this file."""
    from aesop.files.atomic import refuse_target

    if output.suffix.lower() not in (".mp4", ".png"):
        raise FileError(
            f"{output} has no suffix that can be drawn.", "Choose .mp4 (video) or .png (picture)."
        )
    refuse_target(output)


def draw(subject: "Shot | Clip", output: Path) -> None:
    """A contact sheet or a video, by the suffix."""
    from aesop.preview.stills import write_contact_sheet, write_still
    from aesop.preview.video import write_video
    from aesop.scene.shot import Shot

    check_drawable(output)
    if output.suffix.lower() == ".png":
        if isinstance(subject, Shot):
            write_contact_sheet(subject, output)
        else:
            write_still(subject, output)
    else:
        with progress_bar("drawing") as progress:
            write_video(subject, output, progress=progress)
    wrote(output)
