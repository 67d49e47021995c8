"""No flag is ignored: in every way of using a command, each one changes something or is refused.

A new flag, or a new command, fails here until the tables say what it is expected to do.
"""

import csv
import re
import shutil
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest

from aesop.cli import TREE
from aesop.fables.synthetic import synthetic_motion
from aesop.files.motion_files import write_motion
from aesop.files.shot_file import write_shot
from aesop.scene.camera import camera_looking_at
from aesop.scene.human import Provenance
from aesop.scene.shot import Shot
from tests.cli.stand_ins import Diary, stand_in, what_is_there
from tests.cli.test_commands import leaves, run
from tests.director.makers import PUSH_IN, WALK, walking


@dataclass(frozen=True)
class Changes:
    """With these words after it, the flag makes the command do something else."""

    words: tuple[str, ...]


@dataclass(frozen=True)
class Refused:
    """With these words after it, the flag is named in a refusal."""

    words: tuple[str, ...]


@dataclass(frozen=True)
class HoldsAnyway:
    """The flag asks that something is left out which is not done there at all."""

    words: tuple[str, ...] = ()


Expected = Changes | Refused | HoldsAnyway


def changes(*words: str) -> Changes:
    return Changes(words)


def refused(*words: str) -> Refused:
    return Refused(words)


@dataclass(frozen=True)
class Use:
    """One way of using a command: what is typed, and what every flag of it does then."""

    command: str
    way: str
    words: tuple[str, ...]
    flags: Mapping[str, Expected]


UNITS: dict[str, Expected] = {
    "--units": changes("cm"),
    "--up": changes("z"),
    "--loop": refused("3"),  # the walk is no cycle
}
READING: dict[str, Expected] = {"--file-fps": changes("50"), **UNITS}
# Where no rate of pictures can be meant, the short name stands first in the help.
SHORT: dict[str, Expected] = {"--fps": changes("50"), **UNITS}
NOT_READING: dict[str, Expected] = {
    "--fps": refused("50"),
    "--units": refused("cm"),
    "--up": refused("z"),
    "--loop": refused("3"),
}
WEIGHTS: dict[str, Expected] = {"--weights": changes("weights"), "--encoder": changes("clip:x")}
KEYED: dict[str, Expected] = {
    "--start": changes("wave.shot"),
    "--end": changes("wave.shot@0.4"),
    "--at": changes("0.4:wave.shot"),
    "--keep": refused("0-0.5"),  # the motion is no shot
}
SWEEP: dict[str, Expected] = {
    **KEYED,
    "--seed": changes("5"),
    "--guidance": changes("2"),
    "--preset": changes("reference"),
    "--first-take": changes(),
    "--as-sampled": changes(),
    "--protocol": changes("paper"),
    "--method": changes("operator"),
    "--json": changes(),
}
UNSAMPLED: dict[str, Expected] = {
    "--guidance": refused("2"),
    "--preset": refused("fast"),
    "--first-take": refused(),
    "--as-sampled": refused(),
    "--protocol": refused("paper"),
    "--method": changes("model"),
}
# A method that is not ours chooses no take and knows no intensity.
BY_ANOTHER: dict[str, Expected] = {
    "--preset": refused("fast"),
    "--first-take": refused(),
    "--protocol": refused("paper"),
    "--intensity": refused("1.3"),
    "--travel": refused("1.3"),
    "--method": changes("model"),
}
# Whoever films, the person is the model's.
OF_PERSON: dict[str, Expected] = {"--first-take": changes(), "--as-sampled": changes()}
NO_WEIGHTS: dict[str, Expected] = {"--weights": refused("weights"), "--encoder": refused("minilm")}
PICTURE: dict[str, Expected] = {
    "--aspect": changes("2.39"),
    "--resolution": changes("1280x720"),
    "--lens": changes("50"),
    "--sensor": changes("24"),
    "--fps": refused("30"),  # a .shot stays as it was filmed
}
FILM: dict[str, Expected] = {
    **SWEEP,
    **PICTURE,
    "--intensity": changes("1.3"),
    "--travel": changes("1.3"),
    "--end-size": changes("medium"),
    "--takes": changes("2"),
    "--keys": refused(),  # a .shot has no tangents
    "--world": refused("aesop"),
}
# Rows have intensities of their own.
ROWS: dict[str, Expected] = {"--travel": refused("1.3"), "--end-size": refused("medium")}
NO_FILE: dict[str, Expected] = {
    "--file-fps": refused("50"),
    "--units": refused("cm"),
    "--up": refused("z"),
    "--loop": refused("3"),
}
SHOOT: dict[str, Expected] = {
    **FILM,
    **NO_FILE,
    "--seconds": changes("2"),
    "--camera-seed": changes("7"),
    "--actor": changes("wave.shot"),
    "--human-guidance": changes("2"),
    "--human-preset": changes("reference"),
}
NO_PERSON: dict[str, Expected] = {
    "--human-guidance": refused("2"),
    "--human-preset": refused("reference"),
}
ACT: dict[str, Expected] = {
    "--seconds": changes("2"),
    "--human-guidance": changes("2"),
    "--human-preset": changes("reference"),
    "--seed": changes("5"),
    "--takes": changes("2"),
    "--first-take": changes(),
    "--as-sampled": changes(),
    "--json": changes(),
}
ONE: dict[str, Expected] = {
    "--output": changes("other.bvh"),
    "--batch": refused("film.csv"),
    "--keep-going": refused(),
    "--no-clobber": HoldsAnyway(),
}
MANY: dict[str, Expected] = {
    "--output": refused("other.bvh"),
    "--batch": changes("two.csv"),
    "--keep-going": HoldsAnyway(),
    "--no-clobber": HoldsAnyway(),
}
ANYWHERE: dict[str, Expected] = {"--world": changes("aesop")}

FILMING = (
    Use("film", "one", ("walk.bvh", PUSH_IN, "--output", "a.shot"), FILM | READING | WEIGHTS | ONE),
    Use(
        "film",
        "takes",
        ("walk.bvh", PUSH_IN, "--output", "a.shot", "--takes", "3"),
        FILM | READING | WEIGHTS | ONE | {"--first-take": refused()},
    ),
    Use(
        "film",
        "batch of takes",
        ("--batch", "film.csv", "--takes", "3"),
        FILM | READING | WEIGHTS | MANY | {"--first-take": refused()} | ROWS,
    ),
    Use(
        "film",
        "operator",
        ("walk.bvh", PUSH_IN, "--output", "a.shot", "--method", "operator"),
        FILM | READING | ONE | UNSAMPLED | NO_WEIGHTS,
    ),
    Use(
        "film",
        "batch by the operator",
        ("--batch", "film.csv", "--method", "operator"),
        FILM | READING | MANY | UNSAMPLED | NO_WEIGHTS | ROWS,
    ),
    Use(
        "film",
        "another method",
        ("walk.bvh", PUSH_IN, "--output", "a.shot", "--method", "director-c"),
        FILM | READING | WEIGHTS | ONE | BY_ANOTHER,
    ),
    Use(
        "shoot",
        "another method",
        (WALK, PUSH_IN, "--output", "a.shot", "--method", "pulpmotion-dit"),
        SHOOT | WEIGHTS | ONE | BY_ANOTHER
        | {"--actor": refused("wave.shot"), **NO_PERSON},
    ),
    Use(
        "shoot",
        "operator",
        (WALK, PUSH_IN, "--output", "a.shot", "--method", "operator"),
        SHOOT | WEIGHTS | ONE | UNSAMPLED | OF_PERSON,
    ),
    Use(
        "shoot",
        "actor",
        (WALK, PUSH_IN, "--output", "a.shot", "--actor", "walk.bvh"),
        SHOOT | READING | WEIGHTS | ONE
        | {"--seconds": refused("2"), **NO_PERSON},
    ),
    Use(
        "shoot",
        "actor, for another program",
        (WALK, PUSH_IN, "--output", "a.json", "--actor", "walk.bvh"),
        SHOOT | READING | WEIGHTS | ONE | ANYWHERE
        | {"--seconds": refused("2"), **NO_PERSON}
        | {"--fps": changes("30"), "--keys": changes()},
    ),
    Use("film", "batch", ("--batch", "film.csv"), FILM | READING | WEIGHTS | MANY | ROWS),
    Use("shoot", "one", (WALK, PUSH_IN, "--output", "a.shot"), SHOOT | WEIGHTS | ONE),
    Use(
        "shoot",
        "batch",
        ("--batch", "shoot.csv"),
        SHOOT | WEIGHTS | MANY | {"--actor": refused("walk.bvh")} | ROWS
        | {flag: refused(*given.words) for flag, given in KEYED.items()},
    ),
    Use("act", "one", (WALK, "--output", "a.clip"), ACT | WEIGHTS | ONE),
    Use("act", "batch", ("--batch", "act.csv"), ACT | WEIGHTS | MANY),
    Use(
        "act",
        "takes",
        (WALK, "--output", "a.clip", "--takes", "3"),
        ACT | WEIGHTS | ONE | {"--first-take": refused()},
    ),
    Use(
        "sweep",
        "one",
        ("walk.bvh", PUSH_IN, "--output", "a.shot"),
        SWEEP | READING | WEIGHTS | PICTURE | {"--world": refused("aesop")}
        | {"--output": changes("b.shot"), "--intensities": changes("0.5", "1")},
    ),
    Use(
        "sweep",
        "operator",
        ("walk.bvh", PUSH_IN, "--output", "a.shot", "--method", "operator"),
        SWEEP | READING | UNSAMPLED | NO_WEIGHTS | PICTURE | {"--world": refused("aesop")}
        | {"--output": changes("b.shot"), "--intensities": changes("0.5", "1")},
    ),
    Use(
        "sweep",
        "for another program",
        ("walk.bvh", PUSH_IN, "--output", "a.json"),
        SWEEP | READING | WEIGHTS | PICTURE | ANYWHERE
        | {"--output": changes("b.json"), "--intensities": changes("0.5", "1")}
        | {"--fps": changes("30")},
    ),
)  # fmt: skip
DRAWING: dict[str, Expected] = {"--output": changes("b.png")}
FILES = (
    Use("check", "motion", ("walk.bvh",), SHORT | {"--json": changes()}),
    Use("check", "shot", ("wave.shot",), NOT_READING | {"--json": changes()}),
    Use("convert", "motion", ("walk.bvh", "b.clip"), SHORT),
    Use("convert", "shot", ("wave.shot", "b.clip"), NOT_READING),
    Use("preview", "motion", ("walk.bvh", "--output", "a.png"), SHORT | DRAWING),
    Use("preview", "shot", ("wave.shot", "--output", "a.png"), NOT_READING | DRAWING),
)
WORK: dict[str, Expected] = {"--workers": changes("3"), "--engine": changes("ray")}
DATA = (
    Use(
        "data build fables",
        "",
        ("store", "--takes", "takes"),
        WORK
        | {"--takes": changes("bvh"), "--clips": changes("7"), "--seed": changes("5")}
        | {"--edition": changes("fables-2")},
    ),
    Use(
        "data import pulpmotion",
        "",
        ("folder", "store"),
        {"--workers": changes("3"), "--canonicalise": changes()},
    ),
    Use(
        "data build people",
        "",
        ("people", "--sets", "cmu=bvh"),
        {
            "--sets": changes("cmu=folder"),
            "--clips": changes("clips"),
            "--windows": changes("7"),
            "--seed": changes("5"),
            "--workers": changes("3"),
            "--engine": changes("ray"),
        },
    ),
    Use(
        "data build thin",
        "",
        ("thin", "--data", "store"),
        {"--data": changes("b"), "--seed": changes("5")},
    ),
    Use("data import shots", "", ("folder", "store"), {"--workers": changes("3")}),
    Use("data show", "by lot", ("store",), DRAWING | {"--seed": changes("5")}),
    Use("data show", "named", ("store", "clip"), DRAWING | {"--seed": refused("5")}),
    Use(
        "data stats",
        "",
        ("store",),
        {"--at-most": changes("5"), "--charts": changes("charts.png")},
    ),
)
TRAINED = ("--data", "store", "--out", "run")
CONDUCT: dict[str, Expected] = {
    "--data": changes("b"),
    "--out": changes("b"),
    "--recipe": changes("tiny"),
    "--resume": changes(),
    "--sheets": changes(),
    "--tensorboard": changes(),
    "--compile": changes(),
    "--split": changes("train/pure"),
    "--hold-out": changes(),
    "--seed": changes("5"),
    "--from": changes("weights"),
}
NO_WORDS: dict[str, Expected] = {"--encoder": refused("clip"), "--text": refused("pooled")}
READS_WORDS: dict[str, Expected] = {"--encoder": changes("clip"), "--text": changes("pooled")}
NO_PAIRS: dict[str, Expected] = {"--pairs": refused("p"), "--factual": refused()}
TRAINING = (
    Use(
        "train",
        "all",
        ("all", *TRAINED),
        CONDUCT
        | READS_WORDS
        | {"--pairs": changes("p"), "--factual": refused(), "--from": refused("weights")},
    ),
    Use(
        "train",
        "pairs",
        ("camera-flow-ipa", *TRAINED, "--pairs", "p"),
        CONDUCT | READS_WORDS | {"--pairs": changes("q"), "--factual": changes()},
    ),
    Use(
        "train",
        "flow",
        ("human-flow", *TRAINED),
        CONDUCT | READS_WORDS | NO_PAIRS,
    ),
    Use(
        "train",
        "codec",
        ("human-codec", *TRAINED),
        CONDUCT | NO_WORDS | NO_PAIRS | {"--sheets": HoldsAnyway()},
    ),
    Use(
        "train",
        "evaluator",
        ("clatr", *TRAINED),
        CONDUCT
        | NO_WORDS
        | NO_PAIRS
        | {"--sheets": HoldsAnyway(), "--seed": refused("5"), "--from": refused("weights")}
        | {"--split": refused("train/pure")}
        | {flag: refused() for flag in ("--resume", "--tensorboard", "--compile", "--hold-out")},
    ),
)
ON_DATA: dict[str, Expected] = {
    "--data": changes("b"),
    "--split": changes("test/mixed"),
    "--at-most": changes("5"),
    "--output": changes("b"),
}
METHOD: dict[str, Expected] = {
    "--model": changes("weights"),
    "--seeds": changes("4", "5"),
    "--name": changes("Ours"),
    "--preset": changes("fast"),
    "--cache": changes("cache"),
    "--finish": changes("hand"),
    "--as-sampled": changes(),
    "--protocol": changes("paper"),
    "--encoder": changes("clip:x"),
    "--phase": changes("camera-flow-dpa"),
    "--human-guidance": refused("2"),  # of given people
    "--human-preset": refused("reference"),
    "--human-finish": refused("standing"),
    "--method": changes("director-c"),
    "--guidance": refused("2"),  # of a method that is not ours
    "--method-steps": refused("50"),
}
# Others know no intensity, and have no presets.
OURS_ALONE: dict[str, Expected] = {
    "--method": refused("director-c"),
    "--guidance": refused("2"),
    "--method-steps": refused("50"),
}
OF_PEOPLE: dict[str, Expected] = {
    "--human-guidance": changes("2"),
    "--human-preset": changes("reference"),
    "--human-finish": changes("standing"),
}
NOT_SAMPLED: dict[str, Expected] = {
    "--preset": refused("fast"),
    "--finish": refused("hand"),
    "--as-sampled": refused(),
    "--protocol": refused("paper"),
    "--encoder": refused("clip:x"),
    "--phase": refused("camera-flow-dpa"),
    "--human-guidance": refused("2"),
    "--human-preset": refused("reference"),
    "--human-finish": refused("standing"),
}
SET_BY_PROTOCOL: dict[str, Expected] = {
    "--preset": refused("fast"),
    "--finish": refused("hand"),
    "--as-sampled": refused(),
    "--human-guidance": refused("2"),
    "--human-preset": refused("reference"),
    "--human-finish": refused("standing"),
}
JUDGED: dict[str, Expected] = {
    "--evaluators": changes("judges"),
    "--evaluator-encoder": changes("clip:x"),
    "--clatr": changes("clatr.ckpt"),
    "--clip": refused("clip"),
    "--clatr-statistics": refused("stats"),
    "--tmr": changes("tmr.ckpt"),
    "--distilbert": refused("bert"),
    "--tmr-statistics": refused("stats"),
}
PUBLISHED = ("--clatr", "a.ckpt", "--tmr", "b.ckpt", "--distilbert", "bert")
BY_PUBLISHED: dict[str, Expected] = {
    "--evaluators": refused("judges"),
    "--evaluator-encoder": refused("clip:x"),
    "--clatr": changes("clatr.ckpt"),
    "--clip": changes("clip"),
    "--clatr-statistics": changes("stats"),
    "--tmr": changes("tmr.ckpt"),
    "--distilbert": changes("other"),
    "--tmr-statistics": changes("stats"),
}
RUN: dict[str, Expected] = ON_DATA | METHOD | JUDGED
STORE = ("--data", "store")
CURVES: dict[str, Expected] = {
    "--model": changes("weights"),
    "--encoder": changes("clip:x"),
    "--phase": changes("camera-flow-dpa"),
    "--finish": changes("best-take"),
    "--preset": changes("reference"),
    "--seed": changes("4"),
    "--name": changes("mine"),
}
MEASURING = (
    Use(
        "measure run",
        "film",
        STORE,
        RUN | {"--task": changes("shoot"), "--control": changes("shuffled")},
    ),
    Use(
        "measure run",
        "shoot",
        (*STORE, "--task", "shoot"),
        RUN | OF_PEOPLE | {"--task": changes("film"), "--control": refused("shuffled")},
    ),
    Use(
        "measure run",
        "paper",
        (*STORE, "--task", "shoot", "--protocol", "paper"),
        RUN
        | SET_BY_PROTOCOL
        | {"--task": changes("film"), "--control": refused("shuffled")}
        | {"--protocol": HoldsAnyway(("paper",))},
    ),
    Use(
        "measure run",
        "another method",
        (*STORE, "--task", "shoot", "--method", "pulpmotion-dit"),
        RUN
        | {"--method": changes("pulpmotion-mar"), "--guidance": changes("4", "-1", "0.25")}
        | {"--method-steps": changes("50")}
        | {"--phase": refused("camera-flow-dpa"), "--preset": refused("fast")}
        | {"--task": changes("film"), "--control": refused("shuffled")},
    ),
    Use(
        "measure run",
        "another codec",
        (*STORE, "--task", "codec", "--method", "pulpmotion-ae"),
        RUN
        | NOT_SAMPLED
        | {"--method": changes("pulpmotion-mar"), "--guidance": changes("2")}
        | {"--method-steps": changes("50")}
        | {"--seeds": refused("4"), "--task": changes("film")}
        | {"--control": refused("shuffled")},
    ),
    Use("measure evaluators", "published", (*STORE, *PUBLISHED), ON_DATA | BY_PUBLISHED),
    Use(
        "measure run",
        "several models",
        (*STORE, "--model", "a", "b"),
        RUN
        | {"--seeds": refused("4", "5"), "--task": changes("shoot")}
        | {"--control": refused("shuffled")},
    ),
    Use(
        "measure run",
        "codec",
        (*STORE, "--task", "codec"),
        RUN
        | NOT_SAMPLED
        | {"--seeds": refused("4"), "--task": changes("film")}
        | {"--control": refused("shuffled")},
    ),
    Use(
        "measure run",
        "reference",
        (*STORE, "--task", "reference"),
        RUN
        | NOT_SAMPLED
        | {"--seeds": refused("4"), "--model": refused("weights"), "--method": refused("ccd")}
        | {"--control": refused("shuffled"), "--task": changes("film")},
    ),
    Use(
        "measure run",
        "shuffled",
        (*STORE, "--control", "shuffled"),
        RUN
        | NOT_SAMPLED
        | OURS_ALONE
        | {"--model": refused("weights"), "--task": refused("codec")}
        | {"--control": changes("redraw")},
    ),
    Use(
        "measure run",
        "look-at",
        (*STORE, "--control", "look-at"),
        RUN
        | NOT_SAMPLED
        | OURS_ALONE
        | {"--model": refused("weights"), "--task": refused("shoot")}
        | {"--control": changes("shuffled"), "--seeds": refused("4")},
    ),
    Use(
        "measure sweep",
        "",
        STORE,
        RUN | OURS_ALONE | {"--seeds": changes("4"), "--task": changes("shoot")},
    ),
    Use(
        "measure sweep",
        "one seed",
        (*STORE, "--seeds", "3"),
        RUN | OURS_ALONE | {"--seeds": refused("4", "5"), "--task": changes("shoot")},
    ),
    Use("measure direction", "", STORE, ON_DATA | METHOD | {"--task": changes("shoot")}),
    Use(
        "measure presets",
        "",
        STORE,
        RUN
        | OURS_ALONE
        | {"--seeds": changes("4"), "--task": changes("shoot")}
        | {"--preset": refused("reference"), "--protocol": refused("paper")},
    ),
    Use(
        "measure jobs",
        "",
        (*STORE, "--jobs", "jobs.json"),
        JUDGED
        | {"--jobs": changes("more.json"), "--data": changes("b"), "--output": changes("b")}
        | {"--model": changes("weights"), "--workers": changes("3"), "--cache": changes("cache")}
        | {"--encoder": changes("clip:x")},
    ),
    Use("measure evaluators", "", STORE, ON_DATA | JUDGED),
    Use("measure curves", "", STORE, ON_DATA | CURVES),
    Use("measure travel", "", STORE, ON_DATA | CURVES),
    Use("measure tables", "", ("a.json",), {"--output": changes("b")}),
)
DRAWN: dict[str, Expected] = {"--data": changes("b"), "--output": changes("b.png")}
SEEDED: dict[str, Expected] = {"--seed": changes("5"), "--protocol": changes("paper")}
LOADED: dict[str, Expected] = {
    "--model": changes("weights"),
    "--encoder": changes("clip:x"),
    "--phase": changes("camera-flow-dpa"),
}
FIGURES = (
    Use(
        "figure comparison",
        "",
        ("a", "bc", *STORE),
        DRAWN | SEEDED
        | {"--methods": changes("reference", "Ours=run@camera-flow"), "--task": refused("shoot")},
    ),
    Use(
        "figure intensity",
        "",
        ("a", *STORE),
        DRAWN | SEEDED | LOADED
        | {"--intensities": changes("0.5", "1"), "--task": changes("shoot")},
    ),
    Use("figure population", "", ("a.json",), {"--output": changes("b.png")}),
    Use("figure construction", "", ("pairs", "a", *STORE), DRAWN | {"--codec": changes("run")}),
    Use(
        "figure outside",
        "",
        ("outside.csv",),
        SEEDED | LOADED | {"--output": changes("b.png")},
    ),
)  # fmt: skip
WORDING: dict[str, Expected] = {
    "--model": changes("weights"),
    "--data": changes("b"),
    "--clips": changes("3"),
    "--seeds": changes("4", "5"),
    "--preset": changes("reference"),
    "--protocol": changes("paper"),
    "--as-sampled": changes(),
    "--encoder": changes("clip:x"),
    "--phase": changes("camera-flow-dpa"),
    "--output": changes("b"),
}
ATTRIBUTES: dict[str, Expected] = {
    "--method": changes("auto"),
    "--model": changes("weights"),
    "--data": changes("b"),
    "--clips": changes("3"),
    "--films": changes("7"),
    "--words": changes("idiom"),
    "--seed": changes("4"),
    "--preset": changes("reference"),
    "--name": changes("mine"),
    "--encoder": changes("clip:x"),
    "--phase": changes("camera-flow-dpa"),
    "--output": changes("b"),
    "--bed": refused("bed.json"),
    "--takes": refused("bvh"),
    "--side": refused("test"),
}
WITHOUT_WEIGHTS: dict[str, Expected] = {
    "--method": changes("auto"),
    "--model": refused("weights"),
    "--encoder": refused("minilm"),
    "--phase": refused("camera-flow"),
    "--preset": refused("fast"),
}
ATTRIBUTE_WORDS = (
    Use("measure attributes", "our motions", (), ATTRIBUTES | {"--split": refused("test/mixed")}),
    Use("measure attributes", "a store's", STORE, ATTRIBUTES | {"--split": changes("test/mixed")}),
    Use(
        "measure attributes",
        "by rules",
        ("--method", "operator"),
        ATTRIBUTES | WITHOUT_WEIGHTS | {"--split": refused("test/mixed")},
    ),
)
WORDS = (
    *ATTRIBUTE_WORDS,
    Use("measure wording", "our motions", (), WORDING | {"--split": refused("test/mixed")}),
    Use("measure wording", "a store's", STORE, WORDING | {"--split": changes("test/mixed")}),
)
ACTED: dict[str, Expected] = {
    "--weights": changes("weights"),
    "--encoder": changes("clip:x"),
    "--set": changes("choosing"),
    "--seeds": changes("3"),
    "--calibration": changes("numbers.json"),
    "--cache": changes("cache"),
    "--name": changes("ours"),
    "--output": changes("b"),
}
SAMPLED: dict[str, Expected] = {
    "--protocol": changes("paper"),
    "--human-guidance": changes("2"),
    "--human-preset": changes("reference"),
    "--takes": changes("first"),
}
UNMATCHED: dict[str, Expected] = {
    "--clips": changes("clips"),
    "--tmr": refused("tmr.safetensors"),
    "--at-most": refused("5"),
}
ACTS = (
    Use("measure acts", "as users get them", (), ACTED | SAMPLED | UNMATCHED),
    Use(
        "measure acts",
        "beside real people",
        ("--clips", "clips"),
        ACTED
        | SAMPLED
        | {"--clips": changes("others"), "--at-most": changes("5")}
        | {"--tmr": changes("tmr.safetensors")},
    ),
    Use(
        "measure acts",
        "the paper's way",
        ("--protocol", "paper"),
        ACTED
        | UNMATCHED
        | {"--protocol": HoldsAnyway(("paper",)), "--human-guidance": refused("2")}
        | {"--human-preset": refused("reference"), "--takes": HoldsAnyway(("first",))},
    ),
)
BUILT: dict[str, Expected] = WORK | {
    "--data": changes("b"),
    "--codec": changes("run"),
    "--recipe": changes("pulpmotion"),
}
SHOWN: dict[str, Expected] = {
    "--data": changes("b"),
    "--codec": changes("run"),
    "--output": changes("b.png"),
}
PAIRS = (
    Use("pairs build", "direction", ("direction", "out", *STORE), BUILT),
    Use("pairs build", "intensity", ("intensity", "out", *STORE), BUILT),
    Use("pairs show", "all", ("out", *STORE), SHOWN),
    Use("pairs show", "one", ("out", "clip", *STORE), SHOWN),
    Use("pairs report", "", ("out",), {}),
)
STUDIO: dict[str, Expected] = {
    **WEIGHTS,
    "--host": changes("0.0.0.0"),
    "--port": changes("0"),
    "--folder": changes("kept"),
    "--upload-mb": changes("7"),
    "--no-browser": changes(),
}
SERVING = (
    Use(
        "serve",
        "",
        (),
        WEIGHTS
        | {"--host": changes("0.0.0.0"), "--port": changes("0"), "--folder": changes("kept")}
        | {"--upload-mb": changes("7")},
    ),
    Use("studio", "empty", (), STUDIO),
    Use("studio", "with a motion", ("walk.bvh",), STUDIO),
)
STUDYING = (
    Use("study make", "", ("fables", "OUT"),
        {"--data": changes("b"), "--cache": changes("kept")}),
    Use("study serve", "", ("OUT",),
        {"--host": changes("::1"), "--port": changes("0"), "--url": changes("https://a.org")}),
    Use("study report", "", ("OUT",),
        {"--incomplete": changes(), "--intervals": changes("percentile"),
         "--output": changes("b")}),
    Use("study simulate", "", ("paper", "OUT"),
        {"--seed": changes("5"), "--better": changes("1"), "--careless": changes("0.3"),
         "--side-bias": changes("0.2"), "--ties": changes("0.3"), "--spread": changes("0.2")}),
    Use("study export", "", ("OUT",), {"--output": changes("b")}),
    Use("study remove", "", ("OUT", "3"), {}),
)  # fmt: skip
REPRODUCED: dict[str, Expected] = {
    "--recipe": changes("base"),
    "--data": changes("b"),
    "--out": changes("b"),
    "--encoder": changes("clip:x"),
    "--text": changes("pooled"),
    "--canonicalise": changes(),
    "--trainings": changes("2"),
    "--own-evaluators": changes(),
    "--split": changes("test/mixed"),
    "--at-most": changes("5"),
    "--shorten": changes("7"),
    "--outside": changes("list.csv"),
    "--workers": changes("3"),
    "--compile": changes(),
    "--plan": changes(),
}
REPRODUCING = (
    Use(
        "reproduce",
        "tiny",
        ("--recipe", "tiny", *TRAINED),
        REPRODUCED | JUDGED,
    ),
    Use(
        "reproduce",
        "paper",
        ("--recipe", "paper", *TRAINED, *PUBLISHED),
        REPRODUCED | BY_PUBLISHED,
    ),
)
USES = (
    *FILMING, *SERVING, *FILES, *DATA, *TRAINING, *MEASURING, *FIGURES, *WORDS, *ACTS, *PAIRS,
    *REPRODUCING, *STUDYING,
)  # fmt: skip
CASES = [(use, flag) for use in USES for flag in use.flags]


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with everything that the commands above name."""
    folder = tmp_path_factory.mktemp("files")
    write_motion(walking(53), folder / "walk.bvh")
    clip = synthetic_motion("wave", 29, np.random.default_rng(1)).clip
    root = clip.motion.root
    camera = camera_looking_at(root + root.new_tensor([1.0, -3.0, 0.2]), root, 0.7)
    write_shot(Shot(clip, camera, Provenance("a test")), folder / "wave.shot")
    rows = {
        "film.csv": {"motion": "walk.bvh", "words": PUSH_IN, "output": "a.shot"},
        "shoot.csv": {"human_words": WALK, "camera_words": PUSH_IN, "output": "a.shot"},
        "act.csv": {"words": WALK, "output": "a.clip"},
    }
    for name, row in rows.items():
        with (folder / name).open("w", newline="") as file:
            writer = csv.DictWriter(file, list(row))
            writer.writeheader()
            writer.writerow(row)
    return folder


@dataclass(frozen=True)
class Seen:
    """Everything that can be noticed of a command."""

    code: int
    said: str
    asked: tuple[str, ...]
    left: Mapping[str, bytes]
    mistakes: str


PLAINLY: dict[tuple[str, str], Seen] = {}  # what uses do without a flag, once found out


@pytest.fixture
def used(
    files: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> Iterator["Used"]:
    monkeypatch.setenv("AESOP_CACHE", "cache")
    diary = Diary()
    stand_in(monkeypatch, diary)
    yield Used(files, tmp_path, monkeypatch, capsys, diary)


@dataclass(frozen=True)
class Used:
    """Uses a command in a fresh folder."""

    files: Path
    tmp_path: Path
    monkeypatch: pytest.MonkeyPatch
    capsys: pytest.CaptureFixture[str]
    diary: Diary

    def __call__(self, use: Use, *more: str) -> Seen:
        here = self.tmp_path / "here"
        shutil.rmtree(here, ignore_errors=True)
        shutil.copytree(self.files, here)
        if "--batch" in more:  # another batch of the same kind
            shutil.copy(here / f"{use.command}.csv", here / "two.csv")
        self.monkeypatch.chdir(here)
        self.diary.entries.clear()
        code = run(*use.command.split(), *use.words, *more)
        said = self.capsys.readouterr()
        asked = tuple(self.diary.entries)
        return Seen(code, said.out, asked, what_is_there(here), said.err)


def test_every_flag_of_every_command_is_in_the_table(capsys: pytest.CaptureFixture[str]):
    commands = {" ".join(words) for words in leaves(TREE)}
    assert {use.command for use in USES} == commands
    for use in USES:
        assert run(*use.command.split(), "--help") == 0
        shown = set(
            re.findall(r"^\S?\s*(?:-o \S+, )?(--[a-z][a-z-]*)", capsys.readouterr().out, re.M)
        )
        offered = shown - {"--help"}
        assert set(use.flags) == offered, f"{use.command} ({use.way})"


@pytest.mark.parametrize(
    ("use", "flag"), CASES, ids=[f"{use.command} {use.way} {flag}" for use, flag in CASES]
)
def test_no_flag_is_ignored(use: Use, flag: str, used: Used):
    expected = use.flags[flag]
    is_on = flag in ("--sheets", "--hold-out")  # what is on already is switched off
    given = f"--no-{flag.strip('-')}" if is_on else flag
    if (use.command, use.way) not in PLAINLY:
        PLAINLY[use.command, use.way] = used(use)
    plainly, with_flag = PLAINLY[use.command, use.way], used(use, given, *expected.words)
    assert plainly.code == 0, plainly.mistakes
    match expected:
        case Changes():
            assert with_flag.code == 0, with_flag.mistakes
            assert (with_flag.said, with_flag.asked, with_flag.left) != (
                plainly.said,
                plainly.asked,
                plainly.left,
            )
        case Refused():
            assert with_flag.code == 1
            assert flag.strip("-") in with_flag.mistakes and "Traceback" not in with_flag.mistakes
        case HoldsAnyway():
            assert with_flag.code == 0, with_flag.mistakes


@pytest.mark.parametrize("use", USES, ids=[f"{use.command} {use.way}" for use in USES])
def test_the_same_words_do_the_same_twice(use: Use, used: Used):
    """A canary: were a command to say something else every time, every flag would seem to act."""
    first, second = used(use), used(use)
    assert first == second
