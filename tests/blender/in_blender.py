"""Run by a Python that has bpy: installs the extension's .zip, films, and prints what Blender has.

python in_blender.py ZIP AESOP MOTION.bvh [PICTURE.png]
"""

import json
import math
import sys
from typing import Any

import bpy  # pyright: ignore[reportMissingImports]
from bpy_extras.object_utils import (  # pyright: ignore[reportMissingImports]
    world_to_camera_view,
)

MODULE = "bl_ext.user_default.aesop_camera"
FIRST = 11
UNDOABLE = ("EXEC_DEFAULT", True)  # as a click does; scripts alone leave no step to undo


def main(archive: str, command: str, motion: str, shot: str) -> None:
    bpy.ops.wm.read_factory_settings(use_empty=True)
    bpy.ops.extensions.package_install_files(
        filepath=archive, repo="user_default", enable_on_install=True
    )
    assert MODULE in bpy.context.preferences.addons, "the extension was not enabled"
    scene = bpy.context.scene
    person = import_person(scene, motion)
    settings, chosen = scene.aesop, bpy.context.preferences.addons[MODULE].preferences
    seen = {"refused": refused(scene, chosen)}
    chosen.command = command
    assert bpy.ops.aesop.server() == {"FINISHED"}
    settings.words, settings.takes, settings.seed = "the camera pushes in", 3, 5
    settings.method = "operator"
    bpy.ops.ed.undo_push(message="before the film")
    assert bpy.ops.aesop.film(*UNDOABLE) == {"FINISHED"}, settings.message
    seen |= {"takes": told(scene, person), "message": settings.message}
    seen["frame"] = scene.frame_current
    save_first_shot(shot)
    # Another take: by its marker, as a user does.
    for marker in scene.timeline_markers:
        marker.select = marker.name.endswith("take 3")
    assert bpy.ops.aesop.use_take(*UNDOABLE) == {"FINISHED"}
    seen["third"] = told(scene, person)
    settings.intensity = 1.5
    assert bpy.ops.aesop.film(*UNDOABLE, again=True) == {"FINISHED"}, settings.message
    seen["stronger"] = told(scene, person)
    seen["undone"] = undone()
    bpy.ops.aesop.server()
    sys.stdout.write("\nSEEN " + json.dumps(seen) + "\n")


def import_person(scene: Any, motion: str) -> Any:
    """As somebody would have it: moved, turned, at another rate, from another frame on."""
    scene.render.fps, scene.render.fps_base = 30, 1.0
    scene.render.resolution_x, scene.render.resolution_y = 1920, 1080
    bpy.ops.import_anim.bvh(
        filepath=motion, axis_forward="-Z", axis_up="Y", global_scale=0.01, frame_start=FIRST,
        use_fps_scale=True, update_scene_fps=False, update_scene_duration=False,
    )  # fmt: skip
    person = bpy.context.active_object
    person.location, person.rotation_euler[2] = (3.0, -2.0, 0.5), person.rotation_euler[2] + 0.7
    scene.frame_start, scene.frame_end = FIRST, FIRST + 60
    scene.frame_set(17)
    return person


def refused(scene: Any, chosen: Any) -> str:
    """Without a server: one sentence, and nothing changes."""
    chosen.address = "http://127.0.0.1:9"
    try:
        bpy.ops.aesop.film()
    except RuntimeError as problem:
        return str(problem)
    return ""


def told(scene: Any, person: Any) -> dict[str, Any]:
    """Where cameras, lens and person are, and where the person is in the picture."""
    frames = []
    current = scene.frame_current
    # Instants that 30 and 25 frames a second share: between them joints are interpolated twice.
    for frame in (FIRST, FIRST + 30, FIRST + 60):
        scene.frame_set(frame)
        graph = bpy.context.evaluated_depsgraph_get()
        body, eye = person.evaluated_get(graph), scene.camera.evaluated_get(graph)
        bones = {bone.name: body.matrix_world @ bone.head for bone in body.pose.bones}
        places = {name: list(world_to_camera_view(scene, eye, at)) for name, at in bones.items()}
        frames.append(
            {
                "frame": frame,
                "camera": scene.camera.name,
                "matrix": [list(row) for row in eye.matrix_world],
                "tan_half_height": math.tan(eye.data.angle_y / 2),
                "bones": {name: list(at) for name, at in bones.items()},
                "in_picture": places,
            }
        )
    scene.frame_set(current)
    return {
        "frames": frames,
        "cameras": sorted(one.name for one in bpy.data.objects if one.type == "CAMERA"),
        "markers": [
            [one.name, one.frame, one.camera.name if one.camera else None]
            for one in sorted(scene.timeline_markers, key=lambda one: one.frame)
        ],
        "keys": [
            sorted({key.co[0] for curve in curves_of(one) for key in curve.keyframe_points})
            for one in bpy.data.objects
            if one.type == "CAMERA"
        ],
        "travel": travel(scene),
    }


def curves_of(thing: Any) -> Any:
    return thing.animation_data.action.fcurves


def travel(scene: Any) -> float:
    """Length of the way of the camera in use."""
    way, before, current = 0.0, None, scene.frame_current
    for frame in range(FIRST, FIRST + 61):
        scene.frame_set(frame)
        place = scene.camera.matrix_world.translation.copy()
        way += 0.0 if before is None else (place - before).length
        before = place
    scene.frame_set(current)
    return way


def undone() -> dict[str, Any]:
    """What is left after the user has undone the films."""
    for _ in range(3):
        bpy.ops.ed.undo()
    return {
        "cameras": [one.name for one in bpy.data.objects if one.type == "CAMERA"],
        "markers": len(bpy.context.scene.timeline_markers),
        "people": [one.name for one in bpy.data.objects if one.type == "ARMATURE"],
    }


def save_first_shot(path: str) -> None:
    """The shot behind the first take, as the server has it."""
    server = sys.modules[MODULE].client()
    newest = server.json("GET", "/jobs")["jobs"][0]["id"]
    with open(path, "wb") as file:  # noqa: PTH123
        file.write(server.ask("GET", f"/jobs/{newest}/1.shot"))


if __name__ == "__main__":
    main(*sys.argv[1:])
