"""What the baselines' papers write down, against numbers worked out by hand."""

import math
from itertools import pairwise

import numpy as np
import pytest
import torch
from jaxtyping import Float
from torch import Tensor

from aesop.baselines.baseline_sampling import count_down, dropped, entry, guided, repeated
from aesop.baselines.diffusion import (
    STEPS,
    NoiseSchedule,
    add_noise,
    ancestral_mean,
    clean_from_noise,
    cosine_schedule,
    ddim_step,
    ddim_times,
    linear_schedule,
    respaced,
    step_factors,
)
from aesop.baselines.edm import (
    DIRECTOR_EDM,
    Edm,
    heun,
    loss_weight,
    preconditioning,
    sampling_levels,
    training_levels,
)
from aesop.baselines.request_noise import request_noise
from tests.tolerances import EPS32, rounded32, rounded64


def test_preconditioning_by_hand():
    known = preconditioning(torch.tensor([2.0], dtype=torch.float64))
    # σ = 2, σ_data = 1/2: σ² + σ_data² = 17/4.
    assert float(known.skip) == pytest.approx(1 / 17, abs=rounded64(4))
    assert float(known.out) == pytest.approx(2 / math.sqrt(17), abs=rounded64(4))
    assert float(known.into) == pytest.approx(2 / math.sqrt(17), abs=rounded64(4))
    assert float(known.noise_label) == pytest.approx(math.log(2) / 4, abs=rounded64(4))
    weight = loss_weight(torch.tensor([2.0], dtype=torch.float64))
    assert float(weight) == pytest.approx(17 / 4, abs=rounded64(8, 5.0))


def test_a_weighted_error_weighs_alike_at_every_level():
    """The weight undoes what `out` does to the network's own error."""
    sigma = torch.logspace(-2, 2, 7, dtype=torch.float64)
    product = loss_weight(sigma) * preconditioning(sigma).out.square()
    assert torch.allclose(product, torch.ones(7, dtype=torch.float64), rtol=rounded64(20))


def test_levels_of_the_sampler_are_the_published_ones():
    levels = sampling_levels()
    told = (80, 28.05, 9.563, 3.164, 1.015, 0.3147, 0.0942, 0.0272, 0.00753, 0.002, 0)
    assert len(levels) == DIRECTOR_EDM.levels + 1
    # The source gives three or four digits.
    for found, wanted in zip(levels.tolist(), told, strict=True):
        assert found == pytest.approx(wanted, rel=2e-3)  # digits of the source
    middle = (80 ** (1 / 40) + 4 / 9 * (0.002 ** (1 / 40) - 80 ** (1 / 40))) ** 40
    assert float(levels[4]) == pytest.approx(middle, rel=rounded64(200))


def test_training_levels_follow_their_log_normal():
    drawn = training_levels(torch.tensor([-1.0, 0.0, 1.0], dtype=torch.float64)).log()
    assert torch.allclose(drawn, torch.tensor([-2.4, -1.2, 0.0], dtype=torch.float64))


def test_heun_solves_a_gaussian_in_closed_form():
    """Of data N(0, s²) the best denoiser is s²/(s² + σ²)·x, and the flow scales by
    √(s²/(s² + σ²)) in all; the error falls with the square of the steps."""
    spread, noise = 0.7, torch.randn(3, 5, 2, dtype=torch.float64)

    def denoise(values: Float[Tensor, "3 5 2"], sigma: Float[Tensor, ""]) -> Float[Tensor, "3 5 2"]:
        return values * spread**2 / (spread**2 + sigma.square())

    errors: list[float] = []
    for levels in (20, 40, 80):
        edm = Edm(levels=levels, rho=7.0)
        exact = noise * 80 * math.sqrt(spread**2 / (spread**2 + 80**2))
        errors.append(float((heun(denoise, noise, edm) - exact).abs().max()))
    orders = np.log2(np.array(errors[:-1]) / np.array(errors[1:]))
    assert (orders > 1.5).all(), (errors, orders)


def test_ten_levels_call_the_network_nineteen_times():
    calls: list[float] = []

    def denoise(values: Float[Tensor, "1 2 3"], sigma: Float[Tensor, ""]) -> Float[Tensor, "1 2 3"]:
        calls.append(float(sigma))
        return values * 0

    heun(denoise, torch.ones(1, 2, 3))
    assert len(calls) == 2 * DIRECTOR_EDM.levels - 1


def test_the_linear_schedule_by_hand():
    schedule = linear_schedule()
    assert len(schedule) == STEPS
    assert float(schedule.betas[0]) == 1e-4 and float(schedule.betas[-1]) == 0.02
    assert float(schedule.betas[1] - schedule.betas[0]) == pytest.approx(0.0199 / 999)
    assert float(schedule.alpha_bars[1]) == pytest.approx((1 - 1e-4) * (1 - 1e-4 - 0.0199 / 999))
    # ln ᾱ ≈ −Σβ − Σβ²/2: 10.05 and 0.068 for the line from 1e-4 to 0.02.
    assert float(schedule.alpha_bars[-1].log()) == pytest.approx(-10.118, abs=2e-3)  # third order


def test_the_cosine_schedule_by_hand():
    schedule, offset = cosine_schedule(), 0.008

    def bar(share: float) -> float:
        return math.cos((share + offset) / (1 + offset) * math.pi / 2) ** 2

    for step in (0, 499, 998):
        wanted = bar((step + 1) / STEPS) / bar(0)
        assert float(schedule.alpha_bars[step]) == pytest.approx(wanted, rel=rounded64(3000))
    assert float(schedule.betas[-1]) == 0.999


def test_clean_values_come_back_from_their_noise():
    factors = step_factors(linear_schedule())
    clean, noise = torch.randn(2, 3, 5), torch.randn(2, 3, 5)
    step = torch.tensor([7, 401])
    noisy = add_noise(clean, noise, step, factors)
    # Divided by √ᾱ (0.65 at step 401).
    assert torch.allclose(clean_from_noise(noisy, noise, step, factors), clean, atol=100 * EPS32)


def test_ancestral_steps_keep_a_gaussian_exactly():
    """Data N(0, 1) stays N(0, 1) at every step when x̂₀ is the conditional mean: the posterior's
    variance then adds up with that of the mean and of what x̂₀ leaves open."""
    schedule = linear_schedule(17, 0.02, 0.3)
    factors = step_factors(schedule)
    for number in range(17):
        step = torch.tensor([number])
        one = torch.ones(1, 1, 1)
        of_clean = float(ancestral_mean(0 * one, one, step, factors))
        of_noisy = float(ancestral_mean(one, 0 * one, step, factors))
        signal = float(schedule.alpha_bars[number].sqrt())
        # x̂₀ = signal·x_t + √(1 − signal²)·z for unit data.
        mean = of_clean * signal + of_noisy
        variance = mean**2 + of_clean**2 * (1 - signal**2)
        variance += float(factors.posterior_spread[number]) ** 2
        assert variance == pytest.approx(1.0, abs=rounded32(40))


@pytest.mark.parametrize("eta", [0.0, 1.0])
def test_ddim_steps_by_hand(eta: float):
    schedule = NoiseSchedule(torch.tensor([0.1, 0.2, 0.4], dtype=torch.float64))
    bars = (0.9, 0.72, 0.432)
    found = ddim_step(schedule, 2, 0, eta)
    spread = eta * math.sqrt((1 - bars[0]) / (1 - bars[2]) * (1 - bars[2] / bars[0]))
    assert found.spread == pytest.approx(spread)
    assert found.signal == pytest.approx(math.sqrt(bars[0]))
    assert found.direction == pytest.approx(math.sqrt(1 - bars[0] - spread**2))
    last = ddim_step(schedule, 0, -1, eta)
    assert (last.signal, last.direction, last.spread) == (1.0, 0.0, 0.0)


def test_a_shorter_schedule_visits_levels_of_the_longer_and_all_of_them_are_the_longer():
    whole = linear_schedule()
    shorter, visited = respaced(whole, 53)
    assert (int(visited[0]), int(visited[-1]), len(visited.unique())) == (0, STEPS - 1, 53)
    # Products of up to a thousand factors, told back by ratios.
    close = {"rtol": 0, "atol": 1e-12}
    assert torch.allclose(shorter.alpha_bars, whole.alpha_bars[visited], **close)
    again, every = respaced(whole, STEPS)
    assert torch.equal(every, torch.arange(STEPS))
    assert torch.allclose(again.betas, whole.betas, **close)


@pytest.mark.parametrize(("steps", "spread"), [(50, 0.117), (100, 0.109)])
def test_fewer_ancestral_steps_keep_a_gaussian_nearly(steps: int, spread: float):
    """Of data that spread by one, β keeps the variance whatever a step is long; narrower data get
    a little too wide. Said in the closed form of a linear map, with the exact noise."""

    def variance(data: float) -> float:
        schedule, _ = respaced(linear_schedule(), steps)
        made, bars = 1.0, schedule.alpha_bars.tolist()
        for place, beta in reversed([*enumerate(schedule.betas.tolist())]):
            bar = bars[place]
            kept = (1 - beta / (bar * data + 1 - bar)) / (1 - beta) ** 0.5
            made = kept**2 * made + (beta if place else 0.0)
        return made

    assert variance(1.0) == pytest.approx(1, abs=1e-3)  # the last step adds no noise: 1e-4
    assert 0.1 < variance(0.1) < spread


def test_neighbouring_ddim_steps_with_eta_one_are_ancestral():
    schedule = linear_schedule(11, 0.05, 0.3)
    factors = step_factors(schedule)
    for now in range(1, 11):
        step = ddim_step(schedule, now, now - 1, 1.0)
        assert step.spread == pytest.approx(float(factors.posterior_spread[now]), abs=4 * EPS32)
        at, one = torch.tensor([now]), torch.ones(1, 1, 1)
        bar = float(schedule.alpha_bars[now])
        of_noisy = step.direction / math.sqrt(1 - bar)
        wanted = float(ancestral_mean(one, 0 * one, at, factors))
        assert of_noisy == pytest.approx(wanted, abs=16 * EPS32)
        of_clean = step.signal - of_noisy * math.sqrt(bar)
        wanted = float(ancestral_mean(0 * one, one, at, factors))
        assert of_clean == pytest.approx(wanted, abs=16 * EPS32)


def test_fifty_ddim_times_go_from_the_noisiest_to_clean():
    times = ddim_times(50)
    assert len(times) == 50
    assert times[0][0] == STEPS - 1 and times[-1] == (19, -1)
    assert all(now > following for now, following in times)
    assert all(first[1] == second[0] for first, second in pairwise(times))


def test_guidance_goes_from_answer_to_answer():
    nothing, person, both = (torch.full((2, 3, 5), value) for value in (1.0, 2.0, 4.0))
    assert torch.equal(guided((nothing, both), (1.4,)), torch.full((2, 3, 5), 1 + 1.4 * 3))
    found = guided((nothing, person, both), (1.75, 1.0))
    assert torch.equal(found, torch.full((2, 3, 5), 1 + 1.75 * 1 + 1.0 * 2))
    assert torch.equal(guided((nothing, person, both), (1.0, 1.0)), both)
    assert torch.equal(guided((nothing, person, both), (0.0, 0.0)), nothing)


def test_conditions_are_left_out_independently_and_as_often_as_told():
    dice = torch.Generator().manual_seed(3)
    first, second = dropped(40_000, (0.25, 0.1), dice, torch.device("cpu"))
    # Four standard deviations of a share of 40,000 draws.
    assert float(first.float().mean()) == pytest.approx(0.25, abs=0.0087)  # 4·√(pq/n)
    assert float(second.float().mean()) == pytest.approx(0.1, abs=0.006)  # 4·√(pq/n)
    assert float((first & second).float().mean()) == pytest.approx(0.025, abs=0.0032)  # the same
    assert torch.equal(repeated(torch.arange(3), 2), torch.tensor([0, 1, 2, 0, 1, 2]))


def test_noise_belongs_to_its_request_step_and_place():
    alone = request_noise([(7, 3)])
    among = request_noise([(7, 2), (7, 3), (8, 3)])
    assert torch.equal(alone.normal(5, 11, 3)[0], among.normal(5, 11, 3)[1])
    assert torch.equal(alone.normal(5, 11, 3)[0, :7], alone.normal(5, 7, 3)[0])
    assert torch.equal(alone.normal(5, 7, 3), alone.normal(torch.tensor(5), 7, 3))
    every = [among.normal(step, 11, 3).flatten() for step in (0, 1)]
    assert len(torch.cat(every).unique()) == 2 * 3 * 33


def test_noise_is_standard_normal_and_uncorrelated():
    noise = request_noise([(0, index) for index in range(64)])
    drawn = torch.stack([noise.normal(step, 50, 2) for step in range(20)])
    count = drawn.numel()
    # Four standard deviations of mean, variance, fourth moment and correlations of normal draws.
    assert abs(float(drawn.mean())) < 4 / math.sqrt(count)
    assert abs(float(drawn.square().mean()) - 1) < 4 * math.sqrt(2 / count)
    assert abs(float(drawn.pow(4).mean()) - 3) < 4 * math.sqrt(96 / count)
    for first, second in (
        (drawn[1:], drawn[:-1]),
        (drawn[:, 1:], drawn[:, :-1]),
        (drawn[:, :, 1:], drawn[:, :, :-1]),
        (drawn[..., 1:], drawn[..., :-1]),
    ):
        assert abs(float((first * second).mean())) < 4 / math.sqrt(first.numel())
    uniform = noise.uniform(3, 997)
    assert float(uniform.min()) > 0 and float(uniform.max()) <= 1
    assert abs(float(uniform.mean()) - 0.5) < 4 * math.sqrt(1 / 12 / uniform.numel())


def test_counting_down_takes_every_step_once():
    seen: list[int] = []

    def step(values: Float[Tensor, "1 2 3"], number: Tensor) -> Float[Tensor, "1 2 3"]:
        seen.append(int(number))
        return values + entry(torch.arange(5.0), number)

    assert torch.equal(count_down(step, torch.zeros(1, 2, 3), 5), torch.full((1, 2, 3), 10.0))
    assert seen == [4, 3, 2, 1, 0]
