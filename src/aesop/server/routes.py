"""The endpoints: each reads a request, calls one function, and answers. One table of them makes the
routes, the OpenAPI document and the page."""

import asyncio
import json
import re
import shutil
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, TypeVar, get_args

import anyio
from starlette.requests import Request
from starlette.responses import FileResponse, JSONResponse, Response, StreamingResponse

from aesop.director.facts_filming import asked_in
from aesop.director.film_report import notes_on
from aesop.director.requests import check_words
from aesop.export.delivery import Delivery, World
from aesop.export.export_files import (
    CLIP_WRITERS,
    SHOT_WRITERS,
    clip_writer_for,
    refuse_keys,
    shot_writer_for,
)
from aesop.export.sweeps import write_sweep
from aesop.files.motion_files import ReadOptions
from aesop.files.shot_file import read_clip, read_shot
from aesop.server.api_page import vocabulary_json
from aesop.server.job_queue import JobQueue
from aesop.server.job_requests import HttpError, Verb, job_as_json, job_from_json, read_json
from aesop.server.server_folder import KeptJob, KeptMotion, ServerFolder, checked_name

MOST_JSON_BYTES = 64 * 2**10
UPLOAD_MB = 64
FORGOTTEN = 4  # times the limit is read of a body that is too large
# Files that are read or written at once, and how many more may wait for it.
AT_WORK, IN_LINE = 2, 128
LOOK_SECONDS, ALIVE_SECONDS = 0.1, 10.0
_MEDIA = {
    ".mp4": "video/mp4",
    ".png": "image/png",
    ".glb": "model/gltf-binary",
    ".json": "application/json",
}
DELIVERED = ("world", "fps", "keys")  # how an answer can be asked for
_ANSWER_FILE = re.compile(r"([1-9]\d{0,2})(\.[a-z0-9._]{1,20})")

Handler = Callable[[Request], Awaitable[Response]]
Done = TypeVar("Done")


@dataclass(frozen=True)
class Endpoint:
    """One thing that can be asked; `body` is a verb's record, "bytes", or nothing."""

    method: str
    path: str
    summary: str
    handler: Handler
    body: str | None = None
    query: tuple[str, ...] = ()


class FilmServer:
    """Everything behind the endpoints: the folder, the queue, and few hands for files."""

    def __init__(self, folder: ServerFolder, queue: JobQueue, upload_mb: int = UPLOAD_MB) -> None:
        self._folder, self.queue, self._upload_mb = folder, queue, upload_mb
        self._hands: anyio.CapacityLimiter | None = None
        self._drawing: dict[Path, asyncio.Lock] = {}

    def endpoints(self) -> tuple[Endpoint, ...]:
        reading = ("name", "fps", "units", "up", "loop")
        made = "such as 1.shot, 1.glb, 1.mp4, 1.json"
        return (
            Endpoint("GET", "/health", "Whether it works, and how much there is to do.",
                     self.health),
            Endpoint("GET", "/version", "The version of AESOP.", self.version),
            Endpoint("GET", "/vocabulary", "Camera words, limits and file formats.",
                     self.vocabulary),
            Endpoint("GET", "/asked", "What camera words ask for.", self.asked,
                     query=("words",)),
            Endpoint("POST", "/motions", "Upload a motion: its bytes are the body.", self.upload,
                     "bytes", reading),
            Endpoint("GET", "/motions/{motion}", "What was understood of a motion.", self.motion),
            Endpoint("GET", "/motions/{motion}/{file}",
                     "The motion in a format: motion.png, motion.bvh.", self.motion_file),
            Endpoint("DELETE", "/motions/{motion}", "Forget a motion.", self.forget_motion),
            *(
                Endpoint("POST", f"/{verb}", summary, partial(self.submit, verb), verb)
                for verb, summary in _VERBS.items()
            ),
            Endpoint("GET", "/jobs", "The newest jobs.", self.jobs),
            Endpoint("GET", "/jobs/{job}", "How far a job is, and what came out.", self.job),
            Endpoint("GET", "/jobs/{job}/events", "The same as server-sent events, to its end.",
                     self.events),
            Endpoint("POST", "/jobs/{job}/cancel", "Stop a job.", self.cancel),
            Endpoint("DELETE", "/jobs/{job}", "Stop and forget a job.", self.forget_job),
            Endpoint("GET", "/jobs/{job}/{file}",
                     f"An answer in a format, {made}; of a sweep also sheet.png and sheet.mp4.",
                     self.answer_file, query=DELIVERED),
        )  # fmt: skip

    async def health(self, request: Request) -> Response:
        facts = {"ok": True, "waiting": self.queue.waiting, "kept_bytes": self._folder.bytes}
        return JSONResponse(facts)

    async def version(self, request: Request) -> Response:
        from aesop import __version__

        return JSONResponse({"aesop": __version__})

    async def vocabulary(self, request: Request) -> Response:
        return JSONResponse(vocabulary_json())

    async def asked(self, request: Request) -> Response:
        words = request.query_params.get("words", "")[:1000]
        check_words(words, "camera")
        return JSONResponse(await self.by_hand(lambda: asked_json(words)))

    async def upload(self, request: Request) -> Response:
        return JSONResponse(motion_json(await self.received(request)), status_code=201)

    async def received(self, request: Request) -> KeptMotion:
        """The motion that is a request's body, read and kept."""
        given = dict(request.query_params)
        name, suffix = checked_name(given.pop("name", ""))
        options = read_options(given)
        check_type(request, "application/octet-stream")
        received = self._folder.incoming(suffix)
        try:
            limit = self._upload_mb * 2**20
            with received.open("wb") as file:
                async for piece in _pieces(request, limit, f"{self._upload_mb} MB"):
                    file.write(piece)
            return await self.by_hand(lambda: self._folder.add_motion(received, name, options))
        finally:
            shutil.rmtree(received.parent, ignore_errors=True)

    async def motion(self, request: Request) -> Response:
        return JSONResponse(motion_json(self._folder.motion(request.path_params["motion"])))

    async def forget_motion(self, request: Request) -> Response:
        self._folder.remove_motion(request.path_params["motion"])
        return Response(status_code=204)

    async def submit(self, verb: Verb, request: Request) -> Response:
        asked = job_from_json(verb, await json_body(request))
        job = await self.by_hand(lambda: self.queue.submit(asked))
        return JSONResponse(self._job_json(job), status_code=202)

    async def jobs(self, request: Request) -> Response:
        newest = self._folder.jobs()[:100]
        return JSONResponse({"jobs": [self._job_json(job) for job in newest]})

    async def job(self, request: Request) -> Response:
        return JSONResponse(self._job_json(self._folder.job(request.path_params["job"])))

    async def events(self, request: Request) -> Response:
        job = self._folder.job(request.path_params["job"])
        return StreamingResponse(self._told(job.id), media_type="text/event-stream")

    async def _told(self, job: str) -> AsyncIterator[str]:
        said, quiet_seconds = "", 0.0
        while True:
            now = self._folder.job(job)
            text = json.dumps(self._job_json(now))
            if text != said:
                said, quiet_seconds = text, 0.0
                yield f"data: {text}\n\n"
            elif quiet_seconds >= ALIVE_SECONDS:
                quiet_seconds = 0.0
                yield ": still there\n\n"  # finds out whether anybody still listens
            if now.ended:
                return
            await asyncio.sleep(LOOK_SECONDS)
            quiet_seconds += LOOK_SECONDS

    async def cancel(self, request: Request) -> Response:
        return JSONResponse(self._job_json(self.queue.cancel(request.path_params["job"])))

    async def forget_job(self, request: Request) -> Response:
        job = self.queue.cancel(request.path_params["job"])
        if job.state == "running":
            raise HttpError(409, "The job is being stopped.", "Forget it once it has ended.")
        self._folder.remove_job(job.id)
        return Response(status_code=204)

    async def motion_file(self, request: Request) -> Response:
        kept = self._folder.motion(request.path_params["motion"])
        suffix = suffix_among(
            CLIP_WRITERS, request.path_params["file"].removeprefix("motion"), "motion"
        )
        path = self._folder.motion_file(kept, f"as_written{suffix}")

        def write() -> None:
            clip_writer_for(path).write(self._folder.clip(kept.id), path, None)

        return await self.written(path, suffix, write)

    async def answer_file(self, request: Request) -> Response:
        job = self._folder.job(request.path_params["job"])
        if job.state != "done":
            raise HttpError(409, f"The job is {job.state}.", "Wait until it is done.")
        asked = request.path_params["file"]
        if job.request.verb == "sweep" and asked in ("sheet.png", "sheet.mp4"):
            return await self._sheet(job, asked)
        match = _ANSWER_FILE.fullmatch(asked)
        number = int(match[1]) if match else 0
        if match is None or not 1 <= number <= len(job.answers):
            known = f"1 to {len(job.answers)}, such as /jobs/{job.id}/1.json"
            raise HttpError(404, "The job has no such answer.", f"Answers are {known}.")
        is_clip = job.request.verb == "act"
        suffix = suffix_among(CLIP_WRITERS if is_clip else SHOT_WRITERS, match[2], "answer")
        saved = self._folder.answer_file(job, f"{number}{'.clip' if is_clip else '.shot'}")
        delivery = delivery_of(dict(request.query_params))
        if is_clip and delivery != Delivery():
            raise HttpError(400, "A motion has no camera to deliver.", "Leave the query away.")
        path = self._folder.answer_file(job, f"{number}{told_in_name(delivery)}{suffix}")
        if not is_clip:
            refuse_keys([path], delivery.keys)

        def write() -> None:
            if is_clip:
                clip_writer_for(path).write(read_clip(saved), path, None)
            else:
                shot_writer_for(path).write(read_shot(saved), path, None, delivery)

        return await self.written(path, suffix, write)

    async def _sheet(self, job: KeptJob, name: str) -> Response:
        """All shots of a sweep on one page; `name` is one of two that were compared above."""
        path = self._folder.answer_file(job, name)
        saved = [
            self._folder.answer_file(job, f"{number + 1}.shot")
            for number in range(len(job.answers))
        ]
        suffix = ".png" if name == "sheet.png" else ".mp4"

        def write() -> None:
            write_sweep([read_shot(one) for one in saved], path)

        return await self.written(path, suffix, write)

    async def written(self, path: Path, suffix: str, write: Callable[[], None]) -> Response:
        """A file that is made when it is first asked for, and only once."""
        lock = self._drawing.setdefault(path, asyncio.Lock())
        try:
            async with lock:
                if not path.exists():
                    await self.by_hand(write)
                    self._folder.grew(path)
        finally:
            if not lock.locked():
                self._drawing.pop(path, None)
        last = f".{suffix.rpartition('.')[2]}"  # of two, as in .depth.mp4
        media = _MEDIA.get(last, "application/octet-stream")
        shown = "inline" if last in (".mp4", ".png", ".json") else "attachment"
        return FileResponse(
            path, media_type=media, filename=path.name, content_disposition_type=shown
        )

    async def by_hand(self, work: Callable[[], Done]) -> Done:
        """In a thread, a few at once: files of strangers take memory while they are read."""
        if self._hands is None:
            self._hands = anyio.CapacityLimiter(AT_WORK)
        if self._hands.statistics().tasks_waiting >= IN_LINE:
            raise HttpError(503, "The server is busy.", "Try again in a few seconds.")
        return await anyio.to_thread.run_sync(work, limiter=self._hands)

    def _job_json(self, job: KeptJob) -> dict[str, Any]:
        writers = CLIP_WRITERS if job.request.verb == "act" else SHOT_WRITERS
        return {
            "id": job.id,
            "verb": job.request.verb,
            "state": job.state,
            "place": self.queue.place(job.id),
            "done": job.done,
            "total": job.total,
            "error": job.error,
            "answers": job.answers,
            "formats": [writer.suffix for writer in writers],
            "request": job_as_json(job.request),
        }


_VERBS: dict[Verb, str] = {
    "film": "Make a camera for a motion.",
    "shoot": "Make a motion and a camera for it from words.",
    "act": "Make a motion from words.",
    "sweep": "Film a motion at several intensities.",
}


def motion_json(kept: KeptMotion) -> dict[str, Any]:
    return {"id": kept.id, "name": kept.name, **kept.understood}


def read_options(given: dict[str, str]) -> ReadOptions:
    """What a sender knows about a file, from the query."""
    unknown = given.keys() - {"fps", "units", "up", "loop"}
    if unknown:
        shown = sorted(unknown)[0][:40]
        raise HttpError(400, f"There is no option {shown!r}.", "Options: fps, units, up, loop.")
    rate, units, up = _rate(given.get("fps")), given.get("units"), given.get("up")
    if units not in (None, "m", "cm", "mm", "inch", "cmu"):
        raise HttpError(400, f"There is no unit {units!r:.40}.", "Units: m, cm, mm, inch, cmu.")
    if up not in (None, "y", "z"):
        raise HttpError(400, f"There is no up axis {up!r:.40}.", "Choose y or z.")
    loop = given.get("loop")
    if loop is not None and re.fullmatch(r"[0-9]{1,4}", loop) is None:
        raise HttpError(400, f"The option loop is {loop!r:.40}.", "Give a whole number.")
    times = None if loop is None else int(loop)
    return ReadOptions(rate, units, up, times)  # pyright: ignore[reportArgumentType]


def _rate(fps: str | None) -> float | None:
    try:
        return None if fps is None else float(fps)
    except ValueError:
        raise HttpError(
            400, f"The rate {fps!r:.40} is no number.", "Give fps as a number."
        ) from None


def delivery_of(given: dict[str, str]) -> Delivery:
    """How an answer is to be written, from the query."""
    unknown = given.keys() - set(DELIVERED)
    if unknown:
        shown = sorted(unknown)[0][:40]
        known = ", ".join(DELIVERED)
        raise HttpError(400, f"There is no option {shown!r}.", f"Options: {known}.")
    world, keys = given.get("world", "source"), given.get("keys", "false")
    if world not in get_args(World):
        raise HttpError(400, f"There is no world {world!r:.40}.", "Choose source or aesop.")
    if keys not in ("true", "false"):
        raise HttpError(400, f"The option keys is {keys!r:.40}.", "Give true or false.")
    fps = _rate(given.get("fps"))
    return Delivery(world, fps, keys == "true")  # pyright: ignore[reportArgumentType]


def told_in_name(delivery: Delivery) -> str:
    """What tells files of one answer apart; numbers within bounds, so no path from a request."""
    parts = [".aesop"] if delivery.world == "aesop" else []
    parts += [] if delivery.fps is None else [f".{delivery.fps!r}fps"]
    return "".join([*parts, ".keys" if delivery.keys else ""])


def asked_json(words: str) -> dict[str, Any]:
    """What filming understands of camera words, and what it would say of them afterwards."""
    asked = asked_in(words)
    text = None if asked is None else asked.text
    return {"words": words, "asked": text, "notes": list(notes_on(words))}


def suffix_among(writers: tuple[Any, ...], asked: str, what: str) -> str:
    """The suffix of ours that equals what was asked for."""
    for writer in writers:
        if writer.suffix == asked:
            return writer.suffix
    known = ", ".join(writer.suffix for writer in writers)
    raise HttpError(404, f"The {what} has no such format.", f"Formats: {known}.")


async def json_body(request: Request) -> dict[str, Any]:
    """The one object that a request's body is."""
    check_type(request, "application/json")
    pieces = _pieces(request, MOST_JSON_BYTES, f"{MOST_JSON_BYTES // 2**10} KB")
    return read_json(b"".join([piece async for piece in pieces]))


def check_type(request: Request, wanted: str) -> None:
    given = request.headers.get("content-type", "").split(";")[0].strip().lower()
    if given != wanted:
        raise HttpError(415, f"The body has the type {given[:60]!r}.", f"Send {wanted}.")


async def _pieces(request: Request, limit: int, shown: str) -> AsyncIterator[bytes]:
    """The body as it comes, never more than allowed. Of a body that is somewhat too large the rest
    is read and forgotten: most clients see an answer only after all has been sent."""
    too_large = HttpError(413, f"The body is larger than {shown}.", "Send less.")
    length = request.headers.get("content-length", "0")
    if length.isdecimal() and int(length[:20]) > FORGOTTEN * limit:
        raise too_large
    come = 0
    async for piece in request.stream():
        come += len(piece)
        if come > FORGOTTEN * limit:
            raise too_large
        if come <= limit:
            yield piece
    if come > limit:
        raise too_large
