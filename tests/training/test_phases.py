"""All phases: eight clips learned by heart, frozen parts untouched, mistakes refused early."""

import json
import shutil
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch
from torch import Tensor, nn

from aesop.core.errors import AesopError, WeightsError
from aesop.fables.build import FablesRecipe, Share, build_mini
from aesop.features.human_features import stand_from_features
from aesop.flow.path import noise_for_batch, sampling_times
from aesop.flow.solvers import SOLVERS
from aesop.models.codec import RIDGE, token_mask
from aesop.models.phase_table import PAPER_PHASES, PHASES, PhaseName
from aesop.models.velocity import FlowTransformer, human_condition, with_text
from aesop.models.weights import (
    load_camera_codec,
    load_camera_flow,
    load_human_codec,
    load_human_flow,
)
from aesop.training import recipe_book
from aesop.training.codec_phases import camera_errors, human_errors
from aesop.training.footage import Footage
from aesop.training.loop import Conduct
from aesop.training.phases import (
    TrainingRequest,
    requested_recipes,
    train,
    train_from_store,
)
from aesop.training.recipe_book import recipe_for
from aesop.training.recipes import (
    Batching,
    CodecRecipe,
    Constant,
    Cosine,
    FlowRecipe,
    PairedFlowRecipe,
    Recipe,
    Schedule,
    SelfDistilledFlowRecipe,
    Size,
    Straight,
    TrainingError,
    Watch,
    with_steps,
)
from aesop.training.run_folder import (
    RECORD_FILE,
    FrozenParts,
    Material,
    refuse_other_recipes,
    weights_path,
)
from aesop.training.run_record import JOURNAL_FILE
from tests.tolerances import network32, rounded32
from tests.training.makers import TEXT_WIDTH, HashEncoder, make_footage, make_pairs, small_recipe

CPU = torch.device("cpu")
HUMAN_LATENT, CAMERA_LATENT = 24, 12
# Steps and rate with which tiny networks learn eight clips by heart.
BY_HEART: dict[PhaseName, tuple[int, float]] = {
    "human-codec": (400, 6e-3),
    "human-decoder": (200, 2e-3),
    "camera-codec": (600, 8e-3),
    "camera-decoder": (200, 1e-3),
    "human-flow": (400, 6e-3),
    "camera-flow": (300, 6e-3),
    "camera-flow-dpa": (120, 3e-3),
    "camera-flow-ipa": (120, 3e-3),
    "camera-flow-self-distilled": (300, 3e-3),
}
# The last loss as a share of the first; continuations start from what is already learned.
NEAR_ZERO: dict[PhaseName, float] = {
    "human-codec": 0.02,
    "human-decoder": 0.35,
    "camera-codec": 0.002,
    "camera-decoder": 0.25,
    "human-flow": 0.15,
    "camera-flow": 0.15,
    "camera-flow-dpa": 0.7,
    "camera-flow-ipa": 0.7,
    "camera-flow-self-distilled": 0.35,
}


def by_heart(phase: PhaseName) -> Recipe:
    """The tiny recipe without what keeps a network from memorising."""
    steps, rate = BY_HEART[phase]
    recipe = recipe_for(phase, "tiny", TEXT_WIDTH)
    if isinstance(recipe, CodecRecipe):
        shape = recipe.network
        context = HUMAN_LATENT if shape.context else 0
        latent = CAMERA_LATENT if shape.context else HUMAN_LATENT
        recipe = replace(recipe, network=replace(shape, latent=latent, context=context))
    if isinstance(recipe, FlowRecipe):
        shape = recipe.network
        human = HUMAN_LATENT if shape.human else 0
        latent = CAMERA_LATENT if shape.human else HUMAN_LATENT
        shape = replace(shape, latent=latent, human=human, width=64, depth=2, dropout=0.0)
        objective = replace(recipe.objective, text_dropout=0.0)
        recipe = replace(recipe, network=shape, objective=objective)
    if isinstance(recipe, SelfDistilledFlowRecipe):
        recipe = replace(recipe, self_distillation=replace(recipe.self_distillation, shots=8))
    rows = 16 if isinstance(recipe, PairedFlowRecipe) else 8
    return replace(
        recipe,
        schedule=Schedule(steps, rows, rate, 20, Cosine(1e-6)),
        optimiser=replace(recipe.optimiser, ema_decay=None, weight_decay=0.0),
        batching=Batching(pool_batches=1, bucket_frames=()),
        watch=Watch(50, steps, 8, steps, keep="last"),
    )


def journal(run: Path, phase: PhaseName) -> list[dict[str, float]]:
    return [json.loads(line) for line in (run / phase / JOURNAL_FILE).read_text().splitlines()]


def first_and_last_loss(run: Path, phase: PhaseName) -> tuple[float, float]:
    told = [line["loss"] for line in journal(run, phase) if "gradient_norm" in line]
    return told[0], told[-1]


def first_captions(captions: Sequence[tuple[str, ...]]) -> list[str]:
    return [texts[0] for texts in captions]


def from_noise(
    flow: FlowTransformer, words: list[str], mask: Tensor, human: Tensor | None
) -> Tensor:
    """Latents sampled from noise with 25 Euler steps."""
    context = with_text(mask, HashEncoder().encode(words), human)
    noise = noise_for_batch(3, range(len(mask)), mask, flow.shape.latent, stream="camera")
    with torch.inference_mode():
        field = flow.field(flow.prepare(context))
        return SOLVERS["euler"](field, noise, sampling_times(25))


def test_eight_clips_are_learned_by_heart(tmp_path: Path):
    """Every phase drives its loss near zero; codecs rebuild the clips, flows find them again."""
    footage = make_footage(8, 1, seed=1, frames=(20, 25))
    material = Material(footage, footage, HashEncoder(), make_pairs(footage, 8, 8, 8))
    before: dict[PhaseName, bytes] = {}
    # Few steps are fitted to a flow instead of clips: test_camera_steps.py has their laws.
    for phase in BY_HEART:
        train([by_heart(phase)], material, tmp_path, Conduct(), CPU)
        before[phase] = weights_path(tmp_path, phase).read_bytes()
        first, last = first_and_last_loss(tmp_path, phase)
        assert last < NEAR_ZERO[phase] * first, phase
        # What was trained before is as it was, to the last byte.
        for other, content in before.items():
            assert weights_path(tmp_path, other).read_bytes() == content, (phase, other)
    human_told, camera_told = (journal(tmp_path, it)[-1] for it in ("human-codec", "camera-codec"))
    assert human_told["global_mpjpe_m"] < 0.01 and camera_told["centre_ade_m"] < 0.01
    assert camera_told["rotation_degrees"] < 0.5
    _check_flows_find_the_clips(tmp_path, footage)


def _check_flows_find_the_clips(run: Path, footage: Footage) -> None:
    encoder = HashEncoder()
    human_codec = load_human_codec(weights_path(run, "human-decoder"))
    camera_codec = load_camera_codec(weights_path(run, "camera-decoder"), human_codec)
    human_flow = load_human_flow(weights_path(run, "human-flow"), human_codec, encoder)
    codecs = (human_codec, camera_codec)
    camera_flow = load_camera_flow(weights_path(run, "camera-flow"), codecs, encoder)
    rows, frames = torch.arange(8), 24
    humans, cameras = footage.humans.padded(rows, frames), footage.cameras.padded(rows, frames)
    tokens = token_mask(humans.mask)
    words = first_captions(footage.human_captions)
    sampled = from_noise(human_flow.network, words, tokens, None)
    motion = human_codec.network.from_latents(sampled, humans.mask)
    errors = human_errors(motion, humans.values, humans.mask)
    assert float(errors.global_mpjpe_m.median()) < 0.10
    latents = human_codec.network.to_latents(humans.values, humans.mask)
    words = first_captions(footage.camera_captions)
    seen = human_condition(
        camera_flow.network.shape, latents, stand_from_features(humans.values)[:, ::4]
    )
    sampled = from_noise(camera_flow.network, words, tokens, seen)
    raw = human_codec.network.whitening.inverse(latents, tokens)
    path = camera_codec.network.from_latents(sampled, raw, cameras.mask)
    found = camera_errors(path, cameras.values, cameras.mask)
    assert float(found.centre_ade_m.median()) < 0.10
    assert float(found.rotation_degrees.median()) < 2.0


@pytest.fixture(scope="module")
def material() -> Material:
    footage = make_footage(6, 2, seed=1, frames=(36, 48))
    return Material(footage, make_footage(3, 1, seed=2, frames=(36, 48)), HashEncoder())


def test_a_run_is_written_down(material: Material, tmp_path: Path):
    recipe = small_recipe("human-codec", 2)
    (result,) = train([recipe], material, tmp_path, Conduct(), CPU)
    assert result.finished and result.weights == weights_path(tmp_path, "human-codec")
    record = json.loads((tmp_path / "human-codec" / RECORD_FILE).read_text())
    assert record["recipe_sha256"] == recipe.sha256
    assert record["recipe"]["schedule"]["steps"] == 2
    assert record["data_sha256"] == material.sha256_for(recipe)
    assert record["machine"]["device"] == "cpu" and record["world_size"] == 1
    told = dict(record["machine"]["versions"])["torch"]
    assert told == torch.__version__
    notes = load_human_codec(result.weights).card.notes
    assert notes["recipe"] == recipe.sha256 and notes["steps"] == "2"


def test_a_trained_codec_whitens_its_training_split(material: Material, tmp_path: Path):
    (result,) = train([small_recipe("human-codec", 2)], material, tmp_path, Conduct(), CPU)
    codec = load_human_codec(result.weights).network
    humans = material.train.humans
    seen = humans.padded(torch.arange(len(humans)), int(humans.lengths.max()))
    latents = codec.to_latents(seen.values, seen.mask)[token_mask(seen.mask)].double()
    centred = latents - latents.mean(0)
    covariance = centred.T @ centred / len(centred)
    # As in tests/models/test_whitening.py: unit, less what the ridge takes. A codec of about twelve
    # filters of 11 channels and 8 frames; whitening divides by spreads of some hundredths.
    inner = torch.linalg.inv(codec.whitening.factor.double())
    expected = torch.eye(7) - RIDGE * inner @ inner.T
    torch.testing.assert_close(covariance, expected, rtol=0, atol=50 * network32(3, 8 * 11, 4.0))
    assert float(expected.diagonal().min()) > 0.9


def test_a_human_flow_goes_on_from_another(material: Material, tmp_path: Path):
    """With a rate too small to round it stays what it began as; its card says what that was."""
    codec, flow = small_recipe("human-codec", 2), small_recipe("human-flow", 5)
    train([codec, flow], material, tmp_path, Conduct(), CPU)
    human = load_human_codec(weights_path(tmp_path, "human-codec"))
    first = load_human_flow(weights_path(tmp_path, "human-flow"), human, material.encoder)
    start = tmp_path / "first.safetensors"
    weights_path(tmp_path, "human-flow").rename(start)
    shutil.rmtree(tmp_path / "human-flow")
    still = replace(flow, schedule=replace(flow.schedule, learning_rate=1e-30, decay=Constant()))
    kept: list[tuple[int, dict[str, Tensor]]] = []

    def keep(network: nn.Module, steps: int) -> None:
        kept.append((steps, {name: it.clone() for name, it in network.state_dict().items()}))

    conduct = Conduct(resume=True, keep=keep)
    train([codec, still], replace(material, start=start), tmp_path, conduct, CPU)
    again = load_human_flow(weights_path(tmp_path, "human-flow"), human, material.encoder)
    before, after = first.network.state_dict(), again.network.state_dict()
    assert all(torch.equal(before[name], after[name]) for name in before)
    assert again.card.notes["continued"] == first.card.identity
    assert [steps for steps, _ in kept] == [3, 5]  # every validation
    assert all(torch.equal(before[name], kept[-1][1][name]) for name in before)


class RoundedEncoder(HashEncoder):
    """Stands in for the other, in half precision."""

    fingerprint = "hash-1-half"
    stands_for = HashEncoder.fingerprint


def test_a_part_says_which_encoder_was_really_read(material: Material, tmp_path: Path):
    codec, flow = small_recipe("human-codec", 2), small_recipe("human-flow", 2)
    rounded = replace(material, encoder=RoundedEncoder())
    train([codec, flow], rounded, tmp_path, Conduct(), CPU)
    human = load_human_codec(weights_path(tmp_path, "human-codec"))
    # It may be used with the encoder that was stood in for.
    card = load_human_flow(weights_path(tmp_path, "human-flow"), human, HashEncoder()).card
    assert card.encoder is not None and human.card.encoder is None
    assert card.encoder.fingerprint == "hash-1-half"
    assert card.encoder.stands_for == HashEncoder.fingerprint
    record = json.loads((tmp_path / "human-flow" / RECORD_FILE).read_text())
    assert record["text_encoder"] == str(card.encoder)
    assert rounded.sha256_for(flow) != material.sha256_for(flow)
    assert rounded.sha256_for(codec) == material.sha256_for(codec)


def test_finished_phases_are_kept_and_never_overwritten(material: Material, tmp_path: Path):
    codec, flow = small_recipe("human-codec", 2), small_recipe("human-flow", 2)
    train([codec], material, tmp_path, Conduct(), CPU)
    written = weights_path(tmp_path, "human-codec").stat().st_mtime_ns
    with pytest.raises(TrainingError, match="already holds this training"):
        train([codec, flow], material, tmp_path, Conduct(), CPU)
    results = train([codec, flow], material, tmp_path, Conduct(resume=True), CPU)
    assert [it.finished for it in results] == [True, True]
    assert weights_path(tmp_path, "human-codec").stat().st_mtime_ns == written
    with pytest.raises(TrainingError, match="already holds another training"):
        train([replace(codec, seed=5)], material, tmp_path, Conduct(resume=True), CPU)


def test_another_recipe_is_refused_before_any_data_is_read(material: Material, tmp_path: Path):
    request = TrainingRequest("human-codec", "tiny", tmp_path / "no_store", tmp_path / "run")
    (recipe,) = requested_recipes(request, HashEncoder.width, with_pairs=False)
    begun = replace(recipe, network=replace(recipe.network, width=16))
    paused = Conduct(sheets=False, pause=lambda: True)
    (result,) = train([begun], material, request.run, paused, CPU)
    assert not result.finished
    with pytest.raises(TrainingError, match=r"another recipe .*network\.width 16, now") as refused:
        train_from_store(request, HashEncoder(), Conduct(resume=True))
    assert "seed" not in str(refused.value)  # what is the same is not told
    refuse_other_recipes(request.run, [begun])
    with pytest.raises(AesopError, match="no_store"):  # without resuming, the store is missed first
        train_from_store(request, HashEncoder(), Conduct())


def test_mistakes_are_refused_before_any_work(material: Material, tmp_path: Path):
    with pytest.raises(TrainingError, match=r"builds on human-codec.*aesop train all"):
        train([small_recipe("human-flow", 2)], material, tmp_path, Conduct(), CPU)
    chain = [small_recipe(phase, 2) for phase in PHASES]
    with pytest.raises(TrainingError, match=r"camera-flow-dpa.*--pairs"):
        train(chain, material, tmp_path, Conduct(), CPU)
    wide = small_recipe("human-flow", 2)
    assert isinstance(wide, FlowRecipe)
    wide = replace(wide, network=replace(wide.network, text=512))
    with pytest.raises(TrainingError, match="width 512"):
        train([small_recipe("human-codec", 2), wide], material, tmp_path, Conduct(), CPU)
    assert not any(tmp_path.iterdir())


def test_pairs_must_film_windows_of_the_training_split(material: Material, tmp_path: Path):
    pairs = make_pairs(material.train, 3, 2, 1)
    foreign = replace(pairs, pairs=(replace(pairs.pairs[0], human_name="nobody"), *pairs.pairs[1:]))
    chain = [small_recipe(phase, 2, rows=14) for phase in PAPER_PHASES[:5]]
    with pytest.raises(TrainingError, match="direction0 films nobody"):
        train(chain, replace(material, pairs=foreign), tmp_path, Conduct(), CPU)


def test_a_continuation_keeps_the_size_it_continues(material: Material, tmp_path: Path):
    material = replace(material, pairs=make_pairs(material.train, 3, 2, 1))
    chain = [small_recipe(phase, 2, rows=14) for phase in PAPER_PHASES[:5]]
    recipe = chain[4]
    assert isinstance(recipe, FlowRecipe)
    chain[4] = replace(recipe, network=replace(recipe.network, depth=3))
    with pytest.raises(WeightsError, match="another size"):
        train(chain, material, tmp_path, Conduct(), CPU)


def test_a_store_is_trained_on_as_the_command_does(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """Without pairs, `all` leaves out what wants them; the networks are the size's own."""

    def short(phase: PhaseName, size: Size, text_width: int | None = None) -> Recipe:
        return with_steps(recipe_for(phase, size, text_width), 1)

    monkeypatch.setattr(recipe_book, "recipe_for", short)
    build_mini(tmp_path / "store", small_mini())
    request = TrainingRequest("all", "tiny", tmp_path / "store", tmp_path / "run")
    results = train_from_store(request, HashEncoder(), Conduct())
    known = [it.name for it in PHASES.values() if not it.wants_pairs]
    assert [it.phase for it in results] == known and all(it.finished for it in results)
    with pytest.raises(TrainingError, match="--pairs"):
        train_from_store(replace(request, what="camera-flow-dpa"), HashEncoder(), Conduct())


def small_mini() -> FablesRecipe:
    share = Share(windows=8, one_run=1, several=0, any_run=0)
    return FablesRecipe(seed=7, train=share, validation=share, test=share)


def test_clips_that_are_too_long_are_refused(material: Material, tmp_path: Path):
    long = make_footage(1, 1, seed=1, frames=(301, 302))
    with pytest.raises(TrainingError, match="301 frames"):
        train(
            [small_recipe("human-codec", 2)],
            replace(material, train=long),
            tmp_path,
            Conduct(),
            CPU,
        )


def test_a_continuation_starts_from_the_weights_before_it(material: Material, tmp_path: Path):
    material = replace(material, pairs=make_pairs(material.train, 3, 2, 1))
    chain = [small_recipe(phase, 2, rows=14) for phase in PAPER_PHASES[:5]]
    still = replace(chain[4].schedule, learning_rate=1e-12)
    chain[4] = replace(chain[4], schedule=still)
    train(chain, material, tmp_path, Conduct(), CPU)
    human = load_human_codec(weights_path(tmp_path, "human-codec"))
    codecs = human, load_camera_codec(weights_path(tmp_path, "camera-codec"), human)
    before, after = (
        load_camera_flow(weights_path(tmp_path, it), codecs, HashEncoder()).network.state_dict()
        for it in ("camera-flow", "camera-flow-dpa")
    )
    for name, value in before.items():
        torch.testing.assert_close(after[name], value, rtol=0, atol=rounded32(4))


def test_a_frozen_part_that_moves_is_noticed(material: Material, tmp_path: Path):
    train([small_recipe("human-codec", 2)], material, tmp_path, Conduct(), CPU)
    part = load_human_codec(weights_path(tmp_path, "human-codec"))
    frozen = FrozenParts(part)
    frozen.require_unchanged()
    bias = part.network.encoder.first.bias
    assert bias is not None
    bias[0] += 1e-7
    with pytest.raises(AssertionError, match="human-codec"):
        frozen.require_unchanged()


def test_pages_of_samples_are_drawn_when_asked_for(material: Material, tmp_path: Path):
    chain = [small_recipe(phase, 3, rows=3) for phase in PAPER_PHASES[:4]]
    train(chain, material, tmp_path, Conduct(sheets=True), CPU)
    drawn = sorted(str(it.relative_to(tmp_path)) for it in tmp_path.rglob("*.png"))
    assert drawn == ["camera-flow/sheets/000003.png", "human-flow/sheets/000003.png"]


def test_only_the_papers_last_phase_moves_the_intensity(material: Material, tmp_path: Path):
    material = replace(material, pairs=make_pairs(material.train, 3, 4, 2))
    train([small_recipe(it, 4, rows=14) for it in PAPER_PHASES], material, tmp_path, Conduct(), CPU)
    human = load_human_codec(weights_path(tmp_path, "human-codec"))
    codecs = human, load_camera_codec(weights_path(tmp_path, "camera-codec"), human)
    moved: list[float] = []
    for phase in ("camera-flow", "camera-flow-dpa", "camera-flow-ipa"):
        flow = load_camera_flow(weights_path(tmp_path, phase), codecs, HashEncoder()).network
        assert flow.intensity is not None
        moved.append(float(np.abs(flow.intensity.second.weight.detach().numpy()).max()))
    assert moved[0] == moved[1] == 0.0 and moved[2] > 0.0


def test_the_papers_last_phase_ends_with_a_straight_embedding_if_asked_for(
    material: Material, tmp_path: Path
):
    material = replace(material, pairs=make_pairs(material.train, 3, 4, 2))
    recipes = [small_recipe(it, 4, rows=14) for it in PAPER_PHASES]
    curved, straight = tmp_path / "curved", tmp_path / "straight"
    train(recipes, material, curved, Conduct(), CPU)
    last = recipes[-1]
    assert isinstance(last, PairedFlowRecipe)
    recipes[-1] = replace(last, straight=Straight(0.7, 1.3))
    train(recipes, material, straight, Conduct(), CPU)

    def added(run: Path, intensity: float) -> torch.Tensor:
        human = load_human_codec(weights_path(run, "human-codec"))
        codecs = human, load_camera_codec(weights_path(run, "camera-codec"), human)
        flow = load_camera_flow(weights_path(run, "camera-flow-ipa"), codecs, HashEncoder()).network
        assert flow.intensity is not None
        asked = torch.tensor([intensity])
        return flow.intensity(torch.zeros(1, flow.shape.width), asked).detach()

    for kept, doubled in ((0.7, 0.4), (1.3, 1.6)):
        size = added(curved, kept).abs().max()
        assert size > 0
        assert (added(straight, kept) - added(curved, kept)).abs().max() < 1e-4 * size
        assert (added(straight, doubled) - 2 * added(curved, kept)).abs().max() < 1e-4 * size
