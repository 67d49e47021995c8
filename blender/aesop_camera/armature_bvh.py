"""The motion of an armature as BVH: world axes of Blender (z up), its units, the scene's frames.

BVH turns are told from the rest pose, so every bone's frame is its world turn from where it rests.
Whatever moves the bones (constraints, the object itself, drivers) is in it.
"""

import bpy  # pyright: ignore[reportMissingImports]

ORDER = "YXZ"  # Blender's name for turns about z, then x, then y of the turned frame
MOVES = 1e-4  # in Blender units: what a bone's head may stray from its place at the parent


class NoMotionError(Exception):
    """An armature that cannot be written; the text is for the user."""


class BoneTrack:
    """One bone: where it rests, and where it is in every frame."""

    def __init__(self, name, parent, rest, tail):
        self.name, self.parent = name, parent
        self.rest_place, self.rest_turn = rest.translation.copy(), rest.to_quaternion()
        self.end = tail - rest.translation
        self.places, self.turns = [], []

    def add(self, matrix):
        self.places.append(matrix.translation.copy())
        self.turns.append(matrix.to_quaternion() @ self.rest_turn.inverted())

    @property
    def offset(self):
        return self.rest_place - self.parent.rest_place if self.parent else self.rest_place

    def local(self, frame):
        """Place and turn in one frame, seen from the parent."""
        if self.parent is None:
            return self.places[frame], self.turns[frame]
        back = self.parent.turns[frame].inverted()
        return back @ (self.places[frame] - self.parent.places[frame]), back @ self.turns[frame]

    @property
    def moves(self):
        frames = range(len(self.places))
        return self.parent is None or any(
            (self.local(frame)[0] - self.offset).length > MOVES for frame in frames
        )


def biggest_tree(bones):
    """The bones below the root that has most of them, parents first. What stands beside it
    (targets, poles, props) is no part of the person."""

    def below(bone):
        return [bone, *(one for child in bone.children for one in below(child))]

    trees = [below(bone) for bone in bones if bone.parent is None]
    return max(trees, key=len, default=[])


def bone_tracks(armature, scene, first, last):
    """Every bone of the person in the frames `first` to `last`; the scene stays where it was."""
    bones = biggest_tree(armature.data.bones)
    if not bones:
        raise NoMotionError(f"{armature.name} has no bones. Select an armature with a motion.")
    before = (scene.frame_current, scene.frame_subframe)
    tracks = {}
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


def bvh_text(armature, scene, first, last):
    """The motion as a BVH file."""
    if last - first < 1:
        raise NoMotionError("The frame range is empty. Set the scene's first and last frame.")
    tracks = bone_tracks(armature, scene, first, last)
    ordered, lines = [], ["HIERARCHY"]
    _write_joint(tracks[0], tracks, 0, lines, ordered)
    rate = scene.render.fps / scene.render.fps_base
    lines += ["MOTION", f"Frames: {last - first + 1}", f"Frame Time: {1 / rate:.10f}"]
    for frame in range(last - first + 1):
        numbers = []
        for track, moves in ordered:
            place, turn = track.local(frame)
            angles = turn.to_matrix().to_euler(ORDER)
            numbers += [*place] if moves else []
            numbers += [_degrees(angles.z), _degrees(angles.x), _degrees(angles.y)]
        lines.append(" ".join(f"{number:.6f}" for number in numbers))
    return "\n".join(lines) + "\n"


def _degrees(angle):
    return angle * 57.29577951308232


def _write_joint(track, tracks, depth, lines, ordered):
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
