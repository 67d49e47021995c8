"""AESOP in Blender: select an armature, type what the camera does, and an animated camera films it.

No network runs inside Blender: it talks to `aesop serve`, which it can start.
"""

import atexit
from typing import Any

import bpy  # pyright: ignore[reportMissingImports]

from .armature_bvh import NoMotionError, bvh_text
from .camera_takes import TAKE, selected_take, set_takes, takes_of, use_take
from .film_client import FilmClient, OwnServer, ServerError

LOOK_SECONDS = 0.1
PAUSE_SECONDS = 0.4  # after the last change of the slider, before it is filmed again
OWN = OwnServer()


def preferences() -> "AESOP_AP_preferences":
    return bpy.context.preferences.addons[__package__].preferences


def client() -> FilmClient:
    """Our own server if it runs, else the one that the preferences name."""
    chosen = preferences()
    return FilmClient(OWN.address if OWN.runs else chosen.address, chosen.token)


def person_of(context: bpy.types.Context) -> bpy.types.Object | None:
    """The armature that is meant: the active one, or that of the active mesh."""
    active = context.active_object
    if active is not None and active.type != "ARMATURE":
        active = active.find_armature()
    return active


def asked_of(settings: "AesopSettings", motion: str) -> dict[str, object]:
    """What the panel says, as the server wants it."""
    asked = {
        "motion": motion,
        "words": settings.words,
        "intensity": round(settings.intensity, 4),
        "takes": settings.takes,
        "method": settings.method,
    }
    return asked | ({"seed": settings.seed} if settings.seed >= 0 else {})


def aspect_of(render: bpy.types.RenderSettings) -> float:
    """Of the picture that will be rendered: the framing is judged in it."""
    width = render.resolution_x * render.pixel_aspect_x
    return width / (render.resolution_y * render.pixel_aspect_y)


class AESOP_AP_preferences(bpy.types.AddonPreferences):  # noqa: N801 - Blender's names
    bl_idname = __package__
    address: bpy.props.StringProperty(
        name="Address", default="http://127.0.0.1:8765", description="Of aesop serve"
    )
    command: bpy.props.StringProperty(
        name="Command", default="aesop", subtype="FILE_PATH", description="Starts a server"
    )
    token: bpy.props.StringProperty(
        name="Token", subtype="PASSWORD", description="For a server that is not on this machine"
    )

    def draw(self, context: bpy.types.Context) -> None:
        for name in ("address", "command", "token"):
            self.layout.prop(self, name)


class AesopSettings(bpy.types.PropertyGroup):
    """What the panel holds; saved with the scene."""

    words: bpy.props.StringProperty(
        name="Words", default="the camera pushes in", description="What the camera does"
    )
    intensity: bpy.props.FloatProperty(
        name="Intensity", default=1.0, min=0.05, max=1.95, soft_min=0.5, soft_max=1.5, step=5,
        description="How far the camera travels", update=lambda self, _: film_again_soon(self),
    )  # fmt: skip
    takes: bpy.props.IntProperty(
        name="Takes", default=1, min=1, max=32, description="Several cameras to choose from"
    )
    seed: bpy.props.IntProperty(
        name="Seed", default=-1, min=-1, description="-1: the one that belongs to motion and words"
    )
    method: bpy.props.EnumProperty(
        name="Method",
        items=[
            ("model", "Model", "The network"),
            ("operator", "Operator", "The rule-based cinematographer"),
            ("auto", "Auto", "The operator where the model loses the person"),
        ],
    )
    live: bpy.props.BoolProperty(
        name="Film while dragging", default=True, description="When the intensity changes"
    )
    message: bpy.props.StringProperty()
    first: bpy.props.IntProperty()
    motion: bpy.props.StringProperty()
    person: bpy.props.StringProperty()


class Filming:
    """One film on its way, in steps that never wait."""

    def __init__(self, context: bpy.types.Context, is_new: bool) -> None:
        scene, settings = context.scene, context.scene.aesop
        self.client = client()
        if is_new or not settings.motion:
            person = person_of(context)
            if person is None:
                raise NoMotionError("No armature is selected. Select the one to be filmed.")
            text = bvh_text(person, scene, scene.frame_start, scene.frame_end)
            settings.motion = self.client.upload("motion", text)
            settings.person, settings.first = person.name, scene.frame_start
        asked = asked_of(settings, settings.motion)
        self.job = self.client.film(asked | {"aspect": aspect_of(scene.render)})

    def look(self) -> dict[str, Any]:
        """What the server says now; raises what the film failed with."""
        now = self.client.job(self.job)
        if now["state"] in ("failed", "cancelled"):
            raise ServerError((now["error"] or {"text": "The film was cancelled."})["text"])
        return now

    def place(self, scene: bpy.types.Scene, now: dict[str, Any]) -> None:
        """Put what came into the scene."""
        settings = scene.aesop
        used = next(
            (one[TAKE] for one in takes_of(scene, settings.person) if one == scene.camera), 1
        )
        count = len(now["answers"])
        cameras = [self.client.camera(self.job, number + 1) for number in range(count)]
        set_takes(scene, settings.person, cameras, settings.first)
        use_take(scene, settings.person, min(used, count), settings.first)
        facts = now["answers"][min(used, count) - 1]
        settings.message = f"{facts['made']}, {facts['travel_m']:.2f} m"


class AESOP_OT_film(bpy.types.Operator):  # noqa: N801
    """Film the selected armature as the words say"""

    bl_idname, bl_label = "aesop.film", "Film"
    bl_options = {"REGISTER", "UNDO"}  # noqa: RUF012 - Blender's way
    again: bpy.props.BoolProperty(options={"HIDDEN", "SKIP_SAVE"})

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        return person_of(context) is not None or bool(context.scene.aesop.motion)

    def execute(self, context: bpy.types.Context) -> set[str]:
        """Wait for the film: scripts and background renders."""
        try:
            filming = Filming(context, is_new=not self.again)
            filming.place(context.scene, filming.client.wait(filming.job))
        except (NoMotionError, ServerError) as problem:
            return self._refused(context, problem)
        return {"FINISHED"}

    def invoke(self, context: bpy.types.Context, event: bpy.types.Event) -> set[str]:
        """Film beside the user's work."""
        try:
            self._filming = Filming(context, is_new=not self.again)
        except (NoMotionError, ServerError) as problem:
            return self._refused(context, problem)
        self._timer = context.window_manager.event_timer_add(LOOK_SECONDS, window=context.window)
        context.window_manager.modal_handler_add(self)
        return {"RUNNING_MODAL"}

    def modal(self, context: bpy.types.Context, event: bpy.types.Event) -> set[str]:
        if event.type == "ESC":
            self._end(context)
            try:
                self._filming.client.cancel(self._filming.job)
            except ServerError as problem:
                return self._refused(context, problem)
            context.scene.aesop.message = "cancelled"
            return {"CANCELLED"}
        if event.type != "TIMER":
            return {"PASS_THROUGH"}
        try:
            now = self._filming.look()
            if now["state"] != "done":
                waits = now["place"] is not None
                place = f"waiting, place {now['place'] + 1}" if waits else "filming"
                context.scene.aesop.message = f"{place} … (Esc cancels)"
                return {"RUNNING_MODAL"}
            self._filming.place(context.scene, now)
        except ServerError as problem:
            self._end(context)
            return self._refused(context, problem)
        self._end(context)
        return {"FINISHED"}

    def _end(self, context: bpy.types.Context) -> None:
        context.window_manager.event_timer_remove(self._timer)

    def _refused(self, context: bpy.types.Context, problem: Exception) -> set[str]:
        context.scene.aesop.message = str(problem)
        self.report({"ERROR"}, str(problem))
        return {"CANCELLED"}


class AESOP_OT_use_take(bpy.types.Operator):  # noqa: N801
    """Look through a take: the one whose marker is selected, or the one that is named"""

    bl_idname, bl_label = "aesop.use_take", "Use take"
    bl_options = {"REGISTER", "UNDO"}  # noqa: RUF012
    take: bpy.props.IntProperty(default=0, min=0, description="0: the selected marker's")

    def execute(self, context: bpy.types.Context) -> set[str]:
        scene, settings = context.scene, context.scene.aesop
        take = self.take or selected_take(scene, settings.person)
        if take not in {one[TAKE] for one in takes_of(scene, settings.person)}:
            self.report({"ERROR"}, "No take is meant. Select the marker of one.")
            return {"CANCELLED"}
        use_take(scene, settings.person, take, settings.first)
        return {"FINISHED"}


class AESOP_OT_server(bpy.types.Operator):  # noqa: N801
    """Start aesop serve, or stop the one that was started here"""

    bl_idname, bl_label = "aesop.server", "Server"

    def execute(self, context: bpy.types.Context) -> set[str]:
        if OWN.runs:
            OWN.stop()
            context.scene.aesop.message = "server stopped"
            return {"FINISHED"}
        try:
            context.scene.aesop.message = f"server at {OWN.start(preferences().command)}"
        except ServerError as problem:
            context.scene.aesop.message = str(problem)
            self.report({"ERROR"}, str(problem))
            return {"CANCELLED"}
        return {"FINISHED"}


class AESOP_PT_panel(bpy.types.Panel):  # noqa: N801
    bl_idname, bl_label = "AESOP_PT_panel", "AESOP"
    bl_space_type, bl_region_type, bl_category = "VIEW_3D", "UI", "AESOP"

    def draw(self, context: bpy.types.Context) -> None:
        settings, column = context.scene.aesop, self.layout.column()
        person = person_of(context)
        column.label(text=person.name if person else "Select an armature", icon="ARMATURE_DATA")
        for name in ("words", "intensity", "live", "takes", "seed", "method"):
            column.prop(settings, name)
        column.operator("aesop.film", icon="CAMERA_DATA")
        for camera in takes_of(context.scene, settings.person):
            icon = "RADIOBUT_ON" if camera == context.scene.camera else "RADIOBUT_OFF"
            row = column.operator("aesop.use_take", text=f"Take {camera[TAKE]}", icon=icon)
            row.take = camera[TAKE]
        if settings.message:
            column.label(text=settings.message)
        text = "Stop server" if OWN.runs else "Start server"
        column.operator("aesop.server", text=text, icon="PLUGIN")


def film_again_soon(settings: "AesopSettings") -> None:
    """The slider moved: film once it rests."""
    if bpy.app.timers.is_registered(_film_again):
        bpy.app.timers.unregister(_film_again)
    if settings.live and settings.motion and not bpy.app.background:
        bpy.app.timers.register(_film_again, first_interval=PAUSE_SECONDS)


def _film_again() -> None:
    bpy.ops.aesop.film("INVOKE_DEFAULT", again=True)


CLASSES = (
    AESOP_AP_preferences, AesopSettings, AESOP_OT_film, AESOP_OT_use_take, AESOP_OT_server,
    AESOP_PT_panel,
)  # fmt: skip


def register() -> None:
    for one in CLASSES:
        bpy.utils.register_class(one)
    bpy.types.Scene.aesop = bpy.props.PointerProperty(type=AesopSettings)
    atexit.register(OWN.stop)


def unregister() -> None:
    OWN.stop()
    atexit.unregister(OWN.stop)
    if bpy.app.timers.is_registered(_film_again):
        bpy.app.timers.unregister(_film_again)
    del bpy.types.Scene.aesop
    for one in reversed(CLASSES):
        bpy.utils.unregister_class(one)
