"""What the studio's page can ask beyond `aesop serve`: its own files, the project, takes, the
arrays of the stage, and a stream that says when something has changed."""

import asyncio
import json
from collections.abc import AsyncIterator, Callable, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Annotated, Any

from starlette.requests import Request
from starlette.responses import FileResponse, JSONResponse, Response, StreamingResponse
from starlette.routing import Route

from aesop.camera_words.attributes import ATTRIBUTES, VOCABULARY
from aesop.director.requests import LONGEST_SECONDS, USUAL_INTENSITIES, check_words
from aesop.export.export_files import SHOT_WRITERS, refuse_keys, shot_writer_for
from aesop.files.motion_files import READERS
from aesop.files.shot_file import read_shot
from aesop.preview.canvas import fit_aspect
from aesop.preview.drawing import STILL, lens_picture
from aesop.preview.sheets import write_picture
from aesop.preview.stage import stage_of
from aesop.scene.intensity_curve import Intensity, IntensityCurve
from aesop.scene.shot import SHORTEST_SECONDS, Shot
from aesop.server.job_requests import HttpError, record_from_json
from aesop.server.routes import (
    FilmServer,
    delivery_of,
    json_body,
    suffix_among,
    told_in_name,
)
from aesop.server.server_folder import ServerFolder
from aesop.server.serving import Annex
from aesop.studio.motion_routes import MotionRoutes, quickly
from aesop.studio.stage_arrays import MEDIA, cameras_packed
from aesop.studio.studio_project import (
    LONGEST_NAME,
    MotionState,
    StudioProject,
    StudioTake,
    intensity_label,
)
from aesop.studio.take_desk import TakeDesk, TakeRequest, export_name
from aesop.studio.take_facts import understood

PAGE = Path(__file__).with_name("page")
# The page's own files; nothing else under that folder is ever sent.
PAGE_FILES = {
    "/": ("index.html", "text/html; charset=utf-8"),
    "/studio.js": ("studio.js", "text/javascript; charset=utf-8"),
    "/studio.css": ("studio.css", "text/css; charset=utf-8"),
    "/inter.woff2": ("inter.woff2", "font/woff2"),
    "/icon.svg": ("icon.svg", "image/svg+xml"),
    "/licences.txt": ("licences.txt", "text/plain; charset=utf-8"),
}
# Scripts of our own file alone; pictures that the page itself has received as bytes.
PAGE_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob:; "
    "font-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; "
    "frame-ancestors 'none'"
)
THUMB_PX = (320, 180)
LOOK_SECONDS, ALIVE_SECONDS = 0.1, 10.0


@dataclass(frozen=True, kw_only=True)
class TakeChange:
    """What can be changed about a take."""

    name: Annotated[str | None, "What it is called."] = None
    starred: Annotated[bool | None, "Whether it is among the best."] = None
    removed: Annotated[bool | None, "Whether it is gone from the strip."] = None
    intensity: Annotated[Intensity | None, "How far its camera travels; a curve over time."] = None


class StudioRoutes:
    """Everything behind the page."""

    def __init__(self, project: StudioProject, folder: ServerFolder, server: FilmServer) -> None:
        self._project, self._folder, self._server = project, folder, server
        self.desk = TakeDesk(project, folder, server.queue)
        self._motions = MotionRoutes(project, folder, server, self.desk)

    def annex(self, begin: Callable[[], None]) -> Annex:
        """What is added to the server; `begin` runs once the project is open."""

        def opened() -> None:
            self._project.begin()
            self.desk.tidy()
            begin()

        pages = [Route(path, self.page_file) for path in PAGE_FILES]
        return Annex(
            (*pages, *self._motions.routes(), *self._routes()),
            frozenset(PAGE_FILES),
            self.desk,
            opened,
            self._project.close,
        )

    def _routes(self) -> list[Route]:
        get, post = ["GET"], ["POST"]
        return [
            Route("/studio/project", self.project, methods=get),
            Route("/studio/events", self.events, methods=get),
            Route("/studio/words", self.words, methods=get),
            Route("/studio/understood", self.understood, methods=get),
            Route("/studio/takes", self.film, methods=post),
            Route("/studio/takes/{take}", self.change, methods=post),
            Route("/studio/takes/{take}/fan", self.fan, methods=post),
            Route("/studio/takes/{take}/cameras", self.cameras, methods=get),
            Route("/studio/takes/{take}/thumb.png", self.thumb, methods=get),
            Route("/studio/takes/{take}/command", self.command, methods=get),
            Route("/studio/takes/{take}/export/{file}", self.export, methods=get),
            Route("/studio/undo", self.undo, methods=post),
            Route("/studio/redo", self.redo, methods=post),
        ]

    async def page_file(self, request: Request) -> Response:
        name, media = PAGE_FILES[request.url.path]
        headers = {"content-security-policy": PAGE_POLICY}
        return FileResponse(PAGE / name, media_type=media, headers=headers)

    # The project

    async def project(self, request: Request) -> Response:
        return JSONResponse(await quickly(self._project_json))

    def _project_json(self) -> dict[str, Any]:
        with self._project.undivided():
            return self._undivided_json()

    def _undivided_json(self) -> dict[str, Any]:
        people, undo_redo = self._project.people(), self._project.next_labels()
        keys, states = self._project.key_lists(), self._project.motion_states()
        gone = {name for name, state in states.items() if state.removed}
        motions = [
            self._motions.told(kept, people, states.get(kept.id, MotionState()))
            for kept in self._folder.motions()
            if kept.id not in gone
        ]
        takes = [self._take_json(take, keys) for take in self._project.takes()]
        for take in takes:  # a motion that is gone takes its takes along
            take["removed"] |= take["motion"] in gone
        return {
            "version": self._project.version,
            "name": self._project.folder.resolve().name,
            "motions": motions,
            "takes": takes,
            "undo": undo_redo[0],
            "redo": undo_redo[1],
            "mistakes": self.desk.mistakes,
        }

    def _take_json(
        self, take: StudioTake, all_keys: Mapping[str, Any] | None = None
    ) -> dict[str, Any]:
        shots = self._project.shots(take.id)
        known = self._project.key_lists() if all_keys is None else all_keys
        keys, parts = known.get(take.id, ((), ()))
        return {
            "id": take.id,
            "number": take.number,
            "motion": take.motion,
            "words": take.words,
            "method": take.method,
            "aspect": take.aspect,
            "lens_mm": take.lens_mm,
            "preset": take.preset,
            "seed": take.seed,
            "take": take.take,
            "intensity": take.intensity,
            "name": take.name,
            "starred": take.starred,
            "removed": take.removed,
            "state": take.state,
            "error": take.error,
            "curve": None if take.curve is None else IntensityCurve.from_text(take.curve).points,
            "keys": keys,
            "kept": [{"start": part["start"], "stop": part["stop"]} for part in parts],
            "intensities": list(shots),
            "facts": self._project.facts(take),
        }

    async def events(self, request: Request) -> Response:
        return StreamingResponse(self._told(), media_type="text/event-stream")

    async def _told(self) -> AsyncIterator[str]:
        said, quiet_seconds = "", 0.0
        while True:
            text = json.dumps({"version": self._project.version, "jobs": self._jobs_json()})
            if text != said:
                said, quiet_seconds = text, 0.0
                yield f"data: {text}\n\n"
            elif quiet_seconds >= ALIVE_SECONDS:
                quiet_seconds = 0.0
                yield ": still there\n\n"
            await asyncio.sleep(LOOK_SECONDS)
            quiet_seconds += LOOK_SECONDS

    def _jobs_json(self) -> list[dict[str, Any]]:
        """What is being made, and what waits."""
        told: list[dict[str, Any]] = []
        for name, note in self._project.jobs().items():
            try:
                job = self._folder.job(name)
            except HttpError:  # it ended between the two looks
                continue
            share = job.done / job.total if job.total else 0.0
            told.append(
                {"id": name, "kind": note.kind, "subject": note.subject, "state": job.state,
                 "share": round(share, 2)}
            )  # fmt: skip
        return told

    async def undo(self, request: Request) -> Response:
        return JSONResponse({"label": await quickly(lambda: self._turned(self._project.undo))})

    async def redo(self, request: Request) -> Response:
        return JSONResponse({"label": await quickly(lambda: self._turned(self._project.redo))})

    def _turned(self, back_or_on: Callable[[], str | None]) -> str | None:
        label = back_or_on()
        self.desk.catch_up()
        return label

    # Words and people

    async def words(self, request: Request) -> Response:
        return JSONResponse({**vocabulary_and_limits(), "presets": self.desk.presets})

    async def understood(self, request: Request) -> Response:
        words = request.query_params.get("words", "")[:1000]
        check_words(words, "camera")
        return JSONResponse(await quickly(lambda: understood(words)))

    # Takes

    async def film(self, request: Request) -> Response:
        asked = record_from_json(TakeRequest, "takes", await json_body(request))
        takes = await quickly(lambda: self.desk.film(asked))
        return JSONResponse({"takes": [self._take_json(take) for take in takes]}, status_code=202)

    def _asked_take(self, request: Request) -> StudioTake:
        return self._project.take(request.path_params["take"])

    async def change(self, request: Request) -> Response:
        take = self._asked_take(request)
        asked = record_from_json(TakeChange, "take", await json_body(request))
        if asked.name is not None and (
            len(asked.name) > LONGEST_NAME or not asked.name.isprintable()
        ):
            raise HttpError(400, "The name is long or unprintable.", "Give a short one.")

        def write() -> bool:
            for label in ("name", "starred", "removed"):
                value = getattr(asked, label)
                if value is not None:
                    self._project.change(label, take.id, {label: value})
            return asked.intensity is None or self.desk.turn(take, asked.intensity)

        is_there = await quickly(write)
        now = self._take_json(self._project.take(take.id))
        return JSONResponse({**now, "is_filmed": is_there})

    async def fan(self, request: Request) -> Response:
        take = self._asked_take(request)
        jobs = await quickly(lambda: self.desk.spread(take))
        return JSONResponse({"jobs": jobs}, status_code=202)

    async def cameras(self, request: Request) -> Response:
        take = self._asked_take(request)

        def pack() -> bytes:
            facts = self._project.shots(take.id)
            if not facts:
                raise HttpError(409, "The take is not filmed yet.", "Wait until it is.")
            shots = [self.desk.shot(take, intensity) for intensity in facts]
            told = {
                "take": take.id,
                "fps": shots[0].fps,
                "aspect": shots[0].camera.aspect,
                "facts": list(facts.values()),
                "curve": None,
            }
            over_time = None
            if take.curve is not None and self._project.facts(take) is not None:
                over_time = self.desk.shot(take).camera
                told["curve"] = IntensityCurve.from_text(take.curve).points
            return cameras_packed(told, list(facts), [shot.camera for shot in shots], over_time)

        return Response(await self._server.by_hand(pack), media_type=MEDIA)

    async def thumb(self, request: Request) -> Response:
        take = self._asked_take(request)
        shot = self.desk.shot_path(take)
        path = shot.with_suffix(".png")
        return await self._server.written(path, ".png", lambda: write_thumb(read_shot(shot), path))

    async def command(self, request: Request) -> Response:
        take = self._asked_take(request)
        suffix = request.query_params.get("suffix", ".shot")
        known = suffix_among(SHOT_WRITERS, suffix, "take")
        return JSONResponse({"command": self.desk.command(take, known)})

    async def export(self, request: Request) -> Response:
        take = self._asked_take(request)
        asked = request.path_params["file"].removeprefix("shot")
        suffix = suffix_among(SHOT_WRITERS, asked, "take")
        delivery = delivery_of(dict(request.query_params))
        shot = self.desk.shot_path(take)
        folder = shot.parent / "exports"
        label = intensity_label(take.turned_to)
        name = f"{export_name(take, self._folder.motion(take.motion))}_{label}"
        path = folder / f"{name}{told_in_name(delivery)}{suffix}"
        refuse_keys([path], delivery.keys)

        def write() -> None:
            folder.mkdir(exist_ok=True)
            shot_writer_for(path).write(read_shot(shot), path, None, delivery)

        if suffix == ".shot":
            return await self._server.written(shot, suffix, lambda: None)
        return await self._server.written(path, suffix, write)


@cache
def vocabulary_and_limits() -> dict[str, Any]:
    """The vocabulary of camera words, and what can be asked for."""
    return {
        "vocabulary": [
            {
                "attribute": attribute,
                "values": [
                    {"value": one.value, "definition": one.definition}
                    for one in VOCABULARY
                    if one.attribute == attribute
                ],
            }
            for attribute in ATTRIBUTES
        ],
        "intensity": USUAL_INTENSITIES,
        "seconds": [SHORTEST_SECONDS, LONGEST_SECONDS],
        "reads": [{"suffix": one.suffix, "holds": one.holds} for one in READERS],
        "writes": [
            {"suffix": one.suffix, "holds": one.holds, "has_keys": one.put_keys is not None}
            for one in SHOT_WRITERS
        ],
    }


def write_thumb(shot: Shot, path: Path) -> None:
    """The middle of a shot through its lens."""
    size = fit_aspect(shot.camera.aspect, THUMB_PX)
    write_picture(lens_picture(stage_of(shot), shot.frames // 2, size, STILL), path)
