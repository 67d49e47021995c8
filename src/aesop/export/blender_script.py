"""A Python script that builds the shot inside Blender: armature, mannequin, camera, frame rate.

Blender's importers of glTF and USD leave the scene's frame rate alone; a script can set it.
"""

import json
import math
from pathlib import Path
from typing import Any

import torch

from aesop.core.whole_files import atomic_path
from aesop.export.mannequin_mesh import (
    ROUGHNESS,
    SENSOR_WIDTH_MM,
    SURFACES,
    body_mesh,
    focal_mm,
    rest_places,
    steady_quaternions_wxyz,
    surface_of_triangle,
    world_from_gl_camera,
)
from aesop.files.bvh_clip import bvh_text
from aesop.preview import colours
from aesop.scene.shot import Shot
from aesop.scene.skeleton import JOINT_NAMES, world_from_rest

IMAGE_WIDTH_PX = 1920
_MESH_DECIMALS = 5  # hundredths of a millimetre

_TEMPLATE = """\
# Made by AESOP. In Blender: Scripting, Open, Run Script; or: blender --python THIS_FILE
# The shot's first frame is frame 1 of the scene; metres, z up.
import json
import tempfile
from pathlib import Path

import bpy

SHOT = json.loads({shot})
BODY = json.loads({body})
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
    known = set(bpy.data.objects)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "AESOP person.bvh"
        path.write_text(BVH)
        bpy.ops.import_anim.bvh(
            filepath=str(path), axis_forward="-Z", axis_up="Y", global_scale=0.01, frame_start=1,
            use_fps_scale=False, update_scene_fps=False, update_scene_duration=False,
        )
    (armature,) = set(bpy.data.objects) - known
    return armature


def add_mannequin(scene, armature):
    mesh = bpy.data.meshes.new("AESOP mannequin")
    mesh.from_pydata(BODY["points"], [], BODY["triangles"])
    for name, colour in BODY["surfaces"]:
        material = bpy.data.materials.new("AESOP " + name)
        material.use_nodes = True
        material.diffuse_color = (*colour, 1.0)
        shader = next(n for n in material.node_tree.nodes if n.type == "BSDF_PRINCIPLED")
        shader.inputs["Base Color"].default_value = (*colour, 1.0)
        shader.inputs["Roughness"].default_value = BODY["roughness"]
        mesh.materials.append(material)
    mesh.polygons.foreach_set("material_index", BODY["surface_of_triangle"])
    mesh.polygons.foreach_set("use_smooth", [True] * len(mesh.polygons))
    mannequin = bpy.data.objects.new("AESOP mannequin", mesh)
    scene.collection.objects.link(mannequin)
    for joint, vertices in BODY["vertices_of_joint"].items():
        mannequin.vertex_groups.new(name=joint).add(vertices, 1.0, "REPLACE")
    mannequin.parent = armature
    mannequin.modifiers.new("AESOP armature", "ARMATURE").object = armature


set_up_scene(bpy.context.scene)
add_mannequin(bpy.context.scene, add_person())
add_camera(bpy.context.scene)
"""


def write_blender_script(shot: Shot, path: Path) -> None:
    """Write the script; the motion is in it as BVH, the camera and the mannequin as numbers."""
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
    script = _TEMPLATE.format(
        shot=repr(json.dumps(values)),
        body=repr(json.dumps(_body())),
        bvh=repr(bvh_text(shot.clip)),
    )
    with atomic_path(path) as temporary:
        temporary.write_text(script, encoding="utf-8", newline="\n")


def _body() -> dict[str, Any]:
    """The mannequin around the armature at rest, whose pelvis Blender puts at the origin."""
    mesh = body_mesh()
    stand = world_from_rest(torch.zeros(1, dtype=torch.float64)).numpy()
    points = (mesh.points - rest_places()[0]) @ stand.T
    return {
        "points": points.round(_MESH_DECIMALS).tolist(),
        "triangles": mesh.triangles.tolist(),
        "surfaces": [[name, colours.linear(tint).tolist()] for name, tint in SURFACES.items()],
        "surface_of_triangle": surface_of_triangle().tolist(),
        "roughness": ROUGHNESS,
        "vertices_of_joint": {
            name: (mesh.joint == joint).nonzero()[0].tolist()
            for joint, name in enumerate(JOINT_NAMES)
        },
    }
