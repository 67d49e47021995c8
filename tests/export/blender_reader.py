"""Run by a Python that has bpy: opens an export in Blender and prints what Blender sees."""

import json
import sys
from typing import Any

import bpy  # pyright: ignore[reportMissingImports]


def main(path: str, first_frame: int, wanted: list[int]) -> None:
    bpy.ops.wm.read_factory_settings(use_empty=True)
    scene = bpy.context.scene
    if path.endswith(".glb"):
        scene.render.fps = 25  # as the writer advises: seconds become frames by the scene's rate
        bpy.ops.import_scene.gltf(filepath=path)
    elif path.endswith(".usda"):
        bpy.ops.wm.usd_import(filepath=path)
    else:
        with open(path, encoding="utf-8") as file:  # noqa: PTH123
            exec(compile(file.read(), path, "exec"), {"__name__": "__main__"})
    (camera,) = [it for it in bpy.data.objects if it.type == "CAMERA"]
    (person,) = [it for it in bpy.data.objects if it.type == "ARMATURE"]
    # What glTF's importer adds to show bones has another name.
    (mannequin,) = [it for it in bpy.data.objects if "mannequin" in it.name and it.type == "MESH"]
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
                "vertices": _vertices(mannequin.evaluated_get(graph)),
                "bones": {name.rsplit("/", 1)[-1]: place for name, place in bones.items()},
            }
        )
    rate = scene.render.fps / scene.render.fps_base
    facts = {"fps": rate, "surfaces": _surfaces(mannequin), "frames": seen}
    sys.stdout.write("\nSEEN " + json.dumps(facts) + "\n")


def _vertices(body: Any) -> list[list[float]]:
    """Corners of triangles in their order: importers may join and split vertices."""
    mesh = body.to_mesh()
    mesh.calc_loop_triangles()
    places = [list(body.matrix_world @ vertex.co) for vertex in mesh.vertices]
    return [places[number] for part in mesh.loop_triangles for number in part.vertices]


def _surfaces(body: Any) -> list[list[float]]:
    """Base colours of the mannequin's materials."""
    shaders = [
        node
        for slot in body.material_slots
        for node in slot.material.node_tree.nodes
        if node.type == "BSDF_PRINCIPLED"
    ]
    return [list(node.inputs["Base Color"].default_value)[:3] for node in shaders]


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), [int(word) for word in sys.argv[3:]])
