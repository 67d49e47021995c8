"""How baselines are sampled: guided by answers with more and more of the condition, in many equal
steps. These are taken one after the other on a CPU; on a GPU they are recorded once as a CUDA graph
and replayed, so that a thousand small steps wait for no host."""

from collections.abc import Callable, Sequence

import torch
from jaxtyping import Bool, Float, Int64, Shaped
from torch import Tensor

Answer = Float[Tensor, "batch items width"]


def guided(answers: Sequence[Answer], factors: Sequence[float]) -> Answer:
    """u + w₁·(a₁ − u) + w₂·(a₂ − a₁) + …: every answer reads more than the one before it, and every
    factor says how far to go towards it. One factor is usual guidance; all ones give the last
    answer."""
    assert len(answers) == len(factors) + 1
    total = answers[0]
    for before, after, factor in zip(answers[:-1], answers[1:], factors, strict=True):
        total = total + factor * (after - before)
    return total


def dropped(
    batch: int, chances: Sequence[float], dice: torch.Generator | None, device: torch.device
) -> list[Bool[Tensor, " batch"]]:
    """Whether each row goes without a condition, of every chance independently."""
    draws = torch.rand(len(chances), batch, generator=dice, device=device)
    return [draws[number] < chance for number, chance in enumerate(chances)]


def repeated(values: Tensor, times: int) -> Tensor:
    """A batch several times over, for answers that are asked for together."""
    return values.repeat(times, *[1] * (values.ndim - 1))


Values = Float[Tensor, "batch items width"]
# The values after one step, given its number as a tensor on the device.
SamplingStep = Callable[[Values, Int64[Tensor, ""]], Values]
_WARM_UPS = 2  # libraries choose and load their kernels before a capture


def sampling_precision(device: torch.device) -> torch.autocast:
    """What networks compute in while they are sampled: half precision on a GPU, as they were
    trained there. Weights are cast anew in every call: a captured step has no cache."""
    return torch.autocast(
        device.type, torch.bfloat16, enabled=device.type == "cuda", cache_enabled=False
    )


def entry(table: Shaped[Tensor, "steps ..."], number: Int64[Tensor, ""]) -> Shaped[Tensor, "..."]:
    """The row of a step. Indexing by a number on the device would fetch it, which a captured step
    may not."""
    return table.index_select(0, number.reshape(1)).squeeze(0)


@torch.no_grad()
def count_down(step: SamplingStep, values: Values, steps: int) -> Values:
    """Take steps number steps − 1 … 0."""
    if values.device.type != "cuda":
        for number in reversed(range(steps)):
            values = step(values, torch.tensor(number, device=values.device))
        return values
    return _replayed(step, values, steps)


def _replayed(step: SamplingStep, values: Values, steps: int) -> Values:
    place, number = values.clone(), torch.tensor(steps - 1, device=values.device)
    side = torch.cuda.Stream()
    side.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(side):
        for _ in range(_WARM_UPS):
            step(place, number)
    torch.cuda.current_stream().wait_stream(side)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        place.copy_(step(place, number))
        number -= 1
    # Neither warm-up nor capture has changed anything: captured work is not carried out.
    for _ in range(steps):
        graph.replay()
    torch.cuda.synchronize()  # the graph and its memory go when this returns
    return place
