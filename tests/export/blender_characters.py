"""Run by a Python that has bpy. `write`: a BVH becomes a character in another format, by Blender's
own exporters. `see`: such a character and an exported camera together in one scene, and the pixels
on which Blender sees joints of the character."""

import json
import sys
from typing import Any

import bpy  # pyright: ignore[reportMissingImports]
from blender_scenes import (  # pyright: ignore[reportImplicitRelativeImport]
    HEIGHT_PX,
    WIDTH_PX,
    add_export,
    heads,
    pixel,
)


def write(bvh: str, fps: int, targets: list[str]) -> None:
    """With everything as the exporters have it by default."""
    bpy.ops.wm.read_factory_settings(use_empty=True)
    scene = bpy.context.scene
    scene.render.fps, scene.render.fps_base = fps, 1.0
    bpy.ops.import_anim.bvh(
        filepath=bvh, global_scale=0.01, update_scene_duration=True, update_scene_fps=False
    )
    for target in targets:
        if target.endswith(".fbx"):
            bpy.ops.export_scene.fbx(filepath=target)
        else:
            bpy.ops.export_scene.gltf(filepath=target)


def see(cases: list[dict[str, Any]]) -> None:
    sys.stdout.write("\nSEEN " + json.dumps([seen(case) for case in cases]) + "\n")


def seen(case: dict[str, Any]) -> list[dict[str, list[float]]]:
    bpy.ops.wm.read_factory_settings(use_empty=True)
    scene = bpy.context.scene
    scene.render.fps, scene.render.fps_base = case["fps"], 1.0
    if case["original"].endswith(".fbx"):
        bpy.ops.import_scene.fbx(filepath=case["original"])
    else:
        bpy.ops.import_scene.gltf(filepath=case["original"])
    (character,) = [one for one in bpy.data.objects if one.type == "ARMATURE"]
    known = set(bpy.data.objects)
    add_export(case["export"])
    scene.render.resolution_x, scene.render.resolution_y = WIDTH_PX, HEIGHT_PX
    (camera,) = [one for one in set(bpy.data.objects) - known if one.type == "CAMERA"]
    found = []
    for frame in case["frames"]:
        scene.frame_set(frame)
        graph = bpy.context.evaluated_depsgraph_get()
        eye, body = camera.evaluated_get(graph), character.evaluated_get(graph)
        places = heads(body, case["joints"])
        found.append({name: pixel(scene, eye, spot) for name, spot in places.items()})
    return found


if __name__ == "__main__":
    with open(sys.argv[2], encoding="utf-8") as file:  # noqa: PTH123
        order = json.load(file)
    write(**order) if sys.argv[1] == "write" else see(order)
