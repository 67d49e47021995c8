"""A Python script that builds motion and camera inside Blender, with everything it needs in it."""

import json
import math
from pathlib import Path

from aesop.core.atomic import atomic_path
from aesop.export.mannequin_mesh import (
    SENSOR_WIDTH_MM,
    focal_mm,
    steady_quaternions_wxyz,
    world_from_gl_camera,
)
from aesop.files.bvh_clip import bvh_text
from aesop.scene.shot import Shot

IMAGE_WIDTH_PX = 1920

_TEMPLATE = """\
# Made by AESOP. In Blender: Scripting, Open, Run Script; or: blender --python THIS_FILE
# The shot's first frame is frame 1 of the scene; metres, z up.
import json
import tempfile
from pathlib import Path

import bpy

SHOT = json.loads({shot})
BVH = {bvh}


def set_up_scene(scene):
    scene.render.fps, scene.render.fps_base = SHOT["fps"], SHOT["fps_base"]
    scene.render.resolution_x, scene.render.resolution_y = SHOT["resolution"]
    scene.render.pixel_aspect_x = scene.render.pixel_aspect_y = 1.0
    scene.frame_start, scene.frame_end = 1, len(SHOT["places"])


def add_camera(scene):
    data = bpy.data.cameras.new("AESOP camera")
    data.sensor_fit, data.sensor_width = "HORIZONTAL", SHOT["sensor_mm"]
    camera = bpy.data.objects.new("AESOP camera", data)
    camera.rotation_mode = "QUATERNION"
    scene.collection.objects.link(camera)
    scene.camera = camera
    for frame, (place, turn, lens) in enumerate(
        zip(SHOT["places"], SHOT["turns_wxyz"], SHOT["focal_mm"]), start=1
    ):
        camera.location, camera.rotation_quaternion, data.lens = place, turn, lens
        camera.keyframe_insert("location", frame=frame)
        camera.keyframe_insert("rotation_quaternion", frame=frame)
        data.keyframe_insert("lens", frame=frame)


def add_person():
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "AESOP person.bvh"
        path.write_text(BVH)
        bpy.ops.import_anim.bvh(
            filepath=str(path), axis_forward="-Z", axis_up="Y", global_scale=0.01, frame_start=1,
            use_fps_scale=False, update_scene_fps=False, update_scene_duration=False,
        )


set_up_scene(bpy.context.scene)
add_person()
add_camera(bpy.context.scene)
"""


def write_blender_script(shot: Shot, path: Path) -> None:
    """Write the script; the motion is in it as BVH, the camera as numbers."""
    camera, fps = shot.camera, math.ceil(shot.fps)
    values = {
        "fps": fps,
        "fps_base": fps / shot.fps,
        "resolution": [IMAGE_WIDTH_PX, round(IMAGE_WIDTH_PX / camera.aspect)],
        "sensor_mm": SENSOR_WIDTH_MM,
        "camera_words": shot.camera_words,
        "places": camera.centre.double().tolist(),
        "turns_wxyz": steady_quaternions_wxyz(world_from_gl_camera(camera)).tolist(),
        "focal_mm": focal_mm(camera).tolist(),
    }
    script = _TEMPLATE.format(shot=repr(json.dumps(values)), bvh=repr(bvh_text(shot.clip)))
    with atomic_path(path) as temporary:
        temporary.write_text(script, encoding="utf-8", newline="\n")
