"""USD as text (.usda): skeleton animation, skinned mannequin, camera. z up, metres, declared so.

USD counts apertures and focal lengths in tenths of the scene's unit, here decimetres.
"""

import json
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
from jaxtyping import Float

from aesop.core.whole_files import atomic_path
from aesop.export.figure import Figure, figure_of
from aesop.export.mannequin_mesh import (
    ROUGHNESS,
    SURFACES,
    focal_mm,
    steady_quaternions_wxyz,
    surface_of_triangle,
    world_from_gl_camera,
)
from aesop.preview import colours
from aesop.scene.human import Clip
from aesop.scene.shot import Shot
from aesop.scene.skeleton import world_from_rest
from aesop.scene.source import UpAxis

NEAR_M, FAR_M = 0.05, 1000.0
_TENTHS_PER_MM = 0.01


def write_usda(subject: Shot | Clip, path: Path) -> None:
    """Write a shot, or a clip without a camera."""
    clip = subject.clip if isinstance(subject, Shot) else subject
    stage = _stage(clip)
    lines = [*_head(clip, stage), 'def Xform "shot"', "{", *_indented(_person(clip, stage))]
    if isinstance(subject, Shot):
        lines += _indented(_camera(subject, stage))
    with atomic_path(path) as temporary:
        temporary.write_text("\n".join([*lines, "}", ""]), encoding="utf-8", newline="\n")


@dataclass(frozen=True, eq=False)
class _Stage:
    """What the file declares: its axes, its unit, and the number of its first frame."""

    turn: Float[np.ndarray, "3 3"]  # stage_from_world, for our z-up world
    up: UpAxis
    metres_per_unit: float
    first_frame: int

    def length(self, metres: float) -> float:
        return metres / self.metres_per_unit

    def samples(self, name: str, values: Sequence[str]) -> list[str]:
        lines = [f"    {frame}: {value}," for frame, value in enumerate(values, self.first_frame)]
        return [f"{name}.timeSamples = {{", *lines, "}"]


def _stage(clip: Clip) -> _Stage:
    """As the clip's file has it; z up and metres for a clip without one."""
    if clip.source is None:
        return _Stage(np.eye(3), "z", 1.0, 0)
    turn = clip.source.clip_from_file.double().numpy().T
    unit, first = clip.source.metres_per_unit, round(clip.source.first_frame)
    return _Stage(turn, clip.source.up, unit, first)


def _head(clip: Clip, stage: _Stage) -> list[str]:
    rate = f"{clip.fps:.9g}"
    return [
        "#usda 1.0",
        "(",
        '    defaultPrim = "shot"',
        "    doc = " + _text(f"{clip.name}, written by AESOP"),
        f"    endTimeCode = {stage.first_frame + clip.frames - 1}",
        f"    framesPerSecond = {rate}",
        f"    metersPerUnit = {_number(stage.metres_per_unit)}",
        f"    startTimeCode = {stage.first_frame}",
        f"    timeCodesPerSecond = {rate}",
        f'    upAxis = "{stage.up.upper()}"',
        ")",
        "",
    ]


def _person(clip: Clip, stage: _Stage) -> list[str]:
    figure = figure_of(clip)
    skeleton = [
        f"uniform matrix4d[] bindTransforms = [{_bind_transforms(figure, stage)}]",
        *_joint_names(figure),
        f"uniform token[] joints = {_joint_paths(figure)}",
        f"uniform matrix4d[] restTransforms = [{_rest_transforms(figure, stage)}]",
        "rel skel:animationSource = </shot/person/animation>",
    ]
    is_mannequin = figure.name == "mannequin"
    inner = [
        'def Skeleton "skeleton" (prepend apiSchemas = ["SkelBindingAPI"])',
        *_block(skeleton),
        'def SkelAnimation "animation"',
        *_block(_animation(figure, stage)),
        f'def Mesh "{figure.name if is_mannequin else "sticks"}" '
        '(prepend apiSchemas = ["SkelBindingAPI", "MaterialBindingAPI"])',
        *_block([*_mesh(figure, stage), *(_subsets() if is_mannequin else [])]),
        *(_materials() if is_mannequin else []),
    ]
    return ['def SkelRoot "person"', *_block(inner)]


def _standing(figure: Figure, stage: _Stage) -> Float[np.ndarray, "3 3"]:
    """Stage_from_figure: figures are y up."""
    return stage.turn @ world_from_rest(figure.offsets).double().numpy()


def _animation(figure: Figure, stage: _Stage) -> list[str]:
    stand = torch.from_numpy(_standing(figure, stage))
    rotations, places = figure.rotations.clone(), figure.offsets.clone()
    rotations[:, figure.roots] = stand @ rotations[:, figure.roots]
    places[:, figure.roots] = places[:, figure.roots] @ stand.T
    turns, places = steady_quaternions_wxyz(rotations), stage.length(1.0) * places
    ones = ", ".join(["(1, 1, 1)"] * len(figure.bones))
    return [
        f"uniform token[] joints = {_joint_paths(figure)}",
        *stage.samples("quatf[] rotations", [f"[{_tuples(row)}]" for row in turns.numpy()]),
        f"half3[] scales = [{ones}]",
        *stage.samples("float3[] translations", [f"[{_tuples(row)}]" for row in places.numpy()]),
    ]


def _mesh(figure: Figure, stage: _Stage) -> list[str]:
    mesh = figure.mesh
    stand = _standing(figure, stage).T
    points = stage.length(1.0) * (mesh.points @ stand)
    counts = ", ".join(["3"] * len(mesh.triangles))
    weights = ", ".join(["1"] * len(mesh.joint))
    whole = '(elementSize = 1; interpolation = "vertex")'
    return [
        'uniform token subdivisionScheme = "none"',
        f"int[] faceVertexCounts = [{counts}]",
        f"int[] faceVertexIndices = [{', '.join(map(str, mesh.triangles.reshape(-1)))}]",
        f"point3f[] points = [{_tuples(points)}]",
        f'normal3f[] normals = [{_tuples(mesh.normals @ stand)}] (interpolation = "vertex")',
        f'color3f[] primvars:displayColor = [{_tuples(mesh.colours)}] (interpolation = "vertex")',
        f"int[] primvars:skel:jointIndices = [{', '.join(map(str, mesh.joint))}] {whole}",
        f"float[] primvars:skel:jointWeights = [{weights}] {whole}",
        f"matrix4d primvars:skel:geomBindTransform = {_matrix(np.eye(3), np.zeros(3))}",
        "rel skel:skeleton = </shot/person/skeleton>",
    ]


def _subsets() -> list[str]:
    """Which triangles have which material. Programs that ignore colours of vertices read these."""
    lines = ['uniform token subsetFamily:materialBind:familyType = "partition"']
    for number, name in enumerate(SURFACES):
        triangles = np.flatnonzero(surface_of_triangle() == number).tolist()
        inner = [
            'uniform token elementType = "face"',
            'uniform token familyName = "materialBind"',
            f"int[] indices = [{', '.join(map(str, triangles))}]",
            f"rel material:binding = </shot/person/materials/{name}>",
        ]
        api = '(prepend apiSchemas = ["MaterialBindingAPI"])'
        lines += [f'def GeomSubset "{name}" {api}', *_block(inner)]
    return lines


def _materials() -> list[str]:
    lines: list[str] = []
    for name, colour in SURFACES.items():
        shader = [
            'uniform token info:id = "UsdPreviewSurface"',
            f"color3f inputs:diffuseColor = {_tuples(colours.linear(colour)[None])}",
            "float inputs:metallic = 0",
            f"float inputs:roughness = {_number(ROUGHNESS)}",
            "token outputs:surface",
        ]
        output = f"/shot/person/materials/{name}/shader.outputs:surface"
        surface = f"token outputs:surface.connect = <{output}>"
        lines += [
            f'def Material "{name}"',
            *_block([surface, 'def Shader "shader"', *_block(shader)]),
        ]
    return ['def Scope "materials"', *_block(lines)]


def _camera(shot: Shot, stage: _Stage) -> list[str]:
    camera = shot.camera
    tenths_per_mm = stage.length(_TENTHS_PER_MM)
    width = shot.sensor_width_mm * tenths_per_mm
    lengths = focal_mm(camera, shot.sensor_width_mm) * tenths_per_mm
    turns = stage.turn @ world_from_gl_camera(camera).numpy()
    centres = stage.length(1.0) * (camera.centre.double().numpy() @ stage.turn.T)
    places = [_matrix(turn, centre) for turn, centre in zip(turns, centres, strict=True)]
    near, far = stage.length(NEAR_M), stage.length(FAR_M)
    inner = [
        f"float2 clippingRange = ({_number(near)}, {_number(far)})",
        f"float horizontalAperture = {_number(width)}",
        f"float verticalAperture = {_number(width / camera.aspect)}",
        *stage.samples("float focalLength", [_number(length) for length in lengths.tolist()]),
        'token projection = "perspective"',
        "custom string aesop:cameraWords = " + _text(shot.camera_words),
        "custom string aesop:humanWords = " + _text(shot.human_words),
        f"custom double aesop:intensity = {_number(shot.intensity)}",
        *stage.samples("matrix4d xformOp:transform", places),
        'uniform token[] xformOpOrder = ["xformOp:transform"]',
    ]
    return ['def Camera "camera"', *_block(inner)]


def _joint_names(figure: Figure) -> list[str]:
    """What the file calls its joints, where USD cannot say it in their paths."""
    if list(figure.bones) == _identifiers(figure):
        return []
    return ["uniform token[] jointNames = [" + ", ".join(map(_text, figure.bones)) + "]"]


def _identifiers(figure: Figure) -> list[str]:
    names = [re.sub(r"[^A-Za-z0-9_]", "_", name) for name in figure.bones]
    names = [f"_{name}" if not name or name[0].isdigit() else name for name in names]
    return [name if names.count(name) == 1 else f"{name}_{at}" for at, name in enumerate(names)]


def _joint_paths(figure: Figure) -> str:
    paths: list[str] = []
    for name, parent in zip(_identifiers(figure), figure.parents, strict=True):
        paths.append(f"{paths[parent]}/{name}" if parent >= 0 else name)
    return "[" + ", ".join(f'"{path}"' for path in paths) + "]"


def _bind_transforms(figure: Figure, stage: _Stage) -> str:
    stand = _standing(figure, stage)
    turns, places = (part.numpy() for part in figure.rest_world)
    return ", ".join(
        _matrix(stand @ turn, stage.length(1.0) * (stand @ place))
        for turn, place in zip(turns, places, strict=True)
    )


def _rest_transforms(figure: Figure, stage: _Stage) -> str:
    stand = _standing(figure, stage)
    rows: list[str] = []
    for bone, parent in enumerate(figure.parents):
        turn, place = figure.rest_rotations[bone].numpy(), figure.rest_offsets[bone].numpy()
        if parent < 0:
            turn, place = stand @ turn, stand @ place
        rows.append(_matrix(turn, stage.length(1.0) * place))
    return ", ".join(rows)


def _matrix(turn: Float[np.ndarray, "3 3"], place: Float[np.ndarray, "3"]) -> str:
    """USD multiplies rows from the left: the transpose of ours, the place in the last row."""
    rows = [(*row, 0.0) for row in turn.T.tolist()] + [(*place.tolist(), 1.0)]
    return "(" + ", ".join("(" + ", ".join(map(_number, row)) + ")" for row in rows) + ")"


def _tuples(rows: Float[np.ndarray, "rows _"]) -> str:
    return ", ".join("(" + ", ".join(map(_number, row)) + ")" for row in rows.tolist())


def _number(value: float) -> str:
    return f"{value:.9g}"


def _text(words: str) -> str:
    """A quoted string; JSON escapes what USD escapes."""
    return json.dumps(" ".join(words.split()), ensure_ascii=False)


def _block(lines: Iterable[str]) -> list[str]:
    return ["{", *_indented(lines), "}"]


def _indented(lines: Iterable[str]) -> list[str]:
    return [f"    {line}" for line in lines]
