"""Who may ask, and for how long: hosts, origins, tokens, deadlines, and the headers that every
answer carries. Pure ASGI, around everything else."""

import asyncio
import hmac
import ipaddress
from collections.abc import Mapping
from dataclasses import dataclass

from starlette.datastructures import Headers
from starlette.responses import JSONResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from aesop.core.errors import AesopError
from aesop.server.job_requests import HttpError
from aesop.server.server_folder import error_json

# A body must have come whole in this time, and every piece of an answer must be taken in it.
BODY_SECONDS, TAKING_SECONDS = 60.0, 60.0
SAFE_HEADERS = {
    "content-security-policy": (
        "default-src 'none'; style-src 'self'; img-src 'self'; media-src 'self'; "
        "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    ),
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "referrer-policy": "no-referrer",
    "cross-origin-resource-policy": "same-origin",
    "cross-origin-opener-policy": "same-origin",
    "cache-control": "no-store",
}


@dataclass(frozen=True)
class Door:
    """Where the server listens, and the token that everybody needs who is let in."""

    host: str
    port: int
    token: str | None = None

    @property
    def is_loopback(self) -> bool:
        return is_loopback(self.host)

    @property
    def url(self) -> str:
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"http://{host}:{self.port}"

    @property
    def hosts(self) -> frozenset[str]:
        """Names under which a browser may have come here."""
        names = {"localhost", "127.0.0.1", "[::1]"}
        names.add(self.url.removeprefix("http://").rpartition(":")[0].lower())
        return frozenset(f"{name}:{self.port}" for name in names)


def is_loopback(host: str) -> bool:
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def check_caller(door: Door, headers: Headers, *, is_open: bool = False) -> None:
    """Refuse pages of other sites (which a browser would let ask us), and whoever has no token.

    A page on a stranger's name that was pointed at this machine shows in Host; a page that posts
    here from elsewhere shows in Origin or Sec-Fetch-Site. Programs send neither. What is open
    holds no secret, and a browser that is sent there cannot send a token yet.
    """
    hosts = headers.getlist("host")
    host = hosts[0].lower() if len(hosts) == 1 else ""
    # Behind a token other names are fine: a stranger's page does not know it.
    if door.token is None and host not in door.hosts:
        raise HttpError(403, "The request names another host.", f"Ask at {door.url}.")
    origin = headers.get("origin")
    if origin is not None and origin.lower() != f"http://{host}":
        raise HttpError(403, "The request comes from another site.", f"Open {door.url} itself.")
    if headers.get("sec-fetch-site", "none") not in ("none", "same-origin"):
        raise HttpError(403, "The request comes from another site.", f"Open {door.url} itself.")
    if door.token is not None and not is_open:
        given = headers.get("authorization", "")
        wanted = f"Bearer {door.token}"
        if not hmac.compare_digest(given.encode("latin-1", "replace"), wanted.encode()):
            raise HttpError(
                401, "The token is missing or wrong.", "Send Authorization: Bearer TOKEN."
            )


class Guard:
    """Wraps the application: callers are checked, bodies and answers have deadlines, and every
    answer carries `SAFE_HEADERS`."""

    def __init__(self, app: ASGIApp, door: Door, open_paths: frozenset[str] = frozenset()) -> None:
        self._app, self._door, self._open_paths = app, door, open_paths

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        deadline = asyncio.get_running_loop().time() + BODY_SECONDS
        is_whole = False

        async def receive_in_time() -> Message:
            nonlocal is_whole
            if is_whole:  # nothing comes now but the end of the connection, at any time
                return await receive()
            left = deadline - asyncio.get_running_loop().time()
            try:
                message = await asyncio.wait_for(receive(), max(left, 0.001))
            except TimeoutError:
                remedy = "Send it faster."
                raise HttpError(
                    408, f"The body took more than {BODY_SECONDS:g} s.", remedy
                ) from None
            is_whole = not message.get("more_body", False)
            return message

        async def send_in_time(message: Message) -> None:
            if message["type"] == "http.response.start":
                message = with_headers(message, SAFE_HEADERS)
            await asyncio.wait_for(send(message), TAKING_SECONDS)

        try:
            is_open = scope["method"] == "GET" and scope["path"] in self._open_paths
            check_caller(self._door, Headers(scope=scope), is_open=is_open)
        except HttpError as problem:
            await error_response(problem)(scope, receive, send_in_time)
        else:
            await self._app(scope, receive_in_time, send_in_time)


def with_headers(message: Message, headers: Mapping[str, str]) -> Message:
    """The head of an answer with those of the headers that it does not have itself."""
    given = {name.lower() for name, _ in message.get("headers", ())}
    more = [
        (name.encode(), value.encode())
        for name, value in headers.items()
        if name.encode() not in given
    ]
    return {**message, "headers": [*message.get("headers", ()), *more]}


def error_response(problem: AesopError) -> Response:
    """The text that the command line would print, as JSON. The connection ends: what is left of a
    refused body is not read."""
    status = problem.status if isinstance(problem, HttpError) else 400
    headers = {"connection": "close"}
    if status == 503:
        headers["retry-after"] = "5"
    if status == 401:
        headers["www-authenticate"] = "Bearer"
    return JSONResponse({"error": error_json(problem)}, status, headers)
