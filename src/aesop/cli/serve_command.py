"""`aesop serve`."""

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from tyro.conf import OmitArgPrefixes, arg

from aesop.cli.film_options import WEIGHT_DEFAULTS, WeightOptions
from aesop.cli.terminal import remark, report
from aesop.core.errors import AesopError

if TYPE_CHECKING:
    from aesop.server.guards import Door

os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")  # as the film commands do, before torch


def serve(
    *,
    host: Annotated[
        str, arg(help="Where to listen. Anything but this machine alone needs a token.")
    ] = "127.0.0.1",
    port: Annotated[int, arg(help="0 takes any free one.")] = 8765,
    folder: Annotated[
        Path | None,
        arg(help="Keeps motions and films there; a server started on it again goes on."),
    ] = None,
    upload_mb: Annotated[int, arg(help="The largest file that is accepted.")] = 64,
    weights: Annotated[WeightOptions, OmitArgPrefixes] = WEIGHT_DEFAULTS,
) -> None:
    """Film over HTTP: one process that has its models loaded, with a queue, progress and cancel.
    The address is printed once it answers; opened in a browser it explains itself.

    Anybody who can reach another --host than this machine's own must send a token: the one in
    AESOP_TOKEN, or one that is made up and printed.
    """
    from aesop.server import serving

    check_place(port, upload_mb)
    place = serving.ServerPlace(host, port, folder, upload_mb)
    serving.serve(place, weights.director, _ready)


def check_place(port: int, upload_mb: int) -> None:
    """Refuse ports and limits that cannot be."""
    if not 0 <= port <= 65535:
        raise AesopError(f"There is no port {port}.", "Choose 0 (any free one) to 65535.")
    if upload_mb < 1:
        raise AesopError(f"Uploads of {upload_mb} MB hold no motion.", "Allow 1 or more.")


def _ready(door: "Door") -> None:
    report(door.url)
    sys.stdout.flush()  # whoever started us waits for this line
    if door.token is not None and "AESOP_TOKEN" not in os.environ:
        remark(f"token: {door.token}")
    remark("serving until stopped with Ctrl-C")
