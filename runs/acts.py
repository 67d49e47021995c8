"""People from words: tests of actions on real people, and a picture of twenty-four sentences.

    python runs/acts.py calibrate --clips CACHE
    python runs/acts.py strips OUT --clips CACHE --actions "sit down" …
    python runs/acts.py picture [--weights FOLDER]
    python runs/acts.py match OUT.json --clips CACHE [--weights FOLDER] [--best]

CACHE is what `python runs/segments.py import` made. `calibrate` writes
results/acts/calibration.json, which `aesop measure acts` puts beside people from words; `strips`
draws the real examples that do not pass their test, and others that do. `picture` draws
docs/pictures/acted.jpg: seed 0, nothing picked, each sentence with what its test says. `match`
makes people from captions of test segments and compares them with the real ones, as `aesop measure
acts --clips` does, without the sentences of the probe.
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
from jaxtyping import UInt8

from aesop.cli.measure_options import MatchOptions, ModelOptions
from aesop.cli.terminal import progress_bar
from aesop.core.errors import AesopError
from aesop.core.machine import Code, code_state
from aesop.director.director import Director, load_director
from aesop.director.protocols import SHIPPED, Choices
from aesop.director.requests import ActRequest
from aesop.fables.segment_facts import facts_text
from aesop.measuring.action_calibration import (
    CHOSEN_ON,
    Calibration,
    RealTakes,
    RealWindow,
    calibrate,
    counted,
)
from aesop.measuring.acts import KeptActs, MatchedPeople, ProbeSentence, probe_sentences
from aesop.measuring.runs import write_json
from aesop.metrics.action_tests import does
from aesop.pages.segment_strips import ROWS, StripRow, strip_page
from aesop.preview.drawing import draw_outside
from aesop.preview.page import Words, blank_page, place, write_words
from aesop.preview.sheets import write_picture
from aesop.scene.human import Clip

ROOT = Path(__file__).resolve().parents[1]
# One sentence of each of these actions: what everybody asks for, then some of the rest.
PICTURED = (
    "walk forward", "walk backward", "run", "turn around", "sit down", "stand up", "jump up",
    "crouch", "wave with the right hand", "raise both arms", "punch with the right hand",
    "kick with the right leg", "throw", "pick up", "clap", "bow", "crawl", "lie down", "dance",
    "jumping jacks", "balance on one leg", "stand still", "walk, then sit down",
    "stand up, then walk",
)  # fmt: skip
COLUMNS, POSES, CELL_PX, TITLE_PX, GAP_PX = 2, 6, 118, 18, 10
LEAST_PASS, MOST_OTHERS_PASS = 0.9, 0.05
MATCHED = 320  # segments, evenly spaced
AT_ONCE = 8


@dataclass(frozen=True)
class Match:
    """Who was compared with real people, and what came out."""

    command: str
    code: Code
    weights: str
    choices: Choices
    people: MatchedPeople


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    commands = parser.add_subparsers(dest="command", required=True)
    real = commands.add_parser("calibrate", help="tests of actions on real people")
    real.add_argument("--clips", type=Path, required=True, help="cache of runs/segments.py import")
    real.add_argument("--out", type=Path, default=ROOT / "results" / "acts" / "calibration.json")
    real.set_defaults(work=_calibrate)
    strips = commands.add_parser("strips", help="real examples that do not pass")
    strips.add_argument("out", type=Path)
    strips.add_argument("--clips", type=Path, required=True)
    strips.add_argument("--actions", nargs="+", required=True)
    strips.set_defaults(work=_strips)
    picture = commands.add_parser("picture", help="twenty-four sentences, seed 0")
    picture.add_argument("--weights", type=Path, help="other weights than those that came along")
    picture.add_argument("--out", type=Path, default=ROOT / "docs" / "pictures" / "acted.jpg")
    picture.set_defaults(work=_picture)
    matching = commands.add_parser("match", help="people from captions beside real ones")
    matching.add_argument("out", type=Path)
    matching.add_argument("--clips", type=Path, required=True)
    matching.add_argument("--weights", type=Path, help="other weights than those that came along")
    matching.add_argument("--tmr", type=Path, help="who compares; tmr_acts if not given")
    matching.add_argument("--best", action="store_true", help="best takes instead of first ones")
    matching.add_argument("--at-most", type=int, default=MATCHED)
    matching.add_argument("--cache", type=Path, help="where people are kept")
    matching.set_defaults(work=_match)
    args = parser.parse_args(arguments)
    try:
        return args.work(args)
    except AesopError as mistake:
        sys.stderr.write(f"{mistake}\n")
        return 1


def _calibrate(args: argparse.Namespace) -> int:
    torch.set_num_threads(1)
    calibration = calibrate(args.clips, progress_bar)
    args.out.parent.mkdir(parents=True, exist_ok=True)
    write_json(args.out, calibration)
    sys.stderr.write("\n".join(_remarks(calibration)) + "\n")
    sys.stdout.write(f"{args.out}\n")
    return 0


def _remarks(calibration: Calibration) -> list[str]:
    """A line an action; those that miss what is asked of a test are marked."""
    lines: list[str] = []
    for it in calibration.actions:
        cells: list[str] = []
        for name, some in (("chosen", it.chosen), ("test", it.checked)):
            missed = some.examples_pass < LEAST_PASS or some.others_pass > MOST_OTHERS_PASS
            cells.append(
                f"{name} {some.examples_pass:5.0%} of {some.examples:3d} (labelled "
                f"{some.labelled_pass:4.0%} of {some.labelled:3d}), others "
                f"{some.others_pass:5.1%} of {some.others:4d} {'*' if missed else ' '}"
            )
        lines.append(f"{it.action:26s} {'few ' if it.has_few else '    '}" + "  ".join(cells))
    return lines


def _strips(args: argparse.Namespace) -> int:
    torch.set_num_threads(1)
    with progress_bar("takes") as progress:
        takes = RealTakes(args.clips, CHOSEN_ON, progress)
    windows = {window.name: window for window in takes.single}
    args.out.mkdir(parents=True, exist_ok=True)
    for action in args.actions:
        found = counted(action, takes)
        for what, names in (("fails", found.failing), ("passes", found.passing_others)):
            rows = [_strip(windows[name]) for name in dict.fromkeys(names) if name in windows]
            if rows:
                path = args.out / f"{action.replace(' ', '_')}_{what}.png"
                strip_page(f"{action}: {what}", rows[:ROWS]).save(path)
                sys.stdout.write(f"{path}\n")
    return 0


def _strip(window: RealWindow) -> StripRow:
    segment, label = window.segments[0], window.labels[0]
    motion = window.take.part(segment.frames)
    joints = motion.joints.double().numpy().copy()
    joints[..., 2] -= joints[..., 2].min()
    words = (label.verb, label.side, label.direction, label.count, label.manner)
    lines = [
        " · ".join(word for word in words if word),
        *facts_text(segment.facts, segment.seconds),
    ]
    return StripRow(segment.id, lines, joints, motion.yaw.double().numpy(), segment.start_s)


def _picture(args: argparse.Namespace) -> int:
    args.out.parent.mkdir(parents=True, exist_ok=True)
    sys.stdout.write(f"{draw_acted(load_director(args.weights), args.out)}\n")
    return 0


def _match(args: argparse.Namespace) -> int:
    torch.set_num_threads(1)
    asked = MatchOptions(args.clips, args.tmr, args.at_most)
    judge = asked.load(None)
    assert judge is not None
    director = load_director(args.weights)
    way = SHIPPED if args.best else SHIPPED.with_first_people
    act = KeptActs(director, way, ModelOptions(cache=args.cache).kept_in)
    found = Match(
        command=_repeated(args),
        code=code_state(ROOT),
        weights=director.parts.cast(way.people.finish).flow.card.identity,
        choices=way.human_choices,
        people=asked.measure(judge, act, AT_ONCE),
    )
    write_json(args.out, found)
    sys.stdout.write(f"{args.out}\n")
    return 0


def _repeated(args: argparse.Namespace) -> str:
    """How to match again, whatever folders things lie in."""
    words = ["runs/acts.py match OUT.json --clips CLIPS"]
    words += [] if args.weights is None else [f"--weights {args.weights.name.upper()}"]
    words += [] if args.tmr is None else [f"--tmr {args.tmr.name}"]
    words += ["--best"] if args.best else []
    return " ".join([*words, f"--at-most {args.at_most}"])


def draw_acted(director: Director, path: Path) -> Path:
    """Seed 0 of every sentence that is drawn."""
    sentences = pictured()
    with progress_bar("people") as progress:
        requests = [ActRequest(it.words, it.seconds, 0) for it in sentences]
        clips = director.act_many(requests, progress)
    write_picture(picture_of(sentences, clips), path)
    return path


def pictured() -> tuple[ProbeSentence, ...]:
    """The first sentence of every action that is drawn."""
    first = {it.action: it for it in reversed(probe_sentences())}
    return tuple(first[action] for action in PICTURED)


def picture_of(
    sentences: Sequence[ProbeSentence], clips: Sequence[Clip]
) -> UInt8[np.ndarray, "height width 3"]:
    """Six moments of each, in columns; a plus before a sentence that was done, by its test."""
    rows = -(-len(sentences) // COLUMNS)
    width, pitch = POSES * CELL_PX + GAP_PX, CELL_PX + TITLE_PX + GAP_PX
    sheet = blank_page(COLUMNS * width + GAP_PX, GAP_PX + rows * pitch)
    words: list[Words] = []
    for number, (sentence, clip) in enumerate(zip(sentences, clips, strict=True)):
        column, row = divmod(number, rows)
        left, top = GAP_PX + column * width, GAP_PX + row * pitch
        mark = "+" if does(sentence.action, clip.motion) else "–"
        words.append(Words(f"{mark}  {sentence.words}", left, top, width, TITLE_PX - 4))
        for pose in range(POSES):
            frame = round(pose * (clip.frames - 1) / (POSES - 1))
            picture = draw_outside(clip, frame, (CELL_PX, CELL_PX))
            place(sheet, picture, left + pose * CELL_PX, top + TITLE_PX)
    write_words(sheet, words)
    return sheet


if __name__ == "__main__":
    sys.exit(main())
