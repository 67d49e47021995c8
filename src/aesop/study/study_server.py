"""`aesop study serve`: the page, its videos, and the few questions that the page asks."""

import asyncio
import json
import re
import time
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import anyio
from starlette.applications import Starlette
from starlette.datastructures import Headers
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import FileResponse, JSONResponse, Response
from starlette.routing import Route
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from aesop.core.claims import claim_piece
from aesop.core.errors import AesopError
from aesop.server.guards import (
    SAFE_HEADERS,
    Door,
    error_response,
    is_loopback,
    with_headers,
)
from aesop.server.job_requests import HttpError, read_json
from aesop.server.serving import listener, listening
from aesop.study.balance import Trial
from aesop.study.gate import MOST_STRETCHES, NEEDED, Coverage, Gate, Stretch
from aesop.study.record import (
    SCALE,
    AlreadyAnsweredError,
    GivenAnswer,
    Participant,
    StudyRecord,
)
from aesop.study.stimuli import EXAMPLE
from aesop.study.study_folder import (
    RECORD_FILE,
    VIDEOS,
    Study,
    VideoTable,
    missing_videos,
    read_study,
)
from aesop.study.study_plan import CRITERIA, StudyError, criteria_names

MOST_BYTES, BODY_SECONDS = 64 * 2**10, 20.0
ANSWERING_SECONDS = 25.0  # that a trial takes besides its video: an estimate for the consent page
FULL = 10  # times as many participants as were planned may begin
_KEY = re.compile(r"[0-9a-f]{32}")
_VIDEO = re.compile(r"([0-9a-f]{32}|example-left|example-right)\.mp4")
_ASSETS = {
    "/": ("index.html", "text/html"),
    "/icon.svg": ("icon.svg", "image/svg+xml"),
    "/study.css": ("study.css", "text/css"),
    "/study.js": ("study.js", "text/javascript"),
}
_PAGE_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; "
    "media-src 'self' blob:; connect-src 'self'; base-uri 'none'; form-action 'none'; "
    "frame-ancestors 'none'"
)


@dataclass(frozen=True)
class StudyPlace:
    """Where a study is served, and under which address participants see it (behind a proxy that
    speaks https, another than the server's own)."""

    host: str = "127.0.0.1"
    port: int = 8767
    public_url: str | None = None


def serve_study(out: Path, place: StudyPlace, ready: Callable[[str], None]) -> None:
    """Listen until the process is told to end."""
    study = read_study(out)
    _check_servable(study, out, place)
    claim = claim_piece(out / "serving")
    if claim is None:
        raise StudyError(f"Another server serves {out}.", "Stop it, or use its address.")
    record = StudyRecord(out / RECORD_FILE, study)
    try:
        with listening(place.host, place.port) as heard:
            door = Door(place.host, heard.getsockname()[1])
            app = study_application(study, record, out, allowed_origins(door, place.public_url))
            ready(place.public_url or door.url)
            listener(app).run(sockets=[heard])
    finally:
        record.close()
        claim.release()


def _check_servable(study: Study, out: Path, place: StudyPlace) -> None:
    if study.is_simulated:
        raise StudyError(f"{out} is simulated: it has no videos.", "Make a study with a store.")
    if missing := missing_videos(study, out):
        raise StudyError(
            f"{len(missing)} videos of {out} are missing, first {missing[0]}.mp4.",
            "Restore them, or make the study again.",
        )
    if place.public_url is None and not is_loopback(place.host):
        raise StudyError(
            f"Others can reach {place.host}, under an address that the server cannot know.",
            "Name it with --url, such as --url https://study.example.org.",
        )
    if place.public_url is not None and urlsplit(place.public_url).scheme not in ("http", "https"):
        raise StudyError(f"{place.public_url} is no address.", "Begin it with https://.")


def allowed_origins(door: Door, public_url: str | None) -> frozenset[str]:
    """Addresses under which browsers may have come here."""
    origins = {f"http://{host}" for host in door.hosts}
    if public_url is not None:
        parts = urlsplit(public_url)
        origins.add(f"{parts.scheme}://{parts.netloc}".lower())
    return frozenset(origins)


def study_application(
    study: Study, record: StudyRecord, out: Path, origins: frozenset[str], gate: Gate | None = None
) -> ASGIApp:
    """The ASGI application, guarded."""
    desk = StudyDesk(study, record, gate or Gate())
    table = VideoTable(study.videos)

    async def asset(request: Request) -> Response:
        name, kind = _ASSETS[request.url.path]
        return Response(_asset(name), media_type=kind)

    async def video(request: Request) -> Response:
        match = _VIDEO.fullmatch(request.path_params["name"])
        if match is None or match[1] not in table:
            raise HttpError(404, "There is no such video.", "Reload the page.")
        # All files bear one date, so that headers differ by nothing but their length.
        headers = {"cache-control": "private, max-age=86400, immutable"}
        path = out / VIDEOS / f"{match[1]}.mp4"
        return FileResponse(path, media_type="video/mp4", headers=headers)

    async def about(_: Request) -> Response:
        return JSONResponse(desk.about())

    posts = {"begin": desk.begin, "state": desk.state, "open": desk.open, "beat": desk.beat,
             "save": desk.save}  # fmt: skip
    routes = [
        *(Route(path, asset) for path in _ASSETS),
        Route("/api/study", about),
        Route("/videos/{name}", video),
        *(Route(f"/api/{name}", _posted(it), methods=["POST"]) for name, it in posts.items()),
    ]
    handlers = {AesopError: _refused, HTTPException: _no_such_page, Exception: _broken}
    return StudyGuard(Starlette(routes=routes, exception_handlers=handlers), origins)


def _asset(name: str) -> bytes:
    return files("aesop.study").joinpath("page", name).read_bytes()


class StudyDesk:
    """Answers what the page asks. Every question names its participant by the key of the link."""

    def __init__(self, study: Study, record: StudyRecord, gate: Gate) -> None:
        self._study, self._record, self._gate = study, record, gate
        self._table = VideoTable(study.videos)

    def about(self) -> dict[str, Any]:
        """What everybody may know before they agree."""
        study = self._study
        sheet = study.sheets[0]
        lengths = [study.clip(trial.task, trial.clip).seconds for trial in sheet]
        minutes = (sum(lengths) + ANSWERING_SECONDS * len(sheet)) / 60
        example = study.example
        return {
            "title": study.plan.title,
            "contact": study.plan.contact,
            "about": study.plan.about,
            "trials": len(sheet),
            "minutes": max(5, 5 * round(minutes / 5)),
            "needed": NEEDED,
            "example": None if example is None else {
                "cameraWords": example.camera_words,
                "left": EXAMPLE[0],
                "right": EXAMPLE[1],
                "seconds": example.seconds,
            },
        }  # fmt: skip

    def begin(self, asked: Mapping[str, Any]) -> dict[str, Any]:
        key = _key_of(asked)
        if asked.get("agreed") is not True:
            raise HttpError(403, "Nobody takes part without agreeing.", "Tick the box.")
        if self._record.participant(key) is None:
            most = FULL * self._study.plan.participants
            if len(self._record.participants()) >= most:
                raise HttpError(
                    503, "The study has as many participants as it can take.", "Thanks!"
                )
        return self._state(self._record.begin(key))

    def state(self, asked: Mapping[str, Any]) -> dict[str, Any]:
        return self._state(self._participant(asked))

    def _state(self, participant: Participant) -> dict[str, Any]:
        answered = self._record.answered(participant)
        sheet = self._study.sheets[participant.sheet]
        left = [trial for trial in range(len(sheet)) if trial not in answered]
        return {
            "participant": participant.number,
            "answered": len(answered),
            "trials": len(sheet),
            "next": left[0] if left else None,
        }

    def open(self, asked: Mapping[str, Any]) -> dict[str, Any]:
        """What a trial shows. It must be the participant's next one."""
        participant = self._participant(asked)
        number, trial = self._next_trial(participant, asked)
        clip = self._study.clip(trial.task, trial.clip)
        self._watch(participant, number)
        return {
            "trial": number,
            "task": trial.task,
            "cameraWords": clip.camera_words,
            "humanWords": clip.human_words if trial.task == "shoot" else "",
            "left": self._table.token(trial, trial.left),
            "right": self._table.token(trial, trial.right),
            "seconds": clip.seconds,
            "criteria": [{"name": it.name, "question": it.question} for it in CRITERIA[trial.task]],
            "played": _coverage_json(self._coverage(participant, number)),
        }

    def beat(self, asked: Mapping[str, Any]) -> dict[str, Any]:
        """Which stretches of both videos the browser has played so far."""
        participant = self._participant(asked)
        number, trial = self._next_trial(participant, asked)
        sides = _stretches(asked.get("left")), _stretches(asked.get("right"))
        opened_at = self._watch(participant, number)
        seconds = self._study.clip(trial.task, trial.clip).seconds
        covered = self._gate.beat(str(participant.number), number, sides, seconds)
        played = self._gate.played(str(participant.number), number)
        self._record.note_played(participant, number, opened_at, played)
        return _coverage_json(covered)

    def save(self, asked: Mapping[str, Any]) -> dict[str, Any]:
        """Append an answer; what comes back says that the disk has it."""
        participant = self._participant(asked)
        number = _trial_number(asked, len(self._study.sheets[participant.sheet]))
        trial = self._study.sheets[participant.sheet][number]
        given = _given_answer(asked, number, trial)
        if number in self._record.answered(participant):
            covered, opened_at = Coverage(1.0, 1.0), 0.0  # not written: it is there, or refused
        else:
            self._next_trial(participant, asked)
            opened_at = self._watch(participant, number)
            covered = self._coverage(participant, number)
            if not covered.is_enough:
                raise HttpError(
                    409,
                    f"Of the videos {covered.left:.0%} and {covered.right:.0%} have been played.",
                    f"Watch at least {NEEDED:.0%} of both.",
                )
        self._record.save(participant, given, opened_at, covered)
        return {"saved": given.id, **self._state(participant)}

    def _participant(self, asked: Mapping[str, Any]) -> Participant:
        participant = self._record.participant(_key_of(asked))
        if participant is None:
            raise HttpError(404, "This link belongs to no participant.", "Begin anew.")
        return participant

    def _next_trial(self, participant: Participant, asked: Mapping[str, Any]) -> tuple[int, Trial]:
        sheet = self._study.sheets[participant.sheet]
        number = _trial_number(asked, len(sheet))
        answered = self._record.answered(participant)
        if number in answered:
            raise AlreadyAnsweredError(
                "This comparison has been answered already.", "Go on with the next one."
            )
        if any(earlier not in answered for earlier in range(number)):
            raise HttpError(409, "Another comparison comes first.", "Reload the page.")
        return number, sheet[number]

    def _watch(self, participant: Participant, trial: int) -> float:
        """Make sure that the trial's clock runs; when it was opened first."""
        noted = self._record.noted(participant, trial)
        name = str(participant.number)
        if not self._gate.is_open(name, trial):
            self._gate.open(name, trial, None if noted is None else noted[1])
        if noted is not None:
            return noted[0]
        now = time.time()
        self._record.note_played(participant, trial, now, self._gate.played(name, trial))
        return now

    def _coverage(self, participant: Participant, number: int) -> Coverage:
        trial = self._study.sheets[participant.sheet][number]
        seconds = self._study.clip(trial.task, trial.clip).seconds
        return self._gate.coverage(str(participant.number), number, seconds)


def _coverage_json(covered: Coverage) -> dict[str, Any]:
    return {"left": covered.left, "right": covered.right, "isEnough": covered.is_enough}


def _key_of(asked: Mapping[str, Any]) -> str:
    key = asked.get("key")
    if not isinstance(key, str) or _KEY.fullmatch(key) is None:
        raise HttpError(400, "The link is incomplete.", "Use the whole link, or begin anew.")
    return key


def _trial_number(asked: Mapping[str, Any], trials: int) -> int:
    number = asked.get("trial")
    if not isinstance(number, int) or isinstance(number, bool) or not 0 <= number < trials:
        raise HttpError(400, "There is no such comparison.", "Reload the page.")
    return number


def _stretches(sent: Any) -> list[Stretch]:
    problem = HttpError(400, "What was played is unreadable.", "Send pairs of seconds.")
    if not isinstance(sent, list) or len(sent) > MOST_STRETCHES:
        raise problem
    stretches: list[Stretch] = []
    for pair in sent:
        if not isinstance(pair, list) or len(pair) != 2:
            raise problem
        start, end = pair
        if not all(isinstance(it, int | float) and abs(it) < 1e9 for it in (start, end)):
            raise problem  # NaN too: it is not smaller than anything
        stretches.append((float(start), float(end)))
    return stretches


def _given_answer(asked: Mapping[str, Any], number: int, trial: Trial) -> GivenAnswer:
    given, name, window = asked.get("responses"), asked.get("id"), asked.get("window")
    if not isinstance(name, str) or _KEY.fullmatch(name) is None:
        raise HttpError(400, "The answer has no id.", "Reload the page.")
    if not isinstance(window, str) or re.fullmatch(r"\d{1,5}x\d{1,5}", window) is None:
        raise HttpError(400, "The size of the window is unreadable.", "Reload the page.")
    wanted = criteria_names(trial.task)
    if not isinstance(given, dict) or set(given) != set(wanted):
        raise HttpError(400, "Some questions are not answered.", "Answer every one.")
    for value in given.values():
        if value is not None and (isinstance(value, bool) or value not in SCALE):
            raise HttpError(400, "An answer is not on the scale.", "Reload the page.")
    return GivenAnswer(name, number, {it: given[it] for it in wanted}, window)


Handler = Callable[[Mapping[str, Any]], dict[str, Any]]


def _posted(answer: Handler) -> Callable[[Request], Awaitable[Response]]:
    """A small JSON body in, JSON out; the work (and its wait for the disk) is done in a thread."""

    async def endpoint(request: Request) -> Response:
        kind = request.headers.get("content-type", "").split(";")[0].strip().lower()
        if kind != "application/json":
            raise HttpError(415, "The body is no JSON.", "Send application/json.")
        body = b""
        try:
            async with asyncio.timeout(BODY_SECONDS):
                async for piece in request.stream():
                    body += piece
                    if len(body) > MOST_BYTES:
                        raise HttpError(413, "The body is too large.", "Send less.")
        except TimeoutError:
            raise HttpError(408, "The body came too slowly.", "Send it faster.") from None
        return JSONResponse(await anyio.to_thread.run_sync(answer, read_json(body)))

    return endpoint


class StudyGuard:
    """Around the application: requests that name another host, and pages of other sites that post
    here, are refused; every answer carries safe headers. No address of anybody is looked at."""

    def __init__(self, app: ASGIApp, origins: frozenset[str]) -> None:
        self._app, self._origins = app, origins
        self._hosts = frozenset(urlsplit(origin).netloc for origin in origins)
        self._headers = {**SAFE_HEADERS, "content-security-policy": _PAGE_POLICY}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return

        async def send_safely(message: Message) -> None:
            if message["type"] == "http.response.start":
                message = with_headers(message, self._headers)
            await send(message)

        problem = self._refusal(Headers(scope=scope), scope["method"])
        if problem is not None:
            await error_response(problem)(scope, receive, send_safely)
        else:
            await self._app(scope, receive, send_safely)

    def _refusal(self, headers: Headers, method: str) -> HttpError | None:
        hosts, origin = headers.getlist("host"), headers.get("origin")
        if len(hosts) != 1 or hosts[0].lower() not in self._hosts:
            return HttpError(403, "The request names another host.", "Use the study's own address.")
        if origin is not None and origin.lower() not in self._origins:
            return HttpError(403, "The request comes from another site.", "Open the study itself.")
        # A link to the page may stand anywhere; only the page itself may post.
        site = headers.get("sec-fetch-site", "same-origin")
        if method != "GET" and site not in ("same-origin", "none"):
            return HttpError(403, "The request comes from another site.", "Open the study itself.")
        return None


async def _refused(_: Request, problem: Exception) -> Response:
    assert isinstance(problem, AesopError)
    if isinstance(problem, AlreadyAnsweredError):
        return JSONResponse({"error": {"text": str(problem), "isAnswered": True}}, 409)
    if isinstance(problem, HttpError):
        text = {"error": {"text": str(problem), "isAnswered": False}}
        return JSONResponse(text, problem.status)
    return error_response(problem)


async def _no_such_page(_: Request, problem: Exception) -> Response:
    assert isinstance(problem, HTTPException)
    text = json.dumps({"error": {"text": "There is nothing at this address.", "isAnswered": False}})
    return Response(text, problem.status_code, media_type="application/json")


async def _broken(_: Request, __: Exception) -> Response:
    """What it was, uvicorn prints."""
    text = "The server made a mistake. Your saved answers are safe; try again in a moment."
    return JSONResponse({"error": {"text": text, "isAnswered": False}}, 500)
