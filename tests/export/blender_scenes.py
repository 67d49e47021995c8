"""Run by a Python that has bpy: original motion and exported camera together in one scene, and the
pixels on which Blender sees joints of the original and of the exported figure."""

import json
import sys
from typing import Any

import bpy  # pyright: ignore[reportMissingImports]
from bpy_extras.object_utils import world_to_camera_view  # pyright: ignore[reportMissingImports]
from mathutils import Vector  # pyright: ignore[reportMissingImports]

WIDTH_PX, HEIGHT_PX = 1920, 1080


def main(path: str) -> None:
    with open(path, encoding="utf-8") as file:  # noqa: PTH123
        cases = json.load(file)
    sys.stdout.write("\nSEEN " + json.dumps([seen(case) for case in cases]) + "\n")


def seen(case: dict[str, Any]) -> list[dict[str, Any]]:
    """What one case shows at its frames."""
    bpy.ops.wm.read_factory_settings(use_empty=True)
    scene = bpy.context.scene
    scene.render.fps, scene.render.fps_base = case["fps"], 1.0
    original = add_original(case)
    known = set(bpy.data.objects)
    add_export(case["export"])
    scene.render.resolution_x, scene.render.resolution_y = WIDTH_PX, HEIGHT_PX
    added = set(bpy.data.objects) - known
    (camera,) = [one for one in added if one.type == "CAMERA"]
    figures = [one for one in added if one.type == "ARMATURE"]
    found = []
    for number, frame in enumerate(case["frames"]):
        scene.frame_set(frame + (case["later"] if case["export"].endswith(".py") else 0))
        graph = bpy.context.evaluated_depsgraph_get()
        eye = camera.evaluated_get(graph)
        if original is None:
            places = {name: stood(case, spot) for name, spot in case["points"][number].items()}
        else:
            places = heads(original.evaluated_get(graph), case["joints"])
        figure = heads(figures[0].evaluated_get(graph), case["joints"]) if figures else {}
        found.append(
            {
                "original": {name: pixel(scene, eye, spot) for name, spot in places.items()},
                "figure": {name: pixel(scene, eye, spot) for name, spot in figure.items()},
            }
        )
    return found


def add_original(case: dict[str, Any]) -> Any:
    """The motion by Blender's own importer; files that Blender does not read are points."""
    if not case["bvh"]:
        return None
    bpy.ops.import_anim.bvh(
        filepath=case["bvh"], global_scale=case["unit"],
        axis_forward="-Z" if case["up"] == "y" else "Y", axis_up=case["up"].upper(),
        frame_start=case["start_frame"], update_scene_fps=False, update_scene_duration=False,
    )  # fmt: skip
    (armature,) = bpy.data.objects
    return armature


def add_export(path: str) -> None:
    if path.endswith(".glb"):
        bpy.ops.import_scene.gltf(filepath=path)
    elif path.endswith(".usda"):
        bpy.ops.wm.usd_import(filepath=path)
    else:
        with open(path, encoding="utf-8") as file:  # noqa: PTH123
            exec(compile(file.read(), path, "exec"), {"__name__": "__main__"})


def stood(case: dict[str, Any], place: list[float]) -> Any:
    """A point of the file in Blender's world."""
    x, y, z = (case["unit"] * number for number in place)
    return Vector((x, -z, y) if case["up"] == "y" else (x, y, z))


def heads(armature: Any, joints: dict[str, str]) -> dict[str, Any]:
    """Where joints are; importers of USD put paths and underscores into their names."""
    plain = {_plain(bone.name.rsplit("/", 1)[-1]): bone for bone in armature.pose.bones}
    return {
        ours: armature.matrix_world @ plain[_plain(theirs)].head
        for ours, theirs in joints.items()
        if _plain(theirs) in plain
    }


def _plain(name: str) -> str:
    return "".join(sign for sign in name.lower() if sign.isalnum())


def pixel(scene: Any, camera: Any, place: Any) -> list[float]:
    """From the left and from the top."""
    x, y, _ = world_to_camera_view(scene, camera, place)
    return [x * WIDTH_PX, (1 - y) * HEIGHT_PX]


if __name__ == "__main__":
    main(sys.argv[1])
