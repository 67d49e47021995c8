"""Run by a Python that has bpy: opens an export in Blender and prints what Blender sees."""

import json
import sys

import bpy  # pyright: ignore[reportMissingImports]


def main(path: str, first_frame: int, wanted: list[int]) -> None:
    bpy.ops.wm.read_factory_settings(use_empty=True)
    scene = bpy.context.scene
    scene.render.fps = 25  # glTF counts seconds: the importer maps them by the scene's rate
    if path.endswith(".glb"):
        bpy.ops.import_scene.gltf(filepath=path)
    elif path.endswith(".usda"):
        bpy.ops.wm.usd_import(filepath=path)
    else:
        with open(path, encoding="utf-8") as file:  # noqa: PTH123
            exec(compile(file.read(), path, "exec"), {"__name__": "__main__"})
    (camera,) = [it for it in bpy.data.objects if it.type == "CAMERA"]
    (person,) = [it for it in bpy.data.objects if it.type == "ARMATURE"]
    seen = []
    for frame in wanted:
        scene.frame_set(frame + first_frame)
        graph = bpy.context.evaluated_depsgraph_get()
        eye, body = camera.evaluated_get(graph), person.evaluated_get(graph)
        lens = eye.data
        across = lens.sensor_fit == "HORIZONTAL"
        size = lens.sensor_width if across else lens.sensor_height
        bones = {bone.name: list(body.matrix_world @ bone.head) for bone in body.pose.bones}
        seen.append(
            {
                "matrix": [list(row) for row in eye.matrix_world],
                "half_tangent": size / 2 / lens.lens,
                "is_across": across,
                "bones": {name.rsplit("/", 1)[-1]: place for name, place in bones.items()},
            }
        )
    rate = scene.render.fps / scene.render.fps_base
    sys.stdout.write("\nSEEN " + json.dumps({"fps": rate, "frames": seen}) + "\n")


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), [int(word) for word in sys.argv[3:]])
