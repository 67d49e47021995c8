"""Cameras in the scene: one object a take with a key on every frame, and a marker for each. The
marker of the take in use stands on the first frame and is bound to its camera; those of the others
wait on the frames after it, to be selected."""

import math
from typing import Any

import bpy  # pyright: ignore[reportMissingImports]

TAKE, PERSON = "aesop_take", "aesop_person"
SENSOR_MM = 24.0


def camera_name(person: str, take: int) -> str:
    return f"AESOP {person} take {take}"


def takes_of(scene: bpy.types.Scene, person: str) -> list[bpy.types.Object]:
    """The cameras that film somebody, by their numbers."""
    found = [one for one in scene.objects if one.type == "CAMERA" and one.get(PERSON) == person]
    return sorted(found, key=lambda one: one[TAKE])


def set_takes(
    scene: bpy.types.Scene, person: str, cameras: list[dict[str, Any]], first: int
) -> None:
    """Put these cameras into the scene: those that are there get new keys, others come or go."""
    for old in takes_of(scene, person)[len(cameras) :]:
        data = old.data
        bpy.data.objects.remove(old)
        bpy.data.cameras.remove(data)
    there = takes_of(scene, person)
    for number in range(len(there), len(cameras)):
        there.append(_new_camera(scene, person, number + 1))
    for camera, table in zip(there, cameras, strict=True):
        _set_keys(camera, table, first)


def _new_camera(scene: bpy.types.Scene, person: str, take: int) -> bpy.types.Object:
    data = bpy.data.cameras.new(camera_name(person, take))
    camera = bpy.data.objects.new(camera_name(person, take), data)
    camera[TAKE], camera[PERSON] = take, person
    camera.rotation_mode = "QUATERNION"
    # Heights are what the words and the framing are about; the width follows the render size.
    data.sensor_fit, data.sensor_height = "VERTICAL", SENSOR_MM
    scene.collection.objects.link(camera)
    return camera


def _set_keys(camera: bpy.types.Object, table: dict[str, Any], first: int) -> None:
    camera.animation_data_clear()
    camera.data.animation_data_clear()
    fps = table["fps"]
    for one in table["frames"]:
        frame = first + round(one["seconds"] * fps)
        camera.location = one["centre"]
        camera.rotation_quaternion = one["quaternion_wxyz_gl"]
        half = math.tan(math.radians(one["fov_vertical_deg"]) / 2)
        camera.data.lens = SENSOR_MM / 2 / half
        camera.keyframe_insert("location", frame=frame)
        camera.keyframe_insert("rotation_quaternion", frame=frame)
        camera.data.keyframe_insert("lens", frame=frame)


def use_take(scene: bpy.types.Scene, person: str, take: int, first: int) -> None:
    """Look through one take from the first frame on."""
    cameras = takes_of(scene, person)
    for marker in [one for one in scene.timeline_markers if _is_of(one, cameras)]:
        scene.timeline_markers.remove(marker)
    later = first
    for camera in cameras:
        if camera[TAKE] == take:
            scene.timeline_markers.new(camera.name, frame=first).camera = camera
            scene.camera = camera
        else:
            later += 1
            scene.timeline_markers.new(camera.name, frame=later)


def selected_take(scene: bpy.types.Scene, person: str) -> int | None:
    """The take whose marker is selected, or None."""
    names = {camera_name(person, camera[TAKE]): camera[TAKE] for camera in takes_of(scene, person)}
    chosen = [names[one.name] for one in scene.timeline_markers if one.select and one.name in names]
    return chosen[0] if len(chosen) == 1 else None


def _is_of(marker: bpy.types.TimelineMarker, cameras: list[bpy.types.Object]) -> bool:
    return marker.name in {camera.name for camera in cameras} or marker.camera in cameras
