"""What the page asks about motions and people: the gallery, files that are dropped, people from
words, parts, and what of them stands on the stage."""

from collections.abc import Callable
from dataclasses import asdict, dataclass
from functools import cache
from typing import Annotated, Any, TypeVar

import anyio
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from aesop.core.errors import AesopError
from aesop.director.asked_actions import asked_actions
from aesop.director.requests import check_words
from aesop.files.gltf_skin import SUFFIXES as MESH_SUFFIXES
from aesop.files.gltf_skin import read_character_mesh
from aesop.server.job_requests import HttpError, record_from_json
from aesop.server.routes import FilmServer, json_body, motion_json
from aesop.server.server_folder import KeptMotion, ServerFolder
from aesop.studio.motion_gallery import GALLERY, gallery_motion, little_picture
from aesop.studio.person_events import person_events
from aesop.studio.stage_arrays import MEDIA, clip_packed, figure_packed, mannequin_packed
from aesop.studio.studio_project import MotionState, StudioProject
from aesop.studio.take_desk import TakeDesk

Done = TypeVar("Done")


@dataclass(frozen=True, kw_only=True)
class PersonRequest:
    """A person from words."""

    words: Annotated[str, "What the person does."]
    seconds: Annotated[float, "Length, 1 to 12."] = 6.0
    seed: Annotated[int | None, "Another seed makes another person."] = None


@dataclass(frozen=True, kw_only=True)
class CutRequest:
    """A part of a motion."""

    start_s: Annotated[float, "Where it begins."]
    stop_s: Annotated[float, "Where it ends."]


@dataclass(frozen=True, kw_only=True)
class MotionChange:
    """What can be changed about a motion."""

    removed: Annotated[bool | None, "Whether it is gone from the list, its takes with it."] = None
    part: Annotated[tuple[float, ...] | None, "In and out point in seconds; none: all of it."] = (
        None
    )


@dataclass(frozen=True, kw_only=True)
class GalleryRequest:
    """A motion of the gallery."""

    name: Annotated[str, "Which one."]


class MotionRoutes:
    """Everything about motions that the page can ask."""

    def __init__(
        self, project: StudioProject, folder: ServerFolder, server: FilmServer, desk: TakeDesk
    ) -> None:
        self._project, self._folder, self._server = project, folder, server
        self.desk = desk

    def routes(self) -> list[Route]:
        get, post = ["GET"], ["POST"]
        return [
            Route("/motions", self.upload, methods=post),
            Route("/studio/mannequin", self.mannequin, methods=get),
            Route("/studio/gallery", self.gallery, methods=get),
            Route("/studio/gallery", self.from_gallery, methods=post),
            Route("/studio/people", self.act, methods=post),
            Route("/studio/people/asked", self.asked, methods=get),
            Route("/studio/motions/{motion}", self.change_motion, methods=post),
            Route("/studio/motions/{motion}/joints", self.joints, methods=get),
            Route("/studio/motions/{motion}/figure", self.figure, methods=get),
            Route("/studio/motions/{motion}/cut", self.cut, methods=post),
        ]

    def told(self, kept: KeptMotion, people: dict[str, Any], state: MotionState) -> dict[str, Any]:
        return {
            **motion_json(kept),
            "origin": people.get(kept.id, {"kind": "file"}),
            "number": kept.number,
            "part": None if state.start_s is None else [state.start_s, state.stop_s],
        }

    async def asked(self, request: Request) -> Response:
        """What words about a person ask for, before anybody is made."""
        words = request.query_params.get("words", "")[:1000]
        check_words(words, "human")
        actions = [{"asked": one.name, "right": None} for one in asked_actions(words)]
        return JSONResponse({"words": words, "checks": actions})

    async def mannequin(self, request: Request) -> Response:
        return Response(await self._server.by_hand(_mannequin), media_type=MEDIA)

    async def gallery(self, request: Request) -> Response:
        return JSONResponse(await self._server.by_hand(_gallery_json))

    async def from_gallery(self, request: Request) -> Response:
        asked = record_from_json(GalleryRequest, "gallery", await json_body(request))
        one = gallery_motion(asked.name)
        kept = await self._server.by_hand(lambda: self.desk.add_from_gallery(one))
        return JSONResponse(motion_json(kept), status_code=201)

    async def act(self, request: Request) -> Response:
        asked = record_from_json(PersonRequest, "people", await json_body(request))
        job = await self._server.by_hand(
            lambda: self.desk.act(asked.words, asked.seconds, asked.seed)
        )
        return JSONResponse({"job": job}, status_code=202)

    async def upload(self, request: Request) -> Response:
        """As the server's own, and it can be undone."""
        kept = await self._server.received(request)
        await quickly(lambda: self._project.add_motion(kept.id, "open motion"))
        return JSONResponse(motion_json(kept), status_code=201)

    async def change_motion(self, request: Request) -> Response:
        kept = self._folder.motion(request.path_params["motion"])
        asked = record_from_json(MotionChange, "motion", await json_body(request))

        def write() -> None:
            if asked.part is not None:
                self._project.change_motion("in and out", kept.id, part_of(asked.part, kept))
            if asked.removed is not None:
                label = "remove motion" if asked.removed else "open motion"
                self._project.change_motion(label, kept.id, {"removed": asked.removed})
                self.desk.give_up_films()

        await quickly(write)
        state = self._project.motion_states().get(kept.id, MotionState())
        return JSONResponse(self.told(kept, self._project.people(), state))

    async def joints(self, request: Request) -> Response:
        kept = self._folder.motion(request.path_params["motion"])

        def pack() -> bytes:
            clip = self._folder.clip(kept.id)
            has_skeleton = clip.source is not None and clip.source.armature is not None
            mesh_file = self.desk.file_behind(kept).suffix in MESH_SUFFIXES
            own = ("mesh" if mesh_file else "bones") if has_skeleton else None
            events = [asdict(event) for event in person_events(clip.motion)]
            return clip_packed(clip, {"motion": kept.id, "own": own, "events": events})

        return Response(await self._server.by_hand(pack), media_type=MEDIA)

    async def figure(self, request: Request) -> Response:
        """The skeleton of the motion's file, and its mesh where that can be read."""
        kept = self._folder.motion(request.path_params["motion"])

        def pack() -> bytes:
            clip = self._folder.clip(kept.id)
            armature = None if clip.source is None else clip.source.armature
            if armature is None:
                raise HttpError(404, "The file of this motion has no skeleton.", "Look at ours.")
            behind, mesh, why_not = self.desk.file_behind(kept), None, None
            path = self._folder.motion_file(behind, f"motion{behind.suffix}")
            if behind.suffix in MESH_SUFFIXES:
                try:
                    mesh = read_character_mesh(path, armature)
                except AesopError as problem:
                    why_not = str(problem).replace(str(path), behind.name)
            return figure_packed(clip, mesh, {"motion": kept.id, "why_no_mesh": why_not})

        return Response(await self._server.by_hand(pack), media_type=MEDIA)

    async def cut(self, request: Request) -> Response:
        asked = record_from_json(CutRequest, "cut", await json_body(request))
        motion = self._folder.motion(request.path_params["motion"]).id
        kept = await self._server.by_hand(
            lambda: self.desk.cut(motion, asked.start_s, asked.stop_s)
        )
        return JSONResponse(motion_json(kept), status_code=201)


def part_of(part: tuple[float, ...], kept: KeptMotion) -> dict[str, float | None]:
    """In and out point as a motion's fields; all of it where none are given."""
    if not part:
        return {"start_s": None, "stop_s": None}
    if len(part) != 2 or not 0 <= part[0] < part[1] <= kept.understood["seconds"]:
        raise HttpError(
            400,
            f"The part {list(part[:4])} is none of this motion.",
            f"Give its begin and end in seconds, between 0 and {kept.understood['seconds']:.2f}.",
        )
    return {"start_s": round(part[0], 4), "stop_s": round(part[1], 4)}


async def quickly(work: Callable[[], Done]) -> Done:
    """In a thread that waits for no drawing and no file of a stranger: somebody holds a slider."""
    return await anyio.to_thread.run_sync(work)


@cache
def _mannequin() -> bytes:
    return mannequin_packed()


@cache
def _gallery_json() -> dict[str, Any]:
    return {
        "motions": [
            {"name": one.name, "label": one.label, "seconds": one.seconds,
             "picture": little_picture(one)}
            for one in GALLERY
        ]
    }  # fmt: skip
