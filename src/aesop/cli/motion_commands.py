"""`aesop check`, `aesop convert`, `aesop preview`."""

import json
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from tyro.conf import FlagCreatePairsOff, Positional, arg

from aesop.cli.input_options import Fps, LoopOption, UnitsOption, UpOption
from aesop.cli.terminal import progress_bar, remark, report, wrote
from aesop.core.errors import AesopError, FileError

if TYPE_CHECKING:
    from aesop.director.film_report import FilmReport
    from aesop.scene.human import Clip
    from aesop.scene.shot import Shot, Survey


def check(
    file: Positional[Path],
    /,
    *,
    fps: Fps = None,
    units: UnitsOption = None,
    up: UpOption = None,
    loop: LoopOption = None,
    as_json: Annotated[bool, FlagCreatePairsOff, arg(name="json")] = False,
) -> None:
    """Say what AESOP sees in a motion or shot file: skeleton, rate, length, range, and whether it
    can be filmed; of a shot also what its camera was asked for and what it does. Exits with 1 and
    the reason if the motion cannot be filmed.

    Args:
        file: A motion (.bvh, .amc, .fbx, .glb, .npz, .pt, .npy, .clip) or a .shot.
        as_json: One JSON object for programs.
    """
    from aesop.files.motion_files import ReadOptions, read_motion
    from aesop.scene.shot import require_filmable, told_survey

    clip = read_motion(file, ReadOptions(fps=fps, units=units, up=up, loop=loop))
    facts, film = told_survey(clip), _film_of(file)
    problem: AesopError | None = None
    try:
        require_filmable(clip)
    except AesopError as error:
        problem = error
    described = _checked_json if as_json else _checked_text
    report(described(file, clip, facts, film, problem))
    if problem is not None:
        raise problem


def _film_of(file: Path) -> "FilmReport | None":
    if file.suffix.lower() != ".shot":
        return None
    from aesop.director.film_report import film_report
    from aesop.files.shot_file import read_shot

    return film_report(read_shot(file))


def _checked_text(
    file: Path,
    clip: "Clip",
    facts: "Survey",
    film: "FilmReport | None",
    problem: AesopError | None,
) -> str:
    spans = ", ".join(
        f"{axis} {a:.2f} to {b:.2f}"
        for axis, a, b in zip("xyz", facts.low_m, facts.high_m, strict=True)
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
    rows |= _source_rows(clip)
    rows |= {f"note {at}": note for at, note in enumerate(clip.provenance.notes, start=1)}
    rows |= _film_rows(film) if film is not None else {}
    if problem is None:
        several = f"{facts.windows} overlapping windows or more"
        rows["filmable"] = f"yes, in {'one pass' if facts.windows == 1 else several}"
    return "\n".join(f"{name:<10} {text}" for name, text in rows.items())


def _source_rows(clip: "Clip") -> dict[str, str]:
    """The file's own world, in which exports are written."""
    source = clip.source
    if source is None:
        return {}
    world = (
        f"{source.frames} frames at {source.fps:g} fps from {source.start_frame}, {source.up} up, "
    )
    world += f"{source.metres_per_unit:g} m a unit, the person resized by {source.resized:.3f}"
    if source.apart is None:
        return {"in file": world}
    file_cm = 100 * clip.file_metres
    apart = f"{file_cm * source.apart.mean_m:.1f} cm on average, most at {source.apart.joint}: "
    apart += f"{file_cm * source.apart.joint_mean_m:.1f} cm"
    return {"in file": world, "apart": f"the file's joints lie {apart} from ours"}


def _film_rows(film: "FilmReport") -> dict[str, str]:
    """What happened in a shot, a row a fact."""
    rows = {
        "camera": film.source,
        "words": film.words or "none",
        "intensity": film.intensity_text,
        "movement": film.movement_text,
        "framing": film.framing_text,
        "way": f"the camera travels {film.travel_m:.2f} m, the person {film.person_way_m:.2f} m",
        "nearest": f"{film.nearest_m:.2f} m from the body",
        "turns": f"at most {film.fastest_turn_dps:.0f} °/s",
        "take": film.take_text,
    }
    rows |= {f"place {at}": rank.text for at, rank in enumerate(film.ranking, start=1)}
    return rows | {"corrected": film.corrections_text, "settings": "; ".join(film.settings)}


def _checked_json(
    file: Path,
    clip: "Clip",
    facts: "Survey",
    film: "FilmReport | None",
    problem: AesopError | None,
) -> str:
    checked = {
        "file": str(file),
        "source": clip.provenance.source,
        "rotations": clip.provenance.rotations,
        "notes": clip.provenance.notes,
        **asdict(facts),
        "is_filmable": problem is None,
        "why_not": None if problem is None else str(problem),
        "film": None if film is None else asdict(film),
    }
    return json.dumps(checked, allow_nan=False)


def convert(
    source: Annotated[Positional[Path], arg(metavar="MOTION")],
    target: Annotated[Positional[Path], arg(metavar="TARGET")],
    /,
    *,
    fps: Fps = None,
    units: UnitsOption = None,
    up: UpOption = None,
    loop: LoopOption = None,
) -> None:
    """Convert a motion to another format, chosen by the suffix of the target. The motion is put on
    AESOP's skeleton at 25 fps with its lowest joint on the ground.

    Args:
        source: A motion (.bvh, .amc, .fbx, .glb, .npz, .pt, .npy, .clip) or that of a .shot.
        target: What to write: .bvh, .clip, .npy (HumanML3D joints) or .npz (AMASS layout).
    """
    from aesop.core.whole_files import refuse_replacing
    from aesop.files.motion_files import ReadOptions, read_motion, writer_for
    from aesop.scene.shot import require_bodily

    writer = writer_for(target)
    refuse_replacing([target], [source])
    clip = read_motion(source, ReadOptions(fps=fps, units=units, up=up, loop=loop))
    require_bodily(clip)
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
    loop: LoopOption = None,
) -> None:
    """Draw a motion or a shot. A video shows the view from outside beside the view through the
    lens; a picture is a contact sheet of the whole shot. A motion has no camera and is drawn from
    outside only.

    Args:
        file: A motion (.bvh, .amc, .fbx, .glb, .npz, .pt, .npy, .clip) or a .shot.
        output: What to write: .mp4 for a video, .png for a contact sheet.
    """
    from aesop.files.motion_files import ReadOptions, read_motion, usable_reader
    from aesop.files.shot_file import read_shot

    check_drawable(output)
    options = ReadOptions(fps=fps, units=units, up=up, loop=loop)
    usable_reader(file, options)
    draw(read_shot(file) if file.suffix.lower() == ".shot" else read_motion(file, options), output)


def check_drawable(output: Path) -> None:
    """Raise before any work if nothing can be drawn into this file."""
    from aesop.core.whole_files import refuse_target

    if output.suffix.lower() not in (".mp4", ".png"):
        raise FileError(
            f"{output} has no suffix that can be drawn.", "Choose .mp4 (video) or .png (picture)."
        )
    refuse_target(output)


def draw(subject: "Shot | Clip", output: Path) -> None:
    """A contact sheet or a video, by the suffix."""
    from aesop.preview.sheets import write_contact_sheet
    from aesop.preview.video import write_video

    check_drawable(output)
    if output.suffix.lower() == ".png":
        write_contact_sheet(subject, output)
    else:
        with progress_bar("drawing") as progress:
            write_video(subject, output, progress=progress)
    wrote(output)
