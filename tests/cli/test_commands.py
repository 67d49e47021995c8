"""The commands: what goes where, what is refused, and that nothing is left half-written."""

import re
from pathlib import Path

import numpy as np
import pytest

from aesop.cli import TREE, Command, Group, main
from aesop.fables.synthetic import synthetic_motion
from aesop.files.motion_files import write_motion
from aesop.files.shot_file import read_clip, write_shot
from aesop.scene.camera import camera_looking_at
from aesop.scene.human import HumanMotion, Provenance
from aesop.scene.shot import Shot
from tests.files.makers import amass_arrays, save_arrays

MEASURED_ON = ("--at-most", "--data", "--output", "--split")
MEASURED_MODEL = (
    "--as-sampled", "--cache", "--encoder", "--finish", "--guidance", "--human-finish",
    "--human-guidance", "--human-preset", "--method", "--method-steps", "--model", "--name",
    "--phase", "--preset", "--protocol", "--seeds",
)  # fmt: skip
JUDGED_BY = (
    "--clatr", "--clatr-statistics", "--clip", "--distilbert", "--evaluator-encoder",
    "--evaluators", "--tmr", "--tmr-statistics",
)  # fmt: skip


@pytest.fixture(scope="module")
def walk(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("motion") / "walk.bvh"
    write_motion(synthetic_motion("walk", 53, np.random.default_rng(2)).clip, path)
    return path


def run(*words: str | Path) -> int:
    """Exit code of a command."""
    try:
        main([str(word) for word in words])
    except SystemExit as stop:
        return int(stop.code or 0)
    return 0


def leaves(group: Group, words: tuple[str, ...] = ()) -> list[tuple[str, ...]]:
    found: list[tuple[str, ...]] = []
    for name, child in group.children.items():
        path = (*words, name)
        found += [path] if isinstance(child, Command) else leaves(child, path)
    return found


@pytest.mark.parametrize("words", leaves(TREE), ids=" ".join)
def test_every_command_explains_itself(words: tuple[str, ...], capsys: pytest.CaptureFixture[str]):
    assert run(*words, "--help") == 0
    shown = capsys.readouterr().out
    assert f"aesop {' '.join(words)}" in shown and len(shown) > 200
    assert "options options" not in shown


READING = ["--file-fps", "--fps", "--loop", "--units", "--up"]
# A flag is there only if a user would ask for it: change this list knowingly.
OFFERED = {
    "check": sorted([*READING, "--json"]),
    "convert": READING,
    "preview": ["--file-fps", "--fps", "--loop", "--output", "--units", "--up"],
    "train": [
        "--compile",
        "--data",
        "--encoder",
        "--factual",
        "--from",
        "--hold-out",
        "--no-compile",
        "--no-factual",
        "--no-hold-out",
        "--no-resume",
        "--no-sheets",
        "--no-tensorboard",
        "--out",
        "--pairs",
        "--recipe",
        "--resume",
        "--seed",
        "--sheets",
        "--split",
        "--tensorboard",
        "--text",
    ],
    "film": [
        "--as-sampled",
        "--aspect",
        "--at",
        "--batch",
        "--encoder",
        "--end",
        "--end-size",
        "--file-fps",
        "--first-take",
        "--fps",
        "--guidance",
        "--intensity",
        "--json",
        "--keep",
        "--keep-going",
        "--keys",
        "--lens",
        "--loop",
        "--method",
        "--no-clobber",
        "--output",
        "--preset",
        "--protocol",
        "--resolution",
        "--seed",
        "--sensor",
        "--start",
        "--takes",
        "--travel",
        "--units",
        "--up",
        "--weights",
        "--world",
    ],
    "shoot": [
        "--actor",
        "--as-sampled",
        "--aspect",
        "--at",
        "--batch",
        "--camera-seed",
        "--encoder",
        "--end",
        "--end-size",
        "--file-fps",
        "--first-take",
        "--fps",
        "--guidance",
        "--human-guidance",
        "--human-preset",
        "--intensity",
        "--json",
        "--keep",
        "--keep-going",
        "--keys",
        "--lens",
        "--loop",
        "--method",
        "--no-clobber",
        "--output",
        "--preset",
        "--protocol",
        "--resolution",
        "--seconds",
        "--seed",
        "--sensor",
        "--start",
        "--takes",
        "--travel",
        "--units",
        "--up",
        "--weights",
        "--world",
    ],
    "act": [
        "--as-sampled",
        "--batch",
        "--encoder",
        "--first-take",
        "--human-guidance",
        "--human-preset",
        "--json",
        "--keep-going",
        "--no-clobber",
        "--output",
        "--seconds",
        "--seed",
        "--takes",
        "--weights",
    ],
    "sweep": [
        "--as-sampled",
        "--aspect",
        "--at",
        "--encoder",
        "--end",
        "--file-fps",
        "--first-take",
        "--fps",
        "--guidance",
        "--intensities",
        "--json",
        "--keep",
        "--lens",
        "--loop",
        "--method",
        "--output",
        "--preset",
        "--protocol",
        "--resolution",
        "--seed",
        "--sensor",
        "--start",
        "--units",
        "--up",
        "--weights",
        "--world",
    ],
    "data build fables": ["--clips", "--edition", "--engine", "--seed", "--takes", "--workers"],
    "data import pulpmotion": ["--canonicalise", "--no-canonicalise", "--workers"],
    "data build people": ["--clips", "--engine", "--seed", "--sets", "--windows", "--workers"],
    "data build thin": ["--data", "--seed"],
    "data import shots": ["--workers"],
    "data show": ["--output", "--seed"],
    "data stats": ["--at-most", "--charts"],
    "measure run": sorted([*MEASURED_ON, *MEASURED_MODEL, *JUDGED_BY, "--control", "--task"]),
    "measure presets": sorted([*MEASURED_ON, *MEASURED_MODEL, *JUDGED_BY, "--task"]),
    "measure sweep": sorted([*MEASURED_ON, *MEASURED_MODEL, *JUDGED_BY, "--task"]),
    "measure direction": sorted([*MEASURED_ON, *MEASURED_MODEL, "--task"]),
    "measure wording": [
        "--as-sampled",
        "--clips",
        "--data",
        "--encoder",
        "--model",
        "--output",
        "--phase",
        "--preset",
        "--protocol",
        "--seeds",
        "--split",
    ],
    "measure attributes": [
        "--bed",
        "--clips",
        "--data",
        "--encoder",
        "--films",
        "--method",
        "--model",
        "--name",
        "--output",
        "--phase",
        "--preset",
        "--seed",
        "--side",
        "--split",
        "--takes",
        "--words",
    ],
    "measure curves": [
        "--at-most",
        "--data",
        "--encoder",
        "--finish",
        "--model",
        "--name",
        "--output",
        "--phase",
        "--preset",
        "--seed",
        "--split",
    ],
    "measure travel": [
        "--at-most",
        "--data",
        "--encoder",
        "--finish",
        "--model",
        "--name",
        "--output",
        "--phase",
        "--preset",
        "--seed",
        "--split",
    ],
    "measure acts": [
        "--at-most",
        "--cache",
        "--calibration",
        "--clips",
        "--encoder",
        "--human-guidance",
        "--human-preset",
        "--model",
        "--name",
        "--output",
        "--protocol",
        "--seeds",
        "--set",
        "--takes",
        "--tmr",
        "--weights",
    ],
    "measure jobs": sorted(
        ["--cache", "--data", "--encoder", "--jobs", "--model", "--output", "--workers", *JUDGED_BY]
    ),
    "measure evaluators": sorted([*MEASURED_ON, *JUDGED_BY]),
    "measure tables": ["--output"],
    "figure comparison": ["--data", "--methods", "--output", "--protocol", "--seed", "--task"],
    "figure intensity": [
        "--data",
        "--encoder",
        "--intensities",
        "--model",
        "--output",
        "--phase",
        "--protocol",
        "--seed",
        "--task",
    ],
    "figure population": ["--output"],
    "figure construction": ["--codec", "--data", "--output"],
    "figure outside": ["--encoder", "--model", "--output", "--phase", "--protocol", "--seed"],
    "pairs build": ["--codec", "--data", "--engine", "--recipe", "--workers"],
    "pairs show": ["--codec", "--data", "--output"],
    "pairs report": [],
    "studio": [
        "--encoder",
        "--folder",
        "--host",
        "--no-browser",
        "--port",
        "--upload-mb",
        "--weights",
    ],
    "serve": ["--encoder", "--folder", "--host", "--port", "--upload-mb", "--weights"],
    "reproduce": [
        "--at-most",
        "--canonicalise",
        "--clatr",
        "--clatr-statistics",
        "--clip",
        "--compile",
        "--data",
        "--distilbert",
        "--encoder",
        "--evaluator-encoder",
        "--evaluators",
        "--out",
        "--outside",
        "--own-evaluators",
        "--plan",
        "--recipe",
        "--shorten",
        "--split",
        "--text",
        "--tmr",
        "--tmr-statistics",
        "--trainings",
        "--workers",
    ],
    "study make": ["--cache", "--data"],
    "study serve": ["--host", "--port", "--url"],
    "study report": ["--incomplete", "--intervals", "--output"],
    "study simulate": ["--better", "--careless", "--seed", "--side-bias", "--spread", "--ties"],
    "study export": ["--output"],
    "study remove": [],
}


def test_flags_are_the_ones_we_mean_to_offer(capsys: pytest.CaptureFixture[str]):
    offered: dict[str, list[str]] = {}
    for words in leaves(TREE):
        run(*words, "--help")
        shown = capsys.readouterr().out
        offered[" ".join(words)] = sorted(set(re.findall(r"--[a-z][a-z-]*", shown)) - {"--help"})
    assert offered == OFFERED


def test_unknown_commands_name_the_known_ones(capsys: pytest.CaptureFixture[str]):
    assert run("direct") == 2
    assert "check, convert, preview" in capsys.readouterr().err
    assert run("data", "import", "humanml") == 2
    assert "pulpmotion" in capsys.readouterr().err


def test_check_tells_what_it_sees(walk: Path, capsys: pytest.CaptureFixture[str]):
    assert run("check", walk) == 0
    shown = capsys.readouterr().out
    for fact in ("53 frames, 2.12 s at 25 fps", "22 SMPL joints", "filmable   yes"):
        assert fact in shown


def test_check_refuses_what_cannot_be_filmed(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    path = tmp_path / "blink.bvh"
    write_motion(synthetic_motion("stand", 11, np.random.default_rng(2)).clip, path)
    assert run("check", path) == 1
    told = capsys.readouterr()
    assert "0.44 s" in told.err and "filmable" not in told.out


def test_a_motion_is_never_written_over(
    walk: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A stranger's file holds more than we write; by another name it is the same file."""
    motion, other = tmp_path / "walk.bvh", tmp_path / "link.bvh"
    motion.write_bytes(walk.read_bytes() + b"\n")
    other.symlink_to(motion)
    for words in (("convert", motion, other), ("film", motion, "pushes in", "-o", motion)):
        assert run(*words) == 1
        assert "would replace it" in capsys.readouterr().err
    assert motion.read_bytes() == walk.read_bytes() + b"\n"


def test_a_path_in_millimetres_is_refused_alike_until_its_unit_is_given(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    arrays = amass_arrays(61)
    arrays["trans"] = 1000 * arrays["trans"]
    motion, target = save_arrays(tmp_path / "walk.npz", arrays), tmp_path / "walk.clip"
    for words in (("check", motion), ("convert", motion, target)):
        assert run(*words) == 1
        assert "--units" in capsys.readouterr().err and not target.exists()
    assert run("check", motion, "--units", "mm") == 0
    assert run("convert", motion, target, "--units", "mm") == 0
    assert run("check", target) == 0


@pytest.mark.parametrize("suffix", [".clip", ".npz", ".npy", ".bvh"])
def test_converting_writes_the_path_to_stdout_and_nothing_else(
    suffix: str, walk: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    target = tmp_path / f"out{suffix}"
    assert run("convert", walk, target) == 0
    assert capsys.readouterr().out == f"{target}\n"
    assert run("convert", target, tmp_path / "again.clip") == 0
    again = read_clip(tmp_path / "again.clip").motion
    original = read_clip_of(walk, tmp_path)
    # .npy holds 20 fps joints: resampling there and back loses some of the swing.
    tolerance = 0.03 if suffix == ".npy" else 2e-3
    frames = min(again.frames, original.frames)
    placed = again.joints[:frames] - again.root[:1], original.joints[:frames] - original.root[:1]
    assert (placed[0] - placed[1]).abs().max() < tolerance


def read_clip_of(path: Path, folder: Path) -> HumanMotion:
    run("convert", path, folder / "original.clip")
    return read_clip(folder / "original.clip").motion


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("convert", "WALK", "out.fbx"), ".fbx"),
        (("convert", "WALK", "missing/out.bvh"), "does not exist"),
        (("convert", "nothing.bvh", "out.clip"), "nothing.bvh"),
        (("preview", "WALK", "-o", "out.gif"), ".mp4 (video) or .png"),
        (("check", "WALK", "--fps", "0"), "frames per second"),
        (("data", "stats", "no_store"), "no_store"),
        (("data", "show", "no_store"), "no_store"),
        (("measure", "--data", "no_store", "--model", "no_weights"), "no_weights"),
        (("measure", "evaluators", "--data", "x", "--evaluators", "nowhere"), "nowhere"),
        (("measure", "wording", "--model", "no_weights"), "no_weights"),
        (("measure", "acts", "--model", "no_weights"), "no_weights"),
        (("measure", "acts", "--calibration", "no_numbers.json"), "no_numbers.json"),
        (("measure", "acts", "--seeds", "0"), "--seeds"),
        (("measure", "tables", "nothing.json"), "nothing.json"),
        (("study", "make", "nothing.toml", "out"), "nothing.toml"),
        (("study", "make", "paper", "out"), "names no store"),
        (("study", "make", "fables", "out", "--data", "nowhere"), "nowhere"),
        (("study", "serve", "nowhere"), "nowhere"),
        (("study", "serve", "nowhere", "--port", "70000"), "70000"),
        (("study", "report", "nowhere"), "nowhere"),
        (("study", "export", "nowhere"), "nowhere"),
        (("study", "remove", "nowhere", "3"), "nowhere"),
        (("study", "simulate", "paper", "out", "--careless", "2"), "careless"),
        (("data", "import", "pulpmotion", "nowhere", "store"), "nowhere"),
        (("data", "import", "shots", "nowhere", "store"), "nowhere"),
        (("data", "build", "fables", "store", "--takes", "nowhere"), "nowhere"),
        (("pairs", "build", "direction", "out", "--data", "no_store"), "no_store"),
        (("pairs", "show", "no_pairs", "--data", "no_store"), "no_pairs"),
        (("pairs", "report", "no_pairs"), "no_pairs"),
    ],
)
def test_mistakes_are_one_message_exit_one_and_no_file(
    words: tuple[str, ...],
    told: str,
    walk: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
):
    monkeypatch.chdir(tmp_path)
    assert run(*(walk if word == "WALK" else word for word in words)) == 1
    message = capsys.readouterr()
    assert told in message.err and message.out == "" and "Traceback" not in message.err
    left = [path for path in tmp_path.rglob("*") if path.is_file() and "store" not in path.parts]
    assert left == []


@pytest.mark.parametrize("suffix", [".png", ".mp4"])
def test_previews_of_motions_and_shots(
    suffix: str, walk: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    clip = synthetic_motion("wave", 29, np.random.default_rng(1)).clip
    root = clip.motion.root
    camera = camera_looking_at(root + root.new_tensor([1.0, -3.0, 0.2]), root, 0.7)
    write_shot(Shot(clip, camera, Provenance("a test")), tmp_path / "wave.shot")
    target = tmp_path / f"out{suffix}"
    assert run("preview", tmp_path / "wave.shot", "-o", target) == 0
    assert capsys.readouterr().out == f"{target}\n" and target.stat().st_size > 2000
