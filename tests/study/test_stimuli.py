"""A study made from a store: videos that are alike in everything but who filmed."""

import json
import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import av
import pytest
import torch

from aesop.core.errors import AesopError, Progress
from aesop.core.hashing import file_sha256
from aesop.data.store import open_store
from aesop.fables.build import FablesRecipe, Share, build_mini
from aesop.scene.human import cut
from aesop.scene.shot import Shot
from aesop.study import stimuli, study_folder
from aesop.study.stimuli import (
    ASPECT,
    LENS_PX,
    WIDTH_PX,
    alike,
    choose_cases,
    example_shots,
    stimulus_stage,
    video_tokens,
    write_stimulus,
)
from aesop.study.study_folder import VIDEOS, Study, make_study, missing_videos, read_study
from aesop.study.study_plan import StudyPlan, plan_from_values
from tests.study.makers import small_plan

FRAMES = 53  # about the shortest that Fables films: drawing takes longest


@contextmanager
def silent(_: str) -> Iterator[Progress]:
    yield lambda done, total: None


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    share = Share(windows=5, one_run=1, several=0, any_run=0)
    folder = tmp_path_factory.mktemp("study") / "STORE"
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr("aesop.fables.build.draw_length", lambda _: FRAMES)
        build_mini(folder, FablesRecipe(3, train=share, validation=share, test=share))
    return folder


def plan_of(store: Path, **changes: object) -> StudyPlan:
    task = {"task": "film", "methods": ["operator", "reference"], "clips": 2, "comparisons": 2}
    values = {"title": "t", "seed": 3, "participants": 3, "data": str(store), "split": "test",
              "tasks": [task]}  # fmt: skip
    return plan_from_values(values | changes, Path())


@pytest.fixture(scope="module", autouse=True)
def small_pictures() -> Iterator[None]:
    """Drawn at a tenth of the size: nothing here looks at details."""
    with pytest.MonkeyPatch.context() as patched:
        for name, size in (("WIDTH_PX", 64), ("LENS_PX", 36), ("OUTSIDE_PX", 32), ("GAP_PX", 2)):
            patched.setattr(stimuli, name, size)
        yield


@pytest.fixture(scope="module")
def made(store: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Study]:
    out = tmp_path_factory.mktemp("study") / "OUT"
    return out, make_study(plan_of(store), out, out.parent / "cache", "cpu", silent)


def test_a_made_study_is_whole_and_read_back_alike(made: tuple[Path, Study]):
    out, study = made
    assert read_study(out) == study and read_study(out).sha256 == study.sha256
    assert not missing_videos(study, out) and not study.is_simulated
    assert "all equal to within one | yes" in (out / "balance.md").read_text(encoding="utf-8")
    assert dict(study.identities).keys() == {"film operator", "film reference"}
    assert len({clip.id for clip in study.clips[0][1]} | {study.example and study.example.id}) == 3


def test_names_are_tokens_and_files_say_nothing(made: tuple[Path, Study]):
    out, study = made
    names = {path.stem for path in (out / VIDEOS).iterdir()}
    tokens = {video.token for video in study.videos}
    assert names == tokens | {"example-left", "example-right"} and len(tokens) == 4
    words = [b"operator", b"reference", b"aesop", b"x264", b"lavf", b"lavc", b"encoder", b"crf="]
    words += [clip.id.encode().lower() for clip in study.clips[0][1]]
    for path in (out / VIDEOS).iterdir():
        assert path.stat().st_mtime == 0
        data = path.read_bytes().lower()
        assert not [word for word in words if word in data]
        with av.open(str(path)) as container:
            assert set(container.metadata) <= {"major_brand", "minor_version", "compatible_brands"}
            times = re.findall(rb"mvhd....(.{8})", data, re.S)
            assert times == [bytes(8)]  # made and changed: never


def test_videos_of_a_clip_are_alike(made: tuple[Path, Study]):
    out, study = made
    for number, clip in enumerate(study.clips[0][1]):
        facts: set[tuple[object, ...]] = set()
        for video in (it for it in study.videos if it.clip == number):
            with av.open(str(out / VIDEOS / f"{video.token}.mp4")) as container:
                stream = container.streams.video[0]
                frames = sum(1 for _ in container.decode(stream))
                facts.add(
                    (frames, stream.average_rate, stream.width, stream.height, stream.pix_fmt)
                )
        assert len(facts) == 1 and next(iter(facts))[0] == clip.frames


def test_the_same_camera_gives_the_same_bytes_whoever_held_it(store: Path, tmp_path: Path):
    """So pixels, name and file can tell nothing of the method but through its camera."""
    case = choose_cases(plan_of(store), open_store(store)).example
    few = 7
    shot = replace(
        case.reference,
        clip=cut(case.reference.clip, 0, few),
        camera=case.reference.camera.part(slice(few)),
    )
    signed = replace(
        shot,
        provenance=replace(shot.provenance, source="AESOP", notes=("by the model",)),
        camera=replace(shot.camera, aspect=1.2),
    )
    hashes = [
        write_stimulus(alike(it), tmp_path / f"{n}.mp4") for n, it in enumerate((shot, signed))
    ]
    assert hashes[0] == hashes[1]
    moving, still = example_shots(case)
    assert moving.camera.aspect == ASPECT == WIDTH_PX / LENS_PX
    assert float(still.camera.travel) == 0 and torch.equal(
        still.camera.centre[0], shot.camera.centre[0]
    )


def test_the_view_from_outside_depends_on_the_person_alone(store: Path):
    case = choose_cases(plan_of(store), open_store(store)).example
    views = [stimulus_stage(shot) for shot in example_shots(case)]
    for name in ("outside_from", "to_light"):
        assert (getattr(views[0], name) == getattr(views[1], name)).all()


def test_tokens_come_from_the_seed():
    names = [video.token for video in video_tokens(small_plan())]
    assert names == [video.token for video in video_tokens(small_plan())]
    assert not set(names) & {video.token for video in video_tokens(small_plan(seed=14))}
    assert names == sorted(names) and len(set(names)) == 5 * 3 + 2 * 2


def test_an_interrupted_run_goes_on(
    made: tuple[Path, Study], store: Path, tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
):  # fmt: skip
    _, study = made
    drawn: list[str] = []
    last = study.videos[2].token

    def draw(shot: Shot, path: Path) -> str:
        """In place of a video: whose path it is. Once it is interrupted."""
        drawn.append(path.stem)
        if path.stem == last and drawn.count(last) == 1:
            raise KeyboardInterrupt
        path.write_text(path.stem, encoding="utf-8")
        return file_sha256(path)

    monkeypatch.setattr(stimuli, "write_stimulus", draw)
    monkeypatch.setattr(study_folder, "write_stimulus", draw)
    plan, out = plan_of(store), tmp_path / "OUT"
    with pytest.raises(KeyboardInterrupt):
        make_study(plan, out, tmp_path / "cache", "cpu", silent)
    with pytest.raises(AesopError, match="holds no study"):
        read_study(out)
    with pytest.raises(AesopError, match="another plan"):
        make_study(replace(plan, seed=4), out, tmp_path / "cache", "cpu", silent)
    again = make_study(plan, out, tmp_path / "cache", "cpu", silent)
    tokens = [video.token for video in study.videos]
    assert [video.token for video in again.videos] == tokens and again.sheets == study.sheets
    assert [drawn.count(token) for token in tokens] == [1, 1, 2, 1]
    with pytest.raises(AesopError, match="holds a study already"):
        make_study(plan, out, tmp_path / "cache", "cpu", silent)


def test_clips_can_be_named(store: Path):
    opened = open_store(store)
    some = [opened.shots.text("id", int(row)) for row in opened.split("test")[:2]]
    task = {"task": "film", "methods": ["operator", "reference"], "clips": some, "comparisons": 1}
    chosen = choose_cases(plan_of(store, tasks=[task]), opened)
    names = [it.reference.provenance.source.partition(":")[2] for it in chosen.cases("film").cases]
    assert names == some
    named = {case.human_row for case in chosen.cases("film").cases}
    assert chosen.example.human_row not in named


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ({"data": ""}, "names no store"),
        ({"data": "nowhere"}, "nowhere"),
        ({"split": "holiday"}, "holiday"),
        ({"tasks": [{"task": "film", "methods": ["operator", "reference"], "clips": 50,
                     "comparisons": 1}]}, "the plan needs 51"),
        ({"tasks": [{"task": "film", "methods": ["operator", "reference"], "clips": ["nobody"],
                     "comparisons": 1}]}, "nobody"),
    ],
)  # fmt: skip
def test_what_cannot_be_made_leaves_nothing(
    changes: dict[str, object], told: str, store: Path, tmp_path: Path
):
    with pytest.raises(AesopError, match=told):
        make_study(plan_of(store, **changes), tmp_path / "OUT", tmp_path / "c", "cpu", silent)
    assert not (tmp_path / "OUT").exists()


def test_damaged_studies_are_refused(made: tuple[Path, Study], tmp_path: Path):
    out, _ = made
    values = json.loads((out / "study.json").read_text(encoding="utf-8"))
    for change, told in (({"format": 99}, "another AESOP"), ({"sheets": 3}, "damaged")):
        (tmp_path / "study.json").write_text(json.dumps(values | change), encoding="utf-8")
        with pytest.raises(AesopError, match=told):
            read_study(tmp_path)
