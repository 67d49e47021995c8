"""Do paths meet the cameras that they are given, and are they still shots?

    python runs/keyframes.py --data FABLES [--weights FOLDER] [--preset fast] [--best-take]
    python runs/keyframes.py --picture docs/pictures/keyframes.jpg [--weights FOLDER]

Films cases of the validation split freely and with keys of five kinds, in turn: frames of another
take of the same request, moved and turned at random; the first frame of a shot of other words; both
ends of the reference shot; its ends and a frame between; and half of another take, kept. Writes
errors at keys, how far sampling came by itself, how far the warp went, and FDC, speeds and unrest
beside free shots of the same requests and beside the references. The second line draws a page of
one motion: two free shots, and shots that meet cameras of them.
"""

import argparse
import json
import os
import sys
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import get_args

# Read when torch starts its threads: threads that spin while waiting slow each other down.
os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")

import numpy as np
import torch

from aesop.camera_words.made_as_asked import made_as_asked
from aesop.data.store import open_store
from aesop.director.director import Director, load_director
from aesop.director.facts_filming import asked_in
from aesop.director.requests import FilmRequest
from aesop.evaluators.evaluator_weights import evaluators_folder, load_evaluators
from aesop.fables.synthetic import synthetic_motion
from aesop.flow.solvers import PresetName
from aesop.measuring.cases import Case, read_cases
from aesop.measuring.runs import origin_of_result
from aesop.metrics.embedding_metrics import fit_gaussian, frechet_distance
from aesop.metrics.framing_metrics import holding_of, turn_speeds_dps
from aesop.metrics.metric_book import MetricError
from aesop.metrics.motion_metrics import travel_of
from aesop.preview.canvas import Picture
from aesop.preview.sheets import grid_sheet, write_picture
from aesop.scene.camera import CameraPath
from aesop.scene.camera_keys import MET, CameraKeys, KeptPart, KeyedCamera, key_miss
from aesop.scene.rotation import matrix_from_axis_angle
from aesop.scene.shot import Shot

ROOT = Path(__file__).resolve().parents[1]
KINDS = ("another take, moved", "start of another shot", "ends", "ends and between", "kept half")
SEED = 17
SAMPLE = "wave"  # a motion of our own making
PUSH_IN, ARC = "The camera pushes in.", "The camera arcs around the person to the left."
MOVED_M, TURNED_DEGREES = 0.3, 5.0  # by how much frames of another take are moved: one deviation
CHUNK = 20


@dataclass(frozen=True, eq=False)
class Question:
    """A case, and what kind of keys it gets."""

    case: Case
    kind: str

    @property
    def request(self) -> FilmRequest:
        return FilmRequest(self.case.reference.clip, self.case.camera_words, seed=SEED, take=0)


@dataclass(frozen=True)
class Asked:
    """What the command line says."""

    data: Path | None
    weights: Path | None
    preset: PresetName | None
    split: str
    requests: int
    best_take: bool
    out: Path
    picture: Path | None


def main(args: Sequence[str] | None = None) -> None:
    asked = parsed(args)
    if asked.picture is not None:
        write_picture(keys_page(load_director(asked.weights)), asked.picture)
        sys.stdout.write(f"{asked.picture}\n")
    if asked.data is None:
        return
    cases = read_cases(open_store(asked.data), asked.split, asked.requests).cases
    order = np.random.default_rng(SEED).permutation(len(cases))  # what is written early is a sample
    questions = [Question(cases[at], KINDS[place % len(KINDS)]) for place, at in enumerate(order)]
    director = load_director(asked.weights)
    words = [question.case.camera_words for question in questions]
    free: list[Shot] = []
    keyed: list[Shot] = []
    for start in range(0, len(questions), CHUNK):
        some = questions[start : start + CHUNK]
        take = None if asked.best_take else 0
        plain = [replace(question.request, take=take) for question in some]
        free += filmed(director, plain, asked.preset)
        keys = keys_for(director, some, words, start)
        met = [replace(it, keys=key) for it, key in zip(plain, keys, strict=True)]
        keyed += filmed(director, met, asked.preset)
        write_facts(asked, director, questions[: len(keyed)], free, keyed)
        sys.stderr.write(f"{len(keyed)} of {len(questions)}\n")
    sys.stdout.write(f"{asked.out}\n")


def write_facts(
    asked: Asked,
    director: Director,
    questions: Sequence[Question],
    free: Sequence[Shot],
    keyed: Sequence[Shot],
) -> None:
    """What is known so far."""
    facts = measured(director, questions, free, keyed)
    code, machine, repeat = origin_of_result()
    facts |= {
        "split": asked.split,
        "requests": len(questions),
        "takes": "best" if asked.best_take else "first",
        "preset": asked.preset or director.quickest_preset(),
        "weights": director.parts.camera_flow.card.identity,
        "code": asdict(code),
        "machine": asdict(machine),
        "repeat": repeat,
    }
    asked.out.parent.mkdir(parents=True, exist_ok=True)
    asked.out.write_text(json.dumps(facts, indent=1) + "\n", encoding="utf-8", newline="\n")


def parsed(args: Sequence[str] | None) -> Asked:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--data", type=Path, default=None, help="a store of Fables")
    parser.add_argument("--picture", type=Path, default=None, help="a page of shots with keys")
    parser.add_argument("--weights", type=Path, default=None)
    parser.add_argument("--preset", choices=get_args(PresetName), help="the quickest if not given")
    parser.add_argument("--split", default="validation/pure")
    parser.add_argument("--requests", type=int, default=200)
    parser.add_argument("--best-take", action="store_true", help="choose among takes, as users do")
    parser.add_argument("--out", type=Path, default=ROOT / "results" / "runs" / "keyframes.json")
    return Asked(**vars(parser.parse_args(args)))


def keys_page(director: Director, seconds: float = 5.0, cell_px: int = 480) -> Picture:
    """Two free shots above; below, the first one's words with cameras of the other one."""
    clip = synthetic_motion(SAMPLE, round(25 * seconds), np.random.default_rng(1)).clip
    clip = replace(clip, motion=clip.motion.to(torch.float32))
    push, arc = (director.film(clip, words, seed=SEED) for words in (PUSH_IN, ARC))
    start, end = key_at(arc.camera, 0), key_at(push.camera, push.frames - 1)
    half = KeptPart(0, arc.camera.part(slice(0, push.frames // 2)))
    asked = {
        "begins as the arc begins": CameraKeys((start,)),
        "begins as the arc, ends as the push-in": CameraKeys((start, end)),
        "the arc's first half kept, then": CameraKeys(kept=(half,)),
    }
    cells = [push, arc, director.film(clip, PUSH_IN, seed=SEED + 1, keys=CameraKeys((end,)))]
    titles = [
        f"free: {PUSH_IN}",
        f"free: {ARC}",
        f"ends as the first ends, another seed: {PUSH_IN}",
    ]
    for title, keys in asked.items():
        cells.append(director.film(clip, PUSH_IN, seed=SEED, keys=keys))
        titles.append(f"{title}: {PUSH_IN}")
    named = [replace(cell, camera_words=title) for cell, title in zip(cells, titles, strict=True)]
    return grid_sheet(named, 3, cell_px)


def filmed(
    director: Director, requests: Sequence[FilmRequest], preset: PresetName | None = None
) -> list[Shot]:
    return director.film_many(list(requests), preset)


def keys_for(
    director: Director, questions: Sequence[Question], words: Sequence[str], start: int
) -> list[CameraKeys]:
    """Keys of every question. Sources that are films are made together."""
    dice = np.random.default_rng((SEED, start))
    sources: dict[int, FilmRequest] = {}
    for at, question in enumerate(questions):
        if question.kind in (KINDS[0], KINDS[4]):
            sources[at] = replace(question.request, take=1)
        elif question.kind == KINDS[1]:
            others = [other for other in words if other != question.case.camera_words]
            other = others[int(dice.integers(len(others)))] if others else words[0]
            sources[at] = replace(question.request, camera_words=other, take=2)
    shots = dict(zip(sources, filmed(director, list(sources.values())), strict=True))
    return [
        drawn_keys(question.kind, shots.get(at, question.case.reference), dice)
        for at, question in enumerate(questions)
    ]


def drawn_keys(kind: str, shot: Shot, dice: np.random.Generator) -> CameraKeys:
    camera, last = shot.camera.to(torch.float64), shot.frames - 1
    between = int(dice.integers(last // 4, 3 * last // 4 + 1))
    match kind:
        case "another take, moved":
            keys = [moved(key_at(camera, frame), dice) for frame in (0, between, last)]
        case "start of another shot":
            keys = [key_at(camera, 0)]
        case "ends":
            keys = [key_at(camera, frame) for frame in (0, last)]
        case "ends and between":
            keys = [key_at(camera, frame) for frame in (0, between, last)]
        case _:
            return CameraKeys(kept=(KeptPart(0, camera.part(slice(0, shot.frames // 2))),))
    return CameraKeys(tuple(keys))


def key_at(camera: CameraPath, frame: int) -> KeyedCamera:
    lens = float(camera.fov_vertical[frame])
    return KeyedCamera(frame / 25, camera.world_from_camera[frame], camera.centre[frame], lens)


def moved(key: KeyedCamera, dice: np.random.Generator) -> KeyedCamera:
    turn = torch.from_numpy(np.radians(TURNED_DEGREES) / np.sqrt(3) * dice.standard_normal(3))
    shift = torch.from_numpy(MOVED_M / np.sqrt(3) * dice.standard_normal(3))
    turned = key.world_from_camera @ matrix_from_axis_angle(turn)
    centre = key.centre + shift
    return replace(key, world_from_camera=turned, centre=centre)


def measured(
    director: Director, questions: Sequence[Question], free: Sequence[Shot], keyed: Sequence[Shot]
) -> dict[str, object]:
    references = [question.case.reference for question in questions]
    evaluators = load_evaluators(evaluators_folder(), director.parts.encoder)
    embed = evaluators.cameras.embed_shots
    facts: dict[str, object] = {
        "references": shots_facts(references),
        "free": shots_facts(free) | {"fdc": fdc(embed, references, free)},
        "with keys": shots_facts(keyed)
        | {"fdc": fdc(embed, references, keyed)}
        | keys_facts(keyed),
        "limits": asdict(MET),
    }
    for kind in KINDS:
        some = [at for at, question in enumerate(questions) if question.kind == kind]
        facts[kind] = {
            "free": shots_facts([free[at] for at in some]),
            "with keys": shots_facts([keyed[at] for at in some])
            | keys_facts([keyed[at] for at in some]),
        }
    return facts


def keys_facts(shots: Sequence[Shot]) -> dict[str, object]:
    """Errors at keys of the cameras as they are delivered, and the way there."""
    met = [shot.keys for shot in shots if shot.keys is not None]
    assert len(met) == len(shots)
    ends = [
        key_miss(shot.camera, one.keys.anchors(shot.frames, shot.fps))
        for shot, one in zip(shots, met, strict=True)
    ]
    is_met = [end.place_m <= MET.place_m and end.turn_degrees <= MET.turn_degrees for end in ends]
    return {
        "met": float(np.mean(is_met)),
        "error_m": spread([end.place_m for end in ends]),
        "error_degrees": spread([end.turn_degrees for end in ends]),
        "error_lens_degrees": spread([end.lens_degrees for end in ends]),
        "sampled_off_m": spread([one.sampled.place_m for one in met]),
        "sampled_off_degrees": spread([one.sampled.turn_degrees for one in met]),
        "warp_m": spread([one.warp.place_m for one in met]),
        "warp_degrees": spread([one.warp.turn_degrees for one in met]),
    }


def shots_facts(shots: Sequence[Shot]) -> dict[str, object]:
    """How cameras move, hold their person and do what their words say."""
    travels = [travel_of(shot.camera, shot.fps) for shot in shots]
    holds = [holding_of(shot.camera, shot.clip.motion, shot.fps) for shot in shots]
    steps = [
        torch.linalg.vector_norm(shot.camera.centre.double().diff(dim=0), dim=-1) * shot.fps
        for shot in shots
    ]
    return {
        "shots": len(shots),
        "speed_mps": spread([float(step.mean()) for step in steps]),
        "fastest_mps": spread([float(step.max()) for step in steps]),
        "speed_change_mps2": spread([float(step.diff().abs().max()) * 25 for step in steps]),
        "jerk_mps3": spread([travel.jerk_m_s3 for travel in travels]),
        "fastest_turn_dps": spread(
            [float(turn_speeds_dps(shot.camera, shot.fps).max()) for shot in shots]
        ),
        "turn_acceleration_dps2": spread([one.turn_acceleration_deg_s2 for one in travels]),
        "travel_m": spread([travel.path_m for travel in travels]),
        "empty_share": float(np.mean([hold.empty_share for hold in holds])),
        "nearer_than_0.4_m": float(np.mean([hold.nearest_m < 0.4 for hold in holds])),
        "movement_made": float(np.nanmean([made(shot) for shot in shots])),
    }


def made(shot: Shot) -> float:
    asked = asked_in(shot.camera_words)
    if asked is None or asked.movement is None:
        return float("nan")
    return made_as_asked(asked.movement, shot.camera, shot.clip.motion, shot.fps).share


def spread(values: Sequence[float]) -> dict[str, float]:
    median, p95, most = np.quantile(values, (0.5, 0.95, 1.0))
    return {"median": float(median), "p95": float(p95), "most": float(most)}


def fdc(
    embed: Callable[[Sequence[Shot]], np.ndarray],
    references: Sequence[Shot],
    shots: Sequence[Shot],
) -> float | None:
    """None where shots are too few for the evaluator's width."""
    try:
        return frechet_distance(fit_gaussian(embed(references)), fit_gaussian(embed(shots)))
    except MetricError:
        return None


if __name__ == "__main__":
    main()
