"""What the procedural cinematographer films: speed, framing, tags, travel, and whom it follows.

    python benchmarks/fables_operator.py [--takes BVH_FOLDER] [--shots 2000]

Writes results/benchmarks/fables_operator.json. Without takes it films made-up motions.
"""

import json
import platform
import time
from collections import Counter, defaultdict
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

import numpy as np
import torch
import tyro
from jaxtyping import Float, Int
from operator_people import Filmable, people

from aesop.fables.cinematographer.filming import FilmedShot, film
from aesop.fables.cinematographer.moves import SINGLE_AXIS_TAGS
from aesop.scene.camera import out_of_frame, project_joints
from aesop.scene.human import NATIVE_FPS
from aesop.scene.movement import CLASSES, TAG_NAMES, signs_from_tag, tag_path

ROOT = Path(__file__).resolve().parents[1]
# Published for E.T.: standard deviation of centre increments, metres a frame, in the axes of the
# first camera (right, down, forward).
ET_INCREMENT_STD_M = (0.027841, 0.01819818, 0.03138536)


@dataclass(frozen=True, eq=False)
class Filmed:
    """One person, one shot, and the tags of the path with its shake."""

    person: Filmable
    shot: FilmedShot
    shaken_tags: Int[np.ndarray, " transitions"]

    @property
    def centre(self) -> Float[np.ndarray, "frames 3"]:
        return self.shot.camera.centre.double().numpy()

    @property
    def rotation(self) -> Float[np.ndarray, "frames 3 3"]:
        return self.shot.camera.world_from_camera.double().numpy()


def percentiles(values: Float[np.ndarray, " values"], digits: int = 3) -> dict[str, float]:
    at = (5, 10, 25, 50, 75, 90, 95)
    found = np.percentile(values, at)
    return {f"p{p}": round(float(v), digits) for p, v in zip(at, found, strict=True)}


def shares(counts: Counter[str]) -> dict[str, float]:
    total = sum(counts.values())
    return {name: round(count / total, 4) for name, count in counts.most_common()}


def weighted_f1(pairs: list[tuple[np.ndarray, np.ndarray]]) -> float:
    """F1 of recomputed against meant tags, weighted by support, over all transitions."""
    found = np.concatenate([a for a, _ in pairs])
    meant = np.concatenate([b for _, b in pairs])
    total = 0.0
    for tag in range(CLASSES):
        hits = int(((found == tag) & (meant == tag)).sum())
        both = int((found == tag).sum() + (meant == tag).sum())
        if both:
            total += 2 * hits / both * float((meant == tag).mean())
    return round(total, 4)


def axes_of(tags: Int[np.ndarray, " transitions"]) -> Int[np.ndarray, " transitions"]:
    return np.abs(signs_from_tag(tags)).sum(axis=-1)


def told_by_kind(logs: Float[np.ndarray, " shots"], kinds: list[str]) -> float:
    """Share of the variance of log travel that a word for the kind would give away."""
    rest = np.zeros_like(logs)
    for kind in set(kinds):
        inside = np.array([one == kind for one in kinds])
        rest[inside] = logs[inside] - logs[inside].mean()
    return round(float(1 - rest.var() / logs.var()), 3)


def travel_table(shots: list[Filmed]) -> dict[str, dict[str, float]]:
    """Travel of shots with one run, per single-axis tag."""
    rows: dict[int, list[tuple[float, str]]] = defaultdict(list)
    for one in shots:
        outline = one.shot.intent.outline
        if len(outline) == 1:
            rows[outline[0].tag].append((one.shot.intent.travel_m, outline[0].kind))
    table: dict[str, dict[str, float]] = {}
    for tag in SINGLE_AXIS_TAGS:
        travel = np.array([way for way, _ in rows[tag]])
        low, high = np.percentile(travel, [10, 90])
        table[TAG_NAMES[tag]] = {
            "shots": len(travel),
            **percentiles(travel),
            "p90_over_p10": round(float(high / low), 1),
            "log_travel_r2_on_kind": told_by_kind(np.log(travel), [k for _, k in rows[tag]]),
        }
    return table


def person_table(shots: list[Filmed]) -> dict[str, float]:
    """Whether the person matters: followers go along, arcs keep their distance, aims turn."""
    along: list[float] = []
    spread: list[float] = []
    for one in shots:
        root, centre = one.person.joints[:, 0, :2], one.centre[:, :2]
        for movement in one.shot.intent.outline:
            frames = slice(movement.first, movement.stop + 1)
            if movement.kind in ("follow", "lead"):
                way = root[movement.stop] - root[movement.first]
                gone = centre[movement.stop] - centre[movement.first]
                along.append(float(way @ gone / np.linalg.norm(way) / np.linalg.norm(gone)))
            if movement.kind == "arc":
                distance = np.linalg.norm(centre[frames] - root[frames], axis=-1)
                spread.append(float(np.ptp(distance) / distance.mean()))
    return {
        "follows": len(along),
        "follow_direction_cosine_median": round(float(np.median(along)), 3),
        "arcs": len(spread),
        "arc_distance_spread_median": round(float(np.median(spread)), 3),
    }


def limits_table(shots: list[Filmed]) -> dict[str, float]:
    steps = [np.diff(one.centre, axis=0) for one in shots]
    table: dict[str, float] = {}
    for order, name in enumerate(("speed", "acceleration", "jerk")):
        size = [np.linalg.norm(np.diff(step, n=order, axis=0), axis=-1) for step in steps]
        table[f"{name}_p99.5_m"] = round(float(np.percentile(np.concatenate(size), 99.5)), 5)
        table[f"{name}_max_m"] = round(float(max(one.max() for one in size)), 5)
    return table


def turn_deg_s(one: Filmed) -> Float[np.ndarray, " transitions"]:
    step = np.einsum("tji,tjk->tik", one.rotation[:-1], one.rotation[1:])
    cosine = np.clip((np.trace(step, axis1=1, axis2=2) - 1) / 2, -1, 1)
    return np.degrees(np.arccos(cosine)) * NATIVE_FPS


def framing_table(shots: list[Filmed]) -> dict[str, object]:
    lost = torch.cat(
        [
            out_of_frame(
                project_joints(one.shot.camera, torch.from_numpy(one.person.joints).float())
            )
            for one in shots
        ]
    )
    apart = [
        np.linalg.norm(one.person.joints - one.centre[:, None], axis=-1).min() for one in shots
    ]
    start = [np.linalg.norm(one.centre[0] - one.person.joints[0, 0]) for one in shots]
    fov = np.degrees([float(one.shot.camera.fov_vertical[0]) for one in shots])
    return {
        "out_percent": round(100 * float(lost.double().mean()), 3),
        "nearest_joint_m": round(float(min(apart)), 3),
        "lowest_camera_m": round(float(min(one.centre[:, 2].min() for one in shots)), 3),
        "start_distance_m": percentiles(np.array(start)),
        "start_height_m": percentiles(np.array([one.centre[0, 2] for one in shots])),
        "fov_vertical_deg": percentiles(fov, 1),
        "shot_sizes": shares(Counter(one.shot.intent.shot_size for one in shots)),
        "aspects": shares(Counter(f"{one.shot.camera.aspect:.3f}" for one in shots)),
    }


def tags_table(shots: list[Filmed]) -> dict[str, object]:
    pairs = [(one.shaken_tags, one.shot.intent.tags) for one in shots]
    by_grip: dict[str, list[tuple[np.ndarray, np.ndarray]]] = defaultdict(list)
    for one, pair in zip(shots, pairs, strict=True):
        by_grip[one.shot.intent.grip].append(pair)
    axes = axes_of(np.concatenate([meant for _, meant in pairs]))
    names = ("static", "one_axis", "two_axes", "three_axes")
    kinds = Counter(m.kind for one in shots for m in one.shot.intent.outline)
    return {
        "f1": weighted_f1(pairs),
        "f1_by_grip": {grip: weighted_f1(pair) for grip, pair in sorted(by_grip.items())},
        "transition_shares": {
            n: round(float((axes == at).mean()), 4) for at, n in enumerate(names)
        },
        "classes": len({int(tag) for _, meant in pairs for tag in np.unique(meant)}),
        "one_run": round(float(np.mean([len(o.shot.intent.outline) == 1 for o in shots])), 4),
        "clean": round(float(np.mean([one.shot.intent.clean for one in shots])), 4),
        "kinds": dict(kinds),
        "grips": shares(Counter(one.shot.intent.grip for one in shots)),
    }


def main(takes: Path | None = None, shots: int = 2000) -> None:
    """Film, measure, write."""
    crowd = list(islice(people(takes), shots))
    before = time.process_time()
    filmed = [film(p.joints, p.yaw, np.random.default_rng([3, at])) for at, p in enumerate(crowd)]
    seconds = time.process_time() - before
    done = [
        Filmed(person, shot, tag_path(shot.camera, NATIVE_FPS))
        for person, shot in zip(crowd, filmed, strict=True)
    ]
    thrown: Counter[str] = Counter()
    for shot in filmed:
        thrown.update(shot.redraws)
    steps = np.concatenate([np.diff(one.centre, axis=0) @ one.rotation[0] for one in done])
    record = {
        "people": "windows of captured takes" if takes else "made-up motions",
        "shots": shots,
        "shots_per_cpu_second": round(shots / seconds, 1),
        "machine": platform.processor() or platform.machine(),
        "redraws_per_shot": round(thrown.total() / shots, 3),
        "redraws": dict(thrown.most_common()),
        "framing": framing_table(done),
        "tags": tags_table(done),
        "increment_std_m": [round(float(v), 5) for v in steps.std(axis=0)],
        "increment_std_over_et": [
            round(float(v), 3) for v in steps.std(axis=0) / np.array(ET_INCREMENT_STD_M)
        ],
        "limits": limits_table(done),
        "turn_deg_s": percentiles(np.concatenate([turn_deg_s(one) for one in done])),
        "travel_m": travel_table(done),
        "person": person_table(done),
        "repeat": "python benchmarks/fables_operator.py --takes BVH_FOLDER",
    }
    (ROOT / "results" / "benchmarks" / "fables_operator.json").write_text(
        json.dumps(record, indent=1) + "\n", encoding="utf-8"
    )
    print(json.dumps(record, indent=1))


if __name__ == "__main__":
    tyro.cli(main)
