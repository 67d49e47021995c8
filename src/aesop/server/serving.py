"""One process that listens: models are loaded before the first request, everything ends with it."""

import os
import secrets
import socket
import sys
import tempfile
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import h11
import uvicorn
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, Response
from starlette.routing import Route
from starlette.types import ASGIApp
from uvicorn.protocols.http.h11_impl import H11Protocol

from aesop.core.errors import AesopError
from aesop.core.whole_files import write_errors
from aesop.director.director import Director
from aesop.server.api_page import STYLE, api_page, openapi_json
from aesop.server.guards import Door, Guard, error_response, is_loopback
from aesop.server.job_queue import JobListener, JobQueue
from aesop.server.job_requests import HttpError
from aesop.server.routes import UPLOAD_MB, FilmServer
from aesop.server.server_folder import ServerFolder

TOKEN = "AESOP_TOKEN"
# Time for the head of a request, open connections, bytes of a head.
HEAD_SECONDS = 10.0
MOST_CONNECTIONS = 512
MOST_HEAD_BYTES = 16 * 2**10
EVERYTHING, EVERYTHING_BYTES = 10**9, 2**60


@dataclass(frozen=True)
class ServerPlace:
    """Where a server listens and what it keeps; without a folder nothing outlives it."""

    host: str = "127.0.0.1"
    port: int = 8765
    folder: Path | None = None
    upload_mb: int = UPLOAD_MB
    keeps_everything: bool = False  # a project is its user's: nothing old makes room


class ImpatientProtocol(H11Protocol):
    """Cuts connections that do not say in time what they want; uvicorn itself waits for ever."""

    def connection_made(self, transport: Any) -> None:
        super().connection_made(transport)
        self._patience = self.loop.call_later(HEAD_SECONDS, self._cut)
        self._waits = True

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        # Idle: of the next request's head not everything is here yet.
        waits = self.conn.their_state is h11.IDLE
        if waits and not self._waits:
            self._patience = self.loop.call_later(HEAD_SECONDS, self._cut)
        elif not waits and self._waits:
            self._patience.cancel()
        self._waits = waits

    def connection_lost(self, exc: Exception | None) -> None:
        self._patience.cancel()
        super().connection_lost(exc)

    def _cut(self) -> None:
        if not self.transport.is_closing():
            self.transport.abort()


@dataclass(frozen=True)
class Annex:
    """What another room adds to a server: routes that come before ours, paths among them that need
    no token, and somebody who keeps what jobs make. It begins once the folder is taken."""

    routes: tuple[Route, ...]
    open_paths: frozenset[str]
    listener: JobListener
    begin: Callable[[], None]
    end: Callable[[], None]


Extend = Callable[[ServerFolder, FilmServer], Annex]


def serve(
    place: ServerPlace,
    load: Callable[[], Director],
    ready: Callable[[Door], None],
    extend: Extend | None = None,
) -> None:
    """Listen until the process is told to end. `ready` is called once requests are answered."""
    token = os.environ.get(TOKEN) or None
    if token is None and not is_loopback(place.host):
        token = secrets.token_urlsafe(24)
    with listening(place.host, place.port) as heard, _folder(place) as folder:
        director = load()
        _ = director.parts.camera_flow, director.parts.human_flow
        door = Door(place.host, heard.getsockname()[1], token)
        app = application(folder, director, door, place.upload_mb, lambda: ready(door), extend)
        listener(app).run(sockets=[heard])


def listener(app: ASGIApp) -> uvicorn.Server:
    """What reads HTTP for the application, within its limits."""
    config = uvicorn.Config(
        app,
        http=ImpatientProtocol,
        ws="none",
        lifespan="on",
        log_level="warning",
        access_log=False,
        server_header=False,
        proxy_headers=False,
        timeout_keep_alive=30,
        timeout_graceful_shutdown=3,
        limit_concurrency=MOST_CONNECTIONS,
        h11_max_incomplete_event_size=MOST_HEAD_BYTES,
    )
    return uvicorn.Server(config)


@contextmanager
def listening(host: str, port: int) -> Iterator[socket.socket]:
    """A socket that listens already: whoever hears of us before uvicorn does waits for it."""
    kind = socket.AF_INET6 if ":" in host else socket.AF_INET
    heard = socket.socket(kind, socket.SOCK_STREAM)
    try:
        if sys.platform != "win32":  # there it would let a second server take the port
            heard.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            heard.bind((host, port))
        except (OSError, OverflowError) as problem:
            raise AesopError(
                f"Nobody can listen at {host}, port {port} ({problem}).",
                "Choose another --port (0: any free one) or --host.",
            ) from None
        heard.listen(MOST_CONNECTIONS)
        yield heard
    finally:
        heard.close()


@contextmanager
def _folder(place: ServerPlace) -> Iterator[ServerFolder]:
    if place.folder is not None:
        with write_errors(place.folder):
            place.folder.mkdir(parents=True, exist_ok=True)
        if place.keeps_everything:
            yield ServerFolder(place.folder, EVERYTHING_BYTES, EVERYTHING)
        else:
            yield ServerFolder(place.folder)
        return
    with tempfile.TemporaryDirectory(prefix="aesop-serve-", ignore_cleanup_errors=True) as path:
        yield ServerFolder(Path(path))


def application(
    folder: ServerFolder,
    director: Director,
    door: Door,
    upload_mb: int = UPLOAD_MB,
    ready: Callable[[], None] = lambda: None,
    extend: Extend | None = None,
) -> ASGIApp:
    """The ASGI application, guarded."""
    from aesop import __version__

    queue = JobQueue(folder, director)
    server = FilmServer(folder, queue, upload_mb)
    endpoints = server.endpoints()
    annex = None if extend is None else extend(folder, server)
    if annex is not None:
        queue.listen(annex.listener)
    document = openapi_json(endpoints, __version__, door.token is not None)
    page = api_page(endpoints, door.url, __version__)

    async def shown_page(_: Request) -> Response:
        return HTMLResponse(page)

    async def shown_style(_: Request) -> Response:
        return Response(STYLE, media_type="text/css")

    async def shown_document(_: Request) -> Response:
        return JSONResponse(document)

    @asynccontextmanager
    async def living(_: Starlette) -> AsyncIterator[None]:
        left = folder.take()
        if annex is not None:
            annex.begin()
        queue.start(left)
        ready()
        yield
        queue.close()
        if annex is not None:
            annex.end()
        folder.close()

    routes = [
        *(() if annex is None else annex.routes),
        Route("/", shown_page),
        Route("/api", shown_page),
        Route("/style.css", shown_style),
        Route("/openapi.json", shown_document),
        *(Route(one.path, one.handler, methods=[one.method]) for one in endpoints),
    ]
    handlers = {AesopError: _refused, HTTPException: _no_route, Exception: _our_mistake}
    guarded = Starlette(routes=routes, lifespan=living, exception_handlers=handlers)
    return Guard(guarded, door, frozenset() if annex is None else annex.open_paths)


async def _refused(_: Request, problem: Exception) -> Response:
    assert isinstance(problem, AesopError)
    return error_response(problem)


async def _no_route(_: Request, problem: Exception) -> Response:
    assert isinstance(problem, HTTPException)
    known = {404: "There is nothing at this address.", 405: "There is no such method here."}
    fact = known.get(problem.status_code, f"The request was refused ({problem.detail}).")
    remedy = "The page at / lists what there is."
    return error_response(HttpError(problem.status_code, fact, remedy))


async def _our_mistake(_: Request, __: Exception) -> Response:
    """What it was, uvicorn prints."""
    remedy = "Report it, with what the server printed."
    return error_response(HttpError(500, "AESOP made a mistake of its own.", remedy))
