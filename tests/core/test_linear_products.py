"""Linear layers say the same whichever library makes their products."""

import pytest
import torch
from torch import Tensor, nn

from aesop.core import linear_products
from aesop.core.linear_products import linear, onednn_is_quicker, torch_alone
from tests.tolerances import summed32

HAS_ONEDNN = torch.backends.mkldnn.is_available() and hasattr(torch.ops.mkldnn, "_linear_pointwise")
INPUTS, OUTPUTS = 19, 23


@pytest.fixture
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """As on a processor that MKL is slow on."""
    if not HAS_ONEDNN:
        pytest.skip("this torch has no oneDNN")
    monkeypatch.setattr(linear_products, "onednn_is_quicker", lambda: True)


def assert_as_torch(states: Tensor, weight: Tensor, bias: Tensor | None) -> None:
    with torch.no_grad():
        ours = linear(states, weight, bias)
        with torch_alone():
            own = linear(states, weight, bias)
    assert ours.shape == own.shape == (*states.shape[:-1], OUTPUTS)
    sizes = nn.functional.linear(states.abs(), weight.abs(), None if bias is None else bias.abs())
    assert bool(((ours - own).abs() <= summed32(INPUTS + 1) * sizes).all())


@pytest.mark.parametrize("shape", [(), (1,), (7,), (3, 5), (2, 0), (2, 3, 5)])
@pytest.mark.parametrize("has_bias", [True, False])
@pytest.mark.usefixtures("quick")
def test_the_answer_is_torchs_own(shape: tuple[int, ...], has_bias: bool, dice: torch.Generator):
    states = torch.randn(*shape, INPUTS, generator=dice)
    weight = torch.randn(OUTPUTS, INPUTS, generator=dice)
    assert_as_torch(states, weight, torch.randn(OUTPUTS, generator=dice) if has_bias else None)


@pytest.mark.usefixtures("quick")
def test_numbers_may_lie_anyhow_in_memory(dice: torch.Generator):
    states = torch.randn(INPUTS, 5, 3, generator=dice).permute(2, 1, 0)
    weight = torch.randn(OUTPUTS, 2 * INPUTS, generator=dice)[:, ::2]
    bias = torch.randn(2 * OUTPUTS, generator=dice)[::2]
    assert_as_torch(states, weight, bias)
    assert_as_torch(states[1:, 1:], weight, bias)
    assert_as_torch(states[:1].expand(7, 5, INPUTS), weight, None)


@pytest.mark.usefixtures("quick")
def test_what_learns_has_gradients_and_other_types_stay(dice: torch.Generator):
    states = torch.randn(3, INPUTS, generator=dice)
    layer = nn.Linear(INPUTS, OUTPUTS)
    linear(states, layer.weight, layer.bias).sum().backward()
    assert layer.weight.grad is not None
    torch.testing.assert_close(layer.weight.grad[0], states.sum(0), rtol=0, atol=summed32(3, 4.0))
    for dtype in (torch.float64, torch.bfloat16):
        with torch.no_grad():
            same = layer.to(dtype)
            own = nn.functional.linear(states.to(dtype), same.weight, same.bias)
            assert torch.equal(linear(states.to(dtype), same.weight, same.bias), own)


def test_torch_is_left_alone_where_mkl_is_quick(monkeypatch: pytest.MonkeyPatch):
    told = "vendor_id : GenuineIntel"
    monkeypatch.setattr(linear_products, "_told_of_processor", lambda: told)
    onednn_is_quicker.cache_clear()
    try:
        assert not onednn_is_quicker()
    finally:
        onednn_is_quicker.cache_clear()
