"""film, shoot, act, sweep: what is written where, what is refused, and what a batch resumes."""

import csv
import json
import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import torch

from aesop.director import sampling
from aesop.files.motion_files import read_motion, write_motion
from aesop.files.shot_file import read_shot
from aesop.scene.camera import CameraPath
from aesop.scene.intensity_curve import IntensityCurve
from aesop.text.encoders import text_encoder
from tests.cli.test_commands import run
from tests.director.makers import PUSH_IN, WALK, save_cast, walking
from tests.tolerances import FILMED32


@pytest.fixture(scope="module")
def weights(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("weights")
    save_cast(folder, text_encoder("minilm"))
    return folder


@pytest.fixture(scope="module")
def walk(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("motion") / "walk.bvh"
    write_motion(walking(53), path)
    return path


@pytest.fixture
def here(tmp_path: Path, weights: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder to work in, and weights that are found without being named."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("AESOP_WEIGHTS", str(weights))
    return tmp_path


def test_film_writes_every_format_it_is_asked_for(
    walk: Path, here: Path, capsys: pytest.CaptureFixture[str]
):
    names = [f"a{suffix}" for suffix in (".shot", ".glb", ".usda", ".bvh", ".json", ".csv", ".py")]
    flags = [word for name in names for word in ("-o", name)]
    assert run("film", walk, PUSH_IN, "--intensity", "1.3", "--seed", "4", *flags) == 0
    assert capsys.readouterr().out.split() == names
    assert all((here / name).stat().st_size > 500 for name in names)
    shot = read_shot(here / "a.shot")
    assert shot.camera_words == PUSH_IN and shot.intensity == 1.3
    assert torch.equal(shot.clip.motion.joints, read_motion(walk).motion.joints)
    assert any(note.startswith("seed 4, take ") for note in shot.provenance.notes)


@pytest.mark.parametrize(("higher_m", "is_told"), [(9000.0, False), (-9000.0, True)])
def test_a_lifted_camera_is_told(
    walk: Path,
    here: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    higher_m: float,
    is_told: bool,
):
    decoded = sampling.decode_camera

    def moved(*args: Any) -> CameraPath:
        camera = decoded(*args)
        return replace(camera, centre=camera.centre + torch.tensor([0.0, 0.0, higher_m]))

    monkeypatch.setattr(sampling, "decode_camera", moved)
    assert run("film", walk, PUSH_IN, "--as-sampled", "-o", "b.shot") == 0
    assert "lifted by" not in capsys.readouterr().err  # as decoded: not even that
    assert run("film", walk, PUSH_IN, "--first-take", "-o", "a.shot") == 0
    assert ("lifted by" in capsys.readouterr().err) == is_told
    assert run("sweep", walk, PUSH_IN, "--first-take", "--intensities", "0.5", "1",
               "-o", "s.shot") == 0  # fmt: skip
    said = [line for line in capsys.readouterr().err.splitlines() if "intensity" in line]
    assert ["lifted by" in line for line in said] == [is_told, is_told]


def test_an_intensity_over_time_is_a_flag_and_a_cell(
    walk: Path, here: Path, capsys: pytest.CaptureFixture[str]
):
    curve = "0:0.6 0.8:1.4"
    wanted = ("-o", "a.shot", "-o", "a.json", "-o", "a.glb")
    assert run("film", walk, PUSH_IN, "--intensity", curve, "--seed", "2", *wanted) == 0
    assert f"intensity {curve}: the camera travels" in capsys.readouterr().err
    rows = film_rows(walk, 3)
    rows[2]["intensity"] = curve
    write_csv(here / "all.csv", rows)
    assert run("film", "--batch", "all.csv") == 0
    alone, row = read_shot(here / "a.shot"), read_shot(here / "2.shot")
    assert alone.intensity_curve == row.intensity_curve == IntensityCurve.from_text(curve)
    assert (alone.camera.centre - row.camera.centre).abs().max() < FILMED32
    assert json.loads((here / "a.json").read_text())["intensity_curve"] == [[0, 0.6], [0.8, 1.4]]
    capsys.readouterr()
    assert run("check", "a.shot") == 0
    assert curve in capsys.readouterr().out


def test_words_of_pace_are_a_curve_unless_an_intensity_is_given(
    walk: Path, here: Path, capsys: pytest.CaptureFixture[str]
):
    words = "the camera pushes in slowly, then rushes"
    assert run("film", walk, words, "-o", "a.shot") == 0
    assert "(slowly → 0.7, then rushes → 1.3)" in capsys.readouterr().err
    assert read_shot(here / "a.shot").intensity_curve is not None
    assert run("film", walk, words, "--intensity", "1", "-o", "b.shot") == 0
    assert read_shot(here / "b.shot").intensity_curve is None
    assert "slowly →" not in capsys.readouterr().err


def test_takes_are_numbered_and_the_first_is_the_film(walk: Path, here: Path):
    assert run("film", walk, PUSH_IN, "--takes", "3", "-o", "a.shot") == 0
    assert run("film", walk, PUSH_IN, "--first-take", "-o", "b.shot") == 0
    takes = [read_shot(here / f"a_take{take}.shot").camera.centre for take in (1, 2, 3)]
    assert (takes[0] - read_shot(here / "b.shot").camera.centre).abs().max() < FILMED32
    assert (takes[0] - takes[1]).abs().max() > 1e-3 and not (here / "a.shot").exists()


def test_shoot_and_act_make_the_same_person(here: Path):
    asked = ("--seconds", "1.4", "--seed", "3")
    assert run("shoot", WALK, PUSH_IN, *asked, "-o", "a.shot", "--intensity", "0.8") == 0
    assert run("act", WALK, *asked, "-o", "a.clip", "-o", "a.bvh") == 0
    shot, clip = read_shot(here / "a.shot"), read_motion(here / "a.clip")
    assert torch.equal(shot.clip.motion.joints, clip.motion.joints) and clip.frames == 35
    assert shot.human_words == WALK and (here / "a.bvh").exists()


def test_a_sweep_is_a_figure_and_shots(walk: Path, here: Path):
    wanted = ("--intensities", "0.5", "1.5")
    assert run("sweep", walk, PUSH_IN, *wanted, "-o", "s.png", "-o", "s.shot") == 0
    assert (here / "s.png").stat().st_size > 10_000
    assert read_shot(here / "s_1.50.shot").intensity == 1.5


def test_a_sweep_is_delivered_as_a_film_is(walk: Path, here: Path):
    wanted = ("--intensities", "0.5", "1.5", "--aspect", "9:16", "--resolution", "540x960")
    files = ("-o", "s.json", "-o", "s.nerfstudio.json", "--fps", "30")
    assert run("sweep", walk, PUSH_IN, *wanted, *files) == 0
    for intensity in ("0.5", "1.5"):
        alone = ("film", walk, PUSH_IN, "--intensity", intensity, *wanted[3:], "--fps", "30")
        assert run(*alone, "-o", "f.json", "-o", "f.nerfstudio.json") == 0
        for suffix in (".json", ".nerfstudio.json"):
            swept, filmed = (
                json.loads((here / name).read_text(encoding="utf-8"))
                for name in (f"s_{float(intensity):.2f}{suffix}", f"f{suffix}")
            )
            assert swept.keys() == filmed.keys() and swept["fps"] == 30
            count = "frames" if suffix == ".json" else "camera_path"
            assert len(swept[count]) == len(filmed[count])
        assert swept["render_width"] == 540
    assert not (here / "s.json").exists()
    assert run("sweep", walk, PUSH_IN, *wanted[:3], "-o", "o.json", "--world", "aesop") == 0
    assert "source_file" not in json.loads((here / "o_1.50.json").read_text(encoding="utf-8"))


def test_a_batch_says_which_files_hold_no_keys(
    walk: Path, here: Path, capsys: pytest.CaptureFixture[str]
):
    rows = film_rows(walk, 2)
    write_csv(here / "all.csv", rows)
    assert run("film", "--batch", "all.csv", "--keys") == 1
    assert "none of the files (.shot) can hold them" in capsys.readouterr().err
    assert not (here / "0.shot").exists()
    rows[1]["output"] = "1.csv; 1.json"
    write_csv(here / "all.csv", rows)
    assert run("film", "--batch", "all.csv", "--keys") == 0
    assert "no keys, but a value a frame: .csv, .shot" in capsys.readouterr().err
    assert "keys" in json.loads((here / "1.json").read_text(encoding="utf-8"))


def test_an_actors_file_is_read_and_delivered_as_a_film_is(
    walk: Path, here: Path, capsys: pytest.CaptureFixture[str]
):
    flags = ("--file-fps", "50", "--up", "y", "--first-take", "--world", "aesop", "--fps", "30")
    assert run("film", walk, PUSH_IN, *flags, "-o", "f.csv") == 0
    assert run("shoot", WALK, PUSH_IN, "--actor", walk, *flags, "-o", "s.csv") == 0
    assert (here / "s.csv").read_bytes() == (here / "f.csv").read_bytes()
    for flag, value in (("--file-fps", "50"), ("--up", "z"), ("--world", "aesop")):
        assert run("shoot", WALK, PUSH_IN, flag, value, "-o", "n.csv") == 1
        assert f"{flag} means nothing without --actor" in capsys.readouterr().err


def test_a_sweep_is_a_video_of_all_side_by_side(here: Path):
    import av

    write_motion(walking(29), here / "short.clip")
    wanted = ("--intensities", "0.5", "1.0", "1.5", "-o", "s.mp4")
    assert run("sweep", "short.clip", PUSH_IN, *wanted) == 0
    with av.open(str(here / "s.mp4")) as video:
        frames = list(video.decode(video=0))
    assert len(frames) == 29 and frames[0].width == 3 * 480


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("film", "WALK", PUSH_IN), "a file to write"),
        (("film", "-o", "a.shot"), "a motion and words"),
        (("film", "WALK", "", "-o", "a.shot"), "say nothing"),
        (("film", "WALK", PUSH_IN, "-o", "a.fbx"), ".glb, .usda"),
        (("film", "WALK", PUSH_IN, "-o", "a.shot", "-o", "a.gif"), ".gif"),
        (("film", "WALK", PUSH_IN, "-o", "a.shot", "-o", "a.shot"), "named twice"),
        (("film", "WALK", PUSH_IN, "-o", "no/a.shot"), "does not exist"),
        (("film", "WALK", PUSH_IN, "-o", "a.shot", "--intensity", "nan"), "intensity"),
        (("film", "WALK", PUSH_IN, "-o", "a.shot", "--intensity", "2"), "intensity"),
        (("film", "WALK", PUSH_IN, "-o", "a.shot", "--intensity", "much"), "'much' is no number"),
        (("film", "WALK", PUSH_IN, "-o", "a.shot", "--intensity", "0:1 0.1:2"), "a jerk"),
        (("film", "WALK", PUSH_IN, "-o", "a.shot", "--takes", "0"), "takes"),
        (("film", "WALK", PUSH_IN, "-o", "a.shot", "--takes", "100000000"), "1000 or fewer"),
        (("shoot", WALK, PUSH_IN, "-o", "a.shot", "--takes", "100000000"), "1000 or fewer"),
        (("act", WALK, "-o", "a.clip", "--takes", "100000000"), "1000 or fewer"),
        (("film", "WALK", PUSH_IN, "-o", "a.shot", "--seed", "-1"), "negative"),
        (("film", "WALK", PUSH_IN, "-o", "a.shot", "--weights", "nowhere"), "nowhere"),
        (("film", "nothing.bvh", PUSH_IN, "-o", "a.shot"), "nothing.bvh"),
        (("film", "WALK", PUSH_IN, "--batch", "a.csv"), "either the file"),
        (("film", "--batch", "nothing.csv"), "nothing.csv"),
        (("shoot", WALK, "-o", "a.shot"), "two sentences"),
        (("shoot", WALK, PUSH_IN, "-o", "a.shot", "--seconds", "13"), "1 to 12"),
        (("shoot", WALK, PUSH_IN, "-o", "a.shot", "--seconds", "nan"), "1 to 12"),
        (("act", WALK, "-o", "a.shot"), ".npz"),
        (("act", WALK, "-o", "a.bvh", "--seconds", "0"), "1 to 12"),
        (("sweep", "WALK", PUSH_IN, "-o", "a.gif"), "Known suffixes"),
        (("sweep", "WALK", PUSH_IN, "-o", "a.png", "--intensities", "1", "2", "1.0"), "once"),
        (("sweep", "WALK", PUSH_IN, "-o", "a.shot", "--intensities", "1", "1.001"), "one file"),
    ],
)
def test_mistakes_are_told_before_anything_is_sampled(
    words: tuple[str, ...],
    told: str,
    walk: Path,
    here: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
):
    monkeypatch.setattr(sampling, "sample_latents", None)
    assert run(*(walk if word == "WALK" else word for word in words)) == 1
    message = capsys.readouterr()
    assert told in message.err and message.out == "" and "Traceback" not in message.err
    assert list(here.iterdir()) == []


def write_csv(path: Path, rows: list[dict[str, object]]) -> None:
    with path.open("w", newline="") as file:
        writer = csv.DictWriter(file, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)


def film_rows(walk: Path, count: int) -> list[dict[str, object]]:
    empty = {"intensity": "", "take": "", "takes": ""}
    return [
        {"motion": walk, "words": PUSH_IN, "seed": row, "output": f"{row}.shot", **empty}
        for row in range(count)
    ]


@pytest.mark.parametrize(
    "words",
    [
        ("film", "own.bvh", PUSH_IN, "-o", "own.shot", "-o", "./own.bvh"),
        ("film", "own.bvh", PUSH_IN, "-o", "link.bvh"),
        ("film", "own.bvh", PUSH_IN, "--start", "own.json@0", "-o", "own.json"),
        ("sweep", "own_1.00.bvh", PUSH_IN, "--intensities", "1", "-o", "own.bvh"),
        ("shoot", WALK, PUSH_IN, "--actor", "own.bvh", "-o", "own.bvh"),
        ("convert", "own.bvh", "own.bvh"),
    ],
    ids=lambda words: f"{words[0]} to {words[-1]}",
)
def test_what_is_read_is_never_replaced(
    words: tuple[str, ...], walk: Path, here: Path, capsys: pytest.CaptureFixture[str]
):
    for name in ("own.bvh", "own_1.00.bvh"):
        (here / name).write_bytes(walk.read_bytes())
    (here / "link.bvh").hardlink_to(here / "own.bvh")
    (here / "own.json").write_bytes(b"{}")
    before = {path: path.read_bytes() for path in here.iterdir()}
    assert run(*words) == 1
    assert "is read here; writing to it would replace it" in capsys.readouterr().err
    assert {path: path.read_bytes() for path in here.iterdir()} == before


def test_a_batch_answers_every_row(walk: Path, here: Path):
    rows = film_rows(walk, 3)
    rows[1]["output"] = "1.shot; 1.json"
    write_csv(here / "all.csv", rows)
    assert run("film", "--batch", "all.csv") == 0
    assert run("film", walk, PUSH_IN, "--seed", "2", "-o", "alone.shot") == 0
    apart = read_shot(here / "2.shot").camera.centre - read_shot(here / "alone.shot").camera.centre
    assert apart.abs().max() < FILMED32 and (here / "1.json").exists()


def test_a_batch_goes_on_where_it_stopped(
    walk: Path, here: Path, capsys: pytest.CaptureFixture[str]
):
    rows = film_rows(walk, 4)
    write_csv(here / "all.csv", rows)
    assert run("film", "--batch", "all.csv") == 0
    for name in ("0.shot", "1.shot", "2.shot", "3.shot"):
        os.utime(here / name, (1, 1))
    (here / "1.shot").unlink()
    rows[2]["intensity"] = 0.7
    write_csv(here / "all.csv", rows)
    capsys.readouterr()
    assert run("film", "--batch", "all.csv") == 0
    told = capsys.readouterr()
    # What was lost and what was changed is made again; the rest is not touched.
    assert told.out.split() == ["1.shot", "2.shot"] and "2 of 4" in told.err
    assert (here / "0.shot").stat().st_mtime == 1 and read_shot(here / "2.shot").intensity == 0.7


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"intensity": "much"}, "line 3: 'much' is no number"),
        ({"intensity": "0:1 9:"}, "line 3: '0:1 9:' is no curve"),
        ({"intensity": "2.5"}, "line 3: The intensity 2.5"),
        ({"words": " "}, "line 3: The camera words"),
        ({"motion": "gone.bvh"}, "line 3: There is no motion gone.bvh"),
        ({"output": ""}, "line 3: It names no output"),
        ({"output": "0.shot"}, "line 3: It writes 0.shot, as line 2 does"),
        ({"output": "1.shot;1.shot"}, "line 3: A file is named twice"),
        ({"output": "all.csv"}, "line 3: It writes all.csv, which this file"),
        ({"take": "1", "takes": "2"}, "line 3: It has a take and takes"),
        ({"takes": "100000000"}, "line 3: 100000000 takes"),
        ({"output": "1.fbx"}, "line 3: 1.fbx"),
    ],
)
def test_one_bad_row_stops_a_batch_before_it_begins(
    change: dict[str, object],
    told: str,
    walk: Path,
    here: Path,
    capsys: pytest.CaptureFixture[str],
):
    rows = film_rows(walk, 2)
    rows[1] |= change
    write_csv(here / "all.csv", rows)
    assert run("film", "--batch", "all.csv") == 1
    assert told in capsys.readouterr().err and not (here / "0.shot").exists()


def test_all_bad_rows_are_told_at_once(walk: Path, here: Path, capsys: pytest.CaptureFixture[str]):
    rows = film_rows(walk, 7)
    rows[1]["intensity"], rows[3]["words"], rows[6]["output"] = "much", " ", "0.shot"
    rows[5]["intensity"] = "2.5"
    write_csv(here / "all.csv", rows)
    assert run("film", "--batch", "all.csv") == 1
    told = capsys.readouterr().err.splitlines()
    assert "4 rows" in told[0] and [line.split(":")[0].strip() for line in told[1:5]] == [
        "line 3",
        "line 5",
        "line 7",
        "line 8",
    ]
    assert not list(here.glob("*.shot"))


def test_a_batch_without_rows_says_so(here: Path, capsys: pytest.CaptureFixture[str]):
    (here / "all.csv").write_text("motion,words,output\n")
    assert run("film", "--batch", "all.csv") == 1
    assert "a header and no rows" in capsys.readouterr().err


def test_flags_are_for_rows_that_do_not_say(walk: Path, here: Path):
    rows = film_rows(walk, 3)
    rows[0] |= {"seed": ""}
    rows[1] |= {"intensity": 0.7, "take": 2}
    rows[2] |= {"takes": 1}
    write_csv(here / "all.csv", rows)
    flags = ("--intensity", "1.4", "--seed", "77", "--takes", "3", "--guidance", "2")
    assert run("film", "--batch", "all.csv", *flags) == 0
    made = {path.name: read_shot(path) for path in here.glob("*.shot")}
    facts = {name: (it.intensity, it.provenance.notes[1]) for name, it in made.items()}
    intensity, noise = facts.pop("2.shot")  # of one answer the best take is kept
    assert intensity == 1.4 and noise.startswith("seed 2, take ")
    assert facts == {
        "0_take1.shot": (1.4, "seed 77, take 0"),
        "0_take2.shot": (1.4, "seed 77, take 1"),
        "0_take3.shot": (1.4, "seed 77, take 2"),
        "1.shot": (0.7, "seed 1, take 2"),
    }
    assert all("guidance 2, preset fast" in it.provenance.notes for it in made.values())
    alone = ("--intensity", "1.4", "--seed", "77", "--takes", "3", "--guidance", "2")
    assert run("film", walk, PUSH_IN, *alone, "-o", "alone.shot") == 0
    apart = made["0_take3.shot"].camera.centre - read_shot(here / "alone_take3.shot").camera.centre
    assert apart.abs().max() < 1e-4  # as among other requests


def test_other_flags_make_a_batch_anew_and_the_same_do_not(
    walk: Path, here: Path, capsys: pytest.CaptureFixture[str]
):
    rows = film_rows(walk, 2)
    rows[1]["intensity"] = 0.7
    write_csv(here / "all.csv", rows)
    for flags, written in (
        ((), ["0.shot", "1.shot"]),
        ((), []),
        (("--intensity", "1.3"), ["0.shot"]),
        (("--takes", "2"), [f"{row}_take{take}.shot" for row in (0, 1) for take in (1, 2)]),
    ):
        assert run("film", "--batch", "all.csv", *flags) == 0
        assert capsys.readouterr().out.split() == written


def test_columns_are_checked(walk: Path, here: Path, capsys: pytest.CaptureFixture[str]):
    write_csv(here / "all.csv", [{"motion": walk, "text": PUSH_IN, "output": "a.shot"}])
    assert run("film", "--batch", "all.csv") == 1
    assert "Needed: motion, output, words" in capsys.readouterr().err


def test_batches_of_people_and_of_both(here: Path):
    both: dict[str, object] = {
        "human_words": WALK,
        "camera_words": PUSH_IN,
        "seconds": 1.4,
        "output": "a.shot",
    }
    write_csv(here / "both.csv", [both | {"seed": 3, "camera_seed": 5}])
    write_csv(here / "people.csv", [{"words": WALK, "seconds": 1.4, "seed": 3, "output": "a.clip"}])
    assert run("shoot", "--batch", "both.csv") == 0 and run("act", "--batch", "people.csv") == 0
    joints = read_shot(here / "a.shot").clip.motion.joints
    assert torch.equal(joints, read_motion(here / "a.clip").motion.joints)


def test_flags_reach_batches_of_people_and_of_both(here: Path):
    both: dict[str, object] = {"human_words": WALK, "camera_words": PUSH_IN, "output": "a.shot"}
    write_csv(here / "both.csv", [both])
    write_csv(here / "people.csv", [{"words": WALK, "output": "a.clip"}])
    flags = ("--seconds", "1.4", "--seed", "3")
    camera = ("--camera-seed", "5", "--intensity", "0.8", "--guidance", "2")
    assert run("shoot", "--batch", "both.csv", *flags, *camera) == 0
    assert run("act", "--batch", "people.csv", *flags, "--takes", "2") == 0
    shot, person = read_shot(here / "a.shot"), read_motion(here / "a_take1.clip")
    apart = (shot.clip.motion.joints - person.motion.joints).abs().max()
    assert apart < 1e-4 and shot.frames == 35  # two takes of a person are sampled together
    assert shot.intensity == 0.8 and (here / "a_take2.clip").exists()
    assert "guidance 2, preset fast" in shot.provenance.notes
    assert any(note.startswith("seed 5, take ") for note in shot.provenance.notes)
    assert "seed 3, take 0" in person.provenance.notes


def test_filming_loads_no_training_cluster_drawing_or_video(walk: Path, here: Path):
    code = (
        "import sys\n"
        "from aesop.cli import main\n"
        f"main(['film', {str(walk)!r}, {PUSH_IN!r}, '-o', 'a.shot'])\n"
        "unwanted = {'aesop.training', 'aesop.data.store', 'aesop.preview', 'aesop.reports',\n"
        "            'ray', 'av', 'PIL', 'matplotlib', 'scipy', 'transformers', 'torch._dynamo'}\n"
        "found = unwanted & set(sys.modules)\n"
        "sys.exit(f'imported {found}' if found else 0)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0 and done.stdout == "a.shot\n", done.stderr
