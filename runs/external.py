"""Motions that training never saw, filmed; captions that strangers wrote, shot from words alone.

    python runs/external.py [--out FOLDER] [--pictures FOLDER] [--weights FOLDER]

Writes external.json and a storyboard per motion. The HumanML3D clip lies beside the maintainers'
clones only; without it, its part is left out and said to be.
"""

import argparse
import os
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

# Read when torch starts its threads: threads that spin while waiting slow each other down.
os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")

import numpy as np
import torch

from aesop.core.machine import Code, Machine, code_state, this_command, this_machine
from aesop.director.director import Director, load_director
from aesop.director.requests import FilmRequest, ShootRequest
from aesop.fables.synthetic import synthetic_motion
from aesop.files.motion_files import read_motion
from aesop.measuring.runs import write_json
from aesop.metrics.motion_metrics import FilmFacts, facts_line, film_facts, plain_name
from aesop.pages.figures import Strip, storyboard
from aesop.preview.sheets import write_picture
from aesop.scene.human import NATIVE_FPS, Clip
from aesop.scene.shot import Shot

ROOT = Path(__file__).resolve().parents[1]
HUMANML3D = ROOT / ".." / "shared" / "data" / "external" / "humanml3d_012314_joints.npy"
HUMANML3D_CAPTIONS = (
    "a person appears to be playing tennis and shoots the ball with the racket in his right hand",
    "a person lunges and hits something, then backing up",
)
OURS = ("walk", "jump", "sit")
PROMPTS = {  # by the movement they ask for
    "push_in": "The camera pushes in on the person.",
    "pull_out": "The camera pulls out from the person.",
    "trucking_left": "The camera trucks left.",
    "static": "The camera is static.",
}
MADE_SECONDS = 5.0
SHOT_SECONDS = 6.0


@dataclass(frozen=True)
class Answered:
    """One prompt: the movement it asked for, and what came."""

    asked: str
    is_right: bool
    film: FilmFacts


@dataclass(frozen=True)
class Subject:
    """All prompts on one motion, or on one sentence about a person."""

    name: str
    source: str
    picture: str
    answers: tuple[Answered, ...]


@dataclass(frozen=True)
class External:
    """What was filmed, by which weights. `left_out` says why a subject is missing."""

    weights: tuple[tuple[str, str], ...]
    films: int
    right: int
    out_share: float
    subjects: tuple[Subject, ...]
    left_out: tuple[str, ...]
    code: Code
    machine: Machine
    repeat: str


def main(args: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--out", type=Path, default=ROOT / "results" / "runs")
    parser.add_argument("--pictures", type=Path, default=ROOT / "docs" / "pictures")
    parser.add_argument("--weights", type=Path, help="other weights than those that came along")
    told = parser.parse_args(args)
    for path in film_strangers(load_director(told.weights), told.out, told.pictures):
        sys.stdout.write(f"{path}\n")


def film_strangers(
    director: Director, folder: Path, pictures: Path, external: Path = HUMANML3D
) -> list[Path]:
    """Film, draw, count; returns what was written."""
    pictures.mkdir(parents=True, exist_ok=True)
    left_out: list[str] = []
    subjects: list[Subject] = []
    if external.is_file():
        clip = read_motion(external)
        films = film(director, clip)
        subjects.append(_subject(pictures, "humanml3d", clip.provenance.source, films))
        for number, caption in enumerate(HUMANML3D_CAPTIONS, start=1):
            shots = shoot(director, caption)
            subjects.append(_subject(pictures, f"caption{number}", caption, shots))
    else:
        left_out.append(f"{external.name} is not beside this clone: no HumanML3D motion or words")
        say(left_out[0])
    for kind in OURS:
        clip = own_clip(kind)
        subjects.append(_subject(pictures, kind, clip.provenance.source, film(director, clip)))
    data = folder / "external.json"
    write_json(data, _gathered(director, subjects, left_out))
    return [*(pictures / subject.picture for subject in subjects), data]


def own_clip(kind: str) -> Clip:
    frames = round(MADE_SECONDS * NATIVE_FPS)
    return synthetic_motion(kind, frames, np.random.default_rng(3)).clip


def film(director: Director, clip: Clip) -> list[Shot]:
    """One motion with every prompt, all with the same noise."""
    return director.film_many([FilmRequest(clip, words) for words in PROMPTS.values()])


def shoot(director: Director, caption: str) -> list[Shot]:
    """One person from words, with every prompt."""
    return director.shoot_many(
        [ShootRequest(caption, words, SHOT_SECONDS) for words in PROMPTS.values()]
    )


def _subject(folder: Path, name: str, source: str, shots: Sequence[Shot]) -> Subject:
    picture = f"external_{name}.jpg"
    strips = [Strip(words, shot) for words, shot in zip(PROMPTS.values(), shots, strict=True)]
    write_picture(storyboard(strips, source), folder / picture)
    answers: list[Answered] = []
    for asked, shot in zip(PROMPTS, shots, strict=True):
        facts = film_facts(shot)
        answers.append(Answered(asked, facts.dominant == asked, facts))
        say(f"{name}, {plain_name(asked)}: {facts_line(facts)}")
    return Subject(name, source, picture, tuple(answers))


def _gathered(director: Director, subjects: Sequence[Subject], left_out: Sequence[str]) -> External:
    answers = [answer for subject in subjects for answer in subject.answers]
    flows = {"human": director.parts.human_flow, "camera": director.parts.camera_flow}
    return External(
        weights=tuple((name, flow.card.identity) for name, flow in flows.items()),
        films=len(answers),
        right=sum(answer.is_right for answer in answers),
        out_share=float(np.mean([answer.film.out_share for answer in answers])),
        subjects=tuple(subjects),
        left_out=tuple(left_out),
        code=code_state(ROOT),
        machine=this_machine(torch.device("cpu")),
        repeat=" ".join(this_command()),
    )


def say(text: str) -> None:
    sys.stderr.write(f"{text}\n")


if __name__ == "__main__":
    main()
