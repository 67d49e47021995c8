"""CMU takes: where their BVH files come from, the table that ships (true rates, captions of our
own), and splits."""

import csv
import re
import tarfile
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Literal

from aesop.core.errors import FileError
from aesop.data.table import disk_errors

# The public conversion writes this rate into every header, whatever the take was captured at.
HEADER_FPS = 120.0


@dataclass(frozen=True)
class TakeFile:
    """One take on disk."""

    take: str
    path: Path


def find_takes(source: Path, unpack_to: Path) -> list[TakeFile]:
    """BVH files by take name. An archive is unpacked once; a second call finds it there."""
    if source.is_dir():
        folder = source
    elif source.is_file():
        folder = _unpacked(source, unpack_to)
    else:
        raise FileError(f"{source} does not exist.", "Give the folder or archive of CMU BVH files.")
    found = {path.stem: path for path in sorted(folder.rglob("*.bvh"))}
    if not found:
        raise FileError(
            f"{source} holds no BVH files.", "Give the folder or archive of CMU BVH files."
        )
    return [TakeFile(take, path) for take, path in sorted(found.items())]


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


RateSource = Literal["table", "subject", "assumed"]  # from most to least sure

_NAME = re.compile(r"\d+_\d+")


@dataclass(frozen=True)
class Take:
    """One recording. `captions` is empty where nobody knows what it shows."""

    name: str
    aliases: tuple[str, ...]  # CMU lists some recordings under several subjects
    seconds: float
    captured_fps: float  # in the public release; its headers do not always tell
    rate_source: RateSource
    description: str
    captions: tuple[str, ...]

    @property
    def subjects(self) -> tuple[str, ...]:
        """CMU's numbers of the performer: one for the name and each alias."""
        return tuple(name.split("_")[0] for name in (self.name, *self.aliases))


@cache
def read_takes() -> tuple[Take, ...]:
    """All takes in the order of the table."""
    table = files("aesop.fables").joinpath("takes.tsv").read_text(encoding="utf-8")
    rows = csv.DictReader(table.splitlines(), delimiter="\t", quoting=csv.QUOTE_NONE)
    return tuple(_take(row) for row in rows)


def _take(row: dict[str, str]) -> Take:
    aliases = tuple(name for name in row["aliases"].split(",") if name)
    captions = tuple(row[key] for key in ("caption_a", "caption_b", "caption_c") if row[key])
    source = row["rate_source"]
    assert source in ("table", "subject", "assumed")
    assert all(_NAME.fullmatch(name) for name in (row["take"], *aliases))
    return Take(
        name=row["take"],
        aliases=aliases,
        seconds=float(row["seconds"]),
        captured_fps=float(row["captured_fps"]),
        rate_source=source,
        description=row["description"],
        captions=captions,
    )


def performers(takes: Sequence[Take]) -> dict[str, str]:
    """Performer of every CMU subject number: the lowest number that shares a take with it.

    Subjects that share one recording are one person, so a split must not part them.
    """
    groups: list[set[str]] = []
    for take in takes:
        touching = [group for group in groups if group & set(take.subjects)]
        groups = [group for group in groups if group not in touching]
        groups.append(set(take.subjects).union(*touching))
    return {subject: min(group, key=int) for group in groups for subject in group}


SplitName = Literal["train", "validation", "test"]

TEST_SUBJECTS = frozenset({"14", "16", "29", "49", "77", "82", "120", "127", "135", "139", "143"})
VALIDATION_SUBJECTS = frozenset({"02", "05", "28", "93", "103", "118", "124", "133"})


def subject_of(take: str) -> str:
    """The performer's number, which is the first part of a take's name."""
    return take.split("_", 1)[0]


def split_of(take: str) -> SplitName:
    """The split of a take, by its performer."""
    subject = subject_of(take)
    if subject in TEST_SUBJECTS:
        return "test"
    return "validation" if subject in VALIDATION_SUBJECTS else "train"
