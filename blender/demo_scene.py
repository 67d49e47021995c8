"""Run by a Python that has bpy: a person in a plain scene, filmed by the extension, three frames.

python demo_scene.py EXTENSION.zip AESOP MOTION.bvh FOLDER
"""

import os
import sys
from pathlib import Path

import bpy  # pyright: ignore[reportMissingImports]

MODULE = "bl_ext.user_default.aesop_camera"
WORDS = "the camera arcs around the person to the left"
SIZE_PX, SAMPLES = (480, 270), 24


def main(archive: str, command: str, motion: str, folder: str) -> None:
    bpy.ops.wm.read_factory_settings(use_empty=True)
    bpy.ops.extensions.package_install_files(
        filepath=archive, repo="user_default", enable_on_install=True
    )
    scene = bpy.context.scene
    scene.render.fps = 25
    bpy.ops.import_anim.bvh(
        filepath=motion, axis_forward="-Z", axis_up="Y", global_scale=0.01,
        update_scene_fps=False, update_scene_duration=False,
    )  # fmt: skip
    person = bpy.context.active_object
    scene.frame_start, scene.frame_end = (
        int(at) for at in person.animation_data.action.frame_range
    )
    bpy.context.preferences.addons[MODULE].preferences.command = command
    bpy.ops.aesop.server()
    scene.aesop.words, scene.aesop.intensity = WORDS, 1.3
    bpy.ops.aesop.film()
    sys.stdout.write(f"{scene.aesop.message}\n")
    furnish(scene, person)
    render(scene, Path(folder))
    bpy.ops.aesop.server()


def furnish(scene: "bpy.types.Scene", person: "bpy.types.Object") -> None:
    """A body of sticks on the bones, a floor with posts, a sun."""
    body = material("body", (0.8, 0.33, 0.1))
    for bone in person.pose.bones:
        length = max(bone.length, 0.08)
        thick = 0.13 if bone.name.startswith(("spine", "pelvis")) else 0.06
        bpy.ops.mesh.primitive_uv_sphere_add(segments=20, ring_count=12)
        limb = bpy.context.active_object
        limb.scale, limb.parent, limb.parent_type = (thick, length / 1.5, thick), person, "BONE"
        limb.parent_bone, limb.location = bone.name, (0.0, -bone.length / 2, 0.0)
        limb.data.materials.append(body)
        bpy.ops.object.shade_smooth()
    bpy.ops.mesh.primitive_plane_add(size=60)
    bpy.context.active_object.data.materials.append(material("floor", (0.2, 0.23, 0.26)))
    posts = material("posts", (0.15, 0.32, 0.5))
    for across in range(-12, 13, 3):
        for along in range(-12, 13, 3):
            bpy.ops.mesh.primitive_cylinder_add(
                radius=0.06, depth=0.5, location=(across + 1.5, along + 1.5, 0.25)
            )
            bpy.context.active_object.data.materials.append(posts)
    bpy.ops.object.light_add(type="SUN", rotation=(0.7, 0.3, 0.5))
    bpy.context.active_object.data.energy = 3.0
    scene.world = bpy.data.worlds.new("sky")
    scene.world.use_nodes = True
    scene.world.node_tree.nodes["Background"].inputs[0].default_value = (0.6, 0.7, 0.85, 1.0)


def material(name: str, colour: tuple[float, float, float]) -> "bpy.types.Material":
    made = bpy.data.materials.new(name)
    made.use_nodes = True
    made.node_tree.nodes["Principled BSDF"].inputs["Base Color"].default_value = (*colour, 1.0)
    return made


def render(scene: "bpy.types.Scene", folder: Path) -> None:
    scene.render.engine = "CYCLES"  # needs no screen and no graphics card
    scene.cycles.samples, scene.cycles.use_denoising = SAMPLES, False
    scene.render.resolution_x, scene.render.resolution_y = SIZE_PX
    scene.render.threads_mode, scene.render.threads = "FIXED", max((os.cpu_count() or 2) // 2, 1)
    first, last = scene.frame_start, scene.frame_end
    for number, frame in enumerate((first, (first + last) // 2, last)):
        scene.frame_set(frame)
        scene.render.filepath = str(folder / f"{number}.png")
        bpy.ops.render.render(write_still=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
