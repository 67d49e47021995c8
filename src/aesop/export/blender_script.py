"""A Python script that builds the shot inside Blender: armature, mannequin, camera, frame rate.

Blender's importers of glTF and USD leave the scene's frame rate alone; a script can set it.
"""

import json
import math
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch

from aesop.core.whole_files import atomic_path
from aesop.export.bezier_keys import euler_xyz_keys, lens_keys, place_keys
from aesop.export.file_world import person_size
from aesop.export.mannequin_mesh import (
    ROUGHNESS,
    SURFACES,
    body_mesh,
    focal_mm,
    rest_places,
    steady_quaternions_wxyz,
    surface_of_triangle,
    world_from_gl_camera,
)
from aesop.files.bvh_clip import armature_text, bvh_text
from aesop.preview import colours
from aesop.scene.human import Clip
from aesop.scene.picture_format import pixels_of
from aesop.scene.shot import Shot
from aesop.scene.skeleton import JOINT_NAMES, world_from_rest
from aesop.scene.source import UpAxis

_MESH_DECIMALS = 5  # hundredths of a millimetre

_TEMPLATE = """\
# Made by AESOP. In Blender: Scripting, Open, Run Script; or: blender --python THIS_FILE
# {note}
import json
import tempfile
from pathlib import Path

import bpy

SHOT = json.loads({shot})
BODY = json.loads({body})
BVH = {bvh}
UNIT = {unit}  # metres per unit of the BVH: the Scale that Blender's importer is given


def set_up_scene(scene):
    scene.render.fps, scene.render.fps_base = SHOT["fps"], SHOT["fps_base"]
    scene.render.resolution_x, scene.render.resolution_y = SHOT["resolution"]
    scene.render.pixel_aspect_x = scene.render.pixel_aspect_y = 1.0
    first = SHOT["first_frame"]
    scene.frame_start, scene.frame_end = first, first + len(SHOT["places"]) - 1


def add_camera(scene):
    data = bpy.data.cameras.new("AESOP camera")
    data.sensor_fit, data.sensor_width = "HORIZONTAL", SHOT["sensor_mm"]
    camera = bpy.data.objects.new("AESOP camera", data)
    scene.collection.objects.link(camera)
    scene.camera = camera
    if SHOT["keys"]:
        add_keys(camera, "location", SHOT["keys"]["location"])
        add_keys(camera, "rotation_euler", SHOT["keys"]["rotation_euler"])
        add_keys(data, "lens", SHOT["keys"]["lens"])
        return
    camera.rotation_mode = "QUATERNION"
    for frame, (place, turn, lens) in enumerate(
        zip(SHOT["places"], SHOT["turns_wxyz"], SHOT["focal_mm"]), start=SHOT["first_frame"]
    ):
        camera.location, camera.rotation_quaternion, data.lens = place, turn, lens
        camera.keyframe_insert("location", frame=frame)
        camera.keyframe_insert("rotation_quaternion", frame=frame)
        data.keyframe_insert("lens", frame=frame)


def add_keys(owner, path, keys):
    # Bezier keys: handles at a third of the time to the next key, along the slope.
    frames = [SHOT["first_frame"] + frame for frame in keys["frames"]]
    for index in range(len(keys["values"][0])):
        many = len(keys["values"][0]) > 1
        for frame, values in zip(frames, keys["values"]):
            setattr(owner, path, values if many else values[0])
            owner.keyframe_insert(path, index=index if many else -1, frame=frame)
        (curve,) = [c for c in curves_of(owner) if (c.data_path, c.array_index) == (path, index)]
        for number, key in enumerate(curve.keyframe_points):
            slope = keys["slopes"][number][index]
            before = frames[number] - frames[number - 1] if number else 3
            after = frames[number + 1] - frames[number] if number + 1 < len(frames) else 3
            key.interpolation = "BEZIER"
            key.handle_left_type = key.handle_right_type = "FREE"
            frame, value = frames[number], keys["values"][number][index]
            key.handle_left = (frame - before / 3, value - slope * before / 3)
            key.handle_right = (frame + after / 3, value + slope * after / 3)
            key.handle_left_type = key.handle_right_type = "ALIGNED"


def curves_of(owner):
    action = owner.animation_data.action
    if not getattr(action, "layers", ()):
        return action.fcurves
    # Since Blender 4.4 curves lie in the bag of the slot that the owner uses.
    return action.layers[0].strips[0].channelbag(owner.animation_data.action_slot).fcurves


def add_person():
    known = set(bpy.data.objects)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "AESOP person.bvh"
        path.write_text(BVH, encoding="utf-8")
        bpy.ops.import_anim.bvh(
            filepath=str(path), axis_forward=SHOT["axis_forward"], axis_up=SHOT["axis_up"],
            global_scale=UNIT, frame_start=SHOT["start_frame"],
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
person = add_person()
if BODY:
    add_mannequin(bpy.context.scene, person)
add_camera(bpy.context.scene)
"""


def write_blender_script(shot: Shot, path: Path, as_keys: bool = False) -> None:
    """Write the script; the motion is in it as BVH, the camera and the mannequin as numbers.

    The camera has one key a frame and quaternions, or few Bézier keys and Euler angles.
    """
    camera, fps, person = shot.camera, math.ceil(shot.fps), _person(shot.clip)
    values = {
        "fps": fps,
        "fps_base": fps / shot.fps,
        "resolution": shot.resolution_px or pixels_of(camera.aspect),
        "sensor_mm": shot.sensor_width_mm,
        "camera_words": shot.camera_words,
        "axis_forward": "-Z" if person.up == "y" else "Y",
        "axis_up": person.up.upper(),
        "start_frame": person.start_frame,
        "first_frame": person.first_frame,
        "places": camera.centre.double().tolist(),
        "turns_wxyz": steady_quaternions_wxyz(world_from_gl_camera(camera)).tolist(),
        "focal_mm": focal_mm(camera, shot.sensor_width_mm).tolist(),
    }
    values["keys"] = _keys(shot) if as_keys else None
    script = _TEMPLATE.format(
        note=person.note,
        shot=repr(json.dumps(values)),
        body=repr(json.dumps(_body(person.size) if person.has_mannequin else None)),
        bvh=repr(person.bvh),
        unit=repr(person.unit),
    )
    with atomic_path(path) as temporary:
        temporary.write_text(script, encoding="utf-8", newline="\n")


def _keys(shot: Shot) -> dict[str, Any]:
    """Keys of the properties that an artist sees, frames counted from the shot's first."""
    camera = shot.camera
    lengths = focal_mm(camera, shot.sensor_width_mm).numpy()[:, None]
    # The vertical field of view that a focal length makes on this sensor and in this aspect.
    half = shot.sensor_width_mm / 2 / camera.aspect
    keys = {
        "location": place_keys(camera.centre.double().numpy()),
        "rotation_euler": euler_xyz_keys(world_from_gl_camera(camera)),
        "lens": lens_keys(lengths, lambda mm: 2 * np.arctan2(half, mm[:, 0])),
    }
    return {name: curve.as_lists() for name, curve in keys.items()}


@dataclass(frozen=True)
class _Person:
    """Who is imported: as BVH, in its unit and axes, from a frame on."""

    bvh: str
    note: str
    unit: float = 0.01
    up: UpAxis = "y"
    start_frame: int = 1
    first_frame: int = 1
    size: float = 1.0
    has_mannequin: bool = True


def _person(clip: Clip) -> _Person:
    """The file's own skeleton at all its frames, else ours. Blender's importer of BVH starts at
    frame 1 or later."""
    source = clip.source
    if source is None:
        note = "The shot's first frame is frame 1 of the scene; metres, z up."
        return _Person(bvh_text(clip), note)
    later = max(0, 1 - source.start_frame)
    first = round(source.first_frame) + later
    note = f"Frames are those of {source.file}" + (f" and {later}" if later else "")
    note += f", from {first} on; metres, z up."
    if source.armature is None:
        size = person_size(clip)
        text = bvh_text(clip, size)
        return _Person(text, note, start_frame=first, first_frame=first, size=size)
    text = armature_text(source.armature, clip.fps)
    start = source.start_frame + later
    return _Person(text, note, source.metres_per_unit, source.up, start, first, has_mannequin=False)


def _body(size: float) -> dict[str, Any]:
    """The mannequin around the armature at rest, whose pelvis Blender puts at the origin."""
    mesh = body_mesh()
    stand = world_from_rest(torch.zeros(1, dtype=torch.float64)).numpy()
    points = size * (mesh.points - rest_places()[0]) @ stand.T
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
