"""What few steps are told for an intensity: as much as takes the camera as far as was asked."""

import numpy as np
import torch
from hypothesis import given
from hypothesis import strategies as st

from aesop.models.fitted_steps import FittedSteps, StepsShape
from aesop.training.told_intensities import (
    ASKED,
    LEVELS,
    IntensityResponse,
    told_for,
    with_told_intensities,
)
from tests.tolerances import rounded64


def response(power: float, gain: float = 1.0) -> IntensityResponse:
    """Cameras that go `level ** power` of the usual way, above one `gain` times what that adds."""
    shares = [level**power for level in LEVELS]
    above = [1 + gain * (share - 1) if share > 1 else share for share in shares]
    return IntensityResponse(LEVELS, tuple(above))


@given(st.floats(0.5, 2.0), st.floats(0.5, 2.0))
def test_a_camera_goes_as_far_as_was_asked(power: float, gain: float):
    """Wherever the answers measured reach, told the table's number they give what was asked."""
    known = response(power, gain)
    asked = np.linspace(known.shares[0], known.shares[-1], 29)
    told = told_for(known, tuple(asked))
    goes = np.interp(told, known.levels, known.shares)
    np.testing.assert_allclose(goes, asked, atol=rounded64(100, 4.0))


def test_beyond_what_was_measured_it_is_straight_to_what_is_asked():
    """At nothing and at twice the way the flow is told as much."""
    flat = IntensityResponse((0.5, 1.0, 1.5), (0.8, 1.0, 1.2))
    asked, told = (0.0, 0.4, 0.8, 1.2, 1.6, 2.0), (0.0, 0.25, 0.5, 1.5, 1.75, 2.0)
    np.testing.assert_allclose(told_for(flat, asked), told, atol=rounded64(10, 2.0))


@given(st.lists(st.floats(0.0, 3.0), min_size=len(LEVELS), max_size=len(LEVELS)))
def test_more_asked_is_never_less_told_and_one_is_one(shares: list[float]):
    """Whatever was measured: noise, a flow that goes back, one that does not listen at all."""
    usual = LEVELS.index(1.0)
    known = IntensityResponse(LEVELS, (*shares[:usual], 1.0, *shares[usual + 1 :]))
    told = told_for(known)
    assert (np.diff(told) >= 0).all() and told[ASKED.index(1.0)] == 1.0
    assert told[0] >= 0 and told[-1] <= 2


def test_a_flow_that_does_not_listen_is_told_what_is_asked_for():
    deaf = told_for(IntensityResponse((0.5, 1.0, 1.5), (1.0, 1.0, 1.0)))
    np.testing.assert_allclose(deaf, ASKED, atol=rounded64(10, 2.0))


def test_a_measurement_out_of_order_is_passed_over():
    """What lies on the wrong side of a neighbour nearer to one is as if it had not been taken."""
    noisy = IntensityResponse((0.5, 0.75, 1.0, 1.25, 1.5, 1.75), (0.3, 1.02, 1.0, 1.3, 1.2, 1.7))
    without = IntensityResponse((0.5, 1.0, 1.25, 1.75), (0.3, 1.0, 1.3, 1.7))
    assert told_for(noisy).tolist() == told_for(without).tolist()


def test_between_the_rows_of_a_table_it_is_straight():
    steps = with_told_intensities(FittedSteps(StepsShape(3, 2)), response(2.0))
    asked = torch.tensor(ASKED, dtype=torch.float64)
    told = torch.tensor(told_for(response(2.0)), dtype=torch.float64)
    assert torch.equal(steps.told(asked), told)
    for share in (0.2, 0.7):
        between = torch.lerp(asked[:-1], asked[1:], share)
        wanted = torch.lerp(told[:-1], told[1:], share)
        torch.testing.assert_close(steps.told(between), wanted, atol=rounded64(20, 2.0), rtol=0)
    assert float(steps.told(torch.tensor([1.0]))) == 1.0


def test_without_a_table_the_flow_is_told_what_is_asked_for():
    asked = torch.tensor([0.1, 0.7, 1.0, 1.9])
    assert torch.equal(FittedSteps(StepsShape(3, 2)).told(asked), asked)
    assert FittedSteps(StepsShape(3, 2)).state_dict().keys() == {"times", "of_words", "of_guidance"}


def test_a_table_leaves_the_steps_as_they_were():
    steps = FittedSteps(StepsShape(3, 2))
    steps.of_words += torch.arange(9).reshape(3, 3)
    known = with_told_intensities(steps, response(1.5)).state_dict()
    for name, values in steps.state_dict().items():
        assert torch.equal(known[name], values)
