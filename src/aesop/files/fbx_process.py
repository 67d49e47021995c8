"""What runs in a process of its own to open an FBX file: its tree and its transforms, as arrays.

The library behind it is written in C and its Python wrapper is young: it has crashed on objects
that were dropped while others still pointed at them. A crash must cost a message, not a session;
and only numbers come back. Nothing here may import torch, which would take a second.
"""

import io
import json
import os
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import ufbx
from jaxtyping import Float

# As many transforms as an hour of a body with fingers at 30 frames a second has.
MAX_TRANSFORMS = 8_000_000
# Whole rates are stored as ticks and come back a millionth off.
_WHOLE_RATE = 5e-4
UNREADABLE = 3  # as in fbx.py: the reason stands on stderr
# Every wrapper stays here until the process ends (see above).
_KEPT: list[object] = []
_STANDARD_AXES = {ufbx.axes_right_handed_y_up: "y", ufbx.axes_right_handed_z_up: "z"}


class _FbxFlawError(Exception):
    """Why nothing can be read from the file."""


def main(path: str) -> None:
    """Write the arrays of the file to stdout."""
    scene, up = _scene(Path(path).read_bytes())
    nodes = _kept(list(scene.nodes))
    places = {node.typed_id: at for at, node in enumerate(nodes)}
    take, others = _chosen_take(_kept(list(scene.anim_stacks)))
    rate = scene.settings.frames_per_second
    rate = float(round(rate)) if abs(rate - round(rate)) < _WHOLE_RATE * rate else rate
    frames = round((take.end - take.begin) * rate) + 1
    if frames * len(nodes) > MAX_TRANSFORMS:
        raise _FbxFlawError(f"it has {frames} frames of {len(nodes)} nodes, more than AESOP opens")
    times = take.begin + np.arange(frames) / rate
    above = _kept([node.parent for node in nodes])
    parents = [-1 if parent is None else places[parent.typed_id] for parent in above]
    _write(
        names=[node.name for node in nodes],
        facts={
            "up": up,
            "rate": rate,
            "unit_m": scene.settings.unit_meters,
            "take": take.stack.name,
            "other_takes": others,
            "first_s": take.begin,
        },
        parents=np.array(parents),
        transforms=_transforms(_kept(take.stack.anim), nodes, times),
        rest=np.stack([_matrix(node.node_to_world) for node in nodes]),
        bind=_bind(scene, nodes, places),
    )


def _kept(thing: Any) -> Any:
    _KEPT.append(thing)
    return thing


def _scene(data: bytes) -> tuple[Any, str]:
    """The scene in its own axes if they are right-handed with y or z up, or else turned to y up."""
    options: dict[str, Any] = dict(
        ignore_geometry=True, ignore_embedded=True, load_external_files=False
    )
    try:
        scene = _kept(ufbx.load_memory(data, **options))
        axes = scene.settings.axes
        if ufbx.CoordinateAxis.UNKNOWN in (axes.right, axes.up, axes.front):
            return scene, ""
        if axes in _STANDARD_AXES:
            return scene, _STANDARD_AXES[axes]
        target = ufbx.axes_right_handed_y_up
        return _kept(ufbx.load_memory(data, target_axes=target, **options)), "y"
    except ufbx.UfbxError as problem:
        raise _FbxFlawError(str(problem).split("\n")[0] or type(problem).__name__) from problem


@dataclass(frozen=True)
class _Take:
    """One animation of a file and when it plays, in seconds."""

    stack: Any
    moved: int  # properties
    begin: float
    end: float


def _chosen_take(stacks: Sequence[Any]) -> tuple[_Take, list[str]]:
    """The take that moves most things for longest, and the names of the others that move any.

    Mixamo's files often hold an empty "Take 001" beside the one that is meant.
    """
    takes = [take for take in map(_take, stacks) if take.moved and take.end > take.begin]
    if not takes:
        raise _FbxFlawError("it holds no animation")
    chosen = max(takes, key=lambda take: (take.moved, take.end - take.begin))
    return chosen, [take.stack.name for take in takes if take is not chosen]


def _take(stack: Any) -> _Take:
    layers = _kept(list(stack.layers))
    moved = [_kept(prop) for layer in layers for prop in _kept(layer.anim_props)]
    if stack.time_end > stack.time_begin:
        return _Take(stack, len(moved), stack.time_begin, stack.time_end)
    # Not every exporter says when a take plays: as long as it has keys, then.
    values = [_kept(prop.anim_value) for prop in moved]
    curves = [_kept(curve) for value in values for curve in _kept(value.curves) if curve]
    begin = min((curve.min_time for curve in curves), default=0.0)
    return _Take(stack, len(moved), begin, max((c.max_time for c in curves), default=0.0))


def _transforms(
    anim: Any, nodes: Sequence[Any], times: Float[np.ndarray, " frames"]
) -> Float[np.ndarray, "frames nodes 10"]:
    """Translation, quaternion (x, y, z, w) and scale of every node in its parent."""
    numbers = np.empty((len(times), len(nodes), 10))
    for frame, time in enumerate(times.tolist()):
        for at, node in enumerate(nodes):
            local = ufbx.evaluate_transform(anim, node, time)
            numbers[frame, at] = (*local.translation, *local.rotation, *local.scale)
    return numbers


def _bind(
    scene: Any, nodes: Sequence[Any], places: dict[int, int]
) -> Float[np.ndarray, "nodes 4 4"]:
    """World matrices of the pose in which a skin was bound; NaN where a node has none."""
    bind = np.full((len(nodes), 4, 4), np.nan)
    for at, node in enumerate(nodes):
        pose = _kept(node.bind_pose)
        found = None if pose is None else _kept(ufbx.get_bone_pose(pose, node))
        if found is not None:
            bind[at] = _matrix(found.bone_to_world)
    for cluster in _kept(list(scene.skin_clusters)):
        bone = _kept(cluster.bone_node)
        if bone is not None:
            bind[places[bone.typed_id]] = _matrix(cluster.bind_to_world)
    return bind


def _matrix(columns: Any) -> Float[np.ndarray, "4 4"]:
    matrix = np.eye(4)
    matrix[:3] = np.array([tuple(column) for column in columns]).T
    return matrix


def _write(names: list[str], facts: dict[str, object], **arrays: np.ndarray) -> None:
    stream = io.BytesIO()
    text = np.frombuffer(json.dumps({"names": names, **facts}).encode(), dtype=np.uint8)
    np.savez(stream, text=text, **arrays)  # pyright: ignore[reportArgumentType]
    sys.stdout.buffer.write(stream.getvalue())
    sys.stdout.buffer.flush()


if __name__ == "__main__":
    try:
        main(sys.argv[1])
        status = 0
    except _FbxFlawError as flaw:
        sys.stderr.write(str(flaw))
        sys.stderr.flush()
        status = UNREADABLE
    # Wrappers are not taken apart on the way out, in whatever order that would be.
    os._exit(status)
