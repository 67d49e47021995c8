"""Where the BVH files of CMU takes come from: a folder or a tar archive, at 30 or 120 fps."""

import tarfile
from dataclasses import dataclass
from pathlib import Path

from aesop.data.disk import disk_errors
from aesop.errors import FileError

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
