"""USD as text (.usda): skeleton animation, skinned mannequin, camera. z up, metres, declared so.

USD counts apertures and focal lengths in tenths of the scene's unit, here decimetres.
"""

import json
from collections.abc import Iterable, Sequence
from pathlib import Path

import numpy as np
import torch
from jaxtyping import Float

from aesop.core.whole_files import atomic_path
from aesop.export.mannequin_mesh import (
    ROUGHNESS,
    SENSOR_WIDTH_MM,
    SURFACES,
    body_mesh,
    focal_mm,
    rest_places,
    steady_quaternions_wxyz,
    surface_of_triangle,
    world_from_gl_camera,
)
from aesop.preview import colours
from aesop.scene.human import Clip, HumanMotion
from aesop.scene.shot import Shot
from aesop.scene.skeleton import JOINT_NAMES, JOINTS, PARENTS, world_from_rest, world_rotations

NEAR_M, FAR_M = 0.05, 1000.0
_TENTHS_PER_MM = 0.01


def write_usda(subject: Shot | Clip, path: Path) -> None:
    """Write a shot, or a clip without a camera."""
    clip = subject.clip if isinstance(subject, Shot) else subject
    lines = [*_head(clip), 'def Xform "shot"', "{", *_indented(_person(clip))]
    if isinstance(subject, Shot):
        lines += _indented(_camera(subject))
    with atomic_path(path) as temporary:
        temporary.write_text("\n".join([*lines, "}", ""]), encoding="utf-8", newline="\n")


def _head(clip: Clip) -> list[str]:
    rate = f"{clip.fps:.9g}"
    return [
        "#usda 1.0",
        "(",
        '    defaultPrim = "shot"',
        "    doc = " + _text(f"{clip.name}, written by AESOP"),
        f"    endTimeCode = {clip.frames - 1}",
        f"    framesPerSecond = {rate}",
        "    metersPerUnit = 1",
        "    startTimeCode = 0",
        f"    timeCodesPerSecond = {rate}",
        '    upAxis = "Z"',
        ")",
        "",
    ]


def _person(clip: Clip) -> list[str]:
    skeleton = [
        f"uniform matrix4d[] bindTransforms = [{_bind_transforms()}]",
        f"uniform token[] joints = {_joint_paths()}",
        f"uniform matrix4d[] restTransforms = [{_rest_transforms()}]",
        "rel skel:animationSource = </shot/person/animation>",
    ]
    inner = [
        'def Skeleton "skeleton" (prepend apiSchemas = ["SkelBindingAPI"])',
        *_block(skeleton),
        'def SkelAnimation "animation"',
        *_block(_animation(clip.motion)),
        'def Mesh "mannequin" (prepend apiSchemas = ["SkelBindingAPI", "MaterialBindingAPI"])',
        *_block([*_mesh(), *_subsets()]),
        *_materials(),
    ]
    return ['def SkelRoot "person"', *_block(inner)]


def _animation(motion: HumanMotion) -> list[str]:
    rotations, joints = motion.rotations.double(), motion.joints.double()
    world = world_rotations(rotations)
    parents = list(PARENTS[1:])
    apart = (joints[:, 1:] - joints[:, parents])[..., None, :] @ world[:, parents]
    places = torch.cat([joints[:, :1], apart.squeeze(-2)], dim=1)
    turns = steady_quaternions_wxyz(rotations)
    ones = ", ".join(["(1, 1, 1)"] * JOINTS)
    return [
        f"uniform token[] joints = {_joint_paths()}",
        *_samples("quatf[] rotations", [f"[{_tuples(row)}]" for row in turns.numpy()]),
        f"half3[] scales = [{ones}]",
        *_samples("float3[] translations", [f"[{_tuples(row)}]" for row in places.numpy()]),
    ]


def _mesh() -> list[str]:
    mesh = body_mesh()
    stand = world_from_rest(torch.zeros(1, dtype=torch.float64)).numpy().T
    counts = ", ".join(["3"] * len(mesh.triangles))
    weights = ", ".join(["1"] * len(mesh.joint))
    whole = '(elementSize = 1; interpolation = "vertex")'
    return [
        'uniform token subdivisionScheme = "none"',
        f"int[] faceVertexCounts = [{counts}]",
        f"int[] faceVertexIndices = [{', '.join(map(str, mesh.triangles.reshape(-1)))}]",
        f"point3f[] points = [{_tuples(mesh.points @ stand)}]",
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


def _camera(shot: Shot) -> list[str]:
    camera = shot.camera
    width = SENSOR_WIDTH_MM * _TENTHS_PER_MM
    lengths = focal_mm(camera) * _TENTHS_PER_MM
    turns, centres = world_from_gl_camera(camera).numpy(), camera.centre.double().numpy()
    places = [_matrix(turn, centre) for turn, centre in zip(turns, centres, strict=True)]
    inner = [
        f"float2 clippingRange = ({NEAR_M}, {FAR_M:g})",
        f"float horizontalAperture = {_number(width)}",
        f"float verticalAperture = {_number(width / camera.aspect)}",
        *_samples("float focalLength", [_number(length) for length in lengths.tolist()]),
        'token projection = "perspective"',
        "custom string aesop:cameraWords = " + _text(shot.camera_words),
        "custom string aesop:humanWords = " + _text(shot.human_words),
        f"custom double aesop:intensity = {_number(shot.intensity)}",
        *_samples("matrix4d xformOp:transform", places),
        'uniform token[] xformOpOrder = ["xformOp:transform"]',
    ]
    return ['def Camera "camera"', *_block(inner)]


def _joint_paths() -> str:
    paths: list[str] = []
    for joint, name in enumerate(JOINT_NAMES):
        paths.append(f"{paths[PARENTS[joint]]}/{name}" if joint else name)
    return "[" + ", ".join(f'"{path}"' for path in paths) + "]"


def _bind_transforms() -> str:
    stand = world_from_rest(torch.zeros(1, dtype=torch.float64)).numpy()
    return ", ".join(_matrix(stand, stand @ place) for place in rest_places())


def _rest_transforms() -> str:
    stand = world_from_rest(torch.zeros(1, dtype=torch.float64)).numpy()
    places = rest_places()
    rows = [_matrix(stand, stand @ places[0])]
    for joint in range(1, JOINTS):
        rows.append(_matrix(np.eye(3), places[joint] - places[PARENTS[joint]]))
    return ", ".join(rows)


def _matrix(turn: Float[np.ndarray, "3 3"], place: Float[np.ndarray, "3"]) -> str:
    """USD multiplies rows from the left: the transpose of ours, the place in the last row."""
    rows = [(*row, 0.0) for row in turn.T.tolist()] + [(*place.tolist(), 1.0)]
    return "(" + ", ".join("(" + ", ".join(map(_number, row)) + ")" for row in rows) + ")"


def _samples(name: str, values: Sequence[str]) -> list[str]:
    lines = [f"    {frame}: {value}," for frame, value in enumerate(values)]
    return [f"{name}.timeSamples = {{", *lines, "}"]


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
