"""The motion of an armature as BVH: world axes of Blender (z up), its units, the scene's frames.

BVH turns are told from the rest pose, so every bone's frame is its world turn from where it rests.
Whatever moves the bones (constraints, the object itself, drivers) is in it.
"""

import math
from collections.abc import Iterable

import bpy  # pyright: ignore[reportMissingImports]
from mathutils import (  # pyright: ignore[reportMissingImports]
    Matrix,
    Quaternion,
    Vector,
)

ORDER = "YXZ"  # Blender's name for turns about z, then x, then y of the turned frame
MOVES = 1e-4  # in Blender units: what a bone's head may stray from its place at the parent


class NoMotionError(Exception):
    """An armature that cannot be written; the text is for the user."""


class BoneTrack:
    """One bone: where it rests, and where it is in every frame."""

    def __init__(self, name: str, parent: "BoneTrack | None", rest: Matrix, tail: Vector) -> None:
        self.name, self.parent = name, parent
        self.rest_place, self.rest_turn = rest.translation.copy(), rest.to_quaternion()
        self.end = tail - rest.translation
        self.places: list[Vector] = []
        self.turns: list[Quaternion] = []

    def add(self, matrix: Matrix) -> None:
        self.places.append(matrix.translation.copy())
        self.turns.append(matrix.to_quaternion() @ self.rest_turn.inverted())

    @property
    def offset(self) -> Vector:
        return self.rest_place - self.parent.rest_place if self.parent else self.rest_place

    def local(self, frame: int) -> tuple[Vector, Quaternion]:
        """Place and turn in one frame, seen from the parent."""
        if self.parent is None:
            return self.places[frame], self.turns[frame]
        back = self.parent.turns[frame].inverted()
        return back @ (self.places[frame] - self.parent.places[frame]), back @ self.turns[frame]

    @property
    def moves(self) -> bool:
        frames = range(len(self.places))
        return self.parent is None or any(
            (self.local(frame)[0] - self.offset).length > MOVES for frame in frames
        )


def biggest_tree(bones: Iterable[bpy.types.Bone]) -> list[bpy.types.Bone]:
    """The bones below the root that has most of them, parents first. What stands beside it
    (targets, poles, props) is no part of the person."""

    def below(bone: bpy.types.Bone) -> list[bpy.types.Bone]:
        return [bone, *(one for child in bone.children for one in below(child))]

    trees = [below(bone) for bone in bones if bone.parent is None]
    return max(trees, key=len, default=[])


def bone_tracks(
    armature: bpy.types.Object, scene: bpy.types.Scene, first: int, last: int
) -> list[BoneTrack]:
    """Every bone of the person in the frames `first` to `last`; the scene stays where it was."""
    bones = biggest_tree(armature.data.bones)
    if not bones:
        raise NoMotionError(f"{armature.name} has no bones. Select an armature with a motion.")
    before = (scene.frame_current, scene.frame_subframe)
    tracks: dict[str, BoneTrack] = {}
    try:
        for frame in range(first, last + 1):
            scene.frame_set(frame)
            graph = bpy.context.evaluated_depsgraph_get()
            moved = armature.evaluated_get(graph)
            world = moved.matrix_world
            if not tracks:
                for bone in bones:
                    parent = tracks.get(bone.parent.name) if bone.parent else None
                    tail = world @ bone.tail_local
                    tracks[bone.name] = BoneTrack(
                        bone.name, parent, world @ bone.matrix_local, tail
                    )
            for name, track in tracks.items():
                track.add(world @ moved.pose.bones[name].matrix)
    finally:
        scene.frame_set(before[0], subframe=before[1])
    return list(tracks.values())


def bvh_text(armature: bpy.types.Object, scene: bpy.types.Scene, first: int, last: int) -> str:
    """The motion as a BVH file."""
    if last - first < 1:
        raise NoMotionError("The frame range is empty. Set the scene's first and last frame.")
    tracks = bone_tracks(armature, scene, first, last)
    ordered: list[tuple[BoneTrack, bool]] = []
    lines = ["HIERARCHY"]
    _write_joint(tracks[0], tracks, 0, lines, ordered)
    rate = scene.render.fps / scene.render.fps_base
    lines += ["MOTION", f"Frames: {last - first + 1}", f"Frame Time: {1 / rate:.10f}"]
    for frame in range(last - first + 1):
        numbers = []
        for track, moves in ordered:
            place, turn = track.local(frame)
            angles = turn.to_matrix().to_euler(ORDER)
            numbers += [*place] if moves else []
            numbers += [math.degrees(angles.z), math.degrees(angles.x), math.degrees(angles.y)]
        lines.append(" ".join(f"{number:.6f}" for number in numbers))
    return "\n".join(lines) + "\n"


def _write_joint(
    track: BoneTrack,
    tracks: list[BoneTrack],
    depth: int,
    lines: list[str],
    ordered: list[tuple[BoneTrack, bool]],
) -> None:
    pad, moves = "  " * depth, track.moves
    ordered.append((track, moves))
    # A name of BVH ends at the first space.
    lines.append(f"{pad}{'JOINT' if track.parent else 'ROOT'} {track.name.replace(' ', '_')}")
    lines.append(f"{pad}{{")
    lines.append(f"{pad}  OFFSET " + " ".join(f"{number:.6f}" for number in track.offset))
    places = "Xposition Yposition Zposition " if moves else ""
    lines.append(f"{pad}  CHANNELS {6 if moves else 3} {places}Zrotation Xrotation Yrotation")
    children = [one for one in tracks if one.parent is track]
    for child in children:
        _write_joint(child, tracks, depth + 1, lines, ordered)
    if not children:
        end = " ".join(f"{number:.6f}" for number in track.end)
        lines.append(f"{pad}  End Site\n{pad}  {{\n{pad}    OFFSET {end}\n{pad}  }}")
    lines.append(f"{pad}}}")
