"""Attention over few keys (a window has 75 tokens) with hashed dropout, forward and backward."""

import math
from importlib.util import find_spec
from typing import Any

import torch
from jaxtyping import Bool, Float, Int32
from torch import Tensor

# Two random words for every place where dropout acts.
WORDS = 2
# Two odd factors and a shift, chosen among a few known ones: of eight million places, those one to
# 153,600 apart, rows and columns are kept with correlations below 0.004. Factors have signs, since
# torch multiplies int32 modulo 2³².
FIRST_FACTOR, SHIFT, SECOND_FACTOR = -1403630843, 15, -2048144789


def random_words(places: tuple[int, ...], device: torch.device) -> Int32[Tensor, "*places 2"]:
    """From torch's own generator, so that whoever seeds it repeats the dropout as well."""
    low, high = -(2**31), 2**31
    return torch.randint(low, high, (*places, WORDS), dtype=torch.int32, device=device)


def kept_by_hash(
    shape: tuple[int, ...], rate: float, words: Int32[Tensor, "2"]
) -> Bool[Tensor, "*shape"]:
    """True with a chance of 1 − rate, for places counted in the order of `shape`."""
    places = torch.arange(math.prod(shape), dtype=torch.int32, device=words.device).view(shape)
    mixed = (places ^ words[0]) * FIRST_FACTOR
    # Shifted as a number without a sign. The second word comes in between: a hash of places ^ words
    # alone would be one pattern for all words, in another order.
    mixed = mixed ^ ((mixed >> SHIFT) & (2 ** (32 - SHIFT) - 1)) ^ words[1]
    return mixed * SECOND_FACTOR >= threshold(rate)


def threshold(rate: float) -> int:
    """The least int32 that is kept."""
    return round(rate * 2**32) - 2**31


def hashed_dropout(
    states: Float[Tensor, "*shape"], rate: float, words: Int32[Tensor, "2"]
) -> Float[Tensor, "*shape"]:
    """As torch's dropout in training."""
    kept = kept_by_hash(tuple(states.shape), rate, words)
    return torch.where(kept, states * (1 / (1 - rate)), 0)


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
