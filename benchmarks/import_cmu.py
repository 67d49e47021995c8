"""Import every CMU take and measure what retargeting keeps: limb directions, path, bones, footing.

    python benchmarks/import_cmu.py --takes bvh30.tar.xz

writes results/benchmarks/cmu_import.json and docs/cmu_import.md. The measures are written against
joint names and places of the source file and share no code with the retargeting but the BVH reader.
"""

import hashlib
import json
import tarfile
import tempfile
import time
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import numpy as np
import torch
import tyro
from record import write_result
from torch import Tensor
from tqdm import tqdm

from aesop.core.errors import AesopError
from aesop.files.bvh import joint_offsets, joint_turns, read_bvh
from aesop.files.bvh_clip import read_bvh_clip
from aesop.scene.curves import resample_points
from aesop.scene.human import NATIVE_FPS, Clip
from aesop.scene.skeleton import JOINT, JOINTS, PARENTS, bone_length

PAGE = Path(__file__).resolve().parents[1] / "docs" / "cmu_import.md"

# Ours (from, to) beside CMU's (from, to).
LIMBS = {
    f"{side} {limb}": (f"{side}_{a}", f"{side}_{b}", f"{Side}{c}", f"{Side}{d}")
    for side, Side in (("left", "Left"), ("right", "Right"))
    for limb, a, b, c, d in (
        ("thigh", "hip", "knee", "UpLeg", "Leg"),
        ("shin", "knee", "ankle", "Leg", "Foot"),
        ("foot", "ankle", "foot", "Foot", "ToeBase"),
        ("upper arm", "shoulder", "elbow", "Arm", "ForeArm"),
        ("forearm", "elbow", "wrist", "ForeArm", "Hand"),
    )
}
LINES = {
    "hips, left to right": ("left_hip", "right_hip", "LeftUpLeg", "RightUpLeg"),
    "shoulders, left to right": ("left_shoulder", "right_shoulder", "LeftArm", "RightArm"),
    "pelvis to neck": ("pelvis", "neck", "Hips", "Neck"),
    "pelvis to head": ("pelvis", "head", "Hips", "Head"),
}
PLANTED_MPS, PLANTED_HEIGHT_M = 0.3, 0.05
# Lines of the trunk further off than this, in degrees, mean that the source itself is broken.
BROKEN = 30.0
# Below this much sliding in the source a ratio of slides compares noise with noise.
WORTH_COMPARING_M = 0.1


@dataclass(frozen=True)
class Take:
    """What became of one take. Angles in degrees, lengths in metres; empty where it was refused."""

    name: str
    sha256: str
    refused: str
    cpu_seconds: float
    frames_in: int
    frames_out: int
    limb_degrees: dict[str, float]
    line_degrees: dict[str, float]
    path_mean_m: float
    path_max_m: float
    bone_error_m: float
    slide_source_m: float
    slide_ours_m: float


def measure(path: Path) -> Take:
    """Import one take and compare it with its source."""
    torch.set_num_threads(1)
    digest = hashlib.sha256(path.read_bytes()).hexdigest()
    begin = time.process_time()
    try:
        clip = read_bvh_clip(path)
    except AesopError as problem:
        reason = problem.fact.replace(str(path), path.name)
        return Take(
            path.stem, digest, reason, time.process_time() - begin, 0, 0, {}, {}, *[0.0] * 5
        )
    spent = time.process_time() - begin
    source, names = _source_places(path)
    frames_in = source.shape[0]
    source *= _our_leg() / _leg(source[0], names)
    source = resample_points(source, 30.0, NATIVE_FPS)
    ours = clip.motion.joints.double()
    assert len(source) == len(ours)
    offset = ours[:, 0] - source[:, names.index("Hips")]
    off_path = torch.linalg.vector_norm(offset - offset.mean(0), dim=-1)
    slides = [_slides(ours, source, names, side) for side in ("left", "right")]
    return Take(
        path.stem,
        digest,
        "",
        spent,
        frames_in,
        clip.frames,
        _degrees(LIMBS, ours, source, names),
        _degrees(LINES, ours, source, names),
        float(off_path.mean()),
        float(off_path.max()),
        _bone_error(clip),
        sum(slide[0] for slide in slides),
        sum(slide[1] for slide in slides),
    )


def _source_places(path: Path) -> tuple[Tensor, list[str]]:
    """Joint places of the file without its T-pose, z up, in the file's units."""
    bvh = read_bvh(path)
    everything = range(len(bvh.joints))
    turns, offsets = joint_turns(bvh, everything), joint_offsets(bvh, everything)
    world, places = [turns[:, 0]], [offsets[:, 0]]
    for joint in everything[1:]:
        parent = bvh.joints[joint].parent
        world.append(world[parent] @ turns[:, joint])
        places.append(places[parent] + torch.einsum("fij,fj->fi", world[parent], offsets[:, joint]))
    x, y, z = torch.stack(places, dim=1)[1:].unbind(-1)
    return torch.stack([x, -z, y], dim=-1), [joint.name for joint in bvh.joints]


def _leg(places: Tensor, names: list[str]) -> float:
    total = 0.0
    for side in ("Left", "Right"):
        hip, knee, ankle = (places[names.index(side + part)] for part in ("UpLeg", "Leg", "Foot"))
        total += float((hip - knee).norm() + (knee - ankle).norm())
    return total / 2


def _our_leg() -> float:
    ends = ("left_knee", "right_knee", "left_ankle", "right_ankle")
    return sum(bone_length(JOINT[end]) for end in ends) / 2


def _degrees(
    bones: dict[str, tuple[str, str, str, str]], ours: Tensor, source: Tensor, names: list[str]
) -> dict[str, float]:
    """Mean angle between each of our bones and the source's."""
    result: dict[str, float] = {}
    for bone, (a, b, c, d) in bones.items():
        mine = ours[:, JOINT[b]] - ours[:, JOINT[a]]
        theirs = source[:, names.index(d)] - source[:, names.index(c)]
        sine = torch.linalg.vector_norm(torch.linalg.cross(mine, theirs), dim=-1)
        angle = torch.atan2(sine, (mine * theirs).sum(-1))
        result[bone] = float(torch.rad2deg(angle).mean())
    return result


def _bone_error(clip: Clip) -> float:
    joints = clip.motion.joints.double()
    lengths = torch.linalg.vector_norm(joints[:, 1:] - joints[:, list(PARENTS[1:])], dim=-1)
    rest = torch.tensor([bone_length(joint) for joint in range(1, JOINTS)], dtype=torch.float64)
    return float((lengths - rest).abs().max())


def _slides(ours: Tensor, source: Tensor, names: list[str], side: str) -> tuple[float, float]:
    """Way over the ground of a foot while it is planted in the source: there, and on ours."""
    theirs = source[:, names.index(f"{side.capitalize()}ToeBase")]
    mine = ours[:, JOINT[f"{side}_foot"]]
    slow = torch.linalg.vector_norm(theirs.diff(dim=0), dim=-1) * NATIVE_FPS < PLANTED_MPS
    low = theirs[:, 2] < theirs[:, 2].quantile(0.05) + PLANTED_HEIGHT_M
    planted = slow & low[1:] & low[:-1]
    ways = [torch.linalg.vector_norm(p[:, :2].diff(dim=0), dim=-1)[planted] for p in (theirs, mine)]
    return float(ways[0].sum()), float(ways[1].sum())


def _spread(values: list[float]) -> dict[str, float]:
    array = np.asarray(values)
    points = {"median": 50, "p95": 95, "max": 100}
    spread = {name: float(np.percentile(array, point)) for name, point in points.items()}
    return {name: float(f"{value:.4g}") for name, value in {"mean": array.mean(), **spread}.items()}


def summarise(takes: list[Take], wall_seconds: float, workers: int) -> dict[str, object]:
    """Everything that is published, from the takes measured."""
    good = [take for take in takes if not take.refused]
    ratios = {
        take.name: take.slide_ours_m / take.slide_source_m
        for take in good
        if take.slide_source_m >= WORTH_COMPARING_M
    }
    frames = sum(take.frames_in for take in good)
    spent = sum(take.cpu_seconds for take in takes)
    return {
        "takes": len(takes),
        "subjects": len({take.name.split("_")[0] for take in good}),
        "imported": len(good),
        "refused": {take.name: take.refused for take in takes if take.refused},
        "source_frames": frames,
        "hours": round(sum(take.frames_out for take in good) / NATIVE_FPS / 3600, 3),
        "cpu_seconds": round(spent, 1),
        "takes_per_cpu_second": round(len(takes) / spent, 1),
        "frames_per_cpu_second": round(frames / spent),
        "wall_seconds": round(wall_seconds, 1),
        "workers": workers,
        "limb_degrees": {limb: _spread([t.limb_degrees[limb] for t in good]) for limb in LIMBS},
        "worst_limb_degrees": _spread([max(t.limb_degrees.values()) for t in good]),
        "line_degrees": {line: _spread([t.line_degrees[line] for t in good]) for line in LINES},
        "broken_takes": [take.name for take in good if max(take.line_degrees.values()) > BROKEN],
        "path_mean_m": _spread([take.path_mean_m for take in good]),
        "path_max_m": _spread([take.path_max_m for take in good]),
        "bone_error_m": _spread([take.bone_error_m for take in good]),
        "slide_ratio": _spread(list(ratios.values())),
        "slide_ratio_takes": len(ratios),
        "slide_ratio_above_1.5": [name for name, ratio in ratios.items() if ratio > 1.5],
        "slide_total_m": [
            round(sum(take.slide_source_m for take in good), 2),
            round(sum(take.slide_ours_m for take in good), 2),
        ],
        "data_sha256": hashlib.sha256("".join(t.sha256 for t in takes).encode()).hexdigest(),
    }


def _files(takes: Path, scratch: Path) -> list[Path]:
    if takes.is_dir():
        return sorted(takes.rglob("*.bvh"))
    with tarfile.open(takes) as archive:
        archive.extractall(scratch, filter="data")
    return sorted(scratch.rglob("*.bvh"))


def page(summary: dict[str, Any]) -> str:
    """The summary as a page of docs/."""

    def row(name: str, spread: dict[str, float], unit: float = 1.0) -> str:
        shown = " | ".join(f"{spread[key] * unit:.2f}" for key in ("mean", "median", "p95", "max"))
        return f"| {name} | {shown} |"

    head = ["| | mean | median | 95 % | max |", "|---|---|---|---|---|"]
    refused = [f"`{take}`: {why}" for take, why in summary["refused"].items()]
    machine = summary["machine"]
    lines = [
        "# Importing the CMU takes",
        "",
        "Written by `benchmarks/import_cmu.py` from `results/benchmarks/cmu_import.json`. Every "
        "take of the 30 fps archive (B. Hahne's BVH conversion) is read, retargeted to our "
        "skeleton and compared with its source file; each figure is a mean over the frames of a "
        "take, the columns run over takes.",
        "",
        "| | |",
        "|---|---|",
        f"| takes | {summary['takes']} |",
        f"| imported | {summary['imported']}, of {summary['subjects']} people, "
        f"{summary['hours']:.2f} hours |",
        f"| refused | {len(refused)} ({'; '.join(refused)}) |",
        f"| processor time for importing | {summary['cpu_seconds']:.0f} s: "
        f"{summary['takes_per_cpu_second']:.1f} takes or "
        f"{summary['frames_per_cpu_second']} source frames per second and core |",
        f"| wall time, measuring included | {summary['wall_seconds']:.0f} s with "
        f"{summary['workers']} processes on {machine['cores']} cores ({machine['cpu']}), shared "
        "with other work |",
        "",
        "## Directions, degrees between ours and the source's",
        "",
        *head,
        *(row(limb, spread) for limb, spread in summary["limb_degrees"].items()),
        row("worst limb of each take", summary["worst_limb_degrees"]),
        *(row(line, spread) for line, spread in summary["line_degrees"].items()),
        "",
        "Arms and feet keep their directions exactly (what remains is resampling to 25 fps); legs "
        "give way by about half a degree so that standing feet stand. Lines of the trunk differ "
        "because the skeletons do: the source has no thorax bone, other hips, and its back is "
        "compared from the T-pose on, not absolutely. Takes in which the source's own body is "
        f"broken: {', '.join(summary['broken_takes']) or 'none'} (its chest faces backwards).",
        "",
        "## Path, bones and footing",
        "",
        *head,
        row("pelvis off the scaled path, worst frame, cm", summary["path_max_m"], 100),
        row("bone length off the skeleton, worst bone, µm", summary["bone_error_m"], 1e6),
        row("slide of planted feet, ours over the source's", summary["slide_ratio"]),
        "",
        f"A foot is planted while the source's toe is slower than {PLANTED_MPS} m/s and within "
        f"{100 * PLANTED_HEIGHT_M:.0f} cm of its lowest height. Ratios are taken over the "
        f"{summary['slide_ratio_takes']} takes whose planted feet slide {WORTH_COMPARING_M} m or "
        f"more in the source; {len(summary['slide_ratio_above_1.5'])} of them exceed 1.5 "
        f"({', '.join(summary['slide_ratio_above_1.5']) or 'none'}). All takes together slide "
        f"{summary['slide_total_m'][0]:.0f} m in the source and {summary['slide_total_m'][1]:.0f} "
        "m on our skeleton.",
        "",
    ]
    return "\n".join(lines)


def main(takes: Path, workers: int = 2) -> None:
    """Import all takes of an archive or folder, write the JSON and its page."""
    with tempfile.TemporaryDirectory() as scratch:
        files = _files(takes, Path(scratch))
        begin = time.perf_counter()
        with ProcessPoolExecutor(workers, get_context("spawn")) as pool:
            done = list(tqdm(pool.map(measure, files, chunksize=8), total=len(files)))
        wall_seconds = time.perf_counter() - begin
    summary = summarise(done, wall_seconds, workers)
    written = write_result(
        "cmu_import", "python benchmarks/import_cmu.py --takes bvh30.tar.xz", summary
    )
    PAGE.write_text(page(json.loads(written.read_text(encoding="utf-8"))), encoding="utf-8")
    print(written, PAGE, sep="\n")


if __name__ == "__main__":
    tyro.cli(main)
