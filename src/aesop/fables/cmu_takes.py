"""CMU takes: where their BVH files come from, the table that ships (true rates, captions of our
own), and splits."""

import csv
import re
import tarfile
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Literal, get_args

from aesop.core.errors import FileError
from aesop.data.table import disk_errors

# The public conversion writes this rate into every header, whatever the take was captured at.
HEADER_FPS = 120.0

SplitName = Literal["train", "validation", "test"]
SPLITS: tuple[SplitName, ...] = get_args(SplitName)
# By performer: those who share a recording, under two numbers, are in one split.
TEST_SUBJECTS = frozenset({"14", "16", "29", "49", "77", "82", "120", "127", "135", "139", "143"})
VALIDATION_SUBJECTS = frozenset({"02", "05", "28", "93", "103", "118", "124", "133"})
_NAME = re.compile(r"\d+_\d+")


def find_takes(source: Path, unpack_to: Path) -> dict[str, Path]:
    """BVH files by take name. An archive is unpacked once; a second call reads what lies there."""
    remedy = "Give the folder or archive of CMU BVH files."
    if not source.exists():
        raise FileError(f"{source} does not exist.", remedy)
    folder = source if source.is_dir() else _unpacked(source, unpack_to)
    paths = {path.stem: path for path in sorted(folder.rglob("*.bvh"))}
    if not paths:
        raise FileError(f"{source} holds no BVH files.", remedy)
    return dict(sorted(paths.items()))


def _unpacked(archive: Path, folder: Path) -> Path:
    done = folder / ".complete"
    if done.exists():
        return folder
    with disk_errors(folder):
        folder.mkdir(parents=True, exist_ok=True)
        try:
            with tarfile.open(archive) as tar:
                for member in tar:
                    _write_take(tar, member, folder)
        except (tarfile.TarError, EOFError) as problem:
            raise FileError(
                f"{archive} cannot be unpacked: {problem}.", "Download the archive again."
            ) from problem
        done.touch()
    return folder


def _write_take(tar: tarfile.TarFile, member: tarfile.TarInfo, folder: Path) -> None:
    """BVH files only, by their bare names: no member can leave the folder."""
    content = tar.extractfile(member) if member.isfile() else None
    name = Path(member.name).name
    if content is not None and name.endswith(".bvh"):
        (folder / name).write_bytes(content.read())


@dataclass(frozen=True)
class Take:
    """One recording. `captions` is empty where nobody knows what it shows."""

    name: str
    aliases: tuple[str, ...]  # CMU lists some recordings under several subjects
    seconds: float
    captured_fps: float  # in the public release; its headers do not always tell
    description: str
    captions: tuple[str, ...]


@cache
def read_takes() -> tuple[Take, ...]:
    """All takes in the order of the table."""
    table = files("aesop.fables").joinpath("takes.tsv").read_text(encoding="utf-8")
    rows = csv.DictReader(table.splitlines(), delimiter="\t", quoting=csv.QUOTE_NONE)
    return tuple(_take(row) for row in rows)


def _take(row: dict[str, str]) -> Take:
    aliases = tuple(name for name in row["aliases"].split(",") if name)
    captions = tuple(row[key] for key in ("caption_a", "caption_b", "caption_c") if row[key])
    assert all(_NAME.fullmatch(name) for name in (row["take"], *aliases))
    return Take(
        name=row["take"],
        aliases=aliases,
        seconds=float(row["seconds"]),
        captured_fps=float(row["captured_fps"]),
        description=row["description"],
        captions=captions,
    )


def subject_of(take: str) -> str:
    """The performer's number, which is the first part of a take's name."""
    return take.split("_", 1)[0]


def split_of(take: str) -> SplitName:
    """The split of a take, by its performer."""
    subject = subject_of(take)
    if subject in TEST_SUBJECTS:
        return "test"
    return "validation" if subject in VALIDATION_SUBJECTS else "train"
