"""The studio's server: `aesop serve` on a project's folder, with the page and what it asks."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from aesop.core.errors import AesopError, FileError
from aesop.director.director import Director
from aesop.files.motion_files import ReadOptions
from aesop.server.guards import Door
from aesop.server.routes import FilmServer
from aesop.server.server_folder import KeptMotion, ServerFolder, checked_name
from aesop.server.serving import Annex, Extend, ServerPlace, serve
from aesop.studio.studio_project import StudioProject
from aesop.studio.studio_routes import PAGE, PAGE_FILES, StudioRoutes


def run_studio(
    place: ServerPlace,
    load: Callable[[], Director],
    ready: Callable[[Door], None],
    motion: Path | None = None,
) -> None:
    """Listen until the process is told to end. A motion that is named joins the project; the page
    shows what came last."""
    assert place.folder is not None, "a project has a folder"
    missing = [name for name, _ in PAGE_FILES.values() if not (PAGE / name).is_file()]
    if missing:
        raise FileError(
            f"The studio's page is incomplete: {missing[0]} is missing.",
            "Install AESOP again, or build the page with `make studio`.",
        )
    if motion is not None and not motion.is_file():
        raise FileError(f"There is no file {motion}.", "Check the path.")
    serve(replace(place, keeps_everything=True), load, ready, studio_annex(place.folder, motion))


def studio_annex(path: Path, motion: Path | None = None) -> Extend:
    """What the studio adds to a server on this folder."""

    def extend(folder: ServerFolder, server: FilmServer) -> Annex:
        project = StudioProject(path)
        routes = StudioRoutes(project, folder, server)

        def begin() -> None:
            if motion is not None:
                project.add_motion(add_file(folder, motion).id, "open motion")

        return routes.annex(begin)

    return extend


def add_file(folder: ServerFolder, motion: Path) -> KeptMotion:
    """A file of this machine, as if it had been dropped on the page."""
    _, suffix = checked_name(motion.name)
    received = folder.incoming(suffix)
    try:
        received.write_bytes(motion.read_bytes())
    except OSError as problem:
        raise AesopError(f"{motion} cannot be read ({problem}).", "Check the file.") from None
    return folder.add_motion(received, motion.name, ReadOptions())
