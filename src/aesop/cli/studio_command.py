"""`aesop studio`."""

import os
import sys
import webbrowser
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from tyro.conf import FlagCreatePairsOff, OmitArgPrefixes, Positional, arg

from aesop.cli.film_options import WEIGHT_DEFAULTS, WeightOptions
from aesop.cli.serve_command import check_place
from aesop.cli.terminal import remark, report

if TYPE_CHECKING:
    from aesop.server.guards import Door

os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")  # as the film commands do, before torch


def studio(
    motion: Annotated[
        Positional[Path | None], arg(metavar="MOTION", help="A motion to begin with.")
    ] = None,
    *,
    folder: Annotated[
        Path, arg(help="The project: motions, shots, thumbnails and a history.")
    ] = Path("aesop-project"),
    host: Annotated[
        str, arg(help="Where to listen. Anything but this machine alone needs a token.")
    ] = "127.0.0.1",
    port: Annotated[int, arg(help="0 takes any free one.")] = 8766,
    no_browser: Annotated[
        bool, FlagCreatePairsOff, arg(help="Print the address and open nothing.")
    ] = False,
    upload_mb: Annotated[int, arg(help="The largest file that is accepted.")] = 64,
    weights: Annotated[WeightOptions, OmitArgPrefixes] = WEIGHT_DEFAULTS,
) -> None:
    """Film in the browser: drop a motion, type what the camera does, drag the intensity while it
    plays, keep takes, export. Needs no network and no account.

    Everything is kept in the project's folder as it happens; start the command again to go on.
    On another --host than this machine's own a token is needed, which is part of the address that
    is printed: AESOP_TOKEN, or one that is made up.
    """
    from aesop.server.serving import ServerPlace
    from aesop.studio.studio_serving import run_studio

    check_place(port, upload_mb)

    def ready(door: "Door") -> None:
        address = door.url if door.token is None else f"{door.url}/#token={door.token}"
        report(address)
        sys.stdout.flush()  # whoever started us waits for this line
        remark(f"the project is in {folder}; the studio is open until stopped with Ctrl-C")
        if not no_browser:
            webbrowser.open(address)

    run_studio(ServerPlace(host, port, folder, upload_mb), weights.director, ready, motion)
