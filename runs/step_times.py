"""Do movements begin and end when words say?

    python runs/step_times.py [--weights FOLDER]         # results/runs/step_times.json

Films sentences that name times, of people of our own making, with the model as users get it and
with the rule-based operator. A movement is where the camera goes the way that was asked for at a
quarter or more of its usual speed there; the taggers that choose takes have no part in it. A film
is right if every movement begins within half a second of its time, ends so where a rest comes
after it, and the camera goes nowhere in the rests.
"""

import argparse
import json
import os
import sys
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path

# Read when torch starts its threads: threads that spin while waiting slow each other down.
os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")

import numpy as np
import torch
from jaxtyping import Float

from aesop.director.director import load_director
from aesop.director.facts_filming import read_request
from aesop.director.finish import usual_picture
from aesop.director.requests import FilmRequest
from aesop.director.rule_based import Method, film_by
from aesop.director.timed_steps import TIME_SLACK_S, StepSpan
from aesop.fables.synthetic import synthetic_motion
from aesop.measuring.runs import origin_of_result
from aesop.scene.curves import smoothed
from aesop.scene.human import NATIVE_FPS, Clip
from aesop.scene.movement import camera_velocity
from aesop.scene.shot import Shot

ROOT = Path(__file__).resolve().parents[1]
# Words, and seconds of the motion.
SENTENCES: tuple[tuple[str, float], ...] = (
    ("hold still for two seconds, then push in", 8.0),
    ("push in for the first 3 seconds then arc left", 8.0),
    ("after 2s truck right", 6.0),
    ("static until 4 s, then pull out", 8.0),
    ("wait a second, then truck left", 6.0),
    ("0-3s: wide static, 3s-6s: push in", 6.0),
    ("at 0:04 pull out", 8.0),
    ("push in, for the last two seconds hold", 7.0),
    ("halfway through, push in", 6.0),
    ("first half static, second half arc right", 8.0),
    ("push in over 4 seconds", 8.0),
    ("boom up for 3 seconds, then hold for 2 seconds, then pull out", 8.0),
    ("truck left for 2 seconds, then truck right for three seconds", 7.0),
    ("from 2 to 5 seconds arc left", 8.0),
    ("pull out until 3 s, then pan right", 6.0),
    ("a low angle, hold for 2 seconds, then boom up", 6.0),
    ("orbit left for 4 seconds then hold", 8.0),
    ("hold for 1.5 seconds, then boom down for 2 seconds, then push in", 7.0),
    ("truck right for the first half, then static", 6.0),
    ("stay put for three seconds before pulling back", 7.0),
    ("static first 2 seconds, pan left after that", 6.0),
    ("pan left between 1 and 4 seconds, then hold", 7.0),
    ("push in (2s), arc right (3s)", 5.0),
    ("two-second hold -> boom up", 6.0),
)
PEOPLE = ("turn", "walk_curve")  # others chose how early a window begins
SLOWEST_SHARE, RESTS_SHARE = 0.25, 0.2  # of the usual speed
SIGMA = 4.0  # frames
GAP_FRAMES = 8  # a movement that stops for less goes on
SLOWEST_MPS = 0.02


@dataclass(frozen=True)
class Filmed:
    """One film: when its movements were asked for, when they happened, and whether that will do."""

    method: Method
    words: str
    action: str
    times: tuple[str, ...]
    is_right: bool


def clip_of(action: str, seconds: float) -> Clip:
    dice = np.random.default_rng(3)
    clip = synthetic_motion(action, round(seconds * NATIVE_FPS), dice).clip
    return replace(clip, motion=clip.motion.to(torch.float32))


def way_speed(shot: Shot, name: str) -> Float[np.ndarray, " transitions"]:
    """How fast the camera goes, or turns, the way that a value asks for."""
    camera, fps = shot.camera, shot.fps
    centre = camera.centre.double().numpy()
    turns = camera.world_from_camera.double().numpy()
    velocity = smoothed(camera_velocity(turns, centre, fps), SIGMA)
    spoke = centre[:, :2] - smoothed(shot.clip.motion.root[:, :2].double().numpy(), 9.0)
    step = np.diff(centre[:, :2], axis=0) * fps
    (x, y), (go_x, go_y) = spoke[:-1].T, step.T
    # Its own way around somebody, and its turn beside the one that keeps them in the picture.
    around = (x * go_y - y * go_x) / np.maximum((spoke[:-1] ** 2).sum(-1), 1e-6)
    looks = np.unwrap(np.arctan2(turns[:, 1, 2], turns[:, 0, 2]))
    heading = np.diff(looks - np.unwrap(np.arctan2(-spoke[:, 1], -spoke[:, 0]))) * fps
    around, heading = (smoothed(rate[:, None], SIGMA)[:, 0] for rate in (around, heading))
    ways = {
        "push-in": velocity[:, 2], "pull-out": -velocity[:, 2],
        "truck-right": velocity[:, 0], "truck-left": -velocity[:, 0],
        "boom-down": velocity[:, 1], "boom-up": -velocity[:, 1],
        "arc-right": around, "arc-left": -around,
        "pan-left": heading, "pan-right": -heading,
    }  # fmt: skip
    return ways[name]


def rests(shot: Shot, span: StepSpan) -> bool:
    """Whether the camera goes nowhere, but for what it takes to stop and to start."""
    turns, centre = shot.camera.world_from_camera, shot.camera.centre
    velocity = camera_velocity(turns.double().numpy(), centre.double().numpy(), shot.fps)
    speed = np.linalg.norm(smoothed(velocity, SIGMA), axis=-1)
    edge = round(TIME_SLACK_S * NATIVE_FPS)
    first = span.first + (edge if span.first else 0)
    stop = span.stop - (edge if span.stop < shot.frames else 0)
    usual = max(float(np.percentile(speed, 90)), SLOWEST_MPS)
    return float(speed[first:stop].mean()) < RESTS_SHARE * usual


def moved(shot: Shot, span: StepSpan) -> tuple[float, float] | None:
    """When the movement of a step happened, in seconds; None if it was not made."""
    name = span.step.names[0].partition(":")[2]
    speed = way_speed(shot, name)
    usual = float(np.percentile(speed[span.first : span.stop], 75))
    if usual < SLOWEST_MPS:
        return None
    runs: list[list[int]] = []
    for frame in np.flatnonzero(speed > SLOWEST_SHARE * usual).tolist():
        if runs and frame - runs[-1][1] <= GAP_FRAMES:
            runs[-1][1] = frame
        else:
            runs.append([frame, frame])
    first, last = max(runs, key=lambda it: min(it[1], span.stop) - max(it[0], span.first))
    return first / NATIVE_FPS, (last + 1) / NATIVE_FPS


def judged(shot: Shot, method: Method) -> Filmed:
    spans = read_request(shot.camera_words).spans(shot.clip)
    times: list[str] = []
    is_right = True
    for span, after in zip(spans, [*spans[1:], None], strict=True):
        if span.step.is_static:
            stays = rests(shot, span)
            is_right &= stays
            times.append(f"{span.text}: {'rests' if stays else 'does not rest'}")
            continue
        made = moved(shot, span)
        if made is None:
            is_right = False
            times.append(f"{span.text}: not made")
            continue
        begins = abs(made[0] - span.first / NATIVE_FPS) <= TIME_SLACK_S
        has_end = after is not None and after.step.is_static
        ends = not has_end or abs(made[1] - span.stop / NATIVE_FPS) <= TIME_SLACK_S
        is_right &= begins and ends
        times.append(f"{span.text}: {made[0]:.1f} to {made[1]:.1f} s")
    return Filmed(method, shot.camera_words, shot.clip.name, tuple(times), is_right)


def main(args: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--weights", type=Path, help="other weights than the shipped ones")
    parser.add_argument("--out", type=Path, default=ROOT / "results" / "runs" / "step_times.json")
    asked = parser.parse_args(args)
    director = load_director(asked.weights)
    clips = [(clip_of(action, seconds), words) for action in PEOPLE for words, seconds in SENTENCES]
    requests = [FilmRequest(clip, words) for clip, words in clips]
    films: list[Filmed] = []
    methods: tuple[Method, ...] = ("operator", "model")
    for method in methods:
        shots = film_by(method, director, requests, picture=usual_picture("hand"))
        films += [judged(shot, method) for shot in shots]
    right = {method: sum(it.is_right for it in films if it.method == method) for method in methods}
    sys.stderr.write(f"right of {len(requests)}: {right}\n")
    code, machine, repeat = origin_of_result()
    record = {
        "films": len(requests), "right": right,
        "weights": director.parts.camera_flow.card.identity,
        "code": asdict(code), "machine": asdict(machine), "repeat": repeat,
        "each": [asdict(film) for film in films],
    }  # fmt: skip
    asked.out.write_text(json.dumps(record, indent=1) + "\n", encoding="utf-8")
    sys.stdout.write(f"{asked.out}\n")


if __name__ == "__main__":
    main()
