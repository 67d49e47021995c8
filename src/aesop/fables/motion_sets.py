"""Sets of takes beside CMU's: what each is, its licence, how its files become clips, its splits.

A set is a table of takes and a folder of files. Tables of one form hold what we ship and what
users add: set, take, performer, seconds, cycle, sequence, description, three captions.
"""

import csv
import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache
from importlib.resources import files
from pathlib import Path

from aesop.core.errors import AesopError, FileError
from aesop.fables.takes import (
    ImportedTake,
    SplitName,
    Take,
    find_takes,
    import_take,
    read_takes,
    screened,
    split_of,
    subject_of,
)
from aesop.files.amp_archive import amp_clips
from aesop.files.bvh_clip import CalibrationFrame, read_bvh_clip
from aesop.files.shot_file import write_clip
from aesop.scene.human import Clip, HumanMotion
from aesop.scene.joint_fit import fit_rotations

COLUMNS = (
    "set", "take", "performer", "seconds", "cycle", "sequence", "description",
    "caption_a", "caption_b", "caption_c",
)  # fmt: skip
CMU = "cmu"
FILE_FPS = 30.0  # of every set but CMU's public release
# A single gait cycle is played until it lasts this long: a window takes at least 1.44 s.
SHORTEST_LOOP_S = 2.0
# The one take of ACCAD's performer in which he stands with his arms at his sides.
ACCAD_STAND, ACCAD_STAND_FRAME = "Male1_A1_Stand", 1


@dataclass(frozen=True)
class SetTake:
    """One take of a set: what it is called, who moves, whether it shows several actions."""

    set_name: str
    take: Take
    performer: str
    is_cycle: bool  # one period of a gait; its last frame repeats the first pose
    is_sequence: bool  # several actions one after the other

    @property
    def id(self) -> str:
        """Unique over all sets: `cmu/13_29`."""
        return f"{self.set_name}/{self.take.name}"


@dataclass(frozen=True)
class MotionSet:
    """Where a set comes from, what may be done with it, and how its files are read."""

    name: str
    source: str
    licence: str
    read: Callable[[Sequence[SetTake], Path, Path], list[ImportedTake]]


@cache
def read_set_takes() -> tuple[SetTake, ...]:
    """All takes that ship with the package: CMU's table first, then the other sets'."""
    cmu = [
        SetTake(CMU, take, subject_of(take.name), False, has_many_actions(take.description))
        for take in read_takes()
    ]
    table = files("aesop.fables").joinpath("more_takes.tsv").read_text(encoding="utf-8")
    return (*cmu, *parse_set_takes(table, "more_takes.tsv"))


def parse_set_takes(table: str, name: str) -> tuple[SetTake, ...]:
    """Takes from a table of the form that ships; `name` is the table's, for errors."""
    rows = csv.DictReader(table.splitlines(), delimiter="\t", quoting=csv.QUOTE_NONE)
    if tuple(rows.fieldnames or ()) != COLUMNS:
        raise FileError(
            f"{name} does not have the columns of a table of takes.",
            f"Its first line names, between tabs: {', '.join(COLUMNS)}.",
        )
    return tuple(_set_take(row, name, line) for line, row in enumerate(rows, start=2))


def _set_take(row: dict[str, str], name: str, line: int) -> SetTake:
    if None in row.values() or None in row:
        raise FileError(f"Line {line} of {name} has another number of cells.", "Fill every column.")
    try:
        seconds = float(row["seconds"])
    except ValueError:
        raise FileError(
            f"Line {line} of {name} has {row['seconds']!r} seconds.", "Write a number."
        ) from None
    captions = tuple(row[key] for key in COLUMNS[-3:] if row[key])
    take = Take(row["take"], (), seconds, FILE_FPS, row["description"], captions)
    cycle, sequence = row["cycle"] == "yes", row["sequence"] == "yes"
    return SetTake(row["set"], take, row["performer"], cycle, sequence)


def has_many_actions(description: str) -> bool:
    """Whether a description lists actions: CMU's do so with commas, semicolons and "and"."""
    words = description.lower().replace(";", ",").replace("/", ",").replace(" and ", ",")
    return words.count(",") >= 2


def split_of_take(take: SetTake) -> SplitName:
    """The split of a take, by its performer.

    CMU's performers keep their split in both of its sets. The two bodies of Rocketbox and ACCAD's
    performer are new people; they teach, so that the test set stays the one of earlier numbers.
    """
    return split_of(take.take.name) if take.set_name in (CMU, "cmu_more") else "train"


def has_cmu_turns(set_name: str) -> bool:
    """Whether a set's joints turn as CMU's do: knees and wrists about one axis."""
    return set_name in (CMU, "cmu_more")


def with_like_turns(set_name: str, motion: HumanMotion) -> HumanMotion:
    """The same joint places by turns that are alike in all sets.

    Other sets twist forearms and shins where CMU twists upper arms and thighs. A codec that learnt
    from CMU reads such turns as poses nobody takes; turns fitted to the places it knows.
    """
    if has_cmu_turns(set_name):
        return motion
    return HumanMotion(fit_rotations(motion.joints), motion.joints)


def import_set(
    motion_set: MotionSet, takes: Sequence[SetTake], source: Path, cache: Path
) -> list[ImportedTake]:
    """Clips of the set's takes in `cache`, screened; those that lie there already are kept."""
    folder = cache / motion_set.name
    folder.mkdir(parents=True, exist_ok=True)
    ours = [take for take in takes if take.set_name == motion_set.name]
    return motion_set.read(ours, source, folder)


def _read_cmu(takes: Sequence[SetTake], source: Path, cache: Path) -> list[ImportedTake]:
    return [import_take((take.take, path), cache) for take, path in _found(takes, source, cache)]


def _read_archive(takes: Sequence[SetTake], source: Path, cache: Path) -> list[ImportedTake]:
    archive = source / "motions.npz" if source.is_dir() else source
    if any(not _clip_path(take, cache).exists() for take in takes):
        for clip in amp_clips(archive):
            write_clip(clip, cache / f"{clip.name}.clip")
    return [screened(take.take, _clip_path(take, cache)) for take in takes]


def _read_rocketbox(takes: Sequence[SetTake], source: Path, cache: Path) -> list[ImportedTake]:
    def read(take: SetTake, path: Path) -> Clip:
        return read_bvh_clip(path, cycles=cycles_of(take))

    return list(_read_each(read, takes, source, cache))


def cycles_of(take: SetTake) -> int:
    """How often a take is played: a short gait cycle until it lasts `SHORTEST_LOOP_S`."""
    return max(1, math.ceil(SHORTEST_LOOP_S / take.take.seconds)) if take.is_cycle else 1


def _read_accad(takes: Sequence[SetTake], source: Path, cache: Path) -> list[ImportedTake]:
    paths = find_takes(source, cache / "archive")
    if ACCAD_STAND not in paths:
        raise FileError(
            f"{source} has no {ACCAD_STAND}.bvh, on which the others are calibrated.",
            "Give the whole set.",
        )
    standing = CalibrationFrame(paths[ACCAD_STAND], ACCAD_STAND_FRAME)

    def read(_: SetTake, path: Path) -> Clip:
        # Crawls do not show which axis points up; the set does.
        return read_bvh_clip(path, up="y", calibration=standing)

    return list(_read_each(read, takes, source, cache))


def _read_bvh_files(takes: Sequence[SetTake], source: Path, cache: Path) -> list[ImportedTake]:
    return list(_read_each(lambda _, path: read_bvh_clip(path), takes, source, cache))


def _read_each(
    read: Callable[[SetTake, Path], Clip], takes: Sequence[SetTake], source: Path, cache: Path
) -> Iterator[ImportedTake]:
    for take, path in _found(takes, source, cache):
        clip_path = _clip_path(take, cache)
        try:
            if not clip_path.exists():
                write_clip(replace(read(take, path), name=take.take.name, source=None), clip_path)
        except AesopError as refused:
            fault = f"not readable ({type(refused).__name__})"
            yield ImportedTake(take.take, clip_path, 0, fault)
        else:
            yield screened(take.take, clip_path)


def _found(takes: Sequence[SetTake], source: Path, cache: Path) -> Iterator[tuple[SetTake, Path]]:
    paths = find_takes(source, cache / "archive")
    for take in takes:
        names = (take.take.name, *take.take.aliases)
        path = next((paths[name] for name in names if name in paths), None)
        if path is not None:
            yield take, path


def _clip_path(take: SetTake, cache: Path) -> Path:
    return cache / f"{take.take.name}.clip"


MOTION_SETS = {
    motion_set.name: motion_set
    for motion_set in (
        MotionSet(
            CMU,
            "CMU Graphics Lab Motion Capture Database, BVH conversion of B. Hahne",
            "Free for all uses, no resale of the data itself; funded by NSF EIA-0196217.",
            _read_cmu,
        ),
        MotionSet(
            "cmu_more",
            "CMU Graphics Lab Motion Capture Database, on a 15-joint physics character",
            "CMU's terms allow all uses; the converter states no licence: trained on, not shipped.",
            _read_archive,
        ),
        MotionSet(
            "rocketbox",
            "Microsoft Rocketbox, body animations",
            "MIT, Copyright (c) 2020 Microsoft.",
            _read_rocketbox,
        ),
        MotionSet(
            "accad_male1",
            "ACCAD, The Ohio State University, Open Motion Project, Male 1",
            "CC BY 3.0, by second-hand knowledge: credit ACCAD; trained on, not shipped.",
            _read_accad,
        ),
    )
}


def motion_set(name: str) -> MotionSet:
    """A known set, or a user's own: BVH files whose licence is the user's to know."""
    own = MotionSet(name, "a user's own set", "the user's own", _read_bvh_files)
    return MOTION_SETS.get(name, own)
