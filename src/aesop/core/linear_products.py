"""Products of linear layers on a processor, by the library that is quick on it.

torch takes Intel's MKL for them, which leaves the wide registers of other makers' processors
unused. oneDNN, which torch carries too and takes for convolutions, does not: on an AMD EPYC of the
fifth generation it is 2.2 times as fast. Both sum in float32; their answers differ by rounding.
"""

import functools
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import torch
from jaxtyping import Float
from torch import Tensor

_FACTS = Path("/proc/cpuinfo")
_AMD = "AuthenticAMD"
_is_torch_alone = False


def linear(
    states: Float[Tensor, "*batch inputs"],
    weight: Float[Tensor, "outputs inputs"],
    bias: Float[Tensor, " outputs"] | None = None,
) -> Float[Tensor, "*batch outputs"]:
    """As torch's own, which it is wherever something is learned, on GPUs, in other types than
    float32, and on processors that MKL is quick on."""
    is_ours = (
        states.is_cpu
        and states.dtype == weight.dtype == torch.float32
        and not torch.is_grad_enabled()
        and not _is_torch_alone
        and onednn_is_quicker()
    )
    if not is_ours:
        return torch.nn.functional.linear(states, weight, bias)
    return torch.ops.mkldnn._linear_pointwise(states, weight, bias, "none", [], "")


@functools.cache
def onednn_is_quicker() -> bool:
    """Whether this is a processor of AMD's with registers that MKL does not use, and a torch that
    has both libraries."""
    return (
        torch.backends.cpu.get_cpu_capability() == "AVX512"
        and torch.backends.mkl.is_available()
        and torch.backends.mkldnn.is_available()
        and hasattr(torch.ops.mkldnn, "_linear_pointwise")
        and _AMD in _told_of_processor()
    )


def _told_of_processor() -> str:
    """What the system says of the processor: Linux in a file, Windows in a variable."""
    if _FACTS.is_file():
        with _FACTS.open(encoding="utf-8", errors="replace") as lines:
            return next((line for line in lines if line.startswith("vendor_id")), "")
    return os.environ.get("PROCESSOR_IDENTIFIER", "")


@contextmanager
def torch_alone() -> Iterator[None]:
    """Within the block all products are torch's own: for comparing."""
    global _is_torch_alone
    before, _is_torch_alone = _is_torch_alone, True
    try:
        yield
    finally:
        _is_torch_alone = before
