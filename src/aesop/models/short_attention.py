"""Attention over few keys (a window has 75 tokens) with hashed dropout, forward and back.

Library kernels are made for long sequences: they walk over tiles of keys, keep sums for the way
back and add up gradients in several passes. Here all keys of a head fit into one tile, so one
program per clip and head does everything, and on the way back computes the weights again instead
of reading them. Queries, keys and values are read where the linear layers wrote them, and their
gradients are written where those will read them.
"""

from importlib.util import find_spec
from typing import Any

import torch
from jaxtyping import Float, Int32
from torch import Tensor

from aesop.models.hashed import kept_by_hash

# Queries alone, or with keys and values for tokens that read each other.
Asked = Float[Tensor, "batch tokens parts heads head_width"]
Context = Float[Tensor, "batch keys 2 heads head_width"]

HAS_TRITON = find_spec("triton") is not None  # not with every build of torch for CUDA
MOST_KEYS = 128
HEAD_WIDTHS = (16, 32, 64)


def short_attention(
    asked: Asked,
    context: Context | None,
    bias: Float[Tensor, "batch 1 1 keys"],
    rate: float,
    words: Int32[Tensor, "2"],
) -> Float[Tensor, "batch tokens width"]:
    """What the tokens read of the context, or of each other without one; heads joined."""
    if _has_kernel(asked, context):
        return read_by_kernel(asked, context, bias, words, rate).flatten(-2)
    return explicit_attention(asked, context, bias, rate, words)


def _has_kernel(asked: Tensor, context: Tensor | None) -> bool:
    """Kernels are for matrix units, which round float32 to ten bits, and for tiles that fit."""
    tokens, head_width = asked.shape[1], asked.shape[-1]
    keys = tokens if context is None else context.shape[1]
    fits = keys <= MOST_KEYS and head_width in HEAD_WIDTHS
    suits = asked.is_cuda and asked.dtype in (torch.bfloat16, torch.float16)
    return HAS_TRITON and suits and fits


def explicit_attention(
    asked: Asked,
    context: Context | None,
    bias: Float[Tensor, "batch 1 1 keys"],
    rate: float,
    words: Int32[Tensor, "2"],
) -> Float[Tensor, "batch tokens width"]:
    """The same in plain torch: for other devices, and what the kernels are held against."""
    query, key, value = _heads(asked, context)
    scores = (query * query.shape[-1] ** -0.5) @ key.transpose(-1, -2) + bias
    weights = torch.softmax(scores, dim=-1)
    kept = kept_by_hash(tuple(weights.shape), rate, words)
    weights = torch.where(kept, weights / (1 - rate), 0)
    return (weights @ value).transpose(1, 2).flatten(-2)


def _heads(asked: Tensor, context: Tensor | None) -> tuple[Tensor, Tensor, Tensor]:
    """Views of queries, keys and values, each (batch, heads, places, head width)."""
    query, *own = asked.transpose(1, 3).unbind(2)
    key, value = own if context is None else context.transpose(1, 3).unbind(2)
    return query, key, value


@torch.library.custom_op("aesop::short_attention", mutates_args=())
def read_by_kernel(
    asked: Tensor, context: Tensor | None, bias: Tensor, words: Tensor, rate: float
) -> Tensor:
    from aesop.models.short_attention_kernels import read

    out = _like_queries(asked)
    read(_heads(asked, context), bias, words, rate, out.transpose(1, 2))
    return out


@torch.library.custom_op("aesop::short_attention_backward", mutates_args=())
def _read_back_by_kernel(
    wanted: Tensor,
    asked: Tensor,
    context: Tensor | None,
    bias: Tensor,
    words: Tensor,
    rate: float,
) -> tuple[Tensor, Tensor]:
    from aesop.models.short_attention_kernels import read_back

    gradients = _like_inputs(asked, context)
    rooms = _heads(gradients[0], None if context is None else gradients[1])
    read_back(_heads(asked, context), bias, words, rate, wanted.transpose(1, 2), rooms)
    return gradients


def _like_queries(asked: Tensor) -> Tensor:
    batch, tokens, _, heads, head_width = asked.shape
    return asked.new_empty(batch, tokens, heads, head_width)


def _like_inputs(asked: Tensor, context: Tensor | None) -> tuple[Tensor, Tensor]:
    """An operator cannot return nothing; without a context its gradient is empty."""
    return asked.new_empty(asked.shape), asked.new_empty(0 if context is None else context.shape)


@read_by_kernel.register_fake
def _(asked: Tensor, context: Tensor | None, bias: Tensor, words: Tensor, rate: float) -> Tensor:
    return _like_queries(asked)


@_read_back_by_kernel.register_fake
def _(
    wanted: Tensor,
    asked: Tensor,
    context: Tensor | None,
    bias: Tensor,
    words: Tensor,
    rate: float,
) -> tuple[Tensor, Tensor]:
    return _like_inputs(asked, context)


def _keep(ctx: Any, inputs: tuple[Any, ...], output: Tensor) -> None:
    *tensors, ctx.rate = inputs
    ctx.save_for_backward(*tensors)


def _back(ctx: Any, wanted: Tensor) -> tuple[Tensor | None, ...]:
    asked, context, bias, words = ctx.saved_tensors
    grad_asked, grad_context = _read_back_by_kernel(wanted, asked, context, bias, words, ctx.rate)
    return grad_asked, None if context is None else grad_context, None, None, None


read_by_kernel.register_autograd(_back, setup_context=_keep)
