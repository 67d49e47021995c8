"""Inputs of short attention, and run as a module the comparison of its kernels with plain torch."""

from dataclasses import dataclass

import torch
from torch import Tensor

from aesop.models.short_attention import explicit_attention, read_by_kernel
from tests.tolerances import rounded32

HEADS, HEAD_WIDTH = 3, 16


@dataclass(frozen=True, eq=False)
class Case:
    """Tokens that read each other, or a context that lies strided in the keys of many blocks."""

    name: str
    asked: Tensor
    context: Tensor | None
    bias: Tensor
    words: Tensor

    def __str__(self) -> str:
        return self.name


def cases(device: torch.device, dtype: torch.dtype) -> list[Case]:
    dice = torch.Generator().manual_seed(3)
    made: list[Case] = []
    # One key; tiles of tokens that are full, not full, and more than one; more than 64 keys.
    for clips, tokens, keys in (
        (2, 1, None),
        (5, 37, None),
        (2, 75, None),
        (5, 37, 23),
        (2, 67, 7),
    ):
        asked = torch.randn(
            clips, tokens, 3 if keys is None else 1, HEADS, HEAD_WIDTH, generator=dice
        )
        context = None
        if keys is not None:
            blocks = torch.randn(clips, keys, 5, 2, HEADS, HEAD_WIDTH, generator=dice)
            context = blocks.to(device, dtype)[:, :, 3]
        readable = torch.rand(clips, keys or tokens, generator=dice) < 0.7
        readable[:, 0] = True
        bias = torch.zeros(readable.shape).masked_fill(~readable, -torch.inf)[:, None, None]
        words = torch.randint(-(2**31), 2**31, (2,), dtype=torch.int32, generator=dice)
        name = f"{tokens} tokens read {'each other' if keys is None else f'{keys} keys'}"
        made.append(
            Case(name, asked.to(device, dtype), context, bias.to(device, dtype), words.to(device))
        )
    return made


def told(case: Case, rate: float, wanted: Tensor, by_kernel: bool) -> list[Tensor]:
    """What is read, and the gradients of the inputs. Plain torch computes in float64."""
    inputs = [it for it in (case.asked, case.context) if it is not None]
    inputs = [it.detach() if by_kernel else it.detach().double() for it in inputs]
    for it in inputs:
        it.requires_grad_()
    asked, context = inputs[0], inputs[1] if len(inputs) == 2 else None
    if by_kernel:
        read = read_by_kernel(asked, context, case.bias, case.words, rate).flatten(-2)
    else:
        read = explicit_attention(asked, context, case.bias.double(), rate, case.words)
    read.backward(wanted.to(read.dtype))
    return [read.detach().double(), *(it.grad.double() for it in inputs if it.grad is not None)]


def main() -> None:
    gpu = torch.cuda.is_available()
    device = torch.device("cuda" if gpu else "cpu")
    # The interpreter computes in float32; the matrix units round to eight bits.
    dtype, allowed = (torch.bfloat16, 2**-8) if gpu else (torch.float32, rounded32(32))
    torch.manual_seed(5)
    for case in cases(device, dtype):
        for rate in (0.0, 0.1):
            clips, tokens = case.asked.shape[:2]
            wanted = torch.randn(clips, tokens, HEADS * HEAD_WIDTH).to(device, dtype)
            for found, expected in zip(
                *(told(case, rate, wanted, by_kernel) for by_kernel in (True, False)), strict=True
            ):
                apart = float((found - expected).norm() / expected.norm())
                assert apart < allowed, f"{case}, dropout {rate}: {apart}"


if __name__ == "__main__":
    main()
