"""DIRECTOR-C, DanceCamera3D, CCD and CCD-H: their sizes, that they learn, and the laws of their
samplers."""

from dataclasses import replace

import pytest
import torch

from aesop.baselines import ccd, dance_camera
from aesop.baselines.baseline_table import METHODS, AnyMethod, in_steps
from aesop.baselines.director_c import DirectorCNetwork
from aesop.baselines.request_noise import RequestNoise, request_noise
from aesop.baselines.scene_batch import SampledScenes, SceneBatch, places_of, tracks_of
from aesop.baselines.transformer_parts import parameter_count
from aesop.core.errors import AesopError
from aesop.models.method_network import METHOD_SIZES, MethodNetwork, MethodShape
from aesop.models.phase_table import MethodName
from aesop.models.velocity import FlowTransformer
from aesop.models.weights import model_sizes
from tests.baselines.makers import TEXT_WIDTH, made_clips, made_footage, made_scenes, row_of
from tests.tolerances import network32

GIVEN: tuple[MethodName, ...] = ("director-c", "dancecamera3d", "ccd", "ccd-h")
Fitted = dict[MethodName, MethodNetwork]
FEW_STEPS = 23  # of CCD's thousand, where a law and not an answer is tested


@pytest.fixture(scope="module")
def scene() -> SceneBatch:
    return made_scenes(made_clips(made_footage()))


@pytest.fixture(scope="module")
def fitted() -> Fitted:
    """Tiny networks that know their data and have learnt nothing."""
    clips = made_clips(made_footage())
    networks: dict[MethodName, MethodNetwork] = {}
    for number, name in enumerate(GIVEN):
        torch.manual_seed(number)
        network = METHODS[name].build(MethodShape(name, "tiny", TEXT_WIDTH))
        METHODS[name].fit(network, clips.every_scene())
        networks[name] = network.eval()
    return networks


@pytest.fixture
def few_steps(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ccd, "STEPS", FEW_STEPS)
    monkeypatch.setattr(dance_camera, "SAMPLING_STEPS", 7)


def sampled(
    name: MethodName, network: MethodNetwork, scene: SceneBatch, noise: RequestNoise
) -> SampledScenes:
    method: AnyMethod = METHODS[name]
    return method.sample(network, replace(scene, camera=None), noise, method.protocol.guidance)


def test_published_sizes_have_the_parameters_that_their_layers_add_up_to():
    """Counted by hand for a text width of 512, as CLIP's is; a product of width a and b has
    a·b + b numbers, a norm two a column."""

    def linear(into: int, out: int) -> int:
        return into * out + out

    def attention(width: int) -> int:
        return 4 * linear(width, width)

    def feed(width: int, hidden: int) -> int:
        return linear(width, hidden) + linear(hidden, width)

    w, norm = 512, 1024
    plain = attention(w) + feed(w, 2048) + 2 * norm
    director = 8 * (plain + attention(w) + norm) + 2 * plain
    director += linear(9, w) + linear(128, w) + linear(w, w) + 16 * w + linear(3, w) + linear(w, w)
    director += norm + linear(w, 9)
    encoder = attention(w) + feed(w, 1024) + 2 * norm
    condition = 2 * encoder + norm + 2 * linear(w, w) + 300 * w + w
    dance = 8 * (2 * attention(w) + feed(w, 1024) + 3 * norm + 3 * linear(w, 2 * w))
    dance += 2 * condition + linear(204, w) + linear(512, w) + 2 * linear(2 * w, w) + norm
    dance += linear(w, 4 * w) + linear(4 * w, w) + linear(4 * w, 2 * w)
    dance += linear(8, w) + linear(w, 8)
    w, norm = 256, 512
    common = linear(5, w) + 2 * linear(w, w) + linear(512, w) + linear(w, 5)
    simple = common + 4 * (attention(w) + feed(w, 1024) + 2 * norm)
    crossing = common + linear(66, w) + 4 * (2 * attention(w) + feed(w, 1024) + 3 * norm)
    wanted = {"director-c": director, "dancecamera3d": dance, "ccd": simple, "ccd-h": crossing}
    for name in GIVEN:
        network = METHODS[name].build(MethodShape(name, "published", 512))
        assert parameter_count(network) == wanted[name], name


def test_base_sizes_are_as_large_as_our_camera_flow():
    """Nobody wins by size: within three parts in a hundred."""
    ours = parameter_count(FlowTransformer(model_sizes("base", 384).camera_flow))
    for name in GIVEN:
        network = METHODS[name].build(MethodShape(name, "base", 384))
        assert parameter_count(network) == pytest.approx(ours, rel=0.03), name  # as said above


def test_every_method_is_in_the_table_with_its_sizes_and_guidance():
    for name in GIVEN:
        method = METHODS[name]
        assert method.name == name and method.task == "film"
        assert len(method.protocol.guidance) == len(method.protocol.guidance_names)
        assert METHOD_SIZES == ("published", "base", "tiny")
    assert METHODS["director-c"].protocol.guidance == (1.4,)
    assert METHODS["dancecamera3d"].protocol.guidance == (1.75, 1.0)
    assert METHODS["ccd"].protocol.guidance == METHODS["ccd-h"].protocol.guidance == (2.0,)
    assert [METHODS[name].makes_lens for name in GIVEN] == [False, True, False, False]


@pytest.mark.parametrize("name", GIVEN)
def test_eight_clips_can_be_learnt_by_heart(name: MethodName, scene: SceneBatch, fitted: Fitted):
    method: AnyMethod = METHODS[name]
    torch.manual_seed(11)
    network = method.build(MethodShape(name, "tiny", TEXT_WIDTH))
    network.load_state_dict(fitted[name].state_dict())
    assert len(scene.mask) == 8

    def judged() -> float:
        with torch.no_grad():
            dice = torch.Generator()
            seeds = range(3)
            return sum(
                float(method.loss(network, scene, dice.manual_seed(it)).total) for it in seeds
            )

    before, dice = judged(), torch.Generator().manual_seed(1)
    learner = torch.optim.Adam(network.parameters(), lr=5e-3)
    for _ in range(50):
        learner.zero_grad()
        method.loss(network, scene, dice).total.backward()
        learner.step()
    assert judged() < 0.45 * before


@pytest.mark.parametrize("name", GIVEN)
def test_a_loss_reads_no_padding(name: MethodName, scene: SceneBatch, fitted: Fitted):
    """What stands after a clip's end, and in words that are not there, changes nothing."""
    assert scene.human is not None and scene.camera is not None
    beyond = ~scene.mask[..., None]
    spoilt = replace(
        scene,
        human=scene.human + 3.0 * beyond,
        camera=scene.camera + 0.7 * beyond,
        camera_words=replace(
            scene.camera_words,
            tokens=scene.camera_words.tokens + 9.0 * ~scene.camera_words.mask[..., None],
        ),
    )
    dice = torch.Generator()
    with torch.no_grad():
        first, second = (
            METHODS[name].loss(fitted[name], it, dice.manual_seed(3)).total
            for it in (scene, spoilt)
        )
    assert float(first) == pytest.approx(float(second), rel=network32(3, 96))


@pytest.mark.usefixtures("few_steps")
@pytest.mark.parametrize("name", GIVEN)
def test_an_answer_owes_nothing_to_its_neighbours_and_all_to_its_seed(
    name: MethodName, scene: SceneBatch, fitted: Fitted
):
    network = fitted[name]
    keys = [(3, row) for row in range(len(scene.mask))]
    together = sampled(name, network, scene, request_noise(keys)).cameras
    row = 5
    frames = int(scene.mask[row].sum())
    assert frames < scene.mask.shape[1]
    alone = sampled(name, network, row_of(scene, row, frames), request_noise([keys[row]])).cameras
    size = float(together.centre[row, :frames].abs().max())
    # Every call of the network may differ by its own roundings, and the next ones carry them on.
    near = 100 * network32(3, 96, magnitude=max(size, 1.0))
    assert (alone.centre[0] - together.centre[row, :frames]).abs().max() < near
    assert (
        alone.world_from_camera[0] - together.world_from_camera[row, :frames]
    ).abs().max() < near
    again = sampled(name, network, scene, request_noise(keys)).cameras
    assert torch.equal(again.centre, together.centre)
    other = sampled(name, network, scene, request_noise([(4, it) for _, it in keys])).cameras
    assert (other.centre - together.centre)[scene.mask].abs().max() > 0.01


@pytest.mark.usefixtures("few_steps")
@pytest.mark.parametrize("name", GIVEN)
def test_a_sampler_reads_of_the_lens_only_what_it_does_not_make(
    name: MethodName, scene: SceneBatch, fitted: Fitted
):
    noise = request_noise([(1, row) for row in range(len(scene.mask))])
    usual = sampled(name, fitted[name], scene, noise).cameras
    # The same shape of picture, twice as high and wide at depth one.
    wide = 2 * torch.atan(2 * torch.tan(scene.lens / 2))
    other = sampled(name, fitted[name], replace(scene, lens=wide), noise).cameras
    if METHODS[name].makes_lens:
        assert torch.allclose(usual.lens, other.lens, atol=1e-5)  # of an angle's cosine in float32
        assert torch.allclose(usual.centre, other.centre)
    else:
        assert torch.equal(usual.lens, scene.lens) and torch.equal(other.lens, wide)


@pytest.mark.parametrize("name", GIVEN)
def test_words_are_read(name: MethodName, scene: SceneBatch, fitted: Fitted):
    """Another caption changes what the network says."""
    network, method = fitted[name], METHODS[name]
    order = torch.arange(len(scene.mask)).roll(1)
    words = scene.camera_words
    swapped = replace(
        scene,
        camera_words=type(words)(words.tokens[order], words.mask[order], words.pooled[order]),
    )
    dice = torch.Generator()
    with torch.no_grad():
        losses = [
            float(method.loss(network, it, dice.manual_seed(2)).total) for it in (scene, swapped)
        ]
    assert losses[0] != losses[1]


def test_references_survive_each_methods_own_cameras(scene: SceneBatch, fitted: Fitted):
    """What a network is shown of a camera decodes to that camera; CCD's lose only their roll, of
    which these have none."""
    assert scene.human is not None and scene.camera is not None
    places = places_of(scene.human)
    tracks = tracks_of(scene.camera, places.root)
    near = 2e-4  # metres: sums of up to 29 standardised steps in single precision
    director = fitted["director-c"]
    assert isinstance(director, DirectorCNetwork)
    back = director.tracks(director.trajectory(tracks, scene.mask), scene.lens)
    assert ((back.centre - tracks.centre)[scene.mask]).abs().max() < near
    assert ((back.world_from_camera - tracks.world_from_camera)[scene.mask]).abs().max() < near


@pytest.mark.parametrize("name", ["ccd", "ccd-h"])
def test_fewer_steps_walk_the_levels_that_the_schedule_names(
    name: MethodName, fitted: Fitted, scene: SceneBatch, monkeypatch: pytest.MonkeyPatch
):
    """A network that knows the noise of data of spread one: what comes out spreads by one too."""
    method, network = in_steps(METHODS[name], 19), fitted[name]
    assert isinstance(network, ccd.CcdNetwork)
    asked, made = list[int](), list[torch.Tensor]()
    bars = ccd.SCHEDULE.alpha_bars.float()

    def exact(values: torch.Tensor, step: torch.Tensor, *_: object) -> torch.Tensor:
        asked.append(int(step[0]))
        return values * (1 - bars[step]).sqrt()[:, None, None]

    def kept(values: torch.Tensor) -> torch.Tensor:
        made.append(values)
        return ccd.CcdNetwork.physical(network, values)

    monkeypatch.setattr(network, "forward", exact)
    monkeypatch.setattr(network, "physical", kept)
    noise = request_noise([(5, at) for at in range(len(scene.mask))])
    method.sample(network, replace(scene, camera=None), noise, (1.7,))
    assert len(asked) == 19 and asked == sorted(asked, reverse=True)
    assert (asked[0], asked[-1]) == (999, 0)
    values = made[0][scene.mask]
    # Three standard errors of a variance.
    assert float(values.var()) == pytest.approx(1, abs=3 * (2 / values.numel()) ** 0.5)


def test_only_some_methods_take_fewer_steps():
    assert in_steps(METHODS["ccd-h"], 50).protocol.sampler == "DDPM, 50 of 1000 steps"
    with pytest.raises(AesopError, match="ccd, ccd-h"):
        in_steps(METHODS["director-c"], 50)
    for steps in (9, 1000):
        with pytest.raises(AesopError, match="10 to 999"):
            in_steps(METHODS["ccd"], steps)
