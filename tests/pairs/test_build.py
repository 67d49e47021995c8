"""Building pairs from a small store: what is kept, what is left out, and that it always repeats."""

import json
import shutil
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch

import aesop.pairs.direction_pairs
import aesop.pairs.intensity_pairs
from aesop.core.errors import StoreError
from aesop.core.pool import run_all
from aesop.data.store import Store, open_store
from aesop.features.camera_features import centre_from_features
from aesop.features.columns import CAMERA
from aesop.models.weights import new_part, save_part
from aesop.pairs.direction_pairs import BuildRequest, build_direction, mine
from aesop.pairs.inspection import gallery, plan_report
from aesop.pairs.intensity_pairs import build_intensity, reserved_groups
from aesop.pairs.pair_files import (
    IntensityFile,
    SourceShot,
    pair_path,
    read_direction,
    read_intensity,
    read_plan,
    training_pairs,
)
from aesop.pairs.pair_recipe import Amounts, Balance, PairError, PairRecipe, fables, pulpmotion
from aesop.pairs.shot_arrays import film_of, human_latents, load_codecs, read_stock, round_trip
from aesop.pairs.transforms import Ways, balanced_weights
from aesop.training.batch_order import pairs_on_footage
from aesop.training.footage import read_footage
from aesop.training.recipes import TrainingError
from parcel import read_parcel, write_parcel
from tests.models.makers import camera_codec, human_codec
from tests.tolerances import GEOMETRY32, network32

KINDS = ("direction", "intensity")
TASK_FRAMES = 1_024  # several tasks even from a small store


def recipe() -> PairRecipe:
    amounts = Amounts(constructed=60, active=19, null=7, development=0.2)
    return replace(fables(), amounts=amounts)


def at_once(work: Callable[[object], object], tasks: Sequence[object], **_: object) -> list[object]:
    return [work(task) for task in tasks]


@pytest.fixture(autouse=True)
def in_this_process(monkeypatch: pytest.MonkeyPatch):
    """Starting worker processes takes longer than the work; one test starts them."""
    monkeypatch.setattr(aesop.pairs.direction_pairs, "run_all", at_once)
    monkeypatch.setattr("aesop.pairs.shot_arrays.TASK_FRAMES", TASK_FRAMES)


@pytest.fixture(scope="module")
def built(mini_store: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("built")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(aesop.pairs.direction_pairs, "run_all", at_once)
        patch.setattr("aesop.pairs.shot_arrays.TASK_FRAMES", TASK_FRAMES)
        request = BuildRequest(mini_store, None, out, recipe())
        build_direction(request)
        build_intensity(request)
    return out


@pytest.fixture(scope="module")
def store(mini_store: Path) -> Store:
    return open_store(mini_store)


def shots_of(store: Store) -> Callable[[str], SourceShot]:
    def shot_of(name: str) -> SourceShot:
        row = store.row_of(name)
        stock = read_stock(store, np.array([row]))
        captions = store.shots.strings("captions", row)
        return SourceShot(stock.camera[0], film_of(stock).root[0], captions)

    return shot_of


def test_mining_keeps_training_shots_that_are_told_as_one_truck_or_dolly(store: Store):
    mined = mine(store)
    assert np.array_equal(mined.rows, store.split("train"))
    rows, tags = mined.chosen
    assert 20 < len(rows) < len(mined.rows)
    for row in mined.rows.tolist():
        tags_of_shot = set(store.shot(row).tags.tolist())
        assert (row in rows) == (len(tags_of_shot) == 1 and tags_of_shot <= {1, 2, 9, 18})
    assert set(tags.tolist()) <= {1, 2, 9, 18}


def test_pairs_are_found_and_written(built: Path):
    direction, intensity = read_direction(built), read_intensity(built)
    assert len(direction.sources) >= 5 and len(intensity.null) == 7
    assert len({it.shot for it in intensity.active}) == intensity.funnels[0].stages[-1].left == 19
    assert sorted(path.name for path in built.iterdir()) == ["direction.json", "intensity.json"]
    assert direction.origin.recipe == intensity.origin.recipe == recipe()
    assert direction.origin.codec is None
    mined = direction.funnels[0].stages[0]
    assert mined.entered == direction.origin.pool == 29 * 4
    # Every stage starts with what the one before left.
    for funnel in (*direction.funnels[:1], *intensity.funnels[:1]):
        for before, after in zip(funnel.stages[:-1], funnel.stages[1:], strict=True):
            assert after.entered == before.left
    assert direction.funnels[0].stages[-1].left == len(direction.sources)
    assert direction.funnels[1].stages[-1].left + direction.funnels[2].stages[-1].left == len(
        direction.sources
    )


def test_sources_are_of_one_kind_and_labels_lie_on_their_sides(built: Path, store: Store):
    intensity = read_intensity(built)
    kinds = [
        {it.shot for it in part}
        for part in (
            intensity.active, intensity.null, intensity.development_active,
            intensity.development_null,
        )
    ]  # fmt: skip
    assert len(set().union(*kinds)) == sum(len(kind) for kind in kinds)
    labels = recipe().labels
    for source in (*intensity.active, *intensity.development_active):
        assert 0 < source.weaker <= 1 - labels.nearest
        assert 1 + labels.nearest <= source.stronger < labels.strongest
    sides = [it.intensity > 1 for it in intensity.null]
    assert sides == [bool(at % 2) for at in range(len(sides))]
    rows = [store.row_of(it.shot) for it in intensity.null]
    assert rows == sorted(rows)


def first_pairs(intensity: IntensityFile) -> dict[str, tuple[float, float]]:
    return {it.shot: (it.weaker, it.stronger) for it in reversed(intensity.active)}


def test_a_source_has_several_pairs_and_the_first_is_what_one_alone_would_be(
    built: Path, mini_store: Path, tmp_path: Path
):
    several = read_intensity(built)
    labels = [(it.shot, it.weaker, it.stronger) for it in several.active]
    counts = Counter(it.shot for it in several.active)
    assert len(set(labels)) == len(labels)
    assert max(counts.values()) == 4 > min(counts.values())
    shutil.copy(pair_path(built, "direction"), tmp_path)
    one = replace(recipe(), labels=replace(recipe().labels, kept=1))
    single = build_intensity(BuildRequest(mini_store, None, tmp_path, one))
    assert len(single.active) == len({it.shot for it in single.active})
    assert first_pairs(several) == first_pairs(single)


def test_sources_are_weighed_against_all_training_shots_as_they_are_stored(
    built: Path, mini_store: Path, store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    seen: list[Ways] = []

    def weigh(sources: Ways, labels: np.ndarray, population: Ways, rule: Balance) -> np.ndarray:
        seen.append(population)
        return balanced_weights(sources, labels, population, rule)

    monkeypatch.setattr(aesop.pairs.intensity_pairs, "balanced_weights", weigh)
    shutil.copy(pair_path(built, "direction"), tmp_path)
    build_intensity(BuildRequest(mini_store, None, tmp_path, recipe()))
    (everyone,) = seen
    rows = store.split("train")
    assert len(everyone.path_m) == len(rows) == 29 * 4
    for at, row in enumerate(rows.tolist()):
        shot = store.as_shot(row)
        away = np.linalg.norm(shot.camera.centre - shot.clip.motion.root, axis=-1)
        found = everyone.start_m[at], everyone.nearest_m[at], everyone.path_m[at]
        assert found == pytest.approx(
            (away[0], away.min(), float(shot.camera.travel)), abs=GEOMETRY32
        )


def test_development_groups_share_no_window_with_training(built: Path):
    intensity = read_intensity(built)
    reserved = {it.human for it in intensity.development_active}
    assert reserved and reserved <= set(intensity.development_groups)
    train = {it.human for it in (*intensity.active, *intensity.null)}
    assert not train & set(intensity.development_groups)


def test_groups_are_reserved_whole_and_never_too_many():
    groups = ["a"] * 50 + ["b"] * 3 + ["c"] * 4 + ["d"] * 43
    chosen = reserved_groups(groups, replace(recipe(), amounts=Amounts(development=0.05)))
    assert chosen in ({"b"}, {"c"}) and reserved_groups(groups[:50], recipe()) == frozenset()


def test_targets_are_what_training_reads(built: Path, store: Store):
    plan = read_plan(built)
    assert plan.intensity is not None
    pairs = training_pairs(plan, shots_of(store))
    counts = {kind: len(rows) for kind, rows in pairs.rows_of.items()}
    actives = len(plan.intensity.active)
    assert counts == {"direction": len(plan.direction.sources), "active": actives, "null": 7}
    for pair in pairs.pairs:
        row = store.row_of(pair.name.split(" ", 1)[1])
        stored = store.shot(row)
        assert pair.human_name == stored.human_id  # one window: the human is the same, bit for bit
        first, second = pair.first, pair.second
        for block in ("fov_vertical", "fov_horizontal", "rotation"):
            for member in (first, second):
                own = CAMERA.take(member.camera, block)
                assert torch.equal(own, CAMERA.take(stored.camera_features, block))
        starts = [CAMERA.take(it.camera, "from_root")[0] for it in (first, second)]
        if pair.kind == "direction":
            assert torch.equal(first.camera, stored.camera_features)
            assert torch.equal(starts[0], starts[1]) and first.intensity == second.intensity == 1
            assert first.captions != second.captions
        elif pair.kind == "null":
            assert torch.equal(first.camera, second.camera) and first.intensity == 1
            assert first.captions == second.captions == stored.camera_captions
        else:
            assert first.captions == second.captions == stored.camera_captions
            travel = [path(it.camera) / path(stored.camera_features) for it in (first, second)]
            # The gate `path_error` lets no more through.
            assert travel == pytest.approx([first.intensity, second.intensity], abs=0.08)


def path(features: torch.Tensor) -> float:
    centre = centre_from_features(features.double(), torch.zeros(3).double())
    return float(torch.linalg.vector_norm(centre.diff(dim=0), dim=-1).sum())


def test_direction_words_are_the_shortest_and_opposite(built: Path, store: Store):
    plan = read_plan(built)
    said = {
        (pair.first.captions[0], pair.second.captions[0])
        for pair in training_pairs(plan, shots_of(store)).pairs
        if pair.kind == "direction"
    }
    both = {
        ("The camera pushes in.", "The camera pulls out."),
        ("The camera trucks right.", "The camera trucks left."),
    }
    assert said <= both | {(second, first) for first, second in both} and len(said) > 1


def test_training_makes_the_same_pairs_from_its_footage(built: Path, store: Store):
    plan = read_plan(built)
    footage = read_footage(store, validation_clips=5)[0]
    ours, theirs = training_pairs(plan, shots_of(store)), pairs_on_footage(plan, footage)
    assert ours.sha256 == theirs.sha256 == plan.sha256
    for first, second in zip(ours.pairs, theirs.pairs, strict=True):
        assert (first.name, first.human_name) == (second.name, second.human_name)
        assert torch.equal(first.second.camera, second.second.camera)
    with pytest.raises(TrainingError, match="another store"):
        pairs_on_footage(plan, replace(footage, store_sha256="other"))


def test_pairs_follow_the_footage_to_another_machine(built: Path, store: Store, tmp_path: Path):
    """A parcel rounds centres to a tenth of a millimetre; its pairs are those of the store."""
    plan = read_plan(built)
    footage = read_footage(store, validation_clips=5)[0]
    write_parcel(footage, tmp_path)
    sent = pairs_on_footage(plan, read_parcel(tmp_path, torch.device("cpu")))
    for ours, theirs in zip(pairs_on_footage(plan, footage).pairs, sent.pairs, strict=True):
        for name in ("first", "second"):
            cameras = (
                CAMERA.take(getattr(pair, name).camera, "from_root") for pair in (ours, theirs)
            )
            assert (next(cameras) - next(cameras)).abs().max() < 1e-3


def test_the_order_of_the_work_changes_no_byte(
    built: Path, mini_store: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    def backwards(work: Callable[[object], object], tasks: Sequence[object], **_: object) -> None:
        assert len(tasks) > 1
        at_once(work, tasks[::-1])

    monkeypatch.setattr(aesop.pairs.direction_pairs, "run_all", backwards)
    request = BuildRequest(mini_store, None, tmp_path, recipe())
    build_direction(request)
    build_intensity(request)
    for kind in KINDS:
        assert pair_path(tmp_path, kind).read_bytes() == pair_path(built, kind).read_bytes()


def test_two_workers_write_the_same_bytes(
    built: Path, mini_store: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(aesop.pairs.direction_pairs, "run_all", run_all)
    build_direction(BuildRequest(mini_store, None, tmp_path, recipe(), workers=2))
    same = pair_path(tmp_path, "direction").read_bytes()
    assert same == pair_path(built, "direction").read_bytes()


def test_an_interrupted_build_goes_on_where_it_was(
    built: Path, mini_store: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    request = BuildRequest(mini_store, None, tmp_path, recipe())
    counts: list[int] = []

    def stop_after_two(work: Callable[[object], object], tasks: Sequence[object], **_: object):
        counts.append(len(tasks))
        if len(counts) == 1:
            at_once(work, tasks[:2])
            raise KeyboardInterrupt
        at_once(work, tasks)

    monkeypatch.setattr(aesop.pairs.direction_pairs, "run_all", stop_after_two)
    with pytest.raises(KeyboardInterrupt):
        build_direction(request)
    assert not pair_path(tmp_path, "direction").exists()
    with pytest.raises(StoreError, match="other settings"):
        build_direction(replace(request, recipe=pulpmotion()))
    build_direction(request)
    assert counts[1] == counts[0] - 2 > 0
    same = pair_path(tmp_path, "direction").read_bytes()
    assert same == pair_path(built, "direction").read_bytes()


def test_mistakes_are_refused_before_the_work(built: Path, mini_store: Path, tmp_path: Path):
    request = BuildRequest(mini_store, None, built, recipe())
    with pytest.raises(PairError, match="exists"):
        build_direction(request)
    with pytest.raises(PairError, match="no direction pairs"):
        build_intensity(replace(request, out=tmp_path))
    with pytest.raises(PairError, match="human-codec"):
        build_direction(replace(request, out=tmp_path, codec=tmp_path))
    (tmp_path / "direction.json").write_text('{"format": "something"}')
    with pytest.raises(PairError, match="not a file of direction pairs"):
        read_plan(tmp_path)
    facts = json.loads(pair_path(built, "direction").read_text())
    del facts["origin"]["pool"]
    (tmp_path / "direction.json").write_text(json.dumps(facts))
    with pytest.raises(PairError, match="pool"):
        read_plan(tmp_path)


def test_pairs_of_another_store_do_not_exclude_sources(
    built: Path, mini_store: Path, tmp_path: Path
):
    facts = json.loads(pair_path(built, "direction").read_text())
    facts["origin"]["store_sha256"] = "other"
    (tmp_path / "direction.json").write_text(json.dumps(facts))
    with pytest.raises(PairError, match="another store"):
        build_intensity(BuildRequest(mini_store, None, tmp_path, recipe()))


@pytest.fixture(scope="module")
def codec_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Codecs that have learnt nothing."""
    folder = tmp_path_factory.mktemp("codecs")
    dice = torch.Generator().manual_seed(0)
    human = new_part("human-codec", human_codec(dice))
    camera = new_part("camera-codec", camera_codec(dice), (human,))
    save_part(human, folder / "human_codec.safetensors")
    save_part(camera, folder / "camera_codec.safetensors")
    return folder


def test_a_round_trip_is_the_codecs_own(codec_folder: Path, store: Store):
    codecs = load_codecs(codec_folder)
    stock = read_stock(store, np.array([2, 11, 23]))
    people = human_latents(codecs, stock)
    found = round_trip(codecs, people, stock.camera, stock.lengths)
    mask = torch.arange(stock.camera.shape[1]) < torch.from_numpy(stock.lengths)[:, None]
    features = torch.from_numpy(stock.camera)
    latents = codecs.camera.to_latents(features, mask)
    wanted = codecs.camera.from_latents(latents, people, mask)
    assert np.abs(found.features - wanted.numpy()).max() < network32(8, 64)
    errors = (wanted - features)[mask].square().mean(-1)  # statistics of new codecs are 0 and 1
    pieces = errors.split(stock.lengths.tolist())
    assert found.mse == pytest.approx(
        [float(piece.mean()) for piece in pieces], rel=network32(8, 64)
    )


def test_codecs_that_keep_nothing_reject_everything(
    codec_folder: Path, built: Path, mini_store: Path, tmp_path: Path
):
    request = BuildRequest(mini_store, codec_folder, tmp_path, recipe())
    direction = build_direction(request)
    before, last = direction.funnels[0].stages[-2:]
    assert last.name == "reconstruction" and last.entered == before.left > 0 == last.left
    assert last.left == len(direction.sources)
    assert last.gates[0].gate == "feature error" and last.gates[0].lost == last.entered
    assert direction.origin.codec == load_codecs(codec_folder).identity
    intensity = build_intensity(request)
    target = intensity.funnels[0].stages[2]
    assert target.gates[-1].gate == "decoded path ratio" and target.gates[-1].lost > 0
    # Several labels were tried where the first was lost in the codec.
    tries = intensity.funnels[1].stages[0]
    assert tries.entered > target.entered


def test_pages_and_reports_cover_every_kind(built: Path, store: Store, codec_folder: Path):
    plan = read_plan(built)
    text = plan_report(plan)
    for words in ("direction sources", "Truck response (by construction)", "not checked", "jerk"):
        assert words in text
    shown = gallery(plan, store, load_codecs(codec_folder))
    titles = " ".join(title for title, _ in shown)
    assert "active" in titles and "null" in titles and "rejected by" in titles
    counts = {len(portrait.members) for _, portrait in shown}
    assert counts == {2, 3}
