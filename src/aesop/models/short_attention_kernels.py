# ruff: noqa: N803, PLR0913
# pyright: basic, reportMissingImports=false, reportIndexIssue=false
"""The two kernels of short attention. Triton comes with torch's builds for CUDA only, and wants
bare arguments, many of them, and constants in capitals.

One program serves one head of one clip. It holds all keys and walks over the tokens in tiles.
"""

import triton
import triton.language as tl
from torch import Tensor

from aesop.models.short_attention import FIRST_FACTOR, SECOND_FACTOR, SHIFT, threshold

# Queries, keys and values, or their gradients, each (batch, heads, places, head width).
Three = tuple[Tensor, Tensor, Tensor]

LEAST_TILE = 16  # the matrix units take no fewer
WARPS = 4
# Tokens in a tile: all of them up to 64, and few where there are more, since their keys fill the
# registers. The fastest on an H200 of 16, 32, 64 and 128 with 4 and 8 warps.
ONE_TILE, ROWS_OF_MANY = 64, 16


def read(inputs: Three, bias: Tensor, words: Tensor, rate: float, out: Tensor) -> None:
    """Fill `out`, which is shaped like the queries."""
    query, key, value = inputs
    batch, heads, tokens, head_width = query.shape
    keys = key.shape[2]
    rows = _rows(tokens)
    _forward[(batch * heads,)](
        query, key, value, bias, words, out,
        *_strides(query), *_strides(key), *_strides(value), *_strides(out),
        bias.stride(0), bias.stride(3),
        heads, tokens, keys, head_width**-0.5, threshold(rate), 1 / (1 - rate),
        DROPS=rate > 0, TILES=triton.cdiv(tokens, rows), ROWS=rows, KEYS=_tile(keys),
        WIDTH=head_width, num_warps=WARPS,
    )  # fmt: skip


def read_back(
    inputs: Three, bias: Tensor, words: Tensor, rate: float, wanted: Tensor, gradients: Three
) -> None:
    """Fill the gradients of queries, keys and values from that of `out`."""
    query, key, value = inputs
    batch, heads, tokens, head_width = query.shape
    keys = key.shape[2]
    rows = _rows(tokens)
    _backward[(batch * heads,)](
        query, key, value, bias, words, wanted, *gradients,
        *_strides(query), *_strides(key), *_strides(value), *_strides(wanted),
        *(stride for gradient in gradients for stride in _strides(gradient)),
        bias.stride(0), bias.stride(3),
        heads, tokens, keys, head_width**-0.5, threshold(rate), 1 / (1 - rate),
        DROPS=rate > 0, TILES=triton.cdiv(tokens, rows), ROWS=rows, KEYS=_tile(keys),
        WIDTH=head_width, num_warps=WARPS,
    )  # fmt: skip


def _strides(tensor: Tensor) -> tuple[int, int, int]:
    assert tensor.stride(3) == 1
    batch, heads, places, _ = tensor.stride()
    return batch, heads, places


def _rows(tokens: int) -> int:
    return _tile(tokens) if tokens <= ONE_TILE else ROWS_OF_MANY


def _tile(length: int) -> int:
    return max(LEAST_TILE, triton.next_power_of_2(length))


_FIRST = tl.constexpr(FIRST_FACTOR)
_SECOND = tl.constexpr(SECOND_FACTOR)
_SHIFT = tl.constexpr(SHIFT)
_REST = tl.constexpr(2 ** (32 - SHIFT) - 1)


@triton.jit
def _kept(program, row, column, tokens, keys, words, least):
    """As `kept_by_hash` over (batch, heads, tokens, keys)."""
    place = (program * tokens + row[:, None]) * keys + column[None, :]
    mixed = (place ^ tl.load(words)) * _FIRST
    mixed = mixed ^ ((mixed >> _SHIFT) & _REST) ^ tl.load(words + 1)
    return mixed * _SECOND >= least


@triton.jit
def _tile_at(base, place, wide, stride, mask):
    return tl.load(base + place[:, None] * stride + wide[None, :], mask=mask, other=0.0)


@triton.jit
def _unreadable(bias, column, stride, keys):
    """−∞ at keys that are masked or beyond the last."""
    values = tl.load(bias + column * stride, mask=column < keys, other=-float("inf"))
    return values.to(tl.float32)


@triton.jit
def _weights(q, k, unreadable, scale):
    """How much every token reads of every key."""
    scores = tl.dot(q, tl.trans(k)) * scale + unreadable[None, :]
    scores = tl.exp(scores - tl.max(scores, axis=1)[:, None])
    return scores * (1 / tl.sum(scores, axis=1))[:, None]


@triton.jit
def _forward(
    query, key, value, bias, words, out,
    query_b, query_h, query_t, key_b, key_h, key_t, value_b, value_h, value_t, out_b, out_h, out_t,
    bias_b, bias_k,
    heads, tokens, keys, scale, least, gain,
    DROPS: tl.constexpr, TILES: tl.constexpr, ROWS: tl.constexpr, KEYS: tl.constexpr,
    WIDTH: tl.constexpr,
):  # fmt: skip
    program = tl.program_id(0)
    clip, head = (program // heads).to(tl.int64), program % heads
    column, wide = tl.arange(0, KEYS), tl.arange(0, WIDTH)
    valid = (column < keys)[:, None]
    query += clip * query_b + head * query_h
    key += clip * key_b + head * key_h
    value += clip * value_b + head * value_h
    out += clip * out_b + head * out_h
    k = _tile_at(key, column, wide, key_t, valid)
    v = _tile_at(value, column, wide, value_t, valid)
    unreadable = _unreadable(bias + clip * bias_b, column, bias_k, keys)
    for tile in range(TILES):
        row = tile * ROWS + tl.arange(0, ROWS)
        rows = (row < tokens)[:, None]
        q = _tile_at(query, row, wide, query_t, rows)
        weights = _weights(q, k, unreadable, scale)
        if DROPS:
            kept = _kept(program, row, column, tokens, keys, words, least)
            weights = tl.where(kept, weights * gain, 0.0)
        read = tl.dot(weights.to(v.dtype), v)
        tl.store(out + row[:, None] * out_t + wide[None, :], read.to(v.dtype), mask=rows)


@triton.jit
def _backward(
    query, key, value, bias, words, wanted, grad_query, grad_key, grad_value,
    query_b, query_h, query_t, key_b, key_h, key_t, value_b, value_h, value_t,
    wanted_b, wanted_h, wanted_t,
    grad_query_b, grad_query_h, grad_query_t, grad_key_b, grad_key_h, grad_key_t,
    grad_value_b, grad_value_h, grad_value_t,
    bias_b, bias_k,
    heads, tokens, keys, scale, least, gain,
    DROPS: tl.constexpr, TILES: tl.constexpr, ROWS: tl.constexpr, KEYS: tl.constexpr,
    WIDTH: tl.constexpr,
):  # fmt: skip
    program = tl.program_id(0)
    clip, head = (program // heads).to(tl.int64), program % heads
    column, wide = tl.arange(0, KEYS), tl.arange(0, WIDTH)
    valid = (column < keys)[:, None]
    query += clip * query_b + head * query_h
    key += clip * key_b + head * key_h
    value += clip * value_b + head * value_h
    wanted += clip * wanted_b + head * wanted_h
    grad_query += clip * grad_query_b + head * grad_query_h
    grad_key += clip * grad_key_b + head * grad_key_h
    grad_value += clip * grad_value_b + head * grad_value_h
    k = _tile_at(key, column, wide, key_t, valid)
    v = _tile_at(value, column, wide, value_t, valid)
    unreadable = _unreadable(bias + clip * bias_b, column, bias_k, keys)
    d_key = tl.zeros([KEYS, WIDTH], tl.float32)
    d_value = tl.zeros([KEYS, WIDTH], tl.float32)
    for tile in range(TILES):
        row = tile * ROWS + tl.arange(0, ROWS)
        rows = (row < tokens)[:, None]
        q = _tile_at(query, row, wide, query_t, rows)
        d_out = _tile_at(wanted, row, wide, wanted_t, rows)
        weights = _weights(q, k, unreadable, scale)
        d_weights = tl.dot(d_out, tl.trans(v))
        used = weights
        if DROPS:
            kept = _kept(program, row, column, tokens, keys, words, least)
            used = tl.where(kept, weights * gain, 0.0)
            d_weights = tl.where(kept, d_weights * gain, 0.0)
        d_value = tl.dot(tl.trans(used.to(v.dtype)), d_out, d_value)
        d_scores = weights * (d_weights - tl.sum(d_weights * weights, axis=1)[:, None])
        d_scores = (d_scores * scale).to(q.dtype)
        d_key = tl.dot(tl.trans(d_scores), q, d_key)
        d_query = tl.dot(d_scores, k).to(q.dtype)
        tl.store(grad_query + row[:, None] * grad_query_t + wide[None, :], d_query, mask=rows)
    places = column[:, None] * grad_key_t + wide[None, :]
    tl.store(grad_key + places, d_key.to(k.dtype), mask=valid)
    places = column[:, None] * grad_value_t + wide[None, :]
    tl.store(grad_value + places, d_value.to(k.dtype), mask=valid)
