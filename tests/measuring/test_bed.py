"""The test bed: its list is sound, its numbers are counted right, its files can be continued."""

import json
from dataclasses import replace
from pathlib import Path

import pytest
import torch

from aesop.core.errors import FileError
from aesop.core.machine import Code, Machine
from aesop.director.long_motion import windows_of
from aesop.fables.takes import split_of
from aesop.measuring.bed import (
    Bed,
    BedFilm,
    Cut,
    FilmsHead,
    LongFacts,
    append_films,
    bed_clip,
    bed_film,
    bed_hash,
    clip_hash,
    read_bed,
    read_films,
    seam_transitions,
    start_films,
)
from aesop.measuring.bed_summary import (
    BedSummary,
    companies_of,
    group_of,
    groups_by,
    long_summary,
    lost_films,
    page,
)
from aesop.measuring.runs import read_record, write_json
from aesop.metrics.framing_metrics import Holding
from aesop.scene.human import Clip, shifted
from aesop.scene.shot import require_filmable
from tests.metrics.makers import straight_shot

LIST = Path(__file__).resolve().parents[2] / "runs" / "bed.json"
HEAD = FilmsHead("tune", "as-sampled", "ab", "cd", "ef")


@pytest.fixture(scope="module")
def bed() -> Bed:
    return read_bed(LIST)


def made_clips(bed: Bed) -> list[Clip]:
    """Motions that need no capture archive."""
    nowhere = Path("nowhere")
    return [bed_clip(it, nowhere) for it in bed.motions if not isinstance(it.source, Cut)]


def film(
    motion: str = "a", sentence: str = "push_in", seed: int = 0, empty: float = 0.0, **more: object
) -> BedFilm:
    plain = BedFilm(
        motion=motion,
        kind="walk",
        sentence=sentence,
        seed=seed,
        frames=113,
        holding=Holding(empty, 1 - empty, 1.25, 31.0, 2.0, 4.0),
        made=(("push_in", 0.75), ("static", 0.25)),
        is_right=True,
        travel_share=None,
        along_share=None,
        distance_m=3.5,
        lens_range_deg=1.5,
        long=None,
        notes=("seed 0, take 0",),
    )
    return replace(plain, **more)  # pyright: ignore[reportArgumentType]


def test_the_bed_has_what_it_must(bed: Bed):
    assert len(bed.sentences) == 12 and len(bed.seeds) == 2
    for side in ("tune", "test"):
        motions = bed.of(side)
        assert len(motions) >= 24
        assert {it.kind for it in motions} >= {
            "walk", "run", "turn", "circle", "sit", "lie", "jump",
        }  # fmt: skip


def test_sides_share_no_performer_and_no_made_motion(bed: Bed):
    tune, test = bed.of("tune"), bed.of("test")
    for motions, split in ((tune, "validation"), (test, "test")):
        takes = [it.source.take for it in motions if isinstance(it.source, Cut)]
        assert takes and {split_of(take) for take in takes} == {split}
    made = [{it.source for it in side if not isinstance(it.source, Cut)} for side in (tune, test)]
    assert made[0] and made[1] and not made[0] & made[1]


def test_the_grammar_reads_the_sentences_that_ask_for_tags(bed: Bed):
    for sentence in bed.sentences:
        has_tags = sentence.kind in ("tags", "arc")
        assert bool(sentence.tags) is has_tags, sentence
    assert [len(it.tags) for it in bed.sentences if it.kind == "tags"].count(2) == 1


def test_made_motions_can_be_filmed_and_differ(bed: Bed):
    clips = made_clips(bed)
    for clip in clips:
        require_filmable(clip)
    assert len({clip_hash(clip) for clip in clips}) == len(clips)
    seconds = [clip.seconds for clip in clips]
    assert min(seconds) >= 2 and max(seconds) == 60


def test_the_hash_sees_a_millimetre_and_no_rounding(bed: Bed):
    for clip in made_clips(bed):
        if clip.frames > 300:
            continue

        def hashed(move_m: float, clip: Clip = clip) -> str:
            moved = shifted(clip.motion, torch.full((3,), move_m, dtype=torch.float64))
            return clip_hash(replace(clip, motion=moved))

        assert hashed(1e-3) != clip_hash(clip)
        # Sums of numbers of some metres in float64 differ by less between processors.
        assert hashed(1e-13) == hashed(-1e-13) == clip_hash(clip)


def test_the_hash_of_the_bed_sees_words_and_seeds(bed: Bed):
    clips = made_clips(bed)[:2]
    first = bed.sentences[0]
    others = [
        replace(bed, seeds=(0, 2)),
        replace(bed, sentences=(replace(first, words="static"), *bed.sentences[1:])),
    ]
    hashes = {bed_hash(it, clips) for it in (bed, *others)} | {bed_hash(bed, clips[:1])}
    assert len(hashes) == 4


def test_the_published_hash_is_that_of_the_list(bed: Bed, shared_data: Path, tmp_path: Path):
    """One cut of each side is read anew and compared with what is published."""
    import tarfile

    published = json.loads(
        (LIST.parents[1] / "results" / "bed" / "bed.json").read_text(encoding="utf-8")
    )
    said = {it["name"]: it["sha256"] for it in published["motions"]}
    assert set(said) == {it.name for it in bed.motions}
    motion = next(it for it in bed.motions if it.name == "walk_brisk")
    assert isinstance(motion.source, Cut)
    with tarfile.open(shared_data / "cmu" / "bvh30.tar.xz") as archive:
        for member in archive:
            if Path(member.name).stem == motion.source.take:
                content = archive.extractfile(member)
                assert content is not None
                (tmp_path / Path(member.name).name).write_bytes(content.read())
                break
    assert clip_hash(bed_clip(motion, tmp_path)) == said[motion.name]
    for clip in made_clips(bed):
        assert clip_hash(clip) == said[clip.name]


@pytest.mark.parametrize(
    ("change", "fault"),
    [
        ({"take": "16_32"}, "another side"),
        ({"side": "train"}, "no side"),
        ({"name": "run_9m"}, "twice"),
    ],
)
def test_a_list_with_a_mistake_is_refused(change: dict[str, str], fault: str, tmp_path: Path):
    said = json.loads(LIST.read_text(encoding="utf-8"))
    said["motions"][0] |= change
    path = tmp_path / "bed.json"
    path.write_text(json.dumps(said))
    with pytest.raises(FileError, match=fault):
        read_bed(path)


def test_a_film_is_measured_by_what_its_sentence_asks(bed: Bed):
    shot = straight_shot((0, 0, 0.3))
    motion = bed.motions[0]
    right = {it.name: bed_film(motion, it, 0, shot).is_right for it in bed.sentences}
    assert right["push_in"] and not right["pull_out"] and not right["right_then_in"]
    assert not right["arc_left"]
    assert right["follow"] is None and right["lead"] is None  # nobody goes anywhere


def test_films_come_back_from_their_file(tmp_path: Path):
    path = tmp_path / "films.jsonl"
    long = LongFacts(0.0, 0.25, 1.0, 0.75, ((3, 7), (11, 2)), ((0, 5),))
    films = [film(), film("b", "follow", 1, long=long, travel_share=0.5, along_share=0.25)]
    assert start_films(path, HEAD) == {}
    append_films(path, films)
    assert read_films(path) == (HEAD, films)
    assert start_films(path, HEAD) == {it.key: it for it in films}


def test_a_line_that_was_cut_off_is_filmed_again(tmp_path: Path):
    path = tmp_path / "films.jsonl"
    start_films(path, HEAD)
    append_films(path, [film(), film("b")])
    path.write_text(path.read_text(encoding="utf-8")[:-9])
    assert list(start_films(path, HEAD)) == [film().key]
    append_films(path, [film("c")])
    assert [it.motion for it in read_films(path)[1]] == ["a", "c"]


def test_another_run_does_not_continue_a_file(tmp_path: Path):
    path = tmp_path / "films.jsonl"
    start_films(path, HEAD)
    others = [
        replace(HEAD, **{change: "test"})
        for change in ("side", "finish", "bed_sha256", "weights", "code_sha256")
    ]
    for other in (*others, replace(HEAD, guidance=HEAD.guidance + 0.5)):
        with pytest.raises(FileError, match="another"):
            start_films(path, other)


def test_groups_count_what_they_say():
    bad = Holding(0.5, 0.25, 0.3, 97.0, 2.0, 4.0)
    films = [film(), film("b", is_right=False), film("c", is_right=None, holding=bad)]
    group = group_of("all", films)
    assert (group.films, group.lost, group.too_near, group.too_fast) == (3, 1, 1, 1)
    assert (group.judged, group.right, group.right_share) == (2, 1, 0.5)
    assert group.empty_share == pytest.approx(0.5 / 3) and group.head_share == pytest.approx(0.75)
    assert [it.name for it in groups_by(films, lambda it: it.motion)] == ["a", "b", "c"]
    assert lost_films(films) == ("c, push_in, seed 0: 50% empty",)


def test_ways_are_pooled_and_not_averaged():
    def holding(way: float) -> Holding:
        return Holding(0.0, 1.0, 2.0, 3.0, 1.0, way)

    films = [
        film("a", "follow", holding=holding(9.0), travel_share=0.5, along_share=0.25),
        film("b", "follow", holding=holding(1.0), travel_share=1.0, along_share=0.75),
        film("c", "follow"),
    ]
    (company,) = companies_of(films)
    assert company.films == 2 and company.reached == 1
    assert company.travel_of_way == pytest.approx(0.55)
    assert company.along_of_way == pytest.approx(0.3)


def test_seams_are_told_from_the_inside_of_windows():
    assert not seam_transitions(300).any()
    for frames in (301, 466, 1500):
        windows = windows_of(frames)
        at_seam = seam_transitions(frames)
        assert len(at_seam) == frames - 1
        assert at_seam[windows[1].start] and not at_seam[windows[1].start - 1]
        assert at_seam[: windows[1].start].sum() == 0


def test_percentiles_are_of_all_transitions():
    long = LongFacts(0.0, 0.5, 1.0, 0.5, ((20, 1), (40, 1)), ((0, 98), (7, 1), (50, 1)))
    summary = long_summary([film(long=long), film("b", empty=0.5, long=long), film("c")])
    assert summary is not None and summary.films == 2 and summary.lost == 1
    assert (summary.first_empty, summary.later_empty) == (0.0, 0.5)
    assert summary.inside_turn_p99_dps == 8
    assert summary.seam_turn_p99_dps == summary.seam_turn_max_dps == 41
    assert long_summary([film()]) is None


def test_pushes_and_crowns_are_counted_where_films_have_them():
    turns = ((20, 1),)
    long = LongFacts(0.0, 0.5, 1.0, 0.5, turns, turns, ((3, 99), (17, 1)), ((5, 98), (12, 2)))
    summary = long_summary([film(long=long)])
    assert summary is not None
    assert (summary.seam_push_p99_mps2, summary.inside_push_p99_mps2) == (0.4, 1.3)
    older = LongFacts(0.0, 0.5, 1.0, 0.5, turns, turns)
    mixed = long_summary([film(long=long), film("b", long=older)])
    assert mixed is not None and mixed.seam_push_p99_mps2 is None
    films = [film(crown_share=0.25), film("b", crown_share=0.75)]
    assert group_of("all", films).crown_share == 0.5
    assert group_of("all", [*films, film("c")]).crown_share is None


def test_a_steady_camera_is_not_pushed(bed: Bed):
    shot = straight_shot((0, 0, 0.3), 301)
    facts = bed_film(bed.motions[0], bed.sentences[0], 0, shot).long
    assert facts is not None
    for counts in (facts.seam_pushes, facts.inside_pushes):
        assert [push for push, _ in counts] == [0]
    assert sum(count for _, count in (*facts.seam_pushes, *facts.inside_pushes)) == 299


def test_a_summary_comes_back_from_its_file_and_fills_a_page(tmp_path: Path):
    long = LongFacts(0.0, 0.5, 1.0, 0.5, ((20, 1),), ((0, 98),))
    films = [film(long=long), film("b", "follow", travel_share=0.5, along_share=0.25)]
    summary = BedSummary(
        side="tune",
        finish="as-sampled",
        bed_sha256="ab",
        weights="cd",
        expected=5,
        total=group_of("all", films),
        by_kind=groups_by(films, lambda it: it.kind),
        by_sentence=groups_by(films, lambda it: it.sentence),
        company=companies_of(films),
        long=long_summary(films),
        lost_films=(),
        code=Code("ab", None),
        machine=Machine("cpu", "x", "y", "z", (("torch", "2"),)),
        repeat="bed.py film",
    )
    path = tmp_path / "summary.json"
    write_json(path, summary)
    assert read_record(path, BedSummary) == summary
    text = page([summary, replace(summary, finish="operator")])
    assert "| as-sampled | operator |" in text
    assert "| frames without the person | 0.0% | 0.0% |" in text
    assert "2 of 5 films" in text


def test_facts_of_long_films_split_at_the_first_window(bed: Bed):
    """A camera that looks away after the first window."""
    shot = straight_shot((0, 0, 0), 467)
    turns = shot.camera.world_from_camera.clone()
    turns[300:] *= torch.tensor([-1.0, 1.0, -1.0])  # half a turn about the vertical
    away = replace(shot, camera=replace(shot.camera, world_from_camera=turns))
    found = bed_film(bed.motions[0], bed.sentences[0], 0, away).long
    assert found is not None
    assert (found.first_empty, found.later_empty) == (0, 1)
    assert (found.first_head, found.later_head) == (1, 0)
    counts = [sum(count for _, count in it) for it in (found.seam_turns, found.inside_turns)]
    assert sum(counts) == 466
    assert max(speed for speed, _ in found.seam_turns) in (4499, 4500)  # 180° in a frame
    assert max(speed for speed, _ in found.inside_turns) == 0
